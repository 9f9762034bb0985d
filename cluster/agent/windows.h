/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of a query: what was counted between two multiples of their length by the machine's clock. windows.c
 * describes how they are cut, and what a clock that jumps does to them. Times are handed in.
 */
#ifndef WARD_CLUSTER_AGENT_WINDOWS_H
#define WARD_CLUSTER_AGENT_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "order.h"
#include "ward/partial.h"

enum {
	AGENT_WINDOWS = 16, /* that are kept until they are acknowledged */
	AGENT_WINDOWS_BYTES =
		640 << 10, /* of all of them: with the partials of all that was counted they fit a message */
};

/* A clock that never goes back, and the time since 1970. */
struct agent_clocks {
	uint64_t steady_ns, at_ns;
};

/* One that is over. */
struct agent_window {
	uint64_t number, span_ns; /* span: how long it was counted */
	void *partial[AGENT_UNITS];
	size_t size[AGENT_UNITS], n;
};

/* Begin with agent_windows_open. length_ns is 0 if the query has none. */
struct agent_windows {
	uint64_t length_ns;
	uint64_t present, began_ns; /* the window that isn't over; when it began, by the steady clock */
	int64_t apart_ns;           /* the time of the day less the steady clock, when both were looked at last */
	int64_t jumped_ns;          /* by how much the clock has jumped in all; positive: forth */
	bool has_jumped;            /* in the present window */
	ward_partial *before[AGENT_UNITS]; /* what there was when it began; NULL: nothing */
	struct agent_window kept[AGENT_WINDOWS];
	size_t n;
	uint64_t dropped; /* windows that made room before they were acknowledged */
};

void agent_windows_open(struct agent_windows *w, uint64_t length_ns, struct agent_clocks now);
void agent_windows_close(struct agent_windows *w);

/* Look at the clocks: is the present window over? Never without windows. */
bool agent_windows_look(struct agent_windows *w, struct agent_clocks now);
/* How long it is until then; UINT64_MAX without windows. */
uint64_t agent_windows_left(const struct agent_windows *w, struct agent_clocks now);

/*
 * The present window is over. `total` is what each of n units has counted so far; the partials are the windows' from
 * now on. `notes` are those of the window's partials, but for what the windows know themselves. false: there is no
 * memory, and the window goes on.
 */
bool agent_windows_cut(struct agent_windows *w, struct agent_clocks now, ward_partial *const *total, size_t n,
	const struct ward_partial_notes *notes, const struct ward_partial_limits *limits, struct ward_error *err);
/* All windows below this one are acknowledged. */
void agent_windows_got(struct agent_windows *w, uint64_t below);

#endif
