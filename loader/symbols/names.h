/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of addresses (ward_names of <ward/ward.h>), for sessions: they keep them up to date. names.c describes what is
 * kept.
 */
#ifndef WARD_LOADER_NAMES_H
#define WARD_LOADER_NAMES_H

#include "map_history.h"

/* One more user, who closes them as well (ward_names_close). NULL is allowed. */
ward_names *wl_names_share(ward_names *names);

/* Look again at the process that they were opened of: now, or if it is time for that. */
void wl_names_look(ward_names *names, const struct wl_process *p);
void wl_names_poll(ward_names *names, const struct wl_process *p);

/* The probes are taken off: what the process does from now on says nothing of what they have kept. */
void wl_names_over(ward_names *names);

/* As wl_process_wait; meanwhile the names (may be NULL) learn what the process loads. */
bool wl_names_wait(ward_names *names, const struct wl_process *p, int timeout_ms);

/* ---- Of several processes: they have a history for each place of states (a lane) ---- */

/* NULL without memory. */
ward_names *wl_names_new(void);
/* One more history: its number; -1 without memory. */
int64_t wl_names_add(ward_names *names);
/* The next thread's state is of that history. False without memory. */
bool wl_names_thread(ward_names *names, uint32_t history);

/* Look at a process: now, or if it is time for that. What has changed is written into its histories. */
enum { WL_HISTORIES_MOST = 64 };
void wl_names_see(ward_names *names, struct wl_mapped *m, const struct wl_process *p, bool now,
	const uint32_t *histories, size_t n);
/* Has no address of its code another meaning in the history? */
bool wl_names_fit(ward_names *names, const struct wl_mapped *m, uint32_t history);
/* Its states are there from now on; or no longer. */
void wl_names_join(ward_names *names, const struct wl_mapped *m, uint32_t history);
void wl_names_leave(ward_names *names, const struct wl_mapped *m, uint32_t history);

/*
 * Stacks that were taken are in that file (stack_table.h), which may be closed then; `number` is the table's among
 * those of the session. An offset of 0 means that none are taken. Handles of stacks have names as addresses have.
 * False without memory.
 */
bool wl_names_stacks(ward_names *names, uint32_t number, int fd, uint64_t offset);

/*
 * The functions that are inlined at an address, from the innermost (`i` is 0) outwards: "libx.so!next (inlined)".
 * False: there are no more, or it isn't known.
 */
bool wl_names_inlined(
	ward_names *names, uint64_t address, uint32_t thread, uint64_t time, size_t i, char *text, size_t size);

/*
 * Of tables of the kernel, which have stacks of all processes: look at those from which some have come. To be called
 * often while stacks are taken; of a process that has ended before nothing is known.
 */
void wl_names_see_owners(ward_names *names);

/* May one address mean different things in two threads? */
bool wl_names_differ(ward_names *names);
/*
 * The place in a file that an address is there, the same on every machine: "BUILD-ID+OFFSET". False: it is none, or
 * may be several, or its file has no build-id.
 */
bool wl_names_place(ward_names *names, uint64_t address, uint32_t thread, char *text, size_t size);
/* A number for what an address means there, the same wherever that is the same; 0: it is just an address. */
uint64_t wl_names_meaning(ward_names *names, uint32_t thread, uint64_t address);

#endif
