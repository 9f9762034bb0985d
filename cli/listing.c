/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward cc -S: a module's code below the lines of the source that it was made from, with its guards marked.
 *
 * The code itself shows what a guard is: a branch to where a counter of stopped runs goes up (spec/module.md,
 * .ward.traps), through no more than a load of a register and a jump. The counter says at which line a run is
 * stopped; the compiler's report says why. Nothing is decided by this: the verifier has judged the module before it
 * is printed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "verifier/check/check.h"
#include "codegen/codegen.h"
#include "verifier/decode/insn.h"
#include "verifier/tool/lines.h"

enum mark { PLAIN, GUARD, FUEL, STOP };
static const char *const mark_text[] = {[PLAIN] = "", [GUARD] = "guard", [FUEL] = "fuel", [STOP] = "stop"};
static const char *const mark_colour[] = {[PLAIN] = "", [GUARD] = "\033[33m", [FUEL] = "\033[36m", [STOP] = "\033[31m"};

struct row {
	struct wv_insn insn;
	enum mark mark;
	struct ward_field stop; /* where this leads to; kind other than STOP: none */
	bool is_branch;         /* to a stop */
};

struct listing {
	struct cli_output out;
	const struct ward_verdict *verdict;
	const ward_schema *schema;
	const struct cli_guarded *guarded;
	struct row *row;
	size_t n;
	struct source_line *lines;
	char *directory;
	FILE *source; /* the file that the last line was of */
	char *source_name;
	unsigned source_line;            /* lines of it that have been read */
	const struct source_line *shown; /* the line that stands above the code; none at an entry */
};

/* ---- the code ---- */

static bool decode_code(struct listing *l, const struct cli_bytes *module)
{
	const struct ward_segment *text = &l->verdict->module.text;
	uint64_t at = 0;
	l->row = calloc(text->filesz + 1, sizeof(*l->row));
	while (l->row && at < text->filesz) {
		const char *why;
		struct row *row = &l->row[l->n];
		if (wv_decode(module->data + text->offset + at, text->filesz - at, text->addr + at, &row->insn, &why) !=
			WV_DECODED) {
			at++; /* padding */
			continue;
		}
		at += row->insn.length;
		l->n++;
	}
	return l->row != NULL;
}

static bool find_lines(struct listing *l, const struct cli_bytes *module)
{
	uint64_t *addresses = calloc(l->n + 1, sizeof(*addresses));
	for (size_t i = 0; addresses && i < l->n; i++)
		addresses[i] = l->row[i].insn.pc;
	l->lines = addresses ? lines_find(module->data, module->size, addresses, l->n, false) : NULL;
	free(addresses);
	return l->lines != NULL;
}

static size_t find_row(const struct listing *l, uint64_t pc)
{
	size_t lo = 0, hi = l->n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (l->row[mid].insn.pc < pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->n && l->row[lo].insn.pc == pc ? lo : l->n;
}

/* ---- stops ---- */

/*
 * The place whose counter is so far into the state. Counters stand in one row at its end, in the order of the places.
 */
static bool find_stop(const struct listing *l, uint64_t offset, struct ward_field *stop)
{
	size_t n = ward_schema_fields(l->schema), first = n;
	uint64_t base;
	while (first > 0 && ward_schema_field(l->schema, first - 1).kind == WARD_FIELD_STOP)
		first--;
	base = l->verdict->module.state_size - 8 * (uint64_t)(n - first);
	if (offset < base || (offset - base) / 8 >= n - first)
		return false;
	*stop = ward_schema_field(l->schema, first + (size_t)(offset - base) / 8);
	return true;
}

/* Registers that are known to hold a number, on one way. */
struct known {
	uint32_t set;
	uint64_t value[WV_NREG];
};

static bool is_set_number(const struct wv_insn *insn, struct known *k)
{
	bool zeroes = insn->op == WV_XOR && insn->operand[0].kind == WV_REG && insn->operand[1].kind == WV_REG &&
		      insn->operand[0].reg == insn->operand[1].reg;
	if (!zeroes && !(insn->op == WV_MOV && insn->operand[0].kind == WV_REG && insn->operand[1].kind == WV_IMM))
		return false;
	k->set |= 1u << insn->operand[0].reg;
	k->value[insn->operand[0].reg] = zeroes                         ? 0
					 : insn->operand[0].width == 32 ? (uint32_t)insn->imm
									: (uint64_t)insn->imm;
	return true;
}

/* Does the way from row i on only count a stop, and return? */
static bool leads_to_stop(const struct listing *l, size_t i, const struct known *from, struct ward_field *stop)
{
	struct known k = *from;
	for (int steps = 0; i < l->n && steps < 12; steps++, i++) {
		const struct wv_insn *insn = &l->row[i].insn;
		bool in_memory = insn->n_operands && insn->operand[0].kind == WV_MEM;
		if ((insn->op == WV_INC || insn->op == WV_ADD) && in_memory && !insn->mem.rip_relative) {
			const struct wv_mem *m = &insn->mem;
			if (m->index != WV_NOREG && !(k.set >> m->index & 1))
				return false;
			return find_stop(
				l, (uint64_t)m->disp + (m->index == WV_NOREG ? 0 : k.value[m->index] * m->scale), stop);
		}
		if (is_set_number(insn, &k) || insn->op == WV_NOP)
			continue;
		if (insn->op == WV_JMP && (i = find_row(l, insn->target)) < l->n)
			i--;
		else if (insn->op != WV_MOV || in_memory) /* loads of what was spilled */
			return false;
	}
	return false;
}

/* What is compared right before the branch is the guard's, too. */
static void mark_compare(struct listing *l, size_t branch)
{
	struct row *before = branch ? &l->row[branch - 1] : NULL;
	enum wv_op op = before ? before->insn.op : WV_NOP;
	if (op == WV_CMP || op == WV_TEST || op == WV_SUB || op == WV_ADD || op == WV_DEC)
		before->mark = l->row[branch].mark;
}

/* As far as it counts, and on to where it returns; but where that is may be the end of other runs, too. */
static void mark_stop(struct listing *l, size_t i, const struct ward_field *stop)
{
	bool counted = false;
	for (; i < l->n && l->row[i].mark != STOP; i++) {
		const struct wv_insn *insn = &l->row[i].insn;
		l->row[i].mark = STOP;
		if (l->row[i].stop.kind != WARD_FIELD_STOP)
			l->row[i].stop = *stop;
		counted |= (insn->op == WV_INC || insn->op == WV_ADD) && insn->n_operands &&
			   insn->operand[0].kind == WV_MEM;
		if (insn->op == WV_RET || (insn->op == WV_JMP && counted))
			break;
		if (insn->op == WV_JMP && (i = find_row(l, insn->target)) < l->n)
			i--;
	}
}

static void mark_branch(struct listing *l, size_t branch, size_t taken, const struct ward_field *stop)
{
	struct row *row = &l->row[branch];
	row->mark = strcmp(stop->reason, "loop") == 0 || cli_stop_is_rounds(stop) ? FUEL : GUARD;
	row->stop = *stop;
	row->is_branch = true;
	mark_compare(l, branch);
	mark_stop(l, taken, stop);
}

/*
 * The verifier goes along a branch: the place's number may have been in its register for long, so that only it knows.
 */
static void on_edge(void *user, uint64_t pc, const struct wv_block *to, const struct wv_state *st, bool feasible)
{
	struct listing *l = user;
	size_t branch = find_row(l, pc), taken = find_row(l, l->verdict->module.text.addr + to->addr);
	struct ward_field stop;
	struct known k = {0};
	(void)feasible; /* where everything is guarded most guards never stop anything */
	if (branch == l->n || l->row[branch].insn.op != WV_JCC)
		return;
	for (unsigned r = 0; r < WV_NREG; r++) {
		const struct wv_val *v = &st->reg[r];
		if (v->kind != WV_NUM || v->n.umin != v->n.umax)
			continue;
		k.set |= 1u << r;
		k.value[r] = v->n.umin;
	}
	if (leads_to_stop(l, taken, &k, &stop))
		mark_branch(l, branch, taken, &stop);
}

/* A branch may go on where all is well, and fall through to a stop. */
static void mark_fallen(struct listing *l)
{
	for (size_t i = 0; i + 1 < l->n; i++) {
		struct ward_field stop;
		struct known none = {0};
		if (l->row[i].insn.op == WV_JCC && l->row[i].mark == PLAIN && leads_to_stop(l, i + 1, &none, &stop))
			mark_branch(l, i, i + 1, &stop);
	}
}

/* ---- what for ---- */

static bool is_of_kind(const struct cli_guarded_row *g, enum mark mark, const struct ward_field *stop)
{
	bool loop = strcmp(g->what, "loop") == 0, division = strcmp(g->what, "division") == 0;
	return mark == FUEL ? loop : strcmp(stop->reason, "divisor") == 0 ? division : !loop && !division;
}

/* The report's row for a guard: of the stop's line, and of the branch's column if there is one there. */
static const struct cli_guarded_row *find_report_row(const struct listing *l, size_t i)
{
	const struct row *row = &l->row[i];
	const struct cli_guarded_row *best = NULL;
	for (size_t k = 0; k < l->guarded->n; k++) {
		const struct cli_guarded_row *g = &l->guarded->row[k];
		size_t n = strlen(g->path), m = strlen(row->stop.name);
		if (g->line != row->stop.line || n < m || strcmp(g->path + n - m, row->stop.name) != 0 ||
			!is_of_kind(g, row->mark, &row->stop))
			continue;
		if (!best || (best->column != l->lines[i].column && g->column == l->lines[i].column))
			best = g;
	}
	return best;
}

/* The first instruction of those that count one stop? */
static bool begins_stop(const struct listing *l, size_t i)
{
	const struct row *row = &l->row[i], *before = i ? row - 1 : NULL;
	return row->mark == STOP && row->insn.op != WV_JMP &&
	       (!before || before->mark != STOP || before->insn.op == WV_RET || before->insn.op == WV_JMP);
}

static void reason_text(const struct listing *l, size_t i, char *text, size_t size)
{
	const struct row *row = &l->row[i];
	const struct cli_guarded_row *g = row->is_branch ? find_report_row(l, i) : NULL;
	*text = 0;
	if (g)
		snprintf(text, size, "  ; %s: %s", g->what, g->why);
	else if (row->is_branch)
		snprintf(text, size, "  ; stops %s", cli_stop_text(&row->stop));
	else if (begins_stop(l, i))
		snprintf(text, size, "  ; runs stopped at %s:%" PRIu32 " are counted: %s", row->stop.name,
			row->stop.line, cli_stop_text(&row->stop));
}

/* ---- printing ---- */

/* The source's line, if the file is there and its lines come in order; it is read again from its start otherwise. */
static void print_text(struct listing *l, const char *path, unsigned number)
{
	char *line = NULL;
	size_t size = 0;
	if (!l->source_name || strcmp(l->source_name, path) != 0 || number <= l->source_line) {
		if (l->source)
			fclose(l->source);
		free(l->source_name);
		l->source = fopen(path, "r");
		l->source_name = strdup(path);
		l->source_line = 0;
	}
	while (l->source && l->source_line < number && getline(&line, &size, l->source) > 0)
		l->source_line++;
	if (line && l->source_line == number) {
		line[strcspn(line, "\r\n")] = 0;
		fputs("  ", l->out.file);
		cli_print_clean(l->out.file, line + strspn(line, " \t"));
	}
	free(line);
}

static void print_entry(struct listing *l, uint64_t pc)
{
	const struct ward_module_facts *m = &l->verdict->module;
	for (size_t i = 0; i < m->n_entries; i++) {
		const struct ward_entry_facts *e = &m->entries[i];
		if (e->addr != pc)
			continue;
		l->shown = NULL;
		fputs(l->out.colour ? "\n\033[1m" : "\n", l->out.file);
		cli_print_clean(l->out.file, e->name);
		fputs(l->out.colour ? "\033[0m" : "", l->out.file);
		if (*e->site) {
			fputs(", at ", l->out.file);
			cli_print_clean(l->out.file, e->site);
		}
		fprintf(l->out.file, ": at most %" PRIu64 " instructions and %" PRIu32 " bytes of stack\n",
			e->max_insns, e->stack_bytes);
	}
}

static void print_line(struct listing *l, size_t i)
{
	const struct source_line *line = &l->lines[i], *shown = l->shown;
	char where[600];
	if (!line->file || (shown && shown->line == line->line && strcmp(shown->file, line->file) == 0))
		return;
	l->shown = line;
	snprintf(where, sizeof(where), "%s:%u", lines_relative(line->file, l->directory), line->line);
	fputs(l->out.colour ? "\033[1m" : "", l->out.file);
	cli_print_clean(l->out.file, where);
	print_text(l, line->file, line->line);
	fputs(l->out.colour ? "\033[0m\n" : "\n", l->out.file);
}

static void print_row(struct listing *l, size_t i)
{
	const struct row *row = &l->row[i];
	if (row->insn.op == WV_INT3) /* between functions */
		return;
	char text[200], why[700];
	print_entry(l, row->insn.pc);
	print_line(l, i);
	wv_insn_print(&row->insn, text, sizeof(text));
	reason_text(l, i, why, sizeof(why));
	fprintf(l->out.file, "%s  %-5s%s  %6" PRIx64 "  %-*s", l->out.colour ? mark_colour[row->mark] : "",
		mark_text[row->mark], l->out.colour && row->mark ? "\033[0m" : "", row->insn.pc, *why ? 32 : 0, text);
	cli_print_clean(l->out.file, why);
	fputc('\n', l->out.file);
}

int cli_print_listing(const struct cli_bytes *module, const struct ward_verdict *verdict,
	const struct ward_verify_options *limits, const struct cli_guarded *guarded)
{
	struct listing l = {.verdict = verdict, .guarded = guarded};
	ward_schema *schema = NULL;
	struct wv_watcher watcher = {.edge = on_edge, .user = &l};
	struct ward_error err;
	int status = CLI_OK;
	if (ward_schema_read(module->data, module->size, &schema, &err) != WARD_OK)
		return cli_library_error(&err);
	l.schema = schema;
	l.directory = realpath(".", NULL);
	cli_output_init(&l.out, stdout, false);
	if (decode_code(&l, module) && find_lines(&l, module) &&
		wv_watch(module->data, module->size, limits, &watcher)) {
		mark_fallen(&l);
		for (size_t i = 0; i < l.n; i++)
			print_row(&l, i);
	} else {
		status = cli_error(CLI_USAGE, NULL, "free some memory and try again", "out of memory");
	}
	if (l.lines)
		lines_free(l.lines, l.n);
	if (l.source)
		fclose(l.source);
	free(l.source_name);
	free(l.directory);
	free(l.row);
	ward_schema_free(schema);
	return status;
}

/* ---- the compiler's report, kept ---- */

void cli_keep_guarded(struct cli_guarded *kept, const struct ward_guarded *rows, size_t n)
{
	struct cli_guarded_row *row = calloc(n + 1, sizeof(*row));
	cli_free_guarded(kept);
	for (size_t i = 0; row && i < n; i++) {
		struct cli_guarded_row *r = &row[kept->n];
		if (!*rows[i].why)
			continue;
		*r = (struct cli_guarded_row){strdup(*rows[i].path ? rows[i].path : rows[i].file), rows[i].line,
			rows[i].column, strdup(rows[i].what), strdup(rows[i].why)};
		kept->row = row;
		kept->n++;
		if (!r->path || !r->what || !r->why) {
			cli_free_guarded(kept);
			return;
		}
	}
	if (!kept->row)
		free(row);
}

void cli_free_guarded(struct cli_guarded *kept)
{
	for (size_t i = 0; i < kept->n; i++) {
		free(kept->row[i].path);
		free(kept->row[i].what);
		free(kept->row[i].why);
	}
	free(kept->row);
	*kept = (struct cli_guarded){0};
}
