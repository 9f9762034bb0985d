/* SPDX-License-Identifier: Apache-2.0 */
/* A good partial is unpacked, one thing in it is changed, and it is packed again; or bytes are put behind it. */
#include "hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/state/shape.h"

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "hostile: %s\n", what);
	abort();
}

static void *room(void *before, size_t n)
{
	void *at = realloc(before, n ? n : 1);
	return at ? at : (fail("memory"), NULL);
}

static void append(size_t *n, uint64_t **numbers, uint64_t number)
{
	*numbers = room(*numbers, (*n + 1) * sizeof(**numbers));
	(*numbers)[(*n)++] = number;
}

/* ---- of any shape ---- */

static void format_other(Ward__Partial *m)
{
	m->format = 2;
}

static void query_short(Ward__Partial *m)
{
	m->query.len--;
}

static void query_other(Ward__Partial *m)
{
	m->query.data[0] ^= 1;
}

static void flags_unknown(Ward__Partial *m)
{
	m->has_flags = true;
	m->flags |= 1u << 30;
}

/* Its addresses and sites would be numbers; so it has none. */
static void names_missing(Ward__Partial *m)
{
	m->flags &= ~8u;
	if (m->n_field != SHAPE_FIELDS)
		return;
	Ward__Field *f = m->field[SHAPE_BY_ADDRESS];
	f->entries = 0;
	for (size_t i = 0; i < f->n_key; i++)
		f->key[i]->n_string = f->key[i]->n_number = 0;
	for (size_t i = 0; i < f->n_value; i++)
		f->value[i]->n_number = 0;
}

static void field_missing(Ward__Partial *m)
{
	ward__field__free_unpacked(m->field[--m->n_field], NULL);
}

/* The table of strings, as it is said here. */
static void strings_put(Ward__Partial *m, const char *text, size_t n, uint32_t first, uint32_t second)
{
	m->has_text = true;
	m->text.data = room(m->text.data, n);
	memcpy(m->text.data, text, n);
	m->text.len = n;
	m->text_size = room(m->text_size, 2 * sizeof(*m->text_size));
	m->text_size[0] = first;
	m->text_size[1] = second;
	m->n_text_size = 2;
}

static void strings_zero(Ward__Partial *m)
{
	strings_put(m, "a\0bc", 4, 3, 1);
}

static void strings_descend(Ward__Partial *m)
{
	strings_put(m, "ba", 2, 1, 1);
}

static void strings_twice(Ward__Partial *m)
{
	strings_put(m, "aa", 2, 1, 1);
}

static void strings_beyond(Ward__Partial *m)
{
	strings_put(m, "ab", 2, 1, UINT32_MAX);
}

static void strings_left(Ward__Partial *m)
{
	strings_put(m, "abc", 3, 1, 1);
}

static void count_floor(Ward__Partial *m)
{
	m->field[0]->has_floor = true;
	m->field[0]->floor = 1;
}

static void count_more(Ward__Partial *m)
{
	append(&m->field[0]->n_number, &m->field[0]->number, 1);
}

static void count_none(Ward__Partial *m)
{
	m->field[0]->n_number = 0;
}

static void epoch_zero(Ward__Partial *m)
{
	m->epoch = 0;
}

static void sequence_zero(Ward__Partial *m)
{
	m->sequence = 0;
}

static void sequence_old(Ward__Partial *m)
{
	m->sequence = 1;
}

static void window_any(Ward__Partial *m)
{
	m->has_window = true;
	m->window = 3;
}

static void sequence_next(Ward__Partial *m)
{
	m->sequence++;
}

static void events_less(Ward__Partial *m)
{
	m->sequence++;
	m->has_events = true;
	m->events = 0;
}

static void events_impossible(Ward__Partial *m)
{
	m->sequence++;
	m->has_events = true;
	m->events = UINT64_MAX;
}

/* ---- of the shape with every kind ---- */

static void columns_missing(Ward__Partial *m)
{
	ward__column__free_unpacked(m->field[SHAPE_BY_FD]->key[0], NULL);
	m->field[SHAPE_BY_FD]->n_key = 0;
}

static void entries_many(Ward__Partial *m)
{
	m->field[SHAPE_BY_FD]->entries = UINT64_MAX;
}

static void keys_fewer(Ward__Partial *m)
{
	m->field[SHAPE_BY_FD]->key[0]->n_number--;
}

static void registers_fewer(Ward__Partial *m)
{
	m->field[SHAPE_KEYS]->registers.len--;
}

static void key_twice(Ward__Partial *m)
{
	m->field[SHAPE_BY_FD]->key[0]->number[1] = 0; /* a difference */
}

static void key_wide(Ward__Partial *m)
{
	m->field[SHAPE_BY_FD]->key[0]->number[0] = (1ull << 63) + (1ull << 31);
}

static void element_beyond(Ward__Partial *m)
{
	m->field[SHAPE_TABLE]->key[0]->number[0] = SHAPE_ELEMENTS;
}

static void string_none(Ward__Partial *m)
{
	m->field[SHAPE_BY_FILE]->key[0]->string[0] = UINT32_MAX;
}

static void cells_beyond(Ward__Partial *m)
{
	m->field[SHAPE_BYTES]->number[1] = UINT64_MAX;
}

static void cells_zero(Ward__Partial *m)
{
	m->field[SHAPE_BYTES]->number[2] = 0;
}

static void register_large(Ward__Partial *m)
{
	m->field[SHAPE_KEYS]->registers.data[3] = 62; /* more than 65 - 4 */
}

static void real_wide(Ward__Partial *m)
{
	m->field[SHAPE_REAL]->number[0] = 1ull << 32;
}

static void numbers_make(Ward__Column *c, size_t n, unsigned step)
{
	c->number = room(c->number, n * sizeof(*c->number));
	c->n_number = n;
	for (size_t i = 0; i < n; i++)
		c->number[i] = i * step;
}

/* Few bytes for each entry, and a histogram of memory. */
static void entries_large(Ward__Partial *m)
{
	enum { ENTRIES = 2200 };
	Ward__Field *f = m->field[SHAPE_BY_ADDRESS];

	f->has_entries = true;
	f->entries = ENTRIES;
	for (size_t i = 0; i < 2; i++) {
		f->key[i]->string = room(f->key[i]->string, ENTRIES * sizeof(*f->key[i]->string));
		f->key[i]->n_string = ENTRIES;
		memset(f->key[i]->string, 0, ENTRIES * sizeof(*f->key[i]->string));
	}
	numbers_make(f->key[2], ENTRIES, 0);
	numbers_make(f->key[3], ENTRIES, 2);
	f->value[0]->n_number = 0;
	numbers_make(f->value[1], ENTRIES, 0);
}

/* ---- all of them ---- */

#define NO_FIELD "\x6a" /* field 13, of no bytes: the zero behind it is the string's own */

const struct hostile hostiles[] = {
	{"W-01-too-long", .any = true, .tail = NO_FIELD, .n_tail = 2, .times = HOSTILE_BYTES / 2},
	{"W-02-unknown-field", .any = true, .tail = "\xf8\x01\x01", .n_tail = 3, .times = 1},
	{"W-02-cut-in-half", .any = true, .half = true},
	{"W-02-more-memory-than-bytes", .any = true, .tail = NO_FIELD, .n_tail = 2, .times = 6000},
	{"W-03-other-format", .any = true, .spoil = format_other},
	{"W-03-short-query", .any = true, .spoil = query_short},
	{"W-03-unknown-flag", .any = true, .spoil = flags_unknown},
	{"W-04-field-missing", .any = true, .spoil = field_missing},
	{"W-04-field-too-many", .any = true, .tail = NO_FIELD, .n_tail = 2, .times = 1},
	{"W-05-zero-byte", .any = true, .spoil = strings_zero},
	{"W-05-strings-descend", .any = true, .spoil = strings_descend},
	{"W-05-string-twice", .any = true, .spoil = strings_twice},
	{"W-05-string-beyond-the-table", .any = true, .spoil = strings_beyond},
	{"W-05-table-too-long", .any = true, .spoil = strings_left},
	{"W-06-floor-of-a-count", .any = true, .spoil = count_floor},
	{"W-06-columns-missing", .spoil = columns_missing},
	{"W-07-number-left-over", .any = true, .spoil = count_more},
	{"W-07-number-missing", .any = true, .spoil = count_none},
	{"W-07-entries-without-end", .spoil = entries_many},
	{"W-07-key-missing", .spoil = keys_fewer},
	{"W-07-register-missing", .spoil = registers_fewer},
	{"W-08-key-twice", .spoil = key_twice},
	{"W-09-key-too-wide", .spoil = key_wide},
	{"W-09-element-beyond-the-array", .spoil = element_beyond},
	{"W-10-no-such-string", .spoil = string_none},
	{"W-11-cells-beyond-the-last", .spoil = cells_beyond},
	{"W-11-first-cell-zero", .spoil = cells_zero},
	{"W-12-register-too-large", .spoil = register_large},
	{"W-12-float-too-wide", .spoil = real_wide},
	{"W-13-more-memory-than-allowed", .spoil = entries_large},
	{"C-02-other-query", .any = true, .spoil = query_other},
	{"C-02-epoch-zero", .any = true, .spoil = epoch_zero},
	{"C-02-sequence-zero", .any = true, .spoil = sequence_zero},
	{"C-02-window", .any = true, .spoil = window_any},
	{"C-02-no-names", .any = true, .spoil = names_missing},
	{"C-03-old", .any = true, .spoil = sequence_old},
	{"C-04-behind-the-last", .any = true, .before_flags = HOSTILE_FLAG_LAST, .spoil = sequence_next},
	{"C-05-events-become-less", .any = true, .spoil = events_less},
	{"C-06-impossible-events", .any = true, .spoil = events_impossible},
};
const size_t n_hostiles = sizeof(hostiles) / sizeof(*hostiles);

void *hostile_make(const struct hostile *h, const void *good, size_t n_good, size_t *size)
{
	Ward__Partial *m = ward__partial__unpack(NULL, n_good, good);
	size_t n, tail = h->n_tail * h->times;
	uint8_t *bytes;

	if (!m)
		fail("no good partial");
	if (h->spoil)
		h->spoil(m);
	n = ward__partial__get_packed_size(m);
	bytes = room(NULL, n + tail);
	ward__partial__pack(m, bytes);
	ward__partial__free_unpacked(m, NULL);
	for (size_t i = 0; i < h->times; i++)
		memcpy(bytes + n + i * h->n_tail, h->tail, h->n_tail);
	*size = h->half ? n / 2 : n + tail;
	return bytes;
}
