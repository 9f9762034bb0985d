/* SPDX-License-Identifier: Apache-2.0 */
/*
 * multiples.c: multiples of a number by constants.
 *
 * What struct wv_ctx promises: as integers, the number that symbol scaled[i].sym stands for is `factor` times the
 * number x that is `add` more than symbol `of` stands for, and the factor is not 0. Symbols don't change what they
 * stand for, so that stays true whatever the code does. What remains to prove of each function is that what it adds
 * is true, and that a difference of multiples is at most what the function says.
 *
 * The helpers of `summarise` have rows of their own; where they are called, their promises stand in for them.
 */
#include <stddef.h>
#include <string.h>

#include "tests/z3/engine/facts.h"
#include "quotient.h"

static struct memory memory;
static struct value context;

/* A struct wv_scaled, the number x that it is about, and the product of that and the factor. */
struct scaled {
	term sym, of, add, factor, x, product;
	term multiple, rest; /* as scaled_from tells of a number: that with the rest is the number */
};

static term times_factor(term factor, term x)
{
	return wide_product(zext(factor, 64), x);
}

static struct scaled scaled_load(const struct memory *m, const struct value *at, uint64_t offset)
{
	struct scaled s = {
		.sym = exec_load(m, at, offset + offsetof(struct wv_scaled, sym), 4),
		.of = exec_load(m, at, offset + offsetof(struct wv_scaled, of), 4),
		.add = exec_load(m, at, offset + offsetof(struct wv_scaled, add), 8),
	};
	term factor = exec_load(m, at, offset + offsetof(struct wv_scaled, factor), 4);
	s.factor = zext(factor, 64);
	s.x = choose2(add, symbol_number(s.of), s.add);
	s.product = choose2(times_factor, factor, s.x);
	return s;
}

static struct scaled entry(unsigned i)
{
	return scaled_load(&memory, &context, offsetof(struct wv_ctx, scaled) + i * sizeof(struct wv_scaled));
}

static term is_scaled(const struct scaled *s, term number)
{
	return and_(exists(s->factor), eq(s->product, zext(number, 128)));
}

static term true_entry(unsigned i)
{
	struct scaled s = entry(i);
	term n = exec_load(&memory, &context, offsetof(struct wv_ctx, n_scaled), 4);
	return implies(ult(bits(32, i), n), is_scaled(&s, symbol_number(s.sym)));
}

/* ---- what calls are known by ---- */

static struct scaled told_of[2]; /* by scaled_from, in turn */
static unsigned n_told;
static const char *row;
static void (*before_bound)(const struct held *r, term rest, term guard); /* for laws */

/* uint64_t scaled_from(ctx, v, is) */
static void tell_scaled(const struct value *args, struct memory *m, struct value *result)
{
	struct held v = held_load(m, &args[1], 0);
	term rest = fresh(64);
	exec_store(m, &args[2], offsetof(struct wv_scaled, sym), fresh(32));
	exec_store(m, &args[2], offsetof(struct wv_scaled, of), fresh(32));
	exec_store(m, &args[2], offsetof(struct wv_scaled, add), fresh(64));
	exec_store(m, &args[2], offsetof(struct wv_scaled, factor), fresh(32));
	struct scaled s = scaled_load(m, &args[2], 0);
	s.rest = rest;
	s.multiple = fresh(64);
	assume(implies(has_number(&v), and_(is_scaled(&s, s.multiple), eq(v.x, add(s.multiple, rest)))));
	told_of[n_told++ % 2] = s;
	*result = exec_bits(rest);
}

/* uint64_t greatest_above(v, rest) */
static term greatest;

static void tell_greatest(const struct value *args, struct memory *m, term guard, struct value *result)
{
	struct held v = held_load(m, &args[0], 0);
	prove("a number for a callee", implies(guard, holds_number(&v)));
	greatest = fresh(64);
	assume(implies(guard, ule(sub(v.x, args[1].part[0]), greatest)));
	*result = exec_bits(greatest);
}

/* void bound_above(v, rest, most) */
static void tell_bound(const struct value *args, struct memory *m, term guard)
{
	struct held v = held_load(m, &args[0], 0);
	struct value at = field_of(&args[0], offsetof(struct wv_val, n));
	struct number n = number_fresh();
	if (before_bound)
		before_bound(&v, args[1].part[0], guard);
	prove("a number that is bounded", implies(guard, and_(has_number(&v), and_(holds_number(&v), valid(&v.n)))));
	prove("its bound", implies(guard, ule(sub(v.x, args[1].part[0]), args[2].part[0])));
	number_store(m, &at, &n);
	assume(implies(guard, and_(valid(&n), member(&n, v.x))));
}

static bool summarise(const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	if (strcmp(name, row) == 0)
		return false;
	if (strcmp(name, "scaled_from") == 0)
		tell_scaled(args, m, result);
	else if (strcmp(name, "greatest_above") == 0)
		tell_greatest(args, m, guard, result);
	else if (strcmp(name, "bound_above") == 0)
		tell_bound(args, m, guard);
	else
		return false;
	return true;
}

/* ---- arguments ---- */

static void begin(const struct query *q)
{
	row = q->function;
	n_told = 0;
	before_bound = NULL;
	also_summarise(summarise);
	context = exec_struct(&memory, "struct.wv_ctx", 0);
	for (unsigned i = 0; i < WV_MAX_SCALED; i++)
		assume(true_entry(i));
}

/* A number, or the offset of a pointer. */
static struct held value_of(struct value *at)
{
	*at = exec_struct(&memory, "struct.wv_val", 0);
	struct held h = held_load(&memory, at, 0);
	assume(and_(well_kept(&h), implies(has_number(&h), holds(&h))));
	return h;
}

static struct held result_value(struct value *at, term x, term given)
{
	struct held h = value_of(at);
	assume(and_(has_number(&h), implies(given, eq(h.x, x))));
	return h;
}

static term is_number_kind(const struct held *h)
{
	return eq(h->kind, bits(8, WV_NUM));
}

static void conclude(void)
{
	for (unsigned i = 0; i < WV_MAX_SCALED; i++)
		prove("a multiple", true_entry(i));
	prove_hazards(truth(true));
	possible(truth(true));
}

/* ---- rows ---- */

/* uint64_t scaled_from(ctx, v, is) */
void build_scaled_from(const struct query *q)
{
	struct value v;
	begin(q);
	struct held h = value_of(&v);
	assume(has_number(&h));
	struct value args[] = {context, v, exec_struct(&memory, "struct.wv_scaled", 0)};
	assume(law_of_power(bits(64, 1), bits(64, 0), h.x));
	term rest = call_function(q, args, &memory).part[0];
	struct scaled s = scaled_load(&memory, &args[2], 0);
	prove("a multiple of what it says", is_scaled(&s, sub(h.x, rest)));
	conclude();
}

/* uint64_t greatest_above(v, rest) */
void build_greatest_above(const struct query *q)
{
	struct value v;
	begin(q);
	term rest = input("rest", 64);
	struct held h = value_of(&v);
	assume(has_number(&h));
	witness(h.x);
	witness(rest);
	witness(sub(h.x, rest));
	struct value args[] = {v, exec_bits(rest)};
	prove("no less than any", ule(sub(h.x, rest), call_function(q, args, &memory).part[0]));
	conclude();
}

/* void bound_above(v, rest, most) */
void build_bound_above(const struct query *q)
{
	struct value v;
	begin(q);
	term rest = input("rest", 64), most = input("most", 64);
	term y = input("y", 64), x = add(y, rest);
	struct held h = value_of(&v);
	assume(and_(eq(h.x, x), ule(y, most)));
	assume(and_(has_number(&h), and_(holds_number(&h), valid(&h.n))));
	witness(y);
	witness(rest);
	witness(x);
	struct value args[] = {v, exec_bits(rest), exec_bits(most)};
	call_function(q, args, &memory);
	struct held after = held_load(&memory, &v, 0);
	prove("a member", member(&after.n, x));
	prove("valid", valid(&after.n));
	conclude();
}

/* void wv_scaled_left(ctx, width, v, count, r) */
void build_scaled_left(const struct query *q)
{
	struct value v, r;
	begin(q);
	term width = bits(32, q->width), count = input("count", 32), by = zext(count, 64);
	struct held h = value_of(&v);
	assume(and_(is_number_kind(&h), and_(eq(low_of(width, h.x), h.x), ult(count, width))));
	struct held made = result_value(&r, low_of(width, shl(h.x, by)), truth(true));
	struct value args[] = {context, exec_bits(width), v, exec_bits(count), r};
	call_function(q, args, &memory);
	term fits = and_(
		ult(count, bits(32, 32)), ule(h.n.umax, lshr(bits(64, q->width == 64 ? UINT64_MAX : UINT32_MAX), by)));
	prove("nothing is lost", implies(fits, eq(zext(made.x, 128), shl(zext(h.x, 128), zext(by, 128)))));
	assume(law_of_scaled(bits(64, 0), told_of[0].factor, by, told_of[0].x));
	assume(eq(wide_product(bits(64, 0), told_of[0].x), bits(128, 0)));
	conclude();
}

/* void wv_scaled_sum(ctx, width, a, b, scale, r): of both, or of the second one */
void build_scaled_sum(const struct query *q)
{
	struct value at[2], r, none = {.kind = POINTER};
	begin(q);
	term width = bits(32, q->width), scale = input("scale", 32), shift = bits(64, 0), any = truth(false),
	     zero = bits(64, 0);
	for (unsigned n = 0; n < 4; n++) {
		any = or_(any, eq(scale, bits(32, 1u << n)));
		shift = ite(eq(scale, bits(32, 1u << n)), bits(64, n), shift);
	}
	assume(any);
	struct held a = value_of(&at[0]), b = value_of(&at[1]);
	term x = q->op == 1 ? zero : a.x, x_most = q->op == 1 ? zero : a.n.umax, sum = add(x, shl(b.x, shift));
	/* of a pointer it is the offset that is moved */
	term number = q->op == 1 ? truth(true) : is_number_kind(&a),
	     pointer = q->op == 1 ? truth(false) : eq(a.kind, bits(8, WV_PTR));
	struct held made = value_of(&r);
	term numbers = and_(number, is_number_kind(&b)),
	     moved = and_(and_(pointer, is_number_kind(&b)), eq(made.kind, bits(8, WV_PTR)));
	assume(and_(has_number(&made),
		and_(implies(numbers, eq(made.x, low_of(width, sum))), implies(moved, eq(made.x, sum)))));
	struct value args[] = {context, exec_bits(width), q->op == 1 ? none : at[0], at[1], exec_bits(scale), r};
	call_function(q, args, &memory);
	struct scaled first = told_of[1], second = told_of[0]; /* of b, then of a */
	if (q->op == 1)
		first = (struct scaled){.factor = zero};
	term fits = ule(add(zext(x_most, 128), shl(zext(b.n.umax, 128), zext(shift, 128))),
		bits(128, q->width == 64 ? UINT64_MAX : UINT32_MAX));
	term exact = eq(zext(made.x, 128), add(zext(x, 128), shl(zext(b.x, 128), zext(shift, 128))));
	prove("nothing wraps around", implies(and_(fits, numbers), exact));
	term only = and_(and_(moved, eq(a.n.umin, a.n.umax)),
		ule(shl(zext(b.n.umax, 128), zext(shift, 128)), bits(128, UINT64_MAX)));
	prove("nor what a pointer is moved by",
		implies(only, eq(zext(sub(made.x, a.n.umin), 128), shl(zext(b.x, 128), zext(shift, 128)))));
	for (unsigned i = 0; i < 2; i++) {
		term room = sub(bits(64, q->width == 64 ? UINT64_MAX : UINT32_MAX), i ? zero : x_most);
		assume(law_of_rest(room, zext(scale, 64)));
		assume(law_of_power(zext(scale, 64), shift, quotient(room, zext(scale, 64), false).q));
	}
	assume(law_of_power(zext(scale, 64), shift, second.factor));
	term more = product(second.factor, zext(scale, 64)).low;
	prove("a multiple of the factor", eq(more, shl(second.factor, shift)));
	prove("the factor of both", eq(add(first.factor, more), add(first.factor, shl(second.factor, shift))));
	assume(law_of_scaled(first.factor, second.factor, shift, second.x));
	assume(law_of_scaled(zero, second.factor, shift, second.x));
	assume(eq(wide_product(zero, second.x), bits(128, 0)));
	conclude();
}

static struct held operands[2];
static term numbers; /* the operands are what the function asks for */

/* x is at most what is known of the multiple, divided by its factor. */
static void bound_by_quotient(const struct held *r, term rest, term guard)
{
	struct scaled x = told_of[0], y = told_of[1];
	term most = quotient(greatest, x.factor, false).q, factor = sub(x.factor, y.factor);
	term same = and_(and_(guard, and_(eq(x.x, y.x), ule(y.factor, x.factor))),
		and_(numbers, and_(eq(y.rest, bits(64, 0)), eq(rest, x.rest))));
	term from = x.multiple, off = operands[1].x, zero = bits(64, 0);
	prove("what is above the rest",
		implies(eq(operands[0].x, add(from, rest)), eq(sub(operands[0].x, rest), from)));
	term left = sub(add(from, rest), off);
	prove("what is left above it", eq(sub(left, rest), sub(from, off)));
	prove("the result", implies(same, eq(r->x, left)));
	prove("what it is above the rest", implies(same, eq(sub(r->x, rest), sub(from, off))));
	struct product made = product(factor, x.x), greatest_made = product(factor, most);
	assume(law_of_difference(zero, x.factor, y.factor, x.x));
	assume(law_between(factor, factor, x.factor, x.x, x.x, x.x));
	assume(law_of_floor(greatest, x.factor, x.x));
	assume(law_of_rest(greatest, x.factor));
	assume(law_between(factor, factor, factor, x.x, x.x, most));
	assume(law_between(factor, factor, x.factor, most, most, most));
	prove("the one multiple", implies(same, eq(wide_product(x.factor, x.x), zext(from, 128))));
	prove("the other one", implies(same, eq(wide_product(y.factor, x.x), zext(off, 128))));
	prove("their difference", implies(same, eq(made.low, sub(from, off))));
	prove("it has no more bits", implies(same, eq(made.high, zero)));
	prove("nor has the greatest", implies(same, eq(greatest_made.high, zero)));
	prove("it is no more than that", implies(same, ule(made.low, greatest_made.low)));
	prove("nor is what is above the rest", implies(same, ule(sub(r->x, rest), greatest_made.low)));
}

/* void wv_scaled_difference(ctx, width, a, b, r) */
void build_scaled_difference(const struct query *q)
{
	struct value at[2], r;
	begin(q);
	term width = bits(32, q->width);
	for (unsigned i = 0; i < 2; i++)
		operands[i] = value_of(&at[i]);
	struct held *a = &operands[0], *b = &operands[1];
	assume(and_(has_number(a), eq(low_of(width, a->x), a->x)));
	numbers = and_(is_number_kind(b), or_(is_number_kind(a), eq(width, bits(32, 64))));
	struct held made = result_value(&r, low_of(width, sub(a->x, b->x)), numbers);
	if (q->width < 64)
		assume(is_number_kind(&made));
	before_bound = bound_by_quotient;
	struct value args[] = {context, exec_bits(width), at[0], at[1], r};
	call_function(q, args, &memory);
	struct held after = held_load(&memory, &r, 0);
	prove("a member", holds_number(&after));
	prove("valid", valid(&after.n));
	conclude();
}
