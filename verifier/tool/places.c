/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where violations are, in the file and in the source. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/decode/insn.h"
#include "verifier/file/module.h"
#include "report.h"

char *report_detail(const struct report *r, size_t i)
{
	const struct ward_violation *v = &r->verdict->violations[i];
	const struct source_line *line = &r->lines[r->shown + i];
	char text[1300], at[600];

	snprintf(text, sizeof text, "%s", v->detail);
	if (v->origin_pc) {
		if (line->file)
			snprintf(at, sizeof at, "%s:%u", lines_relative(line->file, r->directory), line->line);
		else if (line->function)
			snprintf(at, sizeof at, "%s+0x%" PRIx64, line->function, line->into);
		else
			snprintf(at, sizeof at, "0x%" PRIx64, v->origin_pc);
		snprintf(text, sizeof text, "%s; %s was %s at %s %s", v->detail, v->origin_register, v->origin_how, at,
			v->origin_limit);
	}
	return text_clean(text);
}

bool report_place(const struct report *r, uint64_t pc, struct place *place)
{
	struct wv_sink sink = {0};
	struct wv_module parsed;
	const struct wv_module *m = r->module ? r->module : &parsed;
	struct wv_insn insn;
	const char *why;
	size_t at, n = 0;

	if (pc == 0 || (!r->module && !wv_module_parse(&parsed, r->file, r->size, 0, &sink)) || pc < m->text.addr ||
		pc - m->text.addr >= m->text_bytes.n)
		return false;
	at = (size_t)(pc - m->text.addr);
	*place = (struct place){.offset = m->text.offset + at, .length = 1};
	if (wv_decode(m->text_bytes.p + at, m->text_bytes.n - at, pc, &insn, &why) == WV_DECODED) {
		place->length = insn.length;
		wv_insn_print(&insn, place->text, sizeof place->text);
		return true;
	}
	for (size_t i = 0; i < 8 && at + i < m->text_bytes.n; i++)
		n += (size_t)snprintf(
			place->text + n, sizeof place->text - n, "%s%02x", i ? " " : "bytes ", m->text_bytes.p[at + i]);
	return true;
}

/* ---- source lines ---- */

static int compare_places(const void *a, const void *b)
{
	const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;

	return (*x > *y) - (*x < *y);
}

/* The first of the places in this order that is not below the address. */
static size_t first_from(const uint64_t *const *order, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*order[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Is it about a loop, named by the place where that begins? */
static bool names_head(const struct ward_violation *v)
{
	return v->rule == WARD_RULE_COST;
}

/*
 * Of jumps and calls in the text the first to each of the addresses: where[i] for to[i], 0 if there is none. Of a jump
 * back to where a loop begins, the last: what is there may be anything that the loop does, or of no line; but the jump
 * back has the line of the loop's statement.
 */
static void find_branches(
	const struct wv_module *m, const uint64_t *to, size_t n, const struct ward_verdict *verdict, uint64_t *where)
{
	const uint64_t *order[WARD_MAX_VIOLATIONS];
	struct wv_insn insn;
	const char *why;
	size_t text = m->text_bytes.n;

	for (size_t i = 0; i < n; i++)
		order[i] = &to[i];
	qsort(order, n, sizeof *order, compare_places);

	for (size_t at = 0; at < text;) {
		uint64_t pc = m->text.addr + at;
		bool decoded = wv_decode(m->text_bytes.p + at, text - at, pc, &insn, &why) == WV_DECODED;

		at += decoded ? insn.length : 1;
		if (!decoded || (insn.op != WV_JMP && insn.op != WV_JCC && insn.op != WV_CALL))
			continue;
		for (size_t i = first_from(order, n, insn.target); i < n && *order[i] == insn.target; i++) {
			size_t k = (size_t)(order[i] - to);

			if (names_head(&verdict->violations[k]) ? insn.target <= pc : !where[k])
				where[k] = pc;
		}
	}
}

struct source_line *report_lines(const void *file, size_t size, const struct ward_verdict *verdict, size_t shown)
{
	uint64_t pc[3 * WARD_MAX_VIOLATIONS] = {0};
	struct source_line *lines;
	struct wv_sink sink = {0};
	struct wv_module module;

	for (size_t i = 0; i < shown; i++) {
		pc[i] = verdict->violations[i].pc;
		pc[shown + i] = verdict->violations[i].origin_pc;
	}
	if (wv_module_parse(&module, file, size, 0, &sink))
		find_branches(&module, pc, shown, verdict, pc + 2 * shown);
	lines = lines_find(file, size, pc, 3 * shown, true);
	for (size_t i = 0; lines && i < shown; i++) {
		struct source_line own = lines[i], *branch = &lines[2 * shown + i];
		bool back = names_head(&verdict->violations[i]) && branch->file;

		if ((!own.file || back) && pc[i] && pc[2 * shown + i]) {
			lines[i] = *branch;
			*branch = own;
		}
	}
	return lines;
}

void report_lines_free(struct source_line *lines, size_t shown)
{
	lines_free(lines, 3 * shown);
}
