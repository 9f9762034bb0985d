/* SPDX-License-Identifier: Apache-2.0 */
/* See tracers.h. */
#define _GNU_SOURCE
#include "tracers.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ward/ward.h"

const char *traced_function(const struct run *run)
{
	static const char *const names[] = {[PUSH] = "traced_push", [NOP] = "traced_nop", [ENDBR64] = "traced_endbr64"};

	switch (run->workload) {
	case RECURSION_20:
	case RECURSION_1000: return "traced_recursive";
	case SQLITE: return "sqlite3_value_type";
	default: return names[run->entry];
	}
}

const char *traced_file(const struct run *run, pid_t pid, char *text, size_t size)
{
	char link[40];
	ssize_t n;

	if (run->workload == SQLITE)
		return run->library;
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, text, size - 1);
	text[n > 0 ? n : 0] = 0;
	return text;
}

/* ---- Ward ---- */

bool ward_begin(void *user, pid_t pid, const struct run *run)
{
	struct ward_probe *p = user;
	struct ward_attach_options options = {.size = sizeof(options)};
	struct ward_error error = {0};
	char file[300], site[600];
	const char *path = traced_file(run, pid, file, sizeof(file));

	snprintf(site, sizeof(site), "%s!%s", strrchr(path, '/') + 1, traced_function(run));
	options.site = site;
	if (ward_attach(pid, p->module->data, p->module->size, &options, &p->session, &error) == 0)
		return true;
	fprintf(stderr, "ward: %s: %s\nhint: %s\n", error.what, error.why, error.hint);
	return false;
}

/* The figures mean nothing unless each call made its events. */
bool ward_end(void *user, const struct run *run)
{
	struct ward_probe *p = user;
	struct ward_session_stats stats = {0};
	uint64_t made = run->made ? run->made : p->made;

	if (!p->session)
		return false;
	ward_session_stats(p->session, &stats);
	ward_session_free(p->session);
	p->session = NULL;
	p->dropped = stats.dropped;
	if (run->forked)
		made = 0;
	if (stats.events + stats.dropped == made * p->events_per_call)
		return true;
	fprintf(stderr, "ward: bench: %lu events and %lu dropped of %lu calls\n", (unsigned long)stats.events,
		(unsigned long)stats.dropped, (unsigned long)made);
	return false;
}

/* ---- bpftrace ---- */

static bool read_byte(pid_t pid, uint64_t function, uint8_t *byte)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool read = fd >= 0 && pread(fd, byte, 1, (off_t)function) == 1;
	if (fd >= 0)
		close(fd);
	return read;
}

bool bpftrace_begin(void *user, pid_t pid, const struct run *run)
{
	struct bpftrace *b = user;
	char file[300], place[600], program[2000];
	char number[12];
	const char *argv[] = {"bpftrace", "-p", number, "-e", program, NULL}; /* in this process only */
	size_t n = 0;
	uint8_t original, now;

	snprintf(number, sizeof(number), "%d", pid);
	snprintf(place, sizeof(place), "%s:%s", traced_file(run, pid, file, sizeof(file)), traced_function(run));
	for (const char *c = b->program; *c && n < sizeof(program) - sizeof(place); c++) {
		if (*c == '%' && c[1] == 's') {
			n += (size_t)sprintf(program + n, "%s", place);
			c++;
		} else {
			program[n++] = *c;
		}
	}
	program[n] = 0;
	if (!read_byte(pid, run->function, &original))
		return false;
	b->pid = start(argv, b->output);
	for (unsigned i = 0; i < 3000 && b->pid > 0; i++) {
		if (read_byte(pid, run->function, &now) && now != original) { /* a breakpoint or a call */
			usleep(200000);                                       /* where there are two, the other */
			return true;
		}
		if (waitpid(b->pid, NULL, WNOHANG) == b->pid)
			b->pid = -1;
		usleep(10000);
	}
	fprintf(stderr, "ward: bench: bpftrace did not attach: %s\n", program);
	return false;
}

/* It may miss the signal if it comes while it attaches. */
bool bpftrace_end(void *user, const struct run *run)
{
	struct bpftrace *b = user;
	int status;

	(void)run;
	for (unsigned i = 0; b->pid > 0; i++) {
		if (i % 100 == 0)
			kill(b->pid, i < 1000 ? SIGINT : SIGKILL);
		if (waitpid(b->pid, &status, WNOHANG) == b->pid) {
			b->pid = 0;
			return status == 0;
		}
		usleep(10000);
	}
	return false;
}

/* ---- LTTng ---- */

static bool command(const char *const *argv)
{
	pid_t pid = start(argv, "/dev/null");

	return pid > 0 && ended_well(pid);
}

static bool tell_session(const struct lttng *l)
{
	char output[100];
	const char *const create[] = {"lttng", "-n", "create", "ward", output, NULL};
	const char *const enable[] = {"lttng", "-n", "enable-event", "-u", "ward_bench:call", NULL};
	const char *const begin[] = {"lttng", "-n", "start", NULL};

	snprintf(output, sizeof(output), "--output=%s/trace", l->work);
	for (unsigned i = 0; !command(create); i++) { /* the daemon is still starting */
		if (i == 100)
			return false;
		usleep(50000);
	}
	return command(enable) && command(begin);
}

bool lttng_open(struct lttng *l)
{
	const char *const argv[] = {"lttng-sessiond", "--no-kernel", "-q", NULL};

	setenv("LTTNG_HOME", l->work, 1);
	setenv("LTTNG_RUNDIR", l->work, 1);
	setenv("LTTNG_UST_REGISTER_TIMEOUT", "-1", 1); /* a target waits for the daemon */
	l->daemon = start(argv, "/dev/null");
	if (l->daemon > 0 && tell_session(l))
		return true;
	lttng_close(l);
	return false;
}

void lttng_close(struct lttng *l)
{
	const char *const destroy[] = {"lttng", "-n", "destroy", "ward", NULL};

	if (l->daemon <= 0)
		return;
	command(destroy);
	kill(l->daemon, SIGTERM);
	waitpid(l->daemon, NULL, 0);
	l->daemon = 0;
	unsetenv("LTTNG_UST_REGISTER_TIMEOUT");
	unsetenv("LTTNG_RUNDIR");
	unsetenv("LTTNG_HOME");
}
