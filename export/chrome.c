/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace event format of Chrome (about:tracing), which Perfetto, Speedscope and Trace Compass open as well: one JSON
 * object of events, of which each is written as it comes. An event with a duration is "complete" (X), a moment is
 * "instant" (i); times are microseconds since the trace began, as the viewers compute with doubles.
 */
#include <inttypes.h>

#include "format.h"

struct chrome {
	struct export base;
	bool has_events;
};

static void next_line(struct chrome *c)
{
	fputs(c->has_events ? ",\n" : "\n", c->base.file);
	c->has_events = true;
}

/* A name of a process or thread is an event as well. */
static void put_name(struct chrome *c, const char *what, pid_t pid, pid_t tid, const char *name)
{
	next_line(c);
	fprintf(c->base.file, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":", what, pid,
		tid);
	export_json_string(c->base.file, name);
	fputs("}}", c->base.file);
}

static void chrome_begin(export *e)
{
	struct chrome *c = (struct chrome *)e;
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"title\":", e->file);
	export_json_string(e->file, e->about.title);
	/* as a text: no double has so many digits */
	fprintf(e->file, ",\"begin_ns\":\"%" PRId64 "\"},\"traceEvents\":[", e->about.begin);
	if (e->about.process)
		put_name(c, "process_name", e->about.pid, e->about.pid, e->about.process);
}

static void chrome_thread(export *e, pid_t pid, pid_t tid, const char *name)
{
	put_name((struct chrome *)e, "thread_name", pid, tid, name);
}

static void chrome_event(export *e, const struct export_event *event)
{
	FILE *file = e->file;
	next_line((struct chrome *)e);
	fprintf(file, "{\"ph\":\"%s\",\"name\":", event->is_span ? "X" : "i");
	export_json_string(file, event->name);
	fprintf(file, ",\"cat\":\"ward\",\"pid\":%d,\"tid\":%d,\"ts\":", event->pid, event->tid);
	export_json_scaled(file, event->begin - e->about.begin, 3);
	if (event->is_span) {
		fputs(",\"dur\":", file);
		export_json_scaled(file, event->end - event->begin, 3);
	} else {
		fputs(",\"s\":\"t\"", file);
	}
	fputs(",\"args\":{", file);
	for (size_t i = 0; i < event->n; i++) {
		fputs(i ? "," : "", file);
		export_json_string(file, event->values[i].name);
		fputc(':', file);
		export_json_value(file, &event->values[i]);
	}
	fputs("}}", file);
}

static void chrome_end(export *e)
{
	fputs("\n]}\n", e->file);
}

const struct export_format export_chrome = {.name = "chrome",
	.viewers = "chrome://tracing, ui.perfetto.dev, speedscope.app",
	.size = sizeof(struct chrome),
	.begin = chrome_begin,
	.event = chrome_event,
	.thread = chrome_thread,
	.end = chrome_end};
