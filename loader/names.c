/*
 * Names of addresses. What is mapped is looked at while the process is there; a module's file stays open, and its symbols are read when the first of its addresses is asked for, which may be when the
 * process is long gone. The maps and the files are hostile: a lie makes a wrong name, nothing worse.
 */
#include "error.h"
#include "user/process.h"
#include "user/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 64 }; /* of one function, that are looked at */

struct ward_names {
	struct wl_maps maps;
	struct wl_modules modules;
	bool no_memory; /* for the symbols of one */
};

int ward_names_open(pid_t pid, ward_names **out, struct ward_error *err)
{
	struct ward_error local;
	struct ward_error *e = err ? err : &local;
	struct ward_names *names = calloc(1, sizeof(*names));
	int rc = 0;

	wl_clear(e);
	*out = NULL;
	if (!names)
		return wl_no_memory(e);
	if (wl_maps_read(pid, &names->maps) || names->maps.n == 0) { /* a zombie has nothing mapped */
		rc = wl_fail(e, WARD_E_TARGET, "names", "what the process has mapped can't be read");
		wl_hint(e, "the process must be there, and be yours");
	} else if (wl_modules_read(pid, &names->maps, &names->modules)) {
		rc = wl_no_memory(e);
	}
	if (rc)
		ward_names_close(names);
	else
		*out = names;
	return rc;
}

void ward_names_close(ward_names *names)
{
	if (!names)
		return;
	wl_modules_free(&names->modules);
	wl_maps_free(&names->maps);
	free(names);
}

static struct wl_module *module_of(const struct ward_names *names, const struct wl_map *map)
{
	for (size_t i = 0; i < names->modules.n; i++) {
		const struct wl_map *first = names->modules.v[i].first;

		if (first->inode == map->inode && first->major == map->major && first->minor == map->minor)
			return &names->modules.v[i];
	}
	return NULL;
}

/* A place in the file as the file itself has it, and tools that look at nothing else. */
static uint64_t own_address(const struct wl_module *m, uint64_t offset)
{
	for (size_t i = 0; i < m->elf.n_segments; i++) {
		const Elf64_Phdr *p = &m->elf.segments[i];

		if (p->p_type == PT_LOAD && offset >= p->p_offset && offset - p->p_offset < p->p_filesz)
			return offset - p->p_offset + p->p_vaddr;
	}
	return offset;
}

/* Of several names for one function the one that programs call it by: with the fewest underscores before it, then the shortest. */
static bool is_better(const char *a, const char *b)
{
	size_t x = strspn(a, "_"), y = strspn(b, "_");

	return x != y ? x < y : strlen(a) < strlen(b);
}

/* The function that this place in the file belongs to, or NULL. */
static const struct wl_symbol *function_at(const struct wl_module *m, uint64_t offset)
{
	size_t lo = 0, hi = m->n_symbols;
	const struct wl_symbol *best = NULL;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (m->symbols[mid].offset <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i-- > 0 && lo - i <= MOST_NAMES && m->symbols[i].offset == m->symbols[lo - 1].offset;) {
		const struct wl_symbol *s = &m->symbols[i];

		if ((s->size == 0 || offset - s->offset < s->size) && (!best || is_better(s->name, best->name)))
			best = s;
	}
	return best;
}

bool ward_names_find(ward_names *names, uint64_t address, char *text, size_t size)
{
	const struct wl_map *map = wl_maps_find(&names->maps, address);
	struct wl_module *m = map && map->exec && map->inode ? module_of(names, map) : NULL;
	const struct wl_symbol *s;
	uint64_t offset;

	if (!m || names->no_memory)
		return false;
	names->no_memory = wl_module_load_symbols(m) != 0;
	if (names->no_memory)
		return false;
	offset = address - map->start + map->offset;
	s = function_at(m, offset);
	if (!s)
		snprintf(text, size, "%s+%#" PRIx64, m->name, own_address(m, offset));
	else if (offset == s->offset)
		snprintf(text, size, "%s!%s", m->name, s->name);
	else
		snprintf(text, size, "%s!%s+%#" PRIx64, m->name, s->name, offset - s->offset);
	return true;
}
