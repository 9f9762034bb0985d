/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of the kernel: as many as the guest's clock says, on each processor that there is, of what runs there. All
 * times are the guest's. What the kernel misses on a busy machine is counted as dropped, so sums are exact to one
 * sample for each processor.
 */
#include "suite.h"

#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { SECOND = 1000000000, PAGE = 4096 };

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static void go_to(size_t processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0, "%s", strerror(errno));
}

/* Nothing but user code, until the time comes. */
static void spin(uint64_t ns)
{
	uint64_t end = now() + ns;

	while (now() < end)
		for (volatile int i = 0; i < 10000; i++)
			;
}

static unsigned processors(void)
{
	return (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
}

static uint64_t total(ward_session *s, uint64_t *dropped_of)
{
	struct ward_session_stats stats;

	ward_session_stats(s, &stats);
	CHECK(stats.events == field_value(s, "sample", "samples"), "%lu", stats.events);
	*dropped_of = stats.dropped;
	return stats.events + stats.dropped;
}

/* A session whose length is known. */
struct timed {
	ward_session *s;
	uint64_t before, began, ended, after;
};

static struct timed timed_begin(const char *site)
{
	struct timed t = {.before = now()};

	t.s = attached("sample", site);
	t.began = now();
	return t;
}

static void timed_end(struct timed *t)
{
	t->ended = now();
	CHECK(ward_detach(t->s, NULL) == 0, "detached");
	t->after = now();
}

/* Are there as many as are due with a period on so many processors? */
static void check_due(const struct timed *t, uint64_t period, unsigned on)
{
	uint64_t dropped_of, n = total(t->s, &dropped_of), least = (t->ended - t->began) / period * on,
			     most = ((t->after - t->before) / period + 1) * on;

	printf("  %lu samples, %lu of them missed; due: %lu to %lu\n", n, dropped_of, least, most);
	CHECK(n + on >= least && n <= most, "%lu", n);
}

static void remember_site(void *user, const struct ward_site_report *report)
{
	snprintf(user, 200, "%s: %s", report->site, report->method ? report->method : report->reason);
}

/* A busy thread on one processor, and idle ones. */
void test_samples(void)
{
	uint64_t me = (uint64_t)syscall(SYS_gettid), mine, here, dropped_of;
	struct timed t;

	go_to(1);
	t = timed_begin("profile:499");
	spin(2ull * SECOND);
	timed_end(&t);
	check_due(&t, SECOND / 499, processors());
	total(t.s, &dropped_of);
	here = map_value(t.s, "sample", "by_cpu", 1);
	mine = map_value(t.s, "sample", "user_by_thread", me);
	printf("  %lu on this processor, %lu of them of this thread in user mode\n", here, mine);
	CHECK(here + dropped_of >= 2 * 499 - 2, "%lu, %lu dropped", here, dropped_of);
	CHECK(mine * 10 >= here * 8, "%lu of %lu", mine, here);
	CHECK(map_value(t.s, "sample", "by_cpu", 0) > 0, "the other processor is sampled");
	CHECK(map_value(t.s, "sample", "by_thread", 0) > 0, "an idle processor is sampled");
	CHECK(field_value(t.s, "sample", "good_sp") == field_value(t.s, "sample", "samples"), "stack pointers");
	CHECK(field_value(t.s, "sample", "later") == field_value(t.s, "sample", "samples"), "time goes on");
	CHECK(map_value(t.s, "sample", "by_address", (uintptr_t)spin >> 12) +
				map_value(t.s, "sample", "by_address", ((uintptr_t)spin >> 12) + 1) >
			mine / 4,
		"instructions of the loop");
	ward_session_free(t.s);
}

/* Once for the machine. */
void test_sample_interval(void)
{
	struct timed t = timed_begin("interval:50ms");
	uint64_t on[2];

	spin(SECOND);
	timed_end(&t);
	check_due(&t, SECOND / 20, 1);
	on[0] = map_value(t.s, "sample", "by_cpu", 0);
	on[1] = map_value(t.s, "sample", "by_cpu", 1);
	CHECK(!on[0] != !on[1], "%lu and %lu", on[0], on[1]);
	ward_session_free(t.s);
}

static void set_online(bool online)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	CHECK(write(fd, online ? "1" : "0", 1) == 1, "%s", strerror(errno));
	close(fd);
}

/* A worker makes and ends events of processors that come and go. */
static uint64_t wait_for_more(ward_session *s, uint64_t than)
{
	uint64_t n = 0;

	for (int i = 0; i < 1000 && n <= than; i++) {
		usleep(10000);
		n = map_value(s, "sample", "by_cpu", 1);
	}
	return n;
}

void test_sample_hotplug(void)
{
	ward_session *profile = attached("sample", "profile:499"), *faults = attached("sample", "page-faults:1"), *once;
	uint64_t seen, before, after;

	for (int round = 0; round < 5; round++) {
		seen = wait_for_more(profile, map_value(profile, "sample", "by_cpu", 1));
		go_to(1);
		once = attached("sample", "interval:10ms");
		go_to(0);
		set_online(false);
		usleep(50000);
		before = map_value(profile, "sample", "by_cpu", 1);
		CHECK(before >= seen, "%lu, %lu", before, seen);
		usleep(100000);
		CHECK(map_value(profile, "sample", "by_cpu", 1) == before, "none of a processor that is gone");
		after = map_value(once, "sample", "by_cpu", 0);
		usleep(200000);
		CHECK(map_value(once, "sample", "by_cpu", 0) > after, "another processor has the interval");
		set_online(true);
		CHECK(wait_for_more(profile, before) > before, "it is sampled again");
		CHECK(ward_detach(once, NULL) == 0, "detached");
		ward_session_free(once);
	}
	set_online(false);
	CHECK(ward_detach(profile, NULL) == 0 && ward_detach(faults, NULL) == 0, "detached while it is gone");
	set_online(true);
	CHECK(field_value(faults, "sample", "samples") > 0, "page faults");
	ward_session_free(profile);
	ward_session_free(faults);
}

/* Events that the kernel counts: each one is a sample, with its address. */
void test_sample_faults(void)
{
	enum { PAGES = 300 };
	uint64_t me = (uint64_t)syscall(SYS_gettid), page = 0, n = 0;
	char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ward_session *s;

	CHECK(memory != MAP_FAILED && madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE) == 0, "%s", strerror(errno));
	s = attached("sample", "page-faults:1");
	for (size_t i = 0; i < PAGES; i++)
		memory[i * PAGE] = 1;
	CHECK(ward_detach(s, NULL) == 0, "detached");
	for (size_t i = 0; i < PAGES; i++) {
		page = map_value(s, "sample", "by_page", ((uintptr_t)memory >> 12) + i);
		n += page;
		CHECK(page == 1, "page %zu: %lu", i, page);
	}
	CHECK(map_value(s, "sample", "user_by_thread", me) >= PAGES, "of this thread, in user mode");
	printf("  %lu of %d page faults, each with its page\n", n, PAGES);
	ward_session_free(s);
}

/* What this machine has no counter for. */
void test_sample_no_counter(void)
{
	static const char *const sites[] = {"cpu-cycles:1000000", "cache-misses:10000", "LLC-load-misses:1000"};
	char text[200] = "";

	for (int i = 0; i < 3; i++) {
		uint64_t n, dropped_of;
		ward_session *s = attached_with("sample", sites[i], remember_site, text);

		spin(SECOND / 2);
		CHECK(ward_detach(s, NULL) == 0, "detached");
		n = total(s, &dropped_of);
		printf("  %s, %lu samples\n", text, n);
		CHECK(strstr(text, "clock, 99 a second: this machine doesn't count that event"), "%s", text);
		CHECK(n >= 40 * processors(), "%lu", n);
		ward_session_free(s);
	}
}

/* ---- Beside others, and under load ---- */

static volatile bool stop;

static void *make_calls(void *user)
{
	uint64_t *calls = user;

	while (!stop) {
		call_getppid(100);
		*calls += 100;
	}
	return NULL;
}

/* Samples interrupt probes, and the other way round: whatever comes is counted or dropped. */
void test_samples_under_load(void)
{
	ward_session *calls = attached("count", getppid_site), *first;
	uint64_t made[2] = {0};
	struct ward_session_stats stats;
	pthread_t thread[2];
	struct timed t;

	stop = false;
	t = timed_begin("profile:1999");
	first = attached("sample", "profile:99");
	for (int i = 0; i < 2; i++)
		CHECK(pthread_create(&thread[i], NULL, make_calls, &made[i]) == 0, "a thread");
	for (int i = 0; i < 50; i++) {
		ward_session *s = attached("sample", i % 2 ? "profile:997" : "context-switches:1");

		usleep(1000);
		CHECK(ward_detach(s, NULL) == 0, "detached");
		ward_session_free(s);
	}
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	CHECK(ward_detach(first, NULL) == 0 && ward_detach(calls, NULL) == 0, "detached");
	timed_end(&t);
	check_due(&t, SECOND / 1999, processors());
	ward_session_stats(calls, &stats);
	printf("  %lu calls, %lu of them counted, %lu dropped\n", made[0] + made[1], stats.events, stats.dropped);
	CHECK(stats.events + stats.dropped >= made[0] + made[1], "%lu", stats.events);
	CHECK(stats.events >= (made[0] + made[1]) / 10 * 9, "%lu", stats.events);
	ward_session_free(first);
	ward_session_free(calls);
	ward_session_free(t.s);
}

static unsigned users_of_module(void)
{
	FILE *f = fopen("/sys/module/ward/refcnt", "r");
	unsigned n = 0;

	CHECK(f && fscanf(f, "%u", &n) == 1, "the module's users");
	fclose(f);
	return n;
}

/* A tracer that is killed leaves no sample behind. */
void test_samples_killed(void)
{
	unsigned users = users_of_module();

	for (int i = 0; i < 10; i++) {
		int pipes[2], status;
		char byte;
		pid_t child;

		CHECK(pipe(pipes) == 0, "a pipe");
		child = fork();
		if (child == 0) {
			attached("sample", i % 2 ? "profile:999" : "page-faults:1");
			CHECK(write(pipes[1], "x", 1) == 1, "told");
			for (;;)
				spin(SECOND);
		}
		CHECK(read(pipes[0], &byte, 1) == 1, "it is attached");
		kill(child, SIGKILL);
		CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status), "killed");
		close(pipes[0]);
		close(pipes[1]);
	}
	CHECK(users_of_module() == users, "%u, %u before", users_of_module(), users);
}

static void set_rate(unsigned rate)
{
	char text[16];
	int fd = open("/proc/sys/kernel/perf_event_max_sample_rate", O_WRONLY);
	int n = snprintf(text, sizeof(text), "%u", rate);

	CHECK(fd >= 0 && write(fd, text, (size_t)n) == n, "%s", strerror(errno));
	close(fd);
}

/* The kernel holds back what comes too often; that is said, and what it leaves out is counted. */
void test_samples_held_back(void)
{
	struct timed t = timed_begin("profile:5000");
	uint64_t dropped_of;

	CHECK(ward_session_held_back(t.s) == 0, "%lu", ward_session_held_back(t.s));
	set_rate(1000);
	spin(SECOND);
	set_rate(100000);
	timed_end(&t);
	check_due(&t, SECOND / 5000, processors());
	total(t.s, &dropped_of);
	printf("  held back %lu times\n", ward_session_held_back(t.s));
	CHECK(ward_session_held_back(t.s) > 10 && dropped_of > 1000, "%lu times, %lu dropped",
		ward_session_held_back(t.s), dropped_of);
	ward_session_free(t.s);
	set_rate(1000);
	refused("sample", "profile:1001", WARD_E_TARGET, "at most 1000 samples a second");
	set_rate(100000);
}

/*
 * A breakpoint on a word that the kernel writes: in kernel mode the kernel handles it as it does an NMI, and the probe
 * runs there. Hardware's counters, which the virtual machine hasn't got, come by NMIs.
 */
void test_sample_nmi(void)
{
	static const uint32_t fields[1] = {1u << 0 | 1u << 1 | 1u << TID | 1u << SP};
	struct machine m = machine_of(fields, 1);
	struct ward_k_sample sample = {.size = sizeof(sample),
		.type = PERF_TYPE_BREAKPOINT,
		.period = 1,
		.length = 8 /* bytes */,
		.access = 2 /* writes */};
	struct sums sums;
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f) && !strstr(line, " jiffies_64\n"))
		;
	CHECK(f && sscanf(line, "%lx", (unsigned long *)&sample.address) == 1, "the kernel's count of ticks");
	fclose(f);
	CHECK(hook(&m, 0, (const uint64_t *)&sample, 1, WARD_K_SAMPLE) == WARD_K_SAMPLER, "%s", strerror(errno));
	spin(SECOND);
	detach(&m);
	sums = sums_of(&m, 0);
	printf("  %lu samples\n", sums.runs);
	CHECK(sums.runs >= 20, "%lu", sums.runs);
	CHECK(sums.word[0] == 0 && sums.word[1] == sums.runs * sample.address, "in the kernel, about that word");
	close_machine(&m);
}

/* ---- What isn't taken ---- */

void test_samples_refused(void)
{
	refused("sample", "profile:*", WARD_E_USAGE, "can't be asked for by a pattern");
	refused("sample", "profile:0", WARD_E_USAGE, "from 1 to 100000");
	refused("sample", "interval:1", WARD_E_USAGE, "isn't a length of time");
	refused("sample", "cache-mises:9", WARD_E_USAGE, "no event has the name");
	refused("sample", "off-cpu:1ms", WARD_E_USAGE, "a site of a process");
	refused("result", "profile:99", WARD_E_USAGE, "the probe reads ev->ret, which only a return site has");
}

/* The device takes no nonsense either. */
void test_samples_device(void)
{
	static const uint32_t fields[1] = {1u << 0};
	static const struct ward_k_sample good = {
		.size = sizeof(good), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .period = SECOND};
	struct machine m = machine_of(fields, 1);
	struct ward_k_sample bad[7];

	for (int i = 0; i < 7; i++)
		bad[i] = good;
	bad[0].size--;
	bad[1].period = 0;
	bad[2].period = WARD_K_MAX_PERIOD + 1;
	bad[3].flags = 2;
	bad[4].type = PERF_TYPE_TRACEPOINT;
	bad[5].address = 1;
	bad[6].type = PERF_TYPE_MAX + 10;
	for (int i = 0; i < 7; i++)
		CHECK(hook(&m, 0, (const uint64_t *)&bad[i], 1, WARD_K_SAMPLE) == 0 && errno == EINVAL, "%d: %s", i,
			strerror(errno));
	CHECK(hook(&m, 0, (const uint64_t *)&good, 2, WARD_K_SAMPLE) == 0 && errno == EINVAL, "two");
	CHECK(hook(&m, 0, (const uint64_t *)8, 1, WARD_K_SAMPLE) == 0 && errno == EFAULT, "%s", strerror(errno));
	for (int i = 0; i < WARD_K_MAX_SAMPLES; i++)
		CHECK(hook(&m, 0, (const uint64_t *)&good, 1, WARD_K_SAMPLE) == WARD_K_SAMPLER, "%d: %s", i,
			strerror(errno));
	CHECK(hook(&m, 0, (const uint64_t *)&good, 1, WARD_K_SAMPLE) == 0 && errno == E2BIG, "%s", strerror(errno));
	detach(&m);
	CHECK(hook(&m, 0, (const uint64_t *)&good, 1, WARD_K_SAMPLE) == WARD_K_SAMPLER, "%s", strerror(errno));
	close_machine(&m);
}
