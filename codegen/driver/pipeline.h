/* SPDX-License-Identifier: Apache-2.0 */
/* Run programs whose outputs all feed one more, and collect what they say. No shell, no temporary file. */
#ifndef WARD_CODEGEN_PIPELINE_H
#define WARD_CODEGEN_PIPELINE_H

#include "codegen/base/buf.h"

enum { CG_MAX_FEEDERS = 64 };

/* One of the programs that feed the last. */
struct cg_feeder {
	const char *const *argv; /* [0] is searched in PATH unless it has a slash */
	/* Afterwards: */
	struct cg_buf err; /* what it wrote to stderr, terminated */
	int status;        /* wait status */
};

struct cg_pipeline {
	/*
	 * at most CG_MAX_FEEDERS. The last program reads the first one's output as its standard input, the others' as
	 * descriptors 3, 4, …
	 */
	struct cg_feeder *feeders;
	size_t n_feeders;
	const char *const *last; /* its argv */
	/* Afterwards: */
	struct cg_buf out, err; /* what the last wrote to stdout, and to stderr, terminated */
	int status;             /* its wait status */
	int spawn_error;        /* errno if a program could not be started */
	const char *failed;     /* which one */
};

/* Returns 0 if all were run to their end, -1 otherwise (spawn_error says why). Free the buffers either way. */
int cg_pipeline_run(struct cg_pipeline *p);

#endif
