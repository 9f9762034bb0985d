/* SPDX-License-Identifier: Apache-2.0 */
#include "query_rows.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "query_plot.h"
#include "verifier/tool/report.h"

enum { CELL = 1100, RECORD_COLUMNS = sizeof((struct query_printed){0}.width) / sizeof(int) };

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

char *query_stack_text(const struct cli_output *out, const struct query_value *v)
{
	if (!v->is_stack)
		return NULL;
	if (v->kind == QUERY_TEXT)
		return text_clean(v->text ? v->text : "");
	return cli_stack_text(out, v->number, (struct cli_origin){.thread = WARD_ANY_THREAD});
}

/* As much of it as there is room for, with a number for what is left out: two that end alike stay two. */
static bool put_stack_end(const struct cli_output *out, char *text, size_t size, const struct query_value *v)
{
	char *stack = query_stack_text(out, v), mark[sizeof("[0123456789abcdef...]")];
	size_t length = stack ? strlen(stack) : 0, room = size > sizeof(mark) ? size - sizeof(mark) : 0;
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)stack[i]) * 1099511628211u;
	if (length >= size) {
		const char *end = strchr(stack + length - room, ';');

		snprintf(mark, sizeof(mark), "[%016" PRIx64 "...]", hash);
		snprintf(text, size, "%s%s", mark, end ? end : "");
	} else if (stack) {
		memcpy(text, stack, length + 1);
	}
	free(stack);
	return length != 0;
}

void query_value_text(const struct cli_output *out, char *text, size_t size, const struct query_value *v)
{
	if (v->is_stack && put_stack_end(out, text, size, v))
		return;
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
	bool has_stacks;   /* they come last, one function below the other */
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
			columns[c].has_stacks |= v->is_stack;
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

/* The cells of a line that are on it, in the order of columns; heads if there is no row. Returns how wide it is. */
static int print_cells(struct cli_output *out, size_t n, const struct column *columns, const char *const *heads,
	const struct query_value *row, bool ends)
{
	size_t last = n;
	char text[CELL];
	int width = 0;

	for (size_t c = 0; c < n; c++)
		last = columns[c].hidden || columns[c].has_stacks ? last : c;
	for (size_t c = 0; c < n; c++) {
		if (columns[c].hidden || columns[c].has_stacks)
			continue;
		if (row)
			query_value_text(out, text, sizeof(text), &row[c]);
		else
			cli_clean_text(text, sizeof(text), heads[c]);
		print_cell(out->file, text, &columns[c], ends && c == last);
		width += 2 + columns[c].width;
	}
	return width;
}

static size_t count_stacks(const struct column *columns, size_t n)
{
	size_t stacks = 0;

	for (size_t c = 0; c < n; c++)
		stacks += columns[c].has_stacks;
	return stacks;
}

/* A line of a table: heads, or a row. */
static void print_line(struct cli_output *out, size_t n, const struct column *columns, const char *const *heads,
	const struct query_value *row)
{
	size_t stacks = count_stacks(columns, n);
	int width = print_cells(out, n, columns, heads, row, stacks == 0);
	bool first = true;

	for (size_t c = 0; c < n; c++) {
		char name[CELL], text[CELL], *stack = row ? query_stack_text(out, &row[c]) : NULL;

		cli_clean_text(name, sizeof(name), heads[c]);
		if (columns[c].has_stacks && !row) {
			fprintf(out->file, "  %s", name);
		} else if (columns[c].has_stacks) {
			query_value_text(out, text, sizeof(text), &row[c]);
			fputs(first ? "  " : "", out->file);
			cli_print_stack(out->file, width + 2, first, stacks > 1 ? name : NULL, stack ? stack : text);
			first = false;
		}
		free(stack);
	}
	if (!row || !stacks)
		fputc('\n', out->file);
}

static void print_row(
	struct cli_output *out, const struct query_rows *rows, const struct column *columns, size_t i, size_t n_buckets)
{
	const struct query_value *row = &rows->values[i * rows->n_columns];

	if (n_buckets < rows->n_columns)
		print_line(out, rows->n_columns, columns, rows->names, row);
	for (size_t c = 0; c < rows->n_columns; c++)
		if (row[c].kind == QUERY_BUCKETS)
			print_buckets(out, rows->names[c], &row[c], n_buckets > 1);
}

static void print_table(struct cli_output *out, const struct query_rows *rows)
{
	struct column *columns = calloc(rows->n_columns + 1, sizeof(*columns));
	size_t n_buckets = 0;

	if (!columns)
		return;
	columns_measure(out, rows, columns);
	for (size_t c = 0; c < rows->n_columns; c++)
		n_buckets += columns[c].hidden;
	if (n_buckets < rows->n_columns)
		print_line(out, rows->n_columns, columns, rows->names, NULL);
	for (size_t i = 0; i < rows->n; i++)
		print_row(out, rows, columns, i, n_buckets);
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
	char text[CELL], *stack = query_stack_text(out, v);

	if (stack) {
		struct json_object *o = cli_json_string(stack);

		free(stack);
		return o;
	}
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

static void print_value(const struct cli_output *out, const struct query_value *v, bool last)
{
	char text[4096], *stack = query_stack_text(out, v);

	if (!stack)
		csv_text(out, text, sizeof(text), v);
	print_field(out->file, stack ? stack : text, last);
	free(stack);
}

static void print_csv(struct cli_output *out, const struct query_rows *rows)
{

	for (size_t c = 0; c < rows->n_columns; c++)
		print_field(out->file, rows->names[c], c + 1 == rows->n_columns);
	for (size_t i = 0; i < rows->n * rows->n_columns; i++)
		print_value(out, &rows->values[i], (i + 1) % rows->n_columns == 0);
}

/* ---- rows that are printed as they come ---- */

/* Columns become wider with what comes, and not narrower. */
static void print_record_cells(
	struct cli_output *out, const struct query *q, const struct query_value *row, struct query_printed *printed)
{
	struct column columns[RECORD_COLUMNS] = {{0}};
	const char *heads[RECORD_COLUMNS];
	size_t n = query_columns(q) < RECORD_COLUMNS ? query_columns(q) : RECORD_COLUMNS;
	char text[CELL];

	for (size_t c = 0; c < n; c++) {
		int width;

		heads[c] = query_column(q, c);
		columns[c].left = row && is_left(&row[c]);
		columns[c].has_stacks = query_column_is_stack(q, c);
		if (row && !columns[c].has_stacks)
			query_value_text(out, text, sizeof(text), &row[c]);
		else
			cli_clean_text(text, sizeof(text), heads[c]);
		width = cli_width(text);
		printed->width[c] = width > printed->width[c] ? width : printed->width[c];
		columns[c].width = printed->width[c];
	}
	print_line(out, n, columns, heads, row);
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
	for (size_t c = 0; c < query_columns(q); c++)
		if (row)
			print_value(out, &row[c], c + 1 == query_columns(q));
		else
			print_field(out->file, query_column(q, c), c + 1 == query_columns(q));
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
		for (size_t c = 0; row && first && c < query_columns(q) && c < RECORD_COLUMNS; c++) {
			char text[CELL];

			if (query_column_is_stack(q, c))
				continue;
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
