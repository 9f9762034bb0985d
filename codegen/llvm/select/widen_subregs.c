/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers below 32 bits, after everything else is done and the guards have split the blocks.
 *
 * The target computes them in the low part of a register and leaves the rest as it was: the host's. That does no harm
 * while only the low part is read. But between blocks, and to and from the stack, whole registers are moved, and the
 * verifier keeps no part of what is spilled. So a number that another block uses goes there extended to 32 bits.
 *
 * Within a block the target may still compute with more bits than it has set, when it chooses one of several
 * constants by a borrow that it subtracts from a part of a register. The choice is then made among 32-bit numbers,
 * and hidden, or it would be narrowed again.
 */
#include "select.h"

static bool is_narrow(LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);

	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 32;
}

/* Comparisons are made anew in the blocks that use them. */
static bool stays_narrow(LLVMValueRef inst)
{
	return LLVMIsAPHINode(inst) || LLVMIsAICmpInst(inst) || LLVMIsATerminatorInst(inst);
}

/* Put a number that other blocks use there by way of 32 bits. */
static void widen_between_blocks(LLVMBuilderRef b, LLVMValueRef inst)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);
	LLVMTypeRef type = LLVMTypeOf(inst), wide = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
	LLVMValueRef whole = NULL;
	LLVMUseRef use, next;

	for (use = LLVMGetFirstUse(inst); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use), part;
		unsigned n = (unsigned)LLVMGetNumOperands(user);

		next = LLVMGetNextUse(use);
		if (LLVMIsAPHINode(user) || LLVMGetInstructionParent(user) == block)
			continue;
		if (!whole) {
			LLVMPositionBuilderBefore(b, LLVMGetNextInstruction(inst));
			whole = LLVMBuildZExt(b, inst, wide, "");
		}
		LLVMPositionBuilderBefore(b, user);
		part = LLVMBuildTrunc(b, whole, type, "");
		for (unsigned i = 0; i < n; i++)
			if (LLVMGetOperandUse(user, i) == use) {
				LLVMSetOperand(user, i, part);
				break;
			}
	}
}

/* Choose among 32-bit numbers. */
static void widen_choice(LLVMBuilderRef b, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMTypeOf(inst), wide = LLVMInt32TypeInContext(LLVMGetTypeContext(type)),
		    fn = LLVMFunctionType(wide, &wide, 1, 0);
	LLVMValueRef text = LLVMGetInlineAsm(fn, "", 0, "=r,0", 4, 0, 0, LLVMInlineAsmDialectATT, 0), v[2];

	LLVMPositionBuilderBefore(b, inst);
	for (unsigned i = 0; i < 2; i++)
		v[i] = LLVMBuildZExt(b, LLVMGetOperand(inst, i + 1), wide, "");
	v[0] = LLVMBuildSelect(b, LLVMGetOperand(inst, 0), v[0], v[1], "");
	v[0] = LLVMBuildCall2(b, fn, text, v, 1, "");
	LLVMReplaceAllUsesWith(inst, LLVMBuildTrunc(b, v[0], type, ""));
	LLVMInstructionEraseFromParent(inst);
}

void widen_narrow(LLVMModuleRef m)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	LLVMValueRef fn, inst, next;
	LLVMBasicBlockRef block;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (inst = LLVMGetFirstInstruction(block); inst; inst = next) {
				next = LLVMGetNextInstruction(inst);
				if (!is_narrow(inst) || stays_narrow(inst))
					continue;
				if (LLVMIsASelectInst(inst) && LLVMGetIntTypeWidth(LLVMTypeOf(inst)) > 1 &&
					LLVMIsAConstant(LLVMGetOperand(inst, 1)) &&
					LLVMIsAConstant(LLVMGetOperand(inst, 2)))
					widen_choice(b, inst);
				else
					widen_between_blocks(b, inst);
			}
	LLVMDisposeBuilder(b);
}
