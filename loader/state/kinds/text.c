/* SPDX-License-Identifier: Apache-2.0 */
/* A text: an array of char. Of several threads' texts the greatest. */
#include <stdio.h>
#include <string.h>

#include "results.h"
#include "words.h"

static uint32_t text_cells(const struct state_field *f)
{
	return (f->n + 7) / 8;
}

/* The next eight characters, the first one in the highest byte, up to a zero; each is read once. */
static uint64_t text_read(const unsigned char *from, uint32_t most, bool *is_over)
{
	uint64_t word = 0;
	for (uint32_t i = 0; i < 8; i++) {
		uint64_t c = *is_over || i >= most ? 0 : __atomic_load_n(&from[i], __ATOMIC_RELAXED);
		*is_over = c == 0;
		word = word << 8 | c;
	}
	return word;
}

/* Texts compare as their words do, from the first one that differs. */
static void text_take(const struct state_field *f, const unsigned char *state, uint64_t *into)
{
	bool is_over = false, is_greater = false;
	for (uint32_t i = 0; i < text_cells(f); i++) {
		uint64_t word = text_read(state + f->scalar.offset + i * 8, f->n - i * 8, &is_over);
		if (!is_greater && word < into[i])
			return;
		is_greater |= word > into[i];
		into[i] = word;
	}
}

static void text_add(const struct state_field *f, uint64_t *into, const uint64_t *from, size_t cells)
{
	size_t i = 0;
	(void)f;
	while (i < cells && from[i] == into[i])
		i++;
	if (i < cells && from[i] > into[i])
		memcpy(into, from, cells * sizeof(*into));
}

static bool text_finish(
	const struct state_field *f, const struct wl_words *words, struct ward_field *out, struct heap *heap)
{
	(void)f;
	out->text = words_text(words, heap);
	return out->text != NULL;
}

static bool text_valid(const struct state_field *f, uint64_t end)
{
	return f->scalar.size == 1 && f->n && ints_within(&f->scalar, f->n, end);
}

static void text_copy(const struct ward_field *f, char *text, size_t size)
{
	snprintf(text, size, "%s", f->text ? f->text : "");
}

static void text_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	fn(user, &(struct ward_result){.type = WARD_RESULT_TEXT, .name = "value", .text = f->text ? f->text : ""});
}

const struct wl_kind wl_kind_text = {
	.shown = {.name = "text", .form = WARD_FORM_LINE, .is_left = true},
	.valid = text_valid,
	.cells = text_cells,
	.take = text_take,
	.add = text_add,
	.finish = text_finish,
	.text = text_copy,
	.results = text_results,
};
