/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The author's tests of a number against constants, where they are part of a condition. Compilers make one branch of
 * `fd != 3 || n > 64`, from which a verifier learns nothing. On the edge where the whole disjunction is false, or the
 * whole conjunction true, each part holds; this pass says so. What is left of a buffer, `64 - n`, is also at most 64
 * where n is.
 */
#include "split_conditions.h"

enum { DEPTH = 8 };

struct question {
	const struct flow *f;
	int block;
	LLVMValueRef v;
	/* of a number that was taken from a constant: nothing more is asked of what it is compared with */
	bool of_rest;
};

static uint64_t bound_of(const struct question *q);

static uint64_t lesser_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool is_op(LLVMValueRef v, LLVMOpcode op)
{
	return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

static LLVMValueRef unfrozen_value(LLVMValueRef v)
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
	compared = unfrozen_value(compared);
	if (compared == v)
		return true;
	if (!is_op(compared, LLVMAdd) || unfrozen_value(LLVMGetOperand(compared, 0)) != v ||
		!is_number(LLVMGetOperand(compared, 1), &n))
		return false;
	*less = -n & mask;
	return true;
}

/* A constant, or what is left of one: no more than it, if what is taken isn't. */
static bool is_limit(const struct question *q, LLVMValueRef v, uint64_t *n, bool *exact)
{
	struct question rest = {.f = q->f, .block = q->block, .of_rest = true};

	*exact = is_number(v, n);
	if (*exact || q->of_rest || !is_op(v, LLVMSub) || !is_number(LLVMGetOperand(v, 0), n))
		return *exact;
	rest.v = LLVMGetOperand(v, 1);
	return bound_of(&rest) <= *n;
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

static LLVMIntPredicate opposite_predicate(LLVMIntPredicate p)
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

static LLVMIntPredicate swapped_predicate(LLVMIntPredicate p)
{
	switch (p) {
	case LLVMIntULT: return LLVMIntUGT;
	case LLVMIntULE: return LLVMIntUGE;
	case LLVMIntUGT: return LLVMIntULT;
	case LLVMIntUGE: return LLVMIntULE;
	default: return p;
	}
}

/* The range of v - less, moved, is one of v if it doesn't go beyond the largest number, and on from 0. */
static uint64_t by_comparison(const struct question *q, LLVMValueRef comparison, bool holds)
{
	LLVMIntPredicate p = LLVMGetICmpPredicate(comparison);
	LLVMValueRef compared = LLVMGetOperand(comparison, 0), with = LLVMGetOperand(comparison, 1);
	uint64_t c, less, mask, low, high;
	bool exact;

	if (unfrozen_value(with) == q->v) {
		with = compared;
		compared = q->v;
		p = swapped_predicate(p);
	}
	p = holds ? p : opposite_predicate(p);
	if (!is_limit(q, with, &c, &exact) || (!exact && p != LLVMIntULT && p != LLVMIntULE))
		return UINT64_MAX;
	mask = UINT64_MAX >> (64 - LLVMGetIntTypeWidth(LLVMTypeOf(with)));
	if (!is_about(compared, q->v, mask, &less) || !range_of(p, c, mask, &low, &high))
		return UINT64_MAX;
	low = (low + less) & mask;
	high = (high + less) & mask;
	return low <= high ? high : UINT64_MAX;
}

/*
 * The parts of a condition, all of which are true if it is, or all false: an and, an or, and how they are written where
 * the second is not to be asked after the first.
 */
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

static uint64_t by_condition(const struct question *q, LLVMValueRef condition, bool holds, int depth)
{
	LLVMValueRef part[2];
	uint64_t n;

	condition = unfrozen_value(condition);
	if (LLVMIsAICmpInst(condition))
		return by_comparison(q, condition, holds);
	if (depth == 0)
		return UINT64_MAX;
	if (is_op(condition, LLVMXor) && is_number(LLVMGetOperand(condition, 1), &n) && n == 1)
		return by_condition(q, LLVMGetOperand(condition, 0), !holds, depth - 1);
	if (!parts_of(condition, holds, part))
		return UINT64_MAX;
	return lesser_of(by_condition(q, part[0], holds, depth - 1), by_condition(q, part[1], holds, depth - 1));
}

/* Is the block come to by one edge only? */
static bool has_one_edge(LLVMBasicBlockRef block)
{
	int edges = 0;

	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
		edges += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
	return edges == 1;
}

static uint64_t by_branches(const struct question *q)
{
	uint64_t most = UINT64_MAX;

	for (int b = 0; b < q->f->n; b++) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(q->f->block[b]);

		if (!LLVMIsABranchInst(last) || !LLVMIsConditional(last) || !flow_dominates(q->f, b, q->block))
			continue;
		for (unsigned k = 0; k < 2; k++) {
			LLVMBasicBlockRef to = LLVMGetSuccessor(last, k);

			if (has_one_edge(to) && flow_dominates(q->f, flow_number(q->f, to), q->block))
				most = lesser_of(most, by_condition(q, LLVMGetCondition(last), k == 0, DEPTH));
		}
	}
	return most;
}

/* What the tests say of it, or its own bits. */
static uint64_t bound_of(const struct question *q)
{
	struct question of = *q;
	uint64_t mask;

	for (of.v = unfrozen_value(of.v); LLVMIsAZExtInst(of.v);)
		of.v = unfrozen_value(LLVMGetOperand(of.v, 0));
	return lesser_of(by_branches(&of),
		is_op(of.v, LLVMAnd) && is_number(LLVMGetOperand(of.v, 1), &mask) ? mask : UINT64_MAX);
}

uint64_t most_in(const struct flow *f, int block, LLVMValueRef v)
{
	return bound_of(&(struct question){.f = f, .block = block, .v = v});
}
