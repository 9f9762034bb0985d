/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of a process and of the kernel in one run: the threads' calls of a library are beside what the kernel does
 * for them, in order and complete.
 */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 2, WRITES = 1000, STEPS = 4 * WRITES };

static const char results[] = "/tmp/joined", said[] = "/tmp/said"; /* what `ward trace` writes with -o; and otherwise */
static char library[256], kernel[256];                             /* the modules */

/* ---- The process ---- */

static int null;

/* Of each size once, and each returns what it should. */
static void *write_all(void *unused)
{
	static char buffer[WRITES + 1];

	(void)unused;
	for (size_t i = 1; i <= WRITES; i++)
		if (write(null, buffer, i) != (ssize_t)i)
			_exit(1);
	return NULL;
}

static void write_together(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, write_all, NULL))
			_exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

/*
 * It begins when it is told so, and ends by itself, or, if it goes on, when nobody can tell it any more. Its status
 * says whether all was right.
 */
static pid_t start_writer(int *go, bool goes_on)
{
	int pipe_[2];
	pid_t child;
	char c;

	CHECK(pipe(pipe_) == 0, "a pipe");
	child = fork();
	if (child == 0) {
		close(pipe_[1]);
		null = open("/dev/null", O_WRONLY);
		if (read(pipe_[0], &c, 1) != 1 || (goes_on && fcntl(pipe_[0], F_SETFL, O_NONBLOCK)))
			_exit(1);
		do
			write_together();
		while (goes_on && read(pipe_[0], &c, 1) == -1);
		_exit(0);
	}
	CHECK(child > 0, "%s", strerror(errno));
	close(pipe_[0]);
	*go = pipe_[1];
	return child;
}

static void tell(int go)
{
	CHECK(write(go, "g", 1) == 1, "told");
}

static void end_well(pid_t child)
{
	int status;

	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%#x",
		(unsigned)status);
}

/* ---- The tracer ---- */

static char *text_of(const char *path)
{
	static char text[8 << 20];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	CHECK(n >= 0 && n < (ssize_t)sizeof(text) - 1, "%s: %zd", path, n);
	close(fd);
	text[n] = 0;
	return text;
}

static pid_t start_ward(char *const argv[])
{
	pid_t child;
	int fd;

	snprintf(library, sizeof(library), "%s/user-steps.ward", probes);
	snprintf(kernel, sizeof(kernel), "%s/steps.ward", probes);
	unlink(results);
	unlink(said);
	child = fork();
	if (child == 0) {
		fd = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, 1);
		dup2(fd, 2);
		execv(ward, argv);
		_exit(127);
	}
	return child;
}

/* ---- Alone ---- */

/*
 * A probe on all writes sees those of `ward trace` that tells of it, which are few, as records go out together: it
 * comes to an end of them.
 */
void test_own_writes(void)
{
	static char none[1];
	char *argv[] = {(char *)ward, "trace", "--kernel", "--json", "-d", "3", kernel, NULL};
	int null_ = open("/dev/null", O_WRONLY | O_CLOEXEC);
	unsigned records = 0, own = 0;
	pid_t tracer, writer = fork();
	const char *text;
	char mine[32];

	CHECK(null_ >= 0, "%s", strerror(errno));
	if (writer == 0)
		for (;; usleep(10000))
			if (write(null_, none, 1) != 1)
				_exit(1);
	tracer = start_ward(argv);
	end_well(tracer);
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	text = text_of(said);
	snprintf(mine, sizeof(mine), "\"tid\":%d,", (int)tracer);
	for (const char *at = text; (at = strstr(at, "\"type\":\"record\"")); at++)
		records++;
	for (const char *at = text; (at = strstr(at, mine)); at++)
		own++;
	CHECK(records > 100 && own > 0 && own < records / 5, "%u records, %u of our own: %.2000s", records, own, text);
	printf("  %u records, %u of our own writes\n", records, own);
}

/* With records in a directory, or, as they come, among the results. */
static pid_t start_trace(char pid[16], pid_t process, const char *directory)
{
	char *argv[] = {(char *)ward, "trace", "--json", "-o", (char *)results, "--with-kernel", kernel, "-p", pid,
		library, directory ? "--ctf" : NULL, (char *)directory, NULL};

	snprintf(pid, 16, "%d", (int)process);
	return start_ward(argv);
}

/* The last site is told of when all are patched. */
static void wait_until_attached(pid_t tracer)
{
	int status;

	while (!strstr(text_of(results), "\"site\":\"libc.so.6!write:return\"")) {
		CHECK(waitpid(tracer, &status, WNOHANG) == 0, "%#x: %s", (unsigned)status, text_of(said));
		usleep(10000);
	}
}

/* ---- What it tells ---- */

/* The steps of one thread's writes so far. */
struct thread {
	int tid;
	unsigned steps;
	unsigned long time;
};

struct record {
	unsigned long time;
	int tid, site, what;
	long bytes;
	bool of_kernel;
};

static bool read_record(const char *line, struct record *r)
{
	static const char begin[] = "{\"type\":\"record\",";
	const char *at = strstr(line, "\"record\":{");
	const char *from = strstr(line, "\"from\":\"");

	if (strncmp(line, begin, sizeof(begin) - 1) != 0)
		return false;
	CHECK(at && sscanf(at, "\"record\":{\"time\":%lu,\"tid\":%d,\"site\":%d,\"what\":%d,\"bytes\":%ld}", &r->time,
			    &r->tid, &r->site, &r->what, &r->bytes) == 5,
		"%s", line);
	CHECK(from && (strcmp(from, "\"from\":\"kernel\"}") == 0 || strcmp(from, "\"from\":\"process\"}") == 0), "%s",
		line);
	r->of_kernel = strcmp(from, "\"from\":\"kernel\"}") == 0;
	CHECK(strstr(line, r->of_kernel ? "\"field\":\"kernel\"" : "\"field\":\"library\""), "%s", line);
	return true;
}

/* A call begins in the library, then in the kernel, returns there, then in the library; and then comes the next one. */
static void check_step(struct thread *t, const struct record *r, const char *line)
{
	unsigned step = t->steps % 4;

	CHECK(r->time > t->time, "%lu: %s", t->time, line);
	CHECK(r->site == (r->of_kernel ? r->what : 0), "numbers of sites are each target's: %s", line);
	CHECK(r->of_kernel == (step == 1 || step == 2) && r->what == (step >= 2), "step %u: %s", t->steps, line);
	CHECK(r->bytes == (long)t->steps / 4 + 1, "step %u: %s", t->steps, line);
	t->steps++;
	t->time = r->time;
}

static void check_records(char *text)
{
	struct thread threads[THREADS] = {0};
	unsigned long last = 0;
	unsigned n = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		struct record r;
		int t = 0;

		if (!read_record(line, &r))
			continue;
		while (t < THREADS && threads[t].tid && threads[t].tid != r.tid)
			t++;
		CHECK(t < THREADS, "another thread: %s", line);
		threads[t].tid = r.tid;
		check_step(&threads[t], &r, line);
		CHECK(r.time >= last, "%lu: %s", last, line);
		last = r.time;
		n++;
	}
	CHECK(n == THREADS * STEPS, "%u", n);
	for (int t = 0; t < THREADS; t++)
		CHECK(threads[t].steps == STEPS, "%u", threads[t].steps);
}

void test_joined(void)
{
	char pid[16], sequence[128], fields[2][128], *text, *at;
	int go, status;
	pid_t process = start_writer(&go, false), tracer = start_trace(pid, process, NULL);
	unsigned long others = 0;

	wait_until_attached(tracer);
	tell(go);
	end_well(process);
	CHECK(waitpid(tracer, &status, 0) == tracer && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%#x: %s",
		(unsigned)status, text_of(said));
	text = text_of(results);
	snprintf(sequence, sizeof(sequence),
		"{\"type\":\"sequence\",\"records\":%d,\"late\":0,\"lost\":0,\"others\":", THREADS * STEPS);
	at = strstr(text, sequence);
	CHECK(at && sscanf(at + strlen(sequence), "%lu", &others) == 1 && others > 0,
		"the tracer's own writes are others: %s", strstr(text, "\"sequence\""));
	snprintf(fields[0], sizeof(fields[0]),
		"\"field\":\"library\",\"kind\":\"ring\",\"records\":%d,\"lost\":0,\"from\":\"process\"}",
		THREADS * STEPS / 2);
	snprintf(fields[1], sizeof(fields[1]),
		"\"field\":\"kernel\",\"kind\":\"ring\",\"records\":%lu,\"lost\":0,\"from\":\"kernel\"}",
		THREADS * STEPS / 2 + others);
	CHECK(strstr(text, fields[0]) && strstr(text, fields[1]), "%s: %s", fields[0], fields[1]);
	check_records(text);
	printf("  %d records of %d threads, %lu of others\n", THREADS * STEPS, THREADS, others);
}

/* ---- On disk ---- */

/* What a trace says of its clock, to be freed. */
static char *clock_of(const char *metadata)
{
	char *begin = strstr(text_of(metadata), "\nclock {"), *end = begin ? strchr(begin, '}') : NULL;

	CHECK(end, "%s", metadata);
	return strndup(begin, (size_t)(end - begin));
}

/* All records, of both under one clock. What another program makes of that isn't tried here. */
void test_joined_on_disk(void)
{
	char pid[16], field[128], *clocks[2], *text;
	int go, status;
	pid_t process = start_writer(&go, false), tracer = start_trace(pid, process, "/tmp/ctf");
	unsigned long of_kernel = 0;

	wait_until_attached(tracer);
	tell(go);
	end_well(process);
	CHECK(waitpid(tracer, &status, 0) == tracer && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%#x: %s",
		(unsigned)status, text_of(said));
	text = text_of(results);
	CHECK(!strstr(text, "\"type\":\"record\"") && !strstr(text, "\"type\":\"sequence\""), "they are elsewhere");
	snprintf(field, sizeof(field),
		"\"field\":\"library\",\"kind\":\"ring\",\"records\":%d,\"lost\":0,\"from\":\"process\"}",
		THREADS * STEPS / 2);
	CHECK(strstr(text, field), "%s", field);
	text = strstr(text, "\"field\":\"kernel\",\"kind\":\"ring\"");
	CHECK(text &&
			sscanf(text,
				"\"field\":\"kernel\",\"kind\":\"ring\",\"records\":%lu,\"lost\":0,\"from\":"
				"\"kernel\"}",
				&of_kernel) == 1 &&
			of_kernel > THREADS * STEPS / 2,
		"%s", text);
	clocks[0] = clock_of("/tmp/ctf/process/metadata");
	clocks[1] = clock_of("/tmp/ctf/kernel/metadata");
	CHECK(strcmp(clocks[0], clocks[1]) == 0, "%s, %s", clocks[0], clocks[1]);
	printf("  %d records of the process, %lu of the kernel\n", THREADS * STEPS / 2, of_kernel);
}

/* ---- For people ---- */

/* The first line behind `at` that has these words. Returns where it ends. */
static const char *line_of(const char *at, const char *from, const char *what)
{
	while (at && *at) {
		const char *end = strchr(at, '\n');

		end = end ? end : at + strlen(at);
		if (strncmp(at, from, strlen(from)) == 0 && memmem(at, (size_t)(end - at), what, strlen(what)))
			return end;
		at = *end ? end + 1 : end;
	}
	return NULL;
}

/* A command, which is seen from its beginning. */
void test_joined_command(void)
{
	char *argv[] = {(char *)ward, "trace", "--with-kernel", kernel, library, "--", (char *)ward, "--version", NULL};
	pid_t tracer = start_ward(argv);
	const char *text, *at;
	int status;

	CHECK(waitpid(tracer, &status, 0) == tracer && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%#x: %s",
		(unsigned)status, text_of(said));
	text = text_of(said);
	at = line_of(text, "process  library  time ", "  site libc.so.6!write  what BEGINS  bytes ");
	at = line_of(at, "kernel   kernel  time ", "  site kernel!vfs_write  what BEGINS  bytes ");
	at = line_of(at, "kernel   kernel  time ", "  site kernel!vfs_write  what RETURNS  bytes ");
	at = line_of(at, "process  library  time ", "  site libc.so.6!write  what RETURNS  bytes ");
	at = line_of(at, "4 records in order of time, 0 late, 0 lost; ", " of the kernel's left out: of other threads");
	at = line_of(at, "process ", "");
	at = line_of(at, "library  2 records read, 0 lost", "");
	at = line_of(at, "2 events in 1 thread, 0 dropped", "");
	at = line_of(at, "kernel", "");
	at = line_of(at, "kernel  ", " records read, 0 lost");
	at = line_of(at, "", " events in 2 processors, 0 dropped");
	CHECK(at, "%s", text);
	fputs(text, stdout);
}

/* ---- How it ends ---- */

struct leftovers {
	unsigned n, places, restored;
};

static void count_leftover(void *user, const struct ward_leftover *leftover)
{
	struct leftovers *l = user;

	CHECK(!leftover->live, "its tracer is gone");
	l->n++;
	l->places += leftover->places;
	l->restored += leftover->restored;
}

static void note_method(void *user, const struct ward_site_report *report)
{
	*(bool *)user = report->method && strcmp(report->method, "direct call") == 0;
}

/* Nobody has the kernel's function: the first one's is a direct call. */
static bool kernel_is_free(void)
{
	bool direct = false;

	ward_session_free(attached_with("count", "kernel!vfs_write", note_method, &direct));
	return direct;
}

/*
 * In the midst of a trace: the process goes on right, with its probes, until these are taken off; the kernel's are
 * gone.
 */
void test_joined_killed(void)
{
	unsigned left = 0;
	int go, status;
	pid_t process = start_writer(&go, true);

	tell(go);
	for (unsigned i = 0; i < 6; i++) {
		char pid[16];
		pid_t tracer = start_trace(pid, process, NULL);
		struct leftovers leftovers = {0};
		struct ward_cleanup_options options = {
			.size = sizeof(options), .on_leftover = count_leftover, .user = &leftovers};
		struct ward_error err;

		wait_until_attached(tracer);
		usleep(i * 100000);
		kill(tracer, SIGKILL);
		CHECK(waitpid(tracer, &status, 0) == tracer && WIFSIGNALED(status), "killed");
		CHECK(kernel_is_free(), "the kernel's are gone");
		CHECK(waitpid(process, &status, WNOHANG) == 0, "the process goes on: %#x", (unsigned)status);
		CHECK(ward_cleanup(process, &options, &err) == 0, "%s: %s", err.what, err.why);
		CHECK(leftovers.n == 1 && leftovers.places && leftovers.restored == leftovers.places, "%u: %u of %u",
			leftovers.n, leftovers.restored, leftovers.places);
		left += leftovers.places;
	}
	close(go);
	end_well(process);
	printf("  %u places restored\n", left);
}

/* ---- What is refused ---- */

static void refuses(char *const argv[], int expected, const char *words)
{
	pid_t tracer = start_ward(argv);
	int status;
	const char *text;

	CHECK(waitpid(tracer, &status, 0) == tracer, "it ended");
	text = text_of(said);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == expected && strstr(text, words) && strstr(text, "\nhint: "),
		"%#x: %s", (unsigned)status, text);
	CHECK(kernel_is_free(), "%s", words);
}

/* `ward --version`, that was to be traced, has printed that. */
static bool was_started(void)
{
	char version[64];

	snprintf(version, sizeof(version), "ward %s\n", ward_version());
	return strstr(text_of(said), version);
}

/* Start a process that is numbered otherwise than in the kernel, by one that ends when it does. Returns that one. */
static pid_t start_container(pid_t *inner)
{
	int told[2], go;
	pid_t parent;

	CHECK(pipe(told) == 0, "a pipe");
	parent = fork();
	if (parent == 0) {
		CHECK(unshare(CLONE_NEWPID) == 0, "%s", strerror(errno));
		*inner = start_writer(&go, false);
		CHECK(write(told[1], inner, sizeof(*inner)) == sizeof(*inner), "told");
		pause();
	}
	CHECK(read(told[0], inner, sizeof(*inner)) == sizeof(*inner), "its number");
	return parent;
}

static void refuses_containers(void)
{
	char pid[16];
	char *process[] = {(char *)ward, "trace", "--with-kernel", kernel, "-p", pid, library, NULL};
	char *command[] = {
		(char *)ward, "trace", "--with-kernel", kernel, library, "--", (char *)ward, "--version", NULL};
	pid_t inner, parent = start_container(&inner);

	snprintf(pid, sizeof(pid), "%d", (int)inner);
	refuses(process, 3,
		"it is in a container (a pid namespace), where its threads have other numbers than in the kernel");
	kill(parent, SIGKILL); /* the last writer that could tell the other one to go */
	CHECK(waitpid(parent, NULL, 0) == parent, "it ended");
	CHECK(unshare(CLONE_NEWPID) == 0, "%s", strerror(errno));
	refuses(command, 3, "the command: it is in a container");
	CHECK(!was_started(), "it was not started");
}

/* None of both is attached then, and a command isn't started. */
void test_joined_refused(void)
{
	int go;
	pid_t process = start_writer(&go, false);
	struct leftovers leftovers = {0};
	struct ward_cleanup_options options = {
		.size = sizeof(options), .on_leftover = count_leftover, .user = &leftovers};
	char pid[16];
	char *swapped[] = {(char *)ward, "trace", "--with-kernel", library, "-p", pid, library, NULL};
	char *twice[] = {(char *)ward, "trace", "--with-kernel", kernel, "-p", pid, kernel, NULL};
	char *nowhere[] = {(char *)ward, "trace", "--with-kernel", kernel, "-f", "libc.so.6!no_such_function", library,
		"--", (char *)ward, "--version", NULL};

	snprintf(pid, sizeof(pid), "%d", (int)process);
	refuses(swapped, 2, "compiled for processes");
	refuses(twice, 2, "compiled for the kernel");
	refuses(nowhere, 3, "no function matches");
	CHECK(!was_started(), "it was not started");
	CHECK(ward_cleanup(process, &options, NULL) == 0 && leftovers.n == 0, "%u", leftovers.n);
	tell(go);
	end_well(process);
	refuses_containers();
}
