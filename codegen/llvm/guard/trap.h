/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traps: where a run ends that a guard stops.
 *
 * Behind the state there is room, and then one counter for each place in the source at which a guard may stop a run.
 * So the reader knows where runs were stopped. A run that is stopped counts there and returns; what it has written
 * until then stays.
 */
#ifndef WARD_LLVM_TRAP_H
#define WARD_LLVM_TRAP_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "codegen/llvm/ir/diag.h"

struct trap {
	char *file;
	unsigned line;
	const char *what; /* static: "access", "loop", "rounds", "divisor", "assert", "call" */
	/* of the function that is being lowered: where a run ends that is stopped here; or NULL */
	LLVMBasicBlockRef stop;
};

struct traps {
	struct trap *list;
	int n;
	uint64_t room; /* bytes behind the state that guarded accesses may reach */
};

/* The number of the trap of a place, a new one if need be; -1 if there is no memory. */
int trap_at(struct traps *t, struct place at, const char *what);
/* A further one. -1 if there is no memory. */
int trap_add(struct traps *t, const char *file, unsigned line, const char *what);
/* The function that guards call, with a trap's number, and that never returns. */
LLVMValueRef trap_function(LLVMModuleRef m);
/* The branch's first way, to a trap, is not expected. */
void mark_unlikely(LLVMValueRef branch);
/* The branch's first way is one that a loop ends by. */
void mark_some(LLVMValueRef branch);
/* Make of each call of it a count in the state, and a return. */
void lower_traps(LLVMModuleRef m, struct traps *t, uint64_t state_size);
/* Describe the traps to the linker, in a section of the object that is not loaded: see spec/module.md, .ward.traps. */
void describe_traps(LLVMModuleRef m, const struct traps *t, uint64_t state_size);
void traps_free(struct traps *t);

#endif
