/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short names for Z3 terms. There is one context per process, and every term lives as long as it. Terms over
 * constants are folded at once, so executing a function for one width, operation or condition never enters the
 * branches of the others.
 */
#ifndef WARD_Z3_TERM_H
#define WARD_Z3_TERM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <z3.h>

typedef Z3_ast term;
typedef Z3_ast term_op2(Z3_context, Z3_ast, Z3_ast);

extern Z3_context z3;

/* Ends the process with status 2 after one line of explanation. */
__attribute__((noreturn, format(printf, 1, 2))) void give_up(const char *format, ...);

void term_begin(void);

term bits(unsigned width, uint64_t value);
/* A value that the statement quantifies over. In a replay (see term_replay) it is the value that the model gave it. */
term input(const char *name, unsigned width);
term input_bool(const char *name);
/* A value of which nothing is known. */
term fresh(unsigned width);
term fresh_bool(void);

/* Give every input the value that it has in `model`, from now on; names and values are printed to `out`.
 * Without a model: no longer. */
void term_replay(Z3_model model, FILE *out);
bool term_replaying(void);

bool is_number(term t, uint64_t *value);
bool is_true(term t);
bool is_false(term t);
bool is_bool(term t);
/* Is it an if-then-else; an AND of so many parts? */
bool is_choice(term t, term *when, term *yes, term *no);
bool is_variable(term t);
bool is_difference(term t, term *a, term *b);
bool is_concat(term t);  /* of two */
unsigned is_sum(term t); /* of so many */
bool is_constant_multiple(term t, uint64_t *times, term *of);
bool is_extract(term t, unsigned *low);
bool is_equation(term t); /* of numbers */
unsigned is_conjunction(term t);
bool is_extension(term t, unsigned width, term *of); /* with zeros, of so many bits */
bool is_sign_extension(term t, unsigned width, term *of);
term operand(term t, unsigned i);
unsigned width_of(term t);

/* What is asked of one of two constants is asked of the choice itself. */
extern bool term_fold_choices;
term truth(bool value);
term not_(term a);
term and_(term a, term b);
term or_(term a, term b);
term implies(term a, term b);
term eq(term a, term b);
term ite(term c, term a, term b);
/* Any operation on two bit-vectors, as op2(Z3_mk_bvadd, a, b). */
term op2(term_op2 *op, term a, term b);
term add(term a, term b);
term sub(term a, term b);
term band(term a, term b);
term bor(term a, term b);
term bxor(term a, term b);
term bnot(term a);
term ule(term a, term b);
term ult(term a, term b);
term sle(term a, term b);
term slt(term a, term b);
term shl(term a, term b);
term lshr(term a, term b);
term ashr(term a, term b);
term extract(unsigned high, unsigned low, term a);
term concat(term high, term low);
term zext(term a, unsigned width);
term sext(term a, unsigned width);
/* Zeros below the lowest, above the highest set bit; the width if there is none. */
term ctz(term a);
term clz(term a);

#endif
