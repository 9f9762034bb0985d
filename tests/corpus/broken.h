/* Attacks on the file: a good module with some of its bytes changed. */
#ifndef WARD_TESTS_BROKEN_H
#define WARD_TESTS_BROKEN_H

/*
 * Build modules of assembly files in `folder` (in `dir`), break them in each way of the table, and hold the verdict's first violation against the
 * table. Counts per rule go to rejecting and accepting. Returns how many ways there are.
 */
unsigned broken_run(const char *folder, const char *dir, unsigned *rejecting, unsigned *accepting, unsigned *passed, unsigned *failed);

#endif
