/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each program is run three times: alone; under probes from its beginning on; and under probes that come and go, both
 * between its phases, where it waits for the test, and within them.
 */
#include "run.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* No limit of time is a test's: this ends what hangs. */
enum { HANG_SECONDS = 120, TEXT = 1 << 16, MAX_TRACERS = 2, STORMS = 3 };

static void complain(const struct program *p, const char *what, const char *more)
{
	fprintf(stderr, "seed %llu, program %u: %s%s\n", (unsigned long long)p->seed, p->number, what,
		more ? more : "");
}

/* ---- processes */

struct child {
	pid_t pid;
	int in, out; /* pipes, where wanted; else -1 */
	bool over;
	int status;
	char text[TEXT];
	size_t length;
	char log[192]; /* its standard error */
};

static bool start(struct child *c, char *const *argv, const char *directory, const char *log, bool pipes)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t heeded;
	int in[2] = {-1, -1}, out[2] = {-1, -1};
	bool ok;

	memset(c, 0, sizeof(*c));
	c->in = c->out = -1;
	if (pipe2(out, O_CLOEXEC) || (pipes && pipe2(in, O_CLOEXEC)))
		return false;
	snprintf(c->log, sizeof(c->log), "%s/%s", directory, log);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addchdir_np(&actions, directory);
	if (pipes)
		posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	else
		posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, c->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	/* Whoever has started us may have told us to ignore some. */
	sigfillset(&heeded);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &heeded);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	ok = posix_spawnp(&c->pid, argv[0], &actions, &attributes, argv, environ) == 0;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	close(out[1]);
	if (pipes)
		close(in[0]);
	c->in = in[1];
	c->out = out[0];
	return ok;
}

static int64_t seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* Read what comes, for at most so many milliseconds. False: there is no more. */
static bool read_more(struct child *c, int milliseconds)
{
	struct pollfd fd = {c->out, POLLIN, 0};
	ssize_t n;

	if (poll(&fd, 1, milliseconds) <= 0)
		return true;
	if (c->length + 1 >= TEXT)
		return false;
	n = read(c->out, c->text + c->length, TEXT - 1 - c->length);
	if (n <= 0)
		return n < 0 && errno == EINTR;
	c->length += (size_t)n;
	c->text[c->length] = 0;
	return true;
}

/* Wait until it has printed that. */
static bool wait_for(struct child *c, const char *wanted)
{
	int64_t end = seconds() + HANG_SECONDS;

	while (!strstr(c->text, wanted))
		if (!read_more(c, 1000) || seconds() > end)
			return strstr(c->text, wanted);
	return true;
}

static unsigned lines_with(const char *text, const char *begins)
{
	unsigned n = 0;

	for (const char *p = strstr(text, begins); p; p = strstr(p + 1, begins))
		n++;
	return n;
}

/* Everything that it prints, and its end. One that hangs is killed. */
static bool finish(struct child *c)
{
	int64_t end = seconds() + HANG_SECONDS;
	bool hung = false;

	if (c->in >= 0)
		close(c->in);
	while (read_more(c, 1000))
		if (seconds() > end) {
			hung = true;
			kill(c->pid, SIGKILL);
			break;
		}
	close(c->out);
	c->in = c->out = -1;
	while (waitpid(c->pid, &c->status, WNOHANG) == 0) {
		if (seconds() > end) {
			hung = true;
			kill(c->pid, SIGKILL);
		}
		usleep(500);
	}
	c->over = true;
	return !hung;
}

static bool exited_with(const struct child *c, int status)
{
	return WIFEXITED(c->status) && WEXITSTATUS(c->status) == status;
}

/* A module is refused if none of its sites can be probed. The program isn't begun then, or goes on without. */
static bool is_refused(const struct child *c)
{
	char text[256] = "";
	FILE *f = fopen(c->log, "r");
	bool refused = f && fgets(text, sizeof(text), f) && strncmp(text, "ward: prog!t_", 13) == 0 &&
		       (strstr(text, "room for a jump") || strstr(text, "there is a call in its first five bytes")) &&
		       exited_with(c, 3);

	if (f)
		fclose(f);
	return refused;
}

static void show_log(const struct child *c)
{
	char text[600];
	FILE *f = fopen(c->log, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = 0;
	if (n)
		fprintf(stderr, "  its standard error: %s\n", text);
	if (f)
		fclose(f);
}

bool nobody_left(void)
{
	int status;

	return waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD;
}

/* ---- building */

static bool ends_well(char *const *argv, const char *directory, const char *log)
{
	struct child *c = malloc(sizeof(*c));
	bool ok = c && start(c, argv, directory, log, false) && finish(c) && WIFEXITED(c->status) &&
		  WEXITSTATUS(c->status) == 0;

	if (c && !ok)
		show_log(c);
	free(c);
	return ok;
}

bool build_program(const struct paths *paths, const struct program *p)
{
	static const char *const levels[] = {"-O1", "-O2", "-O3", "-Os"};
	bool throws = has_feature(p->features, "throws"), clang = has_feature(p->features, "clang"),
	     is_static = has_feature(p->features, "static");
	char path[192], runtime[192], thrown[192];
	const char *argv[40] = {clang ? "clang-19" : "gcc", levels[p->level], "-w", "-g", "-fno-strict-aliasing",
		"-fexceptions", "-fno-stack-protector", "-pthread", "-I", runtime, "-o", "prog", "prog.c"};
	unsigned n = 13;
	FILE *f;

	snprintf(path, sizeof(path), "%s/prog.c", paths->directory);
	snprintf(runtime, sizeof(runtime), "%s/runtime", paths->sources);
	snprintf(thrown, sizeof(thrown), "%s/throws.o", paths->modules);
	f = fopen(path, "w");
	if (!f)
		return false;
	write_program(f, p);
	if (fclose(f) != 0)
		return false;
	argv[n++] = p->level % 2 ? "-foptimize-sibling-calls" : "-fno-plt";
	if (has_feature(p->features, "frames"))
		argv[n++] = "-fno-omit-frame-pointer";
	if (has_feature(p->features, "branches"))
		argv[n++] = "-fcf-protection=branch";
	if (has_feature(p->features, "fixed"))
		argv[n++] = "-no-pie";
	if (is_static)
		argv[n++] = "-static";
	if (throws) {
		argv[n++] = thrown;
		argv[n++] = "-lstdc++";
	}
	argv[n++] = "-ldl";
	argv[n] = NULL;
	if (ends_well((char *const *)argv, paths->directory, "compiler"))
		return true;
	complain(p, "it can't be compiled", NULL);
	return false;
}

/* ---- what is left in a process */

static bool maps_are_clean(pid_t pid, char *line, size_t size)
{
	char path[64];
	bool clean = true;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	while (f && clean && fgets(line, (int)size, f))
		clean = !strstr(line, "memfd:ward-");
	if (f)
		fclose(f);
	return f && clean;
}

/* Is the code that is mapped at an address that of the file? */
static bool same_bytes(int mem, int file, uint64_t at, uint64_t offset, uint64_t size)
{
	unsigned char a[4096], b[4096];

	for (uint64_t i = 0; i < size; i += sizeof(a)) {
		size_t n = size - i < sizeof(a) ? (size_t)(size - i) : sizeof(a);
		ssize_t got = pread(file, b, n, (off_t)(offset + i));

		if (got < 0 || pread(mem, a, n, (off_t)(at + i)) != (ssize_t)n || memcmp(a, b, (size_t)got) != 0)
			return false;
	}
	return true;
}

/* All code of files, and the program's own also where it is not its file's any more. */
static bool code_is_whole(pid_t pid, char *line, size_t size)
{
	char path[64], name[256], rights[8];
	unsigned long long from, to, offset;
	bool whole = true;
	int mem, file;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "r");
	while (f && mem >= 0 && whole && fgets(line, (int)size, f)) {
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %255s", &from, &to, rights, &offset, name) != 5 ||
			rights[2] != 'x' || name[0] != '/' || strncmp(name, "/memfd:", 7) == 0)
			continue;
		file = open(name, O_RDONLY | O_CLOEXEC);
		whole = file >= 0 && same_bytes(mem, file, from, offset, to - from);
		if (file >= 0)
			close(file);
	}
	if (f)
		fclose(f);
	if (mem >= 0)
		close(mem);
	return f && mem >= 0 && whole;
}

/* Memory is kept where a word on a stack might be somebody's return address into it: that is counted. */
static bool nothing_left(const struct program *p, pid_t pid, struct figures *figures)
{
	char line[512] = "";

	if (!maps_are_clean(pid, line, sizeof(line)))
		figures->kept++;
	if (!code_is_whole(pid, line, sizeof(line))) {
		complain(p, "code is not as it was: ", line);
		return false;
	}
	return true;
}

/* ---- runs */

struct tracer {
	struct child child;
	const struct module *module;
	bool refused;
};

static bool start_tracer(const struct paths *paths, struct tracer *t, const char *log, pid_t pid)
{
	char module[192], number[32];
	char *const attach[] = {
		(char *)paths->ward, (char *)"trace", (char *)"--json", (char *)"-p", number, module, NULL};
	char *const begin[] = {(char *)paths->ward, (char *)"trace", (char *)"--json", (char *)"-o",
		(char *)"trace.json", module, (char *)"--", (char *)"./prog", NULL};

	snprintf(module, sizeof(module), "%s/%s.ward", paths->modules, t->module->name);
	snprintf(number, sizeof(number), "%d", pid);
	return start(&t->child, pid ? attach : begin, paths->directory, log, false);
}

/* Wait until it is there: each probe has its line then. */
static bool is_attached(struct tracer *t)
{
	int64_t end = seconds() + HANG_SECONDS;

	while (lines_with(t->child.text, "{\"type\":\"attach\"") + lines_with(t->child.text, "{\"type\":\"skip\"") <
		t->module->probes)
		if (!read_more(&t->child, 1000) || seconds() > end)
			return false;
	return true;
}

static bool begin_tracer(
	const struct paths *paths, const struct program *p, struct tracer *t, const char *log, pid_t pid)
{
	if (!start_tracer(paths, t, log, pid))
		return false;
	if (is_attached(t))
		return true;
	t->refused = finish(&t->child) && is_refused(&t->child);
	if (t->refused)
		return true;
	complain(p, "can't be attached to: ", t->module->name);
	fprintf(stderr, "  status %#x\n", (unsigned)t->child.status);
	show_log(&t->child);
	return false;
}

static void add_figures(struct figures *figures, const struct traced *t)
{
	figures->traces++;
	figures->sites += t->attached;
	figures->skipped += t->skipped;
	figures->events += t->events;
	figures->dropped += t->dropped;
}

static bool judge_trace(const struct program *p, const struct tracer *tracer, const char *text, const struct own *own,
	bool whole, const char *how, struct figures *figures)
{
	struct traced t;
	char why[1024], what[1200];

	if (tracer->refused) {
		figures->refused++;
		return true;
	}
	read_traced(text, &t);
	add_figures(figures, &t);
	if (judge(tracer->module, own, &t, whole, why, sizeof(why)))
		return true;
	snprintf(what, sizeof(what), "%s %s: ", tracer->module->name, how);
	complain(p, what, why);
	return false;
}

/* Does it end as it would alone, with the same result? */
static bool ended_so(
	const struct program *p, const struct own *own, const struct own *alone, bool status, const char *how)
{
	if (!status || own->sum != alone->sum || own->wrong || alone->wrong) {
		complain(
			p, !status ? "it ended otherwise than alone, " : "its result is another one than alone, ", how);
		return false;
	}
	return true;
}

static bool run_alone(const struct paths *paths, const struct program *p, struct child *c, struct own *own)
{
	char *const argv[] = {(char *)"./prog", NULL};

	if (start(c, argv, paths->directory, "alone.log", false) && finish(c) && exited_with(c, p->status) &&
		read_own(c->text, p->phases - 1, own) && own->wrong == 0)
		return true;
	complain(p, "alone it doesn't do what it should: ", strstr(c->text, "wrong"));
	fprintf(stderr, "  status %#x, %llu wrong\n", (unsigned)c->status, (unsigned long long)own->wrong);
	return false;
}

static char *read_file(const char *directory, const char *name)
{
	char path[192], *text = calloc(1, TEXT);
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	f = fopen(path, "r");
	if (f && text)
		text[fread(text, 1, TEXT - 1, f)] = 0;
	if (f)
		fclose(f);
	return text;
}

/* ward trace MODULE -- ./prog: the tracer says how the program has ended. */
static bool run_started(const struct paths *paths, const struct program *p, const struct module *m,
	const struct own *alone, struct figures *figures)
{
	struct tracer *t = calloc(1, sizeof(*t));
	struct own own = {0};
	char *json = NULL, *log = NULL, status[64];
	bool ok = false;

	if (!t)
		return false;
	t->module = m;
	snprintf(status, sizeof(status), "exited with status %d\n", p->status);
	if (!start_tracer(paths, t, "trace.log", 0) || !finish(&t->child)) {
		complain(p, "hangs under the probe from its beginning: ", m->name);
	} else {
		if (is_refused(&t->child)) {
			figures->refused++;
			free(t);
			return true;
		}
		json = read_file(paths->directory, "trace.json");
		log = read_file(paths->directory, "trace.log");
		ok = read_own(t->child.text, p->phases - 1, &own);
		ok = ended_so(p, &own, alone,
			ok && (p->status == 0 || strstr(log, status)) && exited_with(&t->child, p->status),
			"from its beginning under ");
		if (!ok)
			fprintf(stderr, "  %s: status %#x\n", m->name, (unsigned)t->child.status);
		ok = judge_trace(p, t, json, &own, true, "from the beginning", figures) && ok;
		if (!ok)
			show_log(&t->child);
	}
	free(json);
	free(log);
	free(t);
	return ok;
}

/* A tracer that was told to end has given its results. */
static bool end_tracer(const struct program *p, struct tracer *t, const char *what)
{
	if (t->refused)
		return true;
	kill(t->child.pid, SIGINT);
	if (finish(&t->child)) {
		t->refused = is_refused(&t->child);
		if (t->refused || exited_with(&t->child, 0))
			return true;
	}
	complain(p, "the tracer didn't end well: ", what);
	fprintf(stderr, "  %s: status %#x\n", t->module->name, (unsigned)t->child.status);
	show_log(&t->child);
	return false;
}

static const struct module *draw_module(const struct program *p, uint64_t *s)
{
	unsigned pick;

	do {
		*s = mix(*s, 3);
		pick = (unsigned)((*s >> 20) % n_modules);
	} while (modules[pick].calls && has_feature(p->features, "strict"));
	return &modules[pick];
}

/* While a phase runs, tracers come and go; what they have counted is part of what has been called. */
static bool storm(const struct paths *paths, const struct program *p, struct child *prog, const char *until,
	struct tracer *t, uint64_t s, unsigned *n)
{
	bool ok = true;

	while (ok && *n < STORMS && !strstr(prog->text, until)) {
		struct tracer *one = &t[(*n)++];

		one->module = draw_module(p, &s);
		ok = begin_tracer(paths, p, one, "storm.log", prog->pid);
		if (!ok)
			break;
		read_more(prog, (int)(s >> 33 & 7));
		ok = end_tracer(p, one, "while the program ran");
		read_more(prog, 0);
	}
	return ok;
}

/* While a phase runs, or before or after that, as it happens. */
static void kill_tracers(struct tracer *t, unsigned n, struct child *prog, uint64_t s)
{
	for (unsigned i = 0; i < n; i++) {
		if (t[i].refused)
			continue;
		read_more(prog, (int)(s >> (10 * i) & 3));
		kill(t[i].child.pid, SIGKILL);
		finish(&t[i].child);
	}
}

/* What tracers that were killed have left is taken off. Status 3: memory is kept. */
static bool clean_up(const struct paths *paths, const struct program *p, pid_t pid)
{
	struct child *c = calloc(1, sizeof(*c));
	char number[32];
	char *const argv[] = {(char *)paths->ward, (char *)"detach", (char *)"-p", number, NULL};
	bool ok;

	snprintf(number, sizeof(number), "%d", pid);
	ok = c && start(c, argv, paths->directory, "detach.log", false) && finish(c) &&
	     (exited_with(c, 0) || exited_with(c, 3));
	if (c && !ok) {
		complain(p, "what was left isn't taken off", NULL);
		fprintf(stderr, "  status %#x\n%s", (unsigned)c->status, c->text);
		show_log(c);
	}
	free(c);
	return ok;
}

/* One phase: tracers come, the program goes on to the end of the phase, and they go. */
static bool run_phase(const struct paths *paths, const struct program *p, struct child *prog, unsigned phase,
	struct own *before, struct figures *figures)
{
	struct tracer *t = calloc(MAX_TRACERS + STORMS, sizeof(*t));
	uint64_t s = mix(mix(p->seed, p->number), 100 + phase);
	unsigned n = (unsigned)(s >> 50) % (MAX_TRACERS + 1), attached = 0, storms = 0;
	char end[32];
	struct own own = {0};
	bool ok = t, kills = has_feature(p->features, "killed") && (s >> 40 & 1);

	n = n > 1 && !has_feature(p->features, "two") ? 1 : n;
	for (unsigned i = 0; ok && i < n; i++) {
		t[i].module = draw_module(p, &s);
		ok = begin_tracer(paths, p, &t[i], i ? "second.log" : "first.log", prog->pid);
		attached += ok;
	}
	snprintf(end, sizeof(end), "ready %u\n", phase + 1);
	ok = ok && write(prog->in, "g", 1) == 1;
	if (ok && kills)
		kill_tracers(t, n, prog, s);
	if (ok && n == 0)
		ok = storm(paths, p, prog, end, t + MAX_TRACERS, s, &storms);
	if (ok && !wait_for(prog, end)) {
		complain(p, "doesn't come to the end of a phase", NULL);
		ok = false;
	}
	for (unsigned i = 0; i < attached; i++)
		ok = kills || (end_tracer(p, &t[i], t[i].module->name) && ok);
	ok = ok && (!kills || clean_up(paths, p, prog->pid));
	if (ok && !read_own(prog->text, phase, &own)) {
		complain(p, "doesn't say what it has counted", NULL);
		ok = false;
	}
	own = own_since(&own, before);
	for (unsigned i = 0; ok && !kills && i < n; i++)
		ok = judge_trace(p, &t[i], t[i].child.text, &own, true, "attached", figures);
	for (unsigned i = 0; ok && i < storms; i++)
		ok = judge_trace(p, &t[MAX_TRACERS + i], t[MAX_TRACERS + i].child.text, &own, false,
			"attached as it ran", figures);
	ok = ok && nothing_left(p, prog->pid, figures);
	ok = ok && read_own(prog->text, phase, before);
	free(t);
	return ok;
}

static bool run_phases(
	const struct paths *paths, const struct program *p, const struct own *alone, struct figures *figures)
{
	struct child *prog = calloc(1, sizeof(*prog));
	char *const argv[] = {(char *)"./prog", (char *)"phases", NULL};
	struct own own = {0};
	bool ok = prog && start(prog, argv, paths->directory, "phases.log", true) && wait_for(prog, "ready 0\n");

	for (unsigned i = 0; ok && i < p->phases; i++)
		ok = run_phase(paths, p, prog, i, &own, figures);
	if (ok && write(prog->in, "g", 1) != 1)
		ok = false;
	if (prog && !ok)
		kill(prog->pid, SIGKILL);
	if (prog && !finish(prog) && ok) {
		complain(p, "hangs after probes have come and gone", NULL);
		ok = false;
	}
	if (ok)
		ok = ended_so(p, &own, alone, exited_with(prog, p->status), "after probes have come and gone");
	else if (prog)
		fprintf(stderr, "  its status %#x\n", (unsigned)prog->status);
	free(prog);
	return ok;
}

bool run_program(const struct paths *paths, const struct program *p, struct figures *figures)
{
	struct child *alone = calloc(1, sizeof(*alone));
	uint64_t s = mix(mix(p->seed, p->number), 50);
	struct own own = {0};
	bool ok = alone && run_alone(paths, p, alone, &own);

	free(alone);
	if (!ok)
		return false;
	figures->programs++;
	ok = run_started(paths, p, draw_module(p, &s), &own, figures);
	ok = run_phases(paths, p, &own, figures) && ok;
	if (!nobody_left()) {
		complain(p, "processes are left", NULL);
		ok = false;
	}
	return ok;
}
