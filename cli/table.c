/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps and records as tables. A column is as wide as its widest cell. Numbers are aligned to the right, texts to the
 * left.
 *
 * Keys have a column for each part. So have values, if they fit; a stat or a set of quantiles makes several.
 * Histograms don't fit into a line, and are drawn below the entry that they belong to.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MAX_COLUMNS = 64, CELL = 160 };

/* What is printed of one field in one column. */
enum aspect { WHOLE, COUNT, SUM, MIN, MAX, MEAN, KEY, VALUE, ERROR, THREAD, DUMP, NUMBER };

struct column {
	uint32_t part; /* of the field */
	enum aspect aspect;
	size_t rank; /* QUANTILES */
	bool left;
	int width;
	char head[CELL];
};

struct table {
	struct cli_output *out;
	const struct ward_field *field;
	struct column columns[MAX_COLUMNS];
	size_t n;
	bool has_bars;
};

/* Characters, as a terminal shows one column for each of them. */
static int width_of(const char *text)
{
	int n = 0;
	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static void add_column(struct table *t, uint32_t part, enum aspect aspect, const char *name, const char *of, bool left)
{
	if (t->n == MAX_COLUMNS)
		return;
	struct column *c = &t->columns[t->n++];
	*c = (struct column){.part = part, .aspect = aspect, .left = left};
	snprintf(c->head, sizeof(c->head), *of && *name ? "%s.%s" : "%s%s", name, of);
	c->width = width_of(c->head);
}

static void add_part_columns(struct table *t, uint32_t i)
{
	const struct ward_field *part = &t->field->parts[i];
	const char *name = strcmp(part->name, "value") == 0 ? "" : part->name;
	if (part->kind == WARD_FIELD_LOG2 || part->kind == WARD_FIELD_LINEAR) {
		t->has_bars = true;
	} else if (part->kind == WARD_FIELD_STAT) {
		static const char *const names[] = {"count", "sum", "min", "max", "mean"};
		for (int a = 0; a < 5; a++)
			add_column(t, i, (enum aspect)(COUNT + a), name, names[a], false);
	} else {
		add_column(t, i, WHOLE, part->name, "",
			part->kind == WARD_FIELD_TEXT || part->kind == WARD_FIELD_QUANTILES || part->is_address ||
				part->is_site || part->enumeration);
	}
}

static void number(char text[CELL], uint64_t value, bool is_signed)
{
	snprintf(text, CELL, is_signed ? "%" PRId64 : "%" PRIu64, value);
}

/* A part of a key, a value or a record. */
static void part_text(const struct table *t, char text[CELL], enum aspect aspect, const struct ward_field *f)
{
	if (f->kind == WARD_FIELD_STAT && aspect != COUNT && f->is_empty) {
		snprintf(text, CELL, "-");
		return;
	}
	switch (aspect) {
	case COUNT: number(text, f->count, false); return;
	case SUM: number(text, f->value, f->value_is_signed); return;
	case MIN: number(text, f->min, f->value_is_signed); return;
	case MAX: number(text, f->max, f->value_is_signed); return;
	case MEAN: snprintf(text, CELL, "%.2f", f->real); return;
	default: cli_field_text(t->out, text, CELL, f);
	}
}

/* `e` may be the entry of all keys without room, which has no key. */
static void entry_text(char text[CELL], const struct table *t, const struct column *c, const struct ward_map_entry *e)
{
	const struct ward_field *f = t->field;
	bool has_key = e != f->other;
	switch (c->aspect) {
	case KEY:
		if (!has_key)
			snprintf(text, CELL, "other");
		else if (f->is_address)
			cli_address_text(t->out, text, CELL, e->key);
		else if (f->is_site)
			cli_site_text(t->out, text, CELL, e->key);
		else if (!ward_enumeration_name(f->enumeration, e->key, text, CELL))
			number(text, e->key, f->key_is_signed);
		return;
	case VALUE: number(text, e->value, f->value_is_signed); return;
	case ERROR: number(text, e->error, false); return;
	default:
		if (c->part >= f->n_keys)
			part_text(t, text, c->aspect, &e->values[c->part - f->n_keys]);
		else if (has_key)
			part_text(t, text, c->aspect, &e->keys[c->part]);
		else
			snprintf(text, CELL, "%s", c->part == 0 ? "other" : "");
	}
}

static void record_text(char text[CELL], const struct table *t, const struct column *c, const struct ward_record *r)
{
	switch (c->aspect) {
	case THREAD: number(text, r->thread, false); return;
	case NUMBER: number(text, r->number, false); return;
	case DUMP:
		if (r->dump < t->field->n_dumps)
			number(text, r->dump + 1, false);
		else
			snprintf(text, CELL, "-");
		return;
	default: part_text(t, text, c->aspect, &r->members[c->part]);
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

static void widen(struct table *t, const struct ward_map_entry *e, const struct ward_record *r)
{
	char text[CELL];
	for (size_t i = 0; i < t->n; i++) {
		struct column *c = &t->columns[i];
		cell_text(text, t, c, e, r);
		int width = width_of(text);
		c->width = width > c->width ? width : c->width;
	}
}

static void print_cell(struct table *t, size_t i, const char *text)
{
	const struct column *c = &t->columns[i];
	int blanks = c->width - width_of(text);
	fprintf(t->out->file, "  %*s%s", c->left ? 0 : blanks, "", text);
	if (c->left && i + 1 < t->n) /* no blanks at the end of a line */
		fprintf(t->out->file, "%*s", blanks, "");
}

static void print_row(struct table *t, const struct ward_map_entry *e, const struct ward_record *r)
{
	char text[CELL];
	for (size_t i = 0; i < t->n; i++) {
		cell_text(text, t, &t->columns[i], e, r);
		print_cell(t, i, text);
	}
	fputc('\n', t->out->file);
	for (uint32_t v = 0; t->has_bars && e && v < t->field->n_values; v++) {
		const struct ward_field *f = &e->values[v];
		if (f->kind == WARD_FIELD_LOG2 || f->kind == WARD_FIELD_LINEAR)
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

void cli_table_entries(struct cli_output *out, const struct ward_field *f)
{
	struct table t = {.out = out, .field = f};
	if (f->n_keys == 0)
		add_column(&t, 0, KEY, "key", "", f->is_address || f->is_site || f->enumeration);
	for (uint32_t i = 0; i < f->n_keys + f->n_values; i++)
		add_part_columns(&t, i);
	if (f->n_values == 0)
		add_column(&t, 0, VALUE,
			f->kind == WARD_FIELD_MAP   ? "value"
			: f->kind == WARD_FIELD_TOP ? "at most"
						    : "at least",
			"", false);
	if (f->kind == WARD_FIELD_TOP)
		add_column(&t, 0, ERROR, "error", "", false);
	for (size_t i = 0; i < f->n; i++)
		widen(&t, &f->entries[i], NULL);
	if (f->other)
		widen(&t, f->other, NULL);
	if (f->n || f->other)
		print_heads(&t);
	for (size_t i = 0; i < f->n; i++)
		print_row(&t, &f->entries[i], NULL);
	if (f->other)
		print_row(&t, f->other, NULL);
	print_unlisted(&t);
	if (f->kind == WARD_FIELD_CHOPSTIX)
		fprintf(out->file, "  of %" PRIu64 " events\n", f->value);
	if (f->lost && f->kind == WARD_FIELD_CHOPSTIX)
		fprintf(out->file, "  %" PRIu64 " samples overwritten\n", f->lost);
	else if (f->lost)
		fprintf(out->file, "  %" PRIu64 " lost: the map was full\n", f->lost);
	if (f->evicted)
		fprintf(out->file, "  %" PRIu64 " made room for others\n", f->evicted);
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
	if (f->kind == WARD_FIELD_FLIGHT)
		add_column(&t, 0, DUMP, "dump", "", false);
	if (of_several_threads(f))
		add_column(&t, 0, THREAD, "thread", "", false);
	for (uint32_t i = 0; i < f->n_values; i++)
		add_part_columns(&t, i);
	for (size_t i = 0; i < f->n; i++)
		widen(&t, NULL, &f->records[i]);
	if (f->n)
		print_heads(&t);
	for (size_t i = 0; i < f->n; i++)
		print_row(&t, NULL, &f->records[i]);
	if (f->lost)
		fprintf(out->file,
			f->kind == WARD_FIELD_FLIGHT ? "  %" PRIu64 " triggers missed\n"
						     : "  %" PRIu64 " overwritten\n",
			f->lost);
}
