/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stops that the source has itself: an assertion that doesn't hold, and a call through a pointer that leads to no
 * function. They end a run as a guard does, and are counted with their lines. Their traps have the first numbers,
 * given before anything is optimised, where each has its place.
 */
#include "stops.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "codegen/llvm/ir/probe.h"

static const char *what_stops(LLVMValueRef fn)
{
	size_t n;

	if (!is_stop(fn))
		return NULL;
	return strcmp(LLVMGetValueName2(fn, &n), stop_no_function) == 0 ? "call" : "assert";
}

static bool name_call(LLVMBuilderRef b, LLVMModuleRef m, LLVMValueRef call, struct traps *t)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(m));
	int number = trap_at(t, place_of_instruction(call), what_stops(LLVMGetCalledValue(call)));
	LLVMValueRef trap = trap_function(m), value = LLVMConstInt(i32, (unsigned)number, 0);

	if (number < 0)
		return false;
	LLVMPositionBuilderBefore(b, call);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
	LLVMBuildCall2(b, LLVMGlobalGetValueType(trap), trap, &value, 1, "");
	LLVMInstructionEraseFromParent(call);
	return true;
}

bool name_stops(LLVMModuleRef m, struct traps *t)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	bool ok = true;

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMUseRef use = what_stops(fn) ? LLVMGetFirstUse(fn) : NULL, next; use && ok; use = next) {
			LLVMValueRef user = LLVMGetUser(use);

			next = LLVMGetNextUse(use);
			if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == fn)
				ok = name_call(b, m, user, t);
		}
	LLVMDisposeBuilder(b);
	return ok;
}

bool copy_traps(struct traps *to, const struct traps *from)
{
	*to = (struct traps){.room = from->room};
	for (int i = 0; i < from->n; i++)
		if (trap_add(to, from->list[i].file, from->list[i].line, from->list[i].what) < 0)
			return false;
	return true;
}
