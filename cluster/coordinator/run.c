/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query's life at its coordinator. The order is in the journal before it is on the bus, so that a coordinator that is
 * killed can come back. Then all that the coordinator does is soft: it beats, it takes what comes, and acknowledges
 * last values once they are in the journal. Each call of step does all that is due, with one sync of the disk for all
 * last values that have come. If the journal can't be written, nothing is acknowledged, and machines keep what they
 * have.
 *
 * When the time is over, machines end by themselves; when the user ends it, they are told so, each second. Either way
 * last values are waited for, as long as any may come, and at most for the grace.
 */
#include "run_tree.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"

enum { MOST_MESSAGES = 20000, LOOK_MACHINES = 4000, FIRST_TERM = 1, SILENT_S = 3, ALONE_S = 3 };
static const uint64_t SECOND = 1000000000;
static const uint64_t LOOK_NS = 20000000; /* looking at all machines takes longer than a message of one of them */

/* ---- beginning ---- */

int run_subscribe(struct cluster_run *r, struct ward_error *err)
{
	static const char *const alone[] = {"ward.hello.*", "ward.note.%s.>", "ward.part.%s.0.>", "ward.want.%s.>",
		"ward.beat.%s", "ward.ask"},
				 *const with_combiners[] = {"ward.hello.*", "ward.note.%s.>", "ward.part.%s.1.>",
					 "ward.want.%s.>", "ward.beat.%s", "ward.ask", "ward.ready.*"};
	const char *const *forms = r->tree ? with_combiners : alone;
	size_t n = r->tree ? sizeof(with_combiners) / sizeof(*with_combiners) : sizeof(alone) / sizeof(*alone);
	char subject[CLUSTER_SUBJECT];
	int rc = 0;

	if (r->records) {
		snprintf(subject, sizeof(subject), "ward.record.%s.>", r->id);
		rc = bus_subscribe(r->bus, subject, err);
	}
	for (size_t i = 0; i < n && !rc; i++) {
		const char *hole = strstr(forms[i], "%s");
		snprintf(subject, sizeof(subject), "%.*s%s%s",
			(int)(hole ? (size_t)(hole - forms[i]) : strlen(forms[i])), forms[i], hole ? r->id : "",
			hole ? hole + 2 : "");
		rc = bus_subscribe(r->bus, subject, err);
	}
	return rc;
}

/* C-136: who was drawn is known from the order. */
static int fleet_expect_drawn(struct cluster_run *r, struct ward_error *err)
{
	const Ward__Cluster__Choice *choice = r->body->choice;
	char host[CLUSTER_NAME], name[CLUSTER_NAME];

	for (size_t i = 0; i < choice->n_name; i++) {
		cluster_text(choice->name[i].data, choice->name[i].len, host, sizeof(host));
		if (!cluster_name_from_host(host, name))
			return cluster_fail(err, WARD_E_USAGE, "order", "\"%s\" is no name of a machine (C-37)", host);
		if (!cluster_fleet_choose(r->fleet, host, CLUSTER_EXPECTED, r->now.ns))
			return cluster_no_memory(err);
	}
	return 0;
}

int run_make_fleet(struct cluster_run *r, struct ward_error *err)
{
	int rc;

	struct cluster_fleet_times times = {.period_ns = r->body->period_ns, .hello_ns = RUN_HELLO_S * SECOND};

	r->period_ns = times.period_ns;
	r->fleet = cluster_fleet_new(&times, r->now.ns);
	rc = r->fleet ? fleet_expect_drawn(r, err) : cluster_no_memory(err);
	return rc ? rc : run_tree_open(r, err);
}

void run_begin_beats(struct cluster_run *r, uint64_t term, uint64_t left_ns)
{
	struct cluster_beat_options options = {
		.term = term, .left_ns = left_ns, .lease_ns = r->body->lease_ns, .period_ns = r->body->period_ns};

	randombytes_buf(&options.coordinator, sizeof(options.coordinator));
	cluster_beat_begin(&r->beat, &options, r->now.ns);
}

/* The order and the term are there before anybody hears of them. */
int run_journal_begin(struct cluster_run *r, uint64_t term, bool order, struct ward_error *err)
{
	struct cluster_entry entries[] = {
		{.kind = CLUSTER_ENTRY_ORDER, .name = "", .bytes = r->order, .size = r->order_size},
		{.kind = CLUSTER_ENTRY_TERM, .number = term, .name = ""}};
	int rc = 0;

	for (size_t i = order ? 0 : 1; i < 2 && !rc && r->journal; i++)
		rc = cluster_journal_put(r->journal, &entries[i], err);
	return rc || !r->journal ? rc : cluster_journal_sync(r->journal, err);
}

struct cluster_run *run_new(bus *b, const struct cluster_secret *secret, uint64_t grace_ns, struct cluster_now now)
{
	struct cluster_run *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->bus = b;
	r->secret = secret;
	r->grace_ns = grace_ns;
	r->now = now;
	return r;
}

int run_expect(struct cluster_run *r, const struct cluster_texts *names, struct ward_error *err)
{
	for (size_t i = 0; i < names->n; i++)
		if (!cluster_fleet_choose(r->fleet, names->at[i], CLUSTER_EXPECTED, r->now.ns))
			return cluster_fail(err, WARD_E_USAGE, names->at[i], "is no name of a machine");
	return 0;
}

int cluster_run_begin(bus *b, const struct cluster_secret *secret, const struct cluster_run_options *options,
	int directory, struct cluster_now now, cluster_run **out, struct ward_error *err)
{
	struct cluster_run *r = run_new(b, secret, options->grace_ns, now);
	int rc = r ? run_order_make(r, options, err) : cluster_no_memory(err);

	*out = NULL;
	if (r) {
		r->counts_per_us = options->counts_per_us;
		r->has_times = options->has_times;
	}
	rc = rc ? rc : run_order_read(r, err);
	rc = rc ? rc : run_make_fleet(r, err);
	rc = rc ? rc : run_records_begin(r, false, err);
	rc = rc ? rc : run_expect(r, &options->expected, err);
	if (!rc && directory >= 0)
		rc = cluster_journal_open(directory, r->id, NULL, NULL, &r->journal, err);
	rc = rc ? rc : run_journal_begin(r, FIRST_TERM, true, err);
	rc = rc ? rc : run_subscribe(r, err);
	if (rc) {
		cluster_run_free(r);
		return rc;
	}
	run_begin_beats(r, FIRST_TERM, options->duration_ns);
	run_say_order(r, "");
	run_say_roll(r);
	*out = r;
	return 0;
}

void cluster_run_free(cluster_run *r)
{
	if (!r)
		return;
	run_lasts_forget(r);
	free(r->last);
	run_records_free(r);
	for (size_t i = 0; i < CLUSTER_RUN_UNITS; i++) {
		cluster_sums_free(r->sums[i]);
		cluster_windows_free(r->windows[i]);
		cluster_children_free(r->children[i]);
		ward_schema_free(r->divided[i]);
		ward_schema_free(r->schema[i]);
	}
	run_tree_free(r->tree);
	cluster_fleet_free(r->fleet);
	cluster_labels_free(&r->labels);
	cluster_journal_close(r->journal);
	cluster_names_free(&r->wanting);
	free(r->wanted_ns);
	free(r->reason);
	cluster_message_free(&r->message);
	free(r->order);
	free(r);
}

/* ---- each step ---- */

static int messages_take(struct cluster_run *r, struct ward_error *err)
{
	struct bus_message m;
	int rc = 0;

	for (int n = 0; n < MOST_MESSAGES && !rc && bus_take(r->bus, 0, &m, NULL) == 1; n++)
		rc = run_take(r, &m, err);
	return rc;
}

static void beat_do(struct cluster_run *r)
{
	struct cluster_fleet_times times = {.hello_ns = RUN_HELLO_S * SECOND};
	struct cluster_beat_says says;
	struct bus_state state;
	size_t bytes = 0;

	bus_get_state(r->bus, &state);
	if (state.dropped > r->bus_dropped)
		cluster_beat_drop(&r->beat, r->now.ns);
	r->bus_dropped = state.dropped;
	for (size_t i = 0; i < r->n_units; i++)
		bytes += cluster_children_bytes(r->children[i]);
	bytes += run_tree_bytes(r);
	cluster_beat_load(&r->beat, bytes, r->now.ns);
	if (!cluster_beat_next(&r->beat, r->now.ns, &says))
		return;
	run_say_beat(r, &says);
	times.period_ns = says.period_ns;
	if (times.period_ns != r->period_ns)
		cluster_fleet_retime(r->fleet, &times);
	r->period_ns = times.period_ns;
}

/* Of a query that was taken up again all machines may have ended: nobody comes any more, and nothing is to be sent. */
static bool is_left_alone(struct cluster_run *r)
{
	cluster_fleet *f = r->fleet;
	bool is_over = cluster_fleet_count(f) &&
		       cluster_fleet_count_of(f, CLUSTER_STATE_ENDED) == cluster_fleet_count(f) &&
		       !cluster_fleet_is_waiting(f);

	if (!is_over || !r->is_again)
		r->alone_ns = r->now.ns;
	return r->now.ns - r->alone_ns >= ALONE_S * SECOND;
}

/* One that comes when the time is over must be heard of, too: machines then send what the one before had (C-131). */
static void term_say(struct cluster_run *r)
{
	const struct cluster_beat_options *o = &r->beat.options;
	struct cluster_beat_says says = {
		.coordinator = o->coordinator, .term = o->term, .lease_ns = o->lease_ns, .period_ns = r->period_ns};

	if (r->now.ns < r->term_ns)
		return;
	r->term_ns = r->now.ns + SECOND;
	run_say_beat(r, &says);
}

static void ending_begin(struct cluster_run *r)
{
	r->phase = CLUSTER_ENDING;
	r->over_ns = r->now.ns + r->grace_ns;
	cluster_fleet_end(r->fleet, r->now.ns);
}

static void phase_do(struct cluster_run *r)
{
	if (r->phase == CLUSTER_RUNS && (r->reason || is_left_alone(r) || cluster_beat_has_ended(&r->beat, r->now.ns)))
		ending_begin(r);
	else if (r->phase == CLUSTER_RUNS)
		beat_do(r);
	if (r->phase == CLUSTER_ENDING && r->is_again)
		term_say(r);
	if (r->phase == CLUSTER_ENDING && r->reason && r->now.ns >= r->cancel_ns) {
		run_say_cancel(r);
		r->cancel_ns = r->now.ns + SECOND;
	}
	if (r->phase == CLUSTER_ENDING &&
		(r->now.ns >= r->over_ns || (!cluster_fleet_is_waiting(r->fleet) && !run_records_wait(r)))) {
		r->phase = CLUSTER_OVER;
		run_tree_end(r);
		run_records_settle(r);
		if (run_values_put(r, true) == 0 && r->journal)
			cluster_journal_sync(r->journal, NULL); /* for who looks at it later; nobody waits for it */
	}
}

/*
 * Another coordinator has the query. This one goes on as a viewer: until that one is silent, as it is once the query is
 * over, and nothing more can come; or for as long as machines go on without anybody.
 */
static void look_do(struct cluster_run *r)
{
	uint64_t silent = r->now.ns > r->other_ns ? r->now.ns - r->other_ns : 0;
	bool is_done = !cluster_fleet_is_waiting(r->fleet) && cluster_fleet_count(r->fleet);

	if (r->phase != CLUSTER_TAKEN_OVER)
		return;
	if (r->reason || (is_done && silent >= SILENT_S * SECOND) || silent >= r->body->lease_ns + r->grace_ns) {
		r->phase = CLUSTER_OVER;
		cluster_fleet_end(r->fleet, r->now.ns);
	}
}

/* While no message waits, one block of machines at a time. */
static void sums_work(const struct cluster_run *r)
{
	struct bus_state state;

	bus_get_state(r->bus, &state);
	for (size_t unit = 0; unit < r->n_units && !state.waiting; unit++)
		if (cluster_sums_work(r->sums[unit]))
			return;
}

/* States are found anew with each message; so time shows in them soon enough, if many are looked at more seldom. */
static uint64_t tick_after(const struct cluster_run *r)
{
	return LOOK_NS + LOOK_NS * (cluster_fleet_count(r->fleet) / LOOK_MACHINES);
}

int cluster_run_step(cluster_run *r, struct cluster_now now, struct ward_error *err)
{
	r->now = now;
	int rc = messages_take(r, err);

	if (rc)
		return rc;
	if (now.ns - r->looked_ns >= LOOK_NS) {
		r->looked_ns = now.ns;
		run_lasts_settle(r);
		run_records_settle(r);
		rc = r->is_looking ? 0 : run_tree_look(r, err);
	}
	if (now.ns - r->ticked_ns >= tick_after(r)) {
		r->ticked_ns = now.ns;
		cluster_fleet_tick(r->fleet, now.ns);
	}
	if (r->is_looking)
		look_do(r);
	else
		phase_do(r);
	sums_work(r);
	return rc;
}

void cluster_run_end(cluster_run *r, struct cluster_now now, const char *reason)
{
	r->now = now;
	if (!r->reason)
		r->reason = strdup(reason);
}

bool run_epochs_count(struct cluster_run *r, const char *machine)
{
	return cluster_fleet_epochs(r->fleet, machine, cluster_children_epochs(r->children[0], machine), r->now.ns);
}

/* ---- what there is ---- */

bool cluster_run_has_combiners(const cluster_run *r)
{
	return r->tree != NULL;
}

bool cluster_run_is_looking(const cluster_run *r)
{
	return r->is_looking;
}

enum cluster_phase cluster_run_phase(const cluster_run *r)
{
	return r->phase;
}

const char *cluster_run_id(const cluster_run *r)
{
	return r->id;
}

cluster_fleet *cluster_run_fleet(cluster_run *r)
{
	return r->fleet;
}

size_t cluster_run_units(const cluster_run *r)
{
	return r->n_units;
}

const ward_schema *cluster_run_schema(const cluster_run *r, size_t unit)
{
	return unit < r->n_units ? r->schema[unit] : NULL;
}

const char *cluster_run_label(const cluster_run *r, const char *machine, const char *key)
{
	return cluster_labels_get(&r->labels, machine, key);
}

enum cluster_by cluster_run_by(const cluster_run *r)
{
	return r->by;
}

uint64_t cluster_run_period(const cluster_run *r)
{
	return r->period_ns;
}

uint64_t cluster_run_left(const cluster_run *r, uint64_t now_ns)
{
	return r->beat.end_ns > now_ns ? r->beat.end_ns - now_ns : 0;
}

const char *cluster_run_journal_fault(const cluster_run *r)
{
	return r->journal ? r->journal_fault : "there is no journal";
}

uint64_t cluster_run_refused(const cluster_run *r)
{
	return r->refused;
}

int cluster_run_total(cluster_run *r, size_t unit, const struct cluster_total_options *options,
	struct cluster_total *out, struct ward_error *err)
{
	if (r->tree)
		return run_tree_total(r, unit, options, out, err);
	struct cluster_total_options by_blocks = {.sums = r->sums[unit]};

	if (options) {
		by_blocks = *options;
		by_blocks.sums = r->sums[unit];
	}
	return cluster_total_take(r->children[unit], &by_blocks, out, err);
}
