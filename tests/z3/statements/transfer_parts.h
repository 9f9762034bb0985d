/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of the statements about transfer functions: what transfer.c shares with the promises of callees
 * (operations.c, side_conditions.c, operands.c, callees.c).
 */
#ifndef WARD_Z3_TRANSFER_PARTS_H
#define WARD_Z3_TRANSFER_PARTS_H

#include "transfer.h"

extern struct run run;          /* the machine */
extern term holds_now[WV_NREG]; /* what registers hold on the way: the machine's own words are for the end */
extern term kind_before[WV_NREG];
extern struct content part_before;
extern term dividend_told; /* the dividend that the division is told of is what the registers hold */
extern unsigned n_any;     /* so many numbers that may be anything were asked for */
extern bool writes_told;   /* writes are taken by their word */

/* What a number is asked about. */
term about(const struct number *n);
/* Of so many bits, and no more: so its bounds say. */
term within_width(const struct number *n, unsigned width);
/* A value that tells the truth, whatever it is. */
struct content given_value(const struct value *at);
struct value part_at(void);
term part_true(const struct content *is);
bool has_address(const struct form *f);

/* Arguments of a call. */
struct number number_at(const struct called *c, unsigned i);
struct held value_held(const struct called *c, unsigned i);

/* What functions promise; the last of a list has no name. */
struct promise {
	const char *function;
	void (*call)(const struct called *c);
	bool tells; /* only tells others */
};
extern const struct promise operations[], tellings[];
/* An operand's read or write, if it is taken by its word. */
bool operand_told(const struct called *c, const char *name);
void call_store(const struct called *c);

#endif
