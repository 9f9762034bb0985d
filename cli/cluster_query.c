/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query on a cluster, from its beginning to its end: steps of the coordinator's run, whenever messages wait; what
 * changes, and the result. The first Ctrl-C ends the query and waits for last values; the second one leaves it to its
 * lease.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster_command.h"

enum { SLICE_MS = 50, DEFAULT_S = 300, MOST_S = 86400 };
static const uint64_t SECOND = 1000000000;

static volatile sig_atomic_t interrupts;

static void on_interrupt(int sig)
{
	(void)sig;
	interrupts = interrupts + 1;
}

static void interrupts_catch(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction end = {.sa_handler = on_interrupt}; /* no SA_RESTART: waiting ends */

	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigaction(caught[i], &end, NULL);
}

struct session {
	struct cluster_ask *ask;
	bus *b;
	cluster_run *run;
	struct cluster_secret secret;
	int directory;
	struct cluster_shown shown;
	uint64_t shown_ns;
	struct cli_live live;
	bool fault_said;
	ward_schema *by[CLUSTER_RUN_UNITS]; /* with --by machine */
};

static uint64_t seconds_ns(double seconds)
{
	return (uint64_t)(seconds * (double)SECOND);
}

static int run_begin(struct session *s)
{
	const struct cluster_ask *ask = s->ask;
	const struct cluster_use *use = ask->use;
	const char *user = getenv("USER");
	struct cluster_run_options options = {.cluster = use->name,
		.issuer = user ? user : "",
		.selector = use->on,
		.most = use->most,
		.late = !use->no_late,
		.unit = ask->unit,
		.n_units = ask->n_units,
		.duration_ns = seconds_ns(ask->duration > 0 ? ask->duration : DEFAULT_S),
		.lease_ns = seconds_ns(use->lease),
		.period_ns = seconds_ns(use->period),
		.keep_ns = seconds_ns(use->keep),
		.grace_ns = seconds_ns(use->grace),
		.overhead_ppm = use->overhead_ppm,
		.max_insns = ask->max_insns,
		.counts_per_us = ask->counts_per_us,
		.has_times = ask->has_times,
		.expected = {use->expected.at, use->expected.n},
		.text = ask->text};
	struct ward_error err = {0};
	int rc = use->attach
			 ? cluster_run_attach(s->b, &s->secret, use->attach, options.grace_ns, ask->counts_per_us,
				   s->directory, cluster_now(), &s->run, &err)
			 : cluster_run_begin(s->b, &s->secret, &options, s->directory, cluster_now(), &s->run, &err);

	if (rc)
		return cli_library_error(&err);
	if (!ask->quiet && !ask->out->json)
		fprintf(stderr, "query %s; Ctrl-C ends it\n", cluster_run_id(s->run));
	return CLI_OK;
}

/* Which machines are in a sum, and whether it is by machine. */
static int total_take(struct session *s, size_t unit, struct cluster_total *total, struct ward_error *err)
{
	const struct cluster_use *use = s->ask->use;
	struct cluster_total_options options = {.without = use->without.at, .n_without = use->without.n};
	int rc = 0;

	if (use->by_machine && !s->by[unit])
		rc = ward_schema_by(cluster_run_schema(s->run, unit), "machine", &s->by[unit], err);
	options.by = s->by[unit];
	return rc ? rc : cluster_run_total(s->run, unit, &options, total, err);
}

/* The sum of a unit as a snapshot, and who is in it. */
static int result_take(struct session *s, size_t unit, struct cluster_total *total, ward_snapshot **snapshot)
{
	struct ward_error err = {0};

	if (total_take(s, unit, total, &err))
		return cli_library_error(&err);
	if (ward_partial_finish(total->partial, snapshot, &err) == 0)
		return CLI_OK;
	cluster_total_free(total);
	return cli_library_error(&err);
}

static int result_print(struct session *s)
{
	struct cluster_ask *ask = s->ask;
	struct cluster_cover cover = {0};
	int status = CLI_OK;

	for (size_t unit = 0; unit < cluster_run_units(s->run) && status == CLI_OK; unit++) {
		struct cluster_total total;
		ward_snapshot *snapshot;
		status = result_take(s, unit, &total, &snapshot);
		if (status != CLI_OK)
			break;
		if (ask->print && unit == 0)
			status = ask->print(ask, ask->out, s->run, true);
		else if (ask->print)
			;
		else if (ask->out->json)
			cli_json_snapshot(ask->out, snapshot, NULL);
		else
			cli_print_snapshot(ask->out, snapshot);
		cover.events += total.cover.events;
		cover.dropped += total.cover.dropped;
		cover.machines = total.cover.machines > cover.machines ? total.cover.machines : cover.machines;
		ward_snapshot_free(snapshot);
		cluster_total_free(&total);
	}
	for (size_t i = 0; i < ask->use->without.n && status == CLI_OK && !ask->out->json; i++)
		fprintf(ask->out->file, "without %s\n", ask->use->without.at[i]);
	if (status == CLI_OK)
		cluster_print_end(ask, s->run, &cover);
	return status;
}

/* The table so far, on the terminal. */
static void live_draw(struct session *s)
{
	struct cluster_total total;
	ward_snapshot *snapshot;
	struct cli_output frame = *s->ask->out;
	char *text = NULL, counts[400];
	size_t size;

	frame.file = open_memstream(&text, &size);
	if (!frame.file)
		return;
	if (result_take(s, 0, &total, &snapshot) == CLI_OK) {
		if (s->ask->print)
			s->ask->print(s->ask, &frame, s->run, false);
		else
			cli_print_snapshot(&frame, snapshot);
		cluster_counts_text(cluster_run_fleet(s->run), counts, sizeof(counts));
		fprintf(frame.file, "%s · behind by %.1f s · Ctrl-C ends\n", counts,
			(double)cluster_cover_behind(&total.cover, cluster_now().ns) / 1e9);
		ward_snapshot_free(snapshot);
		cluster_total_free(&total);
	}
	if (fclose(frame.file) == 0)
		cli_live_show(&s->live, text);
	free(text);
}

static struct cluster_so_far so_far_now(struct session *s, uint64_t now_ns)
{
	struct cluster_so_far so_far = {0};
	struct cluster_total total;

	for (size_t unit = 0; unit < cluster_run_units(s->run); unit++) {
		if (total_take(s, unit, &total, NULL))
			continue;
		so_far.behind_ns = cluster_cover_behind(&total.cover, now_ns);
		so_far.events += total.cover.events;
		cluster_total_free(&total);
	}
	return so_far;
}

static void changes_show(struct session *s, struct cluster_now now)
{
	const char *fault = cluster_run_journal_fault(s->run);
	struct cluster_so_far so_far = {0};

	if (now.ns < s->shown_ns)
		return;
	s->shown_ns = now.ns + SECOND;
	if (s->ask->out->json)
		so_far = so_far_now(s, now.ns);
	cluster_print_changes(s->ask, s->run, &s->shown, &so_far);
	if (s->ask->live)
		live_draw(s);
	if (*fault && !s->fault_said)
		cli_error(CLI_OK, "journal", "machines keep their last values until it can", "can't be written: %s",
			fault);
	s->fault_said = *fault;
}

static void messages_wait(struct session *s)
{
	struct bus_state state;

	bus_get_state(s->b, &state);
	struct pollfd p = {.fd = state.fd, .events = POLLIN};
	poll(&p, 1, SLICE_MS);
}

static int query_loop(struct session *s)
{
	struct ward_error err = {0};
	int last = interrupts;

	while (cluster_run_phase(s->run) < CLUSTER_OVER) {
		struct cluster_now now = cluster_now();
		if (cluster_run_step(s->run, now, &err))
			return cli_library_error(&err);
		changes_show(s, now);
		messages_wait(s);
		if (interrupts == last)
			continue;
		if (last++)
			return cli_error(CLI_TARGET, cluster_run_id(s->run), "--attach goes on with it",
				"machines go on until its lease ends");
		cluster_run_end(s->run, now, "its coordinator has ended it");
	}
	/* What is left in the queue may be a last value's twin, which wants its acknowledgement once more. */
	return cluster_run_step(s->run, cluster_now(), &err) ? cli_library_error(&err) : CLI_OK;
}

static int session_finish(struct session *s)
{
	struct cluster_so_far so_far = so_far_now(s, cluster_now().ns);
	bool complete;
	int status;

	if (cluster_run_phase(s->run) == CLUSTER_TAKEN_OVER)
		return cli_error(CLI_TARGET, cluster_run_id(s->run), "that one has the result",
			"another coordinator has taken the query over");
	cluster_print_changes(s->ask, s->run, &s->shown, &so_far);
	complete = cluster_fleet_is_complete(cluster_run_fleet(s->run));
	status = result_print(s);
	if (status != CLI_OK)
		return status;
	return complete || (s->ask->use->partial_ok && cluster_fleet_count(cluster_run_fleet(s->run))) ? CLI_OK
												       : CLI_TARGET;
}

int cluster_query(struct cluster_ask *ask)
{
	struct session s = {.ask = ask, .directory = -1};
	int status;

	if (ask->duration > MOST_S)
		return cli_error(CLI_USAGE, "duration", "start it again tomorrow", "a query lasts at most a day");
	status = cluster_use_open(ask->use, &s.b, &s.secret);
	if (status != CLI_OK)
		return status;
	interrupts_catch();
	s.directory = cluster_journals_open();
	status = s.directory < 0 ? CLI_USAGE : run_begin(&s);
	if (status == CLI_OK)
		status = query_loop(&s);
	cli_live_end(&s.live);
	if (status == CLI_OK)
		status = session_finish(&s);
	for (size_t i = 0; i < CLUSTER_RUN_UNITS; i++)
		ward_schema_free(s.by[i]);
	cluster_run_free(s.run);
	bus_close(s.b);
	explicit_bzero(&s.secret, sizeof(s.secret));
	if (s.directory >= 0)
		close(s.directory);
	return status;
}
