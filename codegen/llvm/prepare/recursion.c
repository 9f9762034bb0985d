/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursion whose depth the compiler sees: f(x, 3) calls f(x, 2), and so on. A probe has no calls of its own functions,
 * for all of them are inlined; so this is done level by level. In each round the functions are inlined once into the
 * probe functions, and what is constant there is folded. A level whose test of the depth is false calls no other, and
 * nothing is left to inline. Where something is left after so many rounds, or the code grows too long, the depth isn't
 * known.
 *
 * LLVM inlines no function that calls itself. So each of these gets a double that only calls it, and calls the double
 * in its own place: inlined into the double, it is the double that calls itself, in the next round.
 */
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/ir/probe.h"
#include "prepare.h"

enum { MAX_DEPTH = 64, MAX_INSTRUCTIONS = 20000 };

static bool calls(LLVMValueRef user, LLVMValueRef fn)
{
	return LLVMIsACallInst(user) && LLVMGetCalledValue(user) == fn;
}

static bool calls_itself(LLVMValueRef fn)
{
	for (LLVMUseRef use = LLVMGetFirstUse(fn); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (calls(user, fn) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == fn)
			return true;
	}
	return false;
}

/* A function of the same type that passes all on. */
static LLVMValueRef add_double(LLVMModuleRef m, LLVMValueRef fn)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);
	LLVMTypeRef type = LLVMGlobalGetValueType(fn);
	unsigned n = LLVMCountParams(fn);
	LLVMValueRef *args = calloc(n + (size_t)1, sizeof(LLVMValueRef)), copy, call;
	LLVMBuilderRef b;

	if (!args)
		return NULL;
	copy = LLVMAddFunction(m, LLVMGetValueName2(fn, &(size_t){0}), type);
	LLVMSetLinkage(copy, LLVMInternalLinkage);
	LLVMGetParams(copy, args);
	copy_passing(fn, copy, NULL);
	b = LLVMCreateBuilderInContext(ctx);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(ctx, copy, ""));
	call = LLVMBuildCall2(b, type, fn, args, n, "");
	copy_passing(fn, NULL, call);
	if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(b);
	else
		LLVMBuildRet(b, call);
	LLVMDisposeBuilder(b);
	free(args);
	return copy;
}

/* It calls its double from now on, where it has called itself. */
static bool function_part(LLVMModuleRef m, LLVMValueRef fn)
{
	LLVMValueRef copy = add_double(m, fn);
	LLVMUseRef use = LLVMGetFirstUse(fn), next;

	for (; copy && use; use = next) {
		LLVMValueRef user = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (calls(user, fn) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == fn)
			LLVMSetOperand(user, (unsigned)LLVMGetNumOperands(user) - 1, copy);
	}
	return copy;
}

static bool functions_part(LLVMModuleRef m)
{
	bool ok = true;

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn && ok; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn) && !is_entry(fn) && calls_itself(fn))
			ok = function_part(m, fn);
	return ok;
}

/* How many instructions a function has, and whether it still calls others. */
static unsigned size_measure(LLVMValueRef fn, bool *call)
{
	unsigned n = 0;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
			LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;

			*call |= callee && LLVMIsAFunction(callee) && !LLVMIsDeclaration(callee);
			n++;
		}
	return n;
}

/* The same of the probe functions. */
static unsigned measure_all(LLVMModuleRef m, bool *call)
{
	unsigned n = 0;

	*call = false;
	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		n += is_entry(fn) ? size_measure(fn, call) : 0;
	return n;
}

bool unroll_recursion(LLVMModuleRef m, LLVMTargetMachineRef tm, bool *known)
{
	bool call = true, ok = true;

	for (int i = 0; ok && call && i < MAX_DEPTH; i++) {
		ok = functions_part(m) && inline_once(m, tm);
		if (ok && measure_all(m, &call) > MAX_INSTRUCTIONS)
			break;
	}
	*known = !call;
	return ok;
}
