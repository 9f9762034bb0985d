/* SPDX-License-Identifier: Apache-2.0 */
#include "object.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_OBJECT = 64 << 20,
	MAX_ALIGN = 4096,
	MAX_NAMES = 16,    /* times the file's size: names may share their ends, and functions their section's name */
	MAX_UNPACKED = 32, /* times what is there of a compressed section */
	FREE_BYTES = 65536,
};

void cg_object_free(struct cg_object *o)
{
	size_t i;

	for (i = 0; o->sections && i < o->n_sections; i++)
		free(o->sections[i].relocs);
	free(o->sections);
	free(o->symbols);
	if (o->elf)
		elf_end(o->elf);
	free(o->copy);
	*o = (struct cg_object){0};
}

static const char *open_object(struct cg_object *o, const void *file, size_t size)
{
	const Elf64_Ehdr *eh = file;

	if (size < sizeof(Elf64_Ehdr) || memcmp(file, ELFMAG, SELFMAG) != 0)
		return "not an ELF file";
	if (size > MAX_OBJECT)
		return "larger than 64 MiB";
	o->copy = malloc(size);
	if (!o->copy)
		return "out of memory";
	memcpy(o->copy, file, size);
	o->size = o->bytes_left = size;
	o->names_left = MAX_NAMES * size + FREE_BYTES;
	eh = (const Elf64_Ehdr *)o->copy;
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_DATA] != ELFDATA2LSB || eh->e_machine != EM_X86_64)
		return "not an object for x86-64";
	if (eh->e_type != ET_REL)
		return "not a relocatable object: compile with -c and don't link";
	elf_version(EV_CURRENT);
	o->elf = elf_memory((char *)o->copy, size);
	if (!o->elf || elf_kind(o->elf) != ELF_K_ELF)
		return "not a well-formed ELF file";
	return NULL;
}

bool cg_object_name(struct cg_object *o, const char *name)
{
	size_t n = strnlen(name, o->names_left);

	if (n == o->names_left)
		return false;
	o->names_left -= n;
	return true;
}

static const char long_names[] = "its names are longer than 16 times the file";

/* The bytes of a section as one piece. */
static const char *section_data(struct cg_object *o, struct cg_section *s, Elf_Scn *scn)
{
	Elf_Data *data;

	if (s->type == SHT_NOBITS || s->type == SHT_NULL || s->size == 0)
		return NULL;
	if (s->size > o->bytes_left)
		return "its sections have more bytes than the file: they overlap, or lie outside it";
	o->bytes_left -= s->size;
	if (s->flags & SHF_COMPRESSED) {
		GElf_Shdr sh;
		GElf_Chdr ch;

		if ((s->flags & SHF_ALLOC) || !gelf_getchdr(scn, &ch))
			return "a compressed section can't be read";
		if (ch.ch_size > MAX_UNPACKED * s->size + FREE_BYTES)
			return "a compressed section claims more than 32 times its size in the file";
		if (elf_compress(scn, 0, 0) < 0 || !gelf_getshdr(scn, &sh))
			return "a compressed section can't be read";
		if (sh.sh_size > MAX_OBJECT)
			return "a compressed section is larger than 64 MiB";
		s->flags &= ~(uint64_t)SHF_COMPRESSED;
		s->size = sh.sh_size;
		s->align = sh.sh_addralign ? sh.sh_addralign : 1;
	}
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size < s->size)
		return "a section lies outside the file";
	s->data = data->d_buf;
	return NULL;
}

static const char *read_sections(struct cg_object *o)
{
	size_t strndx, n, i;

	if (elf_getshdrnum(o->elf, &n) || n < 1 || n >= SHN_LORESERVE || elf_getshdrstrndx(o->elf, &strndx))
		return "no well-formed section table";
	o->sections = calloc(n + 1, sizeof(*o->sections)); /* one more for common symbols */
	if (!o->sections)
		return "out of memory";
	o->n_sections = n;
	for (i = 0; i < n; i++) {
		struct cg_section *s = &o->sections[i];
		Elf_Scn *scn = elf_getscn(o->elf, i);
		GElf_Shdr sh;
		const char *why;

		s->out = -1;
		s->name = "";
		if (i == 0)
			continue;
		if (!scn || !gelf_getshdr(scn, &sh))
			return "no well-formed section table";
		s->name = elf_strptr(o->elf, strndx, sh.sh_name);
		if (!s->name)
			return "a section's name lies outside the file";
		if (!cg_object_name(o, s->name))
			return long_names;
		s->type = sh.sh_type;
		s->flags = sh.sh_flags;
		s->size = sh.sh_size;
		s->align = sh.sh_addralign ? sh.sh_addralign : 1;
		s->entsize = sh.sh_entsize;
		why = section_data(o, s, scn);
		if (why)
			return why;
		if (s->size > MAX_OBJECT * 8ull || s->align > MAX_ALIGN || (s->align & (s->align - 1)))
			return "a section's size or alignment is out of range";
	}
	return NULL;
}

/* Common symbols (tentative definitions that the compiler left to the linker) get a section of their own. */
static void place_common(struct cg_object *o)
{
	struct cg_section *c = &o->sections[o->n_sections];

	*c = (struct cg_section){
		.name = "COMMON", .type = SHT_NOBITS, .flags = SHF_ALLOC | SHF_WRITE, .align = 1, .out = -1};
}

static const char *add_common(struct cg_section *c, struct cg_symbol *sym, uint64_t align)
{
	if (align == 0 || align > MAX_ALIGN || (align & (align - 1)) || sym->size > MAX_OBJECT * 8ull)
		return "a common symbol's size or alignment is out of range";
	if (align > c->align)
		c->align = align;
	c->size = (c->size + align - 1) & -align;
	sym->value = c->size;
	c->size += sym->size;
	return c->size > MAX_OBJECT * 8ull ? "a common symbol's size or alignment is out of range" : NULL;
}

static const char *read_symbol(struct cg_object *o, struct cg_symbol *sym, const Elf64_Sym *raw, size_t strndx)
{
	sym->name = elf_strptr(o->elf, strndx, raw->st_name);
	if (!sym->name)
		return "a symbol's name lies outside the file";
	if (!cg_object_name(o, sym->name))
		return long_names;
	sym->value = raw->st_value;
	sym->size = raw->st_size;
	sym->type = ELF64_ST_TYPE(raw->st_info);
	sym->bind = ELF64_ST_BIND(raw->st_info);
	sym->visibility = ELF64_ST_VISIBILITY(raw->st_other);
	if (raw->st_shndx == SHN_ABS) {
		sym->absolute = true;
	} else if (raw->st_shndx == SHN_COMMON) {
		sym->section = (uint32_t)o->n_sections;
		return add_common(&o->sections[o->n_sections], sym, raw->st_value);
	} else if (raw->st_shndx >= SHN_LORESERVE || raw->st_shndx >= o->n_sections) {
		return "a symbol's section does not exist";
	} else {
		sym->section = raw->st_shndx;
		if (sym->section && sym->value > o->sections[sym->section].size)
			return "a symbol lies outside its section";
	}
	return NULL;
}

static const char *read_symbols(struct cg_object *o)
{
	size_t i, k;

	place_common(o);
	for (i = 1; i < o->n_sections; i++) {
		const struct cg_section *s = &o->sections[i];
		GElf_Shdr sh;

		if (s->type != SHT_SYMTAB)
			continue;
		if (o->symbols)
			return "more than one symbol table";
		if (!s->data || !gelf_getshdr(elf_getscn(o->elf, i), &sh))
			continue;
		o->n_symbols = s->size / sizeof(Elf64_Sym);
		o->symbols = calloc(o->n_symbols + 1, sizeof(*o->symbols));
		if (!o->symbols)
			return "out of memory";
		for (k = 0; k < o->n_symbols; k++) {
			Elf64_Sym raw;
			const char *why;

			memcpy(&raw, s->data + k * sizeof(raw), sizeof(raw));
			why = read_symbol(o, &o->symbols[k], &raw, sh.sh_link);
			if (why)
				return why;
		}
	}
	o->n_sections++; /* the common section */
	return NULL;
}

static const char *read_relocs(struct cg_object *o, const struct cg_section *rela, uint32_t target)
{
	struct cg_section *s;
	size_t n = rela->size / sizeof(Elf64_Rela), i;

	if (target == 0 || target >= o->n_sections)
		return "relocations for a section that does not exist";
	s = &o->sections[target];
	if (s->relocs)
		return "two sections of relocations for one section";
	s->relocs = calloc(n + 1, sizeof(*s->relocs));
	if (!s->relocs)
		return "out of memory";
	for (i = 0; i < n; i++) {
		Elf64_Rela raw;

		memcpy(&raw, rela->data + i * sizeof(raw), sizeof(raw));
		s->relocs[i] = (struct cg_reloc){raw.r_offset, (uint32_t)ELF64_R_TYPE(raw.r_info),
			(uint32_t)ELF64_R_SYM(raw.r_info), raw.r_addend};
		if (s->relocs[i].symbol >= o->n_symbols)
			return "a relocation's symbol does not exist";
		if (raw.r_offset >= s->size)
			return "a relocation lies outside its section";
	}
	s->n_relocs = n;
	return NULL;
}

const char *cg_object_read(struct cg_object *o, const void *file, size_t size)
{
	const char *why;
	size_t i;

	*o = (struct cg_object){0};
	why = open_object(o, file, size);
	if (!why)
		why = read_sections(o);
	if (!why)
		why = read_symbols(o);
	for (i = 1; !why && i < o->n_sections; i++) {
		GElf_Shdr sh;

		if (o->sections[i].type == SHT_REL)
			why = "relocations without addends are not for x86-64";
		else if (o->sections[i].type == SHT_RELA && o->sections[i].data &&
			 gelf_getshdr(elf_getscn(o->elf, i), &sh))
			why = read_relocs(o, &o->sections[i], sh.sh_info);
	}
	return why;
}
