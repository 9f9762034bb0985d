/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of what functions take and return, as debug information describes them: DWARF of a module's file or of its
 * separate file, BTF of the kernel, and the format of a tracepoint or a system call in tracefs. One table has them all;
 * it is data only, so a program that is given one needs no library.
 *
 * The information is the target's. One that lies gives wrong names and numbers, and does no other harm: all indices of
 * a table are inside it.
 */
#ifndef WARD_TYPES_H
#define WARD_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ward/ward.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum ward_type_kind {
	WARD_TYPE_UNKNOWN, /* the information doesn't say, or there was no room: type 0 is of this kind */
	WARD_TYPE_VOID,
	WARD_TYPE_BOOL,
	WARD_TYPE_INT,
	WARD_TYPE_REAL,
	WARD_TYPE_ENUMERATION,
	WARD_TYPE_POINTER,   /* of; a reference of C++ as well */
	WARD_TYPE_STRUCTURE, /* a struct, union or class: n members from the first on */
	WARD_TYPE_ARRAY,     /* n elements of `of`; 0: not known how many */
	WARD_TYPE_OTHER,     /* a function, 128 bits, ... */
};

/* Typedefs and qualifiers are left out. `of` and members are numbers in the same table. */
struct ward_type {
	enum ward_type_kind kind;
	bool is_signed;     /* INT, ENUMERATION */
	bool is_char;       /* INT: char, of which texts are made */
	bool is_union;      /* STRUCTURE */
	bool is_incomplete; /* STRUCTURE: its members are not described here */
	const char *name;   /* its own, or that of a typedef of it: "file", "color"; "" without */
	uint64_t size;      /* bytes; 0: not known */
	uint32_t of;
	uint32_t first, n; /* STRUCTURE: members; ENUMERATION: enumerators; ARRAY: n */
};

struct ward_type_member {
	const char *name; /* "": the members of the anonymous structure that it is are members of the one around it */
	uint32_t type;
	uint32_t bits;   /* of a bit-field; else 0 */
	uint64_t offset; /* bytes; of a bit-field, bits */
};

/* A parameter, or a field of a tracepoint's row. */
struct ward_parameter {
	const char *name;        /* "" without */
	const char *declaration; /* "const char *path" */
	uint32_t type;
	int32_t place;      /* ev->arg[place]; -1: a probe has it nowhere */
	const char *why;    /* it has no place; else NULL */
	const char *member; /* a field of a row: it is this member of what argument `place` leads to; else NULL */
};

/* One of the functions that a site means. */
struct ward_function_types {
	const char *site;         /* "libc.so.6!read" */
	const char *why;          /* nothing is known of it; else NULL */
	const char *returns_text; /* "ssize_t", "void" */
	uint32_t returns;
	uint32_t first, n; /* parameters */
};

struct ward_types {
	const struct ward_function_types *functions;
	size_t n_functions;
	const struct ward_parameter *parameters;
	size_t n_parameters;
	const struct ward_type *types;
	size_t n_types;
	const struct ward_type_member *members;
	size_t n_members;
	const struct ward_enumerator *enumerators;
	size_t n_enumerators;
	bool is_cut; /* there was no room for types that are far from the parameters */
};

/*
 * Types of the functions that these sites mean ("libc.so.6!read", "kernel!vfs_*", "kernel:sched:sched_switch"): of a
 * process, of a file, of a command with the libraries that it is linked with (found in PATH, started, and ended at its
 * entry point), or of the running kernel. A function of which nothing is known is in the table, with the reason.
 * WARD_E_TARGET if nothing matches; WARD_E_USAGE for a malformed site. Free with ward_types_free.
 */
int ward_types_read(pid_t pid, const char *const *sites, size_t n, struct ward_types **out, struct ward_error *err);
int ward_types_read_file(
	const char *path, const char *const *sites, size_t n, struct ward_types **out, struct ward_error *err);
int ward_types_read_command(
	char *const argv[], const char *const *sites, size_t n, struct ward_types **out, struct ward_error *err);
int ward_types_read_kernel(const char *const *sites, size_t n, struct ward_types **out, struct ward_error *err);
/* NULL is allowed. */
void ward_types_free(struct ward_types *types);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
