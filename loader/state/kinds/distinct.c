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

/* The largest value of a register, q + 1; more no honest one has. */
static uint32_t distinct_most(const struct state_field *f)
{
	return 65 - (uint32_t)__builtin_ctz(f->n);
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

/* Eight registers in a word, the first one in the lowest byte. */
static uint32_t distinct_cells(const struct state_field *f)
{
	return f->n / 8;
}

/* Of each register the greatest of the threads counts. */
static uint64_t distinct_greatest(uint64_t a, uint64_t b)
{
	uint64_t most = 0;
	for (unsigned shift = 0; shift < 64; shift += 8) {
		uint64_t x = a >> shift & 0xff, y = b >> shift & 0xff;
		most |= (x > y ? x : y) << shift;
	}
	return most;
}

static void distinct_add(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells)
{
	(void)f;
	for (size_t i = 0; i < cells; i++)
		into[i] = distinct_greatest(into[i], from[i]);
}

static void distinct_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	uint64_t most = distinct_most(f);
	for (uint32_t i = 0; i < distinct_cells(f); i++) {
		uint64_t word = 0;
		for (uint32_t r = 0; r < 8; r++) {
			uint64_t v = __atomic_load_n(&state[f->scalar.offset + i * 8 + r], __ATOMIC_RELAXED);
			word |= (v < most ? v : most) << 8 * r;
		}
		into[i] = distinct_greatest(into[i], word);
	}
}

static bool distinct_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	unsigned most = distinct_most(f), q = most - 1;
	uint64_t have[66] = {0}; /* how many registers have each value */
	double m = f->n, z;
	(void)heap;
	have[0] = f->n - 8 * words->n;
	for (size_t i = 0; i < words->n; i++)
		for (unsigned shift = 0; shift < 64; shift += 8)
			have[words->cells[i] >> shift & 0xff]++;
	z = m * distinct_tau(1 - (double)have[q + 1] / m);
	for (unsigned k = q; k >= 1; k--)
		z = (z + (double)have[k]) / 2;
	z += m * distinct_sigma((double)have[0] / m);
	out->real = m * m / (2 * M_LN2 * z);
	out->error = 1.04 / sqrt(m);
	out->value = out->real < 0x1p64 ? (uint64_t)(out->real + 0.5) : UINT64_MAX;
	return true;
}

static bool distinct_check(const struct state_field *f, const struct wl_words *words)
{
	for (size_t i = 0; i < words->n; i++)
		for (unsigned shift = 0; shift < 64; shift += 8)
			if ((words->cells[i] >> shift & 0xff) > distinct_most(f))
				return false;
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
	.cells = distinct_cells,
	.cells_rise = true,
	.take = distinct_take,
	.add = distinct_add,
	.finish = distinct_finish,
	.check = distinct_check,
	.text = distinct_text,
	.results = distinct_results,
};
