/* SPDX-License-Identifier: Apache-2.0 */
/* Reports to the caller: of sites, and of programs that are over. */
#include "controller.h"

#include "loader/base/error.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

enum { REFUSED = 6 /* a reason that is no static string */, TEXTS, MOST_LABELS = 1 << 20 };

/* A report: of a program, or of a site. */
struct wl_report {
	struct wl_report *next;
	bool is_site;
	struct ward_process_report process;
	struct ward_site_report site;
	char *text[TEXTS];
};

static void report_free(struct wl_report *t)
{
	for (size_t i = 0; t && i < TEXTS; i++)
		free(t->text[i]);
	free(t);
}

/* Without memory the report is lost. */
static void report_push(struct wl_controller *c, const struct wl_report *what)
{
	struct wl_report *t = malloc(sizeof(*t));

	if (!t)
		return;
	*t = *what;
	for (size_t i = 0; i < TEXTS; i++)
		t->text[i] = what->text[i] ? strdup(what->text[i]) : NULL;
	t->next = NULL;
	pthread_mutex_lock(&c->lock);
	*c->reports_end = t;
	c->reports_end = &t->next;
	pthread_mutex_unlock(&c->lock);
	eventfd_write(c->bell, 1);
}

void wl_queue_end(struct wl_controller *c)
{
	pthread_mutex_lock(&c->lock);
	c->over = true;
	pthread_mutex_unlock(&c->lock);
	eventfd_write(c->bell, 1); /* who was woken by the last report may have looked before */
}

void wl_queue_deliver(struct wl_controller *c)
{
	struct wl_report *t, *next;

	pthread_mutex_lock(&c->lock);
	t = c->reports;
	c->reports = NULL;
	c->reports_end = &c->reports;
	pthread_mutex_unlock(&c->lock);
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
			if (c->options.on_site)
				c->options.on_site(c->options.user, &t->site);
		} else if (c->options.on_process) {
			t->process.program = t->text[0] ? t->text[0] : "";
			t->process.reason = t->text[1];
			c->options.on_process(c->options.user, &t->process);
		}
		report_free(t);
	}
}

void wl_queue_space(struct wl_controller *c, const struct wl_space *s)
{
	report_push(c, &(struct wl_report){.process = {.pid = s->pid,
						   .parent = s->parent,
						   .events = s->events,
						   .dropped = s->dropped,
						   .sites = s->sites},
			       .text = {s->path, *s->reason ? (char *)(uintptr_t)s->reason : NULL}});
}

void wl_reports_free(struct wl_controller *c)
{
	for (struct wl_report *t = c->reports, *next; t; t = next) {
		next = t->next;
		report_free(t);
	}
	tdestroy(c->labels, free);
	tdestroy(c->skipped, free);
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
uint32_t wl_number_of(void *user, const char *site)
{
	struct wl_controller *c = user;
	size_t n = strlen(site) + 1;
	struct label *l = malloc(sizeof(*l) + n), **found;
	uint32_t number;

	if (!l || c->n_labels >= MOST_LABELS) {
		free(l);
		return MOST_LABELS;
	}
	memcpy(l->name, site, n);
	l->number = c->n_labels;
	found = tsearch(l, &c->labels, by_name);
	number = found ? (*found)->number : MOST_LABELS;
	if (found && *found == l)
		c->n_labels++;
	else
		free(l);
	return number;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Is it the first time that a site of that name can't be had? */
static bool is_new_skip(struct wl_controller *c, const char *site)
{
	char *name = c->n_skipped < MOST_LABELS ? strdup(site) : NULL,
	     **found = name ? tsearch(name, &c->skipped, by_text) : NULL;

	if (found && *found == name) {
		c->n_skipped++;
		return true;
	}
	free(name);
	return false;
}

/* What isn't attached, and has no address, is no site but a pattern that nothing matches. */
static bool is_news(struct wl_controller *c, const struct ward_site_report *r)
{
	return r->method ? r->number >= c->reported_labels : c->options.later && r->address && is_new_skip(c, r->site);
}

static void tell_site(void *user, const struct ward_site_report *r)
{
	struct wl_controller *c = user;
	struct wl_report t = {.is_site = true, .site = *r};
	const char *const texts[TEXTS] = {r->site, r->probe, r->chosen, r->arguments, r->symbol, r->module};

	for (size_t i = 0; i < TEXTS; i++)
		t.text[i] = (char *)(uintptr_t)texts[i];
	t.site.later = c->tells_later;
	if (c->tells_all || is_news(c, r))
		report_push(c, &t);
}

void wl_queue_refused(struct wl_controller *c, const char *what, const char *why)
{
	report_push(c, &(struct wl_report){.is_site = true,
			       .site.later = true,
			       .text = {(char *)(uintptr_t)what, [REFUSED] = (char *)(uintptr_t)why}});
}

void wl_queue_sites(struct wl_controller *c, const struct wl_attachment *a, bool all)
{
	struct ward_attach_options o = c->options;

	o.on_site = tell_site;
	o.user = c;
	c->tells_all = all;
	c->tells_later = a->later;
	if (c->options.on_site && (all || c->options.later || c->n_labels > c->reported_labels))
		wl_report_sites(a, &o);
	c->reported_labels = c->n_labels;
}
