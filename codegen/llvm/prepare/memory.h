/* SPDX-License-Identifier: Apache-2.0 */
/* What C's <string.h> does with memory, by its names or as the compiler's intrinsics. */
#ifndef WARD_LLVM_MEMORY_H
#define WARD_LLVM_MEMORY_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "codegen/llvm/ir/diag.h"

/* Is it declared by that name, and of that type: result and parameters as memory.c has them? */
bool is_declared_as(LLVMValueRef fn, const char *name, const char *type);
/* Put functions into the module, compiled by clang. Returns false after an error that it has printed. */
bool link_bitcode(LLVMModuleRef m, const char *start, const char *end, const char *name);
/* Is this one of the functions of <string.h> that a probe may call? */
bool is_memory_function(LLVMValueRef fn);
/* And does that one write where its first argument points to? */
bool is_memory_writer(LLVMValueRef fn);
/*
 * Is this copy or fill, of constant size, expanded in line? Of one whose bytes may overlap all is read before any is
 * written, so it has to fit into registers. One that sets a variable is always: the verifier follows which bytes of the
 * stack are set by single stores, not by loops.
 */
bool is_in_line(LLVMValueRef inst, bool overlaps);
/*
 * Before any optimisation: calls of copies and fills become intrinsics, of which the optimiser knows what they do; of
 * others it is told.
 */
void name_memory(LLVMModuleRef m);
/*
 * When all is inlined: what can't be expanded in line becomes a call of a form (forms/), which is linked in; they are
 * to be inlined then. Returns how many, or -1 after an error that it has printed.
 */
int lower_memory(LLVMModuleRef m, struct diags *d);
/* Objects that are smaller than the accesses of forms get room for one (pad_objects.c). Before forms are inlined. */
void widen_small(LLVMModuleRef m);

#endif
