/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of values (state.c's wv_val_add and wv_val_sub), and addresses (mem.c's wv_address), which are sums of
 * registers, multiples of registers and a displacement.
 *
 * What they promise of values that are true of the machine: their result is true of the sum. It is a pointer into the
 * same region if one value is a pointer and the other, which is added, a number; otherwise it is a number. Of an
 * address they promise that, unless something is reported, all its registers are set.
 */
#include <stddef.h>
#include <string.h>

#include "tests/z3/engine/facts.h"
#include "tests/z3/engine/memory.h"
#include "transfer.h"

/* ---- calls ---- */

/*
 * struct wv_val wv_val_add(ctx, a, b), wv_val_sub(ctx, a, b): what holds the sum is a pointer into the same region, or
 * a number.
 */
struct kind_of_sum {
	term kind, region;
};

static struct kind_of_sum kind_of_sum(const struct content *a, const struct content *b, bool subtracts)
{
	term second = subtracts ? truth(false) : and_(is_kind(a, WV_NUM), is_kind(b, WV_PTR)),
	     first = and_(is_kind(a, WV_PTR), is_kind(b, WV_NUM));
	return (struct kind_of_sum){
		ite(or_(first, second), bits(8, WV_PTR), bits(8, WV_NUM)), ite(second, b->region, a->region)};
}

static void call_val_sum(const struct called *c, bool subtracts)
{
	struct value to = c->args[0], new = exec_struct(c->memory, "struct.wv_val", 0);
	struct content v[2];
	term x[2];
	for (unsigned i = 0; i < 2; i++) {
		v[i] = content_load(&c->args[2 + i]);
		x[i] = held_by(&v[i], bits(64, 0));
		claim("a value for a callee",
			implies(c->guard, and_(and_(has_number(&v[i].h), is_whole(&v[i])),
						  and_(has_its_number(&v[i]), holds_identity(&v[i].h)))));
	}
	struct kind_of_sum is = kind_of_sum(&v[0], &v[1], subtracts);
	term sum = subtracts ? difference_of(x[0], x[1]) : sum_of(x[0], x[1]);
	exec_store(c->memory, &new, offsetof(struct wv_val, kind), is.kind);
	exec_store(c->memory, &new, offsetof(struct wv_val, region), is.region);
	given_about(&new, same_sums(ite(eq(is.kind, bits(8, WV_PTR)), difference_of(sum, region_base(is.region)), sum)),
		true);
	memory_copy_bytes(c->memory, &to, &new, sizeof(struct wv_val));
}

void call_val_add(const struct called *c)
{
	call_val_sum(c, false);
}

void call_val_sub(const struct called *c)
{
	call_val_sum(c, true);
}

/* What the registers of an address hold: base, or zero, and the index, or its multiple, which is a number. */
static struct kind_of_sum kind_of_address(const struct wv_mem *m)
{
	struct content base = register_now(m->base != WV_NOREG ? m->base : m->index),
		       index = register_now(m->index != WV_NOREG ? m->index : m->base);
	if (m->base == WV_NOREG)
		base.h.kind = bits(8, WV_NUM);
	if (m->index == WV_NOREG || m->scale != 1)
		index.h.kind = bits(8, WV_NUM);
	return kind_of_sum(&base, &index, false);
}

static term address_is(void)
{
	const struct wv_mem *m = &before.form->mem;
	term sum = bits(64, 0);
	if (m->base != WV_NOREG)
		sum = before.reg[m->base];
	if (m->index != WV_NOREG)
		sum = sum_of(sum, op2(Z3_mk_bvmul, before.reg[m->index], bits(64, m->scale)));
	return sum_of(sum, before.imm);
}

/* All registers of an address hold a number or a pointer. */
static term address_is_set(void)
{
	const uint8_t reg[] = {before.form->mem.base, before.form->mem.index};
	term set = truth(true);
	for (unsigned i = 0; i < 2; i++) {
		struct content c = reg[i] != WV_NOREG ? register_now(reg[i]) : (struct content){0};
		set = reg[i] != WV_NOREG ? and_(set, has_number(&c.h)) : set;
	}
	return set;
}

/* struct wv_val wv_address(ctx, st, insn) */
void call_sum_of_registers(const struct called *c)
{
	struct value to = c->args[0], new = exec_struct(c->memory, "struct.wv_val", 0);
	struct kind_of_sum is = kind_of_address(&before.form->mem);
	exec_store(c->memory, &new, offsetof(struct wv_val, kind), is.kind);
	exec_store(c->memory, &new, offsetof(struct wv_val, region), is.region);
	given_about(&new,
		same_sums(ite(eq(is.kind, bits(8, WV_PTR)), difference_of(address_is(), region_base(is.region)),
			address_is())),
		true);
	memory_copy_bytes(c->memory, &to, &new, sizeof(struct wv_val));
	report_or(c, address_is_set());
}

/* ---- statements ---- */

/* wv_address: any registers, times the scale, and any displacement. */
void build_address(const struct query *q)
{
	const struct form *f = &forms[q->op / ROWS];
	take_operands(true, false);
	begin_transfer(f, 64, (unsigned)q->op % ROWS);
	term defined = exec_load(now, &state, offsetof(struct wv_state, flags.defined), 1);
	struct value v = exec_struct(now, "struct.wv_val", 0);
	any_is = f->mem.index != WV_NOREG ? op2(Z3_mk_bvmul, before.reg[f->mem.index], bits(64, f->mem.scale)) : NULL;
	struct kind_of_sum is = kind_of_address(&f->mem);
	struct memory *was = memory_copy(now);
	struct value args[] = {v, context, state, instruction};
	call_function(q, args, now);
	now = &state_memory;
	struct content r = content_load(&v);
	if (plainly()) {
		claim("a member", implies(is_kind(&r, WV_NUM), member(&r.h.n, address_is())));
	} else {
		claim_value("what it is", &r, address_is(), truth(true));
		claim("a number, or a pointer", eq(r.h.kind, is.kind));
		claim("a region", implies(is_kind(&r, WV_PTR), eq(r.region, is.region)));
		claim("registers that are set", address_is_set());
	}
	not_carried_out();
	end_transfer(was, defined, all_set((unsigned)q->op % ROWS));
	memory_free(was);
}

/* Which of the values that are added are constants, or exact pointers: the row says so, and each case has one. */
static unsigned constants;        /* bit i */
static const struct value *added; /* NULL: nothing is added */

static bool constant_told(const char *name, const struct value *args, struct value *result)
{
	for (unsigned i = 0; added && i < 2 && strcmp(name, "wv_num_is_const") == 0; i++) {
		if (args[0].n == 1 && args[0].place[0].object == added[i].place[0].object) {
			*result = exec_bits(truth(constants >> i & 1));
			return true;
		}
	}
	return false;
}

static bool called_in_sum(
	const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	return (!plainly() && constant_told(name, args, result)) || called(name, args, m, guard, result);
}

/* wv_val_add, wv_val_sub: the sum and the difference of any two values. */
void build_val_sum(const struct query *q)
{
	const unsigned kinds[2] = {q->op & 4 ? A_POINTER : A_NUMBER, q->op & 8 ? A_POINTER : A_NUMBER};
	bool subtracts = strcmp(q->function, "wv_val_sub") == 0;
	begin_transfer(&nothing_at_all, 64, 0);
	struct value v[3];
	struct content c[2];
	term x[2], defined = exec_load(now, &state, offsetof(struct wv_state, flags.defined), 1);
	for (unsigned i = 0; i < 3; i++)
		v[i] = exec_struct(now, "struct.wv_val", 0);
	for (unsigned i = 0; i < 2; i++) {
		exec_store(now, &v[i], offsetof(struct wv_val, kind), kind_said(kinds[i]));
		c[i] = given_about(&v[i], fresh(64), true);
		x[i] = held_by(&c[i], bits(64, 0));
		term exact = and_(eq(c[i].h.n.umin, c[i].h.n.umax), eq(c[i].h.n.smin, c[i].h.n.umin));
		assume(q->op >> i & 1 ? exact : not_(exact));
	}
	if (!plainly()) /* one symbol, one number */
		assume(implies(eq(c[0].h.sym, c[1].h.sym),
			same_sum(difference_of(c[0].h.x, c[0].h.add), difference_of(c[1].h.x, c[1].h.add))));
	summarise_always(called_in_sum);
	constants = (unsigned)q->op & 3;
	added = v;
	any_is = subtracts ? difference_of(x[0], x[1]) : sum_of(x[0], x[1]);
	struct memory *was = memory_copy(now);
	struct value args[] = {v[2], context, v[0], v[1]};
	call_function(q, args, now);
	added = NULL;
	now = &state_memory;
	struct content r = content_load(&v[2]);
	claim_value("what it is", &r, any_is, truth(true));
	struct kind_of_sum is = kind_of_sum(&c[0], &c[1], subtracts);
	claim("a number, or a pointer", eq(r.h.kind, is.kind));
	claim("a region", implies(is_kind(&r, WV_PTR), eq(r.region, is.region)));
	end_transfer(was, defined, true);
	memory_free(was);
}
