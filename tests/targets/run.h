/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are built, run alone, and run under probes that come and go. */
#ifndef WARD_TESTS_TARGETS_RUN_H
#define WARD_TESTS_TARGETS_RUN_H

#include "generate.h"
#include "judge.h"

struct paths {
	const char *ward;
	const char *sources; /* runtime/ and throws.cc */
	const char *modules; /* the compiled probes */
	char directory[128]; /* of the program */
};

struct figures {
	uint64_t programs, traces, sites, skipped, refused, events, dropped;
	uint64_t kept; /* how often memory was left in a program */
};

/* Each returns whether all was well, and says on standard error what was not. */
bool build_program(const struct paths *paths, const struct program *p);
bool run_program(const struct paths *paths, const struct program *p, struct figures *figures);

/* Have all that were started ended? */
bool nobody_left(void);

#endif
