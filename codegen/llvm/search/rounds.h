/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of guards: compile, prove, guard what failed, and again. rounds.c describes how. */
#ifndef WARD_LLVM_ROUNDS_H
#define WARD_LLVM_ROUNDS_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stdint.h>

#include "ladder.h"
#include "plan_from_verdict.h"

/* Ways to make code of a module, each slower or longer than the one before and easier to prove: ladder.c. */
enum rung { AS_IS, APART, CAREFULLY, ALL_GUARDED, UNOPTIMISED, RUNGS };

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

/* Begin with this module and an empty plan. Returns false if there is no memory. */
bool rounds_start(struct rounds *r, LLVMModuleRef base);

enum outcome { ACCEPTED, MORE, STUCK, TOO_LONG, HOPELESS };

/* Plan guards of this rung, until the code is accepted or there is nothing left to plan. */
enum outcome all_rounds(struct rounds *r);

#endif
