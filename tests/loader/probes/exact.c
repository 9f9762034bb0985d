/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts, sums and a histogram of the first argument. tests/loader reads the raw state: helper.h has the same
 * structure.
 */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	uint64_t sum0, sum1;
	uint64_t buckets[64]; /* by highest bit; 0 with 1 */
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t v = ev->arg[0];

	st->calls++;
	st->sum0 += v;
	st->sum1 += ev->arg[1];
	st->buckets[63 - __builtin_clzl(v | 1)]++;
}
