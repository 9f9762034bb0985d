/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lowering, after O2: rewrites everything that the target would turn into an instruction without a row in the table,
 * or into a call.
 *
 *   memcpy, memset of constant size   pieces of 64 bytes that are always expanded in line (a longer one would become
 *                                     rep movs); others are gone (memory.c)
 *   the same, if the variable that    words: each has an access for each variable that it may be
 *   is copied isn't known yet
 *   zeros                             stores of a register: a constant of four bytes in each would be as long as the
 *                                     store
 *   division below 32 bits            32 bits
 *   signed division                   unsigned division of the magnitudes: there is no idiv, and no imul that gives
 *                                     the upper half
 *   8-bit multiplication              32 bits
 *   ctlz                              of x | 1: bsr of zero leaves its destination as it was
 *   cttz of what may be zero          of x with a bit set above it: tzcnt, which is bsf on some processors, leaves
 *                                     its destination as it was
 *   signed product of 128 bits        unsigned product, its upper half corrected
 *   undefined values                  zero
 *   zeros for what isn't initialised  once, when the function is entered, not in each iteration of a loop
 *   i < n at the end of a loop        i + 1 < n + 1: the old i is no longer needed then
 *   phis below 32 bits                32 bits: else some edges would set only a part of a register
 *   variables on the stack            aligned to 8 bytes at most, so that rsp needs no masking
 */
#include <string.h>

#include "codegen/llvm/ir/address.h"
#include "codegen/llvm/prepare/memory.h"
#include "codegen/llvm/ir/probe.h"
#include "select.h"
#include "remainder.h"
#include "codegen/llvm/ir/allocas.h"

enum { WORD = 8, PIECE = 64, NONZERO_DEPTH = 4 };
enum { FEW_ZEROS = 32 }; /* from so many bytes on they are stored from a register */

struct lowering {
	LLVMModuleRef m;
	LLVMContextRef ctx;
	LLVMBuilderRef b;
	struct diags *d;
	LLVMValueRef inst;
};

static LLVMValueRef intrinsic_of(struct lowering *l, const char *name, LLVMTypeRef *types, size_t n)
{
	return LLVMGetIntrinsicDeclaration(l->m, LLVMLookupIntrinsicID(name, strlen(name)), types, n);
}

static LLVMValueRef call_insert(struct lowering *l, LLVMValueRef fn, LLVMValueRef *args, unsigned n)
{
	return LLVMBuildCall2(l->b, LLVMGlobalGetValueType(fn), fn, args, n, "");
}

static void inst_replace(struct lowering *l, LLVMValueRef with)
{
	LLVMReplaceAllUsesWith(l->inst, with);
	LLVMInstructionEraseFromParent(l->inst);
}

static bool is_op(LLVMValueRef v, LLVMOpcode op)
{
	return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

/* --- copies --- */

static LLVMValueRef at_offset(struct lowering *l, LLVMValueRef pointer, uint64_t offset)
{
	LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(l->ctx), offset, 0);

	return offset ? LLVMBuildGEP2(l->b, LLVMInt8TypeInContext(l->ctx), pointer, &index, 1, "") : pointer;
}

static void expand_copy(struct lowering *l, bool set, uint64_t size)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(l->ctx), p = LLVMPointerTypeInContext(l->ctx, 0);
	LLVMTypeRef copy_types[] = {p, p, i64}, set_types[] = {p, i64};
	LLVMValueRef fn = set ? intrinsic_of(l, "llvm.memset.inline", set_types, 2)
			      : intrinsic_of(l, "llvm.memcpy.inline", copy_types, 3);
	LLVMValueRef to = LLVMGetOperand(l->inst, 0), from = LLVMGetOperand(l->inst, 1),
		     is_volatile = LLVMGetOperand(l->inst, 3);
	uint64_t at;

	for (at = 0; at < size; at += PIECE) {
		uint64_t n = size - at < PIECE ? size - at : PIECE;
		LLVMValueRef args[] = {at_offset(l, to, at), set ? from : at_offset(l, from, at),
			LLVMConstInt(i64, n, 0), is_volatile};

		call_insert(l, fn, args, 4);
	}
	LLVMInstructionEraseFromParent(l->inst);
}

/* May the address be one of several variables'? */
static bool has_several_bases(const struct lowering *l, LLVMValueRef address)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(l->inst));
	struct base found[MAX_BASES];

	return is_entry(fn) && bases_of(LLVMGetModuleDataLayout(l->m), fn, address, found) > 1;
}

/* A number of n bytes that all are `byte`. */
static LLVMValueRef byte_spread(struct lowering *l, LLVMValueRef byte, LLVMTypeRef type)
{
	return LLVMBuildMul(l->b, LLVMBuildZExt(l->b, byte, type, ""), LLVMConstInt(type, 0x0101010101010101u, 0), "");
}

/* All of a piece is read before any of it is written, so that the two may overlap in one piece. */
static void expand_words(struct lowering *l, bool set, uint64_t size)
{
	LLVMValueRef to = LLVMGetOperand(l->inst, 0), from = LLVMGetOperand(l->inst, 1), words[PIECE];
	uint64_t places[PIECE];

	for (uint64_t piece = 0; piece < size; piece += PIECE) {
		uint64_t end = size - piece < PIECE ? size : piece + PIECE, bytes = WORD, at = piece;
		int n = 0;

		for (; at < end; at += bytes, n++) {
			LLVMTypeRef type;

			while (bytes > end - at)
				bytes /= 2;
			type = LLVMIntTypeInContext(l->ctx, (unsigned)bytes * 8);
			places[n] = at;
			words[n] = set ? byte_spread(l, from, type)
				       : LLVMBuildLoad2(l->b, type, at_offset(l, from, at), "");
			if (!set)
				LLVMSetAlignment(words[n], 1);
		}
		for (int i = 0; i < n; i++)
			LLVMSetAlignment(LLVMBuildStore(l->b, words[i], at_offset(l, to, places[i])), 1);
	}
	LLVMInstructionEraseFromParent(l->inst);
}

/* Zeros whose place is known: of a variable, or at a constant distance in the state. */
static bool is_zeros(LLVMValueRef set, uint64_t size)
{
	LLVMValueRef value = LLVMGetOperand(set, 1), to = LLVMGetOperand(set, 0),
		     fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(set));
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(fn));
	int64_t constant;

	to = root_of(layout, to, &constant);
	return size >= FEW_ZEROS && LLVMIsAConstantInt(value) && LLVMIsNull(value) &&
	       LLVMIsNull(LLVMGetOperand(set, 3)) &&
	       (LLVMIsAAllocaInst(to) || (is_entry(fn) && to == LLVMGetParam(fn, 1)));
}

static void lower_copy(struct lowering *l, const char *name)
{
	LLVMValueRef size = LLVMGetOperand(l->inst, 2);
	bool set = strncmp(name, "llvm.memset.", 12) == 0, move = strncmp(name, "llvm.memmove.", 13) == 0;
	uint64_t n;

	if (strncmp(name + 12, "inline", 6) == 0)
		return;
	if (!is_in_line(l->inst, move))
		return; /* memory.c leaves none */
	n = LLVMConstIntGetZExtValue(size);
	if (set && is_zeros(l->inst, n)) {
		build_zeros(l->b, LLVMGetOperand(l->inst, 0), n);
		LLVMInstructionEraseFromParent(l->inst);
	} else if (has_several_bases(l, LLVMGetOperand(l->inst, 0)) ||
		   (!set && has_several_bases(l, LLVMGetOperand(l->inst, 1)))) {
		expand_words(l, set, n);
	} else if (!move) { /* a small memmove is expanded in line as it is */
		expand_copy(l, set, n);
	}
}

/* --- division and multiplication --- */

static bool is_power_of_two(LLVMValueRef v)
{
	uint64_t n;

	if (!LLVMIsAConstantInt(v))
		return false;
	n = (uint64_t)LLVMConstIntGetSExtValue(v);
	if ((int64_t)n < 0)
		n = -n;
	return n && (n & (n - 1)) == 0;
}

/* |v|, and whether v was negative. */
static LLVMValueRef magnitude_of(struct lowering *l, LLVMValueRef v, LLVMValueRef *negative)
{
	*negative = LLVMBuildICmp(l->b, LLVMIntSLT, v, LLVMConstNull(LLVMTypeOf(v)), "");
	return LLVMBuildSelect(l->b, *negative, LLVMBuildNeg(l->b, v, ""), v, "");
}

/* C division: the quotient's sign is the product of the signs, the remainder's that of the dividend. */
static LLVMValueRef divide_signed(struct lowering *l, LLVMValueRef a, LLVMValueRef b, bool remainder)
{
	LLVMValueRef a_negative, b_negative, result;
	LLVMValueRef ua = magnitude_of(l, a, &a_negative), ub = magnitude_of(l, b, &b_negative);

	result = remainder ? LLVMBuildURem(l->b, ua, ub, "") : LLVMBuildUDiv(l->b, ua, ub, "");
	if (!remainder)
		a_negative = LLVMBuildXor(l->b, a_negative, b_negative, "");
	return LLVMBuildSelect(l->b, a_negative, LLVMBuildNeg(l->b, result, ""), result, "");
}

static void lower_division(struct lowering *l, LLVMOpcode op)
{
	bool is_signed = op == LLVMSDiv || op == LLVMSRem, remainder = op == LLVMSRem || op == LLVMURem;
	LLVMTypeRef type = LLVMTypeOf(l->inst), wide;
	unsigned bits = LLVMGetIntTypeWidth(type);
	LLVMValueRef a = LLVMGetOperand(l->inst, 0), b = LLVMGetOperand(l->inst, 1), result;
	bool expand = is_signed && !is_power_of_two(b) && (!LLVMIsAConstantInt(b) || bits > 32);

	if (op == LLVMURem && (result = visible_remainder(l->b, a, b)) != NULL) {
		inst_replace(l, result);
		return;
	}
	if (bits > 64 || (!expand && (bits == 32 || bits == 64)))
		return;
	wide = LLVMIntTypeInContext(l->ctx, bits <= 32 ? 32 : 64);
	if (bits != 32 && bits != 64) {
		a = is_signed ? LLVMBuildSExt(l->b, a, wide, "") : LLVMBuildZExt(l->b, a, wide, "");
		b = is_signed ? LLVMBuildSExt(l->b, b, wide, "") : LLVMBuildZExt(l->b, b, wide, "");
	}
	if (expand)
		result = divide_signed(l, a, b, remainder);
	else
		result = LLVMBuildBinOp(l->b, op, a, b, "");
	if (LLVMTypeOf(result) != type)
		result = LLVMBuildTrunc(l->b, result, type, "");
	inst_replace(l, result);
}

/*
 * a * b of two sign-extended 64-bit numbers: the unsigned product, less b * 2^64 if a is negative and a * 2^64 if b is
 * (modulo 2^128).
 */
static void lower_wide_product(struct lowering *l)
{
	LLVMTypeRef wide = LLVMTypeOf(l->inst), i64 = LLVMInt64TypeInContext(l->ctx);
	LLVMValueRef v[2], zero = LLVMConstNull(i64), high, product;
	unsigned i;

	for (i = 0; i < 2; i++) {
		LLVMValueRef given = LLVMGetOperand(l->inst, i);

		if (is_op(given, LLVMSExt) && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(given, 0))) <= 64) {
			v[i] = LLVMBuildSExt(l->b, LLVMGetOperand(given, 0), i64, "");
		} else if (LLVMIsAConstantInt(given)) {
			v[i] = LLVMBuildTrunc(l->b, given, i64, "");
			if (LLVMBuildSExt(l->b, v[i], wide, "") != given)
				return; /* constants are unique: it does not fit */
		} else {
			return;
		}
	}
	high = LLVMBuildAdd(l->b,
		LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntSLT, v[0], zero, ""), v[1], zero, ""),
		LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntSLT, v[1], zero, ""), v[0], zero, ""), "");
	product = LLVMBuildMul(l->b, LLVMBuildZExt(l->b, v[0], wide, ""), LLVMBuildZExt(l->b, v[1], wide, ""), "");
	high = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, high, wide, ""), LLVMConstInt(wide, 64, 0), "");
	inst_replace(l, LLVMBuildSub(l->b, product, high, ""));
}

static void lower_byte_product(struct lowering *l)
{
	LLVMTypeRef wide = LLVMInt32TypeInContext(l->ctx);
	LLVMValueRef a = LLVMBuildZExt(l->b, LLVMGetOperand(l->inst, 0), wide, "");
	LLVMValueRef b = LLVMBuildZExt(l->b, LLVMGetOperand(l->inst, 1), wide, "");

	inst_replace(l, LLVMBuildTrunc(l->b, LLVMBuildMul(l->b, a, b, ""), LLVMTypeOf(l->inst), ""));
}

/* --- bits --- */

/*
 * The leading zeros of a number that is not zero, or anything if it is zero: those of x | 1, which has as many. bsr
 * of a number that may be zero leaves its destination as it was, and nothing can be proven about that, even if a cmov
 * discards it later. The target must know nothing about x: of an even x it would make x + 1, which the verifier can't
 * see to be non-zero.
 */
static LLVMValueRef leading_zeros(struct lowering *l, LLVMValueRef x)
{
	LLVMTypeRef type = LLVMTypeOf(x);
	unsigned bits = LLVMGetIntTypeWidth(type);
	bool has_bits = is_op(x, LLVMOr) && LLVMIsAConstantInt(LLVMGetOperand(x, 1));
	uint64_t set = 1 | (has_bits ? LLVMConstIntGetZExtValue(LLVMGetOperand(x, 1)) : 0);
	LLVMValueRef rest = has_bits ? LLVMGetOperand(x, 0) : x, args[2];

	if (bits == 8 || bits == 16 || bits == 32 || bits == 64) /* as registers have */
		rest = opaque(l->b, rest);
	args[0] = LLVMBuildOr(l->b, rest, LLVMConstInt(type, set, 0), "");
	args[1] = LLVMConstInt(LLVMInt1TypeInContext(l->ctx), 1, 0);
	return call_insert(l, intrinsic_of(l, "llvm.ctlz", &type, 1), args, 2);
}

/* `result`, or the width if x is zero and the intrinsic must return that. */
static void replace_zeros(struct lowering *l, LLVMValueRef x, LLVMValueRef result)
{
	LLVMTypeRef type = LLVMTypeOf(x);

	if (LLVMConstIntGetZExtValue(LLVMGetOperand(l->inst, 1)) == 0) {
		LLVMValueRef zero = LLVMBuildICmp(l->b, LLVMIntEQ, x, LLVMConstNull(type), "");

		result = LLVMBuildSelect(l->b, zero, LLVMConstInt(type, LLVMGetIntTypeWidth(type), 0), result, "");
	}
	inst_replace(l, result);
}

static void lower_ctlz(struct lowering *l)
{
	LLVMValueRef x = LLVMGetOperand(l->inst, 0);

	if (LLVMGetIntTypeWidth(LLVMTypeOf(x)) <= 64)
		replace_zeros(l, x, leading_zeros(l, x));
}

/* The block's only predecessor, or NULL. */
static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef found = NULL;
	LLVMUseRef use;

	for (use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (!LLVMIsATerminatorInst(user))
			continue;
		if (found)
			return NULL;
		found = LLVMGetInstructionParent(user);
	}
	return found;
}

/* Does the branch at the end of `from` lead to `to` only if x is not zero? */
static bool is_tested(LLVMValueRef x, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(from), cond;
	bool taken;

	if (!branch || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
		LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
		return false;
	cond = LLVMGetCondition(branch);
	taken = LLVMGetSuccessor(branch, 0) == to;
	return LLVMIsAICmpInst(cond) && LLVMGetOperand(cond, 0) == x && LLVMIsAConstantInt(LLVMGetOperand(cond, 1)) &&
	       LLVMIsNull(LLVMGetOperand(cond, 1)) && LLVMGetICmpPredicate(cond) == (taken ? LLVMIntNE : LLVMIntEQ);
}

/*
 * Is x tested on the path to `block`, or is each of its parts tested on every path? The verifier follows the same
 * tests.
 */
static bool is_nonzero(LLVMValueRef x, LLVMBasicBlockRef block, int depth)
{
	LLVMBasicBlockRef before;

	if (LLVMIsAConstantInt(x))
		return !LLVMIsNull(x);
	if (is_op(x, LLVMOr) && LLVMIsAConstantInt(LLVMGetOperand(x, 1)) && !LLVMIsNull(LLVMGetOperand(x, 1)))
		return true;
	for (int i = 0; i < NONZERO_DEPTH; i++, block = before) {
		if (is_op(x, LLVMPHI) && LLVMGetInstructionParent(x) == block && depth > 0) {
			unsigned n = LLVMCountIncoming(x);

			for (unsigned k = 0; k < n; k++) {
				LLVMBasicBlockRef from = LLVMGetIncomingBlock(x, k);
				LLVMValueRef v = LLVMGetIncomingValue(x, k);

				if (!is_tested(v, from, block) && !is_nonzero(v, from, depth - 1))
					return false;
			}
			return true;
		}
		before = only_predecessor(block);
		if (!before || is_tested(x, before, block))
			return before != NULL;
	}
	return false;
}

/*
 * cttz of what may be zero is that of a number with one more bit. Where zero has no answer that is the highest bit,
 * which changes no other's. Where it has, that is the bit above, if there is one; of 64 bits, zero needs a test.
 */
static void lower_cttz(struct lowering *l)
{
	LLVMValueRef x = LLVMGetOperand(l->inst, 0), args[2], zeros;
	bool of_zero = LLVMConstIntGetZExtValue(LLVMGetOperand(l->inst, 1)) == 0;
	LLVMTypeRef type = LLVMTypeOf(x), wide;
	unsigned bits = LLVMGetIntTypeWidth(type), bit = of_zero && bits < 64 ? bits : bits - 1;

	if (bits > 64 ||
		((bits == 32 || bits == 64) && is_nonzero(x, LLVMGetInstructionParent(l->inst), NONZERO_DEPTH)))
		return;
	wide = bit < 32 ? LLVMInt32TypeInContext(l->ctx) : LLVMInt64TypeInContext(l->ctx);
	args[0] = opaque(l->b, LLVMBuildZExt(l->b, x, wide, ""));
	args[0] = LLVMBuildOr(l->b, args[0], LLVMConstInt(wide, (uint64_t)1 << bit, 0), "");
	args[1] = LLVMConstInt(LLVMInt1TypeInContext(l->ctx), 1, 0);
	zeros = LLVMBuildTrunc(l->b, call_insert(l, intrinsic_of(l, "llvm.cttz", &wide, 1), args, 2), type, "");
	if (bits < 64)
		inst_replace(l, zeros);
	else
		replace_zeros(l, x, zeros);
}

/* ---- values that several edges bring ---- */

static LLVMValueRef first_after_phis(LLVMBasicBlockRef block)
{
	LLVMValueRef inst = LLVMGetFirstInstruction(block);

	while (LLVMIsAPHINode(inst))
		inst = LLVMGetNextInstruction(inst);
	return inst;
}

/*
 * A number below 32 bits gets 32, or else some edge would write only the low part of its register, and the rest would
 * be the host's.
 */
static void lower_phi(struct lowering *l)
{
	LLVMTypeRef wide = LLVMInt32TypeInContext(l->ctx), type = LLVMTypeOf(l->inst);
	LLVMValueRef phi = LLVMBuildPhi(l->b, wide, "");
	unsigned n = LLVMCountIncoming(l->inst);

	for (unsigned i = 0; i < n; i++) {
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(l->inst, i);
		LLVMValueRef v = LLVMGetIncomingValue(l->inst, i), known = NULL;

		/* a switch leads here by several cases: these must bring the same */
		for (unsigned k = 0; k < i && !known; k++)
			if (LLVMGetIncomingBlock(phi, k) == from)
				known = LLVMGetIncomingValue(phi, k);
		LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(from));
		v = known ? known : LLVMBuildZExt(l->b, v, wide, "");
		LLVMAddIncoming(phi, &v, &from, 1);
	}
	LLVMPositionBuilderBefore(l->b, first_after_phis(LLVMGetInstructionParent(l->inst)));
	inst_replace(l, LLVMBuildTrunc(l->b, phi, type, ""));
}

/*
 * A value that the source leaves open becomes zero: a register or slot that one path leaves unset may not be read on
 * another.
 */
static void settle_operands(LLVMValueRef inst)
{
	int n = LLVMGetNumOperands(inst);

	for (int i = 0; i < n; i++) {
		LLVMValueRef v = LLVMGetOperand(inst, (unsigned)i);
		LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));

		if (LLVMIsUndef(v) && (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind))
			LLVMSetOperand(inst, (unsigned)i, LLVMConstNull(LLVMTypeOf(v)));
	}
}

/* ---- ends of loops ---- */

/* Is `sum` the sum of the two also without wrapping? */
static bool no_overflow(LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum, bool is_signed)
{
	int64_t x = LLVMConstIntGetSExtValue(a), y = LLVMConstIntGetSExtValue(b), z = LLVMConstIntGetSExtValue(sum);

	if (is_signed)
		return y >= 0 ? z >= x : z < x;
	return LLVMConstIntGetZExtValue(sum) >= LLVMConstIntGetZExtValue(a);
}

/* Does i + step never wrap, in the sense that the comparison has? Equality doesn't mind. */
static bool keeps_order(LLVMValueRef sum, LLVMIntPredicate p)
{
	return p == LLVMIntEQ || p == LLVMIntNE ||
	       (p >= LLVMIntUGT && p <= LLVMIntULE ? LLVMGetNUW(sum) : LLVMGetNSW(sum));
}

/*
 * At the end of a loop that goes on while i < n, with i + 1 as the next i, the same condition is i + 1 < n + 1, and
 * then only one of the two is alive. LLVM prefers the old one if it can't test for equality (main.c).
 */
static void lower_exit(struct lowering *l)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(l->inst);
	LLVMValueRef cond = LLVMGetCondition(l->inst), i, n, next = NULL, step, sum;
	LLVMIntPredicate p;

	if (!LLVMIsAICmpInst(cond) || !LLVMIsAPHINode(LLVMGetOperand(cond, 0)) ||
		!LLVMIsAConstantInt(LLVMGetOperand(cond, 1)) || LLVMGetNextUse(LLVMGetFirstUse(cond)))
		return;
	i = LLVMGetOperand(cond, 0);
	n = LLVMGetOperand(cond, 1);
	p = LLVMGetICmpPredicate(cond);
	for (unsigned k = 0; k < LLVMCountIncoming(i); k++)
		if (LLVMGetIncomingBlock(i, k) == block)
			next = LLVMGetIncomingValue(i, k);
	if (!next || !is_op(next, LLVMAdd) || LLVMGetOperand(next, 0) != i ||
		!LLVMIsAConstantInt(LLVMGetOperand(next, 1)) || !keeps_order(next, p) ||
		LLVMGetIntTypeWidth(LLVMTypeOf(i)) > 64)
		return;
	step = LLVMGetOperand(next, 1);
	sum = LLVMConstAdd(n, step);
	if (p != LLVMIntEQ && p != LLVMIntNE && !no_overflow(n, step, sum, p >= LLVMIntSGT))
		return;
	LLVMPositionBuilderBefore(l->b, l->inst);
	LLVMSetCondition(l->inst, LLVMBuildICmp(l->b, p, next, sum, ""));
	LLVMInstructionEraseFromParent(cond);
}

static void lower_instruction(struct lowering *l)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(l->inst);
	LLVMTypeRef type = LLVMTypeOf(l->inst);
	bool integer = LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
	LLVMValueRef callee = op == LLVMCall ? LLVMGetCalledValue(l->inst) : NULL;
	size_t n;

	settle_operands(l->inst);
	LLVMPositionBuilderBefore(l->b, l->inst); /* and what is built has the instruction's place in the source */
	if (callee && LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee)) {
		const char *name = LLVMGetValueName2(callee, &n);

		if (strncmp(name, "llvm.mem", 8) == 0)
			lower_copy(l, name);
		else if (strncmp(name, "llvm.cttz.", 10) == 0 && integer)
			lower_cttz(l);
		else if (strncmp(name, "llvm.ctlz.", 10) == 0 && integer)
			lower_ctlz(l);
	} else if (op == LLVMPHI && integer && LLVMGetIntTypeWidth(type) < 32) {
		lower_phi(l);
	} else if (op == LLVMAlloca) {
		if (LLVMGetAlignment(l->inst) > 8)
			LLVMSetAlignment(l->inst, 8);
	} else if (integer && (op == LLVMSDiv || op == LLVMUDiv || op == LLVMSRem || op == LLVMURem)) {
		lower_division(l, op);
	} else if (integer && op == LLVMMul && LLVMGetIntTypeWidth(type) <= 8) {
		lower_byte_product(l);
	} else if (integer && op == LLVMMul && LLVMGetIntTypeWidth(type) == 128) {
		lower_wide_product(l);
	} else if (op == LLVMBr && LLVMIsConditional(l->inst)) {
		lower_exit(l);
	}
}

void lower(LLVMModuleRef m, struct diags *d)
{
	struct lowering l = {.m = m, .ctx = LLVMGetModuleContext(m), .d = d};
	LLVMValueRef fn, next;
	LLVMBasicBlockRef block;

	l.b = LLVMCreateBuilderInContext(l.ctx);
	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (l.inst = LLVMGetFirstInstruction(block); l.inst; l.inst = next) {
				next = LLVMGetNextInstruction(l.inst);
				lower_instruction(&l);
			}
	LLVMDisposeBuilder(l.b);
}
