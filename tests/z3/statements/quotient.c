/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quotient.c: what the context keeps of quotients by constants, and of their multiples.
 *
 * What a struct wv_quotient promises. Let y be the number that `of` names, and x the number that `whole` names. If
 * there is a product (`product` is not 0), y is at most `greatest`. Symbol `product` stands for P, which is y · by >>
 * shift or, with `more`, (y + that) >> 1, and has at most 64 bits. If there is an x, y is x >> down. Where something
 * was shifted off, symbol `rest` may stand for y - P, and `half` for half of that, without wrapping around. Where
 * there is a divisor, the value that multiple[i] is of is factor · ⌊y / divisor⌋, plus y or x if that is added,
 * modulo 2^width. (Without a divisor there are no multiples.) Symbol `down_to` stands for what `shifted` names,
 * shifted by down_by.
 *
 * All this is about symbols, which don't change what they stand for; so it stays true whatever the code does.
 * Therefore the only thing to prove of each function is that what it adds is true, given its arguments: the result
 * `r` of an instruction holds what the processor computes of the numbers in the operands. A result is a fresh value.
 * An operand is any value, whose symbol may or may not be one that the quotient knows.
 *
 * A row about f (multiples.c) promises: if the quotient is true, and f's arguments are as its declaration says, then
 * what f leaves is true. The helpers of `summarised` have rows of their own; where they are called, their promises
 * stand in for them.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/z3/engine/facts.h"
#include "quotient.h"

/* ---- what is promised ---- */

term wide_product(term a, term b)
{
	struct product p = product(a, b);
	return wide(&p);
}

static term low_product(term a, term b)
{
	return product(a, b).low;
}

term unsigned_quotient(term n, term d)
{
	return quotient(n, d, false).q;
}

static struct name name_load(const struct memory *m, const struct value *at, uint64_t offset)
{
	struct name n = {
		.sym = exec_load(m, at, offset + offsetof(struct wv_name, sym), 4),
		.lsym = exec_load(m, at, offset + offsetof(struct wv_name, lsym), 4),
		.ladd = exec_load(m, at, offset + offsetof(struct wv_name, ladd), 4),
	};
	n.x = choose2(add, symbol_number(n.sym), exec_load(m, at, offset + offsetof(struct wv_name, add), 8));
	return n;
}

struct sum multiple_load(const struct memory *m, const struct value *at, uint64_t offset)
{
	return (struct sum){
		.width = exec_load(m, at, offset + offsetof(struct wv_multiple, width), 1),
		.adds = exec_load(m, at, offset + offsetof(struct wv_multiple, adds), 1),
		.factor = exec_load(m, at, offset + offsetof(struct wv_multiple, factor), 8),
	};
}

#define LOAD(field) exec_load(m, at, offsetof(struct wv_quotient, field), sizeof(((struct wv_quotient *)0)->field))
#define NAME(field) name_load(m, at, offsetof(struct wv_quotient, field))

struct promise quotient_promise(const struct memory *m, const struct value *at)
{
	struct promise p = {NAME(of), NAME(whole), NAME(shifted), LOAD(product), LOAD(rest), LOAD(half), LOAD(down_to),
		LOAD(greatest), LOAD(by), LOAD(shift), LOAD(down), LOAD(down_by), LOAD(more), LOAD(divisor),
		LOAD(n_multiples), NULL, {{0}}, {{0}}};
	p.quotient = choose2(unsigned_quotient, p.of.x, p.divisor);
	for (unsigned i = 0; i < WV_MAX_MULTIPLES; i++) {
		uint64_t where = offsetof(struct wv_quotient, multiple) + i * sizeof(struct wv_multiple);
		p.named[i] = name_load(m, at, where + offsetof(struct wv_multiple, of));
		p.sum[i] = multiple_load(m, at, where);
	}
	return p;
}

term exists(term name)
{
	return not_(eq(name, bits(width_of(name), 0)));
}

term has_more(const struct promise *p)
{
	return exists(p->more);
}

/* t of 128 bits, shifted: by none or by half of them it is taken apart. */
term shifted(term t, term shift)
{
	uint64_t by;
	if (!is_number(shift, &by))
		return lshr(t, zext(shift, 128));
	return by == 0 ? t : by == 64 ? zext(extract(127, 64, t), 128) : lshr(t, bits(128, by));
}

term low_shifted(term t, term shift)
{
	uint64_t by;
	term when, yes, no;
	if (is_choice(t, &when, &yes, &no))
		return ite(when, low_shifted(yes, shift), low_shifted(no, shift));
	return is_number(shift, &by) && by == 64 ? extract(127, 64, t) : lower_half(shifted(t, shift));
}

/* P, but for the last bit */
term all_of_product(const struct promise *p)
{
	uint64_t more;
	term t = shifted(choose2(wide_product, p->of.x, p->by), p->shift), y = zext(p->of.x, 128);
	if (is_number(p->more, &more))
		return more ? add(t, y) : t;
	return add(t, ite(has_more(p), y, bits(128, 0)));
}

term last_bit(const struct promise *p)
{
	return ite(has_more(p), bits(32, 1), bits(32, 0));
}

/* P */
term whole_product(const struct promise *p)
{
	return shifted(all_of_product(p), last_bit(p));
}

static term true_name(const struct name *n)
{
	return implies(exists(n->sym), eq(extract(31, 0, n->x), add(low_symbol_number(n->lsym), n->ladd)));
}

static term true_product(const struct promise *p)
{
	term shift = or_(or_(eq(p->shift, bits(32, 0)), eq(p->shift, bits(32, 16))),
		or_(eq(p->shift, bits(32, 32)), eq(p->shift, bits(32, 64))));
	term given =
		and_(and_(ule(p->of.x, p->greatest), ule(bits(64, 2), p->by)), and_(shift, ule(p->more, bits(8, 1))));
	return implies(exists(p->product), and_(given, eq(zext(symbol_number(p->product), 128), whole_product(p))));
}

static term true_names(const struct promise *p)
{
	return and_(true_name(&p->of), and_(true_name(&p->whole), true_name(&p->shifted)));
}

static term true_shifts(const struct promise *p)
{
	term down = zext(p->down, 64), down_by = zext(p->down_by, 64),
	     some = and_(eq(p->of.x, lshr(p->whole.x, down)), ule(p->greatest, lshr(bits(64, UINT64_MAX), down)));
	term whole = ite(exists(p->whole.sym), implies(exists(p->product), some), eq(p->down, bits(32, 0)));
	term last = implies(exists(p->down_to),
		and_(exists(p->shifted.sym), eq(symbol_number(p->down_to), lshr(p->shifted.x, down_by))));
	return and_(and_(ult(p->down, bits(32, 64)), ult(p->down_by, bits(32, 64))), and_(whole, last));
}

static term true_rest(const struct promise *p)
{
	term below = symbol_number(p->product), rest = sub(p->of.x, below),
	     given = and_(and_(exists(p->product), exists(p->shift)), and_(not_(has_more(p)), ule(below, p->of.x)));
	term is_rest = implies(exists(p->rest), and_(given, eq(symbol_number(p->rest), rest)));
	return and_(
		is_rest, implies(exists(p->half), and_(given, eq(symbol_number(p->half), lshr(rest, bits(64, 1))))));
}

static term true_divisor(const struct promise *p)
{
	term some = and_(exists(p->product), and_(ule(bits(64, 2), p->divisor), ule(p->divisor, p->greatest)));
	return ite(exists(p->divisor), some, eq(p->n, bits(32, 0)));
}

term adds(const struct sum *s, enum wv_addend what)
{
	return eq(s->adds, bits(8, what));
}

term addend(const struct promise *p, enum wv_addend what)
{
	return what == WV_ADDS_DIVIDEND ? p->of.x : what == WV_ADDS_WHOLE ? p->whole.x : bits(64, 0);
}

term sum_number(const struct sum *s, const struct promise *p)
{
	term times = choose2(low_product, s->factor, p->quotient), sum[3];
	for (unsigned i = 0; i < 3; i++)
		sum[i] = add(addend(p, i), times);
	return ite(adds(s, WV_ADDS_DIVIDEND), sum[WV_ADDS_DIVIDEND],
		ite(adds(s, WV_ADDS_WHOLE), sum[WV_ADDS_WHOLE], times));
}

term is_wide(const struct sum *s)
{
	return eq(s->width, bits(8, 64));
}

/* It is a sum of what there is. */
term sums_up(const struct sum *s, const struct promise *p)
{
	term added = and_(implies(adds(s, WV_ADDS_WHOLE), exists(p->whole.sym)),
		implies(adds(s, WV_ADDS_DIVIDEND), exists(p->of.sym)));
	return and_(and_(added, ule(s->adds, bits(8, WV_ADDS_WHOLE))), or_(is_wide(s), eq(s->width, bits(8, 32))));
}

/* x is such a sum. */
term is_sum_of(const struct sum *s, const struct promise *p, term x)
{
	term number = sum_number(s, p);
	return and_(
		sums_up(s, p), and_(eq(extract(31, 0, x), extract(31, 0, number)), implies(is_wide(s), eq(x, number))));
}

static term true_multiple(const struct promise *p, unsigned i)
{
	return and_(true_name(&p->named[i]),
		implies(and_(exists(p->divisor), ult(bits(32, i), p->n)), is_sum_of(&p->sum[i], p, p->named[i].x)));
}

enum { ALL = 5 };

static term part_of(const struct promise *p, unsigned i)
{
	static term (*const part[ALL])(const struct promise *) = {
		true_product, true_names, true_shifts, true_rest, true_divisor};
	return i < ALL ? part[i](p) : true_multiple(p, i - ALL);
}

static const char *const part_name[ALL + WV_MAX_MULTIPLES] = {"the product", "the names", "the shifts", "the rest",
	"the divisor", "the first multiple", "the second multiple", "the third multiple", "the fourth multiple"};

void assume_promise(const struct promise *p, term given)
{
	for (unsigned i = 0; i < ALL + WV_MAX_MULTIPLES; i++)
		assume(implies(given, part_of(p, i)));
}

void prove_promise(const struct promise *p, term given)
{
	for (unsigned i = 0; i < ALL + WV_MAX_MULTIPLES; i++)
		prove(part_name[i], implies(given, part_of(p, i)));
}

/* ---- what calls are known by ---- */

/* The low `width` bits, of 8, 16, 32 or 64. */
term low_of(term width, term t)
{
	term r = t;
	for (unsigned w = 32; w >= 8; w /= 2)
		r = ite(eq(width, bits(32, w)), low_zext(t, w), r);
	return r;
}

/* Called where such a sum is added to what is promised: for laws. */
void (*adding)(const struct sum *s, const struct promise *p);
struct sum told[2]; /* that multiple_of told last, the last one first */

/* bool multiple_of(q, v, is) */
term is_multiple(const struct promise *p, const struct held *v, const struct sum *s)
{
	return and_(eq(v->kind, bits(8, WV_NUM)), is_sum_of(s, p, v->x));
}

/* void add_multiple(q, width, is, r): what is asked of its arguments. */
struct sum least_of(const struct sum *s, term width)
{
	return (struct sum){ite(ule(zext(s->width, 32), width), s->width, extract(7, 0, width)), s->adds, s->factor};
}

term multiple_asked(const struct promise *p, term width, const struct sum *s, const struct held *r)
{
	struct sum least = least_of(s, width);
	return and_(exists(p->divisor),
		implies(ule(bits(32, 32), width), and_(eq(r->x, low_of(width, r->x)), is_sum_of(&least, p, r->x))));
}

/* void multiply_again(q, width, is, by, r): likewise. */
static term again_low(const struct promise *p, const struct sum *s, term by, const struct held *r)
{
	return eq(extract(31, 0, r->x), extract(31, 0, choose2(low_product, product(s->factor, p->quotient).low, by)));
}

static term again_all(const struct promise *p, const struct sum *least, term by, const struct held *r)
{
	return implies(is_wide(least), eq(r->x, choose2(low_product, product(least->factor, p->quotient).low, by)));
}

static term again_known(const struct promise *p, term width, const struct sum *least, const struct held *r)
{
	return and_(and_(exists(p->divisor), eq(r->x, low_of(width, r->x))),
		and_(adds(least, WV_ADDS_NOTHING), sums_up(least, p)));
}

term again_asked(const struct promise *p, term width, const struct sum *s, term by, const struct held *r)
{
	struct sum least = least_of(s, width);
	return and_(again_known(p, width, &least, r), and_(again_low(p, s, by, r), again_all(p, &least, by, r)));
}

/* void begin_product(q, v, by, shift, r) */
static term begins_with(const struct held *v, term by, term shift, const struct held *r)
{
	term is_shift = or_(eq(shift, bits(32, 0)), or_(eq(shift, bits(32, 32)), eq(shift, bits(32, 64))));
	return and_(and_(is_shift, ule(bits(64, 2), by)),
		and_(and_(eq(v->kind, bits(8, WV_NUM)), and_(well_kept(v), holds(v))),
			and_(has_number(r), well_kept(r))));
}

static term begins(const struct held *v, term by, term shift, const struct held *r)
{
	return eq(zext(r->x, 128), shifted(choose2(wide_product, v->x, by), shift));
}

term begin_asked(const struct held *v, term by, term shift, const struct held *r)
{
	return and_(begins_with(v, by, shift, r), begins(v, by, shift, r));
}

/* bool note_quotient(q, count, width, factor, r) */
term quotient_asked(const struct promise *p, term count, term width, term factor, const struct held *r)
{
	term once = low_shifted(whole_product(p), count);
	return and_(and_(exists(p->product), ule(count, bits(32, 64))),
		implies(ule(bits(32, 32), width), eq(r->x, low_of(width, product(factor, once).low))));
}

static void forget(struct memory *m, const struct value *q, uint64_t offset, unsigned bytes)
{
	exec_store(m, q, offset, fresh(8 * bytes));
}

static void forget_name(struct memory *m, const struct value *q, uint64_t offset)
{
	forget(m, q, offset + offsetof(struct wv_name, sym), 4);
	forget(m, q, offset + offsetof(struct wv_name, lsym), 4);
	forget(m, q, offset + offsetof(struct wv_name, ladd), 4);
	forget(m, q, offset + offsetof(struct wv_name, add), 8);
}

static void forget_sum(struct memory *m, const struct value *at, uint64_t offset)
{
	forget_name(m, at, offset + offsetof(struct wv_multiple, of));
	forget(m, at, offset + offsetof(struct wv_multiple, width), 1);
	forget(m, at, offset + offsetof(struct wv_multiple, adds), 1);
	forget(m, at, offset + offsetof(struct wv_multiple, factor), 8);
}

static void forget_multiples(struct memory *m, const struct value *q)
{
	forget(m, q, offsetof(struct wv_quotient, n_multiples), 4);
	for (unsigned i = 0; i < WV_MAX_MULTIPLES; i++)
		forget_sum(m, q, offsetof(struct wv_quotient, multiple) + i * sizeof(struct wv_multiple));
}

/* What is known to be kept, and where. */
enum { MAX_ESCAPED = 8 };
static struct kept {
	struct promise promise;
	term given;
} kept[MAX_ESCAPED];
static unsigned n_kept;

void keep_promise(const struct promise *p, term given)
{
	if (n_kept == MAX_ESCAPED)
		give_up("too many calls that keep a promise");
	kept[n_kept++] = (struct kept){*p, given};
}

/* After a helper has forgotten what it may change: it left the promise kept. */
static void leave_promise(const struct memory *m, const struct value *at, term given)
{
	struct promise p = quotient_promise(m, at);
	assume_promise(&p, given);
	keep_promise(&p, given);
}

static term same_name(const struct name *a, const struct name *b)
{
	return and_(and_(eq(a->sym, b->sym), eq(a->x, b->x)), and_(eq(a->lsym, b->lsym), eq(a->ladd, b->ladd)));
}

/*
 * All that true_product and the others look at; where they look at the quotient there is a divisor, so that it is the
 * same too.
 */
static term same_promise(const struct promise *a, const struct promise *b)
{
	term same = and_(
		and_(same_name(&a->of, &b->of), same_name(&a->whole, &b->whole)), same_name(&a->shifted, &b->shifted));
	same = and_(same, and_(and_(eq(a->product, b->product), eq(a->rest, b->rest)),
				  and_(eq(a->half, b->half), eq(a->down_to, b->down_to))));
	same = and_(same, and_(and_(eq(a->greatest, b->greatest), eq(a->by, b->by)),
				  and_(eq(a->shift, b->shift), eq(a->more, b->more))));
	same = and_(same, and_(and_(eq(a->down, b->down), eq(a->down_by, b->down_by)),
				  and_(eq(a->divisor, b->divisor), eq(a->n, b->n))));
	for (unsigned i = 0; i < WV_MAX_MULTIPLES; i++) {
		const struct sum *s = &a->sum[i], *t = &b->sum[i];
		same = and_(same, and_(and_(same_name(&a->named[i], &b->named[i]), eq(s->width, t->width)),
					  and_(eq(s->adds, t->adds), eq(s->factor, t->factor))));
	}
	return same;
}

term is_kept(const struct promise *p)
{
	term is = truth(false);
	for (unsigned i = 0; i < n_kept; i++)
		is = or_(is, and_(kept[i].given, same_promise(p, &kept[i].promise)));
	return is;
}

static void need_promise(const struct promise *p, term guard)
{
	prove_promise(p, and_(guard, not_(is_kept(p))));
}

static void tell_multiple(const struct promise *p, const struct value *args, struct memory *m, struct value *result)
{
	struct held v = held_load(m, &args[1], 0);
	term is = fresh_bool();
	forget_sum(m, &args[2], 0);
	struct sum s = multiple_load(m, &args[2], 0);
	assume(implies(is, is_multiple(p, &v, &s)));
	/* once it is itself */
	assume(implies(eq(s.factor, bits(64, 1)), eq(product(s.factor, p->quotient).low, p->quotient)));
	told[1] = told[0];
	told[0] = s;
	*result = exec_bits(is);
}

/* That in parts, each of which is easier to prove. */
static void need_multiple(const struct promise *p, term width, const struct sum *s, const struct held *r, term guard)
{
	struct sum least = least_of(s, width);
	term given = and_(guard, ule(bits(32, 32), width)), number = sum_number(s, p);
	prove("a divisor for a callee", implies(guard, exists(p->divisor)));
	prove("a sum for a callee", implies(given, sums_up(&least, p)));
	prove("its low half", implies(given, eq(extract(31, 0, r->x), extract(31, 0, number))));
	prove("all of it", implies(and_(given, is_wide(&least)), eq(r->x, number)));
	prove("no more bits", implies(given, eq(r->x, low_of(width, r->x))));
}

/* Of *r less is known to be possible, and it still holds x. */
static void narrow(struct memory *m, const struct value *r, term x, term given)
{
	struct value at = field_of(r, offsetof(struct wv_val, n));
	struct number n = number_fresh();
	number_store(m, &at, &n);
	assume(implies(given, and_(valid(&n), member(&n, x))));
}

/* void no_more_than(r, most): what is asked of its arguments. */
term bound_asked(const struct held *r, term most)
{
	return and_(and_(has_number(r), holds_number(r)), and_(valid(&r->n), ule(r->x, most)));
}

/* What is added, by add_multiple or add_sum, or made of the product. */
static void add_to_promise(
	const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	struct promise p = quotient_promise(m, &args[0]);
	bool quotient = strcmp(name, "note_quotient") == 0, known = strcmp(name, "add_sum") == 0;
	struct held r = held_load(m, &args[quotient ? 4 : 3], 0);
	struct sum s = quotient ? (struct sum){0} : multiple_load(m, &args[2], 0);
	if (!quotient && adding)
		adding(&s, &p);
	need_promise(&p, guard);
	if (quotient)
		prove("what a callee needs",
			implies(guard, quotient_asked(&p, args[1].part[0], args[2].part[0], args[3].part[0], &r)));
	else
		need_multiple(&p, args[1].part[0], &s, &r, guard);
	if (known) {
		prove("a result for a callee",
			implies(guard, and_(has_number(&r),
					       and_(valid(&r.n), and_(holds_number(&r),
									 eq(r.x, low_of(args[1].part[0], r.x)))))));
		narrow(m, &args[3], r.x, guard);
	}
	if (quotient) {
		forget(m, &args[0], offsetof(struct wv_quotient, divisor), 8);
		*result = exec_bits(fresh_bool());
	}
	forget_multiples(m, &args[0]);
	leave_promise(m, &args[0], guard);
}

#define FORGET(field) forget(m, q, offsetof(struct wv_quotient, field), sizeof(((struct wv_quotient *)0)->field))

static void forget_all(struct memory *m, const struct value *q)
{
	forget_name(m, q, offsetof(struct wv_quotient, of));
	forget_name(m, q, offsetof(struct wv_quotient, whole));
	forget_name(m, q, offsetof(struct wv_quotient, shifted));
	FORGET(product);
	FORGET(rest);
	FORGET(half);
	FORGET(down_to);
	FORGET(greatest);
	FORGET(by);
	FORGET(shift);
	FORGET(down);
	FORGET(down_by);
	FORGET(more);
	FORGET(divisor);
	forget_multiples(m, q);
}

static void tell_again(const struct promise *p, const struct value *args, struct memory *m, term guard)
{
	struct sum s = multiple_load(m, &args[2], 0);
	struct held r = held_load(m, &args[4], 0);
	if (adding)
		adding(&s, p);
	need_promise(p, guard);
	struct sum least = least_of(&s, args[1].part[0]);
	prove("what is multiplied again", implies(guard, again_known(p, args[1].part[0], &least, &r)));
	prove("the low half of its multiple", implies(guard, again_low(p, &s, args[3].part[0], &r)));
	prove("all of its multiple", implies(guard, again_all(p, &least, args[3].part[0], &r)));
	forget_multiples(m, &args[0]);
	leave_promise(m, &args[0], guard);
}

static void tell_begun(const struct promise *p, const struct value *args, struct memory *m, term guard)
{
	struct held r = held_load(m, &args[4], 0);
	need_promise(p, guard);
	for (unsigned i = 0; i < args[1].n; i++) { /* either operand by itself */
		struct value one = args[1];
		term given = and_(guard, args[1].place[i].when);
		one.n = 1;
		one.place[0] = (struct place){truth(true), args[1].place[i].object, args[1].place[i].offset};
		struct held v = held_load(m, &one, 0);
		prove("what a product begins with",
			implies(given, begins_with(&v, args[2].part[0], args[3].part[0], &r)));
		prove("what it is", implies(given, begins(&v, args[2].part[0], args[3].part[0], &r)));
	}
	forget_all(m, &args[0]);
	leave_promise(m, &args[0], guard);
}

static void tell_bound(const struct value *args, struct memory *m, term guard)
{
	struct held r = held_load(m, &args[0], 0);
	prove("what is asked of a bound", implies(guard, bound_asked(&r, args[1].part[0])));
	narrow(m, &args[0], r.x, guard);
}

static const char *row; /* the function that is not taken by its word */

static bool is_summarised(const char *name)
{
	static const char *const summarised[] = {"multiple_of", "add_multiple", "multiply_again", "begin_product",
		"add_sum", "note_quotient", "no_more_than"};
	bool is = false;
	for (unsigned i = 0; i < sizeof summarised / sizeof summarised[0]; i++)
		is = is || strcmp(name, summarised[i]) == 0;
	return is && strcmp(name, row) != 0;
}

static bool summarise(const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	if (!is_summarised(name))
		return false;
	if (strcmp(name, "no_more_than") == 0) {
		tell_bound(args, m, guard);
		return true;
	}
	struct promise p = quotient_promise(m, &args[0]);
	if (strcmp(name, "multiple_of") == 0)
		tell_multiple(&p, args, m, result);
	else if (strcmp(name, "multiply_again") == 0)
		tell_again(&p, args, m, guard);
	else if (strcmp(name, "begin_product") == 0)
		tell_begun(&p, args, m, guard);
	else
		add_to_promise(name, args, m, guard, result);
	return true;
}

void quotient_summaries(const char *function)
{
	row = function;
	adding = NULL;
	n_kept = 0;
	memset(told, 0, sizeof told);
	also_summarise(summarise);
}
