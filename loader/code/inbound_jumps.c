/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three kinds of jumps into the middle of a patch that the function's own direct jumps don't show.
 *
 * 1. A switch jumps through a table of distances from the table's own address or, without -fpic, of addresses. The
 *    table's address is in the code, as a rip-relative lea or as a displacement. In a function with an indirect jump,
 *    every such reference is taken for a table, which is read as long as its entries lead into the function. Data
 *    that only looks like a table does no harm.
 *
 * 2. A part that the compiler split off (`f.cold`), or assembly, jumps back with a displacement of 32 bits. The four
 *    bytes behind every e8, e9 or 0f 8x in the module's code are taken for such a displacement, whether an
 *    instruction begins there or not. That refuses a few sites per billion needlessly, and misses none.
 *
 * 3. Assembly also jumps from one function into another nearby with a displacement of 8 bits. Taking all such pairs
 *    of bytes for jumps would refuse too many sites. So if there are any, the code around them is decoded. Behind the
 *    function the beginnings of instructions are known. Before the function, decoding starts at 16 places well before
 *    it: wrong decodings meet the right one after a few instructions, so the right one is soon among them. mempcpy
 *    jumps in this way to the instruction behind memcpy's first. Then only the first instruction is displaced, if
 *    there is a nop before the function for the long jump.
 */
#include "inbound_jumps.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <stdlib.h>

enum { TABLE_MAX = 1024 };

static const char INTO_PATCH[] = "a jump table of the function leads into the bytes to be patched";
static const char COMES_BACK[] = "code that it jumps to, or other code outside of it, jumps back into it";
static const char NEAR_JUMP[] = "a short jump from another function lands in the bytes to be patched";
static const char SHARED[] = "a short jump from another function leads into it: its exit would run without a call";
static const char FAR_JUMP[] = "a jump from elsewhere in the module lands in the bytes to be patched";

/* Is it a byte to which no jump may lead: one behind the first of the patch? */
static bool is_inside(const struct wl_displaced *d, uint64_t target)
{
	uint64_t len = d->is_call ? WL_JUMP_SIZE : d->len;

	return target > d->addr && target < d->addr + len;
}

static bool leads_inside(const struct wl_function *f, const struct wl_displaced *d, const struct wl_process *p,
	uint64_t table, bool absolute)
{
	union {
		int32_t distance[TABLE_MAX];
		uint64_t address[TABLE_MAX / 2];
	} t;
	size_t n = wl_process_read_some(p, table, &t, sizeof(t)) / (absolute ? 8 : 4);

	for (size_t i = 0; i < n; i++) {
		uint64_t target = absolute ? t.address[i] : table + (uint64_t)(int64_t)t.distance[i];

		if (target < f->addr || target - f->addr >= f->size)
			break;
		if (is_inside(d, target))
			return true;
	}
	return false;
}

static bool has_indirect_jump(const ZydisDecoder *decoder, const struct wl_function *f)
{
	ZydisDecodedInstruction z;

	for (size_t at = 0; at < f->size; at += z.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, NULL, f->code + at, f->available - at, &z)))
			return true;
		if (z.mnemonic == ZYDIS_MNEMONIC_JMP && !z.raw.imm[0].is_relative)
			return true;
	}
	return false;
}

const char *wl_check_tables(const struct wl_function *f, const struct wl_displaced *d, const struct wl_process *p)
{
	ZydisDecodedInstruction z;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!has_indirect_jump(&decoder, f))
		return NULL;
	for (size_t at = 0; at < f->size; at += z.length) {
		uint64_t table;

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, f->code + at, f->available - at, &z)))
			break;
		if (z.raw.disp.size != 32)
			continue;
		if (z.mnemonic == ZYDIS_MNEMONIC_LEA && (z.attributes & ZYDIS_ATTRIB_IS_RELATIVE)) {
			table = f->addr + at + z.length + (uint64_t)z.raw.disp.value;
			if (leads_inside(f, d, p, table, false) || leads_inside(f, d, p, table, true))
				return INTO_PATCH;
		} else if (!(z.attributes & ZYDIS_ATTRIB_IS_RELATIVE) && z.raw.disp.value > 0 &&
			   leads_inside(f, d, p, (uint64_t)z.raw.disp.value, true)) {
			return INTO_PATCH;
		}
	}
	return NULL;
}

/* The patch that the address lies inside, or NULL. */
static const struct wl_patch *patch_hit(const struct wl_sites *sites, uint64_t target)
{
	const struct wl_patch *p = wl_patch_at(sites, target);

	return p && is_inside(&p->d, target) && wl_patch_wanted(sites, p) ? p : NULL;
}

/* The function that contains the address, if its exits are to be probed. */
static struct wl_site *body_hit(struct wl_sites *sites, uint64_t target)
{
	size_t lo = 0, hi = sites->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (sites->v[mid].addr <= target)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo && sites->v[lo - 1].point)
		lo--;
	return lo && wl_can(&sites->v[lo - 1].exit) && target - sites->v[lo - 1].addr < sites->v[lo - 1].size
		       ? &sites->v[lo - 1]
		       : NULL;
}

enum { SHORT_REACH = 128 + 2, WAYS = 16, RUN_UP = 96 };

static bool is_short_jump(const uint8_t *p)
{
	return (p[0] & 0xf0) == 0x70 || p[0] == 0xeb || (p[0] >= 0xe0 && p[0] <= 0xe3);
}

/* Addresses to which no outside code may jump: from lo up to hi. */
struct forbidden {
	uint64_t lo, hi;
};

static bool is_in(const struct forbidden *f, uint64_t addr)
{
	return addr >= f->lo && addr < f->hi;
}

static bool jump_hits(const struct forbidden *f, uint64_t from, const uint8_t *p)
{
	return is_short_jump(p) && is_in(f, from + 2 + (uint64_t)(int64_t)(int8_t)p[1]);
}

/* Decode from `at` on: is there an instruction, before `end`, that is a short jump to where it may not go? */
static bool decodes_to_hit(const ZydisDecoder *decoder, const struct forbidden *f, uint64_t addr, const uint8_t *code,
	size_t at, size_t end)
{
	ZydisDecodedInstruction z;

	for (; at + 2 <= end; at += z.length) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, NULL, code + at, end - at, &z))) {
			z.length = 1; /* data: continue behind it */
			continue;
		}
		if (z.raw.imm[0].is_relative && z.raw.imm[0].size == 8 &&
			is_in(f, addr + at + z.length + (uint64_t)z.raw.imm[0].value.s))
			return true;
	}
	return false;
}

/* The `n` bytes of code at addr, which are none of the function's. `known`: an instruction begins there. */
static bool short_jump_in(const ZydisDecoder *decoder, const struct forbidden *f, uint64_t addr, const uint8_t *code,
	size_t n, bool known)
{
	bool may = false;

	for (size_t i = 0; i + 2 <= n && !may; i++)
		may = jump_hits(f, addr + i, code + i);
	if (!may || known)
		return may && decodes_to_hit(decoder, f, addr, code, 0, n);
	for (size_t way = 0; way < WAYS && way < n; way++)
		if (decodes_to_hit(decoder, f, addr, code, way, n))
			return true;
	return false;
}

/* Is there such a jump in the code on either side of the function, as far as one reaches? */
static bool short_jump_about(
	const ZydisDecoder *decoder, const struct wl_site *s, const struct forbidden *f, const struct wl_process *p)
{
	uint64_t start = s->point ? s->point->start : s->addr, size = s->point ? s->point->size : s->size;
	uint64_t end = start + size, from = start - (SHORT_REACH + RUN_UP);
	uint8_t code[SHORT_REACH + RUN_UP];
	size_t n;

	if (f->lo - start < SHORT_REACH && start > sizeof(code)) {
		if (from / 4096 != start / 4096 && wl_process_read_some(p, from, code, 1) == 0)
			from = start & ~(uint64_t)4095; /* nothing is mapped before */
		n = wl_process_read_some(p, from, code, (size_t)(start - from));
		if (short_jump_in(decoder, f, from, code, n, false))
			return true;
	}
	if (!size || f->hi + SHORT_REACH < end)
		return false;
	n = wl_process_read_some(p, end, code, SHORT_REACH);
	return short_jump_in(decoder, f, end, code, n, true);
}

/*
 * The nop of five bytes or more that stands nearest before the function, in the padding between it and the code before
 * it, which ends where the unwind tables say. Code that runs on through the padding into the function (__memmove_chk
 * into memmove) goes by way of the nop's first byte only, and to the stub then, as a call does. 0 if there is none.
 */
static uint64_t nop_before(
	const ZydisDecoder *decoder, uint64_t addr, const struct wl_process *p, uint64_t frames, uint8_t *bytes)
{
	enum { FAR = 96 };
	uint64_t start, end = 0, found = 0;
	uint8_t code[FAR];
	ZydisDecodedInstruction z;

	for (unsigned back = 1; back <= FAR && !end; back++)
		if (wl_frames_range(p, frames, addr - back, &start, &end) && end > addr)
			return 0;
	if (!end || addr - end > FAR || !wl_process_read(p, end, code, (size_t)(addr - end)))
		return 0;
	for (uint64_t at = end; at < addr; at += z.length) {
		size_t o = (size_t)(at - end);

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(decoder, NULL, code + o, (size_t)(addr - at), &z)) ||
			z.mnemonic != ZYDIS_MNEMONIC_NOP)
			return 0;
		if (z.length < WL_JUMP_SIZE || at / 4096 != (at + WL_JUMP_SIZE - 1) / 4096)
			continue;
		found = at;
		memcpy(bytes, code + o, WL_JUMP_SIZE);
	}
	return found;
}

/*
 * A patch of two bytes, or as many as the first instruction has, instead of five, for a short jump to the nop before
 * the function.
 */
static bool make_shorter(const ZydisDecoder *decoder, struct wl_sites *sites, size_t i, const struct wl_process *p,
	const struct wl_maps *maps)
{
	struct wl_displaced d = sites->patches[i].d, cave = {.len = WL_JUMP_SIZE};
	size_t site = sites->patches[i].site;
	const struct wl_map *map = wl_maps_find(maps, d.addr);
	uint64_t frames = map ? wl_frames_find(p, maps, map) : 0;
	struct forbidden f = {.lo = d.addr + 1};
	unsigned n = 1;

	if (!sites->patches[i].is_entry || sites->patches[i].is_cave || d.exits || d.is_call || d.cave ||
		sites->v[site].point || !frames)
		return false;
	while (n < d.n_insns && d.at[n] < WL_SHORT_SIZE)
		n++;
	if ((n >= d.n_insns && !d.lacks_room) || d.len < WL_SHORT_SIZE || d.addr / 4096 != (d.addr + 1) / 4096)
		return false;
	d.len = n < d.n_insns ? d.at[n] : d.len;
	d.n_insns = (uint8_t)n;
	f.hi = d.addr + d.len;
	d.cave = cave.addr = nop_before(decoder, d.addr, p, frames, cave.bytes);
	if (!d.cave || d.addr + WL_SHORT_SIZE - d.cave > 128 || short_jump_about(decoder, &sites->v[site], &f, p))
		return false;
	memcpy(d.cave_bytes, cave.bytes, WL_JUMP_SIZE);
	if (!wl_add_patch(sites, site, &cave, true))
		return false;
	sites->patches[sites->n_patches - 1].is_cave = true;
	sites->patches[i].d = d;
	return true;
}

void wl_check_near_jumps(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps)
{
	size_t n = sites->n_patches;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t i = 0; i < n; i++) {
		const struct wl_patch *patch = &sites->patches[i];
		uint64_t len = patch->d.is_call ? WL_JUMP_SIZE : patch->d.len;
		struct forbidden f = {patch->d.addr + 1, patch->d.addr + len};

		if (wl_patch_wanted(sites, patch) &&
			(patch->d.lacks_room || short_jump_about(&decoder, &sites->v[patch->site], &f, p)) &&
			!make_shorter(&decoder, sites, i, p, maps))
			wl_patch_refuse(
				sites, &sites->patches[i], sites->patches[i].d.lacks_room ? wl_too_short : NEAR_JUMP);
	}
	for (size_t i = 0; i < sites->n; i++) {
		struct wl_site *s = &sites->v[i];
		struct forbidden f = {s->addr + 1, s->addr + s->size};

		if (wl_can(&s->exit) && short_jump_about(&decoder, s, &f, p))
			s->exit.reason = SHARED;
	}
}

static bool has_displacement(const uint8_t *p)
{
	return p[1] == 0xe9 || p[1] == 0xe8 || (p[0] == 0x0f && (p[1] & 0xf0) == 0x80);
}

/*
 * A function that is left by jumps may continue in a part of its own that the compiler split off. If such a part
 * comes back, there are jumps into the function from outside. Then those jumps weren't exits.
 */
static void check_part(struct wl_sites *sites, uint64_t from, uint64_t target)
{
	struct wl_site *site = body_hit(sites, target);

	if (!site || !site->leaves.tails || target == site->addr || from - site->addr < site->size)
		return;
	for (unsigned i = 0; i < site->parts.n; i++)
		if (from >= site->parts.v[i].start && from < site->parts.v[i].end)
			return;
	site->exit.reason = COMES_BACK;
}

static void code_scan(struct wl_sites *sites, const uint8_t *code, size_t n, uint64_t addr, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i + 6 <= n; i++) {
		const struct wl_patch *p;
		uint64_t target, from = addr + i + 1;
		int32_t d;

		if (!has_displacement(code + i))
			continue;
		memcpy(&d, code + i + 2, 4);
		target = addr + i + 6 + (uint64_t)(int64_t)d;
		if (target < lo || target > hi)
			continue;
		p = patch_hit(sites, target);
		/* The displaced bytes themselves move away: they were decoded, not guessed at. */
		if (p && !(from >= p->d.addr && from < p->d.addr + p->d.len))
			wl_patch_refuse(sites, p, FAR_JUMP);
		if (code[i + 1] != 0xe8)
			check_part(sites, from, target);
	}
}

int wl_check_far_jumps(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps)
{
	enum { CHUNK = 1 << 20, OVERLAP = 8 };
	uint8_t *buf = malloc(CHUNK);
	size_t first = 0;

	if (!buf)
		return ENOMEM;
	for (size_t i = 0; i < maps->n && first < sites->n; i++) {
		const struct wl_map *m = &maps->v[i];
		uint64_t lo, hi;
		size_t last = first;

		while (last < sites->n && sites->v[last].addr < m->end)
			last++;
		if (last == first)
			continue;
		/* a tracepoint's patch may begin before it, and a nop before a function be patched */
		lo = sites->v[first].addr - SHORT_REACH;
		hi = m->end;
		first = last;
		for (uint64_t at = m->start; at < m->end; at += CHUNK - OVERLAP) {
			size_t want = m->end - at < CHUNK ? (size_t)(m->end - at) : CHUNK;

			code_scan(sites, buf, wl_process_read_some(p, at, buf, want), at, lo, hi);
		}
	}
	free(buf);
	return 0;
}
