/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as a grid, for charts: which of them have the same label, and where each is in time. */
#ifndef WARD_CLI_QUERY_GRID_H
#define WARD_CLI_QUERY_GRID_H

#include "query_html.h"

struct charts {
	const struct html_report *r;
	const struct query_rows *rows;
	FILE *file;
	size_t time; /* the column of the time, or rows->n_columns */
	unsigned made;
};

/* Rows by their labels and their places in time, as positions among all labels, and all times. */
struct grid {
	char (*labels)[HTML_CELL];
	size_t n_labels, n_times;
	size_t *label, *at; /* of each row */
	const struct query_value **times;
};

/* Without a time, each row of a label has the next place. False: no memory. */
bool grid_make(const struct charts *c, struct grid *g);
void grid_free(struct grid *g);

const struct query_value *grid_cell(const struct charts *c, size_t row, size_t column);
double grid_number_of(const struct query_value *v);
bool grid_is_number(const struct query_value *v);
bool grid_is_key(const struct charts *c, size_t column);
/* A column that charts may be made of: one of numbers, and no part of the key. */
bool grid_is_measure(const struct charts *c, size_t column);
/* The parts of a row's key, the time apart. */
void grid_label_of(const struct charts *c, size_t row, char *text, size_t size);

#endif
