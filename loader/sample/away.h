/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that have left their processor: when, and with which stack. Of each there is one leave for each site. */
#ifndef WARD_LOADER_SAMPLE_AWAY_H
#define WARD_LOADER_SAMPLE_AWAY_H

#include "walk_copy.h"

struct wl_away {
	uint32_t pid, tid;
	uint16_t site;
	bool is_away;
	uint64_t ns; /* since when: CLOCK_MONOTONIC_RAW */
	struct wl_stack_copy copy;
	uint8_t *bytes; /* our copy of the copy */
	uint64_t room;
};

/* Zero at first. By thread: a hash table. */
struct wl_aways {
	struct wl_away *v;
	size_t n, cap;
};

/* The thread leaves. False without memory. */
bool wl_away_begin(struct wl_aways *a, const struct wl_away *leave);

/* The leave of a thread for a site, which is away; NULL: it isn't. It is over with `is_away` false. */
struct wl_away *wl_away_find(struct wl_aways *a, uint32_t tid, uint16_t site);

/* It has ended. */
void wl_away_ended(struct wl_aways *a, uint32_t tid, uint16_t sites);
/* Nothing is known of threads that have left until now. */
void wl_away_forget(struct wl_aways *a);
void wl_away_free(struct wl_aways *a);

#endif
