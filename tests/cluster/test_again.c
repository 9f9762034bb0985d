/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query that another coordinator goes on with, without the journal, or with another key: in virtual time.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/coordinator/fetch.h"
#include "world.h"

/* Whoever asks for the time lets it go on: cluster_fetch waits by it. */
static struct world *ticking;

static struct cluster_now now_tick(void)
{
	world_go(ticking, STEP_MS);
	return world_now(ticking);
}

/* The coordinator is gone, as if killed. */
static void coordinator_kill(struct world *w, char id[33])
{
	strcpy(id, cluster_run_id(w->run));
	cluster_run_free(w->run);
	w->run = NULL;
	bus_close(w->b);
	cr_assert_eq(bus_loop_open(w->loop, "another", &w->b, NULL), 0);
}

/* A computer that knows nothing of it goes on. */
static void coordinator_adopt(
	struct world *w, const char *id, const char *computer, const struct cluster_texts *expected)
{
	char path[100];
	struct cluster_found found;
	struct cluster_again again = {.grace_ns = 5 * SECOND};

	if (expected)
		again.expected = *expected;
	snprintf(path, sizeof(path), "%s/%s", w->folder, computer);
	cr_assert_eq(mkdir(path, 0700), 0);
	again.directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ticking = w;
	cr_assert_eq(cluster_fetch(w->b, &w->secret, "test", id, now_tick, &found, &w->err), 0, "%s", w->err.why);
	cr_assert_eq(cluster_run_adopt(w->b, &w->secret, &found, &again, world_now(w), &w->run, &w->err), 0, "%s",
		w->err.why);
	free(found.order);
	close(again.directory);
}

/* C-131, C-133, C-134: from machine to machine, also when all have ended, and what was acknowledged comes again. */
Test(again, without_the_journal)
{
	static const char *const names[] = {"a", "b"};
	const struct cluster_texts both = {names, 2};
	struct cluster_run_unit unit;
	struct cluster_run_options options = world_options(&unit);
	struct world w;
	char id[33];

	world_open(&w, NULL);
	world_add(&w, "a", NULL);
	world_add(&w, "b", NULL);
	world_begin(&w, &options);
	world_go(&w, 4000);
	coordinator_kill(&w, id);
	coordinator_adopt(&w, id, "second", &both);
	world_go(&w, 2000);
	expect_state(&w, "a", CLUSTER_STATE_REPORTING);
	world_finish(&w);
	cr_expect(cluster_fleet_is_complete(cluster_run_fleet(w.run)));
	cr_expect_eq(world_sum(&w), w.sim[0].count + w.sim[1].count);
	world_go(&w, 500);
	cr_expect(w.sim[0].is_got && w.sim[1].is_got);

	coordinator_kill(&w, id);
	coordinator_adopt(&w, id, "third", NULL);
	world_finish(&w);
	cr_expect_eq(world_sum(&w), w.sim[0].count + w.sim[1].count, "what was acknowledged came again");
	cr_expect_eq(cluster_fleet_count_whole(cluster_run_fleet(w.run)), 2);
	cr_expect_not(cluster_fleet_is_complete(cluster_run_fleet(w.run)), "machines may have gone before");
	world_close(&w);
}

Test(again, a_query_that_no_machine_has)
{
	struct world w;
	struct cluster_found found;

	world_open(&w, NULL);
	world_add(&w, "a", NULL);
	ticking = &w;
	cr_expect_eq(
		cluster_fetch(w.b, &w.secret, "test", "01020304050607080910111213141516", now_tick, &found, &w.err),
		WARD_E_TARGET);
	cr_expect(strstr(w.err.why, "none of 1 machines"), "%s", w.err.why);
	cr_expect_eq(cluster_fetch(w.b, &w.secret, "test", "../a", now_tick, &found, &w.err), WARD_E_USAGE);
	world_close(&w);
}

/* Of machines that have had more epochs than have come, the result isn't whole. */
Test(again, an_epoch_that_never_came_is_missed)
{
	struct cluster_fleet_times times = {.period_ns = SECOND, .hello_ns = 30 * SECOND};
	cluster_fleet *f = cluster_fleet_new(&times, SECOND);
	struct cluster_fleet_note note = {
		.agent = 7, .sequence = 1, .state = CLUSTER_NOTED_ENDED, .epoch = 2, .epochs = 2};

	cr_assert(cluster_fleet_note(f, "a", &note, 2 * SECOND));
	cr_assert(cluster_fleet_part(f, "a", 2, 9, true, 2 * SECOND) && cluster_fleet_epochs(f, "a", 1, 2 * SECOND));
	cr_assert(cluster_fleet_settle(f, "a", 2, 9, 2 * SECOND));
	cr_expect_not(cluster_fleet_is_whole(cluster_fleet_find(f, "a")));
	cr_expect(cluster_fleet_is_waiting(f), "the other one may still come");
	note.sequence = 2;
	note.epochs = 1;
	cr_assert(cluster_fleet_note(f, "a", &note, 3 * SECOND));
	cr_expect(cluster_fleet_is_complete(f));
	cluster_fleet_adopt(f);
	cr_expect_not(cluster_fleet_is_complete(f), "others may have gone before");
	cr_assert(cluster_fleet_choose(f, "a", CLUSTER_EXPECTED, 3 * SECOND));
	cr_expect(cluster_fleet_is_complete(f), "all names are known");
	cluster_fleet_free(f);
}

static void foreign_beat(struct world *w, bus *b, const struct cluster_secret *key, uint64_t term)
{
	Ward__Cluster__Beat m = WARD__CLUSTER__BEAT__INIT;
	Ward__Cluster__Choice choice = WARD__CLUSTER__CHOICE__INIT;
	uint8_t query[CLUSTER_ID], digest[CLUSTER_DIGEST] = {0};
	char subject[80];
	size_t n;
	void *bytes;

	cluster_hex_read(cluster_run_id(w->run), CLUSTER_ID, query);
	m.query = (ProtobufCBinaryData){sizeof(query), query};
	m.cluster = made_text("test");
	m.term = term;
	m.counter = world_now(w).at;
	m.left_ns = m.lease_ns = 60 * SECOND;
	m.period_ns = m.hello_ns = SECOND;
	m.shards = 1;
	m.choice = &choice;
	m.order = (ProtobufCBinaryData){sizeof(digest), digest}; /* no machine has that */
	m.has_coordinator = true;
	m.coordinator = 77;
	bytes = cluster_sign(key, WARD__CLUSTER__SIGNED__KIND__BEAT, &m.base, &n);
	snprintf(subject, sizeof(subject), "ward.beat.%s", cluster_run_id(w->run));
	cr_assert_eq(bus_publish(b, subject, bytes, n, NULL), 0);
	free(bytes);
}

/* C-132: a stranger's beat stops nobody, until a machine says that it follows it. Then the first one looks on. */
Test(again, another_key_has_the_query_once_a_machine_follows_it)
{
	struct cluster_run_unit unit;
	struct cluster_run_options options = world_options(&unit);
	struct cluster_secret other;
	struct world w;
	bus *b;

	world_open(&w, NULL);
	world_add(&w, "a", NULL);
	world_begin(&w, &options);
	cr_assert(cluster_secret_make(&other, NULL));
	cr_assert_eq(bus_loop_open(w.loop, "other", &b, NULL), 0);
	for (int i = 0; i < 20; i++) {
		foreign_beat(&w, b, &other, 5 + (uint64_t)i);
		world_go(&w, 200);
	}
	cr_expect_eq(cluster_run_phase(w.run), CLUSTER_RUNS);
	cr_expect(w.sim[0].runs, "its lease is renewed");
	w.sim[0].term = 24;
	w.sim[0].coordinator = 77;
	foreign_beat(&w, b, &other, 24);
	world_go(&w, 1000);
	cr_expect_eq(cluster_run_phase(w.run), CLUSTER_TAKEN_OVER);
	cr_expect(cluster_run_is_looking(w.run));
	uint64_t beats = w.sim[0].beats;
	world_go(&w, 3000);
	cr_expect_eq(w.sim[0].beats, beats, "it beats no more");
	uint64_t before = world_sum(&w);
	world_go(&w, 1000);
	cr_expect_gt(world_sum(&w), before, "it looks on");
	world_finish(&w); /* nobody renews the lease */
	cr_expect_eq(world_sum(&w), w.sim[0].count, "to the end");
	cr_expect_not(w.sim[0].is_got, "and acknowledges nothing");
	bus_close(b);
	world_close(&w);
}
