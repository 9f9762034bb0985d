// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events in C: those that stubs (stub.c) can't handle, and those that don't come through stubs.
 *
 * A system call's function gets the task's registers in memory, and the arguments are there. A hook of a system call
 * reads nothing else. It compares the address that the function gets with the address of the running task's
 * registers. So whatever function it was put on, it either finds them or reports no event.
 *
 * Nothing here may itself be traced before the guard is set. Functions that are called after that may be; their
 * events are dropped and counted. There is one guard for each processor, shared by all sessions. An interrupt that
 * comes while a probe runs finds the guard set, so the processor's event and state have one user at a time. In an NMI
 * no probe of a function or a tracepoint runs, only one of a sample (sample.c).
 */
#include <linux/ftrace.h>
#include <linux/hardirq.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <asm/compat.h>
#include <asm/local.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include "hook.h"

enum {
	ARGS = WARD_K_MAX_ARGUMENTS,
	OFTEN_READ = (BIT(ARGS) - 1) | BIT(WARD_SITE), /* words of an event; others are asked for one by one */
};

DEFINE_PER_CPU_ALIGNED(struct ward_cpu, ward_cpu) = {.free = 1};

int ward_make_here(struct ward_session *s, size_t states_offset, size_t state_stride)
{
	u32 cpu;

	s->here = alloc_percpu_gfp(struct ward_here, GFP_KERNEL_ACCOUNT);
	if (!s->here)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
	{
		u64 *event = per_cpu(ward_cpu, cpu).event;

		event[WARD_CPU] = cpu; /* for ever */
		*per_cpu_ptr(s->here, cpu) = (struct ward_here){
			.tally = s->shared + (size_t)(1 + cpu) * WARD_K_TALLY_SIZE,
			.state = s->shared + states_offset + cpu * state_stride,
			.event = event,
		};
	}
	return 0;
}

/* The number of the last site that isn't behind ip, the address of the call. */
static __always_inline u32 number_of(const struct ward_hook *hook, const struct ward_side *side, unsigned long ip)
{
	u32 lo = 0, n = hook->n_sites;

	while (n > 1) {
		u32 half = n / 2;

		if (hook->sites[lo + half] <= ip)
			lo += half;
		n -= half;
	}
	return side->first_number + lo;
}

static __always_inline void fill_rest(
	const struct ward_hook *hook, const struct ward_side *side, u64 *event, const struct ward_place *at)
{
	if (side->fields & BIT(WARD_RET))
		event[WARD_RET] = at->ret;
	if (side->fields & BIT(WARD_TIME))
		event[WARD_TIME] = rdtsc_ordered();
	if (side->fields & BIT(WARD_ELAPSED))
		event[WARD_ELAPSED] = rdtsc() - at->time;
	if (side->fields & BIT(WARD_CALLER))
		event[WARD_CALLER] = at->caller;
	if (side->fields & BIT(WARD_TID))
		event[WARD_TID] = current->pid;
	if (side->fields & BIT(WARD_SP))
		event[WARD_SP] = at->sp;
	if (side->fields & BIT(WARD_FROM)) {
		event[WARD_FROM] = at->frame ? (unsigned long)at->frame : (unsigned long)at | 1;
		event[WARD_HOOK] = (unsigned long)hook;
	}
}

/* What the probe reads of the event. */
static __always_inline void fill_event(const struct ward_hook *hook, const struct ward_side *side, u64 *event,
	const u64 *arg, const struct ward_place *at)
{
	u32 fields = side->fields, i;

	if (fields & (BIT(ARGS) - 1))
		for (i = 0; i < ARGS; i++)
			event[i] = arg[i];
	if (fields & BIT(WARD_SITE))
		event[WARD_SITE] = number_of(hook, side, at->ip);
	if (fields & ~OFTEN_READ)
		fill_rest(hook, side, event, at);
}

/* One event, as stub.c says it. arg[i] is the function's argument i; preemption may be on. */
static __always_inline void event_run_in(const struct ward_hook *hook, const struct ward_side *side, const u64 *arg,
	const struct ward_place *at, bool may_in_nmi)
{
	struct ward_here *here;
	struct ward_cpu *cpu;

	preempt_disable_notrace();
	here = raw_cpu_ptr(hook->session->here);
	cpu = raw_cpu_ptr(&ward_cpu);
	if (unlikely(READ_ONCE(cpu->free) != 1 || (!may_in_nmi && in_nmi()))) {
		/* One of these may interrupt another. */
		local_inc((local_t *)&here->tally->dropped);
		if (in_nmi())
			local_inc((local_t *)&here->tally->nmi);
	} else {
		WRITE_ONCE(cpu->free, 0);
		barrier();
		fill_event(hook, side, here->event, arg, at);
		here->tally->events++;
		side->probe(here->event, here->state);
		barrier();
		WRITE_ONCE(cpu->free, 1);
	}
	preempt_enable_notrace();
}

static __always_inline void event_run(
	const struct ward_hook *hook, const struct ward_side *side, const u64 *arg, const struct ward_place *at)
{
	event_run_in(hook, side, arg, at, false);
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
		.frame = &frame->rbp,
	};
}

notrace void ward_enter(struct ward_hook *hook, struct ward_frame *frame)
{
	struct ward_place at = place_of(frame);

	event_run(hook, &hook->enter, frame->arg, &at);
}

notrace void ward_enter_call(struct ward_hook *hook, struct ward_frame *frame)
{
	struct ward_place at = place_of(frame);
	u64 arg[ARGS];

	if (take_call(arg, frame->arg[0]))
		event_run(hook, &hook->enter, arg, &at);
}

notrace void ward_left(struct ward_hook *hook, struct ward_wrap_frame *frame)
{
	struct ward_place at = {
		.ip = frame->ip - MCOUNT_INSN_SIZE,
		.caller = frame->caller,
		.sp = (unsigned long)&frame->caller,
		.frame = &frame->rbp,
		.ret = frame->rax,
		.time = frame->time,
	};

	event_run(hook, &hook->leave, frame->arg, &at);
}

/* Both ends of a call that isn't wrapped. */
notrace void ward_let_pass(struct ward_hook *hook)
{
	local_t *dropped;

	preempt_disable_notrace();
	dropped = (local_t *)&raw_cpu_ptr(hook->session->here)->tally->dropped;
	local_add(!!hook->enter.probe + !!hook->leave.probe, dropped);
	preempt_enable_notrace();
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

notrace void ward_traced(unsigned long ip, unsigned long caller, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	const struct pt_regs *regs = ftrace_get_regs(fregs); /* all of them, as the hook has asked for */
	struct ward_place at = {.ip = ip, .caller = caller, .sp = regs->sp, .bp = regs->bp};
	struct ward_hook *hook = container_of(ops, struct ward_hook, ops);
	u64 arg[ARGS];

	take_arguments(arg, regs);
	if (!hook->call || take_call(arg, arg[0]))
		event_run(hook, &hook->enter, arg, &at);
}

notrace int ward_began(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct ward_call *call = (struct ward_call *)instance->data;

	take_arguments(call->arg, regs);
	call->sp = regs->sp;
	call->time = rdtsc();
	return 0;
}
NOKPROBE_SYMBOL(ward_began);

notrace int ward_began_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct ward_call *call = (struct ward_call *)instance->data;

	ward_began(instance, regs);
	return !take_call(call->arg, regs->di);
}
NOKPROBE_SYMBOL(ward_began_call);

notrace int ward_returned(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct ward_call *call = (const struct ward_call *)instance->data;
	struct kretprobe *kret = get_kretprobe(instance);
	struct ward_hook *hook = container_of(kret, struct ward_hook, kret);
	struct ward_place at = {
		.caller = get_kretprobe_retaddr(instance),
		.sp = call->sp,
		.bp = regs->bp,
		.ret = regs->ax,
		.time = call->time,
	};

	if (kret) {
		at.ip = hook->sites[0];
		event_run(hook, &hook->leave, call->arg, &at);
	}
	return 0;
}
NOKPROBE_SYMBOL(ward_returned);

notrace void ward_yield(void)
{
	preempt_disable_notrace();
	preempt_enable_notrace();
}

notrace void ward_passed(struct ward_hook *hook, u64 a0, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5)
{
	u64 arg[ARGS] = {a0, a1, a2, a3, a4, a5};
	struct ward_place at = {
		.caller = (unsigned long)__builtin_return_address(0),
		.sp = (unsigned long)__builtin_frame_address(0) + 8,
		.frame = __builtin_frame_address(0),
	};
	u32 i;

	for (i = hook->n_arguments; i < ARGS; i++)
		arg[i] = 0;
	event_run(hook, &hook->enter, arg, &at);
}

notrace void ward_sampled(struct ward_hook *hook, struct pt_regs *regs, u64 address)
{
	struct ward_place at = {.ip = regs->ip, .caller = instruction_pointer(regs), .sp = regs->sp, .bp = regs->bp};
	u64 arg[ARGS] = {user_mode(regs), address};

	event_run_in(hook, &hook->enter, arg, &at, true);
}
