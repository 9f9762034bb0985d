/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps on finished rows: each makes a table of a table. Columns that the plan knows come first; behind them are those
 * that Pivot has found, the members of a vector. Numbers of vectors are real once they are normalised.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kmeans.h"
#include "rows.h"

/* A table that is wider or larger than this would not be read; what is added up in "other" is said. */
enum { PIVOT_COLUMNS = 1024, PIVOT_CELLS = 4 << 20 };

static struct query_value *row_of(const struct query_rows *t, size_t i)
{
	return t->values + i * t->n_columns;
}

static double number_of(const struct query_value *v)
{
	return v->kind == QUERY_NONE ? 0 : rows_real(v);
}

static struct query_value real_value(enum query_value_kind like, double real)
{
	return (struct query_value){.kind = like == QUERY_DURATION ? QUERY_DURATION : QUERY_REAL, .real = real};
}

/* Is this column one of the vector's members? Those of Pivot are; without Pivot, all numbers that are no keys. */
static bool in_vector(const struct plan_step *s, const struct query_rows *t, size_t column)
{
	if (s->rows.is_whole)
		return column >= t->n_static;
	return column < t->n_static && s->is_number[column];
}

/* ---- sorting rows by some of their cells ---- */

struct sorted_row {
	const struct query_rows *table;
	const bool *by; /* which columns; one for each that the plan knows */
	size_t at;
};

static int compare_keys(const struct sorted_row *a, const struct sorted_row *b)
{
	for (size_t i = 0; i < a->table->n_static; i++) {
		int c = a->by[i] ? rows_compare(&row_of(a->table, a->at)[i], &row_of(b->table, b->at)[i]) : 0;

		if (c)
			return c;
	}
	return 0;
}

static int compare_sorted(const void *x, const void *y)
{
	const struct sorted_row *a = x, *b = y;
	int c = compare_keys(a, b);

	return c ? c : (a->at > b->at) - (a->at < b->at);
}

/* malloc'd. Rows of equal keys are beside each other, in their order. */
static struct sorted_row *sort_by(const struct query_rows *t, const bool *by)
{
	struct sorted_row *sorted = calloc(t->n + 1, sizeof(*sorted));

	for (size_t i = 0; sorted && i < t->n; i++)
		sorted[i] = (struct sorted_row){t, by, i};
	if (sorted)
		qsort(sorted, t->n, sizeof(*sorted), compare_sorted);
	return sorted;
}

/* ---- Pivot ---- */

/* A column that was found: its name, and how much all its cells are together. */
struct label {
	const char *name;
	double total;
	bool is_chosen; /* it has a column of its own */
	size_t column;  /* among those found */
};

struct pivot {
	const struct query_rows *from;
	const char **names; /* of the column that each row belongs to */
	struct label *labels;
	size_t n_labels, n_columns;
	enum query_value_kind kind; /* of all cells, as they are of one expression */
	struct sorted_row *rows;
	size_t n_groups;
};

static const struct query_value *pivot_value(const struct pivot *p, size_t row)
{
	return &row_of(p->from, row)[p->from->n_static - 1];
}

static int compare_names(const void *x, const void *y)
{
	return strcmp(((const struct label *)x)->name, ((const struct label *)y)->name);
}

static int compare_totals(const void *x, const void *y)
{
	const struct label *a = x, *b = y;

	return a->total != b->total ? (a->total < b->total ? 1 : -1) : strcmp(a->name, b->name);
}

static struct label *find_label(const struct pivot *p, const char *name)
{
	struct label key = {.name = name};

	return bsearch(&key, p->labels, p->n_labels, sizeof(key), compare_names);
}

static bool find_labels(const struct machine *m, struct pivot *p)
{
	size_t n = p->from->n, found = 0;

	p->names = calloc(n + 1, sizeof(*p->names));
	p->labels = calloc(n + 1, sizeof(*p->labels));
	if (!p->names || !p->labels)
		return false;
	p->kind = QUERY_UNSIGNED;
	for (size_t i = 0; i < n; i++) {
		const struct query_value *v = pivot_value(p, i);

		p->names[i] = rows_text(m, &row_of(p->from, i)[p->from->n_static - 2]);
		p->labels[i] = (struct label){.name = p->names[i], .total = fabs(number_of(v))};
		p->kind = v->kind == QUERY_NONE ? p->kind : v->kind;
	}
	qsort(p->labels, n, sizeof(*p->labels), compare_names);
	for (size_t i = 0; i < n; i++)
		if (found && strcmp(p->labels[found - 1].name, p->labels[i].name) == 0)
			p->labels[found - 1].total += p->labels[i].total;
		else
			p->labels[found++] = p->labels[i];
	p->n_labels = found;
	return true;
}

/* Columns are in the order of their names; if there are too many, the largest have one, and the rest is one more. */
static void choose_columns(struct pivot *p)
{
	size_t most = PIVOT_CELLS / (p->n_groups + 1), chosen;

	most = most > PIVOT_COLUMNS ? PIVOT_COLUMNS : most < 1 ? 1 : most;
	chosen = p->n_labels <= most ? p->n_labels : most - 1;
	qsort(p->labels, p->n_labels, sizeof(*p->labels), compare_totals);
	for (size_t i = 0; i < chosen; i++)
		p->labels[i].is_chosen = true;
	qsort(p->labels, p->n_labels, sizeof(*p->labels), compare_names);
	for (size_t i = 0, column = 0; i < p->n_labels; i++)
		p->labels[i].column = p->labels[i].is_chosen ? column++ : chosen;
	p->n_columns = chosen + (chosen < p->n_labels);
}

static void add_value(struct query_value *sum, const struct query_value *v)
{
	if (v->kind == QUERY_NONE)
		return;
	if (rows_is_real(v))
		sum->real += v->real;
	else
		sum->number += v->number;
}

static void fill_group(const struct pivot *p, struct query_rows *to, size_t group, size_t first, size_t end)
{
	size_t n_keys = to->n_static;
	struct query_value *row = row_of(to, group);

	memcpy(row, row_of(p->from, p->rows[first].at), n_keys * sizeof(*row));
	for (size_t c = n_keys; c < to->n_columns; c++)
		row[c] = (struct query_value){.kind = p->kind};
	for (size_t i = first; i < end; i++)
		add_value(&row[n_keys + find_label(p, p->names[p->rows[i].at])->column], pivot_value(p, p->rows[i].at));
}

static bool same_group(const struct pivot *p, size_t i)
{
	return i > 0 && compare_keys(&p->rows[i - 1], &p->rows[i]) == 0;
}

static bool fill_pivot(const struct plan_step *s, struct pivot *p, struct query_rows *to)
{
	size_t n_keys = p->from->n_static - 2, group = 0;

	for (size_t i = 0; i < p->from->n; i++)
		p->n_groups += !same_group(p, i);
	choose_columns(p);
	if (!rows_alloc(to, n_keys + p->n_columns, n_keys, p->n_groups))
		return false;
	for (size_t i = 0; i < n_keys; i++)
		to->names[i] = s->rows.columns[i].name;
	for (size_t i = 0; i < p->n_labels; i++) {
		to->names[n_keys + p->labels[i].column] = p->labels[i].is_chosen ? p->labels[i].name : "other";
		to->merged += !p->labels[i].is_chosen;
	}
	for (size_t i = 0, end; i < p->from->n; i = end) {
		for (end = i + 1; end < p->from->n && same_group(p, end);)
			end++;
		fill_group(p, to, group++, i, end);
	}
	return true;
}

static bool make_pivot(
	const struct machine *m, const struct plan_step *s, const struct query_rows *from, struct query_rows *to)
{
	struct pivot p = {.from = from, .rows = sort_by(from, s->is_key)};
	bool done = p.rows && find_labels(m, &p) && fill_pivot(s, &p, to);

	free(p.rows);
	free(p.names);
	free(p.labels);
	return done;
}

/* ---- Normalise, and tables that differ from their source in a few cells ---- */

/* A copy with one more column behind those that the plan knows, if `more` has its name. */
static bool copy_table(const struct query_rows *from, const char *more, struct query_rows *to)
{
	size_t s = from->n_static, extra = more != NULL;

	if (!rows_alloc(to, from->n_columns + extra, s + extra, from->n))
		return false;
	for (size_t i = 0; i < from->n_columns; i++)
		to->names[i < s ? i : i + extra] = from->names[i];
	if (more)
		to->names[s] = more;
	for (size_t i = 0; i < from->n; i++) {
		memcpy(row_of(to, i), row_of(from, i), s * sizeof(*to->values));
		memcpy(row_of(to, i) + s + extra, row_of(from, i) + s, (from->n_columns - s) * sizeof(*to->values));
	}
	return true;
}

/* Each row's vector gets the length 1; one of zeros stays. */
static bool make_normal(const struct plan_step *s, const struct query_rows *from, struct query_rows *to)
{
	if (!copy_table(from, NULL, to))
		return false;
	for (size_t i = 0; i < to->n; i++) {
		struct query_value *row = row_of(to, i);
		double largest = 0, length = 0;

		for (size_t c = 0; c < to->n_columns; c++)
			if (in_vector(s, to, c))
				largest = fmax(largest, fabs(number_of(&row[c])));
		for (size_t c = 0; largest > 0 && c < to->n_columns; c++) /* squares of large numbers overflow */
			if (in_vector(s, to, c))
				length += pow(number_of(&row[c]) / largest, 2);
		length = largest * sqrt(length);
		for (size_t c = 0; c < to->n_columns; c++)
			if (in_vector(s, to, c))
				row[c] = real_value(QUERY_REAL, length > 0 ? number_of(&row[c]) / length : 0);
	}
	return true;
}

/* ---- KMeans ---- */

struct clustering {
	double *vectors, *centres;
	size_t *cluster, *sizes;
	size_t *columns; /* of the vector's members */
	size_t width;
	long n;
};

static bool find_clusters(const struct plan_step *s, const struct query_rows *from, struct clustering *c)
{
	c->columns = calloc(from->n_columns + 1, sizeof(*c->columns));
	for (size_t i = 0; c->columns && i < from->n_columns; i++)
		if (in_vector(s, from, i))
			c->columns[c->width++] = i;
	c->vectors = calloc(from->n * c->width + 1, sizeof(*c->vectors));
	c->centres = calloc(s->n * c->width + 1, sizeof(*c->centres));
	c->cluster = calloc(from->n + 1, sizeof(*c->cluster));
	c->sizes = calloc(s->n + 1, sizeof(*c->sizes));
	if (!c->columns || !c->vectors || !c->centres || !c->cluster || !c->sizes)
		return false;
	for (size_t i = 0; i < from->n; i++)
		for (size_t x = 0; x < c->width; x++)
			c->vectors[i * c->width + x] = number_of(&row_of(from, i)[c->columns[x]]);
	c->n = kmeans(c->vectors, from->n, c->width, s->n, c->cluster, c->centres, c->sizes);
	return c->n >= 0;
}

static bool make_centroids(const struct query_rows *from, const struct clustering *c, struct query_rows *to)
{
	if (!rows_alloc(to, c->width + 2, 2, (size_t)c->n))
		return false;
	to->names[0] = "cluster";
	to->names[1] = "size";
	for (size_t x = 0; x < c->width; x++)
		to->names[2 + x] = from->names[c->columns[x]];
	for (size_t i = 0; i < to->n; i++) {
		struct query_value *row = row_of(to, i);

		row[0] = (struct query_value){.kind = QUERY_UNSIGNED, .number = i};
		row[1] = (struct query_value){.kind = QUERY_UNSIGNED, .number = c->sizes[i]};
		for (size_t x = 0; x < c->width; x++)
			row[2 + x] = real_value(from->n ? row_of(from, 0)[c->columns[x]].kind : QUERY_REAL,
				c->centres[i * c->width + x]);
	}
	return true;
}

static bool make_clusters(
	const struct plan_step *s, const struct query_rows *from, struct query_rows *to, struct query_rows *second)
{
	struct clustering c = {.n = 0};
	bool done = find_clusters(s, from, &c) && copy_table(from, "cluster", to) && make_centroids(from, &c, second);

	for (size_t i = 0; done && i < to->n; i++)
		row_of(to, i)[from->n_static] = (struct query_value){.kind = QUERY_UNSIGNED, .number = c.cluster[i]};
	free(c.columns);
	free(c.vectors);
	free(c.centres);
	free(c.cluster);
	free(c.sizes);
	return done;
}

/* ---- MovingAverage ---- */

/* The mean of this row's number and of those before it in its series, at most n in all. */
static void average_series(const struct sorted_row *rows, size_t n, uint64_t most, struct query_rows *to)
{
	size_t column = to->n_static - 1, oldest = 0, there = 0;
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		const struct query_value *v = &row_of(rows[i].table, rows[i].at)[column], *out;

		sum += number_of(v);
		there += v->kind != QUERY_NONE;
		if (i - oldest == most) {
			out = &row_of(rows[oldest].table, rows[oldest].at)[column];
			oldest++;
			sum -= number_of(out);
			there -= out->kind != QUERY_NONE;
		}
		row_of(to, rows[i].at)[column] =
			there ? real_value(v->kind, sum / (double)there) : (struct query_value){.kind = QUERY_NONE};
	}
}

/* A series is the rows whose keys are equal, times apart. */
static bool make_averages(const struct plan_step *s, const struct query_rows *from, struct query_rows *to)
{
	bool by[PLAN_COLUMNS];
	struct sorted_row *rows;

	for (size_t i = 0; i < PLAN_COLUMNS; i++)
		by[i] = s->is_key[i] && s->rows.columns[i].value->type.kind != TYPE_INSTANT;
	rows = sort_by(from, by);
	if (!rows || !copy_table(from, NULL, to)) {
		free(rows);
		return false;
	}
	for (size_t i = 0, end; i < from->n; i = end) {
		for (end = i + 1; end < from->n && compare_keys(&rows[end - 1], &rows[end]) == 0;)
			end++;
		average_series(rows + i, end - i, s->n, to);
	}
	free(rows);
	return true;
}

/* ---- any step ---- */

static bool is_taken(const struct query_rows *t, size_t column, const char *name)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (i != column && strcmp(t->names[i], name) == 0)
			return true;
	return false;
}

/* Two columns of one name can't be told from each other: one that was found gets another name. */
static void rename_columns(const struct machine *m, struct query_rows *t)
{
	for (size_t i = t->n_static; i < t->n_columns && !m->texts->full; i++) {
		bool clashes = t->merged && i + 1 == t->n_columns && is_taken(t, i, t->names[i]);

		for (size_t c = 0; c < t->n_static; c++)
			clashes |= strcmp(t->names[i], t->names[c]) == 0;
		while (clashes && !m->texts->full) {
			t->names[i] = query_format(m->texts, "%s'", t->names[i]);
			clashes = is_taken(t, i, t->names[i]);
		}
	}
}

static bool make_table(const struct machine *m, const struct plan_step *step, const struct query_rows *from,
	struct query_rows *to, struct query_rows *second)
{
	switch (step->kind) {
	case STEP_PIVOT: return make_pivot(m, step, from, to);
	case STEP_NORMALISE: return make_normal(step, from, to);
	case STEP_KMEANS: return make_clusters(step, from, to, second);
	case STEP_JOIN:
	case STEP_DIFF: return rows_meet(m, step, from, to);
	default: return make_averages(step, from, to);
	}
}

bool step_make(const struct machine *m, const struct plan_step *step, const struct query_rows *from,
	struct query_rows *to, struct query_rows *second)
{
	if (!make_table(m, step, from, to, second))
		return false;
	rename_columns(m, to);
	return true;
}
