/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds' ways of showing their results have in common. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

void result_number(ward_result_fn *fn, void *user, const char *name, uint64_t value, bool is_signed)
{
	struct ward_result result = {
		.type = is_signed ? WARD_RESULT_SIGNED : WARD_RESULT_UNSIGNED,
		.name = name,
		.number = value,
	};
	fn(user, &result);
}

void result_amount(ward_result_fn *fn, void *user, const struct ward_field *f, const char *name, uint64_t value)
{
	struct ward_result result = {
		.type = f->value_is_signed ? WARD_RESULT_SIGNED : WARD_RESULT_UNSIGNED,
		.name = name,
		.number = value,
		.unit = f->unit,
	};
	fn(user, &result);
}

void result_wide(ward_result_fn *fn, void *user, const struct ward_field *f, const char *name)
{
	bool is_negative = f->value_is_signed && (int64_t)f->value < 0;
	char text[48];
	if (f->high == (is_negative ? UINT64_MAX : 0)) {
		result_amount(fn, user, f, name, f->value);
		return;
	}
	print_wide(text, sizeof(text), f->high, f->value, f->value_is_signed);
	struct ward_result result = {
		.type = WARD_RESULT_WIDE, .name = name, .real = strtod(text, NULL), .text = text, .unit = f->unit};
	fn(user, &result);
}

void result_real(ward_result_fn *fn, void *user, const char *name, double value)
{
	fn(user, &(struct ward_result){.type = WARD_RESULT_REAL, .name = name, .real = value});
}

void result_real_amount(ward_result_fn *fn, void *user, const struct ward_field *f, const char *name, double value)
{
	fn(user, &(struct ward_result){.type = WARD_RESULT_REAL, .name = name, .real = value, .unit = f->unit});
}

void result_none(ward_result_fn *fn, void *user, const char *name)
{
	fn(user, &(struct ward_result){.type = WARD_RESULT_NONE, .name = name});
}

void result_begin(ward_result_fn *fn, void *user, enum ward_result_type type, const char *name)
{
	fn(user, &(struct ward_result){.type = type, .name = name});
}

void result_end(ward_result_fn *fn, void *user)
{
	fn(user, &(struct ward_result){.type = WARD_RESULT_END, .name = ""});
}

void results_value(const struct ward_field *f, ward_result_fn *fn, void *user)
{
	result_amount(fn, user, f, "value", f->value);
}

void print_amount(char *text, size_t size, const struct ward_field *f, uint64_t value)
{
	if (f->unit == WARD_UNIT_NS)
		ward_time_text((double)value, text, size);
	else
		print_integer(text, size, value, f->value_is_signed);
}

void print_real_amount(char *text, size_t size, const struct ward_field *f, double value)
{
	if (f->unit == WARD_UNIT_NS)
		ward_time_text(value, text, size);
	else
		print_real(text, size, value);
}

int print_integer(char *text, size_t size, uint64_t value, bool is_signed)
{
	return is_signed ? snprintf(text, size, "%" PRId64, (int64_t)value) : snprintf(text, size, "%" PRIu64, value);
}

void print_wide(char *text, size_t size, uint64_t high, uint64_t low, bool is_signed)
{
	unsigned __int128 v = (unsigned __int128)high << 64 | low;
	bool is_negative = is_signed && high >> 63;
	char digits[48], *at = digits + sizeof(digits) - 1;
	*at = 0;
	for (v = is_negative ? -v : v; v || !*at; v /= 10)
		*--at = (char)('0' + (int)(v % 10));
	snprintf(text, size, "%s%s", is_negative ? "-" : "", at);
}

void print_value(const struct ward_field *f, char *text, size_t size)
{
	if (!ward_enumeration_name(f->enumeration, f->value, text, size))
		print_amount(text, size, f, f->value);
}

void print_real(char *text, size_t size, double value)
{
	snprintf(text, size, value < 1e15 && value > -1e15 ? "%.2f" : "%.6g", value);
}

void print_line(char *text, size_t size, const char *format, ...)
{
	size_t at = strlen(text);
	va_list args;
	if (at && at + 1 < size) {
		text[at++] = '\n';
		text[at] = 0;
	}
	va_start(args, format);
	vsnprintf(text + at, size - at, format, args);
	va_end(args);
}
