/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as call frame information: the first byte says which section it is, and the second one where another one
 * begins. The rows must be in order, in no more memory than the section warrants, and mean something; those of both
 * together are those of the first, and the second's where it has none.
 */
#include <stdlib.h>

#include "loader/symbols/unwind_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BASE = 0x1000, AT = 0x100000 };

static struct wl_unwind_rows read_section(const uint8_t *p, size_t n, bool is_debug_frame)
{
	struct wl_unwind_section section = {.p = p, .n = n, .address = AT, .is_debug_frame = is_debug_frame};
	struct wl_unwind_rows rows;

	if (wl_unwind_read(&section, BASE, &rows) || rows.n > 2 * n)
		abort();
	return rows;
}

static void check_order(const struct wl_unwind_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		if (i && rows->v[i].at <= rows->v[i - 1].at)
			abort();
		if (wl_unwind_find(rows, rows->v[i].at) != rows->v[i].rule)
			abort();
	}
}

static void check_both(const struct wl_unwind_rows *both, const struct wl_unwind_rows *a,
	const struct wl_unwind_rows *b, const struct wl_unwind_rows *at)
{
	for (size_t i = 0; i < at->n; i++) {
		uint32_t rule = wl_unwind_find(a, at->v[i].at);

		if (rule == WL_UNWIND_NONE)
			rule = wl_unwind_find(b, at->v[i].at);
		if (wl_unwind_find(both, at->v[i].at) != rule)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wl_unwind_rows first, second, both;
	size_t n;

	if (size < 2)
		return 0;
	n = (size - 2) * data[1] / 255;
	first = read_section(data + 2, n, data[0] & 1);
	second = read_section(data + 2 + n, size - 2 - n, data[0] & 2);
	if (wl_unwind_merge(&first, &second, &both) || both.n > first.n + second.n)
		abort();
	check_order(&first);
	check_order(&second);
	check_order(&both);
	check_both(&both, &first, &second, &first);
	check_both(&both, &first, &second, &second);
	wl_unwind_free(&first);
	wl_unwind_free(&second);
	wl_unwind_free(&both);
	return 0;
}
