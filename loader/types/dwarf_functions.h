/* SPDX-License-Identifier: Apache-2.0 */
/* Types of functions of a module's file. dwarf_functions.c describes how. */
#ifndef WARD_LOADER_TYPES_DWARF_FUNCTIONS_H
#define WARD_LOADER_TYPES_DWARF_FUNCTIONS_H

#include "loader/base/elf_file.h"
#include "table.h"

/* A function that is asked for: its address in the file, and what the file calls it. */
struct dwarf_asked {
	uint64_t address;
	const char *symbol;
	uint32_t number; /* what it is called in the answer */
};

/*
 * Add those of the functions that the file describes to the table; `sites` are names of all numbers, n_sites of them.
 * Returns 0, ENOMEM, or EINVAL: the file can't be read in time, or isn't sound.
 */
int dwarf_functions_read(const struct wl_elf *elf, struct dwarf_asked *asked, size_t n, const char *const *sites,
	size_t n_sites, struct table *into);

#endif
