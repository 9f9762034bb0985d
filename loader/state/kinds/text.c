/* SPDX-License-Identifier: Apache-2.0 */
/* A text: an array of char. Of several threads' texts the greatest. */
#include <stdio.h>
#include <string.h>

#include "results.h"

static bool text_merge(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	const char *greatest = "";
	for (size_t t = 0; t < states->n; t++) {
		const char *text = (const char *)states->at[t] + f->scalar.offset;
		greatest = t == 0 || strncmp(text, greatest, f->n) > 0 ? text : greatest;
	}
	out->text = merge_copy_text(heap, greatest, f->n);
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
	.merge = text_merge,
	.text = text_copy,
	.results = text_results,
};
