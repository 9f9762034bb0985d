/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A probe of the kernel takes the stack of whichever process runs, and can't read files. So the unwind tables of all
 * processes are handed to ward.ko (ROWS, MAPPED of kmod/ward_ioctl.h): the rows of each file once, and for each process
 * which files it has mapped where. A process is known by the two words that its stacks begin with (stack_owners.h).
 *
 * Processes wait in a queue to be looked at, the youngest first. What it takes to read the tables of hundreds of files
 * is spread over time: until a process's turn has come, its stacks go by frame pointers, and say so. What has no table
 * here, or no room in the kernel, stays like that.
 *
 * The kernel tells which processes come, execute a program, map code and end (process_news.h), and these are put into
 * the queue. When news were lost, all are. Where the kernel doesn't tell, all are looked at from time to time.
 *
 * Maps count only if the process is the same program before they are read and afterwards. The files are hostile:
 * unwind_file.c reads what they say.
 */
#include "kernel_tables.h"

#include "kmod/ward_ioctl.h"
#include "loader/sample/process_news.h"
#include "loader/symbols/stack_owners.h"
#include "loader/symbols/symbols.h"
#include "loader/symbols/unwind_mapped.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

_Static_assert(
	sizeof(struct ward_k_row) == sizeof(struct wl_unwind_row) &&
		offsetof(struct ward_k_row, at) == offsetof(struct wl_unwind_row, at) &&
		(int)WARD_K_RULE_NONE == WL_UNWIND_NONE && (int)WARD_K_RULE_RSP == WL_UNWIND_RSP &&
		(int)WARD_K_RULE_RBP == WL_UNWIND_RBP && (int)WARD_K_RULE_RBP_DEREF == WL_UNWIND_RBP_DEREF &&
		(int)WARD_K_RULE_RSP_DEREF == WL_UNWIND_RSP_DEREF && (int)WARD_K_RULE_SIGNAL == WL_UNWIND_SIGNAL &&
		(int)WARD_K_RULE_PLT == WL_UNWIND_PLT && (int)WARD_K_RULE_END == WL_UNWIND_END &&
		(int)WARD_K_RULE_KIND == WL_UNWIND_KIND_MASK && (int)WARD_K_RULE_RBP_SHIFT == WL_UNWIND_RBP_SHIFT &&
		(int)WARD_K_RULE_RBP_MASK == WL_UNWIND_RBP_MASK &&
		(int)WARD_K_RULE_RBP_AT_RBP == WL_UNWIND_RBP_AT_RBP &&
		(int)WARD_K_RULE_WORDS_SHIFT == WL_UNWIND_WORDS_SHIFT && (int)WARD_K_SIGNAL_RBP == WL_SIGNAL_RBP &&
		(int)WARD_K_SIGNAL_RSP == WL_SIGNAL_RSP && (int)WARD_K_SIGNAL_RIP == WL_SIGNAL_RIP,
	"ward.ko reads rows as they are made here");

/* In the queue, beside all that have been put there at once; of the last ones none is there twice. */
enum { NEWS_MOST = 1 << 16, RECENT = 32 };

static const uint64_t AGAIN_NS = 2000000000; /* so often all are looked at, if need be */

static const uint64_t HIGH = (uint64_t)1 << 32; /* no stack of a process of 32 bits is there */

/* A file that a process has mapped, or the vdso. Its rows are in the kernel only. */
struct file {
	struct wl_unwind_mapped mapped;
	bool handed;
	uint32_t number; /* that ward.ko has given it */
};

/* A process that something was handed over for. */
struct known {
	pid_t pid;
	uint64_t owner[2];
};

struct wl_kernel_tables {
	int device;
	bool full;   /* ward.ko has no room for more rows */
	void *files; /* trees (search.h) */
	void *known;
	pid_t *queue; /* to be looked at, the last one first */
	size_t n, cap, most;
	struct wl_process_news news;
	bool is_told;    /* they are open */
	uint64_t looked; /* nanoseconds: when all were put into the queue */
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* ---- Files ---- */

static int number_compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_file(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	return wl_file_key_compare(&x->mapped.of, &y->mapped.of);
}

/* Read a file's rows, and hand them over. It has no number if it has none, or there is no room. */
static void file_hand(struct wl_kernel_tables *t, struct file *f, pid_t pid, const struct wl_map *map)
{
	struct wl_unwind_rows *rows = &f->mapped.rows;
	struct ward_k_rows r = {.size = sizeof(r)};
	struct wl_file_key key = f->mapped.of;

	wl_unwind_mapped_read(&f->mapped, pid, map, &key);
	if (rows->n && rows->n <= WARD_K_MAX_ROWS) {
		r.rows = (uintptr_t)rows->v;
		r.n_rows = (uint32_t)rows->n;
		f->handed = ioctl(t->device, WARD_K_ROWS, &r) == 0;
		f->number = r.file;
		t->full |= !f->handed;
	}
	wl_unwind_free(rows);
}

/* The file that is mapped there, which is read if it is new. NULL: it has no rows that the kernel has. */
static const struct file *file_of(struct wl_kernel_tables *t, pid_t pid, const struct wl_map *map)
{
	struct file key = {0}, **found, *f;

	if (!map->inode && !wl_is_vdso(map))
		return NULL;
	key.mapped.of = wl_file_key(pid, map);
	found = tfind(&key, &t->files, by_file);
	if (found)
		return (*found)->handed ? *found : NULL;
	f = t->full ? NULL : calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->mapped = key.mapped;
	if (!tsearch(f, &t->files, by_file)) {
		free(f);
		return NULL;
	}
	file_hand(t, f, pid, map);
	return f->handed ? f : NULL;
}

/* ---- Processes ---- */

static int by_pid(const void *a, const void *b)
{
	return (int)number_compare((uint64_t)((const struct known *)a)->pid, (uint64_t)((const struct known *)b)->pid);
}

/* No process of that owner is there any more. */
static void known_drop(struct wl_kernel_tables *t, struct known *k)
{
	struct ward_k_mapped m = {.size = sizeof(m), .owner = {k->owner[0], k->owner[1]}};

	ioctl(t->device, WARD_K_MAPPED, &m);
	tdelete(k, &t->known, by_pid);
	free(k);
}

static struct known *known_find(struct wl_kernel_tables *t, pid_t pid)
{
	const struct known key = {.pid = pid};
	struct known **found = tfind(&key, &t->known, by_pid);

	return found ? *found : NULL;
}

/* Note that something was handed over for it. Without memory it stays until the session ends. */
static void known_note(struct wl_kernel_tables *t, pid_t pid, const uint64_t owner[2])
{
	struct known *k = calloc(1, sizeof(*k));

	if (!k)
		return;
	*k = (struct known){pid, {owner[0], owner[1]}};
	if (!tsearch(k, &t->known, by_pid))
		free(k);
}

static void places_hand(struct wl_kernel_tables *t, pid_t pid, const uint64_t owner[2], const struct wl_maps *maps)
{
	struct ward_k_place *v = calloc(WARD_K_MAX_PLACES, sizeof(*v));
	struct ward_k_mapped m = {.size = sizeof(m), .owner = {owner[0], owner[1]}, .places = (uintptr_t)v};
	uint64_t again[2];

	for (size_t i = 0; v && i < maps->n && m.n_places < WARD_K_MAX_PLACES; i++) {
		const struct wl_map *map = &maps->v[i];
		const struct file *f = map->exec && !wl_is_code_path(map->path) ? file_of(t, pid, map) : NULL;
		uint32_t skew;

		if (f && wl_unwind_mapped_skew(&f->mapped, map, &skew))
			v[m.n_places++] = (struct ward_k_place){map->start, map->end, f->number, skew};
	}
	if (!m.n_places && known_find(t, pid))
		known_drop(t, known_find(t, pid));
	if (m.n_places && wl_owner_read(pid, again) && again[0] == owner[0] && again[1] == owner[1] &&
		ioctl(t->device, WARD_K_MAPPED, &m) == 0 && !known_find(t, pid))
		known_note(t, pid, owner);
	free(v);
}

static void process_look(struct wl_kernel_tables *t, pid_t pid)
{
	struct known *k = known_find(t, pid);
	uint64_t owner[2];
	bool is_there = wl_owner_read(pid, owner);
	struct wl_maps maps;

	if (k && (!is_there || k->owner[0] != owner[0] || k->owner[1] != owner[1]))
		known_drop(t, k);
	if (!is_there || owner[1] < HIGH || wl_maps_read(pid, &maps))
		return;
	places_hand(t, pid, owner, &maps);
	wl_maps_free(&maps);
}

/* ---- The queue ---- */

static void queue_add(struct wl_kernel_tables *t, pid_t pid)
{
	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 256;
		pid_t *v = reallocarray(t->queue, cap, sizeof(*v));

		if (!v)
			return;
		t->queue = v;
		t->cap = cap;
	}
	t->queue[t->n++] = pid;
}

static void queue_known(const void *node, VISIT visit, void *t)
{
	const struct known *const *k = node;

	if (visit == postorder || visit == leaf)
		queue_add(t, (*k)->pid);
}

/*
 * Those that are known, which may have ended, and all that run now. The numbers ascend there, so the youngest come
 * last, and are looked at first.
 */
static void queue_all(struct wl_kernel_tables *t)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	t->looked = now_ns();
	t->n = 0;
	twalk_r(t->known, queue_known, t);
	while (dir && (e = readdir(dir)))
		if (isdigit((unsigned char)e->d_name[0]))
			queue_add(t, (pid_t)strtol(e->d_name, NULL, 10));
	if (dir)
		closedir(dir);
	t->most = t->n + NEWS_MOST;
}

/* A program that has been executed has several news at once. */
static bool is_recent(const struct wl_kernel_tables *t, pid_t pid)
{
	for (size_t i = 0; i < t->n && i < RECENT; i++)
		if (t->queue[t->n - 1 - i] == pid)
			return true;
	return false;
}

static void queue_news(struct wl_kernel_tables *t)
{
	bool any = false;
	pid_t pid;

	wl_process_news_look(&t->news);
	while ((pid = wl_process_news_next(&t->news)) >= 0) {
		any |= pid == 0 || t->n >= t->most;
		if (!any && !is_recent(t, pid))
			queue_add(t, pid);
	}
	if (any)
		queue_all(t);
}

struct wl_kernel_tables *wl_kernel_tables_new(int device)
{
	struct wl_kernel_tables *t = calloc(1, sizeof(*t));
	struct ward_error unheard;

	if (!t)
		return NULL;
	t->device = device;
	t->is_told = wl_process_news_open(&t->news, &unheard) == 0;
	queue_all(t);
	return t;
}

void wl_kernel_tables_look(struct wl_kernel_tables *t, unsigned milliseconds)
{
	uint64_t now = now_ns(), end = now + (uint64_t)milliseconds * 1000000;

	if (t->is_told)
		queue_news(t);
	else if (!t->n && now - t->looked > AGAIN_NS)
		queue_all(t);
	while (t->n && now_ns() < end)
		process_look(t, t->queue[--t->n]);
}

static void file_free(void *file)
{
	wl_unwind_mapped_free(&((struct file *)file)->mapped);
	free(file);
}

void wl_kernel_tables_free(struct wl_kernel_tables *t)
{
	if (!t)
		return;
	if (t->is_told)
		wl_process_news_close(&t->news);
	tdestroy(t->files, file_free);
	tdestroy(t->known, free);
	free(t->queue);
	free(t);
}
