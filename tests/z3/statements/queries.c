/* SPDX-License-Identifier: Apache-2.0 */
/* What is proven, function by function: the inputs, the run, and what must be true of its outcome. */
#include <stdlib.h>
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "queries.h"

/* ---- helpers ---- */

static struct memory memory;

static struct value call(const char *function, const struct value *args)
{
	without_summary(function);
	return exec_call(function, args, &memory, truth(true));
}

struct value call_function(const struct query *q, const struct value *args, struct memory *m)
{
	without_summary(q->function);
	return exec_call(q->function, args, m, truth(true));
}

static term returned(const struct value *v)
{
	return is_bool(v->part[0]) ? v->part[0] : not_(eq(v->part[0], bits(width_of(v->part[0]), 0)));
}

/* Searches are for simple counterexamples: few bits are known, and remainders only where they matter. */
static struct number plain(const char *name, bool remainders)
{
	struct number n = number_input(name);
	if (!arith_exact)
		return n;
	assume(ule(n.known, bits(64, 15)));
	if (remainders) {
		assume(and_(ule(n.mod, bits(64, 15)), and_(ule(n.umin, bits(64, 255)), ule(n.umax, bits(64, 255)))));
	} else {
		n.mod = bits(64, 1);
		n.rem = bits(64, 0);
	}
	return n;
}

/* An input number of which only the shape is known, or which is valid. */
static struct number any_number(const char *name, bool remainders)
{
	struct number n = plain(name, remainders);
	assume(well_formed(&n));
	return n;
}

struct number valid_number(const char *name)
{
	struct number n = plain(name, false);
	assume(valid(&n));
	return n;
}

void prove_views(const struct number *n, term x, term given)
{
	for (enum view v = 0; v < N_VIEWS; v++)
		prove(view_name[v], implies(given, in_view(n, v, x)));
}

/* Path by path; what a callee returned at once, for there statements follow from statements, and else view by view. */
void prove_member(const struct number *n, term x, term given)
{
	struct {
		struct number n;
		term given;
	} open[40] = {{*n, given}};
	if (term_replaying()) {
		prove_views(n, x, given);
		return;
	}
	for (unsigned left = 1; left;) {
		struct number one = open[--left].n, yes, no;
		term when, on = open[left].given;
		if (left + 2 > sizeof open / sizeof open[0] || !number_is_choice(&one, &when, &yes, &no)) {
			if (number_is_unknown(&one))
				prove("a member", implies(on, member(&one, x)));
			else
				prove_views(&one, x, on);
			continue;
		}
		open[left].n = no;
		open[left++].given = and_(on, not_(when));
		open[left].n = yes;
		open[left++].given = and_(on, when);
	}
}

/* Nothing that the standard leaves undefined happens, where the inputs have members at all. */
void prove_hazards(term given)
{
	for (unsigned i = 0; i < exec_n_hazards; i++)
		prove(exec_hazards[i].what, implies(given, not_(exec_hazards[i].when)));
}

static void prove_narrower(const struct number *before, const struct number *after, term told)
{
	static const char *const names[N_BOUNDS] = {"umin grows", "umax falls", "smin grows", "smax falls",
		"lumin grows", "lumax falls", "lsmin grows", "lsmax falls"};
	prove("well formed", well_formed(after));
	for (enum view v = 0; v < N_BOUNDS; v++)
		prove(names[v], implies(told, narrower_view(after, before, v)));
}

void prove_result(const struct memory *m, const struct value *result, term z, term given)
{
	struct number r = number_load(m, result);
	prove_member(&r, z, given);
	prove("valid", valid(&r));
	prove_hazards(given);
}

static struct value number_bits(unsigned width, uint64_t value)
{
	return exec_bits(bits(width, value));
}

/* ---- one number, narrowed ---- */

static void narrowing(const struct query *q, const struct value *more, term given, term x)
{
	static struct number before;
	struct number after;
	before = any_number("n", strncmp(q->function, "align", 5) == 0);
	struct value args[4] = {number_object(&memory, &before)};
	for (unsigned i = 1; more && i < 4; i++)
		args[i] = more[i];
	witness(x);
	if (strcmp(q->function, "wv_num_sync") == 0)
		narrower_throughout(&before);
	struct value r = call(q->function, args);
	after = number_load(&memory, &args[0]);
	given = and_(given, member(&before, x));
	prove("not denied", implies(given, returned(&r)));
	if (strncmp(q->function, "align", 5) == 0)
		prove_views(&after, x, given);
	else
		prove_member(&after, x, given);
	prove_narrower(&before, &after, returned(&r));
	prove("in order", implies(and_(returned(&r), ule(before.umin, before.umax)), ule(after.umin, after.umax)));
	prove_hazards(given);
	prove("the rest unchanged", number_unchanged(&before, &after, may_change(q->function)));
	if (strcmp(q->function, "wv_num_sync") == 0 || strcmp(q->function, "sync_32") == 0 ||
		strcmp(q->function, "sync_small") == 0 || strcmp(q->function, "sync_only") == 0)
		prove("valid", implies(returned(&r), intervals(&after)));
}

void build_narrowing(const struct query *q)
{
	struct number n = number_input("n");
	term x = input("x", 64);
	if (strcmp(q->function, "align_to_remainder") == 0) {
		assume(law_up(x, n.rem, n.umin, n.mod));
		assume(law_down(x, n.rem, n.umax, n.mod));
	}
	if (strcmp(q->function, "sync_only") == 0)
		assume(eq(n.umin, n.umax));
	if (strcmp(q->function, "sync_small") == 0)
		assume(ule(n.umax, bits(64, INT32_MAX)));
	if (strcmp(q->function, "align_ends") == 0) { /* by the number of known low bits */
		term zeros[64];
		for (unsigned i = 0; i < 64; i++)
			zeros[i] = eq(ctz(bnot(n.known)), bits(64, i));
		split_by(zeros, 64);
	}
	narrowing(q, NULL, truth(true), x);
}

/* bool is_settled(n): any answer will do. */
void build_settled(const struct query *q)
{
	struct number n = any_number("n", false);
	struct value args[] = {number_object(&memory, &n)};
	call(q->function, args);
	struct number after = number_load(&memory, &args[0]);
	prove("the number unchanged", number_unchanged(&n, &after, 0));
	prove_hazards(truth(true));
}

void build_learn(const struct query *q)
{
	term x = input("x", 64), lo = input("lo", 64), hi = input("hi", 64),
	     within = bits(64, q->width == 64 ? UINT64_MAX : UINT32_MAX), part = band(x, within);
	struct value more[4] = {{0}, exec_bits(lo), exec_bits(hi), exec_bits(within)};
	narrowing(q, more, and_(ule(lo, part), ule(part, hi)), x);
}

/* ---- two numbers that both hold ---- */

void build_meet(const struct query *q)
{
	bool whole = strcmp(q->function, "meet_congruence") != 0, settled = strcmp(q->function, "wv_num_meet") == 0;
	struct number a = settled ? valid_number("n") : any_number("n", false),
		      b = settled ? valid_number("other") : any_number("other", false), after;
	use_law_compose(a.mod, b.mod);
	use_law_compose(b.mod, a.mod);
	term x = input("x", 64), given = and_(member(&a, x), member(&b, x));
	struct value args[] = {number_object(&memory, &a), number_object(&memory, &b)};
	witness(x);
	member_throughout(given, x);
	struct value r = call(q->function, args);
	after = number_load(&memory, &args[0]);
	prove("not denied", implies(given, returned(&r)));
	prove_member(&after, x, given);
	prove_narrower(&a, &after, returned(&r));
	prove("the rest unchanged", number_unchanged(&a, &after, may_change(q->function)));
	if (whole)
		prove("valid", implies(returned(&r), intervals(&after)));
	prove_hazards(given);
}

void build_meet_low(const struct query *q)
{
	struct number a = valid_number("n"), b = valid_number("other"), after;
	term x = input("x", 64), y = input("y", 64), plus = input("add", 32);
	term given = and_(and_(member(&a, x), member(&b, y)), eq(extract(31, 0, x), add(extract(31, 0, y), plus)));
	struct value args[] = {number_object(&memory, &a), number_object(&memory, &b), exec_bits(plus)};
	witness(x);
	witness(y);
	witness(zext(plus, 64));
	witness(concrete_binary(WV_ADD, 32, y, zext(plus, 64)));
	struct value r = call(q->function, args);
	after = number_load(&memory, &args[0]);
	prove("not denied", implies(given, returned(&r)));
	prove_member(&after, x, given);
	prove("valid", and_(well_formed(&after), implies(returned(&r), intervals(&after))));
	prove_hazards(given);
}

void build_join(const struct query *q)
{
	struct number a = valid_number("a"), b = valid_number("b"), r;
	term x = input("x", 64), in_a = member(&a, x), in_b = member(&b, x);
	struct value args[] = {number_object(&memory, NULL), number_object(&memory, &a), number_object(&memory, &b)};
	call(q->function, args);
	r = number_load(&memory, &args[0]);
	prove_views(&r, x, in_a);
	prove_views(&r, x, in_b);
	prove("valid", valid(&r));
	prove_hazards(or_(in_a, in_b));
	/* Remainders agree modulo what divides their difference, and what divides both moduli. */
	unsigned n;
	const term *g = gcds_met(&n);
	for (unsigned i = 0; i < n; i++) {
		for (unsigned j = 0; j < i; j++)
			use_law_compose(g[j], g[i]);
		use_law_compose(a.mod, g[i]);
		use_law_compose(b.mod, g[i]);
	}
}

/* bool wv_num_within(inner, outer), congruence_within. */
void build_within(const struct query *q)
{
	struct number a = valid_number("inner"), b = valid_number("outer");
	term x = input("x", 64);
	struct value args[] = {number_object(&memory, &a), number_object(&memory, &b)};
	witness(x);
	struct value r = call(q->function, args);
	term given = and_(returned(&r), member(&a, x));
	use_law_compose(a.mod, b.mod);
	if (strcmp(q->function, "wv_num_within") == 0)
		prove_views(&b, x, given);
	else
		prove(view_name[VIEW_REMAINDER], implies(given, in_view(&b, VIEW_REMAINDER, x)));
	prove_hazards(member(&a, x));
}

/* ---- simple ones ---- */

void build_valid(const struct query *q)
{
	struct number n = number_input("n");
	struct value args[] = {number_object(&memory, &n)}, r = call(q->function, args);
	prove("true of valid numbers only", implies(returned(&r), valid(&n)));
	prove("true of all valid numbers", implies(valid(&n), returned(&r)));
	prove_hazards(truth(true));
}

void build_has(const struct query *q)
{
	struct number n = valid_number("n");
	term x = input("x", 64);
	struct value args[] = {number_object(&memory, &n), exec_bits(x)}, r = call(q->function, args);
	prove("true of members only", implies(returned(&r), member(&n, x)));
	prove("true of all members", implies(member(&n, x), returned(&r)));
	prove_hazards(truth(true));
}

void build_is_const(const struct query *q)
{
	struct number n = valid_number("n");
	term x = input("x", 64), y = input("y", 64);
	struct value args[] = {number_object(&memory, &n)}, r = call(q->function, args);
	prove("true of one value only", implies(and_(returned(&r), and_(member(&n, x), member(&n, y))), eq(x, y)));
	prove("that value is umin", implies(and_(returned(&r), member(&n, x)), eq(x, n.umin)));
	prove("and smin, whether it is a member or not", implies(returned(&r), eq(n.umin, n.smin)));
	prove_hazards(truth(true));
}

void build_any(const struct query *q)
{
	term x = input("x", 64), min = input("min", 64), max = input("max", 64);
	bool is_const = strcmp(q->function, "wv_num_const") == 0, range = strcmp(q->function, "wv_num_range") == 0;
	struct value args[] = {number_object(&memory, NULL), exec_bits(is_const ? x : min), exec_bits(max)};
	witness(x);
	call(q->function, args);
	struct number r = number_load(&memory, &args[0]);
	/* ends out of order: any number */
	prove_member(&r, x, range ? or_(ult(max, min), and_(ule(min, x), ule(x, max))) : truth(true));
	prove("valid", valid(&r));
	if (range)
		prove("the ends", range_of_bits(&r, min, max));
	prove_hazards(truth(true));
}

void build_gcd(const struct query *q)
{
	term a = input("a", 64), b = input("b", 64), g = input("g", 64);
	struct value args[] = {exec_bits(input("a0", 64)), exec_bits(input("b0", 64))};
	if (term_replaying()) { /* no induction over numbers: run it */
		args[0] = exec_bits(a), args[1] = exec_bits(b);
		struct value r = exec_call(q->function, args, &memory, truth(true));
		prove("the result", is_gcd(a, b, r.part[0]));
		return;
	}
	use_law_compose(b, g);
	/* By induction over the turns still to come: what the loop returns from (next a, next b) is g. */
	struct iteration it = {.state = {b, a}};
	exec_iteration(q->function, args, &it);
	bool swapped = it.entry[0] == args[0].part[0];
	if (it.n != 2 || it.entry[swapped] != args[1].part[0] || it.entry[!swapped] != args[0].part[0])
		give_up("gcd is not the loop that it was");
	if (swapped) {
		it = (struct iteration){.state = {a, b}};
		exec_n_hazards = 0;
		exec_iteration(q->function, args, &it);
	}
	term next_a = it.next[!swapped], next_b = it.next[swapped];
	prove("at the loop's end", implies(not_(it.again), is_gcd(a, b, it.result.part[0])));
	prove("from one turn to the one before", implies(and_(it.again, is_gcd(next_a, next_b, g)), is_gcd(a, b, g)));
	prove("the loop ends", implies(it.again, ult(next_b, b)));
	prove_hazards(truth(true));
}

void build_add_mod(const struct query *q)
{
	term x = input("x", 64), y = input("y", 64), m = input("m", 64);
	struct value args[] = {exec_bits(x), exec_bits(y), exec_bits(m)}, r = call(q->function, args);
	term given = and_(ult(x, m), ult(y, m)), sum = add(zext(x, 65), zext(y, 65)), wide_m = zext(m, 65);
	prove("the sum, less m if it is m or more",
		implies(given, eq(zext(r.part[0], 65), ite(ule(wide_m, sum), sub(sum, wide_m), sum))));
	prove("as the laws say it", implies(given, eq(r.part[0], plus_mod(x, y, m))));
}

/* ---- the transfer functions ---- */

/* The laws that help where remainders are kept through an operation. */
static void use_laws(enum wv_op op, const struct number *a, const struct number *b, term x, term y)
{
	unsigned n;
	const term *g = gcds_met(&n);
	for (unsigned i = 0; i < n; i++) {
		use_law_compose(a->mod, g[i]);
		use_law_compose(b->mod, g[i]);
		if (op == WV_ADD)
			assume(law_sum(x, y, g[i]));
		if (op == WV_SUB)
			assume(law_difference(x, y, g[i]));
	}
	if (op != WV_IMUL || arith_exact)
		return;
	assume(law_between(a->umin, x, a->umax, b->umin, y, b->umax));
	define_last(law_zeros(x, y));
	assume(law_corners(a->smin, x, a->smax, b->smin, y, b->smax));
}

/* First what an addend leaves, modulo what the sum's remainder is taken by: the same as what is known of it. */
static void prove_addend(const struct number *n, term x)
{
	unsigned count;
	const term *g = gcds_met(&count);
	term none = bits(64, 0),
	     known = ite(eq(n->umin, n->umax), n->umin, ite(ule(n->mod, bits(64, 1)), none, n->rem));
	for (unsigned i = 0; i < count && !term_replaying() && !arith_exact; i++)
		prove("an addend",
			implies(and_(member(n, x), ult(bits(64, 1), g[i])), eq(rem(x, g[i]), rem(known, g[i]))));
}

/* void sum_congruence(r, a, b, minus, wraps): q->op says both, as 2 · minus + wraps */
void build_sum_congruence(const struct query *q)
{
	struct number before = any_number("n", false), a = valid_number("a"), b = valid_number("b"), after;
	bool minus = q->op & 2, wraps = q->op & 1;
	term x = input("x", 64), y = input("y", 64), z = minus ? sub(x, y) : add(x, y),
	     wrapped = minus ? ult(x, y) : ult(z, x);
	struct value args[] = {number_object(&memory, &before), number_object(&memory, &a), number_object(&memory, &b),
		exec_bits(truth(minus)), exec_bits(truth(wraps))};
	witness(x);
	witness(y);
	witness(z);
	call(q->function, args);
	after = number_load(&memory, &args[0]);
	use_laws(minus ? WV_SUB : WV_ADD, &a, &b, x, y);
	term given = and_(and_(member(&a, x), member(&b, y)),
		and_(in_view(&before, VIEW_REMAINDER, z), eq(wrapped, truth(wraps))));
	prove_addend(&a, x);
	prove_addend(&b, y);
	prove(view_name[VIEW_REMAINDER], implies(given, in_view(&after, VIEW_REMAINDER, z)));
	prove("well formed", well_formed(&after));
	prove("the rest unchanged", number_unchanged(&before, &after, may_change(q->function)));
	prove_hazards(truth(true));
}

/* void scale_congruence(r, mod, rem, c) */
void build_scale(const struct query *q)
{
	struct number before = any_number("n", false), after;
	term x = input("x", 64), m = input("m", 64), r = input("r", 64), c = input("c", 64);
	struct value args[] = {number_object(&memory, &before), exec_bits(m), exec_bits(r), exec_bits(c)};
	struct number claimed = {.mod = m, .rem = r};
	struct product p = product(x, c);
	assume(and_(ult(bits(64, 0), m), ult(r, m)));
	assume(law_scale(x, m, c));
	call(q->function, args);
	after = number_load(&memory, &args[0]);
	term given = and_(and_(in_view(&before, VIEW_REMAINDER, p.low), in_view(&claimed, VIEW_REMAINDER, x)),
		eq(p.high, bits(64, 0)));
	prove(view_name[VIEW_REMAINDER], implies(given, in_view(&after, VIEW_REMAINDER, p.low)));
	prove("well formed", well_formed(&after));
	prove("the rest unchanged", number_unchanged(&before, &after, may_change(q->function)));
	prove_hazards(truth(true));
}

void build_extend(const struct query *q)
{
	struct number n = valid_number("n"), r;
	bool sign = strcmp(q->function, "wv_num_sext") == 0;
	term x = input("x", 64), z = sign ? low_sext(x, q->width) : low_zext(x, q->width), given = member(&n, x);
	struct value args[] = {number_object(&memory, NULL), number_object(&memory, &n), number_bits(32, q->width)};
	witness(x);
	witness(z);
	member_throughout(given, z);
	call(q->function, args);
	r = number_load(&memory, &args[0]);
	prove_member(&r, z, given);
	prove("valid", valid(&r));
	if (!sign)
		prove("no more than its width", ule(r.umax, bits(64, UINT64_MAX >> (64 - q->width))));
	prove_hazards(given);
}

void build_merge(const struct query *q)
{
	struct number a = valid_number("old"), b = valid_number("low"), r;
	term x = input("x", 64), y = input("y", 64), z = concrete_merge(x, y, q->width),
	     given = and_(member(&a, x), member(&b, y));
	struct value args[] = {number_object(&memory, NULL), number_object(&memory, &a), number_object(&memory, &b),
		number_bits(32, q->width)};
	term mask = bits(64, ~((UINT64_C(1) << (q->width % 64)) - 1));
	witness(x);
	witness(y);
	witness(low_zext(y, q->width));
	witness(mask);
	witness(band(x, mask));
	if (q->width < 32)
		same_result(bor(band(x, mask), low_zext(y, q->width)), z, truth(true));
	call(q->function, args);
	r = number_load(&memory, &args[0]);
	prove_member(&r, z, given);
	prove("valid", valid(&r));
	prove_hazards(given);
}

static void prove_bounded(
	const struct query *q, const struct number *a, const struct number *b, const struct number *r, term x, term y)
{
	if (q->op == WV_IMUL)
		prove("at most the product of the greatest", product_is_bounded(a, b, r, x, y));
}

/* struct wv_num f(a, b), before the views tighten each other */
void build_plain64(const struct query *q)
{
	struct number a = valid_number("a"), b = valid_number("b"), r;
	term x = input("x", 64), y = input("y", 64), z = concrete_binary(q->op, 64, x, y),
	     given = and_(member(&a, x), member(&b, y));
	struct value args[] = {number_object(&memory, NULL), number_object(&memory, &a), number_object(&memory, &b)};
	witness(x);
	witness(y);
	witness(z);
	if (q->op == WV_IMUL)
		factors(x, y);
	call(q->function, args);
	r = number_load(&memory, &args[0]);
	use_laws(q->op, &a, &b, x, y);
	prove_bounded(q, &a, &b, &r, x, y);
	prove_views(&r, z, given);
	prove("well formed", well_formed(&r));
	prove_hazards(truth(true));
}

void build_binary64(const struct query *q)
{
	struct number a = valid_number("a"), b = valid_number("b"), r;
	term x = input("x", 64), y = input("y", 64), z = concrete_binary(q->op, 64, x, y),
	     given = and_(member(&a, x), member(&b, y));
	witness(x);
	witness(y);
	struct value args[] = {number_object(&memory, NULL), number_bits(32, q->op), number_object(&memory, &a),
		number_object(&memory, &b)};
	witness(z);
	if (q->op == WV_IMUL)
		factors(x, y);
	member_throughout(given, z);
	call(q->function, args);
	r = number_load(&memory, &args[0]);
	use_laws(q->op, &a, &b, x, y);
	prove_member(&r, z, given);
	prove("valid", valid(&r));
	prove_bounded(q, &a, &b, &r, x, y);
	if (q->op == WV_AND)
		prove("at most the lesser of the greatest",
			implies(given, and_(ule(r.umax, a.umax), ule(r.umax, b.umax))));
	prove_hazards(given);
}

void build_binary(const struct query *q)
{
	struct number a = valid_number("a"), b = valid_number("b"), r;
	term x = input("x", 64), y = input("y", 64), given = and_(member(&a, x), member(&b, y));
	term zx = low_zext(x, q->width), zy = low_zext(y, q->width), sx = low_sext(x, q->width),
	     sy = low_sext(y, q->width);
	term z = concrete_binary(q->op, q->width, x, y), wide_z = concrete_binary(q->op, 64, zx, zy),
	     wide_s = concrete_binary(q->op, 64, sx, sy);
	struct value args[] = {number_object(&memory, NULL), number_bits(32, q->op), number_bits(32, q->width),
		number_object(&memory, &a), number_object(&memory, &b)};
	term list[] = {x, y, zx, zy, sx, sy, z, wide_z, wide_s};
	bool product = q->op == WV_IMUL;
	for (unsigned i = 0; i < sizeof list / sizeof list[0]; i++)
		witness(list[i]);
	/* All these operations commute with truncation. */
	same_result(low_zext(wide_z, q->width), z, product ? law_truncate(zx, zy, x, y, q->width) : truth(true));
	same_result(low_zext(wide_s, q->width), z, product ? law_truncate(sx, sy, x, y, q->width) : truth(true));
	call(q->function, args);
	r = number_load(&memory, &args[0]);
	prove_member(&r, z, given);
	if (q->width == 64)
		prove_bounded(q, &a, &b, &r, x, y);
	prove("valid", valid(&r));
	if (q->op == WV_AND && q->width == 64)
		prove("at most the lesser of the greatest",
			implies(given, and_(ule(r.umax, a.umax), ule(r.umax, b.umax))));
	prove_hazards(given);
}

/* struct wv_num f(a, lo, hi), by lo to hi, before the views tighten each other */
void build_plain_shift(const struct query *q)
{
	struct number a = valid_number("a"), r;
	term x = input("x", 64), by = input("by", 64), lo = input("lo", 32), hi = input("hi", 32);
	term z = q->op == WV_SHL ? shl(x, by) : q->op == WV_SHR ? lshr(x, by) : ashr(x, by);
	struct value args[] = {number_object(&memory, NULL), number_object(&memory, &a), exec_bits(lo), exec_bits(hi)};
	assume(and_(ule(lo, hi), ule(hi, bits(32, 63))));
	witness(x);
	witness(z);
	call(q->function, args);
	r = number_load(&memory, &args[0]);
	if (!arith_exact)
		assume(law_shift(x, a.mod, by));
	prove_views(&r, z, and_(member(&a, x), and_(ule(zext(lo, 64), by), ule(by, zext(hi, 64)))));
	prove("well formed", well_formed(&r));
	prove_hazards(truth(true));
}

void build_shift(const struct query *q)
{
	struct number a = valid_number("a"), b = valid_number("count"), r;
	term x = input("x", 64), y = input("y", 64), z = concrete_shift(q->op, q->width, x, y),
	     given = and_(member(&a, x), member(&b, y));
	struct value args[] = {number_object(&memory, NULL), number_bits(32, q->op), number_bits(32, q->width),
		number_object(&memory, &a), number_object(&memory, &b)};
	term most = bits(64, q->width == 64 ? 63 : 31), by = band(y, most),
	     from = q->op == WV_SAR ? low_sext(x, q->width) : low_zext(x, q->width);
	witness(x);
	witness(y);
	witness(most);
	witness(by);
	witness(from);
	term shifted = q->op == WV_SHL ? shl(from, by) : q->op == WV_SHR ? lshr(from, by) : ashr(from, by);
	witness(shifted);
	same_result(low_zext(shifted, q->width), z, truth(true));
	member_throughout(given, shifted);
	call(q->function, args);
	r = number_load(&memory, &args[0]);
	prove_member(&r, z, given);
	prove("valid", valid(&r));
	prove_hazards(given);
}

/* ---- conditions ---- */

static void one_condition(const struct query *q, uint64_t cond, term x, term y, term holds)
{
	struct number a = valid_number("a"), b = valid_number("b"), ra, rb;
	term given = and_(holds, and_(member(&a, x), member(&b, y)));
	struct value args[] = {number_bits(32, cond), number_bits(32, q->width), number_object(&memory, &a),
		number_object(&memory, &b)};
	witness(x);
	witness(y);
	struct value r = call(q->function, args);
	ra = number_load(&memory, &args[2]);
	rb = number_load(&memory, &args[3]);
	prove("not denied", implies(given, returned(&r)));
	prove_member(&ra, x, given);
	prove_member(&rb, y, given);
	prove("valid", implies(returned(&r), and_(valid(&ra), valid(&rb))));
	prove_hazards(given);
}

void build_assume(const struct query *q)
{
	term x = input("x", 64), y = input("y", 64);
	one_condition(q, (uint64_t)q->op, x, y, concrete_cond(q->op, q->width, x, y));
}

/* The conditions that are no orders: nothing follows from them. */
void build_assume_nothing(const struct query *q)
{
	static const enum wv_cond others[] = {WV_O, WV_NO, WV_S, WV_NS, WV_P, WV_NP};
	for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
		one_condition(q, others[i], input("x", 64), input("y", 64), truth(true));
}

/* bool assume_not(width, a, b) */
void build_exclude(const struct query *q)
{
	struct number a = valid_number("a"), b = valid_number("b"), after;
	term x = input("x", 64), y = input("y", 64),
	     given = and_(concrete_cond(WV_NE, q->width, x, y), and_(member(&a, x), member(&b, y)));
	struct value args[] = {number_bits(32, q->width), number_object(&memory, &a), number_object(&memory, &b)};
	witness(x);
	witness(y);
	member_throughout(given, x);
	struct value r = call(q->function, args);
	after = number_load(&memory, &args[1]);
	prove("not denied", implies(given, returned(&r)));
	prove_member(&after, x, given);
	prove("valid", implies(returned(&r), valid(&after)));
	prove_hazards(given);
}
