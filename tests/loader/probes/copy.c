/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, and keeps the last six arguments and the sum of two. */
#include <ward/probe.h>

struct last {
	ward_count calls;
	uint64_t arg[6];
	uint64_t sum[2];
};

void on_any(const struct ward_event *ev, struct last *st)
{
	st->calls++;
	for (int i = 0; i < 6; i++)
		st->arg[i] = ev->arg[i];
	st->sum[0] += ev->arg[0];
	st->sum[1] += ev->arg[1];
}
