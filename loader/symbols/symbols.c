/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the symbols of a process's modules, and finding them by name and by address. */
#include "debug_file.h"
#include "demangle.h"
#include "loader/process/go.h"
#include "go_table.h"
#include "inlined.h"
#include "sdt_note.h"
#include "twins.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VDSO_MOST = 1 << 16 };
static const char DELETED[] = " (deleted)";

static bool is_deleted(const char *path)
{
	size_t n = strlen(path), d = sizeof(DELETED) - 1;

	return n > d && strcmp(path + n - d, DELETED) == 0;
}

char *wl_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = strdup(slash ? slash + 1 : path);

	if (name && is_deleted(name))
		name[strlen(name) - (sizeof(DELETED) - 1)] = 0;
	return name;
}

int wl_open_mapped(pid_t pid, const struct wl_map *m)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	struct stat st;
	char *path = NULL;
	int fd;

	if (asprintf(&path, "/proc/%d/map_files/%llx-%llx", (int)wl_shown_at(pid), (unsigned long long)m->link_start,
		    (unsigned long long)m->link_end) < 0)
		return -1;
	fd = open(path, flags);
	free(path);
	if (fd < 0 && !is_deleted(m->path)) {
		if (asprintf(&path, "/proc/%d/root%s", (int)wl_shown_at(pid), m->path) < 0)
			return -1;
		fd = open(path, flags);
		free(path);
	}
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

bool wl_is_vdso(const struct wl_map *m)
{
	return m->exec && !m->inode && strcmp(m->path, "[vdso]") == 0;
}

static bool read_memory(pid_t pid, uint64_t at, void *to, size_t size)
{
	char path[64];
	bool good;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)wl_shown_at(pid));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	good = fd >= 0 && pread(fd, to, size, (off_t)at) == (ssize_t)size;
	if (fd >= 0)
		close(fd);
	return good;
}

int wl_open_vdso(pid_t pid, const struct wl_map *m)
{
	uint64_t size = m->end - m->start;
	uint8_t *bytes = size <= VDSO_MOST ? malloc(size) : NULL;
	int fd = -1;

	if (bytes && read_memory(pid, m->start, bytes, size))
		fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) {
		close(fd);
		fd = -1;
	}
	free(bytes);
	return fd;
}

enum { STRINGS_SONAME, STRINGS_SYMTAB, STRINGS_DYNSYM, STRINGS_SEPARATE, STRINGS_GO };

static void read_dynamic(struct wl_module *m)
{
	const Elf64_Shdr *sh = wl_elf_section(&m->elf, SHT_DYNAMIC);
	Elf64_Dyn *dyn = sh ? wl_elf_read(&m->elf, sh->sh_offset, sh->sh_size) : NULL;

	m->soname = "";
	for (size_t i = 0; dyn && i < sh->sh_size / sizeof(*dyn) && dyn[i].d_tag != DT_NULL; i++) {
		m->relocates_code |=
			dyn[i].d_tag == DT_TEXTREL || (dyn[i].d_tag == DT_FLAGS && dyn[i].d_un.d_val & DF_TEXTREL);
		if (dyn[i].d_tag == DT_SONAME && !m->strings[STRINGS_SONAME].p) {
			m->strings[STRINGS_SONAME] = wl_elf_strings(&m->elf, sh);
			m->soname = wl_string(&m->strings[STRINGS_SONAME], dyn[i].d_un.d_val);
		}
	}
	free(dyn);
}

static void forget_symbols(struct wl_module *m)
{
	for (size_t i = 0; i < sizeof(m->strings) / sizeof(m->strings[0]); i++) {
		free(m->strings[i].p);
		m->strings[i] = (struct wl_strings){0};
	}
	free(m->symbols);
	free(m->readable);
	while (m->n_twins)
		free(m->twins[--m->n_twins]);
	free(m->twins);
	m->twins = NULL;
	m->readable = NULL;
	m->symbols = NULL;
	m->n_symbols = 0;
}

static void forget_notes(struct wl_module *m)
{
	if (m->notes)
		wl_notes_free(m->notes);
	free(m->notes);
	m->notes = NULL;
}

static void forget_inlines(struct wl_module *m)
{
	if (m->inlines)
		wl_inlines_free(m->inlines);
	free(m->inlines);
	free(m->inlines_of);
	m->inlines = NULL;
	m->inlines_of = NULL;
}

int wl_module_inlines(struct wl_module *m, const char *name, const struct wl_inlines **out)
{
	int rc = 0;

	if (!m->inlines_of || strcmp(m->inlines_of, name) != 0) {
		forget_inlines(m);
		m->inlines = calloc(1, sizeof(*m->inlines));
		m->inlines_of = strdup(name);
		rc = m->inlines && m->inlines_of ? wl_inlines_find(m, name, m->inlines) : ENOMEM;
	}
	if (rc)
		forget_inlines(m);
	*out = m->inlines;
	return rc;
}

void wl_module_close(struct wl_module *m)
{
	forget_notes(m);
	forget_inlines(m);
	if (m->elf.fd >= 0)
		close(m->elf.fd);
	wl_elf_close(&m->elf);
	forget_symbols(m);
	free(m->name);
}

bool wl_module_open(pid_t pid, const struct wl_map *map, int fd, struct wl_module *m)
{
	if (fd < 0)
		return false;
	*m = (struct wl_module){.first = map, .pid = pid, .name = wl_base_name(map->path)};
	if (!m->name || !wl_elf_open(&m->elf, fd)) {
		m->elf.fd = fd;
		wl_module_close(m);
		return false;
	}
	read_dynamic(m);
	m->stripped = !wl_elf_section(&m->elf, SHT_SYMTAB);
	m->is_go = wl_go_file(&m->elf);
	return true;
}

struct wl_module *wl_module_of(const struct wl_modules *modules, const struct wl_map *map)
{
	for (size_t i = 0; i < modules->n; i++) {
		const struct wl_map *f = modules->v[i].first;

		if (f->inode == map->inode && f->major == map->major && f->minor == map->minor)
			return &modules->v[i];
	}
	return NULL;
}

int wl_modules_read(pid_t pid, const struct wl_maps *maps, struct wl_modules *modules)
{
	size_t cap = 0;

	*modules = (struct wl_modules){0};
	for (size_t i = 0; i < maps->n; i++) {
		const struct wl_map *map = &maps->v[i];

		if (!map->exec || !map->inode || map->path[0] != '/' || wl_module_of(modules, map))
			continue;
		if (modules->n == cap) {
			cap = cap ? cap * 2 : 16;
			struct wl_module *v = realloc(modules->v, cap * sizeof(*v));
			if (!v) {
				wl_modules_free(modules);
				return ENOMEM;
			}
			modules->v = v;
		}
		if (wl_module_open(pid, map, wl_open_mapped(pid, map), &modules->v[modules->n]))
			modules->n++;
	}
	return 0;
}

void wl_modules_free(struct wl_modules *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		wl_module_close(&modules->v[i]);
	free(modules->v);
	*modules = (struct wl_modules){0};
}

/* Where an address of the file's own view lies in the file, if it is code. */
static bool code_offset(const struct wl_elf *elf, uint64_t value, uint64_t *offset)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const Elf64_Phdr *p = &elf->segments[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && value >= p->p_vaddr &&
			value - p->p_vaddr < p->p_filesz) {
			*offset = value - p->p_vaddr + p->p_offset;
			return true;
		}
	}
	return false;
}

/* A longer name is no compiler's. */
enum { NAME_MAX_LENGTH = 16384 };

static bool is_name(const char *name)
{
	return *name && strnlen(name, NAME_MAX_LENGTH) < NAME_MAX_LENGTH;
}

static bool is_function(const Elf64_Sym *sym)
{
	unsigned type = ELF64_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF && sym->st_value != 0;
}

static bool symbol_append(struct wl_module *m, size_t *cap, const struct wl_symbol *s)
{
	if (m->n_symbols == *cap) {
		size_t larger = *cap ? *cap * 2 : 1024;
		struct wl_symbol *v = realloc(m->symbols, larger * sizeof(*v));

		if (!v)
			return false;
		m->symbols = v;
		*cap = larger;
	}
	m->symbols[m->n_symbols++] = *s;
	return true;
}

/* A symbol's version: behind its name in the full table, in a table beside the dynamic one. */
static void add_version(struct wl_symbol *s, const struct wl_versions *versions, size_t symbol)
{
	const char *at = strchr(s->name, '@');

	s->is_default = true;
	if (at) {
		s->is_default = at[1] == '@';
		s->version = at + 1 + s->is_default;
	} else {
		s->version = wl_version_of(versions, symbol, &s->is_default);
	}
}

static int add_table(
	struct wl_module *m, const struct wl_elf *elf, size_t *cap, uint32_t type, struct wl_strings *strings)
{
	const Elf64_Shdr *sh = wl_elf_section(elf, type);
	Elf64_Sym *table = sh ? wl_elf_read(elf, sh->sh_offset, sh->sh_size) : NULL;
	struct wl_versions versions = {0};
	const char *file = NULL; /* of the static functions that follow */
	int rc = 0;

	if (!table)
		return 0;
	*strings = wl_elf_strings(elf, sh);
	if (type == SHT_DYNSYM)
		wl_versions_read(elf, strings, &versions);
	for (size_t i = 0; rc == 0 && i < sh->sh_size / sizeof(*table); i++) {
		const Elf64_Sym *sym = &table[i];
		struct wl_symbol s = {.size = sym->st_size, .ifunc = ELF64_ST_TYPE(sym->st_info) == STT_GNU_IFUNC};

		s.name = wl_string(strings, sym->st_name);
		if (ELF64_ST_TYPE(sym->st_info) == STT_FILE)
			file = is_name(s.name) ? s.name : NULL;
		if (!is_function(sym) || !is_name(s.name) || !code_offset(&m->elf, sym->st_value, &s.offset))
			continue;
		s.file = ELF64_ST_BIND(sym->st_info) == STB_LOCAL ? file : NULL;
		add_version(&s, &versions, i);
		rc = symbol_append(m, cap, &s) ? 0 : ENOMEM;
	}
	wl_versions_free(&versions);
	free(table);
	return rc;
}

/* A stripped file's symbols, if they are installed. */
static int add_separate(struct wl_module *m, size_t *cap)
{
	struct wl_elf debug;
	int rc;

	if (!m->stripped || !wl_debug_file_open(m->pid, m->first->path, &m->elf, &debug))
		return 0;
	rc = add_table(m, &debug, cap, SHT_SYMTAB, &m->strings[STRINGS_SEPARATE]);
	m->stripped = rc != 0;
	close(debug.fd);
	wl_elf_close(&debug);
	return rc;
}

/* What Go's runtime knows of a stripped program. */
static int add_go_table(struct wl_module *m, size_t *cap)
{
	struct wl_go_table table;
	struct wl_go_function f;
	size_t before = m->n_symbols;
	int rc = 0;

	if (!m->stripped || !m->is_go || !wl_go_table_read(&m->elf, &table))
		return 0;
	for (size_t i = 0; rc == 0 && i < table.n; i++) {
		struct wl_symbol s = {.is_default = true};

		if (!wl_go_table_function(&table, i, &f) || !is_name(f.name) ||
			!code_offset(&m->elf, f.address, &s.offset))
			continue;
		s.size = f.size;
		s.name = f.name;
		rc = symbol_append(m, cap, &s) ? 0 : ENOMEM;
	}
	if (rc == 0 && m->n_symbols > before) {
		m->stripped = false;
		m->go_from = m->symbols[before].offset;
		m->go_to = m->symbols[m->n_symbols - 1].offset + m->symbols[m->n_symbols - 1].size;
	}
	m->strings[STRINGS_GO] = table.names;
	table.names = (struct wl_strings){0};
	wl_go_table_free(&table);
	return rc;
}

static int by_offset_and_name(const void *a, const void *b)
{
	const struct wl_symbol *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * With cgo there are C's functions as well, before Go's and behind. Where that can't be known all are taken for Go's.
 */
static void find_go(struct wl_module *m)
{
	uint64_t from = UINT64_MAX, to = 0;

	if (m->go_to) /* by its own table */
		return;
	for (size_t i = 0; m->is_go && i < m->n_symbols; i++) {
		const struct wl_symbol *s = &m->symbols[i];

		if (from == UINT64_MAX && strcmp(s->name, "runtime.text") == 0)
			from = s->offset;
		if (strcmp(s->name, "runtime.etext") == 0)
			to = s->offset;
	}
	m->go_from = from <= to ? from : 0;
	m->go_to = from <= to ? to : UINT64_MAX;
}

bool wl_module_is_go(const struct wl_module *m, uint64_t offset)
{
	return m->is_go && offset >= m->go_from && offset <= m->go_to;
}

int wl_module_load_symbols(struct wl_module *m)
{
	size_t cap = 0;
	int rc;

	if (m->loaded)
		return 0;
	rc = add_table(m, &m->elf, &cap, SHT_SYMTAB, &m->strings[STRINGS_SYMTAB]);
	if (rc == 0)
		rc = add_separate(m, &cap);
	if (rc == 0)
		rc = add_go_table(m, &cap);
	if (rc == 0)
		rc = add_table(m, &m->elf, &cap, SHT_DYNSYM, &m->strings[STRINGS_DYNSYM]);
	if (rc == 0)
		rc = wl_demangle(m->symbols, m->n_symbols, &m->readable);
	if (rc) {
		forget_symbols(m); /* it may be asked for again */
		return rc;
	}
	if (m->n_symbols)
		qsort(m->symbols, m->n_symbols, sizeof(*m->symbols), by_offset_and_name);
	rc = wl_twins_find(m);
	if (rc) {
		forget_symbols(m);
		return rc;
	}
	find_go(m);
	m->loaded = true;
	return 0;
}

uint64_t wl_module_own_address(const struct wl_module *m, uint64_t offset)
{
	for (size_t i = 0; i < m->elf.n_segments; i++) {
		const Elf64_Phdr *p = &m->elf.segments[i];

		if (p->p_type == PT_LOAD && offset >= p->p_offset && offset - p->p_offset < p->p_filesz)
			return offset - p->p_offset + p->p_vaddr;
	}
	return offset;
}

size_t wl_module_symbols_upto(const struct wl_module *m, uint64_t offset)
{
	size_t lo = 0, hi = m->n_symbols;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (m->symbols[mid].offset <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct wl_symbol *wl_module_function_at(const struct wl_module *m, uint64_t offset)
{
	size_t lo = wl_module_symbols_upto(m, offset);

	if (!lo || offset - m->symbols[lo - 1].offset >= m->symbols[lo - 1].size)
		return NULL;
	while (lo > 1 && m->symbols[lo - 2].offset == m->symbols[lo - 1].offset)
		lo--; /* the first by name */
	return &m->symbols[lo - 1];
}

/* ---- variables, which the arguments of tracepoints may name ---- */

struct variable {
	const char *name;
	uint64_t address;
};

struct variables {
	struct variable *v; /* by name */
	size_t n, cap;
	struct wl_strings strings[2];
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct variable *)a)->name, ((const struct variable *)b)->name);
}

static bool is_variable(const Elf64_Sym *sym)
{
	unsigned type = ELF64_ST_TYPE(sym->st_info);

	return (type == STT_OBJECT || type == STT_NOTYPE) && sym->st_shndx != SHN_UNDEF &&
	       sym->st_shndx < SHN_LORESERVE;
}

static int add_variables(const struct wl_elf *elf, uint32_t type, struct variables *all, struct wl_strings *strings)
{
	const Elf64_Shdr *sh = wl_elf_section(elf, type);
	Elf64_Sym *table = sh ? wl_elf_read(elf, sh->sh_offset, sh->sh_size) : NULL;
	int rc = 0;

	if (!table)
		return 0;
	*strings = wl_elf_strings(elf, sh);
	for (size_t i = 0; i < sh->sh_size / sizeof(*table); i++) {
		const char *name = wl_string(strings, table[i].st_name);

		if (!is_variable(&table[i]) || !*name || strnlen(name, NAME_MAX_LENGTH) == NAME_MAX_LENGTH)
			continue;
		if (all->n == all->cap) {
			size_t cap = all->cap ? all->cap * 2 : 1024;
			struct variable *v = realloc(all->v, cap * sizeof(*v));

			if (!v) {
				rc = ENOMEM;
				break;
			}
			all->v = v;
			all->cap = cap;
		}
		all->v[all->n++] = (struct variable){name, table[i].st_value};
	}
	free(table);
	return rc;
}

/*
 * Each name once. If two functions have one name, as file-local ones may, it is unknown which is meant, so neither is
 * listed.
 */
static void keep_unique(struct variables *all)
{
	size_t kept = 0, to;

	if (all->n)
		qsort(all->v, all->n, sizeof(*all->v), by_name);
	for (size_t from = 0; from < all->n; from = to) {
		bool same = true;

		for (to = from + 1; to < all->n && strcmp(all->v[to].name, all->v[from].name) == 0; to++)
			same &= all->v[to].address == all->v[from].address;
		if (same)
			all->v[kept++] = all->v[from];
	}
	all->n = kept;
}

static bool find_variable(void *user, const char *name, size_t n, uint64_t *address)
{
	const struct variables *all = user;
	const struct variable *found;
	char plain[256];

	if (n >= sizeof(plain) || !all->n)
		return false;
	memcpy(plain, name, n);
	plain[n] = 0;
	found = bsearch(&(struct variable){.name = plain}, all->v, all->n, sizeof(*all->v), by_name);
	if (found)
		*address = found->address;
	return found != NULL;
}

int wl_module_load_notes(struct wl_module *m)
{
	struct variables all = {0};
	int rc;

	if (m->notes)
		return 0;
	m->notes = calloc(1, sizeof(*m->notes));
	if (!m->notes)
		return ENOMEM;
	if (!wl_elf_section_named(&m->elf, ".note.stapsdt"))
		return 0;
	rc = add_variables(&m->elf, SHT_SYMTAB, &all, &all.strings[0]);
	if (rc == 0)
		rc = add_variables(&m->elf, SHT_DYNSYM, &all, &all.strings[1]);
	if (rc == 0) {
		keep_unique(&all);
		rc = wl_notes_read(&m->elf, find_variable, &all, m->notes);
	}
	free(all.v);
	free(all.strings[0].p);
	free(all.strings[1].p);
	if (rc)
		forget_notes(m);
	return rc;
}
