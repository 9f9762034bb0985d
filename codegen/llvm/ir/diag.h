/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics at places in the source: collected, then printed in source order, each once. */
#ifndef WARD_LLVM_DIAG_H
#define WARD_LLVM_DIAG_H

#include <llvm-c/Core.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "diag.h"

/* A place in a source file. Line 0: the file as a whole. */
struct place {
	char file[PATH_MAX];  /* as the user would write it */
	char where[PATH_MAX]; /* as the debug information has it: the whole path; "" if it has none */
	unsigned line, column;
};

struct diag {
	struct place at;
	char text[400];
	const char *hint; /* static, or NULL */
};

struct diags {
	struct diag *list;
	size_t n, cap;
	int no_memory;
	bool are_warnings;
};

/*
 * A directory that sources are in, with a slash at its end, and how the user wrote it ("" for the current one). The
 * first holds. False: too many.
 */
bool diag_directory(const char *dir, const char *given);

/*
 * A file's name as the module is to have it: from the directory of the first source if it is below that, else the whole
 * path. That doesn't depend on where the compiler is started, nor on how the user wrote it.
 */
void stable_name(const struct place *p, char name[PATH_MAX]);

/*
 * A name as the author wrote it: a static of a function is function.variable to LLVM, and what several files have is
 * numbered. In `buf`.
 */
const char *name_in_source(LLVMValueRef global, char *buf, size_t size);

struct place place_of_module(LLVMModuleRef m);
/* A debug location, whose line is known. */
struct place place_of_location(LLVMModuleRef m, LLVMMetadataRef loc);
/* Where an instruction comes from; what has no place of its own gets its function's. */
struct place place_of_instruction(LLVMValueRef inst);
/* The name of a function or global variable, where it is defined. */
struct place place_of_function(LLVMValueRef fn);
struct place place_of_global(LLVMValueRef global);

void diag_add(struct diags *d, struct place at, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* All of the one list are the other's. */
void diag_move(struct diags *from, struct diags *to);
/* Print all to stderr, sorted. */
void diag_print(struct diags *d);
void diag_free(struct diags *d);

#endif
