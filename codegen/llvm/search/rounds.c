/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards by need.
 *
 * The module is compiled as it is, linked, and given to the verifier, first with loop strength reduction and then
 * without. If it is accepted, that is all: nothing was guarded. Otherwise it is compiled again with the number of each
 * instruction in the place of its line in the debug information. That doesn't change the code, and each violation's
 * address then names its instruction of the module.
 * What must be checked there goes into a plan, a clone of the module gets the guards of the plan, and so on, until
 * the verifier accepts or nothing is left to guard. The last round is done once more with the true lines. The
 * resulting object and the accepted module stay together (struct built), so that nobody infers the proof again.
 *
 * Guards can't answer everything: LLVM may write code that the verifier can't prove, whatever is guarded around it.
 * If that is because of another block's flags, numbers are compared once more than needed (recompare.c), and at last
 * choices stay choices, which costs next to nothing. If that doesn't help, a ladder of other ways to write the same
 * program follows, each slower or longer than the one before and easier to prove:
 *
 * - each block ends by itself, and branches replace switches, if flags still ask for that (recompare.c);
 * - without the other tricks of code generation (llvm_options.h);
 * - with all accesses guarded;
 * - from code that was hardly optimised.
 *
 * If the last way isn't accepted either, the author sees one verdict. It is that of the first way that is refused for
 * its worst case alone, which no other code would change much, with the guards that make it shortest: fuel for a loop
 * that is proven to end sooner makes it longer, and says nothing of the program. If there is none, it is the verdict
 * on the first way, which is closest to the source. Of a worst case that no fuel makes shorter the author is to know at
 * once: the ladder has no shorter code, unless the optimiser has made loops in one another of what was one loop; then
 * only its last rung is tried.
 */
#include "rounds.h"

#include <llvm-c/Analysis.h>
#include <inttypes.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_from_verdict.h"
#include "codegen/llvm/prepare/llvm_options.h"
#include "codegen/llvm/prepare/loop_bound.h"
#include "codegen/codegen.h"
#include "lines.h"
#include "codegen/llvm/ir/cfg.h"
#include "codegen/llvm/guard/stops.h"
#include "codegen/llvm/ir/probe.h"
#include "codegen/llvm/prepare/prepare.h"
#include "codegen/llvm/select/select.h"
#include "loops.h"
#include "nests.h"
#include "report.h"
#include "stopped.h"

enum { MAX_ROUNDS = 40, MAX_TRIALS = 32, MAX_BYTES = 384 << 10, FEW = 8, DEFAULT_FUEL = 4096 };
/*
 * A nest has so many times the rounds of a loop, and a few less. The proof finds its counter by that number, which
 * therefore mustn't be the size of a buffer.
 */
enum { NEST = 16, LESS = 15 };

/* The ladder. */
enum rung { AS_IS, APART, CAREFULLY, ALL_GUARDED, UNOPTIMISED, RUNGS };
static const char *const rung_text[RUNGS] = {[APART] = "blocks with ends of their own were needed",
	[CAREFULLY] = "plainer machine code was needed",
	[ALL_GUARDED] = "plainer machine code with all guards was needed",
	[UNOPTIMISED] = "code without optimisation was needed"};

struct rounds {
	LLVMModuleRef source; /* as the front end wrote it */
	LLVMTargetMachineRef tm;
	const struct build_options *options;
	enum rung rung;
	bool calls;                   /* there are functions beside the probes' */
	bool tables;                  /* a switch may become one */
	bool recompare_flags;         /* blocks compare anew what another has compared */
	bool keep_selects;            /* no choice becomes a branch */
	bool unrolled;                /* loops of known rounds have several at once */
	bool one_by_one;              /* a switch is one question after the other, each in a block of its own */
	struct ward_verdict *refused; /* of the code that the first round would make, or NULL: nobody has asked */
	int too_long;                 /* rounds of this rung that were refused for nothing but that */
	uint64_t worst;               /* the least worst case of those rounds, of all functions together, */
	uint64_t worst_now;           /* and that of the last of them */
	uint16_t *wants;              /* and what was planned for it, of each instruction */
	/* of what was accepted last: the most that a run of each of its functions takes, all together */
	uint64_t insns;
	struct planner planner;
};

/* ---- one compilation ---- */

static void set_numbers(LLVMModuleRef m, const struct numbering *x)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);

	for (int i = 0; i < x->n; i++) {
		LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(x->inst[i]));
		LLVMMetadataRef scope = LLVMGetSubprogram(fn);

		if (scope)
			LLVMInstructionSetDebugLoc(
				x->inst[i], LLVMDIBuilderCreateDebugLocation(ctx, (unsigned)i + 1, 0, scope, NULL));
	}
}

static bool plan_is_empty(const struct plan *p)
{
	for (int i = 0; i < p->n; i++)
		if (p->of[i].want)
			return false;
	return true;
}

static LLVMMemoryBufferRef object_emit(const struct rounds *r, LLVMModuleRef m)
{
	LLVMMemoryBufferRef object = NULL;
	char *why = NULL;

	search_by_carry(m);
	keep_products(m);
	widen_narrow(m);
	if (r->one_by_one && !test_one_by_one(m, r->tm))
		return NULL;
	if (r->recompare_flags)
		recompare_flags(m);
	set_target_attributes(m, r->tables, r->options->kernel);
	if (LLVMVerifyModule(m, LLVMReturnStatusAction, &why) ||
		LLVMTargetMachineEmitToMemoryBuffer(r->tm, m, LLVMObjectFile, &why, &object)) {
		fprintf(stderr, "ward: code generation: %s\n", why ? why : "failed");
		object = NULL;
	}
	LLVMDisposeMessage(why);
	return object;
}

/* The same with the module's loops unrolled, or NULL if none is. */
static LLVMMemoryBufferRef object_emit_unrolled(const struct rounds *r, LLVMModuleRef m)
{
	LLVMModuleRef unrolled = unroll_loops(m, r->tm);
	LLVMMemoryBufferRef object = unrolled ? object_emit(r, unrolled) : NULL;

	if (unrolled)
		LLVMDisposeModule(unrolled);
	return object;
}

/* What stands for lines in the debug information. */
enum lines_are {
	TRUE_LINES,
	LOOPS_LINES /* where a loop begins, its own: for what is refused for loops */,
	NUMBERS,
	NO_LINES /* nor anything else */
};

/* The object of the module with the plan's guards. */
static LLVMMemoryBufferRef object_compile(struct rounds *r, enum lines_are lines)
{
	LLVMModuleRef m = LLVMCloneModule(r->planner.base);
	LLVMMemoryBufferRef object = NULL;
	struct numbering x = {0};
	struct traps traps = {0};
	bool ok = copy_traps(&traps, r->options->stops) && m && number_instructions(&x, m);

	if (ok && lines == NUMBERS)
		set_numbers(m, &x);
	if (ok && (!plan_is_empty(&r->planner.plan) || traps.n))
		ok = insert_guards(m, r->tm, &x, &r->planner.origin, &r->planner.plan, &r->planner.guard, &traps);
	else if (ok && moved_locals(m))
		describe_traps(m, &traps, state_size_of(m)); /* which tell the linker how large the state is */
	if (ok && lines == NO_LINES)
		LLVMStripModuleDebugInfo(m);
	if (ok && (lines == TRUE_LINES || lines == LOOPS_LINES))
		describe_members(m);
	if (ok && (lines != LOOPS_LINES || show_loops(m)))
		object = r->unrolled ? object_emit_unrolled(r, m) : object_emit(r, m);
	else if (!ok)
		fputs("ward: code generation: out of memory\n", stderr);
	numbering_free(&x);
	traps_free(&traps);
	if (m)
		LLVMDisposeModule(m);
	return object;
}

/* ---- rounds ---- */

/* With what proof? */
enum proof { NO_PROOF, DRAFT, PROOF };

static bool link_object(const struct rounds *r, LLVMMemoryBufferRef object, int64_t state_size, enum proof proof,
	struct ward_buf *module)
{
	struct ward_link_options link = {.name = "",
		.kernel = r->options->kernel,
		.state_size = state_size,
		.no_proof = proof == NO_PROOF,
		.draft = proof == DRAFT,
		.nest = has_nest(&r->planner) ? r->planner.guard.nest : 0};

	return ward_link(LLVMGetBufferStart(object), LLVMGetBufferSize(object), &link, module) == 0;
}

/* The size of the state, if the object has no debug information that tells it; else -1. */
static struct ward_verdict *object_judge(const struct rounds *r, LLVMMemoryBufferRef object, int64_t state_size,
	enum proof proof, struct ward_buf *module)
{
	if (!link_object(r, object, state_size, proof, module))
		return NULL;
	return ward_verify(module->data, module->size, &r->options->limits);
}

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

static uint64_t insns_of(const struct ward_verdict *verdict)
{
	uint64_t insns = 0;

	for (size_t i = 0; i < verdict->module.n_entries; i++)
		if (__builtin_add_overflow(insns, verdict->module.entries[i].max_insns, &insns))
			return UINT64_MAX;
	return insns;
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

enum outcome { ACCEPTED, MORE, STUCK, TOO_LONG, HOPELESS };

static bool start_with(struct rounds *r, LLVMModuleRef base)
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
	return start_with(r, r->planner.base) ? MORE : HOPELESS;
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
	bool readable = lines_read(&lines, module->data, module->size) == 0,
	     guarded = readable && !(r->calls && is_beyond_guards(&r->planner, &lines, verdict));
	enum outcome outcome = too_long ? TOO_LONG : STUCK;

	if (guarded && too_long && is_nested(r, &lines, verdict))
		outcome = MORE;
	else if (guarded && (!too_long || helps_fuel(r, verdict)) &&
		 plan_from_verdict(&r->planner, &lines, module, verdict))
		outcome = MORE;
	lines_free(&lines);
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

static enum outcome all_rounds(struct rounds *r)
{
	enum outcome outcome = MORE;

	r->too_long = 0;
	for (r->planner.round = 1; r->planner.round < MAX_ROUNDS && outcome == MORE; r->planner.round++)
		outcome = one_round(r);
	return outcome;
}

void built_free(struct built *b)
{
	if (b->object)
		LLVMDisposeMemoryBuffer(b->object);
	free(b->module.data);
	*b = (struct built){0};
}

/* An object with the true lines, in the place of what was built before. */
static bool object_rebuild(struct rounds *r, struct built *b)
{
	built_free(b);
	b->object = object_compile(r, TRUE_LINES);
	return b->object;
}

/*
 * The same of what is refused for its loops: the verifier names them by where they begin, and there is some line of
 * what they do.
 */
static bool rebuild_with_loops(struct rounds *r, struct built *b)
{
	LLVMMemoryBufferRef object = object_compile(r, LOOPS_LINES);

	if (!object)
		return object_rebuild(r, b);
	built_free(b);
	b->object = object;
	return true;
}

static void swap_wants(struct rounds *r)
{
	for (int i = 0; i < r->planner.plan.n; i++) {
		uint16_t want = r->planner.plan.of[i].want;

		r->planner.plan.of[i].want = r->wants[i];
		r->wants[i] = want;
	}
}

/* The same of the shortest that was too long. The ladder goes on from what is planned now. */
static bool rebuild_shortest(struct rounds *r, struct built *b)
{
	bool ok;

	swap_wants(r);
	ok = rebuild_with_loops(r, b);
	swap_wants(r);
	return ok;
}

/* Is it accepted? Then its module is kept. */
static bool object_is_accepted(struct rounds *r, struct built *b)
{
	struct ward_buf module = {0};
	struct ward_verdict *verdict = object_judge(r, b->object, -1, PROOF, &module);

	ward_verdict_free(r->refused);
	r->refused = verdict && !verdict->accepted ? verdict : NULL;
	if (!verdict || !verdict->accepted) {
		free(module.data);
		return false;
	}
	b->module = module;
	r->insns = insns_of(verdict);
	ward_verdict_free(verdict);
	return true;
}

static bool same_object(LLVMMemoryBufferRef a, LLVMMemoryBufferRef b)
{
	size_t n = LLVMGetBufferSize(a);

	return n == LLVMGetBufferSize(b) && memcmp(LLVMGetBufferStart(a), LLVMGetBufferStart(b), n) == 0;
}

/*
 * The module as it is, without a search. Its loops first count as the target likes best, which is faster, and mostly
 * proven as well; then as the source does. Returns whether it was accepted; if not, the second object is left, and its
 * verdict. Where there are guards, loops always count as the source does: a counter of rounds would get a test of its
 * own.
 */
static bool is_accepted_at_once(struct rounds *r, struct built *b)
{
	LLVMMemoryBufferRef fast;
	bool accepted;

	if (!plan_is_empty(&r->planner.plan))
		return object_rebuild(r, b) && object_is_accepted(r, b);
	reduce_strength(true);
	accepted = object_rebuild(r, b) && object_is_accepted(r, b);
	reduce_strength(false);
	if (accepted || !b->object)
		return accepted;
	fast = b->object;
	b->object = NULL;
	accepted = object_rebuild(r, b) && !same_object(fast, b->object) && object_is_accepted(r, b);
	LLVMDisposeMemoryBuffer(fast);
	return accepted;
}

/*
 * What was accepted with its guards, with its loops unrolled in part. The code is up to three times as long, and mostly
 * no faster. So that is kept only where it takes a sixth off the worst case.
 */
static void try_unrolled(struct rounds *r, struct built *b)
{
	struct built unrolled = {0};
	uint64_t insns = r->insns;

	r->unrolled = true;
	unrolled.object = object_compile(r, TRUE_LINES);
	r->unrolled = false;
	if (unrolled.object && !same_object(unrolled.object, b->object) && object_is_accepted(r, &unrolled) &&
		r->insns <= insns - insns / 6) {
		built_free(b);
		*b = unrolled;
	} else {
		built_free(&unrolled);
	}
}

/* ---- the ladder ---- */

/*
 * What was taken for any access around it may have got a guard in vain, and what one guard checks may prove what
 * another was for: each guard is left out once, with all accesses that it does for, and stays out if the verifier
 * doesn't miss it. First those that nobody knows to be needed. Of the others hardly one turns out to be in vain, so
 * where there are many of them that isn't tried. Then each loop's fuel is left out, for an index that is checked may be
 * what bounds the loop: a loop that ends within the limit isn't to be stopped before. But where the author has said how
 * often a loop may go round, a run must not be allowed to take longer without it. Where the program is large, and to
 * prove it takes long, few are tried.
 *
 * This is done without debug information, which changes nothing of the code; the code that comes of it all is put to
 * the verifier once more as it will be.
 */
struct thinning {
	struct rounds *r;
	struct plan *plan;
	struct planned *before; /* room for what is planned */
	int trials;
	size_t bytes; /* of the modules that were tried */
	bool changed;
};

static void take_out(struct plan *p, int i, unsigned what)
{
	for (int k = 0; k < p->n; k++)
		if (k == i || (what != WANT_FUEL && p->of[k].by == i + 1))
			p->of[k].want &= (uint16_t)~what;
}

/* Does the author say of one of these loops how often it may go round? */
static bool has_bound(const struct thinning *t, const int *of, int n)
{
	for (int k = 0; k < n; k++)
		if (bound_of(LLVMGetInstructionParent(t->r->planner.origin.inst[of[k]])))
			return true;
	return false;
}

/* Leave out what `n` of them have. Returns false if one of them is missed. */
static bool leave_out(struct thinning *t, const int *of, int n, unsigned what)
{
	size_t size = (size_t)t->plan->n * sizeof(*t->before);
	LLVMMemoryBufferRef object;
	struct ward_buf module = {0};
	struct ward_verdict *verdict;
	bool ok;

	memcpy(t->before, t->plan->of, size);
	for (int k = 0; k < n; k++)
		take_out(t->plan, of[k], what);
	object = object_compile(t->r, NO_LINES);
	verdict = object ? object_judge(t->r, object, (int64_t)t->r->planner.guard.state_size, DRAFT, &module) : NULL;
	ok = verdict && verdict->accepted &&
	     (what != WANT_FUEL || !has_bound(t, of, n) || insns_of(verdict) <= t->r->insns);
	if (ok) {
		t->r->insns = insns_of(verdict);
		t->changed = true;
	} else {
		memcpy(t->plan->of, t->before, size);
	}
	t->trials++;
	t->bytes += ok ? module.size / 2 : module.size; /* as what is accepted would have, if it weren't a draft */
	ward_verdict_free(verdict);
	free(module.data);
	if (object)
		LLVMDisposeMemoryBuffer(object);
	return ok;
}

/* The plan as it was; why something was wanted meanwhile stays, and is of no use. */
static void plan_restore(struct plan *p, const struct planned *before)
{
	for (int i = 0; i < p->n; i++) {
		p->of[i].want = before[i].want;
		p->of[i].by = before[i].by;
		p->of[i].ahead = before[i].ahead;
	}
}

/*
 * A loop that has fuel because nothing was known to bound it may be bounded by what it accesses, if that is guarded,
 * with a counter to go by that stops no run. So it is where everything is guarded, and guards by need must not stop a
 * loop that those let go on. Returns whether the verifier accepts that.
 */
static bool let_go_on(struct thinning *t, int loop)
{
	struct planner *planner = &t->r->planner;
	LLVMMemoryBufferRef object;
	struct ward_buf module = {0};
	struct ward_verdict *verdict;
	bool ok;

	memcpy(t->before, t->plan->of, (size_t)t->plan->n * sizeof(*t->before));
	t->plan->of[loop].want &= (uint16_t)~WANT_FUEL;
	plan_want(t->plan, loop, WANT_COUNTER, planner->round, t->plan->of[loop].why[2]);
	want_accesses_in_loop(planner, loop, "what the loop around it accesses is all that bounds it");
	object = object_compile(t->r, NO_LINES);
	verdict = object ? object_judge(t->r, object, (int64_t)planner->guard.state_size, DRAFT, &module) : NULL;
	ok = verdict && verdict->accepted;
	if (ok) {
		t->r->insns = insns_of(verdict);
		t->changed = true;
	} else {
		plan_restore(t->plan, t->before);
	}
	t->trials++;
	t->bytes += module.size;
	ward_verdict_free(verdict);
	free(module.data);
	if (object)
		LLVMDisposeMemoryBuffer(object);
	return ok;
}

static int fuel_of(const struct thinning *t, int *found)
{
	int n = 0;

	for (int i = 0; i < t->plan->n; i++)
		if (t->plan->of[i].want & WANT_FUEL)
			found[n++] = i;
	return n;
}

/* The loops that are stopped by a bound that their authors didn't give. Returns how many go on after all. */
static int let_loops_go_on(struct thinning *t, int *list)
{
	int n = fuel_of(t, list), lifted = 0;

	for (int k = 0; k < n && t->trials < MAX_TRIALS && t->bytes < MAX_BYTES; k++)
		if (!bound_of(LLVMGetInstructionParent(t->r->planner.origin.inst[list[k]])) && let_go_on(t, list[k]))
			list[lifted++] = list[k];
	return lifted;
}

/* Few are tried one by one, many by halves. What had a guard may have lost it with another's. */
static void leave_out_all(struct thinning *t, const int *of, int n, unsigned what)
{
	int half = n > FEW ? n / 2 : 1;

	if (n == 0 || t->trials >= MAX_TRIALS || t->bytes >= MAX_BYTES || (n == 1 && !(t->plan->of[*of].want & what)))
		return;
	if (((n > FEW || n == 1) && leave_out(t, of, n, what)) || n == 1)
		return;
	leave_out_all(t, of, half, what);
	leave_out_all(t, of + half, n - half, what);
}

/* Does the instruction have a guard of its own, and is that known to be needed? */
static bool has_guard(const struct planned *of, int i, bool sure)
{
	return (of->want & (WANT_ACCESS | WANT_DIVISOR)) && of->by == i + 1 && of->sure == sure;
}

static int guards_of(const struct thinning *t, bool sure, int *found)
{
	int n = 0;

	for (int i = 0; i < t->plan->n; i++)
		if (has_guard(&t->plan->of[i], i, sure))
			found[n++] = i;
	return n;
}

/* First the guards and then the fuel, which may be needed no more for the guards that are left. */
static void thin_out(struct thinning *t, int *list, const int *lifted, int n_lifted)
{
	bool few = guards_of(t, true, list) <= FEW;

	leave_out_all(t, lifted, n_lifted, WANT_COUNTER);
	leave_out_all(t, list, guards_of(t, false, list), WANT_ACCESS | WANT_DIVISOR);
	if (few)
		leave_out_all(t, list, guards_of(t, true, list), WANT_ACCESS | WANT_DIVISOR);
	leave_out_all(t, list, fuel_of(t, list), WANT_FUEL);
}

/* What the rounds came to, with less guards if so many aren't needed. Returns false if it can't be made. */
static bool rounds_finish(struct rounds *r, struct built *b)
{
	struct plan *plan = &r->planner.plan;
	size_t size = (size_t)plan->n * sizeof(*plan->of);
	struct thinning t = {.r = r, .plan = plan, .before = malloc(size + 1)};
	struct planned *first = malloc(size + 1);
	int *list = calloc((size_t)plan->n + 1, sizeof(*list)), *lifted = calloc((size_t)plan->n + 1, sizeof(*lifted));
	bool ok, accepted;

	if (t.before && first && list && lifted && r->rung < ALL_GUARDED && !r->options->always) {
		memcpy(first, plan->of, size);
		thin_out(&t, list, lifted, let_loops_go_on(&t, lifted));
	}
	ok = object_rebuild(r, b);
	accepted = ok && object_is_accepted(r, b);
	if (t.changed && !accepted) {
		plan_restore(plan, first);
		ok = object_rebuild(r, b);
		accepted = ok && object_is_accepted(r, b);
	}
	if (accepted && r->rung == AS_IS)
		try_unrolled(r, b);
	free(t.before);
	free(first);
	free(list);
	free(lifted);
	return ok;
}

/* How many loops are around the innermost ones. */
static int deepest_loop(LLVMModuleRef m)
{
	int deepest = 0;

	for (LLVMValueRef fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn)) {
		struct flow f = {0};
		bool ok = !LLVMIsDeclaration(fn) && flow_init(&f, fn);

		for (int b = 0; ok && b < f.n; b++)
			deepest = f.depth[b] > deepest ? f.depth[b] : deepest;
		flow_free(&f);
	}
	return deepest;
}

/* From code that was hardly optimised. Of what takes too long that is of use if the optimiser has nested its loops. */
static bool start_plain(struct rounds *r, LLVMModuleRef *plain, bool too_long)
{
	struct diags d = {0};
	bool ok;

	*plain = LLVMCloneModule(r->source);
	ok = optimise_little(*plain, r->tm, r->options->limits.max_stack, &d);
	ok = ok && !(too_long && deepest_loop(*plain) >= deepest_loop(r->planner.base));
	if (ok)
		lower(*plain, &d);
	ok = ok && d.n == 0 && !d.no_memory && start_with(r, *plain);
	diag_free(&d);
	return ok;
}

/* Get ready for a rung above the first. Returns false if it can't be had. */
static bool rung_climb(struct rounds *r, LLVMModuleRef *plain, bool too_long)
{
	bool ok = true;

	if (r->rung == APART) {
		keep_apart();
		ok = start_with(r, r->planner.base);
	}
	if (r->rung == CAREFULLY || too_long) {
		r->tables = false;
		be_careful();
	}
	if (r->rung == UNOPTIMISED)
		ok = start_plain(r, plain, too_long);
	if (ok && r->rung >= ALL_GUARDED)
		want_accesses(&r->planner, "the proof fails without");
	return ok;
}

/* What is accepted, from as low a rung as can be; or else the object whose verdict says most. */
static void build_somehow(struct rounds *r, struct built *b, LLVMModuleRef *plain)
{
	enum outcome outcome = MORE;
	bool too_long = false;

	if (is_accepted_at_once(r, b) || !b->object)
		return;
	for (r->rung = AS_IS; r->rung < RUNGS; r->rung++) {
		if (outcome == TOO_LONG)
			r->rung = UNOPTIMISED;
		if (r->rung != AS_IS && !rung_climb(r, plain, outcome == TOO_LONG))
			break;
		outcome = all_rounds(r);
		if (outcome == ACCEPTED            ? !rounds_finish(r, b)
			: r->too_long && !too_long ? !rebuild_shortest(r, b)
						   : r->rung == AS_IS && !object_rebuild(r, b))
			return;
		too_long |= r->too_long > 0;
		if (outcome == ACCEPTED || outcome == HOPELESS)
			break;
	}
}

/* Without any guard: what is accepted, or the first try. */
static void build_unguarded(struct rounds *r, struct built *b)
{
	struct built other = {0};

	if (is_accepted_at_once(r, b) || !b->object)
		return;
	r->rung = APART;
	r->tables = false;
	r->recompare_flags = true;
	keep_apart();
	if (object_rebuild(r, &other) && object_is_accepted(r, &other)) {
		built_free(b);
		*b = other;
	} else {
		built_free(&other);
	}
}

/* How the code had to be made, beside what is usual: what the report ends in. "" if as usual. */
static void describe_making(const struct rounds *r, char *text, size_t size)
{
	uint64_t moved = moved_locals(r->planner.base);
	const char *rung = rung_text[r->rung];

	snprintf(text, size, "%s", rung ? rung : "");
	if (moved)
		snprintf(text + strlen(text), size - strlen(text),
			"%s%" PRIu64 " bytes of local variables are behind the state, for which the stack has no room",
			rung ? "; " : "", moved);
}

static void report_rounds(const struct rounds *r)
{
	char making[200];

	describe_making(r, making, sizeof(making));
	if (r->options->report && !print_guards(r->planner.layout, r->planner.base, &r->planner.origin,
					  &r->planner.plan, &r->planner.guard, making))
		fputs("ward: report: out of memory\n", stderr);
}

/* What is said of what was accepted. */
static void say_accepted(struct rounds *r)
{
	report_rounds(r);
	warn_of_nests(&r->planner);
	if (!plan_is_empty(&r->planner.plan) || r->options->stops->n)
		warn_of_stopped(&r->planner, r->tm, r->options->stops, r->options->endless);
}

static void rounds_free(struct rounds *r)
{
	planner_free(&r->planner);
	free(r->wants);
	ward_verdict_free(r->refused);
}

bool build_with_calls(LLVMModuleRef base, LLVMTargetMachineRef tm, const struct build_options *options, struct built *b)
{
	struct rounds r = {.tm = tm, .options = options, .tables = !options->kernel, .calls = true};
	bool ok;

	*b = (struct built){0};
	ok = start_with(&r, base) &&
	     (is_accepted_at_once(&r, b) ||
		     (b->object && !options->never && all_rounds(&r) == ACCEPTED && rounds_finish(&r, b)));
	ok = ok && b->module.data;
	if (ok)
		say_accepted(&r);
	else
		built_free(b);
	rounds_free(&r);
	return ok;
}

bool build(LLVMModuleRef base, LLVMModuleRef source, LLVMTargetMachineRef tm, const struct build_options *options,
	struct built *b)
{
	struct rounds r = {.source = source, .tm = tm, .options = options, .tables = !options->kernel};
	LLVMModuleRef plain = NULL;

	*b = (struct built){0};
	if (start_with(&r, base)) {
		if (options->never)
			build_unguarded(&r, b);
		else
			build_somehow(&r, b, &plain);
	}
	if (b->object && b->module.data)
		say_accepted(&r);
	else if (b->object && options->never)
		report_rounds(&r);
	rounds_free(&r);
	if (plain)
		LLVMDisposeModule(plain);
	return b->object;
}
