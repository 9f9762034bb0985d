/* SPDX-License-Identifier: Apache-2.0 */
/* A state with a map and a queue of records. */
#ifndef WARD_BENCH_STATE_H
#define WARD_BENCH_STATE_H

#include <ward/probe.h>

struct record {
	unsigned long time, number, size;
	int result;
	char name[12];
};

struct ward_state {
	WARD_MAP(unsigned long, ward_count, 4096) by_number;
	WARD_MAP(unsigned long, ward_stat, 4096) sizes; /* which no event reaches */
	WARD_QUEUE(struct record, 65536) records;
};

static inline void fill(struct ward_state *st, unsigned long number, unsigned long time)
{
	struct record r = {.time = time, .number = number, .size = number * 7, .result = -1, .name = "record"};

	if (number == ~0ul)
		ward_stat_add(ward_map_at(&st->sizes, number), time);
	ward_map_add(&st->by_number, number & 2047, 1);
	ward_queue_push(&st->records, r);
}

#endif
