/* SPDX-License-Identifier: Apache-2.0 */
/* Where the code of each import begins. */
#include "imports.h"

#include "ward/verify.h"

extern const uint8_t wl_import_read[], wl_import_read_str[], wl_import_match[], wl_import_clock[];

bool wl_import_offset(unsigned import, uint64_t *offset)
{
	static const uint8_t *const start[WARD_IMPORT_COUNT] = {
		[WARD_IMPORT_READ] = wl_import_read,
		[WARD_IMPORT_READ_STR] = wl_import_read_str,
		[WARD_IMPORT_MATCH] = wl_import_match,
		[WARD_IMPORT_CLOCK] = wl_import_clock,
	};

	if (import >= WARD_IMPORT_COUNT || !start[import])
		return false;
	*offset = (uint64_t)(start[import] - wl_imports_code);
	return true;
}
