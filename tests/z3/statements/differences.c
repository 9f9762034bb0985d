/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distance.c: what sums say of differences, and comparisons of sums. The head of distance.c in this
 * folder says what a state promises and what a row means.
 */
#include <stddef.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "summary_api.h"
#include "verifier/domain/state.h"

#define memory state_memory

static struct value state;

static struct value sum_at(unsigned i)
{
	return field_of(&state, offsetof(struct wv_state, sum) + i * sizeof(struct wv_sum));
}

static struct held register_of(unsigned i)
{
	return held_load(&memory, &state, offsetof(struct wv_state, reg) + i * sizeof(struct wv_val));
}

#define STATE(field) exec_load(&memory, &state, offsetof(struct wv_state, field), 4)

static term low_of(unsigned width, term t)
{
	return extract(width - 1, 0, t);
}

/* A sum of symbols, at this width. */
static term sum_equation(unsigned width, term sum, term x, term y, term c)
{
	return equation(low_of(width, sum), low_of(width, add(add(x, y), c)));
}

/* v: sum, x, y, c; and what stands for the same numbers, in either order of the addends. */
static void form_same(unsigned width, bool turned, const term *v, term *given, term *then)
{
	*given = and_(eq(v[4], v[0]), and_(eq(v[5], v[turned ? 2 : 1]), eq(v[6], v[turned ? 1 : 2])));
	*then = eq(sum_equation(width, v[0], v[1], v[2], v[3]), sum_equation(width, v[4], v[5], v[6], v[3]));
}

static void form_same_64(const term *v, term *given, term *then)
{
	form_same(64, false, v, given, then);
}

static void form_same_32(const term *v, term *given, term *then)
{
	form_same(32, false, v, given, then);
}

static void form_turned_64(const term *v, term *given, term *then)
{
	form_same(64, true, v, given, then);
}

static void form_turned_32(const term *v, term *given, term *then)
{
	form_same(32, true, v, given, then);
}

static term fits_32(term x)
{
	return by_name(ule(x, bits(64, UINT32_MAX)));
}

/* A member is at most umax. */
static void use_greatest(const struct number *n, term x)
{
	if (!term_replaying() && !arith_exact)
		assume_near(implies(and_(member(n, x), ule(n->umax, bits(64, UINT32_MAX))), fits_32(x)));
}

/*
 * From symbols to values: v: the symbols of a whole, a part and the rest, their constants, and the c of the symbols'
 * sum.
 */
static void form_values(unsigned width, const term *v, term *given, term *then)
{
	term apart = sub(sub(add(v[6], v[3]), v[4]), v[5]);
	*given = and_(sum_equation(width, v[0], v[1], v[2], v[6]), by_name(eq(low_of(width, apart), bits(width, 0))));
	*then = equation(
		low_of(width, add(v[0], v[3])), add(low_of(width, add(v[1], v[4])), low_of(width, add(v[2], v[5]))));
}

static void form_values_64(const term *v, term *given, term *then)
{
	form_values(64, v, given, then);
}

static void form_values_32(const term *v, term *given, term *then)
{
	form_values(32, v, given, then);
}

/* v: whole, part, rest. Whole and part are equal exactly if the rest is zero. */
static void form_zero_64(const term *v, term *given, term *then)
{
	*given = equation(v[0], add(v[1], v[2]));
	*then = eq(equation(v[0], v[1]), equation(v[2], bits(64, 0)));
}

static void form_zero_32(const term *v, term *given, term *then)
{
	*given = and_(equation(low_of(32, v[0]), add(low_of(32, v[1]), low_of(32, v[2]))),
		and_(fits_32(v[0]), and_(fits_32(v[1]), fits_32(v[2]))));
	*then = eq(equation(v[0], v[1]), equation(v[2], bits(64, 0)));
}

/* The rest is what lies between part and whole, where that is short. */
static void form_low_rest(const term *v, term *given, term *then)
{
	*given = equation(low_of(32, v[0]), add(low_of(32, v[1]), low_of(32, v[2])));
	*then = equation(low_of(32, sub(v[0], v[1])), low_of(32, v[2]));
}

static void form_short(const term *v, term *given, term *then)
{
	*given = and_(equation(low_of(32, v[0]), low_of(32, v[1])), and_(fits_32(v[0]), fits_32(v[1])));
	*then = equation(v[0], v[1]);
}

/*
 * v: c, the constants of whole and part, and of a holder that has what is left: nothing lies between it and the rest.
 */
static void form_held(unsigned width, const term *v, term *given, term *then)
{
	term by = sub(add(v[0], v[1]), v[2]);
	*given = by_name(eq(low_of(width, v[3]), low_of(width, by)));
	*then = by_name(eq(low_of(width, sub(by, v[3])), bits(width, 0)));
}

static void form_held_64(const term *v, term *given, term *then)
{
	form_held(64, v, given, then);
}

static void form_held_32(const term *v, term *given, term *then)
{
	form_held(32, v, given, then);
}

/* Then the symbols are a sum of all bits. */
static void form_symbols(const term *v, term *given, term *then)
{
	*given = equation(sub(add(v[0], v[3]), add(v[1], v[4])), add(v[2], v[5]));
	*then = sum_equation(64, v[0], v[1], v[2], sub(add(v[5], v[4]), v[3]));
}

static void form_equal(const term *v, term *given, term *then)
{
	*given = truth(true);
	*then = eq(equation(v[0], v[1]), equation(sub(v[1], v[0]), bits(64, 0)));
}

static struct sum_held the_sum;

/* The sum is `whole` with the addends `part` and `v`, if these are its symbols. */
static void same_symbols(const struct held *whole, const struct held *part, const struct held *v, term c)
{
	const term terms[] = {symbol_number(the_sum.sum), symbol_number(the_sum.x), symbol_number(the_sum.y), c,
		symbol_number(whole->sym), symbol_number(part->sym), symbol_number(v->sym)};
	use_law(form_same_64, 7, terms);
	use_law(form_same_32, 7, terms);
	use_law(form_turned_64, 7, terms);
	use_law(form_turned_32, 7, terms);
}

/* const struct wv_val *holder(st, sym, add, low) */
void build_symbol_holder(const struct query *q)
{
	begin_row(q);
	state = new_state();
	term symbol = input("symbol", 32), by = input("add", 64), low = input_bool("low"), there = truth(false);
	struct value args[] = {state, exec_bits(symbol), exec_bits(by), exec_bits(low)},
		     p = call_function(q, args, &memory);
	for (unsigned i = 0; i < WV_NREG; i++) {
		struct held h = register_of(i);
		struct value at = field_of(&state, offsetof(struct wv_state, reg) + i * sizeof(struct wv_val));
		term is = is_pointer_to(&p, &at);
		there = or_(there, is);
		prove("one that was asked for", implies(is, is_holder(&h, symbol, by, low)));
	}
	prove("nowhere else", eq(not_null(&p), there));
	possible(not_null(&p));
	prove_hazards(truth(true));
}

static struct held sides[2];

/* a = b + v, if v is what was looked for. */
static void difference_found(const struct held *v)
{
	const struct held *a = &sides[0], *b = &sides[1];
	term zero = bits(64, 0);
	compared(v->x, zero);
	use_greatest(&a->n, a->x);
	use_greatest(&b->n, b->x);
	use_greatest(&v->n, v->x);
	same_symbols(a, b, v, the_sum.c);
	const term terms[] = {
		symbol_number(a->sym), symbol_number(b->sym), symbol_number(v->sym), a->add, b->add, v->add, the_sum.c};
	use_law(form_values_64, 7, terms);
	use_law(form_values_32, 7, terms);
	use_law(form_held_64, 4, (const term[]){the_sum.c, a->add, b->add, v->add});
	use_law(form_held_32, 4, (const term[]){the_sum.c, a->add, b->add, v->add});
	use_law(form_zero_64, 3, (const term[]){a->x, b->x, v->x});
	use_law(form_zero_32, 3, (const term[]){a->x, b->x, v->x});
}

/* bool assume_difference(st, s, a, b, equal) */
void build_difference(const struct query *q)
{
	begin_row(q);
	state = new_state();
	struct value ps = exec_struct(&memory, "struct.wv_sum", 0), pa = new_numbered(&sides[0], NULL),
		     pb = new_numbered(&sides[1], NULL);
	the_sum = sum_load(&memory, &ps);
	term equal = input_bool("equal");
	suppose(and_(sum_is_true(&the_sum), eq(equal, equation(sides[0].x, sides[1].x))));
	holder_found = difference_found;
	struct value args[] = {state, ps, pa, pb, exec_bits(equal)}, r = call_function(q, args, &memory);
	prove("not denied", implies(assumed, returned_true(&r)));
	possible(assumed);
	prove_hazards(assumed);
}

/* bool wv_state_assume_distance(st, a, b, equal) */
void build_state_assume_distance(const struct query *q)
{
	struct held a, b;
	begin_row(q);
	state = new_state();
	struct value pa = new_numbered(&a, NULL), pb = new_numbered(&b, NULL);
	term equal = input_bool("equal"), z = sub(b.x, a.x), zero = bits(64, 0);
	suppose(eq(equal, equation(a.x, b.x)));
	for (unsigned i = 0; i < 2; i++) {
		const struct held *h = i ? &b : &a;
		suppose(implies(
			and_(not_(eq(h->sym, bits(32, 0))), not_(eq(h->lsym, bits(32, 0)))), holds_identity_of(h)));
	}
	for (unsigned i = 0; i < MAX_SUMS; i++) {
		struct value at = sum_at(i);
		struct sum_held s = sum_load(&memory, &at);
		suppose(implies(ult(bits(32, i), STATE(n_sums)), sum_is_true(&s)));
	}
	compared(z, zero);
	use_law(form_equal, 2, (const term[]){a.x, b.x});
	follows(WV_ADD, a.x, z, b.x, truth(true), truth(true));
	follows(WV_SUB, b.x, z, a.x, truth(true), truth(true));
	struct value args[] = {state, pa, pb, exec_bits(equal)}, r = call_function(q, args, &memory);
	prove("not denied", implies(assumed, returned_true(&r)));
	possible(assumed);
	prove_hazards(assumed);
}

static struct number apart_told;

/* b = a + v modulo 2^32, if v is what was looked for. */
static void rest_found(const struct held *v)
{
	const struct held *a = &sides[0], *b = &sides[1];
	same_members(&apart_told, sub(b->x, a->x), v->x, truth(true));
	use_greatest(&apart_told, sub(b->x, a->x));
	use_greatest(&v->n, v->x);
	same_symbols(b, a, v, the_sum.c);
	same_symbols(b, a, v, sub(add(v->add, a->add), b->add));
	const term terms[] = {
		symbol_number(b->sym), symbol_number(a->sym), symbol_number(v->sym), b->add, a->add, v->add, the_sum.c};
	use_law(form_values_32, 7, terms);
	use_law(form_held_32, 4, (const term[]){the_sum.c, b->add, a->add, v->add});
	use_law(form_low_rest, 3, (const term[]){b->x, a->x, v->x});
	use_law(form_short, 2, (const term[]){sub(b->x, a->x), v->x});
	use_law(form_symbols, 7, terms);
}

/* bool settle_low_sum(st, s, a, b, d) */
void build_settling(const struct query *q)
{
	begin_row(q);
	state = new_state();
	struct value ps = exec_struct(&memory, "struct.wv_sum", 0), pa = new_numbered(&sides[0], NULL),
		     pb = new_numbered(&sides[1], NULL);
	struct number *d = &apart_told;
	*d = valid_number("d");
	the_sum = sum_load(&memory, &ps);
	term z = sub(sides[1].x, sides[0].x), most = bits(64, UINT32_MAX);
	suppose(and_(sum_is_true(&the_sum), and_(member(d, z), and_(ule(d->umax, most), ule(z, most)))));
	holder_found = rest_found;
	struct value args[] = {state, ps, pa, pb, number_object(&memory, d)}, r = call_function(q, args, &memory);
	struct sum_held after = sum_load(&memory, &ps);
	prove("not denied", implies(assumed, returned_true(&r)));
	prove("the sum that is left", implies(assumed, adds_up(&after)));
	prove("a sum that is true", implies(assumed, sum_is_true(&after)));
	possible(assumed);
	prove_hazards(assumed);
}

/* bool wv_state_assume_order(st, a, b, d) */
void build_state_assume_order(const struct query *q)
{
	struct held a, b;
	begin_row(q);
	state = new_state();
	struct value pa = new_numbered(&a, NULL), pb = new_numbered(&b, NULL);
	struct number d = valid_number("d");
	term z = sub(b.x, a.x);
	suppose(member(&d, z));
	for (unsigned i = 0; i < MAX_SUMS; i++) {
		struct value at = sum_at(i);
		struct sum_held s = sum_load(&memory, &at);
		suppose(implies(ult(bits(32, i), STATE(n_sums)), sum_is_true(&s)));
	}
	witness(z);
	struct value args[] = {state, pa, pb, number_object(&memory, &d)}, r = call_function(q, args, &memory);
	prove("not denied", implies(assumed, returned_true(&r)));
	possible(assumed);
	prove_hazards(assumed);
}

static struct sum_held compared_sum[2];

/*
 * v: two sums, the addend that they have in common in one and the other, the other addends, their c; and how far the
 * others are apart.
 */
static void form_common(const term *v, term *given, term *then)
{
	term sums = and_(sum_equation(64, v[0], v[2], v[3], v[6]), sum_equation(64, v[1], v[4], v[5], v[7]));
	*given = and_(sums, and_(eq(v[2], v[4]), eq(v[8], sub(v[5], v[3]))));
	*then = equation(add(v[8], sub(v[7], v[6])), sub(v[1], v[0]));
}

static void form_turned(const term *v, term *given, term *then)
{
	*given = truth(true);
	*then = eq(sum_equation(64, v[0], v[1], v[2], v[3]), sum_equation(64, v[0], v[2], v[1], v[3]));
}

/* Which addend is in common: the first of s if t has it, else the second; and where t has it. */
static void in_common(term given, term apart, term by)
{
	const struct sum_held *s = &compared_sum[0], *t = &compared_sum[1];
	term first = or_(eq(s->x, t->x), eq(s->x, t->y)), from = symbol_number(s->sum), to = symbol_number(t->sum);
	for (unsigned i = 0; i < 4; i++) {
		term common = i & 1 ? s->y : s->x, of_s = symbol_number(i & 1 ? s->x : s->y),
		     of_t = symbol_number(i & 2 ? t->x : t->y), in_s = symbol_number(common),
		     in_t = symbol_number(i & 2 ? t->y : t->x);
		term same = and_(i & 1 ? not_(first) : first,
			     i & 2 ? and_(not_(eq(t->x, common)), eq(t->y, common)) : eq(t->x, common)),
		     on = and_(given, same);
		use_law(form_common, 9, (const term[]){from, to, in_s, of_s, in_t, of_t, s->c, t->c, apart});
		prove("the others", implies(on, eq(apart, sub(of_t, of_s))));
		prove("how far it is in this case", implies(on, equation(add(apart, by), sub(to, from))));
	}
}

/* void compare_sums(st, s, t): of two sums with an addend in common */
void build_compare_sums(const struct query *q)
{
	begin_row(q);
	state = new_state();
	struct value at[] = {exec_struct(&memory, "struct.wv_sum", 0), exec_struct(&memory, "struct.wv_sum", 0)};
	for (unsigned i = 0; i < 2; i++) {
		struct sum_held *s = &compared_sum[i];
		*s = sum_load(&memory, &at[i]);
		suppose(adds_up(s));
		use_law(form_turned, 4,
			(const term[]){symbol_number(s->sum), symbol_number(s->x), symbol_number(s->y), s->c});
	}
	moved_to = sub(symbol_number(compared_sum[1].sum), symbol_number(compared_sum[0].sum));
	moved_from = in_common;
	struct value args[] = {state, at[0], at[1]};
	call_function(q, args, &memory);
	possible(assumed);
	prove_hazards(assumed);
}

static term whole_sum(const struct sum_held *s)
{
	return eq(symbol_number(s->sum), add(add(symbol_number(s->x), symbol_number(s->y)), s->c));
}

/* void same_sum(s, t, sum): of two sums of the same addends */
void build_same_sum(const struct query *q)
{
	struct held sum;
	begin_row(q);
	struct value at[] = {exec_struct(&memory, "struct.wv_sum", 0), exec_struct(&memory, "struct.wv_sum", 0)},
		     ps = new_numbered(&sum, NULL);
	struct sum_held s = sum_load(&memory, &at[0]), t = sum_load(&memory, &at[1]);
	term by = add(sub(s.c, t.c), sum.add),
	     whole = and_(and_(not_(s.low), not_(t.low)), and_(whole_sum(&s), whole_sum(&t))),
	     st = symbol_number(t.sum);
	suppose(and_(adds_up(&s), and_(sum_is_true(&t), eq(sum.sym, s.sum))));
	for (unsigned i = 0; i < 2; i++) {
		term first = i ? t.y : t.x, second = i ? t.x : t.y,
		     same = and_(and_(eq(s.x, first), eq(s.y, second)), and_(whole, eq(sum.sym, s.sum)));
		term law = implies(
			and_(eq(s.x, first), eq(s.y, second)), and_(eq(symbol_number(s.x), symbol_number(first)),
								       eq(symbol_number(s.y), symbol_number(second))));
		follows(WV_ADD, st, by, sum.x, same,
			and_(law, implies(eq(sum.sym, s.sum), eq(symbol_number(sum.sym), symbol_number(s.sum)))));
	}
	assume(valid(&t.n));
	witness(sum.x);
	struct value args[] = {at[0], at[1], ps};
	call_function(q, args, &memory);
	struct held after = held_load(&memory, &ps, 0);
	prove("a member", implies(assumed, member(&after.n, sum.x)));
	prove("valid", valid(&after.n));
	possible(assumed);
	prove_hazards(assumed);
}
