/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bit_count.c: instructions that count bits and pick them out. Operands come zero-extended, as bit_count.h demands.
 * What the instructions do is written from the manual (SDM vol. 2): POPCNT, LZCNT, TZCNT, BSR, BLSI, BLSMSK, BLSR,
 * BZHI, BEXTR, PDEP, PEXT, BT.
 */
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "queries.h"

static struct memory memory;

static term one(unsigned width)
{
	return bits(width, 1);
}

/* x of `width` bits, and a member of *n that comes zero-extended. */
static term operand_of_width(const char *name, const struct number *n, unsigned width, term *given)
{
	term x = input(name, 64);
	*given = and_(member(n, x), eq(low_zext(x, width), x));
	witness(x);
	return x;
}

static struct value number_bits(unsigned width, uint64_t value)
{
	return exec_bits(bits(width, value));
}

/* struct wv_num f(width, a): one number of one number. */
static void one_operand(const struct query *q, bool zero_too, term f(unsigned width, term x))
{
	struct number a = valid_number("a");
	term given, x = operand_of_width("x", &a, q->width, &given), z = f(q->width, x);
	struct value args[] = {number_object(&memory, NULL), number_bits(32, q->width), number_object(&memory, &a)};
	witness(z);
	if (!zero_too)
		given = and_(given, not_(eq(x, bits(64, 0))));
	call_function(q, args, &memory);
	prove_result(&memory, &args[0], z, given);
}

static term count_ones(unsigned width, term x)
{
	(void)width;
	return popcount(x);
}

/* Zeros above: of so many bits. */
static term count_leading(unsigned width, term x)
{
	return zext(clz(extract(width - 1, 0, x)), 64);
}

static term count_trailing(unsigned width, term x)
{
	return zext(ctz(extract(width - 1, 0, x)), 64);
}

static term highest(unsigned width, term x)
{
	(void)width;
	return sub(bits(64, 63), clz(x));
}

void build_popcnt(const struct query *q)
{
	one_operand(q, true, count_ones);
	use_law_subset();
}

void build_lzcnt(const struct query *q)
{
	one_operand(q, true, count_leading);
}

void build_tzcnt(const struct query *q)
{
	one_operand(q, true, count_trailing);
}

void build_top(const struct query *q)
{
	one_operand(q, false, highest);
}

/* wv_num_lowest(op, width, a) */
void build_lowest(const struct query *q)
{
	struct number a = valid_number("a");
	unsigned w = q->width;
	term given, x = operand_of_width("x", &a, w, &given), part = extract(w - 1, 0, x), zero = bits(64, 0),
		    unit = bits(64, 1), z, step;
	struct value args[] = {number_object(&memory, NULL), number_bits(32, (uint64_t)q->op), number_bits(32, w),
		number_object(&memory, &a)};
	switch (q->op) {
	case WV_BLSI: z = band(part, sub(bits(w, 0), part)); break;
	case WV_BLSMSK: z = bxor(part, sub(part, one(w))); break;
	default: z = band(part, sub(part, one(w))); break;
	}
	z = zext(z, 64);
	step = q->op == WV_BLSI ? concrete_binary(WV_SUB, w, zero, x) : concrete_binary(WV_SUB, w, x, unit);
	witness(zero);
	witness(unit);
	witness(step);
	witness(z);
	same_result(concrete_binary(q->op == WV_BLSMSK ? WV_XOR : WV_AND, w, x, step), z, truth(true));
	call_function(q, args, &memory);
	prove_result(&memory, &args[0], z, given);
}

/* The lowest n bits of `a`. */
static term lowest_bits(term a, term n)
{
	return ite(ule(bits(64, 64), n), a, band(a, sub(shl(bits(64, 1), n), bits(64, 1))));
}

/* wv_num_bzhi(width, a, index), wv_num_bextr(width, a, control) */
void build_pick(const struct query *q)
{
	struct number a = valid_number("a"), by = valid_number("by");
	term given, x = operand_of_width("x", &a, q->width, &given), y = input("y", 64), first = low_zext(y, 8),
		    second = low_zext(lshr(y, bits(64, 8)), 8);
	struct value args[] = {number_object(&memory, NULL), number_bits(32, q->width), number_object(&memory, &a),
		number_object(&memory, &by)};
	term eight = bits(64, 8),
	     z = strcmp(q->function, "wv_num_bzhi") == 0 ? lowest_bits(x, first) : lowest_bits(lshr(x, first), second);
	witness(y);
	witness(first);
	witness(eight);
	same_result(concrete_shift(WV_SHR, 64, y, eight), lshr(y, eight), truth(true));
	witness(second);
	witness(z);
	call_function(q, args, &memory);
	prove_result(&memory, &args[0], z, and_(given, member(&by, y)));
}

/* What PDEP leaves has bits at the mask's places only: it is the mask AND something. */
void build_pdep(const struct query *q)
{
	struct number m = valid_number("mask");
	term given, x = operand_of_width("x", &m, q->width, &given), any = input("any", 64),
		    z = concrete_binary(WV_AND, q->width, x, any);
	struct value args[] = {number_object(&memory, NULL), number_bits(32, q->width), number_object(&memory, &m)};
	witness(any);
	witness(z);
	call_function(q, args, &memory);
	prove_result(&memory, &args[0], z, given);
}

/* What PEXT leaves is in the lowest bits, as many as the mask has: law "gather". */
void build_pext(const struct query *q)
{
	struct number m = valid_number("mask");
	term given, x = operand_of_width("x", &m, q->width, &given), z = input("z", 64);
	struct value args[] = {number_object(&memory, NULL), number_bits(32, q->width), number_object(&memory, &m)};
	witness(z);
	call_function(q, args, &memory);
	prove_result(&memory, &args[0], z, and_(given, eq(lshr(z, popcount(x)), bits(64, 0))));
	use_law_subset();
}

/* wv_num_bit(width, index) */
void build_bit(const struct query *q)
{
	struct number n = valid_number("n");
	term y = input("y", 64), unit = bits(64, 1), most = bits(64, q->width - 1), by = band(y, most),
	     z = shl(unit, by);
	struct value args[] = {number_object(&memory, NULL), number_bits(32, q->width), number_object(&memory, &n)};
	witness(y);
	witness(unit);
	witness(most);
	witness(by);
	same_result(concrete_shift(WV_SHL, q->width, unit, by), z, truth(true));
	call_function(q, args, &memory);
	prove_result(&memory, &args[0], z, member(&n, y));
}
