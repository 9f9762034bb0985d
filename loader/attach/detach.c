/* SPDX-License-Identifier: Apache-2.0 */
/* Taking the probes off a live process. */
#include "attach.h"

#include "loader/base/error.h"
#include "loader/inject/recovery_record.h"

#include <unistd.h>

/*
 * Another tracer follows the process, and has all of its threads until its own end. Then it takes off what others have
 * left that are gone (control/release.c), so we are gone as soon as our files aren't locked any more; but if it has
 * ended before that, it is up to us again.
 */
static bool leave_to_follower(struct wl_attachment *a)
{
	if (!wl_is_followed(a->p.pid) || !wl_silence(a))
		return false;
	wl_unlock_files(a);
	a->left_mapped = wl_is_followed(a->p.pid);
	return a->left_mapped;
}

/* In its turn. */
static int take_off(struct wl_attachment *a, struct ward_error *err)
{
	bool quiet = false;
	int rc;

	if (!wl_process_is_same(&a->p) || leave_to_follower(a))
		return 0;
	rc = wl_unpatch(a, &quiet, err);
	if (rc == 0 && quiet)
		wl_unmap(a, NULL);
	if (rc == 0)
		a->left_mapped = a->n_ranges > 0;
	/*
	 * Of two tracers on one function the first to go must leave its jump below the other's: the last one takes off
	 * what no one is there for any more.
	 */
	if (rc == 0)
		wl_clean(&a->p, &(struct ward_cleanup_options){0}, NULL);
	if (rc == 0)
		wl_unlock_files(a);
	return rc;
}

int wl_detach_live(struct wl_attachment *a, struct ward_error *err)
{
	int turn = wl_process_turn(a->p.pid), rc = take_off(a, err);

	if (turn >= 0)
		close(turn);
	return rc;
}
