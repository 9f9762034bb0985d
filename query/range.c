/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What values an expression can have, as far as its form says that: the type of what is read, and operations with
 * constants. Keys of few values need little room (R11, R12). A parameter is no constant here: its value is the probe's
 * setting, and no part of its code.
 */
#include "range.h"

/* A constant of the code that isn't negative. */
static bool is_known(const struct expr *e)
{
	return e->kind == EXPR_CONST && !e->is_given && (int64_t)e->value >= 0;
}

/* Of `x & mask`; NULL: it is something else. */
static const struct expr *mask_of(const struct expr *e)
{
	if (e->kind != EXPR_BINARY || e->op != OP_BIT_AND)
		return NULL;
	return is_known(e->b) ? e->b : is_known(e->a) ? e->a : NULL;
}

/* A rest by a constant; a divisor is in the code, also if it is a parameter. */
static bool is_rest(const struct expr *e)
{
	return e->kind == EXPR_BINARY && e->op == OP_MOD && e->b->kind == EXPR_CONST && (int64_t)e->b->value > 0;
}

static uint64_t at_most(uint64_t n)
{
	return n < RANGE_MOST ? n : RANGE_MOST;
}

uint64_t range_count(const struct expr *e)
{
	const struct expr *mask = mask_of(e);

	if (e->type.kind == TYPE_BOOL)
		return 2;
	if (mask)
		return at_most(mask->value == UINT64_MAX ? RANGE_MOST : mask->value + 1);
	if (is_rest(e)) /* with a sign there are negative ones */
		return at_most(e->value ? at_most(e->b->value) * 2 : e->b->value);
	switch (e->kind) {
	case EXPR_CONST: return 1;
	case EXPR_CAST: return e->type.bits == 8 ? 256 : RANGE_MOST;
	case EXPR_UNARY: return e->op == OP_LOG2 ? 64 : RANGE_MOST;
	case EXPR_COND: return at_most(range_count(e->a) + range_count(e->b));
	default: return RANGE_MOST;
	}
}

uint64_t range_bound(const struct expr *e)
{
	const struct expr *mask = mask_of(e);
	uint64_t a, b, bound = 0;

	if (e->type.kind == TYPE_BOOL)
		return 2;
	if (mask)
		bound = mask->value + 1;
	else if (is_rest(e) && !e->value)
		bound = e->b->value;
	else if (is_known(e))
		bound = e->value + 1;
	else if (e->kind == EXPR_CAST && e->type.bits == 8 && !e->type.is_signed)
		bound = 256;
	else if (e->kind == EXPR_UNARY && e->op == OP_LOG2)
		bound = 64;
	if (e->kind == EXPR_COND) {
		a = range_bound(e->a);
		b = range_bound(e->b);
		bound = !a || !b ? 0 : a > b ? a : b;
	}
	return bound <= RANGE_MOST ? bound : 0;
}

/* Of what is read or cast: its own bits. */
static bool type_fits(struct type t, unsigned bits, bool is_signed)
{
	if (t.is_signed == is_signed)
		return t.bits <= bits;
	return !t.is_signed && t.bits < bits;
}

bool range_fits(const struct expr *e, unsigned bits, bool is_signed)
{
	uint64_t most = is_signed ? UINT64_MAX >> (65 - bits) : UINT64_MAX >> (64 - bits), bound = range_bound(e);
	const struct expr *mask = mask_of(e);

	if (bound)
		return bound - 1 <= most;
	if (mask)
		return mask->value <= most;
	if (is_rest(e)) /* a negative one is no number without a sign */
		return (!e->value || is_signed) && e->b->value - 1 <= most;
	if (e->kind == EXPR_COND)
		return range_fits(e->a, bits, is_signed) && range_fits(e->b, bits, is_signed);
	return (e->kind == EXPR_FIELD || e->kind == EXPR_CAST || e->kind == EXPR_READ) && e->type.kind == TYPE_INT &&
	       type_fits(e->type, bits, is_signed);
}
