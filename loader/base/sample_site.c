/* SPDX-License-Identifier: Apache-2.0 */
/* The names of sites that are reached by time, or by the count of something. */
#include "sample_site.h"

#include "edit_distance.h"
#include "error.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define SECOND 1000000000ull
#define DAY (86400 * SECOND)
#define LEAST_INTERVAL 100000ull

/* The kernel's clocks don't go off more often than each 10 us. */
#define LEAST_CLOCK 10000ull
#define MOST_EVENTS (1ull << 62)

enum { NAME_MAX_BYTES = 40 };

#define HARD(name, other, what) {name, other, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##what}
#define SOFT(name, other, what) {name, other, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##what}

/* A cache's event, in the kernel's three parts. */
#define CACHE(name, cache, op, result) \
	{name, NULL, PERF_TYPE_HW_CACHE, \
		PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
			PERF_COUNT_HW_CACHE_RESULT_##result << 16}
#define CACHE_OP(name, word, cache, op) \
	CACHE(name "-" word "s", cache, op, ACCESS), CACHE(name "-" word "-misses", cache, op, MISS)
#define READ(name, cache) CACHE_OP(name, "load", cache, READ)
#define WRITE(name, cache) CACHE_OP(name, "store", cache, WRITE)
#define FETCH(name, cache) \
	CACHE(name "-prefetches", cache, PREFETCH, ACCESS), CACHE(name "-prefetch-misses", cache, PREFETCH, MISS)

static const struct wl_sample_event EVENTS[] = {
	HARD("cpu-cycles", "cycles", CPU_CYCLES),
	HARD("instructions", NULL, INSTRUCTIONS),
	HARD("cache-references", NULL, CACHE_REFERENCES),
	HARD("cache-misses", NULL, CACHE_MISSES),
	HARD("branch-instructions", "branches", BRANCH_INSTRUCTIONS),
	HARD("branch-misses", NULL, BRANCH_MISSES),
	HARD("bus-cycles", NULL, BUS_CYCLES),
	HARD("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARD("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND),
	HARD("ref-cycles", NULL, REF_CPU_CYCLES),
	SOFT("cpu-clock", NULL, CPU_CLOCK),
	SOFT("task-clock", NULL, TASK_CLOCK),
	SOFT("page-faults", "faults", PAGE_FAULTS),
	SOFT("context-switches", "cs", CONTEXT_SWITCHES),
	SOFT("cpu-migrations", "migrations", CPU_MIGRATIONS),
	SOFT("minor-faults", NULL, PAGE_FAULTS_MIN),
	SOFT("major-faults", NULL, PAGE_FAULTS_MAJ),
	SOFT("alignment-faults", NULL, ALIGNMENT_FAULTS),
	SOFT("emulation-faults", NULL, EMULATION_FAULTS),
	SOFT("cgroup-switches", NULL, CGROUP_SWITCHES),
	READ("L1-dcache", L1D),
	WRITE("L1-dcache", L1D),
	FETCH("L1-dcache", L1D),
	READ("L1-icache", L1I),
	FETCH("L1-icache", L1I),
	READ("LLC", LL),
	WRITE("LLC", LL),
	FETCH("LLC", LL),
	READ("dTLB", DTLB),
	WRITE("dTLB", DTLB),
	FETCH("dTLB", DTLB),
	READ("iTLB", ITLB),
	READ("branch", BPU),
	READ("node", NODE),
	WRITE("node", NODE),
	FETCH("node", NODE),
};

const char wl_sample_method_clock[] = "clock", wl_sample_method_counter[] = "counter",
	   wl_sample_no_counter[] = "clock, 99 a second: this machine doesn't count that event";
_Static_assert(WL_SAMPLE_CLOCK_HZ == 99, "the words say it");

struct wl_sample_site wl_sample_by_clock(void)
{
	return (struct wl_sample_site){.kind = WL_SAMPLE_PROFILE, .period = SECOND / WL_SAMPLE_CLOCK_HZ};
}

const struct wl_sample_event *wl_sample_event(size_t i)
{
	return i < sizeof(EVENTS) / sizeof(EVENTS[0]) ? &EVENTS[i] : NULL;
}

bool wl_sample_may_lack(const struct wl_sample_site *site)
{
	return site->kind == WL_SAMPLE_EVENT && site->event->type != PERF_TYPE_SOFTWARE;
}

static bool is_clock(const struct wl_sample_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CPU_CLOCK || event->config == PERF_COUNT_SW_TASK_CLOCK);
}

const char *wl_sample_method(const struct wl_sample_site *site)
{
	return site->kind == WL_SAMPLE_EVENT && !is_clock(site->event) ? wl_sample_method_counter
								       : wl_sample_method_clock;
}

int wl_sample_check_rate(const char *text, const struct wl_sample_site *site, struct ward_error *err)
{
	FILE *f = wl_sample_method(site) == wl_sample_method_clock
			  ? fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re")
			  : NULL;
	unsigned long most = 0;
	bool known = f && fscanf(f, "%lu", &most) == 1 && most;

	if (f)
		fclose(f);
	if (!known || !site->period || SECOND / site->period <= most)
		return 0;
	wl_fail(err, WARD_E_TARGET, text, "the kernel takes at most %lu samples a second", most);
	wl_hint(err, "ask for fewer, or set kernel.perf_event_max_sample_rate (sysctl)");
	return WARD_E_TARGET;
}

/* ---- What a text means ---- */

/* Up to the first colon; false if that is no name. */
static bool name_of(const char *text, char *name)
{
	size_t n = strcspn(text, ":");

	if (!n || n >= NAME_MAX_BYTES ||
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") < n)
		return false;
	memcpy(name, text, n);
	name[n] = 0;
	return true;
}

static const struct wl_sample_event *event_of(const char *name)
{
	for (size_t i = 0; i < sizeof(EVENTS) / sizeof(EVENTS[0]); i++)
		if (strcmp(name, EVENTS[i].name) == 0 || (EVENTS[i].other && strcmp(name, EVENTS[i].other) == 0))
			return &EVENTS[i];
	return NULL;
}

/* Other tracers' words before the event's name. */
static bool is_class(const char *name)
{
	return strcmp(name, "hardware") == 0 || strcmp(name, "software") == 0;
}

bool wl_is_sample_site(const char *text)
{
	char name[NAME_MAX_BYTES];
	const char *colon = strchr(text, ':');

	if (strchr(text, '!') || !name_of(text, name) || strcmp(name, "kernel") == 0)
		return false;
	return strcmp(name, "profile") == 0 || strcmp(name, "interval") == 0 || strcmp(name, "off-cpu") == 0 ||
	       is_class(name) || event_of(name) || (colon && strspn(colon + 1, "0123456789") > 0);
}

/* ---- Numbers ---- */

/* The number at the beginning of the text, and what is behind it; false if there is none, or it is too large. */
static bool number(const char *text, uint64_t *value, const char **rest)
{
	const char *end = text + strspn(text, "0123456789");

	*value = 0;
	*rest = end;
	for (const char *digit = text; digit < end; digit++)
		if (__builtin_mul_overflow(*value, 10u, value) ||
			__builtin_add_overflow(*value, (uint64_t)(*digit - '0'), value))
			return false;
	return end != text;
}

static uint64_t unit_of(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"us", 1000}, {"ms", 1000000}, {"s", SECOND}, {"min", 60 * SECOND}, {"h", 3600 * SECOND}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ns;
	return 0;
}

/* ---- The three forms ---- */

static int site_refuse(struct ward_error *err, const char *text, const char *why, const char *hint)
{
	wl_fail(err, WARD_E_USAGE, text, "%s", why);
	wl_hint(err, "%s", hint);
	return WARD_E_USAGE;
}

static int parse_profile(const char *text, const char *how, struct wl_sample_site *out, struct ward_error *err)
{
	uint64_t hz;
	const char *rest;

	if (!number(how, &hz, &rest) || *rest)
		return site_refuse(err, text, "this isn't a number of samples a second",
			"write profile:HZ, as in profile:99; a length of time is interval:TIME");
	if (!hz || hz > WL_SAMPLE_MAX_HZ)
		return site_refuse(
			err, text, "from 1 to 100000 samples a second can be taken", "write, for instance, profile:99");
	*out = (struct wl_sample_site){.kind = WL_SAMPLE_PROFILE, .period = SECOND / hz};
	return 0;
}

static int parse_interval(const char *text, const char *how, struct wl_sample_site *out, struct ward_error *err)
{
	uint64_t n, unit = 0, period;
	const char *rest;

	if (number(how, &n, &rest))
		unit = unit_of(rest);
	if (!unit)
		return site_refuse(err, text, "this isn't a length of time",
			"write interval:TIME with a unit, us, ms, s, min or h, as in interval:1s or interval:100ms");
	if (__builtin_mul_overflow(n, unit, &period) || period < LEAST_INTERVAL || period > DAY)
		return site_refuse(
			err, text, "an interval may be from 100us to 24h", "write, for instance, interval:1s");
	*out = (struct wl_sample_site){.kind = WL_SAMPLE_INTERVAL, .period = period};
	return 0;
}

static int parse_off_cpu(const char *text, const char *how, struct wl_sample_site *out, struct ward_error *err)
{
	uint64_t n, unit = 0, least;
	const char *rest;

	if (number(how, &n, &rest))
		unit = unit_of(rest);
	if (!unit || __builtin_mul_overflow(n, unit, &least) || least > DAY)
		return site_refuse(err, text, "this isn't a length of time up to 24h",
			"write off-cpu:TIME with a unit, us, ms, s, min or h, as in off-cpu:1ms; off-cpu:0us is all");
	*out = (struct wl_sample_site){.kind = WL_SAMPLE_OFF_CPU, .period = least};
	return 0;
}

/* What was meant by a name that no event has, or NULL. */
static const char *nearest(const char *name)
{
	unsigned best = (unsigned)strlen(name) / 3 + 1;
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(EVENTS) / sizeof(EVENTS[0]); i++) {
		unsigned d = wl_edit_distance(name, EVENTS[i].name);

		if (d < best) {
			best = d;
			found = EVENTS[i].name;
		}
	}
	return found;
}

static int no_such_event(const char *text, const char *name, struct ward_error *err)
{
	const char *meant = nearest(name);

	wl_fail(err, WARD_E_USAGE, text, "no event has the name `%s`", name);
	if (is_class(name))
		wl_hint(err, "write the event's name alone, as in cache-misses:10000 or page-faults:1");
	else if (meant)
		wl_hint(err, "did you mean %s? `ward list --kernel '*:N'` shows all events", meant);
	else
		wl_hint(err, "`ward list --kernel '*:N'` shows all events; a function is MODULE!FUNCTION");
	return WARD_E_USAGE;
}

static int parse_event(
	const char *text, const char *name, const char *how, struct wl_sample_site *out, struct ward_error *err)
{
	const struct wl_sample_event *event = event_of(name);
	uint64_t n;
	const char *rest;

	if (!event)
		return no_such_event(text, name, err);
	if (!number(how, &n, &rest) || *rest) {
		wl_fail(err, WARD_E_USAGE, text, "it doesn't say at each how many events");
		wl_hint(err, "write a number behind the name, as in %s:%s", event->name,
			is_clock(event)                             ? "1000000 (nanoseconds)"
			: event->type == PERF_TYPE_SOFTWARE         ? "1"
			: event->config == PERF_COUNT_HW_CPU_CYCLES ? "1000000"
								    : "10000");
		return WARD_E_USAGE;
	}
	if (is_clock(event) && n < LEAST_CLOCK)
		return site_refuse(err, text, "a clock's number is nanoseconds, 10000 at least",
			"write, for instance, cpu-clock:1000000, which is each millisecond, or profile:1000");
	if (!n || n > MOST_EVENTS)
		return site_refuse(
			err, text, "the number of events is out of range", "write 1 or more, as in page-faults:1");
	*out = (struct wl_sample_site){.kind = WL_SAMPLE_EVENT, .period = n, .event = event};
	return 0;
}

int wl_sample_site_parse(const char *text, struct wl_sample_site *out, struct ward_error *err)
{
	char name[NAME_MAX_BYTES];
	const char *colon = strchr(text, ':'), *how = colon ? colon + 1 : "";

	if (strchr(text, '!') || !name_of(text, name))
		return site_refuse(err, text, "this isn't a site that is reached by time or count",
			"write profile:HZ, interval:TIME, off-cpu:TIME or EVENT:N");
	return strcmp(name, "profile") == 0    ? parse_profile(text, how, out, err)
	       : strcmp(name, "interval") == 0 ? parse_interval(text, how, out, err)
	       : strcmp(name, "off-cpu") == 0  ? parse_off_cpu(text, how, out, err)
					       : parse_event(text, name, how, out, err);
}
