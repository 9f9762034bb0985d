/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that a call passes to an import. */
#ifndef WARD_LLVM_IMPORT_BUFFERS_H
#define WARD_LLVM_IMPORT_BUFFERS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

struct import_buffer {
	unsigned address, length; /* operands of the call */
	bool written;
};

enum { MAX_IMPORT_BUFFERS = 6 };
/* Those of an instruction: none, if it calls no import. Returns how many. */
unsigned import_buffers_of(LLVMValueRef inst, struct import_buffer found[MAX_IMPORT_BUFFERS]);

#endif
