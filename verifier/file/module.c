/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a module file. Everything in it is hostile: the bounded cursor reads every field, no sum overflows, and no
 * loop runs longer than the file is large.
 *
 * The order is that of spec/module.md: the ELF header, the program headers (what is mapped), the section headers
 * (where note and proof are), the note. Each part is read only if the parts before it were correct, so that a report
 * names a cause and not a consequence.
 */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "module.h"

enum {
	MAX_FILE = 64 << 20,
	MAX_SEGMENTS = 16,
	PAGE = 4096,
	MAX_ADDRESS = 1 << 30,
	MAX_STATE = 1 << 28,
	MAX_ENTRIES = 1024,
	MAX_NAME = 1023,  /* bytes of a string of the note */
	NOTE_HEADER = 20, /* three words and the name, padded */
	DESC_HEADER = 32,
	ENTRY_SIZE = 24,
	IMPORT_SIZE = 8,
	EVENT_SIZE = 0
#define EVENT_FIELD(name, count, text) +8 * (count)
#include "ward/event.def"
#undef EVENT_FIELD
};

/* The parser at work: the module being filled, where to complain, and what only the parser needs. */
struct parse {
	struct wv_module *m;
	struct wv_sink *sink;
	uint64_t phoff, shoff;
	unsigned phnum, shnum, shstrndx;
	uint32_t max_state;
};

struct section {
	uint32_t name, type, link, info;
	uint64_t flags, addr, offset, size;
};

#define file_error(p, reason, ...) wv_report((p)->sink, WARD_RULE_FILE, 0, reason, __VA_ARGS__)
#define layout_error(p, reason, ...) wv_report((p)->sink, WARD_RULE_LAYOUT, 0, reason, __VA_ARGS__)
#define note_error(p, reason, ...) wv_report((p)->sink, WARD_RULE_NOTE, 0, reason, __VA_ARGS__)

/* V-01: the ELF header. */
static void parse_identification(struct parse *p, struct wv_cursor *c)
{
	const uint8_t *ident = wv_take(c, EI_NIDENT);

	if (!ident)
		file_error(p, "file-too-short", "the file has %zu bytes, an ELF header has 64", p->m->file.n);
	else if (memcmp(ident, ELFMAG, SELFMAG) != 0)
		file_error(p, "not-elf", "the file does not start with the ELF magic number");
	else if (ident[EI_CLASS] != ELFCLASS64)
		file_error(p, "not-elf64", "the ELF class is %u, not 2 (64 bits)", ident[EI_CLASS]);
	else if (ident[EI_DATA] != ELFDATA2LSB)
		file_error(p, "not-little-endian", "the data encoding is %u, not 1 (little-endian)", ident[EI_DATA]);
	else if (ident[EI_VERSION] != EV_CURRENT)
		file_error(p, "elf-version", "the ELF version is %u, not 1", ident[EI_VERSION]);
}

static void parse_header(struct parse *p)
{
	struct wv_cursor c = wv_cursor_at(p->m->file, 0);
	size_t before = p->sink->count;
	unsigned type, machine, phentsize, shentsize, ehsize;
	uint32_t version;

	parse_identification(p, &c);
	if (p->sink->count != before)
		return;
	type = wv_u16(&c);
	machine = wv_u16(&c);
	version = wv_u32(&c);
	wv_u64(&c); /* e_entry: a module has no entry of the ELF kind */
	p->phoff = wv_u64(&c);
	p->shoff = wv_u64(&c);
	wv_u32(&c); /* e_flags: x86-64 defines none */
	ehsize = wv_u16(&c);
	phentsize = wv_u16(&c);
	p->phnum = wv_u16(&c);
	shentsize = wv_u16(&c);
	p->shnum = wv_u16(&c);
	p->shstrndx = wv_u16(&c);
	if (c.failed) {
		file_error(p, "file-too-short", "the file has %zu bytes, an ELF header has 64", p->m->file.n);
		return;
	}
	if (machine != EM_X86_64)
		file_error(p, "not-x86-64", "the machine is %u, not %u (x86-64)", machine, EM_X86_64);
	if (type != ET_DYN)
		file_error(p, "not-shared-object", "the file type is %u, not %u (shared object)", type, ET_DYN);
	if (version != EV_CURRENT)
		file_error(p, "elf-version", "the ELF version is %" PRIu32 ", not 1", version);
	if (ehsize != sizeof(Elf64_Ehdr))
		file_error(p, "header-size", "the ELF header claims a size of %u, not %zu", ehsize, sizeof(Elf64_Ehdr));
	if (phentsize != sizeof(Elf64_Phdr))
		file_error(p, "header-size", "a program header claims a size of %u, not %zu", phentsize,
			sizeof(Elf64_Phdr));
	if (shentsize != sizeof(Elf64_Shdr))
		file_error(p, "header-size", "a section header claims a size of %u, not %zu", shentsize,
			sizeof(Elf64_Shdr));
	if (!wv_fits(p->phoff, (uint64_t)p->phnum * sizeof(Elf64_Phdr), p->m->file.n))
		file_error(p, "program-headers-outside-file",
			"%u program headers at offset 0x%" PRIx64 " do not fit in a file of %zu bytes", p->phnum,
			p->phoff, p->m->file.n);
	if (!wv_fits(p->shoff, (uint64_t)p->shnum * sizeof(Elf64_Shdr), p->m->file.n))
		file_error(p, "section-headers-outside-file",
			"%u section headers at offset 0x%" PRIx64 " do not fit in a file of %zu bytes", p->shnum,
			p->shoff, p->m->file.n);
}

static uint64_t page_end(uint64_t x)
{
	return (x + PAGE - 1) / PAGE * PAGE;
}

/* V-02: one loadable segment on its own. `s` lies in the file, so sums of its file offsets can't overflow. */
static void check_segment(struct parse *p, const struct ward_segment *s, bool data)
{
	if (s->addr > MAX_ADDRESS || s->memsz > MAX_ADDRESS - s->addr)
		layout_error(p, "address-too-high",
			"the segment at 0x%" PRIx64 " of 0x%" PRIx64 " bytes ends above 2^30", s->addr, s->memsz);
	if (s->addr % PAGE || s->offset % PAGE)
		layout_error(p, "segment-not-aligned",
			"the segment at address 0x%" PRIx64 ", file offset 0x%" PRIx64
			", does not start on a page of %d bytes",
			s->addr, s->offset, PAGE);
	if (s->memsz == 0)
		layout_error(p, "empty-segment", "the segment at 0x%" PRIx64 " has no bytes in memory", s->addr);
	else if (data ? s->filesz > s->memsz : s->filesz != s->memsz)
		layout_error(p, "segment-size",
			"the segment at 0x%" PRIx64 " has 0x%" PRIx64 " bytes in the file and 0x%" PRIx64 " in memory",
			s->addr, s->filesz, s->memsz);
}

/* V-02: one page, in memory or in the file, never belongs to two segments: they have different rights. */
static void check_disjoint(struct parse *p, const struct ward_segment *a, const struct ward_segment *b)
{
	if (!a->memsz || !b->memsz)
		return;
	if (page_end(a->addr + a->memsz) > b->addr)
		layout_error(p, "segments-overlap",
			"the segment at 0x%" PRIx64 " (0x%" PRIx64 " bytes) reaches the pages of the one at 0x%" PRIx64,
			a->addr, a->memsz, b->addr);
	if (a->filesz && b->filesz && a->offset / PAGE < page_end(b->offset + b->filesz) / PAGE &&
		b->offset / PAGE < page_end(a->offset + a->filesz) / PAGE)
		layout_error(p, "segments-share-file-page",
			"the segments at 0x%" PRIx64 " and 0x%" PRIx64 " share a page of the file", a->addr, b->addr);
}

/* V-02: a PT_LOAD. `rank` is how many kinds of segment have been passed: 1 after text, 2 after rodata, 3 after data. */
static void take_segment(struct parse *p, uint32_t flags, struct ward_segment s, unsigned *rank)
{
	static const char *const names[] = {"text", "rodata", "data"};
	struct ward_segment *const place[] = {&p->m->text, &p->m->rodata, &p->m->data};
	unsigned kind;

	switch (flags) {
	case PF_R | PF_X: kind = 0; break;
	case PF_R: kind = 1; break;
	case PF_R | PF_W: kind = 2; break;
	default:
		layout_error(p, (flags & PF_W) && (flags & PF_X) ? "writable-and-executable" : "segment-flags",
			"the segment at 0x%" PRIx64 " has flags 0x%" PRIx32 "; R+X, R and R+W are allowed", s.addr,
			flags);
		return;
	}
	if (kind < *rank) {
		layout_error(p, place[kind]->memsz ? "duplicate-segment" : "segment-order",
			"the segment at 0x%" PRIx64
			" is a %s segment, which must come once and in the order text, rodata, data",
			s.addr, names[kind]);
		return;
	}
	*rank = kind + 1;
	*place[kind] = s;
	check_segment(p, &s, kind == 2);
}

static void parse_segment(struct parse *p, struct wv_cursor *c, unsigned i, unsigned *rank)
{
	uint32_t type = wv_u32(c), flags = wv_u32(c);
	struct ward_segment s;

	s.offset = wv_u64(c);
	s.addr = wv_u64(c);
	wv_u64(c); /* p_paddr has no meaning here */
	s.filesz = wv_u64(c);
	s.memsz = wv_u64(c);
	wv_u64(c); /* p_align: addresses are checked themselves */
	if (!wv_fits(s.offset, s.filesz, p->m->file.n)) {
		file_error(p, "segment-outside-file",
			"program header %u spans 0x%" PRIx64 " bytes at offset 0x%" PRIx64 " of a file of %zu bytes", i,
			s.filesz, s.offset, p->m->file.n);
		return;
	}
	if (type == PT_DYNAMIC || type == PT_INTERP)
		layout_error(p, "forbidden-segment", "program header %u is %s, which asks for a dynamic linker", i,
			type == PT_DYNAMIC ? "PT_DYNAMIC" : "PT_INTERP");
	else if (type == PT_LOAD)
		take_segment(p, flags, s, rank);
}

static void parse_segments(struct parse *p)
{
	struct wv_module *m = p->m;
	struct wv_cursor c = wv_cursor_at(m->file, p->phoff);
	size_t before = p->sink->count;
	unsigned rank = 0;

	if (p->phnum > MAX_SEGMENTS) {
		layout_error(p, "too-many-segments", "there are %u program headers, at most %d are allowed", p->phnum,
			MAX_SEGMENTS);
		return;
	}
	for (unsigned i = 0; i < p->phnum; i++)
		parse_segment(p, &c, i, &rank);
	if (p->sink->count != before)
		return;
	if (!m->text.memsz) {
		layout_error(p, "no-text", "there is no segment that is readable and executable");
		return;
	}
	check_disjoint(p, &m->text, &m->rodata);
	check_disjoint(p, &m->rodata, &m->data);
	check_disjoint(p, &m->text, &m->data);
	wv_slice(m->file, m->text.offset, m->text.filesz, &m->text_bytes);
	if (m->rodata.memsz)
		wv_slice(m->file, m->rodata.offset, m->rodata.filesz, &m->rodata_bytes);
}

static struct section read_section(const struct parse *p, unsigned i)
{
	struct wv_cursor c = wv_cursor_at(p->m->file, p->shoff + (uint64_t)i * sizeof(Elf64_Shdr));
	struct section s;

	s.name = wv_u32(&c);
	s.type = wv_u32(&c);
	s.flags = wv_u64(&c);
	s.addr = wv_u64(&c);
	s.offset = wv_u64(&c);
	s.size = wv_u64(&c);
	s.link = wv_u32(&c);
	s.info = wv_u32(&c);
	return s;
}

/* V-02: the verifier checks the code as it is in the file, so no relocation may change it later. */
static void check_relocation(struct parse *p, unsigned i, const struct section *s)
{
	bool loaded;

	if (s->type != SHT_REL && s->type != SHT_RELA && s->type != SHT_RELR)
		return;
	loaded = s->type == SHT_RELR || (s->flags & SHF_ALLOC) || s->info == 0 || s->info >= p->shnum ||
		 (read_section(p, s->info).flags & SHF_ALLOC);
	if (loaded)
		layout_error(p, "relocation", "section %u holds relocations of loadable bytes", i);
}

/* The string at `offset` of a table whose last byte is known to be zero, or NULL if that is outside. */
static const char *string_at(struct wv_bytes table, uint64_t offset)
{
	return offset < table.n ? (const char *)table.p + offset : NULL;
}

/*
 * Does the table hold `name` at `offset`? Looks at no more bytes than `name` has: section headers may be many and their
 * names may share one long string.
 */
static bool name_is(struct wv_bytes table, uint64_t offset, const char *name)
{
	struct wv_bytes found;

	return wv_slice(table, offset, strlen(name) + 1, &found) && memcmp(found.p, name, found.n) == 0;
}

/* V-03, V-04: the sections of ours; each at most once. */
static void take_section(struct parse *p, const struct section *s, struct wv_bytes names, struct wv_bytes body)
{
	struct wv_module *m = p->m;

	if (name_is(names, s->name, ".ward.note")) {
		if (m->note.p)
			note_error(p, "duplicate-note", "there is more than one section .ward.note");
		else if (s->type != SHT_NOTE)
			note_error(p, "note-type", "the section .ward.note has type %" PRIu32 ", not %d (SHT_NOTE)",
				s->type, SHT_NOTE);
		else
			m->note = body;
	} else if (name_is(names, s->name, ".ward.proof")) {
		if (m->proof.p)
			wv_report(p->sink, WARD_RULE_PROOF, 0, "duplicate-proof",
				"there is more than one section .ward.proof");
		else if (s->type == SHT_NOBITS || s->type == SHT_NULL)
			wv_report(p->sink, WARD_RULE_PROOF, 0, "proof-type",
				"the section .ward.proof has type %" PRIu32 " and so no bytes", s->type);
		else
			m->proof = body;
	}
}

/* The section name table: inside the file and closed by a zero byte, so that every name in it ends. */
static bool find_names(struct parse *p, struct wv_bytes *names)
{
	struct section s;

	if (p->shstrndx == 0 || p->shstrndx >= p->shnum) {
		file_error(p, "no-section-names", "the section name table is section %u of %u", p->shstrndx, p->shnum);
		return false;
	}
	s = read_section(p, p->shstrndx);
	if (s.type != SHT_STRTAB || !wv_slice(p->m->file, s.offset, s.size, names) || names->n == 0 ||
		names->p[names->n - 1] != 0) {
		file_error(p, "section-names",
			"the section name table (type %" PRIu32 ", offset 0x%" PRIx64 ", size 0x%" PRIx64
			") is no string table within the file that ends with a zero byte",
			s.type, s.offset, s.size);
		return false;
	}
	return true;
}

static void parse_sections(struct parse *p)
{
	struct wv_bytes names, body;
	size_t before;

	if (!find_names(p, &names))
		return;
	before = p->sink->count;
	for (unsigned i = 1; i < p->shnum; i++) {
		struct section s = read_section(p, i);

		body = (struct wv_bytes){0};
		if (s.type != SHT_NOBITS && s.type != SHT_NULL && !wv_slice(p->m->file, s.offset, s.size, &body)) {
			file_error(p, "section-outside-file",
				"section %u spans 0x%" PRIx64 " bytes at offset 0x%" PRIx64 " of a file of %zu bytes",
				i, s.size, s.offset, p->m->file.n);
			continue;
		}
		if (s.name >= names.n) {
			file_error(p, "section-name",
				"section %u has its name at 0x%" PRIx32 " of a table of %zu bytes", i, s.name, names.n);
			continue;
		}
		check_relocation(p, i, &s);
		take_section(p, &s, names, body);
	}
	if (!p->m->note.p && p->sink->count == before)
		note_error(p, "no-note", "there is no section .ward.note");
}

/* V-03: the note's header; the descriptor is what follows. */
static bool parse_note_header(struct parse *p, struct wv_bytes *desc)
{
	struct wv_bytes note = p->m->note;
	struct wv_cursor c = wv_cursor_at(note, 0);
	uint32_t namesz = wv_u32(&c), descsz = wv_u32(&c), type = wv_u32(&c);
	const uint8_t *name = wv_take(&c, 8);

	if (!name || namesz != 5 || type != 1 || memcmp(name, "Ward\0\0\0", 8) != 0) {
		note_error(p, "note-header",
			"the note of %zu bytes (name size %" PRIu32 ", type %" PRIu32
			") does not start as one named Ward of type 1",
			note.n, namesz, type);
		return false;
	}
	if (!wv_slice(note, NOTE_HEADER, descsz, desc) || note.n - NOTE_HEADER - descsz > 3) {
		note_error(p, "note-size",
			"the note's descriptor has %" PRIu32 " bytes, the section %zu after the note's header", descsz,
			note.n - NOTE_HEADER);
		return false;
	}
	if (descsz < DESC_HEADER) {
		note_error(p, "note-size", "the note's descriptor has %" PRIu32 " bytes, its fixed part alone has %d",
			descsz, DESC_HEADER);
		return false;
	}
	return true;
}

/* V-03: profile, sizes. */
static void check_sizes(struct parse *p, uint32_t profile)
{
	const struct wv_module *m = p->m;

	if (profile > WARD_PROFILE_KERNEL)
		note_error(p, "profile", "the profile is %" PRIu32 "; 0 (user) and 1 (kernel) are known", profile);
	if (m->state_size > p->max_state)
		note_error(p, "state-too-large", "the state has %" PRIu32 " bytes, the limit is %" PRIu32,
			m->state_size, p->max_state);
	if (m->event_size > EVENT_SIZE || m->event_size % 8)
		note_error(p, "event-size",
			"the event has %" PRIu32 " bytes; it may have at most %d and a multiple of 8", m->event_size,
			EVENT_SIZE);
	if (m->n_entries < 1 || m->n_entries > MAX_ENTRIES)
		note_error(p, "entry-count", "there are %" PRIu32 " entries; 1 to %d are allowed", m->n_entries,
			MAX_ENTRIES);
	if (m->n_imports > WV_MAX_IMPORTS)
		note_error(p, "import-count", "there are %" PRIu32 " imports; at most %d are allowed", m->n_imports,
			WV_MAX_IMPORTS);
}

/* V-03: the descriptor's fixed part, and where its tables are. */
static bool parse_descriptor(struct parse *p, struct wv_bytes desc)
{
	struct wv_module *m = p->m;
	struct wv_cursor c = wv_cursor_at(desc, 0);
	uint32_t version = wv_u32(&c), profile = wv_u32(&c), strings;
	size_t before = p->sink->count;
	uint64_t tables;

	if (version != 1) {
		note_error(p, "note-version", "the note has version %" PRIu32 ", not 1", version);
		return false;
	}
	m->profile = (enum ward_profile)profile;
	m->state_size = wv_u32(&c);
	m->event_size = wv_u32(&c);
	m->n_entries = wv_u32(&c);
	m->n_imports = wv_u32(&c);
	strings = wv_u32(&c);
	m->features = wv_u32(&c);
	check_sizes(p, profile);
	if (m->features & ~(uint32_t)WARD_ALL_FEATURES)
		note_error(p, "note-features", "the note names features 0x%" PRIx32 "; known are 0x%x", m->features,
			WARD_ALL_FEATURES);
	if (p->sink->count != before)
		return false;
	tables = DESC_HEADER + (uint64_t)ENTRY_SIZE * m->n_entries + (uint64_t)IMPORT_SIZE * m->n_imports;
	if (strings < tables || strings >= desc.n || desc.p[desc.n - 1] != 0) {
		note_error(p, "note-strings",
			"the strings start at %" PRIu32 " of %zu bytes; the tables before them end at %" PRIu64
			", and the last byte must be zero",
			strings, desc.n, tables);
		return false;
	}
	wv_slice(desc, DESC_HEADER, (uint64_t)ENTRY_SIZE * m->n_entries, &m->entry_table);
	wv_slice(desc, DESC_HEADER + m->entry_table.n, (uint64_t)IMPORT_SIZE * m->n_imports, &m->import_table);
	wv_slice(desc, strings, desc.n - strings, &m->strings);
	return true;
}

/* V-03: a string that the note names. An empty one will do unless it is `required`. */
static void check_string(struct parse *p, const char *what, uint32_t i, uint32_t offset, bool required)
{
	const char *s = string_at(p->m->strings, offset);
	size_t n;

	if (!s) {
		note_error(p, "string-outside-table",
			"%s %" PRIu32 " has a string at %" PRIu32 " of a table of %zu bytes", what, i, offset,
			p->m->strings.n);
		return;
	}
	n = strnlen(s, MAX_NAME + 1);
	if (n > MAX_NAME)
		note_error(
			p, "string-too-long", "%s %" PRIu32 " has a string of more than %d bytes", what, i, MAX_NAME);
	else if (required && n == 0)
		note_error(p, "empty-name", "%s %" PRIu32 " has no name", what, i);
}

/* FNV-1a, 64 bits. */
static uint64_t fnv(uint64_t hash, struct wv_bytes in)
{
	for (size_t i = 0; i < in.n; i++)
		hash = (hash ^ in.p[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static const uint64_t fnv_start = UINT64_C(0xcbf29ce484222325);

/*
 * V-03: no two entries have one name. Names are short by now. Equal hashes are rare unless an attacker makes them,
 * and then they only cost time.
 */
static void check_unique(struct parse *p)
{
	const struct wv_module *m = p->m;
	uint64_t hash[MAX_ENTRIES];

	for (uint32_t i = 0; i < m->n_entries; i++) {
		const char *name = wv_module_entry(m, i).name;

		hash[i] = fnv(fnv_start, (struct wv_bytes){(const uint8_t *)name, strlen(name)});
		for (uint32_t k = 0; k < i; k++) {
			if (hash[k] == hash[i] && strcmp(name, wv_module_entry(m, k).name) == 0) {
				note_error(p, "duplicate-name",
					"entries %" PRIu32 " and %" PRIu32 " have the same name", k, i);
				return;
			}
		}
	}
}

static void check_entries(struct parse *p)
{
	const struct wv_module *m = p->m;
	struct wv_cursor c = wv_cursor_at(m->entry_table, 0);
	size_t before = p->sink->count;

	for (uint32_t i = 0; i < m->n_entries; i++) {
		uint64_t addr = wv_u64(&c);
		uint32_t kind;

		if (addr < m->text.addr || addr - m->text.addr >= m->text.memsz)
			note_error(p, "entry-outside-text",
				"entry %" PRIu32 " is at 0x%" PRIx64 ", the text is 0x%" PRIx64 " to 0x%" PRIx64, i,
				addr, m->text.addr, m->text.addr + m->text.memsz);
		check_string(p, "entry", i, wv_u32(&c), true);
		check_string(p, "entry", i, wv_u32(&c), false);
		check_string(p, "entry", i, wv_u32(&c), false);
		kind = wv_u32(&c);
		if (kind > 1)
			note_error(p, "entry-kind",
				"entry %" PRIu32 " is of kind %" PRIu32 "; 0 (entry) and 1 (return) are known", i,
				kind);
	}
	if (p->sink->count == before)
		check_unique(p);
}

static uint8_t import_id(const char *name)
{
	uint8_t id = 0;

	while (id < WARD_IMPORT_COUNT && strcmp(name, ward_import_name(id)) != 0)
		id++;
	return id;
}

/* V-72: aligned, so that two different slots have no byte in common. */
static void check_slot(struct parse *p, uint32_t i)
{
	const struct wv_module *m = p->m;
	uint32_t slot = m->import[i].slot;

	if (slot < m->rodata.addr || !wv_fits(slot - m->rodata.addr, 8, m->rodata.memsz))
		note_error(p, "import-outside-rodata",
			"import %" PRIu32 " has its slot at 0x%" PRIx32 ", rodata is 0x%" PRIx64 " to 0x%" PRIx64, i,
			slot, m->rodata.addr, m->rodata.addr + m->rodata.memsz);
	else if (slot % 8)
		wv_report(p->sink, WARD_RULE_SLOT, 0, "import-slot-misaligned",
			"import %" PRIu32 " has its slot at 0x%" PRIx32 ", which is no multiple of 8", i, slot);
	for (uint32_t k = 0; k < i; k++) {
		if (m->import[k].slot == slot)
			wv_report(p->sink, WARD_RULE_SLOT, 0, "import-slot-shared",
				"imports %" PRIu32 " and %" PRIu32 " have the same slot, at 0x%" PRIx32, k, i, slot);
	}
}

static void check_imports(struct parse *p)
{
	struct wv_module *m = p->m;
	struct wv_cursor c = wv_cursor_at(m->import_table, 0);

	for (uint32_t i = 0; i < m->n_imports; i++) {
		struct wv_import *import = &m->import[i];
		uint32_t name = wv_u32(&c);
		size_t before = p->sink->count;

		check_string(p, "import", i, name, true);
		import->slot = wv_u32(&c);
		check_slot(p, i);
		if (p->sink->count != before)
			continue;
		import->name = string_at(m->strings, name);
		import->id = import_id(import->name);
		for (uint32_t k = 0; k < i; k++) {
			if (m->import[k].name && strcmp(m->import[k].name, import->name) == 0)
				note_error(p, "duplicate-name",
					"imports %" PRIu32 " and %" PRIu32 " have the same name", k, i);
		}
	}
}

static void parse_note(struct parse *p)
{
	struct wv_bytes desc;

	if (!parse_note_header(p, &desc) || !parse_descriptor(p, desc))
		return;
	check_entries(p);
	check_imports(p);
}

bool wv_module_parse(struct wv_module *m, const void *file, size_t size, uint32_t max_state, struct wv_sink *sink)
{
	static void (*const steps[])(struct parse *) = {parse_header, parse_segments, parse_sections, parse_note};
	struct parse p = {
		.m = m, .sink = sink, .max_state = max_state && max_state < MAX_STATE ? max_state : MAX_STATE};
	size_t before = sink->count;

	memset(m, 0, sizeof *m);
	m->file = (struct wv_bytes){file, file ? size : 0};
	if (size > MAX_FILE) {
		file_error(&p, "file-too-large", "the file has %zu bytes, at most %d are allowed", size, MAX_FILE);
		return false;
	}
	for (size_t i = 0; i < sizeof steps / sizeof *steps && sink->count == before; i++)
		steps[i](&p);
	return sink->count == before;
}

struct wv_entry wv_module_entry(const struct wv_module *m, uint32_t i)
{
	struct wv_cursor c = wv_cursor_at(m->entry_table, (uint64_t)i * ENTRY_SIZE);
	struct wv_entry e;

	e.addr = wv_u64(&c);
	e.name = string_at(m->strings, wv_u32(&c));
	e.site = string_at(m->strings, wv_u32(&c));
	e.state_type = string_at(m->strings, wv_u32(&c));
	e.kind = wv_u32(&c);
	return e;
}

bool wv_module_slot(const struct wv_module *m, uint64_t address, uint32_t *number)
{
	for (uint32_t i = 0; i < m->n_imports; i++) {
		if (m->import[i].slot == address) {
			*number = i;
			return true;
		}
	}
	return false;
}

/* jmp qword [rip+d] has this one encoding. */
bool wv_module_stub(const struct wv_module *m, uint64_t at, uint32_t *number)
{
	struct wv_bytes insn;
	struct wv_cursor c;

	if (!wv_slice(m->text_bytes, at, 6, &insn) || insn.p[0] != 0xff || insn.p[1] != 0x25)
		return false;
	c = wv_cursor_at(insn, 2);
	return wv_module_slot(m, m->text.addr + at + 6 + (uint64_t)(int64_t)(int32_t)wv_u32(&c), number);
}

bool wv_module_touches_slot(const struct wv_module *m, uint64_t lo, uint64_t hi, uint64_t bytes)
{
	uint64_t start = m->rodata.addr + lo, end = m->rodata.addr + hi + bytes;

	for (uint32_t i = 0; bytes && i < m->n_imports; i++) {
		if (start < (uint64_t)m->import[i].slot + 8 && end > m->import[i].slot)
			return true;
	}
	return false;
}

static uint64_t seal_word(uint64_t hash, const uint8_t *at, size_t n)
{
	uint64_t word = 0;
	memcpy(&word, at, n);
	hash = (hash ^ word) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

/* FNV-1a, but eight bytes at a time. */
static uint64_t seal_bytes(uint64_t hash, struct wv_bytes in)
{
	for (; in.n >= 8; in.p += 8, in.n -= 8)
		hash = seal_word(hash, in.p, 8);
	return in.n ? seal_word(hash, in.p, in.n) : hash;
}

uint64_t wv_module_seal(const struct wv_module *m, struct wv_bytes rest)
{
	return seal_bytes(seal_bytes(seal_bytes(fnv_start, m->text_bytes), m->note), rest);
}
