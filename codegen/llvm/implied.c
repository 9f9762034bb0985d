/*
 * The author's tests of a number against constants, where they are part of a condition: of `fd != 3 || n > 64` compilers make one branch, of which a verifier learns nothing. Where only the way is taken on which all
 * of a disjunction is false, or all of a conjunction true, each part of it holds.
 */
#include "implied.h"

enum { DEPTH = 8 };

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool is_op(LLVMValueRef v, LLVMOpcode op)
{
	return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

static LLVMValueRef unfrozen(LLVMValueRef v)
{
	while (LLVMIsAFreezeInst(v))
		v = LLVMGetOperand(v, 0);
	return v;
}

static bool is_number(LLVMValueRef v, uint64_t *n)
{
	if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
		return false;
	*n = LLVMConstIntGetZExtValue(v);
	return true;
}

/* The comparison's number is v, or v less *less, modulo its width. */
static bool is_about(LLVMValueRef compared, LLVMValueRef v, uint64_t mask, uint64_t *less)
{
	uint64_t n;

	*less = 0;
	compared = unfrozen(compared);
	if (compared == v)
		return true;
	if (!is_op(compared, LLVMAdd) || unfrozen(LLVMGetOperand(compared, 0)) != v || !is_number(LLVMGetOperand(compared, 1), &n))
		return false;
	*less = -n & mask;
	return true;
}

/* Of a comparison without a sign by p with c: from *low to *high. False: it says less than that. */
static bool range_of(LLVMIntPredicate p, uint64_t c, uint64_t mask, uint64_t *low, uint64_t *high)
{
	*low = p == LLVMIntUGE || p == LLVMIntEQ ? c : p == LLVMIntUGT ? c + 1 : 0;
	*high = p == LLVMIntULE || p == LLVMIntEQ ? c : p == LLVMIntULT ? c - 1 : mask;
	switch (p) {
	case LLVMIntULT: return c > 0;
	case LLVMIntUGT: return c < mask;
	case LLVMIntEQ:
	case LLVMIntULE:
	case LLVMIntUGE: return true;
	default: return false;
	}
}

static LLVMIntPredicate opposite(LLVMIntPredicate p)
{
	switch (p) {
	case LLVMIntEQ: return LLVMIntNE;
	case LLVMIntNE: return LLVMIntEQ;
	case LLVMIntULT: return LLVMIntUGE;
	case LLVMIntULE: return LLVMIntUGT;
	case LLVMIntUGT: return LLVMIntULE;
	case LLVMIntUGE: return LLVMIntULT;
	default: return p; /* with a sign: of no use here */
	}
}

/* The range of v - less, moved, is one of v if it doesn't go beyond the largest number, and on from 0. */
static uint64_t by_comparison(LLVMValueRef comparison, bool holds, LLVMValueRef v)
{
	LLVMIntPredicate p = LLVMGetICmpPredicate(comparison);
	uint64_t c, less, mask, low, high;

	if (!is_number(LLVMGetOperand(comparison, 1), &c))
		return UINT64_MAX;
	mask = UINT64_MAX >> (64 - LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(comparison, 1))));
	if (!is_about(LLVMGetOperand(comparison, 0), v, mask, &less) || !range_of(holds ? p : opposite(p), c, mask, &low, &high))
		return UINT64_MAX;
	low = (low + less) & mask;
	high = (high + less) & mask;
	return low <= high ? high : UINT64_MAX;
}

/* The parts of a condition, all of which are true if it is, or all false: an and, an or, and how they are written where the second is not to be asked after the first. */
static bool parts_of(LLVMValueRef condition, bool holds, LLVMValueRef part[2])
{
	uint64_t n;

	if (is_op(condition, holds ? LLVMAnd : LLVMOr)) {
		part[0] = LLVMGetOperand(condition, 0);
		part[1] = LLVMGetOperand(condition, 1);
		return true;
	}
	if (!LLVMIsASelectInst(condition) || !is_number(LLVMGetOperand(condition, holds ? 2 : 1), &n) || n == holds)
		return false;
	part[0] = LLVMGetOperand(condition, 0);
	part[1] = LLVMGetOperand(condition, holds ? 1 : 2);
	return true;
}

static uint64_t by_condition(LLVMValueRef condition, bool holds, LLVMValueRef v, int depth)
{
	LLVMValueRef part[2];
	uint64_t n;

	condition = unfrozen(condition);
	if (LLVMIsAICmpInst(condition))
		return by_comparison(condition, holds, v);
	if (depth == 0)
		return UINT64_MAX;
	if (is_op(condition, LLVMXor) && is_number(LLVMGetOperand(condition, 1), &n) && n == 1)
		return by_condition(LLVMGetOperand(condition, 0), !holds, v, depth - 1);
	if (!parts_of(condition, holds, part))
		return UINT64_MAX;
	return lesser(by_condition(part[0], holds, v, depth - 1), by_condition(part[1], holds, v, depth - 1));
}

/* Is the block come to by one edge only? */
static bool has_one_edge(LLVMBasicBlockRef block)
{
	int edges = 0;

	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
		edges += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
	return edges == 1;
}

uint64_t most_in(const struct flow *f, int block, LLVMValueRef v)
{
	uint64_t most = UINT64_MAX;

	for (v = unfrozen(v); LLVMIsAZExtInst(v);)
		v = unfrozen(LLVMGetOperand(v, 0));
	for (int b = 0; b < f->n; b++) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(f->block[b]);

		if (!LLVMIsABranchInst(last) || !LLVMIsConditional(last) || !flow_dominates(f, b, block))
			continue;
		for (unsigned k = 0; k < 2; k++) {
			LLVMBasicBlockRef to = LLVMGetSuccessor(last, k);

			if (has_one_edge(to) && flow_dominates(f, flow_number(f, to), block))
				most = lesser(most, by_condition(LLVMGetCondition(last), k == 0, v, DEPTH));
		}
	}
	return most;
}
