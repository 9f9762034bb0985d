/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's sources, as the front end wrote them: read, and made one module. */
#ifndef WARD_LLVM_SOURCES_H
#define WARD_LLVM_SOURCES_H

#include <llvm-c/Core.h>
#include <stddef.h>

#include "codegen/llvm/ir/diag.h"

/*
 * Read n modules: the first from standard input, the others from descriptors 3 and up. Returns the module of all of
 * them, or NULL: then the files contradict each other, which is in `d`, or something else is wrong, which was printed.
 */
LLVMModuleRef read_sources(LLVMContextRef ctx, size_t n, struct diags *d);

#endif
