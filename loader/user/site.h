/* Sites: places in the target that a pattern like "libc.so.6!str*" means, and whether they can be patched. */
#ifndef WARD_LOADER_SITE_H
#define WARD_LOADER_SITE_H

#include "maps.h"
#include "process.h"
#include "relocate.h"
#include "symbols.h"

/* One function in the target, at one address. */
struct wl_site {
	uint64_t addr, size;
	uint64_t next; /* distance to the next function, 0 if not known */
	char *label;   /* "libc.so.6!read" */
	bool ifunc;
	uint16_t *entries; /* the module's entries that want this site, ascending */
	size_t n_entries;
	const char *reason; /* why it can't be patched, or NULL; static */
	struct wl_displaced d;
	/* filled by patching */
	unsigned area;
	uint64_t stub, copy;
	uint8_t jump[WL_JUMP_SIZE];
	bool patched;
	uint32_t number;
};

struct wl_sites {
	struct wl_site *v; /* by address */
	size_t n, cap;
};

/* A pattern, taken apart. */
struct wl_pattern {
	char *module, *function;
};

/* Parse "MODULE!FUNCTION[:entry]". Returns 0 or WARD_E_USAGE. */
int wl_pattern_parse(const char *text, struct wl_pattern *out, struct ward_error *err);
void wl_pattern_free(struct wl_pattern *pattern);

/* Add the sites that match to the list; entry number `entry` wants them. Returns the number of functions matched, or -1 without memory. */
long wl_sites_add(
	struct wl_sites *sites, const struct wl_pattern *pattern, uint16_t entry, const struct wl_maps *maps, struct wl_modules *modules);

/* Look at the target's code and fill reason or d of every site. Returns 0 or ENOMEM. */
int wl_sites_check(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps);

/* The error for a pattern that matched nothing, with a hint at what there is. */
int wl_pattern_no_match(const char *text, const struct wl_pattern *pattern, struct wl_modules *modules, struct ward_error *err);

void wl_sites_free(struct wl_sites *sites);

#endif
