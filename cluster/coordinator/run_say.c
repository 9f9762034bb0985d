/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a coordinator says: each message signed, with a counter that only rises. It is the time of the day, or one more
 * than the last one if the clock was set back, so that it rises over a restart, too.
 */
#include "run_parts.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t SECOND = 1000000000, MILLISECOND = 1000000;

uint64_t run_counter(struct cluster_run *r)
{
	r->counter = r->now.at > r->counter ? r->now.at : r->counter + 1;
	return r->counter;
}

static void subject_say(struct cluster_run *r, const struct cluster_subject *to, const void *bytes, size_t size)
{
	char subject[CLUSTER_SUBJECT];

	cluster_subject_write(to, subject);
	bus_publish(r->bus, subject, bytes, size, NULL);
}

void run_say(struct cluster_run *r, const struct cluster_subject *to, Ward__Cluster__Signed__Kind kind,
	const ProtobufCMessage *body)
{
	size_t size;
	void *bytes = cluster_sign(r->secret, kind, body, &size);

	if (bytes)
		subject_say(r, to, bytes, size);
	free(bytes);
}

static struct cluster_subject subject_of(enum cluster_subject_kind kind, const char *name)
{
	struct cluster_subject to = {.kind = kind};

	strncpy(to.name, name, sizeof(to.name) - 1);
	return to;
}

void run_say_order(struct cluster_run *r, const char *name)
{
	struct cluster_subject to = subject_of(CLUSTER_ORDER, name);

	subject_say(r, &to, r->order, r->order_size);
}

void run_say_roll(struct cluster_run *r)
{
	struct cluster_subject to = subject_of(CLUSTER_ORDER, "");
	Ward__Cluster__Roll roll = WARD__CLUSTER__ROLL__INIT;

	roll.cluster = r->body->cluster;
	roll.counter = run_counter(r);
	roll.spread_ns = RUN_SPREAD_MS * MILLISECOND;
	roll.hello_ns = RUN_HELLO_S * SECOND;
	run_say(r, &to, WARD__CLUSTER__SIGNED__KIND__ROLL, &roll.base);
}

void run_say_beat(struct cluster_run *r, const struct cluster_beat_says *says)
{
	struct cluster_subject to = {.kind = CLUSTER_BEAT};
	Ward__Cluster__Beat beat = WARD__CLUSTER__BEAT__INIT;

	memcpy(to.query, r->query, sizeof(to.query));
	beat.query = r->body->query;
	beat.cluster = r->body->cluster;
	beat.counter = run_counter(r);
	beat.term = says->term;
	beat.clock_at = r->now.at;
	beat.left_ns = says->left_ns;
	beat.lease_ns = says->lease_ns;
	beat.period_ns = says->period_ns;
	beat.shards = r->body->shards;
	beat.choice = r->body->choice;
	beat.order = (ProtobufCBinaryData){sizeof(r->digest), r->digest};
	beat.hello_ns = RUN_HELLO_S * SECOND;
	beat.has_coordinator = true;
	beat.coordinator = says->coordinator;
	run_say(r, &to, WARD__CLUSTER__SIGNED__KIND__BEAT, &beat.base);
}

void run_say_cancel(struct cluster_run *r)
{
	struct cluster_subject to = subject_of(CLUSTER_ORDER, "");
	Ward__Cluster__Cancel cancel = WARD__CLUSTER__CANCEL__INIT;

	cancel.query = r->body->query;
	cancel.cluster = r->body->cluster;
	cancel.counter = run_counter(r);
	cancel.has_reason = true;
	cancel.reason = (ProtobufCBinaryData){strnlen(r->reason, 256), (uint8_t *)r->reason};
	run_say(r, &to, WARD__CLUSTER__SIGNED__KIND__CANCEL, &cancel.base);
}

/* Who only looks on acknowledges nothing. */
static void got_say(struct cluster_run *r, const struct cluster_subject *to, Ward__Cluster__Got *got)
{
	if (r->is_looking)
		return;
	got->query = r->body->query;
	got->cluster = r->body->cluster;
	got->counter = run_counter(r);
	got->has_term = true;
	got->term = r->beat.options.term;
	run_say(r, to, WARD__CLUSTER__SIGNED__KIND__GOT, &got->base);
}

void run_say_got_records(struct cluster_run *r, const char *machine, uint64_t epoch, uint64_t nonce)
{
	struct cluster_subject to = {.kind = CLUSTER_GOT};
	const struct cluster_stream stream = {.machine = machine, .epoch = epoch, .nonce = nonce};
	Ward__Cluster__Got got = WARD__CLUSTER__GOT__INIT;
	Ward__Cluster__GotRecords one = WARD__CLUSTER__GOT_RECORDS__INIT, *list[] = {&one};

	if (!cluster_name_from_host(machine, to.name))
		return;
	one.epoch = epoch;
	one.nonce = nonce;
	one.below = cluster_records_below(r->records, &stream);
	got.record = list;
	got.n_record = 1;
	got_say(r, &to, &got);
}

/* One message for the last values of one machine. */
void run_say_got(struct cluster_run *r, const struct run_last *last, size_t n)
{
	struct cluster_subject to = {.kind = CLUSTER_GOT};
	Ward__Cluster__Got got = WARD__CLUSTER__GOT__INIT;
	Ward__Cluster__GotEpoch *epochs = calloc(n, sizeof(*epochs)), **list = calloc(n, sizeof(*list));

	if (epochs && list && cluster_name_from_host(last->machine, to.name)) {
		for (size_t i = 0; i < n; i++) {
			epochs[i] = (Ward__Cluster__GotEpoch)WARD__CLUSTER__GOT_EPOCH__INIT;
			epochs[i].epoch = last[i].epoch;
			epochs[i].nonce = last[i].nonce;
			list[i] = &epochs[i];
		}
		got.epoch = list;
		got.n_epoch = n;
		got_say(r, &to, &got);
	}
	free(epochs);
	free(list);
}

void run_say_got_windows(struct cluster_run *r, const char *host, const struct ward_partial_notes *of, uint64_t below)
{
	struct cluster_subject to = {.kind = CLUSTER_GOT};
	Ward__Cluster__Got got = WARD__CLUSTER__GOT__INIT;
	Ward__Cluster__GotWindows windows = WARD__CLUSTER__GOT_WINDOWS__INIT, *list[] = {&windows};

	if (!cluster_name_from_host(host, to.name))
		return;
	windows.epoch = of->epoch;
	windows.nonce = of->nonce;
	windows.below = below;
	got.window = list;
	got.n_window = 1;
	got_say(r, &to, &got);
}
