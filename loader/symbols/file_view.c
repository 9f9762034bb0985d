/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file as a process: its loadable segments are the mappings, at the addresses that the file itself gives them, and
 * memory is what the file has there. So all that looks for sites in a process looks for them in a file as well.
 *
 * Nothing is relocated, and no IFUNC is chosen. The process has our own number, so paths are looked up in our own view
 * of the file system. The file is hostile input: segments that a kernel wouldn't map in this order are left out.
 */
#include "file_view.h"

#include "loader/base/error.h"
#include "symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PAGE = 4096 };
static const uint64_t TOP = 1ull << 47; /* of the addresses that a program can have */

static size_t read_view(const struct wl_below *below, uint64_t addr, void *buf, size_t size)
{
	const struct wl_file_view *view = (const struct wl_file_view *)below; /* its first member */
	size_t n = 0;

	while (n < size) {
		const struct wl_map *m = wl_maps_find(&view->maps, addr + n);
		ssize_t got;
		size_t want;

		if (!m)
			break;
		want = m->end - (addr + n) < size - n ? (size_t)(m->end - (addr + n)) : size - n;
		got = pread(view->fd, (char *)buf + n, want, (off_t)(m->offset + (addr + n - m->start)));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		if (got == 0) { /* behind the file's end there are zeros */
			memset((char *)buf + n, 0, want);
			got = (ssize_t)want;
		}
		n += (size_t)got;
	}
	return n;
}

static bool is_mapped(const Elf64_Phdr *p, uint64_t after)
{
	return p->p_type == PT_LOAD && p->p_filesz && p->p_filesz <= p->p_memsz && p->p_vaddr < TOP &&
	       p->p_memsz < TOP - p->p_vaddr && p->p_offset < INT64_MAX - p->p_filesz &&
	       p->p_vaddr % PAGE == p->p_offset % PAGE && p->p_vaddr / PAGE * PAGE >= after;
}

/* The mappings of the file's segments, each up to the end of its last page that has bytes of the file. */
static int view_map(struct wl_file_view *view, const struct wl_elf *elf, const struct stat *st)
{
	uint64_t after = 0;

	view->maps.v = calloc(elf->n_segments + 1, sizeof(*view->maps.v));
	if (!view->maps.v)
		return ENOMEM;
	for (size_t i = 0; i < elf->n_segments; i++) {
		const Elf64_Phdr *p = &elf->segments[i];
		uint64_t start = p->p_vaddr / PAGE * PAGE;

		if (!is_mapped(p, after))
			continue;
		after = (p->p_vaddr + p->p_filesz + PAGE - 1) / PAGE * PAGE;
		view->maps.v[view->maps.n++] = (struct wl_map){.start = start,
			.end = after,
			.offset = p->p_offset / PAGE * PAGE,
			.read = p->p_flags & PF_R,
			.write = p->p_flags & PF_W,
			.exec = p->p_flags & PF_X,
			.major = major(st->st_dev),
			.minor = minor(st->st_dev),
			.inode = st->st_ino,
			.path = view->maps.text};
	}
	return 0;
}

static int view_fill(struct wl_file_view *view, const char *path, struct ward_error *err)
{
	struct wl_elf elf;
	struct stat st;
	int rc;

	view->maps.text = realpath(path, NULL);
	view->fd = view->maps.text ? open(view->maps.text, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	if (view->fd < 0) {
		wl_fail(err, WARD_E_USAGE, path, "can't open it: %s", strerror(errno));
		wl_hint(err, "give the path of a program or library; a running process is given by its number");
		return WARD_E_USAGE;
	}
	if (fstat(view->fd, &st) < 0 || !wl_elf_open(&elf, view->fd)) {
		wl_fail(err, WARD_E_USAGE, path, "it isn't a program or library for x86-64");
		wl_hint(err, "only an ELF file that is linked has sites: an executable, or a shared object");
		return WARD_E_USAGE;
	}
	rc = view_map(view, &elf, &st);
	wl_elf_close(&elf);
	return rc ? wl_no_memory(err) : 0;
}

int wl_file_view_open(struct wl_file_view *view, const char *path, struct ward_error *err)
{
	int rc;

	*view = (struct wl_file_view){.below = {.read_some = read_view}, .fd = -1};
	view->process = (struct wl_process){.below = &view->below, .pid = getpid(), .pidfd = -1, .mem = -1};
	rc = view_fill(view, path, err);
	if (rc)
		wl_file_view_close(view);
	return rc;
}

void wl_file_view_close(struct wl_file_view *view)
{
	if (view->fd >= 0)
		close(view->fd);
	view->fd = -1;
	wl_maps_free(&view->maps);
}
