/* SPDX-License-Identifier: Apache-2.0 */
/* A probe of a program whose calls are known: what it keeps in each form that a query can be of. */
#include <ward/probe.h>

#ifndef LARGER
#define LARGER 4096
#endif

enum size { SMALL, LARGE };

struct row {
	unsigned long time;
	ward_elapsed took;
	enum size size;
	int handle;
	void *caller;
	unsigned long bytes;
};

struct group {
	ward_count calls;
	long left; /* below zero */
	ward_stat bytes;
	ward_max largest;
	ward_log2 sizes;
};

struct pair {
	unsigned long size;
	unsigned handle, low;
};

struct ward_state {
	ward_count reads;
	ward_stat bytes;
	WARD_MAP(unsigned long, struct group, 64) by_size;
	WARD_MAP(enum size, ward_count, 64) plain;
	WARD_MAP(struct pair, ward_count, 256) pairs;
	WARD_MAP(void *, ward_count, 64) by_caller;
	WARD_TOP(unsigned long, 64) most;
	WARD_RING(struct row, 32768) rows;
	WARD_RING(struct pair, 16) other_rows;
};

WARD_ENTRY(":return")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long bytes = ev->arg[2];
	enum size size = bytes < LARGER ? SMALL : LARGE;
	struct group *g = ward_map_at(&st->by_size, bytes / 1024);

	st->reads++;
	ward_stat_add(&st->bytes, bytes);
	g->calls++;
	g->left -= 2;
	ward_stat_add(&g->bytes, bytes);
	ward_max_add(&g->largest, bytes);
	ward_log2_add(&g->sizes, bytes);
	ward_map_add(&st->plain, size, 1);
	ward_map_add(&st->pairs, ((struct pair){bytes / 1024, (unsigned)ev->arg[0], bytes % 2}), 1);
	ward_map_add(&st->by_caller, (void *)ev->caller, 1);
	ward_top_add(&st->most, bytes / 1024, 1);
	ward_ring_push(
		&st->rows, ((struct row){ev->time, ev->elapsed, size, (int)ev->arg[0], (void *)ev->caller, bytes}));
	ward_ring_push(&st->other_rows, ((struct pair){1, 2, 3}));
}
