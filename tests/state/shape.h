/* SPDX-License-Identifier: Apache-2.0 */
/* A shape with a field of every kind, for tests that read bytes as partials. */
#ifndef WARD_TESTS_STATE_SHAPE_H
#define WARD_TESTS_STATE_SHAPE_H

#include "loader/state/schema.h"

/* The fields' places in a partial. */
enum {
	SHAPE_CALLS,
	SHAPE_BYTES,
	SHAPE_BY_FD,
	SHAPE_LEAST,
	SHAPE_MOOD,
	SHAPE_TIMES,
	SHAPE_SIZES,
	SHAPE_WAITS,
	SHAPE_SMOOTH,
	SHAPE_GATE,
	SHAPE_KEYS,
	SHAPE_HOT,
	SHAPE_SEEN,
	SHAPE_LAST,
	SHAPE_TITLE,
	SHAPE_TABLE,
	SHAPE_TOTAL,
	SHAPE_REAL,
	SHAPE_BY_FILE,
	SHAPE_BY_ADDRESS,
	SHAPE_FIELDS,
};

enum {
	SHAPE_SLOTS = 8,
	SHAPE_REGISTERS = 16,
	SHAPE_ELEMENTS = 200,
	SHAPE_BUCKETS = 10,
	SHAPE_QUANTILES = (65 - 2) << 2,
};

struct shape_state {
	uint64_t calls;
	uint64_t bytes[65];
	uint64_t lost;
	struct {
		uint32_t used;
		int32_t key;
		uint64_t value;
	} by_fd[SHAPE_SLOTS];
	uint64_t least;
	struct {
		uint64_t count, sum, high;
		int64_t min, max;
	} times;
	uint32_t sizes[SHAPE_BUCKETS];
	uint32_t mood;
	uint64_t waits[SHAPE_QUANTILES], waits_least, waits_most;
	uint64_t smooth_count, smooth;
	uint64_t passed, refused;
	uint8_t keys[SHAPE_REGISTERS];
	struct {
		uint64_t count, error, key;
	} hot[SHAPE_SLOTS];
	uint64_t seen_samples, seen_events;
	struct {
		uint64_t count, key;
	} seen[SHAPE_SLOTS];
	uint64_t next;
	struct {
		uint64_t number, time;
	} last[4];
	char title[16];
	uint16_t table[SHAPE_ELEMENTS];
	uint64_t total[2];
	uint64_t file_lost, other_count, other_sum, other_high;
	int64_t other_min, other_max;
	struct {
		uint32_t used;
		int16_t how;
		uint16_t unused;
		char name[16];
		uint64_t count, sum, high;
		int64_t min, max;
	} by_file[SHAPE_SLOTS];
	struct {
		uint64_t used, address, site, wide[2];
		uint64_t value, bucket[65];
	} by_address[4];
	uint32_t real;
};

extern struct ward_schema shape_schema;

/* Fill a state: with numbers that depend on `seed`, so that keys of two states are partly the same. */
void shape_fill(struct shape_state *state, uint64_t seed);

#endif
