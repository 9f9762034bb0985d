/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of made-up machines, which are cut as an agent cuts them: sums of windows are the sum of all, whatever the
 * bus loses, doubles or delays, and whatever clocks do.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "world.h"

enum { MOST_WINDOWS = 64 };

/* What windows have said last. */
struct shown {
	uint64_t number[MOST_WINDOWS], calls[MOST_WINDOWS], span_ns[MOST_WINDOWS];
	size_t n;
	uint64_t amended;
};

static uint64_t calls_of(const struct cluster_window *window)
{
	struct cluster_total total;
	ward_snapshot *snapshot;

	cr_assert_eq(cluster_total_take(window->children, NULL, &total, NULL), 0);
	cr_assert_eq(ward_partial_finish(total.partial, &snapshot, NULL), 0);
	uint64_t calls = ward_snapshot_field(snapshot, 0)->value;
	ward_snapshot_free(snapshot);
	cluster_total_free(&total);
	return calls;
}

static void windows_take(struct world *w, struct shown *shown)
{
	const struct cluster_window *window;

	while ((window = cluster_run_window(w->run, 0, world_now(w)))) {
		size_t i = 0;
		while (i < shown->n && shown->number[i] != window->number)
			i++;
		cr_assert_lt(i, (size_t)MOST_WINDOWS);
		shown->n += i == shown->n;
		shown->number[i] = window->number;
		shown->calls[i] = calls_of(window);
		shown->span_ns[i] = window->span_ns;
		shown->amended += window->amended != 0;
	}
}

static void go(struct world *w, struct shown *shown, int64_t ms)
{
	for (; ms > 0; ms -= 100) {
		world_go(w, 100);
		windows_take(w, shown);
	}
}

static uint64_t finish(struct world *w, struct shown *shown)
{
	uint64_t sum = 0;

	for (int i = 0; i < 1000 && cluster_run_phase(w->run) < CLUSTER_OVER; i++)
		go(w, shown, 100);
	windows_take(w, shown);
	cr_assert_eq(cluster_run_phase(w->run), CLUSTER_OVER);
	for (size_t i = 0; i < shown->n; i++)
		sum += shown->calls[i];
	return sum;
}

static struct cluster_run_options windows_options(struct cluster_run_unit *unit)
{
	struct cluster_run_options options = world_options(unit);

	options.window_ns = SECOND;
	return options;
}

static uint64_t counted(const struct world *w)
{
	uint64_t sum = 0;

	for (int i = 0; i < w->n; i++)
		sum += w->sim[i].count;
	return sum;
}

static struct cluster_window_machine said_of(const struct world *w, const char *host)
{
	struct cluster_window_machine m = {0};

	for (size_t i = 0; cluster_windows_machine(cluster_run_windows(w->run, 0), i, &m) && strcmp(m.name, host) != 0;)
		i++;
	cr_assert_str_eq(m.name, host);
	return m;
}

/* 50 steps a second, at each of which machine i counts i + 3. */
Test(run_windows, each_has_what_was_counted_in_it)
{
	struct cluster_run_unit unit;
	struct cluster_run_options options = windows_options(&unit);
	struct shown shown = {0};
	struct world w;

	world_open(&w, &(struct bus_loop_faults){.delay_ms = 5});
	world_add(&w, "a", NULL);
	world_add(&w, "b", NULL);
	world_begin(&w, &options);
	cr_expect_eq(finish(&w, &shown), counted(&w));
	cr_expect(cluster_fleet_is_complete(cluster_run_fleet(w.run)));
	cr_expect_eq(world_sum(&w), counted(&w));
	cr_expect_eq(cluster_windows_events(cluster_run_windows(w.run, 0)), counted(&w));
	cr_expect_geq(shown.n, 20);
	for (size_t i = 1; i + 1 < shown.n; i++) {
		cr_expect_eq(shown.number[i], shown.number[0] + i);
		cr_expect_eq(shown.calls[i], 50 * (3 + 4), "window %zu", i);
		cr_expect_eq(shown.span_ns[i], SECOND);
	}
	cr_expect_lt(shown.span_ns[0], SECOND);
	/* not one acknowledgement for each message: there are five a second */
	cr_expect(w.sim[0].got_windows >= 10 && w.sim[0].got_windows <= 25, "%d", (int)w.sim[0].got_windows);
	cr_expect_leq(w.sim[0].windows.n, 2);
	world_close(&w);
}

/* One is 300 ms behind, one jumps an hour forth and back: it has no window for that, and the sum is the sum. */
Test(run_windows, clocks_are_off_and_jump)
{
	struct cluster_run_unit unit;
	struct cluster_run_options options = windows_options(&unit);
	struct shown shown = {0};
	struct world w;

	world_open(&w, &(struct bus_loop_faults){.delay_ms = 5});
	world_add(&w, "right", NULL);
	world_add(&w, "behind", NULL)->day_ns -= 300000000;
	world_add(&w, "jumps", NULL);
	world_begin(&w, &options);
	go(&w, &shown, 6000);
	w.sim[2].day_ns -= 2 * SECOND; /* its window goes on until it has caught up */
	go(&w, &shown, 6000);
	cr_expect_eq(finish(&w, &shown), counted(&w));
	cr_expect(cluster_fleet_is_complete(cluster_run_fleet(w.run)));
	cr_expect_eq(said_of(&w, "right").jumps, 0);
	cr_expect_eq(said_of(&w, "behind").jumps, 0);
	cr_expect_eq(said_of(&w, "jumps").jumps, 1);
	cr_expect_eq(said_of(&w, "jumps").lost, 0);
	cr_expect_eq(w.sim[2].windows.jumped_ns, -2 * (int64_t)SECOND);
	world_close(&w);
}

/* What is an hour ahead isn't taken, and is counted; it is missing in the windows, and not in the sum. */
Test(run_windows, an_hour_ahead_is_lost_and_said)
{
	struct cluster_run_unit unit;
	struct cluster_run_options options = windows_options(&unit);
	struct shown shown = {0};
	struct world w;

	world_open(&w, NULL);
	world_add(&w, "right", NULL);
	world_add(&w, "fast", NULL)->day_ns += 3600 * SECOND;
	world_begin(&w, &options);
	cr_expect_eq(finish(&w, &shown), w.sim[0].count);
	cr_expect_eq(world_sum(&w), counted(&w));
	cr_expect_geq(said_of(&w, "fast").lost, 19);
	cr_expect_eq(cluster_windows_events(cluster_run_windows(w.run, 0)), w.sim[0].count);
	world_close(&w);
}

Test(run_windows, whatever_the_bus_loses_they_are_exact)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct bus_loop_faults faults = {
			.seed = seed, .lost = 100, .doubled = 100, .reordered = 200, .delay_ms = 30};
		struct cluster_run_unit unit;
		struct cluster_run_options options = windows_options(&unit);
		struct shown shown = {0};
		struct world w;

		world_open(&w, &faults);
		for (int i = 0; i < 5; i++) {
			char host[16];
			snprintf(host, sizeof(host), "web%d", i);
			world_add(&w, host, NULL);
		}
		options.grace_ns = 20 * SECOND;
		world_begin(&w, &options);
		cr_expect_eq(finish(&w, &shown), counted(&w), "seed %d", (int)seed);
		cr_expect(cluster_fleet_is_complete(cluster_run_fleet(w.run)), "seed %d", (int)seed);
		world_close(&w);
	}
}

/* The bus is away for seven seconds: windows come later, and amend what was shown. */
Test(run_windows, what_comes_later_amends)
{
	struct cluster_run_unit unit;
	struct cluster_run_options options = windows_options(&unit);
	struct shown shown = {0};
	struct world w;

	world_open(&w, NULL);
	world_add(&w, "a", NULL);
	world_add(&w, "b", NULL);
	options.lease_ns = 30 * SECOND;
	world_begin(&w, &options);
	go(&w, &shown, 5000);
	bus_loop_cut(w.sim[1].b, true);
	go(&w, &shown, 7000);
	bus_loop_cut(w.sim[1].b, false);
	cr_expect_eq(finish(&w, &shown), counted(&w));
	cr_expect_gt(shown.amended, 0);
	cr_expect_eq(said_of(&w, "b").lost, 0);
	for (size_t i = 1; i + 1 < shown.n; i++)
		cr_expect_eq(shown.calls[i], 50 * (3 + 4), "window %zu", i);
	world_close(&w);
}
