/* SPDX-License-Identifier: Apache-2.0 */
#include "decode_access.h"

#include "verifier/decode/insn.h"
#include "verifier/file/module.h"

struct touched touched_at(const void *file, size_t size, uint64_t pc)
{
	struct wv_sink sink = {0};
	struct wv_module m;
	struct wv_insn insn;
	struct touched t = {0};
	const char *why;

	if (!wv_module_parse(&m, file, size, UINT32_MAX, &sink) || pc < m.text.addr ||
		pc - m.text.addr >= m.text_bytes.n)
		return t;
	if (wv_decode(m.text_bytes.p + (pc - m.text.addr), m.text_bytes.n - (pc - m.text.addr), pc, &insn, &why) !=
		WV_DECODED)
		return t;
	for (unsigned i = 0; i < insn.n_operands; i++)
		if (insn.operand[i].kind == WV_MEM)
			t = (struct touched){insn.operand[i].width / 8u, insn.mem.disp,
				insn.op == WV_MOV || insn.op == WV_MOVZX || insn.op == WV_MOVSX ||
					insn.op == WV_MOVSXD};
	return t;
}
