/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubs.
 *
 * A jump at a patched function's entry leads to a stub. The stub runs the probes of that site and then the
 * instructions that the jump displaced, as if nothing had happened. At an entry the flags are dead by the calling
 * convention, and so are the bytes below rsp, since the call that came here has just pushed over them. No register is
 * free: with gcc's -fipa-ra, a caller of a local function keeps values in rdi, rcx, r8 and so on through r11 if it
 * knows that the callee doesn't change them. So a stub saves what the probe clobbers, as the verifier found, and what
 * the stub itself uses.
 *
 *	        cmpl  $1, GATE               ; open to all: attached, no forked child, and nothing is forbidden
 *	                                     ; that stubs do (slots.h)
 *	        jne   gate
 *	open:
 *	        push  %r10
 *	        push  %r11
 *	        mov   %fs:0, %r11            ; who is this? or rdfsbase %r11 (slots.h)
 *	        mov   %r11d, %r10d
 *	        shr   $4, %r10d              ; or $2
 *	        and   $MASK, %r10d           ; offset of the row where the thread's slot should be
 *	        cmp   %r11, KEY(%r10)
 *	        jne   miss
 *	ready:  mov   %rsp, KEY(%r10)        ; busy: an event within the probe misses
 *	        …                            ; if a return probe wants what was at the entry: keep it, or find
 *	                                     ; it (call_frames.S)
 *	        addq  $n, EVENTS(%r10)       ; in the tallies
 *	        mov   %rdi, EVENT(%r10)      ; only the fields that some probe of this site reads
 *	        …
 *	        mov   %rsp, %r11             ; only if a probe needs more than a few words of stack, or rsp aligned:
 *	        mov   STACK(%r10), %rsp      ;   coroutines and goroutines may have none to spare
 *	        push  %r11
 *	        pushf …                      ; if a probe can't have DF or AC set (eflags.c)
 *	        push  %rax …                 ; what probes and the next lines clobber
 *	        sub   $n, %rsp               ; if probes clobber xmm registers, and then rsp is a multiple of 16
 *	        movups %xmm0, (%rsp) …
 *	        rdtsc …                      ; time, if read
 *	        mov   STATE(%r10), %rsi      ; for each probe
 *	        lea   EVENT(%r10), %edi
 *	        push  %r10                   ; if it clobbers r10
 *	        call  PROBE                  ; or, of a short one, its instructions (inline_probe.c), which may
 *	                                     ; want neither state nor event
 *	        pop   %r10
 *	        movups (%rsp), %xmm0 …; add $n, %rsp
 *	        … pop
 *	        … lea 8(%rsp), %rsp          ; DF and AC are the target's again
 *	        pop   %rsp                   ; if it was switched
 *	        mov   OWNER(%r10), %r11      ; if it isn't there any more
 *	        mov   %r11, KEY(%r10)
 *	skip:   pop   %r11
 *	        pop   %r10
 *	out:    (displaced instructions)
 *	        jmp   back
 *	miss:   call  DISPATCHER             ; ZF: r10 is the thread's row, claimed just now if need be
 *	        movq  $0, -8(%rsp)
 *	        je    ready
 *	missed: lock incq DROPPED(%r10)      ; if there are probes
 *	        lea   16(%rsp), %r11         ; if it would have been kept, or found: what is open there is another call
 *	        call  MISSED
 *	        movq  $0, -8(%rsp)
 *	        jmp   skip
 *	gate:   testb $1, GATE               ; closed: not attached yet, or any more, or a forked child
 *	        je    out
 *	        testb $n, FLAGS              ; if it does what may be forbidden: read the time, make a system call
 *	        jne   lost
 *	        testb $WL_FOREIGN, FLAGS     ; only where it can be set
 *	        je    open
 *	        push  %r10
 *	        push  %r11
 *	        rdfsbase %r11
 *	        …                            ; r10 as above
 *	try:    push  %rax
 *	        mov   %r11, %rax
 *	        lea   8(%rsp), %r11
 *	        lock cmpxchg %r11, KEY(%r10)
 *	        mov   %rax, %r11
 *	        pop   %rax
 *	        je    marked                 ; behind `ready`
 *	        rdfsbase %r11
 *	        call  DISPATCHER
 *	        movq  $0, -8(%rsp)
 *	        je    try
 *	        jmp   missed
 *	lost:   push  %r10
 *	        push  %r11
 *	        xor   %r10d, %r10d
 *	        jmp   missed
 *
 * The old rsp is kept on the slot's own stack and not in the row: a child that shares the memory and the thread's
 * word at fs:0 may use the same row.
 *
 * A probe that writes xmm registers may rely on rsp being aligned as the System V ABI has it at a function's entry
 * (V-37), which not every target ensures. So such a probe always runs on the slot's own stack, which begins at a
 * multiple of 64 KiB. Of a vector register only the 128 bits that the probe can write are saved. The probe can't
 * change mxcsr.
 *
 * Calls on the target's own stack leave no return address into the stub below rsp: it is overwritten with zero.
 * Detaching searches stacks for threads that will return to a stub, and must find no others.
 *
 * A signal may arrive at any instruction. Its handler runs with the slot busy or not busy. If it is busy, the
 * handler's events are dropped and counted. If the handler leaves the probe by longjmp, the mark shows later that the
 * probe is over, or the thread gets another slot (dispatch.S). If the handler forks, the child returns into the
 * probe, too, and finishes it with a row and a stack of its own (slots.h). From then on it finds the gate closed.
 */
#include "stub.h"

#include "ward/verify.h"

#include <stddef.h>

enum {
	OWN_STACK_ABOVE = 64,      /* bytes of probe stack that any stack can spare */
	CPU_LIMIT_SELECTOR = 0x7b, /* the segment whose limit Linux makes the processor's number */
	SYS_GETTID = 186,
	XMM_SHIFT = 16, /* of the masks of clobbered registers */
};

static uint32_t field_at(const struct wl_slots *s, size_t offset)
{
	return (uint32_t)(s->table + offset);
}

#define ROW(s, member) field_at((s), offsetof(struct wl_row, member))
#define TALLY(s, member) ((uint32_t)((s)->tallies + offsetof(struct wl_tally, member))) /* r10 added, or of row 0 */

static uint32_t event_at(const struct wl_slots *s, unsigned word)
{
	return ROW(s, event) + 8 * word;
}

/* rax is among what has been saved, right above r11 and r10: flags are there meanwhile. */
static void store_rax(struct wl_code *c, uint32_t disp)
{
	wl_load_stack(c, R11, 2 * 8);
	wl_store(c, R11, disp);
}

static void store_arguments(struct wl_code *c, const struct wl_slots *s, unsigned fields, bool go)
{
	/* System V's, and Go's since 1.17 (ABIInternal) */
	static const uint8_t arg[2][6] = {{RDI, RSI, RDX, RCX, R8, R9}, {RAX, RBX, RCX, RDI, RSI, R8}};

	for (unsigned i = 0; i < 6; i++) {
		if (!(fields & 1u << (WL_ARG + i)))
			continue;
		if (arg[go][i] == RAX)
			store_rax(c, event_at(s, WL_ARG + i));
		else
			wl_store(c, arg[go][i], event_at(s, WL_ARG + i));
	}
}

/* and $0xfff, %r11d: a processor's number, without its node's */
static void mask_cpu(struct wl_code *c)
{
	WL_EMIT(c, 0x41, 0x81, 0xe3, 0xff, 0x0f, 0x00, 0x00);
}

static void store_cpu(struct wl_code *c, const struct wl_stub *stub)
{
	if (stub->have_rdpid) {
		WL_EMIT(c, 0xf3, 0x41, 0x0f, 0xc7, 0xfb); /* rdpid %r11 */
	} else {
		wl_mov_imm32(c, R11, CPU_LIMIT_SELECTOR);
		WL_EMIT(c, 0x45, 0x0f, 0x03, 0xdb); /* lsl %r11d, %r11d */
	}
	mask_cpu(c);
	wl_store(c, R11, event_at(stub->slots, WL_CPU));
}

/* testb $bits, GATE + byte */
static void test_gate_bits(struct wl_code *c, const struct wl_slots *s, unsigned byte, unsigned bits)
{
	WL_EMIT(c, 0xf6, 0x04, 0x25);
	wl_u32(c, (uint32_t)s->gate + byte);
	wl_u8(c, (uint8_t)bits);
}

/* The thread's id by a system call, if the control block may be another thread's, or missing. */
static void store_tid(struct wl_code *c, const struct wl_stub *stub)
{
	size_t own, done = 0;

	if (stub->slots->no_block) {
		test_gate_bits(c, stub->slots, WL_GATE_FLAGS, WL_FOREIGN);
		own = wl_jcc(c, WL_E);
		wl_push(c, RAX);
		wl_push(c, RCX);
		wl_mov_imm32(c, RAX, SYS_GETTID);
		WL_EMIT(c, 0x0f, 0x05);       /* syscall: clobbers rcx and r11 */
		WL_EMIT(c, 0x41, 0x89, 0xc3); /* mov %eax, %r11d */
		wl_pop(c, RCX);
		wl_pop(c, RAX);
		done = wl_jmp_forward(c);
		wl_bind(c, own);
	}
	WL_EMIT(c, 0x64, 0x44, 0x8b, 0x1c, 0x25); /* mov %fs:offset, %r11d */
	wl_u32(c, stub->tid.offset);
	if (stub->slots->no_block)
		wl_bind(c, done);
	wl_store(c, R11, event_at(stub->slots, WL_TID));
}

/* Fields that need no register but r11, while rsp is still the target's. */
static void store_simple_fields(struct wl_code *c, const struct wl_stub *stub, unsigned fields)
{
	const struct wl_slots *s = stub->slots;
	uint32_t entry_sp = 16 + stub->depth; /* above r10 and r11: where rsp was at the function's entry */

	if (stub->args)
		wl_store_operands(c, stub, fields, event_at(s, WL_ARG));
	else if (!stub->leave_at)
		store_arguments(c, s, fields, stub->go);
	if (fields & 1u << WL_RET)
		store_rax(c, event_at(s, WL_RET));
	if ((fields & 1u << WL_CALLER) && stub->args) {
		wl_mov_imm64(c, R11, stub->point);
		wl_store(c, R11, event_at(s, WL_CALLER));
	} else if ((fields & 1u << WL_CALLER) && stub->tail)
		wl_store_imm(c, 0, event_at(s, WL_CALLER));
	else if (fields & 1u << WL_CALLER) {
		wl_load_stack(c, R11, entry_sp);
		wl_store(c, R11, event_at(s, WL_CALLER));
	}
	if (fields & 1u << WL_SP) {
		wl_r11_lea_stack(c, entry_sp);
		wl_store(c, R11, event_at(s, WL_SP));
	}
	if (fields & 1u << WL_SITE)
		wl_store_imm(c, stub->site, event_at(s, WL_SITE));
	if (fields & 1u << WL_CPU)
		store_cpu(c, stub);
	if ((fields & 1u << WL_TID) && stub->tid.in_tcb)
		store_tid(c, stub);
}

/* Fields that need rax, rdx or rcx, which have been saved. */
static void store_hard_fields(struct wl_code *c, const struct wl_stub *stub, unsigned fields)
{
	if ((fields & 1u << WL_TID) && !stub->tid.in_tcb) {
		wl_mov_imm32(c, RAX, SYS_GETTID);
		WL_EMIT(c, 0x0f, 0x05); /* syscall: clobbers rcx and r11 */
		wl_store(c, RAX, event_at(stub->slots, WL_TID));
	}
	if (fields & 1u << WL_TIME) {
		/*
		 * rdtsc alone may run before earlier loads: the time could be earlier than that of another thread's
		 * event of which this thread has seen the effect.
		 */
		if (stub->ordered_times)
			WL_EMIT(c, 0x0f, 0xae, 0xe8); /* lfence */
		WL_EMIT(c, 0x0f, 0x31);               /* rdtsc */
		WL_EMIT(c, 0x48, 0xc1, 0xe2, 0x20);   /* shl $32, %rdx */
		WL_EMIT(c, 0x48, 0x09, 0xd0);         /* or %rdx, %rax */
		wl_store(c, RAX, event_at(stub->slots, WL_TIME));
	}
}

static bool wants_event(const struct wl_stub_probe *probe)
{
	return !probe->in_place->fits || probe->in_place->event;
}

static bool wants_state(const struct wl_stub_probe *probe)
{
	return !probe->in_place->fits || probe->in_place->state;
}

/* Registers that the stub itself changes between the saving and the restoring; r10 and r11 are saved apart. */
static unsigned own_clobbers(const struct wl_stub *stub, unsigned fields)
{
	unsigned regs = 0;

	for (size_t i = 0; i < stub->n_probes; i++)
		regs |= (unsigned)wants_event(&stub->probes[i]) << RDI | (unsigned)wants_state(&stub->probes[i]) << RSI;
	if ((fields & 1u << WL_TID) && !stub->tid.in_tcb)
		regs |= 1u << RAX | 1u << RCX;
	if (fields & 1u << WL_TIME)
		regs |= 1u << RAX | 1u << RDX;
	return regs;
}

void wl_wipe_return_address(struct wl_code *c)
{
	WL_EMIT(c, 0x48, 0xc7, 0x44, 0x24, 0xf8, 0x00, 0x00, 0x00, 0x00);
}

/* Bytes for these xmm registers, so many that rsp is a multiple of 16 after the words pushed on the own stack. */
static uint32_t xmm_frame(unsigned xmm, unsigned words)
{
	return xmm ? 16 * (unsigned)__builtin_popcount(xmm) + words % 2 * 8 : 0;
}

/* Store them in the frame, or load them from it. */
static void move_xmm(struct wl_code *c, uint8_t opcode, unsigned xmm)
{
	uint32_t disp = 0;

	for (unsigned r = 0; r < 16; r++) {
		if (xmm & 1u << r) {
			wl_movups(c, opcode, r, disp);
			disp += 16;
		}
	}
}

static void save_xmm(struct wl_code *c, unsigned xmm, uint32_t frame)
{
	if (frame)
		wl_sub_rsp(c, frame);
	move_xmm(c, WL_MOVUPS_STORE, xmm);
}

static void restore_xmm(struct wl_code *c, unsigned xmm, uint32_t frame)
{
	move_xmm(c, WL_MOVUPS_LOAD, xmm);
	if (frame)
		wl_add_rsp(c, frame);
}

/* r10 is kept in two words, so that rsp stays a multiple of 16. */
static void run_probe(struct wl_code *c, const struct wl_slots *s, const struct wl_stub_probe *probe, bool own_stack)
{
	bool keep_row = probe->clobbers & 1u << R10;

	if (wants_state(probe))
		wl_load(c, RSI, ROW(s, state));
	if (wants_event(probe)) {
		WL_EMIT(c, 0x41, 0x8d, 0xba); /* lea disp(%r10), %edi */
		wl_u32(c, ROW(s, event));
	}
	if (probe->in_place->fits) {
		wl_bytes(c, probe->in_place->code, probe->in_place->len);
		return;
	}
	if (keep_row) {
		wl_push(c, R10);
		wl_push(c, R10);
	}
	wl_call(c, probe->addr);
	if (!own_stack)
		wl_wipe_return_address(c);
	if (keep_row) {
		wl_pop(c, R10);
		wl_pop(c, R10);
	}
}

/* cmpl $1, GATE; jne …: returns where the jump is, to be bound. */
static size_t test_gate(struct wl_code *c, const struct wl_slots *s)
{
	WL_EMIT(c, 0x83, 0x3c, 0x25);
	wl_u32(c, (uint32_t)s->gate);
	wl_u8(c, WL_GATE_OPEN);
	return wl_jcc(c, WL_NE);
}

void wl_stub_drop(struct wl_code *c, const struct wl_stub *stub)
{
	size_t closed;

	test_gate_bits(c, stub->slots, 0, WL_GATE_OPEN);
	closed = wl_jcc(c, WL_E);
	WL_EMIT(c, 0xf0, 0x48, 0xff, 0x04, 0x25); /* lock incq DROPPED */
	wl_u32(c, TALLY(stub->slots, dropped));
	wl_bind(c, closed);
}

/* r10: the offset of the row where the slot of the thread should be that r11 is. */
static void find_row(struct wl_code *c, const struct wl_slots *s)
{
	WL_EMIT(c, 0x45, 0x89, 0xda);                           /* mov %r11d, %r10d */
	WL_EMIT(c, 0x41, 0xc1, 0xea, s->by_base ? 0x02 : 0x04); /* shr $4, %r10d */
	WL_EMIT(c, 0x41, 0x81, 0xe2);                           /* and $MASK, %r10d */
	wl_u32(c, (s->rows - 1) * WL_ROW_SIZE);
}

static void read_base(struct wl_code *c)
{
	WL_EMIT(c, 0xf3, 0x49, 0x0f, 0xae, 0xc3); /* rdfsbase %r11 */
}

static void call_dispatcher(struct wl_code *c, const struct wl_stub *stub)
{
	wl_call(c, stub->dispatcher);
	wl_wipe_return_address(c);
}

/* The slot of a thread whose base may be foreign, or another thread's as well. */
static void take_slot(struct wl_code *c, const struct wl_stub *stub, const struct wl_stub_labels *labels)
{
	const struct wl_slots *s = stub->slots;
	uint64_t again;

	wl_push(c, R10);
	wl_push(c, R11);
	read_base(c);
	find_row(c, s);
	again = wl_here(c);
	wl_push(c, RAX);
	WL_EMIT(c, 0x4c, 0x89, 0xd8);             /* mov %r11, %rax */
	WL_EMIT(c, 0x4c, 0x8d, 0x5c, 0x24, 0x08); /* lea 8(%rsp), %r11 */
	WL_EMIT(c, 0xf0, 0x4d, 0x0f, 0xb1, 0x9a); /* lock cmpxchg %r11, KEY(%r10) */
	wl_u32(c, ROW(s, key));
	WL_EMIT(c, 0x49, 0x89, 0xc3); /* mov %rax, %r11 */
	wl_pop(c, RAX);
	wl_jcc_to(c, WL_E, labels->marked);
	read_base(c);
	call_dispatcher(c, stub);
	wl_jcc_to(c, WL_E, again);
	wl_jmp(c, labels->missed);
}

/* What is done off the hot path where the gate isn't open to all. */
static void look_at_gate(struct wl_code *c, const struct wl_stub *stub, const struct wl_stub_labels *labels)
{
	const struct wl_slots *s = stub->slots;
	size_t lost = 0;

	wl_bind(c, labels->gate);
	test_gate_bits(c, s, 0, WL_GATE_OPEN);
	wl_jcc_to(c, WL_E, labels->out);
	if (labels->flags) {
		test_gate_bits(c, s, WL_GATE_FLAGS, labels->flags);
		lost = wl_jcc(c, WL_NE);
	}
	if (s->foreign) {
		test_gate_bits(c, s, WL_GATE_FLAGS, WL_FOREIGN);
		wl_jcc_to(c, WL_E, labels->open);
		take_slot(c, stub, labels);
	} else {
		wl_jmp(c, labels->open);
	}
	if (!labels->flags)
		return;
	wl_bind(c, lost);
	wl_push(c, R10);
	wl_push(c, R11);
	WL_EMIT(c, 0x45, 0x31, 0xd2); /* xor %r10d, %r10d */
	wl_jmp(c, labels->missed);
}

/* r11: the thread's word at fs:0, or the segment's base. */
static void load_word(struct wl_code *c, const struct wl_slots *s)
{
	if (s->by_base)
		read_base(c);
	else
		WL_EMIT(c, 0x64, 0x4c, 0x8b, 0x1c, 0x25, 0x00, 0x00, 0x00, 0x00); /* mov %fs:0, %r11 */
}

/* r11 may still be the thread's word. */
static void emit_release(struct wl_code *c, const struct wl_slots *s, bool have_word)
{
	if (!have_word)
		wl_load(c, R11, ROW(s, owner));
	wl_store(c, R11, ROW(s, key));
}

/* Does nothing between the marking of the slot and its release change r11? */
static bool keeps_word(const struct wl_stub *stub, unsigned fields, unsigned clobbers, bool own_stack)
{
	/* the word is lost in making these */
	const unsigned by_r11 = 1u << WL_RET | 1u << WL_CALLER | 1u << WL_SP | 1u << WL_CPU | 1u << WL_TID;

	return !own_stack && !stub->is_gone && !stub->args && !stub->go && !stub->enter_at && !stub->leave_at &&
	       !(fields & by_r11) && !(clobbers & 1u << R11);
}

/*
 * Does the probe run on the slot's own stack? That begins at a multiple of 64 KiB. The target's stack may be
 * unaligned, because code written by hand may have any number in rsp.
 */
static bool wants_own_stack(const struct wl_stub_probe *probe)
{
	return probe->stack_bytes > OWN_STACK_ABOVE || probe->clobbers >> XMM_SHIFT ||
	       probe->needs & WARD_NEED_RSP_ALIGNED;
}

/*
 * For the import that takes stacks: what it needs of the target, at the upper end of the slot's own stack (walk.h). r11
 * is the target's rsp, which is there already.
 */
static void leave_registers(struct wl_code *c, const struct wl_stub *stub)
{
	uint32_t entry_sp = 16 + stub->depth;

	WL_EMIT(c, 0x41, 0xff, 0xb2); /* push OWNER(%r10) */
	wl_u32(c, ROW(stub->slots, owner));
	if (!stub->is_gone && stub->before && stub->before->changed & 1u << RBP) {
		WL_EMIT(c, 0x41, 0xff, 0xb3); /* push disp(%r11) */
		wl_u32(c, entry_sp - stub->before->saved_at[RBP]);
	} else {
		wl_push(c, RBP);
	}
	if (stub->is_gone) {                  /* where it was is known, but not what was in rbp */
		WL_EMIT(c, 0x45, 0x31, 0xdb); /* xor %r11d, %r11d */
	} else {
		WL_EMIT(c, 0x4d, 0x8d, 0x9b); /* lea disp(%r11), %r11 */
		wl_u32(c, entry_sp);
	}
	wl_push(c, R11);
	wl_mov_imm64(c, R11, stub->walks);
	wl_push(c, R11);
}

enum { WALK_WORDS = 4 };

/* From the marking of the slot to its release. What the caller emits elsewhere is in *flags. */
static void run_probes(struct wl_code *c, const struct wl_stub *stub, struct wl_eflags *flags)
{
	const struct wl_slots *s = stub->slots;
	unsigned fields = 0, regs = 0, needs = 0, xmm, words = 1; /* the old rsp */
	uint32_t frame;
	bool own_stack = false, have_word;

	for (size_t i = 0; i < stub->n_probes; i++) {
		fields |= stub->probes[i].fields;
		regs |= stub->probes[i].clobbers;
		needs |= stub->probes[i].needs;
		own_stack |= wants_own_stack(&stub->probes[i]) || stub->walks;
	}
	have_word = keeps_word(stub, fields, regs, own_stack);
	xmm = regs >> XMM_SHIFT;
	regs |= own_clobbers(stub, fields);
	regs &= 0xffff & ~(1u << RSP | 1u << R10 | 1u << R11);
	words += (unsigned)__builtin_popcount(regs) + (wl_eflags_for(needs) != 0) + (stub->walks ? WALK_WORDS : 0);
	frame = xmm_frame(xmm, words);

	wl_add_imm8(c, (uint8_t)stub->n_probes, TALLY(s, events));
	store_simple_fields(c, stub, stub->is_gone ? fields & (1u << WL_CPU | 1u << WL_TID) : fields);
	if (own_stack) {
		WL_EMIT(c, 0x49, 0x89, 0xe3); /* mov %rsp, %r11 */
		wl_load(c, RSP, ROW(s, stack));
		wl_push(c, R11);
		if (stub->walks)
			leave_registers(c, stub);
	}
	*flags = wl_eflags_begin(c, wl_eflags_for(needs));
	for (unsigned r = 0; r < 16; r++)
		if (regs & 1u << r)
			wl_push(c, r);
	save_xmm(c, xmm, frame);
	store_hard_fields(c, stub, fields);
	for (size_t i = 0; i < stub->n_probes; i++)
		run_probe(c, s, &stub->probes[i], own_stack);
	restore_xmm(c, xmm, frame);
	for (unsigned r = 16; r-- > 0;)
		if (regs & 1u << r)
			wl_pop(c, r);
	wl_eflags_end(c, flags);
	if (own_stack && stub->walks)
		WL_EMIT(c, 0x48, 0x8d, 0x64, 0x24, 8 * WALK_WORDS); /* lea 32(%rsp), %rsp */
	if (own_stack)
		wl_pop(c, RSP);
	emit_release(c, s, have_word);
}

/* Keep, or find, what was at the call's entry: all that its caller will find unchanged is as it was then. */
static void other_end(struct wl_code *c, const struct wl_stub *stub, uint64_t routine)
{
	unsigned regs = routine == stub->enter_at && stub->before ? stub->before->changed : 0;
	uint32_t depth = 16 + stub->depth;

	if (stub->throws && routine == stub->enter_at) {
		wl_mov_imm64(c, R11, stub->thrown);
		wl_store(c, R11, ROW(stub->slots, thrown));
	}
	wl_store_imm(c, stub->site, event_at(stub->slots, WL_SITE));
	for (unsigned r = 0; r < 16; r++) {
		if (!(regs & 1u << r))
			continue;
		wl_push(c, r);
		depth += 8;
		wl_load_stack(c, r, depth - stub->before->saved_at[r]);
	}
	wl_r11_lea_stack(c, depth);
	wl_call(c, routine);
	wl_wipe_return_address(c);
	for (unsigned r = 16; r-- > 0;)
		if (regs & 1u << r)
			wl_pop(c, r);
}

/*
 * At the beginning of a handler: one by one, the calls that are gone. What runs the probes of one releases the slot.
 *
 *	next:   lea   16(%rsp), %r11
 *	        call  CATCH
 *	        movq  $0, -8(%rsp)
 *	        jne   done
 *	        call  *%r11
 *	        movq  $0, -8(%rsp)
 *	        mov   %rsp, KEY(%r10)
 *	        jmp   next
 */
static void run_catch(struct wl_code *c, const struct wl_stub *stub)
{
	uint64_t next = wl_here(c);
	size_t done;

	wl_r11_lea_stack(c, 16 + stub->depth);
	wl_call(c, stub->catch_at);
	wl_wipe_return_address(c);
	done = wl_jcc(c, WL_NE);
	WL_EMIT(c, 0x41, 0xff, 0xd3); /* call *%r11 */
	wl_wipe_return_address(c);
	wl_store(c, RSP, ROW(stub->slots, key));
	wl_jmp(c, next);
	wl_bind(c, done);
	emit_release(c, stub->slots, false);
}

void wl_thrown(struct wl_code *c, const struct wl_stub *stub)
{
	struct wl_eflags flags;

	run_probes(c, stub, &flags);
	wl_u8(c, 0xc3); /* ret */
	wl_eflags_cold(c, &flags);
}

/* What becomes of calls. */
static void run_hook(struct wl_code *c, const struct wl_stub *stub)
{
	wl_store(c, RSP, ROW(stub->slots, key));
	wl_r11_lea_stack(c, 16 + stub->depth);
	wl_call(c, stub->hook_at);
	wl_wipe_return_address(c);
	emit_release(c, stub->slots, false);
}

/* All that happens while the slot is busy. */
static void run_event(struct wl_code *c, const struct wl_stub *stub, struct wl_eflags *flags)
{
	size_t none, done;

	if (stub->hook_at) {
		run_hook(c, stub);
		return;
	}

	if (stub->catch_at) {
		run_catch(c, stub);
		return;
	}
	if (stub->enter_at)
		other_end(c, stub, stub->enter_at);
	if (!stub->n_probes) {
		if (stub->leave_at)
			other_end(c, stub, stub->leave_at);
		emit_release(c, stub->slots, false);
		return;
	}
	if (!stub->leave_at) {
		run_probes(c, stub, flags);
		return;
	}
	other_end(c, stub, stub->leave_at);
	none = wl_jcc(c, WL_NE);
	run_probes(c, stub, flags);
	done = wl_jmp_forward(c);
	wl_bind(c, none);
	emit_release(c, stub->slots, false);
	wl_bind(c, done);
}

/* The event, with the flags in safety. */
static void emit_event(struct wl_code *c, const struct wl_stub *stub, struct wl_stub_labels *labels)
{
	const struct wl_slots *s = stub->slots;

	labels->flags = stub->flags;
	labels->counts = stub->n_probes || (stub->catch_at && stub->throws);
	labels->gate = test_gate(c, s);
	labels->open = wl_here(c);
	wl_push(c, R10);
	wl_push(c, R11);
	load_word(c, s);
	find_row(c, s);
	wl_cmp(c, R11, ROW(s, key));
	labels->miss = wl_jcc(c, WL_NE);
	labels->missed_at = stub->enter_at || stub->leave_at || stub->hook_at ? stub->missed_at : 0;
	labels->depth = stub->depth;
	labels->ready = wl_here(c);
	wl_store(c, RSP, ROW(s, key));
	labels->marked = wl_here(c);
	labels->eflags = (struct wl_eflags){0};
	run_event(c, stub, &labels->eflags);
	labels->skip = wl_here(c);
	wl_pop(c, R11);
	wl_pop(c, R10);
	labels->out = wl_here(c);
}

/*
 * What a stub has around it: flags may be live, at a tracepoint, and in a function written by hand, which may take
 * arguments or return a result in them. Saving them costs little, so it is done for all functions.
 *
 *	        push  %rax
 *	        lahf                         ; flags: all but OF
 *	        seto  %al
 *	        …                            ; which leaves rax as it is
 *	        add   $0x7f, %al             ; overflows if al is 1
 *	        sahf
 *	        pop   %rax
 *
 * At a tracepoint operands are read there by way of rax, and a leaf function may use the bytes below rsp:
 *
 *	        lea   -128(%rsp), %rsp
 *	        push  %rax; lahf; seto %al
 *	        push  %rax
 *	        …
 *	        pop   %rax
 *	        add   $0x7f, %al; sahf; pop %rax
 *	        lea   128(%rsp), %rsp
 *
 * The stack is then, from rsp up: r11, r10, flags, rax, 128 bytes (sdt_operand.c).
 */
void wl_stub_hot(struct wl_code *c, const struct wl_stub *stub, struct wl_stub_labels *labels)
{
	struct wl_stub inner = *stub;

	inner.depth += stub->args ? WL_RED_ZONE + 2 * 8 : 8;
	if (stub->args)
		WL_EMIT(c, 0x48, 0x8d, 0x64, 0x24, 0x80); /* lea -128(%rsp), %rsp */
	wl_push(c, RAX);
	WL_EMIT(c, 0x9f);             /* lahf */
	WL_EMIT(c, 0x0f, 0x90, 0xc0); /* seto %al */
	if (stub->args)
		wl_push(c, RAX);
	emit_event(c, &inner, labels);
	if (stub->args)
		wl_pop(c, RAX);
	WL_EMIT(c, 0x04, 0x7f); /* add $0x7f, %al */
	WL_EMIT(c, 0x9e);       /* sahf */
	wl_pop(c, RAX);
	if (stub->args)
		WL_EMIT(c, 0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00); /* lea 128(%rsp), %rsp */
}

void wl_stub_cold(struct wl_code *c, const struct wl_stub *stub, struct wl_stub_labels *labels)
{
	wl_bind(c, labels->miss);
	call_dispatcher(c, stub);
	wl_jcc_to(c, WL_E, labels->ready);
	labels->missed = wl_here(c);
	if (labels->counts) {
		WL_EMIT(c, 0xf0, 0x49, 0xff, 0x82); /* lock incq DROPPED(%r10) */
		wl_u32(c, TALLY(stub->slots, dropped));
	}
	if (labels->missed_at) {
		wl_r11_lea_stack(c, 16 + labels->depth);
		wl_call(c, labels->missed_at);
		wl_wipe_return_address(c);
	}
	wl_jmp(c, labels->skip);
	look_at_gate(c, stub, labels);
	wl_eflags_cold(c, &labels->eflags);
}
