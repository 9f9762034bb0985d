/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of proofs: for each statement, the hash of the question that was proven last. */
#ifndef WARD_Z3_LOCK_H
#define WARD_Z3_LOCK_H

#include "tests/z3/statements/statement.h"

/* Write each statement's question, in so many processes, and compare it with the lock; print what differs. */
void lock_open(const char *path, const struct query *list, unsigned n, unsigned jobs, unsigned seed);
/* Must it be proven: has its question changed, or is it in the drawn twentieth? */
bool lock_wants(unsigned i);
void lock_proven(unsigned i);
/* Is the lock as it should be? If not, this prints a line that says so. */
bool lock_agrees(void);
/* Write it anew, from what is proven. */
void lock_write(void);

#endif
