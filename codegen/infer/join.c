/* SPDX-License-Identifier: Apache-2.0 */
/* Joins and widening of abstract states. */
#include "join.h"

#include <string.h>

/* ---- values, without identities ---- */

static struct wv_val join_kinds(const struct wv_val *a, const struct wv_val *b)
{
	struct wv_val r = *a;
	if (a->kind == b->kind && (a->kind == WV_NUM || (a->region == b->region && a->kind != WV_UNINIT))) {
		if (a->kind == WV_SAVED)
			return r;
		r.n = wv_num_join(&a->n, &b->n);
		if (b->init < r.init)
			r.init = b->init;
		return r;
	}
	bool a_own = a->kind == WV_PTR || (a->kind == WV_NUM && a->init == 64),
	     b_own = b->kind == WV_PTR || (b->kind == WV_NUM && b->init == 64);
	if (!a_own || !b_own)
		return wv_val_uninit();
	r = (struct wv_val){.kind = WV_NUM,
		.init = 64,
		.sym = a->sym,
		.add = a->add,
		.lsym = a->lsym,
		.ladd = a->ladd,
		.n = wv_num_any()};
	return r;
}

/* ---- identities ---- */

/* Where the two states' values of one location come from; locations with equal origins are related in the join. */
struct origin {
	uint32_t a, b;
	uint64_t apart; /* difference of their constants */
};

struct namer {
	struct origin origin[JOIN_SYMBOLS];
	uint32_t sym[JOIN_SYMBOLS];
	uint64_t add[JOIN_SYMBOLS]; /* value = sym + (a's constant - add) */
	uint32_t n, base;
	uint64_t looked_at; /* origins, so far */
	struct head_join *head;
};

static bool is_changed(const struct head_join *head, uint32_t location)
{
	return head->changed->bits[location / 64] >> location % 64 & 1;
}

static void mark_changed(struct head_join *head, uint32_t location)
{
	head->marked |= !is_changed(head, location);
	head->changed->bits[location / 64] |= UINT64_C(1) << location % 64;
}

static void set_identity(struct wv_val *v, uint32_t sym, uint64_t add)
{
	v->sym = v->lsym = sym;
	v->add = add;
	v->ladd = (uint32_t)add;
}

/* The symbol for an origin, made if it is new. */
static uint32_t group_for(struct namer *w, struct origin o, bool shared, uint64_t add, uint32_t location)
{
	uint32_t i = shared ? 0 : w->n;
	while (i < w->n && (w->origin[i].a != o.a || w->origin[i].b != o.b || w->origin[i].apart != o.apart))
		i++;
	w->looked_at += shared ? i : 0;
	if (i < w->n)
		return i;
	w->origin[w->n] = shared ? o : (struct origin){0};
	w->sym[w->n] = w->base + location;
	w->add[w->n] = add;
	return w->n++;
}

/* Name the join `r` of the values `a` and `b` at a location. */
static void name_join(
	struct namer *w, struct wv_val *r, const struct wv_val *a, const struct wv_val *b, uint32_t location)
{
	if (r->kind != WV_NUM && r->kind != WV_PTR)
		return;
	bool same_kind = a->kind == b->kind; /* a pointer and a number have no identity in common */
	bool same = same_kind && a->sym == b->sym && a->add == b->add;
	if (w->head && w->head->back && !same_kind)
		mark_changed(w->head, location);
	if (same_kind && w->head && !is_changed(w->head, location)) {
		/* What the loop does not change is what it was outside: nothing to join, and nothing to widen. */
		if (!w->head->back) {
			r->n = b->n;
			set_identity(r, b->sym, b->add);
			return;
		}
		if (same)
			r->n = a->n;
		else
			mark_changed(w->head, location);
	}
	if (same) {
		set_identity(r, a->sym, a->add);
		return;
	}
	uint32_t i = group_for(w, (struct origin){a->sym, b->sym, a->add - b->add}, same_kind, a->add, location);
	set_identity(r, w->sym[i], a->add - w->add[i]);
}

/* ---- states ---- */

static bool num_equal(const struct wv_num *a, const struct wv_num *b)
{
	return a->umin == b->umin && a->umax == b->umax && a->smin == b->smin && a->smax == b->smax &&
	       a->lumin == b->lumin && a->lumax == b->lumax && a->lsmin == b->lsmin && a->lsmax == b->lsmax &&
	       a->known == b->known && a->bits == b->bits && a->mod == b->mod && a->rem == b->rem;
}

static bool val_equal(const struct wv_val *a, const struct wv_val *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == WV_UNINIT)
		return true;
	if (a->region != b->region)
		return false;
	return a->kind == WV_SAVED || (a->init == b->init && a->sym == b->sym && a->add == b->add &&
					      a->lsym == b->lsym && a->ladd == b->ladd && num_equal(&a->n, &b->n));
}

/*
 * Is the value already its own join: the same in both states, in the form of a join, and with the low identity that a
 * join gives it? Most are.
 */
static bool is_joined(const struct wv_val *a, const struct wv_val *b)
{
	if (a->kind == WV_UNINIT || a->kind == WV_SAVED || a->sym != b->sym || !val_equal(a, b))
		return false;
	bool known_alike = !(a->n.bits & ~a->n.known) && (a->n.mod > 1 ? a->n.umin != a->n.umax && a->n.rem < a->n.mod
								       : a->n.mod == 1 && a->n.rem == 0);
	return known_alike && a->lsym == a->sym && a->ladd == (uint32_t)a->add;
}

static bool join_reg(struct namer *w, struct wv_val *into, const struct wv_val *from, uint32_t location)
{
	if (is_joined(into, from))
		return false;
	struct wv_val a = *into;
	*into = join_kinds(&a, from);
	name_join(w, into, &a, from, location);
	return !val_equal(into, &a);
}

static bool join_slot(struct namer *w, struct wv_slot *into, const struct wv_slot *from, uint32_t location)
{
	if (into->width == from->width && (!into->width || is_joined(&into->v, &from->v))) {
		uint8_t had = into->init;
		into->init &= from->init;
		return into->init != had;
	}
	struct wv_slot a = *into, b = *from;
	uint8_t a_width = a.width;
	if (a.width != b.width && a.width && b.width) { /* eight bytes that fit in four may join four */
		struct wv_slot *wide = a.width == 8 ? &a : &b;
		wide->width = wide->v.kind == WV_NUM && wide->v.n.umax <= UINT32_MAX ? 4 : 0;
	}
	into->init = a.init & b.init;
	into->width = a.width == b.width ? a.width : 0;
	if (!into->width)
		return a_width != 0 || into->init != a.init;
	into->v = join_kinds(&a.v, &b.v);
	if (into->v.kind == WV_UNINIT)
		into->width = 0;
	else
		name_join(w, &into->v, &a.v, &b.v, location);
	return into->width != a_width || into->init != a.init || (into->width && !val_equal(&into->v, &a.v));
}

bool distances_equal(const struct wv_state *a, const struct wv_state *b)
{
	for (uint32_t i = 0; i < a->n_distances && a->n_distances == b->n_distances; i++) {
		const struct wv_distance *f = &a->distance[i], *g = &b->distance[i];
		if (f->a != g->a || f->b != g->b || f->scale != g->scale || !num_equal(&f->d, &g->d))
			return false;
	}
	return a->n_distances == b->n_distances;
}

uint8_t holder_of(const struct wv_state *st, uint32_t sym)
{
	uint8_t r = 0;
	while (r < WV_NREG && (r == WV_RSP || !sym || st->reg[r].sym != sym))
		r++;
	return r;
}

bool distance_claimable(const struct wv_val *a, int32_t scale, const struct wv_val *b)
{
	if (a->kind != WV_NUM && a->kind != WV_PTR)
		return false;
	if (a->kind == WV_NUM && b->kind == WV_PTR)
		return true;
	return a->kind == b->kind && (a->kind == WV_NUM || (scale == 1 && a->region == b->region));
}

bool distance_matters(const struct wv_val *a, int32_t scale, const struct wv_val *b, const struct wv_num *d)
{
	struct wv_num by = wv_num_const((uint64_t)(int64_t)scale), from = wv_num_binary(WV_IMUL, 64, &a->n, &by),
		      implied = wv_num_binary(WV_SUB, 64, &b->n, &from);
	return !wv_num_within(&implied, d);
}

bool each_distance(const struct wv_state *st, const struct wv_distance *f, distance_fn *fn, void *user)
{
	for (uint8_t x = 0; x < WV_NREG; x++) {
		for (uint8_t y = 0; st->reg[x].sym == f->a && y < WV_NREG; y++) {
			const struct wv_val *a = &st->reg[x], *b = &st->reg[y];
			if (b->sym != f->b || x == WV_RSP || y == WV_RSP || !distance_claimable(a, f->scale, b))
				continue;
			struct wv_num d = wv_state_distance(st, a, f->scale, b);
			if (distance_matters(a, f->scale, b, &d) && !fn(user, st, x, f->scale, y))
				return false;
		}
	}
	return true;
}

static bool count_pair(void *user, const struct wv_state *st, uint8_t x, int32_t scale, uint8_t y)
{
	uint32_t *n = user;
	(void)st, (void)x, (void)scale, (void)y;
	++*n;
	return true;
}

void trim_distances(struct wv_state *st)
{
	struct wv_distance all[WV_MAX_DISTANCES];
	uint32_t had = st->n_distances, packed_state = 0, pairs = 0;
	for (uint32_t i = 0; i < had; i++)
		all[i] = st->distance[i];
	for (uint32_t i = 0; i < 2 * had; i++) { /* first those that are one number */
		const struct wv_distance *f = &all[i % had];
		uint32_t n = 0;
		each_distance(st, f, count_pair, &n);
		if (n == 0 || pairs + n > WV_MAX_DISTANCES || wv_num_is_const(&f->d) != (i < had))
			continue;
		pairs += n;
		st->distance[packed_state++] = *f;
	}
	st->n_distances = packed_state;
}

/*
 * What both states know of the distance of register y from register x. At a loop's head it may matter only once the
 * values grow.
 */
static void join_distance(struct wv_state *into, uint8_t x, int32_t scale, uint8_t y, const struct wv_state *a,
	const struct wv_state *b, bool head, bool exact)
{
	if (!distance_claimable(&a->reg[x], scale, &a->reg[y]) || !distance_claimable(&b->reg[x], scale, &b->reg[y]) ||
		!distance_claimable(&into->reg[x], scale, &into->reg[y]) || a->reg[y].kind != b->reg[y].kind)
		return;
	struct wv_num da = wv_state_distance(a, &a->reg[x], scale, &a->reg[y]),
		      db = wv_state_distance(b, &b->reg[x], scale, &b->reg[y]);
	struct wv_num d = wv_num_join(&da, &db), any = wv_num_any();
	if (exact != wv_num_is_const(&d))
		return;
	if (head ? !wv_num_within(&any, &d) : distance_matters(&into->reg[x], scale, &into->reg[y], &d))
		wv_state_set_distance(into, &into->reg[x], scale, &into->reg[y], &d);
}

/* A fact of `with` for all registers that hold its symbols: in the join these may have names of their own. */
static void join_fact(struct wv_state *into, const struct wv_distance *f, const struct wv_state *with,
	const struct wv_state *other, bool head, bool exact)
{
	for (uint8_t x = 0; x < WV_NREG; x++) {
		for (uint8_t y = 0; with->reg[x].sym == f->a && y < WV_NREG; y++) {
			if (with->reg[y].sym == f->b && x != WV_RSP && y != WV_RSP)
				join_distance(into, x, f->scale, y, with, other, head, exact);
		}
	}
}

/*
 * Distances between registers that `a` knows something about, or, where the head may still learn, either. There are few
 * places: those that are one number come first.
 */
static void join_distances(
	struct wv_state *into, const struct wv_state *a, const struct wv_state *b, const struct head_join *head)
{
	into->n_distances = 0;
	for (int exact = 1; exact >= 0; exact--) {
		for (uint32_t i = 0; i < a->n_distances; i++)
			join_fact(into, &a->distance[i], a, b, head, exact);
		for (uint32_t i = 0; (!head || head->fresh) && i < b->n_distances; i++)
			join_fact(into, &b->distance[i], b, a, head, exact);
	}
}

/* Copy what distances depend on: all of the state but the slots. */
static void copy_registers(struct wv_state *to, struct wv_state *from)
{
	uint32_t n = from->n_slots;
	from->n_slots = 0;
	wv_state_copy(to, from);
	from->n_slots = n;
}

bool state_join(struct effort *effort, struct wv_state *into, const struct wv_state *from, uint32_t base,
	struct head_join *head)
{
	static _Thread_local struct wv_state before;
	struct namer w; /* most of it is room */
	uint16_t half[2] = {into->half[0] & from->half[0], into->half[1] & from->half[1]};
	bool changed = from->n_slots < into->n_slots || half[0] != into->half[0] || half[1] != into->half[1];
	w.looked_at = w.n = 0;
	w.base = base;
	w.head = head;
	copy_registers(&before, into);
	for (unsigned r = 0; r < WV_NREG; r++) {
		if (r != WV_RSP)
			changed |= join_reg(&w, &into->reg[r], &from->reg[r], r);
	}
	if (from->n_slots < into->n_slots)
		into->n_slots = from->n_slots;
	for (uint32_t i = 0; i < into->n_slots; i++)
		changed |= join_slot(&w, &into->slot[i], &from->slot[i], WV_NREG + i);
	memcpy(into->half, half, sizeof half);
	join_distances(into, &before, from, head);
	effort_spend(effort, 2 * UNITS_PER_STATE + into->n_slots / SLOTS_PER_UNIT + w.looked_at / 16);
	return changed;
}

/* ---- widening ---- */

/* How many are below. */
static uint32_t count_below(const struct thresholds *t, uint64_t v)
{
	uint32_t lo = 0, hi = t->n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (t->v[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static uint64_t next_up(const struct thresholds *t, uint64_t v)
{
	uint32_t i = count_below(t, v);
	return i < t->n ? t->v[i] : UINT64_MAX;
}

static uint64_t next_down(const struct thresholds *t, uint64_t v)
{
	uint32_t i = count_below(t, v);
	return i < t->n && t->v[i] == v ? v : i ? t->v[i - 1] : 0;
}

/* The next signed threshold below, of 32 bits or 64; the negative ones are the greatest unsigned. */
static int64_t signed_down(const struct thresholds *t, int64_t v, unsigned width)
{
	int64_t best = width == 32 ? INT32_MIN : INT64_MIN;
	for (uint32_t i = 0; i < t->n; i++) {
		int64_t at = width == 32 ? (int32_t)t->v[i] : (int64_t)t->v[i];
		if (at <= v && at > best)
			best = at;
	}
	return best;
}

static int64_t signed_up(const struct thresholds *t, int64_t v, int64_t most)
{
	uint64_t up = v < 0 ? 0 : next_up(t, (uint64_t)v);
	return up > (uint64_t)most ? most : (int64_t)up;
}

/*
 * The known bits that come before the first unknown one: those that a stride keeps. The upper ones only repeat the
 * bounds, and would hold them back.
 */
static void keep_low_bits(struct wv_num *n)
{
	unsigned low = ~n->known ? (unsigned)__builtin_ctzll(~n->known) : 63;
	n->known &= (UINT64_C(1) << low) - 1;
	n->bits &= n->known;
}

static void widen_num(struct wv_num *n, const struct wv_num *old, const struct thresholds *t)
{
	struct wv_num w = *n;
	if (n->umin < old->umin || n->umax > old->umax || n->smin < old->smin || n->smax > old->smax)
		keep_low_bits(&w);
	if (n->umin < old->umin)
		w.umin = next_down(t, n->umin);
	if (n->umax > old->umax)
		w.umax = next_up(t, n->umax);
	if (n->smin < old->smin)
		w.smin = signed_down(t, n->smin, 64);
	if (n->smax > old->smax)
		w.smax = signed_up(t, n->smax, INT64_MAX);
	if (n->lumin < old->lumin)
		w.lumin = (uint32_t)next_down(t, n->lumin);
	if (n->lumax > old->lumax) {
		uint64_t up = next_up(t, n->lumax);
		w.lumax = up > UINT32_MAX ? UINT32_MAX : (uint32_t)up;
	}
	if (n->lsmin < old->lsmin)
		w.lsmin = (int32_t)signed_down(t, n->lsmin, 32);
	if (n->lsmax > old->lsmax)
		w.lsmax = (int32_t)signed_up(t, n->lsmax, INT32_MAX);
	*n = wv_num_sync(&w) ? w : wv_num_any();
}

void widen_distances(struct wv_state *into, const struct wv_state *before)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < into->n_distances; i++) {
		struct wv_distance *f = &into->distance[i];
		struct wv_val a = {.kind = WV_NUM, .sym = f->a, .n = wv_num_any()},
			      b = {.kind = WV_NUM, .sym = f->b, .n = wv_num_any()};
		struct wv_num old = wv_state_distance(before, &a, f->scale, &b);
		if (wv_num_within(&f->d, &old))
			into->distance[n++] = *f;
	}
	into->n_distances = n;
}

void state_widen(struct wv_state *into, const struct wv_state *before, const struct thresholds *t)
{
	for (unsigned r = 0; r < WV_NREG; r++) {
		struct wv_val *v = &into->reg[r];
		const struct wv_val *o = &before->reg[r];
		if (r != WV_RSP && (v->kind == WV_NUM || v->kind == WV_PTR) && v->kind == o->kind)
			widen_num(&v->n, &o->n, t);
	}
	for (uint32_t i = 0; i < into->n_slots; i++) {
		struct wv_slot *s = &into->slot[i];
		if (s->width && s->v.kind != WV_SAVED && i < before->n_slots && before->slot[i].width == s->width &&
			before->slot[i].v.kind == s->v.kind)
			widen_num(&s->v.n, &before->slot[i].v.n, t);
	}
}
