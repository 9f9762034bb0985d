/* SPDX-License-Identifier: Apache-2.0 */
#include "statement.h"

#include <stdlib.h>
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/model/symbolic_state.h"

/* ---- what a proof is made of ---- */

enum { MAX_GOALS = 2000, MAX_WITNESSES = 40, MAX_MET = 60 };

struct goal goals[MAX_GOALS];
unsigned n_goals;
static term witness_list[MAX_WITNESSES];
static unsigned n_witnesses;
static term gcds[MAX_MET];
static unsigned n_gcds;

void prove(const char *name, term t)
{
	if (n_goals == MAX_GOALS)
		give_up("too many goals");
	goals[n_goals++] = (struct goal){name, t};
}

term supposed, likely_so;

void possible(term t)
{
	supposed = t;
}

void likely(term t)
{
	likely_so = t;
}

void witness(term x)
{
	for (unsigned i = 0; i < n_witnesses; i++) {
		if (witness_list[i] == x)
			return;
	}
	if (n_witnesses == MAX_WITNESSES)
		give_up("too many witnesses");
	witness_list[n_witnesses++] = x;
}

/* The results of calls that a statement is about, under the names by which it knows them. */
enum { MAX_RESULTS = 20 };
static struct {
	term computed, named;
} results[MAX_RESULTS];
static unsigned n_results;

void same_result(term computed, term named, term law)
{
	Z3_solver s = Z3_mk_solver_for_logic(z3, Z3_mk_string_symbol(z3, "QF_BV"));
	Z3_solver_inc_ref(z3, s);
	Z3_solver_assert(z3, s, and_(law, not_(eq(computed, named))));
	if (Z3_solver_check(z3, s) != Z3_L_FALSE)
		give_up("two results are not the same");
	Z3_solver_dec_ref(z3, s);
	if (n_results == MAX_RESULTS)
		give_up("too many results");
	results[n_results].computed = computed;
	results[n_results++].named = named;
	witness(named);
}

static term factor[2];

void factors(term x, term y)
{
	factor[0] = x;
	factor[1] = y;
}

static term dividend, divisor;

void dividing(term x, term y)
{
	dividend = x;
	divisor = y;
}

/* The witness that t is; NULL if the statement is not about t. */
static term known_as(term t)
{
	for (unsigned i = 0; i < n_results; i++) {
		if (results[i].computed == t)
			return results[i].named;
	}
	for (unsigned i = 0; i < n_witnesses; i++) {
		if (witness_list[i] == t)
			return t;
	}
	return NULL;
}

static term throughout_given, throughout;

void member_throughout(term given, term x)
{
	throughout_given = given;
	throughout = x;
}

static const struct number *narrowed;

void narrower_throughout(const struct number *n)
{
	narrowed = n;
}

const term *witnesses(unsigned *n)
{
	*n = n_witnesses;
	return witness_list;
}

static void met(term *list, unsigned *n, term t)
{
	for (unsigned i = 0; i < *n; i++) {
		if (list[i] == t)
			return;
	}
	if (*n < MAX_MET) /* an instance less only makes a proof harder */
		list[(*n)++] = t;
}

const term *gcds_met(unsigned *n)
{
	*n = n_gcds;
	return gcds;
}

/* ---- statements ---- */

term keeps(const struct number *before, const struct number *after, term told, term x)
{
	return implies(member(before, x), and_(told, member(after, x)));
}

term narrows(const struct number *before, const struct number *after, term told)
{
	term all = implies(well_formed(before), well_formed(after));
	for (enum view v = 0; v < N_BOUNDS; v++)
		all = and_(all, implies(and_(told, well_formed(before)), narrower_view(after, before, v)));
	return all;
}

static term divides(term g, term a)
{
	term zero = bits(64, 0);
	return or_(eq(a, zero), and_(not_(eq(g, zero)), eq(rem(a, g), zero)));
}

term is_gcd(term a, term b, term g)
{
	term zero = bits(64, 0), none = and_(eq(a, zero), eq(b, zero));
	return and_(and_(divides(g, a), divides(g, b)),
		and_(eq(eq(g, zero), none), and_(implies(eq(b, zero), eq(g, a)), implies(eq(a, zero), eq(g, b)))));
}

/* ---- summaries ---- */

void need(const struct call *c, term t)
{
	prove("what a callee needs", implies(c->guard, t));
}

static void answer(const struct call *c, const struct value *where, struct number *n)
{
	*n = number_fresh();
	number_store(c->memory, where, n);
}

static void change(const struct call *c, const struct number *before, struct number *after)
{
	*after = number_changed(before, c->changes);
	number_store(c->memory, &c->args[0], after);
}

/* bool is_settled(n): whether to stop is a matter of taste. */
static void settling(const struct call *c)
{
	struct number n = number_load(c->memory, &c->args[0]);
	need(c, well_formed(&n));
	*c->result = exec_bits(fresh_bool());
}

/* What the statement asks for, view by view. */
static void still_member(const struct call *c, const struct number *n)
{
	for (enum view v = 0; throughout && v < N_VIEWS; v++)
		prove(view_name[v], implies(and_(c->guard, throughout_given), in_view(n, v, throughout)));
}

static void still_narrower(const struct call *c, const struct number *n, term told)
{
	for (enum view v = 0; narrowed && v < N_BOUNDS; v++)
		prove("narrower so far", implies(and_(c->guard, told), narrower_view(n, narrowed, v)));
}

/* bool f(struct wv_num *n): the views of one number tighten each other. */
static void narrowing(const struct call *c, bool all_intervals)
{
	struct number before = number_load(c->memory, &c->args[0]), after;
	term told = fresh_bool();
	need(c, well_formed(&before));
	still_member(c, &before);
	change(c, &before, &after);
	assume(narrows(&before, &after, told));
	assume(implies(and_(told, ule(before.umin, before.umax)), ule(after.umin, after.umax)));
	if (all_intervals)
		assume(implies(and_(told, well_formed(&before)), intervals(&after)));
	for (unsigned i = 0; i < n_witnesses; i++)
		assume(keeps(&before, &after, told, witness_list[i]));
	still_narrower(c, &after, told);
	*c->result = exec_bits(told);
}

static void narrowing_some(const struct call *c)
{
	narrowing(c, false);
}

static void narrowing_all(const struct call *c)
{
	narrowing(c, true);
}

/* bool sync_small(n): of values from 0 to INT32_MAX. */
static void narrowing_small(const struct call *c)
{
	struct number before = number_load(c->memory, &c->args[0]);
	need(c, ule(before.umax, bits(64, INT32_MAX)));
	narrowing(c, true);
}

/* bool sync_only(n): of one value. */
static void narrowing_only(const struct call *c)
{
	struct number before = number_load(c->memory, &c->args[0]);
	need(c, eq(before.umin, before.umax));
	narrowing(c, true);
}

/* lo ≤ (x & within) ≤ hi; as a claim about a view where it is one. */
static term between(term lo, term hi, term within, term x)
{
	struct number n = {.umin = lo, .umax = hi};
	uint64_t mask;
	if (!is_number(within, &mask))
		mask = 0;
	if (mask == UINT64_MAX)
		return and_(in_view(&n, VIEW_UMIN, x), in_view(&n, VIEW_UMAX, x));
	if (mask == UINT32_MAX && is_extension(lo, 32, &n.lumin) && is_extension(hi, 32, &n.lumax))
		return and_(in_view(&n, VIEW_LUMIN, x), in_view(&n, VIEW_LUMAX, x));
	term part = band(x, within);
	return and_(ule(lo, part), ule(part, hi));
}

/* bool learn_bits(n, lo, hi, within): where lo ≤ (x & within) ≤ hi. */
static void learning(const struct call *c)
{
	struct number before = number_load(c->memory, &c->args[0]), after;
	term told = fresh_bool(), lo = c->args[1].part[0], hi = c->args[2].part[0], within = c->args[3].part[0];
	need(c, well_formed(&before));
	change(c, &before, &after);
	assume(narrows(&before, &after, told));
	for (unsigned i = 0; i < n_witnesses; i++) {
		assume(implies(
			between(lo, hi, within, witness_list[i]), keeps(&before, &after, told, witness_list[i])));
	}
	*c->result = exec_bits(told);
}

/* bool f(struct wv_num *n, const struct wv_num *other): both hold. */
static void meeting(const struct call *c, bool whole)
{
	struct number before = number_load(c->memory, &c->args[0]), other = number_load(c->memory, &c->args[1]), after;
	term told = fresh_bool(), fit = and_(well_formed(&before), well_formed(&other));
	need(c, fit);
	if (!whole)
		still_member(c, &before);
	change(c, &before, &after);
	assume(implies(well_formed(&other), narrows(&before, &after, told)));
	if (whole)
		assume(implies(and_(told, fit), intervals(&after)));
	for (unsigned i = 0; i < n_witnesses; i++)
		assume(implies(member(&other, witness_list[i]), keeps(&before, &after, told, witness_list[i])));
	*c->result = exec_bits(told);
}

static void meeting_remainders(const struct call *c)
{
	meeting(c, false);
}

static void meeting_whole(const struct call *c)
{
	meeting(c, true);
}

/* The one may be taken for both. */
static void meeting_valid(const struct call *c)
{
	struct number before = number_load(c->memory, &c->args[0]), other = number_load(c->memory, &c->args[1]);
	need(c, and_(valid(&before), valid(&other)));
	meeting(c, true);
}

/* bool congruence_within(inner, outer) */
static void comparing_remainders(const struct call *c)
{
	struct number inner = number_load(c->memory, &c->args[0]), outer = number_load(c->memory, &c->args[1]);
	term told = fresh_bool();
	need(c, and_(valid(&inner), valid(&outer)));
	for (unsigned i = 0; i < n_witnesses; i++)
		assume(implies(
			and_(told, member(&inner, witness_list[i])), in_view(&outer, VIEW_REMAINDER, witness_list[i])));
	*c->result = exec_bits(told);
}

/* bool wv_num_meet_low(n, other, add) */
static void meeting_low(const struct call *c)
{
	struct number before = number_load(c->memory, &c->args[0]), other = number_load(c->memory, &c->args[1]), after;
	term told = fresh_bool(), plus = c->args[2].part[0];
	need(c, and_(valid(&before), valid(&other)));
	answer(c, &c->args[0], &after);
	assume(and_(well_formed(&after), implies(told, intervals(&after))));
	for (unsigned i = 0; i < n_witnesses; i++) {
		for (unsigned j = 0; j < n_witnesses; j++) {
			term x = witness_list[i], y = witness_list[j],
			     same = eq(extract(31, 0, x), add(extract(31, 0, y), plus));
			assume(implies(and_(same, member(&other, y)), keeps(&before, &after, told, x)));
		}
	}
	*c->result = exec_bits(told);
}

static unsigned constant_argument(const struct call *c, unsigned i)
{
	uint64_t value;
	if (!is_number(c->args[i].part[0], &value))
		give_up("a summary needs a constant argument");
	return (unsigned)value;
}

/* struct wv_num f(const struct wv_num *n, unsigned width) */
static void extending(const struct call *c, term extend(term, unsigned))
{
	struct number n = number_load(c->memory, &c->args[1]), r;
	unsigned width = constant_argument(c, 2);
	need(c, valid(&n));
	answer(c, &c->args[0], &r);
	assume(implies(valid(&n), valid(&r)));
	for (unsigned i = 0; i < n_witnesses; i++) {
		term z = known_as(extend(witness_list[i], width));
		if (z)
			assume(implies(member(&n, witness_list[i]), member(&r, z)));
	}
}

static void extending_zero(const struct call *c)
{
	extending(c, low_zext);
}

static void extending_sign(const struct call *c)
{
	extending(c, low_sext);
}

/* What num.h does not promise, but shifts rely on: x & y is at most the greatest x and the greatest y. */
static term and_is_least(
	enum wv_op op, const struct number *a, const struct number *b, const struct number *r, term x, term y)
{
	term least = and_(ule(r->umax, a->umax), ule(r->umax, b->umax));
	return op == WV_AND ? implies(and_(member(a, x), member(b, y)), least) : truth(true);
}

term product_is_bounded(const struct number *a, const struct number *b, const struct number *r, term x, term y)
{
	struct product most = product(a->umax, b->umax);
	return implies(and_(and_(member(a, x), member(b, y)), eq(most.high, bits(64, 0))), ule(r->umax, most.low));
}

/*
 * `bounds`: also what a product is bounded by. Products by other functions than wv_num_binary need not know it, and are
 * harder then.
 */
static void operating(const struct call *c, enum wv_op op, unsigned width, const struct value *left,
	const struct value *right, bool bounds)
{
	struct number a = number_load(c->memory, left), b = number_load(c->memory, right), r;
	need(c, and_(valid(&a), valid(&b)));
	answer(c, &c->args[0], &r);
	assume(implies(and_(valid(&a), valid(&b)), valid(&r)));
	for (unsigned i = 0; i < n_witnesses; i++) {
		for (unsigned j = 0; j < n_witnesses; j++) {
			term x = witness_list[i], y = witness_list[j], z = known_as(concrete_binary(op, width, x, y));
			if (!z)
				continue;
			assume(implies(and_(member(&a, x), member(&b, y)), member(&r, z)));
			if (width == 64)
				assume(and_is_least(op, &a, &b, &r, x, y));
			if (bounds && op == WV_IMUL)
				assume(product_is_bounded(&a, &b, &r, x, y));
		}
	}
}

static void operating_64(const struct call *c)
{
	operating(c, constant_argument(c, 1), 64, &c->args[2], &c->args[3], true);
}

static void operating_any(const struct call *c)
{
	operating(c, constant_argument(c, 1), constant_argument(c, 2), &c->args[3], &c->args[4], false);
}

/* struct wv_num f(a, b), where the views don't tighten each other yet. */
static void operating_plainly(const struct call *c, enum wv_op op)
{
	struct number a = number_load(c->memory, &c->args[1]), b = number_load(c->memory, &c->args[2]), r;
	term fit = and_(valid(&a), valid(&b));
	need(c, fit);
	answer(c, &c->args[0], &r);
	assume(implies(fit, well_formed(&r)));
	for (unsigned i = 0; i < n_witnesses; i++) {
		for (unsigned j = 0; j < n_witnesses; j++) {
			term x = witness_list[i], y = witness_list[j], z = known_as(concrete_binary(op, 64, x, y));
			if (!z)
				continue;
			assume(implies(and_(member(&a, x), member(&b, y)), member(&r, z)));
			if (op == WV_IMUL)
				assume(product_is_bounded(&a, &b, &r, x, y));
		}
	}
}

static void adding(const struct call *c)
{
	operating_plainly(c, WV_ADD);
}

static void subtracting(const struct call *c)
{
	operating_plainly(c, WV_SUB);
}

static void multiplying(const struct call *c)
{
	operating_plainly(c, WV_IMUL);
}

/* struct wv_num f(a, lo, hi), likewise */
static void shifting_plainly(const struct call *c, term shifted(term, term))
{
	struct number a = number_load(c->memory, &c->args[1]), r;
	term lo = c->args[2].part[0], hi = c->args[3].part[0],
	     fit = and_(valid(&a), and_(ule(lo, hi), ule(hi, bits(32, 63))));
	need(c, fit);
	answer(c, &c->args[0], &r);
	assume(implies(fit, well_formed(&r)));
	for (unsigned i = 0; i < n_witnesses; i++) {
		for (unsigned j = 0; j < n_witnesses; j++) {
			term x = witness_list[i], by = witness_list[j], z = known_as(shifted(x, by));
			if (z)
				assume(implies(and_(member(&a, x), and_(ule(zext(lo, 64), by), ule(by, zext(hi, 64)))),
					member(&r, z)));
		}
	}
}

static void shifting_left(const struct call *c)
{
	shifting_plainly(c, shl);
}

static void shifting_right(const struct call *c)
{
	shifting_plainly(c, lshr);
}

static void shifting_signed(const struct call *c)
{
	shifting_plainly(c, ashr);
}

/* struct wv_num signed_range(min, max) */
static void ranging_signed(const struct call *c)
{
	struct number r, ends = {.smin = c->args[1].part[0], .smax = c->args[2].part[0]};
	answer(c, &c->args[0], &r);
	assume(valid(&r));
	for (unsigned i = 0; i < n_witnesses; i++) {
		term x = witness_list[i];
		term within = and_(in_view(&ends, VIEW_SMIN, x), in_view(&ends, VIEW_SMAX, x));
		assume(implies(or_(slt(ends.smax, ends.smin), within), member(&r, x)));
	}
}

term range_of_bits(const struct number *r, term min, term max)
{
	term zero = bits(64, 0), all = and_(eq(min, zero), eq(band(max, add(max, bits(64, 1))), zero));
	return implies(all, and_(eq(r->umin, zero), eq(r->umax, max)));
}

/* struct wv_num wv_num_range(min, max) */
static void ranging(const struct call *c)
{
	struct number r, ends = {.umin = c->args[1].part[0], .umax = c->args[2].part[0]};
	answer(c, &c->args[0], &r);
	assume(valid(&r));
	for (unsigned i = 0; i < n_witnesses; i++) {
		term x = witness_list[i];
		term within = and_(in_view(&ends, VIEW_UMIN, x), in_view(&ends, VIEW_UMAX, x));
		assume(implies(or_(ult(ends.umax, ends.umin), within), member(&r, x)));
	}
	assume(range_of_bits(&r, ends.umin, ends.umax));
}

/* struct wv_num wv_num_shift(op, width, a, count) */
static void shifting(const struct call *c)
{
	enum wv_op op = (enum wv_op)constant_argument(c, 1);
	unsigned width = constant_argument(c, 2);
	struct number a = number_load(c->memory, &c->args[3]), count = number_load(c->memory, &c->args[4]), r;
	term fit = and_(valid(&a), valid(&count));
	need(c, fit);
	answer(c, &c->args[0], &r);
	assume(implies(fit, valid(&r)));
	for (unsigned i = 0; i < n_witnesses; i++) {
		for (unsigned j = 0; j < n_witnesses; j++) {
			term x = witness_list[i], y = witness_list[j], z = known_as(concrete_shift(op, width, x, y));
			if (z)
				assume(implies(and_(member(&a, x), member(&count, y)), member(&r, z)));
		}
	}
}

term any_cond(term number, unsigned width, term x, term y)
{
	static const enum wv_cond orders[] = {WV_B, WV_AE, WV_E, WV_NE, WV_BE, WV_A, WV_L, WV_GE, WV_LE, WV_G};
	term holds = truth(true);
	for (unsigned i = 0; i < sizeof orders / sizeof orders[0]; i++)
		holds = ite(eq(number, bits(32, orders[i])), concrete_cond(orders[i], width, x, y), holds);
	return holds;
}

/* bool wv_num_assume(cond, width, a, b) */
static void assuming(const struct call *c)
{
	unsigned width = constant_argument(c, 1);
	struct number a = number_load(c->memory, &c->args[2]), b = number_load(c->memory, &c->args[3]), ra, rb;
	term told = fresh_bool();
	need(c, and_(valid(&a), valid(&b)));
	need(c, ult(c->args[0].part[0], bits(32, 16)));
	answer(c, &c->args[2], &ra);
	answer(c, &c->args[3], &rb);
	assume(implies(and_(and_(valid(&a), valid(&b)), told), and_(valid(&ra), valid(&rb))));
	for (unsigned i = 0; i < n_witnesses; i++) {
		for (unsigned j = 0; j < n_witnesses; j++) {
			term x = witness_list[i], y = witness_list[j],
			     holds = name_of(any_cond(c->args[0].part[0], width, x, y));
			term kept = and_(told, and_(member(&ra, x), member(&rb, y)));
			assume(implies(and_(holds, and_(member(&a, x), member(&b, y))), kept));
		}
	}
	*c->result = exec_bits(told);
}

/* bool assume_not(width, a, b): a is not b. */
static void excluding(const struct call *c)
{
	unsigned width = constant_argument(c, 0);
	struct number a = number_load(c->memory, &c->args[1]), b = number_load(c->memory, &c->args[2]), after;
	term told = fresh_bool(), fit = and_(valid(&a), valid(&b));
	need(c, fit);
	answer(c, &c->args[1], &after);
	assume(implies(and_(fit, told), valid(&after)));
	for (unsigned i = 0; i < n_witnesses; i++) {
		for (unsigned j = 0; j < n_witnesses; j++) {
			term x = witness_list[i], y = witness_list[j], apart = concrete_cond(WV_NE, width, x, y);
			assume(implies(and_(apart, member(&b, y)), keeps(&a, &after, told, x)));
		}
	}
	*c->result = exec_bits(told);
}

static void finding_gcd(const struct call *c)
{
	term g = fresh(64);
	met(gcds, &n_gcds, g);
	assume(is_gcd(c->args[0].part[0], c->args[1].part[0], g));
	*c->result = exec_bits(g);
}

/* bool wv_num_has(n, value) */
static void having(const struct call *c)
{
	struct number n = number_load(c->memory, &c->args[0]);
	term value = c->args[1].part[0];
	for (unsigned i = 0; i < n_witnesses; i++) {
		for (enum view v = 0; v < N_VIEWS; v++)
			define(implies(eq(value, witness_list[i]),
				eq(in_view(&n, v, value), in_view(&n, v, witness_list[i]))));
	}
	*c->result = exec_bits(member(&n, value));
}

static void adding_mod(const struct call *c)
{
	term x = c->args[0].part[0], y = c->args[1].part[0], m = c->args[2].part[0];
	need(c, and_(ult(x, m), ult(y, m)));
	*c->result = exec_bits(sum_mod(x, y, m));
}

/* void sum_congruence(r, a, b, minus, wraps): the remainder of a sum or difference, if it wraps around as is said. */
static void summing(const struct call *c)
{
	struct number before = number_load(c->memory, &c->args[0]), a = number_load(c->memory, &c->args[1]),
		      b = number_load(c->memory, &c->args[2]), after;
	bool minus = is_true(c->args[3].part[0]);
	term wraps = c->args[4].part[0], fit = and_(well_formed(&before), and_(valid(&a), valid(&b)));
	if (!minus && !is_false(c->args[3].part[0]))
		give_up("a summary needs a constant argument");
	need(c, fit);
	change(c, &before, &after);
	assume(implies(fit, well_formed(&after)));
	for (unsigned i = 0; i < n_witnesses; i++) {
		for (unsigned j = 0; j < n_witnesses; j++) {
			term x = witness_list[i], y = witness_list[j], z = known_as(minus ? sub(x, y) : add(x, y));
			if (!z)
				continue;
			term given = and_(and_(member(&a, x), member(&b, y)),
				and_(in_view(&before, VIEW_REMAINDER, z), eq(minus ? ult(x, y) : ult(z, x), wraps)));
			assume(implies(and_(fit, given), in_view(&after, VIEW_REMAINDER, z)));
		}
	}
}

/* void scale_congruence(r, mod, rem, c): what x times c leaves, if x leaves rem. */
static void scaling(const struct call *c)
{
	struct number before = number_load(c->memory, &c->args[0]), after;
	struct number of_factor = {.mod = c->args[1].part[0], .rem = c->args[2].part[0]};
	term by = c->args[3].part[0];
	need(c, and_(well_formed(&before), and_(ult(bits(64, 0), of_factor.mod), ult(of_factor.rem, of_factor.mod))));
	change(c, &before, &after);
	assume(well_formed(&after));
	for (unsigned i = 0; i < 2 && factor[i]; i++) {
		struct product p = product(factor[i], factor[1 - i]);
		term given = and_(
			eq(by, factor[1 - i]), and_(eq(p.high, bits(64, 0)), in_view(&before, VIEW_REMAINDER, p.low)));
		assume(implies(and_(given, in_view(&of_factor, VIEW_REMAINDER, factor[i])),
			in_view(&after, VIEW_REMAINDER, p.low)));
	}
}

term quotients_fit(term min, term max, term from, term to)
{
	term limit = shl(bits(128, 1), bits(128, 126)), zero = bits(64, 0),
	     small = and_(sle(sub(bits(128, 0), limit), min), sle(max, limit));
	return and_(and_(small, sle(min, max)), and_(sle(from, to), or_(slt(to, zero), slt(zero, from))));
}

/* void widen(quotients, n, from, to) */
static void widening(const struct call *c)
{
	term min = exec_load(c->memory, &c->args[1], 0, 16), max = exec_load(c->memory, &c->args[1], 16, 16),
	     from = c->args[2].part[0], to = c->args[3].part[0];
	term before[2], after[2], q = quotient(dividend, sext(divisor, 128), true).q;
	prove("what a callee needs", implies(and_(c->guard, sle(min, max)), quotients_fit(min, max, from, to)));
	for (unsigned i = 0; i < 2; i++) {
		before[i] = exec_load(c->memory, &c->args[0], 16 * i, 16);
		after[i] = fresh(128);
		exec_store(c->memory, &c->args[0], 16 * i, after[i]);
	}
	term fit = quotients_fit(min, max, from, to);
	term within = and_(and_(sle(min, dividend), sle(dividend, max)), and_(sle(from, divisor), sle(divisor, to)));
	assume(implies(fit, and_(sle(after[0], before[0]), sle(before[1], after[1]))));
	assume(implies(and_(fit, within), and_(sle(after[0], q), sle(q, after[1]))));
}

term division_fits(const struct memory *memory, const struct value *n, const struct value *d)
{
	term min = exec_load(memory, n, 0, 16), max = exec_load(memory, n, 16, 16),
	     limit = shl(bits(128, 1), bits(128, 126));
	struct number by = number_load(memory, d);
	return and_(and_(sle(sub(bits(128, 0), limit), min), sle(max, limit)), valid(&by));
}

term division_within(const struct memory *memory, const struct value *n, const struct value *d, term x, term y)
{
	term min = exec_load(memory, n, 0, 16), max = exec_load(memory, n, 16, 16);
	struct number by = number_load(memory, d);
	term divides = and_(not_(eq(y, bits(64, 0))), and_(in_view(&by, VIEW_SMIN, y), in_view(&by, VIEW_SMAX, y)));
	return and_(and_(sle(min, x), sle(x, max)), divides);
}

/* struct interval f(n, d), of quotients or of what is left */
static void bounding(const struct call *c, bool rest)
{
	struct quotient q = quotient(dividend, sext(divisor, 128), true);
	term fit = division_fits(c->memory, &c->args[1], &c->args[2]),
	     within = division_within(c->memory, &c->args[1], &c->args[2], dividend, divisor);
	term least = fresh(128), most = fresh(128), t = rest ? q.r : q.q;
	need(c, fit);
	exec_store(c->memory, &c->args[0], 0, least);
	exec_store(c->memory, &c->args[0], 16, most);
	assume(implies(and_(fit, within), and_(sle(least, t), sle(t, most))));
	if (rest) { /* below the divisor, which has 64 bits */
		term most_of_all = shl(bits(128, 1), bits(128, 63));
		assume(implies(fit, and_(slt(sub(bits(128, 0), most_of_all), least), slt(most, most_of_all))));
	}
}

static void bounding_quotients(const struct call *c)
{
	bounding(c, false);
}

static void bounding_remainders(const struct call *c)
{
	bounding(c, true);
}

/*
 * In a search numbers have no remainders; and what views tell of each other only narrows them. So they are left as they
 * are.
 */
static bool leave_alone(const char *name, struct value *result)
{
	static const char *const list[] = {
		"wv_num_sync", "align_to_remainder", "meet_congruence", "sum_congruence", "scale_congruence"};
	for (unsigned i = 0; i < sizeof list / sizeof list[0]; i++) {
		if (strcmp(list[i], name) == 0) {
			*result = exec_bits(truth(true));
			return true;
		}
	}
	return false;
}

static struct summary {
	const char *function;
	void (*summarise)(const struct call *c);
	unsigned changes;
	bool off;
} summaries[] = {
	{"gcd", finding_gcd, 0, false},
	{"add_mod", adding_mod, 0, false},
	{"align_ends", narrowing_some, CHANGES_WHOLE, false},
	{"align_to_remainder", narrowing_some, CHANGES_WHOLE, false},
	{"learn_bits", learning, CHANGES_BITS, false},
	{"sync_64", narrowing_some, CHANGES_WHOLE, false},
	{"sync_32", narrowing_all, CHANGES_WHOLE | CHANGES_LOW, false},
	{"wv_num_has", having, 0, false},
	{"sync_small", narrowing_small, CHANGES_ALL, false},
	{"is_settled", settling, 0, false},
	{"sync_only", narrowing_only, CHANGES_ALL, false},
	{"wv_num_sync", narrowing_all, CHANGES_ALL, false},
	{"meet_congruence", meeting_remainders, CHANGES_REMAINDER, false},
	{"congruence_within", comparing_remainders, 0, false},
	{"meet_views", meeting_whole, CHANGES_ALL, false},
	{"wv_num_meet", meeting_valid, CHANGES_ALL, false},
	{"wv_num_meet_low", meeting_low, CHANGES_ALL, false},
	{"wv_num_zext", extending_zero, 0, false},
	{"wv_num_sext", extending_sign, 0, false},
	{"sum_congruence", summing, CHANGES_REMAINDER, false},
	{"scale_congruence", scaling, CHANGES_REMAINDER, false},
	{"add64", adding, 0, false},
	{"sub64", subtracting, 0, false},
	{"mul64", multiplying, 0, false},
	{"shl64", shifting_left, 0, false},
	{"shr64", shifting_right, 0, false},
	{"sar64", shifting_signed, 0, false},
	{"binary64", operating_64, 0, false},
	{"wv_num_binary", operating_any, 0, false},
	{"interval_widen", widening, 0, false},
	{"quotients_of", bounding_quotients, 0, false},
	{"remainders_of", bounding_remainders, 0, false},
	{"signed_range", ranging_signed, 0, false},
	{"wv_num_range", ranging, 0, false},
	{"wv_num_shift", shifting, 0, false},
	{"assume_not", excluding, 0, false},
	{"wv_num_assume", assuming, 0, false},
	{"comparison_of", summarise_comparison_of, 0, false},
	{"is_comparable", summarise_is_comparable, 0, false},
	{"assume_order", summarise_assume_order, 0, false},
	{"assume_distance", summarise_assume_distance, 0, false},
};
enum { N_SUMMARIES = sizeof summaries / sizeof summaries[0] };

static bool summaries_on;
static exec_summary *first, *always;

void also_summarise(exec_summary *s)
{
	first = s;
}

void summarise_always(exec_summary *s)
{
	always = s;
}

static bool summarise(
	const char *name, const struct value *args, struct memory *memory, term guard, struct value *result)
{
	if (always)
		return always(name, args, memory, guard, result);
	if (first && summaries_on && !term_replaying() && first(name, args, memory, guard, result))
		return true;
	if (!first && (strcmp(name, "wv_state_refine") == 0 || strcmp(name, "wv_val_refine") == 0))
		return flags_refining(args, memory, guard, result);
	if (!first && strcmp(name, "wv_state_assume_distance") == 0)
		return flags_distance(args, memory, guard, result);
	if (!first && strcmp(name, "wv_state_assume_order") == 0)
		return flags_order(args, memory, guard, result);
	if (!first && strcmp(name, "wv_state_assume_addresses") == 0)
		return flags_addresses(args, memory, guard, result);
	if (term_replaying())
		return false;
	if (arith_exact && leave_alone(name, result))
		return true;
	for (unsigned i = 0; i < N_SUMMARIES; i++) {
		if (summaries[i].off || (!summaries_on && summaries[i].summarise != finding_gcd) ||
			strcmp(summaries[i].function, name) != 0)
			continue;
		struct call c = {args, memory, guard, result, summaries[i].changes};
		assume_about(fresh_bool());
		summaries[i].summarise(&c);
		assume_about(NULL);
		return true;
	}
	return false;
}

void begin_statement(bool on)
{
	summaries_on = on;
	exec_summarise(summarise);
	n_goals = n_witnesses = n_results = n_gcds = 0;
	throughout = factor[0] = dividend = NULL;
	first = always = NULL;
	supposed = likely_so = NULL;
	exec_bound = NULL;
	exec_window = (struct window){0};
	exec_cut = (struct exec_cut){0};
	exec_reads = NULL;
	exec_rejoins = exec_shifts = false;
	number_by_name = term_fold_choices = false;
	world_clear();
	narrowed = NULL;
	facts_clear();
	exec_n_hazards = 0;
}

unsigned may_change(const char *function)
{
	for (unsigned i = 0; i < N_SUMMARIES; i++) {
		if (strcmp(summaries[i].function, function) == 0)
			return summaries[i].changes;
	}
	return CHANGES_ALL;
}

void without_summary(const char *function)
{
	for (unsigned i = 0; i < N_SUMMARIES; i++) {
		if (strcmp(summaries[i].function, function) == 0)
			summaries[i].off = true;
	}
}
