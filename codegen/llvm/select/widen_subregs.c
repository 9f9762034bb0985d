/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers below 32 bits, after everything else is done and the guards have split the blocks.
 *
 * The target computes them in the low part of a register and leaves the rest as it was: the host's. That does no harm
 * while only the low part is read. But between blocks, and to and from the stack, whole registers are moved, and the
 * verifier keeps no part of what is spilled. So a number that another block uses goes there extended to 32 bits.
 *
 * Within a block the target may still compute with more bits than it has set, when it chooses one of several
 * constants by a borrow that it subtracts from a part of a register. The choice is then made among 32-bit numbers. The
 * target doesn't see that they are constants: it would make the borrow again. What it doesn't see is in front of the
 * choice. Behind it, the target would think that the choice delays what follows, and would make a branch of it.
 */
#include "codegen/llvm/ir/address.h"
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

/*
 * Is it a choice by a sign? Then sets the number that has the sign, and the operand that is chosen where that number is
 * negative. A mask of the sign is shorter than a comparison and a choice. It is what C's authors mean: the highest bits
 * of a cipher's bytes are random, and must not become a branch.
 */
static bool chooses_by_sign(LLVMValueRef inst, LLVMValueRef *of, unsigned *negative)
{
	LLVMValueRef cond = LLVMGetOperand(inst, 0), with;
	LLVMIntPredicate p;

	if (!LLVMIsAICmpInst(cond))
		return false;
	p = LLVMGetICmpPredicate(cond);
	*of = LLVMGetOperand(cond, 0);
	with = LLVMGetOperand(cond, 1);
	*negative = p == LLVMIntSLT ? 1 : 2;
	return LLVMIsAConstantInt(with) && ((p == LLVMIntSLT && LLVMIsNull(with)) ||
						   (p == LLVMIntSGT && with == LLVMConstAllOnes(LLVMTypeOf(with))));
}

/* A choice of one of two constants by a sign is a mask of copies of that sign: (sign & (negative ^ other)) ^ other. */
static LLVMValueRef choose_by_sign(LLVMBuilderRef b, LLVMValueRef sign, LLVMValueRef negative, LLVMValueRef other)
{
	LLVMValueRef mask = LLVMBuildAnd(b, sign, LLVMBuildXor(b, negative, other, ""), "");

	return LLVMBuildXor(b, mask, other, "");
}

/* All bits are the sign of a number, in 32 bits. */
static LLVMValueRef wide_sign(LLVMBuilderRef b, LLVMValueRef of, LLVMTypeRef wide)
{
	unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(of));
	LLVMValueRef sign = width < 32 ? LLVMBuildSExt(b, of, wide, "") : of;

	width = width < 32 ? 32 : width;
	sign = LLVMBuildAShr(b, sign, LLVMConstInt(LLVMTypeOf(sign), width - 1, 0), "");
	return width > 32 ? LLVMBuildTrunc(b, sign, wide, "") : sign;
}

/*
 * A mask of a sign that is as wide as the choice stays as wide: its shift needs no extension before. Returns false for
 * all other choices.
 */
static bool choose_narrow(LLVMBuilderRef b, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	LLVMValueRef of, sign, chosen;
	unsigned negative;

	if (LLVMGetIntTypeWidth(type) != 8 || !chooses_by_sign(inst, &of, &negative) || LLVMTypeOf(of) != type)
		return false;
	LLVMPositionBuilderBefore(b, inst);
	sign = LLVMBuildAShr(b, of, LLVMConstInt(type, 7, 0), "");
	chosen = choose_by_sign(b, sign, LLVMGetOperand(inst, negative), LLVMGetOperand(inst, 3 - negative));
	LLVMReplaceAllUsesWith(inst, chosen);
	LLVMInstructionEraseFromParent(inst);
	widen_between_blocks(b, chosen);
	return true;
}

/* Choose among 32-bit numbers. */
static void widen_choice(LLVMBuilderRef b, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMTypeOf(inst), wide = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
	LLVMValueRef of, v[2], chosen;
	unsigned negative;

	LLVMPositionBuilderBefore(b, inst);
	for (unsigned i = 0; i < 2; i++)
		v[i] = LLVMBuildZExt(b, LLVMGetOperand(inst, i + 1), wide, "");
	if (chooses_by_sign(inst, &of, &negative))
		chosen = opaque(b, choose_by_sign(b, wide_sign(b, of, wide), v[negative - 1], v[2 - negative]));
	else
		chosen = LLVMBuildSelect(b, LLVMGetOperand(inst, 0), opaque(b, v[0]), opaque(b, v[1]), "");
	LLVMReplaceAllUsesWith(inst, LLVMBuildTrunc(b, chosen, type, ""));
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
					LLVMIsAConstant(LLVMGetOperand(inst, 2))) {
					if (!choose_narrow(b, inst))
						widen_choice(b, inst);
				} else
					widen_between_blocks(b, inst);
			}
	LLVMDisposeBuilder(b);
}
