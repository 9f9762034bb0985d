/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward trace: read records of rings as they come, and print them as JSON, merge them with the kernel's, or write CTF.
 */
#define _GNU_SOURCE
#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CTF_SLICE_MS = 20, LONGEST_PATH = 4096 };

static void print_record(struct trace *t, const struct ward_field *field, const struct ward_record *record)
{
	char *line = cli_record_text(&t->out, field, record);
	fprintf(t->out.file, "%s\n", line ? line : field->name);
	free(line);
}

static void on_record(void *user, const struct ward_field *field, const struct ward_record *record)
{
	struct trace *t = user;
	if (trace_exports_events(t))
		export_files_record(t->exports, &t->out, field, record);
	if (t->record)
		t->record(t, field, record);
	else if (t->merge)
		cli_merge_add(t->merge, &t->out, t->kernel, field, record);
	else if (t->json)
		cli_json_record(&t->out, field, record);
	else if (t->records)
		print_record(t, field, record);
}

/*
 * For programs, and where there are those of a process and of the kernel, records are printed as they come, all that
 * there are by as few writes as their bytes take: a probe in the kernel sees these as well, and one whose every record
 * made a write would never come to an end of them. Without memory they are left for the next time.
 */
void trace_stream_records(struct trace *t, bool last)
{
	trace_set_clock(t);
	if (t->merge)
		cli_merge_round(t->merge);
	if (t->stream)
		ward_stream_poll(t->stream, t->session, on_record, t, NULL);
	if (t->with && t->with->stream)
		ward_stream_poll(t->with->stream, t->with->session, on_record, t->with, NULL);
	if (t->merge)
		cli_merge_print(t->merge, &t->out, last);
	else if (t->stream)
		fflush(t->out.file);
}

/* Of one target. Returns whether there were any. */
static bool write_new_records(struct trace *t)
{
	struct ward_error err = {0};
	uint64_t before = t->written;
	if (ward_ctf_poll(t->ctf, t->session, &err) != WARD_OK)
		t->ctf_status = cli_library_error(&err);
	ward_ctf_totals(t->ctf, NULL, &t->written, NULL);
	return t->written != before;
}

/* What the disk doesn't take ends the trace. */
int trace_write_records(struct trace *t, int slice)
{
	if (!t->ctf || t->ctf_status != CLI_OK)
		return TRACE_SLICE_MS;
	bool some = write_new_records(t);
	if (t->with && t->ctf_status == CLI_OK) {
		some |= write_new_records(t->with);
		t->ctf_status = t->with->ctf_status;
	}
	if (some)
		return 1;
	return 2 * slice < CTF_SLICE_MS ? 2 * slice : CTF_SLICE_MS;
}

void trace_set_clock(struct trace *t)
{
	if (!t->cycles) {
		t->start.rate = cli_clock_rate(&t->start);
		ward_schema_set_clock(t->schema, t->start.rate);
	}
	if (t->with)
		trace_set_clock(t->with);
}

static int read_schema(struct trace *t)
{
	struct ward_error err = {0};
	if (t->schema || ward_schema_read(t->module.data, t->module.size, &t->schema, &err) == WARD_OK)
		return CLI_OK;
	return cli_library_error(&err);
}

static int open_ctf(struct trace *t, const char *directory)
{
	struct ward_error err = {0};
	int status = read_schema(t);
	if (status != CLI_OK)
		return status;
	if (ward_ctf_open(directory, t->schema, &t->ctf, &err) != WARD_OK ||
		(t->ctf_version && ward_ctf_set_version(t->ctf, t->ctf_version, &err) != WARD_OK))
		return cli_library_error(&err);
	t->out.ctf = t->ctf;
	return CLI_OK;
}

/* Of two targets each has a directory below that, and both have one clock. */
static int open_both(struct trace *t)
{
	struct ward_error err = {0};
	char process[LONGEST_PATH], kernel[LONGEST_PATH];
	if (snprintf(process, sizeof(process), "%s/process", t->ctf_path) >= LONGEST_PATH ||
		snprintf(kernel, sizeof(kernel), "%s/kernel", t->ctf_path) >= LONGEST_PATH)
		errno = ENAMETOOLONG;
	else
		t->made_directory = mkdir(t->ctf_path, 0777) == 0;
	if (!t->made_directory)
		return cli_error(CLI_USAGE, t->ctf_path, "name a directory that isn't there yet, where you may write",
			"%s", errno == EEXIST ? "it exists already" : strerror(errno));
	int status = open_ctf(t, process);
	if (status == CLI_OK && (status = open_ctf(t->with, kernel)) == CLI_OK &&
		ward_ctf_share_clock(t->with->ctf, t->ctf, &err) != WARD_OK)
		status = cli_library_error(&err);
	return status;
}

/* Before the target is touched: the name may be one that can't be had. */
int trace_open_ctfs(struct trace *t)
{
	if (!t->ctf_path)
		return CLI_OK;
	return t->with ? open_both(t) : open_ctf(t, t->ctf_path);
}

bool trace_exports_events(const struct trace *t)
{
	return t->exports && export_files_take_events(t->exports);
}

int trace_open_exports(struct trace *t)
{
	if (!t->exports || t->exports->n == 0)
		return CLI_OK;
	int status = read_schema(t);
	if (status == CLI_OK && t->with)
		status = read_schema(t->with);
	return status == CLI_OK ? export_files_open(t->exports, t->schema, t->with ? t->with->schema : NULL) : status;
}

/* The name of a command is its own; that of a process is what it says. */
int trace_begin_exports(struct trace *t)
{
	char path[40], name[64] = "";
	if (!t->exports)
		return CLI_OK;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)t->pid);
	FILE *file = t->command || t->kernel ? NULL : fopen(path, "re");
	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = 0;
	if (file)
		fclose(file);
	if (t->command)
		snprintf(name, sizeof(name), "%s", basename(t->command[0]));
	return export_files_begin(t->exports, t->pid, name[0] ? name : NULL, &t->start);
}

static int close_ctf(struct trace *t, int status)
{
	struct ward_error err = {0};
	if (ward_ctf_close(t->ctf, &err) != WARD_OK && t->ctf_status == CLI_OK)
		t->ctf_status = cli_library_error(&err);
	t->ctf = NULL;
	return status == CLI_OK ? t->ctf_status : status;
}

int trace_close_ctfs(struct trace *t, int status)
{
	if (t->with)
		status = close_ctf(t->with, status);
	status = close_ctf(t, status);
	if (t->made_directory)
		rmdir(t->ctf_path); /* it stays if there is a trace in it */
	return status;
}

/* What isn't a module was refused by now, so this fails for want of memory at most. */
int trace_open_stream(struct trace *t)
{
	struct ward_error err = {0};
	int status = read_schema(t);
	if (status != CLI_OK || t->ctf || (!t->json && !t->merge && !t->records && !trace_exports_events(t)))
		return status;
	if (ward_stream_open(t->schema, &t->stream, &err) != WARD_OK)
		return cli_library_error(&err);
	if (!t->json)
		t->out.stream = t->stream;
	return CLI_OK;
}

/* Does the process say which threads its records are of? */
int trace_open_merge(struct trace *t)
{
	struct ward_error err = {0};
	ward_snapshot *snapshot = NULL;
	if (ward_snapshot_take(t->session, t->schema, &snapshot, &err) != WARD_OK)
		return cli_library_error(&err);
	bool opened = cli_merge_open(t->merge, snapshot);
	ward_snapshot_free(snapshot);
	return opened ? CLI_OK : cli_error(CLI_USAGE, NULL, "free some memory and try again", "out of memory");
}
