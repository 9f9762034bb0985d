/* SPDX-License-Identifier: Apache-2.0 */
/* A schema with a key more, for partials by machine (partial_by.c). */
#include <stdlib.h>
#include <string.h>

#include "partial.h"

#include "loader/base/error.h"

static struct state_field key_part(const char *name)
{
	struct state_field part = {
		.kind = WARD_FIELD_TEXT, .part = STATE_KEY, .size = PARTIAL_BY_MOST, .n = PARTIAL_BY_MOST};
	part.scalar.size = 1;
	memcpy(part.name, name, strlen(name));
	return part;
}

static void name_part(struct state_field *part, const char *name)
{
	memset(part->name, 0, sizeof(part->name));
	memcpy(part->name, name, strlen(name));
}

/* The field, its keys, its values. Returns where the next field starts. */
static struct state_field *divide_field(struct state_field *to, const struct partial_field *from, const char *key)
{
	const struct state_field *f = from->f;
	bool is_map = wl_kind_at(f->kind)->entries != NULL, is_top = is_map && wl_kind_at(f->kind)->entries->weigh;
	struct state_field *parts = to + 2;
	*to = *f;
	if (!is_top) /* also of what was no map, and of an array */
		to->kind = WARD_FIELD_MAP;
	to->n_keys = 1 + (is_map ? from->n_keys : 0);
	to->n_values = from->n_values;
	to->map.n = STATE_MAX_ENTRIES; /* of each machine as many as there are */
	to->enumeration = NULL;
	to->modules = NULL;
	to[1] = key_part(key);
	memcpy(parts, from->parts, (to->n_keys - 1 + to->n_values) * sizeof(*parts));
	for (uint32_t i = 0; i < to->n_keys - 1 + to->n_values; i++)
		parts[i].part = i < to->n_keys - 1 ? STATE_KEY : STATE_VALUE;
	if (!is_map)
		name_part(parts, "value");
	else if (f->n_keys == 0 && wl_kind_at(f->kind)->entries->is_array)
		name_part(parts, "index");
	else if (f->n_keys == 0)
		parts->enumeration = f->enumeration;
	return to + 1 + to->n_keys + to->n_values;
}

static struct state_field *copy_field(struct state_field *to, const struct state_field *f)
{
	size_t n = 1 + (size_t)f->n_keys + f->n_values;
	memcpy(to, f, n * sizeof(*to));
	return to + n;
}

int ward_schema_by(const ward_schema *schema, const char *key, ward_schema **out, struct ward_error *err)
{
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_schema_by", "out");
	*out = NULL;
	if (!schema || !key)
		return wl_missing(err, "ward_schema_by", schema ? "key" : "the schema");
	if (!state_name_valid(key) || schema->of) {
		wl_fail(err, WARD_E_USAGE, "state", schema->of ? "it is by %s already" : "%s is no name of a key",
			schema->of ? schema->fields[1].name : key);
		wl_hint(err, "%s", "give a schema that was read from a module, and a name of letters, such as machine");
		return WARD_E_USAGE;
	}
	ward_partial *p = partial_new(schema, false, SIZE_MAX); /* for the parts of its fields */
	ward_schema *by = p ? calloc(1, sizeof(*by)) : NULL;
	if (by)
		by->fields = calloc(schema->n * 4 + 1, sizeof(*by->fields)); /* of a field three parts more, at most */
	if (!by || !by->fields) {
		ward_schema_free(by);
		ward_partial_free(p);
		return partial_fail(NULL, "", err);
	}
	struct state_field *at = by->fields;
	for (size_t i = 0; i < p->n; i++)
		at = partial_is_divided(p->fields[i].f) ? divide_field(at, &p->fields[i], key)
							: copy_field(at, p->fields[i].f);
	by->n = (size_t)(at - by->fields);
	by->of = schema;
	ward_partial_free(p);
	*out = by;
	return WARD_OK;
}
