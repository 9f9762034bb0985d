/* SPDX-License-Identifier: Apache-2.0 */
/* See every.h. Both copies of sqlite share the C library, so a process that isn't traced at all is the comparison. */
#include "every.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ward/ward.h"

struct tracing {
	struct every *every;
	const struct ward_buf *module;
	ward_session *session;
};

static double ms_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void count_site(void *user, const struct ward_site_report *report)
{
	struct every *e = user;

	if (report->reason)
		e->skipped++;
	else
		e->sites++;
}

static bool begin(void *user, pid_t pid, const struct run *run)
{
	struct tracing *t = user;
	struct ward_attach_options options = {.size = sizeof(options), .on_site = count_site, .user = t->every};
	struct ward_error error = {0};
	double before = ms_now();

	(void)run;
	t->every->sites = t->every->skipped = 0;
	if (ward_attach(pid, t->module->data, t->module->size, &options, &t->session, &error)) {
		fprintf(stderr, "ward: %s: %s\nhint: %s\n", error.what, error.why, error.hint);
		return false;
	}
	t->every->attach_ms[t->every->n] = ms_now() - before;
	return true;
}

static bool end(void *user, const struct run *run)
{
	struct tracing *t = user;
	struct ward_session_stats stats;

	(void)run;
	if (!t->session)
		return false;
	ward_session_stats(t->session, &stats);
	ward_session_free(t->session);
	t->every->events = stats.events;
	return stats.events > 0 && stats.dropped == 0;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

bool every_round(
	struct every *e, const struct place *place, const struct ward_buf *module, uint64_t calls, uint32_t repetitions)
{
	struct run plain = {.workload = SQLITE, .more = true, .repetitions = repetitions, .calls = calls},
		   traced = plain;
	struct tracing t = {.every = e, .module = module};
	const struct tracer nobody = {0}, tracer = {.attach = begin, .detach = end, .user = &t};
	unsigned middle = repetitions / 2;

	if (e->n == MOST_EVERY_ROUNDS || !run_target(place, &plain, &nobody) || !run_target(place, &traced, &tracer)) {
		fprintf(stderr, "ward: bench: every function at once: failed\n");
		return false;
	}
	qsort(plain.traced, repetitions, sizeof(double), ascending);
	qsort(traced.traced, repetitions, sizeof(double), ascending);
	e->plain_ns[e->n] = plain.traced[middle] / (double)e->events * (2 * repetitions + 2);
	e->added_ns[e->n] = (traced.traced[middle] - plain.traced[middle]) / (double)e->events * (2 * repetitions + 2);
	e->ratio[e->n++] = traced.traced[middle] / plain.traced[middle];
	return true;
}
