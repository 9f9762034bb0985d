/* SPDX-License-Identifier: Apache-2.0 */
/*
 * V-65: cursors. The loops of a parser move one index, each of them forward only; so together they go round as often
 * as the index has steps, and not as often as the loops' bounds multiplied.
 *
 * A cursor is a number of the proof, in no location. It begins far behind all values where control enters the loop
 * that owns it, and becomes the value of the ranking location at the head of each loop that shares it. Each time that
 * value must not be behind it, so the cursor never goes back. In between it stays the same; what is claimed of it at a
 * block is that locations are ahead of it by so much at least. So an edge has two ends: a location that was ahead at
 * the head of the edge's block, and how far from there the value is that must be ahead at its target.
 *
 * All this is about integers. So only values near zero count: two of them, as numbers of 64 bits, are as far apart
 * as they are as integers.
 */
#include "nest_cursor.h"

#include <inttypes.h>
#include <stdio.h>

#include "verifier/proof/rank.h"

static bool is_near(const struct wv_num *n)
{
	return n->smin >= -WV_CURSOR_FAR && n->smax <= WV_CURSOR_FAR;
}

/* The whole of what the location holds, or NULL. */
static const struct wv_val *whole_value(const struct wv_state *st, const struct wv_loc *loc)
{
	return wv_rank_bits(st, loc) == 64 ? wv_rank_value(st, loc) : NULL;
}

/* The loop that the block heads, if it shares a cursor; else NULL. */
static const struct wv_loop *sharer_at(const struct wv_function *f, uint32_t block)
{
	uint32_t l = f->blocks[block].loop;
	return l != WV_NO_LOOP && f->loops[l].head == block && f->loops[l].cursor ? &f->loops[l] : NULL;
}

/* Only numbers and pointers lead: what isn't near leads nothing. */
static void add_lead(struct wv_leads *leads, uint32_t cursor, uint32_t ahead, const struct wv_val *v)
{
	if (v && is_near(&v->n))
		leads->of[leads->n++] = (struct wv_lead){cursor, ahead, *v};
}

void wv_leads_load(const struct wv_function *f, uint32_t block, const struct wv_state *st, struct wv_leads *leads)
{
	const struct wv_block *b = &f->blocks[block];
	const struct wv_loop *sharer = sharer_at(f, block);
	leads->n = 0;
	if (sharer)
		add_lead(leads, sharer->cursor - 1, 0, whole_value(st, &sharer->rank));
	for (const struct wv_claim *c = b->claims; f->n_cursors && c < b->claims + b->n_claims; c++) {
		if (c->facts->which & WV_FACT_LEAD)
			add_lead(leads, c->facts->cursor, c->facts->ahead, whole_value(st, &c->loc));
	}
}

static struct wv_val lead_moved(const struct wv_val *v, uint64_t by)
{
	struct wv_num c = wv_num_const(by);
	struct wv_val r = *v;
	r.n = wv_num_binary(WV_ADD, 64, &v->n, &c);
	r.add += by;
	return r;
}

struct wv_num wv_lead_distance(const struct wv_state *st, const struct wv_val *lead, const struct wv_val *v)
{
	struct wv_num d = wv_state_distance(st, lead, 1, v);
	for (uint32_t i = 0; i < st->n_choices && i < WV_MAX_CHOICES; i++) {
		const struct wv_choice *c = &st->choice[i];
		struct wv_val a = lead_moved(&c->a, v->add - c->is.add), b = lead_moved(&c->b, v->add - c->is.add);
		if (c->is.sym != v->sym)
			continue;
		struct wv_num da = wv_state_distance(st, lead, 1, &a), db = wv_state_distance(st, lead, 1, &b),
			      one = wv_num_join(&da, &db), both = d;
		d = wv_num_meet(&both, &one) ? both : d;
	}
	return d;
}

/* Is `v` ahead of the cursor, by at least `ahead`? One of the leads must say so. */
static bool is_ahead(const struct wv_function *f, const struct wv_leads *leads, uint32_t cursor,
	const struct wv_state *st, const struct wv_val *v, uint64_t ahead)
{
	for (uint32_t i = 0; v && is_near(&v->n) && i < leads->n; i++) {
		if (leads->of[i].cursor != cursor)
			continue;
		struct wv_num d = wv_lead_distance(st, &leads->of[i].v, v);
		if (wv_rank_ahead(&d, f->cursors[cursor].down, leads->of[i].ahead) >= (int64_t)ahead)
			return true;
	}
	return false;
}

/* What leads the cursor on an edge: where its owner is entered, everything does. */
static const struct wv_leads *leads_on(const struct wv_function *f, uint32_t cursor, uint32_t from,
	const struct wv_leads *leads, struct wv_leads *begun)
{
	const struct wv_nest_cursor *c = &f->cursors[cursor];
	const struct wv_val far = {
		.kind = WV_NUM, .n = wv_num_const((uint64_t)(c->down ? WV_CURSOR_FAR : -WV_CURSOR_FAR))};
	if (wv_loop_has(f, c->owner, from))
		return leads;
	begun->n = 0;
	add_lead(begun, cursor, 0, &far);
	return begun;
}

static void location_say(char *why, size_t size, const char *what, const struct wv_loc *loc)
{
	if (loc->slot)
		snprintf(why, size, "stack-%u %s", loc->slot * 8, what);
	else
		snprintf(why, size, "%s %s", ward_register_name(loc->reg), what);
}

/* Whatever must be ahead is compared with each lead, and of a value that is one of two with both. */
uint64_t wv_cursors_steps(
	const struct wv_function *f, uint32_t to, const struct wv_state *st, const struct wv_leads *leads)
{
	uint64_t ahead = f->blocks[to].n_leads + (sharer_at(f, to) ? 1u : 0u);
	uint64_t choices = st->n_choices < WV_MAX_CHOICES ? st->n_choices : WV_MAX_CHOICES;
	return ahead * (leads->n + 1) * (1 + 2 * choices) * WV_STEPS_NUMBER;
}

bool wv_cursors_hold(const struct wv_function *f, uint32_t from, uint32_t to, const struct wv_state *st,
	const struct wv_leads *leads, char *why, size_t size)
{
	const struct wv_block *b = &f->blocks[to];
	const struct wv_loop *sharer = sharer_at(f, to);
	uint32_t set = sharer ? sharer->cursor - 1 : WV_MAX_CURSORS; /* no claim names this one */
	struct wv_leads begun, moved = {.n = 0};
	if (sharer) {
		const struct wv_val *v = whole_value(st, &sharer->rank);
		bool back = from >= sharer->head && from < sharer->end;
		uint64_t step = (uint64_t)(sharer->step < 0 ? -sharer->step : sharer->step);
		if (!is_ahead(f, leads_on(f, set, from, leads, &begun), set, st, v, back && sharer->alone ? step : 0)) {
			location_say(why, size,
				"may be behind where another loop of the nest, or an earlier round, has left it",
				&sharer->rank);
			return false;
		}
		add_lead(&moved, set, 0, v);
	}
	for (const struct wv_claim *c = b->claims; f->n_cursors && c < b->claims + b->n_claims; c++) {
		if (!(c->facts->which & WV_FACT_LEAD))
			continue;
		uint32_t cursor = c->facts->cursor;
		if (!is_ahead(f, cursor == set ? &moved : leads_on(f, cursor, from, leads, &begun), cursor, st,
			    whole_value(st, &c->loc), c->facts->ahead)) {
			location_say(
				why, size, "isn't known to be as far ahead of the cursor as the proof claims", &c->loc);
			return false;
		}
	}
	return true;
}
