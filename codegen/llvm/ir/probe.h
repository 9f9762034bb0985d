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
/*
 * What is behind that struct, set once: a part that all processors share, of whole pages from `shared_at` on, whose
 * description has `shared_size` bytes (prepare/shared_part.c), and so many bytes of local variables
 * (prepare/large_locals.c); `room` is all of it.
 */
struct behind_state {
	uint64_t room, locals, shared_at, shared_size;
};
void set_behind_state(LLVMModuleRef m, const struct behind_state *behind);
struct behind_state behind_state(LLVMModuleRef m);

/* Is this the function that says where the shared part is (ward/shared.h)? */
bool is_shared_place(LLVMValueRef fn);

/*
 * What a constant holds the address of, the first that is no constant `but` such; no more than 16 levels down from
 * depth 0; or NULL.
 */
LLVMValueRef address_in(LLVMValueRef v, bool (*but)(LLVMValueRef), int depth);

#endif
