/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large are a program's writes: on average, at the extremes, by percentiles?
 *
 *	ward trace -p PID -d 10 probes/writes.c
 *
 * Sizes are those asked for: the third argument of write and pwrite64. The percentiles are right to within 1.6 %.
 */
#include <ward/probe.h>

struct ward_state {
	ward_stat size;
	WARD_QUANTILES(5) percentiles;
	WARD_LINEAR(0, 512, 16) up_to_8k; /* in steps of half a kilobyte */
};

static void count(struct ward_state *st, unsigned long size)
{
	ward_stat_add(&st->size, size);
	ward_quantiles_add(&st->percentiles, size);
	ward_linear_add(&st->up_to_8k, (long)size);
}

WARD_ENTRY("libc.so.6!write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	count(st, ev->arg[2]);
}

WARD_ENTRY("libc.so.6!pwrite64")
void on_pwrite64(const struct ward_event *ev, struct ward_state *st)
{
	count(st, ev->arg[2]);
}
