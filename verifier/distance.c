/*
 * Distances between values: what is known of b - a where neither is a constant.
 *
 * A fact is about two symbols; values that are these symbols plus constants are as far apart plus the difference of their constants, all modulo 2^64. So a fact stays true while its
 * values move, and comparing the moved values for equality narrows it.
 */
#include "state.h"

/* The fact about the symbols of a and b, and whether it is kept the other way round. */
static struct wv_distance *find(struct wv_state *st, const struct wv_val *a, const struct wv_val *b, bool *swapped)
{
	for (uint32_t i = 0; i < st->n_distances; i++) {
		struct wv_distance *f = &st->distance[i];
		*swapped = f->a == b->sym && f->b == a->sym;
		if (*swapped || (f->a == a->sym && f->b == b->sym))
			return f;
	}
	return NULL;
}

static struct wv_num moved(const struct wv_num *n, uint64_t by)
{
	struct wv_num c = wv_num_const(by);
	return wv_num_binary(WV_ADD, 64, n, &c);
}

/* From what is kept about the symbols (b's symbol - a's symbol, or the reverse) to b - a. */
static struct wv_num from_fact(const struct wv_num *d, bool swapped, const struct wv_val *a, const struct wv_val *b)
{
	struct wv_num zero = wv_num_const(0), n = swapped ? wv_num_binary(WV_SUB, 64, &zero, d) : *d;
	return moved(&n, b->add - a->add);
}

struct wv_num wv_state_distance(const struct wv_state *st, const struct wv_val *a, const struct wv_val *b)
{
	bool swapped;
	if (a->sym == b->sym)
		return wv_num_const(b->add - a->add);
	struct wv_num n = wv_num_binary(WV_SUB, 64, &b->n, &a->n);
	struct wv_distance *f = find((struct wv_state *)st, a, b, &swapped);
	if (f) {
		struct wv_num known = from_fact(&f->d, swapped, a, b), both = known;
		n = wv_num_meet(&both, &n) ? both : known;
	}
	return n;
}

void wv_state_set_distance(struct wv_state *st, const struct wv_val *a, const struct wv_val *b, const struct wv_num *d)
{
	bool swapped;
	if (a->sym == b->sym)
		return;
	struct wv_distance *f = find(st, a, b, &swapped);
	if (!f) {
		if (st->n_distances == WV_MAX_DISTANCES)
			return;
		f = &st->distance[st->n_distances++];
	}
	*f = (struct wv_distance){a->sym, b->sym, moved(d, a->add - b->add)};
}

bool wv_state_assume_distance(struct wv_state *st, const struct wv_val *a, const struct wv_val *b, bool equal)
{
	bool swapped;
	if (!a->sym || !b->sym || a->sym == b->sym || !find(st, a, b, &swapped))
		return true;
	struct wv_num d = wv_state_distance(st, a, b), zero = wv_num_const(0);
	if (!wv_num_assume(equal ? WV_E : WV_NE, 64, &d, &zero))
		return false;
	wv_state_set_distance(st, a, b, &d);
	/* b = a + d and a = b - d, by the values before either is narrowed. */
	struct wv_num nb = wv_num_binary(WV_ADD, 64, &a->n, &d), na = wv_num_binary(WV_SUB, 64, &b->n, &d);
	return wv_state_refine(st, b, &nb) && wv_state_refine(st, a, &na);
}
