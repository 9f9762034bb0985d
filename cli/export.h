/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --export FORMAT:FILE: records of rings become events, entries of maps become stacks, in the files that viewers open.
 * export_files.c has the files, export_records.c and export_stacks.c what goes into them.
 */
#ifndef WARD_CLI_EXPORT_H
#define WARD_CLI_EXPORT_H

#include "cli.h"
#include "export/export.h"

enum { EXPORT_FILES = 8, EXPORT_NAME = 400 };

/* Zero at first. The strings are the command line's. */
struct export_files {
	struct export_file {
		const struct export_format *format;
		const char *path;
		FILE *file;
		export *export; /* NULL: not begun, or ended */
	} at[EXPORT_FILES];
	size_t n;
	struct export_measure measure; /* of all stacks; the name is in measure_name */
	char measure_name[EXPORT_NAME];
	char title[EXPORT_NAME], process[EXPORT_NAME];
	pid_t pid;
	pid_t *process_of; /* by thread: its process; 0: the thread wasn't seen yet */
	uint64_t left_out; /* records whose time can't be one */
};

/* An option's value. What is wrong is said. */
bool export_files_option(const struct cli_command *command, struct export_files *x, const char *text);
bool export_files_take_events(const struct export_files *x);
/*
 * Before the target is touched: does the probe, or the `other` (NULL: there is none), have what the formats take, and
 * can the files be written? Returns an exit status.
 */
int export_files_open(struct export_files *x, const ward_schema *schema, const ward_schema *other);
/* The same where the caller makes stacks of what it has, and has set `measure`. */
int export_files_open_stacks(struct export_files *x);
/* Once it is known what is traced; name: the command's or a process's, or NULL. Returns an exit status. */
int export_files_begin(struct export_files *x, pid_t pid, const char *name, const struct cli_clock *clock);
/* The same with a title in the place of a process. */
int export_files_begin_titled(struct export_files *x, const char *title);
/* Times are converted by out->clock. */
void export_files_record(struct export_files *x, const struct cli_output *out, const struct ward_field *field,
	const struct ward_record *record);
/* A stack of the caller's, the innermost frame first. */
void export_files_stack(struct export_files *x, const struct export_frame *frames, size_t n, int64_t weight);
/*
 * A stack's functions with ; between, the innermost last, as frames from the innermost on, at most `most`. They point
 * into the text, which is changed. Returns how many.
 */
size_t export_files_frames(char *text, struct export_frame *frames, size_t most);
/* At the end: the entries of all maps. */
void export_files_snapshot(struct export_files *x, const struct cli_output *out, const ward_snapshot *snapshot);
/* Say where they are, on standard error unless `quiet`. Returns an exit status: that of before, if it is an error. */
int export_files_close(struct export_files *x, bool quiet, int status);

/* export_stacks.c: can this field's entries be added up? What are its values? */
bool export_field_has_stacks(const struct ward_field *field);
struct export_measure export_field_measure(const struct ward_field *field);

#endif
