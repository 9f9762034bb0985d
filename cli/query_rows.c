/* SPDX-License-Identifier: Apache-2.0 */
#include "query_rows.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "query_plot.h"

enum { CELL = 1100 }; /* a stack's name has up to 1,023 bytes */

/* ---- a value as text ---- */

static void duration_text(const struct cli_output *out, char *text, size_t size, double ns)
{
	static const struct {
		const char *name, *ascii;
		double ns;
	} units[] = {{"s", "s", 1e9}, {"ms", "ms", 1e6}, {"µs", "us", 1e3}, {"ns", "ns", 1}};
	size_t i = 0;

	while (i < 3 && fabs(ns) < units[i].ns)
		i++;
	snprintf(text, size, "%.*f %s",
		ns == 0  ? 0
		: i == 3 ? 1
			 : 2,
		ns / units[i].ns, out->unicode ? units[i].name : units[i].ascii);
}

void query_value_text(const struct cli_output *out, char *text, size_t size, const struct query_value *v)
{
	switch (v->kind) {
	case QUERY_UNSIGNED: snprintf(text, size, "%" PRIu64, v->number); return;
	case QUERY_SIGNED: snprintf(text, size, "%" PRId64, (int64_t)v->number); return;
	case QUERY_REAL: snprintf(text, size, "%.2f", v->real); return;
	case QUERY_BOOL: snprintf(text, size, "%s", v->number ? "true" : "false"); return;
	case QUERY_TEXT: cli_clean_text(text, size, v->text ? v->text : ""); return;
	case QUERY_DURATION: duration_text(out, text, size, v->real); return;
	case QUERY_INSTANT: cli_moment_text(text, size, (int64_t)v->number); return;
	case QUERY_ADDRESS:
		cli_address_text(out, text, size, v->number, (struct cli_origin){.thread = WARD_ANY_THREAD});
		return;
	case QUERY_SITE: cli_site_text(out, text, size, v->number); return;
	default: snprintf(text, size, "%s", v->kind == QUERY_NONE ? "-" : "");
	}
}

/* ---- the table ---- */

static bool is_left(const struct query_value *v)
{
	return v->kind == QUERY_TEXT || v->kind == QUERY_ADDRESS || v->kind == QUERY_SITE;
}

struct column {
	int width;
	bool left, hidden; /* hidden: of histograms, which are drawn below their rows */
};

static void columns_measure(struct cli_output *out, const struct query_rows *rows, struct column *columns)
{
	char text[CELL];

	for (size_t c = 0; c < rows->n_columns; c++) {
		cli_clean_text(text, sizeof(text), rows->names[c]);
		columns[c].width = cli_width(text);
		for (size_t i = 0; i < rows->n; i++) {
			const struct query_value *v = &rows->values[i * rows->n_columns + c];
			int width;

			query_value_text(out, text, sizeof(text), v);
			width = cli_width(text);
			columns[c].width = width > columns[c].width ? width : columns[c].width;
			columns[c].left |= is_left(v);
			columns[c].hidden |= v->kind == QUERY_BUCKETS;
		}
	}
}

/* `last`: no blanks at the end of a line. */
static void print_cell(FILE *file, const char *text, const struct column *c, bool last)
{
	int blanks = c->width - cli_width(text);

	fprintf(file, "  %*s%s%*s", c->left ? 0 : blanks, "", text, c->left && !last ? blanks : 0, "");
}

static void print_buckets(struct cli_output *out, const char *name, const struct query_value *v, bool several)
{
	struct ward_field f = {.name = name,
		.kind = v->is_signed ? WARD_FIELD_LINEAR : WARD_FIELD_LOG2,
		.value_is_signed = v->is_signed,
		.n = v->n,
		.buckets = (const struct ward_bucket *)v->buckets};

	if (several || v->is_duration)
		fprintf(out->file, "  %s%s\n", name, v->is_duration ? ", in ns" : "");
	cli_print_bars(out, &f);
}

static void print_row(struct cli_output *out, const struct query_rows *rows, const struct column *columns, size_t last,
	size_t i, size_t n_buckets)
{
	const struct query_value *row = &rows->values[i * rows->n_columns];
	char text[CELL];

	for (size_t c = 0; c < rows->n_columns; c++) {
		if (columns[c].hidden)
			continue;
		query_value_text(out, text, sizeof(text), &row[c]);
		print_cell(out->file, text, &columns[c], c == last);
	}
	if (n_buckets < rows->n_columns)
		fputc('\n', out->file);
	for (size_t c = 0; c < rows->n_columns; c++)
		if (row[c].kind == QUERY_BUCKETS)
			print_buckets(out, rows->names[c], &row[c], n_buckets > 1);
}

static void print_table(struct cli_output *out, const struct query_rows *rows)
{
	struct column *columns = calloc(rows->n_columns + 1, sizeof(*columns));
	size_t last = 0, n_buckets = 0;

	if (!columns)
		return;
	columns_measure(out, rows, columns);
	for (size_t c = 0; c < rows->n_columns; c++) {
		n_buckets += columns[c].hidden;
		last = columns[c].hidden ? last : c;
	}
	for (size_t c = 0; c < rows->n_columns; c++) {
		char text[CELL];

		cli_clean_text(text, sizeof(text), rows->names[c]);
		if (!columns[c].hidden)
			print_cell(out->file, text, &columns[c], c == last);
	}
	if (n_buckets < rows->n_columns)
		fputc('\n', out->file);
	for (size_t i = 0; i < rows->n; i++)
		print_row(out, rows, columns, last, i, n_buckets);
	if (!rows->n)
		fputs("  no rows\n", out->file);
	free(columns);
}

/* ---- JSON ---- */

static struct json_object *json_buckets(const struct query_value *v)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < v->n; i++) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "lo",
			v->is_signed ? json_object_new_int64((int64_t)v->buckets[i].lo)
				     : json_object_new_uint64(v->buckets[i].lo));
		json_object_object_add(o, "hi",
			v->is_signed ? json_object_new_int64((int64_t)v->buckets[i].hi)
				     : json_object_new_uint64(v->buckets[i].hi));
		json_object_object_add(o, "count", json_object_new_uint64(v->buckets[i].count));
		json_object_array_add(list, o);
	}
	return list;
}

/* Durations are nanoseconds. */
static struct json_object *json_value(const struct cli_output *out, const struct query_value *v)
{
	char text[CELL];

	switch (v->kind) {
	case QUERY_NONE: return NULL;
	case QUERY_UNSIGNED: return json_object_new_uint64(v->number);
	case QUERY_SIGNED: return json_object_new_int64((int64_t)v->number);
	case QUERY_BOOL: return json_object_new_boolean(v->number != 0);
	case QUERY_REAL:
	case QUERY_DURATION: return json_object_new_double(v->real);
	case QUERY_TEXT: return cli_json_string(v->text ? v->text : "");
	case QUERY_BUCKETS: return json_buckets(v);
	case QUERY_INSTANT: return json_object_new_int64((int64_t)v->number);
	default: query_value_text(out, text, sizeof(text), v); return cli_json_string(text);
	}
}

/* The name of a column may be any bytes of the target: that of one that Pivot has found. */
static void add_cell(struct json_object *row, const char *column, struct json_object *value)
{
	struct json_object *name = cli_json_string(column);

	json_object_object_add(row, json_object_get_string(name), value);
	json_object_put(name);
}

static struct json_object *json_rows(const struct cli_output *out, const struct query_rows *rows)
{
	struct json_object *list = json_object_new_array_ext((int)rows->n);

	for (size_t i = 0; i < rows->n; i++) {
		struct json_object *row = json_object_new_object();

		for (size_t c = 0; c < rows->n_columns; c++)
			add_cell(row, rows->names[c], json_value(out, &rows->values[i * rows->n_columns + c]));
		json_object_array_add(list, row);
	}
	return list;
}

static void print_json(struct cli_output *out, const struct query_rows *rows, const struct query_lacks *lacks,
	const struct query_moment *moment)
{
	struct json_object *o = json_object_new_object(), *missing = json_object_new_array(),
			   *notes = json_object_new_array();

	json_object_object_add(o, "type", json_object_new_string("rows"));
	json_object_object_add(o, "at", json_object_new_int64(moment->at));
	json_object_object_add(o, "final", json_object_new_boolean(moment->is_final));
	if (moment->is_delta)
		json_object_object_add(o, "delta", json_object_new_boolean(true));
	json_object_object_add(o, "complete", json_object_new_boolean(lacks->n == 0));
	for (size_t i = 0; i < lacks->n; i++)
		json_object_array_add(missing, cli_json_string(lacks->line[i]));
	json_object_object_add(o, "lacks", missing);
	for (size_t i = 0; i < lacks->n_notes; i++)
		json_object_array_add(notes, cli_json_string(lacks->note[i]));
	json_object_object_add(o, "notes", notes);
	json_object_object_add(o, "rows", json_rows(out, rows));
	if (rows->second)
		json_object_object_add(o, rows->title, json_rows(out, rows->second));
	cli_json_line(out, o);
}

/* ---- CSV ---- */

static void print_field(FILE *file, const char *text, bool last)
{
	bool quote = strpbrk(text, ",\"\r\n") != NULL;

	if (quote)
		fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputs(quote ? "\"" : "", file);
	fputs(last ? "\r\n" : ",", file);
}

static void csv_text(const struct cli_output *out, char *text, size_t size, const struct query_value *v)
{
	size_t n = 0;

	text[0] = 0;
	if (v->kind == QUERY_DURATION || v->kind == QUERY_REAL)
		snprintf(text, size, "%.17g", v->real);
	else if (v->kind == QUERY_INSTANT)
		snprintf(text, size, "%" PRId64, (int64_t)v->number);
	else if (v->kind == QUERY_TEXT)
		snprintf(text, size, "%s", v->text ? v->text : "");
	else if (v->kind == QUERY_BUCKETS)
		for (size_t i = 0; i < v->n && n < size; i++)
			n += (size_t)snprintf(text + n, size - n,
				v->is_signed ? "%s%" PRId64 ":%" PRIu64 : "%s%" PRIu64 ":%" PRIu64, i ? " " : "",
				v->buckets[i].lo, v->buckets[i].count);
	else if (v->kind != QUERY_NONE)
		query_value_text(out, text, size, v);
}

static void print_csv(struct cli_output *out, const struct query_rows *rows)
{
	char text[4096];

	for (size_t c = 0; c < rows->n_columns; c++)
		print_field(out->file, rows->names[c], c + 1 == rows->n_columns);
	for (size_t i = 0; i < rows->n * rows->n_columns; i++) {
		csv_text(out, text, sizeof(text), &rows->values[i]);
		print_field(out->file, text, (i + 1) % rows->n_columns == 0);
	}
}

/* ---- rows that are printed as they come ---- */

/* Columns become wider with what comes, and not narrower. */
static void print_record_cells(
	struct cli_output *out, const struct query *q, const struct query_value *row, struct query_printed *printed)
{
	char text[CELL];

	for (size_t c = 0; c < query_columns(q); c++) {
		struct column column = {.width = printed->width[c], .left = row && is_left(&row[c])};
		int width;

		if (row)
			query_value_text(out, text, sizeof(text), &row[c]);
		else
			snprintf(text, sizeof(text), "%s", query_column(q, c));
		width = cli_width(text);
		column.width = printed->width[c] = width > column.width ? width : column.width;
		print_cell(out->file, text, &column, c + 1 == query_columns(q));
	}
	fputc('\n', out->file);
}

static void print_record_json(struct cli_output *out, const struct query *q, const struct query_value *row)
{
	struct json_object *o = json_object_new_object(), *members = json_object_new_object();

	json_object_object_add(o, "type", json_object_new_string("row"));
	for (size_t c = 0; c < query_columns(q); c++)
		json_object_object_add(members, query_column(q, c), json_value(out, &row[c]));
	json_object_object_add(o, "row", members);
	cli_json_put(out, o);
}

static void print_record_csv(struct cli_output *out, const struct query *q, const struct query_value *row)
{
	char text[4096];

	for (size_t c = 0; c < query_columns(q); c++) {
		if (row)
			csv_text(out, text, sizeof(text), &row[c]);
		else
			snprintf(text, sizeof(text), "%s", query_column(q, c));
		print_field(out->file, text, c + 1 == query_columns(q));
	}
}

void query_print_row(struct cli_output *out, enum query_format format, const struct query *q,
	const struct query_value *row, struct query_printed *printed)
{
	bool first = printed->n == 0;

	printed->n += row != NULL;
	if (format == QUERY_JSON) {
		if (row)
			print_record_json(out, q, row);
	} else if (format == QUERY_CSV) {
		if (first)
			print_record_csv(out, q, NULL);
		if (row)
			print_record_csv(out, q, row);
	} else {
		/* the heading is as wide as the first row */
		for (size_t c = 0; row && first && c < query_columns(q); c++) {
			char text[CELL];

			query_value_text(out, text, sizeof(text), &row[c]);
			printed->width[c] = cli_width(text);
		}
		if (first)
			print_record_cells(out, q, NULL, printed);
		if (row)
			print_record_cells(out, q, row, printed);
	}
}

void query_print(struct cli_output *out, enum query_format format, const struct query *q, const struct query_rows *rows,
	const struct query_lacks *lacks, const struct query_moment *moment)
{
	char at[40];

	if (format == QUERY_JSON) {
		print_json(out, rows, lacks, moment);
		return;
	}
	if (!moment->is_final) {
		cli_moment_text(at, sizeof(at), moment->at);
		fprintf(out->file, "%s\n", at);
	}
	if (format == QUERY_CSV && rows->n_columns)
		print_csv(out, rows);
	else if (rows->n_columns && !(format == QUERY_HEAT && query_plot_heat(out, q, rows)))
		print_table(out, rows);
	if (format == QUERY_TABLE && rows->second) {
		fprintf(out->file, "%s\n", rows->title);
		print_table(out, rows->second);
	}
	for (size_t i = 0; i < lacks->n_notes; i++)
		fprintf(format == QUERY_CSV ? stderr : out->file, "%s\n", lacks->note[i]);
	for (size_t i = 0; i < lacks->n; i++)
		fprintf(format == QUERY_CSV ? stderr : out->file, "%s\n", lacks->line[i]);
	if (!moment->is_final)
		fputc('\n', out->file);
}
