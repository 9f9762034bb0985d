/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges a NULL test into the guard behind it. A loop over linked elements compares each pointer with NULL; then the
 * guard tests whether the pointer leads into the state. The guard's test implies the first one, since NULL - state is
 * beyond any state. So the edge to the guard needs no NULL test,
 *
 *	P:  if (p == 0) goto E;           P:  goto B;
 *	B:  off = p - state;         ->   B:  off = p - state;
 *	    if (off > limit) trap;            if (off > limit) goto S;
 *	                                  S:  if (p == 0) goto E; trap;
 *
 * and only a pointer that is out of reach is looked at again.
 *
 * B may be the head of a loop that several edges lead to, each with its own p. A NULL that arrives over an edge that
 * doesn't test for it is a stray pointer like any other, and must not be taken for the list's end. So each such edge
 * must be known never to bring NULL.
 *
 * E now gets from S what it got from P, so that value must be available in S. It is if it is the same on all edges
 * and known in B, or if B has a phi for it, or is given one. And E and the code behind it may use a value of B's only
 * through a phi, as that value is now one iteration older: B must not dominate E.
 *
 * Between B's beginning and its test there may only be computations, since they now run for NULL too.
 */
#include "null_merge.h"

#include "codegen/llvm/ir/cfg.h"
#include "trap.h"

enum { MAX_EDGES = 16, MAX_NEW = 1 };

struct merge {
	LLVMBuilderRef b;
	const struct flow *flow;
	LLVMBasicBlockRef check, end, slow, stop;
	LLVMValueRef pointer, trap;
	LLVMBasicBlockRef before[MAX_EDGES]; /* where the edges to the check begin, */
	LLVMBasicBlockRef way[MAX_EDGES];    /* and those of them that test for NULL, and then lead to the end; */
	bool more[MAX_EDGES];                /* do they test something else before? */
	int n_before, n_ways;
};

static bool is_op(LLVMValueRef v, LLVMOpcode op)
{
	return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

static bool is_conditional(LLVMValueRef last)
{
	return last && LLVMIsABranchInst(last) && LLVMIsConditional(last);
}

/* ---- the guard ---- */

static bool only_computes(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMPHI:
	case LLVMPtrToInt:
	case LLVMGetElementPtr:
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
	case LLVMICmp:
	case LLVMSelect: return true;
	case LLVMCall:
		return LLVMIsAInlineAsm(LLVMGetCalledValue(inst)) != NULL; /* what guards hide from the optimiser */
	default: return false;
	}
}

static bool is_trap(LLVMBasicBlockRef block, LLVMValueRef trap)
{
	LLVMValueRef first = LLVMGetFirstInstruction(block);

	return LLVMIsACallInst(first) && LLVMGetCalledValue(first) == trap;
}

/* The pointer of which this block checks nothing but that it is not too far behind another, or NULL. */
static LLVMValueRef checked_pointer(LLVMBasicBlockRef block, LLVMValueRef trap)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block),
		     cond = is_conditional(last) ? LLVMGetCondition(last) : NULL, off, from;

	if (!cond || !LLVMIsAICmpInst(cond) || LLVMGetICmpPredicate(cond) != LLVMIntUGT ||
		!is_trap(LLVMGetSuccessor(last, 0), trap) || LLVMGetSuccessor(last, 1) == block)
		return NULL;
	off = LLVMGetOperand(cond, 0);
	if (!is_op(off, LLVMCall) || !LLVMIsAInlineAsm(LLVMGetCalledValue(off)) ||
		!is_op(LLVMGetOperand(off, 0), LLVMSub))
		return NULL;
	from = LLVMGetOperand(LLVMGetOperand(off, 0), 0);
	if (!is_op(from, LLVMPtrToInt) || !is_op(LLVMGetOperand(LLVMGetOperand(off, 0), 1), LLVMPtrToInt))
		return NULL;
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst != last; inst = LLVMGetNextInstruction(inst))
		if (!only_computes(inst))
			return NULL;
	return LLVMGetOperand(from, 0);
}

/* ---- the edges to it ---- */

/* What v is in the block, if control arrives from `from`. */
static LLVMValueRef value_from(LLVMValueRef v, LLVMBasicBlockRef block, LLVMBasicBlockRef from)
{
	if (!is_op(v, LLVMPHI) || LLVMGetInstructionParent(v) != block)
		return v;
	for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
		if (LLVMGetIncomingBlock(v, i) == from)
			return LLVMGetIncomingValue(v, i);
	return NULL;
}

/* Is it a comparison with NULL of the pointer as it comes from `from`, by that predicate? */
static bool is_test(const struct merge *g, LLVMValueRef v, LLVMBasicBlockRef from, LLVMIntPredicate p)
{
	return LLVMIsAICmpInst(v) && LLVMGetICmpPredicate(v) == p && LLVMIsAConstantPointerNull(LLVMGetOperand(v, 1)) &&
	       LLVMGetOperand(v, 0) == value_from(g->pointer, g->check, from);
}

static bool is_truth(LLVMValueRef v, unsigned truth)
{
	return LLVMIsAConstantInt(v) && LLVMConstIntGetZExtValue(v) == truth;
}

/*
 * Does the block go on to the check only if the pointer is not NULL, and perhaps only if something else holds, too
 * (*more)? Returns the block where it goes otherwise, or NULL. `p != 0` may be the whole condition of the edge to the
 * check, or what is left of it if something else is true; `p == 0` that of the edge to the end, or what is left if
 * something else is false.
 */
static LLVMBasicBlockRef end_of(const struct merge *g, LLVMBasicBlockRef from, bool *more)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(from),
		     cond = is_conditional(last) ? LLVMGetCondition(last) : NULL;
	LLVMBasicBlockRef end;
	unsigned to_end;

	*more = false;
	if (!cond || LLVMGetSuccessor(last, 0) == LLVMGetSuccessor(last, 1))
		return NULL;
	to_end = LLVMGetSuccessor(last, 0) == g->check;
	end = LLVMGetSuccessor(last, to_end);
	if (LLVMGetSuccessor(last, 1 - to_end) != g->check)
		return NULL;
	if (is_test(g, cond, from, to_end ? LLVMIntNE : LLVMIntEQ))
		return end;
	if (!LLVMIsASelectInst(cond))
		return NULL;
	*more = true;
	if (to_end)
		return is_test(g, LLVMGetOperand(cond, 1), from, LLVMIntNE) && is_truth(LLVMGetOperand(cond, 2), false)
			       ? end
			       : NULL;
	return is_test(g, LLVMGetOperand(cond, 2), from, LLVMIntEQ) && is_truth(LLVMGetOperand(cond, 1), true) ? end
													       : NULL;
}

/* Returns false if there are too many. */
static bool find_edges(struct merge *g)
{
	g->n_before = 0;
	for (int i = 0; i < g->flow->n; i++) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(g->flow->block[i]);
		unsigned n = LLVMGetNumSuccessors(last);

		for (unsigned k = 0; k < n; k++) {
			if (LLVMGetSuccessor(last, k) != g->check)
				continue;
			if (g->n_before == MAX_EDGES)
				return false;
			g->before[g->n_before++] = g->flow->block[i];
		}
	}
	return true;
}

/*
 * Find the edges that test for NULL and have the same end as the last of them. The test must be on the only edge, or
 * on a loop's back edge: before a loop it would save nothing in the loop.
 */
static bool find_ways(struct merge *g)
{
	int check = flow_number(g->flow, g->check);

	g->n_ways = 0;
	g->end = NULL;
	if (!find_edges(g))
		return false;
	for (int i = g->n_before; i-- > 0;) {
		bool more;
		LLVMBasicBlockRef end = end_of(g, g->before[i], &more);

		if (!end || (g->end && end != g->end))
			continue;
		g->end = end;
		g->more[g->n_ways] = more;
		g->way[g->n_ways++] = g->before[i];
	}
	return g->n_ways > 0 && (g->n_before == 1 || flow_dominates(g->flow, check, flow_number(g->flow, g->way[0])));
}

/* ---- the edges that don't lead to the end ---- */

/* Is it one of the blocks that test for NULL, and with `only`, does it test nothing else? */
static bool is_way(const struct merge *g, LLVMBasicBlockRef block, bool only)
{
	for (int i = 0; i < g->n_ways; i++)
		if (g->way[i] == block)
			return !only || !g->more[i];
	return false;
}

/* The successor of the block that control reaches if v is not NULL, and only then; or NULL. */
static LLVMBasicBlockRef unless_null(LLVMBasicBlockRef block, LLVMValueRef v)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block),
		     cond = is_conditional(last) ? LLVMGetCondition(last) : NULL;
	LLVMBasicBlockRef to;
	LLVMUseRef use;
	int edges = 0;

	if (!cond || !LLVMIsAICmpInst(cond) || LLVMGetOperand(cond, 0) != v ||
		!LLVMIsAConstantPointerNull(LLVMGetOperand(cond, 1)))
		return NULL;
	switch (LLVMGetICmpPredicate(cond)) {
	case LLVMIntNE: to = LLVMGetSuccessor(last, 0); break;
	case LLVMIntEQ: to = LLVMGetSuccessor(last, 1); break;
	default: return NULL;
	}
	for (use = LLVMGetFirstUse(LLVMBasicBlockAsValue(to)); use; use = LLVMGetNextUse(use))
		edges += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
	return edges == 1 ? to : NULL;
}

/* A place in an object that the probe is given: never NULL. */
static bool is_place(LLVMValueRef v)
{
	while (is_op(v, LLVMGetElementPtr) && LLVMIsInBounds(v)) {
		for (int i = 1; i < LLVMGetNumOperands(v); i++)
			if (!LLVMIsAConstantInt(LLVMGetOperand(v, (unsigned)i)))
				return false;
		v = LLVMGetOperand(v, 0);
	}
	return LLVMIsAArgument(v) != NULL;
}

/*
 * Is the pointer that arrives from there known not to be NULL: tested before, or checked already, or a variable's
 * address?
 */
static bool brings_none(const struct merge *g, LLVMBasicBlockRef from)
{
	LLVMValueRef v = value_from(g->pointer, g->check, from);
	int at = flow_number(g->flow, from);
	bool more;

	if (!v)
		return false;
	if (is_place(v) || end_of(g, from, &more) ||
		(v == g->pointer && flow_dominates(g->flow, flow_number(g->flow, g->check), at)))
		return true;
	for (int i = 0; i < g->flow->n; i++) {
		LLVMBasicBlockRef to = unless_null(g->flow->block[i], v);

		if (to && flow_dominates(g->flow, flow_number(g->flow, to), at))
			return true;
	}
	return false;
}

static bool only_ways_bring_null(const struct merge *g)
{
	for (int i = 0; i < g->n_before; i++)
		if (!is_way(g, g->before[i], false) && !brings_none(g, g->before[i]))
			return false;
	return true;
}

/*
 * Is everything that is known at the end also known in the check, except what phis bring? And is nothing that the
 * check computes known at the end?
 */
static bool end_keeps_its_dominators(const struct merge *g)
{
	int check = flow_number(g->flow, g->check), end = flow_number(g->flow, g->end);

	if (flow_dominates(g->flow, check, end))
		return false;
	for (int d = 0; d < g->flow->n; d++)
		if (d != end && flow_dominates(g->flow, d, end) && !flow_dominates(g->flow, d, check))
			return false;
	return true;
}

/* ---- what arrives at the end ---- */

/* A value that the check itself computes is another one when control reaches the check again. */
static bool is_known_in_check(const struct merge *g, LLVMValueRef v)
{
	int check = flow_number(g->flow, g->check), at;

	if (!LLVMIsAInstruction(v))
		return true;
	at = flow_number(g->flow, LLVMGetInstructionParent(v));
	return at != FLOW_NONE && at != check && flow_dominates(g->flow, at, check);
}

/* Does the phi in the check have what the end's phi gets, on each of the edges? */
static bool has_the_same(const struct merge *g, LLVMValueRef phi, LLVMValueRef wanted)
{
	for (int i = 0; i < g->n_ways; i++)
		if (value_from(phi, g->check, g->way[i]) != value_from(wanted, g->end, g->way[i]))
			return false;
	return true;
}

/* What the end's phi gets from the check, if it is there already; or NULL. */
static LLVMValueRef at_hand(const struct merge *g, LLVMValueRef wanted)
{
	LLVMValueRef v = value_from(wanted, g->end, g->way[0]);
	bool same = is_known_in_check(g, v);

	for (int i = 1; i < g->n_ways; i++)
		same &= value_from(wanted, g->end, g->way[i]) == v;
	if (same)
		return v;
	for (LLVMValueRef phi = LLVMGetFirstInstruction(g->check); LLVMIsAPHINode(phi);
		phi = LLVMGetNextInstruction(phi))
		if (LLVMTypeOf(phi) == LLVMTypeOf(wanted) && has_the_same(g, phi, wanted))
			return phi;
	return NULL;
}

/* A phi for it in the check. On edges that don't lead to the end its value doesn't matter: zero. */
static LLVMValueRef make_phi(const struct merge *g, LLVMValueRef wanted)
{
	LLVMValueRef phi;

	LLVMPositionBuilderBefore(g->b, LLVMGetFirstInstruction(g->check));
	phi = LLVMBuildPhi(g->b, LLVMTypeOf(wanted), "");
	for (int i = 0; i < g->n_before; i++) {
		LLVMBasicBlockRef from = g->before[i];
		LLVMValueRef v =
			is_way(g, from, false) ? value_from(wanted, g->end, from) : LLVMConstNull(LLVMTypeOf(wanted));

		LLVMAddIncoming(phi, &v, &from, 1);
	}
	return phi;
}

static int missing_edges(const struct merge *g)
{
	int n = 0;

	for (LLVMValueRef phi = LLVMGetFirstInstruction(g->end); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
		n += at_hand(g, phi) == NULL;
	return n;
}

/* Make the end's phi anew: blocks that now lead only to the check bring it nothing any more; S does. */
static void replace_phi(const struct merge *g, LLVMValueRef old)
{
	LLVMValueRef v = at_hand(g, old), phi;
	LLVMBasicBlockRef from = g->slow;

	if (!v)
		v = make_phi(g, old);
	LLVMPositionBuilderBefore(g->b, old);
	phi = LLVMBuildPhi(g->b, LLVMTypeOf(old), "");
	for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
		LLVMValueRef in = LLVMGetIncomingValue(old, i);
		LLVMBasicBlockRef block = LLVMGetIncomingBlock(old, i);

		if (!is_way(g, block, true))
			LLVMAddIncoming(phi, &in, &block, 1);
	}
	LLVMAddIncoming(phi, &v, &from, 1);
	LLVMReplaceAllUsesWith(old, phi);
	LLVMInstructionEraseFromParent(old);
}

/* ---- the change ---- */

static void go_on(const struct merge *g, int way)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(g->way[way]), cond = LLVMGetCondition(last);

	if (g->more[way]) {
		LLVMSetCondition(last, LLVMGetOperand(cond, 0));
	} else {
		LLVMPositionBuilderBefore(g->b, last);
		LLVMBuildBr(g->b, g->check);
		LLVMInstructionEraseFromParent(last);
	}
	if (!LLVMGetFirstUse(cond))
		LLVMInstructionEraseFromParent(cond);
}

static void merge_apply(struct merge *g)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(g->check), phi, next;
	LLVMContextRef ctx = LLVMGetTypeContext(LLVMTypeOf(g->pointer));

	g->stop = LLVMGetSuccessor(last, 0);
	g->slow = LLVMInsertBasicBlockInContext(ctx, g->stop, "");
	for (phi = LLVMGetFirstInstruction(g->end); LLVMIsAPHINode(phi); phi = next) {
		next = LLVMGetNextInstruction(phi);
		replace_phi(g, phi);
	}
	g->pointer = checked_pointer(g->check, g->trap); /* which may have been one of these phis */
	for (int i = 0; i < g->n_ways; i++)
		go_on(g, i);
	LLVMPositionBuilderBefore(g->b, last);
	mark_some(LLVMBuildCondBr(g->b, LLVMGetCondition(last), g->slow, LLVMGetSuccessor(last, 1)));
	LLVMPositionBuilderAtEnd(g->b, g->slow);
	mark_unlikely(LLVMBuildCondBr(g->b, LLVMBuildIsNotNull(g->b, g->pointer, ""), g->stop, g->end));
	LLVMInstructionEraseFromParent(last);
}

/* Merge one test, if there is one. */
static bool merge_one(LLVMValueRef fn, LLVMValueRef trap, LLVMBuilderRef b, bool *merged)
{
	struct flow f;
	bool ok = flow_init(&f, fn);
	struct merge g = {.b = b, .flow = &f, .trap = trap};

	*merged = false;
	for (int i = 0; ok && !*merged && i < f.n; i++) {
		g.check = f.block[i];
		g.pointer = checked_pointer(g.check, trap);
		if (!g.pointer || !find_ways(&g) || g.end == g.check || !only_ways_bring_null(&g) ||
			!end_keeps_its_dominators(&g) || missing_edges(&g) > MAX_NEW)
			continue;
		merge_apply(&g);
		*merged = true;
	}
	flow_free(&f);
	return ok;
}

bool merge_null_tests(LLVMModuleRef m)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	LLVMValueRef trap = trap_function(m);
	bool ok = true;

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); ok && fn; fn = LLVMGetNextFunction(fn))
		for (bool merged = !LLVMIsDeclaration(fn); ok && merged;)
			ok = merge_one(fn, trap, b, &merged);
	LLVMDisposeBuilder(b);
	return ok;
}
