/* SPDX-License-Identifier: Apache-2.0 */
/* A long array of the state's: an entry for each element that isn't all zeros, whose key is its place. */
#include <inttypes.h>

#include "slots.h"

static bool array_valid(const struct state_field *f, uint64_t end)
{
	const struct state_map *map = &f->map;
	return map->n && map->stride && map->slots >= f->offset && map->slots <= end &&
	       map->n <= (end - map->slots) / map->stride && map->value_offset == 0 && map->value_size == map->stride &&
	       !map->other && !map->lost.size && !map->evicted.size && !map->events.size && !map->rings &&
	       f->n_keys == 0 && f->n_values;
}

static void array_text(const struct ward_field *f, char *text, size_t size)
{
	if (f->n && !f->unlisted && f->n < f->slots)
		print_line(
			text, size, "the other %" PRIu64 " of %" PRIu32 " are 0", f->slots - (uint64_t)f->n, f->slots);
}

static void array_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_number(fn, user, "elements", f->slots, false);
}

static const struct wl_entries array_entries = {.is_array = true};

const struct wl_kind wl_kind_array = {
	.shown = {.name = "array", .form = WARD_FORM_ENTRIES, .key = "index", .entry = "value"},
	.valid = array_valid,
	.entries = &array_entries,
	.text = array_text,
	.results = array_results,
};
