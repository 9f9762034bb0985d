/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the test for a list's end into the guard against stray pointers. */
#ifndef WARD_LLVM_NULL_MERGE_H
#define WARD_LLVM_NULL_MERGE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/*
 * Where a checked pointer was compared with NULL before: once the guards are inlined, and before traps are lowered.
 * Returns false if there is no memory.
 */
bool merge_null_tests(LLVMModuleRef m);

#endif
