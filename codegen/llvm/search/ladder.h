/* SPDX-License-Identifier: Apache-2.0 */
/* Guards by need: compile, prove, guard what failed, and again. */
#ifndef WARD_LLVM_LADDER_H
#define WARD_LLVM_LADDER_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

#include "codegen/codegen.h"
#include "codegen/llvm/guard/trap.h"
#include "ward/verify.h"

struct build_options {
	bool kernel;
	bool always;     /* guard every access and every loop */
	bool never;      /* guard nothing */
	bool object;     /* not the module */
	bool report;     /* print what was proven and what is guarded */
	uint64_t rounds; /* of a loop that nothing else bounds; 0: the default */
	struct ward_verify_options limits;
	const struct traps *stops; /* that the module calls already */
	/* the loops of which it was said that nothing ends them */
	const struct diags *endless;
};

/* An object and, if it was accepted, the module that was: linked, with its proof. */
struct built {
	LLVMMemoryBufferRef object;
	struct ward_buf module; /* no data: not accepted, or not judged */
};

/*
 * Make an object of the optimised and lowered module, which was `source` before, with guards where a proof fails
 * without. False: there is none, and an error was printed. What can't be proven comes without a module, and is left for
 * the caller's verifier to report. To be freed by the caller in either case.
 */
bool build(LLVMModuleRef base, LLVMModuleRef source, LLVMTargetMachineRef tm, const struct build_options *options,
	struct built *b);
/*
 * The same of a module with functions that stay functions (prepare/calls.h), without other ways to write it. Returns
 * whether it was accepted; if not, nothing is left in *b.
 */
bool build_with_calls(
	LLVMModuleRef base, LLVMTargetMachineRef tm, const struct build_options *options, struct built *b);
void built_free(struct built *b);

#endif
