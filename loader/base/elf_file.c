/* SPDX-License-Identifier: Apache-2.0 */
/* Reading an ELF file's headers, sections and strings, each checked against the file's size. */
#include "elf_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_MAX = 1 << 30, SECTIONS_MAX = 1 << 20, SEGMENTS_MAX = 1 << 16 };

static bool read_at(int fd, void *buf, size_t size, uint64_t offset)
{
	size_t n = 0;

	while (n < size) {
		ssize_t got = pread(fd, (char *)buf + n, size - n, (off_t)(offset + n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		n += (size_t)got;
	}
	return true;
}

void *wl_elf_read(const struct wl_elf *elf, uint64_t offset, uint64_t size)
{
	void *p;

	if (size > READ_MAX || offset > elf->size || size > elf->size - offset)
		return NULL;
	p = malloc(size ? size : 1);
	if (p && !read_at(elf->fd, p, size, offset)) {
		free(p);
		p = NULL;
	}
	return p;
}

/* Section 0 holds the counts that the header has no room for. */
static void read_sections(struct wl_elf *elf, const Elf64_Ehdr *eh)
{
	Elf64_Shdr *first;
	uint64_t n = eh->e_shnum;

	if (!eh->e_shoff || eh->e_shentsize != sizeof(Elf64_Shdr))
		return;
	if (!n) {
		first = wl_elf_read(elf, eh->e_shoff, sizeof(*first));
		n = first ? first->sh_size : 0;
		free(first);
	}
	if (n > SECTIONS_MAX)
		return;
	elf->sections = wl_elf_read(elf, eh->e_shoff, n * sizeof(Elf64_Shdr));
	elf->n_sections = elf->sections ? n : 0;
	elf->names = eh->e_shstrndx == SHN_XINDEX && elf->n_sections ? elf->sections[0].sh_link : eh->e_shstrndx;
}

static void read_segments(struct wl_elf *elf, const Elf64_Ehdr *eh)
{
	uint64_t n = eh->e_phnum;

	if (eh->e_phentsize != sizeof(Elf64_Phdr))
		return;
	if (n == PN_XNUM && elf->n_sections)
		n = elf->sections[0].sh_info;
	if (n > SEGMENTS_MAX)
		return;
	elf->segments = wl_elf_read(elf, eh->e_phoff, n * sizeof(Elf64_Phdr));
	elf->n_segments = elf->segments ? n : 0;
}

bool wl_elf_open(struct wl_elf *elf, int fd)
{
	struct stat st;
	Elf64_Ehdr eh;

	*elf = (struct wl_elf){.fd = fd};
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !read_at(fd, &eh, sizeof(eh), 0))
		return false;
	elf->size = (uint64_t)st.st_size;
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
		eh.e_ident[EI_DATA] != ELFDATA2LSB || eh.e_machine != EM_X86_64)
		return false;
	read_sections(elf, &eh);
	read_segments(elf, &eh);
	if (elf->segments)
		return true;
	wl_elf_close(elf);
	return false;
}

void wl_elf_close(struct wl_elf *elf)
{
	free(elf->sections);
	free(elf->segments);
	*elf = (struct wl_elf){.fd = -1};
}

const Elf64_Shdr *wl_elf_section(const struct wl_elf *elf, uint32_t type)
{
	for (size_t i = 0; i < elf->n_sections; i++)
		if (elf->sections[i].sh_type == type)
			return &elf->sections[i];
	return NULL;
}

const Elf64_Shdr *wl_elf_section_named(const struct wl_elf *elf, const char *name)
{
	const Elf64_Shdr *found = NULL;
	struct wl_strings s = wl_elf_strings(elf, &(Elf64_Shdr){.sh_link = elf->names});

	for (size_t i = 0; i < elf->n_sections && !found; i++)
		if (strcmp(wl_string(&s, elf->sections[i].sh_name), name) == 0)
			found = &elf->sections[i];
	free(s.p);
	return found;
}

struct wl_strings wl_elf_strings(const struct wl_elf *elf, const Elf64_Shdr *section)
{
	struct wl_strings s = {0};
	const Elf64_Shdr *table;

	if (section->sh_link >= elf->n_sections)
		return s;
	table = &elf->sections[section->sh_link];
	if (table->sh_type != SHT_STRTAB || table->sh_size == 0)
		return s;
	s.p = wl_elf_read(elf, table->sh_offset, table->sh_size);
	if (s.p) {
		s.size = table->sh_size;
		s.p[s.size - 1] = 0; /* as it must be already */
	}
	return s;
}

struct wl_strings wl_elf_dynamic_strings(const struct wl_elf *elf)
{
	const Elf64_Shdr *section = wl_elf_section(elf, SHT_DYNSYM);

	return section ? wl_elf_strings(elf, section) : (struct wl_strings){0};
}

bool wl_has_string(const struct wl_strings *s, const char *name)
{
	size_t n = strlen(name) + 1;

	for (const char *at = s->p; at && at < s->p + s->size; at++) {
		at = memmem(at, (size_t)(s->p + s->size - at), name, n);
		if (!at)
			return false;
		if (at > s->p && at[-1] == 0)
			return true;
	}
	return false;
}

const char *wl_string(const struct wl_strings *s, uint64_t offset)
{
	return offset < s->size ? s->p + offset : "";
}

bool wl_elf_code_offset(const struct wl_elf *elf, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const Elf64_Phdr *p = &elf->segments[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && address >= p->p_vaddr &&
			address - p->p_vaddr < p->p_filesz) {
			*offset = address - p->p_vaddr + p->p_offset;
			return true;
		}
	}
	return false;
}
