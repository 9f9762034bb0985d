/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One trial. A clone of the module gets the guards of the plan and is lowered; LLVM makes an object of it, the linker a
 * module, and the verifier a verdict.
 *
 * Where the number of each instruction stands in the place of its line in the debug information, the code is the same,
 * and each violation's address names its instruction of the module.
 */
#include "trial.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>

#include "codegen/llvm/guard/stops.h"
#include "codegen/llvm/ir/probe.h"
#include "codegen/llvm/prepare/prepare.h"
#include "codegen/llvm/select/select.h"
#include "loops.h"
#include "nests.h"

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

bool plan_is_empty(const struct plan *p)
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

LLVMMemoryBufferRef object_compile(struct rounds *r, enum lines_are lines)
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
	else if (ok && behind_state(m).room)
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

bool link_object(const struct rounds *r, LLVMMemoryBufferRef object, int64_t state_size, enum proof proof,
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

struct ward_verdict *object_judge(const struct rounds *r, LLVMMemoryBufferRef object, int64_t state_size,
	enum proof proof, struct ward_buf *module)
{
	if (!link_object(r, object, state_size, proof, module))
		return NULL;
	return ward_verify(module->data, module->size, &r->options->limits);
}

uint64_t insns_of(const struct ward_verdict *verdict)
{
	uint64_t insns = 0;

	for (size_t i = 0; i < verdict->module.n_entries; i++)
		if (__builtin_add_overflow(insns, verdict->module.entries[i].max_insns, &insns))
			return UINT64_MAX;
	return insns;
}
