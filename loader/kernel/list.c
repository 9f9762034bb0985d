/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be probed in the running kernel, and why the rest can't. This reads what the kernel shows, and changes
 * nothing; ward.ko needn't be loaded.
 */
#include "arguments.h"

#include "loader/base/error.h"

#include <stdlib.h>
#include <string.h>

const char wl_kmethod_direct[] = "direct call", wl_kmethod_traced[] = "function tracer",
	   wl_kmethod_return[] = "kretprobe", wl_kmethod_wrap[] = "wrapped call", wl_kmethod_point[] = "tracepoint";

static const char *method_of(const struct wl_ksym *sym, enum wl_kwhere where, struct wl_karguments *types)
{
	if (where == WL_KSAMPLE)
		return wl_ksample_method(sym->name);
	if (where == WL_KPOINT)
		return wl_kmethod_point;
	if (wl_kwhere_returns(where))
		return !sym->held && wl_kcan_wrap(types, sym) ? wl_kmethod_wrap : wl_kmethod_return;
	return sym->held && !sym->ours ? wl_kmethod_traced : wl_kmethod_direct;
}

static void report_symbol(
	const struct wl_ksym *sym, enum wl_kwhere where, struct wl_karguments *types, ward_site_fn *fn, void *user)
{
	char label[WL_KSITE_LABEL], *arguments = NULL;

	if (!sym->reason && where != WL_KSAMPLE)
		arguments = wl_karguments(types, sym, where, NULL);
	wl_ksite_label(label, sym, where);
	fn(user, &(struct ward_site_report){.site = label,
			 .probe = "",
			 .method = sym->reason ? NULL : method_of(sym, where, types),
			 .reason = sym->reason,
			 .address = sym->addr,
			 .arguments = arguments,
			 .module = *sym->module ? sym->module : wl_kmodule});
	free(arguments);
}

int ward_list_kernel(const char *glob, ward_site_fn *fn, void *user, struct ward_error *err)
{
	struct ward_error local, *e = err ? err : &local;
	const char *text = glob ? glob : "kernel!*";
	struct wl_karguments types = {.folder = wl_kbtf_folder};
	struct wl_ksyms syms = {0};
	enum wl_kwhere where;
	char *name = NULL;
	int rc;

	wl_clear(e);
	if (!fn)
		return wl_missing(e, "ward_list_kernel", "fn");
	rc = wl_ksite_parse(text, &name, &where, e);
	if (rc == 0)
		rc = wl_ksite_read(name, where, true, &syms, e);
	if (rc == 0 && syms.n == 0)
		rc = wl_ksite_no_match(text, where, e);
	if (rc == 0 && !syms.checked)
		rc = wl_ksite_unchecked(text, e);
	for (size_t i = 0; rc == 0 && i < syms.n; i++)
		report_symbol(&syms.v[i], wl_ksite_where(&syms.v[i], where), &types, fn, user);
	wl_karguments_free(&types);
	wl_ksyms_free(&syms);
	free(name);
	return rc;
}
