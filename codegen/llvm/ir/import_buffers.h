/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that a call passes to an import. */
#ifndef WARD_LLVM_LENT_H
#define WARD_LLVM_LENT_H

#include <llvm-c/Core.h>
#include <stdbool.h>

struct lent {
	unsigned address, length; /* operands of the call */
	bool written;
};

enum { MAX_LENT = 6 };
/* Those of an instruction: none, if it calls no import. Returns how many. */
unsigned lent_by(LLVMValueRef inst, struct lent found[MAX_LENT]);

#endif
