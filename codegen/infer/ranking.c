/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what ranks a loop. It interprets the loop once more from the states that have settled, and keeps what goes
 * back to the head. Then it measures the locations: at the head each has some identity, and on each back edge its
 * value either is that identity plus a step or isn't. A location that always moves in one direction ranks the loop if
 * its range is bounded; the one with the fewest trips is taken. Locations that always move by one stride are counted
 * with it.
 */
#include "ranking.h"

#include <stdlib.h>

struct ranking {
	struct wv_loc loc;
	const struct wv_val *head; /* the location's value at the head, */
	unsigned bits;             /* and how much of the location it is */
	int64_t step[2];           /* the largest: [0] of the full identity, [1] of the low one */
	int64_t least[2];          /* the smallest */
	bool possible[2];
	bool shorter, fewer; /* always in bits, or in ones */
	bool related;        /* the value is always the head's identity plus a constant */
	bool any;
};

/* What goes back to the head of a loop, by location: the registers, then the slots. */
struct backs {
	struct analysis *a;
	uint32_t loop;
	struct wv_state head;
	struct ranking of[JOIN_SYMBOLS];
};

static uint32_t n_locations(const struct backs *b)
{
	return WV_NREG + b->head.n_slots;
}

static struct wv_loc location_of(uint32_t i)
{
	return i < WV_NREG ? (struct wv_loc){.reg = (uint8_t)i}
			   : (struct wv_loc){.reg = WV_NREG, .slot = (uint16_t)(i - WV_NREG + 1)};
}

static bool note_step(struct ranking *r, unsigned i, int64_t step)
{
	if (step == 0 || step == INT64_MIN || (r->any && r->step[i] && (r->step[i] > 0) != (step > 0)))
		return false;
	if (!r->step[i] || magnitude_of(step) > magnitude_of(r->step[i])) /* decides about wrapping */
		r->step[i] = step;
	if (!r->least[i] || magnitude_of(step) < magnitude_of(r->least[i])) /* decides about the bound */
		r->least[i] = step;
	return true;
}

/* Of several steps the least and the largest: how far the value is from the head's. */
static bool note_steps(struct ranking *r, const struct wv_state *st, const struct wv_val *v)
{
	if (v->kind != r->head->kind || (v->kind == WV_PTR && v->region != r->head->region))
		return false;
	struct wv_num d = wv_state_distance(st, r->head, 1, v);
	return (d.smin > 0 || d.smax < 0) && note_step(r, 0, d.smin) && note_step(r, 0, d.smax);
}

static void rank_back(struct ranking *r, const struct wv_state *st)
{
	const struct wv_val *v = wv_rank_bits(st, &r->loc) == r->bits ? wv_rank_value(st, &r->loc) : NULL;
	r->shorter = r->shorter && v && v->kind == WV_NUM && wv_state_is_less(st, v, r->head, false);
	r->fewer = r->fewer && v && v->kind == WV_NUM && wv_state_is_less(st, v, r->head, true);
	r->related = r->related && v && v->sym == r->head->sym;
	r->possible[0] = r->possible[0] && v && note_steps(r, st, v);
	r->possible[1] =
		r->possible[1] && v && v->lsym == r->head->lsym && note_step(r, 1, (int32_t)(v->ladd - r->head->ladd));
	r->any = true;
}

/* The fewest trips over the views in which the location ranks the loop; UINT64_MAX: in none. */
static uint64_t best_view(const struct ranking *r, enum wv_view *view)
{
	uint64_t best = UINT64_MAX;
	for (enum wv_view v = WV_U64; v <= WV_S32; v++) {
		unsigned i = v >= WV_U32;
		if (!r->possible[i] || !r->any || !wv_rank_moves(v, &r->head->n, r->step[i]) ||
			(i && r->head->kind == WV_PTR))
			continue;
		uint64_t trips = wv_rank_width(v, &r->head->n) / magnitude_of(r->least[i]);
		/* which goes below zero, too: the range may turn out to begin there (weaken.c) */
		if (trips < best || (trips == best && v == WV_S64)) {
			best = trips;
			*view = v;
		}
	}
	for (enum wv_view v = WV_LENGTH; v <= WV_ONES; v++) {
		uint64_t trips = wv_rank_width(v, &r->head->n);
		if (r->any && (v == WV_ONES ? r->fewer : r->shorter) && trips < best) {
			best = trips;
			*view = v;
		}
	}
	return best;
}

/*
 * How the locations move, before any back edge has been seen. Of one that holds no number the ranking's head is NULL.
 */
static void begin_backs(struct backs *b)
{
	for (uint32_t i = 0; i < n_locations(b); i++) {
		struct ranking r = {.loc = location_of(i),
			.possible = {true, true},
			.shorter = true,
			.fewer = true,
			.related = true};
		const struct wv_val *head = i == WV_RSP ? NULL : wv_rank_value(&b->head, &r.loc);
		if (head && (head->kind != WV_NUM || head->init == 64)) {
			r.head = head;
			r.bits = wv_rank_bits(&b->head, &r.loc);
		}
		b->of[i] = r;
	}
}

static const struct ranking *measured_rank(const struct backs *b, struct wv_loc loc)
{
	return &b->of[loc.slot ? WV_NREG + loc.slot - 1u : loc.reg];
}

static bool note_back(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	struct backs *b = user;
	const struct loop *l = &b->a->f->loops[b->loop];
	if (out->to != l->head || from < l->head || from >= l->end)
		return true;
	for (uint32_t i = 0; i < n_locations(b); i++) {
		if (b->of[i].head)
			rank_back(&b->of[i], st);
	}
	return effort_spend(b->a->code->effort, 4 * (uint64_t)n_locations(b));
}

/* Interpret the loop once more. */
static bool find_backs(struct machine *k, uint32_t loop, struct backs *b)
{
	const struct loop *l = &k->a->f->loops[loop];
	b->a = k->a;
	b->loop = loop;
	unpack_state(&b->head, &k->a->in[l->head]);
	begin_backs(b);
	for (uint32_t i = l->head; i < l->end; i++) {
		if (k->a->in[i].p && !interpret(k, i, note_back, b))
			return false;
	}
	return true;
}

/*
 * Has the location been taken for counted so far? Its range then comes from the ranking location, so it can't rank the
 * loop.
 */
static bool is_counted(const struct ranked *rank, struct wv_loc loc)
{
	for (uint32_t i = 0; i < rank->n_counted; i++) {
		if (rank->counted[i].loc.reg == loc.reg && rank->counted[i].loc.slot == loc.slot)
			return true;
	}
	return false;
}

static void try_rank(const struct backs *b, struct wv_loc loc, uint64_t *best)
{
	struct ranked *rank = &b->a->ranks[b->loop];
	if (is_counted(rank, loc))
		return;
	const struct ranking *r = measured_rank(b, loc);
	const struct wv_val *head = r->head;
	enum wv_view view = WV_U64;
	uint64_t trips = head ? best_view(r, &view) : UINT64_MAX;
	/* that is what loops test which move both */
	bool number = head && head->kind == WV_NUM && rank->found && !rank->number;
	if (trips < *best || (trips == *best && trips < UINT64_MAX && number)) {
		*best = trips;
		rank->number = head->kind == WV_NUM;
		rank->found = true;
		rank->view = view;
		rank->loc = loc;
		rank->step = view >= WV_LENGTH ? -1 : r->least[view >= WV_U32];
		rank->exact = view < WV_LENGTH && r->possible[0] && r->related && r->least[0] == r->step[0];
		rank->sym = head->sym;
		rank->add = head->add;
	}
}

/*
 * Has a location been counted that holds the same symbol? Then this one is claimed in its group, if the group has the
 * values it needs: a distance from the ranking register bounds the whole group.
 */
static bool counted_alike(const struct ranked *rank, struct wv_loc loc, const struct ranking *r)
{
	bool in_step = rank->exact && r->step[0] % rank->step == 0 && !rank->loc.slot && !loc.slot;
	for (uint32_t i = 0; in_step && i < rank->n_counted; i++) {
		if (rank->counted[i].sym == r->head->sym && !rank->counted[i].loc.slot)
			return true;
	}
	return false;
}

/*
 * A counter of 32 bits may wrap for all that is known before it is counted, and so has its low identity alone. That it
 * doesn't is a guess, which the next pass makes good: counted, it is in bounds, and moves by its full identity.
 */
static bool guess_count(const struct analysis *a, const struct ranking *r)
{
	return a->guess && !r->possible[0] && r->possible[1] && r->step[1] == r->least[1] && r->bits == 64 &&
	       r->head->kind == WV_NUM && r->head->n.umax <= UINT32_MAX;
}

/* Not the ranking location nor a copy of it, and moved by one and the same stride. Slots are counted only whole. */
static bool try_count(const struct backs *b, struct wv_loc loc)
{
	struct ranked *rank = &b->a->ranks[b->loop];
	if ((loc.reg == rank->loc.reg && loc.slot == rank->loc.slot) ||
		(loc.slot && b->head.slot[loc.slot - 1].width != 8))
		return true;
	const struct ranking *r = measured_rank(b, loc);
	if (!r->head || !r->any || rank->n_counted == WV_MAX_COUNTED || r->head->sym == rank->sym)
		return true;
	bool guess = guess_count(b->a, r);
	if (!guess && (!r->possible[0] || !r->related || r->step[0] != r->least[0] || counted_alike(rank, loc, r)))
		return true;
	if (!grow(&rank->counted, rank->n_counted, &rank->cap_counted, sizeof *rank->counted))
		return false;
	rank->counted[rank->n_counted++] =
		(struct counted){loc, r->step[guess], wv_num_any(), r->head->sym, r->head->add, guess};
	b->a->guessed |= guess;
	return true;
}

/* Does the location count the iterations of all loops of a nest? */
static bool counts_nest(const struct backs *b, uint32_t i)
{
	const struct wv_val *head = b->of[i].head;
	return b->a->code->nest && head && head->kind == WV_NUM && b->of[i].bits == 64 && head->n.smin >= 0 &&
	       head->n.smin <= 64 && (uint64_t)head->n.smax == b->a->code->nest;
}

/*
 * The location that ranks the loop, and with it what the loop counts. If there is one that counts for a nest, then
 * another would stand in its way: without it the loop is left to its cursor (nest_cursor.c).
 */
static bool find_rank(const struct backs *b)
{
	struct ranked *rank = &b->a->ranks[b->loop];
	uint64_t best = UINT64_MAX;
	bool nest = false;
	for (uint32_t i = 0; i < n_locations(b); i++)
		nest |= counts_nest(b, i);
	for (uint32_t i = 0; i < n_locations(b); i++)
		if (!nest || counts_nest(b, i))
			try_rank(b, location_of(i), &best);
	rank->n_counted = 0;
	for (uint32_t i = 0; rank->found && i < n_locations(b); i++) {
		if (!try_count(b, location_of(i)))
			return false;
	}
	return true;
}

bool find_ranks(struct machine *k)
{
	struct analysis *a = k->a;
	struct backs *backs = a->f->n_loops ? malloc(sizeof *backs) : NULL;
	bool ok = backs || !a->f->n_loops;
	a->guessed = false;
	for (uint32_t l = 0; ok && l < a->f->n_loops; l++) {
		a->ranks[l].found = false;
		ok = !a->in[a->f->loops[l].head].p || (find_backs(k, l, backs) && find_rank(backs));
	}
	free(backs);
	return ok;
}

/* ---- what has changed ---- */

static const struct counted *find_counted(const struct ranked *rank, const struct counted *c)
{
	for (uint32_t i = 0; i < rank->n_counted; i++) {
		const struct counted *o = &rank->counted[i];
		if (o->loc.reg == c->loc.reg && o->loc.slot == c->loc.slot && o->stride == c->stride &&
			o->low == c->low)
			return o;
	}
	return NULL;
}

/* Count no more what wasn't counted before. */
static void drop_new(struct ranked *rank, const struct ranked *before)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < rank->n_counted; i++) {
		if (find_counted(before, &rank->counted[i]))
			rank->counted[n++] = rank->counted[i];
	}
	rank->n_counted = n;
}

static bool ranked_alike(const struct ranked *a, const struct ranked *b)
{
	if (a->found != b->found)
		return false;
	if (!a->found)
		return true;
	if (a->view != b->view || a->step != b->step || a->exact != b->exact || a->loc.reg != b->loc.reg ||
		a->loc.slot != b->loc.slot || a->n_counted != b->n_counted)
		return false;
	for (uint32_t i = 0; i < a->n_counted; i++) {
		if (!find_counted(b, &a->counted[i]))
			return false;
	}
	return true;
}

bool find_ranks_again(struct machine *k, bool no_more, bool *changed)
{
	struct analysis *a = k->a;
	struct ranked *before = calloc(a->f->n_loops + 1, sizeof *before);
	uint32_t n = 0;
	bool ok = before != NULL;
	for (; ok && n < a->f->n_loops; n++) {
		before[n] = a->ranks[n];
		before[n].counted = malloc((before[n].n_counted + 1) * sizeof *before[n].counted);
		ok = before[n].counted != NULL;
		for (uint32_t i = 0; ok && i < before[n].n_counted; i++)
			before[n].counted[i] = a->ranks[n].counted[i];
	}
	ok = ok && find_ranks(k);
	*changed = false;
	for (uint32_t l = 0; l < n; l++) {
		if (ok && no_more)
			drop_new(&a->ranks[l], &before[l]);
		*changed |= ok && !ranked_alike(&a->ranks[l], &before[l]);
		free(before[l].counted);
	}
	free(before);
	return ok;
}

/* ---- what is compared ---- */

/*
 * The last comparison for equality, but the back edge's comparison comes first: code behind that comparison is
 * outside the loop.
 */
struct comparing {
	struct machine *k;
	uint32_t loop;
	const struct out *seen;
	bool back;
	struct wv_val a, b;
};

static bool note_comparison(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	struct comparing *c = user;
	const struct wv_flags *f = &st->flags;
	enum wv_cond cond = (enum wv_cond)c->k->a->code->insns[out->insn].cond;
	(void)from;
	bool back = out->to == c->k->a->f->loops[c->loop].head;
	if ((back || !c->back) && out->kind == OUT_TAKEN && (cond == WV_E || cond == WV_NE) &&
		f->relation == WV_REL_CMP && f->width >= 32 && f->a.kind == f->b.kind) {
		c->seen = out;
		c->back = back;
		c->a = f->a;
		c->b = f->b;
	}
	return true;
}

/* The same for a value; one of 32 bits that might wrap, for all that is known yet, has only its low identity left. */
static uint8_t holder_of_value(const struct wv_state *head, const struct wv_val *v)
{
	for (uint8_t exact = 0; exact < WV_NREG; exact++) { /* not one that is a constant away, if there is a choice */
		if (exact != WV_RSP && head->reg[exact].sym == v->sym && head->reg[exact].add == v->add && v->sym)
			return exact;
	}
	uint8_t r = holder_of(head, v->sym);
	return r == WV_NREG ? holder_of(head, v->lsym) : r;
}

/* Is one side of the comparison moved by the loop, and the other not? */
static void add_ordered(const struct backs *backs, const struct wv_val *moving, const struct wv_val *bound)
{
	struct ranked *rank = &backs->a->ranks[backs->loop];
	const struct wv_state *head = &backs->head;
	uint8_t m = holder_of_value(head, moving), b = holder_of_value(head, bound);
	if (m == WV_NREG || b == WV_NREG || wv_num_is_const(&head->reg[b].n) || rank->n_ordered == WV_MAX_DISTANCES)
		return;
	struct ordered o = {.moving = {.reg = m}, .bound = {.reg = b}};
	for (uint32_t i = 0; i < rank->n_ordered; i++) {
		if (rank->ordered[i].moving.reg == m && rank->ordered[i].bound.reg == b)
			return;
	}
	const struct ranking *r = measured_rank(backs, o.moving);
	unsigned low = !r->possible[0];
	o.stride = r->step[low];
	if (r->head && r->any && r->possible[low] && r->step[low] == r->least[low])
		rank->ordered[rank->n_ordered++] = o;
}

static bool find_ordered_in(struct machine *k, const struct backs *backs)
{
	const struct loop *l = &k->a->f->loops[backs->loop];
	for (uint32_t b = l->head; b < l->end; b++) {
		struct comparing c = {.k = k, .loop = backs->loop};
		if (!k->a->in[b].p)
			continue;
		if (!interpret(k, b, note_comparison, &c))
			return false;
		if (c.seen) {
			add_ordered(backs, &c.a, &c.b);
			add_ordered(backs, &c.b, &c.a);
		}
	}
	return true;
}

bool find_ordered(struct machine *k)
{
	struct analysis *a = k->a;
	struct backs *backs = a->f->n_loops ? malloc(sizeof *backs) : NULL;
	bool ok = backs || !a->f->n_loops;
	for (uint32_t l = 0; ok && l < a->f->n_loops; l++) {
		if (!a->ranks[l].found && a->in[a->f->loops[l].head].p)
			ok = find_backs(k, l, backs) && find_ordered_in(k, backs);
	}
	free(backs);
	return ok;
}
