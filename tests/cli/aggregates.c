/* SPDX-License-Identifier: Apache-2.0 */
/* One field of each kind, updated with the arguments of the target's work(): 0, 1, 2 … */
#include <ward/probe.h>

struct pair {
	int rest;
	char name[4];
};

struct value {
	ward_count calls;
	ward_stat stat;
	ward_log2 sizes;
};

struct record {
	unsigned long number;
	void *double_of_it;
	char text[12];
};

struct ward_state {
	ward_min least;
	ward_max most;
	ward_stat stat;
	ward_stat never;
	ward_stat_signed minus;
	WARD_LINEAR(10, 100, 3) linear;
	WARD_QUANTILES(5) quantiles;
	WARD_EWMA(1) ewma;
	WARD_WINDOW(8) window;
	ward_sample sample;
	WARD_HLL(10) distinct;
	char title[2][8];
	WARD_MAP(struct pair, struct value, 16) by_pair;
	WARD_MAP(struct pair, ward_count, 2) full;
	WARD_MAP(int, WARD_LINEAR(0, 500, 2), 2) by_half; /* values of a type without a name */
	WARD_RECENT(int, ward_count, 4) recent;
	WARD_TOP(int, 8) top;
	WARD_CHOPSTIX(int, 64, 64) chopstix;
	WARD_RING(struct record, 8) ring;
	WARD_RING(unsigned short, 1024) all;
	WARD_FLIGHT(struct record, 4, 2) flight;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long n = ev->arg[0];
	struct pair pair = {.rest = (int)(n & 3) - 1, .name = {'<', '\n', (char)('a' + (n & 3))}};
	struct record r = {.number = n, .double_of_it = (void *)(2 * n), .text = "text\033[1m"};
	struct value *v = ward_map_at(&st->by_pair, pair);

	ward_min_add(&st->least, n + 5);
	ward_max_add(&st->most, n);
	ward_stat_add(&st->stat, n);
	ward_stat_signed_add(&st->minus, -(long)n);
	ward_linear_add(&st->linear, (long)n);
	ward_quantiles_add(&st->quantiles, n);
	ward_ewma_add(&st->ewma, 7);
	ward_window_add(&st->window, n);
	ward_sample_every(&st->sample, 10);
	ward_hll_add(&st->distinct, n & 1);
	__builtin_memcpy(st->title[1], "a\033[1mb", 7);
	v->calls++;
	ward_stat_add(&v->stat, n);
	ward_log2_add(&v->sizes, n);
	ward_map_add(&st->full, pair, 1);
	ward_linear_add(ward_map_at(&st->by_half, (int)(n % 4)), (long)n);
	ward_recent_add(&st->recent, (int)n, 1);
	ward_top_add(&st->top, (int)(n & 3), 1);
	ward_chopstix_add(&st->chopstix, 9);
	ward_ring_push(&st->ring, r);
	ward_ring_push(&st->all, (unsigned short)n);
	ward_flight_push(&st->flight, r);
	if (n % 100 == 99)
		ward_flight_trigger(&st->flight);
}
