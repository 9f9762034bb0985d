/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processors that go offline and come back while probes run on them: no event is lost, the counts of an offline
 * processor are still read, and hooks can come and go meanwhile.
 */
#include "suite.h"

#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

enum { THREADS = 3, ROUNDS = 4, LAST = 1 /* the processor that goes */ };

struct caller {
	pthread_t thread;
	pid_t tid;
	uint64_t calls;
};

static volatile bool stop;

/* Fails while that one is gone. */
static bool go_to(size_t processor)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/* Wherever it can: the kernel moves who is on a processor that goes. */
static void *call_everywhere(void *user)
{
	struct caller *c = user;

	c->tid = (pid_t)syscall(SYS_gettid);
	while (!stop) {
		go_to((c->calls / 200 + (uint64_t)c->tid) % (LAST + 1));
		call_getppid(200);
		c->calls += 200;
		usleep(200);
	}
	return NULL;
}

static void set_online(bool online)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);
	ssize_t n = write(fd, online ? "1" : "0", 1);

	CHECK(n == 1, "%s", strerror(errno));
	close(fd);
}

/* Both ends of the function, where the session has the entry already. */
static void come_and_go(uint64_t site)
{
	static const uint32_t fields[2] = {1u << 0 | 1u << CPU, 1u << RET | 1u << ELAPSED};
	struct machine m = machine_of(fields, 2);

	CHECK(hook(&m, 0, &site, 1, WARD_K_ENTRY) && hook(&m, 1, &site, 1, WARD_K_RETURN), "%s", strerror(errno));
	while (sums_of(&m, 0).runs < 1000 || sums_of(&m, 1).runs < 1000)
		call_getppid(100);
	close_machine(&m);
}

void test_hotplug(void)
{
	uint64_t site = address_of("__x64_sys_getppid"), seen, all = 0;
	ward_session *s = attached("count", getppid_site);
	struct ward_session_stats stats;
	struct caller c[THREADS] = {0};

	stop = false;
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&c[i].thread, NULL, call_everywhere, &c[i]) == 0, "a thread");
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(go_to(LAST), "%s", strerror(errno));
		call_getppid(100);
		set_online(false);
		CHECK(!go_to(LAST), "it is gone");
		CHECK(map_value(s, "count", "by_thread", (uint64_t)syscall(SYS_gettid)) >= 100,
			"what was counted there is there");
		come_and_go(site);
		set_online(true);
		come_and_go(site);
	}
	stop = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(c[i].thread, NULL);
	CHECK(ward_detach(s, NULL) == 0, "detached");
	for (int i = 0; i < THREADS; i++) {
		seen = map_value(s, "count", "by_thread", (uint64_t)c[i].tid);
		CHECK(seen == c[i].calls, "thread %d: %lu of %lu calls", i, seen, c[i].calls);
		all += seen;
	}
	ward_session_stats(s, &stats);
	CHECK(stats.dropped == 0, "%lu dropped", stats.dropped);
	printf("  %lu calls, a processor gone and back %d times\n", all, ROUNDS);
	ward_session_free(s);
}
