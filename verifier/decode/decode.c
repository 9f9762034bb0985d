/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder: it turns bytes into a row of isa.def with its operands, by the table of spec/ward/opcode.def.
 *
 * It knows the encodings that a module may hold and no others. It can't tell the length of an unknown instruction,
 * and needn't: it refuses whatever has no line in the table. An instruction is legacy prefixes, then at most one REX,
 * then the opcode; or a three-byte VEX prefix and the opcode. The map, the mandatory prefix, the opcode and ModRM's
 * reg field select at most one line, which says what follows: ModRM with its SIB byte and displacement, an immediate,
 * or nothing.
 *
 * The decoder refuses, rather than models, what processors, vendors or other decoders may read differently:
 *
 * - Every prefix must have a use. 66 must make the operand 16 bits wide, or make a nop longer; so may 2E. The form
 * must
 *    have lock, and the line must have the other prefixes. No prefix may come twice, nor 66 after F3 or F2.
 * - Every bit of REX must have a use. W makes a 64-bit operand of one that would be narrower. Each of R, X and B
 * numbers
 *    one of the registers r8–r15 that the operands name. A REX without any of these bits makes spl, bpl, sil or dil of
 *    what would be ah to bh. So no bit is ignored whose meaning could change. The same goes for VEX.
 * - Undocumented aliases of an opcode (shl as /6, test as /1, setcc with a non-zero reg field, …) have no line.
 */
#include <string.h>

#include "opcode.h"

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
enum { W8 = 1, W16 = 2, W32 = 4, W64 = 8, W128 = 16 }; /* bits, divided by eight */
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

/* ---- opcode.def as tables ---- */

/* The legacy prefixes that were seen, as a set. */
enum {
	SEEN_66 = 1 << 0,
	SEEN_F3 = 1 << 1,
	SEEN_F2 = 1 << 2,
	SEEN_LOCK = 1 << 3,
	SEEN_CS = 1 << 4,
	SEEN_AGAIN = 1 << 5, /* 66 or 2E more than once */
	SEEN_3E = 1 << 6,
	SEEN_BAD = 1 << 7, /* one that is never permitted, or not there */
};

/* The words of the columns `operands`, `size` and `imm`. */
/* clang-format off */
enum operands { OPS__, OPS_E, OPS_O, OPS_I, OPS_J, OPS_EG, OPS_GE, OPS_GE8, OPS_GE16, OPS_GE32, OPS_GE64,
	OPS_EI, OPS_EC, OPS_AI, OPS_OI, OPS_OA, OPS_GEI, OPS_EGI, OPS_EGC, OPS_GVE, OPS_GEV, OPS_VE, OPS_XY, OPS_YX,
	OPS_XE, OPS_EX, OPS_GY, OPS_YI, OPS_XYI, OPS_GYI, OPS_XE32I };
enum size { SIZE_8, SIZE_16, SIZE_32, SIZE_64, SIZE_128, SIZE_V, SIZE_P, SIZE_N, SIZE_Q };
enum imm { IMM__, IMM_8, IMM_32, IMM_Z, IMM_W, IMM_U, IMM_ONE };
/* clang-format on */

/*
 * Where among wv_insn's operands each goes, counted from 1; 0: it isn't there. A width of 0 is the instruction's. Then
 * the form that isa.def calls it when ModRM names a register (or there is none), when it names memory, and memory under
 * lock.
 */
struct shape {
	uint8_t n, rm, reg, vvvv, opcode, rax, cl, imm;
	bool rm_xmm, reg_xmm;
	uint8_t rm_width, mem_width, reg_width;
	uint64_t form, mem_form, lock_form;
};
static const struct shape shapes[] = {
	[OPS__] = {.form = _},
	[OPS_J] = {.form = REL},
	[OPS_E] = {.n = 1, .rm = 1, .form = R, .mem_form = M, .lock_form = LM},
	[OPS_O] = {.n = 1, .opcode = 1, .form = R},
	[OPS_I] = {.n = 1, .imm = 1, .form = I},
	[OPS_EG] = {.n = 2, .rm = 1, .reg = 2, .form = RR, .mem_form = MR, .lock_form = LMR},
	[OPS_GE] = {.n = 2, .reg = 1, .rm = 2, .form = RR, .mem_form = RM},
	[OPS_GE8] = {.n = 2, .reg = 1, .rm = 2, .rm_width = 8, .mem_width = 8, .form = RR, .mem_form = RM},
	[OPS_GE16] = {.n = 2, .reg = 1, .rm = 2, .rm_width = 16, .mem_width = 16, .form = RR, .mem_form = RM},
	[OPS_GE32] = {.n = 2, .reg = 1, .rm = 2, .rm_width = 32, .mem_width = 32, .form = RR, .mem_form = RM},
	[OPS_GE64] = {.n = 2, .reg = 1, .rm = 2, .rm_width = 64, .mem_width = 64, .form = RR, .mem_form = RM},
	[OPS_EI] = {.n = 2, .rm = 1, .imm = 2, .form = RI, .mem_form = MI, .lock_form = LMI},
	[OPS_EC] = {.n = 2, .rm = 1, .cl = 2, .form = RC, .mem_form = MC},
	[OPS_AI] = {.n = 2, .rax = 1, .imm = 2, .form = RI},
	[OPS_OI] = {.n = 2, .opcode = 1, .imm = 2, .form = RI},
	[OPS_OA] = {.n = 2, .opcode = 1, .rax = 2, .form = RR},
	[OPS_GEI] = {.n = 3, .reg = 1, .rm = 2, .imm = 3, .form = RRI, .mem_form = RMI},
	[OPS_EGI] = {.n = 3, .rm = 1, .reg = 2, .imm = 3, .form = RRI, .mem_form = MRI},
	[OPS_EGC] = {.n = 3, .rm = 1, .reg = 2, .cl = 3, .form = RRC, .mem_form = MRC},
	[OPS_GVE] = {.n = 3, .reg = 1, .vvvv = 2, .rm = 3, .form = RRR, .mem_form = RRM},
	[OPS_GEV] = {.n = 3, .reg = 1, .rm = 2, .vvvv = 3, .form = RRR, .mem_form = RMR},
	[OPS_VE] = {.n = 2, .vvvv = 1, .rm = 2, .form = RR, .mem_form = RM},
	[OPS_XY] = {.n = 2, .reg = 1, .reg_xmm = true, .rm = 2, .rm_xmm = true, .form = XX, .mem_form = XM},
	[OPS_YX] = {.n = 2, .rm = 1, .rm_xmm = true, .reg = 2, .reg_xmm = true, .form = XX, .mem_form = MX},
	[OPS_XE] = {.n = 2, .reg = 1, .reg_xmm = true, .rm = 2, .form = XR, .mem_form = XM},
	[OPS_EX] = {.n = 2, .rm = 1, .reg = 2, .reg_xmm = true, .form = RX, .mem_form = MX},
	[OPS_GY] = {.n = 2, .reg = 1, .reg_width = 32, .rm = 2, .rm_xmm = true, .form = RX},
	[OPS_YI] = {.n = 2, .rm = 1, .rm_xmm = true, .imm = 2, .form = XI},
	[OPS_XYI] =
		{.n = 3, .reg = 1, .reg_xmm = true, .rm = 2, .rm_xmm = true, .imm = 3, .form = XXI, .mem_form = XMI},
	[OPS_GYI] = {.n = 3, .reg = 1, .reg_width = 32, .rm = 2, .rm_xmm = true, .imm = 3, .form = RXI},
	[OPS_XE32I] =
		{.n = 3, .reg = 1, .reg_xmm = true, .rm = 2, .rm_width = 32, .imm = 3, .form = XRI, .mem_form = XMI},
};

/*
 * The width in bits without 66 and W, with 66, with W, with both; 0: the prefix would have no use. A 66 that is part of
 * the opcode doesn't count.
 */
static const uint8_t widths[][4] = {
	[SIZE_8] = {8},
	[SIZE_16] = {16},
	[SIZE_32] = {32},
	[SIZE_64] = {64},
	[SIZE_128] = {128},
	[SIZE_V] = {32, 16, 64, 0},
	[SIZE_P] = {32, 16, 64, 64},
	[SIZE_N] = {32, 16, 0, 0},
	[SIZE_Q] = {64, 16, 0, 0},
};

/* One line of opcode.def. */
struct encoding {
	uint8_t op, operands, size, imm;
	uint8_t modrm;  /* 0: no ModRM byte; 1: one; else the byte that it must be */
	bool condition; /* in the low four bits of the opcode */
	uint8_t seen;   /* legacy prefixes that it has or may have, apart from those that size and form judge */
};

/* Lines have a number each, from 1; two lines for the same thing would be two enumerators of the same name. */
#define NAME(map, opcode, prefix, modrm) LINE_##map##_##prefix##_##opcode##_##modrm
enum {
	NO_LINE,
#define ENC(map, opcode, count, prefix, modrm, op, operands, size, imm) NAME(map, opcode, prefix, modrm),
#include "ward/opcode.def"
#undef ENC
	LINES
};

/*
 * The words of the column `modrm`: what the byte must be (0: there is none, 1: anything), and which bytes lead to the
 * line: those that name memory (0) or a register (1), from … to, with a reg field from … to.
 */
#define WORDS \
	WORD(_, 0, 0, 1, 0, 7) \
	WORD(R, 1, 0, 1, 0, 7) \
	WORD(0, 1, 0, 1, 0, 0) \
	WORD(1, 1, 0, 1, 1, 1) \
	WORD(2, 1, 0, 1, 2, 2) \
	WORD(3, 1, 0, 1, 3, 3) \
	WORD(4, 1, 0, 1, 4, 4) \
	WORD(5, 1, 0, 1, 5, 5) \
	WORD(6, 1, 0, 1, 6, 6) \
	WORD(7, 1, 0, 1, 7, 7) \
	WORD(RM, 1, 0, 0, 0, 7) \
	WORD(RR, 1, 1, 1, 0, 7) \
	WORD(2R, 1, 1, 1, 2, 2) \
	WORD(3R, 1, 1, 1, 3, 3) \
	WORD(4R, 1, 1, 1, 4, 4) \
	WORD(6R, 1, 1, 1, 6, 6) \
	WORD(7R, 1, 1, 1, 7, 7) \
	WORD(15, 0x15, 0, 0, 2, 2) \
	WORD(25, 0x25, 0, 0, 4, 4) \
	WORD(E8, 0xe8, 1, 1, 5, 5) \
	WORD(F0, 0xf0, 1, 1, 6, 6) \
	WORD(F8, 0xf8, 1, 1, 7, 7) \
	WORD(F9, 0xf9, 1, 1, 7, 7) \
	WORD(FA, 0xfa, 1, 1, 7, 7)
enum {
#define WORD(name, byte, mod_from, mod_to, reg_from, reg_to) \
	MODRM_##name = byte, MOD_FROM_##name = mod_from, MOD_TO_##name = mod_to, REG_FROM_##name = reg_from, \
	REG_TO_##name = reg_to,
	WORDS
#undef WORD
};

/* The words of the column `prefix`: what of SEEN_… that makes right. */
enum {
	PREFIX__ = 0,
	PREFIX_NP = 0,
	PREFIX_PAD = SEEN_CS | SEEN_AGAIN,
	PREFIX_3E = SEEN_3E,
	PREFIX_66 = SEEN_66,
	PREFIX_F3 = SEEN_F3,
	PREFIX_F2 = SEEN_F2
};

static const struct encoding lines[LINES] = {
#define ENC(map, opcode, count, prefix, modrm, op, operands, size, imm) \
	[NAME(map, opcode, prefix, modrm)] = { \
		WV_##op, OPS_##operands, SIZE_##size, IMM_##imm, MODRM_##modrm, (count) == 16, PREFIX_##prefix},
#include "ward/opcode.def"
#undef ENC
};

/*
 * The line for a map, mandatory prefix, opcode, memory or register, and reg field. No place may have two lines: the
 * compiler refuses an element that is set twice.
 */
#pragma GCC diagnostic error "-Woverride-init"
static const uint16_t line_of[MAPS][PPS][256][2][8] = {
#define AT(map, pp, opcode, count, prefix, modrm) \
	[MAP_##map][pp][(opcode)...(opcode) + (count) - 1][MOD_FROM_##modrm... MOD_TO_##modrm] \
		   [REG_FROM_##modrm... REG_TO_##modrm] = NAME(map, opcode, prefix, modrm)
#define AT__(map, opcode, count, modrm) AT(map, PP_NP, opcode, count, _, modrm), AT(map, PP_66, opcode, count, _, modrm)
#define AT_PAD(map, opcode, count, modrm) \
	AT(map, PP_NP, opcode, count, PAD, modrm), AT(map, PP_66, opcode, count, PAD, modrm)
#define AT_3E(map, opcode, count, modrm) \
	AT(map, PP_NP, opcode, count, 3E, modrm), AT(map, PP_66, opcode, count, 3E, modrm)
#define AT_NP(map, opcode, count, modrm) AT(map, PP_NP, opcode, count, NP, modrm)
#define AT_66(map, opcode, count, modrm) AT(map, PP_66, opcode, count, 66, modrm)
#define AT_F3(map, opcode, count, modrm) AT(map, PP_F3, opcode, count, F3, modrm)
#define AT_F2(map, opcode, count, modrm) AT(map, PP_F2, opcode, count, F2, modrm)
#define ENC(map, opcode, count, prefix, modrm, op, operands, size, imm) AT_##prefix(map, opcode, count, modrm),
#include "ward/opcode.def"
#undef ENC
};

/* ---- reading ---- */

enum { MAX_LENGTH = 15, VEX = 0xc4, REX = 0x40, REX_W = 8, REX_R = 4, REX_X = 2, REX_B = 1 };

struct reader {
	const uint8_t *start, *at, *end;
	unsigned seen; /* SEEN_… */
	unsigned rex;  /* REX, or what VEX says in the same bits; 0: neither */
	unsigned used; /* the bits of rex that number an operand's register */
	unsigned map, pp, opcode, modrm;
	unsigned vvvv; /* of VEX; 0 if clear */
};

/* The next n bytes, 1, 2, 4 or 8, sign-extended. */
static inline bool bytes_take(struct reader *r, unsigned n, int64_t *value)
{
	int8_t b;
	int16_t w;
	int32_t d;

	if ((size_t)(r->end - r->at) < n)
		return false;
	switch (n) {
	case 1:
		memcpy(&b, r->at, 1);
		*value = b;
		break;
	case 2:
		memcpy(&w, r->at, 2);
		*value = w;
		break;
	case 4:
		memcpy(&d, r->at, 4);
		*value = d;
		break;
	default: memcpy(value, r->at, 8);
	}
	r->at += n;
	return true;
}

/* clang-format off */
static const uint8_t prefix_bit[256] = {
	[0x66] = SEEN_66, [0xf3] = SEEN_F3, [0xf2] = SEEN_F2, [0xf0] = SEEN_LOCK, [0x2e] = SEEN_CS, [0x3e] = SEEN_3E,
	[0x26] = SEEN_BAD, [0x36] = SEEN_BAD, [0x64] = SEEN_BAD, [0x65] = SEEN_BAD, [0x67] = SEEN_BAD,
};
/* clang-format on */

static inline void read_prefixes(struct reader *r)
{
	for (unsigned bit; r->at < r->end && (bit = prefix_bit[*r->at]) != 0; r->at++) {
		if (r->seen & bit)
			r->seen |= bit & (SEEN_66 | SEEN_CS) ? SEEN_AGAIN : SEEN_BAD;
		r->seen |= bit;
		if (bit & (SEEN_66 | SEEN_F3 | SEEN_F2)) {
			if (r->pp >= PP_F3) /* after F3 or F2: decoders may then see no F3 */
				r->seen |= SEEN_BAD;
			if (bit != SEEN_66 || r->pp == PP_NP)
				r->pp = bit == SEEN_66 ? PP_66 : bit == SEEN_F3 ? PP_F3 : PP_F2;
		}
	}
}

static enum wv_decode_status decode_refuse(enum wv_decode_status status, const char **why, const char *what)
{
	*why = what;
	return status;
}

static enum wv_decode_status cut_short(const struct reader *r, const char **why)
{
	return decode_refuse(WV_BAD_OPCODE, why,
		r->end - r->start == MAX_LENGTH ? "an instruction of more than 15 bytes"
						: "an instruction that runs past the end of the text");
}

/* A VEX prefix of three bytes, its bits R, X, B and W brought into the form of REX, and the opcode. */
static enum wv_decode_status read_vex(struct reader *r, const char **why)
{
	uint8_t a, b;

	if (r->seen)
		return decode_refuse(WV_BAD_PREFIX, why, "a prefix before VEX");
	if (r->end - r->at < 4)
		return cut_short(r, why);
	a = r->at[1];
	b = r->at[2];
	r->rex = REX | (b >> 4 & REX_W) | (~a >> 5 & (REX_R | REX_X | REX_B));
	r->vvvv = ~b >> 3 & 15;
	r->pp = b & 3;
	r->map = (a & 31) == 2 ? MAP_V0F38 : (a & 31) == 3 ? MAP_V0F3A : MAPS;
	r->opcode = r->at[3];
	r->at += 4;
	return r->map == MAPS || b & 4 ? decode_refuse(WV_BAD_OPCODE, why, "a vector instruction with a VEX prefix")
				       : WV_DECODED;
}

/* The opcode, with the bytes before it that name its map. */
static bool read_opcode(struct reader *r)
{
	for (r->map = MAP_ONE; r->at < r->end; r->map++) {
		r->opcode = *r->at++;
		if (r->opcode != (r->map == MAP_ONE ? 0x0f : 0x38) || r->map == MAP_0F38)
			return true;
	}
	return false;
}

/* Everything up to the opcode. */
static enum wv_decode_status read_start(struct reader *r, const char **why)
{
	read_prefixes(r);
	if (r->at < r->end && *r->at == VEX)
		return read_vex(r, why);
	if (r->at < r->end && (*r->at & 0xf0) == REX)
		r->rex = *r->at++;
	return read_opcode(r) ? WV_DECODED : cut_short(r, why);
}

/* The line that the opcode and, if one follows, the ModRM byte lead to. */
static inline const struct encoding *find_line(struct reader *r)
{
	const struct encoding *line;

	r->modrm = r->at < r->end ? *r->at : 0;
	line = &lines[line_of[r->map][r->pp][r->opcode][r->modrm >= 0xc0][r->modrm >> 3 & 7]];
	if (line == &lines[NO_LINE] || (line->modrm > 1 && line->modrm != r->modrm) ||
		(r->vvvv && !shapes[line->operands].vvvv))
		return NULL;
	/* 90 is xchg of rax with itself, which is a nop instead; with REX.B it is an xchg, with r8, after all. */
	if (line->size == SIZE_N && r->rex & REX_B)
		return &lines[NAME(ONE, 0x91, _, _)];
	return line;
}

/* A register, as a field of three bits and a bit of REX number it: an xmm register, or a general one of a width. */
static inline struct wv_operand register_numbered(
	struct reader *r, unsigned field, unsigned rex_bit, bool xmm, unsigned width)
{
	unsigned reg = (field & 7) | (r->rex & rex_bit ? 8 : 0);
	bool upper = false;

	r->used |= rex_bit;
	if (xmm)
		return (struct wv_operand){.kind = WV_XMM, .width = 128, .reg = reg};
	if (width == 8 && reg >= 4) { /* ah, ch, dh, bh; with any REX spl, bpl, sil, dil and further */
		r->used |= REX;
		upper = !r->rex;
	}
	return (struct wv_operand){.kind = WV_REG, .width = width, .reg = upper ? reg - 4 : reg, .high = upper};
}

/* What ModRM says of memory. A rip-relative address waits for the instruction's end. */
static bool read_memory(struct reader *r, struct wv_mem *mem)
{
	unsigned mod = r->modrm >> 6, base = r->modrm & 7;
	int64_t disp = 0;

	if (base == 4) { /* SIB */
		uint8_t sib, index;

		if (r->at == r->end)
			return false;
		sib = *r->at++;
		base = sib & 7;
		index = (sib >> 3 & 7) | (r->rex & REX_X ? 8 : 0);
		if (index != WV_RSP) {
			mem->index = index;
			mem->scale = 1u << (sib >> 6);
		}
		r->used |= REX_X;
	} else if (mod == 0 && base == 5) {
		mem->rip_relative = true;
	}
	if (mod == 0 && base == 5)
		return bytes_take(r, 4, &mem->disp);
	mem->base = base | (r->rex & REX_B ? 8 : 0);
	r->used |= REX_B;
	if (mod && !bytes_take(r, mod == 1 ? 1 : 4, &disp))
		return false;
	mem->disp = disp;
	return true;
}

static bool read_immediate(struct reader *r, enum imm kind, unsigned width, int64_t *imm)
{
	switch (kind) {
	case IMM_8: return bytes_take(r, 1, imm);
	case IMM_32: return bytes_take(r, 4, imm);
	case IMM_Z: return bytes_take(r, width == 16 ? 2 : 4, imm);
	case IMM_W: return bytes_take(r, width / 8, imm);
	case IMM_U:
		if (!bytes_take(r, 1, imm))
			return false;
		*imm &= 0xff;
		return true;
	case IMM_ONE: *imm = 1; return true;
	default: return true;
	}
}

/* The operand that ModRM's mod and rm name, and what that makes of the form. */
static inline bool read_rm(struct reader *r, const struct shape *shape, struct wv_insn *insn, uint64_t *form)
{
	struct wv_operand *operand = &insn->operand[shape->rm - 1];

	if (r->modrm >= 0xc0) {
		*operand = register_numbered(
			r, r->modrm, REX_B, shape->rm_xmm, shape->rm_width ? shape->rm_width : insn->width);
		return true;
	}
	*operand = (struct wv_operand){.kind = WV_MEM, .width = shape->mem_width ? shape->mem_width : insn->width};
	*form = insn->lock ? shape->lock_form : shape->mem_form;
	return read_memory(r, &insn->mem);
}

/* Everything behind the opcode, by its line. False: the bytes end before the instruction does. */
static inline bool read_operands(struct reader *r, const struct encoding *line, struct wv_insn *insn, uint64_t *form)
{
	const struct shape *shape = &shapes[line->operands];
	unsigned width = insn->width;
	struct wv_operand *operand = insn->operand;

	if (line->modrm) {
		if (r->at == r->end)
			return false;
		r->at++;
	}
	insn->n_operands = shape->n;
	*form = insn->lock ? 0 : shape->form;
	if (shape->rm && !read_rm(r, shape, insn, form))
		return false;
	if (shape->reg)
		operand[shape->reg - 1] = register_numbered(
			r, r->modrm >> 3, REX_R, shape->reg_xmm, shape->reg_width ? shape->reg_width : width);
	if (shape->opcode)
		operand[shape->opcode - 1] = register_numbered(r, r->opcode, REX_B, false, width);
	if (shape->rax)
		operand[shape->rax - 1] = (struct wv_operand){.kind = WV_REG, .width = width, .reg = WV_RAX};
	if (shape->cl)
		operand[shape->cl - 1] = (struct wv_operand){.kind = WV_REG, .width = 8, .reg = WV_RCX};
	if (shape->vvvv)
		operand[shape->vvvv - 1] = (struct wv_operand){.kind = WV_REG, .width = width, .reg = r->vvvv};
	if (shape->imm)
		operand[shape->imm - 1] = (struct wv_operand){.kind = WV_IMM, .width = line->imm >= IMM_U ? 8 : width};
	return read_immediate(r, line->imm, width, &insn->imm);
}

/* The row: CBW and CWD mean three rows each, by width, and MOVD also means MOVQ. */
static inline unsigned row_of(const struct encoding *line, unsigned width)
{
	switch (line->op) {
	case WV_CBW:
	case WV_CWD: return line->op + width / 32;
	case WV_MOVD: return width == 64 ? WV_MOVQ : WV_MOVD;
	default: return line->op;
	}
}

/* ---- judging ---- */

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

static const char *bad_operand(const struct wv_insn *insn, uint64_t form)
{
	const struct row *row = &rows[insn->op];
	const struct wv_operand *op = insn->operand;

	if (!(form & row->forms))
		return "operands of this form";
	if (!(insn->width / 8 & row->widths))
		return "operands of this width";
	if (op[0].kind == WV_REG && op[0].reg == WV_RSP && !rsp_allowed(insn))
		return insn->op == WV_PUSH ? "rsp may not be pushed" : "rsp may only be moved by a constant";
	if (op[1].kind == WV_REG && op[1].reg == WV_RSP && writes_second(insn->op))
		return "rsp may only be moved by a constant";
	if ((insn->op == WV_MOVZX || insn->op == WV_MOVSX) && op[1].width >= insn->width)
		return "extension to a width that is no wider";
	return NULL;
}

/* Why there is no line: it may be due to a prefix, or the opcode is none that a module may have. */
static enum wv_decode_status no_line(const struct reader *r, const char **why)
{
	unsigned mod = r->modrm >= 0xc0, reg = r->modrm >> 3 & 7;
	unsigned plain = line_of[r->map][PP_NP][r->opcode][mod][reg],
		 repeated = lines[line_of[r->map][PP_F3][r->opcode][mod][reg]].op;

	if (r->map == MAP_ONE && r->rex && (prefix_bit[r->opcode] || (r->opcode & 0xf0) == REX || r->opcode == VEX))
		return decode_refuse(WV_BAD_PREFIX, why, "a REX prefix that is ignored");
	if (r->pp >= PP_F3 && r->map <= MAP_0F && plain && plain == line_of[r->map][PP_66][r->opcode][mod][reg])
		return decode_refuse(WV_BAD_PREFIX, why, "a repeat prefix");
	if (r->map == MAP_ONE && (repeated == WV_STOS || repeated == WV_MOVS))
		return decode_refuse(WV_BAD_PREFIX, why, "stos or movs without rep");
	return wv_refused(r->map, r->pp, r->opcode, r->modrm, why);
}

/* Which prefixes the line and its operands have no use for. What W and 66 are for was seen to with the width. */
static const char *bad_prefix(
	const struct reader *r, const struct encoding *line, const struct wv_insn *insn, uint64_t form)
{
	unsigned odd = r->seen & ~(line->seen | SEEN_66 | SEEN_LOCK);

	if (insn->lock && !(form & rows[insn->op].forms))
		return "a lock prefix";
	if (odd)
		return odd & (SEEN_F3 | SEEN_F2) ? "a repeat prefix" : "a segment, address-size or repeated prefix";
	if (r->rex & ~r->used & (REX_R | REX_X | REX_B) || (r->rex == REX && !(r->used & REX) && r->map < MAP_V0F38))
		return "a REX prefix without effect";
	return NULL;
}

/* What is known only with the length; a branch's target is no operand, and of a nop's operands nothing is used. */
static void insn_finish(struct wv_insn *insn, enum operands operands)
{
	uint64_t end = insn->pc + insn->length;

	if (insn->mem.rip_relative)
		insn->mem.disp = (int64_t)(end + (uint64_t)insn->mem.disp);
	if (operands == OPS_J) {
		insn->target = end + (uint64_t)insn->imm;
		insn->imm = 0;
	}
	if (insn->op == WV_NOP) {
		insn->n_operands = 0;
		insn->operand[0] = (struct wv_operand){0};
		insn->mem = (struct wv_mem){.base = WV_NOREG, .index = WV_NOREG, .scale = 1};
	}
}

enum wv_decode_status wv_decode(const uint8_t *bytes, size_t size, uint64_t pc, struct wv_insn *insn, const char **why)
{
	struct reader r = {.start = bytes, .at = bytes, .end = bytes + (size < MAX_LENGTH ? size : MAX_LENGTH)};
	enum wv_decode_status status = read_start(&r, why);
	const struct encoding *line = status == WV_DECODED ? find_line(&r) : NULL;
	uint64_t form;
	unsigned width;

	if (!line)
		return status == WV_DECODED ? no_line(&r, why) : status;
	width = widths[line->size][(r.seen & ~line->seen & SEEN_66) | (r.rex & REX_W) >> 2];
	if (!width)
		return decode_refuse(WV_BAD_PREFIX, why,
			r.rex & REX_W ? "a REX.W without effect" : "an operand-size prefix without effect");
	*insn = (struct wv_insn){.pc = pc,
		.op = row_of(line, width),
		.cond = line->condition ? r.opcode & 15 : 0,
		.width = width,
		.lock = r.seen & SEEN_LOCK,
		.mem = {.base = WV_NOREG, .index = WV_NOREG, .scale = 1}};
	if (!read_operands(&r, line, insn, &form))
		return cut_short(&r, why);
	*why = bad_prefix(&r, line, insn, form);
	if (*why)
		return WV_BAD_PREFIX;
	*why = bad_operand(insn, form);
	if (*why)
		return WV_BAD_OPERAND;
	insn->length = r.at - bytes;
	insn_finish(insn, line->operands);
	return WV_DECODED;
}

uint32_t wv_insn_feature(const struct wv_insn *insn)
{
	return insn->op < WV_OP_COUNT ? rows[insn->op].feature : 0;
}
