/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is sampled: a process, from its start, or from when it executed the program, to its end, or to when it
 * executes another one. Its samples have a state of their own, as its addresses mean something else than another
 * program's.
 */
#ifndef WARD_LOADER_SAMPLE_PROGRAM_H
#define WARD_LOADER_SAMPLE_PROGRAM_H

#include "code_map.h"
#include "loader/process/process.h"
#include "loader/symbols/names.h"

struct wl_inner_tid {
	uint32_t outer, inner;
};

/* Most bytes of an auxiliary vector that are looked at. */
enum { WL_AUXV_MOST = 512 };

struct wl_program {
	pid_t pid, parent;
	char *path;                 /* of its file, or its name if it was gone too early; NULL: neither is known */
	uint64_t events, dropped;   /* probe runs for it; those that are known to lack */
	uint8_t auxv[WL_AUXV_MOST]; /* what the kernel has told the program at its start: it tells one from another */
	size_t auxv_size;
	struct wl_process p; /* its descriptors are -1 if it was gone too early */
	struct wl_mapped mapped;
	uint32_t state; /* its number, and that of its history of names */
	bool ended;     /* no sample comes any more */
	uint64_t gone; /* since when its process is known to be gone, nanoseconds of CLOCK_MONOTONIC_RAW; 0: it isn't */
	bool changed;  /* it has mapped code since the last look */
	struct wl_code_map code;    /* if stacks are taken */
	bool code_changed;          /* since that was made */
	bool is_inner;              /* it has another pid namespace than this process: */
	struct wl_inner_tid *inner; /* the numbers of its threads there, as far as they were asked for */
	size_t n_inner;
};

/* NULL without memory. `parent`: whose program it is, in a child, or NULL. */
struct wl_program *wl_program_new(pid_t pid, uint32_t state, const struct wl_program *parent, ward_names *names);
void wl_program_free(struct wl_program *program);

/* What it is called, if its file isn't known: at most so many bytes. */
void wl_program_name(struct wl_program *program, const char *name, size_t n);

/* Look at what it has mapped: now, or if it is time for that. */
void wl_program_look(struct wl_program *program, ward_names *names, bool now);
/* Look at its code, if that has changed. */
void wl_program_look_code(struct wl_program *program, struct wl_code_files *files);

/* The thread's number in the program's own pid namespace. */
uint32_t wl_program_tid(struct wl_program *program, uint32_t tid);
/* Processor time that the thread has used, in nanoseconds; 0 if it isn't known. */
uint64_t wl_program_thread_ns(const struct wl_program *program, uint32_t tid);

void wl_program_tid_ended(struct wl_program *program, uint32_t tid);

#endif
