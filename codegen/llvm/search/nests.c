/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops in one another that are short enough each, and too long together. Parsers are written so: an outer loop over
 * records, and inner ones over the fields, whose lengths the input names. All runs of them end soon; but nothing says
 * so, and the worst case is their rounds multiplied. Such a nest gets one counter for all of its loops
 * (guard/fuel.h), and a run that goes on for longer than that is stopped. The author is warned of it.
 *
 * A nest of which each loop goes round equally often in every run gets none, as it would stop every run. Nor does one
 * whose author has bounded each loop.
 */
#include "nests.h"

#include "codegen/llvm/ir/diag.h"
#include "codegen/llvm/ir/loop_place.h"
#include "codegen/llvm/prepare/loop_bound.h"

static int first_of_head(const struct planner *r, const struct flow *f, int head)
{
	return index_get(&r->origin.number, LLVMGetFirstInstruction(f->block[head]), 0);
}

/* Is the value a constant, or one that the loop adds a constant to in each round, from a constant on? */
static bool is_stepped(LLVMValueRef v, LLVMBasicBlockRef head)
{
	bool moved = LLVMIsABinaryOperator(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 1));
	LLVMValueRef phi = moved ? LLVMGetOperand(v, 0) : v;

	if (LLVMIsAConstantInt(v))
		return true;
	if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != head)
		return false;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef from = LLVMGetIncomingValue(phi, i);

		if (!LLVMIsAConstantInt(from) && !(LLVMIsABinaryOperator(from) && LLVMGetOperand(from, 0) == phi &&
							 LLVMIsAConstantInt(LLVMGetOperand(from, 1))))
			return false;
	}
	return true;
}

/* Does the loop always go round equally often? */
static bool is_constant_loop(const struct flow *f, int head)
{
	for (int b = head; b < f->n; b++) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(f->block[b]), cond;
		bool leaves = false;

		if (!flow_in_loop(f, b, head))
			continue;
		for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
			leaves |= !flow_in_loop(f, flow_number(f, LLVMGetSuccessor(last, i)), head);
		cond = leaves && LLVMIsABranchInst(last) && LLVMIsConditional(last) ? LLVMGetCondition(last) : NULL;
		if (leaves && !(cond && LLVMIsAICmpInst(cond) && is_stepped(LLVMGetOperand(cond, 0), f->block[head]) &&
				      is_stepped(LLVMGetOperand(cond, 1), f->block[head])))
			return false;
	}
	return true;
}

/*
 * One counter for all loops of the outermost loop `nest`, instead of those that they have. A nest of which each loop
 * goes round equally often in every run would stop every run.
 */
static void want_nest(struct planner *r, const struct flow *f, int nest, const char *why)
{
	bool constant = true;

	for (int l = nest; l < f->n; l++)
		if (f->head[l] && flow_in_loop(f, l, nest))
			constant &= is_constant_loop(f, l) || bound_of(f->block[l]);
	if (constant)
		return;
	if (!plan_want(&r->plan, first_of_head(r, f, nest), WANT_NEST, r->round, why))
		return;
	r->progress = true;
	for (int l = nest; l < f->n; l++)
		if (f->head[l] && flow_in_loop(f, l, nest) && !bound_of(f->block[l]))
			r->plan.of[first_of_head(r, f, l)].want &= (uint16_t)~(WANT_FUEL | WANT_COUNTER);
}

/*
 * The nest that the instruction is in. Where it is in none, as code that several loops share may be taken for one's
 * own, each nest of the function.
 */
static void want_nests(struct planner *r, LLVMValueRef inst, const char *why)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);
	struct flow f;
	bool ok = flow_init(&f, LLVMGetBasicBlockParent(block));
	int b = ok ? flow_number(&f, block) : FLOW_NONE, nest = b == FLOW_NONE ? FLOW_NONE : f.loop[b];

	while (nest != FLOW_NONE && f.parent[nest] != FLOW_NONE)
		nest = f.parent[nest];
	if (nest != FLOW_NONE && !flow_is_around(&f, nest))
		nest = FLOW_NONE;
	for (int l = 0; ok && l < f.n; l++)
		if (f.head[l] && f.parent[l] == FLOW_NONE && (nest == FLOW_NONE || nest == l) && flow_is_around(&f, l))
			want_nest(r, &f, l, why);
	flow_free(&f);
}

bool has_nest(const struct planner *r)
{
	bool has = false;

	for (int i = 0; i < r->plan.n; i++)
		has |= (r->plan.of[i].want & WANT_NEST) != 0;
	return has;
}

bool blames_constant(const struct planner *r, const struct lines *lines, const struct ward_verdict *verdict)
{
	bool constant = false;

	for (size_t i = 0; i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++) {
		int line = line_near(lines, verdict->violations[i].pc), b = FLOW_NONE;
		LLVMBasicBlockRef block;
		struct flow f;

		if (line <= 0 || line > r->origin.n)
			continue;
		block = LLVMGetInstructionParent(r->origin.inst[line - 1]);
		if (flow_init(&f, LLVMGetBasicBlockParent(block)))
			b = flow_number(&f, block);
		constant |= b != FLOW_NONE && f.loop[b] != FLOW_NONE && is_constant_loop(&f, f.loop[b]);
		flow_free(&f);
	}
	return constant;
}

bool plan_nests(struct planner *r, const struct lines *lines, const struct ward_verdict *verdict, uint64_t worst,
	uint64_t limit)
{
	bool had = has_nest(r);

	r->progress = false;
	for (size_t i = 0; i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++) {
		int line = line_near(lines, verdict->violations[i].pc);

		if (line > 0 && line <= r->origin.n)
			want_nests(r, r->origin.inst[line - 1], verdict->violations[i].detail);
	}
	if (r->progress || !had || worst == UINT64_MAX || worst <= limit)
		return r->progress;
	while (worst > limit && r->guard.nest > r->guard.fuel) {
		r->guard.nest /= 2;
		worst /= 2;
		r->progress = true;
	}
	return r->progress;
}

void warn_of_nests(const struct planner *r)
{
	static const char hint[] =
		"say how often each may go round, WARD_BOUND(64), or allow more: --rounds N, --max-insns";
	struct diags found = {.are_warnings = true};

	for (int i = 0; i < r->plan.n; i++) {
		LLVMBasicBlockRef head = LLVMGetInstructionParent(r->origin.inst[i]);
		struct flow f;

		if (!(r->plan.of[i].want & WANT_NEST))
			continue;
		if (flow_init(&f, LLVMGetBasicBlockParent(head)))
			diag_add(&found, place_of_loop(&f, flow_number(&f, head)), hint,
				"this loop and those in it may go round %llu times together; "
				"a run that goes on longer is stopped",
				(unsigned long long)r->guard.nest);
		flow_free(&f);
	}
	diag_print(&found);
	diag_free(&found);
}
