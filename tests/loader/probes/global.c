/* SPDX-License-Identifier: Apache-2.0 */
/* Data that all threads and all sites share, and constants. */
#include <ward/probe.h>

struct ward_state {
	ward_count calls;
	uint64_t seen, constants;
};

static unsigned long total = 1000;
static const unsigned long table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	st->calls++;
	st->seen = ++total;
	st->constants += table[ev->arg[0] & 7];
}

WARD_ENTRY("libc.so.6!write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	total += 1000000;
	st->seen = total;
}
