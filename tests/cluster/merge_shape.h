/* SPDX-License-Identifier: Apache-2.0 */
/* Partials of made-up machines, of a shape with every kind. */
#ifndef WARD_TESTS_CLUSTER_MERGE_SHAPE_H
#define WARD_TESTS_CLUSTER_MERGE_SHAPE_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/state/shape.h"
#include "ward/partial.h"

#define QUERY "0123456789abcde"

/* Numbers that depend on `seed`, and that are no less than those of a smaller one where they only rise. */
static inline ward_partial *merge_partial(uint64_t seed, uint64_t rounds)
{
	static ward_names *names;
	static struct shape_state states[8];
	const void *at[8];
	struct ward_partial_limits limits = {.size = sizeof(limits), .memory = 16 << 20};
	struct ward_error err = {0};
	ward_partial *p = NULL;
	if (!names)
		cr_assert_eq(ward_names_open(getpid(), &names, NULL), 0);
	cr_assert(rounds <= 8);
	for (uint64_t i = 0; i < rounds; i++) {
		shape_fill(&states[i], seed + i);
		at[i] = &states[i];
	}
	cr_assert_eq(ward_partial_merge(&shape_schema, names, at, rounds, sizeof(states[0]), &limits, &p, &err), 0,
		"%s: %s", err.what, err.why);
	return p;
}

static inline void *merge_pack_at(ward_partial *p, uint64_t epoch, uint64_t nonce, uint64_t sequence, uint32_t flags,
	uint64_t window, uint64_t wall_ns, size_t *size)
{
	struct ward_partial_notes notes = {.size = sizeof(notes),
		.query = QUERY,
		.epoch = epoch,
		.nonce = nonce,
		.sequence = sequence,
		.flags = flags,
		.events = sequence * 100,
		.wall_ns = wall_ns,
		.window = window};
	void *bytes = NULL;
	struct ward_error err;
	cr_assert_eq(ward_partial_note(p, &notes, NULL), 0);
	cr_assert_eq(ward_partial_pack(p, NULL, &bytes, size, &err), 0, "%s", err.why);
	return bytes;
}

static inline void *merge_pack(ward_partial *p, uint64_t epoch, uint64_t nonce, uint64_t sequence, uint32_t flags,
	uint64_t window, size_t *size)
{
	return merge_pack_at(p, epoch, nonce, sequence, flags, window, 0, size);
}

/* What a partial is, without what is said of it. */
static inline void *merge_bytes(const ward_partial *p, size_t *size)
{
	ward_partial *copy;
	struct ward_partial_notes none = {.size = sizeof(none)};
	struct ward_partial_limits limits = {.size = sizeof(limits), .memory = 64 << 20, .bytes = 1 << 20};
	struct ward_error err;
	void *bytes;
	cr_assert_eq(ward_partial_pack(p, &limits, &bytes, size, &err), 0, "%s", err.why);
	cr_assert_eq(ward_partial_unpack(&shape_schema, bytes, *size, &limits, &copy, &err), 0, "%s", err.why);
	free(bytes);
	cr_assert_eq(ward_partial_note(copy, &none, NULL), 0);
	cr_assert_eq(ward_partial_pack(copy, &limits, &bytes, size, &err), 0, "%s", err.why);
	ward_partial_free(copy);
	return bytes;
}

static inline bool merge_equal(const ward_partial *x, const ward_partial *y)
{
	size_t n, m;
	void *a = merge_bytes(x, &n), *b = merge_bytes(y, &m);
	bool equal = n == m && memcmp(a, b, n) == 0;
	free(a);
	free(b);
	return equal;
}

static inline uint64_t merge_draw(uint64_t *seed, uint64_t below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (*seed >> 11) % below;
}

#endif
