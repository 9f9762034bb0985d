/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates and histories of events that the reader has joined, in their order: Sample, SampleEvery, AtMost, Chopstix;
 * Previous, Delta, MovingAverage. Each does what its helper in ward/rate.h, ward/chopstix.h and ward/query.h does, but
 * there is one for all threads. Chopstix has a number for each of its counters, where a probe has bits.
 */
#include "earlier.h"

#include <stdlib.h>

#include "emitter.h"
#include "gather.h"

enum { COUNTERS = 8192 };
#define MOST_MEAN (INT64_C(1) << 58)

struct gate {
	struct query_gate counted;
	uint64_t full;      /* AT_MOST: when its bucket will be full again */
	uint64_t *counters; /* CHOPSTIX */
};

struct history {
	uint64_t now, before;
	uint64_t n, value, at, sum, *last; /* last: of a window */
	int64_t scaled;                    /* the mean times 16 */
};

struct earlier {
	const struct query *q;
	uint64_t dice;
	struct gate gates[PLAN_GATES];
	struct history histories[PLAN_HISTORIES];
};

struct earlier *earlier_open(const struct query *q)
{
	struct earlier *e = calloc(1, sizeof(*e));
	bool done = e != NULL;

	if (!e)
		return NULL;
	e->q = q;
	e->dice = random_seed() | 1;
	for (size_t i = 0; i < q->plan.n_gates; i++)
		if (q->plan.gates[i].kind == GATE_CHOPSTIX)
			done &= (e->gates[i].counters = calloc(COUNTERS, sizeof(uint64_t))) != NULL;
	for (size_t i = 0; i < q->plan.n_histories; i++)
		if (q->plan.histories[i].n)
			done &= (e->histories[i].last = calloc((size_t)q->plan.histories[i].n, sizeof(uint64_t))) !=
				NULL;
	if (done)
		return e;
	earlier_free(e);
	return NULL;
}

void earlier_free(struct earlier *e)
{
	for (size_t i = 0; e && i < PLAN_GATES; i++)
		free(e->gates[i].counters);
	for (size_t i = 0; e && i < PLAN_HISTORIES; i++)
		free(e->histories[i].last);
	free(e);
}

/* ---- gates ---- */

/* xorshift64*: the upper half is as good as chance. */
static uint64_t roll(struct earlier *e)
{
	e->dice ^= e->dice >> 12;
	e->dice ^= e->dice << 25;
	e->dice ^= e->dice >> 27;
	return e->dice * UINT64_C(0x2545f4914f6cdd1d) >> 32;
}

/* A token bucket, as ward_rate_pass has it. */
static bool has_token(struct gate *gate, const struct plan_gate *plan, uint64_t now, uint64_t interval)
{
	uint64_t missing = gate->full > now ? gate->full - now : 0, most;

	interval = interval ? interval : 1;
	if (__builtin_mul_overflow(plan->n - 1, interval, &most))
		most = UINT64_MAX;
	if (missing > most)
		return false;
	if (__builtin_add_overflow(now + missing, interval, &gate->full))
		gate->full = UINT64_MAX;
	return true;
}

/* The 1st, 2nd, 4th, 8th … event of a key, or of those that share its counter. */
static bool is_power(struct gate *gate, uint64_t key)
{
	uint64_t *counter = &gate->counters[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 51];

	++*counter;
	return (*counter & (*counter - 1)) == 0;
}

bool earlier_pass(struct interpreter *in, const struct expr *x)
{
	struct earlier *e = in->earlier;
	const struct plan_gate *plan = &in->q->plan.gates[x->value];
	struct gate *gate = &e->gates[x->value];
	uint64_t key = plan->of ? query_compute(in, plan->of) : 0;
	bool pass = false;

	if (in->zero)
		return false;
	switch (plan->kind) {
	case GATE_RANDOM: pass = roll(e) * plan->n >> 32 == 0; break;
	case GATE_EVERY: pass = gate->counted.of % plan->n == 0; break;
	case GATE_AT_MOST: pass = has_token(gate, plan, in->time, counts_of(in->q, plan->ns) / plan->n); break;
	case GATE_CHOPSTIX: pass = is_power(gate, key); break;
	}
	gate->counted.of++;
	gate->counted.passed += pass;
	return pass;
}

struct query_gate earlier_gate(const struct earlier *e, size_t which)
{
	return e->gates[which].counted;
}

/* ---- histories ---- */

/* The mean of all, each with a weight of 1/16 then. */
static uint64_t weighted_mean(struct history *h, uint64_t value, bool is_signed)
{
	uint64_t before = h->n ? (uint64_t)(h->scaled >> 4) : value;
	int64_t v = (int64_t)value;

	if (!is_signed)
		v = value > (uint64_t)MOST_MEAN ? MOST_MEAN : v;
	v = v > MOST_MEAN ? MOST_MEAN : v < -MOST_MEAN ? -MOST_MEAN : v;
	h->scaled = h->n ? h->scaled + v - (h->scaled >> 4) : v * 16;
	h->n = 1;
	return before;
}

static uint64_t window_mean(struct history *h, uint64_t most, uint64_t value, bool is_signed)
{
	uint64_t mean = !h->n ? value : is_signed ? (uint64_t)((int64_t)h->sum / (int64_t)h->n) : h->sum / h->n;

	h->sum += value - h->last[h->at];
	h->last[h->at] = value;
	h->at = h->at + 1 < most ? h->at + 1 : 0;
	h->n += h->n < most;
	return mean;
}

void earlier_take(struct interpreter *in, uint64_t which)
{
	const struct plan_history *plan = &in->q->plan.histories[which];
	struct history *h = &in->earlier->histories[which];
	bool is_signed = plan->of->type.kind == TYPE_INT && plan->of->type.is_signed;
	uint64_t value = query_compute(in, plan->of);

	if (in->zero)
		return;
	h->now = value;
	if (plan->kind == HISTORY_LAST) {
		h->before = h->n ? h->value : value;
		h->n = 1;
		h->value = value;
	} else {
		h->before = plan->n ? window_mean(h, (uint64_t)plan->n, value, is_signed)
				    : weighted_mean(h, value, is_signed);
	}
}

uint64_t earlier_now(const struct earlier *e, uint64_t which)
{
	return e->histories[which].now;
}

uint64_t earlier_before(const struct earlier *e, uint64_t which)
{
	return e->histories[which].before;
}
