/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where control leaves the text of a module for the kernel: returns, and calls and jumps through slots. A
 * kernel that keeps its own processor from predicting such branches (retpolines, return thunks) replaces them by
 * direct branches of five bytes, and does the same in modules. So the facts say where these branches are and how much
 * room each has. The verdict doesn't depend on them.
 */
#include "check.h"

#include <stdlib.h>

enum { INT3 = 0xcc, MOST_PADDING = 16 };

/* The instruction, and the int3 behind it if it ends a path: control never reaches that int3 (V-24). */
static uint32_t room_of(const struct wv_module *m, const struct wv_insn *insn, uint64_t end)
{
	uint32_t n = 0;
	while (insn->op != WV_CALL_SLOT && n < MOST_PADDING && end + n < m->text_bytes.n &&
		m->text_bytes.p[end + n] == INT3)
		n++;
	return insn->length + n;
}

/* Find the exits of a text that was swept. Writes them to `to` if that isn't NULL; returns how many there are. */
static size_t text_walk(const struct wv_module *m, struct ward_exit_facts *to)
{
	struct wv_insn insn = {0};
	const char *why;
	size_t n = 0;
	for (uint64_t at = 0;
		wv_decode(m->text_bytes.p + at, m->text_bytes.n - at, m->text.addr + at, &insn, &why) == WV_DECODED;
		at += insn.length) {
		if (insn.op != WV_RET && !wv_through_slot(&insn))
			continue;
		if (to)
			to[n] = (struct ward_exit_facts){
				.addr = insn.pc,
				.kind = insn.op == WV_RET         ? WARD_EXIT_RETURN
					: insn.op == WV_CALL_SLOT ? WARD_EXIT_CALL
								  : WARD_EXIT_JUMP,
				.room = room_of(m, &insn, at + insn.length),
			};
		n++;
	}
	return n;
}

bool wv_find_exits(const struct wv_module *m, struct wv_exits *x)
{
	x->n = text_walk(m, NULL);
	x->v = calloc(x->n + 1, sizeof *x->v);
	if (x->v)
		text_walk(m, x->v);
	return x->v;
}
