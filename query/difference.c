/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of what was kept at two times. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "entries.h"

static void subtract_sum(struct query_result *r, const struct query_result *before)
{
	unsigned __int128 sum = (unsigned __int128)r->high << 64 | r->number;

	sum -= (unsigned __int128)before->high << 64 | before->number;
	r->number = (uint64_t)sum;
	r->high = (uint64_t)(sum >> 64);
	r->count -= before->count;
	r->mean = result_mean(r);
}

/* Both ascend, and the earlier ones are among the later ones: buckets never become empty again. */
static struct query_bucket *subtract_buckets(
	struct query_result *r, const struct query_result *before, struct query_bucket *room)
{
	size_t n = 0, end = 0, k = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct query_bucket b = r->buckets[i];

		if (k < before->n && before->buckets[k].lo == b.lo)
			b.count -= before->buckets[k++].count;
		if (n == 0 && b.count == 0)
			continue;
		room[n++] = b;
		end = b.count ? n : end;
	}
	r->buckets = room;
	r->n = end;
	return room + end;
}

static void subtract(const struct plan *p, struct query_entry *e, const struct query_entry *before,
	struct query_bucket **room, bool *some)
{
	static const struct query_result none;

	for (size_t i = 0; i < p->n_keeps; i++) {
		struct query_result *r = &e->results[i];
		const struct query_result *b = before ? &before->results[i] : &none;

		switch (p->counters ? KEEP_DISTINCT : p->keeps[i].kind) {
		case KEEP_QUANTILES:
			r->min = 1; /* which is more than the largest: neither is known */
			r->max = 0;
			/* fall through */
		case KEEP_LOG2:
		case KEEP_LINEAR:
		case KEEP_BITS:
			*room = subtract_buckets(r, b, *room);
			r->count -= b->count;
			*some |= r->n != 0;
			break;
		case KEEP_COUNT:
		case KEEP_SUM:
		case KEEP_STAT:
			subtract_sum(r, b);
			*some |= r->count || r->number || r->high;
			break;
		default: *some |= !before || b->number != r->number || b->count != r->count;
		}
	}
}

static size_t count_buckets(const struct plan *p, const struct query_entry *entries, size_t n)
{
	size_t buckets = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < p->n_keeps; k++)
			buckets += entries[i].results[k].n;
	return buckets;
}

static const struct query_entry *find_entry(
	const struct query_entry *sorted, size_t n, const struct query_entry *wanted, struct entry_order *order)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		int c = entry_compare(&sorted[middle], wanted, order);

		if (c == 0)
			return &sorted[middle];
		if (c < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	return NULL;
}

/* Entries, results, and buckets, in one piece of memory. */
struct query_entry *query_entries_difference(const struct query *q, const struct query_entry *before, size_t n_before,
	const struct query_entry *now, size_t *n)
{
	const struct plan *p = &q->plan;
	struct entry_order order = entry_order_of(q);
	size_t n_results = *n * p->n_keeps, kept = 0;
	struct query_entry *sorted = calloc(n_before + 1, sizeof(*sorted)),
			   *out = malloc(*n * sizeof(*out) + n_results * sizeof(struct query_result) +
					 (count_buckets(p, now, *n) + 1) * sizeof(struct query_bucket));
	struct query_result *results = (struct query_result *)(out + *n);
	struct query_bucket *room = (struct query_bucket *)(results + n_results);

	if (sorted && out) {
		if (n_before)
			memcpy(sorted, before, n_before * sizeof(*sorted));
		qsort_r(sorted, n_before, sizeof(*sorted), entry_compare, &order);
	}
	for (size_t i = 0; sorted && out && i < *n; i++) {
		struct query_entry *e = &out[kept];
		const struct query_entry *b = find_entry(sorted, n_before, &now[i], &order);
		bool some = !b;

		*e = now[i];
		e->results = results + kept * p->n_keeps;
		memcpy(e->results, now[i].results, p->n_keeps * sizeof(*results));
		subtract(p, e, b, &room, &some);
		kept += some || !query_has_groups(q);
	}
	if (!sorted) {
		free(out);
		out = NULL;
	}
	free(sorted);
	*n = kept;
	return out;
}
