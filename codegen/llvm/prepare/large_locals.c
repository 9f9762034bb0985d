/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local arrays that are too large for the stack. They go behind the author's state, where each thread has room, the
 * largest first, until the others fit. A thread runs one probe at a time, so all functions use the same room. As on
 * the stack, a variable starts as zeros in each run, because the front end sets it.
 *
 * What may be kept when the probe returns stays a local variable: that is refused (escape.c).
 */
#include <string.h>

#include "codegen/llvm/ir/allocas.h"
#include "codegen/llvm/ir/probe.h"
#include "prepare.h"
#include "ward/verify.h"

/* Registers that are saved, and what imports need, take a part of the stack: one in so many bytes is left to them. */
enum { REST = 8, SMALL = 64, MAX_MOVED = 1 << 26, ALIGN = 16 };

/* The largest variable that may be moved, or NULL; *all: the bytes of all variables. */
static LLVMValueRef largest(LLVMTargetDataRef layout, LLVMValueRef fn, uint64_t *all)
{
	LLVMValueRef inst = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)), found = NULL;
	uint64_t most = SMALL;

	*all = 0;
	for (; inst; inst = LLVMGetNextInstruction(inst)) {
		uint64_t size = LLVMIsAAllocaInst(inst) ? variable_size(layout, inst) : 0;

		*all += size;
		if (size > most && size <= MAX_MOVED && !is_held(inst)) {
			most = size;
			found = inst;
		}
	}
	return found;
}

/* The variable's place becomes one `at` bytes behind the state's beginning. */
static void local_move(LLVMBuilderRef b, LLVMValueRef fn, LLVMValueRef variable, uint64_t at)
{
	LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(ctx), at, 0), place;

	drop_lifetimes(variable);
	LLVMPositionBuilderBefore(b, variable);
	place = LLVMBuildGEP2(b, LLVMInt8TypeInContext(ctx), LLVMGetParam(fn, 1), &offset, 1, "");
	LLVMReplaceAllUsesWith(variable, place);
	LLVMInstructionEraseFromParent(variable);
}

/* Returns how many bytes of the room the function uses. */
static uint64_t locals_move(LLVMModuleRef m, LLVMValueRef fn, uint64_t limit, uint64_t state)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	uint64_t all, used = 0;
	LLVMValueRef variable = largest(layout, fn, &all);

	while (variable && all > limit - limit / REST) {
		uint64_t size = (variable_size(layout, variable) + ALIGN - 1) & -(uint64_t)ALIGN;

		if (state + used + size > MAX_MOVED)
			break;
		local_move(b, fn, variable, state + used);
		used += size;
		variable = largest(layout, fn, &all);
	}
	LLVMDisposeBuilder(b);
	return used;
}

void move_large_locals(LLVMModuleRef m, uint32_t max_stack)
{
	struct behind_state behind = {0};
	uint64_t limit = max_stack && max_stack < WARD_STACK_CEILING ? max_stack : WARD_DEFAULT_MAX_STACK,
		 size = state_size_of(m), state = (place_shared(m, size, &behind) + ALIGN - 1) & -(uint64_t)ALIGN;

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn)) {
		uint64_t used = is_entry(fn) && !LLVMIsDeclaration(fn) && has_entry_type(fn)
					? locals_move(m, fn, limit, state)
					: 0;

		behind.locals = used > behind.locals ? used : behind.locals;
	}
	behind.room = state + behind.locals - size;
	if (behind.locals || behind.shared_size)
		set_behind_state(m, &behind);
}
