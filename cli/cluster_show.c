/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward cluster show: how each machine of a query does, for whoever may go on with it. The order comes from a machine;
 * this computer looks on until all machines have spoken, orders nothing, and leaves the query to its coordinator
 * (C-137). cluster_shares.c compares what machines have counted.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/coordinator/fetch.h"
#include "cluster_show.h"

enum { OPTION_JSON = OPTION_OWN };
static const uint64_t SECOND = 1000000000;
static const uint64_t ROLL_NS = 1500000000; /* until all that are there have said hello */
static const uint64_t STEP_NS = 100000000;

/* Returns an exit status, or -1 to go on. */
static int options_read(struct cluster_show *s, int argc, char **argv)
{
	static const struct option longs[] = {CLUSTER_BUS_LONGS, {"json", no_argument, NULL, OPTION_JSON},
		{"by", required_argument, NULL, CLUSTER_OPTION_BY}, {"help", no_argument, NULL, 'h'}, {0}};

	for (;;) {
		int option = cli_getopt(&cmd_cluster, argc, argv, ":h", longs);

		if (option == CLI_OPT_DONE)
			break;
		if (option == CLI_OPT_HELP)
			return CLI_OK;
		if (option == OPTION_JSON)
			s->out.json = true;
		else if (option == CLI_OPT_BAD || !cluster_use_option(&cmd_cluster, option, optarg, &s->use))
			return CLI_USAGE;
	}
	if (s->use.by_label)
		return cli_usage(&cmd_cluster, "show compares machines: --by machine");
	if (argc - optind != (s->use.by_machine ? 2 : 1))
		return cli_usage(&cmd_cluster, s->use.by_machine
						       ? "give the ID of one query, and a field of its results"
						       : "give the ID of one query");
	s->id = argv[optind];
	s->field = s->use.by_machine ? argv[optind + 1] : NULL;
	return cluster_use_check(&cmd_cluster, &s->use);
}

/* ---- looking on ---- */

static int query_adopt(struct cluster_show *s)
{
	struct cluster_again again = {.counts_per_us = cluster_rate(), .directory = -1, .looks = true};
	struct cluster_found found = {0};
	struct cluster_roll roll;
	struct string_list names = {0};
	struct ward_error err = {0};
	bool ok = true;
	int status = cluster_fetch_roll(s->b, &s->secret, s->use.name, s->id, cluster_now, &found, &roll, &err)
			     ? cli_library_error(&err)
			     : CLI_OK;

	for (size_t i = 0; i < roll.n && ok; i++)
		ok = list_add(&names, roll.at[i].host);
	again.expected = (struct cluster_texts){names.at, names.n}; /* those that have it: they are waited for */
	if (status == CLI_OK)
		status = !ok ? CLI_USAGE
			 : cluster_run_adopt(s->b, &s->secret, &found, &again, cluster_now(), &s->run, &err)
				 ? cli_library_error(&err)
				 : CLI_OK;
	free(names.at);
	free(found.order);
	cluster_roll_free(&roll);
	return status;
}

/* Has it said how it is? One that has only just begun is given the time to count. */
static bool machine_has_spoken(const struct cluster_fleet_machine *m)
{
	return m->part_ns || (m->state != CLUSTER_STATE_ATTACHING && m->state != CLUSTER_STATE_UNREACHABLE);
}

static bool all_have_spoken(cluster_fleet *fleet)
{
	const struct cluster_fleet_machine *m;

	for (size_t i = 0; (m = cluster_fleet_at(fleet, i)); i++)
		if (!machine_has_spoken(m))
			return false;
	return cluster_fleet_count(fleet) > 0;
}

static int query_watch(struct cluster_show *s)
{
	uint64_t most = ROLL_NS + 3 * SECOND + 2 * cluster_run_period(s->run), gone = 0, last = cluster_now().ns;
	int before = cluster_interrupts();
	struct ward_error err = {0};

	while (gone < most && (gone < ROLL_NS || !all_have_spoken(cluster_run_fleet(s->run)))) {
		if (cluster_run_step(s->run, cluster_now(), &err))
			return cli_library_error(&err);
		if (cluster_interrupts() != before)
			return CLI_TARGET;
		cluster_messages_wait(s->b);
		/* a time in which this computer had no time is nobody's silence */
		uint64_t now = cluster_now().ns;
		gone += now - last < STEP_NS ? now - last : STEP_NS;
		last = now;
	}
	return CLI_OK;
}

/* ---- how each machine does ---- */

struct machine_row {
	const struct cluster_fleet_machine *m;
	uint64_t events, dropped, age_ns;
	bool has_counted;
};

static struct machine_row row_make(
	const struct cluster_fleet_machine *m, const struct cluster_cover *cover, uint64_t now_ns)
{
	struct machine_row row = {.m = m, .age_ns = m->heard_ns && now_ns > m->heard_ns ? now_ns - m->heard_ns : 0};
	size_t n = 0;
	const struct cluster_covered *at = cluster_cover_find(cover, m->name, &n);

	row.has_counted = at != NULL;
	for (size_t i = 0; at && i < n; i++) {
		row.events += at[i].events;
		row.dropped += at[i].dropped;
	}
	return row;
}

/* Why it is so; what else is to be said of it. */
static const char *row_remark(const struct machine_row *row)
{
	if (*row->m->reason)
		return row->m->reason;
	if (*row->m->warning)
		return row->m->warning;
	if (row->m->state == CLUSTER_STATE_ATTACHING)
		return "it says nothing of this query";
	return row->m->gaps ? "it has begun anew" : "";
}

static void row_json(struct cluster_show *s, const struct machine_row *row)
{
	const struct cluster_fleet_machine *m = row->m;
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "type", json_object_new_string("machine"));
	json_object_object_add(o, "machine", cli_json_string(m->name));
	json_object_object_add(o, "state", json_object_new_string(cluster_state_name(m->state)));
	if (m->epoch)
		json_object_object_add(o, "epoch", json_object_new_uint64(m->epoch));
	if (row->has_counted) {
		json_object_object_add(o, "events", json_object_new_uint64(row->events));
		json_object_object_add(o, "dropped", json_object_new_uint64(row->dropped));
	}
	json_object_object_add(o, "overhead_ppm", json_object_new_uint64(m->overhead_ppm));
	json_object_object_add(o, "pause_us", json_object_new_uint64(m->pause_ns / 1000));
	if (m->heard_ns)
		json_object_object_add(o, "heard_ms", json_object_new_uint64(row->age_ns / 1000000));
	if (m->is_early)
		json_object_object_add(o, "early_ms", json_object_new_uint64(m->missing_ns / 1000000));
	if (m->missed)
		json_object_object_add(o, "missed_processes", json_object_new_uint64(m->missed));
	if (*row_remark(row))
		json_object_object_add(o, "reason", cli_json_string(row_remark(row)));
	cli_json_line(&s->out, o);
}

static void row_print(const struct machine_row *row, int width)
{
	const struct cluster_fleet_machine *m = row->m;
	char events[24] = "-", heard[24] = "never";

	if (row->has_counted)
		snprintf(events, sizeof(events), "%" PRIu64, row->events);
	if (m->heard_ns)
		snprintf(heard, sizeof(heard), "%.1f s", (double)row->age_ns / 1e9);
	cli_print_clean(stdout, m->name);
	printf("%*s  %-12s  %5" PRIu64 "  %12s  %7.3f %%  %7.1f ms  %7s", width - cli_width(m->name), "",
		cluster_state_name(m->state), m->epoch, events, (double)m->overhead_ppm / 1e4,
		(double)m->pause_ns / 1e6, heard);
	fputs(*row_remark(row) || m->is_early ? "  " : "", stdout);
	if (m->is_early)
		printf("%.0f s ago%s", (double)m->missing_ns / 1e9, *row_remark(row) ? ": " : "");
	cli_print_clean(stdout, row_remark(row));
	putchar('\n');
}

static int machines_print(struct cluster_show *s)
{
	cluster_fleet *fleet = cluster_run_fleet(s->run);
	const struct cluster_fleet_machine *m;
	struct cluster_total total;
	struct ward_error err = {0};
	uint64_t now = cluster_now().ns;
	int width = 7;
	char counts[400];

	if (cluster_run_total(s->run, 0, NULL, &total, &err))
		return cli_library_error(&err);
	for (size_t i = 0; (m = cluster_fleet_at(fleet, i)); i++)
		width = cli_width(m->name) > width ? cli_width(m->name) : width;
	if (!s->out.json)
		printf("%-*s  %-12s  %5s  %12s  %9s  %10s  %7s\n", width, "MACHINE", "STATE", "EPOCH", "EVENTS",
			"OVERHEAD", "STOPPED", "HEARD");
	for (size_t i = 0; (m = cluster_fleet_at(fleet, i)); i++) {
		struct machine_row row = row_make(m, &total.cover, now);
		if (s->out.json)
			row_json(s, &row);
		else
			row_print(&row, width);
	}
	cluster_counts_text(fleet, counts, sizeof(counts));
	if (!s->out.json)
		printf("%zu machines: %s\n", cluster_fleet_count(fleet), counts);
	cluster_total_free(&total);
	return CLI_OK;
}

int cluster_run_show_query(int argc, char **argv)
{
	struct cluster_show s = {0};
	int status;

	cluster_use_init(&s.use);
	cli_output_init(&s.out, stdout, false);
	status = options_read(&s, argc, argv);
	if (status < 0) {
		cluster_interrupts_catch();
		status = cluster_use_open(&s.use, &s.b, &s.secret);
		status = status == CLI_OK ? query_adopt(&s) : status;
		status = status == CLI_OK ? query_watch(&s) : status;
		if (status == CLI_OK)
			status = s.field ? cluster_shares_print(&s) : machines_print(&s);
		cluster_run_free(s.run);
		bus_close(s.b);
		explicit_bzero(&s.secret, sizeof(s.secret));
	}
	cluster_use_free(&s.use);
	return status;
}
