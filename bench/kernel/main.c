/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs as root in a virtual machine whose clock counts instructions: a nanosecond is one instruction (run.sh). A loop
 * of getppid is timed without a probe, with a probe of Ward, and with bpftrace programs that do the same. The table
 * has the differences for one call. Ward must have seen all calls, and so must bpftrace where it counts them;
 * otherwise the run fails.
 *
 *	ward-bench-kernel all|tools|samples PROBES [BPFTRACE]
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

static const char function[] = "kernel!__x64_sys_getppid", loop[] = "--loop=", loop_took[] = "The loop took ";

void fail(const char *what, const char *why)
{
	fflush(stdout);
	fprintf(stderr, "ward: bench: %s: %s\n", what, why);
	exit(1);
}

const char *const imports[N_IMPORTS] = {"ward_kernel_read", "ward_kernel_read_str", "ward_kernel_current",
	"ward_kernel_stack_take", "ward_user_stack_take"};

double instructions_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

double middle_of(double *took)
{
	qsort(took, ROUNDS, sizeof(took[0]), by_size);
	return took[ROUNDS / 2];
}

/* A tick of the kernel's, which comes in some of the rounds, adds less than one. */
double measure(unsigned calls, unsigned long argument)
{
	double took[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		double begin = instructions_now();

		for (unsigned i = 0; i < calls; i++)
			syscall(SYS_getppid, argument);
		took[r] = (instructions_now() - begin) / calls;
	}
	return middle_of(took);
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

struct attachment attach_module(const char *folder, const char *probe, const char *site)
{
	struct ward_attach_options options = {
		.size = sizeof(options), .site = site, .allow = imports, .n_allow = N_IMPORTS};
	struct attachment a;
	struct ward_error err;
	char path[256];
	size_t size;

	snprintf(path, sizeof(path), "%s/%s.ward", folder, probe);
	a.module = read_file(path, &size);
	if (ward_attach_kernel(a.module, size, &options, &a.session, &err))
		fail(err.what, err.why);
	return a;
}

uint64_t detach_module(struct attachment *a)
{
	struct ward_session_stats stats;
	struct ward_error err;

	if (ward_detach(a->session, &err))
		fail(err.what, err.why);
	ward_session_stats(a->session, &stats);
	ward_session_free(a->session);
	free(a->module);
	return stats.events;
}

double with_ward(const char *folder, const char *probe, const char *site, unsigned events, unsigned calls,
	unsigned long argument)
{
	struct attachment a = attach_module(folder, probe, site);
	double took = measure(calls, argument);

	if (detach_module(&a) < (uint64_t)events * calls * ROUNDS)
		fail(probe, "it has missed calls");
	return took;
}

/* ---- bpftrace ---- */

/* What it prints with a loop as its command, which it must take. program NULL: `what` is the file of one. */
static char *said_by(const char *bpftrace, const char *what, const char *program, const char *operation)
{
	static const char path[] = "/tmp/said";
	pid_t child = fork();
	size_t size;
	int status;
	char *said;

	if (child == 0) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		char command[100];

		dup2(fd, 1);
		dup2(fd, 2);
		snprintf(command, sizeof(command), "/bin/ward-bench-kernel %s%s", loop, operation);
		if (program)
			execl(bpftrace, bpftrace, "-c", command, what, program, NULL);
		else
			execl(bpftrace, bpftrace, "-c", command, what, NULL);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child)
		fail(what, strerror(errno));
	said = read_file(path, &size);
	if (status)
		fail(program ? program : what, said);
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

static double took_of(const char *said)
{
	const char *at = strstr(said, loop_took);

	if (!at || strstr(said, "could not attach"))
		fail("bpftrace", said);
	return strtod(at + strlen(loop_took), NULL);
}

double loop_below(const char *bpftrace, const char *what, const char *program, const char *operation)
{
	char *said = said_by(bpftrace, what, program, operation);
	double took = took_of(said);

	free(said);
	return took;
}

/* What the loop took. Less than 0 without that program. */
static double with_bpftrace(const char *bpftrace, const char *program)
{
	char *said;
	double took;

	if (!bpftrace || !program)
		return -1;
	said = said_by(bpftrace, "-e", program, "");
	took = took_of(said);
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
	{"count by the kernel's stack", "kstack", function, 1, "kfunc:__do_sys_getppid { @[kstack] = count() }",
		"kprobe:__x64_sys_getppid { @[kstack] = count() }", NULL},
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

/* As bpftrace's command: the loop of getppid that the first table has, or that of an operation of a tool's. */
static int run_loop(const char *operation)
{
	double took = operation[0] == 0                ? measure(CALLS, 0)
		      : strcmp(operation, "spin") == 0 ? measure_spin()
						       : measure_operation(operation);

	return printf("%s%.1f\n", loop_took, took) < 0;
}

static void compare_probes(const char *folder, const char *bpftrace)
{
	double bare = measure(CALLS, 0);

	printf("A call of getppid takes %.1f instructions. What probes add to it:\n\n", bare);
	printf("%-37s%10s%16s%10s%12s\n", "", "Ward", "bpftrace: kfunc", "kprobe", "tracepoint");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];

		printf("%-37s", r->what);
		print_added(10, with_ward(folder, r->probe, r->site, r->events, CALLS, 0), bare);
		print_added(16, with_bpftrace(bpftrace, r->kfunc), bare);
		print_added(10, with_bpftrace(bpftrace, r->kprobe), bare);
		print_added(12, with_bpftrace(bpftrace, r->point), bare);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	const char *bpftrace = argc > 3 ? argv[3] : NULL;

	if (argc >= 2 && strncmp(argv[1], loop, strlen(loop)) == 0)
		return run_loop(argv[1] + strlen(loop));
	if (argc < 3)
		return 2;
	setbuf(stdout, NULL);
	if (strcmp(argv[1], "samples") == 0) {
		compare_samples(argv[2], bpftrace);
		return 0;
	}
	if (strcmp(argv[1], "stacks") == 0) {
		compare_stacks(argv[2]);
		compare_user_stacks(argv[2]);
		return 0;
	}
	if (strcmp(argv[1], "tools") != 0) {
		compare_probes(argv[2], bpftrace);
		compare_imports(argv[2]);
		compare_samples(argv[2], bpftrace);
		compare_stacks(argv[2]);
		compare_user_stacks(argv[2]);
		count_every_function(argv[2]);
	}
	compare_tools(argv[2], bpftrace, "/probes");
	return 0;
}
