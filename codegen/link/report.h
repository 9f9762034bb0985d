/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the linker and the driver: "ward: what: why", a line with a hint below. */
#ifndef WARD_CODEGEN_REPORT_H
#define WARD_CODEGEN_REPORT_H

#include "codegen/codegen.h"

struct cg_report {
	ward_diag_fn *diag; /* may be NULL */
	void *user;
	const char *what; /* the file that is worked on */
	unsigned errors;
};

enum { CG_MOST_ERRORS = 64 };
/* Enough has been said, and that this is not all. */
bool cg_said_enough(struct cg_report *r);
/* `hint` may be NULL. Always returns 1. */
int cg_error(struct cg_report *r, const char *hint, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
