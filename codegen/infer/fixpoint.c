/*
 * The fixpoint: blocks are interpreted with the verifier's own step function, over and over in proof order, until no state at a block's head grows any more. At loop
 * heads bounds that keep growing are widened to thresholds taken from the code's constants. Then a few rounds the other way: every head is computed anew from what
 * flows in, which wins back what widening gave away.
 *
 * Symbols are numbered per block, so that interpreting a block twice gives the same names. At a join, and so at a loop's head, whatever differs between the ways in is named
 * after the location (join.c): a location that a loop changes is "head symbol + 0" at the head and, if it counts, "head symbol + step" at the back edge.
 */
#include "fixpoint.h"

#include <stdlib.h>
#include <string.h>

#include "step.h"

enum {
	MAX_ROUNDS = 200,   /* then widening has failed and the verifier will say where */
	WIDEN_AFTER = 2,    /* joins at a loop head before its bounds are widened */
	GIVE_UP_AFTER = 40, /* joins at a loop head before they are dropped altogether */
	NARROW_ROUNDS = 3,
};

/* ---- keeping states ---- */

static size_t state_size(uint32_t n_slots)
{
	return offsetof(struct wv_state, slot) + n_slots * sizeof(struct wv_slot);
}

static bool keep(struct kept *k, const struct wv_state *st)
{
	struct wv_state *p = realloc(k->st, state_size(st->n_slots));
	if (!p)
		return false;
	k->st = p;
	wv_state_copy(p, st);
	return true;
}

static void load(struct wv_state *to, const struct kept *k)
{
	wv_state_copy(to, k->st);
	memset(&to->flags, 0, sizeof to->flags);
}

/* ---- interpreting a block ---- */

/* Called for each way out that some execution may take, with the state that goes there. False: stop, no memory. */
typedef bool flow_fn(void *user, uint32_t from, const struct out *out, const struct wv_state *st);

struct machine {
	struct analysis *a;
	struct wv_sink sink;
	struct wv_ctx ctx;
	struct wv_state *st, *edge;
	bool everything; /* also ways that can't be taken, unrefined: only to reach blocks that nothing else reaches */
};

static bool is_call(const struct wv_insn *i)
{
	return i->op == WV_CALL;
}

/* The taken way of a jcc, then the state that falls through it. */
static bool flow_jcc(struct machine *k, uint32_t from, const struct out *out, enum wv_cond cond, flow_fn *fn, void *user)
{
	bool defined = wv_flags_defined(&k->st->flags, cond);
	wv_state_copy(k->edge, k->st);
	if (!defined || wv_state_assume(k->edge, cond)) {
		if (!fn(user, from, out, k->edge))
			return false;
	} else if (k->everything && !fn(user, from, out, k->st)) {
		return false;
	}
	wv_state_copy(k->edge, k->st);
	if (defined && wv_state_assume(k->edge, (enum wv_cond)(cond ^ 1))) {
		struct wv_state *t = k->st;
		k->st = k->edge;
		k->edge = t;
	}
	return true;
}

static bool interpret(struct machine *k, uint32_t b, flow_fn *fn, void *user)
{
	const struct block *block = &k->a->f->blocks[b];
	const struct out *out = k->a->f->outs + block->first_out, *end = out + block->n_outs;
	load(k->st, &k->a->in[b]);
	k->ctx = (struct wv_ctx){.module = k->a->m, .sink = &k->sink, .max_stack = WARD_STACK_CEILING, .next_sym = k->a->base[b] + JOIN_SYMBOLS};
	uint64_t at = block->addr;
	for (uint32_t n = 0; n < block->n; n++) {
		uint32_t index = k->a->code->at[at] - 1;
		const struct wv_insn *i = &k->a->code->insns[index];
		wv_step(&k->ctx, k->st, i);
		if (is_call(i))
			wv_state_after_call(k->st);
		for (; out < end && out->insn == index; out++) {
			bool ok = out->kind == OUT_TAKEN ? flow_jcc(k, b, out, (enum wv_cond)i->cond, fn, user) : fn(user, b, out, k->st);
			if (!ok)
				return false;
		}
		at += i->length;
	}
	return true;
}

/* ---- growing ---- */

static bool heads_loop(const struct function *f, uint32_t b)
{
	for (uint32_t l = 0; l < f->n_loops; l++) {
		if (f->loops[l].head == b)
			return true;
	}
	return false;
}

struct growth {
	struct analysis *a;
	struct wv_state *scratch, *before;
	uint8_t *dirty;
};

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

static bool grow_into(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	struct growth *g = user;
	struct kept *k = &g->a->in[out->to];
	(void)from;
	if (out->to == 0) /* the entry's state is fixed */
		return true;
	if (!k->st) {
		g->dirty[out->to] = 1;
		return keep(k, st);
	}
	wv_state_copy(g->scratch, k->st);
	if (!state_join(g->scratch, st, g->a->base[out->to]))
		return true;
	if (heads_loop(g->a->f, out->to) && ++k->joins > WIDEN_AFTER) {
		wv_state_copy(g->before, k->st);
		state_widen(g->scratch, g->before, &g->a->thresholds);
		if (k->joins > GIVE_UP_AFTER)
			forget_numbers(g->scratch);
	}
	g->dirty[out->to] = 1;
	return keep(k, g->scratch);
}

static bool grow_all(struct machine *k, struct growth *g)
{
	for (unsigned round = 0, changed = 1; changed && round < MAX_ROUNDS; round++) {
		changed = 0;
		for (uint32_t b = 0; b < g->a->f->n_blocks; b++) {
			if (!g->dirty[b] || !g->a->in[b].st)
				continue;
			g->dirty[b] = 0;
			changed = 1;
			if (!interpret(k, b, grow_into, g))
				return false;
		}
	}
	return true;
}

/* ---- narrowing ---- */

struct narrowing {
	struct analysis *a;
	struct kept *next;
	struct wv_state *scratch;
};

static bool narrow_into(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	struct narrowing *n = user;
	struct kept *k = &n->next[out->to];
	(void)from;
	if (out->to == 0)
		return true;
	if (!k->st)
		return keep(k, st);
	wv_state_copy(n->scratch, k->st);
	state_join(n->scratch, st, n->a->base[out->to]);
	return keep(k, n->scratch);
}

static void take_next(struct narrowing *n, uint32_t b)
{
	if (!n->next[b].st)
		return;
	free(n->a->in[b].st);
	n->a->in[b] = n->next[b];
	n->next[b].st = NULL;
}

/*
 * One round: every block's head anew, from what flows into it. A block that heads no loop takes its new head as soon as the blocks before it are done, so that one round carries
 * what was won at a loop's head through the loop; a loop's head takes it at the end of the round.
 */
static bool narrow_once(struct machine *k, struct narrowing *n)
{
	uint32_t blocks = n->a->f->n_blocks;
	n->next = calloc(blocks, sizeof *n->next);
	bool ok = n->next != NULL;
	for (uint32_t b = 0; ok && b < blocks; b++) {
		if (!heads_loop(n->a->f, b))
			take_next(n, b);
		if (n->a->in[b].st)
			ok = interpret(k, b, narrow_into, n);
	}
	for (uint32_t b = 1; ok && b < blocks; b++)
		take_next(n, b);
	for (uint32_t b = 0; n->next && b < blocks; b++)
		free(n->next[b].st);
	free(n->next);
	return ok;
}

/* ---- ranks ---- */

struct ranking {
	struct analysis *a;
	uint32_t loop;
	struct wv_loc loc;
	const struct wv_val *head; /* the location's value at the head */
	int64_t step[2];           /* [0] of the full identity, [1] of the low one */
	bool possible[2];
	bool any;
};

static bool note_step(struct ranking *r, unsigned i, int64_t step)
{
	if (step == 0 || step == INT64_MIN || (r->any && r->step[i] && (r->step[i] > 0) != (step > 0)))
		return false;
	int64_t size = step > 0 ? step : -step, old = r->step[i] > 0 ? r->step[i] : -r->step[i];
	if (!r->step[i] || size > old) /* the largest step decides about wrapping */
		r->step[i] = step;
	return true;
}

static bool rank_flow(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	struct ranking *r = user;
	const struct loop *l = &r->a->f->loops[r->loop];
	if (out->to != l->head || from < l->head || from >= l->end)
		return true;
	const struct wv_val *v = wv_rank_value(st, &r->loc);
	r->possible[0] = r->possible[0] && v && v->sym == r->head->sym && note_step(r, 0, (int64_t)(v->add - r->head->add));
	r->possible[1] = r->possible[1] && v && v->lsym == r->head->lsym && note_step(r, 1, (int32_t)(v->ladd - r->head->ladd));
	r->any = true;
	return true;
}

/* The fewest trips over the views in which the location ranks the loop; UINT64_MAX: in none. */
static uint64_t best_view(const struct ranking *r, enum wv_view *view)
{
	uint64_t best = UINT64_MAX;
	for (enum wv_view v = WV_U64; v <= WV_S32; v++) {
		unsigned i = v >= WV_U32;
		if (!r->possible[i] || !r->any || !wv_rank_moves(v, &r->head->n, r->step[i]) || (i && r->head->kind == WV_PTR))
			continue;
		/* The verifier knows the low identity at the head only as that of the ghost. */
		uint64_t trips = wv_rank_width(v, &r->head->n);
		if (trips < best) {
			best = trips;
			*view = v;
		}
	}
	return best;
}

static bool try_rank(struct machine *k, uint32_t loop, struct wv_loc loc, uint64_t *best)
{
	struct analysis *a = k->a;
	const struct loop *l = &a->f->loops[loop];
	const struct wv_val *head = wv_rank_value(a->in[l->head].st, &loc);
	if (!head || (head->kind == WV_NUM && head->init != 64))
		return true;
	struct ranking r = {.a = a, .loop = loop, .loc = loc, .head = head, .possible = {true, true}};
	for (uint32_t b = l->head; b < l->end; b++) {
		if (a->in[b].st && !interpret(k, b, rank_flow, &r))
			return false;
	}
	enum wv_view view = WV_U64;
	uint64_t trips = best_view(&r, &view);
	if (trips < *best) {
		*best = trips;
		a->ranks[loop] = (struct ranked){true, view, loc, head->sym, head->add};
	}
	return true;
}

static bool find_ranks(struct machine *k)
{
	struct analysis *a = k->a;
	for (uint32_t l = 0; l < a->f->n_loops; l++) {
		uint64_t best = UINT64_MAX;
		const struct wv_state *head = a->in[a->f->loops[l].head].st;
		for (uint8_t r = 0; head && r < WV_NREG; r++) {
			if (r != WV_RSP && !try_rank(k, l, (struct wv_loc){.reg = r}, &best))
				return false;
		}
		for (uint32_t s = 1; head && s <= head->n_slots; s++) {
			if (!try_rank(k, l, (struct wv_loc){.reg = WV_NREG, .slot = s}, &best))
				return false;
		}
	}
	return true;
}

/* ---- putting it together ---- */

static bool add_threshold(struct thresholds *t, uint64_t v)
{
	if (!grow(&t->v, t->n, &t->cap, sizeof *t->v))
		return false;
	t->v[t->n++] = v;
	return true;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Each constant of the function with its neighbours, and the ends of the usual types. */
static bool find_thresholds(struct analysis *a)
{
	static const uint64_t always[] = {0, 1, 7, 8, 63, 64, 0xff, 0xffff, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX};
	struct thresholds *t = &a->thresholds;
	for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
		if (!add_threshold(t, always[i]))
			return false;
	}
	for (uint32_t b = 0; b < a->f->n_blocks; b++) {
		uint64_t at = a->f->blocks[b].addr;
		for (uint32_t n = 0; n < a->f->blocks[b].n; n++) {
			const struct wv_insn *i = &a->code->insns[a->code->at[at] - 1];
			for (int d = -1; i->imm && t->n < 512 && d <= 1; d++) {
				if (!add_threshold(t, i->width == 32 ? (uint32_t)(i->imm + d) : (uint64_t)(i->imm + d)))
					return false;
			}
			at += i->length;
		}
	}
	qsort(t->v, t->n, sizeof *t->v, compare_u64);
	return true;
}

/* Symbols: the loops' ghosts first (the verifier's names), then per block the join's and the steps'. */
static void number_symbols(struct analysis *a)
{
	uint32_t next = 1;
	for (uint32_t b = 0; b < a->f->n_blocks; b++) {
		a->base[b] = next;
		next += JOIN_SYMBOLS + 16 * (a->f->blocks[b].n + 1);
	}
}

static bool start(struct machine *k)
{
	struct wv_sink sink = {0};
	struct wv_ctx ctx = {.module = k->a->m, .sink = &sink, .next_sym = k->a->base[0]};
	wv_state_entry(&ctx, k->st);
	return keep(&k->a->in[0], k->st);
}

static bool run(struct machine *k, struct growth *g)
{
	struct analysis *a = k->a;
	struct narrowing n = {.a = a, .scratch = g->scratch};
	if (!find_thresholds(a) || !start(k))
		return false;
	g->dirty[0] = 1;
	if (!grow_all(k, g))
		return false;
	for (int i = 0; i < NARROW_ROUNDS; i++) {
		if (!narrow_once(k, &n))
			return false;
	}
	/* Blocks that only impossible ways lead to need claims all the same: the verifier checks them like any other. */
	for (uint32_t b = 0; b < a->f->n_blocks; b++) {
		if (!a->in[b].st)
			k->everything = true;
	}
	if (k->everything) {
		memset(g->dirty, 1, a->f->n_blocks);
		if (!grow_all(k, g))
			return false;
		k->everything = false;
	}
	return find_ranks(k);
}

bool fixpoint_run(struct analysis *a, const struct wv_module *m, const struct code *code, const struct function *f)
{
	*a = (struct analysis){.m = m, .code = code, .f = f};
	struct growth g = {.a = a};
	struct machine k = {.a = a};
	a->in = calloc(f->n_blocks, sizeof *a->in);
	a->ranks = calloc(f->n_loops + 1, sizeof *a->ranks);
	a->base = calloc(f->n_blocks, sizeof *a->base);
	k.st = malloc(sizeof *k.st);
	k.edge = malloc(sizeof *k.edge);
	g.scratch = malloc(sizeof *g.scratch);
	g.before = malloc(sizeof *g.before);
	g.dirty = calloc(f->n_blocks, 1);
	bool ok = a->in && a->ranks && a->base && k.st && k.edge && g.scratch && g.before && g.dirty;
	if (ok) {
		number_symbols(a);
		ok = run(&k, &g);
	}
	free(k.st);
	free(k.edge);
	free(g.scratch);
	free(g.before);
	free(g.dirty);
	return ok;
}

void fixpoint_free(struct analysis *a)
{
	for (uint32_t b = 0; a->in && b < a->f->n_blocks; b++)
		free(a->in[b].st);
	free(a->in);
	free(a->ranks);
	free(a->base);
	free(a->thresholds.v);
}
