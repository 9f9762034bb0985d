/* SPDX-License-Identifier: Apache-2.0 */
/* How the results of each kind are shown: text for people, results by name for programs. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ward/ward.h"

enum { N_KINDS = WARD_FIELD_QUEUE + 1 };

static const struct ward_bucket buckets[] = {{0, 0, 2}, {4096, 8191, 7}};
static const struct ward_bucket widths[] = {
	{(uint64_t)INT64_MIN, (uint64_t)-21, 1}, {(uint64_t)-20, (uint64_t)-11, 2}, {5, 5, 3}, {20, INT64_MAX, 4}};
static const struct ward_quantile quantiles[] = {{0, 1}, {.5, 17}, {.999, 40}, {1, 41}};
static const struct ward_enumerator names[] = {{1, "READ"}, {2, "WRITE"}};
static const struct ward_enumeration rights = {2, names, true};

/* A field, and how it is shown. */
static const struct {
	struct ward_field field;
	const char *kind, *text, *results;
	enum ward_form form;
} shown[] = {
	{{.kind = WARD_FIELD_COUNT, .value = 42}, "count", "42", "value=42", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_VALUE, .value = (uint64_t)-3, .value_is_signed = true}, "value", "-3", "value=-3",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_VALUE, .value = 3, .enumeration = &rights}, "value", "READ|WRITE", "value=3",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_VALUE, .value = 999, .unit = WARD_UNIT_NS}, "value", "999 ns", "value=999",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_VALUE, .value = 999, .unit = WARD_UNIT_COUNTS}, "value", "999", "value=999",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_MAX, .value = 99949, .unit = WARD_UNIT_NS}, "max", "99.9 µs", "value=99949",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_MEAN, .count = 3, .real = 999500000, .unit = WARD_UNIT_NS}, "mean", "1.00 s",
		"value=9.995e+08 count=3", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_STOP, .value = 5}, "stop", "5", "value=5", WARD_FORM_STOP},
	{{.kind = WARD_FIELD_MIN, .value = 7}, "min", "7", "value=7", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_MIN, .is_empty = true}, "min", "none", "value=none", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_MAX, .value = 9}, "max", "9", "value=9", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_STAT,
		 .count = 2,
		 .value = (uint64_t)-5,
		 .high = UINT64_MAX,
		 .min = (uint64_t)-6,
		 .max = 1,
		 .real = -2.5,
		 .value_is_signed = true},
		"stat", "count 2  sum -5  min -6  max 1  mean -2.50", "count=2 sum=-5 min=-6 max=1 mean=-2.5",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_STAT, .count = 2, .value = 5, .high = 1, .min = 7, .max = UINT64_MAX, .real = 9e18},
		"stat", "count 2  sum 18446744073709551621  min 7  max 18446744073709551615  mean 9e+18",
		"count=2 sum=18446744073709551621 min=7 max=18446744073709551615 mean=9e+18", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_STAT, .is_empty = true}, "stat", "count 0", "count=0 sum=0 min=none max=none mean=none",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_MEAN, .count = 3, .real = 1.5}, "mean", "1.50", "value=1.5 count=3", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_MEAN, .is_empty = true}, "mean", "none", "value=none count=0", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_GATE, .value = 3, .count = 10}, "gate", "3 of 10 passed", "passed=3 refused=7",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_DISTINCT, .value = 1000, .error = 0.125}, "distinct", "about 1000 (standard error 12 %)",
		"value=1000 error=0.125", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_TEXT, .text = "a\033b"}, "text", "a\033b", "value='a\033b'", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_QUANTILES, .count = 8, .error = 0.0625, .n = 4, .quantiles = quantiles}, "quantiles",
		"count 8  min 1  p50 17  p99.9 40  max 41  (within 6.2 %)",
		"count=8 error=0.0625 quantiles=[ { rank=0 value=1 } { rank=0.5 value=17 } { rank=0.999 value=40 } "
		"{ rank=1 value=41 } ]",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_LOG2, .n = 2, .buckets = buckets}, "log2", "",
		"buckets=[ { lo=0 hi=0 count=2 } { lo=4096 hi=8191 count=7 } ]", WARD_FORM_BUCKETS},
	{{.kind = WARD_FIELD_LINEAR, .n = 1, .buckets = widths + 1, .value_is_signed = true}, "linear", "",
		"buckets=[ { lo=-20 hi=-11 count=2 } ]", WARD_FORM_BUCKETS},
	{{.kind = WARD_FIELD_MAP, .lost = 2, .evicted = 1}, "map", "2 lost: the map was full\n1 made room for others",
		"lost=2 evicted=1", WARD_FORM_ENTRIES},
	{{.kind = WARD_FIELD_MAP}, "map", "", "lost=0", WARD_FORM_ENTRIES},
	{{.kind = WARD_FIELD_TOP}, "top", "", "lost=0", WARD_FORM_ENTRIES},
	{{.kind = WARD_FIELD_CHOPSTIX, .value = 100, .lost = 4}, "chopstix", "of 100 events\n4 samples overwritten",
		"events=100 lost=4", WARD_FORM_ENTRIES},
	{{.kind = WARD_FIELD_RING, .n = 3, .lost = 4}, "ring", "4 overwritten", "records=3 lost=4", WARD_FORM_RECORDS},
	{{.kind = WARD_FIELD_ARRAY, .n = 2, .slots = 130}, "array", "the other 128 of 130 are 0", "elements=130",
		WARD_FORM_ENTRIES},
	{{.kind = WARD_FIELD_WIDE}, "wide", "0", "value=0", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_WIDE, .value = 5, .high = 1}, "wide", "18446744073709551621", "value=18446744073709551621",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_WIDE, .high = 1ull << 63, .value_is_signed = true}, "wide",
		"-170141183460469231731687303715884105728", "value=-170141183460469231731687303715884105728",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_WIDE, .value = UINT64_MAX, .high = UINT64_MAX}, "wide",
		"340282366920938463463374607431768211455", "value=340282366920938463463374607431768211455",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_REAL, .size = 8, .real = 0.1}, "real", "0.1", "value=0.1", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_REAL, .size = 4, .real = (double)0.1f}, "real", "0.1", "value=0.1", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_REAL, .size = 8, .real = (double)0.1f}, "real", "0.10000000149011612", "value=0.1",
		WARD_FORM_LINE},
	{{.kind = WARD_FIELD_REAL, .size = 8, .real = -INFINITY}, "real", "-inf", "value=-inf", WARD_FORM_LINE},
	{{.kind = WARD_FIELD_QUEUE, .n = 3, .lost = 4}, "queue", "4 lost: the queue was full", "records=3 lost=4",
		WARD_FORM_RECORDS},
	{{.kind = WARD_FIELD_FLIGHT, .n = 3, .lost = 4}, "flight", "4 triggers missed", "records=3 missed=4",
		WARD_FORM_RECORDS},
};
enum { N_SHOWN = sizeof(shown) / sizeof(shown[0]) };

static void write_result(void *user, const struct ward_result *r)
{
	FILE *f = user;
	if (*r->name)
		fprintf(f, "%s=", r->name);
	switch (r->type) {
	case WARD_RESULT_NONE: fputs("none ", f); break;
	case WARD_RESULT_UNSIGNED: fprintf(f, "%" PRIu64 " ", r->number); break;
	case WARD_RESULT_SIGNED: fprintf(f, "%" PRId64 " ", (int64_t)r->number); break;
	case WARD_RESULT_REAL: fprintf(f, "%g ", r->real); break;
	case WARD_RESULT_WIDE: fprintf(f, "%s ", r->text); break;
	case WARD_RESULT_TEXT: fprintf(f, "'%s' ", r->text); break;
	case WARD_RESULT_LIST: fputs("[ ", f); break;
	case WARD_RESULT_ROW: fputs("{ ", f); break;
	case WARD_RESULT_END: fputs("] ", f); break;
	}
}

/* The end of a row and of a list are one result: which of them it is follows from what was begun. */
static char *results_of(const struct ward_field *field)
{
	char *text = NULL;
	size_t size;
	int depth = 0;
	FILE *f = open_memstream(&text, &size);
	cr_assert_not_null(f);
	ward_field_results(field, write_result, f);
	fclose(f);
	for (char *c = text; *c; c++) {
		depth += *c == '[' || *c == '{';
		if (*c == ']' && depth-- == 2)
			*c = '}';
	}
	cr_assert_eq(depth, 0, "what begins ends");
	if (size)
		text[size - 1] = 0; /* the last blank */
	return text;
}

Test(show, each_kind)
{
	bool seen[N_KINDS] = {false};
	for (size_t i = 0; i < N_SHOWN; i++) {
		const struct ward_field *field = &shown[i].field;
		char text[200], *results = results_of(field);
		ward_field_text(field, text, sizeof(text));
		cr_expect_str_eq(ward_kind(field->kind)->name, shown[i].kind);
		cr_expect_eq(ward_kind(field->kind)->form, shown[i].form, "%s", shown[i].kind);
		cr_expect_str_eq(text, shown[i].text, "%s: '%s'", shown[i].kind, text);
		cr_expect_str_eq(results, shown[i].results, "%s: '%s'", shown[i].kind, results);
		free(results);
		seen[field->kind] = true;
	}
	for (size_t k = 0; k < N_KINDS; k++)
		cr_expect(seen[k], "kind %zu isn't in this test", k);
}

Test(show, each_kind_has_its_own_name)
{
	for (int a = 0; a < N_KINDS; a++)
		for (int b = 0; b < a; b++)
			cr_expect_str_neq(
				ward_kind((enum ward_field_kind)a)->name, ward_kind((enum ward_field_kind)b)->name);
}

Test(show, buckets)
{
	static const char *const wide[] = {"below -20", "[-20, -10)", "[5]", "20 and above"};
	struct ward_field log2 = {.kind = WARD_FIELD_LOG2, .n = 2, .buckets = buckets};
	struct ward_field linear = {.kind = WARD_FIELD_LINEAR, .n = 4, .buckets = widths, .value_is_signed = true};
	char text[64];
	ward_bucket_text(&log2, 0, text, sizeof(text));
	cr_expect_str_eq(text, "[0]");
	ward_bucket_text(&log2, 1, text, sizeof(text));
	cr_expect_str_eq(text, "[4K, 8K)");
	for (size_t i = 0; i < 4; i++) {
		ward_bucket_text(&linear, i, text, sizeof(text));
		cr_expect_str_eq(text, wide[i]);
	}
	ward_bucket_text(&linear, 4, text, sizeof(text));
	cr_expect_str_eq(text, "", "there is no such bucket");
}

/* Cut to the room there is; nothing behind it is written to. */
Test(show, text_is_cut)
{
	for (size_t i = 0; i < N_SHOWN; i++) {
		size_t length = strlen(shown[i].text);
		for (size_t size = 1; size <= length + 1; size++) {
			char *text = malloc(size + 1);
			text[size] = '#';
			ward_field_text(&shown[i].field, text, size);
			cr_expect_eq(text[size], '#');
			cr_expect_leq(strlen(text), size - 1);
			cr_expect_eq(strncmp(text, shown[i].text, strlen(text)), 0, "%s", text);
			free(text);
		}
	}
}

Test(show, no_kind)
{
	struct ward_field field = {.kind = (enum ward_field_kind)N_KINDS};
	char text[8] = "before";
	ward_field_text(&field, text, sizeof(text));
	ward_field_results(&field, write_result, NULL);
	cr_expect_str_eq(text, "");
	cr_expect_str_eq(ward_kind(field.kind)->name, "unknown");
	ward_field_text(NULL, text, sizeof(text));
	ward_field_text(&shown[0].field, NULL, 0);
	ward_field_results(NULL, write_result, NULL);
	ward_field_results(&shown[0].field, NULL, NULL);
}
