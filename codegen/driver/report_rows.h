/* SPDX-License-Identifier: Apache-2.0 */
/* What was proven and what is guarded: the back end's rows, read, and as a table. */
#ifndef WARD_CODEGEN_REPORT_ROWS_H
#define WARD_CODEGEN_REPORT_ROWS_H

#include "codegen/codegen.h"

struct cg_guarded {
	struct ward_guarded *row;
	size_t n;
	const char *how; /* the code had to be made, beside what is usual; "" */
};

/*
 * Read the rows, which are taken apart where they are. Returns false if there is no memory, or if they aren't
 * well-formed.
 */
bool cg_guarded_read(struct cg_guarded *g, char *text);
void cg_guarded_free(struct cg_guarded *g);

/* The table; malloc'd, or NULL. */
char *cg_guarded_table(const struct cg_guarded *g);

#endif
