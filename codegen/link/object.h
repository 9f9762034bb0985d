/* SPDX-License-Identifier: Apache-2.0 */
/* A relocatable object file, read: sections, symbols and relocations as plain structs. The file may be hostile. */
#ifndef WARD_CODEGEN_OBJECT_H
#define WARD_CODEGEN_OBJECT_H

#include <elf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cg_reloc {
	uint64_t offset; /* in its section */
	uint32_t type;   /* R_X86_64_… */
	uint32_t symbol; /* < n_symbols */
	int64_t addend;
};

struct cg_section {
	const char *name;
	uint32_t type;
	uint64_t flags;
	uint64_t size, align, entsize;
	const uint8_t *data; /* NULL for SHT_NOBITS */
	struct cg_reloc *relocs;
	size_t n_relocs;
	/*
	 * It holds an address that can't be known: the relocation, and the section that it is in, this one or one that
	 * it refers to.
	 */
	const struct cg_reloc *hole;
	const struct cg_section *hole_in;
	/* The layout fills these: */
	int out;       /* index of the output section, -1 if dropped */
	uint64_t at;   /* where in the output section */
	uint64_t addr; /* in the module; for sections that are not loaded: where in the output section */
};

struct cg_symbol {
	const char *name;
	uint64_t value, size;
	uint8_t type, bind, visibility;
	uint32_t section; /* < n_sections; 0 if undefined or absolute */
	bool absolute;
};

struct cg_object {
	Elf *elf;
	uint8_t *copy; /* of the file: libelf wants it writable and aligned */
	size_t size;   /* of the file */
	/* that names may still have, and sections, so that all work is a multiple of the size */
	size_t names_left, bytes_left;
	struct cg_section *sections;
	size_t n_sections; /* [0] is the null section; common symbols stand in one more at the end */
	struct cg_symbol *symbols;
	size_t n_symbols;
};

/*
 * Read an object. Returns NULL and fills `o`, or a static sentence that says what is wrong with it. Either way
 * cg_object_free frees it. What the object refers to is bounds-checked: names are terminated, symbols' sections and
 * relocations' symbols exist, sections' data is there, and no bytes stand for several things: that would make a small
 * file a large object.
 */
const char *cg_object_read(struct cg_object *o, const void *file, size_t size);
void cg_object_free(struct cg_object *o);
/* Take a name, or what stands for one, into account. False: all of them together are too long. */
bool cg_object_name(struct cg_object *o, const char *name);

#endif
