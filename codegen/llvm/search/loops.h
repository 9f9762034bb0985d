/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of loops, for messages about them. loops.c tells how. */
#ifndef WARD_LLVM_LOOPS_H
#define WARD_LLVM_LOOPS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Gives what a loop begins with the line of its statement. False: that can't be said, or there is no memory. */
bool show_loops(LLVMModuleRef m);

#endif
