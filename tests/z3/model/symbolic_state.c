/* SPDX-License-Identifier: Apache-2.0 */
#include "symbolic_state.h"

#include <stddef.h>
#include <stdio.h>

#include "tests/z3/engine/facts.h"
#include "verifier/domain/state.h"

enum { MAX_SYMBOLS = 400 };

static struct family {
	const char *prefix;
	unsigned width, n;
	struct {
		term name, number;
		bool shared;
	} symbol[MAX_SYMBOLS];
} whole = {.prefix = "S", .width = 64}, low = {.prefix = "L", .width = 32}, bases = {.prefix = "B", .width = 64},
  entries = {.prefix = "E", .width = 64};

void world_clear(void)
{
	whole.n = low.n = bases.n = entries.n = 0;
}

static term number_of(struct family *f, term name)
{
	term when, yes, no;
	char full[20];
	if (is_choice(name, &when, &yes, &no))
		return ite(when, number_of(f, yes), number_of(f, no));
	for (unsigned i = 0; i < f->n; i++) {
		if (f->symbol[i].name == name)
			return f->symbol[i].number;
	}
	if (f->n == MAX_SYMBOLS)
		give_up("too many symbols");
	snprintf(full, sizeof full, "%s%u", f->prefix, f->n);
	term number = input(full, f->width);
	for (unsigned i = 0; i < f->n; i++) {
		term same = implies(eq(name, f->symbol[i].name), eq(number, f->symbol[i].number));
		if (number_by_name)
			assume_near(same);
		else
			define(same);
	}
	f->symbol[f->n].name = name;
	f->symbol[f->n].shared = false;
	f->symbol[f->n++].number = number;
	return number;
}

term symbol_number(term name)
{
	return number_of(&whole, name);
}

term low_symbol_number(term name)
{
	return number_of(&low, name);
}

term region_base(term region)
{
	return number_of(&bases, region);
}

term entry_value(term reg)
{
	return number_of(&entries, reg);
}

static void add_symbol(struct family *f, term name, term number)
{
	if (f->n == MAX_SYMBOLS)
		give_up("too many symbols");
	for (unsigned i = 0; i < f->n; i++)
		assume_near(not_(eq(name, f->symbol[i].name)));
	f->symbol[f->n].name = name;
	f->symbol[f->n].shared = false;
	f->symbol[f->n++].number = number;
}

/* A symbol of which it is known what it stands for, but not which it is. */
static void define_symbol(struct family *f, term name, term number, bool shared)
{
	for (unsigned i = 0; i < f->n; i++) {
		if (f->symbol[i].name == name)
			return;
	}
	if (f->n == MAX_SYMBOLS)
		give_up("too many symbols");
	for (unsigned i = 0; i < f->n; i++) {
		if (shared && f->symbol[i].shared)
			assume_near(implies(eq(name, f->symbol[i].name), eq(number, f->symbol[i].number)));
	}
	f->symbol[f->n].name = name;
	f->symbol[f->n].shared = shared;
	f->symbol[f->n++].number = number;
}

void define_identity(term sym, term number, term lsym, term low_number, bool shared)
{
	define_symbol(&whole, sym, number, shared);
	define_symbol(&low, lsym, low_number, shared);
}

/* Of a choice that of each side, so that it is compared side by side with what it was made of. */
static term lower_half_of(term number)
{
	term when, yes, no;
	return number_by_name && is_choice(number, &when, &yes, &no) ? ite(when, lower_half_of(yes), lower_half_of(no))
								     : extract(31, 0, number);
}

term new_symbol(term number)
{
	term name = fresh(32);
	assume_near(not_(eq(name, bits(32, 0))));
	add_symbol(&whole, name, number);
	add_symbol(&low, name, lower_half_of(number));
	return name;
}

term choose2(term f(term, term), term a, term b)
{
	term when, on, a_yes = a, a_no = a, b_yes = b, b_no = b;
	bool choice_a = is_choice(a, &when, &a_yes, &a_no),
	     choice_b = is_choice(b, choice_a ? &on : &when, &b_yes, &b_no);
	if (choice_a && choice_b && on != when)
		b_yes = b_no = b;
	return choice_a || choice_b ? ite(when, choose2(f, a_yes, b_yes), choose2(f, a_no, b_no)) : f(a, b);
}

struct value field_of(const struct value *where, uint64_t offset)
{
	struct value v = *where;
	for (unsigned i = 0; i < v.n; i++)
		v.place[i].offset += offset;
	return v;
}

term is_pointer_to(const struct value *p, const struct value *at)
{
	term is = truth(false);
	for (unsigned k = 0; k < p->n; k++) {
		if (p->place[k].object == at->place[0].object && p->place[k].offset == at->place[0].offset)
			is = or_(is, p->place[k].when);
	}
	return is;
}

term not_null(const struct value *p)
{
	term is = truth(false);
	for (unsigned k = 0; k < p->n; k++)
		is = or_(is, p->place[k].when);
	return is;
}

struct held held_load(const struct memory *m, const struct value *where, uint64_t offset)
{
	struct value at = field_of(where, offset), n = field_of(&at, offsetof(struct wv_val, n));
	struct held h = {
		.kind = exec_load(m, &at, offsetof(struct wv_val, kind), 1),
		.sym = exec_load(m, &at, offsetof(struct wv_val, sym), 4),
		.add = exec_load(m, &at, offsetof(struct wv_val, add), 8),
		.lsym = exec_load(m, &at, offsetof(struct wv_val, lsym), 4),
		.ladd = exec_load(m, &at, offsetof(struct wv_val, ladd), 4),
		.n = number_load(m, &n),
	};
	h.x = choose2(add, symbol_number(h.sym), h.add);
	return h;
}

term has_number(const struct held *h)
{
	return or_(eq(h->kind, bits(8, WV_NUM)), eq(h->kind, bits(8, WV_PTR)));
}

term well_kept(const struct held *h)
{
	term none = bits(32, 0), has = has_number(h), named = and_(not_(eq(h->sym, none)), not_(eq(h->lsym, none)));
	return and_(implies(has, and_(named, valid(&h->n))), implies(not_(has), eq(h->sym, none)));
}

term holds_number(const struct held *h)
{
	return implies(has_number(h), member(&h->n, h->x));
}

/* The side of a choice by `when`, or all that there is. */
static term side_of(term t, term when, bool yes)
{
	term on, a, b;
	return is_choice(t, &on, &a, &b) && on == when ? (yes ? a : b) : t;
}

static term is_low_identity(term x, term low_number, term ladd)
{
	term when, yes, no;
	bool choice = number_by_name && (is_choice(x, &when, &yes, &no) || is_choice(low_number, &when, &yes, &no) ||
						is_choice(ladd, &when, &yes, &no));
	if (choice)
		return ite(when,
			is_low_identity(
				side_of(x, when, true), side_of(low_number, when, true), side_of(ladd, when, true)),
			is_low_identity(
				side_of(x, when, false), side_of(low_number, when, false), side_of(ladd, when, false)));
	term same = eq(extract(31, 0, x), add(low_number, ladd));
	return number_by_name ? name_of(same) : same;
}

term holds_identity_of(const struct held *h)
{
	return is_low_identity(h->x, low_symbol_number(h->lsym), h->ladd);
}

term holds_identity(const struct held *h)
{
	return implies(has_number(h), holds_identity_of(h));
}

term holds(const struct held *h)
{
	return and_(holds_number(h), holds_identity(h));
}
