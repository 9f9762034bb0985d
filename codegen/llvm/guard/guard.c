/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards, inserted where a plan wants them.
 *
 * Where an address is a base plus one index times a constant, the guard compares the index, and the compared value
 * replaces it from there on. So the access stays as it was, and other accesses by the same index may be proven from
 * the same comparison.
 *
 *	if (index > (size - n) / scale) trap;
 *
 * Any other access through an address p, counted from a base (the state, the event, a variable), gets its offset
 * checked:
 *
 *	off = p - base;  if (off > size - n) trap;  access base + off
 *
 * The optimiser must not see that base + off is p again: it would keep p and check a copy that the verifier can't
 * connect with it. So off passes through an empty assembly statement, of which nothing is known.
 *
 * A pointer that was loaded from memory may lead where the module's pointers in memory lead (points_to.c), mostly into
 * the state. Here the verifier knows that p is base + off, so the access stays one through p. Through base + off each
 * element of a linked list would wait for two more additions, where a branch is predicted. Only if that didn't
 * convince the verifier does the access go through base + off.
 *
 * Accesses at other constant distances from the same root need no compare of their own if an earlier one dominates
 * them. Behind the state there is room: an access that begins inside the state and reaches a little further is still
 * granted. An author's struct that lies wholly in the state never does so. Accesses before the first address do need
 * a compare. Of loaded pointers the start of the element is checked, if the access isn't before it. So one check
 * serves the whole element, and the next look at it when a loop comes round.
 */
#include "guard.h"

#include <stdlib.h>

#include "fuel.h"
#include "guards.h"
#include "null_merge.h"
#include "codegen/llvm/ir/probe.h"
#include "codegen/llvm/ir/allocas.h"
#include "codegen/llvm/prepare/prepare.h"

static void guard_divisor(struct guards *g, int i)
{
	LLVMValueRef inst = g->x->inst[i], divisor = LLVMGetOperand(inst, 1);
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);

	if (op != LLVMUDiv && op != LLVMURem && op != LLVMSDiv && op != LLVMSRem)
		return;
	LLVMPositionBuilderBefore(g->b, inst);
	LLVMSetOperand(inst, 1, call_guard(g, i, divisor, LLVMIntEQ, 0, "divisor"));
}

static void guard_block(struct guards *g, int block)
{
	LLVMValueRef inst = LLVMGetFirstInstruction(g->flow.block[block]), next;

	for (; inst && !g->failed; inst = next) {
		int i = index_get(&g->x->number, inst, -1);
		struct access a[2];

		next = LLVMGetNextInstruction(inst);
		if (i < 0)
			continue;
		if (g->plan->of[i].want & WANT_ACCESS) {
			unsigned n = accesses_of(g->layout, inst, a);

			for (unsigned k = 0; k < n; k++)
				guard_access(g, i, block, &a[k]);
		}
		if (g->plan->of[i].want & WANT_BUFFER) {
			struct import_buffer l[MAX_IMPORT_BUFFERS];

			for (unsigned k = 0, n = import_buffers_of(inst, l); k < n; k++)
				guard_buffer(g, i, block, &l[k]);
		}
		if (g->plan->of[i].want & WANT_DIVISOR)
			guard_divisor(g, i);
	}
}

/* When all else is planned: what says when a variable is in use may be what a plan goes by. */
static void set_variables(struct guards *g)
{
	for (int i = 0; i < g->plan->n; i++)
		if ((g->plan->of[i].want & WANT_BUFFER) && g->plan->of[i].room)
			enlarge_variables(g, g->x->inst[i]);
	for (int i = 0; i < g->plan->n; i++)
		if (g->plan->of[i].want & WANT_ZEROS)
			clear_variable(g->b, g->x->inst[i]);
}

static bool guard_entry(struct guards *g)
{
	bool ok = flow_init(&g->flow, g->fn);

	g->n_checked = 0;
	g->n_compared = 0;
	for (int b = 0; ok && b < g->flow.n; b++)
		make_room(g, g->flow.block[b]);
	for (int b = 0; ok && b < g->flow.n; b++)
		guard_block(g, b);
	ok = ok && !g->failed && insert_fuel(g->m, &g->flow, g->x, g->origin, g->plan, g->options, g->traps);
	if (ok && g->options->marks)
		ok = marks_of_function(g->options->marks, g->m, &g->flow, &g->x->number);
	flow_free(&g->flow);
	return ok;
}

/*
 * Not what simplifies conditional branches: it would give cycles their second entrance back that mend_cycles has taken.
 */
static const char clean_up[] =
	"always-inline,globaldce,function(mem2reg,early-cse<memssa>,simplifycfg<no-simplify-cond-branch>,early-cse)";

static bool split_edges(struct guards *g, LLVMTargetMachineRef tm)
{
	bool ok = true, needed = g->options->marks;

	for (g->fn = LLVMGetFirstFunction(g->m); ok && !needed && g->fn; g->fn = LLVMGetNextFunction(g->fn)) {
		if (!is_entry(g->fn) || LLVMIsDeclaration(g->fn))
			continue;
		ok = flow_init(&g->flow, g->fn);
		needed = ok && fuel_needs_edges(&g->flow, g->x, g->plan);
		flow_free(&g->flow);
	}
	return ok && (!needed || run_passes(g->m, tm, "function(break-crit-edges)"));
}

bool insert_guards(LLVMModuleRef m, LLVMTargetMachineRef tm, const struct numbering *x, const struct numbering *origin,
	struct plan *plan, const struct guard_options *options, struct traps *traps)
{
	struct guards g = {.m = m,
		.ctx = LLVMGetModuleContext(m),
		.x = x,
		.origin = origin,
		.plan = plan,
		.options = options,
		.traps = traps};
	bool ok = split_edges(&g, tm);

	for (int i = 0; i < plan->n; i++)
		plan->of[i].by = plan->of[i].ahead = 0;
	g.layout = LLVMGetModuleDataLayout(m);
	g.b = LLVMCreateBuilderInContext(g.ctx);
	for (g.fn = LLVMGetFirstFunction(m); ok && g.fn; g.fn = LLVMGetNextFunction(g.fn))
		if (is_entry(g.fn) && !LLVMIsDeclaration(g.fn))
			ok = guard_entry(&g);
	if (ok)
		set_variables(&g);
	free(g.checked);
	LLVMDisposeBuilder(g.b);
	if (!ok || options->marks)
		return ok;
	ok = run_passes(m, tm, clean_up) && merge_null_tests(m);
	lower_traps(m, traps, options->state_size);
	describe_traps(m, traps, options->state_size);
	return ok;
}
