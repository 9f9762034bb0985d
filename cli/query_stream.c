/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward query --every, --deltas, --live, --openmetrics: rows while the query runs. Each time all states are read, and
 * nothing in them is ever cleared: what came since the last time is the difference of two totals.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#include "query_command.h"

enum { KEY_MS = 50, MOST_MS = 200 };

/* Reading all states takes time that others need: at most a tenth of it. */
static void note_length(struct query_command *c, double took)
{
	struct query_stream *s = &c->stream;

	s->snapshots++;
	s->all += took;
	s->longest = took > s->longest ? took : s->longest;
	if (took <= s->every / 10)
		return;
	s->every *= 2;
	s->took = took;
	if (!s->live)
		fprintf(stderr, "a snapshot took %.0f ms: the next ones come every %g s\n", took * 1000, s->every);
}

/* Print what there is so far, or what came since the last time. */
static int print_so_far(struct query_command *c, const struct query_kept *total)
{
	struct query_stream *s = &c->stream;
	const struct query_moment moment = {.at = query_now(), .is_delta = s->deltas};
	struct query_kept shown = *total;
	int status;

	if (s->deltas) {
		shown.entries =
			query_entries_difference(c->query, s->before.entries, s->before.n, total->entries, &shown.n);
		if (!shown.entries)
			return cli_error(CLI_USAGE, "query", "ask for fewer rows: Take(n)", "out of memory");
	}
	status = query_show(c, &c->trace.out, &shown, &moment, NULL);
	fflush(c->trace.out.file);
	if (s->deltas)
		free(shown.entries);
	return status;
}

static double processor_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int query_stream_give(struct query_command *c, struct query_kept *total, double elapsed)
{
	struct query_stream *s = &c->stream;
	int status = c->metrics ? query_publish(c, total) : CLI_OK;

	if (status != CLI_OK || s->silent) {
		query_kept_free(total);
		return status;
	}
	if (s->live) {
		query_live_draw(c, total, elapsed);
		return CLI_OK;
	}
	status = print_so_far(c, total);
	query_kept_free(&s->before);
	s->before = *total;
	return status;
}

/* Take a snapshot, and show it. */
static int stream_once(struct query_command *c, double elapsed)
{
	struct query_stream *s = &c->stream;
	double start = query_monotonic(), cpu = processor_seconds();
	struct query_kept total;
	int status = query_take(c, &total);

	if (status != CLI_OK)
		return status;
	s->cpu += processor_seconds() - cpu;
	note_length(c, query_monotonic() - start);
	return query_stream_give(c, &total, elapsed);
}

/* ---- windows ---- */

/* Read what there is: it belongs to the window that isn't over yet, and if that is over by now, to the next one. */
static int read_windows(struct query_command *c, bool last)
{
	struct query_stream *s = &c->stream;
	struct query_window_state state = {.counts = __rdtsc(), .last = last};
	struct query_kept kept;
	int status = query_take(c, &kept);

	if (status != CLI_OK)
		return status;
	state.entries = kept.entries;
	state.n = kept.n;
	state.windowed = kept.windowed;
	state.n_windowed = kept.n_windowed;
	state.seen = kept.seen;
	if (!query_windows_add(s->windows, &state))
		status = cli_error(CLI_USAGE, "query", "take longer windows", "out of memory");
	query_kept_free(&s->before);
	s->before = kept; /* what its rows lack is in there */
	return status;
}

/*
 * The window that isn't over yet. Events that the reader joins are in their windows a second later, and records of a
 * ring a moment.
 */
static uint64_t open_window(struct query_command *c, bool is_final)
{
	uint64_t open = query_windows_open_one(c->stream.windows), first = query_windows_first(c->stream.windows), late;

	if (!c->join || is_final)
		return open;
	late = 1 + (uint64_t)(1000000000 / query_window_step(c->query));
	return open > first + late ? open - late : first;
}

/* Print windows from one number on that are over, or draw the last one of them. */
static int show_windows(struct query_command *c, uint64_t from, bool is_final, double elapsed)
{
	struct query_stream *s = &c->stream;
	const struct query_moment moment = {.at = query_now(), .is_final = is_final};
	struct query_window_rows rows;
	struct query_kept shown = s->before;
	int status;

	if (!query_windows_rows(s->windows, from, open_window(c, is_final), &rows))
		return cli_error(CLI_USAGE, "query", "take longer windows", "out of memory");
	shown.entries = rows.entries;
	shown.n = rows.n;
	status = c->metrics ? query_publish(c, &shown) : CLI_OK;
	if (s->live && !is_final) {
		query_live_rows(c, &shown, elapsed);
	} else if (status == CLI_OK && (is_final || !s->silent)) {
		status = query_show(c, &c->trace.out, &shown, &moment, NULL);
	}
	query_window_rows_free(&rows);
	return status;
}

/* Returns how many milliseconds it is to the end of the window. */
static int windows_round(struct query_command *c, double elapsed)
{
	struct query_stream *s = &c->stream;
	uint64_t end, now = __rdtsc();

	if (!s->has_begun)
		query_windows_begin(s->windows, now);
	s->has_begun = true;
	end = query_window_end(c->query, query_windows_open_one(s->windows));
	if (now < end) {
		double ms = (double)(end - now) / c->options.rate / 1000;

		return ms < MOST_MS ? (int)ms + 1 : MOST_MS;
	}
	s->status = read_windows(c, false);
	if (s->status == CLI_OK && (s->every > 0 || s->live || c->metrics) && elapsed >= s->next) {
		uint64_t over = open_window(c, false);

		s->status = show_windows(c, (s->live || c->metrics) && over ? over - 1 : s->shown, false, elapsed);
		fflush(c->trace.out.file);
		s->shown = over;
		s->next = elapsed + s->every - (double)query_window_step(c->query) / 2e9;
	}
	c->trace.enough |= s->status != CLI_OK;
	return 1;
}

int query_show_windows(struct query_command *c)
{
	int status = read_windows(c, true);

	return status == CLI_OK ? show_windows(c, 0, true, 0) : status;
}

/* Called by the trace again and again. Returns in how many milliseconds it wants to be called next. */
static int stream_round(struct trace *t, double elapsed)
{
	struct query_command *c = t->print_user;
	struct query_stream *s = &c->stream;
	double left;

	if (elapsed < 0) {
		query_live_end(c);
		return 0;
	}
	if (s->live && query_live_keys(c))
		query_live_draw(c, NULL, elapsed);
	if (s->windows) {
		int ms = windows_round(c, elapsed);

		return s->live && ms > KEY_MS ? KEY_MS : ms;
	}
	if (elapsed >= s->next) {
		s->status = stream_once(c, elapsed);
		t->enough |= s->status != CLI_OK;
		for (; s->next <= elapsed; s->next += s->every)
			;
	}
	left = (s->next - elapsed) * 1000;
	return s->live ? KEY_MS : left < MOST_MS ? (int)left + 1 : MOST_MS;
}

int query_stream_check(struct query_command *c)
{
	struct query_stream *s = &c->stream;

	s->silent = c->openmetrics && s->every <= 0 && !s->live && !s->deltas;
	if (s->deltas && query_other(c->query))
		return cli_usage(&cmd_query, "--deltas are of one table: here are two, and --every has their totals");
	if (s->deltas && query_window_step(c->query))
		return cli_usage(&cmd_query, "--deltas: what is in a window is a difference already");
	return CLI_OK;
}

int query_stream_hook(struct query_command *c)
{
	struct query_stream *s = &c->stream;
	bool asked = s->every > 0 || s->live || s->deltas || c->metrics;
	int status;

	if (query_has_records(c->query) || (!asked && !query_window_step(c->query)))
		return CLI_OK; /* rows of events come as they happen */
	status = query_stream_check(c);
	if (status != CLI_OK)
		return status;
	s->live = s->live && !c->trace.output && query_live_possible();
	if (query_window_step(c->query)) {
		s->windows = query_windows_open(c->query, __rdtsc());
		if (!s->windows)
			return cli_error(CLI_USAGE, "query", "free some memory and try again", "out of memory");
	} else {
		s->every = s->every > 0 ? s->every : 1;
		s->next = s->live || c->metrics ? 0 : s->every;
	}
	c->trace.round = stream_round;
	c->trace.live = s->live;
	return CLI_OK;
}

void query_stream_free(struct query_command *c)
{
	query_kept_free(&c->stream.before);
	query_windows_free(c->stream.windows);
}
