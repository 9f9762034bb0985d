/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row of isa.def, in every form and width that it lists, is encoded, and wv_decode must return that row with
 * those operands. The encodings come from Zydis's encoder, those of nop from a list; agree.c compares their meaning
 * with LLVM.
 */
#include <stdio.h>

#include <Zydis/Zydis.h>
#include <criterion/criterion.h>

#include "verifier/decode/insn.h"
#include "guarded.h"

enum {
	_ = 1 << 0,
	R = 1 << 1,
	M = 1 << 2,
	I = 1 << 3,
	REL = 1 << 4,
	RR = 1 << 5,
	RM = 1 << 6,
	MR = 1 << 7,
	RI = 1 << 8,
	MI = 1 << 9,
	RC = 1 << 10,
	MC = 1 << 11,
	RRI = 1 << 12,
	RMI = 1 << 13,
	MRI = 1 << 14,
	RRC = 1 << 15,
	MRC = 1 << 16,
	RRR = 1 << 17,
	RRM = 1 << 18,
	RMR = 1 << 19,
	LM = 1 << 20,
	LMR = 1 << 21,
	LMI = 1 << 22,
	XX = 1 << 23,
	XM = 1 << 24,
	MX = 1 << 25,
	XR = 1 << 26,
	RX = 1 << 27,
	XI = 1 << 28,
	XXI = 1 << 29,
	XMI = 1 << 30,
	XRI = INT64_C(1) << 31,
	RXI = INT64_C(1) << 32,
	W8 = 1,
	W16 = 2,
	W32 = 4,
	W64 = 8,
	W128 = 16,
	N_FORMS = 33,
	N_WIDTHS = 5,
};

/* Names that the decoder has only with a condition. */
enum {
	ZYDIS_MNEMONIC_JCC = 0x10000,
	ZYDIS_MNEMONIC_SETCC,
	ZYDIS_MNEMONIC_CMOVCC,
	ZYDIS_MNEMONIC_IMUL1 = ZYDIS_MNEMONIC_IMUL,
	ZYDIS_MNEMONIC_JMP_REG = ZYDIS_MNEMONIC_JMP,
	ZYDIS_MNEMONIC_STOS = 0,
	ZYDIS_MNEMONIC_MOVS = 0,
	ZYDIS_MNEMONIC_JMP_SLOT = 0,
	ZYDIS_MNEMONIC_CALL_SLOT = 0,
	ZYDIS_MNEMONIC_MOVSDX = ZYDIS_MNEMONIC_MOVSD
};

static const struct {
	int mnemonic;
	uint64_t forms;
	unsigned widths;
	const char *name;
} rows[] = {
#define INSN(op, mnemonic, forms, widths, defines, undefines, feature, note) \
	[WV_##op] = {ZYDIS_MNEMONIC_##mnemonic, forms, widths, #op},
#include "ward/isa.def"
#undef INSN
};

/* clang-format off */
#define FAMILY(prefix) { \
	prefix##O, prefix##NO, prefix##B, prefix##NB, prefix##Z, prefix##NZ, prefix##BE, prefix##NBE, \
	prefix##S, prefix##NS, prefix##P, prefix##NP, prefix##L, prefix##NL, prefix##LE, prefix##NLE}
static const int jcc[16] = FAMILY(ZYDIS_MNEMONIC_J), setcc[16] = FAMILY(ZYDIS_MNEMONIC_SET);
static const int cmovcc[16] = FAMILY(ZYDIS_MNEMONIC_CMOV);
/* clang-format on */

/* The letters of a form, destination first. */
static const char *const letters[N_FORMS] = {"", "R", "M", "I", "J", "RR", "RM", "MR", "RI", "MI", "RC", "MC", "RRI",
	"RMI", "MRI", "RRC", "MRC", "RRR", "RRM", "RMR", "M", "MR", "MI", "XX", "XM", "MX", "XR", "RX", "XI", "XXI",
	"XMI", "XRI", "RXI"};

enum { FIRST_LOCKED = 20, FIRST_VECTOR = 23 };

/* One wanted instruction: operand registers and the memory operand are fixed, so that the answer can be compared. */
struct want {
	unsigned op, form, width, source_width, cond;
	unsigned reg[2]; /* of the first and second R or X */
	int64_t imm;
};

static const struct wv_mem want_mem = {.base = WV_RBX, .index = WV_R9, .scale = 4, .disp = -24};

static ZydisRegister zydis_register(unsigned reg, unsigned width)
{
	switch (width) {
	case 8:
		return reg < 4   ? ZYDIS_REGISTER_AL + reg
		       : reg < 8 ? ZYDIS_REGISTER_SPL + reg - 4
				 : ZYDIS_REGISTER_R8B + reg - 8;
	case 16: return ZYDIS_REGISTER_AX + reg;
	case 32: return ZYDIS_REGISTER_EAX + reg;
	default: return ZYDIS_REGISTER_RAX + reg;
	}
}

static int mnemonic_of(const struct want *w)
{
	switch (rows[w->op].mnemonic) {
	case ZYDIS_MNEMONIC_JCC: return jcc[w->cond];
	case ZYDIS_MNEMONIC_SETCC: return setcc[w->cond];
	case ZYDIS_MNEMONIC_CMOVCC: return cmovcc[w->cond];
	default: return rows[w->op].mnemonic;
	}
}

/* Which register the operand that is letter `c` at place `i` of a form names. */
static unsigned register_at(const struct want *w, unsigned i, char c)
{
	return c == 'C' ? WV_RCX : w->reg[i > 0] ^ (i == 2);
}

/* A general register beside xmm registers has a width of its own; memory has the row's. */
static unsigned width_at(const struct want *w, unsigned i)
{
	if (w->form >= FIRST_VECTOR && letters[w->form][i] == 'R')
		return w->op == WV_MOVQ ? 64 : 32;
	return i && w->source_width ? w->source_width : w->width;
}

static size_t encode(const struct want *w, uint8_t *bytes)
{
	ZydisEncoderRequest request = {.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
		.mnemonic = mnemonic_of(w),
		.allowed_encodings = ZYDIS_ENCODABLE_ENCODING_LEGACY | ZYDIS_ENCODABLE_ENCODING_VEX,
		.prefixes = w->form >= FIRST_LOCKED && w->form < FIRST_VECTOR ? ZYDIS_ATTRIB_HAS_LOCK : 0};
	ZyanUSize size = ZYDIS_MAX_INSTRUCTION_LENGTH;
	const char *form = letters[w->form];

	for (; form[request.operand_count]; request.operand_count++) {
		unsigned i = request.operand_count;
		ZydisEncoderOperand *op = &request.operands[i];
		unsigned width = width_at(w, i);

		switch (form[i]) {
		case 'R':
		case 'C':
			op->type = ZYDIS_OPERAND_TYPE_REGISTER;
			op->reg.value = zydis_register(register_at(w, i, form[i]), form[i] == 'C' ? 8 : width);
			break;
		case 'X':
			op->type = ZYDIS_OPERAND_TYPE_REGISTER;
			op->reg.value = ZYDIS_REGISTER_XMM0 + register_at(w, i, form[i]);
			break;
		case 'M':
			op->type = ZYDIS_OPERAND_TYPE_MEMORY;
			op->mem.base = ZYDIS_REGISTER_RBX;
			op->mem.index = ZYDIS_REGISTER_R9;
			op->mem.scale = 4;
			op->mem.displacement = -24;
			op->mem.size = w->op == WV_LEA ? 8 : width / 8;
			break;
		default: op->type = ZYDIS_OPERAND_TYPE_IMMEDIATE; op->imm.s = w->imm;
		}
	}
	if (w->op == WV_PUSH && w->form == 3)
		request.operand_size_hint = ZYDIS_OPERAND_SIZE_HINT_64;
	if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, bytes, &size)))
		return 0;
	if (bytes[0] == 0xf3 && bytes[1] == 0x66) { /* assemblers write them the other way round */
		bytes[0] = 0x66;
		bytes[1] = 0xf3;
	}
	return size;
}

static void compare_operand(const struct want *w, const struct wv_insn *insn, unsigned i, char c)
{
	const struct wv_operand *op = &insn->operand[i];
	unsigned width = c == 'C' ? 8 : width_at(w, i);
	const char *name = rows[w->op].name;

	if (c == 'R' || c == 'C') {
		cr_assert_eq(op->kind, WV_REG, "%s: operand %u", name, i);
		cr_assert_eq(op->reg, register_at(w, i, c), "%s: operand %u is register %u", name, i, op->reg);
		cr_assert_eq(op->width, width, "%s: operand %u has width %u", name, i, op->width);
		cr_assert(!op->high);
	} else if (c == 'X') {
		cr_assert(op->kind == WV_XMM && op->width == 128 && op->reg == register_at(w, i, c),
			"%s: operand %u is xmm%u", name, i, op->reg);
	} else if (c == 'M') {
		cr_assert_eq(op->kind, WV_MEM, "%s: operand %u", name, i);
		if (w->op != WV_LEA)
			cr_assert_eq(op->width, width, "%s: operand %u has width %u", name, i, op->width);
		cr_assert(insn->mem.base == want_mem.base && insn->mem.index == want_mem.index &&
				  insn->mem.scale == want_mem.scale && insn->mem.disp == want_mem.disp &&
				  !insn->mem.rip_relative,
			"%s: memory operand", name);
	} else {
		cr_assert_eq(op->kind, WV_IMM, "%s: operand %u", name, i);
		cr_assert_eq(insn->imm, w->imm, "%s: immediate %ld", name, (long)insn->imm);
	}
}

static void accept(struct guarded *g, const struct want *w, const uint8_t *bytes, size_t n)
{
	struct wv_insn insn;
	const char *why, *form = letters[w->form], *name = rows[w->op].name;
	int status = wv_decode(guarded_put(g, bytes, n), n, 0x4000, &insn, &why);

	cr_assert_eq(status, WV_DECODED, "%s, form %s, width %u: %s", name, form, w->width, why);
	cr_assert(insn.op == w->op && insn.width == w->width && insn.length == n && insn.cond == w->cond &&
			  insn.pc == 0x4000 && insn.lock == (w->form >= FIRST_LOCKED && w->form < FIRST_VECTOR),
		"%s, form %s, width %u: decoded as %s of width %u, length %u", name, form, w->width, rows[insn.op].name,
		insn.width, insn.length);
	if (form[0] == 'J') {
		cr_assert_eq(insn.target, 0x4000 + n + (uint64_t)w->imm);
		cr_assert_eq(insn.n_operands, 0);
	} else if (w->op != WV_NOP) {
		cr_assert_eq(insn.n_operands, strlen(form));
		for (unsigned i = 0; i < insn.n_operands; i++)
			compare_operand(w, &insn, i, form[i]);
	} else {
		cr_assert_eq(insn.n_operands, 0);
	}
	for (size_t k = 0; k < n; k++) {
		status = wv_decode(guarded_put(g, bytes, k), k, 0x4000, &insn, &why);
		cr_assert(status == WV_DECODED ? insn.length <= k : why != NULL);
	}
}

/*
 * Long nops in the forms that assemblers emit; the encoder knows them with one more operand. At 64 bits the one-byte
 * nop's REX.W would be without use.
 */
static unsigned accept_nops(struct guarded *g)
{
	static const struct {
		unsigned form, width;
		uint8_t n, bytes[5];
		/* clang-format off */
	} nops[] = {
		{0, 32, 1, {0x90}}, {0, 16, 2, {0x66, 0x90}}, {2, 32, 3, {0x0f, 0x1f, 0x00}},
		{2, 16, 4, {0x66, 0x0f, 0x1f, 0x00}},
		{2, 64, 4, {0x48, 0x0f, 0x1f, 0x00}}, {1, 32, 3, {0x0f, 0x1f, 0xc0}},
		{1, 16, 4, {0x66, 0x0f, 0x1f, 0xc0}},
		{1, 64, 4, {0x48, 0x0f, 0x1f, 0xc0}},
	};
	/* clang-format on */
	unsigned n = sizeof nops / sizeof *nops;

	for (unsigned i = 0; i < n; i++) {
		struct want w = {.op = WV_NOP, .form = nops[i].form, .width = nops[i].width};

		accept(g, &w, nops[i].bytes, nops[i].n);
	}
	return n;
}

static unsigned accept_strings(struct guarded *g)
{
	static const struct {
		unsigned op, width;
		uint8_t n, bytes[3];
	} strings[] = {{WV_STOS, 8, 2, {0xf3, 0xaa}}, {WV_STOS, 32, 2, {0xf3, 0xab}},
		{WV_STOS, 64, 3, {0xf3, 0x48, 0xab}}, {WV_MOVS, 8, 2, {0xf3, 0xa4}}, {WV_MOVS, 32, 2, {0xf3, 0xa5}},
		{WV_MOVS, 64, 3, {0xf3, 0x48, 0xa5}}};
	unsigned n = sizeof strings / sizeof *strings;

	for (unsigned i = 0; i < n; i++) {
		struct want w = {.op = strings[i].op, .width = strings[i].width};

		accept(g, &w, strings[i].bytes, strings[i].n);
	}
	return n;
}

/* Calls and jumps of memory are rows only where it is addressed from rip. */
static unsigned accept_slots(struct guarded *g)
{
	static const int32_t distances[] = {0, 8, -6, 0x7ffffff8, INT32_MIN};
	unsigned n = 0;

	for (unsigned call = 0; call < 2; call++) {
		for (unsigned i = 0; i < sizeof distances / sizeof *distances; i++, n++) {
			uint8_t bytes[6] = {0xff, call ? 0x15 : 0x25};
			struct wv_insn insn;
			const char *why;

			memcpy(bytes + 2, &distances[i], 4);
			cr_assert_eq(
				wv_decode(guarded_put(g, bytes, 6), 6, 0x4000, &insn, &why), WV_DECODED, "%s", why);
			cr_assert(insn.op == (call ? WV_CALL_SLOT : WV_JMP_SLOT) && insn.length == 6 &&
				  insn.width == 64 && insn.n_operands == 1);
			cr_assert(wv_through_slot(&insn) && insn.operand[0].kind == WV_MEM &&
				  insn.operand[0].width == 64);
			cr_assert(insn.mem.rip_relative && insn.mem.disp == 0x4006 + (int64_t)distances[i]);
			for (size_t k = 0; k < 6; k++)
				cr_assert_neq(wv_decode(guarded_put(g, bytes, k), k, 0x4000, &insn, &why), WV_DECODED);
		}
	}
	return n;
}

/* One form at one width, with several registers; returns the number of encodings, none of which may fail. */
static unsigned accept_form(struct guarded *g, unsigned op, unsigned form, unsigned width)
{
	static const unsigned pairs[][2] = {
		{WV_RAX, WV_RDX}, {WV_R8, WV_RSI}, {WV_RBP, WV_R15}, {WV_R12, WV_R13}, {WV_RDI, WV_RCX}};
	bool family = rows[op].mnemonic >= 0x10000;
	unsigned count = 0;

	for (unsigned cond = 0; cond < (family ? 16 : 1); cond++) {
		for (unsigned k = 0; k < 5; k++) {
			struct want w = {.op = op,
				.form = form,
				.width = width,
				.cond = cond,
				.reg = {pairs[k][0], pairs[k][1]},
				.imm = 5};
			uint8_t bytes[16];
			size_t n;

			if (op == WV_MOVZX || op == WV_MOVSX)
				w.source_width = width == 16 ? 8 : k & 1 ? 16 : 8;
			if (op == WV_MOVSXD)
				w.source_width = 32;
			if (!strchr("JC", letters[form][0] ? letters[form][strlen(letters[form]) - 1] : 'J') &&
				op < WV_SHL)
				w.imm = k & 1 ? -3 : 100;
			n = encode(&w, bytes);
			cr_assert_neq(
				n, 0, "%s, form %s, width %u: not encodable", rows[op].name, letters[form], width);
			accept(g, &w, bytes, n);
			count++;
		}
	}
	return count;
}

Test(decode, every_row_form_and_width)
{
	struct guarded g = guarded_new(16);
	unsigned combinations = 0, encodings = 0;

	cr_assert(g.map);
	for (unsigned op = 0; op < WV_OP_COUNT; op++) {
		if (op == WV_NOP || op == WV_STOS || op == WV_MOVS || op == WV_JMP_SLOT || op == WV_CALL_SLOT)
			continue;
		for (unsigned form = 0; form < N_FORMS; form++) {
			for (unsigned w = 0; w < N_WIDTHS; w++) {
				if (!(rows[op].forms >> form & 1) || !(rows[op].widths >> w & 1))
					continue;
				combinations++;
				encodings += accept_form(&g, op, form, 8u << w);
			}
		}
	}
	encodings += accept_nops(&g);
	encodings += accept_strings(&g);
	encodings += accept_slots(&g);
	cr_assert_gt(combinations, 250);
	fprintf(stderr, "decode: %u rows, %u combinations of form and width, %u encodings accepted\n",
		(unsigned)WV_OP_COUNT, combinations, encodings);
	guarded_free(&g);
}
