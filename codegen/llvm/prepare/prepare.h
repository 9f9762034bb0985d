/* SPDX-License-Identifier: Apache-2.0 */
/* What is done to a module before code is generated: constants, and the optimiser. */
#ifndef WARD_LLVM_PREPARE_H
#define WARD_LLVM_PREPARE_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

#include "codegen/llvm/ir/diag.h"

/* The address of which may a constant hold? */
bool is_constant(LLVMValueRef global);
/* Constants that hold addresses of constants are rewritten. False: no memory. */
bool gather_constants(LLVMModuleRef m, struct diags *d);
/* What debuggers are told of them, before code is generated for good. */
void describe_members(LLVMModuleRef m);
/* Everything inlined into the entries, then O2. Returns false after an error that it has printed. */
bool optimise(LLVMModuleRef m, LLVMTargetMachineRef tm, struct diags *d);
/* The same, but for the optimisation: no more than it takes to have local variables in registers. */
bool optimise_little(LLVMModuleRef m, LLVMTargetMachineRef tm, struct diags *d);
/*
 * Attributes that decide how code is generated: may a switch become a table of addresses? Is it a kernel's, which may
 * want to replace returns?
 */
void set_target_attributes(LLVMModuleRef m, bool tables, bool kernel);

#endif
