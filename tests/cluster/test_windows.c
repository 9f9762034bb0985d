/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of several machines: when they are closed, what amends them, and what is acknowledged. */
#include "cluster/merge/windows.h"
#include "merge_shape.h"

static const uint64_t SECOND = 1000000000;

static cluster_windows *new_windows(size_t bytes)
{
	struct cluster_windows_options options = {.children = {.schema = &shape_schema, .query = QUERY, .bytes = bytes},
		.window_ns = 10 * SECOND,
		.period_ns = SECOND};
	cluster_windows *w = cluster_windows_new(&options);
	cr_assert_not_null(w);
	return w;
}

static enum cluster_taken send(
	cluster_windows *w, const char *machine, uint64_t window, uint64_t sequence, uint64_t seed, uint64_t now)
{
	struct cluster_sender sender = {.machine = machine};
	struct ward_error err;
	ward_partial *p = merge_partial(seed, 2);
	size_t size;
	void *bytes = merge_pack(p, 1, 9, sequence, 0, window, &size);
	enum cluster_taken how = cluster_windows_take(w, &sender, bytes, size, now, &err);
	free(bytes);
	ward_partial_free(p);
	return how;
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

/* What comes twice changes nothing; what is too old for the windows that are kept counts as lost. */
Test(windows, some_are_kept)
{
	cluster_windows *w = new_windows(0);
	for (uint64_t i = 0; i < 20; i++) {
		cr_assert_eq(send(w, "a", 100 + i, 1 + i, i, i * SECOND), CLUSTER_TAKEN);
		cr_assert_eq(send(w, "a", 100 + i, 1 + i, i, i * SECOND), CLUSTER_OLD);
		cr_expect_eq(cluster_windows_below(w, "a", 1, 9), 101 + i);
	}
	cr_expect_eq(send(w, "b", 103, 1, 1, 30 * SECOND), CLUSTER_OLD);
	cr_expect_eq(send(w, "b", 3, 1, 1, 30 * SECOND), CLUSTER_OLD);
	cr_expect_eq(cluster_windows_lost(w), 2);
	cr_expect_eq(cluster_windows_below(w, "b", 1, 9), 104);
	cr_expect_eq(cluster_windows_below(w, "b", 2, 9), 0);
	cr_expect_eq(cluster_windows_below(w, "c", 1, 9), 0);
	cr_expect_eq(send(w, "b", 104, 2, 1, 30 * SECOND), CLUSTER_TAKEN);
	cr_expect_eq(send(w, "b", 0, 3, 1, 30 * SECOND), CLUSTER_REFUSED);
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
