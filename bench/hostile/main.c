/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-hostile: the cost of files that were made to be expensive.
 *
 *	ward-bench-hostile PROGRAMS DIRECTORY [ROW]
 *
 * For each row, files of three sizes, n, 2n and 4n, are made below DIRECTORY. The row's program, from the folder
 * PROGRAMS, runs on each of them twice. One run measures its peak memory and its time. The other runs under
 * valgrind's cachegrind, which counts each instruction executed in user space, including those of the C library. The
 * benchmark fails if a program takes more than 1 s for each MiB of its file and 0.1 s, at 2·10⁹ instructions a
 * second; or more than 64 MiB of memory for each MiB and 16 MiB; or if the program crashes. Processors of this decade
 * execute the verifier's code, which rarely waits for memory, two to five times as fast. The printed time is this
 * machine's, and nothing depends on it.
 *
 * The instructions of forked processes are not counted: ward-verify forks one to read debug information, under limits
 * that the kernel enforces (lines.c).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

static const double MIB = 1 << 20;
static const double INSNS_MIB = 2e9, INSNS_FREE = 2e8; /* a second, and a tenth of one */
static const double MEMORY_MIB = 64, MEMORY_FREE = 16; /* MiB */

enum { SIZES = 3, MAX_ARGUMENTS = 16 };

struct cost {
	double insns;
	double memory; /* MiB */
	double time;   /* ms of the processor */
	int status;
};

static int fail(const char *what, const char *why)
{
	fprintf(stderr,
		"ward-bench-hostile: %s: %s\nhint: ward-bench-hostile PROGRAMS DIRECTORY [ROW]; valgrind must be "
		"installed (make deps)\n",
		what, why);
	return 2;
}

/* Run it with nothing of what it prints, but for what goes to `log`. False: it didn't run, or was killed. */
static bool run(char *const *argv, const char *directory, const char *log, struct cost *cost)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC),
		    err = log ? open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : null;
		dup2(null, 0);
		dup2(null, 1);
		dup2(err, 2);
		if (chdir(directory)) /* what it makes is left there */
			_exit(127);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) || WEXITSTATUS(status) > 2)
		return false;
	cost->status = WEXITSTATUS(status);
	cost->memory = (double)usage.ru_maxrss / 1024;
	cost->time = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
		     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
	return true;
}

/* "==123== I   refs:      12,345" */
static double read_count(const char *log)
{
	char line[400];
	double n = 0;
	FILE *f = fopen(log, "r");
	while (f && fgets(line, sizeof line, f)) {
		char *at = strncmp(line, "==", 2) == 0 ? strstr(line, "refs:") : NULL;
		if (!at || !strstr(line, "I "))
			continue;
		n = 0;
		for (at += 5; *at; at++) {
			if (*at >= '0' && *at <= '9')
				n = 10 * n + (*at - '0');
		}
	}
	if (f)
		fclose(f);
	return n;
}

static bool measure(const struct hostile *h, const char *programs, const char *directory, const char *path,
	const char *log, struct cost *cost)
{
	static const char *const valgrind[] = {"valgrind", "--tool=cachegrind", "--cache-sim=no",
		"--cachegrind-out-file=/dev/null", "--child-silent-after-fork=yes"};
	enum { BEFORE = sizeof valgrind / sizeof *valgrind };
	char program[4096], *argv[MAX_ARGUMENTS];
	struct cost counted;
	size_t n = 0;
	snprintf(program, sizeof program, "%s/%s", programs, h->program);
	for (; n < BEFORE; n++)
		argv[n] = (char *)valgrind[n];
	argv[n++] = program;
	for (size_t i = 0; i < sizeof h->arguments / sizeof *h->arguments && h->arguments[i]; i++)
		argv[n++] = (char *)h->arguments[i];
	argv[n++] = (char *)path;
	argv[n] = NULL;
	if (!run(argv + BEFORE, directory, NULL, cost) || !run(argv, directory, log, &counted) ||
		counted.status != cost->status)
		return false;
	cost->insns = read_count(log);
	return cost->insns > 0;
}

static bool write_file(const char *path, const struct bm_bytes *bytes)
{
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(bytes->p, 1, bytes->n, f) == bytes->n;
	return f && fclose(f) == 0 && ok;
}

/* One size of a row, and its line of the table. */
static bool judge(const struct hostile *h, const char *programs, const char *directory, unsigned n, double *before)
{
	char path[4200], log[4200], module[4200];
	struct bm_bytes bytes = {0};
	struct cost cost = {0};
	snprintf(path, sizeof path, "%s/%s-%u%s", directory, h->name, n, h->suffix);
	snprintf(log, sizeof log, "%s/%s-%u.log", directory, h->name, n);
	snprintf(module, sizeof module, "%s/%s-%u.ward", directory, h->name, n);
	h->make(&bytes, n);
	double size = (double)bytes.n / MIB;
	bool ok = write_file(path, &bytes) && measure(h, programs, directory, path, log, &cost);
	bm_bytes_free(&bytes);
	if (!ok) {
		fprintf(stderr,
			"ward-bench-hostile: %s of %u: it crashed, did not run, or ended another way under valgrind "
			"(%s)\n",
			h->name, n, log);
		return false;
	}
	double insns = cost.insns / h->times / (INSNS_FREE + INSNS_MIB * size),
	       memory = cost.memory / h->times / (MEMORY_FREE + MEMORY_MIB * size);
	bool within = insns <= 1 && memory <= 1;
	printf("%-28s %8.0f %2d %9.1f %6.2f %6.2f %9.1f %6.2f %8.1f%s\n", h->name, size * 1024, cost.status,
		cost.insns / 1e6, insns, *before > 0 ? cost.insns / *before : 0, cost.memory, memory, cost.time,
		within ? "" : "  too much");
	fflush(stdout);
	*before = cost.insns;
	remove(path);
	remove(log);
	remove(module); /* of an object */
	return within;
}

int main(int argc, char **argv)
{
	static const struct hostile *const tables[] = {hostile_modules, hostile_objects};
	bool good = true, any = false;
	char *programs = argc < 3 || argc > 4 ? NULL : realpath(argv[1], NULL),
	     *directory = programs ? realpath(argv[2], NULL) : NULL;
	if (!directory)
		return fail("arguments", "the folder of the programs and one to write to are wanted");
	printf("%-28s %8s %2s %9s %6s %6s %9s %6s %8s\n", "file", "KiB", "is", "M insns", "share", "grows", "MiB",
		"share", "ms");
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
		for (const struct hostile *h = tables[t]; h->name; h++) {
			double before = 0;
			if (argc == 4 && strcmp(argv[3], h->name) != 0)
				continue;
			any = true;
			for (unsigned k = 0; k < SIZES; k++)
				good &= judge(h, programs, directory, h->n << k, &before);
		}
	}
	free(programs);
	free(directory);
	if (!any)
		return fail(argc == 4 ? argv[3] : "rows", "there is no such row");
	return good ? 0 : 1;
}
