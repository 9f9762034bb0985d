/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"
#include "ward/verify.h"

#include <stdlib.h>
#include <string.h>

static const char note_name[] = "Ward";
static const char proof_name[] = ".ward.proof";

void cg_image_free(struct cg_image *im)
{
	size_t i;

	for (i = 0; i < im->n_out; i++)
		cg_buf_free(&im->out[i].bytes);
	cg_buf_free(&im->note);
	free(im->entries);
	free(im->open);
}

/* One ELF note named "Ward": spec/module.md. */
void cg_note(struct cg_image *im)
{
	struct cg_buf strings = {0}, *note = &im->note;
	uint32_t event_size = 0;
	size_t i;

#define EVENT_FIELD(name, count, text) event_size += 8 * (count);
#include "ward/event.def"
#undef EVENT_FIELD
	note->n = 0;
	cg_buf_u32(note, sizeof(note_name));
	cg_buf_u32(note, 0); /* descsz, below */
	cg_buf_u32(note, 1); /* type */
	cg_buf_put(note, note_name, sizeof(note_name));
	cg_buf_align(note, 4);
	cg_buf_u32(note, 1); /* version */
	cg_buf_u32(note, im->kernel);
	cg_buf_u32(note, im->state_size);
	cg_buf_u32(note, event_size);
	cg_buf_u32(note, (uint32_t)im->n_entries);
	cg_buf_u32(note, (uint32_t)im->n_imports);
	cg_buf_u32(note, (uint32_t)(32 + 24 * im->n_entries + 8 * im->n_imports));
	cg_buf_u32(note, im->features);
	cg_buf_str(&strings, "");
	for (i = 0; i < im->n_entries; i++) {
		const struct cg_entry *e = &im->entries[i];

		cg_buf_u64(note, e->addr);
		cg_buf_u32(note, cg_buf_str(&strings, e->name));
		cg_buf_u32(note, cg_buf_str(&strings, e->site));
		cg_buf_u32(note, cg_buf_str(&strings, im->state_type));
		cg_buf_u32(note, e->kind);
	}
	for (i = 0; i < im->n_imports; i++) {
		cg_buf_u32(note, cg_buf_str(&strings, ward_import_name(im->imports[i].id)));
		cg_buf_u32(note, (uint32_t)im->imports[i].slot);
	}
	cg_buf_align(&strings, 4); /* so that the note needs no padding */
	cg_buf_put(note, strings.p, strings.n);
	note->failed |= strings.failed;
	cg_buf_free(&strings);
	if (note->failed)
		return;
	memcpy(note->p + 4, &(uint32_t){(uint32_t)(note->n - 20)}, 4);
}

/* --- symbols --- */

static void put_symbol(struct cg_image *im, const struct cg_symbol *sym, struct cg_buf *symtab, struct cg_buf *strtab)
{
	const struct cg_section *s = &im->object->sections[sym->section];
	Elf64_Sym raw = {0};

	raw.st_name = *sym->name ? cg_buf_str(strtab, sym->name) : 0;
	raw.st_info = ELF64_ST_INFO(sym->bind, sym->type);
	raw.st_other = sym->visibility;
	raw.st_size = sym->size;
	raw.st_value = sym->value;
	raw.st_shndx = SHN_ABS;
	if (sym->section) {
		raw.st_value += s->addr;
		raw.st_shndx = (uint16_t)im->out[s->out].index;
	}
	cg_buf_put(symtab, &raw, sizeof(raw));
}

static bool symbol_stays(const struct cg_image *im, const struct cg_symbol *sym)
{
	int out = im->object->sections[sym->section].out;

	if (sym->type == STT_FILE)
		return *sym->name;
	return (sym->type == STT_FUNC || sym->type == STT_OBJECT || sym->type == STT_NOTYPE) && *sym->name &&
	       sym->section && out >= 0 && out < CG_FIRST_DEBUG;
}

/* Locals come first, as ELF wants it. Returns the number of locals. */
static uint32_t put_symbols(struct cg_image *im, struct cg_buf *symtab, struct cg_buf *strtab)
{
	const struct cg_object *o = im->object;
	uint32_t locals;
	size_t i;

	cg_buf_zeros(symtab, sizeof(Elf64_Sym));
	cg_buf_str(strtab, "");
	for (i = 1; i < o->n_symbols; i++)
		if (o->symbols[i].bind == STB_LOCAL && symbol_stays(im, &o->symbols[i]))
			put_symbol(im, &o->symbols[i], symtab, strtab);
	locals = (uint32_t)(symtab->n / sizeof(Elf64_Sym));
	for (i = 1; i < o->n_symbols; i++)
		if (o->symbols[i].bind != STB_LOCAL && symbol_stays(im, &o->symbols[i]))
			put_symbol(im, &o->symbols[i], symtab, strtab);
	return locals;
}

/* --- headers --- */

struct writer {
	struct cg_image *im;
	struct cg_buf *file;
	struct cg_buf headers; /* section headers */
	struct cg_buf names;
};

static unsigned add_header(struct writer *w, const Elf64_Shdr *sh)
{
	cg_buf_put(&w->headers, sh, sizeof(*sh));
	return (unsigned)(w->headers.n / sizeof(*sh)) - 1;
}

static Elf64_Shdr header_of(struct writer *w, const struct cg_out *out)
{
	return (Elf64_Shdr){.sh_name = cg_buf_str(&w->names, out->name),
		.sh_type = out->type,
		.sh_flags = out->flags,
		.sh_addr = out->addr,
		.sh_offset = w->file->n,
		.sh_size = out->size,
		.sh_addralign = out->align,
		.sh_entsize = out->entsize};
}

/* Loaded sections stand in the file where they stand in memory. */
static void put_loaded(struct writer *w)
{
	size_t k;

	for (k = 0; k < CG_FIRST_DEBUG; k++) {
		struct cg_out *out = &w->im->out[k];
		Elf64_Shdr sh;

		if (out->size == 0)
			continue;
		if (w->file->n < out->addr && (k != CG_BSS || w->im->out[CG_DATA].size == 0))
			cg_buf_zeros(w->file, out->addr - w->file->n);
		sh = header_of(w, out);
		out->offset = w->file->n;
		out->index = add_header(w, &sh);
		cg_buf_put(w->file, out->bytes.p, out->bytes.n);
	}
}

static void put_debug(struct writer *w)
{
	size_t k;

	for (k = CG_FIRST_DEBUG; k < w->im->n_out; k++) {
		struct cg_out *out = &w->im->out[k];
		Elf64_Shdr sh;

		cg_buf_align(w->file, out->align);
		sh = header_of(w, out);
		out->index = add_header(w, &sh);
		cg_buf_put(w->file, out->bytes.p, out->bytes.n);
	}
}

static void put_section(struct writer *w, const char *name, uint32_t type, const struct cg_buf *bytes, Elf64_Shdr sh)
{
	cg_buf_align(w->file, sh.sh_addralign);
	sh.sh_name = cg_buf_str(&w->names, name);
	sh.sh_type = type;
	sh.sh_offset = w->file->n;
	sh.sh_size = bytes->n;
	add_header(w, &sh);
	cg_buf_put(w->file, bytes->p, bytes->n);
	w->file->failed |= bytes->failed;
}

static void put_tables(struct writer *w)
{
	struct cg_buf symtab = {0}, strtab = {0};
	uint32_t locals = put_symbols(w->im, &symtab, &strtab);
	unsigned next = (unsigned)(w->headers.n / sizeof(Elf64_Shdr));

	put_section(w, ".symtab", SHT_SYMTAB, &symtab,
		(Elf64_Shdr){
			.sh_link = next + 1, .sh_info = locals, .sh_addralign = 8, .sh_entsize = sizeof(Elf64_Sym)});
	put_section(w, ".strtab", SHT_STRTAB, &strtab, (Elf64_Shdr){.sh_addralign = 1});
	put_section(w, ".ward.note", SHT_NOTE, &w->im->note, (Elf64_Shdr){.sh_addralign = 4});
	cg_buf_free(&symtab);
	cg_buf_free(&strtab);
}

static void add_segment(struct cg_buf *phdrs, uint32_t flags, const struct cg_out *first, const struct cg_out *second)
{
	const struct cg_out *start = first->size ? first : second;
	Elf64_Phdr ph = {.p_type = PT_LOAD, .p_flags = flags, .p_align = CG_PAGE};

	if (!start || start->size == 0)
		return;
	ph.p_offset = start->offset;
	ph.p_vaddr = ph.p_paddr = start->addr;
	ph.p_filesz = first->size;
	ph.p_memsz = second && second->size ? second->addr + second->size - start->addr : first->size;
	cg_buf_put(phdrs, &ph, sizeof(ph));
}

/* The ELF header and program headers, in the space left for them at the start. */
static void put_start(struct writer *w, uint64_t shoff, unsigned n_headers)
{
	struct cg_image *im = w->im;
	struct cg_buf phdrs = {0};
	Elf64_Ehdr eh = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(eh),
		.e_shoff = shoff,
		.e_ehsize = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr)};

	add_segment(&phdrs, PF_R | PF_X, &im->out[CG_TEXT], NULL);
	add_segment(&phdrs, PF_R, &im->out[CG_RODATA], NULL);
	add_segment(&phdrs, PF_R | PF_W, &im->out[CG_DATA], &im->out[CG_BSS]);
	eh.e_phnum = (uint16_t)(phdrs.n / sizeof(Elf64_Phdr));
	eh.e_shnum = (uint16_t)n_headers;
	eh.e_shstrndx = (uint16_t)(w->headers.n / sizeof(Elf64_Shdr) - 1);
	w->file->failed |= phdrs.failed;
	if (!w->file->failed) {
		memcpy(w->file->p, &eh, sizeof(eh));
		memcpy(w->file->p + sizeof(eh), phdrs.p, phdrs.n);
	}
	cg_buf_free(&phdrs);
}

int cg_write(struct cg_image *im, const struct ward_buf *proof, struct cg_buf *file)
{
	struct writer w = {.im = im, .file = file};
	Elf64_Shdr last = {.sh_type = SHT_PROGBITS, .sh_addralign = 8};
	uint64_t shoff;
	unsigned n;

	cg_buf_zeros(file, sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr));
	cg_buf_str(&w.names, "");
	add_header(&w, &(Elf64_Shdr){0});
	put_loaded(&w);
	put_debug(&w);
	put_tables(&w);
	last.sh_name = cg_buf_str(&w.names, proof_name);
	put_section(&w, ".shstrtab", SHT_STRTAB, &w.names, (Elf64_Shdr){.sh_addralign = 1});
	cg_buf_align(file, 8);
	shoff = file->n;
	n = (unsigned)(w.headers.n / sizeof(Elf64_Shdr));
	cg_buf_put(file, w.headers.p, w.headers.n);
	last.sh_offset = file->n + sizeof(last);
	if (proof) {
		last.sh_size = proof->size;
		cg_buf_put(file, &last, sizeof(last));
		cg_buf_put(file, proof->data, proof->size);
	} else {
		cg_buf_zeros(file, sizeof(last));
	}
	put_start(&w, shoff, n + (proof != NULL));
	file->failed |= w.headers.failed || w.names.failed;
	cg_buf_free(&w.headers);
	cg_buf_free(&w.names);
	return file->failed ? 2 : 0;
}
