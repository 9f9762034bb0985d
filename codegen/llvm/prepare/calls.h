/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions aren't inlined. calls.c describes how they are chosen. */
#ifndef WARD_LLVM_CALLS_H
#define WARD_LLVM_CALLS_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stdint.h>

/* Does the function stay one of its own, which is called? */
bool is_kept(LLVMValueRef fn);
uint64_t count_instructions(LLVMModuleRef m);
/* Is so much inlined into the optimised module's probe functions that calls may be better? */
bool is_large(LLVMModuleRef m);
/*
 * A copy of the module, as the front end wrote it, in which the functions that are to stay are marked. NULL: there are
 * none, or there is no memory.
 */
LLVMModuleRef keep_calls(LLVMModuleRef source, LLVMTargetMachineRef tm, uint32_t max_stack);

#endif
