/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of doubles and floats. real_copies.c describes how. */
#ifndef WARD_LLVM_REAL_COPIES_H
#define WARD_LLVM_REAL_COPIES_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

void copy_reals_as_bits(LLVMModuleRef m);

#endif
