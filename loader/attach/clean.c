/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking off what killed tracers have left: ward_cleanup.
 *
 * What is found (inject/recovery_record.c) is treated as an attachment of this process, with the steps of
 * ward_detach: gate, sites, quiet threads, memory. The newest attachment is removed first, because its jumps may have
 * replaced those of an older one. A tracer that died before it had mapped its record may have left the two files open
 * in the target, or a mapping of one. Files that no process holds locked are closed, and their memory is freed. While
 * all threads are stopped, no other tracer can be in the middle of attaching, so a file that isn't locked then never
 * will be.
 */
#include "loader/base/error.h"
#include "attach.h"
#include "loader/process/asleep.h"
#include "loader/symbols/moved_code.h"
#include "loader/inject/recovery_record.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MOST_STRAYS = 64 };

struct stray {
	int fd; /* the target's */
	dev_t dev;
	ino_t inode;
};

/* An open file of the target, if it is one of the two and no tracer holds it. */
static bool is_stray(pid_t pid, int fd, struct stray *out)
{
	char path[64], link[64];
	struct stat st;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)wl_shown_at(pid), fd);
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0 || stat(path, &st) < 0)
		return false;
	link[n] = 0;
	*out = (struct stray){fd, st.st_dev, st.st_ino};
	return (wl_is_code_path(link) || wl_is_state_path(link)) &&
	       !wl_is_locked(major(st.st_dev), minor(st.st_dev), st.st_ino);
}

static size_t find_strays(pid_t pid, struct stray *v)
{
	char path[64];
	struct dirent *e;
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)wl_shown_at(pid));
	dir = opendir(path);
	while (dir && n < MOST_STRAYS && (e = readdir(dir))) {
		char *end;
		long fd = strtol(e->d_name, &end, 10);

		n += *e->d_name != '.' && *end == 0 && fd >= 0 && fd <= INT32_MAX && is_stray(pid, (int)fd, &v[n]);
	}
	if (dir)
		closedir(dir);
	return n;
}

/*
 * The view of a process that had attached to itself (backend/self.c), which still reads its counts: in front of the
 * states it has the table read-only. Where code uses states, they are by themselves, or behind a writable table.
 */
static bool is_view(const struct wl_maps *maps, size_t i)
{
	const struct wl_map *m = &maps->v[i], *front = i ? m - 1 : NULL;

	return !m->write || (front && !front->write && front->end == m->start && front->inode == m->inode &&
				    wl_is_state_path(front->path));
}

/*
 * A mapping of one of the two files that no tracer holds, in a process with nothing else of Ward: its tracer was
 * killed when it had made the mapping and not yet recorded it.
 */
static bool is_stray_map(const struct wl_maps *maps, size_t i)
{
	const struct wl_map *m = &maps->v[i];

	return (wl_is_code_path(m->path) || (wl_is_state_path(m->path) && !is_view(maps, i))) &&
	       !wl_is_locked(m->major, m->minor, m->inode);
}

static size_t find_stray_maps(const struct wl_maps *maps, struct wl_range *v)
{
	size_t n = 0;

	for (size_t i = 0; i < maps->n; i++)
		if (wl_is_code_path(maps->v[i].path) && maps->v[i].offset == 0)
			return 0;
	for (size_t i = 0; i < maps->n && n < MOST_STRAYS; i++)
		if (is_stray_map(maps, i))
			v[n++] = (struct wl_range){.addr = maps->v[i].start, .size = maps->v[i].end - maps->v[i].start};
	return n;
}

struct strays {
	struct stray files[MOST_STRAYS];
	struct wl_range maps[MOST_STRAYS];
	size_t n_files, n_maps;
};

static bool find_all_strays(const struct wl_process *p, struct strays *s)
{
	struct wl_maps maps;

	s->n_files = find_strays(p->pid, s->files);
	s->n_maps = 0;
	if (wl_maps_read(p->pid, &maps) == 0) {
		s->n_maps = find_stray_maps(&maps, s->maps);
		wl_maps_free(&maps);
	}
	return s->n_files || s->n_maps;
}

static void free_strays(const struct wl_process *p, const struct strays *s)
{
	struct wl_remote r;
	struct wl_maps maps;
	struct stray now;
	int64_t ignored;

	if (wl_maps_read(p->pid, &maps))
		return;
	if (wl_remote_begin(&r, p, &maps, NULL, NULL) == 0) {
		for (size_t i = 0; i < s->n_files; i++)
			if (is_stray(p->pid, s->files[i].fd, &now) && now.dev == s->files[i].dev &&
				now.inode == s->files[i].inode)
				wl_remote_call(&r, &ignored, SYS_close, (uint64_t)s->files[i].fd, 0, 0, 0, 0, 0);
		for (size_t i = 0; i < s->n_maps; i++)
			wl_remote_call(&r, &ignored, SYS_munmap, s->maps[i].addr, s->maps[i].size, 0, 0, 0, 0);
		wl_remote_end(&r);
	}
	wl_maps_free(&maps);
}

static int clean_strays(const struct wl_process *p, struct ward_error *err)
{
	struct wl_threads threads = {0};
	struct strays s;
	int rc;

	if (!find_all_strays(p, &s))
		return 0;
	rc = wl_threads_stop(&threads, p, err);
	if (rc)
		return rc;
	find_all_strays(p, &s);
	wl_threads_release(&threads);
	if (s.n_files || s.n_maps)
		free_strays(p, &s);
	return 0;
}

static size_t patched_sites(const struct wl_sites *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_patches; i++)
		n += s->patches[i].patched && !s->patches[i].is_cave;
	return n;
}

static uint64_t attachment_span(const struct wl_attachment *a)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < a->n_ranges; i++)
		bytes += a->ranges[i].size;
	return bytes;
}

/* Are other patches over all of its patches? */
static bool is_covered(const struct wl_attachment *a)
{
	bool covered = false;

	for (size_t i = 0; i < a->sites.n_patches; i++) {
		const struct wl_patch *p = &a->sites.patches[i];
		uint8_t now[WL_JUMP_SIZE];

		if (!p->patched)
			continue;
		if (wl_process_read(&a->p, p->d.addr, now, wl_patch_size(p)) &&
			memcmp(now, p->jump, wl_patch_size(p)) == 0)
			return false;
		covered = true;
	}
	return covered;
}

/* One of those found. */
static int take_off(struct wl_found *f, const struct ward_cleanup_options *options, struct ward_error *err)
{
	struct ward_leftover l = {.tracer = f->tracer,
		.live = f->live,
		.copied = f->copied,
		.places = (uint32_t)f->n_places,
		.bytes = attachment_span(&f->a)};
	size_t before = patched_sites(&f->a.sites);
	bool quiet = false;
	int rc = 0;

	if ((!f->live || options->live) && is_covered(&f->a)) {
		l.reason = "another tracer's probe was put over it";
	} else if (!f->live || options->live) {
		rc = wl_unpatch(&f->a, &quiet, err);
		l.restored = (uint32_t)(before - patched_sites(&f->a.sites));
		if (rc)
			l.reason = "its threads can't be stopped";
		else if (f->doubtful)
			l.reason = f->doubtful;
		else if (l.restored < l.places)
			l.reason = "another tracer's probe was put over it";
		else if (!quiet && !f->live)
			l.reason = "a thread may be in its code still";
		if (!l.reason && !f->live) {
			wl_unmap(&f->a, NULL);
			l.freed = f->a.n_ranges == 0;
			l.reason = l.freed ? NULL : "the process can't be made to free it";
		}
	}
	if (options->on_leftover)
		options->on_leftover(options->user, &l);
	if (rc || !l.reason)
		return rc;
	return wl_fail(err, WARD_E_TARGET, "leftovers", "%s", l.reason);
}

/* Take off all that was found, and say of the first that couldn't be why. */
static int take_all_off(const struct wl_process *p, const struct wl_maps *maps,
	const struct ward_cleanup_options *options, struct ward_error *err)
{
	struct wl_found *v;
	size_t n;
	int worst = 0;

	if (wl_found_all(p, maps, &v, &n))
		return wl_no_memory(err);
	for (size_t i = 0; i < n; i++) {
		struct ward_error why = {0};
		int rc = take_off(&v[i], options, &why);

		if (!rc || worst)
			continue;
		worst = rc;
		snprintf(why.what, sizeof(why.what), "process %d", (int)p->pid);
		if (!*why.hint)
			wl_hint(&why,
				"it runs right with what is left; try again later, when other tracers have ended");
		if (err)
			*err = why;
	}
	wl_found_free(v, n);
	return worst;
}

static bool any_code(const struct wl_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		if (wl_is_code_path(maps->v[i].path))
			return true;
	return false;
}

int wl_clean(const struct wl_process *p, const struct ward_cleanup_options *options, struct ward_error *err)
{
	struct wl_maps maps;
	int rc = wl_maps_read(p->pid, &maps);

	if (rc)
		return rc == ENOMEM ? wl_no_memory(err) : wl_process_lost(p, err);
	wl_maps_find_moved(p->pid, &maps);
	rc = any_code(&maps) ? take_all_off(p, &maps, options, err) : 0;
	wl_maps_free(&maps);
	return rc;
}

/*
 * Calls that dead tracers asked of threads are over, or called off, when all threads have been stopped once
 * (process/restart_frame.c): what they have made is seen then. Before anything is freed all are stopped again, so it
 * doesn't matter here if they can't be.
 */
static void process_settle(const struct wl_process *p)
{
	struct wl_threads threads = {0};

	if (wl_threads_stop(&threads, p, NULL) == 0)
		wl_threads_release(&threads);
}

int wl_cleanup_live(pid_t pid, const struct ward_cleanup_options *options, struct ward_error *err)
{
	struct wl_process p;
	struct wl_late late = {.n = 0};
	int turn, strays, rc = wl_process_open(&p, pid, err);

	if (rc)
		return rc;
	rc = wl_refuse_sharer(pid, err);
	if (rc) {
		wl_process_close(&p);
		return rc;
	}
	p.late = &late;
	turn = wl_process_turn(pid);
	process_settle(&p);
	rc = wl_clean(&p, options, err);
	strays = clean_strays(&p, rc ? NULL : err);
	if (rc == 0)
		rc = strays;
	if (turn >= 0)
		close(turn);
	if (rc == WARD_E_TARGET && wl_process_dying(&p))
		rc = wl_process_lost(&p, err);
	wl_process_close(&p);
	return rc;
}
