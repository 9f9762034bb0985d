/* SPDX-License-Identifier: Apache-2.0 */
/* The report for people. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

enum { COLUMNS = 7 };

static const char *const titles[COLUMNS] = {"entry", "site", "max insns", "stack", "clobbers", "event fields", "needs"};

/* The cells of one entry's row, malloc'd. */
struct row {
	char *cell[COLUMNS];
};

/* "rax rcx", the names of the bits set in `mask`; "-" if none is. NULL: no memory. */
static char *names_of(unsigned mask, const char *(*name)(unsigned))
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	for (unsigned i = 0, n = 0; i < 32; i++) {
		if (mask >> i & 1)
			fprintf(f, "%s%s", n++ ? " " : "", name(i));
	}
	if (!mask)
		fputc('-', f);
	if (fclose(f) != 0) {
		free(out);
		return NULL;
	}
	return out;
}

static const char *need_at(unsigned i)
{
	return ward_need_name(UINT32_C(1) << i);
}

static char *number_text(uint64_t n)
{
	char buf[24];

	snprintf(buf, sizeof buf, "%" PRIu64, n);
	return strdup(buf);
}

static void free_rows(struct row *rows, size_t n)
{
	for (size_t i = 0; rows && i < n * COLUMNS; i++)
		free(rows[i / COLUMNS].cell[i % COLUMNS]);
	free(rows);
}

static struct row *make_rows(const struct ward_module_facts *facts)
{
	struct row *rows = calloc(facts->n_entries + 1, sizeof *rows);

	for (size_t i = 0; rows && i < facts->n_entries; i++) {
		const struct ward_entry_facts *e = &facts->entries[i];
		struct row *row = &rows[i];

		row->cell[0] = text_clean(e->name);
		row->cell[1] = text_clean(e->site[0] ? e->site : "-");
		row->cell[2] = number_text(e->max_insns);
		row->cell[3] = number_text(e->stack_bytes);
		row->cell[4] = names_of(e->clobbers, ward_register_name);
		row->cell[5] = names_of(e->event_fields, ward_event_field_name);
		row->cell[6] = names_of(e->needs, need_at);
		for (unsigned c = 0; c < COLUMNS; c++) {
			if (!row->cell[c]) {
				free_rows(rows, i + 1);
				return NULL;
			}
		}
	}
	return rows;
}

/* One line of the table; names to the left, numbers to the right, no blanks at the end. */
static void print_row(FILE *out, const char *const cell[COLUMNS], const int width[COLUMNS])
{
	for (unsigned c = 0; c + 1 < COLUMNS; c++)
		fprintf(out, "%s%*s", c ? "  " : "", c == 2 || c == 3 ? width[c] : -width[c], cell[c]);
	fprintf(out, "  %s\n", cell[COLUMNS - 1]);
}

static bool print_accepted(FILE *out, const struct report *r, const char *path)
{
	const struct ward_module_facts *facts = &r->verdict->module;
	struct row *rows = make_rows(facts);
	int width[COLUMNS];

	if (!rows)
		return false;
	for (unsigned c = 0; c < COLUMNS; c++) {
		width[c] = (int)strlen(titles[c]);
		for (size_t i = 0; i < facts->n_entries; i++) {
			int n = (int)strlen(rows[i].cell[c]);

			width[c] = n > width[c] ? n : width[c];
		}
	}
	fprintf(out, "%s: accepted: %" PRIu64 " instructions checked, %s profile, %" PRIu32 " bytes of state", path,
		facts->n_insns, facts->profile == WARD_PROFILE_KERNEL ? "kernel" : "user", facts->state_size);
	for (uint32_t f = 1; f; f <<= 1) {
		if (facts->features & f)
			fprintf(out, ", needs %s", ward_feature_name(f));
	}
	for (size_t i = 0; i < facts->n_imports; i++)
		fprintf(out, "%s %s", i ? "," : ", calls", ward_import_name(facts->imports[i].import));
	fputc('\n', out);
	print_row(out, titles, width);
	for (size_t i = 0; i < facts->n_entries; i++)
		print_row(out, (const char *const *)rows[i].cell, width);
	free_rows(rows, facts->n_entries);
	return true;
}

/*
 * The rules and hints that were printed before: each is printed once. There are few hints, except those that name
 * something to allow, and these are at most as many as a module has imports and features.
 */
struct said {
	bool rule[WARD_RULE_COUNT];
	char *hint[128];
	size_t n_hints;
};

static bool new_rule(struct said *said, enum ward_rule rule)
{
	bool is_new = !said->rule[rule];

	said->rule[rule] = true;
	return is_new;
}

static bool new_hint(struct said *said, const char *hint)
{
	for (size_t k = 0; k < said->n_hints; k++) {
		if (strcmp(hint, said->hint[k]) == 0)
			return false;
	}
	if (said->n_hints < sizeof said->hint / sizeof *said->hint && (said->hint[said->n_hints] = strdup(hint)))
		said->n_hints++;
	return true;
}

static bool print_violation(FILE *out, const struct report *r, const char *path, size_t i, struct said *said)
{
	const struct ward_violation *v = &r->verdict->violations[i];
	char *detail = report_detail(r, i), hint[100];
	struct place place;

	if (!detail)
		return false;
	fprintf(out, "%s: %s", path, ward_rule_number(v->rule));
	if (v->pc)
		fprintf(out, " at 0x%" PRIx64, v->pc);
	if (r->lines[i].file)
		fprintf(out, " (%s:%u)", r->lines[i].file, r->lines[i].line);
	else if (v->pc && r->lines[i].function)
		fprintf(out, " (%s+0x%" PRIx64 ")", r->lines[i].function, r->lines[i].into);
	fprintf(out, ": %s: %s\n", v->reason, detail);
	if (report_place(r, v->pc, &place))
		fprintf(out, "    %s\n", place.text);
	if (new_rule(said, v->rule))
		fprintf(out, "    %s (%s): %s\n", ward_rule_number(v->rule), ward_rule_property(v->rule),
			ward_rule_text(v->rule));
	const char *way_out = report_hint_of(v, hint, sizeof hint);

	if (new_hint(said, way_out))
		fprintf(out, "    hint: %s\n", way_out);
	free(detail);
	return true;
}

bool report_text(FILE *out, const struct report *r)
{
	const struct ward_verdict *v = r->verdict;
	struct said said = {0};
	char *path = text_clean(r->path);
	bool ok = path != NULL;

	if (ok && v->accepted) {
		ok = print_accepted(out, r, path);
	} else if (ok) {
		fprintf(out, "%s: rejected: %zu violation%s\n", path, v->n_violations, v->n_violations == 1 ? "" : "s");
		for (size_t i = 0; i < r->shown && ok; i++)
			ok = print_violation(out, r, path, i, &said);
		if (ok && v->n_violations > r->shown)
			fprintf(out, "%s: %zu further violations are not described\n", path,
				v->n_violations - r->shown);
	}
	for (size_t i = 0; i < said.n_hints; i++)
		free(said.hint[i]);
	free(path);
	return ok;
}
