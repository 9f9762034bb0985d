/*
 * Guards by need.
 *
 * The module is compiled as it is, linked, and put to the verifier. If it is accepted, that is all: nothing was guarded. Otherwise it is
 * compiled again with the number of each instruction in the place of its line in the debug information (which changes nothing of the
 * code), so that each violation's address says which instruction of the module it came of. What is to be made sure of there goes into a
 * plan, a clone of the module gets the guards of the plan, and so on until the verifier accepts or there is nothing left to guard. The
 * last round is done once more with the true lines.
 *
 * Guards can't answer everything: LLVM may write code of which the verifier knows no proof, whatever is guarded around it. Then there is a ladder of
 * other ways to write the same program, each slower or longer than the one before and easier to prove: with each block's end its own, without
 * the other tricks of code generation (careful.h), with all accesses guarded, and at last from code that was hardly optimised. If the last way isn't accepted either, the author
 * gets to see the verdict on the first one that is refused for its worst case alone, which no other code would change much; or else on the first
 * of all, which is closest to the source.
 */
#include "rounds.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "careful.h"
#include "codegen.h"
#include "lines.h"
#include "passes.h"
#include "report.h"

enum { MAX_ROUNDS = 40, MAX_TRIALS = 32, DEFAULT_FUEL = 4096 };

/* The ladder. */
enum rung { AS_IS, APART, CAREFULLY, ALL_GUARDED, UNOPTIMISED, RUNGS };
static const char *const rung_text[RUNGS] = {[APART] = "blocks with ends of their own were needed", [CAREFULLY] = "plainer machine code was needed", [ALL_GUARDED] = "plainer machine code with all guards was needed",
	[UNOPTIMISED] = "code without optimisation was needed"};

struct rounds {
	LLVMModuleRef source; /* as the front end wrote it */
	LLVMTargetMachineRef tm;
	const struct build_options *options;
	enum rung rung;
	bool tables; /* a switch may become one */
	struct answers answers;
};

/* ---- one compilation ---- */

static void set_numbers(LLVMModuleRef m, const struct numbering *x)
{
	LLVMContextRef ctx = LLVMGetModuleContext(m);

	for (int i = 0; i < x->n; i++) {
		LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(x->inst[i]));
		LLVMMetadataRef scope = LLVMGetSubprogram(fn);

		if (scope)
			LLVMInstructionSetDebugLoc(x->inst[i], LLVMDIBuilderCreateDebugLocation(ctx, (unsigned)i + 1, 0, scope, NULL));
	}
}

static bool plan_is_empty(const struct plan *p)
{
	for (int i = 0; i < p->n; i++)
		if (p->of[i].want)
			return false;
	return true;
}

static LLVMMemoryBufferRef emit(LLVMModuleRef m, LLVMTargetMachineRef tm, bool tables)
{
	LLVMMemoryBufferRef object = NULL;
	char *why = NULL;

	widen_narrow(m);
	set_target_attributes(m, tables);
	if (LLVMVerifyModule(m, LLVMReturnStatusAction, &why) || LLVMTargetMachineEmitToMemoryBuffer(tm, m, LLVMObjectFile, &why, &object)) {
		fprintf(stderr, "ward: code generation: %s\n", why ? why : "failed");
		object = NULL;
	}
	LLVMDisposeMessage(why);
	return object;
}

/* The object of the module with the plan's guards, with instructions' numbers for lines or with the true ones. */
static LLVMMemoryBufferRef compile(struct rounds *r, bool numbered)
{
	LLVMModuleRef m = LLVMCloneModule(r->answers.base);
	LLVMMemoryBufferRef object = NULL;
	struct numbering x = {0};
	struct traps traps = {0};
	bool ok = m && number_instructions(&x, m);

	if (ok && numbered)
		set_numbers(m, &x);
	if (ok && !plan_is_empty(&r->answers.plan))
		ok = insert_guards(m, r->tm, &x, &r->answers.origin, &r->answers.plan, &r->answers.guard, &traps);
	if (ok)
		object = emit(m, r->tm, r->tables);
	else
		fputs("ward: code generation: out of memory\n", stderr);
	numbering_free(&x);
	traps_free(&traps);
	if (m)
		LLVMDisposeModule(m);
	return object;
}

/* ---- rounds ---- */

static struct ward_verdict *judge(const struct rounds *r, LLVMMemoryBufferRef object, struct ward_buf *module)
{
	struct ward_link_options link = {.name = "", .kernel = r->options->kernel, .state_size = -1};

	if (ward_link(LLVMGetBufferStart(object), LLVMGetBufferSize(object), &link, module))
		return NULL;
	return ward_verify(module->data, module->size, &r->options->limits);
}

/* Refused for what no other code would change. */
static bool is_hopeless(const struct ward_verdict *verdict)
{
	for (size_t i = 0; i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++) {
		enum ward_rule rule = verdict->violations[i].rule;

		if (rule == WARD_RULE_IMPORT || rule == WARD_RULE_IMPORT_TYPE || rule == WARD_RULE_NOTE || rule == WARD_RULE_LAYOUT)
			return true;
	}
	return false;
}

/* Refused for a jump through a table, of which no guard would prove more; or there was no proof at all, for there may be more switches than anyone follows. */
static bool is_about_tables(const struct ward_verdict *verdict)
{
	for (size_t i = 0; verdict && i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++)
		if (verdict->violations[i].rule == WARD_RULE_TABLE)
			return true;
	return !verdict;
}

/* Refused for nothing but how long a run may take. */
static bool is_too_long(const struct ward_verdict *verdict)
{
	for (size_t i = 0; i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++)
		if (verdict->violations[i].rule != WARD_RULE_COST)
			return false;
	return true;
}

enum outcome { ACCEPTED, MORE, STUCK, TOO_LONG, HOPELESS };

static bool start_with(struct rounds *r, LLVMModuleRef base)
{
	struct guard_options guard = {.state_size = state_size_of(base), .fuel = DEFAULT_FUEL};

	answers_free(&r->answers);
	if (!answers_init(&r->answers, base, &guard))
		return false;
	if (r->options->always) {
		want_accesses(&r->answers, "everything is guarded");
		want_loops(&r->answers, "everything is guarded");
	}
	return true;
}

/* What was planned was planned for other code. */
static enum outcome give_up_tables(struct rounds *r)
{
	r->tables = false;
	return start_with(r, r->answers.base) ? MORE : HOPELESS;
}

/* Compile with what is planned so far, and plan more if that isn't enough. */
static enum outcome one_round(struct rounds *r)
{
	LLVMMemoryBufferRef object = compile(r, true);
	struct ward_buf module = {0};
	struct ward_verdict *verdict = object ? judge(r, object, &module) : NULL;
	struct lines lines = {0};
	enum outcome outcome = STUCK;

	if (object && r->tables && is_about_tables(verdict))
		outcome = give_up_tables(r);
	else if (!verdict || is_hopeless(verdict))
		outcome = HOPELESS;
	else if (verdict->accepted)
		outcome = ACCEPTED;
	else if (lines_read(&lines, module.data, module.size) == 0 && answer_all(&r->answers, &lines, verdict))
		outcome = MORE;
	else if (is_too_long(verdict))
		outcome = TOO_LONG;
	lines_free(&lines);
	ward_verdict_free(verdict);
	free(module.data);
	if (object)
		LLVMDisposeMemoryBuffer(object);
	return outcome;
}

static enum outcome all_rounds(struct rounds *r)
{
	enum outcome outcome = MORE;

	for (r->answers.round = 1; r->answers.round < MAX_ROUNDS && outcome == MORE; r->answers.round++)
		outcome = one_round(r);
	return outcome;
}

/* Is it accepted, and what may a run of each of its functions take at most, all together? */
static bool accepts(const struct rounds *r, LLVMMemoryBufferRef object, uint64_t *insns)
{
	struct ward_buf module = {0};
	struct ward_verdict *verdict = judge(r, object, &module);
	bool accepted = verdict && verdict->accepted;

	*insns = 0;
	for (size_t i = 0; accepted && i < verdict->module.n_entries; i++)
		if (__builtin_add_overflow(*insns, verdict->module.entries[i].max_insns, insns))
			*insns = UINT64_MAX;
	ward_verdict_free(verdict);
	free(module.data);
	return accepted;
}

/* ---- the ladder ---- */

/*
 * What was taken for any access around it may have got a guard in vain, and what one guard checks may prove what another was for: each is left out once, and stays out if the verifier
 * doesn't miss it. So is each loop's fuel, for an index that is checked may be what bounds the loop; but without it a run must not be allowed to take longer.
 */
static LLVMMemoryBufferRef leave_out(struct rounds *r, LLVMMemoryBufferRef object, unsigned what, int *trials)
{
	uint64_t most = UINT64_MAX, insns;
	bool judged = what != WANT_FUEL;

	for (int i = 0; i < r->answers.plan.n && *trials < MAX_TRIALS; i++) {
		unsigned had = r->answers.plan.of[i].want;
		LLVMMemoryBufferRef without;

		if (!(had & what))
			continue;
		if (!judged)
			judged = accepts(r, object, &most);
		++*trials;
		r->answers.plan.of[i].want = had & ~what;
		without = compile(r, false);
		if (without && accepts(r, without, &insns) && insns <= most) {
			LLVMDisposeMemoryBuffer(object);
			object = without;
			most = what == WANT_FUEL ? insns : most;
			continue;
		}
		r->answers.plan.of[i].want = had;
		if (without)
			LLVMDisposeMemoryBuffer(without);
	}
	return object;
}

/* First the guards and then the fuel, which may be needed no more for the guards that are left. */
static LLVMMemoryBufferRef thin_out(struct rounds *r, LLVMMemoryBufferRef object)
{
	int trials = 0;

	object = leave_out(r, object, WANT_ACCESS | WANT_DIVISOR, &trials);
	return leave_out(r, object, WANT_FUEL, &trials);
}

/* Get ready for a rung above the first. Returns false if it can't be had. */
static bool climb(struct rounds *r, LLVMModuleRef *plain)
{
	struct diags d = {0};
	bool ok = true;

	if (r->rung == APART) {
		keep_apart();
		ok = start_with(r, r->answers.base);
	}
	if (r->rung == CAREFULLY) {
		r->tables = false;
		be_careful();
	}
	if (r->rung == UNOPTIMISED) {
		*plain = LLVMCloneModule(r->source);
		ok = optimise_little(*plain, r->tm, &d);
		if (ok)
			lower(*plain, &d);
		ok = ok && d.n == 0 && !d.no_memory && start_with(r, *plain);
		diag_free(&d);
	}
	if (ok && r->rung >= ALL_GUARDED)
		want_accesses(&r->answers, "the proof fails without");
	return ok;
}

/* An object that is accepted, from as low a rung as can be; or else NULL, and in `refused` the object whose verdict says most. */
static LLVMMemoryBufferRef build_somehow(struct rounds *r, LLVMMemoryBufferRef *refused, LLVMModuleRef *plain)
{
	LLVMMemoryBufferRef object = compile(r, false);
	enum outcome outcome;
	bool too_long = false;
	uint64_t insns;

	if (!object || accepts(r, object, &insns))
		return object;
	for (r->rung = AS_IS; r->rung < RUNGS; r->rung++) {
		if (r->rung != AS_IS && !climb(r, plain))
			break;
		outcome = all_rounds(r);
		if (r->rung == AS_IS || outcome == ACCEPTED || (outcome == TOO_LONG && !too_long)) {
			LLVMDisposeMemoryBuffer(object);
			object = compile(r, false);
		}
		too_long |= outcome == TOO_LONG;
		if (outcome == ACCEPTED)
			return r->rung < ALL_GUARDED && !r->options->always ? thin_out(r, object) : object;
		if (outcome == HOPELESS)
			break;
	}
	*refused = object;
	return NULL;
}

/* Without any guard: what is accepted, or the first try. */
static LLVMMemoryBufferRef build_unguarded(struct rounds *r)
{
	LLVMMemoryBufferRef object = compile(r, false), other = NULL;
	uint64_t insns;

	if (object && !accepts(r, object, &insns)) {
		r->rung = APART;
		r->tables = false;
		keep_apart();
		other = compile(r, false);
	}
	if (other && accepts(r, other, &insns)) {
		LLVMDisposeMemoryBuffer(object);
		return other;
	}
	if (other)
		LLVMDisposeMemoryBuffer(other);
	return object;
}

LLVMMemoryBufferRef build(LLVMModuleRef base, LLVMModuleRef source, LLVMTargetMachineRef tm, const struct build_options *options)
{
	struct rounds r = {.source = source, .tm = tm, .options = options, .tables = !options->kernel};
	LLVMMemoryBufferRef object = NULL, refused = NULL;
	LLVMModuleRef plain = NULL;

	if (start_with(&r, base))
		object = options->never ? build_unguarded(&r) : build_somehow(&r, &refused, &plain);
	if (object && options->report && !print_guards(r.answers.layout, r.answers.base, &r.answers.origin, &r.answers.plan, rung_text[r.rung]))
		fputs("ward: report: out of memory\n", stderr);
	answers_free(&r.answers);
	if (plain)
		LLVMDisposeModule(plain);
	return object ? object : refused;
}
