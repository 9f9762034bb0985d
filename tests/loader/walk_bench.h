/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of a thread's stack (loader/stub/walk.S), called natively: on registers and memory that a test chooses. */
#ifndef WARD_TESTS_LOADER_WALK_BENCH_H
#define WARD_TESTS_LOADER_WALK_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loader/stub/imports.h"

struct walk_bench {
	uint8_t *code;  /* the imports, filled in */
	uint8_t *stack; /* a slot's own */
	struct wl_stacks *stacks;
	uint64_t directory; /* the word that has its address */
	struct wl_directory *dir;
	size_t cap;
	uint64_t stack_top;
	struct wl_stack last; /* that was taken */
	void **rows;          /* that were read */
	size_t n_rows;
};

/* What a stub would leave. `at` is as WL_WALK_AT, `ip` as WL_WALK_IP. */
struct walk_from {
	uint64_t rsp, owner, rbp, at, ip;
};

/* A stack that was taken. */
struct walk_taken {
	uint64_t handle;
	unsigned how;
	size_t n;
	const uint64_t *address;
};

/* `stack_top`: where the first thread's stack ends, or 0. */
void walk_begin(struct walk_bench *b, uint64_t stack_top);
void walk_end(struct walk_bench *b);

/* Add the code of a file that the process has mapped there, with its rows. False: it has none. */
struct wl_map;
bool walk_add(struct walk_bench *b, int pid, const char *path, const struct wl_map *m);
/* The same with rows that are given, counted from `start`; they must last. */
void walk_add_rows(struct walk_bench *b, uint64_t start, uint64_t end, const void *rows, size_t n);
/* Of all that a process has mapped. */
void walk_add_process(struct walk_bench *b, int pid);

struct walk_taken walk_take(struct walk_bench *b, const struct walk_from *from, uint64_t frames);
/* The same, with each instruction counted; and the bytes of stack that it uses. */
struct walk_taken walk_count(
	struct walk_bench *b, const struct walk_from *from, uint64_t frames, long *instructions, long *depth);

#endif
