/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --export: the files. A file is opened before the target is touched, so that what can't be written is said then. It is
 * complete only when it is closed: one that couldn't be written to its end is an error, and its name is said.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "export.h"

static void list_formats(char *text, size_t size)
{
	size_t at = 0;
	text[0] = 0;
	for (size_t i = 0; export_at(i) && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%s", i ? ", " : "", export_name(export_at(i)));
}

bool export_files_option(const struct cli_command *command, struct export_files *x, const char *text)
{
	char name[32], names[200];
	const char *colon = strchr(text, ':');
	size_t n = colon ? (size_t)(colon - text) : 0;
	list_formats(names, sizeof(names));
	if (!colon || n == 0 || n >= sizeof(name) || !colon[1]) {
		cli_usage(command, "--export wants FORMAT:FILE, not '%s'; formats are %s", text, names);
		return false;
	}
	memcpy(name, text, n);
	name[n] = 0;
	const struct export_format *format = export_find(name);
	if (!format) {
		cli_usage(command, "--export has no format '%s'; there are %s", name, names);
		return false;
	}
	if (x->n == EXPORT_FILES) {
		cli_usage(command, "--export is given more than %d times", EXPORT_FILES);
		return false;
	}
	for (size_t i = 0; i < x->n; i++)
		if (strcmp(x->at[i].path, colon + 1) == 0) {
			cli_usage(command, "--export writes '%s' twice", colon + 1);
			return false;
		}
	x->at[x->n++] = (struct export_file){.format = format, .path = colon + 1};
	return true;
}

bool export_files_take_events(const struct export_files *x)
{
	for (size_t i = 0; i < x->n; i++)
		if (export_takes_events(x->at[i].format))
			return true;
	return false;
}

static void keep_measure(struct export_files *x, struct export_measure measure)
{
	cli_clean_text(x->measure_name, sizeof(x->measure_name), measure.name);
	x->measure = (struct export_measure){x->measure_name, measure.unit};
}

/* The first map says what all stacks are measured in. Results of no thread tell what a map's parts are. */
static bool find_measure(struct export_files *x, const ward_schema *schema)
{
	ward_snapshot *none = NULL;
	if (ward_snapshot_merge(schema, NULL, 0, SIZE_MAX, &none, NULL) != WARD_OK)
		return false;
	for (size_t i = 0; i < ward_snapshot_fields(none) && !x->measure.name; i++) /* the caller may have set one */
		if (export_field_has_stacks(ward_snapshot_field(none, i)))
			keep_measure(x, export_field_measure(ward_snapshot_field(none, i)));
	ward_snapshot_free(none);
	return x->measure.name;
}

static bool has_rings(const ward_schema *schema)
{
	for (size_t i = 0; i < ward_schema_fields(schema); i++) {
		enum ward_field_kind kind = ward_schema_field(schema, i).kind;
		if (kind == WARD_FIELD_RING || kind == WARD_FIELD_QUEUE)
			return true;
	}
	return false;
}

static int open_file(struct export_file *f, bool has_events, bool has_stacks)
{
	bool takes_events = export_takes_events(f->format), takes_stacks = export_takes_stacks(f->format);
	if (!(takes_events && has_events) && !(takes_stacks && has_stacks))
		return cli_error(CLI_USAGE, f->path,
			takes_events ? "keep records in a WARD_RING or WARD_QUEUE" : "count by keys in a WARD_MAP",
			"the probe has no %s, which %s is made of", takes_events ? "records" : "maps of sums",
			export_name(f->format));
	f->file = fopen(f->path, "we");
	if (f->file)
		return CLI_OK;
	return cli_error(CLI_USAGE, f->path, "choose a place that you may write to", "%s", strerror(errno));
}

int export_files_open(struct export_files *x, const ward_schema *schema, const ward_schema *other)
{
	bool has_stacks = find_measure(x, schema) || (other && find_measure(x, other)),
	     has_events = has_rings(schema) || (other && has_rings(other));
	int status = CLI_OK;
	for (size_t i = 0; status == CLI_OK && i < x->n; i++)
		status = open_file(&x->at[i], has_events, has_stacks);
	return status;
}

int export_files_open_stacks(struct export_files *x)
{
	int status = CLI_OK;
	for (size_t i = 0; status == CLI_OK && i < x->n; i++)
		if (!export_takes_stacks(x->at[i].format))
			status = cli_error(CLI_USAGE, x->at[i].path, "pprof, folded, flame and firefox take stacks",
				"%s takes no stacks", export_name(x->at[i].format));
		else
			status = open_file(&x->at[i], false, true);
	return status;
}

static int files_begin(struct export_files *x, const struct export_about *about)
{
	for (size_t i = 0; i < x->n; i++) {
		x->at[i].export = export_open(x->at[i].format, x->at[i].file, about);
		if (!x->at[i].export)
			return cli_error(CLI_USAGE, x->at[i].path, "free some memory and try again", "out of memory");
	}
	return CLI_OK;
}

int export_files_begin_titled(struct export_files *x, const char *title)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	cli_clean_text(x->title, sizeof(x->title), title);
	return files_begin(x, &(struct export_about){.title = x->title,
				      .begin = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec,
				      .measures = &x->measure,
				      .n_measures = 1});
}

int export_files_begin(struct export_files *x, pid_t pid, const char *name, const struct cli_clock *clock)
{
	if (x->n == 0)
		return CLI_OK;
	x->pid = pid;
	if (name)
		cli_clean_text(x->process, sizeof(x->process), name);
	if (pid)
		snprintf(x->title, sizeof(x->title), "%.300s (%d)", name ? x->process : "process", (int)pid);
	else
		snprintf(x->title, sizeof(x->title), "kernel");
	const struct export_about about = {.title = x->title,
		.process = name ? x->process : NULL,
		.pid = pid,
		.begin = clock->epoch,
		.measures = &x->measure,
		.n_measures = x->measure.name ? 1 : 0};
	return files_begin(x, &about);
}

static int close_file(struct export_file *f, bool quiet)
{
	bool was_begun = f->export, is_whole = was_begun && export_close(f->export);
	if (!f->file)
		return CLI_OK;
	is_whole = fclose(f->file) == 0 && is_whole;
	if (!was_begun)
		return CLI_OK; /* what was before is the error */
	if (!is_whole)
		return cli_error(CLI_USAGE, f->path, "is the disk full?", "the file isn't complete");
	if (!quiet) {
		cli_print_clean(stderr, f->path);
		fprintf(stderr, ": for %s\n", export_viewers(f->format));
	}
	return CLI_OK;
}

int export_files_close(struct export_files *x, bool quiet, int status)
{
	for (size_t i = 0; i < x->n; i++) {
		int closed = close_file(&x->at[i], quiet);
		status = status == CLI_OK ? closed : status;
	}
	if (x->left_out)
		fprintf(stderr, "%llu records have no time that can be one: they aren't in the exported files\n",
			(unsigned long long)x->left_out);
	free(x->process_of);
	*x = (struct export_files){0};
	return status;
}
