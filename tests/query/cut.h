/* SPDX-License-Identifier: Apache-2.0 */
/* The states of one run as partials of random processes and machines. cut.c describes how. */
#ifndef WARD_TESTS_QUERY_CUT_H
#define WARD_TESTS_QUERY_CUT_H

#include <stddef.h>
#include <stdint.h>

#include "ward/partial.h"

enum { MOST_CUTS = 8 };

/*
 * Partials whose sum is that of all states, in random order; at most MOST_CUTS states. Returns how many there are; 0:
 * an error was printed. The caller frees them.
 */
size_t states_cut(const ward_schema *schema, void *const *states, size_t n, size_t state_size, uint64_t *dice,
	ward_partial **parts);

#endif
