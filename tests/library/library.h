/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the library's tests share: a probe from source to verified code that runs here, over the states of several
 * threads, and their merged fields.
 */
#ifndef WARD_TESTS_LIBRARY_H
#define WARD_TESTS_LIBRARY_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ward/probe.h"
#include "ward/verify.h"
#include "ward/ward.h"

enum { THREADS = 3 };

typedef void probe_fn(const struct ward_event *ev, void *state);

struct library {
	uint8_t *base; /* of the mapped module */
	struct ward_verdict *verdict;
	ward_schema *schema;
	size_t state_size;
	void *states[THREADS];
};

/* Compile probes/NAME.c, which must be proven without any guard, and map it. The states are zeros. */
struct library library_open(const char *name);
void library_close(struct library *l);
void library_clear(struct library *l);

probe_fn *library_entry(const struct library *l, const char *name);

/* Merge the states of threads first … first + n - 1. */
ward_snapshot *library_merge(const struct library *l, size_t first, size_t n);
const struct ward_field *library_field(const ward_snapshot *snapshot, const char *name);

/* A part of a key, value or record. */
const struct ward_field *library_part(const struct ward_field *parts, uint32_t n, const char *name);

/*
 * Merge what the states could be if the target wrote anything there. Only that it ends is expected, within what it may
 * read.
 */
void library_merge_garbage(struct library *l);

/* xorshift, the same numbers in each run. */
uint64_t random_bits(void);
/* Numbers of all lengths, of both signs. */
uint64_t random_number(void);

#endif
