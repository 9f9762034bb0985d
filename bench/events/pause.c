/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See pause.h. Other work on the machine makes gaps, too, so gaps are also measured for as long without an attach. The
 * stages of a stop are no part of libward's interface: this is the session that libward would make, made by hand.
 */
#define _GNU_SOURCE
#include "pause.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "loader/attach/attach.h"

const char *const pause_stages[PAUSE_STAGES] = {
	[WL_ASK] = "ask each thread to stop",
	[WL_AWAIT] = "wait until each has stopped",
	[WL_LOOK] = "look where each one is",
	[WL_WRITE] = "write the code",
	[WL_LET_GO] = "let each one go",
};

struct pausing {
	struct pause *pause;
	const struct ward_buf *module;
	struct run *run;
	pid_t pid;
	struct ward_attach_options options;
	struct ward_image *image;
	struct wl_attachment a;
	struct ward_error error;
};

static double ms_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double gap_ms(const struct pausing *p)
{
	return (double)atomic_exchange(&p->run->gap, 0) / 1e6;
}

static int attach(void *arg)
{
	struct pausing *p = arg;

	return wl_attach_live(&p->a, p->pid, &p->options, &p->error);
}

static int detach(void *arg)
{
	struct pausing *p = arg;

	return wl_detach_live(&p->a, &p->error);
}

/* One of the two, and what it did to the target. */
static bool measure(struct pausing *p, int (*fn)(void *), struct pause_times *times)
{
	unsigned n = p->pause->n;

	p->a.pauses = (struct wl_pauses){0};
	gap_ms(p);
	if (wl_as_tracer(fn, p, &p->error)) {
		fprintf(stderr, "ward: %s: %s\nhint: %s\n", p->error.what, p->error.why, p->error.hint);
		return false;
	}
	times->gap[n] = gap_ms(p);
	times->busy[n] = (double)p->a.pauses.most_awake / 1e6;
	times->longest[n] = (double)p->a.pauses.most / 1e6;
	for (unsigned i = 0; i < PAUSE_STAGES; i++)
		times->stage[i][n] = (double)p->a.pauses.by_stage[i] / 1e6;
	return true;
}

static bool attach_and_detach(struct pausing *p)
{
	double before = ms_now(), took;

	if (!measure(p, attach, &p->pause->attach))
		return false;
	took = ms_now() - before;
	gap_ms(p);
	usleep((useconds_t)((took < 900 ? took : 900) * 1000));
	p->pause->plain[p->pause->n] = gap_ms(p);
	p->pause->sites = p->a.n_attached;
	return measure(p, detach, &p->pause->detach);
}

static bool begin(void *user, pid_t pid, const struct run *run)
{
	struct pausing *p = user;
	bool ok;

	p->pid = pid;
	p->run = (struct run *)run; /* to forget gaps */
	if (wl_image_verify(
		    p->module->data, p->module->size, WARD_PROFILE_USER, &p->options, NULL, 0, &p->image, &p->error)) {
		fprintf(stderr, "ward: %s: %s\n", p->error.what, p->error.why);
		return false;
	}
	wl_attachment_init(&p->a, p->image);
	ok = attach_and_detach(p);
	wl_attachment_free(&p->a);
	wl_image_free(p->image);
	return ok;
}

bool pause_round(struct pause *out, const struct place *place, const struct ward_buf *module)
{
	struct pausing p = {.pause = out, .module = module};
	struct run run = {.workload = PAUSE, .threads = out->threads};
	const struct tracer tracer = {.attach = begin, .user = &p, .program = "ward-bench-sleepers"};

	p.options = (struct ward_attach_options){
		.size = sizeof(p.options), .site = out->site ? out->site : "ward-bench-sleepers!sleepers_work"};
	if (out->n == MOST_PAUSE_ROUNDS || !run_target(place, &run, &tracer)) {
		fprintf(stderr, "ward: bench: the pause at attaching: failed\n");
		return false;
	}
	out->n++;
	return true;
}
