/* SPDX-License-Identifier: Apache-2.0 */
/* Merging a field that has no parts: of the state, of a key, a value or a record. Its kind knows how. */
#include "merge.h"

#include "loader/state/kinds/kind.h"

bool merge_part(const struct state_field *f, const struct states *states, struct ward_field *out, struct heap *heap)
{
	return merge_describe(f, out, heap) && wl_kind_at(f->kind)->merge(f, states, out, heap) &&
	       (!state_is_timed(f) || merge_in_time(f, out, heap));
}
