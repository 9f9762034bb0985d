/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of the kernel's functions and tracepoints, by the kernel's types. */
#ifndef WARD_LOADER_KERNEL_ARGUMENTS_H
#define WARD_LOADER_KERNEL_ARGUMENTS_H

#include "btf.h"
#include "site.h"

/* What was read so far: the kernel's types, and those of modules. Begins with all zero, but for the folder. */
struct wl_karguments {
	const char *folder; /* /sys/kernel/btf */
	bool opened;
	struct wl_btf *kernel;
	struct wl_kmodule_types {
		char *name;
		struct wl_btf *btf; /* NULL: it tells of none */
	} *v;
	size_t n;
};

extern const char wl_kbtf_folder[];

/*
 * The prototype of a function, or of the function that calls the tracers of a tracepoint, whose first parameter is not
 * an argument; and the types that it is one of. NULL: it is unknown, or a system call.
 */
const struct btf_type *wl_kprototype(
	struct wl_karguments *k, const struct wl_ksym *sym, enum wl_kwhere where, const struct wl_btf **btf);
/* The types of a module, "": of the kernel itself. NULL if they are unknown. */
const struct wl_btf *wl_ktypes(struct wl_karguments *k, const char *module);

/*
 * "struct file *file, char *buf": the arguments of the function or tracepoint; the caller frees the text. If n isn't
 * NULL, *n is how many of ev->arg it has. NULL if the arguments are unknown; then *n is 6, and ev->arg may hold
 * anything.
 */
char *wl_karguments(struct wl_karguments *k, const struct wl_ksym *sym, enum wl_kwhere where, unsigned *n);

/*
 * Can another function call this one in its caller's place: are all its arguments in registers, and does it return?
 * False if it isn't known.
 */
bool wl_kcan_wrap(struct wl_karguments *k, const struct wl_ksym *sym);

void wl_karguments_free(struct wl_karguments *k);

#endif
