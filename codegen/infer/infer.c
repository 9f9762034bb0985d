/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proof inference for a module: which functions it has, in what order they are analysed, and the sealed proof of all
 * of them.
 */
#include "infer.h"

#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "minimise.h"
#include "nest_cursor.h"
#include "weaken.h"
#include "verifier/step/step.h"

/* ---- functions, callees first ---- */

/* Does the instruction call, or go on in another function? */
static bool calls_function(const struct code *code, const struct function *f, const struct wv_insn *i)
{
	uint64_t target = i->target - code->m->text.addr;
	if (i->op == WV_CALL)
		return true;
	return (i->op == WV_JMP || i->op == WV_JCC) && target < code->m->text_bytes.n && target != f->entry &&
	       code->is_function[target];
}

/* Calls in a function; each callee inside the text is passed on. */
static bool each_call(struct code *code, const struct function *f, bool (*fn)(void *, uint64_t), void *user)
{
	for (uint32_t b = 0; b < f->n_blocks; b++) {
		uint64_t at = f->blocks[b].addr;
		for (uint32_t n = 0; n < f->blocks[b].n; n++) {
			const struct wv_insn *i = &code->insns[code->at[at] - 1];
			uint64_t target = i->target - code->m->text.addr;
			if (target < code->m->text_bytes.n && calls_function(code, f, i) && !fn(user, target))
				return false;
			at += i->length;
		}
	}
	return true;
}

enum search_state { UNKNOWN, FOUND, DOING /* its callees */, DONE };

struct search {
	struct code *code;
	uint8_t *state; /* text offset: enum search_state of the function that starts here */
	uint64_t *order;
	uint32_t n_order, cap_order;
	uint64_t *stack;
	uint32_t n_stack, cap_stack;
	uint64_t effort;   /* instructions walked over */
	size_t proof_room; /* taken for the proof */
	bool no_memory, too_much, too_many_tables;
};

/*
 * Build a function during the search. Functions that call into each other's middle may share nearly all of their
 * code. There is then one walk for each of them, and all walks together take quadratic time. Compilers emit no such
 * code: real functions share a few endings, so a fixed multiple of the text's size is plenty.
 */
enum { MOST_WALKS = 32, FREE_WALKS = 65536 };

static bool function_build(struct search *s, uint64_t entry, struct function *f)
{
	bool ok = cfg_build(s->code, entry, f);
	for (uint32_t b = 0; ok && b < f->n_blocks; b++)
		s->effort += f->blocks[b].n;
	s->no_memory |= !ok;
	s->too_much |= s->effort > MOST_WALKS * (uint64_t)s->code->m->text_bytes.n + FREE_WALKS;
	return ok && !s->too_much;
}

/* A jump through a table whose targets are not known yet. */
static bool jumps_anywhere(const struct code *code, const struct function *f)
{
	for (uint32_t b = 0; b < f->n_blocks; b++) {
		const struct block *block = &f->blocks[b];
		uint64_t at = block->addr;
		for (uint32_t n = 0; n < block->n; n++) {
			const struct wv_insn *i = &code->insns[code->at[at] - 1];
			if (i->op == WV_JMP_REG && !code->cases->first[at])
				return true;
			at += i->length;
		}
	}
	return false;
}

enum { MAX_EXPLORATIONS = 64 };

/*
 * Build a function, and if it jumps through tables, find their targets: interpret it with the blocks that are known,
 * and build it again with those that then turn out to be behind its jumps, until each of its jumps has targets.
 * Nothing is known of its callers yet; but a compiler bounds an index right before the jump. prove_all finds out
 * whether those were all of its cases.
 */
static bool function_explore(struct search *s, uint64_t entry, struct function *f)
{
	struct cases *cases = s->code->cases;
	bool ok = function_build(s, entry, f);
	for (int i = 0; ok && jumps_anywhere(s->code, f); i++) {
		s->too_many_tables |= i > MAX_EXPLORATIONS;
		if (s->too_many_tables)
			return false;
		struct contract own = {.entry = entry};
		struct contracts nobody = {0};
		struct analysis a = {0};
		cases->exploring = true;
		cases->grew = false;
		ok = fixpoint_run(&a, s->code->m, s->code, f, &nobody, &own);
		fixpoint_free(&a);
		cases->exploring = false;
		s->no_memory |= !ok;
		if (!ok || !cases->grew)
			break;
		cfg_free(f);
		ok = function_build(s, entry, f);
	}
	return ok;
}

static bool entry_push(void *user, uint64_t entry)
{
	struct search *s = user;
	if (s->state[entry] == DOING || s->state[entry] == DONE)
		return true;
	if (!grow(&s->stack, s->n_stack, &s->cap_stack, sizeof *s->stack))
		return false;
	s->state[entry] = FOUND;
	s->stack[s->n_stack++] = entry;
	return true;
}

static bool count_owners(struct code *code, const struct function *f)
{
	for (uint32_t b = 0; b < f->n_blocks; b++)
		code->owners[f->blocks[b].addr]++;
	return false;
}

/* Depth first, a function after its callees. A cycle comes out in some order, and the verifier rejects it (V-64). */
static bool search_from(struct search *s, uint64_t entry)
{
	if (!entry_push(s, entry))
		return false;
	while (s->n_stack) {
		uint64_t top = s->stack[s->n_stack - 1];
		if (s->state[top] == FOUND) {
			struct function f;
			s->state[top] = DOING;
			bool ok = function_explore(s, top, &f) && each_call(s->code, &f, entry_push, s);
			if (ok)
				count_owners(s->code, &f);
			cfg_free(&f);
			if (!ok)
				return false;
			continue;
		}
		s->n_stack--;
		if (s->state[top] == DONE)
			continue;
		s->state[top] = DONE;
		if (!grow(&s->order, s->n_order, &s->cap_order, sizeof *s->order))
			return false;
		s->order[s->n_order++] = top;
	}
	return true;
}

/* Call fn for every function found. */
static bool each_function(struct search *s, bool (*fn)(struct code *, const struct function *))
{
	bool marked = false;
	for (uint32_t i = 0; !s->no_memory && !s->too_much && i < s->n_order; i++) {
		struct function f;
		if (function_build(s, s->order[i], &f))
			marked |= fn(s->code, &f);
		cfg_free(&f);
	}
	return marked;
}

/* A block of this function alone leads to one of several functions': there another function begins. */
static bool mark_shared(struct code *code, const struct function *f)
{
	bool marked = false;
	for (uint32_t b = 0; b < f->n_blocks; b++) {
		const struct block *from = &f->blocks[b];
		for (uint32_t i = 0; code->owners[from->addr] == 1 && i < from->n_outs; i++) {
			const struct out *out = &f->outs[from->first_out + i];
			uint64_t to = f->blocks[out->to].addr;
			if (out->kind == OUT_TAIL || code->owners[to] < 2 || code->is_function[to])
				continue;
			code->is_function[to] = 1;
			marked = true;
		}
	}
	return marked;
}

/*
 * Where several functions lead to the same code (gcc shares what they end with, and a call that comes last is a jump),
 * that is a function of its own. Returns whether there is one that was not known.
 */
static bool split_shared(struct search *s)
{
	memset(s->code->owners, 0, s->code->m->text_bytes.n * sizeof *s->code->owners);
	each_function(s, count_owners);
	return each_function(s, mark_shared);
}

/*
 * What was found is a function from now on. Returns whether another one that was walked before has it as a block still:
 * a jump led there, and only later code turned out to call it, as two probe functions do of which one ends with an
 * import and the other calls the same in its middle. That jump is a tail call, so the order may be wrong.
 */
static bool mark_found(struct search *s)
{
	bool late = false;
	for (uint32_t i = 0; i < s->n_order; i++) {
		uint64_t entry = s->order[i];
		late |= !s->code->is_function[entry] && s->code->owners[entry] > 1; /* itself is one */
		s->code->is_function[entry] = 1;
	}
	return late;
}

/* Marking a function may let others be seen, so the search is done over until there are no more. */
static bool search_all(struct search *s)
{
	const struct wv_module *m = s->code->m;
	bool ok = true;
	for (uint32_t i = 0; i < m->n_entries; i++)
		s->code->is_function[wv_module_entry(m, i).addr - m->text.addr] = 1;
	do {
		s->effort += m->text_bytes.n / 64 + 1; /* for what is cleared here */
		s->too_much |= s->effort > MOST_WALKS * (uint64_t)m->text_bytes.n + FREE_WALKS;
		memset(s->state, UNKNOWN, m->text_bytes.n);
		memset(s->code->owners, 0, m->text_bytes.n * sizeof *s->code->owners);
		s->n_order = 0;
		for (uint32_t i = 0; ok && !s->too_much && i < m->n_entries; i++)
			ok = search_from(s, wv_module_entry(m, i).addr - m->text.addr);
	} while (ok && !s->too_much && (mark_found(s) || split_shared(s)));
	return ok && !s->no_memory && !s->too_much;
}

/* ---- contracts ---- */

/* Which registers the instructions of a function may write, whatever the state. */
static bool written_by(struct search *s, const struct contracts *cs, uint64_t entry, uint32_t *written)
{
	struct function f;
	struct wv_sink sink = {0};
	struct wv_ctx ctx = {.module = s->code->m, .sink = &sink, .max_stack = WARD_STACK_CEILING, .next_sym = 1};
	struct wv_state *st = malloc(sizeof *st);
	bool ok = cfg_build(s->code, entry, &f) && st;
	for (uint32_t b = 0; ok && b < f.n_blocks; b++) {
		uint64_t at = f.blocks[b].addr;
		ok = effort_spend(s->code->effort, (uint64_t)UNITS_PER_INSN / 3 * f.blocks[b].n);
		for (uint32_t n = 0; ok && n < f.blocks[b].n; n++) {
			const struct wv_insn *i = &s->code->insns[s->code->at[at] - 1];
			bool is_call = calls_function(s->code, &f, i);
			const struct contract *callee =
				is_call ? contract_at(cs, i->target - s->code->m->text.addr) : NULL;
			wv_state_entry(&ctx, st);
			wv_step(&ctx, st, i);
			if (is_call)
				ctx.written |= callee ? ~callee->keeps : UINT32_MAX;
			at += i->length;
		}
	}
	*written = ctx.written;
	free(st);
	cfg_free(&f);
	return ok;
}

/*
 * A contract for each function, callees first; the note's entries are also called by the host. What an earlier pass has
 * found that the functions need of their windows stays: the order of the functions is mostly the same.
 */
static bool make_contracts(struct search *s, struct contracts *cs)
{
	const struct wv_module *m = s->code->m;
	uint32_t had = cs->n;
	cs->n = 0;
	for (uint32_t i = 0; i < s->n_order; i++) {
		if (!grow(&cs->v, cs->n, &cs->cap, sizeof *cs->v))
			return false;
		uint32_t written;
		if (!written_by(s, cs, s->order[i], &written))
			return false;
		struct contract c = {.entry = s->order[i], .keeps = ~written & contract_scratch};
		if (i < had && cs->v[i].entry == c.entry)
			memcpy(c.most, cs->v[i].most, sizeof c.most);
		cs->at[s->order[i]] = cs->n + 1;
		cs->v[cs->n++] = c;
	}
	for (uint32_t i = 0; i < m->n_entries; i++) {
		struct contract *c = contract_at(cs, wv_module_entry(m, i).addr - m->text.addr);
		struct wv_ctx ctx = {.module = m, .next_sym = 1};
		struct wv_state *st = malloc(sizeof *st);
		if (!st)
			return false;
		wv_state_entry(&ctx, st);
		c->is_entry = c->called = true;
		c->in[WV_RDI] = st->reg[WV_RDI];
		c->in[WV_RSI] = st->reg[WV_RSI];
		free(st);
	}
	return true;
}

/* ---- the proof ---- */

static bool function_prove(struct code *code, uint64_t entry, struct contracts *cs, struct bytes *out)
{
	struct function f;
	struct analysis a = {0};
	bool ok = cfg_build(code, entry, &f) && fixpoint_run(&a, code->m, code, &f, cs, contract_at(cs, entry));
	if (ok && out) {
		cs->changed |= contract_trim(contract_at(cs, entry), cs->first);
		emit_function(out, &a);
	}
	if (a.f)
		fixpoint_free(&a);
	cfg_free(&f);
	return ok && (!out || !out->failed);
}

/*
 * Callers first to learn what is passed, then callees first with what is returned. Jumps may turn out to have more
 * cases than were known.
 */
static bool prove_once(struct search *s, struct contracts *cs, struct bytes *out)
{
	const struct wv_module *m = s->code->m;
	s->n_stack = 0;
	cs->changed = false;
	s->effort = 0;
	give_room(s->code->effort, s->proof_room);
	s->proof_room = out->n = 0;
	if (!search_all(s) || !make_contracts(s, cs))
		return false;
	cs->collecting = true;
	for (uint32_t i = s->n_order; s->n_order > m->n_entries && i > 0; i--) {
		if (!function_prove(s->code, s->order[i - 1], cs, NULL))
			return false;
	}
	cs->collecting = false;
	put_u(out, s->n_order);
	s->code->cases->exploring = true;
	s->code->cases->grew = false;
	bool ok = true;
	for (uint32_t i = 0; ok && i < s->n_order; i++) {
		size_t had = out->n;
		ok = function_prove(s->code, s->order[i], cs, out) &&
		     take_room(s->code->effort, (out->n - had) * MEMORY_PER_PROOF);
		s->proof_room += ok ? (out->n - had) * MEMORY_PER_PROOF : 0;
	}
	s->code->cases->exploring = false;
	return ok && !out->failed;
}

enum { MAX_TRIMS = 4 };

/*
 * Prove again, with the cases that were found meanwhile, and with windows of the size that is needed: what a caller
 * keeps behind a variable isn't lost then, and may be what it passes elsewhere.
 */
static bool prove_all(struct search *s, struct contracts *cs, struct bytes *out)
{
	cs->first = cs->n == 0;
	bool ok = prove_once(s, cs, out);
	cs->first = false;
	for (int i = 0, trims = 0; ok && (s->code->cases->grew || (cs->changed && trims < MAX_TRIMS)); i++) {
		trims += cs->changed;
		s->too_many_tables = i == MAX_EXPLORATIONS + MAX_TRIMS;
		ok = !s->too_many_tables && prove_once(s, cs, out);
	}
	return ok;
}

enum { MAX_SPLITS = 4 };

/*
 * If the verifier finds fault with the code behind a branch that is always taken, that code gets a block of its own.
 * At last, unless this is a draft, the claims that nothing needs are left out.
 */
static bool prove_and_repair(struct search *s, struct contracts *cs, size_t size, bool draft, struct bytes *out)
{
	bool split = true, ok = true;
	for (int i = 0; ok && split && i < MAX_SPLITS; i++)
		ok = prove_all(s, cs, out) && repair_claims(s->code->m, s->code->effort, out, s->code->splits, &split);
	ok = ok && add_cursors(s->code->m, s->code->effort, out);
	return ok && (draft || prune_claims(s->code->m, FREE_PRUNING + PRUNING_PER_BYTE * (uint64_t)size, out));
}

int ward_infer(const void *file, size_t size, const struct ward_infer_options *options, uint8_t **proof,
	size_t *proof_size, const char **why)
{
	struct wv_sink sink = {0};
	struct wv_module m;
	if (!wv_module_parse(&m, file, size, UINT32_MAX, &sink)) {
		*why = "it is not a well-formed module";
		return -1;
	}
	size_t text = m.text_bytes.n;
	struct effort effort = effort_for(size);
	bool draft = options && options->draft;
	struct cases cases = {.first = calloc(text, sizeof *cases.first), .noted = calloc(text, sizeof *cases.noted)};
	struct code code = {.m = &m,
		.cases = &cases,
		.effort = &effort,
		.nest = options ? options->nest : 0,
		.at = calloc(text, sizeof *code.at),
		.is_function = calloc(text, 1),
		.splits = calloc(text, 1),
		.owners = calloc(text, sizeof *code.owners),
		.marks = calloc(text, sizeof *code.marks)};
	struct search s = {.code = &code, .state = calloc(text, 1)};
	struct contracts cs = {.text = text, .at = calloc(text, sizeof *cs.at)};
	struct bytes out = {0};
	bool ok = cases.first && cases.noted && code.at && code.is_function && code.splits && code.owners &&
		  code.marks && s.state && cs.at && prove_and_repair(&s, &cs, size, draft, &out) &&
		  seal_proof(&m, &out, proof, proof_size);
	if (!ok)
		*why = effort.too_long     ? "that would take too long"
		       : effort.too_large  ? "that would take too much memory"
		       : s.too_much        ? "its functions share too much of their code"
		       : s.too_many_tables ? "a function has more than 64 switches, each behind the one before"
					   : "out of memory";
	free(cases.first);
	free(cases.noted);
	free(cases.v);
	free(code.at);
	free(code.is_function);
	free(code.splits);
	free(code.owners);
	free(code.marks);
	free(code.insns);
	free(s.state);
	free(s.order);
	free(s.stack);
	free(cs.v);
	free(cs.at);
	free(out.p);
	return ok ? 0 : -1;
}
