/* SPDX-License-Identifier: Apache-2.0 */
/* One part of a row: a key's, or a value's. */
#include <string.h>

#include "partial.h"

enum { NAME_CELLS = 128, STACK_CELLS = 2048 }; /* of eight characters */

bool part_is_name(const struct state_field *part, bool is_named)
{
	return is_named && part->part == STATE_KEY &&
	       (part->scalar.is_address || part->scalar.is_site || part->scalar.is_module);
}

struct part_form part_form(const struct state_field *part, bool is_named)
{
	const struct wl_kind *kind = wl_kind_at(part->kind);
	if (part_is_name(part, is_named))
		return (struct part_form){0, part->scalar.is_stack ? STACK_CELLS : NAME_CELLS};
	if (part->part != STATE_KEY || part->kind == WARD_FIELD_TEXT)
		return (struct part_form){kind->fixed, kind->cells ? kind->cells(part) : 0};
	return (struct part_form){part->kind == WARD_FIELD_WIDE || part->scalar.is_address ? 2 : 1, 0};
}

const uint64_t *part_read(struct part_form form, const uint64_t *at, struct wl_words *out)
{
	*out = (struct wl_words){.fixed = at};
	at += form.fixed;
	if (form.cells) {
		out->first = *at >> 32;
		out->n = *at++ & UINT32_MAX;
		out->cells = at;
		at += out->n;
	}
	return at;
}

void part_put(struct rows *rows, struct part_form form, const uint64_t *words, size_t first, size_t n)
{
	const uint64_t *cells = words + form.fixed;
	rows_copy(rows, words, form.fixed);
	if (!form.cells)
		return;
	while (n && cells[n - 1] == 0)
		n--;
	while (n && *cells == 0)
		cells++, first++, n--;
	rows_put_word(rows, (uint64_t)(n ? first : 0) << 32 | n);
	rows_copy(rows, cells, n);
}

void part_put_text(struct rows *rows, const char *text, size_t n)
{
	n = strnlen(text, n);
	rows_put_word(rows, (n + 7) / 8);
	uint64_t *cells = rows_put(rows, (n + 7) / 8);
	for (size_t i = 0; cells && i < n; i++)
		cells[i / 8] |= (uint64_t)(unsigned char)text[i] << (56 - i % 8 * 8);
}

static int compare_words(const uint64_t *a, const uint64_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* An address is its meaning, of which 0 is none, and a number, which says nothing where there is a meaning. */
static int compare_parts(
	const struct state_field *part, struct part_form form, const struct wl_words *a, const struct wl_words *b)
{
	if (form.cells) {
		int order = compare_words(a->cells, b->cells, a->n < b->n ? a->n : b->n);
		return order ? order : (a->n > b->n) - (a->n < b->n);
	}
	bool has_meaning = part->scalar.is_address && *a->fixed && part->kind != WARD_FIELD_WIDE;
	return compare_words(a->fixed, b->fixed, has_meaning ? 1 : form.fixed);
}

int part_compare_keys(const struct partial_field *p, const uint64_t *a, const uint64_t *b)
{
	int order = 0;
	for (uint32_t i = 0; order == 0 && i < p->n_keys; i++) {
		struct wl_words x, y;
		a = part_read(p->forms[i], a, &x);
		b = part_read(p->forms[i], b, &y);
		order = compare_parts(&p->parts[i], p->forms[i], &x, &y);
	}
	return order;
}

const uint64_t *part_skip_key(const struct partial_field *p, const uint64_t *at)
{
	struct wl_words words;
	for (uint32_t i = 0; i < p->n_keys; i++)
		at = part_read(p->forms[i], at, &words);
	return at;
}
