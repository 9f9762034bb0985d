/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finishing a partial: from words to what is shown. Of maps with parts the first part of the value is finished for all
 * keys, as that is what they are ordered by; the rest only of those that are listed.
 */
#include <stdlib.h>

#include "partial.h"

#include "loader/state/kinds/words.h"

/* Describe a part. What has become a name is shown as a text. */
static bool describe_part(
	const ward_partial *p, const struct state_field *part, struct ward_field *out, struct heap *heap)
{
	if (!merge_describe(part, out, heap))
		return false;
	if (part_is_name(part, p->is_named)) {
		out->kind = WARD_FIELD_TEXT;
		out->is_address = out->is_site = out->value_is_signed = false;
		out->enumeration = NULL;
	}
	return true;
}

/* Read a part of a key. */
static bool finish_key(const ward_partial *p, const struct state_field *part, const struct wl_words *words,
	struct ward_field *out, struct heap *heap)
{
	struct part_form form = part_form(part, p->is_named);
	if (!describe_part(p, part, out, heap))
		return false;
	if (form.cells) {
		out->text = words_text(words, heap);
		return out->text != NULL;
	}
	if (part->kind == WARD_FIELD_WIDE) {
		out->high = words_ordered(words->fixed[0], part->scalar.is_signed);
		out->value = words->fixed[1];
	} else if (part->kind == WARD_FIELD_REAL) {
		return wl_kind_at(part->kind)->finish(part, words, out, heap);
	} else {
		uint64_t word = words->fixed[form.fixed - 1];
		out->value = part->scalar.is_address ? word : words_ordered(word, part->scalar.is_signed);
		out->value = state_module_of(part->modules, out->value);
	}
	return !state_is_timed(part) || merge_in_time(part, out, heap);
}

static bool finish_value(
	const struct state_field *part, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	return merge_describe(part, out, heap) && wl_kind_at(part->kind)->finish(part, words, out, heap) &&
	       (!state_is_timed(part) || merge_in_time(part, out, heap));
}

/* What a finished field is ordered by: how much it has counted. */
static uint64_t weight_of(const struct ward_field *field)
{
	const struct wl_kind *kind = wl_kind_at(field->kind);
	return kind->weight ? kind->weight(field) : field->value;
}

/* ---- entries ---- */

static int by_weight(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

/* How much a row has counted. */
static bool weigh_row(const struct partial_field *field, const uint64_t *row, uint64_t *weight)
{
	const struct state_field *first = &field->parts[field->n_keys];
	struct heap scratch = {0};
	struct ward_field value;
	struct wl_words words;
	if (field->beside > ROW_WEIGHT) {
		*weight = row[ROW_WEIGHT];
		return true;
	}
	part_read(field->forms[field->n_keys], part_skip_key(field, row + field->beside), &words);
	if (state_is_plain_map(field->f) && !wl_kind_at(field->f->kind)->entries->is_array) {
		*weight = *words.fixed;
		return true;
	}
	bool ok = finish_value(first, &words, &value, &scratch);
	if (ok)
		*weight = weight_of(&value);
	heap_free(&scratch);
	return ok;
}

/* The parts of a row as fields, which the entry has. `keys`: how many of them are shown. */
static bool finish_row(const ward_partial *p, const struct partial_field *field, const uint64_t *row, bool keys,
	struct ward_field *to, struct heap *heap)
{
	struct wl_words words;
	bool ok = true;
	for (uint32_t i = 0; ok && i < field->n_keys; i++) {
		row = part_read(field->forms[i], row, &words);
		ok = !keys || finish_key(p, &field->parts[i], &words, to++, heap);
	}
	for (uint32_t i = field->n_keys; ok && i < field->n_keys + field->n_values; i++) {
		row = part_read(field->forms[i], row, &words);
		ok = finish_value(&field->parts[i], &words, to++, heap);
	}
	return ok;
}

/* A map from integers to integers has no parts that are shown, unless its keys are names. */
static bool has_no_parts(const ward_partial *p, const struct partial_field *field)
{
	return field->f->n_keys == 0 && !part_is_name(&field->parts[0], p->is_named);
}

/* An entry of a map from integers to integers. */
static struct ward_map_entry plain_entry(const struct partial_field *field, const uint64_t *row, uint64_t value)
{
	const struct state_field *key = &field->parts[0];
	struct part_form form = part_form(key, false);
	uint64_t word = row[field->beside + form.fixed - 1];
	if (!key->scalar.is_address)
		word = words_ordered(word, key->scalar.is_signed);
	return (struct ward_map_entry){.key = state_module_of(key->modules, word),
		.value = value,
		.error = field->beside > ROW_ERROR ? row[ROW_ERROR] : 0,
		.thread = (uint32_t)row[ROW_THREAD]};
}

static bool finish_entry(const ward_partial *p, const struct partial_field *field, const struct weighed *from,
	struct ward_map_entry *entry, struct heap *heap)
{
	const uint64_t *row = rows_at(&field->rows, from->row);
	if (has_no_parts(p, field) && state_is_plain_map(field->f) && !wl_kind_at(field->f->kind)->entries->is_array) {
		*entry = plain_entry(field, row, from->weight);
		return true;
	}
	bool is_array = wl_kind_at(field->f->kind)->entries->is_array, is_plain = state_is_plain_map(field->f);
	struct ward_field *parts = heap_take(heap, (size_t)field->n_keys + field->n_values, sizeof(*parts));
	if (!parts || !finish_row(p, field, row + field->beside, !is_array, parts, heap))
		return false;
	*entry = (struct ward_map_entry){.value = from->weight,
		.error = field->beside > ROW_ERROR ? row[ROW_ERROR] : 0,
		.thread = (uint32_t)row[ROW_THREAD]};
	if (is_array) {
		entry->key = row[field->beside];
		entry->values = parts;
		entry->value = parts[0].value;
		return true;
	}
	if (field->n_keys == 1)
		entry->key = parts[0].value;
	if (is_plain)
		entry->value = parts[1].value;
	if (has_no_parts(p, field))
		return true;
	entry->keys = parts;
	if (!is_plain && field->n_values)
		entry->values = parts + field->n_keys;
	return true;
}

bool partial_weigh(const struct partial_field *field, struct weighed *rows)
{
	for (size_t i = 0; i < field->rows.n; i++) {
		rows[i].row = i;
		if (!weigh_row(field, rows_at(&field->rows, i), &rows[i].weight))
			return false;
	}
	if (field->rows.n)
		qsort(rows, field->rows.n, sizeof(*rows), by_weight);
	return true;
}

static bool finish_other(
	const ward_partial *p, const struct partial_field *field, struct ward_field *out, struct heap *heap)
{
	struct partial_field values = *field;
	struct ward_field *parts = heap_take(heap, field->n_values, sizeof(*parts));
	struct ward_map_entry *other = heap_take(heap, 1, sizeof(*other));
	values.parts += field->n_keys;
	values.forms += field->n_keys;
	values.n_keys = 0;
	if (!parts || !other || !finish_row(p, &values, rows_at(&field->other, 0), false, parts, heap))
		return false;
	other->value = state_is_plain_map(field->f) ? parts->value : weight_of(parts);
	if (!state_is_plain_map(field->f))
		other->values = parts;
	out->other = other;
	return true;
}

/* The heaviest rows are the entries; of an array, the first ones. */
static bool finish_entries(
	const ward_partial *p, const struct partial_field *field, struct ward_field *out, struct heap *heap)
{
	const struct wl_entries *kind = wl_kind_at(field->f->kind)->entries;
	struct heap scratch = {0};
	size_t n = field->rows.n, slots = field->f->map.n, most = STATE_MAX_ENTRIES;
	if (state_is_plain_map(field->f))
		most = SIZE_MAX;
	else if (kind->has_most && slots < most)
		most = slots;
	struct weighed *rows = heap_take(&scratch, n, sizeof(*rows));
	struct ward_map_entry *entries = heap_take(heap, n < most ? n : most, sizeof(*entries));
	bool ok = rows && entries;
	for (size_t i = 0; ok && kind->is_array && i < n; i++)
		rows[i].row = i;
	ok = ok && (kind->is_array || partial_weigh(field, rows));
	for (; ok && out->n < n && out->n < most; out->n++)
		ok = finish_entry(p, field, &rows[out->n], &entries[out->n], heap);
	heap_free(&scratch);
	out->entries = entries;
	out->unlisted = field->cut + (kind->has_most ? 0 : n - out->n);
	out->lost = field->lost;
	out->evicted = field->evicted;
	if (kind->total)
		out->value = field->events;
	return ok && (!field->other.n || (!out->lost && !field->cut) || finish_other(p, field, out, heap));
}

/* The parts of a field, without results: callers learn their names and kinds from them. */
static bool describe_parts(
	const ward_partial *p, const struct partial_field *field, struct ward_field *out, struct heap *heap)
{
	bool is_named_map = state_is_plain_map(field->f) && !has_no_parts(p, field);
	size_t n = is_named_map ? 1 : (size_t)field->f->n_keys + field->f->n_values;
	const struct state_field *from = is_named_map ? field->parts : field->f + 1;
	struct ward_field *parts = heap_take(heap, n, sizeof(*parts));
	bool ok = parts != NULL;
	for (size_t i = 0; ok && i < n; i++)
		ok = describe_part(p, &from[i], &parts[i], heap);
	out->parts = parts;
	if (is_named_map)
		out->n_keys = 1;
	return ok;
}

/* Of keys that are places, those that are shown as one are one. */
static bool finish_map(
	const ward_partial *p, const struct partial_field *field, struct ward_field *out, struct heap *heap)
{
	struct budget scratch = {.most = SIZE_MAX};
	struct partial_field folded = *field;
	if (!partial_is_folded(p, field))
		return finish_entries(p, field, out, heap);
	folded.rows = (struct rows){.budget = &scratch};
	bool ok = partial_fold(p, field, &folded) && finish_entries(p, &folded, out, heap);
	rows_free(&folded.rows);
	return ok;
}

bool partial_finish_field(
	const ward_partial *p, const struct partial_field *field, struct ward_field *out, struct heap *heap)
{
	struct wl_words words;
	bool ok;
	switch (wl_kind_at(field->f->kind)->shown.form) {
	case WARD_FORM_ENTRIES: ok = merge_describe(field->f, out, heap) && finish_map(p, field, out, heap); break;
	case WARD_FORM_RECORDS: ok = merge_describe(field->f, out, heap) && ring_finish(field, out, heap); break;
	default:
		part_read(part_form(field->f, false), rows_at(&field->rows, 0), &words);
		ok = finish_value(field->f, &words, out, heap);
	}
	return ok && describe_parts(p, field, out, heap);
}
