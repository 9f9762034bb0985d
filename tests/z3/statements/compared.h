/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two values that a comparison is about, for the statements about flags.c.
 *
 * A value has a symbol: A, B, or none, which is a zero of its own. It has a number (a pointer has an offset), of
 * which the code under test knows something. A register holds it: the number, or its region's base plus the offset,
 * or anything.
 */
#ifndef WARD_Z3_COMPARED_H
#define WARD_Z3_COMPARED_H

#include "statement.h"

/* struct comparison of flags.c. That these are its offsets the rows of comparison_of find out. */
enum { COMPARED_COND = 0, COMPARED_A = 8, COMPARED_B = COMPARED_A + 104, SYMBOL_NONE = 0, SYMBOL_A = 1000, SYMBOL_B };

/*
 * The statement's two numbers, at the width of the comparison. Where their relations are only passed on from call to
 * call, what they mean is not looked at.
 */
void compared_begin(unsigned width, bool passed_on);
term compared_relation(term t);
unsigned compared_width(void);
/*
 * A valid value of which nothing else is known, at *where; of none: a zero, and its number anything that contains it.
 */
void compared_value(struct memory *memory, const struct value *where, unsigned symbol);
/* What is assumed: the premise of all that the code claims. */
void compared_given(term condition);
term compared_premise(void);

/* The number, and what the register holds, of a symbol. */
term number_of(unsigned symbol);
term register_of(unsigned symbol);

/*
 * Of the value at *where, whose symbol may depend on the path: that it is one of those three but for what is known of
 * its number; that this is valid; and that its number is a member.
 */
term is_compared(const struct memory *memory, const struct value *where);
term is_valid(const struct memory *memory, const struct value *where);
term is_member(const struct memory *memory, const struct value *where);
struct number known_of(const struct memory *memory, const struct value *where);
term its_number(const struct memory *memory, const struct value *where);
term its_register(const struct memory *memory, const struct value *where);

/* The condition of the struct comparison at *c holds of the registers, of the numbers, that it compares. */
term registers_compare(const struct memory *memory, const struct value *c);
term numbers_compare(const struct memory *memory, const struct value *c);

struct value inside(const struct value *where, uint64_t offset);
/* A new struct wv_flags, at the head of a state or by itself; a new struct comparison. */
struct value new_flags(struct memory *memory, bool in_state);
struct value new_comparison(struct memory *memory);

#endif
