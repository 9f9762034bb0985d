/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library calls itself by other ways than its users do. In glibc fopen opens files by __open_nocancel, not by open: a
 * probe on open doesn't see that. Both are made for one system call, and both have its number shortly before the
 * instruction syscall. So such code is looked for in the whole module. Other bytes may be taken for it, and a number
 * that is put there otherwise isn't found: this only says what may be missed.
 */
#include "same_call.h"

#include "loader/symbols/alias.h"
#include "loader/symbols/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTION_MOST = 4096, NUMBER_MOST = 1024, LOOK_BACK = 24, UNKNOWN = -1, FEW = 4, SEEN_MOST = 64 };

static const uint8_t SYSCALL[] = {0x0f, 0x05};

/* The number that is put into eax last before the place, if that is near by. */
static int number_before(const uint8_t *code, size_t at)
{
	for (size_t i = at; i-- > 0 && at - i <= LOOK_BACK;) {
		uint32_t number;

		if (at - i >= 2 && code[i] == 0x31 && code[i + 1] == 0xc0) /* xor %eax,%eax */
			return 0;
		if (at - i < 5 || code[i] != 0xb8) /* mov $NUMBER,%eax */
			continue;
		memcpy(&number, code + i + 1, sizeof(number));
		if (number < NUMBER_MOST)
			return (int)number;
	}
	return UNKNOWN;
}

/* The number of its first system call. */
static int find_number(const uint8_t *code, size_t n)
{
	int number = UNKNOWN;

	for (size_t i = 0; i + sizeof(SYSCALL) <= n && number == UNKNOWN; i++)
		if (memcmp(code + i, SYSCALL, sizeof(SYSCALL)) == 0)
			number = number_before(code, i);
	return number;
}

/* Functions that have been found, by their places. */
struct seen {
	uint64_t at[SEEN_MOST];
	size_t n;
	bool unnamed;
};

static void note_function(const struct wl_module *m, uint64_t own, uint64_t offset, struct seen *seen)
{
	const struct wl_symbol *s = wl_module_function_at(m, offset);

	if (!s)
		seen->unnamed = true;
	if (!s || s->offset == own || seen->n == SEEN_MOST)
		return;
	for (size_t i = 0; i < seen->n; i++)
		if (seen->at[i] == s->offset)
			return;
	seen->at[seen->n++] = s->offset;
}

static void scan_segment(const struct wl_module *m, const Elf64_Phdr *p, uint64_t own, int number, struct seen *seen)
{
	uint8_t *code = wl_elf_read(&m->elf, p->p_offset, p->p_filesz), *at = code;
	size_t left = p->p_filesz;

	while (code && (at = memmem(at, left, SYSCALL, sizeof(SYSCALL)))) {
		if (number_before(code, (size_t)(at - code)) == number)
			note_function(m, own, p->p_offset + (uint64_t)(at - code), seen);
		at += sizeof(SYSCALL);
		left = p->p_filesz - (size_t)(at - code);
	}
	free(code);
}

/* The name to show of the function at the place. */
static struct wl_shown name_at(const struct wl_module *m, uint64_t offset)
{
	const struct wl_symbol *best = wl_module_function_at(m, offset);

	for (const struct wl_symbol *s = best; s < m->symbols + m->n_symbols && s->offset == offset; s++)
		if (wl_is_plainer(s->name, best->name))
			best = s;
	return wl_name_shown(best);
}

static char *write_names(const struct wl_module *m, const struct seen *seen)
{
	char *text = NULL;
	size_t size, shown = seen->n <= FEW ? seen->n : FEW - 1;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < shown; i++) {
		struct wl_shown name = name_at(m, seen->at[i]);

		fprintf(f, "%s%.*s%s%s", i ? ", " : "", name.length, name.name, name.mark, name.which);
	}
	if (shown < seen->n)
		fprintf(f, " and %zu more", seen->n - shown);
	if (seen->unnamed)
		fprintf(f, "%scode without a name", seen->n ? ", and " : "");
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

char *wl_same_calls(const struct wl_module *m, uint64_t offset, uint64_t size)
{
	uint8_t *code = size && size <= FUNCTION_MOST ? wl_elf_read(&m->elf, offset, size) : NULL;
	int number = code ? find_number(code, size) : UNKNOWN;
	struct seen seen = {.n = 0};

	free(code);
	for (size_t i = 0; number != UNKNOWN && i < m->elf.n_segments; i++)
		if (m->elf.segments[i].p_type == PT_LOAD && m->elf.segments[i].p_flags & PF_X)
			scan_segment(m, &m->elf.segments[i], offset, number, &seen);
	return seen.n || seen.unnamed ? write_names(m, &seen) : NULL;
}
