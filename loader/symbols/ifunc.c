/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IFUNCs.
 *
 * A symbol of type IFUNC is not a function but a resolver, which says at load time which function to use on this
 * processor; libc has ten memcpys. Callers go through a slot that the dynamic linker has filled, or the startup code
 * of a static program. Relocations say where the slots are, and for which function: by the symbol's name or, within
 * the module itself, by the resolver's address (IRELATIVE). The contents of the slots of all modules are the
 * functions that are called. Ward doesn't run the resolver, because that would run the target's code at a moment that
 * Ward chooses.
 *
 * A slot that isn't filled yet leads to the module's own linkage table (.plt), and gives no answer. The relocations
 * are hostile input. What they name is read as data, and counts only if it leads to code of the module that has the
 * symbol.
 */
#include "ifunc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINDINGS_MAX = 1 << 22 };

/* How far a module's addresses in the target are from those in its file. */
static bool find_bias(const struct wl_module *m, uint64_t *bias)
{
	for (size_t i = 0; i < m->elf.n_segments; i++) {
		const Elf64_Phdr *p = &m->elf.segments[i];
		uint64_t before = p->p_offset - m->first->offset; /* of the segment's first byte, in the mapping */

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || p->p_offset < m->first->offset ||
			before >= m->first->end - m->first->start)
			continue;
		*bias = m->first->start + before - p->p_vaddr;
		return true;
	}
	return false;
}

static bool binding_append(struct wl_bindings *b, size_t *cap, struct wl_binding one)
{
	if (b->n == *cap) {
		size_t larger = *cap ? *cap * 2 : 1024;
		struct wl_binding *v = larger > BINDINGS_MAX ? NULL : realloc(b->v, larger * sizeof(*v));

		if (!v)
			return false;
		b->v = v;
		*cap = larger;
	}
	b->v[b->n++] = one;
	return true;
}

/* The symbols that a section of relocations refers to. */
struct imports {
	Elf64_Sym *symbols;
	size_t n;
	struct wl_strings names;
};

static struct imports read_imports(const struct wl_elf *elf, const Elf64_Shdr *section)
{
	struct imports in = {0};
	const Elf64_Shdr *sh = section->sh_link < elf->n_sections ? &elf->sections[section->sh_link] : NULL;

	if (!sh || (sh->sh_type != SHT_DYNSYM && sh->sh_type != SHT_SYMTAB))
		return in;
	in.symbols = wl_elf_read(elf, sh->sh_offset, sh->sh_size);
	in.n = in.symbols ? sh->sh_size / sizeof(*in.symbols) : 0;
	in.names = wl_elf_strings(elf, sh);
	return in;
}

static bool add_relocation(struct wl_bindings *b, size_t *cap, const Elf64_Rela *r, const struct imports *in,
	uint64_t bias, const struct wl_process *p)
{
	struct wl_binding one = {0};
	uint64_t symbol = ELF64_R_SYM(r->r_info);

	switch (ELF64_R_TYPE(r->r_info)) {
	case R_X86_64_IRELATIVE: one.resolver = bias + (uint64_t)r->r_addend; break;
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
		one.name = symbol && symbol < in->n ? wl_string(&in->names, in->symbols[symbol].st_name) : "";
		break;
	default: return true;
	}
	if ((one.name && !*one.name) || !wl_process_read(p, bias + r->r_offset, &one.target, sizeof(one.target)))
		return true;
	return binding_append(b, cap, one);
}

static int add_section(struct wl_bindings *b, size_t *cap, const struct wl_elf *elf, const Elf64_Shdr *sh,
	uint64_t bias, const struct wl_process *p)
{
	Elf64_Rela *r = wl_elf_read(elf, sh->sh_offset, sh->sh_size);
	struct wl_strings *names;
	struct imports in;
	bool well = true;

	if (!r)
		return 0;
	names = realloc(b->names, (b->n_names + 1) * sizeof(*names));
	if (!names) {
		free(r);
		return ENOMEM;
	}
	b->names = names;
	in = read_imports(elf, sh);
	names[b->n_names++] = in.names; /* the bindings' names stand there */
	for (size_t i = 0; i < sh->sh_size / sizeof(*r) && well; i++)
		well = add_relocation(b, cap, &r[i], &in, bias, p);
	free(in.symbols);
	free(r);
	return well ? 0 : ENOMEM;
}

static int by_target(const void *a, const void *b)
{
	const struct wl_binding *x = a, *y = b;

	return x->target < y->target ? -1 : x->target > y->target;
}

int wl_bindings_read(struct wl_bindings *b, const struct wl_process *p, const struct wl_modules *modules)
{
	size_t cap = 0;
	int rc = 0;

	if (b->known)
		return 0;
	for (size_t i = 0; i < modules->n && rc == 0; i++) {
		const struct wl_elf *elf = &modules->v[i].elf;
		uint64_t bias;

		for (size_t k = 0; k < elf->n_sections && rc == 0 && find_bias(&modules->v[i], &bias); k++)
			if (elf->sections[k].sh_type == SHT_RELA && elf->sections[k].sh_flags & SHF_ALLOC)
				rc = add_section(b, &cap, elf, &elf->sections[k], bias, p);
	}
	if (b->n)
		qsort(b->v, b->n, sizeof(*b->v), by_target);
	b->known = rc == 0;
	return rc;
}

void wl_bindings_free(struct wl_bindings *b)
{
	for (size_t i = 0; i < b->n_names; i++)
		free(b->names[i].p);
	free(b->names);
	free(b->v);
	*b = (struct wl_bindings){0};
}

/* Where the address lies in the module's file, if it is code of it. */
static bool place_of(const struct wl_module *m, const struct wl_maps *maps, uint64_t address, uint64_t *offset)
{
	const struct wl_map *map = wl_maps_find(maps, address);

	if (!map || !map->exec || map->inode != m->first->inode || map->major != m->first->major ||
		map->minor != m->first->minor)
		return false;
	*offset = address - map->start + map->offset;
	return true;
}

static bool is_linkage_table(const struct wl_module *m, uint64_t offset)
{
	struct wl_strings names = wl_elf_strings(&m->elf, &(Elf64_Shdr){.sh_link = m->elf.names});
	bool found = false;

	for (size_t i = 0; i < m->elf.n_sections && !found; i++) {
		const Elf64_Shdr *sh = &m->elf.sections[i];

		found = offset >= sh->sh_offset && offset - sh->sh_offset < sh->sh_size &&
			sh->sh_type == SHT_PROGBITS && strncmp(wl_string(&names, sh->sh_name), ".plt", 4) == 0;
	}
	free(names.p);
	return found;
}

static bool names_symbol(const struct wl_module *m, size_t from, size_t to, const char *name)
{
	for (size_t i = from; i < to; i++)
		if (strcspn(m->symbols[i].name, "@") == strlen(name) &&
			strncmp(m->symbols[i].name, name, strlen(name)) == 0)
			return true;
	return false;
}

/* Is the binding for one of these symbols? */
static bool is_for(
	const struct wl_binding *one, const struct wl_module *m, const struct wl_maps *maps, size_t from, size_t to)
{
	uint64_t offset;

	if (one->name)
		return names_symbol(m, from, to, one->name);
	return place_of(m, maps, one->resolver, &offset) && offset == m->symbols[from].offset;
}

size_t wl_ifunc_targets(const struct wl_bindings *b, const struct wl_module *m, const struct wl_maps *maps, size_t from,
	size_t to, uint64_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n && n < WL_IFUNC_TARGETS; i++) {
		const struct wl_binding *one = &b->v[i];
		uint64_t offset;

		if ((n && out[n - 1] == one->target) || !is_for(one, m, maps, from, to) ||
			!place_of(m, maps, one->target, &offset) || offset == m->symbols[from].offset ||
			is_linkage_table(m, offset))
			continue;
		out[n++] = one->target;
	}
	return n;
}

/* The symbol at that place; an IFUNC's rather than that of the resolver's own name. */
static const struct wl_symbol *symbol_at(const struct wl_module *m, uint64_t offset)
{
	size_t lo = offset ? wl_module_symbols_upto(m, offset - 1) : 0;

	for (size_t i = lo; i < m->n_symbols && m->symbols[i].offset == offset; i++)
		if (m->symbols[i].ifunc)
			return &m->symbols[i];
	return lo < m->n_symbols && m->symbols[lo].offset == offset ? &m->symbols[lo] : NULL;
}

uint64_t wl_ifunc_target_size(const struct wl_module *m, const struct wl_maps *maps, uint64_t target)
{
	uint64_t offset;
	const struct wl_symbol *s = place_of(m, maps, target, &offset) ? symbol_at(m, offset) : NULL;

	return s ? s->size : 0;
}

char *wl_ifunc_text(const struct wl_bindings *b, const struct wl_module *m, const struct wl_maps *maps, size_t from,
	size_t to, uint64_t target)
{
	enum { SIZE = 512 };
	char *text = malloc(SIZE);
	const struct wl_symbol *s;
	const char *last = NULL;
	uint64_t offset = 0;
	size_t n, others = 0;

	if (!text || !place_of(m, maps, target, &offset)) {
		free(text);
		return NULL;
	}
	s = symbol_at(m, offset);
	n = s ? (size_t)snprintf(text, SIZE, "%.200s", s->name)
	      : (size_t)snprintf(text, SIZE, "%.100s+%#llx", m->name, (unsigned long long)offset);
	for (size_t i = 0; i < b->n && n < SIZE; i++) {
		const struct wl_binding *one = &b->v[i];
		const char *name = one->name;

		if (one->target != target || is_for(one, m, maps, from, to))
			continue;
		if (!name && place_of(m, maps, one->resolver, &offset)) {
			s = symbol_at(m, offset);
			name = s ? s->name : NULL;
		}
		if (!name || (last && strcmp(last, name) == 0) || (last && strstr(text, name)))
			continue;
		last = name;
		n += (size_t)snprintf(text + n, SIZE - n, "%s%.*s", others++ ? ", " : ", as for ",
			(int)strcspn(name, "@") < 64 ? (int)strcspn(name, "@") : 64, name);
	}
	return text;
}
