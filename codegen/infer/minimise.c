/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pruning. The inference claims what it knows, and most of that is never needed: registers that are written
 * before they are read, ranges that bound no access. The verifier reads a proof, believes it, and checks it again at
 * each edge, so each needless claim costs the verifier time, and the module bytes.
 *
 * The pruning finds by trial what a block needs. It sweeps the block with all of its claims, then with fewer: first
 * without many claims at once, then without few, at last without single facts. What makes a difference stays. A
 * difference is a violation, an exit that is taken or no longer taken, or a path that costs more; so the verdict
 * keeps all of its figures.
 *
 * A block must also keep what its targets claim. So needs are found from the end. At first no block needs anything.
 * Blocks are tried, last ones first, against what their targets need so far; their needs are added, until nothing
 * more is added. A claim that a loop only passes on to itself is needed by no access, so it is never added. Only the
 * claims that rank a loop are always needed.
 *
 * The claims are changed in the memory of the verifier's reader, and the proof is written anew from there.
 */
#include "minimise.h"

#include <stdlib.h>
#include <string.h>

#include "verifier/check/check.h"
#include "encode.h"

enum {
	EXISTS = 0x8000, /* beside the bits of WV_ALL_FACTS: the claim itself */
	DROPPABLE = WV_ALL_FACTS & ~WV_FACT_WIDTH,
	STEPS = 512, /* instructions that may be stepped over, for each of a function's; then what is there stays, */
	FUNCTION_UNITS = 4000000, /* and so it does in a function on which more is spent than so much, */
	INSN_UNITS = 8000,        /* and so much for each of its instructions */
	MOST_PARTS = WV_MAX_CLAIMS * 9 + WV_MAX_DISTANCES + 1,
};

/* What of a block is claimed: of each claim EXISTS and facts; masks of the distances and of the xmm registers. */
struct choice {
	uint16_t *which;
	uint16_t distances, xmm;
};

/* A block as it was inferred, and how far it is known what it needs. */
struct span {
	uint32_t claims, n_claims, distances, n_distances; /* in those of the proof */
	uint32_t n_kept, n_kept_distances;
	uint32_t events, n_events, n_insns;
	uint32_t tried, grew; /* when it was tried last, and when it needed more */
	uint16_t xmm;
	struct choice needed;
};

/* One block with some of its claims. */
struct trial {
	struct wv_claim claims[WV_MAX_CLAIMS];
	struct wv_facts facts[WV_MAX_CLAIMS];
	struct wv_distance_claim distances[WV_MAX_DISTANCES];
	uint16_t which[WV_MAX_CLAIMS];
	struct choice choice;
	struct wv_function before; /* what the sweep noted with all of the claims, */
	size_t n_events;
	struct wv_event_record *events; /* and what left the block */
};

/*
 * What may be left out at once: facts of a claim, or with none a distance, or after the last of these the xmm
 * registers.
 */
struct part {
	uint16_t of, which;
};

struct prune {
	struct wv_module module;
	struct wv_check check;
	struct wv_sink sink;
	struct wv_watcher watcher;
	size_t table_edges;
	uint64_t table_entries;
	/* As they were inferred; the proof itself holds the needed ones. */
	struct wv_claim *claims;
	struct wv_distance_claim *distances;
	struct wv_event_record *events;
	size_t n_events;
	bool *called; /* by function */
	struct span *spans;
	uint16_t *needed;       /* by claim: the spans' choices */
	struct wv_facts *facts; /* by claim: those that are needed */
	struct trial *trial;
	struct part parts[MOST_PARTS];
	size_t n_parts;
	struct wv_block *block; /* that is tried */
	uint32_t now;
	uint64_t limit;       /* of instructions stepped over */
	uint64_t units;       /* that may still be spent on functions; and */
	struct effort effort; /* what is left for this one */
};

static struct span *span_of(struct prune *p, const struct wv_block *b)
{
	return &p->spans[b - p->check.proof.blocks];
}

/* ---- claims ---- */

static const uint16_t callee_saved =
	1u << WV_RBX | 1u << WV_RBP | 1u << WV_R12 | 1u << WV_R13 | 1u << WV_R14 | 1u << WV_R15;

static uint16_t all_of(const struct wv_claim *c)
{
	if (c->kind == WV_CLAIM_UNINIT)
		return 0;
	return c->kind == WV_CLAIM_NUMBER || c->kind == WV_CLAIM_POINTER ? EXISTS | c->facts->which : EXISTS;
}

/* Just so much of the claim. Its facts have room at `facts`. False: that is as good as no claim. */
static bool cut_claim(const struct wv_claim *c, uint16_t which, struct wv_claim *to, struct wv_facts *facts,
	const struct wv_facts *none)
{
	*to = *c;
	if (!(which & EXISTS)) {
		*to = (struct wv_claim){.loc = c->loc, .kind = WV_CLAIM_UNINIT, .facts = none};
		return !c->loc.slot && (callee_saved >> c->loc.reg & 1);
	}
	if (which == all_of(c))
		return true;
	*facts = *c->facts;
	if (settle_read(facts, which)) {
		facts->which = which & WV_ALL_FACTS;
		to->facts = facts;
	}
	return true;
}

static uint32_t cut_claims(const struct prune *p, const struct span *s, const struct choice *choice,
	struct wv_claim *to, struct wv_facts *facts)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_claims; i++)
		n += cut_claim(&p->claims[s->claims + i], choice->which[i], &to[n], &facts[i], p->check.proof.facts);
	return n;
}

static uint32_t cut_distances(
	const struct prune *p, const struct span *s, const struct choice *choice, struct wv_distance_claim *to)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_distances; i++) {
		if (choice->distances >> i & 1)
			to[n++] = p->distances[s->distances + i];
	}
	return n;
}

/* What the block needs, as far as that is known, goes into the proof. */
static void put_needed(struct prune *p, const struct wv_function *f, struct wv_block *b)
{
	struct span *s = span_of(p, b);
	s->n_kept = cut_claims(p, s, &s->needed, &p->check.proof.claims[s->claims], &p->facts[s->claims]);
	s->n_kept_distances = cut_distances(p, s, &s->needed, &p->check.proof.distances[s->distances]);
	b->claims = &p->check.proof.claims[s->claims];
	b->distances = &p->check.proof.distances[s->distances];
	b->n_claims = (uint16_t)s->n_kept;
	b->n_distances = (uint16_t)s->n_kept_distances;
	b->xmm = s->needed.xmm;
	if (b->loop != WV_NO_LOOP && f->blocks + f->loops[b->loop].head == b)
		wv_rank_loop(f, &f->loops[b->loop]);
}

/* ---- trying ---- */

/*
 * The block has been entered with the claims on trial. As an exit's target, which it may be itself, it has the claims
 * that it needs.
 */
static void block_entered(void *user, const struct wv_function *f, const struct wv_block *b, const struct wv_ctx *ctx,
	const struct wv_state *st)
{
	struct prune *p = user;
	const struct span *s = span_of(p, b);
	(void)f, (void)ctx, (void)st;
	p->block->claims = &p->check.proof.claims[s->claims];
	p->block->distances = &p->check.proof.distances[s->distances];
	p->block->n_claims = (uint16_t)s->n_kept;
	p->block->n_distances = (uint16_t)s->n_kept_distances;
	p->block->xmm = s->needed.xmm;
}

/* What is noted of a function while it is swept. */
static void forget_notes(struct wv_function *f)
{
	f->stack_bytes = f->written = 0;
	f->event_fields = 0;
	f->writes_state = f->aligned = false;
	f->imports = 0;
	f->needs = 0;
}

/* Sweep the block with what is chosen. False: a violation. */
static bool try_choice(struct prune *p, struct wv_function *f, struct wv_block *b)
{
	struct trial *t = p->trial;
	const struct span *s = span_of(p, b);
	size_t before = p->sink.count;
	b->n_claims = (uint16_t)cut_claims(p, s, &t->choice, t->claims, t->facts);
	b->n_distances = (uint16_t)cut_distances(p, s, &t->choice, t->distances);
	b->claims = t->claims;
	b->distances = t->distances;
	b->xmm = t->choice.xmm;
	p->block = b;
	p->check.n_events = 0;
	p->check.table_edges = p->table_edges;
	p->check.table_entries = p->table_entries;
	forget_notes(f);
	uint64_t steps = wv_steps(&p->check);
	wv_sweep_block(&p->check, b);
	effort_spend(&p->effort, UNITS_PER_STATE + s->n_claims + units_of(wv_steps(&p->check) - steps));
	return p->sink.count == before;
}

/* Is all as it was with all of the claims? */
static bool same_outcome(const struct prune *p, const struct wv_function *f)
{
	const struct trial *t = p->trial;
	const struct wv_function *g = &t->before;
	return p->check.n_events == t->n_events &&
	       memcmp(p->check.events, t->events, t->n_events * sizeof *t->events) == 0 &&
	       f->stack_bytes == g->stack_bytes && f->written == g->written && f->event_fields == g->event_fields &&
	       f->writes_state == g->writes_state && f->aligned == g->aligned && f->imports == g->imports &&
	       f->needs == g->needs;
}

static void take_out(struct trial *t, const struct part *part)
{
	if (part->which)
		t->choice.which[part->of] &= (uint16_t)~part->which;
	else if (part->of < WV_MAX_DISTANCES)
		t->choice.distances &= (uint16_t)~(1u << part->of);
	else
		t->choice.xmm = 0;
}

/*
 * Leave out as many of the listed parts as can be: many at once, then fewer. Those that must stay remain in the list.
 */
static void thin_out(struct prune *p, struct wv_function *f, struct wv_block *b)
{
	uint16_t which[WV_MAX_CLAIMS];
	struct trial *t = p->trial;
	for (size_t size = p->n_parts; size; size = size == 1 ? 0 : (size + 1) / 2) {
		size_t left = 0;
		for (size_t i = 0; i < p->n_parts; i += size) {
			size_t n = i + size < p->n_parts ? size : p->n_parts - i;
			struct choice before = t->choice;
			memcpy(which, t->which, sizeof which);
			for (size_t k = i; k < i + n; k++)
				take_out(t, &p->parts[k]);
			if (p->check.n_insns < p->limit && !p->effort.too_long && try_choice(p, f, b) &&
				same_outcome(p, f))
				continue;
			memcpy(t->which, which, sizeof which);
			t->choice = before;
			memmove(&p->parts[left], &p->parts[i], n * sizeof *p->parts);
			left += n;
		}
		p->n_parts = left;
	}
}

static void list_claim(struct prune *p, size_t of, uint16_t which)
{
	p->parts[p->n_parts++] = (struct part){(uint16_t)of, which};
}

/* Whole claims that aren't known to be needed, distances, and the xmm registers. */
static void list_claims(struct prune *p, const struct span *s)
{
	p->n_parts = 0;
	for (uint32_t i = 0; i < s->n_claims; i++) {
		if (p->trial->which[i] && !s->needed.which[i])
			list_claim(p, i, p->trial->which[i]);
	}
	for (uint32_t i = 0; i < s->n_distances; i++) {
		if (!(s->needed.distances >> i & 1))
			list_claim(p, i, 0);
	}
	if (s->xmm && !s->needed.xmm)
		list_claim(p, WV_MAX_DISTANCES, 0);
}

static void list_facts(struct prune *p, const struct span *s)
{
	p->n_parts = 0;
	for (uint32_t i = 0; i < s->n_claims; i++) {
		for (unsigned left = p->trial->which[i] & DROPPABLE & ~s->needed.which[i]; left; left &= left - 1)
			list_claim(p, i, (uint16_t)(left & -left));
	}
}

/* More is needed of the block than was known before. */
static bool add_needed(struct span *s, const struct choice *c)
{
	bool grew = (c->distances & ~s->needed.distances) || (c->xmm & ~s->needed.xmm);
	for (uint32_t i = 0; i < s->n_claims; i++) {
		grew |= (c->which[i] & ~s->needed.which[i]) != 0;
		s->needed.which[i] |= c->which[i];
	}
	s->needed.distances |= c->distances;
	s->needed.xmm |= c->xmm;
	return grew;
}

/* Find what the block needs, so that what its targets need holds. True: more than before. */
static bool look_at(struct prune *p, struct wv_function *f, struct wv_block *b)
{
	struct trial *t = p->trial;
	struct span *s = span_of(p, b);
	t->choice = (struct choice){t->which, (uint16_t)((1u << s->n_distances) - 1), s->xmm};
	for (uint32_t i = 0; i < s->n_claims; i++)
		t->which[i] = all_of(&p->claims[s->claims + i]);
	if (try_choice(p, f, b)) {
		t->before = *f;
		t->n_events = p->check.n_events;
		memcpy(t->events, p->check.events, t->n_events * sizeof *t->events);
		list_claims(p, s);
		thin_out(p, f, b);
		list_facts(p, s);
		thin_out(p, f, b);
	}
	bool grew = add_needed(s, &t->choice);
	put_needed(p, f, b);
	return grew;
}

/* ---- functions ---- */

/* Does a block that this one leads to need more than when this one was tried? */
static bool is_due(const struct prune *p, const struct wv_function *f, const struct wv_block *b)
{
	const struct span *s = &p->spans[b - p->check.proof.blocks],
			  *first = &p->spans[f->blocks - p->check.proof.blocks];
	bool due = !s->tried;
	for (const struct wv_event_record *e = p->events + s->events; e < p->events + s->events + s->n_events; e++)
		due |= e->kind == WV_EDGE && first[e->to].grew > s->tried;
	return due;
}

/* Nothing is left out of the function. */
static void need_all(struct prune *p, struct wv_function *f)
{
	for (struct wv_block *b = f->blocks; b < f->blocks + f->n_blocks; b++) {
		struct span *s = span_of(p, b);
		for (uint32_t i = 0; i < s->n_claims; i++)
			s->needed.which[i] = all_of(&p->claims[s->claims + i]);
		s->needed.distances = (uint16_t)((1u << s->n_distances) - 1);
		s->needed.xmm = s->xmm;
		put_needed(p, f, b);
	}
}

/* Try those blocks that are due. False: none was. */
static bool prune_blocks(struct prune *p, struct wv_function *f)
{
	bool some = false;
	for (uint32_t i = f->n_blocks; i-- > 0 && !p->effort.too_long;) {
		struct wv_block *b = &f->blocks[i];
		effort_spend(&p->effort, 1 + span_of(p, b)->n_events / 4);
		if (!is_due(p, f, b))
			continue;
		some = true;
		span_of(p, b)->tried = ++p->now;
		if (look_at(p, f, b))
			span_of(p, b)->grew = ++p->now;
	}
	return some;
}

static void prune_function(struct prune *p, struct wv_function *f)
{
	const struct span *first = span_of(p, f->blocks);
	uint64_t n_insns = 0, most;
	for (uint32_t i = 0; i < f->n_blocks; i++)
		n_insns += first[i].n_insns;
	p->limit = p->check.n_insns + n_insns * STEPS;
	most = FUNCTION_UNITS + n_insns * INSN_UNITS;
	most = most < p->units ? most : p->units;
	p->effort = (struct effort){.units = most};
	while (prune_blocks(p, f) && !p->effort.too_long)
		;
	p->units -= most - p->effort.units;
	if (p->effort.too_long)
		need_all(p, f);
}

/* What ranks a loop bounds the cost, and so is needed as it is. */
static void need_rank(struct prune *p, const struct wv_function *f, const struct wv_loop *l)
{
	struct span *s = span_of(p, &f->blocks[l->head]);
	for (uint32_t i = 0; i < s->n_claims; i++) {
		const struct wv_claim *c = &p->claims[s->claims + i];
		if (c->loc.reg == l->rank.reg && c->loc.slot == l->rank.slot)
			s->needed.which[i] = all_of(c) & (uint16_t)~(WV_FACT_GROUP | WV_FACT_GHOST | WV_FACT_LEAD);
	}
}

/* ---- the whole ---- */

static void count_insn(void *user, const struct wv_insn *insn, const struct wv_ctx *ctx, const struct wv_state *st)
{
	struct prune *p = user;
	(void)insn, (void)ctx, (void)st;
	span_of(p, p->block)->n_insns++;
}

static void entered_first(void *user, const struct wv_function *f, const struct wv_block *b, const struct wv_ctx *ctx,
	const struct wv_state *st)
{
	struct prune *p = user;
	(void)f, (void)ctx, (void)st;
	p->block = &p->check.proof.blocks[b - p->check.proof.blocks];
}

/* How all is to stay. */
static bool first_sweep(struct prune *p)
{
	p->watcher = (struct wv_watcher){.enter = entered_first, .before = count_insn, .user = p};
	p->table_edges = p->check.table_edges;
	p->table_entries = p->check.table_entries;
	wv_sweep(&p->check);
	if (p->sink.count)
		return false;
	p->n_events = p->check.n_events;
	memcpy(p->events, p->check.events, p->n_events * sizeof *p->events);
	for (uint32_t i = 0; i < p->check.proof.n_blocks; i++) {
		const struct wv_block *b = &p->check.proof.blocks[i];
		struct span *s = &p->spans[i];
		s->claims = (uint32_t)(b->claims - p->check.proof.claims);
		s->n_claims = b->n_claims;
		s->distances = (uint32_t)(b->distances - p->check.proof.distances);
		s->n_distances = b->n_distances;
		s->events = b->first_event;
		s->n_events = b->n_events;
		s->xmm = b->xmm;
		s->needed.which = &p->needed[s->claims];
		memcpy(&p->claims[s->claims], b->claims, b->n_claims * sizeof *b->claims);
		memcpy(&p->distances[s->distances], b->distances, b->n_distances * sizeof *b->distances);
	}
	return true;
}

/* The host doesn't use what an entry returns. */
static void drop_results(struct prune *p)
{
	struct wv_proof *proof = &p->check.proof;
	for (const struct wv_event_record *e = p->events; e < p->events + p->n_events; e++) {
		if (e->kind == WV_CALL_TO || e->kind == WV_TAIL_CALL)
			p->called[e->to] = true;
	}
	for (uint32_t i = 0; i < proof->n_functions; i++) {
		if (!p->called[i])
			proof->functions[i].n_results = 0;
	}
}

static void prune_functions(struct prune *p)
{
	struct wv_proof *proof = &p->check.proof;
	p->watcher = (struct wv_watcher){.enter = block_entered, .user = p};
	drop_results(p);
	for (uint32_t i = 0; i < proof->n_functions; i++) {
		for (uint32_t l = 0; l < proof->functions[i].n_loops; l++)
			need_rank(p, &proof->functions[i], &proof->functions[i].loops[l]);
		for (uint32_t b = 0; b < proof->functions[i].n_blocks; b++)
			put_needed(p, &proof->functions[i], &proof->functions[i].blocks[b]);
	}
	for (uint32_t i = 0; i < proof->n_functions; i++)
		prune_function(p, &proof->functions[i]);
}

static bool make_room(struct prune *p)
{
	size_t n = p->module.proof.n, n_events = wv_check_events(&p->module);
	size_t n_claims = n / 2 + 1, n_distances = n / 5 + 1; /* by their least sizes in the proof */
	p->claims = malloc(n_claims * sizeof *p->claims);
	p->distances = malloc(n_distances * sizeof *p->distances);
	p->called = calloc(p->check.proof.n_functions, sizeof *p->called);
	p->spans = calloc(p->check.proof.n_blocks, sizeof *p->spans);
	p->needed = calloc(n_claims, sizeof *p->needed);
	p->facts = malloc(n_claims * sizeof *p->facts);
	p->events = malloc(n_events * sizeof *p->events);
	p->trial = calloc(1, sizeof *p->trial);
	if (p->trial)
		p->trial->events = malloc(n_events * sizeof *p->events);
	return p->claims && p->distances && p->called && p->spans && p->needed && p->facts && p->events && p->trial &&
	       p->trial->events;
}

static void free_room(struct prune *p)
{
	free(p->claims);
	free(p->distances);
	free(p->called);
	free(p->spans);
	free(p->needed);
	free(p->facts);
	free(p->events);
	if (p->trial)
		free(p->trial->events);
	free(p->trial);
}

/* A module with a proof, parsed for the sweep. NULL in *arena: no memory. False: the proof is none. */
static bool proof_parse(
	struct wv_check *check, struct wv_module *with, const struct bytes *rest, uint8_t **proof, uint8_t **arena)
{
	size_t size, used;
	*arena = *proof = NULL;
	if (!seal_proof(with, rest, proof, &size))
		return false;
	with->proof = (struct wv_bytes){*proof, size};
	used = (wv_proof_arena(with) + 15) & ~(size_t)15;
	*arena = malloc(used + wv_check_arena(with));
	if (!*arena || !wv_proof_parse(&check->proof, with, *arena, check->sink))
		return false;
	wv_check_init(check, *arena + used);
	return true;
}

/* Is this a proof with which the sweep finds no fault? */
static bool is_proof(const struct wv_module *m, const struct bytes *rest)
{
	struct wv_module with = *m;
	struct wv_sink sink = {0};
	struct wv_check check = {
		.module = &with, .sink = &sink, .max_insns = UINT64_MAX, .max_stack = WARD_STACK_CEILING};
	uint8_t *proof, *arena;
	bool ok = proof_parse(&check, &with, rest, &proof, &arena);
	if (ok)
		wv_sweep(&check);
	free(arena);
	free(proof);
	return ok && sink.count == 0;
}

static bool prune_parsed(struct prune *p, struct bytes *rest)
{
	struct bytes less = {0};
	bool ok = make_room(p);
	if (ok && first_sweep(p)) {
		prune_functions(p);
		put_proof(&less, &p->check.proof);
		ok = !less.failed;
	}
	if (ok && less.n && less.n < rest->n && is_proof(p->check.module, &less)) {
		free(rest->p);
		*rest = less;
		less.p = NULL;
	}
	free(less.p);
	free_room(p);
	return ok;
}

bool prune_claims(const struct wv_module *m, uint64_t units, struct bytes *rest)
{
	struct prune *p = calloc(1, sizeof *p);
	uint8_t *proof, *arena;
	if (!p)
		return false;
	p->module = *m;
	p->units = units;
	p->check = (struct wv_check){.module = &p->module,
		.watcher = &p->watcher,
		.sink = &p->sink,
		.max_insns = UINT64_MAX,
		.max_stack = WARD_STACK_CEILING};
	bool ok = proof_parse(&p->check, &p->module, rest, &proof, &arena) ? prune_parsed(p, rest) : proof && arena;
	free(arena);
	free(proof);
	free(p);
	return ok;
}
