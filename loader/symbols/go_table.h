/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a Go program whose symbol table was stripped. go_table.c describes where their names are. */
#ifndef WARD_LOADER_GO_TABLE_H
#define WARD_LOADER_GO_TABLE_H

#include "loader/base/elf_file.h"

struct wl_go_table {
	uint64_t text; /* address of the first function, in the file's own view */
	struct wl_strings names;
	struct wl_strings entries; /* their places, and where their descriptions are; then these */
	size_t n;
};

struct wl_go_function {
	uint64_t address, size; /* padding included */
	const char *name;       /* "" if there is none */
};

/*
 * Read it. False if the file has none, or one of an older or unknown form, and without memory. The file is hostile
 * input. Free with wl_go_table_free.
 */
bool wl_go_table_read(const struct wl_elf *elf, struct wl_go_table *table);
void wl_go_table_free(struct wl_go_table *table);

/* Function i of n. False if what is said of it makes no sense. */
bool wl_go_table_function(const struct wl_go_table *table, size_t i, struct wl_go_function *f);

#endif
