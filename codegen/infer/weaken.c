/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The repair. The inference may know more at a block's head than it can claim. The verifier starts each block from
 * the claims alone, so it may find less than the inference did: an exit that nothing takes seems possible, a number
 * has a wider range, two locations aren't known to be related. Widening, too, may stop before everything has settled.
 *
 * So the repair runs the verifier's own sweep on the finished proof, which shows the state on each edge. If the
 * claims of an edge's target don't contain that state, they are weakened. Ranges are joined (then rounded up, then
 * dropped, so that the repair ends). Groups are split as the state splits them. Distances are dropped. A location
 * that a loop doesn't count after all is taken off the loop's counted ones. The repair goes on until a whole sweep
 * changes nothing. Mostly the first sweep changes nothing, and the proof stays as it is.
 *
 * The claims are changed in the memory of the verifier's reader, and the proof is written anew from there.
 */
#include "weaken.h"

#include <stdlib.h>
#include <string.h>

#include "verifier/check/check.h"
#include "encode.h"

enum {
	MAX_SWEEPS = 48,
	MAX_TIMES = 8, /* that what was written is read and repaired again */
	JOINS = 2,     /* of one claim, before its bounds are rounded */
	ROUNDS = 5,    /* and before they are dropped */
};

struct repair {
	const struct wv_module *m;
	struct wv_check check;
	struct wv_facts *own; /* by claim: its facts once they are changed */
	uint8_t *times;       /* by claim: how often they were */
	uint8_t *doomed;      /* by ghost: its location is not counted after all */
	uint8_t *splits;      /* struct code */
	struct effort *effort;
	const struct wv_function *f;
	const struct wv_block *block;
	const struct wv_ctx *ctx;
	uint32_t from;
	size_t failed, unranked; /* in this sweep: claims that don't hold, and loops that nothing bounds */
	bool misshapen, changed, stuck, split, repaired;
};

/* ---- facts ---- */

static struct wv_facts *own_facts(struct repair *r, struct wv_claim *c)
{
	struct wv_facts *own = &r->own[c - r->check.proof.claims];
	if (c->facts != own)
		*own = *c->facts;
	c->facts = own;
	r->changed = true;
	return own;
}

static void set_number(struct wv_facts *f, const struct wv_num *n)
{
	struct wv_num from = f->width == 32 ? wv_num_range(0, UINT32_MAX) : wv_num_any();
	uint16_t which = needed_facts(n, &from);
	f->n = *n;
	if (!settle_read(f, which)) {
		which = 0;
		f->n = from;
	}
	f->which = (uint16_t)((f->which & (WV_FACT_WIDTH | WV_FACT_GROUP | WV_FACT_GHOST)) | which);
}

static uint64_t round_up(uint64_t v, unsigned bits)
{
	static const unsigned ends[] = {8, 16, 31, 32, 63};
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		if (ends[i] < bits && v < UINT64_C(1) << ends[i])
			return (UINT64_C(1) << ends[i]) - 1;
	}
	return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/*
 * The bounds of `n` that are looser than in `old`, rounded to the ends of the usual types; of what else they share
 * nothing stays but low bits.
 */
static struct wv_num rounded_num(const struct wv_num *n, const struct wv_num *old)
{
	struct wv_num w = *n;
	unsigned low = ~n->known ? (unsigned)__builtin_ctzll(~n->known) : 63;
	w.known &= (UINT64_C(1) << low) - 1;
	w.bits &= w.known;
	if (n->umin < old->umin)
		w.umin = 0;
	if (n->umax > old->umax)
		w.umax = round_up(n->umax, 64);
	if (n->smin < old->smin)
		w.smin = n->smin < 0 ? ~(int64_t)round_up(~(uint64_t)n->smin, 63) : 0;
	if (n->smax > old->smax)
		w.smax = n->smax < 0 ? -1 : (int64_t)round_up((uint64_t)n->smax, 63);
	if (n->lumin < old->lumin)
		w.lumin = 0;
	if (n->lumax > old->lumax)
		w.lumax = (uint32_t)round_up(n->lumax, 32);
	if (n->lsmin < old->lsmin)
		w.lsmin = n->lsmin < 0 ? ~(int32_t)round_up(~(uint32_t)n->lsmin, 31) : 0;
	if (n->lsmax > old->lsmax)
		w.lsmax = n->lsmax < 0 ? -1 : (int32_t)round_up((uint32_t)n->lsmax, 31);
	return wv_num_sync(&w) ? w : wv_num_any();
}

/* The claim's number becomes one that `n` is within, too. */
static void claim_widen(struct repair *r, struct wv_claim *c, const struct wv_num *n)
{
	struct wv_facts *f = own_facts(r, c);
	uint8_t *times = &r->times[c - r->check.proof.claims];
	struct wv_num any = f->width == 32 ? wv_num_range(0, UINT32_MAX) : wv_num_any(), joined = wv_num_join(&f->n, n);
	if (*times >= JOINS)
		joined = rounded_num(&joined, &f->n);
	if (*times >= ROUNDS || !wv_num_within(n, &joined))
		joined = any;
	*times += *times < ROUNDS;
	set_number(f, &joined);
	if (wv_num_within(n, &f->n))
		return;
	joined = wv_num_range(joined.umin, joined.umax); /* fewer views have less to settle */
	set_number(f, &joined);
	if (!wv_num_within(n, &f->n))
		set_number(f, &any);
}

static void forget_identity(struct repair *r, struct wv_claim *c)
{
	own_facts(r, c)->which &= (uint16_t)~(WV_FACT_GROUP | WV_FACT_GHOST);
}

/* ---- one claim ---- */

/* Does the claim hold, but for its identity? */
static bool holds_plainly(const struct wv_claim *c, const struct wv_state *st)
{
	struct wv_claim plain = *c;
	struct wv_facts facts = *c->facts;
	if (c->loc.slot > st->n_slots &&
		(c->kind == WV_CLAIM_NUMBER || c->kind == WV_CLAIM_POINTER || c->kind == WV_CLAIM_SAVED))
		return false;
	facts.which &= (uint16_t)~(WV_FACT_GROUP | WV_FACT_GHOST);
	plain.facts = &facts;
	return wv_claim_holds(&plain, st);
}

static void claim_drop(struct repair *r, struct wv_claim *c, const struct wv_state *st)
{
	c->kind = WV_CLAIM_UNINIT;
	c->facts = r->check.proof.facts; /* none */
	c->mask = c->loc.slot && c->loc.slot <= st->n_slots ? st->slot[c->loc.slot - 1].init : 0;
	if (c->mask)
		c->kind = WV_CLAIM_BYTES;
	r->changed = true;
}

/* All that is left is that a number is there. */
static void forget_kind(struct repair *r, struct wv_claim *c)
{
	struct wv_num any = wv_num_any();
	struct wv_facts *f = own_facts(r, c);
	c->kind = WV_CLAIM_NUMBER;
	f->which = 0;
	f->width = 64;
	set_number(f, &any);
}

static void weaken_register(struct repair *r, struct wv_claim *c, const struct wv_state *st)
{
	const struct wv_val *v = &st->reg[c->loc.reg];
	bool number = c->kind == WV_CLAIM_NUMBER;
	if (v->kind == WV_UNINIT || v->kind == WV_SAVED || (!number && c->kind != WV_CLAIM_POINTER)) {
		claim_drop(r, c, st);
	} else if (v->kind == WV_NUM && number) {
		if (v->init < c->facts->width) {
			struct wv_facts *f = own_facts(r, c);
			f->width = v->init;
			f->which = (uint16_t)((f->which | WV_FACT_WIDTH) & ~(WV_FACT_GROUP | WV_FACT_GHOST));
		}
		if (!wv_num_within(&v->n, &c->facts->n))
			claim_widen(r, c, &v->n);
	} else if (v->kind == WV_PTR && !number && v->region == c->region) {
		claim_widen(r, c, &v->n);
	} else if (v->kind == WV_PTR || v->init == 64) {
		forget_kind(r, c);
	} else {
		claim_drop(r, c, st);
	}
}

static void weaken_slot(struct repair *r, struct wv_claim *c, const struct wv_state *st)
{
	const struct wv_slot *s = c->loc.slot <= st->n_slots ? &st->slot[c->loc.slot - 1] : NULL;
	bool number = c->kind == WV_CLAIM_NUMBER && s && s->width && s->v.kind == WV_NUM;
	if (number && c->facts->width == 32 && s->v.init == 64) {
		struct wv_num low = wv_num_zext(&s->v.n, 32);
		claim_widen(r, c, &low);
	} else if (number && s->width == 8 && s->v.init == 64) {
		claim_widen(r, c, &s->v.n);
	} else if (c->kind == WV_CLAIM_POINTER && s && s->width == 8 && s->v.kind == WV_PTR &&
		   s->v.region == c->region) {
		claim_widen(r, c, &s->v.n);
	} else {
		claim_drop(r, c, st);
	}
}

/* ---- identities ---- */

/*
 * A group of the block, as the state has it: its members came with one symbol and the same constant more than is
 * claimed.
 */
struct part {
	uint32_t group, sym, members, to;
	uint64_t add;
};

struct parts {
	struct part v[WV_MAX_CLAIMS];
	uint32_t n, of[WV_MAX_CLAIMS]; /* by claim of the block: its part, or NONE */
};
enum { NONE = 0xffffffff };

static uint32_t part_of(struct parts *p, uint32_t group, uint32_t sym, uint64_t add)
{
	uint32_t i = 0;
	while (i < p->n && (p->v[i].group != group || p->v[i].sym != sym || p->v[i].add != add))
		i++;
	if (i == p->n)
		p->v[p->n++] = (struct part){group, sym, 0, 0, add};
	p->v[i].members++;
	return i;
}

/* Split the groups of the block as the state does. What has lost all that it was related to is in no group. */
static void split_groups(struct repair *r, struct wv_block *b, const struct wv_state *st)
{
	static _Thread_local struct parts p;
	uint32_t groups = 0;
	p.n = 0;
	for (uint32_t i = 0; i < b->n_claims; i++) {
		const struct wv_claim *c = &b->claims[i];
		const struct wv_val *v = wv_rank_value(st, &c->loc);
		p.of[i] = NONE;
		if (c->facts->which & WV_FACT_GROUP)
			p.of[i] = part_of(&p, c->facts->of, v ? v->sym : 0, v ? v->add - c->facts->add : i);
	}
	for (uint32_t i = 0; i < p.n; i++)
		p.v[i].to = p.v[i].members > 1 && p.v[i].sym ? groups++ : NONE;
	for (uint32_t i = 0; i < b->n_claims; i++) {
		struct wv_claim *c = (struct wv_claim *)&b->claims[i];
		uint32_t to = p.of[i] == NONE ? NONE : p.v[p.of[i]].to;
		if (p.of[i] == NONE || to == c->facts->of)
			continue;
		if (to == NONE)
			forget_identity(r, c);
		else
			own_facts(r, c)->of = to;
	}
	b->n_groups = groups;
}

/* Ghosts that don't hold. */
static void drop_ghosts(struct repair *r, struct wv_block *b, const struct wv_state *st)
{
	for (uint32_t i = 0; i < b->n_claims; i++) {
		struct wv_claim *c = (struct wv_claim *)&b->claims[i];
		const struct wv_val *v = wv_rank_value(st, &c->loc);
		if ((c->facts->which & WV_FACT_GHOST) && !(v && v->sym == c->facts->of + 1 && v->add == c->facts->add))
			forget_identity(r, c);
	}
}

/* ---- edges ---- */

/* The counted ghost of which the location is that of the claim, at the head of its loop; or NONE. */
static uint32_t counted_at(const struct wv_function *f, uint32_t head, const struct wv_claim *c)
{
	uint32_t loop = f->blocks[head].loop;
	if (loop == WV_NO_LOOP || f->loops[loop].head != head)
		return NONE;
	for (uint32_t g = f->loops[loop].first_ghost + 1; g < f->loops[loop].first_ghost + f->loops[loop].n_ghosts;
		g++) {
		if (f->ghosts[g].loc.reg == c->loc.reg && f->ghosts[g].loc.slot == c->loc.slot)
			return g;
	}
	return NONE;
}

/* The location has moved by its stride since the head. */
static bool is_counted(const struct wv_function *f, uint32_t ghost, const struct wv_claim *c, const struct wv_state *st)
{
	const struct wv_val *v = wv_rank_value(st, &c->loc);
	return v && wv_rank_bits(st, &c->loc) == 64 && v->kind == (c->kind == WV_CLAIM_POINTER ? WV_PTR : WV_NUM) &&
	       (v->kind != WV_PTR || v->region == c->region) && (v->kind != WV_NUM || v->init == 64) &&
	       v->sym == ghost + 1 && v->add == (uint64_t)f->ghosts[ghost].stride;
}

static void drop_distances(struct repair *r, struct wv_block *b, const struct wv_state *st)
{
	struct wv_distance_claim *d = (struct wv_distance_claim *)b->distances;
	uint32_t n = 0;
	for (uint32_t i = 0; i < b->n_distances; i++) {
		const struct wv_val *x = wv_rank_value(st, &d[i].a), *y = wv_rank_value(st, &d[i].b);
		struct wv_num has = wv_num_any();
		bool ends = x && y &&
			    (d[i].mixed ? x->kind == WV_NUM && y->kind == WV_PTR
					: x->kind == y->kind &&
						    (x->kind == WV_NUM || (d[i].scale == 1 && x->region == y->region)));
		if (ends)
			has = wv_state_distance(st, x, d[i].scale, y);
		if (wv_num_within(&has, &d[i].facts->n))
			d[n++] = d[i];
	}
	r->changed |= n != b->n_distances;
	b->n_distances = n;
}

static void block_weaken(struct repair *r, uint32_t to, const struct wv_state *st, bool back)
{
	struct wv_block *b = &r->f->blocks[to];
	uint16_t xmm = b->xmm & wv_state_xmm(st);
	r->changed |= xmm != b->xmm;
	b->xmm = xmm;
	for (uint32_t i = 0; i < b->n_claims; i++) {
		struct wv_claim *c = (struct wv_claim *)&b->claims[i];
		uint32_t ghost = back ? counted_at(r->f, to, c) : NONE;
		if (ghost != NONE) {
			uint8_t *doomed = &r->doomed[r->f->ghosts - r->check.proof.ghosts + ghost];
			if (!*doomed && is_counted(r->f, ghost, c, st))
				continue;
			r->changed = true;
			*doomed = 1;
		}
		if (holds_plainly(c, st))
			continue;
		if (c->loc.slot)
			weaken_slot(r, c, st);
		else
			weaken_register(r, c, st);
	}
	drop_ghosts(r, b, st);
	split_groups(r, b, st);
	drop_distances(r, b, st);
}

static void block_enter(void *user, const struct wv_function *f, const struct wv_block *b, const struct wv_ctx *ctx,
	const struct wv_state *st)
{
	struct repair *r = user;
	(void)st;
	r->f = f;
	r->block = b;
	r->ctx = ctx;
	r->from = (uint32_t)(b - f->blocks);
}

static void edge_weaken(void *user, uint64_t pc, const struct wv_block *to, const struct wv_state *st, bool feasible)
{
	struct repair *r = user;
	uint32_t index = (uint32_t)(to - r->f->blocks);
	bool back = index <= r->from;
	char why[1];
	(void)pc;
	effort_spend(r->effort, UNITS_PER_STATE + 2 * (uint64_t)to->n_claims);
	if (!feasible || wv_claims_contain(r->f, index, st, back, why, sizeof why))
		return;
	bool before = r->changed;
	r->changed = false;
	if (index != 0 && st->depth == to->depth)
		block_weaken(r, index, st, back);
	r->stuck |= !r->changed;
	r->changed |= before;
}

/*
 * Something is wrong at `at`, where control never comes: behind the last branch before it that is always taken a block
 * can start.
 */
static void split_before(struct repair *r, uint64_t at)
{
	while (at > r->block->addr && r->splits[at] != SPLIT_MAY)
		at--;
	if (r->splits[at] != SPLIT_MAY)
		return;
	r->splits[at] = SPLIT;
	r->split = true;
}

/* What is returned is not as claimed: nothing is claimed of it any more, and callers do without. */
static void returns_weaken(
	struct wv_sink *sink, enum ward_rule rule, uint64_t pc, const char *reason, const char *detail)
{
	struct repair *r = sink->user;
	uint64_t at = pc - r->m->text.addr;
	(void)detail;
	if (r->block && r->ctx->dead && at < r->m->text_bytes.n)
		split_before(r, at);
	r->failed += rule == WARD_RULE_EDGE;
	r->unranked += rule == WARD_RULE_RANK;
	r->misshapen |= rule == WARD_RULE_STRUCTURE || rule == WARD_RULE_RECURSION;
	if (r->f && strcmp(reason, "result-not-as-claimed") == 0) {
		struct wv_function *f = (struct wv_function *)r->f;
		r->changed |= f->n_results != 0;
		f->n_results = 0;
	}
}

/* ---- ghosts ---- */

/* Take ghost `g` out: those behind it move up, and what was claimed by it is claimed no more. */
static void remove_ghost(struct repair *r, struct wv_function *f, uint32_t g)
{
	uint8_t *doomed = &r->doomed[f->ghosts - r->check.proof.ghosts];
	f->loops[f->ghosts[g].loop].n_ghosts--;
	for (uint32_t l = f->ghosts[g].loop + 1; l < f->n_loops; l++)
		f->loops[l].first_ghost--;
	f->n_ghosts--;
	for (uint32_t i = g; i < f->n_ghosts; i++) {
		f->ghosts[i] = f->ghosts[i + 1];
		doomed[i] = doomed[i + 1];
	}
	doomed[f->n_ghosts] = 0;
	effort_spend(r->effort, f->n_loops + f->n_ghosts);
	for (uint32_t k = 0; k < f->n_blocks; k++) {
		effort_spend(r->effort, 1 + f->blocks[k].n_claims);
		for (uint32_t i = 0; i < f->blocks[k].n_claims; i++) {
			struct wv_claim *c = (struct wv_claim *)&f->blocks[k].claims[i];
			if (!(c->facts->which & WV_FACT_GHOST) || c->facts->of < g)
				continue;
			if (c->facts->of == g)
				forget_identity(r, c);
			else
				own_facts(r, c)->of--;
		}
	}
}

static void remove_doomed(struct repair *r)
{
	for (uint32_t i = 0; i < r->check.proof.n_functions; i++) {
		struct wv_function *f = &r->check.proof.functions[i];
		for (uint32_t g = f->n_ghosts; g-- > 0 && !r->effort->too_long;) {
			if (r->doomed[f->ghosts - r->check.proof.ghosts + g])
				remove_ghost(r, f, g);
		}
	}
}

/* ---- the whole ---- */

static void proof_sweep(struct repair *r, void *arena)
{
	r->failed = r->unranked = 0;
	r->changed = false;
	wv_check_init(&r->check, arena);
	wv_sweep(&r->check);
	effort_spend(r->effort, units_of(wv_steps(&r->check)));
}

/*
 * Sweep and weaken until nothing changes. False: everything holds as it is; or the repair doesn't end, something
 * can't be weakened, or a loop would lose its bound. There is nothing to gain if the blocks are in no order that a
 * proof may have.
 */
static bool settle_claims(struct repair *r, void *arena)
{
	const struct wv_watcher watcher = {.enter = block_enter, .edge = edge_weaken, .user = r},
				first = {.enter = block_enter, .user = r};
	r->check.watcher = &first;
	proof_sweep(r, arena);
	size_t unranked = r->unranked;
	if (!r->failed || r->misshapen || r->split)
		return false;
	r->check.watcher = &watcher;
	for (int i = 0; i < MAX_SWEEPS && !r->effort->too_long; i++) {
		proof_sweep(r, arena);
		if (!r->changed || r->stuck)
			break;
		remove_doomed(r);
	}
	return !r->changed && !r->stuck && !r->effort->too_long && r->unranked <= unranked;
}

static bool repair_parsed(struct repair *r, void *arena, struct bytes *rest)
{
	size_t n = r->m->proof.n; /* more than there are claims, or ghosts */
	bool ok;
	r->own = malloc(n * sizeof *r->own);
	r->times = calloc(n, 1);
	r->doomed = calloc(n, 1);
	ok = r->own && r->times && r->doomed;
	r->repaired = ok && settle_claims(r, arena);
	r->check.watcher = NULL;
	if (r->repaired) {
		rest->n = 0;
		put_proof(rest, &r->check.proof);
	}
	free(r->own);
	free(r->times);
	free(r->doomed);
	return ok && !rest->failed;
}

/*
 * Once. What a loop counts is known from the range of what ranks it, as the proof is read: where that range is another
 * now, so is the proof that is read next.
 */
static bool repair_once(const struct wv_module *m, struct effort *effort, struct bytes *rest, uint8_t *splits,
	bool *split, bool *repaired)
{
	struct wv_module with = *m;
	struct wv_sink sink = {.report = returns_weaken};
	struct repair r = {.m = &with,
		.splits = splits,
		.effort = effort,
		.check = {.module = &with, .sink = &sink, .max_insns = UINT64_MAX, .max_stack = WARD_STACK_CEILING}};
	uint8_t *proof, *arena;
	size_t size, used;
	sink.user = &r;
	if (!seal_proof(m, rest, &proof, &size))
		return false;
	with.proof = (struct wv_bytes){proof, size};
	used = (wv_proof_arena(&with) + 15) & ~(size_t)15;
	arena = malloc(used + wv_check_arena(&with));
	bool ok = arena &&
		  (!wv_proof_parse(&r.check.proof, &with, arena, &sink) || repair_parsed(&r, arena + used, rest));
	*split = r.split;
	*repaired = r.repaired;
	free(arena);
	free(proof);
	return ok;
}

bool repair_claims(const struct wv_module *m, struct effort *effort, struct bytes *rest, uint8_t *splits, bool *split)
{
	bool ok = true, repaired = true;
	for (int i = 0; ok && repaired && i < MAX_TIMES; i++)
		ok = repair_once(m, effort, rest, splits, split, &repaired) && !effort->too_long;
	return ok;
}
