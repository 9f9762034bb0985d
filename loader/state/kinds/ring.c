/* SPDX-License-Identifier: Apache-2.0 */
/* WARD_RING: the last records. */
#include <inttypes.h>

#include "slots.h"

/* The number of the next record is in `evicted`, that of a slot's record in `used`. */
static bool ring_read(struct types_reader *r, const struct type_at *at, struct state_field *f, struct slot_types *slots)
{
	if (!slots_find(r, at, "record", f, slots))
		return false;
	slots->is_plain = true;
	return types_find_int(r, &slots->slot, "number", &f->map.used) &&
	       types_find_int(r, at, "next", &f->map.evicted);
}

static bool ring_valid(const struct state_field *f, uint64_t end)
{
	return slots_valid(f, end) && f->n_values && f->map.evicted.size && !f->map.rings && !f->map.taken.size;
}

static void ring_text(const struct ward_field *f, char *text, size_t size)
{
	if (f->lost)
		print_line(text, size, "%" PRIu64 " overwritten", f->lost);
}

static void ring_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_number(fn, user, "records", f->n, false);
	result_number(fn, user, "lost", f->lost, false);
}

const struct wl_kind wl_kind_ring = {
	.shown = {.name = "ring", .form = WARD_FORM_RECORDS},
	.is_followed = true,
	.marks = {{"ward_ring", NULL, ring_read}},
	.valid = ring_valid,
	.text = ring_text,
	.results = ring_results,
};
