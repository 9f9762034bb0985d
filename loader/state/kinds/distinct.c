/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WARD_HLL: how many different keys a HyperLogLog has seen.
 *
 * The estimate is that of O. Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), which is
 * unbiased from 0 to 2^64 without tables. With C_k registers of value k out of m, and q + 1 the largest value,
 *
 *	n = m² / (2 ln 2) / (m σ(C_0/m) + Σ_{k=1..q} C_k 2^-k + m τ(1 - C_{q+1}/m) 2^-q).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "results.h"

static bool distinct_read(struct types_reader *r, const struct type_at *at, struct state_field *f)
{
	return types_find_ints(r, at, "reg", &f->scalar, &f->n);
}

static bool distinct_valid(const struct state_field *f, uint64_t end)
{
	return f->scalar.size == 1 && f->n >= 16 && f->n <= 1 << 18 && (f->n & (f->n - 1)) == 0 &&
	       ints_within(&f->scalar, f->n, end);
}

static double distinct_sigma(double x)
{
	double y = 1, z = x, before;
	if (x >= 1)
		return INFINITY;
	do {
		x *= x;
		before = z;
		z += x * y;
		y += y;
	} while (z > before);
	return z;
}

static double distinct_tau(double x)
{
	double y = 1, z = 1 - x, before;
	if (x <= 0 || x >= 1)
		return 0;
	do {
		x = sqrt(x);
		before = z;
		y /= 2;
		z -= (1 - x) * (1 - x) * y;
	} while (z < before);
	return z / 3;
}

/* Of each register the greatest of the threads counts. */
static bool distinct_merge(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	unsigned bits = (unsigned)__builtin_ctz(f->n), q = 64 - bits;
	uint64_t have[66] = {0}; /* how many registers have each value; more than q + 1 no honest one has */
	double m = f->n, z;
	(void)heap;
	for (uint32_t r = 0; r < f->n; r++) {
		struct state_int at = {.offset = f->scalar.offset + r, .size = 1};
		uint64_t most = 0;
		for (size_t t = 0; t < states->n; t++) {
			uint64_t v = merge_read(states->at[t], &at);
			most = v > most ? v : most;
		}
		have[most < q + 1 ? most : q + 1]++;
	}
	z = m * distinct_tau(1 - (double)have[q + 1] / m);
	for (unsigned k = q; k >= 1; k--)
		z = (z + (double)have[k]) / 2;
	z += m * distinct_sigma((double)have[0] / m);
	out->real = m * m / (2 * M_LN2 * z);
	out->error = 1.04 / sqrt(m);
	out->value = out->real < 0x1p64 ? (uint64_t)(out->real + 0.5) : UINT64_MAX;
	return true;
}

static void distinct_text(const struct ward_field *f, char *text, size_t size)
{
	snprintf(text, size, "about %" PRIu64 " (standard error %.2g %%)", f->value, f->error * 100);
}

static void distinct_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_number(fn, user, "value", f->value, false);
	result_real(fn, user, "error", f->error);
}

const struct wl_kind wl_kind_distinct = {
	.shown = {.name = "distinct", .form = WARD_FORM_LINE},
	.marks = {{"ward_hll", distinct_read, NULL}},
	.valid = distinct_valid,
	.merge = distinct_merge,
	.text = distinct_text,
	.results = distinct_results,
};
