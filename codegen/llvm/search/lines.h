/* SPDX-License-Identifier: Apache-2.0 */
/* From an address of a linked module to its line in the debug information. */
#ifndef WARD_LLVM_LINES_H
#define WARD_LLVM_LINES_H

#include <stddef.h>
#include <stdint.h>

struct line {
	uint64_t addr;
	int line; /* 0: none */
};

struct lines {
	struct line *row; /* by rising address */
	size_t n;
};

/* Read the line table of the module at `file`. Returns 0, or -1 if there is none or no memory. */
int line_table_read(struct lines *l, void *file, size_t size);
/* The line of an address, 0 if it has none. */
int line_table_at(const struct lines *l, uint64_t addr);
/* The same; of an address that has none, the nearest before it, or else behind it. */
int line_near(const struct lines *l, uint64_t addr);
void line_table_free(struct lines *l);

#endif
