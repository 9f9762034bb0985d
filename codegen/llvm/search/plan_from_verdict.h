/* SPDX-License-Identifier: Apache-2.0 */
/* What a verdict asks for: for each violation, what the next round is to guard. */
#ifndef WARD_LLVM_PLAN_FROM_VERDICT_H
#define WARD_LLVM_PLAN_FROM_VERDICT_H

#include <llvm-c/Target.h>
#include <stdbool.h>

#include "codegen/llvm/guard/guard.h"
#include "lines.h"
#include "codegen/codegen.h"
#include "codegen/llvm/guard/plan.h"
#include "ward/verify.h"

/* What a round plans: the first of these that asks for anything. */
enum stage { LOOPS, LOADED, MERGED, COMPUTED, LAST_STAGE = COMPUTED };

struct planner {
	LLVMModuleRef base; /* what is guarded: optimised and lowered */
	LLVMTargetDataRef layout;
	struct numbering origin;
	struct plan plan;
	struct guard_options guard;
	int round;
	enum stage stage;
	bool progress, postponed;
	bool sure;    /* what is wanted next is what the violation is about */
	bool pointer; /* and that is for an address that isn't known to be one */
};

/* Returns false if there is no memory. Release with planner_free in either case. */
bool planner_init(struct planner *r, LLVMModuleRef base, const struct guard_options *guard);
void planner_free(struct planner *r);

/*
 * Plan what the violations of a module whose lines are instructions' numbers ask for. Returns whether there was
 * anything new.
 */
bool plan_from_verdict(struct planner *r, const struct lines *lines, const struct ward_buf *module,
	const struct ward_verdict *verdict);
/* Is a violation of them in a function that can have no guards, because it isn't a probe's? */
bool is_beyond_guards(const struct planner *r, const struct lines *lines, const struct ward_verdict *verdict);
/* Plan guards of all accesses and divisors; counters for all loops, which stop nothing that is proven to end. */
void want_accesses(struct planner *r, const char *why);
void want_loops(struct planner *r, const char *why);
/* Plan guards of all accesses in the loop whose head begins with that instruction. */
void want_accesses_in_loop(struct planner *r, int i, const char *why);

#endif
