/* SPDX-License-Identifier: Apache-2.0 */
/* ward trace: attach probes, and print each site that is probed, or can't be. */
#define _GNU_SOURCE
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 16 }; /* more sites are counted */

static void print_site(
	FILE *to, const char *verb, const char *site, const char *before, const char *detail, const char *after)
{
	fprintf(to, "%s ", verb);
	cli_print_clean(to, site);
	fputs(before, to);
	cli_print_clean(to, detail);
	fprintf(to, "%s\n", after);
}

static void count_reason(struct trace_sites *s, const char *reason)
{
	size_t i = 0, most = sizeof(s->why) / sizeof(s->why[0]);
	while (i < most && s->why[i].reason && strcmp(s->why[i].reason, reason) != 0)
		i++;
	if (i == most || (!s->why[i].reason && !(s->why[i].reason = strdup(reason))))
		return;
	for (s->why[i].n++; i > 0 && s->why[i].n > s->why[i - 1].n; i--) {
		struct trace_reason less = s->why[i - 1];
		s->why[i - 1] = s->why[i];
		s->why[i] = less;
	}
}

/* The line of a site that is skipped. The first one waits: if it stays the only one, it becomes the error. */
static void skip_site(struct trace_sites *s, const struct ward_site_report *report)
{
	const char *reason = report->reason ? report->reason : "unknown";
	char *line = NULL;
	size_t size;
	FILE *to = s->ever == 1 ? open_memstream(&line, &size) : s->lines;
	s->skipped++;
	count_reason(s, reason);
	if (!to)
		return;
	print_site(to, "skipped", report->site, ": ", reason, "");
	if (to != s->lines && fclose(to) == 0)
		s->only_skipped = line;
}

/* What a probe of the site misses, once. */
static void note_elsewhere(struct trace_sites *s, const struct ward_site_report *report)
{
	if (!report->elsewhere || report->address == s->noted)
		return;
	s->noted = report->address;
	print_site(s->lines, "note:", report->site, " doesn't see its module's own calls of ", report->elsewhere,
		", which make the same system call");
}

/* The line of one that is attached. */
static void attach_site(struct trace_sites *s, const struct ward_site_report *report)
{
	const char *end = report->later ? "; loaded later)" : ")";
	bool again = report->address == s->last_address && strcmp(report->site, s->last_site) == 0;
	char more[100], exits[100], tails[40];
	s->attached++;
	s->last_address = report->address;
	snprintf(s->last_site, sizeof(s->last_site), "%s", report->site);
	snprintf(more, sizeof(more), "%s", end);
	if (report->inlined)
		snprintf(more, sizeof(more), "%s; %" PRIu64 " inlined cop%s of it %s seen", end, report->inlined,
			report->inlined == 1 ? "y" : "ies", report->inlined == 1 ? "isn't" : "aren't");
	if (again) {
		/* two names of one function, as open and open64 are: both probes run at each of its calls */
		print_site(s->lines, "attached", report->site, " once more, for ", report->probe, "");
	} else if (report->exits) {
		/* one function of many: its number is what the probe knows it by */
		snprintf(tails, sizeof(tails),
			report->tails == report->exits ? ", by tail calls" : ", %" PRIu32 " by tail calls",
			report->tails);
		snprintf(exits, sizeof(exits), "%" PRIu32 " exit%s%s, site %" PRIu32, report->exits,
			report->exits == 1 ? "" : "s", report->tails ? tails : "", report->number);
		print_site(s->lines, "attached", report->site, " (", exits, more);
	} else if (report->chosen) {
		print_site(s->lines, "attached", report->site, " (jump; chosen at load time: ", report->chosen, end);
	} else {
		print_site(s->lines, "attached", report->site, " (", report->method, more);
	}
	note_elsewhere(s, report);
}

static void print_counts(const struct trace_sites *s)
{
	unsigned rest = s->skipped;
	fprintf(stderr, "attached %u sites", s->attached);
	if (s->skipped)
		fprintf(stderr, ", skipped %u", s->skipped);
	fputs("; -v names each\n", stderr);
	for (size_t i = 0; i < sizeof(s->why) / sizeof(s->why[0]) && s->why[i].reason; i++) {
		fprintf(stderr, "skipped %u: ", s->why[i].n);
		cli_print_clean(stderr, s->why[i].reason);
		fputc('\n', stderr);
		rest -= s->why[i].n;
	}
	if (rest)
		fprintf(stderr, "skipped %u for other reasons\n", rest);
}

static void forget_sites(struct trace_sites *s)
{
	if (s->lines)
		fclose(s->lines);
	free(s->text);
	free(s->only_skipped);
	for (size_t i = 0; i < sizeof(s->why) / sizeof(s->why[0]); i++) {
		free(s->why[i].reason);
		s->why[i].reason = NULL;
		s->why[i].n = 0;
	}
	s->lines = NULL;
	s->text = s->only_skipped = NULL;
	s->attached = s->skipped = 0;
}

/* `failed`: there is an error, which says of the only site why it is skipped. */
static void print_sites(struct trace *t, bool failed)
{
	struct trace_sites *s = &t->sites;
	unsigned n = s->attached + s->skipped;
	if (n == 0)
		return;
	if (s->lines)
		fflush(s->lines);
	if (!t->verbose && n > MOST_LINES) {
		print_counts(s);
	} else {
		if (s->only_skipped && !(failed && n == 1))
			fputs(s->only_skipped, stderr);
		if (s->text)
			fwrite(s->text, 1, s->size, stderr);
	}
	forget_sites(s);
}

void trace_print_sites(struct trace *t)
{
	print_sites(t, false);
}

void trace_free_sites(struct trace *t)
{
	forget_sites(&t->sites);
	free(t->more_sites);
}

/* A part of a function that is reported by itself: nothing is missed with it. */
static bool is_part(const struct ward_site_report *report)
{
	static const char why[] = "the symbol is a part of a function";
	return report->reason && strncmp(report->reason, why, sizeof(why) - 1) == 0;
}

static void on_site(void *user, const struct ward_site_report *report)
{
	struct trace *t = user;
	struct trace_sites *s = &t->sites;
	s->ever++;
	t->sampled |= report->sampled;
	t->inlined += report->method ? report->inlined : 0;
	t->skipped += !report->method && !is_part(report);
	if (t->schema)
		ward_schema_site(t->schema, report, NULL); /* without memory it stays a number */
	if (report->method)
		cli_names_add_site(&t->names, report->number, report->site);
	if (t->json) {
		cli_json_site(&t->out, report, "attach");
		return;
	}
	if (t->quiet || (t->live && t->session))
		return; /* a later program's: the terminal is taken */
	if (!s->lines && !(s->lines = open_memstream(&s->text, &s->size)))
		return;
	if (report->method)
		attach_site(s, report);
	else
		skip_site(s, report);
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
		.more_sites = t->more_sites,
		.n_more_sites = t->n_more_sites,
		.settings = t->settings.at,
		.n_settings = cli_has_suffix(t->probe, ".c") ? 0 : t->settings.n,
		.max_insns = t->limits.options.max_insns,
		.max_stack = t->limits.options.max_stack,
		.allow = t->limits.options.allow,
		.n_allow = t->limits.options.n_allow,
		.max_threads = t->max_threads,
		.on_site = on_site,
		.user = t,
		.verdict = &verdict,
		.names = &t->names.names,
		.both_ends = t->both_ends,
		.ordered_times = t->ordered_times,
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
	print_sites(t, result != WARD_OK);
	if (result == WARD_E_REJECTED && verdict)
		status = cli_report_rejection(t->probe, &t->module, &t->limits.options, verdict);
	else if (result != WARD_OK)
		status = cli_library_error(&err);
	t->reads_time = verdict && reads_time(verdict);
	ward_verdict_free(verdict);
	return status;
}
