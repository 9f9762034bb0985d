/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of several machines: when they are closed, what amends them, and what is acknowledged. */
#include "cluster/merge/windows.h"
#include "merge_shape.h"

static const uint64_t SECOND = 1000000000, BEGIN_AT = 1000 * 1000000000ull; /* which is in window 100 */

static cluster_windows *new_windows(size_t bytes)
{
	struct cluster_windows_options options = {.children = {.schema = &shape_schema, .query = QUERY, .bytes = bytes},
		.window_ns = 10 * SECOND,
		.period_ns = SECOND};
	cluster_windows *w = cluster_windows_new(&options);
	cr_assert_not_null(w);
	return w;
}

static enum cluster_taken send_flagged(cluster_windows *w, const char *machine, uint64_t window, uint64_t sequence,
	uint64_t seed, uint64_t now, uint32_t flags, uint64_t wall_ns)
{
	struct ward_error err;
	ward_partial *p = merge_partial(seed, 2);
	size_t size;
	void *bytes = merge_pack_at(p, 1, 9, sequence, flags, window, wall_ns, &size);
	const struct cluster_window_part part = {.sender = {.machine = machine},
		.bytes = bytes,
		.size = size,
		.span_ns = 10 * SECOND,
		.now_ns = now,
		.now_at = BEGIN_AT + now};
	enum cluster_taken how = cluster_windows_take(w, &part, &err);
	free(bytes);
	ward_partial_free(p);
	return how;
}

static enum cluster_taken send(
	cluster_windows *w, const char *machine, uint64_t window, uint64_t sequence, uint64_t seed, uint64_t now)
{
	return send_flagged(w, machine, window, sequence, seed, now, 0, 0);
}

static void expect_sum(const struct cluster_window *window, uint64_t number, uint64_t seed, uint64_t other)
{
	struct cluster_total total;
	ward_partial *sum = merge_partial(seed, 2), *second = merge_partial(other, 2);
	cr_assert_not_null(window);
	cr_expect_eq(window->number, number);
	cr_assert_eq(ward_partial_add(sum, second, NULL), 0);
	cr_assert_eq(cluster_total_take(window->children, NULL, &total, NULL), 0);
	cr_expect(merge_equal(total.partial, sum));
	cluster_total_free(&total);
	ward_partial_free(sum);
	ward_partial_free(second);
}

Test(windows, one_is_closed_when_all_have_passed_it)
{
	cluster_windows *w = new_windows(0);
	cr_assert_eq(send(w, "a", 100, 1, 1, 5 * SECOND), CLUSTER_TAKEN);
	cr_assert_eq(send(w, "b", 99, 1, 8, 5 * SECOND), CLUSTER_TAKEN);
	const struct cluster_window *closed = cluster_windows_next(w, 6 * SECOND);
	cr_assert_not_null(closed); /* both have passed it */
	cr_expect_eq(closed->number, 99);
	cr_expect_null(cluster_windows_next(w, 6 * SECOND));
	cr_assert_eq(send(w, "b", 100, 2, 20, 7 * SECOND), CLUSTER_TAKEN);
	expect_sum(cluster_windows_next(w, 7 * SECOND), 100, 1, 20);
	cr_expect_null(cluster_windows_next(w, 7 * SECOND));
	cluster_windows_free(w);
}

/* It doesn't wait for one machine for ever; what comes later amends it. */
Test(windows, one_is_closed_after_two_periods_and_two_seconds)
{
	cluster_windows *w = new_windows(0);
	cr_assert_eq(send(w, "b", 99, 1, 8, 4 * SECOND), CLUSTER_TAKEN);
	cr_assert_not_null(cluster_windows_next(w, 4 * SECOND));
	cr_assert_eq(send(w, "a", 100, 1, 1, 5 * SECOND), CLUSTER_TAKEN);
	cr_expect_null(cluster_windows_next(w, 9 * SECOND - 1));
	const struct cluster_window *closed = cluster_windows_next(w, 9 * SECOND);
	cr_assert_not_null(closed);
	cr_expect_eq(closed->number, 100);
	cr_expect_eq(closed->amended, 0);
	cr_assert_eq(send(w, "b", 100, 2, 20, 10 * SECOND), CLUSTER_TAKEN);
	closed = cluster_windows_next(w, 10 * SECOND);
	expect_sum(closed, 100, 1, 20);
	cr_expect_eq(closed->amended, 1);
	cr_expect_eq(cluster_windows_amended(w), 1);
	cluster_windows_free(w);
}

Test(windows, nobody_waits_for_a_machine_that_has_left)
{
	cluster_windows *w = new_windows(0);
	cr_assert_eq(send(w, "b", 99, 1, 8, 4 * SECOND), CLUSTER_TAKEN);
	cr_assert_eq(send(w, "a", 100, 1, 1, 4 * SECOND), CLUSTER_TAKEN);
	cluster_windows_next(w, 4 * SECOND);
	cr_expect_null(cluster_windows_next(w, 4 * SECOND));
	cluster_windows_leave(w, "b");
	cr_assert_not_null(cluster_windows_next(w, 4 * SECOND));
	cluster_windows_free(w);
}

static struct cluster_window_machine machine_of(const cluster_windows *w, const char *name)
{
	struct cluster_window_machine m;
	size_t i = 0;
	while (cluster_windows_machine(w, i, &m) && strcmp(m.name, name) != 0)
		i++;
	cr_assert_str_eq(m.name, name);
	return m;
}

/* What comes twice changes nothing; what is too old for the windows that are kept counts as lost, once. */
Test(windows, some_are_kept)
{
	cluster_windows *w = new_windows(0);
	for (uint64_t i = 0; i < 20; i++) {
		cr_assert_eq(send(w, "a", 100 + i, 1 + i, i, i * 10 * SECOND), CLUSTER_TAKEN);
		cr_assert_eq(send(w, "a", 100 + i, 1 + i, i, i * 10 * SECOND), CLUSTER_OLD);
		cr_expect_eq(cluster_windows_below(w, "a", 1, 9), 101 + i);
	}
	cr_expect_eq(send(w, "a", 100, 1, 0, 190 * SECOND), CLUSTER_OLD); /* it was in its sum */
	cr_expect_eq(machine_of(w, "a").lost, 0);
	cr_expect_eq(send(w, "b", 3, 1, 1, 190 * SECOND), CLUSTER_OLD);
	cr_expect_eq(send(w, "b", 103, 1, 1, 190 * SECOND), CLUSTER_OLD);
	cr_expect_eq(send(w, "b", 103, 1, 1, 190 * SECOND), CLUSTER_OLD);
	cr_expect_eq(machine_of(w, "b").lost, 2);
	cr_expect_eq(cluster_windows_below(w, "b", 1, 9), 104);
	cr_expect_eq(cluster_windows_below(w, "b", 2, 9), 0);
	cr_expect_eq(cluster_windows_below(w, "c", 1, 9), 0);
	cr_expect_eq(send(w, "b", 104, 2, 1, 190 * SECOND), CLUSTER_TAKEN);
	cr_expect_eq(send(w, "b", 0, 3, 1, 190 * SECOND), CLUSTER_REFUSED);
	/* events are 100 for each sequence number: those of windows that have made room are there, too */
	cr_expect_eq(cluster_windows_events(w), 100 * (20 * 21 / 2 + 2));
	cluster_windows_free(w);
}

/* C-113: else a machine whose clock is wrong would push out the windows of all others. */
Test(windows, what_is_far_ahead_is_not_taken)
{
	cluster_windows *w = new_windows(0);
	cr_assert_eq(send(w, "a", 99, 1, 1, SECOND), CLUSTER_TAKEN);
	cr_expect_eq(send(w, "fast", 100 + CLUSTER_WINDOWS_AHEAD, 1, 1, SECOND), CLUSTER_TAKEN);
	cr_expect_eq(send(w, "fast", 101 + CLUSTER_WINDOWS_AHEAD, 2, 1, SECOND), CLUSTER_OLD);
	for (uint64_t i = 0; i < 100; i++)
		cr_expect_eq(send(w, "liar", UINT64_MAX - 100 + i, 1 + i, 1, SECOND), CLUSTER_OLD);
	cr_expect_eq(machine_of(w, "fast").lost, 1);
	cr_expect_eq(machine_of(w, "liar").lost, 100);
	cr_expect_eq(cluster_windows_next(w, 60 * SECOND)->number, 99);
	cluster_windows_free(w);
}

/* One that contradicts itself is out of all windows, of those that were given out, too. */
Test(windows, a_machine_is_out_of_all)
{
	cluster_windows *w = new_windows(0);
	struct cluster_total total;
	cr_assert_eq(send(w, "a", 99, 1, 1, SECOND), CLUSTER_TAKEN);
	cr_assert_eq(send(w, "liar", 99, 1, 8, SECOND), CLUSTER_TAKEN);
	expect_sum(cluster_windows_next(w, SECOND), 99, 1, 8);
	cr_expect_eq(cluster_windows_events(w), 200);
	cr_expect(cluster_windows_put_out(w, "liar"));
	const struct cluster_window *again = cluster_windows_next(w, SECOND);
	cr_assert_not_null(again);
	cr_assert_eq(cluster_total_take(again->children, NULL, &total, NULL), 0);
	ward_partial *alone = merge_partial(1, 2);
	cr_expect(merge_equal(total.partial, alone));
	cr_expect_eq(send(w, "liar", 100, 2, 8, SECOND), CLUSTER_INCONSISTENT);
	cr_expect_eq(cluster_windows_events(w), 100);
	ward_partial_free(alone);
	cluster_total_free(&total);
	cluster_windows_free(w);
}

/* A clock that has jumped, and a machine that has cut a window much too late. */
Test(windows, what_is_to_be_said_of_a_machine)
{
	cluster_windows *w = new_windows(0);
	cr_assert_eq(send_flagged(w, "a", 99, 1, 1, SECOND, WARD_PARTIAL_CLOCK_JUMPED, 0), CLUSTER_TAKEN);
	cr_assert_eq(
		send_flagged(w, "a", 100, 2, 1, SECOND, 0, 1020 * SECOND), CLUSTER_TAKEN); /* its end is at 1,010 s */
	cr_assert_eq(send_flagged(w, "a", 101, 3, 1, SECOND, 0, 1031 * SECOND), CLUSTER_TAKEN);
	cr_expect_eq(machine_of(w, "a").jumps, 1);
	cr_expect_eq(machine_of(w, "a").late, 1);
	cr_expect_eq(cluster_windows_next(w, SECOND)->span_ns, 10 * SECOND);
	cluster_windows_free(w);
}

/* One that found no room must come again, and is acknowledged then. */
Test(windows, what_found_no_room_is_not_acknowledged)
{
	cluster_windows *w = new_windows(20);
	cr_expect_eq(send(w, "a", 100, 1, 1, SECOND), CLUSTER_NO_ROOM);
	cr_expect_eq(cluster_windows_below(w, "a", 1, 9), 1);
	cr_expect_eq(send(w, "a", 101, 2, 1, SECOND), CLUSTER_NO_ROOM);
	cr_expect_eq(cluster_windows_below(w, "a", 1, 9), 1);
	cluster_windows_free(w);
}

Test(windows, at_the_end_all_are_closed)
{
	cluster_windows *w = new_windows(0);
	cr_assert_eq(send(w, "b", 99, 1, 8, 4 * SECOND), CLUSTER_TAKEN);
	cr_assert_eq(send(w, "a", 100, 1, 1, 4 * SECOND), CLUSTER_TAKEN);
	cluster_windows_close(w);
	cr_expect_eq(cluster_windows_next(w, 4 * SECOND)->number, 99);
	cr_expect_eq(cluster_windows_next(w, 4 * SECOND)->number, 100);
	cr_expect_null(cluster_windows_next(w, 4 * SECOND));
	cluster_windows_free(w);
}
