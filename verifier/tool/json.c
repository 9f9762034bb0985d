/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "json.h"
#include "report.h"

void json_put(struct maker *m, struct json_object *object, const char *key, struct json_object *value)
{
	if (!object || !value || json_object_object_add(object, key, value) != 0) {
		m->failed = true;
		json_object_put(value);
	}
}

void json_append(struct maker *m, struct json_object *array, struct json_object *value)
{
	if (!array || !value || json_object_array_add(array, value) != 0) {
		m->failed = true;
		json_object_put(value);
	}
}

void json_put_string(struct maker *m, struct json_object *object, const char *key, const char *s)
{
	char *clean = s ? text_clean(s) : NULL;

	if (s)
		json_put(m, object, key, clean ? json_object_new_string(clean) : NULL);
	else if (!object || json_object_object_add(object, key, NULL) != 0)
		m->failed = true;
	free(clean);
}

void json_put_number(struct maker *m, struct json_object *object, const char *key, uint64_t n)
{
	json_put(m, object, key, json_object_new_uint64(n));
}

void json_put_bool(struct maker *m, struct json_object *object, const char *key, bool value)
{
	json_put(m, object, key, json_object_new_boolean(value));
}

/* After a failure nothing that json_put was given may be used: it has been freed. */
struct json_object *json_put_object(struct maker *m, struct json_object *object, const char *key)
{
	struct json_object *o = json_object_new_object();

	json_put(m, object, key, o);
	return m->failed ? NULL : o;
}

struct json_object *json_put_array(struct maker *m, struct json_object *object, const char *key)
{
	struct json_object *o = json_object_new_array();

	json_put(m, object, key, o);
	return m->failed ? NULL : o;
}

struct json_object *json_append_object(struct maker *m, struct json_object *array)
{
	struct json_object *o = json_object_new_object();

	json_append(m, array, o);
	return m->failed ? NULL : o;
}

bool json_finish(struct maker *m, struct json_object *root, FILE *out)
{
	const char *text = NULL;

	if (!m->failed && root)
		text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(root);
	return text != NULL;
}
