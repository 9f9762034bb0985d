/*
 * The transfer functions (step.c's table): what an instruction does to a state.
 *
 * A row is one instruction in one form, at one width, with any immediate, in any state: each register that it names is set to any value, a number, a pointer, what the host left there, or nothing. Beside the state stands the
 * machine (machine.c): registers hold 64 bits each, which the state's values tell the truth about.
 *	a number, its symbol plus its constant, is what the register holds; a pointer is that plus where its region begins; a saved register is what it was at the entry. Of what is not set nothing is said
 *	a value's number has what its identity stands for, and its low identity stands for the lower half of that
 *	flags that compare two values are those that the processor would set for what these are
 *	the part that was read last is that part
 * The instruction is executed on the state by the verifier's bitcode and on the machine by machine.c. What is proven: if the verifier reports nothing, then afterwards all of that is true of the machine as it is then; of the state nothing else
 * is changed; flags that it calls set are those that isa.def says; registers that are written are noted; and what other functions are told on the way (a distance, a sum, a product, a bound) is so.
 *
 * Operations on numbers, of which each has rows, are taken by their word: a result has what the operation makes of what its operands have. So each number of the run has one value that it is asked about, and
 * what that is the goals are about. A symbol that is made stands for what its number was asked about. Where a number may be anything, that is what the machine has there (machine.h, `any`).
 *
 * Which bits of a register are the probe's own (init) is left to ward-oracle. What happens in memory has rows of its own (stack.c, access.c), and so have string instructions (strings.c): here a load gives any value that tells the truth of what memory holds there, and a store is told
 * the truth.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "arith.h"
#include "facts.h"
#include "machine.h"
#include "memory.h"
#include "promise.h"
#include "queries.h"
#include "state.h"
#include "transfer.h"
#include "wide.h"

struct value state, context, instruction, module;
static struct run run; /* the machine */
struct run before;
term reported;
struct memory *now;

bool plainly(void)
{
	return arith_exact || term_replaying();
}

/* ---- goals ---- */

enum { MAX_LATER = 600 };
static struct {
	const char *name;
	term t;
} later[MAX_LATER];
static unsigned n_later;

void claim(const char *name, term t)
{
	if (is_true(t))
		return;
	for (unsigned i = 0; i < n_later; i++) {
		if (later[i].t == t)
			return;
	}
	if (n_later == MAX_LATER)
		give_up("too many goals");
	later[n_later].name = name;
	later[n_later++].t = t;
}

void prove_claims(void)
{
	term fine = not_(reported);
	for (unsigned i = 0; i < n_later; i++)
		prove(later[i].name, implies(fine, later[i].t));
	n_later = 0;
}

/* ---- what a number is asked about ---- */

enum { MAX_ASKED = 400 };
static struct {
	term least, about; /* a number is known by its least value, which no other one has: it is a variable */
} asked[MAX_ASKED];
static unsigned n_asked;

void ask_about(const struct number *n, term about)
{
	if (n_asked == MAX_ASKED)
		give_up("too many numbers");
	asked[n_asked].least = n->umin;
	asked[n_asked++].about = about;
	assume_near(implies(and_(member(n, about), eq(n->umin, n->umax)), equation(about, n->umin)));
}

/* A number that was not made by an operation is a constant, or a choice. */
static term about_least(term least)
{
	term when, yes, no;
	for (unsigned i = 0; i < n_asked; i++) {
		if (asked[i].least == least)
			return asked[i].about;
	}
	return is_choice(least, &when, &yes, &no) ? ite(when, about_least(yes), about_least(no)) : least;
}

static term about(const struct number *n)
{
	return about_least(n->umin);
}

/* ---- sums ---- */

/* Sums and differences are written in one way, so that the same ones are the same terms: each term in them once, by number, times what it counts. Of choices each side. */
enum { MAX_ADDENDS = 24 };

struct sum {
	unsigned n, width;
	uint64_t constant;
	struct addend {
		term t;
		uint64_t times;
	} addend[MAX_ADDENDS];
};

static void add_addend(struct sum *s, term t, uint64_t times)
{
	unsigned i = 0, from;
	uint64_t value;
	term a, b;
	if (is_number(t, &value)) {
		s->constant += times * value;
	} else if (is_constant_multiple(t, &value, &a)) {
		add_addend(s, a, times * value);
	} else if (is_sum(t)) {
		for (unsigned k = 0; k < is_sum(t); k++)
			add_addend(s, operand(t, k), times);
	} else if (is_difference(t, &a, &b)) {
		add_addend(s, a, times);
		add_addend(s, b, 0 - times);
	} else if (is_extract(t, &from) && from == 0 && (is_sum(operand(t, 0)) || is_difference(operand(t, 0), &a, &b))) {
		for (unsigned k = 0; k < 2 || k < is_sum(operand(t, 0)); k++)
			add_addend(s, extract(s->width - 1, 0, operand(operand(t, 0), k)), k && !is_sum(operand(t, 0)) ? 0 - times : times);
	} else {
		while (i < s->n && s->addend[i].t != t)
			i++;
		if (i == MAX_ADDENDS)
			give_up("a sum of too many terms");
		if (i == s->n)
			s->addend[s->n++] = (struct addend){t, 0};
		s->addend[i].times += times;
	}
}

static bool comes_first(const struct addend *a, const struct addend *b)
{
	return Z3_get_ast_id(z3, a->t) < Z3_get_ast_id(z3, b->t);
}

static term rebuilt(struct sum *s)
{
	uint64_t most = UINT64_MAX >> (64 - s->width);
	term all = bits(s->width, s->constant);
	for (unsigned i = 0; i < s->n; i++) {
		unsigned least = i;
		for (unsigned k = i + 1; k < s->n; k++)
			least = comes_first(&s->addend[k], &s->addend[least]) ? k : least;
		struct addend a = s->addend[least];
		s->addend[least] = s->addend[i];
		uint64_t times = a.times & most;
		if (times == 0)
			continue;
		term t = times == 1 || times == most ? a.t : op2(Z3_mk_bvmul, a.t, bits(s->width, times));
		uint64_t none;
		if (is_number(all, &none) && none == 0 && times != most)
			all = t;
		else
			all = times == most ? sub(all, a.t) : add(all, t);
	}
	return all;
}

/* The sum where the choices in it by `when` come out so. */
static term on_side(const struct sum *s, term when, bool yes)
{
	struct sum side = {.width = s->width, .constant = s->constant};
	for (unsigned i = 0; i < s->n; i++) {
		term on, a, b, t = s->addend[i].t;
		bool of_it = is_choice(t, &on, &a, &b) && on == when;
		add_addend(&side, of_it ? (yes ? a : b) : t, s->addend[i].times);
	}
	return rebuilt(&side);
}

term same_sums(term t)
{
	term when, yes, no;
	if (is_choice(t, &when, &yes, &no))
		return ite(when, same_sums(yes), same_sums(no));
	struct sum s = {.width = width_of(t)};
	if (s.width > 64)
		return t;
	add_addend(&s, t, 1);
	for (unsigned i = 0; i < s.n; i++) {
		if (is_choice(s.addend[i].t, &when, &yes, &no))
			return ite(when, same_sums(on_side(&s, when, true)), same_sums(on_side(&s, when, false)));
	}
	return rebuilt(&s);
}

term sum_of(term a, term b)
{
	return same_sums(choose2(add, a, b));
}

term difference_of(term a, term b)
{
	return same_sums(choose2(sub, a, b));
}

term same_sum(term a, term b)
{
	term when, other, a_yes = a, a_no = a, b_yes = b, b_no = b, less;
	bool choice_a = is_choice(a, &when, &a_yes, &a_no), choice_b = is_choice(b, choice_a ? &other : &when, &b_yes, &b_no);
	if (choice_a && choice_b && when != other)
		b_yes = b_no = b;
	if (choice_a || choice_b)
		return ite(when, same_sum(a_yes, b_yes), same_sum(a_no, b_no));
	term more = difference_of(b, a);
	less = difference_of(a, b);
	if (Z3_get_ast_id(z3, more) < Z3_get_ast_id(z3, less)) /* whichever way round, it is one */
		less = more;
	return is_difference(less, &a_yes, &a_no) ? equation(a_yes, a_no) : equation(less, bits(width_of(less), 0));
}

void same_member(const struct number *n, term x)
{
	struct number yes, no;
	term when, x_yes, x_no, on;
	if (is_choice(x, &on, &x_yes, &x_no)) {
		bool both = number_is_choice(n, &when, &yes, &no) && when == on;
		same_member(both ? &yes : n, x_yes);
		same_member(both ? &no : n, x_no);
	} else if (number_is_choice(n, &when, &yes, &no)) {
		same_member(&yes, x);
		same_member(&no, x);
	} else if (!is_choice(about(n), &when, &x_yes, &x_no) && about(n) != x) {
		assume_near(implies(same_sum(about(n), x), eq(member(n, about(n)), member(n, x))));
	} else if (about(n) != x) {
		same_members(n, about(n), x, truth(true));
	}
}

/* ---- values and what registers hold ---- */

struct content content_load(const struct value *at)
{
	struct content c = {held_load(now, at, 0), exec_load(now, at, offsetof(struct wv_val, region), 1), exec_load(now, at, offsetof(struct wv_val, init), 1)};
	c.h.x = same_sums(c.h.x);
	return c;
}

term is_kind(const struct content *c, enum wv_kind kind)
{
	return eq(c->h.kind, bits(8, kind));
}

term held_by(const struct content *c, term other)
{
	term set = ite(is_kind(c, WV_SAVED), choose2(add, entry_value(c->region), bits(64, 0)), other);
	return ite(is_kind(c, WV_NUM), c->h.x, ite(is_kind(c, WV_PTR), sum_of(region_base(c->region), c->h.x), set));
}

static term is_true_of(const struct content *c, term x)
{
	return same_sum(held_by(c, x), x);
}

term has_its_number(const struct content *c)
{
	same_member(&c->h.n, c->h.x);
	return holds_number(&c->h);
}

static term is_one_of(term t, const uint64_t *list, unsigned n)
{
	term is = truth(false);
	for (unsigned i = 0; i < n; i++)
		is = or_(is, eq(t, bits(width_of(t), list[i])));
	return is;
}

term is_whole(const struct content *c)
{
	static const uint64_t inits[] = {8, 16, 64};
	term regions = ult(c->region, bits(8, WV_NREGION)), registers = ult(c->region, bits(8, WV_NREG));
	term all = and_(well_kept(&c->h), ule(c->h.kind, bits(8, WV_SAVED)));
	return and_(all, and_(implies(has_number(&c->h), is_one_of(c->init, inits, 3)), and_(implies(is_kind(c, WV_PTR), regions), implies(is_kind(c, WV_SAVED), registers))));
}

struct value register_at(unsigned reg)
{
	return field_of(&state, offsetof(struct wv_state, reg) + reg * sizeof(struct wv_val));
}

struct content register_now(unsigned reg)
{
	struct value at = register_at(reg);
	return content_load(&at);
}

struct content given_about(const struct value *at, term x, bool shared)
{
	term sym = exec_load(now, at, offsetof(struct wv_val, sym), 4), lsym = exec_load(now, at, offsetof(struct wv_val, lsym), 4);
	term by = exec_load(now, at, offsetof(struct wv_val, add), 8), low_by = exec_load(now, at, offsetof(struct wv_val, ladd), 4);
	define_identity(sym, difference_of(x, by), lsym, difference_of(extract(31, 0, x), low_by), shared);
	struct content c = content_load(at);
	assume(is_whole(&c));
	assume(holds_number(&c.h));
	ask_about(&c.h.n, c.h.x);
	return c;
}

/* … whatever it is. */
static struct content given_value(const struct value *at)
{
	return given_about(at, fresh(64), false);
}

void claim_value(const char *name, const struct content *c, term x, term when)
{
	claim(name, implies(when, is_true_of(c, x)));
	claim("a value that is whole", implies(when, is_whole(c)));
	claim("a member", implies(when, has_its_number(c)));
	claim("a low identity", implies(when, holds_identity(&c->h)));
}

/* ---- flags, and the part that was read ---- */

struct compared {
	term relation, width, defined;
	struct value at[2];
	struct content c[2];
	term x[2];
};

static struct compared flags_now(void)
{
	const size_t at = offsetof(struct wv_state, flags);
	struct compared f = {
		.relation = exec_load(now, &state, at + offsetof(struct wv_flags, relation), 1),
		.width = exec_load(now, &state, at + offsetof(struct wv_flags, width), 1),
		.defined = exec_load(now, &state, at + offsetof(struct wv_flags, defined), 1),
		.at = {field_of(&state, at + offsetof(struct wv_flags, a)), field_of(&state, at + offsetof(struct wv_flags, b))},
	};
	return f;
}

static void load_compared(struct compared *f, bool given)
{
	for (unsigned i = 0; i < 2; i++) {
		f->c[i] = given ? given_value(&f->at[i]) : content_load(&f->at[i]);
		f->x[i] = held_by(&f->c[i], bits(64, 0));
	}
}

term same_truth(term a, term b)
{
	return is_bool(a) ? not_(Z3_mk_xor(z3, a, b)) : eq(a, b);
}

/* What the relation says of the processor's flags, at this width. */
static term flags_true_at(const struct compared *f, const struct flags *m, unsigned w)
{
	term a = extract(w - 1, 0, f->x[0]), b = extract(w - 1, 0, f->x[1]), d = sub(a, b), zero = bits(w, 0);
	term has_a = has_number(&f->c[0].h), has = and_(has_a, has_number(&f->c[1].h));
	term zf = same_truth(m->zf, eq(a, zero)), sf = same_truth(m->sf, slt(a, zero)), carry = same_truth(m->cf, ult(a, b));
	term cmp = and_(and_(carry, same_truth(m->zf, eq(a, b))), and_(same_truth(m->sf, slt(d, zero)), same_truth(m->of, slt(band(bxor(a, b), bxor(a, d)), zero))));
	term all = implies(and_(eq(f->relation, bits(8, WV_REL_CMP)), has), cmp);
	all = and_(all, implies(and_(eq(f->relation, bits(8, WV_REL_ADD)), has), and_(carry, and_(zf, sf))));
	all = and_(all, implies(and_(eq(f->relation, bits(8, WV_REL_SIGN)), has_a), and_(zf, sf)));
	return and_(all, implies(and_(eq(f->relation, bits(8, WV_REL_ZERO)), has_a), zf));
}

static term flags_true(const struct compared *f, const struct flags *m)
{
	term all = truth(true);
	for (unsigned w = 8; w <= 64; w *= 2)
		all = and_(all, implies(eq(f->width, bits(8, w)), by_name(flags_true_at(f, m, w))));
	return all;
}

#define PART(field) exec_load(now, &state, offsetof(struct wv_state, part) + offsetof(struct wv_part, field), sizeof(((struct wv_part *)0)->field))

static struct value part_at(void)
{
	return field_of(&state, offsetof(struct wv_state, part) + offsetof(struct wv_part, is));
}

static term part_true(const struct content *is)
{
	term of = choose2(add, symbol_number(PART(sym)), PART(add)), width = PART(width), used = not_(eq(PART(sym), bits(32, 0))), all = is_kind(is, WV_NUM);
	for (unsigned w = 8; w <= 16; w *= 2)
		all = and_(all, implies(eq(width, bits(32, w)), eq(low_zext(of, w), is->h.x)));
	return implies(used, and_(all, or_(eq(width, bits(32, 8)), eq(width, bits(32, 16)))));
}

static struct content part_before;

/* ---- that rdx is the sign of rax ---- */

#define SIGN(field) exec_load(now, &context, offsetof(struct wv_ctx, sign) + offsetof(struct wv_sign, field), sizeof(((struct wv_sign *)0)->field))

static term sign_true(void)
{
	term is = symbol_number(SIGN(sym)), whole = choose2(add, symbol_number(SIGN(of)), SIGN(of_add)), width = SIGN(width), all = truth(true);
	term part = zext(choose2(add, low_symbol_number(SIGN(of)), extract(31, 0, SIGN(of_add))), 64);
	for (unsigned w = 16; w <= 64; w *= 2)
		all = and_(all, implies(eq(width, bits(8, w)), eq(low_zext(is, w), low_zext(ashr(low_sext(w == 64 ? whole : part, w), bits(64, 63)), w))));
	return implies(not_(eq(SIGN(sym), bits(32, 0))), all);
}

static bool about_sign(const struct form *f)
{
	return strcmp(f->function, "wv_step_sign_rax") == 0 || strcmp(f->function, "wv_step_div") == 0;
}

/* ---- calls ---- */

static struct number number_at(const struct called *c, unsigned i)
{
	return number_load(c->memory, &c->args[i]);
}

static struct held value_held(const struct called *c, unsigned i)
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
static term within_width(const struct number *n, unsigned width)
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
	answer_number(c, 0, concrete_merge(x, y, constant_at(c, 3)), and_(valid(&a), valid(&b)), and_(member(&a, x), member(&b, y)));
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
	term x = about(&a), less = sub(x, bits(64, 1)), z = op == WV_BLSI ? band(x, sub(bits(64, 0), x)) : op == WV_BLSMSK ? bxor(x, less) : band(x, less);
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
	answer_narrow(c, &a, w, bzhi ? lowest_bits(x, first) : lowest_bits(lshr(x, first), second), and_(valid(&by), member(&by, y)));
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
	term x = about(&a), y = about(&b), fit = and_(valid(&a), valid(&b)), narrow = and_(eq(low_zext(x, w), x), eq(low_zext(y, w), y));
	term given = and_(and_(narrow, and_(eq(x, run.x), eq(y, run.y))), and_(member(&a, x), member(&b, y)));
	claim("the product of whose halves this is", implies(c->guard, eq(c->args[1].part[0], truth(run.form->op == WV_IMUL1))));
	answer_number(c, 4, run.made[0], fit, given);
	answer_number(c, 5, run.made[1], fit, given);
}

/* ---- quotients ---- */

static term dividend_told; /* the dividend that the division is told of is what the registers hold */

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
		given = and_(given, run.form->op == WV_IDIV ? eq(low_zext(before.reg[WV_RDX], w), low_zext(ashr(low_sext(before.reg[WV_RAX], w), bits(64, 63)), w)) : truth(false));
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
	tell_dividend(c, and_(valid(&high), valid(&low)), and_(truth(w == run.width), and_(is, and_(member(&high, x), member(&low, y)))));
}

/* enum wv_division wv_num_divide(width, is_signed, n, divisor, quotient, remainder): if it says that it divides, the processor doesn't fault. */
static void call_divide(const struct called *c)
{
	struct number d = number_at(c, 3);
	term y = about(&d), told = fresh(32), divides = eq(told, bits(32, WV_DIVIDES)), by = truth(constant_at(c, 0) == run.width);
	term sign = eq(c->args[1].part[0], truth(run.form->op == WV_IDIV));
	term given = and_(divides, and_(and_(dividend_told, and_(sign, by)), and_(member(&d, y), eq(y, before.read[0]))));
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
	answer_number(c, 0, ite(run.taken, x, y), and_(valid(&a), valid(&b)), ite(run.taken, member(&a, x), member(&b, y)));
}

/* bool wv_num_meet(n, other): what *n is asked about both have. */
static void call_meet(const struct called *c)
{
	struct number n = number_at(c, 0), other = number_at(c, 1), r = number_fresh();
	term x = about(&n), told = fresh_bool(), fit = and_(valid(&n), valid(&other)), both = and_(member(&n, x), member(&other, x));
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

/* ---- numbers that may be anything ---- */

term any_is; /* NULL: what the machine has next */
static unsigned n_any;

static term next_any(void)
{
	if (any_is)
		return any_is;
	term x = n_any < 4 ? run.any[n_any] : NULL;
	n_any += x && run.any[n_any + 1 < 4 ? n_any + 1 : 3] ? 1 : 0;
	return x ? x : fresh(64);
}

/* struct wv_num wv_num_any(), wv_num_range(min, max): run, and asked about something that they say nothing of. */
static void call_any(const struct called *c, const char *name)
{
	*c->result = exec_call(name, c->args, c->memory, c->guard);
	struct number n = number_at(c, 0), r = number_fresh();
	term x = next_any();
	number_store(c->memory, &c->args[0], &r);
	ask_about(&r, x);
	assume(number_unchanged(&n, &r, 0));
}

/* Law "rest": where x ≤ y, x less x >> by is at most y less y >> by. */
static term law_of_rests(term x, term less_x, term y, term less_y)
{
	return implies(ule(x, y), by_name(ule(less_x, less_y)));
}

/* What is left of x by a shift, of the least and the most that it may be. Of these comparisons all that is known is the law. */
static void use_rests(const struct called *c, term min, term max, term left)
{
	term a, b, a_less, b_less;
	if (!is_difference(min, &a, &a_less) || !is_difference(max, &b, &b_less) || run.form->op != WV_SHR)
		return;
	term x = run.read[0], is = equation(left, sub(x, lshr(x, operand(a_less, 1))));
	claim("what is left by a shift", implies(c->guard, is));
	assume(implies(is, and_(law_of_rests(a, min, x, left), law_of_rests(x, left, b, max))));
	assume(law_of_rests(a, min, b, max));
}

static void call_range(const struct called *c)
{
	struct number r;
	term min = c->args[1].part[0], max = c->args[2].part[0], x = next_any(), zero = bits(64, 0), in_order = by_name(ule(min, max));
	uint64_t least, most;
	use_rests(c, min, max, x);
	r = answer_number(c, 0, x, truth(true), and_(by_name(ule(min, x)), by_name(ule(x, max))));
	if (is_number(min, &least) && is_number(max, &most) && least == 0 && (most & (most + 1)) == 0) /* all of so many bits */
		assume(and_(eq(r.umin, zero), eq(r.umax, max)));
	else
		claim("a range", implies(c->guard, in_order));
}

/* The function itself, with numbers that may be anything being this. */
static void call_with(const struct called *c, const char *name, term any)
{
	term was = any_is;
	any_is = any;
	*c->result = exec_call(name, c->args, c->memory, c->guard);
	any_is = was;
}

static term content_at(const struct called *c, unsigned i)
{
	(void)c;
	struct content v = content_load(&c->args[i]);
	return held_by(&v, bits(64, 0));
}

/* Of registers of which the state says nothing too. */
static term register_holds(unsigned reg)
{
	struct content v = register_now(reg);
	return held_by(&v, before.reg[reg] ? before.reg[reg] : bits(64, 0));
}

/* ---- what is told ---- */

static struct held told_value(const struct called *c, unsigned i, const char *name)
{
	struct held h = value_held(c, i);
	claim(name, implies(c->guard, and_(valid(&h.n), member(&h.n, h.x))));
	return h;
}

static term times(term scale, term x)
{
	uint64_t known;
	term t = op2(Z3_mk_bvmul, sext(scale, 64), x);
	for (unsigned k = 1; k <= 4 && !is_number(scale, &known); k++) /* the scales that there are */
		t = ite(eq(scale, bits(32, 1u << k)), shl(x, bits(64, k)), t);
	return t;
}

/* void wv_state_set_distance(st, a, scale, b, d) */
static void call_set_distance(const struct called *c)
{
	struct held a = value_held(c, 1), b = value_held(c, 3);
	struct number d = number_at(c, 4);
	term scale = c->args[2].part[0], apart = difference_of(b.x, times(scale, a.x)), x = about(&d), none = bits(32, 0);
	term named = and_(not_(eq(a.sym, none)), not_(eq(b.sym, none)));
	claim("a scale", implies(c->guard, not_(eq(scale, none))));
	claim("how far apart", implies(and_(c->guard, named), eq(x, apart)));
	claim("a distance", implies(and_(c->guard, named), and_(valid(&d), member(&d, x))));
}

/* struct wv_num wv_state_distance(st, a, scale, b) */
static void call_distance(const struct called *c)
{
	struct held a = told_value(c, 2, "a value for a callee"), b = told_value(c, 4, "a value for a callee");
	answer_number(c, 0, difference_of(b.x, times(c->args[3].part[0], a.x)), and_(valid(&a.n), valid(&b.n)), and_(member(&a.n, a.x), member(&b.n, b.x)));
}

/* void wv_state_note_sum(st, sum, x, y, low) */
static void call_note_sum(const struct called *c)
{
	struct held sum = told_value(c, 1, "a sum"), x = told_value(c, 2, "an addend"), y = told_value(c, 3, "an addend");
	struct value n = field_of(&c->args[1], offsetof(struct wv_val, n));
	term z = sum_of(x.x, y.x), none = bits(32, 0), is_low = returned_true(&c->args[4]);
	struct called as = {&n, c->memory, c->guard, c->result};
	claim("symbols", implies(c->guard, and_(not_(eq(sum.sym, none)), and_(not_(eq(x.sym, none)), not_(eq(y.sym, none))))));
	claim("what adds up", implies(c->guard, ite(is_low, eq(extract(31, 0, sum.x), extract(31, 0, z)), eq(sum.x, z))));
	answer_number(&as, 0, sum.x, valid(&sum.n), member(&sum.n, sum.x));
}

/* void wv_state_note_bound(st, of, below, shift) */
static void call_note_bound(const struct called *c)
{
	struct held of = value_held(c, 1), below = value_held(c, 2);
	claim("a bound", implies(c->guard, ule(lshr(below.x, zext(c->args[3].part[0], 64)), of.x)));
}

/* void wv_state_note_less(st, v, than, ones): of ones fewer, if they are some of its; or shorter, if some power of two is between them. */
static void call_note_less(const struct called *c)
{
	struct held v = value_held(c, 1), than = value_held(c, 2);
	term fewer = and_(eq(band(v.x, than.x), v.x), not_(eq(v.x, than.x))), shorter = ult(v.x, band(than.x, bnot(v.x)));
	claim("less", implies(c->guard, ite(returned_true(&c->args[3]), fewer, shorter)));
}

/* void wv_state_note_choice(st, is, a, b) */
static void call_note_choice(const struct called *c)
{
	struct held is = value_held(c, 1), side[2] = {value_held(c, 2), value_held(c, 3)};
	term chosen = truth(false);
	for (unsigned i = 0; i < 2; i++) {
		chosen = or_(chosen, and_(eq(is.x, side[i].x), member(&side[i].n, side[i].x)));
		claim("a side", implies(c->guard, and_(well_kept(&side[i]), holds_identity(&side[i]))));
	}
	claim("a choice", implies(c->guard, chosen));
}

/* void wv_state_promote(st, n, base, d): each register is what it was, or holds the same as a pointer. */
static void call_promote(const struct called *c)
{
	struct content n = content_load(&c->args[1]), base = content_load(&c->args[2]), d = content_load(&c->args[3]);
	term numbers = and_(is_kind(&n, WV_NUM), and_(is_kind(&base, WV_PTR), eq(base.h.n.umin, base.h.n.umax)));
	term given = and_(c->guard, numbers), there = sum_of(region_base(base.region), base.h.x);
	claim("how far from the pointer", implies(given, eq(d.h.x, difference_of(n.h.x, there))));
	claim("what is so far", implies(given, and_(holds(&n.h), and_(holds(&base.h), holds(&d.h)))));
	for (unsigned reg = 0; reg < WV_NREG; reg++) {
		if (!before.reg[reg])
			continue;
		struct value at = register_at(reg), other = exec_struct(c->memory, "struct.wv_val", 0);
		struct content is = content_load(&at);
		term turns = fresh_bool();
		exec_store(c->memory, &other, offsetof(struct wv_val, kind), bits(8, WV_PTR));
		exec_store(c->memory, &other, offsetof(struct wv_val, region), base.region);
		given_about(&other, difference_of(is.h.x, region_base(base.region)), false);
		assume(implies(turns, and_(given, is_kind(&is, WV_NUM))));
		at.place[0].when = turns;
		memory_copy_bytes(c->memory, &at, &other, sizeof(struct wv_val));
	}
}

/* bool wv_flags_assume_value(flags, cond, v) */
static void call_assume_value(const struct called *c)
{
	struct held v = value_held(c, 2);
	struct value n = field_of(&c->args[2], offsetof(struct wv_val, n));
	struct number r = number_fresh();
	term told = fresh_bool(), has = has_number(&v), is = machine_condition(&before.flags, (enum wv_cond)constant_at(c, 1));
	claim("a value that is well kept", implies(c->guard, well_kept(&v)));
	number_store(c->memory, &n, &r);
	ask_about(&r, v.x);
	assume(implies(and_(is, holds(&v)), told));
	assume(implies(and_(has, and_(well_kept(&v), told)), valid(&r)));
	assume(implies(and_(is, and_(has, and_(well_kept(&v), holds(&v)))), member(&r, v.x)));
	*c->result = exec_bits(told);
}

/* ---- what quotients are told; see quotient.c ---- */

static struct held operand_of(const struct called *c, unsigned i, unsigned width)
{
	struct held h = value_held(c, i);
	claim("a number for a quotient", implies(c->guard, and_(eq(h.kind, bits(8, WV_NUM)), and_(well_kept(&h), and_(holds(&h), eq(low_zext(h.x, width), h.x))))));
	return h;
}

static void result_is(const struct called *c, unsigned i, term x, term when)
{
	if (!c->args[i].n)
		return;
	struct held h = value_held(c, i);
	claim("a result for a quotient", implies(c->guard, and_(has_number(&h), well_kept(&h))));
	claim("what a quotient is told", implies(and_(c->guard, when), same_sum(h.x, x)));
}

/* (ctx, width, a, b, low, high) */
static void call_quotient_product(const struct called *c)
{
	unsigned w = constant_at(c, 1);
	struct held a = operand_of(c, 2, w), b = operand_of(c, 3, w);
	claim("the factors", implies(c->guard, and_(eq(a.x, run.x), eq(b.x, run.y))));
	result_is(c, 4, run.made[0], truth(true));
	result_is(c, 5, run.made[1], truth(true));
}

/* (ctx, v, count, r) */
static void call_quotient_right(const struct called *c)
{
	struct held v = operand_of(c, 1, run.width);
	claim("a count", implies(c->guard, ult(c->args[2].part[0], bits(32, run.width))));
	result_is(c, 3, lshr(v.x, zext(c->args[2].part[0], 64)), truth(true));
}

/* (ctx, width, v, count, r) */
static void call_quotient_left(const struct called *c)
{
	unsigned w = constant_at(c, 1);
	struct held v = operand_of(c, 2, w);
	claim("a count", implies(c->guard, ult(c->args[3].part[0], bits(32, w))));
	result_is(c, 4, low_zext(shl(v.x, zext(c->args[3].part[0], 64)), w), truth(true));
}

/* (ctx, width, v, off, r) */
static void call_quotient_rounded(const struct called *c)
{
	unsigned w = constant_at(c, 1);
	struct held v = operand_of(c, 2, w);
	term off = c->args[3].part[0];
	claim("low ones", implies(c->guard, eq(band(off, add(off, bits(64, 1))), bits(64, 0))));
	result_is(c, 4, low_zext(band(v.x, bnot(off)), w), truth(true));
}

/* (ctx, width, a, b, scale, r), of which a or b may be nowhere */
static void call_quotient_sum(const struct called *c)
{
	unsigned w = constant_at(c, 1);
	term sum = bits(64, 0), numbers = truth(true);
	for (unsigned i = 2; i < 4; i++) {
		if (!c->args[i].n)
			continue;
		struct held h = value_held(c, i);
		claim("an addend for a quotient", implies(c->guard, and_(well_kept(&h), holds(&h))));
		sum = sum_of(sum, i == 2 ? h.x : times(c->args[4].part[0], h.x));
		numbers = and_(numbers, eq(h.kind, bits(8, WV_NUM)));
	}
	result_is(c, 5, low_zext(sum, w), numbers);
}

/* (ctx, width, a, b, r): the number of *r is narrowed */
static void call_quotient_difference(const struct called *c)
{
	unsigned w = constant_at(c, 1);
	struct held side[2], r = value_held(c, 4);
	for (unsigned i = 0; i < 2; i++) {
		side[i] = value_held(c, 2 + i);
		claim("a side for a quotient", implies(c->guard, and_(well_kept(&side[i]), holds(&side[i]))));
	}
	result_is(c, 4, low_zext(difference_of(side[0].x, side[1].x), w), and_(eq(side[0].kind, bits(8, WV_NUM)), eq(side[1].kind, bits(8, WV_NUM))));
	claim("a difference", implies(c->guard, holds(&r)));
	struct value n = field_of(&c->args[4], offsetof(struct wv_val, n));
	struct called as = {&n, c->memory, c->guard, c->result};
	answer_number(&as, 0, r.x, valid(&r.n), and_(has_number(&r), holds(&r)));
}

/* void wv_table_extended(ctx, v, wide) */
static void call_extended(const struct called *c)
{
	struct content v = content_load(&c->args[1]), wide = content_load(&c->args[2]);
	claim("a sign extension", implies(and_(c->guard, is_kind(&v, WV_NUM)), and_(is_kind(&wide, WV_NUM), eq(low_sext(v.h.x, 32), held_by(&wide, bits(64, 0))))));
	claim("a low identity", implies(c->guard, holds_identity(&v.h)));
}

/* ---- memory ---- */

void report_or(const struct called *c, term t)
{
	term told = fresh_bool();
	assume(implies(not_(told), t));
	reported = or_(reported, and_(c->guard, told));
}

static term holds_now[WV_NREG]; /* what registers hold on the way: the machine's own words are for the end */

static bool has_address(const struct form *f)
{
	return f->op == WV_LEA || f->mem.scale;
}

/* Memory is accessed before registers of its address are written. */
static term address_stays(void)
{
	term stays = truth(true);
	for (unsigned reg = 0; reg < WV_NREG && has_address(run.form); reg++) {
		if (run.form->mem.base == reg || run.form->mem.index == reg)
			stays = and_(stays, eq(holds_now[reg], before.reg[reg]));
	}
	return stays;
}

/* struct wv_val wv_load(ctx, st, insn, bytes): a value that tells the truth; of less than eight bytes it is a number. */
static void call_load(const struct called *c)
{
	unsigned bytes = constant_at(c, 4);
	struct value at = c->args[0];
	struct value new = exec_struct(c->memory, "struct.wv_val", 0);
	term x = low_zext(run.loaded, 8 * bytes);
	if (bytes < 8)
		exec_store(c->memory, &new, offsetof(struct wv_val, kind), bits(8, WV_NUM));
	struct content v = bytes < 8 ? given_about(&new, x, true) : given_value(&new);
	assume(eq(held_by(&v, x), x));
	memory_copy_bytes(c->memory, &at, &new, sizeof(struct wv_val));
}

/* void wv_store(ctx, st, insn, bytes, v) */
static void call_store(const struct called *c)
{
	unsigned bytes = constant_at(c, 3);
	struct content v = content_load(&c->args[4]);
	term x = held_by(&v, run.stored), low_x = low_zext(x, 8 * bytes), stored = low_zext(run.stored, 8 * bytes), same = bytes == 8 ? same_sum(x, stored) : eq(low_x, stored);
	claim("the address", implies(c->guard, address_stays()));
	claim("what is stored", implies(c->guard, same));
	assume(implies(same, eq(low_x, stored))); /* which is the same, of sums as they are written; flags are of these */
	claim("a value that is stored", implies(c->guard, and_(is_whole(&v), and_(has_its_number(&v), holds_identity(&v.h)))));
}

/* void wv_push(ctx, st, insn, v) */
static void call_push(const struct called *c)
{
	struct content v = content_load(&c->args[3]);
	claim("what is pushed", implies(c->guard, and_(eq(held_by(&v, run.stored), run.stored), and_(is_whole(&v), holds(&v.h)))));
}

/* struct wv_val wv_pop(ctx, st, insn): a value that tells the truth. */
static void call_pop(const struct called *c)
{
	struct value at = c->args[0], new = exec_struct(c->memory, "struct.wv_val", 0);
	struct content v = given_value(&new);
	assume(eq(held_by(&v, run.loaded), run.loaded));
	memory_copy_bytes(c->memory, &at, &new, sizeof(struct wv_val));
}

/* ---- operands: each of these has rows of its own, for the other ones ---- */

static bool reads_told, writes_told;

void take_operands(bool reads, bool writes)
{
	reads_told = reads;
	writes_told = writes;
}

static term kind_before[WV_NREG];

/* A value that tells the truth of x, which has so many bits (0: it may be of any kind); pointers have all, and a `number` is none. */
static struct content told_truth(struct memory *m, const struct value *to, term x, unsigned width, bool number)
{
	struct value new = exec_struct(m, "struct.wv_val", 0);
	number = number || (width && width < 64);
	if (number)
		exec_store(m, &new, offsetof(struct wv_val, kind), bits(8, WV_NUM));
	struct content v;
	if (number) {
		v = given_about(&new, x, true);
	} else if (width) { /* a number or a pointer, whose symbol others may have */
		term pointer = eq(exec_load(m, &new, offsetof(struct wv_val, kind), 1), bits(8, WV_PTR)), region = exec_load(m, &new, offsetof(struct wv_val, region), 1);
		v = given_about(&new, ite(pointer, difference_of(x, region_base(region)), x), true);
		assume(has_number(&v.h));
		split_by(&pointer, 1);
	} else {
		v = given_value(&new);
		assume(same_sum(held_by(&v, x), x));
	}
	memory_copy_bytes(m, to, &new, sizeof(struct wv_val));
	return v;
}

/* What is read of less than 64 bits; of 32 bits, memory aside, its bounds are no more. */
static void told_number(const struct called *c, term x, unsigned width, bool number)
{
	struct content v = told_truth(c->memory, &c->args[0], x, width, number);
	assume(width == 32 ? within_width(&v.h.n, width) : truth(true));
}

/* The whole of a register is the value that it has; a part of it some value that tells the truth. */
static void read_register(const struct called *c, unsigned reg, term x, unsigned width)
{
	struct value from = register_at(reg);
	if (width == 64)
		memory_copy_bytes(c->memory, &c->args[0], &from, sizeof(struct wv_val));
	else
		told_number(c, x, width, false);
}

/* struct wv_val wv_read_reg(ctx, st, insn, reg, width) */
static void call_read_reg(const struct called *c)
{
	unsigned reg = constant_at(c, 4), width = constant_at(c, 5);
	struct content was = register_now(reg);
	if (was.h.kind != kind_before[reg])
		give_up("a register is read after it was written");
	read_register(c, reg, low_zext(before.reg[reg], width), width);
	report_or(c, has_number(&was.h));
}

/* struct wv_val wv_read_operand(ctx, st, insn, i): of 8 and 16 bits it is noted which were read. */
static void call_read_operand(const struct called *c)
{
	unsigned i = constant_at(c, 4), width = operand_width(run.form, i, run.width);
	if (run.form->operand[i].kind == WV_REG && width < 32) {
		struct value part = exec_struct(c->memory, "struct.wv_part", 0), at = field_of(&state, offsetof(struct wv_state, part)), is = part_at();
		at.place[0].when = c->guard;
		memory_copy_bytes(c->memory, &at, &part, sizeof(struct wv_part));
		struct content v = given_value(&is);
		assume(part_true(&v));
	}
	if (run.form->operand[i].kind == WV_REG)
		read_register(c, run.form->operand[i].reg, before.read[i], width);
	else if (run.form->operand[i].kind == WV_IMM)
		told_number(c, before.read[i], width, true);
	else
		told_truth(c->memory, &c->args[0], before.read[i], width, false);
	struct content from = run.form->operand[i].kind == WV_REG ? register_now(run.form->operand[i].reg) : (struct content){0};
	report_or(c, from.init ? has_number(&from.h) : truth(true));
}

/* What is written to a register at so many bits, or to its second byte. */
static void write_register(const struct called *c, unsigned reg, unsigned width, bool high, const struct value *value)
{
	struct content v = content_load(value);
	term x = held_by(&v, bits(64, 0)), old = holds_now[reg];
	claim("a number or a pointer that is written", implies(c->guard, has_number(&v.h)));
	claim("a value that is whole", implies(c->guard, is_whole(&v)));
	claim("a member", implies(c->guard, has_its_number(&v)));
	claim("a low identity", implies(c->guard, holds_identity(&v.h)));
	if (width < 64)
		claim("a number of that width", implies(c->guard, and_(is_kind(&v, WV_NUM), eq(low_zext(x, width), x))));
	term becomes = high ? concat(concat(extract(63, 16, old), extract(7, 0, x)), extract(7, 0, old)) : concrete_merge(old, x, width);
	holds_now[reg] = ite(c->guard, becomes, old);
	struct value at = register_at(reg);
	at.place[0].when = c->guard;
	struct content new = told_truth(c->memory, &at, becomes, 0, false);
	if (!high)
		assume(width < 32 ? is_kind(&new, WV_NUM) : implies(is_kind(&v, WV_NUM), is_kind(&new, WV_NUM)));
	term written = exec_load(c->memory, &context, offsetof(struct wv_ctx, written), 4), bit = bits(32, UINT64_C(1) << reg);
	exec_store(c->memory, &context, offsetof(struct wv_ctx, written), ite(c->guard, bor(written, bit), written));
}

/* void wv_write_reg(ctx, st, insn, reg, width, v) */
static void call_write_reg(const struct called *c)
{
	write_register(c, constant_at(c, 3), constant_at(c, 4), false, &c->args[5]);
}

/* void wv_write_operand(ctx, st, insn, i, v) */
static void call_write_operand(const struct called *c)
{
	unsigned i = constant_at(c, 3);
	const struct operand_form *o = &run.form->operand[i];
	struct value args[] = {c->args[0], c->args[1], c->args[2], exec_bits(bits(32, operand_width(run.form, i, run.width) / 8)), c->args[4]};
	struct called store = {args, c->memory, c->guard, c->result};
	report_or(c, truth(true));
	if (o->kind == WV_MEM)
		call_store(&store);
	else
		write_register(c, o->reg, operand_width(run.form, i, run.width), o->high, &c->args[4]);
}

static bool operand_told(const struct called *c, const char *name)
{
	if (reads_told && strcmp(name, "wv_read_reg") == 0)
		call_read_reg(c);
	else if (reads_told && strcmp(name, "wv_read_operand") == 0)
		call_read_operand(c);
	else if (writes_told && strcmp(name, "wv_write_reg") == 0)
		call_write_reg(c);
	else if (writes_told && strcmp(name, "wv_write_operand") == 0)
		call_write_operand(c);
	else
		return false;
	return true;
}

/* ---- which of them is called ---- */

static bool nothing(const char *name)
{
	static const char *const list[] = {"wv_val_print", "wv_flags_print", "ward_register_name", "ward_feature_name", "snprintf"};
	for (unsigned i = 0; i < sizeof list / sizeof list[0]; i++) {
		if (strcmp(list[i], name) == 0)
			return true;
	}
	return false;
}

static const struct {
	const char *function;
	void (*call)(const struct called *c);
	bool tells; /* only tells others */
} calls[] = {
	{"wv_num_zext", call_zext, false}, {"wv_num_sext", call_sext, false}, {"wv_num_merge", call_merge, false}, {"wv_num_binary", call_binary, false}, {"wv_num_shift", call_shift, false},
	{"wv_num_tzcnt", call_tzcnt, false}, {"wv_num_lzcnt", call_lzcnt, false}, {"wv_num_top", call_top, false}, {"wv_num_popcnt", call_popcnt, false}, {"wv_num_lowest", call_lowest, false},
	{"wv_num_bzhi", call_bzhi, false}, {"wv_num_bextr", call_bextr, false}, {"wv_num_pdep", call_pdep, false}, {"wv_num_pext", call_pext, false}, {"wv_num_sync", call_sync, false}, {"wv_dividend_narrow", call_dividend_narrow, false},
	{"wv_dividend_of", call_dividend_of, false}, {"wv_num_divide", call_divide, false}, {"assume_value", call_assume_value, false}, {"wv_val_add", call_val_add, false}, {"wv_val_sub", call_val_sub, false}, {"wv_push", call_push, false}, {"wv_pop", call_pop, false},
	 {"wv_num_bit", call_bit, false}, {"wv_num_product", call_product, false},
	{"wv_num_join", call_join, false}, {"wv_num_meet", call_meet, false}, {"wv_num_has", call_has, false}, {"wv_num_range", call_range, false}, {"wv_state_distance", call_distance, false},
	{"wv_address", call_sum_of_registers, false}, {"with_carry", call_with_carry, false}, {"carried", call_carried, false}, {"wv_flags_assume_value", call_assume_value, false}, {"wv_state_set_distance", call_set_distance, true}, {"wv_state_note_sum", call_note_sum, true}, {"wv_state_note_bound", call_note_bound, true},
	{"wv_state_note_less", call_note_less, true}, {"wv_state_note_choice", call_note_choice, true}, {"wv_state_promote", call_promote, true}, {"wv_quotient_product", call_quotient_product, true},
	{"wv_quotient_right", call_quotient_right, true}, {"wv_quotient_left", call_quotient_left, true}, {"wv_quotient_rounded", call_quotient_rounded, true}, {"wv_quotient_sum", call_quotient_sum, true},
	{"wv_quotient_difference", call_quotient_difference, true}, {"wv_table_extended", call_extended, true}, {"wv_load", call_load, false}, {"wv_store", call_store, true},
};

/* Those that are run, but in which numbers that may be anything are something that is known here. */
static bool run_with(const struct called *c, const char *name)
{
	uint64_t n;
	if (strcmp(name, "wv_as_number") == 0)
		call_with(c, name, content_at(c, 2));
	else if (strcmp(name, "wv_val_zext32") == 0)
		call_with(c, name, low_zext(content_at(c, 2), 32));
	else if (strcmp(name, "wv_read_reg") == 0 && is_number(c->args[4].part[0], &n))
		call_with(c, name, low_zext(register_holds((unsigned)n), constant_at(c, 5)));
	else if (strcmp(name, "wv_write_reg") == 0 && is_number(c->args[3].part[0], &n))
		call_with(c, name, register_holds((unsigned)n));
	else if (strcmp(name, "write_high") == 0 && is_number(c->args[2].part[0], &n))
		call_with(c, name, register_holds((unsigned)n));
	else if (strcmp(name, "wv_peek_operand") == 0)
		call_with(c, name, low_zext(before.read[constant_at(c, 3)], run.width));
	else
		return false;
	return true;
}

bool called(const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	struct called c = {args, m, guard, result};
	now = m;
	if (strcmp(name, "wv_report") == 0) {
		reported = or_(reported, guard);
		return true;
	}
	if (nothing(name))
		return true;
	for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		if (strcmp(calls[i].function, name) != 0)
			continue;
		if (plainly() && !calls[i].tells)
			return false;
		if (calls[i].call == call_quotient_product && constant_at(&c, 1) < 32) /* it is run, and does nothing */
			return false;
		if (!plainly())
			calls[i].call(&c);
		return true;
	}
	if (plainly())
		return false;
	if (operand_told(&c, name))
		return true;
	if (strcmp(name, "wv_num_any") == 0) {
		call_any(&c, name);
		return true;
	}
	if (strcmp(name, "wv_val_number") == 0) { /* what it makes has a symbol that nobody had before */
		struct number n = number_at(&c, 2);
		exec_store(m, &context, offsetof(struct wv_ctx, next_sym), new_symbol(about(&n)));
		return false;
	}
	return run_with(&c, name);
}

/* ---- the instruction ---- */

static void set_field(uint64_t offset, unsigned bytes, uint64_t value)
{
	exec_store(now, &instruction, offset, bits(8 * bytes, value));
}

#define SET(field, value) set_field(offsetof(struct wv_insn, field), sizeof(((struct wv_insn *)0)->field), value)

static void make_instruction(const struct form *f, unsigned width)
{
	unsigned n = 0;
	bool address = has_address(f);
	for (; n < 3 && f->operand[n].kind; n++) {
		size_t at = offsetof(struct wv_insn, operand) + n * sizeof(struct wv_operand);
		set_field(at + offsetof(struct wv_operand, kind), 1, f->operand[n].kind);
		set_field(at + offsetof(struct wv_operand, width), 1, operand_width(f, n, width));
		set_field(at + offsetof(struct wv_operand, reg), 1, f->operand[n].reg);
		set_field(at + offsetof(struct wv_operand, high), 1, f->operand[n].high);
	}
	SET(op, f->op);
	SET(cond, f->cond);
	SET(width, width);
	SET(n_operands, n);
	SET(lock, 0);
	SET(mem.base, f->mem.base);
	SET(mem.index, f->mem.index);
	SET(mem.scale, f->mem.scale);
	SET(mem.rip_relative, 0);
	exec_store(now, &instruction, offsetof(struct wv_insn, mem.disp), address ? run.imm : bits(64, 0));
	exec_store(now, &instruction, offsetof(struct wv_insn, imm), run.imm);
}

/* Immediates come sign-extended from the width; counts have 8 bits. */
static void make_immediate(const struct form *f, unsigned width)
{
	bool count = false;
	for (unsigned i = 0; i < 3; i++)
		count = count || (f->operand[i].kind == WV_IMM && f->operand[i].width == 8);
	run.imm = input("imm", 64);
	assume(count ? ule(run.imm, bits(64, 255)) : eq(run.imm, low_sext(run.imm, f->op == WV_LEA ? 64 : width)));
}

static bool is_used(const struct form *f, unsigned reg)
{
	bool used = f->implied >> reg & 1;
	for (unsigned i = 0; i < 3; i++)
		used = used || (f->operand[i].kind == WV_REG && f->operand[i].reg == reg);
	return used || (has_address(f) && (f->mem.base == reg || f->mem.index == reg));
}

/* ---- states ---- */

/* Of the first two registers that are read the row may say what they hold: a number, one that is the probe's own in its lower 8 or 16 bits, a pointer, or neither. */
static unsigned kinds_of(const struct form *f, unsigned reg, unsigned kinds)
{
	return reg == form_reads(f, 0) ? kinds / KINDS : reg == form_reads(f, 1) ? kinds % KINDS : ANY_KIND;
}

term kind_said(unsigned kind)
{
	switch (kind) {
	case A_NUMBER:
	case A_PART: return bits(8, WV_NUM);
	case A_POINTER: return bits(8, WV_PTR);
	case NEITHER: return ite(fresh_bool(), bits(8, WV_UNINIT), bits(8, WV_SAVED));
	default: return fresh(8);
	}
}

static term init_said(unsigned kind)
{
	return kind == A_NUMBER ? bits(8, 64) : kind == A_PART ? ite(fresh_bool(), bits(8, 8), bits(8, 16)) : fresh(8);
}

static void make_state(const struct form *f, unsigned kinds)
{
	for (unsigned reg = 0; reg < WV_NREG; reg++) {
		char name[20];
		struct value at = register_at(reg);
		run.reg[reg] = NULL;
		if (!is_used(f, reg))
			continue;
		snprintf(name, sizeof name, "r%u", reg);
		run.reg[reg] = input(name, 64);
		unsigned kind = kinds_of(f, reg, kinds);
		exec_store(now, &at, offsetof(struct wv_val, kind), kind_said(kind));
		exec_store(now, &at, offsetof(struct wv_val, init), init_said(kind));
		struct content c = given_about(&at, run.reg[reg], true);
		run.reg[reg] = held_by(&c, fresh(64));
		kind_before[reg] = c.h.kind;
		holds_now[reg] = run.reg[reg];
	}
	run.flags = (struct flags){input_bool("cf"), input_bool("zf"), input_bool("sf"), input_bool("of"), input_bool("pf")};
	struct compared flags = flags_now();
	load_compared(&flags, true);
	assume(flags_true(&flags, &run.flags));
	struct value part = part_at();
	part_before = given_value(&part);
	assume(part_true(&part_before));
	if (about_sign(f))
		assume(sign_true());
}

/* Numbers, whole ones, each with a symbol; and nothing else. */
static void make_plain_state(const struct form *f)
{
	memory_fill(now, &state, 0, sizeof(struct wv_state) - sizeof(((struct wv_state *)0)->slot) + 2 * sizeof(struct wv_slot));
	memory_fill(now, &context, 0, offsetof(struct wv_ctx, lent));
	exec_store(now, &context, offsetof(struct wv_ctx, next_sym), bits(32, 1000));
	for (unsigned reg = 0; reg < WV_NREG; reg++) {
		char name[20];
		struct value at = register_at(reg), n = field_of(&at, offsetof(struct wv_val, n));
		run.reg[reg] = NULL;
		if (!is_used(f, reg))
			continue;
		snprintf(name, sizeof name, "r%u", reg);
		run.reg[reg] = input(name, 64);
		struct number known = valid_number(name);
		number_store(now, &n, &known);
		exec_store(now, &at, offsetof(struct wv_val, kind), bits(8, WV_NUM));
		exec_store(now, &at, offsetof(struct wv_val, init), bits(8, 64));
		exec_store(now, &at, offsetof(struct wv_val, sym), bits(32, 100 + reg));
		exec_store(now, &at, offsetof(struct wv_val, lsym), bits(32, 100 + reg));
		assume(member(&known, run.reg[reg]));
	}
	run.flags = (struct flags){truth(false), truth(false), truth(false), truth(false), truth(false)};
}

/* ---- afterwards ---- */

/* In which part of the state a scalar lies that may be changed. */
static bool may_change_at(uint64_t offset)
{
	for (unsigned reg = 0; reg < WV_NREG; reg++) {
		uint64_t at = offsetof(struct wv_state, reg) + reg * sizeof(struct wv_val);
		if (run.reg[reg] && offset >= at && offset < at + sizeof(struct wv_val))
			return true;
	}
	return (offset >= offsetof(struct wv_state, flags) && offset < offsetof(struct wv_state, n_distances)) ||
	       (offset >= offsetof(struct wv_state, part) && offset < offsetof(struct wv_state, n_reaches));
}

/* What is gathered on the way, of the context, and what the step notes there. */
static bool may_note_at(uint64_t offset)
{
	bool sign = strcmp(run.form->function, "wv_step_sign_rax") == 0 && offset >= offsetof(struct wv_ctx, sign) && offset < offsetof(struct wv_ctx, table);
	bool repeats = strcmp(run.form->function, "wv_step_string") == 0 && offset == offsetof(struct wv_ctx, repeats);
	return sign || repeats || offset == offsetof(struct wv_ctx, next_sym) || offset == offsetof(struct wv_ctx, written) || offset == offsetof(struct wv_ctx, loaded_constant);
}

static void claim_nothing_else(const struct memory *was)
{
	unsigned about = context.place[0].object;
	const struct object *facts = object_at(about);
	for (unsigned i = 0; i < facts->n_cells; i++) {
		if (!may_note_at(facts->cell[i].offset))
			claim("what is noted", eq(was->cells[about][i], now->cells[about][i]));
	}
	unsigned o = state.place[0].object;
	const struct object *object = object_at(o);
	for (unsigned i = 0; i < object->n_cells; i++) {
		if (!may_change_at(object->cell[i].offset))
			claim("what is changed", eq(was->cells[o][i], now->cells[o][i]));
	}
}

static const struct {
	uint8_t defines, undefines;
} row_flags[] = {
#define C WV_CF
#define Z WV_ZF
#define S WV_SF
#define O WV_OF
#define P WV_PF
#define INSN(op, mnemonic, forms, widths, defines, undefines, feature, note) {defines, undefines},
#include "ward/isa.def"
#undef INSN
};

/* A shift by a constant says itself which it sets. */
static void claim_flags(const struct form *f, term defined_before)
{
	struct compared flags = flags_now();
	term none = bits(8, WV_REL_NONE);
	bool shifts = strcmp(f->function, "wv_step_shift") == 0;
	load_compared(&flags, false);
	claim("flags", flags_true(&flags, &run.flags));
	for (unsigned i = 0; i < 2; i++) {
		term looked_at = i == 0 ? not_(eq(flags.relation, none)) : or_(eq(flags.relation, bits(8, WV_REL_CMP)), eq(flags.relation, bits(8, WV_REL_ADD)));
		claim_value("what flags compare", &flags.c[i], flags.x[i], and_(looked_at, has_number(&flags.c[i].h)));
	}
	term may = bor(band(defined_before, bits(8, 0xff & ~row_flags[f->op].undefines)), bits(8, row_flags[f->op].defines));
	if (shifts && f->operand[1].kind == WV_IMM) { /* by zero they are as they were; of a carry beyond the operand nothing is said */
		bool rotates = !(row_flags[f->op].undefines & WV_ZF);
		term count = band(run.read[1], bits(64, run.width == 64 ? 63 : 31)), sets = bits(8, rotates ? 0 : WV_ZF | WV_SF | WV_PF);
		sets = bor(sets, ite(ult(count, bits(64, run.width)), bits(8, rotates ? 0 : WV_CF), bits(8, 0)));
		may = ite(eq(count, bits(64, 0)), defined_before, bor(may, sets));
	}
	claim("flags that are set", eq(band(flags.defined, bnot(may)), bits(8, 0)));
}

static void claim_registers(void)
{
	term written = exec_load(now, &context, offsetof(struct wv_ctx, written), 4);
	for (unsigned reg = 0; reg < WV_NREG; reg++) {
		if (!run.reg[reg])
			continue;
		struct content c = register_now(reg);
		if (writes_told)
			claim("what a register holds", same_sum(holds_now[reg], run.reg[reg]));
		else
			claim_value("a register", &c, run.reg[reg], truth(true));
		if (run.reg[reg] != before.reg[reg])
			claim("that it is written", implies(not_(eq(run.reg[reg], before.reg[reg])), eq(extract(reg, reg, written), bits(1, 1))));
	}
}

static void claim_numbers(void)
{
	for (unsigned reg = 0; reg < WV_NREG; reg++) {
		if (!run.reg[reg])
			continue;
		struct content c = register_now(reg);
		claim("a member", implies(is_kind(&c, WV_NUM), member(&c.h.n, run.reg[reg])));
	}
}

const struct form nothing_at_all = {.op = WV_NOP, .function = "", .name = "", .execute = machine_nothing};

void begin_state(unsigned slots)
{
	bool plain = plainly();
	summarise_always(called);
	memory_no_pointers();
	now = &state_memory;
	exec_rejoins = true;
	number_by_name = term_fold_choices = !plain;
	if (!plain)
		use_names_last();
	n_later = n_asked = n_any = 0;
	any_is = NULL;
	dividend_told = fresh_bool();
	reported = truth(false);
	run = (struct run){.form = &nothing_at_all, .width = 64};
	state = exec_struct(now, "struct.wv_state", slots);
	context = exec_struct(now, "struct.wv_ctx", 0);
	instruction = exec_struct(now, "struct.wv_insn", 0);
	module = exec_struct(now, "struct.wv_module", 0);
	memory_point(&context, offsetof(struct wv_ctx, module), &module);
}

/* The state, the machine and the instruction before it; and the instruction carried out by the machine. */
void begin_transfer(const struct form *f, unsigned width, unsigned kinds)
{
	bool plain = plainly();
	begin_state(SLOTS);
	run = (struct run){.form = f, .width = width};
	run.bmi1 = not_(eq(band(exec_load(now, &module, offsetof(struct wv_module, features), 4), bits(32, WARD_FEATURE_BMI1)), bits(32, 0)));
	make_immediate(f, width);
	make_instruction(f, width);
	run.loaded = input("loaded", 64);
	if (plain)
		make_plain_state(f);
	else
		make_state(f, kinds);
	before = run;
	machine_execute(&run);
	memcpy(before.read, run.read, sizeof before.read);
	before.taken = run.taken;
	if (f->op == WV_CMP && !plain) /* what a number is compared with is a pointer from which it is so far; the number is in a register */
		run.any[0] = kinds / KINDS == A_POINTER || f->operand[0].kind == WV_MEM ? difference_of(run.read[1], run.read[0]) : difference_of(run.read[0], run.read[1]);
}

/* Where registers and displacement are zero it is easily seen that there can be such an address. */
static term all_zero(void)
{
	term zero = bits(64, 0), all = eq(run.imm, zero);
	for (unsigned reg = 0; reg < WV_NREG; reg++)
		all = before.reg[reg] ? and_(all, eq(before.reg[reg], zero)) : all;
	return all;
}

void not_carried_out(void)
{
	run = before;
}

void end_transfer(const struct memory *was, term defined, bool told)
{
	now = &state_memory;
	if (plainly()) {
		claim_numbers();
	} else {
		struct value part_now = part_at();
		struct content part = content_load(&part_now);
		claim_registers();
		claim_flags(run.form, defined);
		claim("the part that was read", part_true(&part));
		if (about_sign(run.form))
			claim("the sign", sign_true());
		if (run.faults)
			claim("no fault", not_(run.faults));
		claim_value("what was read of it", &part, held_by(&part, bits(64, 0)), not_(eq(PART(sym), bits(32, 0))));
	}
	claim_nothing_else(was);
	prove_claims();
	if (!plainly() && told)
		possible(not_(reported));
	if (has_address(run.form))
		likely(all_zero());
	prove_hazards(not_(reported));
}

bool all_set(unsigned kinds)
{
	const unsigned first = kinds / KINDS, second = kinds % KINDS;
	return first != A_PART && first != NEITHER && second != A_PART && second != NEITHER;
}

static term defined_before;
static struct memory *memory_before;

void begin_step(const struct query *q, const struct form *f, unsigned kinds)
{
	take_operands(true, !form_moves(f) && strcmp(f->function, "wv_step_sign_rax") != 0); /* what that notes is what was written */
	begin_transfer(f, q->width, kinds);
	defined_before = exec_load(now, &state, offsetof(struct wv_state, flags.defined), 1);
	memory_before = memory_copy(now);
}

void run_step(const struct query *q, const struct form *f)
{
	const char *entry = exec_entry("wv_step", "table", f->op);
	struct value args[] = {context, state, instruction};
	prove("the table's function", truth(entry && strcmp(entry, q->function) == 0));
	call_function(q, args, now);
	now = &state_memory;
}

void end_step(unsigned kinds)
{
	end_transfer(memory_before, defined_before, all_set(kinds));
	memory_free(memory_before);
}

term register_before(unsigned reg)
{
	return before.reg[reg];
}

void build_transfer(const struct query *q)
{
	const struct form *f = &forms[q->op / ROWS];
	unsigned kinds = (unsigned)q->op % ROWS;
	begin_step(q, f, kinds);
	run_step(q, f);
	end_step(kinds);
}

/* assume_value(st, cond, v), of one thing that is known to be one of two: where the flags say so it is true, and what *v holds it still has. */
void build_assume_choice(const struct query *q)
{
	begin_transfer(&nothing_at_all, 64, 0);
	const size_t at = offsetof(struct wv_state, choice);
	struct value side[2] = {field_of(&state, at + offsetof(struct wv_choice, a)), field_of(&state, at + offsetof(struct wv_choice, b))}, v = exec_struct(now, "struct.wv_val", 0);
	struct value is_at = field_of(&state, at + offsetof(struct wv_choice, is));
	exec_store(now, &state, offsetof(struct wv_state, n_choices), bits(32, 1));
	struct content held = given_about(&v, fresh(64), true), is = given_about(&is_at, fresh(64), true);
	term chosen[2], condition = machine_condition(&run.flags, (enum wv_cond)q->op);
	assume(has_number(&held.h));
	assume(implies(and_(eq(is.h.sym, held.h.sym), eq(is.h.add, held.h.add)), eq(is.h.x, held.h.x))); /* one identity, one number */
	for (unsigned i = 0; i < 2; i++) {
		term sym = exec_load(now, &side[i], offsetof(struct wv_val, sym), 4), by = exec_load(now, &side[i], offsetof(struct wv_val, add), 8), x = fresh(64);
		term lsym = exec_load(now, &side[i], offsetof(struct wv_val, lsym), 4), low_by = exec_load(now, &side[i], offsetof(struct wv_val, ladd), 4);
		define_identity(sym, difference_of(x, by), lsym, difference_of(extract(31, 0, x), low_by), false);
		struct content c = content_load(&side[i]);
		ask_about(&c.h.n, c.h.x);
		assume(and_(is_whole(&c), has_number(&c.h)));
		chosen[i] = and_(equation(is.h.x, c.h.x), member(&c.h.n, c.h.x));
	}
	assume(or_(chosen[0], chosen[1]));
	run.taken = chosen[0];
	struct memory *was = memory_copy(now);
	struct value args[] = {state, exec_bits(bits(32, (unsigned)q->op)), v}, told = call_function(q, args, now);
	now = &state_memory;
	struct content after = content_load(&v);
	same_member(&after.h.n, held.h.x);
	prove("that it is so", implies(condition, returned_true(&told)));
	prove("a member", implies(and_(condition, returned_true(&told)), member(&after.h.n, held.h.x)));
	prove("a valid number", implies(returned_true(&told), valid(&after.h.n)));
	possible(condition);
	prove_claims();
	prove_hazards(truth(true));
	memory_free(was);
}

static term same_scalar(const struct value *a, struct value b, uint64_t offset, unsigned bytes)
{
	return eq(exec_load(now, a, offset, bytes), exec_load(now, &b, offset, bytes));
}

/* wv_read_operand, wv_read_reg: what is there. wv_write_operand, wv_write_reg: what any value that is written makes of it. */
void build_operand(const struct query *q)
{
	const struct form *f = &operand_forms[q->op / ROWS];
	bool write = strncmp(q->function, "wv_write", 8) == 0, by_register = strstr(q->function, "_reg") != NULL;
	unsigned width = q->width;
	take_operands(false, false);
	begin_transfer(f, width, (unsigned)q->op % ROWS);
	term defined = exec_load(now, &state, offsetof(struct wv_state, flags.defined), 1), reg = bits(32, f->operand[0].reg), w = bits(32, width), zero = bits(32, 0);
	struct value v = exec_struct(now, "struct.wv_val", 0);
	if (!write && !plainly()) /* the part that is read may have been read before */
		same_members(&part_before.h.n, part_before.h.x, run.read[0], truth(true));
	if (write && !plainly()) {
		struct content given = given_value(&v);
		term x = low_zext(before.loaded, width);
		assume(eq(held_by(&given, x), x));
		if (width < 64)
			assume(is_kind(&given, WV_NUM));
	}
	struct memory *was = memory_copy(now);
	struct value read[] = {v, context, state, instruction, exec_bits(by_register ? reg : zero), exec_bits(w)};
	struct value written[] = {context, state, instruction, exec_bits(by_register ? reg : zero), by_register ? exec_bits(w) : v, v};
	call_function(q, write ? written : read, now);
	now = &state_memory;
	if (!write && plainly()) {
		struct value n = field_of(&v, offsetof(struct wv_val, n));
		struct number r = number_load(now, &n);
		claim("a member", member(&r, run.read[0]));
	} else if (!write) {
		struct content r = content_load(&v);
		claim_value("what is read", &r, run.read[0], truth(true));
		struct content from = register_now(WV_RCX);
		for (unsigned i = 0; width == 64 && f->operand[0].kind == WV_REG && i < object_at(v.place[0].object)->n_cells; i++)
			claim("the value of the register", same_scalar(&v, register_at(WV_RCX), object_at(v.place[0].object)->cell[i].offset, object_at(v.place[0].object)->cell[i].bytes));
		claim("a register that is set", f->operand[0].kind == WV_REG ? has_number(&from.h) : truth(true));
		if (width == 32 && f->operand[0].kind != WV_MEM)
			claim("no more than its width", within_width(&r.h.n, width));
		claim("a number or a pointer", width < 64 || f->operand[0].kind == WV_IMM ? is_kind(&r, WV_NUM) : has_number(&r.h));
	} else if (f->operand[0].kind == WV_REG && !f->operand[0].high && !plainly()) {
		struct content r = register_now(f->operand[0].reg);
		claim("a number", implies(width < 32 ? truth(true) : eq(exec_load(now, &v, offsetof(struct wv_val, kind), 1), bits(8, WV_NUM)), is_kind(&r, WV_NUM)));
	}
	end_transfer(was, defined, all_set((unsigned)q->op % ROWS));
	memory_free(was);
}
