/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of a process's code.
 *
 * An address means something only together with a process and a moment. A library is unloaded and another one comes
 * to its place; a process executes another program. So Ward keeps what each process has mapped as it sees it: a life is
 * one mapping of a file's code, from when to when. What an address means is what all lives say that it may belong to.
 * If these are two places in files, it has no name.
 *
 * Ward looks at /proc/PID/maps when a process begins, when the dynamic linker's list has changed, before the probes are
 * taken off, and now and then. The list is polled every millisecond. What came between two looks may have come at any
 * moment between them, and so for what has gone: the times of a life are the widest that are possible. What comes and
 * goes between two looks isn't seen.
 *
 * Memory in which a process makes code belongs to the file in which it lists that (jit_map.c), if there is one.
 *
 * A file is the same if its inode, size and time of change are. It is opened when it is first seen, so it has its names
 * when it is deleted, too. The maps are hostile: a lie makes a wrong name, nothing worse.
 */
#include "map_history.h"

#include "jit_map.h"
#include "moved_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum {
	FIRST_NS = 25000000,  /* the first pause between two looks: much of what a program makes, it makes soon */
	LOOK_NS = 1000000000, /* the longest, if the dynamic linker shows what has come */
	BLIND_NS = 100000000, /* if there is none */
	LOOK_SHARE = 20,      /* a pause is at least so many times as long as the look before it */
	LIVES_MOST = 1 << 20,
};

static const uint64_t PAGE_REST = 4095;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* ---- Files ---- */

static bool is_file(const struct wl_file *f, const struct wl_map *map, int64_t changed, int64_t size)
{
	return f->map.inode == map->inode && f->map.major == map->major && f->map.minor == map->minor &&
	       f->changed == changed && f->size == size;
}

static void file_free(struct wl_file *f)
{
	if (f && f->readable)
		wl_module_close(&f->module);
	else if (f)
		free(f->module.name);
	if (f)
		wl_inline_frames_free(&f->inlines);
	if (f)
		wl_jit_free(f->jit);
	if (f)
		free(f->map.path);
	free(f);
}

static struct wl_file *file_open(pid_t pid, const struct wl_map *map, int fd)
{
	struct wl_file *f = calloc(1, sizeof(*f));

	if (f) {
		f->map = *map;
		f->map.path = strdup(map->path);
	}
	if (!f || !f->map.path) {
		if (fd >= 0)
			close(fd);
		free(f);
		return NULL;
	}
	f->readable = wl_module_open(pid, &f->map, fd, &f->module);
	if (!f->readable)
		f->module.name = wl_base_name(map->path);
	return f;
}

/* The number of the file that is mapped; -1 without memory. */
static int64_t file_of(struct wl_files *files, pid_t pid, const struct wl_map *map)
{
	int fd = wl_is_vdso(map) ? wl_open_vdso(pid, map) : wl_open_mapped(pid, map);
	struct wl_file **v, *f;
	struct stat st = {0};
	int64_t changed;

	if (fd >= 0)
		fstat(fd, &st);
	/* each copy of the vdso is made anew */
	changed = map->inode ? (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec : 0;
	for (size_t i = 0; i < files->n; i++)
		if (is_file(files->v[i], map, changed, st.st_size)) {
			if (fd >= 0)
				close(fd);
			return (int64_t)i;
		}
	v = reallocarray(files->v, files->n + 1, sizeof(struct wl_file *));
	if (v)
		files->v = v;
	else if (fd >= 0)
		close(fd);
	f = v ? file_open(pid, map, fd) : NULL;
	if (!f)
		return -1;
	f->changed = changed;
	f->size = st.st_size;
	files->v[files->n] = f;
	return (int64_t)files->n++;
}

/* The number of the list of what the process makes; -1 if it has none. One file is one list, however it grows. */
static int64_t jit_file_of(struct wl_files *files, pid_t pid)
{
	struct wl_file **v, *f;
	struct stat st;
	int fd = wl_jit_open(pid, &st);

	for (size_t i = 0; fd >= 0 && i < files->n; i++)
		if (files->v[i]->jit && files->v[i]->map.inode == st.st_ino &&
			files->v[i]->map.major == major(st.st_dev) && files->v[i]->map.minor == minor(st.st_dev)) {
			close(fd);
			return (int64_t)i;
		}
	if (fd < 0)
		return -1;
	v = reallocarray(files->v, files->n + 1, sizeof(struct wl_file *));
	files->v = v ? v : files->v;
	f = v ? calloc(1, sizeof(*f)) : NULL;
	if (!f)
		close(fd);
	else
		f->jit = wl_jit_new(fd);
	if (!f || !f->jit) {
		free(f);
		return -1;
	}
	f->map = (struct wl_map){.inode = st.st_ino, .major = major(st.st_dev), .minor = minor(st.st_dev)};
	files->v[files->n] = f;
	return (int64_t)files->n++;
}

void wl_files_free(struct wl_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		file_free(files->v[i]);
	free(files->v);
	*files = (struct wl_files){0};
}

/* ---- Histories ---- */

static bool same_life(const struct wl_life *a, const struct wl_life *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset && a->file == b->file;
}

/* How many begin at or below the address. */
static size_t lives_upto(const struct wl_history *h, uint64_t address)
{
	size_t lo = 0, hi = h->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (h->v[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct wl_life *find_life(const struct wl_history *h, const struct wl_life *life)
{
	for (size_t i = lives_upto(h, life->start); i-- > 0 && h->v[i].start == life->start;)
		if (same_life(&h->v[i], life))
			return &h->v[i];
	return NULL;
}

static bool make_room(struct wl_history *h)
{
	size_t cap = h->cap ? h->cap * 2 : 32;
	struct wl_life *v;

	if (h->n < h->cap)
		return true;
	v = cap <= LIVES_MOST ? reallocarray(h->v, cap, sizeof(*v)) : NULL;
	if (!v)
		return false;
	h->v = v;
	h->cap = cap;
	return true;
}

/* One more process has it. */
static bool begin_life(struct wl_history *h, const struct wl_life *life)
{
	struct wl_life *l = find_life(h, life);
	size_t at;

	if (l) {
		l->from = l->from < life->from ? l->from : life->from;
		l->to = UINT64_MAX;
		l->alive++;
		return true;
	}
	if (!make_room(h))
		return false;
	at = lives_upto(h, life->start);
	memmove(&h->v[at + 1], &h->v[at], (h->n - at) * sizeof(*h->v));
	h->v[at] = *life;
	h->v[at].to = UINT64_MAX;
	h->v[at].alive = 1;
	for (size_t i = at; i <= h->n; i++) {
		uint64_t before = i ? h->v[i - 1].reach : 0;

		h->v[i].reach = h->v[i].end > before ? h->v[i].end : before;
	}
	h->n++;
	return true;
}

static void end_life(struct wl_history *h, const struct wl_life *life, uint64_t now)
{
	struct wl_life *l = find_life(h, life);

	if (l && l->alive && --l->alive == 0)
		l->to = now;
}

static size_t add_spot(struct wl_spot *spots, size_t n, size_t most, struct wl_spot spot)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (spots[i].file == spot.file && spots[i].offset == spot.offset)
			return n;
	if (n == most)
		return n;
	for (i = n; i > 0 && spots[i - 1].from > spot.from; i--)
		spots[i] = spots[i - 1];
	spots[i] = spot;
	return n + 1;
}

size_t wl_history_find(
	const struct wl_history *h, uint64_t address, uint64_t time, struct wl_spot *spots, size_t n, size_t most)
{
	for (size_t i = lives_upto(h, address); i-- > 0 && h->v[i].reach > address;) {
		const struct wl_life *l = &h->v[i];

		if (address < l->end && (!time || (time >= l->from && time <= l->to)))
			n = add_spot(
				spots, n, most, (struct wl_spot){l->file, address - l->start + l->offset, l->from});
	}
	return n;
}

void wl_history_free(struct wl_history *h)
{
	free(h->v);
	*h = (struct wl_history){0};
}

/* ---- Looks ---- */

static bool is_code(const struct wl_map *map)
{
	return wl_is_vdso(map) || (map->exec && map->inode && *map->path == '/' && !wl_is_code_path(map->path));
}

/* What was seen at the place in the last look, if it is the same file. */
static const struct wl_life *seen_before(
	const struct wl_mapped *m, const struct wl_files *files, const struct wl_map *map)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct wl_life *l = &m->v[mid];
		const struct wl_map *f = &files->v[l->file]->map;

		if (l->start == map->start)
			return l->end == map->end && l->offset == map->offset && f->inode == map->inode &&
					       f->major == map->major && f->minor == map->minor
				       ? l
				       : NULL;
		if (l->start < map->start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/*
 * Since when it may have been there. No code of a library runs before the library is in the linker's list. Other code
 * may have come at any time since the last look.
 */
static uint64_t begin_of(
	const struct wl_mapped *m, const struct wl_process *p, const struct wl_file *f, const struct wl_map *map)
{
	if (!m->looked || m->quiet <= m->looked || !f->readable)
		return m->looked;
	for (size_t i = 0; i < f->module.elf.n_segments; i++) {
		const Elf64_Phdr *s = &f->module.elf.segments[i];

		if (s->p_type == PT_LOAD && s->p_flags & PF_X && (s->p_offset & ~PAGE_REST) == map->offset)
			return wl_linker_lists(p, m->linker.at, map->start - (s->p_vaddr & ~PAGE_REST)) ? m->quiet
													: m->looked;
	}
	return m->looked;
}

static bool is_anonymous(const struct wl_map *map)
{
	return !map->inode && (!*map->path || strncmp(map->path, "[anon:", 6) == 0);
}

/*
 * Memory in which a process makes code: anonymous mappings side by side, as they are reserved together, if one of them
 * is executable now. Returns the number of the last of them.
 */
static size_t find_made(const struct wl_maps *maps, size_t i, bool *made)
{
	*made = maps->v[i].exec;
	for (; i + 1 < maps->n && is_anonymous(&maps->v[i + 1]) && maps->v[i + 1].start == maps->v[i].end; i++)
		*made |= maps->v[i + 1].exec;
	return i;
}

/* What is mapped now, into *now. Returns 0, ENOMEM, or ESRCH. */
static int read_lives(
	const struct wl_mapped *m, const struct wl_process *p, struct wl_files *files, struct wl_mapped *now)
{
	enum { UNKNOWN = -2 };
	struct wl_maps maps;
	int64_t jit = UNKNOWN;
	int rc = wl_maps_read(p->pid, &maps);

	if (rc)
		return rc == ENOMEM ? rc : ESRCH;
	wl_maps_find_moved(p->pid, &maps);
	now->v = calloc(maps.n + 1, sizeof(*now->v));
	rc = !now->v ? ENOMEM : maps.n ? 0 : ESRCH;
	for (size_t i = 0; rc == 0 && i < maps.n; i++) {
		const struct wl_map *map = &maps.v[i];
		const struct wl_life *before = is_code(map) ? seen_before(m, files, map) : NULL;
		int64_t file = before ? before->file : is_code(map) ? file_of(files, p->pid, map) : 0;
		bool made = false;

		if (is_anonymous(map))
			i = find_made(&maps, i, &made);
		if (made && jit == UNKNOWN)
			jit = jit_file_of(files, p->pid);
		if (made && jit >= 0)
			now->v[now->n++] = (struct wl_life){.start = map->start,
				.end = maps.v[i].end,
				.offset = map->start,
				.from = m->looked,
				.file = (uint32_t)jit};
		else if (file < 0)
			rc = ENOMEM;
		else if (before)
			now->v[now->n++] = *before;
		else if (is_code(map))
			now->v[now->n++] = (struct wl_life){.start = map->start,
				.end = map->end,
				.offset = map->offset,
				.from = begin_of(m, p, files->v[file], map),
				.file = (uint32_t)file};
	}
	wl_maps_free(&maps);
	return rc;
}

/* Write into the histories how *m became *now. */
static bool write_changes(const struct wl_mapped *m, const struct wl_mapped *now, struct wl_history *const *histories,
	size_t n, uint64_t time)
{
	size_t i = 0, k = 0;
	bool well = true;

	while (i < m->n || k < now->n) {
		const struct wl_life *old = i < m->n ? &m->v[i] : NULL, *new = k < now->n ? &now->v[k] : NULL;
		bool same = old && new && same_life(old, new);
		bool ends = old && (!new || old->start <= new->start);

		for (size_t h = 0; h < n && !same; h++) {
			if (ends)
				end_life(histories[h], old, time);
			else
				well &= begin_life(histories[h], new);
		}
		i += same || ends;
		k += same || !ends;
	}
	return well;
}

int wl_mapped_look(struct wl_mapped *m, const struct wl_process *p, struct wl_files *files,
	struct wl_history *const *histories, size_t n)
{
	uint64_t begun = __rdtsc(), start = now_ns(), took, most;
	struct wl_mapped now = {0};
	int rc;

	wl_linker_mark(p, &m->linker); /* first: what changes from now on is news */
	rc = read_lives(m, p, files, &now);
	if (rc == 0 && p->mem >= 0 && !wl_process_is_same(p)) /* that is another program's */
		rc = ESRCH;
	if (rc == 0 && !write_changes(m, &now, histories, n, __rdtsc()))
		rc = ENOMEM;
	took = now_ns() - start;
	m->least = start + took + LOOK_SHARE * took;
	m->pause = m->pause < FIRST_NS ? FIRST_NS : 2 * m->pause;
	most = m->linker.at ? LOOK_NS : BLIND_NS;
	m->pause = m->pause < most ? m->pause : most;
	m->most = start + m->pause;
	m->most = m->most > m->least ? m->most : m->least;
	if (rc == ESRCH) {
		free(now.v);
		return rc;
	}
	free(m->v);
	m->v = now.v;
	m->n = now.n;
	m->looked = begun;
	return rc;
}

bool wl_mapped_join(const struct wl_mapped *m, struct wl_history *history)
{
	bool well = true;

	for (size_t i = 0; i < m->n; i++)
		well &= begin_life(history, &m->v[i]);
	return well;
}

void wl_mapped_leave(const struct wl_mapped *m, struct wl_history *history)
{
	uint64_t now = __rdtsc();

	for (size_t i = 0; i < m->n; i++)
		end_life(history, &m->v[i], now);
}

bool wl_mapped_is_due(struct wl_mapped *m, const struct wl_process *p)
{
	const struct wl_linker_mark *mark = &m->linker;
	uint64_t counter = __rdtsc(), now = now_ns();
	bool same = wl_linker_is_unchanged(p, mark);

	if (same)
		m->quiet = counter;
	if (now < m->least || now >= m->most)
		return now >= m->most;
	return mark->at && (mark->busy || !same) && wl_linker_state(p, mark->at) == WL_LINKER_IDLE;
}

bool wl_mapped_conflicts(const struct wl_mapped *m, const struct wl_history *history)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct wl_life *l = &m->v[i];

		for (size_t k = lives_upto(history, l->end - 1); k-- > 0 && history->v[k].reach > l->start;) {
			const struct wl_life *o = &history->v[k];

			if (o->end > l->start && (o->file != l->file || o->start - o->offset != l->start - l->offset))
				return true;
		}
	}
	return false;
}

void wl_mapped_free(struct wl_mapped *m)
{
	free(m->v);
	*m = (struct wl_mapped){0};
}
