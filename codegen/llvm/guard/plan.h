/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is to be guarded: for each instruction of the optimised module, by its number (its place in the module, from
 * 0), what must be checked before it runs, and what the verifier said that made it necessary.
 */
#ifndef WARD_LLVM_PLAN_H
#define WARD_LLVM_PLAN_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "codegen/llvm/ir/ptr_map.h"

enum want {
	WANT_ACCESS = 1,  /* the address of a load, store or copy */
	WANT_DIVISOR = 2, /* a divisor that isn't zero */
	/* of a loop, at the first instruction of its head: a number of rounds after which it is ended */
	WANT_FUEL = 4,
	/*
	 * the address of an access that is checked already: go through the base and what was checked, not through the
	 * pointer that was loaded; of a variable: make the index a number
	 */
	WANT_COUNTED = 8,
	/*
	 * of a loop, likewise: a number of rounds that nothing ever takes. It gives the proof something to count by,
	 * and ends no loop
	 */
	WANT_COUNTER = 16,
	WANT_ZEROS = 32,  /* of a variable: zeros before anything else */
	WANT_BUFFER = 64, /* of a call of an import: where its buffer begins and ends */
	WANT_OWN = 128,   /* the address of an access that is checked already: by a guard of its own, right before it */
	/* the address of an access where the pointer that it is counted from is checked already: not that pointer */
	WANT_EACH = 256,
	/* of a loop, likewise: a number of rounds, counted together with all loops in it, after which they are ended */
	WANT_NEST = 512,
};

enum { WANTS = 10 };

struct planned {
	uint16_t want; /* enum want */
	bool sure;     /* the verifier's complaint was about this very instruction, as far as anyone can tell */
	uint64_t room; /* bytes that must be granted behind what its buffer lies in */
	/* whose guard does for its access, in the code that was made last: that instruction's number + 1, or 0 */
	int by;
	bool ahead;       /* in the code that was made last, its guard checks the pointer that it is counted from */
	int round[WANTS]; /* by the bit's number: when it was wanted first */
	char *why[WANTS]; /* malloc'd, or NULL */
};

struct plan {
	struct planned *of;
	int n;
};

/* The instructions of a module by number, and back. A clone of a module has the same numbers. */
struct numbering {
	LLVMValueRef *inst;
	int n;
	struct index number;
};

bool number_instructions(struct numbering *x, LLVMModuleRef m);
void numbering_free(struct numbering *x);

/* Want one thing more of instruction i. Returns false if an earlier round wanted that already. */
bool plan_want(struct plan *p, int i, enum want want, int round, const char *why);
void plan_free(struct plan *p);

#endif
