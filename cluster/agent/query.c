/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query on this machine: its worker, how long it may go on, and what it has sent. It ends when its time is up, when
 * no beat has come for as long as its lease, when it is cancelled, when the policy no longer allows it, or when its
 * worker fails. It is over when its last values are acknowledged, or their keep time is up.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"
#include "cgroup.h"
#include "leftovers.h"
#include "store.h"

#include "cluster/wire/refuse.h"

enum { STOP_S = 15, SILENT_S = 10, SILENT_PERIODS = 5, SAID_S = 60, MOST_MESSAGES = 64, BEATS_APART_S = 2 };

struct agent_query *agent_query_find(struct agent *a, const uint8_t *id)
{
	for (size_t i = 0; i < a->n; i++)
		if (memcmp(a->queries[i].id, id, CLUSTER_ID) == 0)
			return &a->queries[i];
	return NULL;
}

/* If there are too many, one that is over makes room. */
struct agent_query *agent_query_new(struct agent *a, const uint8_t *id)
{
	for (size_t i = 0; a->n == AGENT_QUERIES && i < a->n; i++)
		if (!a->queries[i].worker)
			agent_query_drop(a, &a->queries[i]);
	if (a->n == AGENT_QUERIES)
		return NULL;
	struct agent_query *q = &a->queries[a->n++];
	*q = (struct agent_query){.channel = {.fd = -1}, .period_ns = AGENT_SECOND, .shards = 1, .is_new = true};
	memcpy(q->id, id, CLUSTER_ID);
	return q;
}

void agent_query_drop(struct agent *a, struct agent_query *q)
{
	size_t i = (size_t)(q - a->queries);

	while (q->n_values)
		agent_value_forget(a, q, 0);
	agent_kept_free(q);
	channel_close(&q->channel);
	cluster_message_free(&q->note);
	agent_order_free(q->order);
	memmove(q, q + 1, (--a->n - i) * sizeof(*q));
}

/* ---- the worker ---- */

static void worker_begin(struct agent *a, struct agent_query *q, int fd)
{
	struct agent_worker_options o = {.config = a->config,
		.order = q->order,
		.epoch = q->epoch,
		.sessions = a->sessions,
		.fd = fd,
		.no_cgroup = a->no_cgroup};
	sigset_t none;

	agent_cgroup_enter(a, q->order->id);
	close(a->listener);
	channel_close(&a->link);
	for (size_t i = 0; i < a->n; i++)
		channel_close(&a->queries[i].channel);
	sigemptyset(&none);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
	_exit(agent_worker_run(&o));
}

/* A new epoch: its number, and that the query runs, are on the disk before the worker begins (C-47, C-62). */
bool agent_query_start(struct agent *a, struct agent_query *q, struct ward_error *err)
{
	int pair[2];

	if (!agent_epoch_next(a->state, &q->epoch, err) ||
		!agent_seen_put(a->seen, q->id, 0, AGENT_RUNS, agent_now_at(), err))
		return false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return cluster_refuse(err, "worker", NULL, "%s", strerror(errno));
	if (*a->cgroup && !agent_cgroup_make(a, q->order->id, err)) {
		close(pair[0]);
		close(pair[1]);
		return false;
	}
	pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(0);
		close(pair[0]);
		worker_begin(a, q, pair[1]);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return cluster_refuse(err, "worker", NULL, "%s", strerror(errno));
	}
	q->worker = pid;
	q->kept_next = 1;
	q->heard_ns = agent_now();
	q->stop_ns = 0;
	q->wish.windows_below = 0;
	channel_open(&q->channel, pair[0], false);
	send(pair[0], &q->wish, sizeof(q->wish), MSG_NOSIGNAL | MSG_DONTWAIT);
	q->state = WARD__CLUSTER__NOTE__STATE__ATTACHING;
	q->is_new = true;
	return true;
}

void agent_query_stop(struct agent_query *q, const char *reason, bool early)
{
	if (!q->worker || q->stop_ns)
		return;
	q->early_ns = early ? agent_now() : 0;
	q->wish.stop = 1;
	snprintf(q->wish.reason, sizeof(q->wish.reason), "%s", reason);
	q->stop_ns = agent_now();
	send(q->channel.fd, &q->wish, sizeof(q->wish), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* What the worker says. It reads what targets write, so it isn't trusted with more than its own query. */
static void worker_message(struct agent *a, struct agent_query *q, const struct channel_message *m)
{
	struct cluster_message note;

	q->heard_ns = agent_now();
	if (m->kind == CHANNEL_PART) {
		agent_value_take(a, q, &q->epoch, m->bytes, m->size, m->shard != 0);
		agent_say_value(a, q, &q->values[q->n_values - 1]);
		q->send_ns = q->heard_ns + q->period_ns;
	} else if (m->kind == CHANNEL_RECORD) {
		agent_kept_take(a, q, m->bytes, m->size);
	} else if (m->kind == CHANNEL_NOTE &&
		   cluster_message_read(&note, &ward__cluster__note__descriptor, "note", m->bytes, m->size, NULL)) {
		const Ward__Cluster__Note *n = (const Ward__Cluster__Note *)note.m;
		q->is_new |= n->state != q->state;
		q->state = n->state;
		cluster_text(n->reason.data, n->reason.len, q->reason, sizeof(q->reason));
		cluster_message_free(&q->note);
		q->note = note;
		agent_say_note(a, q);
	} else if (m->kind == CHANNEL_NOTE)
		cluster_message_free(&note);
}

void agent_query_worker(struct agent *a, struct agent_query *q)
{
	struct channel_message m;

	for (int i = 0; i < MOST_MESSAGES; i++)
		switch (channel_take(&q->channel, &m)) {
		case CHANNEL_MESSAGE: worker_message(a, q, &m); break;
		case CHANNEL_PIECE: break;
		case CHANNEL_END: channel_close(&q->channel); return; /* its end comes as a signal */
		default: return;
		}
}

static bool is_own_fault(int status)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};

	for (size_t i = 0; WIFSIGNALED(status) && i < sizeof(signals) / sizeof(*signals); i++)
		if (WTERMSIG(status) == signals[i])
			return true;
	return WIFEXITED(status) && WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 3;
}

static void query_end(struct agent *a, struct agent_query *q, enum agent_fate fate)
{
	struct ward_error why;

	q->over_ns = agent_now();
	if (!q->stop_ns) /* nobody has asked for that */
		q->early_ns = q->over_ns;
	q->is_new = true;
	if (q->state != WARD__CLUSTER__NOTE__STATE__REFUSED && q->state != WARD__CLUSTER__NOTE__STATE__GUARDED)
		q->state = WARD__CLUSTER__NOTE__STATE__ENDED;
	if (!agent_audit_end(a, q, &why))
		agent_log(3, "%s: %s", why.what, why.why);
	/* an agent that is stopped goes on when it is started again */
	if (a->is_stopping && fate == AGENT_ENDED && strcmp(q->reason, "the agent was stopped") == 0)
		return;
	if (!agent_seen_put(a->seen, q->id, 0, fate, agent_now_at(), &why))
		agent_log(3, "%s: %s", why.what, why.why);
	agent_store_remove(a->orders, q->order->id);
}

void agent_query_died(struct agent *a, struct agent_query *q, int status)
{
	struct ward_error why;
	char file[96];

	while (q->channel.fd >= 0) { /* what it has said last */
		struct channel_message m;
		enum channel_taken t = channel_take(&q->channel, &m);
		if (t == CHANNEL_MESSAGE)
			worker_message(a, q, &m);
		else if (t != CHANNEL_PIECE)
			channel_close(&q->channel);
	}
	q->worker = 0;
	bool too_much = agent_cgroup_end(a, q->order->id);
	agent_worker_file(q->order, &q->epoch, file);
	if (agent_leftovers_clean(a->sessions, file))
		agent_log(4, "query %s: something is left in its processes", q->order->id);
	for (size_t i = 0; i < q->n_values; i++) /* it will send no more of this epoch */
		if (!q->values[i].is_over) {
			q->values[i].is_over = true;
			agent_value_keep(a, q, &q->values[i]);
		}
	if (too_much) {
		snprintf(q->reason, sizeof(q->reason), "its worker needed more memory than %llu MiB (C-152)",
			(unsigned long long)a->config->limits.memory >> 20);
		query_end(a, q, AGENT_FAILED);
	} else if (is_own_fault(status)) {
		snprintf(q->reason, sizeof(q->reason), "its worker failed (%s %d)",
			WIFSIGNALED(status) ? "signal" : "status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		agent_log(3, "query %s: %s", q->order->id, q->reason);
		query_end(a, q, AGENT_FAILED);
	} else if (WIFEXITED(status))
		query_end(a, q, AGENT_ENDED);
	else if (q->stop_ns || a->is_stopping || q->restarts++ >= AGENT_RESTARTS ||
		 !agent_query_start(a, q, &why)) { /* somebody has killed it */
		snprintf(q->reason, sizeof(q->reason), "its worker was killed");
		query_end(a, q, AGENT_ENDED);
	} else
		agent_log(4, "query %s: its worker was killed; epoch %llu", q->order->id,
			(unsigned long long)q->epoch.number);
}

/* ---- time ---- */

static void worker_watch(struct agent_query *q, uint64_t now)
{
	uint64_t silent = SILENT_PERIODS * q->period_ns;

	if (silent < SILENT_S * AGENT_SECOND)
		silent = SILENT_S * AGENT_SECOND;
	if (now >= q->ends_ns)
		agent_query_stop(q, "its time was up", q->until_ns > now + BEATS_APART_S * AGENT_SECOND);
	else if (now >= q->lease_ns)
		agent_query_stop(q, "its lease has ended: no coordinator was heard", true);
	now = agent_now(); /* not before it was stopped */
	if ((q->stop_ns && now - q->stop_ns > STOP_S * AGENT_SECOND) || now - q->heard_ns > silent) {
		kill(q->worker, SIGKILL);
		q->heard_ns = now; /* once */
	}
}

bool agent_query_follow(struct agent_query *q, uint64_t term, uint64_t coordinator)
{
	bool is_newer = term > q->term || (term == q->term && coordinator > q->coordinator);

	if (!is_newer) /* C-132 */
		return term == q->term && coordinator == q->coordinator;
	for (size_t i = 0; i < q->n_values; i++) /* C-131: it may not have what was acknowledged to another one */
		q->values[i].is_got = false;
	q->term = term;
	q->coordinator = coordinator;
	return true;
}

void agent_query_got(struct agent_query *q, uint64_t epoch, uint64_t nonce)
{
	for (size_t i = 0; i < q->n_values; i++)
		if (q->values[i].is_over && q->values[i].epoch.number == epoch && q->values[i].epoch.nonce == nonce) {
			q->values[i].is_got = true;
			return;
		}
}

/* Is there a last value that nobody has for good? */
static bool values_wait(const struct agent_query *q)
{
	for (size_t i = 0; i < q->n_values; i++)
		if (q->values[i].is_over && !q->values[i].is_got)
			return true;
	return false;
}

static void query_say(struct agent *a, struct agent_query *q, uint64_t silent_ns, uint64_t now)
{
	for (size_t i = 0; i < q->n_values; i++)
		if (q->values[i].is_over && !q->values[i].is_got)
			agent_say_value(a, q, &q->values[i]);
	/* what became of it is said for as long as somebody may ask */
	if (!q->worker && (values_wait(q) || silent_ns <= SAID_S * AGENT_SECOND))
		agent_say_note(a, q);
	q->send_ns = now + (q->worker || q->period_ns > AGENT_SECOND ? q->period_ns : AGENT_SECOND);
}

void agent_query_tick(struct agent *a, struct agent_query *q)
{
	uint64_t now = agent_now(), last, keep;

	if (q->worker)
		worker_watch(q, now);
	if (q->is_new)
		agent_say_note(a, q);
	agent_kept_tick(a, q);
	last = q->over_ns > q->beat_ns ? q->over_ns : q->beat_ns;
	if (now >= q->send_ns)
		query_say(a, q, now > last ? now - last : 0, now);
	keep = q->order && (q->n_values || q->n_kept) ? q->order->order->keep_ns : SAID_S * AGENT_SECOND;
	if (!q->worker && now > last && now - last > keep)
		agent_query_drop(a, q);
}
