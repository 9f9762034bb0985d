/* SPDX-License-Identifier: Apache-2.0 */
/* Which sites a module's probes want samples of, and which of them this machine and this user can have. */
#include "sites.h"

#include "loader/base/error.h"

#include <stdlib.h>
#include <string.h>

enum wl_sampling wl_sampling_of(const struct ward_image *image, const struct ward_attach_options *options)
{
	const struct ward_module_facts *f = wl_image_facts(image);
	size_t samples = 0, others = 0;

	for (size_t i = 0; i < f->n_entries; i++)
		for (size_t k = 0; k < wl_n_entry_sites(options); k++)
			if (wl_is_sample_site(wl_entry_site(&f->entries[i], options, k)))
				samples++;
			else
				others++;
	return !samples ? WL_NO_SAMPLES : others ? WL_SOME_SAMPLES : WL_ONLY_SAMPLES;
}

/* Why a probe can't run for a sample; NULL if it can. */
static const char *entry_refused(const struct ward_entry_facts *e, const char *site)
{
	struct wl_sample_site what;
	struct ward_error ignored;

	if (e->event_fields & ((1u << (WL_ARG + 6)) - (1u << WL_ARG)))
		return "the probe reads ev->arg, which only functions and tracepoints have";
	if (e->event_fields & 1u << WL_RET)
		return "the probe reads ev->ret, which only a return site has";
	if (e->event_fields & 1u << WL_ELAPSED && wl_sample_site_parse(site, &what, &ignored) == 0 &&
		what.kind != WL_SAMPLE_OFF_CPU)
		return "the probe reads ev->elapsed, which of samples only off-cpu:TIME has";
	if (e->clobbers & 1u << RSP || e->stack_bytes > WARD_STACK_CEILING)
		return "the probe does not keep its stack";
	return NULL;
}

/* The site of that text, which may be new. NULL with *err. */
static struct wl_sampled_site *site_of(struct wl_sampled_sites *s, const char *text, struct ward_error *err)
{
	struct wl_sampled_site *v;

	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i].label, text) == 0)
			return &s->v[i];
	v = reallocarray(s->v, s->n + 1, sizeof(*v));
	if (!v) {
		wl_no_memory(err);
		return NULL;
	}
	s->v = v;
	v += s->n;
	*v = (struct wl_sampled_site){.label = text};
	if (wl_sample_site_parse(text, &v->what, err))
		return NULL;
	s->n++;
	return v;
}

static int site_add(struct wl_sampled_sites *s, const char *text, size_t entry, struct ward_error *err)
{
	struct wl_sampled_site *site = site_of(s, text, err);
	uint16_t *v;

	if (!site)
		return err->status;
	for (size_t i = 0; i < site->n_entries; i++)
		if (site->entries[i] == entry)
			return 0;
	v = reallocarray(site->entries, site->n_entries + 1, sizeof(*v));
	if (!v)
		return wl_no_memory(err);
	site->entries = v;
	v[site->n_entries++] = (uint16_t)entry;
	return 0;
}

static void site_report(const struct ward_attach_options *o, const char *site, const char *probe, const char *how,
	const char *reason, size_t number)
{
	if (o->on_site)
		o->on_site(o->user, &(struct ward_site_report){.site = site,
					    .probe = probe,
					    .method = reason ? NULL : how,
					    .reason = reason,
					    .number = (uint32_t)number,
					    .sampled = true});
}

/* Open what can be had of each site. The first reason is the error if nothing is left. */
static int sites_prepare(struct wl_sampled_sites *s, const struct wl_sample_wants *wants, struct ward_error *err)
{
	struct ward_error first = {0};

	s->events = calloc(s->n + 2, sizeof(*s->events)); /* for wl_task_events_tell */
	if (!s->events)
		return wl_no_memory(err);
	for (size_t i = 0; i < s->n; i++) {
		struct wl_sampled_site *site = &s->v[i];
		struct wl_task_event *event = &s->events[s->n_events];

		if (site->what.kind == WL_SAMPLE_INTERVAL) {
			site->how = "timer";
		} else {
			site->reason = wl_task_event(&site->what, wants, event);
			site->how = event->how;
			event->site = (uint16_t)i;
			s->n_events += !site->reason;
		}
		if (!site->reason)
			s->n_attached++;
		else if (!first.status)
			wl_fail(&first, WARD_E_TARGET, site->label, "%s", site->reason);
	}
	if (s->n_attached)
		return 0;
	*err = first;
	return err->status;
}

int wl_sampled_sites_find(struct wl_sampled_sites *s, const struct ward_image *image,
	const struct ward_attach_options *o, const struct wl_sample_wants *wants, struct ward_error *err)
{
	const struct ward_module_facts *f = wl_image_facts(image);
	const char *why = NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < f->n_entries; i++) {
		for (size_t k = 0; rc == 0 && k < wl_n_entry_sites(o); k++) {
			const char *text = wl_entry_site(&f->entries[i], o, k);
			const char *refused = entry_refused(&f->entries[i], text);

			why = refused ? refused : why;
			rc = refused ? 0 : site_add(s, text, i, err);
		}
	}
	if (rc == 0 && !s->n) {
		rc = wl_fail(err, WARD_E_USAGE, f->entries[f->n_entries - 1].name, "%s", why);
		wl_hint(err, "a sample has ev->time, cpu, tid, caller, sp and site");
	}
	return rc ? rc : sites_prepare(s, wants, err);
}

void wl_sampled_sites_report(
	const struct wl_sampled_sites *s, const struct ward_image *image, const struct ward_attach_options *o)
{
	const struct ward_module_facts *f = wl_image_facts(image);

	for (size_t i = 0; i < f->n_entries; i++)
		for (size_t k = 0; k < wl_n_entry_sites(o); k++) {
			const char *text = wl_entry_site(&f->entries[i], o, k);
			const char *refused = entry_refused(&f->entries[i], text);

			if (refused)
				site_report(o, text, f->entries[i].name, NULL, refused, 0);
		}
	for (size_t i = 0; i < s->n; i++) {
		const struct wl_sampled_site *site = &s->v[i];

		for (size_t k = 0; k < site->n_entries && (site->how || site->reason); k++)
			site_report(o, site->label, f->entries[site->entries[k]].name, site->how, site->reason, i);
	}
}

void wl_sampled_sites_free(struct wl_sampled_sites *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].entries);
	free(s->v);
	free(s->events);
	*s = (struct wl_sampled_sites){0};
}
