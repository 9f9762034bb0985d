/* SPDX-License-Identifier: Apache-2.0 */
/* Fuel: loops that are stopped after a number of rounds. */
#ifndef WARD_LLVM_FUEL_H
#define WARD_LLVM_FUEL_H

#include "codegen/llvm/ir/cfg.h"
#include "guard.h"
#include "plan.h"
#include "trap.h"

/*
 * Give each loop of the function whose head the plan names a counter of its own, that many rounds as the loop says
 * (WARD_BOUND) or else as the options do; and each nest that it names one for all of its loops. `origin` are the
 * instructions at their places in the source. Returns false if there is no memory.
 */
bool insert_fuel(LLVMModuleRef m, const struct flow *f, const struct numbering *x, const struct numbering *origin,
	const struct plan *plan, const struct guard_options *options, struct traps *traps);

/* The head of the planned nest that the loop with this head is in, its own perhaps; FLOW_NONE: it is in none. */
int nest_of(const struct flow *f, const struct numbering *x, const struct plan *plan, int head);

/*
 * How many rounds the loop with that head may go until it is stopped, as the plan has it and insert_fuel does it. 0: it
 * isn't stopped; the plan has no counter for it, or one that no run uses up.
 */
uint64_t rounds_until_stop(LLVMBasicBlockRef head, const struct planned *of, uint64_t fuel);

/*
 * Is there a way back that has to have a block of its own, or a counter would be taken down elsewhere too: where a
 * block goes back to the heads of two loops? Then no edge may lead from a block with several successors to one with
 * several predecessors.
 */
bool fuel_needs_edges(const struct flow *f, const struct numbering *x, const struct plan *plan);

#endif
