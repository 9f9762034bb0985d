/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interprets blocks in rounds over the proof's order. A round makes each block's state afresh from what flowed into
 * it in that round. Only loop heads remember: they join what comes back to them to what they had. Bounds that keep
 * growing there are widened to thresholds taken from the code's constants.
 *
 * A few more rounds narrow: heads forget too, and take what came back in the round before. That wins back precision
 * that widening lost. It stays a fixpoint, since less flowing in makes less flow out.
 *
 * Most of a round repeats the round before. So each block remembers the states that it sent to its exits. If the
 * state at its head is the same as before, it sends these again; if nothing new is sent to a block, the state at its
 * head stays as it is.
 */
#include "iterate.h"

#include <stdlib.h>
#include <string.h>

#include "ranking.h"

enum {
	MAX_ROUNDS = 200,     /* then widening has failed and the verifier will say where */
	WIDEN_AFTER = 2,      /* changes of a loop head before its bounds are widened */
	WIDEN_FAR_AFTER = 48, /* and before what still grows goes to its limits at once */
	GIVE_UP_AFTER = 120,  /* changes of a loop head before they are dropped altogether */
	NARROW_ROUNDS = 3,
};

/* At which counts of a head's changes, and of those of its distances, another thing is done; ascending. */
static const unsigned changes_steps[] = {WIDEN_AFTER + 1, WIDEN_FAR_AFTER + 1, GIVE_UP_AFTER + 1, 0},
		      apart_steps[] = {1, WIDEN_AFTER + 1, 0};

static bool is_step(const unsigned *steps, unsigned n)
{
	while (*steps && *steps != n)
		steps++;
	return *steps;
}

/* Bounds that never settle are dropped: every number becomes any number. */
static void forget_numbers(struct wv_state *st)
{
	for (unsigned r = 0; r < WV_NREG; r++) {
		if (r != WV_RSP && st->reg[r].kind == WV_NUM)
			st->reg[r].n = wv_num_any();
	}
	for (uint32_t i = 0; i < st->n_slots; i++) {
		if (st->slot[i].width == 8 && st->slot[i].v.kind == WV_NUM)
			st->slot[i].v.n = wv_num_any();
	}
}

/* Where no loop starts. */
static void join_plainly(struct iteration *r, struct wv_state *into, const struct wv_state *st, uint32_t to)
{
	state_join(r->effort, into, st, r->a->base[to], NULL);
	forget_unclaimed(into);
}

/* ---- counted locations ---- */

static struct wv_val *value_at(struct wv_state *st, const struct wv_loc *loc)
{
	return (struct wv_val *)wv_rank_value(st, loc);
}

/* start + stride * k for all k that the loop's rank allows, as the verifier works it out. */
static struct wv_num counted_range(const struct counted *c, const struct ranked *rank, const struct wv_val *ranking)
{
	uint64_t most = wv_rank_width(rank->view, &ranking->n) / magnitude_of(rank->step);
	struct wv_num k = wv_num_range(0, most), stride = wv_num_const((uint64_t)c->stride),
		      moved = wv_num_binary(WV_IMUL, 64, &k, &stride);
	return wv_num_binary(WV_ADD, 64, &c->start, &moved);
}

/* What a loop was entered with; NULL: nothing enters it. */
static struct wv_state *entry_of(struct iteration *r, const struct head *h)
{
	if (!h->entry.p)
		return NULL;
	unpack_state(r->entry, &h->entry);
	return r->entry;
}

void note_starts(struct iteration *r, struct head *h)
{
	struct wv_state *entry = h->rank->n_counted ? entry_of(r, h) : NULL;
	for (uint32_t i = 0; entry && i < h->rank->n_counted; i++) {
		struct wv_val *v = value_at(entry, &h->rank->counted[i].loc);
		if (v)
			h->rank->counted[i].start = v->n;
	}
}

/* False: what is counted by a guess would wrap, and is joined like anything else. */
static bool range_if_counted(
	const struct ranked *rank, const struct counted *c, const struct wv_state *head, struct wv_num *n)
{
	const struct wv_val *ranking = wv_rank_value(head, &rank->loc);
	if (!ranking)
		return false;
	*n = counted_range(c, rank, ranking);
	return !c->low || n->umax <= UINT32_MAX;
}

static void set_counted(struct ranked *rank, struct wv_state *head)
{
	for (uint32_t i = 0; i < rank->n_counted; i++) {
		struct wv_val *v = value_at(head, &rank->counted[i].loc);
		struct wv_num n;
		if (v && range_if_counted(rank, &rank->counted[i], head, &n))
			v->n = n;
	}
}

/*
 * A location that goes down by known steps without wrapping, as the loop demands of the location that ranks it, is
 * never above its value at the loop's entry. Widening may have forgotten that: a counter in memory changes in the
 * heads of inner loops too.
 */
static void set_ranking(const struct ranked *rank, const struct wv_state *entry, struct wv_state *head)
{
	struct wv_val *v = rank->found && rank->exact && rank->view == WV_U64 && rank->step < 0
				   ? value_at(head, &rank->loc)
				   : NULL;
	const struct wv_val *e = v && entry ? wv_rank_value(entry, &rank->loc) : NULL;
	if (!e || v->kind != WV_NUM || e->kind != WV_NUM)
		return;
	struct wv_num below = wv_num_range(0, e->n.umax), n = v->n;
	if (wv_num_meet(&n, &below))
		v->n = n;
}

/*
 * How far a moving location has to go to its bound, at the head: at most what it is when the loop is entered, in steps
 * of the stride, and never nothing unless it may be nothing then: the loop compares first. The verifier finds out
 * whether that holds.
 */
static void set_distance(const struct ordered *o, const struct wv_state *entry, struct wv_state *head)
{
	const struct wv_loc *from = o->stride > 0 ? &o->moving : &o->bound,
			    *to = o->stride > 0 ? &o->bound : &o->moving;
	const struct wv_val *a = wv_rank_value(entry, from), *b = wv_rank_value(entry, to),
			    *ha = wv_rank_value(head, from), *hb = wv_rank_value(head, to);
	uint64_t step = magnitude_of(o->stride);
	if (!a || !b || !ha || !hb || a->kind != b->kind || ha->kind != a->kind || hb->kind != b->kind ||
		(a->kind == WV_PTR && a->region != b->region))
		return;
	struct wv_num d = wv_state_distance(entry, a, 1, b);
	uint64_t least = d.umin < step ? 0 : step;
	if (d.umax > INT64_MAX)
		return;
	struct wv_num steps = wv_num_range(0, (d.umax - least) / step), back = wv_num_const(0 - step),
		      limits = wv_num_range(least, d.umax);
	struct wv_num gone = wv_num_binary(WV_IMUL, 64, &steps, &back), left = wv_num_binary(WV_ADD, 64, &d, &gone);
	/*
	 * what is left of it is so, too; going down below zero, numbers lose their remainder by what is no power of two
	 */
	if (wv_num_is_const(&d) && step > 1) {
		limits.mod = step;
		limits.rem = d.umin % step;
	}
	if (wv_num_meet(&left, &limits))
		wv_state_set_distance(head, ha, 1, hb, &left);
}

/* The distance at this scale between two registers that move in step is what it was at the entry. */
static void set_in_step(const struct wv_loc *x, int64_t scale, const struct wv_loc *y, const struct wv_state *entry,
	struct wv_state *head)
{
	const struct wv_val *a = wv_rank_value(entry, x), *b = wv_rank_value(entry, y), *ha = wv_rank_value(head, x),
			    *hb = wv_rank_value(head, y);
	if (!a || !b || !ha || !hb || a->kind != WV_NUM || ha->kind != WV_NUM || hb->kind != b->kind ||
		scale != (int32_t)scale)
		return;
	struct wv_num d = wv_state_distance(entry, a, (int32_t)scale, b), any = wv_num_any();
	if (!wv_num_within(&any, &d))
		wv_state_set_distance(head, ha, (int32_t)scale, hb, &d);
}

/*
 * A counted register is in step with the one that ranks the loop if one of them moves by a multiple of what the other
 * does.
 */
static void set_step(
	const struct ranked *rank, const struct counted *c, const struct wv_state *entry, struct wv_state *head)
{
	if (!rank->exact || rank->loc.slot || c->loc.slot)
		return;
	if (c->stride % rank->step == 0)
		set_in_step(&rank->loc, c->stride / rank->step, &c->loc, entry, head);
	else if (rank->step % c->stride == 0)
		set_in_step(&c->loc, rank->step / c->stride, &rank->loc, entry, head);
}

static void set_distances(struct iteration *r, const struct head *h, struct wv_state *head)
{
	const struct wv_state *entry = h->rank->n_ordered || h->rank->n_counted ? entry_of(r, h) : NULL;
	for (uint32_t i = 0; entry && i < h->rank->n_ordered; i++)
		set_distance(&h->rank->ordered[i], entry, head);
	for (uint32_t i = 0; entry && i < h->rank->n_counted; i++)
		set_step(h->rank, &h->rank->counted[i], entry, head);
}

/* ---- joining ---- */

/*
 * Join `st` into the head's state. Distances that a loop keeps are not joined but set; others may come with the first
 * back edge, and then only grow, a few times.
 */
static bool join_head(struct iteration *r, uint32_t b, const struct wv_state *st, bool back, bool widen)
{
	struct packed_state *k = &r->a->in[b];
	struct head *h = head_at(r, b);
	struct head_join how = {&h->changed, !widen || h->apart == 0, back, false};
	unpack_state(r->at_head, k);
	wv_state_copy(r->scratch, r->at_head);
	bool changed = state_join(r->effort, r->scratch, st, r->a->base[b], &how);
	set_distances(r, h, r->scratch);
	r->still &= !how.marked;
	bool apart = !distances_equal(r->scratch, r->at_head);
	h->version += how.marked || changed || apart;
	if (!changed && !apart)
		return true;
	if (widen) {
		r->changed = true;
		h->changes += changed;
		h->apart += apart;
		r->still &=
			!(changed && is_step(changes_steps, h->changes)) && !(apart && is_step(apart_steps, h->apart));
		if (apart && h->apart > WIDEN_AFTER)
			widen_distances(r->scratch, r->at_head);
		if (changed && h->changes > WIDEN_AFTER) {
			static const struct thresholds none;
			state_widen(r->scratch, r->at_head, h->changes > WIDEN_FAR_AFTER ? &none : &r->a->thresholds);
		}
		if (h->changes > GIVE_UP_AFTER)
			forget_numbers(r->scratch);
	}
	return pack_claimed(r->effort, k, r->scratch);
}

/* What comes back is not joined where it is counted: there it takes the head's range. */
static const struct wv_state *without_counted(struct iteration *r, uint32_t head, const struct wv_state *st)
{
	struct ranked *rank = head_at(r, head)->rank;
	if (!rank->n_counted || !r->a->in[head].p)
		return st;
	unpack_state(r->at_head, &r->a->in[head]);
	wv_state_copy(r->patched, st);
	for (uint32_t i = 0; i < rank->n_counted; i++) {
		struct wv_val *v = value_at(r->patched, &rank->counted[i].loc),
			      *h = value_at(r->at_head, &rank->counted[i].loc);
		struct wv_num n;
		if (v && h && v->sym == h->sym && v->add - h->add == (uint64_t)rank->counted[i].stride &&
			range_if_counted(rank, &rank->counted[i], r->at_head, &n))
			v->n = h->n;
	}
	return r->patched;
}

/* ---- flowing ---- */

/* The head remembers it. */
static bool note_back(struct iteration *r, struct head *h, const struct wv_state *st, uint32_t to)
{
	if (!h->next_back.p)
		return pack_claimed(r->effort, &h->next_back, st);
	unpack_state(r->scratch, &h->next_back);
	join_plainly(r, r->scratch, st, to);
	return pack_state(r->effort, &h->next_back, r->scratch);
}

/* What has changed nothing isn't joined again as long as it and the head are the same. */
static bool send_back(struct iteration *r, uint32_t to, struct sent *s)
{
	struct head *h = head_at(r, to);
	bool joins = !r->narrowing && r->a->in[to].p && (s->fresh || s->joined != h->version);
	uint64_t version = h->version;
	if (!joins && !r->last)
		return true;
	unpack_state(r->flown, &s->st);
	const struct wv_state *st = without_counted(r, to, r->flown);
	if ((r->last && !note_back(r, h, st, to)) || (joins && !join_head(r, to, st, true, true)))
		return false;
	if (joins)
		s->joined = h->version == version ? version : 0;
	return true;
}

/* Note what is sent. It may be what was sent before. */
static bool edge_flow(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	struct iteration *r = user;
	struct sent *s = &r->sent[out - r->a->f->outs];
	(void)from;
	bool other;
	s->there = true;
	bool ok = pack_changed(r->effort, &s->st, st, &other);
	s->fresh |= other || !s->was_there;
	return ok;
}

/* What flows in, joined, goes to `into`, if anything does. */
static bool gather_entry(struct iteration *r, uint32_t b, struct packed_state *into, bool *some)
{
	*some = false;
	for (uint32_t i = r->first_way[b]; i < r->first_way[b + 1]; i++) {
		const struct sent *s = &r->sent[r->ways[i]];
		if (!s->there)
			continue;
		unpack_state(*some ? r->patched : r->flown, &s->st);
		if (!*some)
			forget_unclaimed(r->flown);
		else
			join_plainly(r, r->flown, r->patched, b);
		*some = true;
	}
	return !*some || pack_state(r->effort, into, r->flown);
}

/* What is known of what the loop counts. */
static bool set_known(struct iteration *r, struct head *h, struct packed_state *in)
{
	if (!h->rank->found && !h->rank->n_counted && !h->rank->n_ordered)
		return true;
	unpack_state(r->scratch, in);
	set_ranking(h->rank, entry_of(r, h), r->scratch);
	set_counted(h->rank, r->scratch);
	set_distances(r, h, r->scratch);
	return pack_state(r->effort, in, r->scratch);
}

/* The state at a loop's head for this round, from what flows in and what the head remembers. */
static bool begin_head(struct iteration *r, uint32_t b)
{
	struct packed_state *in = &r->a->in[b];
	struct head *h = head_at(r, b);
	bool ok = true;
	if (!h->entered)
		return true;
	uint64_t version = ++h->version;
	h->untouched = h->left == version - 1;
	note_starts(r, h);
	if (!r->narrowing && in->p) {
		unpack_state(r->flown, &h->entry);
		ok = join_head(r, b, r->flown, false, true);
	} else {
		packed_share(r->effort, in, &h->entry);
		if (r->narrowing && h->back.p) {
			unpack_state(r->flown, &h->back);
			ok = join_head(r, b, r->flown, true, false);
		}
	}
	h->untouched &= h->version == version;
	return ok && set_known(r, h, in);
}

static bool begin_block(struct iteration *r, uint32_t b)
{
	struct head *h = head_at(r, b);
	bool fresh = !r->gathered[b], some;
	if (b == 0)
		return true;
	for (uint32_t i = r->first_way[b]; !fresh && i < r->first_way[b + 1]; i++)
		fresh = r->sent[r->ways[i]].fresh;
	if (!fresh)
		return !h->is_head || (h->calm == h->version && !r->narrowing) || begin_head(r, b);
	r->gathered[b] = true;
	if (!gather_entry(r, b, h->is_head ? &h->entry : &r->a->in[b], &some))
		return false;
	if (h->is_head) {
		h->entered = some;
		return begin_head(r, b);
	}
	if (!some)
		packed_free(r->effort, &r->a->in[b]);
	return true;
}

/* What the block sends, from the state at its head. */
static bool send_from(struct machine *k, struct iteration *r, uint32_t b)
{
	const struct block *block = &r->a->f->blocks[b];
	struct packed_state *in = &r->a->in[b], *seen = &r->seen[b];
	struct head *h = head_at(r, b);
	bool again = in->p && seen->p && r->seen_everything[b] == k->everything && packed_is_same(seen, in), ok = true;
	h->left = h->version;
	h->calm = again && h->untouched ? h->version : 0;
	for (uint32_t i = 0; i < block->n_outs; i++) {
		struct sent *s = &r->sent[block->first_out + i];
		s->fresh = false;
		s->was_there = s->there;
		s->there = again && s->there;
	}
	if (again)
		return true;
	r->still &= !in->p && !seen->p;
	packed_share(r->effort, seen, in);
	if (in->p) {
		ok = interpret(k, b, edge_flow, r);
		r->seen_everything[b] = k->everything;
	}
	for (uint32_t i = 0; i < block->n_outs; i++) {
		struct sent *s = &r->sent[block->first_out + i];
		s->fresh |= s->there != s->was_there;
	}
	return ok;
}

/* Flow into the heads; in the last round also into what they remember of it. */
static bool send_all_back(struct iteration *r, uint32_t b)
{
	const struct block *block = &r->a->f->blocks[b];
	for (uint32_t i = 0; i < block->n_outs; i++) {
		uint32_t to = r->a->f->outs[block->first_out + i].to;
		struct sent *s = &r->sent[block->first_out + i];
		if (s->there && to && to <= b && head_at(r, to)->is_head && !send_back(r, to, s))
			return false;
	}
	return true;
}

static void remember_back(struct iteration *r)
{
	for (uint32_t i = 0; i < r->n_heads; i++)
		packed_move(r->effort, &r->heads[i].back, &r->heads[i].next_back);
}

static bool one_round(struct machine *k, struct iteration *r)
{
	struct analysis *a = r->a;
	r->changed = false;
	r->still = true;
	for (uint32_t i = 0; i < r->n_heads; i++) {
		r->heads[i].had_changes = r->heads[i].changes;
		r->heads[i].had_apart = r->heads[i].apart;
	}
	for (uint32_t b = 0; b < a->f->n_blocks; b++) {
		if (!effort_spend(r->effort, 4) || !begin_block(r, b) || !send_from(k, r, b) || !send_all_back(r, b))
			return false;
	}
	if (r->last)
		remember_back(r);
	return true;
}

/*
 * How many such rounds more make the count, which grew from `had` to `now` in the last, one at which something else is
 * done?
 */
static unsigned rounds_to(const unsigned *steps, unsigned had, unsigned now)
{
	for (; *steps && *steps <= now; steps++) {
	}
	return *steps && now > had ? (*steps - 1 - now) / (now - had) : MAX_ROUNDS;
}

/*
 * The counted locations and what comes back may disagree at a head for ever: it is set, joined, and set again. Two
 * rounds in which nothing was interpreted show that. Each further round then repeats them, except for how often the
 * heads have changed; so those rounds are counted and not done. Returns how many.
 */
static unsigned skip_rounds(struct iteration *r, unsigned most)
{
	unsigned n = most;
	for (uint32_t i = 0; i < r->n_heads; i++) {
		const struct head *h = &r->heads[i];
		unsigned c = rounds_to(changes_steps, h->had_changes, h->changes),
			 d = rounds_to(apart_steps, h->had_apart, h->apart);
		n = c < n ? c : n;
		n = d < n ? d : n;
	}
	for (uint32_t i = 0; i < r->n_heads; i++) {
		struct head *h = &r->heads[i];
		h->changes += n * (h->changes - h->had_changes);
		h->apart += n * (h->apart - h->had_apart);
	}
	return n;
}

/* Repeat rounds until no head changes, or until the last round. */
static bool grow_heads(struct machine *k, struct iteration *r)
{
	bool was_still = false;
	r->narrowing = false;
	r->changed = true;
	for (unsigned i = 0; r->changed && i < MAX_ROUNDS; i++) {
		r->last = i == MAX_ROUNDS - 1;
		if (!one_round(k, r))
			return false;
		if (r->changed && r->still && was_still && !r->last)
			i += skip_rounds(r, MAX_ROUNDS - 2 - i);
		was_still = r->still;
	}
	return true;
}

bool settle(struct machine *k, struct iteration *r)
{
	for (uint32_t i = 0; i < r->n_heads; i++)
		r->heads[i].version++; /* it may be all different now */
	if (!grow_heads(k, r))
		return false;
	r->narrowing = true;
	if (!r->last) { /* nothing has changed in that round, so what came back is still there */
		r->last = true;
		for (uint32_t b = 0; b < r->a->f->n_blocks; b++) {
			if (!send_all_back(r, b))
				return false;
		}
		remember_back(r);
	}
	for (int i = 0; i < NARROW_ROUNDS; i++) {
		if (!one_round(k, r))
			return false;
	}
	return true;
}

/* The edges into each block, sorted by block. */
static bool list_ways(struct iteration *r)
{
	const struct function *f = r->a->f;
	r->ways = malloc((f->n_outs + 1) * sizeof *r->ways);
	r->first_way = calloc(f->n_blocks + 2, sizeof *r->first_way);
	if (!r->ways || !r->first_way)
		return false;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t b = 0; b < f->n_blocks; b++) {
			for (uint32_t i = f->blocks[b].first_out; i < f->blocks[b].first_out + f->blocks[b].n_outs;
				i++) {
				uint32_t to = f->outs[i].to;
				if (to <= b || f->outs[i].kind == OUT_TAIL)
					continue;
				if (pass == 0)
					r->first_way[to + 2]++;
				else
					r->ways[r->first_way[to + 1]++] = i;
			}
		}
		for (uint32_t b = 0; pass == 0 && b < f->n_blocks; b++)
			r->first_way[b + 2] += r->first_way[b + 1];
	}
	return true;
}

bool rounds_init(struct iteration *r, struct analysis *a)
{
	uint32_t n = a->f->n_blocks;
	*r = (struct iteration){.a = a, .effort = a->code->effort, .n_heads = a->f->n_loops + 1};
	r->sent = calloc(a->f->n_outs + 1, sizeof *r->sent);
	r->seen = calloc(n, sizeof *r->seen);
	r->seen_everything = calloc(n, sizeof *r->seen_everything);
	r->gathered = calloc(n, sizeof *r->gathered);
	r->heads = calloc(r->n_heads, sizeof *r->heads);
	r->head_of = calloc(n, sizeof *r->head_of);
	struct wv_state **states[] = {&r->scratch, &r->patched, &r->flown, &r->at_head, &r->entry};
	bool ok = r->sent && r->seen && r->seen_everything && r->gathered && list_ways(r) && r->heads && r->head_of;
	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
		ok &= (*states[i] = malloc(sizeof **states[i])) != NULL;
	for (uint32_t l = 0; ok && l < a->f->n_loops; l++) {
		r->head_of[a->f->loops[l].head] = l + 1;
		r->heads[l + 1].is_head = true;
		r->heads[l + 1].rank = &a->ranks[l];
	}
	return ok;
}

void rounds_free(struct iteration *r)
{
	for (uint32_t i = 0; r->sent && i < r->a->f->n_outs; i++)
		packed_free(r->effort, &r->sent[i].st);
	for (uint32_t b = 0; r->seen && b < r->a->f->n_blocks; b++)
		packed_free(r->effort, &r->seen[b]);
	for (uint32_t i = 0; r->heads && i < r->n_heads; i++) {
		packed_free(r->effort, &r->heads[i].entry);
		packed_free(r->effort, &r->heads[i].back);
		packed_free(r->effort, &r->heads[i].next_back);
	}
	free(r->sent);
	free(r->seen);
	free(r->seen_everything);
	free(r->gathered);
	free(r->ways);
	free(r->first_way);
	free(r->heads);
	free(r->head_of);
	free(r->scratch);
	free(r->patched);
	free(r->flown);
	free(r->at_head);
	free(r->entry);
}
