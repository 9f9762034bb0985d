/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be probed in a process, a file or a command, and why the rest can't. This only reads, and changes nothing. A
 * command is started for it, and ended at its entry point.
 */
#include "loader/base/error.h"
#include "loader/attach/attach.h"
#include "loader/attach/start_program.h"
#include "loader/symbols/file_view.h"
#include "loader/symbols/moved_code.h"
#include "loader/code/site.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
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

static int list_memory(const struct wl_process *p, const char *glob, const struct wl_maps *maps, ward_site_fn *fn,
	void *user, struct ward_error *err)
{
	struct wl_sites sites = {.all_names = true};
	int rc = list_sites(p, glob, maps, &sites, err);

	if (p->mem >= 0 && !wl_process_is_same(p)) /* what was found is of neither program */
		rc = wl_process_lost(p, err);
	for (size_t i = 0; rc == 0 && i < sites.n; i++)
		list_site(&sites.v[i], fn, user);
	for (size_t i = 0; rc == 0 && i < sites.n_gone; i++)
		wl_report_gone(&sites.gone[i], "", fn, user);
	wl_sites_free(&sites);
	return rc;
}

static int list_process(
	const struct wl_process *p, const char *glob, ward_site_fn *fn, void *user, struct ward_error *err)
{
	struct wl_maps maps;
	int rc;

	if (wl_maps_read(p->pid, &maps))
		return wl_process_lost(p, err);
	wl_maps_find_moved(p->pid, &maps);
	rc = list_memory(p, glob, &maps, fn, user, err);
	wl_maps_free(&maps);
	return rc;
}

int ward_list(pid_t pid, const char *glob, ward_site_fn *fn, void *user, struct ward_error *err)
{
	struct ward_error local, *e = err ? err : &local;
	struct wl_process p;
	int rc;

	wl_clear(e);
	if (!fn)
		return wl_missing(e, "ward_list", "fn");
	rc = wl_process_open(&p, pid, e);
	if (rc)
		return rc;
	rc = list_process(&p, glob, fn, user, e);
	wl_process_close(&p);
	return wl_said(rc, e);
}

int ward_list_file(const char *path, const char *glob, ward_site_fn *fn, void *user, struct ward_error *err)
{
	struct ward_error local, *e = err ? err : &local;
	struct wl_file_view view;
	int rc;

	wl_clear(e);
	if (!path || !fn)
		return wl_missing(e, "ward_list_file", path ? "fn" : "path");
	rc = wl_file_view_open(&view, path, e);
	if (rc)
		return rc;
	rc = list_memory(&view.process, glob, &view.maps, fn, user, e);
	wl_file_view_close(&view);
	return wl_said(rc, e);
}

/* ---- of a command ---- */

struct command {
	char *const *argv;
	sigset_t mask;
	struct wl_process p;
	const char *glob;
	ward_site_fn *fn;
	void *user;
	struct ward_error *err;
};

static int command_list(void *user, struct wl_threads *held, struct ward_error *err)
{
	const struct command *c = user;

	(void)held;
	return list_process(&c->p, c->glob, c->fn, c->user, err);
}

static int command_run(void *arg)
{
	struct command *c = arg;

	return wl_spawn_halted(c->argv, &c->mask, &c->p, command_list, c, c->err);
}

int ward_list_command(char *const argv[], const char *glob, ward_site_fn *fn, void *user, struct ward_error *err)
{
	struct ward_error local, *e = err ? err : &local;
	struct command c = {
		.argv = argv, .p = {.pidfd = -1, .mem = -1}, .glob = glob, .fn = fn, .user = user, .err = e};
	int rc;

	wl_clear(e);
	if (!fn)
		return wl_missing(e, "ward_list_command", "fn");
	if (!argv || !argv[0])
		return wl_fail(e, WARD_E_USAGE, "ward_list_command", "no command was given");
	pthread_sigmask(SIG_SETMASK, NULL, &c.mask);
	rc = wl_as_tracer(command_run, &c, e);
	wl_process_close(&c.p);
	return wl_said(rc, e);
}
