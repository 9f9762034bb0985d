/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <stddef.h>
#include <stdio.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "verifier/domain/num.h"

/* A view more must be given a meaning here first. */
_Static_assert(sizeof(struct wv_num) == 80, "struct wv_num has changed");

const char *const view_name[N_VIEWS] = {
	"umin", "umax", "smin", "smax", "lumin", "lumax", "lsmin", "lsmax", "bits", "remainder"};

static const struct {
	const char *name;
	size_t in_number;
	uint8_t offset, bytes;
} fields[] = {
#define FIELD(f) {#f, offsetof(struct number, f), offsetof(struct wv_num, f), sizeof(((struct wv_num *)0)->f)}
	FIELD(umin),
	FIELD(umax),
	FIELD(smin),
	FIELD(smax),
	FIELD(lumin),
	FIELD(lumax),
	FIELD(lsmin),
	FIELD(lsmax),
	FIELD(known),
	FIELD(bits),
	FIELD(mod),
	FIELD(rem),
#undef FIELD
};
enum { N_FIELDS = sizeof fields / sizeof fields[0] };

static term *field(struct number *n, unsigned i)
{
	return (term *)((char *)n + fields[i].in_number);
}

struct number number_input(const char *name)
{
	struct number n;
	char full[64];
	for (unsigned i = 0; i < N_FIELDS; i++) {
		snprintf(full, sizeof full, "%s.%s", name, fields[i].name);
		*field(&n, i) = input(full, 8 * fields[i].bytes);
	}
	return n;
}

static bool changes_field(unsigned changes, unsigned i)
{
	static const uint8_t groups[N_FIELDS] = {1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 8, 8};
	return changes & groups[i];
}

struct number number_changed(const struct number *n, unsigned changes)
{
	struct number r = *n;
	for (unsigned i = 0; i < N_FIELDS; i++) {
		if (changes_field(changes, i))
			*field(&r, i) = fresh(8 * fields[i].bytes);
	}
	return r;
}

term number_unchanged(const struct number *before, const struct number *after, unsigned changes)
{
	struct number a = *before, b = *after;
	term all = truth(true);
	for (unsigned i = 0; i < N_FIELDS; i++) {
		if (!changes_field(changes, i))
			all = and_(all, eq(*field(&a, i), *field(&b, i)));
	}
	return all;
}

struct number number_fresh(void)
{
	struct number n;
	for (unsigned i = 0; i < N_FIELDS; i++)
		*field(&n, i) = fresh(8 * fields[i].bytes);
	return n;
}

struct number number_load(const struct memory *memory, const struct value *pointer)
{
	struct number n;
	for (unsigned i = 0; i < N_FIELDS; i++)
		*field(&n, i) = exec_load(memory, pointer, fields[i].offset, fields[i].bytes);
	return n;
}

void number_store(struct memory *memory, const struct value *pointer, const struct number *n)
{
	struct number copy = *n;
	for (unsigned i = 0; i < N_FIELDS; i++)
		exec_store(memory, pointer, fields[i].offset, *field(&copy, i));
}

struct value number_object(struct memory *memory, const struct number *n)
{
	uint8_t widths[N_FIELDS + 1] = {0};
	for (unsigned i = 0; i < N_FIELDS; i++)
		widths[i] = fields[i].bytes;
	struct value p = exec_object(memory, widths);
	if (n)
		number_store(memory, &p, n);
	return p;
}

bool number_is_unknown(const struct number *n)
{
	return is_variable(n->umin) && is_variable(n->smax) && is_variable(n->known);
}

/* Fields that some code narrowed one by one are no such choice; where paths meet nearly all fields differ. */
bool number_is_choice(const struct number *n, term *when, struct number *yes, struct number *no)
{
	struct number copy = *n;
	unsigned shared = 0;
	*when = NULL;
	*yes = *no = *n;
	for (unsigned i = 0; i < N_FIELDS; i++) {
		term on, a, b;
		if (!is_choice(*field(&copy, i), &on, &a, &b) || (*when && on != *when))
			continue;
		*when = on;
		*field(yes, i) = a;
		*field(no, i) = b;
		shared++;
	}
	return shared >= N_FIELDS / 2;
}

/* ---- what numbers mean ---- */

static term no_remainder(const struct number *n)
{
	return ule(n->mod, bits(64, 1));
}

static term meaning(enum view view, term a, term b, term x)
{
	term low = extract(31, 0, x);
	switch (view) {
	case VIEW_UMIN: return ule(a, x);
	case VIEW_UMAX: return ule(x, a);
	case VIEW_SMIN: return sle(a, x);
	case VIEW_SMAX: return sle(x, a);
	case VIEW_LUMIN: return ule(a, low);
	case VIEW_LUMAX: return ule(low, a);
	case VIEW_LSMIN: return sle(a, low);
	case VIEW_LSMAX: return sle(low, a);
	case VIEW_BITS: return eq(band(x, a), b);
	default: return or_(ule(a, bits(64, 1)), eq(rem(x, a), b));
	}
}

/*
 * Where statements follow from statements, what membership means need not be known. So each claim that x is in a view
 * has a name, a truth value, and its meaning is a fact of its own, used by the proof only if it has to be.
 */
enum { MAX_CLAIMS = 20000 };
static struct claim {
	enum view view;
	term a, b, x, name;
} claims[MAX_CLAIMS];

static struct claim *claim_at(enum view view, term a, term b, term x)
{
	uintptr_t hash = ((uintptr_t)a * 31 + (uintptr_t)b) * 31 + (uintptr_t)x * 7 + view;
	for (unsigned turn = 0; turn < MAX_CLAIMS; turn++) {
		struct claim *c = &claims[(hash / 8 + turn) % MAX_CLAIMS];
		if (!c->name || (c->view == view && c->a == a && c->b == b && c->x == x))
			return c;
	}
	give_up("too many claims");
}

static term claim(enum view view, term a, term b, term x)
{
	term when, other, a_yes = a, a_no = a, b_yes = b, b_no = b;
	struct claim *c = claim_at(view, a, b, x);
	if (c->name)
		return c->name;
	bool choice_a = is_choice(a, &when, &a_yes, &a_no),
	     choice_b = is_choice(b, choice_a ? &other : &when, &b_yes, &b_no);
	if (choice_a && choice_b && when != other)
		b_yes = b_no = b;
	term name;
	if (choice_a || choice_b)
		name = ite(when, claim(view, a_yes, b_yes, x), claim(view, a_no, b_no, x));
	else
		name = meaning(view, a, b, x);
	if (!choice_a && !choice_b && !is_true(name) && !is_false(name)) {
		term means = name;
		name = fresh_bool();
		define_name(name, means);
	}
	c = claim_at(view, a, b, x);
	*c = (struct claim){view, a, b, x, name};
	return name;
}

term in_view(const struct number *n, enum view view, term x)
{
	const term a[] = {n->umin, n->umax, n->smin, n->smax, n->lumin, n->lumax, n->lsmin, n->lsmax, n->known, n->mod};
	/* a bound is but one number */
	term b = view == VIEW_BITS ? n->bits : view == VIEW_REMAINDER ? n->rem : a[view];
	return term_replaying() || arith_exact ? meaning(view, a[view], b, x) : claim(view, a[view], b, x);
}

bool number_by_name;

/* f of a number and a value: of a choice the choice, of any other a name for it. */
static term named(const struct number *n, term f(const struct number *n, term x), term x)
{
	struct number yes, no;
	term when, x_yes, x_no;
	if (number_is_choice(n, &when, &yes, &no))
		return ite(when, named(&yes, f, x), named(&no, f, x));
	if (x && is_choice(x, &when, &x_yes, &x_no))
		return ite(when, named(n, f, x_yes), named(n, f, x_no));
	return name_of(f(n, x));
}

static term in_all_views(const struct number *n, term x)
{
	term all = truth(true);
	for (enum view v = 0; v < N_VIEWS; v++)
		all = and_(all, in_view(n, v, x));
	return all;
}

term member(const struct number *n, term x)
{
	return number_by_name ? named(n, in_all_views, x) : in_all_views(n, x);
}

term well_formed(const struct number *n)
{
	return and_(eq(band(n->bits, bnot(n->known)), bits(64, 0)), or_(no_remainder(n), ult(n->rem, n->mod)));
}

term intervals(const struct number *n)
{
	return and_(and_(ule(n->umin, n->umax), sle(n->smin, n->smax)),
		and_(ule(n->lumin, n->lumax), sle(n->lsmin, n->lsmax)));
}

static term is_valid(const struct number *n, term none)
{
	(void)none;
	return and_(intervals(n), well_formed(n));
}

term valid(const struct number *n)
{
	return number_by_name ? named(n, is_valid, NULL) : is_valid(n, NULL);
}

term narrower_view(const struct number *i, const struct number *o, enum view view)
{
	switch (view) {
	case VIEW_UMIN: return ule(o->umin, i->umin);
	case VIEW_UMAX: return ule(i->umax, o->umax);
	case VIEW_SMIN: return sle(o->smin, i->smin);
	case VIEW_SMAX: return sle(i->smax, o->smax);
	case VIEW_LUMIN: return ule(o->lumin, i->lumin);
	case VIEW_LUMAX: return ule(i->lumax, o->lumax);
	case VIEW_LSMIN: return sle(o->lsmin, i->lsmin);
	case VIEW_LSMAX: return sle(i->lsmax, o->lsmax);
	default: return truth(true);
	}
}

/* ---- concrete arithmetic ---- */

term low_zext(term x, unsigned width)
{
	return zext(extract(width - 1, 0, x), 64);
}

term low_sext(term x, unsigned width)
{
	return sext(extract(width - 1, 0, x), 64);
}

static term binary64(enum wv_op op, term x, term y)
{
	switch (op) {
	case WV_ADD: return add(x, y);
	case WV_SUB: return sub(x, y);
	case WV_AND: return band(x, y);
	case WV_OR: return bor(x, y);
	case WV_XOR: return bxor(x, y);
	case WV_IMUL: return product(x, y).low;
	default: give_up("no such operation");
	}
}

term concrete_binary(enum wv_op op, unsigned width, term x, term y)
{
	return low_zext(binary64(op, x, y), width);
}

term concrete_shift(enum wv_op op, unsigned width, term x, term count)
{
	term by = band(extract(width - 1, 0, count), bits(width, width == 64 ? 63 : 31)), a = extract(width - 1, 0, x),
	     r;
	/* Counts of 8 and 16 and more empty a narrow operand, or fill it with its sign, as Z3's shifts do. */
	switch (op) {
	case WV_SHL: r = shl(a, by); break;
	case WV_SHR: r = lshr(a, by); break;
	default: r = ashr(a, by); break;
	}
	return zext(r, 64);
}

term concrete_merge(term old, term low, unsigned width)
{
	return width >= 32 ? low_zext(low, width) : concat(extract(63, width, old), extract(width - 1, 0, low));
}

term concrete_cond(enum wv_cond cond, unsigned width, term x, term y)
{
	term a = extract(width - 1, 0, x), b = extract(width - 1, 0, y);
	switch (cond) {
	case WV_B: return ult(a, b);
	case WV_AE: return ule(b, a);
	case WV_E: return eq(a, b);
	case WV_NE: return not_(eq(a, b));
	case WV_BE: return ule(a, b);
	case WV_A: return ult(b, a);
	case WV_L: return slt(a, b);
	case WV_GE: return sle(b, a);
	case WV_LE: return sle(a, b);
	case WV_G: return slt(b, a);
	default: give_up("no such comparison");
	}
}
