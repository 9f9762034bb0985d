/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of doubles and floats become copies of their bits. A probe can't compute with such numbers, and need not to
 * keep one: what is only loaded to be stored, and a constant that is stored, is as good an integer. Initialisers of
 * structs that have such members consist of these.
 */
#include "real_copies.h"

#include <stdbool.h>
#include <stddef.h>

/* The integer with the bits of a double or float; NULL for all other types. */
static LLVMTypeRef bits_type(LLVMTypeRef type)
{
	LLVMContextRef context = LLVMGetTypeContext(type);

	switch (LLVMGetTypeKind(type)) {
	case LLVMDoubleTypeKind: return LLVMInt64TypeInContext(context);
	case LLVMFloatTypeKind: return LLVMInt32TypeInContext(context);
	default: return NULL;
	}
}

static bool is_only_stored(LLVMValueRef load)
{
	for (LLVMUseRef use = LLVMGetFirstUse(load); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) != load)
			return false;
	}
	return true;
}

/* Put an instruction in the place of another: same line, same alignment. */
static void inst_replace(LLVMValueRef old, LLVMValueRef new)
{
	LLVMSetAlignment(new, LLVMGetAlignment(old));
	LLVMSetVolatile(new, LLVMGetVolatile(old));
	LLVMInstructionSetDebugLoc(new, LLVMInstructionGetDebugLoc(old));
}

static LLVMValueRef stored_bits(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef bits)
{
	LLVMValueRef load;

	if (LLVMIsAConstantFP(value))
		return LLVMConstBitCast(value, bits);
	if (!LLVMIsALoadInst(value) || LLVMGetOrdering(value) != LLVMAtomicOrderingNotAtomic || !is_only_stored(value))
		return NULL;
	LLVMPositionBuilderBefore(builder, value);
	load = LLVMBuildLoad2(builder, bits, LLVMGetOperand(value, 0), "");
	inst_replace(value, load);
	return load;
}

/* A load that is stored twice becomes two. */
static void store_as_bits(LLVMBuilderRef builder, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0), bits, new;
	LLVMTypeRef type = bits_type(LLVMTypeOf(value));

	if (!type || LLVMGetOrdering(store) != LLVMAtomicOrderingNotAtomic ||
		!(bits = stored_bits(builder, value, type)))
		return;
	LLVMPositionBuilderBefore(builder, store);
	new = LLVMBuildStore(builder, bits, LLVMGetOperand(store, 1));
	inst_replace(store, new);
	LLVMInstructionEraseFromParent(store);
	if (LLVMIsALoadInst(value) && !LLVMGetFirstUse(value))
		LLVMInstructionEraseFromParent(value);
}

void copy_reals_as_bits(LLVMModuleRef m)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (LLVMIsAStoreInst(i))
					store_as_bits(builder, i);
			}
	LLVMDisposeBuilder(builder);
}
