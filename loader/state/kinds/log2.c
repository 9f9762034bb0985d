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

static uint32_t log2_cells(const struct state_field *f)
{
	(void)f;
	return STATE_LOG2_BUCKETS;
}

static void log2_bound(const struct state_field *f, size_t bucket, struct ward_bucket *out)
{
	(void)f;
	out->lo = bucket ? 1ull << (bucket - 1) : 0;
	out->hi = bucket ? (1ull << (bucket - 1)) * 2 - 1 : 0;
}

static bool log2_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	return buckets_finish(f, words, log2_bound, out, heap);
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
	.cells = log2_cells,
	.has_difference = true,
	.cells_rise = true,
	.take = buckets_take,
	.add = words_sum,
	.finish = log2_finish,
	.weight = buckets_weight,
	.bucket = log2_bucket,
	.results = buckets_results,
};
