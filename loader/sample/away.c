/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is away, in a table with open addressing. It is at least twice as large as the number of threads that have been
 * there at a time.
 */
#include "away.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 64 };

static size_t slot_of(const struct wl_aways *a, uint32_t tid, uint16_t site)
{
	return (tid * 0x9e3779b1u + site * 0x85ebca6bu) & (a->cap - 1);
}

/* The thread's slot, or the first free one. */
static struct wl_away *slot_find(struct wl_aways *a, uint32_t tid, uint16_t site)
{
	for (size_t i = slot_of(a, tid, site);; i = (i + 1) & (a->cap - 1))
		if (!a->v[i].tid || (a->v[i].tid == tid && a->v[i].site == site))
			return &a->v[i];
}

static void away_clear(struct wl_away *away)
{
	free(away->bytes);
	*away = (struct wl_away){0};
}

/* Twice as large, so that at most half of it is used. */
static bool aways_grow(struct wl_aways *a)
{
	struct wl_aways larger = {.cap = a->cap ? 2 * a->cap : LEAST};

	larger.v = calloc(larger.cap, sizeof(*larger.v));
	if (!larger.v)
		return false;
	for (size_t i = 0; i < a->cap; i++)
		if (a->v[i].tid)
			*slot_find(&larger, a->v[i].tid, a->v[i].site) = a->v[i];
	larger.n = a->n;
	free(a->v);
	*a = larger;
	return true;
}

bool wl_away_begin(struct wl_aways *a, const struct wl_away *leave)
{
	struct wl_away *away;
	uint8_t *bytes;
	uint64_t room;

	if (2 * (a->n + 1) > a->cap && !aways_grow(a))
		return false;
	away = slot_find(a, leave->tid, leave->site);
	bytes = away->bytes;
	room = away->room;
	if (leave->copy.size > room) {
		bytes = realloc(bytes, leave->copy.size);
		if (!bytes)
			return false;
		room = leave->copy.size;
	}
	if (leave->copy.bytes && leave->copy.size)
		memcpy(bytes, leave->copy.bytes, leave->copy.size);
	a->n += !away->tid;
	*away = *leave;
	away->bytes = bytes;
	away->room = room;
	away->copy.bytes = leave->copy.bytes ? bytes : NULL;
	away->is_away = true;
	return true;
}

struct wl_away *wl_away_find(struct wl_aways *a, uint32_t tid, uint16_t site)
{
	struct wl_away *away = a->cap ? slot_find(a, tid, site) : NULL;

	return away && away->is_away ? away : NULL;
}

/* What was put behind it, as it was in the way, is put anew. */
static void slot_remove(struct wl_aways *a, struct wl_away *away)
{
	size_t i = (size_t)(away - a->v);

	away_clear(away);
	a->n--;
	for (i = (i + 1) & (a->cap - 1); a->v[i].tid; i = (i + 1) & (a->cap - 1)) {
		struct wl_away moved = a->v[i];

		a->v[i] = (struct wl_away){0};
		*slot_find(a, moved.tid, moved.site) = moved;
	}
}

void wl_away_ended(struct wl_aways *a, uint32_t tid, uint16_t sites)
{
	for (uint16_t site = 0; a->cap && site < sites; site++) {
		struct wl_away *away = slot_find(a, tid, site);

		if (away->tid)
			slot_remove(a, away);
	}
}

void wl_away_forget(struct wl_aways *a)
{
	for (size_t i = 0; i < a->cap; i++)
		away_clear(&a->v[i]);
	a->n = 0;
}

void wl_away_free(struct wl_aways *a)
{
	wl_away_forget(a);
	free(a->v);
	*a = (struct wl_aways){0};
}
