/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compare of a guard, and what stops a probe. LLVM's C interface can't split blocks. So each guard is a call of a
 * small function that is then inlined, which splits the block.
 */
#include "guards.h"

#include <stdio.h>

enum { NAME = 64 };

/* number guard(number, trap): the number, if it is not refused; the predicate compares it with `limit`. */
static LLVMValueRef guard_function(struct guards *g, LLVMTypeRef type, LLVMIntPredicate refused, uint64_t limit)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(g->ctx), params[2] = {type, i32};
	unsigned inlined = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
	LLVMBasicBlockRef entry, stop, go;
	LLVMValueRef fn, v, which, trap = trap_function(g->m);
	char name[NAME];

	snprintf(name, sizeof(name), "ward.guard.%u.%d.%llu", LLVMGetIntTypeWidth(type), (int)refused,
		(unsigned long long)limit);
	fn = LLVMGetNamedFunction(g->m, name);
	if (fn)
		return fn;
	fn = LLVMAddFunction(g->m, name, LLVMFunctionType(type, params, 2, 0));
	LLVMSetLinkage(fn, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(g->ctx, inlined, 0));
	entry = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
	stop = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
	go = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
	LLVMPositionBuilderAtEnd(g->b, entry);
	LLVMSetCurrentDebugLocation2(g->b, NULL);
	v = opaque(g->b, LLVMGetParam(fn, 0));
	mark_unlikely(
		LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, refused, v, LLVMConstInt(type, limit, 0), ""), stop, go));
	LLVMPositionBuilderAtEnd(g->b, stop);
	which = LLVMGetParam(fn, 1);
	LLVMBuildCall2(g->b, LLVMGlobalGetValueType(trap), trap, &which, 1, "");
	LLVMBuildUnreachable(g->b);
	LLVMPositionBuilderAtEnd(g->b, go);
	LLVMBuildRet(g->b, v);
	return fn;
}

/* Where the builder is, before a guard of instruction i: -1 if nothing is marked. */
static int mark_guard(struct guards *g, int i, const char *what)
{
	int mark = g->options->marks ? mark_add(g->options->marks, i, what) : -1;

	g->failed |= g->options->marks && mark < 0;
	if (mark >= 0)
		mark_reached(g->m, g->b, mark);
	return mark;
}

LLVMValueRef call_guard_at(struct guards *g, int i, LLVMValueRef before, LLVMValueRef v, LLVMIntPredicate refused,
	uint64_t limit, const char *what)
{
	int trap = trap_at(g->traps, place_of_instruction(g->origin->inst[i]), what);
	LLVMValueRef fn, args[2] = {v, LLVMConstInt(LLVMInt32TypeInContext(g->ctx), (unsigned)trap, 0)};

	LLVMValueRef guarded;
	int mark;

	g->failed |= trap < 0;
	g->plan->of[i].by = i + 1;
	fn = guard_function(g, LLVMTypeOf(v), refused, limit);
	LLVMPositionBuilderBefore(g->b, before);
	mark = mark_guard(g, i, what);
	guarded = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
	if (mark >= 0)
		mark_passed(g->m, g->b, mark);
	return guarded;
}

LLVMValueRef call_guard(
	struct guards *g, int i, LLVMValueRef v, LLVMIntPredicate refused, uint64_t limit, const char *what)
{
	return call_guard_at(g, i, g->x->inst[i], v, refused, limit, what);
}

void does_for(struct guards *g, int guard, int i)
{
	if (!g->plan->of[i].by)
		g->plan->of[i].by = guard + 1;
}

void call_stop(struct guards *g, int i, const char *what)
{
	static const char name[] = "ward.stop";
	int trap = trap_at(g->traps, place_of_instruction(g->origin->inst[i]), what);
	LLVMValueRef fn = LLVMGetNamedFunction(g->m, name), end = trap_function(g->m), which;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(g->ctx),
		    type = LLVMFunctionType(LLVMVoidTypeInContext(g->ctx), &i32, 1, 0);

	g->failed |= trap < 0;
	g->plan->of[i].by = i + 1;
	if (!fn) {
		fn = LLVMAddFunction(g->m, name, type);
		LLVMSetLinkage(fn, LLVMInternalLinkage);
		LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
			LLVMCreateEnumAttribute(g->ctx, LLVMGetEnumAttributeKindForName("alwaysinline", 12), 0));
		LLVMPositionBuilderAtEnd(g->b, LLVMAppendBasicBlockInContext(g->ctx, fn, ""));
		LLVMSetCurrentDebugLocation2(g->b, NULL);
		which = LLVMGetParam(fn, 0);
		LLVMBuildCall2(g->b, LLVMGlobalGetValueType(end), end, &which, 1, "");
		LLVMBuildUnreachable(g->b);
	}
	LLVMPositionBuilderBefore(g->b, g->x->inst[i]);
	which = LLVMConstInt(i32, (unsigned)trap, 0);
	mark_guard(g, i, what);
	LLVMBuildCall2(g->b, type, fn, &which, 1, "");
}
