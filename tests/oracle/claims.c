/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims compared with states. If the verifier says that a block's claims contain a state (wv_claims_contain),
 * everything that it then assumes at the block (wv_claims_load) must be true of every machine in the state. So the
 * test draws a world, and claims that mostly fit its state and sometimes don't. If the claims are said to contain the
 * state, both machines must be in the loaded state.
 *
 * Before and after that, both machines run a few instructions and branches on registers that are related (relate.c).
 * So the claims are about facts that the verifier has found, and what it makes of claims must be true of where the
 * machines go.
 *
 * The block lies inside a loop with two ghosts, which are the world's first two symbols; so claims may relate
 * locations to them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "verifier/proof/proof.h"
#include "relate.h"

enum { TRIALS = 200000, GHOSTS = 2, BLOCK = 2, LEAST_CONTAINED = 20000, MOST_STEPS = 6 };

struct claims {
	struct draw *d;
	struct world *w;
	struct wv_state *loaded, *spare;
	struct walk_count walked;
	uint8_t bytes[1 << 16];
	size_t n, claims_end;
	struct wv_claim decoded[WV_MAX_CLAIMS];
	struct wv_distance_claim decoded_distances[WV_MAX_DISTANCES];
	struct wv_facts facts[WV_MAX_CLAIMS + WV_MAX_DISTANCES + 1];
	uint32_t count, distances;
	uint32_t group_of[WORLD_SYMBOLS]; /* symbol → group + 1 */
	uint32_t groups;
	unsigned lie_in; /* one fact in so many is a lie; 0: none */
	unsigned long lies;
};

/* ---- Writing a claim ---- */

static void put_byte(struct claims *c, uint64_t v)
{
	c->bytes[c->n++] = (uint8_t)v;
}

static void put_unsigned(struct claims *c, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(c, v | 0x80);
	put_byte(c, v);
}

static void put_signed(struct claims *c, int64_t v)
{
	for (; v < -64 || v > 63; v >>= 7)
		put_byte(c, (uint64_t)v | 0x80);
	put_byte(c, (uint64_t)v & 0x7f);
}

static bool lie(struct claims *c)
{
	bool yes = c->lie_in && draw_one_in(c->d, c->lie_in);
	c->lies += yes;
	return yes;
}

/* An end of an interval, moved outwards (or, as a lie, inwards). */
static uint64_t lower(struct claims *c, uint64_t v, uint64_t floor)
{
	uint64_t by = draw_one_in(c->d, 2) ? 0 : draw_below(c->d, 10);
	if (lie(c))
		return v + 1;
	return draw_one_in(c->d, 4) || by > v - floor ? floor : v - by;
}

static uint64_t upper(struct claims *c, uint64_t v, uint64_t ceiling)
{
	return ceiling - lower(c, ceiling - v, 0);
}

/* Which facts to claim of a number, and their bodies; `identity` is of the full value. */
static void put_facts(struct claims *c, const struct wv_val *v, unsigned width, bool slot)
{
	const struct wv_num *n = &v->n;
	const uint64_t flip = UINT64_C(1) << 63;
	const uint32_t lflip = UINT32_C(1) << 31;
	uint32_t which = (uint32_t)draw_bits(c->d) & 31;
	bool ghost = v->sym >= 1 && v->sym <= GHOSTS, related = v->sym && draw_one_in(c->d, 2);
	which |= width != 64 ? WV_FACT_WIDTH : 0;
	which |= related ? (ghost && draw_one_in(c->d, 2) ? WV_FACT_GHOST : WV_FACT_GROUP) : 0;
	uint64_t mod = lie(c) ? 2 + draw_below(c->d, 9) : n->mod;
	which |= mod > 1 && draw_one_in(c->d, 2) ? WV_FACT_MOD : 0;
	put_unsigned(c, which);
	if (which & WV_FACT_U64) {
		put_unsigned(c, lower(c, n->umin, 0));
		put_unsigned(c, upper(c, n->umax, UINT64_MAX));
	}
	if (which & WV_FACT_S64) {
		put_signed(c, (int64_t)(lower(c, (uint64_t)n->smin ^ flip, 0) ^ flip));
		put_signed(c, (int64_t)(upper(c, (uint64_t)n->smax ^ flip, UINT64_MAX) ^ flip));
	}
	if (which & WV_FACT_U32) {
		put_unsigned(c, lower(c, n->lumin, 0));
		put_unsigned(c, upper(c, n->lumax, UINT32_MAX));
	}
	if (which & WV_FACT_S32) {
		put_signed(c, (int32_t)((uint32_t)lower(c, (uint32_t)n->lsmin ^ lflip, 0) ^ lflip));
		put_signed(c, (int32_t)((uint32_t)upper(c, (uint32_t)n->lsmax ^ lflip, UINT32_MAX) ^ lflip));
	}
	if (which & WV_FACT_BITS) {
		uint64_t more = lie(c) ? UINT64_C(1) << draw_below(c->d, 64) : 0,
			 known = (n->known & draw_bits(c->d)) | more;
		uint64_t bits = lie(c) ? draw_bits(c->d) & known : (n->bits | (more & draw_bits(c->d))) & known;
		put_unsigned(c, known);
		put_unsigned(c, bits);
	}
	if (which & WV_FACT_WIDTH)
		put_byte(c, slot ? 4 : width);
	if (which & WV_FACT_GROUP) {
		if (!c->group_of[v->sym])
			c->group_of[v->sym] = ++c->groups;
		uint32_t group = c->group_of[v->sym] - 1;
		put_unsigned(c, lie(c) && c->groups > 1 ? draw_below(c->d, c->groups) : group);
		put_signed(c, (int64_t)(v->add + lie(c)));
	}
	if (which & WV_FACT_GHOST) {
		put_unsigned(c, lie(c) ? GHOSTS - v->sym : v->sym - 1);
		put_signed(c, (int64_t)(v->add + lie(c)));
	}
	if (which & WV_FACT_MOD) {
		put_unsigned(c, mod);
		put_unsigned(c, (n->rem + lie(c)) % mod);
	}
}

static void put_value(struct claims *c, const struct wv_val *v, unsigned bytes, bool slot)
{
	unsigned kind = v->kind == WV_NUM     ? WV_CLAIM_NUMBER
			: v->kind == WV_PTR   ? WV_CLAIM_POINTER
			: v->kind == WV_SAVED ? WV_CLAIM_SAVED
					      : WV_CLAIM_UNINIT;
	if (lie(c))
		kind = (unsigned)draw_below(c->d, 4);
	unsigned width = slot ? (bytes == 4 || draw_one_in(c->d, 3) ? 32 : 64)
			 : v->kind == WV_NUM && (v->init < 64 || draw_one_in(c->d, 8))
				 ? (v->init == 8 || draw_one_in(c->d, 2) ? 8 : 16)
				 : 64;
	if (lie(c))
		width = slot ? 64 : draw_one_in(c->d, 2) ? 16 : 64;
	put_byte(c, kind);
	if (kind == WV_CLAIM_SAVED)
		put_byte(c, v->kind == WV_SAVED && !lie(c) ? v->region : draw_below(c->d, 16));
	if (kind == WV_CLAIM_POINTER)
		put_byte(c, v->kind == WV_PTR && !lie(c) ? v->region : draw_below(c->d, WV_NREGION));
	if (kind == WV_CLAIM_NUMBER || kind == WV_CLAIM_POINTER)
		put_facts(c, v, kind == WV_CLAIM_NUMBER ? width : 64, slot);
}

static void draw_claims(struct claims *c)
{
	const struct wv_state *st = c->w->state;
	c->n = c->count = c->groups = 0;
	memset(c->group_of, 0, sizeof(c->group_of));
	for (unsigned r = 0; r < WV_NREG; r++) {
		bool callee_saved = r == WV_RBX || r == WV_RBP || r >= WV_R12;
		/* what an unclaimed callee-saved register must be */
		bool saved = st->reg[r].kind == WV_SAVED && st->reg[r].region == r;
		if (r == WV_RSP || (callee_saved && !saved ? lie(c) : draw_one_in(c->d, 3)))
			continue;
		put_byte(c, r);
		put_value(c, &st->reg[r], 8, false);
		c->count++;
	}
	uint32_t deepest = (st->depth + WV_RED_ZONE) / 8;
	for (uint32_t n = 1; n <= deepest; n++) {
		if (draw_one_in(c->d, 3))
			continue;
		static const struct wv_slot none;
		const struct wv_slot *s = n <= st->n_slots ? &st->slot[n - 1] : &none;
		put_byte(c, 16);
		put_unsigned(c, n);
		c->count++;
		if (s->width && draw_one_in(c->d, 4)) {
			put_value(c, &s->v, s->width, true);
		} else if (s->init == 0xff ? draw_one_in(c->d, 2) : lie(c)) { /* bytes that are set are some number */
			put_byte(c, WV_CLAIM_NUMBER);
			put_byte(c, 0);
		} else {
			put_byte(c, WV_CLAIM_BYTES);
			put_byte(c,
				lie(c) ? draw_bits(c->d) : s->init & (draw_one_in(c->d, 2) ? 0xff : draw_bits(c->d)));
		}
	}
}

static void draw_distance_claims(struct claims *c)
{
	const struct wv_state *st = c->w->state;
	c->claims_end = c->n;
	c->distances = (uint32_t)draw_below(c->d, WV_MAX_DISTANCES + 1);
	for (uint32_t i = 0; i < c->distances; i++) {
		unsigned a = (unsigned)draw_below(c->d, 16), b = (unsigned)draw_below(c->d, 16);
		const struct wv_val *va = &st->reg[a], *vb = &st->reg[b];
		int32_t scale = draw_one_in(c->d, 2) ? 1 : (int32_t)draw_below(c->d, 20) - 8;
		bool mixed = va->kind == WV_NUM && vb->kind == WV_PTR;
		bool comparable =
			mixed ||
			(va->kind == vb->kind &&
				(va->kind == WV_NUM || (va->kind == WV_PTR && va->region == vb->region && scale == 1)));
		struct wv_val d = {
			.kind = WV_NUM, .n = comparable ? wv_state_distance(st, va, scale, vb) : wv_num_any()};
		put_byte(c, a);
		put_byte(c, b);
		put_byte(c, mixed ^ lie(c));
		put_signed(c, scale + lie(c));
		put_facts(c, &d, 64, false);
	}
}

/* ---- One trial ---- */

/* The claims must be such as a proof may hold; the parser would have refused others. */
static bool readable(struct claims *c)
{
	struct wv_bytes rest = {c->bytes, c->n};
	struct wv_claim_reader reader;
	wv_claim_reader_init(&reader, c->facts);
	for (uint32_t i = 0; i < c->count; i++)
		if (!wv_claim_read(&reader, &rest, &c->decoded[i]))
			return false;
	rest = (struct wv_bytes){c->bytes + c->claims_end, c->n - c->claims_end};
	for (uint32_t i = 0; i < c->distances; i++)
		if (!wv_distance_read(&reader, &rest, &c->decoded_distances[i]))
			return false;
	return true;
}

/* A block begins: nothing is known but the state. */
static void enter(struct world *w, uint32_t next_sym)
{
	w->ctx.next_sym = next_sym;
	w->ctx.sign.sym = 0;
	w->ctx.table.low = 0;
	w->ctx.quotient = (struct wv_quotient){0};
	w->ctx.n_scaled = 0;
}

/* 1: contained and true; 0: not contained; -1: something false. */
static int trial(struct claims *c)
{
	struct world *w = c->w;
	char why[280];
	bool related = !draw_one_in(c->d, 4);
	world_draw(w);
	if (related)
		world_relate(w);
	while (w->ctx.next_sym <= GHOSTS) /* ghosts stand for something, whether a location holds it or not */
		w->symbol[w->ctx.next_sym++] = (struct symbol){true, true, draw_value(c->d), 0};
	if (related && !world_walk(w, MOST_STEPS, c->spare, &c->walked))
		return -1;
	c->lie_in = draw_one_in(c->d, 3) ? 0 : 30u << draw_below(c->d, 5);
	draw_claims(c);
	draw_distance_claims(c);
	if (!readable(c))
		return 0;
	struct wv_loop loop = {.head = 1, .end = 4, .parent = WV_NO_LOOP, .n_ghosts = GHOSTS};
	struct wv_ghost ghosts[GHOSTS] = {{.loc = {.reg = WV_RAX}}, {.loc = {.reg = WV_RCX}, .stride = 8}};
	uint16_t xmm =
		(uint16_t)((wv_state_xmm(w->state) & draw_bits(c->d)) | (lie(c) ? 1u << draw_below(c->d, 16) : 0));
	struct wv_block blocks[4] = {[BLOCK] = {.xmm = xmm,
					     .depth = w->state->depth + (lie(c) ? 8 : 0),
					     .n_claims = c->count,
					     .n_groups = c->groups,
					     .claims = c->decoded,
					     .n_distances = c->distances,
					     .distances = c->decoded_distances}};
	struct wv_function f = {
		.n_loops = 1, .n_blocks = 4, .n_ghosts = GHOSTS, .loops = &loop, .blocks = blocks, .ghosts = ghosts};
	if (!wv_claims_contain(&f, BLOCK, w->state, false, why, sizeof(why)))
		return 0;
	enter(w, GHOSTS + 1);
	wv_claims_load(&w->ctx, &f, BLOCK, c->loaded);
	for (uint32_t s = GHOSTS + 1; s < WORLD_SYMBOLS; s++)
		w->symbol[s].known = w->symbol[s].low_known = false;
	for (uint32_t s = 1; s <= GHOSTS; s++) /* a ghost that is only partly known can't be claimed */
		w->symbol[s].low = (uint32_t)w->symbol[s].value;
	if (!world_holds(w, c->loaded))
		return -1;
	struct wv_state *drawn = w->state;
	w->state = c->loaded;
	bool holds = !related || world_walk(w, MOST_STEPS, c->spare, &c->walked);
	w->state = drawn;
	return holds ? 1 : -1;
}

int main(int argc, char **argv)
{
	static struct claims c;
	static struct native native;
	static struct world w;
	struct draw d = {argc > 1 ? strtoull(argv[1], NULL, 0) : 1};
	struct wv_state *states = calloc(3, sizeof(*states));
	unsigned long contained = 0, refused = 0, wrong = 0;
	unsigned long trials = argc > 2 ? strtoul(argv[2], NULL, 0) : TRIALS;
	printf("claims: seed %" PRIu64 "\n", d.state);
	if (!states || !native_init(&native))
		return 1;
	w.draw = c.d = &d;
	w.native = &native;
	w.state = &states[0];
	c.loaded = &states[1];
	c.spare = &states[2];
	c.w = &w;
	for (unsigned long i = 0; i < trials && wrong < 5; i++) {
		uint64_t seed = d.state;
		int outcome = trial(&c);
		contained += outcome == 1;
		refused += outcome == 0;
		if (outcome < 0) {
			wrong++;
			fprintf(stderr, "claims: trial of seed %#" PRIx64 ": %s (location %d)\n", seed, w.wrong,
				w.where);
		}
	}
	printf("claims: %lu contained and true, %lu not contained, %lu false; %lu lies told; %lu instructions, %lu "
	       "branches and %lu distances on the ways there and on\n",
		contained, refused, wrong, c.lies, c.walked.steps, c.walked.branches, c.walked.distances);
	native_free(&native);
	free(states);
	return wrong || (trials >= TRIALS && (contained < LEAST_CONTAINED || c.walked.steps < trials ||
						     c.walked.branches < trials / 2));
}
