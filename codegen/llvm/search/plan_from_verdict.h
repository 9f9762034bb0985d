/* SPDX-License-Identifier: Apache-2.0 */
/* What a verdict asks for: for each violation, what the next round is to guard. */
#ifndef WARD_LLVM_ANSWER_H
#define WARD_LLVM_ANSWER_H

#include <llvm-c/Target.h>
#include <stdbool.h>

#include "codegen/llvm/guard/guard.h"
#include "lines.h"
#include "codegen/codegen.h"
#include "codegen/llvm/guard/plan.h"
#include "ward/verify.h"

/* What a round plans: the first of these that asks for anything. */
enum stage { LOOPS, LOADED, CHOSEN, COMPUTED, LAST_STAGE = COMPUTED };

struct answers {
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

/* Returns false if there is no memory. Release with answers_free in either case. */
bool answers_init(struct answers *r, LLVMModuleRef base, const struct guard_options *guard);
void answers_free(struct answers *r);

/*
 * Plan what the violations of a module whose lines are instructions' numbers ask for. Returns whether there was
 * anything new.
 */
bool answer_all(struct answers *r, const struct lines *lines, const struct ward_buf *module,
	const struct ward_verdict *verdict);
/* Plan guards of all accesses and divisors; counters for all loops, which stop nothing that is proven to end. */
void want_accesses(struct answers *r, const char *why);
void want_loops(struct answers *r, const char *why);

#endif
