/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x % d, for a number of 64 bits and a constant.
 *
 * The target multiplies x by a reciprocal of d, rounded up to 64 bits, if that is good enough for all x, and
 * subtracts d times the quotient from x. The verifier knows a remainder by that, but only if all 64 bits of it are
 * computed. The target computes only the lower 32 if these will do. So the pass hides what the remainder is.
 *
 * Where no reciprocal is good enough, and d is even, the target shifts x right first. Then what it subtracts the
 * multiple from isn't what it has multiplied. So with d = 2^s · o, o odd,
 *
 *	x % d  =  ((x >> s) % o) << s  +  x % 2^s,
 *
 * which can be seen to be below d: the first part is at most (o - 1) · 2^s. It takes two more instructions, and no
 * guard where x % d is an index. For an odd d nothing can be done.
 */
#include "remainder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 u128;

/*
 * Is there a factor m of 64 bits and a k so that x / d = x · m >> k for each x of `bits` bits? With k = 64 + log2 d,
 * rounded down, m is the largest that fits.
 */
static bool has_reciprocal(uint64_t d, unsigned bits)
{
	unsigned more = 63 - (unsigned)__builtin_clzll(d);
	u128 power = (u128)1 << (64 + more), m = (power - 1) / d + 1;

	return m * d - power <= (u128)1 << (more + 64 - bits);
}

/* Is the quotient wanted as well? It would be computed twice. */
static bool has_quotient(LLVMValueRef x, LLVMValueRef d)
{
	for (LLVMUseRef use = LLVMGetFirstUse(x); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsAInstruction(user) && LLVMGetInstructionOpcode(user) == LLVMUDiv &&
			LLVMGetOperand(user, 1) == d)
			return true;
	}
	return false;
}

static LLVMValueRef hidden_remainder(LLVMBuilderRef b, LLVMValueRef x, uint64_t d)
{
	LLVMTypeRef type = LLVMTypeOf(x), fn = LLVMFunctionType(type, &type, 1, 0);
	LLVMValueRef text = LLVMGetInlineAsm(fn, "", 0, "=r,0", 4, 0, 0, LLVMInlineAsmDialectATT, 0),
		     rest = LLVMBuildURem(b, x, LLVMConstInt(type, d, 0), "");

	return LLVMBuildCall2(b, fn, text, &rest, 1, "");
}

LLVMValueRef visible_remainder(LLVMBuilderRef b, LLVMValueRef x, LLVMValueRef divisor)
{
	LLVMTypeRef type = LLVMTypeOf(x);
	uint64_t d =
		LLVMIsAConstantInt(divisor) && LLVMGetIntTypeWidth(type) == 64 ? LLVMConstIntGetZExtValue(divisor) : 0;
	unsigned s = d ? (unsigned)__builtin_ctzll(d) : 0;
	LLVMValueRef shift = LLVMConstInt(type, s, 0), high, low;

	if (d >> s <= 1 || !LLVMIsAInstruction(x) || has_quotient(x, divisor))
		return NULL;
	if (has_reciprocal(d, 64))
		return hidden_remainder(b, x, d);
	if (s == 0 || !has_reciprocal(d >> s, 64 - s))
		return NULL;
	high = hidden_remainder(b, LLVMBuildLShr(b, x, shift, ""), d >> s);
	low = LLVMBuildAnd(b, x, LLVMConstInt(type, (d & -d) - 1, 0), "");
	return LLVMBuildAdd(b, LLVMBuildShl(b, high, shift, ""), low, "");
}
