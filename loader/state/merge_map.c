/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging maps, and what is read like one: the counters of a top, the samples of a Chopstix sketch.
 *
 * Maps from integers to integers are collected as pairs. Any other map's slots are copied and sorted by key, part by
 * part. The slots of one key, in order of their threads, are a group, and each part of the value is merged over the
 * group as a field is over states. Groups are ordered by the first number that their value has, and the largest are
 * listed.
 */
#define _GNU_SOURCE 1

#include <stdlib.h>
#include <string.h>

#include "merge.h"

static int by_key(const void *a, const void *b)
{
	const struct ward_map_entry *x = a, *y = b;
	return (x->key > y->key) - (x->key < y->key);
}

static int by_value(const void *a, const void *b)
{
	const struct ward_map_entry *x = a, *y = b;
	return x->value != y->value ? (x->value < y->value) - (x->value > y->value) : by_key(a, b);
}

/* Add up the values of equal keys, in place. Returns how many keys. */
static size_t fold(struct ward_map_entry *pairs, size_t n)
{
	size_t kept = 0;
	if (n == 0)
		return 0;
	qsort(pairs, n, sizeof(*pairs), by_key);
	for (size_t i = 1; i < n; i++) {
		if (pairs[i].key == pairs[kept].key)
			pairs[kept].value += pairs[i].value;
		else
			pairs[++kept] = pairs[i];
	}
	return kept + 1;
}

static const unsigned char *slot_at(const struct state_map *map, const void *state, uint32_t s)
{
	return (const unsigned char *)state + map->slots + (size_t)s * map->stride;
}

/* Is a slot in use? Of a map 2 says that its key was removed. */
static bool slot_used(const struct state_field *f, uint64_t used)
{
	return used != 0 && !(f->kind == WARD_FIELD_MAP && used == 2);
}

static size_t count_used(const struct state_field *f, const void *const *states, size_t n)
{
	size_t total = 0;
	for (size_t t = 0; t < n; t++)
		for (uint32_t s = 0; s < f->map.n; s++)
			total += slot_used(f, merge_read(slot_at(&f->map, states[t], s), &f->map.used));
	return total;
}

/* What all maps have beside their entries. */
static void merge_rest(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out)
{
	out->lost = f->map.lost.size ? merge_sum(states, n, &f->map.lost) : 0;
	out->evicted = f->map.evicted.size ? merge_sum(states, n, &f->map.evicted) : 0;
}

bool merge_plain_map(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap)
{
	const struct state_map *map = &f->map;
	size_t room = count_used(f, states, n), pairs = 0; /* those that come up while we read wait for the next time */
	struct ward_map_entry *at = heap_take(heap, room, sizeof(*at));
	if (!at)
		return false;
	for (size_t t = 0; t < n; t++) {
		for (uint32_t s = 0; s < map->n && pairs < room; s++) {
			const unsigned char *slot = slot_at(map, states[t], s);
			if (slot_used(f, merge_read(slot, &map->used)))
				at[pairs++] = (struct ward_map_entry){.key = state_module_of(f->modules, merge_read(slot, &map->key)), .value = merge_read(slot, &map->value)};
		}
	}
	out->n = fold(at, pairs);
	qsort(at, out->n, sizeof(*at), by_value);
	out->entries = at;
	merge_rest(f, states, n, out);
	if (map->other && out->lost) {
		struct state_int other = map->value;
		struct ward_map_entry *more = heap_take(heap, 1, sizeof(*more));
		if (!more)
			return false;
		other.offset += map->other - map->value_offset;
		more->value = merge_sum(states, n, &other);
		out->other = more;
	}
	return true;
}

/* A copy of a slot. */
struct slot {
	const unsigned char *bytes;
	uint32_t thread;
};

/* The slots of one key. */
struct group {
	size_t first, n;
	uint64_t weight, error;
};

struct groups {
	const struct state_field *f;
	struct slot *slots;
	size_t n_slots;
	struct group *at;
	size_t n;
	uint64_t *least; /* TOP: of each thread, the most that a key without a counter may have counted */
};

/* Compare two slots' keys. */
static int compare_keys(const struct state_field *f, const unsigned char *a, const unsigned char *b)
{
	for (uint32_t i = 1; i <= f->n_keys; i++) {
		const struct state_int *scalar = &f[i].scalar;
		int order = 0;
		if (f[i].kind == WARD_FIELD_TEXT) {
			order = strncmp((const char *)a + scalar->offset, (const char *)b + scalar->offset, f[i].n);
		} else {
			const struct state_modules *modules = f->kind == WARD_FIELD_MAP ? f[i].modules : NULL; /* the others' weights are of one key each */
			uint64_t x = state_module_of(modules, merge_read(a, scalar)), y = state_module_of(modules, merge_read(b, scalar));
			order = scalar->is_signed ? ((int64_t)x > (int64_t)y) - ((int64_t)x < (int64_t)y) : (x > y) - (x < y);
		}
		if (order)
			return order;
	}
	return 0;
}

static int by_key_and_thread(const void *a, const void *b, void *f)
{
	const struct slot *x = a, *y = b;
	int order = compare_keys(f, x->bytes, y->bytes);
	return order ? order : (x->thread > y->thread) - (x->thread < y->thread);
}

static bool copy_slots(struct groups *g, const void *const *states, size_t n, struct heap *heap)
{
	const struct state_map *map = &g->f->map;
	size_t room = count_used(g->f, states, n);
	unsigned char *bytes = heap_take(heap, room, map->stride);
	g->slots = heap_take(heap, room, sizeof(*g->slots));
	if (!bytes || !g->slots)
		return false;
	for (size_t t = 0; t < n; t++) {
		for (uint32_t s = 0; s < map->n && g->n_slots < room; s++) {
			memcpy(bytes, slot_at(map, states[t], s), map->stride);
			if (!slot_used(g->f, merge_read(bytes, &map->used)))
				continue;
			g->slots[g->n_slots++] = (struct slot){bytes, (uint32_t)t};
			bytes += map->stride;
		}
	}
	qsort_r(g->slots, g->n_slots, sizeof(*g->slots), by_key_and_thread, (void *)(uintptr_t)g->f);
	return true;
}

/* The smallest counter of each thread; 0 if one is free. */
static bool find_least(struct groups *g, const void *const *states, size_t n, struct heap *heap)
{
	g->least = heap_take(heap, n, sizeof(*g->least));
	if (!g->least)
		return false;
	for (size_t t = 0; t < n; t++) {
		g->least[t] = UINT64_MAX;
		for (uint32_t s = 0; s < g->f->map.n; s++) {
			uint64_t count = merge_read(slot_at(&g->f->map, states[t], s), &g->f->map.used);
			g->least[t] = count < g->least[t] ? count : g->least[t];
		}
	}
	return true;
}

/* TOP: counts and errors add up; a thread without a counter for the key may have counted it as often as its smallest. */
static void weigh_top(const struct groups *g, struct group *group, size_t n)
{
	const struct state_map *map = &g->f->map;
	size_t s = group->first, end = s + group->n;
	for (size_t t = 0; t < n; t++) {
		if (s == end || g->slots[s].thread != t) {
			group->weight += g->least[t];
			group->error += g->least[t];
		}
		for (; s < end && g->slots[s].thread == t; s++) {
			group->weight += merge_read(g->slots[s].bytes, &map->used);
			group->error += merge_read(g->slots[s].bytes, &map->error);
		}
	}
}

/* CHOPSTIX: the largest count of each thread. */
static void weigh_samples(const struct groups *g, struct group *group)
{
	for (size_t s = group->first, end = s + group->n; s < end;) {
		uint32_t thread = g->slots[s].thread;
		uint64_t most = 0;
		for (; s < end && g->slots[s].thread == thread; s++) {
			uint64_t count = merge_read(g->slots[s].bytes, &g->f->map.used);
			most = count > most ? count : most;
		}
		group->weight += most;
	}
}

/* What a merged field is ordered by: how much it has counted. */
static uint64_t weight_of(const struct ward_field *field)
{
	uint64_t total = 0;
	switch (field->kind) {
	case WARD_FIELD_LOG2:
	case WARD_FIELD_LINEAR:
		for (size_t i = 0; i < field->n; i++)
			total += field->buckets[i].count;
		return total;
	case WARD_FIELD_STAT:
	case WARD_FIELD_QUANTILES:
	case WARD_FIELD_GATE: return field->count;
	case WARD_FIELD_MEAN: return field->real < 0x1p64 ? (uint64_t)field->real : UINT64_MAX;
	default: return field->value;
	}
}

/* A part of the value, merged over the slots of a group. */
static bool merge_part(const struct groups *g, const struct group *group, const struct state_field *part, const void **bases, struct ward_field *out,
	struct heap *heap)
{
	for (size_t i = 0; i < group->n; i++)
		bases[i] = g->slots[group->first + i].bytes;
	return merge_describe(part, out, heap) && merge_field(part, bases, group->n, out, heap);
}

static bool weigh_map(const struct groups *g, struct group *group, const void **bases)
{
	struct heap scratch = {0};
	struct ward_field field;
	bool ok = merge_part(g, group, &g->f[1 + g->f->n_keys], bases, &field, &scratch);
	if (ok)
		group->weight = weight_of(&field);
	heap_free(&scratch);
	return ok;
}

/* One group for each key. */
static bool make_groups(struct groups *g, size_t n, const void **bases, struct heap *heap)
{
	g->at = heap_take(heap, g->n_slots, sizeof(*g->at));
	if (!g->at)
		return false;
	for (size_t s = 0, end; s < g->n_slots; s = end) {
		struct group *group = &g->at[g->n++];
		for (end = s + 1; end < g->n_slots && compare_keys(g->f, g->slots[s].bytes, g->slots[end].bytes) == 0; end++)
			;
		*group = (struct group){.first = s, .n = end - s};
		if (g->f->kind == WARD_FIELD_TOP)
			weigh_top(g, group, n);
		else if (g->f->kind == WARD_FIELD_CHOPSTIX)
			weigh_samples(g, group);
		else if (!weigh_map(g, group, bases))
			return false;
	}
	return true;
}

static int by_weight(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight) : (x->first > y->first) - (x->first < y->first);
}

static bool fill_entry(const struct groups *g, const struct group *group, const void **bases, struct ward_map_entry *entry, struct heap *heap)
{
	const struct state_field *f = g->f;
	struct ward_field *fields = heap_take(heap, (size_t)f->n_keys + f->n_values, sizeof(*fields));
	const void *first = g->slots[group->first].bytes;
	bool ok = fields != NULL;
	for (uint32_t i = 0; ok && i < f->n_keys; i++)
		ok = merge_describe(&f[1 + i], &fields[i], heap) && merge_field(&f[1 + i], &first, 1, &fields[i], heap);
	for (uint32_t i = f->n_keys; ok && i < f->n_keys + f->n_values; i++)
		ok = merge_part(g, group, &f[1 + i], bases, &fields[i], heap);
	*entry = (struct ward_map_entry){.keys = fields, .values = ok && f->n_values ? fields + f->n_keys : NULL, .value = group->weight, .error = group->error};
	if (ok && f->n_keys == 1)
		entry->key = fields[0].value;
	return ok;
}

/* The value of keys without room: read where its bytes lie as if a slot were around them. */
static bool fill_other(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap)
{
	struct ward_field *fields = heap_take(heap, f->n_values, sizeof(*fields));
	struct ward_map_entry *other = heap_take(heap, 1, sizeof(*other));
	const void **bases = heap_take(heap, n, sizeof(*bases));
	bool ok = fields && other && bases;
	for (size_t t = 0; ok && t < n; t++)
		bases[t] = (const unsigned char *)states[t] + (f->map.other - f->map.value_offset);
	for (uint32_t i = 0; ok && i < f->n_values; i++)
		ok = merge_describe(&f[1 + f->n_keys + i], &fields[i], heap) && merge_field(&f[1 + f->n_keys + i], bases, n, &fields[i], heap);
	if (ok) {
		other->values = fields;
		other->value = weight_of(&fields[0]);
		out->other = other;
	}
	return ok;
}

bool merge_map(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out, struct heap *heap)
{
	struct groups g = {.f = f};
	struct heap scratch = {0};
	const void **bases;
	bool ok = copy_slots(&g, states, n, &scratch) && (f->kind != WARD_FIELD_TOP || find_least(&g, states, n, &scratch));
	bases = heap_take(&scratch, g.n_slots, sizeof(*bases));
	ok = ok && bases && make_groups(&g, n, bases, &scratch);
	size_t most = f->kind == WARD_FIELD_TOP && f->map.n < STATE_MAX_ENTRIES ? f->map.n : STATE_MAX_ENTRIES;
	struct ward_map_entry *entries = ok ? heap_take(heap, g.n < most ? g.n : most, sizeof(*entries)) : NULL;
	ok = ok && entries;
	if (ok && g.n)
		qsort(g.at, g.n, sizeof(*g.at), by_weight);
	for (; ok && out->n < g.n && out->n < most; out->n++)
		ok = fill_entry(&g, &g.at[out->n], bases, &entries[out->n], heap);
	heap_free(&scratch);
	if (!ok)
		return false;
	out->entries = entries;
	out->unlisted = f->kind == WARD_FIELD_TOP ? 0 : g.n - out->n;
	merge_rest(f, states, n, out);
	if (f->kind == WARD_FIELD_CHOPSTIX) {
		out->value = merge_sum(states, n, &f->map.events);
		out->lost = 0;
		for (size_t t = 0; t < n; t++) {
			uint64_t samples = merge_read(states[t], &f->map.evicted);
			out->lost += samples > f->map.n ? samples - f->map.n : 0;
		}
		out->evicted = 0;
	}
	return !f->map.other || !out->lost || f->kind != WARD_FIELD_MAP || fill_other(f, states, n, out, heap);
}
