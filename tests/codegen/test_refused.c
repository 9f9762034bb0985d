/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each file of refused/ breaks rules of the dialect. Its first lines say which errors it must give, each in a comment
 * of its own:
 *
 *	error LINE:COLUMN: TEXT
 *	hint TEXT
 *
 * (The hint is the beginning of the one that the error before it must have; it may be left out.) The compiler must
 * report exactly these, in this order, all in one run, with the source line and a caret below the column.
 */
#include "helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The next line of *text, terminated; NULL at the end. */
static char *next_line(char **text)
{
	char *line = *text, *end;

	if (!*line)
		return NULL;
	end = strchr(line, '\n');
	if (end) {
		*end = '\0';
		*text = end + 1;
	} else {
		*text = line + strlen(line);
	}
	return line;
}

/* The expectation that follows in the source: "LINE:COLUMN: TEXT". */
static char *next_expected(char **source)
{
	static const char start[] = "/* error ", end[] = " */";
	char *line;

	while ((line = next_line(source)) != NULL) {
		size_t n = strlen(line);

		if (strncmp(line, start, sizeof(start) - 1) == 0 && n > sizeof(start) + sizeof(end)) {
			line[n - sizeof(end) + 1] = '\0';
			return line + sizeof(start) - 1;
		}
	}
	return NULL;
}

/* The hint that is expected right behind an error, or NULL. */
static char *expected_hint(char **source)
{
	static const char start[] = "/* hint ";
	size_t n = strcspn(*source, "\n");
	char *line;

	if (strncmp(*source, start, sizeof(start) - 1) != 0 || n < sizeof(start) + 3)
		return NULL;
	line = next_line(source);
	line[n - 3] = '\0';
	return line + sizeof(start) - 1;
}

/* Is the next line that isn't of the source a hint that begins so? */
static bool has_hint(const char *said, const char *hint)
{
	while (*said && strncmp(said, "hint: ", 6) != 0 && strncmp(said + strspn(said, " 0123456789"), "| ", 2) == 0)
		said += strcspn(said, "\n") + 1;
	return strncmp(said, "hint: ", 6) == 0 && strncmp(said + 6, hint, strlen(hint)) == 0;
}

/* The next error: its place and text, and whether source and caret follow it. */
static char *next_error(char **said, const char *path, char *place, size_t size)
{
	size_t n = strlen(path);
	char *line, *colon;
	unsigned l, column;

	while ((line = next_line(said)) != NULL) {
		if (strncmp(line, path, n) != 0 || !(colon = strstr(line, ": error: ")))
			continue;
		*colon = '\0';
		snprintf(place, size, "%s: %s", line + n + 1, colon + 9);
		if (strstr(place, "1:1: ") != place) {
			char *source = next_line(said), *caret = next_line(said);

			cr_assert(source && caret && strstr(source, " | ") && strchr(caret, '^'),
				"%s: no source line for %s", path, place);
			cr_expect_eq(sscanf(place, "%u:%u", &l, &column), 2);
			if (!strchr(caret, '~')) /* clang underlines, and expands tabs when it does */
				cr_expect_eq(strchr(caret, '^') - strstr(caret, " | ") - 3, column - 1,
					"%s: the caret of %s", path, place);
		}
		return place;
	}
	return NULL;
}

static void check(const char *path)
{
	struct built b = build_source(path, true);
	struct ward_buf source = read_file(path);
	char *rest = (char *)source.data, *said = b.said, *expected, *hint, *got, place[600];

	cr_expect_eq(b.status, 1, "%s: status %d: %s", path, b.status, b.said);
	cr_expect_null(b.module.data);
	expected = next_expected(&rest);
	cr_expect(expected, "%s: says nothing of what it expects", path);
	while (expected) {
		got = next_error(&said, path, place, sizeof(place));
		cr_expect_str_eq(got ? got : "(nothing)", expected, "%s: expected '%s', got '%s'", path, expected,
			got ? got : "(nothing)");
		hint = expected_hint(&rest);
		if (hint)
			cr_expect(has_hint(said, hint), "%s: expected 'hint: %s', got '%.120s'", path, hint, said);
		expected = next_expected(&rest);
	}
	got = next_error(&said, path, place, sizeof(place));
	cr_expect_null(got, "%s: unexpected: %s", path, got);
	built_free(&b);
	free(source.data);
}

Test(refused, each_error_has_its_place)
{
	cr_assert_geq(each_source(REFUSED, check), 1);
}

Test(refused, missing_file)
{
	struct built b = build_source(REFUSED "/does-not-exist.c", true);

	cr_assert_eq(b.status, 2);
	cr_assert_str_eq(b.said,
		"ward: " REFUSED
		"/does-not-exist.c: No such file or directory\nhint: give the path of a probe's C source\n");
	built_free(&b);
}

Test(refused, a_directory)
{
	struct built b = build_source(REFUSED, true);

	cr_assert_neq(b.status, 0);
	cr_assert(strlen(b.said) > 0);
	built_free(&b);
}
