/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second decoder for comparison: Zydis says how long an instruction is and what it means; this file decides whether
 * a row of isa.def permits it, and translates it into the verifier's own terms. It shares isa.def with the verifier,
 * but neither opcode.def nor code.
 *
 * The policy is stated the other way round as well. The verifier lists what is permitted; three checks here look at
 * the bytes on their own, compare them with what Zydis says, and refuse what processors, vendors or decoders may read
 * differently:
 *
 * - Prefixes are counted here, byte by byte. Every prefix must have a use, except that prefixes may make a nop
 *   longer. 66 must make the operand 16 bits wide. F3 must be part of the opcode (endbr64, pause, popcnt, lzcnt,
 *   tzcnt) or repeat a stos or movs. The form must have lock. 3E may stand once before a jmp through a register. REX
 *   must stand last. An instruction with xmm registers must have exactly the one of 66, F3 and F2 that its row has,
 *   or none.
 * - Every bit of REX must have a use. W makes a 64-bit operand of one that would be narrower, and each of R, X and B
 *   numbers exactly one of the registers r8–r15 that the operands name. So no bit is ignored whose meaning could
 *   change. The same goes for VEX.
 * - Undocumented aliases of an opcode (shl as /6, test as /1, setcc with a non-zero reg field, …) are refused by the
 *   opcode's bytes.
 */
#include <string.h>

#include <Zydis/Zydis.h>

#include "zydis.h"

/* The words that isa.def uses for forms and widths. */
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
};
enum { W8 = 1, W16 = 2, W32 = 4, W64 = 8, W128 = 16 };
enum {
#define FEATURE(id, bit, name, leaf, subleaf, reg, position, allowed) id = (bit),
#include "ward/feature.def"
#undef FEATURE
};

static const struct row {
	uint64_t forms;
	uint8_t widths;
	uint8_t feature;
} rows[WV_OP_COUNT] = {
#define INSN(op, mnemonic, forms, widths, defines, undefines, feature, note) [WV_##op] = {forms, widths, feature},
#include "ward/isa.def"
#undef INSN
};

/*
 * isa.def's names for families of sixteen, and for mnemonics of which the operands make two rows; given numbers that
 * the decoder doesn't use.
 */
enum {
	ZYDIS_MNEMONIC_JCC = ZYDIS_MNEMONIC_MAX_VALUE + 1,
	ZYDIS_MNEMONIC_SETCC,
	ZYDIS_MNEMONIC_CMOVCC,
	ZYDIS_MNEMONIC_IMUL1,
	ZYDIS_MNEMONIC_JMP_REG,
	ZYDIS_MNEMONIC_STOS,
	ZYDIS_MNEMONIC_MOVS,
	ZYDIS_MNEMONIC_JMP_SLOT,
	ZYDIS_MNEMONIC_CALL_SLOT,
	ZYDIS_MNEMONIC_MOVSDX,
	MNEMONIC_COUNT,
};

/* Decoder's mnemonic to row, plus one; zero: no row permits it. */
static const uint8_t row_of[MNEMONIC_COUNT] = {
#define INSN(op, mnemonic, forms, widths, defines, undefines, feature, note) [ZYDIS_MNEMONIC_##mnemonic] = WV_##op + 1,
#include "ward/isa.def"
#undef INSN
/* clang-format off */
#define CONDITION(cc) [ZYDIS_MNEMONIC_J##cc] = WV_JCC + 1, [ZYDIS_MNEMONIC_SET##cc] = WV_SETCC + 1, \
	[ZYDIS_MNEMONIC_CMOV##cc] = WV_CMOV + 1
	CONDITION(O), CONDITION(NO), CONDITION(B), CONDITION(NB), CONDITION(Z), CONDITION(NZ),
	CONDITION(BE), CONDITION(NBE),
	CONDITION(S), CONDITION(NS), CONDITION(P), CONDITION(NP), CONDITION(L), CONDITION(NL),
	CONDITION(LE), CONDITION(NLE),
#undef CONDITION
#define STRING(width) [ZYDIS_MNEMONIC_STOS##width] = WV_STOS + 1, [ZYDIS_MNEMONIC_MOVS##width] = WV_MOVS + 1
	STRING(B), STRING(W), STRING(D), STRING(Q),
#undef STRING
	/* clang-format on */
};

/* What ZydisDecoderInit makes for 64-bit mode, as a constant so that no call pays for it and nobody can change it. */
static const ZydisDecoder decoder = {
	.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
	.stack_width = ZYDIS_STACK_WIDTH_64,
	.decoder_mode =
		{
			[ZYDIS_DECODER_MODE_MPX] = ZYAN_TRUE,
			[ZYDIS_DECODER_MODE_CET] = ZYAN_TRUE,
			[ZYDIS_DECODER_MODE_LZCNT] = ZYAN_TRUE,
			[ZYDIS_DECODER_MODE_TZCNT] = ZYAN_TRUE,
			[ZYDIS_DECODER_MODE_CLDEMOTE] = ZYAN_TRUE,
		},
};

enum { MAX_LENGTH = 15, REX_W = 8 };

/* The bytes before the opcode. */
struct prefixes {
	unsigned opsize, cs, notrack, f2, f3, lock; /* how often 66, 2E, 3E, F2, F3 and F0 occur */
	bool other;                                 /* 67 or another segment: never permitted */
	bool late_opsize;                           /* 66 after F3: some decoders then see no F3 */
	bool stray_rex; /* a REX that does not stand right before the opcode: ignored by the processor */
	uint8_t rex;
};

static struct prefixes scan_prefixes(const uint8_t *bytes, size_t size)
{
	struct prefixes p = {0};

	for (size_t i = 0; i < size && i < MAX_LENGTH; i++) {
		uint8_t byte = bytes[i];
		bool rex = (byte & 0xf0) == 0x40;

		if (rex) {
			p.stray_rex |= p.rex != 0;
			p.rex = byte;
			continue;
		}
		switch (byte) {
		case 0x66:
			p.opsize++;
			p.late_opsize |= p.f3 != 0;
			break;
		case 0x2e: p.cs++; break;
		case 0x3e: p.notrack++; break;
		case 0xf3: p.f3++; break;
		case 0xf0: p.lock++; break;
		case 0xf2: p.f2++; break;
		case 0x26:
		case 0x36:
		case 0x64:
		case 0x65:
		case 0x67: p.other = true; break;
		default: return p;
		}
		p.stray_rex |= p.rex != 0;
	}
	return p;
}

/*
 * Is the last operand a number of bits, or of a bit: cl, or an immediate of eight bits whatever the width? Beside xmm
 * registers all immediates are.
 */
static bool counts_bits(enum wv_op op)
{
	switch (op) {
	case WV_SHL:
	case WV_SHR:
	case WV_SAR:
	case WV_RCL:
	case WV_RCR:
	case WV_ROL:
	case WV_ROR:
	case WV_SHLD:
	case WV_SHRD:
	case WV_RORX:
	case WV_BT:
	case WV_BTS:
	case WV_BTR:
	case WV_BTC: return true;
	default: return wv_op_is_vector(op);
	}
}

static bool is_vex(enum wv_op op)
{
	return op >= WV_ANDN && op <= WV_SHRX;
}

/* Is F3 a part of the opcode? */
static bool has_f3(enum wv_op op)
{
	return op == WV_ENDBR || op == WV_PAUSE || op == WV_POPCNT || op == WV_LZCNT || op == WV_TZCNT ||
	       op == WV_STOS || op == WV_MOVS;
}

/*
 * Encodings that the decoder takes for a permitted mnemonic but which aren't documented so, or not as the one form that
 * the row means.
 */
static const char *alias(enum wv_op op, const ZydisDecodedInstruction *z)
{
	bool one_byte = z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
	bool two_byte =
		z->opcode_map == ZYDIS_OPCODE_MAP_0F || (op == WV_MOVBE && z->opcode_map == ZYDIS_OPCODE_MAP_0F38);
	uint8_t opcode = z->opcode, reg = z->raw.modrm.reg;

	if (is_vex(op))
		return z->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && z->raw.vex.size == 3
			       ? NULL
			       : "neither of the general-purpose set nor of SSE2";
	if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY || (!one_byte && !two_byte))
		return "neither of the general-purpose set nor of SSE2";
	if (op == WV_TEST && opcode >= 0xf6 && reg != 0)
		return "undocumented encoding of test";
	if (op == WV_SHL && reg == 6)
		return "undocumented encoding of shl";
	if (op == WV_SETCC && reg != 0)
		return "setcc with bits that the processor ignores";
	if ((op == WV_LFENCE || op == WV_MFENCE || op == WV_SFENCE) && z->raw.modrm.rm != 0)
		return "a fence with bits that the processor ignores";
	if (op == WV_NOP && !(one_byte ? opcode == 0x90 : opcode == 0x1f && reg == 0))
		return "a reserved nop, which later processors may give a meaning";
	return NULL;
}

static bool convert_register(ZydisRegister z, struct wv_operand *out)
{
	unsigned n;

	out->kind = WV_REG;
	if (z >= ZYDIS_REGISTER_AL && z <= ZYDIS_REGISTER_R15B) {
		n = z - ZYDIS_REGISTER_AL;
		out->width = 8;
		out->high = n >= 4 && n < 8;
		out->reg = n < 4 ? n : n - 4; /* al…bl, ah…bh, spl…dil, r8b…r15b; ah is part of rax */
	} else if (z >= ZYDIS_REGISTER_AX && z <= ZYDIS_REGISTER_R15W) {
		out->width = 16;
		out->reg = z - ZYDIS_REGISTER_AX;
	} else if (z >= ZYDIS_REGISTER_EAX && z <= ZYDIS_REGISTER_R15D) {
		out->width = 32;
		out->reg = z - ZYDIS_REGISTER_EAX;
	} else if (z >= ZYDIS_REGISTER_RAX && z <= ZYDIS_REGISTER_R15) {
		out->width = 64;
		out->reg = z - ZYDIS_REGISTER_RAX;
	} else if (z >= ZYDIS_REGISTER_XMM0 && z <= ZYDIS_REGISTER_XMM15) {
		out->kind = WV_XMM;
		out->width = 128;
		out->reg = z - ZYDIS_REGISTER_XMM0;
	} else {
		return false;
	}
	return true;
}

/* A base or index register of an address: 64 bits or none. */
static bool convert_address_register(ZydisRegister z, uint8_t *out)
{
	*out = WV_NOREG;
	if (z == ZYDIS_REGISTER_NONE)
		return true;
	if (z < ZYDIS_REGISTER_RAX || z > ZYDIS_REGISTER_R15)
		return false;
	*out = z - ZYDIS_REGISTER_RAX;
	return true;
}

static bool convert_memory(const ZydisDecodedOperand *z, struct wv_insn *insn, struct wv_operand *out)
{
	struct wv_mem *mem = &insn->mem;

	if (z->mem.type != ZYDIS_MEMOP_TYPE_MEM && z->mem.type != ZYDIS_MEMOP_TYPE_AGEN)
		return false;
	*mem = (struct wv_mem){.base = WV_NOREG, .index = WV_NOREG, .scale = 1, .disp = z->mem.disp.value};
	out->kind = WV_MEM;
	out->width = z->size == 8 || z->size == 16 || z->size == 32 || z->size == 128 ? z->size : 64;
	if (z->mem.base == ZYDIS_REGISTER_RIP) {
		mem->rip_relative = true;
		mem->disp = (int64_t)(insn->pc + insn->length + (uint64_t)mem->disp);
		return z->mem.index == ZYDIS_REGISTER_NONE;
	}
	if (!convert_address_register(z->mem.base, &mem->base) || !convert_address_register(z->mem.index, &mem->index))
		return false;
	if (mem->index != WV_NOREG)
		mem->scale = z->mem.scale;
	return true;
}

static int64_t sign_extend(uint64_t value, unsigned width)
{
	return (int64_t)(value << (64 - width)) >> (64 - width);
}

/*
 * Fill insn's operands from the decoder's visible ones; false if one is of a kind that no row has (segment register,
 * far pointer, …).
 */
static bool convert_operands(const ZydisDecodedOperand *z, unsigned n, struct wv_insn *insn)
{
	if (n > 3)
		return false;
	for (unsigned i = 0; i < n; i++) {
		struct wv_operand *out = &insn->operand[i];

		switch (z[i].type) {
		case ZYDIS_OPERAND_TYPE_REGISTER:
			if (!convert_register(z[i].reg.value, out))
				return false;
			break;
		case ZYDIS_OPERAND_TYPE_MEMORY:
			if (!convert_memory(&z[i], insn, out))
				return false;
			break;
		case ZYDIS_OPERAND_TYPE_IMMEDIATE:
			out->kind = WV_IMM;
			insn->imm = z[i].imm.value.s;
			break;
		default: return false;
		}
	}
	insn->n_operands = n;
	return true;
}

/* The one width of a row with xmm registers. */
static unsigned row_width(enum wv_op op)
{
	return 8u * rows[op].widths;
}

/* The instruction's width, and with it the immediate's value: see insn.h. */
static void set_width(struct wv_insn *insn, unsigned operand_width)
{
	bool count = counts_bits(insn->op);

	switch (insn->op) {
	case WV_JMP:
	case WV_JCC:
	case WV_CALL:
	case WV_JMP_SLOT:
	case WV_CALL_SLOT:
	case WV_RET:
	case WV_INT3:
	case WV_UD2:
	case WV_LEAVE:
	case WV_PAUSE:
	case WV_LFENCE:
	case WV_MFENCE:
	case WV_SFENCE:
	case WV_RDTSC:
	case WV_RDTSCP:
	case WV_ENDBR: insn->width = 64; break;
	case WV_NOP: insn->width = operand_width; break;
	default:
		if (wv_op_is_vector(insn->op))
			insn->width = row_width(insn->op);
		else
			insn->width = insn->n_operands && insn->operand[0].kind != WV_IMM ? insn->operand[0].width
											  : operand_width;
	}
	for (unsigned i = 0; i < insn->n_operands; i++) {
		if (insn->operand[i].kind != WV_IMM)
			continue;
		insn->operand[i].width = count ? 8 : insn->width;
		insn->imm = count ? (insn->imm & 0xff) : sign_extend((uint64_t)insn->imm, insn->width);
	}
}

static uint64_t form_of(const struct wv_insn *insn)
{
	const struct wv_operand *op = insn->operand;
	bool cl = counts_bits(insn->op) && insn->op < WV_BT && insn->n_operands > 1 &&
		  op[insn->n_operands - 1].kind == WV_REG;
	static const uint64_t two[5][5] = {
		[WV_REG] = {[WV_REG] = RR, [WV_MEM] = RM, [WV_IMM] = RI, [WV_XMM] = RX},
		[WV_MEM] = {[WV_REG] = MR, [WV_IMM] = MI, [WV_XMM] = MX},
		[WV_XMM] = {[WV_REG] = XR, [WV_MEM] = XM, [WV_IMM] = XI, [WV_XMM] = XX},
	};
	static const uint64_t three[5][5][5] = {
		[WV_REG][WV_REG] = {[WV_REG] = RRR, [WV_MEM] = RRM, [WV_IMM] = RRI},
		[WV_REG][WV_MEM] = {[WV_REG] = RMR, [WV_IMM] = RMI},
		[WV_MEM][WV_REG] = {[WV_IMM] = MRI},
		[WV_REG][WV_XMM] = {[WV_IMM] = RXI},
		[WV_XMM][WV_REG] = {[WV_IMM] = XRI},
		[WV_XMM][WV_MEM] = {[WV_IMM] = XMI},
		[WV_XMM][WV_XMM] = {[WV_IMM] = XXI},
	};
	static const unsigned one[5] = {[WV_REG] = R, [WV_MEM] = M, [WV_IMM] = I};
	uint64_t form;

	switch (insn->n_operands) {
	case 0: return _;
	case 1: form = one[op[0].kind]; break;
	case 2: form = cl ? (op[0].kind == WV_REG ? RC : MC) : two[op[0].kind][op[1].kind]; break;
	default:
		form = three[op[0].kind][op[1].kind][op[2].kind];
		if (cl)
			form = op[1].kind != WV_REG ? 0 : op[0].kind == WV_REG ? RRC : op[0].kind == WV_MEM ? MRC : 0;
	}
	if (insn->lock)
		form = form == M ? LM : form == MR ? LMR : form == MI ? LMI : 0;
	return form;
}

static unsigned width_bit(unsigned width)
{
	return width == 8 ? W8 : width == 16 ? W16 : width == 32 ? W32 : width == 64 ? W64 : width == 128 ? W128 : 0;
}

/* May this instruction have rsp, or a part of it, as its first operand? Each change of rsp must be by a constant. */
static bool rsp_allowed(const struct wv_insn *insn)
{
	switch (insn->op) {
	case WV_CMP:
	case WV_TEST:
	case WV_BT:
	case WV_MUL:
	case WV_IMUL1:
	case WV_DIV:
	case WV_IDIV: return true; /* sources only */
	case WV_ADD:
	case WV_SUB: return insn->width == 64 && insn->operand[1].kind == WV_IMM;
	default: return false;
	}
}

/* Is operand[1] a destination too? */
static bool writes_second(enum wv_op op)
{
	return op == WV_XCHG || op == WV_XADD || op == WV_MULX;
}

/* Beside an xmm register memory is as wide as the row, and a general register 32 bits, or 64 with movq. */
static bool vector_widths(const struct wv_insn *insn)
{
	for (unsigned i = 0; i < insn->n_operands; i++) {
		const struct wv_operand *op = &insn->operand[i];

		if (op->kind == WV_MEM && op->width != insn->width)
			return false;
		if (op->kind == WV_REG && op->width != (insn->op == WV_MOVQ ? 64 : 32))
			return false;
	}
	return true;
}

static const char *bad_operand(const struct wv_insn *insn)
{
	const struct row *row = &rows[insn->op];
	const struct wv_operand *op = insn->operand;

	if (!(form_of(insn) & row->forms)) /* whether it may be locked was seen before */
		return "operands of this form";
	if (!(width_bit(insn->width) & row->widths))
		return "operands of this width";
	if (wv_op_is_vector(insn->op) && !vector_widths(insn))
		return "operands of this width";
	if (op[0].kind == WV_REG && op[0].reg == WV_RSP && !rsp_allowed(insn))
		return insn->op == WV_PUSH ? "rsp may not be pushed" : "rsp may only be moved by a constant";
	if (writes_second(insn->op) && op[1].kind == WV_REG && op[1].reg == WV_RSP)
		return "rsp may only be moved by a constant";
	if ((insn->op == WV_MOVZX || insn->op == WV_MOVSX) && op[1].width >= insn->width)
		return "extension to a width that is no wider";
	return NULL;
}

/* How many of the operands' registers are r8–r15, and does one need a REX to mean spl, bpl, sil or dil? */
static unsigned extended_registers(const struct wv_insn *insn, bool *low_byte)
{
	unsigned n = 0;

	*low_byte = false;
	for (unsigned i = 0; i < insn->n_operands; i++) {
		const struct wv_operand *op = &insn->operand[i];

		if (op->kind == WV_REG || op->kind == WV_XMM) {
			n += op->reg >= WV_R8;
			*low_byte |= op->width == 8 && !op->high && op->reg >= WV_RSP && op->reg <= WV_RDI;
		} else if (op->kind == WV_MEM) {
			n += insn->mem.base != WV_NOREG && insn->mem.base >= WV_R8;
			n += insn->mem.index != WV_NOREG && insn->mem.index >= WV_R8;
		}
	}
	return n;
}

static bool default_64(enum wv_op op)
{
	return op == WV_PUSH || op == WV_POP || op == WV_CALL || op == WV_JMP || op == WV_JMP_REG ||
	       op == WV_CALL_SLOT || op == WV_JMP_SLOT || op == WV_JCC || op == WV_RET || op == WV_ENDBR ||
	       op == WV_LEAVE || op == WV_INT3 || op == WV_UD2 || op == WV_PAUSE || op == WV_RDTSC || op == WV_RDTSCP ||
	       op == WV_LFENCE || op == WV_MFENCE || op == WV_SFENCE;
}

/*
 * The second and third bytes of a VEX prefix: R, X and B (inverted), then W, and vvvv (inverted), the number of a
 * register or, without one, all ones, which the decoder sees to.
 */
static const char *bad_vex(const struct wv_insn *insn, const uint8_t *vex, unsigned extended)
{
	unsigned upper = (unsigned)__builtin_popcount(~vex[1] & 0xe0) + !(vex[2] & 0x40);

	if (((vex[2] & 0x80) != 0) != (insn->width == 64) || (vex[2] & 4) || upper != extended)
		return "a VEX prefix with bits without effect";
	return NULL;
}

/*
 * The one prefix that is part of the opcode, and REX.W where it makes movq of movd. Loads and moves between registers
 * have two encodings of movq, with F3 and with 66 and REX.W; the latter is the only one that knows general registers.
 */
static const char *bad_vector_prefix(
	const struct wv_insn *insn, const struct prefixes *p, uint8_t opcode, unsigned extended)
{
	enum wv_op op = insn->op;
	bool f2 = op >= WV_MOVSDX,
	     f3 = (op >= WV_MOVDQU && !f2) || (op == WV_MOVQ && opcode == 0x7e && !(p->rex & REX_W));
	bool opsize = op >= WV_MOVUPD && !f2 && !f3,
	     wide = op == WV_MOVQ && opsize && (opcode == 0x6e || opcode == 0x7e);

	if (p->lock || p->cs || p->notrack || p->f2 != f2 || p->f3 != f3 || p->opsize != opsize)
		return "a prefix other than the instruction's own";
	if (((p->rex & REX_W) != 0) != wide)
		return "a REX.W without effect";
	if (p->rex && !wide && (unsigned)__builtin_popcount(p->rex & 7) == 0)
		return "a REX prefix without effect";
	return (unsigned)__builtin_popcount(p->rex & 7) != extended ? "a REX prefix without effect" : NULL;
}

static const char *bad_prefix(
	const struct wv_insn *insn, const struct prefixes *p, const uint8_t *bytes, uint8_t opcode)
{
	bool nop = insn->op == WV_NOP, one_byte_nop = nop && opcode == 0x90, low_byte;
	unsigned extended = extended_registers(insn, &low_byte);

	if (p->notrack > (insn->op == WV_JMP_REG))
		return "a segment, address-size or repeat prefix";
	if (wv_op_is_vector(insn->op))
		return bad_vector_prefix(insn, p, opcode, extended);
	if (p->f2)
		return "a repeat prefix";
	if (p->lock > 1 || (p->lock && !(form_of(insn) & rows[insn->op].forms)))
		return "a lock prefix";
	if (is_vex(insn->op))
		return p->f3 || p->cs || p->opsize || p->rex || bytes[0] != 0xc4 ? "a prefix before VEX"
										 : bad_vex(insn, bytes, extended);
	if (p->f3 != has_f3(insn->op))
		return "a repeat prefix";
	if (p->late_opsize)
		return "an operand-size prefix after F3";
	if (p->cs && !nop)
		return "a segment prefix";
	if (!nop && p->opsize != (insn->width == 16))
		return "an operand-size prefix without effect";
	if (!p->rex)
		return NULL;
	if ((p->rex & REX_W) && (insn->width != 64 || default_64(insn->op) || one_byte_nop))
		return "a REX.W without effect";
	if ((unsigned)__builtin_popcount(p->rex & 7) != extended || (p->rex == 0x40 && !low_byte))
		return "a REX prefix without effect";
	return NULL;
}

/* Near calls and jumps through eight bytes addressed from rip (FF /2 and /4, ModRM.mod 0, rm 5): rows of their own. */
static void separate_indirect(const ZydisDecodedInstruction *z, struct wv_insn *insn)
{
	bool slot = z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && z->opcode == 0xff && z->raw.modrm.mod == 0 &&
		    z->raw.modrm.rm == 5;

	if (slot && insn->op == WV_CALL && z->raw.modrm.reg == 2)
		insn->op = WV_CALL_SLOT;
	if (slot && insn->op == WV_JMP && z->raw.modrm.reg == 4)
		insn->op = WV_JMP_SLOT;
	if (insn->op == WV_JMP && z->opcode == 0xff && z->raw.modrm.mod == 3 && z->raw.modrm.reg == 4)
		insn->op = WV_JMP_REG;
}

/* A branch's target is no operand; of a nop's operands nothing is used. What is left has fixed places in wv_insn. */
static void finish(struct wv_insn *insn, bool branch)
{
	if (branch)
		insn->target = insn->pc + insn->length + (uint64_t)insn->imm;
	if (branch || insn->op == WV_NOP) {
		insn->n_operands = 0;
		memset(insn->operand, 0, sizeof insn->operand);
		insn->mem = (struct wv_mem){.base = WV_NOREG, .index = WV_NOREG, .scale = 1};
		insn->imm = 0;
	}
}

static enum wv_decode_status refuse(enum wv_decode_status status, const char **why, const char *what)
{
	*why = what;
	return status;
}

/*
 * Forms that only the opcode tells apart: branches must be relative, a return near and without immediate, and the
 * address of a mov is in its ModRM byte.
 */
static enum wv_decode_status check_form(const ZydisDecodedInstruction *z, const struct wv_insn *insn, const char **why)
{
	bool one_byte = z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;

	if ((insn->op == WV_JMP || insn->op == WV_CALL) && !z->raw.imm[0].is_relative)
		return refuse(WV_INDIRECT, why, insn->op == WV_JMP ? "indirect jmp" : "indirect call");
	if (insn->op == WV_RET && z->opcode != 0xc3)
		return refuse(WV_BAD_OPERAND, why, z->opcode == 0xc2 ? "ret with an immediate" : "far return");
	if (insn->op == WV_MOV && one_byte && z->opcode >= 0xa0 && z->opcode <= 0xa3)
		return refuse(WV_BAD_OPERAND, why, "mov with a 64-bit absolute address");
	return WV_DECODED;
}

/* The decoder's own refusals. */
static enum wv_decode_status refuse_undecodable(ZyanStatus status, const char **why)
{
	switch (status) {
	case ZYDIS_STATUS_NO_MORE_DATA:
		return refuse(WV_BAD_OPCODE, why, "an instruction that runs past the end of the text");
	case ZYDIS_STATUS_INSTRUCTION_TOO_LONG:
		return refuse(WV_BAD_OPCODE, why, "an instruction of more than 15 bytes");
	case ZYDIS_STATUS_ILLEGAL_LOCK: return refuse(WV_BAD_PREFIX, why, "a lock prefix where none can be");
	case ZYDIS_STATUS_ILLEGAL_LEGACY_PFX:
	case ZYDIS_STATUS_ILLEGAL_REX: return refuse(WV_BAD_PREFIX, why, "a prefix where none can be");
	default: return refuse(WV_BAD_OPCODE, why, "bytes that are no instruction");
	}
}

enum wv_decode_status zydis_decode(
	const uint8_t *bytes, size_t size, uint64_t pc, struct wv_insn *insn, const char **why)
{
	ZydisDecoderContext context;
	ZydisDecodedInstruction z;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT_VISIBLE];
	struct prefixes prefixes;
	enum wv_decode_status form;
	ZyanStatus status;
	ZyanU8 count;
	bool relative;

	*why = "no bytes";
	*insn = (struct wv_insn){.pc = pc, .mem = {.base = WV_NOREG, .index = WV_NOREG, .scale = 1}};
	if (size == 0)
		return WV_BAD_OPCODE;
	status = ZydisDecoderDecodeInstruction(&decoder, &context, bytes, size, &z);
	if (!ZYAN_SUCCESS(status))
		return refuse_undecodable(status, why);
	if ((unsigned)z.mnemonic >= MNEMONIC_COUNT || !row_of[z.mnemonic]) {
		const char *name = ZydisMnemonicGetString(z.mnemonic);

		return refuse(WV_BAD_OPCODE, why, name ? name : "an unknown instruction");
	}
	insn->op = row_of[z.mnemonic] - 1;
	if (insn->op == WV_IMUL && z.operand_count_visible == 1)
		insn->op = WV_IMUL1;
	if (insn->op == WV_MOVS && z.opcode_map == ZYDIS_OPCODE_MAP_0F)
		insn->op = WV_MOVSDX;
	insn->length = z.length;
	separate_indirect(&z, insn);
	insn->cond = insn->op == WV_JCC || insn->op == WV_SETCC || insn->op == WV_CMOV ? z.opcode & 0xf : 0;
	if ((*why = alias(insn->op, &z)))
		return WV_BAD_OPCODE;
	form = check_form(&z, insn, why);
	if (form != WV_DECODED)
		return form;
	prefixes = scan_prefixes(bytes, size);
	if (prefixes.other)
		return refuse(WV_BAD_PREFIX, why, "a segment, address-size or repeat prefix");
	if (prefixes.stray_rex)
		return refuse(WV_BAD_PREFIX, why, "a REX prefix that is ignored");
	insn->lock = prefixes.lock != 0;
	relative = z.raw.imm[0].is_relative;
	/* The decoder lists the reg field of a long nop as an operand. It isn't one, and is zero here. */
	count = insn->op == WV_NOP && z.operand_count_visible > 1 ? 1 : z.operand_count_visible;
	if (count > ZYDIS_MAX_OPERAND_COUNT_VISIBLE ||
		!ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder, &context, &z, operands, count)) ||
		!convert_operands(operands, count, insn))
		return refuse(WV_BAD_OPERAND, why,
			"an operand that is neither general register, xmm register, memory nor immediate");
	set_width(insn, z.operand_width);
	if ((*why = bad_prefix(insn, &prefixes, bytes, z.opcode)))
		return WV_BAD_PREFIX;
	if (relative ? !(rows[insn->op].forms & REL) : (*why = bad_operand(insn)) != NULL)
		return refuse(WV_BAD_OPERAND, why, relative ? "a relative operand" : *why);
	finish(insn, relative);
	return WV_DECODED;
}
