/* SPDX-License-Identifier: Apache-2.0 */
#include "helper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct target target_start(const char *program, ...)
{
	char *argv[8] = {(char *)program};
	int in[2], out[2];
	char line[7] = "";
	struct target t;
	va_list ap;
	size_t n = 0;

	va_start(ap, program);
	for (int i = 1; i < 7 && (argv[i] = va_arg(ap, char *)); i++)
		;
	va_end(ap);
	cr_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	t.pid = fork();
	cr_assert(t.pid >= 0);
	if (t.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail while it is stopped */
		dup2(in[0], 0);
		dup2(out[1], 1);
		execv(program, argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	t.in = in[1];
	t.out = out[0];
	while (n < 6) {
		ssize_t got = read(t.out, line + n, 6 - n);

		cr_assert(got > 0, "%s did not start", program);
		n += (size_t)got;
	}
	cr_assert_str_eq(line, "ready\n");
	return t;
}

void target_go(const struct target *t)
{
	cr_assert(write(t->in, "\n", 1) == 1);
}

int target_finish(struct target *t, char *output, size_t size)
{
	size_t n = 0;
	ssize_t got;
	int status;

	close(t->in);
	while (n < size - 1 && (got = read(t->out, output + n, size - 1 - n)) > 0)
		n += (size_t)got;
	output[n] = 0;
	close(t->out);
	cr_assert(waitpid(t->pid, &status, 0) == t->pid);
	return status;
}

int target_mappings(pid_t pid)
{
	char path[64], line[512];
	int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, "memfd:ward-") != NULL;
	if (f)
		fclose(f);
	return n;
}

int target_files(pid_t pid)
{
	char path[64], link[64];
	struct dirent *e;
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && (e = readdir(dir))) {
		ssize_t got = readlinkat(dirfd(dir), e->d_name, link, sizeof(link));

		n += got > 12 && memcmp(link, "/memfd:ward-", 12) == 0;
	}
	if (dir)
		closedir(dir);
	return n;
}

static size_t differences(int mem, int file, unsigned long start, unsigned long end, unsigned long offset)
{
	size_t n = end - start, different = 0;
	unsigned char *now = malloc(n), *was = malloc(n);
	ssize_t a = pread(mem, now, n, (off_t)start), b = pread(file, was, n, (off_t)offset);

	cr_assert(a == (ssize_t)n && b > 0);
	for (size_t i = 0; i < (size_t)b; i++) /* the last page may end behind the file */
		different += now[i] != was[i];
	free(now);
	free(was);
	return different;
}

FILE *target_maps(pid_t pid, int *mem)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	*mem = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	cr_assert(*mem >= 0 && f);
	return f;
}

size_t target_changes(pid_t pid)
{
	char line[1024], name[512], perms[8];
	unsigned long start, end, offset;
	size_t different = 0, seen = 0;
	int mem;
	FILE *f = target_maps(pid, &mem);

	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %511[^\n]", &start, &end, perms, &offset, name) != 5 ||
			perms[2] != 'x' || name[0] != '/' || strncmp(name, "/memfd:", 7) == 0)
			continue;
		int file = open(name, O_RDONLY | O_CLOEXEC);
		cr_assert(file >= 0, "%s", name);
		different += differences(mem, file, start, end, offset);
		seen++;
		close(file);
	}
	fclose(f);
	close(mem);
	cr_assert(seen > 0);
	return different;
}

struct module module_read(const char *name)
{
	char path[512];
	struct module m;
	long size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s.ward", MODULES, name);
	f = fopen(path, "rb");
	cr_assert(f, "%s: %s", path, strerror(errno));
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	m.size = (size_t)size;
	m.data = malloc(m.size);
	cr_assert(m.data && fread(m.data, 1, m.size, f) == m.size);
	fclose(f);
	return m;
}

ward_session *attach(pid_t pid, const char *module, const char *site)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = site};
	struct module m = module_read(module);
	ward_session *s = NULL;
	struct ward_error err;
	int rc;

	do /* on a busy machine, as the hint says */
		rc = ward_attach(pid, m.data, m.size, &options, &s, &err);
	while (rc == WARD_E_TARGET && strstr(err.why, "it gets no processor"));
	free(m.data);
	cr_assert(rc == 0, "%s: %s (%s)", err.what, err.why, err.hint);
	return s;
}

int try_exact(pid_t pid, const struct ward_attach_options *options, ward_session **s, struct ward_error *err)
{
	struct module m = module_read("exact");
	int rc = ward_attach(pid, m.data, m.size, options, s, err);

	free(m.data);
	return rc;
}

struct exact exact_sum(ward_session *s)
{
	const void *const *states;
	struct exact sum = {0};
	size_t size, n = ward_session_states(s, &states, &size);

	cr_assert(size >= sizeof(sum));
	for (size_t i = 0; i < n; i++) {
		const struct exact *e = states[i];

		sum.calls += e->calls;
		sum.sum0 += e->sum0;
		sum.sum1 += e->sum1;
		for (int b = 0; b < 64; b++)
			sum.buckets[b] += e->buckets[b];
	}
	return sum;
}

uint64_t count_sum(ward_session *s)
{
	const void *const *states;
	uint64_t sum = 0;
	size_t size, n = ward_session_states(s, &states, &size);

	for (size_t i = 0; i < n; i++)
		sum += *(const uint64_t *)states[i];
	return sum;
}

struct ward_session_stats stats_of(const ward_session *s)
{
	struct ward_session_stats stats;

	ward_session_stats(s, &stats);
	return stats;
}

void pause_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

void expect_clean(pid_t pid)
{
	cr_expect_eq(target_mappings(pid), 0);
	cr_expect_eq(target_files(pid), 0);
	cr_expect_eq(target_changes(pid), 0);
}

void expect_clean_of_libraries(pid_t pid)
{
	struct ward_error err;

	cr_expect_eq(target_files(pid), 0);
	if (target_mappings(pid) && ward_cleanup(pid, NULL, &err) != 0)
		cr_expect_str_eq(err.why, "a thread may be in its code still");
	else
		cr_expect_eq(target_mappings(pid), 0);
	cr_expect_eq(target_changes(pid), 0);
}

void kill_tracers(pid_t pid, int step_ms, ward_session *(*start)(pid_t pid))
{
	struct ward_error err;

	for (int i = 0; i < 8; i++) {
		int said[2];
		pid_t tracer;
		char c;

		cr_assert(pipe(said) == 0);
		tracer = fork();
		if (tracer == 0) {
			ward_session *s = start(pid);

			close(said[0]);
			if (write(said[1], "y", 1) != 1)
				_exit(1);
			for (;;)
				ward_wait(s, -1);
		}
		close(said[1]);
		cr_assert(read(said[0], &c, 1) == 1);
		close(said[0]);
		pause_ms(i * step_ms);
		kill(tracer, SIGKILL);
		waitpid(tracer, NULL, 0);
		/*
		 * The kernel may let go of the dead tracer's locks a moment after it was waited for: until then it
		 * counts as live, and is left alone. Nor can a thread be stopped that waits for a vfork.
		 */
		do
			ward_cleanup(pid, NULL, &err);
		while (target_mappings(pid));
		expect_clean(pid);
	}
}
