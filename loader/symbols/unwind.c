/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind tables.
 *
 * Compilers describe every piece of code that they make for unwinding (an FDE): where it begins and how long it is. A
 * function has one description, and each part that was split off has another, whether there are symbols or not. A
 * table sorted by address leads to them; the program header PT_GNU_EH_FRAME says where it is. All of it is mapped in
 * the target and read there. It is hostile input: each value is checked before it is used, and only a few bytes are
 * read at a time.
 *
 * Only the forms that linkers make are read: distances of 32 bits. Other forms count as unknown, which at most
 * refuses a site.
 */
#include "unwind.h"

#include <elf.h>
#include <string.h>

enum { PCREL_SDATA4 = 0x1b, UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b, MAX_PROGRAM_HEADERS = 64, MAX_ENTRIES = 1 << 24 };

uint64_t wl_frames_find(const struct wl_process *p, const struct wl_maps *maps, const struct wl_map *map)
{
	const struct wl_map *first = NULL;
	Elf64_Phdr ph[MAX_PROGRAM_HEADERS];
	uint64_t load = ~0ull, table = 0;
	Elf64_Ehdr eh;

	for (size_t i = 0; i < maps->n && !first; i++)
		if (maps->v[i].inode == map->inode && maps->v[i].major == map->major &&
			maps->v[i].minor == map->minor && maps->v[i].offset == 0)
			first = &maps->v[i];
	if (!first || !map->inode || !wl_process_read(p, first->start, &eh, sizeof(eh)) ||
		memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_phentsize != sizeof(ph[0]) ||
		eh.e_phnum > MAX_PROGRAM_HEADERS || eh.e_phoff > 4096 ||
		!wl_process_read(p, first->start + eh.e_phoff, ph, eh.e_phnum * sizeof(ph[0])))
		return 0;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD && ph[i].p_offset == 0)
			load = ph[i].p_vaddr;
		if (ph[i].p_type == PT_GNU_EH_FRAME)
			table = ph[i].p_vaddr;
	}
	return table && load != ~0ull ? first->start + (table - load) : 0;
}

/* The last entry of the table at or below the address: where its description is. */
static bool table_search(const struct wl_process *p, uint64_t table, uint64_t addr, uint64_t *fde)
{
	struct {
		uint8_t version, pointer, count, entries;
		int32_t frames;
		uint32_t n;
	} head;
	int32_t entry[2];
	uint32_t lo = 0, hi;

	if (!wl_process_read(p, table, &head, sizeof(head)) || head.version != 1 || head.pointer != PCREL_SDATA4 ||
		head.count != UDATA4 || head.entries != DATAREL_SDATA4 || head.n > MAX_ENTRIES)
		return false;
	for (hi = head.n; lo < hi;) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (!wl_process_read(p, table + sizeof(head) + 8ull * mid, entry, sizeof(entry)))
			return false;
		if (table + (uint64_t)(int64_t)entry[0] <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || !wl_process_read(p, table + sizeof(head) + 8ull * (lo - 1), entry, sizeof(entry)))
		return false;
	*fde = table + (uint64_t)(int64_t)entry[1];
	return true;
}

/* A number in LEB128 is passed over. */
static bool skip_number(const uint8_t *p, size_t n, size_t *at)
{
	while (*at < n && (p[*at] & 0x80))
		++*at;
	return ++*at < n;
}

/* How the descriptions of a CIE are written. */
struct form {
	bool plain;      /* addresses are distances of 32 bits */
	bool exceptions; /* they may have an exception table; in the same form, if all of this could be read */
};

static bool read_form(const uint8_t *cie, size_t n, struct form *form)
{
	const char *augmentation = (const char *)cie + 9;
	size_t at = 9 + strnlen(augmentation, n - 9) + 1;
	bool exceptions = false;

	*form = (struct form){false, *augmentation != 0};
	if (at >= n || cie[8] != 1 || *augmentation != 'z' || !skip_number(cie, n, &at) || !skip_number(cie, n, &at))
		return false;
	at++; /* the return address's register */
	if (at >= n || !skip_number(cie, n, &at))
		return false;
	for (const char *c = augmentation + 1; *c; c++) {
		if (at >= n)
			return false;
		if (*c == 'R') {
			form->plain = cie[at++] == PCREL_SDATA4;
		} else if (*c == 'L') {
			exceptions = true;
			if (cie[at++] != PCREL_SDATA4)
				return false;
		} else if (*c == 'P') {
			if ((cie[at] & 0x0f) != 0x0b && (cie[at] & 0x0f) != 0x03)
				return false;
			at += 5;
		} else if (*c != 'S') {
			return false;
		}
	}
	if (form->plain)
		form->exceptions = exceptions;
	return form->plain;
}

struct fde {
	uint32_t length, cie;
	int32_t begin;
	uint32_t range;
	uint8_t more; /* bytes of what follows */
	uint8_t exceptions[4];
};

/* The description of the piece that the address lies in, which stands at *at. */
static bool find_fde(
	const struct wl_process *p, uint64_t table, uint64_t addr, struct fde *fde, uint64_t *at, struct form *form)
{
	uint8_t cie[64];
	uint64_t start;
	size_t n;

	*form = (struct form){false, false};
	if (!table || !table_search(p, table, addr, at))
		return false;
	form->exceptions = true; /* until it is read that there are none */
	if (!wl_process_read(p, *at, fde, sizeof(*fde)) || fde->length < 13 || fde->length == UINT32_MAX || !fde->cie)
		return false;
	n = wl_process_read_some(p, *at + 4 - fde->cie, cie, sizeof(cie));
	if (n < 16 || memcmp(cie + 4, "\0\0\0\0", 4) != 0 || !read_form(cie, n, form))
		return false;
	start = *at + 8 + (uint64_t)(int64_t)fde->begin;
	if (addr >= start && addr - start < fde->range)
		return true;
	form->exceptions = false; /* it is another's */
	return false;
}

bool wl_frames_range(const struct wl_process *p, uint64_t table, uint64_t addr, uint64_t *start, uint64_t *end)
{
	struct form form;
	struct fde fde;
	uint64_t at;

	if (!find_fde(p, table, addr, &fde, &at, &form))
		return false;
	*start = at + 8 + (uint64_t)(int64_t)fde.begin;
	*end = *start + fde.range;
	return true;
}

/* ---- exception tables ---- */

enum { OMITTED = 0xff, ULEB128 = 0x01, FDES_MAX = 64, CALL_SITES_MAX = 1 << 20 };

/* Bytes of the target, one after the other. */
struct cursor {
	const struct wl_process *p;
	uint64_t next;
	uint8_t buf[256];
	size_t at, n;
	bool failed;
};

static uint8_t byte_take(struct cursor *c)
{
	if (c->at == c->n) {
		c->n = wl_process_read_some(c->p, c->next, c->buf, sizeof(c->buf));
		c->at = 0;
		c->next += c->n;
		c->failed |= c->n == 0;
	}
	return c->failed ? 0 : c->buf[c->at++];
}

static uint64_t cursor_address(const struct cursor *c)
{
	return c->next - (c->n - c->at);
}

static uint64_t take_number(struct cursor *c, uint8_t form)
{
	uint64_t v = 0;

	for (unsigned i = 0; form == UDATA4 && i < 4; i++)
		v |= (uint64_t)byte_take(c) << 8 * i;
	for (unsigned shift = 0; form == ULEB128; shift += 7) {
		uint8_t byte = byte_take(c);

		if (shift > 56) /* no number of theirs is so large */
			c->failed = true;
		if (c->failed)
			return 0;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return v;
}

/*
 * The table at `lsda` is for the piece of code at `start`: C++'s form, which other languages share. Handlers are
 * counted from the beginning of the piece, unless it says another place, which isn't followed.
 */
static bool read_handlers(
	const struct wl_process *p, uint64_t lsda, uint64_t start, uint64_t addr, size_t size, bool *at)
{
	struct cursor c = {.p = p, .next = lsda};
	uint64_t length, end;
	uint8_t form;

	if (byte_take(&c) != OMITTED)
		return false;
	if (byte_take(&c) != OMITTED)
		take_number(&c, ULEB128);
	form = byte_take(&c);
	length = take_number(&c, ULEB128);
	end = cursor_address(&c) + length;
	if (c.failed || (form != ULEB128 && form != UDATA4) || length > CALL_SITES_MAX)
		return false;
	while (cursor_address(&c) < end) {
		uint64_t handler;

		take_number(&c, form);
		take_number(&c, form);
		handler = take_number(&c, form);
		take_number(&c, ULEB128);
		if (c.failed)
			return false;
		if (!handler)
			continue;
		if (start + handler - addr >= size)
			return false;
		at[start + handler - addr] = true;
	}
	return cursor_address(&c) == end;
}

bool wl_frames_handlers(const struct wl_process *p, uint64_t table, uint64_t addr, size_t size, bool *at)
{
	uint64_t from = addr;

	for (unsigned i = 0; i < FDES_MAX && from - addr < size; i++) {
		struct form form;
		int32_t distance = 0;
		uint64_t start, fde_at;
		struct fde fde;

		/* The address has no description, or its description can't be read. */
		if (!find_fde(p, table, from, &fde, &fde_at, &form))
			return !form.exceptions;
		start = fde_at + 8 + (uint64_t)(int64_t)fde.begin;
		if (form.exceptions && fde.more != 4)
			return false;
		if (form.exceptions)
			memcpy(&distance, fde.exceptions, 4);
		if (distance && !read_handlers(p, fde_at + 17 + (uint64_t)(int64_t)distance, start, addr, size, at))
			return false;
		from = start + fde.range;
	}
	return from - addr >= size;
}
