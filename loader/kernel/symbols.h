/* The running kernel's functions: where they are, and which of them it lets itself be traced at. */
#ifndef WARD_LOADER_KERNEL_SYMBOLS_H
#define WARD_LOADER_KERNEL_SYMBOLS_H

#include "ward/ward.h"

struct wl_ksym {
	uint64_t addr;
	const char *name;   /* "vfs_read" */
	const char *module; /* "ext4"; "" for the kernel itself */
	const char *reason; /* why it can't be probed, a static string; NULL if nothing is known against it */
};

/* Functions in order of their addresses; of several names for one address there is an entry each. */
struct wl_ksyms {
	struct wl_ksym *v;
	size_t n;
	bool checked; /* of a pattern: the kernel has told which functions it can trace, the reasons are complete */
	char *text;   /* that the names are in */
};

/* Has the name anything in it that matches more than itself? */
bool wl_is_glob(const char *name);

/* Those whose name matches a pattern of fnmatch(3). None is no error. WARD_E_TARGET if the kernel doesn't show its addresses. */
int wl_ksyms_read(const char *glob, struct wl_ksyms *out, struct ward_error *err);
void wl_ksyms_free(struct wl_ksyms *k);

#endif
