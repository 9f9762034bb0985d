/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Optimisation: O2, without what destroys what the verifier proves with.
 *
 * - Vectorisers and interleaving are off: general registers only. Only loops of few known trips are unrolled, and
 *   those wholly (llvm_options.c): a loop whose trips are counted once is proven once.
 * - Linear function test replacement is off, and mostly loop strength reduction (options of the process, see
 *   llvm_options.c). Both rewrite a loop's exit test from i < n to an equality on another variable. The second is tried
 *   where nothing is guarded (search/ladder.c).
 * - Everything is inlined into the probe functions, but for functions that are marked to stay (calls.c).
 */
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "loop_bound.h"
#include "codegen/llvm/ir/cfg.h"
#include "codegen/llvm/ir/points_to.h"
#include "memory.h"
#include "codegen/llvm/ir/probe.h"
#include "prepare.h"

/*
 * No SSE, so that stubs have no vector registers to save; MMX and x87 have no rows in the instruction table. Of shifts
 * by double registers (shld) the result isn't followed. A 64-bit division is not to be preceded by a test for a 32-bit
 * one, in which the divisor is no longer known not to be zero. A register that is subtracted from itself, with borrow,
 * need not be set before (select_by_carry.c).
 */
static const char features[] =
	"+cmov,+cx8,-sse,-sse2,-mmx,-x87,-fxsr,+slow-shld,-idivq-to-divl,-idivl-to-divb,+sbb-dep-breaking";

static void set_enum(LLVMValueRef fn, const char *name, uint64_t value)
{
	LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(ctx, kind, value));
}

static void drop_enum(LLVMValueRef fn, const char *name)
{
	LLVMRemoveEnumAttributeAtIndex(
		fn, LLVMAttributeFunctionIndex, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static void set_string(LLVMValueRef fn, const char *name, const char *value)
{
	LLVMContextRef ctx = LLVMGetModuleContext(LLVMGetGlobalParent(fn));

	LLVMRemoveStringAttributeAtIndex(fn, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
	LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(ctx, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

/* All but the probe functions is private to the module; all of it is to be inlined, but for what is kept. */
static void module_prepare(LLVMModuleRef m)
{
	LLVMValueRef fn, g;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn)) {
		/* Direct calls: several through the table would keep its address in a register. */
		if (is_import(fn))
			drop_enum(fn, "nonlazybind");
		if (LLVMIsDeclaration(fn))
			continue;
		drop_enum(fn, is_kept(fn) ? "alwaysinline" : "noinline");
		if (is_kept(fn))
			set_enum(fn, "noinline", 0);
		drop_enum(fn, "optnone");
		drop_enum(fn, "minsize");
		drop_enum(fn, "optsize");
		set_string(fn, "target-cpu", "x86-64");
		set_string(fn, "target-features", features);
		if (!is_entry(fn)) {
			LLVMSetVisibility(fn, LLVMDefaultVisibility);
			LLVMSetLinkage(fn, LLVMInternalLinkage);
		}
	}
	for (g = LLVMGetFirstGlobal(m); g; g = LLVMGetNextGlobal(g)) {
		if (LLVMIsDeclaration(g) || LLVMGetLinkage(g) == LLVMAppendingLinkage)
			continue;
		LLVMSetVisibility(g, LLVMDefaultVisibility);
		LLVMSetLinkage(g, LLVMInternalLinkage);
	}
}

static void check_inlined(LLVMModuleRef m, struct diags *d)
{
	LLVMValueRef fn, inst, callee;
	LLVMBasicBlockRef block;
	char name[256];

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
				callee = LLVMGetInstructionOpcode(inst) == LLVMCall ? LLVMGetCalledValue(inst) : NULL;
				if (callee && LLVMIsAFunction(callee) && !LLVMGetIntrinsicID(callee) &&
					!is_import(callee) && !is_trap(callee) && !is_kept(callee))
					diag_add(d, place_of_instruction(inst), "write its body where it is called",
						"the call of '%s' can't be inlined",
						name_in_source(callee, name, sizeof(name)));
			}
}

bool run_passes(LLVMModuleRef m, LLVMTargetMachineRef tm, const char *passes)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error;

	LLVMPassBuilderOptionsSetLoopVectorization(options, 0);
	LLVMPassBuilderOptionsSetSLPVectorization(options, 0);
	LLVMPassBuilderOptionsSetLoopUnrolling(options, 1);
	LLVMPassBuilderOptionsSetLoopInterleaving(options, 0);
	error = LLVMRunPasses(m, passes, tm, options);
	LLVMDisposePassBuilderOptions(options);
	if (error) {
		char *text = LLVMGetErrorMessage(error);

		fprintf(stderr, "ward: optimiser: %s\n", text);
		LLVMDisposeErrorMessage(text);
	}
	return !error;
}

/* Is there a call of a function of the module? */
static bool has_calls(LLVMModuleRef m)
{
	LLVMValueRef fn;
	LLVMUseRef use;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (use = LLVMIsDeclaration(fn) || is_kept(fn) ? NULL : LLVMGetFirstUse(fn); use;
			use = LLVMGetNextUse(use))
			if (LLVMIsACallInst(LLVMGetUser(use)) && LLVMGetCalledValue(LLVMGetUser(use)) == fn)
				return true;
	return false;
}

static const char full[] = "default<O2>",
		  little[] = "always-inline,function(lower-expect,sroa,early-cse,simplifycfg),globaldce";

static void inline_all(LLVMModuleRef m)
{
	LLVMValueRef fn;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn) && !is_kept(fn))
			set_enum(fn, "alwaysinline", 0);
}

bool inline_once(LLVMModuleRef m, LLVMTargetMachineRef tm)
{
	module_prepare(m);
	inline_all(m);
	return run_passes(
		m, tm, "always-inline,function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg),globaldce");
}

/*
 * What copies and the like become is inlined where they are, and the whole is optimised once more; that may make one
 * copy of unknown size of two whose sizes were known, but hardly again and again.
 */
static bool inline_forms(LLVMModuleRef m, LLVMTargetMachineRef tm, struct diags *d)
{
	enum { OFTEN = 3 };

	for (int i = 0;; i++) {
		int n = lower_memory(m, d);

		if (n <= 0)
			return n == 0;
		module_prepare(m);
		inline_all(m);
		if (!run_passes(m, tm, i < OFTEN ? full : little))
			return false;
	}
}

/*
 * Callees are simplified before they are inlined, as clang does it (llvm_options.c sets the limits of size so high that
 * nearly all of them are); code and its speed are then the same. What is left over is inlined without regard to
 * anything.
 */
static bool optimise_module(LLVMModuleRef m, LLVMTargetMachineRef tm, uint32_t max_stack, struct diags *d)
{
	if (!run_passes(m, tm, full))
		return false;
	if (has_calls(m)) {
		inline_all(m);
		if (!run_passes(m, tm, full))
			return false;
	}
	move_large_locals(m, max_stack);
	return inline_forms(m, tm, d);
}

/*
 * A cycle that can be entered at two places has no head at which to count its rounds. goto makes such, and threading of
 * jumps: they get a head that all entries share, which then branches on.
 */
static bool mend_cycles(LLVMModuleRef m, LLVMTargetMachineRef tm)
{
	LLVMValueRef fn;
	bool ok = true, found = false;

	for (fn = LLVMGetFirstFunction(m); ok && !found && fn; fn = LLVMGetNextFunction(fn)) {
		struct flow f;

		if (LLVMIsDeclaration(fn))
			continue;
		ok = flow_init(&f, fn);
		found = ok && flow_is_irreducible(&f);
		flow_free(&f);
	}
	return ok && (!found || run_passes(m, tm, "function(lower-switch,fix-irreducible)"));
}

bool optimise(LLVMModuleRef m, LLVMTargetMachineRef tm, uint32_t max_stack, struct diags *d)
{
	module_prepare(m);
	if (!mark_bounds(m) || !optimise_module(m, tm, max_stack, d) || !mend_cycles(m, tm) || !settle_bounds(m) ||
		!settle_unwritten(m) || !gather_constants(m, d))
		return false;
	gather_escapes(m);
	check_inlined(m, d);
	return true;
}

bool optimise_little(LLVMModuleRef m, LLVMTargetMachineRef tm, uint32_t max_stack, struct diags *d)
{
	int n;

	module_prepare(m);
	inline_all(m);
	if (!mark_bounds(m) || !run_passes(m, tm, little))
		return false;
	move_large_locals(m, max_stack);
	while ((n = lower_memory(m, d)) > 0) {
		module_prepare(m);
		inline_all(m);
		if (!run_passes(m, tm, little))
			return false;
	}
	if (n < 0 || !mend_cycles(m, tm) || !settle_bounds(m) || !settle_unwritten(m) || !gather_constants(m, d))
		return false;
	gather_escapes(m);
	check_inlined(m, d);
	return true;
}

void set_target_attributes(LLVMModuleRef m, bool tables, bool kernel)
{
	LLVMValueRef fn;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn)) {
			set_enum(fn, "noredzone", 0);
			/* A function that calls none would get a frame of 4 bytes for what it spills. */
			set_enum(fn, "alignstack", 8);
			set_string(fn, "no-realign-stack", "");
			if (!tables)
				set_string(fn, "no-jump-tables",
					"true"); /* not before: the optimiser's lookup tables are welcome */
			if (kernel)
				set_enum(fn, "fn_ret_thunk_extern",
					0); /* so ward_link leaves room for a jump at each return */
		}
}
