/* SPDX-License-Identifier: Apache-2.0 */
#include "interpret.h"

#include <stdlib.h>
#include <string.h>

#include "verifier/step/step.h"
#include "verifier/step/table.h"

/*
 * Interprets one block. The block's state starts as the verifier loads its claims: what distances imply is known from
 * the start.
 */
static void load_state(struct wv_state *to, const struct packed_state *k)
{
	unpack_state(to, k);
	for (uint32_t i = 0; i < to->n_distances; i++) {
		for (unsigned r = 0; r < WV_NREG; r++) {
			if (to->reg[r].sym == to->distance[i].b)
				wv_state_learn_distant(to, &to->reg[r]);
		}
	}
}

/* ---- interpreting a block ---- */

static void machine_call(struct machine *k, const struct wv_insn *i, struct wv_state *st);

static void swap_edge(struct machine *k)
{
	struct wv_state *t = k->st;
	k->st = k->edge;
	k->edge = t;
}

/* A branch to another function's start: a call and a return. */
static void tail_call(struct machine *k, const struct wv_insn *i)
{
	bool jcc = i->op == WV_JCC;
	wv_state_copy(k->edge, k->st);
	if (!jcc || !wv_flags_defined(&k->st->flags, (enum wv_cond)i->cond) ||
		wv_state_assume(k->edge, (enum wv_cond)i->cond)) {
		machine_call(k, i, k->edge);
		if (k->settled)
			contract_return(k->a->contract, k->edge);
	}
	if (!jcc || !wv_flags_defined(&k->st->flags, (enum wv_cond)i->cond))
		return;
	wv_state_copy(k->edge, k->st);
	if (wv_state_assume(k->edge, (enum wv_cond)(i->cond ^ 1)))
		swap_edge(k);
}

/* ---- edges that can't be taken ---- */

static bool is_forgotten(const struct wv_val *v, bool pointers)
{
	return v->kind == WV_NUM || (pointers && v->kind == WV_PTR);
}

static void forget_number(struct wv_state *st, const struct wv_val *of, bool pointers)
{
	for (unsigned r = 0; r < WV_NREG; r++) {
		if (r != WV_RSP && of->sym && is_forgotten(&st->reg[r], pointers) &&
			(st->reg[r].sym == of->sym || st->reg[r].lsym == of->lsym))
			st->reg[r].n = wv_num_any();
	}
	for (uint32_t i = 0; i < st->n_slots; i++) {
		struct wv_slot *s = &st->slot[i];
		if (s->width == 8 && of->sym && is_forgotten(&s->v, pointers) &&
			(s->v.sym == of->sym || s->v.lsym == of->lsym))
			s->v.n = wv_num_any();
	}
}

/* The side of a comparison that it narrows more. */
static struct wv_val *compared_side(struct wv_flags *f)
{
	return wv_num_is_const(&f->a.n) && !wv_num_is_const(&f->b.n) ? &f->b : &f->a;
}

static bool assume_anything(struct wv_state *st, enum wv_cond cond, bool pointers)
{
	struct wv_flags *f = &st->flags;
	struct wv_val *v = compared_side(f);
	if (v->kind != WV_NUM)
		return true;
	forget_number(st, v, pointers);
	v->n = wv_num_any();
	if (f->a.sym == f->b.sym)
		f->a.n = f->b.n = v->n;
	return wv_state_assume(st, cond);
}

/*
 * What a state that is never there is taken for, so that there is something to claim: what was compared may be anything
 * that the condition allows. After a guard that always stops the run, say, the index is one that it would let pass.
 * What contradicts that in pointers that were counted with it, and in what is known of two numbers together, is
 * forgotten.
 */
static void state_force(struct wv_state *to, const struct wv_state *from, enum wv_cond cond)
{
	wv_state_copy(to, from);
	if (assume_anything(to, cond, false))
		return;
	wv_state_copy(to, from);
	to->n_distances = to->n_choices = to->n_sums = to->n_bounds = to->n_less = to->n_reaches = 0;
	assume_anything(to, cond, true);
}

static bool is_in_address(const struct wv_state *st, uint8_t r, const struct wv_val *v)
{
	return r < WV_NREG && v->sym && (st->reg[r].sym == v->sym || st->reg[r].lsym == v->lsym);
}

/* Is what was compared part of an address in the block? */
static bool block_uses(const struct machine *k, uint32_t b, const struct wv_val *v)
{
	const struct block *block = &k->a->f->blocks[b];
	uint64_t at = block->addr;
	for (uint32_t n = 0; n < block->n && effort_spend(k->a->code->effort, 1); n++) {
		const struct wv_insn *i = &k->a->code->insns[k->a->code->at[at] - 1];
		if (is_in_address(k->st, i->mem.base, v) || is_in_address(k->st, i->mem.index, v))
			return true;
		at += i->length;
	}
	return false;
}

/*
 * Is it an edge to an access behind a guard that allows one number, and to a block that no run reaches? Elsewhere the
 * state keeps what is known. A loop that begins with other numbers may have no known end, and blocks that are reached
 * keep what is true on all edges.
 */
static bool leads_to_guarded(const struct machine *k, const struct out *out, enum wv_cond cond)
{
	return cond == WV_E && k->everything && out && !k->reached[out->to] &&
	       block_uses(k, out->to, compared_side(&k->st->flags));
}

/* The taken edge of a jcc, then the state that falls through it, by `fall` if that leaves the block. */
static bool flow_jcc(struct machine *k, uint32_t from, const struct out *out, const struct out *fall,
	const struct wv_insn *i, bool last, flow_fn *fn, void *user)
{
	enum wv_cond cond = (enum wv_cond)i->cond, not = (enum wv_cond)(cond ^ 1);
	bool defined = wv_flags_defined(&k->st->flags, cond);
	wv_state_copy(k->edge, k->st);
	if (k->ctx.dead && !k->everything)
		return true;
	if (!defined || wv_state_assume(k->edge, cond)) {
		if (!fn(user, from, out, k->edge))
			return false;
	} else if (k->everything) {
		if (leads_to_guarded(k, out, cond))
			state_force(k->edge, k->st, cond);
		else
			wv_state_copy(k->edge, k->st);
		if (!fn(user, from, out, k->edge))
			return false;
	}
	wv_state_copy(k->edge, k->st);
	if (!defined)
		return true;
	if (wv_state_assume(k->edge, not)) {
		swap_edge(k);
		return true;
	}
	k->ctx.dead = true;
	uint64_t next = i->pc + i->length - k->a->m->text.addr;
	uint8_t *split = next < k->a->m->text_bytes.n ? &k->a->code->splits[next] : NULL;
	if (leads_to_guarded(k, fall, not) || (split && *split == SPLIT)) {
		state_force(k->edge, k->st, not);
		swap_edge(k);
	} else if (split && k->settled && !last)
		*split = SPLIT_MAY;
	return true;
}

/* While states still grow nothing may be learnt from them about what is passed. */
static void machine_call(struct machine *k, const struct wv_insn *i, struct wv_state *st)
{
	struct contracts *cs = k->a->contracts;
	bool collecting = cs->collecting;
	uint32_t import;
	if (wv_module_stub(k->a->m, i->target - k->a->m->text.addr, &import)) {
		wv_import_call(&k->ctx, st, i->pc, import, i->op == WV_CALL ? 8 : 0);
		return;
	}
	struct contract *c = contract_at(cs, i->target - k->a->m->text.addr);
	struct contract before = c ? *c : (struct contract){0};
	if (c && k->settled)
		contract_pass_on(k->a->contract, c, st);
	contract_call(&k->ctx, cs, i->target - k->a->m->text.addr, st);
	if (c && collecting && !k->settled)
		*c = before;
}

/* Where the jump `i` through a table goes from here, for the next time that the function's blocks are found. */
static bool note_cases(struct machine *k, const struct wv_insn *i)
{
	const struct wv_module *m = k->a->m;
	struct wv_targets t;
	char why[8];
	uint64_t target;
	if (wv_table_targets(&k->ctx, &k->st->reg[i->operand[0].reg], &t, why, sizeof why))
		return true;
	begin_cases(k->a->code->cases, i->pc - m->text.addr);
	while (wv_table_next(&t, &target)) {
		if (!effort_spend(k->a->code->effort, 1) ||
			(target - m->text.addr < m->text_bytes.n &&
				!add_case(k->a->code->cases, i->pc - m->text.addr, target - m->text.addr)))
			return false;
	}
	return true;
}

/* For an instruction, and what was done in states for those before it. */
static bool spend_steps(struct machine *k, const struct wv_insn *i)
{
	uint64_t steps = k->st->steps + k->edge->steps;
	bool branch = i->op == WV_JCC || i->op == WV_CALL || i->op == WV_JMP;
	k->st->steps = k->edge->steps = 0;
	return effort_spend(k->a->code->effort, UNITS_PER_INSN + (branch ? UNITS_PER_BRANCH : 0) + units_of(steps));
}

/* What the instruction accesses of its function's windows. */
static void note_windows(struct machine *k, const struct wv_insn *i)
{
	for (unsigned n = 0; n < i->n_operands && i->op != WV_LEA; n++)
		if (i->operand[n].kind == WV_MEM) {
			struct wv_val at = wv_address(&k->ctx, k->st, i);
			contract_touch(k->a->contract, &at, i->operand[n].width / 8);
		}
}

bool interpret(struct machine *k, uint32_t b, flow_fn *fn, void *user)
{
	const struct block *block = &k->a->f->blocks[b];
	const struct out *out = block->n_outs ? &k->a->f->outs[block->first_out] : NULL,
			 *end = block->n_outs ? out + block->n_outs : NULL;
	load_state(k->st, &k->a->in[b]);
	if (!effort_spend(k->a->code->effort, 2 * UNITS_PER_STATE + k->st->n_slots / SLOTS_PER_UNIT))
		return false;
	k->st->steps = k->edge->steps = 0;
	k->ctx = (struct wv_ctx){.module = k->a->m,
		.sink = &k->sink,
		.max_stack = WARD_STACK_CEILING,
		.next_sym = k->a->base[b] + JOIN_SYMBOLS};
	memcpy(k->ctx.lent, k->a->contract->lent, sizeof k->ctx.lent);
	uint64_t at = block->addr;
	for (uint32_t n = 0; n < block->n; n++) {
		uint32_t index = k->a->code->at[at] - 1;
		const struct wv_insn *i = &k->a->code->insns[index];
		if (!spend_steps(k, i))
			return false;
		if (k->settled && k->a->contract->n_lent)
			note_windows(k, i);
		wv_step(&k->ctx, k->st, i);
		if (i->op == WV_CALL)
			machine_call(k, i, k->st);
		if ((i->op == WV_RET || i->op == WV_JMP_SLOT) && k->settled)
			contract_return(k->a->contract, k->st);
		if (i->op == WV_JMP_REG && k->settled && k->a->code->cases->exploring && !note_cases(k, i))
			return false;
		for (; out < end && out->insn == index; out++) {
			if (out->kind == OUT_TAIL) {
				tail_call(k, i);
				continue;
			}
			bool ok =
				out->kind == OUT_TAKEN
					? flow_jcc(k, b, out, out + 1 < end && out[1].kind == OUT_FALL ? &out[1] : NULL,
						  i, n + 1 == block->n, fn, user)
					: (k->ctx.dead && !k->everything) || fn(user, b, out, k->st);
			if (!ok)
				return false;
		}
		at += i->length;
	}
	return true;
}
