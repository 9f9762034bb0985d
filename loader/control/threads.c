/* SPDX-License-Identifier: Apache-2.0 */
/* The threads and processes that the follower traces, and which of them is whose. */
#include "follower.h"

#include <stdlib.h>

static struct wl_traced **bucket(struct wl_follow *f, pid_t tid)
{
	return &f->bucket[(unsigned)tid % WL_TRACED_BUCKETS];
}

struct wl_traced *wl_traced_find(struct wl_follow *f, pid_t tid)
{
	struct wl_traced *t = *bucket(f, tid);

	while (t && t->tid != tid)
		t = t->chain;
	return t;
}

struct wl_traced *wl_traced_add(struct wl_follow *f, struct wl_proc *proc, pid_t tid)
{
	struct wl_traced *t = calloc(1, sizeof(*t)), **list = proc ? &proc->threads : &f->early;

	if (!t)
		return NULL;
	t->tid = tid;
	t->proc = proc;
	t->next = *list;
	*list = t;
	t->chain = *bucket(f, tid);
	*bucket(f, tid) = t;
	return t;
}

static void unlink_thread(struct wl_follow *f, struct wl_traced *t)
{
	struct wl_traced **at = t->proc ? &t->proc->threads : &f->early;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
}

void wl_traced_drop(struct wl_follow *f, struct wl_traced *t)
{
	struct wl_traced **at = bucket(f, t->tid);

	unlink_thread(f, t);
	while (*at != t)
		at = &(*at)->chain;
	*at = t->chain;
	wl_program_put(f, t->from);
	free(t);
}

void wl_traced_move(struct wl_follow *f, struct wl_traced *t, struct wl_proc *to)
{
	unlink_thread(f, t);
	t->proc = to;
	t->next = to->threads;
	to->threads = t;
}

struct wl_proc *wl_proc_add(struct wl_follow *f, pid_t pid, pid_t parent)
{
	struct wl_proc *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pid = pid;
	p->parent = parent;
	p->next = f->procs;
	f->procs = p;
	f->n_procs++;
	return p;
}

void wl_proc_drop(struct wl_follow *f, struct wl_proc *p)
{
	struct wl_proc **at = &f->procs;

	while (p->threads)
		wl_traced_drop(f, p->threads);
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	f->n_procs--;
	wl_program_put(f, p->program);
	free(p);
}

struct wl_proc *wl_proc_find(const struct wl_follow *f, pid_t pid)
{
	struct wl_proc *p = f->procs;

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

void wl_follow_forget(struct wl_follow *f)
{
	while (f->procs)
		wl_proc_drop(f, f->procs);
	while (f->early)
		wl_traced_drop(f, f->early);
}
