/* SPDX-License-Identifier: Apache-2.0 */
/* WARD_FLIGHT, a flight recorder: the last records, put aside at each trigger. */
#include <inttypes.h>

#include "slots.h"

/* An array of rings, as of WARD_RING. Those before the one in use, whose number is in `events`, are dumps. */
static bool flight_read(
	struct types_reader *r, const struct type_at *at, struct state_field *f, struct slot_types *slots)
{
	struct type_at ring;
	uint64_t rings;
	if (!types_find_array(r, at, "ring", &ring, &rings) || ring.type.size == 0 || ring.type.size > STATE_MAX_SIZE)
		return false;
	f->map.rings = (uint32_t)(rings - 1);
	f->map.ring_stride = (uint32_t)ring.type.size;
	if (!slots_find(r, &ring, "record", f, slots))
		return false;
	slots->is_plain = true;
	return types_find_int(r, &slots->slot, "number", &f->map.used) &&
	       types_find_int(r, &ring, "next", &f->map.evicted) && types_find_int(r, at, "dumps", &f->map.events) &&
	       types_find_int(r, at, "missed", &f->map.lost);
}

static bool flight_valid(const struct state_field *f, uint64_t end)
{
	return slots_valid(f, end) && f->n_values && f->map.evicted.size && f->map.events.size && f->map.rings &&
	       !f->map.taken.size;
}

static void flight_text(const struct ward_field *f, char *text, size_t size)
{
	if (f->lost)
		print_line(text, size, "%" PRIu64 " triggers missed", f->lost);
}

static void flight_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_number(fn, user, "records", f->n, false);
	result_number(fn, user, "missed", f->lost, false);
}

const struct wl_kind wl_kind_flight = {
	.shown = {.name = "flight", .form = WARD_FORM_RECORDS},
	.marks = {{"ward_flight", NULL, flight_read}},
	.valid = flight_valid,
	.text = flight_text,
	.results = flight_results,
};
