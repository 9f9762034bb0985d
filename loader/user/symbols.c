#include "symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <gelf.h>
#include <libelf.h>
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

static Elf_Scn *find_section(Elf *elf, uint32_t type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == type)
			return scn;
	return NULL;
}

static const char *find_soname(Elf *elf)
{
	GElf_Shdr sh;
	Elf_Scn *scn = find_section(elf, SHT_DYNAMIC, &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	const char *name;
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_SONAME) {
			name = elf_strptr(elf, sh.sh_link, dyn.d_un.d_val);
			return name ? name : "";
		}
	return "";
}

static void module_close(struct wl_module *m)
{
	elf_end(m->elf);
	if (m->fd >= 0)
		close(m->fd);
	free(m->name);
	free(m->symbols);
}

/* True if the file is an ELF file for this machine. */
static bool module_open(pid_t pid, const struct wl_map *map, struct wl_module *m)
{
	GElf_Ehdr eh;
	GElf_Shdr sh;

	*m = (struct wl_module){.first = map, .fd = open_mapped(pid, map), .name = base_name(map->path), .soname = ""};
	if (m->fd >= 0 && m->name)
		m->elf = elf_begin(m->fd, ELF_C_READ, NULL);
	if (!m->elf || elf_kind(m->elf) != ELF_K_ELF || !gelf_getehdr(m->elf, &eh) || eh.e_machine != EM_X86_64 ||
		eh.e_ident[EI_CLASS] != ELFCLASS64) {
		module_close(m);
		return false;
	}
	m->soname = find_soname(m->elf);
	m->stripped = !find_section(m->elf, SHT_SYMTAB, &sh);
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
	if (elf_version(EV_CURRENT) == EV_NONE)
		return ENOMEM;
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

bool wl_module_matches(const struct wl_module *m, const char *glob)
{
	return fnmatch(glob, m->name, 0) == 0 || (*m->soname && fnmatch(glob, m->soname, 0) == 0);
}

/* Where an address of the file's own view lies in the file, if it is code. */
static bool code_offset(const GElf_Phdr *ph, size_t n, uint64_t value, uint64_t *offset)
{
	for (size_t i = 0; i < n; i++) {
		const GElf_Phdr *p = &ph[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && value >= p->p_vaddr && value - p->p_vaddr < p->p_filesz) {
			*offset = value - p->p_vaddr + p->p_offset;
			return true;
		}
	}
	return false;
}

struct loading {
	struct wl_module *m;
	GElf_Phdr *ph;
	size_t n_ph;
	size_t cap;
};

static bool is_function(const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF && sym->st_value != 0;
}

static int add_table(struct loading *l, uint32_t type)
{
	struct wl_module *m = l->m;
	GElf_Shdr sh;
	Elf_Scn *scn = find_section(m->elf, type, &sh);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		struct wl_symbol s = {.size = sym.st_size, .ifunc = GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC};

		if (!is_function(&sym) || !code_offset(l->ph, l->n_ph, sym.st_value, &s.offset))
			continue;
		s.name = elf_strptr(m->elf, sh.sh_link, sym.st_name);
		if (!s.name || !*s.name)
			continue;
		if (m->n_symbols == l->cap) {
			l->cap = l->cap ? l->cap * 2 : 1024;
			struct wl_symbol *v = realloc(m->symbols, l->cap * sizeof(*v));
			if (!v)
				return ENOMEM;
			m->symbols = v;
		}
		m->symbols[m->n_symbols++] = s;
	}
	return 0;
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
	struct loading l = {.m = m};
	int rc = ENOMEM;

	if (m->loaded)
		return 0;
	if (elf_getphdrnum(m->elf, &l.n_ph) < 0 || l.n_ph > 65536)
		l.n_ph = 0;
	l.ph = calloc(l.n_ph + 1, sizeof(*l.ph));
	if (l.ph) {
		for (size_t i = 0; i < l.n_ph; i++)
			if (!gelf_getphdr(m->elf, (int)i, &l.ph[i]))
				l.ph[i].p_type = PT_NULL;
		rc = add_table(&l, SHT_SYMTAB);
		if (rc == 0)
			rc = add_table(&l, SHT_DYNSYM);
	}
	free(l.ph);
	if (rc)
		return rc;
	if (m->n_symbols)
		qsort(m->symbols, m->n_symbols, sizeof(*m->symbols), by_offset_and_name);
	m->loaded = true;
	return 0;
}
