/* SPDX-License-Identifier: Apache-2.0 */
/* What histograms have in common: adding up buckets, and giving them out. */
#include "buckets.h"

uint64_t buckets_sum(const struct state_field *f, const struct states *states, size_t bucket)
{
	struct state_int at = f->scalar;
	at.offset += (uint32_t)bucket * at.size;
	return merge_sum(states, &at);
}

void buckets_keep(const struct ward_bucket *all, size_t n, struct ward_field *out)
{
	size_t first = 0, last = n;
	while (first < n && all[first].count == 0)
		first++;
	while (last > first && all[last - 1].count == 0)
		last--;
	out->n = last - first;
	out->buckets = all + first;
}

uint64_t buckets_weight(const struct ward_field *f)
{
	uint64_t total = 0;
	for (size_t i = 0; i < f->n; i++)
		total += f->buckets[i].count;
	return total;
}

void buckets_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_begin(fn, user, WARD_RESULT_LIST, "buckets");
	for (size_t i = 0; i < f->n; i++) {
		result_begin(fn, user, WARD_RESULT_ROW, "");
		result_number(fn, user, "lo", f->buckets[i].lo, f->value_is_signed);
		result_number(fn, user, "hi", f->buckets[i].hi, f->value_is_signed);
		result_number(fn, user, "count", f->buckets[i].count, false);
		result_end(fn, user);
	}
	result_end(fn, user);
}
