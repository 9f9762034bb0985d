/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks that come and go often, on a function that all processors call meanwhile, leave nothing behind: no hooks, no
 * memory, no room taken for code, and the module can be unloaded.
 *
 * WARD_CYCLES on the kernel's command line says how often. `make soak` does it 2000 times, and kills a tenth as many
 * tracers.
 */
#include "suite.h"

#include "machine.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENTRY, RETURN };

static const uint32_t fields[2] = {1u << 0 | 1u << TID, 1u << RET | 1u << ELAPSED};

static unsigned cycles(void)
{
	const char *text = getenv("WARD_CYCLES");

	return text ? (unsigned)strtoul(text, NULL, 10) : 40;
}

/* A long run says how far it is. */
static void tell(unsigned i, unsigned n)
{
	if (i && i % 100 == 0) {
		printf("  %u of %u times\n", i, n);
		fflush(stdout);
	}
}

/* ---- What there is ---- */

struct found {
	unsigned users; /* of the module */
	unsigned hooks, maps, room;
};

static unsigned count_lines(const char *path, const char *words)
{
	char line[4096];
	FILE *f = fopen(path, "r");
	unsigned n = 0;

	CHECK(f, "%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f))
		n += strstr(line, words) != NULL;
	fclose(f);
	return n;
}

static unsigned users(void)
{
	FILE *f = fopen("/sys/module/ward/refcnt", "r");
	unsigned n;

	CHECK(f && fscanf(f, "%u", &n) == 1, "%s", strerror(errno));
	fclose(f);
	return n;
}

/* How many sessions there is room for. */
static unsigned room(void)
{
	static struct machine m[1024];
	unsigned n = 0;
	int error;

	while ((error = make_machine(&m[n], fields, 2)) == 0)
		CHECK(++n < 1024, "there is no end");
	CHECK(error == ENOSPC, "%s", strerror(error));
	CHECK(count_lines("/proc/vmallocinfo", "[ward]") >= n, "each has memory");
	for (unsigned i = 0; i < n; i++)
		close_machine(&m[i]);
	return n;
}

static struct found look(void)
{
	struct found f = {.room = room(), .users = users()};

	f.hooks = count_lines("/sys/kernel/tracing/enabled_functions", "(");
	f.maps = count_lines("/proc/vmallocinfo", "[ward]");
	return f;
}

/* Stubs of calls that were open at the last detach go when they are looked at. */
static void check_nothing_left(const struct found *before)
{
	struct found now;

	while (users() != before->users)
		usleep(10000);
	now = look();
	CHECK(now.users == before->users && now.hooks == before->hooks && now.maps == before->maps &&
			now.room == before->room,
		"%u users, %u hooks, %u pieces of memory, room for %u; before: %u, %u, %u, %u", now.users, now.hooks,
		now.maps, now.room, before->users, before->hooks, before->maps, before->room);
}

/* ---- Who calls ---- */

enum { MOST_PROCESSORS = 64 };

static volatile bool stop;
static pthread_t caller[MOST_PROCESSORS];
static unsigned n_callers;

static void *call_there(void *processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)processor, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0, "%s", strerror(errno));
	while (!stop) {
		call_getppid(200);
		usleep(100); /* others want the processor too */
	}
	return NULL;
}

static void start_callers(void)
{
	n_callers = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	CHECK(n_callers <= MOST_PROCESSORS, "%u", n_callers);
	stop = false;
	for (unsigned i = 0; i < n_callers; i++)
		CHECK(pthread_create(&caller[i], NULL, call_there, (void *)(size_t)i) == 0, "a thread");
}

static void end_callers(void)
{
	stop = true;
	for (unsigned i = 0; i < n_callers; i++)
		pthread_join(caller[i], NULL);
}

/* ---- Who comes and goes ---- */

/* Both ends, of which either is the first. */
static void hook_both(struct machine *m, uint64_t site, bool returns_first)
{
	for (unsigned i = 0; i < 2; i++) {
		unsigned end = i ^ returns_first;
		uint32_t method = hook(m, end, &site, 1, end == RETURN ? WARD_K_RETURN : WARD_K_ENTRY);

		CHECK(method == (end == RETURN ? WARD_K_WRAP : WARD_K_DIRECT), "%u: %s", method, strerror(errno));
	}
}

void test_often(void)
{
	const struct found before = look();
	uint64_t site = address_of("__x64_sys_getppid"), entered = 0, returned = 0;
	unsigned n = cycles();

	start_callers();
	for (unsigned i = 0; i < n; i++) {
		struct machine m = machine_of(fields, 2);

		tell(i, n);
		hook_both(&m, site, i & 1);
		while (sums_of(&m, ENTRY).runs < 100 || sums_of(&m, RETURN).runs < 100)
			usleep(100);
		if (i & 2)
			detach(&m);
		CHECK(dropped(&m) == 0, "%lu", dropped(&m));
		entered += sums_of(&m, ENTRY).runs;
		returned += sums_of(&m, RETURN).runs;
		close_machine(&m);
	}
	end_callers();
	check_nothing_left(&before);
	printf("  %u times, %lu entries, %lu returns\n", n, entered, returned);
}

/* A probe that takes stacks of the kernel, or of the kernel and of who calls, and writes what it takes to tables. */
static uint64_t take_stacks(unsigned i, uint64_t least)
{
	static const char *const allow[] = {"ward_kernel_stack_take", "ward_user_stack_take"};
	static struct module module[2];
	const char *name = i & 1 ? "userstacked" : "stacked";
	ward_names *names = NULL;
	struct ward_attach_options o = {
		.size = sizeof(o), .site = i & 1 ? NULL : getppid_site, .allow = allow, .n_allow = 2, .names = &names};
	struct ward_session_stats stats;
	struct ward_error err;
	ward_session *s;

	if (!module[i & 1].data)
		module[i & 1] = module_named(name);
	CHECK(ward_attach_kernel(module[i & 1].data, module[i & 1].size, &o, &s, &err) == 0, "%s: %s", err.what,
		err.why);
	for (ward_session_stats(s, &stats); stats.events < least; ward_session_stats(s, &stats))
		usleep(1000);
	CHECK(field_value(s, name, "none") == 0, "each has a stack");
	if (i & 2)
		CHECK(ward_detach(s, NULL) == 0, "detached");
	ward_session_free(s);
	ward_names_close(names);
	return stats.events;
}

void test_often_stacks(void)
{
	const struct found before = look();
	unsigned n = (cycles() + 3) / 4;
	uint64_t taken = 0;

	start_callers();
	for (unsigned i = 0; i < n; i++) {
		tell(i, n);
		taken += take_stacks(i, 100);
	}
	end_callers();
	check_nothing_left(&before);
	printf("  %u times, %lu stacks\n", n, taken);
}

/* With stacks or without. */
static void come_and_go(uint64_t site, bool stacks)
{
	for (unsigned i = 0;; i++) {
		struct machine m;

		if (stacks) {
			take_stacks(i, i & 4 ? 100 : 0);
			continue;
		}
		m = machine_of(fields, 2);
		hook_both(&m, site, i & 1);
		if (i & 2)
			detach(&m);
		close_machine(&m);
	}
}

/* Wherever they are just then. */
void test_often_killed(void)
{
	const struct found before = look();
	uint64_t site = address_of("__x64_sys_getppid");
	unsigned n = (cycles() + 9) / 10, seed = 1;

	start_callers();
	for (unsigned i = 0; i < n; i++) {
		pid_t child = fork();
		int status;

		tell(i, n);
		if (child == 0)
			come_and_go(site, i & 1);
		usleep((useconds_t)rand_r(&seed) % 400000);
		CHECK(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child, "%s", strerror(errno));
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "it was still there: %#x", (unsigned)status);
	}
	end_callers();
	check_nothing_left(&before);
	printf("  %u times\n", n);
}
