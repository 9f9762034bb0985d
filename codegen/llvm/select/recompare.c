/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two numbers that are compared again where the result of an earlier comparison is known:
 *
 *	if (a < b) ... else if (a == b) ...
 *
 * The target compares once. The second block has only the first as its predecessor, and reads the flags that it left.
 * If the second block is reached by a jump, the verifier knows nothing of its flags (V-52), and refuses it. Only then
 * does this pass compare the numbers once more. A block that just follows is faster without that.
 */
#include <stdio.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

#include "select.h"

enum { NEAR = 8 };

/*
 * What is compared, or put in order, or subtracted, which sets the same flags. A switch compares with its constants, of
 * which one stands for all.
 */
struct pair {
	LLVMValueRef a, b;
};

struct pairs {
	struct pair of[NEAR];
	int n;
};

static bool is_choice(LLVMValueRef inst)
{
	static const char *const names[] = {"llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin.", "llvm.usub.sat."};
	LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
	const char *name;
	size_t n;

	if (!callee || !LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
		return false;
	name = LLVMGetValueName2(callee, &n);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool pair_of(LLVMValueRef v, struct pair *p)
{
	if (LLVMIsASwitchInst(v) && LLVMGetNumOperands(v) > 2) {
		*p = (struct pair){LLVMGetOperand(v, 0), LLVMGetOperand(v, 2)};
		return true;
	}
	if (!LLVMIsAICmpInst(v) && !is_choice(v) &&
		!(LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMSub))
		return false;
	*p = (struct pair){LLVMGetOperand(v, 0), LLVMGetOperand(v, 1)};
	return true;
}

/* Of constants nearly the same the target makes the same ones: a < 2 is a <= 1. */
static bool is_alike(const struct pair *p, const struct pair *q)
{
	bool constants = LLVMIsAConstantInt(p->b) && LLVMIsAConstantInt(q->b);

	return (p->a == q->a && (p->b == q->b || constants)) || (p->a == q->b && p->b == q->a);
}

/* Is one of the pairs the instruction's? Comparisons of other blocks are made anew where they are used. */
static bool is_among(LLVMValueRef inst, const struct pairs *pairs)
{
	int n = LLVMIsAPHINode(inst) ? 0 : LLVMGetNumOperands(inst);
	struct pair p;

	for (int i = -1; i < n; i++) {
		LLVMValueRef v = i < 0 ? inst : LLVMGetOperand(inst, (unsigned)i);

		if (i >= 0 && !LLVMIsAICmpInst(v))
			continue;
		for (int k = 0; pair_of(v, &p) && k < pairs->n; k++)
			if (is_alike(&p, &pairs->of[k]))
				return true;
	}
	return false;
}

static void add_pairs(LLVMValueRef inst, struct pairs *pairs)
{
	int n = LLVMIsAPHINode(inst) ? 0 : LLVMGetNumOperands(inst);

	if (pairs->n < NEAR && pair_of(inst, &pairs->of[pairs->n]))
		pairs->n++;
	for (int i = 0; i < n && pairs->n < NEAR; i++)
		if (LLVMIsAICmpInst(LLVMGetOperand(inst, (unsigned)i)) &&
			pair_of(LLVMGetOperand(inst, (unsigned)i), &pairs->of[pairs->n]))
			pairs->n++;
}

/* The one block that this one is come to from, or NULL. */
static LLVMBasicBlockRef only_before(LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef before = NULL;

	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (!LLVMIsATerminatorInst(user))
			continue;
		if (before && LLVMGetInstructionParent(user) != before)
			return NULL;
		before = LLVMGetInstructionParent(user);
	}
	return before;
}

/*
 * What the flags may be left of at the block's beginning: the last of what was before it, for each comparison changes
 * them all.
 */
static void left_of(LLVMBasicBlockRef block, struct pairs *pairs)
{
	bool decides = false;

	for (int i = 0; i < NEAR && !decides && (block = only_before(block)) != NULL; i++) {
		decides = LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block)) > 1;
		for (LLVMValueRef inst = LLVMGetLastInstruction(block); inst && pairs->n < NEAR;
			inst = LLVMGetPreviousInstruction(inst))
			add_pairs(inst, pairs);
	}
}

static LLVMValueRef first_but_phis(LLVMBasicBlockRef block)
{
	LLVMValueRef inst = LLVMGetFirstInstruction(block);

	while (inst && LLVMIsAPHINode(inst))
		inst = LLVMGetNextInstruction(inst);
	return inst;
}

static bool goes_by_flags(LLVMBasicBlockRef block)
{
	struct pairs pairs = {0};
	bool found = false;

	left_of(block, &pairs);
	for (LLVMValueRef inst = first_but_phis(block); inst && !found && pairs.n > 0;
		inst = LLVMGetNextInstruction(inst))
		found = is_among(inst, &pairs);
	return found;
}

/*
 * What is made of the comparison as a number. Where another block makes a number of one, both may go on alike from
 * there, and the target would have them meet between the comparison and what reads the flags. So what the number is
 * goes through nothing at all, which is of this block alone.
 */
static void keep_number(LLVMBuilderRef b, LLVMValueRef zext, unsigned number)
{
	LLVMTypeRef type = LLVMTypeOf(zext), fn = LLVMFunctionType(type, &type, 1, 0);
	LLVMValueRef next = LLVMGetNextInstruction(zext), kept;
	char text[16];
	int n = snprintf(text, sizeof(text), "#%u", number);

	LLVMPositionBuilderBefore(b, next);
	kept = LLVMBuildCall2(b, fn, LLVMGetInlineAsm(fn, text, (size_t)n, "=r,0", 4, 0, 0, LLVMInlineAsmDialectATT, 0),
		&zext, 1, "");
	LLVMReplaceAllUsesWith(zext, kept);
	LLVMSetOperand(kept, 0, zext);
}

static void recompare_block(LLVMBuilderRef b, LLVMBasicBlockRef block, unsigned *number)
{
	LLVMTypeRef fn = LLVMFunctionType(
		LLVMVoidTypeInContext(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block)))), NULL, 0, 0);
	LLVMValueRef first = first_but_phis(block);

	if (!goes_by_flags(block))
		return;
	LLVMPositionBuilderBefore(b, first);
	LLVMBuildCall2(
		b, fn, LLVMGetInlineAsm(fn, "", 0, "~{flags}", 8, 1, 0, LLVMInlineAsmDialectATT, 0), NULL, 0, "");
	for (LLVMValueRef inst = first; inst; inst = LLVMGetNextInstruction(inst))
		if (LLVMIsAZExtInst(inst) && LLVMIsAICmpInst(LLVMGetOperand(inst, 0)) &&
			LLVMGetIntTypeWidth(LLVMTypeOf(inst)) >= 32)
			keep_number(b, inst, ++*number);
}

void recompare_flags(LLVMModuleRef m)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	unsigned number = 0;

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			recompare_block(b, block, &number);
	LLVMDisposeBuilder(b);
}

bool test_one_by_one(LLVMModuleRef m, LLVMTargetMachineRef tm)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(m, "function(lower-switch)", tm, options);

	LLVMDisposePassBuilderOptions(options);
	if (error)
		LLVMConsumeError(error);
	return !error;
}
