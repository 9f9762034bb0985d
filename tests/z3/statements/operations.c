/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operations on numbers promise (transfer.c): the result's tracked value is what the operation makes of the
 * operands' tracked values. Each operation has rows of its own.
 */
#include <stddef.h>

#include "tests/z3/engine/arith.h"
#include "transfer_parts.h"
#include "verifier/domain/mul_div.h"

/* ---- of numbers ---- */

struct number number_at(const struct called *c, unsigned i)
{
	return number_load(c->memory, &c->args[i]);
}

struct held value_held(const struct called *c, unsigned i)
{
	struct held h = held_load(c->memory, &c->args[i], 0);
	h.x = same_sums(h.x);
	same_member(&h.n, h.x);
	return h;
}

unsigned constant_at(const struct called *c, unsigned i)
{
	uint64_t n;
	if (!is_number(c->args[i].part[0], &n))
		give_up("an argument that is not constant");
	return (unsigned)n;
}

struct number answer_number(const struct called *c, unsigned i, term x, term fit, term given)
{
	struct number r = number_fresh();
	number_store(c->memory, &c->args[i], &r);
	ask_about(&r, x);
	claim("valid numbers for a callee", implies(c->guard, fit));
	assume(implies(fit, valid(&r)));
	assume(implies(and_(fit, given), member(&r, x)));
	return r;
}

/* Of one number, at a constant width: f of it. */
static struct number answer_one(const struct called *c, unsigned number, term f(term, unsigned), unsigned width)
{
	struct number a = number_at(c, number);
	term x = about(&a);
	return answer_number(c, 0, f(x, width), valid(&a), member(&a, x));
}

/* Of so many bits, and no more: so its bounds say. */
term within_width(const struct number *n, unsigned width)
{
	return ule(n->umax, bits(64, UINT64_MAX >> (64 - width)));
}

static void call_zext(const struct called *c)
{
	struct number a = number_at(c, 1), r = answer_one(c, 1, low_zext, constant_at(c, 2));
	assume(implies(valid(&a), within_width(&r, constant_at(c, 2))));
}

static void call_sext(const struct called *c)
{
	answer_one(c, 1, low_sext, constant_at(c, 2));
}

static void call_merge(const struct called *c)
{
	struct number a = number_at(c, 1), b = number_at(c, 2);
	term x = about(&a), y = about(&b);
	answer_number(c, 0, concrete_merge(x, y, constant_at(c, 3)), and_(valid(&a), valid(&b)),
		and_(member(&a, x), member(&b, y)));
}

/* struct wv_num wv_num_binary(op, width, a, b); the product of two unknowns is what the machine made of them. */
static void call_binary(const struct called *c)
{
	enum wv_op op = (enum wv_op)constant_at(c, 1);
	unsigned width = constant_at(c, 2);
	uint64_t unused;
	struct number a = number_at(c, 3), b = number_at(c, 4);
	term x = about(&a), y = about(&b), given = and_(member(&a, x), member(&b, y)), z;
	if (op != WV_IMUL) {
		z = same_sums(concrete_binary(op, width, x, y));
	} else if (is_number(y, &unused) && !run.x) {
		z = low_zext(op2(Z3_mk_bvmul, x, y), width);
	} else {
		z = run.made[0];
		given = and_(given, and_(eq(x, run.x), eq(y, run.y)));
	}
	answer_number(c, 0, z, and_(valid(&a), valid(&b)), given);
}

static void call_shift(const struct called *c)
{
	enum wv_op op = (enum wv_op)constant_at(c, 1);
	unsigned width = constant_at(c, 2);
	struct number a = number_at(c, 3), b = number_at(c, 4);
	term x = about(&a), y = about(&b), fit = and_(valid(&a), valid(&b));
	if (op == WV_SHL || op == WV_SHR || op == WV_SAR)
		answer_number(c, 0, concrete_shift(op, width, x, y), fit, and_(member(&a, x), member(&b, y)));
	else /* a rotate, which gives any value of the width */
		answer_number(c, 0, run.any[0], fit, ule(run.any[0], bits(64, UINT64_MAX >> (64 - width))));
}

/* Results of operations that want an operand that comes zero-extended. */
static void answer_narrow(const struct called *c, struct number *a, unsigned width, term z, term given)
{
	term x = about(a);
	answer_number(c, 0, z, valid(a), and_(given, and_(member(a, x), eq(low_zext(x, width), x))));
}

static void call_tzcnt(const struct called *c)
{
	struct number a = number_at(c, 2);
	unsigned w = constant_at(c, 1);
	answer_narrow(c, &a, w, zext(ctz(extract(w - 1, 0, about(&a))), 64), truth(true));
}

static void call_lzcnt(const struct called *c)
{
	struct number a = number_at(c, 2);
	unsigned w = constant_at(c, 1);
	answer_narrow(c, &a, w, zext(clz(extract(w - 1, 0, about(&a))), 64), truth(true));
}

static void call_top(const struct called *c)
{
	struct number a = number_at(c, 2);
	answer_narrow(c, &a, constant_at(c, 1), sub(bits(64, 63), clz(about(&a))), not_(eq(about(&a), bits(64, 0))));
}

static void call_popcnt(const struct called *c)
{
	struct number a = number_at(c, 2);
	answer_narrow(c, &a, constant_at(c, 1), run.made[0], eq(about(&a), run.x));
}

static void call_lowest(const struct called *c)
{
	enum wv_op op = (enum wv_op)constant_at(c, 1);
	unsigned w = constant_at(c, 2);
	struct number a = number_at(c, 3);
	term x = about(&a), less = sub(x, bits(64, 1)),
	     z = op == WV_BLSI     ? band(x, sub(bits(64, 0), x))
		 : op == WV_BLSMSK ? bxor(x, less)
				   : band(x, less);
	answer_narrow(c, &a, w, low_zext(z, w), truth(true));
}

static term lowest_bits(term a, term n)
{
	return ite(ule(bits(64, 64), n), a, band(a, sub(shl(bits(64, 1), n), bits(64, 1))));
}

static void call_pick(const struct called *c, bool bzhi)
{
	unsigned w = constant_at(c, 1);
	struct number a = number_at(c, 2), by = number_at(c, 3);
	term x = about(&a), y = about(&by), first = low_zext(y, 8), second = low_zext(lshr(y, bits(64, 8)), 8);
	claim("valid numbers for a callee", implies(c->guard, valid(&by)));
	answer_narrow(c, &a, w, bzhi ? lowest_bits(x, first) : lowest_bits(lshr(x, first), second),
		and_(valid(&by), member(&by, y)));
}

static void call_bzhi(const struct called *c)
{
	call_pick(c, true);
}

static void call_bextr(const struct called *c)
{
	call_pick(c, false);
}

static void call_pdep(const struct called *c)
{
	struct number a = number_at(c, 2);
	answer_narrow(c, &a, constant_at(c, 1), run.made[0], eq(band(run.made[0], bnot(about(&a))), bits(64, 0)));
}

static void call_pext(const struct called *c)
{
	struct number a = number_at(c, 2);
	answer_narrow(c, &a, constant_at(c, 1), run.made[0], eq(about(&a), run.x));
}

static void call_bit(const struct called *c)
{
	struct number a = number_at(c, 2);
	term x = about(&a);
	answer_number(c, 0, shl(bits(64, 1), band(x, bits(64, constant_at(c, 1) - 1))), valid(&a), member(&a, x));
}

/* void wv_num_product(width, is_signed, a, b, low, high) */
static void call_product(const struct called *c)
{
	unsigned w = constant_at(c, 0);
	struct number a = number_at(c, 2), b = number_at(c, 3);
	term x = about(&a), y = about(&b), fit = and_(valid(&a), valid(&b)),
	     narrow = and_(eq(low_zext(x, w), x), eq(low_zext(y, w), y));
	term given = and_(and_(narrow, and_(eq(x, run.x), eq(y, run.y))), and_(member(&a, x), member(&b, y)));
	claim("the product of whose halves this is",
		implies(c->guard, eq(c->args[1].part[0], truth(run.form->op == WV_IMUL1))));
	answer_number(c, 4, run.made[0], fit, given);
	answer_number(c, 5, run.made[1], fit, given);
}

/* ---- quotients ---- */

term dividend_told; /* the dividend that the division is told of is what the registers hold */

static term of_rax(unsigned width)
{
	return low_zext(before.reg[WV_RAX], width);
}

/* What is known of a dividend is nothing that is asked here; but it is true, if this is `given`. */
static void tell_dividend(const struct called *c, term fit, term given)
{
	for (unsigned i = 0; i < 4; i++)
		exec_store(c->memory, &c->args[0], 16 * i, fresh(128));
	claim("valid numbers for a callee", implies(c->guard, fit));
	assume(implies(and_(c->guard, and_(fit, given)), dividend_told));
}

/* struct wv_dividend wv_dividend_narrow(width, n): ax, or rax where rdx is its sign. */
static void call_dividend_narrow(const struct called *c)
{
	struct number n = number_at(c, 2);
	unsigned w = constant_at(c, 1);
	term x = about(&n), given = and_(member(&n, x), eq(x, of_rax(w)));
	if (w == run.width)
		given = and_(given, run.form->op == WV_IDIV
					    ? eq(low_zext(before.reg[WV_RDX], w),
						      low_zext(ashr(low_sext(before.reg[WV_RAX], w), bits(64, 63)), w))
					    : truth(false));
	else
		given = and_(given, truth(w == 16 && run.width == 8));
	tell_dividend(c, valid(&n), given);
}

/* struct wv_dividend wv_dividend_of(width, high, low) */
static void call_dividend_of(const struct called *c)
{
	struct number high = number_at(c, 2), low = number_at(c, 3);
	unsigned w = constant_at(c, 1);
	term x = about(&high), y = about(&low), is = and_(eq(x, low_zext(before.reg[WV_RDX], w)), eq(y, of_rax(w)));
	tell_dividend(c, and_(valid(&high), valid(&low)),
		and_(truth(w == run.width), and_(is, and_(member(&high, x), member(&low, y)))));
}

/*
 * enum wv_division wv_num_divide(width, is_signed, n, divisor, quotient, remainder): if it says that it divides, the
 * processor doesn't fault.
 */
static void call_divide(const struct called *c)
{
	struct number d = number_at(c, 3);
	term y = about(&d), told = fresh(32), divides = eq(told, bits(32, WV_DIVIDES)),
	     by = truth(constant_at(c, 0) == run.width);
	term sign = eq(c->args[1].part[0], truth(run.form->op == WV_IDIV));
	term given =
		and_(divides, and_(and_(dividend_told, and_(sign, by)), and_(member(&d, y), eq(y, before.read[0]))));
	assume(ule(told, bits(32, WV_DIVIDES_TOO_BIG)));
	answer_number(c, 4, run.made[0], valid(&d), given);
	answer_number(c, 5, run.made[1], valid(&d), given);
	assume(implies(and_(valid(&d), given), not_(run.faults)));
	*c->result = exec_bits(told);
}

static void call_join(const struct called *c)
{
	struct number a = number_at(c, 1), b = number_at(c, 2);
	term x = about(&a), y = about(&b);
	answer_number(
		c, 0, ite(run.taken, x, y), and_(valid(&a), valid(&b)), ite(run.taken, member(&a, x), member(&b, y)));
}

/* bool wv_num_meet(n, other): what *n is asked about both have. */
static void call_meet(const struct called *c)
{
	struct number n = number_at(c, 0), other = number_at(c, 1), r = number_fresh();
	term x = about(&n), told = fresh_bool(), fit = and_(valid(&n), valid(&other)),
	     both = and_(member(&n, x), member(&other, x));
	number_store(c->memory, &c->args[0], &r);
	ask_about(&r, x);
	claim("valid numbers for a callee", implies(c->guard, fit));
	assume(implies(and_(fit, told), valid(&r)));
	assume(implies(and_(fit, both), and_(told, member(&r, x))));
	same_member(&other, x);
	same_members(&r, x, part_before.h.x, truth(true)); /* it may be kept as what was read */
	same_members(&other, x, part_before.h.x, truth(true));
	*c->result = exec_bits(told);
}

/* bool wv_num_sync(n) */
static void call_sync(const struct called *c)
{
	struct number n = number_at(c, 0), r = number_fresh();
	term x = about(&n), told = fresh_bool();
	number_store(c->memory, &c->args[0], &r);
	ask_about(&r, x);
	assume(implies(and_(told, well_formed(&n)), valid(&r)));
	assume(implies(member(&n, x), and_(told, member(&r, x))));
	*c->result = exec_bits(told);
}

/* bool wv_num_has(n, value) */
static void call_has(const struct called *c)
{
	struct number n = number_at(c, 0);
	term x = about(&n);
	assume(implies(eq(x, c->args[1].part[0]), eq(member(&n, x), member(&n, c->args[1].part[0]))));
	*c->result = exec_bits(member(&n, c->args[1].part[0]));
}

const struct promise operations[] = {
	{"wv_num_zext", call_zext, false},
	{"wv_num_sext", call_sext, false},
	{"wv_num_merge", call_merge, false},
	{"wv_num_binary", call_binary, false},
	{"wv_num_shift", call_shift, false},
	{"wv_num_tzcnt", call_tzcnt, false},
	{"wv_num_lzcnt", call_lzcnt, false},
	{"wv_num_top", call_top, false},
	{"wv_num_popcnt", call_popcnt, false},
	{"wv_num_lowest", call_lowest, false},
	{"wv_num_bzhi", call_bzhi, false},
	{"wv_num_bextr", call_bextr, false},
	{"wv_num_pdep", call_pdep, false},
	{"wv_num_pext", call_pext, false},
	{"wv_num_sync", call_sync, false},
	{"wv_dividend_narrow", call_dividend_narrow, false},
	{"wv_dividend_of", call_dividend_of, false},
	{"wv_num_divide", call_divide, false},
	{"wv_num_bit", call_bit, false},
	{"wv_num_product", call_product, false},
	{"wv_num_join", call_join, false},
	{"wv_num_meet", call_meet, false},
	{"wv_num_has", call_has, false},
	{NULL, NULL, false},
};
