/* SPDX-License-Identifier: Apache-2.0 */
/* What the verifier says of a module: accepted or not, and how much of it is proven in either case. */
#include <stdio.h>
#include <string.h>

#include "verifier/check/check.h"
#include "corpus.h"
#include "sandbox.h"

enum { ROUNDS = 8, MOST_INSNS = 100000 };

struct counts {
	struct outcome *o;
	const struct ward_verdict *verdict;
	uint64_t bad_heads[64]; /* of loops */
};

static void count_loops(void *user, const struct wv_function *f, const struct wv_block *b, const struct wv_ctx *ctx,
	const struct wv_state *st)
{
	struct counts *c = user;

	(void)ctx, (void)st;
	if (b == f->blocks)
		c->o->loops += f->n_loops;
}

static bool broke(const struct ward_verdict *v, uint64_t pc, enum ward_rule first, enum ward_rule last)
{
	for (size_t i = 0; i < v->n_violations && i < WARD_MAX_VIOLATIONS; i++) {
		if (v->violations[i].pc == pc && v->violations[i].rule >= first && v->violations[i].rule <= last)
			return true;
	}
	return false;
}

static void count_access(void *user, const struct wv_insn *insn, const struct wv_ctx *ctx, const struct wv_state *st)
{
	struct counts *c = user;
	bool memory = false;

	(void)ctx, (void)st;
	for (unsigned i = 0; i < insn->n_operands && i < 3; i++)
		memory |= insn->operand[i].kind == WV_MEM && insn->op != WV_LEA;
	if (!memory)
		return;
	c->o->accesses++;
	c->o->bad_accesses += broke(c->verdict, insn->pc, WARD_RULE_POINTER, WARD_RULE_ESCAPE) ||
			      broke(c->verdict, insn->pc, WARD_RULE_UNINIT_MEM, WARD_RULE_UNINIT_MEM);
}

/*
 * A back edge without a rank: its loop counts once. A branch into loops past their heads counts once, be it through a
 * table.
 */
static void count_edge(void *user, uint64_t pc, const struct wv_block *to, const struct wv_state *st, bool feasible)
{
	struct counts *c = user;

	(void)st, (void)feasible;
	bool rank = broke(c->verdict, pc, WARD_RULE_RANK, WARD_RULE_RANK);
	uint64_t which = rank ? to->addr : pc;
	if (!rank && !broke(c->verdict, pc, WARD_RULE_STRUCTURE, WARD_RULE_STRUCTURE))
		return;
	for (unsigned i = 0; i < c->o->bad_loops; i++) {
		if (c->bad_heads[i] == which)
			return;
	}
	if (c->o->bad_loops < sizeof(c->bad_heads) / sizeof(c->bad_heads[0]))
		c->bad_heads[c->o->bad_loops++] = which;
}

bool corpus_judge(const struct ward_buf *module, struct outcome *o)
{
	struct ward_verify_options options = {.size = sizeof(options)};
	struct ward_verdict *v = ward_verify(module->data, module->size, &options);
	struct counts c = {.o = o, .verdict = v};
	struct wv_watcher watcher = {.enter = count_loops, .before = count_access, .edge = count_edge, .user = &c};
	bool ok = v && wv_watch(module->data, module->size, &options, &watcher);

	if (ok) {
		if (o->bad_loops > o->loops) /* branches back to what the proof has no loop for */
			o->loops = o->bad_loops;
		o->accepted = v->accepted;
		for (size_t i = 0; v->accepted && i < v->module.n_entries; i++)
			o->bound =
				v->module.entries[i].max_insns > o->bound ? v->module.entries[i].max_insns : o->bound;
		if (!v->accepted)
			snprintf(o->reason, sizeof(o->reason), "%s %s at 0x%llx: %s",
				ward_rule_number(v->violations[0].rule), v->violations[0].reason,
				(unsigned long long)v->violations[0].pc, v->violations[0].detail);
	}
	ward_verdict_free(v);
	return ok;
}

bool corpus_run(const struct ward_buf *module, struct outcome *o)
{
	struct ward_verdict *v = ward_verify(module->data, module->size, NULL);
	uint64_t worst[16] = {0};
	bool ok = v && v->accepted && v->module.n_entries <= 16 &&
		  sandbox_measure(module->data, module->size, v, ROUNDS, MOST_INSNS, 20, worst) == SANDBOX_HELD;

	for (size_t i = 0; i < 16; i++)
		o->worst = worst[i] > o->worst ? worst[i] : o->worst;
	ward_verdict_free(v);
	return ok;
}
