/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information is part of the hostile input, and libdw is a large reader that wasn't written for hostile input. So
 * it runs in the sandbox (verifier/sandbox/sandbox.c), with as much time and memory as the size of the file justifies.
 * If it crashes or is killed, lines are unknown. What comes out is hostile too: records of fixed size, checked one by
 * one.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "lines.h"
#include "report.h"
#include "verifier/sandbox/sandbox.h"

/*
 * What reading may take, in microseconds of the processor and bytes of memory, for each MiB of the file and for any.
 * libdw takes some 20 ms for what compilers write into a MiB; but it may be made to read one table again for each of
 * many units.
 */
enum {
	MICROSECONDS_MIB = 500000,
	MICROSECONDS_FREE = 100000,
	MEMORY_BYTE = 32,
	MEMORY_FREE = 64 << 20,
	ROWS_BYTE = 8,
	MAX_PATH = 500,
	MAX_NAME = 200,
	MAX_CALLS = 8
};

struct record {
	uint64_t index;
	uint64_t distance; /* from the line's first address; only used in the child */
	uint32_t line, column;
	uint32_t is_call; /* one that the code at the address was inlined for */
	char file[MAX_PATH];
	uint64_t into;
	char function[MAX_NAME];
};

/* The addresses in ascending order, each with its number. */
struct wanted {
	uint64_t address;
	size_t index;
};

static int compare_wanted(const void *a, const void *b)
{
	uint64_t x = ((const struct wanted *)a)->address, y = ((const struct wanted *)b)->address;

	return (x > y) - (x < y);
}

static size_t first_from(const struct wanted *w, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Take the row [from, to) of a line table into account for all addresses that it covers. */
static void use_row(Dwarf_Line *row, uint64_t from, uint64_t to, const char *directory, const struct wanted *wanted,
	size_t n, struct record *found)
{
	const char *file;
	int line, column;

	for (size_t k = first_from(wanted, n, from); k < n && wanted[k].address < to; k++) {
		size_t i = wanted[k].index;

		if (wanted[k].address - from >= found[i].distance)
			continue;
		file = dwarf_linesrc(row, NULL, NULL);
		if (!file || dwarf_lineno(row, &line) != 0 || line <= 0)
			continue;
		found[i].distance = wanted[k].address - from;
		found[i].line = (uint32_t)line;
		found[i].column = dwarf_linecol(row, &column) == 0 && column > 0 ? (uint32_t)column : 0;
		snprintf(found[i].file, sizeof found[i].file, "%s%s%s", *file == '/' ? "" : directory,
			*file == '/' || !*directory ? "" : "/", file);
	}
}

/* Each row has a byte at least, in sections that may be compressed. More rows than that are some that units share. */
static void search_lines(Dwarf *dwarf, size_t rows, const struct wanted *wanted, size_t n, struct record *found)
{
	Dwarf_Off offset = 0, next;
	size_t header, count;

	for (; dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset; offset = next) {
		/* the last row with a line: what a compiler made of no line in particular is behind that */
		Dwarf_Line *named = NULL;
		Dwarf_Lines *lines;
		Dwarf_Die die;
		Dwarf_Attribute attribute;
		const char *directory;

		if (!dwarf_offdie(dwarf, offset + header, &die) || dwarf_getsrclines(&die, &lines, &count) != 0)
			continue;
		/* what libdw leaves out if a file has it for its own */
		directory = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attribute));
		if (count > rows)
			return;
		rows -= count;
		for (size_t i = 0; i + 1 < count; i++) {
			Dwarf_Line *row = dwarf_onesrcline(lines, i), *after = dwarf_onesrcline(lines, i + 1);
			Dwarf_Addr from, to;
			bool end;
			int line;

			if (!row || !after || dwarf_lineendsequence(row, &end) != 0 || end) {
				named = NULL;
				continue;
			}
			if (dwarf_lineno(row, &line) == 0 && line > 0)
				named = row;
			if (named && dwarf_lineaddr(row, &from) == 0 && dwarf_lineaddr(after, &to) == 0)
				use_row(named, from, to, directory ? directory : "", wanted, n, found);
		}
	}
}

/* ---- calls that were inlined ---- */

static Dwarf_Word number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0 && value <= INT32_MAX ? value : 0;
}

static bool call_write(int fd, Dwarf_Die *unit, Dwarf_Die *call, size_t index)
{
	struct record r = {.index = index, .is_call = 1};
	size_t number = number_of(call, DW_AT_call_file), n = 0;
	Dwarf_Files *list;
	const char *file =
		dwarf_getsrcfiles(unit, &list, &n) == 0 && number < n ? dwarf_filesrc(list, number, NULL, NULL) : NULL;

	snprintf(r.file, sizeof r.file, "%s", file ? file : "");
	r.line = (uint32_t)number_of(call, DW_AT_call_line);
	r.column = (uint32_t)number_of(call, DW_AT_call_column);
	return !file || r.line == 0 || sandbox_write(fd, &r, sizeof r);
}

/* The innermost scope at an address, and all that are around it; returns how many. */
static int scopes_at(Dwarf_Die *unit, uint64_t address, Dwarf_Die **scopes)
{
	Dwarf_Die *lexical = NULL;
	/* behind an inlined function come scopes of the function itself, wherever it is called */
	int n = dwarf_getscopes(unit, address, &lexical), around = n > 0 ? dwarf_getscopes_die(&lexical[0], scopes) : 0;

	if (n > 0)
		free(lexical);
	return around;
}

/* The calls that the code at an address was inlined for, the innermost first. */
static bool calls_write(int fd, Dwarf *dwarf, uint64_t address, size_t index)
{
	Dwarf_Off offset = 0, next;
	size_t header;
	Dwarf_Die unit, *scopes = NULL;
	unsigned n = 0;
	bool ok = true;

	for (; dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset; offset = next) {
		int depth = dwarf_offdie(dwarf, offset + header, &unit) ? scopes_at(&unit, address, &scopes) : 0;

		for (int i = 0; ok && i < depth && n < MAX_CALLS; i++) {
			if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
				continue;
			ok = call_write(fd, &unit, &scopes[i], index);
			n++;
		}
		if (depth > 0)
			free(scopes);
	}
	return ok;
}

/* ---- functions ---- */

struct symbol {
	uint64_t address;
	const char *name;
};

static int compare_symbols(const void *a, const void *b)
{
	uint64_t x = ((const struct symbol *)a)->address, y = ((const struct symbol *)b)->address;

	return (x > y) - (x < y);
}

/* The symbols of code in one table, to `out`; returns how many. Hand-written code has some without a type. */
static size_t take_symbols(Elf *elf, const Elf64_Shdr *table, const Elf_Data *data, struct symbol *out)
{
	const Elf64_Sym *symbol = data->d_buf;
	size_t n = 0;

	for (size_t i = 0; i < data->d_size / sizeof *symbol; i++) {
		unsigned type = ELF64_ST_TYPE(symbol[i].st_info);
		Elf_Scn *in = symbol[i].st_shndx ? elf_getscn(elf, symbol[i].st_shndx) : NULL;
		const Elf64_Shdr *of = in ? elf64_getshdr(in) : NULL;
		const char *name = elf_strptr(elf, table->sh_link, symbol[i].st_name);

		if (of && of->sh_flags & SHF_EXECINSTR && (type == STT_FUNC || type == STT_NOTYPE) && name && *name)
			out[n++] = (struct symbol){symbol[i].st_value, name};
	}
	return n;
}

/* The function of an address is the nearest symbol at or before it. */
static void search_symbols(Elf *elf, const struct wanted *wanted, size_t n, struct record *found)
{
	for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
		const Elf64_Shdr *table = elf64_getshdr(section);
		Elf_Data *data = table && table->sh_type == SHT_SYMTAB ? elf_getdata(section, NULL) : NULL;
		struct symbol *symbols =
			data && data->d_buf ? calloc(data->d_size / sizeof(Elf64_Sym) + 1, sizeof *symbols) : NULL;
		size_t count = symbols ? take_symbols(elf, table, data, symbols) : 0, next = 0;

		if (count)
			qsort(symbols, count, sizeof *symbols, compare_symbols);
		for (size_t k = 0; k < n; k++) {
			struct record *f = &found[wanted[k].index];

			while (next < count && symbols[next].address <= wanted[k].address)
				next++;
			if (!next)
				continue;
			f->into = wanted[k].address - symbols[next - 1].address;
			snprintf(f->function, sizeof f->function, "%s", symbols[next - 1].name);
		}
		free(symbols);
	}
}

/* What the child searches for. */
struct question {
	const void *file;
	size_t size;
	const uint64_t *addresses;
	size_t n;
	bool calls;
};

/* In the child. */
static bool question_answer(void *arg, int fd)
{
	const struct question *q = arg;
	struct record *found = calloc(q->n, sizeof *found);
	struct wanted *wanted = calloc(q->n, sizeof *wanted);
	Elf *elf;
	Dwarf *dwarf;

	elf_version(EV_CURRENT);
	/* the mapping is this process's own copy */
	elf = found && wanted ? elf_memory((char *)q->file, q->size) : NULL;
	dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (!elf)
		return false;
	for (size_t i = 0; i < q->n; i++) {
		found[i].index = i;
		found[i].distance = UINT64_MAX;
		wanted[i] = (struct wanted){q->addresses[i], i};
	}
	qsort(wanted, q->n, sizeof *wanted, compare_wanted);
	search_symbols(elf, wanted, q->n, found);
	if (dwarf)
		search_lines(dwarf, ROWS_BYTE * q->size, wanted, q->n, found);
	for (size_t i = 0; i < q->n; i++)
		if ((found[i].line || found[i].function[0]) && !sandbox_write(fd, &found[i], sizeof found[i]))
			return false;
	for (size_t i = 0; dwarf && q->calls && i < q->n; i++)
		if (found[i].line && !calls_write(fd, dwarf, q->addresses[i], i))
			return false;
	return true;
}

static void call_take(const struct record *r, struct source_line *line)
{
	struct source_line *calls =
		line->n_calls < MAX_CALLS ? realloc(line->calls, (line->n_calls + 1) * sizeof *calls) : NULL;

	if (!calls)
		return;
	line->calls = calls;
	calls[line->n_calls] = (struct source_line){.file = text_clean(r->file), .line = r->line, .column = r->column};
	line->n_calls += calls[line->n_calls].file != NULL;
}

/* One record, as hostile as the file. */
static void line_take(struct record r, struct source_line *lines, size_t n)
{
	r.file[sizeof r.file - 1] = 0;
	r.function[sizeof r.function - 1] = 0;
	if (r.index < n && r.is_call)
		call_take(&r, &lines[r.index]);
	if (r.index >= n || r.is_call || lines[r.index].file || lines[r.index].function)
		return;
	if (r.line != 0) {
		lines[r.index].file = text_clean(r.file);
		lines[r.index].line = r.line;
		lines[r.index].column = r.column;
	}
	if (r.function[0]) {
		lines[r.index].function = text_clean(r.function);
		lines[r.index].into = r.into;
	}
}

struct source_line *lines_find(const void *file, size_t size, const uint64_t *addresses, size_t n, bool calls)
{
	struct source_line *lines = calloc(n ? n : 1, sizeof *lines);
	struct question q = {file, size, addresses, n, calls};
	struct sandbox sandbox = {question_answer, &q,
		MICROSECONDS_FREE + (uint64_t)size * MICROSECONDS_MIB / (1 << 20), MEMORY_FREE + MEMORY_BYTE * size,
		n * (calls ? 1 + MAX_CALLS : 1) * sizeof(struct record)};
	struct record r;
	uint8_t *out;
	long bytes;

	if (!lines || n == 0)
		return lines;
	bytes = sandbox_run(&sandbox, &out);
	if (bytes < 0)
		return lines;
	for (size_t at = 0; sizeof r <= (size_t)bytes - at; at += sizeof r) {
		memcpy(&r, out + at, sizeof r);
		line_take(r, lines, n);
	}
	free(out);
	return lines;
}

void lines_free(struct source_line *lines, size_t n)
{
	for (size_t i = 0; lines && i < n; i++) {
		lines_free(lines[i].calls, lines[i].n_calls);
		free(lines[i].file);
		free(lines[i].function);
	}
	free(lines);
}

const char *lines_relative(const char *file, const char *directory)
{
	size_t n = directory ? strlen(directory) : 0;

	return n > 1 && strncmp(file, directory, n) == 0 && file[n] == '/' ? file + n + 1 : file;
}
