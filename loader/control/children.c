/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and processes that those make whom the follower traces.
 *
 * One that is new stops before its first instruction, and its maker at the end of its system call; either may be seen
 * first. A process that was forked takes over what its parent has (inject/fork_child.c).
 */
#include "follower.h"

#include "loader/base/error.h"
#include "loader/process/protection_keys.h"

#include <errno.h>
#include <string.h>

/* Its states are to be its own. */
static void take_over(struct wl_follow *f, struct wl_traced *t, struct wl_program *from)
{
	struct wl_program *program = t->proc->program;
	struct wl_attachment *a = wl_program_attachment(f, program, t->tid);
	struct wl_thread thread = {.tid = t->tid, .stopped = true};
	struct wl_threads held = {.v = &thread, .n = 1, .cap = 1, .options = WL_FOLLOW_OPTIONS};
	struct ward_error err = {0};
	int rc, rows;

	if (!a)
		return;
	rc = wl_copy_attachment(a, from->attachment) ? wl_no_memory(&err) : 0;
	rows = rc ? 0 : wl_own_rows(a, t->tid);
	if (rows == EBUSY)
		rc = wl_fail(&err, WARD_E_TARGET, "", "it was forked by a signal handler in the midst of a probe");
	else if (rows)
		rc = wl_process_lost(&a->p, &err);
	if (rc == 0)
		rc = wl_check_keys(&a->p, &held, &err);
	if (rc == 0)
		rc = wl_map_forked(a, from->attachment, a->image, &held, &err);
	if (rc == 0 && !(wl_inherit_flags(a, from->attachment) && wl_open_gate(a)))
		rc = wl_process_lost(&a->p, &err);
	a->n_attached = from->attachment->n_attached;
	wl_program_attached(f, program, a, rc, &err);
}

/* Does it run in the memory of its parent's program? The gate's page is wiped in copies of it. */
static bool shares_memory(const struct wl_traced *t, const struct wl_program *from)
{
	struct wl_process p;
	uint32_t gate = 0;

	if (!from->attachment)
		return t->is_vfork;
	if (wl_process_open(&p, t->tid, NULL))
		return false;
	if (!wl_process_read(&p, from->attachment->slots.gate, &gate, sizeof(gate)))
		gate = 0;
	wl_process_close(&p);
	return gate != 0;
}

/* A new process stands at its first instruction. */
static void begin_process(struct wl_follow *f, struct wl_traced *t)
{
	struct wl_program *from = t->from;
	struct wl_proc *p = t->proc;

	t->from = NULL;
	if (shares_memory(t, from)) {
		p->program = from;
		return;
	}
	p->start = t->start;
	p->program = wl_program_new(f, p);
	if (p->program && from->attachment)
		take_over(f, t, from);
	else if (p->program)
		memcpy(p->program->reason, from->reason, sizeof(from->reason));
	wl_program_put(f, from);
}

void wl_traced_begin(struct wl_follow *f, struct wl_traced *t, int sig)
{
	t->fresh = false;
	t->job_stop = wl_is_job_stop(sig);
	if (t->from)
		begin_process(f, t);
	if (!t->proc->program) { /* no memory for it: let it run */
		ptrace(PTRACE_DETACH, t->tid, 0, 0);
		wl_proc_drop(f, t->proc);
		return;
	}
	if (t->proc->hold) {
		t->stopped = true;
		wl_proc_look(f, t->proc);
	} else {
		wl_traced_resume(t, 0);
	}
}

void wl_traced_made(struct wl_follow *f, struct wl_traced *maker, pid_t tid, bool vfork)
{
	struct wl_traced *t = wl_traced_find(f, tid);
	struct wl_proc *p = maker->proc;
	bool early = t != NULL, process;
	uint64_t group = 0;

	/* It is an orphan already, or was killed already and has been waited for. */
	if ((early && t->proc) || !wl_status_value(tid, tid, "Tgid", 10, &group))
		return;
	process = (pid_t)group == tid;
	if (process)
		p = wl_proc_add(f, tid, maker->proc->pid);
	if (p && !early)
		t = wl_traced_add(f, p, tid);
	else if (p)
		wl_traced_move(f, t, p);
	if (!p || !t) {
		if (early)
			ptrace(PTRACE_DETACH, tid, 0, 0);
		return;
	}
	t->fresh = true;
	t->since = wl_now_ns();
	t->is_vfork = vfork;
	if (process) {
		t->from = maker->proc->program;
		t->from->users++;
		t->start = maker->proc->start;
	}
	if (early)
		wl_traced_begin(f, t, 0);
}

/*
 * Nobody who could have made it is left to say so: he was killed in that very moment. A process runs on, without
 * probes.
 */
static void is_orphan(struct wl_follow *f, struct wl_traced *t)
{
	struct ward_error err = {.why = "its parent was killed when it forked it"};
	uint64_t group = (uint64_t)t->tid;
	struct wl_proc *p;

	wl_status_value(t->tid, t->tid, "Tgid", 10, &group);
	p = wl_proc_find(f, (pid_t)group);
	if (p) {
		wl_traced_move(f, t, p);
		wl_traced_begin(f, t, 0);
		return;
	}
	p = wl_proc_add(f, t->tid, 0);
	if (!p || !(p->program = wl_program_new(f, p))) {
		ptrace(PTRACE_DETACH, t->tid, 0, 0);
		return;
	}
	wl_program_refuse(p->program, &err);
	wl_traced_move(f, t, p);
	wl_traced_begin(f, t, 0);
}

void wl_look_at_early(struct wl_follow *f)
{
	for (struct wl_traced *e = f->early, *next; e; e = next) {
		bool asked = false;

		next = e->next;
		for (struct wl_proc *p = f->procs; p; p = p->next)
			for (struct wl_traced *t = p->threads; t; t = t->next)
				if (t->seen < e->seen && !t->stopped && !t->fresh && !t->in_vfork &&
					!wl_is_zombie(t->tid)) {
					ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
					asked = true;
				}
		if (!asked)
			is_orphan(f, e);
	}
}
