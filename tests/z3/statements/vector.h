/* SPDX-License-Identifier: Apache-2.0 */
/* Statements about xmm registers; see vector.c. */
#ifndef WARD_Z3_VECTOR_H
#define WARD_Z3_VECTOR_H

#include "statement.h"

/* One transfer function with operands of one form, at one width: of all instructions of isa.def that are so. */
struct vector_row {
	const char *function;
	char detail[24];    /* "x, m" */
	char form[4];       /* as isa.def has it */
	unsigned width, op; /* one of them */
};
/* All of them. */
const struct vector_row *vector_rows(unsigned *n);

void build_vector(const struct query *q); /* op: which of them */
void build_vector_profile(const struct query *q);

#endif
