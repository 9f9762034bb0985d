/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the object is kept, and where it goes.
 *
 * Kept are the text sections that hold entries, whatever they refer to, directly or through other kept sections, and
 * all debug sections. So unwind tables, notes and unused functions drop out. Text, rodata and data start at a page
 * each, at fixed distances: all references between them are relative to the instruction pointer and are settled here.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "codegen/base/site.h"
#include "ward/verify.h"

static const char prefix[] = "ward!";
enum {
	MAX_ENTRIES = 1024,
	MAX_ADDRESS = 1 << 30,
	MAX_TEXT = 8, /* times the object's size: with what is between sections */
	FREE_TEXT = 65536,
};

static bool is_text(const struct cg_section *s)
{
	return (s->flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR) && s->size > 0;
}

static bool is_debug(const struct cg_section *s)
{
	return !(s->flags & SHF_ALLOC) && s->data &&
	       (strncmp(s->name, ".debug_", 7) == 0 || strcmp(s->name, ".ward.traps") == 0 ||
		       strcmp(s->name, ".ward.shared") == 0);
}

static enum cg_part part_of(const struct cg_section *s)
{
	if (s->flags & SHF_EXECINSTR)
		return CG_TEXT;
	if (!(s->flags & SHF_WRITE))
		return CG_RODATA;
	return s->type == SHT_NOBITS ? CG_BSS : CG_DATA;
}

/* --- entries --- */

static int site_kind(struct cg_image *im, struct cg_entry *e)
{
	return cg_site_kind(e->site, &e->kind) ? 0
					       : cg_error(im->report, cg_site_hint,
							 "the site '%s' of '%s' is not understood", e->site, e->name);
}

static bool is_entry(const struct cg_object *o, const struct cg_symbol *sym, bool marked)
{
	const struct cg_section *s = &o->sections[sym->section];

	if (!sym->section || !is_text(s) || !*sym->name)
		return false;
	/* assemblers leave a symbol without a type unless told */
	bool global = sym->bind != STB_LOCAL && (sym->type == STT_FUNC || sym->type == STT_NOTYPE);
	return marked ? (global || sym->type == STT_FUNC) && strncmp(s->name, prefix, sizeof(prefix) - 1) == 0 : global;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct cg_entry *)a)->name, ((const struct cg_entry *)b)->name);
}

static int check_entries(struct cg_image *im)
{
	size_t i;
	struct cg_entry *sorted;
	int bad = 0;

	if (im->n_entries == 0)
		return cg_error(im->report,
			"write WARD_ENTRY(\"MODULE!FUNCTION\") before a function, or make a function global",
			"there is no probe function");
	if (im->n_entries > MAX_ENTRIES)
		return cg_error(im->report, NULL, "%zu probe functions, at most %d", im->n_entries, MAX_ENTRIES);
	for (i = 0; i < im->n_entries; i++)
		bad |= site_kind(im, &im->entries[i]);
	sorted = malloc(im->n_entries * sizeof(*sorted));
	if (!sorted)
		return cg_error(im->report, NULL, "out of memory");
	memcpy(sorted, im->entries, im->n_entries * sizeof(*sorted));
	qsort(sorted, im->n_entries, sizeof(*sorted), by_name);
	for (i = 1; i < im->n_entries; i++)
		if (strcmp(sorted[i - 1].name, sorted[i].name) == 0)
			bad = cg_error(im->report, NULL, "two probe functions are named '%s'", sorted[i].name);
	free(sorted);
	return bad;
}

/*
 * What rustc calls a #[panic_handler], which every crate without std has: by its plain name, or since 2025 mangled as
 * one of the module __rustc.
 */
static bool is_panic_handler(const char *name)
{
	static const char plain[] = "rust_begin_unwind", last[] = "7___rustc17rust_begin_unwind";
	size_t n = strlen(name), k = sizeof(last) - 1;

	return strcmp(name, plain) == 0 || (strncmp(name, "_R", 2) == 0 && n > k && strcmp(name + n - k, last) == 0);
}

static bool is_hidden(const struct cg_symbol *sym)
{
	return sym->visibility == STV_HIDDEN || sym->visibility == STV_INTERNAL || is_panic_handler(sym->name);
}

/* Hidden functions are entries only of an object that has no others. */
static int find_entries(struct cg_image *im)
{
	struct cg_object *o = im->object;
	bool marked = false, visible = false;
	size_t i;

	for (i = 1; i < o->n_sections; i++)
		marked |= is_text(&o->sections[i]) && strncmp(o->sections[i].name, prefix, sizeof(prefix) - 1) == 0;
	for (i = 1; i < o->n_symbols; i++)
		visible |= is_entry(o, &o->symbols[i], marked) && !is_hidden(&o->symbols[i]);
	im->entries = calloc(o->n_symbols + 1, sizeof(*im->entries));
	if (!im->entries)
		return cg_error(im->report, NULL, "out of memory");
	for (i = 1; i < o->n_symbols; i++) {
		const struct cg_symbol *sym = &o->symbols[i];
		struct cg_section *s = &o->sections[sym->section];

		if (!is_entry(o, sym, marked) || (visible && is_hidden(sym)))
			continue;
		s->out = CG_TEXT; /* the roots of what is kept */
		if (!cg_object_name(o, s->name))
			return cg_error(im->report, NULL, "the names of its sites are longer than 16 times the file");
		im->entries[im->n_entries++] = (struct cg_entry){
			.name = sym->name, .site = marked ? s->name + sizeof(prefix) - 1 : "", .addr = i};
	}
	return check_entries(im);
}

/* --- what is kept --- */

static void keep_debug(struct cg_image *im, struct cg_section *s)
{
	size_t i;

	for (i = CG_FIRST_DEBUG; i < im->n_out; i++)
		if (strcmp(im->out[i].name, s->name) == 0)
			break;
	if (i == CG_MAX_OUT)
		return; /* far more kinds of debug sections than exist */
	if (i == im->n_out) {
		im->out[i] = (struct cg_out){.name = s->name,
			.type = SHT_PROGBITS,
			.flags = s->flags & (SHF_MERGE | SHF_STRINGS),
			.align = 1,
			.entsize = s->entsize};
		im->n_out++;
	}
	s->out = (int)i;
}

static struct cg_import *import_of(struct cg_image *im, const struct cg_symbol *symbol)
{
	size_t i;

	for (i = 0; !symbol->section && !symbol->absolute && i < im->n_imports; i++)
		if (strcmp(symbol->name, ward_import_name(im->imports[i].id)) == 0)
			return &im->imports[i];
	return NULL;
}

const struct cg_import *cg_import_of(struct cg_image *im, const struct cg_symbol *symbol)
{
	return import_of(im, symbol);
}

/* Undefined symbols named like imports become imports, each with one slot. */
static void note_import(struct cg_image *im, const struct cg_reloc *reloc)
{
	const struct cg_symbol *sym = &im->object->symbols[reloc->symbol];
	struct cg_import *import = import_of(im, sym);
	uint8_t id = 0;

	while (id < WARD_IMPORT_COUNT && strcmp(sym->name, ward_import_name(id)) != 0)
		id++;
	if (!import && (sym->section || sym->absolute || id == WARD_IMPORT_COUNT || im->n_imports == CG_MAX_IMPORTS))
		return;
	if (!import) {
		import = &im->imports[im->n_imports++];
		import->id = id;
	}
	import->called |= reloc->type == R_X86_64_PLT32 || reloc->type == R_X86_64_PC32;
}

/* Everything that kept sections refer to is kept too: a work list of sections, each entered once. */
static int sections_keep(struct cg_image *im)
{
	struct cg_object *o = im->object;
	uint32_t *todo = calloc(o->n_sections + 1, sizeof(*todo));
	size_t n = 0, i;

	if (!todo)
		return cg_error(im->report, NULL, "out of memory");
	for (i = 1; i < o->n_sections; i++)
		if (o->sections[i].out >= 0)
			todo[n++] = (uint32_t)i;
	while (n > 0) {
		const struct cg_section *s = &o->sections[todo[--n]];

		for (i = 0; i < s->n_relocs; i++) {
			uint32_t target = o->symbols[s->relocs[i].symbol].section;
			struct cg_section *t = &o->sections[target];

			/* An address in data is left out (unreachable_refs.c), so it keeps nothing. */
			if (cg_is_absolute(s->relocs[i].type) && !(s->flags & SHF_EXECINSTR))
				continue;
			note_import(im, &s->relocs[i]);
			if (target && t->out < 0 && (t->flags & SHF_ALLOC)) {
				t->out = (int)part_of(t);
				todo[n++] = target;
			}
		}
	}
	free(todo);
	for (i = 1; i < o->n_sections; i++)
		if (is_debug(&o->sections[i]))
			keep_debug(im, &o->sections[i]);
	return 0;
}

static int refuse_sections(struct cg_image *im)
{
	struct cg_object *o = im->object;
	size_t i;
	int bad = 0;

	for (i = 1; i < o->n_sections; i++) {
		const struct cg_section *s = &o->sections[i];

		if (s->type == SHT_INIT_ARRAY || s->type == SHT_FINI_ARRAY || s->type == SHT_PREINIT_ARRAY ||
			strncmp(s->name, ".ctors", 6) == 0 || strncmp(s->name, ".dtors", 6) == 0)
			bad = cg_error(im->report, "state starts zeroed; give a global a constant initialiser",
				"section '%s' asks for a function to run at load", s->name);
		if (s->out >= 0 && s->out < CG_FIRST_DEBUG && (s->flags & SHF_TLS))
			bad = cg_error(im->report, "the state is each thread's own already",
				"section '%s' is thread-local storage", s->name);
		if (s->out >= 0 && s->out < CG_FIRST_DEBUG && (s->flags & SHF_EXECINSTR) && (s->flags & SHF_WRITE))
			bad = cg_error(im->report, NULL, "section '%s' is code that is writable", s->name);
		if (s->out >= 0 && s->out != CG_BSS && !s->data && s->size)
			bad = cg_error(im->report, NULL, "section '%s' has no bytes in the file", s->name);
	}
	return bad;
}

/* --- addresses --- */

/* The slots of imports come last in rodata. */
static void place_slots(struct cg_image *im, struct cg_out *rodata)
{
	size_t i;

	if (im->n_imports == 0)
		return;
	if (rodata->align < 8)
		rodata->align = 8;
	rodata->size = (rodata->size + 7) & -(uint64_t)8;
	for (i = 0; i < im->n_imports; i++) {
		im->imports[i].slot = rodata->size; /* from its start; the address is added when it is known */
		rodata->size += 8;
	}
}

/* Stubs come last in the text. */
static void place_stubs(struct cg_image *im, struct cg_out *text)
{
	size_t i;

	for (i = 0; i < im->n_imports; i++) {
		if (!im->imports[i].called)
			continue;
		text->size = (text->size + 7) & -(uint64_t)8;
		im->imports[i].stub = text->size;
		text->size += CG_STUB_SIZE;
	}
}

static int sections_place(struct cg_image *im)
{
	struct cg_object *o = im->object;
	uint64_t addr = CG_PAGE;
	size_t k, i;

	for (k = 0; k < im->n_out; k++) {
		struct cg_out *out = &im->out[k];

		for (i = 1; i < o->n_sections; i++) {
			struct cg_section *s = &o->sections[i];

			if (s->out != (int)k)
				continue;
			if (s->align > out->align)
				out->align = s->align;
			out->size = (out->size + s->align - 1) & -s->align;
			s->at = out->size;
			out->size += s->size;
		}
		if (k == CG_TEXT && out->size > MAX_TEXT * o->size + FREE_TEXT)
			return cg_error(im->report, NULL,
				"its code is eight times as large as the object: most of that is between sections, to "
				"align them");
		if (k == CG_TEXT)
			place_stubs(im, out);
		if (k == CG_RODATA)
			place_slots(im, out);
		if (out->size >= MAX_ADDRESS)
			return cg_error(im->report, NULL, "section '%s' is larger than 1 GiB", out->name);
		if (k >= CG_FIRST_DEBUG)
			continue;
		addr = (addr + (k == CG_BSS ? out->align : CG_PAGE) - 1) &
		       -(k == CG_BSS ? out->align : (uint64_t)CG_PAGE);
		out->addr = addr;
		addr += out->size;
	}
	if (addr >= MAX_ADDRESS)
		return cg_error(im->report, NULL, "code and data together are larger than 1 GiB");
	for (i = 0; i < im->n_imports; i++) {
		im->imports[i].slot += im->out[CG_RODATA].addr;
		im->imports[i].stub += im->out[CG_TEXT].addr;
	}
	for (i = 1; i < o->n_sections; i++)
		if (o->sections[i].out >= 0)
			o->sections[i].addr = im->out[o->sections[i].out].addr + o->sections[i].at;
	return 0;
}

int cg_layout(struct cg_image *im)
{
	const uint64_t alloc = SHF_ALLOC;
	size_t i;

	im->out[CG_TEXT] =
		(struct cg_out){.name = ".text", .type = SHT_PROGBITS, .flags = alloc | SHF_EXECINSTR, .align = 16};
	im->out[CG_RODATA] = (struct cg_out){.name = ".rodata", .type = SHT_PROGBITS, .flags = alloc, .align = 1};
	im->out[CG_DATA] =
		(struct cg_out){.name = ".data", .type = SHT_PROGBITS, .flags = alloc | SHF_WRITE, .align = 1};
	im->out[CG_BSS] = (struct cg_out){.name = ".bss", .type = SHT_NOBITS, .flags = alloc | SHF_WRITE, .align = 1};
	im->n_out = CG_FIRST_DEBUG;
	if (find_entries(im) || sections_keep(im) || refuse_sections(im) || sections_place(im))
		return 1;
	for (i = 0; i < im->n_entries; i++) {
		const struct cg_symbol *sym = &im->object->symbols[im->entries[i].addr];

		im->entries[i].addr = im->object->sections[sym->section].addr + sym->value;
	}
	return 0;
}
