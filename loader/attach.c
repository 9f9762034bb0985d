/*
 * Attaching: verify, find the sites, map, fill, patch. The order is the safety argument: wl_image_verify is the only maker of the struct
 * ward_image that wl_map and wl_fill take their bytes from, so nothing is mapped that was not accepted.
 */
#include "session.h"

#include "error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES_PER_SITE = 127 };

struct ward_attach_options wl_options(const struct ward_attach_options *given)
{
	struct ward_attach_options o = {0};

	if (given)
		memcpy(&o, given, given->size < sizeof(o) ? given->size : sizeof(o));
	o.size = sizeof(o);
	return o;
}

static const char *entry_site(const struct ward_entry_facts *e, const struct ward_attach_options *options)
{
	return options->site ? options->site : e->site;
}

/* Does it want exits rather than entries? The site says so, or else the module. */
static bool wants_exits(const struct ward_entry_facts *e, const struct ward_attach_options *options)
{
	const char *text = entry_site(e, options), *where = strrchr(text, ':');

	if (where && strcmp(where, ":return") == 0)
		return true;
	return e->kind != 0 && !(where && strcmp(where, ":entry") == 0);
}

/* Why a probe can't run where it wants to; NULL if it can. */
static const char *entry_refused(const struct ward_entry_facts *e, const struct ward_attach_options *options)
{
	bool exits = wants_exits(e, options);

	if (!exits && e->event_fields & (1u << WL_RET))
		return "the probe reads ev->ret, which only a return site has";
	if (!exits && e->event_fields & (1u << WL_ELAPSED))
		return "the probe reads ev->elapsed, which only a return site has";
	if (e->clobbers & (1u << RSP) || e->stack_bytes > WARD_STACK_CEILING)
		return "the probe does not keep its stack";
	return NULL;
}

static int all_refused(const struct ward_module_facts *facts, const struct ward_attach_options *options, struct ward_error *err)
{
	const struct ward_entry_facts *e = &facts->entries[0];

	for (size_t i = 0; i < facts->n_entries; i++)
		if (!entry_refused(&facts->entries[i], options))
			return 0;
	wl_fail(err, WARD_E_USAGE, e->name, "%s", entry_refused(e, options));
	wl_hint(err, "a return site is written MODULE!FUNCTION:return");
	return WARD_E_USAGE;
}

/* The sites of one entry. */
static int find_entry_sites(struct ward_session *s, size_t i, const struct ward_attach_options *options, const struct wl_maps *maps,
	struct wl_modules *modules, struct ward_error *err)
{
	const struct ward_entry_facts *e = &wl_image_facts(s->image)->entries[i];
	const char *text = entry_site(e, options);
	struct wl_pattern pattern;
	int rc = wl_pattern_parse(text, &pattern, err);
	long n;

	if (rc)
		return rc;
	pattern.where = wants_exits(e, options) ? WL_RETURN : WL_ENTRY;
	pattern.pairs = e->event_fields & (1u << WL_ELAPSED | ((1u << WL_RET) - 1));
	n = wl_sites_add(&s->a.sites, &pattern, (uint16_t)i, maps, modules);
	if (n < 0)
		rc = wl_no_memory(err);
	s->unmatched[i] = n == 0;
	/* Only the first: it is the error if none of the others matches anything either. */
	if (n == 0 && s->a.sites.n == 0 && err && !err->status)
		wl_pattern_no_match(text, &pattern, modules, err);
	wl_pattern_free(&pattern);
	return rc;
}

static int find_sites(struct ward_session *s, const struct ward_attach_options *options, const struct wl_maps *maps, struct ward_error *err)
{
	const struct ward_module_facts *facts = wl_image_facts(s->image);
	struct ward_error none = {0};
	struct wl_modules modules;
	int rc = all_refused(facts, options, err);

	if (rc)
		return rc;
	if (wl_modules_read(s->a.p.pid, maps, &modules))
		return wl_no_memory(err);
	for (size_t i = 0; rc == 0 && i < facts->n_entries; i++)
		if (!entry_refused(&facts->entries[i], options))
			rc = find_entry_sites(s, i, options, maps, &modules, &none);
	wl_modules_free(&modules);
	if (rc == 0 && s->a.sites.n == 0)
		rc = none.status ? none.status : WARD_E_TARGET;
	if (rc && err)
		*err = none;
	return rc;
}

/* At least one site must be left. */
static int check_sites(struct ward_session *s, const struct wl_maps *maps, struct ward_error *err)
{
	struct wl_sites *sites = &s->a.sites;

	if (wl_sites_check(sites, &s->a.p, maps))
		return wl_no_memory(err);
	for (size_t i = 0; i < sites->n; i++)
		if (sites->v[i].entry.n > PROBES_PER_SITE || sites->v[i].exit.n > PROBES_PER_SITE)
			sites->v[i].entry.reason = sites->v[i].exit.reason = "more than 127 probes want this site";
	for (size_t i = 0; i < sites->n; i++)
		if (wl_can(&sites->v[i].entry) || wl_can(&sites->v[i].exit))
			return 0;
	wl_fail(err, WARD_E_TARGET, sites->v[0].label, "%s", sites->v[0].entry.n ? sites->v[0].entry.reason : sites->v[0].exit.reason);
	wl_hint(err, "`ward list` shows which functions can be probed");
	return WARD_E_TARGET;
}

int wl_session_attach(struct ward_session *s, const struct ward_attach_options *options, struct wl_thread *held, struct ward_error *err)
{
	struct wl_maps maps;
	int rc = wl_maps_read(s->a.p.pid, &maps);

	if (rc)
		return rc == ENOMEM ? wl_no_memory(err) : wl_process_lost(&s->a.p, err);
	if (maps.n == 0) {
		wl_maps_free(&maps);
		return wl_process_lost(&s->a.p, err);
	}
	rc = find_sites(s, options, &maps, err);
	if (rc == 0)
		rc = check_sites(s, &maps, err);
	wl_maps_free(&maps);
	if (rc == 0)
		rc = wl_map(&s->a, s->image, options->max_threads, held, err);
	if (rc)
		return rc;
	rc = wl_fill(&s->a, s->image, err);
	if (rc == 0)
		rc = wl_patch(&s->a, held, err);
	if (rc)
		wl_unmap(&s->a, held);
	else if (options->names) /* now: a program that is held may be gone as soon as it isn't */
		ward_names_open(s->a.p.pid, options->names, NULL);
	return rc;
}

/* What is to be told of a function's entry, or of its exits, and each probe that wants them. */
static void report_wanted(const struct ward_module_facts *facts, const struct ward_attach_options *options, const struct wl_site *site, bool exits)
{
	const struct wl_wanted *w = exits ? &site->exit : &site->entry;

	for (size_t k = 0; k < w->n; k++)
		wl_site_report(site, exits, facts->entries[w->v[k]].name, options->on_site, options->user);
}

void wl_session_report(const struct ward_session *s, const struct ward_attach_options *options)
{
	const struct ward_module_facts *facts = wl_image_facts(s->image);

	if (!options->on_site)
		return;
	for (size_t i = 0; i < facts->n_entries; i++) {
		const struct ward_entry_facts *e = &facts->entries[i];
		const char *why = entry_refused(e, options);

		if (!why && s->unmatched[i])
			why = "no function matches";
		if (why)
			options->on_site(options->user, &(struct ward_site_report){.site = entry_site(e, options), .probe = e->name, .reason = why});
	}
	for (size_t i = 0; i < s->a.sites.n; i++) {
		report_wanted(facts, options, &s->a.sites.v[i], false);
		report_wanted(facts, options, &s->a.sites.v[i], true);
	}
}

struct attach_job {
	pid_t pid;
	struct ward_session *session;
	const struct ward_attach_options *options;
	struct ward_error *err;
};

static int attach_live(void *arg)
{
	struct attach_job *job = arg;
	struct wl_process *p = &job->session->a.p;
	int rc = wl_process_open(p, job->pid, job->err);

	if (rc)
		return rc;
	rc = wl_session_attach(job->session, job->options, NULL, job->err);
	/* Whatever step failed, this is why. */
	if (rc == WARD_E_TARGET && wl_process_dying(p))
		rc = wl_process_lost(p, job->err);
	return rc;
}

int ward_attach(
	pid_t pid, const void *image, size_t size, const struct ward_attach_options *options, ward_session **out, struct ward_error *err)
{
	struct ward_attach_options o = wl_options(options);
	struct ward_error local;
	struct attach_job job = {.pid = pid, .options = &o, .err = err ? err : &local};
	struct ward_image *verified;
	int rc;

	*out = NULL;
	if (o.names)
		*o.names = NULL;
	wl_clear(job.err);
	rc = wl_image_verify(image, size, &o, &verified, job.err);
	if (rc)
		return rc;
	job.session = wl_session_new(verified);
	if (!job.session)
		return wl_no_memory(job.err);
	rc = wl_as_tracer(attach_live, &job, job.err);
	if (rc) {
		wl_session_report(job.session, &o);
		job.session->detached = true;
		ward_session_free(job.session);
		return rc;
	}
	wl_session_report(job.session, &o);
	*out = job.session;
	return 0;
}
