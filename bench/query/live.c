/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-live [--check] WARD [PART]…: what `ward query` does to a live process, which is started here. Parts:
 *
 *	start     from the command to the first row: compiled, from the cache, and with another value of a parameter
 *	snapshot  of 16 threads with 2,048 keys each, while they count
 *	spill     100,000 keys in a map of 4,096: up to how many events a second is each key exact?
 *	records   rows of events: up to how many a second are all there?
 *
 * --check: one short round each; no times.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STARTS = 7, THREADS = 16, THREAD_KEYS = 2048, KEYS = 100000, LUMP = 100 };

static const char *ward;
static bool check;
static char folder[64];

/* ---- the program that is asked about ---- */

__attribute__((noinline, visibility("default"))) uint64_t bench_touch(uint64_t key)
{
	static volatile uint64_t sum;

	sum += key;
	return sum;
}

/* Shared with it. */
struct work {
	uint64_t calls, rate; /* rate: in a second; 0: as fast as it can */
	unsigned keys, threads;
	volatile unsigned go, done;
	volatile uint64_t ns; /* that the calls took */
};
static struct work *work;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *call(void *unused)
{
	double begin = now();

	(void)unused;
	for (uint64_t i = 0; i < work->calls; i++) {
		bench_touch(i * 7919 % work->keys);
		while (work->rate && i % LUMP == 0 && now() - begin < (double)i / (double)work->rate)
			usleep(50);
	}
	work->ns = (uint64_t)((now() - begin) * 1e9);
	__atomic_add_fetch(&work->done, 1, __ATOMIC_SEQ_CST);
	while (work->go)
		pause();
	return NULL;
}

static pid_t start_program(const struct work *what)
{
	pid_t pid, parent = getpid();
	pthread_t thread;

	*work = *what;
	pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!work->go && getppid() == parent)
		usleep(1000);
	for (unsigned i = 1; i < work->threads; i++)
		pthread_create(&thread, NULL, call, NULL);
	call(NULL);
	_exit(0);
}

static void end_program(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- the query ---- */

struct query {
	pid_t pid;
	FILE *out;
	double started;
	char errors[100];
};

static bool start_query(struct query *q, pid_t target, const char *text, const char *option, const char *value)
{
	char pid[12];
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	snprintf(pid, sizeof(pid), "%d", (int)target);
	snprintf(q->errors, sizeof(q->errors), "%s/errors", folder);
	q->started = now();
	q->pid = fork();
	if (q->pid == 0) {
		err = open(q->errors, O_CREAT | O_TRUNC | O_WRONLY, 0600);
		dup2(ends[1], 1);
		dup2(err, 2);
		execl(ward, ward, "query", "--json", "--stats", "-p", pid, text, option, value, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	q->out = fdopen(ends[0], "r");
	return q->pid > 0 && q->out;
}

/* Lines up to the first one with this word; NULL: there is none. To be freed. */
static char *read_line(struct query *q, const char *word)
{
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, q->out) > 0)
		if (strstr(line, word))
			return line;
	free(line);
	return NULL;
}

/* Processor time of the query, in seconds; less than 0: it went wrong. */
static double end_query(struct query *q, int signal)
{
	struct rusage usage;
	int status;

	if (signal)
		kill(q->pid, signal);
	while (getc(q->out) != EOF) /* it writes to the end */
		;
	fclose(q->out);
	if (wait4(q->pid, &status, 0, &usage) != q->pid || !WIFEXITED(status) || WEXITSTATUS(status))
		return -1;
	return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static bool fail(const char *what)
{
	fprintf(stderr, "ward: bench: %s failed\n", what);
	return false;
}

/* ---- start ---- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *samples, size_t n)
{
	qsort(samples, n, sizeof(*samples), ascending);
	return samples[n / 2];
}

/* Seconds from the command to the first row, and of processor time in all; less than 0: it went wrong. */
struct start {
	double took, cpu;
};
static struct start start_once(pid_t target, unsigned value)
{
	struct query q;
	struct start s = {-1, -1};
	char define[20], *row;

	snprintf(define, sizeof(define), "least=%u", value);
	if (!start_query(&q, target,
		    "Function(\"ward-bench-live!bench_touch\").Where(arg0 >= least).Select(arg0).Take(1)", "-D",
		    define))
		return s;
	row = read_line(&q, "\"type\":\"row\"");
	s.took = row ? now() - q.started : -1;
	free(row);
	s.cpu = end_query(&q, 0);
	return s;
}

static bool bench_start(void)
{
	static const char *const ways[] = {"compiled", "from the cache", "with another value of a parameter"};
	enum { WAYS = sizeof(ways) / sizeof(ways[0]) };
	const struct work what = {.calls = UINT64_MAX, .rate = 10000, .keys = 10, .threads = 1, .go = 1};
	pid_t target = start_program(&what);
	unsigned starts = check ? 1 : STARTS;
	double took[WAYS][STARTS], cpu[WAYS][STARTS];
	char cache[100];
	bool ok = target > 0;

	for (unsigned i = 0; i < starts && ok; i++) {
		snprintf(cache, sizeof(cache), "%s/cache%u", folder, i);
		setenv("XDG_CACHE_HOME", cache, 1);
		for (unsigned k = 0; k < WAYS && ok; k++) {
			struct start s = start_once(target, k < 2 ? 1 : 2 + i);

			took[k][i] = s.took;
			cpu[k][i] = s.cpu;
			ok = s.took > 0 && s.cpu > 0;
		}
	}
	end_program(target);
	for (unsigned k = 0; k < WAYS && ok && !check; k++)
		printf("from the command to the first row, %s: %.0f ms, %.0f ms of processor time\n", ways[k],
			median(took[k], starts) * 1000, median(cpu[k], starts) * 1000);
	return ok ? true : fail("a start");
}

/* ---- snapshots ---- */

static bool bench_snapshot(void)
{
	const struct work what = {.calls = UINT64_MAX, .rate = 20000, .keys = THREAD_KEYS, .threads = THREADS, .go = 1};
	pid_t target = start_program(&what);
	struct query q;
	char *row, line[200];
	FILE *errors;
	bool ok = target > 0 &&
		  start_query(&q, target, "Function(\"*!bench_touch\").CountBy(arg0).Take(1)", "--every", "0.2");

	for (unsigned i = 0; i < (check ? 2u : 40u) && ok; i++) {
		row = read_line(&q, "\"type\":\"rows\"");
		ok = row != NULL;
		free(row);
	}
	ok = ok && end_query(&q, SIGTERM) >= 0;
	end_program(target);
	errors = ok ? fopen(q.errors, "r") : NULL;
	ok = false;
	while (errors && fgets(line, sizeof(line), errors))
		if (strstr(line, " snapshots")) {
			ok = true;
			if (!check)
				printf("%d threads with %d keys each, while they count: %s", THREADS, THREAD_KEYS,
					line);
		}
	if (errors)
		fclose(errors);
	return ok ? true : fail("a snapshot");
}

/* ---- spills and records ---- */

/* Is that what a program says which has made so many calls with each key? */
static bool is_exact(const char *line, uint64_t each)
{
	char count[40];
	unsigned keys = 0;
	size_t n = (size_t)snprintf(count, sizeof(count), "\"count\":%llu}", (unsigned long long)each);

	for (const char *at = line; (at = strstr(at, count)); at += n)
		keys++;
	return keys == KEYS && strstr(line, "\"complete\":true");
}

struct round {
	double rate, share; /* calls in a second; the query's share of a processor */
	bool whole;
};

static bool run_round(const char *text, uint64_t calls, uint64_t rate, bool records, struct round *r)
{
	const struct work what = {.calls = calls, .rate = rate, .keys = KEYS, .threads = 1};
	pid_t target = start_program(&what);
	struct query q;
	char *line = NULL;
	uint64_t rows = 0;
	double cpu, began;
	bool ok = target > 0 && start_query(&q, target, text, NULL, NULL);

	if (ok) {
		line = read_line(&q, "\"type\":\"attach\"");
		ok = line != NULL;
		free(line);
	}
	began = now();
	work->go = 1;
	if (ok && records)
		for (line = NULL; rows < calls && now() - began < 60 && (line = read_line(&q, "\"type\":\"row"));
			rows++) {
			bool last = strstr(line, "\"type\":\"rows\"");

			free(line);
			if (last || work->done)
				break;
		}
	while (ok && !work->done && now() - began < 60)
		usleep(10000);
	if (ok)
		kill(q.pid, SIGTERM);
	line = ok ? read_line(&q, "\"type\":\"rows\"") : NULL;
	r->whole = line && (records ? strstr(line, "\"complete\":true") != NULL : is_exact(line, calls / KEYS));
	free(line);
	cpu = ok ? end_query(&q, 0) : -1;
	r->rate = (double)calls / ((double)work->ns / 1e9);
	r->share = cpu / ((double)work->ns / 1e9);
	end_program(target);
	return cpu >= 0 ? true : fail(text);
}

static bool bench_rates(const char *what, const char *text, bool records)
{
	static const uint64_t rates[] = {100000, 200000, 500000, 1000000, 2000000};
	struct round r;

	if (check)
		return run_round(text, KEYS * 2, 100000, records, &r) && (r.whole || fail(text));
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		if (!run_round(text, rates[i] * 2 / KEYS * KEYS, rates[i], records, &r))
			return false;
		printf("%s, %4.0f thousand events a second: %s, with %.0f %% of a processor\n", what, r.rate / 1000,
			r.whole ? "all exact" : "not all", r.share * 100);
	}
	return true;
}

static bool bench_spill(void)
{
	return bench_rates("100,000 keys", "Function(\"*!bench_touch\").CountBy(arg0)", false);
}

static bool bench_records(void)
{
	return bench_rates("a row for each event", "Function(\"*!bench_touch\").Select(arg0)", true);
}

/* ---- all of it ---- */

static const struct part {
	const char *name;
	bool (*bench)(void);
} parts[] = {{"start", bench_start}, {"snapshot", bench_snapshot}, {"spill", bench_spill}, {"records", bench_records}};

static bool is_wanted(const char *name, int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc == 0;
}

static bool remove_folder(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execlp("rm", "rm", "-rf", folder, (char *)NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

int main(int argc, char **argv)
{
	bool ok = true;

	check = argc > 1 && !strcmp(argv[1], "--check");
	if (argc < 2 + check) {
		fprintf(stderr, "usage: ward-bench-live [--check] WARD [start|snapshot|spill|records]...\n");
		return 2;
	}
	ward = argv[1 + check];
	snprintf(folder, sizeof(folder), "/tmp/ward-bench-XXXXXX");
	work = mmap(NULL, sizeof(*work), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!mkdtemp(folder) || work == MAP_FAILED) {
		fprintf(stderr, "ward: bench: no folder in /tmp can be made\n");
		return 1;
	}
	setenv("XDG_CACHE_HOME", folder, 1);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (is_wanted(parts[i].name, argc - 2 - check, argv + 2 + check)) {
			ok = parts[i].bench() && ok;
			fflush(stdout);
		}
	remove_folder();
	if (ok && check)
		printf("live queries: all calls counted\n");
	return ok ? 0 : 1;
}
