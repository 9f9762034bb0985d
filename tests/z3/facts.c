#include "facts.h"

#include <stdlib.h>

enum kind { ASSUMPTION, DEFINITION, LAST };

struct fact {
	term t;
	enum kind kind;
	bool active;
};

enum { MAX_CASES = 128 };
static term cases[MAX_CASES];
static unsigned n_cases;

static struct fact *facts;
static unsigned n_facts, room;

static void add_fact(term t, enum kind kind)
{
	if (is_true(t))
		return;
	for (unsigned i = 0; i < is_conjunction(t); i++)
		add_fact(operand(t, i), kind);
	if (is_conjunction(t))
		return;
	if (n_facts == room) {
		room = room ? 2 * room : 1024;
		facts = realloc(facts, room * sizeof *facts);
	}
	facts[n_facts++] = (struct fact){t, kind, false};
}

void assume(term t)
{
	add_fact(t, ASSUMPTION);
}

void define(term t)
{
	add_fact(t, DEFINITION);
}

void define_last(term t)
{
	add_fact(t, LAST);
}

void split_by(const term *list, unsigned n)
{
	term none = truth(true);
	if (n_cases || n >= MAX_CASES)
		give_up("too many cases");
	for (unsigned i = 0; i < n; i++) {
		cases[n_cases++] = list[i];
		none = and_(none, not_(list[i]));
	}
	cases[n_cases++] = none;
}

void facts_clear(void)
{
	n_facts = n_cases = 0;
}

term all_facts(void)
{
	term all = truth(true);
	for (unsigned i = 0; i < n_facts; i++)
		all = and_(all, facts[i].t);
	return all;
}

static Z3_solver solver_new(unsigned steps)
{
	Z3_solver s = Z3_mk_solver_for_logic(z3, Z3_mk_string_symbol(z3, "QF_BV"));
	Z3_solver_inc_ref(z3, s); /* at once: the next call may free what nobody holds */
	Z3_params p = Z3_mk_params(z3);
	Z3_params_inc_ref(z3, p);
	Z3_params_set_uint(z3, p, Z3_mk_string_symbol(z3, "rlimit"), steps * 1000000);
	Z3_solver_set_params(z3, s, p);
	Z3_params_dec_ref(z3, p);
	return s;
}

enum { AT_ONCE = 10 }; /* a model contradicts many facts that don't matter */

/* Activate facts of this kind that the model contradicts; false if there is none. */
static bool learn(Z3_solver s, Z3_model model, enum kind kind)
{
	unsigned some = 0;
	for (unsigned i = 0; i < n_facts && (kind == ASSUMPTION || some < AT_ONCE); i++) {
		term value;
		if (facts[i].active || facts[i].kind != kind || !Z3_model_eval(z3, model, facts[i].t, true, &value) || is_true(value))
			continue;
		facts[i].active = true;
		some++;
		Z3_solver_assert(z3, s, facts[i].t);
	}
	return some != 0;
}

/* The same question, to a solver that may take it apart as it likes because nothing will be added. */
static Z3_lbool ask_anew(term negated, unsigned steps, Z3_model *model)
{
	Z3_solver s = solver_new(steps);
	Z3_solver_assert(z3, s, negated);
	for (unsigned i = 0; i < n_facts; i++) {
		if (facts[i].active)
			Z3_solver_assert(z3, s, facts[i].t);
	}
	Z3_lbool r = Z3_solver_check(z3, s);
	if (r == Z3_L_TRUE) {
		*model = Z3_solver_get_model(z3, s);
		Z3_model_inc_ref(z3, *model);
	}
	Z3_solver_dec_ref(z3, s);
	return r;
}

enum { STEPS_AT_ONCE = 3 };

static Z3_lbool refute_whole(term t, unsigned steps, Z3_model *model, unsigned *rounds)
{
	Z3_solver s = solver_new(STEPS_AT_ONCE);
	Z3_lbool r;
	for (unsigned i = 0; i < n_facts; i++)
		facts[i].active = false;
	Z3_solver_assert(z3, s, not_(t));
	for (;; ++*rounds) {
		r = Z3_solver_check(z3, s);
		if (r == Z3_L_TRUE) {
			*model = Z3_solver_get_model(z3, s);
			Z3_model_inc_ref(z3, *model);
		} else if (r == Z3_L_UNDEF) {
			r = ask_anew(not_(t), steps, model);
		}
		if (r != Z3_L_TRUE)
			break;
		if (!learn(s, *model, ASSUMPTION) && !learn(s, *model, DEFINITION) && !learn(s, *model, LAST))
			break;
		Z3_model_dec_ref(z3, *model);
	}
	Z3_solver_dec_ref(z3, s);
	return r;
}

Z3_lbool refute(term t, unsigned steps, Z3_model *model, unsigned *rounds)
{
	*rounds = 1;
	Z3_lbool r = refute_whole(t, n_cases ? STEPS_AT_ONCE : steps, model, rounds);
	if (r != Z3_L_UNDEF || !n_cases)
		return r;
	for (unsigned i = 0; i < n_cases; i++) {
		r = refute_whole(implies(cases[i], t), steps, model, rounds);
		if (r != Z3_L_FALSE)
			return r;
	}
	return Z3_L_FALSE;
}
