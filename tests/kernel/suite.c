/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the kernel target, run as root in a virtual machine. */
#include "suite.h"
#include "unframed.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

const char *probes, *ward;

const char getppid_site[] = "kernel!__x64_sys_getppid";

struct module module_named(const char *name)
{
	char path[256];
	struct module m = {0};
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s.ward", probes, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0 && fstat(fd, &st) == 0, "%s: %s", path, strerror(errno));
	m.size = (size_t)st.st_size;
	m.data = malloc(m.size);
	CHECK(m.data && read(fd, m.data, m.size) == (ssize_t)m.size, "%s", path);
	close(fd);
	return m;
}

ward_session *attached_with(const char *module, const char *site, ward_site_fn *fn, void *user)
{
	static const char *const allow[] = {
		"ward_kernel_read", "ward_kernel_read_str", "ward_kernel_current", "ward_kernel_stack_take"};
	struct ward_attach_options o = {.size = sizeof(o),
		.site = site,
		.on_site = fn,
		.user = user,
		.allow = allow,
		.n_allow = sizeof(allow) / sizeof(allow[0])};
	struct module m = module_named(module);
	struct ward_error err;
	ward_session *s;

	CHECK(ward_attach_kernel(m.data, m.size, &o, &s, &err) == 0, "%s: %s", err.what, err.why);
	return s;
}

ward_session *attached(const char *module, const char *site)
{
	return attached_with(module, site, NULL, NULL);
}

void refused(const char *module, const char *site, int status, const char *words)
{
	struct ward_attach_options o = {.size = sizeof(o), .site = site};
	struct module m = module_named(module);
	struct ward_error err;
	ward_session *s;
	int rc = ward_attach_kernel(m.data, m.size, &o, &s, &err);

	CHECK(rc == status && s == NULL, "%d: %s: %s", rc, err.what, err.why);
	CHECK(strstr(err.why, words), "%s", err.why);
	CHECK(err.hint[0], "a hint");
}

/* The field, in a snapshot that is to be freed. */
static const struct ward_field *field_of(
	ward_session *s, const char *module, const char *name, ward_snapshot **snapshot, ward_schema **schema)
{
	struct module m = module_named(module);

	CHECK(ward_schema_read(m.data, m.size, schema, NULL) == 0, "a schema");
	CHECK(ward_snapshot_take(s, *schema, snapshot, NULL) == 0, "a snapshot");
	for (size_t i = 0; i < ward_snapshot_fields(*snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(*snapshot, i);

		if (strcmp(f->name, name) == 0)
			return f;
	}
	CHECK(false, "no field %s", name);
	return NULL;
}

uint64_t field_value(ward_session *s, const char *module, const char *field)
{
	ward_snapshot *snapshot;
	ward_schema *schema;
	uint64_t value = field_of(s, module, field, &snapshot, &schema)->value;

	ward_snapshot_free(snapshot);
	ward_schema_free(schema);
	return value;
}

uint64_t field_count(ward_session *s, const char *module, const char *field)
{
	ward_snapshot *snapshot;
	ward_schema *schema;
	const struct ward_field *f = field_of(s, module, field, &snapshot, &schema);
	uint64_t count = 0;

	for (size_t i = 0; i < f->n; i++)
		count += f->buckets[i].count;
	ward_snapshot_free(snapshot);
	ward_schema_free(schema);
	return count;
}

uint64_t map_value(ward_session *s, const char *module, const char *field, uint64_t key)
{
	ward_snapshot *snapshot;
	ward_schema *schema;
	const struct ward_field *f = field_of(s, module, field, &snapshot, &schema);
	uint64_t value = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->entries[i].key == key)
			value = f->entries[i].value;
	ward_snapshot_free(snapshot);
	ward_schema_free(schema);
	return value;
}

void call_getppid(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		syscall(SYS_getppid);
}

static uint64_t my_calls(ward_session *s)
{
	return map_value(s, "count", "by_thread", (uint64_t)syscall(SYS_gettid));
}

/* ---- Counting ---- */

static void remember_site(void *user, const struct ward_site_report *report)
{
	*(struct ward_site_report *)user = *report;
}

static void test_count(void)
{
	struct ward_site_report site = {0};
	ward_session *s = attached_with("count", getppid_site, remember_site, &site);
	struct ward_session_stats stats;

	CHECK(site.method && strcmp(site.method, "direct call") == 0, "%s", site.method ? site.method : site.reason);
	call_getppid(10000);
	CHECK(ward_detach(s, NULL) == 0, "detached");
	call_getppid(100);
	CHECK(my_calls(s) == 10000, "%lu", my_calls(s));
	ward_session_stats(s, &stats);
	CHECK(stats.events == field_value(s, "count", "calls"), "%lu", stats.events);
	CHECK(stats.sites == 1 && stats.dropped == 0, "%u sites, %lu dropped", stats.sites, stats.dropped);
	ward_session_free(s);
}

/* Two sessions have one function. Whoever goes first, both count all. */
static void test_two_sessions(void)
{
	for (int first = 0; first < 2; first++) {
		struct ward_site_report site = {0};
		ward_session *s[2] = {
			attached("count", getppid_site), attached_with("count", getppid_site, remember_site, &site)};

		CHECK(site.method && strcmp(site.method, "direct call") == 0, "%s",
			site.method ? site.method : site.reason);
		call_getppid(1000);
		CHECK(ward_detach(s[first], NULL) == 0, "detached");
		call_getppid(500);
		CHECK(ward_detach(s[!first], NULL) == 0, "detached");
		CHECK(my_calls(s[first]) == 1000, "%lu", my_calls(s[first]));
		CHECK(my_calls(s[!first]) == 1500, "%lu", my_calls(s[!first]));
		ward_session_free(s[0]);
		ward_session_free(s[1]);
	}
}

static void check_fields(ward_session *s, unsigned n, const void *buffer)
{
	CHECK(field_value(s, "fields", "calls") == n, "%lu", field_value(s, "fields", "calls"));
	CHECK(field_value(s, "fields", "good_caller") == n, "%lu", field_value(s, "fields", "good_caller"));
	CHECK(field_value(s, "fields", "good_sp") == n, "%lu", field_value(s, "fields", "good_sp"));
	CHECK(field_value(s, "fields", "good_cpu") == n, "%lu", field_value(s, "fields", "good_cpu"));
	CHECK(field_value(s, "fields", "later") == n, "%lu", field_value(s, "fields", "later"));
	CHECK(map_value(s, "fields", "arg0", 0xff) == n, "a file of the kernel's");
	CHECK(map_value(s, "fields", "arg1", (uintptr_t)buffer) == n, "the buffer");
	CHECK(map_value(s, "fields", "arg2", 12345) == n, "the count");
	CHECK(map_value(s, "fields", "by_site", 0) == n, "site 0");
}

/* All that there is of an event at an entry, through either kind of hook. */
static void write_and_check(void)
{
	static char buffer[12345];
	int null = open("/dev/null", O_WRONLY);
	ward_session *s[2] = {attached("fields", NULL), attached("fields", NULL)};

	for (int i = 0; i < 1000; i++)
		CHECK(write(null, buffer, sizeof(buffer)) == sizeof(buffer), "the traced function does what it did");
	close(null);
	for (int i = 0; i < 2; i++) {
		ward_detach(s[i], NULL);
		check_fields(s[i], 1000, buffer);
		ward_session_free(s[i]);
	}
}

static void test_fields(void)
{
	write_and_check();
	load_points();
	do_points("hold", "vfs_write");
	write_and_check();
	do_points("release", "1");
	CHECK(unload_points() == 0, "it is free");
}

struct many {
	unsigned attached, skipped;
	uint32_t getppid;
};

static void count_sites(void *user, const struct ward_site_report *report)
{
	struct many *m = user;

	m->attached += report->method != NULL;
	m->skipped += report->reason != NULL;
	/* its function has several names, of which one is told */
	if (report->method && strstr(report->site, "_sys_getppid"))
		m->getppid = report->number;
}

/* All system calls at once. */
static void test_many(void)
{
	struct many m = {.getppid = UINT32_MAX};
	ward_session *s = attached_with("many", "kernel!__x64_sys_*", count_sites, &m);

	CHECK(m.attached > 300, "%u attached, %u skipped", m.attached, m.skipped);
	CHECK(m.getppid != UINT32_MAX, "getppid is among them");
	call_getppid(1234);
	ward_detach(s, NULL);
	CHECK(map_value(s, "many", "by_site", m.getppid) >= 1234, "%lu", map_value(s, "many", "by_site", m.getppid));
	CHECK(map_value(s, "many", "by_site", m.getppid) < 1300, "%lu", map_value(s, "many", "by_site", m.getppid));
	printf("  %u functions\n", m.attached);
	ward_session_free(s);
}

/* Calls of functions of the kernel and of a module, by module. */
struct modules {
	ward_schema *schema;
	unsigned of_kernel, of_points;
};

static void tell_module(void *user, const struct ward_site_report *report)
{
	struct modules *m = user;

	CHECK(ward_schema_site(m->schema, report, NULL) == 0, "%s", report->site);
	m->of_kernel += report->method && strcmp(report->module, "vmlinux") == 0;
	m->of_points += report->method && strcmp(report->module, "ward_points") == 0;
}

static void test_modules(void)
{
	struct module probe = module_named("modules");
	struct modules m = {0};
	ward_snapshot *snapshot;
	const struct ward_field *f;
	uint64_t calls = 0;
	char name[64];
	ward_session *s;

	load_points();
	CHECK(ward_schema_read(probe.data, probe.size, &m.schema, NULL) == 0, "a schema");
	s = attached_with("modules", "kernel!*[ds]_*[0-9p][0-9i]*", tell_module, &m);
	CHECK(m.of_kernel > 30 && m.of_points == 16, "%u and %u functions", m.of_kernel, m.of_points);
	call_getppid(1234);
	do_points("call", "10");
	CHECK(ward_detach(s, NULL) == 0, "detached");
	CHECK(ward_snapshot_take(s, m.schema, &snapshot, NULL) == 0, "a snapshot");
	f = ward_snapshot_field(snapshot, 1);
	for (size_t i = 0; i < f->n; i++) {
		CHECK(ward_enumeration_name(f->enumeration, f->entries[i].key, name, sizeof(name)), "%lu",
			f->entries[i].key);
		printf("  %s: %lu\n", name, f->entries[i].value);
		if (strcmp(name, "ward_points") == 0)
			CHECK(f->entries[i].value == 160, "%lu", f->entries[i].value);
		else if (strcmp(name, "vmlinux") == 0)
			CHECK(f->entries[i].value >= 1234, "%lu", f->entries[i].value);
		calls += f->entries[i].value;
	}
	CHECK(f->n >= 2 && calls == ward_snapshot_field(snapshot, 0)->value, "%zu modules, %lu calls", f->n, calls);
	ward_snapshot_free(snapshot);
	ward_session_free(s);
	ward_schema_free(m.schema);
	CHECK(unload_points() == 0, "it is free");
}

/*
 * All functions at once: the study of probes/kernel/functions.c, at its own sites. What the system does meanwhile it
 * does through the probe.
 */
static void test_every(void)
{
	struct many m = {.getppid = UINT32_MAX};
	ward_session *s = attached_with("functions", NULL, count_sites, &m);
	struct ward_session_stats stats;
	int status;
	pid_t child;

	CHECK(m.attached > 20000 && m.getppid != UINT32_MAX, "%u attached, %u skipped", m.attached, m.skipped);
	call_getppid(1234);
	child = fork();
	if (child == 0)
		execl("/bin/busybox", "busybox", "ls", "-l", "/proc/1", NULL);
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%#x", (unsigned)status);
	CHECK(ward_detach(s, NULL) == 0, "detached");
	ward_session_stats(s, &stats);
	CHECK(map_value(s, "functions", "by_function", m.getppid) >= 1234, "%lu",
		map_value(s, "functions", "by_function", m.getppid));
	CHECK(stats.events == field_value(s, "functions", "calls"), "%lu", stats.events);
	printf("  %u functions, %lu events, %lu dropped\n", m.attached, stats.events, stats.dropped);
	ward_session_free(s);
}

/* ---- Life ---- */

static volatile bool stop;

static void *call_until_stopped(void *calls)
{
	uint64_t n = 0;

	while (!stop) {
		call_getppid(1000);
		n += 1000;
		usleep(500); /* the others want the processor too */
	}
	*(uint64_t *)calls = n;
	return NULL;
}

enum { THREADS = 3, CYCLES = 4 };

/* Code comes and goes while threads are in it. */
static void test_under_load(void)
{
	pthread_t thread[THREADS];
	uint64_t calls[THREADS];

	stop = false;
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, call_until_stopped, &calls[i]) == 0, "a thread");
	for (int i = 0; i < CYCLES; i++) {
		ward_session *s = attached("count", getppid_site);
		uint64_t seen;

		call_getppid(100);
		ward_detach(s, NULL);
		seen = my_calls(s);
		CHECK(seen == 100, "%lu", seen);
		seen = field_value(s, "count", "calls");
		call_getppid(10);
		CHECK(field_value(s, "count", "calls") == seen, "the state is final");
		ward_session_free(s);
	}
	stop = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void attach_and_wait(int told)
{
	ward_session *s = attached("count", getppid_site);

	if (write(told, "a", 1) != 1 || !s)
		_exit(1);
	for (;;)
		call_getppid(1000);
}

/* Whoever is killed leaves nothing: the next one is given the function's first instruction again. */
static void test_killed(void)
{
	for (int i = 0; i < 4; i++) {
		struct ward_site_report site = {0};
		int told[2], status;
		ward_session *s;
		pid_t child;
		char c;

		CHECK(pipe(told) == 0, "a pipe");
		child = fork();
		if (child == 0)
			attach_and_wait(told[1]);
		close(told[1]);
		CHECK(read(told[0], &c, 1) == 1, "the child has attached");
		close(told[0]);
		kill(child, SIGKILL);
		CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status), "killed");
		s = attached_with("count", getppid_site, remember_site, &site);
		CHECK(site.method && strcmp(site.method, "direct call") == 0, "%s",
			site.method ? site.method : site.reason);
		ward_session_free(s);
	}
}

/* ---- What runs wild ---- */

static uint64_t stopped_runs(ward_snapshot *snapshot, size_t *places)
{
	uint64_t n = 0;

	*places = 0;
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);

		*places += f->kind == WARD_FIELD_STOP && f->value;
		n += f->kind == WARD_FIELD_STOP ? f->value : 0;
	}
	return n;
}

/*
 * A probe that does what it mustn't is stopped where it does it, each time, and what it couldn't keep is counted; its
 * caller has what it would have without.
 */
static void test_wild(void)
{
	static const char *const tries[] = {"writes", "reads", "follows", "divisions", "rounds"};
	ward_session *s = attached("wild", getppid_site);
	struct ward_session_stats stats;
	ward_snapshot *snapshot;
	ward_schema *schema;
	const struct ward_field *keys;
	uint64_t tried = 0, kept = 0, stopped;
	size_t places;

	for (unsigned i = 0; i < 14000; i++)
		CHECK(syscall(SYS_getppid) == getppid(), "the parent"); /* each is an event */
	CHECK(ward_detach(s, NULL) == 0, "detached");
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		uint64_t n = field_value(s, "wild", tries[i]);

		CHECK(n >= 3900, "%s: %lu", tries[i], n);
		tried += n;
	}
	keys = field_of(s, "wild", "by_time", &snapshot, &schema);
	stopped = stopped_runs(snapshot, &places);
	CHECK(stopped == tried && places == 5, "%lu of %lu, at %zu places", stopped, tried, places);
	for (size_t i = 0; i < keys->n; i++)
		kept += keys->entries[i].value;
	CHECK(keys->lost && kept + keys->lost == field_value(s, "wild", "keys"), "%lu keys and %lu lost of %lu", kept,
		keys->lost, field_value(s, "wild", "keys"));
	ward_snapshot_free(snapshot);
	ward_schema_free(schema);
	CHECK(field_of(s, "wild", "ring", &snapshot, &schema)->lost >= 3900 - 2 * 16, "marks");
	ward_snapshot_free(snapshot);
	ward_schema_free(schema);
	CHECK(field_value(s, "wild", "survived") == 0, "%lu", field_value(s, "wild", "survived"));
	ward_session_stats(s, &stats);
	CHECK(stats.dropped == 0 && stats.events == field_value(s, "wild", "runs"), "%lu events, %lu dropped",
		stats.events, stats.dropped);
	printf("  %lu of %lu runs stopped\n", stopped, stats.events);
	ward_session_free(s);
}

/* ---- What is refused ---- */

static void test_refused(void)
{
	refused("count", NULL, WARD_E_USAGE, "names no site");
	refused("count", "libc.so.6!read", WARD_E_USAGE, "isn't a function of the kernel");
	refused("count", "kernel!", WARD_E_USAGE, "isn't a function of the kernel");
	refused("count", "kernel!there_is_no_such_function", WARD_E_TARGET, "no such function");
	refused("count", "kernel!there_is_no_such_*", WARD_E_TARGET, "no such function");
	refused("count", "kernel!ward_enter", WARD_E_TARGET, "code that runs the probes");
	refused("count", "kernel!asm_exc_page_fault", WARD_E_TARGET, "doesn't let this function be traced");
	refused("user", getppid_site, WARD_E_USAGE, "compiled for processes");
	refused("writes", NULL, WARD_E_USAGE, "variables of its own");
}

static void test_limits(void)
{
	struct ward_attach_options o = {.size = sizeof(o), .site = getppid_site, .max_insns = 10};
	struct module m = module_named("count");
	struct ward_error err;
	ward_session *s;

	CHECK(ward_attach_kernel(m.data, m.size, &o, &s, &err) == WARD_E_REJECTED, "%s", err.why);
	for (size_t at = 0; at < m.size; at += m.size / 12) {
		m.data[at] ^= 0x20;
		o.max_insns = 0;
		if (ward_attach_kernel(m.data, m.size, &o, &s, &err) == 0)
			ward_session_free(s); /* of bytes that mean nothing */
		m.data[at] ^= 0x20;
	}
}

/* ---- The command ---- */

int run_ward(char *text, size_t size, pid_t *counted, char *const argv[])
{
	int status, fd;
	pid_t child = fork();
	ssize_t n;

	if (child == 0) {
		fd = open("/tmp/out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, 1);
		execv(argv[0], argv);
		_exit(127);
	}
	*counted = fork();
	if (*counted == 0)
		for (;;)
			call_getppid(1000);
	CHECK(waitpid(child, &status, 0) == child, "it ended");
	kill(*counted, SIGKILL);
	waitpid(*counted, NULL, 0);
	fd = open("/tmp/out", O_RDONLY);
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	return status;
}

static void test_command(void)
{
	char module[256], site[64], text[65536], key[64];
	char *argv[] = {(char *)ward, "trace", "--kernel", "-d", "2", "-f", site, module, NULL};
	pid_t counted;
	int status;

	snprintf(module, sizeof(module), "%s/count.ward", probes);
	snprintf(site, sizeof(site), "%s", getppid_site);
	status = run_ward(text, sizeof(text), &counted, argv);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %#x", (unsigned)status);
	snprintf(key, sizeof(key), "%d ", counted);
	CHECK(strstr(text, "by_thread") && strstr(text, key), "%s", text);
	CHECK(strstr(text, "events in ") && strstr(text, " processor"), "%s", text);
	fputs(text, stdout);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{"count: each call of a system call, by thread", test_count},
	{"count: two sessions on one function", test_two_sessions},
	{"fields of an event, by both kinds of hook", test_fields},
	{"many functions by a pattern", test_many},
	{"every function at once", test_every},
	{"calls by module", test_modules},
	{"attached and detached under load", test_under_load},
	{"a tracer that is killed", test_killed},
	{"stubs: functions, each set of words", test_words},
	{"stubs: tracepoints, each set of words", test_passes},
	{"stubs: system calls, sets of words", test_enterings},
	{"stubs: a probe that calls what is probed", test_nested},
	{"stubs: no probe runs in an NMI", test_nmi},
	{"stubs: interrupted, attached and detached under load", test_slowly},
	{"flags that a program calls the kernel with", test_flags},
	{"a probe that does what it mustn't", test_wild},
	{"samples: of busy and idle processors, as often as asked", test_samples},
	{"samples: an interval, once for the machine", test_sample_interval},
	{"samples: processors that come and go", test_sample_hotplug},
	{"samples: page faults, each with its address", test_sample_faults},
	{"samples: what the machine doesn't count", test_sample_no_counter},
	{"samples: several sessions under load", test_samples_under_load},
	{"samples: a tracer that is killed", test_samples_killed},
	{"samples: held back by the kernel", test_samples_held_back},
	{"samples: in an NMI", test_sample_nmi},
	{"samples: what can't be attached", test_samples_refused},
	{"samples: what the device refuses", test_samples_device},
	{"what can't be attached", test_refused},
	{"limits, and modules with bytes changed", test_limits},
	{"returns: all words of an event", test_returns},
	{"returns: more calls open than there is room for", test_open_calls},
	{"returns: calls that are open when the probes go", test_left_open},
	{"returns: by a pattern, and beside another session", test_many_returns},
	{"returns: what can't be attached", test_returns_refused},
	{"wrapped calls: each set of words", test_wrapped_words},
	{"wrapped calls: all words at both ends", test_wrapped_all_words},
	{"wrapped calls: several functions by one stub", test_wrapped_together},
	{"wrapped calls: results of two words, in memory, and of calls in calls", test_wrapped_shapes},
	{"wrapped calls: deep in the stack", test_wrapped_deep},
	{"wrapped calls: that sleep, many at once", test_wrapped_sleep},
	{"wrapped calls: the kernel's own look at the stack", test_wrapped_trace},
	{"wrapped calls: open when the probes go", test_wrapped_left_open},
	{"wrapped calls: attached and detached under load", test_wrapped_under_load},
	{"several hooks: sessions that come and go", test_leads_orders},
	{"several hooks: one session's", test_leads_one_session},
	{"several hooks: of some of the functions", test_leads_some},
	{"several hooks: with wrapped calls", test_leads_wrapped},
	{"several hooks: attached and detached under load", test_leads_under_load},
	{"several hooks: beside another tracer", test_leads_held},
	{"often: both ends of a function that all processors call", test_often},
	{"often: probes that take stacks", test_often_stacks},
	{"often: tracers that are killed", test_often_killed},
	{"processors that go and come back", test_hotplug},
	{"wrapped calls: that never end", test_wrapped_never},
	{"tracepoints: the words of an event", test_points},
	{"tracepoints: of a module", test_module_points},
	{"tracepoints: all of them at once", test_all_points},
	{"tracepoints: attached and detached under load", test_points_under_load},
	{"tracepoints: a tracer that is killed", test_points_killed},
	{"tracepoints: one that is passed while a probe runs", test_points_nested},
	{"tracepoints: what can't be attached", test_points_refused},
	{"system calls: the words of an event", test_calls},
	{"system calls: those of 32 bits are others", test_calls_32},
	{"system calls: by a pattern", test_calls_all},
	{"system calls: what can't be attached", test_calls_refused},
	{"system calls: a shell's", test_shell},
	{"system calls: the example", test_shell_command},
	{"types: what the kernel's structures hold", test_typed},
	{"tools: each known tool finds its sites, and prints what it was fed", test_tools},
	{"whose task runs", test_current},
	{"types: the examples", test_examples},
	{"types of a module: what its structures hold", test_looped},
	{"types of a module: while it is loaded", test_loop_types},
	{"types of a module: the example", test_loop_example},
	{"list: what it says is what attaching does", test_list},
	{"list: the whole kernel, with reasons", test_list_all},
	{"list: a function that another session has, or another tracer", test_list_held},
	{"list: a kernel that doesn't tell", test_list_untold},
	{"names of addresses", test_names},
	{"ward list --kernel", test_list_command},
	{"device: what is no request", test_device},
	{"device: loads that make no sense", test_load},
	{"device: hooks that make no sense", test_attach},
	{"device: tracepoints that make no sense", test_attach_point},
	{"device: system calls that are none", test_attach_call},
	{"device: the mapping", test_mapping},
	{"device: who may open it", test_privilege},
	{"exits: returns, and calls of imports", test_exits},
	{"exits: lies about them", test_exits_refused},
	{"exits: a module without room", test_exits_plain},
	{"crossed: pairs of two processors", test_crossed},
	{"crossed: sessions apart", test_crossed_apart},
	{"crossed: who waits for a processor", test_crossed_examples},
	{"crossed: requests of a disk", test_crossed_disk},
	{"a process that denies itself protection key 0", test_keys},
	{"ward trace, of one that denies itself protection key 0 later", test_keys_command},
	{"stacks: of functions, at their entries and returns", test_stacks},
	{"stacks: through wrapped calls", test_stacks_wrapped},
	{"stacks: beside another tracer", test_stacks_held},
	{"stacks: of tracepoints", test_stacks_points},
	{"stacks: through an interrupt", test_stacks_interrupt},
	{"stacks: of a task that sleeps", test_stacks_sleeper},
	{"stacks: with fewer frames", test_stacks_cut},
	{"stacks: more than there is room for", test_stacks_many},
	{"stacks: of a process, by its frame pointers", test_stacks_user},
	{"stacks: of processes that end, or become another program", test_stacks_user_gone},
	{"stacks: of a process whose stack pointer is anything", test_stacks_user_wild},
	{"stacks: of a process without frame pointers", test_stacks_user_unframed},
	{"stacks: of processes that begin later, without frame pointers", test_stacks_user_later},
	{"stacks: unwind tables that lie, and too many", test_stacks_tables},
	{"stacks: ward trace", test_stacks_command},
	{"stacks: ward trace, of processes and the kernel", test_stacks_both_command},
	{"ward trace --kernel", test_command},
	{"records of the writes that tell of them", test_own_writes},
	{"joined: the steps of threads, in order", test_joined},
	{"joined: a command's, for people", test_joined_command},
	{"joined: on disk", test_joined_on_disk},
	{"joined: a tracer that is killed", test_joined_killed},
	{"joined: what can't be traced so", test_joined_refused},
};

enum { LONG = 240 }; /* seconds */

/*
 * Of a test that goes on for long the console gets the stacks of all tasks that wait in the kernel, each time anew;
 * nothing is ended by that.
 */
static void tell_of_waiting(void)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY);

	for (;;) {
		sleep(LONG);
		if (write(fd, "w", 1) != 1)
			_exit(1);
	}
}

static bool passes(void (*run)(void))
{
	pid_t child, watcher = fork();
	int status;
	bool ok;

	if (watcher == 0)
		tell_of_waiting();
	child = fork();
	if (child == 0) {
		run();
		_exit(0);
	}
	ok = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	kill(watcher, SIGKILL);
	waitpid(watcher, NULL, 0);
	return ok;
}

int main(int argc, char **argv)
{
	unsigned failed = 0, run = 0, n = sizeof(tests) / sizeof(tests[0]);
	const char *only = getenv("WARD_ONLY"); /* from the kernel's command line */
	regex_t some;

	if (argc == 2 && strcmp(argv[1], "unframed") == 0)
		exit(unframed_program()); /* a call, no jump */
	if (argc != 3)
		return 2;
	probes = argv[1];
	ward = argv[2];
	setbuf(stdout, NULL);
	if (regcomp(&some, only ? only : "", REG_EXTENDED | REG_NOSUB))
		return 2;
	for (unsigned i = 0; i < n; i++) {
		bool ok;

		if (regexec(&some, tests[i].name, 0, NULL, 0))
			continue;
		ok = passes(tests[i].run);
		run++;
		failed += !ok;
		printf("%s %s\n", ok ? "passed" : "FAILED", tests[i].name);
	}
	printf("%u passed, %u failed\n", run - failed, failed);
	return failed != 0;
}
