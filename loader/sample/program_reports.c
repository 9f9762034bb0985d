/* SPDX-License-Identifier: Apache-2.0 */
/* A list, which is taken whole. */
#include "program_reports.h"

#include <stdlib.h>
#include <string.h>

struct wl_program_report {
	struct wl_program_report *next;
	struct ward_process_report what;
	char path[];
};

void wl_program_reports_init(struct wl_program_reports *r)
{
	pthread_mutex_init(&r->lock, NULL);
	r->first = NULL;
	r->end = &r->first;
}

void wl_program_reports_free(struct wl_program_reports *r)
{
	wl_program_reports_deliver(r, NULL, NULL);
	pthread_mutex_destroy(&r->lock);
}

void wl_program_reports_add(struct wl_program_reports *r, const struct wl_program *program, uint32_t sites)
{
	const char *path = program->path ? program->path : "";
	size_t n = strlen(path) + 1;
	struct wl_program_report *report = malloc(sizeof(*report) + n);

	if (!report)
		return;
	*report = (struct wl_program_report){.what = {.pid = program->pid,
						     .parent = program->parent,
						     .sites = sites,
						     .events = program->events,
						     .dropped = program->dropped}};
	memcpy(report->path, path, n);
	pthread_mutex_lock(&r->lock);
	*r->end = report;
	r->end = &report->next;
	pthread_mutex_unlock(&r->lock);
}

void wl_program_reports_deliver(struct wl_program_reports *r, ward_process_fn *on_process, void *user)
{
	struct wl_program_report *report, *next;

	pthread_mutex_lock(&r->lock);
	report = r->first;
	r->first = NULL;
	r->end = &r->first;
	pthread_mutex_unlock(&r->lock);
	for (; report; report = next) {
		next = report->next;
		report->what.program = report->path;
		if (on_process)
			on_process(user, &report->what);
		free(report);
	}
}
