/* SPDX-License-Identifier: Apache-2.0 */
/* The program's counts and Ward's, read from what they print. */
#ifndef WARD_TESTS_TARGETS_REPORT_H
#define WARD_TESTS_TARGETS_REPORT_H

#include <stdbool.h>
#include <stdint.h>

enum { FUNCTIONS = 8, MAX_PHASES = 8, PROBES = 3 };

struct own_function {
	uint64_t begun, args, entered, ended, rets, returned, thrown, jumped;
};

/* What the program says, from its beginning on. All members are numbers that grow. */
struct own {
	struct own_function f[FUNCTIONS];
	uint64_t sum, wrong, handled, jumps, deep, aside, forbidden, copied;
};

/* Read what it says at the end of a phase, of itself. False: it isn't all there. */
bool read_own(const char *text, unsigned phase, struct own *own);
struct own own_since(const struct own *later, const struct own *before);

/* Which ends of a function a probe is at. */
enum end { ENTRY, RETURN, THROWN };

struct traced_function {
	bool attached[PROBES];
	uint64_t calls, args, rets, sums, throws, foreign, early, late, odd;
};

struct traced {
	struct traced_function f[FUNCTIONS];
	unsigned attached, skipped; /* sites */
	bool ended;
	uint64_t events, dropped;
};

/* Read the lines of `ward trace --json`. */
void read_traced(const char *text, struct traced *t);

#endif
