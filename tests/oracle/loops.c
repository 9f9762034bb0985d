/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds of loops compared with loops that run. Random loops, alone or in one another, get random proofs: what ranks
 * the loop, in which view and by which step, what else it counts, and what is claimed at its head of registers, stack
 * slots in four or eight bytes, and distances. The verifier refuses nearly all of them. An accepted one is run: it
 * must end within the claimed instructions, and what the registers held at the last entry to each head must match the
 * claims there.
 *
 * Nests may share a cursor: the inner loop then goes on where it was, mostly, so that its rounds and the outer loop's
 * add up. What they claim of the cursor is drawn as well.
 *
 * Each iteration counts itself in the state, of which the verifier knows nothing, and goes on only while the count is
 * below a limit. So an endless loop ends too. A loop that has no exit of its own is never bounded, so accepting it is
 * always an error.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "verifier/check/check.h"
#include "draw.h"

enum {
	TRIALS = 1000000,
	LEAST_ACCEPTED = 1000,
	LEAST_SHARED = 100,
	COSTLIEST = 1 << 16,
	LIMIT = 1 << 17,
	REGISTERS = 3,
	SLOTS = 2,
	VIEWS = 6,
	STATE = 64,
	NOWHERE = REGISTERS + SLOTS
};

static const uint64_t NEVER = 0x5eed0fa110ff1ce5; /* what the inner head tells before control has been there */

/* One loop: what its proof says of it. */
struct ranked {
	unsigned view, rank; /* ranked by register, or slot from REGISTERS on */
	unsigned counted;    /* likewise; what is counted besides */
	bool counts, down;
	size_t head;
	unsigned insns; /* of an iteration, up to the one that counts it */
};

/* rax, rcx, rdx; the slots at rsp - 8 and rsp - 16. */
struct loop {
	struct draw *d;
	uint8_t text[1024], proof[1024];
	size_t n_text, n_proof, after, out; /* after: where the inner loop has ended */
	struct ranked of[2];                /* the second lies in the first */
	unsigned n_loops;
	bool shares, both; /* the inner loop shares a cursor of the outer one's, which may share it itself */
	struct ranked *is; /* the one that is drawn now */
	unsigned avoid[2]; /* locations that the code here had better leave alone */
	uint64_t bound;    /* a number that the loop has to do with */
	uint64_t initial[REGISTERS];
	bool half[SLOTS]; /* the proof claims four bytes of it, mostly */
	struct {
		size_t at;  /* where a displacement is to be put: */
		bool after; /* to the end of the inner loop, or to the way out */
	} exit[16];
	unsigned n_exits;
};

/* ---- Code ---- */

static void put(struct loop *l, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		l->text[l->n_text++] = (uint8_t)(v >> 8 * i);
}

/* Of nested loops there is more that may be wrong. */
static bool seldom(struct loop *l, unsigned n)
{
	return draw_one_in(l->d, l->n_loops > 1 ? 4 * n : n);
}

static bool avoided(const struct loop *l, unsigned at)
{
	return at == l->avoid[0] || at == l->avoid[1];
}

static unsigned draw_register(struct loop *l)
{
	unsigned reg = (unsigned)draw_below(l->d, REGISTERS);
	for (unsigned i = 0; i < 2 && avoided(l, reg) && !draw_one_in(l->d, 8); i++)
		reg = (reg + 1) % REGISTERS;
	return reg;
}

static unsigned draw_slot(struct loop *l)
{
	unsigned n = (unsigned)draw_below(l->d, SLOTS);
	return avoided(l, REGISTERS + n) && !draw_one_in(l->d, 8) ? (n + 1) % SLOTS : n;
}

/* Is it accessed in eight bytes? */
static bool is_wide(struct loop *l, unsigned slot)
{
	return seldom(l, 2) ? draw_one_in(l->d, 2) : !l->half[slot];
}

/* One that may be changed, beside `reg`. */
static unsigned other_than(const struct loop *l, unsigned reg)
{
	unsigned other = (reg + 1) % REGISTERS;
	return avoided(l, other) ? (reg + 2) % REGISTERS : other;
}

/* `opcode` with two registers, at 32 or 64 bits. */
static void registers(struct loop *l, bool wide, unsigned opcode, unsigned reg, unsigned rm)
{
	if (wide)
		put(l, 0x48, 1);
	put(l, opcode, 1);
	put(l, 0xc0 | reg << 3 | rm, 1);
}

/* Between a register and a slot, or its upper half. */
static void slot(struct loop *l, bool wide, unsigned opcode, unsigned reg, unsigned n, bool upper)
{
	if (wide)
		put(l, 0x48, 1);
	put(l, opcode, 1);
	put(l, 0x44 | reg << 3, 1);
	put(l, 0x24, 1);
	put(l, (uint8_t)(-8 * (int)(n + 1) + (upper ? 4 : 0)), 1);
}

static uint64_t draw_number(struct loop *l)
{
	static const uint64_t some[] = {0, 0, 1, 4, 16, INT32_MAX, UINT64_C(1) << 31, UINT32_MAX, UINT64_C(1) << 32,
		UINT64_C(1) << 33, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX};
	return draw_one_in(l->d, 2) ? l->bound
				    : some[draw_below(l->d, sizeof(some) / sizeof(some[0]))] + draw_below(l->d, 3) -
					      draw_below(l->d, 2);
}

static void mov_constant(struct loop *l, unsigned reg, uint64_t v)
{
	put(l, 0xb848 + (reg << 8), 2);
	put(l, v, 8);
}

static unsigned arithmetic(struct loop *l)
{
	unsigned reg = draw_one_in(l->d, 2) && l->is->rank < REGISTERS ? l->is->rank : draw_register(l),
		 other = draw_register(l);
	bool wide = !draw_one_in(l->d, 3);
	static const uint8_t two[] = {0x01, 0x29, 0x09, 0x21, 0x31, 0x89, 0x89, 0x87};
	switch (draw_below(l->d, 7)) {
	case 0: registers(l, wide, 0xff, (unsigned)draw_below(l->d, 2), reg); return 1; /* inc, dec */
	case 1:                                                                         /* shl, shr, sar */
		registers(l, wide, 0xc1, draw_one_in(l->d, 4) ? 4 + 3 * (unsigned)draw_below(l->d, 2) : 5, reg);
		put(l, draw_one_in(l->d, 2) ? 1 : draw_one_in(l->d, 2) ? 32 : draw_below(l->d, 64), 1);
		return 1;
	case 2: /* and r, r - 1 */
		put(l, 0x408d48 | reg << 16 | other << 19, 3);
		put(l, 0xff, 1);
		registers(l, wide, 0x21, other, reg);
		return 2;
	case 3:
	case 4: /* add, sub, of a small number */
		registers(l, wide, 0x83, draw_one_in(l->d, 2) ? 0 : 5, reg);
		put(l, 1u << draw_below(l->d, 4), 1);
		return 1;
	case 5:
		mov_constant(l, other, draw_number(l));
		registers(l, wide, draw_one_in(l->d, 2) ? 0x01 : 0x29, other, reg);
		return 2;
	default: registers(l, wide, two[draw_below(l->d, sizeof(two))], other, reg); return 1;
	}
}

static void put_exit(struct loop *l)
{
	l->exit[l->n_exits].at = l->n_text;
	l->exit[l->n_exits++].after = l->is != l->of && !draw_one_in(l->d, 4);
	put(l, 0, 4);
}

/* A way out of the loop: by a comparison with a constant, or by zero. */
static unsigned leave(struct loop *l)
{
	unsigned reg = draw_one_in(l->d, 2) && l->is->rank < REGISTERS ? l->is->rank : draw_register(l), n = 1;
	bool wide = !draw_one_in(l->d, 3);
	if (draw_one_in(l->d, 3)) {
		registers(l, wide, 0x85, reg, reg);
	} else if (l->bound <= INT32_MAX) {
		registers(l, wide, 0x81, 7, reg);
		put(l, l->bound + draw_below(l->d, 3) - 1, 4);
	} else {
		unsigned other = other_than(l, reg);
		mov_constant(l, other, draw_number(l));
		registers(l, wide, 0x39, other, reg);
		n++;
	}
	put(l, 0x0f, 1);
	put(l, 0x80 + (draw_one_in(l->d, 3) ? 4 : draw_below(l->d, 16)), 1);
	put_exit(l);
	return n + 1;
}

/* Where the ranking location has come to its end. */
static unsigned leave_by_rank(struct loop *l)
{
	static const uint8_t up[2][2] = {{7, 3}, {15, 13}}; /* ja, jae; jg, jge */
	if (l->is->rank >= REGISTERS || l->bound > INT32_MAX || draw_one_in(l->d, 4))
		return leave(l);
	bool wide = !draw_one_in(l->d, 3);
	if (l->is->down) {
		registers(l, wide, 0x85, l->is->rank, l->is->rank);
	} else {
		registers(l, wide, 0x81, 7, l->is->rank);
		put(l, l->bound, 4);
	}
	put(l, 0x0f, 1);
	put(l, 0x80 + (draw_one_in(l->d, 3) ? 4 : l->is->down ? 14 : up[l->is->view & 1][draw_below(l->d, 2)]), 1);
	put_exit(l);
	return 2;
}

static unsigned spill(struct loop *l)
{
	unsigned reg = draw_register(l),
		 n = l->is->rank >= REGISTERS && !draw_one_in(l->d, 3) ? l->is->rank - REGISTERS : draw_slot(l);
	bool wide = is_wide(l, n);
	slot(l, wide, draw_one_in(l->d, 2) ? 0x89 : 0x8b, reg, n, !wide && draw_one_in(l->d, 3));
	return 1;
}

/* What loops over slots do: load, move, store. */
static unsigned move_slot(struct loop *l)
{
	unsigned reg = draw_register(l), n = l->is->rank >= REGISTERS ? l->is->rank - REGISTERS : draw_slot(l),
		 insns = 2;
	slot(l, is_wide(l, n), 0x8b, reg, n, false);
	if (draw_one_in(l->d, 2)) {
		registers(l, true, 0x85, reg, reg);
		put(l, 0x840f, 2);
		put_exit(l);
		insns += 2;
	}
	switch (draw_below(l->d, 3)) {
	case 0:
		registers(l, true, 0xc1, 5, reg);
		put(l, draw_one_in(l->d, 2) ? 32 : 1, 1);
		insns++;
		break;
	case 1:
		mov_constant(l, other_than(l, reg), draw_number(l));
		registers(l, true, draw_one_in(l->d, 2) ? 0x01 : 0x29, other_than(l, reg), reg);
		insns += 2;
		break;
	default: insns += arithmetic(l); break;
	}
	slot(l, is_wide(l, n), 0x89, reg, n, false);
	return insns;
}

/* What moves the ranking location, most likely. */
static unsigned move(struct loop *l)
{
	if (l->is->rank >= REGISTERS)
		return move_slot(l);
	bool wide = l->is->view == 2 || l->is->view == 3 ? draw_one_in(l->d, 2) : !seldom(l, 3);
	if (l->is->view == 5) { /* lea other, [rank - 1]; and rank, other */
		unsigned other = other_than(l, l->is->rank);
		put(l, 0x408d48 | l->is->rank << 16 | other << 19, 3);
		put(l, 0xff, 1);
		registers(l, wide, 0x21, other, l->is->rank);
		return 2;
	}
	/* by one of several steps: and other, 3; lea rank, [rank + other + 1] */
	if (l->is->view < 2 && draw_one_in(l->d, 3)) {
		unsigned other = other_than(l, l->is->rank);
		registers(l, true, 0x83, 4, other);
		put(l, 3, 1);
		put(l, 0x448d48 | l->is->rank << 19, 3);
		put(l, l->is->rank | other << 3, 1);
		put(l, draw_one_in(l->d, 4) ? 0 : draw_one_in(l->d, 3) ? 0xfc : 1, 1);
		return 2;
	}
	registers(l, wide, l->is->view == 4 ? 0xc1 : 0x83,
		l->is->view == 4              ? seldom(l, 2) ? 7 : 5
		: l->is->down != seldom(l, 4) ? 5
					      : 0,
		l->is->rank);
	put(l, 1u << draw_below(l->d, 4), 1);
	return 1;
}

static unsigned count(struct loop *l)
{
	registers(l, !draw_one_in(l->d, 8), 0x83, draw_one_in(l->d, 2) ? 0 : 5, l->is->counted);
	put(l, 1u << draw_below(l->d, 4), 1);
	return 1;
}

/* So many instructions and groups of them, of which one moves the ranking location, most likely. */
static unsigned body(struct loop *l, uint64_t n)
{
	unsigned insns = 0, exits = l->n_exits;
	uint64_t moves_at = draw_below(l->d, 6);
	for (; n > 0 && l->n_exits < exits + 3; n--)
		insns += n == moves_at                                                         ? move(l)
			 : l->is->counts && l->is->counted < REGISTERS && draw_one_in(l->d, 2) ? count(l)
			 : draw_one_in(l->d, 3)                                                ? leave(l)
			 : draw_one_in(l->d, 3)                                                ? spill(l)
			 : l->is->rank >= REGISTERS && draw_one_in(l->d, 2)                    ? move_slot(l)
											       : arithmetic(l);
	return insns;
}

/* Loops in one another are accepted seldom enough: these move what ranks them, and mostly leave by it. */
static unsigned likely_body(struct loop *l)
{
	unsigned insns = draw_one_in(l->d, 3) ? body(l, 1) : 0;
	if (l->is->view >= 4 && l->is->rank < REGISTERS) { /* nothing is shorter than zero */
		registers(l, true, 0x85, l->is->rank, l->is->rank);
		put(l, 0x840f, 2);
		put_exit(l);
		insns += 2;
	}
	insns += move(l);
	l->avoid[1] = l->is->rank;
	insns += draw_one_in(l->d, 4) ? body(l, 1) : 0;
	l->avoid[1] = NOWHERE;
	return insns + leave_by_rank(l);
}

/*
 * What loops that share a cursor do, most likely: move what ranks the loop a few steps, and leave before it could go
 * beyond the bound.
 */
static unsigned go_on(struct loop *l, const struct ranked *r, bool moves)
{
	unsigned insns = 0;
	if (r->rank >= REGISTERS || r->view > 1 || l->bound > INT32_MAX)
		return likely_body(l);
	if (moves && !draw_one_in(l->d, 24)) {
		registers(l, true, 0x83, r->down != draw_one_in(l->d, 24) ? 5 : 0, r->rank);
		put(l, 1u << draw_below(l->d, 4), 1);
		insns++;
	}
	if (moves && l->is != l->of) { /* of which only the state says when */
		put(l, 0x06f6, 2);     /* test byte [rsi], … */
		put(l, (1u << draw_below(l->d, 4)) - 1, 1);
		put(l, 0x840f, 2);
		put_exit(l);
		insns += 2;
	}
	if (draw_one_in(l->d, 24))
		return insns + arithmetic(l);
	registers(l, true, 0x81, 7, r->rank);
	put(l, r->down ? 8 : l->bound, 4);
	put(l, 0x0f, 1);
	put(l, 0x80 + (r->view ? r->down ? 12 : 13 : r->down ? 2 : 3), 1); /* jl, jge; jb, jae */
	put_exit(l);
	return insns + 2;
}

/* The loop begins, and tells what the registers hold. */
static void begin(struct loop *l, unsigned at)
{
	l->is = &l->of[at];
	l->is->head = l->n_text;
	l->is->insns = REGISTERS;
	for (unsigned r = 0; r < REGISTERS; r++) /* mov [rsi + 8 + 24 * at + 8 * r], r */
		put(l, 0x468948 | r << 19 | (uint64_t)(8 + 24 * at + 8 * r) << 24, 4);
}

/* The iteration counts itself, and goes back unless there have been too many. */
static void end(struct loop *l)
{
	put(l, 0x06ff, 2); /* inc dword [rsi] */
	l->is->insns++;
	if (l->is != l->of) {
		put(l, 0x3846ff, 3); /* inc dword [rsi + 56] */
		l->is->insns++;
	}
	put(l, 0x3e81, 2); /* cmp dword [rsi], LIMIT */
	put(l, LIMIT, 4);
	put(l, 0x820f, 2); /* jb head */
	put(l, l->is->head - (l->n_text + 4), 4);
}

/* What ranks the inner loop begins anew, most likely; and then the loop. */
static void draw_inner(struct loop *l)
{
	l->avoid[0] = l->of[0].rank;
	unsigned rank = l->of[1].rank, with = rank < REGISTERS ? rank : other_than(l, draw_register(l));
	if (l->shares && !l->both) { /* unless it is at its end */
		l->is = &l->of[1];
		l->of[0].insns += go_on(l, &l->of[1], false);
		l->is = l->of;
	}
	if (l->shares ? draw_one_in(l->d, 8) : !draw_one_in(l->d, 8)) {
		bool from_zero = l->of[1].view < 4 && !l->of[1].down;
		mov_constant(l, with,
			from_zero != draw_one_in(l->d, 4) ? 0
			: draw_one_in(l->d, 2)            ? l->bound
							  : draw_number(l));
		l->is->insns++;
		if (rank >= REGISTERS) {
			slot(l, !l->half[rank - REGISTERS], 0x89, with, rank - REGISTERS, false);
			l->is->insns++;
		}
	}
	begin(l, 1);
	if (l->shares && !draw_one_in(l->d, 12))
		l->is->insns += go_on(l, l->is, true);
	else
		l->is->insns += draw_one_in(l->d, 4) ? body(l, 1 + draw_below(l->d, 3)) : likely_body(l);
	end(l);
	l->is = l->of;
	l->after = l->n_text;
	l->avoid[0] = NOWHERE;
}

static void draw_code(struct loop *l)
{
	l->n_text = l->n_exits = 0;
	l->avoid[0] = l->avoid[1] = NOWHERE;
	l->is = l->of;
	for (unsigned r = 0; r < REGISTERS; r++) {
		l->initial[r] = draw_one_in(l->d, l->n_loops > 1 ? 5 : 2) ? 0 : draw_number(l);
		if (l->shares && r == l->of[1].rank && !draw_one_in(l->d, 8))
			l->initial[r] = l->of[1].down ? l->bound : 0;
		mov_constant(l, r, l->initial[r]);
	}
	for (unsigned n = 0; n < SLOTS; n++)
		slot(l, l->half[n] == seldom(l, 8), 0x89, draw_register(l), n, false);
	begin(l, 0);
	if (l->n_loops > 1) {
		if (draw_one_in(l->d, 4))
			l->is->insns += body(l, 1);
		draw_inner(l);
	}
	if (l->shares && !draw_one_in(l->d, 12))
		l->is->insns += go_on(l, l->is, true);
	else
		l->is->insns +=
			l->n_loops > 1 && !draw_one_in(l->d, 4) ? likely_body(l) : body(l, 1 + draw_below(l->d, 4));
	end(l);
	l->out = l->n_text;
	put(l, 0xc3, 1);
	for (unsigned i = 0; i < l->n_exits; i++) {
		uint32_t to = (uint32_t)((l->exit[i].after ? l->after : l->out) - (l->exit[i].at + 4));
		memcpy(l->text + l->exit[i].at, &to, 4);
	}
}

/* ---- The proof ---- */

static void put_byte(struct loop *l, uint64_t v)
{
	l->proof[l->n_proof++] = (uint8_t)v;
}

static void put_unsigned(struct loop *l, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(l, v | 0x80);
	put_byte(l, v);
}

static void put_signed(struct loop *l, int64_t v)
{
	for (; v < -64 || v > 63; v >>= 7)
		put_byte(l, (uint64_t)v | 0x80);
	put_byte(l, (uint64_t)v & 0x7f);
}

static void put_location(struct loop *l, unsigned n)
{
	put_byte(l, n < REGISTERS ? n : 16);
	if (n >= REGISTERS)
		put_unsigned(l, n - REGISTERS + 1);
}

/* Within the outer loop: a location that it counts by is what it was at its head, or that much more. */
static bool is_ghost(const struct loop *l, unsigned at, bool head_of_outer, unsigned *ghost)
{
	*ghost = l->of[0].counts && at == l->of[0].counted;
	return !head_of_outer && (at == l->of[0].rank || (l->of[0].counts && at == l->of[0].counted));
}

/* A number: any, or in an interval that may have to do with the loop; of a slot perhaps the lower half only. */
static void put_number(struct loop *l, unsigned at, bool head, bool outer)
{
	enum { U64 = 1, S64 = 2, U32 = 4, S32 = 8, WIDTH = 32, GROUP = 64, GHOST = 128, MOD = 256, LEAD = 512 };
	struct draw *d = l->d;
	bool half = at >= REGISTERS && l->half[at - REGISTERS] != seldom(l, 16), ranks = head && at == l->is->rank;
	unsigned ghost;
	unsigned which = (half ? WIDTH : 0) | (seldom(l, 40) ? GROUP : 0) | (seldom(l, 40) ? MOD : 0);
	if (is_ghost(l, at, outer, &ghost) && !seldom(l, 8))
		which = (which & ~(unsigned)GROUP) | GHOST;
	if (l->shares && (at == l->of[1].rank ? !(head && !outer) != seldom(l, 8) : seldom(l, 40)))
		which |= LEAD;
	if (l->shares && at == l->of[1].rank && !seldom(l, 8))
		which = (which & ~(unsigned)GHOST) | (ranks ? 0 : U64);
	static const unsigned of_view[VIEWS] = {U64, S64, U32, S32, 0, 0};
	if (ranks && !seldom(l, 8))
		which |= of_view[l->is->view];
	else if (seldom(l, 30))
		which |= 1u << draw_below(d, 4);
	uint64_t low = draw_one_in(d, l->shares ? 32 : 4) ? draw_number(l) : 0, high = l->bound + draw_below(d, 3);
	if (l->shares && at == l->of[1].rank && !ranks) /* a step beyond the end */
		high += high < INT64_MAX / 2 ? 16 : 0;
	if (head && outer && l->is->counts && at == l->is->counted && at < REGISTERS && !draw_one_in(d, 4)) {
		which = U64;
		low = high = l->initial[at];
	}
	put_location(l, at);
	put_byte(l, 2);
	put_unsigned(l, which);
	if (which & U64) {
		put_unsigned(l, low > high ? high : low);
		put_unsigned(l, low != high && draw_one_in(d, 8) ? half ? UINT32_MAX : UINT64_MAX
				: high < low                     ? low
								 : high);
	}
	if (which & S64) {
		put_signed(l, draw_one_in(d, 4) ? -1 : 0);
		put_signed(l, (int64_t)(high & INT64_MAX));
	}
	if (which & U32) {
		put_unsigned(l, 0);
		put_unsigned(l, draw_one_in(d, 8) ? UINT32_MAX : (uint32_t)high);
	}
	if (which & S32) {
		put_signed(l, draw_one_in(d, 4) ? -1 : 0);
		put_signed(l, (int64_t)(high & INT32_MAX));
	}
	if (which & WIDTH)
		put_byte(l, 4);
	if (which & GROUP) {
		put_unsigned(l, 0);
		put_signed(l, (int64_t)draw_below(d, 2));
	}
	if (which & GHOST) {
		put_unsigned(l, ghost);
		put_signed(l, seldom(l, 8) ? 1 : 0);
	}
	if (which & MOD) {
		uint64_t mod = 2 + draw_below(d, 3);
		put_unsigned(l, mod);
		put_unsigned(l, draw_below(d, mod));
	}
	if (which & LEAD) {
		put_byte(l, 0);
		put_unsigned(l, seldom(l, 4) ? draw_below(d, 3) : 0);
	}
}

static int64_t draw_step(struct loop *l)
{
	static const int64_t some[] = {1, 1, 1, 2, 4, 8, INT64_C(1) << 31, INT64_C(1) << 32, INT64_MAX};
	int64_t v = some[draw_below(l->d, sizeof(some) / sizeof(some[0]))];
	return l->is->view >= 4 ? -1 : l->is->down != seldom(l, 4) ? -v : v;
}

static void put_loops(struct loop *l)
{
	put_unsigned(l, l->n_loops);
	for (unsigned i = 0; i < l->n_loops; i++) {
		l->is = &l->of[i];
		put_unsigned(l, 1 + i);
		put_unsigned(l, i ? 3 : 1 + (l->n_loops > 1 ? 3 : 1));
		put_byte(l, l->is->view);
		put_location(l, l->is->rank);
		put_signed(l, draw_step(l));
		put_unsigned(l, l->is->counts);
		if (l->is->counts) {
			put_location(l, l->is->counted);
			put_signed(l, draw_step(l));
		}
	}
}

/* One cursor at most: owned by the outer loop. */
static void put_cursors(struct loop *l)
{
	put_unsigned(l, l->shares);
	if (!l->shares)
		return;
	put_unsigned(l, 0);
	put_unsigned(l, 1 + l->both);
	for (unsigned i = l->both ? 0 : 1; i < 2; i++) {
		put_unsigned(l, i);
		put_byte(l, !seldom(l, 4));
	}
}

static void put_state(struct loop *l)
{
	static const uint8_t claim[] = {6, 3, 1, 1, 0, 0}; /* rsi pointer state [0, 0] */
	memcpy(l->proof + l->n_proof, claim, sizeof(claim));
	l->n_proof += sizeof(claim);
}

static void put_distances(struct loop *l)
{
	unsigned a = draw_register(l), b = draw_register(l), n = a != b && seldom(l, 12);
	put_unsigned(l, n);
	if (!n)
		return;
	put_byte(l, a);
	put_byte(l, b);
	put_byte(l, 0);
	put_signed(l, draw_one_in(l->d, 3) ? -1 : 1);
	put_unsigned(l, 1);
	put_unsigned(l, draw_below(l->d, 2));
	put_unsigned(l, l->bound + 1);
}

/* Of a loop, the outer one if `outer`. */
static void put_block(struct loop *l, size_t at, bool head, bool outer)
{
	put_unsigned(l, at);
	put_unsigned(l, 0);
	put_unsigned(l, REGISTERS + 1 + SLOTS);
	for (unsigned n = 0; n < REGISTERS + SLOTS; n++) {
		if (n == REGISTERS)
			put_state(l);
		put_number(l, n, head, outer);
	}
	put_distances(l);
}

static void draw_proof(struct loop *l)
{
	bool nest = l->n_loops > 1;
	static const uint8_t start[] = {'W', 'P', 'R', 'F', 1, 0, 0, 0, 0, 0, 0, 0, 0, 1 /* function */, 0, 0, 0, 0};
	memcpy(l->proof, start, sizeof(start));
	l->n_proof = sizeof(start);
	put_loops(l);
	l->proof[4] = l->shares || draw_one_in(l->d, 8) ? 2 : 1;
	if (l->proof[4] == 2)
		put_cursors(l);
	put_unsigned(l, nest ? 5 : 3); /* blocks */
	put_unsigned(l, 0);
	put_unsigned(l, 0);
	put_unsigned(l, 1);
	put_state(l);
	put_unsigned(l, 0);
	l->is = l->of;
	put_block(l, l->of[0].head, true, true);
	if (nest) {
		l->is = &l->of[1];
		put_block(l, l->of[1].head, true, false);
		put_block(l, l->after, false, false);
	}
	put_unsigned(l, l->out);
	put_unsigned(l, 0);
	put_unsigned(l, 0);
	put_unsigned(l, 0);
}

/* ---- Trials ---- */

struct trials {
	struct draw d;
	struct loop loop;
	struct wv_module module;
	uint8_t *arena, *code;
	size_t room;
	uint64_t state[STATE / 8];
	unsigned long accepted[VIEWS], accepted_slots, accepted_nests, accepted_shared, again, shared_rounds, refused,
		wrong;
};

static void tell(struct trials *t, uint64_t seed, const char *why, uint64_t cost)
{
	const struct loop *l = &t->loop;
	fprintf(stderr,
		"loops: trial of seed %#" PRIx64 ": %s: view %u, location %u, %" PRIu64
		" iterations of %u instructions, %" PRIu64 " inner ones of %u, bound %" PRIu64 "\n  code ",
		seed, why, l->of[0].view, l->of[0].rank, t->state[0] - t->state[7], l->of[0].insns, t->state[7],
		l->n_loops > 1 ? l->of[1].insns : 0, cost);
	for (size_t i = l->of[0].head; i < l->n_text; i++)
		fprintf(stderr, "%02x", l->text[i]);
	fprintf(stderr, "\n  proof ");
	for (size_t i = 13; i < l->n_proof; i++)
		fprintf(stderr, "%02x", l->proof[i]);
	fprintf(stderr, "\n");
	t->wrong++;
}

static bool verify(struct trials *t, struct wv_check *c, struct wv_sink *sink)
{
	struct loop *l = &t->loop;
	struct wv_module *m = &t->module;
	m->text = (struct ward_segment){.addr = 4096, .filesz = l->n_text, .memsz = l->n_text};
	m->text_bytes = (struct wv_bytes){l->text, l->n_text};
	m->proof = (struct wv_bytes){l->proof, l->n_proof};
	uint64_t seal = wv_module_seal(m, (struct wv_bytes){l->proof + 13, l->n_proof - 13});
	memcpy(l->proof + 5, &seal, 8);
	size_t proof_size = (wv_proof_arena(m) + 15) & ~(size_t)15;
	if (proof_size + wv_check_arena(m) > t->room)
		return false;
	*c = (struct wv_check){.module = m, .sink = sink, .max_insns = COSTLIEST, .max_stack = 512};
	if (!wv_proof_parse(&c->proof, m, t->arena, sink))
		return false;
	wv_check_init(c, t->arena + proof_size);
	wv_sweep(c);
	if (sink->count == 0)
		wv_sum(c);
	return sink->count == 0;
}

static void run(struct trials *t)
{
	void (*probe)(void *, void *);
	void *address = t->code;
	memcpy(t->code, t->loop.text, t->loop.n_text);
	memset(t->state, 0, sizeof(t->state));
	t->state[4] = t->state[5] = t->state[6] = NEVER;
	memcpy(&probe, &address, sizeof(probe));
	probe(t->state, t->state);
}

static struct ranked draw_ranked(struct draw *d, unsigned other_than)
{
	struct ranked r = {.view = (unsigned)draw_below(d, VIEWS),
		.rank = (unsigned)draw_below(d, REGISTERS + SLOTS),
		.counted = (unsigned)draw_below(d, REGISTERS + SLOTS)};
	if (r.rank == other_than)
		r.rank = (r.rank + 1) % REGISTERS;
	if (r.counted == other_than)
		r.counted = r.rank;
	r.down = draw_one_in(d, 2);
	r.counts = r.counted != r.rank && draw_one_in(d, 3);
	return r;
}

/* What the registers held when control was last at the head is what is claimed there. */
static void expect_claims(
	struct trials *t, const struct wv_function *f, unsigned at, struct wv_state *st, uint64_t seed)
{
	struct wv_sink sink = {0};
	struct wv_ctx ctx = {.module = &t->module, .sink = &sink, .max_stack = 512, .next_sym = f->n_ghosts + 1};
	wv_claims_load(&ctx, f, 1 + at, st);
	if (at && t->state[4] == NEVER && t->state[5] == NEVER && t->state[6] == NEVER)
		return;
	for (unsigned r = 0; r < REGISTERS; r++)
		if (!num_means(&st->reg[r].n, t->state[1 + 3 * at + r]))
			tell(t, seed, "a register at the head is not as claimed", f->cost);
}

static void trial(struct trials *t)
{
	struct loop *l = &t->loop;
	struct wv_sink sink = {0};
	struct wv_check c;
	static const uint64_t bounds[] = {3, 7, 15, 200, INT32_MAX, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX};
	uint64_t seed = t->d.state;
	l->bound = bounds[draw_below(&t->d, draw_one_in(&t->d, 3) ? 8 : 4)];
	l->n_loops = draw_one_in(&t->d, 3) ? 2 : 1;
	for (unsigned n = 0; n < SLOTS; n++)
		l->half[n] = draw_one_in(&t->d, 2);
	l->of[0] = draw_ranked(&t->d, NOWHERE);
	l->of[1] = draw_ranked(&t->d, draw_one_in(&t->d, 8) ? NOWHERE : l->of[0].rank);
	l->shares = l->n_loops > 1 && draw_one_in(&t->d, 2);
	l->both = l->shares && draw_one_in(&t->d, 2);
	if (l->shares) {
		l->bound = bounds[draw_below(&t->d, 4)];
		l->half[0] = l->half[1] = false;
		l->of[0].view %= 2;
		l->of[0].rank %= REGISTERS;
		l->of[1].rank %= REGISTERS;
		l->of[1].view %= 2;
		l->of[0].counts = l->of[1].counts = false;
		if (l->both)
			l->of[0] = l->of[1];
	}
	draw_code(l);
	draw_proof(l);
	if (!verify(t, &c, &sink)) {
		t->refused++;
		return;
	}
	t->accepted[l->of[0].view]++;
	t->accepted_slots += l->of[0].rank >= REGISTERS;
	t->accepted_nests += l->n_loops > 1;
	const struct wv_function *f = c.proof.functions;
	run(t);
	t->accepted_shared += l->shares;
	t->again += l->n_loops > 1 && t->state[0] > t->state[7] && t->state[7] > 1;
	t->shared_rounds += l->shares && t->state[0] > t->state[7] && t->state[7] > 1;
	if ((t->state[0] - t->state[7]) * l->of[0].insns + t->state[7] * l->of[1].insns > f->cost)
		tell(t, seed, "it ran longer than it may", f->cost);
	for (unsigned i = 0; i < l->n_loops; i++)
		expect_claims(t, f, i, c.states, seed);
}

int main(int argc, char **argv)
{
	static struct trials t;
	t.d.state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned long trials = argc > 2 ? strtoul(argv[2], NULL, 0) : TRIALS, accepted = 0;
	printf("loops: seed %" PRIu64 "\n", t.d.state);
	t.loop.d = &t.d;
	t.module.profile = WARD_PROFILE_USER;
	t.module.state_size = STATE;
	t.module.event_size = 8;
	t.room = 4 << 20;
	t.arena = malloc(t.room);
	t.code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!t.arena || t.code == MAP_FAILED)
		return 1;
	for (unsigned long i = 0; i < trials && t.wrong < 5; i++)
		trial(&t);
	printf("loops: accepted by view");
	for (unsigned v = 0; v < VIEWS; v++) {
		printf(" %lu", t.accepted[v]);
		accepted += t.accepted[v];
	}
	printf(" (%lu by a slot; %lu in one another, of which %lu went around in both; %lu with a cursor, of which %lu "
	       "did), %lu refused; %lu not as claimed\n",
		t.accepted_slots, t.accepted_nests, t.again, t.accepted_shared, t.shared_rounds, t.refused, t.wrong);
	free(t.arena);
	munmap(t.code, 4096);
	return t.wrong || (trials >= TRIALS && (accepted < LEAST_ACCEPTED || t.shared_rounds < LEAST_SHARED));
}
