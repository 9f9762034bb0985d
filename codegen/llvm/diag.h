/* Diagnostics at places in the source: gathered, then printed in source order, each once. */
#ifndef WARD_LLVM_DIAG_H
#define WARD_LLVM_DIAG_H

#include <llvm-c/Core.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* A place in a source file. Line 0: the file as a whole. */
struct place {
	char file[PATH_MAX];
	unsigned line, column;
	bool source_is_absolute; /* the user named the source by an absolute path */
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
};

struct place place_of_module(LLVMModuleRef m);
/* Where an instruction comes from; what has no place of its own gets its function's. */
struct place place_of_instruction(LLVMValueRef inst);
/* The name of a function or global variable, where it is defined. */
struct place place_of_function(LLVMValueRef fn);
struct place place_of_global(LLVMValueRef global);

void diag_add(struct diags *d, struct place at, const char *hint, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Print all to stderr, sorted. */
void diag_print(struct diags *d);
void diag_free(struct diags *d);

#endif
