/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps and records as tables. A column is as wide as its widest cell. Numbers are aligned to the right, texts to the
 * left.
 *
 * Keys and values have a column for each part, or for each result of a part, as its kind says (struct ward_kind).
 * Histograms don't fit into a line, and are drawn below the entry that they belong to. Stacks are the last column, one
 * frame below the other, the innermost first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "verifier/tool/report.h"

enum { MAX_COLUMNS = 64, CELL = 160 };

/* What a column is of: all of a part, one of its results, or what stands beside the parts. */
enum aspect { WHOLE, RESULT, KEY, VALUE, ERROR, THREAD, DUMP };

struct column {
	enum aspect aspect;
	uint32_t part;   /* of the field */
	unsigned result; /* which one */
	bool left;
	bool has_stacks;
	int width;
	char head[CELL];
};

struct table {
	struct cli_output *out;
	const struct ward_field *field;
	struct column columns[MAX_COLUMNS];
	size_t n, n_stacks; /* columns; the last of them have stacks */
	bool has_bars;
};

static struct column *add_column(struct table *t, enum aspect aspect, const char *head, bool left)
{
	if (t->n == MAX_COLUMNS)
		return NULL;
	struct column *c = &t->columns[t->n++];
	*c = (struct column){.aspect = aspect, .left = left};
	snprintf(c->head, sizeof(c->head), "%s", head);
	c->width = cli_width(c->head);
	return c;
}

/* The results of a part, which have a column each. */
struct adding {
	struct table *table;
	uint32_t part;
	unsigned n;
};

static void add_result_column(void *user, const struct ward_result *r)
{
	struct adding *a = user;
	const char *part = a->table->field->parts[a->part].name;
	bool is_value = strcmp(part, "value") == 0;
	char head[CELL];
	snprintf(head, sizeof(head), "%s%s%s", is_value ? "" : part, is_value ? "" : ".", r->name);
	struct column *c = add_column(a->table, RESULT, head, false);
	if (!c)
		return;
	c->part = a->part;
	c->result = a->n++;
}

static void add_part_columns(struct table *t, uint32_t i)
{
	const struct ward_field *part = &t->field->parts[i];
	const struct ward_kind *kind = ward_kind(part->kind);
	if (kind->form == WARD_FORM_BUCKETS) {
		t->has_bars = true;
	} else if (kind->has_columns) {
		struct adding adding = {t, i, 0};
		ward_field_results(part, add_result_column, &adding);
	} else {
		bool left = kind->is_left || part->is_address || part->is_site || part->enumeration;
		struct column *c = add_column(t, WHOLE, part->name, left);
		if (c)
			c->part = i;
	}
}

static void number_text(char text[CELL], uint64_t value, bool is_signed)
{
	snprintf(text, CELL, is_signed ? "%" PRId64 : "%" PRIu64, value);
}

/* A result that is looked for. */
struct wanted {
	const struct cli_output *out;
	unsigned before; /* results that come first */
	char *text;
};

static void time_text(const struct cli_output *out, const struct ward_result *r, char text[CELL])
{
	bool is_real = r->type == WARD_RESULT_REAL || r->type == WARD_RESULT_WIDE;
	ward_time_text(is_real ? r->real : (double)r->number, text, CELL);
	cli_plain_units(out, text);
}

static void print_result(void *user, const struct ward_result *r)
{
	struct wanted *w = user;
	if (w->before-- != 0)
		return;
	if (r->unit == WARD_UNIT_NS && r->type != WARD_RESULT_NONE) {
		time_text(w->out, r, w->text);
		return;
	}
	switch (r->type) {
	case WARD_RESULT_UNSIGNED: number_text(w->text, r->number, false); break;
	case WARD_RESULT_SIGNED: number_text(w->text, r->number, true); break;
	case WARD_RESULT_REAL: snprintf(w->text, CELL, "%.2f", r->real); break;
	case WARD_RESULT_WIDE: snprintf(w->text, CELL, "%s", r->text); break;
	default: snprintf(w->text, CELL, "-");
	}
}

/* A part of a key, a value or a record. Where it is of no numbers only the first result, how many, is printed. */
static void part_text(const struct table *t, char text[CELL], const struct column *c, const struct ward_field *f,
	struct cli_origin from)
{
	struct wanted wanted = {t->out, c->result, text};
	if (c->aspect != RESULT)
		cli_field_text(t->out, text, CELL, f, from);
	else if (f->is_empty && c->result > 0)
		snprintf(text, CELL, "-");
	else
		ward_field_results(f, print_result, &wanted);
}

/* `e` may be the entry of all keys without room, which has no key. */
static void entry_text(char text[CELL], const struct table *t, const struct column *c, const struct ward_map_entry *e)
{
	const struct ward_field *f = t->field;
	bool has_key = e != f->other;
	struct cli_origin from = {.thread = e->thread};
	switch (c->aspect) {
	case KEY:
		if (!has_key)
			snprintf(text, CELL, "other");
		else if (f->is_address)
			cli_address_text(t->out, text, CELL, e->key, from);
		else if (f->is_site)
			cli_site_text(t->out, text, CELL, e->key);
		else if (!ward_enumeration_name(f->enumeration, e->key, text, CELL))
			number_text(text, e->key, f->key_is_signed);
		return;
	case VALUE: number_text(text, e->value, f->value_is_signed); return;
	case ERROR: number_text(text, e->error, false); return;
	default:
		if (c->part >= f->n_keys)
			part_text(t, text, c, &e->values[c->part - f->n_keys], from);
		else if (has_key)
			part_text(t, text, c, &e->keys[c->part], from);
		else
			snprintf(text, CELL, "%s", c->part == 0 ? "other" : "");
	}
}

static void record_text(char text[CELL], const struct table *t, const struct column *c, const struct ward_record *r)
{
	switch (c->aspect) {
	case THREAD: number_text(text, r->thread, false); return;
	case DUMP:
		if (r->dump < t->field->n_dumps)
			number_text(text, r->dump + 1, false);
		else
			snprintf(text, CELL, "-");
		return;
	default: part_text(t, text, c, &r->members[c->part], cli_record_origin(t->field, r));
	}
}

/* A row's cell, whatever the rows are. */
static void cell_text(char text[CELL], const struct table *t, const struct column *c, const struct ward_map_entry *e,
	const struct ward_record *r)
{
	if (e)
		entry_text(text, t, c, e);
	else
		record_text(text, t, c, r);
}

/* ---- Stacks ---- */

/* The part that a cell shows all of, or NULL. */
static const struct ward_field *cell_part(
	const struct table *t, const struct column *c, const struct ward_map_entry *e, const struct ward_record *r)
{
	const struct ward_field *f = t->field;
	if (c->aspect != WHOLE || (e && c->part < f->n_keys && e == f->other))
		return NULL;
	return r ? &r->members[c->part] : c->part < f->n_keys ? &e->keys[c->part] : &e->values[c->part - f->n_keys];
}

/* The address in a cell, if it is of that kind. */
static bool cell_address(const struct table *t, const struct column *c, const struct ward_map_entry *e,
	const struct ward_record *r, uint64_t *address)
{
	const struct ward_field *f = t->field, *part = cell_part(t, c, e, r);
	bool has_key = e && e != f->other;
	if (c->aspect == KEY) {
		*address = has_key ? e->key : 0;
		return has_key && f->is_address;
	}
	*address = part ? part->value : 0;
	return part && part->is_address;
}

static char *cell_stack(
	const struct table *t, const struct column *c, const struct ward_map_entry *e, const struct ward_record *r)
{
	struct cli_origin from = e ? (struct cli_origin){.thread = e->thread} : cli_record_origin(t->field, r);
	const struct ward_field *text = cell_part(t, c, e, r);
	uint64_t address;
	if (text && text->is_stack && text->kind == WARD_FIELD_TEXT) /* of another machine, which has named it */
		return text_clean(text->text);
	return cell_address(t, c, e, r, &address) ? cli_stack_text(t->out, address, from) : NULL;
}

static void see_stacks(struct table *t, const struct ward_map_entry *e, const struct ward_record *r)
{
	for (size_t i = 0; i < t->n; i++) {
		struct column *c = &t->columns[i];
		char *stack = c->has_stacks ? NULL : cell_stack(t, c, e, r);
		c->has_stacks |= stack != NULL;
		free(stack);
	}
}

/* Columns of stacks come last. */
static void columns_order(struct table *t)
{
	struct column *all = calloc(t->n + 1, sizeof(*all));
	size_t n = 0;
	if (!all)
		return;
	memcpy(all, t->columns, t->n * sizeof(*all));
	for (int stacks = 0; stacks < 2; stacks++)
		for (size_t i = 0; i < t->n; i++)
			if (all[i].has_stacks == stacks)
				t->columns[n++] = all[i];
	for (size_t i = 0; i < n; i++)
		t->n_stacks += t->columns[i].has_stacks;
	free(all);
}

void cli_print_stack(FILE *file, int blanks, bool first, const char *name, char *frames)
{
	const char *last;
	fprintf(file, "%*s", first ? 0 : blanks, "");
	if (name)
		fprintf(file, "%s:\n%*s", name, blanks, "");
	for (; (last = strrchr(frames, ';')); frames[last - frames] = 0)
		fprintf(file, "%s\n%*s", last + 1, blanks, "");
	fprintf(file, "%s\n", frames);
}

/* The last columns of a line that is `blanks` wide so far; some cells have no stack. Of several, each has its name. */
static void print_stacks(struct table *t, int blanks, const struct ward_map_entry *e, const struct ward_record *r)
{
	char text[CELL];
	fputs("  ", t->out->file);
	for (size_t i = t->n - t->n_stacks; i < t->n; i++) {
		char *stack = cell_stack(t, &t->columns[i], e, r);
		cell_text(text, t, &t->columns[i], e, r);
		cli_print_stack(t->out->file, blanks + 2, i == t->n - t->n_stacks,
			t->n_stacks > 1 ? t->columns[i].head : NULL, stack ? stack : text);
		free(stack);
	}
}

static void columns_widen(struct table *t, const struct ward_map_entry *e, const struct ward_record *r)
{
	char text[CELL];
	for (size_t i = 0; i < t->n - t->n_stacks; i++) {
		struct column *c = &t->columns[i];
		cell_text(text, t, c, e, r);
		int width = cli_width(text);
		c->width = width > c->width ? width : c->width;
	}
}

static void print_cell(struct table *t, size_t i, const char *text)
{
	const struct column *c = &t->columns[i];
	int blanks = c->width - cli_width(text);
	fprintf(t->out->file, "  %*s%s", c->left ? 0 : blanks, "", text);
	if (c->left && i + 1 < t->n) /* no blanks at the end of a line */
		fprintf(t->out->file, "%*s", blanks, "");
}

static void print_row(struct table *t, const struct ward_map_entry *e, const struct ward_record *r)
{
	char text[CELL];
	int width = 0;
	for (size_t i = 0; i < t->n - t->n_stacks; i++) {
		cell_text(text, t, &t->columns[i], e, r);
		print_cell(t, i, text);
		width += 2 + t->columns[i].width;
	}
	if (t->n_stacks)
		print_stacks(t, width, e, r);
	else
		fputc('\n', t->out->file);
	for (uint32_t v = 0; t->has_bars && e && v < t->field->n_values; v++) {
		const struct ward_field *f = &e->values[v];
		if (ward_kind(f->kind)->form != WARD_FORM_BUCKETS)
			continue;
		if (strcmp(f->name, "value") != 0)
			fprintf(t->out->file, "  %s\n", f->name);
		cli_print_bars(t->out, f);
	}
}

static void print_heads(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		print_cell(t, i, t->columns[i].head);
	fputc('\n', t->out->file);
}

static void print_unlisted(struct table *t)
{
	if (t->field->unlisted)
		fprintf(t->out->file, "  and %" PRIu64 " more\n", t->field->unlisted);
}

/* The lines below a table. */
static void print_rest(struct table *t)
{
	char text[400];
	ward_field_text(t->field, text, sizeof(text));
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		fprintf(t->out->file, "  %.*s\n", (int)n, line);
		line += n + (line[n] != 0);
	}
}

void cli_table_entries(struct cli_output *out, const struct ward_field *f)
{
	const struct ward_kind *kind = ward_kind(f->kind);
	struct table t = {.out = out, .field = f};
	if (f->n_keys == 0)
		add_column(&t, KEY, kind->key ? kind->key : "key", f->is_address || f->is_site || f->enumeration);
	for (uint32_t i = 0; i < f->n_keys + f->n_values; i++)
		add_part_columns(&t, i);
	if (f->n_values == 0)
		add_column(&t, VALUE, kind->entry, false);
	if (kind->has_error)
		add_column(&t, ERROR, "error", false);
	for (size_t i = 0; i < f->n; i++)
		see_stacks(&t, &f->entries[i], NULL);
	columns_order(&t);
	for (size_t i = 0; i < f->n; i++)
		columns_widen(&t, &f->entries[i], NULL);
	if (f->other)
		columns_widen(&t, f->other, NULL);
	if (f->n || f->other)
		print_heads(&t);
	for (size_t i = 0; i < f->n; i++)
		print_row(&t, &f->entries[i], NULL);
	if (f->other)
		print_row(&t, f->other, NULL);
	print_unlisted(&t);
	print_rest(&t);
}

static bool of_several_threads(const struct ward_field *f)
{
	for (size_t i = 1; i < f->n; i++)
		if (f->records[i].thread != f->records[0].thread)
			return true;
	return false;
}

void cli_table_records(struct cli_output *out, const struct ward_field *f)
{
	struct table t = {.out = out, .field = f};
	if (f->n_dumps)
		add_column(&t, DUMP, "dump", false);
	if (of_several_threads(f))
		add_column(&t, THREAD, "thread", false);
	for (uint32_t i = 0; i < f->n_values; i++)
		add_part_columns(&t, i);
	for (size_t i = 0; i < f->n; i++)
		see_stacks(&t, NULL, &f->records[i]);
	columns_order(&t);
	for (size_t i = 0; i < f->n; i++)
		columns_widen(&t, NULL, &f->records[i]);
	if (f->n)
		print_heads(&t);
	for (size_t i = 0; i < f->n; i++)
		print_row(&t, NULL, &f->records[i]);
	print_rest(&t);
}
