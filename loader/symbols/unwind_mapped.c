/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the rows of what a process has mapped. */
#include "unwind_mapped.h"

#include "symbols.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int words_compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int wl_file_key_compare(const struct wl_file_key *a, const struct wl_file_key *b)
{
	int by = words_compare(a->inode, b->inode);

	by = by ? by : words_compare(a->device, b->device);
	by = by ? by : words_compare(a->changed, b->changed);
	return by ? by : words_compare(a->size, b->size);
}

struct wl_file_key wl_file_key(pid_t pid, const struct wl_map *map)
{
	struct wl_file_key key = {.inode = map->inode, .device = makedev(map->major, map->minor)};
	int fd = map->inode ? wl_open_mapped(pid, map) : -1;
	struct stat st;

	if (fd < 0)
		return key;
	if (fstat(fd, &st) == 0) {
		key.changed = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
		key.size = (uint64_t)st.st_size;
	}
	close(fd);
	return key;
}

void wl_unwind_mapped_read(
	struct wl_unwind_mapped *u, pid_t pid, const struct wl_map *map, const struct wl_file_key *key)
{
	int fd = wl_is_vdso(map) ? wl_open_vdso(pid, map) : map->inode ? wl_open_mapped(pid, map) : -1;
	struct wl_elf elf;

	*u = (struct wl_unwind_mapped){.of = *key};
	if (fd >= 0 && wl_elf_open(&elf, fd)) {
		u->base = wl_unwind_base(&elf);
		u->loaded = calloc(elf.n_segments + 1, sizeof(*u->loaded));
		for (size_t i = 0; u->loaded && i < elf.n_segments; i++)
			if (elf.segments[i].p_type == PT_LOAD)
				u->loaded[u->n_loaded++] = elf.segments[i];
		if (u->loaded && !wl_unwind_file(pid, map->path, &elf, &u->rows))
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

	if ((u->of.inode && !own_address(u, map->offset, &own)) || own < u->base ||
		own - u->base + (map->end - map->start) > UINT32_MAX)
		return false;
	*skew = (uint32_t)(own - u->base);
	return true;
}
