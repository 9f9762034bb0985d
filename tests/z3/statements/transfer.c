/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transfer functions (step.c's table): what an instruction does to a state.
 *
 * A row is one instruction in one form, at one width, with any immediate, in any state: each register that it names
 * is set to any value, a number, a pointer, a value of the host's, or nothing. Beside the state there is the machine
 * (machine.c), whose registers hold 64 bits each. The state's values are true of the machine:
 *
 * - a number's symbol plus its constant is what the register holds; a pointer is that plus its region's base; a saved
 *   register is what it was at the entry. Nothing is said of what is not set;
 * - a value's number contains what its identity stands for, and its low identity stands for the lower half of that;
 * - flags that compare two values are those that the processor would set for these values;
 * - the part that was read last is that part.
 *
 * The verifier's bitcode executes the instruction on the state, and machine.c on the machine. What is proven: if the
 * verifier reports nothing, all of that is true of the machine afterwards. Nothing else of the state changes. Flags
 * that the verifier calls set are those that isa.def says. Registers that are written are noted. And every fact that
 * is noted in passing (a distance, a sum, a product, a bound) is true.
 *
 * Operations on numbers have rows of their own, so their promises stand in for them: a result contains what the
 * operation makes of what its operands contain. So each number of the run has one tracked value, and the goals are
 * about these values. A new symbol stands for its number's tracked value. Where a number may be anything, its tracked
 * value is what the machine has there (machine.h, `any`).
 *
 * ward-oracle tests which bits of a register are the probe's own (init). Memory has rows of its own (stack.c,
 * access.c), and so have string instructions (strings.c). Here a load gives any value that is true of what memory
 * holds there, and a store gets a true value.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "tests/z3/model/machine.h"
#include "tests/z3/engine/memory.h"
#include "summary_api.h"
#include "queries.h"
#include "verifier/domain/state.h"
#include "transfer_parts.h"

struct value state, context, instruction, module;
struct run run; /* the machine */
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

term about(const struct number *n)
{
	return about_least(n->umin);
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
	struct content c = {held_load(now, at, 0), exec_load(now, at, offsetof(struct wv_val, region), 1),
		exec_load(now, at, offsetof(struct wv_val, init), 1)};
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
	return and_(all, and_(implies(has_number(&c->h), is_one_of(c->init, inits, 3)),
				 and_(implies(is_kind(c, WV_PTR), regions), implies(is_kind(c, WV_SAVED), registers))));
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
	term sym = exec_load(now, at, offsetof(struct wv_val, sym), 4),
	     lsym = exec_load(now, at, offsetof(struct wv_val, lsym), 4);
	term by = exec_load(now, at, offsetof(struct wv_val, add), 8),
	     low_by = exec_load(now, at, offsetof(struct wv_val, ladd), 4);
	define_identity(sym, difference_of(x, by), lsym, difference_of(extract(31, 0, x), low_by), shared);
	struct content c = content_load(at);
	assume(is_whole(&c));
	assume(holds_number(&c.h));
	ask_about(&c.h.n, c.h.x);
	return c;
}

/* … whatever it is. */
struct content given_value(const struct value *at)
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
		.at = {field_of(&state, at + offsetof(struct wv_flags, a)),
			field_of(&state, at + offsetof(struct wv_flags, b))},
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
	term zf = same_truth(m->zf, eq(a, zero)), sf = same_truth(m->sf, slt(a, zero)),
	     carry = same_truth(m->cf, ult(a, b));
	term cmp = and_(and_(carry, same_truth(m->zf, eq(a, b))),
		and_(same_truth(m->sf, slt(d, zero)), same_truth(m->of, slt(band(bxor(a, b), bxor(a, d)), zero))));
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

#define PART(field) \
	exec_load(now, &state, offsetof(struct wv_state, part) + offsetof(struct wv_part, field), \
		sizeof(((struct wv_part *)0)->field))

struct value part_at(void)
{
	return field_of(&state, offsetof(struct wv_state, part) + offsetof(struct wv_part, is));
}

term part_true(const struct content *is)
{
	term of = choose2(add, symbol_number(PART(sym)), PART(add)), width = PART(width),
	     used = not_(eq(PART(sym), bits(32, 0))), all = is_kind(is, WV_NUM);
	for (unsigned w = 8; w <= 16; w *= 2)
		all = and_(all, implies(eq(width, bits(32, w)), eq(low_zext(of, w), is->h.x)));
	return implies(used, and_(all, or_(eq(width, bits(32, 8)), eq(width, bits(32, 16)))));
}

struct content part_before;

/* ---- that rdx is the sign of rax ---- */

#define SIGN(field) \
	exec_load(now, &context, offsetof(struct wv_ctx, sign) + offsetof(struct wv_sign, field), \
		sizeof(((struct wv_sign *)0)->field))

static term sign_true(void)
{
	term is = symbol_number(SIGN(sym)), whole = choose2(add, symbol_number(SIGN(of)), SIGN(of_add)),
	     width = SIGN(width), all = truth(true);
	term part = zext(choose2(add, low_symbol_number(SIGN(of)), extract(31, 0, SIGN(of_add))), 64);
	for (unsigned w = 16; w <= 64; w *= 2)
		all = and_(all, implies(eq(width, bits(8, w)),
					eq(low_zext(is, w),
						low_zext(ashr(low_sext(w == 64 ? whole : part, w), bits(64, 63)), w))));
	return implies(not_(eq(SIGN(sym), bits(32, 0))), all);
}

static bool about_sign(const struct form *f)
{
	return strcmp(f->function, "wv_step_sign_rax") == 0 || strcmp(f->function, "wv_step_div") == 0;
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

/*
 * Of the first two registers that are read the row may say what they hold: a number, one that is the probe's own in its
 * lower 8 or 16 bits, a pointer, or neither.
 */
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
	run.flags = (struct flags){
		input_bool("cf"), input_bool("zf"), input_bool("sf"), input_bool("of"), input_bool("pf")};
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
	memory_fill(now, &state, 0,
		sizeof(struct wv_state) - sizeof(((struct wv_state *)0)->slot) + 2 * sizeof(struct wv_slot));
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
	bool sign = strcmp(run.form->function, "wv_step_sign_rax") == 0 && offset >= offsetof(struct wv_ctx, sign) &&
		    offset < offsetof(struct wv_ctx, table);
	bool repeats = strcmp(run.form->function, "wv_step_string") == 0 &&
		       (offset == offsetof(struct wv_ctx, repeats) || offset == offsetof(struct wv_ctx, needs));
	return sign || repeats || offset == offsetof(struct wv_ctx, next_sym) ||
	       offset == offsetof(struct wv_ctx, written) || offset == offsetof(struct wv_ctx, loaded_constant);
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
		term looked_at =
			i == 0 ? not_(eq(flags.relation, none))
			       : or_(eq(flags.relation, bits(8, WV_REL_CMP)), eq(flags.relation, bits(8, WV_REL_ADD)));
		claim_value("what flags compare", &flags.c[i], flags.x[i], and_(looked_at, has_number(&flags.c[i].h)));
	}
	term may = bor(
		band(defined_before, bits(8, 0xff & ~row_flags[f->op].undefines)), bits(8, row_flags[f->op].defines));
	/* by zero they are as they were; of a carry beyond the operand nothing is said */
	if (shifts && f->operand[1].kind == WV_IMM) {
		bool rotates = !(row_flags[f->op].undefines & WV_ZF);
		term count = band(run.read[1], bits(64, run.width == 64 ? 63 : 31)),
		     sets = bits(8, rotates ? 0 : WV_ZF | WV_SF | WV_PF);
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
			claim("that it is written", implies(not_(eq(run.reg[reg], before.reg[reg])),
							    eq(extract(reg, reg, written), bits(1, 1))));
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
	run.bmi1 = not_(
		eq(band(exec_load(now, &module, offsetof(struct wv_module, features), 4), bits(32, WARD_FEATURE_BMI1)),
			bits(32, 0)));
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
	/* what a number is compared with is a pointer from which it is so far; the number is in a register */
	if (f->op == WV_CMP && !plain)
		run.any[0] = kinds / KINDS == A_POINTER || f->operand[0].kind == WV_MEM
				     ? difference_of(run.read[1], run.read[0])
				     : difference_of(run.read[0], run.read[1]);
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
		claim_value(
			"what was read of it", &part, held_by(&part, bits(64, 0)), not_(eq(PART(sym), bits(32, 0))));
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
	/* what that notes is what was written */
	take_operands(true, !form_moves(f) && strcmp(f->function, "wv_step_sign_rax") != 0);
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

/*
 * assume_value(st, cond, v), of one thing that is known to be one of two: where the flags say so it is true, and what
 * *v holds it still has.
 */
void build_assume_choice(const struct query *q)
{
	begin_transfer(&nothing_at_all, 64, 0);
	const size_t at = offsetof(struct wv_state, choice);
	struct value side[2] = {field_of(&state, at + offsetof(struct wv_choice, a)),
		field_of(&state, at + offsetof(struct wv_choice, b))},
		     v = exec_struct(now, "struct.wv_val", 0);
	struct value is_at = field_of(&state, at + offsetof(struct wv_choice, is));
	exec_store(now, &state, offsetof(struct wv_state, n_choices), bits(32, 1));
	struct content held = given_about(&v, fresh(64), true), is = given_about(&is_at, fresh(64), true);
	term chosen[2], condition = machine_condition(&run.flags, (enum wv_cond)q->op);
	assume(has_number(&held.h));
	/* one identity, one number */
	assume(implies(and_(eq(is.h.sym, held.h.sym), eq(is.h.add, held.h.add)), eq(is.h.x, held.h.x)));
	for (unsigned i = 0; i < 2; i++) {
		term sym = exec_load(now, &side[i], offsetof(struct wv_val, sym), 4),
		     by = exec_load(now, &side[i], offsetof(struct wv_val, add), 8), x = fresh(64);
		term lsym = exec_load(now, &side[i], offsetof(struct wv_val, lsym), 4),
		     low_by = exec_load(now, &side[i], offsetof(struct wv_val, ladd), 4);
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
