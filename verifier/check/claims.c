/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims and states: `load` makes the state that a block's claims describe; `contain` tests whether a given state is
 * one of those.
 *
 * The two must agree exactly: `contain` must have tested every fact that `load` puts into a state. So both walk the
 * same decoded claims, location by location, and each kind of fact has its line in both: kind, numbers, initialised
 * width, groups, ghosts, xmm registers, and the rank of the loop that the block heads.
 */
#include "verifier/proof/rank.h"

#include <inttypes.h>
#include <stdio.h>

/* The loop of which the block is the head, or WV_NO_LOOP. */
static uint32_t headed_loop(const struct wv_function *f, uint32_t block)
{
	uint32_t l = f->blocks[block].loop;
	return l != WV_NO_LOOP && f->loops[l].head == block ? l : WV_NO_LOOP;
}

static bool same_loc(const struct wv_loc *a, const struct wv_loc *b)
{
	return a->reg == b->reg && a->slot == b->slot;
}

/* Ghosts have the symbols 1 … n_ghosts of the function. */
static uint32_t ghost_symbol(uint32_t ghost)
{
	return ghost + 1;
}

/* The ghost that is what `loc` holds at the head of the loop, or WV_NO_LOOP. */
static uint32_t ghost_at_head(const struct wv_function *f, uint32_t loop, const struct wv_loc *loc)
{
	if (loop == WV_NO_LOOP)
		return WV_NO_LOOP;
	for (uint32_t g = f->loops[loop].first_ghost; g < f->loops[loop].first_ghost + f->loops[loop].n_ghosts; g++) {
		if (same_loc(&f->ghosts[g].loc, loc))
			return g;
	}
	return WV_NO_LOOP;
}

void wv_rank_loop(const struct wv_function *f, struct wv_loop *l)
{
	const struct wv_block *head = &f->blocks[l->head];
	uint64_t step = l->step > 0 ? (uint64_t)l->step : (uint64_t)0 - (uint64_t)l->step;
	for (const struct wv_claim *c = head->claims; c < head->claims + head->n_claims; c++) {
		if (!same_loc(&c->loc, &l->rank))
			continue;
		l->back_edges = step ? wv_rank_width(l->view, &c->facts->n) / step : UINT64_MAX;
		if (c->kind != WV_CLAIM_POINTER || l->view <= WV_S64)
			l->claim = c; /* if it claims neither a number nor a pointer no step of it is known */
	}
}

/*
 * A group is a symbol and what it stands for: value = symbol + add; a location of the group holds value + its own
 * constant.
 */
struct groups {
	uint32_t sym[WV_MAX_CLAIMS]; /* 0: none yet */
	uint64_t add[WV_MAX_CLAIMS];
};

static void no_groups(const struct wv_block *block, struct groups *g)
{
	for (uint32_t i = 0; i < block->n_groups; i++)
		g->sym[i] = 0;
}

static bool has_identity(const struct wv_claim *c)
{
	return c->facts->which & (WV_FACT_GROUP | WV_FACT_GHOST);
}

static void set_identity(struct wv_val *v, uint32_t sym, uint64_t add)
{
	v->sym = v->lsym = sym;
	v->add = add;
	v->ladd = (uint32_t)add;
}

/* ---- load ---- */

/* What is claimed, with an identity of its own. */
static void set_claimed(struct wv_ctx *ctx, const struct wv_claim *c, struct wv_val *v)
{
	bool own = c->kind == WV_CLAIM_NUMBER || c->kind == WV_CLAIM_POINTER;
	v->kind = c->kind == WV_CLAIM_NUMBER    ? WV_NUM
		  : c->kind == WV_CLAIM_POINTER ? WV_PTR
		  : c->kind == WV_CLAIM_SAVED   ? WV_SAVED
						: WV_UNINIT;
	v->region = c->region;
	v->init = !own ? 0 : c->facts->width < 32 ? c->facts->width : 64;
	v->n = c->facts->n;
	set_identity(v, own ? ctx->next_sym++ : 0, 0);
}

struct wv_val wv_claimed_value(struct wv_ctx *ctx, const struct wv_claim *c)
{
	struct wv_val v;
	set_claimed(ctx, c, &v);
	return v;
}

static struct wv_val *load_slot(struct wv_state *st, const struct wv_claim *c)
{
	struct wv_slot *s = wv_state_slot(st, c->loc.slot);
	switch (c->kind) {
	case WV_CLAIM_SAVED:
		s->width = 8;
		s->init = 0;
		break;
	case WV_CLAIM_NUMBER:
	case WV_CLAIM_POINTER:
		s->width = c->facts->width == 32 ? 4 : 8;
		s->init = c->facts->width == 32 ? 0x0f : 0xff;
		break;
	default:
		s->width = 0;
		s->init = c->mask;
		break;
	}
	return &s->v;
}

/*
 * The groups' symbols. At a loop's head the group of a ghost's location gets the ghost for its symbol, with the
 * constant that makes the location ghost + 0.
 */
static void name_groups(struct wv_ctx *ctx, const struct wv_function *f, uint32_t block, struct groups *g)
{
	const struct wv_block *b = &f->blocks[block];
	uint32_t loop = headed_loop(f, block);
	no_groups(b, g);
	for (const struct wv_claim *c = b->claims; b->n_groups && c < b->claims + b->n_claims; c++) {
		const struct wv_facts *facts = c->facts;
		if (!(facts->which & WV_FACT_GROUP))
			continue;
		if (!g->sym[facts->of]) {
			g->sym[facts->of] = ctx->next_sym++;
			g->add[facts->of] = 0;
		}
		uint32_t ghost = ghost_at_head(f, loop, &c->loc);
		if (ghost != WV_NO_LOOP) {
			g->sym[facts->of] = ghost_symbol(ghost);
			g->add[facts->of] = 0 - facts->add;
		}
	}
}

/*
 * A counted location: it came to the loop holding one of `start` and has moved by the stride on each of k back edges,
 * and k is at most what the ranking location allows.
 */
static struct wv_num counted_num(const struct wv_function *f, const struct wv_ghost *g, const struct wv_num *start)
{
	const struct wv_loop *l = &f->loops[g->loop];
	struct wv_num stride = wv_num_const((uint64_t)g->stride);
	if (!l->claim)
		return wv_num_any();
	struct wv_num k = wv_num_range(0, l->back_edges), moved = wv_num_binary(WV_IMUL, 64, &k, &stride);
	return wv_num_binary(WV_ADD, 64, start, &moved);
}

/* What a ghost's location holds at the head. */
static void load_ghost(const struct wv_function *f, uint32_t ghost, const struct wv_claim *c, struct wv_val *v)
{
	const struct wv_ghost *g = &f->ghosts[ghost];
	if (!v->sym)
		return;
	if (g->stride)
		v->n = c->facts->width == 64 ? counted_num(f, g, &c->facts->n) : wv_num_any();
	if (!has_identity(c))
		set_identity(v, ghost_symbol(ghost), 0);
}

/*
 * The values at the two ends of a distance: both numbers; both pointers into one region, whose addresses are as far
 * apart as their offsets; or, mixed, a number and the offset of a pointer. Only between two pointers at scale 1 does
 * the region's base cancel out. So a pointer that the target claims as a mere number, which is its address, must not
 * pass for its offset: that is why `mixed` is claimed.
 */
static bool ends_of(
	const struct wv_distance_claim *d, const struct wv_state *st, const struct wv_val **a, const struct wv_val **b)
{
	*a = wv_rank_value(st, &d->a);
	*b = wv_rank_value(st, &d->b);
	if (!*a || !*b)
		return false;
	if (d->mixed)
		return (*a)->kind == WV_NUM && (*b)->kind == WV_PTR;
	return (*a)->kind == (*b)->kind && ((*a)->kind == WV_NUM || (d->scale == 1 && (*a)->region == (*b)->region));
}

/* What a distance and one end imply of the other end is known from the start. */
static void load_distances(const struct wv_block *block, struct wv_state *st)
{
	const struct wv_val *a, *b;
	for (const struct wv_distance_claim *d = block->distances; d < block->distances + block->n_distances; d++) {
		if (!ends_of(d, st, &a, &b))
			continue;
		wv_state_set_distance(st, a, d->scale, b, &d->facts->n);
		wv_state_learn_distant(st, &st->reg[d->b.reg]);
	}
}

static bool distances_hold(const struct wv_block *block, const struct wv_state *st, char *why, size_t size)
{
	const struct wv_val *a, *b;
	for (const struct wv_distance_claim *d = block->distances; d < block->distances + block->n_distances; d++) {
		struct wv_num has = wv_num_any();
		if (ends_of(d, st, &a, &b)) {
			/* mostly says enough: what the two ends are needs no look */
			wv_state_find_distance(st, a, d->scale, b, &has);
			if (!wv_num_within(&has, &d->facts->n))
				has = wv_state_distance(st, a, d->scale, b);
		}
		if (wv_num_within(&has, &d->facts->n))
			continue;
		char hasn[120], wants[120];
		struct wv_val v = {.kind = WV_NUM, .n = has}, w = {.kind = WV_NUM, .n = d->facts->n};
		wv_val_print(&v, hasn, sizeof hasn);
		wv_val_print(&w, wants, sizeof wants);
		snprintf(why, size, "%s less %" PRId32 " times %s is %s; the proof claims %s",
			ward_register_name(d->b.reg), d->scale, ward_register_name(d->a.reg), hasn, wants);
		return false;
	}
	return true;
}

void wv_claims_load(struct wv_ctx *ctx, const struct wv_function *f, uint32_t block, struct wv_state *st)
{
	struct groups g;
	const struct wv_block *b = &f->blocks[block];
	uint32_t loop = headed_loop(f, block);
	wv_state_unclaimed(ctx, st, b->depth);
	st->half[0] = st->half[1] = b->xmm;
	name_groups(ctx, f, block, &g);
	for (const struct wv_claim *c = b->claims; c < b->claims + b->n_claims; c++) {
		const struct wv_facts *facts = c->facts;
		struct wv_val *v = c->loc.slot ? load_slot(st, c) : &st->reg[c->loc.reg];
		set_claimed(ctx, c, v);
		if (facts->which & WV_FACT_GROUP)
			set_identity(v, g.sym[facts->of], g.add[facts->of] + facts->add);
		else if (facts->which & WV_FACT_GHOST)
			set_identity(v, ghost_symbol(facts->of), facts->add);
		uint32_t ghost = ghost_at_head(f, loop, &c->loc);
		if (ghost != WV_NO_LOOP)
			load_ghost(f, ghost, c, v);
	}
	load_distances(b, st);
}

/* ---- contain ---- */

/* What the state holds at a claim's location, and how much of it: bytes 8, 4 or 0. */
static const struct wv_val *value_at(const struct wv_state *st, const struct wv_loc *loc, uint8_t *bytes)
{
	if (!loc->slot) {
		*bytes = 8;
		return &st->reg[loc->reg];
	}
	if (loc->slot > st->n_slots) {
		*bytes = 0;
		return NULL;
	}
	*bytes = st->slot[loc->slot - 1].width;
	return &st->slot[loc->slot - 1].v;
}

/* A number is claimed. `v` may also be a pointer, as a number of which nothing is known. */
static bool number_holds(const struct wv_claim *c, const struct wv_val *v, uint8_t bytes)
{
	if (c->facts->width == 32) { /* the low four bytes of a slot */
		if (bytes < 4 || v->kind != WV_NUM || v->init != 64 || (has_identity(c) && v->n.umax > UINT32_MAX))
			return false;
		struct wv_num low = wv_num_zext(&v->n, 32);
		return wv_num_within(&low, &c->facts->n);
	}
	if (bytes < 8)
		return false;
	if (v->kind == WV_PTR) {
		struct wv_num any = wv_num_any();
		return !has_identity(c) && wv_num_within(&any, &c->facts->n);
	}
	return v->kind == WV_NUM && v->init >= c->facts->width && wv_num_within(&v->n, &c->facts->n);
}

/* Are these bytes of a slot set? For a register (slot 0): no. */
static bool bytes_set(const struct wv_state *st, uint32_t slot, uint8_t mask)
{
	return slot - 1 < st->n_slots && (st->slot[slot - 1].init & mask) == mask;
}

/* Slots whose bytes are all set hold a number even where no value is kept. */
static bool bytes_hold_number(const struct wv_claim *c, const struct wv_state *st)
{
	struct wv_num any = c->facts->width == 32 ? wv_num_range(0, UINT32_MAX) : wv_num_any();
	return bytes_set(st, c->loc.slot, c->facts->width == 32 ? 0x0f : 0xff) && !has_identity(c) &&
	       wv_num_within(&any, &c->facts->n);
}

static bool identity_holds(const struct wv_claim *c, const struct wv_val *v, struct groups *g)
{
	const struct wv_facts *facts = c->facts;
	if (facts->which & WV_FACT_GHOST)
		return v->sym == ghost_symbol(facts->of) && v->add == facts->add;
	if (!(facts->which & WV_FACT_GROUP))
		return true;
	if (!g->sym[facts->of]) {
		g->sym[facts->of] = v->sym;
		g->add[facts->of] = v->add - facts->add;
		return v->sym != 0;
	}
	return v->sym == g->sym[facts->of] && v->add == g->add[facts->of] + facts->add;
}

static bool claim_holds(const struct wv_claim *c, const struct wv_state *st, struct groups *g)
{
	uint8_t bytes;
	const struct wv_val *v = value_at(st, &c->loc, &bytes);
	switch (c->kind) {
	case WV_CLAIM_UNINIT: return true;
	case WV_CLAIM_SAVED: return bytes == 8 && v->kind == WV_SAVED && v->region == c->region;
	case WV_CLAIM_BYTES: return !c->mask || bytes_set(st, c->loc.slot, c->mask);
	case WV_CLAIM_POINTER:
		return bytes == 8 && v->kind == WV_PTR && v->region == c->region &&
		       wv_num_within(&v->n, &c->facts->n) && identity_holds(c, v, g);
	default: /* WV_CLAIM_NUMBER */
		return (v && number_holds(c, v, bytes) && identity_holds(c, v, g)) || bytes_hold_number(c, st);
	}
}

bool wv_claim_holds(const struct wv_claim *c, const struct wv_state *st)
{
	return claim_holds(c, st, NULL); /* no identity, no groups */
}

static void claim_explain(const struct wv_claim *c, const struct wv_state *st, char *why, size_t size)
{
	char where[24], has[120] = "nothing that is known", wants[120];
	uint8_t bytes;
	const struct wv_val *v = value_at(st, &c->loc, &bytes);
	if (c->loc.slot)
		snprintf(where, sizeof where, "stack-%u", c->loc.slot * 8);
	else
		snprintf(where, sizeof where, "%s", ward_register_name(c->loc.reg));
	if (v && bytes)
		wv_val_print(v, has, sizeof has);
	struct wv_val want = {.kind = c->kind == WV_CLAIM_POINTER  ? WV_PTR
				      : c->kind == WV_CLAIM_NUMBER ? WV_NUM
				      : c->kind == WV_CLAIM_SAVED  ? WV_SAVED
								   : WV_UNINIT,
		.region = c->region,
		.n = c->facts->n};
	wv_val_print(&want, wants, sizeof wants);
	snprintf(why, size, "%s holds %s; the proof claims %s%s there", where, has, wants,
		has_identity(c)             ? " with a relation to another value"
		: c->kind == WV_CLAIM_BYTES ? ", in part set by the probe,"
					    : "");
}

/*
 * A counted location on a back edge: exactly one stride from what it held at the head. Its range needs no check here,
 * it follows from the ranking location's; its group, if it has one, does.
 */
static bool counted_holds(const struct wv_function *f, uint32_t ghost, const struct wv_claim *c,
	const struct wv_state *st, struct groups *g)
{
	uint8_t bytes;
	const struct wv_val *v = value_at(st, &c->loc, &bytes);
	bool kind = v && bytes == 8 && c->facts->width == 64 &&
		    (c->kind == WV_CLAIM_POINTER ? v->kind == WV_PTR && v->region == c->region
						 : c->kind == WV_CLAIM_NUMBER && v->kind == WV_NUM && v->init == 64);
	return kind && v->sym == ghost_symbol(ghost) && v->add == (uint64_t)f->ghosts[ghost].stride &&
	       identity_holds(c, v, g);
}

bool wv_claims_contain(
	const struct wv_function *f, uint32_t block, const struct wv_state *st, bool back, char *why, size_t size)
{
	static const unsigned callee_saved =
		1u << WV_RBX | 1u << WV_RBP | 1u << WV_R12 | 1u << WV_R13 | 1u << WV_R14 | 1u << WV_R15;
	struct groups g;
	const struct wv_block *b = &f->blocks[block];
	unsigned claimed = 0;
	if (st->depth != b->depth) {
		snprintf(why, size, "rsp is %u bytes below the entry's; the proof claims %u", st->depth, b->depth);
		return false;
	}
	uint16_t unset = b->xmm & (uint16_t)~wv_state_xmm(st);
	if (unset) {
		snprintf(why, size, "xmm%d is unset, or in part; the proof claims that the probe has set it",
			__builtin_ctz(unset));
		return false;
	}
	no_groups(b, &g);
	for (const struct wv_claim *c = b->claims; c < b->claims + b->n_claims; c++) {
		if (!c->loc.slot)
			claimed |= 1u << c->loc.reg;
		uint32_t ghost = back ? ghost_at_head(f, headed_loop(f, block), &c->loc) : WV_NO_LOOP;
		bool holds = ghost != WV_NO_LOOP && f->ghosts[ghost].stride ? counted_holds(f, ghost, c, st, &g)
									    : claim_holds(c, st, &g);
		if (!holds) {
			claim_explain(c, st, why, size);
			return false;
		}
	}
	if (!distances_hold(b, st, why, size))
		return false;
	for (unsigned left = callee_saved & ~claimed; left; left &= left - 1) {
		unsigned r = (unsigned)__builtin_ctz(left);
		const struct wv_val *v = &st->reg[r];
		if (v->kind != WV_SAVED || v->region != r) {
			char has[120];
			wv_val_print(v, has, sizeof has);
			snprintf(why, size, "%s holds %s; the proof claims what it held at the entry",
				ward_register_name(r), has);
			return false;
		}
	}
	return true;
}
