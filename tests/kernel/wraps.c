/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrapped calls. The return's probe gets the function's result and arguments, and the caller gets the result,
 * whatever the probe changes. Calls that sleep or never end may remain open.
 *
 * The tests use the device directly, for functions of a test module whose types the loader doesn't know. The probes
 * are machine code made here: they add the event's words to a state, and change every register that they may.
 */
#include "suite.h"

#include "machine.h"
#include "tests/kernel/module/words.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Words ---- */

enum { TIMES = 50, ALL_ARGUMENTS = 63 };

#define NUMBER(n) 0##n##UL,
static const uint64_t set[SETS] = {EACH_SET(NUMBER)};
static uint64_t function[SETS];

static uint32_t fields_of(uint64_t n, bool returns)
{
	uint32_t others = (uint32_t)(n & 1) << CALLER | (uint32_t)(n >> 1 & 1) << TID | (uint32_t)(n >> 2 & 1) << CPU |
			  (uint32_t)(n >> 3 & 1) << TIME | (uint32_t)(n >> 4 & 1) << SITE |
			  (uint32_t)(n >> 5 & 1) << SP;
	uint32_t result = returns ? (uint32_t)((n ^ n >> 1) & 1) << RET | (uint32_t)((n ^ n >> 2) & 1) << ELAPSED : 0;

	return ARGUMENTS(n) | others | result;
}

/* Of the words that the probe reads. */
static void check_sums(const struct machine *m, unsigned entry, uint64_t n, uint32_t site, uint64_t times)
{
	uint32_t fields = m->entry[entry].event_fields;
	struct sums s = sums_of(m, entry);
	uint64_t result = MIX(WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5), n);

	CHECK(s.runs == times, "set %lo: %lu", n, s.runs);
	for (unsigned i = 0; i < 6; i++)
		CHECK(s.word[i] == (fields >> i & 1 ? times * WORD(i) : 0), "set %lo, argument %u: %#lx", n, i,
			s.word[i]);
	CHECK(s.word[RET] == (fields >> RET & 1 ? times * result : 0), "set %lo: %#lx", n, s.word[RET]);
	CHECK(s.word[TID] == (fields >> TID & 1 ? times * (uint64_t)syscall(SYS_gettid) : 0), "set %lo: %lu", n,
		s.word[TID]);
	CHECK(s.word[SITE] == (fields >> SITE & 1 ? times * site : 0), "set %lo: %lu", n, s.word[SITE]);
	if (times == 0)
		return;
	CHECK(!(fields >> ELAPSED & 1) || (s.word[ELAPSED] > 0 && s.word[ELAPSED] < UINT64_MAX / 2), "set %lo: %lu", n,
		s.word[ELAPSED]);
	CHECK(!(fields >> TIME & 1) || s.word[TIME] > 0, "set %lo", n);
}

/* Both ends see the same of what doesn't change, and the return is the later one. */
static void compare_sums(const struct machine *m, unsigned enter, unsigned leave)
{
	struct sums e = sums_of(m, enter), l = sums_of(m, leave);
	uint32_t both = m->entry[enter].event_fields & m->entry[leave].event_fields;

	CHECK(!(both >> SP & 1) || e.word[SP] == l.word[SP], "%#lx, %#lx", e.word[SP], l.word[SP]);
	CHECK(!(both >> CALLER & 1) || e.word[CALLER] == l.word[CALLER], "%#lx, %#lx", e.word[CALLER], l.word[CALLER]);
	CHECK(!(both >> TIME & 1) || e.word[TIME] < l.word[TIME], "%#lx, %#lx", e.word[TIME], l.word[TIME]);
}

/*
 * Each function at its return, and at its entry, before or behind that; two sessions, the second of which finds all
 * functions wrapped.
 */
static void wrap_each(bool entries, bool returns_first)
{
	uint32_t fields[2 * SETS];
	struct machine m[2];

	for (unsigned i = 0; i < 2 * SETS; i++)
		fields[i] = fields_of(set[i / 2], i % 2);
	m[0] = machine_of(fields, 2 * SETS);
	m[1] = machine_of(fields, 2 * SETS);
	for (unsigned s = 0; s < 2; s++)
		for (unsigned i = 0; i < 2 * SETS; i++) {
			bool leave = i % 2 != returns_first;
			uint32_t method, expected = leave ? (s ? WARD_K_KRETPROBE : WARD_K_WRAP) : WARD_K_DIRECT;

			m[s].sites = i / 2 * 2 + leave;
			if (!leave && !entries)
				continue;
			method = hook(
				&m[s], i / 2 * 2 + leave, &function[i / 2], 1, leave ? WARD_K_RETURN : WARD_K_ENTRY);
			CHECK(method == expected, "%s: %u, not %u", word_function[i / 2], method, expected);
		}
	CHECK(unload_points() == EWOULDBLOCK, "the first session holds the module");
	do_points("call", "50");
	detach(&m[0]);
	do_points("call", "50");
	detach(&m[1]);
	do_points("call", "50");
	for (unsigned s = 0; s < 2; s++) {
		for (unsigned i = 0; i < SETS; i++) {
			check_sums(&m[s], 2 * i, set[i], 2 * i, entries ? (1 + s) * TIMES : 0);
			check_sums(&m[s], 2 * i + 1, set[i], 2 * i + 1, (1 + s) * TIMES);
			if (entries && s == 0)
				compare_sums(&m[s], 2 * i, 2 * i + 1);
		}
		CHECK(dropped(&m[s]) == 0, "%lu", dropped(&m[s]));
		close_machine(&m[s]);
	}
}

void test_wrapped_words(void)
{
	find_word_functions(function);
	wrap_each(false, false);
	wrap_each(true, false);
	wrap_each(true, true);
	CHECK(unload_points() == 0, "it is free");
}

/* The largest stubs there are: all words at both ends, of a function and of a system call. */
void test_wrapped_all_words(void)
{
	enum { RETURNED = (1 << WORDS) - 1, ENTERED = RETURNED & ~(1 << RET | 1 << ELAPSED) };
	static const uint32_t fields[4] = {ENTERED, RETURNED, ENTERED, RETURNED},
			      where[4] = {WARD_K_ENTRY, WARD_K_RETURN, WARD_K_CALL, WARD_K_CALL_RETURN};
	struct machine m = machine_of(fields, 4);
	uint64_t site[2];

	load_points();
	site[0] = address_of("ward_word_77");
	site[1] = address_of("__x64_sys_getppid");
	for (unsigned i = 0; i < 4; i++)
		CHECK(hook(&m, i, &site[i / 2], 1, where[i]) == (i % 2 ? WARD_K_WRAP : WARD_K_DIRECT), "%u: %s", i,
			strerror(errno));
	do_points("call", "50");
	call_getppid(50);
	detach(&m);
	check_sums(&m, 0, 077, 0, TIMES);
	check_sums(&m, 1, 077, 1, TIMES);
	compare_sums(&m, 0, 1);
	compare_sums(&m, 2, 3);
	CHECK(sums_of(&m, 2).runs == 50 && sums_of(&m, 3).runs == 50 &&
			sums_of(&m, 3).word[RET] == 50 * (uint64_t)getppid(),
		"%lu", sums_of(&m, 3).runs);
	CHECK(dropped(&m) == 0, "%lu", dropped(&m));
	close_machine(&m);
	CHECK(unload_points() == 0, "it is free");
}

/*
 * All functions by one stub, whose sites are numbered; with an entry's probe, and of which the return's reads the site
 * or not.
 */
static void wrap_all(bool entries, bool sites)
{
	const uint32_t fields[2] = {ALL_ARGUMENTS | 1u << SITE | 1u << SP,
		ALL_ARGUMENTS | 1u << RET | 1u << ELAPSED | 1u << SP | (sites ? 1u << SITE : 0)};
	struct machine m = machine_of(fields, 2);
	uint64_t results = 0;
	struct sums e, l;

	for (unsigned i = 0; i < SETS; i++)
		results += MIX(WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5), set[i]);
	if (entries)
		CHECK(hook(&m, 0, function, SETS, WARD_K_ENTRY) == WARD_K_DIRECT, "%s", strerror(errno));
	m.sites = 100;
	CHECK(hook(&m, 1, function, SETS, WARD_K_RETURN) == WARD_K_WRAP, "%s", strerror(errno));
	CHECK(hook(&m, 1, function, SETS, WARD_K_RETURN) == 0 && errno == EBUSY, "twice: %s", strerror(errno));
	CHECK(hook(&m, 1, function, SETS - 1, WARD_K_RETURN) == 0 && errno == EBUSY, "some of them: %s",
		strerror(errno));
	do_points("call", "50");
	detach(&m);
	do_points("call", "50");
	e = sums_of(&m, 0);
	l = sums_of(&m, 1);
	CHECK(e.runs == (entries ? SETS * TIMES : 0) && l.runs == SETS * TIMES, "%lu, %lu", e.runs, l.runs);
	for (unsigned i = 0; i < 6; i++)
		CHECK(e.word[i] == e.runs * WORD(i) && l.word[i] == l.runs * WORD(i), "argument %u", i);
	CHECK(l.word[RET] == TIMES * results, "%#lx", l.word[RET]);
	CHECK(!entries || e.word[SP] == l.word[SP], "%#lx, %#lx", e.word[SP], l.word[SP]);
	CHECK(e.word[SITE] == (entries ? TIMES * SETS * (SETS - 1) / 2 : 0), "%lu", e.word[SITE]);
	CHECK(l.word[SITE] == (sites ? TIMES * (SETS * (SETS - 1) / 2 + SETS * 100) : 0), "%lu", l.word[SITE]);
	close_machine(&m);
}

void test_wrapped_together(void)
{
	find_word_functions(function);
	sort_sites(function, SETS);
	for (unsigned i = 0; i < 4; i++)
		wrap_all(i & 1, i & 2);
	CHECK(unload_points() == 0, "it is free");
}

/* Two words, and a structure where a hidden argument says; and calls in calls. */
void test_wrapped_shapes(void)
{
	static const char *const shapes[] = {"ward_two", "ward_four", "ward_deep"};
	const uint32_t fields[3] = {1u << RET | 1u << TIME, 1u << ELAPSED, 1u << RET | 1u << 0};
	struct machine m;
	uint64_t site, deep = 0;

	load_points();
	m = machine_of(fields, 3);
	for (unsigned i = 0; i < 3; i++) {
		site = address_of(shapes[i]);
		CHECK(hook(&m, i, &site, 1, WARD_K_RETURN) == WARD_K_WRAP, "%s: %s", shapes[i], strerror(errno));
	}
	do_points("more", "100");
	do_points("deep", "40");
	detach(&m);
	do_points("more", "100");
	do_points("deep", "40");
	for (uint64_t n = 0; n <= 40; n++)
		deep += n * (n + 1) / 2;
	CHECK(sums_of(&m, 0).runs == 100 && sums_of(&m, 0).word[RET] == 100 * (WORD(0) ^ WORD(1)), "%lu",
		sums_of(&m, 0).runs);
	CHECK(sums_of(&m, 1).runs == 100, "%lu", sums_of(&m, 1).runs);
	CHECK(sums_of(&m, 2).runs == 41 && sums_of(&m, 2).word[0] == 820 && sums_of(&m, 2).word[RET] == deep, "%lu",
		sums_of(&m, 2).runs);
	CHECK(dropped(&m) == 0, "%lu", dropped(&m));
	close_machine(&m);
	CHECK(unload_points() == 0, "it is free");
}

/* So many calls in calls that little would be left of the stack with a frame of ours for each: then they do without. */
void test_wrapped_deep(void)
{
	static const uint32_t fields[2] = {1u << 0, 1u << 0 | 1u << RET};
	enum { DEPTH = 201 };
	struct sums enter, leave;
	struct machine m;
	uint64_t site;

	load_points();
	m = machine_of(fields, 2);
	site = address_of("ward_deep");
	CHECK(hook(&m, 0, &site, 1, WARD_K_ENTRY) == WARD_K_DIRECT &&
			hook(&m, 1, &site, 1, WARD_K_RETURN) == WARD_K_WRAP,
		"%s", strerror(errno));
	for (int i = 0; i < 10; i++)
		do_points("deep", "200");
	detach(&m);
	enter = sums_of(&m, 0);
	leave = sums_of(&m, 1);
	CHECK(enter.runs == leave.runs && enter.word[0] == leave.word[0], "%lu, %lu", enter.runs, leave.runs);
	CHECK(enter.runs > 0 && dropped(&m) > 0 && enter.runs + leave.runs + dropped(&m) == 10 * 2 * DEPTH,
		"%lu, %lu dropped", enter.runs, dropped(&m));
	printf("  %lu of %d calls were wrapped\n", enter.runs / 10, DEPTH);
	close_machine(&m);
	CHECK(unload_points() == 0, "it is free");
}

/* ---- Open calls ---- */

enum { SLEEPERS = 300 };

static void read_asleep(int *asleep, int *bad)
{
	FILE *f = fopen("/sys/module/ward_points/parameters/asleep", "r");

	CHECK(f && fscanf(f, "%d %d", asleep, bad) == 2, "%s", strerror(errno));
	fclose(f);
}

static void wait_for_sleepers(int n)
{
	int asleep, bad;

	do {
		usleep(1000);
		read_asleep(&asleep, &bad);
	} while (asleep != n);
	CHECK(bad == 0, "%d got something else", bad);
}

static void unload_when_free(void)
{
	while (unload_points() != 0)
		usleep(1000);
}

/* 0, or why the module that runs the probes can't be unloaded. */
static int unload_ward(void)
{
	return syscall(SYS_delete_module, "ward", O_NONBLOCK) == 0 ? 0 : errno;
}

static void load_ward(void)
{
	int fd = open("/modules/ward.ko", O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0 && syscall(SYS_finit_module, fd, "", 0) == 0, "%s", strerror(errno));
	close(fd);
}

/* Calls that sleep have their returns seen, however many there are. */
void test_wrapped_sleep(void)
{
	const uint32_t fields[2] = {1u << 0, 1u << 0 | 1u << 5 | 1u << RET};
	struct machine m;
	uint64_t site;

	load_points();
	site = address_of("ward_sleep");
	m = machine_of(fields, 2);
	CHECK(hook(&m, 0, &site, 1, WARD_K_ENTRY) == WARD_K_DIRECT &&
			hook(&m, 1, &site, 1, WARD_K_RETURN) == WARD_K_WRAP,
		"%s", strerror(errno));
	do_points("sleep", "300");
	wait_for_sleepers(SLEEPERS);
	CHECK(sums_of(&m, 0).runs == SLEEPERS && sums_of(&m, 1).runs == 0, "%lu", sums_of(&m, 1).runs);
	do_points("wake", "1");
	while (sums_of(&m, 1).runs < SLEEPERS)
		usleep(1000);
	wait_for_sleepers(0);
	detach(&m);
	unload_when_free();
	CHECK(sums_of(&m, 1).runs == SLEEPERS && sums_of(&m, 1).word[0] == SLEEPERS * WORD(0) &&
			sums_of(&m, 1).word[5] == SLEEPERS * WORD(5),
		"%lu", sums_of(&m, 1).runs);
	CHECK(dropped(&m) == 0, "%lu", dropped(&m));
	close_machine(&m);
}

/*
 * Calls are open when the probes go, and when their session's memory is gone and given to others; ward stays until they
 * have ended.
 */
void test_wrapped_left_open(void)
{
	const uint32_t fields[2] = {ALL_ARGUMENTS, ALL_ARGUMENTS | 1u << RET};
	struct machine m[3];
	int asleep = 0;
	uint64_t site;

	load_points();
	site = address_of("ward_sleep");
	for (unsigned i = 0; i < 3; i++) {
		m[i] = machine_of(fields, 2);
		if (i == 0)
			CHECK(hook(&m[i], 0, &site, 1, WARD_K_ENTRY) == WARD_K_DIRECT, "%s", strerror(errno));
		CHECK(hook(&m[i], 1, &site, 1, WARD_K_RETURN) == WARD_K_WRAP, "%s", strerror(errno));
		do_points("sleep", "4");
		wait_for_sleepers(asleep += 4);
		if (i == 1) { /* from now on by another stub; the first one is there for those four */
			CHECK(hook(&m[i], 0, &site, 1, WARD_K_ENTRY) == WARD_K_DIRECT, "%s", strerror(errno));
			do_points("sleep", "4");
			wait_for_sleepers(asleep += 4);
		}
		detach(&m[i]);
		CHECK(sums_of(&m[i], 0).runs == (i < 2 ? 4 : 0) && sums_of(&m[i], 1).runs == 0, "%lu, %lu",
			sums_of(&m[i], 0).runs, sums_of(&m[i], 1).runs);
		close_machine(&m[i]);
	}
	CHECK(unload_ward() == EWOULDBLOCK, "calls are open");
	do_points("wake", "1");
	wait_for_sleepers(0);
	unload_when_free();
	while (unload_ward() != 0)
		usleep(10000); /* others look when it is time */
	load_ward();
}

static volatile bool stop;

static void *nap(void *unused)
{
	while (!stop)
		usleep(200);
	return unused;
}

enum { THREADS = 4, CYCLES = 6 };

/* Hooks come and go while threads are before, in and behind the calls, which sleep. */
void test_wrapped_under_load(void)
{
	pthread_t thread[THREADS];
	struct ward_session_stats stats;

	stop = false;
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, nap, NULL) == 0, "a thread");
	for (int i = 0; i < CYCLES; i++) {
		ward_session *s = attached("ends", "kernel!__x64_sys_clock_nanosleep");
		uint64_t entered, returned;

		while (field_value(s, "ends", "returned") < 100)
			usleep(1000);
		CHECK(ward_detach(s, NULL) == 0, "detached");
		entered = field_value(s, "ends", "entered");
		returned = field_value(s, "ends", "returned");
		CHECK(returned <= entered, "%lu, %lu", entered, returned);
		usleep(1000);
		CHECK(field_value(s, "ends", "returned") == returned, "the state is final");
		ward_session_stats(s, &stats);
		CHECK(stats.events == entered + returned && stats.dropped == 0, "%lu events, %lu dropped", stats.events,
			stats.dropped);
		ward_session_free(s);
	}
	stop = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

/* Threads end inside: that keeps no detach waiting, but ward from going, for ever. The last test of these. */
void test_wrapped_never(void)
{
	const uint32_t fields[2] = {1u << 0, 1u << RET};

	load_points();
	for (int i = 0; i < 3; i++) {
		uint64_t site = address_of("ward_end");
		struct machine m = machine_of(fields, 2);

		CHECK(hook(&m, 0, &site, 1, WARD_K_ENTRY) == WARD_K_DIRECT &&
				hook(&m, 1, &site, 1, WARD_K_RETURN) == WARD_K_WRAP,
			"%s", strerror(errno));
		do_points("end", "1");
		do_points("end", "1");
		detach(&m);
		CHECK(sums_of(&m, 0).runs == 2 && sums_of(&m, 1).runs == 0, "%lu", sums_of(&m, 1).runs);
		close_machine(&m);
	}
	unload_when_free();
	CHECK(unload_ward() == EWOULDBLOCK, "they are open");
}
