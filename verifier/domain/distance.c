/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distances between values: what is known of b - scale * a where neither is a constant.
 *
 * A fact is about two symbols. Two values that are these symbols plus constants differ by the same distance, plus b's
 * constant less scale times a's, all modulo 2^64. So a fact stays true while its values move, and a comparison of the
 * moved values narrows it. What becomes known of `a` also narrows `b`: so the test of an index bounds the pointer
 * that moves along with it.
 *
 * Sums serve binary search: middle = low + half and high = low + width have one addend in common, so high - middle =
 * width - half; and half of a number that isn't zero is less than the number.
 */
#include "state.h"

static struct wv_num num_times(const struct wv_num *n, int32_t scale)
{
	if (scale == 1)
		return *n;
	struct wv_num by = wv_num_const((uint64_t)(int64_t)scale);
	return wv_num_binary(WV_IMUL, 64, n, &by);
}

static struct wv_num num_moved(const struct wv_num *n, uint64_t by)
{
	if (by == 0)
		return *n;
	struct wv_num c = wv_num_const(by);
	return wv_num_binary(WV_ADD, 64, n, &c);
}

/*
 * The fact about two symbols, and whether it is kept with a and b swapped: at a scale of one as a - b, at minus one
 * as the same sum.
 */
static struct wv_distance *distance_find(struct wv_state *st, uint32_t a, int32_t scale, uint32_t b, bool *swapped)
{
	for (uint32_t i = 0; i < st->n_distances; i++) {
		struct wv_distance *f = &st->distance[i];
		if (f->scale != scale)
			continue;
		*swapped = (scale == 1 || scale == -1) && f->a == b && f->b == a;
		if (*swapped || (f->a == a && f->b == b))
			return f;
	}
	return NULL;
}

/* What lies between b - scale * a of values and of their symbols. */
static uint64_t constants_between(const struct wv_val *a, int32_t scale, const struct wv_val *b)
{
	return b->add - (uint64_t)(int64_t)scale * a->add;
}

bool wv_state_find_distance(
	const struct wv_state *st, const struct wv_val *a, int32_t scale, const struct wv_val *b, struct wv_num *d)
{
	bool swapped;
	struct wv_num zero = wv_num_const(0);
	struct wv_distance *f = distance_find((struct wv_state *)st, a->sym, scale, b->sym, &swapped);
	if (!f)
		return false;
	*d = swapped && scale == 1 ? wv_num_binary(WV_SUB, 64, &zero, &f->d) : f->d;
	*d = num_moved(d, constants_between(a, scale, b));
	return true;
}

struct wv_num wv_state_distance(
	const struct wv_state *st, const struct wv_val *a, int32_t scale, const struct wv_val *b)
{
	struct wv_num known, both;
	if (a->sym == b->sym && scale == 1)
		return wv_num_const(b->add - a->add);
	struct wv_num from = num_times(&a->n, scale), n = wv_num_binary(WV_SUB, 64, &b->n, &from);
	if (!wv_state_find_distance(st, a, scale, b, &known))
		return n;
	both = known;
	return wv_num_meet(&both, &n) ? both : known;
}

static bool symbol_is_held(const struct wv_state *st, uint32_t sym)
{
	unsigned r = 0;
	while (r < WV_NREG && st->reg[r].sym != sym)
		r++;
	return r < WV_NREG;
}

/*
 * Room for one more fact: at the end, or in place of one about values that no register holds any more, at least not
 * both.
 */
static struct wv_distance *distance_room(struct wv_state *st)
{
	if (st->n_distances < WV_MAX_DISTANCES)
		return &st->distance[st->n_distances++];
	st->steps += WV_MAX_DISTANCES;
	struct wv_distance *half = NULL;
	for (uint32_t i = 0; i < WV_MAX_DISTANCES; i++) {
		bool a = symbol_is_held(st, st->distance[i].a), b = symbol_is_held(st, st->distance[i].b);
		if (!a && !b)
			return &st->distance[i];
		half = half || (a && b) ? half : &st->distance[i];
	}
	return half;
}

void wv_state_set_distance(
	struct wv_state *st, const struct wv_val *a, int32_t scale, const struct wv_val *b, const struct wv_num *d)
{
	bool swapped;
	if (a->sym == b->sym || !a->sym || !b->sym)
		return;
	struct wv_distance *f = distance_find(st, a->sym, scale, b->sym, &swapped);
	if (!f)
		f = distance_room(st);
	if (f)
		*f = (struct wv_distance){a->sym, b->sym, scale, num_moved(d, 0 - constants_between(a, scale, b))};
}

/* What a symbol is, by a value that holds it; by a sum that it was. */
static bool number_by_value(const struct wv_val *v, uint32_t sym, struct wv_num *n)
{
	if (v->sym != sym)
		return false;
	*n = num_moved(&v->n, 0 - v->add);
	return true;
}

static bool number_by_sum(const struct wv_sum *s, uint32_t sym, struct wv_num *n)
{
	if (s->sum != sym)
		return false;
	*n = s->n;
	return true;
}

/* False: no register holds it, and it was none of the sums. */
static bool number_of(const struct wv_state *st, uint32_t sym, struct wv_num *n)
{
	for (unsigned r = 0; r < WV_NREG; r++) {
		if (number_by_value(&st->reg[r], sym, n))
			return true;
	}
	for (uint32_t i = 0; i < st->n_sums && i < WV_MAX_SUMS; i++) {
		if (number_by_sum(&st->sum[i], sym, n))
			return true;
	}
	return false;
}

static void learn_by(const struct wv_state *st, const struct wv_distance *f, struct wv_val *v)
{
	struct wv_num other, n;
	if (f->b == v->sym && number_of(st, f->a, &other)) {
		other = num_times(&other, f->scale);
		n = wv_num_binary(WV_ADD, 64, &other, &f->d);
	} else if (f->a == v->sym && f->scale == 1 && number_of(st, f->b, &other)) {
		n = wv_num_binary(WV_SUB, 64, &other, &f->d);
	} else {
		return;
	}
	n = num_moved(&n, v->add);
	if (wv_num_meet(&n, &v->n)) /* else nothing gets here */
		v->n = n;
}

void wv_state_learn_distant(const struct wv_state *st, struct wv_val *v)
{
	for (uint32_t i = 0; i < st->n_distances; i++)
		learn_by(st, &st->distance[i], v);
}

static int64_t floor_of(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t ceiling_of(int64_t a, int64_t b)
{
	return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

/*
 * Where scale * a = t, modulo 2^64: so it is as an integer if a is not large, and then a is the quotient. `a` is what
 * is known of it; t's ends are rounded inwards, perhaps past each other: then there is no such a. The scale is neither
 * 1 nor -1.
 */
static bool multiple_divide(const struct wv_num *t, int32_t scale, const struct wv_num *a, struct wv_num *quotient)
{
	const int64_t most = INT64_C(1) << 31;
	if (a->smin < -most || a->smax > most)
		return false;
	*quotient = wv_num_any();
	quotient->smin = ceiling_of(scale > 0 ? t->smin : t->smax, scale);
	quotient->smax = floor_of(scale > 0 ? t->smax : t->smin, scale);
	return true;
}

/* b - scale * a is one of d, and the symbol b one of n: registers that hold a. */
static bool refine_divided(struct wv_state *st, const struct wv_distance *f, const struct wv_num *n)
{
	struct wv_num t = wv_num_binary(WV_SUB, 64, n, &f->d), a, q;
	struct wv_val of = {.kind = WV_NUM, .init = 64, .sym = f->a};
	if (!number_of(st, f->a, &a) || !multiple_divide(&t, f->scale, &a, &q))
		return true;
	return wv_num_sync(&q) && wv_state_refine_locations(st, &of, &q);
}

static bool refine_by(
	struct wv_state *st, const struct wv_distance *f, const struct wv_val *of, const struct wv_num *known)
{
	st->steps += WV_STEPS_NUMBER;
	struct wv_val other = {.kind = WV_NUM, .init = 64};
	struct wv_num n, sym = num_moved(known, 0 - of->add);
	if (f->a == of->sym) {
		struct wv_num from = num_times(&sym, f->scale);
		other.sym = f->b;
		n = wv_num_binary(WV_ADD, 64, &from, &f->d);
	} else if (f->scale == 1 || f->scale == -1) {
		other.sym = f->a;
		n = wv_num_binary(WV_SUB, 64, f->scale == 1 ? &sym : &f->d, f->scale == 1 ? &f->d : &sym);
	} else {
		return refine_divided(st, f, &sym);
	}
	return wv_state_refine_locations(st, &other, &n);
}

bool wv_state_refine_distant(struct wv_state *st, const struct wv_val *of, const struct wv_num *known)
{
	for (uint32_t i = 0; i < st->n_distances && of->sym; i++) {
		const struct wv_distance *f = &st->distance[i];
		if ((f->a == of->sym || f->b == of->sym) && !refine_by(st, f, of, known))
			return false;
	}
	return true;
}

/* A register that holds the symbol plus `add`: as a number; modulo 2^32 and with no more bits than that, if `low`. */
static const struct wv_val *symbol_holder(const struct wv_state *st, uint32_t sym, uint64_t add, bool low)
{
	for (unsigned r = 0; r < WV_NREG; r++) {
		const struct wv_val *v = &st->reg[r];
		if (v->kind == WV_NUM && v->sym == sym &&
			(low ? (uint32_t)v->add == (uint32_t)add && v->n.umax <= UINT32_MAX : v->add == add))
			return v;
	}
	return NULL;
}

/*
 * Whole values a and b are equal, or not. If a is the sum of b and v, v is zero, or not. For a sum of low halves this
 * holds only if these are all of a and b: 2^32 + x and x differ, and have v = 0.
 */
static bool assume_difference(
	struct wv_state *st, const struct wv_sum *s, const struct wv_val *a, const struct wv_val *b, bool equal)
{
	uint32_t other = s->y == b->sym ? s->x : s->y;
	if (s->sum != a->sym || (s->x != b->sym && s->y != b->sym))
		return true;
	if (s->low && (a->n.umax > UINT32_MAX || b->n.umax > UINT32_MAX))
		return true;
	const struct wv_val *rest = symbol_holder(st, other, s->c + a->add - b->add, s->low);
	if (!rest)
		return true;
	struct wv_val v = *rest;
	struct wv_num zero = wv_num_const(0);
	return wv_num_assume(equal ? WV_E : WV_NE, 64, &v.n, &zero) && wv_state_refine(st, &v, &v.n);
}

bool wv_state_assume_distance(struct wv_state *st, const struct wv_val *a, const struct wv_val *b, bool equal)
{
	bool swapped;
	for (uint32_t i = 0; a->sym && b->sym && i < st->n_sums && i < WV_MAX_SUMS; i++) {
		if (!assume_difference(st, &st->sum[i], a, b, equal))
			return false;
	}
	if (!a->sym || !b->sym || a->sym == b->sym || !distance_find(st, a->sym, 1, b->sym, &swapped))
		return true;
	struct wv_num d = wv_state_distance(st, a, 1, b), zero = wv_num_const(0);
	if (!wv_num_assume(equal ? WV_E : WV_NE, 64, &d, &zero))
		return false;
	wv_state_set_distance(st, a, 1, b, &d);
	/* b = a + d and a = b - d, by the values before either is narrowed. */
	struct wv_num nb = wv_num_binary(WV_ADD, 64, &a->n, &d), na = wv_num_binary(WV_SUB, 64, &b->n, &d);
	return wv_state_refine(st, b, &nb) && wv_state_refine(st, a, &na);
}

/* ---- sums ---- */

/* Values that are read whole are numbers or pointers. What is known of constants needs no sums. */
static bool is_variable(const struct wv_val *v)
{
	return !wv_num_is_const(&v->n);
}

/* Two sums with an addend in common: their distance is this sum's other addend less the other's. */
static void compare_sums(struct wv_state *st, const struct wv_sum *s, const struct wv_sum *t)
{
	uint32_t common = s->x == t->x || s->x == t->y ? s->x : s->y;
	struct wv_val s_other = {.sym = s->x == common ? s->y : s->x, .n = wv_num_any()},
		      t_other = {.sym = t->x == common ? t->y : t->x, .n = wv_num_any()};
	struct wv_val from = {.sym = s->sum}, to = {.sym = t->sum};
	bool swapped;
	if ((t->x != common && t->y != common) || s->low || t->low ||
		!distance_find(st, s_other.sym, 1, t_other.sym, &swapped))
		return;
	struct wv_num d = wv_state_distance(st, &s_other, 1, &t_other);
	d = num_moved(&d, t->c - s->c);
	wv_state_set_distance(st, &from, 1, &to, &d);
}

/* Sums of the same two addends are a constant apart. */
static void same_sum(const struct wv_sum *s, const struct wv_sum *t, struct wv_val *sum)
{
	bool same = (s->x == t->x && s->y == t->y) || (s->x == t->y && s->y == t->x);
	if (!same || s->low || t->low)
		return;
	struct wv_num n = num_moved(&t->n, s->c - t->c + sum->add);
	if (wv_num_meet(&n, &sum->n))
		sum->n = n;
}

void wv_state_note_sum(
	struct wv_state *st, struct wv_val *sum, const struct wv_val *x, const struct wv_val *y, bool low)
{
	if (!is_variable(sum) || !is_variable(x) || !is_variable(y))
		return;
	st->steps += WV_STEPS_NUMBER + st->n_distances;
	struct wv_sum *s = &st->sum[st->n_sums % WV_MAX_SUMS], was = *s;
	*s = (struct wv_sum){sum->sym, x->sym, y->sym, low, x->add + y->add - sum->add, wv_num_any()};
	if (st->n_sums >= WV_MAX_SUMS)
		same_sum(s, &was, sum);
	uint32_t n = st->n_sums < WV_MAX_SUMS ? st->n_sums : WV_MAX_SUMS;
	for (uint32_t i = 0; i < n; i++) {
		if (&st->sum[i] == s)
			continue;
		compare_sums(st, s, &st->sum[i]);
		same_sum(s, &st->sum[i], sum);
	}
	wv_state_learn_distant(st, sum);
	s->n = num_moved(&sum->n, 0 - sum->add);
	st->n_sums++;
}

/*
 * b - a is now known to be one of `d`, which 32 bits hold. Where b is a + v modulo 2^32 and v is no longer than that, v
 * is this difference, and b is the sum modulo 2^64, too.
 */
static bool settle_low_sum(
	struct wv_state *st, struct wv_sum *s, const struct wv_val *a, const struct wv_val *b, const struct wv_num *d)
{
	uint32_t other = s->y == a->sym ? s->x : s->y;
	if (!s->low || s->sum != b->sym || (s->x != a->sym && s->y != a->sym))
		return true;
	const struct wv_val *rest = symbol_holder(st, other, s->c + b->add - a->add, true);
	if (!rest)
		return true;
	struct wv_val v = *rest;
	s->low = false;
	s->c = v.add + a->add - b->add;
	return wv_state_refine(st, &v, d);
}

bool wv_state_assume_order(struct wv_state *st, const struct wv_val *a, const struct wv_val *b, const struct wv_num *d)
{
	if (!is_variable(a) || !is_variable(b) || a->sym == b->sym)
		return true;
	struct wv_num now = wv_state_distance(st, a, 1, b);
	if (!wv_num_meet(&now, d))
		return false;
	wv_state_set_distance(st, a, 1, b, &now);
	for (uint32_t i = 0; now.umax <= UINT32_MAX && i < st->n_sums && i < WV_MAX_SUMS; i++) {
		if (!settle_low_sum(st, &st->sum[i], a, b, &now))
			return false;
	}
	return true;
}
