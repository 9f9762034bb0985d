/* SPDX-License-Identifier: Apache-2.0 */
#include "rank.h"

static uint64_t bit_length(uint64_t x)
{
	return x ? 64 - (uint64_t)__builtin_clzll(x) : 0;
}

/* How many bits may be ones: those within the greatest number's length that aren't known to be zero. */
static uint64_t ones_at_most(const struct wv_num *n)
{
	uint64_t room = bit_length(n->umax) == 64 ? UINT64_MAX : (UINT64_C(1) << bit_length(n->umax)) - 1;
	return (uint64_t)__builtin_popcountll(room & ~(n->known & ~n->bits));
}

bool wv_rank_moves(enum wv_view view, const struct wv_num *n, int64_t step)
{
	int64_t moved;
	switch (view) {
	case WV_U64: return step > 0 ? n->umax <= UINT64_MAX - (uint64_t)step : n->umin >= (uint64_t)0 - (uint64_t)step;
	case WV_S64: return !__builtin_add_overflow(step > 0 ? n->smax : n->smin, step, &moved);
	case WV_U32: return step > 0 ? n->lumax + step <= UINT32_MAX : n->lumin + step >= 0;
	case WV_LENGTH:
	case WV_ONES: return true; /* these go down only, and no number has less than none */
	default: return step > 0 ? n->lsmax + step <= INT32_MAX : n->lsmin + step >= INT32_MIN;
	}
}

uint64_t wv_rank_width(enum wv_view view, const struct wv_num *n)
{
	switch (view) {
	case WV_U64: return n->umax - n->umin;
	case WV_S64: return (uint64_t)n->smax - (uint64_t)n->smin;
	case WV_U32: return n->lumax - n->lumin;
	case WV_LENGTH: return bit_length(n->umax) - bit_length(n->umin);
	case WV_ONES: return ones_at_most(n) - (n->umin > 0);
	default: return (uint64_t)((int64_t)n->lsmax - n->lsmin);
	}
}

const struct wv_val *wv_rank_value(const struct wv_state *st, const struct wv_loc *loc)
{
	const struct wv_val *v = NULL;
	if (!loc->slot)
		v = &st->reg[loc->reg];
	else if (loc->slot <= st->n_slots && st->slot[loc->slot - 1].width)
		v = &st->slot[loc->slot - 1].v;
	return v && (v->kind == WV_NUM || v->kind == WV_PTR) ? v : NULL;
}

unsigned wv_rank_bits(const struct wv_state *st, const struct wv_loc *loc)
{
	return !loc->slot ? 64 : loc->slot <= st->n_slots ? st->slot[loc->slot - 1].width * 8u : 0;
}

/* Distances of numbers that lead cursors are far from the ends of 64 bits; of others what comes out is negative. */
int64_t wv_rank_ahead(const struct wv_num *d, bool down, uint32_t ahead)
{
	int64_t least = down ? ~d->smax : d->smin, sum;
	return __builtin_add_overflow(least, (int64_t)ahead + down, &sum) ? -1 : sum;
}
