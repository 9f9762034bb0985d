/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts that a proof may use, and the search for those that it needs.
 *
 * Most facts have nothing to do with a goal, and all of them at once are too much for the solver. So the solver first
 * tests whether the goal can fail without any fact. From the facts that its answer contradicts, the search adds some,
 * preferring those about terms already in use, and tests again. It ends when there is no answer left (the goal is
 * proven) or all facts agree with the answer (a counterexample).
 */
#ifndef WARD_Z3_FACTS_H
#define WARD_Z3_FACTS_H

#include "term.h"

void assume(term t);        /* an assumption of the statement, or a summary */
void assume_proven(term t); /* a goal that was proven: it may be used, and may be set aside */
/* … of nothing but the variables in it: looked at when one of them is in use, that was made after this one: */
void assume_near(term t);
void near_in_spite_of(term variable);
/* What is assumed from now on tells of variables made from now on, of which this is the first; NULL: no longer. */
void assume_about(term variable);
void define_name(term name, term means);
term name_of(term means);  /* a name for a truth: where it is only passed on, what it means need not be looked at */
void use_names_last(void); /* what they mean is looked at when all assumptions don't do */
void define(term t);       /* what a name means, or a law: used when assumptions don't do */
void define_last(term t);  /* … when those don't, either */
/* Hard goals are split into these cases, and that none of them holds; the last list counts. */
void split_by(const term *list, unsigned n);
void facts_clear(void);
term all_facts(void);
term fact(unsigned i); /* i-th; NULL: there are no more */

/* Can `t` be false? True: *model says how. `steps`: how much the solver may try, in millions; *used counts rounds. */
Z3_lbool refute(term t, unsigned steps, Z3_model *model, unsigned *used);
/*
 * Can `t` and all that is assumed be so? True: *model says how; first it is looked for where `hint` holds, too (NULL:
 * none). What was proven follows from that, and need not be asked.
 */
Z3_lbool find_model(term t, term hint, unsigned steps, Z3_model *model, unsigned *used);

#endif
