/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/ir/address.h"
#include "codegen/llvm/ir/diag.h"
#include "codegen/llvm/ir/loop_place.h"
#include "codegen/llvm/guard/fuel.h"

struct row {
	struct place at;
	char what[48];
	const char *why;      /* NULL: proven, */
	uint64_t rounds;      /* of a loop: after which it is stopped, or 0 */
	bool nest;            /* and these are of all loops of its nest together */
	LLVMValueRef behind;  /* and by the check of this instruction, if it isn't NULL */
	LLVMMetadataRef loop; /* of a loop: its location, or NULL */
};

struct table {
	struct row *row;
	size_t n, cap;
};

static bool row_add(
	struct table *t, struct place at, const char *why, LLVMValueRef behind, const char *what, unsigned long long n)
{
	if (t->n == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 64;
		struct row *row = realloc(t->row, cap * sizeof(*row));

		if (!row)
			return false;
		t->row = row;
		t->cap = cap;
	}
	t->row[t->n] = (struct row){.at = at, .why = why, .behind = behind};
	snprintf(t->row[t->n++].what, sizeof(t->row->what),
		n == 1 ? "%s of %llu byte"
		: n    ? "%s of %llu bytes"
		       : "%s",
		what, n);
	return true;
}

/* Of an access that another one's check does for: that one. */
static LLVMValueRef checked_by(const struct numbering *x, const struct planned *of, int i)
{
	return (of->want & WANT_ACCESS) && of->by && of->by != i + 1 ? x->inst[of->by - 1] : NULL;
}

static bool add_instruction(
	struct table *t, LLVMTargetDataRef layout, const struct numbering *x, const struct planned *plan, int i)
{
	LLVMValueRef inst = x->inst[i], behind = checked_by(x, plan, i);
	struct access a[2];
	unsigned n = accesses_of(layout, inst, a);
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	const char *name = op == LLVMLoad           ? "load"
			   : op == LLVMStore        ? "store"
			   : is_atomic_update(inst) ? "atomic"
						    : "copy";
	struct place at = place_of_instruction(inst);
	bool ok = true;

	if (n)
		ok = row_add(
			t, at, (plan->want & WANT_ACCESS) && !behind ? plan->why[0] : NULL, behind, name, a[0].size);
	if (ok && (plan->want & WANT_BUFFER))
		ok = row_add(t, at, plan->why[6], NULL, "buffer", 0);
	if (ok && (plan->want & WANT_DIVISOR))
		ok = row_add(t, at, plan->why[1], NULL, "division", 0);
	return ok;
}

/* What a loop has a counter for, or NULL: fuel that was planned may have been left out again. */
static const char *why_counted(const struct planned *plan)
{
	if (plan->want & WANT_FUEL)
		return plan->why[2];
	return plan->want & WANT_COUNTER ? plan->why[4] : NULL;
}

static bool add_loop(struct table *t, const struct flow *f, int head, const struct numbering *x,
	const struct plan *plan, const struct guard_options *options)
{
	const struct planned *of = &plan->of[index_get(&x->number, LLVMGetFirstInstruction(f->block[head]), 0)];
	uint64_t rounds = rounds_until_stop(f->block[head], of, options->fuel);
	int nest = rounds ? FLOW_NONE : nest_of(f, x, plan, head);
	const char *why = why_counted(of);

	if (nest != FLOW_NONE)
		why = plan->of[index_get(&x->number, LLVMGetFirstInstruction(f->block[nest]), 0)].why[9];
	if (!row_add(t, place_of_loop(f, head), why, NULL, "loop", 0))
		return false;
	t->row[t->n - 1].loop = location_of_loop(f, head);
	t->row[t->n - 1].rounds = nest == FLOW_NONE ? rounds : options->nest;
	t->row[t->n - 1].nest = nest != FLOW_NONE;
	return true;
}

static bool add_loops(struct table *t, LLVMValueRef fn, const struct numbering *x, const struct plan *plan,
	const struct guard_options *options)
{
	struct flow f;
	bool ok = flow_init(&f, fn);

	for (int b = 0; ok && b < f.n; b++)
		ok = !f.head[b] || add_loop(t, &f, b, x, plan, options);
	flow_free(&f);
	return ok;
}

static int by_place(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int c = strcmp(x->at.file, y->at.file);

	if (!c)
		c = (x->at.line > y->at.line) - (x->at.line < y->at.line);
	if (!c)
		c = (x->at.column > y->at.column) - (x->at.column < y->at.column);
	if (!c)
		c = strcmp(x->what, y->what);
	if (!c)
		c = (x->why != NULL) - (y->why != NULL);
	return c ? c : (x->behind != NULL) - (y->behind != NULL);
}

/* What is inlined into several probes, or twice into one, is said once. */
static void drop_equal(struct table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct row *last = n ? &t->row[n - 1] : NULL;

		if (!last || by_place(last, &t->row[i]) != 0)
			t->row[n++] = t->row[i];
	}
	t->n = n;
}

/* A cell of the driver's rows: what separates them doesn't occur in it. */
static void cell_put(const char *text, char end)
{
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' ? '?' : *text, stdout);
	fputc(end, stdout);
}

/* "LINE:COLUMN", behind the file's name where it isn't the row's own. */
static void put_behind(const struct row *r)
{
	struct place at;

	if (r->behind) {
		at = place_of_instruction(r->behind);
		if (strcmp(at.file, r->at.file))
			cell_put(at.file, ':');
		printf("%u:%u", at.line, at.column);
	}
	putchar('\t');
}

/* "FILE:LINE:COLUMN" of each call that the loop was inlined for, the innermost first. */
static void put_calls(LLVMModuleRef m, const struct row *r)
{
	LLVMMetadataRef call = r->loop ? LLVMDILocationGetInlinedAt(r->loop) : NULL;

	for (bool first = true; call; call = LLVMDILocationGetInlinedAt(call), first = false) {
		struct place at = place_of_location(m, call);

		if (!first)
			fputs(", ", stdout);
		cell_put(at.file, ':');
		printf("%u:%u", at.line, at.column);
	}
	putchar('\n');
}

/*
 * Rows for the driver (codegen/driver/report_rows.c): file as the user would write it, and where it is, line, column,
 * what, why it is guarded, if it is, whose check does for it, if another's does, and which calls a loop was inlined
 * for. The last has only how the code had to be made.
 */
static void table_print(LLVMModuleRef m, const struct table *t, const char *how)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct row *r = &t->row[i];

		cell_put(r->at.file, '\t');
		cell_put(r->at.where, '\t');
		printf("%u\t%u\t", r->at.line, r->at.column);
		cell_put(r->what, '\t');
		if (r->why && r->rounds)
			printf("at most %llu round%s%s: ", (unsigned long long)r->rounds, r->rounds == 1 ? "" : "s",
				r->nest ? " of its nest" : "");
		cell_put(r->why ? r->why : "", '\t');
		put_behind(r);
		put_calls(m, r);
	}
	cell_put(how ? how : "", '\n');
}

bool print_guards(LLVMTargetDataRef layout, LLVMModuleRef m, const struct numbering *origin, const struct plan *plan,
	const struct guard_options *options, const char *how)
{
	struct table t = {0};
	bool ok = true;
	LLVMValueRef fn;

	for (int i = 0; ok && i < origin->n; i++)
		ok = add_instruction(&t, layout, origin, &plan->of[i], i);
	for (fn = LLVMGetFirstFunction(m); ok && fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn))
			ok = add_loops(&t, fn, origin, plan, options);
	if (ok && t.n)
		qsort(t.row, t.n, sizeof(*t.row), by_place);
	drop_equal(&t);
	if (ok)
		table_print(m, &t, how);
	free(t.row);
	return ok;
}
