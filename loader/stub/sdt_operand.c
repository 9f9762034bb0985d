/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a tracepoint's arguments from where its note says.
 *
 * The notes come from the target and may be wrong. A register or a constant does no harm. The address of a variable
 * is known when the stub is made, and was checked against the mappings then, so it is loaded. But an operand relative
 * to registers may lead anywhere, even if the note is right: the compiler never loads it for the nop, so nothing
 * ensures that its memory exists. It is loaded only if it is in the page that rsp points to, where the stub has just
 * pushed something; that covers most of what the compiler keeps in a frame. Any other operand is read by
 * process_vm_readv(2), as in imports.S, which says if it can't; then the argument is 0. An operand that isn't aligned
 * is read so too, because the target may trap on such accesses (AC). Targets under a seccomp filter don't make the
 * call (inject.c).
 *
 * While this code runs, the stack has, from rsp up: r11 and r10 of the target, the flags, rax of the target, the red
 * zone (stub.c). r10 is the slot's row; r11 and rax are free.
 */
#include "stub.h"

enum {
	SAVED_R11 = 0,
	SAVED_R10 = 8,
	SAVED_RAX = 24,
	SYS_GETPID = 39,
	SYS_PROCESS_VM_READV = 310,
	PAGE = 4096,
};

/* mov disp(%rsp), %r; r is rax or r11 */
static void load_saved(struct wl_code *c, unsigned r, uint32_t disp)
{
	WL_EMIT(c, (uint8_t)(0x48 | (r >= R8 ? 4 : 0)), 0x8b, (uint8_t)(0x84 | (r & 7) << 3), 0x24);
	wl_u32(c, disp);
}

/* `to`, which is rax or r11, becomes what the register was at the nop. */
static void emit_fetch(struct wl_code *c, unsigned to, unsigned reg, uint32_t old_rsp)
{
	if (reg == RAX)
		load_saved(c, to, SAVED_RAX);
	else if (reg == R10)
		load_saved(c, to, SAVED_R10);
	else if (reg == R11)
		load_saved(c, to, SAVED_R11);
	else if (reg == RSP) {
		/* lea disp(%rsp), %to */
		WL_EMIT(c, (uint8_t)(0x48 | (to >= R8 ? 4 : 0)), 0x8d, (uint8_t)(0x84 | (to & 7) << 3), 0x24);
		wl_u32(c, old_rsp);
	} else /* mov %reg, %to */
		WL_EMIT(c, (uint8_t)(0x48 | (reg >= R8 ? 4 : 0) | (to >= R8 ? 1 : 0)), 0x89,
			(uint8_t)(0xc0 | (reg & 7) << 3 | (to & 7)));
}

/* r11 = the lower bytes of r11, of the operand's size and sign */
static void emit_extend(struct wl_code *c, const struct wl_operand *o)
{
	switch (o->size) {
	case 1: WL_EMIT(c, o->is_signed ? 0x4d : 0x45, 0x0f, o->is_signed ? 0xbe : 0xb6, 0xdb); break;
	case 2: WL_EMIT(c, o->is_signed ? 0x4d : 0x45, 0x0f, o->is_signed ? 0xbf : 0xb7, 0xdb); break;
	case 4:
		if (o->is_signed)
			WL_EMIT(c, 0x4d, 0x63, 0xdb); /* movslq %r11d, %r11 */
		else
			WL_EMIT(c, 0x45, 0x89, 0xdb); /* mov %r11d, %r11d */
		break;
	default: break;
	}
}

/* r11 = the operand's bytes at r11; what is above them is 0 */
static void emit_load(struct wl_code *c, unsigned size)
{
	switch (size) {
	case 1: WL_EMIT(c, 0x45, 0x0f, 0xb6, 0x1b); break;
	case 2: WL_EMIT(c, 0x45, 0x0f, 0xb7, 0x1b); break;
	case 4: WL_EMIT(c, 0x45, 0x8b, 0x1b); break;
	default: WL_EMIT(c, 0x4d, 0x8b, 0x1b); break;
	}
}

static void fetch_address(struct wl_code *c, const struct wl_operand *o, uint32_t old_rsp)
{
	if (o->has_base)
		emit_fetch(c, R11, o->reg, old_rsp);
	else
		WL_EMIT(c, 0x45, 0x31, 0xdb); /* xor %r11d, %r11d */
	if (o->has_index) {
		emit_fetch(c, RAX, o->index, old_rsp);
		/* lea disp(%r11,%rax,scale), %r11 */
		WL_EMIT(c, 0x4d, 0x8d, 0x9c, (uint8_t)(o->shift << 6 | RAX << 3 | 3));
	} else {
		WL_EMIT(c, 0x4d, 0x8d, 0x9b); /* lea disp(%r11), %r11 */
	}
	wl_u32(c, (uint32_t)o->value);
}

/* r11 = the bytes at r11, by the kernel; rax is lost */
static void emit_peek(struct wl_code *c, unsigned size, uint64_t peek_at)
{
	wl_mov_imm32(c, RAX, size);
	wl_call(c, peek_at);
	wl_wipe_return_address(c);
}

/* What is aligned crosses no page. */
static void fetch_memory(struct wl_code *c, const struct wl_operand *o, uint64_t peek_at)
{
	size_t elsewhere, unaligned, done;

	WL_EMIT(c, 0x4c, 0x89, 0xd8); /* mov %r11, %rax */
	WL_EMIT(c, 0x48, 0x31, 0xe0); /* xor %rsp, %rax */
	WL_EMIT(c, 0x48, 0x3d);       /* cmp $4096, %rax */
	wl_u32(c, PAGE);
	elsewhere = wl_jcc(c, WL_AE);
	WL_EMIT(c, 0x41, 0xf7, 0xc3); /* test $size - 1, %r11d */
	wl_u32(c, o->size - 1u);
	unaligned = wl_jcc(c, WL_NE);
	emit_load(c, o->size);
	done = wl_jmp_forward(c);
	wl_bind(c, elsewhere);
	wl_bind(c, unaligned);
	emit_peek(c, o->size, peek_at);
	wl_bind(c, done);
}

static uint64_t constant_of(const struct wl_operand *o)
{
	unsigned unused = 64 - 8 * o->size;

	return o->is_signed ? (uint64_t)((int64_t)((uint64_t)o->value << unused) >> unused)
			    : (uint64_t)o->value << unused >> unused;
}

static void fetch_operand(struct wl_code *c, const struct wl_operand *o, uint32_t old_rsp, uint64_t peek_at)
{
	switch (o->kind) {
	case WL_OP_REGISTER:
		emit_fetch(c, R11, o->reg, old_rsp);
		if (o->high)
			WL_EMIT(c, 0x49, 0xc1, 0xeb, 0x08); /* shr $8, %r11 */
		emit_extend(c, o);
		break;
	case WL_OP_CONSTANT: wl_mov_imm64(c, R11, constant_of(o)); break;
	case WL_OP_MEMORY:
		fetch_address(c, o, old_rsp);
		fetch_memory(c, o, peek_at);
		emit_extend(c, o);
		break;
	case WL_OP_VARIABLE:
		wl_mov_imm64(c, R11, (uint64_t)o->value);
		if ((uint64_t)o->value & (o->size - 1u))
			emit_peek(c, o->size, peek_at);
		else
			emit_load(c, o->size);
		emit_extend(c, o);
		break;
	default: WL_EMIT(c, 0x45, 0x31, 0xdb); /* xor %r11d, %r11d */
	}
}

void wl_store_operands(struct wl_code *c, const struct wl_stub *stub, unsigned fields, uint32_t disp)
{
	for (unsigned i = 0; i < WL_POINT_ARGS; i++) {
		if (!(fields & 1u << (WL_ARG + i)))
			continue;
		fetch_operand(c, &stub->args[i], 2 * 8 + stub->depth, stub->peek_at);
		wl_store(c, R11, disp + 8 * i);
	}
}

/*
 * In: r11 is an address, rax the number of bytes to read there, at most 8. Out: r11 has these bytes, or 0. Otherwise
 * only rax and flags change.
 *
 *	        push  %rcx … %r10
 *	        push  $0                     ; what is read goes here
 *	        mov   %rsp, %rcx
 *	        push  %rax; push %r11        ; length and address there
 *	        push  %rax; push %rcx        ; and here
 *	        getpid, process_vm_readv
 *	        cmp   %rax, 8(%rsp); je well
 *	        movq  $0, 32(%rsp)
 *	well:   add   $32, %rsp
 *	        pop   %r11
 *	        pop   %r10 … %rcx
 *	        ret
 */
void wl_peek(struct wl_code *c)
{
	static const uint8_t kept[] = {RCX, RDX, RSI, RDI, R8, R9, R10};
	size_t well;

	for (size_t i = 0; i < sizeof(kept); i++)
		wl_push(c, kept[i]);
	WL_EMIT(c, 0x6a, 0x00);       /* push $0 */
	WL_EMIT(c, 0x48, 0x89, 0xe1); /* mov %rsp, %rcx */
	wl_push(c, RAX);
	wl_push(c, R11);
	wl_push(c, RAX);
	wl_push(c, RCX);
	wl_mov_imm32(c, RAX, SYS_GETPID);
	WL_EMIT(c, 0x0f, 0x05);       /* syscall */
	WL_EMIT(c, 0x89, 0xc7);       /* mov %eax, %edi */
	WL_EMIT(c, 0x48, 0x89, 0xe6); /* mov %rsp, %rsi */
	wl_mov_imm32(c, RDX, 1);
	WL_EMIT(c, 0x4c, 0x8d, 0x54, 0x24, 0x10); /* lea 16(%rsp), %r10 */
	wl_mov_imm32(c, R8, 1);
	WL_EMIT(c, 0x45, 0x31, 0xc9); /* xor %r9d, %r9d */
	wl_mov_imm32(c, RAX, SYS_PROCESS_VM_READV);
	WL_EMIT(c, 0x0f, 0x05);                   /* syscall */
	WL_EMIT(c, 0x48, 0x39, 0x44, 0x24, 0x08); /* cmp %rax, 8(%rsp) */
	well = wl_jcc(c, WL_E);
	WL_EMIT(c, 0x48, 0xc7, 0x44, 0x24, 0x20, 0x00, 0x00, 0x00, 0x00); /* movq $0, 32(%rsp) */
	wl_bind(c, well);
	WL_EMIT(c, 0x48, 0x83, 0xc4, 0x20); /* add $32, %rsp */
	wl_pop(c, R11);
	for (size_t i = sizeof(kept); i-- > 0;)
		wl_pop(c, kept[i]);
	wl_u8(c, 0xc3); /* ret */
}
