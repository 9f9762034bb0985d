/* SPDX-License-Identifier: Apache-2.0 */
/* The final stage: what rows.c and analysis.c share. */
#ifndef WARD_QUERY_ROWS_H
#define WARD_QUERY_ROWS_H

#include "plan.h"

/* What an expression is computed of: what was kept of a key, or a row of a finished table. */
struct machine {
	const struct query *q;
	const struct query_session *session;
	const struct query_entry *entry;
	const struct query_value *cells;
	const struct query_entry *others; /* of the other table, if there is one */
	size_t n_others;
	struct query_arena *texts; /* that are made while rows are */
};

struct query_value rows_compute(const struct machine *m, const struct expr *e);
/* What is not there comes last. */
int rows_compare(const struct query_value *a, const struct query_value *b);
bool rows_is_real(const struct query_value *v);
double rows_real(const struct query_value *v);
/* As a text that lives as long as the rows. */
const char *rows_text(const struct machine *m, const struct query_value *v);

/*
 * A table while it is made: its rows have n_static columns that the plan knows, and behind them those that only a step
 * has found. False: no memory.
 */
bool rows_alloc(struct query_rows *rows, size_t n_columns, size_t n_static, size_t n);

/* Rows of what was kept, and of the steps on them; `second`: the second table of the last step that makes one. */
bool rows_all(struct machine *m, const struct query_entry *entries, size_t n, struct query_rows *rows,
	struct query_rows *second);
void rows_drop(struct query_rows *rows);

/* rows_meet.c: the table that both tables make. False: no memory. */
bool rows_meet(
	const struct machine *m, const struct plan_step *step, const struct query_rows *from, struct query_rows *to);

/* analysis.c: the table of a step. False: no memory. `second`: its second table, if it makes one. */
bool step_make(const struct machine *m, const struct plan_step *step, const struct query_rows *from,
	struct query_rows *to, struct query_rows *second);

#endif
