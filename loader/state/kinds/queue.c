/* SPDX-License-Identifier: Apache-2.0 */
/* WARD_QUEUE: records that wait for the reader. */
#include <inttypes.h>

#include "slots.h"

/* As a ring, with the reader's cursor. */
static bool queue_read(
	struct types_reader *r, const struct type_at *at, struct state_field *f, struct slot_types *slots)
{
	if (!slots_find(r, at, "record", f, slots))
		return false;
	slots->is_plain = true;
	return types_find_int(r, &slots->slot, "number", &f->map.used) &&
	       types_find_int(r, at, "next", &f->map.evicted) && types_find_int(r, at, "taken", &f->map.taken) &&
	       types_find_int(r, at, "lost", &f->map.lost);
}

static bool queue_valid(const struct state_field *f, uint64_t end)
{
	return slots_valid(f, end) && f->n_values && f->map.evicted.size && f->map.lost.size && f->map.taken.size &&
	       !f->map.rings;
}

static void queue_text(const struct ward_field *f, char *text, size_t size)
{
	if (f->lost)
		print_line(text, size, "%" PRIu64 " lost: the queue was full", f->lost);
}

static void queue_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_number(fn, user, "records", f->n, false);
	result_number(fn, user, "lost", f->lost, false);
}

const struct wl_kind wl_kind_queue = {
	.shown = {.name = "queue", .form = WARD_FORM_RECORDS},
	.is_followed = true,
	.marks = {{"ward_queue", NULL, queue_read}},
	.valid = queue_valid,
	.text = queue_text,
	.results = queue_results,
};
