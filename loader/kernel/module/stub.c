// SPDX-License-Identifier: GPL-2.0
/*
 * What a stub does, where an event is as nearly all are:
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
 *	pop rbp; ret
 *
 * All else is done by C functions, which see to everything from the start:
 *
 *  busy:	inc guard; dec preempt_count
 *  slow:	push all; call enter; pop all; pop rbp; ret
 *  again:	push all; call yield; pop all; pop rbp; ret
 *
 * The guard is taken and asked by one instruction: who comes between finds it
 * taken, and whoever finds it so puts it back as it was before he goes on.
 * What busy gives up, the scheduler's wish included, `enter` looks at anew.
 *
 * A function's first instruction calls us where the kernel expects its own
 * tracer: arguments and rax are to be kept, all else that functions may change
 * is free, r10 and r11 too. A tracepoint calls us like any function: nothing of
 * that is to be kept.
 *
 * A system call's stub first asks what take_call (hook.c) asks: if the function
 * got the registers of the task, and it is a call of 64 bits.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/version.h>
#include <asm/cpufeature.h>
#include <asm/current.h>
#include <asm/nospec-branch.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/thread_info.h>

#include "arena.h"
#include "stub.h"

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define OUR_TASK pcpu_hot.current_task
#define OUR_PREEMPT_COUNT pcpu_hot.preempt_count
#else
#define OUR_TASK current_task
#define OUR_PREEMPT_COUNT __preempt_count
#endif

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

enum { JZ = 0x84, JNZ = 0x85, JS = 0x88 };	/* second bytes */

/* In whose order arguments are. */
static const u8 argument_register[WARD_K_MAX_ARGUMENTS] = {RDI, RSI, RDX, RCX, R8, R9};

/* All that an entry's stub has to keep. */
static const u8 kept[] = {RAX, R9, R8, RCX, RDX, RSI, RDI};

struct code {
	u8 bytes[512];
	u32 n;
	bool bad;		/* something couldn't be said */
	const u8 *at;		/* where it will be */
};

static void emit(struct code *c, const void *bytes, u32 n)
{
	if (c->bad || n > sizeof(c->bytes) - c->n) {
		c->bad = true;
		return;
	}
	memcpy(c->bytes + c->n, bytes, n);
	c->n += n;
}

#define EMIT(c, ...) emit(c, (const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__}))

static void emit_number(struct code *c, s64 number)
{
	s32 n = number;

	c->bad |= n != number;
	emit(c, &n, sizeof(n));
}

/* opcode reg, [base + disp], of 64 bits. Base isn't rsp. */
static void emit_memory(struct code *c, u8 opcode, u8 reg, u8 base, s64 disp)
{
	EMIT(c, 0x48 | (reg & 8) >> 1 | base >> 3, opcode, 0x80 | (reg & 7) << 3 | (base & 7));
	emit_number(c, disp);
}

static void emit_load(struct code *c, u8 reg, u8 base, s64 disp)
{
	emit_memory(c, 0x8b, reg, base, disp);
}

static void emit_store(struct code *c, u8 reg, u8 base, s64 disp)
{
	emit_memory(c, 0x89, reg, base, disp);
}

/* The same at a variable that each processor has its own of; rex 0: none. */
static void emit_percpu(struct code *c, u8 rex, u8 opcode, u8 reg, const void __percpu *variable)
{
	EMIT(c, 0x65);
	if (rex)
		EMIT(c, rex);
	EMIT(c, opcode, (reg & 7) << 3 | 4, 0x25);
	emit_number(c, (__force long)variable);
}

static void emit_push(struct code *c, u8 reg)
{
	if (reg >= R8)
		EMIT(c, 0x41);
	EMIT(c, 0x50 + (reg & 7));
}

static void emit_pop(struct code *c, u8 reg)
{
	if (reg >= R8)
		EMIT(c, 0x41);
	EMIT(c, 0x58 + (reg & 7));
}

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

/* A jump or call. */
static void emit_branch(struct code *c, u8 opcode, const void *to)
{
	EMIT(c, opcode);
	emit_number(c, (long)to - (long)(c->at + c->n + 4));
}

/* A jump to a place further on, if that holds: land() says where it is. */
static u32 emit_jump_if(struct code *c, u8 condition)
{
	EMIT(c, 0x0f, condition, 0, 0, 0, 0);
	return c->n;
}

static void land(struct code *c, u32 jump)
{
	s32 distance = c->n - jump;

	if (!c->bad)
		memcpy(c->bytes + jump - sizeof(distance), &distance, sizeof(distance));
}

/* As the kernel's own functions return on this processor. */
static void emit_return(struct code *c)
{
#ifdef CONFIG_RETHUNK
	if (boot_cpu_has(X86_FEATURE_RETHUNK)) {
		emit_branch(c, 0xe9, __x86_return_thunk);
		return;
	}
#endif
	EMIT(c, 0xc3, 0xcc);
}

static void add_to_preempt_count(struct code *c, bool on)
{
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		emit_percpu(c, 0, 0xff, on ? 0 : 1, &OUR_PREEMPT_COUNT);
}

/* Registers that the stub itself changes on its way, of those to be kept. */
static u32 own_clobbers(const struct ward_stub_plan *p)
{
	return BIT(RDI) | BIT(RSI) | (p->fields & BIT(WARD_TIME) ? BIT(RAX) | BIT(RDX) : 0);
}

/* ---- The event ---- */

/* Of a function or tracepoint: what there is in registers, and the tracepoint's last one. */
static void fill_arguments(struct code *c, const struct ward_stub_plan *p, u8 event)
{
	u32 first = p->kind == WARD_STUB_POINT, i;	/* whose first one is the hook */

	for (i = 0; i < WARD_K_MAX_ARGUMENTS; i++) {
		if (!(p->fields & BIT(i)))
			continue;
		if (i >= p->n_arguments) {
			emit_memory(c, 0xc7, 0, event, i * 8);	/* 0 */
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
	static const u16 at[WARD_K_MAX_ARGUMENTS] = {
		offsetof(struct pt_regs, di), offsetof(struct pt_regs, si), offsetof(struct pt_regs, dx),
		offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
	};
	u32 i;

	for (i = 0; i < WARD_K_MAX_ARGUMENTS; i++) {
		if (!(p->fields & BIT(i)))
			continue;
		emit_load(c, R11, RDI, at[i]);
		emit_store(c, R11, event, i * 8);
	}
}

static void fill_time(struct code *c, u8 event)
{
	EMIT(c, 0x0f, 0x31);			/* rdtsc */
	EMIT(c, 0x48, 0xc1, 0xe2, 0x20);	/* shl rdx, 32 */
	EMIT(c, 0x48, 0x09, 0xd0);		/* or rax, rdx */
	emit_store(c, RAX, event, WARD_TIME * 8);
}

/* The others but those that are there already. r11 is free. */
static void fill_others(struct code *c, const struct ward_stub_plan *p, u8 event)
{
	u8 above = p->kind == WARD_STUB_POINT ? 8 : 16;	/* rbp and, of functions, our own return address */

	if (p->fields & BIT(WARD_CALLER)) {
		emit_load(c, R11, RBP, above);
		emit_store(c, R11, event, WARD_CALLER * 8);
	}
	if (p->fields & BIT(WARD_TID)) {
		emit_percpu(c, 0x4c, 0x8b, R11, &OUR_TASK);
		emit_memory(c, 0x63, R11, R11, offsetof(struct task_struct, pid));	/* movsxd */
		emit_store(c, R11, event, WARD_TID * 8);
	}
	if (p->fields & BIT(WARD_SITE)) {
		EMIT(c, 0x41, 0xbb);		/* mov r11d, number */
		emit(c, &p->number, sizeof(p->number));
		emit_store(c, R11, event, WARD_SITE * 8);
	}
	if (p->fields & BIT(WARD_SP)) {
		emit_memory(c, 0x8d, R11, RBP, above);	/* lea */
		emit_store(c, R11, event, WARD_SP * 8);
	}
}

/* mov reg, gs:[r11 + at] */
static void load_here(struct code *c, u8 reg, u8 at)
{
	EMIT(c, 0x65, 0x49 | (reg & 8) >> 1, 0x8b, 0x43 | (reg & 7) << 3, at);
}

/* Count the event, fill it, and put it and the state where the probe finds them. */
static void fill(struct code *c, const struct ward_stub_plan *p)
{
	u32 by_rdi = p->kind == WARD_STUB_CALL ? BIT(WARD_K_MAX_ARGUMENTS) - 1 : BIT(0);
	u8 event = p->kind != WARD_STUB_POINT && p->fields & by_rdi ? R10 : RDI;

	EMIT(c, 0x49, 0xbb);			/* mov r11, here */
	emit(c, &p->here, sizeof(p->here));
	load_here(c, R10, offsetof(struct ward_here, tally));
	emit_memory(c, 0xff, 0, R10, offsetof(struct ward_k_tally, events));	/* inc */
	load_here(c, event, offsetof(struct ward_here, event));
	if (p->kind != WARD_STUB_CALL)
		fill_arguments(c, p, event);
	if (p->fields & BIT(WARD_TIME))
		fill_time(c, event);
	load_here(c, RSI, offsetof(struct ward_here, state));
	if (p->kind == WARD_STUB_CALL)
		fill_call(c, p, event);
	fill_others(c, p, event);
	if (event != RDI)
		EMIT(c, 0x4c, 0x89, 0xd7);	/* mov rdi, r10 */
}

/* ---- The whole ---- */

struct ways { u32 nmi, busy, again, other[3]; };	/* jumps */

/* Is this a system call of 64 bits? If not, there is nothing to do. */
static void emit_is_call(struct code *c, struct ways *w)
{
	emit_percpu(c, 0x4c, 0x8b, R10, &OUR_TASK);
	emit_load(c, R11, R10, offsetof(struct task_struct, stack));
	EMIT(c, 0x49, 0x81, 0xc3);		/* add r11, ... */
	emit_number(c, THREAD_SIZE - TOP_OF_KERNEL_STACK_PADDING - sizeof(struct pt_regs));
	EMIT(c, 0x49, 0x39, 0xfb);		/* cmp r11, rdi */
	w->other[0] = emit_jump_if(c, JNZ);
	EMIT(c, 0x41, 0xf7, 0x82);		/* test dword [r10 + ...], ... */
	emit_number(c, offsetof(struct task_struct, thread_info.status));
	emit_number(c, TS_COMPAT);
	w->other[1] = emit_jump_if(c, JNZ);
	if (!IS_ENABLED(CONFIG_X86_X32_ABI))
		return;
	EMIT(c, 0xf7, 0x87);			/* test dword [rdi + ...], ... */
	emit_number(c, offsetof(struct pt_regs, orig_ax));
	emit_number(c, __X32_SYSCALL_BIT);
	w->other[2] = emit_jump_if(c, JNZ);
}

/* Preemption is off and the guard is ours behind it, or we are elsewhere. */
static void emit_guard(struct code *c, const struct ward_stub_plan *p, struct ways *w)
{
	BUILD_BUG_ON(NMI_MASK != 0xf00000);
	emit_percpu(c, 0, 0xf6, 0, (const u8 __percpu *)&OUR_PREEMPT_COUNT + 2);	/* test byte, ... */
	EMIT(c, NMI_MASK >> 16);
	w->nmi = emit_jump_if(c, JNZ);
	add_to_preempt_count(c, true);
	emit_percpu(c, 0, 0xfe, 1, p->free);		/* dec byte */
	w->busy = emit_jump_if(c, JS);
}

static void emit_release(struct code *c, const struct ward_stub_plan *p, struct ways *w)
{
	emit_percpu(c, 0, 0xfe, 0, p->free);		/* inc byte */
	add_to_preempt_count(c, false);
	if (IS_ENABLED(CONFIG_PREEMPTION))
		w->again = emit_jump_if(c, JZ);
}

static void emit_end(struct code *c)
{
	emit_pop(c, RBP);
	emit_return(c);
}

/* Call a C function, and end. */
static void emit_c(struct code *c, const void *function, const void *hook)
{
	push_all(c, ~0u);
	if (hook) {
		EMIT(c, 0x48, 0xbf);			/* mov rdi, hook */
		emit(c, &hook, sizeof(hook));
		EMIT(c, 0x48, 0x89, 0xe6);		/* mov rsi, rsp */
	}
	emit_branch(c, 0xe8, function);
	pop_all(c, ~0u);
	emit_end(c);
}

/* The C functions of a point are jumped to, as whoever called us is to be their caller. */
static void emit_jump_to_c(struct code *c, const void *function)
{
	emit_pop(c, RBP);
	emit_branch(c, 0xe9, function);
}

static void emit_fast(struct code *c, const struct ward_stub_plan *p)
{
	u32 regs = p->kind == WARD_STUB_POINT ? 0 : p->clobbers | own_clobbers(p);
	struct ways w = {};
	u32 i;

	if (p->kind == WARD_STUB_CALL)
		emit_is_call(c, &w);
	emit_guard(c, p, &w);
	push_all(c, regs);
	fill(c, p);
	emit_branch(c, 0xe8, p->probe);
	pop_all(c, regs);
	emit_release(c, p, &w);
	for (i = 0; i < ARRAY_SIZE(w.other) && w.other[i]; i++)
		land(c, w.other[i]);
	emit_end(c);
	if (w.again) {
		land(c, w.again);
		if (p->kind == WARD_STUB_POINT)
			emit_jump_to_c(c, p->yield);
		else
			emit_c(c, p->yield, NULL);
	}
	land(c, w.busy);
	emit_percpu(c, 0, 0xfe, 0, p->free);		/* inc byte */
	add_to_preempt_count(c, false);
	land(c, w.nmi);
}

static void emit_stub(struct code *c, const struct ward_stub_plan *p)
{
	if (IS_ENABLED(CONFIG_X86_KERNEL_IBT) && p->kind == WARD_STUB_POINT)
		EMIT(c, 0xf3, 0x0f, 0x1e, 0xfa);	/* endbr64: tracepoints call through a pointer */
	EMIT(c, 0x55, 0x48, 0x89, 0xe5);	/* push rbp; mov rbp, rsp */
	if (!p->slow)
		emit_fast(c, p);
	if (p->kind == WARD_STUB_POINT)
		emit_jump_to_c(c, p->enter);
	else
		emit_c(c, p->enter, p->hook);
}

int ward_stub_make(struct ward_stub *stub, const struct ward_stub_plan *plan)
{
	struct code c = {.at = ward_arena};

	emit_stub(&c, plan);			/* to see how long it is */
	stub->size = round_up(c.n, WARD_ARENA_UNIT);
	stub->code = c.bad ? NULL : ward_arena_take(stub->size, WARD_ARENA_UNIT);
	if (!stub->code)
		return c.bad ? -ERANGE : -ENOSPC;
	memset(c.bytes, 0xcc, sizeof(c.bytes));
	c.n = 0;
	c.at = stub->code;
	emit_stub(&c, plan);
	return c.bad ? -ERANGE : ward_arena_write(stub->code, c.bytes, stub->size);
}

void ward_stub_free(struct ward_stub *stub)
{
	ward_arena_give(stub->code, stub->size);
	stub->code = NULL;
}
