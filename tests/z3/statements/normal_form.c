/* SPDX-License-Identifier: Apache-2.0 */
/* A normal form for sums and differences; see transfer.h. */
#include "transfer.h"

/*
 * Equal sums and differences get the same term: each addend appears once, ordered by number, times its factor. The
 * sides of a choice are written so too.
 */
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
	} else if (is_extract(t, &from) && from == 0 &&
		   (is_sum(operand(t, 0)) || is_difference(operand(t, 0), &a, &b))) {
		for (unsigned k = 0; k < 2 || k < is_sum(operand(t, 0)); k++)
			add_addend(s, extract(s->width - 1, 0, operand(operand(t, 0), k)),
				k && !is_sum(operand(t, 0)) ? 0 - times : times);
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
	bool choice_a = is_choice(a, &when, &a_yes, &a_no),
	     choice_b = is_choice(b, choice_a ? &other : &when, &b_yes, &b_no);
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
