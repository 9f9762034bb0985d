/* Functions that are left in every way, and how often they were: returns.c. */
#ifndef WARD_TESTS_LOADER_RETURNS_H
#define WARD_TESTS_LOADER_RETURNS_H

/* returns THREADS ROUNDS: call them all; then a line "NAME COUNT SUM" for each, of their returns and what they returned. `begin` is called when all is ready. */
int returns(long threads, long rounds, void (*begin)(void));

#endif
