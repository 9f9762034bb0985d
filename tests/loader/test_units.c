/* SPDX-License-Identifier: Apache-2.0 */
/* Unit tests of the parts that read hostile input: symbol tables, code, lists of mappings. */
#include "helper.h"

#include "loader/code/exits.h"
#include "loader/base/asm.h"
#include "loader/stub/inline_probe.h"
#include "loader/process/protection_keys.h"
#include "loader/inject/code_page.h"
#include "loader/process/maps.h"
#include "loader/symbols/sdt_note.h"
#include "loader/symbols/link_map.h"
#include "loader/code/sdt_patch.h"
#include "loader/code/displace.h"
#include "loader/stub/slots.h"
#include "loader/symbols/symbols.h"
#include "loader/stub/forbidden_calls.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MUTANTS = 3000, FUNCTIONS = 200000 };

/* A small generator: the same sequence on every machine. */
static uint64_t state = 88172645463325252ull;
static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Read a file's symbols by way of a mapping list that names it. Returns their number, or -1 if it is no module. */
static long symbols_of(int fd, const char **name_of_first)
{
	char path[64];
	struct stat st;
	struct wl_map map = {.start = 0x1000, .end = 0x2000, .read = true, .exec = true, .inode = 1, .path = path};
	struct wl_maps maps = {.v = &map, .n = 1};
	struct wl_modules modules;
	long n = -1;

	cr_assert(fstat(fd, &st) == 0);
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)getpid(), fd);
	cr_assert(wl_modules_read(getpid(), &maps, &modules) == 0);
	if (modules.n) {
		struct wl_module *m = &modules.v[0];

		cr_assert(wl_module_load_symbols(m) == 0);
		n = (long)m->n_symbols;
		for (size_t i = 0; i < m->n_symbols; i++) {
			cr_assert(strlen(m->symbols[i].name) > 0);
			cr_assert(i == 0 || m->symbols[i - 1].offset <= m->symbols[i].offset);
			if (name_of_first && !strcmp(m->symbols[i].name, "work"))
				*name_of_first = "work";
		}
		wl_module_matches(m, "*");
	}
	wl_modules_free(&modules);
	return n;
}

static void *file_read(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	void *data;

	cr_assert(f && fseek(f, 0, SEEK_END) == 0);
	*size = (size_t)ftell(f);
	rewind(f);
	data = malloc(*size);
	cr_assert(data && fread(data, 1, *size, f) == *size);
	fclose(f);
	return data;
}

Test(units, symbols_of_broken_files)
{
	size_t size;
	uint8_t *good = file_read(TARGET, &size), *bad = malloc(size);
	int fd = memfd_create("elf", 0), fewer = 0;
	const char *found = NULL;
	uint64_t shoff;
	long all;

	cr_assert(fd >= 0 && bad && write(fd, good, size) == (ssize_t)size);
	all = symbols_of(fd, &found);
	cr_assert_gt(all, 10);
	cr_assert_str_eq(found, "work");
	memcpy(&shoff, good + 40, 8);
	for (int i = 0; i < MUTANTS; i++) {
		size_t length = i % 4 == 3 ? rnd() % size : size;

		memcpy(bad, good, size);
		for (unsigned k = 0; k < 1 + rnd() % 6; k++) {
			/* Headers of the file and of sections more often than the rest. */
			size_t at = k % 3 == 0   ? rnd() % 0x400
				    : k % 3 == 1 ? shoff + rnd() % (size - shoff)
						 : rnd() % size;
			uint64_t value = rnd() % 3 ? rnd() : rnd() % 2 ? ~0ull : rnd() & 0xff;
			size_t n = (size_t)1 << rnd() % 4;

			memcpy(bad + at, &value, n < size - at ? n : size - at);
		}
		cr_assert(ftruncate(fd, 0) == 0 && pwrite(fd, bad, length, 0) == (ssize_t)length);
		fewer += symbols_of(fd, NULL) != all;
	}
	cr_expect_gt(fewer, MUTANTS / 10, "the mutants mean something");
	close(fd);
	free(good);
	free(bad);
}

/* ---- A stripped program of Go's ---- */

enum {
	GO_FUNCTIONS = 20,
	GO_TEXT = 0x400000,
	GO_TEXT_AT = 0x1000,
	GO_TABLE_AT = 0x100,
	GO_NAMES = 0x60,
	GO_ENTRIES = 0x200,
	GO_TABLE_SIZE = 0x400,
	GO_SECTIONS_AT = 0x600,
	GO_SIZE = 0x3000
};

static void put(uint8_t *p, uint64_t value, unsigned bytes)
{
	memcpy(p, &value, bytes);
}

/* Its functions have 64 bytes each and the names f00, f01 and so on, but for the one that is called work. */
static void make_go_table(uint8_t *t, uint32_t form, uint64_t text)
{
	const uint64_t words[] = {GO_FUNCTIONS, 0, text, GO_NAMES, GO_ENTRIES, 0, 0, GO_ENTRIES};
	uint8_t *entries = t + GO_ENTRIES;

	put(t, form, 4);
	t[6] = 1;
	t[7] = 8;
	memcpy(t + 8, words, sizeof(words));
	for (unsigned i = 0; i <= GO_FUNCTIONS; i++) {
		unsigned description = (GO_FUNCTIONS + 1 + i) * 8;

		put(entries + i * 8, i * 64, 4);
		if (i == GO_FUNCTIONS)
			break;
		put(entries + i * 8 + 4, description, 4);
		put(entries + description, i * 64, 4);
		put(entries + description + 4, i * 8, 4);
		snprintf((char *)t + GO_NAMES + i * 8, 8, i == 7 ? "work" : "f%02u", i);
	}
}

static void make_go_file(uint8_t *file, uint32_t form, uint64_t text)
{
	static const char names[] = "\0.shstrtab\0.text\0.gopclntab";
	Elf64_Ehdr *eh = (void *)file;
	Elf64_Phdr *ph = (void *)(eh + 1);
	Elf64_Shdr *sh = (void *)(file + GO_SECTIONS_AT);

	memset(file, 0, GO_SIZE);
	*eh = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(*eh),
		.e_phoff = sizeof(*eh),
		.e_phnum = 1,
		.e_phentsize = sizeof(*ph),
		.e_shoff = GO_SECTIONS_AT,
		.e_shnum = 4,
		.e_shentsize = sizeof(*sh),
		.e_shstrndx = 1};
	*ph = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = GO_TEXT_AT,
		.p_vaddr = GO_TEXT,
		.p_filesz = 0x1000,
		.p_memsz = 0x1000,
		.p_align = 4096};
	sh[1] = (Elf64_Shdr){.sh_name = 1,
		.sh_type = SHT_STRTAB,
		.sh_offset = GO_SECTIONS_AT + 4 * sizeof(*sh),
		.sh_size = sizeof(names)};
	sh[2] = (Elf64_Shdr){
		.sh_name = 11, .sh_type = SHT_PROGBITS, .sh_addr = GO_TEXT, .sh_offset = GO_TEXT_AT, .sh_size = 0x1000};
	sh[3] = (Elf64_Shdr){
		.sh_name = 17, .sh_type = SHT_PROGBITS, .sh_offset = GO_TABLE_AT, .sh_size = GO_TABLE_SIZE};
	memcpy(file + sh[1].sh_offset, names, sizeof(names));
	make_go_table(file + GO_TABLE_AT, form, text);
}

static long go_symbols_of(int fd, const uint8_t *file, size_t length, const char **found)
{
	cr_assert(ftruncate(fd, 0) == 0 && pwrite(fd, file, length, 0) == (ssize_t)length);
	return symbols_of(fd, found);
}

Test(units, functions_of_stripped_go_programs)
{
	static const struct {
		uint32_t form;
		uint64_t text;
		long functions;
	} files[] = {{0xfffffff0, GO_TEXT, GO_FUNCTIONS}, {0xfffffff1, GO_TEXT, GO_FUNCTIONS},
		{0xfffffff1, 0, GO_FUNCTIONS}, {0xfffffff1, GO_TEXT + 0x1000 - 10 * 64, 10}, {0xfffffffa, GO_TEXT, 0}};
	uint8_t *good = malloc(GO_SIZE), *bad = malloc(GO_SIZE);
	int fd = memfd_create("go", 0), fewer = 0;

	cr_assert(good && bad && fd >= 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *found = NULL;

		make_go_file(good, files[i].form, files[i].text);
		cr_expect_eq(go_symbols_of(fd, good, GO_SIZE, &found), files[i].functions, "file %zu", i);
		cr_expect(!found == !files[i].functions);
	}
	make_go_file(good, 0xfffffff1, GO_TEXT);
	for (int i = 0; i < MUTANTS; i++) {
		memcpy(bad, good, GO_SIZE);
		for (unsigned k = 0; k < 1 + rnd() % 4; k++) {
			size_t at = GO_TABLE_AT + (k % 2 ? rnd() % 0x48 : rnd() % (GO_TABLE_SIZE - 8));
			uint64_t value = rnd() % 3 ? rnd() : rnd() % 2 ? ~0ull : rnd() & 0xfff;

			put(bad + at, value, 1u << rnd() % 4);
		}
		fewer += go_symbols_of(fd, bad, rnd() % 8 ? GO_SIZE : rnd() % GO_SIZE, NULL) != GO_FUNCTIONS;
	}
	cr_expect_gt(fewer, MUTANTS / 10, "the mutants mean something");
	close(fd);
	free(good);
	free(bad);
}

/* Bytes that are often code: a few opcodes with anything behind them. */
static void random_code(uint8_t *p, size_t n)
{
	static const uint8_t heads[] = {0x48, 0x55, 0x53, 0xe8, 0xe9, 0xeb, 0x0f, 0x74, 0x89, 0x8b, 0xf3, 0xc3, 0xe3,
		0xff, 0x90, 0x66, 0x41, 0x8d};

	for (size_t i = 0; i < n; i++)
		p[i] = rnd() % 2 ? heads[rnd() % sizeof(heads)] : (uint8_t)rnd();
}

Test(units, any_bytes_can_be_looked_at_and_moved)
{
	unsigned moved = 0, refused = 0, calls = 0;

	for (int i = 0; i < FUNCTIONS; i++) {
		size_t size = rnd() % 40;
		uint8_t *code = malloc(size + 1); /* exactly as long as said, for the address sanitizer */
		uint8_t out[WL_DISPLACED_EMITTED_MAX];
		struct wl_code c = {.p = out, .cap = sizeof(out), .at = 0x7f0000000000 + (rnd() % 2 << 32)};
		struct wl_function f = {.addr = 0x7f0000100000 + rnd() % 5000, .code = code, .available = size};
		struct wl_displaced d;

		cr_assert(code);
		random_code(code, size);
		f.size = size ? rnd() % (size + 1) : 0;
		f.next_known = rnd() % 2;
		f.next = rnd() % 64;
		if (wl_displace(&f, &d)) {
			refused++;
		} else {
			cr_assert((d.lacks_room ? d.len < WL_JUMP_SIZE && !d.is_call : d.len >= WL_JUMP_SIZE) &&
				  d.len <= WL_DISPLACED_MAX && d.n_insns <= WL_DISPLACED_INSNS);
			cr_assert(d.addr >= f.addr && d.addr - f.addr + (d.is_call ? 5 : d.len) <= size);
			cr_assert(d.lacks_room || d.addr / 4096 == (d.addr + 4) / 4096);
			if (!wl_displaced_emit(&c, &d, NULL, NULL, NULL)) {
				cr_assert(!c.overflow);
				moved++;
			}
			calls += d.is_call;
		}
		free(code);
	}
	cr_expect(
		moved > 1000 && refused > 1000 && calls > 10, "%u moved, %u refused, %u calls", moved, refused, calls);
}

/* Go functions that check their stack, in each form; the same with a byte changed, or one missing, is none. */
Test(units, checks_of_go_functions)
{
	static const struct {
		uint8_t code[32], size, insns;
	} checks[] = {
		{{0x49, 0x3b, 0x66, 0x10, 0x76, 0x40}, 6, 2},
		{{0x49, 0x3b, 0x66, 0x10, 0x0f, 0x86, 1, 2, 0, 0}, 10, 2},
		{{0x4c, 0x8d, 0x64, 0x24, 0x88, 0x4d, 0x3b, 0x66, 0x10, 0x76, 0x40}, 11, 3},
		{{0x4c, 0x8d, 0xa4, 0x24, 0, 0xff, 0xff, 0xff, 0x4d, 0x3b, 0x66, 0x10, 0x0f, 0x86, 1, 2, 0, 0}, 18, 3},
	};
	static const struct {
		uint8_t code[16], size;
	} none[] = {
		{{0x49, 0x3b, 0x66, 0x18, 0x76, 0x40}, 6},                                /* another limit */
		{{0x49, 0x3b, 0x66, 0x10, 0x77, 0x40}, 6},                                /* ja */
		{{0x4c, 0x8d, 0x64, 0x24, 0x48, 0x4d, 0x3b, 0x66, 0x10, 0x76, 0x40}, 11}, /* above rsp */
		{{0x4c, 0x8d, 0x64, 0x24, 0x88, 0x49, 0x3b, 0x66, 0x10, 0x76, 0x40}, 11}, /* of something else */
		/* arguments on the stack */
		{{0x64, 0x48, 0x8b, 0x0c, 0x25, 0xf8, 0xff, 0xff, 0xff, 0x48, 0x3b, 0x61, 0x10, 0x76, 0x40}, 15},
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct wl_function f = {.addr = 0x401000,
			.code = checks[i].code,
			.size = checks[i].size,
			.available = sizeof(checks[i].code),
			.go = true};
		struct wl_displaced d;

		cr_expect_null(wl_displace(&f, &d), "%zu", i);
		cr_expect(d.behind && d.addr == f.addr && d.len == checks[i].size && d.n_insns == checks[i].insns,
			"%zu: %u bytes", i, d.len);
		for (f.size = 0; f.size < checks[i].size; f.size++)
			cr_expect_not_null(wl_displace(&f, &d), "%zu: of %zu bytes", i, f.size);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		struct wl_function f = {.addr = 0x401000,
			.code = none[i].code,
			.size = none[i].size,
			.available = none[i].size,
			.go = true};
		struct wl_displaced d;
		const char *why = wl_displace(&f, &d);

		cr_expect(why && strstr(why, "check of its stack"), "%zu: %s", i, why);
	}
}

/*
 * The places of tracepoints and of instructions in any bytes: what is to be patched holds the nop, or the instruction,
 * and lies in the function and in one page. No jump leads into it.
 */
Test(units, any_nop_can_be_looked_at)
{
	struct wl_process p = {.pid = getpid(), .pidfd = -1, .mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};
	unsigned placed = 0, calls = 0, caves = 0, refused = 0;

	for (int i = 0; i < FUNCTIONS / 4; i++) {
		size_t size = 1 + rnd() % 60, nop, padding = rnd() % 3 ? 48 : rnd() % 64;
		uint8_t *code = malloc(size + padding);
		struct wl_function f = {
			.addr = 0x7f0000100000 + rnd() % 5000, .code = code, .size = size, .available = size + padding};
		struct wl_displaced d;
		bool any = rnd() % 2;

		cr_assert(code);
		random_code(code, size);
		memset(code + size, 0x90, padding);
		nop = rnd() % size;
		if (rnd() % 8)
			code[nop] = 0x90;
		if (rnd() % 4 == 0 && nop + 6 <= size)
			code[nop + !any] = 0xe8;
		if (wl_point_place(&f, nop, any, NULL, 0, &p, &d)) {
			refused++;
			free(code);
			continue;
		}
		placed++;
		calls += d.is_call;
		caves += d.cave != 0;
		if (d.is_call) {
			cr_assert(d.addr >= f.addr + nop + !any && d.addr + 5 <= f.addr + size &&
				  code[d.addr - f.addr] == 0xe8);
		} else {
			size_t first = d.addr - f.addr, want = d.cave ? WL_SHORT_SIZE : WL_JUMP_SIZE,
			       exit = (size_t)__builtin_ctz(d.exits);

			if (!any && first > nop && first - nop < WL_JUMP_SIZE && d.n_insns == 1 && !d.cave)
				nop = first; /* a long nop right behind the short one */
			cr_assert(first <= nop && nop < first + d.len && first + d.len <= size && d.len >= want &&
				  d.n_insns <= WL_DISPLACED_INSNS);
			cr_assert(d.addr / 4096 == (d.addr + want - 1) / 4096);
			cr_assert(d.exits && (d.exits & (d.exits - 1)) == 0 && exit < d.n_insns &&
				  first + d.at[exit] == nop);
			cr_assert(memcmp(d.bytes, code + first, d.len) == 0);
			cr_assert(
				!d.cave || (d.cave >= f.addr + size && d.cave + WL_JUMP_SIZE <= f.addr + f.available));
		}
		free(code);
	}
	close(p.mem);
	cr_expect(placed > 1000 && refused > 1000 && calls > 10 && caves > 10,
		"%u placed, %u refused, %u calls, %u caves", placed, refused, calls, caves);
}

/* ---- notes of tracepoints ---- */

static bool known(void *user, const char *name, size_t n, uint64_t *address)
{
	(void)user;
	*address = 0x4010;
	return n == 5 && memcmp(name, "count", 5) == 0;
}

Test(units, locations_of_arguments)
{
	static const struct {
		const char *text;
		struct wl_operand is;
	} cases[] = {
		{"8@%rax", {.kind = WL_OP_REGISTER, .size = 8, .width = 8, .reg = RAX}},
		{"%rax", {.kind = WL_OP_REGISTER, .size = 8, .width = 8, .reg = RAX}},
		{"-2@%r15w", {.kind = WL_OP_REGISTER, .size = 2, .is_signed = true, .width = 2, .reg = R15}},
		{"8@%r15d", {.kind = WL_OP_REGISTER, .size = 4, .width = 4, .reg = R15}},
		{"1@%bh", {.kind = WL_OP_REGISTER, .size = 1, .width = 1, .high = true, .reg = RBX}},
		{"1@%sil", {.kind = WL_OP_REGISTER, .size = 1, .width = 1, .reg = RSI}},
		{"1@%r9l", {.kind = WL_OP_REGISTER, .size = 1, .width = 1, .reg = R9}},
		{"8@$18446744073709551615", {.kind = WL_OP_CONSTANT, .size = 8, .value = -1}},
		{"-8@$-9223372036854775808",
			{.kind = WL_OP_CONSTANT, .size = 8, .is_signed = true, .value = INT64_MIN}},
		{"4@$0x10", {.kind = WL_OP_CONSTANT, .size = 4, .value = 16}},
		{"-4@-20(%rbp)", {.kind = WL_OP_MEMORY,
					 .size = 4,
					 .is_signed = true,
					 .reg = RBP,
					 .has_base = true,
					 .value = -20}},
		{"8@(%rsp)", {.kind = WL_OP_MEMORY, .size = 8, .reg = RSP, .has_base = true}},
		{"8@+8(%rax)", {.kind = WL_OP_MEMORY, .size = 8, .reg = RAX, .has_base = true, .value = 8}},
		{"8@8(%rax,%r12,4)", {.kind = WL_OP_MEMORY,
					     .size = 8,
					     .reg = RAX,
					     .has_base = true,
					     .has_index = true,
					     .index = R12,
					     .shift = 2,
					     .value = 8}},
		{"1@(,%rcx,8)", {.kind = WL_OP_MEMORY, .size = 1, .has_index = true, .index = RCX, .shift = 3}},
		{"1@(%rdi,%rcx)", {.kind = WL_OP_MEMORY,
					  .size = 1,
					  .reg = RDI,
					  .has_base = true,
					  .has_index = true,
					  .index = RCX}},
		{"4@count(%rip)", {.kind = WL_OP_VARIABLE, .size = 4, .value = 0x4010}},
		{"4@count", {.kind = WL_OP_VARIABLE, .size = 4, .value = 0x4010}},
		{"4@-8+count(%rip)", {.kind = WL_OP_VARIABLE, .size = 4, .value = 0x4008}},
		{"4@count+8(%rip)", {.kind = WL_OP_VARIABLE, .size = 4, .value = 0x4018}},
		{"4@count-0x10(%rip)", {.kind = WL_OP_VARIABLE, .size = 4, .value = 0x4000}},
		{"4@4+count(,%rax,4)", {.kind = WL_OP_MEMORY,
					       .size = 4,
					       .has_index = true,
					       .index = RAX,
					       .shift = 2,
					       .value = 0x4014}},
	};
	static const char *const unknown[] = {"8f@%xmm0", "8@%xmm0", "16@%rax", "0@%rax", "3@$1", "-@%rax", "@%rax",
		"8@", "8@$", "8@$x", "8@$1x", "8@%raxx", "8@%", "8@%eax0", "8@(%eax)", "8@(%rax", "8@(%rax))", "8@()",
		"8@(,)", "8@(%rax,%rsp)", "8@(%rax,%rcx,3)", "8@(%rax,%rcx,16)", "8@(%rip)", "8@8(%rip)", "8@8",
		"8@other(%rip)", "8@count+count(%rip)", "8@count(%rip)x", "8@%fs:16", "8@%fs:(%rax)",
		"8@2147483648(%rax)", "8@-2147483649(%rax)", "8@9223372036854775807+count(%rip)+9223372036854775807",
		"8@9223372036854775807+count(,%rax,2)", "8@99999999999999999999(%rax)", "8@$99999999999999999999",
		"8@$-9223372036854775809", "8@\x80(%rax)", "8@@%rax", "8@-count(%rip)", "8@*%rax", "--8@%rax"};
	struct wl_operand o[WL_POINT_ARGS];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect_eq(wl_operands_parse(cases[i].text, o, known, NULL), 1);
		cr_expect(o[0].kind == cases[i].is.kind && o[0].size == cases[i].is.size &&
				  o[0].is_signed == cases[i].is.is_signed && o[0].high == cases[i].is.high &&
				  o[0].width == cases[i].is.width && o[0].reg == cases[i].is.reg &&
				  o[0].has_base == cases[i].is.has_base && o[0].has_index == cases[i].is.has_index &&
				  o[0].index == cases[i].is.index && o[0].shift == cases[i].is.shift &&
				  o[0].value == cases[i].is.value,
			"%s", cases[i].text);
		cr_expect_eq(o[1].kind, WL_OP_NONE);
	}
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		cr_expect_eq(wl_operands_parse(unknown[i], o, known, NULL), 1);
		cr_expect_eq(o[0].kind, WL_OP_UNKNOWN, "%s", unknown[i]);
	}
	cr_expect_eq(wl_operands_parse("", o, known, NULL), 0);
	cr_expect_eq(wl_operands_parse("  8@%rax   4@$1  ", o, known, NULL), 2);
	cr_expect_eq(wl_operands_parse("1 2 3 4 5 6 7 8 9", o, known, NULL), 9);
	for (int i = 0; i < 300000; i++) {
		static const char letters[] = "%$@()-+,. 0123458fxrsbpiacount:_";
		char text[24];
		size_t n = rnd() % sizeof(text);

		for (size_t k = 0; k < n; k++)
			text[k] = letters[rnd() % (sizeof(letters) - 1)];
		text[n ? n - 1 : 0] = 0;
		wl_operands_parse(text, o, known, NULL);
		for (unsigned k = 0; k < WL_POINT_ARGS; k++)
			cr_assert(o[k].kind <= WL_OP_VARIABLE && o[k].reg < 16 && o[k].index < 16 && o[k].shift < 4 &&
				  (o[k].kind <= WL_OP_UNKNOWN || o[k].size == 1 || o[k].size == 2 || o[k].size == 4 ||
					  o[k].size == 8) &&
				  (o[k].kind != WL_OP_MEMORY || (o[k].value >= INT32_MIN && o[k].value <= INT32_MAX)));
	}
}

static void notes_of(const uint8_t *file, size_t size, struct wl_notes *notes)
{
	int fd = memfd_create("notes", 0);
	struct wl_elf elf;

	cr_assert(fd >= 0 && write(fd, file, size) == (ssize_t)size);
	*notes = (struct wl_notes){0};
	if (wl_elf_open(&elf, fd)) {
		cr_assert_eq(wl_notes_read(&elf, NULL, NULL, notes), 0);
		for (size_t i = 0; i < notes->n; i++) {
			const struct wl_note *n = &notes->v[i];

			/* Every byte of them, for the address sanitizer. */
			cr_assert(strlen(n->provider) > 0 && strlen(n->name) > 0 && strlen(n->text) < size);
			cr_assert(n->offset < ((uint64_t)1 << 63));
		}
		wl_elf_close(&elf);
	}
	close(fd);
}

Test(units, notes_of_broken_files)
{
	struct wl_notes notes;
	size_t size, at = 0, length = 0, all, fewer = 0;
	uint8_t *good = file_read(POINTS, &size), *bad = malloc(size);
	const Elf64_Ehdr *eh = (const void *)good;
	const Elf64_Shdr *sh = (const void *)(good + eh->e_shoff);

	for (unsigned i = 0; i < eh->e_shnum; i++)
		if (strcmp((const char *)good + sh[eh->e_shstrndx].sh_offset + sh[i].sh_name, ".note.stapsdt") == 0) {
			at = sh[i].sh_offset;
			length = sh[i].sh_size;
		}
	cr_assert(bad && length);
	notes_of(good, size, &notes);
	all = notes.n;
	cr_expect_gt(all, 20);
	wl_notes_free(&notes);
	for (int i = 0; i < MUTANTS; i++) {
		memcpy(bad, good, size);
		for (unsigned k = 0; k < 1 + rnd() % 6; k++) {
			uint32_t value = rnd() % 2 ? (uint32_t)rnd() : rnd() % 2 ? ~0u : (uint32_t)rnd() & 0xff;
			size_t where = rnd() % 4 ? at + rnd() % (length - 4) / (k % 2 ? 1 : 4) * (k % 2 ? 1 : 4)
						 : eh->e_shoff + rnd() % (size - eh->e_shoff - 4);

			memcpy(bad + where, &value, rnd() % 2 ? 4 : 1);
		}
		notes_of(bad, size - rnd() % 64 / 60 * (rnd() % size), &notes);
		fewer += notes.n < all;
		wl_notes_free(&notes);
	}
	cr_expect_gt(fewer, MUTANTS / 10, "the mutants mean something");
	free(good);
	free(bad);
}

/*
 * The exits of any bytes: what is to be patched lies within the function or its padding, in one page, and no two
 * patches overlap.
 */
Test(units, any_bytes_have_exits_or_a_reason)
{
	unsigned found = 0, refused = 0, short_ones = 0;
	struct wl_process p = {.pid = getpid(), .pidfd = -1, .mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};

	cr_assert(p.mem >= 0);
	for (int i = 0; i < FUNCTIONS; i++) {
		size_t size = 1 + rnd() % 60, available = size + rnd() % 20, n;
		uint8_t *code = malloc(available);
		struct wl_function f = {
			.addr = 0x7f0000100000 + rnd() % 5000, .code = code, .size = size, .available = available};
		struct wl_displaced *patches;
		const char *why;
		struct wl_parts parts;
		struct wl_leaves leaves;

		cr_assert(code);
		/* Mostly short instructions, so that some of it makes sense; and an end. */
		for (size_t k = 0; k < available; k++)
			code[k] = rnd() % 8 ? (uint8_t[]){0x90, 0x53, 0x5b, 0xc3, 0x74, 0x75, 0x02, 0x04, 0x01, 0xc9,
						      0xcc, 0x31, 0xc0, 0x50, 0x58, 0xe9, 0xeb, 0xff, 0xe0,
						      0xf8}[rnd() % 20]
					    : (uint8_t)rnd();
		if (rnd() % 2)
			memset(code + size, 0xcc, available - size);
		f.next_known = rnd() % 2;
		f.next = size + rnd() % 20;
		why = wl_body_exits(&f, &p, NULL, &patches, &n, &leaves, &parts);
		if (why) {
			cr_assert(!patches && n == 0);
			refused++;
		}
		for (size_t k = 0; k < n; k++) {
			const struct wl_displaced *d = &patches[k];
			size_t jump = d->cave ? WL_SHORT_SIZE : WL_JUMP_SIZE;
			uint8_t out[WL_DISPLACED_EMITTED_MAX];
			struct wl_code c = {.p = out, .cap = sizeof(out), .at = f.addr + 100000};

			found++;
			short_ones += d->cave != 0;
			cr_assert(d->len >= jump && d->len <= WL_DISPLACED_MAX && d->n_insns <= WL_DISPLACED_INSNS &&
				  d->exits && !(d->exits >> d->n_insns));
			cr_assert(d->addr >= f.addr && d->addr - f.addr + d->len <= available &&
				  memcmp(d->bytes, code + (d->addr - f.addr), d->len) == 0);
			cr_assert(d->addr / 4096 == (d->addr + jump - 1) / 4096);
			cr_assert(!f.next_known || d->addr - f.addr + d->len <= f.next);
			if (d->cave)
				cr_assert(d->cave > f.addr && d->cave - f.addr + WL_JUMP_SIZE <= available &&
					  d->cave / 4096 == (d->cave + 4) / 4096 &&
					  (d->cave >= d->addr + d->len || d->cave + WL_JUMP_SIZE <= d->addr));
			for (size_t o = 0; o < n; o++)
				cr_assert(o == k || d->addr >= patches[o].addr + patches[o].len ||
					  d->addr + d->len <= patches[o].addr);
			cr_assert(wl_displaced_emit(&c, &patches[k], NULL, NULL, NULL) || !c.overflow);
		}
		free(patches);
		free(code);
	}
	close(p.mem);
	cr_expect(found > 500 && refused > 1000 && short_ones > 10, "%u patches, %u of them short, %u refused", found,
		short_ones, refused);
}

/* ---- unwind tables ---- */

/* The file THROWS as it would be mapped, at `base`, a byte at a time ours to change. */
struct image {
	uint8_t *base;
	size_t size;
	uint64_t table;
	struct {
		uint64_t lo, hi;
	} part[3]; /* the search table, the descriptions, the exception tables */
};

static struct image image_load(const uint8_t *file)
{
	static const char *const section[3] = {".eh_frame_hdr", ".eh_frame", ".gcc_except_table"};
	const Elf64_Ehdr *eh = (const void *)file;
	const Elf64_Phdr *ph = (const void *)(file + eh->e_phoff);
	const Elf64_Shdr *sh = (const void *)(file + eh->e_shoff);
	struct image m = {.size = 0};

	for (unsigned i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_vaddr + ph[i].p_memsz > m.size)
			m.size = ph[i].p_vaddr + ph[i].p_memsz;
	m.base = calloc(1, m.size);
	cr_assert(m.base);
	for (unsigned i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD)
			memcpy(m.base + ph[i].p_vaddr, file + ph[i].p_offset, ph[i].p_filesz);
	for (unsigned i = 0; i < eh->e_shnum; i++)
		for (unsigned k = 0; k < 3; k++)
			if (!strcmp((const char *)file + sh[eh->e_shstrndx].sh_offset + sh[i].sh_name, section[k]))
				m.part[k].lo = sh[i].sh_addr, m.part[k].hi = sh[i].sh_addr + sh[i].sh_size;
	cr_assert(m.part[0].lo && m.part[1].lo && m.part[2].lo);
	m.table = (uint64_t)m.base + m.part[0].lo;
	return m;
}

/*
 * The functions t_* are described as their symbols say. All but two catch or clean up, and so have handlers within
 * them, behind their first byte.
 */
static unsigned check_functions(const struct wl_process *p, const struct image *m, const uint8_t *file)
{
	const Elf64_Ehdr *eh = (const void *)file;
	const Elf64_Shdr *sh = (const void *)(file + eh->e_shoff);
	unsigned checked = 0;

	for (unsigned i = 0; i < eh->e_shnum; i++) {
		const Elf64_Sym *sym = (const void *)(file + sh[i].sh_offset);
		const char *names = (const char *)file + sh[sh[i].sh_link].sh_offset;

		for (size_t k = 0; sh[i].sh_type == SHT_SYMTAB && k < sh[i].sh_size / sizeof(*sym); k++) {
			const char *name = names + sym[k].st_name;
			uint64_t addr = (uint64_t)m->base + sym[k].st_value, start, end;
			bool *at, any = false;

			if (strncmp(name, "t_", 2) != 0 || ELF64_ST_TYPE(sym[k].st_info) != STT_FUNC)
				continue;
			at = calloc(sym[k].st_size, sizeof(*at));
			cr_expect(wl_frames_range(p, m->table, addr + sym[k].st_size / 2, &start, &end) &&
					  start == addr && end == addr + sym[k].st_size,
				"%s", name);
			cr_expect(!wl_frames_range(p, m->table, addr - 1, &start, &end) || end <= addr, "%s", name);
			cr_expect(wl_frames_handlers(p, m->table, addr, sym[k].st_size, at), "%s", name);
			for (size_t o = 0; o < sym[k].st_size; o++)
				any |= at[o];
			if (!strchr(name, '.'))
				cr_expect_eq(any, strcmp(name, "t_throws") && strcmp(name, "t_checks"), "%s", name);
			cr_expect(!at[0], "%s", name);
			free(at);
			checked++;
		}
	}
	return checked;
}

Test(units, unwind_tables_of_any_bytes)
{
	struct wl_process p = {.pid = getpid(), .pidfd = -1, .mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};
	unsigned ranges = 0, handlers = 0, refused = 0;
	size_t size;
	uint8_t *file = file_read(THROWS, &size);
	struct image m = image_load(file);

	cr_assert(p.mem >= 0);
	cr_expect_gt(check_functions(&p, &m, file), 6);
	for (int i = 0; i < MUTANTS; i++) {
		unsigned k = (unsigned)(rnd() % 3), n = 1 + (unsigned)(rnd() % 4);
		uint64_t at[4];
		uint8_t old[4];

		for (unsigned j = 0; j < n; j++) {
			at[j] = m.part[k].lo + rnd() % (k == 0 && rnd() % 2 ? 12 : m.part[k].hi - m.part[k].lo);
			old[j] = m.base[at[j]];
			m.base[at[j]] = rnd() % 2 ? (uint8_t)rnd() : (uint8_t)(old[j] ^ 1u << rnd() % 8);
		}
		for (int j = 0; j < 20; j++) {
			uint64_t addr = (uint64_t)m.base + rnd() % m.part[0].lo, start, end;
			size_t length = 1 + rnd() % 600;
			bool *marks = calloc(length, sizeof(*marks));

			if (wl_frames_range(&p, m.table, addr, &start, &end)) {
				ranges++;
				cr_assert(start <= addr && addr < end);
			}
			if (wl_frames_handlers(&p, m.table, addr, length, marks))
				handlers += memchr(marks, 1, length) != NULL;
			else
				refused++;
			free(marks);
		}
		while (n-- > 0)
			m.base[at[n]] = old[n];
	}
	close(p.mem);
	free(m.base);
	free(file);
	cr_expect(ranges > 1000 && handlers > 100 && refused > 1000, "%u ranges, %u with handlers, %u refused", ranges,
		handlers, refused);
}

Test(units, gaps_are_free_and_within_reach)
{
	enum { MAPS = 40 };
	struct wl_map v[MAPS];
	struct wl_maps maps = {.v = v, .n = MAPS};
	unsigned found = 0;

	for (int round = 0; round < 20000; round++) {
		uint64_t at = rnd() % (1ull << 32), size = (1 + rnd() % 4096) * 4096, lo, hi, near, gap;

		for (int i = 0; i < MAPS; i++) {
			at += rnd() % 3 ? rnd() % (1ull << 30) : 0;
			at &= ~4095ull;
			v[i] = (struct wl_map){.start = at,
				.path = rnd() % 8 == 0   ? "[heap]"
					: rnd() % 8 == 0 ? "[stack]"
							 : ""};
			at += (1 + rnd() % (1 << 14)) * 4096;
			v[i].end = at;
		}
		near = v[rnd() % MAPS].start;
		lo = near > 0x7fff0000 ? near - 0x7fff0000 : 0;
		hi = near + 0x7fff0000;
		gap = wl_maps_gap(&maps, lo, hi, size, near);
		if (!gap)
			continue;
		found++;
		cr_assert(gap % 4096 == 0 && gap >= lo && gap + size <= hi && gap >= 1 << 20);
		for (int i = 0; i < MAPS; i++)
			cr_assert(gap >= v[i].end || gap + size <= v[i].start);
	}
	cr_expect_gt(found, 10000);
}

Test(units, plans_hold_what_they_must)
{
	static const uint32_t threads[] = {0, 1, 4, 15, 16, 1024, 65535, 70000, UINT32_MAX};
	static const uint32_t sizes[] = {0, 1, 8, 128, 2047, 2048, 4097, 1u << 28};

	for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			struct wl_slots s;

			wl_slots_plan(&s, threads[i], sizes[k]);
			cr_expect(s.max_threads >= 1 && s.max_threads <= WL_MAX_THREADS);
			cr_expect(s.rows > s.max_threads && (s.rows & (s.rows - 1)) == 0);
			cr_expect(s.state_stride >= sizes[k] && s.state_stride >= 1);
			cr_expect(s.states_size >= s.state_stride * s.max_threads);
			cr_expect(s.states_size % 4096 == 0 && s.table_size % 4096 == 0);
		}
}

/* ---- The dynamic linker's list ---- */

/*
 * This very process loads and unloads libraries: what is at the end of the list is known to be until something comes or
 * goes there.
 */
Test(units, the_last_library)
{
	struct wl_process p;
	uint64_t linker, none, one, two;
	void *first, *second;

	cr_assert_eq(wl_process_open(&p, getpid(), NULL), 0);
	linker = wl_linker_find(&p);
	none = wl_linker_last(&p, linker);
	cr_assert(linker && none && wl_linker_is_last(&p, none));
	first = dlopen(LIBRARY, RTLD_NOW);
	one = wl_linker_last(&p, linker);
	cr_expect(first && one && one != none && !wl_linker_is_last(&p, none) && wl_linker_is_last(&p, one));
	second = dlopen(OTHER_LIBRARY, RTLD_NOW);
	two = wl_linker_last(&p, linker);
	cr_expect(second && two && two != one && !wl_linker_is_last(&p, one) && wl_linker_is_last(&p, two));
	cr_expect_eq(wl_linker_state(&p, linker), WL_LINKER_IDLE);
	dlclose(second);
	cr_expect(!wl_linker_is_last(&p, two) && wl_linker_is_last(&p, one));
	dlclose(first);
	cr_expect(!wl_linker_is_last(&p, one) && wl_linker_is_last(&p, none));
	cr_expect_eq(wl_linker_last(&p, linker), none);
	cr_expect(!wl_linker_last(&p, 0) && !wl_linker_last(&p, 8) && !wl_linker_is_last(&p, 8));
	wl_process_close(&p);
}

/* ---- Short probes, which stubs have in place of a call ---- */

#define BYTES(...) {__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static const struct {
	const char *what;
	uint8_t code[48];
	size_t n;
	uint8_t copy[48];
	size_t len;
	bool event, state;
} fitting[] = {
	{"nothing", BYTES(0xc3), {0}, 0, false, false},
	{"inc (rsi)", BYTES(0x48, 0xff, 0x06, 0xc3), BYTES(0x48, 0xff, 0x06), false, true},
	{"and what stands behind it", BYTES(0x48, 0xff, 0x06, 0xc3, 0x48, 0xff, 0x06, 0xc3), BYTES(0x48, 0xff, 0x06),
		false, true},
	{"if ((rdi) == -1) inc (rsi)", BYTES(0x48, 0x83, 0x3f, 0xff, 0x74, 0x01, 0xc3, 0x48, 0xff, 0x06, 0xc3),
		BYTES(0x48, 0x83, 0x3f, 0xff, 0x74, 0x02, 0xeb, 0x03, 0x48, 0xff, 0x06), true, true},
	{"a jump to the last ret", BYTES(0x48, 0x83, 0x3f, 0xff, 0x75, 0x03, 0x48, 0xff, 0x06, 0xc3),
		BYTES(0x48, 0x83, 0x3f, 0xff, 0x75, 0x03, 0x48, 0xff, 0x06), true, true},
	{"a jump of 32 bits", BYTES(0x48, 0x83, 0x3f, 0xff, 0x0f, 0x85, 3, 0, 0, 0, 0x48, 0xff, 0x06, 0xc3),
		BYTES(0x48, 0x83, 0x3f, 0xff, 0x75, 0x03, 0x48, 0xff, 0x06), true, true},
	{"jmp over a nop", BYTES(0xeb, 0x01, 0x90, 0x48, 0xff, 0x06, 0xc3), BYTES(0xeb, 0x01, 0x90, 0x48, 0xff, 0x06),
		false, true},
	{"rep movsb", BYTES(0xb9, 8, 0, 0, 0, 0xf3, 0xa4, 0xc3), BYTES(0xb9, 8, 0, 0, 0, 0xf3, 0xa4), true, true},
	{"through rax", BYTES(0x48, 0x89, 0xf8, 0x48, 0xff, 0x00, 0xc3), BYTES(0x48, 0x89, 0xf8, 0x48, 0xff, 0x00),
		true, false},
};

static const struct {
	const char *what;
	uint8_t code[48];
	size_t n;
} unfitting[] = {
	{"no end", BYTES(0x48, 0xff, 0x06)},
	{"half an instruction", BYTES(0x48, 0xff)},
	{"an address relative to rip", BYTES(0x48, 0x8b, 0x05, 0, 0, 0, 0, 0xc3)},
	{"a call", BYTES(0xe8, 0, 0, 0, 0, 0xc3)},
	{"a call by a register", BYTES(0xff, 0xd0, 0xc3)},
	{"a jump by a register", BYTES(0xff, 0xe0, 0xc3)},
	{"push and pop", BYTES(0x53, 0x5b, 0xc3)},
	{"pushfq", BYTES(0x9c, 0xc3)},
	{"rsp", BYTES(0x48, 0x89, 0xe0, 0xc3)},
	{"esp", BYTES(0x89, 0xe0, 0xc3)},
	{"by way of rsp", BYTES(0x48, 0x8b, 0x44, 0x24, 8, 0xc3)},
	{"r10", BYTES(0x4c, 0x89, 0xd0, 0xc3)},
	{"r10 as an index", BYTES(0x42, 0x8b, 0x04, 0x16, 0xc3)},
	{"r11b", BYTES(0x44, 0x88, 0xd8, 0xc3)},
	{"ret of more", BYTES(0xc2, 8, 0)},
	{"syscall", BYTES(0x0f, 0x05, 0xc3)},
	{"int3", BYTES(0xcc, 0xc3)},
	{"a jump back", BYTES(0x48, 0xff, 0x06, 0x75, 0xfb, 0xc3)},
	{"a jump to itself", BYTES(0xeb, 0xfe, 0xc3)},
	{"a jump into an instruction", BYTES(0x74, 0x01, 0x48, 0xff, 0x06, 0xc3)},
	{"a jump out", BYTES(0x74, 0x10, 0x48, 0xff, 0x06, 0xc3)},
	{"a jump far out", BYTES(0x0f, 0x84, 0, 0, 0, 0x10, 0x48, 0xff, 0x06, 0xc3)},
	{"jrcxz", BYTES(0xe3, 0x03, 0x48, 0xff, 0x06, 0xc3)},
	{"loop", BYTES(0xe2, 0x03, 0x48, 0xff, 0x06, 0xc3)},
	{"too long", BYTES(0x48, 0xff, 6, 0x48, 0xff, 6, 0x48, 0xff, 6, 0x48, 0xff, 6, 0x48, 0xff, 6, 0x48, 0xff, 6,
			     0x48, 0xff, 6, 0x48, 0xff, 6, 0x48, 0xff, 6, 0x48, 0xff, 6, 0x48, 0xff, 6, 0x48, 0xff, 6,
			     0x48, 0xff, 6, 0x48, 0xff, 6, 0xc3)},
};

/* ---- code by pages ---- */

enum { CODE_PAGES = 4 };

/* This process's own memory as a target's. */
static struct wl_process own_memory(void)
{
	struct wl_process p = {.pid = getpid(), .pidfd = -1, .mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC)};

	cr_assert(p.mem >= 0);
	return p;
}

static uint8_t *code_pages(int prot, int flags)
{
	const size_t size = CODE_PAGES * WL_CODE_PAGE;
	uint8_t *v = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

	cr_assert(v != MAP_FAILED);
	for (size_t i = 0; i < size; i++)
		v[i] = (uint8_t)(i * 7);
	cr_assert(mprotect(v, size, prot) == 0);
	return v;
}

/* Writes at random places, and reads of what was written just now: all is there after the flush, and nothing else. */
static void write_pages(int prot, int flags)
{
	static uint8_t expected[CODE_PAGES * WL_CODE_PAGE];
	uint8_t *v = code_pages(prot, flags), bytes[5], now[19];
	struct wl_process p = own_memory();
	struct wl_maps maps;
	struct wl_code_page code = {.p = &p, .maps = &maps};

	cr_assert(wl_maps_read(getpid(), &maps) == 0);
	memcpy(expected, v, sizeof(expected));
	for (int i = 0; i < 500; i++) {
		size_t n = 1 + rnd() % sizeof(bytes), at = rnd() % (sizeof(expected) - sizeof(now));

		for (size_t k = 0; k < n; k++)
			expected[at + k] = bytes[k] = (uint8_t)rnd();
		cr_assert(wl_code_write(&code, (uint64_t)(uintptr_t)v + at, bytes, n));
		at = rnd() % 2 ? at : rnd() % (sizeof(expected) - sizeof(now));
		cr_assert(wl_code_read(&code, (uint64_t)(uintptr_t)v + at, now, sizeof(now)));
		cr_assert(memcmp(now, expected + at, sizeof(now)) == 0);
	}
	cr_expect(wl_code_flush(&code));
	cr_expect(memcmp(v, expected, sizeof(expected)) == 0);
	wl_maps_free(&maps);
	close(p.mem);
	munmap(v, sizeof(expected));
}

Test(units, code_is_written_by_pages)
{
	write_pages(PROT_READ | PROT_EXEC, MAP_PRIVATE);
	write_pages(PROT_READ | PROT_WRITE, MAP_PRIVATE);
	write_pages(PROT_READ | PROT_WRITE, MAP_SHARED);
}

/* Between two patches of a page that others can write, their bytes stay. */
Test(units, what_others_write_between_patches_stays)
{
	uint8_t *v = code_pages(PROT_READ | PROT_WRITE, MAP_SHARED);
	struct wl_process p = own_memory();
	struct wl_maps maps;
	struct wl_code_page code = {.p = &p, .maps = &maps};

	cr_assert(wl_maps_read(getpid(), &maps) == 0);
	cr_assert(wl_code_write(&code, (uint64_t)(uintptr_t)v + 100, "\1", 1));
	v[150] = 2;
	cr_assert(wl_code_write(&code, (uint64_t)(uintptr_t)v + 200, "\3", 1));
	cr_assert(wl_code_flush(&code));
	cr_expect(v[100] == 1 && v[150] == 2 && v[200] == 3);
	wl_maps_free(&maps);
	close(p.mem);
	munmap(v, CODE_PAGES * WL_CODE_PAGE);
}

/* A write that fails is told, then or by the flush, and nothing is written after it. */
Test(units, code_that_is_gone)
{
	uint8_t *v = code_pages(PROT_READ | PROT_EXEC, MAP_PRIVATE);
	struct wl_process p = own_memory();
	struct wl_maps maps;
	struct wl_code_page code = {.p = &p, .maps = &maps};

	cr_assert(wl_maps_read(getpid(), &maps) == 0);
	cr_assert(wl_code_write(&code, (uint64_t)(uintptr_t)v + 100, "\1", 1));
	munmap(v, WL_CODE_PAGE);
	cr_expect_not(wl_code_write(&code, (uint64_t)(uintptr_t)v + WL_CODE_PAGE + 100, "\1", 1));
	cr_expect_not(wl_code_flush(&code));
	cr_expect(v[WL_CODE_PAGE + 100] == (uint8_t)((WL_CODE_PAGE + 100) * 7));
	wl_maps_free(&maps);
	close(p.mem);
	munmap(v + WL_CODE_PAGE, (CODE_PAGES - 1) * WL_CODE_PAGE);
}

Test(units, short_probes)
{
	for (size_t i = 0; i < sizeof(fitting) / sizeof(*fitting); i++) {
		struct wl_inplace in = wl_inplace_look(fitting[i].code, fitting[i].n);

		cr_expect(in.fits, "%s", fitting[i].what);
		cr_expect(in.len == fitting[i].len && memcmp(in.code, fitting[i].copy, in.len) == 0, "%s",
			fitting[i].what);
		cr_expect(in.event == fitting[i].event && in.state == fitting[i].state, "%s", fitting[i].what);
	}
	for (size_t i = 0; i < sizeof(unfitting) / sizeof(*unfitting); i++)
		cr_expect(!wl_inplace_look(unfitting[i].code, unfitting[i].n).fits, "%s", unfitting[i].what);
}

/* Of any bytes at all: nothing is read behind them, and a copy is no longer than there is room for. */
Test(units, short_probes_of_any_bytes)
{
	for (unsigned round = 0; round < 20000; round++) {
		size_t n = rnd() % 64;
		uint8_t *code = malloc(n ? n : 1);

		for (size_t i = 0; i < n; i++)
			code[i] = rnd() % 6 == 0   ? 0xc3
				  : rnd() % 5 == 0 ? 0x74
				  : rnd() % 3 == 0 ? (uint8_t)(rnd() % 8)
						   : (uint8_t)rnd();
		cr_assert_leq(wl_inplace_look(code, n).len, WL_INPLACE_MAX);
		free(code);
	}
}

/* ---- Protection keys ---- */

enum { PKRU_AT = 2688, NEW_THREADS = 0x55555554 };

static enum wl_key0 key0_with(uint32_t pkru)
{
	uint8_t state[PKRU_AT + 8] = {0};

	memcpy(state + PKRU_AT, &pkru, sizeof(pkru));
	return wl_key0_of(state, sizeof(state), PKRU_AT);
}

Test(units, what_a_thread_denies_itself)
{
	cr_expect_eq(key0_with(0), WL_KEY0_FREE);
	cr_expect_eq(key0_with(NEW_THREADS), WL_KEY0_FREE);
	cr_expect_eq(key0_with(NEW_THREADS | 2), WL_KEY0_NO_WRITES);
	cr_expect_eq(key0_with(NEW_THREADS | 1), WL_KEY0_NO_ACCESS);
	cr_expect_eq(key0_with(3), WL_KEY0_NO_ACCESS);
	cr_expect_eq(key0_with(~3u), WL_KEY0_FREE);
	cr_expect_eq(key0_with(~0u), WL_KEY0_NO_ACCESS);
}

/* Of a processor without, or where less is told: nothing is read behind what there is. */
Test(units, extended_state_of_any_size)
{
	for (size_t n = 0; n < 64; n++) {
		uint8_t *state = malloc(n ? n : 1);

		memset(state, 0xff, n ? n : 1);
		cr_expect_eq(wl_key0_of(state, n, 0), WL_KEY0_FREE);
		for (size_t at = 1; at < 80; at++)
			cr_expect_eq(wl_key0_of(state, n, at), at + 4 <= n ? WL_KEY0_NO_ACCESS : WL_KEY0_FREE,
				"%zu of %zu", at, n);
		cr_expect_eq(wl_key0_of(state, n, SIZE_MAX), WL_KEY0_FREE);
		cr_expect_eq(wl_key0_of(state, n, SIZE_MAX - 3), WL_KEY0_FREE);
		free(state);
	}
}

/*
 * What stands at the C library's function, run with these arguments: the gate afterwards, and whether the tracer was
 * told.
 */
static uint16_t gate_after(uint8_t *low, enum wl_watched which, uint16_t gate, unsigned rdi, unsigned rsi, bool *shut)
{
	const struct wl_slots s = {.gate = (uint64_t)(uintptr_t)low, .tallies = (uint64_t)(uintptr_t)low + WL_PAGE};
	struct wl_code c = {.p = low + 2 * WL_PAGE, .cap = WL_WATCH_MAX + 1, .at = (uintptr_t)low + 2 * WL_PAGE};
	uint64_t *told = (uint64_t *)(low + WL_PAGE + offsetof(struct wl_tally, shut));

	wl_watch(&c, &s, which);
	wl_u8(&c, 0xc3);
	cr_assert(!c.overflow);
	memcpy(low, &gate, sizeof(gate));
	*told = 0;
	if (!(gate & WL_GATE_OPEN))
		cr_assert_eq(mprotect(low, 2 * WL_PAGE, PROT_READ), 0);
	((void (*)(unsigned, unsigned))(uintptr_t)c.p)(rdi, rsi);
	cr_assert_eq(mprotect(low, 2 * WL_PAGE, PROT_READ | PROT_WRITE), 0);
	*shut = *told == 1;
	memcpy(&gate, low, sizeof(gate));
	return gate;
}

/* A gate that is closed may be memory that the thread can't write to. */
Test(units, calls_that_deny_memory_of_ours)
{
	uint8_t *low = mmap(
		NULL, 3 * WL_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	const uint16_t flags = WL_NO_CALLS << 8;
	bool shut;

	cr_assert_neq(low, MAP_FAILED);
	for (unsigned rights = 0; rights < 8; rights++) {
		bool denies = rights & 3;

		cr_expect_eq(gate_after(low, WL_PKEY_SET, WL_GATE_OPEN | flags, 0, rights, &shut),
			denies ? WL_SHUT << 8 | flags : WL_GATE_OPEN | flags, "%u", rights);
		cr_expect_eq(shut, denies, "%u", rights);
		cr_expect_eq(gate_after(low, WL_PKEY_SET, WL_GATE_OPEN, 1, rights, &shut), WL_GATE_OPEN, "%u", rights);
		cr_expect(!shut);
	}
	cr_expect_eq(gate_after(low, WL_PRCTL, WL_GATE_OPEN, PR_SET_SECCOMP, 2, &shut), WL_GATE_OPEN | flags);
	cr_expect_eq(gate_after(low, WL_PKEY_SET, 0, 0, 2, &shut), 0);
	cr_expect(!shut);
	cr_expect_eq(gate_after(low, WL_PRCTL, 0, PR_SET_SECCOMP, 2, &shut), 0);
	munmap(low, 3 * WL_PAGE);
}
