/* SPDX-License-Identifier: Apache-2.0 */
/* What can be probed in a process, and why the rest can't. This only reads, and changes nothing. */
#include "loader/base/error.h"
#include "loader/attach/attach.h"
#include "loader/symbols/moved_code.h"
#include "loader/code/site.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int list_sites(const struct wl_process *p, const char *glob, const struct wl_maps *maps, struct wl_sites *sites,
	struct ward_error *err)
{
	static const char *const all[] = {"*!*", "*!:*:*"};
	struct wl_modules modules;
	long matched = 0;
	int rc = 0;

	if (wl_modules_read(p->pid, maps, &modules))
		return wl_no_memory(err);
	for (size_t i = 0; i < (glob ? 1 : 2) && rc == 0; i++) {
		const char *text = glob ? glob : all[i];
		struct wl_pattern pattern;
		long n;

		rc = wl_pattern_parse(text, &pattern, err);
		if (rc)
			break;
		n = wl_sites_add(sites, &pattern, 0, p, maps, &modules);
		matched += n;
		if (n < 0)
			rc = wl_no_memory(err);
		else if (matched == 0 && sites->n_gone == 0 && (glob || i == 1))
			rc = wl_pattern_no_match(text, &pattern, sites, &modules, err);
		wl_pattern_free(&pattern);
	}
	if (rc == 0 && wl_sites_check(sites, p, maps))
		rc = wl_no_memory(err);
	wl_modules_free(&modules);
	return rc;
}

/* As one probe that reads nothing would find it; a hook isn't listed. */
static void list_site(const struct wl_site *s, ward_site_fn *fn, void *user)
{
	if (s->thrown.n_denied)
		wl_report_site(s, true, true, s->thrown.denied[0].reason, "", fn, user);
	else if (s->exit.n || s->entry.n)
		wl_report_site(s, s->exit.n, s->thrown.n, NULL, "", fn, user);
}

int ward_list(pid_t pid, const char *glob, ward_site_fn *fn, void *user, struct ward_error *err)
{
	struct ward_error local;
	struct ward_error *e = err ? err : &local;
	struct wl_sites sites = {0};
	struct wl_process p;
	struct wl_maps maps;
	int rc;

	wl_clear(e);
	if (!fn)
		return wl_missing(e, "ward_list", "fn");
	rc = wl_process_open(&p, pid, e);
	if (rc)
		return rc;
	if (wl_maps_read(pid, &maps)) {
		rc = wl_process_lost(&p, e);
		wl_process_close(&p);
		return rc;
	}
	wl_maps_find_moved(pid, &maps);
	rc = list_sites(&p, glob, &maps, &sites, e);
	wl_maps_free(&maps);
	if (!wl_process_is_same(&p)) /* what was found is of neither program */
		rc = wl_process_lost(&p, e);
	for (size_t i = 0; rc == 0 && i < sites.n; i++)
		list_site(&sites.v[i], fn, user);
	for (size_t i = 0; rc == 0 && i < sites.n_gone; i++)
		wl_report_gone(&sites.gone[i], "", fn, user);
	wl_sites_free(&sites);
	wl_process_close(&p);
	return wl_said(rc, e);
}
