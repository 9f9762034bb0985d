/*
 * Guards by need.
 *
 * The module is compiled as it is, linked, and put to the verifier. If it is accepted, that is all: nothing was guarded. Otherwise it is
 * compiled again with the number of each instruction in the place of its line in the debug information (which changes nothing of the
 * code), so that each violation's address says which instruction of the module it came of. What is to be made sure of there goes into a
 * plan, a clone of the module gets the guards of the plan, and so on until the verifier accepts or there is nothing left to guard. The
 * last round is done once more with the true lines.
 *
 * Loops come first: in a loop that nobody can rank every index is unknown, and what is guarded for that reason alone may be proven once
 * the loop has fuel. Then come accesses where a pointer was loaded; those where it is chosen from several, as where a loop goes from one
 * element to the next, may be proven with them; and so may those at an index from one.
 *
 * Instructions of the machine don't always say where they come from. A load may be folded into what uses it: then the loads among the
 * operands are meant. What has no number at all is taken for any access around it, and at last for any in the function.
 */
#include "rounds.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address.h"
#include "codegen.h"
#include "fuel.h"
#include "guard.h"
#include "lines.h"
#include "passes.h"
#include "plan.h"
#include "report.h"

enum { MAX_ROUNDS = 40, CLOSURE = 4, DEFAULT_FUEL = 4096 };

/* What a round plans: the first of these that asks for anything. */
enum stage { LOOPS, LOADED, CHOSEN, COMPUTED, LAST_STAGE = COMPUTED };

struct rounds {
	LLVMModuleRef base;
	LLVMTargetMachineRef tm;
	const struct build_options *options;
	LLVMTargetDataRef layout;
	struct numbering origin;
	struct plan plan;
	struct guard_options guard;
	int round;
	enum stage stage;
	bool progress, postponed;
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

static LLVMMemoryBufferRef emit(LLVMModuleRef m, LLVMTargetMachineRef tm)
{
	LLVMMemoryBufferRef object = NULL;
	char *why = NULL;

	widen_narrow(m);
	set_target_attributes(m);
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
	LLVMModuleRef m = LLVMCloneModule(r->base);
	LLVMMemoryBufferRef object = NULL;
	struct numbering x = {0};
	struct traps traps = {0};
	bool ok = m && number_instructions(&x, m);

	if (ok && numbered)
		set_numbers(m, &x);
	if (ok && !plan_is_empty(&r->plan))
		ok = insert_guards(m, r->tm, &x, &r->origin, &r->plan, &r->guard, &traps);
	if (ok)
		object = emit(m, r->tm);
	else
		fputs("ward: code generation: out of memory\n", stderr);
	numbering_free(&x);
	traps_free(&traps);
	if (m)
		LLVMDisposeModule(m);
	return object;
}

/* ---- what a violation asks for ---- */

/* What an earlier round has guarded in vain is no progress; what this one has just planned is. */
static void want(struct rounds *r, int i, enum want want, const char *why)
{
	r->progress |= plan_want(&r->plan, i, want, r->round, why);
}

static bool has_access(const struct rounds *r, LLVMValueRef inst)
{
	struct access a[2];

	return accesses_of(r->layout, inst, a) > 0;
}

/* At a constant place of what the probe was given there is nothing to check. */
static bool is_plain(const struct rounds *r, LLVMValueRef inst)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	struct access a[2];
	unsigned n = accesses_of(r->layout, inst, a);
	bool plain = true;

	for (unsigned k = 0; k < n; k++) {
		int64_t constant;
		LLVMValueRef address = LLVMGetOperand(inst, a[k].operand), root = root_of(r->layout, address, &constant);
		struct base base = base_of(r->layout, fn, address);

		plain &= root == base.value && base.kind != BASE_LOADED && constant >= 0 && (uint64_t)constant < base_size(&r->guard, &base);
	}
	return plain;
}

/* When it is to be checked. Of what isn't through a pointer that was loaded: at once. */
static enum stage stage_of(const struct rounds *r, LLVMValueRef inst, bool *loaded)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	enum stage stage = LOADED;
	struct access a[2];
	unsigned n = accesses_of(r->layout, inst, a);

	*loaded = false;
	for (unsigned k = 0; k < n; k++) {
		int64_t constant;
		LLVMValueRef address = LLVMGetOperand(inst, a[k].operand), root = root_of(r->layout, address, &constant);
		enum stage of = LLVMIsALoadInst(root) ? LOADED : LLVMIsAPHINode(root) ? CHOSEN : COMPUTED;

		if (base_of(r->layout, fn, address).kind != BASE_LOADED)
			continue;
		*loaded = true;
		stage = of > stage ? of : stage;
	}
	return stage;
}

/* Where it didn't help to check a loaded pointer, what becomes of the pointer between the check and the access is to blame: then the access goes through what was checked. */
static void want_checked(struct rounds *r, LLVMValueRef inst, const char *why)
{
	int i = index_get(&r->origin.number, inst, 0);
	bool loaded;

	if (!has_access(r, inst) || is_plain(r, inst))
		return;
	if (stage_of(r, inst, &loaded) > r->stage)
		r->postponed = true;
	else if (plan_want(&r->plan, i, WANT_ACCESS, r->round, why))
		r->progress = true;
	else if (loaded)
		want(r, i, WANT_COUNTED, why);
}

/* Loads among an instruction's operands, and theirs: one of them may have been folded into it. */
static void want_loads(struct rounds *r, LLVMValueRef inst, int depth, const char *why)
{
	int n = LLVMGetNumOperands(inst);

	for (int k = 0; k < n && depth > 0; k++) {
		LLVMValueRef v = LLVMGetOperand(inst, (unsigned)k);

		if (!LLVMIsAInstruction(v) || LLVMIsAPHINode(v))
			continue;
		if (LLVMIsALoadInst(v))
			want_checked(r, v, why);
		else
			want_loads(r, v, depth - 1, why);
	}
}

static void want_access(struct rounds *r, int i, const char *why)
{
	LLVMValueRef inst = r->origin.inst[i];

	if (!has_access(r, inst)) {
		want_loads(r, inst, CLOSURE, why);
		return;
	}
	want_checked(r, inst, why);
	if (LLVMIsAStoreInst(inst)) /* it may be one instruction with the load before it */
		want_loads(r, inst, CLOSURE, why);
}

static void want_block(struct rounds *r, LLVMBasicBlockRef block, const char *why)
{
	LLVMValueRef inst;

	for (inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
		want_checked(r, inst, why);
}

static void want_function(struct rounds *r, LLVMValueRef fn, const char *why)
{
	LLVMBasicBlockRef block;

	for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		want_block(r, block, why);
}

static void want_divisor(struct rounds *r, LLVMValueRef inst, int depth, const char *why)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	int n = LLVMGetNumOperands(inst);

	if (op == LLVMUDiv || op == LLVMURem || op == LLVMSDiv || op == LLVMSRem) {
		if (!LLVMIsAConstantInt(LLVMGetOperand(inst, 1)))
			want(r, index_get(&r->origin.number, inst, 0), WANT_DIVISOR, why);
		return;
	}
	for (int k = 0; k < n && depth > 0; k++)
		if (LLVMIsAInstruction(LLVMGetOperand(inst, (unsigned)k)))
			want_divisor(r, LLVMGetOperand(inst, (unsigned)k), depth - 1, why);
}

static int first_of_head(const struct rounds *r, const struct flow *f, int head)
{
	return index_get(&r->origin.number, LLVMGetFirstInstruction(f->block[head]), 0);
}

/* Fuel for the innermost loop around the instruction that has none yet; else for all loops of the function. */
static void want_fuel(struct rounds *r, LLVMValueRef inst, const char *why)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);
	struct flow f;
	bool ok = flow_init(&f, LLVMGetBasicBlockParent(block)), before = r->progress;
	int b = ok ? flow_number(&f, block) : FLOW_NONE;

	r->progress = false;
	for (int l = b == FLOW_NONE ? FLOW_NONE : f.loop[b]; l != FLOW_NONE && !r->progress; l = f.parent[l])
		want(r, first_of_head(r, &f, l), WANT_FUEL, why);
	for (int l = 0; ok && !r->progress && l < f.n; l++)
		if (f.head[l])
			want(r, first_of_head(r, &f, l), WANT_FUEL, why);
	r->progress |= before;
	flow_free(&f);
}

static bool is_about_loops(enum ward_rule rule)
{
	return rule == WARD_RULE_RANK || rule == WARD_RULE_EDGE || rule == WARD_RULE_STRUCTURE;
}

/* The instruction whose number is nearest to an address that has none: before it, or else behind it. */
static int nearest(const struct lines *lines, uint64_t pc)
{
	int line = 0;

	for (size_t i = 0; i < lines->n; i++) {
		if (lines->row[i].line == 0)
			continue;
		if (lines->row[i].addr > pc)
			return line ? line : lines->row[i].line;
		line = lines->row[i].line;
	}
	return line;
}

static void answer(struct rounds *r, const struct lines *lines, const struct ward_violation *v)
{
	int exact = lines_at(lines, v->pc), line = exact ? exact : nearest(lines, v->pc);
	bool before = r->progress;
	LLVMValueRef inst;

	if (line <= 0 || line > r->origin.n || is_about_loops(v->rule) != (r->stage == LOOPS))
		return;
	inst = r->origin.inst[line - 1];
	r->progress = r->postponed = false;
	switch (v->rule) {
	case WARD_RULE_RANK:
	case WARD_RULE_EDGE:
	case WARD_RULE_STRUCTURE: want_fuel(r, inst, v->detail); break;
	case WARD_RULE_DIVIDE: want_divisor(r, inst, CLOSURE, v->detail); break;
	case WARD_RULE_POINTER:
	case WARD_RULE_BOUNDS:
	case WARD_RULE_READONLY:
	case WARD_RULE_STACK:
	case WARD_RULE_SPILL:
		if (exact)
			want_access(r, line - 1, v->detail);
		if (!r->progress && !r->postponed)
			want_block(r, LLVMGetInstructionParent(inst), v->detail);
		if (!r->progress && !r->postponed)
			want_function(r, LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)), v->detail);
		break;
	default: break;
	}
	r->progress |= before;
}

/* ---- rounds ---- */

static struct ward_verdict *judge(const struct rounds *r, LLVMMemoryBufferRef object, struct ward_buf *module)
{
	struct ward_link_options link = {.name = "", .kernel = r->options->kernel, .state_size = -1};

	if (ward_link(LLVMGetBufferStart(object), LLVMGetBufferSize(object), &link, module))
		return NULL;
	return ward_verify(module->data, module->size, &r->options->limits);
}

/* Compile with what is planned so far, and plan more. Returns false if there is no more to do. */
static bool one_round(struct rounds *r)
{
	LLVMMemoryBufferRef object = compile(r, true);
	struct ward_buf module = {0};
	struct ward_verdict *verdict = object ? judge(r, object, &module) : NULL;
	struct lines lines = {0};

	r->progress = false;
	if (verdict && !verdict->accepted && lines_read(&lines, module.data, module.size) == 0) {
		for (r->stage = LOOPS; r->stage <= LAST_STAGE && !r->progress; r->stage++) {
			for (size_t i = 0; i < verdict->n_violations && i < WARD_MAX_VIOLATIONS; i++)
				answer(r, &lines, &verdict->violations[i]);
		}
	}
	lines_free(&lines);
	ward_verdict_free(verdict);
	free(module.data);
	if (object)
		LLVMDisposeMemoryBuffer(object);
	return r->progress;
}

static bool accepts(const struct rounds *r, LLVMMemoryBufferRef object)
{
	struct ward_buf module = {0};
	struct ward_verdict *verdict = judge(r, object, &module);
	bool accepted = verdict && verdict->accepted;

	ward_verdict_free(verdict);
	free(module.data);
	return accepted;
}

/* Every access, every loop, every divisor. */
static void want_all(struct rounds *r)
{
	static const char why[] = "everything is guarded";
	LLVMValueRef fn;
	struct flow f;

	r->stage = LAST_STAGE;
	for (int i = 0; i < r->origin.n; i++) {
		want_checked(r, r->origin.inst[i], why);
		want_divisor(r, r->origin.inst[i], 0, why);
	}
	for (fn = LLVMGetFirstFunction(r->base); fn; fn = LLVMGetNextFunction(fn)) {
		if (LLVMIsDeclaration(fn))
			continue;
		if (flow_init(&f, fn))
			for (int b = 0; b < f.n; b++)
				if (f.head[b])
					want(r, first_of_head(r, &f, b), WANT_FUEL, why);
		flow_free(&f);
	}
}

LLVMMemoryBufferRef build(LLVMModuleRef base, LLVMTargetMachineRef tm, const struct build_options *options)
{
	struct rounds r = {.base = base, .tm = tm, .options = options, .layout = LLVMGetModuleDataLayout(base)};
	LLVMMemoryBufferRef object = NULL;
	bool ok = number_instructions(&r.origin, base);

	r.plan.of = ok ? calloc((size_t)r.origin.n + 1, sizeof(*r.plan.of)) : NULL;
	r.plan.n = r.origin.n;
	r.guard = (struct guard_options){.state_size = state_size_of(base), .fuel = DEFAULT_FUEL};
	if (r.plan.of && options->always)
		want_all(&r);
	if (r.plan.of)
		object = compile(&r, false);
	if (object && !options->never && !accepts(&r, object)) {
		LLVMDisposeMemoryBuffer(object);
		for (r.round = 1; r.round < MAX_ROUNDS && one_round(&r); r.round++)
			;
		object = compile(&r, false);
	}
	if (object && options->report && !print_guards(r.layout, base, &r.origin, &r.plan))
		fputs("ward: report: out of memory\n", stderr);
	plan_free(&r.plan);
	numbering_free(&r.origin);
	return object;
}
