/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers that turn out to be pointers.
 *
 * A pointer that a probe keeps in memory is a number when it is loaded again. Its guard computes the distance from a
 * granted pointer, d = n - base, and compares d. Code that then accessed base + d would put the guard between each
 * load of a linked list and the next; an access through n itself costs only a branch that is predicted. So once d has
 * been computed, every location that holds n becomes the pointer n = base + d modulo 2^64: a pointer into base's
 * region, at base's offset plus d. This needs no condition. A pointer's offset is a number modulo 2^64 like any
 * other, and an access must know that the offset lies in the region (V-31), which it doesn't before the comparison.
 * The comparison bounds d; n shares d's symbol, so the comparison bounds n's offset too, as the test of an index
 * bounds the pointer made from it.
 *
 * Each place that holds n, or n plus a constant, turns into a pointer on its own. A place that doesn't turn does no
 * harm: the number there is still that number. Where n turns, what was known of n as a number is given up. For
 * numbers that are compared later that would be a loss, so numbers that fit in 32 bits, as indices do, stay numbers.
 * Nothing else depends on that.
 *
 * The same happens where n is compared with a pointer instead; then d is a number of which nothing is known.
 * Addresses compare as numbers that don't wrap, but offsets are modulo 2^64. An address a ≥ base + c is base + o with
 * o ≥ c, without a wrap. An address a ≤ base + c may be base + o with o ≤ c, or it may lie anywhere below the base,
 * with an o near 2^64. So one comparison doesn't bound o from above. The state keeps it as a fact about the address,
 * and together with the other comparison it does. base + c itself doesn't wrap for a c of up to 2^24
 * (spec/policy.md).
 */
#include "state.h"

/* For one place: v is n plus a constant, all of it the probe's own; so it is base plus d plus that constant. */
static void num_promote(struct wv_val *v, const struct wv_val *n, const struct wv_val *base, const struct wv_val *d)
{
	if (v->kind != WV_NUM || v->init != 64 || v->sym != n->sym)
		return;
	uint64_t by = v->add - n->add + base->n.umin;
	struct wv_num c = wv_num_const(by);
	*v = *d;
	v->kind = WV_PTR;
	v->region = base->region;
	v->add += by;
	v->ladd += (uint32_t)by;
	v->n = wv_num_binary(WV_ADD, 64, &d->n, &c);
}

void wv_state_promote(struct wv_state *st, const struct wv_val *n, const struct wv_val *base, const struct wv_val *d)
{
	if (n->kind != WV_NUM || base->kind != WV_PTR || !wv_num_is_const(&base->n) || n->n.umax <= UINT32_MAX)
		return;
	st->steps += WV_STEPS_REFINE + st->n_slots / WV_SLOTS_STEP;
	for (unsigned r = 0; r < WV_NREG; r++)
		num_promote(&st->reg[r], n, base, d);
	for (uint32_t i = 0; i < st->n_slots; i++) {
		if (st->slot[i].width == 8)
			num_promote(&st->slot[i].v, n, base, d);
	}
}

/* ---- addresses ---- */

/* What is known of this address, or room for it. */
static struct wv_reach *reach_of(struct wv_state *st, const struct wv_val *p)
{
	for (uint32_t i = 0; i < st->n_reaches && i < WV_MAX_REACHES; i++) {
		struct wv_reach *r = &st->reach[i];
		if (r->sym == p->sym && r->add == p->add && r->region == p->region)
			return r;
	}
	struct wv_reach *r = &st->reach[st->n_reaches++ % WV_MAX_REACHES];
	*r = (struct wv_reach){.sym = p->sym, .region = p->region, .add = p->add};
	return r;
}

static bool is_near(const struct wv_val *p)
{
	return p->n.umax <= WV_NEAR;
}

bool wv_state_assume_addresses(struct wv_state *st, const struct wv_val *a, const struct wv_val *b, bool strict)
{
	const struct wv_val *p = is_near(b) ? a : b; /* the one that may be anywhere */
	if (is_near(a) == is_near(b) || p->region == WV_STACK || (strict && p == a && b->n.umax == 0))
		return true;
	struct wv_reach *r = reach_of(st, p);
	struct wv_num n = wv_num_any();
	if (p == b) {
		r->above = true;
		n = wv_num_range(a->n.umin + strict, UINT64_MAX);
	} else if (!r->below || b->n.umax - strict < r->most) {
		r->below = true;
		r->most = b->n.umax - strict;
	}
	if (r->above && r->below) {
		struct wv_num most = wv_num_range(0, r->most);
		if (!wv_num_meet(&n, &most))
			return false;
	}
	return wv_num_meet(&n, &p->n) && wv_state_refine(st, p, &n);
}
