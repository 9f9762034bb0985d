/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing and searching /proc/PID/maps. */
#include "maps.h"

#include "ptrace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROC_FILE_MAX = 1 << 28 };

char *wl_read_proc(const char *path, size_t *size)
{
	size_t cap = 65536, n = 0;
	char *text = malloc(cap);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;

	if (fd < 0 || !text)
		goto fail;
	while ((got = read(fd, text + n, cap - n - 1)) > 0) {
		n += (size_t)got;
		if (n < cap - 1)
			continue;
		if (cap >= PROC_FILE_MAX) {
			errno = EFBIG;
			goto fail;
		}
		char *larger = realloc(text, cap * 2);
		if (!larger)
			goto fail;
		text = larger;
		cap *= 2;
	}
	if (got < 0)
		goto fail;
	close(fd);
	text[n] = 0;
	if (size)
		*size = n;
	return text;
fail:;
	int saved = errno;
	if (fd >= 0)
		close(fd);
	free(text);
	errno = saved;
	return NULL;
}

/* "55d0-55d1 r-xp 00001000 fe:01 1234   /path": false for a line of any other form. */
static bool parse_line(char *line, struct wl_map *m)
{
	char perms[5];
	int used = 0;

	m->old = m->moved = false;
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 "%n", &m->start, &m->end, perms,
		    &m->offset, &m->major, &m->minor, &m->inode, &used) != 7)
		return false;
	if (m->end <= m->start || strlen(perms) != 4)
		return false;
	m->link_start = m->start;
	m->link_end = m->end;
	m->read = perms[0] == 'r';
	m->write = perms[1] == 'w';
	m->exec = perms[2] == 'x';
	m->shared = perms[3] == 's';
	m->path = line + used;
	while (*m->path == ' ')
		m->path++;
	return true;
}

static int take_living(void *user, pid_t tid)
{
	pid_t *at = user;

	if (wl_is_zombie(tid))
		return 0;
	*at = tid;
	return 1;
}

pid_t wl_shown_at(pid_t pid)
{
	pid_t at = pid;

	if (wl_is_zombie(pid))
		wl_each_thread(pid, take_living, &at);
	return at;
}

int wl_maps_read(pid_t pid, struct wl_maps *maps)
{
	char path[64], *line, *rest;
	size_t cap = 0;

	memset(maps, 0, sizeof(*maps));
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)wl_shown_at(pid));
	maps->text = wl_read_proc(path, NULL);
	if (!maps->text)
		return errno == ENOENT ? ESRCH : errno ? errno : EIO;
	for (line = maps->text; *line; line = rest) {
		struct wl_map m;

		rest = line + strcspn(line, "\n");
		if (*rest)
			*rest++ = 0;
		if (!parse_line(line, &m) || (maps->n && m.start < maps->v[maps->n - 1].end))
			continue;
		if (maps->n == cap) {
			cap = cap ? cap * 2 : 64;
			struct wl_map *v = realloc(maps->v, cap * sizeof(*v));
			if (!v) {
				wl_maps_free(maps);
				return ENOMEM;
			}
			maps->v = v;
		}
		maps->v[maps->n++] = m;
	}
	return 0;
}

void wl_maps_free(struct wl_maps *maps)
{
	free(maps->v);
	free(maps->text);
	memset(maps, 0, sizeof(*maps));
}

size_t wl_maps_above(const struct wl_maps *maps, uint64_t addr)
{
	size_t lo = 0, hi = maps->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (addr >= maps->v[mid].end)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct wl_map *wl_maps_find(const struct wl_maps *maps, uint64_t addr)
{
	size_t i = wl_maps_above(maps, addr);

	return i < maps->n && addr >= maps->v[i].start ? &maps->v[i] : NULL;
}

static uint64_t distance_of(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/*
 * Room kept free: below a stack, which grows down, and above the heap, which grows up. Where a gap is smaller than the
 * room there is nothing to be had in it.
 */
enum { MARGIN = 65536, GROWTH = 64 << 20 };

static uint64_t margin_above(const struct wl_map *m)
{
	return m && strcmp(m->path, "[heap]") == 0 ? GROWTH : MARGIN;
}

static uint64_t margin_below(const struct wl_map *m)
{
	return m && strcmp(m->path, "[stack]") == 0 ? GROWTH : MARGIN;
}

uint64_t wl_maps_gap(const struct wl_maps *maps, uint64_t lo, uint64_t hi, uint64_t size, uint64_t near)
{
	const uint64_t page = 4096, top = 0x7ffffffff000;
	uint64_t best = 0;

	if (lo < 1 << 20)
		lo = 1 << 20; /* stay clear of the zero page and of what a system forbids to map */
	if (hi > top)
		hi = top;
	lo = (lo + page - 1) & ~(page - 1);
	hi &= ~(page - 1);
	for (size_t i = 0; i <= maps->n; i++) {
		const struct wl_map *below = i ? &maps->v[i - 1] : NULL, *above = i < maps->n ? &maps->v[i] : NULL;
		uint64_t from = below ? below->end + margin_above(below) : 0, to = above ? above->start : top;
		uint64_t candidate;

		to = to > margin_below(above) ? to - margin_below(above) : 0;
		if (from < lo)
			from = lo;
		if (to > hi)
			to = hi;
		from = (from + page - 1) & ~(page - 1);
		to &= ~(page - 1);
		if (to < from || to - from < size)
			continue;
		/* The end of the gap that is nearer; behind the heap always the far one. */
		candidate = to - size;
		if (near < from && !(below && strcmp(below->path, "[heap]") == 0))
			candidate = from;
		if (!best || distance_of(candidate, near) < distance_of(best, near))
			best = candidate;
	}
	return best;
}

bool wl_is_code_path(const char *path)
{
	return strcmp(path, "/memfd:ward-code (deleted)") == 0;
}

bool wl_is_state_path(const char *path)
{
	return strcmp(path, "/memfd:ward-state (deleted)") == 0;
}
