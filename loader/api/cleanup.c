/* SPDX-License-Identifier: Apache-2.0 */
/* ward_cleanup: runs the cleanup (attach/clean.c) in a thread that traces. */
#include "loader/attach/attach.h"
#include "loader/base/error.h"
#include "loader/base/options.h"

#include <unistd.h>

struct cleanup_job {
	pid_t pid;
	struct ward_cleanup_options options;
	struct ward_error *err;
};

static int clean_live(void *arg)
{
	struct cleanup_job *job = arg;

	return wl_cleanup_live(job->pid, &job->options, job->err);
}

int ward_cleanup(pid_t pid, const struct ward_cleanup_options *options, struct ward_error *err)
{
	struct ward_error local;
	struct cleanup_job job = {.pid = pid, .err = err ? err : &local};
	int rc;

	wl_clear(job.err);
	rc = wl_read_options(&job.options, sizeof(job.options), options, "ward_cleanup_options", job.err);
	if (rc)
		return rc;
	if (pid == getpid()) {
		wl_fail(job.err, WARD_E_USAGE, "cleanup",
			"a process can't clean up after itself, as it can't stop its own threads");
		wl_hint(job.err, "let another process do it: ward detach -p %d", (int)pid);
		return WARD_E_USAGE;
	}
	return wl_said(wl_as_tracer(clean_live, &job, job.err), job.err);
}
