/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubs: each fills in what its probe reads, whatever that is, and passes the function its arguments unchanged. Where
 * no probe may run now, none does, and the event is counted.
 */
#include "suite.h"

#include "tests/kernel/module/words.h"
#include "ward_ioctl.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Words ---- */

struct sites {
	const char *method;
	unsigned n;
};

static void note_site(void *user, const struct ward_site_report *r)
{
	struct sites *t = user;

	CHECK(r->method && strcmp(r->method, t->method) == 0, "%s: %s", r->site, r->method ? r->method : r->reason);
	t->n++;
}

/*
 * n probes, each of which has run so often with the right words, for this thread if n_told note it; and as often again
 * as others have come by, with other words.
 */
static void check_words(
	ward_session *s, const char *module, unsigned n, unsigned n_told, uint64_t times, uint64_t others)
{
	uint64_t calls = field_value(s, module, "calls"), good = field_value(s, module, "good"),
		 told = map_value(s, module, "by_thread", (uint64_t)syscall(SYS_gettid));
	struct ward_session_stats stats;

	CHECK(good == n * times && calls <= good + others, "%lu calls, %lu good", calls, good);
	CHECK(told >= n_told * times && told <= n_told * times + others, "%lu of this thread", told);
	ward_session_stats(s, &stats);
	CHECK(stats.events == calls && stats.dropped == 0, "%lu events, %lu dropped", stats.events, stats.dropped);
}

/* Two sessions, whose hooks are of this kind. */
static void two_sessions(const char *method)
{
	struct sites one = {.method = method}, other = {.method = method};
	ward_session *first, *second;

	do_points("call", "10");
	first = attached_with("words", NULL, note_site, &one);
	do_points("call", "100");
	second = attached_with("words", NULL, note_site, &other);
	CHECK(one.n == 16 && other.n == 16, "%u and %u", one.n, other.n);
	do_points("call", "20");
	CHECK(ward_detach(first, NULL) == 0, "detached");
	do_points("call", "30");
	CHECK(ward_detach(second, NULL) == 0, "detached");
	do_points("call", "10");
	check_words(first, "words", 16, 8, 120, 0);
	check_words(second, "words", 16, 8, 50, 0);
	ward_session_free(first);
	ward_session_free(second);
}

void test_words(void)
{
	load_points();
	two_sessions("direct call");
	do_points("hold", "ward_word_*");
	two_sessions("function tracer");
	do_points("release", "1");
	CHECK(unload_points() == 0, "it is free");
}

void test_passes(void)
{
	struct sites points = {.method = "tracepoint"};
	ward_session *s;

	load_points();
	s = attached_with("passes", NULL, note_site, &points);
	CHECK(points.n == 16, "%u", points.n);
	do_points("pass", "100");
	CHECK(ward_detach(s, NULL) == 0, "detached");
	do_points("pass", "10");
	check_words(s, "passes", 16, 8, 100, 0);
	ward_session_free(s);
	CHECK(unload_points() == 0, "it is free");
}

/* The library makes some such calls itself, with other arguments. */
void test_enterings(void)
{
	static const long calls[] = {
		SYS_getpid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_gettid, SYS_sched_yield};
	struct sites direct = {.method = "direct call"};
	ward_session *s = attached_with("enterings", NULL, note_site, &direct);
	long expected[] = {getpid(), getppid(), 0, 0, 0, 0, getpid(), 0};

	CHECK(direct.n == 8, "%u", direct.n);
	for (unsigned i = 0; i < 100 * 8; i++) {
		long result = syscall(calls[i % 8], WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5));

		CHECK(result == expected[i % 8], "call %ld: %ld", calls[i % 8], result);
	}
	CHECK(ward_detach(s, NULL) == 0, "detached");
	check_words(s, "enterings", 8, 4, 100, 100);
	ward_session_free(s);
}

/* ---- Who finds the guard taken ---- */

void test_nested(void)
{
	struct sites direct = {.method = "direct call"};
	struct ward_session_stats stats;
	ward_session *s;

	load_points();
	s = attached_with("nested", NULL, note_site, &direct);
	CHECK(direct.n == 2, "%u", direct.n);
	do_points("call", "1000");
	CHECK(ward_detach(s, NULL) == 0, "detached");
	CHECK(field_value(s, "nested", "outer") == 1000 && field_value(s, "nested", "read") == 1000,
		"%lu, of which %lu read", field_value(s, "nested", "outer"), field_value(s, "nested", "read"));
	ward_session_stats(s, &stats);
	CHECK(stats.dropped >= 1000, "%lu dropped", stats.dropped);
	CHECK(stats.events == 1000 + field_value(s, "nested", "inner"), "%lu events", stats.events);
	ward_session_free(s);
	CHECK(unload_points() == 0, "it is free");
}

static void remember_address(void *address, const struct ward_site_report *r)
{
	*(uint64_t *)address = r->address;
}

/* Of all processors' tallies. */
struct sums {
	uint64_t events, dropped, nmi;
};

static struct sums sums_of(const uint8_t *map, uint32_t processors)
{
	struct sums sums = {0};

	for (uint32_t i = 0; i < processors; i++) {
		const struct ward_k_tally *t = (const struct ward_k_tally *)(map + (size_t)(1 + i) * WARD_K_TALLY_SIZE);

		sums.events += t->events;
		sums.dropped += t->dropped;
		sums.nmi += t->nmi;
	}
	return sums;
}

/* SysRq-l asks the other processors where they are, by an NMI, in which each calls the function. */
void test_nmi(void)
{
	static uint8_t page[WARD_K_PAGE] = {0xc3}; /* a return */
	struct ward_k_entry entry = {.max_insns = 1};
	struct ward_k_load l = {.size = sizeof(l),
		.abi = WARD_ABI,
		.image = (uintptr_t)page,
		.image_size = sizeof(page),
		.text_size = 1,
		.entries = (uintptr_t)&entry,
		.n_entries = 1,
		.state_size = 8};
	uint64_t site = 0;
	struct ward_k_attach a = {
		.size = sizeof(a), .sites = (uintptr_t)&site, .n_sites = 1, .n_arguments = WARD_K_MAX_ARGUMENTS};
	int fd = open(WARD_DEVICE, O_RDWR | O_CLOEXEC), sysrq = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
	uint64_t others = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	struct sums sums;
	uint8_t *map;

	CHECK(ward_list_kernel("kernel!nmi_cpu_backtrace_handler", remember_address, &site, NULL) == 0 && site,
		"there is such a function");
	CHECK(fd >= 0 && sysrq >= 0 && ioctl(fd, WARD_K_LOAD, &l) == 0, "%s", strerror(errno));
	map = mmap(NULL, l.map_size, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(map != MAP_FAILED, "%s", strerror(errno));
	CHECK(ioctl(fd, WARD_K_ATTACH, &a) == 0 && a.method == WARD_K_DIRECT, "%s, method %u", strerror(errno),
		a.method);
	for (int i = 0; i < 3; i++)
		CHECK(write(sysrq, "l", 1) == 1, "%s", strerror(errno));
	CHECK(ioctl(fd, WARD_K_DETACH, NULL) == 0, "%s", strerror(errno));
	sums = sums_of(map, l.processors);
	CHECK(others > 0 && sums.events == 0 && sums.nmi >= 3 * others && sums.dropped == sums.nmi,
		"%lu events, %lu dropped, of which %lu in an NMI", sums.events, sums.dropped, sums.nmi);
	munmap(map, l.map_size);
	close(fd);
	close(sysrq);
}

/* ---- Under load ---- */

static volatile bool stop;

static void *call_until_stopped(void *unused)
{
	while (!stop) {
		call_getppid(50);
		usleep(500); /* the others want the processor too */
	}
	return unused;
}

enum { THREADS = 4, CYCLES = 4 };

/* A run is so long that ticks come meanwhile, after which the stub finds the scheduler waiting. */
void test_slowly(void)
{
	pthread_t thread[THREADS];

	stop = false;
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, call_until_stopped, NULL) == 0, "a thread");
	for (int i = 0; i < CYCLES; i++) {
		ward_session *s = attached("slowly", NULL);
		struct ward_session_stats stats;
		uint64_t mine;

		call_getppid(100);
		CHECK(ward_detach(s, NULL) == 0, "detached");
		mine = map_value(s, "slowly", "by_thread", (uint64_t)syscall(SYS_gettid));
		CHECK(mine == 100, "%lu", mine);
		ward_session_stats(s, &stats);
		CHECK(stats.events == field_value(s, "slowly", "calls") && stats.dropped == 0,
			"%lu events, %lu dropped", stats.events, stats.dropped);
		ward_session_free(s);
	}
	stop = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}
