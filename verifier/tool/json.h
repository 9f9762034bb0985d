/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building JSON without a check after each step: the maker remembers that memory ran out, and json_finish reports it
 * at the end.
 */
#ifndef WARD_TOOL_JSON_H
#define WARD_TOOL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <json-c/json.h>

struct maker {
	bool failed;
};

/* Add `value` to an object or array, which then owns it. A NULL of either makes the maker fail and frees the value. */
void json_put(struct maker *m, struct json_object *object, const char *key, struct json_object *value);
void json_append(struct maker *m, struct json_object *array, struct json_object *value);

/* A member of an object. Strings may hold any bytes. A NULL string gives null. */
void json_put_string(struct maker *m, struct json_object *object, const char *key, const char *s);
void json_put_number(struct maker *m, struct json_object *object, const char *key, uint64_t n);
void json_put_bool(struct maker *m, struct json_object *object, const char *key, bool value);
/*
 * A new object or array as member of an object, or an object as element of an array; it belongs to the parent. NULL:
 * failed.
 */
struct json_object *json_put_object(struct maker *m, struct json_object *object, const char *key);
struct json_object *json_put_array(struct maker *m, struct json_object *object, const char *key);
struct json_object *json_append_object(struct maker *m, struct json_object *array);

/* Print the root on one line if nothing failed, and free it. */
bool json_finish(struct maker *m, struct json_object *root, FILE *out);

#endif
