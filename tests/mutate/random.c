/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs: loops, branches and memory accesses in the shapes that compilers make, and in shapes that are
 * nearly those. Each is put into a module, and a proof is inferred; what the verifier accepts is run and watched
 * (sandbox.c). This exercises the facts about loops: ranks, counted locations, distances, nesting, cursors. Each
 * accepted program also gets other proofs, made from the inferred one, most of which are false (lies.c).
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include "case.h"
#include "codegen/infer/infer.h"
#include "lies.h"
#include "sandbox.h"

enum {
	PROGRAMS = 12000,
	ROUNDS = 4,
	LIES = 8,
	MOST_STEPPED = 20000,
	LEAST_RUN = 600,
	LEAST_SHARED = 100,
	ROOM = 1024,
	STATE = 256
};

struct program {
	uint64_t random;
	uint8_t code[ROOM + 64];
	size_t n;
	unsigned depth; /* of loops and branches */
	bool vectors;   /* it works with vector registers, and with the stack */
	bool up;        /* the last loop that has a counter of its own goes up */
	unsigned care;  /* one access in so many is careless */
	unsigned long loops;
	/* proofs made of those inferred, and those of them that were accepted all the same */
	unsigned long lies, believed;
};

static uint64_t draw(void *user)
{
	struct program *p = user;
	uint64_t z = (p->random += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static unsigned below(struct program *p, unsigned n)
{
	return (unsigned)(draw(p) % n);
}

static bool one_in(struct program *p, unsigned n)
{
	return below(p, n) == 0;
}

/* ---- Encoding ---- */

/*
 * Registers in encoding order; those that programs use: all scratch registers but rsi and rdi, which hold state and
 * event.
 */
enum { RAX, RCX, RDX, RSI = 6, RDI = 7 };
static const unsigned pool[] = {0, 1, 2, 8, 9, 10, 11};

static unsigned any_register(struct program *p)
{
	return pool[below(p, sizeof(pool) / sizeof(pool[0]))];
}

static ZydisEncoderOperand reg(unsigned r, unsigned width)
{
	ZydisEncoderOperand o = {.type = ZYDIS_OPERAND_TYPE_REGISTER};
	o.reg.value = (ZydisRegister)((width == 64          ? ZYDIS_REGISTER_RAX
					      : width == 32 ? ZYDIS_REGISTER_EAX
							    : ZYDIS_REGISTER_AX) +
				      r);
	if (width == 8)
		o.reg.value = (ZydisRegister)(r < 4 ? ZYDIS_REGISTER_AL + r : ZYDIS_REGISTER_SPL + (r - 4));
	return o;
}

static ZydisEncoderOperand imm(int64_t v)
{
	ZydisEncoderOperand o = {.type = ZYDIS_OPERAND_TYPE_IMMEDIATE};
	o.imm.s = v;
	return o;
}

/* [base + index*scale + disp]; index 16: none */
static ZydisEncoderOperand mem(unsigned base, unsigned index, unsigned scale, int64_t disp, unsigned bytes)
{
	ZydisEncoderOperand o = {.type = ZYDIS_OPERAND_TYPE_MEMORY};
	o.mem.base = (ZydisRegister)(ZYDIS_REGISTER_RAX + base);
	o.mem.index = index == 16 ? ZYDIS_REGISTER_NONE : (ZydisRegister)(ZYDIS_REGISTER_RAX + index);
	o.mem.scale = index == 16 ? 0 : (ZyanU8)scale;
	o.mem.displacement = disp;
	o.mem.size = (ZyanU16)bytes;
	return o;
}

static void emit(struct program *p, ZydisMnemonic mnemonic, ZydisEncoderOperand a, ZydisEncoderOperand b)
{
	ZydisEncoderRequest r;
	memset(&r, 0, sizeof(r));
	r.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
	r.mnemonic = mnemonic;
	r.operand_count = b.type == ZYDIS_OPERAND_TYPE_UNUSED ? 1 : 2;
	r.operands[0] = a;
	r.operands[1] = b;
	ZyanUSize size = 15;
	if (p->n < ROOM && ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&r, p->code + p->n, &size)))
		p->n += size;
}

static const ZydisEncoderOperand none;

/* jcc or jmp (cond 16) to an offset of the code, or to one that is filled in later: returns where. */
static size_t emit_jump(struct program *p, unsigned cond, size_t to)
{
	if (p->n >= ROOM)
		return 0;
	if (cond < 16)
		p->code[p->n++] = 0x0f;
	p->code[p->n++] = (uint8_t)(cond < 16 ? 0x80 + cond : 0xe9);
	int32_t distance = (int32_t)(to - (p->n + 4));
	memcpy(p->code + p->n, &distance, 4);
	p->n += 4;
	return p->n - 4;
}

static void land(struct program *p, size_t at)
{
	int32_t distance = (int32_t)(p->n - (at + 4));
	if (at)
		memcpy(p->code + at, &distance, 4);
}

/* ---- Pieces ---- */

static void gen_block(struct program *p, unsigned pieces, unsigned counter);

static unsigned width_of(struct program *p)
{
	return one_in(p, 2) ? 64 : 32;
}

/* A register gets a number, small more often than not, or a place in the state. */
static void gen_value(struct program *p, unsigned r)
{
	switch (below(p, 6)) {
	case 0: emit(p, ZYDIS_MNEMONIC_MOV, reg(r, 32), imm(below(p, 70))); break;
	case 1: emit(p, ZYDIS_MNEMONIC_LEA, reg(r, 64), mem(RSI, 16, 1, below(p, STATE), 8)); break;
	case 2: emit(p, ZYDIS_MNEMONIC_XOR, reg(r, 32), reg(r, 32)); break;
	default: {
		unsigned w = width_of(p);
		emit(p, ZYDIS_MNEMONIC_MOV, reg(r, w), mem(one_in(p, 3) ? RSI : RDI, 16, 1, 8 * below(p, 6), w / 8));
		if (!one_in(p, 4))
			emit(p, ZYDIS_MNEMONIC_AND, reg(r, w), imm((1 << (1 + below(p, 7))) - 1));
		break;
	}
	}
}

static void gen_arithmetic(struct program *p, unsigned counter)
{
	static const ZydisMnemonic ops[] = {ZYDIS_MNEMONIC_ADD, ZYDIS_MNEMONIC_SUB, ZYDIS_MNEMONIC_AND,
		ZYDIS_MNEMONIC_OR, ZYDIS_MNEMONIC_XOR, ZYDIS_MNEMONIC_MOV, ZYDIS_MNEMONIC_ADD, ZYDIS_MNEMONIC_SUB};
	unsigned a = any_register(p), b = any_register(p), w = width_of(p);
	if (a == counter && !one_in(p, p->care))
		return;
	switch (below(p, 8)) {
	case 0:
		emit(p, ZYDIS_MNEMONIC_LEA, reg(a, w),
			mem(b, one_in(p, 2) ? 16 : any_register(p), 1u << below(p, 4), (int)below(p, 40) - 8, 8));
		break;
	case 1: emit(p, one_in(p, 2) ? ZYDIS_MNEMONIC_SHR : ZYDIS_MNEMONIC_SHL, reg(a, w), imm(below(p, 6))); break;
	case 2: emit(p, one_in(p, 2) ? ZYDIS_MNEMONIC_INC : ZYDIS_MNEMONIC_DEC, reg(a, w), none); break;
	case 3: emit(p, ops[below(p, 8)], reg(a, w), imm((int)below(p, 100) - 20)); break;
	case 4: emit(p, ZYDIS_MNEMONIC_AND, reg(a, w), imm((1 << (1 + below(p, 7))) - 1)); break;
	case 5:
		emit(p, ZYDIS_MNEMONIC_CMP, reg(a, w), reg(b, w));
		emit(p, (ZydisMnemonic)(one_in(p, 2) ? ZYDIS_MNEMONIC_CMOVB : ZYDIS_MNEMONIC_CMOVNBE), reg(a, w),
			reg(b, w));
		break;
	default: emit(p, ops[below(p, 8)], reg(a, w), reg(b, w)); break;
	}
}

/* A byte at an index that is masked first, or at the loop's counter, which is mostly small enough. */
static void gen_careful_access(struct program *p, unsigned counter)
{
	unsigned index = counter, scale = 1u << below(p, 3);
	bool by_pointer = counter != 16 && one_in(p, 3);
	if (counter == 16 || one_in(p, 3)) {
		index = any_register(p);
		by_pointer = false;
		scale = 1u << below(p, 4);
		emit(p, ZYDIS_MNEMONIC_AND, reg(index, width_of(p)), imm(STATE / (int)scale / 2 - 1));
	}
	ZydisEncoderOperand at = by_pointer ? mem(index, 16, 1, below(p, 3), 1)
					    : mem(RSI, index, scale, below(p, 8), one_in(p, 2) ? 1 : scale);
	if (one_in(p, 3))
		emit(p, ZYDIS_MNEMONIC_INC, at, none);
	else if (one_in(p, 2))
		emit(p, ZYDIS_MNEMONIC_MOV, reg(any_register(p), at.mem.size * 8u), at);
	else
		emit(p, ZYDIS_MNEMONIC_MOV, at, imm(below(p, 100)));
}

/* A register that is neither of two, nor the loop's counter. */
static unsigned other_register(struct program *p, unsigned a, unsigned b, unsigned counter)
{
	unsigned r;
	do
		r = any_register(p);
	while (r == a || r == b || r == counter);
	return r;
}

/* Mostly 0. */
static int slip(struct program *p, int most)
{
	return one_in(p, p->care) ? (int)below(p, 2 * (unsigned)most + 1) - most : 0;
}

/* What skips the access: mostly the right condition. */
static size_t skip_unless(struct program *p, unsigned right)
{
	static const uint8_t wrong[] = {2, 3, 6, 7, 12, 13, 14, 15, 5};
	return emit_jump(p, one_in(p, p->care) ? wrong[below(p, sizeof(wrong))] : right, 0);
}

/*
 * A pointer that is found in memory, its distance from the state or itself compared, and an access through it: nearly
 * what a guard does. What is compared, what is accessed, which copy of it and by how much moved may each be a little
 * wrong.
 */
static void gen_loaded_pointer(struct program *p, unsigned counter)
{
	unsigned n = other_register(p, counter, counter, counter), d = other_register(p, n, n, counter), through = n,
		 bytes = 1u << below(p, 4);
	int from = one_in(p, 3) ? (int)(8 * below(p, 8)) : 0, moved = one_in(p, 3) ? (int)(8 * below(p, 3)) : 0;
	int64_t spill = -8 * (int64_t)(1 + below(p, 16)), last = STATE - (int)bytes - from - moved;
	unsigned keep = below(p, 4), narrow = one_in(p, p->care) ? 32 : 64;
	size_t low = 0, high;
	emit(p, ZYDIS_MNEMONIC_MOV, reg(n, 64), mem(one_in(p, 4) ? RDI : RSI, 16, 1, 8 * below(p, 14), 8));
	if (keep == 0) {
		through = other_register(p, n, d, counter);
		emit(p, ZYDIS_MNEMONIC_LEA, reg(through, 64), mem(n, 16, 1, moved, 8));
	} else if (keep == 1) {
		emit(p, ZYDIS_MNEMONIC_MOV, mem(4, 16, 1, spill, 8), reg(n, 64));
	}
	if (one_in(p, 2)) { /* n - (state + from) is at most `last` */
		emit(p, ZYDIS_MNEMONIC_LEA, reg(d, 64), mem(RSI, 16, 1, from, 8));
		unsigned base = d;
		if (one_in(p, 2)) {
			d = other_register(p, n, base, through == n ? counter : through);
			emit(p, ZYDIS_MNEMONIC_MOV, reg(d, 64), reg(n, 64));
			emit(p, ZYDIS_MNEMONIC_SUB, reg(d, 64), reg(base, 64));
		} else {
			d = n;
			emit(p, ZYDIS_MNEMONIC_SUB, reg(n, 64), reg(base, 64));
			emit(p, ZYDIS_MNEMONIC_LEA, reg(base, 64), mem(n, base, 1, 0, 8)); /* and back again */
			through = through == n ? base : through;
		}
		emit(p, ZYDIS_MNEMONIC_CMP, reg(d, narrow), imm(last + slip(p, 9)));
		high = skip_unless(p, 7);
	} else {
		emit(p, ZYDIS_MNEMONIC_LEA, reg(d, 64), mem(RSI, 16, 1, from, 8));
		emit(p, ZYDIS_MNEMONIC_CMP, reg(n, narrow), reg(d, narrow));
		if (!one_in(p, p->care))
			low = skip_unless(p, 2);
		emit(p, ZYDIS_MNEMONIC_LEA, reg(d, 64), mem(RSI, 16, 1, from + last + slip(p, 9), 8));
		emit(p, ZYDIS_MNEMONIC_CMP, reg(n, narrow), reg(d, narrow));
		high = skip_unless(p, 7);
	}
	if (keep == 1) {
		through = other_register(p, n, n, counter);
		emit(p, ZYDIS_MNEMONIC_MOV, reg(through, 64), mem(4, 16, 1, spill + slip(p, 1) * 8, 8));
	}
	ZydisEncoderOperand at = mem(through, 16, 1, (keep == 0 ? 0 : moved) + slip(p, 9), bytes);
	if (one_in(p, 2))
		emit(p, ZYDIS_MNEMONIC_INC, at, none);
	else
		emit(p, ZYDIS_MNEMONIC_MOV, reg(other_register(p, n, n, counter), bytes * 8), at);
	land(p, high);
	land(p, low);
}

/* A load or store, through the state and an index, or through a register that may be a pointer. */
static void gen_access(struct program *p, unsigned counter)
{
	if (one_in(p, 6)) {
		gen_loaded_pointer(p, counter);
		return;
	}
	if (!one_in(p, p->care)) {
		gen_careful_access(p, counter);
		return;
	}
	unsigned index = counter != 16 && !one_in(p, 3) ? counter : any_register(p), scale = 1u << below(p, 4),
		 bytes = 1u << below(p, 4);
	ZydisEncoderOperand at = one_in(p, 3) ? mem(index, 16, 1, (int)below(p, 20) - 4, bytes)
					      : mem(RSI, index, scale, one_in(p, 4) ? (int)below(p, 64) - 8 : 0, bytes);
	unsigned r = any_register(p);
	if (one_in(p, 3) && bytes >= 4)
		emit(p, ZYDIS_MNEMONIC_MOV, reg(r, bytes * 8), at);
	else if (one_in(p, 3))
		emit(p, one_in(p, 2) ? ZYDIS_MNEMONIC_INC : ZYDIS_MNEMONIC_DEC, at, none);
	else
		emit(p, ZYDIS_MNEMONIC_MOV, at, imm(below(p, 100)));
}

/* ---- Vector registers, and the stack below rsp ---- */

enum { VECTORS = 4 };

static ZydisEncoderOperand xmm(unsigned r)
{
	ZydisEncoderOperand o = {.type = ZYDIS_OPERAND_TYPE_REGISTER};
	o.reg.value = (ZydisRegister)(ZYDIS_REGISTER_XMM0 + r);
	return o;
}

/* So many bytes of the state or the stack, aligned to them, mostly. */
static ZydisEncoderOperand place_of(struct program *p, unsigned bytes)
{
	bool careless = one_in(p, p->care);
	if (one_in(p, 2))
		return mem(4, 16, 1,
			-8 - (int64_t)(16 * below(p, 7)) - (bytes == 16 ? 16 : 8 * below(p, 2)) +
				(careless ? (int)below(p, 24) - 8 : 0),
			bytes);
	return mem(
		RSI, 16, 1, (int64_t)(bytes * below(p, STATE / bytes)) + (careless ? (int)below(p, 24) - 8 : 0), bytes);
}

/* A register gets bytes that are the program's own, or sometimes keeps some that aren't. */
static void gen_vector_value(struct program *p, unsigned r)
{
	switch (below(p, 8)) {
	case 0: emit(p, ZYDIS_MNEMONIC_PXOR, xmm(r), xmm(r)); break;
	case 1: emit(p, ZYDIS_MNEMONIC_PCMPEQD, xmm(r), xmm(r)); break;
	case 2: emit(p, ZYDIS_MNEMONIC_MOVDQU, xmm(r), mem(RDI, 16, 1, 8 * below(p, 13), 16)); break;
	case 3: emit(p, ZYDIS_MNEMONIC_MOVQ, xmm(r), reg(any_register(p), 64)); break;
	case 4: emit(p, ZYDIS_MNEMONIC_MOVD, xmm(r), place_of(p, 4)); break;
	case 5: emit(p, one_in(p, 2) ? ZYDIS_MNEMONIC_MOVLPS : ZYDIS_MNEMONIC_MOVHPS, xmm(r), place_of(p, 8)); break;
	default:
		emit(p, one_in(p, 2) ? ZYDIS_MNEMONIC_MOVAPS : ZYDIS_MNEMONIC_MOVUPS, xmm(r),
			mem(RSI, 16, 1, 16 * below(p, STATE / 16), 16));
		break;
	}
}

/*
 * Of a vector register, of its half or of a general register to memory: in the stack what is loaded later may be some
 * of each.
 */
static void gen_vector_store(struct program *p)
{
	unsigned r = below(p, VECTORS);
	switch (below(p, 5)) {
	case 0: emit(p, ZYDIS_MNEMONIC_MOVLPS, place_of(p, 8), xmm(r)); break;
	case 1:
		emit(p, ZYDIS_MNEMONIC_MOV, mem(4, 16, 1, -8 * (int64_t)(1 + below(p, 16)), 8),
			reg(one_in(p, 4) ? RSI : any_register(p), 64));
		break;
	case 2: emit(p, ZYDIS_MNEMONIC_MOVAPS, place_of(p, 16), xmm(r)); break;
	default: emit(p, ZYDIS_MNEMONIC_MOVUPS, place_of(p, 16), xmm(r)); break;
	}
}

/* A pointer is spilled, vector registers are stored, perhaps over it, and what is in its slot then is used as one. */
static void gen_spill(struct program *p, unsigned to)
{
	int64_t at = -8 * (int64_t)(1 + below(p, 16));
	emit(p, ZYDIS_MNEMONIC_MOV, mem(4, 16, 1, at, 8), reg(RSI, 64));
	for (unsigned i = 1 + below(p, 2); i > 0; i--)
		gen_vector_store(p);
	emit(p, ZYDIS_MNEMONIC_MOV, reg(to, 64), mem(4, 16, 1, at, 8));
	emit(p, ZYDIS_MNEMONIC_INC, mem(to, 16, 1, below(p, STATE), 1), none);
}

static void gen_vector(struct program *p, unsigned counter)
{
	static const ZydisMnemonic ops[] = {ZYDIS_MNEMONIC_PADDD, ZYDIS_MNEMONIC_PAND, ZYDIS_MNEMONIC_POR,
		ZYDIS_MNEMONIC_PCMPGTB, ZYDIS_MNEMONIC_PUNPCKLBW, ZYDIS_MNEMONIC_MOVSS, ZYDIS_MNEMONIC_MOVSD,
		ZYDIS_MNEMONIC_MOVHLPS, ZYDIS_MNEMONIC_PSADBW, ZYDIS_MNEMONIC_MOVAPS};
	unsigned r = below(p, VECTORS), to = any_register(p);
	if (to == counter)
		to = counter == RAX ? RCX : RAX;
	switch (below(p, 10)) {
	case 0: gen_vector_value(p, r); break;
	case 1:
	case 2: gen_vector_store(p); break;
	case 3: emit(p, ZYDIS_MNEMONIC_MOVQ, reg(to, 64), xmm(r)); break;
	case 4:
		emit(p, ZYDIS_MNEMONIC_PMOVMSKB, reg(to, 32), xmm(r));
		emit(p, ZYDIS_MNEMONIC_AND, reg(to, 32), imm(STATE - 1));
		emit(p, ZYDIS_MNEMONIC_INC, mem(RSI, to, 1, 0, 1), none);
		break;
	case 5:
	case 6:
	case 7: gen_spill(p, to); break;
	case 8: emit(p, ZYDIS_MNEMONIC_MOVUPS, xmm(r), place_of(p, 16)); break;
	default: emit(p, ops[below(p, sizeof(ops) / sizeof(ops[0]))], xmm(r), xmm(below(p, VECTORS))); break;
	}
}

static void gen_branch(struct program *p, unsigned counter)
{
	unsigned a = any_register(p), w = width_of(p);
	emit(p, ZYDIS_MNEMONIC_CMP, reg(a, w), one_in(p, 2) ? imm(below(p, 80)) : reg(any_register(p), w));
	size_t over = emit_jump(p, below(p, 16) & 0xe ? 2 + below(p, 6) : 12 + below(p, 4), 0);
	gen_block(p, 1 + below(p, 3), counter);
	land(p, over);
}

/* A loop that goes on with the counter of the one around it, mostly in the same direction. */
static void gen_shared_loop(struct program *p, unsigned c)
{
	bool up = p->up != one_in(p, 12);
	size_t head = p->n;
	gen_block(p, below(p, 3), c);
	emit(p, up ? ZYDIS_MNEMONIC_ADD : ZYDIS_MNEMONIC_SUB, reg(c, 64), imm(1 + below(p, 2)));
	if (one_in(p, 3)) { /* which only the state knows */
		emit(p, ZYDIS_MNEMONIC_CMP, mem(RSI, 16, 1, below(p, STATE), 1), imm(below(p, 100)));
		size_t out = emit_jump(p, 4, 0);
		emit(p, ZYDIS_MNEMONIC_CMP, reg(c, 64), imm(up ? 1 + below(p, 60) : below(p, 8)));
		emit_jump(p, up ? 2 : 7, head);
		land(p, out);
	} else {
		emit(p, ZYDIS_MNEMONIC_CMP, reg(c, 64), imm(up ? 1 + below(p, 60) : below(p, 8)));
		emit_jump(p, up ? 2 : 7, head);
	}
	p->loops++;
}

/* A counter goes from one place to another in steps; sometimes not quite. */
static void gen_loop(struct program *p)
{
	unsigned c = any_register(p), w = width_of(p), shape = below(p, 6), step = 1 + below(p, one_in(p, 2) ? 1 : 9),
		 limit = any_register(p);
	bool up = shape < 4, by_register = shape == 1 || shape == 2, pointer = w == 64 && one_in(p, 3);
	if (by_register && limit == c)
		limit = c == RAX ? RCX : RAX;
	if (by_register)
		gen_value(p, limit);
	if (pointer)
		emit(p, ZYDIS_MNEMONIC_LEA, reg(c, 64), mem(RSI, 16, 1, up ? below(p, 16) : 64 + below(p, 100), 8));
	else if (one_in(p, 3))
		gen_value(p, c);
	else
		emit(p, ZYDIS_MNEMONIC_MOV, reg(c, 32), imm(up ? below(p, 5) : step * (1 + below(p, 12))));
	if (pointer && by_register)
		emit(p, ZYDIS_MNEMONIC_LEA, reg(limit, 64), mem(c, limit, 1, step, 8));
	size_t head = p->n;
	p->up = up;
	gen_block(p, 1 + below(p, 4), c);
	if (step == 1 && one_in(p, 2))
		emit(p, up ? ZYDIS_MNEMONIC_INC : ZYDIS_MNEMONIC_DEC, reg(c, w), none);
	else
		emit(p, up ? ZYDIS_MNEMONIC_ADD : ZYDIS_MNEMONIC_SUB, reg(c, w), imm(step));
	if (by_register)
		emit(p, ZYDIS_MNEMONIC_CMP, reg(c, w), reg(limit, w));
	else if (up || one_in(p, 3))
		emit(p, ZYDIS_MNEMONIC_CMP, reg(c, w), imm(up ? step * (1 + below(p, 20)) : 0));
	/* below, not equal, not above, less, … while going up; not equal, above, not sign while going down */
	static const uint8_t ups[] = {2, 2, 5, 6, 12, 14}, downs[] = {5, 5, 7, 15, 9, 3};
	emit_jump(p, up ? ups[below(p, 6)] : downs[below(p, 6)], head);
	p->loops++;
}

static void gen_block(struct program *p, unsigned pieces, unsigned counter)
{
	p->depth++;
	for (unsigned i = 0; i < pieces; i++) {
		unsigned what = below(p, p->vectors ? 16 : 12);
		if (what >= 12) {
			gen_vector(p, counter);
			continue;
		}
		if (what < 5)
			gen_access(p, counter);
		else if (what < 8)
			gen_arithmetic(p, counter);
		else if (what == 8)
			gen_value(p, any_register(p));
		else if (p->depth > 3 || p->n > ROOM / 2)
			continue;
		else if (what == 9)
			gen_branch(p, counter);
		else if (counter != 16 && one_in(p, 2))
			gen_shared_loop(p, counter);
		else
			gen_loop(p);
	}
	p->depth--;
}

static void gen_program(struct program *p)
{
	p->n = 0;
	p->depth = 0;
	p->care = 2u << below(p, 5);
	p->loops = 0;
	p->vectors = one_in(p, 3);
	for (unsigned r = 0; r < VECTORS && p->vectors; r++) {
		if (!one_in(p, r ? p->care : 4))
			emit(p, ZYDIS_MNEMONIC_MOVUPS, xmm(r), mem(RSI, 16, 1, below(p, STATE - 15), 16));
	}
	for (int64_t at = 16; at <= 128 && p->vectors; at += 16) { /* all of the red zone, or most of it */
		if (!one_in(p, p->care))
			emit(p, ZYDIS_MNEMONIC_MOVUPS, mem(4, 16, 1, -at, 16), xmm(below(p, VECTORS)));
	}
	for (size_t i = 0; i < sizeof(pool) / sizeof(pool[0]); i++)
		gen_value(p, pool[i]);
	if (one_in(p, 2))
		gen_loop(p);
	gen_block(p, 1 + below(p, 4), 16);
	p->code[p->n++] = 0xc3;
}

/* ---- Modules ---- */

/* A module whose text is room for a program. */
static bool make_template(const char *dir, struct ward_buf *file)
{
	char path[4096];
	struct corpus_case c;
	snprintf(path, sizeof(path), "%s/template.s", dir);
	FILE *f = fopen(path, "w");
	if (!f)
		return false;
	fprintf(f,
		"# shows: room\n# rules: V-10\n# state: %d\n\t.text\n\t.globl probe\nprobe:\n\tret\n\t.fill %d, 1, "
		"0xcc\n",
		STATE, ROOM + 63);
	fclose(f);
	bool ok = case_read(path, false, &c) && case_build(path, dir, &c);
	if (ok)
		*file = buf_copy(&c.module);
	case_free(&c);
	unlink(path);
	return ok;
}

static bool place(struct ward_buf *file, const struct program *p)
{
	struct part text = part_segment(file, 5);
	uint64_t entry = get_le(file, part_note(file).offset + 32, 8) - segment_address(file, 5);
	if (entry + ROOM + 64 > text.size)
		return false;
	memset(file->data + text.offset + entry, 0xcc, ROOM + 64);
	memcpy(file->data + text.offset + entry, p->code, p->n);
	uint8_t *proof;
	size_t n;
	const char *why;
	if (ward_infer(file->data, file->size, NULL, &proof, &n, &why))
		return false;
	set_proof(file, proof, n);
	free(proof);
	return true;
}

/* Do loops of it share a counter? The proof has cursors then, in its version 2. */
static bool has_cursor(const struct ward_buf *file)
{
	struct part proof = part_section(file, ".ward.proof");
	return proof.size > 4 && file->data[proof.offset + 4] == 2;
}

static enum sandbox_result run(
	const struct ward_buf *file, const struct ward_verdict *v, unsigned rounds, uint64_t seed)
{
	bool short_enough = v->module.entries[0].max_insns <= MOST_STEPPED;
	return short_enough ? sandbox_run(file->data, file->size, v, rounds, MOST_STEPPED, seed) : SANDBOX_CANT_RUN;
}

/* Other proofs of an accepted program, most of which lie. Returns how many are accepted, and wrong. */
static unsigned lie(struct program *p, const struct ward_buf *good, uint64_t seed)
{
	unsigned wrong = 0;
	for (unsigned i = 0; i < LIES; i++) {
		struct ward_buf file = buf_copy(good);
		struct ward_verdict *v = proof_lie(&file, draw, p) ? ward_verify(file.data, file.size, NULL) : NULL;
		p->lies++;
		if (v && v->accepted) {
			p->believed++;
			if (run(&file, v, 1, seed) == SANDBOX_BROKEN) {
				fprintf(stderr,
					"random: program of seed %#" PRIx64
					", with its proof changed (%u): accepted, and wrong\n",
					seed, i);
				wrong++;
			}
		}
		ward_verdict_free(v);
		free(file.data);
	}
	return wrong;
}

int main(int argc, char **argv)
{
	static struct program p;
	char dir[] = "/tmp/ward-random-XXXXXX";
	struct ward_buf template;
	unsigned long programs = argc > 2 ? strtoul(argv[2], NULL, 0) : PROGRAMS, accepted = 0, held = 0, wrong = 0,
		      loops = 0, vectors = 0, shared = 0;
	p.random = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	printf("random: seed %" PRIu64 "\n", p.random);
	if (!mkdtemp(dir) || !make_template(dir, &template))
		return 1;
	rmdir(dir);
	for (unsigned long i = 0; i < programs && wrong < 10; i++) {
		uint64_t seed = p.random;
		struct ward_buf file = buf_copy(&template);
		gen_program(&p);
		struct ward_verdict *v = place(&file, &p) ? ward_verify(file.data, file.size, NULL) : NULL;
		if (v && v->accepted) {
			accepted++;
			vectors += v->module.entries[0].clobbers >> 16 != 0;
			loops += p.loops;
			shared += has_cursor(&file);
			enum sandbox_result result = run(&file, v, ROUNDS, seed);
			held += result == SANDBOX_HELD;
			wrong += result == SANDBOX_BROKEN;
			if (result == SANDBOX_BROKEN)
				fprintf(stderr, "random: program of seed %#" PRIx64 ": accepted, and wrong\n", seed);
			wrong += lie(&p, &file, seed);
		}
		ward_verdict_free(v);
		free(file.data);
	}
	free(template.data);
	printf("random: %lu programs, %lu accepted with %lu loops, %lu of them with vector registers, %lu with loops "
	       "that share a counter, %lu run %d times on two hosts each; %lu other proofs of them, %lu of these "
	       "accepted "
	       "and run, %lu wrong\n",
		programs, accepted, loops, vectors, shared, held, ROUNDS, p.lies, p.believed, wrong);
	unsigned long least = programs * LEAST_RUN / PROGRAMS;
	return wrong || held < least || p.believed < least || shared < programs * LEAST_SHARED / PROGRAMS;
}
