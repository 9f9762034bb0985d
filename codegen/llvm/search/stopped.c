/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places where every run stops: guards that no run gets through, loops that no run leaves, and at last probes of which
 * every run is stopped, wherever that is.
 *
 * The optimiser makes several copies of one place of the source, of which one may always stop and another may not, as
 * where it knows that a pointer is NULL. So there is a warning only if every copy always stops. Copies by inlining are
 * places of their own, and are named by the calls.
 */
#include "stopped.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/guard/fuel.h"
#include "codegen/llvm/guard/marks.h"
#include "codegen/llvm/guard/stops.h"
#include "codegen/llvm/ir/address.h"
#include "codegen/llvm/ir/loop_place.h"
#include "codegen/llvm/ir/probe.h"
#include "codegen/llvm/prepare/loop_bound.h"

struct stopped {
	struct planner *planner;
	struct marks marks;
	bool *always;         /* by instruction: no run gets through its guard, */
	bool *loop;           /* nor through the loop that it begins, */
	struct index succeed; /* what may succeed: by location and kind */
	struct diags found;
};

/* Of one location the accesses of different opcodes are different places, and so is a loop, with kind 0. */
static const void *place_key(LLVMMetadataRef location, int kind)
{
	return (const char *)(const void *)location + kind;
}

/* Every place at which a loop may be left, and an access may succeed. */
static bool note_loops(struct stopped *s, const struct flow *f)
{
	bool ok = true;

	for (int l = 0; ok && l < f->n; l++) {
		int i = index_get(&s->planner->origin.number, LLVMGetFirstInstruction(f->block[l]), -1);
		LLVMMetadataRef location = f->head[l] ? location_of_loop(f, l) : NULL;

		if (location && i >= 0 && !s->loop[i])
			ok = index_set(&s->succeed, place_key(location, 0), 1);
	}
	return ok;
}

static bool note_accesses(struct stopped *s)
{
	bool ok = true;

	for (int i = 0; ok && i < s->planner->origin.n; i++) {
		LLVMValueRef inst = s->planner->origin.inst[i];
		LLVMMetadataRef location = LLVMInstructionGetDebugLoc(inst);

		if (location && !s->always[i])
			ok = index_set(&s->succeed, place_key(location, (int)LLVMGetInstructionOpcode(inst)), 1);
	}
	return ok;
}

/* ", inlined for the call at FILE:LINE:COLUMN" of each call, the innermost first. */
static void describe_calls(LLVMModuleRef m, LLVMMetadataRef location, char *text, size_t size)
{
	LLVMMetadataRef call = LLVMDILocationGetInlinedAt(location);

	*text = 0;
	for (; call; call = LLVMDILocationGetInlinedAt(call)) {
		struct place at = place_of_location(m, call);
		size_t n = strlen(text);

		snprintf(text + n, size - n, "%s %.100s:%u:%u", n ? "," : ", inlined for the call at", at.file, at.line,
			at.column);
	}
}

static bool fails_in_all_copies(const struct stopped *s, LLVMMetadataRef location, int kind)
{
	return location && !index_get(&s->succeed, place_key(location, kind), 0);
}

static void warn_of_guard(struct stopped *s, const struct mark *mark)
{
	LLVMValueRef inst = s->planner->origin.inst[mark->at];
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(inst);
	char calls[240];

	if (!fails_in_all_copies(s, location, (int)LLVMGetInstructionOpcode(inst)))
		return;
	describe_calls(s->planner->base, location, calls, sizeof(calls));
	diag_add(&s->found, place_of_instruction(inst), NULL,
		"this access never succeeds: every run that reaches it stops%s", calls);
}

static bool is_said(const struct diags *said, const struct place *at)
{
	for (size_t i = 0; i < said->n; i++)
		if (said->list[i].at.line == at->line && !strcmp(said->list[i].at.file, at->file))
			return true;
	return false;
}

static void warn_of_loop(struct stopped *s, const struct flow *f, int head, const struct diags *said)
{
	LLVMMetadataRef location = location_of_loop(f, head);
	int i = index_get(&s->planner->origin.number, LLVMGetFirstInstruction(f->block[head]), -1);
	const struct planned *of = i >= 0 && s->loop[i] ? &s->planner->plan.of[i] : NULL;
	struct place at = place_of_loop(f, head);
	uint64_t rounds = of ? rounds_until_stop(f->block[head], of, s->planner->guard.fuel) : 0;
	char calls[160];

	if (!of || !fails_in_all_copies(s, location, 0) || is_said(said, &at))
		return;
	describe_calls(s->planner->base, location, calls, sizeof(calls));
	if (!rounds)
		diag_add(&s->found, at, NULL, "no run leaves this loop: each is stopped in it%s", calls);
	else if (bound_of(f->block[head]))
		diag_add(&s->found, at, "let it go round less often, or raise its WARD_BOUND",
			"no run leaves this loop: each is stopped after %llu rounds, its WARD_BOUND, at the latest%s",
			(unsigned long long)rounds, calls);
	else
		diag_add(&s->found, at,
			"let it go round less often, or allow more: WARD_BOUND(n) before it, --rounds N, --max-insns",
			"no run leaves this loop: each is stopped after %llu rounds at the latest%s: %s",
			(unsigned long long)rounds, calls, of->why[2]);
}

/* The optimiser's copies of a loop are looked at first, all of them. */
static bool warn_of_loops(struct stopped *s, const struct diags *said)
{
	bool ok = true;

	for (int pass = 0; ok && pass < 2; pass++)
		for (LLVMValueRef fn = LLVMGetFirstFunction(s->planner->base); ok && fn; fn = LLVMGetNextFunction(fn)) {
			struct flow f = {0};

			if (!is_entry(fn) || LLVMIsDeclaration(fn))
				continue;
			ok = flow_init(&f, fn) && (pass || note_loops(s, &f));
			for (int l = 0; ok && pass && l < f.n; l++)
				if (f.head[l])
					warn_of_loop(s, &f, l, said);
			flow_free(&f);
		}
	return ok;
}

/* Where the place of the stop isn't known. */
static void warn_of_run(struct stopped *s, const struct mark *mark)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(s->planner->origin.inst[mark->at]));
	char name[256];

	diag_add(&s->found, place_of_function(fn), "ward cc --report has what is guarded, and why",
		"every run of '%s' is stopped", name_in_source(fn, name, sizeof(name)));
}

static bool is_mark(const struct mark *mark, const char *what)
{
	return !strcmp(mark->what, what) && mark->at >= 0 && mark->reached && !mark->passed;
}

static bool stopped_find(struct stopped *s, const struct diags *said)
{
	const struct marks *marks = &s->marks;
	bool ok;

	for (int k = 0; k < marks->n; k++) {
		if (is_mark(&marks->list[k], "loop"))
			s->loop[marks->list[k].at] = true;
		else if (is_mark(&marks->list[k], "access"))
			s->always[marks->list[k].at] = true;
	}
	ok = note_accesses(s);
	for (int k = 0; ok && k < marks->n; k++)
		if (is_mark(&marks->list[k], "access"))
			warn_of_guard(s, &marks->list[k]);
	ok = ok && warn_of_loops(s, said);
	for (int k = 0; ok && k < marks->n && !s->found.n && !said->n; k++)
		if (is_mark(&marks->list[k], "run"))
			warn_of_run(s, &marks->list[k]);
	return ok && !s->found.no_memory;
}

/* The marks of a module with the plan's guards. */
static bool marks_make(struct stopped *s, LLVMTargetMachineRef tm, const struct traps *stops)
{
	LLVMModuleRef m = LLVMCloneModule(s->planner->base);
	struct guard_options options = s->planner->guard;
	struct numbering x = {0};
	struct traps traps = {0};
	bool ok = m && copy_traps(&traps, stops) && number_instructions(&x, m);

	options.marks = &s->marks;
	ok = ok && insert_guards(m, tm, &x, &s->planner->origin, &s->planner->plan, &options, &traps) &&
	     marks_read(&s->marks, m, tm);
	numbering_free(&x);
	traps_free(&traps);
	if (m)
		LLVMDisposeModule(m);
	return ok;
}

bool warn_of_stopped(
	struct planner *planner, LLVMTargetMachineRef tm, const struct traps *stops, const struct diags *said)
{
	size_t n = (size_t)planner->origin.n + 1;
	struct stopped s = {
		.planner = planner, .always = calloc(n, 1), .loop = calloc(n, 1), .found = {.are_warnings = true}};
	bool ok = s.always && s.loop && marks_make(&s, tm, stops) && stopped_find(&s, said);

	diag_print(&s.found);
	diag_free(&s.found);
	marks_free(&s.marks);
	index_free(&s.succeed);
	free(s.always);
	free(s.loop);
	return ok;
}
