/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops of a known number of rounds, unrolled a few times.
 *
 * While the optimiser runs, a loop is unrolled wholly or not at all: what is guarded or counted once is proven once,
 * and a guard in front of a loop goes by its only index. When the guards are there, a loop of a known number of rounds
 * can have several rounds at once, as the target has it natively. Copies of strings gain most by that. A loop that may
 * end at several places keeps all its tests but those that can't succeed.
 *
 * The verifier may not follow the result. So the module stays as it was, and a copy of it is unrolled.
 */
#include "codegen/llvm/prepare/calls.h"
#include "codegen/llvm/prepare/llvm_options.h"
#include "codegen/llvm/prepare/prepare.h"
#include "select.h"

static const char passes[] = "function(loop-simplify,lcssa,"
			     "loop-unroll<O2;partial;no-peeling;no-runtime;no-upperbound>,"
			     "simplifycfg<no-simplify-cond-branch>)";

LLVMModuleRef unroll_loops(LLVMModuleRef m, LLVMTargetMachineRef tm)
{
	LLVMModuleRef unrolled = LLVMCloneModule(m);
	bool ok;

	unroll_in_part(true);
	ok = run_passes(unrolled, tm, passes);
	unroll_in_part(false);
	if (ok && count_instructions(unrolled) > count_instructions(m))
		return unrolled;
	LLVMDisposeModule(unrolled);
	return NULL;
}
