/* SPDX-License-Identifier: Apache-2.0 */
/* Print results for people: numbers on a line each, histograms as bars, maps and records as tables (table.c). */
#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

enum { DEFAULT_WIDTH = 80, MIN_WIDTH = 40, MAX_WIDTH = 120 };

void cli_output_init(struct cli_output *out, FILE *file, bool json)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	bool terminal = isatty(fileno(file));
	int width = 0;
	if (terminal && ioctl(fileno(file), TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width == 0 && columns)
		width = atoi(columns);
	if (width <= 0)
		width = DEFAULT_WIDTH;
	if (width < MIN_WIDTH)
		width = MIN_WIDTH;
	if (width > MAX_WIDTH)
		width = MAX_WIDTH;
	*out = (struct cli_output){
		.file = file,
		.json = json,
		.colour = terminal && !getenv("NO_COLOR"),
		.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.width = (unsigned)width,
	};
}

static void print_name(struct cli_output *out, const char *name)
{
	fprintf(out->file, out->colour ? "\033[1m%s\033[0m" : "%s", name);
}

static void print_histogram(struct cli_output *out, const struct ward_field *f)
{
	print_name(out, f->name);
	fprintf(out->file, f->n ? "\n" : ": empty\n");
	cli_print_bars(out, f);
}

static void print_entries(struct cli_output *out, const struct ward_field *f)
{
	print_name(out, f->name);
	fputs(f->n || f->other ? "\n" : ": empty\n", out->file);
	cli_table_entries(out, f);
}

/* The records themselves, or how many were read or written while they came. Those of a flight recorder aren't. */
static void print_records(struct cli_output *out, const struct ward_field *f)
{
	bool is_read = f->n_dumps == 0 && (out->ctf || out->stream);
	uint64_t records, lost;
	print_name(out, f->name);
	if (!is_read) {
		fputs(f->n ? "\n" : ": empty\n", out->file);
		cli_table_records(out, f);
		return;
	}
	if (out->ctf)
		ward_ctf_totals(out->ctf, f->name, &records, &lost);
	else
		ward_stream_totals(out->stream, f->name, &records, &lost);
	fprintf(out->file, "  %" PRIu64 " record%s %s, %" PRIu64 " lost\n", records, records == 1 ? "" : "s",
		out->ctf ? "written" : "read", lost);
}

static void print_stop(struct cli_output *out, const struct ward_field *f, const char *advice)
{
	fprintf(out->file, "%s:%" PRIu32 ": %" PRIu64 " run%s stopped here: %s%s\n", f->name, f->line, f->value,
		f->value == 1 ? "" : "s", cli_stop_text(f), advice);
}

/* Where runs were stopped. The first loop that went round too often has what lets it go on. */
static void print_stops(struct cli_output *out, const ward_snapshot *snapshot)
{
	const char *advice = "; WARD_BOUND(n) before it allows n rounds, --rounds N as many for each such loop";
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		if (f->kind != WARD_FIELD_STOP || f->value == 0)
			continue;
		print_stop(out, f, cli_stop_is_rounds(f) ? advice : "");
		if (cli_stop_is_rounds(f))
			advice = "";
	}
}

/* Fields that go on one line, the names under each other. */
static void print_lines(struct cli_output *out, const ward_snapshot *snapshot)
{
	size_t n = ward_snapshot_fields(snapshot);
	int widest = 0;
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		if (cli_field_is_line(f) && (int)strlen(f->name) > widest)
			widest = (int)strlen(f->name);
	}
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		char text[400];
		if (!cli_field_is_line(f))
			continue;
		print_name(out, f->name);
		cli_field_text(out, text, sizeof(text), f, (struct cli_origin){.thread = WARD_ANY_THREAD});
		fprintf(out->file, "%*s  %s\n", widest - (int)strlen(f->name), "", text);
	}
}

static void print_block(struct cli_output *out, const struct ward_field *f)
{
	switch (ward_kind(f->kind)->form) {
	case WARD_FORM_BUCKETS: print_histogram(out, f); break;
	case WARD_FORM_ENTRIES: print_entries(out, f); break;
	case WARD_FORM_RECORDS:
		if (!out->is_streamed)
			print_records(out, f);
		break;
	default: break;
	}
}

void cli_print_snapshot(struct cli_output *out, const ward_snapshot *snapshot)
{
	size_t n = ward_snapshot_fields(snapshot);
	print_lines(out, snapshot);
	for (size_t i = 0; i < n; i++)
		print_block(out, ward_snapshot_field(snapshot, i));
	print_stops(out, snapshot);
}

void cli_print_end(struct cli_output *out, const struct ward_session_stats *stats, const char *of, double rate)
{
	fprintf(out->file, "%" PRIu64 " events in %u %s%s, %" PRIu64 " dropped\n", stats->events, stats->threads, of,
		stats->threads == 1 ? "" : "s", stats->dropped);
	if (rate > 0)
		fprintf(out->file, "%.1f counts of the time stamp counter are 1 %s\n", rate,
			out->unicode ? "µs" : "us");
}
