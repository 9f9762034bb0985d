/* SPDX-License-Identifier: Apache-2.0 */
/* What histograms have in common: adding up buckets, and giving them out. */
#include "buckets.h"

uint32_t buckets_cells(const struct state_field *f)
{
	return f->n;
}

void buckets_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	struct state_int at = f->scalar;
	uint32_t n = wl_kind_at(f->kind)->cells(f);
	for (uint32_t b = 0; b < n; b++, at.offset += at.size)
		into[b] += merge_read(state, &at);
}

bool buckets_finish(const struct state_field *f, const struct wl_words *words,
	void (*bound)(const struct state_field *f, size_t bucket, struct ward_bucket *out), struct ward_field *out,
	struct heap *heap)
{
	struct ward_bucket *buckets = heap_take(heap, words->n, sizeof(*buckets));
	if (!buckets)
		return false;
	for (size_t i = 0; i < words->n; i++) {
		bound(f, words->first + i, &buckets[i]);
		buckets[i].count = words->cells[i];
	}
	out->n = words->n;
	out->buckets = buckets;
	return true;
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
