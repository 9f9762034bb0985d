/* SPDX-License-Identifier: Apache-2.0 */
/* Sampling, rates and moving averages: arg[0] is the time, arg[1] the number. */
#include <ward/probe.h>

struct ward_state {
	ward_sample every, often, random;
	ward_rate rate, single;
	WARD_EWMA(4) ewma;
	WARD_EWMA(1) quick;
	WARD_WINDOW(32) window;
	WARD_WINDOW(1) latest;
	ward_count above, below, window_above, window_below;
};

WARD_ENTRY("target!work")
void on_number(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long now = ev->arg[0], v = ev->arg[1];

	ward_sample_every(&st->every, 7);
	ward_sample_every(&st->often, 1);
	ward_sample_random(&st->random, 10);
	ward_rate_pass(&st->rate, now, 1000, 8);
	ward_rate_pass(&st->single, now, 333, 1);
	st->above += ward_ewma_above(&st->ewma, v, 150);
	st->below += ward_ewma_below(&st->ewma, v, 50);
	st->window_above += ward_window_above(&st->window, v, 150);
	st->window_below += ward_window_below(&st->window, v, 50);
	ward_ewma_add(&st->ewma, v);
	ward_ewma_add(&st->quick, v);
	ward_window_add(&st->window, v);
	ward_window_add(&st->latest, v);
}
