/* SPDX-License-Identifier: Apache-2.0 */
/* Types of functions: of a process, a file, a command or the kernel. This only reads. */
#include "loader/base/error.h"
#include "loader/attach/attach.h"
#include "loader/attach/start_program.h"
#include "loader/symbols/file_view.h"
#include "loader/symbols/moved_code.h"
#include "loader/types/functions.h"

#include <pthread.h>
#include <signal.h>

/* What is asked, and what is to be filled. */
struct request {
	const char *const *sites;
	size_t n;
	struct table table;
	char *const *argv; /* of a command */
	sigset_t mask;
	struct wl_process p;
	struct ward_error *err;
};

static int request_check(
	const char *function, const char *const *sites, size_t n, struct ward_types **out, struct ward_error *err)
{
	if (!out)
		return wl_missing(err, function, "out");
	*out = NULL;
	if (!sites || !n)
		return wl_missing(err, function, "sites");
	for (size_t i = 0; i < n; i++)
		if (!sites[i])
			return wl_missing(err, function, "sites");
	return 0;
}

static int request_finish(struct request *r, int rc, struct ward_types **out)
{
	if (rc == 0) {
		*out = table_finish(&r->table);
		rc = *out ? 0 : wl_no_memory(r->err);
	}
	table_free(&r->table);
	return wl_said(rc, r->err);
}

static int read_process(struct request *r, const struct wl_process *p)
{
	struct wl_maps maps;
	int rc;

	if (wl_maps_read(p->pid, &maps))
		return wl_process_lost(p, r->err);
	wl_maps_find_moved(p->pid, &maps);
	rc = types_of_process(p, &maps, r->sites, r->n, &r->table, r->err);
	if (!wl_process_is_same(p)) /* what was found is of neither program */
		rc = wl_process_lost(p, r->err);
	wl_maps_free(&maps);
	return rc;
}

int ward_types_read(pid_t pid, const char *const *sites, size_t n, struct ward_types **out, struct ward_error *err)
{
	struct ward_error local, *e = err ? err : &local;
	struct request r = {.sites = sites, .n = n, .err = e};
	int rc;

	wl_clear(e);
	rc = request_check("ward_types_read", sites, n, out, e);
	if (rc == 0)
		rc = wl_process_open(&r.p, pid, e);
	if (rc)
		return rc;
	rc = read_process(&r, &r.p);
	wl_process_close(&r.p);
	return request_finish(&r, rc, out);
}

int ward_types_read_file(
	const char *path, const char *const *sites, size_t n, struct ward_types **out, struct ward_error *err)
{
	struct ward_error local, *e = err ? err : &local;
	struct request r = {.sites = sites, .n = n, .err = e};
	struct wl_file_view view;
	int rc;

	wl_clear(e);
	rc = request_check("ward_types_read_file", sites, n, out, e);
	if (rc == 0 && !path)
		rc = wl_missing(e, "ward_types_read_file", "path");
	if (rc == 0)
		rc = wl_file_view_open(&view, path, e);
	if (rc)
		return rc;
	rc = types_of_process(&view.process, &view.maps, sites, n, &r.table, e);
	wl_file_view_close(&view);
	return request_finish(&r, rc, out);
}

static int command_read(void *user, struct wl_threads *held, struct ward_error *err)
{
	struct request *r = user;

	(void)held;
	(void)err;
	return read_process(r, &r->p);
}

static int command_run(void *arg)
{
	struct request *r = arg;

	return wl_spawn_halted(r->argv, &r->mask, &r->p, command_read, r, r->err);
}

int ward_types_read_command(
	char *const argv[], const char *const *sites, size_t n, struct ward_types **out, struct ward_error *err)
{
	struct ward_error local, *e = err ? err : &local;
	struct request r = {.sites = sites, .n = n, .argv = argv, .p = {.pidfd = -1, .mem = -1}, .err = e};
	int rc;

	wl_clear(e);
	rc = request_check("ward_types_read_command", sites, n, out, e);
	if (rc == 0 && (!argv || !argv[0]))
		rc = wl_fail(e, WARD_E_USAGE, "ward_types_read_command", "no command was given");
	if (rc)
		return rc;
	pthread_sigmask(SIG_SETMASK, NULL, &r.mask);
	rc = wl_as_tracer(command_run, &r, e);
	wl_process_close(&r.p);
	return request_finish(&r, rc, out);
}

int ward_types_read_kernel(const char *const *sites, size_t n, struct ward_types **out, struct ward_error *err)
{
	struct ward_error local, *e = err ? err : &local;
	struct request r = {.sites = sites, .n = n, .err = e};
	int rc;

	wl_clear(e);
	rc = request_check("ward_types_read_kernel", sites, n, out, e);
	return rc ? rc : request_finish(&r, types_of_kernel(sites, n, &r.table, e), out);
}
