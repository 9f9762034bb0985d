/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of a Go program's functions.
 *
 * Go programs are mostly linked with -s or -w, and so have no symbol table. The runtime still needs the names of
 * their functions, for panics, profiles and garbage collection. The linker puts them into a table of its own
 * (pclntab; this form since Go 1.18, src/runtime/symtab.go):
 *
 *	header      magic, of this form's first or second version; the sizes of an instruction's unit (1) and of a
 *	            word (8); then, of a word each, how many functions and files there are, the address of the first
 *	            function, and the offsets of five more tables, of which the first has the functions' names and the
 *	            last is
 *	functions   for each two numbers of 32 bits, its distance from the first one, and the offset of its
 *	            description, from here; behind the last one where it ends
 *	description the distance again, the name's offset, and more
 *
 * Since Go 1.26 the address of the first function isn't there. It equals the start of section .text, unless a C
 * compiler linked the program and put code of its own there; such a program has a section .init, too.
 */
#include "go_table.h"

#include <stdlib.h>
#include <string.h>

/* Offsets in the header. */
enum { UNIT = 6, WORD = 7, COUNT = 8, TEXT = 24, NAMES = 32, NAMES_END = 40, FUNCTIONS = 64, HEADER = 72 };
enum { PER_FUNCTION = 8, DESCRIPTION_NAME = 4 };
static const uint32_t FORMS[] = {0xfffffff0, 0xfffffff1};

static uint64_t word_at(const uint8_t *p, size_t at)
{
	uint64_t v;

	memcpy(&v, p + at, sizeof(v));
	return v;
}

/* Of one of the table's tables; the offset is inside. */
static uint32_t number_at(const struct wl_strings *s, uint64_t at)
{
	uint32_t v;

	memcpy(&v, s->p + at, sizeof(v));
	return v;
}

static const Elf64_Shdr *find_section(const struct wl_elf *elf)
{
	const Elf64_Shdr *sh = wl_elf_section_named(elf, ".gopclntab");

	return sh ? sh : wl_elf_section_named(elf, ".data.rel.ro.gopclntab");
}

static bool find_text(const struct wl_elf *elf, uint64_t said, uint64_t *text)
{
	const Elf64_Shdr *sh = wl_elf_section_named(elf, ".text");

	*text = said ? said : sh ? sh->sh_addr : 0;
	return *text && (said || !wl_elf_section_named(elf, ".init"));
}

/* The part of the section from one offset to another. */
static struct wl_strings read_part(const struct wl_elf *elf, const Elf64_Shdr *sh, uint64_t from, uint64_t to)
{
	struct wl_strings s = {0};

	if (from >= to || to > sh->sh_size)
		return s;
	s.p = wl_elf_read(elf, sh->sh_offset + from, to - from);
	s.size = s.p ? to - from : 0;
	return s;
}

static bool read_tables(const struct wl_elf *elf, const Elf64_Shdr *sh, const uint8_t *header, struct wl_go_table *t)
{
	uint32_t form;

	memcpy(&form, header, sizeof(form));
	if ((form != FORMS[0] && form != FORMS[1]) || header[UNIT] != 1 || header[WORD] != 8 ||
		!find_text(elf, word_at(header, TEXT), &t->text))
		return false;
	t->n = word_at(header, COUNT);
	t->names = read_part(elf, sh, word_at(header, NAMES), word_at(header, NAMES_END));
	t->entries = read_part(elf, sh, word_at(header, FUNCTIONS), sh->sh_size);
	if (!t->names.p || !t->entries.p || t->n >= t->entries.size / PER_FUNCTION)
		return false;
	t->names.p[t->names.size - 1] = 0; /* as it must be already */
	return true;
}

bool wl_go_table_read(const struct wl_elf *elf, struct wl_go_table *t)
{
	const Elf64_Shdr *sh = find_section(elf);
	uint8_t *header = sh && sh->sh_size >= HEADER ? wl_elf_read(elf, sh->sh_offset, HEADER) : NULL;
	bool well;

	*t = (struct wl_go_table){0};
	well = header && read_tables(elf, sh, header, t);
	free(header);
	if (!well)
		wl_go_table_free(t);
	return well;
}

void wl_go_table_free(struct wl_go_table *t)
{
	free(t->names.p);
	free(t->entries.p);
	*t = (struct wl_go_table){0};
}

bool wl_go_table_function(const struct wl_go_table *t, size_t i, struct wl_go_function *f)
{
	uint32_t from = number_at(&t->entries, i * PER_FUNCTION), to = number_at(&t->entries, (i + 1) * PER_FUNCTION);
	uint64_t description = number_at(&t->entries, i * PER_FUNCTION + 4);

	if (from >= to || description + DESCRIPTION_NAME + 4 > t->entries.size)
		return false;
	*f = (struct wl_go_function){t->text + from, to - from,
		wl_string(&t->names, number_at(&t->entries, description + DESCRIPTION_NAME))};
	return true;
}
