/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of the dialect, to which C gives a meaning whatever the event holds. */
#ifndef WARD_TEST_DIALECT_GENERATE_H
#define WARD_TEST_DIALECT_GENERATE_H

#include <stdint.h>
#include <stdio.h>

/*
 * Write program `number` of this seed; its probe function is named probe_NUMBER. If it speaks of SECOND_NUMBER it is of
 * two files: the second is the same with that defined.
 */
void generate(FILE *out, uint64_t seed, unsigned number);

#endif
