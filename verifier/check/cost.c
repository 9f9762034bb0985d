/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worst case: instructions and stack, summed bottom up.
 *
 * The sum takes blocks in the order of the proof. block->cost is the longest path to the block from the head of its
 * innermost loop, or from the entry if it is in no loop. An inner loop on that path counts as one step: its back
 * edges · its longest path from the head to a back edge, plus its longest path out. A loop's blocks are consecutive,
 * so both paths are known when the last block is done; then each edge that leaves the loop moves one level out. An
 * edge is looked at once for each loop that it leaves, at most WV_MAX_NESTING times. The back edges of loops that
 * share a cursor (nest_cursor.c) count once for each entry to the loop that owns it, not for each entry to themselves.
 *
 * The sums over calls include the registers written, since a contract says which registers a function keeps. They
 * also pass the need for an aligned stack from a function to its callers, and at last to the host, which provides one
 * (V-37).
 *
 * Sums saturate. A saturated sum is above every limit, so it is as good as the exact number.
 */
#include "check.h"

static uint64_t saturated_sum(uint64_t a, uint64_t b)
{
	uint64_t r;
	return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

static uint64_t saturated_product(uint64_t a, uint64_t b)
{
	uint64_t r;
	return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

static void raise_to(uint64_t *to, uint64_t value)
{
	if (value > *to)
		*to = value;
}

/*
 * Control leaves loop `level` (or is in no loop: WV_NO_LOOP) of f with cost `cost` within it, towards block `to` (or
 * returns: to is WV_NO_LOOP). Put the cost where it counts: at the block, at the loop that it heads, or at the end of
 * an iteration, of the loop or of the function.
 */
static void cost_arrive(struct wv_function *f, uint32_t level, uint32_t to, uint64_t cost)
{
	bool stays =
		to != WV_NO_LOOP && (level == WV_NO_LOOP || (wv_loop_has(f, level, to) && f->loops[level].head != to));
	if (!stays) {
		if (level == WV_NO_LOOP)
			raise_to(&f->cost, cost);
		else
			raise_to(to == f->loops[level].head ? &f->loops[level].iteration : &f->loops[level].leaving,
				cost);
		return;
	}
	uint32_t inner = f->blocks[to].loop;
	if (inner == level)
		raise_to(&f->blocks[to].cost, cost);
	else /* the shape was checked: this is the head of a loop just inside `level` */
		raise_to(&f->loops[inner].entry, cost);
}

/* What a function does counts for those that call it. */
static void add_callee(struct wv_function *f, const struct wv_function *callee, uint32_t depth)
{
	if (depth + callee->stack_bytes > f->stack_bytes)
		f->stack_bytes = depth + callee->stack_bytes;
	f->event_fields |= callee->event_fields;
	f->writes_state |= callee->writes_state;
	f->imports |= callee->imports;
	f->needs |= callee->needs;
	f->written |= callee->written;
	f->aligned |= callee->aligned;
}

/*
 * V-37: a callee that counts on its stack's alignment is called where its entry's rsp is as the host's call makes this
 * function's.
 */
static void check_callee_aligned(
	struct wv_check *c, const struct wv_block *b, const struct wv_function *callee, uint32_t depth)
{
	char name[WV_FUNCTION_NAME];
	if (callee->aligned && depth % 16 != 0)
		wv_report(c->sink, WARD_RULE_ALIGNED, c->module->text.addr + b->addr, "call-misaligns-stack",
			"%s is called here with rsp %u bytes below the caller's; its aligned accesses need a multiple "
			"of 16",
			wv_function_name(c, callee, name), depth);
}

/* The edges of one block, with the cost of the calls before them. V-41 for calls. */
static void sum_block(struct wv_check *c, struct wv_function *f, struct wv_block *b)
{
	uint64_t calls = 0;
	uint64_t base = b->loop != WV_NO_LOOP && &f->blocks[f->loops[b->loop].head] == b ? 0 : b->cost;
	for (size_t i = b->first_event; i < b->first_event + b->n_events; i++) {
		const struct wv_event_record *e = &c->events[i];
		uint64_t cost = saturated_sum(saturated_sum(base, e->at), calls);
		if (e->kind == WV_TRAP) /* never executed */
			continue;
		if (e->kind == WV_CALL_TO || e->kind == WV_TAIL_CALL) {
			const struct wv_function *callee = &c->proof.functions[e->to];
			add_callee(f, callee, e->depth);
			check_callee_aligned(c, b, callee, e->depth);
			if (e->kind == WV_CALL_TO) {
				calls = saturated_sum(calls, callee->cost);
				continue;
			}
			cost = saturated_sum(cost, callee->cost);
		}
		cost_arrive(f, b->loop, e->kind == WV_EDGE ? e->to : WV_NO_LOOP, cost);
	}
}

/* The innermost loop around loop `index` that shares its cursor; NULL: it is the outermost. */
static struct wv_loop *sharer_around(struct wv_function *f, uint32_t index)
{
	uint32_t l = f->loops[index].parent;
	while (l != WV_NO_LOOP && f->loops[l].cursor != f->loops[index].cursor)
		l = f->loops[l].parent;
	return l == WV_NO_LOOP ? NULL : &f->loops[l];
}

/*
 * A loop that shares a cursor: its back edges, each with an iteration, cost so much where the cursor takes its whole
 * way in it. Loops one after the other share that way, so the costlier of them stands for both. So it is with a loop
 * and those within it if its back edges move the cursor by themselves; otherwise the way is counted for both.
 */
static void spend_cursor(struct wv_function *f, uint32_t index)
{
	struct wv_loop *l = &f->loops[index], *around = sharer_around(f, index);
	struct wv_nest_cursor *c = &f->cursors[l->cursor - 1];
	uint64_t step = l->step < 0 ? (uint64_t)0 - (uint64_t)l->step : (uint64_t)l->step;
	uint64_t all = saturated_product((uint64_t)c->hi - (uint64_t)c->lo, l->iteration);
	uint64_t own = all == UINT64_MAX || step == 0 ? UINT64_MAX : all / step + (all % step != 0);
	if (l->alone)
		raise_to(&own, l->inner);
	else
		own = saturated_sum(own, l->inner);
	raise_to(around ? &around->inner : &c->spent, own);
}

/* The back edges of a loop for each entry to it, and of those within it that share a cursor of its own. */
static uint64_t cost_of_rounds(struct wv_function *f, uint32_t index)
{
	struct wv_loop *l = &f->loops[index];
	/* without a claim no back edge can be taken, or the sweep would have reported it */
	uint64_t rounds = l->claim && !l->cursor ? saturated_product(l->back_edges, l->iteration) : 0;
	if (l->cursor)
		spend_cursor(f, index);
	for (uint32_t i = l->first_cursor; i < l->first_cursor + l->n_cursors; i++)
		rounds = saturated_sum(rounds, f->cursors[i].spent);
	return rounds;
}

/* The loop's last block is done: take the edges that leave it one level out. */
static void close_loop(struct wv_check *c, struct wv_function *f, uint32_t index)
{
	struct wv_loop *l = &f->loops[index];
	uint64_t total = saturated_sum(saturated_sum(l->entry, cost_of_rounds(f, index)), l->leaving);
	for (uint32_t b = l->head; b < l->end; b++) {
		const struct wv_block *block = &f->blocks[b];
		for (size_t i = block->first_event; i < block->first_event + block->n_events; i++) {
			const struct wv_event_record *e = &c->events[i];
			if (e->kind == WV_RETURN || e->kind == WV_TAIL_CALL)
				cost_arrive(f, l->parent, WV_NO_LOOP, total);
			else if (e->kind == WV_EDGE && !wv_loop_has(f, index, e->to))
				cost_arrive(f, l->parent, e->to, total);
		}
	}
}

static void sum_function(struct wv_check *c, struct wv_function *f)
{
	for (uint32_t i = 0; i < f->n_blocks; i++) {
		sum_block(c, f, &f->blocks[i]);
		for (uint32_t l = f->blocks[i].loop; l != WV_NO_LOOP && f->loops[l].end == i + 1;
			l = f->loops[l].parent)
			close_loop(c, f, l);
	}
}

void wv_sum(struct wv_check *c)
{
	for (uint32_t i = 0; i < c->proof.n_functions; i++) {
		struct wv_function *f = &c->proof.functions[i];
		uint64_t pc = c->module->text.addr + f->entry;
		char name[WV_FUNCTION_NAME], text[300];
		sum_function(c, f);
		if (f->written & f->keeps) {
			wv_registers_print(f->written & f->keeps, text, sizeof text);
			wv_report(c->sink, WARD_RULE_EDGE, pc, "kept-register-written",
				"the proof says that the function keeps %s, which it or a function called by it writes",
				text);
		}
		if (f->stack_bytes > c->max_stack)
			wv_report(c->sink, WARD_RULE_DEPTH, pc, "stack-too-deep",
				"%s uses up to %u bytes of stack, calls included; the limit is %u",
				wv_function_name(c, f, name), f->stack_bytes, c->max_stack);
		if (f->cost > c->max_insns || f->cost == UINT64_MAX) { /* that is: so many, or more */
			pc = wv_cost_print(c, f, text, sizeof text);
			wv_report(c->sink, WARD_RULE_COST, pc, "too-many-instructions", "%s", text);
		}
	}
}
