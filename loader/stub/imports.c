/* SPDX-License-Identifier: Apache-2.0 */
/* Where the code of each import begins, and filling in what the walk of stacks needs. */
#include "imports.h"

#include "call_frames.h"
#include "ward/verify.h"

extern const uint8_t wl_import_read[], wl_import_read_str[], wl_import_match[], wl_import_clock[], wl_import_stack[],
	wl_walk_data[];

bool wl_import_offset(unsigned import, uint64_t *offset)
{
	static const uint8_t *const start[WARD_IMPORT_COUNT] = {
		[WARD_IMPORT_READ] = wl_import_read,
		[WARD_IMPORT_READ_STR] = wl_import_read_str,
		[WARD_IMPORT_MATCH] = wl_import_match,
		[WARD_IMPORT_CLOCK] = wl_import_clock,
		[WARD_IMPORT_STACK] = wl_import_stack,
	};

	if (import >= WARD_IMPORT_COUNT || !start[import])
		return false;
	*offset = (uint64_t)(start[import] - wl_imports_code);
	return true;
}

_Static_assert(sizeof(struct wl_walk) == WL_WALK_SIZE, "walk.S begins with it");
_Static_assert(sizeof(struct wl_directory_entry) == 1 << WL_DIR_SHIFT, "walk.S says so");
#define DIR_HAS(member, at) _Static_assert(offsetof(struct wl_directory, member) == (at), "walk.S says so")
DIR_HAS(n, WL_DIR_N);
DIR_HAS(generation, WL_DIR_GENERATION);
DIR_HAS(v, WL_DIR_ENTRIES);
#define ENTRY_HAS(member, at) _Static_assert(offsetof(struct wl_directory_entry, member) == (at), "walk.S says so")
ENTRY_HAS(start, WL_DIR_START);
ENTRY_HAS(end, WL_DIR_END);
ENTRY_HAS(rows, WL_DIR_ROWS);
ENTRY_HAS(n_rows, WL_DIR_N_ROWS);
ENTRY_HAS(skew, WL_DIR_SKEW);
_Static_assert(sizeof(struct wl_stacks) == WL_STACKS_BUCKETS, "walk.S says so");
_Static_assert(offsetof(struct wl_stacks, mark) == WL_STACKS_MARK, "walk.S says so");
_Static_assert(offsetof(struct wl_keep, walk_owner) == WL_KEEP_OWNER, "walk.S says so");
_Static_assert(offsetof(struct wl_keep, walk_from) == WL_KEEP_FROM, "walk.S says so");
_Static_assert(offsetof(struct wl_keep, walk_to) == WL_KEEP_TO, "walk.S says so");
_Static_assert(offsetof(struct wl_keep, walk_page) == WL_KEEP_PAGE, "walk.S says so");

void wl_walk_fill(uint8_t *imports, const struct wl_walk *walk)
{
	memcpy(imports + (wl_walk_data - wl_imports_code), walk, sizeof(*walk));
}
