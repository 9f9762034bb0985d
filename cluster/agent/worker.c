/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query has a process of its own, so that a target that hangs, or a fault in the library, takes this query with it
 * and nothing else. The worker attaches to each process that the order means and the policy allows, also to those
 * that start later. Each period it sends a partial of all that was counted so far. At its end it takes the probes
 * off, and sends the last one. If the agent is gone, it ends in the same way.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"
#include "leftovers.h"
#include "policy.h"
#include "store.h"
#include "watch.h"
#include "worker_parts.h"

enum {
	LOOK_MS = 200,
	SOON_MS = 20,
	APART_MS = 100,
	EARLY_TRIES = 5,
	AT_A_LOOK = 8,
};

static volatile sig_atomic_t stop_asked;

static void stop_handler(int signal)
{
	(void)signal;
	stop_asked = 1;
}

void agent_worker_file(const struct agent_order *order, const struct agent_epoch *epoch, char name[96])
{
	snprintf(name, 96, "%s-%llu", order->id, (unsigned long long)epoch->number);
}

/* ---- targets ---- */

static bool unit_means(const struct agent_unit *u, const struct agent_process *p)
{
	char text[1025];

	for (size_t i = 0; !u->order->kernel && i < u->order->n_process; i++) {
		cluster_text(u->order->process[i].data, u->order->process[i].len, text, sizeof(text));
		if (agent_conditions_fit(text, p))
			return true;
	}
	return false;
}

/*
 * C-57: a process that executes program after program is stopped each time. How often it was, with this one; 0: not
 * now, or there is no room to remember it.
 */
static uint64_t stop_take(struct worker *w, const struct agent_process *p)
{
	uint64_t now = worker_clock(CLOCK_MONOTONIC);
	struct worker_stopped *free = NULL;

	for (size_t i = 0; i < WORKER_STOPPED; i++) {
		struct worker_stopped *s = &w->stopped[i];
		bool is_over = !s->times || now - s->since_ns > 60 * SECOND_NS;
		if (s->times && s->pid == p->pid && s->began == p->began) {
			if (is_over)
				*s = (struct worker_stopped){p->pid, p->began, now, 0};
			return s->times < w->o->order->limits.stops ? ++s->times : 0;
		}
		if (is_over && !free)
			free = s;
	}
	if (free && w->o->order->limits.stops)
		*free = (struct worker_stopped){p->pid, p->began, now, 1};
	return free && w->o->order->limits.stops ? 1 : 0;
}

/*
 * Attach a unit. The line of leftovers comes first. true: a process that has just begun may not have mapped its
 * libraries yet, so it is tried again.
 */
static bool unit_attach(struct worker *w, struct agent_sessions *s, const struct agent_process *p, uint64_t times)
{
	struct ward_error why = {0};

	w->attached_at_look++;
	if (!agent_leftovers_add(w->o->sessions, w->file, p, &why) || !agent_sessions_add(s, p, &why)) {
		snprintf(w->warning, sizeof(w->warning), "process %d: %.300s", (int)p->pid, why.why);
		/* C-97: without such a function, or gone, nothing of it is missing. */
		w->missed += why.status != WARD_E_TARGET && agent_process_lives(p);
		return why.status == WARD_E_TARGET && times < EARLY_TRIES;
	}
	if (w->sampler)
		cluster_sampler_watch(w->sampler, p->pid);
	return false;
}

/* true: ask again, there was no time for it now. */
static bool process_take(void *user, const struct agent_process *p)
{
	struct worker *w = user;
	bool again = false;

	for (size_t i = 0; i < w->o->order->n; i++) {
		struct agent_sessions *s = &w->units[i];
		if (!unit_means(s->unit, p))
			continue;
		if (!agent_policy_process(w->who, p)) { /* C-53 */
			w->left_out++;
			return false;
		}
		if (agent_sessions_has(s, p->pid)) {
			again |= !agent_sessions_is_of(s, p);
			continue;
		}
		if (w->attached_at_look >= AT_A_LOOK)
			return true;
		if (worker_processes(w) >= w->o->order->limits.processes) {
			w->missed = w->missed ? w->missed : 1;
			snprintf(w->warning, sizeof(w->warning), "there are more processes than %llu (C-57)",
				(unsigned long long)w->o->order->limits.processes);
			return true;
		}
		uint64_t times = stop_take(w, p);
		if (!times) {
			w->missed = w->missed ? w->missed : 1;
			snprintf(w->warning, sizeof(w->warning),
				"process %d would be stopped more often than %llu times a minute (C-57)", (int)p->pid,
				(unsigned long long)w->o->order->limits.stops);
			return true;
		}
		again |= unit_attach(w, s, p, times);
	}
	return again;
}

static void process_forget(void *user, pid_t pid)
{
	struct worker *w = user;

	agent_targets_forget(w->targets, pid);
	if (w->sampler)
		cluster_sampler_forget(w->sampler, pid);
}

static void targets_look(struct worker *w)
{
	bool any = false;

	w->attached_at_look = 0;
	w->looked_ns = worker_clock(CLOCK_MONOTONIC);
	for (size_t i = 0; i < w->o->order->n; i++)
		agent_sessions_poll(&w->units[i], process_forget, w);
	agent_targets_look(w->targets, process_take, w);
	for (size_t i = 0; i < w->o->order->n; i++)
		any |= w->units[i].n != 0;
	if (w->state == WARD__CLUSTER__NOTE__STATE__ATTACHING || w->state == WARD__CLUSTER__NOTE__STATE__REPORTING ||
		w->state == WARD__CLUSTER__NOTE__STATE__NO_TARGET)
		w->state = any ? WARD__CLUSTER__NOTE__STATE__REPORTING : WARD__CLUSTER__NOTE__STATE__NO_TARGET;
}

/* A program was executed: look soon, when its libraries are mapped, but not for each one of many. */
static void watch_take(struct worker *w)
{
	uint64_t soon = worker_clock(CLOCK_MONOTONIC) + SOON_MS * 1000000ull,
		 next = w->looked_ns + APART_MS * 1000000ull;
	bool any = false;
	pid_t pid;

	while (w->watch >= 0 && (pid = agent_watch_next(w->watch))) {
		any = true;
		if (pid > 0)
			agent_targets_forget(w->targets, pid);
	}
	if (soon < next)
		soon = next;
	if (any && soon < w->look_ns)
		w->look_ns = soon;
}

/* ---- the guard ---- */

/* Each second: does a process pay too much? Then this machine is out of the query, for good. */
static void guard_look(struct worker *w)
{
	bool is_suspicious = false;

	if (!w->sampler || w->state == WARD__CLUSTER__NOTE__STATE__GUARDED)
		return;
	cluster_sampler_read(w->sampler);
	w->overhead_ppm = 0;
	for (size_t i = 0; i < w->o->order->n; i++)
		for (size_t j = 0; j < w->units[i].n; j++) {
			struct agent_session *one = &w->units[i].at[j];
			struct cluster_sampler_share share = cluster_sampler_of(w->sampler, one->process.pid);
			uint64_t ppm = share.all ? share.ours * 1000000 / share.all : 0;
			enum cluster_guard_verdict v =
				one->process.pid
					? cluster_guard_second(&one->guard, (double)share.ours, (double)share.all, 1,
						  (uint32_t)w->o->order->limits.overhead_ppm)
					: GUARD_CALM;
			const char *name = strrchr(one->process.exe, '/');
			if (ppm > w->overhead_ppm) {
				w->overhead_ppm = ppm;
				cluster_text(name ? name + 1 : "", name ? strlen(name + 1) : 0, w->overhead_of,
					sizeof(w->overhead_of));
			}
			is_suspicious |= v == GUARD_SUSPICIOUS;
			if (v != GUARD_ABOVE)
				continue;
			w->state = WARD__CLUSTER__NOTE__STATE__GUARDED;
			snprintf(w->reason, sizeof(w->reason),
				"its probes took %.1f %% of the time of %s (%d), more than %.1f %%",
				cluster_guard_share(&one->guard) / 1e4, w->overhead_of, (int)one->process.pid,
				(double)w->o->order->limits.overhead_ppm / 1e4);
		}
	cluster_sampler_rate(w->sampler, is_suspicious ? SAMPLER_FAST_HZ : SAMPLER_SLOW_HZ);
}

/* ---- the loop ---- */

static void wishes_take(struct worker *w)
{
	struct agent_wish wish;
	ssize_t n;

	while ((n = recv(w->o->fd, &wish, sizeof(wish), MSG_DONTWAIT)) == (ssize_t)sizeof(wish)) {
		if (wish.beat != w->wish.beat)
			w->beat_ns = worker_clock(CLOCK_MONOTONIC);
		w->wish = wish;
		agent_windows_got(&w->windows, wish.windows_below);
	}
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) { /* the agent is gone */
		w->wish.stop = 1;
		snprintf(w->wish.reason, sizeof(w->wish.reason), "the agent has ended");
	}
}

static bool worker_open(struct worker *w, struct ward_error *err)
{
	const struct agent_order *order = w->o->order;
	enum cluster_by by;

	w->who = agent_config_coordinator(w->o->config, order->from->key.data);
	w->targets = agent_targets_open();
	w->reader = agent_reader_open(&w->o->epoch, order->limits.records);
	if (!cluster_by_of(order->order, &by, err))
		return false;
	if (!w->who || !w->targets || !w->reader)
		return cluster_refuse(err, "worker", NULL, "out of memory");
	for (size_t i = 0; i < order->n; i++) {
		struct agent_sessions *s = &w->units[i];
		if (!agent_sessions_open(s, &order->units[i], w->who, &order->limits, by, err))
			return false;
		s->number = (uint32_t)i;
		s->reader = w->reader;
		if (order->units[i].order->kernel && !agent_sessions_add(s, NULL, err))
			return false;
	}
	if (cluster_sampler_open(&w->sampler) != 0) {
		w->sampler = NULL;
		snprintf(
			w->warning, sizeof(w->warning), "what probes cost can't be measured here: %s", strerror(errno));
	} else
		cluster_sampler_rate(w->sampler, SAMPLER_SLOW_HZ);
	return true;
}

/* As agent_sessions_drain: what maps hand on, and records. */
static int units_soon(struct worker *w)
{
	int soonest = agent_reader_poll(w->reader, w->units, w->o->order->n, &w->channel);

	for (size_t i = 0; i < w->o->order->n; i++) {
		int ms = agent_sessions_drain(&w->units[i]);
		if (ms >= 0 && (soonest < 0 || ms < soonest))
			soonest = ms;
	}
	return soonest;
}

/*
 * All machines cut their windows at the same time: they send them spread over half a period, or half a window, each
 * with a delay of its own.
 */
static void window_send_soon(struct worker *w, uint64_t now)
{
	uint64_t spread = w->wish.period_ns < w->windows.length_ns ? w->wish.period_ns : w->windows.length_ns;
	uint64_t at = now + w->o->epoch.nonce % (spread / 2 + 1);

	w->send_ns = at < w->send_ns ? at : w->send_ns;
}

static void worker_loop(struct worker *w)
{
	while (!stop_asked && !w->wish.stop && w->state != WARD__CLUSTER__NOTE__STATE__GUARDED) {
		struct pollfd p[] = {{.fd = w->o->fd, .events = POLLIN}, {.fd = w->watch, .events = POLLIN}};
		uint64_t now = worker_clock(CLOCK_MONOTONIC);
		if (now >= w->look_ns) {
			targets_look(w);
			w->look_ns = now + LOOK_MS * 1000000ull;
		}
		if (now >= w->guard_ns) {
			guard_look(w);
			w->guard_ns = now + SECOND_NS;
		}
		if (now >= w->cut_ns && agent_windows_look(&w->windows, worker_clocks_now())) {
			if (worker_window_cut(w, worker_clocks_now()))
				window_send_soon(w, now);
			else
				w->cut_ns = now + LOOK_MS * 1000000ull; /* it goes on until there is memory */
		}
		if (now >= w->send_ns) {
			worker_say_parts(w, false);
			worker_say_note(w);
			w->send_ns = now + w->wish.period_ns;
		}
		uint64_t next = w->send_ns < w->look_ns ? w->send_ns : w->look_ns;
		now = worker_clock(CLOCK_MONOTONIC);
		uint64_t left = agent_windows_left(&w->windows, worker_clocks_now());
		if (now >= w->cut_ns && next > now && left < next - now)
			next = now + left;
		int wait_ms = next > now ? (int)((next - now) / 1000000 + 1) : 0, soon_ms = units_soon(w);
		poll(p, 2, soon_ms >= 0 && soon_ms < wait_ms ? soon_ms : wait_ms);
		wishes_take(w);
		watch_take(w);
	}
}

/* The probes come off first: then nothing more is counted, and what is sent is final. */
static bool worker_end(struct worker *w)
{
	struct ward_error why = {0};
	bool ok = true;

	if (w->state != WARD__CLUSTER__NOTE__STATE__GUARDED) {
		w->state = WARD__CLUSTER__NOTE__STATE__ENDED;
		snprintf(w->reason, sizeof(w->reason), "%s", stop_asked ? "the agent was stopped" : w->wish.reason);
	}
	for (size_t i = 0; i < w->o->order->n; i++)
		ok = agent_sessions_detach(&w->units[i], &why) && ok;
	if (!ok)
		snprintf(w->warning, sizeof(w->warning), "probes can't be taken off: %.300s", why.why);
	worker_say_note(w);
	if (w->windows.length_ns) {
		agent_windows_look(&w->windows, worker_clocks_now());
		(void)worker_window_cut(
			w, worker_clocks_now()); /* else the coordinator misses its events, and says so */
	}
	agent_reader_end(w->reader, w->units, w->o->order->n, &w->channel);
	worker_say_parts(w, true);
	return ok;
}

int agent_worker_run(const struct agent_worker_options *options)
{
	struct sigaction stop = {.sa_handler = stop_handler};
	struct worker *w = calloc(1, sizeof(*w));
	struct ward_error err = {0};
	int status = 0;

	prctl(PR_SET_NAME, "ward-worker");
	sigaction(SIGTERM, &stop, NULL);
	if (!w)
		return 1;
	w->o = options;
	w->began = worker_clocks_both();
	w->state = WARD__CLUSTER__NOTE__STATE__ATTACHING;
	w->watch = agent_watch_open();
	w->wish.period_ns = options->order->order->period_ns;
	channel_open(&w->channel, options->fd, false);
	agent_worker_file(options->order, &options->epoch, w->file);
	if (worker_open(w, &err)) {
		agent_windows_open(&w->windows, options->order->order->window_ns, worker_clocks_now());
		worker_loop(w);
		status = !worker_end(w);
	} else {
		w->state = WARD__CLUSTER__NOTE__STATE__REFUSED;
		snprintf(w->reason, sizeof(w->reason), "%.300s", err.why);
		worker_say_note(w);
		status = 3;
	}
	for (size_t i = 0; i < options->order->n; i++)
		if (w->units[i].unit)
			agent_sessions_close(&w->units[i]);
	agent_windows_close(&w->windows);
	if (!status)
		agent_store_remove(options->sessions, w->file);
	if (w->watch >= 0)
		close(w->watch);
	cluster_sampler_close(w->sampler);
	agent_targets_close(w->targets);
	agent_reader_close(w->reader);
	channel_close(&w->channel);
	free(w);
	return status;
}
