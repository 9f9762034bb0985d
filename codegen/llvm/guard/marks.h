/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: which guards, loops and functions a run can get through. marks.c describes how. */
#ifndef WARD_LLVM_MARKS_H
#define WARD_LLVM_MARKS_H

#include "codegen/llvm/ir/cfg.h"

#include <llvm-c/TargetMachine.h>

struct mark {
	const char *what; /* static: as of a trap, or "loop" or "run" */
	int at;           /* the number of the guarded instruction, or of the first one of the loop or function */
	bool reached, passed;
};

struct marks {
	struct mark *list;
	int n, cap;
};

/* A further one. -1: no memory. */
int mark_add(struct marks *marks, int at, const char *what);
/* Mark where the builder is: a run that comes here has reached that place, or has passed it. */
void mark_reached(LLVMModuleRef m, LLVMBuilderRef b, int mark);
void mark_passed(LLVMModuleRef m, LLVMBuilderRef b, int mark);
/*
 * Mark a function whose instructions have these numbers. A loop is reached where it goes back, and passed where it is
 * left; edges between two blocks that have others are split. False: no memory.
 */
bool marks_of_function(struct marks *marks, LLVMModuleRef m, const struct flow *f, const struct index *numbers);
/* Optimise the module, which is of no use then, and note which marks a run can come to. */
bool marks_read(struct marks *marks, LLVMModuleRef m, LLVMTargetMachineRef tm);
void marks_free(struct marks *marks);

#endif
