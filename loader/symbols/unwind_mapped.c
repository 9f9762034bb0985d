/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the rows of what a process has mapped. */
#include "unwind_mapped.h"

#include "symbols.h"

#include <stdlib.h>
#include <unistd.h>

bool wl_unwind_is_of(const struct wl_unwind_mapped *u, const struct wl_map *map)
{
	return u->inode == map->inode && u->major == map->major && u->minor == map->minor;
}

void wl_unwind_mapped_read(struct wl_unwind_mapped *u, const struct wl_process *p, const struct wl_map *map)
{
	int fd = wl_is_vdso(map) ? wl_open_vdso(p->pid, map) : map->inode ? wl_open_mapped(p->pid, map) : -1;
	struct wl_elf elf;

	*u = (struct wl_unwind_mapped){.inode = map->inode, .major = map->major, .minor = map->minor};
	if (fd >= 0 && wl_elf_open(&elf, fd)) {
		u->base = wl_unwind_base(&elf);
		u->loaded = calloc(elf.n_segments + 1, sizeof(*u->loaded));
		for (size_t i = 0; u->loaded && i < elf.n_segments; i++)
			if (elf.segments[i].p_type == PT_LOAD)
				u->loaded[u->n_loaded++] = elf.segments[i];
		if (u->loaded && !wl_unwind_file(p->pid, map->path, &elf, &u->rows))
			wl_unwind_free(&u->rows);
		wl_elf_close(&elf);
	}
	if (fd >= 0)
		close(fd);
}

void wl_unwind_mapped_free(struct wl_unwind_mapped *u)
{
	wl_unwind_free(&u->rows);
	free(u->loaded);
	*u = (struct wl_unwind_mapped){0};
}

/* Where the first byte of a mapping is, by the file's own addresses. False if it has none there. */
static bool own_address(const struct wl_unwind_mapped *u, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < u->n_loaded; i++) {
		const Elf64_Phdr *ph = &u->loaded[i];
		uint64_t from = ph->p_offset & ~(uint64_t)4095;

		if (offset >= from && offset < ph->p_offset + ph->p_filesz) {
			*address = ph->p_vaddr - ph->p_offset + offset;
			return true;
		}
	}
	return false;
}

bool wl_unwind_mapped_skew(const struct wl_unwind_mapped *u, const struct wl_map *map, uint32_t *skew)
{
	uint64_t own = u->base;

	if ((u->inode && !own_address(u, map->offset, &own)) || own < u->base ||
		own - u->base + (map->end - map->start) > UINT32_MAX)
		return false;
	*skew = (uint32_t)(own - u->base);
	return true;
}
