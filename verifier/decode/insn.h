/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One decoded instruction in the verifier's own terms: a row of isa.def and its operands. The decoder hands over
 * nothing else, and the rest of the verifier knows none of the decoder's types.
 */
#ifndef WARD_VERIFIER_INSN_H
#define WARD_VERIFIER_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ward/verify.h"

/* Rows of isa.def: WV_MOV, WV_ADD, … */
enum wv_op {
#define INSN(op, mnemonic, forms, widths, defines, undefines, feature, note) WV_##op,
#include "ward/isa.def"
#undef INSN
	WV_OP_COUNT
};

/* Registers in encoding order. */
/* clang-format off */
enum {
	WV_RAX, WV_RCX, WV_RDX, WV_RBX, WV_RSP, WV_RBP, WV_RSI, WV_RDI,
	WV_R8, WV_R9, WV_R10, WV_R11, WV_R12, WV_R13, WV_R14, WV_R15,
	WV_NREG, WV_NOREG = 0xff
};
/* clang-format on */

enum wv_operand_kind { WV_NONE, WV_REG, WV_MEM, WV_IMM, WV_XMM };

/*
 * Condition codes as in the low four bits of the opcode (SDM vol. 1, appendix B): even is the condition, odd its
 * negation.
 */
enum wv_cond { WV_O, WV_NO, WV_B, WV_AE, WV_E, WV_NE, WV_BE, WV_A, WV_S, WV_NS, WV_P, WV_NP, WV_L, WV_GE, WV_LE, WV_G };

struct wv_operand {
	uint8_t kind;  /* enum wv_operand_kind */
	uint8_t width; /* bits: 8, 16, 32, 64, 128; WV_XMM: 128 */
	uint8_t reg;   /* WV_REG, WV_XMM */
	bool high;     /* WV_REG of width 8: ah, ch, dh or bh (reg is rax…rbx) */
};

/*
 * base + index·scale + disp, all 64-bit; or the absolute module address `disp` when rip_relative (base and index are
 * WV_NOREG)
 */
struct wv_mem {
	uint8_t base, index, scale; /* WV_NOREG if absent */
	bool rip_relative;
	int64_t disp;
};

/*
 * Operands are given as the assembler writes them in Intel syntax: operand[0] is the destination where there is one.
 * Implicit operands (of mul, push, cdq) are implied by `op`, with two exceptions: a shift by cl has register rcx of
 * width 8 as its last operand, a shift by one the immediate 1. xchg, xadd and mulx write operand[1] as well. At most
 * one operand is WV_MEM. Branches have no operands but `target`; a nop has none, as it accesses nothing.
 */
struct wv_insn {
	uint64_t pc; /* address in the module */
	uint8_t length;
	uint8_t op;   /* enum wv_op */
	uint8_t cond; /* enum wv_cond of jcc, setcc, cmovcc */
	/* operand size in bits: that of op[0], or of what push, ret, cdq work on; with xmm registers: the row's */
	uint8_t width;
	uint8_t n_operands;
	bool lock; /* with a lock prefix; xchg with memory needs none to lock */
	struct wv_operand operand[3];
	struct wv_mem mem;
	/*
	 * WV_IMM: sign-extended to 64 bits from `width`, so that mov al, 0xff and mov eax, 0xffffffff have -1; counts
	 * of shifts, bits of bt and immediates beside xmm registers: 0 to 255 as encoded, the operand's width is 8
	 */
	int64_t imm;
	uint64_t target; /* jmp, jcc, call: address in the module */
};

/*
 * A call or jump through a slot of the import table, which operand[0] addresses from rip: rows CALL_SLOT and JMP_SLOT.
 */
static inline bool wv_through_slot(const struct wv_insn *insn)
{
	return insn->op == WV_CALL_SLOT || insn->op == WV_JMP_SLOT;
}

/* The rows with xmm registers are consecutive in isa.def. */
static inline bool wv_op_is_vector(unsigned op)
{
	return op >= WV_MOVUPS && op <= WV_PSHUFLW;
}

enum wv_decode_status { WV_DECODED, WV_BAD_OPCODE, WV_BAD_PREFIX, WV_BAD_OPERAND, WV_INDIRECT };

/*
 * Decode one instruction at `bytes`, reading at most `size` bytes; its address is `pc`. Any result but WV_DECODED
 * means that no row of isa.def permits it: WV_BAD_OPCODE breaks V-10, WV_BAD_PREFIX V-11, WV_BAD_OPERAND V-12,
 * WV_INDIRECT (an indirect jmp or call) V-22. *why then says what was seen (a static string, never NULL): a phrase,
 * or for an opcode without a row its mnemonic.
 */
enum wv_decode_status wv_decode(const uint8_t *bytes, size_t size, uint64_t pc, struct wv_insn *insn, const char **why);

/* The feature (enum ward_feature) that the instruction needs, or 0. */
uint32_t wv_insn_feature(const struct wv_insn *insn);

/* Assembly text of an instruction for messages, e.g. "mov qword [rsi+rcx*8+16], rax". Always terminates. */
void wv_insn_print(const struct wv_insn *insn, char *buf, size_t size);

#endif
