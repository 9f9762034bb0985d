/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processor does, one function for each form: it says what becomes of the first operand and of the flags.
 * Flags that the manual calls undefined or doesn't mention may become anything. So may results that the verifier
 * doesn't follow; then what is proven holds whatever they are.
 */
#include "machine.h"

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "number.h"

static term low(term t, unsigned width)
{
	return low_zext(t, width);
}

static term top(term t, unsigned width)
{
	return eq(extract(width - 1, width - 1, t), bits(1, 1));
}

static term anything(unsigned width)
{
	return low(fresh(64), width);
}

unsigned operand_width(const struct form *f, unsigned i, unsigned width)
{
	return f->operand[i].width ? f->operand[i].width : width;
}

bool form_moves(const struct form *f)
{
	return f->op == WV_MOV || f->op == WV_XCHG || f->op == WV_PUSH || f->op == WV_POP;
}

/* A string instruction: its row is about any state. */
static bool is_string(const struct form *f)
{
	return f->op == WV_STOS || f->op == WV_MOVS;
}

static bool reads_first(const struct form *f)
{
	switch (f->op) {
	case WV_MOVZX:
	case WV_MOVSX:
	case WV_MOVSXD:
	case WV_POPCNT:
	case WV_LZCNT:
	case WV_BLSI:
	case WV_BLSMSK:
	case WV_BLSR:
	case WV_POP:
	case WV_SETCC: return false;
	case WV_SHLD:
	case WV_SHRD: return true;
	default: return !f->operand[2].kind;
	}
}

unsigned form_reads(const struct form *f, unsigned i)
{
	uint8_t list[5];
	unsigned n = 0;
	if (f->op == WV_LEA) {
		list[n++] = f->mem.base;
		list[n++] = f->mem.index;
	} else if (f->implied && !is_string(f)) {
		list[n++] = f->op == WV_MULX ? WV_RDX : WV_RAX;
	}
	for (unsigned k = reads_first(f) ? 0 : 1; k < 3; k++) {
		if (f->operand[k].kind == WV_REG && (f->op != WV_MULX || k == 2))
			list[n++] = f->operand[k].reg;
	}
	unsigned first = n && list[0] != WV_NOREG ? list[0] : n > 1 ? list[1] : WV_NOREG;
	unsigned second = n > 1 && list[1] != first ? list[1] : WV_NOREG;
	return i ? second : first;
}

/* ---- flags ---- */

static void any_flags(struct run *m)
{
	m->flags = (struct flags){fresh_bool(), fresh_bool(), fresh_bool(), fresh_bool(), fresh_bool()};
}

static void flags_of(struct run *m, term r)
{
	m->flags.zf = eq(low(r, m->width), bits(64, 0));
	m->flags.sf = top(r, m->width);
	m->flags.pf = fresh_bool();
}

static void flags_of_logic(struct run *m, term r)
{
	flags_of(m, r);
	m->flags.cf = m->flags.of = truth(false);
}

static void flags_of_sum(struct run *m, term a, term b, term r)
{
	unsigned w = m->width;
	flags_of(m, r);
	m->flags.cf = ult(low(r, w), low(b, w));
	m->flags.of = top(band(bxor(a, r), bxor(b, r)), w);
}

static void flags_of_difference(struct run *m, term a, term b, term r)
{
	unsigned w = m->width;
	flags_of(m, r);
	m->flags.cf = ult(low(a, w), low(b, w));
	m->flags.of = top(band(bxor(a, b), bxor(a, r)), w);
}

term machine_condition(const struct flags *f, enum wv_cond cond)
{
	term less = not_(eq(f->sf, f->of)), is;
	switch (cond & ~1u) {
	case WV_O: is = f->of; break;
	case WV_B: is = f->cf; break;
	case WV_E: is = f->zf; break;
	case WV_BE: is = or_(f->cf, f->zf); break;
	case WV_S: is = f->sf; break;
	case WV_P: is = f->pf; break;
	case WV_L: is = less; break;
	default: is = or_(less, f->zf); break;
	}
	return cond & 1 ? not_(is) : is;
}

/* ---- operands ---- */

static term value_of(const struct run *m, unsigned i)
{
	const struct operand_form *o = &m->form->operand[i];
	unsigned w = operand_width(m->form, i, m->width);
	switch (o->kind) {
	case WV_REG: return low(o->high ? lshr(m->reg[o->reg], bits(64, 8)) : m->reg[o->reg], w);
	case WV_MEM: return low(m->loaded, w);
	default: return low(m->imm, m->width);
	}
}

static void set_register(struct run *m, unsigned reg, unsigned width, term v)
{
	m->reg[reg] = concrete_merge(m->reg[reg], v, width);
}

static void set_operand(struct run *m, unsigned i, term v)
{
	const struct operand_form *o = &m->form->operand[i];
	unsigned w = operand_width(m->form, i, m->width);
	if (o->kind == WV_MEM)
		m->stored = low(v, w);
	else if (o->high)
		m->reg[o->reg] = concat(
			concat(extract(63, 16, m->reg[o->reg]), extract(7, 0, v)), extract(7, 0, m->reg[o->reg]));
	else
		set_register(m, o->reg, w, v);
}

static void result(struct run *m, term r)
{
	set_operand(m, 0, low(r, operand_width(m->form, 0, m->width)));
}

void machine_execute(struct run *m)
{
	for (unsigned i = 0; i < 3 && m->form->operand[i].kind; i++)
		m->read[i] = value_of(m, i);
	m->form->execute(m);
}

/* ---- moves ---- */

static void move(struct run *m)
{
	result(m, m->read[1]);
}

static void move_signed(struct run *m)
{
	result(m, low_sext(m->read[1], operand_width(m->form, 1, m->width)));
}

static void load_address(struct run *m)
{
	const struct wv_mem *at = &m->form->mem;
	term sum = m->imm; /* the displacement */
	if (at->base != WV_NOREG)
		sum = add(sum, m->reg[at->base]);
	if (at->index != WV_NOREG)
		sum = add(sum, op2(Z3_mk_bvmul, m->reg[at->index], bits(64, at->scale)));
	m->any[0] = low(sum, m->width); /* where some of it isn't set */
	result(m, sum);
}

static void exchange(struct run *m)
{
	set_operand(m, 0, m->read[1]);
	set_operand(m, 1, m->read[0]);
}

static void any_result(struct run *m)
{
	result(m, m->any[0] = anything(m->width));
}

/* Which of both shifted, and by how much, nobody asks. */
static void any_result_and_flags(struct run *m)
{
	any_result(m);
	any_flags(m);
}

static void push(struct run *m)
{
	m->stored = m->read[0];
}

static void pop(struct run *m)
{
	result(m, m->loaded);
}

/* Of 32 bits the upper half becomes zero, whether it moves or not. */
static void move_if(struct run *m)
{
	m->taken = machine_condition(&m->flags, (enum wv_cond)m->form->cond);
	m->any[0] = ite(m->taken, m->read[1], m->read[0]);
	result(m, m->any[0]);
}

static void extend_rax(struct run *m)
{
	set_register(m, WV_RAX, m->width, low(low_sext(m->reg[WV_RAX], m->width / 2), m->width));
}

static void sign_rax(struct run *m)
{
	set_register(m, WV_RDX, m->width, low(ashr(low_sext(m->reg[WV_RAX], m->width), bits(64, 63)), m->width));
}

static void time_stamp(struct run *m)
{
	static const uint8_t to[] = {WV_RAX, WV_RDX, WV_RCX};
	for (unsigned i = 0; i < (m->form->op == WV_RDTSCP ? 3 : 2); i++)
		set_register(m, to[i], 32, m->any[i] = anything(32));
}

static void set_if(struct run *m)
{
	m->any[0] = ite(machine_condition(&m->flags, (enum wv_cond)m->form->cond), bits(64, 1), bits(64, 0));
	result(m, m->any[0]);
}

/* ---- sums and logic ---- */

static void add_(struct run *m)
{
	term a = m->read[0], b = m->read[1], r = low(add(a, b), m->width);
	result(m, r);
	flags_of_sum(m, a, b, r);
}

static void subtract(struct run *m)
{
	term a = m->read[0], b = m->read[1], r = low(sub(a, b), m->width);
	if (m->form->op != WV_CMP)
		result(m, r);
	flags_of_difference(m, a, b, r);
}

/* The second operand becomes what the first held, then the first the sum. */
static void exchange_add(struct run *m)
{
	term a = m->read[0], b = m->read[1], r = low(add(a, b), m->width);
	set_operand(m, 1, a);
	result(m, r);
	flags_of_sum(m, a, b, r);
}

/* What the carry and the overflow of three numbers are nobody asks. */
static void add_carry(struct run *m)
{
	term a = m->read[0], b = m->read[1], one = bits(64, 1), zero = bits(64, 0), carry = m->flags.cf, r;
	bool same = m->form->operand[0].kind == m->form->operand[1].kind &&
		    m->form->operand[0].reg == m->form->operand[1].reg;
	m->taken = not_(carry);
	if (m->form->op == WV_SBB && same) { /* -1 or 0 */
		m->any[0] = ite(carry, bits(64, UINT64_MAX), zero);
		r = low(m->any[0], m->width);
	} else if (m->form->op == WV_SBB) {
		r = m->any[0] = ite(m->taken, low(sub(a, b), m->width), low(sub(sub(a, b), one), m->width));
	} else {
		r = m->any[0] = ite(m->taken, low(add(a, b), m->width), low(add(add(a, b), one), m->width));
	}
	any_flags(m);
	m->flags.zf = eq(r, zero);
	m->flags.sf = top(r, m->width);
	result(m, r);
}

/* What keeps its value may lose its upper half all the same, if it has 32 bits, or not. */
static void compare_exchange(struct run *m)
{
	unsigned w = m->width, reg = m->form->operand[0].reg, written = w == 32 ? 64 : w;
	bool memory = m->form->operand[0].kind == WV_MEM;
	term rax = low(m->reg[WV_RAX], w), a = m->read[0], same = eq(rax, a);
	flags_of_difference(m, rax, a, low(sub(rax, a), w));
	if (memory) {
		m->any[0] = m->stored = ite(same, m->read[1], a);
	} else {
		m->any[0] = ite(same, m->read[1], low(ite(fresh_bool(), m->reg[reg], a), written));
		set_register(m, reg, written, m->any[0]);
	}
	m->any[1] = low(ite(same, ite(fresh_bool(), m->reg[WV_RAX], low(m->reg[WV_RAX], w)), a), written);
	set_register(m, WV_RAX, written, m->any[1]);
}

static void negate(struct run *m)
{
	term zero = bits(64, 0), r = low(sub(zero, m->read[0]), m->width);
	flags_of_difference(m, zero, m->read[0], r);
	result(m, r);
}

static void step(struct run *m)
{
	term one = bits(64, 1), carry = m->flags.cf, a = m->read[0],
	     r = low(m->form->op == WV_INC ? add(a, one) : sub(a, one), m->width);
	if (m->form->op == WV_INC)
		flags_of_sum(m, a, one, r);
	else
		flags_of_difference(m, a, one, r);
	m->flags.cf = carry;
	result(m, r);
}

static void logic(struct run *m)
{
	term a = m->read[0], b = m->read[1], r;
	switch (m->form->op) {
	case WV_OR: r = bor(a, b); break;
	case WV_XOR: r = bxor(a, b); break;
	default: r = band(a, b); break;
	}
	if (m->form->op != WV_TEST)
		result(m, r);
	flags_of_logic(m, r);
}

static void complement(struct run *m)
{
	result(m, bnot(m->read[0]));
}

static void and_not(struct run *m)
{
	term r = band(low(bnot(m->read[1]), m->width), m->read[2]);
	result(m, r);
	flags_of_logic(m, r);
}

/* ---- products ---- */

/* What a product is: of the same two numbers the same one. */
static void make_product(struct run *m, term x, term y)
{
	m->x = x;
	m->y = y;
	m->made[0] = anything(m->width);
	m->made[1] = anything(m->width);
	any_flags(m);
}

static void multiply(struct run *m)
{
	unsigned first = m->form->operand[2].kind ? 1 : 0;
	make_product(m, m->read[first], m->read[first + 1]);
	result(m, m->made[0]);
}

static void multiply_rax(struct run *m)
{
	make_product(m, low(m->reg[WV_RAX], m->width), m->read[0]);
	if (m->width == 8) {
		set_register(m, WV_RAX, 16, bor(shl(m->made[1], bits(64, 8)), m->made[0]));
		return;
	}
	set_register(m, WV_RAX, m->width, m->made[0]);
	set_register(m, WV_RDX, m->width, m->made[1]);
}

static void multiply_rdx(struct run *m)
{
	struct flags before = m->flags;
	make_product(m, low(m->reg[WV_RDX], m->width), m->read[2]);
	m->flags = before;
	set_operand(m, 1, m->made[0]);
	set_operand(m, 0, m->made[1]);
}

/* ---- quotients ---- */

/* What they are, and when there is none; of the same numbers the same. */
static void divide(struct run *m)
{
	m->faults = fresh_bool();
	m->made[0] = anything(m->width);
	m->made[1] = anything(m->width);
	any_flags(m);
	if (m->width == 8) {
		set_register(m, WV_RAX, 16, bor(shl(m->made[1], bits(64, 8)), m->made[0]));
		return;
	}
	set_register(m, WV_RAX, m->width, m->made[0]);
	set_register(m, WV_RDX, m->width, m->made[1]);
}

/* ---- shifts and bits ---- */

static term count_of(const struct run *m, term count)
{
	return band(count, bits(64, m->width == 64 ? 63 : 31));
}

/* By zero flags stay; the last bit that is shifted out, and what overflow is then, nobody asks. */
static void shift(struct run *m)
{
	struct flags before = m->flags;
	term r = concrete_shift((enum wv_op)m->form->op, m->width, m->read[0], m->read[1]),
	     none = eq(count_of(m, m->read[1]), bits(64, 0));
	flags_of(m, r);
	m->any[0] = sub(m->read[0], r);
	m->flags = (struct flags){ite(none, before.cf, fresh_bool()), ite(none, before.zf, m->flags.zf),
		ite(none, before.sf, m->flags.sf), ite(none, before.of, fresh_bool()),
		ite(none, before.pf, m->flags.pf)};
	result(m, r);
}

static void rotate(struct run *m)
{
	term none = eq(count_of(m, m->read[1]), bits(64, 0));
	m->any[0] = anything(m->width);
	m->flags.cf = ite(none, m->flags.cf, fresh_bool());
	m->flags.of = ite(none, m->flags.of, fresh_bool());
	result(m, ite(none, m->read[0], m->any[0]));
	m->any[0] = ite(none, m->read[0], m->any[0]);
}

static void shift_flagless(struct run *m)
{
	static const uint8_t as[WV_OP_COUNT] = {[WV_SARX] = WV_SAR, [WV_SHLX] = WV_SHL, [WV_SHRX] = WV_SHR};
	result(m, concrete_shift((enum wv_op)as[m->form->op], m->width, m->read[1], m->read[2]));
}

static void bit_test(struct run *m)
{
	term bit = shl(bits(64, 1), band(m->read[1], bits(64, m->width - 1))), a = m->read[0];
	struct flags before = m->flags;
	any_flags(m);
	m->flags.cf = not_(eq(band(a, bit), bits(64, 0)));
	m->flags.zf = before.zf;
	switch (m->form->op) {
	case WV_BTS: result(m, bor(a, bit)); break;
	case WV_BTR: result(m, band(a, bnot(bit))); break;
	case WV_BTC: result(m, bxor(a, bit)); break;
	default: break;
	}
}

static term leading(term x, unsigned width)
{
	return zext(clz(extract(width - 1, 0, x)), 64);
}

static term trailing(term x, unsigned width)
{
	return zext(ctz(extract(width - 1, 0, x)), 64);
}

/* tzcnt, or on other processors bsf; which of them the module's note says. */
static void count_trailing(struct run *m)
{
	unsigned written = m->width == 16 ? 16 : 64, reg = m->form->operand[0].reg;
	term zero = eq(m->read[1], bits(64, 0)), r = trailing(m->read[1], m->width),
	     bsf = and_(not_(m->bmi1), fresh_bool());
	m->any[0] = ite(and_(bsf, zero), low(ite(fresh_bool(), m->reg[reg], anything(written)), written), r);
	any_flags(m);
	m->flags.zf = ite(bsf, zero, eq(r, bits(64, 0)));
	m->flags.cf = ite(bsf, fresh_bool(), zero);
	set_register(m, reg, written, m->any[0]);
}

static void count_leading(struct run *m)
{
	term r = leading(m->read[1], m->width);
	any_flags(m);
	m->flags.zf = eq(r, bits(64, 0));
	result(m, r);
}

/* Of zero the destination stays as it was, or becomes anything. */
static void scan(struct run *m)
{
	unsigned written = m->width == 16 ? 16 : 64, reg = m->form->operand[0].reg;
	term zero = eq(m->read[1], bits(64, 0)),
	     r = m->form->op == WV_BSF ? trailing(m->read[1], m->width) : sub(bits(64, 63), clz(m->read[1]));
	m->any[0] = ite(zero, low(ite(fresh_bool(), m->reg[reg], anything(written)), written), r);
	any_flags(m);
	m->flags.zf = zero;
	set_register(m, reg, written, m->any[0]);
}

static void count_ones(struct run *m)
{
	m->x = m->read[1];
	m->made[0] = popcount(m->x);
	assume(ule(m->made[0], bits(64, m->width)));
	flags_of_logic(m, m->made[0]);
	m->flags.sf = fresh_bool();
	result(m, m->made[0]);
}

static void lowest(struct run *m)
{
	term s = m->read[1], one = bits(64, 1), r;
	switch (m->form->op) {
	case WV_BLSI: r = band(s, sub(bits(64, 0), s)); break;
	case WV_BLSMSK: r = bxor(s, sub(s, one)); break;
	default: r = band(s, sub(s, one)); break;
	}
	any_flags(m);
	m->flags.zf = eq(low(r, m->width), bits(64, 0));
	m->flags.sf = top(r, m->width);
	result(m, r);
}

static term lowest_bits(term a, term n)
{
	return ite(ule(bits(64, 64), n), a, band(a, sub(shl(bits(64, 1), n), bits(64, 1))));
}

static void pick(struct run *m)
{
	term s = m->read[1], first = low(m->read[2], 8), second = low(lshr(m->read[2], bits(64, 8)), 8);
	term r = m->form->op == WV_BZHI ? lowest_bits(s, first) : lowest_bits(lshr(s, first), second);
	any_flags(m);
	m->flags.zf = eq(low(r, m->width), bits(64, 0));
	m->flags.sf = m->form->op == WV_BZHI ? top(r, m->width) : fresh_bool();
	result(m, r);
}

/* Bits at the mask's places. */
static void deposit(struct run *m)
{
	m->x = m->read[2];
	m->made[0] = band(m->x, fresh(64));
	result(m, m->made[0]);
}

/* The bits at the mask's places, side by side: as many as it has ones. */
static void gather(struct run *m)
{
	m->x = m->read[2];
	m->made[0] = anything(m->width);
	assume(eq(lshr(m->made[0], popcount(m->x)), bits(64, 0)));
	result(m, m->made[0]);
}

void machine_nothing(struct run *m)
{
	(void)m;
}

/* ---- strings ---- */

/* Rcx elements, upwards: the direction flag is clear. */
static void repeat(struct run *m)
{
	term length = op2(Z3_mk_bvmul, m->reg[WV_RCX], bits(64, m->width / 8));
	m->reg[WV_RDI] = add(m->reg[WV_RDI], length);
	if (m->form->op == WV_MOVS)
		m->reg[WV_RSI] = add(m->reg[WV_RSI], length);
	m->reg[WV_RCX] = bits(64, 0);
}

/* ---- the forms ---- */

#define R(r) {WV_REG, WV_##r, 0, false}
#define RW(r, w) {WV_REG, WV_##r, w, false}
#define HIGH(r) {WV_REG, WV_##r, 8, true}
#define I {WV_IMM, 0, 0, false}
#define I8 {WV_IMM, 0, 8, false}
#define M {WV_MEM, 0, 0, false}
#define MW(w) {WV_MEM, 0, w, false}
#define ALL (W8 | W16 | W32 | W64)
#define MOST (W16 | W32 | W64)
#define OF(...) .operand = {__VA_ARGS__}
#define BOTH (1u << WV_RAX | 1u << WV_RDX)

/*
 * Two operands: registers, one register twice, an immediate. Where they stand otherwise is for those that read and
 * write operands; mov does it by itself.
 */
#define TWO(op, function, name, execute) \
	{WV_##op, function, name " r, r", ALL, execute, OF(R(RCX), R(RDX))}, \
		{WV_##op, function, name " r, itself", ALL, execute, OF(R(RCX), R(RCX))}, \
	{ \
		WV_##op, function, name " r, i", ALL, execute, OF(R(RCX), I) \
	}
#define ONE(op, function, name, execute) {WV_##op, function, name " r", ALL, execute, OF(R(RCX))}
#define SHIFT(op, name, execute) \
	{WV_##op, "wv_step_shift", name " r, cl", ALL, execute, OF(R(RDX), RW(RCX, 8))}, \
	{ \
		WV_##op, "wv_step_shift", name " r, i", ALL, execute, OF(R(RCX), I8) \
	}
#define DOUBLE(op, name) \
	{WV_##op, "wv_step_shift_double", name " r, r, cl", MOST, any_result_and_flags, \
		OF(R(RDX), R(RBX), RW(RCX, 8))}, \
	{ \
		WV_##op, "wv_step_shift_double", name " r, r, i", MOST, any_result_and_flags, OF(R(RCX), R(RDX), I8) \
	}
#define MOVE_IF(cc, name) \
	{WV_CMOV, "wv_step_cmov", "cmov" name " r, r", MOST, move_if, OF(R(RCX), R(RDX)), .cond = WV_##cc}, \
	{ \
		WV_CMOV, "wv_step_cmov", "cmov" name " r, itself", MOST, move_if, OF(R(RCX), R(RCX)), .cond = WV_##cc \
	}
#define ADDRESS(name, base, index, scale) \
	{WV_LEA, "wv_step_lea", name, WIDE, load_address, OF(R(RCX), M), 0, {base, index, scale, false, 0}, 0}

const struct form forms[] = {
	TWO(MOV, "wv_step_mov", "mov", move),
	{WV_MOV, "wv_step_mov", "mov h, r", W8, move, OF(HIGH(RCX), R(RDX))},
	{WV_MOV, "wv_step_mov", "mov r, h", W8, move, OF(R(RDX), HIGH(RDX))},
	{WV_MOV, "wv_step_mov", "mov r, m", ALL, move, OF(R(RCX), M)},
	{WV_MOV, "wv_step_mov", "mov m, r", ALL, move, OF(M, R(RCX))},
	{WV_MOVZX, "wv_step_movzx", "movzx r, 8", MOST, move, OF(R(RCX), RW(RDX, 8))},
	{WV_MOVZX, "wv_step_movzx", "movzx r, 16", WIDE, move, OF(R(RCX), RW(RDX, 16))},
	{WV_MOVZX, "wv_step_movzx", "movzx r, h", MOST, move, OF(R(RCX), HIGH(RDX))},
	{WV_MOVZX, "wv_step_movzx", "movzx r, m", MOST, move, OF(R(RCX), MW(8))},
	{WV_MOVSX, "wv_step_movsx", "movsx r, 8", MOST, move_signed, OF(R(RCX), RW(RDX, 8))},
	{WV_MOVSX, "wv_step_movsx", "movsx r, 16", WIDE, move_signed, OF(R(RCX), RW(RDX, 16))},
	{WV_MOVSX, "wv_step_movsx", "movsx r, m", MOST, move_signed, OF(R(RCX), MW(8))},
	{WV_MOVSXD, "wv_step_movsx", "movsxd r, r", W64, move_signed, OF(R(RCX), RW(RDX, 32))},
	{WV_MOVSXD, "wv_step_movsx", "movsxd r, m", W64, move_signed, OF(R(RCX), MW(32))},
	ADDRESS("lea b", WV_RDX, WV_NOREG, 1),
	ADDRESS("lea b+i", WV_RDX, WV_RBX, 1),
	ADDRESS("lea b+b", WV_RDX, WV_RDX, 1),
	ADDRESS("lea b+8i", WV_RDX, WV_RBX, 8),
	ADDRESS("lea 4i", WV_NOREG, WV_RBX, 4),
	MOVE_IF(B, "b"),
	MOVE_IF(G, "g"),
	{WV_PUSH, "wv_step_push", "push r", W64, push, OF(R(RCX))},
	{WV_POP, "wv_step_pop", "pop r", W64, pop, OF(R(RCX))},
	{WV_JMP_REG, "wv_step_jmp_register", "jmp r", W64, machine_nothing, OF(R(RCX))},
	{WV_JCC, "wv_step_jcc", "jb", W64, machine_nothing, .cond = WV_B},
	{WV_MOVBE, "wv_step_reverse", "movbe r, m", MOST, any_result, OF(R(RCX), M)},
	{WV_XCHG, "wv_step_xchg", "xchg r, r", ALL, exchange, OF(R(RCX), R(RDX))},
	{WV_XCHG, "wv_step_xchg", "xchg r, h", W8, exchange, OF(R(RCX), HIGH(RCX))},
	{WV_BSWAP, "wv_step_reverse", "bswap r", WIDE, any_result, OF(R(RCX))},
	{WV_CBW, "wv_step_extend_rax", "cbw", W16, extend_rax, .implied = 1u << WV_RAX},
	{WV_CWDE, "wv_step_extend_rax", "cwde", W32, extend_rax, .implied = 1u << WV_RAX},
	{WV_CDQE, "wv_step_extend_rax", "cdqe", W64, extend_rax, .implied = 1u << WV_RAX},
	{WV_CWD, "wv_step_sign_rax", "cwd", W16, sign_rax, .implied = BOTH},
	{WV_CDQ, "wv_step_sign_rax", "cdq", W32, sign_rax, .implied = BOTH},
	{WV_CQO, "wv_step_sign_rax", "cqo", W64, sign_rax, .implied = BOTH},
	{WV_RDTSC, "wv_step_rdtsc", "rdtsc", W64, time_stamp, .implied = BOTH},
	{WV_RDTSCP, "wv_step_rdtsc", "rdtscp", W64, time_stamp, .implied = BOTH | 1u << WV_RCX},
	TWO(ADD, "wv_step_add_sub", "add", add_),
	TWO(SUB, "wv_step_add_sub", "sub", subtract),
	TWO(ADC, "wv_step_carry", "adc", add_carry),
	TWO(SBB, "wv_step_carry", "sbb", add_carry),
	{WV_XADD, "wv_step_xadd", "xadd r, r", ALL, exchange_add, OF(R(RCX), R(RDX))},
	{WV_XADD, "wv_step_xadd", "xadd r, itself", ALL, exchange_add, OF(R(RCX), R(RCX))},
	{WV_XADD, "wv_step_xadd", "xadd [b], b", W32 | W64, exchange_add, OF(M, R(RDX)),
		.mem = {WV_RDX, WV_NOREG, 1, false, 0}},
	{WV_CMPXCHG, "wv_step_cmpxchg", "cmpxchg r, r", ALL, compare_exchange, OF(R(RCX), R(RDX)),
		.implied = 1u << WV_RAX},
	{WV_CMPXCHG, "wv_step_cmpxchg", "cmpxchg [a], r", ALL, compare_exchange, OF(M, R(RDX)),
		.mem = {WV_RAX, WV_NOREG, 1, false, 0}, .implied = 1u << WV_RAX},
	TWO(AND, "wv_step_binary", "and", logic),
	TWO(OR, "wv_step_binary", "or", logic),
	TWO(XOR, "wv_step_binary", "xor", logic),
	TWO(CMP, "wv_step_binary", "cmp", subtract),
	TWO(TEST, "wv_step_binary", "test", logic),
	{WV_ADD, "wv_step_add_sub", "add m, r", WIDE, add_, OF(M, R(RCX))},
	{WV_SUB, "wv_step_add_sub", "sub r, m", WIDE, subtract, OF(R(RCX), M)},
	{WV_AND, "wv_step_binary", "and m, i", WIDE, logic, OF(M, I)},
	{WV_CMP, "wv_step_binary", "cmp m, r", WIDE, subtract, OF(M, R(RCX))},
	ONE(INC, "wv_step_inc_dec", "inc", step),
	ONE(DEC, "wv_step_inc_dec", "dec", step),
	ONE(NEG, "wv_step_neg", "neg", negate),
	ONE(NOT, "wv_step_not", "not", complement),
	{WV_ANDN, "wv_step_andn", "andn", WIDE, and_not, OF(R(RCX), R(RDX), R(RBX))},
	{WV_IMUL, "wv_step_imul", "imul r, r", MOST, multiply, OF(R(RCX), R(RDX))},
	{WV_IMUL, "wv_step_imul", "imul r, r, i", MOST, multiply, OF(R(RCX), R(RDX), I)},
	{WV_IMUL, "wv_step_imul", "imul r, m", MOST, multiply, OF(R(RCX), M)},
	{WV_IMUL1, "wv_step_mul", "imul r", ALL, multiply_rax, OF(R(RCX)), .implied = BOTH},
	{WV_MUL, "wv_step_mul", "mul r", ALL, multiply_rax, OF(R(RCX)), .implied = BOTH},
	{WV_MUL, "wv_step_mul", "mul rdx", MOST, multiply_rax, OF(R(RDX)), .implied = BOTH},
	{WV_MULX, "wv_step_mulx", "mulx", WIDE, multiply_rdx, OF(R(RCX), R(RBX), R(RSI)), .implied = BOTH},
	{WV_MULX, "wv_step_mulx", "mulx itself", WIDE, multiply_rdx, OF(R(RCX), R(RCX), R(RSI)), .implied = BOTH},
	{WV_DIV, "wv_step_div", "div r", ALL, divide, OF(R(RCX)), .implied = BOTH},
	{WV_IDIV, "wv_step_div", "idiv r", ALL, divide, OF(R(RCX)), .implied = BOTH},
	DOUBLE(SHLD, "shld"),
	DOUBLE(SHRD, "shrd"),
	{WV_BSF, "wv_step_bit_scan", "bsf", MOST, scan, OF(R(RCX), R(RDX))},
	{WV_BSR, "wv_step_bit_scan", "bsr", MOST, scan, OF(R(RCX), R(RDX))},
	{WV_POPCNT, "wv_step_count", "popcnt", MOST, count_ones, OF(R(RCX), R(RDX))},
	SHIFT(SHL, "shl", shift),
	SHIFT(SHR, "shr", shift),
	SHIFT(SAR, "sar", shift),
	SHIFT(ROL, "rol", rotate),
	SHIFT(ROR, "ror", rotate),
	SHIFT(RCL, "rcl", rotate),
	SHIFT(RCR, "rcr", rotate),
	{WV_SHLX, "wv_step_shift_flagless", "shlx", WIDE, shift_flagless, OF(R(RCX), R(RDX), R(RBX))},
	{WV_SHRX, "wv_step_shift_flagless", "shrx", WIDE, shift_flagless, OF(R(RCX), R(RDX), R(RBX))},
	{WV_SARX, "wv_step_shift_flagless", "sarx", WIDE, shift_flagless, OF(R(RCX), R(RDX), R(RBX))},
	{WV_RORX, "wv_step_shift_flagless", "rorx", WIDE, any_result, OF(R(RCX), R(RDX), I8)},
	{WV_BT, "wv_step_bt", "bt r, r", MOST, bit_test, OF(R(RCX), R(RDX))},
	{WV_BTS, "wv_step_bt", "bts r, r", MOST, bit_test, OF(R(RCX), R(RDX))},
	{WV_BTR, "wv_step_bt", "btr r, i", MOST, bit_test, OF(R(RCX), I8)},
	{WV_BTC, "wv_step_bt", "btc r, r", MOST, bit_test, OF(R(RCX), R(RDX))},
	{WV_TZCNT, "wv_step_tzcnt", "tzcnt", MOST, count_trailing, OF(R(RCX), R(RDX))},
	{WV_LZCNT, "wv_step_count", "lzcnt", MOST, count_leading, OF(R(RCX), R(RDX))},
	{WV_BLSI, "wv_step_lowest", "blsi", WIDE, lowest, OF(R(RCX), R(RDX))},
	{WV_BLSMSK, "wv_step_lowest", "blsmsk", WIDE, lowest, OF(R(RCX), R(RDX))},
	{WV_BLSR, "wv_step_lowest", "blsr", WIDE, lowest, OF(R(RCX), R(RDX))},
	{WV_BZHI, "wv_step_extract", "bzhi", WIDE, pick, OF(R(RCX), R(RDX), R(RBX))},
	{WV_BEXTR, "wv_step_extract", "bextr", WIDE, pick, OF(R(RCX), R(RDX), R(RBX))},
	{WV_PDEP, "wv_step_scatter", "pdep", WIDE, deposit, OF(R(RCX), R(RDX), R(RBX))},
	{WV_PEXT, "wv_step_scatter", "pext", WIDE, gather, OF(R(RCX), R(RDX), R(RBX))},
	{WV_SETCC, "wv_step_setcc", "setb r", W8, set_if, OF(R(RCX)), .cond = WV_B},
	{WV_SETCC, "wv_step_setcc", "setg h", W8, set_if, OF(HIGH(RCX)), .cond = WV_G},
};
const unsigned n_forms = sizeof forms / sizeof forms[0];

static void write(struct run *m)
{
	result(m, m->loaded);
}

const struct form operand_forms[] = {
	{WV_NOP, "wv_read_operand", "r", ALL, machine_nothing, OF(R(RCX))},
	{WV_NOP, "wv_read_operand", "h", W8, machine_nothing, OF(HIGH(RCX))},
	{WV_NOP, "wv_read_operand", "i", ALL, machine_nothing, OF(I)},
	{WV_NOP, "wv_read_operand", "m", ALL, machine_nothing, OF(M)},
	{WV_NOP, "wv_read_reg", "r", ALL, machine_nothing, OF(R(RCX))},
	{WV_NOP, "wv_write_operand", "r", ALL, write, OF(R(RCX))},
	{WV_NOP, "wv_write_operand", "h", W8, write, OF(HIGH(RCX))},
	{WV_NOP, "wv_write_operand", "m", ALL, write, OF(M)},
	{WV_NOP, "wv_write_reg", "r", ALL, write, OF(R(RCX))},
};
const unsigned n_operand_forms = sizeof operand_forms / sizeof operand_forms[0];

const struct form string_forms[] = {
	{WV_STOS, "wv_step_string", "rep stos", W8 | WIDE, repeat,
		.implied = 1u << WV_RCX | 1u << WV_RDI | 1u << WV_RAX},
	{WV_MOVS, "wv_step_string", "rep movs", W8 | WIDE, repeat,
		.implied = 1u << WV_RCX | 1u << WV_RDI | 1u << WV_RSI},
};
const unsigned n_string_forms = sizeof string_forms / sizeof string_forms[0];
