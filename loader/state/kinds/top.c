/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WARD_TOP: the most frequent keys (Space-Saving). A key has counted at most what its counter says; `error` of that may
 * be others'.
 */
#include "slots.h"

static bool top_read(struct types_reader *r, const struct type_at *at, struct state_field *f, struct slot_types *slots)
{
	if (!slots_find(r, at, "value", f, slots))
		return false;
	slots->is_plain = true;
	return types_find_int(r, &slots->slot, "count", &f->map.used) &&
	       types_find_int(r, &slots->slot, "error", &f->map.error);
}

static bool top_valid(const struct state_field *f, uint64_t end)
{
	return slots_valid(f, end) && f->n_keys && f->map.error.size && !f->map.other;
}

/* Counts and errors add up. A thread without a counter for the key may have counted it as often as its smallest. */
static void top_weight(const struct state_field *f, struct slot_group *group, const uint64_t *floor, size_t threads)
{
	size_t s = 0;
	for (size_t t = 0; t < threads; t++) {
		if (s == group->n || group->slot[s].thread != t) {
			group->weight += floor[t];
			group->error += floor[t];
		}
		for (; s < group->n && group->slot[s].thread == t; s++) {
			group->weight += merge_read(group->slot[s].bytes, &f->map.used);
			group->error += merge_read(group->slot[s].bytes, &f->map.error);
		}
	}
}

static const struct wl_entries top_entries = {.weigh = top_weight, .has_most = true};

const struct wl_kind wl_kind_top = {
	.shown = {.name = "top", .form = WARD_FORM_ENTRIES, .entry = "at most", .has_error = true},
	.marks = {{"ward_top", NULL, top_read}},
	.valid = top_valid,
	.entries = &top_entries,
	.text = slots_print_lost,
	.results = slots_give_lost,
};
