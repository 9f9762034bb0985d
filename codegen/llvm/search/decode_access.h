/* SPDX-License-Identifier: Apache-2.0 */
/* What an instruction of a linked module does to memory. */
#ifndef WARD_LLVM_DECODE_ACCESS_H
#define WARD_LLVM_DECODE_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct touched {
	uint64_t size;        /* bytes; 0: not known */
	int64_t displacement; /* the constant in the address */
	bool moves;           /* a load or a store and nothing else */
};

/* Of the instruction at an address of the module at `file`. */
struct touched touched_at(const void *file, size_t size, uint64_t pc);

#endif
