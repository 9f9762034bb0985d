/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module parser on good files, on files that break one rule each, on every truncation, and on files damaged at
 * random.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include <criterion/criterion.h>

#include "verifier/file/module.h"
#include "build_module.h"
#include "guarded.h"

/* The first violation, and how many there were. */
struct seen {
	struct wv_sink sink;
	enum ward_rule rule;
	uint64_t pc;
	char reason[64], detail[320];
};

static void keep_first(struct wv_sink *sink, enum ward_rule rule, uint64_t pc, const char *reason, const char *detail)
{
	struct seen *seen = sink->user;

	if (sink->count > 1)
		return;
	seen->rule = rule;
	seen->pc = pc;
	snprintf(seen->reason, sizeof seen->reason, "%s", reason);
	snprintf(seen->detail, sizeof seen->detail, "%s", detail);
}

static bool parse(struct seen *seen, struct wv_module *m, const void *file, size_t size, uint32_t max_state)
{
	*seen = (struct seen){.sink = {.report = keep_first, .user = seen}};
	return wv_module_parse(m, file, size, max_state, &seen->sink);
}

/* A module with one of everything. */
static const uint8_t code[] = {0x48, 0xff, 0x06, 0xc3, 0x90, 0xc3};
static const struct bm_entry entries[] = {
	{.name = "on_read", .site = "libc.so.6!read", .state_type = "struct ward_state", .offset = 0},
	{.name = "on_return", .site = "", .state_type = "", .offset = 5, .kind = 1},
};
static const struct bm_import imports[] = {{"ward_read", 8}, {"ward_clock", 16}};
static const struct bm_section relocations[] = {
	{.name = ".debug_info", .bytes = "debug", .size = 5},
	{.name = ".rela.debug_info", .type = SHT_PROGBITS, .bytes = "012345678901234567890123", .size = 24},
};

/*
 * Sections of the good module by index: the null section, text, rodata, data, bss, note, proof, the two above, names.
 */
enum { S_TEXT = 1, S_RODATA, S_DATA, S_BSS, S_NOTE, S_PROOF, S_DEBUG, S_RELA, S_NAMES };
enum { P_TEXT, P_RODATA, P_DATA, P_STACK };

static struct bm_module good_module(void)
{
	return (struct bm_module){
		.text = code,
		.text_size = sizeof code,
		.rodata = "constants 12345678901234",
		.rodata_size = 24,
		.data = "data",
		.data_size = 4,
		.bss_size = 5000,
		.state_size = 4096,
		.entries = entries,
		.n_entries = 2,
		.imports = imports,
		.n_imports = 2,
		.sections = relocations,
		.n_sections = 2,
		.proof = "\0",
		.proof_size = 1,
	};
}

static struct bm_file good_file(void)
{
	struct bm_module module = good_module();

	return bm_build(&module);
}

Test(module, good)
{
	struct bm_file f = good_file();
	struct wv_module m;
	struct wv_entry e;
	struct seen seen;

	cr_assert(parse(&seen, &m, f.data, f.size, 0), "%s: %s", seen.reason, seen.detail);
	cr_assert_eq(seen.sink.count, 0);
	cr_assert(m.text.addr == 0x1000 && m.text.filesz == sizeof code && m.text.memsz == sizeof code &&
		  m.text.offset == f.text);
	cr_assert(m.rodata.addr == 0x2000 && m.rodata.memsz == 24);
	cr_assert(m.data.addr == 0x3000 && m.data.filesz == 4 && m.data.memsz == 5004);
	cr_assert(m.text_bytes.n == sizeof code && memcmp(m.text_bytes.p, code, sizeof code) == 0);
	cr_assert(m.note.p == f.data + f.note && m.note.n == f.note_end - f.note);
	cr_assert(m.proof.p == f.data + f.proof && m.proof.n == f.proof_end - f.proof);
	cr_assert(m.profile == WARD_PROFILE_USER && m.state_size == 4096 && m.n_entries == 2 && m.n_imports == 2);
	e = wv_module_entry(&m, 0);
	cr_assert(e.addr == 0x1000 && e.kind == 0);
	cr_assert_str_eq(e.name, "on_read");
	cr_assert_str_eq(e.site, "libc.so.6!read");
	cr_assert_str_eq(e.state_type, "struct ward_state");
	e = wv_module_entry(&m, 1);
	cr_assert(e.addr == 0x1005 && e.kind == 1);
	cr_assert_str_eq(e.name, "on_return");
	cr_assert_str_eq(e.site, "");
	cr_assert_str_eq(m.import[0].name, "ward_read");
	cr_assert(m.import[0].id == WARD_IMPORT_READ && m.import[1].id == WARD_IMPORT_CLOCK);
	cr_assert(m.import[0].slot == 0x2008 && m.import[1].slot == 0x2010);
	cr_assert_eq(wv_module_seal(&m, (struct wv_bytes){m.proof.p + 13, m.proof.n - 13}), bm_get(&f, f.proof + 5, 8));
	bm_free(&f);
}

Test(module, smallest)
{
	static const struct bm_entry entry = {.name = "f"};
	struct bm_module module = {.text = "\xc3", .text_size = 1, .entries = &entry, .n_entries = 1};
	struct bm_file f = bm_build(&module);
	struct wv_module m;
	struct seen seen;

	cr_assert(parse(&seen, &m, f.data, f.size, 0), "%s: %s", seen.reason, seen.detail);
	cr_assert(m.rodata.memsz == 0 && m.data.memsz == 0 && m.proof.p == NULL && m.state_size == 0);
	bm_free(&f);
}

Test(module, seal_covers_every_byte)
{
	struct bm_file f = good_file();
	struct wv_module m;
	struct seen seen;
	const size_t spans[][2] = {{f.text, f.text + sizeof code}, {f.note, f.note_end}, {f.proof + 13, f.proof_end}};
	uint64_t seal;

	cr_assert(parse(&seen, &m, f.data, f.size, 0));
	seal = bm_get(&f, f.proof + 5, 8);
	for (unsigned s = 0; s < 3; s++) {
		for (size_t at = spans[s][0]; at < spans[s][1]; at++) {
			f.data[at] ^= 1;
			cr_assert_neq(wv_module_seal(&m, (struct wv_bytes){m.proof.p + 13, m.proof.n - 13}), seal,
				"byte %zu", at);
			f.data[at] ^= 1;
		}
	}
	/* FNV-1a's of no bytes and of "a", as its authors publish them; the second folded once. */
	cr_assert_eq(wv_module_seal(&(struct wv_module){0}, (struct wv_bytes){0}), UINT64_C(0xcbf29ce484222325));
	cr_assert_eq(wv_module_seal(&(struct wv_module){0}, (struct wv_bytes){(const uint8_t *)"a", 1}),
		UINT64_C(0xaf63dc4c8601ec8c) ^ 0xaf63dc4c);
	bm_free(&f);
}

/* Where a patch goes: an offset in the file, or in a structure. */
enum where { END, FILE_AT, PHDR, SHDR, NOTE, DESC, ENTRY, IMPORT, STRINGS, NAME_OF };

struct patch {
	enum where where;
	unsigned index, field, width;
	uint64_t value;
};

/* clang-format off */
#define EHDR(field, width, value) {FILE_AT, 0, offsetof(Elf64_Ehdr, field), width, value}
#define PH(i, field, width, value) {PHDR, i, offsetof(Elf64_Phdr, field), width, value}
#define SH(i, field, width, value) {SHDR, i, offsetof(Elf64_Shdr, field), width, value}
#define COPY_NAME(to, from) {NAME_OF, to, from, 4, 0}

static const struct {
	const char *what;
	enum ward_rule rule;
	const char *reason;
	struct patch patch[4];
} broken[] = {
	/* V-01 */
	{"magic number", WARD_RULE_FILE, "not-elf", {{FILE_AT, 0, 3, 1, 'f'}}},
	{"32 bits", WARD_RULE_FILE, "not-elf64", {{FILE_AT, 0, EI_CLASS, 1, ELFCLASS32}}},
	{"big-endian", WARD_RULE_FILE, "not-little-endian", {{FILE_AT, 0, EI_DATA, 1, ELFDATA2MSB}}},
	{"version in the identification", WARD_RULE_FILE, "elf-version", {{FILE_AT, 0, EI_VERSION, 1, 0}}},
	{"version in the header", WARD_RULE_FILE, "elf-version", {EHDR(e_version, 4, 2)}},
	{"another machine", WARD_RULE_FILE, "not-x86-64", {EHDR(e_machine, 2, EM_386)}},
	{"an executable", WARD_RULE_FILE, "not-shared-object", {EHDR(e_type, 2, ET_EXEC)}},
	{"a relocatable object", WARD_RULE_FILE, "not-shared-object", {EHDR(e_type, 2, ET_REL)}},
	{"size of the header", WARD_RULE_FILE, "header-size", {EHDR(e_ehsize, 2, 52)}},
	{"size of program headers", WARD_RULE_FILE, "header-size", {EHDR(e_phentsize, 2, 55)}},
	{"size of section headers", WARD_RULE_FILE, "header-size", {EHDR(e_shentsize, 2, 0)}},
	{"program headers after the file", WARD_RULE_FILE, "program-headers-outside-file", {EHDR(e_phoff, 8, 1 << 20)}},
	{"program headers at the last address", WARD_RULE_FILE, "program-headers-outside-file",
		{EHDR(e_phoff, 8, UINT64_MAX - 8)}},
	{"section headers after the file", WARD_RULE_FILE, "section-headers-outside-file",
		{EHDR(e_shoff, 8, UINT64_C(1) << 63)}},
	{"too many section headers", WARD_RULE_FILE, "section-headers-outside-file", {EHDR(e_shnum, 2, 0xffff)}},
	{"text after the file", WARD_RULE_FILE, "segment-outside-file", {PH(P_TEXT, p_offset, 8, 1 << 20)}},
	{"text longer than the file", WARD_RULE_FILE, "segment-outside-file",
		{PH(P_TEXT, p_filesz, 8, 1 << 20), PH(P_TEXT, p_memsz, 8, 1 << 20)}},
	{"offset and size of text overflow", WARD_RULE_FILE, "segment-outside-file",
		{PH(P_TEXT, p_offset, 8, UINT64_MAX - 0xfff), PH(P_TEXT, p_filesz, 8, 0x1000),
			PH(P_TEXT, p_memsz, 8, 0x1000)}},
	{"no section name table", WARD_RULE_FILE, "no-section-names", {EHDR(e_shstrndx, 2, 0)}},
	{"section name table out of range", WARD_RULE_FILE, "no-section-names", {EHDR(e_shstrndx, 2, 0xffff)}},
	{"no sections", WARD_RULE_FILE, "no-section-names", {EHDR(e_shnum, 2, 0)}},
	{"section names that are none", WARD_RULE_FILE, "section-names", {EHDR(e_shstrndx, 2, S_TEXT)}},
	{"section names after the file", WARD_RULE_FILE, "section-names", {SH(S_NAMES, sh_offset, 8, UINT64_MAX)}},
	{"section names without an end", WARD_RULE_FILE, "section-names", {SH(S_NAMES, sh_size, 8, 6)}},
	{"section names of no bytes", WARD_RULE_FILE, "section-names", {SH(S_NAMES, sh_size, 8, 0)}},
	{"section name after the table", WARD_RULE_FILE, "section-name", {SH(S_DATA, sh_name, 4, 0xffffffff)}},
	{"section after the file", WARD_RULE_FILE, "section-outside-file", {SH(S_DEBUG, sh_offset, 8, 1 << 20)}},
	{"section offset and size overflow", WARD_RULE_FILE, "section-outside-file",
		{SH(S_DEBUG, sh_offset, 8, 16), SH(S_DEBUG, sh_size, 8, UINT64_MAX - 8)}},
	{"note after the file", WARD_RULE_FILE, "section-outside-file", {SH(S_NOTE, sh_size, 8, 1 << 30)}},

	/* V-02 */
	{"17 program headers", WARD_RULE_LAYOUT, "too-many-segments", {EHDR(e_phnum, 2, 17)}},
	{"no program headers", WARD_RULE_LAYOUT, "no-text", {EHDR(e_phnum, 2, 0)}},
	{"PT_DYNAMIC", WARD_RULE_LAYOUT, "forbidden-segment", {PH(P_STACK, p_type, 4, PT_DYNAMIC)}},
	{"PT_INTERP", WARD_RULE_LAYOUT, "forbidden-segment", {PH(P_STACK, p_type, 4, PT_INTERP)}},
	{"text writable", WARD_RULE_LAYOUT, "writable-and-executable", {PH(P_TEXT, p_flags, 4, PF_R | PF_W | PF_X)}},
	{"data executable", WARD_RULE_LAYOUT, "writable-and-executable", {PH(P_DATA, p_flags, 4, PF_R | PF_W | PF_X)}},
	{"data write-only", WARD_RULE_LAYOUT, "segment-flags", {PH(P_DATA, p_flags, 4, PF_W)}},
	{"text execute-only", WARD_RULE_LAYOUT, "segment-flags", {PH(P_TEXT, p_flags, 4, PF_X)}},
	{"flags of an operating system", WARD_RULE_LAYOUT, "segment-flags",
		{PH(P_RODATA, p_flags, 4, PF_R | 0x00100000)}},
	{"a segment without rights", WARD_RULE_LAYOUT, "segment-flags", {PH(P_RODATA, p_flags, 4, 0)}},
	{"two texts", WARD_RULE_LAYOUT, "duplicate-segment", {PH(P_RODATA, p_flags, 4, PF_R | PF_X)}},
	{"two rodatas", WARD_RULE_LAYOUT, "duplicate-segment", {PH(P_DATA, p_flags, 4, PF_R)}},
	{"two datas", WARD_RULE_LAYOUT, "duplicate-segment", {PH(P_STACK, p_type, 4, PT_LOAD)}},
	{"data before rodata", WARD_RULE_LAYOUT, "segment-order",
		{PH(P_RODATA, p_flags, 4, PF_R | PF_W), PH(P_DATA, p_flags, 4, PF_R)}},
	{"text in rodata's page", WARD_RULE_LAYOUT, "segments-overlap", {PH(P_TEXT, p_vaddr, 8, 0x2000)}},
	{"rodata in the text's page", WARD_RULE_LAYOUT, "segments-overlap", {PH(P_RODATA, p_vaddr, 8, 0x1000)}},
	{"data at a page's middle", WARD_RULE_LAYOUT, "segment-not-aligned", {PH(P_DATA, p_vaddr, 8, 0x3800)}},
	{"offset at a page's middle", WARD_RULE_LAYOUT, "segment-not-aligned", {PH(P_DATA, p_offset, 8, 0x3001)}},
	{"data from the text's bytes", WARD_RULE_LAYOUT, "segments-share-file-page", {PH(P_DATA, p_offset, 8, 0x1000)}},
	{"address of 2^30", WARD_RULE_LAYOUT, "address-too-high", {PH(P_DATA, p_vaddr, 8, 1 << 30)}},
	{"address and size overflow", WARD_RULE_LAYOUT, "address-too-high",
		{PH(P_DATA, p_vaddr, 8, UINT64_MAX - 0xfff)}},
	{"bss that ends above 2^30", WARD_RULE_LAYOUT, "address-too-high", {PH(P_DATA, p_memsz, 8, 1 << 30)}},
	{"bss of 2^64 - 1 bytes", WARD_RULE_LAYOUT, "address-too-high", {PH(P_DATA, p_memsz, 8, UINT64_MAX)}},
	{"text with bss", WARD_RULE_LAYOUT, "segment-size", {PH(P_TEXT, p_memsz, 8, 64)}},
	{"rodata with bss", WARD_RULE_LAYOUT, "segment-size", {PH(P_RODATA, p_memsz, 8, 17)}},
	{"data shorter in memory", WARD_RULE_LAYOUT, "segment-size", {PH(P_DATA, p_memsz, 8, 3)}},
	{"text of no bytes", WARD_RULE_LAYOUT, "empty-segment",
		{PH(P_TEXT, p_filesz, 8, 0), PH(P_TEXT, p_memsz, 8, 0)}},
	{"rodata of no bytes", WARD_RULE_LAYOUT, "empty-segment",
		{PH(P_RODATA, p_filesz, 8, 0), PH(P_RODATA, p_memsz, 8, 0)}},
	{"no text", WARD_RULE_LAYOUT, "no-text", {PH(P_TEXT, p_type, 4, PT_NOTE)}},
	{"relocations of the text", WARD_RULE_LAYOUT, "relocation",
		{SH(S_RELA, sh_type, 4, SHT_RELA), SH(S_RELA, sh_info, 4, S_TEXT)}},
	{"REL relocations of data", WARD_RULE_LAYOUT, "relocation",
		{SH(S_RELA, sh_type, 4, SHT_REL), SH(S_RELA, sh_info, 4, S_DATA)}},
	{"loadable relocations", WARD_RULE_LAYOUT, "relocation",
		{SH(S_RELA, sh_type, 4, SHT_RELA), SH(S_RELA, sh_info, 4, S_DEBUG),
			SH(S_RELA, sh_flags, 8, SHF_ALLOC)}},
	{"relocations of no section", WARD_RULE_LAYOUT, "relocation", {SH(S_RELA, sh_type, 4, SHT_RELA)}},
	{"relocations of a section out of range", WARD_RULE_LAYOUT, "relocation",
		{SH(S_RELA, sh_type, 4, SHT_RELA), SH(S_RELA, sh_info, 4, 0xffffffff)}},
	{"RELR relocations", WARD_RULE_LAYOUT, "relocation", {SH(S_RELA, sh_type, 4, SHT_RELR)}},

	/* V-03 */
	{"no note", WARD_RULE_NOTE, "no-note", {SH(S_NOTE, sh_name, 4, 0)}},
	{"two notes", WARD_RULE_NOTE, "duplicate-note",
		{COPY_NAME(S_DEBUG, S_NOTE), SH(S_DEBUG, sh_type, 4, SHT_NOTE)}},
	{"note of another type", WARD_RULE_NOTE, "note-type", {SH(S_NOTE, sh_type, 4, SHT_PROGBITS)}},
	{"note without bytes in the file", WARD_RULE_NOTE, "note-type", {SH(S_NOTE, sh_type, 4, SHT_NOBITS)}},
	{"note of another name", WARD_RULE_NOTE, "note-header", {{NOTE, 0, 12, 1, 'w'}}},
	{"note with bytes in the name's padding", WARD_RULE_NOTE, "note-header", {{NOTE, 0, 19, 1, 1}}},
	{"note's name size", WARD_RULE_NOTE, "note-header", {{NOTE, 0, 0, 4, 8}}},
	{"note's type", WARD_RULE_NOTE, "note-header", {{NOTE, 0, 8, 4, 2}}},
	{"note of four bytes", WARD_RULE_NOTE, "note-header", {SH(S_NOTE, sh_size, 8, 4)}},
	{"note of no bytes", WARD_RULE_NOTE, "note-header", {SH(S_NOTE, sh_size, 8, 0)}},
	{"descriptor longer than the section", WARD_RULE_NOTE, "note-size", {{NOTE, 0, 4, 4, 0xffffffff}}},
	{"bytes after the note", WARD_RULE_NOTE, "note-size", {{NOTE, 0, 4, 4, 32}}},
	{"descriptor of 28 bytes", WARD_RULE_NOTE, "note-size", {{NOTE, 0, 4, 4, 28}, SH(S_NOTE, sh_size, 8, 48)}},
	{"version 2", WARD_RULE_NOTE, "note-version", {{DESC, 0, 0, 4, 2}}},
	{"profile 2", WARD_RULE_NOTE, "profile", {{DESC, 0, 4, 4, 2}}},
	{"state of 2^28 + 1 bytes", WARD_RULE_NOTE, "state-too-large", {{DESC, 0, 8, 4, (1 << 28) + 1}}},
	{"event larger than the host's", WARD_RULE_NOTE, "event-size", {{DESC, 0, 12, 4, 120}}},
	{"event of 12 bytes", WARD_RULE_NOTE, "event-size", {{DESC, 0, 12, 4, 12}}},
	{"no entries", WARD_RULE_NOTE, "entry-count", {{DESC, 0, 16, 4, 0}}},
	{"1025 entries", WARD_RULE_NOTE, "entry-count", {{DESC, 0, 16, 4, 1025}}},
	{"65 imports", WARD_RULE_NOTE, "import-count", {{DESC, 0, 20, 4, 65}}},
	{"more entries than there is room", WARD_RULE_NOTE, "note-strings", {{DESC, 0, 16, 4, 1024}}},
	{"strings inside the tables", WARD_RULE_NOTE, "note-strings", {{DESC, 0, 24, 4, 40}}},
	{"strings after the descriptor", WARD_RULE_NOTE, "note-strings", {{DESC, 0, 24, 4, 0x7fffffff}}},
	{"unknown feature", WARD_RULE_NOTE, "note-features", {{DESC, 0, 28, 4, 64}}},
	{"entry before the text", WARD_RULE_NOTE, "entry-outside-text", {{ENTRY, 0, 0, 8, 0xfff}}},
	{"entry right after the text", WARD_RULE_NOTE, "entry-outside-text", {{ENTRY, 1, 0, 8, 0x1000 + sizeof code}}},
	{"entry in rodata", WARD_RULE_NOTE, "entry-outside-text", {{ENTRY, 1, 0, 8, 0x2000}}},
	{"entry at the last address", WARD_RULE_NOTE, "entry-outside-text", {{ENTRY, 1, 0, 8, UINT64_MAX}}},
	{"name outside the strings", WARD_RULE_NOTE, "string-outside-table", {{ENTRY, 0, 8, 4, 0xffffffff}}},
	{"site outside the strings", WARD_RULE_NOTE, "string-outside-table", {{ENTRY, 0, 12, 4, 4096}}},
	{"state type outside the strings", WARD_RULE_NOTE, "string-outside-table", {{ENTRY, 1, 16, 4, 0x80000000}}},
	{"entry without name", WARD_RULE_NOTE, "empty-name", {{ENTRY, 0, 8, 4, 0}}},
	{"kind 2", WARD_RULE_NOTE, "entry-kind", {{ENTRY, 0, 20, 4, 2}}},
	{"two entries of one name", WARD_RULE_NOTE, "duplicate-name", {{ENTRY, 1, 8, 4, 1}}},
	{"import without name", WARD_RULE_NOTE, "empty-name", {{IMPORT, 0, 0, 4, 0}}},
	{"import's name outside the strings", WARD_RULE_NOTE, "string-outside-table", {{IMPORT, 0, 0, 4, 9999}}},
	{"import slot before rodata", WARD_RULE_NOTE, "import-outside-rodata", {{IMPORT, 0, 4, 4, 0x1008}}},
	{"import slot that ends after rodata", WARD_RULE_NOTE, "import-outside-rodata", {{IMPORT, 0, 4, 4, 0x2018}}},
	{"import slot half in rodata", WARD_RULE_NOTE, "import-outside-rodata", {{IMPORT, 0, 4, 4, 0x2014}}},
	{"import slot in data", WARD_RULE_NOTE, "import-outside-rodata", {{IMPORT, 0, 4, 4, 0x3000}}},

	/* V-72 */
	{"import slot misaligned", WARD_RULE_SLOT, "import-slot-misaligned", {{IMPORT, 0, 4, 4, 0x200c}}},
	{"two imports with one slot", WARD_RULE_SLOT, "import-slot-shared", {{IMPORT, 0, 4, 4, 0x2010}}},

	/* V-04, as far as the parser sees it */
	{"two proofs", WARD_RULE_PROOF, "duplicate-proof", {COPY_NAME(S_DEBUG, S_PROOF)}},
	{"proof without bytes in the file", WARD_RULE_PROOF, "proof-type", {SH(S_PROOF, sh_type, 4, SHT_NOBITS)}},
};
/* clang-format on */

static void apply(struct bm_file *f, const struct patch *p)
{
	uint64_t value = p->value;
	size_t at;

	switch (p->where) {
	case PHDR: at = bm_phdr(f, p->index, p->field); break;
	case SHDR: at = bm_shdr(f, p->index, p->field); break;
	case NOTE: at = f->note + p->field; break;
	case DESC: at = f->desc + p->field; break;
	case ENTRY: at = f->entries + 24 * p->index + p->field; break;
	case IMPORT: at = f->imports + 8 * p->index + p->field; break;
	case STRINGS: at = f->strings + p->field; break;
	case NAME_OF:
		at = bm_shdr(f, p->index, offsetof(Elf64_Shdr, sh_name));
		value = bm_get(f, bm_shdr(f, p->field, offsetof(Elf64_Shdr, sh_name)), 4);
		break;
	default: at = p->field; break;
	}
	bm_set(f, at, p->width, value);
}

Test(module, broken)
{
	size_t n = sizeof broken / sizeof *broken;
	struct guarded g = guarded_new(1 << 16);

	cr_assert(g.map);
	for (size_t i = 0; i < n; i++) {
		struct bm_file f = good_file();
		struct wv_module m;
		struct seen seen;
		bool ok;

		for (unsigned k = 0; k < 4 && broken[i].patch[k].where != END; k++)
			apply(&f, &broken[i].patch[k]);
		ok = parse(&seen, &m, guarded_put(&g, f.data, f.size), f.size, 0);
		cr_expect(!ok && seen.sink.count > 0, "%s: accepted", broken[i].what);
		cr_expect(ok || (seen.rule == broken[i].rule && strcmp(seen.reason, broken[i].reason) == 0 &&
					seen.sink.count == 1 && seen.pc == 0),
			"%s: %s %s (%s) and %zu in all, instead of %s %s", broken[i].what, ward_rule_number(seen.rule),
			seen.reason, seen.detail, seen.sink.count, ward_rule_number(broken[i].rule), broken[i].reason);
		bm_free(&f);
	}
	guarded_free(&g);
	fprintf(stderr, "module: %zu broken files rejected for the right reason\n", n);
}

Test(module, strings)
{
	static char name[1025];
	struct bm_entry entry = {.name = name};
	struct bm_module module = {.text = "\xc3", .text_size = 1, .entries = &entry, .n_entries = 1};
	struct wv_module m;
	struct seen seen;
	struct bm_file f;

	memset(name, 'n', 1023);
	f = bm_build(&module);
	cr_assert(parse(&seen, &m, f.data, f.size, 0), "%s", seen.detail);
	cr_assert_str_eq(wv_module_entry(&m, 0).name, name);
	bm_free(&f);

	memset(name, 'n', 1024);
	f = bm_build(&module);
	cr_assert(!parse(&seen, &m, f.data, f.size, 0));
	cr_assert_str_eq(seen.reason, "string-too-long");
	bm_free(&f);

	/* The last string's zero byte is the table's last; without it the table is refused, whoever refers to it. */
	f = bm_build(&(struct bm_module){
		.text = "\xc3", .text_size = 1, .entries = &(struct bm_entry){.name = "f"}, .n_entries = 1});
	bm_set(&f, f.desc + bm_get(&f, f.note + 4, 4) - 1, 1, 'x');
	cr_assert(!parse(&seen, &m, f.data, f.size, 0));
	cr_assert_str_eq(seen.reason, "note-strings");
	bm_free(&f);
}

Test(module, state_limit)
{
	struct bm_file f = good_file();
	struct wv_module m;
	struct seen seen;

	cr_assert(parse(&seen, &m, f.data, f.size, 4096));
	cr_assert(!parse(&seen, &m, f.data, f.size, 4095));
	cr_assert_eq(seen.rule, WARD_RULE_NOTE);
	cr_assert_str_eq(seen.reason, "state-too-large");
	bm_set(&f, f.desc + 8, 4, 1 << 28);
	cr_assert(parse(&seen, &m, f.data, f.size, 0));
	cr_assert(!parse(&seen, &m, f.data, f.size, 1 << 27));
	bm_free(&f);
}

Test(module, too_large)
{
	size_t size = (64 << 20) + 1;
	struct bm_file f = good_file();
	uint8_t *file = calloc(1, size);
	struct wv_module m;
	struct seen seen;

	cr_assert(file);
	memcpy(file, f.data, f.size);
	cr_assert(parse(&seen, &m, file, size - 1, 0), "%s", seen.detail);
	cr_assert(!parse(&seen, &m, file, size, 0));
	cr_assert_str_eq(seen.reason, "file-too-large");
	cr_assert(!parse(&seen, &m, NULL, 0, 0));
	cr_assert_str_eq(seen.reason, "file-too-short");
	free(file);
	bm_free(&f);
}

/* Relocations of debug information are no business of the loader's. */
Test(module, harmless_relocations)
{
	struct bm_file f = good_file();
	struct wv_module m;
	struct seen seen;

	bm_set(&f, bm_shdr(&f, S_RELA, offsetof(Elf64_Shdr, sh_type)), 4, SHT_RELA);
	bm_set(&f, bm_shdr(&f, S_RELA, offsetof(Elf64_Shdr, sh_info)), 4, S_DEBUG);
	cr_assert(parse(&seen, &m, f.data, f.size, 0), "%s: %s", seen.reason, seen.detail);
	bm_free(&f);
}

Test(module, every_truncation)
{
	struct bm_file f = good_file();
	struct guarded g = guarded_new(f.size);
	struct wv_module m;
	struct seen seen;

	cr_assert(g.map);
	for (size_t n = 0; n < f.size; n++) {
		cr_assert(!parse(&seen, &m, guarded_put(&g, f.data, n), n, 0), "accepted with %zu of %zu bytes", n,
			f.size);
		cr_assert_eq(seen.rule, WARD_RULE_FILE);
	}
	fprintf(stderr, "module: %zu truncations rejected\n", f.size);
	guarded_free(&g);
	bm_free(&f);
}

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* What a caller may rely on after a parse that found nothing. */
static void check_sound(const struct wv_module *m, const uint8_t *file, size_t size)
{
	const struct ward_segment *s[] = {&m->text, &m->rodata, &m->data};
	uint64_t end = 0;

	for (unsigned i = 0; i < 3; i++) {
		if (!s[i]->memsz)
			continue;
		cr_assert(s[i]->offset <= size && s[i]->filesz <= size - s[i]->offset && s[i]->filesz <= s[i]->memsz);
		cr_assert(s[i]->addr % 4096 == 0 && s[i]->offset % 4096 == 0 && s[i]->addr >= end &&
			  s[i]->memsz <= (1 << 30));
		end = s[i]->addr + s[i]->memsz;
		cr_assert(end <= 1 << 30);
	}
	cr_assert(m->text_bytes.p == file + m->text.offset && m->text_bytes.n == m->text.memsz && m->text.memsz > 0);
	for (uint32_t i = 0; i < m->n_entries; i++) {
		struct wv_entry e = wv_module_entry(m, i);

		cr_assert(e.addr - m->text.addr < m->text.memsz && e.kind <= 1);
		cr_assert(strlen(e.name) >= 1 && strlen(e.name) < 1024 && strlen(e.site) < 1024 &&
			  strlen(e.state_type) < 1024);
	}
	for (uint32_t i = 0; i < m->n_imports; i++)
		cr_assert(strlen(m->import[i].name) > 0 && m->import[i].slot % 8 == 0 &&
			  m->import[i].slot - m->rodata.addr <= m->rodata.memsz - 8);
}

/* Damage where it matters: the headers and the note, one to four fields at a time. */
Test(module, random_damage)
{
	enum { ROUNDS = 200000 };
	static const uint64_t values[] = {0, 1, 7, 8, 16, 0x40, 0x1000, 0x2000, 0x7fffffff, 0x80000000, 0xffffffff,
		UINT64_MAX, UINT64_MAX - 0xfff, 1ull << 63};
	struct bm_file f = good_file();
	struct guarded g = guarded_new(f.size);
	const size_t spans[][2] = {{0, f.phdr + 56 * f.n_phdr}, {f.note, f.note_end}, {f.shstrtab, f.size}};
	uint64_t random = 0x9e3779b97f4a7c15;
	unsigned accepted = 0;

	cr_assert(g.map);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint8_t *file = guarded_put(&g, f.data, f.size);
		struct wv_sink sink = {0};
		struct wv_module m;

		for (unsigned k = next_random(&random) % 4 + 1; k; k--) {
			const size_t *span = spans[next_random(&random) % 3];
			unsigned width = 1u << next_random(&random) % 4;
			size_t at = span[0] + next_random(&random) % (span[1] - span[0] - width);
			uint64_t value =
				next_random(&random) & 1 ? values[next_random(&random) % 14] : next_random(&random);

			memcpy(file + at, &value, width);
		}
		if (wv_module_parse(&m, file, f.size, 0, &sink)) {
			accepted++;
			check_sound(&m, file, f.size);
		} else {
			cr_assert_gt(sink.count, 0);
		}
	}
	cr_assert(accepted > 0 && accepted < ROUNDS / 2);
	fprintf(stderr, "module: %d damaged files, %u of them harmlessly\n", ROUNDS, accepted);
	guarded_free(&g);
	bm_free(&f);
}
