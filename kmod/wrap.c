// SPDX-License-Identifier: GPL-2.0-only
/*
 * Returns by wrapping the call. The kernel's return probe (kretprobe) costs some hundreds of instructions; a call
 * that a stub makes costs a few:
 *
 *	caller:    call function
 *	function:  call stub		written by the kernel's function tracer
 *	stub:      ...			the entry's event, if it has a probe
 *	           call function + 5	the function proper
 *	           ...			the return's event
 *	           return to caller	over the function's own return address
 *
 * Each call has its return, in order, so the processor's return prediction stays right except for the last return.
 * Other tracers that replace the return address in the caller's frame (kretprobes, the graph tracer) find that undone
 * as they expect. Unwinders see a function that has called a stub, by a frame with rbp, and the stub has called the
 * same function further on. Unwinders know that this is a guess, so a live patch waits for tasks with open calls.
 *
 * While the function runs, three words and a frame of the stub are between it and what its caller has pushed. So
 * wrapping works only if the function uses none of that: if all arguments are in registers. The loader knows that
 * from the prototype, or treats it as false. Then, and wherever another tracer has the function's first instruction,
 * a kretprobe is used. The modules of the functions are held, because the kernel would redirect any code that is
 * later loaded there to the stub (function_module.c).
 *
 * Each open call of such a function takes a frame of 80 bytes of the stack. So if little is left of a task's stack,
 * the call isn't wrapped, but counted as dropped (stub.c).
 *
 * A function that asks for its caller's address gets the stub's. So does a function that a wrapped function has
 * jumped to instead of returning (a tail call). And if a kprobe makes the function continue elsewhere, the stub
 * doesn't follow it when it has only that function.
 *
 * A function has one first instruction. So one stub serves both of its ends: if an entry's hook and a return's hook
 * have the same functions, whichever comes first gets a new stub in place of its old one (hook.c, join). If the two
 * sets differ, the second hook finds functions held, if it is the return's. The loader makes the sets equal: it gives
 * entries of functions that could be wrapped a hook of their own. Entries of other sessions go before the stub
 * (direct_call.c).
 *
 * A call may sleep for long, and some calls never return, because a task may end inside. The stub's frame stays on
 * its stack, and the stub must exist that long. Everything else may be freed earlier. So two periods are
 * distinguished:
 *
 * - The short parts, before and behind the function proper. Nothing sleeps there. When every task has slept or been
 *   scheduled (synchronize_rcu_tasks and ..._rude, as for all stubs), each task that was there has left, or is in the
 *   function proper. To remove the probes, functions are unhooked, and the gate says `off`. After such a wait no task
 *   runs a probe or reads the session, and none will: a task that returns finds the gate.
 * - The open calls. Each processor's gate counts calls that begin less calls that end there. A call may end on
 *   another processor, so only the sum counts. When no function leads to the stub any more and such a wait is over,
 *   no call begins. From then on the sum only falls. So if the sum is seen to be 0, it is 0, although the counts are
 *   not read at one moment. A task that has just decremented it may still be at its last three instructions. After
 *   one more such wait the stub is freed.
 *
 * A gate and stub that wait for open calls belong to no hook. They are on a list, which is checked whenever something
 * is detached, and every second while there is any. Each holds this module, so it can't be unloaded while calls are
 * open. The number of those whose calls never end is limited; beyond it, returns use kretprobes again. The loader
 * doesn't allow functions to be wrapped that are known never to return.
 *
 * In an NMI calls are counted as open like others, by single instructions, but no event is reported.
 */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "wrap.h"

enum { MOST = 256 }; /* on the list, when a new one is made */

struct ward_wrap {
	struct list_head list;
	struct ward_stub stub;
	struct ward_gate __percpu *gate;
};

static void look_again(struct work_struct *work);

static DEFINE_MUTEX(lock); /* of what follows */
static LIST_HEAD(left);    /* nobody's */
static unsigned int n_left;
static DECLARE_DELAYED_WORK(later, look_again);

static bool is_room(void)
{
	bool room;

	mutex_lock(&lock);
	room = n_left < MOST;
	mutex_unlock(&lock);
	return room;
}

static void make_gate(struct ward_gate __percpu *gate, const struct ward_here __percpu *here)
{
	int cpu;

	for_each_possible_cpu(cpu) per_cpu_ptr(gate, cpu)->here = *per_cpu_ptr(here, cpu);
}

struct ward_wrap *ward_wrap_make(struct ward_wrap_plan *plan, const struct ward_here __percpu *here, int *err)
{
	struct ward_wrap *wrap;

	BUILD_BUG_ON(offsetof(struct ward_gate, here) != 0);
	*err = -EAGAIN;
	if (!is_room())
		return NULL;
	*err = -ENOMEM;
	wrap = kzalloc(sizeof(*wrap), GFP_KERNEL_ACCOUNT);
	if (!wrap)
		return NULL;
	wrap->gate = alloc_percpu_gfp(struct ward_gate, GFP_KERNEL_ACCOUNT);
	if (wrap->gate) {
		make_gate(wrap->gate, here);
		plan->gate = wrap->gate;
		*err = ward_stub_wrap(&wrap->stub, plan);
	}
	if (!*err)
		return wrap;
	ward_wrap_forget(wrap);
	return NULL;
}

u8 *ward_wrap_code(const struct ward_wrap *wrap)
{
	return wrap->stub.code;
}

void ward_wrap_forget(struct ward_wrap *wrap)
{
	if (!wrap)
		return;
	ward_stub_free(&wrap->stub);
	free_percpu(wrap->gate);
	kfree(wrap);
}

void ward_wrap_shut(struct ward_wrap *wrap)
{
	int cpu;

	for_each_possible_cpu(cpu) WRITE_ONCE(per_cpu_ptr(wrap->gate, cpu)->off, 1);
}

void ward_wrap_leave(struct ward_wrap *wrap)
{
	__module_get(THIS_MODULE); /* a caller of this function holds it */
	mutex_lock(&lock);
	list_add(&wrap->list, &left);
	n_left++;
	mutex_unlock(&lock);
}

static bool is_open(const struct ward_wrap *wrap)
{
	u64 open = 0;
	int cpu;

	for_each_possible_cpu(cpu) open += READ_ONCE(per_cpu_ptr(wrap->gate, cpu)->open);
	return open;
}

/* Free those without open calls; if others remain, they are checked again later. */
static void take_over(struct list_head *over)
{
	struct ward_wrap *wrap, *next;

	mutex_lock(&lock);
	list_for_each_entry_safe(wrap, next, &left, list)
	{
		if (is_open(wrap))
			continue;
		list_move(&wrap->list, over);
		n_left--;
	}
	if (!list_empty(&left))
		queue_delayed_work(system_power_efficient_wq, &later, HZ);
	mutex_unlock(&lock);
}

void ward_wraps_free(void)
{
	struct ward_wrap *wrap, *next;
	LIST_HEAD(over);

	take_over(&over);
	if (list_empty(&over))
		return;
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
	list_for_each_entry_safe(wrap, next, &over, list)
	{
		ward_wrap_forget(wrap);
		module_put(THIS_MODULE);
	}
}

static void look_again(struct work_struct *work)
{
	ward_wraps_free();
}

void ward_wraps_end(void)
{
	cancel_delayed_work_sync(&later);
}
