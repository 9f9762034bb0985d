/* SPDX-License-Identifier: Apache-2.0 */
/* What a module of IR is of: its probe functions, the imports that they call, and addresses in its constants. */
#ifndef WARD_LLVM_PROBE_H
#define WARD_LLVM_PROBE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

/* Is this a probe function: does its section say so? */
bool is_entry(LLVMValueRef fn);

/* The function that ends a run, and counts that (guard/trap.h). */
extern const char trap_name[];
bool is_trap(LLVMValueRef fn);

/* What stands where a call leads to no function. */
extern const char stop_no_function[];
/* Does a call of this function end the run (guard/stops.h)? That, or what assert() calls. */
bool is_stop(LLVMValueRef fn);

/* Is this a function that the host offers? */
bool is_import(LLVMValueRef fn);

/* Are the parameters of a probe function an event and a state? */
bool has_entry_type(LLVMValueRef fn);

/*
 * The size of the struct behind the state parameter, in bytes, and of the room behind it; 0 if the debug information
 * doesn't say.
 */
uint64_t state_size_of(LLVMModuleRef m);
/* Behind that struct there is more room, for so many bytes of local variables (prepare/large_locals.c). Once. */
void set_moved_locals(LLVMModuleRef m, uint64_t room, uint64_t bytes);
uint64_t moved_locals(LLVMModuleRef m);

/*
 * What a constant holds the address of, the first that is no constant `but` such; no more than 16 levels down from
 * depth 0; or NULL.
 */
LLVMValueRef address_in(LLVMValueRef v, bool (*but)(LLVMValueRef), int depth);

#endif
