/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot is a partial that was finished: what the fields' values are, of all states together. */
#include <stdlib.h>

#include "partial.h"

#include "loader/base/error.h"

struct ward_snapshot {
	size_t n;
	struct ward_field *fields;
	struct heap heap;
};

int ward_partial_finish(const ward_partial *p, ward_snapshot **out, struct ward_error *err)
{
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_partial_finish", "out");
	*out = NULL;
	if (!p)
		return wl_missing(err, "ward_partial_finish", "the partial");
	ward_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	if (snapshot)
		snapshot->fields = calloc(p->n + 1, sizeof(*snapshot->fields));
	bool ok = snapshot && snapshot->fields;
	for (size_t i = 0; ok && i < p->n; i++)
		ok = partial_finish_field(p, &p->fields[i], &snapshot->fields[snapshot->n++], &snapshot->heap);
	if (!ok) {
		ward_snapshot_free(snapshot);
		return partial_fail(NULL, "", err);
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
