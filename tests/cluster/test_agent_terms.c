/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinators that follow each other, as an agent sees them. */
#include <criterion/criterion.h>
#include <string.h>

#include "agent_test.h"

static uint64_t term_wanted, notes_wanted;

static bool has_term(void)
{
	return said.term == term_wanted;
}

static bool has_notes(void)
{
	return said.notes >= notes_wanted;
}

static bool has_order(void)
{
	return said.orders != 0;
}

/* Wait for two more notes: each comes behind the last values, if these are sent at all. */
static void said_anew(void)
{
	memset(&said, 0, sizeof(said));
	notes_wanted = 2;
	wait_until(has_notes, "two notes");
}

static void coordinators_write(void)
{
	char more[512], bobs[CLUSTER_KEY_TEXT], carols[CLUSTER_KEY_TEXT];

	cluster_key_print(&bob.key, bobs);
	cluster_key_print(&carol.key, carols);
	snprintf(more, sizeof(more),
		"[coordinator bob]\nkey = %s\nmay = take-over\n[coordinator carol]\nkey = %s\nmay = user\n", bobs,
		carols);
	config_write(usual, more);
}

/* C-131, C-132: a higher term wins, a lower one does nothing, and gets nothing; the new one gets all of it again. */
Test(agent, terms, .init = begin, .fini = end)
{
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	counter_call(&counters[0], 42);
	expect_calls();
	term = term_wanted = 5;
	beat_send(counter++, 60 * SECOND);
	wait_until(has_term, "it follows the fifth term");
	cancel_send();
	wait_until(has_last, "the last value");
	uint64_t epoch = said.values[0].notes.epoch, nonce = said.values[0].notes.nonce;
	term = 4;
	beat_send(counter++, 60 * SECOND);
	got_send(epoch, nonce);
	said_anew();
	cr_expect(has_last(), "the fourth term acknowledges nothing");
	cr_expect_eq(said.term, 5);
	term = 5;
	got_send(epoch, nonce);
	said_anew();
	said_anew();
	cr_expect_not(has_last(), "it is acknowledged");

	term = term_wanted = 6;
	beat_send(counter++, 60 * SECOND);
	memset(&said, 0, sizeof(said));
	wait_until(has_last, "the last value comes again");
	expect_calls();
	got_send(epoch, nonce);
	said_anew();
	said_anew();
	cr_expect(!has_last() && has_term(), "until the sixth term has it");
	expect_clean(&counters[0]);
}

/* C-133: the order is there for its coordinator and for who may take over, while it runs and afterwards. */
Test(agent, fetch, .init = begin, .fini = end)
{
	coordinators_write();
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	fetch_send_by(&carol, counter++);
	fetch_send_by(&mallory, counter++);
	said_anew();
	cr_expect_eq(said.orders, 0, "not for others");
	fetch_send_by(&bob, counter++);
	wait_until(has_order, "the order for bob");
	cancel_send();
	wait_until(is_ended, "its end");
	uint64_t until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;
	said_anew();
	while (!said.orders) { /* once a second */
		cr_assert(clock_at(CLOCK_MONOTONIC) < until, "no order for alice");
		fetch_send_by(&alice, counter++);
		said_anew();
	}
}
