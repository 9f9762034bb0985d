/* Printing results for people: counts, histograms as bars, maps as tables. */
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

static void bucket_label(char *text, size_t size, const struct ward_bucket *b)
{
	char lo[8], hi[8]; /* 1023E at most */
	if (b->lo == b->hi) {
		snprintf(text, size, "[%" PRIu64 "]", b->lo);
		return;
	}
	unsigned exponent = 63 - (unsigned)__builtin_clzll(b->lo | 1);
	power(lo, exponent);
	power(hi, exponent + 1);
	snprintf(text, size, "[%s, %s)", lo, hi);
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

static void print_log2(struct cli_output *out, const struct ward_field *f)
{
	uint64_t most = 0;
	int digits = 1, labels = 0;
	char text[40];
	for (size_t i = 0; i < f->n; i++) {
		int n = integer(text, sizeof(text), f->buckets[i].count, false);
		digits = n > digits ? n : digits;
		most = f->buckets[i].count > most ? f->buckets[i].count : most;
		bucket_label(text, sizeof(text), &f->buckets[i]);
		labels = (int)strlen(text) > labels ? (int)strlen(text) : labels;
	}
	unsigned used = 2 + (unsigned)labels + 2 + (unsigned)digits + 2;
	unsigned cells = out->width > used + 8 ? out->width - used : 8;
	print_name(out, f->name);
	fprintf(out->file, f->n ? "\n" : ": empty\n");
	for (size_t i = 0; i < f->n; i++) {
		bucket_label(text, sizeof(text), &f->buckets[i]);
		fprintf(out->file, "  %-*s  %*" PRIu64 "%s", labels, text, digits, f->buckets[i].count, f->buckets[i].count ? "  " : "");
		print_bar(out, f->buckets[i].count, most, cells);
		fputc('\n', out->file);
	}
}

static void print_map(struct cli_output *out, const struct ward_field *f)
{
	int keys = 3, values = 5;
	char key[32], value[32];
	for (size_t i = 0; i < f->n; i++) {
		int k = integer(key, sizeof(key), f->entries[i].key, f->key_is_signed);
		int v = integer(value, sizeof(value), f->entries[i].value, f->value_is_signed);
		keys = k > keys ? k : keys;
		values = v > values ? v : values;
	}
	print_name(out, f->name);
	if (f->n == 0)
		fputs(": empty\n", out->file);
	else
		fprintf(out->file, "\n  %*s  %*s\n", keys, "key", values, "value");
	for (size_t i = 0; i < f->n; i++) {
		integer(key, sizeof(key), f->entries[i].key, f->key_is_signed);
		integer(value, sizeof(value), f->entries[i].value, f->value_is_signed);
		fprintf(out->file, "  %*s  %*s\n", keys, key, values, value);
	}
	if (f->lost)
		fprintf(out->file, "  %" PRIu64 " lost: the map was full\n", f->lost);
}

const char *cli_stop_text(const struct ward_field *f)
{
	if (strcmp(f->reason, "loop") == 0)
		return "a loop went round too often";
	return strcmp(f->reason, "divisor") == 0 ? "a division by zero" : "an access outside of what the probe may reach";
}

static void print_stop(struct cli_output *out, const struct ward_field *f)
{
	fprintf(out->file, "%s:%" PRIu32 ": %" PRIu64 " run%s stopped here: %s\n", f->name, f->line, f->value, f->value == 1 ? "" : "s", cli_stop_text(f));
}

/* Numbers first, side by side under each other; then what needs several lines. */
void cli_print_snapshot(struct cli_output *out, const ward_snapshot *snapshot)
{
	size_t n = ward_snapshot_fields(snapshot);
	int widest = 0;
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		if ((f->kind == WARD_FIELD_COUNT || f->kind == WARD_FIELD_VALUE) && (int)strlen(f->name) > widest)
			widest = (int)strlen(f->name);
	}
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		char value[40];
		if (f->kind != WARD_FIELD_COUNT && f->kind != WARD_FIELD_VALUE)
			continue;
		print_name(out, f->name);
		integer(value, sizeof(value), f->value, f->value_is_signed);
		fprintf(out->file, "%*s  %s\n", widest - (int)strlen(f->name), "", value);
	}
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		if (f->kind == WARD_FIELD_LOG2)
			print_log2(out, f);
		else if (f->kind == WARD_FIELD_MAP)
			print_map(out, f);
	}
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		if (f->kind == WARD_FIELD_STOP && f->value)
			print_stop(out, f);
	}
}

void cli_print_end(struct cli_output *out, const struct ward_session_stats *stats)
{
	fprintf(out->file, "%" PRIu64 " events in %u thread%s, %" PRIu64 " dropped\n", stats->events, stats->threads,
		stats->threads == 1 ? "" : "s", stats->dropped);
}
