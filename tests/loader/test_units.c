/* The parts that read hostile input, fed with it: symbol tables, code, lists of mappings. */
#include "helper.h"

#include "user/body.h"
#include "user/maps.h"
#include "user/relocate.h"
#include "user/slots.h"
#include "user/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static uint8_t *read_target(size_t *size)
{
	int fd = open(TARGET, O_RDONLY);
	struct stat st;
	uint8_t *p;

	cr_assert(fd >= 0 && fstat(fd, &st) == 0);
	*size = (size_t)st.st_size;
	p = malloc(*size);
	cr_assert(p && read(fd, p, *size) == (ssize_t)*size);
	close(fd);
	return p;
}

Test(units, symbols_of_broken_files)
{
	size_t size;
	uint8_t *good = read_target(&size), *bad = malloc(size);
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
			size_t at = k % 3 == 0 ? rnd() % 0x400 : k % 3 == 1 ? shoff + rnd() % (size - shoff) : rnd() % size;
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

/* Bytes that are often code: a few opcodes with anything behind them. */
static void random_code(uint8_t *p, size_t n)
{
	static const uint8_t heads[] = {
		0x48, 0x55, 0x53, 0xe8, 0xe9, 0xeb, 0x0f, 0x74, 0x89, 0x8b, 0xf3, 0xc3, 0xe3, 0xff, 0x90, 0x66, 0x41, 0x8d};

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
			cr_assert(d.len >= WL_JUMP_SIZE && d.len <= WL_DISPLACED_MAX && d.n_insns <= WL_DISPLACED_INSNS);
			cr_assert(d.addr >= f.addr && d.addr - f.addr + (d.is_call ? 5 : d.len) <= size);
			cr_assert(d.addr / 4096 == (d.addr + 4) / 4096);
			if (!wl_displaced_emit(&c, &d, NULL, NULL)) {
				cr_assert(!c.overflow);
				moved++;
			}
			calls += d.is_call;
		}
		free(code);
	}
	cr_expect(moved > 1000 && refused > 1000 && calls > 10, "%u moved, %u refused, %u calls", moved, refused, calls);
}

/* The exits of any bytes: what is to be patched lies within the function or its padding, in one page, and no two patches overlap. */
Test(units, any_bytes_have_exits_or_a_reason)
{
	unsigned found = 0, refused = 0, short_ones = 0;
	struct wl_process p = {.pid = getpid(), .pidfd = -1, .mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};

	cr_assert(p.mem >= 0);
	for (int i = 0; i < FUNCTIONS; i++) {
		size_t size = 1 + rnd() % 60, available = size + rnd() % 20, n;
		uint8_t *code = malloc(available);
		struct wl_function f = {.addr = 0x7f0000100000 + rnd() % 5000, .code = code, .size = size, .available = available};
		struct wl_displaced *patches;
		const char *why;
		struct wl_parts parts;
		bool tail;

		cr_assert(code);
		/* Mostly short instructions, so that some of it makes sense; and an end. */
		for (size_t k = 0; k < available; k++)
			code[k] = rnd() % 8 ? (uint8_t[]){0x90, 0x53, 0x5b, 0xc3, 0x74, 0x75, 0x02, 0x04, 0x01, 0xc9, 0xcc, 0x31, 0xc0, 0x50, 0x58, 0xe9, 0xeb, 0xff, 0xe0, 0xf8}[rnd() % 20] : (uint8_t)rnd();
		if (rnd() % 2)
			memset(code + size, 0xcc, available - size);
		f.next_known = rnd() % 2;
		f.next = size + rnd() % 20;
		why = wl_body_exits(&f, &p, NULL, &patches, &n, &tail, &parts);
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
			cr_assert(d->len >= jump && d->len <= WL_DISPLACED_MAX && d->n_insns <= WL_DISPLACED_INSNS && d->exits && !(d->exits >> d->n_insns));
			cr_assert(d->addr >= f.addr && d->addr - f.addr + d->len <= available && memcmp(d->bytes, code + (d->addr - f.addr), d->len) == 0);
			cr_assert(d->addr / 4096 == (d->addr + jump - 1) / 4096);
			cr_assert(!f.next_known || d->addr - f.addr + d->len <= f.next);
			if (d->cave)
				cr_assert(d->cave > f.addr && d->cave - f.addr + WL_JUMP_SIZE <= available && d->cave / 4096 == (d->cave + 4) / 4096 &&
					  (d->cave >= d->addr + d->len || d->cave + WL_JUMP_SIZE <= d->addr));
			for (size_t o = 0; o < n; o++)
				cr_assert(o == k || d->addr >= patches[o].addr + patches[o].len || d->addr + d->len <= patches[o].addr);
			cr_assert(wl_displaced_emit(&c, &patches[k], NULL, NULL) || !c.overflow);
		}
		free(patches);
		free(code);
	}
	close(p.mem);
	cr_expect(found > 500 && refused > 1000 && short_ones > 10, "%u patches, %u of them short, %u refused", found, short_ones, refused);
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

/* The functions t_* are described as their symbols say, and those that catch or clean up have handlers within them, behind their first byte. */
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
			cr_expect(wl_frames_range(p, m->table, addr + sym[k].st_size / 2, &start, &end) && start == addr && end == addr + sym[k].st_size, "%s", name);
			cr_expect(!wl_frames_range(p, m->table, addr - 1, &start, &end) || end <= addr, "%s", name);
			cr_expect(wl_frames_handlers(p, m->table, addr, sym[k].st_size, at), "%s", name);
			for (size_t o = 0; o < sym[k].st_size; o++)
				any |= at[o];
			if (!strchr(name, '.'))
				cr_expect_eq(any, strcmp(name, "t_throws") != 0, "%s", name);
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
	cr_expect(ranges > 1000 && handlers > 100 && refused > 1000, "%u ranges, %u with handlers, %u refused", ranges, handlers, refused);
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
			v[i] = (struct wl_map){.start = at, .path = rnd() % 8 == 0 ? "[heap]" : rnd() % 8 == 0 ? "[stack]" : ""};
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
