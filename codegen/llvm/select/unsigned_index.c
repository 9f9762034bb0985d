/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays that are members of local structs.
 *
 * An index below zero is no element of the array, but by arithmetic it may be another member: the counter, say, that
 * stands before the array and is the index. So for a signed index the optimiser assumes that each store into the
 * array may change the counter, and keeps the counter in memory. After the next store it is any number, and nothing
 * bounds the loop that fills the array. C has no such index. So this pass takes the index for the unsigned number of
 * the same bits. An index below zero is then far behind the array, where the verifier refuses the store or a guard
 * stops it, as ever.
 *
 * The pass comes first, and applies to structs that are seen to be local. Arrays in the state don't need it:
 * everything there is in memory.
 */
#include "select.h"

/* Does the address lead to a member of a local variable? */
static bool is_local_member(LLVMValueRef address)
{
	return LLVMIsAGetElementPtrInst(address) &&
	       LLVMGetTypeKind(LLVMGetGEPSourceElementType(address)) == LLVMStructTypeKind &&
	       LLVMIsAAllocaInst(LLVMGetOperand(address, 0));
}

/*
 * Is it the place of an array's element whose index was signed and narrower than an address? As clang writes it: from
 * the array, none further, and so many elements.
 */
static bool has_signed_index(LLVMValueRef inst)
{
	return LLVMIsAGetElementPtrInst(inst) && LLVMGetNumOperands(inst) == 3 &&
	       LLVMGetTypeKind(LLVMGetGEPSourceElementType(inst)) == LLVMArrayTypeKind &&
	       LLVMIsNull(LLVMGetOperand(inst, 1)) && LLVMIsASExtInst(LLVMGetOperand(inst, 2)) &&
	       is_local_member(LLVMGetOperand(inst, 0));
}

void index_forward(LLVMModuleRef m)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
				inst = LLVMGetNextInstruction(inst)) {
				LLVMValueRef index = has_signed_index(inst) ? LLVMGetOperand(inst, 2) : NULL;

				if (!index)
					continue;
				LLVMPositionBuilderBefore(b, inst);
				LLVMSetOperand(
					inst, 2, LLVMBuildZExt(b, LLVMGetOperand(index, 0), LLVMTypeOf(index), ""));
			}
	LLVMDisposeBuilder(b);
}
