/*
 * What the verifier's facts are about: values that registers hold. A symbol stands for one number of 64 bits, a low symbol for one of 32, and a value with an identity holds that plus a constant. What these
 * numbers are is not known; a statement holds whatever they are. (A pointer's number is its offset.)
 */
#ifndef WARD_Z3_WORLD_H
#define WARD_Z3_WORLD_H

#include "number.h"

void world_clear(void);
/* The number that the symbol of this name (32 bits) stands for; equal names, equal numbers. */
term symbol_number(term name);
term low_symbol_number(term name); /* of 32 bits */

/* A struct wv_val as it is in memory, and the number x that what it describes holds. */
struct held {
	term kind, sym, add, lsym, ladd, x;
	struct number n;
};
struct held held_load(const struct memory *memory, const struct value *where, uint64_t offset);
/* Is it a number or a pointer? */
term has_number(const struct held *h);
/* What is kept of any value, whether it is true or not: a number or a pointer has identities and a valid number, anything else has no identity. */
term well_kept(const struct held *h);
/* A number or a pointer that is so and holds what it says. */
term holds(const struct held *h);
term holds_number(const struct held *h);   /* … the number alone */
term holds_identity(const struct held *h); /* … the low identity alone */
term holds_identity_of(const struct held *h); /* … whatever it is */

/* f(a, b) of choices is the choice of f's. */
term choose2(term f(term, term), term a, term b);

struct value field_of(const struct value *where, uint64_t offset);

#endif
