/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of fewer than eight bytes get room for eight.
 *
 * Copies and compares (forms/) take eight bytes at once where that many are left, in loops that are never entered for
 * a small object; but that isn't always evident. LLVM assumes that an access larger than its object can't be to that
 * object, so it sees no earlier store in its way. It then takes what it found of eight bytes at an address to be true
 * of fewer bytes there (memory dependence analysis keeps what it knows by address, the largest size first), and
 * forwards a value that was overwritten since:
 *
 *	char t[6] = {0}; t[i] = 7; memcpy(to, t, n);		to[0] was 0, whatever i
 *
 * With room for the largest access no object is too small for one.
 */
#include "codegen/llvm/prepare/memory.h"

#include <llvm-c/Target.h>
#include <string.h>

enum { ROOM = 8 };

static bool is_small(LLVMModuleRef m, LLVMTypeRef type)
{
	return LLVMTypeIsSized(type) && LLVMABISizeOfType(LLVMGetModuleDataLayout(m), type) < ROOM;
}

/* How long it is alive is said of so many bytes. */
static void say_size(LLVMValueRef local)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(local)));

	for (LLVMUseRef use = LLVMGetFirstUse(local); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use), callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
		size_t n;

		if (callee && LLVMIsAFunction(callee) &&
			strncmp(LLVMGetValueName2(callee, &n), "llvm.lifetime.", 14) == 0)
			LLVMSetOperand(call, 0, LLVMConstInt(i64, ROOM, 0));
	}
}

static void widen_local(LLVMBuilderRef b, LLVMValueRef local)
{
	LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(local));
	LLVMValueRef wide;

	LLVMPositionBuilderBefore(b, local);
	wide = LLVMBuildAlloca(b, LLVMArrayType2(LLVMInt8TypeInContext(ctx), ROOM), "");
	LLVMSetAlignment(wide, LLVMGetAlignment(local));
	LLVMReplaceAllUsesWith(local, wide);
	LLVMInstructionEraseFromParent(local);
	say_size(wide);
}

static void widen_global(LLVMModuleRef m, LLVMValueRef global)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);
	LLVMTypeRef type = LLVMGlobalGetValueType(global);
	unsigned more = ROOM - (unsigned)LLVMABISizeOfType(LLVMGetModuleDataLayout(m), type);
	LLVMTypeRef room = LLVMArrayType2(LLVMInt8TypeInContext(ctx), more);
	LLVMValueRef parts[2] = {LLVMGetInitializer(global), LLVMConstNull(room)},
		     init = LLVMConstStructInContext(ctx, parts, 2, 0);
	LLVMValueRef wide = LLVMAddGlobal(m, LLVMTypeOf(init), "");
	size_t n;
	LLVMValueMetadataEntry *said = LLVMGlobalCopyAllMetadata(global, &n);

	LLVMSetInitializer(wide, init);
	LLVMSetLinkage(wide, LLVMGetLinkage(global));
	LLVMSetVisibility(wide, LLVMGetVisibility(global));
	LLVMSetUnnamedAddress(wide, LLVMGetUnnamedAddress(global));
	LLVMSetAlignment(wide, LLVMGetAlignment(global));
	for (unsigned i = 0; i < n; i++)
		LLVMGlobalSetMetadata(
			wide, LLVMValueMetadataEntriesGetKind(said, i), LLVMValueMetadataEntriesGetMetadata(said, i));
	LLVMDisposeValueMetadataEntries(said);
	LLVMReplaceAllUsesWith(global, wide);
	LLVMSetValueName2(wide, LLVMGetValueName(global), strlen(LLVMGetValueName(global)));
	LLVMDeleteGlobal(global);
}

/* Of constants nothing is overwritten. */
static bool is_small_variable(LLVMModuleRef m, LLVMValueRef global)
{
	return !LLVMIsDeclaration(global) && !LLVMIsGlobalConstant(global) &&
	       LLVMGetLinkage(global) == LLVMInternalLinkage && !LLVMGetSection(global) &&
	       is_small(m, LLVMGlobalGetValueType(global));
}

void widen_small(LLVMModuleRef m)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	LLVMValueRef fn, inst, next, global;
	LLVMBasicBlockRef block;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (inst = LLVMGetFirstInstruction(block); inst; inst = next) {
				next = LLVMGetNextInstruction(inst);
				if (LLVMIsAAllocaInst(inst) && is_small(m, LLVMGetAllocatedType(inst)))
					widen_local(b, inst);
			}
	for (global = LLVMGetFirstGlobal(m); global; global = next) {
		next = LLVMGetNextGlobal(global);
		if (is_small_variable(m, global))
			widen_global(m, global);
	}
	LLVMDisposeBuilder(b);
}
