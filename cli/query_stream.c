/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward query --every, --deltas, --live, --openmetrics: rows while the query runs. Each time all states are read, and
 * nothing in them is ever cleared: what came since the last time is the difference of two totals.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "query_command.h"

enum { KEY_MS = 50, MOST_MS = 200 };

static double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Reading all states takes time that others need: at most a tenth of it. */
static void note_length(struct query_command *c, double took)
{
	struct query_stream *s = &c->stream;

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

/* Take a snapshot, and show it. */
static int stream_once(struct query_command *c, double elapsed)
{
	struct query_stream *s = &c->stream;
	double start = seconds_now();
	struct query_kept total;
	int status = query_take(c, &total);

	if (status != CLI_OK)
		return status;
	note_length(c, seconds_now() - start);
	if (c->metrics)
		status = query_publish(c, &total);
	if (status != CLI_OK || s->silent) {
		query_kept_free(&total);
		return status;
	}
	if (s->live) {
		query_live_draw(c, &total, elapsed);
		return CLI_OK;
	}
	status = print_so_far(c, &total);
	query_kept_free(&s->before);
	s->before = total;
	return status;
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
	if (elapsed >= s->next) {
		s->status = stream_once(c, elapsed);
		t->enough |= s->status != CLI_OK;
		for (; s->next <= elapsed; s->next += s->every)
			;
	}
	left = (s->next - elapsed) * 1000;
	return s->live ? KEY_MS : left < MOST_MS ? (int)left + 1 : MOST_MS;
}

void query_stream_hook(struct query_command *c)
{
	struct query_stream *s = &c->stream;

	if (query_has_records(c->query))
		return; /* they come as they happen */
	s->silent = c->metrics && s->every <= 0 && !s->live && !s->deltas;
	s->live = s->live && !c->trace.output && query_live_possible();
	s->every = s->every > 0 ? s->every : 1;
	s->next = s->live || c->metrics ? 0 : s->every;
	c->trace.round = stream_round;
	c->trace.live = s->live;
}

void query_stream_free(struct query_command *c)
{
	query_kept_free(&c->stream.before);
}
