/* SPDX-License-Identifier: Apache-2.0 */
/* Loops in one another that count their rounds together. */
#ifndef WARD_LLVM_NESTS_H
#define WARD_LLVM_NESTS_H

#include "plan_from_verdict.h"

/* Is one planned? */
bool has_nest(const struct planner *r);
/* Is the loop that a module is refused for one that goes round equally often in every run? */
bool blames_constant(const struct planner *r, const struct lines *lines, const struct ward_verdict *verdict);
/*
 * Plan one counter for each nest of the functions that a module is refused for because a run may take too long: the
 * lines of its addresses are instructions' numbers. If they have counters already, these get fewer rounds: `worst` is
 * how many instructions a run may take now. Returns whether there was anything new.
 */
bool plan_nests(struct planner *r, const struct lines *lines, const struct ward_verdict *verdict, uint64_t worst,
	uint64_t limit);
/* Warn of nests that may stop a run, each at its line. */
void warn_of_nests(const struct planner *r);

#endif
