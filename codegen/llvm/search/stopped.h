/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings of places where every run stops. stopped.c describes how. */
#ifndef WARD_LLVM_STOPPED_H
#define WARD_LLVM_STOPPED_H

#include "plan_from_verdict.h"

#include "codegen/llvm/guard/trap.h"

/*
 * Of what is accepted with the guards that are planned: print where every run that comes there is stopped. `said` are
 * the loops of which that was said before. Returns false if there is no memory, or after an error of LLVM that it has
 * printed.
 */
bool warn_of_stopped(
	struct planner *planner, LLVMTargetMachineRef tm, const struct traps *stops, const struct diags *said);

#endif
