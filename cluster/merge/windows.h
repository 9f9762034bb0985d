/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of a query: the sum of what all machines have counted in one window of time. A window's partial is absolute:
 * it may come again, and replaces the one before. windows.c describes when a window is closed.
 */
#ifndef WARD_CLUSTER_MERGE_WINDOWS_H
#define WARD_CLUSTER_MERGE_WINDOWS_H

#include "total.h"

enum { CLUSTER_WINDOWS = 16 }; /* that are kept: as many as agents send again */

struct cluster_windows_options {
	struct cluster_children_options children; /* of each window */
	uint64_t window_ns, period_ns;
};

struct cluster_window {
	uint64_t number;
	cluster_children *children; /* its partials */
	uint64_t first_ns;          /* when its first partial came */
	bool is_closed;
	uint64_t amended; /* partials that came after it was closed */
};

typedef struct cluster_windows cluster_windows;

/* NULL without memory. Free with cluster_windows_free; NULL is allowed there. */
cluster_windows *cluster_windows_new(const struct cluster_windows_options *options);
void cluster_windows_free(cluster_windows *windows);

/* As cluster_children_take. CLUSTER_OLD: its window is no longer kept, too; it counts as late. */
enum cluster_taken cluster_windows_take(cluster_windows *windows, const struct cluster_sender *sender,
	const void *bytes, size_t size, uint64_t now_ns, struct ward_error *err);
/* The machine sends nothing any more: nobody waits for it. */
void cluster_windows_leave(cluster_windows *windows, const char *machine);

/*
 * The next window that is closed, in ascending order, or one that was amended since it was given out; NULL: none now.
 * It is there until the next call of a function with these windows.
 */
const struct cluster_window *cluster_windows_next(cluster_windows *windows, uint64_t now_ns);
/* All that are kept are closed, as nothing comes any more. */
void cluster_windows_close(cluster_windows *windows);

/* All windows of that epoch below this one have arrived, or will never be taken: the agent needn't send them again. */
uint64_t cluster_windows_below(const cluster_windows *windows, const char *machine, uint64_t epoch, uint64_t nonce);
/* Partials whose window was no longer kept, and that are in no sum; those that came after their window was closed. */
uint64_t cluster_windows_lost(const cluster_windows *windows);
uint64_t cluster_windows_amended(const cluster_windows *windows);

#endif
