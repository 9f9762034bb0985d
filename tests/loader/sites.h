/* SPDX-License-Identifier: Apache-2.0 */
/* Functions whose first bytes are hard to move: sites.S. */
#ifndef WARD_TESTS_LOADER_SITES_H
#define WARD_TESTS_LOADER_SITES_H

#include <stddef.h>
#include <stdint.h>

/* A function that stays one, for the compiler to call as it stands. */
#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

enum { N_SITE_CASES = 21 };

/* Run case i with a fixed set of arguments; a digest of all results. */
uint64_t site_case(size_t i);
const char *site_name(size_t i);

#endif
