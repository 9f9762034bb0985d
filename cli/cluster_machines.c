/* SPDX-License-Identifier: Apache-2.0 */
/* ward cluster machines, queries and cancel: who answers to a roll call, what runs there, and how it is ended. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/coordinator/roll.h"
#include "cluster_command.h"

enum { WAIT_MS = 2000, OPTION_JSON = OPTION_OWN, OPTION_CLOCKS, MOST_SAID_MS = 100 };

struct asked {
	struct cluster_use use;
	struct cli_output out;
	bool json, clocks;
	const char *id; /* of the query to cancel */
	bus *b;
	struct cluster_secret secret;
	struct cluster_roll roll;
};

/* Returns an exit status, or -1 to go on. */
static int options_read(struct asked *a, int argc, char **argv, int words)
{
	static const struct option longs[] = {CLUSTER_BUS_LONGS, {"json", no_argument, NULL, OPTION_JSON},
		{"clocks", no_argument, NULL, OPTION_CLOCKS}, {"help", no_argument, NULL, 'h'}, {0}};

	for (;;) {
		int option = cli_getopt(&cmd_cluster, argc, argv, ":h", longs);

		if (option == CLI_OPT_DONE)
			break;
		if (option == CLI_OPT_HELP)
			return CLI_OK;
		if (option == OPTION_JSON)
			a->json = true;
		else if (option == OPTION_CLOCKS)
			a->clocks = true;
		else if (option == CLI_OPT_BAD || !cluster_use_option(&cmd_cluster, option, optarg, &a->use))
			return CLI_USAGE;
	}
	if (argc - optind != words)
		return cli_usage(&cmd_cluster, words ? "give the ID of one query" : "'%.40s' isn't expected",
			words ? "" : argv[optind]);
	a->id = words ? argv[optind] : NULL;
	return cluster_use_check(&cmd_cluster, &a->use);
}

static int roll_call(struct asked *a)
{
	struct ward_error err = {0};

	cluster_roll_free(&a->roll);
	if (cluster_roll_call(a->b, &a->secret, a->use.name, WAIT_MS, cluster_now, &a->roll, &err))
		return cli_library_error(&err);
	if (!a->roll.n)
		cli_error(CLI_TARGET, a->use.url,
			"do ward-agent and ward-agent-link run there, is the cluster's name the same (--cluster-name), "
			"and do "
			"they take orders of this key?",
			"no machine answers");
	return a->roll.n ? CLI_OK : CLI_TARGET;
}

static int asked_run(int argc, char **argv, int words, int (*answer)(struct asked *a))
{
	struct asked a = {0};
	int status;

	cluster_use_init(&a.use);
	status = options_read(&a, argc, argv, words);
	if (status < 0) {
		cli_output_init(&a.out, stdout, a.json);
		status = cluster_use_open(&a.use, &a.b, &a.secret);
		if (status == CLI_OK)
			status = answer(&a);
		bus_close(a.b);
		explicit_bzero(&a.secret, sizeof(a.secret));
	}
	cluster_roll_free(&a.roll);
	cluster_use_free(&a.use);
	return status;
}

/* ---- machines ---- */

static void json_machine(struct asked *a, const struct cluster_present *p)
{
	struct json_object *o = json_object_new_object(), *queries = json_object_new_array();
	char id[2 * CLUSTER_ID + 1];

	for (size_t i = 0; i < p->n_queries; i++) {
		cluster_hex(p->query[i], CLUSTER_ID, id);
		json_object_array_add(queries, json_object_new_string(id));
	}
	json_object_object_add(o, "type", json_object_new_string("machine"));
	json_object_object_add(o, "machine", cli_json_string(p->host));
	json_object_object_add(o, "labels", cli_json_string(p->labels));
	json_object_object_add(o, "queries", queries);
	json_object_object_add(o, "refuses", cli_json_string(p->refuses));
	json_object_object_add(o, "kernel", cli_json_string(p->release));
	json_object_object_add(o, "build_id", cli_json_string(p->kernel));
	json_object_object_add(o, "version", cli_json_string(p->version));
	json_object_object_add(o, "clock_ms", json_object_new_int64(p->clock_ns / 1000000));
	json_object_object_add(o, "clock_ns", json_object_new_int64(p->clock_ns));
	json_object_object_add(
		o, "clock_error_ns", p->clock_error_ns < 0 ? NULL : json_object_new_int64(p->clock_error_ns));
	cli_json_line(&a->out, o);
}

static void state_text(const struct cluster_present *p, char *text, size_t size)
{
	if (p->n_queries)
		snprintf(text, size, "%zu quer%s", p->n_queries, p->n_queries == 1 ? "y" : "ies");
	else
		snprintf(text, size, "idle");
}

/* What a person would want to know of a machine beside the columns. */
static void remark_text(const struct cluster_present *p, char *text, size_t size)
{
	int64_t ms = p->clock_ns / 1000000;
	int n = *p->refuses ? snprintf(text, size, "refuses %s", p->refuses) : 0;

	text[n < 0 || (size_t)n >= size ? size - 1 : (size_t)n] = 0;
	if ((ms > MOST_SAID_MS || ms < -MOST_SAID_MS) && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, "%sits clock is %" PRId64 " ms %s", n ? "; " : "",
			ms < 0 ? -ms : ms, ms < 0 ? "behind" : "ahead");
}

/* "+12.3 ms ± 0.2 ms". */
static void clock_text(const struct asked *a, const struct cluster_present *p, char *text, size_t size)
{
	char off[40], error[40];

	ward_time_text((double)(p->clock_ns < 0 ? -p->clock_ns : p->clock_ns), off, sizeof(off));
	ward_time_text((double)p->clock_error_ns, error, sizeof(error));
	cli_plain_units(&a->out, off);
	cli_plain_units(&a->out, error);
	if (p->clock_error_ns < 0)
		snprintf(text, size, "%c%s", p->clock_ns < 0 ? '-' : '+', off);
	else
		snprintf(text, size, "%c%s %s %s", p->clock_ns < 0 ? '-' : '+', off, a->out.unicode ? "\u00b1" : "+-",
			error);
}

/* Each clock, the one that is furthest off in front. */
static int by_clock(const void *x, const void *y)
{
	const struct cluster_present *a = x, *b = y;
	int64_t off_a = a->clock_ns < 0 ? -a->clock_ns : a->clock_ns;
	int64_t off_b = b->clock_ns < 0 ? -b->clock_ns : b->clock_ns;

	return (off_a < off_b) - (off_a > off_b);
}

static int clocks_show(struct asked *a)
{
	int width = 7, status = roll_call(a);
	char text[100];

	if (a->roll.n)
		qsort(a->roll.at, a->roll.n, sizeof(*a->roll.at), by_clock);
	for (size_t i = 0; i < a->roll.n; i++)
		width = cli_width(a->roll.at[i].host) > width ? cli_width(a->roll.at[i].host) : width;
	if (a->roll.n)
		printf("%-*s  %s\n", width, "MACHINE", "CLOCK");
	for (size_t i = 0; i < a->roll.n; i++) {
		clock_text(a, &a->roll.at[i], text, sizeof(text));
		printf("%-*s  %s\n", width, a->roll.at[i].host, text);
	}
	return status;
}

static int machines_show(struct asked *a)
{
	int width = 7, labels = 6, status = roll_call(a);
	char state[32], remark[700];

	for (size_t i = 0; i < a->roll.n; i++) {
		const struct cluster_present *p = &a->roll.at[i];
		width = cli_width(p->host) > width ? cli_width(p->host) : width;
		labels = cli_width(p->labels) > labels ? cli_width(p->labels) : labels;
	}
	if (a->roll.n && !a->json)
		printf("%-*s  %-10s  %-*s  %-20s  %-6s\n", width, "MACHINE", "STATE", labels, "LABELS", "KERNEL",
			"WARD");
	for (size_t i = 0; i < a->roll.n; i++) {
		const struct cluster_present *p = &a->roll.at[i];
		if (a->json) {
			json_machine(a, p);
			continue;
		}
		state_text(p, state, sizeof(state));
		remark_text(p, remark, sizeof(remark));
		printf("%-*s  %-10s  %-*s  %-20s  %-6s%s%s\n", width, p->host, state, labels, p->labels, p->release,
			p->version, *remark ? "  " : "", remark);
	}
	return status;
}

static int machines_or_clocks(struct asked *a)
{
	return a->clocks && !a->json ? clocks_show(a) : machines_show(a);
}

/* ---- queries ---- */

/* How many machines run it; `first`: is this machine, and this place, the first that names it? */
static size_t runs_count(const struct cluster_roll *roll, const uint8_t *id, size_t machine, size_t place, bool *first)
{
	size_t n = 0;

	*first = true;
	for (size_t i = 0; i < roll->n; i++) {
		size_t there = 0;
		for (size_t j = 0; j < roll->at[i].n_queries; j++) {
			if (memcmp(roll->at[i].query[j], id, CLUSTER_ID) != 0)
				continue;
			there = 1;
			*first &= i > machine || (i == machine && j >= place);
		}
		n += there;
	}
	return n;
}

static void query_show(struct asked *a, const uint8_t *id, size_t machines)
{
	char text[2 * CLUSTER_ID + 1];

	cluster_hex(id, CLUSTER_ID, text);
	if (!a->json) {
		printf("%s  on %zu of %zu machine%s\n", text, machines, a->roll.n, a->roll.n == 1 ? "" : "s");
		return;
	}
	struct json_object *o = json_object_new_object();
	json_object_object_add(o, "type", json_object_new_string("query"));
	json_object_object_add(o, "query", json_object_new_string(text));
	json_object_object_add(o, "machines", json_object_new_uint64(machines));
	cli_json_line(&a->out, o);
}

static int queries_show(struct asked *a)
{
	int status = roll_call(a);
	bool any = false, first;

	for (size_t i = 0; i < a->roll.n; i++)
		for (size_t j = 0; j < a->roll.at[i].n_queries; j++) {
			const uint8_t *id = a->roll.at[i].query[j];
			size_t machines = runs_count(&a->roll, id, i, j, &first);
			if (first)
				query_show(a, id, machines);
			any = true;
		}
	if (status == CLI_OK && !any && !a->json)
		printf("no query runs on %zu machine%s\n", a->roll.n, a->roll.n == 1 ? "" : "s");
	return status;
}

/* ---- cancel ---- */

static int query_cancel(struct asked *a)
{
	uint8_t id[CLUSTER_ID];
	struct ward_error err = {0};
	bool first;
	size_t left;
	int status;

	if (!cluster_hex_read(a->id, CLUSTER_ID, id))
		return cli_usage(&cmd_cluster, "'%.40s' is no query's ID: ward cluster queries lists them", a->id);
	status = roll_call(a);
	if (status != CLI_OK)
		return status;
	if (!runs_count(&a->roll, id, 0, 0, &first))
		return cli_error(CLI_TARGET, a->id, "ward cluster queries lists those that do", "no machine runs it");
	if (cluster_roll_cancel(a->b, &a->secret, a->use.name, id, "it was cancelled", cluster_now(), &err))
		return cli_library_error(&err);
	status = roll_call(a);
	left = runs_count(&a->roll, id, 0, 0, &first);
	if (status == CLI_OK && left)
		return cli_error(CLI_TARGET, a->id, "only its own coordinator may, or one with 'may = take-over' there",
			"%zu machine%s on", left, left == 1 ? " goes" : "s go");
	if (status == CLI_OK && !a->json)
		printf("%s has ended\n", a->id);
	return status;
}

int cluster_run_machines(int argc, char **argv)
{
	return asked_run(argc, argv, 0, machines_or_clocks);
}

int cluster_run_queries(int argc, char **argv)
{
	return asked_run(argc, argv, 0, queries_show);
}

int cluster_run_cancel(int argc, char **argv)
{
	return asked_run(argc, argv, 1, query_cancel);
}
