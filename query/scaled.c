/* SPDX-License-Identifier: Apache-2.0 */
/* Scaled: what was counted of a sample, as often as there were events for each that passed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"

void apply_scaled(struct chain *c, struct node *n)
{
	if (!c->plan->n_gates)
		query_fail(
			c->r->maker.err, n->at, "Sample(1000) before what is counted", "Scaled of what is no sample");
	c->plan->is_scaled = true;
}

bool query_is_scaled(const struct query *q)
{
	return q->plan.is_scaled;
}

static double scale_of(const struct query *q, const struct query_gate *gates)
{
	double scale = 1;

	for (size_t i = 0; i < q->plan.n_gates; i++)
		if (gates[i].passed)
			scale *= (double)gates[i].of / (double)gates[i].passed;
	return scale;
}

/* Beyond 64 bits it is the largest number that there is. */
static uint64_t scale_number(uint64_t number, double scale)
{
	double scaled = round((double)number * scale);

	return scaled < 0x1p64 ? (uint64_t)scaled : UINT64_MAX;
}

static void scale_sum(struct query_result *r, double scale)
{
	if (r->is_signed && (int64_t)r->number < 0)
		r->number = -scale_number(-r->number, scale);
	else
		r->number = scale_number(r->number, scale);
	r->high = r->is_signed && (int64_t)r->number < 0 ? UINT64_MAX : 0;
}

/* What has no size stays: the least, the largest, the mean, quantiles, how many are different. */
static void scale_result(const struct plan_keep *keep, struct query_result *r, double scale, struct query_bucket **room)
{
	switch (keep->kind) {
	case KEEP_COUNT:
	case KEEP_SUM:
	case KEEP_STAT: scale_sum(r, scale); break;
	case KEEP_LOG2:
	case KEEP_LINEAR:
		if (r->n)
			memcpy(*room, r->buckets, r->n * sizeof(**room));
		for (size_t i = 0; i < r->n; i++)
			(*room)[i].count = scale_number((*room)[i].count, scale);
		r->buckets = *room;
		*room += r->n;
		break;
	default: return;
	}
	r->count = scale_number(r->count, scale);
	r->error = scale_number(r->error, scale);
}

/* Entries, results, and buckets, in one piece of memory. */
struct query_entry *query_entries_scaled(
	const struct query *q, const struct query_entry *entries, size_t n, const struct query_gate *gates)
{
	size_t n_keeps = q->plan.n_keeps, buckets = 0;
	double scale = scale_of(q, gates);
	struct query_entry *out;
	struct query_result *results;
	struct query_bucket *room;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n_keeps; k++)
			buckets += entries[i].results[k].n;
	out = malloc((n + 1) * sizeof(*out) + n * n_keeps * sizeof(*results) + buckets * sizeof(*room));
	if (!out)
		return NULL;
	results = (struct query_result *)(out + n + 1);
	room = (struct query_bucket *)(results + n * n_keeps);
	for (size_t i = 0; i < n; i++) {
		out[i] = entries[i];
		out[i].results = results + i * n_keeps;
		memcpy(out[i].results, entries[i].results, n_keeps * sizeof(*results));
		for (size_t k = 0; k < n_keeps; k++)
			scale_result(&q->plan.keeps[k], &out[i].results[k], scale, &room);
	}
	return out;
}
