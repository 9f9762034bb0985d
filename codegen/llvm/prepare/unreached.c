/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no probe function reaches is left out before anything is checked: a header's functions and tables may be of use
 * to others, and hold what a probe can't have.
 */
#include "codegen/llvm/ir/probe.h"
#include "prepare.h"

static bool has_entries(LLVMModuleRef m)
{
	LLVMValueRef fn = LLVMGetFirstFunction(m);

	while (fn && (LLVMIsDeclaration(fn) || !is_entry(fn)))
		fn = LLVMGetNextFunction(fn);
	return fn;
}

/* A body that a header has only to be inlined belongs to a function that is elsewhere. */
static void make_private(LLVMValueRef g)
{
	LLVMLinkage linkage = LLVMGetLinkage(g);

	if (LLVMIsDeclaration(g) || linkage == LLVMAvailableExternallyLinkage || linkage == LLVMAppendingLinkage ||
		linkage == LLVMPrivateLinkage)
		return;
	LLVMSetVisibility(g, LLVMDefaultVisibility);
	LLVMSetLinkage(g, LLVMInternalLinkage);
}

bool drop_unreached(LLVMModuleRef m, LLVMTargetMachineRef tm)
{
	if (!has_entries(m))
		return true;
	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		if (!is_entry(fn))
			make_private(fn);
	for (LLVMValueRef g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g))
		make_private(g);
	return run_passes(m, tm, "globaldce");
}
