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

#include "cluster/coordinator/roll.h"
#include "cluster_session.h"

enum { SLICE_MS = 50, DEFAULT_S = 300, MOST_S = 86400, ROLL_MS = 2000 };
static const uint64_t SECOND = 1000000000;

static volatile sig_atomic_t interrupts;

static void on_interrupt(int sig)
{
	(void)sig;
	interrupts = interrupts + 1;
}

void cluster_interrupts_catch(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction end = {.sa_handler = on_interrupt}; /* no SA_RESTART: waiting ends */

	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigaction(caught[i], &end, NULL);
}

int cluster_interrupts(void)
{
	return interrupts;
}

static uint64_t seconds_ns(double seconds)
{
	return (uint64_t)(seconds * (double)SECOND);
}

static int run_order(struct cluster_session *s, const uint8_t *query, const struct cluster_texts *names)
{
	const struct cluster_ask *ask = s->ask;
	const struct cluster_use *use = ask->use;
	const char *user = getenv("USER");
	struct cluster_run_options options = {.cluster = use->name,
		.issuer = user ? user : "",
		.selector = use->on,
		.most = use->most,
		.query = query,
		.names = *names,
		.late = !use->no_late,
		.unit = ask->unit,
		.n_units = ask->n_units,
		.duration_ns = seconds_ns(ask->duration > 0 ? ask->duration : DEFAULT_S),
		.lease_ns = seconds_ns(use->lease),
		.period_ns = seconds_ns(use->period),
		.keep_ns = seconds_ns(use->keep),
		.grace_ns = seconds_ns(use->grace),
		.window_ns = ask->window_ns,
		.shards = (uint32_t)use->shards,
		.by = ask->by,
		.overhead_ppm = use->overhead_ppm,
		.max_insns = ask->max_insns,
		.counts_per_us = ask->counts_per_us,
		.has_times = ask->has_times,
		.expected = {use->expected.at, use->expected.n},
		.text = ask->text,
		.text_options = ask->text_options,
		.asked_at = ask->asked_at};
	struct ward_error err = {0};

	if (cluster_run_begin(s->b, &s->secret, &options, s->directory, cluster_now(), &s->run, &err))
		return cli_library_error(&err);
	return CLI_OK;
}

/* C-136: the machines are drawn before the order is made, as it has their names. */
static int run_draw(struct cluster_session *s)
{
	const struct cluster_use *use = s->ask->use;
	struct cluster_draw draw = {.selector = use->on, .n = use->some};
	struct string_list names = {0};
	struct cluster_roll roll;
	struct ward_error err = {0};
	bool ok = true;
	int status;

	status = cluster_roll_draw(s->b, &s->secret, use->name, &draw, ROLL_MS, cluster_now, &roll, &err)
			 ? cli_library_error(&err)
			 : CLI_OK;
	for (size_t i = 0; i < roll.n && status == CLI_OK && ok; i++)
		ok = list_add(&names, roll.at[i].host);
	if (!ok)
		status = CLI_USAGE;
	if (status == CLI_OK)
		status = run_order(s, draw.query, &(struct cluster_texts){names.at, names.n});
	free(names.at);
	cluster_roll_free(&roll);
	return status;
}

static int run_begin(struct cluster_session *s)
{
	return s->ask->use->some ? run_draw(s) : run_order(s, NULL, &(struct cluster_texts){0});
}

/* Begun, or taken up again. */
static void begun_say(struct cluster_session *s)
{
	struct cluster_ask *ask = s->ask;

	ask->out->is_streamed = true;
	if (ask->live && cluster_run_has_records(s->run)) {
		fputs("records are printed as they come, so there is no table that is drawn anew (--live)\n", stderr);
		ask->live = false;
	}
	if (!ask->quiet && !ask->out->json)
		fprintf(stderr, "query %s; Ctrl-C ends it\n", cluster_run_id(s->run));
}

/* Machines of a shard without a combiner aren't heard. */
static void shards_say(struct cluster_session *s)
{
	struct cluster_run_shards shards;
	bool lacks = cluster_run_shards(s->run, &shards) && shards.unowned && cluster_run_gathered(s->run);

	if (lacks && !s->shards_said)
		cli_error(CLI_OK, "shards", "ward combine is the program; it needs your key (--coordinator)",
			"%zu of %zu have no combiner: their machines aren't heard", shards.unowned, shards.shards);
	s->shards_said = lacks;
}

/* It goes on as a viewer: what it has heard, and hears, is the result as well. */
static void taken_over_say(struct cluster_session *s)
{
	s->is_looking = true;
	if (s->ask->out->json)
		cluster_print_taken_over(s->ask->out, s->run);
	else
		fprintf(stderr, "another coordinator has query %s now: this one looks on, and Ctrl-C ends that alone\n",
			cluster_run_id(s->run));
}

static void changes_show(struct cluster_session *s, struct cluster_now now)
{
	const char *fault = cluster_run_journal_fault(s->run);
	struct cluster_so_far so_far = {0};

	if (cluster_run_is_looking(s->run) && !s->is_looking)
		taken_over_say(s);
	if (now.ns < s->shown_ns)
		return;
	s->shown_ns = now.ns + SECOND;
	if (s->ask->out->json)
		so_far = cluster_so_far_now(s, now.ns);
	cluster_print_changes(s->ask, s->run, &s->shown, &so_far);
	if (s->ask->live)
		cluster_live_draw(s);
	cluster_viewers_show(s, CLUSTER_GOES_ON);
	shards_say(s);
	if (*fault && !s->fault_said && !s->is_looking)
		cli_error(CLI_OK, "journal", "machines keep their last values until it can", "can't be written: %s",
			fault);
	s->fault_said = *fault;
}

void cluster_messages_wait(bus *b)
{
	struct bus_state state;

	bus_get_state(b, &state);
	struct pollfd p = {.fd = state.fd, .events = POLLIN};
	poll(&p, 1, SLICE_MS);
}

static int round_do(struct cluster_session *s)
{
	return s->ask->round ? s->ask->round(s->ask, s->run) : CLI_OK;
}

static int query_loop(struct cluster_session *s)
{
	struct ward_error err = {0};
	int last = interrupts;

	while (cluster_run_phase(s->run) < CLUSTER_OVER) {
		struct cluster_now now = cluster_now();
		int status = cluster_run_step(s->run, now, &err) ? cli_library_error(&err)
								 : cluster_records_show(s->ask, s->run, now, false);
		if (status != CLI_OK)
			return status;
		if (round_do(s) != CLI_OK)
			return CLI_TARGET;
		if (s->ask->has_enough)
			cluster_run_end(s->run, now, "its coordinator has enough");
		changes_show(s, now);
		cluster_messages_wait(s->b);
		if (interrupts == last)
			continue;
		if (last++ && !s->is_looking) {
			cluster_viewers_show(s, CLUSTER_LEFT);
			return cli_error(CLI_TARGET, cluster_run_id(s->run), "--attach goes on with it",
				"machines go on until its lease ends");
		}
		cluster_run_end(s->run, now, "its coordinator has ended it");
	}
	/* What is left in the queue may be a last value's twin, which wants its acknowledgement once more. */
	return cluster_run_step(s->run, cluster_now(), &err) ? cli_library_error(&err) : round_do(s);
}

static int session_finish(struct cluster_session *s)
{
	struct cluster_so_far so_far = cluster_so_far_now(s, cluster_now().ns);
	bool complete;
	int status;

	if (cluster_run_is_looking(s->run) && cluster_run_has_combiners(s->run))
		return cli_error(CLI_TARGET, cluster_run_id(s->run), "that one has the result",
			"another coordinator has taken the query over");
	if (cluster_run_is_looking(s->run) && !s->is_looking)
		taken_over_say(s);
	status = cluster_records_show(s->ask, s->run, cluster_now(), true);
	cluster_print_changes(s->ask, s->run, &s->shown, &so_far);
	if (so_far.cut) { /* C-141 */
		cli_error(CLI_OK, "result",
			"group by fewer keys, or allow more bytes: `partial` in the machines' [limits]",
			"%zu message%s of machines had no room for all keys; those left out are counted together",
			so_far.cut, so_far.cut == 1 ? "" : "s");
		s->ask->is_lacking = true;
	}
	complete = cluster_run_is_complete(s->run) && !s->ask->is_lacking;
	cluster_viewers_show(s, complete ? CLUSTER_COMPLETE : CLUSTER_INCOMPLETE);
	status = status == CLI_OK ? cluster_result_print(s, s->ask->out, stderr) : status;
	if (status != CLI_OK)
		return status;
	return complete || (s->ask->use->partial_ok && cluster_fleet_count(cluster_run_fleet(s->run))) ? CLI_OK
												       : CLI_TARGET;
}

static int ctf_close(struct cluster_ask *ask, int status)
{
	int closed = cluster_ctf_close(ask->ctf);

	ask->ctf = NULL;
	rmdir(ask->ctf_path); /* it stays if there is a trace in it */
	return closed != CLI_OK ? closed : status;
}

int cluster_query(struct cluster_ask *ask)
{
	struct cluster_session s = {.ask = ask, .directory = -1};
	int status;

	if (ask->duration > MOST_S)
		return cli_error(CLI_USAGE, "duration", "start it again tomorrow", "a query lasts at most a day");
	status = cluster_use_open(ask->use, &s.b, &s.secret);
	if (status != CLI_OK)
		return status;
	cluster_interrupts_catch();
	s.directory = cluster_journals_open();
	status = s.directory < 0 ? CLI_USAGE : ask->ctf_path ? cluster_ctf_make(ask->ctf_path) : CLI_OK;
	if (status != CLI_OK)
		ask->ctf_path = NULL; /* it is another one's */
	if (status == CLI_OK)
		status = ask->use->attach ? cluster_attach(&s) : run_begin(&s);
	if (status == CLI_OK)
		begun_say(&s);
	if (status == CLI_OK)
		status = cluster_records_begin(ask, s.run);
	if (status == CLI_OK)
		status = query_loop(&s);
	cli_live_end(&s.live);
	if (status == CLI_OK)
		status = session_finish(&s);
	for (size_t i = 0; i < CLUSTER_RUN_UNITS; i++)
		ward_schema_free(s.by[i]);
	if (ask->ctf_path)
		status = ctf_close(ask, status);
	cluster_run_free(s.run);
	bus_close(s.b);
	explicit_bzero(&s.secret, sizeof(s.secret));
	if (s.directory >= 0)
		close(s.directory);
	return status;
}
