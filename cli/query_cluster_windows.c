/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward query --cluster, by windows: each that is closed becomes entries, and again when something comes later. Rows are
 * made of these, as on one machine.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "query_command.h"

enum { WINDOWS_BEFORE = 4000 }; /* clocks of machines may be so many windows behind */

int query_cluster_windows_open(struct query_command *c)
{
	struct query_stream *s = &c->stream;
	uint64_t now = (uint64_t)query_now() / (uint64_t)query_window_step(c->query);

	s->windows = query_windows_open(c->query, 0);
	if (!s->windows)
		return cli_error(CLI_USAGE, "query", "free some memory and try again", "out of memory");
	query_windows_from(s->windows, now > WINDOWS_BEFORE ? now - WINDOWS_BEFORE : 0);
	c->trace.window_ns = (uint64_t)query_window_step(c->query);
	return CLI_OK;
}

static int window_take(struct query_command *c, cluster_run *run, const struct cluster_window *window)
{
	struct query_sums sums = {0};
	struct query_kept kept;
	struct ward_error err = {0};
	int status = query_sums_take(c, &(struct query_sums_of){run, window}, &sums, &err);

	if (status == WARD_OK)
		status = query_sums_keep(c, run, &sums, &kept, &err);
	if (status != WARD_OK) {
		query_sums_free(&sums);
		return cli_library_error(&err);
	}
	if (!query_windows_put(c->stream.windows, window->number, kept.entries, kept.n, (double)window->span_ns / 1e9))
		status = cli_error(CLI_USAGE, "query", "take longer windows", "out of memory");
	c->far_windows.cut |= sums.all.cut || sums.all.cover.flags & WARD_PARTIAL_CUT;
	query_kept_free(&kept);
	query_sums_free(&sums);
	return status;
}

/* C-114. At the end; before, the windows that aren't over have events, too. */
static void missing_find(struct query_command *c, cluster_run *run)
{
	struct cluster_total total;
	uint64_t events;

	if (cluster_run_total(run, 0, NULL, &total, NULL))
		return;
	events = cluster_windows_events(cluster_run_windows(run, 0));
	c->far_windows.missing = total.cover.events > events ? total.cover.events - events : 0;
	c->far_windows.surplus = events > total.cover.events ? events - total.cover.events : 0;
	cluster_total_free(&total);
}

int query_cluster_windows_round(struct query_command *c, cluster_run *run, bool *is_lacking)
{
	const struct cluster_window *window;
	int status = CLI_OK;

	while (status == CLI_OK && (window = cluster_run_window(run, 0, cluster_now())))
		status = window_take(c, run, window);
	if (cluster_run_phase(run) == CLUSTER_OVER)
		missing_find(c, run);
	*is_lacking |= c->far_windows.missing || c->far_windows.surplus;
	return status;
}

/* Their rows, with what all lacks. */
static int windows_rows(struct query_command *c, uint64_t from, const struct query_kept *kept,
	struct query_window_rows *rows, struct query_kept *shown)
{
	if (!query_windows_rows(c->stream.windows, from, query_windows_open_one(c->stream.windows), rows))
		return cli_error(CLI_USAGE, "query", "take longer windows", "out of memory");
	*shown = *kept;
	shown->entries = rows->entries;
	shown->n = rows->n;
	return CLI_OK;
}

int query_cluster_windows_show(
	struct query_command *c, struct cli_output *out, const struct query_kept *kept, uint64_t from, bool is_final)
{
	const struct query_moment moment = {.at = query_now(), .is_final = is_final};
	struct query_window_rows rows = {0};
	struct query_kept shown;
	int status = windows_rows(c, from, kept, &rows, &shown);

	if (status == CLI_OK)
		status = query_show(c, out, &shown, &moment, NULL);
	query_window_rows_free(&rows);
	return status;
}

int query_cluster_windows_publish(struct query_command *c, const struct query_kept *kept)
{
	uint64_t open = query_windows_open_one(c->stream.windows);
	struct query_window_rows rows = {0};
	struct query_kept shown;
	int status = windows_rows(c, open ? open - 1 : 0, kept, &rows, &shown);

	if (status == CLI_OK)
		status = query_publish(c, &shown);
	query_window_rows_free(&rows);
	return status;
}

static void machine_say(struct query_lacks *far, const struct cluster_window_machine *m)
{
	if (m->lost)
		query_far_add(far, "%" PRIu64 " window%s of %.100s: too late, or its clock is wrong", m->lost,
			m->lost == 1 ? "" : "s", m->name);
	if (m->late)
		query_far_add(far, "%" PRIu64 " window%s of %.100s read too late: the one before has what was in them",
			m->late, m->late == 1 ? " was" : "s were", m->name);
	if (m->jumps && far->n_notes < QUERY_LACKS)
		snprintf(far->note[far->n_notes++], sizeof(far->note[0]),
			"the clock of %.100s has jumped: what it counted meanwhile is in the window before", m->name);
}

void query_cluster_windows_lacks(struct query_command *c, cluster_run *run, bool is_final)
{
	const cluster_windows *windows = cluster_run_windows(run, 0);
	uint64_t amended = cluster_windows_amended(windows);
	struct cluster_window_machine m;

	for (size_t i = 0; cluster_windows_machine(windows, i, &m); i++)
		machine_say(&c->far, &m);
	if (c->far_windows.cut)
		query_far_add(&c->far, "keys of windows found no room on the way: the heaviest ones are there");
	if (is_final && c->far_windows.missing)
		query_far_add(&c->far, "%" PRIu64 " event%s in no window", c->far_windows.missing,
			c->far_windows.missing == 1 ? " is" : "s are");
	if (is_final && c->far_windows.surplus)
		query_far_add(&c->far, "windows have %" PRIu64 " events more than the machines have counted in all",
			c->far_windows.surplus);
	if (amended && c->far.n_notes < QUERY_LACKS)
		snprintf(c->far.note[c->far.n_notes++], sizeof(c->far.note[0]),
			"%" PRIu64 " partial%s of machines came after the window was closed, and amended it", amended,
			amended == 1 ? "" : "s");
}
