/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The explanation: every instruction with what is known there, for reviewers and for authors of rejected probes.
 *
 * The verifier's own sweep runs once more with a watcher (check.h). The explanation prints what that sweep worked
 * with; it is no second opinion. Each instruction shows the values that it reads, then those that it changes. A
 * comparison of the states before and after finds the changes, so no table of written registers is needed here.
 * Violations are shown where they were found.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verifier/check/check.h"
#include "verifier/proof/rank.h"
#include "report.h"

enum { TEXT_COLUMN = 44, WIDTH = 128 };

/* Addresses of instructions, in the order of the sweep. */
struct addresses {
	uint64_t *v;
	size_t n, cap;
	bool failed;
};

struct printer {
	FILE *out;
	const struct report *r;
	const struct addresses *at;
	struct source_line *lines;      /* one for each of them */
	size_t next;                    /* of them */
	const struct source_line *line; /* printed last */
	const struct wv_function *f;
	struct wv_insn kept; /* being printed, if have_insn */
	bool have_insn;
	struct wv_state *before;
	unsigned column;
	bool has_items;     /* on the right-hand side of this line */
	bool same_if_taken; /* a conditional jump that adds no knowledge if it is taken */
	char *directory;    /* paths below it are shown without it */
	bool failed;
	bool printed[WARD_MAX_VIOLATIONS];
	uint64_t left; /* steps of work that printing may still take */
	bool spent;
};

/*
 * The output may grow faster than the file, where one branch narrows a whole frame. So there is a limit, about twice
 * what the code of compilers needs. A step is as in V-06; an item is about twenty steps.
 */
enum {
	STEPS_BYTE = 32,
	STEPS_FREE = 1000000,
	STEPS_ITEM = 24,
	STEPS_LINE = 16,
	SLOTS_STEP = 8,
	LOOPS_STEP = 16,
	SHOWN_STEP = 16
};

static void steps_take(struct printer *p, uint64_t steps)
{
	p->left -= steps < p->left ? steps : p->left;
}

/* ---- values ---- */

static void value_text(const struct wv_val *v, char *buf, size_t size)
{
	char text[120];

	wv_val_print(v, text, sizeof text);
	if (v->kind == WV_SAVED)
		snprintf(buf, size, "the host's %s", ward_register_name(v->region));
	else if (v->kind == WV_NUM && v->init < 64)
		snprintf(buf, size, "low %u bits set", v->init);
	else
		snprintf(buf, size, "%s",
			strncmp(text, "a number in ", 12) == 0 ? text + 12
			: v->kind == WV_UNINIT                 ? "not set"
							       : text);
}

static bool same_num(const struct wv_num *a, const struct wv_num *b)
{
	return a->umin == b->umin && a->umax == b->umax && a->smin == b->smin && a->smax == b->smax &&
	       a->lumin == b->lumin && a->lumax == b->lumax && a->known == b->known && a->bits == b->bits;
}

static bool same_value(const struct wv_val *a, const struct wv_val *b)
{
	if (a->kind != b->kind || a->region != b->region || a->init != b->init)
		return false;
	return (a->kind != WV_NUM && a->kind != WV_PTR) || same_num(&a->n, &b->n);
}

/* ---- the right-hand column ---- */

/* Start an item: a new line if it doesn't fit on this one. */
static void item_start(struct printer *p, const char *separator, const char *text)
{
	size_t n = strlen(separator) + strlen(text);

	steps_take(p, STEPS_ITEM);
	if (!p->has_items) {
		int blanks = p->column + 2 < TEXT_COLUMN ? (int)(TEXT_COLUMN - p->column) : 2;

		fprintf(p->out, "%*s", blanks, "");
		p->column += (unsigned)blanks;
		p->has_items = true;
		separator += strspn(separator, " ;,");
	}
	if (p->column + n > WIDTH && p->column > TEXT_COLUMN) {
		fprintf(p->out, "%s\n%*s", separator[0] == ',' ? "," : "", TEXT_COLUMN, "");
		p->column = TEXT_COLUMN;
		separator += strspn(separator, " ;,");
	}
	fprintf(p->out, "%s%s", separator, text);
	p->column += (unsigned)n;
}

static void put_value(struct printer *p, const char *separator, const char *name, const struct wv_val *v)
{
	char text[180], value[140];

	value_text(v, value, sizeof value);
	snprintf(text, sizeof text, "%s %s", name, value);
	item_start(p, separator, text);
}

static bool put_register(
	struct printer *p, const struct wv_state *st, unsigned reg, uint32_t *done, const char *separator)
{
	if (reg >= WV_NREG || (*done >> reg & 1))
		return false;
	*done |= 1u << reg;
	put_value(p, separator, ward_register_name(reg), &st->reg[reg]);
	return true;
}

/* What the instruction reads. */
static void put_reads(struct printer *p, const struct wv_insn *insn, const struct wv_state *st)
{
	uint32_t done = 1u << WV_RSP;
	bool any = false;

	for (unsigned i = 0; i < insn->n_operands && i < 3; i++) {
		const struct wv_operand *o = &insn->operand[i];
		bool zeroed = (insn->op == WV_XOR || insn->op == WV_SUB) &&
			      st->reg[o->kind == WV_REG ? o->reg : 0].kind == WV_UNINIT;
		bool only_written = i == 0 && (insn->op == WV_MOV || insn->op == WV_MOVZX || insn->op == WV_MOVSX ||
						      insn->op == WV_MOVSXD || insn->op == WV_LEA ||
						      insn->op == WV_POP || insn->op == WV_SETCC);

		if (o->kind == WV_REG && !only_written && !zeroed)
			any |= put_register(p, st, o->reg, &done, any ? ", " : "");
		if (o->kind == WV_MEM) {
			any |= put_register(p, st, insn->mem.base, &done, any ? ", " : "");
			any |= put_register(p, st, insn->mem.index, &done, any ? ", " : "");
		}
	}
}

static void slot_name(uint32_t n, char *buf, size_t size)
{
	snprintf(buf, size, "stack-%u", n * 8);
}

static const char *first_lead(bool any, const char *lead)
{
	return any ? ", " : lead;
}

/* Which halves of an xmm register are set: "xmm3 set", "xmm3 lower half set". False: none. */
static bool xmm_text(const struct wv_state *st, unsigned r, char *buf, size_t size)
{
	bool low = st->half[0] >> r & 1, high = st->half[1] >> r & 1;

	snprintf(buf, size, "%s%s", ward_register_name(16 + r),
		low && high ? " set"
		: low       ? " lower half set"
			    : " upper half set");
	return low || high;
}

/* What is different in `now`. The flags are not shown. */
static bool put_changes(struct printer *p, const struct wv_state *then, const struct wv_state *now, const char *lead)
{
	bool any = false;
	char name[24];

	if (now->depth != then->depth) {
		char text[40];

		snprintf(text, sizeof text, "rsp stack-%u", now->depth);
		item_start(p, first_lead(any, lead), text);
		any = true;
	}
	for (unsigned r = 0; r < WV_NREG; r++) {
		if (r == WV_RSP || same_value(&then->reg[r], &now->reg[r]))
			continue;
		put_value(p, first_lead(any, lead), ward_register_name(r), &now->reg[r]);
		any = true;
	}
	for (unsigned r = 0; r < 16; r++) {
		bool same = !(((then->half[0] ^ now->half[0]) | (then->half[1] ^ now->half[1])) >> r & 1);

		if (same || !xmm_text(now, r, name, sizeof name))
			continue;
		item_start(p, first_lead(any, lead), name);
		any = true;
	}
	for (uint32_t s = 0; s < now->n_slots; s++) {
		bool was = s < then->n_slots && then->slot[s].width;

		if (!now->slot[s].width || (was && same_value(&then->slot[s].v, &now->slot[s].v)))
			continue;
		slot_name(s + 1, name, sizeof name);
		put_value(p, first_lead(any, lead), name, &now->slot[s].v);
		any = true;
	}
	return any;
}

static void end_line(struct printer *p)
{
	fputc('\n', p->out);
	p->column = 0;
	p->has_items = false;
}

/* ---- violations ---- */

static void put_violation(struct printer *p, size_t i)
{
	const struct ward_violation *v = &p->r->verdict->violations[i];
	char *detail = report_detail(p->r, i);
	struct place place;

	p->printed[i] = true;
	p->failed |= !detail;
	if (v->pc && v->reason && !p->have_insn && report_place(p->r, v->pc, &place))
		fprintf(p->out, "  %-6" PRIx64 "%s\n", v->pc, place.text);
	fprintf(p->out, "  ^^^^  %s %s: %s\n", ward_rule_number(v->rule), v->reason, detail ? detail : "");
	free(detail);
}

/* Those at `pc`, or all below it. */
static void put_violations(struct printer *p, uint64_t pc, bool below)
{
	for (size_t i = 0; i < p->r->shown; i++) {
		uint64_t at = p->r->verdict->violations[i].pc;

		if (!p->printed[i] && (below ? at < pc : at == pc))
			put_violation(p, i);
	}
}

/* ---- instructions ---- */

/* The instruction that was begun is complete. */
static void finish_insn(struct printer *p)
{
	if (!p->have_insn)
		return;
	end_line(p);
	put_violations(p, p->kept.pc, false);
	p->have_insn = false;
}

/* False: no more is printed. Violations that have not had their turn come at the end, as ever. */
static bool go_on(struct printer *p, uint64_t steps)
{
	steps_take(p, steps);
	if (p->left || p->spent)
		return !p->spent;
	finish_insn(p);
	fprintf(p->out, "\nWhat follows is not explained: it would be out of proportion to the size of the module.\n");
	p->spent = true;
	return false;
}

static void put_source(struct printer *p, uint64_t pc)
{
	const struct source_line *line;

	while (p->next < p->at->n && p->at->v[p->next] != pc)
		p->next++;
	if (p->next >= p->at->n)
		return;
	line = &p->lines[p->next];
	if (!line->file || (p->line && p->line->line == line->line && strcmp(p->line->file, line->file) == 0))
		return;
	p->line = line;
	fprintf(p->out, "%s:%u\n", lines_relative(line->file, p->directory), line->line);
}

static void on_before(void *user, const struct wv_insn *insn, const struct wv_ctx *ctx, const struct wv_state *st)
{
	struct printer *p = user;
	char text[120];

	(void)ctx;
	finish_insn(p);
	if (!go_on(p, STEPS_LINE + st->n_slots / SLOTS_STEP + p->r->shown / SHOWN_STEP))
		return;
	put_violations(p, insn->pc, true);
	put_source(p, insn->pc);
	wv_insn_print(insn, text, sizeof text);
	p->column = (unsigned)fprintf(p->out, "  %-6" PRIx64 "%s", insn->pc, text);
	p->kept = *insn;
	p->have_insn = true;
	p->same_if_taken = false;
	wv_state_copy(p->before, st);
	put_reads(p, insn, st);
}

static void on_after(void *user, const struct wv_insn *insn, const struct wv_state *st)
{
	struct printer *p = user;

	if (!p->have_insn || !go_on(p, st->n_slots / SLOTS_STEP))
		return;
	const char *lead = insn->op != WV_JCC ? " -> " : p->same_if_taken ? "if not taken " : "; else ";

	if (!put_changes(p, p->before, st, lead) && p->same_if_taken)
		item_start(p, "", "either way");
}

static void on_edge(void *user, uint64_t pc, const struct wv_block *to, const struct wv_state *st, bool feasible)
{
	struct printer *p = user;

	(void)to;
	/* control only falls into the block that follows */
	if (!p->have_insn || pc != p->kept.pc || !go_on(p, st->n_slots / SLOTS_STEP))
		return;
	if (!feasible)
		item_start(p, "", "never taken");
	else if (p->kept.op == WV_JCC)
		p->same_if_taken = !put_changes(p, p->before, st, "if taken ");
}

/* ---- blocks ---- */

static const struct ward_entry_facts *facts_of(const struct ward_verdict *v, uint64_t pc)
{
	for (size_t i = 0; v->accepted && i < v->module.n_entries; i++) {
		if (v->module.entries[i].addr == pc)
			return &v->module.entries[i];
	}
	return NULL;
}

static void put_function(struct printer *p, const struct wv_module *m, const struct wv_function *f, uint64_t pc)
{
	const struct ward_entry_facts *facts = facts_of(p->r->verdict, pc);
	char *clean = NULL;

	for (uint32_t i = 0; i < m->n_entries && !clean; i++) {
		struct wv_entry e = wv_module_entry(m, i);

		if (e.addr == pc)
			clean = text_clean(e.name);
	}
	fprintf(p->out, "\n%s at 0x%" PRIx64, clean ? clean : "function", pc);
	if (facts)
		fprintf(p->out, ": at most %" PRIu64 " instructions and %" PRIu32 " bytes of stack", facts->max_insns,
			facts->stack_bytes);
	if (f->n_loops)
		fprintf(p->out, ", %u loop%s", f->n_loops, f->n_loops == 1 ? "" : "s");
	fputc('\n', p->out);
	free(clean);
}

static void loc_name(const struct wv_loc *loc, char *buf, size_t size)
{
	if (loc->slot)
		slot_name(loc->slot, buf, size);
	else
		snprintf(buf, size, "%s", ward_register_name(loc->reg));
}

static void put_loop(struct printer *p, const struct wv_function *f, const struct wv_loop *l)
{
	char name[24];

	loc_name(&l->rank, name, sizeof name);
	fprintf(p->out, "  loop: ");
	if (!l->claim || !l->step)
		fprintf(p->out, "nothing bounds it");
	else
		fprintf(p->out, "goes back at most %" PRIu64 " times; %s moves by %s%" PRId64 " each time",
			l->back_edges, name, l->step > 0 ? "+" : "", l->step);
	for (uint32_t g = l->first_ghost + 1; g < l->first_ghost + l->n_ghosts; g++) {
		loc_name(&f->ghosts[g].loc, name, sizeof name);
		fprintf(p->out, ", %s by %s%" PRId64, name, f->ghosts[g].stride > 0 ? "+" : "", f->ghosts[g].stride);
	}
	fputc('\n', p->out);
}

/* All that is known where a block starts, but for what is as at the entry. */
static void put_known(struct printer *p, const struct wv_state *st)
{
	bool any = false;
	char name[24];

	for (unsigned r = 0; r < WV_NREG; r++) {
		const struct wv_val *v = &st->reg[r];

		if (r == WV_RSP || v->kind == WV_UNINIT || (v->kind == WV_SAVED && v->region == r))
			continue;
		put_value(p, first_lead(any, ""), ward_register_name(r), v);
		any = true;
	}
	for (unsigned r = 0; r < 16; r++) {
		if (!xmm_text(st, r, name, sizeof name))
			continue;
		item_start(p, first_lead(any, ""), name);
		any = true;
	}
	for (uint32_t s = 0; s < st->n_slots; s++) {
		if (!st->slot[s].width)
			continue;
		slot_name(s + 1, name, sizeof name);
		put_value(p, first_lead(any, ""), name, &st->slot[s].v);
		any = true;
	}
	if (!any)
		item_start(p, "", "nothing");
	end_line(p);
}

static void on_enter(void *user, const struct wv_function *f, const struct wv_block *b, const struct wv_ctx *ctx,
	const struct wv_state *st)
{
	struct printer *p = user;
	uint64_t pc = ctx->module->text.addr + b->addr;

	finish_insn(p);
	if (!go_on(p, STEPS_LINE + f->n_loops / LOOPS_STEP + p->r->shown / SHOWN_STEP +
			      (b == f->blocks ? ctx->module->n_entries : 0)))
		return;
	put_violations(p, pc, true);
	p->f = f;
	if (b == f->blocks) {
		put_function(p, ctx->module, f, pc);
		p->line = NULL;
	}
	for (uint32_t l = 0; l < f->n_loops; l++) {
		if (&f->blocks[f->loops[l].head] == b)
			put_loop(p, f, &f->loops[l]);
	}
	p->column =
		(unsigned)fprintf(p->out, "  %" PRIx64 ": %s", pc, b == f->blocks ? "given" : "known on all ways here");
	put_known(p, st);
}

/* ---- all of it ---- */

static void insn_collect(void *user, const struct wv_insn *insn, const struct wv_ctx *ctx, const struct wv_state *st)
{
	struct addresses *a = user;

	(void)ctx, (void)st;
	if (a->n == a->cap) {
		size_t cap = a->cap ? 2 * a->cap : 256;
		uint64_t *v = realloc(a->v, cap * sizeof *v);

		if (!v) {
			a->failed = true;
			return;
		}
		a->v = v;
		a->cap = cap;
	}
	a->v[a->n++] = insn->pc;
}

static bool print_all(FILE *out, const struct report *r, const struct addresses *a)
{
	struct printer p = {.out = out, .r = r, .at = a, .left = STEPS_FREE + STEPS_BYTE * (uint64_t)r->size};
	struct wv_watcher w = {.enter = on_enter, .before = on_before, .after = on_after, .edge = on_edge, .user = &p};
	bool ok;

	p.lines = lines_find(r->file, r->size, a->v, a->n, false);
	p.before = malloc(sizeof *p.before);
	p.directory = getcwd(NULL, 0);
	ok = p.lines && p.before;
	if (ok) {
		put_violations(&p, 1, true); /* of the file as a whole */
		ok = wv_watch(r->file, r->size, r->options, &w);
		finish_insn(&p);
		put_violations(&p, UINT64_MAX, true);
	}
	lines_free(p.lines, a->n);
	free(p.before);
	free(p.directory);
	return ok && !p.failed;
}

/* The verdict; the violations come later, in their places. */
static bool verdict_print(FILE *out, const struct report *r)
{
	char *path;

	if (r->verdict->accepted)
		return report_text(out, r);
	path = text_clean(r->path);
	if (path)
		fprintf(out, "%s: rejected: %zu violation%s\n", path, r->verdict->n_violations,
			r->verdict->n_violations == 1 ? "" : "s");
	free(path);
	return path != NULL;
}

bool report_explain(FILE *out, const struct report *r)
{
	struct addresses a = {0};
	struct wv_watcher w = {.before = insn_collect, .user = &a};
	bool ok = verdict_print(out, r) && wv_watch(r->file, r->size, r->options, &w) && !a.failed &&
		  print_all(out, r, &a);

	free(a.v);
	return ok;
}
