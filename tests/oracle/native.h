/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one machine instruction on the processor, from a given state of registers, flags and memory, and records what
 * it did.
 *
 * Everything lives in one arena below 2 GiB. So the code around the instruction can load and store all sixteen
 * registers, the stack pointer included, through absolute 32-bit addresses, and needs no register of its own. Each
 * region of memory lies between pages that can't be touched; a fault of any kind is caught and reported. The code
 * also loads and stores the xmm registers of SSE2.
 */
#ifndef WARD_TESTS_NATIVE_H
#define WARD_TESTS_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order of the verifier's regions; the last four are windows that a caller lends. */
enum {
	NATIVE_EVENT,
	NATIVE_STATE,
	NATIVE_STACK,
	NATIVE_RODATA,
	NATIVE_DATA,
	NATIVE_LENT,
	NATIVE_REGIONS = NATIVE_LENT + 4
};

enum {
	NATIVE_REGION_BYTES = 4096, /* each region lies somewhere in as much writable memory */
	NATIVE_CODE_BYTES = 4096,
};

enum native_outcome { NATIVE_FELL_THROUGH, NATIVE_BRANCHED, NATIVE_FAULTED };

/* Flags as in RFLAGS. */
enum {
	NATIVE_CF = 1,
	NATIVE_PF = 4,
	NATIVE_AF = 16,
	NATIVE_ZF = 64,
	NATIVE_SF = 128,
	NATIVE_DF = 1024,
	NATIVE_OF = 2048,
	NATIVE_AC = 1 << 18
};

/* All exceptions masked, none seen. */
enum { NATIVE_MXCSR = 0x1f80 };

struct native_regs {
	uint64_t reg[16]; /* encoding order */
	uint64_t flags;
	uint64_t xmm[16][2];
	uint32_t mxcsr; /* afterwards; it begins as NATIVE_MXCSR */
};

struct native {
	uint8_t *arena;                  /* start; also the base of the "module" */
	uint8_t *insn;                   /* where the instruction under test stands */
	uint64_t taken;                  /* address that a branch under test must go to */
	uint8_t *region[NATIVE_REGIONS]; /* NATIVE_REGION_BYTES each */
	int signal;                      /* of the last fault */
	/* NATIVE_DF, NATIVE_AC: set while it runs; the code around it is aligned, and has no string instruction */
	uint64_t set_flags;
};

/* Map the arena and install the signal handlers, once. Returns false if the system refuses. */
bool native_init(struct native *n);

/* Place the instruction under test. `size` is at most 15. */
void native_place(struct native *n, const uint8_t *insn, size_t size);

/* Run it from `in` (flags: only the six status flags are used) and fill `out`. */
enum native_outcome native_run(struct native *n, const struct native_regs *in, struct native_regs *out);

/* Do the flags say `cond`, by the number that conditions have in opcodes? */
bool native_condition(uint64_t flags, unsigned cond);

void native_free(struct native *n);

#endif
