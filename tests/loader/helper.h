/* SPDX-License-Identifier: Apache-2.0 */
/* What the loader's tests share: starting a target, loading a module, adding states up. */
#ifndef WARD_TESTS_LOADER_HELPER_H
#define WARD_TESTS_LOADER_HELPER_H

#include "ward/ward.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* TARGET, STRIPPED: programs; MODULES: the directory of compiled probes. From the build. */

struct target {
	pid_t pid;
	int in, out;
};

/* Start a program with these arguments (NULL at the end); returns when it has said "ready". */
struct target target_start(const char *program, ...);

/* Give the word to begin (a newline on its input). */
void target_go(const struct target *t);

/*
 * Close its input, read the rest of its output (up to size - 1 bytes, terminated), wait for it. Returns the wait
 * status.
 */
int target_finish(struct target *t, char *output, size_t size);

/* Number of its mappings that are ours. */
int target_mappings(pid_t pid);

/* Number of its open files that are ours. */
int target_files(pid_t pid);

/* The list of what a process has mapped, and its memory, to be read; both to be closed. */
FILE *target_maps(pid_t pid, int *mem);

/* Number of bytes of its own program's code, and of its C library's, that are not as the files have them. */
size_t target_changes(pid_t pid);

/* Nothing of ours is left in it: no mapping, no open file, no changed byte. */
void expect_clean(pid_t pid);

/*
 * The same where libraries came and went. One leaves old addresses on stacks, and memory of ours may have come to lie
 * there: then it is kept until they are gone, and whoever asks is told why.
 */
void expect_clean_of_libraries(pid_t pid);

struct module {
	void *data;
	size_t size;
};
struct module module_read(const char *name); /* MODULES/name.ward */

/* Attach; the test fails with the error if that fails. */
ward_session *attach(pid_t pid, const char *module, const char *site);

/* ward_attach with the module of probes/exact.c. */
int try_exact(pid_t pid, const struct ward_attach_options *options, ward_session **s, struct ward_error *err);

/*
 * A tracer that is killed at any moment, eight times: a child attaches by `start`, and is killed 0, step_ms,
 * 2 * step_ms… after it has. Each time all that it has left can be taken off.
 */
void kill_tracers(pid_t pid, int step_ms, ward_session *(*start)(pid_t pid));

/* The state of probes/exact.c, added up. */
struct exact {
	uint64_t calls, sum0, sum1, buckets[64];
};
struct exact exact_sum(ward_session *s);

/* The first word of every state, added up. */
uint64_t count_sum(ward_session *s);

struct ward_session_stats stats_of(const ward_session *s);

/* Milliseconds. */
void pause_ms(long ms);

#endif
