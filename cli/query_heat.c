/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "query_grid.h"

static bool heat_make(struct heat *h, size_t n_x, size_t n_y)
{
	*h = (struct heat){.n_x = n_x, .n_y = n_y};
	if (n_x && n_y)
		h->values = calloc(n_x * n_y, sizeof(*h->values));
	return h->values != NULL;
}

static void heat_add(struct heat *h, size_t x, size_t y, double value)
{
	double *at = &h->values[y * h->n_x + x];

	*at += value;
	h->most = fmax(h->most, *at);
}

void heat_free(struct heat *h)
{
	free(h->values);
	free(h->buckets);
	*h = (struct heat){0};
}

static int compare_buckets(const void *x, const void *y)
{
	const struct query_bucket *a = x, *b = y;

	return ((int64_t)a->lo > (int64_t)b->lo) - ((int64_t)a->lo < (int64_t)b->lo);
}

/* All buckets that the rows' histograms have, in their order; malloc'd. *like: one of the histograms. */
static struct query_bucket *find_buckets(
	const struct charts *c, size_t column, size_t *n, const struct query_value **like)
{
	size_t room = 0, found = 0;
	struct query_bucket *buckets;

	*n = 0;
	*like = NULL;
	for (size_t i = 0; i < c->rows->n; i++)
		if (grid_cell(c, i, column)->kind == QUERY_BUCKETS)
			room += grid_cell(c, i, column)->n;
	buckets = calloc(room + 1, sizeof(*buckets));
	for (size_t i = 0; buckets && i < c->rows->n; i++) {
		const struct query_value *v = grid_cell(c, i, column);

		if (v->kind != QUERY_BUCKETS)
			continue;
		*like = v;
		for (size_t b = 0; b < v->n; b++)
			buckets[found++] = v->buckets[b];
	}
	if (found)
		qsort(buckets, found, sizeof(*buckets), compare_buckets);
	for (size_t i = 0; i < found; i++)
		if (!*n || compare_buckets(&buckets[*n - 1], &buckets[i]) != 0)
			buckets[(*n)++] = buckets[i];
	return buckets;
}

static void add_histogram(struct heat *h, const struct query_value *v, size_t x)
{
	for (size_t b = 0; v->kind == QUERY_BUCKETS && b < v->n; b++) {
		const struct query_bucket *at =
			bsearch(&v->buckets[b], h->buckets, h->n_y, sizeof(*at), compare_buckets);

		heat_add(h, x, h->n_y - 1 - (size_t)(at - h->buckets), (double)v->buckets[b].count);
	}
}

bool heat_of_buckets(const struct charts *c, const struct grid *g, size_t column, size_t most_x, struct heat *h)
{
	size_t n, x = g->n_times < most_x ? g->n_times : most_x;
	const struct query_value *like;
	struct query_bucket *buckets = find_buckets(c, column, &n, &like);

	if (!buckets || !heat_make(h, x, n)) {
		free(buckets);
		return false;
	}
	h->buckets = buckets;
	h->like = like;
	for (size_t i = 0; i < c->rows->n; i++)
		add_histogram(h, grid_cell(c, i, column), g->at[i] * x / g->n_times);
	return true;
}

bool heat_of_found(const struct charts *c, size_t most_x, size_t most_y, struct heat *h)
{
	size_t s = c->rows->n_static, x = c->rows->n_columns - s, y = c->rows->n;

	if (!heat_make(h, x < most_x ? x : most_x, y < most_y ? y : most_y))
		return false;
	for (size_t i = 0; i < h->n_y; i++)
		for (size_t k = 0; k < h->n_x; k++)
			if (grid_is_number(grid_cell(c, i, s + k)))
				heat_add(h, k, i, fmax(grid_number_of(grid_cell(c, i, s + k)), 0));
	return true;
}
