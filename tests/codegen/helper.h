/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler's tests share. */
#ifndef WARD_TESTS_CODEGEN_HELPER_H
#define WARD_TESTS_CODEGEN_HELPER_H

#include "codegen/codegen.h"
#include "verifier/file/module.h"

#include <criterion/criterion.h>

/* SOURCES, OBJECTS, PROBES: directories, from the build. */

struct built {
	int status; /* of ward_cc or ward_link */
	struct ward_buf module;
	char *said; /* all diagnostics; never NULL */
};

struct built build_source(const char *path, bool no_proof);
struct built build_guarded(const char *path, bool no_proof, enum ward_guards guards);
struct built build_object(const char *path, int64_t state_size);
void built_free(struct built *b);

/* A file's contents with a zero byte after them. The test fails if there is no such file. */
struct ward_buf read_file(const char *path);

/* Parse a module; the test fails if any rule of its format is broken. `m` refers to `b`. */
void parse_module(struct wv_module *m, const struct built *b);

/* A file in a directory of its own that lasts until the test ends; returns its path. */
const char *temporary(const struct built *b);
void temporary_remove(void);

/* Call fn for each file of a directory that ends in .c, in order of name. Returns how many. */
size_t each_source(const char *dir, void (*fn)(const char *path));

#endif
