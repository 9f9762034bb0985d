/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading and writing operands and registers (operand.c): what these functions promise, which other rows rely on, and
 * proofs that they keep it.
 */
#include <stddef.h>
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "tests/z3/engine/memory.h"
#include "transfer_parts.h"

/* ---- by their word ---- */

static bool reads_told;
bool writes_told;

void take_operands(bool reads, bool writes)
{
	reads_told = reads;
	writes_told = writes;
}

term kind_before[WV_NREG];

/*
 * A value that tells the truth of x, which has so many bits (0: it may be of any kind); pointers have all, and a
 * `number` is none.
 */
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
		term pointer = eq(exec_load(m, &new, offsetof(struct wv_val, kind), 1), bits(8, WV_PTR)),
		     region = exec_load(m, &new, offsetof(struct wv_val, region), 1);
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
		struct value part = exec_struct(c->memory, "struct.wv_part", 0),
			     at = field_of(&state, offsetof(struct wv_state, part)), is = part_at();
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
	struct content from =
		run.form->operand[i].kind == WV_REG ? register_now(run.form->operand[i].reg) : (struct content){0};
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
		claim("a number of that width",
			implies(c->guard, and_(is_kind(&v, WV_NUM), eq(low_zext(x, width), x))));
	term becomes = high ? concat(concat(extract(63, 16, old), extract(7, 0, x)), extract(7, 0, old))
			    : concrete_merge(old, x, width);
	holds_now[reg] = ite(c->guard, becomes, old);
	struct value at = register_at(reg);
	at.place[0].when = c->guard;
	struct content new = told_truth(c->memory, &at, becomes, 0, false);
	if (!high)
		assume(width < 32 ? is_kind(&new, WV_NUM) : implies(is_kind(&v, WV_NUM), is_kind(&new, WV_NUM)));
	term written = exec_load(c->memory, &context, offsetof(struct wv_ctx, written), 4),
	     bit = bits(32, UINT64_C(1) << reg);
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
	struct value args[] = {c->args[0], c->args[1], c->args[2],
		exec_bits(bits(32, operand_width(run.form, i, run.width) / 8)), c->args[4]};
	struct called store = {args, c->memory, c->guard, c->result};
	report_or(c, truth(true));
	if (o->kind == WV_MEM)
		call_store(&store);
	else
		write_register(c, o->reg, operand_width(run.form, i, run.width), o->high, &c->args[4]);
}

bool operand_told(const struct called *c, const char *name)
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

/* ---- that they do ---- */

static term same_scalar(const struct value *a, struct value b, uint64_t offset, unsigned bytes)
{
	return eq(exec_load(now, a, offset, bytes), exec_load(now, &b, offset, bytes));
}

/*
 * wv_read_operand, wv_read_reg: what is there. wv_write_operand, wv_write_reg: what any value that is written makes of
 * it.
 */
void build_operand(const struct query *q)
{
	const struct form *f = &operand_forms[q->op / ROWS];
	bool write = strncmp(q->function, "wv_write", 8) == 0, by_register = strstr(q->function, "_reg") != NULL;
	unsigned width = q->width;
	take_operands(false, false);
	begin_transfer(f, width, (unsigned)q->op % ROWS);
	term defined = exec_load(now, &state, offsetof(struct wv_state, flags.defined), 1),
	     reg = bits(32, f->operand[0].reg), w = bits(32, width), zero = bits(32, 0);
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
	if (write && by_register && !plainly()) { /* a register that is no number may be any: of that a part is kept */
		struct content old = register_now(f->operand[0].reg);
		any_is = held_by(&old, before.reg[f->operand[0].reg]);
	}
	struct memory *was = memory_copy(now);
	struct value read[] = {v, context, state, instruction, exec_bits(by_register ? reg : zero), exec_bits(w)};
	struct value written[] = {
		context, state, instruction, exec_bits(by_register ? reg : zero), by_register ? exec_bits(w) : v, v};
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
		for (unsigned i = 0;
			width == 64 && f->operand[0].kind == WV_REG && i < object_at(v.place[0].object)->n_cells; i++)
			claim("the value of the register",
				same_scalar(&v, register_at(WV_RCX), object_at(v.place[0].object)->cell[i].offset,
					object_at(v.place[0].object)->cell[i].bytes));
		claim("a register that is set", f->operand[0].kind == WV_REG ? has_number(&from.h) : truth(true));
		if (width == 32 && f->operand[0].kind != WV_MEM)
			claim("no more than its width", within_width(&r.h.n, width));
		claim("a number or a pointer",
			width < 64 || f->operand[0].kind == WV_IMM ? is_kind(&r, WV_NUM) : has_number(&r.h));
	} else if (f->operand[0].kind == WV_REG && !f->operand[0].high && !plainly()) {
		struct content r = register_now(f->operand[0].reg);
		claim("a number",
			implies(width < 32 ? truth(true)
					   : eq(exec_load(now, &v, offsetof(struct wv_val, kind), 1), bits(8, WV_NUM)),
				is_kind(&r, WV_NUM)));
	}
	end_transfer(was, defined, all_set((unsigned)q->op % ROWS));
	memory_free(was);
}
