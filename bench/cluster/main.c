/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-cluster: what a coordinator carries.
 *
 *	ward-bench-cluster [--check | --storm | --combiners | --tree] PROGRAMS MODULE [AGENTS CONNECTIONS KEYS SECONDS]
 *
 * A NATS server with TLS on loopback, a fleet of simulated agents (fleet.c), and here a real coordinator: all partials
 * are checked on arrival, and all are merged anew each second. MODULE is keys.c, compiled. It prints the coordinator's
 * and the server's share of a processor and their memory, the time from the last agent's partial of a round to the
 * result that has it, the time from the order to the first result with all agents, and whether the last result is, to
 * the last event, what the fleet says. --check: few agents, exactness and no figures. --storm: the server is killed
 * after five seconds, and started again, empty: how long until all agents are back in the result? --combiners: one real
 * combiner (ward combine) for each connection adds them up. --tree: so many combiners are simulated, too (combiners.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cluster/coordinator/run.h"

#define SECOND 1000000000ull

enum { PATH = 200, MOST_ROUNDS = 4096, MOST_MODULE = 1 << 19, MOST_COMBINERS = 256 };

struct bench {
	char *programs;
	char dir[PATH], url[64];
	size_t agents, connections, keys, seconds;
	pid_t server, fleet, combiner[MOST_COMBINERS];
	bool combines, simulates;
	double combiners_began_cpu, combiners_cpu;
	int told; /* what the fleet prints */
	char line[1 << 12];
	size_t have;
	/* from the fleet */
	uint64_t order_us, sent_us, sent_events, last_events;
	bool all_acknowledged;
	/* figures */
	double late_ms[MOST_ROUNDS];
	size_t n_late;
	uint64_t first_ms;
	bool waits; /* for the result of the round that was sent */
	double began_cpu, cpu, server_began_cpu, server_cpu;
	uint64_t began_ns, ended_ns;
	bool measures;
	bool storms; /* the server is to be killed */
	uint64_t killed_ns, back_ms;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static struct bench *running;

static void program_stop(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void stop_all(void)
{
	char command[PATH + 16];

	for (int i = 0; i < MOST_COMBINERS; i++)
		program_stop(running->combiner[i]);
	program_stop(running->fleet);
	program_stop(running->server);
	snprintf(command, sizeof(command), "rm -rf %s", running->dir);
	if (*running->dir && system(command) != 0)
		fprintf(stderr, "ward-bench-cluster: %s stays\n", running->dir);
}

__attribute__((format(printf, 1, 2))) static _Noreturn void fail(const char *why, ...)
{
	va_list args;

	va_start(args, why);
	fputs("ward-bench-cluster: ", stderr);
	vfprintf(stderr, why, args);
	fputc('\n', stderr);
	va_end(args);
	stop_all();
	exit(1);
}

/* ---- the bus and the fleet ---- */

__attribute__((format(printf, 1, 2))) static void run(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command) != 0)
		fail("%s: failed", command);
}

/* Both ends' directory. The fleet speaks for all its agents, so it may say what any agent may. */
static void authority_make(struct bench *b, unsigned port)
{
	const char *ward = b->programs;

	strcpy(b->dir, "/tmp/ward-bench-cluster-XXXXXX");
	if (!mkdtemp(b->dir))
		fail("%s: %s", b->dir, strerror(errno));
	snprintf(b->url, sizeof(b->url), "tls://127.0.0.1:%u", port);
	run("cd %s && %s/ward cluster init --server 127.0.0.1 --listen 127.0.0.1:%u --dir %s/bus >log 2>&1", b->dir,
		ward, port, b->dir);
	run("cd %s && %s/ward cluster enrol --role coordinator alice --dir %s/bus >>log 2>&1", b->dir, ward, b->dir);
	run("cd %s && %s/ward cluster enrol --role agent fleet --dir %s/bus >>log 2>&1", b->dir, ward, b->dir);
	run("sed -i '/user: \"fleet\"/s/allow: \\[[^]]*\\]/allow: [\"ward.>\"]/g' %s/bus/users.conf", b->dir);
}

static pid_t start(struct bench *b, int output, char *const argv[])
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	int log = chdir(b->dir) == 0 ? open("log", O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
	if (log < 0 || dup2(output >= 0 ? output : log, 1) < 0 || dup2(log, 2) < 0)
		_exit(127);
	execvp(argv[0], argv);
	_exit(127);
}

static void server_start(struct bench *b)
{
	char conf[PATH + 32];

	snprintf(conf, sizeof(conf), "%s/bus/server.conf", b->dir);
	b->server = start(b, -1, (char *const[]){"nats-server", "-c", conf, NULL});
	if (b->server < 0)
		fail("nats-server: %s", strerror(errno));
}

static void fleet_start(struct bench *b)
{
	char program[PATH], creds[PATH + 32], number[3][24];
	int ends[2];

	snprintf(program, sizeof(program), "%s/%s", b->programs,
		b->simulates ? "ward-bench-combiners" : "ward-bench-fleet");
	snprintf(creds, sizeof(creds), "%s/fleet.creds", b->dir);
	snprintf(number[0], sizeof(number[0]), "%zu", b->agents);
	snprintf(number[1], sizeof(number[1]), "%zu", b->connections);
	snprintf(number[2], sizeof(number[2]), "%zu", b->keys);
	if (pipe2(ends, O_CLOEXEC) != 0)
		fail("pipe: %s", strerror(errno));
	b->fleet = start(b, ends[1], (char *const[]){program, b->url, creds, number[0], number[1], number[2], NULL});
	close(ends[1]);
	b->told = ends[0];
	fcntl(b->told, F_SETFL, O_NONBLOCK);
}

static void combiners_start(struct bench *b, const struct cluster_secret *secret)
{
	char program[PATH], creds[PATH + 32], name[24], key[CLUSTER_KEY_TEXT];

	if (b->connections > MOST_COMBINERS)
		fail("at most %d combiners", MOST_COMBINERS);
	snprintf(program, sizeof(program), "%s/ward", b->programs);
	snprintf(creds, sizeof(creds), "%s/fleet.creds", b->dir);
	cluster_key_print(&secret->key, key);
	for (size_t i = 0; i < b->connections; i++) {
		snprintf(name, sizeof(name), "sum%zu", i);
		b->combiner[i] = start(b, -1,
			(char *const[]){program, "combine", "--cluster", b->url, "--creds", creds, "--cluster-name",
				"ward", "--name", name, "--coordinator", key, NULL});
	}
}

/* ---- what the fleet says ---- */

static void line_take(struct bench *b, const char *line)
{
	uint64_t t = 0, round = 0, events = 0;

	if (sscanf(line, "order %" SCNu64, &t) == 1)
		b->order_us = t;
	else if (sscanf(line, "sent %" SCNu64 " %" SCNu64 " %" SCNu64, &t, &round, &events) == 3) {
		b->sent_us = t;
		b->sent_events = events;
		b->waits = true;
	} else if (sscanf(line, "got %" SCNu64 " %" SCNu64, &t, &events) == 2) {
		b->last_events = events;
		b->all_acknowledged = true;
	}
}

static bool fleet_read(struct bench *b, const char *until)
{
	ssize_t got;
	char *end;
	bool met = false;

	while ((got = read(b->told, b->line + b->have, sizeof(b->line) - 1 - b->have)) > 0) {
		b->have += (size_t)got;
		b->line[b->have] = 0;
		while ((end = strchr(b->line, '\n'))) {
			*end = 0;
			met |= until && strncmp(b->line, until, strlen(until)) == 0;
			line_take(b, b->line);
			b->have -= (size_t)(end + 1 - b->line);
			memmove(b->line, end + 1, b->have + 1);
		}
	}
	if (got == 0 && !b->all_acknowledged)
		fail("the fleet has ended; see %s/log", b->dir);
	return met;
}

/* ---- the coordinator ---- */

static double cpu_own(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static double cpu_of(pid_t pid)
{
	char path[40];
	unsigned long user = 0, system = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *f = fopen(path, "re");
	if (!f || fscanf(f, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
		fail("%s can't be read", path);
	fclose(f);
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double cpu_of_combiners(const struct bench *b)
{
	double cpu = 0;

	for (size_t i = 0; b->combines && i < b->connections; i++)
		cpu += cpu_of(b->combiner[i]);
	return cpu;
}

static double memory_of(pid_t pid, const char *what)
{
	char path[40], line[200];
	double kb = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, what, strlen(what)) == 0)
			kb = strtod(line + strlen(what) + 1, NULL);
	if (f)
		fclose(f);
	return kb / 1024;
}

static struct cluster_now both_clocks(void)
{
	return (struct cluster_now){now_ns(CLOCK_MONOTONIC), now_ns(CLOCK_REALTIME)};
}

static uint64_t total_events(cluster_run *run)
{
	struct cluster_total total;
	struct ward_error err;
	uint64_t events;

	if (cluster_run_total(run, 0, NULL, &total, &err))
		fail("%s: %s", err.what, err.why);
	events = ward_partial_notes(total.partial).events;
	cluster_total_free(&total);
	return events;
}

/* Has the result all that was sent in this round? */
static void round_look(struct bench *b, uint64_t events)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC);

	if (!b->waits || events < b->sent_events)
		return;
	b->waits = false;
	if (!b->first_ms)
		b->first_ms = (now / 1000 - b->order_us) / 1000;
	else if (b->killed_ns && !b->back_ms)
		b->back_ms = (now - b->killed_ns) / 1000000;
	else if (b->n_late < MOST_ROUNDS)
		b->late_ms[b->n_late++] = (double)(now / 1000 - b->sent_us) / 1000;
}

static void measure(struct bench *b, bool begin)
{
	if (begin) {
		b->began_cpu = cpu_own();
		b->server_began_cpu = cpu_of(b->server);
		b->combiners_began_cpu = cpu_of_combiners(b);
		b->began_ns = now_ns(CLOCK_MONOTONIC);
	} else {
		b->cpu = cpu_own() - b->began_cpu;
		b->server_cpu = cpu_of(b->server) - b->server_began_cpu;
		b->combiners_cpu = cpu_of_combiners(b) - b->combiners_began_cpu;
		b->ended_ns = now_ns(CLOCK_MONOTONIC);
	}
	b->measures = begin;
}

/* A result is made once a second, as a table is drawn; and when a round is complete, which ends its delay. */
static void coordinate(struct bench *b, bus *bus, cluster_run *run)
{
	uint64_t next = 0, begun = now_ns(CLOCK_MONOTONIC);
	struct bus_state state;
	struct ward_error err;

	while (cluster_run_phase(run) < CLUSTER_OVER) {
		bus_get_state(bus, &state);
		struct pollfd polls[] = {{.fd = state.fd, .events = POLLIN}, {.fd = b->told, .events = POLLIN}};
		poll(polls, b->all_acknowledged ? 1 : 2, 50);
		if (cluster_run_step(run, both_clocks(), &err))
			fail("%s: %s", err.what, err.why);
		if (!b->all_acknowledged)
			fleet_read(b, NULL);
		uint64_t now = now_ns(CLOCK_MONOTONIC);
		bus_get_state(bus, &state);
		if (now >= next || (b->waits && !state.waiting)) {
			round_look(b, total_events(run));
			next = now + SECOND;
		}
		if (b->storms && !b->killed_ns && now > begun + 5 * SECOND) {
			kill(b->server, SIGKILL);
			waitpid(b->server, NULL, 0);
			b->waits = false;
			b->killed_ns = now_ns(CLOCK_MONOTONIC);
			server_start(b);
		}
		if (!b->storms && !b->measures && !b->ended_ns && now > begun + 3 * SECOND)
			measure(b, true);
		if (b->measures && now > begun + (b->seconds - 1) * SECOND)
			measure(b, false);
	}
}

static cluster_run *query_begin(struct bench *b, bus *bus, const struct cluster_secret *secret, const char *path)
{
	static char module[MOST_MODULE];
	static const char *const processes[] = {"exe=/usr/bin/none"};
	struct cluster_run_unit unit = {.variant = {{.module = module}}, .n_variants = 1, .processes = {processes, 1}};
	struct cluster_run_options options = {.cluster = "ward",
		.issuer = "alice",
		.selector = "",
		.most = UINT64_MAX,
		.late = true,
		.unit = &unit,
		.n_units = 1,
		.duration_ns = b->seconds * SECOND,
		.lease_ns = 60 * SECOND,
		.period_ns = SECOND,
		.keep_ns = 600 * SECOND,
		.shards = b->combines || b->simulates ? (uint32_t)(b->connections > 1 ? b->connections : 2) : 1,
		.grace_ns = 20 * SECOND};
	struct ward_error err;
	cluster_run *run;
	FILE *f = fopen(path, "re");

	unit.variant[0].size = f ? fread(module, 1, sizeof(module), f) : 0;
	if (f)
		fclose(f);
	if (!unit.variant[0].size)
		fail("%s: can't be read", path);
	if (cluster_run_begin(
		    bus, secret, &options, open(b->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), both_clocks(), &run, &err))
		fail("%s: %s", err.what, err.why);
	return run;
}

/* ---- figures ---- */

static int number_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void show(struct bench *b)
{
	double wall = (double)(b->ended_ns - b->began_ns) / 1e9;

	qsort(b->late_ms, b->n_late, sizeof(*b->late_ms), number_compare);
	printf("%6zu agents, %3zu connections, %4zu keys: coordinator %2.0f %% of a processor, %2.0f MB; ", b->agents,
		b->connections, b->keys, 100 * b->cpu / wall, memory_of(getpid(), "VmHWM"));
	if (b->combines)
		printf("%zu combiners %2.0f %%, %2.0f MB each; ", b->connections, 100 * b->combiners_cpu / wall,
			memory_of(b->combiner[0], "VmHWM"));
	printf("server %2.0f %%, %3.0f MB; result %2.0f ms (most %2.0f ms) after the last input; ",
		100 * b->server_cpu / wall, memory_of(b->server, "VmRSS"), b->n_late ? b->late_ms[b->n_late / 2] : 0,
		b->n_late ? b->late_ms[b->n_late - 1] : 0);
	printf("all of them in the table %" PRIu64 " ms after the order\n", b->first_ms);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	bool check = argc > 1 && strcmp(argv[1], "--check") == 0, storms = argc > 1 && strcmp(argv[1], "--storm") == 0;
	struct bench b = {.agents = 50, .connections = 2, .keys = 20, .seconds = 6};
	struct bus_nats_options options = {.urls = (const char *const[]){b.url}, .n_urls = 1, .wait_ms = 10000};
	struct cluster_secret secret;
	struct ward_error err;
	char path[PATH + 32];
	bus *bus;

	bool plain = argc > 1 && strncmp(argv[1], "--", 2) != 0;
	b.storms = storms;
	b.combines = argc > 1 && strcmp(argv[1], "--combiners") == 0;
	b.simulates = argc > 1 && strcmp(argv[1], "--tree") == 0;
	argv += !plain;
	argc -= !plain;
	if (argc != 3 && argc != 7)
		return 2;
	running = &b;
	b.programs = realpath(argv[1], NULL);
	if (!b.programs)
		fail("%s: %s", argv[1], strerror(errno));
	if (argc == 7) {
		b.agents = strtoul(argv[3], NULL, 10);
		b.connections = strtoul(argv[4], NULL, 10);
		b.keys = strtoul(argv[5], NULL, 10);
		b.seconds = strtoul(argv[6], NULL, 10);
	}
	authority_make(&b, 20000 + (unsigned)getpid() % 20000);
	server_start(&b);
	snprintf(path, sizeof(path), "%s/alice.creds", b.dir);
	options.creds = path;
	if (bus_nats_open(&options, &bus, &err))
		fail("%s: %s", err.what, err.why);
	snprintf(path, sizeof(path), "%s/alice.key", b.dir);
	if (!cluster_secret_load(&secret, path, &err))
		fail("%s: %s", err.what, err.why);
	if (b.combines)
		combiners_start(&b, &secret);
	fleet_start(&b);
	while (!fleet_read(&b, "ready"))
		usleep(1000);
	cluster_run *run = query_begin(&b, bus, &secret, argv[2]);
	coordinate(&b, bus, run);
	for (int tries = 0; tries < 500 && !b.all_acknowledged; tries++) {
		fleet_read(&b, NULL);
		usleep(10000);
	}
	uint64_t events = total_events(run);
	struct bus_state state;
	bus_get_state(bus, &state);
	if (storms && b.back_ms)
		printf("%zu agents on %zu connections: all were back %.1f s after the server was killed; it took %.0f "
		       "MB\n",
			b.agents, b.connections, (double)b.back_ms / 1000, memory_of(b.server, "VmRSS"));
	else if (storms)
		fail("not all agents came back");
	else if (!check)
		show(&b);
	if (!b.all_acknowledged || events != b.last_events || state.dropped)
		fail("the result has %" PRIu64 " events, the fleet %" PRIu64 "; %s; %" PRIu64 " messages were dropped",
			events, b.last_events, b.all_acknowledged ? "all acknowledged" : "not all acknowledged",
			state.dropped);
	printf("%" PRIu64 " events of %zu agents: exact, none lost\n", events, b.agents);
	cluster_run_free(run);
	bus_close(bus);
	stop_all();
	free(b.programs);
	return 0;
}
