/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all kinds. */
#include "kind.h"

static const struct wl_kind *const rows[] = {
#define PUT_ROW(KIND, name) [WARD_FIELD_##KIND] = &wl_kind_##name,
	WL_KINDS(PUT_ROW)
#undef PUT_ROW
};

const struct wl_kind *wl_kind_at(uint32_t kind)
{
	return kind < sizeof(rows) / sizeof(rows[0]) ? rows[kind] : NULL;
}
