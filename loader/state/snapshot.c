/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging the threads' states. The states are in memory that the target shares. It may fill them with anything at any
 * moment, also while we read. So each integer is read once, by one load where its alignment allows one, and nothing
 * that was read decides where the next read goes. Slots with several members are copied first, and only the copy is
 * looked at.
 *
 * The kinds (kinds/) merge what has no parts. Maps are merged by collecting the slots of all threads, sorting them by
 * key and merging equal keys (merge_map.c); rings by sorting their records (merge_ring.c). No hash table means nothing
 * that hostile keys could degrade, and memory is bounded by the slots there are.
 */
#include <stdlib.h>

#include "merge.h"

#include "loader/base/error.h"
#include "loader/symbols/names.h"
#include "loader/state/kinds/kind.h"

struct ward_snapshot {
	size_t n;
	struct ward_field *fields;
	struct heap heap;
};

static bool merge_field(
	const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	switch (wl_kind_at(f->kind)->shown.form) {
	case WARD_FORM_ENTRIES: return merge_describe(f, out, heap) && merge_map(f, states, out, heap);
	case WARD_FORM_RECORDS: return merge_describe(f, out, heap) && merge_ring(f, states, out, heap);
	default: return merge_part(f, states, out, heap);
	}
}

/* The parts of a field, without results: callers learn their names and kinds from them. */
static bool describe_parts(const struct state_field *f, struct ward_field *out, struct heap *heap)
{
	size_t n = (size_t)f->n_keys + f->n_values;
	struct ward_field *parts = heap_take(heap, n, sizeof(*parts));
	bool ok = parts != NULL;
	for (size_t i = 0; ok && i < n; i++)
		ok = merge_describe(&f[1 + i], &parts[i], heap);
	out->parts = parts;
	return ok;
}

static int report_error(struct ward_error *err, int status, const char *why, const char *hint)
{
	wl_fail(err, status, "state", "%s", why);
	wl_hint(err, "%s", hint);
	return status;
}

int ward_snapshot_merge(const ward_schema *schema, const void *const *states, size_t n, size_t state_size,
	ward_snapshot **out, struct ward_error *err)
{
	return ward_snapshot_merge_named(schema, NULL, states, n, state_size, out, err);
}

int ward_snapshot_merge_named(const ward_schema *schema, ward_names *names, const void *const *states, size_t n,
	size_t state_size, ward_snapshot **out, struct ward_error *err)
{
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_snapshot_merge", "out");
	*out = NULL;
	if (!schema || (n && !states))
		return wl_missing(err, "ward_snapshot_merge", schema ? "states" : "the schema");
	for (size_t i = 0, group; i < schema->n; i += group) {
		group = state_group_valid(&schema->fields[i], schema->n - i, state_size);
		if (group == 0)
			return report_error(err, WARD_E_USAGE, "the fields don't fit into the state",
				"use the schema of the module that is attached");
	}
	ward_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	if (snapshot)
		snapshot->fields = calloc(schema->n + 1, sizeof(*snapshot->fields));
	struct states all = {states, n, wl_names_differ(names) ? names : NULL};
	bool ok = snapshot && snapshot->fields;
	for (size_t i = 0; ok && i < schema->n; i += 1 + schema->fields[i].n_keys + schema->fields[i].n_values) {
		const struct state_field *f = &schema->fields[i];
		struct ward_field *field = &snapshot->fields[snapshot->n++];
		ok = merge_field(f, &all, field, &snapshot->heap) && describe_parts(f, field, &snapshot->heap);
	}
	if (!ok) {
		ward_snapshot_free(snapshot);
		return report_error(err, WARD_E_SYSTEM, "out of memory", "trace fewer threads, or use smaller maps");
	}
	*out = snapshot;
	return WARD_OK;
}

size_t ward_snapshot_fields(const ward_snapshot *snapshot)
{
	return snapshot ? snapshot->n : 0;
}

const struct ward_field *ward_snapshot_field(const ward_snapshot *snapshot, size_t i)
{
	return snapshot && i < snapshot->n ? &snapshot->fields[i] : NULL;
}

void ward_snapshot_free(ward_snapshot *snapshot)
{
	if (!snapshot)
		return;
	heap_free(&snapshot->heap);
	free(snapshot->fields);
	free(snapshot);
}
