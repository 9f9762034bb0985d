/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flags.c: what a condition says of the values compared.
 *
 * The flags are those that the processor computes of two registers (SDM vol. 2, CMP; vol. 1, 3.4.3 and appendix B),
 * or anything, as the relation says. A register holds its number, or its region's base plus its offset. Whatever the
 * code under test says of a value must be true of the register's.
 *
 * Each step has a statement of its own:
 *
 *   comparison_of    if the flags that were computed of the registers satisfy a condition, the condition that it
 *                    returns holds of the registers
 *   comparable       if that condition holds of the registers, it holds of their numbers
 *   wv_num_assume    a condition that holds of numbers excludes neither (queries.c)
 *   assume_distance  if it holds of numbers, what is learnt of their distance is true
 *   assume_order     the same, if one of them is known to be less than the other
 *
 * A condition stays one relation of two words through all steps, whatever it means; only a step that depends on its
 * meaning looks at it.
 */
#include <stddef.h>

#include "tests/z3/engine/arith.h"
#include "compared.h"
#include "queries.h"
#include "verifier/domain/state.h"

static struct memory memory;
static term flags_hold;                              /* the condition, whatever it is called */
static enum { NO_ORDER, UNSIGNED, SIGNED } of_order; /* which assume_order is about, if that is the statement */

/* --- flags --- */

static term bit(term t, unsigned i)
{
	return eq(extract(i, i, t), bits(1, 1));
}

static term parity(term t)
{
	term odd = truth(false);
	for (unsigned i = 0; i < 8; i++)
		odd = not_(eq(odd, bit(t, i)));
	return not_(odd);
}

struct flags {
	term cf, zf, sf, of, pf;
};

/* CMP a, b. */
static struct flags of_difference(unsigned width, term a, term b)
{
	term d = sub(a, b);
	return (struct flags){
		ult(a, b), eq(a, b), bit(d, width - 1), bit(band(bxor(a, b), bxor(a, d)), width - 1), parity(d)};
}

/* ADD that left the sum, of the addend and what the difference was. */
static struct flags of_sum(unsigned width, term sum, term addend)
{
	term other = sub(sum, addend);
	return (struct flags){ult(sum, addend), eq(sum, bits(width, 0)), bit(sum, width - 1),
		bit(band(bxor(sum, addend), bxor(sum, other)), width - 1), parity(sum)};
}

static struct flags flags_of(enum wv_relation relation, unsigned width, term a, term b)
{
	struct flags f = {input_bool("cf"), input_bool("zf"), input_bool("sf"), input_bool("of"), input_bool("pf")};
	term x = extract(width - 1, 0, a), y = extract(width - 1, 0, b);
	switch (relation) {
	case WV_REL_CMP: return of_difference(width, x, y);
	case WV_REL_ADD: return of_sum(width, x, y);
	case WV_REL_SIGN: f.sf = bit(x, width - 1); /* fallthrough */
	case WV_REL_ZERO: f.zf = eq(x, bits(width, 0)); break;
	case WV_REL_NONE: break;
	}
	return f;
}

static term holds(enum wv_cond cond, const struct flags *f)
{
	term less = not_(eq(f->sf, f->of)), t;
	switch (cond & ~1u) {
	case WV_O: t = f->of; break;
	case WV_B: t = f->cf; break;
	case WV_E: t = f->zf; break;
	case WV_BE: t = or_(f->cf, f->zf); break;
	case WV_S: t = f->sf; break;
	case WV_P: t = f->pf; break;
	case WV_L: t = less; break;
	default: t = or_(f->zf, less); break;
	}
	return cond & 1 ? not_(t) : t;
}

/* --- what the code says --- */

/* A truth value, as an argument or as what a call returned. */
static term is_told(const struct value *v)
{
	return is_bool(v->part[0]) ? v->part[0] : not_(eq(v->part[0], bits(width_of(v->part[0]), 0)));
}

/* bool refine(where, of, known) */
bool flags_refining(const struct value *args, const struct memory *m, term guard, struct value *result)
{
	struct number known = number_load(m, &args[2]);
	term symbol = exec_load(m, &args[1], offsetof(struct wv_val, sym), 4), given = and_(compared_premise(), guard);
	prove("of whom is told", implies(guard, is_compared(m, &args[1])));
	prove("what is told of a",
		implies(and_(given, eq(symbol, bits(32, SYMBOL_A))), member(&known, number_of(SYMBOL_A))));
	prove("what is told of b",
		implies(and_(given, eq(symbol, bits(32, SYMBOL_B))), member(&known, number_of(SYMBOL_B))));
	*result = exec_bits(truth(true)); /* what is true of a value never contradicts it */
	return true;
}

/* bool wv_state_assume_distance(state, a, b, equal) */
bool flags_distance(const struct value *args, const struct memory *m, term guard, struct value *result)
{
	term equal = is_told(&args[3]);
	prove("whose distance is told", implies(guard, and_(is_compared(m, &args[1]), is_compared(m, &args[2]))));
	prove("the distance told", implies(and_(compared_premise(), guard),
					   eq(equal, eq(its_number(m, &args[1]), its_number(m, &args[2])))));
	*result = exec_bits(truth(true));
	return true;
}

/* Law "ends", said of what is known of two numbers. */
static void prove_ends(term given, const struct number *less, const struct number *greater, term low, term high)
{
	bool is_signed = of_order == SIGNED;
	term least = is_signed ? less->smin : less->umin, most = is_signed ? greater->smax : greater->umax,
	     apart = sub(high, low);
	term from = in_view(less, is_signed ? VIEW_SMIN : VIEW_UMIN, low),
	     to = in_view(greater, is_signed ? VIEW_SMAX : VIEW_UMAX, high);
	assume(implies(
		and_(and_(from, to), is_signed ? sle(low, high) : ule(low, high)), ule(apart, sub(most, least))));
	prove("at most how far", implies(given, ule(apart, sub(most, least))));
}

/* bool wv_state_assume_order(state, low, high, d) */
bool flags_order(const struct value *args, const struct memory *m, term guard, struct value *result)
{
	struct number d = number_load(m, &args[3]), less = known_of(m, &args[1]), greater = known_of(m, &args[2]);
	term low = its_number(m, &args[1]), high = its_number(m, &args[2]), given = and_(compared_premise(), guard);
	prove("who is told to be in order", implies(guard, and_(is_compared(m, &args[1]), is_compared(m, &args[2]))));
	if (of_order != NO_ORDER)
		prove_ends(given, &less, &greater, low, high);
	prove("how far the greater is from the less", implies(given, member(&d, sub(high, low))));
	*result = exec_bits(truth(true));
	return true;
}

/*
 * bool wv_state_assume_addresses(state, a, b, strict): a statement about registers, so the condition itself says
 * whether it is so
 */
bool flags_addresses(const struct value *args, const struct memory *m, term guard, struct value *result)
{
	term a = its_register(m, &args[1]), b = its_register(m, &args[2]), strict = is_told(&args[3]);
	term pointers = eq(exec_load(m, &args[1], offsetof(struct wv_val, region), 1),
		exec_load(m, &args[2], offsetof(struct wv_val, region), 1));
	for (unsigned i = 1; i <= 2; i++) {
		pointers = and_(pointers, and_(is_compared(m, &args[i]), is_valid(m, &args[i])));
		pointers =
			and_(pointers, eq(exec_load(m, &args[i], offsetof(struct wv_val, kind), 1), bits(8, WV_PTR)));
	}
	prove("whose addresses are told", implies(guard, pointers));
	prove("the order told", implies(and_(flags_hold, guard), ite(strict, ult(a, b), ule(a, b))));
	*result = exec_bits(truth(true));
	return true;
}

/* --- statements that stand for calls --- */

/* bool comparison_of(flags, cond, c): as it is, and what is proven of that. */
void summarise_comparison_of(const struct call *c)
{
	*c->result = exec_call("comparison_of", c->args, c->memory, c->guard);
	assume(implies(and_(compared_premise(), is_told(c->result)), registers_compare(c->memory, &c->args[2])));
}

/* One of the conditions that there are, of which there are statements. */
static void need_condition(const struct call *c, const struct value *comparison)
{
	need(c, ult(exec_load(c->memory, comparison, COMPARED_COND, 4), bits(32, 16)));
}

static void need_values(const struct call *c, const struct value *a, const struct value *b)
{
	need(c, and_(is_compared(c->memory, a), is_compared(c->memory, b)));
	need(c, and_(is_valid(c->memory, a), is_valid(c->memory, b)));
}

static term are_members(const struct memory *m, const struct value *a, const struct value *b)
{
	return and_(is_member(m, a), is_member(m, b));
}

/* bool comparable(c, width) */
void summarise_is_comparable(const struct call *c)
{
	struct value a = inside(&c->args[0], COMPARED_A), b = inside(&c->args[0], COMPARED_B);
	term told = fresh_bool();
	need_condition(c, &c->args[0]);
	need_values(c, &a, &b);
	need(c, eq(c->args[1].part[0], bits(width_of(c->args[1].part[0]), compared_width())));
	assume(implies(and_(told, and_(are_members(c->memory, &a, &b), registers_compare(c->memory, &c->args[0]))),
		numbers_compare(c->memory, &c->args[0])));
	*c->result = exec_bits(told);
}

/* A call that tells of the values compared: what it tells is true if this holds, and then it returns true. */
static void telling(const struct call *c, term premise)
{
	term told = fresh_bool();
	prove("what a callee is told of", implies(and_(compared_premise(), c->guard), premise));
	assume(implies(premise, told));
	*c->result = exec_bits(told);
}

/* The premise of assume_order(state, low, high, strict, is_signed). */
static term in_order(
	const struct memory *m, const struct value *low, const struct value *high, bool strict, bool is_signed)
{
	term x = its_number(m, low), y = its_number(m, high), order = is_signed ? sle(x, y) : ule(x, y);
	return and_(are_members(m, low, high), strict ? and_(order, not_(eq(x, y))) : order);
}

static bool constant_flag(const struct value *v)
{
	term t = is_told(v);
	if (!is_true(t) && !is_false(t))
		give_up("a summary needs a constant argument");
	return is_true(t);
}

void summarise_assume_order(const struct call *c)
{
	need_values(c, &c->args[1], &c->args[2]);
	telling(c,
		in_order(c->memory, &c->args[1], &c->args[2], constant_flag(&c->args[3]), constant_flag(&c->args[4])));
}

/* bool assume_distance(state, c) */
void summarise_assume_distance(const struct call *c)
{
	struct value a = inside(&c->args[1], COMPARED_A), b = inside(&c->args[1], COMPARED_B),
		     flags = inside(&c->args[0], offsetof(struct wv_state, flags));
	need_condition(c, &c->args[1]);
	need_values(c, &a, &b);
	need(c, eq(exec_load(c->memory, &flags, offsetof(struct wv_flags, width), 1), bits(8, compared_width())));
	telling(c, and_(are_members(c->memory, &a, &b), numbers_compare(c->memory, &c->args[1])));
}

/* --- the statements --- */

static void prove_no_hazards(void)
{
	for (unsigned i = 0; i < exec_n_hazards; i++)
		prove(exec_hazards[i].what, not_(exec_hazards[i].when));
}

/* The flags say `cond` of what the registers hold. */
static void given_flags(const struct query *q, const struct value *flags, enum wv_cond cond)
{
	struct value a = inside(flags, offsetof(struct wv_flags, a)), b = inside(flags, offsetof(struct wv_flags, b));
	exec_store(&memory, flags, offsetof(struct wv_flags, relation), bits(8, (uint64_t)q->op));
	exec_store(&memory, flags, offsetof(struct wv_flags, width), bits(8, q->width));
	compared_value(&memory, &a, SYMBOL_A);
	compared_value(&memory, &b, SYMBOL_B);
	struct flags f = flags_of((enum wv_relation)q->op, q->width, register_of(SYMBOL_A), register_of(SYMBOL_B));
	flags_hold = holds(cond, &f);
	compared_given(and_(compared_relation(flags_hold), are_members(&memory, &a, &b)));
}

/*
 * bool wv_state_assume(state, cond), bool wv_flags_assume_value(flags, cond, value): what they tell is true, and they
 * don't say that it can't be.
 */
void build_flags(const struct query *q)
{
	bool state = q->function[3] == 's';
	compared_begin(q->width, true);
	for (unsigned cond = 0; cond < 16; cond++) {
		struct value object = new_flags(&memory, state),
			     flags = state ? inside(&object, offsetof(struct wv_state, flags)) : object;
		given_flags(q, &flags, (enum wv_cond)cond);
		struct value args[] = {object, exec_bits(bits(32, cond)), new_flags(&memory, false)},
			     r = call_function(q, args, &memory);
		prove("not denied", implies(compared_premise(), is_told(&r)));
	}
	prove_no_hazards();
}

/*
 * bool comparison_of(flags, cond, c): if the flags say anything of values, the condition that it finds holds of what
 * their registers hold.
 */
void build_comparison_of(const struct query *q)
{
	compared_begin(q->width, false);
	for (unsigned cond = 0; cond < 16; cond++) {
		struct value flags = new_flags(&memory, false), c = new_comparison(&memory), a = inside(&c, COMPARED_A),
			     b = inside(&c, COMPARED_B);
		given_flags(q, &flags, (enum wv_cond)cond);
		struct value args[] = {flags, exec_bits(bits(32, cond)), c}, r = call_function(q, args, &memory);
		prove("what is compared", and_(is_compared(&memory, &a), is_compared(&memory, &b)));
		prove("how", implies(and_(compared_premise(), is_told(&r)), registers_compare(&memory, &c)));
	}
	prove_no_hazards();
}

static const unsigned others[] = {SYMBOL_B, SYMBOL_NONE};

static struct value a_comparison(unsigned cond, unsigned other)
{
	struct value c = new_comparison(&memory), a = inside(&c, COMPARED_A), b = inside(&c, COMPARED_B);
	exec_store(&memory, &c, COMPARED_COND, bits(32, cond));
	compared_value(&memory, &a, SYMBOL_A);
	compared_value(&memory, &b, other);
	return c;
}

static term within(const struct value *c)
{
	struct value a = inside(c, COMPARED_A), b = inside(c, COMPARED_B);
	return are_members(&memory, &a, &b);
}

/* bool comparable(c, width): the order of what registers hold is that of their numbers. */
void build_is_comparable(const struct query *q)
{
	compared_begin(q->width, false);
	for (unsigned cond = 0; cond < 16; cond++) {
		for (unsigned i = 0; i < 2; i++) {
			struct value c = a_comparison(cond, others[i]), args[] = {c, exec_bits(bits(32, q->width))},
				     r = call_function(q, args, &memory);
			term given = and_(within(&c), registers_compare(&memory, &c));
			prove("as numbers", implies(and_(given, is_told(&r)), numbers_compare(&memory, &c)));
			possible(and_(given, is_told(&r)));
		}
	}
	prove_no_hazards();
}

/* bool assume_distance(state, c) */
void build_assume_distance(const struct query *q)
{
	compared_begin(q->width, false);
	for (unsigned cond = 0; cond < 16; cond++) {
		for (unsigned i = 0; i < 2; i++) {
			struct value c = a_comparison(cond, others[i]), state = new_flags(&memory, true),
				     flags = inside(&state, offsetof(struct wv_state, flags));
			exec_store(&memory, &flags, offsetof(struct wv_flags, width), bits(8, q->width));
			compared_given(and_(within(&c), numbers_compare(&memory, &c)));
			struct value args[] = {state, c}, r = call_function(q, args, &memory);
			prove("not denied", implies(compared_premise(), is_told(&r)));
			possible(compared_premise());
		}
	}
	prove_no_hazards();
}

/* bool assume_order(state, low, high, strict, is_signed): q->op says both, as 2 · is_signed + strict */
void build_assume_order(const struct query *q)
{
	static const unsigned pairs[][2] = {
		{SYMBOL_A, SYMBOL_B}, {SYMBOL_B, SYMBOL_A}, {SYMBOL_A, SYMBOL_NONE}, {SYMBOL_NONE, SYMBOL_A}};
	bool strict = q->op & 1;
	of_order = q->op & 2 ? SIGNED : UNSIGNED;
	compared_begin(64, false);
	for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		struct value c = new_comparison(&memory), low = inside(&c, COMPARED_A), high = inside(&c, COMPARED_B);
		compared_value(&memory, &low, pairs[i][0]);
		compared_value(&memory, &high, pairs[i][1]);
		witness(sub(number_of(pairs[i][1]), number_of(pairs[i][0])));
		compared_given(in_order(&memory, &low, &high, strict, of_order == SIGNED));
		struct value args[] = {new_flags(&memory, true), low, high, exec_bits(truth(strict)),
			exec_bits(truth(of_order == SIGNED))};
		struct value r = call_function(q, args, &memory);
		prove("not denied", implies(compared_premise(), is_told(&r)));
		possible(compared_premise());
	}
	prove_no_hazards();
}
