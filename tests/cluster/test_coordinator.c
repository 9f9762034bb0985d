/* SPDX-License-Identifier: Apache-2.0 */
/* What a coordinator remembers, in virtual time: states of machines, beats, and the journal. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#include "cluster/coordinator/beat.h"
#include "cluster/coordinator/fleet.h"
#include "cluster/coordinator/journal.h"

static const uint64_t SECOND = 1000000000, START = 500 * 1000000000ull;

static cluster_fleet *new_fleet(void)
{
	struct cluster_fleet_times times = {.period_ns = SECOND, .hello_ns = 30 * SECOND};
	cluster_fleet *f = cluster_fleet_new(&times, START);
	cr_assert_not_null(f);
	return f;
}

static void note(cluster_fleet *f, const char *name, uint64_t agent, uint64_t sequence, enum cluster_noted state,
	const char *reason, uint64_t second)
{
	struct cluster_fleet_note n = {.agent = agent, .sequence = sequence, .state = state, .reason = reason};
	cr_assert(cluster_fleet_note(f, name, &n, START + second * SECOND));
}

static void expect_state(cluster_fleet *f, const char *name, enum cluster_state state)
{
	const struct cluster_fleet_machine *m = cluster_fleet_find(f, name);
	cr_assert_not_null(m, "%s", name);
	cr_expect_eq(
		m->state, state, "%s is %s, not %s", name, cluster_state_name(m->state), cluster_state_name(state));
}

static void tick(cluster_fleet *f, uint64_t second)
{
	cluster_fleet_tick(f, START + second * SECOND);
}

/* From the choice to the end, and each change is given out once. */
Test(fleet, a_machine_goes_through_its_states)
{
	cluster_fleet *f = new_fleet();
	static const enum cluster_state path[] = {CLUSTER_STATE_UNREACHABLE, CLUSTER_STATE_ATTACHING,
		CLUSTER_STATE_NO_TARGET, CLUSTER_STATE_REPORTING, CLUSTER_STATE_ENDED};
	for (unsigned step = 0; step < 5; step++) {
		uint64_t now = START + (step + 1) * SECOND;
		switch (step) {
		case 0: cr_assert(cluster_fleet_choose(f, "web1", CLUSTER_EXPECTED, now)); break;
		case 1: cr_assert(cluster_fleet_hear(f, "web1", 7, 4, now)); break;
		case 2: note(f, "web1", 7, 1, CLUSTER_NOTED_NO_TARGET, "nothing matches", step + 1); break;
		case 3:
			note(f, "web1", 7, 2, CLUSTER_NOTED_REPORTING, NULL, step + 1);
			cr_assert(cluster_fleet_part(f, "web1", 1, 9, false, now));
			break;
		default:
			cr_assert(cluster_fleet_part(f, "web1", 1, 9, true, now));
			expect_state(f, "web1", CLUSTER_STATE_REPORTING);
			cr_expect(cluster_fleet_is_waiting(f) && !cluster_fleet_is_complete(f));
			cr_assert(cluster_fleet_settle(f, "web1", 1, 9, now));
		}
		const struct cluster_fleet_machine *m = cluster_fleet_changed(f);
		cr_assert_not_null(m);
		cr_expect_eq(m->state, path[step]);
		cr_expect_eq(m->since_ns, step ? now : now);
		cr_expect_str_eq(m->reason, step == 2 ? "nothing matches" : "");
		cr_expect_null(cluster_fleet_changed(f));
		cr_expect_eq(cluster_fleet_count_of(f, path[step]), 1);
		cr_expect_eq(cluster_fleet_count(f), 1);
	}
	cr_expect(cluster_fleet_is_complete(f) && !cluster_fleet_is_waiting(f));
	const struct cluster_fleet_machine *m = cluster_fleet_at(f, 0);
	cr_expect_eq(m->joined_ns, START + 4 * SECOND);
	cr_expect_eq(m->processors, 4);
	cr_expect_eq(m->known, CLUSTER_EXPECTED);
	cluster_fleet_free(f);
}

Test(fleet, of_nobody_nothing_is_complete)
{
	cluster_fleet *f = new_fleet();
	cr_expect_not(cluster_fleet_is_complete(f));
	cr_expect_not(cluster_fleet_is_waiting(f));
	cr_expect(cluster_fleet_hear(f, "other", 1, 1, START)); /* it isn't meant */
	cr_expect_eq(cluster_fleet_count(f), 0);
	cr_expect_not(cluster_fleet_choose(f, "", CLUSTER_ANSWERED, START));
	cr_expect_null(cluster_fleet_at(f, 0));
	cluster_fleet_free(f);
}

/* Stale after three periods, lost after ten seconds; and back. What is missing is said. */
Test(fleet, who_is_silent_is_stale_then_lost)
{
	cluster_fleet *f = new_fleet();
	cr_assert(cluster_fleet_part(f, "a", 1, 9, false, START + SECOND));
	tick(f, 3);
	expect_state(f, "a", CLUSTER_STATE_REPORTING);
	tick(f, 4);
	expect_state(f, "a", CLUSTER_STATE_STALE);
	tick(f, 10);
	expect_state(f, "a", CLUSTER_STATE_STALE);
	tick(f, 11);
	expect_state(f, "a", CLUSTER_STATE_LOST);
	cr_expect_eq(cluster_fleet_find(f, "a")->missing_ns, 10 * SECOND);
	cr_expect_eq(cluster_fleet_find(f, "a")->since_ns, START + 11 * SECOND);
	cr_expect_not(cluster_fleet_is_waiting(f));
	cr_assert(cluster_fleet_part(f, "a", 1, 9, false, START + 20 * SECOND));
	expect_state(f, "a", CLUSTER_STATE_REPORTING);
	cr_expect_eq(cluster_fleet_find(f, "a")->missing_ns, 0);
	struct cluster_fleet_times slow = {.period_ns = 4 * SECOND, .hello_ns = 30 * SECOND};
	cluster_fleet_retime(f, &slow);
	tick(f, 31);
	expect_state(f, "a", CLUSTER_STATE_REPORTING);
	tick(f, 39);
	expect_state(f, "a", CLUSTER_STATE_STALE);
	tick(f, 40);
	expect_state(f, "a", CLUSTER_STATE_LOST);
	cluster_fleet_end(f, START + 45 * SECOND);
	tick(f, 60);
	cr_expect_eq(cluster_fleet_find(f, "a")->missing_ns, 25 * SECOND);
	cluster_fleet_free(f);
}

/* One that has nothing to send is alive while it says hello. */
Test(fleet, who_has_no_target_is_lost_when_hellos_stop)
{
	cluster_fleet *f = new_fleet();
	note(f, "a", 7, 1, CLUSTER_NOTED_NO_TARGET, NULL, 1);
	tick(f, 60);
	expect_state(f, "a", CLUSTER_STATE_NO_TARGET);
	cr_assert(cluster_fleet_hear(f, "a", 7, 1, START + 60 * SECOND));
	tick(f, 129);
	expect_state(f, "a", CLUSTER_STATE_NO_TARGET);
	tick(f, 130);
	expect_state(f, "a", CLUSTER_STATE_LOST);
	note(f, "a", 7, 2, CLUSTER_NOTED_ENDED, NULL, 140);
	expect_state(f, "a", CLUSTER_STATE_ENDED); /* it never had anything */
	cr_expect(cluster_fleet_is_complete(f));
	cluster_fleet_free(f);
}

/* C-140: who has ended, and wasn't in the result all the time, isn't whole, and the time is said. */
Test(fleet, who_was_out_of_the_result_is_not_whole)
{
	cluster_fleet *f = new_fleet();
	static const char *const names[] = {"whole", "anew", "early"};
	for (unsigned i = 0; i < 3; i++)
		cr_assert(cluster_fleet_part(f, names[i], 1, 9, false, START + 2 * SECOND));
	cr_assert(cluster_fleet_part(f, "anew", 2, 9, false, START + 5 * SECOND));
	struct cluster_fleet_note n = {.agent = 7,
		.sequence = 1,
		.state = CLUSTER_NOTED_ENDED,
		.epoch = 1,
		.is_early = true,
		.early_ns = 4 * SECOND};
	for (unsigned i = 0; i < 3; i++) {
		cr_assert(cluster_fleet_part(f, names[i], i == 1 ? 2 : 1, 9, true, START + 10 * SECOND));
		cr_assert(cluster_fleet_settle(f, names[i], i == 1 ? 2 : 1, 9, START + 10 * SECOND));
		cr_expect_eq(cluster_fleet_is_complete(f), false);
	}
	cr_assert(cluster_fleet_note(f, "early", &n, START + 10 * SECOND));
	cluster_fleet_end(f, START + 12 * SECOND);
	tick(f, 13);
	static const uint64_t missing[] = {0, 3, 6};
	for (unsigned i = 0; i < 3; i++) {
		expect_state(f, names[i], CLUSTER_STATE_ENDED);
		const struct cluster_fleet_machine *m = cluster_fleet_find(f, names[i]);
		cr_expect_eq(cluster_fleet_is_whole(m), i == 0, "%s", names[i]);
		cr_expect_eq(m->missing_ns, missing[i] * SECOND, "%s", names[i]);
	}
	cr_expect_not(cluster_fleet_is_complete(f));
	cr_assert(cluster_fleet_hear(f, "early", 8, 1, START + 13 * SECOND)); /* its next agent says nothing of it */
	cr_expect_not(cluster_fleet_is_whole(cluster_fleet_find(f, "early")));
	cluster_fleet_free(f);
}

Test(fleet, reasons_are_kept)
{
	cluster_fleet *f = new_fleet();
	note(f, "a", 7, 2, CLUSTER_NOTED_REFUSED, "its policy\ndoesn't allow it", 1);
	note(f, "a", 7, 1, CLUSTER_NOTED_ATTACHING, "late", 2);
	expect_state(f, "a", CLUSTER_STATE_REFUSED);
	cr_expect_str_eq(cluster_fleet_find(f, "a")->reason, "its policy?doesn't allow it");
	cr_assert(cluster_fleet_part(f, "b", 1, 1, false, START + SECOND));
	note(f, "b", 8, 1, CLUSTER_NOTED_GUARDED, "it takes 4 %", 2);
	cr_assert(cluster_fleet_part(f, "b", 1, 1, true, START + 2 * SECOND));
	expect_state(f, "b", CLUSTER_STATE_GUARDED);
	cr_expect(cluster_fleet_is_waiting(f));
	cr_assert(cluster_fleet_settle(f, "b", 1, 1, START + 3 * SECOND));
	expect_state(f, "b", CLUSTER_STATE_GUARDED);
	cr_expect_not(cluster_fleet_is_waiting(f));
	cr_expect_not(cluster_fleet_is_complete(f));
	tick(f, 12);
	cr_expect_eq(cluster_fleet_find(f, "b")->missing_ns, 10 * SECOND);
	cr_assert(cluster_fleet_part(f, "c", 1, 1, false, START + 12 * SECOND));
	cr_assert(cluster_fleet_blame(f, "c", "events have become less (C-05)", START + 12 * SECOND));
	note(f, "c", 8, 1, CLUSTER_NOTED_REPORTING, "all is well", 13);
	expect_state(f, "c", CLUSTER_STATE_INCONSISTENT);
	cr_expect_str_eq(cluster_fleet_find(f, "c")->reason, "events have become less (C-05)");
	cr_expect_eq(cluster_fleet_find(f, "c")->missing_ns, 13 * SECOND); /* nothing of it is in the result */
	cluster_fleet_free(f);
}

/* A new life of the agent: what the one before has said is no longer so, and its epoch isn't the newest. */
Test(fleet, an_agent_starts_again)
{
	cluster_fleet *f = new_fleet();
	note(f, "a", 7, 5, CLUSTER_NOTED_REPORTING, NULL, 1);
	cr_assert(cluster_fleet_part(f, "a", 1, 70, true, START + SECOND));
	cr_assert(cluster_fleet_settle(f, "a", 1, 70, START + SECOND));
	expect_state(f, "a", CLUSTER_STATE_ENDED);
	cr_assert(cluster_fleet_hear(f, "a", 8, 1, START + 2 * SECOND));
	cr_assert(cluster_fleet_part(f, "a", 2, 80, false, START + 3 * SECOND));
	expect_state(f, "a", CLUSTER_STATE_REPORTING);
	cr_assert(cluster_fleet_settle(f, "a", 1, 70, START + 3 * SECOND)); /* of the epoch before */
	expect_state(f, "a", CLUSTER_STATE_REPORTING);
	note(f, "a", 8, 1, CLUSTER_NOTED_GUARDED, NULL, 4); /* a lower number, of another life */
	expect_state(f, "a", CLUSTER_STATE_GUARDED);
	cr_expect_not(cluster_fleet_find(f, "a")->is_doubled);
	cr_assert(cluster_fleet_part(f, "a", 1, 70, false, START + 5 * SECOND)); /* late */
	cr_expect_not(cluster_fleet_find(f, "a")->is_doubled);
	cluster_fleet_free(f);
}

Test(fleet, two_machines_of_one_name_are_noticed)
{
	cluster_fleet *f = new_fleet(), *g = new_fleet();
	for (uint64_t i = 1; i < 12; i++) {
		cr_assert(cluster_fleet_part(f, "a", 3, 70, false, START + i * SECOND));
		cr_assert(cluster_fleet_part(f, "a", 4, 80, false, START + i * SECOND));
		cr_expect_eq(cluster_fleet_find(f, "a")->is_doubled, i >= 6);
	}
	cr_assert(cluster_fleet_choose(g, "a", CLUSTER_ANSWERED, START));
	cr_assert(cluster_fleet_hear(g, "a", 1, 1, START));
	cr_assert(cluster_fleet_hear(g, "a", 2, 1, START));
	cr_expect_not(cluster_fleet_find(g, "a")->is_doubled);
	cr_assert(cluster_fleet_hear(g, "a", 1, 1, START));
	cr_expect(cluster_fleet_find(g, "a")->is_doubled);
	cluster_fleet_free(f);
	cluster_fleet_free(g);
}

/* The counts of states are those of the machines, whatever happens; each change is given out. */
Test(fleet, counts_are_right_whatever_happens)
{
	uint64_t seed = 12345, now = START;
	cluster_fleet *f = new_fleet();
	enum cluster_state given[20];
	memset(given, 0xff, sizeof(given));
	for (unsigned i = 0; i < 20000; i++) {
		char name[8];
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		unsigned m = (seed >> 33) % 20, what = (seed >> 40) % 8;
		snprintf(name, sizeof(name), "m%u", m);
		now += (seed >> 50) % 3 * SECOND;
		switch (what) {
		case 0: cluster_fleet_choose(f, name, CLUSTER_REMEMBERED, now); break;
		case 1: cluster_fleet_hear(f, name, seed >> 62, 1, now); break;
		case 2:
			note(f, name, seed >> 62, i, (enum cluster_noted)((seed >> 45) % 7), "x",
				(now - START) / SECOND);
			break;
		case 3:
		case 4: cluster_fleet_part(f, name, 1 + (seed >> 55) % 3, 1, (seed >> 60) == 1, now); break;
		case 5: cluster_fleet_settle(f, name, 1 + (seed >> 55) % 3, 1, now); break;
		case 6:
			if ((seed >> 57) == 0)
				cluster_fleet_blame(f, name, "x", now);
			break;
		default: cluster_fleet_tick(f, now);
		}
		const struct cluster_fleet_machine *changed;
		while ((changed = cluster_fleet_changed(f)))
			given[strtoul(changed->name + 1, NULL, 10)] = changed->state;
		size_t count[CLUSTER_STATES] = {0};
		for (size_t k = 0; cluster_fleet_at(f, k); k++) {
			const struct cluster_fleet_machine *at = cluster_fleet_at(f, k);
			count[at->state]++;
			cr_assert_eq(given[strtoul(at->name + 1, NULL, 10)], at->state);
		}
		for (int s = 0; s < CLUSTER_STATES; s++)
			cr_assert_eq(count[s], cluster_fleet_count_of(f, (enum cluster_state)s));
	}
	cr_expect_eq(cluster_fleet_count(f), 20);
	cluster_fleet_free(f);
}

/* ---- beats ---- */

static struct cluster_beat new_beat(uint64_t coordinator, uint64_t term, uint64_t period_ns)
{
	struct cluster_beat beat;
	struct cluster_beat_options options = {.coordinator = coordinator,
		.term = term,
		.left_ns = 100 * SECOND,
		.lease_ns = 60 * SECOND,
		.period_ns = period_ns};
	cluster_beat_begin(&beat, &options, START);
	return beat;
}

Test(beat, each_second_until_the_end)
{
	struct cluster_beat beat = new_beat(1, 1, SECOND);
	struct cluster_beat_says says;
	unsigned n = 0;
	for (uint64_t now = START; now < START + 120 * SECOND; now += SECOND / 5)
		if (cluster_beat_next(&beat, now, &says)) {
			cr_expect_eq(says.left_ns, START + 100 * SECOND - now);
			n++;
		}
	cr_expect_eq(n, 100u);
	cr_expect(cluster_beat_has_ended(&beat, START + 100 * SECOND));
	beat = new_beat(1, 1, SECOND);
	cr_expect(cluster_beat_next(&beat, START + 20 * SECOND, &says)); /* it was stopped meanwhile */
	cr_expect_not(cluster_beat_next(&beat, START + 20 * SECOND, &says));
	cr_expect_eq(cluster_beat_due(&beat), START + 21 * SECOND);
}

/* Of two coordinators exactly one goes on, in whichever order each hears of the other. */
Test(beat, one_coordinator_has_the_query)
{
	for (uint64_t i = 0; i < 9; i++) {
		uint64_t term_a = 1 + i / 3, term_b = 1 + i % 3;
		struct cluster_beat a = new_beat(10, term_a, SECOND), b = new_beat(20, term_b, SECOND);
		struct cluster_beat_says says;
		cr_expect_eq(cluster_beat_hear(&a, 10, term_a), CLUSTER_BEAT_OWN);
		bool a_lost = cluster_beat_hear(&a, 20, term_b) == CLUSTER_BEAT_NEWER;
		bool b_lost = cluster_beat_hear(&b, 10, term_a) == CLUSTER_BEAT_NEWER;
		cr_expect(a_lost != b_lost);
		cr_expect_eq(a_lost, term_b >= term_a);
		cr_expect_eq(cluster_beat_next(&a, START, &says), !a_lost);
		cr_expect_eq(cluster_beat_next(&b, START, &says), !b_lost);
		cr_expect_eq(cluster_beat_due(a_lost ? &a : &b), UINT64_MAX);
	}
}

/* 10,000 machines with 21 KB each send every ten and a half seconds; small ones each second. */
Test(beat, the_period_follows_what_is_sent)
{
	struct cluster_beat beat = new_beat(1, 1, SECOND);
	struct cluster_beat_says says;
	cluster_beat_load(&beat, 10000 * 600, START);
	cr_assert(cluster_beat_next(&beat, START, &says));
	cr_expect_eq(says.period_ns, SECOND);
	cluster_beat_load(&beat, 10000ull * 21000, START);
	cr_expect_eq(beat.period_ns, 10500000000u);
	cluster_beat_load(&beat, 10000ull * 15000, START); /* not yet half of it */
	cr_expect_eq(beat.period_ns, 10500000000u);
	cluster_beat_load(&beat, 10000ull * 10000, START);
	cr_expect_eq(beat.period_ns, 5 * SECOND);
	cluster_beat_load(&beat, UINT64_MAX, START); /* a third of the lease */
	cr_expect_eq(beat.period_ns, 20 * SECOND);
	cluster_beat_load(&beat, 0, START);
	cr_expect_eq(beat.period_ns, SECOND);
	cluster_beat_drop(&beat, START);
	cluster_beat_drop(&beat, START + SECOND); /* of the same flood */
	cr_expect_eq(beat.period_ns, 2 * SECOND);
	cluster_beat_load(&beat, 0, START + 20 * SECOND);
	cr_expect_eq(beat.period_ns, 2 * SECOND);
	cluster_beat_load(&beat, 0, START + 30 * SECOND);
	cr_expect_eq(beat.period_ns, SECOND);
	beat = new_beat(1, 1, 90 * SECOND); /* what was asked for is never made shorter */
	cluster_beat_load(&beat, 0, START);
	cr_expect_eq(beat.period_ns, 90 * SECOND);
}
