/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transfer functions of xmm registers (step_vector.c).
 *
 * The state knows of each half of an xmm register whether it is the probe's own, and nothing else. To say what that
 * means takes two machines. They hold anything, but the same wherever the state says that it is the probe's own: in
 * such halves, in general registers as far as they are, and in memory that a load may read. All else may differ
 * between them; that is the host's. Both machines carry out the instruction as the manual says. What is proven, if
 * the verifier reports nothing:
 *
 * - What the state calls the probe's own afterwards, of any xmm register, is the same in both: nothing of the host's
 *   is in it.
 * - What is stored is the same in both, lies where the instruction says, and has as many bytes. Each instruction that
 *   loads or stores calls for that.
 * - A general register that is written holds the same in both, and the number that the verifier writes there contains
 *   it; it is the instruction's register.
 * - An access of sixteen bytes is aligned if the instruction would fault otherwise.
 * - Registers that are written are noted, and nothing else changes.
 *
 * One row covers all instructions of one function, in one form of operands, except for those that are spelt out: the
 * instruction, and the registers that it names, may be any. The table of wv_step says which instructions they are,
 * and isa.def in which forms; no row of it is left out.
 *
 * The proofs don't depend on the numbers that most of these instructions compute: the result is any function of the
 * operands and the immediate. Where the result is the same whatever a register holds, it is spelt out, element by
 * element.
 *
 * Other rows prove that bytes which may be loaded are the probe's own, that what is stored is kept as such, and what
 * wv_write_reg leaves (access.c, transfer.c); their promises stand in for them here.
 */
#include "vector.h"

#include <stdio.h>
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "verifier/decode/insn.h"
#include "tests/z3/engine/memory.h"
#include "stack.h"

/* ---- element by element ---- */

static term by_elements(term a, term b, unsigned width, term f(term, term))
{
	term all = NULL;
	for (unsigned at = 0; at < 128; at += width) {
		term one = f(extract(at + width - 1, at, a), extract(at + width - 1, at, b));
		all = all ? concat(one, all) : one;
	}
	return all;
}

static term and_not(term a, term b)
{
	return band(bnot(a), b);
}

static term saturated(term a, term b)
{
	unsigned width = width_of(a);
	term most = bits(width, (UINT64_C(1) << (width - 1)) - 1), least = bnot(most),
	     d = sub(sext(a, width + 1), sext(b, width + 1));
	return ite(slt(sext(most, width + 1), d), most,
		ite(slt(d, sext(least, width + 1)), least, extract(width - 1, 0, d)));
}

static term saturated_unsigned(term a, term b)
{
	return ite(ult(a, b), bits(width_of(a), 0), sub(a, b));
}

static term ones_if(term when, unsigned width)
{
	return ite(when, bits(width, UINT64_MAX), bits(width, 0));
}

static term if_equal(term a, term b)
{
	return ones_if(eq(a, b), width_of(a));
}

static term if_greater(term a, term b)
{
	return ones_if(slt(b, a), width_of(a));
}

/* Those that make a constant of a register and itself. */
static const struct {
	uint8_t op, width;
	term (*f)(term, term);
} elements[] = {
	{WV_XORPS, 64, bxor},
	{WV_XORPD, 64, bxor},
	{WV_PXOR, 64, bxor},
	{WV_ANDNPS, 64, and_not},
	{WV_ANDNPD, 64, and_not},
	{WV_PANDN, 64, and_not},
	{WV_PSUBB, 8, sub},
	{WV_PSUBW, 16, sub},
	{WV_PSUBD, 32, sub},
	{WV_PSUBQ, 64, sub},
	{WV_PSUBSB, 8, saturated},
	{WV_PSUBSW, 16, saturated},
	{WV_PSUBUSB, 8, saturated_unsigned},
	{WV_PSUBUSW, 16, saturated_unsigned},
	{WV_PCMPEQB, 8, if_equal},
	{WV_PCMPEQW, 16, if_equal},
	{WV_PCMPEQD, 32, if_equal},
	{WV_PCMPGTB, 8, if_greater},
	{WV_PCMPGTW, 16, if_greater},
	{WV_PCMPGTD, 32, if_greater},
};

enum { N_ELEMENTS = sizeof elements / sizeof elements[0] };

static unsigned element_row(unsigned which)
{
	unsigned i = 0;
	while (i < N_ELEMENTS && elements[i].op != which)
		i++;
	return i;
}

static bool is_spelt_out(unsigned which)
{
	return element_row(which) < N_ELEMENTS;
}

/* ---- which instructions there are ---- */

static const struct {
	const char *name, *forms, *widths;
} isa[WV_OP_COUNT] = {
#define INSN(op, mnemonic, forms, widths, defines, undefines, feature, note) [WV_##op] = {#op, #forms, #widths},
#include "ward/isa.def"
#undef INSN
};

enum { MAX_ROWS = 100 };

/* One after another; NULL: that was the last. */
static const char *next_form(const char *forms, char form[4])
{
	size_t n = strcspn(forms, "|");
	if (!*forms)
		return NULL;
	if (n > 3)
		give_up("isa.def has a form that is not understood");
	memcpy(form, forms, n);
	form[n] = 0;
	return forms + n + strspn(forms + n, "|");
}

static unsigned width_of_row(unsigned op)
{
	unsigned width;
	if (sscanf(isa[op].widths, "W%u", &width) != 1 || strchr(isa[op].widths, '|'))
		give_up("isa.def has a row of xmm registers with several widths");
	return width;
}

/* The rows of isa.def that name xmm registers. */
static bool has_xmm(unsigned op)
{
	return strchr(isa[op].forms, 'X') != NULL;
}

static const char *function_of(unsigned op)
{
	const char *function = exec_entry("wv_step", "table", op);
	if (!function || strncmp(function, "wv_step_vector_", strlen("wv_step_vector_")) != 0)
		give_up("the table of transfer functions has something else than a vector's");
	return function;
}

static bool is_of(const struct vector_row *row, unsigned op)
{
	char form[4];
	if (!has_xmm(op) || strcmp(function_of(op), row->function) != 0 || width_of_row(op) != row->width ||
		(is_spelt_out(op) && op != row->op))
		return false;
	for (const char *rest = isa[op].forms; (rest = next_form(rest, form));) {
		if (strcmp(form, row->form) == 0)
			return true;
	}
	return false;
}

static void add_row(struct vector_row *row, unsigned op, const char form[4])
{
	*row = (struct vector_row){.function = function_of(op), .width = width_of_row(op), .op = op};
	unsigned at = 0;
	for (const char *c = is_spelt_out(op) ? isa[op].name : ""; *c; c++)
		row->detail[at++] = (char)(*c + 'a' - 'A');
	for (unsigned k = 0; form[k]; k++)
		at += (unsigned)snprintf(row->detail + at, sizeof row->detail - at, "%s%c",
			k    ? ", "
			: at ? " "
			     : "",
			form[k] + 'a' - 'A');
	memcpy(row->form, form, sizeof row->form);
}

const struct vector_row *vector_rows(unsigned *n)
{
	static struct vector_row rows[MAX_ROWS];
	static unsigned n_rows;
	char form[4];
	for (unsigned op = 0; op < WV_OP_COUNT && !*n; op++) {
		for (const char *rest = has_xmm(op) ? isa[op].forms : ""; (rest = next_form(rest, form));) {
			unsigned i = 0;
			while (i < n_rows && !(is_of(&rows[i], op) && strcmp(rows[i].form, form) == 0))
				i++;
			if (i < n_rows)
				continue;
			if (n_rows == MAX_ROWS)
				give_up("too many forms of xmm registers");
			add_row(&rows[n_rows++], op, form);
		}
	}
	*n = n_rows;
	return rows;
}

/* ---- the machines ---- */

enum { TO, FROM, ANY, NAMED, MACHINES = 2 };

static struct machine {
	term xmm[NAMED]; /* those that the instruction names, and any one; which may be the same */
	term reg;        /* the general register that it names */
	term loaded;     /* what memory holds at its operand, zero-extended */
	term any;        /* what is made of the operands, where nobody asks */
	term result;     /* for the first operand; of a register all of it */
} machine[MACHINES];
static const struct vector_row *row;
static term op, imm, number[NAMED], general;

static bool has(char kind)
{
	return strchr(row->form, kind) != NULL;
}

static bool writes(char kind)
{
	return row->form[0] == kind;
}

static term low_part(term t, unsigned width)
{
	return zext(extract(width - 1, 0, t), 128);
}

static term half_of(term t, unsigned half)
{
	return extract(64 * half + 63, 64 * half, t);
}

/* The second operand. */
static term source(const struct machine *m)
{
	switch (row->form[1]) {
	case 'X': return m->xmm[FROM];
	case 'M': return m->loaded;
	case 'R': return zext(m->reg, 128);
	default: return bits(128, 0);
	}
}

/* The uppermost bits of the elements, side by side. */
static term mask_of(term a, unsigned width)
{
	term all = NULL;
	for (unsigned at = width - 1; at < 128; at += width)
		all = all ? concat(extract(at, at, a), all) : extract(at, at, a);
	return zext(all, 128);
}

static term word_shift(void)
{
	return shl(zext(band(imm, bits(64, 7)), 128), bits(128, 4));
}

static term word_inserted(term a, term b)
{
	term word = bits(128, 0xffff);
	return bor(band(a, bnot(shl(word, word_shift()))), shl(band(b, word), word_shift()));
}

/* What the instruction makes of the first operand. */
static term computed(unsigned which, const struct machine *m)
{
	term a = m->xmm[TO], b = source(m);
	bool from_register = row->form[1] == 'X', to_register = writes('X');
	if (is_spelt_out(which))
		return by_elements(a, b, elements[element_row(which)].width, elements[element_row(which)].f);
	switch (which) {
	case WV_MOVUPS:
	case WV_MOVAPS:
	case WV_MOVUPD:
	case WV_MOVAPD:
	case WV_MOVDQA:
	case WV_MOVDQU: return b;
	case WV_MOVLPS:
	case WV_MOVLPD: return to_register ? concat(half_of(a, 1), half_of(b, 0)) : low_part(b, 64);
	case WV_MOVHPS:
	case WV_MOVHPD: return to_register ? concat(half_of(b, 0), half_of(a, 0)) : zext(half_of(b, 1), 128);
	case WV_MOVHLPS: return concat(half_of(a, 1), half_of(b, 1));
	case WV_MOVLHPS: return concat(half_of(b, 0), half_of(a, 0));
	case WV_MOVD: return low_part(b, 32);
	case WV_MOVQ: return low_part(b, 64);
	case WV_MOVSS:
		return from_register && to_register ? concat(extract(127, 32, a), extract(31, 0, b)) : low_part(b, 32);
	case WV_MOVSDX: return from_register && to_register ? concat(half_of(a, 1), half_of(b, 0)) : low_part(b, 64);
	case WV_MOVMSKPS: return mask_of(b, 32);
	case WV_MOVMSKPD: return mask_of(b, 64);
	case WV_PMOVMSKB: return mask_of(b, 8);
	case WV_PEXTRW: return low_part(lshr(b, word_shift()), 16);
	case WV_PINSRW: return word_inserted(a, b);
	default: return m->any;
	}
}

/* The first operand is no part of what is computed. */
static bool ignores_first(unsigned which)
{
	return which == WV_PSHUFD || which == WV_PSHUFHW || which == WV_PSHUFLW;
}

static bool may_be_unaligned(unsigned which)
{
	return row->width != 128 || which == WV_MOVUPS || which == WV_MOVUPD || which == WV_MOVDQU;
}

/* ---- before ---- */

static struct memory *was;
static struct value address;
static term unaligned, address_told, alignment_told, access_told, write_told;
static unsigned n_told;

static term own_half(unsigned which, unsigned half)
{
	term mask = exec_load(now, &state, offsetof(struct wv_state, half) + 2 * half, 2);
	return eq(extract(0, 0, lshr(mask, zext(number[which], 16))), bits(1, 1));
}

static term same_half(unsigned which, unsigned half)
{
	return eq(half_of(machine[0].xmm[which], half), half_of(machine[1].xmm[which], half));
}

static term wide_input(const char *name, unsigned i, unsigned k)
{
	char lower[20], upper[20];
	snprintf(lower, sizeof lower, "%s%u%c", name, i, 'a' + (int)k);
	snprintf(upper, sizeof upper, "%s%u%c.up", name, i, 'a' + (int)k);
	return concat(input(upper, 64), input(lower, 64));
}

static term input_of(const char *name, unsigned i, unsigned width)
{
	char full[20];
	snprintf(full, sizeof full, "%s%u", name, i);
	return input(full, width);
}

static void given_xmm(void)
{
	for (unsigned half = 0; half < 2; half++)
		exec_store(now, &state, offsetof(struct wv_state, half) + 2 * half, input_of("half", half, 16));
	for (unsigned k = 0; k < NAMED; k++) {
		number[k] = input_of("xmm", k, 4);
		for (unsigned i = 0; i < MACHINES; i++) {
			machine[i].xmm[k] = wide_input("x", k, i);
			for (unsigned other = 0; other < k; other++)
				assume(implies(
					eq(number[k], number[other]), eq(machine[i].xmm[k], machine[i].xmm[other])));
		}
		for (unsigned half = 0; half < 2; half++)
			assume(implies(own_half(k, half), same_half(k, half)));
	}
}

/* What the state says of the general register. */
static void given_register(void)
{
	struct value at = {.kind = POINTER};
	general = input("register", 4);
	for (unsigned reg = 0; reg < WV_NREG; reg++) {
		struct value one = register_at(reg);
		exec_store(now, &one, offsetof(struct wv_val, kind), input_of("kind", reg, 8));
		exec_store(now, &one, offsetof(struct wv_val, init), input_of("init", reg, 8));
		at.place[at.n] = one.place[0];
		at.place[at.n++].when = eq(general, bits(4, reg));
	}
	for (unsigned i = 0; i < MACHINES; i++)
		machine[i].reg = input_of("reg", i, 64);
	term kind = exec_load(now, &at, offsetof(struct wv_val, kind), 1),
	     init = exec_load(now, &at, offsetof(struct wv_val, init), 1);
	for (unsigned width = 8; width <= 64; width *= 2) {
		term own = or_(eq(kind, bits(8, WV_PTR)), and_(eq(kind, bits(8, WV_NUM)), ule(bits(8, width), init)));
		assume(implies(own, eq(extract(width - 1, 0, machine[0].reg), extract(width - 1, 0, machine[1].reg))));
	}
}

static void set_operand(unsigned i, unsigned kind, unsigned width, term reg)
{
	size_t at = offsetof(struct wv_insn, operand) + i * sizeof(struct wv_operand);
	exec_store(now, &instruction, at + offsetof(struct wv_operand, kind), bits(8, kind));
	exec_store(now, &instruction, at + offsetof(struct wv_operand, width), bits(8, width));
	exec_store(now, &instruction, at + offsetof(struct wv_operand, reg), zext(reg, 8));
	exec_store(now, &instruction, at + offsetof(struct wv_operand, high), bits(8, 0));
}

/* A general register has 32 bits; with movq, 64. */
static unsigned register_width(void)
{
	return row->width == 64 ? 64 : 32;
}

static void given_instruction(void)
{
	term is = truth(false);
	unsigned n = 0, some = 0;
	op = input("op", 8);
	for (unsigned which = 0; which < WV_OP_COUNT; which++) {
		if (!is_of(row, which))
			continue;
		is = or_(is, eq(op, bits(8, which)));
		some = which;
		n++;
	}
	assume(is);
	if (n == 1)
		op = bits(8, some);
	imm = zext(input("imm", 8), 64);
	exec_store(now, &instruction, offsetof(struct wv_insn, op), op);
	exec_store(now, &instruction, offsetof(struct wv_insn, width), bits(8, row->width));
	exec_store(now, &instruction, offsetof(struct wv_insn, imm), imm);
	exec_store(now, &instruction, offsetof(struct wv_insn, n_operands), bits(8, strlen(row->form)));
	for (unsigned i = 0; i < 3; i++) {
		switch (row->form[i]) {
		case 'X': set_operand(i, WV_XMM, 128, number[i ? FROM : TO]); break;
		case 'M': set_operand(i, WV_MEM, row->width, bits(4, 0)); break;
		case 'R': set_operand(i, WV_REG, register_width(), general); break;
		case 'I': set_operand(i, WV_IMM, 8, bits(4, 0)); break;
		default: set_operand(i, WV_NONE, 0, bits(4, 0)); return;
		}
	}
}

/* Of the same operands the same. */
static void carry_out(void)
{
	term first = eq(machine[0].xmm[TO], machine[1].xmm[TO]), second = eq(source(&machine[0]), source(&machine[1]));
	for (unsigned i = 0; i < MACHINES; i++)
		machine[i].any = wide_input("any", 0, i);
	term same = eq(machine[0].any, machine[1].any);
	assume(implies(and_(first, second), same));
	for (unsigned which = 0; which < WV_OP_COUNT; which++) {
		term is = eq(op, bits(8, which));
		if (!is_of(row, which))
			continue;
		if (ignores_first(which))
			assume(implies(and_(is, second), same));
		for (unsigned i = 0; i < MACHINES; i++) {
			term made = computed(which, &machine[i]);
			machine[i].result = machine[i].result ? ite(is, made, machine[i].result) : made;
		}
	}
}

static void begin_vector(void)
{
	begin_state(1);
	if (plainly()) {
		memory_fill(now, &state, 0,
			sizeof(struct wv_state) - sizeof(((struct wv_state *)0)->slot) + sizeof(struct wv_slot));
		memory_fill(now, &context, 0, offsetof(struct wv_ctx, lent));
		exec_store(now, &context, offsetof(struct wv_ctx, next_sym), bits(32, 1000));
	}
	exec_store(now, &context, offsetof(struct wv_ctx, written), input("written", 32));
	memset(machine, 0, sizeof machine);
	general = bits(4, 0);
	n_told = 0;
	address_told = alignment_told = access_told = write_told = truth(false);
	unaligned = input_bool("unaligned");
	given_xmm();
	if (has('R'))
		given_register();
	given_instruction();
	for (unsigned i = 0; i < MACHINES; i++)
		machine[i].loaded = low_part(wide_input("loaded", 0, i), row->width);
	carry_out();
	address = exec_struct(now, "struct.wv_val", 0);
}

/* ---- callees ---- */

/* Either something is reported, or this is so. */
static void told_or(const struct called *c, term t)
{
	char name[20];
	snprintf(name, sizeof name, "told%u", n_told++);
	term told = input_bool(name);
	assume(implies(and_(c->guard, not_(told)), t));
	reported = or_(reported, and_(c->guard, told));
}

static term same_value(const struct value *a, const struct value *b)
{
	const struct object *o = object_at(b->place[0].object);
	term same = truth(true);
	for (unsigned i = 0; i < o->n_cells; i++)
		same = and_(same, eq(exec_load(now, a, o->cell[i].offset, o->cell[i].bytes),
					  exec_load(now, b, o->cell[i].offset, o->cell[i].bytes)));
	return same;
}

static term is_unchanged(const struct value *what)
{
	unsigned o = what->place[0].object;
	term same = truth(true);
	for (unsigned i = 0; i < object_at(o)->n_cells; i++)
		same = and_(same, eq(was->cells[o][i], now->cells[o][i]));
	return same;
}

/* struct wv_val wv_address(ctx, st, insn): that of the operand, before any register is written. */
static void call_address(const struct called *c)
{
	claim("the address is that before", implies(c->guard, and_(truth(has('M')), is_unchanged(&state))));
	memory_copy_bytes(c->memory, &c->args[0], &address, sizeof(struct wv_val));
	address_told = or_(address_told, c->guard);
}

/* void wv_check_aligned(ctx, insn, at) */
static void call_check_aligned(const struct called *c)
{
	claim("whose alignment is asked for", implies(c->guard, and_(address_told, same_value(&c->args[2], &address))));
	told_or(c, not_(unaligned));
	alignment_told = or_(alignment_told, c->guard);
}

/* void wv_note_alignment(ctx, at, bytes) */
static void call_note_alignment(const struct called *c)
{
	claim("whose alignment is noted",
		implies(c->guard, and_(address_told, and_(same_value(&c->args[1], &address),
							     eq(c->args[2].part[0], bits(32, row->width / 8))))));
	alignment_told = or_(alignment_told, c->guard);
}

static void access_is(const struct called *c, bool stores)
{
	term of = and_(address_told, same_value(&c->args[3], &address));
	claim("an access that is made",
		implies(c->guard, and_(truth(stores ? writes('M') : row->form[1] == 'M'),
					  and_(of, eq(c->args[4].part[0], bits(32, row->width / 8))))));
	access_told = or_(access_told, c->guard);
}

/* void wv_load_block(ctx, st, insn, at, bytes): the probe's own, or it is reported. */
static void call_load_block(const struct called *c)
{
	access_is(c, false);
	told_or(c, eq(machine[0].loaded, machine[1].loaded));
}

/* void wv_store_bytes(ctx, st, insn, at, bytes): of bytes of the probe's own. */
static void call_store_bytes(const struct called *c)
{
	access_is(c, true);
	claim("what is stored is the probe's own", implies(c->guard, eq(machine[0].result, machine[1].result)));
	told_or(c, truth(true));
}

/* void wv_write_reg(ctx, st, insn, reg, width, v) */
static void call_write_reg(const struct called *c)
{
	struct content v = content_load(&c->args[5]);
	term x = extract(63, 0, machine[0].result);
	claim("the register that is written",
		implies(c->guard,
			and_(truth(writes('R')), and_(eq(c->args[3].part[0], zext(general, 32)),
							 eq(c->args[4].part[0], bits(32, register_width()))))));
	claim("it is the probe's own", implies(c->guard, and_(eq(machine[0].result, machine[1].result),
								 and_(is_kind(&v, WV_NUM), eq(v.init, bits(8, 64))))));
	claim("a member", implies(c->guard, member(&v.h.n, x)));
	if (!plainly()) {
		claim("what the register holds", implies(c->guard, eq(held_by(&v, bits(64, 0)), x)));
		claim("a value that is whole", implies(c->guard, is_whole(&v)));
		claim("a low identity", implies(c->guard, holds_identity(&v.h)));
	}
	write_told = or_(write_told, c->guard);
	told_or(c, truth(true));
}

/* struct wv_val wv_val_zext32(ctx, v): what is read of a register goes nowhere. */
static void call_any_value(const struct called *c)
{
	struct value any = exec_struct(c->memory, "struct.wv_val", 0);
	memory_copy_bytes(c->memory, &c->args[0], &any, sizeof(struct wv_val));
}

static const struct callee callees[] = {
	{"wv_address", call_address, true},
	{"wv_check_aligned", call_check_aligned, true},
	{"wv_note_alignment", call_note_alignment, true},
	{"wv_load_block", call_load_block, true},
	{"wv_store_bytes", call_store_bytes, true},
	{"wv_write_reg", call_write_reg, true},
	{"wv_val_zext32", call_any_value, false},
};

static bool called_by_vector(
	const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	struct called c = {args, m, guard, result};
	now = m;
	for (unsigned i = 0; i < sizeof callees / sizeof callees[0]; i++) {
		if (strcmp(callees[i].function, name) == 0 && (callees[i].always || !plainly())) {
			callees[i].call(&c);
			return true;
		}
	}
	return called(name, args, m, guard, result);
}

/* ---- afterwards ---- */

static bool is_half(uint64_t at)
{
	return at >= offsetof(struct wv_state, half) &&
	       at < offsetof(struct wv_state, half) + sizeof(((struct wv_state *)0)->half);
}

static bool is_noted(uint64_t at)
{
	return at == offsetof(struct wv_ctx, next_sym) || at == offsetof(struct wv_ctx, written);
}

static void claim_same(const struct value *what, bool may_change(uint64_t at), const char *name)
{
	unsigned o = what->place[0].object;
	const struct object *object = object_at(o);
	for (unsigned i = 0; i < object->n_cells; i++) {
		if (!may_change(object->cell[i].offset))
			claim(name, eq(was->cells[o][i], now->cells[o][i]));
	}
}

/* Any register that is called the probe's own is the same in both. */
static void claim_xmm(void)
{
	for (unsigned i = 0; i < MACHINES && writes('X'); i++)
		machine[i].xmm[ANY] = ite(eq(number[ANY], number[TO]), machine[i].result, machine[i].xmm[ANY]);
	for (unsigned half = 0; half < 2; half++)
		claim(half ? "an upper half of the probe's own" : "a lower half of the probe's own",
			implies(own_half(ANY, half), same_half(ANY, half)));
}

static void claim_notes(void)
{
	term before = input("written", 32),
	     bit = writes('X') ? shl(bits(32, 0x10000), zext(number[TO], 32)) : bits(32, 0);
	claim("that it is written", eq(CONTEXT(written), bor(before, bit)));
	claim_same(&state, is_half, "what is changed");
	claim_same(&context, is_noted, "what is noted");
}

static term must_be_aligned(void)
{
	term must = truth(false);
	for (unsigned which = 0; which < WV_OP_COUNT && has('M'); which++) {
		if (is_of(row, which) && !may_be_unaligned(which))
			must = or_(must, eq(op, bits(8, which)));
	}
	return must;
}

void build_vector(const struct query *q)
{
	unsigned n = 0;
	row = &vector_rows(&n)[q->op];
	begin_vector();
	summarise_always(called_by_vector);
	any_is = writes('R') ? extract(63, 0, machine[0].result) : NULL;
	struct value args[] = {context, state, instruction};
	was = memory_copy(now);
	call_function(q, args, now);
	now = &state_memory;
	claim("the access is made", implies(truth(has('M')), access_told));
	claim("its alignment is asked for, or noted", implies(truth(has('M')), alignment_told));
	claim("the register is written", implies(truth(writes('R')), write_told));
	claim("no fault", not_(and_(must_be_aligned(), unaligned)));
	claim_xmm();
	claim_notes();
	prove_claims();
	if (!plainly())
		possible(not_(reported));
	prove_hazards(not_(reported));
	memory_free(was);
}

/* ---- what holds of them all ---- */

/* void check_profile(ctx, insn): an instruction with xmm registers is in the user profile, or it is told of. */
void build_vector_profile(const struct query *q)
{
	begin_state(1);
	const size_t at = offsetof(struct wv_module, profile), size = sizeof(((struct wv_module *)0)->profile);
	term which = input("op", 8), profile = input("profile", 8 * (unsigned)size), is = truth(false);
	struct value args[] = {context, instruction};
	exec_store(now, &instruction, offsetof(struct wv_insn, op), which);
	exec_store(now, &module, at, profile);
	for (unsigned i = 0; i < WV_OP_COUNT; i++)
		is = or_(is, and_(truth(has_xmm(i)), eq(which, bits(8, i))));
	call_function(q, args, now);
	now = &state_memory;
	claim("the user profile", implies(is, eq(profile, bits(width_of(profile), WARD_PROFILE_USER))));
	prove_claims();
	possible(and_(is, not_(reported)));
	prove_hazards(not_(reported));
}
