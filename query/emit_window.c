/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept by window in the probe's source: what has no difference of totals, such as the largest number. A map by
 * the window's number, and the key, makes room for new windows where the oldest ones were. The reader reads a window
 * when it is over. `seen` says whether it was in time: each event is counted in its window, and beside all windows.
 */
#include <inttypes.h>
#include <string.h>

#include "emitter.h"
#include "uses.h"

enum { WINDOWS = 8, SLOTS = 4096 };

/* Room for eight windows of a key, and for as many keys as a state may have. */
static uint64_t window_slots(const struct query *q)
{
	const struct plan *p = &q->plan;
	uint64_t most = (p->sites[0].is_kernel ? STATE_KERNEL : STATE_USER) / 2, size = 24 + PLAN_KEY_BYTES,
		 slots = !live_keys(q) ? WINDOWS
			 : p->slots    ? p->slots * WINDOWS
				       : SLOTS;

	for (size_t i = 0; i < p->n_keeps; i++)
		if (keep_is_there(&p->keeps[i]) && keep_is_windowed(p, i))
			size += keep_size(p, i);
	while (slots > WINDOWS && slots * size > most)
		slots /= 2;
	return slots;
}

void emit_window_types(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	if (!any_is_windowed(p))
		return;
	if (live_keys(e->q)) {
		fputs("struct window_key {\n\tunsigned long window;\n", e->out);
		emit_key_members(e);
		fputs("};\n\n", e->out);
	}
	fputs("struct windowed {\n\tward_count seen;\n", e->out);
	for (size_t i = 0; i < p->n_keeps; i++)
		if (keep_is_windowed(p, i))
			emit_keep_member(e, i);
	fputs("};\n\n", e->out);
}

void emit_window_members(struct emitter *e)
{
	if (!any_is_windowed(&e->q->plan))
		return;
	fprintf(e->out, "\tward_count seen;\n\tWARD_RECENT(%s, struct windowed, %" PRIu64 ") windows;\n",
		live_keys(e->q) ? "struct window_key" : "unsigned long", window_slots(e->q));
}

static void emit_window_key(struct emitter *e)
{
	const struct plan *p = &e->q->plan;
	bool plain = is_plain_key(e->q);

	fputs("\tconst unsigned long window = ", e->out);
	emit_period(e, p->window.step, p->window.is_given);
	fputs(";\n", e->out);
	if (!live_keys(e->q))
		return;
	fputs("\tstruct window_key at = {.window = window};\n", e->out);
	for (size_t i = 0; i < p->n_keys; i++) {
		if (key_is_constant(e->q, i))
			continue;
		if (p->keys[i].of->kind == EXPR_STRING)
			fprintf(e->out, "\t__builtin_memcpy(at.key%zu, key.key%zu, sizeof(at.key%zu));\n", i, i, i);
		else if (plain)
			fprintf(e->out, "\tat.key%zu = key;\n", i);
		else
			fprintf(e->out, "\tat.key%zu = key.key%zu;\n", i, i);
	}
}

void emit_window_update(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	if (!any_is_windowed(p))
		return;
	emit_window_key(e);
	fprintf(e->out,
		"\tstruct windowed *windowed = ward_recent_at(&st->windows, %s);\n"
		"\tst->seen++;\n\twindowed->seen++;\n",
		live_keys(e->q) ? "at" : "window");
	for (size_t i = 0; i < p->n_keeps; i++)
		if (keep_is_windowed(p, i))
			emit_update(e, i, "windowed->");
}
