/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an assembler was given has a unit in debug information like what a compiler was given, and the unit's language is DW_LANG_Mips_Assembler, whatever the processor. So the ranges of such units
 * are what somebody has written by hand. Nothing of a unit is read but its first entry. libdw runs confined, as it does elsewhere.
 */
#include "assembled.h"

#include "../confined.h"
#include "debugfile.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <libelf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CPU_SECONDS = 5,
	MEMORY_ROOM = 1 << 30,
	MOST = 1 << 16, /* parts */
};

struct file {
	void *image;
	size_t size;
};

static bool tell_ranges(Dwarf_Die *unit, int fd)
{
	struct wl_assembled_part part;
	Dwarf_Addr base;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &part.from, &part.to)) > 0)
		if (!wl_confined_write(fd, &part, sizeof(part)))
			return false;
	return true;
}

/* In the child. */
static bool search(void *arg, int fd)
{
	const struct file *file = arg;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	Dwarf *dwarf;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory(file->image, file->size);
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (!dwarf)
		return false;
	while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
		if (dwarf_srclang(&unit) == DW_LANG_Mips_Assembler && !tell_ranges(&unit, fd))
			return false;
	return true;
}

static int by_from(const void *a, const void *b)
{
	const struct wl_assembled_part *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* What the child says may be anything. */
static void put_in_order(struct wl_assembled *a)
{
	size_t kept = 0;

	qsort(a->v, a->n, sizeof(*a->v), by_from);
	for (size_t i = 0; i < a->n; i++) {
		struct wl_assembled_part *last = kept ? &a->v[kept - 1] : NULL;

		if (last && a->v[i].from <= last->to)
			last->to = a->v[i].to > last->to ? a->v[i].to : last->to;
		else if (a->v[i].from < a->v[i].to)
			a->v[kept++] = a->v[i];
	}
	a->n = kept;
}

static int search_file(const struct wl_elf *elf, struct wl_assembled *out)
{
	struct file file = {.size = elf->size};
	struct wl_confined confined = {search, &file, CPU_SECONDS, MEMORY_ROOM, MOST * sizeof(*out->v)};
	uint8_t *bytes = NULL;
	long n;

	/* Nobody reads it but the child, whom it may cost its life if the file is truncated. */
	file.image = mmap(NULL, file.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, elf->fd, 0);
	if (file.image == MAP_FAILED)
		return 0;
	n = wl_confined_run(&confined, &bytes);
	munmap(file.image, file.size);
	out->stuck = n < 0 && errno == EDEADLK;
	if (n < 0 && errno == ENOMEM)
		return ENOMEM;
	if (n > 0) {
		out->v = (struct wl_assembled_part *)(void *)bytes;
		out->n = (size_t)n / sizeof(*out->v);
		put_in_order(out);
	}
	return 0;
}

int wl_assembled_find(const struct wl_module *m, struct wl_assembled *out)
{
	struct wl_elf debug;
	int rc = 0;

	*out = (struct wl_assembled){0};
	if (wl_elf_section_named(&m->elf, ".debug_info"))
		return search_file(&m->elf, out);
	if (wl_debug_file_open(m->pid, m->first->path, &m->elf, &debug)) {
		if (wl_elf_section_named(&debug, ".debug_info"))
			rc = search_file(&debug, out);
		close(debug.fd);
		wl_elf_close(&debug);
	}
	return rc;
}

bool wl_assembled_has(const struct wl_assembled *assembled, const struct wl_module *m, uint64_t offset)
{
	size_t lo = 0, hi = assembled->n;
	uint64_t address = 0;

	for (size_t i = 0; i < m->elf.n_segments; i++) {
		const Elf64_Phdr *p = &m->elf.segments[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && offset >= p->p_offset && offset - p->p_offset < p->p_filesz)
			address = p->p_vaddr + (offset - p->p_offset);
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (assembled->v[mid].to <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < assembled->n && assembled->v[lo].from <= address;
}

void wl_assembled_free(struct wl_assembled *assembled)
{
	free(assembled->v);
	*assembled = (struct wl_assembled){0};
}
