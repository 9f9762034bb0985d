/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a site in the kernel. */
#ifndef WARD_LOADER_KERNEL_SITE_H
#define WARD_LOADER_KERNEL_SITE_H

#include "symbols.h"

/* Where of its functions a site is. */
enum wl_kwhere {
	WL_KANYWHERE /* it doesn't say */,
	WL_KENTRY,
	WL_KRETURN,
	WL_KPOINT /* it is no function, but a tracepoint */,
	WL_KCALL,
	WL_KCALL_RETURN /* a system call, by its event */,
	WL_KSAMPLE /* it is no place in code, but a clock or a counter */
};

/*
 * "kernel!GLOB", "kernel!GLOB:entry" or "kernel!GLOB:return"; "kernel:GLOB:GLOB", a tracepoint by its subsystem and
 * name, of which *glob is "GLOB:GLOB"; what wl_sample_site_parse takes, or a pattern of its forms, as "cache-*:N".
 * *glob is to be freed. WARD_E_USAGE for anything else.
 */
int wl_ksite_parse(const char *text, char **glob, enum wl_kwhere *where, struct ward_error *err);

/* Where it is, of what was read for a site there: among tracepoints there are system calls. */
enum wl_kwhere wl_ksite_where(const struct wl_ksym *sym, enum wl_kwhere where);

/* Is it there that the value of a function is known? */
static inline bool wl_kwhere_returns(enum wl_kwhere where)
{
	return where == WL_KRETURN || where == WL_KCALL_RETURN;
}

/* The functions or tracepoints that match; check as for wl_ksyms_read. */
int wl_ksite_read(const char *glob, enum wl_kwhere where, bool check, struct wl_ksyms *out, struct ward_error *err);

/*
 * The errors if nothing matches a site, or if it is unknown which functions can be probed. Both return WARD_E_TARGET.
 */
int wl_ksite_no_match(const char *text, enum wl_kwhere where, struct ward_error *err);
int wl_ksite_unchecked(const char *text, struct ward_error *err);

enum { WL_KSITE_LABEL = 300 }; /* bytes, with the zero behind it; the kernel's names have less than 512 */

extern const char wl_kmodule[]; /* what the kernel itself is called, as a module */

/* How a function is hooked, in words. */
extern const char wl_kmethod_direct[], wl_kmethod_traced[], wl_kmethod_wrap[], wl_kmethod_return[], wl_kmethod_point[];

/*
 * samples.c: the forms that match, "profile:HZ" and so on, or the one sample that the text is. And how samples of that
 * form are taken on this machine, in words.
 */
int wl_ksamples_read(const char *glob, struct wl_ksyms *out, struct ward_error *err);
const char *wl_ksample_method(const char *form);

void wl_ksite_label(char *label, const struct wl_ksym *sym, enum wl_kwhere where);

#endif
