/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that cleans up collects evidence independently: the kernel says where the stack pointer of a thread is
 * that sleeps in a system call. Its parent sleeps in the same call, in the same frames, from before it cleans up
 * until it ends. So what was on that stack when the memory was left is still there.
 */
#include "kept.h"

#include "helper.h"
#include "loader/inject/recovery_record.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIES = 20 };

/*
 * Where the stack of a thread stands that sleeps, and in which system call (-1: in none). Waits until it does; false if
 * it has ended.
 */
static bool stack_of(pid_t pid, pid_t tid, long *call, uint64_t *sp)
{
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)pid, (int)tid);
	for (;;) {
		FILE *f = fopen(path, "r");
		bool got = f && fgets(line, sizeof(line), f);
		unsigned long long at;

		if (f)
			fclose(f);
		if (!got)
			return false;
		if (sscanf(line, "%ld %*x %*x %*x %*x %*x %*x %llx", call, &at) == 2 ||
			sscanf(line, "%ld %llx", call, &at) == 2) {
			*sp = at;
			return at != 0; /* a thread that ends has none */
		}
		pause_ms(1);
	}
}

struct kept {
	struct wl_process p;
	struct wl_maps maps;
	struct wl_found *found;
	size_t n;
};

static bool leads_into(const struct kept *k, uint64_t word)
{
	for (size_t i = 0; i < k->n; i++)
		for (size_t j = 0; j < k->found[i].a.n_ranges; j++) {
			const struct wl_range *r = &k->found[i].a.ranges[j];

			if (r->code && word - r->addr < r->size)
				return true;
		}
	return false;
}

/* Does the thread have a word that leads into what was kept? */
static bool has_word(const struct kept *k, pid_t tid)
{
	const struct wl_map *m;
	uint64_t sp, word;
	long call;

	if (!stack_of(k->p.pid, tid, &call, &sp))
		return false;
	m = wl_maps_find(&k->maps, sp);
	for (uint64_t at = sp & ~7ull; m && at < m->end && wl_process_read(&k->p, at, &word, sizeof(word));
		at += sizeof(word))
		if (leads_into(k, word)) {
			fprintf(stderr, "memory is kept: thread %d has %#llx at %#llx, %llu bytes up its stack\n",
				(int)tid, (unsigned long long)word, (unsigned long long)at,
				(unsigned long long)(at - sp));
			return true;
		}
	return false;
}

static bool any_has_word(const struct kept *k)
{
	char path[64];
	struct dirent *e;
	bool has = false;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)k->p.pid);
	d = opendir(path);
	while (d && !has && (e = readdir(d)))
		has = *e->d_name != '.' && has_word(k, atoi(e->d_name));
	if (d)
		closedir(d);
	return has;
}

static bool is_evident(pid_t pid)
{
	struct ward_error err;
	struct kept k = {0};
	bool evident = false;

	if (wl_process_open(&k.p, pid, &err))
		return false;
	if (wl_maps_read(pid, &k.maps) == 0 && wl_found_all(&k.p, &k.maps, &k.found, &k.n) == 0)
		evident = any_has_word(&k);
	wl_found_free(k.found, k.n);
	wl_maps_free(&k.maps);
	wl_process_close(&k.p);
	return evident;
}

/* The parent sleeps until we end. */
static void await_waiting(pid_t pid)
{
	uint64_t sp;
	long call = -1;

	while (stack_of(pid, pid, &call, &sp) && call != SYS_wait4)
		pause_ms(1);
}

static int clean_up(pid_t pid)
{
	struct ward_error err = {0};

	await_waiting(pid);
	for (int i = 0; i < TRIES; i++) {
		if (ward_cleanup(pid, NULL, &err) == 0)
			return FREED;
		await_waiting(pid);
		if (strstr(err.why, "a thread may be in its code still") && is_evident(pid))
			return KEPT;
	}
	fprintf(stderr, "memory is left, and no thread has a word that leads there: %s: %s\n", err.what, err.why);
	return NOT_FREED;
}

int free_what_waits(void)
{
	pid_t self = getpid(), child;
	int status;

	if (!target_mappings(self))
		return FREED;
	child = fork();
	cr_assert_geq(child, 0);
	if (child == 0)
		_exit(clean_up(self));
	cr_assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}
