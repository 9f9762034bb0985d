/* SPDX-License-Identifier: Apache-2.0 */
/* Remainders that the verifier is to see below the divisor. */
#ifndef WARD_LLVM_REMAINDER_H
#define WARD_LLVM_REMAINDER_H

#include <llvm-c/Core.h>

/* x % divisor, unsigned, computed so; or NULL if it is as well as it is. */
LLVMValueRef visible_remainder(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef divisor);

#endif
