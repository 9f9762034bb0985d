/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operand and operand with a carry (step_arith.c: with_carry, carried). adc and sbb write the result, and note its
 * distance from the first operand. The carry is in the processor's flags, and the state may know what set them; then
 * each value of the carry implies something of the operands too.
 *
 * What the two promise for any two numbers that contain x and y: with_carry is called for one value of the carry. If
 * the processor's carry has this value, with_carry says that it is possible, and its number contains x ± y ± carry.
 * carried is called for both values, and its number contains what the processor computes of x and y with the actual
 * carry.
 */
#include <stddef.h>
#include <string.h>

#include "tests/z3/engine/facts.h"
#include "transfer.h"

/* x + y + carry or x - y - carry, of this width. */
static term with(term x, term y, unsigned carry)
{
	term f = before.form->op == WV_ADC ? add(x, y) : sub(x, y), one = bits(64, 1);
	if (carry)
		f = before.form->op == WV_ADC ? add(f, one) : sub(f, one);
	return low_zext(f, before.width);
}

static term with_its_carry(term x, term y)
{
	return ite(before.taken, with(x, y, 0), with(x, y, 1));
}

static term carry_is(unsigned carry)
{
	return carry ? before.flags.cf : not_(before.flags.cf);
}

/* A number, valid, which tells the truth. */
static term tells_truth(const struct content *c)
{
	return and_(is_kind(c, WV_NUM), and_(well_kept(&c->h), and_(has_its_number(c), holds_identity(&c->h))));
}

/* ---- calls ---- */

/* What is asked about, of the flags that there are. */
static term operands(const struct called *c, unsigned flags, unsigned first, struct content *a, struct content *b)
{
	const struct place *at = &c->args[flags].place[0];
	if (c->args[flags].n != 1 || at->object != state.place[0].object ||
		at->offset != offsetof(struct wv_state, flags))
		give_up("other flags than the state's");
	*a = content_load(&c->args[first]);
	*b = content_load(&c->args[first + 1]);
	term fit = and_(tells_truth(a), tells_truth(b));
	claim("operands of a sum with a carry", implies(c->guard, fit));
	return fit;
}

/* bool with_carry(flags, insn, carry, a, b, n) */
void call_with_carry(const struct called *c)
{
	struct content a, b;
	unsigned carry = constant_at(c, 2);
	term fit = operands(c, 0, 3, &a, &b), told = fresh_bool(), given = and_(fit, carry_is(carry));
	struct number r = number_fresh();
	number_store(c->memory, &c->args[5], &r);
	ask_about(&r, with(a.h.x, b.h.x, carry));
	assume(implies(given, and_(told, member(&r, with(a.h.x, b.h.x, carry)))));
	assume(implies(and_(fit, told), valid(&r)));
	*c->result = exec_bits(told);
}

/* struct wv_num carried(flags, insn, a, b) */
void call_carry_sum(const struct called *c)
{
	struct content a, b;
	term fit = operands(c, 1, 3, &a, &b);
	answer_number(c, 0, with_its_carry(a.h.x, b.h.x), fit, truth(true));
}

/* ---- statements ---- */

static struct value operand_value[2];
static term operand_is[2];

/* A number and what it is; in a search and a replay no more than that. */
static void give_operand(unsigned i)
{
	const char *name = i ? "b" : "a";
	operand_value[i] = exec_struct(now, "struct.wv_val", 0);
	exec_store(now, &operand_value[i], offsetof(struct wv_val, kind), bits(8, WV_NUM));
	operand_is[i] = input(name, 64);
	if (plainly()) {
		struct number known = valid_number(name);
		struct value n = field_of(&operand_value[i], offsetof(struct wv_val, n));
		number_store(now, &n, &known);
		assume(member(&known, operand_is[i]));
	} else {
		operand_is[i] = given_about(&operand_value[i], operand_is[i], true).h.x;
	}
}

/* The flags and any two numbers, given to adc or sbb. */
static struct value flags_and_operands(unsigned op, unsigned width)
{
	unsigned i = 0;
	while (forms[i].op != op)
		i++;
	begin_transfer(&forms[i], width, 0);
	give_operand(0);
	give_operand(1);
	return field_of(&state, offsetof(struct wv_state, flags));
}

static void prove_sum(const struct value *at, term x, term is, term told)
{
	struct number r = number_load(now, at);
	if (!plainly())
		same_member(&r, x);
	prove_claims();
	prove("that it can be", implies(is, told));
	prove("a member", implies(is, member(&r, x)));
	prove("valid", implies(told, valid(&r)));
	possible(and_(is, not_(reported)));
	prove_hazards(truth(true));
}

/* bool with_carry(flags, insn, carry, a, b, n): q->op is the carry, 2 more for sbb. */
void build_with_carry(const struct query *q)
{
	unsigned carry = (unsigned)q->op & 1;
	struct value flags = flags_and_operands(q->op & 2 ? WV_SBB : WV_ADC, q->width), n = number_object(now, NULL);
	struct value args[] = {flags, instruction, exec_bits(bits(32, carry)), operand_value[0], operand_value[1], n},
		     told = call_function(q, args, now);
	now = &state_memory;
	prove_sum(&n, with(operand_is[0], operand_is[1], carry), carry_is(carry), returned_true(&told));
}

/* struct wv_num carried(flags, insn, a, b) */
void build_carry_sum(const struct query *q)
{
	struct value flags = flags_and_operands((unsigned)q->op, q->width), n = number_object(now, NULL);
	struct value args[] = {n, flags, instruction, operand_value[0], operand_value[1]};
	call_function(q, args, now);
	now = &state_memory;
	prove_sum(&n, with_its_carry(operand_is[0], operand_is[1]), truth(true), truth(true));
}
