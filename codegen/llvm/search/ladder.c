/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards by need: the ladder.
 *
 * The module is compiled as it is, linked, and given to the verifier, first with loop strength reduction and then
 * without. If it is accepted, that is all: nothing was guarded. Otherwise rounds plan guards until the verifier accepts
 * (rounds.c). Guards that it doesn't miss are left out again (thinning.c). The last round is done once more with the
 * true lines. The resulting object and the accepted module stay together (struct built), so the proof is inferred once.
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
#include "ladder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/guard/stops.h"
#include "codegen/llvm/ir/cfg.h"
#include "codegen/llvm/ir/probe.h"
#include "codegen/llvm/prepare/llvm_options.h"
#include "codegen/llvm/prepare/prepare.h"
#include "codegen/llvm/select/select.h"
#include "nests.h"
#include "report.h"
#include "rounds.h"
#include "stopped.h"
#include "thinning.h"
#include "trial.h"

static const char *const rung_text[RUNGS] = {[APART] = "blocks with ends of their own were needed",
	[CAREFULLY] = "plainer machine code was needed",
	[ALL_GUARDED] = "plainer machine code with all guards was needed",
	[UNOPTIMISED] = "code without optimisation was needed"};

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

/* What the rounds came to, with less guards if so many aren't needed. Returns false if it can't be made. */
static bool rounds_finish(struct rounds *r, struct built *b)
{
	struct plan *plan = &r->planner.plan;
	struct planned *first = malloc((size_t)plan->n * sizeof(*first) + 1);
	bool thinned = first && r->rung < ALL_GUARDED && !r->options->always && plan_thin_out(r, first),
	     ok = object_rebuild(r, b), accepted = ok && object_is_accepted(r, b);

	if (thinned && !accepted) {
		plan_restore(plan, first);
		ok = object_rebuild(r, b);
		accepted = ok && object_is_accepted(r, b);
	}
	if (accepted && r->rung == AS_IS)
		try_unrolled(r, b);
	free(first);
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
	ok = ok && d.n == 0 && !d.no_memory && rounds_start(r, *plain);
	diag_free(&d);
	return ok;
}

/* Get ready for a rung above the first. Returns false if it can't be had. */
static bool rung_climb(struct rounds *r, LLVMModuleRef *plain, bool too_long)
{
	bool ok = true;

	if (r->rung == APART) {
		keep_apart();
		ok = rounds_start(r, r->planner.base);
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
	uint64_t moved = behind_state(r->planner.base).locals;
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
	ok = rounds_start(&r, base) &&
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
	if (rounds_start(&r, base)) {
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
