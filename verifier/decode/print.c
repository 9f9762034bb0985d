/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions as text, for messages. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "insn.h"

static const char *const mnemonics[WV_OP_COUNT] = {
#define INSN(op, mnemonic, forms, widths, defines, undefines, feature, note) [WV_##op] = #mnemonic,
#include "ward/isa.def"
#undef INSN
};

static const char *const conditions[16] = {
	"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"};

/* Text that grows in a buffer of fixed size; what doesn't fit is dropped. */
struct text {
	char *buf;
	size_t size, n;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	if (t->n + 1 >= t->size)
		return;
	va_start(args, fmt);
	n = vsnprintf(t->buf + t->n, t->size - t->n, fmt, args);
	va_end(args);
	if (n > 0)
		t->n = (size_t)n < t->size - t->n ? t->n + (size_t)n : t->size - 1;
}

static void put_mnemonic(struct text *t, const struct wv_insn *insn)
{
	const char *condition = conditions[insn->cond & 15];

	if (insn->lock)
		put(t, "lock ");
	switch (insn->op) {
	case WV_IMUL1: put(t, "imul"); return;
	case WV_JMP_REG:
	case WV_JMP_SLOT: put(t, "jmp"); return;
	case WV_CALL_SLOT: put(t, "call"); return;
	case WV_STOS:
	case WV_MOVS:
		put(t, "rep %s%c", insn->op == WV_STOS ? "stos" : "movs",
			insn->width == 8    ? 'b'
			: insn->width == 16 ? 'w'
			: insn->width == 32 ? 'd'
					    : 'q');
		return;
	case WV_MOVSDX: put(t, "movsd"); return;
	case WV_JCC: put(t, "j%s", condition); return;
	case WV_SETCC: put(t, "set%s", condition); return;
	case WV_CMOV: put(t, "cmov%s", condition); return;
	}
	for (const char *c = insn->op < WV_OP_COUNT ? mnemonics[insn->op] : "?"; *c; c++)
		put(t, "%c", *c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
}

static void put_register(struct text *t, const struct wv_operand *op)
{
	static const char *const low[8] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
	unsigned reg = op->reg & 15;

	if (op->high)
		put(t, "%ch", low[reg & 3][0]);
	else if (reg >= 8)
		put(t, "r%u%s", reg, op->width == 8 ? "b" : op->width == 16 ? "w" : op->width == 32 ? "d" : "");
	else if (op->width == 8)
		put(t, reg < 4 ? "%.1sl" : "%sl", low[reg]);
	else
		put(t, "%s%s", op->width == 64 ? "r" : op->width == 32 ? "e" : "", low[reg]);
}

static void put_memory(struct text *t, const struct wv_mem *mem, unsigned width, bool sized)
{
	const char *plus = "";

	if (sized)
		put(t, "%s ",
			width == 8    ? "byte"
			: width == 16 ? "word"
			: width == 32 ? "dword"
			: width == 64 ? "qword"
				      : "oword");
	put(t, "[");
	if (mem->rip_relative) {
		put(t, "rel 0x%" PRIx64 "]", (uint64_t)mem->disp);
		return;
	}
	if (mem->base != WV_NOREG) {
		put(t, "%s", ward_register_name(mem->base));
		plus = "+";
	}
	if (mem->index != WV_NOREG) {
		put(t, "%s%s", plus, ward_register_name(mem->index));
		if (mem->scale != 1)
			put(t, "*%u", mem->scale);
		plus = "+";
	}
	if (!*plus)
		put(t, "0x%" PRIx64, (uint64_t)mem->disp);
	else if (mem->disp < 0)
		put(t, "-%" PRIu64, -(uint64_t)mem->disp);
	else if (mem->disp)
		put(t, "+%" PRId64, mem->disp);
	put(t, "]");
}

void wv_insn_print(const struct wv_insn *insn, char *buf, size_t size)
{
	struct text t = {buf, size, 0};

	if (size == 0)
		return;
	buf[0] = 0;
	put_mnemonic(&t, insn);
	if (insn->op == WV_JMP || insn->op == WV_JCC || insn->op == WV_CALL)
		put(&t, " 0x%" PRIx64, insn->target);
	for (unsigned i = 0; i < insn->n_operands && i < 3; i++) {
		const struct wv_operand *op = &insn->operand[i];

		put(&t, i ? ", " : " ");
		if (op->kind == WV_REG)
			put_register(&t, op);
		else if (op->kind == WV_XMM)
			put(&t, "xmm%u", op->reg & 15u);
		else if (op->kind == WV_MEM)
			put_memory(&t, &insn->mem, op->width, insn->op != WV_LEA);
		else if (insn->imm > -4096 && insn->imm < 4096)
			put(&t, "%" PRId64, insn->imm);
		else
			put(&t, "0x%" PRIx64,
				insn->width >= 64 ? (uint64_t)insn->imm
						  : (uint64_t)insn->imm & ((UINT64_C(1) << insn->width) - 1));
	}
}
