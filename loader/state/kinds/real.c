/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers with a fraction: a double or float, and ward_double and ward_float, which are the bits of one. A probe can
 * copy such numbers and can't add them up. So the greatest of the threads' is shown, of those that have one: all zeros
 * is what no thread wrote.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

static bool real_valid(const struct state_field *f, uint64_t end)
{
	return f->scalar.offset == f->offset && f->scalar.size == f->size && (f->size == 4 || f->size == 8) &&
	       !f->scalar.bits && !f->scalar.is_signed && int_within(&f->scalar, end);
}

static double real_of(uint64_t bits, uint32_t size)
{
	uint32_t half = (uint32_t)bits;
	double value;
	float small;
	memcpy(&value, &bits, sizeof(value));
	memcpy(&small, &half, sizeof(small));
	return size == 4 ? (double)small : value;
}

/*
 * Numbers in order, as integers: what is no number is below all that are. Bits below the sign ascend with what they
 * mean; of negative numbers all bits are turned round.
 */
static uint64_t real_rank(uint64_t bits, uint32_t size)
{
	uint64_t sign = size == 4 ? 1ull << 31 : 1ull << 63, all = sign | (sign - 1);
	double value = real_of(bits, size);
	bits &= all;
	return value != value ? 0 : bits & sign ? ~bits & all : bits | sign;
}

static void real_add(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells)
{
	(void)cells;
	uint64_t a = real_rank(*into, f->size), b = real_rank(*from, f->size);
	if (*from && (*into == 0 || b > a || (b == a && *from > *into)))
		*into = *from;
}

static void real_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	uint64_t bits = merge_read(state, &f->scalar);
	real_add(f, into, &bits, 0);
}

/* A float has 32 bits. */
static bool real_check(const struct state_field *f, const struct wl_words *words)
{
	return f->size == 8 || *words->fixed <= UINT32_MAX;
}

static bool real_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	(void)heap;
	out->value = *words->fixed;
	if (out->value)
		out->real = real_of(out->value, f->size);
	return true;
}

static uint64_t real_weight(const struct ward_field *f)
{
	return !(f->real > 0) ? 0 : f->real < 0x1p64 ? (uint64_t)f->real : UINT64_MAX;
}

/* As few digits as say which number it is. */
static void real_text(const struct ward_field *f, char *text, size_t size)
{
	bool is_float = f->size == 4;
	int digits = is_float ? 6 : 15, most = is_float ? 9 : 17;
	char buf[40];
	do
		snprintf(buf, sizeof(buf), "%.*g", digits, f->real);
	while (digits++ < most && (is_float ? (double)strtof(buf, NULL) : strtod(buf, NULL)) != f->real);
	snprintf(text, size, "%s", buf);
}

static void real_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_real(fn, user, "value", f->real);
}

const struct wl_kind wl_kind_real = {
	.shown = {.name = "real", .form = WARD_FORM_LINE},
	.valid = real_valid,
	.fixed = 1,
	.take = real_take,
	.add = real_add,
	.finish = real_finish,
	.check = real_check,
	.weight = real_weight,
	.text = real_text,
	.results = real_results,
};
