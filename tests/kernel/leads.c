/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several hooks of one function: whichever come and go, in whatever order, each sees every call as long as it exists,
 * with the function's arguments. Functions that another tracer holds are hooked by the other method.
 */
#include "suite.h"

#include "machine.h"
#include "tests/kernel/module/words.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { ALL = 63 | 1u << CALLER | 1u << TID };

static uint64_t function[SETS]; /* ascending */

static void find_functions(void)
{
	find_word_functions(function);
	sort_sites(function, SETS);
}

/* ---- Coming and going ---- */

enum { SESSIONS = 3, ORDERS = 6 };

static const unsigned order[ORDERS][SESSIONS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static void check_words(const struct machine *m, unsigned entry, uint64_t calls)
{
	struct sums s = sums_of(m, entry);

	CHECK(s.runs == calls && dropped(m) == 0, "%lu, not %lu, %lu dropped", s.runs, calls, dropped(m));
	for (unsigned i = 0; i < 6; i++)
		CHECK(s.word[i] == calls * WORD(i), "argument %u: %#lx", i, s.word[i]);
	CHECK(s.word[TID] == calls * (uint64_t)syscall(SYS_gettid), "%lu", s.word[TID]);
}

/*
 * They come one after the other and go in another order; the functions are called meanwhile, and each session is to
 * have seen that of the function that it has.
 */
void test_leads_orders(void)
{
	static const uint32_t fields[2] = {ALL, ALL | 1u << TIME};

	find_functions();
	for (unsigned o = 0; o < ORDERS; o++) {
		uint64_t calls[SESSIONS] = {0};
		struct machine m[SESSIONS];

		for (unsigned i = 0; i < SESSIONS; i++) {
			m[i] = machine_of(fields, 2);
			CHECK(hook(&m[i], o & 1, &function[o], 1, WARD_K_ENTRY) == WARD_K_DIRECT, "session %u: %s", i,
				strerror(errno));
			do_points("call", "10");
			for (unsigned j = 0; j <= i; j++)
				calls[j] += 10;
		}
		for (unsigned i = 0; i < SESSIONS; i++) {
			detach(&m[order[o][i]]);
			do_points("call", "7");
			for (unsigned j = i + 1; j < SESSIONS; j++)
				calls[order[o][j]] += 7;
		}
		for (unsigned i = 0; i < SESSIONS; i++) {
			check_words(&m[i], o & 1, calls[i]);
			CHECK(sums_of(&m[i], o & 1).word[CALLER] * calls[0] ==
					sums_of(&m[0], o & 1).word[CALLER] * calls[i],
				"the caller is another");
		}
		for (unsigned i = 0; i < SESSIONS; i++)
			close_machine(&m[i]);
	}
	CHECK(unload_points() == 0, "it is free");
}

/* Several probes of one session, on one function: they go at once. */
void test_leads_one_session(void)
{
	static const uint32_t fields[4] = {ALL, ALL, ALL, ALL | 1u << RET};
	struct machine m;

	find_functions();
	m = machine_of(fields, 4);
	for (unsigned i = 0; i < 3; i++)
		CHECK(hook(&m, i, function, i == 1 ? 3 : 1, WARD_K_ENTRY) == (i == 1 ? WARD_K_FTRACE : WARD_K_DIRECT),
			"%u: %s", i, strerror(errno));
	CHECK(hook(&m, 3, function, 1, WARD_K_RETURN) == WARD_K_WRAP, "%s", strerror(errno));
	do_points("call", "10");
	detach(&m);
	do_points("call", "10");
	check_words(&m, 0, 10);
	check_words(&m, 1, 30);
	check_words(&m, 2, 10);
	check_words(&m, 3, 10);
	close_machine(&m);
	CHECK(unload_points() == 0, "it is free");
}

/* ---- Some of the functions ---- */

/* One session has all functions, others few of them; the first one, or the last one, goes first. */
static void some_of(bool all_first)
{
	static const uint32_t fields[1] = {ALL | 1u << SITE};
	static const struct {
		unsigned first, n;
		uint32_t method;
	} some[4] = {{3, 1, WARD_K_DIRECT}, {2, 8, WARD_K_DIRECT}, {0, 9, WARD_K_FTRACE}, {15, 1, WARD_K_DIRECT}};
	struct machine all = machine_of(fields, 1), few[4];

	CHECK(hook(&all, 0, function, SETS, WARD_K_ENTRY) == WARD_K_DIRECT, "%s", strerror(errno));
	for (unsigned i = 0; i < 4; i++) {
		few[i] = machine_of(fields, 1);
		few[i].sites = 100;
		CHECK(hook(&few[i], 0, function + some[i].first, some[i].n, WARD_K_ENTRY) == some[i].method, "%u: %s",
			i, strerror(errno));
	}
	do_points("call", "10");
	if (all_first)
		detach(&all);
	do_points("call", "10");
	for (unsigned i = 0; i < 4; i++) {
		detach(&few[i]);
		do_points("call", "10");
	}
	detach(&all);
	do_points("call", "10");
	check_words(&all, 0, SETS * (all_first ? 10 : 60));
	CHECK(sums_of(&all, 0).word[SITE] == (all_first ? 10 : 60) * (SETS * (SETS - 1) / 2), "%lu",
		sums_of(&all, 0).word[SITE]);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t times = 20 + 10 * i;

		check_words(&few[i], 0, some[i].n * times);
		CHECK(sums_of(&few[i], 0).word[SITE] == times * (some[i].n * 100 + some[i].n * (some[i].n - 1) / 2),
			"%lu", sums_of(&few[i], 0).word[SITE]);
		close_machine(&few[i]);
	}
	close_machine(&all);
}

void test_leads_some(void)
{
	find_functions();
	some_of(false);
	some_of(true);
	CHECK(unload_points() == 0, "it is free");
}

/* ---- With wrapped calls ---- */

/* What wraps calls is the last, whenever it comes; there is one of it. */
void test_leads_wrapped(void)
{
	static const uint32_t fields[2] = {ALL, ALL | 1u << RET};
	struct machine m[5];

	find_functions();
	for (unsigned i = 0; i < 5; i++)
		m[i] = machine_of(fields, 2);
	CHECK(hook(&m[0], 0, function, 1, WARD_K_ENTRY) == WARD_K_DIRECT, "%s", strerror(errno));
	do_points("call", "10");
	CHECK(hook(&m[1], 1, function, 1, WARD_K_RETURN) == WARD_K_WRAP, "%s", strerror(errno));
	CHECK(hook(&m[2], 1, function, 1, WARD_K_RETURN) == WARD_K_KRETPROBE, "it is taken");
	do_points("call", "10");
	CHECK(hook(&m[3], 0, function, 1, WARD_K_ENTRY) == WARD_K_DIRECT, "%s", strerror(errno));
	CHECK(hook(&m[3], 1, function, 1, WARD_K_RETURN) == WARD_K_KRETPROBE, "it is taken");
	CHECK(hook(&m[1], 0, function, 1, WARD_K_ENTRY) == WARD_K_DIRECT, "both ends: %s", strerror(errno));
	do_points("call", "10");
	detach(&m[1]);
	CHECK(hook(&m[4], 0, function, 1, WARD_K_ENTRY) == WARD_K_DIRECT, "%s", strerror(errno));
	CHECK(hook(&m[4], 1, function, 1, WARD_K_RETURN) == WARD_K_WRAP, "it is free again: %s", strerror(errno));
	do_points("call", "10");
	detach(&m[0]);
	do_points("call", "10");
	for (unsigned i = 0; i < 5; i++)
		detach(&m[i]);
	do_points("call", "10");
	check_words(&m[0], 0, 40);
	check_words(&m[1], 0, 10);
	check_words(&m[1], 1, 20);
	check_words(&m[2], 1, 40);
	check_words(&m[3], 0, 30);
	check_words(&m[3], 1, 30);
	check_words(&m[4], 0, 20);
	check_words(&m[4], 1, 20);
	for (unsigned i = 0; i < 5; i++)
		close_machine(&m[i]);
	CHECK(unload_points() == 0, "it is free");
}

/* ---- Under load ---- */

enum { CALLS = 300000 };

static volatile bool stop;

static void *come_and_go(void *unused)
{
	static const uint32_t fields[2] = {1u << 0, 1u << RET};
	uint64_t site = address_of("__x64_sys_getppid");

	(void)unused;
	for (unsigned i = 0; !stop; i++) {
		struct machine m = machine_of(fields, 2);

		CHECK(hook(&m, 0, &site, 1, WARD_K_ENTRY) == WARD_K_DIRECT, "%s", strerror(errno));
		if (i & 1)
			CHECK(hook(&m, 1, &site, 1, WARD_K_RETURN) != 0, "%s", strerror(errno));
		close_machine(&m);
	}
	return NULL;
}

/* Others come and go before and behind it: of its calls none is lost, nor seen twice. */
void test_leads_under_load(void)
{
	static const uint32_t fields[1] = {1u << TID};
	uint64_t site = address_of("__x64_sys_getppid");
	struct machine m = machine_of(fields, 1);
	pthread_t others[2];

	CHECK(hook(&m, 0, &site, 1, WARD_K_ENTRY) == WARD_K_DIRECT, "%s", strerror(errno));
	for (unsigned i = 0; i < 2; i++)
		CHECK(pthread_create(&others[i], NULL, come_and_go, NULL) == 0, "a thread");
	for (unsigned i = 0; i < CALLS / 1000; i++) {
		call_getppid(1000);
		usleep(10000);
	}
	stop = true;
	for (unsigned i = 0; i < 2; i++)
		pthread_join(others[i], NULL);
	detach(&m);
	CHECK(sums_of(&m, 0).runs + dropped(&m) >= CALLS && dropped(&m) < CALLS / 100, "%lu of %d, %lu dropped",
		sums_of(&m, 0).runs, CALLS, dropped(&m));
	CHECK(sums_of(&m, 0).runs <= CALLS + 1000, "%lu: seen twice", sums_of(&m, 0).runs);
	close_machine(&m);
}

/* ---- Another tracer ---- */

void test_leads_held(void)
{
	static const uint32_t fields[1] = {ALL};
	struct machine m[2] = {machine_of(fields, 1), machine_of(fields, 1)};

	find_functions();
	do_points("hold", "ward_word_*");
	for (unsigned i = 0; i < 2; i++)
		CHECK(hook(&m[i], 0, function, 1 + i, WARD_K_ENTRY) == WARD_K_FTRACE, "%u: %s", i, strerror(errno));
	do_points("call", "10");
	detach(&m[0]);
	do_points("call", "10");
	do_points("release", "1");
	do_points("call", "10");
	detach(&m[1]);
	check_words(&m[0], 0, 10);
	check_words(&m[1], 0, 60);
	for (unsigned i = 0; i < 2; i++)
		close_machine(&m[i]);
	CHECK(unload_points() == 0, "it is free");
}
