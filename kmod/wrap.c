// SPDX-License-Identifier: GPL-2.0-only
/*
 * Returns by wrapping the call. The kernel's return probe (kretprobe) costs some
 * hundreds of instructions; a call that our own stub makes costs a few:
 *
 *	caller:    call function
 *	function:  call stub		written by the kernel's function tracer
 *	stub:      ...			the entry's event, if it has a probe
 *	           call function + 5	the function proper
 *	           ...			the return's event
 *	           return to caller	over the function's own return address
 *
 * Each call has its return, in order, so a processor's memory of returns holds
 * but for the last one; and what others do to the return address in the caller's
 * frame (kretprobes, the graph tracer) they find undone as they expect.
 * Unwinders see a function that has called a stub, by a frame with rbp, which
 * has called the same function further on; they know that they guess, so a live
 * patch waits for tasks with open calls.
 *
 * The function runs with three words and a frame of ours between it and what its
 * caller has pushed. So it works only where nothing of that is the function's:
 * where all arguments are in registers. The loader knows that from the
 * prototype, or it says nothing; then, and wherever another tracer has the
 * function's first instruction, it is a kretprobe as ever. The modules of the
 * functions are held: the kernel leads to the stub whatever comes to stand there
 * later (function_module.c).
 *
 * A frame is 80 bytes of the stack, in each open call of each such function. So
 * where little is left of a task's stack, calls aren't wrapped, but counted as
 * dropped (stub.c).
 *
 * What the function is told of who has called it, if it asks, is our stub, as
 * is a function's caller in whose place a wrapped one has jumped to it. And if
 * a kprobe has a function on its own go on elsewhere, we don't.
 *
 * A function has one first instruction, so who wants both of its ends has one
 * stub for both: where the functions of an entry's hook are those of a return's,
 * whichever of the two comes first, it gets a new stub in the place of its old
 * one (hook.c, join). Where the two sets differ, the second one finds functions
 * held, if it is the return's. The loader makes them equal: it hooks entries
 * apart that could be wrapped. Other sessions' entries go before it (direct_call.c).
 *
 * A call may sleep for long, and some never return: a task may end in there. A
 * frame of ours stays on its stack, and the stub has to be there as long. All
 * else may go. So there are two counts of time:
 *
 * - The short parts, before and behind the function proper: nothing sleeps
 *   there, and whoever is in there has left it, or is in the function proper,
 *   when every task has slept or been scheduled (synchronize_rcu_tasks and
 *   ..._rude, as for all stubs). When the probes are to go, functions are
 *   unhooked, the gate says `off`, and after such a wait nobody runs a probe,
 *   nor looks at the session, nor will: who comes back finds the gate.
 * - The open calls: each processor's gate counts those that begin less those
 *   that end there. A call may end on another processor, so it is the sum that
 *   counts. When no function leads here any more and such a wait is over, no
 *   call begins: the sum only falls, and if it is seen to be 0, though not at
 *   one moment, it is. Then who has just counted himself out is still on his
 *   last three instructions: one more such wait, and the stub is free.
 *
 * Of a gate and its stub in between nobody has charge: they are on a list,
 * which is looked at whenever something is detached, and each second while there
 * is any. Each holds this module, so it can't be unloaded while calls are
 * open. Of those whose calls never end there may be so many; then returns are
 * kretprobes again. Functions that are known never to return the loader doesn't
 * let be wrapped.
 *
 * In an NMI calls are counted as open like others, in single instructions; but
 * no event takes place there.
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
	__module_get(THIS_MODULE); /* somebody holds it who has called us */
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

/* Those of which no call is open; if there are others, they will be looked at again. */
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
