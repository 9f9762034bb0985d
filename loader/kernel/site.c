/* SPDX-License-Identifier: Apache-2.0 */
/* Names of sites in the kernel. */
#include "site.h"

#include "loader/base/error.h"
#include "loader/base/sample_site.h"

#include <stdio.h>
#include <string.h>

const char wl_kmodule[] = "vmlinux";

/* "SUBSYSTEM:EVENT", each a pattern. */
static bool is_point(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon && colon != name && colon[1] && !strchr(colon + 1, ':') && !strchr(name, '/');
}

static int parse_point(const char *text, char **glob, enum wl_kwhere *where, struct ward_error *err)
{
	*where = WL_KPOINT;
	if (!is_point(text + 7)) {
		wl_fail(err, WARD_E_USAGE, text, "this isn't a tracepoint of the kernel");
		wl_hint(err, "write kernel:SUBSYSTEM:EVENT, as in -f 'kernel:sched:sched_switch'");
		return WARD_E_USAGE;
	}
	*glob = strdup(text + 7);
	return *glob ? 0 : wl_no_memory(err);
}

/* Or a pattern, which only such sites can match. */
static bool is_sample(const char *text)
{
	return wl_is_sample_site(text) || (wl_is_glob(text) && *text != ':' && strchr(text, ':') && !strchr(text, '!'));
}

static int parse_sample(const char *text, char **glob, enum wl_kwhere *where, struct ward_error *err)
{
	struct wl_sample_site site;

	*where = WL_KSAMPLE;
	if (!wl_is_glob(text) && wl_sample_site_parse(text, &site, err))
		return WARD_E_USAGE;
	*glob = strdup(text);
	return *glob ? 0 : wl_no_memory(err);
}

int wl_ksite_parse(const char *text, char **glob, enum wl_kwhere *where, struct ward_error *err)
{
	const char *name = strncmp(text, "kernel!", 7) == 0 ? text + 7 : NULL, *colon = name ? strchr(name, ':') : NULL;

	if (strncmp(text, "kernel:", 7) == 0)
		return parse_point(text, glob, where, err);
	if (is_sample(text))
		return parse_sample(text, glob, where, err);
	*where = !colon ? WL_KANYWHERE : strcmp(colon, ":return") == 0 ? WL_KRETURN : WL_KENTRY;
	if (!*text || *text == ':') {
		wl_fail(err, WARD_E_USAGE, "site", "the probe names no site");
		wl_hint(err, "give one, as in -f 'kernel!vfs_read'");
	} else if (!name || !*name || name == colon) {
		wl_fail(err, WARD_E_USAGE, text, "this isn't a function of the kernel");
		wl_hint(err,
			"write kernel!FUNCTION, as in -f 'kernel!vfs_read'; a tracepoint is kernel:SUBSYSTEM:EVENT");
	} else if (*where == WL_KENTRY && strcmp(colon, ":entry") != 0) {
		wl_fail(err, WARD_E_USAGE, text, "only entries and returns of kernel functions can be probed");
		wl_hint(err, "write kernel!FUNCTION or kernel!FUNCTION:return, as in -f 'kernel!vfs_read:return'");
	} else {
		*glob = strndup(name, colon ? (size_t)(colon - name) : strlen(name));
		return *glob ? 0 : wl_no_memory(err);
	}
	return WARD_E_USAGE;
}

int wl_ksite_read(const char *glob, enum wl_kwhere where, bool check, struct wl_ksyms *out, struct ward_error *err)
{
	return where == WL_KSAMPLE  ? wl_ksamples_read(glob, out, err)
	       : where == WL_KPOINT ? wl_kevents_read(glob, out, err)
				    : wl_ksyms_read(glob, check, out, err);
}

enum wl_kwhere wl_ksite_where(const struct wl_ksym *sym, enum wl_kwhere where)
{
	switch (sym->call) {
	case WL_KCALL_ENTER: return WL_KCALL;
	case WL_KCALL_EXIT: return WL_KCALL_RETURN;
	default: return where;
	}
}

int wl_ksite_no_match(const char *text, enum wl_kwhere where, struct ward_error *err)
{
	bool point = where == WL_KPOINT;

	if (where == WL_KSAMPLE) {
		wl_fail(err, WARD_E_TARGET, text, "no clock or event has such a name");
		wl_hint(err, "`ward list --kernel '*:*'` shows them");
		return WARD_E_TARGET;
	}
	if (strncmp(text, "kernel:syscalls:", 16) == 0) {
		wl_fail(err, WARD_E_TARGET, text, "the kernel has no such system call");
		wl_hint(err, "`ward list --kernel 'kernel:syscalls:*'` shows them, sys_enter_NAME and sys_exit_NAME; "
			     "their functions give the names: fstat's is newfstat");
		return WARD_E_TARGET;
	}
	wl_fail(err, WARD_E_TARGET, text, "the kernel has no such %s", point ? "tracepoint" : "function");
	wl_hint(err, "%s",
		point ? "`ward list --kernel 'kernel:*:*'` shows them; a module's are there when it is loaded"
		      : "a function may be inlined where it is called; /proc/kallsyms lists what there is");
	return WARD_E_TARGET;
}

int wl_ksite_unchecked(const char *text, struct ward_error *err)
{
	wl_fail(err, WARD_E_TARGET, text, "it isn't known which of these functions can be traced");
	wl_hint(err, "run as root, and mount -t tracefs tracefs /sys/kernel/tracing");
	return WARD_E_TARGET;
}

void wl_ksite_label(char *label, const struct wl_ksym *sym, enum wl_kwhere where)
{
	if (where == WL_KSAMPLE)
		snprintf(label, WL_KSITE_LABEL, "%s", sym->name);
	else
		snprintf(label, WL_KSITE_LABEL, "kernel%s%s%s", where >= WL_KPOINT ? ":" : "!", sym->name,
			where == WL_KRETURN ? ":return" : "");
}
