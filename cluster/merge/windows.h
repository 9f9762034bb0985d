/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of a query: the sum of what all machines have counted in one window of time. A window's partial is absolute:
 * it may come again, and replaces the one before. windows.c describes when a window is closed.
 */
#ifndef WARD_CLUSTER_MERGE_WINDOWS_H
#define WARD_CLUSTER_MERGE_WINDOWS_H

#include "total.h"

enum {
	CLUSTER_WINDOWS = 16,      /* that are kept: as many as agents send again */
	CLUSTER_WINDOWS_AHEAD = 8, /* at most, of the caller's clock */
};

struct cluster_windows_options {
	struct cluster_children_options children; /* of each window; its bytes are those of all windows */
	uint64_t window_ns, period_ns;
};

/* A machine's partial of a window, as it came. */
struct cluster_window_part {
	struct cluster_sender sender;
	const void *bytes;
	size_t size;
	uint64_t span_ns;        /* how long it was counted there */
	uint64_t now_ns, now_at; /* the caller's clocks: one that never goes back, and the time since 1970 */
};

struct cluster_window {
	uint64_t number;
	cluster_children *children; /* its partials */
	uint64_t first_ns;          /* when its first partial came */
	uint64_t span_ns;           /* how long it was counted, where that was longest */
	bool is_closed;
	uint64_t amended; /* partials that came after it was closed */
};

typedef struct cluster_windows cluster_windows;

/* NULL without memory. Free with cluster_windows_free; NULL is allowed there. */
cluster_windows *cluster_windows_new(const struct cluster_windows_options *options);
void cluster_windows_free(cluster_windows *windows);

/* As cluster_children_take. CLUSTER_OLD: its window is no longer kept, or too far ahead, too; it counts as lost. */
enum cluster_taken cluster_windows_take(
	cluster_windows *windows, const struct cluster_window_part *part, struct ward_error *err);
/* The machine sends nothing any more: nobody waits for it. */
void cluster_windows_leave(cluster_windows *windows, const char *machine);
/* It is out of all windows that are kept, and of those to come. False without memory. */
bool cluster_windows_put_out(cluster_windows *windows, const char *machine);

/*
 * The next window that is closed, in ascending order, or one that was amended since it was given out; NULL: none now.
 * It is there until the next call of a function with these windows.
 */
const struct cluster_window *cluster_windows_next(cluster_windows *windows, uint64_t now_ns);
/* All that are kept are closed, as nothing comes any more. */
void cluster_windows_close(cluster_windows *windows);

/* All windows of that epoch below this one have arrived, or will never be taken: the agent needn't send them again. */
uint64_t cluster_windows_below(const cluster_windows *windows, const char *machine, uint64_t epoch, uint64_t nonce);
/* Partials that came after their window was closed. */
uint64_t cluster_windows_amended(const cluster_windows *windows);
/* Events in all windows so far, also in those that are no longer kept. */
uint64_t cluster_windows_events(const cluster_windows *windows);

/* What is to be said of a machine's windows. */
struct cluster_window_machine {
	const char *name;
	uint64_t lost;  /* that are in no sum: their window was no longer kept, or was too far ahead */
	uint64_t jumps; /* in which its clock has jumped */
	uint64_t late;  /* that it has read more than a window after their end */
};
/* In the order in which they came; false behind the last one. */
bool cluster_windows_machine(const cluster_windows *windows, size_t i, struct cluster_window_machine *out);

#endif
