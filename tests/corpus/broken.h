/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attacks on the file: a good module with some of its bytes changed. The verifier must refuse each for its own
 * reason.
 */
#ifndef WARD_TESTS_BROKEN_H
#define WARD_TESTS_BROKEN_H

#include "edit.h"
#include "ward/verify.h"

enum { BROKEN_BASES = 8 };

struct broken {
	struct ward_buf base[BROKEN_BASES];
	unsigned rejecting[WARD_RULE_COUNT], accepting[WARD_RULE_COUNT]; /* tests passed, by rule */
};

/* Build the modules of assembly files in `folder` (in `dir`). False with a message. */
bool broken_open(struct broken *b, const char *folder, const char *dir);
void broken_close(struct broken *b);

unsigned broken_ways(void);
const char *broken_name(unsigned way);
/* The kind of attack, by classes.h: elf, note or proof, whichever is lied about. */
const char *broken_class(unsigned way);
/* Break a module in this way and hold the verdict's first violation against what it should be. */
bool broken_try(struct broken *b, unsigned way);

#endif
