/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a record's member, of a copy that nobody writes to. */
#include "merge.h"

#include "loader/state/kinds/kind.h"

bool merge_part(const struct state_field *f, const unsigned char *record, struct ward_field *out, struct heap *heap)
{
	const struct wl_kind *kind = wl_kind_at(f->kind);
	uint32_t cells = kind->cells ? kind->cells(f) : 0;
	uint64_t *words = heap_take(heap, (size_t)kind->fixed + cells, sizeof(*words));
	if (!words || !merge_describe(f, out, heap))
		return false;
	kind->take(f, record, words);
	struct wl_words all = {.fixed = words, .cells = words + kind->fixed, .n = cells};
	while (all.n && all.cells[all.n - 1] == 0)
		all.n--;
	while (all.n && *all.cells == 0)
		all.cells++, all.first++, all.n--;
	return kind->finish(f, &all, out, heap) && (!state_is_timed(f) || merge_in_time(f, out, heap));
}
