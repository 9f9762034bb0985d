/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards by need: the rounds.
 *
 * The module is compiled, linked and given to the verifier. What must be checked at each violation's instruction goes
 * into a plan, a clone of the module gets the guards of the plan, and so on, until the verifier accepts or nothing is
 * left to guard. Of the rounds that were refused for nothing but how long a run may take the best one is kept.
 */
#include "rounds.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/ir/probe.h"
#include "codegen/llvm/prepare/llvm_options.h"
#include "lines.h"
#include "nests.h"
#include "trial.h"

enum { MAX_ROUNDS = 40, DEFAULT_FUEL = 4096 };
/*
 * A nest has so many times the rounds of a loop, and a few less. The proof finds its counter by that number, which
 * therefore mustn't be the size of a buffer.
 */
enum { NEST = 16, LESS = 15 };

/* Refused for nothing but how long a run may take. */
static bool is_too_long(const struct ward_verdict *verdict)
{
	for (size_t i = 0; i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++)
		if (verdict->violations[i].rule != WARD_RULE_COST)
			return false;
	return true;
}

/* Refused by this rule, with or without others. */
static bool is_about(const struct ward_verdict *verdict, enum ward_rule rule)
{
	for (size_t i = 0; i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++)
		if (verdict->violations[i].rule == rule)
			return true;
	return false;
}

/*
 * What would be said of it with the most stack that a limit can allow: of a frame that is too deep nothing is known, so
 * that all that is done with it is refused, and no guard helps.
 */
static struct ward_verdict *judge_deep(const struct rounds *r, const struct ward_buf *module)
{
	struct ward_verify_options limits = r->options->limits;

	limits.max_stack = WARD_STACK_CEILING;
	return ward_verify(module->data, module->size, &limits);
}

/*
 * Numbers in the place of lines change nothing of the code: so what was said of it before needn't be asked again,
 * unless the proof is wanted for more than that.
 */
static struct ward_verdict *judge_again(struct rounds *r, LLVMMemoryBufferRef object, struct ward_buf *module)
{
	struct ward_verdict *verdict = r->refused;

	r->refused = NULL;
	if (verdict && !is_too_long(verdict) && !is_about(verdict, WARD_RULE_DEPTH) &&
		link_object(r, object, -1, NO_PROOF, module))
		return verdict;
	ward_verdict_free(verdict);
	return object_judge(r, object, -1, DRAFT, module);
}

/* Refused for what no other code would change. */
static bool is_hopeless(const struct ward_verdict *verdict)
{
	for (size_t i = 0; i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++) {
		enum ward_rule rule = verdict->violations[i].rule;

		if (rule == WARD_RULE_IMPORT || rule == WARD_RULE_IMPORT_TYPE || rule == WARD_RULE_NOTE ||
			rule == WARD_RULE_LAYOUT)
			return true;
	}
	return false;
}

/*
 * Refused for a jump through a table, of which no guard would prove more; or for places that the table leads to and
 * the index never chooses, as the verifier may know better than LLVM what a number can be; or there was no proof at
 * all, for there may be more switches than anyone follows.
 */
static bool is_about_tables(const struct ward_verdict *verdict)
{
	for (size_t i = 0; verdict && i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++)
		if (verdict->violations[i].rule == WARD_RULE_TABLE ||
			verdict->violations[i].rule == WARD_RULE_UNREACHED)
			return true;
	return !verdict;
}

/* The worst case of what is refused for nothing else: what it takes where there is no limit, all functions together. */
static uint64_t worst_case(const struct rounds *r, const struct ward_buf *module)
{
	struct ward_verify_options limits = r->options->limits;
	struct ward_verdict *verdict;
	uint64_t all = UINT64_MAX;

	limits.max_insns = UINT64_MAX;
	verdict = ward_verify(module->data, module->size, &limits);
	if (verdict && verdict->accepted)
		all = insns_of(verdict);
	ward_verdict_free(verdict);
	return all;
}

/*
 * One more round was refused for nothing but how long a run may take: if it is the best so far, what is planned for it
 * is kept.
 */
static void note_too_long(struct rounds *r, const struct ward_buf *module)
{
	uint64_t worst = worst_case(r, module);

	r->worst_now = worst;
	r->too_long++;
	if (r->too_long > 1 && worst >= r->worst)
		return;
	r->worst = worst;
	for (int i = 0; i < r->planner.plan.n; i++)
		r->wants[i] = r->planner.plan.of[i].want;
}

/* How often the loop goes back that the verifier names for how long a run may take: the one that does so most often. */
static uint64_t most_rounds(const struct ward_violation *v)
{
	static const char words[] = "this loop may go back ";
	const char *at = strstr(v->detail, words);
	char *end = NULL;
	uint64_t rounds = at ? strtoull(at + strlen(words), &end, 10) : UINT64_MAX;

	return at && *end == ' ' ? rounds : UINT64_MAX; /* none named, or "2^64-2" */
}

/*
 * Of what is refused for nothing but how long a run may take: would fuel help? Not if no loop of a function goes round
 * more often than fuel allows, for then it is loops in one another that take too long. Fuel that is counted down at
 * the head lets a loop go back once more.
 */
static bool helps_fuel(const struct rounds *r, const struct ward_verdict *verdict)
{
	for (size_t i = 0; i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++)
		if (most_rounds(&verdict->violations[i]) <= r->planner.guard.fuel + 1)
			return false;
	return true;
}

/*
 * Loops in one another take too long: may they count together? That comes before fuel for a loop that always goes round
 * equally often, which would stop every run.
 */
static bool is_nested(struct rounds *r, const struct lines *lines, const struct ward_verdict *verdict)
{
	uint64_t limit = r->options->limits.max_insns ? r->options->limits.max_insns : WARD_DEFAULT_MAX_INSNS;

	return (has_nest(&r->planner) || !helps_fuel(r, verdict) || blames_constant(&r->planner, lines, verdict)) &&
	       plan_nests(&r->planner, lines, verdict, r->worst_now, limit);
}

bool rounds_start(struct rounds *r, LLVMModuleRef base)
{
	struct guard_options guard = {
		.state_size = state_size_of(base), .fuel = r->options->rounds ? r->options->rounds : DEFAULT_FUEL};

	guard.nest = guard.fuel > UINT32_MAX ? guard.fuel : guard.fuel * NEST - LESS;

	planner_free(&r->planner);
	free(r->wants);
	r->wants = NULL;
	r->too_long = 0;
	if (!planner_init(&r->planner, base, &guard) ||
		!(r->wants = calloc((size_t)r->planner.plan.n + 1, sizeof(*r->wants))))
		return false;
	if (r->options->always) {
		want_accesses(&r->planner, "everything is guarded");
		want_loops(&r->planner, "everything is guarded");
	}
	return true;
}

/* What was planned was planned for other code. */
static enum outcome give_up_tables(struct rounds *r)
{
	r->tables = false;
	return rounds_start(r, r->planner.base) ? MORE : HOPELESS;
}

/* Of the same instructions and guards, so what is planned stays. Returns false if nothing more can be done. */
static bool keep_flags(struct rounds *r)
{
	if (r->one_by_one || (r->keep_selects && r->rung == AS_IS))
		return false;
	if (r->keep_selects)
		r->one_by_one = true;
	if (r->recompare_flags && !r->keep_selects) {
		r->keep_selects = true;
		keep_selects();
	}
	r->recompare_flags = true;
	return true;
}

/* What is refused asks for more guards. `too_long`: for nothing but how long a run may take. */
static enum outcome plan_more(
	struct rounds *r, struct ward_buf *module, const struct ward_verdict *verdict, bool too_long)
{
	struct lines lines = {0};
	bool readable = line_table_read(&lines, module->data, module->size) == 0,
	     guarded = readable && !(r->calls && is_beyond_guards(&r->planner, &lines, verdict));
	enum outcome outcome = too_long ? TOO_LONG : STUCK;

	if (guarded && too_long && is_nested(r, &lines, verdict))
		outcome = MORE;
	else if (guarded && (!too_long || helps_fuel(r, verdict)) &&
		 plan_from_verdict(&r->planner, &lines, module, verdict))
		outcome = MORE;
	line_table_free(&lines);
	return outcome;
}

/* Compile with what is planned so far, and plan more if that isn't enough. */
static enum outcome one_round(struct rounds *r)
{
	LLVMMemoryBufferRef object = object_compile(r, NUMBERS);
	struct ward_buf module = {0};
	struct ward_verdict *verdict = object ? judge_again(r, object, &module) : NULL;
	enum outcome outcome = STUCK;
	bool too_deep = verdict && is_about(verdict, WARD_RULE_DEPTH),
	     too_long = verdict && !verdict->accepted && is_too_long(verdict);

	if (too_long)
		note_too_long(r, &module);
	if (too_deep) {
		ward_verdict_free(verdict);
		verdict = judge_deep(r, &module);
	}
	if (object && r->tables && is_about_tables(verdict))
		outcome = give_up_tables(r);
	else if (!verdict || is_hopeless(verdict))
		outcome = HOPELESS;
	else if (too_deep && (verdict->accepted || is_about(verdict, WARD_RULE_DEPTH)))
		outcome = STUCK;
	else if (verdict->accepted)
		outcome = ACCEPTED, r->insns = insns_of(verdict);
	else if (has_nest(&r->planner) && is_about(verdict, WARD_RULE_RANK))
		outcome = TOO_LONG; /* its counter doesn't rank its loops, and without it they are */
	else if (is_about(verdict, WARD_RULE_FLAGS) && keep_flags(r))
		outcome = MORE;
	else
		outcome = plan_more(r, &module, verdict, too_long);
	ward_verdict_free(verdict);
	free(module.data);
	if (object)
		LLVMDisposeMemoryBuffer(object);
	return outcome;
}

enum outcome all_rounds(struct rounds *r)
{
	enum outcome outcome = MORE;

	r->too_long = 0;
	for (r->planner.round = 1; r->planner.round < MAX_ROUNDS && outcome == MORE; r->planner.round++)
		outcome = one_round(r);
	return outcome;
}
