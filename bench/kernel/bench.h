/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmark's tables share. */
#ifndef WARD_BENCH_KERNEL_H
#define WARD_BENCH_KERNEL_H

#include "ward/ward.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* End with a line. */
_Noreturn void fail(const char *what, const char *why);

/* The file, which ends with a zero byte behind its size; to be freed. */
void *read_file(const char *path, size_t *size);

/* What probes may call. */
enum { N_IMPORTS = 5 };
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

/* Instructions since some time; the middle one of ROUNDS figures, which get sorted. */
double instructions_now(void);
double middle_of(double *took);

/* A module of the folder, attached to the kernel; the number of its events when it is detached. */
struct attachment {
	ward_session *session;
	void *module;
};
struct attachment attach_module(const char *folder, const char *probe, const char *site);
uint64_t detach_module(struct attachment *a);

/* Instructions of an operation of that name while bpftrace runs `what`, the file of a program, or "-e" and it. */
double loop_below(const char *bpftrace, const char *what, const char *program, const char *operation);

/* tools.c: the same without any; the table of the tools, with bpftrace's in the folder of scripts. */
double measure_operation(const char *name);
void compare_tools(const char *folder, const char *bpftrace, const char *scripts);

/* samples.c: instructions of a loop in user mode; what samples add to it. */
double measure_spin(void);
void compare_samples(const char *folder, const char *bpftrace);

/* The most instructions of a run of the module's probe, as the verifier counts them. */
uint64_t counted(const char *folder, const char *probe);

/* stacks.c: the same of the import that takes stacks, by their depth. */
void compare_stacks(const char *folder);

/* user_stacks.c: the same of the one that takes a process's stack, in the worst case. */
void compare_user_stacks(const char *folder);

/* imports.c: what imports execute, beside what the verifier counts for them. Fails if that is less. */
void compare_imports(const char *folder);

/* every.c: a count at all functions of the kernel's at once. */
void count_every_function(const char *folder);

#endif
