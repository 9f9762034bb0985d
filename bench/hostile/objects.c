/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile objects for ward link: each has a great number of one thing. The first have code whose proof takes much
 * work to find; the others have tables that describe more than their bytes. They are made by hand, so that nothing
 * depends on an assembler. Most are refused, and the report of that is work, too.
 */
#include <elf.h>
#include <string.h>

#include "hostile.h"

/* ---- an object file ---- */

struct object {
	struct bm_bytes file, headers, section_names, names, symbols;
	unsigned n_sections;
};

enum { SYMTAB = 1, STRTAB, FIRST_SECTION }; /* fixed places, that other sections refer to */

static uint32_t add_name(struct bm_bytes *names, const char *name)
{
	uint32_t at = (uint32_t)names->n;
	bm_put(names, name, strlen(name) + 1);
	return at;
}

/* A section of bytes that are in the file already. Returns its number. */
static unsigned section_at(struct object *o, uint32_t name, Elf64_Shdr sh)
{
	sh.sh_name = name;
	bm_put(&o->headers, &sh, sizeof sh);
	return o->n_sections++;
}

static unsigned section(struct object *o, const char *name, Elf64_Shdr sh, const struct bm_bytes *bytes)
{
	uint32_t name_at = add_name(&o->section_names, name); /* first: they may be the bytes */
	while (o->file.n % 8)
		bm_put_u8(&o->file, 0);
	sh.sh_offset = o->file.n;
	sh.sh_size = bytes->n;
	bm_put(&o->file, bytes->p, bytes->n);
	return section_at(o, name_at, sh);
}

static unsigned symbol(struct object *o, uint32_t name, unsigned info, unsigned section, uint64_t value)
{
	Elf64_Sym s = {
		.st_name = name, .st_info = (unsigned char)info, .st_shndx = (uint16_t)section, .st_value = value};
	bm_put(&o->symbols, &s, sizeof s);
	return (unsigned)(o->symbols.n / sizeof s) - 1;
}

static const Elf64_Shdr debug_section = {.sh_type = SHT_PROGBITS, .sh_addralign = 1},
			data_section = {.sh_type = SHT_PROGBITS, .sh_addralign = 1, .sh_flags = SHF_ALLOC},
			code_section = {
				.sh_type = SHT_PROGBITS, .sh_addralign = 16, .sh_flags = SHF_ALLOC | SHF_EXECINSTR};

/* With its code, and the function that is the probe. */
static void begin(struct object *o, const struct bm_bytes *text)
{
	*o = (struct object){0};
	bm_put(&o->file, &(Elf64_Ehdr){0}, sizeof(Elf64_Ehdr));
	bm_put_u8(&o->section_names, 0);
	bm_put_u8(&o->names, 0);
	for (unsigned i = 0; i < FIRST_SECTION; i++)
		section_at(o, 0, (Elf64_Shdr){0}); /* two of them are filled in at the end */
	symbol(o, 0, 0, 0, 0);
	section(o, ".text", code_section, text);
	symbol(o, add_name(&o->names, "entry"), ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), FIRST_SECTION, 0);
}

enum { TEXT = FIRST_SECTION, ENTRY = 1 }; /* the code's section, the probe's symbol */

static void put_table(struct object *o, unsigned number, const char *name, Elf64_Shdr sh, const struct bm_bytes *bytes)
{
	sh.sh_name = add_name(&o->section_names, name);
	sh.sh_offset = o->file.n;
	sh.sh_size = bytes->n;
	bm_put(&o->file, bytes->p, bytes->n);
	memcpy(o->headers.p + number * sizeof sh, &sh, sizeof sh);
}

static void finish(struct object *o, struct bm_bytes *out)
{
	while (o->file.n % 8)
		bm_put_u8(&o->file, 0);
	put_table(o, SYMTAB, ".symtab",
		(Elf64_Shdr){.sh_type = SHT_SYMTAB,
			.sh_link = STRTAB,
			.sh_info = 1,
			.sh_addralign = 8,
			.sh_entsize = sizeof(Elf64_Sym)},
		&o->symbols);
	put_table(o, STRTAB, ".strtab", (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_addralign = 1}, &o->names);
	Elf64_Ehdr eh = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_REL,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof eh,
		.e_shentsize = sizeof(Elf64_Shdr)};
	Elf64_Shdr names = {.sh_type = SHT_STRTAB, .sh_addralign = 1};
	eh.e_shstrndx = (uint16_t)section(o, ".shstrtab", names, &o->section_names);
	while (o->file.n % 8)
		bm_put_u8(&o->file, 0);
	eh.e_shoff = o->file.n;
	eh.e_shnum = (uint16_t)o->n_sections;
	bm_put(&o->file, o->headers.p, o->headers.n);
	memcpy(o->file.p, &eh, sizeof eh);
	bm_put(out, o->file.p, o->file.n);
	bm_bytes_free(&o->file);
	bm_bytes_free(&o->headers);
	bm_bytes_free(&o->section_names);
	bm_bytes_free(&o->names);
	bm_bytes_free(&o->symbols);
}

static void put_reloc(struct bm_bytes *b, uint64_t offset, unsigned symbol, unsigned type, int64_t addend)
{
	Elf64_Rela r = {.r_offset = offset, .r_info = ELF64_R_INFO((uint64_t)symbol, type), .r_addend = addend};
	bm_put(b, &r, sizeof r);
}

static void relocations(struct object *o, unsigned of, struct bm_bytes *relocs)
{
	section(o, ".rela",
		(Elf64_Shdr){.sh_type = SHT_RELA,
			.sh_link = SYMTAB,
			.sh_info = of,
			.sh_addralign = 8,
			.sh_entsize = sizeof(Elf64_Rela)},
		relocs);
	bm_bytes_free(relocs);
}

/* ---- code ---- */

#define CODE(b, bytes) bm_put(b, bytes, sizeof(bytes) - 1)

enum { SLOTS = 512, DEPTH = 15, CASES = 64 };

static void only_code(struct bm_bytes *out, struct bm_bytes *text)
{
	struct object o;
	begin(&o, text);
	finish(&o, out);
	bm_bytes_free(text);
}

/* A call or jump, whose opcode is one byte or two, to a place in the code. */
static void go(struct bm_bytes *b, const char *opcode, size_t to)
{
	bm_put(b, opcode, strlen(opcode));
	bm_put_le(b, 4, (uint64_t)to - (b->n + 4));
}

/* n blocks behind one another, where so many slots at the end of a full frame hold something: each something else. */
static void blocks(struct bm_bytes *out, unsigned n, unsigned slots)
{
	struct bm_bytes t = {0};
	/* sub rsp, 4096; mov rax, [rdi]; mov rcx, [rdi + 8] */
	CODE(&t, "\x48\x81\xec\x00\x10\x00\x00\x48\x8b\x07\x48\x8b\x4f\x08");
	for (unsigned i = 0; i < slots; i++) {
		CODE(&t, "\x48\x8d\x90"); /* lea rdx, [rax + i] */
		bm_put_le(&t, 4, i);
		CODE(&t, "\x48\x89\x94\x24"); /* mov [rsp + 8 * i], rdx */
		bm_put_le(&t, 4, 8 * i);
	}
	for (unsigned i = 0; i < n; i++)
		CODE(&t, "\x48\x39\xc8\x72\x00");     /* cmp rax, rcx; jb to what follows */
	CODE(&t, "\x48\x81\xc4\x00\x10\x00\x00\xc3"); /* add rsp, 4096; ret */
	only_code(out, &t);
}

static void blocks_one(struct bm_bytes *out, unsigned n)
{
	blocks(out, n, 1);
}

static void blocks_full(struct bm_bytes *out, unsigned n)
{
	blocks(out, n, SLOTS);
}

/* Loops of two bytes. */
static void loops_short(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0};
	CODE(&t, "\x48\x8b\x07\x48\x83\xf8\x05"); /* mov rax, [rdi]; cmp rax, 5 */
	for (unsigned i = 0; i < n; i++)
		CODE(&t, "\x74\xfe"); /* je to itself */
	CODE(&t, "\xc3");
	only_code(out, &t);
}

/* Loops in loops, whose counters are in the frame. */
static void loops_nested(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0};
	for (unsigned k = 0; k < n; k++) {
		size_t head[DEPTH];
		for (unsigned i = 0; i < DEPTH; i++) {
			CODE(&t, "\x48\xc7\x44\x24"); /* mov qword [rsp - 8 * (i + 1)], 10 */
			bm_put_u8(&t, (0u - 8 * (i + 1)) & 0xff);
			bm_put_le(&t, 4, 10);
			head[i] = t.n;
		}
		for (unsigned i = DEPTH; i-- > 0;) {
			CODE(&t, "\x48\xff\x4c\x24"); /* dec qword [rsp - 8 * (i + 1)] */
			bm_put_u8(&t, (0u - 8 * (i + 1)) & 0xff);
			go(&t, "\x0f\x85", head[i]); /* jnz */
		}
	}
	CODE(&t, "\xc3");
	only_code(out, &t);
}

/* Loops that count four things at once. */
static void loops_counting(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0};
	for (unsigned i = 0; i < n; i++) {
		/* mov ecx, 10; xor r8d, r8d; xor r9d, r9d; xor edx, edx */
		CODE(&t, "\xb9\x0a\x00\x00\x00\x45\x31\xc0\x45\x31\xc9\x31\xd2");
		size_t head = t.n;
		CODE(&t, "\x49\xff\xc0\x49\x83\xc1\x02\x48\x83\xc2\x03"); /* inc r8; add r9, 2; add rdx, 3 */
		/* cmp r8, 7; je below; cmp r9, 70; je below */
		CODE(&t, "\x49\x83\xf8\x07\x74\x06\x49\x83\xf9\x46\x74\x00");
		CODE(&t, "\xff\xc9"); /* dec ecx */
		go(&t, "\x0f\x85", head);
	}
	CODE(&t, "\xc3");
	only_code(out, &t);
}

/* One loop with n ways back. */
static void ways_back(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0};
	CODE(&t, "\xb9\xe8\x03\x00\x00\x48\x8b\x07"); /* mov ecx, 1000; mov rax, [rdi] */
	size_t head = t.n;
	CODE(&t, "\xff\xc9\x75\x01\xc3"); /* dec ecx; jnz over ret */
	for (unsigned i = 0; i < n; i++) {
		CODE(&t, "\x48\x83\xf8\x07"); /* cmp rax, 7 */
		go(&t, "\x0f\x84", head);     /* je */
		CODE(&t, "\x48\xff\xc0");     /* inc rax */
	}
	CODE(&t, "\xc3");
	only_code(out, &t);
}

/* n functions that do nothing. */
static void functions(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0};
	size_t first = 5 * (size_t)n + 1;
	for (unsigned i = 0; i < n; i++)
		go(&t, "\xe8", first + i);
	for (unsigned i = 0; i <= n; i++)
		CODE(&t, "\xc3");
	only_code(out, &t);
}

/* Calls that lend a full frame, four times. */
static void calls(struct bm_bytes *out, unsigned n)
{
	struct bm_bytes t = {0};
	CODE(&t, "\x48\x81\xec\x00\x08\x00\x00\x31\xc0"); /* sub rsp, 2048; xor eax, eax */
	for (unsigned i = 0; i < SLOTS / 2; i++) {
		CODE(&t, "\x48\x89\x84\x24"); /* mov [rsp + 8 * i], rax */
		bm_put_le(&t, 4, 8 * i);
	}
	size_t callee = t.n + 17 * (size_t)n + 8;
	for (unsigned i = 0; i < n; i++) {
		CODE(&t, "\x48\x89\xe7\x48\x89\xe6\x48\x89\xe2\x48\x89\xe1"); /* mov rdi, rsp; rsi; rdx; rcx */
		go(&t, "\xe8", callee);
	}
	CODE(&t, "\x48\x81\xc4\x00\x08\x00\x00\xc3\xc3");
	only_code(out, &t);
}

/* Switches that share one table. */
static void switches(struct bm_bytes *out, unsigned n)
{
	enum { SWITCH = 29, AT = 14 }; /* bytes of one, and of it before the distance to the table */
	struct bm_bytes t = {0}, table = {0}, relocs = {0}, cases = {0};
	size_t end = 2 + SWITCH * (size_t)n;
	CODE(&t, "\x8b\x07"); /* mov eax, [rdi] */
	for (unsigned i = 0; i < n; i++) {
		put_reloc(&relocs, t.n + AT, ENTRY + 1, R_X86_64_PC32, -4);
		CODE(&t, "\x3d\x3f\x00\x00\x00"); /* cmp eax, 63 */
		go(&t, "\x0f\x87", end);          /* ja */
		/* lea rcx, [table]; movsxd rdx, [rcx + 4 * rax]; add rdx, rcx; jmp rdx */
		CODE(&t, "\x48\x8d\x0d\x00\x00\x00\x00\x48\x63\x14\x81\x48\x01\xca\xff\xe2");
	}
	CODE(&t, "\xc3");
	for (unsigned i = 0; i < CASES; i++) {
		unsigned to = (unsigned)((uint64_t)n * (i + 1) / CASES);
		put_reloc(&cases, 4 * i, ENTRY, R_X86_64_PC32, (int64_t)(2 + SWITCH * (size_t)to + 4 * i));
		bm_put_le(&table, 4, 0);
	}
	struct object o;
	begin(&o, &t);
	unsigned rodata = section(&o, ".rodata", data_section, &table);
	symbol(&o, 0, ELF64_ST_INFO(STB_LOCAL, STT_SECTION), rodata, 0);
	relocations(&o, TEXT, &relocs);
	relocations(&o, rodata, &cases);
	finish(&o, out);
	bm_bytes_free(&t);
	bm_bytes_free(&table);
}

/* ---- tables ---- */

static void begin_empty(struct object *o)
{
	struct bm_bytes t = {0};
	CODE(&t, "\xc3");
	begin(o, &t);
	bm_bytes_free(&t);
}

/* Debug sections that all are the same bytes. */
static void sections_alike(struct bm_bytes *out, unsigned n)
{
	struct object o;
	struct bm_bytes bytes = {0};
	begin_empty(&o);
	for (unsigned i = 0; i < 64 * n; i++)
		bm_put_u8(&bytes, 0);
	section(&o, ".debug_line", debug_section, &bytes);
	Elf64_Shdr sh;
	memcpy(&sh, o.headers.p + o.headers.n - sizeof sh, sizeof sh);
	for (unsigned i = 1; i < n; i++)
		section_at(&o, sh.sh_name, sh);
	finish(&o, out);
	bm_bytes_free(&bytes);
}

/* Functions that all have one name, of as many bytes as their symbols. */
static void names_alike(struct bm_bytes *out, unsigned n)
{
	struct object o;
	begin_empty(&o);
	uint32_t name = (uint32_t)o.names.n;
	for (unsigned i = 0; i < 24 * n; i++)
		bm_put_u8(&o.names, 'a');
	bm_put_u8(&o.names, 0);
	for (unsigned i = 0; i < n; i++)
		symbol(&o, name, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), TEXT, 0);
	finish(&o, out);
}

/* Sections of data of which each refers to the one behind it, and the last holds an address. */
static void data_in_a_row(struct bm_bytes *out, unsigned n)
{
	struct object o;
	struct bm_bytes t = {0}, relocs = {0}, bytes = {0};
	CODE(&t, "\x48\x8d\x05\x00\x00\x00\x00\xc3"); /* lea rax, [the first] */
	bm_put_le(&bytes, 8, 0);
	begin(&o, &t);
	put_reloc(&relocs, 3, ENTRY + 1, R_X86_64_PC32, -4);
	relocations(&o, TEXT, &relocs);
	for (unsigned i = 0; i < n; i++) {
		unsigned s = section(&o, ".rodata", data_section, &bytes);
		symbol(&o, 0, ELF64_ST_INFO(STB_LOCAL, STT_SECTION), s, 0);
		put_reloc(&relocs, 0, i + 1 < n ? ENTRY + 2 + i : ENTRY, i + 1 < n ? R_X86_64_PC32 : R_X86_64_64, 0);
		relocations(&o, s, &relocs);
	}
	finish(&o, out);
	bm_bytes_free(&t);
	bm_bytes_free(&bytes);
}

/* Addresses that nothing can know, each in a place that is looked for among n names. */
static void references_refused(struct bm_bytes *out, unsigned n)
{
	struct object o;
	struct bm_bytes t = {0}, relocs = {0};
	for (unsigned i = 0; i < n; i++)
		CODE(&t, "\x48\xb8\x00\x00\x00\x00\x00\x00\x00\x00"); /* mov rax, an address */
	CODE(&t, "\xc3");
	begin(&o, &t);
	uint32_t name = add_name(&o.names, "place");
	for (unsigned i = 0; i < n; i++) {
		symbol(&o, name, ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE), TEXT, 10 * i);
		put_reloc(&relocs, 10 * i + 2, ENTRY, R_X86_64_64, 0);
	}
	relocations(&o, TEXT, &relocs);
	finish(&o, out);
	bm_bytes_free(&t);
}

/* ---- debug information ---- */

/* n units, each of one entry that is the last of n abbreviations. */
static void units_sharing(struct bm_bytes *out, unsigned n)
{
	struct object o;
	struct bm_bytes info = {0}, tables = {0};
	begin_empty(&o);
	for (unsigned i = 1; i <= n; i++) {
		bm_put_uleb(&tables, i);
		CODE(&tables, "\x11\x00\x00\x00"); /* a unit without children or attributes */
	}
	bm_put_u8(&tables, 0);
	for (unsigned i = 0; i < n; i++) {
		bm_put_le(&info, 4, 7 + 3); /* bytes that follow: version 4, its table, addresses of 8 */
		bm_put_le(&info, 2, 4);
		bm_put_le(&info, 4, 0);
		bm_put_u8(&info, 8);
		bm_put_u8(&info, (n & 0x7f) | 0x80); /* n, in three bytes */
		bm_put_u8(&info, (n >> 7 & 0x7f) | 0x80);
		bm_put_u8(&info, n >> 14);
	}
	section(&o, ".debug_info", debug_section, &info);
	section(&o, ".debug_abbrev", debug_section, &tables);
	finish(&o, out);
	bm_bytes_free(&info);
	bm_bytes_free(&tables);
}

/* Entries of one byte, each with n attributes that have no value. */
static void attributes_empty(struct bm_bytes *out, unsigned n)
{
	struct object o;
	struct bm_bytes info = {0}, tables = {0};
	begin_empty(&o);
	CODE(&tables, "\x01\x11\x01\x00\x00"); /* 1: a unit with children */
	CODE(&tables, "\x02\x2e\x00");         /* 2: a function */
	for (unsigned i = 0; i < n; i++)
		CODE(&tables, "\x3f\x19"); /* it is external: a flag that is there */
	CODE(&tables, "\x00\x00\x00");
	bm_put_le(&info, 4, 7 + 1 + n + 1);
	bm_put_le(&info, 2, 4);
	bm_put_le(&info, 4, 0);
	CODE(&info, "\x08\x01");
	for (unsigned i = 0; i < n; i++)
		bm_put_u8(&info, 2);
	bm_put_u8(&info, 0);
	section(&o, ".debug_info", debug_section, &info);
	section(&o, ".debug_abbrev", debug_section, &tables);
	finish(&o, out);
	bm_bytes_free(&info);
	bm_bytes_free(&tables);
}

/* ---- the table ---- */

#define LINK \
	"ward", \
	{ \
		"link", NULL \
	}
enum { TIMES = 10 };

const struct hostile hostile_objects[] = {
	{"link-blocks", LINK, blocks_one, ".o", 250, TIMES},
	{"link-blocks-full-frame", LINK, blocks_full, ".o", 250, TIMES},
	{"link-loops-of-two-bytes", LINK, loops_short, ".o", 250, TIMES},
	{"link-loops-nested", LINK, loops_nested, ".o", 2, TIMES},
	{"link-loops-counting", LINK, loops_counting, ".o", 25, TIMES},
	{"link-ways-back", LINK, ways_back, ".o", 250, TIMES},
	{"link-functions", LINK, functions, ".o", 250, TIMES},
	{"link-calls-with-frame", LINK, calls, ".o", 100, TIMES},
	{"link-switches", LINK, switches, ".o", 128, TIMES},
	{"link-sections-alike", LINK, sections_alike, ".o", 1000, TIMES},
	{"link-names-alike", LINK, names_alike, ".o", 2000, TIMES},
	{"link-data-in-a-row", LINK, data_in_a_row, ".o", 1000, TIMES},
	{"link-references-refused", LINK, references_refused, ".o", 2000, TIMES},
	{"link-units-sharing", LINK, units_sharing, ".o", 2000, TIMES},
	{"link-attributes-empty", LINK, attributes_empty, ".o", 10000, TIMES},
	{NULL, NULL, {NULL}, NULL, NULL, 0, 0},
};
