/* Guards by need: compile, prove, guard what failed, and again. */
#ifndef WARD_LLVM_ROUNDS_H
#define WARD_LLVM_ROUNDS_H

#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

#include "ward/verify.h"

struct build_options {
	bool kernel;
	bool always; /* guard every access and every loop */
	bool never;  /* guard nothing */
	bool report; /* print what was proven and what is guarded */
	struct ward_verify_options limits;
};

/*
 * Make an object of the optimised and lowered module, which was `source` before, with guards where a proof fails without. Returns it, to be disposed of by the caller,
 * or NULL after an error that was printed. What still can't be proven is left for the caller's verifier to report.
 */
LLVMMemoryBufferRef build(LLVMModuleRef base, LLVMModuleRef source, LLVMTargetMachineRef tm, const struct build_options *options);

#endif
