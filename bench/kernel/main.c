/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs as root in a virtual machine whose clock counts instructions: a nanosecond is one instruction (run.sh). A loop
 * of getppid is timed without a probe, with a probe of Ward, and with bpftrace programs that do the same. The table
 * has the differences for one call. Ward must have seen all calls, and so must bpftrace where it counts them;
 * otherwise the run fails.
 *
 *	ward-bench-kernel PROBES [BPFTRACE]
 */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 20000 };

static const char function[] = "kernel!__x64_sys_getppid", loop[] = "--loop", loop_took[] = "The loop took ";

void fail(const char *what, const char *why)
{
	fflush(stdout);
	fprintf(stderr, "ward: bench: %s: %s\n", what, why);
	exit(1);
}

const char *const imports[N_IMPORTS] = {"ward_kernel_read", "ward_kernel_read_str", "ward_kernel_current"};

static int by_size(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* A tick of the kernel's, which comes in some of the rounds, adds less than one. */
double measure(unsigned calls, unsigned long argument)
{
	double took[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		struct timespec begin, end;

		clock_gettime(CLOCK_MONOTONIC, &begin);
		for (unsigned i = 0; i < calls; i++)
			syscall(SYS_getppid, argument);
		clock_gettime(CLOCK_MONOTONIC, &end);
		took[r] = ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / calls;
	}
	qsort(took, ROUNDS, sizeof(took[0]), by_size);
	return took[ROUNDS / 2];
}

/* ---- Ward ---- */

void *read_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *data;

	if (fd < 0 || fstat(fd, &st))
		fail(path, strerror(errno));
	*size = (size_t)st.st_size;
	data = malloc(*size + 1);
	if (!data || read(fd, data, *size) != (ssize_t)*size)
		fail(path, "it can't be read");
	data[*size] = 0;
	close(fd);
	return data;
}

double with_ward(const char *folder, const char *probe, const char *site, unsigned events, unsigned calls,
	unsigned long argument)
{
	struct ward_attach_options options = {
		.size = sizeof(options), .site = site, .allow = imports, .n_allow = N_IMPORTS};
	struct ward_session_stats stats;
	struct ward_error err;
	ward_session *session;
	char path[256];
	size_t size;
	double took;
	void *module;

	snprintf(path, sizeof(path), "%s/%s.ward", folder, probe);
	module = read_file(path, &size);
	if (ward_attach_kernel(module, size, &options, &session, &err))
		fail(err.what, err.why);
	took = measure(calls, argument);
	if (ward_detach(session, &err))
		fail(err.what, err.why);
	ward_session_stats(session, &stats);
	if (stats.events < (uint64_t)events * calls * ROUNDS)
		fail(probe, "it has missed calls");
	ward_session_free(session);
	free(module);
	return took;
}

/* ---- bpftrace ---- */

/* What it prints of a program with the loop as its command, which it must take. */
static char *said_by(const char *bpftrace, const char *program)
{
	static const char path[] = "/tmp/said";
	pid_t child = fork();
	size_t size;
	int status;
	char *said;

	if (child == 0) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(fd, 1);
		dup2(fd, 2);
		execl(bpftrace, bpftrace, "-e", program, "-c", "/bin/ward-bench-kernel --loop", NULL);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child)
		fail(program, strerror(errno));
	said = read_file(path, &size);
	if (status)
		fail(program, said);
	return said;
}

/* Of a program that counts: each count, of a line of its own, `@NAME: COUNT`, must be that of all calls, or more. */
static void check_counts(const char *program, const char *said)
{
	const char *line = said;
	unsigned counts = 0;

	if (!strstr(program, "= count()"))
		return;
	while ((line = strstr(line, "\n@"))) {
		const char *colon = strstr(++line, ": ");

		if (!colon || strtoul(colon + 2, NULL, 10) < (unsigned long)CALLS * ROUNDS)
			fail(program, "it has missed calls");
		counts++;
	}
	if (!counts)
		fail(program, "it has counted nothing");
}

/* What the loop took. Less than 0 without that program. */
static double with_bpftrace(const char *bpftrace, const char *program)
{
	char *said, *at;
	double took;

	if (!bpftrace || !program)
		return -1;
	said = said_by(bpftrace, program);
	at = strstr(said, loop_took);
	if (!at)
		fail(program, said);
	took = strtod(at + strlen(loop_took), NULL);
	check_counts(program, said);
	free(said);
	return took;
}

/* ---- The table ---- */

static const struct row {
	const char *what, *probe, *site;
	unsigned events; /* a call */
	const char *kfunc, *kprobe, *point;
} rows[] = {
	{"nothing", "empty", function, 1, "kfunc:__do_sys_getppid { }", "kprobe:__x64_sys_getppid { }", NULL},
	{"count", "count", function, 1, "kfunc:__do_sys_getppid { @ = count() }",
		"kprobe:__x64_sys_getppid { @ = count() }", NULL},
	{"count by two probes", "twice", NULL, 2,
		"kfunc:__do_sys_getppid { @a = count() } kfunc:__do_sys_getppid { @b = count() }",
		"kprobe:__x64_sys_getppid { @a = count() } kprobe:__x64_sys_getppid { @b = count() }", NULL},
	{"the same, of functions that overlap", "overlap", NULL, 2, NULL, NULL, NULL},
	{"log2 histogram", "log2", function, 1, "kfunc:__do_sys_getppid { @ = hist(tid) }",
		"kprobe:__x64_sys_getppid { @ = hist(tid) }", NULL},
	{"count by thread (map)", "map", function, 1, "kfunc:__do_sys_getppid { @[tid] = count() }",
		"kprobe:__x64_sys_getppid { @[tid] = count() }", NULL},
	{"record of time and thread; @[tid]", "ring", function, 1, "kfunc:__do_sys_getppid { @[tid] = nsecs }",
		"kprobe:__x64_sys_getppid { @[tid] = nsecs }", NULL},
	{"record of time and thread; printf", "ring", function, 1,
		"kfunc:__do_sys_getppid { printf(\"%llu %d\\n\", nsecs, tid) }",
		"kprobe:__x64_sys_getppid { printf(\"%llu %d\\n\", nsecs, tid) }", NULL},
	{"count return", "count", "kernel!__x64_sys_getppid:return", 1, "kretfunc:__do_sys_getppid { @ = count() }",
		"kretprobe:__x64_sys_getppid { @ = count() }", NULL},
	{"count entry and return", "ends", NULL, 2,
		"kfunc:__do_sys_getppid { @a = count() } kretfunc:__do_sys_getppid { @b = count() }",
		"kprobe:__x64_sys_getppid { @a = count() } kretprobe:__x64_sys_getppid { @b = count() }", NULL},
	{"count at raw_syscalls:sys_enter", "count", "kernel:raw_syscalls:sys_enter", 1, NULL, NULL,
		"tracepoint:raw_syscalls:sys_enter { @ = count() }"},
	{"count at syscalls:sys_enter_getppid", "count", "kernel:syscalls:sys_enter_getppid", 1, NULL, NULL,
		"tracepoint:syscalls:sys_enter_getppid { @ = count() }"},
};

static void print_added(int width, double took, double bare)
{
	if (took < 0)
		printf("%*s", width, "-");
	else
		printf("%*.1f", width, took - bare);
}

int main(int argc, char **argv)
{
	double bare;

	if (argc == 2 && strcmp(argv[1], loop) == 0)
		return printf("%s%.1f\n", loop_took, measure(CALLS, 0)) < 0;
	if (argc < 2)
		return 2;
	setbuf(stdout, NULL);
	bare = measure(CALLS, 0);
	printf("A call of getppid takes %.1f instructions. What probes add to it:\n\n", bare);
	printf("%-37s%10s%16s%10s%12s\n", "", "Ward", "bpftrace: kfunc", "kprobe", "tracepoint");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *bpftrace = argc > 2 ? argv[2] : NULL;
		const struct row *r = &rows[i];

		printf("%-37s", r->what);
		print_added(10, with_ward(argv[1], r->probe, r->site, r->events, CALLS, 0), bare);
		print_added(16, with_bpftrace(bpftrace, r->kfunc), bare);
		print_added(10, with_bpftrace(bpftrace, r->kprobe), bare);
		print_added(12, with_bpftrace(bpftrace, r->point), bare);
		printf("\n");
	}
	compare_imports(argv[1]);
	count_every_function(argv[1]);
	return 0;
}
