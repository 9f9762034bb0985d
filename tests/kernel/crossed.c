/* SPDX-License-Identifier: Apache-2.0 */
/* What processors share: what begins on one and ends on another, and counts of all, at the same time and exactly. */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAIRS = 20000, WINDOW = 64, OWN = 1 << 24 };

/* Each begins pairs of its own, on its own processor, and ends the other's. */
static _Atomic unsigned begun[2], ended[2];

static unsigned key_of(unsigned who, unsigned i)
{
	return OWN + 2 * i + who;
}

static void *cross(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg, other = 1 - me, b = 0, e = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(me, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0, "processor %u: %s", me, strerror(errno));
	while (b < PAIRS || e < PAIRS) {
		if (b < PAIRS && b - ended[me] < WINDOW) {
			syscall(SYS_getpgid, key_of(me, b));
			begun[me] = ++b;
		} else if (e < begun[other]) {
			syscall(SYS_getsid, key_of(other, e));
			ended[other] = ++e;
		} else {
			sched_yield();
		}
	}
	return NULL;
}

void test_crossed(void)
{
	pthread_t thread[2];
	ward_session *s;

	CHECK(sysconf(_SC_NPROCESSORS_ONLN) >= 2, "this needs two processors");
	s = attached("crossed", NULL);
	for (uintptr_t i = 0; i < 2; i++)
		CHECK(pthread_create(&thread[i], NULL, cross, (void *)i) == 0, "a thread");
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	CHECK(ward_detach(s, NULL) == 0, "detached");
	CHECK(field_value(s, "crossed", "begun") == 2 * PAIRS, "%lu", field_value(s, "crossed", "begun"));
	CHECK(field_value(s, "crossed", "shared.calls") == 2 * PAIRS, "%lu", field_value(s, "crossed", "shared.calls"));
	CHECK(field_value(s, "crossed", "paired") == 2 * PAIRS, "%lu", field_value(s, "crossed", "paired"));
	CHECK(field_value(s, "crossed", "crossed") == 2 * PAIRS, "%lu", field_value(s, "crossed", "crossed"));
	CHECK(field_value(s, "crossed", "missed") == 0, "%lu", field_value(s, "crossed", "missed"));
	CHECK(field_value(s, "crossed", "wrong") == 0, "%lu", field_value(s, "crossed", "wrong"));
	for (uint64_t who = 0; who < 2; who++)
		CHECK(map_value(s, "crossed", "shared.sums", who) == PAIRS, "%lu",
			map_value(s, "crossed", "shared.sums", who));
	ward_session_free(s);
}

/* Two sessions of one module share nothing with each other. */
void test_crossed_apart(void)
{
	ward_session *one = attached("crossed", NULL), *two;

	syscall(SYS_getpgid, OWN);
	two = attached("crossed", NULL);
	syscall(SYS_getsid, OWN);
	CHECK(field_value(one, "crossed", "paired") == 1, "%lu", field_value(one, "crossed", "paired"));
	CHECK(field_value(two, "crossed", "missed") == 1, "%lu", field_value(two, "crossed", "missed"));
	CHECK(ward_detach(one, NULL) == 0 && ward_detach(two, NULL) == 0, "detached");
	ward_session_free(one);
	ward_session_free(two);
}

/* The examples, beside something that makes work for them. */
void test_crossed_examples(void)
{
	static char text[1 << 16];
	char module[256];
	char *trace[] = {(char *)ward, "trace", "--kernel", "-d", "1", module, NULL};
	pid_t other;
	int status;

	snprintf(module, sizeof(module), "%s/runqlat.ward", probes);
	status = run_ward(text, sizeof(text), &other, trace);
	CHECK(status == 0 && strstr(text, "waited"), "%#x: %s", (unsigned)status, text);
	fputs(text, stdout);
	CHECK(strstr(text, "s)  "), "nobody waited: %s", text); /* a bucket of times */
}
