/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fixpoint. iterate.c interprets blocks with the verifier's own step function until no loop's head changes any
 * more. ranking.c then finds the locations that rank the loops, and everything is interpreted once more. This time a
 * location that such a loop moves by the same stride in every iteration is start + stride * k, whatever joins and
 * widening would make of it.
 *
 * Symbols are numbered per block, so interpreting a block twice gives the same names. Where edges join, a value that
 * differs between them is named after its location (join.c). So a location that a loop changes is "head symbol + 0"
 * at the head and, if it counts, "head symbol + step" at the back edge.
 */
#include "fixpoint.h"

#include <stdlib.h>
#include <string.h>

#include "ranking.h"
#include "iterate.h"

enum {
	/*
	 * in which more may be counted: a loop may be ranked only once another's locations are. From then on less only,
	 */
	FREE_PASSES = 3,
	BLOCK_ROOM = 64, /* bytes of what there is by block */
	MAX_PASSES = 12, /* until what is counted in the states is what is counted of them */
};

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
	static const uint64_t always[] = {
		0, 1, 7, 8, 63, 64, 0xff, 0xffff, 0xffffff, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX};
	struct thresholds *t = &a->thresholds;
	for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
		if (!add_threshold(t, always[i]))
			return false;
	}
	for (uint32_t b = 0; b < a->f->n_blocks; b++) {
		uint64_t at = a->f->blocks[b].addr;
		for (uint32_t n = 0; n < a->f->blocks[b].n; n++) {
			const struct wv_insn *i = &a->code->insns[a->code->at[at] - 1];
			if ((i->imm && !add_thresholds(t, i->imm, i->width)) ||
				(i->op == WV_LEA && !add_thresholds(t, i->mem.disp, 64)))
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

static bool machine_start(struct machine *k)
{
	struct wv_sink sink = {0};
	struct wv_ctx ctx = {.module = k->a->m, .sink = &sink, .next_sym = k->a->base[0]};
	contract_enter(&ctx, k->a->contract, k->st);
	return pack_claimed(k->a->code->effort, &k->a->in[0], k->st);
}

/* Blocks behind impossible edges need claims too: the verifier checks them like any others. */
static bool reach_all(struct machine *k, struct iteration *r)
{
	bool ok = true;
	for (uint32_t b = 0; b < k->a->f->n_blocks; b++)
		ok &= k->a->in[b].p != NULL;
	if (ok)
		return true;
	k->reached = calloc(k->a->f->n_blocks, sizeof *k->reached);
	for (uint32_t b = 0; k->reached && b < k->a->f->n_blocks; b++)
		k->reached[b] = k->a->in[b].p;
	k->everything = true;
	ok = k->reached && settle(k, r);
	k->everything = false;
	free(k->reached);
	k->reached = NULL;
	return ok;
}

/* Forget the states, but not what is counted. */
static void start_again(struct iteration *r)
{
	for (uint32_t b = 1; b < r->a->f->n_blocks; b++) {
		packed_free(r->effort, &r->a->in[b]);
		r->gathered[b] = false;
	}
	for (uint32_t i = 0; i < r->n_heads; i++) {
		if (&r->heads[i] == head_at(r, 0))
			continue;
		r->heads[i].changes = r->heads[i].apart = 0;
		packed_free(r->effort, &r->heads[i].back);
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

static bool edge_ignore(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	(void)user, (void)from, (void)out, (void)st;
	return true;
}

/* ---- distances that don't hold ---- */

struct pruning {
	struct analysis *a;
	struct wv_state *at; /* the claims at the edge's target */
	bool dropped;
};

/* Does what is claimed of two registers `at` a block hold in the state (user) that reaches it? */
static bool distance_holds(void *user, const struct wv_state *at, uint8_t x, int32_t scale, uint8_t y)
{
	const struct wv_state *st = user;
	if (!distance_claimable(&st->reg[x], scale, &st->reg[y]) || st->reg[y].kind != at->reg[y].kind)
		return false;
	struct wv_num has = wv_state_distance(st, &st->reg[x], scale, &st->reg[y]),
		      wants = wv_state_distance(at, &at->reg[x], scale, &at->reg[y]);
	return wv_num_within(&has, &wants);
}

static bool edge_prune(void *user, uint32_t from, const struct out *out, const struct wv_state *st)
{
	struct pruning *p = user;
	struct packed_state *to = &p->a->in[out->to];
	struct wv_state *at = p->at;
	uint32_t n = 0, had = to->p ? packed_distances(to) : 0;
	(void)from;
	if (!had)
		return true;
	unpack_state(at, to);
	struct wv_distance keeps[WV_MAX_DISTANCES];
	for (uint32_t i = 0; i < had; i++) {
		if (each_distance(at, &at->distance[i], distance_holds, (void *)st))
			keeps[n++] = at->distance[i];
	}
	for (uint32_t i = 0; i < n; i++)
		at->distance[i] = keeps[i];
	if (n == had)
		return true;
	at->n_distances = n;
	p->dropped = true;
	return pack_state(p->a->code->effort, to, at);
}

/*
 * Distances were guessed where loops set them. Drop those that some edge into their block doesn't keep, until all
 * that are left hold.
 */
static bool prune_distances(struct machine *k)
{
	struct pruning p = {.a = k->a, .at = malloc(sizeof *p.at), .dropped = true};
	bool ok = p.at != NULL;
	for (uint32_t b = 0; ok && b < k->a->f->n_blocks; b++) {
		struct packed_state *in = &k->a->in[b];
		if (!in->p || !packed_distances(in))
			continue;
		unpack_state(p.at, in);
		trim_distances(p.at);
		ok = pack_state(k->a->code->effort, in, p.at);
	}
	while (ok && p.dropped) {
		p.dropped = false;
		for (uint32_t b = 0; ok && b < k->a->f->n_blocks; b++)
			ok = !k->a->in[b].p || interpret(k, b, edge_prune, &p);
	}
	free(p.at);
	return ok;
}

/* Once more over every block, with the states as they will be claimed, for what calls pass and what is returned. */
static bool meet_others(struct machine *k)
{
	bool ok = true;
	k->settled = true;
	k->a->contract->returns = false;
	for (uint32_t b = 0; ok && b < k->a->f->n_blocks; b++)
		ok = !k->a->in[b].p || interpret(k, b, edge_ignore, NULL);
	k->settled = false;
	return ok;
}

/*
 * What is counted makes the states what they are, and is then counted in them: again and again, until that changes
 * nothing. A count that doesn't hold in the states which were made of it would be claimed of others.
 */
static bool machine_count(struct machine *k, struct iteration *r)
{
	bool changed = counts_something(k->a);
	for (int pass = 0; pass < MAX_PASSES && (changed || k->a->guessed); pass++) {
		k->a->guess = changed && pass < FREE_PASSES - 1; /* else it was in vain */
		start_again(r);
		if (!settle(k, r) || !reach_all(k, r) || !find_ranks_again(k, pass >= FREE_PASSES, &changed) ||
			!find_ordered(k))
			return false;
	}
	return true;
}

static bool machine_run(struct machine *k, struct iteration *r)
{
	k->a->guess = true;
	if (!find_thresholds(k->a) || !machine_start(k) || !settle(k, r) || !reach_all(k, r) || !find_ranks(k) ||
		!find_ordered(k) || !machine_count(k, r))
		return false;
	for (uint32_t i = 0; i < r->n_heads; i++) {
		if (r->heads[i].is_head)
			note_starts(r, &r->heads[i]);
	}
	return prune_distances(k) && meet_others(k);
}

bool fixpoint_run(struct analysis *a, const struct wv_module *m, const struct code *code, const struct function *f,
	struct contracts *contracts, struct contract *own)
{
	*a = (struct analysis){.m = m, .code = code, .f = f, .contracts = contracts, .contract = own};
	struct iteration r = {.a = a};
	struct machine k = {.a = a};
	size_t room = f->n_blocks * (size_t)BLOCK_ROOM + f->n_outs * sizeof *r.sent +
		      f->n_loops * (sizeof *r.heads + 2 * sizeof *a->ranks);
	a->in = calloc(f->n_blocks, sizeof *a->in);
	a->ranks = calloc(f->n_loops + 1, sizeof *a->ranks);
	a->base = calloc(f->n_blocks, sizeof *a->base);
	k.st = malloc(sizeof *k.st);
	k.edge = malloc(sizeof *k.edge);
	bool ok = take_room(code->effort, room) && a->in && a->ranks && a->base && k.st && k.edge && rounds_init(&r, a);
	if (ok) {
		number_symbols(a);
		ok = machine_run(&k, &r);
	}
	free(k.st);
	free(k.edge);
	rounds_free(&r);
	if (!code->effort->too_large)
		give_room(code->effort, room);
	return ok;
}

void fixpoint_free(struct analysis *a)
{
	for (uint32_t b = 0; a->in && b < a->f->n_blocks; b++)
		packed_free(a->code->effort, &a->in[b]);
	for (uint32_t l = 0; a->ranks && l < a->f->n_loops; l++)
		free(a->ranks[l].counted);
	free(a->in);
	free(a->ranks);
	free(a->base);
	free(a->thresholds.v);
}
