/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a partial, and what becomes of one as a whole. */
#include <stdlib.h>
#include <string.h>

#include "partial.h"

#include "loader/base/error.h"
#include "loader/base/options.h"

/* The parts of a map from integers to integers, or of an array whose key is the place: they are in no schema. */
static bool make_parts(struct partial_field *p)
{
	const struct state_field *f = p->f;
	bool is_plain = state_is_plain_map(f) && !wl_kind_at(f->kind)->entries->is_array;
	p->n_keys = 1;
	p->n_values = is_plain ? 1 : f->n_values;
	p->own = calloc(1 + (size_t)p->n_values, sizeof(*p->own));
	if (!p->own)
		return false;
	p->parts = p->own;
	p->own[0] = (struct state_field){.name = "key",
		.kind = WARD_FIELD_VALUE,
		.part = STATE_KEY,
		.scalar = f->map.key,
		.size = f->map.key.size};
	p->own[0].modules = f->modules;
	if (!is_plain) /* the place is a number, whatever the description says of a key */
		p->own[0].scalar = (struct state_int){.size = 8};
	if (is_plain)
		p->own[1] = (struct state_field){.name = "value",
			.kind = WARD_FIELD_VALUE,
			.part = STATE_VALUE,
			.scalar = f->map.value,
			.size = f->map.value.size};
	else
		memcpy(p->own + 1, f + 1, p->n_values * sizeof(*p->own));
	return true;
}

static bool make_field(struct partial_field *p, const struct state_field *f)
{
	const struct wl_entries *entries = wl_kind_at(f->kind)->entries;
	p->f = f;
	p->parts = entries ? f + 1 : f;
	p->n_keys = f->n_keys;
	p->n_values = entries ? f->n_values : 1;
	p->beside = !entries ? 0 : entries->weigh ? ROW_ERROR + 1 : ROW_THREAD + 1;
	return !entries || f->n_keys || make_parts(p);
}

static bool make_forms(struct partial_field *p, bool is_named)
{
	uint32_t n = p->n_keys + p->n_values;
	p->forms = calloc(n ? n : 1, sizeof(*p->forms));
	for (uint32_t i = 0; p->forms && i < n; i++)
		p->forms[i] = part_form(&p->parts[i], is_named);
	return p->forms;
}

ward_partial *partial_new(const ward_schema *schema, bool is_named, size_t most)
{
	ward_partial *p = calloc(1, sizeof(*p));
	if (!p || !(p->fields = calloc(schema->n + 1, sizeof(*p->fields)))) {
		free(p);
		return NULL;
	}
	p->schema = schema;
	p->is_named = is_named;
	p->budget.most = most;
	p->notes.size = sizeof(p->notes);
	for (size_t i = 0; i < schema->n; i += 1 + schema->fields[i].n_keys + schema->fields[i].n_values) {
		struct partial_field *field = &p->fields[p->n++];
		field->rows.budget = field->other.budget = &p->budget;
		if (!make_field(field, &schema->fields[i]) || !make_forms(field, is_named)) {
			ward_partial_free(p);
			return NULL;
		}
	}
	return p;
}

void ward_partial_free(ward_partial *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		rows_free(&p->fields[i].rows);
		rows_free(&p->fields[i].other);
		free(p->fields[i].own);
		free(p->fields[i].forms);
	}
	free(p->fields);
	free(p);
}

/* Memory is charged to where it is. */
static void move_charge(ward_partial *p)
{
	for (size_t i = 0; i < p->n; i++)
		p->fields[i].rows.budget = p->fields[i].other.budget = &p->budget;
}

void partial_swap(ward_partial *a, ward_partial *b)
{
	ward_partial was = *a;
	size_t most_of_a = a->budget.most, most_of_b = b->budget.most;
	*a = *b;
	*b = was;
	a->budget.most = most_of_a;
	b->budget.most = most_of_b;
	move_charge(a);
	move_charge(b);
}

/* Charge a field to its partial, or take the charge back. */
static void charge_field(ward_partial *p, size_t i, bool back)
{
	struct partial_field *f = &p->fields[i];
	size_t memory = rows_memory(&f->rows) + rows_memory(&f->other);
	p->budget.used += back ? -memory : memory;
	f->rows.budget = f->other.budget = &p->budget;
}

void partial_swap_field(ward_partial *a, ward_partial *b, size_t i)
{
	struct partial_field was = a->fields[i];
	charge_field(a, i, true);
	charge_field(b, i, true);
	a->fields[i] = b->fields[i];
	b->fields[i] = was;
	charge_field(a, i, false);
	charge_field(b, i, false);
}

int partial_fail(const ward_partial *p, const char *what, struct ward_error *err)
{
	if (!p || !p->budget.is_exceeded) {
		wl_fail(err, WARD_E_SYSTEM, "state", "out of memory");
		wl_hint(err, "%s", "trace fewer threads, or use smaller maps");
	} else {
		wl_fail(err, WARD_E_SYSTEM, "partial", "%s takes more than %zu bytes of memory", what, p->budget.most);
		wl_hint(err, "%s", "allow more (struct ward_partial_limits), or use smaller maps");
	}
	return WARD_E_SYSTEM;
}

int partial_fits(const ward_schema *schema, size_t state_size, struct ward_error *err)
{
	for (size_t i = 0, group; i < schema->n; i += group) {
		const struct state_field *f = &schema->fields[i];
		/* what threads share is no part of a state; it is looked at where it is read (partial_take.c) */
		group = f->is_shared ? 1 + (size_t)f->n_keys + f->n_values
				     : state_group_valid(f, schema->n - i, state_size);
		if (group == 0) {
			wl_fail(err, WARD_E_USAGE, "state", "the fields don't fit into the state");
			wl_hint(err, "%s", "use the schema of the module that is attached");
			return WARD_E_USAGE;
		}
	}
	return WARD_OK;
}

int partial_limits(const struct ward_partial_limits *limits, struct ward_partial_limits *out, struct ward_error *err)
{
	int status = wl_read_options(out, sizeof(*out), limits, "ward_partial_limits", err);
	if (status)
		return status;
	if (out->bytes > WARD_PARTIAL_MOST_BYTES) {
		wl_fail(err, WARD_E_USAGE, "partial", "%zu bytes are more than a partial may have", out->bytes);
		wl_hint(err, "limits.bytes is at most %d", WARD_PARTIAL_MOST_BYTES);
		return WARD_E_USAGE;
	}
	out->bytes = out->bytes ? out->bytes : WARD_PARTIAL_BYTES;
	out->memory = out->memory ? out->memory : WARD_PARTIAL_MEMORY;
	return WARD_OK;
}

struct ward_partial_notes ward_partial_notes(const ward_partial *p)
{
	return p ? p->notes : (struct ward_partial_notes){0};
}

int ward_partial_note(ward_partial *p, const struct ward_partial_notes *notes, struct ward_error *err)
{
	struct ward_partial_notes read;
	wl_clear(err);
	if (!p || !notes)
		return wl_missing(err, "ward_partial_note", p ? "notes" : "the partial");
	int status = wl_read_options(&read, sizeof(read), notes, "ward_partial_notes", err);
	if (status == WARD_OK)
		p->notes = read;
	return status;
}

bool ward_partial_has_names(const ward_partial *p)
{
	return p && p->is_named;
}

size_t ward_partial_memory(const ward_partial *p)
{
	return p ? p->budget.used : 0;
}
