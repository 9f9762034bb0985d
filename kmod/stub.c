// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a stub does for nearly all events:
 *
 *	push rbp; mov rbp, rsp		unwinders find their way through
 *	in an NMI? slow
 *	inc preempt_count		we stay on this processor
 *	dec guard; taken? busy		it is 1 while nobody runs a probe here
 *	push ...			what of the caller's the probe may change, and what we do
 *	mov r11, here			where this processor's tally, state and event are
 *	inc tally->events
 *	mov event->..., ...		the words that the probe reads, no others
 *	mov rdi, event; mov rsi, state
 *	call probe
 *	pop ...
 *	inc guard
 *	dec preempt_count; 0? again	the scheduler wants the processor
 *	pop rbp; ret			or jmp next: another hook's stub for the same function (direct_call.c)
 *
 * All other cases are handled by C functions, which check everything from the start:
 *
 * busy: inc guard; dec preempt_count slow: push all; call enter; pop all; pop rbp; ret again: push all; call yield;
 * pop all; pop rbp; ret
 *
 * One instruction both takes and tests the guard. An interrupt that comes in between finds it taken, and restores it
 * before it returns. On the busy path, `enter` checks again whatever the stub undid, including the scheduler's
 * request.
 *
 * A function's first instruction calls the stub where the kernel expects its own tracer. So the stub must preserve
 * the arguments and rax. It may change all other registers that a function may change, including r10 and r11. A
 * tracepoint calls the stub like any function, so there it needn't preserve the arguments and rax.
 *
 * A system call's stub first tests the same as take_call (event.c): that the function got the task's registers, and
 * that it is a call of 64 bits.
 *
 * A stub that wraps calls (wrap.c) is also called by the function's first instruction:
 *
 *	push rbp; mov rbp, rsp
 *	little left of the stack? low
 *	inc gate->open
 *	...				the entry's event, if it has a probe
 *	sub rsp; mov [rbp - ...], ...	what the return's probe reads of the entry
 *	call				the rest of the function
 *	gate->off? out			the probes are gone
 *	...				the return's event: rax and rdx are to be kept, no more
 * out: dec gate->open
 *	leave; add rsp, 8; ret		to the function's caller
 *
 * low: push all; call pass; pop all; pop rbp; ret
 *
 * The gate is what `here` is to other stubs, followed by more data. If the hook has one function, the stub calls that
 * function directly. If it has several, the stub calls by the address that the first instruction has left on the
 * stack.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/current.h>
#include <asm/ptrace.h>
#include <asm/thread_info.h>
#include <asm/unistd.h>

#include "arena.h"
#include "compat.h"
#include "emit.h"
#include "stub.h"

/* In whose order arguments are. */
static const u8 argument_register[WARD_K_MAX_ARGUMENTS] = {RDI, RSI, RDX, RCX, R8, R9};

/* Where a system call's are, in the registers that its task had. */
static const u16 call_argument_at[WARD_K_MAX_ARGUMENTS] = {
	offsetof(struct pt_regs, di),
	offsetof(struct pt_regs, si),
	offsetof(struct pt_regs, dx),
	offsetof(struct pt_regs, r10),
	offsetof(struct pt_regs, r8),
	offsetof(struct pt_regs, r9),
};

/* All that an entry's stub has to keep. */
static const u8 kept[] = {RAX, R9, R8, RCX, RDX, RSI, RDI};

/* And a return's. */
enum { RESULTS = BIT(RAX) | BIT(RDX) };

static void push_all(struct code *c, u32 regs)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kept); i++)
		if (regs & BIT(kept[i]))
			emit_push(c, kept[i]);
}

static void pop_all(struct code *c, u32 regs)
{
	u32 i;

	for (i = ARRAY_SIZE(kept); i-- > 0;)
		if (regs & BIT(kept[i]))
			emit_pop(c, kept[i]);
}

static void add_to_preempt_count(struct code *c, bool on)
{
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		emit_percpu(c, WARD_PREEMPT_REX, 0xff, on ? 0 : 1, &WARD_PREEMPT_COUNT);
}

/* Registers that have to be kept while a probe is called. */
static u32 to_keep(const struct ward_stub_plan *p)
{
	bool time = p->fields & (BIT(WARD_TIME) | BIT(WARD_ELAPSED));
	u32 changed = p->clobbers | BIT(RDI) | BIT(RSI) | (time ? BIT(RAX) | BIT(RDX) : 0);

	return p->kind == WARD_STUB_POINT ? 0 : p->kind == WARD_STUB_RETURN ? changed & RESULTS : changed;
}

/* ---- The event ---- */

/* Of a function or tracepoint: what there is in registers, and the tracepoint's last one. */
static void fill_arguments(struct code *c, const struct ward_stub_plan *p, u8 event)
{
	u32 first = p->kind == WARD_STUB_POINT, i; /* whose first one is the hook */

	for (i = 0; i < WARD_K_MAX_ARGUMENTS; i++) {
		if (!(p->fields & BIT(i)))
			continue;
		if (i >= p->n_arguments) {
			emit_memory(c, 0xc7, 0, event, i * 8); /* 0 */
			emit_number(c, 0);
		} else if (i + first < WARD_K_MAX_ARGUMENTS) {
			emit_store(c, argument_register[i + first], event, i * 8);
		} else {
			emit_load(c, RAX, RBP, 16);
			emit_store(c, RAX, event, i * 8);
		}
	}
}

/* Of a system call: they are where rdi points to. */
static void fill_call(struct code *c, const struct ward_stub_plan *p, u8 event)
{
	u32 i;

	for (i = 0; i < WARD_K_MAX_ARGUMENTS; i++) {
		if (!(p->fields & BIT(i)))
			continue;
		emit_load(c, R11, RDI, call_argument_at[i]);
		emit_store(c, R11, event, i * 8);
	}
}

/* Where a wrapping stub keeps a word, as seen from rbp. */
#define FRAME_AT(member) (offsetof(struct ward_wrap_frame, member) - offsetof(struct ward_wrap_frame, rbp))

/* Of a return: what its entry has kept. */
static void fill_from_entry(struct code *c, const struct ward_stub_plan *p, u8 event)
{
	u32 i;

	for (i = 0; i < WARD_K_MAX_ARGUMENTS; i++) {
		if (!(p->fields & BIT(i)))
			continue;
		emit_load(c, R11, RBP, (long)FRAME_AT(arg) + i * 8);
		emit_store(c, R11, event, i * 8);
	}
}

/*
 * The counter isn't read before the loads in front of it: where a processor has seen what another one did, its time is
 * later than the other one's.
 */
static void emit_fence(struct code *c)
{
	EMIT(c, 0x0f, 0xae, 0xe8); /* lfence */
}

/* To rax; rdx is changed. */
static void emit_clock(struct code *c)
{
	EMIT(c, 0x0f, 0x31);             /* rdtsc */
	EMIT(c, 0x48, 0xc1, 0xe2, 0x20); /* shl rdx, 32 */
	EMIT(c, 0x48, 0x09, 0xd0);       /* or rax, rdx */
}

/* What the function has returned, as long as it is in rax, then the clock. */
static void fill_time(struct code *c, const struct ward_stub_plan *p, u8 event)
{
	if (p->fields & BIT(WARD_RET))
		emit_store(c, RAX, event, WARD_RET * 8);
	if (!(p->fields & (BIT(WARD_TIME) | BIT(WARD_ELAPSED))))
		return;
	if (p->fields & BIT(WARD_TIME))
		emit_fence(c);
	emit_clock(c);
	if (p->fields & BIT(WARD_TIME))
		emit_store(c, RAX, event, WARD_TIME * 8);
	if (p->fields & BIT(WARD_ELAPSED)) {
		emit_memory(c, 0x2b, RAX, RBP, (long)FRAME_AT(time)); /* sub */
		emit_store(c, RAX, event, WARD_ELAPSED * 8);
	}
}

/* The others but those that are there already. r11 is free. */
static void fill_others(struct code *c, const struct ward_stub_plan *p, u8 event)
{
	u8 above = p->kind == WARD_STUB_POINT ? 8 : 16; /* rbp and, of functions, our own return address */

	if (p->fields & BIT(WARD_CALLER)) {
		emit_load(c, R11, RBP, above);
		emit_store(c, R11, event, WARD_CALLER * 8);
	}
	if (p->fields & BIT(WARD_TID)) {
		emit_percpu(c, 0x4c, 0x8b, R11, &WARD_THIS_TASK);
		emit_memory(c, 0x63, R11, R11, offsetof(struct task_struct, pid)); /* movsxd */
		emit_store(c, R11, event, WARD_TID * 8);
	}
	if (p->fields & BIT(WARD_SITE)) {
		EMIT(c, 0x41, 0xbb); /* mov r11d, number */
		emit(c, &p->number, sizeof(p->number));
		emit_store(c, R11, event, WARD_SITE * 8);
	}
	if (p->fields & BIT(WARD_SP)) {
		emit_memory(c, 0x8d, R11, RBP, above); /* lea */
		emit_store(c, R11, event, WARD_SP * 8);
	}
	if (p->fields & BIT(WARD_FROM)) {
		emit_store(c, RBP, event, WARD_FROM * 8);
		EMIT(c, 0x49, 0xbb); /* mov r11, hook */
		emit(c, &p->hook, sizeof(p->hook));
		emit_store(c, R11, event, WARD_HOOK * 8);
	}
}

/* mov reg, gs:[r11 + at] */
static void load_here(struct code *c, u8 reg, u8 at)
{
	EMIT(c, 0x65, 0x49 | (reg & 8) >> 1, 0x8b, 0x43 | (reg & 7) << 3, at);
}

/* mov r11, here */
static void emit_here(struct code *c, const void __percpu *here)
{
	EMIT(c, 0x49, 0xbb);
	emit(c, &here, sizeof(here));
}

/* What of rdi is still needed when the event's address is known. */
static u32 by_rdi(const struct ward_stub_plan *p)
{
	switch (p->kind) {
	case WARD_STUB_ENTRY: return BIT(0);
	case WARD_STUB_CALL: return BIT(WARD_K_MAX_ARGUMENTS) - 1;
	default: return 0;
	}
}

/* Count the event, fill it, and put it and the state where the probe finds them. r11 is `here`. */
static void emit_fill(struct code *c, const struct ward_stub_plan *p)
{
	u8 event = p->fields & by_rdi(p) ? R10 : RDI;

	load_here(c, R10, offsetof(struct ward_here, tally));
	emit_memory(c, 0xff, 0, R10, offsetof(struct ward_k_tally, events)); /* inc */
	load_here(c, event, offsetof(struct ward_here, event));
	if (p->kind == WARD_STUB_ENTRY || p->kind == WARD_STUB_POINT)
		fill_arguments(c, p, event);
	fill_time(c, p, event);
	load_here(c, RSI, offsetof(struct ward_here, state));
	if (p->kind == WARD_STUB_CALL)
		fill_call(c, p, event);
	if (p->kind == WARD_STUB_RETURN)
		fill_from_entry(c, p, event);
	fill_others(c, p, event);
	if (event != RDI)
		EMIT(c, 0x4c, 0x89, 0xd7); /* mov rdi, r10 */
}

/* ---- The whole ---- */

struct ways {
	u32 nmi, busy, again, other[3];
}; /* jumps */

/* Is this a system call of 64 bits? If not, there is nothing to do. */
static void emit_is_call(struct code *c, struct ways *w)
{
	emit_percpu(c, 0x4c, 0x8b, R10, &WARD_THIS_TASK);
	emit_load(c, R11, R10, offsetof(struct task_struct, stack));
	EMIT(c, 0x49, 0x81, 0xc3); /* add r11, ... */
	emit_number(c, THREAD_SIZE - TOP_OF_KERNEL_STACK_PADDING - sizeof(struct pt_regs));
	EMIT(c, 0x49, 0x39, 0xfb); /* cmp r11, rdi */
	w->other[0] = emit_jump_if(c, JNZ);
	EMIT(c, 0x41, 0xf7, 0x82); /* test dword [r10 + ...], ... */
	emit_number(c, offsetof(struct task_struct, thread_info.status));
	emit_number(c, TS_COMPAT);
	w->other[1] = emit_jump_if(c, JNZ);
	if (!IS_ENABLED(CONFIG_X86_X32_ABI))
		return;
	EMIT(c, 0xf7, 0x87); /* test dword [rdi + ...], ... */
	emit_number(c, offsetof(struct pt_regs, orig_ax));
	emit_number(c, __X32_SYSCALL_BIT);
	w->other[2] = emit_jump_if(c, JNZ);
}

/* Preemption is off and the guard is ours behind it, or we are elsewhere. */
static void emit_guard(struct code *c, const struct ward_stub_plan *p, struct ways *w)
{
	BUILD_BUG_ON((u64)WARD_NMI_BITS << WARD_NMI_BYTE * 8 != NMI_MASK);
	emit_percpu(c, 0, 0xf6, 0, (const u8 __percpu *)&WARD_PREEMPT_COUNT + WARD_NMI_BYTE); /* test byte, ... */
	EMIT(c, WARD_NMI_BITS);
	w->nmi = emit_jump_if(c, JNZ);
	add_to_preempt_count(c, true);
	emit_percpu(c, 0, 0xfe, 1, p->free); /* dec byte */
	w->busy = emit_jump_if(c, JS);
}

static void emit_release(struct code *c, const struct ward_stub_plan *p, struct ways *w)
{
	emit_percpu(c, 0, 0xfe, 0, p->free); /* inc byte */
	add_to_preempt_count(c, false);
	if (IS_ENABLED(CONFIG_PREEMPTION))
		w->again = emit_jump_if(c, JZ);
}

/* Run the probe, as nearly always; r11 is `here`. */
static void emit_event(struct code *c, const struct ward_stub_plan *p, struct ways *w)
{
	u32 regs = to_keep(p);

	emit_guard(c, p, w);
	push_all(c, regs);
	emit_fill(c, p);
	emit_branch(c, 0xe8, p->probe);
	pop_all(c, regs);
	emit_release(c, p, w);
}

/* Here come those who couldn't. */
static void emit_give_up(struct code *c, const struct ward_stub_plan *p, const struct ways *w)
{
	land(c, w->busy);
	emit_percpu(c, 0, 0xfe, 0, p->free); /* inc byte */
	add_to_preempt_count(c, false);
	land(c, w->nmi);
}

static void emit_end(struct code *c)
{
	emit_pop(c, RBP);
	emit_return(c);
}

/* All is as at the function's call: the next one finds it unchanged. */
static void emit_next(struct code *c, const struct ward_stub_plan *p)
{
	if (p->next)
		emit_branch(c, 0xe9, p->next);
	else
		emit_return(c);
}

static void emit_last(struct code *c, const struct ward_stub_plan *p)
{
	emit_pop(c, RBP);
	emit_next(c, p);
}

/* Call a C function, with everything that must be preserved on the stack. */
static void emit_c(struct code *c, const void *function, const void *hook, u32 regs)
{
	push_all(c, regs);
	if (hook) {
		EMIT(c, 0x48, 0xbf); /* mov rdi, hook */
		emit(c, &hook, sizeof(hook));
		EMIT(c, 0x48, 0x89, 0xe6); /* mov rsi, rsp */
	}
	emit_branch(c, 0xe8, function);
	pop_all(c, regs);
}

/* The C functions of a tracepoint are jumped to, so that they return to the tracepoint itself. */
static void emit_jump_to_c(struct code *c, const void *function)
{
	emit_pop(c, RBP);
	emit_branch(c, 0xe9, function);
}

static void emit_last_c(struct code *c, const struct ward_stub_plan *p, const void *function, const void *hook)
{
	if (p->kind == WARD_STUB_POINT) {
		emit_jump_to_c(c, function);
	} else {
		emit_c(c, function, hook, ~0u);
		emit_last(c, p);
	}
}

static void land_others(struct code *c, const struct ways *w)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(w->other) && w->other[i]; i++)
		land(c, w->other[i]);
}

static void emit_fast(struct code *c, const struct ward_stub_plan *p)
{
	struct ways w = {};

	if (p->kind == WARD_STUB_CALL)
		emit_is_call(c, &w);
	emit_here(c, p->here);
	emit_event(c, p, &w);
	land_others(c, &w);
	emit_last(c, p);
	if (w.again) {
		land(c, w.again);
		emit_last_c(c, p, p->yield, NULL);
	}
	emit_give_up(c, p, &w);
}

/* It is for some of the functions that call us. */
static void emit_only(struct code *c, const struct ward_stub_plan *p)
{
	u32 is[WARD_STUB_ONLY], i;

	for (i = 0; i < p->n_only; i++) {
		EMIT(c, 0x48, 0x81, 0x3c, 0x24); /* cmp qword [rsp], ... */
		emit_number(c, (long)p->only[i]);
		is[i] = emit_jump_if(c, JZ);
	}
	emit_next(c, p);
	for (i = 0; i < p->n_only; i++)
		land(c, is[i]);
}

static void emit_stub(struct code *c, const struct ward_stub_plan *p)
{
	if (p->n_only)
		emit_only(c, p);
	if (IS_ENABLED(CONFIG_X86_KERNEL_IBT) && p->kind == WARD_STUB_POINT)
		EMIT(c, 0xf3, 0x0f, 0x1e, 0xfa); /* endbr64: tracepoints call through a pointer */
	EMIT(c, 0x55, 0x48, 0x89, 0xe5);         /* push rbp; mov rbp, rsp */
	if (!p->slow)
		emit_fast(c, p);
	emit_last_c(c, p, p->enter, p->hook);
}

/* ---- Wrapped calls ---- */

/* opcode /digit, qword gs:[r11 + at] */
static void emit_gate(struct code *c, u8 opcode, u8 digit, u8 at)
{
	EMIT(c, 0x65, 0x49, opcode, 0x43 | digit << 3, at);
}

/* The room of a task's stack that is left to others. */
enum { RESERVE = 4096 };

/*
 * Is there less left of the stack than that? Those of tasks begin at multiples
 * of their size; others don't, and have to be told from them (emit_low).
 */
static u32 emit_is_low(struct code *c)
{
	EMIT(c, 0xf7, 0xc4); /* test esp, ... */
	emit_number(c, (THREAD_SIZE - 1) & -RESERVE);
	return emit_jump_if(c, JZ);
}

/* Perhaps there is. A call that is made then is let pass, and counted; others go on. */
static void emit_low(struct code *c, const struct ward_wrap_plan *p, u32 on)
{
	emit_percpu(c, 0x4c, 0x8b, R10, &WARD_THIS_TASK);
	EMIT(c, 0x49, 0x89, 0xe3);                                           /* mov r11, rsp */
	emit_memory(c, 0x2b, R11, R10, offsetof(struct task_struct, stack)); /* sub */
	EMIT(c, 0x49, 0x81, 0xfb);                                           /* cmp r11, ... */
	emit_number(c, RESERVE);
	EMIT(c, 0x0f); /* jae */
	emit_branch(c, 0x83, c->at + on);
	emit_c(c, p->pass, p->hook, ~0u);
	emit_end(c);
}

/* What the return's probe reads of the entry goes to the frame. */
static void keep_arguments(struct code *c, const struct ward_wrap_plan *p)
{
	u32 i;

	EMIT(c, 0x48, 0x83, 0xec); /* sub rsp, ... */
	EMIT(c, -FRAME_AT(time));
	for (i = 0; i < WARD_K_MAX_ARGUMENTS; i++) {
		u8 reg = p->call ? R11 : argument_register[i];

		if (!(p->leave.fields & BIT(i)))
			continue;
		if (p->call)
			emit_load(c, R11, RDI, call_argument_at[i]);
		emit_store(c, reg, RBP, (long)FRAME_AT(arg) + i * 8);
	}
}

/* When it began. */
static void keep_time(struct code *c)
{
	EMIT(c, 0x49, 0x89, 0xc2, 0x49, 0x89, 0xd3); /* mov r10, rax; mov r11, rdx */
	emit_clock(c);
	emit_store(c, RAX, RBP, (long)FRAME_AT(time));
	EMIT(c, 0x4c, 0x89, 0xd0, 0x4c, 0x89, 0xda); /* and back */
}

static void emit_rest(struct code *c, const struct ward_wrap_plan *p)
{
	keep_arguments(c, p);
	if (p->leave.fields & BIT(WARD_ELAPSED))
		keep_time(c);
	if (p->rest)
		emit_branch(c, 0xe8, p->rest);
	else
		emit_call_at(c, RBP, 8);
}

/* Returns where the exit path begins. */
static u32 emit_out(struct code *c, const struct ward_wrap_plan *p)
{
	u32 out = c->n;

	emit_here(c, p->gate);
	emit_gate(c, 0xff, 1, offsetof(struct ward_gate, open)); /* dec */
	EMIT(c, 0xc9, 0x48, 0x83, 0xc4, 0x08);                   /* leave; add rsp, 8 */
	emit_return(c);
	return out;
}

/* Events that the straight path can't handle go through C, and continue there. */
static void emit_asides(struct code *c, const struct ward_stub_plan *p, const struct ways *w, u32 on)
{
	u32 regs = p->kind == WARD_STUB_RETURN ? RESULTS : ~0u;

	if (w->again) {
		land(c, w->again);
		emit_c(c, p->yield, NULL, regs);
		emit_branch(c, 0xe9, c->at + on);
	}
	if (p->slow)
		land(c, w->nmi);
	else
		emit_give_up(c, p, w);
	emit_c(c, p->enter, p->hook, regs);
	emit_branch(c, 0xe9, c->at + on);
}

/* The event, or a jump to where C sees to it. */
static void emit_side(struct code *c, const struct ward_stub_plan *p, struct ways *w)
{
	if (!p->slow) {
		emit_event(c, p, w);
		return;
	}
	EMIT(c, 0xe9, 0, 0, 0, 0);
	w->nmi = c->n;
}

static void emit_wrap(struct code *c, const struct ward_wrap_plan *p)
{
	struct ways enter = {}, leave = {}, none = {};
	u32 low, begin, rest, off, out;

	EMIT(c, 0x55, 0x48, 0x89, 0xe5); /* push rbp; mov rbp, rsp */
	if (p->call)
		emit_is_call(c, &none);
	low = emit_is_low(c);
	begin = c->n;
	emit_here(c, p->gate);
	emit_gate(c, 0xff, 0, offsetof(struct ward_gate, open)); /* inc */
	if (p->enter.probe)
		emit_side(c, &p->enter, &enter);
	rest = c->n;
	emit_rest(c, p);
	emit_here(c, p->gate);
	emit_gate(c, 0x83, 7, offsetof(struct ward_gate, off)); /* cmp ..., 0 */
	EMIT(c, 0);
	off = emit_jump_if(c, JNZ);
	emit_side(c, &p->leave, &leave);
	land(c, off);
	out = emit_out(c, p);
	if (p->enter.probe)
		emit_asides(c, &p->enter, &enter, rest);
	emit_asides(c, &p->leave, &leave, out);
	land(c, low);
	emit_low(c, p, begin);
	land_others(c, &none);
	emit_end(c);
}

/* ---- Making them ---- */

/* What to emit: one or the other. */
struct plans {
	const struct ward_stub_plan *plain;
	const struct ward_wrap_plan *wrap;
};

static void emit_plan(struct code *c, const struct plans *p)
{
	if (p->plain)
		emit_stub(c, p->plain);
	else
		emit_wrap(c, p->wrap);
}

/* Room for one, where it is none yet. */
static int stub_take(struct ward_stub *stub, const struct plans *p)
{
	struct code c = {.at = ward_arena};

	emit_plan(&c, p);
	stub->size = round_up(c.n, WARD_ARENA_UNIT);
	stub->code = c.bad ? NULL : ward_arena_take(stub->size, WARD_ARENA_UNIT);
	return stub->code ? 0 : c.bad ? -ERANGE : -ENOSPC;
}

static int stub_make(struct ward_stub *stub, const struct plans *p)
{
	struct code c = {.at = stub->code};

	memset(c.bytes, 0xcc, sizeof(c.bytes));
	emit_plan(&c, p);
	return c.bad || c.n > stub->size ? -ERANGE : ward_arena_write(stub->code, c.bytes, stub->size);
}

int ward_stub_take(struct ward_stub *stub, const struct ward_stub_plan *plan)
{
	struct ward_stub_plan longest = *plan;

	longest.next = longest.next ?: ward_arena; /* a jump takes no less than a return */
	return stub_take(stub, &(const struct plans){.plain = plan->kind == WARD_STUB_POINT ? plan : &longest});
}

int ward_stub_make(struct ward_stub *stub, const struct ward_stub_plan *plan)
{
	int err = stub->code ? 0 : ward_stub_take(stub, plan);

	stub->next = plan->next;
	return err ?: stub_make(stub, &(const struct plans){.plain = plan});
}

int ward_stub_wrap(struct ward_stub *stub, const struct ward_wrap_plan *plan)
{
	const struct plans plans = {.wrap = plan};
	int err = stub_take(stub, &plans);

	return err ?: stub_make(stub, &plans);
}

void ward_stub_free(struct ward_stub *stub)
{
	ward_arena_give(stub->code, stub->size);
	stub->code = NULL;
}
