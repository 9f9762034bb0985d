/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From sites to patches.
 *
 * A function is patched at its entry, at its exits, or at both; a tracepoint at its nop; an instruction where it
 * begins. First each site's code is read and analysed separately (exits.c, sdt_patch.c). Then all patches are checked
 * against each other, and against jumps from the rest of the text into the bytes they need (inbound_jumps.c). A site
 * that can't be patched gets a reason.
 */
#include "loader/code/exits.h"
#include "loader/code/inbound_jumps.h"
#include "original.h"
#include "loader/code/sdt_piece.h"
#include "loader/code/rseq.h"
#include "loader/code/site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FUNCTION_MAX = 1 << 20, /* code read at a time, to look for jumps */
	UNSIZED_MAX = 1 << 16,  /* a function whose symbol says no size */
	PATCHES_MAX = 1 << 23,
};

/* Bytes of code to analyse: as the symbol says, or up to the next symbol. */
static uint64_t function_size(const struct wl_site *site, uint64_t room)
{
	uint64_t size = site->size;

	if (!size)
		size = site->next && site->next < UNSIZED_MAX ? site->next : UNSIZED_MAX;
	return size < room ? size : room;
}

void wl_patch_refuse(struct wl_sites *sites, const struct wl_patch *p, const char *why)
{
	struct wl_site *s = &sites->v[p->site];

	if ((p->is_entry || s->point) && !s->entry.reason)
		s->entry.reason = why;
	if (s->point || (!p->d.exits && !(p->is_entry && s->pairs)))
		return;
	if (!s->exit.reason)
		s->exit.reason = why;
	/* The stub of a patch that is both calls both kinds of probes. */
	if (s->combined && !s->entry.reason)
		s->entry.reason = why;
}

struct wl_patch *wl_patch_at(const struct wl_sites *sites, uint64_t addr)
{
	size_t lo = 0, hi = sites->n_patches;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (sites->patches[mid].d.addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &sites->patches[lo - 1] : NULL;
}

const struct wl_patch *wl_cave_of(const struct wl_sites *sites, const struct wl_patch *p)
{
	const struct wl_patch *cave = wl_patch_at(sites, p->d.cave);

	return cave && cave->is_cave && cave->d.addr == p->d.cave ? cave : NULL;
}

bool wl_add_patch(struct wl_sites *sites, size_t site, const struct wl_displaced *d, bool is_entry)
{
	if (sites->n_patches == sites->patches_cap) {
		size_t cap = sites->patches_cap ? sites->patches_cap * 2 : 64;
		struct wl_patch *v = cap > PATCHES_MAX ? NULL : realloc(sites->patches, cap * sizeof(*v));

		if (!v)
			return false;
		sites->patches = v;
		sites->patches_cap = cap;
	}
	sites->patches[sites->n_patches++] = (struct wl_patch){.d = *d, .site = site, .is_entry = is_entry};
	return true;
}

static bool add_cave(struct wl_sites *sites, size_t site, const struct wl_displaced *of)
{
	struct wl_displaced d = {.addr = of->cave, .len = WL_JUMP_SIZE, .exits = 1};

	memcpy(d.bytes, of->cave_bytes, WL_JUMP_SIZE);
	if (!wl_add_patch(sites, site, &d, false))
		return false;
	sites->patches[sites->n_patches - 1].is_cave = true;
	return true;
}

/* Where no symbol says how large the function is, the unwind tables may. */
static void find_size(
	struct wl_site *site, const struct wl_process *p, const struct wl_maps *maps, const struct wl_map *map)
{
	uint64_t frames = wl_frames_find(p, maps, map), start, end;

	if (frames && wl_frames_range(p, frames, site->addr, &start, &end) && start == site->addr && end <= map->end)
		site->size = end - start;
}

/* Read the function's code. NULL, or why it can't be analysed. */
static const char *read_function(struct wl_site *site, struct wl_function *f, uint8_t *buf, const struct wl_process *p,
	const struct wl_maps *maps)
{
	const struct wl_map *map = wl_maps_find(maps, site->addr);
	uint64_t room = map ? map->end - site->addr : 0;

	*f = (struct wl_function){
		.addr = site->addr, .code = buf, .next_known = site->next != 0, .next = site->next, .go = site->go};
	if (site->lost)
		return site->lost;
	if (site->ifunc)
		return "the symbol is a resolver (IFUNC), which chooses the function at load time, and hasn't been "
		       "called yet, so the function isn't known";
	if (site->part)
		return "the symbol is a part of a function, which the compiler split off: it is jumped to, not called";
	if (!map || !map->exec)
		return "its code isn't mapped executable";
	if (!site->size && !site->next)
		find_size(site, p, maps, map);
	f->size = function_size(site, room);
	if (f->size > FUNCTION_MAX)
		return "the function is larger than 1 MiB";
	if (site->exit.n)
		f->frames = wl_frames_find(p, maps, map);
	f->available = f->size + ZYDIS_SLACK < room ? f->size + ZYDIS_SLACK : room;
	if (!wl_process_read(p, site->addr, buf, f->available))
		return "its code can't be read";
	wl_original_look(wl_original_of(p), f);
	if (!site->exit.n)
		f->joined = 0;
	return wl_original_differs(wl_original_of(p), site->addr, buf, f->size);
}

/* The exits' patches. False without memory. */
static bool check_exits(struct wl_sites *sites, size_t i, const struct wl_function *f, const struct wl_process *p,
	struct wl_displaced *entry)
{
	struct wl_site *site = &sites->v[i];
	struct wl_displaced *patches;
	size_t n;
	bool well = true;

	if (!site->size) {
		site->exit.reason = "its symbol has no size, so its exits can't be known";
		return true;
	}
	site->exit.reason = wl_body_exits(f, p, entry, &patches, &n, &site->leaves, &site->parts);
	if (site->exit.reason == wl_never_returns && site->exit.n == site->thrown.n)
		site->exit.reason = NULL; /* an exception is how it is left */
	for (size_t k = 0; k < n && well; k++)
		well = wl_add_patch(sites, i, &patches[k], false) &&
		       (!patches[k].cave || add_cave(sites, i, &patches[k]));
	free(patches);
	site->combined = entry && entry->exits;
	if (site->combined && site->exit.reason)
		entry->exits = 0;
	site->n_exits = (unsigned)n + (unsigned)__builtin_popcount(entry ? entry->exits : 0);
	return well;
}

/* False without memory. */
static bool check_site(
	struct wl_sites *sites, size_t i, uint8_t *buf, const struct wl_process *p, const struct wl_maps *maps)
{
	struct wl_site *site = &sites->v[i];
	struct wl_displaced entry;
	struct wl_function f;
	const char *why = read_function(site, &f, buf, p, maps);
	bool has_entry;

	if (why) {
		site->entry.reason = site->exit.reason = why;
		return true;
	}
	has_entry = site->entry.n || site->pairs || wl_is_hook(site);
	if (has_entry) {
		why = wl_displace(&f, &entry);
		site->entry.reason = why ? why : wl_check_tables(&f, &entry, p);
		site->is_call = entry.is_call;
		has_entry = !site->entry.reason;
	}
	if (site->pairs && !has_entry)
		site->exit.reason = site->entry.reason;
	else if (wl_can(&site->exit) && !check_exits(sites, i, &f, p, has_entry ? &entry : NULL))
		return false;
	return !has_entry || wl_add_patch(sites, i, &entry, true);
}

static bool check_point(struct wl_sites *sites, size_t i, const struct wl_piece *piece, uint8_t *buf,
	const struct wl_process *p, const struct wl_maps *maps)
{
	struct wl_site *site = &sites->v[i];
	const struct wl_map *map = wl_maps_find(maps, site->addr);
	struct wl_function f = {
		.addr = piece->start, .code = buf, .size = piece->end - piece->start, .frames = piece->frames};
	uint64_t room = map ? map->end - piece->start : 0;
	struct wl_displaced d;
	const char *why =
		site->go ? "it is in a Go function, which may have no stack left for a probe there" : piece->why;

	site->point->start = f.addr;
	site->point->size = f.size;
	f.available = f.size + ZYDIS_SLACK < room ? f.size + ZYDIS_SLACK : room;
	if (!why && !wl_process_read(p, f.addr, buf, f.available))
		why = "its code can't be read";
	if (!why)
		why = wl_original_differs(wl_original_of(p), f.addr, buf, f.size);
	if (!why)
		why = wl_point_place(
			&f, (size_t)(site->addr - f.addr), !site->point->text, piece->kin, piece->n_kin, p, &d);
	if (!site->entry.reason)
		site->entry.reason = why;
	if (site->entry.reason)
		return true;
	site->is_call = d.is_call;
	return wl_add_patch(sites, i, &d, true) && (!d.cave || add_cave(sites, i, &d));
}

static bool check_points(struct wl_sites *sites, uint8_t *buf, const struct wl_process *p, const struct wl_maps *maps)
{
	struct wl_pieces pieces;
	bool well = wl_pieces_find(sites, p, maps, FUNCTION_MAX, &pieces) == 0;

	for (size_t i = 0; i < sites->n && well; i++)
		if (sites->v[i].point)
			well = check_point(sites, i, wl_piece_of(&pieces, &sites->v[i]), buf, p, maps);
	wl_pieces_free(&pieces);
	return well;
}

/* Other processes see what is written into shared mappings, and the file may keep it. */
static void refuse_shared(struct wl_sites *sites, const struct wl_maps *maps)
{
	for (size_t i = 0; i < sites->n; i++) {
		const struct wl_map *m = wl_maps_find(maps, sites->v[i].addr);

		if (m && m->shared)
			sites->v[i].entry.reason = sites->v[i].exit.reason =
				"its code is mapped shared (MAP_SHARED): a patch would be in the file, or in other "
				"processes";
	}
}

static int by_address(const void *a, const void *b)
{
	const struct wl_patch *x = a, *y = b;

	return x->d.addr < y->d.addr ? -1 : x->d.addr > y->d.addr;
}

/* Functions that overlap, as their symbols have it, must not be patched twice at one place. */
static void refuse_overlaps(struct wl_sites *sites)
{
	const struct wl_patch *last = NULL;

	for (size_t i = 0; i < sites->n_patches; i++) {
		const struct wl_patch *p = &sites->patches[i];

		if (!wl_patch_wanted(sites, p))
			continue;
		if (last && last->d.addr + last->d.len > p->d.addr)
			wl_patch_refuse(sites, p, "the bytes to be patched belong to another site as well");
		else
			last = p;
	}
}

static void order_patches(struct wl_sites *sites)
{
	if (sites->n_patches)
		qsort(sites->patches, sites->n_patches, sizeof(*sites->patches), by_address);
	refuse_overlaps(sites);
}

static int check_all(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps)
{
	uint8_t *buf = malloc(FUNCTION_MAX + ZYDIS_SLACK);
	bool well = buf != NULL;
	int rc;

	for (size_t i = 0; i < sites->n && well; i++)
		well = sites->v[i].point || check_site(sites, i, buf, p, maps);
	well = well && check_points(sites, buf, p, maps);
	free(buf);
	if (!well)
		return ENOMEM;
	refuse_shared(sites, maps);
	order_patches(sites);
	wl_check_near_jumps(sites, p, maps);
	order_patches(sites);
	rc = wl_check_far_jumps(sites, p, maps);
	wl_rseq_refuse(sites);
	wl_sites_fit(sites, wl_original_of(p));
	wl_sites_check_throws(sites);
	for (size_t i = 0; i < sites->n; i++)
		if (sites->v[i].exit.n && sites->v[i].exit.n == sites->v[i].thrown.n)
			sites->v[i].exit.reason = sites->v[i].thrown.reason; /* nothing else is wanted there */
	return rc;
}

int wl_sites_check(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps)
{
	struct wl_process original = *p;
	struct wl_original o;
	int rc = wl_original_open(&o, p, maps);

	if (rc)
		return rc;
	original.below = &o.below;
	rc = check_all(sites, &original, maps);
	wl_original_close(&o);
	return rc;
}

/* Is there one of that kind, and none that can't be patched? Else why not. */
static const char *check_hook(const struct wl_sites *sites, enum wl_hook hook)
{
	const char *why = "no C++ runtime was found that says when an exception is caught";

	for (size_t i = 0; i < sites->n; i++)
		if (sites->v[i].hook == hook && sites->v[i].entry.reason)
			return "what the C++ runtime calls when an exception is caught can't be patched";
		else if (sites->v[i].hook == hook)
			why = NULL;
	return why;
}

void wl_sites_check_throws(struct wl_sites *sites)
{
	const char *why = check_hook(sites, WL_HOOK_CAUGHT);

	if (!why)
		why = check_hook(sites, WL_HOOK_RAISED);
	for (size_t i = 0; i < sites->n; i++)
		if (sites->v[i].thrown.n)
			sites->v[i].thrown.reason = sites->v[i].exit.reason ? sites->v[i].exit.reason : why;
}
