/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of proofs: of each statement the question that was proven last, as a number. */
#ifndef WARD_Z3_LOCK_H
#define WARD_Z3_LOCK_H

#include "statement.h"

/* Ask each of these statements what its question is, in so many processes, and hold that against the lock; prints what
 * differs. */
void lock_open(const char *path, const struct query *list, unsigned n, unsigned jobs, unsigned seed);
/* Is it to be proven: has its question changed, or is it one of the twentieth that is drawn? */
bool lock_wants(unsigned i);
void lock_proven(unsigned i);
/* False, and a line that says so: the lock is not what it should be. */
bool lock_agrees(void);
/* Write it anew, of what is proven. */
void lock_write(void);

#endif
