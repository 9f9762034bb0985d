#include "symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char DELETED[] = " (deleted)";

static bool is_deleted(const char *path)
{
	size_t n = strlen(path), d = sizeof(DELETED) - 1;

	return n > d && strcmp(path + n - d, DELETED) == 0;
}

/* "/usr/lib/libc.so.6 (deleted)" → "libc.so.6" */
static char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = strdup(slash ? slash + 1 : path);

	if (name && is_deleted(name))
		name[strlen(name) - (sizeof(DELETED) - 1)] = 0;
	return name;
}

/* The mapped file itself; where the kernel doesn't let us at it, the file that now has its path in the target's view. */
static int open_mapped(pid_t pid, const struct wl_map *m)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	struct stat st;
	char *path = NULL;
	int fd;

	if (asprintf(&path, "/proc/%d/map_files/%llx-%llx", (int)pid, (unsigned long long)m->start, (unsigned long long)m->end) < 0)
		return -1;
	fd = open(path, flags);
	free(path);
	if (fd < 0 && !is_deleted(m->path)) {
		if (asprintf(&path, "/proc/%d/root%s", (int)pid, m->path) < 0)
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

enum { STRINGS_SONAME, STRINGS_SYMTAB, STRINGS_DYNSYM };

static void find_soname(struct wl_module *m)
{
	const Elf64_Shdr *sh = wl_elf_section(&m->elf, SHT_DYNAMIC);
	Elf64_Dyn *dyn = sh ? wl_elf_read(&m->elf, sh->sh_offset, sh->sh_size) : NULL;

	m->soname = "";
	for (size_t i = 0; dyn && i < sh->sh_size / sizeof(*dyn) && dyn[i].d_tag != DT_NULL; i++)
		if (dyn[i].d_tag == DT_SONAME) {
			m->strings[STRINGS_SONAME] = wl_elf_strings(&m->elf, sh);
			m->soname = wl_string(&m->strings[STRINGS_SONAME], dyn[i].d_un.d_val);
			break;
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
	m->symbols = NULL;
	m->n_symbols = 0;
}

static void module_close(struct wl_module *m)
{
	if (m->elf.fd >= 0)
		close(m->elf.fd);
	wl_elf_close(&m->elf);
	forget_symbols(m);
	free(m->name);
}

/* True if the file is an ELF file for this machine. */
static bool module_open(pid_t pid, const struct wl_map *map, struct wl_module *m)
{
	int fd = open_mapped(pid, map);

	if (fd < 0)
		return false;
	*m = (struct wl_module){.first = map, .name = base_name(map->path)};
	if (!m->name || !wl_elf_open(&m->elf, fd)) {
		m->elf.fd = fd;
		module_close(m);
		return false;
	}
	find_soname(m);
	m->stripped = !wl_elf_section(&m->elf, SHT_SYMTAB);
	return true;
}

static bool seen(const struct wl_modules *modules, const struct wl_map *map)
{
	for (size_t i = 0; i < modules->n; i++) {
		const struct wl_map *f = modules->v[i].first;

		if (f->inode == map->inode && f->major == map->major && f->minor == map->minor)
			return true;
	}
	return false;
}

int wl_modules_read(pid_t pid, const struct wl_maps *maps, struct wl_modules *modules)
{
	size_t cap = 0;

	*modules = (struct wl_modules){0};
	for (size_t i = 0; i < maps->n; i++) {
		const struct wl_map *map = &maps->v[i];

		if (!map->exec || !map->inode || map->path[0] != '/' || seen(modules, map))
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
		if (module_open(pid, map, &modules->v[modules->n]))
			modules->n++;
	}
	return 0;
}

void wl_modules_free(struct wl_modules *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		module_close(&modules->v[i]);
	free(modules->v);
	*modules = (struct wl_modules){0};
}

const char *wl_module_matches(const struct wl_module *m, const char *glob)
{
	if (fnmatch(glob, m->name, 0) == 0)
		return m->name;
	return *m->soname && fnmatch(glob, m->soname, 0) == 0 ? m->soname : NULL;
}

/* Where an address of the file's own view lies in the file, if it is code. */
static bool code_offset(const struct wl_elf *elf, uint64_t value, uint64_t *offset)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const Elf64_Phdr *p = &elf->segments[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && value >= p->p_vaddr && value - p->p_vaddr < p->p_filesz) {
			*offset = value - p->p_vaddr + p->p_offset;
			return true;
		}
	}
	return false;
}

/* A longer name is no compiler's. */
enum { NAME_MAX_LENGTH = 16384 };

static bool is_function(const Elf64_Sym *sym)
{
	unsigned type = ELF64_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF && sym->st_value != 0;
}

static bool append(struct wl_module *m, size_t *cap, const struct wl_symbol *s)
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

static int add_table(struct wl_module *m, size_t *cap, uint32_t type, struct wl_strings *strings)
{
	const Elf64_Shdr *sh = wl_elf_section(&m->elf, type);
	Elf64_Sym *table = sh ? wl_elf_read(&m->elf, sh->sh_offset, sh->sh_size) : NULL;
	int rc = 0;

	if (!table)
		return 0;
	*strings = wl_elf_strings(&m->elf, sh);
	for (size_t i = 0; rc == 0 && i < sh->sh_size / sizeof(*table); i++) {
		const Elf64_Sym *sym = &table[i];
		struct wl_symbol s = {.size = sym->st_size, .ifunc = ELF64_ST_TYPE(sym->st_info) == STT_GNU_IFUNC};

		s.name = wl_string(strings, sym->st_name);
		if (is_function(sym) && *s.name && strnlen(s.name, NAME_MAX_LENGTH) < NAME_MAX_LENGTH &&
			code_offset(&m->elf, sym->st_value, &s.offset) && !append(m, cap, &s))
			rc = ENOMEM;
	}
	free(table);
	return rc;
}

static int by_offset_and_name(const void *a, const void *b)
{
	const struct wl_symbol *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return strcmp(x->name, y->name);
}

int wl_module_load_symbols(struct wl_module *m)
{
	size_t cap = 0;
	int rc;

	if (m->loaded)
		return 0;
	rc = add_table(m, &cap, SHT_SYMTAB, &m->strings[STRINGS_SYMTAB]);
	if (rc == 0)
		rc = add_table(m, &cap, SHT_DYNSYM, &m->strings[STRINGS_DYNSYM]);
	if (rc) {
		forget_symbols(m); /* it may be asked for again */
		return rc;
	}
	if (m->n_symbols)
		qsort(m->symbols, m->n_symbols, sizeof(*m->symbols), by_offset_and_name);
	m->loaded = true;
	return 0;
}
