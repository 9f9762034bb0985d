/* The functions of a process's modules, from the symbol tables of the files that it has mapped. The files are hostile input. */
#ifndef WARD_LOADER_SYMBOLS_H
#define WARD_LOADER_SYMBOLS_H

#include "elffile.h"
#include "maps.h"

struct wl_symbol {
	uint64_t offset; /* in the file */
	uint64_t size;   /* 0 if not said */
	const char *name;
	bool ifunc; /* the function is chosen at run time by the code at this address */
};

/* A mapped ELF file. */
struct wl_module {
	char *name;         /* the last part of its path */
	const char *soname; /* "" if it has none */
	bool stripped;      /* no full symbol table, only what it exports */
	bool loaded;
	struct wl_symbol *symbols; /* by offset, then name; an address may occur under several names */
	size_t n_symbols;
	const struct wl_map *first; /* its first executable mapping; others have the same device and inode */
	struct wl_elf elf;
	struct wl_strings strings[3]; /* of the soname and the two symbol tables */
};

struct wl_modules {
	struct wl_module *v;
	size_t n;
};

/* Find the modules with executable mappings. Unreadable ones are left out. Returns 0 or ENOMEM. `maps` must outlive them. */
int wl_modules_read(pid_t pid, const struct wl_maps *maps, struct wl_modules *modules);
void wl_modules_free(struct wl_modules *modules);

/* Read the module's symbols, if that was not done. Returns 0 or ENOMEM; a broken table gives those that are well. */
int wl_module_load_symbols(struct wl_module *m);

/* The name of the module that the glob matches: its own, or its soname; NULL if neither. */
const char *wl_module_matches(const struct wl_module *m, const char *glob);

#endif
