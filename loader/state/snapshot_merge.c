/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot of states: their partial, which is finished at once. */
#include "partial.h"

#include "loader/base/error.h"
#include "loader/symbols/names.h"

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
	struct states all = {.at = states, .n = n, .names = wl_names_differ(names) ? names : NULL};
	return snapshot_merge(schema, &all, state_size, out, err);
}

int snapshot_merge(const ward_schema *schema, const struct states *states, size_t state_size, ward_snapshot **out,
	struct ward_error *err)
{
	if (!schema)
		return wl_missing(err, "ward_snapshot_take", "the schema");
	int status = partial_fits(schema, state_size, err);
	if (status)
		return status;
	ward_partial *p = partial_new(schema, false, SIZE_MAX);
	status = p && partial_take(p, states, NULL, NULL) ? ward_partial_finish(p, out, err)
							  : partial_fail(p, "the state", err);
	ward_partial_free(p);
	return status;
}
