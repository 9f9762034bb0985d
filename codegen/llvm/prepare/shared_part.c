/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In the kernel's profile what processors share is a part of the state, of whole pages, which the loader has the same
 * memory for in all states. It stands right behind the author's struct. The function that the headers ask for its place
 * becomes that address.
 */
#include "codegen/llvm/ir/probe.h"
#include "prepare.h"

enum { PAGE = 4096 };

/* A call of the function becomes an address, so many bytes behind the state's beginning. */
static void call_replace(LLVMBuilderRef b, LLVMValueRef call, uint64_t at)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), place;
	LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(ctx), at, 0);

	LLVMPositionBuilderBefore(b, call);
	place = LLVMBuildGEP2(b, LLVMInt8TypeInContext(ctx), LLVMGetParam(fn, 1), &offset, 1, "");
	LLVMReplaceAllUsesWith(call, place);
	LLVMInstructionEraseFromParent(call);
}

/* All is inlined, so that calls are in probe functions, which have the state. */
static bool is_call_in_entry(LLVMValueRef user)
{
	LLVMValueRef fn = LLVMIsACallInst(user) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) : NULL;

	return fn && is_entry(fn) && has_entry_type(fn) && LLVMIsAConstantInt(LLVMGetOperand(user, 0));
}

uint64_t place_shared(LLVMModuleRef m, uint64_t state, struct behind_state *behind)
{
	LLVMValueRef fn = LLVMGetNamedFunction(m, "ward_shared_place");
	LLVMUseRef next, use = fn && is_shared_place(fn) ? LLVMGetFirstUse(fn) : NULL;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));

	for (; use; use = next) {
		LLVMValueRef call = LLVMGetUser(use);

		next = LLVMGetNextUse(use);
		if (!is_call_in_entry(call))
			continue;
		behind->shared_at = (state + PAGE - 1) & -(uint64_t)PAGE;
		behind->shared_size = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0));
		call_replace(b, call, behind->shared_at);
	}
	LLVMDisposeBuilder(b);
	return behind->shared_size ? behind->shared_at + ((behind->shared_size + PAGE - 1) & -(uint64_t)PAGE) : state;
}
