/* SPDX-License-Identifier: Apache-2.0 */
/* See pause.h. Other work on the machine makes gaps, too, so gaps are also measured for as long without an attach. */
#define _GNU_SOURCE
#include "pause.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "ward/ward.h"

struct pausing {
	struct pause *pause;
	const struct ward_buf *module;
	ward_session *session;
};

static uint64_t us_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static double gap_ms(const struct run *run)
{
	return (double)atomic_load(&((struct run *)run)->gap) / 1e6;
}

static void forget_gap(const struct run *run)
{
	atomic_store(&((struct run *)run)->gap, 0);
}

static bool begin(void *user, pid_t pid, const struct run *run)
{
	struct pausing *p = user;
	struct ward_attach_options options = {.size = sizeof(options), .site = "libsqlite3.so.0*!*"};
	struct ward_session_stats stats;
	struct ward_error error = {0};
	unsigned n = p->pause->n;

	forget_gap(run);
	uint64_t before = us_now();
	if (ward_attach(pid, p->module->data, p->module->size, &options, &p->session, &error)) {
		fprintf(stderr, "ward: %s: %s\nhint: %s\n", error.what, error.why, error.hint);
		return false;
	}
	p->pause->traced_ms[n] = gap_ms(run);
	uint64_t took = us_now() - before;
	forget_gap(run);
	usleep((useconds_t)(took < 900000 ? took : 900000));
	p->pause->plain_ms[n] = gap_ms(run);
	ward_session_stats(p->session, &stats);
	p->pause->sites = stats.sites;
	return true;
}

static bool end(void *user, const struct run *run)
{
	struct pausing *p = user;

	(void)run;
	ward_session_free(p->session);
	return true;
}

bool pause_round(struct pause *out, const struct place *place, const struct ward_buf *module)
{
	struct pausing p = {.pause = out, .module = module};
	struct run run = {.workload = PAUSE};
	const struct tracer tracer = {.attach = begin, .detach = end, .user = &p};

	if (out->n == MOST_PAUSE_ROUNDS || !run_target(place, &run, &tracer)) {
		fprintf(stderr, "ward: bench: the pause at attaching: failed\n");
		return false;
	}
	out->n++;
	return true;
}
