/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of addresses. What is mapped is looked at while the process is there; a module's file stays open, and its
 * symbols are read when the first of its addresses is asked for, which may be when the process is long gone. The maps
 * and the files are hostile: a lie makes a wrong name, nothing worse. The kernel names its own functions, if it shows
 * their addresses; it is asked when the first is asked for.
 */
#include "loader/base/error.h"
#include "loader/kernel/symbols.h"
#include "demangle.h"
#include "loader/process/process.h"
#include "moved_code.h"
#include "symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_NAMES = 64,        /* of one function, that are looked at */
	PLACE_ROOM = 2 + 3 + 8, /* bytes of "!" and "+0x12345678", with the end */
};

struct ward_names {
	struct wl_maps maps;
	struct wl_modules modules;
	bool no_memory; /* for the symbols of one */
	bool is_kernel, asked;
	struct wl_ksyms kernel; /* if asked; none if it doesn't tell */
};

int ward_names_open(pid_t pid, ward_names **out, struct ward_error *err)
{
	struct ward_error local;
	struct ward_error *e = err ? err : &local;
	struct ward_names *names;
	int rc = 0;

	wl_clear(e);
	if (!out)
		return wl_missing(e, "ward_names_open", "out");
	*out = NULL;
	names = calloc(1, sizeof(*names));
	if (!names)
		return wl_no_memory(e);
	if (wl_maps_read(pid, &names->maps) || names->maps.n == 0) { /* a zombie has nothing mapped */
		rc = wl_fail(e, WARD_E_TARGET, "names", "what the process has mapped can't be read");
		wl_hint(e, "the process must be running, and be yours");
	} else {
		wl_maps_find_moved(pid, &names->maps);
		rc = wl_modules_read(pid, &names->maps, &names->modules) ? wl_no_memory(e) : 0;
	}
	if (rc)
		ward_names_close(names);
	else
		*out = names;
	return rc;
}

int ward_names_open_kernel(ward_names **out, struct ward_error *err)
{
	struct ward_error local;
	struct ward_error *e = err ? err : &local;

	wl_clear(e);
	if (!out)
		return wl_missing(e, "ward_names_open_kernel", "out");
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return wl_no_memory(e);
	(*out)->is_kernel = true;
	return 0;
}

void ward_names_close(ward_names *names)
{
	if (!names)
		return;
	wl_ksyms_free(&names->kernel);
	wl_modules_free(&names->modules);
	wl_maps_free(&names->maps);
	free(names);
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

/* The function that this place in the file belongs to, or NULL. */
static const struct wl_symbol *function_at(const struct wl_module *m, uint64_t offset)
{
	size_t lo = wl_module_symbols_upto(m, offset);
	const struct wl_symbol *best = NULL;

	for (size_t i = lo; i-- > 0 && lo - i <= MOST_NAMES && m->symbols[i].offset == m->symbols[lo - 1].offset;) {
		const struct wl_symbol *s = &m->symbols[i];

		if ((s->size == 0 || offset - s->offset < s->size) && (!best || wl_is_better_name(s->name, best->name)))
			best = s;
	}
	return best;
}

static bool find_kernel(ward_names *names, uint64_t address, char *text, size_t size)
{
	struct ward_error unheard;

	if (!names->asked)
		wl_ksyms_all(NULL, &names->kernel, &unheard);
	names->asked = true;
	return wl_kname_find(&names->kernel, address, text, size);
}

bool ward_names_find(ward_names *names, uint64_t address, char *text, size_t size)
{
	const struct wl_map *map =
		names && !names->is_kernel && text && size ? wl_maps_find(&names->maps, address) : NULL;
	struct wl_module *m = map && map->exec && map->inode ? wl_module_of(&names->modules, map) : NULL;
	const struct wl_symbol *s;
	const char *shown;
	uint64_t offset;
	size_t room;
	int n;

	if (names && names->is_kernel)
		return text && size && find_kernel(names, address, text, size);
	if (!m || names->no_memory)
		return false;
	names->no_memory = wl_module_load_symbols(m) != 0;
	if (names->no_memory)
		return false;
	offset = address - map->start + map->offset;
	s = function_at(m, offset);
	shown = s ? wl_name_shown(s, &n) : NULL;
	room = size > PLACE_ROOM + strlen(m->name) ? size - PLACE_ROOM - strlen(m->name) : 0;
	if (s && offset != s->offset && (size_t)n > room) /* the offset is worth more than the end of such a name */
		n = (int)room;
	if (!s)
		snprintf(text, size, "%s+%#" PRIx64, m->name, own_address(m, offset));
	else if (offset == s->offset)
		snprintf(text, size, "%s!%.*s", m->name, n, shown);
	else
		snprintf(text, size, "%s!%.*s+%#" PRIx64, m->name, n, shown, offset - s->offset);
	return true;
}
