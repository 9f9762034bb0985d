/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes of elements that aren't powers of two.
 *
 * The target makes (i << 4) - (i << 1) of i * 14, and (i << 5) - i of i * 31. To the verifier that is a difference of
 * two numbers, which may be below zero, whatever is known of i. It knows products. So where an address has such a
 * factor, the pass hides from the target that it is constant, and the target multiplies. Where the target makes sums
 * of products instead, they are left to it.
 */
#include "codegen/llvm/ir/address.h"
#include "select.h"

static bool is_power(uint64_t n)
{
	return n && (n & (n - 1)) == 0;
}

/* Two steps by 3, 5 or 9, the second of which may be a shift: 12 and 24 are such. */
static bool is_scaled_twice(uint64_t factor)
{
	uint64_t first = factor % 9 == 0   ? 9
			 : factor % 5 == 0 ? 5
			 : factor % 3 == 0 ? 3
					   : 0,
		 second = first ? factor / first : 0;

	return is_power(second) || second == 3 || second == 5 || second == 9;
}

/* Would the target make a difference of it? */
static bool is_subtracted(uint64_t factor)
{
	if (is_scaled_twice(factor))
		return false;
	for (uint64_t more = 1; more <= 8; more *= 2)
		if (factor > 4 && factor + more > factor && is_power(factor + more) && !is_power(factor))
			return true;
	return factor == 23 || factor == 28 || factor == 29;
}

static LLVMValueRef hidden_constant(LLVMBuilderRef b, LLVMTypeRef type, uint64_t n)
{
	return opaque(b, LLVMConstInt(type, n, 0));
}

/* What the operands of an address computation add up to, with such factors hidden; NULL if there are none. */
static LLVMValueRef offset_of(LLVMBuilderRef b, LLVMTargetDataRef layout, LLVMValueRef gep)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(gep))),
		    type = LLVMGetGEPSourceElementType(gep);
	LLVMValueRef sum = NULL;
	uint64_t constant = 0;

	for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
		LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i), term;
		uint64_t scale, field;

		if (!gep_step(layout, &type, index, i == 1, &scale, &field))
			return NULL;
		constant += field;
		if (LLVMIsAConstantInt(index)) {
			constant += scale * (uint64_t)LLVMConstIntGetSExtValue(index);
			continue;
		}
		term = LLVMBuildSExtOrBitCast(b, index, i64, "");
		if (scale > 1)
			term = LLVMBuildMul(b, term,
				is_subtracted(scale) ? hidden_constant(b, i64, scale) : LLVMConstInt(i64, scale, 0),
				"");
		sum = sum ? LLVMBuildAdd(b, sum, term, "") : term;
	}
	return sum && constant ? LLVMBuildAdd(b, sum, LLVMConstInt(i64, constant, 0), "") : sum;
}

static bool has_subtracted_scale(LLVMTargetDataRef layout, LLVMValueRef gep)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	bool found = false;

	for (int i = 1; i < LLVMGetNumOperands(gep); i++) {
		uint64_t scale, field;

		if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(gep, (unsigned)i))) != LLVMIntegerTypeKind ||
			!gep_step(layout, &type, LLVMGetOperand(gep, (unsigned)i), i == 1, &scale, &field))
			return false;
		found |= !LLVMIsAConstantInt(LLVMGetOperand(gep, (unsigned)i)) && is_subtracted(scale);
	}
	return found;
}

static void multiply_in_address(LLVMBuilderRef b, LLVMTargetDataRef layout, LLVMValueRef gep)
{
	LLVMTypeRef i8 = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(gep)));
	LLVMValueRef offset;

	LLVMPositionBuilderBefore(b, gep);
	offset = offset_of(b, layout, gep);
	if (!offset)
		return;
	LLVMReplaceAllUsesWith(gep, LLVMBuildGEP2(b, i8, LLVMGetOperand(gep, 0), &offset, 1, ""));
	LLVMInstructionEraseFromParent(gep);
}

static bool is_in_address(LLVMValueRef number)
{
	for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use))
		if (LLVMIsAGetElementPtrInst(LLVMGetUser(use)))
			return true;
	return false;
}

/* Numbers that are multiplied already: by a guard, or in the source. */
static void hide_factor(LLVMBuilderRef b, LLVMValueRef product)
{
	LLVMValueRef factor = LLVMGetOperand(product, 1);
	LLVMTypeRef type = LLVMTypeOf(product);

	if (!LLVMIsAConstantInt(factor) || LLVMGetIntTypeWidth(type) < 32 || LLVMGetIntTypeWidth(type) > 64 ||
		!is_subtracted(LLVMConstIntGetZExtValue(factor)) || !is_in_address(product))
		return;
	LLVMPositionBuilderBefore(b, product);
	LLVMSetOperand(product, 1, hidden_constant(b, type, LLVMConstIntGetZExtValue(factor)));
}

void keep_products(LLVMModuleRef m)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m);
	LLVMValueRef fn, inst, next;
	LLVMBasicBlockRef block;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (inst = LLVMGetFirstInstruction(block); inst; inst = next) {
				next = LLVMGetNextInstruction(inst);
				if (LLVMIsAGetElementPtrInst(inst) && has_subtracted_scale(layout, inst))
					multiply_in_address(b, layout, inst);
				else if (LLVMGetInstructionOpcode(inst) == LLVMMul)
					hide_factor(b, inst);
			}
	LLVMDisposeBuilder(b);
}
