/* SPDX-License-Identifier: Apache-2.0 */
/* Names of sites that are reached by time or by the count of something: what is meant, and what is refused. */
#include "helper.h"

#include "loader/base/sample_site.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

static struct wl_sample_site parsed(const char *text)
{
	struct wl_sample_site site = {0};
	struct ward_error err = {0};

	cr_assert(wl_is_sample_site(text), "%s", text);
	cr_assert(wl_sample_site_parse(text, &site, &err) == 0, "%s: %s", text, err.why);
	return site;
}

Test(sample_site, times)
{
	struct wl_sample_site s = parsed("profile:99");

	cr_assert(s.kind == WL_SAMPLE_PROFILE && s.period == 10101010 && !s.event);
	cr_assert(parsed("profile:1").period == 1000000000);
	cr_assert(parsed("profile:100000").period == 10000);
	s = parsed("interval:1s");
	cr_assert(s.kind == WL_SAMPLE_INTERVAL && s.period == 1000000000 && !s.event);
	cr_assert(parsed("interval:100ms").period == 100000000);
	cr_assert(parsed("interval:100us").period == 100000);
	cr_assert(parsed("interval:2min").period == 120000000000);
	cr_assert(parsed("interval:24h").period == 86400000000000);
	s = parsed("off-cpu:20ms");
	cr_assert(s.kind == WL_SAMPLE_OFF_CPU && s.period == 20000000 && !s.event);
	cr_assert(parsed("off-cpu:0us").period == 0);
	s = wl_sample_by_clock();
	cr_assert(s.kind == WL_SAMPLE_PROFILE && s.period == parsed("profile:99").period);
	cr_assert(!wl_sample_may_lack(&s));
}

static void is_event(const char *text, uint64_t type, uint64_t config, uint64_t period)
{
	struct wl_sample_site s = parsed(text);

	cr_assert(s.kind == WL_SAMPLE_EVENT && s.event && s.event->type == type && s.event->config == config &&
			  s.period == period,
		"%s", text);
	cr_assert(wl_sample_may_lack(&s) == (type != PERF_TYPE_SOFTWARE), "%s", text);
}

Test(sample_site, events)
{
	is_event("cpu-cycles:1000000", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1000000);
	is_event("cycles:7", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 7);
	is_event("cache-misses:10000", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 10000);
	is_event("branches:4611686018427387904", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 1ull << 62);
	is_event("page-faults:1", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1);
	is_event("cs:100", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 100);
	is_event("cpu-clock:10000", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 10000);
	is_event("L1-dcache-load-misses:5", PERF_TYPE_HW_CACHE, 0x10000, 5);
	is_event("LLC-stores:5", PERF_TYPE_HW_CACHE, 0x102, 5);
	is_event("node-prefetch-misses:5", PERF_TYPE_HW_CACHE, 0x10206, 5);
}

/* Each name means one event, and each event of a type and number is there once. */
Test(sample_site, each_event_once)
{
	const struct wl_sample_event *a, *b;

	for (size_t i = 0; (a = wl_sample_event(i)); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s:20000", a->name);
		cr_assert(parsed(text).event == a, "%s", text);
		if (a->other) {
			snprintf(text, sizeof(text), "%s:20000", a->other);
			cr_assert(parsed(text).event == a, "%s", text);
		}
		for (size_t j = 0; j < i; j++) {
			b = wl_sample_event(j);
			cr_assert(a->type != b->type || a->config != b->config, "%s, %s", a->name, b->name);
		}
	}
}

/* What is meant as such a site, but isn't one: the reason, and a word of the hint. */
Test(sample_site, refused)
{
	static const struct {
		const char *text, *why, *hint;
	} bad[] = {
		{"profile", "number of samples", "profile:99"},
		{"profile:", "number of samples", "profile:99"},
		{"profile:0", "from 1 to 100000", "profile:99"},
		{"profile:100001", "from 1 to 100000", "profile:99"},
		{"profile:18446744073709551617", "number of samples", "profile:99"},
		{"profile:-1", "number of samples", "profile:99"},
		{"profile:hz:99", "number of samples", "profile:HZ"},
		{"profile:10ms", "number of samples", "interval:TIME"},
		{"profile:99 ", "number of samples", "profile:99"},
		{"interval", "length of time", "interval:1s"},
		{"interval:1", "length of time", "a unit"},
		{"interval:s:1", "length of time", "interval:1s"},
		{"interval:1.5s", "length of time", "interval:1s"},
		{"interval:0s", "from 100us to 24h", "interval:1s"},
		{"interval:99us", "from 100us to 24h", "interval:1s"},
		{"interval:25h", "from 100us to 24h", "interval:1s"},
		{"interval:18446744073709551615h", "from 100us to 24h", "interval:1s"},
		{"cache-misses", "how many events", "cache-misses:10000"},
		{"cache-misses:", "how many events", "cache-misses:10000"},
		{"cycles:many", "how many events", "cpu-cycles:1000000"},
		{"faults:1x", "how many events", "page-faults:1"},
		{"page-faults:0", "out of range", "page-faults:1"},
		{"page-faults:4611686018427387905", "out of range", "1 or more"},
		{"cpu-clock:9999", "nanoseconds", "profile:1000"},
		{"cache-mises:100", "no event", "did you mean cache-misses?"},
		{"page-fault:1", "no event", "did you mean page-faults?"},
		{"hardware:cache-misses:1000", "no event", "the event's name alone"},
		{"software", "no event", "the event's name alone"},
		{"something:12", "no event", "MODULE!FUNCTION"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wl_sample_site site;
		struct ward_error err = {0};

		cr_assert(wl_is_sample_site(bad[i].text), "%s", bad[i].text);
		cr_assert(wl_sample_site_parse(bad[i].text, &site, &err) == WARD_E_USAGE, "%s", bad[i].text);
		cr_assert(strstr(err.why, bad[i].why), "%s: %s", bad[i].text, err.why);
		cr_assert(strstr(err.hint, bad[i].hint), "%s: %s", bad[i].text, err.hint);
	}
}

/* Other sites aren't taken for these. */
Test(sample_site, other_sites)
{
	static const char *const others[] = {"", ":", ":entry", ":return", "libc.so.6!read", "prog!profile:return",
		"profile!main", "cycles!f:entry", "kernel!vfs_read", "kernel:sched:sched_switch", "kernel:9:9", "*",
		"*!:python:gc__done", "main:entry", "libc.so.6:9", "main",
		"a-name-that-is-longer-than-any-event-has-ever-had:1"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct wl_sample_site site;
		struct ward_error err = {0};

		cr_assert(!wl_is_sample_site(others[i]), "%s", others[i]);
		cr_assert(wl_sample_site_parse(others[i], &site, &err) == WARD_E_USAGE, "%s", others[i]);
	}
}
