/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rewrites of what the target would turn into instructions that a module may not hold, or that the verifier can't
 * follow; in their order.
 */
#ifndef WARD_LLVM_SELECT_H
#define WARD_LLVM_SELECT_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

#include "codegen/llvm/ir/diag.h"

/* Arrays in local structs are indexed from 0 on. */
void index_forward(LLVMModuleRef m);
/* Rewrite what the target would turn into instructions, or calls, that a module may not hold. */
void lower(LLVMModuleRef m, struct diags *d);
/*
 * A choice of two places, by a comparison of what is known to differ. When all else is done; what follows comes in this
 * order.
 */
void search_by_carry(LLVMModuleRef m);
/* Products in addresses, where the target would make differences of them. */
void keep_products(LLVMModuleRef m);
/* Numbers below 32 bits, where they would leave a register set in part. */
void widen_narrow(LLVMModuleRef m);
/* A copy of the module whose loops of known rounds have several at once, or NULL if it has none such. */
LLVMModuleRef unroll_loops(LLVMModuleRef m, LLVMTargetMachineRef tm);
/* Makes each switch a tree of branches, which that one then sees. */
bool test_one_by_one(LLVMModuleRef m, LLVMTargetMachineRef tm);
/* Comparisons in blocks that the target would have go by the flags of another block. The last of all changes. */
void recompare_flags(LLVMModuleRef m);

#endif
