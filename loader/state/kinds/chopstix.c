/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WARD_CHOPSTIX: samples of all keys, few of the frequent ones. A sample has the key's count at that time, so a key has
 * counted at least what the largest of its samples says.
 */
#include <inttypes.h>

#include "slots.h"

/* The samples that were ever taken are in `evicted`. */
static bool chopstix_read(
	struct types_reader *r, const struct type_at *at, struct state_field *f, struct slot_types *slots)
{
	if (!slots_find(r, at, "value", f, slots))
		return false;
	slots->is_plain = true;
	return types_find_int(r, &slots->slot, "count", &f->map.used) &&
	       types_find_int(r, at, "samples", &f->map.evicted) && types_find_int(r, at, "events", &f->map.events);
}

static bool chopstix_valid(const struct state_field *f, uint64_t end)
{
	return slots_valid(f, end) && f->n_keys && f->map.evicted.size && f->map.events.size && !f->map.other;
}

/* The largest count of each thread; these add up. */
static void chopstix_weight(
	const struct state_field *f, struct slot_group *group, const uint64_t *floor, size_t threads)
{
	(void)floor;
	(void)threads;
	for (size_t s = 0; s < group->n;) {
		uint32_t thread = group->slot[s].thread;
		uint64_t most = 0;
		for (; s < group->n && group->slot[s].thread == thread; s++) {
			uint64_t count = merge_read(group->slot[s].bytes, &f->map.used);
			most = count > most ? count : most;
		}
		group->weight += most;
	}
}

static void chopstix_total(const struct state_field *f, const struct states *states, struct ward_field *out)
{
	out->value = merge_sum(states, &f->map.events);
	for (size_t t = 0; t < states->n; t++) {
		uint64_t samples = merge_read(states->at[t], &f->map.evicted);
		out->lost += samples > f->map.n ? samples - f->map.n : 0;
	}
}

static void chopstix_text(const struct ward_field *f, char *text, size_t size)
{
	print_line(text, size, "of %" PRIu64 " events", f->value);
	if (f->lost)
		print_line(text, size, "%" PRIu64 " samples overwritten", f->lost);
}

static void chopstix_results(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_number(fn, user, "events", f->value, false);
	result_number(fn, user, "lost", f->lost, false);
}

static const struct wl_entries chopstix_entries = {.weigh = chopstix_weight, .total = chopstix_total};

const struct wl_kind wl_kind_chopstix = {
	.shown = {.name = "chopstix", .form = WARD_FORM_ENTRIES, .entry = "at least"},
	.marks = {{"ward_chopstix", NULL, chopstix_read}},
	.valid = chopstix_valid,
	.entries = &chopstix_entries,
	.text = chopstix_text,
	.results = chopstix_results,
};
