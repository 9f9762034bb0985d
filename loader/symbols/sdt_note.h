/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Static tracepoints, as the sections .note.stapsdt describe them (sys/sdt.h, ward/tracepoint.h). The notes are
 * hostile input. sdt_note.c describes how they are read.
 */
#ifndef WARD_LOADER_SDT_NOTE_H
#define WARD_LOADER_SDT_NOTE_H

#include "symbols.h"

enum { WL_POINT_ARGS = 6 }; /* as many as an event has */

/* Where an argument is while control is at the tracepoint. */
struct wl_operand {
	enum { WL_OP_NONE, WL_OP_UNKNOWN, WL_OP_REGISTER, WL_OP_CONSTANT, WL_OP_MEMORY, WL_OP_VARIABLE } kind;
	uint8_t size; /* bytes: 1, 2, 4 or 8 */
	bool is_signed;
	bool high;     /* REGISTER: its second byte, as %ah */
	uint8_t width; /* REGISTER: bytes that it has */
	uint8_t reg;   /* REGISTER, or the base of MEMORY; numbered as enum wl_reg */
	bool has_base, has_index;
	uint8_t index, shift; /* MEMORY: index << shift is added */
	int64_t value;        /* CONSTANT; MEMORY: displacement; VARIABLE: address, as the file has it */
};

/* One place of a tracepoint. */
struct wl_note {
	const char *provider, *name, *text; /* text: of the arguments */
	uint64_t address;                   /* as the file has it */
	uint64_t offset;                    /* in the file */
	uint64_t semaphore;                 /* as the file has it; 0: none */
	unsigned n_args;                    /* may be more than there is room for */
	struct wl_operand arg[WL_POINT_ARGS];
};

struct wl_notes {
	struct wl_note *v; /* by offset */
	size_t n;
	uint8_t **bytes; /* of the sections: the strings stand there */
	size_t n_bytes;
};

/* The address of the variable `name` (of n bytes, not terminated) as the file has it. False if it isn't known. */
typedef bool wl_variable_fn(void *user, const char *name, size_t n, uint64_t *address);

/*
 * Read the arguments' locations. Returns how many there are; those that aren't understood, or name an unknown variable,
 * are WL_OP_UNKNOWN.
 */
unsigned wl_operands_parse(const char *text, struct wl_operand *out, wl_variable_fn *variable, void *user);

/* All tracepoints of a file. Broken notes are left out. Returns 0 or ENOMEM. */
int wl_notes_read(const struct wl_elf *elf, wl_variable_fn *variable, void *user, struct wl_notes *out);
void wl_notes_free(struct wl_notes *notes);

#endif
