/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The transfer functions compared with the processor.
 *
 * A trial draws a world (an abstract state and two machines in it, see machine.h), then up to four instructions, the
 * last of the case under test. Each is encoded, decoded, stepped abstractly, and, unless that broke a rule, run on
 * the processor from both machines. Then the following must hold:
 *
 * - the processor raised no fault;
 * - both machines are in the abstract state again, and agree on all that it calls the probe's own;
 * - nothing that the probe may not write has changed;
 * - flags are called defined only where isa.def says so; and for each condition that may be read, the state assumed
 *   for the processor's outcome holds too;
 * - registers that changed are among those gathered as written, event fields and stack bytes likewise, and mxcsr is
 *   as it was;
 * - the target of a jump through a table is one of the targets that the verifier lists for it.
 *
 * Every row of isa.def in every form and width, with every condition, must have been accepted and run often enough,
 * or the run fails.
 */
#include <cpuid.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "relate.h"
#include "verifier/step/table.h"

enum { WANTED = 200, MOST_TRIES = 100000, LEAST = 80, WALKS = 20, MOST_WALKED = 60 };

struct oracle {
	struct draw draw;
	struct native native;
	struct world world;
	struct insn_case cases[MAX_CASES];
	size_t n_cases, first_cmov, n_cmov;
	struct wv_state *before, *state, *edge;
	uint32_t features; /* of the processor that this runs on */
	unsigned long steps, rejected, edges, values, tables, remainders, promoted, between, walked, ways, aligned,
		unaligned, failures;
	uint64_t trial_seed;
};

/* ---- Failing ---- */

static void print_val(const char *name, const struct wv_val *v)
{
	const struct wv_num *n = &v->n;
	char text[120];
	wv_val_print(v, text, sizeof(text));
	fprintf(stderr,
		"    %-4s %s init %u sym %u%+" PRId64 " lsym %u%+d u[%#" PRIx64 ", %#" PRIx64 "] s[%" PRId64
		", %" PRId64 "] lu[%#x, %#x] ls[%d, %d] bits %#" PRIx64 "/%#" PRIx64 " %#" PRIx64 " mod %#" PRIx64 "\n",
		name, text, v->init, v->sym, (int64_t)v->add, v->lsym, (int32_t)v->ladd, n->umin, n->umax, n->smin,
		n->smax, n->lumin, n->lumax, n->lsmin, n->lsmax, n->bits, n->known, n->rem, n->mod);
}

static void fail(struct oracle *o, const struct insn_case *c, const struct wv_insn *insn,
	const struct native_regs *from, const char *why)
{
	char text[120];
	const struct world *w = &o->world;
	wv_insn_print(insn, text, sizeof(text));
	fprintf(stderr, "oracle: %s %s %u: `%s`: %s", c->name, c->form, c->width, text, why);
	fprintf(stderr,
		w->where < 0    ? "\n"
		: w->where < 16 ? " (%s)\n"
				: " (slot)\n",
		w->where >= 0 ? ward_register_name((unsigned)w->where) : "");
	for (uint32_t n = 1; n <= o->state->n_slots && w->where >= 16; n++)
		if (w->where == 15 + (int)n) {
			fprintf(stderr, "  slot %u width %u init %#x, was width %u init %#x\n", n,
				o->state->slot[n - 1].width, o->state->slot[n - 1].init, o->before->slot[n - 1].width,
				o->before->slot[n - 1].init);
			print_val("slot", &o->state->slot[n - 1].v);
		}
	fprintf(stderr, "  seed of the trial %#" PRIx64 "\n", o->trial_seed);
	for (unsigned r = 0; r < 16; r++) {
		bool named = (int)r == w->where || r == insn->mem.base || r == insn->mem.index;
		for (unsigned i = 0; i < insn->n_operands; i++)
			named |= insn->operand[i].kind == WV_REG && insn->operand[i].reg == r;
		if (!named)
			continue;
		print_val(ward_register_name(r), &o->before->reg[r]);
		print_val("now", &o->state->reg[r]);
		for (int i = 0; from && i < 2; i++)
			fprintf(stderr, "         %#18" PRIx64 " -> %#18" PRIx64 "\n", from[i].reg[r],
				w->machine[i].regs.reg[r]);
	}
	print_val("a", &o->state->flags.a);
	print_val("b", &o->state->flags.b);
	fprintf(stderr, "    flags %#" PRIx64 " defined %#x relation %u width %u\n", w->machine[0].regs.flags,
		o->state->flags.defined, o->state->flags.relation, o->state->flags.width);
	if (++o->failures >= 5)
		exit(1);
}

/* ---- What is checked after a step ---- */

static uint8_t flags_of(const char *letters)
{
	return (uint8_t)((strchr(letters, 'C') ? WV_CF : 0) | (strchr(letters, 'Z') ? WV_ZF : 0) |
			 (strchr(letters, 'S') ? WV_SF : 0) | (strchr(letters, 'O') ? WV_OF : 0) |
			 (strchr(letters, 'P') ? WV_PF : 0));
}

/* May these flags be called defined after the instruction, by isa.def's columns? */
static const char *flags_wrong(const struct oracle *o, const struct insn_case *c, const struct wv_insn *insn)
{
	uint8_t defines = flags_of(c->defines), undefines = flags_of(c->undefines);
	bool shift = c->op == WV_SHL || c->op == WV_SHR || c->op == WV_SAR, by_constant = c->form[1] == 'I';
	unsigned count = (unsigned)insn->imm & (c->width == 64 ? 63 : 31);
	if (c->op >= WV_SHL && c->op <= WV_ROR && by_constant && count == 0)
		defines = undefines = 0;
	else if (shift && by_constant)
		defines = WV_ZF | WV_SF | WV_PF | (count < c->width ? WV_CF : 0);
	uint8_t may = (uint8_t)((o->before->flags.defined & ~undefines) | defines);
	return o->state->flags.defined & ~may ? "a flag is called defined that isa.def calls undefined" : NULL;
}

/* Flags in neither column keep their values. */
static const char *flags_changed(
	const struct insn_case *c, const struct native_regs *from, const struct native_regs *to)
{
	uint8_t may = flags_of(c->defines) | flags_of(c->undefines);
	uint64_t kept = (may & WV_CF ? 0 : NATIVE_CF) | (may & WV_ZF ? 0 : NATIVE_ZF) | (may & WV_SF ? 0 : NATIVE_SF) |
			(may & WV_OF ? 0 : NATIVE_OF) | (may & WV_PF ? 0 : NATIVE_PF);
	return (from->flags ^ to->flags) & kept ? "a flag changed of which isa.def says that it doesn't" : NULL;
}

static const char *facts_wrong(const struct world *w, const struct native_regs *from)
{
	for (int i = 0; i < 2; i++) {
		const struct machine *m = &w->machine[i];
		if (m->regs.mxcsr != NATIVE_MXCSR)
			return "mxcsr changed";
		for (unsigned r = 0; r < 16; r++)
			if (memcmp(m->regs.xmm[r], from[i].xmm[r], 16) && !(w->ctx.written >> (16 + r) & 1))
				return "an xmm register changed that is not gathered as written";
		for (unsigned r = 0; r < 16; r++)
			if (r != WV_RSP && m->regs.reg[r] != from[i].reg[r] && !(w->ctx.written >> r & 1))
				return "a register changed that is not gathered as written";
		if (!w->ctx.writes_state &&
			memcmp(m->region[NATIVE_STATE], w->start[NATIVE_STATE], NATIVE_REGION_BYTES))
			return "the state changed and that is not gathered";
	}
	uint64_t entry = w->base[NATIVE_STACK] - (uint64_t)w->native->region[NATIVE_STACK];
	uint64_t untouched = entry - w->ctx.stack_bytes;
	if (memcmp(w->machine[0].region[NATIVE_STACK], w->start[NATIVE_STACK], untouched))
		return "the stack changed below the bytes gathered as used";
	return NULL;
}

/* Event fields that the instruction reads, by its address in the machine, are among those gathered. */
static const char *fields_wrong(const struct world *w, const struct wv_insn *insn, const struct native_regs *from)
{
	const struct wv_mem *m = &insn->mem;
	bool has_memory = false;
	unsigned bytes = 0;
	for (unsigned i = 0; i < insn->n_operands; i++) {
		if (insn->operand[i].kind == WV_MEM) {
			has_memory = true;
			bytes = insn->operand[i].width / 8;
		}
	}
	if (insn->op == WV_MOVS) {
		has_memory = true;
		bytes = (unsigned)from->reg[WV_RCX] * insn->width / 8;
	}
	if (!has_memory || insn->op == WV_LEA || m->rip_relative)
		return NULL;
	uint64_t at = insn->op == WV_MOVS ? from->reg[WV_RSI] - w->base[NATIVE_EVENT]
					  : (uint64_t)m->disp + (m->base != WV_NOREG ? from->reg[m->base] : 0) +
						    (m->index != WV_NOREG ? from->reg[m->index] * m->scale : 0) -
						    w->base[NATIVE_EVENT];
	if (insn->op == WV_NOP)
		return NULL;
	for (uint64_t b = at; b < at + bytes && at < w->module.event_size; b++)
		if (!(w->ctx.event_fields >> (b / 8) & 1))
			return "an event field was read that is not gathered";
	return NULL;
}

/* The state on the way that the processor would go under `cond`. */
static bool edge_holds(struct oracle *o, unsigned cond, const char **why)
{
	struct world *w = &o->world;
	if (!wv_flags_defined(&o->state->flags, (enum wv_cond)cond))
		return true;
	if (!native_condition(w->machine[0].regs.flags, cond))
		cond ^= 1;
	o->edges++;
	wv_state_copy(o->edge, o->state);
	*why = "the way that the processor goes is called impossible";
	w->where = -1;
	if (!wv_state_assume(o->edge, (enum wv_cond)cond))
		return false;
	bool holds = world_holds(w, o->edge);
	*why = w->wrong;
	if (!holds)
		return false;
	/* And a single value, as cmov narrows it. */
	unsigned reg = (unsigned)draw_below(&o->draw, 16);
	struct wv_val v = o->state->reg[reg];
	if ((v.kind != WV_NUM && v.kind != WV_PTR) || v.init != 64)
		return true;
	o->values++;
	*why = "a value narrowed by a condition is impossible or wrong";
	w->where = (int)reg;
	uint64_t number = w->machine[0].regs.reg[reg] - (v.kind == WV_PTR ? w->base[v.region] : 0);
	return wv_flags_assume_value(&o->state->flags, (enum wv_cond)cond, &v) && num_means(&v.n, number);
}

static bool same_operand(const struct wv_operand *a, const struct wv_operand *b)
{
	return a->kind == b->kind && (a->kind != WV_XMM || (a->reg == b->reg && a->width == b->width)) &&
	       (a->kind != WV_REG || (a->reg == b->reg && a->width == b->width && a->high == b->high)) &&
	       (a->kind != WV_MEM || a->width == b->width);
}

/* Does the decoder say what the encoder was asked for? */
static bool decoded_as(const struct insn_case *c, const struct wv_insn *insn, const struct wv_insn *meant)
{
	if (insn->op != meant->op || insn->lock != meant->lock || insn->cond != meant->cond ||
		(c->op != WV_NOP && insn->width != meant->width) || insn->target != meant->target)
		return false;
	if (c->op == WV_NOP)
		return true;
	unsigned n = meant->n_operands;
	if (insn->n_operands != n)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (!same_operand(&insn->operand[i], &meant->operand[i]))
			return false;
		if (insn->operand[i].kind == WV_IMM && insn->imm != meant->imm)
			return false;
		const struct wv_mem *a = &insn->mem, *b = &meant->mem;
		if (insn->operand[i].kind == WV_MEM &&
			(a->base != b->base || a->index != b->index || a->disp != b->disp ||
				(a->index != WV_NOREG && a->scale != b->scale) || a->rip_relative != b->rip_relative))
			return false;
	}
	return true;
}

/* ---- One step ---- */

enum progress { STEPPED, REFUSED, BROKEN };

static enum progress ended(struct oracle *o, const struct insn_case *c, const struct wv_insn *insn,
	const struct native_regs *from, const enum native_outcome *outcome)
{
	struct world *w = &o->world;
	for (int i = 0; i < 2; i++) {
		bool taken = c->op != WV_JCC || native_condition(from[i].flags, c->cond);
		uint64_t rsp = from[i].reg[WV_RSP] + (c->op == WV_RET ? 8 : c->op == WV_CALL ? (uint64_t)-8 : 0);
		bool right = outcome[i] == (taken ? NATIVE_BRANCHED : NATIVE_FELL_THROUGH) &&
			     w->machine[i].regs.reg[WV_RSP] == rsp;
		for (unsigned r = 0; r < 16; r++)
			right &= r == WV_RSP || w->machine[i].regs.reg[r] == from[i].reg[r];
		if (!right) {
			fail(o, c, insn, from, "the branch did not do what it should");
			return BROKEN;
		}
		/* what a call or return leaves is for the caller of wv_step */
		w->machine[i].regs.reg[WV_RSP] = from[i].reg[WV_RSP];
	}
	return STEPPED;
}

/* A trap must break a rule, unless it is one that the sweep judges, and really trap. */
static enum progress trapped(
	struct oracle *o, const struct insn_case *c, const struct wv_insn *insn, unsigned long violations)
{
	if ((!violations && c->op != WV_UD2) || world_run(&o->world, 0) != NATIVE_FAULTED) {
		fail(o, c, insn, NULL, "a trap was accepted");
		return BROKEN;
	}
	return STEPPED;
}

static enum progress judge(
	struct oracle *o, const struct insn_case *c, const struct wv_insn *insn, const struct native_regs *from)
{
	struct world *w = &o->world;
	const char *why = flags_wrong(o, c, insn);
	w->where = -1;
	if (!why)
		why = flags_changed(c, &from[0], &w->machine[0].regs);
	if (!why)
		why = facts_wrong(w, from);
	if (!why)
		why = fields_wrong(w, insn, &from[0]);
	if (!why && world_escaped(w))
		why = "memory changed outside of what the probe may write";
	if (!why && !world_holds(w, o->state))
		why = w->wrong;
	for (int i = 0; !why && i < 4; i++) {
		unsigned cond = i == 0 ? c->cond : (unsigned)draw_below(&o->draw, 16);
		if (edge_holds(o, cond, &why))
			why = NULL;
	}
	if (!why)
		return STEPPED;
	fail(o, c, insn, from, why);
	return BROKEN;
}

/* A register that jmp may take must hold one of the targets in each machine. */
static enum progress targets_hold(struct oracle *o, const struct insn_case *c, const struct wv_insn *insn, unsigned reg)
{
	struct world *w = &o->world;
	struct wv_targets t;
	char why[200];
	uint64_t target;
	unsigned found = 0;
	if (wv_table_targets(&w->ctx, &o->state->reg[reg], &t, why, sizeof(why)))
		return REFUSED;
	while (wv_table_next(&t, &target)) {
		for (int i = 0; i < 2; i++)
			found |= (w->machine[i].regs.reg[reg] == (uint64_t)o->native.arena + target) << i;
	}
	o->tables++;
	if (found == 3)
		return STEPPED;
	fail(o, c, insn, NULL, "the jump would go where no entry of its table leads");
	return BROKEN;
}

/*
 * Flags that the instruction is run with, as it is said not to need them clear. An access that isn't aligned then
 * faults.
 */
static uint64_t flags_unneeded(struct oracle *o, const struct wv_insn *insn)
{
	uint32_t needs = o->world.ctx.needs;
	bool has_memory = insn->op == WV_MOVS || insn->op == WV_STOS;
	for (unsigned i = 0; i < insn->n_operands; i++)
		has_memory |= insn->operand[i].kind == WV_MEM && insn->op != WV_LEA && insn->op != WV_NOP;
	o->aligned += has_memory && !(needs & WARD_NEED_AC_CLEAR);
	o->unaligned += has_memory && (needs & WARD_NEED_AC_CLEAR);
	return (needs & WARD_NEED_DF_CLEAR ? 0 : NATIVE_DF) | (needs & WARD_NEED_AC_CLEAR ? 0 : NATIVE_AC);
}

/* `meant`: what the decoder must make of the bytes, or NULL. */
static enum progress step_bytes(
	struct oracle *o, const struct insn_case *c, const uint8_t *bytes, size_t size, const struct wv_insn *meant)
{
	struct world *w = &o->world;
	struct wv_insn insn;
	const char *why;
	native_place(&o->native, bytes, size);
	uint64_t pc = (uint64_t)(o->native.insn - o->native.arena);
	if (wv_decode(bytes, size, pc, &insn, &why) != WV_DECODED)
		return REFUSED; /* as it must for rsp, for one */
	if (c->op == WV_XCHG && insn.op == WV_NOP)
		return REFUSED; /* the encoder's way to exchange rax with itself */
	if ((meant && !decoded_as(c, &insn, meant)) || insn.length != size) {
		fail(o, c, &insn, NULL, "the decoder reads something else than was encoded");
		return BROKEN;
	}
	wv_state_copy(o->before, o->state);
	w->sink.count = 0;
	w->ctx.needs = 0;
	wv_step(&w->ctx, o->state, &insn);
	if (c->op == WV_INT3 || c->op == WV_UD2)
		return trapped(o, c, &insn, w->sink.count);
	if (w->sink.count) {
		wv_state_copy(o->state, o->before);
		return REFUSED;
	}
	if (c->op == WV_RET)
		world_poke(w, -(int64_t)o->state->depth, o->native.taken);
	for (int i = 0; c->op == WV_JMP_REG && i < 2; i++)
		w->machine[i].regs.reg[insn.operand[0].reg] = o->native.taken;
	struct native_regs from[2] = {w->machine[0].regs, w->machine[1].regs};
	enum native_outcome outcome[2];
	o->native.set_flags = flags_unneeded(o, &insn);
	for (int i = 0; i < 2; i++) {
		outcome[i] = world_run(w, i);
		if (outcome[i] == NATIVE_FAULTED) {
			fail(o, c, &insn, from, "the processor faulted");
			return BROKEN;
		}
	}
	o->native.set_flags = 0;
	o->steps++;
	/* time goes on: the two machines are taken to run at the same instant */
	if (c->op == WV_RDTSC || c->op == WV_RDTSCP) {
		static const unsigned read[] = {WV_RAX, WV_RDX, WV_RCX};
		for (unsigned i = 0; i < (c->op == WV_RDTSCP ? 3 : 2); i++)
			w->machine[1].regs.reg[read[i]] = w->machine[0].regs.reg[read[i]];
	}
	if (insn_ends(c) && ended(o, c, &insn, from, outcome) != STEPPED)
		return BROKEN;
	if (c->op == WV_CALL || c->op == WV_RET || c->op == WV_JMP_REG)
		return STEPPED;
	if (judge(o, c, &insn, from) != STEPPED)
		return BROKEN;
	return insn.op == WV_ADD || insn.op == WV_LEA
		       ? targets_hold(o, c, &insn, insn.operand[0].reg) == BROKEN ? BROKEN : STEPPED
		       : STEPPED;
}

static enum progress step(struct oracle *o, const struct insn_case *c)
{
	struct wv_insn meant;
	uint8_t bytes[MAX_INSN];
	native_place(&o->native, (const uint8_t *)"\x90", 1);
	size_t size = insn_encode(&o->world, c, bytes, &meant);
	return size ? step_bytes(o, c, bytes, size, &meant) : REFUSED;
}

/* ---- Trials ---- */

static bool divides(const struct insn_case *c)
{
	return c->op == WV_DIV || c->op == WV_IDIV;
}

/* A stack pointer in rbp, for leave. */
static void help_leave(struct oracle *o)
{
	struct world *w = &o->world;
	uint32_t depth = (uint32_t)(draw_below(&o->draw, 10) + 1) * 8;
	w->state->reg[WV_RBP] = wv_val_pointer(&w->ctx, WV_STACK, -(int64_t)depth);
	for (int i = 0; i < 2; i++)
		w->machine[i].regs.reg[WV_RBP] = w->base[NATIVE_STACK] - depth;
}

/* A pointer to somewhere, mostly inside of its region. */
static void help_pointer(struct oracle *o, unsigned reg, unsigned region)
{
	struct world *w = &o->world;
	uint64_t size = world_region_size(w, region);
	int64_t offset =
		region == WV_STACK ? -(int64_t)draw_below(&o->draw, 150) - 1 : (int64_t)draw_below(&o->draw, size + 1);
	struct wv_num n = wv_num_const((uint64_t)offset),
		      wider = wv_num_range((uint64_t)offset, (uint64_t)offset + draw_below(&o->draw, 9));
	w->state->reg[reg] = wv_val_pointer(&w->ctx, (enum wv_region)region, offset);
	if (draw_one_in(&o->draw, 3) && (uint64_t)offset <= wider.umax && (region == WV_STACK ? wider.smax < 0 : true))
		n = wider;
	w->state->reg[reg].n = n;
	for (int i = 0; i < 2; i++)
		w->machine[i].regs.reg[reg] = w->base[region] + (uint64_t)offset;
}

/* rep stos and rep movs: how often, where from and where to */
static void help_string(struct oracle *o)
{
	static const unsigned to[] = {WV_STATE, WV_DATA, WV_STACK, WV_LENT, WV_LENT + 1};
	struct world *w = &o->world;
	uint64_t count = draw_below(&o->draw, 12);
	struct wv_num n = draw_one_in(&o->draw, 2) ? wv_num_const(count)
						   : wv_num_range(count - draw_below(&o->draw, count + 1),
							     count + draw_below(&o->draw, 4));
	world_set_number(w, WV_RCX, count, &n);
	help_pointer(o, WV_RDI, to[draw_below(&o->draw, 5)]);
	help_pointer(o, WV_RSI, (unsigned)draw_below(&o->draw, WV_NREGION));
	if (!draw_one_in(&o->draw, 4)) {
		uint64_t value = draw_value(&o->draw);
		n = draw_num(&o->draw, value);
		world_set_number(w, WV_RAX, value, &n);
	}
}

static bool is_string(const struct insn_case *c)
{
	return c->op == WV_STOS || c->op == WV_MOVS;
}

/*
 * What a random world rarely has: a divisor that can't be zero, of either sign if it is an idiv, and a dividend that
 * fits.
 */
static void help_divide(struct oracle *o, const struct insn_case *c)
{
	struct world *w = &o->world;
	bool negative = c->op == WV_IDIV;
	uint64_t mask = UINT64_MAX >> (64 - c->width), sign = (mask >> 1) + 1;
	for (unsigned r = 0; r < 16; r++) {
		uint64_t value = draw_value(&o->draw) & mask;
		struct wv_num n = draw_num(&o->draw, value), most = wv_num_range(1, mask), one_sign = most;
		if (negative)
			one_sign = value & sign ? wv_num_range(sign, mask) : wv_num_range(1, sign - 1);
		if (value == 0 || r == WV_RSP || !wv_num_meet(&n, draw_one_in(&o->draw, 3) ? &most : &one_sign))
			continue;
		world_set_number(w, r, value, &n);
		if (r == 0 && w->state->depth && num_means(&n, value))
			world_set_slot(w, 1, value, &n);
	}
	/* The upper half: zero, all ones, or small; at 8 bits ah, with al. */
	uint64_t high = draw_one_in(&o->draw, 2)               ? 0
			: negative && draw_one_in(&o->draw, 2) ? mask
							       : draw_below(&o->draw, 20) & mask;
	struct wv_num n = wv_num_const(high);
	if (c->width == 8) {
		high = high << 8 | draw_below(&o->draw, 256);
		n = draw_one_in(&o->draw, 2) ? wv_num_const(high) : wv_num_range(high - high % 64, high);
	}
	world_set_number(w, c->width == 8 ? WV_RAX : WV_RDX, high, &n);
}

static void help(struct oracle *o, const struct insn_case *c)
{
	struct world *w = &o->world;
	if (divides(c))
		help_divide(o, c);
	else if (c->op == WV_LEAVE)
		help_leave(o);
	else if (is_string(c))
		help_string(o);
	else
		return;
	memcpy(w->start, w->machine[0].region, sizeof(w->start));
}

/* cwd, cdq or cqo for an idiv, so that its dividend is known to be sign-extended; at 8 bits cbw. */
static const struct insn_case *sign_extension(const struct oracle *o, const struct insn_case *c)
{
	enum wv_op op = c->width == 8 ? WV_CBW : c->width == 16 ? WV_CWD : c->width == 32 ? WV_CDQ : WV_CQO;
	for (size_t i = 0; i < o->n_cases; i++) {
		if (o->cases[i].op == op)
			return &o->cases[i];
	}
	return NULL;
}

static bool reads_flags(const struct insn_case *c)
{
	return c->op == WV_JCC || c->op == WV_SETCC || c->op == WV_CMOV || c->op == WV_ADC || c->op == WV_SBB ||
	       c->op == WV_RCL || c->op == WV_RCR;
}

static const struct insn_case *draw_case(struct oracle *o, bool sets_flags)
{
	for (;;) {
		const struct insn_case *c = &o->cases[draw_below(&o->draw, o->n_cases)];
		if (insn_ends(c) || (c->cond && !draw_one_in(&o->draw, 16)) || (c->feature & ~o->features))
			continue;
		if (!sets_flags || (flags_of(c->defines) == WV_ALL_FLAGS && !reads_flags(c)) || c->op == WV_INC ||
			c->op == WV_DEC)
			return c;
	}
}

/* A comparison and a cmov. */
static enum progress choose(struct oracle *o)
{
	const struct insn_case *c = &o->cases[o->first_cmov + draw_below(&o->draw, o->n_cmov)];
	enum progress set = step(o, draw_case(o, true));
	return set == BROKEN ? BROKEN : step(o, c);
}

/* inc or dec of a register */
static const struct insn_case *draw_step_by_one(struct oracle *o)
{
	for (;;) {
		const struct insn_case *c = &o->cases[draw_below(&o->draw, o->n_cases)];
		if ((c->op == WV_INC || c->op == WV_DEC) && c->width >= 32 && !strcmp(c->form, "R"))
			return c;
	}
}

/* rdx from the sign of rax, which may change after that: idiv must not be fooled. */
static enum progress sign(struct oracle *o, const struct insn_case *extension)
{
	uint64_t value = draw_one_in(&o->draw, 2) ? 0 - draw_below(&o->draw, 3) : draw_value(&o->draw);
	struct wv_num n = draw_num(&o->draw, value);
	world_set_number(&o->world, WV_RAX, value, &n);
	memset(o->world.favourite, WV_RAX, sizeof(o->world.favourite));
	enum progress p = step(o, extension);
	return p != BROKEN && draw_one_in(&o->draw, 2) ? step(o, draw_step_by_one(o)) : p;
}

/* The first case of a row and form, at 64 bits. */
static const struct insn_case *case_of(const struct oracle *o, enum wv_op op, const char *form)
{
	size_t i = 0;
	while (o->cases[i].op != op || o->cases[i].width != 64 || strcmp(o->cases[i].form, form) != 0)
		i++;
	return &o->cases[i];
}

/* The way from an index in rdx to a jump's target in rax, as compilers go it. */
static enum progress enter_table(struct oracle *o)
{
	/* movsxd rax, [rcx+rdx*4], +4 */
	static const uint8_t load[] = {0x48, 0x63, 0x04, 0x91}, low[] = {0x48, 0x63, 0x44, 0x91, 0x04};
	/* mov eax; cdqe; add rax, rcx */
	static const uint8_t zero[] = {0x8b, 0x04, 0x91}, extend[] = {0x48, 0x98}, add[] = {0x48, 0x01, 0xc8};
	static const uint8_t other[] = {0x83, 0xc0, 0x04}; /* add eax, 4: it is no entry any more */
	struct world *w = &o->world;
	uint64_t size = world_region_size(w, WV_RODATA), base = size ? draw_below(&o->draw, size) : 0,
		 index = draw_below(&o->draw, 6);
	struct wv_num n = wv_num_range(draw_below(&o->draw, index + 1), index + draw_below(&o->draw, 6));
	uint8_t lea[] = {0x48, 0x8d, 0x44, 0x08, (uint8_t)draw_below(&o->draw, 256)}; /* rax, [rax+rcx+n] */
	w->state->reg[WV_RCX] = wv_val_pointer(&w->ctx, WV_RODATA, (int64_t)base);
	for (int i = 0; i < 2; i++)
		w->machine[i].regs.reg[WV_RCX] = w->base[WV_RODATA] + base;
	/* some of them only, by their low bits, of which the ends of the range know nothing */
	if (draw_one_in(&o->draw, 2)) {
		n.known |= draw_below(&o->draw, 4);
		n.bits = index & n.known;
	}
	world_set_number(w, WV_RDX, index, &n);
	enum progress p;
	if (draw_one_in(&o->draw, 3)) {
		p = step_bytes(o, case_of(o, WV_MOV, "RM"), zero, sizeof(zero), NULL);
		if (p == STEPPED && draw_one_in(&o->draw, 3))
			p = step_bytes(o, case_of(o, WV_ADD, "RI"), other, sizeof(other), NULL);
		if (p == STEPPED)
			p = step_bytes(o, case_of(o, WV_CDQE, "_"), extend, sizeof(extend), NULL);
	} else {
		bool next = draw_one_in(&o->draw, 2);
		p = step_bytes(
			o, case_of(o, WV_MOVSXD, "RM"), next ? low : load, next ? sizeof(low) : sizeof(load), NULL);
	}
	if (p != STEPPED)
		return p;
	return draw_one_in(&o->draw, 2) ? step_bytes(o, case_of(o, WV_LEA, "RM"), lea, sizeof(lea), NULL)
					: step_bytes(o, case_of(o, WV_ADD, "RR"), add, sizeof(add), NULL);
}

/*
 * A remainder of a division by a constant as compilers compute it, with a factor that is right, or nearly so: rcx less
 * d times (rcx · factor >> shift). What is known of it must hold for the dividends where a factor that is a little off
 * goes wrong: multiples of the divisor, and those before them.
 */
static enum progress divide_by_product(struct oracle *o)
{
	struct world *w = &o->world;
	struct draw *d = &o->draw;
	bool high = draw_one_in(d, 2), narrow = !high && draw_one_in(d, 3);
	uint64_t by = 2 + draw_below(d, 100), most = narrow ? UINT32_MAX : UINT64_MAX;
	unsigned shift = narrow ? 8 + (unsigned)draw_below(d, 24) : 20 + (unsigned)draw_below(d, high ? 50 : 44);
	unsigned __int128 factor = (((unsigned __int128)1 << shift) - 1) / by + 1 + draw_below(d, 3) - 1;
	if (factor < 2 || factor > most || (high && shift < 64))
		return REFUSED;
	uint64_t greatest = (high ? UINT64_MAX : most / (uint64_t)factor) >> draw_below(d, 20);
	greatest += draw_one_in(d, 4) && greatest < most; /* and wraps */
	uint64_t s = greatest - (greatest > 3 ? draw_below(d, 3) : 0);
	if (draw_one_in(d, 2))
		s = s / by * by - (s >= by && draw_one_in(d, 2));
	struct wv_num n = wv_num_range(0, greatest), m = wv_num_const((uint64_t)factor);
	world_set_number(w, WV_RCX, s, &n);
	world_set_number(w, WV_RAX, (uint64_t)factor, &m);
	uint8_t count = (uint8_t)(high ? shift - 64 : shift), times = (uint8_t)(draw_one_in(d, 8) ? by + 1 : by);
	const uint8_t mul[] = {0x48, 0xf7, 0xe1}, shift_high[] = {0x48, 0xc1, 0xea, count},
		      times_high[] = {0x48, 0x6b, 0xc2, times};
	const uint8_t wide[][4] = {{0x48, 0x0f, 0xaf, 0xc1}, {0x48, 0xc1, 0xe8, count}, {0x48, 0x6b, 0xc0, times}},
		      sub[] = {0x48, 0x29, 0xc1};
	const struct insn_case *multiply = case_of(o, WV_IMUL, "RR"), *right = case_of(o, WV_SHR, "RI"),
			       *again = case_of(o, WV_IMUL, "RRI");
	enum progress p;
	if (high) {
		p = step_bytes(o, case_of(o, WV_MUL, "R"), mul, sizeof(mul), NULL);
		if (p == STEPPED)
			p = step_bytes(o, right, shift_high, sizeof(shift_high), NULL);
		if (p == STEPPED)
			p = step_bytes(o, again, times_high, sizeof(times_high), NULL);
	} else { /* at 32 bits without REX.W */
		p = step_bytes(o, multiply, wide[0] + narrow, 4u - narrow, NULL);
		if (p == STEPPED)
			p = step_bytes(o, right, wide[1] + narrow, 4u - narrow, NULL);
		if (p == STEPPED)
			p = step_bytes(o, again, wide[2] + narrow, 4u - narrow, NULL);
	}
	if (p == STEPPED)
		p = step_bytes(o, case_of(o, WV_SUB, "RR"), sub + narrow, 3u - narrow, NULL);
	o->remainders += p == STEPPED && greatest > by && w->state->reg[WV_RCX].n.umax < by;
	return p;
}

/* The state on the way that the processor goes after a comparison is the state from now on. */
static enum progress take_way(struct oracle *o, const struct insn_case *c, unsigned cond)
{
	struct world *w = &o->world;
	static const struct wv_insn none;
	bool possible = wv_state_assume(
		o->state, (enum wv_cond)(native_condition(w->machine[0].regs.flags, cond) ? cond : cond ^ 1));
	if (possible && world_holds(w, o->state))
		return STEPPED;
	fail(o, c, &none, NULL, possible ? w->wrong : "the way that the processor goes is called impossible");
	return BROKEN;
}

/*
 * A number in rax that is an address, or nearly one: how far it is from a pointer in rdx is computed in rcx and
 * compared, rightly or not quite so. Then an access through rax, or through a copy of it in r8 or in the stack, if the
 * state allows it, must stay where the probe may go.
 */
static enum progress find_pointer(struct oracle *o)
{
	struct world *w = &o->world;
	struct draw *d = &o->draw;
	static const uint8_t copy[] = {0x48, 0x89, 0xc1}, spill[] = {0x48, 0x89, 0x44, 0x24, 0xf8},
			     unspill[] = {0x48, 0x8b, 0x44, 0x24, 0xf8}, compare_low[] = {0x83, 0xf9, 56};
	static const uint8_t sub[][3] = {{0x48, 0x29, 0xd1}, {0x48, 0x29, 0xd1}, {0x48, 0x29, 0xd1}, {0x48, 0x29, 0xca},
		{0x48, 0x01, 0xd1}, {0x48, 0x89, 0xc9}};
	unsigned region = (unsigned)draw_below(d, WV_NREGION);
	uint64_t size = region == WV_STACK ? 256 : world_region_size(w, region), at = draw_below(d, size + 9) - 4,
		 from = draw_one_in(d, 2) ? 0 : draw_below(d, size + 1);
	uint64_t limit = draw_one_in(d, 3) ? draw_below(d, 128)
			 : size > 8        ? size - 8 - (draw_one_in(d, 2) ? from : 0) + (draw_one_in(d, 8))
					   : 0;
	if (region == WV_STACK) {
		from = 0 - from;
		at = 0 - at;
	}
	if (draw_one_in(d, 8))
		at = draw_value(d);
	uint64_t value = w->base[region] + at, away = draw_below(d, 17) - 8;
	struct wv_num n = wv_num_any(), tight = draw_num(d, value);
	world_set_number(w, WV_RAX, value, draw_one_in(d, 3) ? &tight : &n);
	w->state->reg[WV_RDX] = wv_val_pointer(&w->ctx, (enum wv_region)region, (int64_t)from);
	for (int i = 0; i < 2; i++)
		w->machine[i].regs.reg[WV_RDX] = w->base[region] + from;
	const uint8_t beside[] = {0x4c, 0x8d, 0x40, (uint8_t)away}, move[] = {0x48, 0x83, 0xc1, (uint8_t)away},
		      move_rax[] = {0x48, 0x83, 0xc0, (uint8_t)away};
	const uint8_t compare[] = {0x48, 0x81, 0xf9, (uint8_t)limit, (uint8_t)(limit >> 8), 0, 0};
	const uint8_t store[] = {0x48, 0xc7, 0x40, draw_one_in(d, 2) ? 0 : (uint8_t)away, 1, 2, 3, 4},
		      store_beside[] = {0x49, 0xc7, 0x40, draw_one_in(d, 2) ? 0 : (uint8_t)-away, 1, 2, 3, 4};
	const uint8_t load[] = {0x4c, 0x8b, 0x48, draw_one_in(d, 2) ? 0 : (uint8_t)away};
	const struct insn_case *add = case_of(o, WV_ADD, "RI"), *cmp = case_of(o, WV_CMP, "RI");
	bool spilled =
		draw_one_in(d, 3) && step_bytes(o, case_of(o, WV_MOV, "MR"), spill, sizeof(spill), NULL) == STEPPED;
	enum progress p = step_bytes(o, case_of(o, WV_LEA, "RM"), beside, sizeof(beside), NULL);
	if (p == STEPPED)
		p = step_bytes(o, case_of(o, WV_MOV, "RR"), copy, sizeof(copy), NULL);
	if (p == STEPPED) {
		const uint8_t *which = sub[draw_below(d, draw_one_in(d, 4) ? 6 : 3)];
		bool low = draw_one_in(d, 12);
		p = step_bytes(o,
			case_of(o,
				which[1] == 0x29   ? WV_SUB
				: which[1] == 0x01 ? WV_ADD
						   : WV_MOV,
				"RR"),
			which + low, 3u - low, NULL);
	}
	if (p == STEPPED && draw_one_in(d, 3))
		p = step_bytes(o, add, move, sizeof(move), NULL);
	if (p == STEPPED && draw_one_in(d, 8))
		p = step_bytes(o, add, move_rax, sizeof(move_rax), NULL);
	if (p == STEPPED)
		p = draw_one_in(d, 8) ? step_bytes(o, cmp, compare_low, sizeof(compare_low), NULL)
				      : step_bytes(o, cmp, compare, sizeof(compare), NULL);
	if (p == STEPPED)
		p = take_way(o, cmp, draw_one_in(d, 2) ? WV_A : (unsigned)draw_below(d, 16));
	if (p == STEPPED && spilled)
		p = step_bytes(o, case_of(o, WV_MOV, "RM"), unspill, sizeof(unspill), NULL);
	if (p != STEPPED)
		return p;
	bool was_number = o->state->reg[WV_RAX].kind == WV_PTR;
	switch (draw_below(d, 3)) {
	case 0: p = step_bytes(o, case_of(o, WV_MOV, "MI"), store, sizeof(store), NULL); break;
	case 1: p = step_bytes(o, case_of(o, WV_MOV, "MI"), store_beside, sizeof(store_beside), NULL); break;
	default: p = step_bytes(o, case_of(o, WV_MOV, "RM"), load, sizeof(load), NULL); break;
	}
	o->promoted += p == STEPPED && was_number;
	return p;
}

/*
 * A number in rax that is an address, or nearly one, is compared with pointers in rdx and r10, in any order, and used.
 */
static enum progress find_between(struct oracle *o)
{
	struct world *w = &o->world;
	struct draw *d = &o->draw;
	static const uint8_t compare[][3] = {
		{0x48, 0x39, 0xd0}, {0x48, 0x39, 0xc2}, {0x4c, 0x39, 0xd0}, {0x49, 0x39, 0xc2}, {0x4c, 0x39, 0xd2}};
	static const uint8_t store[] = {0x48, 0xc7, 0x00, 1, 2, 3, 4}, load[] = {0x4c, 0x8b, 0x08};
	unsigned region = (unsigned)draw_below(d, WV_NREGION),
		 other = draw_one_in(d, 6) ? (unsigned)draw_below(d, WV_NREGION) : region;
	uint64_t size = region == WV_STACK ? 0 : world_region_size(w, region), at = draw_below(d, size + 40) - 20,
		 low = draw_one_in(d, 2) ? 0 : draw_below(d, size + 1);
	uint64_t high = draw_one_in(d, 2) && size > 8 ? size - 8 : draw_below(d, size + 20) - 4,
		 value = w->base[region] + (draw_one_in(d, 8) ? draw_value(d) : at);
	uint64_t away = draw_below(d, 17) - 8;
	struct wv_num n = wv_num_any(), tight = draw_num(d, value);
	const uint8_t move[] = {0x48, 0x83, 0xc0, (uint8_t)away};
	enum progress p = STEPPED;
	world_set_number(w, WV_RAX, value, draw_one_in(d, 4) ? &tight : &n);
	w->state->reg[WV_RDX] = wv_val_pointer(&w->ctx, (enum wv_region)region, (int64_t)low);
	w->state->reg[WV_R10] = wv_val_pointer(&w->ctx, (enum wv_region)other, (int64_t)high);
	for (int i = 0; i < 2; i++) {
		w->machine[i].regs.reg[WV_RDX] = w->base[region] + low;
		w->machine[i].regs.reg[WV_R10] = w->base[other] + high;
	}
	for (uint64_t k = 2 + draw_below(d, 2), swap = draw_below(d, 2); p == STEPPED && k > 0; k--) {
		const uint8_t *c =
			compare[draw_one_in(d, 5) ? draw_below(d, 5) : (k + swap) % 2 * 2 + draw_below(d, 2)];
		unsigned narrow = draw_one_in(d, 20) && c[0] == 0x48;
		p = step_bytes(o, case_of(o, WV_CMP, "RR"), c + narrow, 3u - narrow, NULL);
		if (p == STEPPED)
			p = take_way(o, case_of(o, WV_CMP, "RR"),
				draw_one_in(d, 4) ? (unsigned)draw_below(d, 16) : WV_B + (draw_one_in(d, 2) ? 4u : 0));
		if (p == STEPPED && draw_one_in(d, 12))
			p = step_bytes(o, case_of(o, WV_ADD, "RI"), move, sizeof(move), NULL);
	}
	if (p == STEPPED)
		p = draw_one_in(d, 2) ? step_bytes(o, case_of(o, WV_MOV, "MI"), store, sizeof(store), NULL)
				      : step_bytes(o, case_of(o, WV_MOV, "RM"), load, sizeof(load), NULL);
	o->between += p == STEPPED;
	return p;
}

static enum progress trial(struct oracle *o, const struct insn_case *c)
{
	o->trial_seed = o->draw.state;
	world_draw(&o->world);
	help(o, c);
	if (!world_holds(&o->world, o->state)) {
		fprintf(stderr, "oracle: a drawn state does not hold: %s at %d\n", o->world.wrong, o->world.where);
		exit(1);
	}
	if (c->op == WV_IDIV && draw_one_in(&o->draw, 2)) {
		if (sign(o, sign_extension(o, c)) == BROKEN)
			return BROKEN;
	} else if (!divides(c) && c->op != WV_LEAVE && !is_string(c)) {
		for (uint64_t n = draw_below(&o->draw, 4); n > 0; n--) {
			if (step(o, draw_case(o, n == 1 && draw_one_in(&o->draw, 2))) == BROKEN)
				return BROKEN;
		}
		/* a branch may tell which of two values a cmov took */
		if (c->op == WV_JCC && draw_one_in(&o->draw, 3) && choose(o) == BROKEN)
			return BROKEN;
		if (reads_flags(c) && step(o, draw_case(o, true)) == BROKEN)
			return BROKEN;
		if (c->op == WV_JMP_REG && enter_table(o) == BROKEN)
			return BROKEN;
		if (c->op == WV_SUB && draw_one_in(&o->draw, 2) && divide_by_product(o) == BROKEN)
			return BROKEN;
		if ((c->op == WV_SUB || c->op == WV_MOV) && draw_one_in(&o->draw, 2) && find_pointer(o) == BROKEN)
			return BROKEN;
		if ((c->op == WV_CMP || c->op == WV_MOV) && draw_one_in(&o->draw, 2) && find_between(o) == BROKEN)
			return BROKEN;
	}
	return step(o, c);
}

/* Enough accepted trials of one case. */
static bool cover(struct oracle *o, const struct insn_case *c, unsigned wanted)
{
	unsigned accepted = 0;
	for (unsigned tries = 0; accepted < wanted && tries < MOST_TRIES; tries++) {
		switch (trial(o, c)) {
		case STEPPED: accepted++; break;
		case REFUSED: o->rejected++; break;
		case BROKEN: break; /* counted; go on to show more of them */
		}
	}
	if (accepted >= (wanted < LEAST ? wanted : LEAST))
		return true;
	fprintf(stderr, "oracle: %s%s %s width %u source %u condition %u high %u: only %u accepted of %d\n",
		c->lock ? "lock " : "", c->name, c->form, c->width, c->source, c->cond, c->high, accepted, MOST_TRIES);
	return false;
}

/* ---- Long ways ---- */

/* Of the rows that facts about several values come from more often than of the others. */
static const struct insn_case *draw_walked(struct oracle *o)
{
	static const uint8_t often[] = {WV_ADD, WV_SUB, WV_SUB, WV_CMP, WV_CMP, WV_MOV, WV_MOV, WV_LEA, WV_AND, WV_OR,
		WV_SHR, WV_SHL, WV_IMUL, WV_MUL, WV_MOVZX, WV_MOVSX, WV_MOVSXD, WV_CMOV, WV_INC, WV_DEC, WV_TEST,
		WV_XADD, WV_XCHG, WV_CDQ, WV_CQO, WV_CDQE, WV_BLSR, WV_PUSH, WV_POP, WV_NEG, WV_ADC, WV_SBB, WV_XOR,
		WV_IDIV};
	enum wv_op op = (enum wv_op)often[draw_below(&o->draw, sizeof(often))];
	bool any = draw_one_in(&o->draw, 4);
	for (;;) {
		const struct insn_case *c = draw_case(o, false);
		if (any || c->op == op)
			return c;
	}
}

/*
 * Many instructions and branches, of all rows, from one world: facts that some of them make of each other's results,
 * values that go through the stack in whole or in part, numbers that turn into pointers on the way.
 */
static void walk(struct oracle *o)
{
	struct world *w = &o->world;
	o->trial_seed = o->draw.state;
	world_draw(w);
	if (draw_one_in(&o->draw, 2)) {
		world_relate(w);
		memcpy(w->start, w->machine[0].region, sizeof(w->start));
	}
	for (uint64_t n = 8 + draw_below(&o->draw, MOST_WALKED - 8); n > 0 && w->ctx.next_sym < WORLD_SYMBOLS - 64;
		n--) {
		const struct insn_case *c = draw_walked(o);
		unsigned cond = (unsigned)draw_below(&o->draw, 16);
		if (draw_one_in(&o->draw, 12))
			w->favourite[draw_below(&o->draw, 3)] = (uint8_t)((WV_RSP + 1 + draw_below(&o->draw, 15)) % 16);
		enum progress p = step(o, c);
		o->walked += p == STEPPED;
		if (p == STEPPED && draw_one_in(&o->draw, 3) &&
			wv_flags_defined(&o->state->flags, (enum wv_cond)cond)) {
			o->ways++;
			p = take_way(o, c, cond);
		}
		if (p == BROKEN)
			return;
	}
}

/* Features of this processor, by feature.def. */
static uint32_t features_here(void)
{
	uint32_t here = 0;
#define FEATURE(id, bit, name, leaf, subleaf, reg, position, allowed) \
	{ \
		unsigned r[4]; \
		if (__get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3]) && (r[reg] >> (position) & 1)) \
			here |= (bit); \
	}
#include "ward/feature.def"
#undef FEATURE
	return here;
}

int main(int argc, char **argv)
{
	static struct oracle o;
	o.draw.state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned wanted = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : WANTED;
	printf("oracle: seed %" PRIu64 "\n", o.draw.state);
	if (!native_init(&o.native)) {
		fprintf(stderr, "oracle: no memory below 2 GiB to run code in\n");
		return 1;
	}
	o.before = calloc(3, sizeof(*o.before));
	if (!o.before)
		return 1;
	o.state = o.before + 1;
	o.edge = o.before + 2;
	o.world.draw = &o.draw;
	o.world.native = &o.native;
	o.world.state = o.state;
	o.n_cases = insn_cases(o.cases, MAX_CASES);
	o.features = features_here();
	for (size_t i = 0; i < o.n_cases; i++) {
		if (o.cases[i].op == WV_CMOV && !o.n_cmov++)
			o.first_cmov = i;
	}
	size_t covered = 0, absent = 0;
	for (size_t i = 0; i < o.n_cases; i++) {
		if (o.cases[i].feature & ~o.features)
			absent++;
		else
			covered += cover(&o, &o.cases[i], wanted);
	}
	unsigned long walks = argc > 3 ? strtoul(argv[3], NULL, 0) : (unsigned long)wanted * WALKS;
	for (unsigned long i = 0; i < walks; i++)
		walk(&o);
	if (absent)
		printf("oracle: %zu cases can't run on this processor, which lacks a feature they need\n", absent);
	printf("oracle: %zu of %zu cases covered (row, form, width, condition, source width, upper bytes; %d rows), "
	       "%lu instructions run on two machines each, "
	       "%lu refused, %lu edges, %lu narrowed values, %lu targets of tables, %lu remainders, %lu accesses "
	       "through numbers found to be pointers by their distance, %lu by comparisons, "
	       "%lu steps and %lu branches on long ways, %lu with memory and alignment checks on, %lu with them off as "
	       "they need it, %lu failures\n",
		covered, o.n_cases, WV_OP_COUNT, o.steps, o.rejected, o.edges, o.values, o.tables, o.remainders,
		o.promoted, o.between, o.walked, o.ways, o.aligned, o.unaligned, o.failures);
	bool ok = covered + absent == o.n_cases && !o.failures && o.tables >= wanted / 10 &&
		  o.remainders >= wanted / 2 && o.promoted >= wanted && o.between >= wanted &&
		  o.aligned >= o.steps / 8 && o.unaligned >= o.steps / 100;
	free(o.before);
	native_free(&o.native);
	return !ok;
}
