/* SPDX-License-Identifier: Apache-2.0 */
#include "report_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text up to a separator, which becomes its end. */
static char *next_cell(char **text, const char *separator)
{
	char *start = *text, *end = start ? strpbrk(start, "\t\n") : NULL;

	if (!end || *end != *separator)
		return NULL;
	*end = 0;
	*text = end + 1;
	return start;
}

static bool read_row(struct ward_guarded *row, char **text)
{
	const char *line, *column;

	row->file = next_cell(text, "\t");
	row->path = next_cell(text, "\t");
	line = next_cell(text, "\t");
	column = next_cell(text, "\t");
	row->what = next_cell(text, "\t");
	row->why = next_cell(text, "\t");
	row->behind = next_cell(text, "\t");
	row->into = next_cell(text, "\n");
	if (!row->file || !row->path || !line || !column || !row->what || !row->why || !row->behind || !row->into)
		return false;
	row->line = (unsigned)strtoul(line, NULL, 10);
	row->column = (unsigned)strtoul(column, NULL, 10);
	return true;
}

bool cg_guarded_read(struct cg_guarded *g, char *text)
{
	size_t n = 0;

	*g = (struct cg_guarded){0};
	for (const char *c = text; *c; c++)
		n += *c == '\n';
	g->row = calloc(n + 1, sizeof(*g->row));
	if (!g->row || n == 0)
		return false;
	for (; g->n < n - 1; g->n++)
		if (!read_row(&g->row[g->n], &text))
			return false;
	g->how = next_cell(&text, "\n");
	return g->how != NULL;
}

void cg_guarded_free(struct cg_guarded *g)
{
	free(g->row);
	*g = (struct cg_guarded){0};
}

static int place_width(const struct ward_guarded *r)
{
	return snprintf(NULL, 0, "%s:%u:%u", r->file, r->line, r->column);
}

char *cg_guarded_table(const struct cg_guarded *g)
{
	size_t guarded = 0, size = 0;
	int places = 0, whats = 0;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	for (size_t i = 0; f && i < g->n; i++) {
		int n = place_width(&g->row[i]), m = (int)strlen(g->row[i].what);

		places = n > places ? n : places;
		whats = m > whats ? m : whats;
		guarded += *g->row[i].why != 0;
	}
	for (size_t i = 0; f && i < g->n; i++) {
		const struct ward_guarded *r = &g->row[i];
		int n = fprintf(f, "%s:%u:%u", r->file, r->line, r->column);

		fprintf(f, "%*s%-*s  %s%s\n", places - n + 2, "", whats, r->what,
			*r->why      ? "guarded: "
			: *r->behind ? "proven behind the check at "
				     : "proven",
			*r->why ? r->why : r->behind);
		if (*r->into)
			fprintf(f, "%*sinlined into %s\n", places + 2, "", r->into);
	}
	if (f)
		fprintf(f, "%zu proven, %zu guarded%s%s\n", g->n - guarded, guarded, *g->how ? "; " : "", g->how);
	if (!f || fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
