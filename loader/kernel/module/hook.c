// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks: how a function's first instruction comes to run a probe.
 *
 *   function:  call stub            written by the kernel's function tracer
 *   stub:      ...                  in the arena, one for each hook: guards,
 *                                   fills the event (stub.c)
 *              call probe           verified code, in the arena
 *              ...
 *              return               back into the function
 *
 * What a stub can't do, or an event that can't have a probe now, it leaves to
 * C: it calls ward_enter, which does all of it and shows what is meant.
 *
 * Where another tracer has a function's direct call, the hook is one of the
 * tracer's ordinary callbacks instead, which does what ward_enter does. A return's
 * hook is one of the kernel's return probes (kretprobe), which puts an address
 * of its own in the caller's place while the function runs: so no frame of ours
 * is on a stack that may sleep, and a probe can go while calls are open. It has
 * room for so many calls that are open at once; others it misses, and counts.
 *
 * A system call's function gets the registers that the task had in memory, and
 * its arguments are there. A hook that is asked for them reads nothing else: it
 * compares the address that the function gets with the one that the running
 * task's registers have, so whatever function it was put on, it finds them or
 * has no event.
 *
 * A tracepoint calls a stub, too, with what the kernel tells at that place as
 * arguments, and with preemption off or a sleepable RCU's lock held,
 * until the end of which tracepoint_synchronize_unregister waits. A tracepoint
 * that is passed while a hook runs, whoever does so, meets the guard.
 *
 * Nothing here may be traced itself, before the guard is set; what is called
 * behind it may be, and its events are dropped and counted. The guard is one
 * for each processor and all sessions: an interrupt that comes while a probe
 * runs finds it set, so the processor's event and state have one user at a
 * time. In an NMI no probe runs at all.
 *
 * A task may be preempted anywhere in a stub, but neither stubs nor probes ever
 * sleep: once a hook is off and every task has passed a voluntary sleep
 * (synchronize_rcu_tasks), or, if it is an idle one, every processor has
 * scheduled (synchronize_rcu_tasks_rude), nobody is in there.
 */
#include <linux/ftrace.h>
#include <linux/hardirq.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <asm/compat.h>
#include <asm/local.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include "stub.h"
#include "ward.h"

enum { ARGS = WARD_K_MAX_ARGUMENTS };

enum { OPEN_CALLS = 256 };	/* of a function whose return is hooked */

typedef void (*ward_probe_fn)(const u64 *event, void *state);

struct ward_hook {
	struct list_head list;
	struct ward_session *session;
	ward_probe_fn probe;
	u32 fields, clobbers;
	u32 first_number;
	u32 n_arguments;	/* of a point */
	u32 method;		/* enum ward_k_method */
	bool call;		/* of a system call: the arguments are the call's */
	struct ward_stub stub;
	struct ftrace_ops ops;
	u32 n_sites;
	unsigned long *sites;	/* ascending */
	struct kretprobe kret;
	struct tracepoint *point;
	struct module *owner;	/* of the point, held; NULL if it is the kernel's */
};

/* A call that is open, from its entry on. */
struct ward_call {
	u64 arg[ARGS];
	u64 sp;
	u64 time;
};

/* Where an event comes from. */
struct ward_place {
	unsigned long ip;	/* in the function */
	unsigned long caller;
	unsigned long sp;
	u64 ret, time;		/* of a return: its value, and when the call began */
};

struct ward_cpu {
	u64 event[WARD_K_EVENT_WORDS];
	s8 free;		/* the guard: 1 while no probe runs here */
};

static DEFINE_PER_CPU_ALIGNED(struct ward_cpu, ward_cpu) = {.free = 1};

int ward_make_here(struct ward_session *s, size_t states_offset, size_t state_stride)
{
	u32 cpu;

	s->here = alloc_percpu_gfp(struct ward_here, GFP_KERNEL_ACCOUNT);
	if (!s->here)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		u64 *event = per_cpu(ward_cpu, cpu).event;

		event[WARD_CPU] = cpu;		/* for ever */
		*per_cpu_ptr(s->here, cpu) = (struct ward_here){
			.tally = s->shared + (size_t)(1 + cpu) * WARD_K_TALLY_SIZE,
			.state = s->shared + states_offset + cpu * state_stride,
			.event = event,
		};
	}
	return 0;
}

/* The number of the last site that isn't behind ip, where the call stands. */
static __always_inline u32 number_of(const struct ward_hook *hook, unsigned long ip)
{
	u32 lo = 0, n = hook->n_sites;

	while (n > 1) {
		u32 half = n / 2;

		if (hook->sites[lo + half] <= ip)
			lo += half;
		n -= half;
	}
	return hook->first_number + lo;
}

/* What else the probe reads of the event. */
static __always_inline void fill_event(const struct ward_hook *hook, u64 *event, const struct ward_place *at)
{
	if (hook->fields & BIT(WARD_RET))
		event[WARD_RET] = at->ret;
	if (hook->fields & BIT(WARD_TIME))
		event[WARD_TIME] = rdtsc();
	if (hook->fields & BIT(WARD_ELAPSED))
		event[WARD_ELAPSED] = rdtsc() - at->time;
	if (hook->fields & BIT(WARD_CALLER))
		event[WARD_CALLER] = at->caller;
	if (hook->fields & BIT(WARD_TID))
		event[WARD_TID] = current->pid;
	if (hook->fields & BIT(WARD_SITE))
		event[WARD_SITE] = number_of(hook, at->ip);
	if (hook->fields & BIT(WARD_SP))
		event[WARD_SP] = at->sp;
}

/* One event, as stub.c says it. arg[i] is the function's argument i; preemption may be on. */
static __always_inline void run(const struct ward_hook *hook, const u64 *arg,
				const struct ward_place *at)
{
	struct ward_here *here;
	struct ward_cpu *cpu;
	u32 i;

	preempt_disable_notrace();
	here = raw_cpu_ptr(hook->session->here);
	cpu = raw_cpu_ptr(&ward_cpu);
	if (unlikely(READ_ONCE(cpu->free) != 1 || in_nmi())) {
		/* One of these may interrupt another. */
		local_inc((local_t *)&here->tally->dropped);
		if (in_nmi())
			local_inc((local_t *)&here->tally->nmi);
	} else {
		WRITE_ONCE(cpu->free, 0);
		barrier();
		for (i = 0; i < ARGS; i++)
			here->event[i] = arg[i];
		fill_event(hook, here->event, at);
		here->tally->events++;
		hook->probe(here->event, here->state);
		barrier();
		WRITE_ONCE(cpu->free, 1);
	}
	preempt_enable_notrace();
}

/*
 * The arguments of the system call for which a function is called whose first
 * argument this is. False if it isn't called for one, or for one of 32 bits,
 * of which those without arguments have the functions of the others.
 */
static __always_inline bool take_call(u64 *arg, u64 first)
{
	const struct pt_regs *regs = task_pt_regs(current);

	if (first != (unsigned long)regs || in_32bit_syscall())
		return false;
	arg[0] = regs->di;
	arg[1] = regs->si;
	arg[2] = regs->dx;
	arg[3] = regs->r10;
	arg[4] = regs->r8;
	arg[5] = regs->r9;
	return true;
}

static __always_inline struct ward_place place_of(struct ward_frame *frame)
{
	return (struct ward_place){
		.ip = frame->ip - MCOUNT_INSN_SIZE,
		.caller = frame->caller,
		.sp = (unsigned long)&frame->caller,
	};
}

/* Called by stubs, for what they can't do. */
static notrace void ward_enter(struct ward_hook *hook, struct ward_frame *frame)
{
	struct ward_place at = place_of(frame);

	run(hook, frame->arg, &at);
}

/* Called by those of system calls. */
static notrace void ward_enter_call(struct ward_hook *hook, struct ward_frame *frame)
{
	struct ward_place at = place_of(frame);
	u64 arg[ARGS];

	if (take_call(arg, frame->arg[0]))
		run(hook, arg, &at);
}

static __always_inline void take_arguments(u64 *arg, const struct pt_regs *regs)
{
	arg[0] = regs->di;
	arg[1] = regs->si;
	arg[2] = regs->dx;
	arg[3] = regs->cx;
	arg[4] = regs->r8;
	arg[5] = regs->r9;
}

/* Called by the function tracer, with ip where the function's call stands. */
static notrace void ward_traced(unsigned long ip, unsigned long caller, struct ftrace_ops *ops,
				struct ftrace_regs *fregs)
{
	struct ward_place at = {.ip = ip, .caller = caller, .sp = fregs->regs.sp};
	struct ward_hook *hook = container_of(ops, struct ward_hook, ops);
	u64 arg[ARGS];

	take_arguments(arg, &fregs->regs);
	if (!hook->call || take_call(arg, arg[0]))
		run(hook, arg, &at);
}

/* Called by the return probe where the function begins, and where it has returned. */
static notrace int ward_began(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct ward_call *call = (struct ward_call *)instance->data;

	take_arguments(call->arg, regs);
	call->sp = regs->sp;
	call->time = rdtsc();
	return 0;
}
NOKPROBE_SYMBOL(ward_began);

/* The same of a system call's; of what is none, the return isn't hooked. */
static notrace int ward_began_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct ward_call *call = (struct ward_call *)instance->data;

	ward_began(instance, regs);
	return !take_call(call->arg, regs->di);
}
NOKPROBE_SYMBOL(ward_began_call);

static notrace int ward_returned(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct ward_call *call = (const struct ward_call *)instance->data;
	struct kretprobe *kret = get_kretprobe(instance);
	struct ward_hook *hook = container_of(kret, struct ward_hook, kret);
	struct ward_place at = {
		.caller = get_kretprobe_retaddr(instance),
		.sp = call->sp,
		.ret = regs->ax,
		.time = call->time,
	};

	if (kret) {
		at.ip = hook->sites[0];
		run(hook, call->arg, &at);
	}
	return 0;
}
NOKPROBE_SYMBOL(ward_returned);

/* Called by stubs where they found the scheduler waiting. */
static notrace void ward_yield(void)
{
	preempt_disable_notrace();
	preempt_enable_notrace();
}

/*
 * Called by a tracepoint with its own arguments, or by the stub in its place. In the places of those that it
 * hasn't, of which the last is on the stack, is whatever is left there.
 */
static notrace void ward_passed(struct ward_hook *hook, u64 a0, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5)
{
	u64 arg[ARGS] = {a0, a1, a2, a3, a4, a5};
	struct ward_place at = {
		.caller = (unsigned long)__builtin_return_address(0),
		.sp = (unsigned long)__builtin_frame_address(0) + 8,
	};
	u32 i;

	for (i = hook->n_arguments; i < ARGS; i++)
		arg[i] = 0;
	run(hook, arg, &at);
}

static int make_stub(struct ward_hook *hook, enum ward_stub_kind kind, const void *enter)
{
	const struct ward_stub_plan plan = {
		.kind = kind,
		.probe = hook->probe,
		.fields = hook->fields,
		.clobbers = hook->clobbers,
		.number = hook->first_number,
		.n_arguments = hook->n_arguments,
		.slow = hook->fields & BIT(WARD_SITE) && hook->n_sites > 1,
		.here = hook->session->here,
		.free = &ward_cpu.free,
		.hook = hook,
		.enter = enter,
		.yield = ward_yield,
	};

	return ward_stub_make(&hook->stub, &plan);
}

static void free_hook(struct ward_hook *hook)
{
	ftrace_free_filter(&hook->ops);
	ward_stub_free(&hook->stub);
	kvfree(hook->sites);
	module_put(hook->owner);
	kfree(hook);
}

static int register_direct(struct ward_hook *hook)
{
	int err = hook->call ? make_stub(hook, WARD_STUB_CALL, ward_enter_call) :
			       make_stub(hook, WARD_STUB_ENTRY, ward_enter);

	if (!err)
		err = ftrace_set_filter_ips(&hook->ops, hook->sites, hook->n_sites, 0, 1);
	if (!err)
		err = register_ftrace_direct_multi(&hook->ops, (unsigned long)hook->stub.code);
	hook->method = WARD_K_DIRECT;
	return err;
}

/* Another tracer has one of the functions for itself. */
static int register_traced(struct ward_hook *hook)
{
	int err;

	ftrace_free_filter(&hook->ops);
	memset(&hook->ops, 0, sizeof(hook->ops));
	ward_stub_free(&hook->stub);	/* nobody was ever led there */
	hook->ops.func = ward_traced;
	hook->ops.flags = FTRACE_OPS_FL_SAVE_REGS;
	hook->method = WARD_K_FTRACE;
	err = ftrace_set_filter_ips(&hook->ops, hook->sites, hook->n_sites, 0, 1);
	return err ?: register_ftrace_function(&hook->ops);
}

static int register_return(struct ward_hook *hook)
{
	hook->kret.kp.addr = (kprobe_opcode_t *)hook->sites[0];
	hook->kret.entry_handler = hook->call ? ward_began_call : ward_began;
	hook->kret.handler = ward_returned;
	hook->kret.data_size = sizeof(struct ward_call);
	hook->kret.maxactive = OPEN_CALLS;
	hook->method = WARD_K_KRETPROBE;
	return register_kretprobe(&hook->kret);
}

static struct ward_hook *new_hook(struct ward_session *s, const struct ward_k_attach *a)
{
	const struct ward_k_entry *entry = &s->entries[a->entry];
	struct ward_hook *hook = kzalloc(sizeof(*hook), GFP_KERNEL_ACCOUNT);

	if (!hook)
		return NULL;
	hook->session = s;
	hook->probe = (ward_probe_fn)(s->code + entry->offset);
	hook->fields = entry->event_fields;
	hook->clobbers = entry->clobbers;
	hook->first_number = a->first_number;
	hook->n_arguments = a->n_arguments;
	hook->call = ward_is_call(a->where);
	return hook;
}

/* It is hooked, or it failed. */
static int keep_hook(struct ward_session *s, struct ward_k_attach *a, struct ward_hook *hook, int err)
{
	if (err) {
		free_hook(hook);
		return err;
	}
	list_add(&hook->list, &s->hooks);
	a->method = hook->method;
	s->n_returns += hook->method == WARD_K_KRETPROBE;
	s->n_points += hook->method == WARD_K_TRACEPOINT;
	return 0;
}

int ward_hook(struct ward_session *s, struct ward_k_attach *a, unsigned long *sites)
{
	struct ward_hook *hook = new_hook(s, a);
	int err;

	if (!hook) {
		kvfree(sites);
		return -ENOMEM;
	}
	hook->sites = sites;
	hook->n_sites = a->n_sites;
	if (ward_is_return(a->where)) {
		err = register_return(hook);
	} else {
		err = register_direct(hook);
		if (err == -EBUSY)
			err = register_traced(hook);
	}
	return keep_hook(s, a, hook, err);
}

/* What the tracepoint calls. */
static void *passed_by(const struct ward_hook *hook)
{
	return hook->stub.code ?: (void *)ward_passed;
}

int ward_hook_point(struct ward_session *s, struct ward_k_attach *a, const char *name)
{
	struct ward_hook *hook = new_hook(s, a);
	int err;

	if (!hook)
		return -ENOMEM;
	hook->method = WARD_K_TRACEPOINT;
	err = ward_find_point(name, &hook->point, &hook->owner);
	if (!err)
		err = make_stub(hook, WARD_STUB_POINT, ward_passed);
	if (err == -ENOSPC)
		err = 0;	/* it does without */
	if (!err)
		err = tracepoint_probe_register(hook->point, passed_by(hook), hook);
	return keep_hook(s, a, hook, err);
}

/* Those of returns are off already. */
static int take_off(struct ward_hook *hook)
{
	if (hook->method == WARD_K_DIRECT)
		return unregister_ftrace_direct_multi(&hook->ops, (unsigned long)hook->stub.code);
	if (hook->method == WARD_K_FTRACE)
		return unregister_ftrace_function(&hook->ops);
	if (hook->method == WARD_K_TRACEPOINT)
		return tracepoint_probe_unregister(hook->point, passed_by(hook), hook);
	return 0;
}

/* Several at once, as each time the kernel waits until nobody is in a handler. */
static void take_off_returns(struct ward_session *s)
{
	struct kretprobe *few[16];
	struct ward_hook *hook;
	int n = 0;

	list_for_each_entry(hook, &s->hooks, list) {
		if (hook->method != WARD_K_KRETPROBE)
			continue;
		few[n++] = &hook->kret;
		if (n == ARRAY_SIZE(few)) {
			unregister_kretprobes(few, n);
			n = 0;
		}
	}
	if (n)
		unregister_kretprobes(few, n);
}

/* What the kernel has missed is told when nobody else counts any more. */
static void count_missed(struct ward_session *s)
{
	struct ward_hook *hook;

	list_for_each_entry(hook, &s->hooks, list) {
		if (hook->method != WARD_K_KRETPROBE)
			continue;
		per_cpu_ptr(s->here, 0)->tally->dropped += hook->kret.nmissed + hook->kret.kp.nmissed;
		hook->method = 0;	/* it is off, whatever becomes of others */
	}
}

void ward_unhook_all(struct ward_session *s)
{
	struct ward_hook *hook, *next;

	if (list_empty(&s->hooks))
		return;
	take_off_returns(s);
	list_for_each_entry(hook, &s->hooks, list) {
		if (WARN_ONCE(take_off(hook), "ward: a function can't be unhooked\n"))
			s->stuck = true;
	}
	if (s->n_points)
		tracepoint_synchronize_unregister();
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
	count_missed(s);
	if (s->stuck)
		return;
	list_for_each_entry_safe(hook, next, &s->hooks, list) {
		list_del(&hook->list);
		free_hook(hook);
	}
	s->n_returns = 0;
	s->n_points = 0;
}
