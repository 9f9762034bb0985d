/* SPDX-License-Identifier: Apache-2.0 */
/*
 * New threads and processes of those that the follower traces.
 *
 * A new one stops before its first instruction, and its maker stops at the end of its system call; either may be seen
 * first. A forked process inherits its parent's attachments (inject/fork_child.c).
 */
#include "follower.h"

#include "loader/base/error.h"
#include "loader/inject/unwind_tables.h"
#include "loader/process/asleep.h"
#include "loader/process/protection_keys.h"

#include <errno.h>
#include <string.h>

/* Make the attachment's states the child's own. */
static int take_over(
	struct wl_attached *a, const struct wl_attached *from, struct wl_threads *held, struct ward_error *err)
{
	int rc = wl_copy_attachment(&a->a, &from->a) ? wl_no_memory(err) : 0;
	int rows = rc ? 0 : wl_own_rows(&a->a, held->v->tid);

	if (rows == EBUSY)
		rc = wl_fail(err, WARD_E_TARGET, "", "it was forked by a signal handler in the midst of a probe");
	else if (rows)
		rc = wl_process_lost(&a->a.p, err);
	if (rc == 0)
		rc = wl_check_keys(&a->a.p, &held->v[0], wl_pkru_at(), err);
	if (rc == 0)
		rc = wl_map_forked(&a->a, &from->a, a->a.image, held, err);
	if (rc == 0 && wl_tables_fork(&a->a, &from->a))
		rc = wl_no_memory(err);
	if (rc == 0 && !(wl_inherit_flags(&a->a, &from->a) && wl_open_gate(&a->a)))
		rc = wl_process_lost(&a->a.p, err);
	a->a.n_attached = from->a.n_attached;
	return rc;
}

/* The oldest first, to keep their order. An attachment that can't be taken over stays a copy that skips its probes. */
static void take_over_all(
	struct wl_controller *c, struct wl_traced *t, const struct wl_space *parent, const struct wl_attached *from)
{
	struct wl_space *space = t->proc->space;
	struct wl_thread thread = {.tid = t->tid, .stopped = true};
	struct wl_threads held = {.v = &thread, .n = 1, .cap = 1, .options = WL_FOLLOW_OPTIONS};
	struct ward_error err = {0};
	struct wl_attached *a;
	int rc = 0;

	if (!from)
		return;
	take_over_all(c, t, parent, from->next);
	a = wl_attached_new(c, space, t->tid, &err);
	if (a) {
		rc = take_over(a, from, &held, &err);
		wl_attached_begun(c, space, a, rc);
	}
	if (a && rc == 0)
		wl_watch_own(space, a, parent, from);
	else if (!space->attached)
		wl_space_refuse(space, &err);
	else
		wl_queue_refused(c, err.what, err.why);
}

/* One whose probes aren't taken off: its gate is open, unless others have shut it. */
static const struct wl_attached *open_one(const struct wl_space *s)
{
	const struct wl_attached *a = s->attached;

	while (a && a->next && !a->places && s->watch.p)
		a = a->next;
	return a;
}

/* Does it run in the memory of its parent's program? The gate's page is wiped in copies of it. */
static bool shares_memory(const struct wl_controller *c, const struct wl_traced *t, const struct wl_space *from)
{
	const struct wl_attached *a = open_one(from);
	struct wl_process p;
	uint32_t gate = 0;

	if (!a)
		return t->is_vfork || (c->options.later && wl_share_memory(t->tid, from->pid));
	if (wl_process_open(&p, t->tid, NULL))
		return false;
	if (!wl_process_read(&p, a->a.slots.gate, &gate, sizeof(gate)))
		gate = 0;
	wl_process_close(&p);
	return gate != 0 || (c->options.later && wl_share_memory(t->tid, from->pid));
}

/* A new process is stopped at its first instruction. */
static void begin_process(struct wl_controller *c, struct wl_traced *t)
{
	struct wl_space *from = t->from;
	struct wl_proc *p = t->proc;

	t->from = NULL;
	if (shares_memory(c, t, from)) {
		p->space = from;
		return;
	}
	p->start = t->start;
	p->space = wl_space_new(c, p);
	if (p->space) {
		memcpy(p->space->reason, from->reason, sizeof(from->reason));
		p->space->begun = from->begun;
		wl_watch_copy(p->space, from);
		take_over_all(c, t, from, from->attached);
	}
	wl_space_put(c, from);
}

void wl_traced_begin(struct wl_controller *c, struct wl_traced *t, int sig)
{
	t->fresh = false;
	t->job_stop = wl_is_job_stop(sig);
	if (t->from)
		begin_process(c, t);
	if (!t->proc->space) { /* no memory for it: let it run */
		ptrace(PTRACE_DETACH, t->tid, 0, 0);
		wl_proc_drop(c, t->proc);
		return;
	}
	if (t->proc->hold) {
		t->stopped = true;
		wl_proc_look(c, t->proc);
	} else {
		wl_traced_resume(t, 0);
	}
}

void wl_traced_made(struct wl_controller *c, struct wl_traced *maker, pid_t tid, bool vfork)
{
	struct wl_traced *t = wl_traced_find(c, tid);
	struct wl_proc *p = maker->proc;
	bool early = t != NULL, process;
	uint64_t group = 0;

	/* It is an orphan already, or was killed already and has been waited for. */
	if ((early && t->proc) || !wl_status_value(tid, tid, "Tgid", 10, &group))
		return;
	process = (pid_t)group == tid;
	if (process)
		p = wl_proc_add(c, tid, maker->proc->pid);
	if (p && !early)
		t = wl_traced_add(c, p, tid);
	else if (p)
		wl_traced_move(c, t, p);
	if (!p || !t) {
		if (early)
			ptrace(PTRACE_DETACH, tid, 0, 0);
		return;
	}
	t->fresh = true;
	t->since = wl_now_ns();
	t->is_vfork = vfork;
	if (process) {
		t->from = maker->proc->space;
		t->from->users++;
		t->start = maker->proc->start;
	}
	if (early)
		wl_traced_begin(c, t, 0);
}

/*
 * Nobody who could have made it is left to say so: he was killed in that very moment. A process runs on, without
 * probes.
 */
static void is_orphan(struct wl_controller *c, struct wl_traced *t)
{
	struct ward_error err = {.why = "its parent was killed when it forked it"};
	uint64_t group = (uint64_t)t->tid;
	struct wl_proc *p;

	wl_status_value(t->tid, t->tid, "Tgid", 10, &group);
	p = wl_proc_find(c, (pid_t)group);
	if (p) {
		wl_traced_move(c, t, p);
		wl_traced_begin(c, t, 0);
		return;
	}
	p = wl_proc_add(c, t->tid, 0);
	if (!p || !(p->space = wl_space_new(c, p))) {
		ptrace(PTRACE_DETACH, t->tid, 0, 0);
		return;
	}
	wl_space_refuse(p->space, &err);
	wl_traced_move(c, t, p);
	wl_traced_begin(c, t, 0);
}

void wl_look_at_early(struct wl_controller *c)
{
	for (struct wl_traced *e = c->early, *next; e; e = next) {
		bool asked = false;

		next = e->next;
		for (struct wl_proc *p = c->procs; p; p = p->next)
			for (struct wl_traced *t = p->threads; t; t = t->next)
				if (t->seen < e->seen && !t->stopped && !t->fresh && !t->in_vfork &&
					!wl_is_zombie(t->tid)) {
					ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
					asked = true;
				}
		if (!asked)
			is_orphan(c, e);
	}
}
