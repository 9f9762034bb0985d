/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with every kind of exit, and how often they returned: returns.c. */
#ifndef WARD_TESTS_LOADER_RETURNS_H
#define WARD_TESTS_LOADER_RETURNS_H

/*
 * returns THREADS ROUNDS: call them all; then a line "NAME COUNT SUM" for each, of their returns and what they
 * returned. `begin` is called when all is ready.
 */
int returns(long threads, long rounds, void (*begin)(void));

/*
 * deep ROUNDS DEPTH: calls as deep as that, every seventh of which leaves them all by longjmp; then "calls N returned
 * N".
 */
int deep(long rounds, long depth, void (*begin)(void));

#endif
