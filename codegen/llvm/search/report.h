/* SPDX-License-Identifier: Apache-2.0 */
/* What an author is told of guards: for each access and loop whether it is proven or guarded. */
#ifndef WARD_LLVM_REPORT_H
#define WARD_LLVM_REPORT_H

#include "codegen/llvm/guard/guard.h"

#include <llvm-c/Target.h>

/*
 * Print the table to stdout, in the source's order, and how the rest was compiled if not as usual (else NULL). The
 * options say how many rounds a loop has that the plan stops and its author doesn't bound. Returns false if there is
 * no memory.
 */
bool print_guards(LLVMTargetDataRef layout, LLVMModuleRef m, const struct numbering *origin, const struct plan *plan,
	const struct guard_options *options, const char *how);

#endif
