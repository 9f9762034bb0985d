/* SPDX-License-Identifier: Apache-2.0 */
/* One trial: the module is compiled with what is planned, and the verifier is asked. trial.c describes how. */
#ifndef WARD_LLVM_TRIAL_H
#define WARD_LLVM_TRIAL_H

#include "rounds.h"

/* What stands for lines in the debug information. */
enum lines_are {
	TRUE_LINES,
	LOOPS_LINES /* where a loop begins, its own: for what is refused for loops */,
	NUMBERS,
	NO_LINES /* nor anything else */
};

/* The object of the module with the plan's guards; NULL if it can't be made, and an error was printed. */
LLVMMemoryBufferRef object_compile(struct rounds *r, enum lines_are lines);

/* With what proof? */
enum proof { NO_PROOF, DRAFT, PROOF };

/* Link the object. Returns false if it can't be linked, and an error was printed. */
bool link_object(const struct rounds *r, LLVMMemoryBufferRef object, int64_t state_size, enum proof proof,
	struct ward_buf *module);
/*
 * The verdict on the object, linked in *module. `state_size`: the size of the state, if the object has no debug
 * information that describes it; else -1.
 */
struct ward_verdict *object_judge(const struct rounds *r, LLVMMemoryBufferRef object, int64_t state_size,
	enum proof proof, struct ward_buf *module);

/* The most that a run of each of the module's functions takes, all together. */
uint64_t insns_of(const struct ward_verdict *verdict);

bool plan_is_empty(const struct plan *p);

#endif
