/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A partial as bytes (spec/partial.md). All of it is gone through twice: first to count the numbers of each column and
 * to find the strings, then to write them down. Strings are sorted, so none is in the table twice.
 */
#include <partial.pb-c.h>
#include <stdlib.h>
#include <string.h>

#include "partial_wire.h"

#include "loader/base/error.h"
#include "loader/state/kinds/words.h"

/* A column, or the numbers of a field. While counting there is no memory. */
struct column {
	size_t n_numbers, n_strings;
	uint64_t *number;
	uint32_t *string;
	uint64_t any; /* the bits of all numbers */
};

/* A string where it is used. */
struct use {
	struct wl_words words;
	size_t order;
	uint32_t index;
};

struct packer {
	const ward_partial *p;
	struct heap heap;
	bool is_counting;
	struct use *uses; /* in the order in which they come */
	size_t n_uses, room, at_use;
	bool has_failed;
	Ward__Partial message;
};

/* ---- numbers and strings ---- */

static void put_number(const struct packer *k, struct column *c, uint64_t number)
{
	if (!k->is_counting)
		c->number[c->n_numbers] = number;
	c->any |= number;
	c->n_numbers++;
}

/* Returns the string's number in the table; 0 while that isn't known. */
static uint32_t put_string(struct packer *k, const struct wl_words *words)
{
	if (!k->is_counting)
		return k->uses[k->at_use++].index;
	if (k->n_uses == k->room) {
		size_t room = k->room * 2 + 64;
		struct use *uses = reallocarray(k->uses, room, sizeof(*uses));
		k->has_failed |= uses == NULL;
		if (!uses)
			return 0;
		k->uses = uses;
		k->room = room;
	}
	k->uses[k->n_uses] = (struct use){.words = *words, .order = k->n_uses};
	k->n_uses++;
	return 0;
}

static void put_cells(const struct packer *k, struct column *c, const struct wl_words *words)
{
	put_number(k, c, words->n);
	if (words->n)
		put_number(k, c, words->first);
	for (size_t i = 0; i < words->n; i++)
		put_number(k, c, words->cells[i]);
}

/* Write a part to its columns, which are moved on; to one column, if `all` isn't NULL. */
static const uint64_t *put_part(struct packer *k, struct column **columns, struct column *all,
	const struct state_field *part, const uint64_t *at)
{
	struct wire_form form = wire_form(part, k->p->is_named);
	struct wl_words words;
	at = part_read(part_form(part, k->p->is_named), at, &words);
	if (form.is_string) {
		struct column *c = all ? all : (*columns)++;
		uint32_t index = put_string(k, &words);
		if (all) {
			put_number(k, all, index);
		} else {
			if (!k->is_counting)
				c->string[c->n_strings] = index;
			c->n_strings++;
		}
		return at;
	}
	for (uint32_t i = form.first; i < form.first + form.fixed; i++)
		put_number(k, all ? all : (*columns)++, words_to_wire(wire_of(part, i), words.fixed[i]));
	if (form.has_cells)
		put_cells(k, all ? all : (*columns)++, &words);
	return at;
}

/* ---- a field ---- */

struct packed_field {
	const struct partial_field *field;
	struct column numbers; /* of a field without keys; else of `other` */
	struct column *columns;
	uint32_t n_keys, n_columns;
};

static bool is_ring(const struct partial_field *p)
{
	return wl_kind_at(p->f->kind)->shown.form == WARD_FORM_RECORDS;
}

static bool has_keys(const struct partial_field *p)
{
	return wl_kind_at(p->f->kind)->entries != NULL;
}

/* The first column of the first part of a key has differences, behind its first number. */
static void put_row(struct packer *k, struct packed_field *to, size_t i)
{
	const struct partial_field *p = to->field;
	const uint64_t *row = rows_at(&p->rows, i);
	struct column *keys = to->columns, *values = to->columns + to->n_keys;
	struct wire_form first = wire_form(p->parts, k->p->is_named);
	const uint64_t *at = row + p->beside;
	for (uint32_t b = ROW_WEIGHT; b < p->beside; b++)
		put_number(k, values++, row[b]);
	for (uint32_t part = 0; part < p->n_keys; part++)
		at = put_part(k, &keys, NULL, &p->parts[part], at);
	for (uint32_t part = p->n_keys; part < p->n_keys + p->n_values; part++)
		at = put_part(k, &values, NULL, &p->parts[part], at);
	if (i && !first.is_string && !k->is_counting)
		to->columns->number[i] =
			row[p->beside + first.first] - rows_at(&p->rows, i - 1)[p->beside + first.first];
}

static void put_field(struct packer *k, struct packed_field *to)
{
	const struct partial_field *p = to->field;
	const uint64_t *at;
	if (is_ring(p))
		return;
	if (!has_keys(p)) {
		at = rows_at(&p->rows, 0);
		put_part(k, NULL, &to->numbers, p->f, at);
		return;
	}
	for (size_t i = 0; i < p->rows.n; i++)
		put_row(k, to, i);
	at = p->other.n ? rows_at(&p->other, 0) : NULL;
	for (uint32_t part = p->n_keys; at && part < p->n_keys + p->n_values; part++)
		at = put_part(k, NULL, &to->numbers, &p->parts[part], at);
}

/* Room for what was counted. */
static bool make_column(struct packer *k, struct column *c)
{
	c->number = heap_take(&k->heap, c->n_numbers, sizeof(*c->number));
	c->string = heap_take(&k->heap, c->n_strings, sizeof(*c->string));
	c->n_numbers = c->n_strings = 0;
	c->any = 0;
	return c->number && c->string;
}

static bool start_field(struct packer *k, struct packed_field *to, const struct partial_field *p)
{
	to->field = p;
	if (!has_keys(p))
		return true;
	for (uint32_t i = 0; i < p->n_keys; i++)
		to->n_keys += wire_columns(wire_form(&p->parts[i], k->p->is_named));
	to->n_columns = to->n_keys + wire_beside(p);
	for (uint32_t i = p->n_keys; i < p->n_keys + p->n_values; i++)
		to->n_columns += wire_columns(wire_form(&p->parts[i], k->p->is_named));
	to->columns = heap_take(&k->heap, to->n_columns, sizeof(*to->columns));
	return to->columns != NULL;
}

/* ---- the string table ---- */

static int compare_uses(const void *a, const void *b)
{
	const struct use *x = a, *y = b;
	size_t n = x->words.n < y->words.n ? x->words.n : y->words.n;
	for (size_t i = 0; i < n; i++)
		if (x->words.cells[i] != y->words.cells[i])
			return x->words.cells[i] < y->words.cells[i] ? -1 : 1;
	return (x->words.n > y->words.n) - (x->words.n < y->words.n);
}

static int by_order(const void *a, const void *b)
{
	const struct use *x = a, *y = b;
	return (x->order > y->order) - (x->order < y->order);
}

/* Number the strings, and write the table. */
static bool make_table(struct packer *k)
{
	Ward__Partial *m = &k->message;
	struct heap scratch = {0};
	size_t room = 1;
	for (size_t i = 0; i < k->n_uses; i++)
		room += k->uses[i].words.n * 8;
	m->text_size = heap_take(&k->heap, k->n_uses, sizeof(*m->text_size));
	m->text.data = heap_take(&k->heap, room, 1);
	bool ok = m->text_size && m->text.data;
	if (ok && k->n_uses)
		qsort(k->uses, k->n_uses, sizeof(*k->uses), compare_uses);
	for (size_t i = 0; ok && i < k->n_uses; i++) {
		if (i == 0 || compare_uses(&k->uses[i - 1], &k->uses[i]) != 0) {
			char *text = words_text(&k->uses[i].words, &scratch);
			size_t length = text ? strlen(text) : 0;
			ok = text != NULL;
			if (ok)
				memcpy(m->text.data + m->text.len, text, length);
			m->text.len += length;
			m->text_size[m->n_text_size++] = (uint32_t)length;
			heap_free(&scratch);
		}
		k->uses[i].index = (uint32_t)(m->n_text_size - 1);
	}
	if (k->n_uses)
		qsort(k->uses, k->n_uses, sizeof(*k->uses), by_order);
	m->has_text = m->text.len != 0;
	return ok;
}

/* ---- the message ---- */

/* A sketch: all registers, or those that aren't 0. */
static bool put_registers(struct packer *k, const struct partial_field *p, Ward__Field *to)
{
	struct wl_words words;
	size_t set = 0, n = p->f->n;
	part_read(part_form(p->f, false), rows_at(&p->rows, 0), &words);
	uint8_t *all = heap_take(&k->heap, n, 1);
	uint64_t *pairs = heap_take(&k->heap, n, sizeof(*pairs) * 2);
	if (!all || !pairs)
		return false;
	for (size_t i = 0; i < words.n * 8; i++)
		all[words.first * 8 + i] = (uint8_t)(words.cells[i / 8] >> i % 8 * 8);
	for (size_t i = 0, next = 0; i < n; i++) {
		if (!all[i])
			continue;
		pairs[2 * set] = i - next;
		pairs[2 * set++ + 1] = all[i];
		next = i + 1;
	}
	to->has_registers = set >= n / 4;
	to->registers = (ProtobufCBinaryData){to->has_registers ? n : 0, all};
	to->number = pairs;
	to->n_number = to->has_registers ? 0 : 2 * set;
	return true;
}

static Ward__Column **make_columns(struct packer *k, const struct column *from, uint32_t n)
{
	Ward__Column **to = heap_take(&k->heap, n, sizeof(*to));
	Ward__Column *columns = heap_take(&k->heap, n, sizeof(*columns));
	for (uint32_t i = 0; to && columns && i < n; i++) {
		ward__column__init(&columns[i]);
		columns[i].number = from[i].number;
		columns[i].n_number = from[i].n_numbers;
		columns[i].string = from[i].string;
		columns[i].n_string = from[i].n_strings;
		to[i] = &columns[i];
	}
	return columns ? to : NULL;
}

static void put_optional(protobuf_c_boolean *has, uint64_t *to, uint64_t number)
{
	*has = number != 0;
	*to = number;
}

static bool make_field(struct packer *k, const struct packed_field *from, Ward__Field *to)
{
	const struct partial_field *p = from->field;
	ward__field__init(to);
	put_optional(&to->has_lost, &to->lost, p->lost);
	if (is_ring(p))
		return true;
	if (p->f->kind == WARD_FIELD_DISTINCT)
		return put_registers(k, p, to);
	if (!has_keys(p)) {
		to->number = from->numbers.number;
		to->n_number = from->numbers.n_numbers;
		return true;
	}
	put_optional(&to->has_evicted, &to->evicted, p->evicted);
	put_optional(&to->has_events, &to->events, p->events);
	put_optional(&to->has_floor, &to->floor, p->floor);
	put_optional(&to->has_cut, &to->cut, p->cut);
	put_optional(&to->has_entries, &to->entries, p->rows.n);
	to->other = from->numbers.number;
	to->n_other = from->numbers.any ? from->numbers.n_numbers : 0;
	for (uint32_t i = from->n_keys; i < from->n_columns; i++)
		if (!from->columns[i].any)
			from->columns[i].n_numbers = 0;
	to->n_key = from->n_keys;
	to->n_value = from->n_columns - from->n_keys;
	to->key = make_columns(k, from->columns, from->n_keys);
	to->value = make_columns(k, from->columns + from->n_keys, from->n_columns - from->n_keys);
	return to->key && to->value;
}

static void put_notes(struct packer *k)
{
	const struct ward_partial_notes *n = &k->p->notes;
	Ward__Partial *m = &k->message;
	m->format = 1;
	m->query = (ProtobufCBinaryData){sizeof(n->query), (uint8_t *)(uintptr_t)n->query};
	m->epoch = n->epoch;
	m->nonce = n->nonce;
	m->sequence = n->sequence;
	m->flags = (n->flags & PARTIAL_FLAGS) | (k->p->is_named ? PARTIAL_NAMED : 0);
	m->has_flags = m->flags != 0;
	put_optional(&m->has_events, &m->events, n->events);
	put_optional(&m->has_dropped, &m->dropped, n->dropped);
	put_optional(&m->has_wall_ns, &m->wall_ns, n->wall_ns);
	put_optional(&m->has_overhead_ppm, &m->overhead_ppm, n->overhead_ppm);
	put_optional(&m->has_window, &m->window, n->window);
}

/* Go through all fields: to count, or to write. */
static void put_all(struct packer *k, struct packed_field *fields)
{
	for (size_t i = 0; i < k->p->n; i++)
		put_field(k, &fields[i]);
}

/* Room for all that was counted. */
static bool make_room(struct packer *k, struct packed_field *fields)
{
	for (size_t i = 0; i < k->p->n; i++) {
		for (uint32_t c = 0; c < fields[i].n_columns; c++)
			if (!make_column(k, &fields[i].columns[c]))
				return false;
		if (!make_column(k, &fields[i].numbers))
			return false;
	}
	return true;
}

static bool make_message(struct packer *k)
{
	Ward__Partial *m = &k->message;
	size_t n = k->p->n;
	struct packed_field *fields = heap_take(&k->heap, n, sizeof(*fields));
	Ward__Field *packed = heap_take(&k->heap, n, sizeof(*packed));
	m->field = heap_take(&k->heap, n, sizeof(*m->field));
	m->n_field = n;
	if (!fields || !packed || !m->field)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!start_field(k, &fields[i], &k->p->fields[i]))
			return false;
	k->is_counting = true;
	put_all(k, fields);
	k->is_counting = false;
	if (k->has_failed || !make_room(k, fields) || !make_table(k))
		return false;
	put_all(k, fields);
	for (size_t i = 0; i < n; i++) {
		m->field[i] = &packed[i];
		if (!make_field(k, &fields[i], &packed[i]))
			return false;
	}
	put_notes(k);
	return true;
}

static int report_size(size_t size, size_t most, struct ward_error *err)
{
	wl_fail(err, WARD_E_SYSTEM, "partial", "it has %zu bytes, more than %zu, without any entry", size, most);
	wl_hint(err, "%s", "allow more (struct ward_partial_limits), or keep fewer fields");
	return WARD_E_SYSTEM;
}

static void packer_free(struct packer *k)
{
	heap_free(&k->heap);
	free(k->uses);
}

/* 0 without memory. What was made is freed with packer_free. */
static size_t packer_make(struct packer *k, const ward_partial *p)
{
	*k = (struct packer){.p = p};
	ward__partial__init(&k->message);
	return make_message(k) ? ward__partial__get_packed_size(&k->message) : 0;
}

size_t partial_packed_size(const ward_partial *p)
{
	struct packer k;
	size_t size = packer_make(&k, p);
	packer_free(&k);
	return size;
}

static int pack(const ward_partial *p, size_t most, void **bytes, size_t *size, struct ward_error *err)
{
	struct packer k;
	int status = WARD_OK;
	*size = packer_make(&k, p);
	if (*size > most)
		status = report_size(*size, most, err);
	else if (!*size || !(*bytes = malloc(*size)))
		status = partial_fail(NULL, "", err);
	else
		ward__partial__pack(&k.message, *bytes);
	packer_free(&k);
	return status;
}

int ward_partial_pack(const ward_partial *p, const struct ward_partial_limits *limits, void **bytes, size_t *size,
	struct ward_error *err)
{
	struct ward_partial_limits most;
	ward_partial *cut = NULL;
	wl_clear(err);
	if (!bytes || !size)
		return wl_missing(err, "ward_partial_pack", bytes ? "size" : "bytes");
	*bytes = NULL;
	*size = 0;
	if (!p)
		return wl_missing(err, "ward_partial_pack", "the partial");
	int status = partial_limits(limits, &most, err);
	if (status)
		return status;
	status = pack(p, most.bytes, bytes, size, err);
	if (*size <= most.bytes)
		return status;
	most.memory = SIZE_MAX;
	status = partial_cut(p, &most, &cut, err);
	if (status == WARD_OK)
		status = pack(cut, most.bytes, bytes, size, err);
	ward_partial_free(cut);
	return status;
}
