/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Abstract numbers as terms, and what they mean. The meaning is written from the words of verifier/domain/num.h, not
 * from num.c.
 */
#ifndef WARD_Z3_NUMBER_H
#define WARD_Z3_NUMBER_H

#include "tests/z3/engine/exec.h"
#include "verifier/decode/insn.h"

struct number {
	term umin, umax, smin, smax, lumin, lumax, lsmin, lsmax, known, bits, mod, rem;
};

/* The views, each of which a member satisfies: eight bounds, the bits and the remainder. */
enum view {
	VIEW_UMIN,
	VIEW_UMAX,
	VIEW_SMIN,
	VIEW_SMAX,
	VIEW_LUMIN,
	VIEW_LUMAX,
	VIEW_LSMIN,
	VIEW_LSMAX,
	VIEW_BITS,
	VIEW_REMAINDER,
	N_VIEWS,
	N_BOUNDS = VIEW_BITS
};
extern const char *const view_name[N_VIEWS];

/* What a function may change of a number. */
enum { CHANGES_WHOLE = 1, CHANGES_LOW = 2, CHANGES_BITS = 4, CHANGES_REMAINDER = 8, CHANGES_ALL = 15 };
/* *n, but for what `changes` says, which is unknown. */
struct number number_changed(const struct number *n, unsigned changes);
term number_unchanged(const struct number *before, const struct number *after, unsigned changes);

struct number number_input(const char *name);
struct number number_fresh(void);
struct number number_load(const struct memory *memory, const struct value *pointer);
void number_store(struct memory *memory, const struct value *pointer, const struct number *n);
/* A new object that holds *n, or if NULL anything. */
struct value number_object(struct memory *memory, const struct number *n);

/* What a summary returned: nothing is known of it by its form. */
bool number_is_unknown(const struct number *n);
/* A number that is one of two, if it is: on which condition which. */
bool number_is_choice(const struct number *n, term *when, struct number *yes, struct number *no);

/* x satisfies this view of *n; all of them. */
term in_view(const struct number *n, enum view view, term x);
term member(const struct number *n, term x);
/*
 * That all of it holds has a name of its own, and so has that a number is valid: where statements follow from
 * statements, and what they mean matters little.
 */
extern bool number_by_name;
/* The invariant of num.h; the part of it that does not ask for non-empty intervals; the rest. */
term valid(const struct number *n);
term well_formed(const struct number *n);
term intervals(const struct number *n);
/* This bound of *inner lies within that of *outer. */
term narrower_view(const struct number *inner, const struct number *outer, enum view view);

/* Concrete arithmetic on 64-bit registers of which the low `width` bits count. */
term low_zext(term x, unsigned width);
term low_sext(term x, unsigned width);
term concrete_binary(enum wv_op op, unsigned width, term x, term y);
term concrete_shift(enum wv_op op, unsigned width, term x, term count);
term concrete_merge(term old, term low, unsigned width);
/* x cond y, comparing their low `width` bits. */
term concrete_cond(enum wv_cond cond, unsigned width, term x, term y);

#endif
