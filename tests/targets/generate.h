/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs to be traced, which count their calls themselves; and the table of their possible features. */
#ifndef WARD_TESTS_TARGETS_GENERATE_H
#define WARD_TESTS_TARGETS_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What a feature is: how a function is made, what runs calls in some way, or what the whole program is like. */
enum feature_kind { FUNCTION_KIND, CONTEXT_KIND, PROGRAM_KIND };

/* What is allowed in a block: bits of what its calls do in the middle, and which blocks it may have in it. */
enum {
	DO_YIELD = 1,
	DO_RAISE = 2,
	DO_LEAVE = 4,
	DO_THROW = 8,
	DO_JUMP = 16,
	DO_DEEP = 32,
	BARE = 64,
	NO_TIME = 128,
	NO_SUM = 256,
	ALONE = 512
};

struct feature {
	const char *name;
	enum feature_kind kind;
	const char *says;      /* for the list of features */
	bool on;               /* if nothing else is asked for */
	const char *runs;      /* of a context: the function of runtime/ that runs a block so, */
	unsigned least, most;  /* how often, */
	unsigned keeps, gives; /* what of the block around it is allowed in it, and what else */
};

extern const struct feature features[];
extern const unsigned n_features;

typedef uint64_t feature_set;

static inline feature_set one_feature(unsigned i)
{
	return (feature_set)1 << i;
}

/* By name; n_features: there is none. */
unsigned find_feature(const char *name);
static inline bool has_feature(feature_set set, const char *name)
{
	return set >> find_feature(name) & 1;
}

uint64_t mix(uint64_t a, uint64_t b);

struct program {
	uint64_t seed;
	unsigned number;
	feature_set features; /* those that it has, */
	feature_set drawn;    /* and would have if none were forbidden */
	unsigned phases;
	int status;     /* what it ends with */
	unsigned level; /* of the compiler's optimisation */
};

/*
 * Draw what a program is like, of the features that are allowed, and with those that it must have. What is left out
 * changes nothing else of it, so that a program that fails can be made smaller by leaving out one thing after another.
 */
struct program draw_program(uint64_t seed, unsigned number, feature_set allowed, feature_set must);
void write_program(FILE *out, const struct program *p);

#endif
