/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values and states: makes values, adds them, and spreads what is learnt of one value to all that share its identity.
 */
#include "state.h"

#include <string.h>

/* ---- values ---- */

struct wv_val wv_val_uninit(void)
{
	return (struct wv_val){.kind = WV_UNINIT, .n = wv_num_any()};
}

struct wv_val wv_val_saved(unsigned reg)
{
	return (struct wv_val){.kind = WV_SAVED, .region = (uint8_t)reg, .n = wv_num_any()};
}

struct wv_val wv_val_number(struct wv_ctx *ctx, const struct wv_num *n)
{
	uint32_t sym = ctx->next_sym++;
	return (struct wv_val){.kind = WV_NUM, .init = 64, .sym = sym, .lsym = sym, .n = *n};
}

struct wv_val wv_val_const(struct wv_ctx *ctx, uint64_t value)
{
	struct wv_num n = wv_num_const(value);
	return wv_val_number(ctx, &n);
}

struct wv_val wv_val_pointer(struct wv_ctx *ctx, enum wv_region region, int64_t offset)
{
	struct wv_val v = wv_val_const(ctx, (uint64_t)offset);
	v.kind = WV_PTR;
	v.region = region;
	return v;
}

bool wv_val_valid(const struct wv_val *v)
{
	switch (v->kind) {
	case WV_UNINIT: return true;
	case WV_NUM:
		return (v->init == 8 || v->init == 16 || v->init == 64) && v->sym && v->lsym && wv_num_valid(&v->n);
	case WV_PTR: return v->region < WV_NREGION && v->sym && v->lsym && wv_num_valid(&v->n);
	case WV_SAVED: return v->region < WV_NREG;
	default: return false;
	}
}

/* `v` moved by a constant keeps its identity. */
static struct wv_val moved_by(const struct wv_val *v, uint64_t by)
{
	if (by == 0)
		return *v;
	struct wv_val r = *v;
	struct wv_num c = wv_num_const(by);
	r.n = wv_num_binary(WV_ADD, 64, &v->n, &c);
	r.add += by;
	r.ladd += (uint32_t)by;
	return r;
}

struct wv_val wv_val_add(struct wv_ctx *ctx, const struct wv_val *a, const struct wv_val *b)
{
	if (a->kind == WV_PTR && b->kind == WV_PTR) { /* no meaning, but no harm: the address of nothing */
		struct wv_num any = wv_num_any();
		return wv_val_number(ctx, &any);
	}
	if (b->kind == WV_PTR || (a->kind == WV_NUM && wv_num_is_const(&a->n) && !wv_num_is_const(&b->n))) {
		const struct wv_val *t = a;
		a = b;
		b = t;
	}
	/* Now a pointer, if there is one, is a; and so is the variable part of a sum of numbers. */
	struct wv_val r;
	if (wv_num_is_const(&b->n)) {
		r = moved_by(a, b->n.umin);
	} else if (a->kind == WV_PTR && wv_num_is_const(&a->n)) { /* the offset is the number b, moved */
		r = moved_by(b, a->n.umin);
	} else {
		struct wv_num n = wv_num_binary(WV_ADD, 64, &a->n, &b->n);
		r = wv_val_number(ctx, &n);
	}
	r.kind = a->kind;
	r.region = a->region;
	r.init = 64;
	return r;
}

struct wv_val wv_val_sub(struct wv_ctx *ctx, const struct wv_val *a, const struct wv_val *b)
{
	struct wv_num n;
	if (b->kind == WV_PTR && (a->kind != WV_PTR || a->region != b->region)) {
		n = wv_num_any();
		return wv_val_number(ctx, &n);
	}
	if (b->kind == WV_NUM && wv_num_is_const(&b->n))
		return moved_by(a, 0 - b->n.umin);
	if (a->sym == b->sym) { /* one symbol: the difference is known exactly */
		n = wv_num_const(a->add - b->add);
	} else if (wv_num_is_const(&b->n)) { /* both are pointers: the offset of a, moved */
		struct wv_val r = moved_by(a, 0 - b->n.umin);
		r.kind = WV_NUM;
		r.region = 0;
		return r;
	} else {
		n = wv_num_binary(WV_SUB, 64, &a->n, &b->n);
	}
	struct wv_val r = wv_val_number(ctx, &n);
	if (a->kind == WV_PTR && b->kind == WV_NUM) {
		r.kind = WV_PTR;
		r.region = a->region;
	}
	return r;
}

struct wv_val wv_val_zext32(struct wv_ctx *ctx, const struct wv_val *v)
{
	struct wv_num n;
	if (v->kind == WV_PTR) { /* half of an address is just a number */
		n = wv_num_range(0, UINT32_MAX);
		return wv_val_number(ctx, &n);
	}
	if (v->n.umax <= UINT32_MAX)
		return *v;
	n = wv_num_zext(&v->n, 32);
	struct wv_val r = wv_val_number(ctx, &n);
	r.lsym = v->lsym;
	r.ladd = v->ladd;
	return r;
}

const char *wv_region_name(unsigned region)
{
	static const char *const name[WV_NREGION] = {"event", "state", "stack", "rodata", "data", "lent window 0",
		"lent window 1", "lent window 2", "lent window 3"};
	return region < WV_NREGION ? name[region] : "?";
}

/* ---- state ---- */

static const uint16_t callee_saved =
	1u << WV_RBX | 1u << WV_RBP | 1u << WV_R12 | 1u << WV_R13 | 1u << WV_R14 | 1u << WV_R15;

void wv_state_unclaimed(struct wv_ctx *ctx, struct wv_state *st, uint32_t depth)
{
	const struct wv_val none = wv_val_uninit();
	st->n_slots = 0;
	st->n_distances = 0;
	st->n_choices = 0;
	st->n_sums = 0;
	st->n_bounds = 0;
	st->n_less = 0;
	st->n_reaches = 0;
	st->part.sym = 0;
	memset(&st->flags, 0, sizeof st->flags);
	st->half[0] = st->half[1] = 0;
	for (unsigned r = 0; r < WV_NREG; r++) {
		st->reg[r] = none;
		if (callee_saved >> r & 1) {
			st->reg[r].kind = WV_SAVED;
			st->reg[r].region = (uint8_t)r;
		}
	}
	wv_state_set_depth(ctx, st, depth);
}

void wv_state_entry(struct wv_ctx *ctx, struct wv_state *st)
{
	wv_state_unclaimed(ctx, st, 0);
	st->reg[WV_RDI] = wv_val_pointer(ctx, WV_EVENT, 0);
	st->reg[WV_RSI] = wv_val_pointer(ctx, WV_STATE, 0);
}

void wv_state_copy(struct wv_state *to, const struct wv_state *from)
{
	to->steps += from->n_slots / 8;
	to->depth = from->depth;
	to->n_slots = from->n_slots;
	to->flags = from->flags;
	to->n_choices = from->n_choices;
	memcpy(to->choice, from->choice,
		(from->n_choices < WV_MAX_CHOICES ? from->n_choices : WV_MAX_CHOICES) * sizeof from->choice[0]);
	to->n_less = from->n_less;
	memcpy(to->less, from->less, (from->n_less < WV_MAX_LESS ? from->n_less : WV_MAX_LESS) * sizeof from->less[0]);
	to->n_reaches = from->n_reaches;
	memcpy(to->reach, from->reach,
		(from->n_reaches < WV_MAX_REACHES ? from->n_reaches : WV_MAX_REACHES) * sizeof from->reach[0]);
	to->part.sym = from->part.sym;
	if (from->part.sym)
		to->part = from->part;
	to->n_bounds = from->n_bounds;
	memcpy(to->bound, from->bound,
		(from->n_bounds < WV_MAX_BOUNDS ? from->n_bounds : WV_MAX_BOUNDS) * sizeof from->bound[0]);
	to->n_sums = from->n_sums;
	memcpy(to->sum, from->sum, (from->n_sums < WV_MAX_SUMS ? from->n_sums : WV_MAX_SUMS) * sizeof from->sum[0]);
	to->n_distances = from->n_distances;
	memcpy(to->distance, from->distance, from->n_distances * sizeof from->distance[0]);
	memcpy(to->reg, from->reg, sizeof to->reg);
	memcpy(to->half, from->half, sizeof to->half);
	memcpy(to->slot, from->slot, from->n_slots * sizeof from->slot[0]);
}

bool wv_state_valid(const struct wv_state *st)
{
	if (st->n_slots > WV_MAX_SLOTS || st->n_distances > WV_MAX_DISTANCES || st->reg[WV_RSP].kind != WV_PTR ||
		st->reg[WV_RSP].region != WV_STACK)
		return false;
	if (!wv_num_is_const(&st->reg[WV_RSP].n) || st->reg[WV_RSP].n.smin != -(int64_t)st->depth)
		return false;
	for (unsigned r = 0; r < WV_NREG; r++) {
		if (!wv_val_valid(&st->reg[r]))
			return false;
	}
	for (uint32_t i = 0; i < st->n_slots; i++) {
		const struct wv_slot *s = &st->slot[i];
		if (s->width && (!wv_val_valid(&s->v) || (s->width != 8 && s->width != 4)))
			return false;
		if (s->width && s->v.kind == WV_SAVED && (s->init || s->width != 8))
			return false;
	}
	return true;
}

uint32_t wv_red_zone(const struct wv_ctx *ctx)
{
	return ctx->module->profile == WARD_PROFILE_USER ? WV_RED_ZONE : 0;
}

void wv_state_set_depth(struct wv_ctx *ctx, struct wv_state *st, uint32_t depth)
{
	uint32_t usable = (depth + wv_red_zone(ctx)) / 8;
	st->depth = depth;
	st->reg[WV_RSP] = wv_val_pointer(ctx, WV_STACK, -(int64_t)depth);
	if (st->n_slots > usable)
		st->n_slots = usable;
	if (depth > ctx->stack_bytes)
		ctx->stack_bytes = depth;
}

void wv_state_after_call(struct wv_state *st, uint32_t keeps)
{
	static const uint8_t scratch[] = {WV_RAX, WV_RCX, WV_RDX, WV_RSI, WV_RDI, WV_R8, WV_R9, WV_R10, WV_R11};
	for (size_t i = 0; i < sizeof scratch; i++) {
		if (!(keeps >> scratch[i] & 1))
			st->reg[scratch[i]] = wv_val_uninit();
	}
	st->half[0] &= (uint16_t)(keeps >> WV_NREG);
	st->half[1] &= (uint16_t)(keeps >> WV_NREG);
	memset(&st->flags, 0, sizeof st->flags);
	if (st->n_slots > st->depth / 8)
		st->n_slots = st->depth / 8;
}

struct wv_slot *wv_state_slot(struct wv_state *st, uint32_t n)
{
	while (st->n_slots < n) {
		struct wv_slot *s = &st->slot[st->n_slots++];
		s->v = wv_val_uninit();
		s->width = 0;
		s->init = 0;
	}
	return &st->slot[n - 1];
}

bool wv_val_refine(struct wv_val *v, const struct wv_val *of, const struct wv_num *known)
{
	if ((v->kind != WV_NUM && v->kind != WV_PTR) || !of->sym)
		return true;
	if (v->sym == of->sym) {
		/* as nearly always: the value itself, and it is known better now */
		if (v->add == of->add && wv_num_within(known, &v->n)) {
			v->n = *known;
			return true;
		}
		struct wv_num by = wv_num_const(v->add - of->add), n = wv_num_binary(WV_ADD, 64, known, &by);
		return wv_num_meet(&v->n, &n);
	}
	if (v->lsym == of->lsym)
		return wv_num_meet_low(&v->n, known, v->ladd - of->ladd);
	return true;
}

/* Slots may be many, and few of them have to do with what has become known. */
static inline bool shares_identity(const struct wv_val *v, const struct wv_val *of)
{
	return v->sym == of->sym || v->lsym == of->lsym;
}

/* What another constant is added to, or only the low half of which is known, takes arithmetic. */
static unsigned steps_of_refining(const struct wv_val *v, const struct wv_val *of)
{
	return v->sym == of->sym && v->add == of->add ? WV_STEPS_VALUE : WV_STEPS_NUMBER;
}

bool wv_state_refine_locations(struct wv_state *st, const struct wv_val *of, const struct wv_num *known)
{
	st->steps += WV_STEPS_REFINE + st->n_slots / WV_SLOTS_STEP;
	for (unsigned r = 0; r < WV_NREG; r++) {
		if (!shares_identity(&st->reg[r], of))
			continue;
		st->steps += steps_of_refining(&st->reg[r], of);
		if (!wv_val_refine(&st->reg[r], of, known))
			return false;
	}
	for (uint32_t i = 0; i < st->n_slots; i++) {
		struct wv_slot *s = &st->slot[i];
		if (!shares_identity(&s->v, of) || !s->width)
			continue;
		st->steps += steps_of_refining(&s->v, of);
		if (!wv_val_refine(&s->v, of, known))
			return false;
	}
	return !st->part.sym || wv_val_refine(&st->part.is, of, known);
}

void wv_state_note_choice(struct wv_state *st, const struct wv_val *is, const struct wv_val *a, const struct wv_val *b)
{
	st->choice[st->n_choices++ % WV_MAX_CHOICES] = (struct wv_choice){*is, *a, *b};
}

/* What `known` says of a choice's two sides says something of the choice, too: it is what is left of them. */
static bool refine_choice(struct wv_state *st, struct wv_choice *c, const struct wv_val *of, const struct wv_num *known)
{
	st->steps += 2 * WV_STEPS_NUMBER;
	bool a = wv_val_refine(&c->a, of, known), b = wv_val_refine(&c->b, of, known);
	if (!a && !b)
		return false;
	struct wv_num left = a && b ? wv_num_join(&c->a.n, &c->b.n) : a ? c->a.n : c->b.n;
	if (!a)
		c->a = c->b;
	if (!b)
		c->b = c->a;
	return wv_state_refine_locations(st, &c->is, &left);
}

/* What is below a bound is below its own bounds as well. */
void wv_state_note_bound(struct wv_state *st, const struct wv_val *of, const struct wv_val *below, unsigned shift)
{
	if (!of->sym || of->add || !below->sym || below->kind != WV_NUM || wv_num_is_const(&below->n) || shift >= 64)
		return;
	uint32_t n = st->n_bounds < WV_MAX_BOUNDS ? st->n_bounds : WV_MAX_BOUNDS;
	struct wv_bound more[WV_MAX_BOUNDS];
	uint32_t n_more = 0;
	for (uint32_t i = 0; i < n && below->add == 0; i++) {
		if (st->bound[i].of == below->sym && st->bound[i].shift + shift < 64)
			more[n_more++] =
				(struct wv_bound){of->sym, (uint8_t)(st->bound[i].shift + shift), st->bound[i].below};
	}
	st->bound[st->n_bounds++ % WV_MAX_BOUNDS] = (struct wv_bound){of->sym, (uint8_t)shift, *below};
	for (uint32_t i = 0; i < n_more; i++)
		st->bound[st->n_bounds++ % WV_MAX_BOUNDS] = more[i];
}

void wv_state_note_less(struct wv_state *st, const struct wv_val *v, const struct wv_val *than, bool ones)
{
	if (v->sym && !v->add && than->sym)
		st->less[st->n_less++ % WV_MAX_LESS] = (struct wv_less){v->sym, than->sym, than->add, ones};
}

bool wv_state_is_less(const struct wv_state *st, const struct wv_val *v, const struct wv_val *than, bool ones)
{
	for (uint32_t i = 0; i < st->n_less && i < WV_MAX_LESS; i++) {
		const struct wv_less *l = &st->less[i];
		if (l->sym == v->sym && v->add == 0 && l->than == than->sym && l->than_add == than->add &&
			l->ones == ones)
			return true;
	}
	return false;
}

/* The converse: a value that is at least so much has bounds that are at least that, shifted. */
static bool refine_above(
	struct wv_state *st, const struct wv_bound *b, const struct wv_val *of, const struct wv_num *known)
{
	st->steps += WV_STEPS_NUMBER;
	struct wv_num by = wv_num_const(b->below.add - of->add), below = wv_num_binary(WV_ADD, 64, known, &by),
		      least = wv_num_range(below.umin >> b->shift, UINT64_MAX);
	struct wv_val bound = {.kind = WV_NUM, .init = 64, .sym = b->of};
	return wv_state_refine_locations(st, &bound, &least);
}

static bool refine_below(
	struct wv_state *st, const struct wv_bound *b, const struct wv_val *of, const struct wv_num *known)
{
	st->steps += WV_STEPS_NUMBER;
	struct wv_num back = wv_num_const(0 - of->add), sym = wv_num_binary(WV_ADD, 64, known, &back);
	uint64_t ones = (UINT64_C(1) << b->shift) - 1;
	if (sym.umax > UINT64_MAX >> b->shift)
		return true;
	struct wv_num most = wv_num_range(0, sym.umax << b->shift | ones);
	return wv_state_refine_locations(st, &b->below, &most);
}

bool wv_state_refine(struct wv_state *st, const struct wv_val *of, const struct wv_num *known)
{
	if (!wv_state_refine_locations(st, of, known) || !wv_state_refine_distant(st, of, known))
		return false;
	for (uint32_t i = 0; i < st->n_choices && i < WV_MAX_CHOICES; i++) {
		struct wv_choice *c = &st->choice[i];
		bool concerns = of->sym && (c->a.sym == of->sym || c->b.sym == of->sym || c->a.lsym == of->lsym ||
						   c->b.lsym == of->lsym);
		if (concerns && !refine_choice(st, c, of, known))
			return false;
	}
	for (uint32_t i = 0; i < st->n_bounds && i < WV_MAX_BOUNDS; i++) {
		if (of->sym && st->bound[i].of == of->sym && !refine_below(st, &st->bound[i], of, known))
			return false;
		if (of->sym && st->bound[i].below.sym == of->sym && !refine_above(st, &st->bound[i], of, known))
			return false;
	}
	return true;
}
