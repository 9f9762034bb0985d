/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WARD_TESTS_QUERY_TABLE_H
#define WARD_TESTS_QUERY_TABLE_H

#include "query/query.h"

/* As `types` of struct query_options: types of functions of a program "shop". */
const struct ward_types *test_types(void *user, const char *site, int64_t pid, const char **why);
/* As `module`: what the probe kept.c has. */
const struct query_module *test_module(void *user, const struct query_module_file *file, const char **why);
/* As `use`: sketch.c, which takes two values; bare.c has a struct without members that rows can have. */
const struct query_used *test_use(void *user, const struct query_use_file *file, const char **why);

#endif
