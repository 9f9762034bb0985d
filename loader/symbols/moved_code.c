/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moved code.
 *
 * Programs that want large pages for their code copy it to anonymous memory and put that where the file was mapped
 * (mremap). node does so with --use-largepages. The kernel then shows a mapping without a file, or of a file of large
 * pages, between the mappings of the program.
 *
 * Where is such code? The segments of an ELF file have fixed distances. So one mapping of the file gives the addresses
 * of all others. An executable mapping that isn't the file's, and that begins inside one of its code segments, is taken
 * for that code. The nearest mapping of a file below it, or above it, shows which file that is.
 *
 * Is it that code? Each function's pages are compared with the file before a probe is put there. Some bytes differ
 * where other probes are, or where the code was relocated. So a page passes if more than half of its bytes equal the
 * file's. Bytes that are zero in the file aren't counted.
 */
#include "moved_code.h"

#include "symbols.h"

#include <string.h>
#include <unistd.h>

enum { PAGE = 4096, SEGMENTS = 64 };

/* The segments of the file that was looked at last. */
struct file {
	const struct wl_map *of;
	Elf64_Phdr segment[SEGMENTS];
	size_t n;
};

static uint64_t page_of(uint64_t at)
{
	return at & ~(uint64_t)(PAGE - 1);
}

static bool is_same_file(const struct wl_map *a, const struct wl_map *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

static size_t read_segments(pid_t pid, const struct wl_map *map, Elf64_Phdr *out)
{
	int fd = wl_open_mapped(pid, map);
	Elf64_Ehdr h;
	size_t n = 0;

	if (fd < 0)
		return 0;
	if (pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) && memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 &&
		h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_phentsize == sizeof(*out) && h.e_phnum <= SEGMENTS &&
		pread(fd, out, h.e_phnum * sizeof(*out), (off_t)h.e_phoff) == (ssize_t)(h.e_phnum * sizeof(*out)))
		n = h.e_phnum;
	close(fd);
	return n;
}

static void look_at_file(pid_t pid, const struct wl_map *map, struct file *f)
{
	if (f->of && is_same_file(f->of, map))
		return;
	f->of = map;
	f->n = read_segments(pid, map, f->segment);
}

/*
 * Does the file have code where the mapping is, and at which offset? `beside` is another mapping, which is the file's.
 */
static bool find_code(const struct file *f, const struct wl_map *beside, const struct wl_map *map, uint64_t *offset)
{
	for (size_t i = 0; i < f->n; i++) {
		const Elf64_Phdr *s = &f->segment[i];
		uint64_t bias = beside->start - (page_of(s->p_vaddr) + (beside->offset - page_of(s->p_offset)));

		if (s->p_type != PT_LOAD || beside->offset < page_of(s->p_offset) ||
			beside->offset - page_of(s->p_offset) >= s->p_offset % PAGE + s->p_filesz)
			continue;
		for (size_t k = 0; k < f->n; k++) {
			const Elf64_Phdr *code = &f->segment[k];
			uint64_t start = bias + page_of(code->p_vaddr);

			if (code->p_type != PT_LOAD || !(code->p_flags & PF_X) || map->start < start ||
				map->start - start >= code->p_vaddr % PAGE + code->p_filesz)
				continue;
			*offset = page_of(code->p_offset) + (map->start - start);
			return true;
		}
	}
	return false;
}

static bool is_file(const struct wl_map *m)
{
	return m->inode && m->path[0] == '/' && !m->moved && !wl_is_code_path(m->path);
}

static bool may_be_moved(const struct wl_map *m)
{
	return m->exec && !m->moved && !wl_is_code_path(m->path) && strncmp(m->path, "[v", 2) != 0 &&
	       strcmp(m->path, "[uprobes]") != 0;
}

static void find_beside(pid_t pid, struct wl_map *m, const struct wl_map *beside, struct file *f)
{
	Elf64_Phdr own[SEGMENTS];
	uint64_t offset;

	if (!beside || !may_be_moved(m) || is_same_file(m, beside))
		return;
	look_at_file(pid, beside, f);
	if (!find_code(f, beside, m, &offset) || (is_file(m) && read_segments(pid, m, own)))
		return;
	m->offset = offset;
	m->inode = beside->inode;
	m->major = beside->major;
	m->minor = beside->minor;
	m->path = beside->path;
	m->link_start = beside->start;
	m->link_end = beside->end;
	m->moved = true;
}

/* Does b continue a in the file? A function may cross the boundary between them. */
static bool map_continues(const struct wl_map *a, const struct wl_map *b)
{
	return (a->moved || b->moved) && a->end == b->start && a->exec && b->exec && is_same_file(a, b) &&
	       a->offset + (a->end - a->start) == b->offset && a->shared == b->shared && a->write == b->write;
}

static void maps_join(struct wl_maps *maps)
{
	size_t kept = 0;

	for (size_t i = 0; i < maps->n; i++) {
		if (kept && map_continues(&maps->v[kept - 1], &maps->v[i])) {
			maps->v[kept - 1].end = maps->v[i].end;
			maps->v[kept - 1].moved = true;
		} else {
			maps->v[kept++] = maps->v[i];
		}
	}
	maps->n = kept;
}

void wl_maps_find_moved(pid_t pid, struct wl_maps *maps)
{
	const struct wl_map *beside = NULL;
	struct file f = {0};
	bool any = false;

	for (size_t i = 0; i < maps->n; i++) {
		find_beside(pid, &maps->v[i], beside, &f);
		if (is_file(&maps->v[i]))
			beside = &maps->v[i];
	}
	beside = NULL;
	for (size_t i = maps->n; i-- > 0;) {
		find_beside(pid, &maps->v[i], beside, &f);
		if (is_file(&maps->v[i]))
			beside = &maps->v[i];
		any |= maps->v[i].moved;
	}
	if (any)
		maps_join(maps);
}

static bool is_page(const struct wl_process *p, int fd, uint64_t addr, uint64_t offset)
{
	uint8_t now[PAGE], was[PAGE];
	size_t same = 0, all = 0;

	memset(was, 0, sizeof(was)); /* the file may end inside its last page */
	if (!wl_process_read(p, addr, now, sizeof(now)) || pread(fd, was, sizeof(was), (off_t)offset) <= 0)
		return false;
	for (size_t i = 0; i < PAGE; i++) {
		all += was[i] != 0;
		same += was[i] && was[i] == now[i];
	}
	return same > all / 2;
}

bool wl_is_text(
	const struct wl_process *p, int fd, uint64_t addr, uint64_t offset, uint64_t size, struct wl_moved_page *last)
{
	for (uint64_t at = page_of(addr); at < addr + (size ? size : 1); at += PAGE) {
		if (last->addr != at) {
			last->same = is_page(p, fd, at, page_of(offset) + (at - page_of(addr)));
			last->addr = at;
		}
		if (!last->same)
			return false;
	}
	return true;
}
