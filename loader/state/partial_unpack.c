/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a partial (spec/partial.md). They may come from anybody: each number is checked before it is used, and the
 * checks are cited by their numbers. The shape is the schema's; the message only fills it.
 */
#include <partial.pb-c.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partial_wire.h"

#include "loader/base/arena.h"
#include "loader/base/error.h"
#include "loader/state/kinds/words.h"

/* Memory of the message while it is read: bytes for each field of the shape, and in any case. */
enum { ARENA_FIELD = 512, ARENA_MORE = 64 << 10 };

struct reader {
	ward_partial *p;
	const Ward__Partial *m;
	const uint8_t **strings;
	const struct partial_field *field; /* which is being read; or NULL */
	const struct wire_form *wires;     /* of its parts, while rows are read */
	struct ward_error *err;
};

/* Refuse the message: the check, and what is wrong. */
__attribute__((format(printf, 3, 4))) static bool refuse(const struct reader *r, const char *rule, const char *why, ...)
{
	char text[192];
	va_list args;
	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	if (r->field)
		wl_fail(r->err, WARD_E_USAGE, "partial", "%s: %s (%s)", r->field->f->name, text, rule);
	else
		wl_fail(r->err, WARD_E_USAGE, "partial", "%s (%s)", text, rule);
	wl_hint(r->err, "%s",
		"spec/partial.md has the rule; it may be of another module, or of another version of Ward");
	return false;
}

/* ---- strings ---- */

/* W-05: find each string's place. */
static bool read_strings(struct reader *r, struct heap *heap)
{
	const Ward__Partial *m = r->m;
	size_t at = 0;
	r->strings = heap_take(heap, m->n_text_size, sizeof(*r->strings));
	if (!r->strings)
		return partial_fail(NULL, "", r->err) == WARD_OK;
	for (size_t i = 0; i < m->n_text_size; i++) {
		size_t size = m->text_size[i], before = i ? m->text_size[i - 1] : 0;
		if (size > m->text.len - at)
			return refuse(r, "W-05", "string %zu ends behind the table", i);
		r->strings[i] = m->text.data ? m->text.data + at : (const uint8_t *)"";
		if (memchr(r->strings[i], 0, size))
			return refuse(r, "W-05", "string %zu has a zero byte", i);
		int order = i ? memcmp(r->strings[i - 1], r->strings[i], before < size ? before : size) : -1;
		if (order > 0 || (order == 0 && before >= size))
			return refuse(r, "W-05", "string %zu isn't above the one before it", i);
		at += size;
	}
	return at == m->text.len || refuse(r, "W-05", "the table is longer than its strings");
}

/* Put down a string as the words of a text. */
static bool read_string(const struct reader *r, struct rows *rows, const struct state_field *part, uint64_t index)
{
	bool is_name = part_is_name(part, r->p->is_named);
	if (index >= r->m->n_text_size)
		return refuse(r, "W-10", "there is no string %llu", (unsigned long long)index);
	size_t size = r->m->text_size[index];
	uint64_t most = is_name ? part_form(part, true).cells * 8ull : part->n;
	if (size > most)
		return refuse(r, "W-09", "a text has %zu bytes of at most %llu", size, (unsigned long long)most);
	part_put_text(rows, (const char *)r->strings[index], size);
	return true;
}

/* ---- numbers ---- */

/* Numbers that are read one after the other. A column without any is all zeros. */
struct source {
	const uint64_t *number;
	size_t n, at;
	const uint32_t *string;
	size_t n_strings;
};

static bool next_number(const struct reader *r, struct source *s, uint64_t *number)
{
	*number = 0;
	if (s->at == s->n && s->n)
		return refuse(r, "W-07", "numbers are missing");
	if (s->n)
		*number = s->number[s->at++];
	return true;
}

/* W-11, W-12: read the words of a value; each from its own source, or all from one. */
static bool read_words(const struct reader *r, struct source *s, bool from_one, struct rows *rows,
	const struct state_field *part, struct part_form form)
{
	const struct wl_kind *kind = wl_kind_at(part->kind);
	uint64_t n = 0, first = 0, number;
	size_t start = rows->n_words;
	for (uint32_t i = 0; i < form.fixed; i++) {
		if (!next_number(r, from_one ? s : &s[i], &number))
			return false;
		rows_put_word(rows, kind->wire ? words_from_wire(kind->wire(part, i), number) : number);
	}
	if (form.cells) {
		struct source *cells = from_one ? s : &s[form.fixed];
		if (!next_number(r, cells, &n) || (n && !next_number(r, cells, &first)))
			return false;
		if (n > form.cells || first > form.cells - n)
			return refuse(r, "W-11", "cells are beyond the last one, %u", form.cells - 1);
		if (n > cells->n - cells->at)
			return refuse(r, "W-07", "numbers are missing");
		rows_put_word(rows, first << 32 | n);
		rows_copy(rows, cells->number + cells->at, n);
		cells->at += n;
		if (n && (!cells->number[cells->at - n] || !cells->number[cells->at - 1]))
			return refuse(r, "W-11", "the first or the last cell is 0");
	}
	if (rows->has_failed || !kind->check)
		return true; /* a failure is found at the end */
	struct wl_words words;
	part_read(form, rows->words + start, &words);
	return kind->check(part, &words) || refuse(r, "W-12", "no %s is like that", kind->shown.name);
}

static bool read_value(const struct reader *r, struct source *s, bool from_one, struct rows *rows,
	const struct state_field *part, struct part_form form)
{
	uint64_t index;
	if (part->kind != WARD_FIELD_TEXT)
		return read_words(r, s, from_one, rows, part, form);
	if (from_one)
		return next_number(r, s, &index) && read_string(r, rows, part, index);
	if (s->at == s->n_strings)
		return refuse(r, "W-07", "strings are missing");
	return read_string(r, rows, part, s->string[s->at++]);
}

/* ---- keys ---- */

/* The word before, in a column that has differences. */
struct last_key {
	uint64_t word;
	bool is_there;
};

/* W-09: does a number fit an integer's bits? */
static bool fits(const struct state_int *scalar, uint64_t number)
{
	unsigned bits = scalar->bits ? scalar->bits : 8u * scalar->size;
	if (bits >= 64)
		return true;
	if (scalar->is_signed)
		return (uint64_t)((int64_t)(number << (64 - bits)) >> (64 - bits)) == number;
	return number >> bits == 0;
}

static bool read_key_word(const struct reader *r, struct source *s, struct rows *rows, const struct state_field *part,
	uint32_t i, struct last_key *last)
{
	bool is_wide = part->kind == WARD_FIELD_WIDE;
	uint64_t number, word;
	if (s->at == s->n)
		return refuse(r, "W-07", "keys are missing");
	number = s->number[s->at++];
	if (!last || !last->is_there)
		word = words_from_wire(wire_of(part, i), number);
	else if (__builtin_add_overflow(last->word, number, &word))
		return refuse(r, "W-08", "keys don't ascend");
	if (last)
		*last = (struct last_key){word, true};
	number = part->scalar.is_signed && i == 0 && part->kind != WARD_FIELD_REAL ? words_ordered(word, true) : word;
	if (!is_wide && !fits(&part->scalar, number))
		return refuse(r, "W-09", "a key is no number of %u bits",
			part->scalar.bits ? part->scalar.bits : 8u * part->scalar.size);
	if (wl_kind_at(r->field->f->kind)->entries->is_array && word >= r->field->f->map.n)
		return refuse(r, "W-09", "there is no element %llu", (unsigned long long)word);
	rows_put_word(rows, word);
	return true;
}

/* `last`: of the first column, which has differences. */
static bool read_key(const struct reader *r, struct source **s, struct rows *rows, uint32_t at, struct last_key *last)
{
	const struct state_field *part = &r->field->parts[at];
	struct wire_form form = r->wires[at];
	if (form.is_string) {
		struct source *from = (*s)++;
		if (from->at == from->n_strings)
			return refuse(r, "W-07", "strings are missing");
		return read_string(r, rows, part, from->string[from->at++]);
	}
	for (uint32_t i = 0; i < form.first; i++)
		rows_put_word(rows, 0);
	for (uint32_t i = 0; i < form.fixed; i++)
		if (!read_key_word(r, (*s)++, rows, part, form.first + i, i == 0 ? last : NULL))
			return false;
	return true;
}

/* W-08 */
static bool check_order(const struct reader *r, const struct partial_field *p)
{
	size_t n = p->rows.n;
	if (n < 2 || p->rows.has_failed)
		return true;
	const uint64_t *before = rows_at(&p->rows, n - 2) + p->beside, *last = rows_at(&p->rows, n - 1) + p->beside;
	return part_compare_keys(p, before, last) < 0 || refuse(r, "W-08", "keys don't ascend");
}

/* ---- fields ---- */

static struct source *make_sources(Ward__Column **columns, size_t n, struct heap *heap)
{
	struct source *s = heap_take(heap, n, sizeof(*s));
	for (size_t i = 0; s && i < n; i++)
		s[i] = (struct source){.number = columns[i]->number,
			.n = columns[i]->n_number,
			.string = columns[i]->string,
			.n_strings = columns[i]->n_string};
	return s;
}

/* W-07: was all of it read? */
static bool check_end(const struct reader *r, const struct source *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].at != (s[i].n_strings ? s[i].n_strings : s[i].n) || (s[i].n && s[i].n_strings))
			return refuse(r, "W-07", "a column has more than there are entries");
	return true;
}

static bool read_row(const struct reader *r, struct partial_field *p, struct source *key, struct source *value,
	struct last_key *last)
{
	uint64_t number;
	rows_begin(&p->rows);
	rows_put_word(&p->rows, WARD_ANY_THREAD);
	for (uint32_t i = 0; i < wire_beside(p); i++) {
		if (!next_number(r, value++, &number))
			return false;
		rows_put_word(&p->rows, number);
	}
	for (uint32_t i = 0; i < p->n_keys; i++)
		if (!read_key(r, &key, &p->rows, i, i == 0 ? last : NULL))
			return false;
	for (uint32_t i = p->n_keys; i < p->n_keys + p->n_values; i++) {
		if (!read_value(r, value, false, &p->rows, &p->parts[i], p->forms[i]))
			return false;
		value += wire_columns(r->wires[i]);
	}
	return check_order(r, p);
}

/* The value of keys without room. */
static bool read_other(const struct reader *r, struct partial_field *p, const Ward__Field *from)
{
	struct source s = {.number = from->other, .n = from->n_other};
	rows_begin(&p->other);
	for (uint32_t i = p->n_keys; i < p->n_keys + p->n_values; i++)
		if (!read_value(r, &s, true, &p->other, &p->parts[i], p->forms[i]))
			return false;
	return s.at == s.n || refuse(r, "W-07", "numbers are left over");
}

/* W-06: as many columns as the shape says. */
static bool check_columns(const struct reader *r, const struct partial_field *p, const Ward__Field *from)
{
	size_t keys = 0, values = wire_beside(p);
	for (uint32_t i = 0; i < p->n_keys + p->n_values; i++)
		*(i < p->n_keys ? &keys : &values) += wire_columns(r->wires[i]);
	return (from->n_key == keys && from->n_value == values) ||
	       refuse(r, "W-06", "it has %zu and %zu columns in the place of %zu and %zu", from->n_key, from->n_value,
		       keys, values);
}

static bool read_rows(const struct reader *r, struct partial_field *p, const Ward__Field *from, struct heap *heap)
{
	struct source *key = make_sources(from->key, from->n_key, heap);
	struct source *value = make_sources(from->value, from->n_value, heap);
	struct last_key last = {0};
	bool ok = key && value;
	if (!ok)
		partial_fail(NULL, "", r->err);
	if (ok && from->entries && from->entries == (key->n_strings ? key->n_strings : key->n))
		rows_reserve(&p->rows, from->entries, from->entries * (p->beside + from->n_key + from->n_value));
	for (uint64_t i = 0; ok && i < from->entries && !p->rows.has_failed; i++)
		ok = read_row(r, p, key, value, &last);
	return ok && (p->rows.has_failed || (check_end(r, key, from->n_key) && check_end(r, value, from->n_value)));
}

static struct wire_form *make_wires(const struct reader *r, const struct partial_field *p, struct heap *heap)
{
	struct wire_form *wires = heap_take(heap, p->n_keys + p->n_values, sizeof(*wires));
	for (uint32_t i = 0; wires && i < p->n_keys + p->n_values; i++)
		wires[i] = wire_form(&p->parts[i], r->p->is_named);
	return wires;
}

static bool read_map(struct reader *r, struct partial_field *p, const Ward__Field *from)
{
	struct heap heap = {0};
	if (from->n_number || from->has_registers || (from->n_other && !p->f->map.other))
		return refuse(r, "W-06", "a %s has nothing like that", wl_kind_at(p->f->kind)->shown.name);
	r->wires = make_wires(r, p, &heap);
	bool ok = r->wires ? check_columns(r, p, from) && read_rows(r, p, from, &heap)
			   : partial_fail(NULL, "", r->err) == WARD_OK;
	heap_free(&heap);
	p->lost = from->lost;
	p->evicted = from->evicted;
	p->events = from->events;
	p->floor = from->floor;
	p->cut = from->cut;
	return ok && (!p->f->map.other || read_other(r, p, from));
}

/* A sketch: all registers, or how many are left out before each, and its value. */
static bool read_registers(const struct reader *r, struct partial_field *p, const Ward__Field *from)
{
	uint32_t n = p->f->n;
	uint64_t at = 0;
	uint64_t *words = calloc(n / 8, sizeof(*words));
	bool ok = words || partial_fail(NULL, "", r->err) == WARD_OK;
	if (ok && from->has_registers && (from->registers.len != n || from->n_number))
		ok = refuse(r, "W-07", "%zu registers in the place of %u", from->registers.len, n);
	if (ok && from->n_number % 2)
		ok = refuse(r, "W-07", "numbers are missing");
	for (uint32_t i = 0; ok && from->has_registers && i < n; i++)
		words[i / 8] |= (uint64_t)from->registers.data[i] << i % 8 * 8;
	for (size_t i = 0; ok && i < from->n_number; i += 2) {
		uint64_t gap = from->number[i], value = from->number[i + 1];
		if (gap >= n - at || value == 0 || value > 64) {
			ok = refuse(r, "W-12", "there is no such register");
			break;
		}
		at += gap;
		words[at / 8] |= value << at % 8 * 8;
		at++;
	}
	struct wl_words all = {.cells = words, .n = n / 8};
	ok = ok && (wl_kind_at(p->f->kind)->check(p->f, &all) || refuse(r, "W-12", "a register is too large"));
	if (ok)
		part_put(&p->rows, p->forms[0], words, 0, n / 8);
	free(words);
	return ok;
}

static bool has_entries(const Ward__Field *f)
{
	return f->n_key || f->n_value || f->entries || f->evicted || f->floor || f->events || f->cut || f->n_other;
}

static bool read_field(struct reader *r, struct partial_field *p, const Ward__Field *from)
{
	const struct wl_kind *kind = wl_kind_at(p->f->kind);
	bool is_ring = kind->shown.form == WARD_FORM_RECORDS;
	if (kind->entries)
		return read_map(r, p, from);
	if (has_entries(from) || (from->lost && !is_ring) || (is_ring && from->n_number) ||
		(from->has_registers && p->f->kind != WARD_FIELD_DISTINCT))
		return refuse(r, "W-06", "a %s has nothing like that", kind->shown.name);
	p->lost = from->lost;
	if (is_ring)
		return true;
	rows_begin(&p->rows);
	if (p->f->kind == WARD_FIELD_DISTINCT)
		return read_registers(r, p, from);
	struct source s = {.number = from->number, .n = from->n_number};
	if (s.n == 0)
		return refuse(r, "W-07", "numbers are missing");
	return read_value(r, &s, true, &p->rows, p->f, p->forms[0]) &&
	       (s.at == s.n || refuse(r, "W-07", "numbers are left over"));
}

/* ---- the message ---- */

static bool has_unknown(const Ward__Partial *m)
{
	bool has = m->base.n_unknown_fields != 0;
	for (size_t i = 0; i < m->n_field; i++) {
		const Ward__Field *f = m->field[i];
		has |= f->base.n_unknown_fields != 0;
		for (size_t c = 0; c < f->n_key; c++)
			has |= f->key[c]->base.n_unknown_fields != 0;
		for (size_t c = 0; c < f->n_value; c++)
			has |= f->value[c]->base.n_unknown_fields != 0;
	}
	return has;
}

static bool read_notes(struct reader *r)
{
	struct ward_partial_notes *n = &r->p->notes;
	const Ward__Partial *m = r->m;
	if (m->format != 1)
		return refuse(r, "W-03", "its format is %u, not 1", m->format);
	if (m->query.len != sizeof(n->query))
		return refuse(r, "W-03", "its query has %zu bytes, not %zu", m->query.len, sizeof(n->query));
	if (m->flags & ~(uint32_t)(PARTIAL_FLAGS | PARTIAL_NAMED))
		return refuse(r, "W-03", "it has unknown flags, 0x%x", m->flags);
	memcpy(n->query, m->query.data, sizeof(n->query));
	n->epoch = m->epoch;
	n->nonce = m->nonce;
	n->sequence = m->sequence;
	n->flags = m->flags & PARTIAL_FLAGS;
	n->events = m->events;
	n->dropped = m->dropped;
	n->wall_ns = m->wall_ns;
	n->overhead_ppm = m->overhead_ppm;
	n->window = m->window;
	return true;
}

static bool read_message(struct reader *r, struct heap *heap)
{
	if (has_unknown(r->m))
		return refuse(r, "W-02", "it has unknown fields");
	if (!read_notes(r))
		return false;
	if (r->m->n_field != r->p->n)
		return refuse(r, "W-04", "it has %zu fields, not %zu", r->m->n_field, r->p->n);
	if (!read_strings(r, heap))
		return false;
	for (size_t i = 0; i < r->p->n; i++) {
		r->field = &r->p->fields[i];
		if (!read_field(r, &r->p->fields[i], r->m->field[i]))
			return false;
		if (r->field->rows.has_failed || r->field->other.has_failed) /* W-13 */
			return partial_fail(r->p, "the message", r->err) == WARD_OK;
	}
	return true;
}

static bool unpack(struct reader *r, const ward_schema *schema, size_t most, const void *bytes, size_t size)
{
	struct arena arena;
	ProtobufCAllocator allocator = {arena_take, arena_give_back, &arena};
	struct heap heap = {0};
	Ward__Partial *m = NULL;
	bool ok = false;
	if (!arena_make(&arena, size * 8 + schema->n * ARENA_FIELD + ARENA_MORE))
		partial_fail(NULL, "", r->err);
	else if (!(m = ward__partial__unpack(&allocator, size, bytes)))
		refuse(r, "W-02", "the bytes are none, or would take too much memory");
	else if (!(r->p = partial_new(schema, (m->flags & PARTIAL_NAMED) != 0, most)))
		partial_fail(NULL, "", r->err);
	else {
		r->m = m;
		ok = read_message(r, &heap);
	}
	heap_free(&heap);
	free(arena.at);
	return ok;
}

int ward_partial_unpack(const ward_schema *schema, const void *bytes, size_t size,
	const struct ward_partial_limits *limits, ward_partial **out, struct ward_error *err)
{
	struct ward_partial_limits most;
	struct ward_error own;
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_partial_unpack", "out");
	*out = NULL;
	if (!schema || !bytes)
		return wl_missing(err, "ward_partial_unpack", schema ? "bytes" : "the schema");
	int status = partial_limits(limits, &most, err);
	if (status)
		return status;
	struct reader r = {.err = err ? err : &own};
	if (size > most.bytes)
		refuse(&r, "W-01", "it has %zu bytes, more than %zu", size, most.bytes);
	else if (unpack(&r, schema, most.memory, bytes, size)) {
		*out = r.p;
		return WARD_OK;
	}
	ward_partial_free(r.p);
	return r.err->status;
}
