/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flags remember the comparison that set them. So a branch, a cmov or a setcc can refine the values that were
 * compared.
 */
#include "state.h"

unsigned wv_flags_read(enum wv_cond cond)
{
	static const uint8_t reads[8] = {
		WV_OF, WV_CF, WV_ZF, WV_CF | WV_ZF, WV_SF, WV_PF, WV_SF | WV_OF, WV_ZF | WV_SF | WV_OF};
	return reads[cond / 2];
}

bool wv_flags_defined(const struct wv_flags *flags, enum wv_cond cond)
{
	return !(wv_flags_read(cond) & (unsigned)~flags->defined);
}

/* What is compared, once the relation is taken into account. */
struct comparison {
	enum wv_cond cond;
	struct wv_val a, b; /* b.sym may be 0: a constant without a symbol */
};

static struct wv_val zero_value(void)
{
	return (struct wv_val){.kind = WV_NUM, .init = 64, .n = wv_num_const(0)};
}

/* False: the flags say nothing about values under this condition. */
static bool comparison_of(const struct wv_flags *f, enum wv_cond cond, struct comparison *c)
{
	bool sign = cond == WV_S || cond == WV_NS, equal = cond == WV_E || cond == WV_NE,
	     carry = cond == WV_B || cond == WV_AE;
	bool both = f->relation == WV_REL_CMP ? !sign : f->relation == WV_REL_ADD && carry;
	c->cond = cond;
	c->a = f->a;
	c->b = both ? f->b : zero_value();
	if (both)
		return true;
	switch (f->relation) {
	case WV_REL_CMP:
		break; /* the sign of the difference is that of the order only against zero, where nothing overflows */
	case WV_REL_ADD:
		if (equal)
			return true;
		break;
	case WV_REL_SIGN:
		if (equal)
			return true;
		break;
	case WV_REL_ZERO: return equal;
	default: return false;
	}
	if (!sign)
		return false;
	if (f->relation == WV_REL_CMP && !(f->b.kind == WV_NUM && wv_num_is_const(&f->b.n) && f->b.n.umin == 0))
		return false;
	c->cond = cond == WV_S ? WV_L : WV_GE;
	return true;
}

/*
 * Numbers compare as themselves. Two pointers into one region are equal exactly if their offsets are; a little above
 * the base they are ordered as their offsets are, too, for the region does not end near the end of the address space.
 * Anything else is not compared.
 */
static bool is_comparable(const struct comparison *c, unsigned width)
{
	if (c->a.kind == WV_NUM && c->b.kind == WV_NUM)
		return true;
	if (c->a.kind != WV_PTR || c->b.kind != WV_PTR || c->a.region != c->b.region || width != 64)
		return false;
	if (c->cond == WV_E || c->cond == WV_NE)
		return true;
	return c->a.region != WV_STACK && c->a.n.umax <= WV_NEAR && c->b.n.umax <= WV_NEAR;
}

/*
 * Keep the order of the addresses of two pointers into one region, one of which may lie anywhere. False: it can't be.
 */
static bool assume_addresses(struct wv_state *st, enum wv_cond cond)
{
	const struct wv_flags *f = &st->flags;
	if (f->relation != WV_REL_CMP || f->width != 64 || f->a.kind != WV_PTR || f->b.kind != WV_PTR ||
		f->a.region != f->b.region)
		return true;
	switch (cond) {
	case WV_B: return wv_state_assume_addresses(st, &f->a, &f->b, true);
	case WV_BE: return wv_state_assume_addresses(st, &f->a, &f->b, false);
	case WV_A: return wv_state_assume_addresses(st, &f->b, &f->a, true);
	case WV_AE: return wv_state_assume_addresses(st, &f->b, &f->a, false);
	default: return true;
	}
}

/* Narrow the two sides of the comparison. False: it can't hold. *some is false if nothing was learnt. */
static bool comparison_narrow(const struct wv_flags *f, enum wv_cond cond, struct comparison *c, bool *some)
{
	*some = comparison_of(f, cond, c) && is_comparable(c, f->width);
	return !*some || wv_num_assume(c->cond, f->width, &c->a.n, &c->b.n);
}

/*
 * Whole values that are compared are so far apart: from `low` up to `high`, by one at least if they can't be equal.
 * False: they can't be in this order.
 */
static bool assume_order(
	struct wv_state *st, const struct wv_val *low, const struct wv_val *high, bool strict, bool is_signed)
{
	uint64_t most = is_signed ? (uint64_t)high->n.smax - (uint64_t)low->n.smin : high->n.umax - low->n.umin;
	bool possible = is_signed ? high->n.smax >= low->n.smin : high->n.umax >= low->n.umin;
	if (!possible || most < strict)
		return false;
	struct wv_num d = wv_num_range(strict, most);
	return wv_state_assume_order(st, low, high, &d);
}

/* A comparison of whole values also narrows their distance. */
static bool assume_distance(struct wv_state *st, const struct comparison *c)
{
	bool is_signed = c->cond >= WV_L;
	uint64_t whole = is_signed ? INT32_MAX : UINT32_MAX;
	if (st->flags.width != 64 && !(st->flags.width == 32 && c->a.n.umax <= whole && c->b.n.umax <= whole))
		return true;
	switch (c->cond) {
	case WV_E: return wv_state_assume_distance(st, &c->a, &c->b, true);
	case WV_NE: return wv_state_assume_distance(st, &c->a, &c->b, false);
	case WV_B:
	case WV_L: return assume_order(st, &c->a, &c->b, true, is_signed);
	case WV_BE:
	case WV_LE: return assume_order(st, &c->a, &c->b, false, is_signed);
	case WV_A:
	case WV_G: return assume_order(st, &c->b, &c->a, true, is_signed);
	case WV_AE:
	case WV_GE: return assume_order(st, &c->b, &c->a, false, is_signed);
	default: return true;
	}
}

/* A side of the comparison, and what was known of it before: of a constant nothing is learnt. */
static bool refine_side(struct wv_state *st, const struct wv_val *side, const struct wv_num *before)
{
	return wv_num_is_const(before) || wv_state_refine(st, side, &side->n);
}

bool wv_state_assume(struct wv_state *st, enum wv_cond cond)
{
	struct comparison c;
	bool some;
	if (!comparison_narrow(&st->flags, cond, &c, &some) || !assume_addresses(st, cond))
		return false;
	return !some || (refine_side(st, &c.a, &st->flags.a.n) && refine_side(st, &c.b, &st->flags.b.n) &&
				assume_distance(st, &c));
}

bool wv_flags_assume_value(const struct wv_flags *flags, enum wv_cond cond, struct wv_val *v)
{
	struct comparison c;
	bool some;
	if (!comparison_narrow(flags, cond, &c, &some))
		return false;
	return !some || (wv_val_refine(v, &c.a, &c.a.n) && wv_val_refine(v, &c.b, &c.b.n));
}
