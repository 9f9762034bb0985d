/* SPDX-License-Identifier: Apache-2.0 */
/* Files made to keep a program busy, and how much they may cost it. */
#ifndef WARD_BENCH_HOSTILE_H
#define WARD_BENCH_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/verifier/build_module.h" /* struct bm_bytes: the file that is made */

/*
 * A row of the table: a kind of file, which grows with n. `make` appends the bytes of a file to `out`, whose name ends
 * with `suffix`. It is made with n, 2n and 4n, and the program is run on each: its arguments, in which a NULL ends the
 * list, come before the file's name. The bounds are `times` those of main.c.
 */
struct hostile {
	const char *name;
	const char *program; /* in the folder of the programs */
	const char *arguments[4];
	void (*make)(struct bm_bytes *out, unsigned n);
	const char *suffix;
	unsigned n, times;
};

/* The rows for ward-verify, modules.c; ends with one that has no name. */
extern const struct hostile hostile_modules[];
/* The same for ward link, objects.c. */
extern const struct hostile hostile_objects[];

#endif
