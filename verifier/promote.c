/*
 * Numbers that turn out to be pointers.
 *
 * A pointer that a probe keeps in memory is a number when it is loaded again. Its guard counts how far it is from a pointer that was granted, d = n - base, and compares d. To go on through base + d would
 * put the guard between each load of a linked list and the next; to go on through n itself costs a branch that is predicted. So once d has been computed, n is taken for what it is whatever it holds: n = base + d
 * modulo 2^64, a pointer into base's region at the offset that base has plus d. This needs no condition, for a pointer's offset is a number modulo 2^64 like any other, and an access through it wants that
 * offset to be known to lie in the region (V-31), which before the comparison it isn't. The comparison bounds d; n shares d's symbol, so it bounds n's offset with it, as an index bounds the pointer that
 * was made from it.
 *
 * Each place that holds n, or n plus a constant, turns on its own, and that some don't harms nothing: a number is still that number. What was known of n as a number is given up where it turns. For what must be
 * compared as a number later that would be a loss, so numbers that fit in 32 bits, as indices do, stay numbers. Nothing else hangs on that.
 */
#include "state.h"

/* Of a place: v is n plus a constant, all of it the probe's own; so it is base plus d plus that constant. */
static void promote(struct wv_val *v, const struct wv_val *n, const struct wv_val *base, const struct wv_val *d)
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
	for (unsigned r = 0; r < WV_NREG; r++)
		promote(&st->reg[r], n, base, d);
	for (uint32_t i = 0; i < st->n_slots; i++) {
		if (st->slot[i].width == 8)
			promote(&st->slot[i].v, n, base, d);
	}
}
