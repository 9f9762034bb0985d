/* SPDX-License-Identifier: Apache-2.0 */
/* Which processes have a module mapped, now and later. It reads /proc, and touches no process. */
#ifndef WARD_QUERY_WATCH_H
#define WARD_QUERY_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* modules: names or patterns, as in sites. program: NULL, or the name of the programs that are meant. */
struct watch;
struct watch *watch_open(const char *const *modules, size_t n, const char *program);
void watch_close(struct watch *w);

/*
 * Look at processes that are new, and now and then at those that were there. Calls fn once for each that has one of the
 * modules mapped. Left out are this process, those that it descends from (unless a program is named), and other Wards.
 * Only root sees other users' processes. `name` is the program's.
 */
typedef void watch_fn(void *user, pid_t pid, const char *name);
void watch_look(struct watch *w, watch_fn *fn, void *user);
/* The process, or its program, is over: if there is one of that number, it is looked at anew. */
void watch_again(struct watch *w, pid_t pid);
/* How many that have a module mapped were left out, as Ward descends from them. */
size_t watch_ancestors(const struct watch *w);

#endif
