/* SPDX-License-Identifier: Apache-2.0 */
/* What callers are told of a field before there are results. */
#include <string.h>

#include "merge.h"

#include "loader/state/kinds/kind.h"

/* The words that the compiler has for what stops a run (spec/module.md). */
const char *const state_reasons[STATE_REASONS] = {"access", "loop", "rounds", "divisor", "assert", "call"};

bool state_is_plain_map(const struct state_field *f)
{
	return f->n_keys == 0 && wl_kind_at(f->kind)->shown.form == WARD_FORM_ENTRIES;
}

struct state_field *state_time_field(struct state_field *ring)
{
	for (struct state_field *f = ring + 1; f <= ring + ring->n_values; f++)
		if (strcmp(f->name, "time") == 0 && (f->kind == WARD_FIELD_VALUE || f->kind == WARD_FIELD_COUNT))
			return f;
	return NULL;
}

const struct state_int *state_time_member(const struct state_field *ring)
{
	const struct state_field *f = state_time_field((struct state_field *)ring);
	return f ? &f->scalar : NULL;
}

struct ward_field state_field_public(const struct state_field *f)
{
	bool plain_map = state_is_plain_map(f);
	struct ward_field field = {
		.name = f->name,
		.kind = (enum ward_field_kind)f->kind,
		.key_is_signed = plain_map && f->map.key.is_signed,
		.is_address = (plain_map ? f->map.key.is_address : f->scalar.is_address) != 0,
		.is_stack = (plain_map ? f->map.key.is_stack : f->scalar.is_stack) != 0,
		.is_site = (plain_map ? f->map.key.is_site : f->scalar.is_site) != 0,
		.enumeration = f->modules ? &f->modules->names : f->enumeration,
		.value_is_signed = plain_map ? f->map.value.is_signed : f->scalar.is_signed,
		.unit = state_is_timed(f) ? WARD_UNIT_NS : (enum ward_unit)f->unit,
		.size = f->size,
		.line = f->line,
		.reason = wl_kind_at(f->kind)->shown.form == WARD_FORM_STOP ? state_reasons[f->reason] : NULL,
		.slots = f->map.n,
		.n_keys = f->n_keys,
		.n_values = f->n_values,
		.n_dumps = f->map.rings,
	};
	return field;
}

bool merge_describe(const struct state_field *f, struct ward_field *out, struct heap *heap)
{
	*out = state_field_public(f);
	out->name = merge_copy_text(heap, f->name, STATE_MAX_NAME);
	return out->name != NULL;
}
