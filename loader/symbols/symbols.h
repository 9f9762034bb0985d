/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of a process's modules, from the symbol tables of the files that it has mapped. The files are hostile
 * input.
 */
#ifndef WARD_LOADER_SYMBOLS_H
#define WARD_LOADER_SYMBOLS_H

#include "loader/base/elf_file.h"
#include "loader/process/maps.h"

struct wl_symbol {
	uint64_t offset; /* in the file */
	uint64_t size;   /* 0 if not said */
	const char *name;
	const char *readable; /* what a C++ or Rust compiler made the name of, or NULL */
	const char *file;     /* of a static function: its source, if the table says; else NULL */
	const char *version;  /* of one that is exported, or NULL */
	bool is_default;      /* programs that are linked now get that version */
	const char *which;    /* what tells it from others of its name (twins.h); NULL: there is no need */
	bool ifunc;           /* the function is chosen at run time by the code at this address */
};

struct wl_notes;
struct wl_inlines;

/* A mapped ELF file. */
struct wl_module {
	char *name;              /* the last part of its path */
	const char *soname;      /* "" if it has none */
	pid_t pid;               /* whose it is */
	bool is_go;              /* functions of Go's compiler are in it, */
	uint64_t go_from, go_to; /* from this place in the file to that; 0: not known yet */
	bool stripped;           /* no full symbol table, only what it exports */
	bool relocates_code;     /* the dynamic linker writes to its code when it is loaded */
	bool loaded;
	struct wl_symbol *symbols; /* by offset, then name; an address may occur under several names */
	size_t n_symbols;
	const struct wl_map *first; /* its first executable mapping; others have the same device and inode */
	struct wl_elf elf;
	struct wl_strings strings[5]; /* of the soname, the two symbol tables, that of a separate file, and Go's own */
	char *readable;               /* texts, of the symbols */
	char **twins;                 /* the same, one by one */
	size_t n_twins;
	struct wl_notes *notes;     /* NULL: not read yet */
	struct wl_inlines *inlines; /* of the name that was asked for last; or NULL */
	char *inlines_of;
};

struct wl_modules {
	struct wl_module *v;
	size_t n;
};

/*
 * Open the mapped file itself; or, if the kernel doesn't permit that, the file that has its path now as the target sees
 * it. Returns -1 if there is none.
 */
int wl_open_mapped(pid_t pid, const struct wl_map *m);

/* The code that the kernel gives to each process. It is in no file. */
bool wl_is_vdso(const struct wl_map *m);
/* A copy of it as a file. Returns -1 if it can't be read. */
int wl_open_vdso(pid_t pid, const struct wl_map *m);

/* "/usr/lib/libc.so.6 (deleted)" → "libc.so.6", to be freed. NULL without memory. */
char *wl_base_name(const char *path);

/*
 * Open a module of the file that is mapped, which `fd` is (-1: it can't be read) and which is the module's. False, and
 * the file is closed, if it isn't an ELF file for this machine. `map` must outlive it.
 */
bool wl_module_open(pid_t pid, const struct wl_map *map, int fd, struct wl_module *m);
void wl_module_close(struct wl_module *m);

/*
 * Find the modules with executable mappings. Unreadable ones are left out. Returns 0 or ENOMEM. `maps` must outlive
 * them.
 */
int wl_modules_read(pid_t pid, const struct wl_maps *maps, struct wl_modules *modules);
void wl_modules_free(struct wl_modules *modules);

/* The module that a mapping is of, or NULL. */
struct wl_module *wl_module_of(const struct wl_modules *modules, const struct wl_map *map);

/* Read the module's symbols, if that was not done. Returns 0 or ENOMEM; a broken table gives those that are well. */
int wl_module_load_symbols(struct wl_module *m);

/* Read the module's static tracepoints, if that was not done. Returns 0 or ENOMEM. */
int wl_module_load_notes(struct wl_module *m);

/* The functions of that name that were inlined, which last until another name is asked for. Returns 0 or ENOMEM. */
int wl_module_inlines(struct wl_module *m, const char *name, const struct wl_inlines **out);

/* How many of its symbols, which are in order, begin at or before the place in the file. They must be loaded. */
size_t wl_module_symbols_upto(const struct wl_module *m, uint64_t offset);

/* The function that the place in the file belongs to, or NULL. Its symbols must be loaded. */
const struct wl_symbol *wl_module_function_at(const struct wl_module *m, uint64_t offset);

/* A place in the file as the file itself has it, and tools that look at nothing else. */
uint64_t wl_module_own_address(const struct wl_module *m, uint64_t offset);

/* Is it the place of a Go function? Its symbols must be loaded. */
bool wl_module_is_go(const struct wl_module *m, uint64_t offset);

/*
 * module_names.c: the name to call the module by if the glob means it, else NULL. That may be the glob itself, if it
 * has no wildcard.
 */
const char *wl_module_matches(const struct wl_module *m, const char *glob);

#endif
