/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuel. A loop that can't be proven to end gets a counter. It is set on every path into the loop and counted down on
 * every back edge or at the head. At zero the run is stopped. So the verifier has a location that ranks the loop. The
 * counter is a variable in memory at first; LLVM makes a register or a stack slot of it.
 */
#include "fuel.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "codegen/llvm/ir/loop_place.h"
#include "codegen/llvm/prepare/loop_bound.h"

#define ENDLESS (UINT64_C(1) << 62)

enum { MAX_PARTS = 16 };

struct fueling {
	LLVMModuleRef m;
	LLVMContextRef ctx;
	LLVMBuilderRef b;
	LLVMTypeRef i64;
	const struct flow *flow;
	int head;
	LLVMValueRef counter;
};

/* ---- the counter ---- */

/*
 * void fuel(counter *, trap): take one, or stop. For a nest, void nest(counter *, trap): add one, or stop where there
 * would be more than `most`.
 */
static LLVMValueRef fuel_function(struct fueling *g, bool nest, uint64_t most)
{
	const char *name = nest ? "ward.nest" : "ward.fuel";
	LLVMTypeRef params[2] = {LLVMPointerTypeInContext(g->ctx, 0), LLVMInt32TypeInContext(g->ctx)};
	LLVMValueRef fn = LLVMGetNamedFunction(g->m, name), trap = trap_function(g->m), left, next, which;
	LLVMBasicBlockRef entry, stop, go;

	if (fn)
		return fn;
	fn = LLVMAddFunction(g->m, name, LLVMFunctionType(LLVMVoidTypeInContext(g->ctx), params, 2, 0));
	LLVMSetLinkage(fn, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(g->ctx, LLVMGetEnumAttributeKindForName("alwaysinline", 12), 0));
	entry = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
	stop = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
	go = LLVMAppendBasicBlockInContext(g->ctx, fn, "");
	LLVMPositionBuilderAtEnd(g->b, entry);
	LLVMSetCurrentDebugLocation2(g->b, NULL);
	left = LLVMBuildLoad2(g->b, g->i64, LLVMGetParam(fn, 0), "");
	next = LLVMBuildAdd(g->b, left, LLVMConstInt(g->i64, nest ? 1 : UINT64_MAX, 1), "");
	LLVMBuildStore(g->b, next, LLVMGetParam(fn, 0));
	mark_unlikely(LLVMBuildCondBr(g->b,
		nest ? LLVMBuildICmp(g->b, LLVMIntUGT, next, LLVMConstInt(g->i64, most, 0), "")
		     : LLVMBuildICmp(g->b, LLVMIntEQ, left, LLVMConstNull(g->i64), ""),
		stop, go));
	LLVMPositionBuilderAtEnd(g->b, stop);
	which = LLVMGetParam(fn, 1);
	LLVMBuildCall2(g->b, LLVMGlobalGetValueType(trap), trap, &which, 1, "");
	LLVMBuildUnreachable(g->b);
	LLVMPositionBuilderAtEnd(g->b, go);
	LLVMBuildRetVoid(g->b);
	return fn;
}

/* Do several ways lead to the block? */
static bool is_join(LLVMBasicBlockRef block)
{
	LLVMUseRef use;
	int n = 0;

	for (use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use; use = LLVMGetNextUse(use))
		n += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
	return n > 1;
}

/*
 * Is the counter to be taken down at the loop's head? It is where the ways back come together only in the block that
 * goes back with the loop's own test: the target makes copies of that one as long as it is small.
 */
static bool counts_at_head(const struct fueling *g)
{
	int ways = 0;
	bool join = false;

	for (int b = g->head; b < g->flow->n; b++) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(g->flow->block[b]);

		if (!flow_leads_to(g->flow, b, g->head) || !flow_in_loop(g->flow, b, g->head))
			continue;
		ways++;
		join |= b != g->head && g->flow->loop[b] == g->head && is_join(g->flow->block[b]) &&
			LLVMIsABranchInst(last) && LLVMIsConditional(last);
	}
	return ways == 1 && join;
}

static void set_counter(struct fueling *g, LLVMBasicBlockRef block, uint64_t to)
{
	LLVMPositionBuilderBefore(g->b, LLVMGetBasicBlockTerminator(block));
	LLVMBuildStore(g->b, LLVMConstInt(g->i64, to, 0), g->counter);
}

/*
 * A loop with a counter is not unrolled: the counter would bound the rounds that are made one, and each would count
 * apart.
 */
static void keep_rounds(const struct fueling *g, LLVMValueRef branch)
{
	static const char disable[] = "llvm.loop.unroll.disable";
	unsigned kind = LLVMGetMDKindIDInContext(g->ctx, "llvm.loop", 9), n;
	LLVMValueRef was = LLVMGetMetadata(branch, kind), had[MAX_PARTS];
	LLVMMetadataRef self = LLVMTemporaryMDNode(g->ctx, NULL, 0), parts[MAX_PARTS + 1], name, node;

	n = was ? LLVMGetMDNodeNumOperands(was) : 0;
	n = n > MAX_PARTS ? 0 : n;
	if (n)
		LLVMGetMDNodeOperands(was, had);
	for (unsigned i = 1; i < n; i++) /* where the loop is in the source */
		parts[i] = LLVMValueAsMetadata(had[i]);
	name = LLVMMDStringInContext2(g->ctx, disable, sizeof(disable) - 1);
	parts[0] = self; /* the first part of such a node is the node */
	parts[n ? n : 1] = LLVMMDNodeInContext2(g->ctx, &name, 1);
	node = LLVMMDNodeInContext2(g->ctx, parts, (n ? n : 1) + 1);
	LLVMMetadataReplaceAllUsesWith(self, node);
	LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(g->ctx, node));
}

/* Call fn in each round of the loop g->head. */
static void count_rounds(struct fueling *g, LLVMValueRef fn, int trap, bool at_head)
{
	LLVMValueRef args[2] = {g->counter, LLVMConstInt(LLVMInt32TypeInContext(g->ctx), (unsigned)trap, 0)};
	LLVMValueRef first = LLVMGetFirstInstruction(g->flow->block[g->head]);

	for (int b = 0; b < g->flow->n; b++) {
		if (!flow_leads_to(g->flow, b, g->head) || !flow_in_loop(g->flow, b, g->head))
			continue;
		keep_rounds(g, LLVMGetBasicBlockTerminator(g->flow->block[b]));
		if (at_head)
			continue;
		LLVMPositionBuilderBefore(g->b, LLVMGetBasicBlockTerminator(g->flow->block[b]));
		LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
	}
	while (LLVMIsAPHINode(first))
		first = LLVMGetNextInstruction(first);
	LLVMPositionBuilderBefore(g->b, first);
	if (at_head)
		LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, args, 2, "");
}

static void fuel_loop(struct fueling *g, uint64_t rounds, int trap)
{
	bool at_head = counts_at_head(g);

	LLVMPositionBuilderBefore(g->b, LLVMGetFirstInstruction(g->flow->block[0]));
	g->counter = LLVMBuildAlloca(g->b, g->i64, "");
	for (int b = 0; b < g->flow->n; b++)
		if (flow_leads_to(g->flow, b, g->head) && !flow_in_loop(g->flow, b, g->head))
			/* the head comes before there is a way back */
			set_counter(g, g->flow->block[b], rounds + at_head);
	count_rounds(g, fuel_function(g, false, 0), trap, at_head);
}

/* The number of the first instruction of block b that has one, or -1. */
static int first_number(const struct flow *f, const struct numbering *x, int b)
{
	LLVMValueRef first = LLVMGetFirstInstruction(f->block[b]);

	while (first && index_get(&x->number, first, -1) < 0)
		first = LLVMGetNextInstruction(first);
	return first ? index_get(&x->number, first, -1) : -1;
}

/* The plan's number of the loop with this head, or -1 if it is to have no counter. */
static int planned_loop(const struct flow *f, const struct numbering *x, const struct plan *plan, int head)
{
	int i = f->head[head] ? first_number(f, x, head) : -1;

	return i >= 0 && (plan->of[i].want & (WANT_FUEL | WANT_COUNTER)) ? i : -1;
}

int nest_of(const struct flow *f, const struct numbering *x, const struct plan *plan, int head)
{
	for (; head != FLOW_NONE; head = f->parent[head]) {
		int i = first_number(f, x, head);

		if (i >= 0 && (plan->of[i].want & WANT_NEST))
			return head;
	}
	return FLOW_NONE;
}

/* Does block b go back to the head, or stay in its loop? */
static bool goes_two_ways(const struct flow *f, int b, int head)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(f->block[b]);
	unsigned n = last ? LLVMGetNumSuccessors(last) : 0;

	for (unsigned i = 0; i < n; i++) {
		int to = flow_number(f, LLVMGetSuccessor(last, i));

		if (to != head && flow_in_loop(f, to, head))
			return true;
	}
	return false;
}

bool fuel_needs_edges(const struct flow *f, const struct numbering *x, const struct plan *plan)
{
	for (int head = 0; head < f->n; head++) {
		if (planned_loop(f, x, plan, head) < 0 && !(f->head[head] && nest_of(f, x, plan, head) != FLOW_NONE))
			continue;
		for (int b = head; b < f->n; b++)
			if (flow_in_loop(f, b, head) && flow_leads_to(f, b, head) && goes_two_ways(f, b, head))
				return true;
	}
	return false;
}

/* A trap at the loop that begins with this block: does its author bound it? */
static int trap_of_loop(struct traps *traps, LLVMBasicBlockRef head)
{
	struct flow f;
	int trap =
		flow_init(&f, LLVMGetBasicBlockParent(head))
			? trap_at(traps, place_of_loop(&f, flow_number(&f, head)), bound_of(head) ? "loop" : "rounds")
			: -1;

	flow_free(&f);
	return trap;
}

uint64_t rounds_until_stop(LLVMBasicBlockRef head, const struct planned *of, uint64_t fuel)
{
	uint64_t said = of->want & (WANT_FUEL | WANT_COUNTER) ? bound_of(head) : 0;

	return said ? said : of->want & WANT_FUEL ? fuel : 0;
}

/*
 * One counter for the loop g->head and all loops in it. A loop around others counts when they are done: what the proof
 * knows of the counter then is by how much it is ahead of where they have left it.
 */
static bool fuel_nest(struct fueling *g, const struct numbering *x, const struct numbering *origin, uint64_t most,
	struct traps *traps)
{
	LLVMValueRef fn = fuel_function(g, true, most);
	int nest = g->head;
	bool ok = true;

	LLVMPositionBuilderBefore(g->b, LLVMGetFirstInstruction(g->flow->block[0]));
	g->counter = LLVMBuildAlloca(g->b, g->i64, "");
	for (int b = 0; b < g->flow->n; b++)
		if (flow_leads_to(g->flow, b, nest) && !flow_in_loop(g->flow, b, nest))
			set_counter(g, g->flow->block[b], 0);
	for (int head = nest; ok && head < g->flow->n; head++) {
		int i = g->flow->head[head] && flow_in_loop(g->flow, head, nest) ? first_number(g->flow, x, head) : -1;
		int trap = i >= 0 ? trap_of_loop(traps, LLVMGetInstructionParent(origin->inst[i])) : 0;

		ok = trap >= 0;
		g->head = head;
		if (ok && i >= 0)
			count_rounds(g, fn, trap, !flow_is_around(g->flow, head) && counts_at_head(g));
	}
	g->head = nest;
	return ok;
}

bool insert_fuel(LLVMModuleRef m, const struct flow *f, const struct numbering *x, const struct numbering *origin,
	const struct plan *plan, const struct guard_options *options, struct traps *traps)
{
	struct fueling g = {.m = m, .ctx = LLVMGetModuleContext(m), .flow = f};
	bool ok = true;

	g.i64 = LLVMInt64TypeInContext(g.ctx);
	g.b = LLVMCreateBuilderInContext(g.ctx);
	for (g.head = 0; ok && g.head < f->n; g.head++) {
		int i = planned_loop(f, x, plan, g.head), trap;
		uint64_t rounds;

		if (f->head[g.head] && nest_of(f, x, plan, g.head) == g.head)
			ok = fuel_nest(&g, x, origin, options->nest, traps);
		if (i < 0 || !ok)
			continue;
		trap = trap_of_loop(traps, LLVMGetInstructionParent(origin->inst[i]));
		ok = trap >= 0;
		rounds = rounds_until_stop(LLVMGetInstructionParent(origin->inst[i]), &plan->of[i], options->fuel);
		if (ok)
			fuel_loop(&g, rounds ? rounds : ENDLESS, trap);
	}
	LLVMDisposeBuilder(g.b);
	return ok;
}
