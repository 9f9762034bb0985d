/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a machine's clock is ahead of the coordinator's. clocks.c describes how that is known. Times are nanoseconds;
 * `_at` since 1970.
 */
#ifndef WARD_CLUSTER_COORDINATOR_CLOCKS_H
#define WARD_CLUSTER_COORDINATOR_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct cluster_clock {
	int64_t offset_ns;
	uint64_t within_ns, since_ns;
	bool is_known;
};

/* A message that a machine has sent: a beat of ours came there `age_ns` before. */
struct cluster_clock_echo {
	uint64_t beat_at;  /* when we sent it */
	uint64_t age_ns;   /* for how long they had it */
	uint64_t clock_at; /* their clock then */
	uint64_t now_at;   /* ours, when the message came */
};
void cluster_clock_hear(struct cluster_clock *clock, const struct cluster_clock_echo *echo, uint64_t now_ns);
/* How much it may be off by now. */
uint64_t cluster_clock_within(const struct cluster_clock *clock, uint64_t now_ns);

#endif
