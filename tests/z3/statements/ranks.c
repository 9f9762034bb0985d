/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.c: how far the location that counts a loop can move. A rank is the number in one of its views, its length in
 * bits, or how many of its bits are ones (proof.h).
 */
#include "tests/z3/engine/arith.h"
#include "verifier/proof/proof.h"
#include "queries.h"

static struct memory memory;

/* As a number of 66 bits, so that nothing said below wraps around; only the views that are moved by a step. */
static term in_full(int view, term x)
{
	switch (view) {
	case WV_U64: return zext(x, 66);
	case WV_S64: return sext(x, 66);
	case WV_U32: return zext(extract(31, 0, x), 66);
	default: return sext(extract(31, 0, x), 66);
	}
}

/*
 * bool wv_rank_moves(view, n, step): no member, moved by `step`, leaves what the view can hold. The step comes with as
 * many bits as the view. Lengths and numbers of ones only go down: there is nothing to leave.
 */
void build_rank_moves(const struct query *q)
{
	struct number n = valid_number("n");
	term x = input("x", 64), step = input("step", 64), zero = bits(64, 0);
	bool narrow = q->op == WV_U32 || q->op == WV_S32, is_signed = q->op == WV_S64 || q->op == WV_S32;
	unsigned width = narrow ? 32 : 64;
	struct value args[] = {exec_bits(bits(32, (uint64_t)q->op)), number_object(&memory, &n), exec_bits(step)};
	assume(not_(eq(step, zero)));
	if (narrow)
		assume(eq(step, low_sext(step, 32)));
	struct value r = call_function(q, args, &memory);
	term told = is_bool(r.part[0]) ? r.part[0] : not_(eq(r.part[0], bits(width_of(r.part[0]), 0)));
	term moved = add(in_full(q->op, x), sext(step, 66)), low = extract(width - 1, 0, moved);
	prove("within the view",
		implies(and_(told, member(&n, x)), eq(moved, is_signed ? sext(low, 66) : zext(low, 66))));
	prove_hazards(truth(true));
}

static term measure(int view, term x)
{
	switch (view) {
	case WV_LENGTH: return sub(bits(64, 64), clz(x));
	case WV_ONES: return popcount(x);
	case WV_U32: return zext(extract(31, 0, x), 64);
	case WV_S32: return sext(extract(31, 0, x), 64);
	default: return x;
	}
}

/* uint64_t wv_rank_width(view, n): no two members are farther apart. */
void build_rank_width(const struct query *q)
{
	struct number n = valid_number("n");
	term x = input("x", 64), y = input("y", 64), a = measure(q->op, x), b = measure(q->op, y);
	struct value args[] = {exec_bits(bits(32, (uint64_t)q->op)), number_object(&memory, &n)};
	assume(law_of_ends(n.umin, y, x, n.umax, false));
	assume(law_of_ends(n.smin, y, x, n.smax, true));
	struct value r = call_function(q, args, &memory);
	term given = and_(member(&n, x), member(&n, y)), greater = q->op == WV_U64 ? ule(b, a) : sle(b, a);
	for (unsigned i = 0; counted(i) && q->op == WV_ONES; i++) {
		if (counted(i) != x && counted(i) != y)
			prove("no other bits", implies(member(&n, x), eq(band(x, bnot(counted(i))), bits(64, 0))));
	}
	prove("as far apart at most", implies(and_(given, greater), ule(sub(a, b), r.part[0])));
	prove_hazards(truth(true));
	if (q->op == WV_ONES)
		use_law_subset();
}

/* Within 2^60 of zero, as what leads a cursor is. */
static term is_near(term x)
{
	term far = bits(64, UINT64_C(1) << 60);
	return and_(sle(sub(bits(64, 0), far), x), sle(x, far));
}

/*
 * int64_t wv_rank_ahead(d, down, ahead): a value at one of the distances d from a lead, which is ahead of a cursor, is
 * itself ahead of the cursor by what is returned, if that isn't negative. All are numbers near zero, or such a number
 * is the cursor: so differences of 64 bits are those of integers.
 */
void build_rank_ahead(const struct query *q)
{
	struct number d = valid_number("d");
	term lead = input("lead", 64), x = input("x", 64), cursor = input("cursor", 64), ahead = input("ahead", 32);
	term v = add(lead, x);
	term by = zext(ahead, 64), from = q->op ? v : cursor, to = q->op ? cursor : v;
	struct value args[] = {
		number_object(&memory, &d), exec_bits(q->op ? truth(true) : truth(false)), exec_bits(ahead)};
	assume(and_(is_near(lead), and_(is_near(v), is_near(cursor))));
	assume(sle(by, bits(64, INT32_MAX)));
	assume(and_(sle(d.smin, x), sle(x, d.smax))); /* what a member is, too */
	assume(q->op ? sle(add(lead, by), cursor) : sle(add(cursor, by), lead));
	term r = call_function(q, args, &memory).part[0];
	prove("so far ahead at least", implies(sle(bits(64, 0), r), sle(r, sub(to, from))));
	prove_hazards(truth(true));
}
