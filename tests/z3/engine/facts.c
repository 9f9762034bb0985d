/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"

#include <stdlib.h>

enum kind { ASSUMPTION, DEFINITION, LAST };

struct fact {
	term t;
	enum kind kind;
	bool active, lemma, aside;
	term name;                    /* what it defines; or NULL */
	unsigned about;               /* variables from this one on are what it tells of; 0: of all */
	unsigned *symbols, n_symbols; /* the variables in it, by number */
};

enum { MAX_CASES = 128 };
static term cases[MAX_CASES];
static unsigned n_cases;

static unsigned about;
static struct fact *facts;
static unsigned n_facts, room;

static void add_fact(term t, enum kind kind, term name)
{
	if (is_true(t))
		return;
	for (unsigned i = 0; i < is_conjunction(t); i++)
		add_fact(operand(t, i), kind, name);
	if (is_conjunction(t))
		return;
	if (n_facts == room) {
		room = room ? 2 * room : 1024;
		facts = realloc(facts, room * sizeof *facts);
	}
	facts[n_facts++] = (struct fact){.t = t, .kind = kind, .name = name, .about = kind == ASSUMPTION ? about : 0};
}

void assume(term t)
{
	add_fact(t, ASSUMPTION, NULL);
}

void assume_proven(term t)
{
	unsigned first = n_facts;
	add_fact(t, ASSUMPTION, NULL);
	for (unsigned i = first; i < n_facts; i++)
		facts[i].lemma = true;
}

static bool names_last;

void use_names_last(void)
{
	names_last = true;
}

static unsigned no_variable; /* one that is in everything */

void assume_near(term t)
{
	unsigned was = about;
	about = no_variable + 1;
	add_fact(t, ASSUMPTION, NULL);
	about = was;
}

void near_in_spite_of(term variable)
{
	no_variable = Z3_get_ast_id(z3, variable);
}

void assume_about(term variable)
{
	about = variable ? Z3_get_ast_id(z3, variable) : 0;
}

void define(term t)
{
	add_fact(t, DEFINITION, NULL);
}

void define_name(term name, term means)
{
	add_fact(eq(name, means), DEFINITION, name);
}

/* The same terms have the same names. */
enum { MAX_NAMED = 4000 };
static struct {
	term means, name;
} named[MAX_NAMED];
static unsigned n_named;

term name_of(term means)
{
	if (is_true(means) || is_false(means) || term_replaying())
		return means;
	for (unsigned i = 0; i < n_named; i++) {
		if (named[i].means == means || named[i].name == means)
			return named[i].name;
	}
	if (n_named == MAX_NAMED)
		give_up("too many names");
	term name = fresh_bool();
	named[n_named].means = means;
	named[n_named++].name = name;
	define_name(name, means);
	return name;
}

void define_last(term t)
{
	add_fact(t, LAST, NULL);
}

void split_by(const term *list, unsigned n)
{
	term none = truth(true);
	n_cases = 0;
	if (n >= MAX_CASES)
		give_up("too many cases");
	for (unsigned i = 0; i < n; i++) {
		cases[n_cases++] = list[i];
		none = and_(none, not_(list[i]));
	}
	cases[n_cases++] = none;
}

void facts_clear(void)
{
	for (unsigned i = 0; i < n_facts; i++)
		free(facts[i].symbols);
	names_last = false;
	n_facts = n_cases = n_named = about = no_variable = 0;
}

term fact(unsigned i)
{
	return i < n_facts ? facts[i].t : NULL;
}

term all_facts(void)
{
	term all = truth(true);
	for (unsigned i = 0; i < n_facts; i++)
		all = and_(all, facts[i].t);
	return all;
}

static void bound_steps(Z3_solver s, unsigned steps, unsigned seed)
{
	Z3_params p = Z3_mk_params(z3);
	Z3_params_inc_ref(z3, p);
	Z3_params_set_uint(z3, p, Z3_mk_string_symbol(z3, "rlimit"), steps * 1000000);
	Z3_params_set_uint(z3, p, Z3_mk_string_symbol(z3, "random_seed"), seed);
	Z3_solver_set_params(z3, s, p);
	Z3_params_dec_ref(z3, p);
}

static Z3_solver solver_new(unsigned steps)
{
	Z3_solver s = Z3_mk_solver_for_logic(z3, Z3_mk_string_symbol(z3, "QF_BV"));
	Z3_solver_inc_ref(z3, s); /* at once: the next call may free what nobody holds */
	bound_steps(s, steps, 0);
	return s;
}

/* ---- variables ---- */

/* Of each term, by its number, the last search that came by, and the last question in which it is a variable in use. */
static unsigned *visited, *used, n_marks, search, question;

static unsigned mark_of(term t)
{
	unsigned id = Z3_get_ast_id(z3, t);
	if (id >= n_marks) {
		unsigned n = 2 * id + 1024;
		visited = realloc(visited, n * sizeof *visited);
		used = realloc(used, n * sizeof *used);
		for (; n_marks < n; n_marks++)
			visited[n_marks] = used[n_marks] = 0;
	}
	return id;
}

/* The variables in `t`; *list is allocated. */
static unsigned variables_of(term t, unsigned **list)
{
	unsigned n_open = 1, room_open = 64, n = 0, room_list = 8;
	term *open = malloc(room_open * sizeof *open);
	*list = malloc(room_list * sizeof **list);
	open[0] = t;
	search++;
	while (n_open) {
		term one = open[--n_open];
		unsigned id = mark_of(one), more = Z3_get_ast_kind(z3, one) == Z3_APP_AST
							   ? Z3_get_app_num_args(z3, Z3_to_app(z3, one))
							   : 0;
		if (visited[id] == search)
			continue;
		visited[id] = search;
		if (n_open + more > room_open)
			open = realloc(open, (room_open = 2 * room_open + more) * sizeof *open);
		for (unsigned i = 0; i < more; i++)
			open[n_open++] = operand(one, i);
		if (more || !is_variable(one))
			continue;
		if (n == room_list)
			*list = realloc(*list, (room_list *= 2) * sizeof **list);
		(*list)[n++] = id;
	}
	free(open);
	return n;
}

static void use(const unsigned *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		used[list[i]] = question;
}

static void use_goal(term t)
{
	unsigned *list, n = variables_of(t, &list);
	question++;
	use(list, n);
	free(list);
}

static void find_symbols(struct fact *f)
{
	if (!f->symbols)
		f->n_symbols = variables_of(f->t, &f->symbols);
}

/*
 * What defines a name that is in use; what tells of a variable in use; and what says something of nothing but variables
 * in use.
 */
static bool close_by(struct fact *f)
{
	find_symbols(f);
	if (f->name)
		return used[mark_of(f->name)] == question;
	if (f->kind == ASSUMPTION) {
		bool any = f->about == 0;
		for (unsigned i = 0; i < f->n_symbols && !any; i++)
			any = f->symbols[i] >= f->about && used[f->symbols[i]] == question;
		return any;
	}
	for (unsigned i = 0; i < f->n_symbols; i++) {
		if (used[f->symbols[i]] != question)
			return false;
	}
	return true;
}

enum { AT_ONCE = 10 }; /* a model contradicts many facts that don't matter */

/* A name that isn't in use has no value in the model; it has the one that it means. */
static void complete(Z3_model model)
{
	for (unsigned i = 0; i < n_facts; i++) {
		struct fact *f = &facts[i];
		term value;
		if (f->name && used[mark_of(f->name)] != question &&
			Z3_model_eval(z3, model, operand(f->t, operand(f->t, 0) == f->name), true, &value))
			Z3_add_const_interp(z3, model, Z3_get_app_decl(z3, Z3_to_app(z3, f->name)), value);
	}
}

/* Activate facts of this kind that the model contradicts; false if there is none. */
static bool learn(Z3_solver s, Z3_model model, enum kind kind, bool close)
{
	unsigned some = 0;
	for (unsigned i = 0; i < n_facts && (kind == ASSUMPTION || some < AT_ONCE); i++) {
		struct fact *f = &facts[i];
		term value;
		if (f->active || f->aside || f->kind != kind || ((close || f->name) && !close_by(f)))
			continue;
		if (!Z3_model_eval(z3, model, f->t, true, &value) || is_true(value))
			continue;
		f->active = true;
		some++;
		find_symbols(f);
		use(f->symbols, f->n_symbols);
		Z3_solver_assert(z3, s, f->t);
	}
	return some != 0;
}

static bool learn_some(Z3_solver s, Z3_model model)
{
	complete(model);
	return learn(s, model, ASSUMPTION, true) || (names_last && learn(s, model, ASSUMPTION, false)) ||
	       learn(s, model, DEFINITION, true) || learn(s, model, DEFINITION, false) || learn(s, model, LAST, true) ||
	       learn(s, model, LAST, false) || learn(s, model, ASSUMPTION, false);
}

/*
 * The same question, to solvers that may take it apart as they like because nothing will be added. What one of them is
 * lost in, another one, or the same one with another seed, answers at once: so each is given some steps before one is
 * given all.
 */
static Z3_lbool ask_one(term negated, unsigned steps, bool general, unsigned seed, Z3_model *model)
{
	Z3_solver s = general ? Z3_mk_simple_solver(z3) : Z3_mk_solver_for_logic(z3, Z3_mk_string_symbol(z3, "QF_BV"));
	Z3_solver_inc_ref(z3, s);
	bound_steps(s, steps, seed);
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

static Z3_lbool ask_anew(term negated, unsigned steps, Z3_model *model)
{
	static const struct {
		bool general;
		unsigned share; /* one of so many */
	} turns[] = {{false, 2}, {true, 8}, {false, 1}, {true, 2}};
	for (unsigned i = 0; i < sizeof turns / sizeof turns[0]; i++) {
		Z3_lbool r =
			ask_one(negated, (steps + turns[i].share - 1) / turns[i].share, turns[i].general, i, model);
		if (r != Z3_L_UNDEF)
			return r;
	}
	return Z3_L_UNDEF;
}

enum { STEPS_AT_ONCE = 3 };

static Z3_lbool refute_whole(term t, unsigned steps, Z3_model *model, unsigned *rounds)
{
	Z3_solver s = solver_new(STEPS_AT_ONCE);
	Z3_lbool r;
	for (unsigned i = 0; i < n_facts; i++)
		facts[i].active = false;
	Z3_solver_assert(z3, s, not_(t));
	use_goal(t);
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
		if (!learn_some(s, *model))
			break;
		Z3_model_dec_ref(z3, *model);
	}
	Z3_solver_dec_ref(z3, s);
	return r;
}

static Z3_lbool refute_by_cases(term t, unsigned steps, Z3_model *model, unsigned *rounds)
{
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

/* False: there are none. */
static bool set_aside(bool lemmas)
{
	bool some = false;
	for (unsigned i = 0; i < n_facts; i++) {
		facts[i].aside = lemmas && facts[i].lemma;
		some = some || facts[i].aside;
	}
	return some;
}

/*
 * Most goals follow from those before them; to some these are in the way, and they are proven from what is assumed
 * alone.
 */
Z3_lbool refute(term t, unsigned steps, Z3_model *model, unsigned *rounds)
{
	*rounds = 1;
	set_aside(false);
	Z3_lbool r = refute_by_cases(t, steps, model, rounds);
	if (r != Z3_L_UNDEF || !set_aside(true))
		return r;
	r = refute_by_cases(t, steps, model, rounds);
	return r == Z3_L_FALSE ? r : Z3_L_UNDEF; /* of a model what was proven is not asked */
}

/* What was proven leads to a model soon, mostly; where it is in the way, it is set aside. */
Z3_lbool find_model(term t, term hint, unsigned steps, Z3_model *model, unsigned *rounds)
{
	*rounds = 1;
	set_aside(true);
	if (hint && refute_by_cases(not_(and_(t, hint)), steps, model, rounds) == Z3_L_TRUE)
		return Z3_L_TRUE;
	set_aside(false);
	Z3_lbool r = refute_by_cases(not_(t), STEPS_AT_ONCE, model, rounds);
	if (r != Z3_L_UNDEF)
		return r;
	set_aside(true);
	return refute_by_cases(not_(t), steps, model, rounds);
}
