/* SPDX-License-Identifier: Apache-2.0 */
/* ward trace --cluster: the probe on machines of a cluster, whose results come back as one. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster_command.h"
#include "trace.h"

/* What can't be had on a cluster. Returns an exit status, or -1 to go on. */
int trace_cluster_check(const struct trace *t, int words)
{
	const struct cluster_use *use = t->cluster;

	if (!use->url)
		return cli_usage(&cmd_trace, "--on, --process and the like need --cluster URL");
	if (t->pid_text || t->command)
		return cli_usage(&cmd_trace, "with --cluster processes are chosen with --process, not with -p or --");
	if (t->with_probe || t->follow || t->later || t->records || t->max_threads || t->exports->n)
		return cli_usage(&cmd_trace, "--with-kernel, --follow, --later, --records, --threads and --export "
					     "can't be combined with --cluster");
	if (use->attach && use->variants.n)
		return cli_usage(&cmd_trace, "--attach goes on with a query's own modules, and takes no --variant");
	if (use->attach ? words != 0 : words != 1 && (words || !use->variants.n))
		return cli_usage(&cmd_trace,
			use->attach ? "--attach goes on with a query, and takes no probe" : "one probe at a time");
	if (!use->attach && !t->kernel && !use->process.n)
		return cli_usage(&cmd_trace, "on which processes? --process exe=/usr/bin/sqlite3, or --kernel");
	if (t->kernel && use->process.n)
		return cli_usage(&cmd_trace, "give either --kernel or --process");
	return cluster_use_check(&cmd_trace, t->cluster);
}

/* The imports that the module has, and features that were allowed by name: agents allow what the order lists. */
static bool imports_list(const struct trace *t, const struct ward_verdict *verdict, struct string_list *list)
{
	bool ok = true;

	for (size_t i = 0; i < verdict->module.n_imports; i++)
		ok &= list_add(list, ward_import_name(verdict->module.imports[i].import));
	for (size_t i = 0; i < t->limits.allowed.n; i++) {
		bool import = false;
		for (unsigned j = 0; j < WARD_IMPORT_COUNT; j++)
			import |= strcmp(t->limits.allowed.at[i], ward_import_name(j)) == 0;
		if (!import)
			ok &= list_add(list, t->limits.allowed.at[i]);
	}
	return ok;
}

static bool sites_list(const struct trace *t, struct string_list *list)
{
	bool ok = !t->site || list_add(list, t->site);

	for (size_t i = 0; i < t->n_more_sites; i++)
		ok &= list_add(list, t->more_sites[i]);
	return ok;
}

static bool is_source(const char *path)
{
	return cli_has_suffix(path, ".c");
}

static int result_print(struct cluster_ask *ask, struct cli_output *out, cluster_run *run, bool is_final)
{
	struct trace *t = ask->user;

	return t->print_cluster(t, out, run, is_final);
}

static void event_take(struct cluster_ask *ask, const struct cluster_event *event)
{
	struct trace *t = ask->user;

	t->event_cluster(t, event);
	ask->has_enough = t->enough;
}

static int rounds_do(struct cluster_ask *ask, cluster_run *run)
{
	struct trace *t = ask->user;

	return t->round_cluster(t, run, &ask->is_lacking);
}

static int ask_run(struct trace *t, struct cluster_ask *ask)
{
	struct string_list imports = {0}, sites = {0};
	struct cluster_variants variants = {0};
	struct ward_verdict *verdict = NULL;
	int status = cli_verify(t->probe, &t->module, &t->limits.options, &verdict);

	if (status == CLI_OK && (!imports_list(t, verdict, &imports) || !sites_list(t, &sites)))
		status = cli_error(CLI_USAGE, NULL, "free some memory and try again", "out of memory");
	if (status == CLI_OK)
		status = cluster_records_check(t->module.data, t->module.size, t->ctf_path != NULL);
	if (status == CLI_OK) {
		ask->unit[0] = (struct cluster_run_unit){.kernel = t->kernel,
			.sites = {sites.at, sites.n},
			.processes = {t->cluster->process.at, t->cluster->process.n},
			.imports = {imports.at, imports.n}};
		if (!is_source(t->probe)) /* of a source they were macros */
			ask->unit[0].settings = (struct cluster_texts){t->settings.at, t->settings.n};
		ask->n_units = 1;
		status = cluster_variants_take(t->cluster, &t->module, verdict, is_source(t->probe) || t->print_cluster,
			&variants, &ask->unit[0]);
	}
	if (status == CLI_OK)
		status = cluster_query(ask);
	cluster_variants_free(&variants);
	ward_verdict_free(verdict);
	free(imports.at);
	free(sites.at);
	return status;
}

int trace_cluster_run(struct trace *t)
{
	struct cluster_ask ask = {.use = t->cluster,
		.duration = t->duration,
		.quiet = t->quiet,
		.live = t->live,
		.out = &t->out,
		.text = t->text ? t->text : t->probe,
		.text_options = {t->text_options.at, t->text_options.n},
		.asked_at = t->asked_at,
		.counts_per_us = cluster_rate(),
		.has_times = t->has_times,
		.print = t->print_cluster ? result_print : NULL,
		.event = t->event_cluster ? event_take : NULL,
		.round = t->round_cluster ? rounds_do : NULL,
		.window_ns = t->window_ns,
		.by = (enum cluster_by)t->by,
		.ctf_path = t->ctf_path,
		.user = t};
	int status = t->cluster->attach ? CLI_OK : trace_load_module(t);

	if (status != CLI_OK)
		return status;
	return t->cluster->attach ? cluster_query(&ask) : ask_run(t, &ask);
}
