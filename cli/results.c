/* SPDX-License-Identifier: Apache-2.0 */
/* Printing results for people: numbers, histograms as bars, maps and records as tables (table.c). */
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

const char *cli_field_kind(enum ward_field_kind kind)
{
	switch (kind) {
	case WARD_FIELD_COUNT: return "count";
	case WARD_FIELD_LOG2: return "log2";
	case WARD_FIELD_MAP: return "map";
	case WARD_FIELD_VALUE: return "value";
	case WARD_FIELD_STOP: return "stop";
	case WARD_FIELD_MIN: return "min";
	case WARD_FIELD_MAX: return "max";
	case WARD_FIELD_STAT: return "stat";
	case WARD_FIELD_LINEAR: return "linear";
	case WARD_FIELD_QUANTILES: return "quantiles";
	case WARD_FIELD_MEAN: return "mean";
	case WARD_FIELD_GATE: return "gate";
	case WARD_FIELD_DISTINCT: return "distinct";
	case WARD_FIELD_TOP: return "top";
	case WARD_FIELD_CHOPSTIX: return "chopstix";
	case WARD_FIELD_RING: return "ring";
	case WARD_FIELD_FLIGHT: return "flight";
	case WARD_FIELD_TEXT: return "text";
	}
	return "unknown";
}

static void print_name(struct cli_output *out, const char *name)
{
	fprintf(out->file, out->colour ? "\033[1m%s\033[0m" : "%s", name);
}

static int integer(char *text, size_t size, uint64_t value, bool is_signed)
{
	return is_signed ? snprintf(text, size, "%" PRId64, (int64_t)value) : snprintf(text, size, "%" PRIu64, value);
}

/* A power of two, as short as it can be: 64, 4K, 1M. */
static void power(char text[8], unsigned exponent)
{
	static const char units[] = " KMGTPE";
	unsigned unit = exponent / 10;
	snprintf(text, 8, unit ? "%u%c" : "%u", 1u << exponent % 10, units[unit]);
}

static void log2_label(char *text, size_t size, const struct ward_bucket *b)
{
	char lo[8], hi[8]; /* 1023E at most */
	unsigned exponent = 63 - (unsigned)__builtin_clzll(b->lo | 1);
	power(lo, exponent);
	power(hi, exponent + 1);
	snprintf(text, size, "[%s, %s)", lo, hi);
}

static void bucket_label(char *text, size_t size, const struct ward_field *f, const struct ward_bucket *b)
{
	char lo[24], hi[24];
	if (b->lo == b->hi) {
		integer(lo, sizeof(lo), b->lo, f->value_is_signed);
		snprintf(text, size, "[%s]", lo);
	} else if (f->kind == WARD_FIELD_LOG2) {
		log2_label(text, size, b);
	} else if ((int64_t)b->lo == INT64_MIN) {
		snprintf(text, size, "below %" PRId64, (int64_t)(b->hi + 1));
	} else if ((int64_t)b->hi == INT64_MAX) {
		snprintf(text, size, "%" PRId64 " and above", (int64_t)b->lo);
	} else {
		integer(lo, sizeof(lo), b->lo, true);
		integer(hi, sizeof(hi), b->hi + 1, true);
		snprintf(text, size, "[%s, %s)", lo, hi);
	}
}

/* A bar of count / most of `cells` columns, at least a sliver for anything but zero. */
static void print_bar(struct cli_output *out, uint64_t count, uint64_t most, unsigned cells)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	unsigned length = most ? (unsigned)((unsigned __int128)count * cells * 8 / most) : 0;
	if (count && length == 0)
		length = 1;
	if (!out->unicode)
		length = (length + 7) / 8 * 8;
	for (unsigned i = 0; i < length / 8; i++)
		fputs(out->unicode ? "█" : "#", out->file);
	fputs(eighths[length % 8], out->file);
}

void cli_print_bars(struct cli_output *out, const struct ward_field *f)
{
	uint64_t most = 0;
	int digits = 1, labels = 0;
	char text[64];
	for (size_t i = 0; i < f->n; i++) {
		int n = integer(text, sizeof(text), f->buckets[i].count, false);
		digits = n > digits ? n : digits;
		most = f->buckets[i].count > most ? f->buckets[i].count : most;
		bucket_label(text, sizeof(text), f, &f->buckets[i]);
		labels = (int)strlen(text) > labels ? (int)strlen(text) : labels;
	}
	unsigned used = 2 + (unsigned)labels + 2 + (unsigned)digits + 2;
	unsigned cells = out->width > used + 8 ? out->width - used : 8;
	for (size_t i = 0; i < f->n; i++) {
		bucket_label(text, sizeof(text), f, &f->buckets[i]);
		fprintf(out->file, "  %-*s  %*" PRIu64 "%s", labels, text, digits, f->buckets[i].count,
			f->buckets[i].count ? "  " : "");
		print_bar(out, f->buckets[i].count, most, cells);
		fputc('\n', out->file);
	}
}

static void print_histogram(struct cli_output *out, const struct ward_field *f)
{
	print_name(out, f->name);
	fprintf(out->file, f->n ? "\n" : ": empty\n");
	cli_print_bars(out, f);
}

static void print_table(struct cli_output *out, const struct ward_field *f)
{
	uint64_t written, lost;
	print_name(out, f->name);
	if (f->kind == WARD_FIELD_RING && out->ctf) {
		ward_ctf_totals(out->ctf, f->name, &written, &lost);
		fprintf(out->file, "  %" PRIu64 " record%s written, %" PRIu64 " lost\n", written,
			written == 1 ? "" : "s", lost);
		return;
	}
	if (f->kind == WARD_FIELD_RING && out->told) {
		ward_stream_totals(out->told, f->name, &written, &lost);
		fprintf(out->file, "  %" PRIu64 " record%s read, %" PRIu64 " lost\n", written, written == 1 ? "" : "s",
			lost);
		return;
	}
	fputs(f->n || f->other ? "\n" : ": empty\n", out->file);
	if (f->kind == WARD_FIELD_RING || f->kind == WARD_FIELD_FLIGHT)
		cli_table_records(out, f);
	else
		cli_table_entries(out, f);
}

/* A number that need not be whole: two decimals, none where they say nothing. */
static void real_text(char *text, size_t size, double value)
{
	snprintf(text, size, value < 1e15 && value > -1e15 ? "%.2f" : "%.6g", value);
}

static void stat_text(char *text, size_t size, const struct ward_field *f)
{
	char sum[24], min[24], max[24], mean[40];
	if (f->is_empty) {
		snprintf(text, size, "count 0");
		return;
	}
	integer(sum, sizeof(sum), f->value, f->value_is_signed);
	integer(min, sizeof(min), f->min, f->value_is_signed);
	integer(max, sizeof(max), f->max, f->value_is_signed);
	real_text(mean, sizeof(mean), f->real);
	snprintf(text, size, "count %" PRIu64 "  sum %s  min %s  max %s  mean %s", f->count, sum, min, max, mean);
}

/* Ranks as percentiles: p50 is the median. */
static void quantiles_text(char *text, size_t size, const struct ward_field *f)
{
	size_t at = (size_t)snprintf(text, size, "count %" PRIu64, f->count);
	for (size_t i = 0; i < f->n && at < size; i++) {
		double rank = f->quantiles[i].rank;
		char label[16];
		snprintf(label, sizeof(label), "p%.4g", rank * 100);
		at += (size_t)snprintf(text + at, size - at, "  %s %.0f",
			rank <= 0   ? "min"
			: rank >= 1 ? "max"
				    : label,
			f->quantiles[i].value);
	}
	if (f->n && at < size)
		snprintf(text + at, size - at, "  (within %.2g %%)", f->error * 100);
}

static bool is_number(enum ward_field_kind kind)
{
	return kind == WARD_FIELD_COUNT || kind == WARD_FIELD_VALUE || kind == WARD_FIELD_MIN ||
	       kind == WARD_FIELD_MAX || kind == WARD_FIELD_STAT || kind == WARD_FIELD_MEAN ||
	       kind == WARD_FIELD_GATE || kind == WARD_FIELD_DISTINCT || kind == WARD_FIELD_QUANTILES ||
	       kind == WARD_FIELD_TEXT;
}

bool cli_field_is_line(const struct ward_field *f)
{
	return is_number(f->kind);
}

void cli_field_text(const struct cli_output *out, char *text, size_t size, const struct ward_field *f)
{
	char number[40];
	switch (f->kind) {
	case WARD_FIELD_STAT: stat_text(text, size, f); return;
	case WARD_FIELD_QUANTILES: quantiles_text(text, size, f); return;
	case WARD_FIELD_MEAN:
		real_text(number, sizeof(number), f->real);
		snprintf(text, size, "%s", f->is_empty ? "none" : number);
		return;
	case WARD_FIELD_MIN: snprintf(text, size, f->is_empty ? "none" : "%" PRIu64, f->value); return;
	case WARD_FIELD_GATE: snprintf(text, size, "%" PRIu64 " of %" PRIu64 " passed", f->value, f->count); return;
	case WARD_FIELD_DISTINCT:
		snprintf(text, size, "about %" PRIu64 " (standard error %.2g %%)", f->value, f->error * 100);
		return;
	case WARD_FIELD_TEXT: cli_clean_text(text, size, f->text); return;
	default:
		if (f->is_address)
			cli_address_text(out, text, size, f->value);
		else if (f->is_site)
			cli_site_text(out, text, size, f->value);
		else if (!ward_enumeration_name(f->enumeration, f->value, text, size))
			integer(text, size, f->value, f->value_is_signed);
	}
}

const char *cli_stop_text(const struct ward_field *f)
{
	if (strcmp(f->reason, "loop") == 0)
		return "a loop went round too often";
	return strcmp(f->reason, "divisor") == 0 ? "a division by zero"
						 : "an access outside of what the probe may reach";
}

static void print_stop(struct cli_output *out, const struct ward_field *f)
{
	fprintf(out->file, "%s:%" PRIu32 ": %" PRIu64 " run%s stopped here: %s\n", f->name, f->line, f->value,
		f->value == 1 ? "" : "s", cli_stop_text(f));
}

/* What goes on one line first, the names under each other; then what needs several. */
void cli_print_snapshot(struct cli_output *out, const ward_snapshot *snapshot)
{
	size_t n = ward_snapshot_fields(snapshot);
	int widest = 0;
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		if (is_number(f->kind) && (int)strlen(f->name) > widest)
			widest = (int)strlen(f->name);
	}
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		char text[400];
		if (!is_number(f->kind))
			continue;
		print_name(out, f->name);
		cli_field_text(out, text, sizeof(text), f);
		fprintf(out->file, "%*s  %s\n", widest - (int)strlen(f->name), "", text);
	}
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		if (f->kind == WARD_FIELD_LOG2 || f->kind == WARD_FIELD_LINEAR)
			print_histogram(out, f);
		else if (!is_number(f->kind) && f->kind != WARD_FIELD_STOP)
			print_table(out, f);
	}
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		if (f->kind == WARD_FIELD_STOP && f->value)
			print_stop(out, f);
	}
}

void cli_print_end(struct cli_output *out, const struct ward_session_stats *stats, const char *of, double rate)
{
	fprintf(out->file, "%" PRIu64 " events in %u %s%s, %" PRIu64 " dropped\n", stats->events, stats->threads, of,
		stats->threads == 1 ? "" : "s", stats->dropped);
	if (rate > 0)
		fprintf(out->file, "%.1f counts of the time stamp counter are 1 %s\n", rate,
			out->unicode ? "µs" : "us");
}
