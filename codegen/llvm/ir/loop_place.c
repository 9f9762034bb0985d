/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line of a loop. What a loop begins with may be anything that it does, inlined from anywhere, and so may what its
 * back edges end. clang's metadata of the branches says where the loop's statement is, and the optimiser mostly keeps
 * that.
 */
#include "loop_place.h"

#include <llvm-c/DebugInfo.h>

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

LLVMMetadataRef location_of_loop(const struct flow *f, int head)
{
	LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(f->block[head])));
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

struct place place_of_loop(const struct flow *f, int head)
{
	LLVMMetadataRef at = location_of_loop(f, head);
	LLVMValueRef end = LLVMGetBasicBlockTerminator(f->block[head]);

	return at && LLVMDILocationGetLine(at)
		       ? place_of_location(LLVMGetGlobalParent(LLVMGetBasicBlockParent(f->block[head])), at)
		       : place_of_instruction(end);
}
