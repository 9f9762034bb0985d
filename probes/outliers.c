/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which requests for memory are far larger than usual?
 *
 *	ward trace -p PID -d 10 probes/outliers.c
 *
 * A predicate on a moving average, as in Fay's studies: a request of more than ten times the average of those before
 * it is an outlier. The probe keeps the last outliers with the place that asked. After the first 16 it keeps at most
 * one in 2^20 counts of the time stamp counter (a few thousand a second), so that a burst doesn't hide all others.
 */
#include <ward/probe.h>

struct outlier {
	unsigned long time, size, usual;
	void *caller;
};

struct ward_state {
	WARD_EWMA(6) usual;
	ward_count outliers;
	ward_rate kept;
	WARD_RING(struct outlier, 64) last;
};

WARD_ENTRY("libc.so.6!malloc")
void on_malloc(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long size = ev->arg[0];

	if (ward_ewma_above(&st->usual, size, 1000)) {
		st->outliers++;
		if (ward_rate_pass(&st->kept, ev->time, 1 << 20, 16))
			ward_ring_push(&st->last,
				((struct outlier){ev->time, size, ward_ewma_value(&st->usual), (void *)ev->caller}));
	}
	ward_ewma_add(&st->usual, size);
}
