/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and addresses of the slots, computed before they are mapped. */
#include "slots.h"

#include <string.h>

static uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

void wl_slots_plan(struct wl_slots *s, uint32_t max_threads, uint32_t state_size)
{
	memset(s, 0, sizeof(*s));
	if (max_threads == 0)
		max_threads = WL_DEFAULT_THREADS;
	if (max_threads > WL_MAX_THREADS)
		max_threads = WL_MAX_THREADS;
	s->max_threads = max_threads;
	/* some rows are free when all states are given out, because row 0 belongs to no thread */
	for (s->rows = 16; s->rows < max_threads + max_threads / 4 + 2; s->rows *= 2)
		;
	/* The states of two threads share no cache line, and no pair of lines that the processor fetches together. */
	s->state_stride =
		state_size >= 2048 ? round_up(state_size, WL_PAGE) : round_up(state_size ? state_size : 1, 128);
	s->table_size = (uint64_t)s->rows * WL_ROW_SIZE;
	s->states_size = round_up(s->state_stride * max_threads, WL_PAGE);
	s->stacks_size = (uint64_t)max_threads * WL_STACK_SIZE;
}
