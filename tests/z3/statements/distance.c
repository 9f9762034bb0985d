/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distance.c, and what state.c makes of what becomes known: facts about the values of one state.
 *
 * What a state promises. A symbol stands for a number of 64 bits; these numbers may be any. A location with symbol
 * and constant holds their sum x, modulo 2^64 (of a pointer, this is the offset), and the location's number contains
 * x; its low 32 bits are low symbol plus constant, modulo 2^32. Symbols don't change what they stand for; they go out
 * of use. So the following stay true whatever is written where:
 *
 *	a distance     symbol b - scale · symbol a is one of d, modulo 2^64
 *	a sum          symbol sum = symbol x + symbol y + c modulo 2^64, or if `low` modulo 2^32; and symbol sum is
 *	               one of n
 *	a choice       the value `is` is `a`, which then is one of a's number, or it is `b`, and one of b's
 *	a bound        below >> shift is at most symbol `of`, unsigned
 *
 * A row says of each function that writes a state or takes from it: a state that is true of the numbers in the
 * registers stays true of them. The function's premise (`known` is true of the value `of`; a and b are equal; b - a
 * is one of d; sum is x + y) holds of these numbers, whatever they are. Then everything that the function writes is
 * true, and it doesn't say that the state is impossible. A caller that gives the premise has a row that proves it
 * (flags.c), or is an instruction that computes it (step_arith.c, tested by the CPU oracle).
 *
 * Where a function is called, its promise stands in for it (summary_api.c), and the promises used there are those
 * proven here. `any of the state's facts` may be anything that is true. The state of a row has 8 distances, 4 sums and
 * all 16 registers, any of which may be in use. It has two of the stack's slots, since all slots are treated alike.
 */
#include <stddef.h>
#include <stdio.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "summary_api.h"
#include "verifier/domain/state.h"

#define memory state_memory

/*
 * struct wv_num moved(n, by): from what is known of the distance of two symbols to that of two values, which are those
 * symbols plus constants, and back
 */
void build_num_moved(const struct query *q)
{
	struct number n = valid_number("n");
	term x = input("x", 64), by = input("by", 64), z = add(x, by);
	struct value args[] = {number_object(&memory, NULL), number_object(&memory, &n), exec_bits(by)};
	witness(x);
	witness(by);
	witness(z);
	call_function(q, args, &memory);
	prove_result(&memory, &args[0], z, member(&n, x));
}

/* struct wv_num times(n, scale) */
void build_num_times(const struct query *q)
{
	struct number n = valid_number("n");
	term x = input("x", 64), scale = input("scale", 32), by = sext(scale, 64), z = scaled(scale, x);
	struct value args[] = {number_object(&memory, NULL), number_object(&memory, &n), exec_bits(scale)};
	assume(implies(eq(scale, bits(32, 1)), eq(z, x)));
	same_members(&n, x, z, truth(true));
	witness(x);
	witness(by);
	witness(z);
	call_function(q, args, &memory);
	prove_result(&memory, &args[0], z, member(&n, x));
}

/* ---- where facts are kept ---- */

static term exists(term name)
{
	return not_(eq(name, bits(32, 0)));
}

static struct value state;

static uint64_t offset_of_fact(unsigned i)
{
	return offsetof(struct wv_state, distance) + i * sizeof(struct wv_distance);
}

static struct value fact_at(unsigned i)
{
	return field_of(&state, offset_of_fact(i));
}

static struct value sum_at(unsigned i)
{
	return field_of(&state, offsetof(struct wv_state, sum) + i * sizeof(struct wv_sum));
}

static struct held register_of(unsigned i)
{
	return held_load(&memory, &state, offsetof(struct wv_state, reg) + i * sizeof(struct wv_val));
}

#define STATE(field) exec_load(&memory, &state, offsetof(struct wv_state, field), 4)

/* The pointer is to what is at this offset in the state. */
static term points_to(const struct value *p, uint64_t offset)
{
	struct value at = field_of(&state, offset);
	return is_pointer_to(p, &at);
}

/* struct wv_distance *find(st, a, scale, b, swapped) */
void build_distance_find(const struct query *q)
{
	begin_row(q);
	state = new_state();
	term a = input("a", 32), b = input("b", 32), scale = input("scale", 32), n = STATE(n_distances),
	     there = truth(false);
	struct value swapped_at = exec_object(&memory, (const uint8_t[]){1, 0});
	struct value args[] = {state, exec_bits(a), exec_bits(scale), exec_bits(b), swapped_at},
		     p = call_function(q, args, &memory);
	term swapped = not_(eq(exec_load(&memory, &swapped_at, 0, 1), bits(8, 0))),
	     unit = or_(eq(scale, bits(32, 1)), eq(scale, bits(32, UINT32_MAX)));
	for (unsigned i = 0; i < MAX_FACTS; i++) {
		struct value at = fact_at(i);
		struct fact_held f = fact_load(&memory, &at);
		term is = points_to(&p, offset_of_fact(i)), straight = and_(eq(f.a, a), eq(f.b, b)),
		     turned = and_(unit, and_(eq(f.a, b), eq(f.b, a)));
		there = or_(there, is);
		prove("one of the facts", implies(is, ult(bits(32, i), n)));
		prove("one that was asked for", implies(is, and_(eq(f.scale, scale), ite(swapped, turned, straight))));
	}
	prove("nowhere else", eq(not_null(&p), there));
	/* A fact of a - b, and one with a scale of -1, turned. */
	term x = input("x", 64), y = input("y", 64), minus = sub(bits(64, 0), y);
	prove("a difference that is turned", eq(sub(bits(64, 0), sub(x, y)), sub(y, x)));
	prove("a sum that is turned", eq(sub(x, minus), sub(y, sub(bits(64, 0), x))));
	possible(assumed);
	prove_hazards(truth(true));
}

/* struct wv_distance *room(st) */
void build_distance_room(const struct query *q)
{
	begin_row(q);
	state = new_state();
	struct value args[] = {state}, p = call_function(q, args, &memory);
	term n = STATE(n_distances), there = truth(false);
	for (unsigned i = 0; i < MAX_FACTS; i++) {
		there = or_(there, points_to(&p, offset_of_fact(i)));
		prove("one of the facts", implies(points_to(&p, offset_of_fact(i)), ult(bits(32, i), n)));
	}
	prove("nowhere else", eq(not_null(&p), there));
	prove("no more than there is room for", ule(n, bits(32, MAX_FACTS)));
	possible(assumed);
	prove_hazards(truth(true));
}

/* What comes of it is a number of the symbol's. */
static void prove_number_of(const struct value *told, const struct value *at, term x)
{
	struct number n = number_load(&memory, at);
	term given = returned_true(told);
	prove_member(&n, x, and_(assumed, given));
	prove("valid", implies(given, valid(&n)));
	possible(and_(assumed, given));
	prove_hazards(truth(true));
}

/* bool number_by_value(v, sym, n) */
void build_number_by_value(const struct query *q)
{
	struct held h;
	begin_row(q);
	struct value v = new_value(&h);
	term symbol = input("symbol", 32), x = symbol_number(symbol), same = eq(h.sym, symbol);
	assume(exists(symbol));
	follows(WV_ADD, h.x, sub(bits(64, 0), h.add), x, same, implies(same, eq(symbol_number(h.sym), x)));
	struct value args[] = {v, exec_bits(symbol), number_object(&memory, NULL)}, r = call_function(q, args, &memory);
	prove_number_of(&r, &args[2], x);
}

/* bool number_by_sum(s, sym, n) */
void build_number_by_sum(const struct query *q)
{
	begin_row(q);
	struct value at = exec_struct(&memory, "struct.wv_sum", 0);
	struct sum_held s = sum_load(&memory, &at);
	term symbol = input("symbol", 32), x = symbol_number(symbol), was = symbol_number(s.sum),
	     same = eq(s.sum, symbol);
	assume(valid(&s.n));
	suppose(member(&s.n, was));
	assume(implies(same, equation(was, x)));
	same_members(&s.n, was, x, same);
	struct value args[] = {at, exec_bits(symbol), number_object(&memory, NULL)},
		     r = call_function(q, args, &memory);
	prove_number_of(&r, &args[2], x);
}

/* bool number_of(st, sym, n) */
void build_number_of(const struct query *q)
{
	begin_row(q);
	state = new_state();
	term symbol = input("symbol", 32);
	assume(exists(symbol));
	for (unsigned i = 0; i < WV_NREG; i++) {
		struct held h = register_of(i);
		assume_near(well_kept(&h));
		suppose(holds(&h));
	}
	for (unsigned i = 0; i < MAX_SUMS; i++) {
		struct value at = sum_at(i);
		struct sum_held s = sum_load(&memory, &at);
		term used = ult(bits(32, i), STATE(n_sums));
		assume(implies(used, valid(&s.n)));
		suppose(implies(used, member(&s.n, symbol_number(s.sum))));
	}
	struct value args[] = {state, exec_bits(symbol), number_object(&memory, NULL)},
		     r = call_function(q, args, &memory);
	prove_number_of(&r, &args[2], symbol_number(symbol));
}

/* b - scale * a of values is what it is of their symbols and what it is of their constants. */
static term values_apart(const struct held *a, term scale, const struct held *b)
{
	term sa = symbol_number(a->sym), sb = symbol_number(b->sym), symbols = sub(sb, scaled(scale, sa)),
	     constants = sub(b->add, scaled(scale, a->add)), z = sub(b->x, scaled(scale, a->x));
	term law = eq(scaled(scale, a->x), add(scaled(scale, sa), scaled(scale, a->add))); /* law "multiples" */
	follows(WV_ADD, symbols, constants, z, truth(true), law);
	follows(WV_ADD, z, sub(bits(64, 0), constants), symbols, truth(true), law);
	return z;
}

/* A scale of one leaves what it is multiplied with, one of -1 its negative. */
static term law_of_units(term scale, term x)
{
	term minus = eq(scale, bits(32, UINT32_MAX)), one = eq(scale, bits(32, 1));
	return and_(implies(one, eq(scaled(scale, x), x)), implies(minus, eq(scaled(scale, x), sub(bits(64, 0), x))));
}

/* bool wv_state_find_distance(st, a, scale, b, d) */
void build_find_distance(const struct query *q)
{
	begin_row(q);
	state = new_state();
	struct value pa = exec_struct(&memory, "struct.wv_val", 0), pb = exec_struct(&memory, "struct.wv_val", 0);
	struct held a = held_load(&memory, &pa, 0), b = held_load(&memory, &pb, 0);
	term scale = input("scale", 32), z = values_apart(&a, scale, &b), sa = symbol_number(a.sym),
	     sb = symbol_number(b.sym), one = eq(scale, bits(32, 1));
	follows(WV_SUB, bits(64, 0), sub(sa, sb), sub(sb, scaled(scale, sa)), one, law_of_units(scale, sa));
	struct value args[] = {state, pa, exec_bits(scale), pb, number_object(&memory, NULL)},
		     r = call_function(q, args, &memory);
	struct number d = number_load(&memory, &args[4]);
	prove_member(&d, z, and_(assumed, returned_true(&r)));
	prove("valid", implies(returned_true(&r), valid(&d)));
	prove_hazards(assumed);
	possible(and_(assumed, returned_true(&r)));
}

/* Of one symbol, multiplied by one: what lies between the values is what lies between their constants. */
static void form_of_one_symbol(const term *v, term *given, term *then)
{
	term a = add(v[0], v[1]);
	*given = and_(eq(v[4], a), eq(v[3], v[0]));
	*then = eq(sub(add(v[3], v[2]), v[4]), sub(v[2], v[1]));
}

/* struct wv_num wv_state_distance(st, a, scale, b) */
void build_state_distance(const struct query *q)
{
	struct held a, b;
	begin_row(q);
	state = new_state();
	struct value pa = new_numbered(&a, NULL), pb = new_numbered(&b, NULL);
	term scale = input("scale", 32), z = values_apart(&a, scale, &b), sa = symbol_number(a.sym),
	     sb = symbol_number(b.sym), one = eq(scale, bits(32, 1));
	multiplied(a.x);
	follows(WV_SUB, b.x, scaled(scale, a.x), z, truth(true), truth(true));
	witness(z);
	struct value args[] = {number_object(&memory, NULL), state, pa, exec_bits(scale), pb};
	term law = and_(law_of_units(scale, sa), and_(law_of_units(scale, a.add), law_of_units(scale, a.x)));
	assume(law);
	assume(implies(eq(a.sym, b.sym), eq(sa, sb)));
	use_law(form_of_one_symbol, 5, (const term[]){sa, a.add, b.add, sb, scaled(scale, a.x)});
	constant_is(sub(b.add, a.add), z, and_(one, eq(a.sym, b.sym)));
	call_function(q, args, &memory);
	prove_result(&memory, &args[0], z, assumed);
	possible(assumed);
}

/* void wv_state_set_distance(st, a, scale, b, d) */
void build_set_distance(const struct query *q)
{
	struct held a, b;
	begin_row(q);
	state = new_state();
	struct value pa = exec_struct(&memory, "struct.wv_val", 0), pb = exec_struct(&memory, "struct.wv_val", 0);
	a = held_load(&memory, &pa, 0);
	b = held_load(&memory, &pb, 0);
	struct number d = valid_number("d");
	term scale = input("scale", 32), z = values_apart(&a, scale, &b);
	term named = and_(not_(eq(a.sym, b.sym)), and_(not_(eq(a.sym, bits(32, 0))), not_(eq(b.sym, bits(32, 0)))));
	suppose(and_(implies(named, member(&d, z)), not_(eq(scale, bits(32, 0)))));
	struct value args[] = {state, pa, exec_bits(scale), pb, number_object(&memory, &d)};
	call_function(q, args, &memory);
	/* The fact that was found, and the one that there was room for. */
	for (unsigned i = 0; i < n_facts_given; i++) {
		struct fact_held f = fact_load(&memory, &fact_given[i]), was = fact_before[i];
		term names = and_(eq(f.a, a.sym), and_(eq(f.b, b.sym), eq(f.scale, scale)));
		term kept = and_(and_(eq(f.a, was.a), eq(f.b, was.b)),
			and_(eq(f.scale, was.scale), number_unchanged(&was.d, &f.d, 0)));
		prove("a fact of these values, or what it was", or_(kept, and_(named, names)));
		prove("that is true",
			implies(assumed,
				or_(kept, and_(valid(&f.d),
						  member(&f.d, sub(symbol_number(b.sym),
								       scaled(scale, symbol_number(a.sym))))))));
	}
	possible(assumed);
	prove_hazards(truth(true));
}

/* A fact of the state's: valid, and true. */
static struct fact_held true_fact(const struct value *at, term used)
{
	struct fact_held f = fact_load(&memory, at);
	assume(implies(used, valid(&f.d)));
	suppose(implies(used, fact_is_true(&f)));
	return f;
}

/* void learn_by(st, f, v) */
void build_learn_by(const struct query *q)
{
	struct held v;
	begin_row(q);
	state = new_state();
	struct value at = exec_struct(&memory, "struct.wv_distance", 0), pv = new_numbered(&v, NULL);
	struct fact_held f = true_fact(&at, truth(true));
	term sv = symbol_number(v.sym), sa = symbol_number(f.a), sb = symbol_number(f.b), to = eq(f.b, v.sym),
	     from = and_(eq(f.a, v.sym), eq(f.scale, bits(32, 1)));
	assume(exists(v.sym));
	follows(WV_ADD, sv, v.add, v.x, truth(true), truth(true));
	multiplied(sa);
	follows(WV_ADD, scaled(f.scale, sa), f.apart, sv, to, implies(to, eq(sb, sv)));
	follows(WV_SUB, sb, f.apart, sv, from, and_(law_of_units(f.scale, sa), implies(from, eq(sa, sv))));
	witness(v.x);
	struct value args[] = {state, at, pv};
	call_function(q, args, &memory);
	struct held after = held_load(&memory, &pv, 0);
	prove_member(&after.n, v.x, assumed);
	prove("valid", valid(&after.n));
	possible(assumed);
	prove_hazards(assumed);
}

/* void wv_state_learn_distant(st, v) */
void build_learn_distant(const struct query *q)
{
	struct held v;
	begin_row(q);
	state = new_state();
	struct value pv = new_numbered(&v, NULL);
	assume(exists(v.sym));
	for (unsigned i = 0; i < MAX_FACTS; i++) {
		struct value at = fact_at(i);
		true_fact(&at, ult(bits(32, i), STATE(n_distances)));
	}
	struct value args[] = {state, pv};
	call_function(q, args, &memory);
	struct held after = held_load(&memory, &pv, 0);
	prove_member(&after.n, v.x, assumed);
	prove("valid", valid(&after.n));
	possible(assumed);
	prove_hazards(assumed);
}

/* ---- quotients of scaled distances ---- */

/*
 * int64_t floor_of(a, b), ceiling_of(a, b): of the x with b · x ≤ a none is greater for b > 0, or less for b < 0; and
 * the like for a ≤ b · x
 */
void build_rounded(const struct query *q)
{
	term a = input("a", 64), b = input("b", 64), x = input("x", 64), zero = bits(64, 0),
	     minus_one = bits(64, UINT64_MAX);
	struct product p = product(b, x);
	bool ceiling = q->op != 0;
	assume(and_(not_(eq(b, zero)), not_(eq(b, minus_one))));
	struct value args[] = {exec_bits(a), exec_bits(b)};
	term r = call_function(q, args, &memory).part[0], below = sle(wide_signed(&p), sext(a, 128)),
	     above = sle(sext(a, 128), wide_signed(&p)), up = slt(zero, b);
	term no_greater = sle(x, r), no_less = sle(r, x);
	assume(law_of_rounding(a, b, x));
	assume(law_of_halves(a, b));
	assume(law_of_remainder(a, b, true));
	if (ceiling)
		prove("the ceiling", and_(implies(and_(up, above), no_less), implies(and_(not_(up), below), no_less)));
	else
		prove("the floor",
			and_(implies(and_(up, below), no_greater), implies(and_(not_(up), above), no_greater)));
	prove_hazards(truth(true));
}

/* bool divide(t, scale, a, quotient) */
void build_scaled_quotient(const struct query *q)
{
	begin_row(q);
	struct number t = valid_number("t"), a = valid_number("a"), r;
	term scale = input("scale", 32), x = input("x", 64), by = sext(scale, 64);
	struct product p = product(by, x);
	assume(and_(not_(eq(scale, bits(32, 0))),
		and_(not_(eq(scale, bits(32, 1))), not_(eq(scale, bits(32, UINT32_MAX))))));
	suppose(and_(member(&a, x), member(&t, p.low)));
	/* A factor of 32 bits and one that is no greater than 2^31: nothing is lost. */
	term most = bits(64, UINT64_C(1) << 31), small = and_(sle(sub(bits(64, 0), most), x), sle(x, most));
	assume(law_corners(sub(bits(64, 0), most), by, sub(most, bits(64, 1)), sub(bits(64, 0), most), x, most));
	rounded_product = &p;
	struct value args[] = {number_object(&memory, &t), exec_bits(scale), number_object(&memory, &a),
		number_object(&memory, NULL)},
		     told = call_function(q, args, &memory);
	rounded_product = NULL;
	r = number_load(&memory, &args[3]);
	term given = and_(assumed, returned_true(&told));
	prove("a small factor", implies(given, small));
	prove("a small product", implies(small, eq(wide_signed(&p), sext(p.low, 128))));
	prove("at least", implies(given, sle(r.smin, x)));
	prove("at most", implies(given, sle(x, r.smax)));
	prove("a member", implies(given, member(&r, x)));
	prove("well formed", implies(returned_true(&told), well_formed(&r)));
	possible(assumed);
	prove_hazards(truth(true));
}

/* bool refine_divided(st, f, n) */
void build_refine_divided(const struct query *q)
{
	begin_row(q);
	state = new_state();
	struct value at = exec_struct(&memory, "struct.wv_distance", 0);
	struct fact_held f = fact_load(&memory, &at);
	struct number n = valid_number("n");
	term sa = symbol_number(f.a), sb = symbol_number(f.b);
	assume(and_(valid(&f.d), and_(not_(eq(f.scale, bits(32, 1))), not_(eq(f.scale, bits(32, UINT32_MAX))))));
	suppose(and_(fact_is_true(&f), member(&n, sb)));
	multiplied(sa);
	follows(WV_SUB, sb, f.apart, scaled(f.scale, sa), truth(true), truth(true));
	witness(sa);
	struct value args[] = {state, at, number_object(&memory, &n)}, r = call_function(q, args, &memory);
	prove("not denied", implies(assumed, returned_true(&r)));
	possible(assumed);
	prove_hazards(assumed);
}

/* bool refine_by(st, f, of, known) */
void build_refine_by(const struct query *q)
{
	begin_row(q);
	state = new_state();
	struct value at = exec_struct(&memory, "struct.wv_distance", 0), of = exec_struct(&memory, "struct.wv_val", 0);
	struct fact_held f = true_fact(&at, truth(true));
	struct held h = held_load(&memory, &of, 0);
	struct number known = valid_number("known");
	term so = symbol_number(h.sym), sa = symbol_number(f.a), sb = symbol_number(f.b), from = eq(f.a, h.sym),
	     to = eq(f.b, h.sym), units = law_of_units(f.scale, sa);
	assume(and_(exists(h.sym), or_(from, to)));
	suppose(member(&known, h.x));
	follows(WV_ADD, h.x, sub(bits(64, 0), h.add), so, truth(true), truth(true));
	multiplied(so);
	/* for it is one symbol */
	follows(WV_ADD, scaled(f.scale, so), f.apart, sb, from,
		implies(from, eq(scaled(f.scale, sa), scaled(f.scale, so))));
	follows(WV_SUB, so, f.apart, sa, and_(to, eq(f.scale, bits(32, 1))), and_(units, implies(to, eq(sb, so))));
	follows(WV_SUB, f.apart, so, sa, and_(to, eq(f.scale, bits(32, UINT32_MAX))),
		and_(units, implies(to, eq(sb, so))));
	follows(WV_ADD, h.x, sub(bits(64, 0), h.add), sb, to, implies(to, eq(sb, so)));
	struct value args[] = {state, at, of, number_object(&memory, &known)}, r = call_function(q, args, &memory);
	prove("not denied", implies(assumed, returned_true(&r)));
	possible(assumed);
	prove_hazards(assumed);
}

/* bool wv_state_refine_distant(st, of, known) */
void build_refine_distant(const struct query *q)
{
	begin_row(q);
	state = new_state();
	struct value of = exec_struct(&memory, "struct.wv_val", 0);
	struct held h = held_load(&memory, &of, 0);
	struct number known = valid_number("known");
	suppose(implies(exists(h.sym), member(&known, h.x)));
	for (unsigned i = 0; i < MAX_FACTS; i++) {
		struct value at = fact_at(i);
		true_fact(&at, ult(bits(32, i), STATE(n_distances)));
	}
	struct value args[] = {state, of, number_object(&memory, &known)}, r = call_function(q, args, &memory);
	prove("not denied", implies(assumed, returned_true(&r)));
	possible(assumed);
	prove_hazards(assumed);
}
