/* SPDX-License-Identifier: Apache-2.0 */
/* The plan for people: `ward query --explain`. */
#include <inttypes.h>
#include <string.h>

#include "emit.h"
#include "pair.h"
#include "plan.h"
#include "uses.h"

static const char *const field_names[N_FIELDS] = {"arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "ret", "caller",
	"tid", "cpu", "time", "elapsed", "site", "sp", "pid", "process", "stack", "ustack"};
static const char *const function_names[] = {"ToString", "Contains", "EndsWith", "Substring", "Join"};
static const char *const session_names[N_SESSION] = {
	"pid", "process", "machine", "window", "the window's number", "seconds"};

static void print_duration(double ns, FILE *file)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"d", 86400e9}, {"h", 3600e9}, {"min", 60e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (ns >= units[i].ns) {
			fprintf(file, "%.6g.%s", ns / units[i].ns, units[i].name);
			return;
		}
	fprintf(file, "%.6g.ns", ns);
}

static void print_constant(const struct expr *e, FILE *file)
{
	if (e->type.kind == TYPE_DURATION)
		print_duration((double)e->value, file);
	else if (e->type.kind == TYPE_BOOL)
		fputs(e->value ? "true" : "false", file);
	else if (e->type.is_signed)
		fprintf(file, "%" PRId64, (int64_t)e->value);
	else
		fprintf(file, "%" PRIu64, e->value);
}

static void print_keep(const struct expr *e, FILE *file)
{
	static const char *const parts[] = {
		"count", "sum", "min", "max", "mean", "histogram", "distinct", "quantile", "bits", "odd bits", "error"};

	if (e->part == PART_QUANTILE)
		fprintf(file, "%g of ", e->real);
	fprintf(file, "%s%" PRIu64, parts[e->part], e->value);
}

static void print_history(const struct expr *e, FILE *file)
{
	fprintf(file, "history%" PRIu64 ": ", e->value);
	expr_print(e->a, file);
}

void expr_print(const struct expr *e, FILE *file)
{
	switch (e->kind) {
	case EXPR_CONST: print_constant(e, file); return;
	case EXPR_REAL: fprintf(file, "%g", e->real); return;
	case EXPR_TEXT: fprintf(file, "\"%s\"", e->text); return;
	case EXPR_FIELD: fputs(field_names[e->value], file); return;
	case EXPR_SESSION: fputs(session_names[e->value], file); return;
	case EXPR_KEY: fprintf(file, "key%" PRIu64, e->value); return;
	case EXPR_KEEP: print_keep(e, file); return;
	case EXPR_FUNCTION:
		fprintf(file, "%s(", function_names[e->value]);
		for (const struct expr *const *part = (const struct expr *const[]){e->a, e->b, e->c, NULL}; *part;
			part++) {
			fputs(*part == e->a ? "" : ", ", file);
			expr_print(*part, file);
		}
		break;
	case EXPR_CELL: fprintf(file, "cell%" PRIu64, e->value); return;
	case EXPR_EVENT: fputs("the event", file); return;
	case EXPR_STEP: print_history(e, file); return;
	case EXPR_CAPTURE: fprintf(file, "capture%u", e->which); return;
	case EXPR_RECALL: fputs("keep the row, for what comes later", file); return;
	case EXPR_NOW: fprintf(file, "now%" PRIu64, e->value); return;
	case EXPR_BEFORE: fprintf(file, "before%" PRIu64, e->value); return;
	case EXPR_GATE: fprintf(file, "passes gate%" PRIu64, e->value); return;
	case EXPR_UNARY:
		fputs(expr_op_text(e->op), file);
		expr_print(e->a, file);
		return;
	case EXPR_COND:
		fputc('(', file);
		expr_print(e->c, file);
		fputs(" ? ", file);
		expr_print(e->a, file);
		fputs(" : ", file);
		expr_print(e->b, file);
		break;
	case EXPR_BINARY:
		fputc('(', file);
		expr_print(e->a, file);
		fprintf(file, " %s ", expr_op_text(e->op));
		expr_print(e->b, file);
		break;
	case EXPR_CAST:
		fprintf(file, "%s%u(", e->type.is_signed ? "int" : "uint", e->type.bits);
		expr_print(e->a, file);
		break;
	case EXPR_LENGTH:
		fputs("length of (", file);
		expr_print(e->a, file);
		break;
	case EXPR_STRING:
		fprintf(file, "text of at most %" PRIu64 " bytes at (", e->value);
		expr_print(e->a, file);
		break;
	case EXPR_READ:
		fprintf(file, "%s%u at (", e->type.is_signed ? "int" : "uint", e->type.bits);
		expr_print(e->a, file);
		break;
	default: fputs("(", file);
	}
	fputc(')', file);
}

static void print_pair(const struct plan *p, FILE *file)
{
	static const char *const kinds[] = {[PAIR_CALL] = "both ends of a call",
		[PAIR_THREAD] = "events of one thread",
		[PAIR_RECORDS] = "records, in the order of their time"};

	if (p->pair.kind == PAIR_NONE || p->module.kind != MODULE_NONE)
		return;
	if (p->pair.is_alone)
		fputs("records   of each event, which the reader counts", file);
	else
		fprintf(file, "%-10s%s", "pairs", kinds[p->pair.kind]);
	if (p->pair.within) {
		fputs(", within ", file);
		print_duration((double)p->pair.within, file);
	}
	fputs(p->pair.n_keys && p->pair.kind != PAIR_CALL ? ", of one key:\n" : "\n", file);
	for (size_t i = 0; i < p->pair.n_keys && p->pair.kind != PAIR_CALL; i++) {
		fprintf(file, "%-10s", "");
		expr_print(p->pair.keys[0][i], file);
		fputs(" equals ", file);
		expr_print(p->pair.keys[1][i], file);
		fputc('\n', file);
	}
	for (size_t i = 0; i < p->n_captures; i++) {
		fprintf(file, "%-10scapture%zu = ", i ? "" : "kept", i);
		expr_print(p->captures[i].of, file);
		fputs(p->captures[i].side == SIDE_SECOND && !p->pair.is_alone ? ", of the end\n" : "\n", file);
	}
}

static void print_gates(const struct plan *p, FILE *file)
{
	for (size_t i = 0; i < p->n_gates; i++) {
		const struct plan_gate *g = &p->gates[i];

		fprintf(file, "%-10sgate%zu: ", i ? "" : "gates", i);
		if (g->kind == GATE_CHOPSTIX) {
			fputs("the 1st, 2nd, 4th, 8th … of each ", file);
			expr_print(g->of, file);
			fputc('\n', file);
		} else if (g->kind == GATE_RANDOM)
			fprintf(file, "one of %" PRIu64 " at random\n", g->n);
		else if (g->kind == GATE_EVERY)
			fprintf(file, "the first, and each %" PRIu64 ". after it\n", g->n);
		else {
			fprintf(file, "%" PRIu64 " in ", g->n);
			print_duration((double)g->ns, file);
			fputc('\n', file);
		}
	}
}

static void print_list(const char *head, struct expr *const *list, size_t n, FILE *file)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(file, "%-10s", i ? "" : head);
		expr_print(list[i], file);
		fputc('\n', file);
	}
}

static void print_key(const struct query *q, FILE *file)
{
	const struct plan *p = &q->plan;

	for (size_t i = 0; i < p->n_keys; i++) {
		fprintf(file, "%-10s%s = ", i ? "" : "key", p->keys[i].name);
		expr_print(p->keys[i].of, file);
		fputs(key_is_constant(q, i) ? "  R6: the same for all events\n" : "\n", file);
	}
	if (query_has_groups(q) && p->counters)
		fprintf(file, "%-10s%u counters a thread, of those that come most\n", "", p->counters);
	else if (query_has_groups(q) && plan_array(q))
		fprintf(file, "%-10san array of %" PRIu64 "\n", "", plan_array(q));
	else if (query_has_groups(q))
		fprintf(file, "%-10sa map of %" PRIu64 " keys a thread%s\n", "", plan_slots(q),
			plan_queue(q) ? "; more go to its reader"
			: p->refuses  ? "; more are refused"
				      : "");
}

static void print_keeps(const struct plan *p, FILE *file)
{
	static const char *const kinds[] = {"count", "sum", "stat", "log2", "linear", "distinct", "quantiles", "bits"};

	for (size_t i = 0; i < p->n_keeps; i++) {
		const struct plan_keep *k = &p->keeps[i];

		fprintf(file, "%-10s%s%zu", i ? "" : "keeps", kinds[k->kind], i);
		if (k->use)
			fprintf(file, ": %s of %s", k->member, p->uses[k->use - 1].file->path);
		if (k->of && !k->use) {
			fputs(" of ", file);
			expr_print(k->of, file);
		}
		if (k->when) {
			fputs(" if ", file);
			expr_print(k->when, file);
		}
		if (k->is_unused)
			fputs("  R8: no row uses it", file);
		else if (k->counted_by)
			fprintf(file, "  R5: that of %zu", k->counted_by - 1);
		else if (p->window.step)
			fputs(p->pair.kind == PAIR_RECORDS ? ", by window in the reader"
				: keep_is_windowed(p, i)   ? ", by window in the probe"
							   : ", by differences of snapshots",
				file);
		fputc('\n', file);
	}
}

static void print_rows(const struct plan_rows *p, FILE *file)
{
	print_list("having", p->having, p->n_having, file);
	for (size_t i = 0; i < p->n_orders; i++) {
		fprintf(file, "%-10s", i ? "" : "order");
		expr_print(p->orders[i].value, file);
		fputs(p->orders[i].down ? ", largest first\n" : "\n", file);
	}
	if (p->skip)
		fprintf(file, "%-10s%" PRIu64 " rows\n", "skip", p->skip);
	if (p->take != UINT64_MAX)
		fprintf(file, "%-10s%" PRIu64 " rows\n", "take", p->take);
	for (size_t i = 0; i < p->n_columns; i++) {
		fprintf(file, "%-10s%s = ", i ? "" : "columns", p->columns[i].name);
		expr_print(p->columns[i].value, file);
		fputc('\n', file);
	}
	if (p->is_whole)
		fprintf(file, "%-10sand those of Pivot\n", p->n_columns ? "" : "columns");
}

static void print_final(const struct plan *p, FILE *file)
{
	if (p->is_records)
		fprintf(file, "%-10severy event\n", "rows");
	if (p->take_events != UINT64_MAX)
		fprintf(file, "%-10s%" PRIu64 " events\n", "take", p->take_events);
	if (p->is_scaled)
		fputs("scaled    to all events\n", file);
	for (const struct plan_step *s = p->steps; s; s = s->next) {
		print_rows(&s->rows, file);
		switch (s->kind) {
		case STEP_PIVOT: fputs("step      Pivot: a column for each value of the last but one\n", file); break;
		case STEP_NORMALISE: fputs("step      Normalise\n", file); break;
		case STEP_KMEANS: fprintf(file, "step      KMeans of %" PRIu64 "\n", s->n); break;
		case STEP_JOIN:
			fprintf(file, "step      Join with the other table, of %" PRIu64 " parts of the key\n", s->n);
			break;
		case STEP_DIFF: fputs("step      Diff from the other table\n", file); break;
		case STEP_MOVING_AVERAGE: fprintf(file, "step      MovingAverage of %" PRIu64 " rows\n", s->n); break;
		}
	}
	print_rows(&p->rows, file);
}

static void print_rewrites(const struct plan *p, FILE *file)
{
	const char *between = "";

	fprintf(file, "%-10s", "rewrites");
	for (unsigned i = 1; i < 32; i++)
		if (p->made >> i & 1) {
			fprintf(file, "%sR%u", between, i);
			between = ", ";
		}
	fputs(*between ? "\n" : "none\n", file);
}

/* "uint64_t iolib!Read(int handle, char *buffer, size_t size)", or why that isn't known. */
static void print_signature(const struct ward_types *t, const struct ward_function_types *f, FILE *file)
{
	if (f->why) {
		fprintf(file, "%s: not known: %s\n", f->site, f->why);
		return;
	}
	fprintf(file, "%s%s%s(", f->returns_text,
		*f->returns_text && f->returns_text[strlen(f->returns_text) - 1] != '*' ? " " : "", f->site);
	for (uint32_t k = 0; k < f->n; k++)
		fprintf(file, "%s%s", k ? ", " : "", t->parameters[f->first + k].declaration);
	fputs(")\n", file);
}

static void print_types(const struct query *q, FILE *file)
{
	enum { MOST = 16 };

	for (size_t i = 0; i < q->plan.n_sites; i++) {
		const struct ward_types *t = q->types[i];

		if (!t && q->types_why[i])
			fprintf(file, "%-10snot known: %s\n", i ? "" : "types", q->types_why[i]);
		for (size_t k = 0; t && k < t->n_functions && k < MOST; k++) {
			fprintf(file, "%-10s", i || k ? "" : "types");
			print_signature(t, &t->functions[k], file);
		}
		if (t && t->n_functions > MOST)
			fprintf(file, "%-10sand of %zu more\n", "", t->n_functions - MOST);
	}
}

static void print_module(const struct plan_module *m, FILE *file)
{
	static const char *const kinds[] = {[MODULE_STATE] = "its state is one row",
		[MODULE_TABLE] = "a row for each entry of its",
		[MODULE_SEQUENCE] = "events are the records of its"};

	if (m->kind == MODULE_NONE)
		return;
	fprintf(file, "%-10s%s%s\n", "sources", m->file->is_kernel ? "in the kernel, " : "", m->file->path);
	fprintf(file, "%-10s%s%s%s\n", "", kinds[m->kind], m->member ? " " : "", m->member ? m->member->name : "");
	for (size_t i = 0; i < m->file->n_sites; i++)
		fprintf(file, "%-10sat %s\n", "", m->file->sites[i]);
	for (size_t i = 0; i < m->file->n_defines; i++)
		fprintf(file, "%-10swith %s\n", "", m->file->defines[i]);
}

static void print_plan(const struct query *q, FILE *file)
{
	const struct plan *p = &q->plan;

	for (size_t i = 0; i < p->n_sites; i++)
		fprintf(file, "%-10s%s\n", i ? "" : "sources", p->sites[i].text);
	print_module(&p->module, file);
	print_types(q, file);
	if (p->from) {
		fprintf(file, "%-10safter ", "begins");
		print_duration((double)p->from, file);
		fputc('\n', file);
	}
	fprintf(file, "%-10s", "ends");
	if (p->until < 0)
		fputs("never by itself\n", file);
	else {
		fputs("after ", file);
		print_duration((double)p->until, file);
		fputc('\n', file);
	}
	if (p->window.step) {
		fprintf(file, "%-10s", "windows");
		print_duration((double)p->window.length, file);
		if (p->window.step != p->window.length) {
			fputs(", each ", file);
			print_duration((double)p->window.step, file);
		}
		fputc('\n', file);
	}
	print_pair(p, file);
	for (int i = 0; i < 2; i++)
		print_list(i ? "if end" : "if begin", p->pair.before[i].at, p->pair.before[i].n, file);
	print_list("filter", p->filters, p->n_filters, file);
	print_gates(p, file);
	print_key(q, file);
	print_keeps(p, file);
	print_final(p, file);
	print_rewrites(p, file);
}

void query_explain(const struct query *q, FILE *file)
{
	print_plan(q, file);
	if (q->other) {
		fputs("--- the other table\n", file);
		print_plan(q->other, file);
	}
	if (q->plan.module.kind == MODULE_NONE)
		fprintf(file, "--- the probe\n%s", q->probe);
}
