/* SPDX-License-Identifier: Apache-2.0 */
/* What a probe may contain: everything that is refused, and what is warned of. */
#ifndef WARD_LLVM_DIALECT_H
#define WARD_LLVM_DIALECT_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "codegen/llvm/ir/diag.h"

/* What there is instead of an atomic update for which there is no instruction. */
extern const char update_hint[];

/* What the dialect refuses but for recursion, on unoptimised code. */
void check_dialect(LLVMModuleRef m, bool kernel, struct diags *d);
/* What it permits and is hardly meant: loops that nothing ends, and anything else. */
void warn_of_endless_loops(LLVMModuleRef m, struct diags *d);
void warn(LLVMModuleRef m, bool kernel, struct diags *d);
/* Calls that come back to their function. */
void check_cycles(LLVMModuleRef m, struct diags *d);
/* Initialisers with addresses that no module can hold. On optimised code, which knows what is never written. */
void check_initialisers(LLVMModuleRef m, struct diags *d);
/*
 * What it refuses for where addresses lead to, on optimised code; in the kernel's profile variables as well that all
 * threads share.
 */
/* `max_stack`: bytes that the verifier will allow; 0: as many as it does by default. */
void check_escapes(LLVMModuleRef m, bool kernel, uint32_t max_stack, struct diags *d);

#endif
