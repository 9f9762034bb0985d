/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's side of imports in the sandbox. A module's slots lead to memory that is never executed. When control
 * gets there, the host checks the call by its row of import.def and serves it: every buffer must lie in granted
 * memory and is written whole, and everything that the row permits to change changes.
 */
#ifndef WARD_TESTS_HOST_H
#define WARD_TESTS_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/ucontext.h>

#include "ward/verify.h"

enum host_region { HOST_EVENT, HOST_STATE, HOST_RODATA, HOST_DATA, HOST_REGIONS };

struct host {
	const struct ward_module_facts *facts;
	struct {
		uint64_t start, size;
	} region[HOST_REGIONS];
	uint64_t image, entry_rsp; /* addresses */
	/* Of the run at hand: */
	unsigned which;   /* of the two hosts */
	uint64_t gate;    /* where its imports are */
	uint64_t answers; /* seed of what the probe gets to see: the same for both hosts */
	uint64_t own;     /* and of what it doesn't */
	uint64_t digest;  /* of what the imports were given */
	unsigned calls;
};

/* False: no memory. */
bool host_init(struct host *h);
/* Before a run: puts the addresses of host `which` into the slots (rodata must be writable), and starts anew. */
void host_begin(struct host *h, unsigned which, uint64_t answers, uint64_t own);

/* The module's import at an address, or -1. */
int host_import_at(const struct host *h, uint64_t rip);
/* What a call of it cost, in instructions and bytes of stack. */
struct host_cost {
	uint64_t insns, stack;
};
/* Serve a call at whose start the registers are `regs`, and return from it. NULL, or what was wrong with it. */
const char *host_serve(struct host *h, unsigned import, greg_t *regs, struct host_cost *cost);

#endif
