/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of loops, for messages about them. The verifier names a loop by the first instruction of its head, which may
 * be anything that the loop does, inlined from anywhere. clang's metadata of the branches says where the loop's
 * statement is, and the optimiser mostly keeps that.
 */
#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>

#include "codegen/llvm/ir/cfg.h"
#include "loops.h"

enum { MAX_PARTS = 16 };

/* What a branch's metadata says, or NULL. */
static LLVMMetadataRef said_of(LLVMContextRef ctx, LLVMValueRef branch)
{
	LLVMValueRef node = LLVMGetMetadata(branch, LLVMGetMDKindIDInContext(ctx, "llvm.loop", 9)), parts[MAX_PARTS];
	unsigned n = node ? LLVMGetMDNodeNumOperands(node) : 0;

	if (n > MAX_PARTS)
		return NULL;
	if (n)
		LLVMGetMDNodeOperands(node, parts);
	for (unsigned i = 1; i < n; i++) { /* the first is the node itself */
		LLVMMetadataRef of = parts[i] && LLVMIsAMDNode(parts[i]) ? LLVMValueAsMetadata(parts[i]) : NULL;

		if (of && LLVMGetMetadataKind(of) == LLVMDILocationMetadataKind)
			return of;
	}
	return NULL;
}

/* Where the statement is; else where a way back comes from, which is its condition mostly. NULL: nothing says. */
static LLVMMetadataRef statement_of(LLVMContextRef ctx, const struct flow *f, int head)
{
	LLVMMetadataRef place = NULL;

	for (int b = head; b < f->n; b++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(f->block[b]);

		for (unsigned k = 0; k < LLVMGetNumSuccessors(end) && flow_in_loop(f, b, head); k++) {
			LLVMMetadataRef said = LLVMGetSuccessor(end, k) == f->block[head] ? said_of(ctx, end) : NULL;

			if (said)
				return said;
			if (LLVMGetSuccessor(end, k) == f->block[head])
				place = LLVMInstructionGetDebugLoc(end);
		}
	}
	return place;
}

static bool show_in(LLVMValueRef fn)
{
	LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
	struct flow f;
	bool ok = flow_init(&f, fn);

	for (int head = 0; ok && head < f.n; head++) {
		LLVMMetadataRef place = f.head[head] ? statement_of(ctx, &f, head) : NULL;

		for (LLVMValueRef inst = place ? LLVMGetFirstInstruction(f.block[head]) : NULL; inst;
			inst = LLVMGetNextInstruction(inst))
			LLVMInstructionSetDebugLoc(inst, place);
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
