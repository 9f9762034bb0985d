/* SPDX-License-Identifier: Apache-2.0 */
/* From DWARF to a table of types. For the child in the sandbox. */
#ifndef WARD_LOADER_TYPES_DWARF_TYPES_H
#define WARD_LOADER_TYPES_DWARF_TYPES_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "table.h"

enum { TYPE_HOPS = 32 /* typedefs and qualifiers of one type */ };

/* Types by where they are described, and which of them have been read. Zero at first. */
struct type_reader {
	struct table *table;
	Dwarf_Die dies[TABLE_TYPES]; /* of each type */
	uint32_t read;               /* types before this one have been read */
	uint32_t slots[4 * TABLE_TYPES];
};

/* The number of the type that a description has; what it leads to is read by types_read. 0: unknown. */
uint32_t types_number(struct type_reader *r, Dwarf_Die *of);

/* Read all types that have a number, and those that these lead to, the nearest ones first. */
void types_read(struct type_reader *r);

/* Step from a type or a variable to the type that it is of. False: there is none. */
bool types_step(Dwarf_Die *die);

/* Is it of a unit in C? Other languages have their own rules. */
bool types_is_c(Dwarf_Die *die);

/* declarator.c: "const char *path", as C declares something of the type that the description has; cut to fit. */
void types_declare(Dwarf_Die *of, const char *name, char *text, size_t size);

#endif
