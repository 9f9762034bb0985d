/* SPDX-License-Identifier: Apache-2.0 */
/* What the author's tests say of a number. */
#ifndef WARD_LLVM_SPLIT_CONDITIONS_H
#define WARD_LLVM_SPLIT_CONDITIONS_H

#include <stdint.h>

#include "codegen/llvm/ir/cfg.h"

/*
 * The most that the number is, without a sign, where a block begins: UINT64_MAX if no test says so on every way there.
 */
uint64_t most_in(const struct flow *f, int block, LLVMValueRef v);

#endif
