/*
 * Merging the threads' states. The states lie in memory that the target shares and may fill with anything at any moment, also while we
 * read: each integer is read once, by one load where its alignment allows one, and nothing that was read decides where the next read goes.
 *
 * Counts, values and histogram buckets add up modulo 2^64. Maps are merged by collecting the pairs of all threads, sorting them by key and
 * adding up equal keys: no hash table that hostile keys could degrade, and memory bounded by the slots there are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"

struct ward_snapshot {
	size_t n;
	struct ward_field *fields;
	char (*names)[STATE_MAX_NAME];
};

/* Read an integer from memory that others write, sign-extended if it is signed. */
static uint64_t read_int(const unsigned char *base, const struct state_int *i)
{
	const unsigned char *p = base + i->offset;
	uint64_t v = 0;
	if ((uintptr_t)p % i->size == 0) {
		switch (i->size) {
		case 1: v = __atomic_load_n(p, __ATOMIC_ACQUIRE); break;
		case 2: v = __atomic_load_n((const uint16_t *)p, __ATOMIC_ACQUIRE); break;
		case 4: v = __atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE); break;
		case 8: v = __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE); break;
		}
	} else {
		for (unsigned b = 0; b < i->size; b++)
			v |= (uint64_t)__atomic_load_n(p + b, __ATOMIC_ACQUIRE) << (8 * b);
	}
	unsigned unused = 64 - 8u * i->size;
	if (i->is_signed && unused)
		v = (uint64_t)((int64_t)(v << unused) >> unused);
	return v;
}

static uint64_t sum(const void *const *states, size_t n, const struct state_int *i)
{
	uint64_t total = 0;
	for (size_t t = 0; t < n; t++)
		total += read_int(states[t], i);
	return total;
}

static bool merge_log2(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out)
{
	struct ward_bucket all[STATE_LOG2_BUCKETS];
	int first = STATE_LOG2_BUCKETS, last = -1;
	for (int b = 0; b < STATE_LOG2_BUCKETS; b++) {
		struct state_int at = f->scalar;
		at.offset += (uint32_t)b * at.size;
		all[b].lo = b ? 1ull << (b - 1) : 0;
		all[b].hi = b ? (1ull << (b - 1)) * 2 - 1 : 0;
		all[b].count = sum(states, n, &at);
		if (all[b].count) {
			first = b < first ? b : first;
			last = b;
		}
	}
	if (last < 0)
		return true;
	out->n = (size_t)(last - first + 1);
	struct ward_bucket *buckets = malloc(out->n * sizeof(*buckets));
	if (buckets)
		memcpy(buckets, all + first, out->n * sizeof(*buckets));
	out->buckets = buckets;
	return buckets != NULL;
}

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

/* Pairs collected so far; grows. */
struct pairs {
	struct ward_map_entry *at;
	size_t n, room;
};

static bool push(struct pairs *pairs, uint64_t key, uint64_t value)
{
	if (pairs->n == pairs->room) {
		size_t room = pairs->room ? 2 * pairs->room : 256;
		struct ward_map_entry *at = reallocarray(pairs->at, room, sizeof(*at));
		if (!at)
			return false;
		pairs->at = at;
		pairs->room = room;
	}
	pairs->at[pairs->n++] = (struct ward_map_entry){.key = key, .value = value};
	return true;
}

/* Add up the values of equal keys, in place. */
static void fold(struct pairs *pairs)
{
	size_t kept = 0;
	if (pairs->n == 0)
		return;
	qsort(pairs->at, pairs->n, sizeof(*pairs->at), by_key);
	for (size_t i = 1; i < pairs->n; i++) {
		if (pairs->at[i].key == pairs->at[kept].key)
			pairs->at[kept].value += pairs->at[i].value;
		else
			pairs->at[++kept] = pairs->at[i];
	}
	pairs->n = kept + 1;
}

static bool merge_map(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out)
{
	const struct state_map *map = &f->map;
	struct pairs pairs = {0};
	for (size_t t = 0; t < n; t++) {
		for (uint32_t s = 0; s < map->n; s++) {
			const unsigned char *slot = (const unsigned char *)states[t] + map->slots + (size_t)s * map->stride;
			if (!read_int(slot, &map->used))
				continue;
			if (!push(&pairs, read_int(slot, &map->key), read_int(slot, &map->value))) {
				free(pairs.at);
				return false;
			}
		}
	}
	fold(&pairs);
	if (pairs.n)
		qsort(pairs.at, pairs.n, sizeof(*pairs.at), by_value);
	out->entries = pairs.at;
	out->n = pairs.n;
	out->lost = map->lost.size ? sum(states, n, &map->lost) : 0;
	return true;
}

static bool merge_field(const struct state_field *f, const void *const *states, size_t n, struct ward_field *out)
{
	switch (f->kind) {
	case WARD_FIELD_LOG2: return merge_log2(f, states, n, out);
	case WARD_FIELD_MAP: return merge_map(f, states, n, out);
	default: out->value = sum(states, n, &f->scalar); return true;
	}
}

static int fail(struct ward_error *err, int status, const char *why, const char *hint)
{
	if (err) {
		err->status = status;
		snprintf(err->what, sizeof(err->what), "state");
		snprintf(err->why, sizeof(err->why), "%s", why);
		snprintf(err->hint, sizeof(err->hint), "%s", hint);
	}
	return status;
}

int ward_snapshot_merge(
	const ward_schema *schema, const void *const *states, size_t n, size_t state_size, ward_snapshot **out, struct ward_error *err)
{
	*out = NULL;
	for (size_t i = 0; i < schema->n; i++)
		if (!state_field_valid(&schema->fields[i], state_size))
			return fail(
				err, WARD_E_USAGE, "the fields don't fit into the state", "use the schema of the module that is attached");
	ward_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	if (snapshot) {
		snapshot->fields = calloc(schema->n + 1, sizeof(*snapshot->fields));
		snapshot->names = calloc(schema->n + 1, sizeof(*snapshot->names));
	}
	bool ok = snapshot && snapshot->fields && snapshot->names;
	for (size_t i = 0; ok && i < schema->n; i++) {
		struct ward_field *field = &snapshot->fields[i];
		*field = ward_schema_field(schema, i);
		memcpy(snapshot->names[i], field->name, strlen(field->name) + 1);
		field->name = snapshot->names[i];
		snapshot->n = i + 1;
		ok = merge_field(&schema->fields[i], states, n, field);
	}
	if (!ok) {
		ward_snapshot_free(snapshot);
		return fail(err, WARD_E_SYSTEM, "out of memory", "trace fewer threads, or use smaller maps");
	}
	*out = snapshot;
	return WARD_OK;
}

int ward_snapshot_take(ward_session *session, const ward_schema *schema, ward_snapshot **out, struct ward_error *err)
{
	const void *const *states;
	size_t state_size;
	size_t n = ward_session_states(session, &states, &state_size);
	return ward_snapshot_merge(schema, states, n, state_size, out, err);
}

size_t ward_snapshot_fields(const ward_snapshot *snapshot)
{
	return snapshot->n;
}

const struct ward_field *ward_snapshot_field(const ward_snapshot *snapshot, size_t i)
{
	return i < snapshot->n ? &snapshot->fields[i] : NULL;
}

void ward_snapshot_free(ward_snapshot *snapshot)
{
	if (!snapshot)
		return;
	for (size_t i = 0; i < snapshot->n; i++) {
		free((void *)(uintptr_t)snapshot->fields[i].buckets);
		free((void *)(uintptr_t)snapshot->fields[i].entries);
	}
	free(snapshot->fields);
	free(snapshot->names);
	free(snapshot);
}
