/* SPDX-License-Identifier: Apache-2.0 */
/* Guards: what a plan asks for, written into the module. */
#ifndef WARD_LLVM_GUARD_H
#define WARD_LLVM_GUARD_H

#include <llvm-c/TargetMachine.h>

#include "codegen/llvm/ir/address.h"
#include "marks.h"
#include "plan.h"
#include "trap.h"

struct guard_options {
	uint64_t state_size; /* of the author's struct, in bytes */
	uint64_t fuel;       /* rounds of a loop, unless it says otherwise */
	uint64_t nest;       /* rounds of loops in one another that count together */
	struct marks *marks; /* not to be lowered, but marked (marks.h); NULL: nothing is marked */
};

/*
 * Write the planned guards into `m`, whose instructions are numbered by `x`; `origin` has them at their places in the
 * source. What they stop at is noted in `traps`. Returns false if there is no memory, or after an error of LLVM that it
 * has printed.
 */
bool insert_guards(LLVMModuleRef m, LLVMTargetMachineRef tm, const struct numbering *x, const struct numbering *origin,
	struct plan *plan, const struct guard_options *options, struct traps *traps);

#endif
