/*
 * Two more ways into the middle of a patch.
 *
 * A switch jumps through a table of distances from the table's own address (or, without -fpic, of addresses). The address stands in the
 * code as a rip-relative lea, or as a displacement: every such reference in a function that has an indirect jump is taken for a table and
 * read for as long as its entries lead into the function. What only looks like a table does no harm.
 *
 * A part that the compiler split off (`f.cold`), or hand-written assembly, jumps back in with a 32-bit displacement. Every four bytes
 * behind an e8, e9 or 0f 8x in the module's code are taken for one, whether an instruction begins there or not. That refuses a few sites
 * per billion for nothing and misses none.
 */
#include "jumps.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <stdlib.h>

enum { TABLE_MAX = 1024 };

static const char INTO_PATCH[] = "a jump table of the function leads into the bytes to be patched";
static const char COMES_BACK[] = "code that it jumps to, or other code outside of it, jumps back into it";
static const char FAR_JUMP[] = "a jump from elsewhere in the module lands in the bytes to be patched";

/* The bytes that nobody may jump to: behind the first of the patch. */
static bool inside(const struct wl_displaced *d, uint64_t target)
{
	uint64_t len = d->is_call ? WL_JUMP_SIZE : d->len;

	return target > d->addr && target < d->addr + len;
}

static bool leads_inside(
	const struct wl_function *f, const struct wl_displaced *d, const struct wl_process *p, uint64_t table, bool absolute)
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
		if (inside(d, target))
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

	return p && inside(&p->d, target) && wl_patch_wanted(sites, p) ? p : NULL;
}

/* The function that the address lies inside, if it is to be probed where it is left. */
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
	return lo && wl_can(&sites->v[lo - 1].exit) && target - sites->v[lo - 1].addr < sites->v[lo - 1].size ? &sites->v[lo - 1] : NULL;
}

static bool has_displacement(const uint8_t *p)
{
	return p[1] == 0xe9 || p[1] == 0xe8 || (p[0] == 0x0f && (p[1] & 0xf0) == 0x80);
}

/*
 * A function that is left by jumps may have been left for a part of its own that the compiler split off. One that comes back has jumps into it from
 * outside: then those weren't exits.
 */
static void check_part(struct wl_sites *sites, uint64_t from, uint64_t target)
{
	struct wl_site *site = body_hit(sites, target);

	if (site && site->tail && target != site->addr && from - site->addr >= site->size)
		site->exit.reason = COMES_BACK;
}

static void scan(struct wl_sites *sites, const uint8_t *code, size_t n, uint64_t addr, uint64_t lo, uint64_t hi)
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
		lo = sites->v[first].addr;
		hi = m->end;
		first = last;
		for (uint64_t at = m->start; at < m->end; at += CHUNK - OVERLAP) {
			size_t want = m->end - at < CHUNK ? (size_t)(m->end - at) : CHUNK;

			scan(sites, buf, wl_process_read_some(p, at, buf, want), at, lo, hi);
		}
	}
	free(buf);
	return 0;
}
