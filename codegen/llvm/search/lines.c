/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <elfutils/libdw.h>
#include <stdlib.h>

static int put_unit(struct lines *l, Dwarf_Die *unit)
{
	Dwarf_Lines *rows;
	struct line *grown;
	size_t n;

	if (dwarf_getsrclines(unit, &rows, &n))
		return 0; /* a unit without lines */
	grown = realloc(l->row, (l->n + n + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	l->row = grown;
	for (size_t i = 0; i < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(rows, i);
		Dwarf_Addr addr;
		int line = 0;
		bool end = false;

		if (dwarf_lineaddr(row, &addr) || dwarf_lineno(row, &line) || dwarf_lineendsequence(row, &end))
			continue;
		l->row[l->n++] = (struct line){addr, end ? 0 : line};
	}
	return 0;
}

/* Of rows at one address the last holds: qsort isn't stable, so the end of a sequence goes before. */
static int by_address(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->line != 0) - (y->line != 0);
}

int line_table_read(struct lines *l, void *file, size_t size)
{
	Elf *elf = elf_memory(file, size);
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	int status = dwarf ? 0 : -1;

	*l = (struct lines){0};
	while (status == 0 && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		status = put_unit(l, &die);
	if (dwarf)
		dwarf_end(dwarf);
	if (elf)
		elf_end(elf);
	if (status == 0 && l->n)
		qsort(l->row, l->n, sizeof(*l->row), by_address);
	return status;
}

int line_table_at(const struct lines *l, uint64_t addr)
{
	size_t lo = 0, hi = l->n; /* the first row above addr */

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (l->row[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? l->row[lo - 1].line : 0;
}

int line_near(const struct lines *lines, uint64_t pc)
{
	int line = 0;

	for (size_t i = 0; i < lines->n; i++) {
		if (lines->row[i].line == 0)
			continue;
		if (lines->row[i].addr > pc)
			return line ? line : lines->row[i].line;
		line = lines->row[i].line;
	}
	return line;
}

void line_table_free(struct lines *l)
{
	free(l->row);
	*l = (struct lines){0};
}
