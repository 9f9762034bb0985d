/* SPDX-License-Identifier: Apache-2.0 */
#include "shared_part.h"

#include <elf.h>
#include <string.h>

/* As spec/module.md has it. */
struct section {
	uint32_t version, zero;
	uint64_t offset, size;
};

static bool is_within(uint64_t offset, uint64_t bytes, size_t size)
{
	return offset <= size && bytes <= size - offset;
}

static bool header_read(const void *file, size_t size, const Elf64_Ehdr *e, uint64_t i, Elf64_Shdr *out)
{
	if (i >= e->e_shnum || e->e_shentsize != sizeof(*out) || e->e_shoff > size ||
		!is_within(e->e_shoff + i * sizeof(*out), sizeof(*out), size))
		return false;
	memcpy(out, (const char *)file + e->e_shoff + i * sizeof(*out), sizeof(*out));
	return is_within(out->sh_offset, out->sh_size, size);
}

static bool has_name(const void *file, const Elf64_Shdr *names, const Elf64_Shdr *section)
{
	static const char name[] = ".ward.shared";

	return section->sh_name < names->sh_size && names->sh_size - section->sh_name >= sizeof(name) &&
	       memcmp((const char *)file + names->sh_offset + section->sh_name, name, sizeof(name)) == 0;
}

static bool find_section(const void *file, size_t size, struct section *found)
{
	Elf64_Ehdr e;
	Elf64_Shdr names, section;

	if (size < sizeof(e))
		return false;
	memcpy(&e, file, sizeof(e));
	if (!header_read(file, size, &e, e.e_shstrndx, &names))
		return false;
	for (uint64_t i = 1; i < e.e_shnum; i++) {
		if (!header_read(file, size, &e, i, &section) || !has_name(file, &names, &section) ||
			section.sh_type == SHT_NOBITS || section.sh_size < sizeof(*found))
			continue;
		memcpy(found, (const char *)file + section.sh_offset, sizeof(*found));
		return found->version == 1;
	}
	return false;
}

struct wl_shared_part wl_shared_part(const void *file, size_t size, uint64_t state_size)
{
	struct section s;
	struct wl_shared_part part = {0};

	if (!find_section(file, size, &s) || s.size == 0 || s.offset == 0 || s.offset % WL_SHARED_PAGE ||
		state_size > UINT32_MAX || !is_within(s.offset, s.size, state_size))
		return part;
	part = (struct wl_shared_part){.offset = (uint32_t)s.offset, .size = (uint32_t)s.size};
	return wl_shared_pages(&part) <= state_size - part.offset ? part : (struct wl_shared_part){0};
}
