/* SPDX-License-Identifier: Apache-2.0 */
/* A query in an agent: how it begins, what it says, and how it ends. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent_test.h"

/* Processes that are there, that come later, that go, and that execute a program: all of it is in the sum. */
Test(agent, counts, .init = begin, .fini = end)
{
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	cr_expect_eq(said.sites, 1);
	counter_call(&counters[0], 1000);
	expect_calls();

	counter_start(&counters[1]);
	expect_processes(2);
	counter_call(&counters[1], 500);
	counter_call(&counters[0], 10);
	expect_calls();

	counter_end(&counters[1]); /* what it has counted stays */
	expect_processes(1);
	expect_calls();

	dprintf(counters[0].in, "x\n");
	line_expect(&counters[0], "ready");
	expect_processes(1);
	/* wait until the program that it has executed is probed, call by call */
	uint64_t before = wanted_calls, until = clock_at(CLOCK_MONOTONIC) + LONG_S * SECOND;
	while (calls_now() == before) {
		cr_assert(clock_at(CLOCK_MONOTONIC) < until, "the program isn't probed");
		dprintf(counters[0].in, "1\n");
		line_expect(&counters[0], "done");
	}
	cr_expect_eq(wanted_calls, before + 1);
	counters[0].calls++;
	counter_call(&counters[0], 77);
	expect_calls();

	/* the last value comes until it is acknowledged */
	cancel_send();
	wait_until(is_ended, "its end");
	wait_until(has_last, "the last value");
	cr_expect_str_eq(said.reason, "cancelled: enough");
	expect_clean(&counters[0]);
	counter_call(&counters[0], 5);
	counters[0].calls -= 5; /* nobody counts these */
	expect_calls();
	uint64_t epoch = said.values[0].notes.epoch, nonce = said.values[0].notes.nonce;
	memset(&said, 0, sizeof(said));
	wait_until(has_last, "the last value, again");
	got_send(epoch, nonce);
	cr_expect_eq(audit_count("\"event\":\"order\"", "\"verdict\":\"accepted\""), 1);
	cr_expect_eq(audit_count("\"event\":\"end\"", "\"how\":\"cancelled: enough\""), 1);
	cr_expect_eq(audit_count("From(cluster-counter!work)", "\"coordinator\":\"alice\""), 1);

	/* and it isn't taken again */
	memset(&said, 0, sizeof(said));
	order_send(&alice);
	uint64_t started = clock_at(CLOCK_MONOTONIC);
	while (!audit_count("it was taken before, and has ended here (C-47)", "refused"))
		cr_assert(clock_at(CLOCK_MONOTONIC) < started + LONG_S * SECOND);
	expect_clean(&counters[0]);
}

/* Nobody renews its lease: it ends. An old beat renews nothing. */
Test(agent, lease, .init = begin, .fini = end)
{
	counter_start(&counters[0]);
	up();
	order_make();
	order.order.lease_ns = 2 * SECOND;
	order_send(&alice);
	expect_processes(1);
	counter_call(&counters[0], 42);
	uint64_t until = clock_at(CLOCK_MONOTONIC) + 3 * SECOND;
	for (uint64_t i = 5; clock_at(CLOCK_MONOTONIC) < until; i++) {
		beat_send(i, 2 * SECOND);
		wanted_calls = 42;
		wait_until(has_calls, "calls");
		nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
	}
	cr_expect_neq(said.state, WARD__CLUSTER__NOTE__STATE__ENDED, "beats don't renew its lease");
	uint64_t last = clock_at(CLOCK_MONOTONIC);
	while (!is_ended()) {
		struct channel_message m;
		beat_send(5, 600 * SECOND); /* that one was taken */
		while (channel_take(&link_channel, &m) == CHANNEL_MESSAGE)
			message_take(&m);
		cr_assert(clock_at(CLOCK_MONOTONIC) < last + LONG_S * SECOND, "its lease doesn't end");
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	}
	cr_expect(strstr(said.reason, "its lease has ended"), "%s", said.reason);
	wait_until(has_last, "the last value");
	expect_calls();
	expect_clean(&counters[0]);
}

/* A query is its issuer's, and theirs who may take over; each has counters of its own. */
Test(agent, take_over, .init = begin, .fini = end)
{
	char more[512], bobs[CLUSTER_KEY_TEXT], carols[CLUSTER_KEY_TEXT];

	cluster_key_print(&bob.key, bobs);
	cluster_key_print(&carol.key, carols);
	snprintf(more, sizeof(more),
		"[coordinator bob]\nkey = %s\nmay = take-over\n[coordinator carol]\nkey = %s\nmay = user\n", bobs,
		carols);
	config_write(usual, more);
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	beat_send(1000, 60 * SECOND);
	cancel_send_by(&carol, 5000);
	cancel_send_by(&mallory, 5000);
	counter_call(&counters[0], 12);
	expect_calls();
	calls_now();
	cr_expect_eq(said.state, WARD__CLUSTER__NOTE__STATE__REPORTING, "%s", said.reason);
	cancel_send_by(&bob, 1);
	wait_until(is_ended, "its end");
	cr_expect_str_eq(said.reason, "cancelled: enough");
	wait_until(has_last, "the last value");
	expect_calls();
}

Test(agent, policy_changes, .init = begin, .fini = end)
{
	counter_start(&counters[0]);
	up();
	order_make();
	order_send(&alice);
	expect_processes(1);
	kill(agent, SIGHUP); /* nothing has changed */
	counter_call(&counters[0], 9);
	expect_calls();
	config_write(MAY "sites = libc.so.6!*\n", "");
	kill(agent, SIGHUP);
	wait_until(is_ended, "the end of what isn't allowed any more");
	cr_expect(strstr(said.reason, "the policy has changed") && strstr(said.reason, "C-51"), "%s", said.reason);
	expect_calls();
	expect_clean(&counters[0]);
}

/* Without room for a line of the audit nothing is attached. */
Test(agent, full_disk, .init = begin, .fini = end)
{
	static uint8_t text[4096];

	if (geteuid() != 0)
		cr_skip("a mount needs root");
	memset(text, 'x', sizeof(text));
	on_small_disk = true;
	counter_start(&counters[0]);
	up();
	for (int i = 0; i < 40; i++) { /* each is a line of some hundred bytes */
		order_make();
		order.order.cluster = made_text("other");
		order_send(&alice);
		wait_until(is_refused, "an order for another cluster");
	}
	order_make();
	order.order.text = (ProtobufCBinaryData){sizeof(text), text};
	order_send(&alice);
	wait_until(is_refused, "an order without an audit");
	cr_expect(strstr(said.reason, "C-61"), "%s", said.reason);
	expect_clean(&counters[0]);
}

static bool has_wants(void)
{
	return said.wants != 0;
}

/* A late joiner hears of a query by its beat, and asks for the order. */
Test(agent, late, .init = begin, .fini = end)
{
	counter_start(&counters[0]);
	up();
	order_make();
	beat_send(1, 60 * SECOND);
	wait_until(has_wants, "it asks for the order");
	order_send(&alice);
	expect_processes(1);
	order.choice.late = false;
}
