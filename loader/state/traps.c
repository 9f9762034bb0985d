/* SPDX-License-Identifier: Apache-2.0 */
/* Read the table of places at which guards may stop a run: the module's section .ward.traps. */
#include <libelf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "schema.h"

/* As spec/module.md has it; what follows the rows are the strings. */
struct traps_head {
	uint32_t version, n;
	uint64_t counters; /* the first one's offset in the state */
};
struct trap_row {
	uint32_t line, file, what; /* offsets of strings, from the first one on */
};

static const char *string_at(const char *strings, size_t size, uint32_t at)
{
	return at < size && memchr(strings + at, 0, size - at) ? strings + at : NULL;
}

static uint32_t reason_of(const char *what)
{
	uint32_t r = 0;
	while (r < STATE_REASONS && strcmp(what, state_reasons[r]) != 0)
		r++;
	return r;
}

/* Of a name that is too long the end is kept. Characters that a field's name can't have become '_'. */
static void copy_name(char to[STATE_MAX_NAME], const char *file)
{
	size_t n = strlen(file);
	snprintf(to, STATE_MAX_NAME, "%s", n < STATE_MAX_NAME ? file : file + n - (STATE_MAX_NAME - 1));
	for (char *c = to; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+/", *c))
			*c = '_';
}

static size_t read_traps(const char *data, size_t size, struct state_field *fields, size_t max)
{
	struct traps_head head;
	size_t n = 0;
	if (size < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	if (head.version != 1 || head.n > (size - sizeof(head)) / sizeof(struct trap_row) ||
		head.counters > STATE_MAX_SIZE)
		return 0;
	const char *strings = data + sizeof(head) + head.n * sizeof(struct trap_row);
	for (uint32_t i = 0; i < head.n && n < max; i++) {
		struct trap_row row;
		memcpy(&row, data + sizeof(head) + i * sizeof(row), sizeof(row));
		const char *file = string_at(strings, (size_t)(data + size - strings), row.file);
		const char *what = string_at(strings, (size_t)(data + size - strings), row.what);
		uint64_t offset = head.counters + 8 * (uint64_t)i;
		if (!file || !what || offset > STATE_MAX_SIZE)
			continue;
		fields[n] = (struct state_field){.kind = WARD_FIELD_STOP,
			.offset = (uint32_t)offset,
			.size = 8,
			.scalar = {.offset = (uint32_t)offset, .size = 8},
			.line = row.line,
			.reason = reason_of(what)};
		copy_name(fields[n++].name, file);
	}
	return n;
}

size_t state_traps_read(const void *image, size_t size, struct state_field *fields, size_t max)
{
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)(uintptr_t)image, size);
	size_t names, n = 0;
	if (elf && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0) {
		for (Elf_Scn *scn = NULL; n == 0 && (scn = elf_nextscn(elf, scn));) {
			GElf_Shdr shdr;
			const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
			if (!name || strcmp(name, ".ward.traps") != 0)
				continue;
			Elf_Data *data = elf_rawdata(scn, NULL);
			if (data && data->d_buf)
				n = read_traps(data->d_buf, data->d_size, fields, max);
		}
	}
	elf_end(elf);
	return n;
}
