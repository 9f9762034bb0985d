/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-stacks [--check] TARGET FOLDER: what it costs to take a thread's stack, beside libgcc's backtrace and
 * libunwind's unw_backtrace in the same process; and what it costs to update state that threads share, beside a
 * thread's own. All take turns. Each stack and each update is counted, and must be right. --check prints no times.
 * Where bpftrace is installed and may trace, its ustack takes turns with them in the same program with frame pointers,
 * which it needs: TARGET's name in the folder `framed` beside it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codegen/codegen.h"
#include "target.h"
#include "ward/ward.h"

enum { ROUNDS = 61, CHECK_ROUNDS = 2, A_SECOND = 1000, NAME = 8192 };

/* A target with a probe. */
struct traced {
	pid_t pid;
	int fd; /* its input and output */
	unsigned sites;
	struct ward_buf module;
	ward_session *session;
	ward_names *names;
	ward_schema *schema;
	ward_snapshot *snapshot;
	struct measured measured;
};

static bool failed(const char *what)
{
	fprintf(stderr, "ward: bench: stacks: %s\n", what);
	return false;
}

static bool said(const struct ward_error *err)
{
	if (err->status)
		fprintf(stderr, "ward: %s: %s\nhint: %s\n", err->what, err->why, err->hint);
	return err->status != 0;
}

static void say(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

/* ---- a run ---- */

static bool target_start(struct traced *t, const char *program, const char *part, unsigned rounds)
{
	char number[12], byte;
	int ends[2];

	snprintf(number, sizeof(number), "%u", rounds);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return failed("no sockets");
	t->pid = fork();
	if (t->pid == 0) {
		dup2(ends[1], 0);
		dup2(ends[1], 1);
		execl(program, program, part, number, NULL);
		_exit(127);
	}
	close(ends[1]);
	t->fd = ends[0];
	return (t->pid > 0 && read(t->fd, &byte, 1) == 1) || failed("the target can't be started");
}

static bool target_attach(struct traced *t, const char *folder, const char *probe)
{
	struct ward_cc_options options = {.diag = say};
	const char *const allow[] = {"ward_stack_take"};
	struct ward_attach_options attach = {.size = sizeof(attach), .names = &t->names, .allow = allow, .n_allow = 1};
	struct ward_error err = {0};
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", folder, probe);
	if (ward_cc(path, &options, &t->module))
		return failed("the probe can't be compiled");
	ward_schema_read(t->module.data, t->module.size, &t->schema, &err);
	if (!err.status)
		ward_attach(t->pid, t->module.data, t->module.size, &attach, &t->session, &err);
	return !said(&err);
}

static bool target_work(struct traced *t)
{
	struct ward_session_stats stats = {0};
	struct ward_error err = {0};
	char byte = 0;

	if (write(t->fd, &byte, 1) != 1 ||
		recv(t->fd, &t->measured, sizeof(t->measured), MSG_WAITALL) != sizeof(t->measured))
		return failed("the target has failed");
	ward_session_stats(t->session, &stats);
	if (stats.sites != t->sites)
		return failed("not every function could be probed");
	if (stats.dropped)
		return failed("events were dropped");
	ward_snapshot_take(t->session, t->schema, &t->snapshot, &err);
	return !said(&err);
}

static bool target_end(struct traced *t)
{
	int status = -1;

	ward_snapshot_free(t->snapshot);
	ward_session_free(t->session);
	ward_names_close(t->names);
	ward_schema_free(t->schema);
	free(t->module.data);
	if (t->pid <= 0)
		return false;
	close(t->fd);
	waitpid(t->pid, &status, 0);
	return status == 0 || failed("the target has ended badly");
}

static const struct ward_field *find(const struct traced *t, const char *name)
{
	static const struct ward_field none;

	for (size_t i = 0; i < ward_snapshot_fields(t->snapshot); i++)
		if (strcmp(ward_snapshot_field(t->snapshot, i)->name, name) == 0)
			return ward_snapshot_field(t->snapshot, i);
	return &none;
}

/* ---- what must be right ---- */

static uint64_t calls_made(const struct traced *t, unsigned row)
{
	uint64_t calls = 0;

	for (unsigned column = 0; column < COLUMNS; column++)
		calls += t->measured.calls[row][column];
	return calls;
}

/* Take off where in its function each return address is. */
static void offsets_drop(char *text)
{
	char *to = text;

	for (const char *c = text; *c; c++) {
		if (strncmp(c, "+0x", 3) == 0)
			c += strcspn(c, ";");
		if (!*c)
			break;
		*to++ = *c;
	}
	*to = 0;
}

/* Take out functions that are inlined in others, which have no frames of their own. */
static void inlined_drop(char *text)
{
	static const char mark[] = " (inlined)";

	for (char *at; (at = strstr(text, mark)) != NULL;) {
		char *from = at, *behind = at + strlen(mark);

		while (from > text && *from != ';')
			from--;
		memmove(from, behind, strlen(behind) + 1);
	}
}

/* The functions of a stack, as Ward names them. Without a path: the one of the busy load. */
static void stack_text(const unsigned *path, char *text, size_t size)
{
	const char *const own = "ward-bench-stacks-target!";
	size_t n = (size_t)snprintf(text, size, "[more]");

	for (unsigned depth = FRAMES - 2; depth > 0; depth--) {
		bool b = path && depth <= 8 && *path >> (depth - 1) & 1;

		n += (size_t)snprintf(text + n, size - n, ";%s%s", own, !path ? "deep" : b ? "path_b" : "path_a");
	}
	snprintf(text + n, size - n, ";%s%s;%straced_count", own, path ? "bottom" : "busy_bottom", own);
}

/* Is that a stack of the target, and is it counted as often as it was taken? */
static bool stack_right(const struct traced *t, const struct ward_map_entry *e, unsigned rounds, bool *seen)
{
	char expected[NAME], text[NAME];

	if (!ward_names_find_at(t->names, e->key, e->thread, 0, text, sizeof(text)))
		return false;
	offsets_drop(text);
	inlined_drop(text);
	for (unsigned path = 0; path <= PATHS; path++) {
		uint64_t calls = path == PATHS ? BUSY_CALLS : TURN_CALLS + (path == 0 ? AGAIN_CALLS : 0);

		stack_text(path == PATHS ? NULL : &path, expected, sizeof(expected));
		if (strcmp(text, expected))
			continue;
		if (seen[path] || e->value != calls * rounds)
			return false;
		seen[path] = true;
		return true;
	}
	fprintf(stderr, "%s\n", text);
	return false;
}

static bool check_stacks(const struct traced *t, unsigned rounds)
{
	const struct ward_field *stacks = find(t, "by_stack");
	bool seen[PATHS + 1] = {false};

	if (find(t, "taken")->value != calls_made(t, TAKE) || find(t, "none")->value)
		return failed("not every stack was taken");
	if (t->measured.failed)
		return failed("a library's stack has another length");
	if (stacks->n != PATHS + 1 || stacks->lost)
		return failed("there are not as many stacks as paths");
	for (size_t i = 0; i < stacks->n; i++)
		if (!stack_right(t, &stacks->entries[i], rounds, seen))
			return failed("a stack is wrong, or wrongly counted");
	return true;
}

/* Each key of the map, and the sum of them all. */
static bool map_right(const struct ward_field *map, const uint64_t *calls)
{
	uint64_t own = calls[OWN_KEYS] / 2, key0 = calls[ALONE] + calls[SAME_KEY] + own;

	if (map->n != 2 || map->lost)
		return false;
	for (size_t i = 0; i < map->n; i++)
		if (map->entries[i].value != (map->entries[i].key == OWN_KEY ? own : key0))
			return false;
	return map->entries[0].key != map->entries[1].key;
}

static bool check_shared(const struct traced *t)
{
	const struct ward_field *begun = find(t, "shared.begun");
	uint64_t popped = find(t, "popped")->value, missed = find(t, "missed")->value;

	if (find(t, "count")->value != calls_made(t, PRIVATE_COUNT) ||
		find(t, "shared.count")->value != calls_made(t, SHARED_COUNT))
		return failed("a count is wrong");
	if (!map_right(find(t, "map"), t->measured.calls[PRIVATE_MAP]) ||
		!map_right(find(t, "shared.map"), t->measured.calls[SHARED_MAP]))
		return failed("a map is wrong");
	if (popped + missed != calls_made(t, PUT_POP) || missed > t->measured.calls[PUT_POP][SAME_KEY] ||
		(begun->n && !begun->lost))
		return failed("what was put was not taken once");
	return true;
}

/* ---- the tables ---- */

/* What a call costs beyond one of row 0. The least of two rows needn't be of one moment, but both are undisturbed. */
static double added(const struct measured *m, unsigned row, unsigned column)
{
	return m->median[row][column] - m->median[0][column];
}

static double added_least(const struct measured *m, unsigned row, unsigned column)
{
	return m->least[row][column] - m->least[0][column];
}

static void print_rows(const struct measured *m, const char *const *names, unsigned rows)
{
	for (unsigned row = 1; row < rows; row++) {
		if (!m->calls[row][0]) {
			printf("%-32s not installed\n", names[row]);
			continue;
		}
		printf("%-32s", names[row]);
		for (unsigned column = 0; column < COLUMNS; column++)
			printf(" %12.1f %9.1f", added(m, row, column), added_least(m, row, column));
		printf("\n");
	}
}

static void print_head(const char *what, const char *const *columns)
{
	printf("%-32s", what);
	for (unsigned column = 0; column < COLUMNS; column++)
		printf(" %22s", columns[column]);
	printf("\n%-32s", "");
	for (unsigned column = 0; column < COLUMNS; column++)
		printf(" %12s %9s", "median", "least");
	printf("\n");
}

static void print_stacks(const struct measured *m, bool bpftrace)
{
	static const char *const loads[] = {"one stack again", "256 in turn", "after other work"};
	static const char *const names[] = {"", "Ward: a stack taken", "Ward: and counted in a map",
		"libgcc: backtrace", "libunwind: unw_backtrace", "bpftrace: ustack, counted"};

	print_head("ns added to a call, 20 frames", loads);
	print_rows(m, names, bpftrace ? TAKERS : BPFTRACE);
	if (bpftrace)
		return;
	printf("A frame: %.1f ns of one stack again, %.1f ns of 256 in turn. %u a second, each after other work and "
	       "counted: %.3f %% of a processor.\n",
		added(m, TAKE, AGAIN) / FRAMES, added(m, TAKE, IN_TURN) / FRAMES, A_SECOND,
		added(m, COUNT, BUSY) * A_SECOND / 1e9 * 100);
}

static void print_shared(const struct measured *m)
{
	static const char *const threads[] = {"one thread", "two, own keys", "two, the same key"};
	static const char *const names[] = {"", "Ward: count, private", "Ward: count, shared",
		"Ward: add to a map, private", "Ward: add to a map, shared", "Ward: put and pop, shared"};

	printf("\n");
	print_head("ns added to a call", threads);
	print_rows(m, names, UPDATES);
	printf("nan (if any): two threads were never seen to run at the same time, as other programs kept the "
	       "processors busy.\n");
	printf("Adding to a shared map takes %.2f times what adding to a private one does.\n",
		added(m, SHARED_MAP, ALONE) / added(m, PRIVATE_MAP, ALONE));
}

/* ---- bpftrace ---- */

struct bpftrace {
	pid_t pid;
	int out;
};

static bool bpftrace_start(struct bpftrace *b, const char *program)
{
	char text[2 * NAME];
	int ends[2];

	snprintf(text, sizeof(text),
		"uprobe:%s:traced_by_bpftrace { @s[ustack(%d)] = count(); @n = count(); } END { clear(@s); }", program,
		FRAMES);
	if (pipe2(ends, O_CLOEXEC))
		return false;
	b->out = ends[0];
	b->pid = fork();
	if (b->pid == 0) {
		dup2(ends[1], 1);
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 2);
		execlp("bpftrace", "bpftrace", "-q", "-e", text, NULL);
		_exit(127);
	}
	close(ends[1]);
	return b->pid > 0;
}

/* End it. Returns how often it has counted. */
static unsigned long bpftrace_end(struct bpftrace *b)
{
	char text[NAME] = "";
	size_t n = 0;
	ssize_t got;
	const char *count;

	kill(b->pid, SIGINT);
	while (n < sizeof(text) - 1 && (got = read(b->out, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	close(b->out);
	waitpid(b->pid, NULL, 0);
	count = strstr(text, "@n: ");
	return count ? strtoul(count + 4, NULL, 10) : 0;
}

/* The same stacks in the program with frame pointers. True as well if there is no bpftrace. */
static bool run_bpftrace(const char *program, const char *folder)
{
	const char *name = strrchr(program, '/');
	struct traced t = {.sites = 2};
	struct bpftrace b = {0};
	char path[NAME];
	bool ok;

	if (system("command -v bpftrace >/dev/null") != 0) {
		printf("bpftrace is not installed.\n");
		return true;
	}
	name = name ? name + 1 : program;
	snprintf(path, sizeof(path), "%.*sframed/%s", (int)(name - program), program, name);
	ok = target_start(&t, path, "bpftrace", ROUNDS) && target_attach(&t, folder, "stack_probe.c") &&
	     bpftrace_start(&b, path) && target_work(&t) && check_stacks(&t, ROUNDS);
	if (b.pid > 0 && bpftrace_end(&b) != calls_made(&t, BPFTRACE) && ok)
		ok = failed("bpftrace has not counted every call");
	if (ok) {
		printf("\nThe same in a program with frame pointers:\n");
		print_stacks(&t.measured, true);
	}
	return target_end(&t) && ok;
}

static bool run_part(const char *program, const char *folder, bool shared, bool check)
{
	struct traced t = {.sites = shared ? UPDATES - 1 : 2};
	unsigned rounds = check ? CHECK_ROUNDS : ROUNDS;
	bool ok = target_start(&t, program, shared ? "shared" : "stacks", rounds) &&
		  target_attach(&t, folder, shared ? "shared_probe.c" : "stack_probe.c") && target_work(&t) &&
		  (shared ? check_shared(&t) : check_stacks(&t, rounds));

	if (ok && !check)
		shared ? print_shared(&t.measured) : print_stacks(&t.measured, false);
	return target_end(&t) && ok;
}

int main(int argc, char **argv)
{
	bool check = argc > 1 && strcmp(argv[1], "--check") == 0;

	if (argc != 3 + check) {
		fprintf(stderr, "usage: ward-bench-stacks [--check] TARGET FOLDER\n");
		return 2;
	}
	if (!run_part(argv[1 + check], argv[2 + check], false, check) || (!check && !run_bpftrace(argv[1], argv[2])) ||
		!run_part(argv[1 + check], argv[2 + check], true, check))
		return 1;
	if (check)
		printf("stacks: each is the right one, and all are counted; shared state is exact\n");
	return 0;
}
