/* SPDX-License-Identifier: Apache-2.0 */
#include "summary_api.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "verifier/domain/state.h"

struct memory state_memory;
term assumed;

static const struct query *row;

enum { MAX_STEPS = 200 };
static struct step {
	enum wv_op op;
	term x, y, z, when;
} steps[MAX_STEPS];
static unsigned n_steps;
static term factor[MAX_STEPS], pair[MAX_STEPS][2];
static unsigned n_factors, n_pairs;

/* ---- what is shown at once ---- */

/* Within so many steps of the solver, in millions; 0: however many it takes. */
static bool shown_within(unsigned steps, term given, term t)
{
	Z3_solver s = Z3_mk_solver_for_logic(z3, Z3_mk_string_symbol(z3, "QF_BV"));
	Z3_solver_inc_ref(z3, s);
	Z3_params p = Z3_mk_params(z3);
	Z3_params_inc_ref(z3, p);
	Z3_params_set_uint(z3, p, Z3_mk_string_symbol(z3, "rlimit"), steps * 1000000);
	Z3_solver_set_params(z3, s, p);
	Z3_params_dec_ref(z3, p);
	Z3_solver_assert(z3, s, given);
	Z3_solver_assert(z3, s, not_(t));
	bool r = Z3_solver_check(z3, s) == Z3_L_FALSE;
	Z3_solver_dec_ref(z3, s);
	return r;
}

static bool shown(term given, term t)
{
	return shown_within(0, given, t);
}

void suppose(term t)
{
	assume_near(implies(assumed, t));
}

static bool forms_only; /* a law is being shown: its equations have no names */

term by_name(term t)
{
	return forms_only || is_true(t) ? t : name_of(t);
}

term equation(term a, term b)
{
	term when, yes, no;
	if (is_choice(b, &when, &yes, &no))
		return ite(when, equation(a, yes), equation(a, no));
	if (is_choice(a, &when, &yes, &no))
		return ite(when, equation(yes, b), equation(no, b));
	/* whichever way round, it is one */
	return by_name(Z3_get_ast_id(z3, a) < Z3_get_ast_id(z3, b) ? eq(a, b) : eq(b, a));
}

enum { MAX_LAWS = 20, MAX_TERMS = 12 };
static law_form *known_forms[MAX_LAWS];
static unsigned n_forms;

/* Values of which nothing is known; `cut`: in two halves, so that equations of the lower ones can be solved. */
static term any_value(term like, bool cut)
{
	if (is_bool(like))
		return fresh_bool();
	return cut && width_of(like) == 64 ? concat(fresh(32), fresh(32)) : fresh(width_of(like));
}

enum { MOST_GIVEN = 5 };

/*
 * a = b follows from equations of the same width if a - b is a sum of their differences, each with one sign or the
 * other: no more is tried.
 */
static bool is_linear(const term *given, unsigned n, term then)
{
	if (n > MOST_GIVEN || !is_equation(then))
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (!is_equation(given[i]) || width_of(operand(given[i], 0)) != width_of(operand(then, 0)))
			return false;
	}
	for (unsigned signs = 0; signs < 1u << n; signs++) {
		term sum = bits(width_of(operand(then, 0)), 0);
		for (unsigned i = 0; i < n; i++)
			sum = signs >> i & 1 ? sub(sum, sub(operand(given[i], 0), operand(given[i], 1)))
					     : add(sum, sub(operand(given[i], 0), operand(given[i], 1)));
		if (is_true(Z3_simplify(z3, eq(sub(operand(then, 0), operand(then, 1)), sum))))
			return true;
	}
	return false;
}

static bool follows_linearly(term given, term then)
{
	term part[MOST_GIVEN];
	unsigned n = is_conjunction(given);
	for (unsigned i = 0; i < n && i < MOST_GIVEN; i++)
		part[i] = operand(given, i);
	if (n == 0)
		part[n++] = given;
	return is_linear(part, n, then);
}

static bool form_shown(law_form *form, unsigned n, const term *v, bool cut, unsigned steps)
{
	term any[MAX_TERMS], given, then;
	for (unsigned i = 0; i < n; i++)
		any[i] = any_value(v[i], cut);
	forms_only = true;
	form(any, &given, &then);
	forms_only = false;
	return follows_linearly(given, then) || shown_within(steps, given, then);
}

static void show_form(law_form *form, unsigned n, const term *v)
{
	for (unsigned i = 0; i < n_forms; i++) {
		if (known_forms[i] == form)
			return;
	}
	if (n > MAX_TERMS || n_forms == MAX_LAWS)
		give_up("too many laws");
	if (!form_shown(form, n, v, true, 1) && !form_shown(form, n, v, false, 1) && !form_shown(form, n, v, false, 0))
		give_up("what is no law");
	known_forms[n_forms++] = form;
}

void use_law(law_form *form, unsigned n, const term *v)
{
	term given, then;
	if (term_replaying() || arith_exact)
		return;
	show_form(form, n, v);
	form(v, &given, &then);
	assume_near(implies(given, then));
}

void known_law(term given, term law)
{
	if (term_replaying() || arith_exact)
		return;
	if (!shown(given, law))
		give_up("what is no law");
	assume(implies(given, law));
}

static term named_parts(term t)
{
	if (!is_conjunction(t))
		return name_of(t);
	term all = truth(true);
	for (unsigned i = 0; i < is_conjunction(t); i++)
		all = and_(all, named_parts(operand(t, i)));
	return all;
}

void named_law(term given, term law)
{
	if (term_replaying() || arith_exact)
		return;
	if (!shown(given, law))
		give_up("what is no law");
	assume(implies(named_parts(given), named_parts(law)));
}

void follows(enum wv_op op, term x, term y, term z, term when, term law)
{
	if (term_replaying() || arith_exact)
		return;
	if (n_steps == MAX_STEPS)
		give_up("too many steps");
	if (!shown(and_(law, when), eq(concrete_binary(op, 64, x, y), z)))
		give_up("what does not follow");
	assume(law);
	steps[n_steps++] = (struct step){op, x, y, z, when};
}

void multiplied(term x)
{
	if (n_factors == MAX_STEPS)
		give_up("too many factors");
	factor[n_factors++] = x;
}

void compared(term x, term y)
{
	if (n_pairs == MAX_STEPS)
		give_up("too many pairs");
	pair[n_pairs][0] = x;
	pair[n_pairs++][1] = y;
}

void same_members(const struct number *n, term x, term y, term when)
{
	assume(implies(and_(when, equation(x, y)), eq(member(n, x), member(n, y))));
}

/* ---- facts ---- */

term scaled(term scale, term x)
{
	return product(sext(scale, 64), x).low;
}

#define LOAD(type, field) exec_load(m, at, offsetof(struct type, field), sizeof(((struct type *)0)->field))

struct fact_held fact_load(const struct memory *m, const struct value *at)
{
	struct value n = field_of(at, offsetof(struct wv_distance, d));
	struct fact_held f = {
		LOAD(wv_distance, a), LOAD(wv_distance, b), LOAD(wv_distance, scale), NULL, number_load(m, &n)};
	f.apart = choose2(sub, symbol_number(f.b), choose2(scaled, f.scale, symbol_number(f.a)));
	return f;
}

static term exists(term name)
{
	return not_(eq(name, bits(width_of(name), 0)));
}

term fact_is_true(const struct fact_held *f)
{
	return and_(
		and_(exists(f->a), exists(f->b)), and_(exists(f->scale), and_(valid(&f->d), member(&f->d, f->apart))));
}

struct sum_held sum_load(const struct memory *m, const struct value *at)
{
	struct value n = field_of(at, offsetof(struct wv_sum, n));
	return (struct sum_held){LOAD(wv_sum, sum), LOAD(wv_sum, x), LOAD(wv_sum, y),
		eq(extract(0, 0, LOAD(wv_sum, low)), bits(1, 1)), LOAD(wv_sum, c), number_load(m, &n)};
}

static term low_half(term t)
{
	term when, yes, no;
	return is_choice(t, &when, &yes, &no) ? ite(when, low_half(yes), low_half(no)) : extract(31, 0, t);
}

term adds_up(const struct sum_held *s)
{
	term sum = symbol_number(s->sum), z = choose2(add, add(symbol_number(s->x), symbol_number(s->y)), s->c);
	return ite(s->low, equation(low_half(sum), low_half(z)), equation(sum, z));
}

term sum_is_true(const struct sum_held *s)
{
	return and_(and_(exists(s->sum), and_(exists(s->x), exists(s->y))),
		and_(adds_up(s), and_(valid(&s->n), member(&s->n, symbol_number(s->sum)))));
}

term true_telling(const struct memory *m, const struct value *of, const struct value *known)
{
	struct held h = held_load(m, of, 0);
	struct number n = number_load(m, known);
	term low = eq(extract(31, 0, h.x), add(low_symbol_number(h.lsym), h.ladd));
	return and_(implies(exists(h.sym), member(&n, h.x)), implies(and_(exists(h.sym), exists(h.lsym)), low));
}

term returned_true(const struct value *r)
{
	return is_bool(r->part[0]) ? r->part[0] : exists(r->part[0]);
}

/* ---- calls ---- */

static bool same_term(term a, term b)
{
	return a == b || Z3_simplify(z3, a) == Z3_simplify(z3, b);
}

struct asked {
	const struct value *args;
	struct memory *memory;
	term guard, given; /* … what is assumed too */
	struct value *result;
};

static void claim_of(const struct asked *c, const char *name, term t)
{
	prove(name, implies(c->given, t));
}

static struct number argument(const struct asked *c, unsigned i)
{
	return number_load(c->memory, &c->args[i]);
}

/* A number that nothing is known of but that it is valid, if `fit`. */
static struct number answer(const struct asked *c, unsigned i, term fit)
{
	struct number r = number_fresh();
	number_store(c->memory, &c->args[i], &r);
	assume(implies(and_(c->guard, fit), valid(&r)));
	return r;
}

static struct held value_argument(const struct asked *c, unsigned i)
{
	return held_load(c->memory, &c->args[i], 0);
}

/* Told is true where what is assumed is. */
static term tell(const struct asked *c)
{
	term told = fresh_bool();
	assume(implies(c->given, told));
	*c->result = exec_bits(told);
	return told;
}

static void call_binary(const struct asked *c)
{
	uint64_t op;
	struct number a = argument(c, 3), b = argument(c, 4);
	prove("valid numbers for a callee", implies(c->guard, and_(valid(&a), valid(&b))));
	struct number r = answer(c, 0, truth(true));
	for (unsigned i = 0; is_number(c->args[1].part[0], &op) && i < n_steps; i++) {
		if (steps[i].op == op)
			assume(implies(and_(steps[i].when, and_(member(&a, steps[i].x), member(&b, steps[i].y))),
				member(&r, steps[i].z)));
	}
}

static struct step constant;

void constant_is(term value, term x, term when)
{
	constant = (struct step){0, value, NULL, x, when};
}

/* struct wv_num wv_num_const(value) */
static void call_const(const struct asked *c)
{
	term value = c->args[1].part[0];
	struct number r = answer(c, 0, truth(true));
	assume(member(&r, value));
	if (constant.x && same_term(constant.x, value))
		assume(implies(constant.when, member(&r, constant.z)));
}

term moved_to;
void (*moved_from)(term given, term apart, term by);
static term last_apart; /* of what wv_state_distance told last */

/* struct wv_num moved(n, by) */
static void call_num_moved(const struct asked *c)
{
	struct number n = argument(c, 1);
	prove("valid numbers for a callee", implies(c->guard, valid(&n)));
	struct number r = answer(c, 0, truth(true));
	for (unsigned i = 0; i < n_steps; i++) {
		if (steps[i].op == WV_ADD && same_term(steps[i].y, c->args[2].part[0]))
			assume(implies(and_(steps[i].when, member(&n, steps[i].x)), member(&r, steps[i].z)));
	}
	if (moved_to) {
		moved_from(c->given, last_apart, c->args[2].part[0]);
		prove("how far it is from there",
			implies(c->given, equation(add(last_apart, c->args[2].part[0]), moved_to)));
		assume(implies(and_(c->given, member(&n, last_apart)), member(&r, moved_to)));
	}
}

/* struct wv_num times(n, scale) */
static void call_num_times(const struct asked *c)
{
	struct number n = argument(c, 1);
	prove("valid numbers for a callee", implies(c->guard, valid(&n)));
	struct number r = answer(c, 0, truth(true));
	for (unsigned i = 0; i < n_factors; i++)
		assume(implies(member(&n, factor[i]), member(&r, scaled(c->args[2].part[0], factor[i]))));
}

/* bool wv_num_assume(cond, width, a, b), of whole numbers that are equal or not */
static void call_assume(const struct asked *c)
{
	struct number a = argument(c, 2), b = argument(c, 3), ra, rb;
	prove("valid numbers for a callee", implies(c->guard, and_(valid(&a), valid(&b))));
	term told = fresh_bool(), equal = eq(c->args[0].part[0], bits(32, WV_E));
	claim_of(c, "a condition that is followed", or_(equal, eq(c->args[0].part[0], bits(32, WV_NE))));
	ra = answer(c, 2, told);
	rb = answer(c, 3, told);
	for (unsigned i = 0; i < n_pairs; i++) {
		term x = pair[i][0], y = pair[i][1],
		     given = and_(eq(equal, equation(x, y)), and_(member(&a, x), member(&b, y)));
		assume(implies(given, and_(told, and_(member(&ra, x), member(&rb, y)))));
	}
	*c->result = exec_bits(told);
}

struct value fact_given[MAX_GIVEN];
struct fact_held fact_before[MAX_GIVEN];
unsigned n_facts_given;

static struct value new_fact(struct memory *m)
{
	struct value at = exec_struct(m, "struct.wv_distance", 0);
	if (n_facts_given < MAX_GIVEN) {
		fact_before[n_facts_given] = fact_load(m, &at);
		fact_given[n_facts_given++] = at;
	}
	return at;
}

/*
 * struct wv_distance *find(st, a, scale, b, swapped): a fact of the state's, any of them, so it is one that is true.
 * The other way round it is one of a - b, or, with a scale of -1, of the same sum.
 */
static void call_distance_find(const struct asked *c)
{
	struct value at = new_fact(c->memory), swapped_at = c->args[4];
	struct fact_held f = fact_load(c->memory, &at);
	term found = fresh_bool(), swapped = fresh_bool(), scale = c->args[2].part[0], a = c->args[1].part[0],
	     b = c->args[3].part[0];
	term sa = symbol_number(a), sb = symbol_number(b), one = eq(scale, bits(32, 1)),
	     minus_one = eq(scale, bits(32, UINT32_MAX));
	term straight = and_(eq(f.a, a), eq(f.b, b)), turned = and_(and_(eq(f.a, b), eq(f.b, a)), or_(one, minus_one));
	assume(implies(c->guard, valid(&f.d)));
	assume(implies(and_(c->given, found),
		and_(fact_is_true(&f), and_(eq(f.scale, scale), ite(swapped, turned, straight)))));
	/* What it says is said of these symbols. */
	term apart = sub(sb, scaled(scale, sa)), reverse = sub(sa, sb);
	assume(implies(and_(c->given, and_(found, or_(not_(swapped), minus_one))), member(&f.d, apart)));
	assume(implies(and_(c->given, and_(found, and_(swapped, one))), member(&f.d, reverse)));
	exec_store(c->memory, &swapped_at, 0, ite(swapped, bits(8, 1), bits(8, 0)));
	at.place[0].when = found;
	*c->result = at;
}

/* struct wv_distance *room(st) */
static void call_distance_room(const struct asked *c)
{
	*c->result = new_fact(c->memory);
	c->result->place[0].when = fresh_bool();
}

/* bool number_by_value(v, sym, n), number_by_sum(s, sym, n), number_of(st, sym, n) */
static void call_number_of(const struct asked *c)
{
	term told = fresh_bool();
	claim_of(c, "a symbol", exists(c->args[1].part[0]));
	struct number n = answer(c, 2, told);
	assume(implies(and_(c->given, told), member(&n, symbol_number(c->args[1].part[0]))));
	*c->result = exec_bits(told);
}

static void call_number_by_value(const struct asked *c)
{
	struct held v = value_argument(c, 0);
	prove("a value that is well kept", implies(c->guard, well_kept(&v)));
	claim_of(c, "what it holds", holds(&v));
	call_number_of(c);
}

static void call_number_by_sum(const struct asked *c)
{
	struct sum_held s = sum_load(c->memory, &c->args[0]);
	prove("valid numbers for a callee", implies(c->guard, valid(&s.n)));
	claim_of(c, "a sum's number", member(&s.n, symbol_number(s.sum)));
	call_number_of(c);
}

/* bool divide(t, scale, a, quotient) */
static void call_divide(const struct asked *c)
{
	struct number t = argument(c, 0), a = argument(c, 2), q = number_fresh();
	term told = fresh_bool(), scale = c->args[1].part[0];
	claim_of(c, "a scale to divide by",
		and_(exists(scale), and_(not_(eq(scale, bits(32, 1))), not_(eq(scale, bits(32, UINT32_MAX))))));
	prove("valid numbers for a callee", implies(c->guard, and_(valid(&t), valid(&a))));
	number_store(c->memory, &c->args[3], &q);
	assume(implies(told, well_formed(&q)));
	for (unsigned i = 0; i < n_factors; i++)
		assume(implies(and_(told, and_(member(&a, factor[i]), member(&t, scaled(scale, factor[i])))),
			member(&q, factor[i])));
	*c->result = exec_bits(told);
}

/* bool wv_state_refine(st, of, known), wv_state_refine_locations, wv_state_refine_distant */
static void call_refine(const struct asked *c)
{
	struct number n = argument(c, 2);
	prove("valid numbers for a callee", implies(c->guard, valid(&n)));
	claim_of(c, "what is told", true_telling(c->memory, &c->args[1], &c->args[2]));
	tell(c);
}

/* bool refine_by(st, f, of, known) */
static void call_refine_by(const struct asked *c)
{
	struct fact_held f = fact_load(c->memory, &c->args[1]);
	struct held of = value_argument(c, 2);
	struct number n = argument(c, 3);
	prove("valid numbers for a callee", implies(c->guard, and_(valid(&n), valid(&f.d))));
	claim_of(c, "a fact", fact_is_true(&f));
	claim_of(c, "one of its symbols", and_(exists(of.sym), or_(eq(f.a, of.sym), eq(f.b, of.sym))));
	claim_of(c, "what is told", member(&n, of.x));
	tell(c);
}

/* bool refine_divided(st, f, n) */
static void call_refine_divided(const struct asked *c)
{
	struct fact_held f = fact_load(c->memory, &c->args[1]);
	struct number n = argument(c, 2);
	claim_of(c, "a fact", fact_is_true(&f));
	claim_of(c, "a scale to divide by",
		and_(not_(eq(f.scale, bits(32, 1))), not_(eq(f.scale, bits(32, UINT32_MAX)))));
	prove("valid numbers for a callee", implies(c->guard, valid(&n)));
	claim_of(c, "the number of a fact's", member(&n, symbol_number(f.b)));
	tell(c);
}

/* struct wv_num wv_state_distance(st, a, scale, b) */
static void call_distance(const struct asked *c)
{
	struct held a = value_argument(c, 2), b = value_argument(c, 4);
	term scale = c->args[3].part[0];
	prove("valid numbers for a callee", implies(c->guard, and_(valid(&a.n), valid(&b.n))));
	claim_of(c, "values for a callee", and_(member(&a.n, a.x), member(&b.n, b.x)));
	struct number r = answer(c, 0, truth(true));
	last_apart = sub(b.x, choose2(scaled, scale, a.x));
	assume(implies(c->given, member(&r, last_apart)));
}

/* bool wv_state_find_distance(st, a, scale, b, d) */
static void call_find_distance(const struct asked *c)
{
	struct held a = value_argument(c, 1), b = value_argument(c, 3);
	term told = fresh_bool();
	struct number d = answer(c, 4, told);
	assume(implies(and_(c->given, told), member(&d, sub(b.x, choose2(scaled, c->args[2].part[0], a.x)))));
	*c->result = exec_bits(told);
}

/* void wv_state_set_distance(st, a, scale, b, d) */
static void call_set_distance(const struct asked *c)
{
	struct held a = value_argument(c, 1), b = value_argument(c, 3);
	struct number d = argument(c, 4);
	term scale = c->args[2].part[0];
	prove("valid numbers for a callee", implies(c->guard, valid(&d)));
	claim_of(c, "a distance",
		and_(exists(scale), implies(and_(exists(a.sym), exists(b.sym)),
					    member(&d, sub(b.x, choose2(scaled, scale, a.x))))));
}

/* void wv_state_learn_distant(st, v) */
static void call_learn(const struct asked *c)
{
	struct held v = value_argument(c, 1);
	claim_of(c, "a value", and_(valid(&v.n), member(&v.n, v.x)));
	struct value n = field_of(&c->args[1], offsetof(struct wv_val, n));
	struct number r = number_fresh();
	number_store(c->memory, &n, &r);
	assume(implies(c->guard, valid(&r)));
	assume(implies(c->given, member(&r, v.x)));
}

/* void learn_by(st, f, v) */
static void call_learn_by(const struct asked *c)
{
	struct fact_held f = fact_load(c->memory, &c->args[1]);
	struct held v = value_argument(c, 2);
	prove("valid numbers for a callee", implies(c->guard, and_(valid(&v.n), valid(&f.d))));
	claim_of(c, "a fact", fact_is_true(&f));
	claim_of(c, "a value", and_(exists(v.sym), member(&v.n, v.x)));
	struct value n = field_of(&c->args[2], offsetof(struct wv_val, n));
	struct number r = number_fresh();
	number_store(c->memory, &n, &r);
	assume(implies(c->guard, valid(&r)));
	assume(implies(c->given, member(&r, v.x)));
}

term is_holder(const struct held *v, term symbol, term by, term low)
{
	term same = by_name(eq(v->add, by)), short_same = and_(by_name(eq(extract(31, 0, v->add), extract(31, 0, by))),
						     ule(v->n.umax, bits(64, UINT32_MAX)));
	return and_(and_(eq(v->kind, bits(8, WV_NUM)), eq(v->sym, symbol)), ite(low, short_same, same));
}

void (*holder_found)(const struct held *v);

/* const struct wv_val *holder(st, sym, add, low): any of the registers. */
static void call_symbol_holder(const struct asked *c)
{
	struct value at = exec_struct(c->memory, "struct.wv_val", 0);
	struct held v = held_load(c->memory, &at, 0);
	term found = fresh_bool();
	assume(implies(c->guard, well_kept(&v)));
	assume(implies(c->given, holds(&v)));
	assume(implies(and_(c->guard, found),
		is_holder(&v, c->args[1].part[0], c->args[2].part[0], returned_true(&c->args[3]))));
	at.place[0].when = found;
	*c->result = at;
	holder_found(&v);
}

/* bool wv_num_meet(n, other), of valid numbers */
static void call_meet(const struct asked *c)
{
	struct number n = argument(c, 0), other = argument(c, 1);
	term told = fresh_bool();
	prove("valid numbers for a callee", implies(c->guard, and_(valid(&n), valid(&other))));
	struct number r = answer(c, 0, told);
	unsigned count;
	const term *x = witnesses(&count);
	for (unsigned i = 0; i < count; i++)
		assume(implies(and_(member(&n, x[i]), member(&other, x[i])), and_(told, member(&r, x[i]))));
	*c->result = exec_bits(told);
}

/* bool assume_difference(st, s, a, b, equal) */
static void call_difference(const struct asked *c)
{
	struct sum_held s = sum_load(c->memory, &c->args[1]);
	struct held a = value_argument(c, 2), b = value_argument(c, 3);
	term equal = returned_true(&c->args[4]);
	claim_of(c, "a sum", sum_is_true(&s));
	claim_of(c, "values for a callee", and_(member(&a.n, a.x), member(&b.n, b.x)));
	claim_of(c, "equal or not", eq(equal, equation(a.x, b.x)));
	tell(c);
}

/* bool settle_low_sum(st, s, a, b, d) */
static void call_settle(const struct asked *c)
{
	struct sum_held s = sum_load(c->memory, &c->args[1]);
	struct held a = value_argument(c, 2), b = value_argument(c, 3);
	struct number d = argument(c, 4);
	claim_of(c, "a sum", sum_is_true(&s));
	claim_of(c, "how far apart", and_(member(&d, sub(b.x, a.x)), ule(d.umax, bits(64, UINT32_MAX))));
	prove("valid numbers for a callee", implies(c->guard, valid(&d)));
	exec_store(c->memory, &c->args[1], offsetof(struct wv_sum, low), fresh(8));
	exec_store(c->memory, &c->args[1], offsetof(struct wv_sum, c), fresh(64));
	struct sum_held after = sum_load(c->memory, &c->args[1]);
	assume(implies(c->given, sum_is_true(&after)));
	tell(c);
}

/* void compare_sums(st, s, t), same_sum(s, t, sum) */
static void call_compare(const struct asked *c)
{
	struct sum_held s = sum_load(c->memory, &c->args[1]), t = sum_load(c->memory, &c->args[2]);
	claim_of(c, "sums", and_(adds_up(&s), sum_is_true(&t)));
}

static void call_same_sum(const struct asked *c)
{
	struct sum_held s = sum_load(c->memory, &c->args[0]), t = sum_load(c->memory, &c->args[1]);
	struct held sum = value_argument(c, 2);
	struct value n = field_of(&c->args[2], offsetof(struct wv_val, n));
	struct number r = number_fresh();
	claim_of(c, "sums", and_(adds_up(&s), sum_is_true(&t)));
	claim_of(c, "the sum", and_(eq(sum.sym, s.sum), and_(valid(&sum.n), member(&sum.n, sum.x))));
	number_store(c->memory, &n, &r);
	assume(implies(c->given, and_(valid(&r), member(&r, sum.x))));
}

const struct product *rounded_product;

/* int64_t floor_of(a, b), ceiling_of(a, b) */
static void call_rounded(const struct asked *c, bool ceiling)
{
	term a = c->args[0].part[0], b = c->args[1].part[0], r = fresh(64), zero = bits(64, 0), up = slt(zero, b);
	prove("a scale to divide by", implies(c->guard, and_(not_(eq(b, zero)), not_(eq(bnot(b), zero)))));
	term x = rounded_product->b == b ? rounded_product->a : rounded_product->b, by = wide_signed(rounded_product),
	     of = sext(a, 128);
	term below = sle(by, of), above = sle(of, by), bounded = ceiling ? sle(r, x) : sle(x, r);
	assume(and_(implies(and_(up, ceiling ? above : below), bounded),
		implies(and_(not_(up), ceiling ? below : above), bounded)));
	*c->result = exec_bits(r);
}

static void call_floor(const struct asked *c)
{
	call_rounded(c, false);
}

static void call_ceiling(const struct asked *c)
{
	call_rounded(c, true);
}

/* bool held(st, sym): only what a fact is given up for hangs on it. */
static void call_held(const struct asked *c)
{
	*c->result = exec_bits(fresh_bool());
}

term refined_is;

/* struct wv_num wv_num_join(a, b) */
static void call_join(const struct asked *c)
{
	struct number a = argument(c, 1), b = argument(c, 2);
	prove("valid numbers for a callee", implies(c->guard, and_(valid(&a), valid(&b))));
	struct number r = answer(c, 0, truth(true));
	unsigned n;
	const term *x = witnesses(&n);
	for (unsigned i = 0; i < n; i++)
		assume(implies(or_(member(&a, x[i]), member(&b, x[i])), member(&r, x[i])));
}

/* bool wv_val_refine(v, of, known) */
static void call_val_refine(const struct asked *c)
{
	struct held v = value_argument(c, 0);
	struct number known = argument(c, 2), r = number_fresh();
	struct value n = field_of(&c->args[0], offsetof(struct wv_val, n));
	prove("valid numbers for a callee", implies(c->guard, valid(&known)));
	prove("a value that is well kept", implies(c->guard, well_kept(&v)));
	claim_of(c, "what is told", true_telling(c->memory, &c->args[1], &c->args[2]));
	term told = fresh_bool();
	assume(implies(and_(c->given, holds(&v)), told));
	number_store(c->memory, &n, &r);
	assume(implies(and_(c->guard, and_(told, has_number(&v))), valid(&r)));
	assume(implies(and_(c->given, and_(holds(&v), has_number(&v))), member(&r, v.x)));
	if (refined_is) {
		same_members(&r, v.x, refined_is, truth(true));
		same_members(&v.n, v.x, refined_is, truth(true));
	}
	*c->result = exec_bits(told);
}

static const struct {
	const char *function;
	void (*call)(const struct asked *c);
} promises[] = {
	{"wv_num_binary", call_binary},
	{"wv_num_const", call_const},
	{"num_moved", call_num_moved},
	{"num_times", call_num_times},
	{"wv_num_assume", call_assume},
	{"distance_find", call_distance_find},
	{"distance_room", call_distance_room},
	{"number_by_value", call_number_by_value},
	{"number_by_sum", call_number_by_sum},
	{"number_of", call_number_of},
	{"multiple_divide", call_divide},
	{"wv_state_refine", call_refine},
	{"wv_state_refine_locations", call_refine},
	{"wv_state_refine_distant", call_refine},
	{"refine_divided", call_refine_divided},
	{"refine_by", call_refine_by},
	{"symbol_holder", call_symbol_holder},
	{"learn_by", call_learn_by},
	{"wv_num_meet", call_meet},
	{"wv_state_distance", call_distance},
	{"wv_state_find_distance", call_find_distance},
	{"wv_state_set_distance", call_set_distance},
	{"wv_state_learn_distant", call_learn},
	{"assume_difference", call_difference},
	{"settle_low_sum", call_settle},
	{"floor_of", call_floor},
	{"ceiling_of", call_ceiling},
	{"compare_sums", call_compare},
	{"same_sum", call_same_sum},
	{"symbol_is_held", call_held},
	{"wv_num_join", call_join},
	{"wv_val_refine", call_val_refine},
};

bool promised(const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	for (unsigned i = 0; i < sizeof promises / sizeof promises[0] && strcmp(name, row->function) != 0; i++) {
		if (strcmp(promises[i].function, name) != 0)
			continue;
		struct asked c = {args, m, guard, and_(assumed, guard), result};
		promises[i].call(&c);
		return true;
	}
	return false;
}

/* ---- arguments ---- */

void begin_row(const struct query *q)
{
	row = q;
	assumed = input_bool("assumed");
	near_in_spite_of(assumed);
	constant.x = moved_to = refined_is = NULL;
	n_steps = n_factors = n_pairs = n_facts_given = 0;
	also_summarise(promised);
	number_by_name = term_fold_choices = true;
	use_names_last();
}

struct value new_state(void)
{
	struct value st = exec_struct(&state_memory, "struct.wv_state", SLOTS), at = st;
	exec_bound = ule(exec_load(&state_memory, &at, offsetof(struct wv_state, n_distances), 4), bits(32, MAX_FACTS));
	exec_bound = and_(
		exec_bound, ule(exec_load(&state_memory, &at, offsetof(struct wv_state, n_slots), 4), bits(32, SLOTS)));
	assume(exec_bound);
	return st;
}

struct value new_value(struct held *h)
{
	struct value v = exec_struct(&state_memory, "struct.wv_val", 0);
	*h = held_load(&state_memory, &v, 0);
	assume(well_kept(h));
	suppose(holds(h));
	return v;
}

struct value new_numbered(struct held *h, term x)
{
	struct value v = exec_struct(&state_memory, "struct.wv_val", 0);
	*h = held_load(&state_memory, &v, 0);
	assume(valid(&h->n));
	suppose(and_(member(&h->n, h->x), x ? eq(h->x, x) : truth(true)));
	return v;
}
