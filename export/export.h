/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that other people's viewers open: events on a line of time (Perfetto, Chrome, Firefox Profiler), and stacks
 * with weights (pprof, folded stacks, flame graphs). A format is a file here and a row of formats.c.
 *
 * What is written is streamed: memory grows with the number of different names, threads and frames, not with the
 * number of events. The exceptions are Firefox's, whose file has tables by column, and the flame graph, which is one
 * tree: export.c says what they keep.
 *
 * All texts must be UTF-8 and end with a zero byte; the caller has made them so. An export is used by one thread at a
 * time. It knows neither the loader nor the query.
 */
#ifndef WARD_EXPORT_EXPORT_H
#define WARD_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum export_type { EXPORT_UNSIGNED, EXPORT_SIGNED, EXPORT_REAL, EXPORT_TEXT };

/* A named value: what an event says beside its time. */
struct export_value {
	const char *name;
	enum export_type type;
	uint64_t number; /* UNSIGNED; SIGNED: as int64_t */
	double real;
	const char *text;
};

/* Something that happened in a thread: from begin to end, or at a moment, `end`. */
struct export_event {
	const char *name, *track; /* spans of one track in a thread are in one another, or apart */
	bool is_span;
	int64_t begin, end; /* nanoseconds since 1970 */
	pid_t pid, tid;
	const struct export_value *values;
	size_t n;
};

struct export_frame {
	const char *function, *module, *file; /* module and file: NULL if they aren't known */
	uint64_t address;                     /* 0: unknown */
	uint32_t line;                        /* 0: unknown */
	bool is_inlined;                      /* in the next frame */
};

/* A stack, and how much of something belongs to it. */
struct export_stack {
	const struct export_frame *frames; /* the innermost first */
	size_t n;
	const int64_t *values; /* as many as the export's measures */
};

/* What the values of stacks are: "calls", "count"; "time", "nanoseconds". */
struct export_measure {
	const char *name, *unit;
};

/* What the file is about. The strings must last until export_close. */
struct export_about {
	const char *title;   /* what was traced: "sqlite3 (1234)" */
	const char *process; /* the process's name, or NULL */
	pid_t pid;
	int64_t begin; /* nanoseconds since 1970 */
	const struct export_measure *measures;
	size_t n_measures;
};

struct export_format;
typedef struct export export;

/* By its name ("perfetto"); NULL: there is none of that name. */
const struct export_format *export_find(const char *name);
/* Format i, for help; NULL behind the last one. */
const struct export_format *export_at(size_t i);
const char *export_name(const struct export_format *format);
/* For which viewers it is: "ui.perfetto.dev". */
const char *export_viewers(const struct export_format *format);
bool export_takes_events(const struct export_format *format);
bool export_takes_stacks(const struct export_format *format);

/*
 * Begin a file, which the caller has opened, and closes after export_close. NULL without memory. All that is written
 * afterwards may fail silently: export_close says so.
 */
export *export_open(const struct export_format *format, FILE *file, const struct export_about *about);
/* What the format doesn't take is left out; the caller has asked. */
void export_event_add(export *e, const struct export_event *event);
void export_stack_add(export *e, const struct export_stack *stack);
/* A thread's name, before or after its events. */
void export_thread_name(export *e, pid_t pid, pid_t tid, const char *name);
/* End the file. Returns false if something couldn't be written, or memory was missing: the file isn't complete. */
bool export_close(export *e);

#endif
