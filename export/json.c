/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as it is streamed: json-c writes each string and number, so what needs escapes is its business. */
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "format.h"

static void put_object(FILE *file, struct json_object *object)
{
	const char *text = object ? json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN) : NULL;
	fputs(text ? text : "null", file);
	json_object_put(object);
}

/* json-c escapes the slash, so no "</script>" is in it. */
void export_json_string(FILE *file, const char *text)
{
	put_object(file, json_object_new_string(text));
}

void export_json_value(FILE *file, const struct export_value *value)
{
	switch (value->type) {
	case EXPORT_UNSIGNED: fprintf(file, "%" PRIu64, value->number); break;
	case EXPORT_SIGNED: fprintf(file, "%" PRId64, (int64_t)value->number); break;
	case EXPORT_TEXT: export_json_string(file, value->text); break;
	case EXPORT_REAL:
		if (isfinite(value->real))
			put_object(file, json_object_new_double(value->real));
		else
			export_json_string(file, isnan(value->real) ? "nan" : value->real > 0 ? "inf" : "-inf");
		break;
	}
}

void export_json_scaled(FILE *file, int64_t ns, unsigned digits)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, unit = 1;
	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	fprintf(file, "%s%" PRIu64 ".%0*" PRIu64, ns < 0 ? "-" : "", size / unit, (int)digits, size % unit);
}
