/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the callees of a transfer function promise (transfer.c): those that make any number, those that access memory,
 * and which of them is called.
 */
#include <string.h>

#include "tests/z3/engine/facts.h"
#include "tests/z3/engine/memory.h"
#include "transfer_parts.h"

/* ---- numbers that may be anything ---- */

term any_is; /* NULL: what the machine has next */
unsigned n_any;

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

/*
 * What is left of x by a shift, of the least and the most that it may be. Of these comparisons all that is known is the
 * law.
 */
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
	term min = c->args[1].part[0], max = c->args[2].part[0], x = next_any(), zero = bits(64, 0),
	     in_order = by_name(ule(min, max));
	uint64_t least, most;
	use_rests(c, min, max, x);
	r = answer_number(c, 0, x, truth(true), and_(by_name(ule(min, x)), by_name(ule(x, max))));
	/* all of so many bits */
	if (is_number(min, &least) && is_number(max, &most) && least == 0 && (most & (most + 1)) == 0)
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

/* ---- memory ---- */

void report_or(const struct called *c, term t)
{
	term told = fresh_bool();
	assume(implies(not_(told), t));
	reported = or_(reported, and_(c->guard, told));
}

term holds_now[WV_NREG]; /* what registers hold on the way: the machine's own words are for the end */

bool has_address(const struct form *f)
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

/*
 * struct wv_val wv_load(ctx, st, insn, bytes): a value that tells the truth; of less than eight bytes it is a number.
 */
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
void call_store(const struct called *c)
{
	unsigned bytes = constant_at(c, 3);
	struct content v = content_load(&c->args[4]);
	term x = held_by(&v, run.stored), low_x = low_zext(x, 8 * bytes), stored = low_zext(run.stored, 8 * bytes),
	     same = bytes == 8 ? same_sum(x, stored) : eq(low_x, stored);
	claim("the address", implies(c->guard, address_stays()));
	claim("what is stored", implies(c->guard, same));
	/* which is the same, of sums as they are written; flags are of these */
	assume(implies(same, eq(low_x, stored)));
	claim("a value that is stored",
		implies(c->guard, and_(is_whole(&v), and_(has_its_number(&v), holds_identity(&v.h)))));
}

/* void wv_push(ctx, st, insn, v) */
static void call_push(const struct called *c)
{
	struct content v = content_load(&c->args[3]);
	claim("what is pushed",
		implies(c->guard, and_(eq(held_by(&v, run.stored), run.stored), and_(is_whole(&v), holds(&v.h)))));
}

/* struct wv_val wv_pop(ctx, st, insn): a value that tells the truth. */
static void call_pop(const struct called *c)
{
	struct value at = c->args[0], new = exec_struct(c->memory, "struct.wv_val", 0);
	struct content v = given_value(&new);
	assume(eq(held_by(&v, run.loaded), run.loaded));
	memory_copy_bytes(c->memory, &at, &new, sizeof(struct wv_val));
}

/* ---- which of them is called ---- */

static bool nothing(const char *name)
{
	static const char *const list[] = {
		"wv_val_print", "wv_flags_print", "ward_register_name", "ward_feature_name", "snprintf"};
	for (unsigned i = 0; i < sizeof list / sizeof list[0]; i++) {
		if (strcmp(list[i], name) == 0)
			return true;
	}
	return false;
}

static const struct promise others[] = {
	{"wv_num_range", call_range, false},
	{"wv_load", call_load, false},
	{"wv_store", call_store, true},
	{"wv_push", call_push, false},
	{"wv_pop", call_pop, false},
	{"wv_val_add", call_val_add, false},
	{"wv_val_sub", call_val_sub, false},
	{"wv_address", call_sum_of_registers, false},
	{"with_carry", call_with_carry, false},
	{"carry_sum", call_carry_sum, false},
	{NULL, NULL, false},
};

static const struct promise *find(const char *name)
{
	static const struct promise *const lists[] = {operations, tellings, others};
	for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		for (const struct promise *p = lists[i]; p->function; p++) {
			if (strcmp(p->function, name) == 0)
				return p;
		}
	}
	return NULL;
}

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
	const struct promise *p = find(name);
	if (p) {
		if (plainly() && !p->tells)
			return false;
		/* it is run, and does nothing */
		if (strcmp(name, "wv_quotient_product") == 0 && constant_at(&c, 1) < 32)
			return false;
		if (!plainly())
			p->call(&c);
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
