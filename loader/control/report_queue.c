/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are followed, their states, and what the caller is told of them. */
#include "follow.h"

#include "loader/base/error.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REFUSED = 6 /* a reason that is no static string */, TEXTS, MOST_LABELS = 1 << 20 };

/* Something to tell: a program, or a site. */
struct wl_told {
	struct wl_told *next;
	bool is_site;
	struct ward_process_report process;
	struct ward_site_report site;
	char *text[TEXTS];
};

static void forget(struct wl_told *t)
{
	for (size_t i = 0; t && i < TEXTS; i++)
		free(t->text[i]);
	free(t);
}

/* Without memory it isn't told. */
static void tell(struct wl_follow *f, const struct wl_told *what)
{
	struct wl_told *t = malloc(sizeof(*t));

	if (!t)
		return;
	*t = *what;
	for (size_t i = 0; i < TEXTS; i++)
		t->text[i] = what->text[i] ? strdup(what->text[i]) : NULL;
	t->next = NULL;
	pthread_mutex_lock(&f->lock);
	*f->told_end = t;
	f->told_end = &t->next;
	pthread_mutex_unlock(&f->lock);
	eventfd_write(f->bell, 1);
}

void wl_tell_over(struct wl_follow *f)
{
	pthread_mutex_lock(&f->lock);
	f->over = true;
	pthread_mutex_unlock(&f->lock);
	eventfd_write(f->bell, 1); /* who was woken by the last that was told may have looked before */
}

void wl_tell_all(struct wl_follow *f)
{
	struct wl_told *t, *next;

	pthread_mutex_lock(&f->lock);
	t = f->told;
	f->told = NULL;
	f->told_end = &f->told;
	pthread_mutex_unlock(&f->lock);
	for (; t; t = next) {
		next = t->next;
		if (t->is_site) {
			t->site.site = t->text[0] ? t->text[0] : "";
			t->site.probe = t->text[1] ? t->text[1] : "";
			t->site.chosen = t->text[2];
			t->site.arguments = t->text[3];
			t->site.symbol = t->text[4];
			t->site.module = t->text[5];
			if (t->text[REFUSED])
				t->site.reason = t->text[REFUSED];
			if (f->options.on_site)
				f->options.on_site(f->options.user, &t->site);
		} else if (f->options.on_process) {
			t->process.program = t->text[0] ? t->text[0] : "";
			t->process.reason = t->text[1];
			f->options.on_process(f->options.user, &t->process);
		}
		forget(t);
	}
}

/* ---- Lanes ---- */

static uint64_t word(const struct wl_lane *l, uint64_t offset)
{
	return *(const volatile uint64_t *)((const char *)l->base + offset);
}

/*
 * Only where something was ever written: a look at what is mapped would make memory of the rest, to be carried on to
 * the next one that goes on with the lane.
 */
static void count(const struct wl_follow *f, const struct wl_lane *l, uint64_t *events, uint64_t *dropped)
{
	struct wl_tally t[WL_PAGE / WL_ROW_SIZE];
	off_t at = l->fd >= 0 ? lseek(l->fd, 0, SEEK_DATA) : -1;

	*events = *dropped = 0;
	while (at >= 0 && (uint64_t)at < f->slots.table_size && pread(l->fd, t, sizeof(t), at) == (ssize_t)sizeof(t)) {
		for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
			*events += at + (off_t)i ? t[i].events : 0; /* not row 0's */
			*dropped += t[i].dropped;
		}
		at = lseek(l->fd, at + WL_PAGE, SEEK_DATA);
	}
}

/* The states that have been given out in a lane since the last time. With the lock. */
static bool add_states(struct wl_follow *f, struct wl_lane *l)
{
	uint64_t n = l->base ? word(l, offsetof(struct wl_tally, states)) : 0;

	for (; l->n < n && l->n < f->slots.max_threads; l->n++) {
		if (f->n_states == f->cap_states) {
			size_t cap = f->cap_states ? f->cap_states * 2 : 64;
			const void **v = realloc(f->states, cap * sizeof(*v));

			if (!v)
				return false;
			f->states = v;
			f->cap_states = cap;
		}
		f->states[f->n_states++] = (const char *)l->base + f->states_offset + l->n * f->slots.state_stride;
	}
	return true;
}

/* One that is free, all of whose states are told of: who goes on with it gives them out anew. */
static struct wl_lane *free_lane(struct wl_follow *f)
{
	struct wl_lane *l = f->lanes;

	pthread_mutex_lock(&f->lock);
	while (l && (l->taken || !add_states(f, l)))
		l = l->next;
	pthread_mutex_unlock(&f->lock);
	return l;
}

static struct wl_lane *take_lane(struct wl_follow *f)
{
	struct wl_lane *l = free_lane(f);

	if (!l) {
		l = calloc(1, sizeof(*l));
		if (!l)
			return NULL;
		l->fd = -1;
		pthread_mutex_lock(&f->lock);
		l->next = f->lanes;
		f->lanes = l;
		pthread_mutex_unlock(&f->lock);
	}
	l->taken = true;
	return l;
}

/* In the same order each time, those that are new at the end. */
const void **wl_follow_states(struct wl_follow *f, size_t *n)
{
	const void **v = NULL;
	bool well = true;

	pthread_mutex_lock(&f->lock);
	for (struct wl_lane *l = f->lanes; l && well; l = l->next)
		well = add_states(f, l);
	if (well)
		v = malloc((f->n_states + 1) * sizeof(*v));
	*n = v ? f->n_states : 0;
	if (*n)
		memcpy(v, f->states, *n * sizeof(*v));
	pthread_mutex_unlock(&f->lock);
	return v;
}

void wl_follow_pauses(struct wl_follow *f, struct ward_pauses *pauses)
{
	pthread_mutex_lock(&f->lock);
	wl_pauses_tell(&f->pauses, pauses);
	pthread_mutex_unlock(&f->lock);
}

void wl_follow_stats(struct wl_follow *f, struct ward_session_stats *stats)
{
	pthread_mutex_lock(&f->lock);
	for (struct wl_lane *l = f->lanes; l; l = l->next) {
		uint64_t events, dropped;

		count(f, l, &events, &dropped);
		stats->events += events;
		stats->dropped += dropped;
		add_states(f, l);
	}
	stats->threads = (uint32_t)f->n_states;
	stats->sites = f->n_labels;
	pthread_mutex_unlock(&f->lock);
}

bool wl_follow_shut(struct wl_follow *f)
{
	bool shut = false;

	pthread_mutex_lock(&f->lock);
	for (struct wl_lane *l = f->lanes; l && !shut; l = l->next) {
		struct wl_tally t;

		shut = l->fd >= 0 && pread(l->fd, &t, sizeof(t), 0) == (ssize_t)sizeof(t) && t.shut;
	}
	pthread_mutex_unlock(&f->lock);
	return shut;
}

void wl_lanes_free(struct wl_follow *f)
{
	while (f->lanes) {
		struct wl_lane *l = f->lanes;

		f->lanes = l->next;
		if (l->base)
			munmap(l->base, f->shared_size);
		if (l->fd >= 0)
			close(l->fd);
		free(l);
	}
	for (struct wl_told *t = f->told, *next; t; t = next) {
		next = t->next;
		forget(t);
	}
	free(f->states);
	tdestroy(f->labels, free);
	tdestroy(f->skipped, free);
}

/* ---- Programs ---- */

struct wl_program *wl_program_new(struct wl_follow *f, const struct wl_proc *proc)
{
	struct wl_program *p = calloc(1, sizeof(*p));
	char link[64], path[4096];
	ssize_t n;

	if (!p)
		return NULL;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)wl_shown_at(proc->pid));
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = 0;
	p->path = strdup(path);
	p->users = 1;
	p->pid = proc->pid;
	p->parent = proc->parent;
	p->next = f->programs;
	f->programs = p;
	return p;
}

void wl_program_refuse(struct wl_program *p, const struct ward_error *err)
{
	snprintf(p->reason, sizeof(p->reason), "%s%s%s", err->what, *err->what ? ": " : "", err->why);
}

static void free_attachment(struct wl_attachment *a)
{
	wl_attachment_free(a);
	free(a);
}

/* It has ended, or is no longer traced. */
static void program_over(struct wl_follow *f, struct wl_program *p)
{
	struct wl_told t = {
		.process = {.pid = p->pid, .parent = p->parent}, .text = {p->path, *p->reason ? p->reason : NULL}};

	if (p->attachment) {
		count(f, p->lane, &t.process.events, &t.process.dropped);
		t.process.events -= p->events;
		t.process.dropped -= p->dropped;
		t.process.sites = p->attachment->n_attached;
		p->attachment->shared = NULL; /* the lane's */
		free_attachment(p->attachment);
		p->lane->taken = false;
	}
	if (!f->options.later) /* it is the same process all the while */
		tell(f, &t);
}

void wl_program_put(struct wl_follow *f, struct wl_program *p)
{
	struct wl_program **at = &f->programs;

	if (!p || --p->users)
		return;
	program_over(f, p);
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	free(p->path);
	free(p);
}

static uint32_t number_of(void *user, const char *site);

struct wl_attachment *wl_program_attachment(struct wl_follow *f, struct wl_program *p, pid_t pid)
{
	struct wl_attachment *a = malloc(sizeof(*a));
	struct ward_error err = {0};

	p->lane = a ? take_lane(f) : NULL;
	if (!p->lane) {
		free(a);
		snprintf(p->reason, sizeof(p->reason), "out of memory");
		return NULL;
	}
	wl_attachment_init(a, f->image);
	a->view = p->lane->base;
	a->carried = p->lane->fd;
	a->number = number_of;
	a->number_user = f;
	if (p->lane->base)
		count(f, p->lane, &p->events, &p->dropped);
	if (wl_process_open(&a->p, pid, &err)) {
		wl_program_attached(f, p, a, WARD_E_TARGET, &err);
		return NULL;
	}
	return a;
}

void wl_program_attached(
	struct wl_follow *f, struct wl_program *p, struct wl_attachment *a, int rc, const struct ward_error *err)
{
	struct wl_lane *l = p->lane;

	a->carried = -1; /* the lane's */
	if (rc) {
		wl_program_refuse(p, err);
		l->taken = false;
		free_attachment(a);
		return;
	}
	pthread_mutex_lock(&f->lock);
	if (!l->base) {
		f->slots = a->slots;
		f->states_offset = a->states_offset;
		f->shared_size = a->shared_size;
		l->base = a->shared;
	}
	if (l->fd >= 0)
		close(l->fd);
	l->fd = a->state_fd;
	a->state_fd = -1;
	pthread_mutex_unlock(&f->lock);
	a->view = l->base;
	p->attachment = a;
}

/* ---- Sites ---- */

struct label {
	uint32_t number;
	char name[];
};

static int by_name(const void *a, const void *b)
{
	const struct label *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* One number for all sites of that name, in whatever program. */
static uint32_t number_of(void *user, const char *site)
{
	struct wl_follow *f = user;
	size_t n = strlen(site) + 1;
	struct label *l = malloc(sizeof(*l) + n), **found;
	uint32_t number;

	if (!l || f->n_labels >= MOST_LABELS) {
		free(l);
		return MOST_LABELS;
	}
	memcpy(l->name, site, n);
	l->number = f->n_labels;
	found = tsearch(l, &f->labels, by_name);
	number = found ? (*found)->number : MOST_LABELS;
	if (found && *found == l)
		f->n_labels++;
	else
		free(l);
	return number;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Is it the first time that a site of that name can't be had? */
static bool is_new_skip(struct wl_follow *f, const char *site)
{
	char *name = f->n_skipped < MOST_LABELS ? strdup(site) : NULL,
	     **found = name ? tsearch(name, &f->skipped, by_text) : NULL;

	if (found && *found == name) {
		f->n_skipped++;
		return true;
	}
	free(name);
	return false;
}

/* What isn't attached, and has no address, is no site but a pattern that nothing matches. */
static bool is_news(struct wl_follow *f, const struct ward_site_report *r)
{
	return r->method ? r->number >= f->told_labels : f->options.later && r->address && is_new_skip(f, r->site);
}

static void tell_site(void *user, const struct ward_site_report *r)
{
	struct wl_follow *f = user;
	struct wl_told t = {.is_site = true, .site = *r};
	const char *const texts[TEXTS] = {r->site, r->probe, r->chosen, r->arguments, r->symbol, r->module};

	for (size_t i = 0; i < TEXTS; i++)
		t.text[i] = (char *)(uintptr_t)texts[i];
	t.site.later = !f->tells_all && f->options.later;
	if (f->tells_all || is_news(f, r))
		tell(f, &t);
}

void wl_tell_refused(struct wl_follow *f, const char *what, const char *why)
{
	tell(f, &(struct wl_told){.is_site = true,
			.site.later = true,
			.text = {(char *)(uintptr_t)what, [REFUSED] = (char *)(uintptr_t)why}});
}

void wl_tell_sites(struct wl_follow *f, const struct wl_attachment *a, bool all)
{
	struct ward_attach_options o = f->options;

	o.on_site = tell_site;
	o.user = f;
	f->tells_all = all;
	if (f->options.on_site && (all || f->options.later || f->n_labels > f->told_labels))
		wl_report_sites(a, &o);
	f->told_labels = f->n_labels;
}
