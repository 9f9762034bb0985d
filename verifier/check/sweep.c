/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sweep: one pass over the text in the order of addresses.
 *
 * At each address control either may arrive ("live") or can't. Where a block of the proof starts, the state is what
 * the block claims; a live state that falls into the block must be contained in those claims. From there the sweep
 * decodes each instruction once and steps the state over it. A conditional branch is an edge, and the rest of the
 * block goes on behind it; a jump, a return, or the next block ends the block. Where control can't arrive there may
 * only be padding.
 *
 * So every instruction that can execute has been checked under a state that holds whenever it executes: by induction
 * over the steps of a run, block by block. The sweep checks each edge at once, for the state that flows along it
 * (V-60) and for the shape of the graph (V-21, V-61, V-62). It records the edge's cost, which cost.c sums later, in
 * the order of the proof.
 */
#include "check.h"
#include "nest_cursor.h"
#include "verifier/proof/rank.h"
#include "verifier/step/step.h"
#include "verifier/step/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- memory ---- */

/* Blocks that a proof of this size can have. */
static size_t most_blocks(const struct wv_module *m)
{
	return m->proof.n / 4 + 1;
}

static size_t head_words(const struct wv_module *m)
{
	return m->text_bytes.n / 64 + 1;
}

/*
 * With jump tables a short text could cause much work, since each jump names as many targets as it likes. To keep the
 * time linear in the file's size, all jumps together may read only as many entries as there are bytes, and add only
 * as many edges as the text has bytes, and a few more. A switch's table is read by one jump and leads to code of its
 * own, so compilers stay far from both limits.
 */
enum { FREE_EDGES = 4096 };

static size_t most_table_edges(const struct wv_module *m)
{
	return m->rodata_bytes.n ? m->text_bytes.n + FREE_EDGES : 0;
}

size_t wv_check_events(const struct wv_module *m)
{
	return m->text_bytes.n + most_blocks(m) + most_table_edges(m);
}

size_t wv_check_arena(const struct wv_module *m)
{
	return 2 * sizeof(struct wv_state) + head_words(m) * (sizeof(uint64_t) + sizeof(uint32_t)) +
	       2 * most_blocks(m) * sizeof(uint32_t) + wv_check_events(m) * sizeof(struct wv_event_record) +
	       m->text_bytes.n / 8 + 1;
}

static bool is_head(const struct wv_check *c, uint64_t addr)
{
	return c->heads[addr / 64] >> addr % 64 & 1;
}

/* How many blocks start before the text offset. */
static uint32_t rank_of(const struct wv_check *c, uint64_t addr)
{
	return c->heads_before[addr / 64] +
	       (uint32_t)__builtin_popcountll(c->heads[addr / 64] & ((UINT64_C(1) << addr % 64) - 1));
}

struct wv_block *wv_block_at(const struct wv_check *c, uint64_t addr)
{
	return is_head(c, addr) ? &c->proof.blocks[c->in_order[rank_of(c, addr)]] : NULL;
}

const struct wv_function *wv_function_at(const struct wv_check *c, uint64_t addr)
{
	const struct wv_block *b = addr < c->module->text_bytes.n ? wv_block_at(c, addr) : NULL;
	const struct wv_function *f = b ? &c->proof.functions[b->function] : NULL;
	return f && b == f->blocks ? f : NULL;
}

/*
 * V-04, V-21: of two blocks at one address the first counts. Two functions have one if one branches into the other's
 * middle, or falls into it.
 */
static void check_shared(struct wv_check *c)
{
	const struct wv_block *blocks = c->proof.blocks;
	for (uint32_t i = 0; i < c->proof.n_blocks; i++) {
		const struct wv_block *first =
			blocks[i].addr < c->module->text_bytes.n ? wv_block_at(c, blocks[i].addr) : &blocks[i];
		uint64_t pc = c->module->text.addr + blocks[i].addr;
		if (first == &blocks[i])
			continue;
		c->proof.blocks[i].seen = true; /* it is not inside an instruction, too */
		if (first->function == blocks[i].function)
			wv_report(c->sink, WARD_RULE_PROOF, pc, "proof-malformed", "two blocks at one address");
		else
			wv_report(c->sink, WARD_RULE_BLOCK, pc, "block-of-two-functions",
				"two functions of the proof have this code, as one jumps or falls into the other; it "
				"must be a function of its own, which both call");
	}
}

/* Blocks by address: their heads are marked, the marks counted, and each block put where the count says. */
static void enter_blocks(struct wv_check *c)
{
	uint64_t text = c->module->text_bytes.n;
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->proof.n_blocks; i++) {
		uint64_t addr = c->proof.blocks[i].addr;
		if (addr < text)
			c->heads[addr / 64] |= UINT64_C(1) << addr % 64;
	}
	for (size_t w = 0; w < head_words(c->module); w++) {
		c->heads_before[w] = n;
		n += (uint32_t)__builtin_popcountll(c->heads[w]);
	}
	for (uint32_t i = c->proof.n_blocks; i-- > 0;) {
		if (c->proof.blocks[i].addr < text)
			c->in_order[rank_of(c, c->proof.blocks[i].addr)] = i;
	}
	check_shared(c);
}

static void find_stubs(struct wv_check *c)
{
	for (uint32_t i = 0; i < c->proof.n_functions; i++) {
		struct wv_function *f = &c->proof.functions[i];
		uint32_t import;
		if (c->module->n_imports && f->n_blocks && wv_module_stub(c->module, f->blocks[0].addr, &import))
			f->stub = import + 1;
	}
}

void wv_check_init(struct wv_check *c, void *arena)
{
	const struct wv_module *m = c->module;
	size_t text = m->text_bytes.n, words = head_words(m);
	c->states = arena;
	c->heads = (uint64_t *)(c->states + 2);
	c->heads_before = (uint32_t *)(c->heads + words);
	c->in_order = c->heads_before + words;
	c->stack = c->in_order + most_blocks(m);
	c->events = (struct wv_event_record *)(c->stack + most_blocks(m));
	c->starts = (uint8_t *)(c->events + wv_check_events(m));
	c->n_events = 0;
	c->table_edges = most_table_edges(m);
	c->table_entries = text + m->rodata_bytes.n;
	c->steps = c->states[0].steps = c->states[1].steps = 0;
	c->most_steps = WV_STEPS_FREE + (uint64_t)WV_STEPS_BYTE * m->file.n;
	c->reported = c->sink->count;
	memset(c->heads, 0, words * sizeof(uint64_t));
	memset(c->starts, 0, text / 8 + 1);
	enter_blocks(c);
	find_stubs(c);
}

/* ---- steps ---- */

/*
 * A sweep counts its work in steps, so that no file causes more work than is in proportion to its size (V-06). A file
 * could have many short branches, each of which looks through a full frame, or enters a block with many claims. Work
 * that takes longer than its bytes warrant is counted where it is done: in the states by the functions that search
 * them, and here by instruction, edge and claim. The count depends on the file alone.
 */
enum {
	STEPS_INSN = 3,
	STEPS_BRANCH = 10,
	STEPS_EDGE = 3,
	STEPS_DISTANCE = 8,
	STEPS_REPORT = 32,
	STEPS_CALL = 8,
	GHOSTS_STEP = 8
};

uint64_t wv_steps(const struct wv_check *c)
{
	return c->steps + c->states[0].steps + c->states[1].steps +
	       (c->sink->count - c->reported) * (uint64_t)STEPS_REPORT;
}

static bool effort_is_spent(const struct wv_check *c)
{
	return wv_steps(c) > c->most_steps;
}

/*
 * Of all that is claimed of a block, once: at a loop's head each claim is also looked for among what the loop counts.
 */
static uint64_t steps_of_claims(const struct wv_function *f, const struct wv_block *b)
{
	uint32_t l = b->loop;
	uint64_t ghosts = l != WV_NO_LOOP && &f->blocks[f->loops[l].head] == b ? f->loops[l].n_ghosts : 0;
	return b->n_claims * (1 + ghosts / GHOSTS_STEP) + b->n_distances * (uint64_t)STEPS_DISTANCE;
}

/* 1: an address made of this register and others may be at several places of the stack; 0: not by this register. */
static unsigned ranges_over_stack(const struct wv_state *st, uint8_t reg, bool inexact)
{
	const struct wv_val *v = reg < WV_NREG ? &st->reg[reg] : NULL;
	return v && v->kind == WV_PTR && v->region == WV_STACK && (inexact || !wv_num_is_const(&v->n));
}

/* An access to the frame at an inexact place, or of many bytes, looks at each byte that it may touch. */
static uint64_t steps_of_access(const struct wv_insn *insn, const struct wv_state *st)
{
	bool indexed = insn->mem.index != WV_NOREG, access = false;
	for (unsigned i = 0; i < insn->n_operands && i < 3; i++)
		access |= insn->operand[i].kind == WV_MEM;
	bool over = insn->op == WV_STOS || insn->op == WV_MOVS ||
		    (access && (ranges_over_stack(st, insn->mem.base, indexed) ||
				       ranges_over_stack(st, insn->mem.index, true)));
	return over ? st->n_slots * 8 / WV_BYTES_STEP : 0;
}

/* ---- the walk ---- */

enum { MAX_STRAY = 64 };

/* A branch to an address where the proof has no block. */
struct stray {
	uint64_t pc, target;
	bool table;     /* it is the target of a jump table's entry, */
	uint64_t entry; /* at this offset in rodata */
};

/* The sweep's position. */
struct walk {
	struct wv_check *c;
	struct wv_ctx ctx;
	struct wv_state *st, *edge;
	struct wv_function *f;
	struct wv_block *block; /* NULL: nothing is live */
	struct wv_leads leads;  /* of it */
	uint32_t index;         /* of the block in its function */
	uint32_t at;            /* instructions of the block so far */
	bool padding_reported;  /* V-25 was reported for this stretch */
	struct stray stray[MAX_STRAY];
	size_t n_stray;
};

static void event_record(struct walk *w, enum wv_event_kind kind, uint32_t to, uint32_t depth, bool feasible)
{
	struct wv_check *c = w->c;
	c->events[c->n_events++] =
		(struct wv_event_record){(uint8_t)kind, feasible && !w->ctx.dead, (uint16_t)depth, w->at, to};
	w->block->n_events++;
}

/* Keep in the function what stepping over this block found. */
static void leave_block(struct walk *w)
{
	struct wv_function *f = w->f;
	if (!w->block)
		return;
	if (w->ctx.stack_bytes > f->stack_bytes)
		f->stack_bytes = w->ctx.stack_bytes;
	f->written |= w->ctx.written;
	f->aligned |= w->ctx.aligned;
	f->event_fields |= w->ctx.event_fields;
	f->writes_state |= w->ctx.writes_state;
	f->imports |= w->ctx.imports;
	f->needs |= w->ctx.needs;
	w->block = NULL;
	w->padding_reported = false;
}

static void enter_block(struct walk *w, struct wv_block *b)
{
	leave_block(w);
	w->f = &w->c->proof.functions[b->function];
	w->block = b;
	w->index = (uint32_t)(b - w->f->blocks);
	w->at = 0;
	b->first_event = (uint32_t)w->c->n_events; /* a file of 64 MiB has no room for more */
	b->n_events = 0;
	b->seen = true;
	w->ctx = (struct wv_ctx){.module = w->c->module,
		.sink = w->c->sink,
		.max_stack = w->c->max_stack,
		.next_sym = w->f->n_ghosts + 1};
	memcpy(w->ctx.lent, w->f->lent, sizeof w->ctx.lent);
	w->c->steps += steps_of_claims(w->f, b);
	wv_claims_load(&w->ctx, w->f, w->index, w->st);
	wv_leads_load(w->f, w->index, w->st, &w->leads);
	const struct wv_watcher *o = w->c->watcher;
	if (o && o->enter)
		o->enter(o->user, w->f, b, &w->ctx, w->st);
}

/* ---- edges ---- */

/*
 * How far the ranking location has moved since control was last at the head, at least and at most. V-62 demands that
 * this is known and in one direction. The low 32 bits move by a known step; all 64 bits may move by any of several
 * known steps (a distance from the ghost). False: the location may stay, or move in either direction. A number's
 * claim may meet an address; but an address satisfies only the claim of any number, and with that claim no view moves
 * without wrapping. By length it would.
 */
static bool rank_step(
	const struct wv_loop *l, const struct wv_num *range, const struct wv_state *st, int64_t *least, int64_t *most)
{
	const struct wv_val *v = wv_rank_value(st, &l->rank),
			    ghost = {.kind = WV_NUM, .sym = l->first_ghost + 1, .n = *range};
	if (!v)
		return false;
	if (l->view >= WV_LENGTH) {
		*least = *most = -1;
		return v->kind == WV_NUM && wv_state_is_less(st, v, &ghost, l->view == WV_ONES);
	}
	if (l->view >= WV_U32) {
		*least = *most = (int32_t)v->ladd;
		return v->lsym == ghost.sym;
	}
	struct wv_num d = wv_state_distance(st, &ghost, 1, v);
	*least = d.smin > 0 ? d.smin : d.smax;
	*most = d.smin > 0 ? d.smax : d.smin;
	return d.smin > 0 || d.smax < 0;
}

static void check_rank(struct walk *w, const struct wv_loop *l, const struct wv_state *st, uint64_t pc)
{
	const struct wv_num *range = l->claim ? &l->claim->facts->n : NULL;
	int64_t least, furthest;
	uint64_t head = w->c->module->text.addr + w->f->blocks[l->head].addr;
	const char *why = NULL;
	char words[160];
	if (!range)
		why = "has no claimed range there";
	else if (!rank_step(l, range, st, &least, &furthest))
		why = "is not moved by a known step on this way back";
	else if (wv_rank_bits(st, &l->rank) !=
		 l->claim->facts
			 ->width) /* what has moved is part of what the head will find there, or more than that */
		why = "holds other bytes that are known on this way back than are claimed there";
	else if (l->step == 0 || (l->step > 0 ? least < l->step : least > l->step))
		why = "moves less far than claimed, or the other way";
	else if (!wv_rank_moves(l->view, range, furthest))
		why = "may wrap around";
	if (!why)
		return;
	if (l->step == INT64_MAX) /* the maker of the proof found none, and named just any location */
		snprintf(words, sizeof words,
			"no register, and no place in the stack, is known to move in one direction only and within "
			"known limits");
	else if (l->rank.slot)
		snprintf(words, sizeof words, "its counter would be stack-%u, which %s", l->rank.slot * 8, why);
	else
		snprintf(
			words, sizeof words, "its counter would be %s, which %s", ward_register_name(l->rank.reg), why);
	wv_report(w->c->sink, WARD_RULE_RANK, pc, "loop-not-bounded",
		"nothing bounds the loop that begins at 0x%" PRIx64 ": %s", head, words);
}

/*
 * Forward edges go to a higher block and enter loops only at their heads; other edges are back edges, to the head of a
 * loop around their source.
 */
static void check_shape(struct walk *w, uint32_t to, const struct wv_state *st, bool feasible, uint64_t pc)
{
	const struct wv_function *f = w->f;
	uint32_t from = w->index;
	if (to > from) {
		uint32_t l = f->blocks[to].loop;
		for (; l != WV_NO_LOOP && !wv_loop_has(f, l, from); l = f->loops[l].parent) {
			if (f->loops[l].head != to)
				wv_report(w->c->sink, WARD_RULE_STRUCTURE, pc, "loop-entered-past-head",
					"a branch into the middle of a loop, which begins at 0x%" PRIx64
					"; loops are entered at their beginning only",
					w->c->module->text.addr + f->blocks[f->loops[l].head].addr);
		}
		return;
	}
	uint32_t l = f->blocks[from].loop;
	while (l != WV_NO_LOOP && f->loops[l].head != to)
		l = f->loops[l].parent;
	if (l == WV_NO_LOOP)
		wv_report(w->c->sink, WARD_RULE_STRUCTURE, pc, "back-edge-outside-loop",
			"a branch back to 0x%" PRIx64
			", and nothing bounds that loop: the proof has none that begins there and contains the branch",
			w->c->module->text.addr + f->blocks[to].addr);
	else if (feasible && !f->loops[l].alone) /* what moves a cursor by itself is V-65's to check */
		check_rank(w, &f->loops[l], st, pc);
}

/* An edge from the current block, along which `st` flows (if feasible), to a block. */
static void edge_to(struct walk *w, struct wv_block *to, const struct wv_state *st, bool feasible, uint64_t pc)
{
	char why[280];
	if (to->function != w->block->function) {
		wv_report(w->c->sink, WARD_RULE_BLOCK, pc, "branch-to-other-function",
			"a branch into the middle of another function");
		return;
	}
	uint32_t index = (uint32_t)(to - w->f->blocks);
	const struct wv_watcher *o = w->c->watcher;
	feasible = feasible && !w->ctx.dead;
	if (o && o->edge)
		o->edge(o->user, pc, to, st, feasible);
	w->c->steps += STEPS_EDGE + (feasible ? steps_of_claims(w->f, to) : 0);
	event_record(w, WV_EDGE, index, 0, feasible);
	check_shape(w, index, st, feasible, pc);
	if (feasible && !wv_claims_contain(w->f, index, st, index <= w->index, why, sizeof why))
		wv_report(w->c->sink, WARD_RULE_EDGE, pc, "claim-not-implied", "on the edge to 0x%" PRIx64 ", %s",
			w->c->module->text.addr + to->addr, why);
	w->c->steps += feasible ? wv_cursors_steps(w->f, index, st, &w->leads) : 0;
	if (feasible && !wv_cursors_hold(w->f, w->index, index, st, &w->leads, why, sizeof why))
		wv_report(w->c->sink, WARD_RULE_CURSOR, pc, "cursor-moved-back", "on the edge to 0x%" PRIx64 ", %s",
			w->c->module->text.addr + to->addr, why);
}

/* What must hold where control goes back to the caller. */
static void check_return(struct walk *w, const struct wv_state *st, uint64_t pc)
{
	static const uint8_t preserved[] = {WV_RBX, WV_RBP, WV_R12, WV_R13, WV_R14, WV_R15};
	char why[280];
	if (!wv_results_hold(w->f, st, why, sizeof why))
		wv_report(w->c->sink, WARD_RULE_EDGE, pc, "result-not-as-claimed", "at the return, %s", why);
	if (st->depth != 0)
		wv_report(w->c->sink, WARD_RULE_RETURN, pc, "return-with-unbalanced-stack",
			"rsp is %u bytes below the return address; what was taken from the stack must be given back",
			st->depth);
	for (size_t i = 0; i < sizeof preserved; i++) {
		const struct wv_val *v = &st->reg[preserved[i]];
		if (v->kind == WV_SAVED && v->region == preserved[i])
			continue;
		char has[120];
		wv_val_print(v, has, sizeof has);
		wv_report(w->c->sink, WARD_RULE_PRESERVED, pc, "callee-saved-register-changed",
			"at the return %s is %s; it must hold what it held at the entry",
			ward_register_name(preserved[i]), has);
	}
}

/*
 * What a rep repeats counts as instructions, and so does what an import executes. A block's count stays far from the
 * end of 32 bits.
 */
static void add_repeats(struct walk *w, uint64_t pc)
{
	uint64_t at = w->at + w->ctx.repeats;
	if (at > INT32_MAX) {
		wv_report(w->c->sink, WARD_RULE_COST, pc, "too-many-instructions",
			"what is repeated here takes more than 2^31 instructions");
		at = INT32_MAX;
	}
	w->at = (uint32_t)at;
	w->ctx.repeats = 0;
}

/* A call of a function of the module, or of the import behind it, with so many bytes of return addresses pushed. */
static void call_function(
	struct walk *w, const struct wv_function *callee, struct wv_state *st, uint32_t return_address, uint64_t pc)
{
	char why[280], name[WV_FUNCTION_NAME];
	w->c->steps += STEPS_CALL + callee->blocks[0].n_claims;
	if (callee->stub) {
		wv_import_call(&w->ctx, st, pc, callee->stub - 1, return_address);
		add_repeats(w, pc);
	} else if (wv_call(&w->ctx, callee, st, why, sizeof why)) {
		wv_report(w->c->sink, WARD_RULE_EDGE, pc, "contract-not-met",
			"%s, which is called here, needs more than its caller gives: %s",
			wv_function_name(w->c, callee, name), why);
	}
}

/* V-64: `does` says whether it calls the other function or jumps to it. */
static void report_order(struct walk *w, const struct wv_block *to, const char *does, uint64_t pc)
{
	char from[WV_FUNCTION_NAME], other[WV_FUNCTION_NAME];
	wv_function_name(w->c, w->f, from);
	wv_function_name(w->c, &w->c->proof.functions[to->function], other);
	if (to->function == w->block->function)
		wv_report(w->c->sink, WARD_RULE_RECURSION, pc, "self-recursion",
			"%s %s itself; a function may only call those that end before it begins to", from, does);
	else
		wv_report(w->c->sink, WARD_RULE_RECURSION, pc, "call-not-ordered",
			"%s %s %s, which the proof lists later; calls go to earlier functions only, so that none comes "
			"back to itself",
			from, does, other);
}

/*
 * A jump to another function's start is a call of it and a return with its results: the callee returns to this
 * function's caller, with rsp where this function found it.
 */
static void tail_call(struct walk *w, const struct wv_block *to, const struct wv_state *st, uint64_t pc)
{
	uint32_t depth = st->depth;
	if (to->function >= w->block->function) {
		report_order(w, to, "goes on in", pc);
		return;
	}
	if (st != w->edge)
		wv_state_copy(w->edge, st);
	call_function(w, &w->c->proof.functions[to->function], w->edge, 0, pc);
	event_record(w, WV_TAIL_CALL, to->function, depth, true);
	check_return(w, w->edge, pc);
}

/* A branch to where the proof has no block: judged when all instructions are known. */
static struct stray *add_stray(struct walk *w, uint64_t target, uint64_t pc)
{
	if (w->n_stray == MAX_STRAY) {
		wv_report(w->c->sink, WARD_RULE_BLOCK, pc, "branch-to-unproven",
			"a branch to 0x%" PRIx64 ", where the proof has no block", target);
		return NULL;
	}
	w->stray[w->n_stray] = (struct stray){.pc = pc, .target = target};
	return &w->stray[w->n_stray++];
}

static void branch_to(struct walk *w, uint64_t target, const struct wv_state *st, bool feasible, uint64_t pc)
{
	uint64_t offset = target - w->c->module->text.addr;
	struct wv_block *to = offset < w->c->module->text_bytes.n ? wv_block_at(w->c, offset) : NULL;
	if (to && to->function != w->block->function && to == w->c->proof.functions[to->function].blocks) {
		if (feasible)
			tail_call(w, to, st, pc);
	} else if (to) {
		edge_to(w, to, st, feasible, pc);
	} else {
		add_stray(w, target, pc);
	}
}

/* V-27, of one entry. */
static void judge_entry(struct walk *w, const struct stray *s)
{
	const struct wv_module *m = w->c->module;
	uint64_t offset = s->target - m->text.addr;
	const char *where = offset >= m->text_bytes.n                       ? "outside the module's code"
			    : !(w->c->starts[offset / 8] >> offset % 8 & 1) ? "in the middle of an instruction"
									    : "where the proof has no block";
	wv_report(w->c->sink, WARD_RULE_TABLE, s->pc, "table-entry-astray",
		"the entry at rodata+%" PRIu64 ", which the index may select, leads to 0x%" PRIx64 ", %s", s->entry,
		s->target, where);
}

/* Now that all instructions are known: no instruction there (V-20), or none that the proof names (V-21). */
static void judge_strays(struct walk *w)
{
	const struct wv_module *m = w->c->module;
	for (size_t i = 0; i < w->n_stray; i++) {
		uint64_t pc = w->stray[i].pc, target = w->stray[i].target, offset = target - m->text.addr;
		if (w->stray[i].table)
			judge_entry(w, &w->stray[i]);
		else if (offset >= m->text_bytes.n)
			wv_report(w->c->sink, WARD_RULE_TARGET, pc, "branch-outside-text",
				"a branch to 0x%" PRIx64 ", outside the module's code", target);
		else if (!(w->c->starts[offset / 8] >> offset % 8 & 1))
			wv_report(w->c->sink, WARD_RULE_TARGET, pc, "branch-into-instruction",
				"a branch to 0x%" PRIx64 ", into the middle of an instruction", target);
		else
			wv_report(w->c->sink, WARD_RULE_BLOCK, pc, "branch-to-unproven",
				"a branch to 0x%" PRIx64 ", where the proof has no block", target);
	}
}

/* ---- instructions that move control ---- */

static void do_jcc(struct walk *w, const struct wv_insn *insn)
{
	enum wv_cond cond = (enum wv_cond)insn->cond;
	bool defined = wv_flags_defined(&w->st->flags, cond);
	w->c->steps += STEPS_BRANCH;
	wv_state_copy(w->edge, w->st);
	bool feasible = !defined || wv_state_assume(w->edge, cond);
	branch_to(w, insn->target, w->edge, feasible, insn->pc);
	wv_state_copy(w->edge, w->st);
	if (defined && wv_state_assume(w->edge, (enum wv_cond)(cond ^ 1))) {
		struct wv_state *t = w->st;
		w->st = w->edge;
		w->edge = t;
	} else if (defined) { /* it always jumps: what follows keeps the wider state, and no edge of it is taken */
		w->ctx.dead = true;
	}
}

/* One entry's target: each block is looked at once a jump. False: enough. */
static bool enter_case(struct walk *w, const struct wv_targets *t, uint64_t target, uint64_t pc)
{
	struct wv_check *c = w->c;
	uint64_t offset = target - c->module->text.addr;
	struct wv_block *to = offset < c->module->text_bytes.n ? wv_block_at(c, offset) : NULL;
	c->steps++;
	if (to && to->jump == c->n_jumps)
		return true;
	if (effort_is_spent(c))
		return false;
	if (to && c->table_edges == 0) {
		wv_report(c->sink, WARD_RULE_TABLE, pc, "tables-too-large",
			"the jumps of this module lead to more places than its text has bytes, and %d more",
			FREE_EDGES);
		return false;
	}
	if (to) {
		to->jump = c->n_jumps;
		c->table_edges--;
		edge_to(w, to, w->st, true, pc);
		return true;
	}
	struct stray *s = add_stray(w, target, pc);
	if (s) {
		s->table = true;
		s->entry = t->entry;
	}
	return s;
}

/* V-27, and V-22 for the kernel. */
static void do_jump_table(struct walk *w, const struct wv_insn *insn)
{
	struct wv_check *c = w->c;
	struct wv_targets t;
	char why[280];
	uint64_t target;
	if (c->module->profile != WARD_PROFILE_USER) {
		wv_report(c->sink, WARD_RULE_INDIRECT, insn->pc, "indirect-branch",
			"jump to an address in a register; the kernel profile has no such jumps");
		return;
	}
	const char *reason = wv_table_targets(&w->ctx, &w->st->reg[insn->operand[0].reg], &t, why, sizeof why);
	if (reason) {
		wv_report(c->sink, WARD_RULE_TABLE, insn->pc, reason, "%s", why);
		return;
	}
	uint64_t length = wv_table_length(&t);
	if (length > c->table_entries) {
		wv_report(c->sink, WARD_RULE_TABLE, insn->pc, "tables-too-large",
			"the index of this jump selects from %" PRIu64
			" entries; all jumps together may have as many as text and rodata have bytes",
			length);
		return;
	}
	c->table_entries -= length;
	c->n_jumps++;
	/* an impossible index; but that doesn't permit a jump whose targets were never checked */
	if (!wv_table_next(&t, &target)) {
		wv_report(c->sink, WARD_RULE_TABLE, insn->pc, "table-without-entries",
			"the index of this jump selects no entry");
		return;
	}
	while (enter_case(w, &t, target, insn->pc) && wv_table_next(&t, &target))
		;
}

static void do_ret(struct walk *w, const struct wv_insn *insn)
{
	event_record(w, WV_RETURN, 0, 0, true);
	check_return(w, w->st, insn->pc);
}

static void do_call(struct walk *w, const struct wv_insn *insn)
{
	uint64_t offset = insn->target - w->c->module->text.addr;
	struct wv_block *to = offset < w->c->module->text_bytes.n ? wv_block_at(w->c, offset) : NULL;
	if (!to) {
		branch_to(w, insn->target, w->st, true, insn->pc); /* judged with the other strays */
		return;
	}
	if (to != w->c->proof.functions[to->function].blocks) {
		wv_report(w->c->sink, WARD_RULE_BLOCK, insn->pc, "call-into-function",
			"a call of the middle of a function");
		return;
	}
	if (to->function >= w->block->function) {
		report_order(w, to, "calls", insn->pc);
		return;
	}
	call_function(w, &w->c->proof.functions[to->function], w->st, 8, insn->pc);
	event_record(w, WV_CALL_TO, to->function, w->st->depth + 8, true);
}

/* ---- the sweep ---- */

static void do_insn(struct walk *w, const struct wv_insn *insn)
{
	const struct wv_watcher *o = w->c->watcher;
	bool first = w->at++ == 0;
	w->c->n_insns++;
	if (o && o->before)
		o->before(o->user, insn, &w->ctx, w->st);
	if (first && w->index == 0 && w->f->stub) { /* where it is called its import is judged */
		event_record(w, WV_RETURN, 0, 0, true);
		leave_block(w);
		return;
	}
	uint32_t slots = w->st->n_slots;
	w->c->steps += steps_of_access(insn, w->st);
	wv_step(&w->ctx, w->st, insn);
	if (w->st->n_slots > slots) /* each is made */
		w->c->steps += (w->st->n_slots - slots) / 2;
	if (w->ctx.repeats)
		add_repeats(w, insn->pc);
	switch (insn->op) {
	case WV_JCC: do_jcc(w, insn); break;
	case WV_JMP:
		branch_to(w, insn->target, w->st, true, insn->pc);
		leave_block(w);
		break;
	case WV_JMP_REG:
		do_jump_table(w, insn);
		leave_block(w);
		break;
	case WV_RET:
	case WV_JMP_SLOT: /* the import returns to where this function would have */
		do_ret(w, insn);
		leave_block(w);
		break;
	case WV_CALL: do_call(w, insn); break;
	case WV_UD2:
		event_record(w, WV_TRAP, (uint32_t)(insn->pc - w->c->module->text.addr), 0, true);
		leave_block(w);
		break;
	case WV_INT3: leave_block(w); break;
	default: break;
	}
	if (o && o->after && w->block)
		o->after(o->user, insn, w->st);
}

/* Nothing is live: only padding is permitted here (V-25). One report for each stretch. */
static void do_dead(struct walk *w, const struct wv_insn *insn)
{
	if (insn->op == WV_NOP || insn->op == WV_INT3 || w->padding_reported)
		return;
	w->padding_reported = true;
	wv_report(w->c->sink, WARD_RULE_UNREACHED, insn->pc, "unreached-code",
		"no path leads to this code, and it is no padding");
}

static void report_decode(struct walk *w, enum wv_decode_status status, uint64_t pc, const char *why)
{
	static const enum ward_rule rule[] = {[WV_BAD_OPCODE] = WARD_RULE_OPCODE,
		[WV_BAD_PREFIX] = WARD_RULE_PREFIX,
		[WV_BAD_OPERAND] = WARD_RULE_OPERAND,
		[WV_INDIRECT] = WARD_RULE_INDIRECT};
	static const char *const reason[] = {[WV_BAD_OPCODE] = "instruction-not-permitted",
		[WV_BAD_PREFIX] = "prefix-not-permitted",
		[WV_BAD_OPERAND] = "operand-not-permitted",
		[WV_INDIRECT] = "indirect-branch"};
	/* a phrase, a mnemonic */
	const char *form = status == WV_BAD_OPCODE   ? strchr(why, ' ')
							       ? "%s; isa.def has no row for it"
							       : "`%s` is not permitted: isa.def has no row for it"
			   : status == WV_BAD_PREFIX ? "the instruction has %s, which is not permitted"
						     : "not permitted: %s";
	wv_report(w->c->sink, rule[status], pc, reason[status], form, why);
}

/* After bytes that can't be decoded it goes on at the next block, so that one run shows all violations. */
static uint64_t next_block(struct walk *w, uint64_t at)
{
	uint64_t n = w->c->module->text_bytes.n;
	for (at++; at < n && !wv_block_at(w->c, at); at++)
		;
	return at;
}

/* Control runs on to where a block starts. */
static void fall_into(struct walk *w, struct wv_block *b, uint64_t pc)
{
	if (b->function != w->block->function)
		wv_report(w->c->sink, WARD_RULE_FALLOFF, pc, "falls-into-other-function",
			"control runs past the end of its function, into another one");
	else
		edge_to(w, b, w->st, true, pc);
}

/* One instruction at text offset `at`; returns the offset of the next. */
static uint64_t sweep_one(struct walk *w, uint64_t at)
{
	const struct wv_module *m = w->c->module;
	struct wv_block *b = wv_block_at(w->c, at);
	uint64_t pc = m->text.addr + at;
	if (b) {
		if (w->block)
			fall_into(w, b, pc);
		enter_block(w, b);
	}
	struct wv_insn insn;
	const char *why = "?";
	w->c->steps += STEPS_INSN;
	enum wv_decode_status status = wv_decode(m->text_bytes.p + at, m->text_bytes.n - at, pc, &insn, &why);
	if (status != WV_DECODED) {
		report_decode(w, status, pc, why);
		leave_block(w);
		return next_block(w, at);
	}
	w->c->starts[at / 8] |= (uint8_t)(1u << at % 8);
	if (w->block)
		do_insn(w, &insn);
	else
		do_dead(w, &insn);
	return at + insn.length;
}

/* A block that the sweep did not come upon starts inside an instruction. */
static void check_blocks_seen(struct walk *w)
{
	for (uint32_t i = 0; i < w->c->proof.n_blocks; i++) {
		const struct wv_block *b = &w->c->proof.blocks[i];
		if (!b->seen)
			wv_report(w->c->sink, WARD_RULE_TARGET, w->c->module->text.addr + b->addr,
				"block-inside-instruction",
				"the proof has a block here, in the middle of an instruction that is checked");
	}
}

void wv_sweep(struct wv_check *c)
{
	struct walk w = {.c = c, .st = &c->states[0], .edge = &c->states[1]};
	uint64_t at = 0, n = c->module->text_bytes.n;
	while (at < n && !effort_is_spent(c))
		at = sweep_one(&w, at);
	if (effort_is_spent(c)) { /* what was not looked at is not proven */
		wv_report(c->sink, WARD_RULE_WORK, c->module->text.addr + at, "too-much-work",
			"to check the module takes more than %" PRIu64
			" steps, %d for each byte of the file and %d more; what comes from here on was not looked at",
			c->most_steps, WV_STEPS_BYTE, WV_STEPS_FREE);
		return;
	}
	if (w.block) {
		wv_report(c->sink, WARD_RULE_FALLOFF, c->module->text.addr + n, "control-leaves-text",
			"control runs past the end of the module's code");
		leave_block(&w);
	}
	check_blocks_seen(&w);
	judge_strays(&w);
	wv_reach(c);
}

void wv_sweep_block(struct wv_check *c, struct wv_block *b)
{
	struct walk w = {.c = c, .st = &c->states[0], .edge = &c->states[1]};
	uint64_t at = sweep_one(&w, b->addr), n = c->module->text_bytes.n;
	while (w.block && at < n && !is_head(c, at))
		at = sweep_one(&w, at);
	if (w.block && at < n)
		fall_into(&w, wv_block_at(c, at), c->module->text.addr + at);
	leave_block(&w);
	judge_strays(&w);
}
