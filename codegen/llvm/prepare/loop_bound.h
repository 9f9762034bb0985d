/* SPDX-License-Identifier: Apache-2.0 */
/* WARD_BOUND(n): how many rounds a loop may go, as its author says. */
#ifndef WARD_LLVM_LOOP_BOUND_H
#define WARD_LLVM_LOOP_BOUND_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

/* Before any optimisation: mark the loops that have a bound. Returns false if there is no memory. */
bool mark_bounds(LLVMModuleRef m);
/*
 * After it: hang the bounds on the heads of the loops that there are, and remove the marks. Returns false if there is
 * no memory.
 */
bool settle_bounds(LLVMModuleRef m);
/* The rounds that the author gave the loop with this head, or 0. */
uint64_t bound_of(LLVMBasicBlockRef head);

#endif
