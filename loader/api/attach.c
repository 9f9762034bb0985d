/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching: verify, find the sites, map, fill, patch. The order is the safety argument: wl_image_verify is the only
 * maker of the struct ward_image that wl_map and wl_fill take their bytes from, so nothing is mapped that was not
 * accepted.
 */
#include "session.h"

#include "loader/base/error.h"
#include "loader/control/follow.h"
#include "loader/process/asleep.h"
#include "loader/symbols/moved_code.h"
#include "loader/inject/permitted.h"
#include "loader/code/rseq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROBES_PER_SITE = 127, OVERTAKEN_MAX = 100 };

static int no_options(struct ward_error *err, const char *type, const char *why)
{
	wl_fail(err, WARD_E_USAGE, "options", "%s", why);
	wl_hint(err, "set size to sizeof(struct %s), and fields that you don't use to zero", type);
	return WARD_E_USAGE;
}

int wl_read_options(void *o, size_t size, const void *given, const char *type, struct ward_error *err)
{
	enum { MOST = 4096 }; /* more is no size */
	size_t theirs = 0;

	memset(o, 0, size);
	if (given)
		memcpy(&theirs, given, sizeof(theirs));
	if (given && (theirs < sizeof(theirs) || theirs > MOST))
		return no_options(err, type, "they have no size");
	for (size_t i = size; i < theirs; i++)
		if (((const uint8_t *)given)[i])
			return no_options(err, type, "they want something that this version of libward doesn't know");
	if (given)
		memcpy(o, given, theirs < size ? theirs : size);
	memcpy(o, &size, sizeof(size));
	return 0;
}

int wl_options(const struct ward_attach_options *given, struct ward_attach_options *o, struct ward_error *err)
{
	int rc = wl_read_options(o, sizeof(*o), given, "ward_attach_options", err);

	if (rc)
		return rc;
	if (o->verdict)
		*o->verdict = NULL;
	if (o->names)
		*o->names = NULL;
	if (o->follow && o->later) {
		wl_fail(err, WARD_E_USAGE, "options",
			"children are followed, or libraries that are loaded later are probed: not both");
		wl_hint(err, "leave one out; a library that is there from a program's beginning (LD_PRELOAD) is probed "
			     "where children are followed, too");
		return WARD_E_USAGE;
	}
	for (size_t i = 0; i < o->n_allow; i++)
		if (!o->allow || !o->allow[i])
			return no_options(err, "ward_attach_options", "names of what is allowed are missing");
	return 0;
}

static const char *entry_site(const struct ward_entry_facts *e, const struct ward_attach_options *options)
{
	return options->site ? options->site : e->site;
}

/* Does it want exits rather than entries? The site says so, or else the module. */
static bool wants_exits(const struct ward_entry_facts *e, const struct ward_attach_options *options)
{
	enum wl_where where = wl_pattern_where(entry_site(e, options));

	return where == WL_RETURN || where == WL_THROW || (where == WL_ANYWHERE && e->kind != 0);
}

/* Why a probe can't run where it wants to; NULL if it can. */
static const char *entry_refused(const struct ward_entry_facts *e, const struct ward_attach_options *options)
{
	bool exits = wants_exits(e, options), thrown = wl_pattern_where(entry_site(e, options)) == WL_THROW;

	if ((!exits || thrown) && e->event_fields & (1u << WL_RET))
		return "the probe reads ev->ret, which only a return site has";
	if (!exits && e->event_fields & (1u << WL_ELAPSED))
		return "the probe reads ev->elapsed, which only return and throw sites have";
	if (e->clobbers & (1u << RSP) || e->stack_bytes > WARD_STACK_CEILING)
		return "the probe does not keep its stack";
	return NULL;
}

static int all_refused(
	const struct ward_module_facts *facts, const struct ward_attach_options *options, struct ward_error *err)
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
static int find_entry_sites(struct ward_session *s, size_t i, const struct ward_attach_options *options,
	const struct wl_maps *maps, struct wl_modules *modules, struct ward_error *err)
{
	const struct ward_entry_facts *e = &wl_image_facts(s->image)->entries[i];
	const char *text = entry_site(e, options);
	struct wl_pattern pattern;
	int rc = wl_pattern_parse(text, &pattern, err);
	size_t gone = s->a.sites.n_gone;
	long n;

	if (rc)
		return rc;
	if (pattern.where != WL_POINT && pattern.where != WL_THROW)
		pattern.where = wants_exits(e, options) ? WL_RETURN : WL_ENTRY;
	pattern.pairs = e->event_fields & (1u << WL_ELAPSED | ((1u << WL_RET) - 1));
	pattern.by_sp = e->event_fields & 1u << WL_SP;
	n = wl_sites_add(&s->a.sites, &pattern, (uint16_t)i, &s->a.p, maps, modules);
	if (n < 0)
		rc = wl_no_memory(err);
	s->unmatched[i] = n == 0 && s->a.sites.n_gone == gone; /* else there is more to say */
	/* Only the first: it is the error if none of the others matches anything either. */
	if (n == 0 && s->a.sites.n == 0 && !s->later && err && !err->status)
		wl_pattern_no_match(text, &pattern, &s->a.sites, modules, err);
	wl_pattern_free(&pattern);
	return rc;
}

/*
 * Do probes, or what stands around them, read the time or make system calls in the target? Where a thread's id isn't in
 * its control block it isn't known yet that it takes one; such threads have no C library that could be watched.
 */
static bool does_what_may_be_forbidden(const struct ward_session *s)
{
	const struct ward_module_facts *facts = wl_image_facts(s->image);
	bool calls = facts->n_imports;

	for (size_t i = 0; i < s->a.sites.n; i++)
		calls |= s->a.sites.v[i].point != NULL;
	for (size_t i = 0; i < facts->n_entries && s->a.foreign > WL_SHARED_BASES; i++)
		calls |= facts->entries[i].event_fields >> WL_TID & 1;
	return wl_reads_time(facts) || calls;
}

static int find_sites(struct ward_session *s, const struct ward_attach_options *options, const struct wl_maps *maps,
	struct ward_error *err)
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
	if (rc == 0 && wl_rseq_find(&s->a.sites, &s->a.p, maps, &modules))
		rc = wl_no_memory(err);
	if (rc == 0 && s->a.sites.n)
		s->a.foreign = wl_foreign_look(&s->a.p, maps, &modules);
	if (rc == 0 && s->a.sites.n &&
		!wl_sites_watch(&s->a.sites, &s->a.p, maps, &modules, does_what_may_be_forbidden(s)))
		rc = wl_no_memory(err);
	for (size_t i = 0; i < modules.n; i++)
		s->stuck |= modules.v[i].stuck;
	if (s->stuck && s->use) /* another helper has them all */
		rc = WARD_E_SYSTEM;
	wl_modules_free(&modules);
	if (rc == 0 && s->a.sites.n == 0)
		rc = none.status ? none.status
				 : wl_fail(&none, WARD_E_TARGET, "attach", "nothing that the probes want is there");
	s->nothing = rc == WARD_E_TARGET;
	if (rc && err)
		*err = none;
	return rc;
}

/* Does it read an argument of the tracepoint that can't be found? One that the tracepoint doesn't have is 0. */
static bool reads_unknown(const struct wl_point *point, const struct ward_entry_facts *e)
{
	for (unsigned i = 0; i < WL_POINT_ARGS; i++)
		if (e->event_fields & 1u << (WL_ARG + i) && point->arg[i].kind == WL_OP_UNKNOWN)
			return true;
	return false;
}

/* Probes of a tracepoint that do can't run there, but others can. False without memory. */
static bool check_arguments(struct wl_site *s, const struct ward_module_facts *facts)
{
	for (size_t k = s->point && !s->entry.reason ? s->entry.n : 0; k-- > 0;)
		if (reads_unknown(s->point, &facts->entries[s->entry.v[k]]) &&
			!wl_deny(&s->entry, s->entry.v[k],
				"an argument that the probe reads stands where it can't be taken from (`ward list` "
				"shows where)"))
			return false;
	return true;
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
		if (!check_arguments(&sites->v[i], wl_image_facts(s->image)))
			return wl_no_memory(err);
	for (size_t i = 0; i < sites->n; i++)
		if (wl_can(&sites->v[i].entry) || wl_can(&sites->v[i].exit))
			return 0;
	for (size_t i = 0; i < sites->n; i++) {
		const struct wl_site *site = &sites->v[i];
		const char *why = wl_site_lacks(site);

		if (!why) /* a hook */
			continue;
		wl_fail(err, WARD_E_TARGET, site->label, "%s", why);
		break;
	}
	wl_said(WARD_E_TARGET, err);
	wl_hint(err, "`ward list` shows which functions can be probed");
	s->nothing = true;
	return WARD_E_TARGET;
}

/* Has another tracer been quicker at a site? */
static bool was_overtaken(const struct ward_session *s)
{
	for (size_t i = 0; i < s->a.sites.n; i++)
		if (s->a.sites.v[i].entry.reason == wl_code_changed || s->a.sites.v[i].exit.reason == wl_code_changed)
			return true;
	return false;
}

int wl_session_attach(struct ward_session *s, const struct ward_attach_options *options, struct wl_threads *held,
	struct ward_error *err)
{
	struct wl_maps maps;
	int rc = wl_maps_read(s->a.p.pid, &maps);

	s->a.p.pauses = &s->a.pauses;
	s->a.p.late = &s->a.late;
	s->nothing = s->overtaken = false;
	if (rc)
		return rc == ENOMEM ? wl_no_memory(err) : wl_process_lost(&s->a.p, err);
	if (maps.n == 0) {
		wl_maps_free(&maps);
		return wl_process_lost(&s->a.p, err);
	}
	wl_maps_find_moved(s->a.p.pid, &maps);
	maps.later = s->later;
	if (s->only)
		wl_places_mark_others(s->only, &maps);
	rc = find_sites(s, options, &maps, err);
	if (rc == 0)
		rc = check_sites(s, &maps, err);
	wl_maps_free(&maps);
	if (rc == 0)
		rc = wl_map(&s->a, s->image, options->max_threads, held, err);
	if (rc)
		return rc;
	rc = wl_check_time(&s->a, wl_image_facts(s->image), held, err);
	if (rc == 0)
		rc = wl_fill(&s->a, s->image, err);
	if (rc == 0)
		rc = wl_patch(&s->a, held, err);
	if (rc)
		wl_unmap(&s->a, held);
	wl_sites_check_throws(&s->a.sites);
	s->overtaken = rc && was_overtaken(s);
	s->n_attached = 0;
	for (size_t i = 0; i < s->a.sites.n; i++)
		s->n_attached += rc == 0 && (wl_can(&s->a.sites.v[i].entry) || wl_can(&s->a.sites.v[i].exit));
	if (rc == 0 && held && options->names) /* now: a program that is held may be gone as soon as it isn't */
		ward_names_open(s->a.p.pid, options->names, NULL);
	return rc;
}

static bool is_among(const struct wl_wanted *w, uint16_t entry)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i] == entry)
			return true;
	return false;
}

static void report_denied(const struct ward_module_facts *facts, const struct ward_attach_options *options,
	const struct wl_site *site, const struct wl_wanted *w)
{
	bool thrown = w == &site->thrown;

	for (size_t k = 0; k < w->n_denied; k++)
		wl_site_report(site, thrown || w == &site->exit, thrown, w->denied[k].reason,
			facts->entries[w->denied[k].entry].name, options->on_site, options->user);
}

/*
 * What is to be told of a function's entry, or of its exits, and each probe that wants them. If nothing is attached, as
 * something went wrong that has nothing to do with sites, only what is wrong with those.
 */
static void report_wanted(
	const struct ward_session *s, const struct ward_attach_options *options, const struct wl_site *site, bool exits)
{
	const struct ward_module_facts *facts = wl_image_facts(s->image);
	const struct wl_wanted *w = exits ? &site->exit : &site->entry;

	for (size_t k = 0; k < w->n; k++) {
		bool thrown = is_among(&site->thrown, w->v[k]);

		if (s->n_attached || (thrown ? site->thrown.reason : w->reason))
			wl_site_report(site, exits, thrown, NULL, facts->entries[w->v[k]].name, options->on_site,
				options->user);
	}
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
			why = wl_pattern_where(entry_site(e, options)) == WL_POINT
				      ? (options->later ? "no tracepoint matches yet" : "no tracepoint matches")
				      : (options->later ? "no function matches yet" : "no function matches");
		if (why)
			options->on_site(options->user,
				&(struct ward_site_report){
					.site = entry_site(e, options), .probe = e->name, .reason = why});
	}
	for (size_t i = 0; i < s->a.sites.n_gone; i++)
		wl_gone_report(&s->a.sites.gone[i], facts->entries[s->a.sites.gone[i].entry].name, options->on_site,
			options->user);
	for (size_t i = 0; i < s->a.sites.n; i++) {
		const struct wl_site *site = &s->a.sites.v[i];

		report_wanted(s, options, site, false);
		report_denied(facts, options, site, &site->entry);
		report_wanted(s, options, site, true);
		report_denied(facts, options, site, &site->exit);
		report_denied(facts, options, site, &site->thrown);
	}
}

int ward_check(const void *image, size_t size, const struct ward_attach_options *options, struct ward_error *err)
{
	struct ward_attach_options o;
	struct ward_error local, *e = err ? err : &local;
	struct ward_image *verified;
	int rc;

	wl_clear(e);
	rc = wl_options(options, &o, e);
	if (rc == 0)
		rc = wl_image_verify(image, size, WARD_PROFILE_USER, &o, &verified, e);
	if (rc == 0)
		wl_image_free(verified);
	return rc;
}

struct attach_job {
	pid_t pid;
	struct ward_session *session;
	const struct ward_attach_options *options;
	struct ward_error *err;
};

static int attach_once(
	struct ward_session *s, pid_t pid, const struct ward_attach_options *options, struct ward_error *err)
{
	struct wl_process *p = &s->a.p;
	int turn, rc = wl_process_open(p, pid, err);

	if (rc == 0 && options->pidfd > 0)
		rc = wl_process_check(p, options->pidfd, err);
	if (rc == 0)
		rc = wl_refuse_sharer(pid, err);
	if (rc)
		return rc;
	p->use = s->use;
	turn = wl_process_turn(pid);
	rc = wl_session_attach(s, options, NULL, err);
	if (turn >= 0)
		close(turn);
	/* Whatever step failed, this is why. */
	if (rc == WARD_E_TARGET && wl_process_dying(p))
		rc = wl_process_lost(p, err);
	return rc;
}

/* Where nothing could be attached to because others were quicker, there is something new to look at. */
int wl_attach_live(struct ward_session *s, pid_t pid, const struct ward_attach_options *options, struct ward_error *err)
{
	int rc = attach_once(s, pid, options, err);

	for (int i = 0; rc == WARD_E_TARGET && i < OVERTAKEN_MAX && s->overtaken; i++) {
		wl_attachment_free(&s->a);
		wl_attachment_init(&s->a);
		wl_clear(err);
		rc = attach_once(s, pid, options, err);
	}
	return rc;
}

static int attach_live(void *arg)
{
	struct attach_job *job = arg;

	return wl_attach_live(job->session, job->pid, job->options, job->err);
}

int ward_attach(pid_t pid, const void *image, size_t size, const struct ward_attach_options *options,
	ward_session **out, struct ward_error *err)
{
	struct ward_attach_options o;
	struct ward_error local;
	struct attach_job job = {.pid = pid, .options = &o, .err = err ? err : &local};
	struct ward_image *verified;
	int rc;

	wl_clear(job.err);
	if (!out)
		return wl_missing(job.err, "ward_attach", "out");
	*out = NULL;
	rc = wl_options(options, &o, job.err);
	if (rc == 0)
		rc = wl_image_verify(image, size, WARD_PROFILE_USER, &o, &verified, job.err);
	if (rc)
		return rc;
	job.session = wl_session_new(verified);
	if (!job.session)
		return wl_no_memory(job.err);
	if ((o.follow || o.later) && pid == getpid()) {
		rc = wl_fail(job.err, WARD_E_USAGE, "ward_attach",
			o.follow ? "a process can't follow its own children"
				 : "a process can't watch itself for libraries that it loads later");
		wl_hint(job.err, "let another process do it: ward trace --%s -p %d", o.follow ? "follow" : "later",
			(int)pid);
	} else if (o.follow || o.later) {
		rc = wl_follow_attach(job.session, pid, &o, job.err);
	} else if (pid == getpid()) {
		rc = wl_itself_attach(job.session, &o, job.err);
	} else {
		rc = wl_as_tracer(attach_live, &job, job.err);
		if (rc == 0 && o.names) /* which takes its time: whoever traces may have to let go of somebody */
			ward_names_open(pid, o.names, NULL);
		wl_session_report(job.session, &o);
	}
	if (rc) {
		job.session->detached = true;
		ward_session_free(job.session);
		return wl_said(rc, job.err);
	}
	*out = job.session;
	return 0;
}
