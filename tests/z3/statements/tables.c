/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants in read-only data (table.c); jumps.c covers jumps.
 *
 * Rodata holds anything. A load is at one of a number's offsets: `x` is any of them, and `v` is what lies there. What
 * is proven:
 *
 * - steps_of: going step by step from the first offset on, one reaches x; so nothing that the load may reach is
 *   passed over.
 * - wv_table_constants: if it says that the constants are few, v lies between the least and the greatest of them, as
 *   an unsigned and as a signed number, and everything that was read lies within rodata. By induction over the loop's
 *   iterations: either v was seen, or x lies ahead. The tests before the loop ensure that 256 iterations are enough.
 * - wv_constants_unsigned, wv_constants_signed: the number that they make contains every value between these bounds,
 *   zero-extended and sign-extended.
 */
#include "tables.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "tests/z3/engine/memory.h"
#include "queries.h"
#include "verifier/step/table.h"

static struct memory memory;

/* ---- from one offset to the next ---- */

/* uint64_t stride_of(at): a power of two, so that all offsets are the same below it. */
void build_stride_of(const struct query *q)
{
	struct number at = valid_number("at");
	term x = input("x", 64), given = member(&at, x);
	struct value args[] = {number_object(&memory, &at)};
	term stride = call_function(q, args, &memory).part[0], below = sub(stride, bits(64, 1)), zero = bits(64, 0);
	prove("a power of two", and_(not_(eq(stride, zero)), eq(band(stride, below), zero)));
	prove("the same below", implies(given, eq(band(bxor(x, at.bits), below), zero)));
	possible(given);
	prove_hazards(truth(true));
}

/* What is taken modulo an unknown power of two is what is taken modulo whichever it is (arith.c, rem). */
static void know_power(term x, term m)
{
	term below = sub(m, bits(64, 1)), zero = bits(64, 0);
	if (!arith_exact && !term_replaying())
		assume(implies(and_(not_(eq(m, zero)), eq(band(m, below), zero)), eq(rem(x, m), band(x, below))));
}

/* What is told of a first offset and a step: */
static term leads_to(term first, term step, term umin, term x)
{
	return and_(and_(ule(umin, first), ule(first, x)), eq(rem(first, step), rem(x, step)));
}

/* uint64_t steps_of(at, first) */
void build_steps_of(const struct query *q)
{
	struct number at = valid_number("at");
	term x = input("x", 64), given = member(&at, x);
	struct value n = number_object(&memory, &at), to = exec_object(&memory, (const uint8_t[]){8, 0}),
		     args[] = {n, to};
	term stride = exec_call("stride_of", args, &memory, truth(true)).part[0];
	know_power(x, stride);
	term step = call_function(q, args, &memory).part[0], first = exec_load(&memory, &to, 0, 8);
	term by_bits = band(at.bits, sub(stride, bits(64, 1))), left = ite(ult(stride, at.mod), at.rem, by_bits);
	assume(law_up(x, left, at.umin, step));
	assume(law_of_onto(first, at.umin, left, step));
	prove("a step", not_(eq(step, bits(64, 0))));
	prove("less than it", ult(left, step));
	prove("what is left of it", implies(given, eq(rem(x, step), left)));
	prove("from the least on", implies(given, ule(at.umin, first)));
	prove("no farther than to it", implies(given, ule(first, x)));
	prove("what is left of the first", implies(given, eq(rem(first, step), left)));
	prove("step by step", implies(given, leads_to(first, step, at.umin, x)));
	possible(given);
	prove_hazards(truth(true));
}

/* ---- what is read ---- */

/* uint64_t constant_at(p, bytes) */
void build_constant_at(const struct query *q)
{
	unsigned n = (unsigned)q->op;
	struct value p = exec_object(&memory, (const uint8_t[]){1, 1, 1, 1, 1, 1, 1, 1, 0}),
		     args[] = {p, exec_bits(bits(32, n))};
	term all = NULL;
	for (unsigned i = 0; i < n; i++) {
		char name[20];
		snprintf(name, sizeof name, "byte%u", i);
		term one = input(name, 8);
		exec_store(&memory, &p, i, one);
		all = all ? concat(one, all) : one;
	}
	exec_rejoins = true;
	struct value r = call_function(q, args, &memory);
	prove("the bytes, the lowest first", eq(r.part[0], zext(all, 64)));
	prove_hazards(truth(true));
}

/* ---- the least and the greatest ---- */

static struct {
	unsigned bytes;
	struct number at;
	term x, v, size, given; /* the offset, what is there, and how long rodata is */
	term begin;             /* where its bytes are */
	term first, step;
	struct value c;
} table;

static term broad(term t)
{
	return zext(t, 80);
}

static term bound(const struct memory *m, size_t field)
{
	return exec_load(m, &table.c, field, 8);
}

#define C(m, field) bound(m, offsetof(struct wv_constants, field))

static term as_signed(term v)
{
	return low_sext(v, 8 * table.bytes);
}

static term lies_between(const struct memory *m, term v)
{
	term s = as_signed(v);
	return and_(and_(ule(C(m, umin), v), ule(v, C(m, umax))), and_(sle(C(m, smin), s), sle(s, C(m, smax))));
}

/* What makes up that v lies between bounds: what it is at least and at most, as unsigned and as signed number. */
struct between {
	term part[4];
};

static struct between parts_of(const struct memory *m)
{
	term v = table.v, s = as_signed(v);
	return (struct between){{name_of(ule(C(m, umin), v)), name_of(ule(v, C(m, umax))), name_of(sle(C(m, smin), s)),
		name_of(sle(s, C(m, smax)))}};
}

/* By names: what they mean matters to few goals. */
static term seen(const struct memory *m)
{
	struct between b = parts_of(m);
	return name_of(and_(and_(b.part[0], b.part[1]), and_(b.part[2], b.part[3])));
}

/* They are such as so many bytes can hold. */
static term are_bounds(const struct memory *m)
{
	term greatest = bits(64, UINT64_MAX >> (64 - 8 * table.bytes)), most = lshr(greatest, bits(64, 1)),
	     least = bnot(most);
	return and_(ule(C(m, umax), greatest), and_(sle(least, C(m, smin)), sle(C(m, smax), most)));
}

static term in_order(const struct memory *m)
{
	return implies(ule(C(m, umin), C(m, umax)), sle(C(m, smin), C(m, smax)));
}

/* So many times the step: what that is by the turn before. */
static struct {
	term turns, times;
	term at, unseen; /* the offset there, and that nothing before it was */
	struct between before;
	term again; /* that this turn is not the last one */
} multiple;

static term times_step(term turns)
{
	uint64_t none;
	if (is_number(turns, &none) && none == 0)
		return bits(80, 0);
	if (turns != multiple.turns && turns != add(multiple.turns, bits(32, 1)))
		give_up("turns of the loop over constants are counted in another way");
	return turns == multiple.turns ? multiple.times : add(multiple.times, broad(table.step));
}

/* What holds after so many turns, before the offset is looked at. */
static term ahead(const struct memory *m, term at, term turns)
{
	term reached = add(broad(table.first), times_step(turns));
	return implies(and_(table.given, not_(seen(m))),
		and_(eq(reached, broad(at)),
			and_(ule(at, table.x), eq(rem(at, table.step), rem(table.x, table.step)))));
}

static void at_head(struct memory *m, const term *phi, term guard, const char *const names[4])
{
	prove(names[0], implies(guard, ule(phi[1], bits(32, 256))));
	prove(names[1], implies(guard, are_bounds(m)));
	prove(names[2], implies(guard, in_order(m)));
	prove(names[3], implies(guard, ahead(m, phi[0], phi[1])));
}

static void arrives(struct memory *m, term *phi, unsigned n, term guard)
{
	static const char *const names[] = {"no turn yet", "bounds of nothing", "none in order", "all is ahead"};
	if (n != 2)
		give_up("the loop over constants is another one");
	at_head(m, phi, guard, names);
	phi[0] = multiple.at = fresh(64);
	phi[1] = multiple.turns = fresh(32);
	multiple.times = fresh(80);
	assume(implies(eq(phi[1], bits(32, 256)), eq(multiple.times, shl(broad(table.step), bits(80, 8)))));
	for (unsigned i = 0; i < 4; i++)
		exec_store(m, &table.c, 8 * i, fresh(64));
	multiple.before = parts_of(m);
	assume(implies(guard,
		and_(and_(ule(phi[1], bits(32, 256)), are_bounds(m)), and_(in_order(m), ahead(m, phi[0], phi[1])))));
	multiple.unseen = not_(seen(m));
	assume(law_of_next(table.x, phi[0], table.step));
}

/* If it was not seen in this turn either, this was not its offset; so that lies ahead, by a step at least. */
static void returns(struct memory *m, const term *phi, unsigned n, term guard)
{
	static const char *const names[] = {
		"one more turn", "bounds of what was seen", "they are in order", "seen, or ahead"};
	static const char *const parts[] = {
		"no greater a least", "no less a greatest", "no greater a least, signed", "no less a greatest, signed"};
	static const char *const is_in[] = {"no less than the least", "no more than the greatest",
		"no less than the least, signed", "no more than the greatest, signed"};
	struct between now_is = parts_of(m);
	term unseen = and_(guard, and_(table.given, not_(seen(m)))), next = add(multiple.at, table.step),
	     here = and_(guard, eq(multiple.at, table.x));
	(void)n;
	multiple.again = guard;
	for (unsigned i = 0; i < 4; i++)
		prove(parts[i], implies(and_(guard, multiple.before.part[i]), now_is.part[i]));
	prove("what was seen stays so", implies(unseen, multiple.unseen));
	for (unsigned i = 0; i < 4; i++)
		prove(is_in[i], implies(here, now_is.part[i]));
	prove("it was not here", implies(unseen, not_(eq(multiple.at, table.x))));
	prove("it is farther on", implies(unseen, and_(ult(multiple.at, table.x),
							  eq(rem(multiple.at, table.step), rem(table.x, table.step)))));
	prove("by a step at least", implies(unseen, and_(ule(table.step, sub(table.x, multiple.at)),
							    eq(rem(next, table.step), rem(multiple.at, table.step)))));
	prove("a step on", implies(guard, eq(phi[0], next)));
	prove("no farther than it", implies(unseen, and_(ule(multiple.at, next), ule(next, table.x))));
	prove("so many steps", implies(unseen, eq(add(broad(table.first), times_step(phi[1])), broad(next))));
	at_head(m, phi, guard, names);
}

/* steps_of is taken by its word; constant_at reads what is there. */
static bool called_in_table(
	const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	bool plain = arith_exact || term_replaying();
	if (strcmp(name, "steps_of") == 0 && !plain) {
		table.first = fresh(64);
		table.step = fresh(64);
		exec_store(m, &args[1], 0, table.first);
		assume(not_(eq(table.step, bits(64, 0))));
		assume(implies(table.given, leads_to(table.first, table.step, table.at.umin, table.x)));
		assume(law_of_few(sub(table.at.umax, table.at.umin), table.step));
		*result = exec_bits(table.step);
		return true;
	}
	if (strcmp(name, "constant_at") != 0)
		return false;
	term offset = args[0].part[0], length = bits(64, table.bytes), other = plain ? input("other", 64) : fresh(64);
	if (!offset || args[0].part[1] != table.begin)
		give_up("a constant that is read from somewhere else");
	prove("within rodata", implies(guard, and_(ule(length, table.size), ule(offset, sub(table.size, length)))));
	prove("as many bytes", implies(guard, eq(args[1].part[0], bits(32, table.bytes))));
	*result = exec_bits(ite(eq(offset, table.x), table.v, low_zext(other, 8 * table.bytes)));
	return true;
}

/*
 * What is told is told when control is not back at the head. That it was seen by then: else all turns were made, and
 * those lead beyond the last offset.
 */
static term after_last_turn(term few)
{
	if (!multiple.again)
		give_up("there is no loop over constants");
	term last = not_(multiple.again), unseen = and_(and_(few, last), and_(table.given, not_(seen(&memory))));
	term all = add(broad(table.first), shl(broad(table.step), bits(80, 8)));
	prove("it was not seen", implies(unseen, multiple.unseen));
	prove("all turns were made", implies(unseen, eq(multiple.turns, bits(32, 256))));
	prove("all steps", implies(unseen, eq(all, broad(multiple.at))));
	prove("those are more than there are",
		implies(unseen, ult(broad(sub(table.at.umax, table.at.umin)), shl(broad(table.step), bits(80, 8)))));
	prove("beyond the last one", implies(unseen, ult(broad(table.at.umax), all)));
	return last;
}

/* bool wv_table_constants(m, at, bytes, c) */
void build_constants(const struct query *q)
{
	bool plain = arith_exact || term_replaying();
	table.bytes = (unsigned)q->op;
	table.at = valid_number("at");
	table.x = input("x", 64);
	table.v = low_zext(input("v", 64), 8 * table.bytes);
	table.size = input("size", 64);
	table.given = name_of(member(&table.at, table.x));
	table.c = exec_struct(&memory, "struct.wv_constants", 0);
	struct value m = exec_struct(&memory, "struct.wv_module", 0),
		     args[] = {m, number_object(&memory, &table.at), exec_bits(bits(32, table.bytes)), table.c};
	exec_store(&memory, &m, offsetof(struct wv_module, rodata_bytes.n), table.size);
	table.begin = exec_load(&memory, &m, offsetof(struct wv_module, rodata_bytes.p), 8);
	summarise_always(called_in_table);
	if (plain) { /* two turns at most */
		exec_bound = ule(sub(table.at.umax, table.at.umin), bits(64, 1));
		assume(exec_bound);
		exec_most_turns = 4;
	} else {
		exec_cut = (struct exec_cut){"wv_table_constants", arrives, returns};
	}
	struct value told = call_function(q, args, &memory);
	term few = not_(eq(told.part[0], is_bool(told.part[0]) ? truth(false) : bits(width_of(told.part[0]), 0)));
	if (!plain)
		few = and_(few, after_last_turn(few));
	prove("it lies between them",
		implies(and_(few, table.given), plain ? lies_between(&memory, table.v) : seen(&memory)));
	prove("they are bounds", implies(few, and_(are_bounds(&memory), and_(ult(C(&memory, umin), C(&memory, umax)),
										in_order(&memory)))));
	if (!plain)
		possible(and_(few, table.given));
	prove_hazards(truth(true));
}

/* ---- numbers of them ---- */

/* struct wv_num wv_constants_signed(c), wv_constants_unsigned(c, bytes) */
void build_constants_number(const struct query *q)
{
	bool is_signed = strcmp(q->function, "wv_constants_signed") == 0;
	table.bytes = (unsigned)q->op;
	table.c = exec_struct(&memory, "struct.wv_constants", 0);
	static const char *const names[] = {"umin", "umax", "smin", "smax"};
	for (unsigned i = 0; i < 4; i++)
		exec_store(&memory, &table.c, 8 * i, input(names[i], 64));
	term v = low_zext(input("v", 64), 8 * table.bytes), given = lies_between(&memory, v),
	     x = is_signed ? as_signed(v) : v;
	struct value args[] = {number_object(&memory, NULL), table.c, exec_bits(bits(32, table.bytes))};
	witness(v);
	witness(as_signed(v));
	same_result(low_zext(as_signed(v), 8 * table.bytes), v, truth(true));
	assume(and_(are_bounds(&memory), and_(ule(C(&memory, umin), C(&memory, umax)), in_order(&memory))));
	call_function(q, args, &memory);
	possible(given);
	prove_result(&memory, &args[0], x, given);
}
