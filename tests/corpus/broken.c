/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files with false fields: headers, segments, sections, note and proof, each field in turn. Most attacks are a field
 * and a value, in one table; the others are small functions. Every attack is sealed again, except those on the seal;
 * otherwise the seal alone would catch them all.
 */
#define _GNU_SOURCE
#include "broken.h"
#include "build_module.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "verifier/check/check.h"

/* Which good module is broken. */
enum base { PLAIN, RODATA, DATA, COUNTS, IMPORTS, TABLE, BASES };
_Static_assert((int)BASES <= (int)BROKEN_BASES, "room for each base");

static const char *const base_file[BASES] = {
	"counted-loop.s", "read-rodata.s", "write-data.s", "count-bits.s", "import.s", "jump-table-last-entry.s"};

/* What an offset counts from. */
enum place {
	FILE_START,
	TEXT_PH,
	RODATA_PH,
	DATA_PH,
	NOTE,
	DESC,
	PROOF,
	NOTE_SH,
	PROOF_SH,
	SYMTAB_SH,
	TEXT_SH,
	NAMES_SH,
	TEXT
};

enum seal { SEALED, NOT_SEALED };

struct attack {
	const char *name;
	enum ward_rule rule;
	const char *reason;
	enum base base;
	enum place place;
	size_t offset;
	unsigned bytes; /* of the field; 0: `how` does it */
	uint64_t value;
	enum seal seal;
	bool (*how)(struct ward_buf *file, const struct ward_buf *bases, uint64_t arg);
};

#define EH(field) FILE_START, offsetof(Elf64_Ehdr, field), sizeof(((Elf64_Ehdr *)0)->field)
#define PH(which, field) which##_PH, offsetof(Elf64_Phdr, field), sizeof(((Elf64_Phdr *)0)->field)
#define SH(which, field) which##_SH, offsetof(Elf64_Shdr, field), sizeof(((Elf64_Shdr *)0)->field)
#define V(id) WARD_RULE_##id

static bool find_place(const struct ward_buf *file, enum place place, size_t *at)
{
	static const char *const sections[] = {[NOTE] = ".ward.note",
		[PROOF] = ".ward.proof",
		[NOTE_SH] = ".ward.note",
		[PROOF_SH] = ".ward.proof",
		[SYMTAB_SH] = ".symtab",
		[TEXT_SH] = ".text",
		[NAMES_SH] = ".shstrtab"};
	struct part p;
	switch (place) {
	case FILE_START: *at = 0; return true;
	case TEXT: p = part_segment(file, 5); break;
	case TEXT_PH: p = part_segment(file, 5); break;
	case RODATA_PH: p = part_segment(file, 4); break;
	case DATA_PH: p = part_segment(file, 6); break;
	case DESC: p = part_note(file); break;
	default: p = part_section(file, sections[place]); break;
	}
	bool body = place == NOTE || place == DESC || place == PROOF || place == TEXT;
	*at = body ? p.offset : p.header;
	return p.header != 0;
}

/* ---- Attacks that are more than a field ---- */

static bool truncate_to(struct ward_buf *file, const struct ward_buf *bases, uint64_t size)
{
	(void)bases;
	file->size = size < file->size ? size : file->size;
	return true;
}

static bool truncate_by(struct ward_buf *file, const struct ward_buf *bases, uint64_t by)
{
	(void)bases;
	file->size -= by;
	return true;
}

static bool truncate_half(struct ward_buf *file, const struct ward_buf *bases, uint64_t arg)
{
	(void)bases, (void)arg;
	file->size /= 2;
	return true;
}

static bool name_not_ended(struct ward_buf *file, const struct ward_buf *bases, uint64_t arg)
{
	(void)bases, (void)arg;
	struct part names = part_section(file, ".shstrtab");
	if (!names.size)
		return false;
	file->data[names.offset + names.size - 1] = 'x';
	return true;
}

/* Another name for a section: what was found by name no longer is. */
static bool rename_section(struct ward_buf *file, const char *from, const char *to)
{
	struct part names = part_section(file, ".shstrtab");
	uint8_t *at = names.size ? memmem(file->data + names.offset, names.size, from, strlen(from) + 1) : NULL;
	if (!at)
		return false;
	memcpy(at, to, strlen(from));
	return true;
}

static bool lose_note(struct ward_buf *file, const struct ward_buf *bases, uint64_t arg)
{
	(void)bases, (void)arg;
	return rename_section(file, ".ward.note", ".ward.nope");
}

static bool lose_proof(struct ward_buf *file, const struct ward_buf *bases, uint64_t arg)
{
	(void)bases, (void)arg;
	return rename_section(file, ".ward.proof", ".ward.proxy");
}

/* Give the symbol table the name and type of another section. */
static bool double_section(struct ward_buf *file, const char *name)
{
	struct part of = part_section(file, name), to = part_section(file, ".symtab");
	if (!of.header || !to.header)
		return false;
	memcpy(file->data + to.header, file->data + of.header, 8);
	return true;
}

static bool double_note(struct ward_buf *file, const struct ward_buf *bases, uint64_t arg)
{
	(void)bases, (void)arg;
	return double_section(file, ".ward.note");
}

static bool double_proof(struct ward_buf *file, const struct ward_buf *bases, uint64_t arg)
{
	(void)bases, (void)arg;
	return double_section(file, ".ward.proof");
}

static bool swap_flags(struct ward_buf *file, const struct ward_buf *bases, uint64_t arg)
{
	(void)bases, (void)arg;
	struct part text = part_segment(file, 5), rodata = part_segment(file, 4);
	if (!text.header || !rodata.header)
		return false;
	put_le(file, text.header + offsetof(Elf64_Phdr, p_flags), 4, 4);
	put_le(file, rodata.header + offsetof(Elf64_Phdr, p_flags), 4, 5);
	return true;
}

/* The field of one segment's header takes its value from another's. */
static bool copy_field(struct ward_buf *file, const struct ward_buf *bases, uint64_t offset)
{
	(void)bases;
	struct part text = part_segment(file, 5), data = part_segment(file, 6);
	if (!text.header || !data.header)
		return false;
	put_le(file, data.header + offset, 8, get_le(file, text.header + offset, 8));
	return true;
}

static bool swap_proof(struct ward_buf *file, const struct ward_buf *bases, uint64_t arg)
{
	(void)arg;
	struct part other = part_section(&bases[RODATA], ".ward.proof");
	set_proof(file, bases[RODATA].data + other.offset, other.size);
	return other.size != 0;
}

/* The proof's bytes, changed: some cut off, some added, one put to a value. */
static bool cut_proof(struct ward_buf *file, const struct ward_buf *bases, uint64_t by)
{
	(void)bases;
	struct part p = part_section(file, ".ward.proof");
	put_le(file, p.header + offsetof(Elf64_Shdr, sh_size), 8, by < p.size ? p.size - by : 0);
	return p.size != 0;
}

static bool grow_proof(struct ward_buf *file, const struct ward_buf *bases, uint64_t by)
{
	(void)bases;
	struct part p = part_section(file, ".ward.proof");
	static const uint8_t zero;
	struct ward_buf longer = {0};
	buf_append(&longer, file->data + p.offset, p.size);
	while (by--)
		buf_append(&longer, &zero, 1);
	set_proof(file, longer.data, longer.size);
	free(longer.data);
	return p.size != 0;
}

/* A note with a second table row: the descriptor gets bigger, so it moves to the end of the file. */
static bool add_row(struct ward_buf *file, size_t at, const uint8_t *row, size_t n, unsigned field)
{
	struct part note = part_section(file, ".ward.note"), desc = part_note(file);
	if (!desc.size)
		return false;
	struct ward_buf longer = {0};
	size_t before = desc.offset - note.offset + at;
	buf_append(&longer, file->data + note.offset, before);
	buf_append(&longer, row, n);
	buf_append(&longer, file->data + note.offset + before, note.size - before);
	put_le(&longer, 4, 4, desc.size + n);
	put_le(&longer, 20 + field, 4, get_le(&longer, 20 + field, 4) + 1);
	put_le(&longer, 20 + 24, 4, get_le(&longer, 20 + 24, 4) + n);
	while (file->size % 4)
		buf_append(file, "", 1);
	put_le(file, note.header + offsetof(Elf64_Shdr, sh_offset), 8, file->size);
	put_le(file, note.header + offsetof(Elf64_Shdr, sh_size), 8, longer.size);
	buf_append(file, longer.data, longer.size);
	free(longer.data);
	return true;
}

static bool double_entry(struct ward_buf *file, const struct ward_buf *bases, uint64_t arg)
{
	(void)bases, (void)arg;
	uint8_t row[24];
	struct part desc = part_note(file);
	memcpy(row, file->data + desc.offset + 32, 24);
	return add_row(file, 32, row, 24, 16);
}

/* The second import gets the first one's name, or its slot. */
static bool same_import(struct ward_buf *file, const struct ward_buf *bases, uint64_t field)
{
	(void)bases;
	size_t table = part_note(file).offset + 32 + 24;
	put_le(file, table + 8 + field, 4, get_le(file, table + field, 4));
	return true;
}

/* An import named like the probe, whose slot is `slot` bytes into rodata. */
static bool add_import(struct ward_buf *file, const struct ward_buf *bases, uint64_t slot)
{
	(void)bases;
	uint64_t rodata = segment_address(file, 4) + slot, name = get_le(file, part_note(file).offset + 32 + 8, 4);
	uint8_t row[8];
	for (unsigned i = 0; i < 4; i++) {
		row[i] = (uint8_t)(name >> 8 * i);
		row[4 + i] = (uint8_t)(rodata >> 8 * i);
	}
	return add_row(file, 32 + 24, row, 8, 20);
}

/* ---- The table ---- */

static const struct attack attacks[] = {
	{"empty file", V(FILE), "file-too-short", PLAIN, FILE_START, 0, 0, 0, SEALED, truncate_to},
	{"half a header", V(FILE), "file-too-short", PLAIN, FILE_START, 0, 0, 63, SEALED, truncate_to},
	{"a header alone", V(FILE), "program-headers-outside-file", PLAIN, FILE_START, 0, 0, 64, SEALED, truncate_to},
	{"half a file", V(FILE), "section-headers-outside-file", PLAIN, FILE_START, 0, 0, 0, SEALED, truncate_half},
	{"last byte missing", V(FILE), "section-outside-file", PLAIN, FILE_START, 0, 0, 1, SEALED, truncate_by},
	{"magic number", V(FILE), "not-elf", PLAIN, FILE_START, 1, 1, 'e', SEALED, NULL},
	{"32 bits", V(FILE), "not-elf64", PLAIN, FILE_START, EI_CLASS, 1, ELFCLASS32, SEALED, NULL},
	{"big-endian", V(FILE), "not-little-endian", PLAIN, FILE_START, EI_DATA, 1, ELFDATA2MSB, SEALED, NULL},
	{"identification's version", V(FILE), "elf-version", PLAIN, FILE_START, EI_VERSION, 1, 2, SEALED, NULL},
	{"header's version", V(FILE), "elf-version", PLAIN, EH(e_version), 2, SEALED, NULL},
	{"machine", V(FILE), "not-x86-64", PLAIN, EH(e_machine), EM_AARCH64, SEALED, NULL},
	{"executable, not shared object", V(FILE), "not-shared-object", PLAIN, EH(e_type), ET_EXEC, SEALED, NULL},
	{"relocatable, not shared object", V(FILE), "not-shared-object", PLAIN, EH(e_type), ET_REL, SEALED, NULL},
	{"size of the header", V(FILE), "header-size", PLAIN, EH(e_ehsize), 63, SEALED, NULL},
	{"size of a program header", V(FILE), "header-size", PLAIN, EH(e_phentsize), 32, SEALED, NULL},
	{"size of a section header", V(FILE), "header-size", PLAIN, EH(e_shentsize), 0, SEALED, NULL},
	{"program headers whose end overflows", V(FILE), "program-headers-outside-file", PLAIN, EH(e_phoff),
		UINT64_MAX - 7, SEALED, NULL},
	{"program headers past the end", V(FILE), "program-headers-outside-file", PLAIN, EH(e_phnum), 0xffff, SEALED,
		NULL},
	{"section headers whose end overflows", V(FILE), "section-headers-outside-file", PLAIN, EH(e_shoff),
		UINT64_MAX - 63, SEALED, NULL},
	{"section headers past the end", V(FILE), "section-headers-outside-file", PLAIN, EH(e_shnum), 0xffff, SEALED,
		NULL},
	{"no section names", V(FILE), "no-section-names", PLAIN, EH(e_shstrndx), 0, SEALED, NULL},
	{"section names out of range", V(FILE), "no-section-names", PLAIN, EH(e_shstrndx), 0xfffe, SEALED, NULL},
	{"section names that don't end", V(FILE), "section-names", PLAIN, FILE_START, 0, 0, 0, SEALED, name_not_ended},
	{"section names of no bytes", V(FILE), "section-names", PLAIN, SH(NAMES, sh_size), 0, SEALED, NULL},
	{"section names of another type of section", V(FILE), "section-names", PLAIN, SH(NAMES, sh_type), SHT_PROGBITS,
		SEALED, NULL},
	{"section names that overflow", V(FILE), "section-names", PLAIN, SH(NAMES, sh_size), UINT64_MAX, SEALED, NULL},
	{"text whose end overflows", V(FILE), "segment-outside-file", PLAIN, PH(TEXT, p_offset), UINT64_MAX - 4095,
		SEALED, NULL},
	{"text longer than the file", V(FILE), "segment-outside-file", PLAIN, PH(TEXT, p_filesz), UINT64_C(1) << 63,
		SEALED, NULL},
	{"section whose end overflows", V(FILE), "section-outside-file", PLAIN, SH(NOTE, sh_offset), UINT64_MAX - 15,
		SEALED, NULL},
	{"section size that overflows", V(FILE), "section-outside-file", PLAIN, SH(NOTE, sh_size), UINT64_MAX, SEALED,
		NULL},
	{"proof past the end", V(FILE), "section-outside-file", PLAIN, SH(PROOF, sh_offset), UINT64_C(1) << 40, SEALED,
		NULL},
	{"section name out of range", V(FILE), "section-name", PLAIN, SH(TEXT, sh_name), UINT32_MAX, SEALED, NULL},

	{"writable code", V(LAYOUT), "writable-and-executable", PLAIN, PH(TEXT, p_flags), 7, SEALED, NULL},
	{"code that can't be read", V(LAYOUT), "segment-flags", PLAIN, PH(TEXT, p_flags), 1, SEALED, NULL},
	{"flags of the system's", V(LAYOUT), "segment-flags", PLAIN, PH(TEXT, p_flags), 5 | 0x100000, SEALED, NULL},
	{"no code", V(LAYOUT), "no-text", PLAIN, PH(TEXT, p_flags), 4, SEALED, NULL},
	{"two code segments", V(LAYOUT), "duplicate-segment", DATA, PH(DATA, p_flags), 5, SEALED, NULL},
	{"rodata before text", V(LAYOUT), "segment-order", RODATA, FILE_START, 0, 0, 0, SEALED, swap_flags},
	{"data over text in memory", V(LAYOUT), "segments-overlap", DATA, FILE_START, 0, 0,
		offsetof(Elf64_Phdr, p_vaddr), SEALED, copy_field},
	{"data over text in the file", V(LAYOUT), "segments-share-file-page", DATA, FILE_START, 0, 0,
		offsetof(Elf64_Phdr, p_offset), SEALED, copy_field},
	{"data off its page", V(LAYOUT), "segment-not-aligned", DATA, PH(DATA, p_vaddr), 0x5008, SEALED, NULL},
	{"text too high", V(LAYOUT), "address-too-high", PLAIN, PH(TEXT, p_vaddr), UINT64_C(1) << 30, SEALED, NULL},
	{"text whose memory overflows", V(LAYOUT), "address-too-high", PLAIN, PH(TEXT, p_memsz), UINT64_MAX, SEALED,
		NULL},
	{"data whose memory overflows", V(LAYOUT), "address-too-high", DATA, PH(DATA, p_memsz), UINT64_MAX - 4095,
		SEALED, NULL},
	{"text longer in memory", V(LAYOUT), "segment-size", PLAIN, PH(TEXT, p_memsz), 4096, SEALED, NULL},
	{"data shorter in memory", V(LAYOUT), "segment-size", DATA, PH(DATA, p_memsz), 1, SEALED, NULL},
	{"text of no bytes", V(LAYOUT), "empty-segment", PLAIN, PH(TEXT, p_memsz), 0, SEALED, NULL},
	{"an interpreter", V(LAYOUT), "forbidden-segment", DATA, PH(DATA, p_type), PT_INTERP, SEALED, NULL},
	{"a dynamic section", V(LAYOUT), "forbidden-segment", DATA, PH(DATA, p_type), PT_DYNAMIC, SEALED, NULL},
	{"too many segments", V(LAYOUT), "too-many-segments", PLAIN, EH(e_phnum), 17, SEALED, NULL},
	{"relocations", V(LAYOUT), "relocation", PLAIN, SH(TEXT, sh_type), SHT_RELA, SEALED, NULL},
	{"relocations without addends", V(LAYOUT), "relocation", PLAIN, SH(TEXT, sh_type), SHT_REL, SEALED, NULL},
	{"relative relocations", V(LAYOUT), "relocation", PLAIN, SH(SYMTAB, sh_type), 19, SEALED, NULL},

	{"no note", V(NOTE), "no-note", PLAIN, FILE_START, 0, 0, 0, SEALED, lose_note},
	{"two notes", V(NOTE), "duplicate-note", PLAIN, FILE_START, 0, 0, 0, SEALED, double_note},
	{"note of another type of section", V(NOTE), "note-type", PLAIN, SH(NOTE, sh_type), SHT_PROGBITS, SEALED, NULL},
	{"note's name", V(NOTE), "note-header", PLAIN, NOTE, 12, 1, 'w', SEALED, NULL},
	{"note's padding", V(NOTE), "note-header", PLAIN, NOTE, 18, 1, 1, SEALED, NULL},
	{"size of the note's name", V(NOTE), "note-header", PLAIN, NOTE, 0, 4, 4, SEALED, NULL},
	{"note's type", V(NOTE), "note-header", PLAIN, NOTE, 8, 4, 2, SEALED, NULL},
	{"note of ten bytes", V(NOTE), "note-header", PLAIN, SH(NOTE, sh_size), 10, SEALED, NULL},
	{"descriptor longer than the note", V(NOTE), "note-size", PLAIN, NOTE, 4, 4, 0xfffffff0, SEALED, NULL},
	{"descriptor shorter than the note", V(NOTE), "note-size", PLAIN, NOTE, 4, 4, 31, SEALED, NULL},
	{"note's version", V(NOTE), "note-version", PLAIN, DESC, 0, 4, 2, SEALED, NULL},
	{"profile", V(NOTE), "profile", PLAIN, DESC, 4, 4, 2, SEALED, NULL},
	{"state too large", V(NOTE), "state-too-large", PLAIN, DESC, 8, 4, (1u << 28) + 1, SEALED, NULL},
	{"state of 4 GiB", V(NOTE), "state-too-large", PLAIN, DESC, 8, 4, UINT32_MAX, SEALED, NULL},
	{"event larger than there is", V(NOTE), "event-size", PLAIN, DESC, 12, 4, 120, SEALED, NULL},
	{"event of an odd size", V(NOTE), "event-size", PLAIN, DESC, 12, 4, 108, SEALED, NULL},
	{"no entries", V(NOTE), "entry-count", PLAIN, DESC, 16, 4, 0, SEALED, NULL},
	{"too many entries", V(NOTE), "entry-count", PLAIN, DESC, 16, 4, 1025, SEALED, NULL},
	{"entries that overflow", V(NOTE), "entry-count", PLAIN, DESC, 16, 4, UINT32_MAX, SEALED, NULL},
	{"more entries than bytes", V(NOTE), "note-strings", PLAIN, DESC, 16, 4, 1024, SEALED, NULL},
	{"too many imports", V(NOTE), "import-count", PLAIN, DESC, 20, 4, 65, SEALED, NULL},
	{"more imports than bytes", V(NOTE), "note-strings", PLAIN, DESC, 20, 4, 64, SEALED, NULL},
	{"strings outside", V(NOTE), "note-strings", PLAIN, DESC, 24, 4, UINT32_MAX, SEALED, NULL},
	{"strings over the tables", V(NOTE), "note-strings", PLAIN, DESC, 24, 4, 32, SEALED, NULL},
	{"unknown feature", V(NOTE), "note-features", PLAIN, DESC, 28, 4, 64, SEALED, NULL},
	{"features not named", V(FEATURE), "feature-not-named", COUNTS, DESC, 28, 4, 0, SEALED, NULL},
	{"one feature not named", V(FEATURE), "feature-not-named", COUNTS, DESC, 28, 4, 14, SEALED, NULL},
	{"feature without permission", V(FEATURE), "feature-not-granted", PLAIN, DESC, 28, 4, 32, SEALED, NULL},
	{"entry before the text", V(NOTE), "entry-outside-text", PLAIN, DESC, 32, 8, 0, SEALED, NULL},
	{"entry far away", V(NOTE), "entry-outside-text", PLAIN, DESC, 32, 8, UINT64_MAX, SEALED, NULL},
	{"entry's name outside", V(NOTE), "string-outside-table", PLAIN, DESC, 40, 4, 0xffff, SEALED, NULL},
	{"entry's site outside", V(NOTE), "string-outside-table", PLAIN, DESC, 44, 4, UINT32_MAX, SEALED, NULL},
	{"entry's type outside", V(NOTE), "string-outside-table", PLAIN, DESC, 48, 4, 0x10000, SEALED, NULL},
	{"entry's kind", V(NOTE), "entry-kind", PLAIN, DESC, 52, 4, 2, SEALED, NULL},
	{"two entries of one name", V(NOTE), "duplicate-name", PLAIN, FILE_START, 0, 0, 0, SEALED, double_entry},
	{"import outside rodata", V(NOTE), "import-outside-rodata", RODATA, FILE_START, 0, 0, 4096, SEALED, add_import},
	{"import half outside rodata", V(NOTE), "import-outside-rodata", RODATA, FILE_START, 0, 0, 1, SEALED,
		add_import},

	{"no proof", V(PROOF), "proof-missing", PLAIN, FILE_START, 0, 0, 0, SEALED, lose_proof},
	{"two proofs", V(PROOF), "duplicate-proof", PLAIN, FILE_START, 0, 0, 0, SEALED, double_proof},
	{"proof without bytes in the file", V(PROOF), "proof-type", PLAIN, SH(PROOF, sh_type), SHT_NOBITS, SEALED,
		NULL},
	{"proof in a section of no kind", V(PROOF), "proof-type", PLAIN, SH(PROOF, sh_type), SHT_NULL, SEALED, NULL},
	{"proof too large for its text", V(PROOF), "proof-too-large", PLAIN, FILE_START, 0, 0, 70000, SEALED,
		grow_proof},
	{"empty proof", V(PROOF), "proof-malformed", PLAIN, FILE_START, 0, 0, UINT64_MAX, SEALED, cut_proof},
	{"proof's magic number", V(PROOF), "proof-malformed", PLAIN, PROOF, 0, 1, 'w', SEALED, NULL},
	{"proof's version", V(PROOF), "proof-malformed", PLAIN, PROOF, 4, 1, 2, SEALED, NULL},
	{"proof of no functions", V(PROOF), "proof-malformed", PLAIN, PROOF, 13, 1, 0, SEALED, NULL},
	{"proof of many functions", V(PROOF), "proof-malformed", PLAIN, PROOF, 13, 1, 127, SEALED, NULL},
	{"proof cut by a byte", V(PROOF), "proof-malformed", PLAIN, FILE_START, 0, 0, 1, SEALED, cut_proof},
	{"proof longer by a byte", V(PROOF), "proof-malformed", PLAIN, FILE_START, 0, 0, 1, SEALED, grow_proof},
	{"seal", V(SEAL), "seal-mismatch", PLAIN, PROOF, 5, 8, 0, NOT_SEALED, NULL},
	{"proof altered", V(SEAL), "seal-mismatch", PLAIN, PROOF, 14, 1, 0x7f, NOT_SEALED, NULL},
	{"code altered", V(SEAL), "seal-mismatch", PLAIN, TEXT, 0, 1, 0x90, NOT_SEALED, NULL},
	{"note altered", V(SEAL), "seal-mismatch", PLAIN, DESC, 8, 4, 63, NOT_SEALED, NULL},
	{"another module's proof", V(SEAL), "seal-mismatch", PLAIN, FILE_START, 0, 0, 0, NOT_SEALED, swap_proof},
	{"another module's proof, sealed for this one", V(BLOCK), "branch-to-unproven", PLAIN, FILE_START, 0, 0, 0,
		SEALED, swap_proof},
	{"state one byte smaller than the code was proven for", V(BOUNDS), "store-outside-region", PLAIN, DESC, 8, 4,
		63, SEALED, NULL},
	{"event smaller than the code reads", V(BOUNDS), "load-outside-region", DATA, DESC, 12, 4, 0, SEALED, NULL},
	{"import that nobody allowed", V(IMPORT), "import-not-allowed", IMPORTS, FILE_START, 0, 0, 0, SEALED, NULL},
	{"import that nobody knows", V(IMPORT_TYPE), "import-unknown", RODATA, FILE_START, 0, 0, 0, SEALED, add_import},
	{"import whose name is outside the strings", V(NOTE), "string-outside-table", IMPORTS, DESC, 32 + 24, 4,
		0x10000, SEALED, NULL},
	{"import without name", V(NOTE), "empty-name", IMPORTS, DESC, 32 + 24, 4, 0, SEALED, NULL},
	{"import slot misaligned", V(SLOT), "import-slot-misaligned", IMPORTS, DESC, 32 + 24 + 4, 4, 0x2004, SEALED,
		NULL},
	{"two imports with one slot", V(SLOT), "import-slot-shared", IMPORTS, FILE_START, 0, 0, 4, SEALED, same_import},
	{"two imports with one name", V(NOTE), "duplicate-name", IMPORTS, FILE_START, 0, 0, 0, SEALED, same_import},
};

/* ---- Running them ---- */

static bool apply(const struct attack *a, const struct ward_buf *bases, struct ward_buf *file)
{
	size_t at;
	*file = buf_copy(&bases[a->base]);
	if (a->how) {
		if (!a->how(file, bases, a->value))
			return false;
	} else {
		if (!find_place(file, a->place, &at))
			return false;
		put_le(file, at + a->offset, a->bytes, a->value);
	}
	if (a->seal == SEALED)
		reseal(file);
	return true;
}

static void count_insn(void *user, const struct wv_insn *insn, const struct wv_ctx *ctx, const struct wv_state *st)
{
	unsigned *n = user;
	(void)insn, (void)ctx, (void)st;
	++*n;
}

/* Who looks on at the check of a file that is no module sees none of its code. */
static bool unseen(const struct ward_buf *file)
{
	unsigned n = 0;
	struct wv_sink silent = {0};
	struct wv_module m;
	struct wv_watcher w = {.before = count_insn, .user = &n};
	bool is_module = wv_module_parse(&m, file->data, file->size, 1u << 28, &silent);
	return wv_watch(file->data, file->size, NULL, &w) && (is_module || n == 0);
}

static bool broken_as(const struct attack *a, const struct ward_buf *file)
{
	struct ward_verdict *v = ward_verify(file->data, file->size, NULL);
	bool right = v && !v->accepted && v->n_violations && v->violations[0].rule == a->rule &&
		     !strcmp(v->violations[0].reason, a->reason);
	if (v && !right) {
		fprintf(stderr, "corpus: broken file `%s`: expected %s %s\n", a->name, ward_rule_number(a->rule),
			a->reason);
		for (size_t i = 0; i < v->n_violations && i < 4; i++)
			fprintf(stderr, "    %s %s: %s\n", ward_rule_number(v->violations[i].rule),
				v->violations[i].reason, v->violations[i].detail);
	}
	ward_verdict_free(v);
	if (!unseen(file)) {
		fprintf(stderr, "corpus: broken file `%s`: its code was looked at\n", a->name);
		return false;
	}
	return right;
}

/* An entry moved to the next byte of the text: V-26 at that address. */
static bool moved_entry(const struct ward_buf *base)
{
	struct ward_buf file = buf_copy(base);
	struct part desc = part_note(&file);
	uint64_t address = get_le(&file, desc.offset + 32, 8) + 1;
	put_le(&file, desc.offset + 32, 8, address);
	reseal(&file);
	struct ward_verdict *v = ward_verify(file.data, file.size, NULL);
	bool right = v && !v->accepted && v->n_violations == 1 && v->violations[0].rule == WARD_RULE_ENTRY &&
		     !strcmp(v->violations[0].reason, "entry-without-proof") && v->violations[0].pc == address;
	if (!right)
		fprintf(stderr, "corpus: a moved entry is not V-26 at 0x%" PRIx64 "\n", address);
	ward_verdict_free(v);
	free(file.data);
	return right;
}

/*
 * An import slot over one of a jump table's entries: the loader would change where the jump goes. The load breaks V-72,
 * and the jump V-27.
 */
static bool import_over_table(const struct ward_buf *bases)
{
	bool right = true;
	for (uint64_t slot = 0; slot <= 8; slot += 8) {
		struct ward_buf file = buf_copy(&bases[TABLE]);
		bool made = add_import(&file, bases, slot), load = false, jump = false;
		reseal(&file);
		struct ward_verdict *v = ward_verify(file.data, file.size, NULL);
		for (size_t i = 0; v && i < v->n_violations; i++) {
			load |= v->violations[i].rule == WARD_RULE_SLOT;
			jump |= v->violations[i].rule == WARD_RULE_TABLE;
		}
		right &= made && v && !v->accepted && load && jump;
		ward_verdict_free(v);
		free(file.data);
	}
	if (!right)
		fprintf(stderr, "corpus: a jump table under an import slot does not break V-72 and V-27\n");
	return right;
}

/* What of an accepted module's facts must not depend on its proof. */
static bool same_facts(const struct ward_entry_facts *a, const struct ward_entry_facts *b)
{
	return a->addr == b->addr && a->stack_bytes == b->stack_bytes && a->clobbers == b->clobbers &&
	       a->event_fields == b->event_fields && a->writes_state == b->writes_state && a->kind == b->kind &&
	       !(a->needs & ~b->needs); /* less that is known of an address may need more */
}

/*
 * Every bit of the proof flipped and sealed again: refused, or accepted with the same facts. The bound may be looser,
 * never below the run's true length.
 */
static bool proof_bits(const struct ward_buf *base, uint64_t least_insns)
{
	struct ward_verdict *good = ward_verify(base->data, base->size, NULL);
	struct part p = part_section(base, ".ward.proof");
	struct ward_buf file = buf_copy(base);
	unsigned accepted = 0, wrong = 0, bits = 0;
	for (size_t bit = 13 * 8; good && good->accepted && bit < p.size * 8; bit++, bits++) {
		uint8_t *byte = &file.data[p.offset + bit / 8], mask = (uint8_t)(1u << bit % 8);
		*byte ^= mask;
		reseal(&file);
		struct ward_verdict *v = ward_verify(file.data, file.size, NULL);
		if (v && v->accepted) {
			accepted++;
			bool same = same_facts(&good->module.entries[0], &v->module.entries[0]) &&
				    v->module.entries[0].max_insns >= least_insns;
			wrong += !same;
			if (!same)
				fprintf(stderr, "corpus: bit %zu of the proof changes the facts\n", bit);
		}
		ward_verdict_free(v);
		*byte ^= mask;
	}
	printf("corpus: %u bits of a proof flipped: %u refused, %u accepted with the same facts\n", bits,
		bits - accepted, accepted - wrong);
	ward_verdict_free(good);
	free(file.data);
	return bits && !wrong;
}

/* Files that look odd and are right: what is accepted at the limits of the file's rules. */
static bool odd_but_right(const struct ward_buf *bases, unsigned *accepting)
{
	bool right = true;
	struct {
		const char *what;
		enum ward_rule rule;
		struct ward_buf file;
	} files[] = {
		{"bytes after the last section", WARD_RULE_FILE, buf_copy(&bases[PLAIN])},
		{"the file sealed again", WARD_RULE_SEAL, buf_copy(&bases[PLAIN])},
		{"the proof in another place of the file", WARD_RULE_PROOF, buf_copy(&bases[PLAIN])},
		{"data with more memory than bytes", WARD_RULE_LAYOUT, buf_copy(&bases[DATA])},
		{"an event of no bytes that nothing reads", WARD_RULE_NOTE, buf_copy(&bases[PLAIN])},
	};
	buf_append(&files[0].file, "tail", 4);
	reseal(&files[1].file);
	struct part proof = part_section(&bases[PLAIN], ".ward.proof");
	buf_append(&files[2].file, "pad", 3);
	set_proof(&files[2].file, bases[PLAIN].data + proof.offset, proof.size);
	put_le(&files[3].file, part_segment(&files[3].file, 6).header + offsetof(Elf64_Phdr, p_memsz), 8, 123456);
	put_le(&files[4].file, part_note(&files[4].file).offset + 12, 4, 0);
	reseal(&files[4].file);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct ward_verdict *v = ward_verify(files[i].file.data, files[i].file.size, NULL);
		bool accepted = v && v->accepted;
		accepting[files[i].rule] += accepted;
		if (!accepted)
			fprintf(stderr, "corpus: not accepted: %s: %s\n", files[i].what,
				v && v->n_violations ? v->violations[0].detail : "?");
		right &= accepted;
		ward_verdict_free(v);
		free(files[i].file.data);
	}
	return right;
}

/* ---- Work ---- */

/*
 * n branches of six bytes into a block, where every slot of a full frame holds the same number, which each of them
 * tells of; and `pad` bytes that belong to nothing. What comes of it is a matter of V-06 alone.
 */
static struct bm_file busy_file(unsigned n, size_t pad)
{
	static const struct bm_entry entry = {.name = "busy"};
	/* sub rsp, 4096; mov rax, [rdi] */
	static const uint8_t begin[] = {0x48, 0x81, 0xec, 0, 0x10, 0, 0, 0x48, 0x8b, 0x07};
	static const uint8_t store[] = {0x48, 0x89, 0x84, 0x24};              /* mov [rsp + …], rax */
	static const uint8_t compare[] = {0x48, 0x83, 0xf8, 5};               /* cmp rax, 5 */
	static const uint8_t end[] = {0x48, 0x81, 0xc4, 0, 0x10, 0, 0, 0xc3}; /* add rsp, 4096; ret */
	/*
	 * One function, which keeps nothing, has no windows, results or loops, and two blocks. Block 0 claims that rdi
	 * is the event.
	 */
	static const uint8_t proof[] = {1, 0, 0, 0, 0, 0, 2, 0, 0, 1, 7, 3, 0, 1, 0, 0, 0};
	struct bm_bytes t = {0}, p = {0};
	bm_put(&t, begin, sizeof(begin));
	for (unsigned i = 0; i < 512; i++) {
		bm_put(&t, store, sizeof(store));
		bm_put_le(&t, 4, 8 * i);
	}
	bm_put(&t, compare, sizeof(compare));
	for (unsigned i = n; i > 0; i--) {
		bm_put(&t, "\x0f\x8a", 2); /* jp */
		bm_put_le(&t, 4, 6 * (i - 1));
	}
	bm_put(&p, proof, sizeof(proof));
	bm_put_uleb(&p, t.n);
	bm_put_uleb(&p, 4096);
	bm_put(&p, "\0", 2); /* nothing is claimed, no distances */
	bm_put(&t, end, sizeof(end));
	uint8_t *more = calloc(1, pad + 1);
	struct bm_section rest = {.name = "rest", .bytes = more, .size = pad};
	struct bm_module m = {.text = t.p,
		.text_size = t.n,
		.state_size = 64,
		.entries = &entry,
		.n_entries = 1,
		.sections = &rest,
		.n_sections = 1,
		.proof = p.p,
		.proof_size = p.n};
	struct bm_file file = bm_build(&m);
	free(more);
	bm_bytes_free(&t);
	bm_bytes_free(&p);
	return file;
}

/* 1: accepted, 0: refused for the work that it makes and nothing else, -1: something else. */
static int busy_verdict(unsigned n, size_t pad, bool explained)
{
	struct bm_file file = busy_file(n, pad);
	struct ward_verify_options options = {.size = sizeof(options), .explain = explained};
	struct ward_verdict *v = ward_verify(file.data, file.size, &options);
	bool refused = v && !v->accepted && v->n_violations == 1 && v->violations[0].rule == WARD_RULE_WORK &&
		       !strcmp(v->violations[0].reason, "too-much-work");
	int is = v && v->accepted && v->n_violations == 0 ? 1 : refused ? 0 : -1;
	ward_verdict_free(v);
	bm_free(&file);
	return is;
}

/*
 * A file that makes too much work for its size is accepted once bytes are added that belong to nothing: from just so
 * many on, and not with one less.
 */
static bool work_at_its_limit(void)
{
	enum { BRANCHES = 3000, MOST = 1 << 19 };
	size_t few = 0, enough = MOST;
	bool right = busy_verdict(10, 0, false) == 1 && busy_verdict(BRANCHES, few, false) == 0 &&
		     busy_verdict(BRANCHES, few, true) == 0 && busy_verdict(BRANCHES, enough, false) == 1;
	while (right && enough - few > 1) {
		size_t middle = few + (enough - few) / 2;
		int is = busy_verdict(BRANCHES, middle, false);
		right = is >= 0;
		*(is ? &enough : &few) = middle;
	}
	right = right && busy_verdict(BRANCHES, enough, false) == 1 && busy_verdict(BRANCHES, enough - 1, false) == 0;
	if (!right)
		fprintf(stderr, "corpus: a file that makes much work is not accepted just where V-06 permits it\n");
	return right;
}

/* ---- One way after the other ---- */

enum {
	ATTACKS = sizeof(attacks) / sizeof(attacks[0]),
	MOVED_ENTRY = ATTACKS,
	IMPORT_OVER_TABLE,
	ODD_BUT_RIGHT,
	PROOF_BITS,
	WORK,
	WAYS
};

bool broken_open(struct broken *b, const char *folder, const char *dir)
{
	bool built = true;
	memset(b, 0, sizeof(*b));
	for (int i = 0; i < BASES; i++) {
		struct corpus_case c;
		char path[4096];
		snprintf(path, sizeof(path), "%s/%s", folder, base_file[i]);
		bool ok = case_read(path, false, &c) && case_build(path, dir, &c);
		built &= ok;
		if (ok)
			b->base[i] = buf_copy(&c.module);
		case_free(&c);
	}
	return built;
}

void broken_close(struct broken *b)
{
	for (int i = 0; i < BASES; i++)
		free(b->base[i].data);
}

unsigned broken_ways(void)
{
	return WAYS;
}

const char *broken_name(unsigned way)
{
	static const char *const others[] = {"a moved entry", "an import slot over a jump table", "odd but right",
		"each bit of a proof", "work at its limit"};
	return way < ATTACKS ? attacks[way].name : others[way - ATTACKS];
}

const char *broken_class(unsigned way)
{
	enum ward_rule rule = way < ATTACKS          ? attacks[way].rule
			      : way == MOVED_ENTRY   ? WARD_RULE_NOTE
			      : way == ODD_BUT_RIGHT ? WARD_RULE_FILE
						     : WARD_RULE_PROOF;
	enum place place = way < ATTACKS ? attacks[way].place : FILE_START;
	if (rule == WARD_RULE_FILE || rule == WARD_RULE_LAYOUT)
		return "elf";
	return rule == WARD_RULE_PROOF || rule == WARD_RULE_SEAL || place == PROOF ? "proof" : "note";
}

bool broken_try(struct broken *b, unsigned way)
{
	struct ward_buf file;
	bool ok;
	switch (way) {
	case MOVED_ENTRY:
		ok = moved_entry(&b->base[PLAIN]);
		b->rejecting[WARD_RULE_ENTRY] += ok;
		return ok;
	case IMPORT_OVER_TABLE: return import_over_table(b->base);
	case ODD_BUT_RIGHT: return odd_but_right(b->base, b->accepting);
	case WORK:
		ok = work_at_its_limit();
		b->rejecting[WARD_RULE_WORK] += ok;
		b->accepting[WARD_RULE_WORK] += ok;
		return ok;
	case PROOF_BITS: return proof_bits(&b->base[PLAIN], 1 + 64 * 4 + 1);
	default:
		ok = apply(&attacks[way], b->base, &file) && broken_as(&attacks[way], &file);
		b->rejecting[attacks[way].rule] += ok;
		free(file.data);
		return ok;
	}
}
