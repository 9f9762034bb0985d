/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces of code that contain static tracepoints.
 *
 * The unwind tables say where a tracepoint's function begins and ends, since many programs have no symbols: the
 * compiler describes there each piece of a function that it places separately. If the tables say nothing, the symbol
 * does. Either may lie. Then the code doesn't decode (sdt_patch.c), or other code jumps into the patch
 * (inbound_jumps.c), and the tracepoint is refused.
 *
 * A function may have several pieces, and the switch of one may lead into another. Such pieces jump into each other.
 * So Ward searches the whole mapping for what jumps into the tracepoint's piece, as inbound_jumps.c does, and keeps
 * these pieces as its kin.
 */
#include "sdt_piece.h"

#include "loader/symbols/unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_start(const void *a, const void *b)
{
	const struct wl_piece *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static struct wl_piece piece_at(
	const struct wl_site *s, const struct wl_process *p, const struct wl_maps *maps, uint64_t size_max)
{
	const struct wl_map *map = wl_maps_find(maps, s->addr);
	struct wl_piece piece = {0};

	if (!map || !map->exec)
		return piece;
	piece.frames = wl_frames_find(p, maps, map);
	if (!piece.frames || !wl_frames_range(p, piece.frames, s->addr, &piece.start, &piece.end)) {
		piece.start = s->point->start;
		piece.end = s->point->start + s->point->size;
	}
	if (piece.start > s->addr || piece.end <= s->addr || piece.start < map->start || piece.end > map->end)
		return (struct wl_piece){0};
	if (piece.end - piece.start > size_max)
		piece.why = "the function is larger than 1 MiB";
	return piece;
}

/* The last piece that begins at or below the address, and holds it; they don't overlap unless the tables lie. */
static struct wl_piece *piece_holding(const struct wl_pieces *pieces, uint64_t addr)
{
	size_t lo = 0, hi = pieces->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (pieces->v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < pieces->v[lo - 1].end ? &pieces->v[lo - 1] : NULL;
}

const struct wl_piece *wl_piece_of(const struct wl_pieces *pieces, const struct wl_site *site)
{
	const struct wl_piece *piece = piece_holding(pieces, site->addr);

	return piece ? piece : &pieces->unknown;
}

/* There is a jump at `from` into the piece. */
static void add_kin(struct wl_piece *piece, uint64_t from, const struct wl_process *p)
{
	struct wl_kin kin;

	if (piece->why || (from >= piece->start && from < piece->end))
		return;
	for (size_t i = 0; i < piece->n_kin; i++)
		if (from >= piece->kin[i].start && from < piece->kin[i].end)
			return;
	if (!piece->frames || !wl_frames_range(p, piece->frames, from, &kin.start, &kin.end))
		return; /* code without a description, so no part of a described function */
	if (piece->n_kin == WL_KIN)
		piece->why = "jumps lead to it from too many functions";
	else
		piece->kin[piece->n_kin++] = kin;
}

static void code_scan(
	struct wl_pieces *pieces, const uint8_t *code, size_t n, uint64_t addr, const struct wl_process *p)
{
	for (size_t i = 0; i + 6 <= n; i++) {
		struct wl_piece *piece;
		uint64_t target;
		int32_t d;

		if (code[i + 1] != 0xe9 && (code[i] != 0x0f || (code[i + 1] & 0xf0) != 0x80))
			continue;
		memcpy(&d, code + i + 2, 4);
		target = addr + i + 6 + (uint64_t)(int64_t)d;
		piece = piece_holding(pieces, target);
		if (piece && target != piece->start)
			add_kin(piece, addr + i + 1, p);
	}
}

static int find_kin(struct wl_pieces *pieces, const struct wl_process *p, const struct wl_maps *maps)
{
	enum { CHUNK = 1 << 20, OVERLAP = 8 };
	uint8_t *buf = malloc(CHUNK);
	size_t next = 0;

	if (!buf)
		return ENOMEM;
	for (size_t i = 0; i < maps->n && next < pieces->n; i++) {
		const struct wl_map *m = &maps->v[i];
		size_t first = next;

		while (next < pieces->n && pieces->v[next].start < m->end)
			next++;
		for (uint64_t at = m->start; first < next && at < m->end; at += CHUNK - OVERLAP) {
			size_t want = m->end - at < CHUNK ? (size_t)(m->end - at) : CHUNK;

			code_scan(pieces, buf, wl_process_read_some(p, at, buf, want), at, p);
		}
	}
	free(buf);
	return 0;
}

int wl_pieces_find(const struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps,
	uint64_t size_max, struct wl_pieces *out)
{
	size_t n = 0, kept = 0;

	*out = (struct wl_pieces){.unknown.why = "where the function that it stands in begins and ends can't be known"};
	for (size_t i = 0; i < sites->n; i++)
		n += sites->v[i].point != NULL;
	if (!n)
		return 0;
	out->v = calloc(n, sizeof(*out->v));
	if (!out->v)
		return ENOMEM;
	for (size_t i = 0; i < sites->n; i++) {
		struct wl_piece piece = {0};

		if (sites->v[i].point)
			piece = piece_at(&sites->v[i], p, maps, size_max);
		if (piece.end)
			out->v[out->n++] = piece;
	}
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_start);
	for (size_t i = 0; i < out->n; i++)
		if (!kept || out->v[kept - 1].start != out->v[i].start || out->v[kept - 1].end != out->v[i].end)
			out->v[kept++] = out->v[i];
	out->n = kept;
	return find_kin(out, p, maps);
}

void wl_pieces_free(struct wl_pieces *pieces)
{
	free(pieces->v);
	*pieces = (struct wl_pieces){0};
}
