/* SPDX-License-Identifier: Apache-2.0 */
/* Functions from real compilers: building, judging and running one. */
#ifndef WARD_TESTS_COMPILERS_CORPUS_H
#define WARD_TESTS_COMPILERS_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codegen/codegen.h"

enum { MAX_ARGUMENTS = 16, MAX_REASON = 300 };

/* A compiler and its flags: those of a foreign build, but for the registers that a probe may use. */
struct compiler {
	const char *name;                   /* "gcc-12 -O2" */
	const char *folder, *suffix;        /* of its sources */
	const char *command[MAX_ARGUMENTS]; /* and then SOURCE -o OBJECT */
};

/* What became of one function. */
struct outcome {
	bool accepted;
	unsigned accesses, bad_accesses; /* instructions that access memory, and those of them that broke a rule */
	unsigned loops, bad_loops;
	uint64_t bound, worst;   /* instructions: as claimed, and the most that a run took */
	char reason[MAX_REASON]; /* the first violation, or why there is no module */
};

enum built { BUILT, NOT_COMPILED, NOT_LINKED };

/* Compile `source` and link it. Otherwise the reason says why there is no module. */
enum built corpus_build(const struct compiler *compiler, const char *const include[2], const char *source,
	struct ward_buf *module, char *reason);
/* Judge the module. False: no memory. */
bool corpus_judge(const struct ward_buf *module, struct outcome *o);
/* Run it on random inputs under watch. False: what the verdict says of it isn't so, or it couldn't be run. */
bool corpus_run(const struct ward_buf *module, struct outcome *o);

#endif
