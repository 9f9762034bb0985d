/* SPDX-License-Identifier: Apache-2.0 */
/* ward query: from what was kept to rows that are printed, and what they lack. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "query_command.h"

__attribute__((format(printf, 2, 3))) static void add_lack(struct query_lacks *lacks, const char *format, ...)
{
	va_list ap;

	if (lacks->n == QUERY_LACKS) {
		snprintf(lacks->line[QUERY_LACKS - 1], sizeof(lacks->line[0]), "and more");
		return;
	}
	va_start(ap, format);
	vsnprintf(lacks->line[lacks->n++], sizeof(lacks->line[0]), format, ap);
	va_end(ap);
}

/* "1 event was", "5 events were". */
struct counted {
	char text[64];
};
static struct counted count_text(uint64_t n, const char *what, const char *one, const char *many)
{
	struct counted c;

	snprintf(c.text, sizeof(c.text), "%" PRIu64 " %s%s %s", n, what, n == 1 ? "" : "s", n == 1 ? one : many);
	return c;
}

static void find_stops(const ward_snapshot *snapshot, struct query_lacks *lacks)
{
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);

		if (f->kind == WARD_FIELD_STOP && f->value)
			add_lack(lacks, "%s left out: %s", count_text(f->value, "event", "was", "were").text,
				cli_stop_text(f));
	}
}

static void find_divisions(
	const struct query *q, const char *name, const struct query_kept *kept, struct query_lacks *lacks)
{
	const struct query_point *at;
	size_t n = query_divisions(q, &at);

	for (size_t i = 0; i < n; i++)
		if (kept->left_out[i])
			add_lack(lacks, "%s:%" PRIu32 ":%" PRIu32 ": %s left out: a division by zero", name, at[i].line,
				at[i].column, count_text(kept->left_out[i], "event", "was", "were").text);
}

static void find_site_lacks(uint64_t skipped, uint64_t inlined, uint64_t overwritten, struct query_lacks *lacks)
{
	if (skipped)
		add_lack(lacks, "%s and can't be probed", count_text(skipped, "site", "matches", "match").text);
	if (inlined)
		add_lack(
			lacks, "%" PRIu64 " inlined cop%s", inlined, inlined == 1 ? "y isn't seen" : "ies aren't seen");
	if (overwritten)
		add_lack(lacks, "%s overwritten before they were read",
			count_text(overwritten, "row", "was", "were").text);
}

/* What no probe has seen. */
static void find_unseen(struct query_command *c, struct query_lacks *lacks)
{
	struct trace *t = &c->trace;
	struct ward_session_stats stats;
	uint64_t told, lost = 0;

	if (t->cluster) {
		*lacks = c->far;
		return;
	}
	stats = query_stats(c);
	if (stats.dropped)
		add_lack(lacks, "%s dropped", count_text(stats.dropped, "event", "was", "were").text);
	if (c->many.processes) {
		struct query_processes_stats all = query_processes_stats(c->many.processes);

		find_site_lacks(all.skipped, all.inlined, all.lost, lacks);
		for (size_t i = 0; i < all.n_lines; i++)
			add_lack(lacks, "%s", all.lines[i]);
		return;
	}
	if (ward_session_shut(t->session))
		add_lack(lacks, "a thread denied itself Ward's memory (pkey_set): its process wasn't seen after that");
	if (ward_session_held_back(t->session))
		add_lack(lacks, "the kernel held samples back, because they came too often");
	if (t->stream)
		ward_stream_totals(t->stream, query_ring(c->query), &told, &lost);
	find_site_lacks(t->skipped, t->inlined, lost, lacks);
}

/* What one table lacks. */
static void find_table_lacks(
	struct query_command *c, const struct query *q, const struct query_kept *kept, struct query_lacks *lacks)
{
	const struct query_pairs *pairs = &kept->pairs;

	find_divisions(q, c->name, kept, lacks);
	if (kept->unread)
		add_lack(lacks, "%s: that memory isn't present at the moment; its texts are empty and its numbers 0",
			count_text(kept->unread, "read", "failed", "failed").text);
	if (kept->without_room)
		add_lack(lacks, "%s a key without room%s", count_text(kept->without_room, "event", "had", "had").text,
			query_module_of(q) ? "" : ": Keys(n) has room for n");
	if (kept->unlisted)
		add_lack(lacks, "%s not among these", count_text(kept->unlisted, "key", "is", "are").text);
	if (kept->unpaired)
		add_lack(lacks, "%s no room while it waited for its partner",
			count_text(kept->unpaired, "event", "had", "had").text);
	if (pairs->ends > pairs->pairs)
		add_lack(lacks, "%s no beginning", count_text(pairs->ends - pairs->pairs, "end", "had", "had").text);
	if (query_wants_ends(q) && pairs->begins > pairs->pairs)
		add_lack(lacks, "%s no end", count_text(pairs->begins - pairs->pairs, "beginning", "had", "had").text);
}

static void find_lacks(struct query_command *c, const struct query_kept *kept, struct query_lacks *lacks)
{
	find_unseen(c, lacks);
	find_table_lacks(c, c->query, kept, lacks);
	if (kept->other)
		find_table_lacks(c, query_other(c->query), kept->other, lacks);
	for (size_t i = 0; i < kept->n_snapshots; i++)
		find_stops(kept->snapshots[i], lacks);
}

static void find_window_lacks(struct query_command *c, bool is_final, struct query_lacks *lacks)
{
	struct query_windows_lacks l = query_windows_lacks(c->stream.windows);

	if (l.late && !c->join) /* the reader knows the window of each event that it joins */
		add_lack(lacks, "%s read too late: the one before has what was in them",
			count_text(l.late, "window", "was", "were").text);
	if (l.forgotten)
		add_lack(lacks, "%s older than those that are kept",
			count_text(l.forgotten, "window", "is", "are").text);
	if (is_final && l.unread)
		add_lack(lacks, "%s in windows that made room before they were read: Keys(n) has room for n",
			count_text(l.unread, "event", "was", "were").text);
}

static void name_value(void *user, const struct query_value *v, char *text, size_t size)
{
	struct query_command *c = user;

	if (v->kind == QUERY_SITE)
		cli_site_text(&c->trace.out, text, size, v->number);
	else
		cli_address_text(&c->trace.out, text, size, v->number, (struct cli_origin){.thread = WARD_ANY_THREAD});
}

/* Whose events they are. */
static void name_session(struct query_command *c)
{
	struct trace *t = &c->trace;

	if (c->session.process)
		return;
	gethostname(c->machine, sizeof(c->machine) - 1);
	snprintf(c->process, sizeof(c->process), "process %d", (int)t->pid);
	c->session = (struct query_session){.name = name_value,
		.user = c,
		.pid = t->pid,
		.machine = c->machine,
		.process = t->command ? t->command[0] : c->process};
}

/* A row of an event, or of a pair. */
void query_row_print(struct query_command *c, const struct query_session *who, const struct query_value *members)
{
	struct query_value row[QUERY_MOST_COLUMNS];

	if (c->printed.n >= query_most_records(c->query) || query_columns(c->query) > QUERY_MOST_COLUMNS)
		return;
	query_record_row(c->query, who, members, row);
	query_print_row(&c->trace.out, c->format, c->query, row, &c->printed);
	if (c->html)
		query_page_add(c, row);
	c->trace.enough = c->printed.n >= query_most_records(c->query);
}

static void print_record(void *user, const struct query_value *members)
{
	struct query_command *c = user;

	name_session(c);
	query_row_print(c, &c->session, members);
}

void query_record_print(struct query_command *c, const struct query_session *who, const struct ward_field *field,
	const struct ward_record *record)
{
	struct query_value members[QUERY_MOST_COLUMNS] = {{0}};

	if (query_columns(c->query) > QUERY_MOST_COLUMNS)
		return;
	query_record_read(c->query, field, record, members);
	query_row_print(c, who, members);
}

/* A record of one side of a pair, which is a row when both are there; or of a probe that was written by hand. */
static void on_side(struct trace *t, const struct ward_field *field, const struct ward_record *record)
{
	struct query_command *c = t->print_user;
	struct query_record side;

	if (!query_module_of(c->query))
		query_pair_read(field, record, &side);
	else if (!query_module_record(c->query, field, record, &side))
		return;
	if (!query_join_add(c->join, &side))
		c->join_failed = true;
}

/* In place of what a probe keeps. */
static int take_joined(struct query_command *c, struct query_kept *kept)
{
	struct query_joined joined;

	if (query_join_take(c->join, &c->session, c->is_over, &joined) && !c->join_failed) {
		query_kept_join(kept, &joined);
		return CLI_OK;
	}
	free(joined.entries);
	query_kept_free(kept);
	return cli_error(CLI_USAGE, "query", "join fewer events, within less time", "out of memory");
}

static void on_record(struct trace *t, const struct ward_field *field, const struct ward_record *record)
{
	struct query_command *c = t->print_user;

	name_session(c);
	query_record_print(c, &c->session, field, record);
}

struct ward_session_stats query_stats(struct query_command *c)
{
	struct ward_session_stats stats = {.events = c->far_events};

	if (c->trace.cluster)
		return stats;
	if (c->many.processes)
		return query_processes_stats(c->many.processes).stats;
	ward_session_stats(c->trace.session, &stats);
	return stats;
}

int query_take(struct query_command *c, struct query_kept *kept)
{
	struct ward_error err;
	struct query_part one = {.session = c->trace.session,
		.schema = c->trace.schema,
		.names = c->trace.names.names,
		.drain = c->trace.drain};
	const struct query_part *parts = &one;
	size_t n = 1;

	if (c->many.processes) {
		parts = query_processes_parts(c->many.processes, &n);
	} else {
		name_session(c);
		one.who = &c->session;
	}
	if (query_machine_take(c->query, c->trace.schema, parts, n, kept, &err) != WARD_OK)
		return cli_library_error(&err);
	return c->join ? take_joined(c, kept) : CLI_OK;
}

static bool rows_of(struct query_command *c, const struct query_kept *kept, struct query_rows *rows)
{
	struct query_entry *scaled;
	bool done;

	*rows = (struct query_rows){0};
	if (query_has_records(c->query))
		return true;
	if (kept->other)
		return query_rows_meet(c->query, kept->entries, kept->n, kept->other->entries, kept->other->n, rows);
	if (!query_is_scaled(c->query))
		return query_rows_make(c->query, kept->entries, kept->n, rows);
	scaled = query_entries_scaled(c->query, kept->entries, kept->n, kept->gates);
	done = scaled && query_rows_make(c->query, scaled, kept->n, rows);
	if (done)
		rows->scaled = scaled;
	else
		free(scaled);
	return done;
}

static void add_notes(const struct query *q, const struct query_kept *kept, struct query_lacks *lacks)
{
	for (size_t i = 0; lacks->n_notes < QUERY_LACKS &&
			   query_note(q, kept->gates, i, lacks->note[lacks->n_notes], sizeof(lacks->note[0]));
		i++)
		lacks->n_notes++;
}

/* Rows of what was kept, and what they lack; free with query_rows_free. */
static int make_answer(struct query_command *c, const struct query_kept *kept, bool is_final, struct query_rows *rows,
	struct query_lacks *lacks)
{
	*lacks = (struct query_lacks){.n = 0};
	if (!rows_of(c, kept, rows))
		return cli_error(CLI_USAGE, "query", "ask for fewer rows: Take(n)", "out of memory");
	find_lacks(c, kept, lacks);
	if (c->stream.windows)
		find_window_lacks(c, is_final, lacks);
	if (c->many.processes && query_processes_stats(c->many.processes).ancestors && lacks->n_notes < QUERY_LACKS)
		snprintf(lacks->note[lacks->n_notes++], sizeof(lacks->note[0]),
			"processes that ward was started by were left alone; -p PID asks one of them");
	if (rows->merged)
		add_lack(lacks, "%s added up in the column \"other\"",
			count_text(rows->merged, "column", "is", "are").text);
	if (rows->unmet)
		add_lack(lacks, "%" PRIu64 " pairs of rows, or more, had no room: keys have many rows in both tables",
			rows->unmet);
	add_notes(c->query, kept, lacks);
	if (kept->other)
		add_notes(query_other(c->query), kept->other, lacks);
	return CLI_OK;
}

int query_show(struct query_command *c, struct cli_output *out, const struct query_kept *kept,
	const struct query_moment *moment, size_t *sort)
{
	struct query_lacks lacks;
	struct query_rows rows;
	int status = make_answer(c, kept, moment->is_final, &rows, &lacks);

	if (status != CLI_OK)
		return status;
	if (sort && *sort)
		query_rows_sort(&rows, (*sort - 1) % rows.n_columns);
	query_print(out, c->format, c->query, &rows, &lacks, moment);
	if (c->html && moment->is_final && !sort)
		status = query_page_write(c, &rows, &lacks);
	if (status == CLI_OK && moment->is_final && !sort)
		status = query_export_write(c, &rows);
	query_rows_free(&rows);
	return status;
}

int query_publish(struct query_command *c, const struct query_kept *kept)
{
	struct query_lacks lacks;
	struct query_rows rows;
	int status = make_answer(c, kept, false, &rows, &lacks);

	if (status == CLI_OK)
		query_metrics_set(c, &rows, &lacks);
	query_rows_free(&rows);
	return status;
}

/* The last rows. */
static int print_final(struct trace *t)
{
	struct query_command *c = t->print_user;
	const struct query_moment moment = {.at = query_now(), .is_final = true};
	struct query_kept kept;
	int status;

	c->is_over = true;
	if (c->stream.windows)
		return query_show_windows(c);
	status = query_take(c, &kept);
	if (status != CLI_OK)
		return status;
	if (query_has_records(c->query) && c->printed.n == 0)
		query_print_row(&t->out, c->format, c->query, NULL, &c->printed);
	status = query_show(c, &t->out, &kept, &moment, NULL);
	query_kept_free(&kept);
	return status;
}

int64_t query_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Of a ring that the query isn't of. */
static void on_other(struct trace *t, const struct ward_field *field, const struct ward_record *record)
{
	(void)t;
	(void)field;
	(void)record;
}

void query_results_hook(struct query_command *c)
{
	c->trace.print = print_final;
	c->trace.print_user = c;
	c->trace.ordered_times = query_is_joined(c->query); /* by their times */
	if (query_module_of(c->query))
		c->trace.record = on_other;
	if (!query_has_records(c->query) && !query_is_joined(c->query))
		return;
	if (c->trace.many)
		return; /* their sessions have records of their own */
	if (query_is_joined(c->query)) {
		c->join = query_join_open(c->query, print_record, c);
		c->join_failed = !c->join;
	}
	c->trace.record = c->join ? on_side : on_record;
	c->trace.records = true;
}
