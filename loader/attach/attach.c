/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching: verify, find the sites, map, fill, patch. This order is the safety argument. wl_image_verify is the only
 * function that makes a struct ward_image, and wl_map and wl_fill take their bytes only from there. So nothing is
 * mapped that was not accepted.
 */
#include "attach.h"

#include "loader/base/error.h"
#include "loader/process/asleep.h"
#include "loader/symbols/moved_code.h"
#include "loader/inject/permitted.h"
#include "loader/inject/unwind_tables.h"
#include "loader/code/rseq.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROBES_PER_SITE = 127, OVERTAKEN_MAX = 100 };

size_t wl_n_entry_sites(const struct ward_attach_options *options)
{
	return 1 + options->n_more_sites;
}

const char *wl_entry_site(const struct ward_entry_facts *e, const struct ward_attach_options *options, size_t which)
{
	if (which)
		return options->more_sites[which - 1];
	return options->site ? options->site : e->site;
}

/* Does it want exits rather than entries? The site says so, or else the module. */
bool wl_wants_exits(const struct ward_entry_facts *e, const struct ward_attach_options *options, size_t which)
{
	enum wl_where where = wl_pattern_where(wl_entry_site(e, options, which));

	return where == WL_RETURN || where == WL_THROW || (where == WL_ANYWHERE && e->kind != 0);
}

/* Why a probe can't run where it wants to; NULL if it can. */
const char *wl_entry_refused(const struct ward_entry_facts *e, const struct ward_attach_options *options, size_t which)
{
	bool exits = wl_wants_exits(e, options, which);
	enum wl_where where = wl_pattern_where(wl_entry_site(e, options, which));
	bool thrown = where == WL_THROW;

	if ((!exits || thrown) && e->event_fields & (1u << WL_RET))
		return "the probe reads ev->ret, which only a return site has";
	if (!exits && e->event_fields & (1u << WL_ELAPSED))
		return "the probe reads ev->elapsed, which only return and throw sites have";
	if (where == WL_INSN && e->event_fields & ((1u << (WL_ARG + WL_POINT_ARGS)) - (1u << WL_ARG)))
		return "the probe reads ev->arg, which isn't known at an instruction inside a function";
	if (e->clobbers & (1u << RSP) || e->stack_bytes > WARD_STACK_CEILING)
		return "the probe does not keep its stack";
	return NULL;
}

static int all_refused(
	const struct ward_module_facts *facts, const struct ward_attach_options *options, struct ward_error *err)
{
	const struct ward_entry_facts *e = &facts->entries[0];

	for (size_t i = 0; i < facts->n_entries; i++)
		for (size_t k = 0; k < wl_n_entry_sites(options); k++)
			if (!wl_entry_refused(&facts->entries[i], options, k))
				return 0;
	wl_fail(err, WARD_E_USAGE, e->name, "%s", wl_entry_refused(e, options, 0));
	wl_hint(err, "a return site is written MODULE!FUNCTION:return, and an entry MODULE!FUNCTION");
	return WARD_E_USAGE;
}

/* What one of an entry's sites means. */
static int find_entry_sites(struct wl_attachment *a, size_t i, size_t which, const struct ward_attach_options *options,
	const struct wl_maps *maps, struct wl_modules *modules, struct ward_error *err)
{
	const struct ward_entry_facts *e = &wl_image_facts(a->image)->entries[i];
	const char *text = wl_entry_site(e, options, which);
	struct wl_pattern pattern;
	int rc = wl_pattern_parse(text, &pattern, err);
	size_t gone = a->sites.n_gone;
	long n;

	if (rc)
		return rc;
	if (pattern.where != WL_POINT && pattern.where != WL_INSN && pattern.where != WL_THROW)
		pattern.where = wl_wants_exits(e, options, which) ? WL_RETURN : WL_ENTRY;
	pattern.pairs = e->event_fields & (1u << WL_ELAPSED | ((1u << WL_RET) - 1));
	pattern.by_sp = e->event_fields & 1u << WL_SP;
	n = wl_sites_add(&a->sites, &pattern, (uint16_t)i, &a->p, maps, modules);
	if (n < 0)
		rc = wl_no_memory(err);
	a->unmatched[i * wl_n_entry_sites(options) + which] =
		n == 0 && a->sites.n_gone == gone; /* else there is more to say */
	/* Only the first: it is the error if none of the others matches anything either. */
	if (n == 0 && a->sites.n == 0 && !a->later && err && !err->status)
		wl_pattern_no_match(text, &pattern, &a->sites, modules, err);
	wl_pattern_free(&pattern);
	return rc;
}

/*
 * Do probes, or what stands around them, read the time or make system calls in the target? Where a thread's id isn't in
 * its control block it isn't known yet that it takes one; such threads have no C library that could be watched.
 */
static bool does_what_may_be_forbidden(const struct wl_attachment *a)
{
	const struct ward_module_facts *facts = wl_image_facts(a->image);
	bool calls = facts->n_imports;

	for (size_t i = 0; i < a->sites.n; i++)
		calls |= a->sites.v[i].point != NULL;
	for (size_t i = 0; i < facts->n_entries && a->foreign > WL_SHARED_BASES; i++)
		calls |= facts->entries[i].event_fields >> WL_TID & 1;
	return wl_reads_time(facts) || calls;
}

static int find_sites(struct wl_attachment *a, const struct ward_attach_options *options, const struct wl_maps *maps,
	struct ward_error *err)
{
	const struct ward_module_facts *facts = wl_image_facts(a->image);
	struct ward_error none = {0};
	struct wl_modules modules;
	int rc = all_refused(facts, options, err);

	if (rc)
		return rc;
	if (wl_modules_read(a->p.pid, maps, &modules))
		return wl_no_memory(err);
	for (size_t i = 0; rc == 0 && i < facts->n_entries; i++)
		for (size_t k = 0; rc == 0 && k < wl_n_entry_sites(options); k++)
			if (!wl_entry_refused(&facts->entries[i], options, k))
				rc = find_entry_sites(a, i, k, options, maps, &modules, &none);
	if (rc == 0 && wl_rseq_find(&a->sites, &a->p, maps, &modules))
		rc = wl_no_memory(err);
	if (rc == 0 && a->sites.n)
		a->foreign = wl_foreign_look(&a->p, maps, &modules);
	if (rc == 0 && a->sites.n && !wl_sites_watch(&a->sites, &a->p, maps, &modules, does_what_may_be_forbidden(a)))
		rc = wl_no_memory(err);
	wl_modules_free(&modules);
	if (rc == 0 && a->sites.n == 0)
		rc = none.status ? none.status
				 : wl_fail(&none, WARD_E_TARGET, "attach", "there is no site for any of the probes");
	a->nothing = rc == WARD_E_TARGET;
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
				"an argument that the probe reads is in a place that can't be read (`ward list` shows "
				"where)"))
			return false;
	return true;
}

/*
 * A function that is only left by tail calls has no return of its own: what a probe would read there is no result.
 * False without memory.
 */
static bool check_tails(struct wl_site *s, const struct ward_module_facts *facts)
{
	if (s->exit.reason || s->leaves.tails < s->leaves.exits)
		return true;
	for (size_t k = s->exit.n; k-- > 0;)
		if (wl_blind_to_tails(facts->entries[s->exit.v[k]].event_fields) &&
			!wl_deny(&s->exit, s->exit.v[k],
				"it is left by tail calls only, and the probe reads ev->ret: what the function returns "
				"isn't known there"))
			return false;
	return true;
}

/* Both ends of a function are probed, or none. */
static void pair_ends(struct wl_site *s)
{
	if (s->point || !s->entry.n || !s->exit.n)
		return;
	if (s->exit.reason && !s->entry.reason)
		s->entry.reason = "its returns can't be probed, and both ends are wanted";
	else if (s->entry.reason && !s->exit.reason)
		s->exit.reason = "its entry can't be probed, and both ends are wanted";
}

/* At least one site must be left. */
static int check_sites(struct wl_attachment *a, const struct ward_attach_options *options, const struct wl_maps *maps,
	struct ward_error *err)
{
	struct wl_sites *sites = &a->sites;

	if (wl_sites_check(sites, &a->p, maps))
		return wl_no_memory(err);
	for (size_t i = 0; i < sites->n; i++)
		if (sites->v[i].entry.n > PROBES_PER_SITE || sites->v[i].exit.n > PROBES_PER_SITE)
			sites->v[i].entry.reason = sites->v[i].exit.reason = "more than 127 probes want this site";
	for (size_t i = 0; i < sites->n; i++)
		if (!check_arguments(&sites->v[i], wl_image_facts(a->image)) ||
			!check_tails(&sites->v[i], wl_image_facts(a->image)))
			return wl_no_memory(err);
	for (size_t i = 0; options->both_ends && i < sites->n; i++)
		pair_ends(&sites->v[i]);
	for (size_t i = 0; i < sites->n; i++)
		if (wl_can(&sites->v[i].entry) || wl_can(&sites->v[i].exit))
			return 0;
	for (size_t i = 0; i < sites->n; i++) {
		const struct wl_site *site = &sites->v[i];
		const char *why = wl_site_lacks(site);

		if (!why) /* a hook */
			continue;
		wl_fail(err, WARD_E_TARGET, site->label, "%s", why);
		if (site->point && !site->point->text)
			wl_hint(err, "`objdump -d` shows where instructions begin; one beside it may have room");
		else
			wl_hint(err, "`ward list` shows which functions can be probed");
		break;
	}
	wl_said(WARD_E_TARGET, err);
	a->nothing = true;
	return WARD_E_TARGET;
}

/* Has another tracer been quicker at a site? */
static bool was_overtaken(const struct wl_attachment *a)
{
	for (size_t i = 0; i < a->sites.n; i++)
		if (a->sites.v[i].entry.reason == wl_code_changed || a->sites.v[i].exit.reason == wl_code_changed)
			return true;
	return false;
}

int wl_attach(struct wl_attachment *a, const struct ward_attach_options *options, struct wl_threads *held,
	struct ward_error *err)
{
	struct wl_maps maps;
	int rc;

	if (!a->unmatched)
		a->unmatched =
			calloc(wl_image_facts(a->image)->n_entries * wl_n_entry_sites(options), sizeof(*a->unmatched));
	if (!a->unmatched)
		return wl_no_memory(err);
	rc = wl_maps_read(a->p.pid, &maps);
	a->p.pauses = &a->pauses;
	a->p.late = &a->late;
	a->nothing = a->overtaken = false;
	a->ordered_times = options->ordered_times;
	if (rc)
		return rc == ENOMEM ? wl_no_memory(err) : wl_process_lost(&a->p, err);
	if (maps.n == 0) {
		wl_maps_free(&maps);
		return wl_process_lost(&a->p, err);
	}
	wl_maps_find_moved(a->p.pid, &maps);
	maps.later = a->later;
	if (a->only)
		wl_places_mark_others(a->only, &maps);
	rc = find_sites(a, options, &maps, err);
	if (rc == 0)
		rc = check_sites(a, options, &maps, err);
	wl_maps_free(&maps);
	if (rc == 0)
		rc = wl_map(a, a->image, options->max_threads, held, err);
	if (rc)
		return rc;
	rc = wl_check_time(a, wl_image_facts(a->image), held, err);
	if (rc == 0)
		rc = wl_fill(a, a->image, err);
	if (rc == 0 && wl_tables_make(a))
		rc = wl_no_memory(err);
	if (rc == 0)
		rc = wl_patch(a, held, err);
	if (rc)
		wl_unmap(a, held);
	wl_sites_check_throws(&a->sites);
	a->overtaken = rc && was_overtaken(a);
	a->n_attached = 0;
	for (size_t i = 0; i < a->sites.n; i++)
		a->n_attached += rc == 0 && (wl_can(&a->sites.v[i].entry) || wl_can(&a->sites.v[i].exit));
	if (rc == 0 && held && options->names) /* now: a held program may be gone as soon as it is released */
		ward_names_open(a->p.pid, options->names, NULL);
	return rc;
}

static int attach_once(
	struct wl_attachment *a, pid_t pid, const struct ward_attach_options *options, struct ward_error *err)
{
	struct wl_process *p = &a->p;
	int turn, rc = wl_process_open(p, pid, err);

	if (rc == 0 && options->pidfd > 0)
		rc = wl_process_check(p, options->pidfd, err);
	if (rc == 0)
		rc = wl_refuse_sharer(pid, err);
	if (rc)
		return rc;
	turn = wl_process_turn(pid);
	rc = wl_attach(a, options, NULL, err);
	if (turn >= 0)
		close(turn);
	/* Whatever step failed, this is why. */
	if (rc == WARD_E_TARGET && wl_process_dying(p))
		rc = wl_process_lost(p, err);
	return rc;
}

/* If nothing could be attached because other tracers were quicker, look again. */
int wl_attach_live(
	struct wl_attachment *a, pid_t pid, const struct ward_attach_options *options, struct ward_error *err)
{
	int rc = attach_once(a, pid, options, err);

	for (int i = 0; rc == WARD_E_TARGET && i < OVERTAKEN_MAX && a->overtaken; i++) {
		const struct ward_image *image = a->image;
		const struct wl_late late = a->late; /* they are still ours */

		wl_attachment_free(a);
		wl_attachment_init(a, image);
		a->late = late;
		wl_clear(err);
		rc = attach_once(a, pid, options, err);
	}
	return rc;
}
