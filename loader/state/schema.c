/* SPDX-License-Identifier: Apache-2.0 */
/* A module's state fields: the note says which C type the state has, debug information says what is in it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema.h"

#include "verifier/file/module.h"
#include "loader/base/error.h"
#include "loader/base/shared_part.h"

static int report_error(struct ward_error *err, int status, const char *what, const char *why, const char *hint)
{
	wl_fail(err, status, what, "%s", why);
	wl_hint(err, "%s", hint);
	return status;
}

static void set_pointers(struct ward_schema *schema)
{
	for (size_t i = 0; i < schema->n; i++) {
		struct state_field *f = &schema->fields[i];
		if (state_is_plain_map(f) ? f->map.key.is_module : f->scalar.is_module)
			f->modules = &schema->modules;
		f->clock = &schema->clock;
	}
}

int ward_schema_read(const void *image, size_t size, ward_schema **out, struct ward_error *err)
{
	struct wv_sink sink = {0};
	struct wv_module module;
	wl_clear(err);
	if (!out)
		return wl_missing(err, "ward_schema_read", "out");
	*out = NULL;
	if (!image)
		return wl_missing(err, "ward_schema_read", "the image");
	if (!wv_module_parse(&module, image, size, STATE_MAX_SIZE, &sink))
		return report_error(err, WARD_E_USAGE, "module", "not a module", "make one with ward cc or ward link");
	struct wv_entry first = wv_module_entry(&module, 0);
	struct state_data data = {.address = module.data.addr, .size = module.data.memsz};
	if (module.profile == WARD_PROFILE_KERNEL)
		data = (struct state_data){
			.size = wl_shared_part(image, size, module.state_size).size, .is_part = true};

	ward_schema *schema = calloc(1, sizeof(*schema));
	bool room = schema && (schema->fields = calloc(STATE_MAX_FIELDS, sizeof(*schema->fields))) &&
		    (schema->notes = calloc(1, sizeof(*schema->notes)));
	long n = -1;
	if (room)
		n = state_describe_all(image, size, first.state_type, first.name, module.state_size, &data,
			schema->fields, STATE_MAX_FIELDS, schema->notes);
	int saved = room ? errno : ENOMEM;
	if (n >= 0) {
		schema->n = (size_t)n;
		saved = ENOMEM;
		if (state_enumerate(schema, &schema->notes->names)) {
			set_pointers(schema);
			*out = schema;
			return WARD_OK;
		}
	}
	ward_schema_free(schema);
	return report_error(err, WARD_E_SYSTEM, "debug information", strerror(saved),
		"free some memory or processes and try again");
}

void ward_schema_set_clock(ward_schema *schema, double counts_per_us)
{
	if (schema)
		schema->clock.ns_per_count = counts_per_us > 0 && counts_per_us < 1e9 ? 1000 / counts_per_us : 0;
}

void ward_schema_free(ward_schema *schema)
{
	if (!schema)
		return;
	free(schema->fields);
	free(schema->notes);
	free(schema->enumerators);
	state_modules_free(&schema->modules);
	free(schema);
}

size_t ward_schema_fields(const ward_schema *schema)
{
	size_t n = 0;
	for (size_t i = 0; schema && i < schema->n; i++)
		n += schema->fields[i].part == STATE_WHOLE;
	return n;
}

struct ward_field ward_schema_field(const ward_schema *schema, size_t i)
{
	for (size_t k = 0; schema && k < schema->n; k++)
		if (schema->fields[k].part == STATE_WHOLE && i-- == 0)
			return state_field_public(&schema->fields[k]);
	return (struct ward_field){.name = ""};
}
