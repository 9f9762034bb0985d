/* SPDX-License-Identifier: Apache-2.0 */
/* A field's value as text, and a histogram's bars: what results and tables have in common. */
#include <inttypes.h>
#include <string.h>

#include "cli.h"

/* Characters, as a terminal shows one column for each of them. */
int cli_width(const char *text)
{
	int n = 0;
	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

bool cli_field_is_line(const struct ward_field *f)
{
	return ward_kind(f->kind)->form == WARD_FORM_LINE;
}

void cli_plain_units(const struct cli_output *out, char *text)
{
	for (char *at; !out->unicode && (at = strstr(text, "µs"));) {
		at[0] = 'u';
		memmove(at + 1, at + strlen("µ"), strlen(at + strlen("µ")) + 1);
	}
}

void cli_field_text(
	const struct cli_output *out, char *text, size_t size, const struct ward_field *f, struct cli_origin from)
{
	int64_t ns;
	if (f->text)
		cli_escape_text(text, size, f->text);
	else if (f->is_address)
		cli_address_text(out, text, size, f->value, from);
	else if (f->is_site)
		cli_site_text(out, text, size, f->value);
	else if (f->unit == WARD_UNIT_TIME && !f->is_empty && cli_clock_moment(out->clock, f->value, &ns))
		cli_moment_text(text, size, ns);
	else
		ward_field_text(f, text, size);
	if (f->unit)
		cli_plain_units(out, text);
}

bool cli_stop_is_rounds(const struct ward_field *f)
{
	return strcmp(f->reason, "rounds") == 0;
}

size_t cli_count_guards(const ward_schema *schema)
{
	size_t n = 0;
	for (size_t i = 0; i < ward_schema_fields(schema); i++)
		n += ward_schema_field(schema, i).kind == WARD_FIELD_STOP;
	return n;
}

const char *cli_stop_text(const struct ward_field *f)
{
	if (cli_stop_is_rounds(f))
		return "a loop that goes round too often";
	if (strcmp(f->reason, "loop") == 0)
		return "a loop that goes round more often than its WARD_BOUND";
	if (strcmp(f->reason, "assert") == 0)
		return "an assertion that does not hold";
	if (strcmp(f->reason, "call") == 0)
		return "a call through a pointer that leads to no function";
	return strcmp(f->reason, "divisor") == 0 ? "a division by zero"
						 : "an access outside of what the probe may reach";
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

enum { LABEL = 80 };

static void bucket_text(const struct cli_output *out, const struct ward_field *f, size_t i, char text[LABEL])
{
	ward_bucket_text(f, i, text, LABEL);
	cli_plain_units(out, text);
}

void cli_print_bars(struct cli_output *out, const struct ward_field *f)
{
	uint64_t most = 0;
	int digits = 1, labels = 0;
	char text[LABEL];
	for (size_t i = 0; i < f->n; i++) {
		int n = snprintf(text, sizeof(text), "%" PRIu64, f->buckets[i].count);
		digits = n > digits ? n : digits;
		most = f->buckets[i].count > most ? f->buckets[i].count : most;
		bucket_text(out, f, i, text);
		labels = cli_width(text) > labels ? cli_width(text) : labels;
	}
	unsigned used = 2 + (unsigned)labels + 2 + (unsigned)digits + 2;
	unsigned cells = out->width > used + 8 ? out->width - used : 8;
	for (size_t i = 0; i < f->n; i++) {
		uint64_t count = f->buckets[i].count;
		bucket_text(out, f, i, text);
		fprintf(out->file, "  %s%*s  %*" PRIu64 "%s", text, labels - cli_width(text), "", digits, count,
			count ? "  " : "");
		print_bar(out, count, most, cells);
		fputc('\n', out->file);
	}
}
