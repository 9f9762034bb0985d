/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder that the verifier's own is compared with: Zydis, with the same policy. */
#ifndef WARD_TESTS_ZYDIS_H
#define WARD_TESTS_ZYDIS_H

#include "verifier/decode/insn.h"

/* As wv_decode. */
enum wv_decode_status zydis_decode(
	const uint8_t *bytes, size_t size, uint64_t pc, struct wv_insn *insn, const char **why);

/* The same row, operands, widths and length? */
static inline bool same_insn(const struct wv_insn *a, const struct wv_insn *b)
{
	const struct wv_mem *m = &a->mem, *n = &b->mem;

	for (unsigned i = 0; i < 3; i++) {
		const struct wv_operand *x = &a->operand[i], *y = &b->operand[i];

		if (x->kind != y->kind || x->width != y->width || x->reg != y->reg || x->high != y->high)
			return false;
	}
	return a->pc == b->pc && a->length == b->length && a->op == b->op && a->cond == b->cond &&
	       a->width == b->width && a->n_operands == b->n_operands && a->lock == b->lock && a->imm == b->imm &&
	       a->target == b->target && m->base == n->base && m->index == n->index && m->scale == n->scale &&
	       m->rip_relative == n->rip_relative && m->disp == n->disp;
}

#endif
