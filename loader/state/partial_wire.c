/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a part in a message. */
#include "partial_wire.h"

struct wire_form wire_form(const struct state_field *part, bool is_named)
{
	struct part_form form = part_form(part, is_named);
	bool is_address = part->part == STATE_KEY && part->scalar.is_address && part->kind != WARD_FIELD_WIDE;
	if (part->kind == WARD_FIELD_TEXT || part_is_name(part, is_named))
		return (struct wire_form){.is_string = true};
	/* what an address means in its threads is not written */
	return (struct wire_form){.first = is_address, .fixed = form.fixed - is_address, .has_cells = form.cells != 0};
}

uint32_t wire_columns(struct wire_form form)
{
	return form.is_string ? 1 : form.fixed + form.has_cells;
}

enum wl_wire wire_of(const struct state_field *part, uint32_t i)
{
	const struct wl_kind *kind = wl_kind_at(part->kind);
	if (part->part == STATE_KEY)
		return part->scalar.is_signed && i == 0 && part->kind != WARD_FIELD_REAL ? WIRE_ORDERED : WIRE_PLAIN;
	return kind->wire ? kind->wire(part, i) : WIRE_PLAIN;
}
