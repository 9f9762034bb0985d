/* SPDX-License-Identifier: Apache-2.0 */
/* The back end's steps, in order. */
#ifndef WARD_LLVM_PASSES_H
#define WARD_LLVM_PASSES_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stdint.h>

#include "diag.h"

struct build_options;

/* Is this a probe function: does its section say so? */
bool is_entry(LLVMValueRef fn);

/* Is this a function that the host offers? */
bool is_import(LLVMValueRef fn);

/* What the dialect refuses, on unoptimised code. */
void check_dialect(LLVMModuleRef m, bool kernel, struct diags *d);
/* What it permits and is hardly meant. */
void warn(LLVMModuleRef m, bool kernel, struct diags *d);
/* Calls that come back to their function. */
void check_cycles(LLVMModuleRef m, struct diags *d);
/* Arrays in local structs are indexed from 0 on. */
void index_forward(LLVMModuleRef m);
/* What it refuses for where addresses lead to, on optimised code; in the kernel's profile variables as well that all threads share. */
void check_kept(LLVMModuleRef m, const struct build_options *options, struct diags *d);
/* What a constant holds the address of, the first that is no constant `but` such; no more than 16 levels down from depth 0; or NULL. */
LLVMValueRef address_in(LLVMValueRef v, bool (*but)(LLVMValueRef), int depth);
/* The address of which may a constant hold? */
bool is_constant(LLVMValueRef global);
/* Constants that hold addresses of constants are rewritten. False: no memory. */
bool gather_constants(LLVMModuleRef m, struct diags *d);
/* What debuggers are told of them, before code is generated for good. */
void describe_members(LLVMModuleRef m);
/* Are the parameters of a probe function an event and a state? */
bool has_entry_type(LLVMValueRef fn);

/* The size of the struct behind the state parameter, in bytes; 0 if the debug information doesn't say. */
uint64_t state_size_of(LLVMModuleRef m);

/* Everything inlined into the entries, then O2. Returns false after an error that it has printed. */
bool optimise(LLVMModuleRef m, LLVMTargetMachineRef tm, struct diags *d);
/* The same, but for the optimisation: no more than it takes to have local variables in registers. */
bool optimise_little(LLVMModuleRef m, LLVMTargetMachineRef tm, struct diags *d);
/* Rewrite what the target would turn into instructions, or calls, that a module may not hold. */
void lower(LLVMModuleRef m, struct diags *d);
/* A choice of two places, by a comparison of what is known to differ. When all else is done; what follows comes in this order. */
void search_by_carry(LLVMModuleRef m);
/* Products in addresses, where the target would make differences of them. */
void keep_products(LLVMModuleRef m);
/* Numbers below 32 bits, where they would leave a register set in part. */
void widen_narrow(LLVMModuleRef m);
/* Comparisons in blocks that the target would have go by the flags of another block. The last of all changes. */
void compare_anew(LLVMModuleRef m);

/* Gives what a loop begins with the line of its statement. False: that can't be said, or there is no memory. */
bool show_loops(LLVMModuleRef m);

/* Makes each switch a tree of branches, which that one then sees. */
bool ask_one_by_one(LLVMModuleRef m, LLVMTargetMachineRef tm);
/* Attributes that decide how code is generated: may a switch become a table of addresses? Is it a kernel's, which may want to replace returns? */
void set_target_attributes(LLVMModuleRef m, bool tables, bool kernel);

#endif
