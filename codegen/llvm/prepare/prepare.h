/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to a module before code is generated: constants, and the optimiser. */
#ifndef WARD_LLVM_PREPARE_H
#define WARD_LLVM_PREPARE_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stdint.h>

#include "codegen/llvm/ir/diag.h"

/* What no probe function reaches is removed. False after an error that it has printed. */
bool drop_unreached(LLVMModuleRef m, LLVMTargetMachineRef tm);
/* May the function's address be taken? */
bool can_be_value(LLVMValueRef fn);
/*
 * Addresses of functions become numbers, and calls through pointers calls by their names. `d` gets those that lead
 * nowhere. False: no memory.
 */
bool number_functions(LLVMModuleRef m, struct diags *d);
/* Is it a function that a call through a pointer has become a call of? */
bool is_chooser(LLVMValueRef fn);
/* How a function's arguments are passed, for another function or, if `fn` is NULL, a call. */
void copy_passing(LLVMValueRef from, LLVMValueRef fn, LLVMValueRef call);
/* Functions that call themselves are inlined as often as they do so. Is that `known`? False: no memory, or an error. */
bool unroll_recursion(LLVMModuleRef m, LLVMTargetMachineRef tm, bool *known);
/* All calls that can be are inlined, once, and what is constant then is folded. */
bool inline_once(LLVMModuleRef m, LLVMTargetMachineRef tm);
bool run_passes(LLVMModuleRef m, LLVMTargetMachineRef tm, const char *passes);

/* The address of which may a constant hold? */
bool is_constant(LLVMValueRef global);
/* Variables that hold addresses and are never written become constants. False: no memory. */
bool settle_unwritten(LLVMModuleRef m);
/* Constants that hold addresses of constants are rewritten. False: no memory. */
bool gather_constants(LLVMModuleRef m, struct diags *d);
/* What debuggers are told of them, before code is generated for good. */
void describe_members(LLVMModuleRef m);
/* Everything inlined into the entries, then O2. Returns false after an error that it has printed. */
bool optimise(LLVMModuleRef m, LLVMTargetMachineRef tm, uint32_t max_stack, struct diags *d);
/* The same, but for the optimisation: no more than it takes to have local variables in registers. */
bool optimise_little(LLVMModuleRef m, LLVMTargetMachineRef tm, uint32_t max_stack, struct diags *d);
/* Local variables that don't fit into so much stack (0: the default) get room behind the state. */
void move_large_locals(LLVMModuleRef m, uint32_t max_stack);
/*
 * Put what processors share behind a state of so many bytes, if there is any; in `behind` it says where. Returns how
 * many bytes the state has with it.
 */
struct behind_state;
uint64_t place_shared(LLVMModuleRef m, uint64_t state, struct behind_state *behind);
/* Is the address somewhere in memory, from where it may be loaded? */
bool is_held(LLVMValueRef address);
/*
 * Attributes that decide how code is generated: may a switch become a table of addresses? Is it a kernel's, which may
 * want to replace returns?
 */
void set_target_attributes(LLVMModuleRef m, bool tables, bool kernel);

#endif
