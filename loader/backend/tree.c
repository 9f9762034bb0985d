/* SPDX-License-Identifier: Apache-2.0 */
/* A process, its children, and what they load later, as loader/control traces them. */
#include "ops.h"

#include "loader/base/error.h"
#include "loader/control/controller.h"

#include <sys/types.h>

static int tree_attach(
	struct ward_session *s, struct wl_target *t, const struct ward_attach_options *o, struct ward_error *err)
{
	struct wl_controller *c = s->own = wl_controller_new(s->image, o);

	int rc;

	if (!c)
		return wl_no_memory(err);
	rc = t->argv ? wl_controller_spawn(c, t->argv, &t->pid, err) : wl_controller_attach(c, t->pid, o, err);
	if (rc == 0 && o->names)
		*o->names = wl_names_share(c->names);
	return rc;
}

/* After a detach there are no more reports. Then it waits for the end of the first process. */
static bool wait_for(struct ward_session *s, int timeout_ms)
{
	struct wl_controller *c = s->own;
	bool detached;

	pthread_mutex_lock(&s->lock);
	detached = s->detached;
	pthread_mutex_unlock(&s->lock);
	return detached ? wl_process_wait(&c->first, timeout_ms) : wl_controller_wait(c, timeout_ms) == 1;
}

/* While it is traced, whoever traces waits for it, too. */
static bool tree_status(struct ward_session *s, int *status)
{
	struct wl_controller *c = s->own;

	if (wl_controller_status(c, status))
		return true;
	return c->child ? wl_child_status(c->child, status) : wl_process_status(&c->first, status);
}

static int tree_detach(struct ward_session *s, bool force, struct ward_error *err)
{
	return wl_controller_end(s->own, force, err);
}

static void free_own(struct ward_session *s)
{
	if (s->own)
		wl_controller_end(s->own, true, NULL); /* of one that couldn't be attached */
	wl_controller_free(s->own);
}

static void tree_stats(const struct ward_session *s, struct ward_session_stats *stats)
{
	wl_controller_stats(s->own, stats);
}

static bool tree_gate_is_shut(const struct ward_session *s)
{
	return wl_controller_shut(s->own);
}

static void tree_pauses(struct ward_session *s, struct ward_pauses *pauses)
{
	wl_controller_pauses(s->own, pauses);
}

static const void **tree_states(const struct ward_session *s, size_t *n)
{
	return wl_controller_states(s->own, n);
}

static const void **tree_shared(const struct ward_session *s, size_t *n)
{
	return wl_controller_shared(s->own, n);
}

const struct wl_backend wl_backend_tree = {
	.profile = WARD_PROFILE_USER,
	.attach = tree_attach,
	.wait = wait_for,
	.status = tree_status,
	.detach = tree_detach,
	.free = free_own,
	.stats = tree_stats,
	.shut = tree_gate_is_shut,
	.pauses = tree_pauses,
	.states = tree_states,
	.shared = tree_shared,
};
