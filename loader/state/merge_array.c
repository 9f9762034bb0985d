/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merge long arrays. Elements that are all zeros in every thread are left out. An element is merged over the threads as
 * a field is over states, each thread's element in the place of a state.
 */
#include "merge.h"

/* Has any thread written to this element? */
static bool is_used(const struct states *elements, uint32_t stride)
{
	for (size_t t = 0; t < elements->n; t++)
		for (uint32_t b = 0; b < stride; b++)
			if (__atomic_load_n((const unsigned char *)elements->at[t] + b, __ATOMIC_RELAXED))
				return true;
	return false;
}

/* The threads' copies of element i. */
static void find_elements(const struct state_map *map, const struct states *states, size_t i, const void **at)
{
	for (size_t t = 0; t < states->n; t++)
		at[t] = (const unsigned char *)states->at[t] + map->slots + i * map->stride;
}

static bool fill_entry(const struct state_field *f, const struct states *elements, size_t i,
	struct ward_map_entry *entry, struct heap *heap)
{
	struct ward_field *values = heap_take(heap, f->n_values, sizeof(*values));
	bool ok = values != NULL;
	for (uint32_t v = 0; ok && v < f->n_values; v++)
		ok = merge_part(&f[1 + v], elements, &values[v], heap);
	*entry = (struct ward_map_entry){
		.key = i, .value = ok ? values[0].value : 0, .values = values, .thread = WARD_ANY_THREAD};
	return ok;
}

static size_t count_used(
	const struct state_field *f, const struct states *states, struct states *elements, const void **at)
{
	size_t used = 0;
	for (size_t i = 0; i < f->map.n; i++) {
		find_elements(&f->map, states, i, at);
		used += is_used(elements, f->map.stride);
	}
	return used;
}

bool merge_array(const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	const void **at = heap_take(heap, states->n, sizeof(*at));
	struct states elements = {at, states->n, NULL};
	size_t used = at ? count_used(f, states, &elements, at) : 0,
	       room = used < STATE_MAX_ENTRIES ? used : STATE_MAX_ENTRIES;
	struct ward_map_entry *entries = heap_take(heap, room, sizeof(*entries));
	bool ok = at && entries;
	for (size_t i = 0; ok && i < f->map.n && out->n < room; i++) {
		find_elements(&f->map, states, i, at);
		if (is_used(&elements, f->map.stride))
			ok = fill_entry(f, &elements, i, &entries[out->n++], heap);
	}
	out->entries = entries;
	out->unlisted = used - room;
	return ok;
}
