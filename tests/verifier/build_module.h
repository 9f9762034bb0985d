/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes module files in memory, for tests that must say exactly which bytes a file has. It follows spec/module.md and
 * shares no code with the parser that it tests. Link with the CMake target `ward-build-module`.
 *
 *	static const uint8_t code[] = {0xc3};
 *	struct bm_entry entry = {.name = "probe", .offset = 0};
 *	struct bm_module module = {
 *		.text = code, .text_size = sizeof code, .entries = &entry, .n_entries = 1, .state_size = 64};
 *	struct bm_file file = bm_build(&module);
 *	... file.data, file.size; to break it: file.data[file.note + 4] = 9, or bm_set(&file, file.phdr + 8, 8, 123) ...
 *	bm_free(&file);
 *
 * Layout: text at address 0x1000, rodata and data on the next free pages, each at the file offset that equals its
 * address; then note, proof, further sections, section names, section headers. It ends the process if memory runs
 * out: this is for tests.
 */
#ifndef WARD_TESTS_BUILD_MODULE_H
#define WARD_TESTS_BUILD_MODULE_H

#include <stddef.h>
#include <stdint.h>

enum { BM_TEXT_ADDR = 0x1000 };

struct bm_entry {
	const char *name, *site, *state_type; /* NULL is the empty string */
	uint64_t offset;                      /* from the start of the text */
	uint32_t kind;                        /* 0 entry site, 1 return site */
};

struct bm_import {
	const char *name;
	uint32_t slot; /* offset from the start of rodata */
};

/* A further section that isn't loaded, such as debug information. */
struct bm_section {
	const char *name;
	uint32_t type; /* default: SHT_PROGBITS */
	const void *bytes;
	size_t size;
};

/* What goes into a module. Zero means absent, empty or the default. */
struct bm_module {
	const void *text, *rodata, *data;
	size_t text_size, rodata_size, data_size;
	size_t bss_size; /* bytes of the data segment beyond data_size */
	uint32_t profile, state_size;
	uint32_t event_size; /* default: all of event.def */
	const struct bm_entry *entries;
	size_t n_entries;
	const struct bm_import *imports;
	size_t n_imports;
	const struct bm_section *sections;
	size_t n_sections;

	/*
	 * The proof: either what follows its seal, from nfunctions on, to which magic, version and a right seal are
	 * added …
	 */
	const void *proof;
	size_t proof_size;
	uint8_t proof_version; /* 0: 1 */
	/* … or the whole section's bytes as they are. Neither: no section. */
	const void *raw_proof;
	size_t raw_proof_size;
};

/* A built file, and where its parts are (offsets in the file; 0: absent). */
struct bm_file {
	uint8_t *data;
	size_t size;

	size_t phdr, n_phdr;          /* program headers, 56 bytes each: text, rodata, data, GNU_STACK */
	size_t shdr, n_shdr;          /* section headers, 64 bytes each */
	size_t text, rodata, data_at; /* contents; addresses in the module are the same numbers */
	size_t note, desc, entries, imports, strings, note_end;
	size_t proof, proof_end;
	size_t further; /* the first of the further sections */
	size_t shstrtab;
	unsigned text_section, note_section, proof_section, shstrtab_section; /* indices; proof_section 0: none */
};

struct bm_file bm_build(const struct bm_module *module);
void bm_free(struct bm_file *file);

/*
 * Overwrite / read the `width` bytes at `offset`, little-endian. Leaves the file alone and ends the process if they lie
 * outside it.
 */
void bm_set(struct bm_file *file, size_t offset, unsigned width, uint64_t value);
uint64_t bm_get(const struct bm_file *file, size_t offset, unsigned width);

/* File offset of a field: of program header `i`, of section header `i`; `field` is an offset in the ELF structure. */
size_t bm_phdr(const struct bm_file *file, unsigned i, size_t field);
size_t bm_shdr(const struct bm_file *file, unsigned i, size_t field);

/* Write the right seal into the proof, after text, note or proof were changed. */
void bm_seal(struct bm_file *file);

/* Bytes that grow at their end, for proofs written by hand. Start with all zero; free with bm_bytes_free. */
struct bm_bytes {
	uint8_t *p;
	size_t n, room;
};

void bm_put(struct bm_bytes *b, const void *bytes, size_t n);
void bm_put_u8(struct bm_bytes *b, unsigned value);
void bm_put_le(struct bm_bytes *b, unsigned width, uint64_t value);
void bm_put_uleb(struct bm_bytes *b, uint64_t value);
void bm_put_sleb(struct bm_bytes *b, int64_t value);
void bm_bytes_free(struct bm_bytes *b);

#endif
