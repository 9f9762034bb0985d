/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of loops, for messages about them. The verifier names a loop by the first instruction of its head, which may be
 * anything that the loop does, inlined from anywhere, and have no line at all. So messages take the line of a jump back
 * to it. clang's metadata of the branches says where the loop's statement is, and the optimiser mostly keeps that.
 */
#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>

#include "codegen/llvm/ir/loop_place.h"
#include "loops.h"

/* What goes back, and what that depends on: the target may make one instruction of both. */
static void show_branch(LLVMValueRef end, LLVMMetadataRef place)
{
	LLVMInstructionSetDebugLoc(end, place);
	if (LLVMIsABranchInst(end) && LLVMIsConditional(end) && LLVMIsAInstruction(LLVMGetCondition(end)))
		LLVMInstructionSetDebugLoc(LLVMGetCondition(end), place);
}

static bool show_in(LLVMValueRef fn)
{
	struct flow f;
	bool ok = flow_init(&f, fn);

	for (int head = 0; ok && head < f.n; head++) {
		LLVMMetadataRef place = f.head[head] ? location_of_loop(&f, head) : NULL;

		for (LLVMValueRef inst = place ? LLVMGetFirstInstruction(f.block[head]) : NULL; inst;
			inst = LLVMGetNextInstruction(inst))
			LLVMInstructionSetDebugLoc(inst, place);
		for (int b = head; place && b < f.n; b++)
			if (flow_in_loop(&f, b, head) && flow_leads_to(&f, b, head))
				show_branch(LLVMGetBasicBlockTerminator(f.block[b]), place);
	}
	flow_free(&f);
	return ok;
}

bool show_loops(LLVMModuleRef m)
{
	bool ok = true;

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); ok && fn; fn = LLVMGetNextFunction(fn))
		ok = LLVMIsDeclaration(fn) || show_in(fn);
	return ok && !LLVMVerifyModule(m, LLVMReturnStatusAction, NULL);
}
