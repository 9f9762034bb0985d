/* Run two programs, the first one's output feeding the second, and collect what they say. No shell, no temporary file. */
#ifndef WARD_CODEGEN_PIPELINE_H
#define WARD_CODEGEN_PIPELINE_H

#include "buf.h"

struct cg_pipeline {
	const char *const *first, *const *second; /* argv; [0] is searched in PATH unless it has a slash */
	/* Afterwards: */
	struct cg_buf out;                   /* what the second wrote */
	struct cg_buf first_err, second_err; /* what each wrote to stderr, terminated */
	int first_status, second_status;     /* wait status */
	int spawn_error;                     /* errno if a program could not be started */
	const char *failed;                  /* which one */
};

/* Returns 0 if both were run to their end, -1 otherwise (spawn_error says why). Free the three buffers either way. */
int cg_pipeline_run(struct cg_pipeline *p);

#endif
