/* SPDX-License-Identifier: Apache-2.0 */
#include "edit.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t get_le(const struct ward_buf *file, size_t at, unsigned bytes)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < bytes && at + i < file->size; i++)
		v |= (uint64_t)file->data[at + i] << 8 * i;
	return v;
}

void put_le(struct ward_buf *file, size_t at, unsigned bytes, uint64_t value)
{
	for (unsigned i = 0; i < bytes && at + i < file->size; i++)
		file->data[at + i] = (uint8_t)(value >> 8 * i);
}

static struct part clipped(const struct ward_buf *file, uint64_t offset, uint64_t size, size_t header)
{
	if (offset > file->size || size > file->size - offset)
		return (struct part){0};
	return (struct part){offset, size, header};
}

struct part part_section(const struct ward_buf *file, const char *name)
{
	uint64_t table = get_le(file, offsetof(Elf64_Ehdr, e_shoff), 8),
		 n = get_le(file, offsetof(Elf64_Ehdr, e_shnum), 2);
	uint64_t names = get_le(file, offsetof(Elf64_Ehdr, e_shstrndx), 2);
	uint64_t strings = get_le(file, table + names * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_offset), 8);
	for (uint64_t i = 1; i < n; i++) {
		size_t header = table + i * sizeof(Elf64_Shdr);
		uint64_t at = strings + get_le(file, header + offsetof(Elf64_Shdr, sh_name), 4);
		if (at + strlen(name) < file->size && !memcmp(file->data + at, name, strlen(name) + 1))
			return clipped(file, get_le(file, header + offsetof(Elf64_Shdr, sh_offset), 8),
				get_le(file, header + offsetof(Elf64_Shdr, sh_size), 8), header);
	}
	return (struct part){0};
}

static size_t segment_header(const struct ward_buf *file, uint32_t flags)
{
	uint64_t table = get_le(file, offsetof(Elf64_Ehdr, e_phoff), 8),
		 n = get_le(file, offsetof(Elf64_Ehdr, e_phnum), 2);
	for (uint64_t i = 0; i < n; i++) {
		size_t header = table + i * sizeof(Elf64_Phdr);
		if (get_le(file, header + offsetof(Elf64_Phdr, p_type), 4) == PT_LOAD &&
			get_le(file, header + offsetof(Elf64_Phdr, p_flags), 4) == flags)
			return header;
	}
	return 0;
}

struct part part_segment(const struct ward_buf *file, uint32_t flags)
{
	size_t header = segment_header(file, flags);
	if (!header)
		return (struct part){0};
	return clipped(file, get_le(file, header + offsetof(Elf64_Phdr, p_offset), 8),
		get_le(file, header + offsetof(Elf64_Phdr, p_filesz), 8), header);
}

uint64_t segment_address(const struct ward_buf *file, uint32_t flags)
{
	size_t header = segment_header(file, flags);
	return header ? get_le(file, header + offsetof(Elf64_Phdr, p_vaddr), 8) : 0;
}

struct part part_note(const struct ward_buf *file)
{
	struct part note = part_section(file, ".ward.note");
	if (note.size < 20)
		return (struct part){0};
	return (struct part){note.offset + 20, get_le(file, note.offset + 4, 4), note.header};
}

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "corpus: out of memory\n");
		abort();
	}
	return p;
}

struct ward_buf buf_copy(const struct ward_buf *b)
{
	struct ward_buf r = {must(malloc(b->size + 1)), b->size};
	if (b->size)
		memcpy(r.data, b->data, b->size);
	return r;
}

void buf_append(struct ward_buf *b, const void *bytes, size_t n)
{
	b->data = must(realloc(b->data, b->size + n + 1));
	if (n)
		memcpy(b->data + b->size, bytes, n);
	b->size += n;
}

void set_proof(struct ward_buf *file, const uint8_t *proof, size_t n)
{
	struct part p = part_section(file, ".ward.proof");
	if (!p.header)
		return;
	put_le(file, p.header + offsetof(Elf64_Shdr, sh_offset), 8, file->size);
	put_le(file, p.header + offsetof(Elf64_Shdr, sh_size), 8, n);
	buf_append(file, proof, n);
}

static uint64_t hash(uint64_t h, const struct ward_buf *file, size_t offset, size_t size)
{
	for (size_t i = 0; i < size; i += 8) {
		uint64_t word = 0;
		for (size_t k = i; k < size && k < i + 8; k++)
			word |= (uint64_t)file->data[offset + k] << 8 * (k - i);
		h = (h ^ word) * UINT64_C(1099511628211);
		h ^= h >> 32;
	}
	return h;
}

void reseal(struct ward_buf *file)
{
	struct part text = part_segment(file, 5), note = part_section(file, ".ward.note"),
		    proof = part_section(file, ".ward.proof");
	if (proof.size < 13)
		return;
	uint64_t h = hash(UINT64_C(14695981039346656037), file, text.offset, text.size);
	h = hash(h, file, note.offset, note.size);
	h = hash(h, file, proof.offset + 13, proof.size - 13);
	put_le(file, proof.offset + 5, 8, h);
}

bool read_whole(const char *path, struct ward_buf *out)
{
	FILE *f = fopen(path, "rb");
	*out = (struct ward_buf){0};
	if (!f)
		return false;
	char block[65536];
	for (size_t n; (n = fread(block, 1, sizeof(block), f)) > 0;)
		buf_append(out, block, n);
	bool ok = !ferror(f);
	fclose(f);
	return ok;
}
