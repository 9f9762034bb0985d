/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks.
 *
 * Will a guard stop every run that reaches it? The optimiser can often decide that, but in the code that is generated
 * it must not see through a guard (guard.c). So the guards are written into one more clone, which nobody executes. In
 * it each guard has two marks, calls of functions that don't exist: one right before the guard and one right behind
 * it. Then the clone is made transparent and is optimised. If the first mark is left and the second is gone, no run
 * gets through that guard.
 *
 * The same is done for each loop, with marks where it goes back and where it is left, and for each probe function,
 * with marks where it begins and where it returns. The optimiser counts the rounds of the ways out of a loop, among
 * them the counter's: a way out that is taken later than another one goes away.
 */
#include "marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/prepare/prepare.h"

enum { NAME = 32 };
static const char reached_name[] = "ward.reached.", passed_name[] = "ward.passed.";

int mark_add(struct marks *marks, int at, const char *what)
{
	if (marks->n == marks->cap) {
		int cap = marks->cap ? marks->cap * 2 : 64;
		struct mark *list = realloc(marks->list, (size_t)cap * sizeof(*list));

		if (!list)
			return -1;
		marks->list = list;
		marks->cap = cap;
	}
	marks->list[marks->n] = (struct mark){.what = what, .at = at};
	return marks->n++;
}

/* Each mark has a function of its own: calls of one function with two numbers may become one call. */
static void call_mark(LLVMModuleRef m, LLVMBuilderRef b, const char *prefix, int mark)
{
	static const char *const attributes[] = {"memory", "nounwind"};
	LLVMContextRef ctx = LLVMGetModuleContext(m);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(ctx), NULL, 0, 0);
	char name[NAME];
	LLVMValueRef fn;

	snprintf(name, sizeof(name), "%s%d", prefix, mark);
	fn = LLVMGetNamedFunction(m, name);
	if (!fn) {
		fn = LLVMAddFunction(m, name, type);
		for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) /* 0: no memory at all */
			LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(
					ctx, LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i])), 0));
	}
	LLVMBuildCall2(b, type, fn, NULL, 0, "");
}

void mark_reached(LLVMModuleRef m, LLVMBuilderRef b, int mark)
{
	call_mark(m, b, reached_name, mark);
}

void mark_passed(LLVMModuleRef m, LLVMBuilderRef b, int mark)
{
	call_mark(m, b, passed_name, mark);
}

/* ---- loops and functions ---- */

/* The number of the first instruction of the block that has one, or -1. */
static int first_number(LLVMBasicBlockRef block, const struct index *numbers)
{
	int number = -1;

	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst && number < 0;
		inst = LLVMGetNextInstruction(inst))
		number = index_get(numbers, inst, -1);
	return number;
}

static void position_at_start(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
	LLVMValueRef inst = LLVMGetFirstInstruction(block);

	while (LLVMIsAPHINode(inst) || LLVMIsAAllocaInst(inst))
		inst = LLVMGetNextInstruction(inst);
	LLVMPositionBuilderBefore(b, inst);
	LLVMSetCurrentDebugLocation2(b, NULL);
}

/* The edges that leave the block: those that go back in a loop, and those that leave loops. */
static void mark_edges(LLVMModuleRef m, LLVMBuilderRef b, const struct flow *f, int block, const int *mark_of)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(f->block[block]);

	for (unsigned k = 0; k < LLVMGetNumSuccessors(last); k++) {
		int to = flow_number(f, LLVMGetSuccessor(last, k));

		for (int l = f->loop[block]; l != FLOW_NONE; l = f->parent[l]) {
			if (mark_of[l] < 0 || (to != l && flow_in_loop(f, to, l)))
				continue;
			if (to == l) {
				LLVMPositionBuilderBefore(b, last);
				LLVMSetCurrentDebugLocation2(b, NULL);
				mark_reached(m, b, mark_of[l]);
			} else {
				position_at_start(b, f->block[to]);
				mark_passed(m, b, mark_of[l]);
			}
		}
	}
}

bool marks_of_function(struct marks *marks, LLVMModuleRef m, const struct flow *f, const struct index *numbers)
{
	int *mark_of = malloc(((size_t)f->n + 1) * sizeof(*mark_of)), run;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	bool ok = mark_of;

	for (int l = 0; ok && l < f->n; l++) {
		int at = f->head[l] ? first_number(f->block[l], numbers) : -1;

		mark_of[l] = at < 0 ? -1 : mark_add(marks, at, "loop");
		ok = at < 0 || mark_of[l] >= 0;
	}
	for (int n = 0; ok && n < f->n; n++)
		mark_edges(m, b, f, n, mark_of);
	run = ok ? mark_add(marks, first_number(f->block[0], numbers), "run") : -1;
	ok = run >= 0;
	for (int n = 0; ok && n < f->n; n++) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(f->block[n]);

		if (n == 0) {
			position_at_start(b, f->block[n]);
			mark_reached(m, b, run);
		}
		if (LLVMIsAReturnInst(last)) {
			LLVMPositionBuilderBefore(b, last);
			mark_passed(m, b, run);
		}
	}
	LLVMDisposeBuilder(b);
	free(mark_of);
	return ok;
}

/* ---- what is left of them ---- */

/* What only kept the optimiser from seeing through it becomes what it was made of. */
static void make_transparent(LLVMValueRef fn)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
			LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
			size_t n = 1;

			next = LLVMGetNextInstruction(inst);
			if (!callee || !LLVMIsAInlineAsm(callee) || LLVMGetNumArgOperands(inst) != 1)
				continue;
			LLVMGetInlineAsmAsmString(callee, &n);
			if (n || LLVMTypeOf(inst) != LLVMTypeOf(LLVMGetOperand(inst, 0)))
				continue;
			LLVMReplaceAllUsesWith(inst, LLVMGetOperand(inst, 0));
			LLVMInstructionEraseFromParent(inst);
		}
}

static void mark_note(struct marks *marks, LLVMValueRef fn)
{
	size_t n;
	const char *name = LLVMGetValueName2(fn, &n);
	bool reached = !strncmp(name, reached_name, sizeof(reached_name) - 1),
	     passed = !strncmp(name, passed_name, sizeof(passed_name) - 1);
	int mark = reached ? atoi(name + sizeof(reached_name) - 1) : passed ? atoi(name + sizeof(passed_name) - 1) : -1;

	if (mark < 0 || mark >= marks->n || !LLVMGetFirstUse(fn))
		return;
	marks->list[mark].reached |= reached;
	marks->list[mark].passed |= passed;
}

bool marks_read(struct marks *marks, LLVMModuleRef m, LLVMTargetMachineRef tm)
{
	static const char passes[] =
		"always-inline,globaldce,function(mem2reg,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
		"correlated-propagation,simplifycfg,loop-simplify,lcssa,loop(loop-rotate,indvars),"
		"correlated-propagation,sccp,instcombine<no-verify-fixpoint>,simplifycfg),globaldce";

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		make_transparent(fn);
	if (!run_passes(m, tm, passes))
		return false;
	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		mark_note(marks, fn);
	return true;
}

void marks_free(struct marks *marks)
{
	free(marks->list);
	*marks = (struct marks){0};
}
