/* SPDX-License-Identifier: Apache-2.0 */
/* The threads and processes that the follower traces, and which thread belongs to which process. */
#include "follower.h"

#include <stdlib.h>

static struct wl_traced **bucket_of(struct wl_controller *c, pid_t tid)
{
	return &c->bucket[(unsigned)tid % WL_TRACED_BUCKETS];
}

struct wl_traced *wl_traced_find(struct wl_controller *c, pid_t tid)
{
	struct wl_traced *t = *bucket_of(c, tid);

	while (t && t->tid != tid)
		t = t->chain;
	return t;
}

struct wl_traced *wl_traced_add(struct wl_controller *c, struct wl_proc *proc, pid_t tid)
{
	struct wl_traced *t = calloc(1, sizeof(*t)), **list = proc ? &proc->threads : &c->early;

	if (!t)
		return NULL;
	t->tid = tid;
	t->proc = proc;
	t->next = *list;
	*list = t;
	t->chain = *bucket_of(c, tid);
	*bucket_of(c, tid) = t;
	return t;
}

static void unlink_thread(struct wl_controller *c, struct wl_traced *t)
{
	struct wl_traced **at = t->proc ? &t->proc->threads : &c->early;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
}

void wl_traced_drop(struct wl_controller *c, struct wl_traced *t)
{
	struct wl_traced **at = bucket_of(c, t->tid);

	unlink_thread(c, t);
	while (*at != t)
		at = &(*at)->chain;
	*at = t->chain;
	wl_space_put(c, t->from);
	free(t);
}

void wl_traced_move(struct wl_controller *c, struct wl_traced *t, struct wl_proc *to)
{
	unlink_thread(c, t);
	t->proc = to;
	t->next = to->threads;
	to->threads = t;
}

struct wl_proc *wl_proc_add(struct wl_controller *c, pid_t pid, pid_t parent)
{
	struct wl_proc *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pid = pid;
	p->parent = parent;
	p->next = c->procs;
	c->procs = p;
	c->n_procs++;
	return p;
}

void wl_proc_drop(struct wl_controller *c, struct wl_proc *p)
{
	struct wl_proc **at = &c->procs;

	while (p->threads)
		wl_traced_drop(c, p->threads);
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	c->n_procs--;
	wl_space_put(c, p->space);
	free(p);
}

struct wl_proc *wl_proc_find(const struct wl_controller *c, pid_t pid)
{
	struct wl_proc *p = c->procs;

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

void wl_controller_forget(struct wl_controller *c)
{
	while (c->procs)
		wl_proc_drop(c, c->procs);
	while (c->early)
		wl_traced_drop(c, c->early);
}
