/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

struct reader {
	const struct query *q;
	struct query_kept *kept;
	size_t n_keys, n_results;
};

/* Room for n entries, their keys and results. */
static bool kept_alloc(struct reader *r, size_t n)
{
	struct query_kept *k = r->kept;
	struct query_value *keys = calloc(n * r->n_keys + 1, sizeof(*keys));
	struct query_result *results = calloc(n * r->n_results + 1, sizeof(*results));

	k->entries = calloc(n + 1, sizeof(*k->entries));
	k->memory[0] = keys;
	k->memory[1] = results;
	k->memory[2] = k->entries;
	if (!keys || !results || !k->entries)
		return false;
	for (size_t i = 0; i < n; i++)
		k->entries[i] = (struct query_entry){keys + i * r->n_keys, results + i * r->n_results};
	k->n = n;
	return true;
}

/* Buckets have one layout here and there. */
_Static_assert(sizeof(struct query_bucket) == sizeof(struct ward_bucket), "buckets are passed on as they are");

static void read_result(const struct ward_field *f, struct query_result *result)
{
	*result = (struct query_result){.count = f->kind == WARD_FIELD_STAT ? f->count : f->value,
		.number = f->value,
		.min = f->min,
		.max = f->max,
		.mean = f->real,
		.is_empty = f->is_empty,
		.buckets = (const struct query_bucket *)f->buckets,
		.n = f->n};
	if (f->kind == WARD_FIELD_QUANTILES) {
		result->count = f->count;
		result->n = f->n_buckets;
	}
}

/* A member "keepN", "columnN": which one it is. */
static bool member_number(const char *name, const char *prefix, size_t most, size_t *number)
{
	size_t n = strlen(prefix);
	char *end;

	if (strncmp(name, prefix, n) != 0 || name[n] < '0' || name[n] > '9')
		return false;
	*number = strtoul(name + n, &end, 10);
	return *end == 0 && *number < most;
}

static bool read_members(const struct reader *r, const struct ward_field *fields, size_t n, struct query_entry *entry)
{
	size_t number;

	for (size_t i = 0; i < n; i++) {
		if (!member_number(fields[i].name, "keep", r->n_results, &number))
			return false;
		read_result(&fields[i], &entry->results[number]);
	}
	return true;
}

static bool read_key(
	const struct reader *r, const struct ward_map_entry *from, uint32_t n_keys, struct query_entry *entry)
{
	if (n_keys == 0 && r->n_keys == 1) {
		entry->keys[0] = (struct query_value){.kind = QUERY_UNSIGNED, .number = from->key};
		return true;
	}
	if (n_keys != r->n_keys)
		return false;
	for (uint32_t i = 0; i < n_keys; i++)
		entry->keys[i] = (struct query_value){.kind = from->keys[i].text ? QUERY_TEXT : QUERY_UNSIGNED,
			.number = from->keys[i].value,
			.text = from->keys[i].text};
	return true;
}

static bool read_groups(struct reader *r, const struct ward_field *map)
{
	if ((map->kind != WARD_FIELD_MAP && map->kind != WARD_FIELD_TOP) || !kept_alloc(r, map->n))
		return false;
	r->kept->without_room = map->lost;
	r->kept->unlisted = map->unlisted;
	for (size_t i = 0; i < map->n; i++) {
		const struct ward_map_entry *from = &map->entries[i];
		struct query_entry *entry = &r->kept->entries[i];

		if (!read_key(r, from, map->n_keys, entry))
			return false;
		if (query_is_count(r->q))
			entry->results[0] = (struct query_result){
				.count = from->value, .number = from->value, .error = from->error};
		else if (!map->n_values || !read_members(r, from->values, map->n_values, entry))
			return false;
	}
	return true;
}

void query_record_read(const struct query *q, const struct ward_field *field, const struct ward_record *record,
	struct query_value *members)
{
	size_t number;

	for (uint32_t i = 0; i < field->n_values; i++) {
		const struct ward_field *m = &record->members[i];

		if (member_number(m->name, "column", query_columns(q), &number))
			members[number] = (struct query_value){
				.kind = m->text ? QUERY_TEXT : QUERY_UNSIGNED, .number = m->value, .text = m->text};
	}
}

bool query_kept_read(const struct query *q, const ward_snapshot *snapshot, struct query_kept *kept)
{
	struct reader r = {q, kept, query_entry_keys(q), query_entry_results(q)};
	size_t n = ward_snapshot_fields(snapshot), members = 0;
	bool fits = true, groups = query_has_groups(q), found = !groups;

	*kept = (struct query_kept){.n = 0};
	if (!groups && !kept_alloc(&r, 1))
		fits = false;
	for (size_t i = 0; i < n && fits; i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);

		if (f->kind == WARD_FIELD_STOP)
			continue;
		if (f->kind == WARD_FIELD_RING || strcmp(f->name, "taken") == 0)
			continue;
		if (f->kind == WARD_FIELD_GATE) {
			size_t gate;

			if (member_number(f->name, "gate", QUERY_GATES, &gate))
				kept->gates[gate] = (struct query_gate){f->value, f->count};
			continue;
		}
		if (strcmp(f->name, "left_out") == 0) {
			kept->left_out = f->value;
			continue;
		}
		members++;
		if (groups) {
			fits = members == 1 && read_groups(&r, f);
			found = fits;
		} else {
			fits = read_members(&r, f, 1, &kept->entries[0]);
		}
	}
	if (!fits || !found)
		query_kept_free(kept);
	return fits && found;
}

void query_kept_free(struct query_kept *kept)
{
	for (size_t i = 0; i < 3; i++)
		free(kept->memory[i]);
	*kept = (struct query_kept){0};
}
