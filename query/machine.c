/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

enum { ANY_NUMBER = 1 << 10, ANY_STATE = 1 << 30 }; /* no state is larger, so the schema fits */

struct reader {
	const struct query *q;
	struct query_kept *kept;
	size_t n_keys, n_results, n, n_windowed; /* n: entries that were read */
	const struct query_session *who;
	const char *prefix; /* of the members of the state that are read; or "" */
};

/* Room for entries, their keys and results. */
static bool kept_alloc(struct reader *r, size_t n, size_t n_windowed)
{
	struct query_kept *k = r->kept;
	size_t all = n + n_windowed;
	struct query_value *keys = calloc(all * r->n_keys + 1, sizeof(*keys));
	struct query_result *results = calloc(all * r->n_results + 1, sizeof(*results));

	k->entries = calloc(all + 1, sizeof(*k->entries));
	k->memory[0] = keys;
	k->memory[1] = results;
	if (!keys || !results || !k->entries)
		return false;
	for (size_t i = 0; i < all; i++)
		k->entries[i] =
			(struct query_entry){.keys = keys + i * r->n_keys, .results = results + i * r->n_results};
	k->n = n;
	k->windowed = k->entries + n;
	k->n_windowed = n_windowed;
	return true;
}

/* The sum of the parts that belong together. */
struct sum {
	ward_partial *partial;
	const struct query_session *who;
};

/* ---- reading a snapshot ---- */

/* Buckets have one layout here and there. */
_Static_assert(sizeof(struct query_bucket) == sizeof(struct ward_bucket), "buckets are passed on as they are");

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
		if (!query_result_named(r->q, fields[i].name, &number))
			return false;
		if (number < r->n_results)
			entry->results[number] = query_result_of(&fields[i]);
	}
	return true;
}

static struct query_value key_value(const struct ward_field *key)
{
	return (struct query_value){
		.kind = key->text ? QUERY_TEXT : QUERY_UNSIGNED, .number = key->value, .text = key->text};
}

/* A map from integers has no parts, unless its keys are names. A part that isn't called "keyN" is a window. */
static bool read_key(
	const struct reader *r, const struct ward_map_entry *from, uint32_t n_keys, struct query_entry *entry)
{
	size_t found = 0, number, place;

	if (r->n_keys == 1 && n_keys <= 1) {
		entry->keys[0] = n_keys ? key_value(&from->keys[0])
					: (struct query_value){.kind = QUERY_UNSIGNED, .number = from->key};
		return true;
	}
	for (uint32_t i = 0; i < n_keys; i++) {
		if (!member_number(from->keys[i].name, "key", ANY_NUMBER, &number))
			continue;
		place = query_key_place(r->q, number);
		if (place >= r->n_keys)
			return false;
		entry->keys[place] = key_value(&from->keys[i]);
		found++;
	}
	return found == r->n_keys;
}

/* Entries of the map "windows": their keys begin with the number of the window. */
static bool read_windowed(struct reader *r, const struct ward_field *map)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct ward_map_entry *from = &map->entries[i];
		struct query_entry *entry = &r->kept->windowed[r->n_windowed++];

		entry->session = r->who;
		entry->window = (int64_t)(map->n_keys ? from->keys[0].value : from->key);
		if (r->n_keys && !read_key(r, from, map->n_keys, entry))
			return false;
		if (map->n_values < 1 || !read_members(r, from->values + 1, map->n_values - 1, entry))
			return false;
		entry->seen = from->values[0].value;
	}
	return true;
}

static bool read_groups(struct reader *r, const struct ward_field *map)
{
	r->kept->without_room += map->lost;
	r->kept->unlisted += map->unlisted;
	for (size_t i = 0; i < map->n; i++) {
		const struct ward_map_entry *from = &map->entries[i];
		struct query_entry *entry = &r->kept->entries[r->n++];

		entry->session = r->who;
		if (query_module_of(r->q)) {
			if (!query_module_entry(r->q, from, map->n_keys, map->n_values, map, entry))
				return false;
			continue;
		}
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

/* Where it is counted how many events of pairs there were; NULL: it isn't that. */
static uint64_t *pair_count(struct query_pairs *pairs, const struct ward_field *f)
{
	if (f->kind != WARD_FIELD_COUNT)
		return NULL;
	return strcmp(f->name, "begins") == 0  ? &pairs->begins
	       : strcmp(f->name, "ends") == 0  ? &pairs->ends
	       : strcmp(f->name, "pairs") == 0 ? &pairs->pairs
					       : NULL;
}

/* A member's name without the prefix; NULL: it is of another part of the probe. */
static const char *own_name(const char *prefix, const char *name)
{
	size_t n = strlen(prefix);

	return strncmp(name, prefix, n) == 0 ? name + n : NULL;
}

/* The map of this name; NULL: it isn't there. */
static const struct ward_field *find_map(const char *prefix, const ward_snapshot *snapshot, const char *name)
{
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);

		if (ward_kind(f->kind)->form == WARD_FORM_ENTRIES && own_name(prefix, f->name) &&
			strcmp(own_name(prefix, f->name), name) == 0)
			return f;
	}
	return NULL;
}

static void read_gate(struct query_kept *kept, const struct ward_field *f)
{
	size_t gate;

	if (!member_number(f->name, "gate", QUERY_GATES, &gate))
		return;
	kept->gates[gate].passed += f->value;
	kept->gates[gate].of += f->count;
}

/* A member of the state that is one of those; without groups all results are. */
static bool read_member(struct reader *r, const struct ward_field *f, struct query_entry *only)
{
	size_t number;

	if (f->kind == WARD_FIELD_GATE)
		read_gate(r->kept, f);
	else if (member_number(f->name, "left_out", QUERY_DIVISIONS, &number))
		r->kept->left_out[number] += f->value;
	else if (pair_count(&r->kept->pairs, f))
		*pair_count(&r->kept->pairs, f) += f->value;
	else if (strcmp(f->name, "unread") == 0)
		r->kept->unread += f->value;
	else if (strcmp(f->name, "seen") == 0)
		r->kept->seen += f->value;
	else if (strncmp(f->name, "keep", 4) == 0 || strncmp(f->name, "use", 3) == 0)
		return only && read_members(r, f, 1, only);
	return true;
}

/* The map that its groups are; NULL: it has none. */
static const char *groups_name(const struct query *q)
{
	return query_module_of(q) ? query_module_table(q) : query_has_groups(q) ? "groups" : NULL;
}

static const struct ward_field *find_groups(const struct reader *r, const ward_snapshot *snapshot)
{
	const char *name = groups_name(r->q);

	return name ? find_map(r->prefix, snapshot, name) : NULL;
}

/* What a probe that was written by hand has kept: its members have names of their own. */
static bool read_module(struct reader *r, const ward_snapshot *snapshot)
{
	const struct ward_field *groups = find_groups(r, snapshot);
	struct query_entry *only = &r->kept->entries[r->n];

	if (groups)
		return read_groups(r, groups);
	if (groups_name(r->q))
		return false;
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++)
		query_module_state(r->q, ward_snapshot_field(snapshot, i), only);
	only->session = r->who;
	r->n++;
	return true;
}

static bool read_snapshot(struct reader *r, const ward_snapshot *snapshot)
{
	const struct ward_field *groups = find_groups(r, snapshot), *windows = find_map(r->prefix, snapshot, "windows");
	struct query_entry *only = query_has_groups(r->q) ? NULL : &r->kept->entries[r->n];

	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++) {
		struct ward_field f = *ward_snapshot_field(snapshot, i);

		f.name = own_name(r->prefix, f.name);
		if (f.name && f.kind != WARD_FIELD_STOP && !read_member(r, &f, only))
			return false;
	}
	if (only) {
		only->session = r->who;
		r->n++;
	} else if (groups && !read_groups(r, groups)) {
		return false;
	}
	return (only || groups || windows) && (!windows || read_windowed(r, windows));
}

static bool read_snapshots(const struct query *q, const char *prefix, const struct sum *sums,
	ward_snapshot *const *snapshots, size_t n_snapshots, struct query_kept *kept)
{
	struct reader r = {.q = q,
		.kept = kept,
		.n_keys = query_entry_keys(q),
		.n_results = query_entry_results(q),
		.prefix = prefix};
	size_t n = 0, n_windowed = 0;

	for (size_t i = 0; i < n_snapshots; i++) {
		const struct ward_field *groups = find_groups(&r, snapshots[i]),
					*windows = find_map(prefix, snapshots[i], "windows");

		n += groups_name(q) ? groups ? groups->n : 0 : 1;
		n_windowed += windows && !query_module_of(q) ? windows->n : 0;
	}
	if (!kept_alloc(&r, n, n_windowed))
		return false;
	for (size_t i = 0; i < n_snapshots; i++) {
		r.who = sums[i].who;
		if (!(query_module_of(q) ? read_module : read_snapshot)(&r, snapshots[i]))
			return false;
	}
	return true;
}

/* Both tables of the probe, or the only one. */
static bool read_tables(const struct query *q, const struct sum *sums, struct query_kept *kept)
{
	const struct query *other = query_other(q);

	if (!read_snapshots(q, "", sums, kept->snapshots, kept->n_snapshots, kept))
		return false;
	if (!other)
		return true;
	kept->other = calloc(1, sizeof(*kept->other));
	return kept->other && read_snapshots(other, "other.", sums, kept->snapshots, kept->n_snapshots, kept->other);
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

/* Its members have their numbers in their names. */
void query_pair_read(const struct ward_field *field, const struct ward_record *record, struct query_record *out)
{
	size_t number;

	*out = (struct query_record){0};
	for (uint32_t i = 0; i < field->n_values; i++) {
		const struct ward_field *m = &record->members[i];

		if (strcmp(m->name, "at") == 0)
			out->time = m->value;
		else if (strcmp(m->name, "side") == 0)
			out->is_end = m->value != 0;
		else if (member_number(m->name, "key", QUERY_PAIR_KEYS, &number)) {
			out->keys[number] = m->text ? 0 : m->value;
			out->key_texts[number] = m->text;
		} else if (member_number(m->name, "capture", QUERY_CAPTURES, &number))
			out->captures[number] = (struct query_value){
				.kind = m->text ? QUERY_TEXT : QUERY_UNSIGNED, .number = m->value, .text = m->text};
	}
}

void query_kept_join(struct query_kept *kept, const struct query_joined *joined)
{
	if (joined->entries) {
		free(kept->entries);
		kept->entries = joined->entries;
		kept->n = joined->n;
		kept->windowed = kept->entries + kept->n;
		kept->n_windowed = joined->n_windowed;
		kept->seen = joined->seen;
	}
	kept->pairs = joined->pairs;
	for (size_t i = 0; i < QUERY_GATES; i++) { /* a gate is on one side of the join */
		kept->gates[i].passed += joined->gates[i].passed;
		kept->gates[i].of += joined->gates[i].of;
	}
	for (size_t i = 0; i < QUERY_DIVISIONS; i++)
		kept->left_out[i] += joined->left_out[i];
	kept->unpaired = joined->lost;
}

/* ---- adding ---- */

bool query_belongs(unsigned apart, const struct query_session *a, const struct query_session *b)
{
	return (!(apart & QUERY_BY_PID) || a->pid == b->pid) &&
	       (!(apart & QUERY_BY_PROCESS) || strcmp(a->process, b->process) == 0) &&
	       (!(apart & QUERY_BY_MACHINE) || strcmp(a->machine, b->machine) == 0);
}

/* A partial of one part; it is the caller's. */
static int take_part(const struct query_part *part, ward_partial **out, struct ward_error *err)
{
	if (part->session && part->drain)
		return ward_drain_take(part->drain, part->session, out, err);
	if (part->session)
		return ward_partial_take(part->session, part->schema, part->names, NULL, out, err);
	if (part->last)
		return ward_partial_copy(part->last, out, err);
	return ward_partial_merge(part->schema, part->names, NULL, 0, ANY_STATE, NULL, out, err);
}

static int add_part(const struct query_part *part, unsigned apart, struct sum *sums, size_t *n, struct ward_error *err)
{
	ward_partial *partial = NULL;
	int status = take_part(part, &partial, err);
	size_t i = 0;

	while (i < *n && !query_belongs(apart, sums[i].who, part->who))
		i++;
	if (status == WARD_OK && i < *n) {
		status = ward_partial_add(sums[i].partial, partial, err);
	} else if (status == WARD_OK) {
		sums[(*n)++] = (struct sum){partial, part->who};
		return WARD_OK;
	}
	ward_partial_free(partial);
	return status;
}

static int finish_sums(const struct sum *sums, size_t n, struct query_kept *kept, struct ward_error *err)
{
	int status = WARD_OK;

	kept->snapshots = calloc(n + 1, sizeof(ward_snapshot *));
	if (!kept->snapshots) {
		*err = (struct ward_error){.status = WARD_E_SYSTEM, .what = "query", .why = "out of memory"};
		return WARD_E_SYSTEM;
	}
	for (size_t i = 0; i < n && status == WARD_OK; i++) {
		status = ward_partial_finish(sums[i].partial, &kept->snapshots[i], err);
		kept->n_snapshots += status == WARD_OK;
	}
	return status;
}

int query_machine_take(const struct query *q, const ward_schema *schema, const struct query_part *parts, size_t n,
	struct query_kept *kept, struct ward_error *err)
{
	static const struct query_session nobody = {.process = "", .machine = ""};
	struct query_part none = {.schema = schema, .who = &nobody};
	struct sum *sums = calloc(n + 1, sizeof(*sums));
	size_t n_sums = 0;
	int status = sums ? WARD_OK : WARD_E_SYSTEM;

	*kept = (struct query_kept){0};
	*err = (struct ward_error){.status = status, .what = "query", .why = "out of memory"};
	for (size_t i = 0; i < n && status == WARD_OK; i++)
		status = add_part(&parts[i], query_sessions_apart(q), sums, &n_sums, err);
	if (n == 0 && status == WARD_OK)
		status = add_part(&none, 0, sums, &n_sums, err);
	if (status == WARD_OK)
		status = finish_sums(sums, n_sums, kept, err);
	if (status == WARD_OK && !read_tables(q, sums, kept)) {
		status = WARD_E_USAGE;
		*err = (struct ward_error){
			.status = status, .what = "query", .why = "what the probe has kept can't be read"};
	}
	for (size_t i = 0; i < n_sums; i++)
		ward_partial_free(sums[i].partial);
	free(sums);
	if (status != WARD_OK)
		query_kept_free(kept);
	return status;
}

void query_kept_free(struct query_kept *kept)
{
	for (size_t i = 0; i < kept->n_snapshots; i++)
		ward_snapshot_free(kept->snapshots[i]);
	free(kept->snapshots);
	if (kept->other)
		query_kept_free(kept->other);
	free(kept->other);
	free(kept->entries);
	for (size_t i = 0; i < 2; i++)
		free(kept->memory[i]);
	*kept = (struct query_kept){0};
}
