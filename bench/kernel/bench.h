/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmark's tables share. */
#ifndef WARD_BENCH_KERNEL_H
#define WARD_BENCH_KERNEL_H

#include "ward/ward.h"

#include <stddef.h>

/* End with a line. */
_Noreturn void fail(const char *what, const char *why);

/* The file, which ends with a zero byte behind its size; to be freed. */
void *read_file(const char *path, size_t *size);

/* What probes may call. */
enum { N_IMPORTS = 3 };
extern const char *const imports[N_IMPORTS];

/*
 * Instructions of a call of getppid with that argument, which it doesn't look at: the median of the rounds, each of so
 * many calls.
 */
enum { ROUNDS = 5 };
double measure(unsigned calls, unsigned long argument);

/* The same with a probe of the folder on it; of each call it must see so many events. */
double with_ward(const char *folder, const char *probe, const char *site, unsigned events, unsigned calls,
	unsigned long argument);

/* imports.c: what imports execute, beside what the verifier counts for them. Fails if that is less. */
void compare_imports(const char *folder);

/* every.c: a count at all functions of the kernel's at once. */
void count_every_function(const char *folder);

#endif
