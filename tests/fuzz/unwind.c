/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as call frame information: the first byte says which section it is. The rows must be in order, in no more
 * memory than the section warrants, and mean something.
 */
#include <stdlib.h>

#include "loader/symbols/unwind_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BASE = 0x1000, AT = 0x100000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wl_unwind_section section = {.p = data + 1, .n = size - 1, .address = AT};
	struct wl_unwind_rows rows;

	if (!size)
		return 0;
	section.is_debug_frame = data[0] & 1;
	if (wl_unwind_read(&section, BASE, &rows))
		abort();
	if (rows.n > 2 * size)
		abort();
	for (size_t i = 0; i < rows.n; i++) {
		if (i && rows.v[i].at <= rows.v[i - 1].at)
			abort();
		if (wl_unwind_find(&rows, rows.v[i].at) != rows.v[i].rule)
			abort();
	}
	wl_unwind_free(&rows);
	return 0;
}
