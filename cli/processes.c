/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Report the processes that a trace followed. For people, only those with most events are shown.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Where it belongs: more events first, then as they ended. */
static size_t find_place(const struct cli_processes *p, uint64_t events)
{
	size_t i = p->n;
	while (i > 0 && p->row[i - 1].events < events)
		i--;
	return i;
}

void cli_processes_add(struct cli_processes *p, const struct ward_process_report *report)
{
	size_t at = find_place(p, report->events), most = sizeof(p->row) / sizeof(p->row[0]);
	p->total++;
	p->events += report->events;
	if (at == most)
		return;
	if (p->n == most)
		free(p->row[--p->n].text);
	memmove(&p->row[at + 1], &p->row[at], (p->n - at) * sizeof(p->row[0]));
	p->n++;
	p->row[at] = (struct cli_process){.pid = report->pid, .events = report->events};
	if (asprintf(&p->row[at].text, "%s%s%s", base_name(report->program), report->reason ? "  no probes: " : "",
		    report->reason ? report->reason : "") < 0)
		p->row[at].text = NULL;
}

void cli_processes_print(struct cli_output *out, const struct cli_processes *p)
{
	uint64_t shown = 0;
	if (!p->total)
		return;
	fprintf(out->file, "%10s  %12s  program\n", "process", "events");
	for (size_t i = 0; i < p->n; i++) {
		fprintf(out->file, "%10" PRId64 "  %12" PRIu64 "  ", p->row[i].pid, p->row[i].events);
		cli_print_clean(out->file, p->row[i].text ? p->row[i].text : "?");
		fputc('\n', out->file);
		shown += p->row[i].events;
	}
	if (p->total > p->n)
		fprintf(out->file, "%10" PRIu64 "  %12" PRIu64 "  more\n", p->total - p->n, p->events - shown);
}

void cli_processes_free(struct cli_processes *p)
{
	while (p->n)
		free(p->row[--p->n].text);
}
