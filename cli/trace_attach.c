/* SPDX-License-Identifier: Apache-2.0 */
/* ward trace: attach probes, and print each site that is probed, or can't be. */
#include "trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_site(const char *verb, const char *site, const char *before, const char *detail, const char *after)
{
	fprintf(stderr, "%s ", verb);
	cli_print_clean(stderr, site);
	fputs(before, stderr);
	cli_print_clean(stderr, detail);
	fprintf(stderr, "%s\n", after);
}

/* A site that is the only one and is skipped becomes the error; so the first skip waits until there is more to say. */
static void flush_skip(struct trace *t)
{
	if (t->skip_site && t->skip_reason)
		print_site("skipped", t->skip_site, ": ", t->skip_reason, "");
	free(t->skip_site);
	free(t->skip_reason);
	t->skip_site = t->skip_reason = NULL;
}

static void on_site(void *user, const struct ward_site_report *report)
{
	struct trace *t = user;
	const char *reason = report->reason ? report->reason : "unknown";
	const char *end = report->later ? "; loaded later)" : ")";
	char more[100];
	t->sites++;
	snprintf(more, sizeof(more), "%s", end);
	if (report->inlined)
		snprintf(more, sizeof(more), "%s; %" PRIu64 " inlined cop%s of it %s seen", end, report->inlined,
			report->inlined == 1 ? "y" : "ies", report->inlined == 1 ? "isn't" : "aren't");
	if (t->schema)
		ward_schema_site(t->schema, report, NULL); /* without memory it stays a number */
	if (t->json) {
		cli_json_site(&t->out, report, "attach");
		return;
	}
	flush_skip(t);
	if (report->method)
		cli_names_add_site(&t->names, report->number, report->site);
	bool again = report->method && report->address == t->last_address && strcmp(report->site, t->last_site) == 0;
	t->last_address = report->address;
	snprintf(t->last_site, sizeof(t->last_site), "%s", report->method ? report->site : "");
	if (t->live && t->session)
		return; /* a later program's: the terminal is taken */
	if (again) {
		/* two names of one function, as open and open64 are: both probes run at each of its calls */
		print_site("attached", report->site, " once more, for ", report->probe, "");
	} else if (report->method && report->exits) {
		/* one function of many: its number is what the probe knows it by */
		char exits[64];
		snprintf(exits, sizeof(exits), "%" PRIu32 " exit%s, site %" PRIu32, report->exits,
			report->exits == 1 ? "" : "s", report->number);
		print_site("attached", report->site, " (", exits, more);
	} else if (report->method && report->chosen) {
		print_site("attached", report->site, " (jump; chosen at load time: ", report->chosen, end);
	} else if (report->method) {
		print_site("attached", report->site, " (", report->method, more);
	} else if (t->sites > 1) {
		print_site("skipped", report->site, ": ", reason, "");
	} else {
		t->skip_site = strdup(report->site);
		t->skip_reason = strdup(reason);
	}
}

/* A program that was followed is over. */
static void on_process(void *user, const struct ward_process_report *report)
{
	struct trace *t = user;
	if (t->json)
		cli_json_process(&t->out, report);
	else
		cli_processes_add(&t->processes, report);
}

/* Are there counts of the time stamp counter in what the probe may have kept? */
static bool reads_time(const struct ward_verdict *verdict)
{
	unsigned fields = 0;
	for (size_t i = 0; i < verdict->module.n_entries; i++)
		fields |= verdict->module.entries[i].event_fields;
	for (unsigned i = 0; i < 16; i++) {
		const char *name = ward_event_field_name(i);
		if (fields >> i & 1 && (strcmp(name, "time") == 0 || strcmp(name, "elapsed") == 0))
			return true;
	}
	return false;
}

int trace_attach(struct trace *t)
{
	struct ward_error err = {0};
	struct ward_verdict *verdict = NULL;
	struct ward_attach_options options = {
		.size = sizeof(options),
		.site = t->site,
		.max_insns = t->limits.options.max_insns,
		.max_stack = t->limits.options.max_stack,
		.allow = t->limits.options.allow,
		.n_allow = t->limits.options.n_allow,
		.max_threads = t->max_threads,
		.on_site = on_site,
		.user = t,
		.verdict = &verdict,
		.names = &t->names.names,
		.on_process = on_process,
		.follow = t->follow,
		.later = t->later,
	};
	int result;
	if (!t->schema) /* for on_site; of what is no module the attach tells */
		ward_schema_read(t->module.data, t->module.size, &t->schema, NULL);
	if (t->kernel)
		result = ward_attach_kernel(t->module.data, t->module.size, &options, &t->session, &err);
	else if (t->command)
		result = ward_spawn(t->command, t->module.data, t->module.size, &options, &t->session, &t->pid, &err);
	else
		result = ward_attach(t->pid, t->module.data, t->module.size, &options, &t->session, &err);
	int status = CLI_OK;
	if (result == WARD_OK)
		flush_skip(t);
	if (result == WARD_E_REJECTED && verdict)
		status = cli_report_rejection(t->probe, &t->module, &t->limits.options, verdict);
	else if (result != WARD_OK)
		status = cli_library_error(&err);
	t->reads_time = verdict && reads_time(verdict);
	ward_verdict_free(verdict);
	return status;
}
