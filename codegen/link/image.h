/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module file as it is put together: sections with their final places, then bytes.
 *
 * A file is, in this order: headers | text | rodata | data | debug sections | .symtab .strtab .ward.note .shstrtab |
 * section headers | .ward.proof. Loaded parts have file offset = address. The proof comes last, and its section
 * header always has room, so that adding the proof moves nothing.
 */
#ifndef WARD_CODEGEN_IMAGE_H
#define WARD_CODEGEN_IMAGE_H

#include "codegen/base/buf.h"
#include "object.h"
#include "report.h"

enum { CG_PAGE = 4096, CG_MAX_OUT = 64 };

/* The first four output sections are always these, present or not. */
enum cg_part { CG_TEXT, CG_RODATA, CG_DATA, CG_BSS, CG_FIRST_DEBUG };

struct cg_out {
	const char *name;
	uint32_t type;
	uint64_t flags, align, entsize;
	uint64_t size;
	uint64_t addr;       /* 0 if not loaded */
	struct cg_buf bytes; /* empty for bss */
	unsigned index;      /* in the section header table; 0 if absent */
	uint32_t name_at;
	uint64_t offset;
};

struct cg_entry {
	const char *name, *site;
	uint64_t addr;
	uint32_t kind; /* 0 entry site, 1 return site */
};

/*
 * An import, the eight bytes of rodata through which it is called, and the jump through them to which direct calls
 * lead.
 */
struct cg_import {
	uint8_t id;  /* enum ward_import */
	bool called; /* directly */
	uint64_t slot, stub;
};

enum { CG_MAX_IMPORTS = 64, CG_STUB_SIZE = 6 };

/* A reference that is open as long as control doesn't come to it: see unreachable_refs.c. */
struct cg_open {
	uint64_t addr;                    /* within the instruction */
	const struct cg_section *section; /* what is to be refused otherwise */
	const struct cg_reloc *reloc;
	uint64_t block;          /* text offset of the block around it */
	bool candidate, reached; /* not behind a branch that is always taken; in a block that control reaches */
};

struct cg_image {
	struct cg_object *object;
	struct cg_report *report;
	struct cg_out out[CG_MAX_OUT];
	size_t n_out;
	struct cg_entry *entries;
	size_t n_entries;
	struct cg_import imports[CG_MAX_IMPORTS];
	size_t n_imports;
	uint32_t state_size;
	const char *state_type; /* "" if not known */
	uint32_t features;      /* of the processor: enum ward_feature */
	bool kernel;
	bool may_leave_open; /* a proof will say whether references are reached */
	struct cg_open *open;
	size_t n_open, cap_open;
	struct cg_buf note;
};

/* Choose what is kept, and give every kept section and entry its address. Returns 0, or 1 after an error. */
int cg_layout(struct cg_image *im);
/* The import that an undefined symbol stands for, or NULL. */
const struct cg_import *cg_import_of(struct cg_image *im, const struct cg_symbol *symbol);
/* Copy the kept sections' bytes into the output sections and apply all relocations. Returns 0, or 1 after errors. */
int cg_relocate(struct cg_image *im);
/* Does a relocation of this type want an address, not a distance? */
bool cg_is_absolute(uint32_t type);
/* Report the error of a relocation that can't be settled. Returns 1. */
int cg_refuse(struct cg_image *im, const struct cg_section *section, const struct cg_reloc *reloc);
/* Note a reference that needn't be settled unless control comes to it. Returns 0, or 1 after an error. */
int cg_leave_open(struct cg_image *im, uint64_t addr, const struct cg_section *section, const struct cg_reloc *reloc);
/* Refuse those of them that control comes to in `file`, a module with its proof. Returns 0, or 1 after errors. */
int cg_check_open(struct cg_image *im, const void *file, size_t size);
/* Build im->note from the entries and the state. */
void cg_note(struct cg_image *im);
/*
 * Find the type behind the second parameter of the entries in the debug information of `file`, a module written by
 * cg_write. On success *size and *type (malloc'd) are set if there is such a type, left alone otherwise. Returns 0, or
 * 1 after an error: the entries disagree.
 */
int cg_state_type(struct cg_image *im, const void *file, size_t file_size, int64_t *size, char **type);
/* Can the debug information be read in a time that is a multiple of its size? */
bool cg_debug_is_plain(const struct cg_image *im);
/*
 * Write the whole file, with the note as it is and with `proof` if it is not NULL. *file must be empty. Returns 0, or 2
 * if there is no memory.
 */
int cg_write(struct cg_image *im, const struct ward_buf *proof, struct cg_buf *file);
void cg_image_free(struct cg_image *im);

#endif
