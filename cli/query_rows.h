/* SPDX-License-Identifier: Apache-2.0 */
/* Print rows of a query: as a table for people, as JSON, or as CSV (RFC 4180). */
#ifndef WARD_CLI_QUERY_ROWS_H
#define WARD_CLI_QUERY_ROWS_H

#include "cli.h"
#include "query/query.h"

enum query_format { QUERY_TABLE, QUERY_JSON, QUERY_CSV, QUERY_HEAT };

/* A value as people read it, on one line. Of a stack that is too long the outer functions are left out. */
void query_value_text(const struct cli_output *out, char *text, size_t size, const struct query_value *v);

/* All functions of a stack, the innermost last, with ; between; to be freed. NULL: it is none. */
char *query_stack_text(const struct cli_output *out, const struct query_value *v);

/* What the rows lack: lines for people. */
enum { QUERY_LACKS = 24 };
struct query_lacks {
	char line[QUERY_LACKS][420];
	size_t n;
	char note[QUERY_LACKS][200]; /* what is said of the rows, and is no lack: of which sample they are */
	size_t n_notes;
};

/* Rows that are printed as they come. Zero at first. */
struct query_printed {
	uint64_t n;
	int width[32]; /* of columns, so far */
};
void query_print_row(struct cli_output *out, enum query_format format, const struct query *q,
	const struct query_value *row, struct query_printed *printed);

/* When rows were made. */
struct query_moment {
	int64_t at;              /* nanoseconds since 1970 */
	bool is_final, is_delta; /* is_delta: they are what came since the last time */
};
/* With QUERY_HEAT as a table what is no heat map. */
void query_print(struct cli_output *out, enum query_format format, const struct query *q, const struct query_rows *rows,
	const struct query_lacks *lacks, const struct query_moment *moment);

#endif
