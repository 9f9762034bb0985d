/*
 * The fixpoint: blocks are interpreted with the verifier's own step function, in rounds over the proof's order, until no loop's head changes any more.
 *
 * In a round each block's state is made afresh from what has flowed into it in that round; only loop heads remember, and join what comes back to them to what they had. Bounds that
 * keep growing there are widened to thresholds taken from the code's constants. Then a few rounds in which heads forget too, taking what came back in the round before:
 * that wins back what widening gave away, and stays a fixpoint, since less flowing in makes less flow out.
 *
 * Then, with the loops that a location ranks known, it is all done once more: what such a loop moves by the same stride in every iteration is start + stride * k, whatever joins and
 * widening would make of it.
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
	WIDEN_FAR_AFTER = 16, /* and before what still grows goes to its limits at once */
	GIVE_UP_AFTER = 60, /* changes of a loop head before they are dropped altogether */
	NARROW_ROUNDS = 3,
	COUNT_PASSES = 3, /* a loop may be ranked only once another's locations are counted */
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
	p->n_choices = 0; /* not claimed, so not known at a block's head */
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
	bool settled;    /* calls and returns count for the contracts */
	bool everything; /* also ways that can't be taken, unrefined: only to reach blocks that nothing else reaches */
};

static void call(struct machine *k, const struct wv_insn *i, struct wv_state *st);

/* A branch to another function's start: a call and a return. */
static void tail_call(struct machine *k, const struct wv_insn *i)
{
	bool jcc = i->op == WV_JCC;
	wv_state_copy(k->edge, k->st);
	if (!jcc || !wv_flags_defined(&k->st->flags, (enum wv_cond)i->cond) || wv_state_assume(k->edge, (enum wv_cond)i->cond)) {
		call(k, i, k->edge);
		if (k->settled)
			contract_return(k->a->contract, k->edge);
	}
	if (!jcc || !wv_flags_defined(&k->st->flags, (enum wv_cond)i->cond))
		return;
	wv_state_copy(k->edge, k->st);
	if (wv_state_assume(k->edge, (enum wv_cond)(i->cond ^ 1))) {
		struct wv_state *t = k->st;
		k->st = k->edge;
		k->edge = t;
	}
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

/* While states still grow nothing may be learnt from them about what is passed. */
static void call(struct machine *k, const struct wv_insn *i, struct wv_state *st)
{
	struct contracts *cs = k->a->contracts;
	bool collecting = cs->collecting;
	struct contract *c = contract_at(cs, i->target - k->a->m->text.addr);
	struct contract before = c ? *c : (struct contract){0};
	contract_call(&k->ctx, cs, i->target - k->a->m->text.addr, st);
	if (c && collecting && !k->settled)
		*c = before;
}

static bool interpret(struct machine *k, uint32_t b, flow_fn *fn, void *user)
{
	const struct block *block = &k->a->f->blocks[b];
	const struct out *out = block->n_outs ? &k->a->f->outs[block->first_out] : NULL, *end = block->n_outs ? out + block->n_outs : NULL;
	load(k->st, &k->a->in[b]);
	k->ctx = (struct wv_ctx){.module = k->a->m, .sink = &k->sink, .max_stack = WARD_STACK_CEILING, .next_sym = k->a->base[b] + JOIN_SYMBOLS};
	memcpy(k->ctx.lent, k->a->contract->lent, sizeof k->ctx.lent);
	uint64_t at = block->addr;
	for (uint32_t n = 0; n < block->n; n++) {
		uint32_t index = k->a->code->at[at] - 1;
		const struct wv_insn *i = &k->a->code->insns[index];
		wv_step(&k->ctx, k->st, i);
		if (i->op == WV_CALL)
			call(k, i, k->st);
		if (i->op == WV_RET && k->settled)
			contract_return(k->a->contract, k->st);
		for (; out < end && out->insn == index; out++) {
			if (out->kind == OUT_TAIL) {
				tail_call(k, i);
				continue;
			}
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
	struct kept entry; /* what came in from outside in the last round */
	struct kept back; /* what came back in the last round */
	struct ranked *rank; /* of the loop */
};

struct rounds {
	struct analysis *a;
	struct kept *next;      /* by block: what has flowed in so far in this round */
	struct kept *next_back; /* heads: what has come back in this round */
	struct head *heads;     /* by block */
	struct wv_state *scratch, *before, *patched;
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
			static const struct thresholds none;
			wv_state_copy(r->before, k->st);
			state_widen(r->scratch, r->before, h->changes > WIDEN_FAR_AFTER ? &none : &r->a->thresholds);
		}
		if (h->changes > GIVE_UP_AFTER)
			forget_numbers(r->scratch);
	}
	return keep(k, r->scratch);
}

/* ---- counted locations ---- */

static struct wv_val *value_at(struct wv_state *st, const struct wv_loc *loc)
{
	return (struct wv_val *)wv_rank_value(st, loc);
}

static uint64_t magnitude(int64_t step)
{
	return step > 0 ? (uint64_t)step : (uint64_t)0 - (uint64_t)step;
}

/* start + stride * k for all k that the loop's rank allows, as the verifier works it out. */
static struct wv_num counted_range(const struct counted *c, const struct ranked *rank, const struct wv_val *ranking)
{
	uint64_t most = wv_rank_width(rank->view, &ranking->n) / magnitude(rank->step);
	struct wv_num k = wv_num_range(0, most), stride = wv_num_const((uint64_t)c->stride), moved = wv_num_binary(WV_IMUL, 64, &k, &stride);
	return wv_num_binary(WV_ADD, 64, &c->start, &moved);
}

/* Where the counted locations start: what they hold when the loop is entered. */
static void note_starts(struct head *h)
{
	for (uint32_t i = 0; h->entry.st && i < h->rank->n_counted; i++) {
		struct wv_val *v = value_at(h->entry.st, &h->rank->counted[i].loc);
		if (v)
			h->rank->counted[i].start = v->n;
	}
}

static void set_counted(struct ranked *rank, struct wv_state *head)
{
	const struct wv_val *ranking = wv_rank_value(head, &rank->loc);
	for (uint32_t i = 0; ranking && i < rank->n_counted; i++) {
		struct wv_val *v = value_at(head, &rank->counted[i].loc);
		if (v)
			v->n = counted_range(&rank->counted[i], rank, ranking);
	}
}

/*
 * How far a moving location has to go to its bound, at the head: at most what it is when the loop is entered, in steps of the stride, and never nothing. The verifier finds out whether that holds.
 */
static void set_distance(const struct ordered *o, const struct wv_state *entry, struct wv_state *head)
{
	const struct wv_loc *from = o->stride > 0 ? &o->moving : &o->bound, *to = o->stride > 0 ? &o->bound : &o->moving;
	const struct wv_val *a = wv_rank_value(entry, from), *b = wv_rank_value(entry, to), *ha = wv_rank_value(head, from), *hb = wv_rank_value(head, to);
	uint64_t step = magnitude(o->stride);
	if (!a || !b || !ha || !hb || a->kind != b->kind || ha->kind != a->kind || hb->kind != b->kind || (a->kind == WV_PTR && a->region != b->region))
		return;
	struct wv_num d = wv_state_distance(entry, a, b);
	if (d.umin < step || d.umax > INT64_MAX)
		return;
	struct wv_num steps = wv_num_range(0, (d.umax - step) / step), back = wv_num_const(0 - step), limits = wv_num_range(step, d.umax);
	struct wv_num gone = wv_num_binary(WV_IMUL, 64, &steps, &back), left = wv_num_binary(WV_ADD, 64, &d, &gone);
	if (wv_num_meet(&left, &limits))
		wv_state_set_distance(head, ha, hb, &left);
}

static void set_distances(const struct head *h, struct wv_state *head)
{
	for (uint32_t i = 0; h->entry.st && i < h->rank->n_ordered; i++)
		set_distance(&h->rank->ordered[i], h->entry.st, head);
}

/* What comes back is not joined where it is counted: there it takes the head's range. */
static const struct wv_state *without_counted(struct rounds *r, uint32_t head, const struct wv_state *st)
{
	struct ranked *rank = r->heads[head].rank;
	if (!rank->n_counted || !r->a->in[head].st)
		return st;
	wv_state_copy(r->patched, st);
	for (uint32_t i = 0; i < rank->n_counted; i++) {
		struct wv_val *v = value_at(r->patched, &rank->counted[i].loc), *h = value_at(r->a->in[head].st, &rank->counted[i].loc);
		if (v && h && v->sym == h->sym && v->add - h->add == (uint64_t)rank->counted[i].stride)
			v->n = h->n;
	}
	return r->patched;
}

/* ---- flowing ---- */

static bool flow(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	struct rounds *r = user;
	uint32_t to = out->to;
	if (to == 0) /* the entry's state is fixed */
		return true;
	if (to > from || !r->heads[to].is_head)
		return join_plainly(r, &r->next[to], st, to);
	st = without_counted(r, to, st);
	return join_plainly(r, &r->next_back[to], st, to) && (r->narrowing || !r->a->in[to].st || join_head(r, to, st, true, true));
}

static void move_state(struct kept *to, struct kept *from)
{
	free(to->st);
	*to = *from;
	from->st = NULL;
}

/* The state at a loop's head for this round, from what flowed in and what the head remembers. */
static bool begin_head(struct rounds *r, uint32_t b)
{
	struct kept *in = &r->a->in[b];
	struct head *h = &r->heads[b];
	bool ok = true;
	if (!r->next[b].st)
		return true;
	if (!keep(&h->entry, r->next[b].st))
		return false;
	note_starts(h);
	if (!r->narrowing && in->st) {
		ok = join_head(r, b, r->next[b].st, false, true);
	} else {
		move_state(in, &r->next[b]);
		if (r->narrowing && h->back.st)
			ok = join_head(r, b, h->back.st, true, false);
	}
	if (ok) {
		set_counted(h->rank, in->st);
		set_distances(h, in->st);
	}
	return ok;
}

static bool begin_block(struct rounds *r, uint32_t b)
{
	if (b == 0)
		return true;
	if (r->heads[b].is_head)
		return begin_head(r, b);
	move_state(&r->a->in[b], &r->next[b]);
	return true;
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
	r->patched = malloc(sizeof *r->patched);
	if (!r->next || !r->next_back || !r->heads || !r->scratch || !r->before || !r->patched)
		return false;
	for (uint32_t l = 0; l < a->f->n_loops; l++) {
		struct head *h = &r->heads[a->f->loops[l].head];
		h->is_head = true;
		h->rank = &a->ranks[l];
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
			free(r->heads[b].entry.st);
			free(r->heads[b].back.st);
		}
	}
	free(r->next);
	free(r->next_back);
	free(r->heads);
	free(r->scratch);
	free(r->before);
	free(r->patched);
}

/* ---- ranks ---- */

struct ranking {
	struct analysis *a;
	uint32_t loop;
	struct wv_loc loc;
	const struct wv_val *head; /* the location's value at the head */
	int64_t step[2];           /* the largest: [0] of the full identity, [1] of the low one */
	int64_t least[2];          /* the smallest */
	bool possible[2];
	bool any;
};

static bool note_step(struct ranking *r, unsigned i, int64_t step)
{
	if (step == 0 || step == INT64_MIN || (r->any && r->step[i] && (r->step[i] > 0) != (step > 0)))
		return false;
	if (!r->step[i] || magnitude(step) > magnitude(r->step[i])) /* decides about wrapping */
		r->step[i] = step;
	if (!r->least[i] || magnitude(step) < magnitude(r->least[i])) /* decides about the bound */
		r->least[i] = step;
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
		uint64_t trips = wv_rank_width(v, &r->head->n) / magnitude(r->least[i]);
		if (trips < best) {
			best = trips;
			*view = v;
		}
	}
	return best;
}

/* How a location moves over all back edges of a loop. False: no memory. r->head is NULL if there is no number there. */
static bool measure(struct machine *k, uint32_t loop, struct wv_loc loc, struct ranking *r)
{
	struct analysis *a = k->a;
	const struct loop *l = &a->f->loops[loop];
	const struct wv_val *head = wv_rank_value(a->in[l->head].st, &loc);
	*r = (struct ranking){.a = a, .loop = loop, .loc = loc, .possible = {true, true}};
	if (!head || (head->kind == WV_NUM && head->init != 64))
		return true;
	r->head = head;
	for (uint32_t b = l->head; b < l->end; b++) {
		if (a->in[b].st && !interpret(k, b, rank_flow, r))
			return false;
	}
	return true;
}

/* Has the location been taken for counted so far? Its range then comes from the ranking location, so it can't rank the loop. */
static bool is_counted(const struct ranked *rank, struct wv_loc loc)
{
	for (uint32_t i = 0; i < rank->n_counted; i++) {
		if (rank->counted[i].loc.reg == loc.reg && rank->counted[i].loc.slot == loc.slot)
			return true;
	}
	return false;
}

static bool try_rank(struct machine *k, uint32_t loop, struct wv_loc loc, uint64_t *best)
{
	struct ranking r;
	if (is_counted(&k->a->ranks[loop], loc))
		return true;
	if (!measure(k, loop, loc, &r))
		return false;
	const struct wv_val *head = r.head;
	enum wv_view view = WV_U64;
	uint64_t trips = head ? best_view(&r, &view) : UINT64_MAX;
	if (trips < *best) {
		*best = trips;
		struct ranked *rank = &k->a->ranks[loop];
		rank->found = true;
		rank->view = view;
		rank->loc = loc;
		rank->step = r.least[view >= WV_U32];
		rank->sym = head->sym;
		rank->add = head->add;
	}
	return true;
}

/* Not the ranking location, and moved by one and the same stride. Slots are counted only whole. */
static bool try_count(struct machine *k, uint32_t loop, struct wv_loc loc)
{
	struct ranked *rank = &k->a->ranks[loop];
	const struct wv_state *head = k->a->in[k->a->f->loops[loop].head].st;
	struct ranking r;
	if ((loc.reg == rank->loc.reg && loc.slot == rank->loc.slot) || (loc.slot && head->slot[loc.slot - 1].width != 8))
		return true;
	if (!measure(k, loop, loc, &r))
		return false;
	if (!r.head || !r.any || !r.possible[0] || r.step[0] != r.least[0] || rank->n_counted == WV_MAX_COUNTED)
		return true;
	if (!grow(&rank->counted, rank->n_counted, &rank->cap_counted, sizeof *rank->counted))
		return false;
	rank->counted[rank->n_counted++] = (struct counted){loc, r.step[0], wv_num_any(), r.head->sym, r.head->add};
	return true;
}

/* Call fn for every location that the head of a loop has. */
static bool each_location(struct machine *k, uint32_t loop, uint64_t *best)
{
	const struct wv_state *head = k->a->in[k->a->f->loops[loop].head].st;
	for (uint8_t r = 0; r < WV_NREG; r++) {
		struct wv_loc loc = {.reg = r};
		if (r != WV_RSP && !(best ? try_rank(k, loop, loc, best) : try_count(k, loop, loc)))
			return false;
	}
	for (uint32_t s = 1; s <= head->n_slots; s++) {
		struct wv_loc loc = {.reg = WV_NREG, .slot = s};
		if (!(best ? try_rank(k, loop, loc, best) : try_count(k, loop, loc)))
			return false;
	}
	return true;
}

/* Ranks anew, and with them what each ranked loop counts. *ranked receives how many loops are. */
static bool find_ranks(struct machine *k, uint32_t *ranked)
{
	struct analysis *a = k->a;
	*ranked = 0;
	for (uint32_t l = 0; l < a->f->n_loops; l++) {
		uint64_t best = UINT64_MAX;
		a->ranks[l].found = false;
		if (!a->in[a->f->loops[l].head].st)
			continue;
		if (!each_location(k, l, &best))
			return false;
		a->ranks[l].n_counted = 0;
		if (a->ranks[l].found && !each_location(k, l, NULL))
			return false;
		*ranked += a->ranks[l].found;
	}
	return true;
}

/* ---- what is compared ---- */

struct comparing {
	struct machine *k;
	uint32_t loop;
	const struct out *seen;
	struct wv_val a, b;
};

static bool note_comparison(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	struct comparing *c = user;
	const struct wv_flags *f = &st->flags;
	enum wv_cond cond = (enum wv_cond)c->k->a->code->insns[out->insn].cond;
	(void)from;
	if (out->kind == OUT_TAKEN && (cond == WV_E || cond == WV_NE) && f->relation == WV_REL_CMP && f->width >= 32 && f->a.kind == f->b.kind) {
		c->seen = out;
		c->a = f->a;
		c->b = f->b;
	}
	return true;
}

/* The register that holds this symbol at the loop's head; WV_NREG if none does. */
static uint8_t holder_of(const struct wv_state *head, uint32_t sym)
{
	uint8_t r = 0;
	while (r < WV_NREG && (r == WV_RSP || head->reg[r].sym != sym))
		r++;
	return r;
}

/* The same for a value; one of 32 bits that might wrap, for all that is known yet, has only its low identity left. */
static uint8_t holder_of_value(const struct wv_state *head, const struct wv_val *v)
{
	uint8_t r = v->sym ? holder_of(head, v->sym) : WV_NREG;
	return r == WV_NREG && v->lsym ? holder_of(head, v->lsym) : r;
}

/* Is one side of the comparison moved by the loop, and the other not? */
static bool add_ordered(struct machine *k, uint32_t loop, const struct wv_val *moving, const struct wv_val *bound)
{
	struct ranked *rank = &k->a->ranks[loop];
	const struct wv_state *head = k->a->in[k->a->f->loops[loop].head].st;
	uint8_t m = holder_of_value(head, moving), b = holder_of_value(head, bound);
	struct ranking r;
	if (m == WV_NREG || b == WV_NREG || wv_num_is_const(&head->reg[b].n) || rank->n_ordered == WV_MAX_DISTANCES)
		return true;
	struct ordered o = {.moving = {.reg = m}, .bound = {.reg = b}};
	if (!measure(k, loop, o.moving, &r))
		return false;
	for (uint32_t i = 0; i < rank->n_ordered; i++) {
		if (rank->ordered[i].moving.reg == m && rank->ordered[i].bound.reg == b)
			return true;
	}
	unsigned low = !r.possible[0];
	o.stride = r.step[low];
	if (r.head && r.any && r.possible[low] && r.step[low] == r.least[low])
		rank->ordered[rank->n_ordered++] = o;
	return true;
}

/* Loops that nothing ranks yet: what do they compare? */
static bool find_ordered(struct machine *k)
{
	struct analysis *a = k->a;
	for (uint32_t l = 0; l < a->f->n_loops; l++) {
		for (uint32_t b = a->f->loops[l].head; !a->ranks[l].found && b < a->f->loops[l].end; b++) {
			struct comparing c = {.k = k, .loop = l};
			if (!a->in[b].st || !a->in[a->f->loops[l].head].st)
				continue;
			if (!interpret(k, b, note_comparison, &c))
				return false;
			if (c.seen && (!add_ordered(k, l, &c.a, &c.b) || !add_ordered(k, l, &c.b, &c.a)))
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

/* A constant and its neighbours. */
static bool add_thresholds(struct thresholds *t, int64_t v, unsigned width)
{
	for (int d = -1; t->n < 512 && d <= 1; d++) {
		if (!add_threshold(t, width == 32 ? (uint32_t)(v + d) : (uint64_t)v + (uint64_t)d))
			return false;
	}
	return true;
}

/* The constants of the function, and the ends of the usual types. */
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
			if ((i->imm && !add_thresholds(t, i->imm, i->width)) || (i->op == WV_LEA && !add_thresholds(t, i->mem.disp, 64)))
				return false;
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
	contract_enter(&ctx, k->a->contract, k->st);
	return keep(&k->a->in[0], k->st);
}

/* Blocks that only impossible ways lead to need claims all the same: the verifier checks them like any other. */
static bool reach_all(struct machine *k, struct rounds *r)
{
	for (uint32_t b = 0; b < k->a->f->n_blocks; b++)
		k->everything |= !k->a->in[b].st;
	bool ok = !k->everything || settle(k, r);
	k->everything = false;
	return ok;
}

/* Forget the states, but not what is counted. */
static void start_again(struct rounds *r)
{
	for (uint32_t b = 1; b < r->a->f->n_blocks; b++) {
		free(r->a->in[b].st);
		r->a->in[b].st = NULL;
		r->heads[b].changes = 0;
		free(r->heads[b].back.st);
		r->heads[b].back.st = NULL;
	}
}

static bool counts_something(const struct analysis *a)
{
	for (uint32_t l = 0; l < a->f->n_loops; l++) {
		if (a->ranks[l].n_counted || a->ranks[l].n_ordered)
			return true;
	}
	return false;
}

static bool ignore(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	(void)user, (void)from, (void)out, (void)st;
	return true;
}

/* Once more over every block, with the states as they will be claimed, for what calls pass and what is returned. */
static bool meet_others(struct machine *k)
{
	bool ok = true;
	k->settled = true;
	k->a->contract->returns = false;
	for (uint32_t b = 0; ok && b < k->a->f->n_blocks; b++)
		ok = !k->a->in[b].st || interpret(k, b, ignore, NULL);
	k->settled = false;
	return ok;
}

static bool run(struct machine *k, struct rounds *r)
{
	uint32_t ranked, before = 0;
	if (!find_thresholds(k->a) || !start(k) || !settle(k, r) || !reach_all(k, r) || !find_ranks(k, &ranked) || !find_ordered(k))
		return false;
	for (int pass = 0; pass < COUNT_PASSES && counts_something(k->a) && (pass == 0 || ranked > before); pass++) {
		before = ranked;
		start_again(r);
		if (!settle(k, r) || !reach_all(k, r) || !find_ranks(k, &ranked) || !find_ordered(k))
			return false;
	}
	for (uint32_t b = 0; b < k->a->f->n_blocks; b++) {
		if (r->heads[b].is_head)
			note_starts(&r->heads[b]);
	}
	return meet_others(k);
}

bool fixpoint_run(struct analysis *a, const struct wv_module *m, const struct code *code, const struct function *f, struct contracts *contracts)
{
	*a = (struct analysis){.m = m, .code = code, .f = f, .contracts = contracts, .contract = contract_at(contracts, f->entry)};
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
	for (uint32_t l = 0; a->ranks && l < a->f->n_loops; l++)
		free(a->ranks[l].counted);
	free(a->in);
	free(a->ranks);
	free(a->base);
	free(a->thresholds.v);
}
