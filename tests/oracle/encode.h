/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of isa.def as test cases, and random instructions of each. */
#ifndef WARD_TESTS_ENCODE_H
#define WARD_TESTS_ENCODE_H

#include "machine.h"

enum { MAX_INSN = 15, MAX_CASES = 2048 };

/*
 * One row in one form, at one width; of a family, one condition; of an extension, one source width; of bytes, which are
 * upper ones.
 */
struct insn_case {
	enum wv_op op;
	const char *name; /* of the row */
	char form[4];
	unsigned width, source; /* bits; source 0: as width */
	unsigned cond;
	unsigned high; /* mask of operands that are ah, ch, dh or bh */
	bool lock;
	uint32_t feature; /* of the processor, that it takes to run it */
	const char *defines, *undefines;
};

/* All cases of the table. Returns how many. */
size_t insn_cases(struct insn_case *cases, size_t room);

/* Is it a jump, call, return or trap, which ends a sequence? */
bool insn_ends(const struct insn_case *c);

/*
 * Encode a random instruction of the case whose operands are, more often than not, what the world allows. It will stand
 * at w->native->insn. What was meant goes to *meant, in the verifier's terms and without its help. Returns the length,
 * 0 if this draw can't be encoded.
 */
size_t insn_encode(struct world *w, const struct insn_case *c, uint8_t bytes[MAX_INSN], struct wv_insn *meant);

#endif
