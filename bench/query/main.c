/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-query: what a query's probe costs beside the same probe written by hand.
 *
 *	ward-bench-query [--check] PROGRAMS HAND
 *
 * The target of ward-bench-events calls an untraced function and its traced twin in turn. Each query has a probe by
 * hand in HAND. Both take turns in each round, each with a process of its own; a figure is the median over the rounds
 * of ns added to a call, of the thread's own processor time. A query's probe is to be within 10 %, or 1 ns, of the
 * other. --check: one short round, all calls counted; no times.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/events/tracers.h"
#include "query/query.h"
#include "ward/ward.h"

enum { ROUNDS = 9, REPETITIONS = 21 };

#define SITE "\"ward-bench-target!traced_push\""

static const struct {
	const char *name; /* of the probe by hand, too */
	const char *text;
} queries[] = {
	{"count", "Function(" SITE ").Count()"},
	{"filter", "Function(" SITE ").Where(arg0 > 1099511627776).Count()"},
	{"histogram", "Function(" SITE ").Hist(arg0)"},
	{"stat", "Function(" SITE ").Stat(arg0)"},
	{"by-key", "Function(" SITE ").CountBy(arg0 & 15)"},
	{"stat-by-caller", "Function(" SITE ").GroupBy(caller).Stat(arg0)"},
	{"latency", "Return(" SITE ").Hist(elapsed)"},
	{"records", "Function(" SITE ").Where((arg0 & 1023) == 0).Select(arg0)"},
};
enum { QUERIES = sizeof(queries) / sizeof(queries[0]) };

enum { GENERATED, BY_HAND, WAYS };

struct bench {
	struct place place;
	const char *hand;
	bool check;
	struct ward_buf modules[QUERIES][WAYS];
	double added[QUERIES][WAYS][ROUNDS];
};

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(const double *samples, size_t n)
{
	double sorted[MOST_REPETITIONS];

	memcpy(sorted, samples, n * sizeof(*samples));
	qsort(sorted, n, sizeof(*sorted), ascending);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* ---- probes ---- */

static void say(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

static bool compile_query(const char *text, struct ward_buf *module)
{
	struct ward_cc_options options = {.diag = say};
	struct query_options how = {.now = 1, .now_counts = 1, .rate = 2000};
	struct query_error err;
	struct query *q = query_compile(text, strlen(text), &how, &err);
	int fd = memfd_create("query.c", 0);
	char path[40];
	bool done;

	if (!q) {
		query_error_print("query", text, strlen(text), &err, stderr);
		return false;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	done = fd >= 0 && write(fd, query_probe(q), strlen(query_probe(q))) == (ssize_t)strlen(query_probe(q)) &&
	       ward_cc(path, &options, module) == 0;
	close(fd);
	query_free(q);
	return done;
}

static bool compile_all(struct bench *b)
{
	struct ward_cc_options options = {.diag = say};
	char path[400];

	for (size_t i = 0; i < QUERIES; i++) {
		snprintf(path, sizeof(path), "%s/%s.c", b->hand, queries[i].name);
		if (!compile_query(queries[i].text, &b->modules[i][GENERATED]) ||
			ward_cc(path, &options, &b->modules[i][BY_HAND]) != 0)
			return false;
	}
	return true;
}

/* ---- what they cost ---- */

/* The probe names its site itself. */
static bool attach(void *user, pid_t pid, const struct run *run)
{
	struct ward_probe *p = user;
	struct ward_attach_options options = {.size = sizeof(options)};
	struct ward_error error = {0};

	(void)run;
	if (ward_attach(pid, p->module->data, p->module->size, &options, &p->session, &error) == 0)
		return true;
	fprintf(stderr, "ward: %s: %s\n", error.what, error.why);
	return false;
}

static bool measure(struct bench *b, size_t query, unsigned way, unsigned round)
{
	struct run run = {.workload = LOOP,
		.entry = PUSH,
		.repetitions = b->check ? 2 : REPETITIONS,
		.calls = b->check ? 4000 : 200000};
	struct ward_probe probe = {.module = &b->modules[query][way], .events_per_call = 1};
	struct tracer tracer = {.attach = attach, .detach = ward_end, .user = &probe};

	if (!run_target(&b->place, &run, &tracer) || probe.dropped) {
		fprintf(stderr, "ward: bench: %s: failed\n", queries[query].name);
		return false;
	}
	b->added[query][way][round] = median(run.traced, run.repetitions) - median(run.plain, run.repetitions);
	return true;
}

static bool measure_all(struct bench *b)
{
	for (unsigned round = 0; round < (b->check ? 1 : ROUNDS); round++)
		for (size_t i = 0; i < QUERIES; i++)
			for (unsigned k = 0; k < WAYS; k++)
				/* in turn the first one */
				if (!measure(b, i, (k + round) % WAYS, round))
					return false;
	return true;
}

/* ---- the table ---- */

static void print_table(const struct bench *b)
{
	printf("What a query's probe adds to a call, beside the same probe by hand: medians of %d rounds in which both "
	       "take turns; ns of the thread's own processor time.\n\n%-16s %9s %9s %7s  %s\n",
		ROUNDS, "query", "generated", "by hand", "ratio", "within 10 % or 1 ns");
	for (size_t i = 0; i < QUERIES; i++) {
		double generated = median(b->added[i][GENERATED], ROUNDS), hand = median(b->added[i][BY_HAND], ROUNDS);
		bool near = generated <= hand * 1.1 || generated - hand <= 1;

		printf("%-16s %9.2f %9.2f %7.2f  %s\n", queries[i].name, generated, hand, generated / hand,
			near ? "yes" : "no");
	}
}

int main(int argc, char **argv)
{
	static struct bench b;
	bool ok;

	b.check = argc > 1 && !strcmp(argv[1], "--check");
	if (argc != 3 + b.check) {
		fprintf(stderr, "usage: ward-bench-query [--check] PROGRAMS HAND\n");
		return 2;
	}
	b.hand = argv[2 + b.check];
	snprintf(b.place.programs, sizeof(b.place.programs), "%s", argv[1 + b.check]);
	snprintf(b.place.work, sizeof(b.place.work), "/tmp/ward-bench-XXXXXX");
	if (!mkdtemp(b.place.work)) {
		fprintf(stderr, "ward: bench: no folder in /tmp can be made\n");
		return 1;
	}
	ok = compile_all(&b) && measure_all(&b);
	ended_well(start((const char *const[]){"rm", "-rf", b.place.work, NULL}, NULL));
	for (size_t i = 0; i < QUERIES; i++)
		for (unsigned k = 0; k < WAYS; k++)
			free(b.modules[i][k].data);
	if (!ok)
		return 1;
	if (b.check)
		printf("queries: each generated probe and each by hand: all calls counted\n");
	else
		print_table(&b);
	return 0;
}
