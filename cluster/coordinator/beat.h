/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A coordinator's beats: each second, that its query goes on. beat.c describes who has a query, and how the period
 * follows what machines send. Times are nanoseconds of a clock that never goes back, handed in.
 */
#ifndef WARD_CLUSTER_COORDINATOR_BEAT_H
#define WARD_CLUSTER_COORDINATOR_BEAT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CLUSTER_BEAT_MS = 1000,
	CLUSTER_BYTES_A_SECOND = 20 * 1000 * 1000, /* of partials, from all machines */
	CLUSTER_MOST_PERIOD_S = 60,
};

struct cluster_beat_options {
	uint64_t coordinator; /* drawn when it starts */
	uint64_t term;        /* of the query; one above the last one that was heard, when it is taken over */
	uint64_t left_ns;     /* until the query ends, from now on */
	uint64_t lease_ns;
	uint64_t period_ns; /* that was asked for */
};

/* What a beat says. */
struct cluster_beat_says {
	uint64_t coordinator, term, left_ns, lease_ns, period_ns;
};

enum cluster_beat_heard {
	CLUSTER_BEAT_OWN,   /* one's own, or of one who has lost the query */
	CLUSTER_BEAT_NEWER, /* another one has the query now: no more beats, go on as a viewer */
};

struct cluster_beat {
	struct cluster_beat_options options;
	uint64_t next_ns, end_ns;
	uint64_t period_ns;     /* as in the last beat */
	uint64_t long_until_ns; /* messages were dropped: the period stays long */
	bool is_over;           /* another one has it */
	uint64_t newer_term, newer_coordinator;
};

void cluster_beat_begin(struct cluster_beat *beat, const struct cluster_beat_options *options, uint64_t now_ns);
/* Is it time for a beat? Then *says has what it is to say. Never again once another coordinator has the query. */
bool cluster_beat_next(struct cluster_beat *beat, uint64_t now_ns, struct cluster_beat_says *says);
/* When it is time for the next one. */
uint64_t cluster_beat_due(const struct cluster_beat *beat);
/* Is the query's time over? */
bool cluster_beat_has_ended(const struct cluster_beat *beat, uint64_t now_ns);
/* A beat of this query came in, with a good signature. */
enum cluster_beat_heard cluster_beat_hear(struct cluster_beat *beat, uint64_t coordinator, uint64_t term);
/* Another one had the query with this term: one's own is above it from now on. False: it is, or that can't be. */
bool cluster_beat_raise(struct cluster_beat *beat, uint64_t coordinator, uint64_t term);
/* All machines' partials have so many bytes now, a period. */
void cluster_beat_load(struct cluster_beat *beat, uint64_t bytes, uint64_t now_ns);
/* Messages were dropped, as they came too fast. */
void cluster_beat_drop(struct cluster_beat *beat, uint64_t now_ns);

#endif
