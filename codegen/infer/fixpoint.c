/*
 * The fixpoint: blocks are interpreted with the verifier's own step function, in rounds over the proof's order, until no loop's head changes any more.
 *
 * In a round each block's state is made afresh from what has flowed into it in that round; only loop heads remember, and join what comes back to them to what they had. Bounds that
 * keep growing there are widened to thresholds taken from the code's constants. Then a few rounds in which heads forget too, taking what came back in the round before:
 * that wins back what widening gave away, and stays a fixpoint, since less flowing in makes less flow out.
 *
 * Symbols are numbered per block, so that interpreting a block twice gives the same names. Where ways join, whatever differs between them is named after its location (join.c): a location
 * that a loop changes is "head symbol + 0" at the head and, if it counts, "head symbol + step" at the back edge.
 */
#include "fixpoint.h"

#include <stdlib.h>
#include <string.h>

#include "step.h"

enum {
	MAX_ROUNDS = 200,   /* then widening has failed and the verifier will say where */
	WIDEN_AFTER = 2,    /* changes of a loop head before its bounds are widened */
	GIVE_UP_AFTER = 60, /* changes of a loop head before they are dropped altogether */
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

/* ---- rounds ---- */

/* What a loop's head remembers. */
struct head {
	bool is_head;
	unsigned changes;
	uint8_t *changed; /* by location: the loop changes its identity */
	struct kept back; /* what came back in the last round */
};

struct rounds {
	struct analysis *a;
	struct kept *next;      /* by block: what has flowed in so far in this round */
	struct kept *next_back; /* heads: what has come back in this round */
	struct head *heads;     /* by block */
	struct wv_state *scratch, *before;
	bool narrowing, changed;
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

static bool join_plainly(struct rounds *r, struct kept *k, const struct wv_state *st, uint32_t to)
{
	if (!k->st)
		return keep(k, st);
	wv_state_copy(r->scratch, k->st);
	state_join(r->scratch, st, r->a->base[to], NULL);
	return keep(k, r->scratch);
}

/* Join `st` into what the head has. */
static bool join_head(struct rounds *r, uint32_t b, const struct wv_state *st, bool back, bool widen)
{
	struct kept *k = &r->a->in[b];
	struct head *h = &r->heads[b];
	struct head_join how = {h->changed, back};
	wv_state_copy(r->scratch, k->st);
	if (!state_join(r->scratch, st, r->a->base[b], &how))
		return true;
	if (widen) {
		r->changed = true;
		if (++h->changes > WIDEN_AFTER) {
			wv_state_copy(r->before, k->st);
			state_widen(r->scratch, r->before, &r->a->thresholds);
		}
		if (h->changes > GIVE_UP_AFTER)
			forget_numbers(r->scratch);
	}
	return keep(k, r->scratch);
}

static bool flow(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	struct rounds *r = user;
	uint32_t to = out->to;
	if (to == 0) /* the entry's state is fixed */
		return true;
	if (to > from || !r->heads[to].is_head)
		return join_plainly(r, &r->next[to], st, to);
	return join_plainly(r, &r->next_back[to], st, to) && (r->narrowing || !r->a->in[to].st || join_head(r, to, st, true, true));
}

static void move_state(struct kept *to, struct kept *from)
{
	free(to->st);
	*to = *from;
	from->st = NULL;
}

/* The state at the head of block b for this round. */
static bool begin_block(struct rounds *r, uint32_t b)
{
	struct kept *in = &r->a->in[b];
	if (b == 0)
		return true;
	if (!r->heads[b].is_head) {
		move_state(in, &r->next[b]);
		return true;
	}
	if (!r->next[b].st)
		return true;
	if (r->narrowing || !in->st) {
		move_state(in, &r->next[b]);
		return !r->narrowing || !r->heads[b].back.st || join_head(r, b, r->heads[b].back.st, true, false);
	}
	return join_head(r, b, r->next[b].st, false, true);
}

static bool one_round(struct machine *k, struct rounds *r)
{
	struct analysis *a = r->a;
	r->changed = false;
	for (uint32_t b = 0; b < a->f->n_blocks; b++) {
		if (!begin_block(r, b) || (a->in[b].st && !interpret(k, b, flow, r)))
			return false;
	}
	for (uint32_t b = 0; b < a->f->n_blocks; b++) {
		move_state(&r->heads[b].back, &r->next_back[b]);
		free(r->next[b].st);
		r->next[b].st = NULL;
	}
	return true;
}

static bool settle(struct machine *k, struct rounds *r)
{
	r->narrowing = false;
	r->changed = true;
	for (int i = 0; r->changed && i < MAX_ROUNDS; i++) {
		if (!one_round(k, r))
			return false;
	}
	r->narrowing = true;
	for (int i = 0; i < NARROW_ROUNDS; i++) {
		if (!one_round(k, r))
			return false;
	}
	return true;
}

static bool rounds_init(struct rounds *r, struct analysis *a)
{
	uint32_t n = a->f->n_blocks;
	*r = (struct rounds){.a = a};
	r->next = calloc(n, sizeof *r->next);
	r->next_back = calloc(n, sizeof *r->next_back);
	r->heads = calloc(n, sizeof *r->heads);
	r->scratch = malloc(sizeof *r->scratch);
	r->before = malloc(sizeof *r->before);
	if (!r->next || !r->next_back || !r->heads || !r->scratch || !r->before)
		return false;
	for (uint32_t l = 0; l < a->f->n_loops; l++) {
		struct head *h = &r->heads[a->f->loops[l].head];
		h->is_head = true;
		h->changed = calloc(JOIN_SYMBOLS, 1);
		if (!h->changed)
			return false;
	}
	return true;
}

static void rounds_free(struct rounds *r)
{
	for (uint32_t b = 0; b < r->a->f->n_blocks; b++) {
		if (r->next)
			free(r->next[b].st);
		if (r->next_back)
			free(r->next_back[b].st);
		if (r->heads) {
			free(r->heads[b].changed);
			free(r->heads[b].back.st);
		}
	}
	free(r->next);
	free(r->next_back);
	free(r->heads);
	free(r->scratch);
	free(r->before);
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

static bool run(struct machine *k, struct rounds *r)
{
	struct analysis *a = k->a;
	if (!find_thresholds(a) || !start(k) || !settle(k, r))
		return false;
	/* Blocks that only impossible ways lead to need claims all the same: the verifier checks them like any other. */
	for (uint32_t b = 0; b < a->f->n_blocks; b++)
		k->everything |= !a->in[b].st;
	if (k->everything && !settle(k, r))
		return false;
	k->everything = false;
	return find_ranks(k);
}

bool fixpoint_run(struct analysis *a, const struct wv_module *m, const struct code *code, const struct function *f)
{
	*a = (struct analysis){.m = m, .code = code, .f = f};
	struct rounds r = {.a = a};
	struct machine k = {.a = a};
	a->in = calloc(f->n_blocks, sizeof *a->in);
	a->ranks = calloc(f->n_loops + 1, sizeof *a->ranks);
	a->base = calloc(f->n_blocks, sizeof *a->base);
	k.st = malloc(sizeof *k.st);
	k.edge = malloc(sizeof *k.edge);
	bool ok = a->in && a->ranks && a->base && k.st && k.edge && rounds_init(&r, a);
	if (ok) {
		number_symbols(a);
		ok = run(&k, &r);
	}
	free(k.st);
	free(k.edge);
	rounds_free(&r);
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
