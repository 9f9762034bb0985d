/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cursors. Loops in one another may all move one number, each of them one way only. The proof of it (V-65) says at
 * each block which locations are ahead of that number, and by how much.
 *
 * The verifier's own sweep over the finished proof shows the state on each edge: how far each location of the edge's
 * target is from each one of its source. All else is a search in these distances. For a loop and one around it, the
 * owner, every location is taken to be ahead of the cursor at first. What some edge doesn't keep is dropped, until
 * all that is left holds. If the loop's ranking location is among it, on all edges to its head, it is a cursor's, and
 * other loops of the owner that move it as well may share it. Then those locations are claimed that the loops' heads
 * depend on, going back along the edges.
 */
#include "nest_cursor.h"

#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "verifier/check/check.h"
#include "verifier/check/nest_cursor.h"

enum {
	NEVER = -1,           /* not ahead */
	ANY_AHEAD = 1 << 24,  /* as far as one likes: nothing has come to the block yet */
	MOST_AHEAD = 1 << 20, /* more is not followed */
	MOST_BEHIND = 64,     /* nor is what is farther behind than that: its distance is -MOST_AHEAD */
	FEW = 24,             /* locations of which each is held against each; of more only the same values */
};

/* Location `to` of the edge's target is so far from location `from` of its source, or of the target. */
struct pair {
	uint16_t from, to; /* claims of the blocks */
	int32_t up, down;  /* at least, to either side */
};

struct edge {
	uint32_t from, to;
	size_t first, n;         /* pairs of the source's locations */
	size_t first_own, n_own; /* where it leads to a loop's head: pairs of the target's locations */
};

struct finder {
	struct wv_check check;
	struct effort *effort;
	struct wv_function *f;
	const struct wv_block *block;
	uint32_t from;
	struct wv_state *head; /* of the block */
	struct edge *edges;
	uint32_t n_edges, cap_edges;
	struct pair *pairs;
	uint32_t n_pairs, cap_pairs;
	bool no_memory;
	/* A trial: by block of the function, its first location in ahead and needed */
	size_t *first;
	int32_t *ahead;
	bool *needed;
	bool *shares;   /* by loop */
	int32_t *least; /* that its back edges move the cursor by themselves */
	uint32_t owner;
	bool down;
	struct wv_facts *facts; /* of claims that are given a cursor */
	size_t n_facts;
	bool found, misshapen; /* there is a cursor; the blocks are in no order that a proof may have */
};

/* ---- the edges ---- */

static bool is_whole(const struct wv_claim *c)
{
	return (c->kind == WV_CLAIM_NUMBER || c->kind == WV_CLAIM_POINTER) && c->facts->width == 64;
}

static bool is_near(const struct wv_num *n)
{
	return n->smin >= -WV_CURSOR_FAR && n->smax <= WV_CURSOR_FAR;
}

static const struct wv_val *near_value(const struct wv_state *st, const struct wv_claim *c)
{
	const struct wv_val *v = is_whole(c) && wv_rank_bits(st, &c->loc) == 64 ? wv_rank_value(st, &c->loc) : NULL;
	return v && is_near(&v->n) ? v : NULL;
}

static int32_t distance_clamped(int64_t d)
{
	return d > MOST_AHEAD ? MOST_AHEAD : d < -MOST_BEHIND ? -MOST_AHEAD : (int32_t)d;
}

static void add_pair(struct finder *x, const struct wv_state *st, const struct wv_val *v, uint16_t from,
	const struct wv_val *w, uint16_t to)
{
	struct wv_num d = wv_lead_distance(st, v, w);
	struct pair p = {
		from, to, distance_clamped(wv_rank_ahead(&d, false, 0)), distance_clamped(wv_rank_ahead(&d, true, 0))};
	if (p.up == -MOST_AHEAD && p.down == -MOST_AHEAD)
		return;
	if (!grow(&x->pairs, x->n_pairs, &x->cap_pairs, sizeof *x->pairs))
		x->no_memory = true;
	else
		x->pairs[x->n_pairs++] = p;
}

/* The innermost loop that has both blocks. */
static uint32_t common_loop(const struct wv_function *f, uint32_t a, uint32_t b)
{
	uint32_t l = f->blocks[a].loop;
	while (l != WV_NO_LOOP && !wv_loop_has(f, l, b))
		l = f->loops[l].parent;
	return l;
}

static void add_pairs(
	struct finder *x, const struct wv_block *from, const struct wv_block *to, const struct wv_state *st)
{
	bool few = from->n_claims <= FEW && to->n_claims <= FEW;
	for (uint16_t i = 0; i < from->n_claims; i++) {
		const struct wv_val *v = near_value(x->head, &from->claims[i]);
		for (uint16_t k = 0; v && k < to->n_claims; k++) {
			const struct wv_val *w = near_value(st, &to->claims[k]);
			if (w && (few || v->sym == w->sym || (!from->claims[i].loc.slot && !to->claims[k].loc.slot)))
				add_pair(x, st, v, i, w, k);
		}
	}
	effort_spend(x->effort, (uint64_t)from->n_claims * to->n_claims / 2);
}

/* How far the values that come to a loop's head are from each other: one of them becomes the cursor there. */
static void add_own_pairs(struct finder *x, const struct wv_block *to, const struct wv_state *st)
{
	bool few = to->n_claims <= FEW;
	for (uint16_t i = 0; i < to->n_claims; i++) {
		const struct wv_val *v = near_value(st, &to->claims[i]);
		for (uint16_t k = 0; v && k < to->n_claims; k++) {
			const struct wv_val *w = near_value(st, &to->claims[k]);
			if (w && (few || v->sym == w->sym || (!to->claims[i].loc.slot && !to->claims[k].loc.slot)))
				add_pair(x, st, v, i, w, k);
		}
	}
	effort_spend(x->effort, (uint64_t)to->n_claims * to->n_claims / 2);
}

static void block_enter(void *user, const struct wv_function *f, const struct wv_block *b, const struct wv_ctx *ctx,
	const struct wv_state *st)
{
	struct finder *x = user;
	(void)ctx;
	x->f = &x->check.proof.functions[f - x->check.proof.functions];
	x->block = b;
	x->from = (uint32_t)(b - f->blocks);
	if (b->loop != WV_NO_LOOP)
		wv_state_copy(x->head, st);
}

static void edge_note(void *user, uint64_t pc, const struct wv_block *to, const struct wv_state *st, bool feasible)
{
	struct finder *x = user;
	struct edge e = {.from = x->from, .to = (uint32_t)(to - x->f->blocks), .first = x->n_pairs};
	(void)pc;
	if (!feasible || to->loop == WV_NO_LOOP || x->effort->too_long)
		return;
	const struct wv_loop *l = &x->f->loops[to->loop];
	if (common_loop(x->f, e.from, e.to) != WV_NO_LOOP)
		add_pairs(x, x->block, to, st);
	e.n = x->n_pairs - e.first;
	e.first_own = x->n_pairs;
	if (l->head == e.to)
		add_own_pairs(x, to, st);
	e.n_own = x->n_pairs - e.first_own;
	e.from += (uint32_t)(x->f->blocks - x->check.proof.blocks); /* by block of the proof */
	e.to += (uint32_t)(x->f->blocks - x->check.proof.blocks);
	if (!grow(&x->edges, x->n_edges, &x->cap_edges, sizeof *x->edges))
		x->no_memory = true;
	else
		x->edges[x->n_edges++] = e;
}

static int by_source(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
				  : (x->first > y->first) - (x->first < y->first);
}

/* ---- one trial ---- */

static int32_t *ahead_at(const struct finder *x, uint32_t block)
{
	return &x->ahead[x->first[block]];
}

/* The loop that the block heads if it shares the cursor on trial; else NULL. */
static const struct wv_loop *sharer_at(const struct finder *x, uint32_t block)
{
	uint32_t l = x->f->blocks[block].loop;
	return l != WV_NO_LOOP && x->f->loops[l].head == block && x->shares[l] ? &x->f->loops[l] : NULL;
}

static bool is_loop_head(const struct wv_function *f, uint32_t block)
{
	uint32_t l = f->blocks[block].loop;
	return l != WV_NO_LOOP && f->loops[l].head == block;
}

static int32_t pair_side(const struct finder *x, const struct pair *p)
{
	return x->down ? p->down : p->up;
}

/*
 * How far ahead of the cursor location `to` of the edge's target is, or the one that ranks the loop there; *by is the
 * source's location that says so. Of a source that nothing has come to: as far as one likes.
 */
static int32_t ahead_on(const struct finder *x, const struct edge *e, uint32_t to, uint16_t *by)
{
	uint32_t first = (uint32_t)(x->f->blocks - x->check.proof.blocks);
	const int32_t *ahead = ahead_at(x, e->from - first);
	int32_t best = NEVER;
	for (const struct pair *p = x->pairs + e->first; p < x->pairs + e->first + e->n; p++) {
		if (p->to != to || ahead[p->from] == NEVER)
			continue;
		int32_t side = pair_side(x, p);
		int32_t d = ahead[p->from] == ANY_AHEAD ? ANY_AHEAD
			    : side == -MOST_AHEAD       ? NEVER
							: ahead[p->from] + side;
		if (d > best) {
			best = d;
			*by = p->from;
		}
	}
	return best > MOST_AHEAD && best < ANY_AHEAD ? MOST_AHEAD : best;
}

static uint32_t claim_of(const struct wv_block *b, const struct wv_loc *loc)
{
	uint32_t i = 0;
	while (i < b->n_claims && (b->claims[i].loc.reg != loc->reg || b->claims[i].loc.slot != loc->slot))
		i++;
	return i;
}

/* What is no more ahead at the target than that. Numbers at a loop's head would go down for ever: so they are 0. */
static bool ahead_lower(const struct finder *x, uint32_t block, uint32_t claim, int32_t to)
{
	int32_t *at = &ahead_at(x, block)[claim];
	if (to > 0 && to < ANY_AHEAD && is_loop_head(x->f, block))
		to = 0;
	if (to < 0)
		to = NEVER;
	if (*at <= to)
		return false;
	*at = to;
	return true;
}

/* Has the inference found what ranks it? Else a cursor may. */
static bool is_ranked(const struct wv_loop *l)
{
	return l->step != INT64_MAX && l->step != -INT64_MAX;
}

/* Along an edge within the owner. False: the loop there can't share the cursor. */
static bool edge_follow(struct finder *x, const struct edge *e, bool *changed)
{
	uint32_t first = (uint32_t)(x->f->blocks - x->check.proof.blocks), from = e->from - first, to = e->to - first;
	const struct wv_block *b = &x->f->blocks[to];
	const struct wv_loop *l = sharer_at(x, to);
	bool inside = wv_loop_has(x->f, x->owner, from);
	uint16_t by = 0;
	effort_spend(x->effort, 1 + (e->n + e->n_own) / 8);
	if (!l) {
		for (uint32_t i = 0; i < b->n_claims; i++)
			*changed |= ahead_lower(x, to, i,
				!is_whole(&b->claims[i]) ? NEVER
				: inside                 ? ahead_on(x, e, i, &by)
							 : 0);
		return true;
	}
	uint32_t rank = claim_of(b, &l->rank);
	int32_t ahead = inside ? ahead_on(x, e, rank, &by) : 0;
	if (ahead < 0)
		return false;
	int32_t *least = &x->least[l - x->f->loops];
	if (from >= l->head && from < l->end && ahead < *least)
		*least = ahead;
	if (*least < 1 && !is_ranked(l))
		return false;
	for (uint32_t i = 0; i < b->n_claims; i++) {
		int32_t own = NEVER;
		for (const struct pair *p = x->pairs + e->first_own; p < x->pairs + e->first_own + e->n_own; p++) {
			if (p->from == rank && p->to == i)
				own = pair_side(x, p);
		}
		*changed |= ahead_lower(x, to, i, own);
	}
	return true;
}

static bool in_owner(const struct finder *x, const struct edge *e)
{
	uint32_t first = (uint32_t)(x->f->blocks - x->check.proof.blocks);
	return e->to >= first && e->to - first < x->f->n_blocks && wv_loop_has(x->f, x->owner, e->to - first);
}

/* The edges of the function are those from first to last. Do all loops of `shares` move the cursor one way? */
static bool cursor_holds(struct finder *x, const struct edge *edge, const struct edge *end)
{
	const struct wv_loop *o = &x->f->loops[x->owner];
	bool changed = true;
	for (uint32_t b = o->head; b < o->end; b++) {
		for (uint32_t i = 0; i < x->f->blocks[b].n_claims; i++)
			ahead_at(x, b)[i] = ANY_AHEAD;
	}
	for (uint32_t l = 0; l < x->f->n_loops; l++)
		x->least[l] = MOST_AHEAD;
	while (changed && !x->effort->too_long) {
		changed = false;
		for (const struct edge *e = edge; e < end; e++) {
			if (in_owner(x, e) && !edge_follow(x, e, &changed))
				return false;
		}
	}
	return !x->effort->too_long;
}

/* ---- what is claimed ---- */

static bool lead_need(struct finder *x, uint32_t block, uint32_t claim)
{
	const struct wv_loop *l = sharer_at(x, block);
	bool *needed = &x->needed[x->first[block] + claim];
	if (*needed || (l && claim_of(&x->f->blocks[block], &l->rank) == claim)) /* it leads anyway */
		return false;
	*needed = true;
	return true;
}

/* Along one edge, back: what must lead at its source, for what must at its target. */
static bool source_need(struct finder *x, const struct edge *e)
{
	uint32_t first = (uint32_t)(x->f->blocks - x->check.proof.blocks), from = e->from - first, to = e->to - first;
	const struct wv_block *b = &x->f->blocks[to];
	const struct wv_loop *l = sharer_at(x, to);
	bool changed = false;
	uint16_t by = 0;
	if (!wv_loop_has(x->f, x->owner, from))
		return false;
	if (l)
		return ahead_on(x, e, claim_of(b, &l->rank), &by) >= 0 && lead_need(x, from, by);
	for (uint32_t i = 0; i < b->n_claims; i++) {
		if (x->needed[x->first[to] + i] && ahead_on(x, e, i, &by) >= 0)
			changed |= lead_need(x, from, by);
	}
	return changed;
}

/* Can all that is needed be claimed: so few a block, and each location for one cursor only? */
static bool can_claim(const struct finder *x)
{
	const struct wv_loop *o = &x->f->loops[x->owner];
	for (uint32_t b = o->head; b < o->end; b++) {
		const struct wv_block *block = &x->f->blocks[b];
		unsigned n = 0;
		for (uint32_t i = 0; i < block->n_claims; i++) {
			bool leads = block->claims[i].facts->which & WV_FACT_LEAD, more = x->needed[x->first[b] + i];
			if (leads && more)
				return false;
			n += leads || more;
		}
		if (n > WV_MAX_LEADS)
			return false;
	}
	return true;
}

static void lead_claim(struct finder *x, struct wv_claim *c, int32_t ahead)
{
	struct wv_facts *f = &x->facts[x->n_facts++];
	*f = *c->facts;
	f->which |= WV_FACT_LEAD;
	f->cursor = (uint8_t)x->f->n_cursors;
	f->ahead = ahead > MOST_AHEAD ? 0 : (uint32_t)ahead;
	c->facts = f;
}

static bool claim_cursor(struct finder *x, const struct edge *edge, const struct edge *end)
{
	const struct wv_loop *o = &x->f->loops[x->owner];
	bool changed = true;
	memset(x->needed, 0, x->first[x->f->n_blocks] * sizeof *x->needed);
	while (changed && !x->effort->too_long) {
		changed = false;
		for (const struct edge *e = end; e-- > edge;)
			changed |= in_owner(x, e) && source_need(x, e);
		effort_spend(x->effort, (uint64_t)(end - edge));
	}
	if (x->effort->too_long || !can_claim(x))
		return false;
	for (uint32_t b = o->head; b < o->end; b++) {
		for (uint32_t i = 0; i < x->f->blocks[b].n_claims; i++) {
			if (x->needed[x->first[b] + i])
				lead_claim(x, (struct wv_claim *)&x->f->blocks[b].claims[i], ahead_at(x, b)[i]);
		}
	}
	return true;
}

/* ---- which loops share one ---- */

static bool may_share(const struct finder *x, const struct wv_loop *l)
{
	return !l->cursor && l->claim && is_whole(l->claim) && l->view <= WV_S64 && l->step != 0 &&
	       is_near(&l->claim->facts->n) && wv_loop_has(x->f, x->owner, l->head);
}

static uint64_t width_of(const struct wv_loop *l)
{
	return (uint64_t)l->claim->facts->n.smax - (uint64_t)l->claim->facts->n.smin;
}

/* Do both loops move a number of about the same range the same way? */
static bool is_like(const struct wv_loop *a, const struct wv_loop *b)
{
	uint64_t x = width_of(a), y = width_of(b);
	return (a->step < 0) == (b->step < 0) && a->claim->kind == b->claim->kind &&
	       a->claim->region == b->claim->region && x / 2 <= y && y / 2 <= x;
}

/* With that loop as well, ranked as it is now. */
static bool try_sharer(struct finder *x, const struct wv_loop *l, const struct edge *edge, const struct edge *end)
{
	bool *shares = &x->shares[l - x->f->loops];
	*shares = true;
	*shares = cursor_holds(x, edge, end);
	return *shares;
}

/*
 * A loop that nothing ranks: by each location of its head and to either side, until one goes. `like` is NULL, or a loop
 * whose cursor it would share.
 */
static bool try_unranked(struct finder *x, struct wv_loop *l, const struct wv_loop *like, const struct edge *edge,
	const struct edge *end)
{
	const struct wv_block *b = &x->f->blocks[l->head];
	const struct wv_loop before = *l;
	for (uint32_t i = 0; i < 2 * b->n_claims; i++) {
		l->claim = &b->claims[i / 2];
		l->rank = l->claim->loc;
		l->view = WV_S64;
		l->step = i % 2 ? -INT64_MAX : INT64_MAX;
		if (!may_share(x, l) || (like && !is_like(like, l)) || wv_num_is_const(&l->claim->facts->n))
			continue;
		x->down = l->step < 0;
		if (try_sharer(x, l, edge, end))
			return true;
	}
	*l = before;
	return false;
}

static bool try_loop(struct finder *x, struct wv_loop *l, const struct wv_loop *like, const struct edge *edge,
	const struct edge *end)
{
	if (!is_ranked(l))
		return !l->cursor && try_unranked(x, l, like, edge, end);
	if (!may_share(x, l) || (like && !is_like(like, l)))
		return false;
	x->down = l->step < 0;
	return try_sharer(x, l, edge, end);
}

/* A ranked loop gains nothing by a cursor of its own. */
static bool is_worth_it(const struct finder *x)
{
	for (uint32_t l = 0; l < x->f->n_loops; l++) {
		if (x->shares[l] && (l != x->owner || !is_ranked(&x->f->loops[l])))
			return true;
	}
	return false;
}

/* A loop is ranked by what it moves the cursor, if nothing else ranks it. */
static void put_cursor(struct finder *x)
{
	struct wv_function *f = x->f;
	f->cursors[f->n_cursors++] = (struct wv_nest_cursor){.owner = x->owner, .down = x->down};
	for (uint32_t i = 0; i < f->n_loops; i++) {
		struct wv_loop *l = &f->loops[i];
		if (!x->shares[i])
			continue;
		l->cursor = f->n_cursors;
		if (!is_ranked(l))
			l->step = x->down ? -x->least[i] : x->least[i];
		l->alone = x->least[i] >= (l->step < 0 ? -l->step : l->step);
	}
	x->found = true;
}

/* The loop, with as many others of the owner as go with it. */
static void share_cursor(struct finder *x, struct wv_loop *loop, const struct edge *edge, const struct edge *end)
{
	struct wv_function *f = x->f;
	const struct wv_loop before = *loop;
	memset(x->shares, 0, f->n_loops * sizeof *x->shares);
	if (!try_loop(x, loop, NULL, edge, end))
		return;
	for (struct wv_loop *l = &f->loops[x->owner]; l < f->loops + f->n_loops && l->head < f->loops[x->owner].end;
		l++) {
		if (!x->shares[l - f->loops])
			try_loop(x, l, loop, edge, end);
	}
	if (is_worth_it(x) && cursor_holds(x, edge, end) && claim_cursor(x, edge, end))
		put_cursor(x);
	else
		*loop = before;
}

static void look_for(struct finder *x, const struct edge *edge, const struct edge *end)
{
	struct wv_function *f = x->f;
	for (x->owner = 0; x->owner < f->n_loops; x->owner++) {
		uint32_t behind = f->loops[x->owner].end;
		for (struct wv_loop *l = &f->loops[x->owner]; l < f->loops + f->n_loops && l->head < behind; l++) {
			if (f->n_cursors < WV_MAX_CURSORS && !l->cursor && !x->effort->too_long)
				share_cursor(x, l, edge, end);
		}
	}
}

/* Is there a loop that nothing ranks, or one in another? */
static bool has_work(const struct wv_function *f)
{
	for (const struct wv_loop *l = f->loops; l < f->loops + f->n_loops; l++) {
		if (l->parent != WV_NO_LOOP || !is_ranked(l))
			return true;
	}
	return false;
}

static bool find_in(struct finder *x, struct wv_function *f, const struct edge *edge, const struct edge *end)
{
	size_t n = 0;
	if (!has_work(f))
		return true;
	x->f = f;
	x->first = malloc((f->n_blocks + 1) * sizeof *x->first);
	for (uint32_t b = 0; x->first && b < f->n_blocks; b++) {
		x->first[b] = n;
		n += f->blocks[b].n_claims;
	}
	x->ahead = malloc((n + 1) * sizeof *x->ahead);
	x->needed = malloc((n + 1) * sizeof *x->needed);
	x->shares = calloc(f->n_loops, sizeof *x->shares);
	x->least = calloc(f->n_loops, sizeof *x->least);
	f->cursors = calloc(WV_MAX_CURSORS, sizeof *f->cursors);
	bool ok = x->first && x->ahead && x->needed && x->shares && x->least && f->cursors;
	if (ok) {
		x->first[f->n_blocks] = n;
		look_for(x, edge, end);
	}
	free(x->first);
	free(x->ahead);
	free(x->needed);
	free(x->shares);
	free(x->least);
	return ok;
}

/* Function after function, with the edges of each. */
static bool find_all(struct finder *x)
{
	struct wv_proof *p = &x->check.proof;
	const struct edge *edge = x->edges, *last = x->edges + x->n_edges;
	bool ok = true;
	qsort(x->edges, x->n_edges, sizeof *x->edges, by_source);
	for (uint32_t i = 0; i < p->n_functions; i++)
		p->functions[i].cursors = NULL;
	for (uint32_t i = 0; ok && i < p->n_functions; i++) {
		struct wv_function *f = &p->functions[i];
		uint32_t behind = (uint32_t)(f->blocks - p->blocks) + f->n_blocks;
		const struct edge *end = edge;
		while (end < last && end->from < behind)
			end++;
		ok = find_in(x, f, edge, end);
		edge = end;
	}
	return ok;
}

/* ---- the whole ---- */

static bool find_parsed(struct finder *x, void *arena, struct bytes *rest)
{
	const struct wv_watcher watcher = {.enter = block_enter, .edge = edge_note, .user = x};
	struct wv_proof *p = &x->check.proof;
	x->head = malloc(sizeof *x->head);
	x->facts = malloc(x->check.module->proof.n * sizeof *x->facts); /* more than there are claims */
	bool ok = x->head && x->facts;
	if (ok) {
		x->check.watcher = &watcher;
		wv_check_init(&x->check, arena);
		wv_sweep(&x->check);
		effort_spend(x->effort, units_of(wv_steps(&x->check)));
		x->check.watcher = NULL;
		ok = !x->no_memory;
	}
	bool sound = ok && x->n_edges && !x->misshapen && !x->effort->too_long;
	if (sound)
		ok = find_all(x);
	if (ok && sound && x->found) {
		p->version = 2;
		rest->n = 0;
		put_proof(rest, p);
		ok = !rest->failed;
	}
	for (uint32_t i = 0; sound && i < p->n_functions; i++)
		free(p->functions[i].cursors);
	free(x->head);
	free(x->facts);
	free(x->edges);
	free(x->pairs);
	return ok;
}

static void fault_note(struct wv_sink *sink, enum ward_rule rule, uint64_t pc, const char *reason, const char *detail)
{
	struct finder *x = sink->user;
	(void)pc, (void)reason, (void)detail;
	x->misshapen |= rule == WARD_RULE_STRUCTURE || rule == WARD_RULE_WORK;
}

bool add_cursors(const struct wv_module *m, struct effort *effort, struct bytes *rest)
{
	struct wv_module with = *m;
	struct wv_sink sink = {.report = fault_note};
	struct finder x = {.effort = effort,
		.check = {.module = &with, .sink = &sink, .max_insns = UINT64_MAX, .max_stack = WARD_STACK_CEILING}};
	uint8_t *proof, *arena;
	size_t size, used;
	sink.user = &x;
	if (!seal_proof(m, rest, &proof, &size))
		return false;
	with.proof = (struct wv_bytes){proof, size};
	used = (wv_proof_arena(&with) + 15) & ~(size_t)15;
	arena = malloc(used + wv_check_arena(&with));
	bool ok = arena != NULL;
	if (ok && wv_proof_parse(&x.check.proof, &with, arena, &sink))
		ok = find_parsed(&x, arena + used, rest);
	free(arena);
	free(proof);
	return ok;
}
