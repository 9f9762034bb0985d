/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-compile: the time of ward cc compared with clang.
 *
 *	ward-bench-compile [--check] WARD INCLUDE FOLDER... [--refused FOLDER...]
 *
 * Each source in the folders is compiled by `ward cc`, which ends with a proven module, and by `clang-19 -O2 -c`
 * without debug information. Both are timed as whole commands, from the start of the process to its end, in turn,
 * after each has run once. Two times are printed. One is the time until the command is done; ward cc loads its own
 * back end while clang reads the source. The other is the time of all processors together. Ratios are of medians. A
 * run may execute any number of instructions, because kernels run long. What is behind --refused is compiled at a
 * limit that no run of it can keep to, not even with all the counters there are: the time until ward cc says so.
 *
 * The benchmark fails if a source doesn't compile, or if a folder's median takes more than MOST times as long as
 * clang. --check: each command once, and no times.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { REPETITIONS = 15, MOST = 3, MOST_SOURCES = 128 };
enum compiler { CLANG, WARD, COMPILERS };
enum clock { ELAPSED, CPU, CLOCKS };

struct command {
	char include[2][4200], source[4600], output[64];
	const char *argv[12];
	int status; /* that it ends with */
};

struct times {
	double ms[CLOCKS];
};

/* A source's medians. */
struct row {
	struct times of[COMPILERS];
	double ratio[CLOCKS];
};

struct bench {
	const char *ward, *include;
	char work[32];
	int repetitions;
	bool check, refused;
};

/* ---- one compilation ---- */

static void prepare(
	struct command *c, const struct bench *b, enum compiler compiler, const char *folder, const char *name)
{
	const char *const clang[] = {
		"clang-19", "-std=gnu11", "-O2", "-c", c->source, "-o", c->output, c->include[0], c->include[1], NULL};
	/* its own headers it finds itself */
	const char *const ward[] = {b->ward, "cc", c->source, "-o", c->output, c->include[1],
		b->refused ? "--max-insns=30000" : "--max-insns=1099511627776", NULL};

	snprintf(c->include[0], sizeof(c->include[0]), "-I%s", b->include);
	snprintf(c->include[1], sizeof(c->include[1]), "-I%s", folder);
	snprintf(c->source, sizeof(c->source), "%s/%s", folder, name);
	snprintf(c->output, sizeof(c->output), "%s/%s", b->work, compiler == WARD ? "ward" : "o");
	c->status = compiler == WARD && b->refused;
	if (compiler == WARD)
		memcpy(c->argv, ward, sizeof(ward));
	else
		memcpy(c->argv, clang, sizeof(clang));
}

static double ms_since(const struct timespec *before)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - before->tv_sec) * 1e3 + (double)(now.tv_nsec - before->tv_nsec) / 1e6;
}

static double ms_of(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

/* What it says is shown, unless it is to fail. */
static int spawn(const struct command *c, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int e = posix_spawn_file_actions_init(&actions);

	if (e)
		return e;
	if (c->status)
		e = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (!e)
		e = posix_spawnp(pid, c->argv[0], &actions, NULL, (char *const *)c->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return e;
}

/* With the CPU time of all processes that it started. */
static bool run(const struct command *c, struct times *t)
{
	struct timespec before;
	struct rusage usage;
	int status = -1, e;
	pid_t pid;

	clock_gettime(CLOCK_MONOTONIC, &before);
	e = spawn(c, &pid);
	if (e) {
		fprintf(stderr, "ward: %s: can't be run: %s\nhint: tools/deps.sh installs what is missing\n",
			c->argv[0], strerror(e));
		return false;
	}
	while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
		;
	t->ms[ELAPSED] = ms_since(&before);
	t->ms[CPU] = ms_of(usage.ru_utime) + ms_of(usage.ru_stime);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	if (status != c->status)
		fprintf(stderr, "ward: %s: %s ended with status %d, not %d\n", c->source, c->argv[0], status,
			c->status);
	return status == c->status;
}

/* ---- one source ---- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), ascending);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static bool measure(const struct bench *b, const char *folder, const char *name, struct row *row)
{
	static struct command commands[COMPILERS];
	double ms[CLOCKS][COMPILERS][REPETITIONS];
	struct times t;

	for (int c = 0; c < COMPILERS; c++) {
		prepare(&commands[c], b, (enum compiler)c, folder, name);
		if (!run(&commands[c], &t))
			return false;
	}
	for (int i = 0; i < b->repetitions; i++)
		for (int turn = 0; turn < COMPILERS; turn++) {
			int c = (i + turn) % COMPILERS;

			if (!run(&commands[c], &t))
				return false;
			for (int k = 0; k < CLOCKS; k++)
				ms[k][c][i] = t.ms[k];
		}
	for (int k = 0; k < CLOCKS && b->repetitions; k++) {
		for (int c = 0; c < COMPILERS; c++)
			row->of[c].ms[k] = median(ms[k][c], b->repetitions);
		row->ratio[k] = row->of[WARD].ms[k] / row->of[CLANG].ms[k];
	}
	return true;
}

/* ---- a folder ---- */

static void print_head(void)
{
	printf("Compile time: ward cc, to a proven module, against clang-19 -O2 -c of the same source, to an object "
	       "without debug information. Whole commands, medians of %d, in turn; ms until\n"
	       "the command is done, and of all processors together.\n\n%-18s %9s %9s %7s %12s %12s %7s\n",
		REPETITIONS, "source", "clang", "ward cc", "ratio", "clang, CPU", "ward cc, CPU", "ratio");
}

static void print_row(const char *name, const struct row *r)
{
	printf("%-18s %9.1f %9.1f %7.2f %12.1f %12.1f %7.2f\n", name, r->of[CLANG].ms[ELAPSED], r->of[WARD].ms[ELAPSED],
		r->ratio[ELAPSED], r->of[CLANG].ms[CPU], r->of[WARD].ms[CPU], r->ratio[CPU]);
	fflush(stdout);
}

/* The medians of the folder's ratios; are they few enough? */
static bool print_end(const char *folder, const struct row *rows, int n)
{
	double ratio[CLOCKS][MOST_SOURCES], middle[CLOCKS];

	for (int k = 0; k < CLOCKS; k++) {
		for (int i = 0; i < n; i++)
			ratio[k][i] = rows[i].ratio[k];
		middle[k] = median(ratio[k], n); /* which sorts them */
	}
	printf("%-18s %9s %9s %7.2f %12s %12s %7.2f  (most: %.2f, %.2f)\n", "median", "", "", middle[ELAPSED], "", "",
		middle[CPU], ratio[ELAPSED][n - 1], ratio[CPU][n - 1]);
	if (middle[ELAPSED] > MOST)
		fprintf(stderr, "ward: %s: compiling takes more than %d times what clang takes\n", folder, MOST);
	return middle[ELAPSED] <= MOST;
}

static int is_source(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 2 && !strcmp(d->d_name + n - 2, ".c");
}

static bool bench_folder(const struct bench *b, const char *folder)
{
	static struct row rows[MOST_SOURCES];
	struct dirent **list;
	int n = 0, found = scandir(folder, &list, is_source, alphasort);
	bool ok = found > 0 && found <= MOST_SOURCES;

	if (!ok)
		fprintf(stderr, "ward: %s: no sources there, or more than %d\n", folder, MOST_SOURCES);
	for (; ok && n < found; n++) {
		ok = measure(b, folder, list[n]->d_name, &rows[n]);
		if (ok && !b->check)
			print_row(list[n]->d_name, &rows[n]);
	}
	for (int i = 0; i < found; i++)
		free(list[i]);
	if (found >= 0)
		free(list);
	return ok && (b->check || print_end(folder, rows, n));
}

static void remove_work(const char *work)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/ward", work);
	unlink(path);
	snprintf(path, sizeof(path), "%s/o", work);
	unlink(path);
	rmdir(work);
}

int main(int argc, char **argv)
{
	bool check = argc > 1 && !strcmp(argv[1], "--check"), ok = true;
	int first = check ? 2 : 1;
	struct bench b = {.work = "/tmp/ward-compile-XXXXXX", .check = check, .repetitions = check ? 0 : REPETITIONS};

	if (argc < first + 3) {
		fprintf(stderr, "usage: ward-bench-compile [--check] WARD INCLUDE FOLDER... [--refused FOLDER...]\n");
		return 2;
	}
	b.ward = argv[first];
	b.include = argv[first + 1];
	if (!mkdtemp(b.work)) {
		fprintf(stderr, "ward: %s: no folder for work: %s\n", b.work, strerror(errno));
		return 2;
	}
	if (!check)
		print_head();
	for (int i = first + 2; i < argc; i++) {
		if (!strcmp(argv[i], "--refused"))
			b.refused = true;
		else
			ok &= bench_folder(&b, argv[i]);
	}
	remove_work(b.work);
	return !ok;
}
