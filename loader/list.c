/* What can be probed in a process, and what not and why. Looks, and touches nothing. */
#include "error.h"
#include "session.h"
#include "user/site.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void wl_site_report(const struct wl_site *s, bool exits, const char *probe, ward_site_fn *fn, void *user)
{
	const char *reason = exits ? s->exit.reason : s->entry.reason;
	char *label = NULL;

	if (exits && asprintf(&label, "%s:return", s->label) < 0)
		label = NULL;
	fn(user, &(struct ward_site_report){
			 .site = label ? label : s->label,
			 .probe = probe,
			 .method = reason       ? NULL
				   : exits      ? "exits"
				   : s->is_call ? "call"
						: "jump",
			 .reason = reason,
			 .address = s->addr,
			 .number = s->number,
			 .exits = exits && !reason ? s->n_exits : 0,
		 });
	free(label);
}

static int list_sites(
	const struct wl_process *p, const char *glob, const struct wl_maps *maps, struct wl_sites *sites, struct ward_error *err)
{
	struct wl_modules modules;
	struct wl_pattern pattern;
	long matched;
	int rc = wl_pattern_parse(glob, &pattern, err);

	if (rc)
		return rc;
	if (wl_modules_read(p->pid, maps, &modules)) {
		wl_pattern_free(&pattern);
		return wl_no_memory(err);
	}
	matched = wl_sites_add(sites, &pattern, 0, maps, &modules);
	if (matched < 0)
		rc = wl_no_memory(err);
	else if (matched == 0)
		rc = wl_pattern_no_match(glob, &pattern, &modules, err);
	else if (wl_sites_check(sites, p, maps))
		rc = wl_no_memory(err);
	wl_modules_free(&modules);
	wl_pattern_free(&pattern);
	return rc;
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
	rc = wl_process_open(&p, pid, e);
	if (rc)
		return rc;
	if (wl_maps_read(pid, &maps)) {
		rc = wl_process_lost(&p, e);
		wl_process_close(&p);
		return rc;
	}
	rc = list_sites(&p, glob ? glob : "*!*", &maps, &sites, e);
	wl_maps_free(&maps);
	for (size_t i = 0; rc == 0 && i < sites.n; i++)
		wl_site_report(&sites.v[i], sites.v[i].exit.n, "", fn, user);
	wl_sites_free(&sites);
	wl_process_close(&p);
	return rc;
}
