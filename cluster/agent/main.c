/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-agent: decides which orders of coordinators are carried out on this machine, and watches over the workers that
 * do it. It has no network: all that comes is bytes that ward-agent-link hands on, and whose signature it checks.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"
#include "cgroup.h"
#include "check.h"
#include "leftovers.h"
#include "link_program.h"
#include "store.h"

#include "cluster/base/error.h"
#include "cluster/base/notify.h"
#include "cluster/wire/refuse.h"

enum { TICK_MS = 100, MOST_PACKETS = 256, STOP_TICKS = 200, LOCK_TRIES = 100, USAGE = 2 };
#define HELLO_NS (30 * AGENT_SECOND)

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * AGENT_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t agent_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t agent_now_at(void)
{
	return clock_ns(CLOCK_REALTIME);
}

/* The journal takes a level in front of a line. */
void agent_log(int level, const char *text, ...)
{
	char line[1024];
	va_list args;

	va_start(args, text);
	vsnprintf(line, sizeof(line), text, args);
	va_end(args);
	cluster_clean(line);
	if (getenv("JOURNAL_STREAM"))
		fprintf(stderr, "<%d>", level);
	fprintf(stderr, "ward: agent: %s\n", line);
}

int agent_exit_status(int status)
{
	return status == WARD_E_USAGE ? USAGE : 3;
}

static int error_print(const struct ward_error *err)
{
	fprintf(stderr, "ward: %s: %s\n", err->what, err->why);
	if (*err->hint)
		fprintf(stderr, "hint: %s\n", err->hint);
	return agent_exit_status(err->status);
}

/* ---- what it needs ---- */

static bool directory_make(char *path, const char *in, const char *name, struct ward_error *err)
{
	if (snprintf(path, AGENT_PATH, "%s/%s", in, name) >= AGENT_PATH)
		return cluster_refuse(err, in, NULL, "the path is too long");
	return agent_store_directory(path, err);
}

/*
 * One agent for a state directory: two would take the same order. The file stays open, in workers, too: those of an
 * agent that was killed take their probes off before the next one begins.
 */
static bool state_lock(const struct agent *a, struct ward_error *err)
{
	const struct timespec moment = {.tv_nsec = 100000000};
	char path[AGENT_PATH + 16];

	snprintf(path, sizeof(path), "%s/lock", a->state);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		nanosleep(&moment, NULL);
	}
	return cluster_refuse(err, path, NULL, "%s", fd >= 0 ? "another ward-agent is running" : strerror(errno));
}

/* Anybody may connect; whose connection is taken, link_accept decides. So this needs no right to give files away. */
static bool link_listen(struct agent *a, const char *user, struct ward_error *err)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct passwd *link = getpwnam(user ? user : AGENT_LINK_USER);

	if (user && !link)
		return cluster_refuse(err, user, NULL, "there is no such user");
	a->link_user = link ? link->pw_uid : geteuid();
	if (snprintf(at.sun_path, sizeof(at.sun_path), "%s/link", a->run) >= (int)sizeof(at.sun_path))
		return cluster_refuse(err, a->run, NULL, "the path is too long");
	unlink(at.sun_path);
	a->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (a->listener < 0 || bind(a->listener, (struct sockaddr *)&at, sizeof(at)) != 0 ||
		listen(a->listener, 4) != 0 || chmod(at.sun_path, 0666) != 0)
		return cluster_refuse(err, at.sun_path, NULL, "%s", strerror(errno));
	return true;
}

static bool directory_is_none(const char *path, struct ward_error *err)
{
	return cluster_refuse(err, path, NULL, "it can't be made: %s", strerror(errno));
}

static bool agent_open(struct agent *a, const char *user, struct ward_error *err)
{
	char audit[AGENT_PATH];

	if (sodium_init() < 0)
		return cluster_refuse(err, "agent", NULL, "libsodium finds no source of random numbers");
	randombytes_buf(&a->nonce, sizeof(a->nonce));
	a->hello_period_ns = HELLO_NS;
	snprintf(audit, sizeof(audit), "%s/audit.jsonl", a->log);
	return agent_config_load(a->config_path, &a->config, err) && agent_here_read(a, err) &&
	       agent_store_directory(a->state, err) && agent_store_directory(a->log, err) &&
	       directory_make(a->sessions, a->state, "sessions", err) &&
	       directory_make(a->orders, a->state, "queries", err) &&
	       directory_make(a->values, a->state, "values", err) && state_lock(a, err) &&
	       agent_seen_open(a->state, agent_now_at(), &a->seen, err) && agent_audit_open(audit, &a->audit, err) &&
	       (!a->creds || mkdir(a->run, 0755) == 0 || errno == EEXIST || directory_is_none(a->run, err)) &&
	       link_listen(a, user, err);
}

/* ---- events ---- */

/* The link that came last is the link: the one before is gone, or soon will be. */
static void link_accept(struct agent *a)
{
	int fd = accept4(a->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer = {.uid = (uid_t)-1};
	socklen_t n = sizeof(peer);

	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0 ||
		(peer.uid != a->link_user && peer.uid != geteuid())) {
		agent_log(4, "user %u is not the link's", (unsigned)peer.uid);
		close(fd);
		return;
	}
	channel_close(&a->link);
	channel_open(&a->link, fd, true);
	a->is_connected = false;
	agent_say_settings(a);
}

static void link_take(struct agent *a)
{
	struct channel_message m;

	for (int i = 0; i < MOST_PACKETS; i++)
		switch (channel_take(&a->link, &m)) {
		case CHANNEL_PIECE: break;
		case CHANNEL_NOTHING: return;
		case CHANNEL_END:
			channel_close(&a->link);
			a->is_connected = false;
			return;
		case CHANNEL_MESSAGE:
			if (m.kind == CHANNEL_SIGNED)
				agent_take_signed(a, m.bytes, m.size);
			else if (m.size && *(const unsigned char *)m.bytes) {
				/* connected, perhaps anew: say all at once */
				a->is_connected = true;
				a->hello_ns = 0;
				for (size_t q = 0; q < a->n; q++) {
					a->queries[q].is_new = true;
					agent_kept_again(&a->queries[q]);
				}
			}
		}
}

/* SIGHUP: what the new configuration doesn't allow any more ends. A wrong one changes nothing. */
static void config_reload(struct agent *a)
{
	struct agent_config *fresh = NULL;
	struct ward_error why = {0};

	if (!agent_config_load(a->config_path, &fresh, &why)) {
		agent_log(3, "the configuration stays as it was: %s: %s", why.what, why.why);
		return;
	}
	struct agent_config *before = a->config;
	a->config = fresh;
	if (!agent_here_read(a, &why)) {
		agent_log(3, "the configuration stays as it was: %s: %s", why.what, why.why);
		a->config = before;
		agent_here_read(a, NULL); /* as it was */
		agent_config_free(fresh);
		return;
	}
	agent_config_free(before);
	a->n_speakers = 0;
	for (size_t i = 0; i < a->n; i++) {
		struct agent_query *q = &a->queries[i];
		char reason[120];
		if (!q->worker || agent_order_allowed(a->config, q->order, &why))
			continue;
		snprintf(reason, sizeof(reason), "the policy has changed: %.90s", why.why);
		agent_query_stop(q, reason, true);
	}
	if (a->link_pid > 0)
		kill(a->link_pid, SIGTERM); /* the next one reads its credentials anew */
	agent_say_settings(a);
	a->hello_ns = 0;
}

static void children_wait(struct agent *a)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (agent_link_died(a, pid, status))
			continue;
		for (size_t i = 0; i < a->n; i++)
			if (a->queries[i].worker == pid) {
				agent_query_died(a, &a->queries[i], status);
				break;
			}
	}
}

static void signals_take(struct agent *a, int fd)
{
	struct signalfd_siginfo s;

	while (read(fd, &s, sizeof(s)) == (ssize_t)sizeof(s)) {
		if (s.ssi_signo == SIGCHLD)
			children_wait(a);
		else if (s.ssi_signo == SIGHUP)
			config_reload(a);
		else
			a->is_stopping = true;
	}
}

static void tick(struct agent *a)
{
	agent_link_tick(a);
	if (a->is_connected && agent_now() >= a->hello_ns)
		agent_say_hello(a);
	for (size_t i = a->n; i > 0; i--) /* a query may be dropped */
		agent_query_tick(a, &a->queries[i - 1]);
	cluster_notify("WATCHDOG=1");
}

static int signals_open(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void events_wait(struct agent *a, int signals)
{
	struct pollfd p[3 + AGENT_QUERIES] = {{.fd = signals, .events = POLLIN}, {.fd = a->listener, .events = POLLIN},
		{.fd = a->link.fd, .events = POLLIN}};
	size_t n = a->n;

	for (size_t i = 0; i < n; i++)
		p[3 + i] = (struct pollfd){.fd = a->queries[i].channel.fd, .events = POLLIN};
	if (poll(p, (nfds_t)(3 + n), TICK_MS) <= 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (p[3 + i].revents)
			agent_query_worker(a, &a->queries[i]);
	if (p[2].revents)
		link_take(a);
	if (p[1].revents)
		link_accept(a);
	if (p[0].revents)
		signals_take(a, signals);
}

static bool any_worker(const struct agent *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->queries[i].worker)
			return true;
	return false;
}

static int agent_run(struct agent *a)
{
	int signals = signals_open();
	size_t left = agent_leftovers_clean(a->sessions, NULL);

	if (left)
		agent_log(4, "an agent before this one has left something in %zu files of processes", left);
	agent_cgroup_open(a);
	agent_resume(a);
	cluster_notify("READY=1");
	agent_log(6, "%s: %zu coordinator%s, cluster %s", a->host, a->config->n_coordinators,
		a->config->n_coordinators == 1 ? "" : "s", a->config->cluster);
	while (!a->is_stopping) {
		events_wait(a, signals);
		tick(a);
	}
	cluster_notify("STOPPING=1");
	for (size_t i = 0; i < a->n; i++)
		if (a->queries[i].worker)
			kill(a->queries[i].worker, SIGTERM);
	for (int i = 0; i < STOP_TICKS && any_worker(a); i++) {
		events_wait(a, signals);
		tick(a);
	}
	close(signals);
	return 0;
}

static void agent_close(struct agent *a)
{
	while (a->n) {
		struct agent_query *q = &a->queries[a->n - 1];
		for (size_t i = 0; i < q->n_values; i++)
			free(q->values[i].bytes); /* the files stay */
		q->n_values = 0;
		agent_query_drop(a, q);
	}
	channel_close(&a->link);
	agent_link_stop(a);
	agent_cgroup_close(a);
	if (a->listener >= 0)
		close(a->listener);
	agent_audit_close(a->audit);
	agent_seen_close(a->seen);
	agent_config_free(a->config);
}

/* ---- the command line ---- */

static const char help[] =
	"usage: ward-agent [OPTION]...\n"
	"Carry out coordinators' orders on this machine, as its configuration allows.\n"
	"\n"
	"  --config FILE     whose orders are taken, and what they may be (default: /etc/ward/agent.conf)\n"
	"  --state DIR       what is kept over a restart (default: /var/lib/ward)\n"
	"  --log DIR         the audit, audit.jsonl (default: /var/log/ward)\n"
	"  --run DIR         where ward-agent-link connects (default: /run/ward)\n"
	"  --link-user NAME  the user of ward-agent-link (default: ward-link, if there is one)\n"
	"  --link            start ward-agent-link, too, where no service manager does\n"
	"  --creds FILE      its credentials, for --link and --check (default: /etc/ward/bus.creds)\n"
	"  --check           say all that is wrong with the configuration, the machine and the way to the bus, and\n"
	"                    what coordinators may; change nothing\n"
	"  -h, --help        this help\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {{"config", required_argument, NULL, 'c'},
		{"state", required_argument, NULL, 's'}, {"log", required_argument, NULL, 'l'},
		{"run", required_argument, NULL, 'r'}, {"link-user", required_argument, NULL, 'u'},
		{"link", no_argument, NULL, 'n'}, {"creds", required_argument, NULL, 'b'},
		{"check", no_argument, NULL, 'k'}, {"help", no_argument, NULL, 'h'}, {0}};
	static struct agent a = {.config_path = "/etc/ward/agent.conf",
		.state = "/var/lib/ward",
		.log = "/var/log/ward",
		.run = "/run/ward",
		.listener = -1,
		.link = {.fd = -1}};
	const char *user = NULL, *creds = AGENT_CREDS;
	struct ward_error err = {0};
	bool check = false, link = false;
	int option, status;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		switch (option) {
		case 'c': a.config_path = optarg; break;
		case 's': a.state = optarg; break;
		case 'l': a.log = optarg; break;
		case 'r': a.run = optarg; break;
		case 'u': user = optarg; break;
		case 'n': link = true; break;
		case 'b': creds = optarg; break;
		case 'k': check = true; break;
		case 'h': fputs(help, stdout); return 0;
		default: fprintf(stderr, "hint: see ward-agent --help\n"); return USAGE;
		}
	if (optind < argc) {
		fprintf(stderr, "ward: agent: unexpected argument '%s'\nhint: see ward-agent --help\n", argv[optind]);
		return USAGE;
	}
	a.creds = link ? creds : NULL;
	if (check)
		status = agent_check(&a, user, creds);
	else
		status = agent_open(&a, user, &err) ? agent_run(&a) : error_print(&err);
	agent_close(&a);
	return status;
}
