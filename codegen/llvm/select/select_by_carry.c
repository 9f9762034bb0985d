/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of two fields, chosen by a comparison, where a search goes on:
 *
 *	if (a == b) goto found;  p = a < b ? p->less : p->more;
 *
 * The optimiser makes one load of the two, at p plus a choice of two constants. If these are as far apart as an index
 * can be scaled, the target computes the choice by setbe and movzx. But a and b differ by then, so one is less or the
 * other is. The pass makes whichever chooses the lower constant the comparison's carry: sbb r, r turns that into -1
 * or 0 by itself,
 *
 *	p + hi + (hi - lo) * -carry
 *
 * The comparison is to be the same for both, with its operands in the order that the carry needs; the test for
 * equality takes any order. What a processor does ahead of time in a search waits in its queues, so this saves what a
 * guard of the pointer costs there.
 */
#include "codegen/llvm/ir/address.h"
#include "select.h"

/* The comparison that the block is come to by, and only if what it compares differs; or NULL. */
static LLVMValueRef inequality_before(LLVMBasicBlockRef block)
{
	LLVMValueRef branch = NULL, cond;
	LLVMIntPredicate p;
	LLVMUseRef use;

	for (use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		if (!LLVMIsATerminatorInst(LLVMGetUser(use)))
			continue;
		if (branch)
			return NULL;
		branch = LLVMGetUser(use);
	}
	if (!branch || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
		LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
		return NULL;
	cond = LLVMGetCondition(branch);
	if (!LLVMIsAICmpInst(cond))
		return NULL;
	p = LLVMGetICmpPredicate(cond);
	return (p == LLVMIntEQ && LLVMGetSuccessor(branch, 1) == block) ||
			       (p == LLVMIntNE && LLVMGetSuccessor(branch, 0) == block)
		       ? cond
		       : NULL;
}

/*
 * Is it a choice between constants that are as far apart as an index can be scaled? Then for the lower one, what is to
 * be less than what?
 */
static bool is_scaled_choice(LLVMValueRef inst, LLVMValueRef less[2], uint64_t constant[2])
{
	LLVMValueRef cond;
	bool first_is_less, swap;

	if (!LLVMIsASelectInst(inst) || LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMIntegerTypeKind ||
		LLVMGetIntTypeWidth(LLVMTypeOf(inst)) != 64)
		return false;
	cond = LLVMGetCondition(inst);
	if (!LLVMIsAICmpInst(cond) || !LLVMIsAConstantInt(LLVMGetOperand(inst, 1)) ||
		!LLVMIsAConstantInt(LLVMGetOperand(inst, 2)))
		return false;
	for (unsigned i = 0; i < 2; i++)
		constant[i] = LLVMConstIntGetZExtValue(LLVMGetOperand(inst, i + 1));
	switch (LLVMGetICmpPredicate(cond)) {
	case LLVMIntULT:
	case LLVMIntULE: first_is_less = true; break;
	case LLVMIntUGT:
	case LLVMIntUGE: first_is_less = false; break;
	default: return false;
	}
	swap = first_is_less != (constant[0] < constant[1]);
	less[0] = LLVMGetOperand(cond, swap);
	less[1] = LLVMGetOperand(cond, !swap);
	return true;
}

static bool is_scale(uint64_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* Is it used for nothing but places? */
static bool is_index(LLVMValueRef v)
{
	for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
		if (!LLVMIsAGetElementPtrInst(LLVMGetUser(use)))
			return false;
	return true;
}

static void go_by_carry(
	LLVMBuilderRef b, LLVMValueRef inst, LLVMValueRef test, LLVMValueRef less[2], uint64_t lo, uint64_t hi)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	LLVMValueRef cond = LLVMGetCondition(inst), v;

	for (unsigned i = 0; i < 2; i++)
		LLVMSetOperand(test, i, less[i]);
	LLVMPositionBuilderBefore(b, inst);
	/* or the target would find its own way to the choice */
	v = opaque(b, LLVMBuildSExt(b, LLVMBuildICmp(b, LLVMIntULT, less[0], less[1], ""), type, ""));
	v = LLVMBuildMul(b, v, LLVMConstInt(type, hi - lo, 0), "");
	LLVMReplaceAllUsesWith(inst, LLVMBuildAdd(b, v, LLVMConstInt(type, hi, 0), ""));
	LLVMInstructionEraseFromParent(inst);
	if (!LLVMGetFirstUse(cond))
		LLVMInstructionEraseFromParent(cond);
}

static void try_choice(LLVMBuilderRef b, LLVMValueRef inst)
{
	LLVMValueRef less[2], test;
	uint64_t constant[2], lo, hi;

	if (!is_scaled_choice(inst, less, constant) || !is_index(inst) || LLVMIsAConstant(less[0]) ||
		LLVMIsAConstant(less[1]))
		return;
	lo = constant[0] < constant[1] ? constant[0] : constant[1];
	hi = constant[0] < constant[1] ? constant[1] : constant[0];
	test = inequality_before(LLVMGetInstructionParent(inst));
	if (!test || !is_scale(hi - lo))
		return;
	for (unsigned i = 0; i < 2; i++)
		if (LLVMGetOperand(test, 0) == less[i] && LLVMGetOperand(test, 1) == less[!i]) {
			go_by_carry(b, inst, test, less, lo, hi);
			return;
		}
}

void search_by_carry(LLVMModuleRef m)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	LLVMValueRef fn, inst, next;
	LLVMBasicBlockRef block;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (inst = LLVMGetFirstInstruction(block); inst; inst = next) {
				next = LLVMGetNextInstruction(inst);
				try_choice(b, inst);
			}
	LLVMDisposeBuilder(b);
}
