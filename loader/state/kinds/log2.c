/* SPDX-License-Identifier: Apache-2.0 */
/* ward_log2: a histogram by powers of two. Bucket 0 counts zeros, bucket i the values of i bits. */
#include <inttypes.h>
#include <stdio.h>

#include "buckets.h"

static bool log2_read(struct types_reader *r, const struct type_at *at, struct state_field *f)
{
	if (!types_find_ints(r, at, "bucket", &f->scalar, &f->n) || f->n != STATE_LOG2_BUCKETS)
		return false;
	f->offset = f->scalar.offset;
	f->size = f->scalar.size * STATE_LOG2_BUCKETS;
	return true;
}

static bool log2_valid(const struct state_field *f, uint64_t end)
{
	return f->scalar.offset == f->offset && int_within(&f->scalar, end) &&
	       f->size == f->scalar.size * STATE_LOG2_BUCKETS;
}

static bool log2_merge(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	struct ward_bucket *all = heap_take(heap, STATE_LOG2_BUCKETS, sizeof(*all));
	if (!all)
		return false;
	for (size_t b = 0; b < STATE_LOG2_BUCKETS; b++) {
		all[b].lo = b ? 1ull << (b - 1) : 0;
		all[b].hi = b ? (1ull << (b - 1)) * 2 - 1 : 0;
		all[b].count = buckets_sum(f, states, b);
	}
	buckets_keep(all, STATE_LOG2_BUCKETS, out);
	return true;
}

/* A power of two, as short as it can be: 64, 4K, 1M; 1023E at most. */
static void log2_power(char text[8], unsigned exponent)
{
	static const char units[] = " KMGTPE";
	unsigned unit = exponent / 10;
	snprintf(text, 8, unit ? "%u%c" : "%u", 1u << exponent % 10, units[unit]);
}

static void log2_bucket(const struct ward_bucket *b, char *text, size_t size)
{
	char lo[8], hi[8];
	unsigned exponent = 63 - (unsigned)__builtin_clzll(b->lo | 1);
	if (b->lo == b->hi) {
		snprintf(text, size, "[%" PRIu64 "]", b->lo);
		return;
	}
	log2_power(lo, exponent);
	log2_power(hi, exponent + 1);
	snprintf(text, size, "[%s, %s)", lo, hi);
}

const struct wl_kind wl_kind_log2 = {
	.shown = {.name = "log2", .form = WARD_FORM_BUCKETS},
	.has_unit = true,
	.type = "ward_log2",
	.marks = {{NULL, log2_read, NULL}},
	.valid = log2_valid,
	.merge = log2_merge,
	.weight = buckets_weight,
	.bucket = log2_bucket,
	.results = buckets_results,
};
