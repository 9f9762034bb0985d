/* SPDX-License-Identifier: Apache-2.0 */
#include "query_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct query_value *grid_cell(const struct charts *c, size_t row, size_t column)
{
	return &c->rows->values[row * c->rows->n_columns + column];
}

double grid_number_of(const struct query_value *v)
{
	switch (v->kind) {
	case QUERY_REAL:
	case QUERY_DURATION: return v->real;
	case QUERY_SIGNED: return (double)(int64_t)v->number;
	case QUERY_UNSIGNED:
	case QUERY_INSTANT: return (double)v->number;
	default: return 0;
	}
}

bool grid_is_number(const struct query_value *v)
{
	return (v->kind == QUERY_REAL || v->kind == QUERY_DURATION)
		       ? isfinite(v->real)
		       : v->kind == QUERY_SIGNED || v->kind == QUERY_UNSIGNED;
}

bool grid_is_key(const struct charts *c, size_t column)
{
	return column < c->rows->n_static && query_role_of(c->r->query, column) == QUERY_KEY;
}

/* A column that charts may be made of: one of numbers, and no part of the key. */
bool grid_is_measure(const struct charts *c, size_t column)
{
	if (grid_is_key(c, column) || strcmp(c->rows->names[column], "cluster") == 0)
		return false;
	for (size_t i = 0; i < c->rows->n; i++)
		if (grid_cell(c, i, column)->kind != QUERY_NONE)
			return grid_is_number(grid_cell(c, i, column));
	return false;
}

/* The parts of a row's key, the time apart. */
void grid_label_of(const struct charts *c, size_t row, char *text, size_t size)
{
	size_t n = 0;

	text[0] = 0;
	for (size_t i = 0; i < c->rows->n_static && n < size; i++) {
		char part[HTML_CELL];

		if (i == c->time || !grid_is_key(c, i))
			continue;
		c->r->value(c->r->user, grid_cell(c, row, i), part, sizeof(part));
		n += (size_t)snprintf(text + n, size - n, "%s%s", n ? " \xc2\xb7 " : "", part);
	}
}

static int compare_texts(const void *x, const void *y)
{
	return strcmp(x, y);
}

static int compare_times(const void *x, const void *y)
{
	double a = grid_number_of(*(const struct query_value *const *)x),
	       b = grid_number_of(*(const struct query_value *const *)y);

	return (a > b) - (a < b);
}

static void grid_times(const struct charts *c, struct grid *g)
{
	size_t n = c->rows->n, found = 0;

	for (size_t i = 0; i < n; i++)
		g->times[i] = grid_cell(c, i, c->time);
	qsort(g->times, n, sizeof(*g->times), compare_times);
	for (size_t i = 0; i < n; i++)
		if (!found || compare_times(&g->times[found - 1], &g->times[i]) != 0)
			g->times[found++] = g->times[i];
	g->n_times = found;
	for (size_t i = 0; i < n; i++) {
		const struct query_value *v = grid_cell(c, i, c->time),
					 **at = bsearch(&v, g->times, found, sizeof(*at), compare_times);

		g->at[i] = (size_t)(at - g->times);
	}
}

void grid_free(struct grid *g)
{
	free(g->labels);
	free(g->label);
	free(g->at);
	free(g->times);
}

/* Without a time, each row of a label has the next place. */
bool grid_make(const struct charts *c, struct grid *g)
{
	size_t n = c->rows->n, *next;

	*g = (struct grid){.labels = calloc(n + 1, sizeof(*g->labels)),
		.label = calloc(n + 1, sizeof(*g->label)),
		.at = calloc(n + 1, sizeof(*g->at)),
		.times = calloc(n + 1, sizeof(*g->times))};
	next = calloc(n + 1, sizeof(*next));
	if (!g->labels || !g->label || !g->at || !g->times || !next) {
		free(next);
		grid_free(g);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		grid_label_of(c, i, g->labels[i], sizeof(g->labels[i]));
	qsort(g->labels, n, sizeof(*g->labels), compare_texts);
	for (size_t i = 0; i < n; i++)
		if (!g->n_labels || strcmp(g->labels[g->n_labels - 1], g->labels[i]) != 0)
			memmove(g->labels[g->n_labels++], g->labels[i], sizeof(*g->labels));
	for (size_t i = 0; i < n; i++) {
		char text[HTML_CELL], (*at)[HTML_CELL];

		grid_label_of(c, i, text, sizeof(text));
		at = bsearch(text, g->labels, g->n_labels, sizeof(*at), compare_texts);
		g->label[i] = (size_t)(at - g->labels);
		g->at[i] = next[g->label[i]]++;
		g->n_times = g->at[i] + 1 > g->n_times ? g->at[i] + 1 : g->n_times;
	}
	if (c->time < c->rows->n_columns)
		grid_times(c, g);
	free(next);
	return true;
}

size_t grid_find_time(const struct charts *c)
{
	for (size_t i = 0; c->rows->n && i < c->rows->n_static; i++)
		if (grid_is_key(c, i) &&
			(grid_cell(c, 0, i)->kind == QUERY_INSTANT ||
				(strcmp(c->rows->names[i], "window") == 0 && grid_is_number(grid_cell(c, 0, i)))))
			return i;
	return c->rows->n_columns;
}

void grid_bucket_text(
	const struct charts *c, const struct query_value *v, const struct query_bucket *b, char *text, size_t size)
{
	char lo[HTML_CELL], hi[HTML_CELL];
	struct query_value end = {.kind = v->is_duration ? QUERY_DURATION
					  : v->is_signed ? QUERY_SIGNED
							 : QUERY_UNSIGNED};

	end.number = b->lo;
	end.real = (double)b->lo;
	c->r->value(c->r->user, &end, lo, sizeof(lo));
	end.number = b->hi;
	end.real = (double)b->hi;
	c->r->value(c->r->user, &end, hi, sizeof(hi));
	if (b->lo == b->hi)
		snprintf(text, size, "%.40s", lo);
	else
		snprintf(text, size, "%.40s \xe2\x80\x93 %.40s", lo, hi);
}
