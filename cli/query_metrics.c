/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows as metrics. A column is a family: a count or a sum is a counter, a histogram is one, all quantiles of one number
 * are a summary, any other number is a gauge. The parts of the key are labels. Durations are seconds. What isn't
 * printable in a label is escaped. Two rows whose labels are then the same can't both be there, as a reader would
 * refuse all of them: the second one is left out. So is what is beyond METRICS_SERIES, and both are counted.
 */
#include "query_metrics.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/tool/report.h"

enum { NAME = 80, LABELS = 4096, COLUMNS = 64 };

struct writer {
	const struct metrics_report *r;
	bool openmetrics;
	FILE *file;
	size_t series, dropped;
	char names[COLUMNS][NAME]; /* of families */
	size_t n_names;
	char **labels; /* of each row that is there; NULL: it isn't */
};

static const struct query_value *cell(const struct writer *w, size_t row, size_t column)
{
	return &w->r->rows->values[row * w->r->rows->n_columns + column];
}

/* ---- names ---- */

static void clean_name(char *to, size_t size, const char *prefix, const char *name)
{
	snprintf(to, size, "%s%s", prefix, name);
	for (; *to; to++)
		if (!isalnum((unsigned char)*to) || (unsigned char)*to >= 0x80)
			*to = '_';
}

/* Ends of names that say what a sample is of its family. */
static bool is_reserved(const char *name)
{
	static const char *const ends[] = {"_total", "_sum", "_count", "_bucket", "_created", "_info"};
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (n > strlen(ends[i]) && strcmp(name + n - strlen(ends[i]), ends[i]) == 0)
			return true;
	return false;
}

static bool is_family(const struct writer *w, const char *name)
{
	for (size_t i = 0; i < w->n_names; i++)
		if (strcmp(w->names[i], name) == 0)
			return true;
	return false;
}

/* A name that no family has yet. */
static const char *add_family(struct writer *w, const char *column, bool is_counter, const char *unit)
{
	char *name = w->names[w->n_names], base[NAME - 24];

	clean_name(base, sizeof(base) - 8, "ward_", column);
	if (!is_counter && is_reserved(base))
		strcat(base, "_value");
	snprintf(name, NAME, "%s%s", base, unit);
	for (unsigned n = 2; is_family(w, name); n++)
		snprintf(name, NAME, "%s_%u%s", base, n, unit);
	w->n_names++;
	return name;
}

static void put_help(const struct writer *w, const char *text)
{
	for (const char *s = text; *s && s < text + 500; s++)
		if (*s == '\n' || *s == '\t' || *s == '\r')
			fputc(' ', w->file);
		else if (*s == '\\')
			fputs("\\\\", w->file);
		else if (*s == '"' && w->openmetrics)
			fputs("\\\"", w->file);
		else if ((unsigned char)*s >= 0x20 && (unsigned char)*s < 0x7f)
			fputc(*s, w->file);
}

/* The formats differ in the name that a counter's head has. `help` and what it is of. */
static void begin_family(const struct writer *w, const char *name, const char *type, const char *help, const char *of)
{
	const char *total = strcmp(type, "counter") == 0 && !w->openmetrics ? "_total" : "";

	fprintf(w->file, "# HELP %s%s %s", name, total, help);
	put_help(w, of);
	fprintf(w->file, "\n# TYPE %s%s %s\n", name, total, type);
}

/* The family of a column. */
static void begin_column(const struct writer *w, const char *name, const char *type, size_t column)
{
	begin_family(w, name, type, "A column of the answer to a query: ", w->r->rows->names[column]);
}

/* ---- labels ---- */

static bool is_key(const struct writer *w, size_t column)
{
	return column < w->r->rows->n_static && query_role_of(w->r->query, column) == QUERY_KEY;
}

/* What isn't printable is written as in C, and then the backslash as the format wants it. */
static void put_label_value(FILE *file, const char *s)
{
	for (size_t n; *s; s += n) {
		uint32_t c = text_next(s, &n);

		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", (int)c);
		else if (c == UINT32_MAX)
			fprintf(file, "\\\\x%02x", (unsigned char)*s);
		else if (!text_is_harmless(c))
			fprintf(file, "\\\\u%04x", c);
		else
			fwrite(s, 1, n, file);
	}
}

/* Names of labels that mean something to the reader get another one, and so does the second of two. */
static void put_label_name(const struct writer *w, size_t column)
{
	char name[NAME], other[NAME];
	unsigned before = 0;

	clean_name(name, sizeof(name), "", w->r->rows->names[column]);
	for (size_t i = 0; i < column; i++) {
		clean_name(other, sizeof(other), "", w->r->rows->names[i]);
		before += is_key(w, i) && strcmp(name, other) == 0;
	}
	if (isdigit((unsigned char)name[0]) || name[0] == '_' || !strcmp(name, "le") || !strcmp(name, "quantile") ||
		!strcmp(name, "pivot_column"))
		fputs("key_", w->file);
	fputs(name, w->file);
	if (before)
		fprintf(w->file, "_%u", before + 1);
}

static char *row_labels(struct writer *w, size_t row)
{
	char *text = NULL, value[LABELS];
	size_t size;
	FILE *file = w->file, *labels = open_memstream(&text, &size);
	const char *between = "";

	if (!labels)
		return NULL;
	w->file = labels;
	for (size_t c = 0; c < w->r->rows->n_static; c++) {
		const struct query_value *v = cell(w, row, c);

		if (!is_key(w, c))
			continue;
		fputs(between, labels);
		between = ",";
		put_label_name(w, c);
		fputs("=\"", labels);
		if (v->kind == QUERY_TEXT) {
			put_label_value(labels, v->text ? v->text : "");
		} else {
			w->r->value(w->r->user, v, value, sizeof(value));
			put_label_value(labels, value);
		}
		fputc('"', labels);
	}
	w->file = file;
	return fclose(labels) == 0 ? text : NULL;
}

static int compare_labels(const void *x, const void *y)
{
	const char *const *const *a = x, *const *const *b = y;
	int c = strcmp(**a, **b);

	return c ? c : (*a > *b) - (*a < *b); /* the first of those that are equal comes first */
}

/* Rows whose labels are all the same as another one's are dropped. */
static bool find_labels(struct writer *w)
{
	size_t all = w->r->rows->n, n = all < METRICS_SERIES ? all : METRICS_SERIES;
	char ***sorted = calloc(n + 1, sizeof(*sorted));

	w->labels = calloc(n + 1, sizeof(*w->labels));
	for (size_t i = 0; sorted && w->labels && i < n; i++) {
		w->labels[i] = row_labels(w, i);
		sorted[i] = &w->labels[i];
		if (!w->labels[i])
			n = 0;
	}
	if (!sorted || !w->labels || (all && !n)) {
		free(sorted);
		return false;
	}
	qsort(sorted, n, sizeof(*sorted), compare_labels);
	for (size_t i = n; i-- > 1;)
		if (strcmp(*sorted[i - 1], *sorted[i]) == 0) {
			free(*sorted[i]);
			*sorted[i] = NULL;
		}
	free(sorted);
	return true;
}

static void free_labels(struct writer *w)
{
	for (size_t i = 0; w->labels && i < METRICS_SERIES && i < w->r->rows->n; i++)
		free(w->labels[i]);
	free(w->labels);
}

/* ---- samples ---- */

/* NULL: there is no room for so many series more, or the row is dropped; that is counted. */
static const char *take_labels(struct writer *w, size_t row, size_t series)
{
	const char *labels = row < METRICS_SERIES ? w->labels[row] : NULL;

	if (!labels || w->series + series > METRICS_SERIES) {
		w->dropped += series;
		return NULL;
	}
	w->series += series;
	return labels;
}

/* One more label may follow those of the row. */
static void put_sample(
	const struct writer *w, const char *name, const char *suffix, const char *labels, const char *more)
{
	bool any = *labels || *more;

	fprintf(w->file, "%s%s%s%s%s%s%s ", name, suffix, any ? "{" : "", labels, *labels && *more ? "," : "", more,
		any ? "}" : "");
}

static bool is_number(const struct query_value *v)
{
	return v->kind == QUERY_UNSIGNED || v->kind == QUERY_SIGNED || v->kind == QUERY_REAL ||
	       v->kind == QUERY_DURATION || v->kind == QUERY_BOOL;
}

static void put_number(const struct writer *w, const struct query_value *v)
{
	if (v->kind == QUERY_SIGNED)
		fprintf(w->file, "%" PRId64 "\n", (int64_t)v->number);
	else if (v->kind == QUERY_REAL || v->kind == QUERY_DURATION)
		fprintf(w->file, "%.12g\n", v->kind == QUERY_DURATION ? v->real / 1e9 : v->real);
	else
		fprintf(w->file, "%" PRIu64 "\n", v->number);
}

/* What the cells of a column are; NULL: nothing. */
static const struct query_value *column_like(const struct writer *w, size_t column)
{
	for (size_t i = 0; i < w->r->rows->n; i++)
		if (cell(w, i, column)->kind != QUERY_NONE)
			return cell(w, i, column);
	return NULL;
}

static const char *unit_of(const struct query_value *like)
{
	return like->kind == QUERY_DURATION || (like->kind == QUERY_BUCKETS && like->is_duration) ? "_seconds" : "";
}

static void put_numbers(struct writer *w, size_t column, const struct query_value *like)
{
	bool total = column < w->r->rows->n_static && query_role_of(w->r->query, column) == QUERY_TOTAL &&
		     like->kind != QUERY_SIGNED;
	const char *name = add_family(w, w->r->rows->names[column], total, unit_of(like));

	begin_column(w, name, total ? "counter" : "gauge", column);
	for (size_t i = 0; i < w->r->rows->n; i++) {
		const struct query_value *v = cell(w, i, column);
		const char *labels = is_number(v) ? take_labels(w, i, 1) : NULL;

		if (!labels)
			continue;
		put_sample(w, name, total ? "_total" : "", labels, "");
		put_number(w, v);
	}
}

/* ---- histograms ---- */

static void put_histogram(struct writer *w, const char *name, const char *labels, const struct query_value *v)
{
	uint64_t sum = 0;
	char le[40];

	for (size_t i = 0; i < v->n; i++) {
		double hi = v->is_signed ? (double)(int64_t)v->buckets[i].hi : (double)v->buckets[i].hi;

		sum += v->buckets[i].count;
		if (v->buckets[i].hi == (v->is_signed ? INT64_MAX : UINT64_MAX))
			continue; /* that is +Inf */
		snprintf(le, sizeof(le), "le=\"%.15g\"", v->is_duration ? hi / 1e9 : hi);
		put_sample(w, name, "_bucket", labels, le);
		fprintf(w->file, "%" PRIu64 "\n", sum);
	}
	put_sample(w, name, "_bucket", labels, "le=\"+Inf\"");
	fprintf(w->file, "%" PRIu64 "\n", sum);
	put_sample(w, name, "_count", labels, "");
	fprintf(w->file, "%" PRIu64 "\n", sum);
}

static void put_histograms(struct writer *w, size_t column, const struct query_value *like)
{
	const char *name = add_family(w, w->r->rows->names[column], false, unit_of(like));

	begin_column(w, name, "histogram", column);
	for (size_t i = 0; i < w->r->rows->n; i++) {
		const struct query_value *v = cell(w, i, column);
		const char *labels = v->kind == QUERY_BUCKETS ? take_labels(w, i, v->n + 2) : NULL;

		if (labels)
			put_histogram(w, name, labels, v);
	}
}

/* ---- summaries ---- */

/* Is it the first column with a quantile of that number? The others are in its family. */
static bool is_first_quantile(const struct writer *w, size_t column, size_t of)
{
	struct query_quantile other;

	for (size_t i = 0; i < column; i++)
		if (query_quantile_of(w->r->query, i, &other) && other.of == of)
			return false;
	return true;
}

static void put_summaries(struct writer *w, size_t column, const struct query_value *like, size_t of)
{
	const char *name = add_family(w, "quantiles", false, unit_of(like));
	struct query_quantile quantile;
	char rank[40];

	begin_family(w, name, "summary", "Quantiles of one number of the answer to a query", "");
	for (size_t i = 0; i < w->r->rows->n; i++)
		for (size_t c = column; c < w->r->rows->n_static; c++) {
			const struct query_value *v = cell(w, i, c);
			const char *labels;

			if (!query_quantile_of(w->r->query, c, &quantile) || quantile.of != of || !is_number(v))
				continue;
			labels = take_labels(w, i, 1);
			if (!labels)
				continue;
			snprintf(rank, sizeof(rank), "quantile=\"%.6g\"", quantile.rank);
			put_sample(w, name, "", labels, rank);
			put_number(w, v);
		}
}

/* ---- columns that Pivot has found ---- */

/* A family of all of them; which one is a label. */
static void put_found(struct writer *w)
{
	size_t s = w->r->rows->n_static;
	const struct query_value *like = w->r->rows->n ? cell(w, 0, s) : NULL;
	const char *name;

	if (!like)
		return;
	name = add_family(w, "value", false, unit_of(like));
	begin_family(w, name, "gauge", "Columns that Pivot has found", "");
	for (size_t i = 0; i < w->r->rows->n; i++)
		for (size_t c = s; c < w->r->rows->n_columns; c++) {
			const char *labels = is_number(cell(w, i, c)) ? take_labels(w, i, 1) : NULL;
			bool any = labels && *labels;

			if (!labels)
				continue;
			fprintf(w->file, "%s{%s%spivot_column=\"", name, labels, any ? "," : "");
			put_label_value(w->file, w->r->rows->names[c]);
			fputs("\"} ", w->file);
			put_number(w, cell(w, i, c));
		}
}

static void put_column(struct writer *w, size_t column)
{
	const struct query_value *like = column_like(w, column);
	struct query_quantile quantile;

	if (!like || is_key(w, column))
		return;
	if (like->kind == QUERY_BUCKETS)
		put_histograms(w, column, like);
	else if (!is_number(like))
		return;
	else if (!query_quantile_of(w->r->query, column, &quantile))
		put_numbers(w, column, like);
	else if (is_first_quantile(w, column, quantile.of))
		put_summaries(w, column, like, quantile.of);
}

/* What is said of all of it. Their names are taken before those of columns. */
static void put_totals(struct writer *w, const char *events, const char *complete, const char *dropped)
{
	begin_family(w, events, "counter", "Events of the query ", w->r->help);
	fprintf(w->file, "%s_total %" PRIu64 "\n", events, w->r->events);
	begin_family(w, complete, "gauge", "Does the answer lack nothing?", "");
	fprintf(w->file, "%s %d\n", complete, w->r->complete);
	begin_family(w, dropped, "gauge", "Series that are left out, as there are too many", "");
	fprintf(w->file, "%s %zu\n", dropped, w->dropped);
}

bool metrics_write(const struct metrics_report *r, bool openmetrics, FILE *file)
{
	struct writer *w = calloc(1, sizeof(*w));
	const char *events, *complete, *dropped;
	bool done = false;

	if (!w)
		return false;
	w->r = r;
	w->openmetrics = openmetrics;
	w->file = file;
	events = add_family(w, "events", true, "");
	complete = add_family(w, "complete", false, "");
	dropped = add_family(w, "dropped_series", false, "");
	if (find_labels(w)) {
		for (size_t c = 0; c < r->rows->n_static; c++)
			put_column(w, c);
		if (r->rows->n_static < r->rows->n_columns)
			put_found(w);
		put_totals(w, events, complete, dropped);
		fputs(openmetrics ? "# EOF\n" : "", file);
		done = true;
	}
	free_labels(w);
	free(w);
	return done;
}
