/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward query --cluster: the query's probe on processes of many machines. Each sends what its probes have kept; the sum
 * of all becomes rows as that of one machine's threads does. Rows that tell machines apart are made of a sum of each.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query_command.h"

enum { LEAST_WINDOW = 1000000000 };

/* ---- what is asked ---- */

/* What a cluster doesn't give yet, and a way out. */
static int query_check(const struct query_command *c)
{
	const struct query *q = c->query;
	const char *what = NULL;

	if (query_is_joined(q))
		what = "joins of single events by the reader";
	else if (query_has_records(q) && query_record_is_named(q))
		what = "rows of single events with a site, an address or a stack, as each process has its own names "
		       "for "
		       "these";
	else if (query_has_records(q) && (c->stream.every > 0 || c->stream.deltas || c->openmetrics || c->html))
		what = "rows of single events with --every, --deltas, --openmetrics or --html";
	else if (query_window_step(q) && !query_windows_by_difference(q))
		what = "windows but of counts, sums, means and histograms";
	else if (query_window_step(q) && query_window_step(q) < LEAST_WINDOW)
		what = "windows of less than a second";
	else if (query_has_day(q))
		what = "times of the day within the probe, as each machine's counter begins at another moment";
	else if (query_module_of(q))
		what = "probes that were written by hand: ward trace --cluster takes these";
	else if (c->use.shards && (query_window_step(q) || query_sessions_apart(q)))
		what = "windows, and no rows by machine or process, with --shards: combiners have added these up";
	if (!what)
		return CLI_OK;
	return cli_error(CLI_USAGE, "query", "group and count; ask the machine by itself, with ward query there",
		"on a cluster there are no %s", what);
}

/* --process, or what the text says. */
static int processes_choose(struct query_command *c)
{
	struct query_needs needs = query_needs_of(c->query);
	char condition[128];
	const char *copy;

	if (needs.kernel)
		return c->use.process.n ? cli_usage(&cmd_query, "a query of the kernel's functions takes no --process")
					: CLI_OK;
	if (c->use.process.n)
		return needs.process || needs.pid
			       ? cli_usage(&cmd_query, "the query says which processes: leave out --process")
			       : CLI_OK;
	if (!needs.process && !needs.pid)
		return cli_usage(&cmd_query, "on which processes? --process exe=/usr/bin/sqlite3");
	if (needs.process)
		snprintf(condition, sizeof(condition), "exe=*/%.100s", needs.process);
	else
		snprintf(condition, sizeof(condition), "pid=%" PRId64, needs.pid);
	copy = query_keep(c, condition);
	return copy && list_add(&c->use.process, copy)
		       ? CLI_OK
		       : cli_error(CLI_USAGE, "query", "free some memory and try again", "out of memory");
}

/* ---- the result ---- */

void query_far_add(struct query_lacks *lacks, const char *format, ...)
{
	va_list ap;

	if (lacks->n == QUERY_LACKS)
		return;
	va_start(ap, format);
	vsnprintf(lacks->line[lacks->n++], sizeof(lacks->line[0]), format, ap);
	va_end(ap);
}

/* Machines by what has become of them, but for those that are in the result and do well. */
static void machines_missing(cluster_fleet *fleet, bool is_final, struct query_lacks *lacks)
{
	for (int state = 0; state < CLUSTER_STATES; state++) {
		size_t n = cluster_fleet_count_of(fleet, (enum cluster_state)state);

		if (!n || state == CLUSTER_STATE_ENDED || (!is_final && state == CLUSTER_STATE_REPORTING))
			continue;
		query_far_add(lacks, "%zu machine%s: %s", n, n == 1 ? "" : "s",
			cluster_state_name((enum cluster_state)state));
	}
}

static void processes_missing(cluster_fleet *fleet, struct query_lacks *lacks)
{
	const struct cluster_fleet_machine *m;

	for (size_t i = 0; (m = cluster_fleet_at(fleet, i)); i++)
		if (m->missed)
			query_far_add(lacks, "%" PRIu64 " process%s of %.100s: %.200s", m->missed,
				m->missed == 1 ? "" : "es", m->name, m->warning);
}

/* Records that aren't among the rows, by machine. */
static void records_missing(cluster_run *run, struct query_lacks *lacks)
{
	const struct cluster_fleet_machine *m;
	char text[300];

	for (size_t i = 0; (m = cluster_fleet_at(cluster_run_fleet(run), i)); i++) {
		struct cluster_record_counts c = cluster_run_record_counts(run, m->name);
		if (cluster_records_lack(&c, text, sizeof(text)))
			query_far_add(lacks, "rows of %.100s: %s", m->name, text);
	}
}

static void lacks_find(struct query_command *c, cluster_run *run, const struct cluster_total *all, bool is_final)
{
	c->far = (struct query_lacks){0};
	machines_missing(cluster_run_fleet(run), is_final, &c->far);
	processes_missing(cluster_run_fleet(run), &c->far);
	if (is_final)
		records_missing(run, &c->far);
	if (all->cover.dropped)
		query_far_add(&c->far, "%" PRIu64 " event%s dropped", all->cover.dropped,
			all->cover.dropped == 1 ? " was" : "s were");
	if (all->cut || all->cover.flags & WARD_PARTIAL_CUT)
		query_far_add(&c->far, "keys found no room on the way: the heaviest ones are there");
	if (c->stream.windows)
		query_cluster_windows_lacks(c, run, is_final);
}

/* Rows of all that was kept, or of windows; both lack what all lacks. */
static int kept_show(struct query_command *c, struct cli_output *out, const struct query_kept *kept, bool is_final)
{
	const struct query_moment moment = {.at = query_now(), .is_final = is_final};
	uint64_t open = c->stream.windows ? query_windows_open_one(c->stream.windows) : 0;

	if (c->stream.windows)
		return query_cluster_windows_show(c, out, kept, is_final || !open ? 0 : open - 1, is_final);
	return query_show(c, out, kept, &moment, NULL);
}

/* What there is so far. Returns an exit status; free it with query_kept_free. */
static int kept_take(struct query_command *c, cluster_run *run, bool is_final, struct query_kept *kept)
{
	struct query_sums sums = {0};
	struct ward_error err = {0};
	int status = query_sums_take(c, &(struct query_sums_of){.run = run}, &sums, &err);

	if (status == WARD_OK)
		status = query_sums_keep(c, run, &sums, kept, &err);
	if (status == WARD_OK) {
		lacks_find(c, run, &sums.all, is_final);
		c->far_events = sums.all.cover.events;
	}
	query_sums_free(&sums);
	return status == WARD_OK ? CLI_OK : cli_library_error(&err);
}

/* A row of an event, of whichever process. */
static void event_take(struct trace *t, const struct cluster_event *e)
{
	struct query_command *c = t->print_user;
	const struct cluster_record *r = e->record;
	const struct query_session who = {
		.machine = r->stream.machine, .process = r->origin.program, .pid = (pid_t)r->origin.pid};
	struct query_value members[QUERY_MOST_COLUMNS] = {{0}};

	if (query_columns(c->query) > QUERY_MOST_COLUMNS)
		return;
	query_record_read(c->query, e->field, e->members, members);
	query_record_moment(c->query, cli_record_origin(e->field, e->members).time, (int64_t)e->at, members);
	query_row_print(c, &who, members);
}

static int rows_print(struct trace *t, struct cli_output *out, struct cluster_run *run, bool is_final)
{
	struct query_command *c = t->print_user;
	enum query_format own = c->format;
	struct query_kept kept;
	int status = kept_take(c, run, is_final, &kept);

	if (status != CLI_OK)
		return status;
	if (query_has_records(c->query) && is_final && out == &t->out && c->printed.n == 0)
		query_print_row(out, c->format, c->query, NULL, &c->printed);
	if (out != &t->out) /* a viewer's form */
		c->format = out->json ? QUERY_JSON : own == QUERY_JSON ? QUERY_TABLE : own;
	status = kept_show(c, out, &kept, is_final);
	c->format = own;
	query_kept_free(&kept);
	return status;
}

/* ---- rows while it runs: --every, --deltas, --openmetrics ---- */

/* Windows that are over since the last time. */
static int windows_give(struct query_command *c, struct query_kept *kept)
{
	struct query_stream *s = &c->stream;
	uint64_t open = query_windows_open_one(s->windows);
	int status = c->metrics ? query_cluster_windows_publish(c, kept) : CLI_OK;

	if (status == CLI_OK && !s->silent && open > s->shown)
		status = query_cluster_windows_show(c, &c->trace.out, kept, s->shown, false);
	s->shown = open;
	query_kept_free(kept);
	return status;
}

static int stream_round(struct query_command *c, cluster_run *run)
{
	struct query_stream *s = &c->stream;
	double now = query_monotonic();
	struct query_kept kept;
	int status;

	if (!c->metrics && (s->silent || (s->every <= 0 && !s->deltas)))
		return CLI_OK;
	if (cluster_run_phase(run) == CLUSTER_OVER)
		return CLI_OK;
	s->every = s->every > 0 ? s->every : 1;
	if (!s->has_begun)
		s->next = now + (c->metrics ? 0 : s->every);
	s->has_begun = true;
	if (now < s->next)
		return CLI_OK;
	s->next = now + s->every;
	status = kept_take(c, run, false, &kept);
	if (status != CLI_OK)
		return status;
	status = s->windows ? windows_give(c, &kept) : query_stream_give(c, &kept, 0);
	fflush(c->trace.out.file);
	return status;
}

static int rounds_do(struct trace *t, struct cluster_run *run, bool *is_lacking)
{
	struct query_command *c = t->print_user;
	int status = c->stream.windows ? query_cluster_windows_round(c, run, is_lacking) : CLI_OK;

	return status == CLI_OK ? stream_round(c, run) : status;
}

/* Machines tell processes apart if rows do. */
static enum cluster_by by_of(unsigned apart)
{
	return apart & QUERY_BY_PID ? CLUSTER_BY_PID : apart & QUERY_BY_PROCESS ? CLUSTER_BY_PROCESS : CLUSTER_BY_NONE;
}

/* The order has it, for the audit, and for who goes on with the query. */
static int text_keep(struct query_command *c)
{
	char *copy = strndup((const char *)c->text.data, c->text.size);

	if (!copy || !list_add(&c->owned, copy)) {
		free(copy);
		return cli_error(CLI_USAGE, "query", "free some memory and try again", "out of memory");
	}
	c->trace.text = copy;
	if (strlen(copy) != c->text.size)
		return cli_error(CLI_USAGE, "query", "leave it out", "there is a zero byte in the text");
	return CLI_OK;
}

int query_cluster_choose(struct query_command *c)
{
	struct trace *t = &c->trace;
	struct query_needs needs = query_needs_of(c->query);
	int status;

	if (t->pid_text || t->command)
		return cli_usage(&cmd_query, "with --cluster processes are chosen with --process, not with -p or --");
	status = cluster_use_check(&cmd_query, &c->use);
	if (status >= 0)
		return status;
	if (c->use.by_label && !(query_sessions_apart(c->query) & QUERY_BY_MACHINE))
		return cli_usage(&cmd_query, "--by label=KEY is of a query whose rows name machine");
	if (c->use.by_machine && !c->use.by_label)
		return cli_usage(&cmd_query, "name machine among the keys of the query, instead of --by machine");
	if (c->use.variants.n)
		return cli_usage(
			&cmd_query, "--variant goes with a probe that was written by hand: ward trace --cluster");
	status = query_check(c);
	if (status == CLI_OK)
		status = query_stream_check(c);
	if (status == CLI_OK && !c->use.attach)
		status = processes_choose(c);
	if (needs.until >= 0 && (t->duration <= 0 || (double)needs.until / 1e9 < t->duration))
		t->duration = (double)needs.until / 1e9;
	t->live = c->stream.live;
	c->stream.silent |= t->live; /* the table on a terminal is drawn by who waits for messages */
	c->stream.live = false;
	t->text_options = c->with;
	t->asked_at = (uint64_t)c->options.now;
	t->print_user = c;
	t->print_cluster = rows_print;
	if (query_has_records(c->query))
		t->event_cluster = event_take;
	t->round_cluster = rounds_do;
	t->has_times = query_has_times(c->query);
	t->by = query_has_records(c->query) ? 0
					    : by_of(query_sessions_apart(c->query)); /* records say whose they are */
	if (status == CLI_OK)
		status = text_keep(c);
	if (status == CLI_OK && query_window_step(c->query))
		status = query_cluster_windows_open(c);
	return status;
}
