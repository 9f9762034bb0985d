/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward query --export: a row of groups becomes a stack, whose weight is its first count or sum. The parts of the key
 * are its frames: of stacks all of their functions, behind the other parts, which are outermost.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query_command.h"
#include "verifier/tool/report.h"

enum { MOST_FRAMES = 512, PART = 400 };

/* The column that is the weight; as many as there are: none. */
static size_t weight_column(const struct query *q)
{
	size_t i = 0;

	while (i < query_columns(q) && !query_column_adds_up(q, i))
		i++;
	return i;
}

int query_export_open(struct query_command *c)
{
	struct export_files *x = &c->exports;
	size_t weight;

	if (x->n == 0)
		return CLI_OK;
	if (c->stream.live || c->stream.deltas)
		return cli_usage(&cmd_query, "--export writes the rows of the end: without --live and --deltas");
	if (query_has_records(c->query) || query_window_step(c->query) || query_module_of(c->query))
		return cli_usage(&cmd_query, "--export is of groups: no rows of single events, windows, or Probe");
	weight = weight_column(c->query);
	if (weight == query_columns(c->query))
		return cli_usage(&cmd_query, "--export wants a count or a sum of each key: CountBy(stack)");
	cli_clean_text(x->measure_name, sizeof(x->measure_name), query_column(c->query, weight));
	x->measure = (struct export_measure){
		x->measure_name, query_column_is_duration(c->query, weight) ? "nanoseconds" : "count"};
	return export_files_open_stacks(x);
}

/* What a row's frames are made of. */
struct frames {
	struct export_frame frame[MOST_FRAMES];
	size_t n;
	char *text[QUERY_MOST_COLUMNS]; /* to be freed */
	size_t n_texts;
};

static void add_text(struct frames *f, char *text, bool is_stack)
{
	if (!text || f->n_texts == QUERY_MOST_COLUMNS) {
		free(text);
		return;
	}
	f->text[f->n_texts++] = text;
	if (is_stack)
		f->n += export_files_frames(text, f->frame + f->n, MOST_FRAMES - f->n);
	else if (f->n < MOST_FRAMES)
		f->frame[f->n++] = (struct export_frame){.function = text};
}

/* A number alone says nothing: its name is before it. */
static void add_part(struct frames *f, const struct cli_output *out, const char *name, const struct query_value *v)
{
	bool is_name = v->kind == QUERY_TEXT || v->kind == QUERY_ADDRESS || v->kind == QUERY_SITE;
	char value[PART], *text = NULL;

	query_value_text(out, value, sizeof(value), v);
	if (asprintf(&text, "%s%s%s", is_name ? "" : name, is_name ? "" : "=", value) < 0)
		text = NULL;
	add_text(f, text, false);
}

static int64_t row_weight(const struct query_value *v)
{
	if (v->kind == QUERY_DURATION || v->kind == QUERY_REAL)
		return v->real > 0 && v->real < 9e18 ? (int64_t)v->real : 0;
	return v->number <= INT64_MAX ? (int64_t)v->number : 0;
}

static void row_put(struct query_command *c, const struct query_rows *rows, const struct query_value *row)
{
	const struct cli_output *out = &c->trace.out;
	struct frames f = {.n = 0};
	size_t n = query_columns(c->query) < rows->n_columns ? query_columns(c->query) : rows->n_columns;

	for (size_t i = n; i-- > 0;) /* the last one is the innermost: new { ustack, stack } */
		if (query_column_is_key(c->query, i) && row[i].is_stack)
			add_text(&f, query_stack_text(out, &row[i]), true);
	for (size_t i = n; i-- > 0;)
		if (query_column_is_key(c->query, i) && !row[i].is_stack)
			add_part(&f, out, rows->names[i], &row[i]);
	if (f.n == 0)
		f.frame[f.n++] = (struct export_frame){.function = "(no stack)"};
	export_files_stack(&c->exports, f.frame, f.n, row_weight(&row[weight_column(c->query)]));
	for (size_t i = 0; i < f.n_texts; i++)
		free(f.text[i]);
}

int query_export_write(struct query_command *c, const struct query_rows *rows)
{
	int status;

	if (c->exports.n == 0 || weight_column(c->query) >= rows->n_columns)
		return CLI_OK;
	status = export_files_begin_titled(&c->exports, c->name);
	for (size_t i = 0; status == CLI_OK && i < rows->n; i++)
		row_put(c, rows, &rows->values[i * rows->n_columns]);
	return status;
}
