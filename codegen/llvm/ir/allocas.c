/* SPDX-License-Identifier: Apache-2.0 */
#include "allocas.h"

#include <string.h>

#include "address.h"

enum { WORD = 8 };
/*
 * Zeros from so many bytes on are stored through a register of their own; a displacement of one byte reaches half of
 * REACH to either side.
 */
enum { MANY_ZEROS = 128, REACH = 256 };

uint64_t variable_size(LLVMTargetDataRef layout, LLVMValueRef variable)
{
	LLVMValueRef n = LLVMGetOperand(variable, 0);

	return LLVMIsAConstantInt(n)
		       ? LLVMABISizeOfType(layout, LLVMGetAllocatedType(variable)) * LLVMConstIntGetZExtValue(n)
		       : 0;
}

LLVMValueRef first_after_variables(LLVMValueRef fn)
{
	LLVMValueRef inst = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));

	while (LLVMIsAAllocaInst(inst))
		inst = LLVMGetNextInstruction(inst);
	return inst;
}

void drop_lifetimes(LLVMValueRef variable)
{
	LLVMUseRef use, next;

	for (use = LLVMGetFirstUse(variable); use; use = next) {
		LLVMValueRef user = LLVMGetUser(use), callee = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
		size_t n;

		next = LLVMGetNextUse(use);
		if (callee && LLVMIsAFunction(callee) &&
			strncmp(LLVMGetValueName2(callee, &n), "llvm.lifetime.", 14) == 0)
			LLVMInstructionEraseFromParent(user);
	}
}

/* ---- zeros ---- */

static LLVMTargetDataRef layout_at(LLVMBuilderRef b)
{
	return LLVMGetModuleDataLayout(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(b))));
}

static LLVMValueRef at_distance(LLVMBuilderRef b, LLVMValueRef base, uint64_t n)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(base)));
	LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(LLVMGetTypeContext(byte)), n, 1);

	return n ? LLVMBuildGEP2(b, byte, base, &index, 1, "") : base;
}

/* The largest that a store writes and that isn't beyond `size`. */
static uint64_t word_of(uint64_t size)
{
	uint64_t word = WORD;

	while (word > size)
		word /= 2;
	return word;
}

void build_zeros(LLVMBuilderRef b, LLVMValueRef to, uint64_t size)
{
	uint64_t word = word_of(size), middle = 0;
	LLVMTypeRef type = LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(to)), (unsigned)word * 8);
	LLVMValueRef zero = word < WORD ? LLVMConstNull(type) : opaque(b, LLVMConstNull(type)), base = to;
	bool through = size >= MANY_ZEROS && LLVMIsAAllocaInst(to) && variable_size(layout_at(b), to) >= size;

	for (uint64_t at = 0; at < size; at += word) {
		uint64_t from = size - at < word ? size - word : at;

		if (through && at % REACH == 0) {
			middle = at + REACH / 2;
			base = opaque(b, at_distance(b, to, middle));
		}
		LLVMSetAlignment(LLVMBuildStore(b, zero, at_distance(b, base, from - middle)), 1);
	}
}

void clear_variable(LLVMBuilderRef b, LLVMValueRef variable)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(variable));
	uint64_t size = variable_size(LLVMGetModuleDataLayout(LLVMGetGlobalParent(fn)), variable);

	drop_lifetimes(variable);
	LLVMPositionBuilderBefore(b, first_after_variables(fn));
	LLVMSetCurrentDebugLocation2(b, NULL);
	if (size)
		build_zeros(b, variable, size);
}
