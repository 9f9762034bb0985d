/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the blocks that control can reach, and checks that none of them has a trap (V-54).
 *
 * The sweep has recorded the exits of each block, and for each exit whether some state of the block takes it. A
 * branch that the verifier knows to go the other way always is no exit. Control starts at the entries. By induction
 * over the steps of a run, each block that the run reaches is reached over exits that some state takes, since the
 * run's state is one of those states. So a block that isn't found from the entries never executes. A call reaches the
 * start of the called function whether or not the call returns.
 */
#include "check.h"

/* The block where control is after this event, or NULL. */
static struct wv_block *event_target(
	const struct wv_check *c, const struct wv_block *from, const struct wv_event_record *e)
{
	if (!e->live)
		return NULL;
	switch (e->kind) {
	case WV_EDGE: return &c->proof.functions[from->function].blocks[e->to];
	case WV_CALL_TO:
	case WV_TAIL_CALL: return c->proof.functions[e->to].blocks;
	default: return NULL;
	}
}

/* Each block is put on the stack once. */
static void reach_spread(struct wv_check *c, uint32_t n)
{
	while (n) {
		const struct wv_block *b = &c->proof.blocks[c->stack[--n]];
		for (size_t i = b->first_event; i < b->first_event + b->n_events; i++) {
			struct wv_block *to = event_target(c, b, &c->events[i]);
			if (!to || to->reached)
				continue;
			to->reached = true;
			c->stack[n++] = (uint32_t)(to - c->proof.blocks);
		}
	}
}

static void block_judge(struct wv_check *c, const struct wv_block *b)
{
	for (size_t i = b->first_event; i < b->first_event + b->n_events; i++) {
		const struct wv_event_record *e = &c->events[i];
		if (e->kind == WV_TRAP && e->live)
			wv_report(c->sink, WARD_RULE_TRAP, c->module->text.addr + e->to, "trap-reachable",
				"control may reach this ud2, which stops the probed program; the check before it may "
				"fail");
	}
}

void wv_reach(struct wv_check *c)
{
	const struct wv_watcher *o = c->watcher;
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->module->n_entries; i++) {
		struct wv_block *b = wv_block_at(c, wv_module_entry(c->module, i).addr - c->module->text.addr);
		if (b)
			b->reached = true;
	}
	for (uint32_t i = 0; i < c->proof.n_blocks; i++) {
		if (c->proof.blocks[i].reached)
			c->stack[n++] = i;
	}
	reach_spread(c, n);
	for (uint32_t i = 0; i < c->proof.n_blocks; i++) {
		if (!c->proof.blocks[i].reached)
			continue;
		block_judge(c, &c->proof.blocks[i]);
		if (o && o->reached)
			o->reached(o->user, &c->proof.blocks[i]);
	}
}
