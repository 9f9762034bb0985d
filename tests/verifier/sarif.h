/* SPDX-License-Identifier: Apache-2.0 */
/* The shape that SARIF 2.1.0 requires, as far as ward-verify uses it. */
#ifndef WARD_TESTS_SARIF_H
#define WARD_TESTS_SARIF_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Has this log the members that the standard requires, of the types that it requires, and none that it doesn't know? If
 * not, `why` says what and where.
 */
bool sarif_holds(struct json_object *log, char *why, size_t size);

#endif
