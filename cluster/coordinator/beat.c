/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C-93: a query has one coordinator: the one with the highest term, and of two with the same one the one with the
 * greater number, which each draws when it starts. Who takes a query over has a term one above the last that was
 * heard. The one before hears its beat, and beats no more.
 *
 * C-94: the period is what was asked for, or so long that all partials together stay within a rate that a coordinator
 * can take. It grows at once, and becomes shorter only when half of it would do, so that it doesn't change with every
 * beat. It never reaches a third of the lease, since agents must hear of it in time. When messages were dropped, it is
 * twice as long for half a minute.
 */
#include "beat.h"

static const uint64_t SECOND = 1000000000, MILLISECOND = 1000000;
enum { ROUND_MS = 100, LONG_SECONDS = 30, LEASE_PERIODS = 3, MOST_RAISE = 1000 };

static uint64_t limit_period(const struct cluster_beat *beat, uint64_t period_ns)
{
	uint64_t asked = beat->options.period_ns, most = beat->options.lease_ns / LEASE_PERIODS;
	most = most < CLUSTER_MOST_PERIOD_S * SECOND ? most : CLUSTER_MOST_PERIOD_S * SECOND;
	period_ns = period_ns < most ? period_ns : most;
	return period_ns > asked ? period_ns : asked;
}

void cluster_beat_begin(struct cluster_beat *beat, const struct cluster_beat_options *options, uint64_t now_ns)
{
	*beat = (struct cluster_beat){.options = *options, .next_ns = now_ns, .period_ns = options->period_ns};
	if (__builtin_add_overflow(now_ns, options->left_ns, &beat->end_ns))
		beat->end_ns = UINT64_MAX;
}

uint64_t cluster_beat_due(const struct cluster_beat *beat)
{
	return beat->is_over ? UINT64_MAX : beat->next_ns;
}

bool cluster_beat_has_ended(const struct cluster_beat *beat, uint64_t now_ns)
{
	return now_ns >= beat->end_ns;
}

bool cluster_beat_next(struct cluster_beat *beat, uint64_t now_ns, struct cluster_beat_says *says)
{
	if (beat->is_over || now_ns < beat->next_ns || cluster_beat_has_ended(beat, now_ns))
		return false;
	beat->next_ns += CLUSTER_BEAT_MS * MILLISECOND;
	if (beat->next_ns <= now_ns) /* it was stopped: what it has missed isn't made up for */
		beat->next_ns = now_ns + CLUSTER_BEAT_MS * MILLISECOND;
	*says = (struct cluster_beat_says){.coordinator = beat->options.coordinator,
		.term = beat->options.term,
		.left_ns = beat->end_ns - now_ns,
		.lease_ns = beat->options.lease_ns,
		.period_ns = beat->period_ns};
	return true;
}

enum cluster_beat_heard cluster_beat_hear(struct cluster_beat *beat, uint64_t coordinator, uint64_t term)
{
	const struct cluster_beat_options *o = &beat->options;
	bool is_newer = term > o->term || (term == o->term && coordinator > o->coordinator);
	if (!is_newer)
		return beat->is_over ? CLUSTER_BEAT_NEWER : CLUSTER_BEAT_OWN;
	beat->is_over = true;
	if (term > beat->newer_term || (term == beat->newer_term && coordinator > beat->newer_coordinator)) {
		beat->newer_term = term;
		beat->newer_coordinator = coordinator;
	}
	return CLUSTER_BEAT_NEWER;
}

bool cluster_beat_raise(struct cluster_beat *beat, uint64_t coordinator, uint64_t term)
{
	struct cluster_beat_options *o = &beat->options;
	if (coordinator == o->coordinator || term < o->term || term - o->term > MOST_RAISE)
		return false;
	o->term = term + 1;
	beat->next_ns = 0;
	return true;
}

/* So long that so many bytes come at the rate that there may be, in steps. */
static uint64_t period_for(uint64_t bytes)
{
	uint64_t step = ROUND_MS * MILLISECOND, ns;
	if (__builtin_mul_overflow(bytes, SECOND / 1000, &ns))
		return CLUSTER_MOST_PERIOD_S * SECOND;
	ns /= CLUSTER_BYTES_A_SECOND / 1000;
	return (ns + step - 1) / step * step;
}

void cluster_beat_load(struct cluster_beat *beat, uint64_t bytes, uint64_t now_ns)
{
	uint64_t wanted = limit_period(beat, period_for(bytes));
	if (wanted > beat->period_ns)
		beat->period_ns = wanted;
	else if (now_ns >= beat->long_until_ns && (wanted <= beat->period_ns / 2 || wanted == beat->options.period_ns))
		beat->period_ns = wanted;
}

void cluster_beat_drop(struct cluster_beat *beat, uint64_t now_ns)
{
	if (now_ns < beat->long_until_ns && beat->long_until_ns - now_ns > (LONG_SECONDS - 2) * SECOND)
		return; /* the longer period can't have shown yet */
	beat->period_ns = limit_period(beat, beat->period_ns * 2);
	beat->long_until_ns = now_ns + LONG_SECONDS * SECOND;
}
