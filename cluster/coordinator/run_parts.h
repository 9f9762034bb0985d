/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of a coordinator's run share: run.c its life, run_order.c the order, run_say.c what it says,
 * run_again.c how one that runs is gone on with, run_take.c what it hears, run_out.c what viewers get.
 */
#ifndef WARD_CLUSTER_COORDINATOR_RUN_PARTS_H
#define WARD_CLUSTER_COORDINATOR_RUN_PARTS_H

#include "beat.h"
#include "clocks.h"
#include "cluster/merge/names.h"
#include "cluster/wire/subject.h"
#include "journal.h"
#include "labels.h"
#include "run.h"

enum { RUN_HELLO_S = 30, RUN_SPREAD_MS = 1000, RUN_WANT_MS = 1000, RUN_RIVALS = 8 };

/* A last value that is to be acknowledged. */
struct run_last {
	char *machine;
	uint64_t epoch, nonce;
	bool is_new; /* it isn't in the journal yet */
};

/* A machine that sends records. */
struct run_speaker {
	struct cluster_clock clock;
	uint64_t epoch, nonce; /* of the records that came last */
	bool is_due;           /* they are to be acknowledged */
};

struct cluster_run {
	bus *bus;
	const struct cluster_secret *secret;
	uint8_t query[CLUSTER_ID];
	char id[2 * CLUSTER_ID + 1];
	void *order; /* signed, as it was sent */
	size_t order_size;
	struct cluster_message message; /* the order, read */
	const Ward__Cluster__Order *body;
	uint8_t digest[CLUSTER_DIGEST]; /* of its body */

	ward_schema *schema[CLUSTER_RUN_UNITS];
	ward_schema *divided[CLUSTER_RUN_UNITS]; /* by process, which partials are of then; or NULL */
	enum cluster_by by;
	cluster_children *children[CLUSTER_RUN_UNITS];
	cluster_sums *sums[CLUSTER_RUN_UNITS];
	cluster_windows *windows[CLUSTER_RUN_UNITS]; /* or NULL */
	uint64_t windows_ns;                         /* when it was looked who sends none any more */
	ward_stream *stream[CLUSTER_RUN_UNITS];      /* says how records lie */
	cluster_records *records;                    /* NULL: there are no rings */
	struct cluster_names speaking;
	struct run_speaker *speakers; /* by the name's number */
	size_t speakers_room;
	uint32_t *gots; /* speakers whose records are to be acknowledged */
	size_t n_gots, gots_room;
	double counts_per_us;
	bool has_times;
	size_t n_units;
	cluster_fleet *fleet;
	struct cluster_labels labels;
	struct run_tree *tree; /* or NULL: it has no combiners */
	struct cluster_beat beat;
	cluster_journal *journal; /* or NULL */
	char journal_fault[320];

	uint64_t counter; /* of the last message that was signed */
	uint64_t period_ns, grace_ns, over_ns;
	enum cluster_phase phase;
	char *reason; /* it was ended, and why */
	uint64_t cancel_ns;

	struct run_last *last;
	size_t n_last, last_room;
	struct cluster_names wanting; /* machines that asked for the order, and when */
	uint64_t *wanted_ns;
	size_t wanted_room;
	uint64_t refused, bus_dropped;
	struct cluster_now now;
	uint64_t ticked_ns; /* when time showed in their states */
	uint64_t looked_ns; /* when all machines were looked at */
	bool is_again, is_looking, is_followed;
	uint64_t fresh_ns;                    /* until then who attaches has the query, whoever had it */
	uint64_t alone_ns, term_ns, other_ns; /* other_ns: when the other coordinator was heard */
	struct run_rival {
		uint64_t coordinator, term;
	} rival[RUN_RIVALS]; /* beats of other keys, the last ones that came: no machine has confirmed them yet */
	unsigned next_rival;
	uint64_t asked_ns[CLUSTER_SHOWN_FORMS], head_ns, refresh; /* run_out.c: of viewers */
};

/* run_order.c: the signed bytes. */
int run_order_make(struct cluster_run *r, const struct cluster_run_options *options, struct ward_error *err);
/* Read the bytes that r has: its body, its schemas, and children for each unit. */
int run_order_read(struct cluster_run *r, struct ward_error *err);

/* run_say.c. What can't be sent now is no failure: it is said again. */
uint64_t run_counter(struct cluster_run *r);
/* Signed. */
void run_say(struct cluster_run *r, const struct cluster_subject *to, Ward__Cluster__Signed__Kind kind,
	const ProtobufCMessage *body);
void run_say_order(struct cluster_run *r, const char *name);
void run_say_roll(struct cluster_run *r);
void run_say_beat(struct cluster_run *r, const struct cluster_beat_says *says);
void run_say_cancel(struct cluster_run *r);
void run_say_got(struct cluster_run *r, const struct run_last *last, size_t n);

void run_say_got_records(struct cluster_run *r, const char *machine, uint64_t epoch, uint64_t nonce);
void run_say_got_windows(struct cluster_run *r, const char *host, const struct ward_partial_notes *of, uint64_t below);

/* run_windows.c. WARD_E_SYSTEM without memory. */
int run_windows_open(struct cluster_run *r, size_t unit, const struct cluster_children_options *children);
/* The windows of a message whose partials are `of` an epoch. false: the machine contradicts itself. */
bool run_windows_take(struct cluster_run *r, const char *host, const Ward__Cluster__Parts *m,
	const struct ward_partial_notes *of, bool is_last, struct ward_error *err);
void run_windows_put_out(struct cluster_run *r, const char *host);

/* run_records.c */
int run_records_begin(struct cluster_run *r, bool goes_on, struct ward_error *err);
void run_records_free(struct cluster_run *r);
int run_records_take(struct cluster_run *r, const char *host, const Ward__Cluster__Records *m, struct ward_error *err);
/* What a message with partials says of records, and of clocks. */
int run_records_said(struct cluster_run *r, const char *host, const struct ward_partial_notes *notes,
	const Ward__Cluster__Parts *m, struct ward_error *err);
/* Acknowledge what has come. */
void run_records_settle(struct cluster_run *r);
/* Are there records that haven't come yet? */
bool run_records_wait(const struct cluster_run *r);

/* run_take.c: one message. WARD_E_SYSTEM without memory. */
int run_take(struct cluster_run *r, const struct bus_message *m, struct ward_error *err);

/* run_out.c: a viewer's message. */
void run_take_ask(struct cluster_run *r, const struct bus_message *m);

/* run_lasts.c: last values that have come. Those of who looks on are settled, and go nowhere. */
void run_lasts_settle(struct cluster_run *r);
void run_lasts_forget(struct cluster_run *r);
/* Write those that aren't in the journal yet; all: also what has no last value any more. */
int run_values_put(struct cluster_run *r, bool all);
/* All that was put is there for good, if it returns 0. */
int run_journal_sync(struct cluster_run *r);
int run_journal_put(struct cluster_run *r, const struct cluster_entry *entry);

/* run.c */
struct cluster_run *run_new(bus *b, const struct cluster_secret *secret, uint64_t grace_ns, struct cluster_now now);
int run_journal_begin(struct cluster_run *r, uint64_t term, bool order, struct ward_error *err);
int run_subscribe(struct cluster_run *r, struct ward_error *err);
int run_make_fleet(struct cluster_run *r, struct ward_error *err);
int run_expect(struct cluster_run *r, const struct cluster_texts *names, struct ward_error *err);
void run_begin_beats(struct cluster_run *r, uint64_t term, uint64_t left_ns);
/* How many epochs of a machine are here. False without memory. */
bool run_epochs_count(struct cluster_run *r, const char *machine);

#endif
