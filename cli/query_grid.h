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
/* The part of the key that is the time; rows->n_columns: there is none. */
size_t grid_find_time(const struct charts *c);
/* From where to where a bucket is; `like` is its histogram. */
void grid_bucket_text(
	const struct charts *c, const struct query_value *like, const struct query_bucket *b, char *text, size_t size);

/* ---- query_heat.c ---- */

/* A heat map: n_x values of each y, from the top. */
struct heat {
	size_t n_x, n_y;
	double *values;
	double most;
	struct query_bucket *buckets; /* of each y, from the bottom; or NULL */
	const struct query_value *like;
};

/*
 * Windows across, and buckets of a column of histograms upwards, of all rows together. Windows that follow each other
 * are one where there are more than most_x. False: nothing is there, or no memory. Free with heat_free.
 */
bool heat_of_buckets(const struct charts *c, const struct grid *g, size_t column, size_t most_x, struct heat *h);
/* The columns that Pivot has found across, the first rows down. */
bool heat_of_found(const struct charts *c, size_t most_x, size_t most_y, struct heat *h);
void heat_free(struct heat *h);

#endif
