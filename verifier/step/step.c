/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transfer functions, one for each row of isa.def, found through the table below.
 *
 * Each takes its operands as values (number or pointer, with identity), computes a value, writes it, and leaves in
 * the flags what was compared. A result that an operation can't compute becomes "any number", never nothing: a
 * missing case costs precision, not safety. mov, xchg, push and pop may move host values (uninitialised or saved
 * registers) whole; any other use breaks V-50.
 *
 * A transfer function reads its operands before it writes anything. Of two destinations it writes memory first, as
 * the memory's address may depend on the other one (xadd [rax], rax). It writes two registers in the processor's
 * order, since they may be the same register (mulx rax, rax, rcx).
 */
#include "step_parts.h"

static void step_nothing(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	(void)ctx, (void)st, (void)insn;
}

static void step_int3(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	(void)st;
	wv_report(ctx->sink, WARD_RULE_FALLOFF, insn->pc, "padding-reached",
		"control may reach this int3, which is padding between functions");
}

/* clang-format off */
static wv_transfer *const table[WV_OP_COUNT] = {
	[WV_MOV] = wv_step_mov,
	[WV_MOVZX] = wv_step_movzx,
	[WV_MOVSX] = wv_step_movsx,
	[WV_MOVSXD] = wv_step_movsx,
	[WV_LEA] = wv_step_lea,
	[WV_ADD] = wv_step_add_sub,
	[WV_SUB] = wv_step_add_sub,
	[WV_ADC] = wv_step_carry,
	[WV_SBB] = wv_step_carry,
	[WV_AND] = wv_step_binary,
	[WV_OR] = wv_step_binary,
	[WV_XOR] = wv_step_binary,
	[WV_CMP] = wv_step_binary,
	[WV_TEST] = wv_step_binary,
	[WV_INC] = wv_step_inc_dec,
	[WV_DEC] = wv_step_inc_dec,
	[WV_NEG] = wv_step_neg,
	[WV_NOT] = wv_step_not,
	[WV_IMUL] = wv_step_imul,
	[WV_IMUL1] = wv_step_mul,
	[WV_MUL] = wv_step_mul,
	[WV_DIV] = wv_step_div,
	[WV_IDIV] = wv_step_div,
	[WV_SHL] = wv_step_shift,
	[WV_SHR] = wv_step_shift,
	[WV_SAR] = wv_step_shift,
	[WV_RCL] = wv_step_shift,
	[WV_RCR] = wv_step_shift,
	[WV_ROL] = wv_step_shift,
	[WV_ROR] = wv_step_shift,
	[WV_SHLD] = wv_step_shift_double,
	[WV_SHRD] = wv_step_shift_double,
	[WV_BSWAP] = wv_step_reverse,
	[WV_BT] = wv_step_bt,
	[WV_BTS] = wv_step_bt,
	[WV_BTR] = wv_step_bt,
	[WV_BTC] = wv_step_bt,
	[WV_BSF] = wv_step_bit_scan,
	[WV_BSR] = wv_step_bit_scan,
	[WV_CMOV] = wv_step_cmov,
	[WV_SETCC] = wv_step_setcc,
	[WV_JCC] = wv_step_jcc,
	[WV_JMP] = step_nothing,
	[WV_JMP_REG] = wv_step_jmp_register,
	[WV_CALL] = step_nothing,
	[WV_JMP_SLOT] = wv_step_slot,
	[WV_CALL_SLOT] = wv_step_slot,
	[WV_RET] = step_nothing,
	[WV_PUSH] = wv_step_push,
	[WV_POP] = wv_step_pop,
	[WV_LEAVE] = wv_step_leave,
	[WV_CBW] = wv_step_extend_rax,
	[WV_CWDE] = wv_step_extend_rax,
	[WV_CDQE] = wv_step_extend_rax,
	[WV_CWD] = wv_step_sign_rax,
	[WV_CDQ] = wv_step_sign_rax,
	[WV_CQO] = wv_step_sign_rax,
	[WV_XCHG] = wv_step_xchg,
	[WV_XADD] = wv_step_xadd,
	[WV_CMPXCHG] = wv_step_cmpxchg,
	[WV_STOS] = wv_step_string,
	[WV_MOVS] = wv_step_string,
	[WV_POPCNT] = wv_step_count,
	[WV_LZCNT] = wv_step_count,
	[WV_TZCNT] = wv_step_tzcnt,
	[WV_MOVBE] = wv_step_reverse,
	[WV_ANDN] = wv_step_andn,
	[WV_BEXTR] = wv_step_extract,
	[WV_BLSI] = wv_step_lowest,
	[WV_BLSMSK] = wv_step_lowest,
	[WV_BLSR] = wv_step_lowest,
	[WV_BZHI] = wv_step_extract,
	[WV_MULX] = wv_step_mulx,
	[WV_PDEP] = wv_step_scatter,
	[WV_PEXT] = wv_step_scatter,
	[WV_RORX] = wv_step_shift_flagless,
	[WV_SARX] = wv_step_shift_flagless,
	[WV_SHLX] = wv_step_shift_flagless,
	[WV_SHRX] = wv_step_shift_flagless,
	[WV_MOVUPS] = wv_step_vector_move,
	[WV_MOVAPS] = wv_step_vector_move,
	[WV_MOVLPS] = wv_step_vector_half,
	[WV_MOVHPS] = wv_step_vector_half,
	[WV_MOVHLPS] = wv_step_vector_cross,
	[WV_MOVLHPS] = wv_step_vector_cross,
	[WV_XORPS] = wv_step_vector_idiom,
	[WV_ANDPS] = wv_step_vector_binary,
	[WV_ANDNPS] = wv_step_vector_idiom,
	[WV_ORPS] = wv_step_vector_binary,
	[WV_UNPCKLPS] = wv_step_vector_binary,
	[WV_UNPCKHPS] = wv_step_vector_binary,
	[WV_SHUFPS] = wv_step_vector_binary,
	[WV_MOVMSKPS] = wv_step_vector_mask,
	[WV_MOVUPD] = wv_step_vector_move,
	[WV_MOVAPD] = wv_step_vector_move,
	[WV_MOVDQA] = wv_step_vector_move,
	[WV_MOVLPD] = wv_step_vector_half,
	[WV_MOVHPD] = wv_step_vector_half,
	[WV_MOVD] = wv_step_vector_scalar,
	[WV_XORPD] = wv_step_vector_idiom,
	[WV_ANDPD] = wv_step_vector_binary,
	[WV_ANDNPD] = wv_step_vector_idiom,
	[WV_ORPD] = wv_step_vector_binary,
	[WV_UNPCKLPD] = wv_step_vector_binary,
	[WV_UNPCKHPD] = wv_step_vector_binary,
	[WV_SHUFPD] = wv_step_vector_binary,
	[WV_MOVMSKPD] = wv_step_vector_mask,
	[WV_PXOR] = wv_step_vector_idiom,
	[WV_PAND] = wv_step_vector_binary,
	[WV_PANDN] = wv_step_vector_idiom,
	[WV_POR] = wv_step_vector_binary,
	[WV_PADDB] = wv_step_vector_binary,
	[WV_PADDW] = wv_step_vector_binary,
	[WV_PADDD] = wv_step_vector_binary,
	[WV_PADDQ] = wv_step_vector_binary,
	[WV_PADDSB] = wv_step_vector_binary,
	[WV_PADDSW] = wv_step_vector_binary,
	[WV_PADDUSB] = wv_step_vector_binary,
	[WV_PADDUSW] = wv_step_vector_binary,
	[WV_PSUBB] = wv_step_vector_idiom,
	[WV_PSUBW] = wv_step_vector_idiom,
	[WV_PSUBD] = wv_step_vector_idiom,
	[WV_PSUBQ] = wv_step_vector_idiom,
	[WV_PSUBSB] = wv_step_vector_idiom,
	[WV_PSUBSW] = wv_step_vector_idiom,
	[WV_PSUBUSB] = wv_step_vector_idiom,
	[WV_PSUBUSW] = wv_step_vector_idiom,
	[WV_PCMPEQB] = wv_step_vector_idiom,
	[WV_PCMPEQW] = wv_step_vector_idiom,
	[WV_PCMPEQD] = wv_step_vector_idiom,
	[WV_PCMPGTB] = wv_step_vector_idiom,
	[WV_PCMPGTW] = wv_step_vector_idiom,
	[WV_PCMPGTD] = wv_step_vector_idiom,
	[WV_PMULLW] = wv_step_vector_binary,
	[WV_PMULHW] = wv_step_vector_binary,
	[WV_PMULHUW] = wv_step_vector_binary,
	[WV_PMULUDQ] = wv_step_vector_binary,
	[WV_PMADDWD] = wv_step_vector_binary,
	[WV_PMINUB] = wv_step_vector_binary,
	[WV_PMINSW] = wv_step_vector_binary,
	[WV_PMAXUB] = wv_step_vector_binary,
	[WV_PMAXSW] = wv_step_vector_binary,
	[WV_PAVGB] = wv_step_vector_binary,
	[WV_PAVGW] = wv_step_vector_binary,
	[WV_PSADBW] = wv_step_vector_binary,
	[WV_PSLLW] = wv_step_vector_binary,
	[WV_PSLLD] = wv_step_vector_binary,
	[WV_PSLLQ] = wv_step_vector_binary,
	[WV_PSRLW] = wv_step_vector_binary,
	[WV_PSRLD] = wv_step_vector_binary,
	[WV_PSRLQ] = wv_step_vector_binary,
	[WV_PSRAW] = wv_step_vector_binary,
	[WV_PSRAD] = wv_step_vector_binary,
	[WV_PSLLDQ] = wv_step_vector_binary,
	[WV_PSRLDQ] = wv_step_vector_binary,
	[WV_PSHUFD] = wv_step_vector_from,
	[WV_PUNPCKLBW] = wv_step_vector_binary,
	[WV_PUNPCKLWD] = wv_step_vector_binary,
	[WV_PUNPCKLDQ] = wv_step_vector_binary,
	[WV_PUNPCKLQDQ] = wv_step_vector_binary,
	[WV_PUNPCKHBW] = wv_step_vector_binary,
	[WV_PUNPCKHWD] = wv_step_vector_binary,
	[WV_PUNPCKHDQ] = wv_step_vector_binary,
	[WV_PUNPCKHQDQ] = wv_step_vector_binary,
	[WV_PACKSSWB] = wv_step_vector_binary,
	[WV_PACKSSDW] = wv_step_vector_binary,
	[WV_PACKUSWB] = wv_step_vector_binary,
	[WV_PMOVMSKB] = wv_step_vector_mask,
	[WV_PEXTRW] = wv_step_vector_extract,
	[WV_PINSRW] = wv_step_vector_insert,
	[WV_MOVQ] = wv_step_vector_scalar,
	[WV_MOVDQU] = wv_step_vector_move,
	[WV_MOVSS] = wv_step_vector_scalar,
	[WV_PSHUFHW] = wv_step_vector_from,
	[WV_MOVSDX] = wv_step_vector_scalar,
	[WV_PSHUFLW] = wv_step_vector_from,
	[WV_RDTSC] = wv_step_rdtsc,
	[WV_RDTSCP] = wv_step_rdtsc,
	[WV_NOP] = step_nothing,
	[WV_PAUSE] = step_nothing,
	[WV_LFENCE] = step_nothing, /* other threads are reckoned with everywhere, in whatever order they write */
	[WV_MFENCE] = step_nothing,
	[WV_SFENCE] = step_nothing,
	[WV_ENDBR] = step_nothing,
	[WV_UD2] = step_nothing, /* whether control gets there is for the sweep to say */
	[WV_INT3] = step_int3,
};
/* clang-format on */

/* V-13: by the note, or on some processor it would be another instruction or none. */
static void check_feature(struct wv_ctx *ctx, const struct wv_insn *insn)
{
	uint32_t feature = wv_insn_feature(insn);
	if (feature & ~ctx->module->features)
		wv_report(ctx->sink, WARD_RULE_FEATURE, insn->pc, "feature-not-named",
			"the instruction needs a processor with %s, which the module's note doesn't name",
			ward_feature_name(feature));
}

/*
 * V-14: the kernel doesn't save its users' vector registers before it runs code of its own, so nothing would restore
 * them.
 */
static void check_profile(struct wv_ctx *ctx, const struct wv_insn *insn)
{
	if (wv_op_is_vector(insn->op) && ctx->module->profile != WARD_PROFILE_USER)
		wv_report(ctx->sink, WARD_RULE_PROFILE, insn->pc, "vector-in-kernel",
			"the instruction uses vector registers, which only the user profile has");
}

void wv_step(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	if (insn->op >= WV_OP_COUNT || !table[insn->op]) {
		wv_report(ctx->sink, WARD_RULE_OPCODE, insn->pc, "no-transfer-function",
			"isa.def has a row for the instruction, but the verifier has no transfer function for it");
		return;
	}
	check_feature(ctx, insn);
	check_profile(ctx, insn);
	if (insn->lock || (insn->op == WV_XCHG && insn->operand[0].kind == WV_MEM))
		wv_check_locked(ctx, st, insn);
	table[insn->op](ctx, st, insn);
}
