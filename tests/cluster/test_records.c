/* SPDX-License-Identifier: Apache-2.0 */
/* Records: each once, in order of time, under loss, duplicates and reordering; what is lost is counted by machine. */
#include "cluster/merge/records.h"
#include "merge_shape.h"

enum { STREAMS = 4, RECORDS = 600, BATCH = 20, DELAY = 1000 };

static struct cluster_stream stream_of(unsigned i)
{
	static const char *const machines[] = {"a", "a", "b", "c"};
	return (struct cluster_stream){.machine = machines[i], .epoch = 1 + i, .nonce = i / 2};
}

/* Record n of stream i has the time 10 n + i, and these bytes. */
static int send(cluster_records *r, unsigned i, uint64_t first, uint32_t count, uint64_t now)
{
	uint64_t bytes[RECORDS], times[RECORDS];
	struct cluster_batch b = {.stream = stream_of(i),
		.origin = {.pid = 100 + i, .thread = i, .program = i ? "some" : "other", .number = first + 7},
		.first = first,
		.count = count,
		.stride = 8,
		.records = bytes,
		.times = times};
	for (uint32_t k = 0; k < count; k++) {
		bytes[k] = (first + k) * STREAMS + i;
		times[k] = (first + k) * 10 + i;
	}
	return cluster_records_take(r, &b, now, NULL);
}

static unsigned take_out(cluster_records *r, uint64_t now, bool everything, unsigned *seen, uint64_t *last)
{
	struct cluster_record record;
	unsigned n = 0;
	while (cluster_records_next(r, now, everything, &record)) {
		uint64_t value;
		memcpy(&value, record.bytes, sizeof(value));
		cr_assert_eq(value, record.number * STREAMS + record.origin.thread);
		cr_assert(record.origin.number == record.number + 7 && record.origin.pid == 100 + record.origin.thread);
		cr_assert_str_eq(record.origin.program, record.origin.thread ? "some" : "other");
		cr_assert_eq(seen[value]++, 0u);
		cr_assert(record.is_late == (record.time_ns < *last));
		*last = record.is_late ? *last : record.time_ns;
		n++;
	}
	return n;
}

/* An agent sends again what isn't acknowledged; batches are lost, come twice, and in any order. */
Test(records, each_comes_once_and_in_order)
{
	for (uint64_t round = 1; round <= 30; round++) {
		uint64_t seed = round * 999983, now = 0, last = 0, n = 0;
		static unsigned seen[(RECORDS + 1) * STREAMS];
		memset(seen, 0, sizeof(seen));
		cluster_records *r = cluster_records_new(DELAY, 0, false);
		bool is_done = false;
		for (unsigned step = 0; !is_done; step++) {
			now = step * 20;
			for (unsigned i = 0; i < STREAMS; i++) {
				struct cluster_stream key = stream_of(i);
				uint64_t below = cluster_records_below(r, &key), most = now / 10;
				most = most > RECORDS ? RECORDS : most;
				if (below > most)
					continue;
				uint64_t first = below + merge_draw(&seed, most - below + 1);
				uint64_t count = 1 + merge_draw(&seed, BATCH);
				count = count > most - first + 1 ? most - first + 1 : count;
				if (merge_draw(&seed, 5) ==
					0) /* as an agent does, from the first one that isn't acknowledged */
					first = below, count = most - below + 1 > BATCH ? BATCH : most - below + 1;
				for (uint64_t twice = 0; merge_draw(&seed, 4) && twice < 2; twice++)
					cr_assert_eq(send(r, i, first, (uint32_t)count, now), 0);
			}
			n += take_out(r, now, false, seen, &last);
			is_done = true;
			for (unsigned i = 0; i < STREAMS; i++) {
				struct cluster_stream key = stream_of(i);
				is_done &= cluster_records_below(r, &key) == RECORDS + 1;
			}
		}
		n += take_out(r, now, true, seen, &last);
		struct cluster_record_counts counts = cluster_records_counts(r);
		cr_assert_eq(n, (uint64_t)RECORDS * STREAMS);
		cr_assert(counts.taken == n && counts.waiting == 0 && counts.waiting_bytes == 0 && counts.twice > 0);
		cr_assert(counts.given_up == 0 && counts.missing == 0 && counts.unread == 0);
		cluster_records_free(r);
	}
}

/* In time for the delay nothing is late. */
Test(records, within_the_delay_they_are_in_order)
{
	cluster_records *r = cluster_records_new(DELAY, 0, false);
	struct cluster_record record;
	cr_assert_eq(send(r, 0, 11, 10, 300), 0);
	cr_assert_eq(send(r, 2, 1, 30, 400), 0);
	cr_assert_eq(send(r, 0, 1, 10, 1000), 0);
	cr_expect_not(cluster_records_next(r, 1009, false, &record));
	cr_assert(cluster_records_next(r, 1010, false, &record));
	cr_expect(record.number == 1 && record.origin.thread == 0 && strcmp(record.stream.machine, "a") == 0);
	cr_expect_not(cluster_records_next(r, 1011, false, &record));
	cr_assert(cluster_records_next(r, 1012, false, &record));
	cr_expect(record.number == 1 && record.origin.thread == 2);
	uint64_t before = 12;
	for (unsigned i = 0; i < 48; i++) {
		cr_assert(cluster_records_next(r, 5000, false, &record));
		cr_expect(record.time_ns > before && !record.is_late);
		before = record.time_ns;
	}
	cr_expect_not(cluster_records_next(r, 5000, false, &record));
	cr_assert_eq(send(r, 3, 1, 1, 5000), 0); /* two seconds after its time */
	cr_assert(cluster_records_next(r, 5000, false, &record));
	cr_expect(record.is_late);
	cr_expect_eq(cluster_records_counts(r).late, 1);
	cluster_records_free(r);
}

/* What an agent no longer has isn't waited for; what it still has may come yet. Both are known by machine. */
Test(records, losses_are_told_from_gaps)
{
	cluster_records *r = cluster_records_new(DELAY, 0, false);
	struct cluster_stream key = stream_of(0), other = stream_of(1);
	cr_assert_eq(send(r, 0, 1, 10, 10), 0);
	cr_expect_eq(cluster_records_below(r, &key), 11);
	cr_assert_eq(send(r, 0, 16, 5, 10), 0);
	cr_expect_eq(cluster_records_below(r, &key), 11);
	cr_expect_eq(cluster_records_counts_of(r, "a").missing, 5);
	cr_assert(cluster_records_kept(r, &key, 14)); /* 11, 12, 13 never come; 14, 15 do */
	cr_expect_eq(cluster_records_below(r, &key), 14);
	cr_expect_eq(cluster_records_counts_of(r, "a").given_up, 3);
	cr_expect_eq(cluster_records_counts_of(r, "a").missing, 2);
	cr_assert_eq(send(r, 0, 11, 5, 10), 0); /* those that are lost stay so */
	cr_expect_eq(cluster_records_below(r, &key), 21);
	cr_expect_eq(cluster_records_counts_of(r, "a").taken, 17);
	cr_expect_eq(cluster_records_counts_of(r, "a").twice, 3);
	cr_assert(cluster_records_kept(r, &key, 5)); /* an old message */
	cr_expect_eq(cluster_records_below(r, &key), 21);
	cr_assert(cluster_records_said(r, &key, 30, 4)); /* ten more are on their way, or lost */
	cr_assert(cluster_records_said(r, &key, 25, 3));
	cr_expect_eq(cluster_records_counts_of(r, "a").missing, 10);
	cr_expect_eq(cluster_records_counts_of(r, "a").unread, 4);
	cr_assert(cluster_records_said(r, &other, 2, 0)); /* of the same machine's next life */
	cr_expect_eq(cluster_records_counts_of(r, "a").missing, 12);
	cr_expect_eq(cluster_records_counts(r).missing, 12);
	cr_assert(cluster_records_kept(r, &key, 31));
	cr_expect_eq(cluster_records_counts(r).missing, 2);
	cr_expect_eq(cluster_records_counts(r).given_up, 13);
	cr_expect_eq(cluster_records_counts_of(r, "b").given_up, 0);
	cluster_records_free(r);
}

/* However many gaps there are, one that is given up makes room. */
Test(records, many_gaps)
{
	cluster_records *r = cluster_records_new(DELAY, 0, false);
	struct cluster_stream key = stream_of(0);
	for (uint64_t i = 0; i < 64; i++)
		cr_assert_eq(send(r, 0, 10 + 2 * i, 1, 10), 0);
	cr_expect_eq(send(r, 0, 200, 1, 10), WARD_E_SYSTEM);
	cr_assert(cluster_records_kept(r, &key, 5));
	cr_expect_eq(cluster_records_below(r, &key), 5);
	cr_assert(cluster_records_kept(r, &key, 13));
	cr_expect_eq(cluster_records_below(r, &key), 13);
	cr_expect_eq(cluster_records_counts(r).given_up, 10);
	cr_assert_eq(send(r, 0, 200, 1, 10), 0);
	cr_assert(cluster_records_kept(r, &key, 201));
	cr_expect_eq(cluster_records_counts(r).taken + cluster_records_counts(r).given_up, 200);
	cr_expect_eq(cluster_records_counts(r).missing, 0);
	cluster_records_free(r);
}

/* What another coordinator has taken before isn't lost. */
Test(records, one_that_goes_on_begins_where_the_other_one_was)
{
	cluster_records *r = cluster_records_new(DELAY, 0, true);
	struct cluster_stream key = stream_of(0);
	cr_assert(cluster_records_kept(r, &key, 101));
	cr_assert_eq(send(r, 0, 101, 5, 10), 0);
	cr_expect_eq(cluster_records_below(r, &key), 106);
	cr_expect(cluster_records_counts(r).given_up == 0 && cluster_records_counts(r).missing == 0);
	cr_assert(cluster_records_kept(r, &key, 110));
	cr_expect_eq(cluster_records_counts(r).given_up, 4);
	cluster_records_free(r);
}

Test(records, c20_c21_what_is_no_batch_and_what_has_no_room)
{
	cluster_records *r = cluster_records_new(DELAY, 1000, false);
	uint64_t bytes[4] = {0}, times[4] = {UINT64_MAX, UINT64_MAX};
	struct cluster_batch none = {.stream = stream_of(0),
		.origin = {.program = ""},
		.count = 1,
		.stride = 8,
		.records = bytes,
		.times = times};
	struct ward_error err;
	struct cluster_record record;
	cr_expect_eq(cluster_records_take(r, &none, 5, &err), WARD_E_USAGE); /* no number 0 */
	cr_expect(strstr(err.why, "(C-20)"), "%s", err.why);
	none.first = UINT64_MAX;
	cr_expect_eq(cluster_records_take(r, &none, 5, &err), WARD_E_USAGE);
	none.first = 1, none.stride = 0;
	cr_expect_eq(cluster_records_take(r, &none, 5, &err), WARD_E_USAGE);
	none.stride = 8;
	cr_expect_eq(cluster_records_take(r, &none, 5, &err), 0); /* from the future: it waits no longer than others */
	cr_assert(cluster_records_next(r, 5 + DELAY, false, &record));
	cr_expect_eq(record.time_ns, 5);
	cr_expect_eq(send(r, 1, 1, 100, 5), WARD_E_SYSTEM);
	cr_expect_eq(send(r, 1, 1, 10, 5), 0);
	cr_expect_eq(cluster_records_counts(r).waiting, 10);
	cluster_records_free(r);
}
