/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_module.h"

enum {
	PAGE = 4096,
	EVENT_SIZE = 0
#define EVENT_FIELD(name, count, text) +8 * (count)
#include "ward/event.def"
#undef EVENT_FIELD
};

static void die(const char *what)
{
	fprintf(stderr, "build_module: %s\n", what);
	abort();
}

void bm_put(struct bm_bytes *b, const void *bytes, size_t n)
{
	if (n > b->room - b->n) {
		size_t room = (b->n + n) * 2 + 64;
		uint8_t *p = realloc(b->p, room);

		if (!p)
			die("out of memory");
		b->p = p;
		b->room = room;
	}
	if (n)
		memcpy(b->p + b->n, bytes, n);
	b->n += n;
}

void bm_put_u8(struct bm_bytes *b, unsigned value)
{
	uint8_t byte = (uint8_t)value;

	bm_put(b, &byte, 1);
}

void bm_put_le(struct bm_bytes *b, unsigned width, uint64_t value)
{
	for (unsigned i = 0; i < width; i++)
		bm_put_u8(b, (unsigned)(value >> (8 * i)) & 0xff);
}

void bm_put_uleb(struct bm_bytes *b, uint64_t value)
{
	while (value >= 0x80) {
		bm_put_u8(b, (unsigned)(value & 0x7f) | 0x80);
		value >>= 7;
	}
	bm_put_u8(b, (unsigned)value);
}

void bm_put_sleb(struct bm_bytes *b, int64_t value)
{
	while (value < -64 || value > 63) {
		bm_put_u8(b, (unsigned)(value & 0x7f) | 0x80);
		value >>= 7;
	}
	bm_put_u8(b, (unsigned)value & 0x7f);
}

void bm_bytes_free(struct bm_bytes *b)
{
	free(b->p);
	*b = (struct bm_bytes){0};
}

static void pad_to(struct bm_bytes *b, size_t n)
{
	while (b->n < n)
		bm_put_u8(b, 0);
}

static void align(struct bm_bytes *b, size_t to)
{
	pad_to(b, (b->n + to - 1) / to * to);
}

/* The work in progress: the file's bytes, and tables that are written at the end. */
struct build {
	const struct bm_module *m;
	struct bm_file *f;
	struct bm_bytes out, phdrs, shdrs, names;
};

static uint32_t put_string(struct bm_bytes *table, const char *s)
{
	size_t at = table->n;

	bm_put(table, s ? s : "", s ? strlen(s) + 1 : 1);
	return (uint32_t)at;
}

static unsigned add_section(struct build *b, const char *name, uint32_t type, uint64_t flags, uint64_t addr,
	uint64_t offset, uint64_t size, uint64_t align)
{
	bm_put_le(&b->shdrs, 4, put_string(&b->names, name));
	bm_put_le(&b->shdrs, 4, type);
	bm_put_le(&b->shdrs, 8, flags);
	bm_put_le(&b->shdrs, 8, addr);
	bm_put_le(&b->shdrs, 8, offset);
	bm_put_le(&b->shdrs, 8, size);
	bm_put_le(&b->shdrs, 8, 0); /* sh_link, sh_info */
	bm_put_le(&b->shdrs, 8, align);
	bm_put_le(&b->shdrs, 8, 0); /* sh_entsize */
	return (unsigned)(b->shdrs.n / sizeof(Elf64_Shdr) - 1);
}

static void add_segment(struct build *b, uint32_t type, uint32_t flags, uint64_t at, uint64_t filesz, uint64_t memsz)
{
	bm_put_le(&b->phdrs, 4, type);
	bm_put_le(&b->phdrs, 4, flags);
	bm_put_le(&b->phdrs, 8, at);
	bm_put_le(&b->phdrs, 8, at);
	bm_put_le(&b->phdrs, 8, at);
	bm_put_le(&b->phdrs, 8, filesz);
	bm_put_le(&b->phdrs, 8, memsz);
	bm_put_le(&b->phdrs, 8, type == PT_LOAD ? PAGE : 16);
}

/* Program headers come first in the file but are known last: room for four is left behind the ELF header. */
static void build_segments(struct build *b)
{
	const struct bm_module *m = b->m;
	struct bm_file *f = b->f;
	uint64_t end;

	add_section(b, "", SHT_NULL, 0, 0, 0, 0, 0);
	f->phdr = sizeof(Elf64_Ehdr);
	pad_to(&b->out, BM_TEXT_ADDR);
	f->text = b->out.n;
	bm_put(&b->out, m->text, m->text_size);
	add_segment(b, PT_LOAD, PF_R | PF_X, f->text, m->text_size, m->text_size);
	f->text_section =
		add_section(b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, f->text, f->text, m->text_size, 16);
	if (m->rodata_size) {
		align(&b->out, PAGE);
		f->rodata = b->out.n;
		bm_put(&b->out, m->rodata, m->rodata_size);
		add_segment(b, PT_LOAD, PF_R, f->rodata, m->rodata_size, m->rodata_size);
		add_section(b, ".rodata", SHT_PROGBITS, SHF_ALLOC, f->rodata, f->rodata, m->rodata_size, 16);
	}
	if (m->data_size + m->bss_size) {
		align(&b->out, PAGE);
		f->data_at = b->out.n;
		bm_put(&b->out, m->data, m->data_size);
		end = f->data_at + m->data_size;
		add_segment(b, PT_LOAD, PF_R | PF_W, f->data_at, m->data_size, m->data_size + m->bss_size);
		if (m->data_size)
			add_section(b, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, f->data_at, f->data_at,
				m->data_size, 16);
		if (m->bss_size)
			add_section(b, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, end, end, m->bss_size, 1);
	}
	add_segment(b, PT_GNU_STACK, PF_R | PF_W, 0, 0, 0);
}

static void build_note(struct build *b)
{
	const struct bm_module *m = b->m;
	struct bm_file *f = b->f;
	struct bm_bytes strings = {0}, desc = {0};
	size_t tables = 32 + 24 * m->n_entries + 8 * m->n_imports;

	bm_put_u8(&strings, 0);
	bm_put_le(&desc, 4, 1);
	bm_put_le(&desc, 4, m->profile);
	bm_put_le(&desc, 4, m->state_size);
	bm_put_le(&desc, 4, m->event_size ? m->event_size : EVENT_SIZE);
	bm_put_le(&desc, 4, m->n_entries);
	bm_put_le(&desc, 4, m->n_imports);
	bm_put_le(&desc, 4, tables);
	bm_put_le(&desc, 4, 0);
	for (size_t i = 0; i < m->n_entries; i++) {
		const struct bm_entry *e = &m->entries[i];

		bm_put_le(&desc, 8, f->text + e->offset);
		bm_put_le(&desc, 4, put_string(&strings, e->name));
		bm_put_le(&desc, 4, put_string(&strings, e->site));
		bm_put_le(&desc, 4, put_string(&strings, e->state_type));
		bm_put_le(&desc, 4, e->kind);
	}
	for (size_t i = 0; i < m->n_imports; i++) {
		bm_put_le(&desc, 4, put_string(&strings, m->imports[i].name));
		bm_put_le(&desc, 4, f->rodata + m->imports[i].slot);
	}
	bm_put(&desc, strings.p, strings.n);

	align(&b->out, 4);
	f->note = b->out.n;
	bm_put_le(&b->out, 4, 5);
	bm_put_le(&b->out, 4, desc.n);
	bm_put_le(&b->out, 4, 1);
	bm_put(&b->out, "Ward\0\0\0", 8);
	f->desc = b->out.n;
	f->entries = f->desc + 32;
	f->imports = m->n_imports ? f->entries + 24 * m->n_entries : 0;
	f->strings = f->desc + tables;
	bm_put(&b->out, desc.p, desc.n);
	align(&b->out, 4);
	f->note_end = b->out.n;
	f->note_section = add_section(b, ".ward.note", SHT_NOTE, 0, 0, f->note, f->note_end - f->note, 4);
	bm_bytes_free(&strings);
	bm_bytes_free(&desc);
}

static void build_proof(struct build *b)
{
	const struct bm_module *m = b->m;
	struct bm_file *f = b->f;

	if (!m->proof && !m->raw_proof)
		return;
	f->proof = b->out.n;
	if (m->raw_proof) {
		bm_put(&b->out, m->raw_proof, m->raw_proof_size);
	} else {
		uint8_t version = m->proof_version ? m->proof_version : 1;
		bm_put(&b->out, "WPRF", 4);
		bm_put(&b->out, &version, 1);
		bm_put_le(&b->out, 8, 0);
		bm_put(&b->out, m->proof, m->proof_size);
	}
	f->proof_end = b->out.n;
	f->proof_section = add_section(b, ".ward.proof", SHT_PROGBITS, 0, 0, f->proof, f->proof_end - f->proof, 1);
}

static void build_further(struct build *b)
{
	b->f->further = b->m->n_sections ? b->out.n : 0;
	for (size_t i = 0; i < b->m->n_sections; i++) {
		const struct bm_section *s = &b->m->sections[i];

		add_section(b, s->name, s->type ? s->type : SHT_PROGBITS, 0, 0, b->out.n, s->size, 1);
		bm_put(&b->out, s->bytes, s->size);
	}
}

static void build_header(struct build *b)
{
	struct bm_bytes h = {0};

	bm_put(&h, ELFMAG "\2\1\1\0\0\0\0\0\0\0\0\0", EI_NIDENT);
	bm_put_le(&h, 2, ET_DYN);
	bm_put_le(&h, 2, EM_X86_64);
	bm_put_le(&h, 4, EV_CURRENT);
	bm_put_le(&h, 8, 0);
	bm_put_le(&h, 8, b->f->phdr);
	bm_put_le(&h, 8, b->f->shdr);
	bm_put_le(&h, 4, 0);
	bm_put_le(&h, 2, sizeof(Elf64_Ehdr));
	bm_put_le(&h, 2, sizeof(Elf64_Phdr));
	bm_put_le(&h, 2, b->f->n_phdr);
	bm_put_le(&h, 2, sizeof(Elf64_Shdr));
	bm_put_le(&h, 2, b->f->n_shdr);
	bm_put_le(&h, 2, b->f->shstrtab_section);
	memcpy(b->out.p, h.p, h.n);
	memcpy(b->out.p + b->f->phdr, b->phdrs.p, b->phdrs.n);
	bm_bytes_free(&h);
}

struct bm_file bm_build(const struct bm_module *module)
{
	struct bm_file f = {0};
	struct build b = {.m = module, .f = &f};
	size_t names_size;

	build_segments(&b);
	build_note(&b);
	build_proof(&b);
	build_further(&b);
	f.shstrtab = b.out.n;
	names_size = b.names.n + sizeof ".shstrtab";
	f.shstrtab_section = add_section(&b, ".shstrtab", SHT_STRTAB, 0, 0, f.shstrtab, names_size, 1);
	bm_put(&b.out, b.names.p, b.names.n);
	align(&b.out, 8);
	f.shdr = b.out.n;
	f.n_phdr = b.phdrs.n / sizeof(Elf64_Phdr);
	f.n_shdr = b.shdrs.n / sizeof(Elf64_Shdr);
	bm_put(&b.out, b.shdrs.p, b.shdrs.n);
	build_header(&b);
	f.data = b.out.p;
	f.size = b.out.n;
	if (f.proof && !module->raw_proof)
		bm_seal(&f);
	bm_bytes_free(&b.phdrs);
	bm_bytes_free(&b.shdrs);
	bm_bytes_free(&b.names);
	return f;
}

void bm_free(struct bm_file *file)
{
	free(file->data);
	*file = (struct bm_file){0};
}

static void need(const struct bm_file *file, size_t offset, size_t n)
{
	if (offset > file->size || n > file->size - offset)
		die("an offset outside the file");
}

void bm_set(struct bm_file *file, size_t offset, unsigned width, uint64_t value)
{
	need(file, offset, width);
	for (unsigned i = 0; i < width; i++)
		file->data[offset + i] = (uint8_t)(value >> (8 * i));
}

uint64_t bm_get(const struct bm_file *file, size_t offset, unsigned width)
{
	uint64_t value = 0;

	need(file, offset, width);
	for (unsigned i = 0; i < width; i++)
		value |= (uint64_t)file->data[offset + i] << (8 * i);
	return value;
}

size_t bm_phdr(const struct bm_file *file, unsigned i, size_t field)
{
	return file->phdr + i * sizeof(Elf64_Phdr) + field;
}

size_t bm_shdr(const struct bm_file *file, unsigned i, size_t field)
{
	return file->shdr + i * sizeof(Elf64_Shdr) + field;
}

static uint64_t hash(uint64_t h, const struct bm_file *file, size_t from, size_t to)
{
	need(file, from, to - from);
	for (size_t i = from; i < to; i += 8) {
		uint64_t word = 0;
		for (size_t k = i; k < to && k < i + 8; k++)
			word |= (uint64_t)file->data[k] << 8 * (k - i);
		h = (h ^ word) * 1099511628211u;
		h ^= h >> 32;
	}
	return h;
}

void bm_seal(struct bm_file *file)
{
	uint64_t text_size = bm_get(file, bm_phdr(file, 0, offsetof(Elf64_Phdr, p_filesz)), 8);
	uint64_t h = 14695981039346656037u;

	h = hash(h, file, file->text, file->text + text_size);
	h = hash(h, file, file->note, file->note_end);
	h = hash(h, file, file->proof + 13, file->proof_end);
	bm_set(file, file->proof + 5, 8, h);
}
