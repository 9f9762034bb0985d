/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the verifier's facts are about: values that registers hold. A symbol stands for one number of 64 bits, a low
 * symbol for one of 32, and a value with an identity holds that plus a constant. These numbers aren't known; a
 * statement holds whatever they are. (A pointer's number is its offset.)
 */
#ifndef WARD_Z3_SYMBOLIC_STATE_H
#define WARD_Z3_SYMBOLIC_STATE_H

#include "number.h"

void world_clear(void);
/* The number that the symbol of this name (32 bits) stands for; equal names, equal numbers. */
term symbol_number(term name);
term low_symbol_number(term name); /* of 32 bits */

/* A symbol that nobody had before: it stands for this. */
term new_symbol(term number);
/*
 * These names are of symbols that stand for this. Of those that are shared it is said that equal names have equal
 * numbers; of the others nothing is.
 */
void define_identity(term sym, term number, term lsym, term low_number, bool shared);
/* Where a region begins; what a register held when the function was entered. Both are known by a number of 8 bits. */
term region_base(term region);
term entry_value(term reg);

/* A struct wv_val as it is in memory, and the number x that what it describes holds. */
struct held {
	term kind, sym, add, lsym, ladd, x;
	struct number n;
};
struct held held_load(const struct memory *memory, const struct value *where, uint64_t offset);
/* Is it a number or a pointer? */
term has_number(const struct held *h);
/*
 * What is kept of any value, whether it is true or not: a number or a pointer has identities and a valid number,
 * anything else has no identity.
 */
term well_kept(const struct held *h);
/* A number or a pointer that is so and holds what it says. */
term holds(const struct held *h);
term holds_number(const struct held *h);      /* … the number alone */
term holds_identity(const struct held *h);    /* … the low identity alone */
term holds_identity_of(const struct held *h); /* … whatever it is */

/* f(a, b) of choices is the choice of f's. */
term choose2(term f(term, term), term a, term b);

struct value field_of(const struct value *where, uint64_t offset);
/* Is it a pointer to the one place that *at is? To any? */
term is_pointer_to(const struct value *p, const struct value *at);
term not_null(const struct value *p);

#endif
