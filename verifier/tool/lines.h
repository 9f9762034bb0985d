/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines of instructions, from a module's debug information; and the functions that contain them, from its
 * symbols.
 */
#ifndef WARD_TOOL_LINES_H
#define WARD_TOOL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_line {
	char *file; /* malloc'd, valid UTF-8; NULL: unknown */
	unsigned line;
	unsigned column; /* 0: unknown */
	char *function;  /* the symbol at or before it, malloc'd, valid UTF-8; NULL: unknown */
	uint64_t into;   /* so many bytes behind that symbol */
	/* the calls that it was inlined for, the innermost first: file, line and column of each; if asked for */
	struct source_line *calls;
	size_t n_calls;
};

/*
 * Look up `n` addresses of the module `file`. Debug information is hostile, so a confined child process reads it;
 * what it can't read is unknown, nothing worse. `calls`: look for the calls that they were inlined for, too. Returns an
 * array of n, or NULL when there is no memory; free it with lines_free.
 */
struct source_line *lines_find(const void *file, size_t size, const uint64_t *addresses, size_t n, bool calls);
void lines_free(struct source_line *lines, size_t n);

/*
 * The path as seen from a directory (NULL: unchanged), since debug information holds absolute ones. Points into `file`.
 */
const char *lines_relative(const char *file, const char *directory);

#endif
