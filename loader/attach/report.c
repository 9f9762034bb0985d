/* SPDX-License-Identifier: Apache-2.0 */
/* Reports to the caller about sites. */
#include "attach.h"

#include "loader/symbols/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wl_report_site(const struct wl_site *s, bool exits, bool thrown, const char *denied, const char *probe,
	ward_site_fn *fn, void *user)
{
	const char *reason = denied ? denied : thrown ? s->thrown.reason : exits ? s->exit.reason : s->entry.reason;
	char *label = NULL, *module = strndup(s->label, strcspn(s->label, "!"));

	if (exits && asprintf(&label, "%s:%s", s->label, thrown ? "throw" : "return") < 0)
		label = NULL;
	fn(user, &(struct ward_site_report){
			 .site = label ? label : s->label,
			 .probe = probe,
			 .method = reason       ? NULL
				   : thrown     ? "catch"
				   : exits      ? "exits"
				   : s->is_call ? "call"
						: "jump",
			 .reason = reason,
			 .address = s->addr,
			 .number = s->number,
			 .exits = exits && !thrown && !reason ? s->n_exits : 0,
			 .tails = exits && !thrown && !reason ? s->leaves.tails : 0,
			 .chosen = s->chosen,
			 .symbol = s->symbol,
			 .inlined = s->inlined,
			 .arguments = s->point ? s->point->text : NULL,
			 .module = module,
			 .elsewhere = s->elsewhere,
			 .version = s->also.version,
			 .aliases = (const char *const *)s->also.v,
			 .n_aliases = s->also.n,
		 });
	free(module);
	free(label);
}

void wl_report_gone(const struct wl_gone *gone, const char *probe, ward_site_fn *fn, void *user)
{
	char *label = NULL;

	if (gone->exit && asprintf(&label, "%s:return", gone->label) < 0)
		label = NULL;
	fn(user, &(struct ward_site_report){
			 .site = label ? label : gone->label,
			 .probe = probe,
			 .reason = "it was inlined wherever it is called: nothing is left of it to be probed",
			 .symbol = gone->symbol,
			 .inlined = gone->copies,
		 });
	free(label);
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
		wl_report_site(site, thrown || w == &site->exit, thrown, w->denied[k].reason,
			facts->entries[w->denied[k].entry].name, options->on_site, options->user);
}

/*
 * What is to be told of a function's entry, or of its exits, and each probe that wants them. If nothing is attached, as
 * something went wrong that has nothing to do with sites, only what is wrong with those.
 */
static void report_wanted(const struct wl_attachment *a, const struct ward_attach_options *options,
	const struct wl_site *site, bool exits)
{
	const struct ward_module_facts *facts = wl_image_facts(a->image);
	const struct wl_wanted *w = exits ? &site->exit : &site->entry;

	for (size_t k = 0; k < w->n; k++) {
		bool thrown = is_among(&site->thrown, w->v[k]);

		if (a->n_attached || (thrown ? site->thrown.reason : w->reason))
			wl_report_site(site, exits, thrown, NULL, facts->entries[w->v[k]].name, options->on_site,
				options->user);
	}
}

/* A site of an entry of which there is nothing. */
static void report_nothing(
	const struct wl_attachment *a, const struct ward_attach_options *options, size_t i, size_t which)
{
	const struct ward_entry_facts *e = &wl_image_facts(a->image)->entries[i];
	const char *site = wl_entry_site(e, options, which), *why = wl_entry_refused(e, options, which);

	if (!why && a->unmatched && a->unmatched[i * wl_n_entry_sites(options) + which])
		why = wl_pattern_where(site) == WL_POINT
			      ? (options->later ? "no tracepoint matches yet" : "no tracepoint matches")
		      : wl_pattern_where(site) == WL_INSN
			      ? (options->later ? "no code matches yet" : "no code matches")
			      : (options->later ? "no function matches yet" : "no function matches");
	if (why)
		options->on_site(
			options->user, &(struct ward_site_report){.site = site, .probe = e->name, .reason = why});
}

void wl_report_sites(const struct wl_attachment *a, const struct ward_attach_options *options)
{
	const struct ward_module_facts *facts = wl_image_facts(a->image);

	if (!options->on_site)
		return;
	for (size_t i = 0; i < facts->n_entries; i++)
		for (size_t k = 0; k < wl_n_entry_sites(options); k++)
			report_nothing(a, options, i, k);
	for (size_t i = 0; i < a->sites.n_gone; i++)
		wl_report_gone(&a->sites.gone[i], facts->entries[a->sites.gone[i].entry].name, options->on_site,
			options->user);
	for (size_t i = 0; i < a->sites.n; i++) {
		const struct wl_site *site = &a->sites.v[i];

		report_wanted(a, options, site, false);
		report_denied(facts, options, site, &site->entry);
		report_wanted(a, options, site, true);
		report_denied(facts, options, site, &site->exit);
		report_denied(facts, options, site, &site->thrown);
	}
}
