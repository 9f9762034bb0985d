/* SPDX-License-Identifier: Apache-2.0 */
/* Variables on the stack: how large they are, when they are in use, and zeros for them. */
#ifndef WARD_LLVM_ALLOCAS_H
#define WARD_LLVM_ALLOCAS_H

#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

/* In bytes. Of one of no constant size, which the dialect refuses: 0. */
uint64_t variable_size(LLVMTargetDataRef layout, LLVMValueRef variable);
/* The first instruction of a function that isn't one of its variables. */
LLVMValueRef first_after_variables(LLVMValueRef fn);
/* Forget when a variable is in use: from now on its place is its own throughout. */
void drop_lifetimes(LLVMValueRef variable);
/*
 * `size` bytes of zeros at `to`, where the builder is: words of a register, the last overlapping the one before if need
 * be. A variable's address can be in any register; of other addresses guards want to know what they are made of.
 */
void build_zeros(LLVMBuilderRef b, LLVMValueRef to, uint64_t size);
/* Zeros for a whole variable, when its function is entered. */
void clear_variable(LLVMBuilderRef b, LLVMValueRef variable);

#endif
