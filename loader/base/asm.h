/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A byte emitter for the few instructions that stubs consist of. There is one function for each form of instruction,
 * beside the assembly that it emits. A full buffer sets `overflow` and drops the rest; callers check it once at the
 * end.
 *
 * Rows of the slot table are addressed as disp32(%r10). The table is below 2 GiB, so its address is the displacement,
 * and r10 is the row's offset.
 */
#ifndef WARD_LOADER_ASM_H
#define WARD_LOADER_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum wl_reg { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

struct wl_code {
	uint8_t *p;
	size_t n, cap;
	uint64_t at; /* address in the target of p[0] */
	bool overflow;
};

static inline uint64_t wl_here(const struct wl_code *c)
{
	return c->at + c->n;
}

static inline void wl_bytes(struct wl_code *c, const void *p, size_t n)
{
	if (n > c->cap - c->n) {
		c->overflow = true;
		return;
	}
	memcpy(c->p + c->n, p, n);
	c->n += n;
}

static inline void wl_u8(struct wl_code *c, uint8_t v)
{
	wl_bytes(c, &v, 1);
}

static inline void wl_u32(struct wl_code *c, uint32_t v)
{
	wl_bytes(c, &v, 4);
}

static inline void wl_u64(struct wl_code *c, uint64_t v)
{
	wl_bytes(c, &v, 8);
}

#define WL_EMIT(c, ...) wl_bytes((c), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* The displacement of a rel32 whose last byte is the last of its instruction, which ends at `end`. */
static inline bool wl_rel32_fits(uint64_t end, uint64_t target)
{
	int64_t d = (int64_t)(target - end);
	return d >= INT32_MIN && d <= INT32_MAX;
}

static inline void wl_rel32(struct wl_code *c, uint64_t target)
{
	uint64_t end = wl_here(c) + 4;

	if (!wl_rel32_fits(end, target))
		c->overflow = true;
	wl_u32(c, (uint32_t)(target - end));
}

/* jmp target */
static inline void wl_jmp(struct wl_code *c, uint64_t target)
{
	wl_u8(c, 0xe9);
	wl_rel32(c, target);
}

/* jmp *slot(%rip) */
static inline void wl_jmp_through(struct wl_code *c, uint64_t slot)
{
	WL_EMIT(c, 0xff, 0x25);
	wl_rel32(c, slot);
}

/* call target */
static inline void wl_call(struct wl_code *c, uint64_t target)
{
	wl_u8(c, 0xe8);
	wl_rel32(c, target);
}

enum wl_cond { WL_B = 2, WL_AE = 3, WL_E = 4, WL_NE = 5 };

/* jCC forward; returns a label to be given to wl_bind */
static inline size_t wl_jcc(struct wl_code *c, unsigned cond)
{
	WL_EMIT(c, 0x0f, (uint8_t)(0x80 | cond));
	wl_u32(c, 0);
	return c->n;
}

/* jmp forward */
static inline size_t wl_jmp_forward(struct wl_code *c)
{
	wl_u8(c, 0xe9);
	wl_u32(c, 0);
	return c->n;
}

/* The place where a forward jump goes is here. */
static inline void wl_bind(struct wl_code *c, size_t label)
{
	uint32_t d = (uint32_t)(c->n - label);

	if (!c->overflow)
		memcpy(c->p + label - 4, &d, 4);
}

/* jCC target, backward or far */
static inline void wl_jcc_to(struct wl_code *c, unsigned cond, uint64_t target)
{
	WL_EMIT(c, 0x0f, (uint8_t)(0x80 | cond));
	wl_rel32(c, target);
}

/* push %r */
static inline void wl_push(struct wl_code *c, unsigned r)
{
	if (r >= R8)
		wl_u8(c, 0x41);
	wl_u8(c, (uint8_t)(0x50 | (r & 7)));
}

/* pop %r */
static inline void wl_pop(struct wl_code *c, unsigned r)
{
	if (r >= R8)
		wl_u8(c, 0x41);
	wl_u8(c, (uint8_t)(0x58 | (r & 7)));
}

/* OP %r, disp(%r10) or OP disp(%r10), %r, 64 bits wide; `disp` is the table's address plus a field's offset */
static inline void wl_row_op(struct wl_code *c, uint8_t opcode, unsigned r, uint32_t disp)
{
	WL_EMIT(c, (uint8_t)(0x49 | (r >= R8 ? 4 : 0)), opcode, (uint8_t)(0x82 | (r & 7) << 3));
	wl_u32(c, disp);
}

/* mov %r, disp(%r10) */
static inline void wl_store(struct wl_code *c, unsigned r, uint32_t disp)
{
	wl_row_op(c, 0x89, r, disp);
}

/* mov disp(%r10), %r */
static inline void wl_load(struct wl_code *c, unsigned r, uint32_t disp)
{
	wl_row_op(c, 0x8b, r, disp);
}

/* cmp %r, disp(%r10) */
static inline void wl_cmp(struct wl_code *c, unsigned r, uint32_t disp)
{
	wl_row_op(c, 0x39, r, disp);
}

/* addq $imm8, disp(%r10) */
static inline void wl_add_imm8(struct wl_code *c, uint8_t imm, uint32_t disp)
{
	wl_row_op(c, 0x83, 0, disp);
	wl_u8(c, imm);
}

/* movq $imm32, disp(%r10) */
static inline void wl_store_imm(struct wl_code *c, uint32_t imm, uint32_t disp)
{
	wl_row_op(c, 0xc7, 0, disp);
	wl_u32(c, imm);
}

/* mov disp(%rsp), %r */
static inline void wl_load_stack(struct wl_code *c, unsigned r, uint32_t disp)
{
	WL_EMIT(c, (uint8_t)(0x48 | (r >= R8 ? 4 : 0)), 0x8b, (uint8_t)(0x84 | (r & 7) << 3), 0x24);
	wl_u32(c, disp);
}

/* lea disp(%rsp), %r11 */
static inline void wl_r11_lea_stack(struct wl_code *c, uint32_t disp)
{
	WL_EMIT(c, 0x4c, 0x8d, 0x9c, 0x24);
	wl_u32(c, disp);
}

/* sub $n, %rsp */
static inline void wl_sub_rsp(struct wl_code *c, uint32_t n)
{
	WL_EMIT(c, 0x48, 0x81, 0xec);
	wl_u32(c, n);
}

/* add $n, %rsp */
static inline void wl_add_rsp(struct wl_code *c, uint32_t n)
{
	WL_EMIT(c, 0x48, 0x81, 0xc4);
	wl_u32(c, n);
}

enum { WL_MOVUPS_LOAD = 0x10, WL_MOVUPS_STORE = 0x11 };

/* movups between %xmm and disp(%rsp) */
static inline void wl_movups(struct wl_code *c, uint8_t opcode, unsigned xmm, uint32_t disp)
{
	if (xmm >= 8)
		wl_u8(c, 0x44);
	WL_EMIT(c, 0x0f, opcode, (uint8_t)(0x84 | (xmm & 7) << 3), 0x24);
	wl_u32(c, disp);
}

/* mov $imm32, %r (zero-extended) */
static inline void wl_mov_imm32(struct wl_code *c, unsigned r, uint32_t imm)
{
	if (r >= R8)
		wl_u8(c, 0x41);
	wl_u8(c, (uint8_t)(0xb8 | (r & 7)));
	wl_u32(c, imm);
}

/* movabs $imm64, %r */
static inline void wl_mov_imm64(struct wl_code *c, unsigned r, uint64_t imm)
{
	WL_EMIT(c, (uint8_t)(0x48 | (r >= R8 ? 1 : 0)), (uint8_t)(0xb8 | (r & 7)));
	wl_bytes(c, &imm, 8);
}

#endif
