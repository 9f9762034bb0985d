/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that stay functions. Mostly all is inlined into the probe functions: guards are there, and what is proven
 * of a caller's numbers holds in the callee. But a large function that is called in several places makes as many copies
 * and the code becomes far larger than natively; so does the time to prove it. The verifier proves calls by contracts:
 * what all callers pass, numbers with limits and windows of memory, is what the function may count on.
 *
 * How large a function is shows only when it is optimised and its loops are unrolled. So the module is optimised once
 * with all calls kept. Then, callees first, a function stays if its copies would be large together.
 *
 * A function that stays can't have guards, nor assertions: they end the run, and it could only return to its caller. If
 * it needs a guard, all is inlined after all (search/ladder.c).
 */
#include "calls.h"

#include <stdlib.h>

#include "codegen/llvm/ir/probe.h"
#include "codegen/llvm/ir/ptr_map.h"
#include "prepare.h"

/* Instructions of the optimised module; one is four to five bytes of code. */
enum { LARGE = 1000, LEAST = 100, LEAST_COPIES = 500, MOST_ARGUMENTS = 6 };

static const char mark[] = "ward-kept";

bool is_kept(LLVMValueRef fn)
{
	return LLVMGetStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, mark, sizeof(mark) - 1) != NULL;
}

static void keep_call(LLVMValueRef fn)
{
	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(
			LLVMGetModuleContext(LLVMGetGlobalParent(fn)), mark, sizeof(mark) - 1, "", 0));
}

static bool is_passed(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);

	return kind == LLVMPointerTypeKind || (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64);
}

/* Does it take and give only what registers hold? */
static bool can_stay(LLVMValueRef fn)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(fn), result = LLVMGetReturnType(type);
	unsigned n = LLVMCountParams(fn);

	if (LLVMIsDeclaration(fn) || is_entry(fn) || LLVMIsFunctionVarArg(type) || n > MOST_ARGUMENTS)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!is_passed(LLVMTypeOf(LLVMGetParam(fn, i))))
			return false;
	return LLVMGetTypeKind(result) == LLVMVoidTypeKind || is_passed(result);
}

/* ---- sizes ---- */

/* A function of the module that was optimised with all calls kept. */
struct measured {
	LLVMValueRef fn;
	uint64_t size; /* with all that is inlined into it; 0: not known yet */
	unsigned sites;
	bool stops; /* it or what is inlined into it has a stop of the source's own */
	bool stays;
};

struct measuring {
	struct measured *of;
	int n;
	struct index number;
};

static struct measured *callee_of(struct measuring *x, LLVMValueRef inst)
{
	int i = LLVMIsACallInst(inst) ? index_get(&x->number, LLVMGetCalledValue(inst), -1) : -1;

	return i < 0 ? NULL : &x->of[i];
}

static bool calls_trap(LLVMValueRef inst)
{
	LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;

	return callee && LLVMIsAFunction(callee) && is_trap(callee);
}

/* There is no recursion, so this ends. */
static void measure_function(struct measuring *x, struct measured *f)
{
	uint64_t size = 1;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(b); inst; inst = LLVMGetNextInstruction(inst)) {
			struct measured *callee = callee_of(x, inst);

			if (callee && !callee->size)
				measure_function(x, callee);
			size += callee && !callee->stays ? callee->size : 1;
			f->stops |= callee ? callee->stops : calls_trap(inst);
		}
	f->size = size < UINT32_MAX ? size : UINT32_MAX;
	f->stays = !f->stops && f->sites > 1 && f->size >= LEAST && f->size * (f->sites - 1) >= LEAST_COPIES;
}

static void count_sites(struct measuring *x)
{
	for (int i = 0; i < x->n; i++)
		for (LLVMUseRef use = LLVMGetFirstUse(x->of[i].fn); use; use = LLVMGetNextUse(use))
			x->of[i].sites += callee_of(x, LLVMGetUser(use)) == &x->of[i];
}

static bool measuring_init(struct measuring *x, LLVMModuleRef m)
{
	int n = 0;

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		n++;
	x->of = calloc((size_t)n + 1, sizeof(*x->of));
	for (LLVMValueRef fn = LLVMGetFirstFunction(m); x->of && fn; fn = LLVMGetNextFunction(fn)) {
		if (LLVMIsDeclaration(fn) || !is_kept(fn))
			continue;
		x->of[x->n].fn = fn;
		if (!index_set(&x->number, fn, x->n))
			return false;
		x->n++;
	}
	return x->of;
}

/* Mark in `kept` those functions of the measured module that are to stay. Returns how many. */
static int keep_large(LLVMModuleRef measured, LLVMModuleRef kept)
{
	struct measuring x = {0};
	int n = 0;

	if (measuring_init(&x, measured)) {
		count_sites(&x);
		for (int i = 0; i < x.n; i++) {
			size_t length;
			LLVMValueRef fn = LLVMGetNamedFunction(kept, LLVMGetValueName2(x.of[i].fn, &length));

			if (!x.of[i].size)
				measure_function(&x, &x.of[i]);
			if (!x.of[i].stays || !fn)
				continue;
			keep_call(fn);
			n++;
		}
	}
	free(x.of);
	index_free(&x.number);
	return n;
}

LLVMModuleRef keep_calls(LLVMModuleRef source, LLVMTargetMachineRef tm, uint32_t max_stack)
{
	LLVMModuleRef measured = LLVMCloneModule(source), kept = LLVMCloneModule(source);
	struct diags d = {0};
	int n = 0;

	for (LLVMValueRef fn = LLVMGetFirstFunction(measured); fn; fn = LLVMGetNextFunction(fn))
		if (can_stay(fn))
			keep_call(fn);
	if (optimise(measured, tm, max_stack, &d) && d.n == 0 && !d.no_memory)
		n = keep_large(measured, kept);
	diag_free(&d);
	LLVMDisposeModule(measured);
	if (n)
		return kept;
	LLVMDisposeModule(kept);
	return NULL;
}

uint64_t count_instructions(LLVMModuleRef m)
{
	uint64_t n = 0;

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(b); inst; inst = LLVMGetNextInstruction(inst))
				n++;
	return n;
}

bool is_large(LLVMModuleRef m)
{
	return count_instructions(m) >= LARGE;
}
