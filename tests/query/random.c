/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random queries: random WARD EVENTS SEED N. Each is asked of a live program, and its rows are compared with those of
 * the reference; every third one a second time without its rewrites. Ends with "N passed, M failed".
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "query/query.h"
#include "reference.h"

enum { EVENTS = 12000, MOST = 8192 };

static uint64_t dice;
static bool is_typed; /* the query is of typed(), and has its parameters by name */

static unsigned roll(unsigned n)
{
	return (unsigned)((next_number(&dice) >> 33) % n);
}

struct text {
	char bytes[MOST];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	t->n += (size_t)vsnprintf(t->bytes + t->n, sizeof(t->bytes) - t->n, format, ap);
	va_end(ap);
	if (t->n >= sizeof(t->bytes))
		abort();
}

/* What numbers are members of: a function's parameter, or nothing. */
static const char *element = "";

static void put_condition(struct text *t, int depth);

static void put_number(struct text *t, int depth);

static void put_history(struct text *t, int depth)
{
	static const char *const names[] = {"Previous", "Delta", "MovingAverage"};
	unsigned which = roll(3);

	put(t, "%s(", names[which]);
	put_number(t, depth);
	if (which == 2 && roll(2))
		put(t, ", %u", 1 + roll(9));
	put(t, ")");
}

static void put_number(struct text *t, int depth)
{
	static const char *const ops[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
	static const char *const types[] = {"byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong"};

	switch (depth ? roll(10) : roll(3)) {
	case 0: put(t, "%u", roll(3) ? roll(70) : roll(1u << 20)); return;
	case 1:
	case 2:
		if (is_typed)
			put(t, "%s%c", element, 'a' + (int)roll(6));
		else
			put(t, "%sarg%u", element, roll(6));
		return;
	case 3:
		put(t, "(%s)", types[roll(8)]);
		put_number(t, depth - 1);
		return;
	case 4:
		put(t, roll(2) ? "-(" : "~(");
		put_number(t, depth - 1);
		put(t, ")");
		return;
	case 8: put_history(t, depth - 1); return;
	case 9:
		put(t, "Log2(");
		put_number(t, depth - 1);
		put(t, ")");
		return;
	case 5:
		put(t, "(");
		put_condition(t, depth - 1);
		put(t, " ? ");
		put_number(t, depth - 1);
		put(t, " : ");
		put_number(t, depth - 1);
		put(t, ")");
		return;
	default:
		put(t, "(");
		put_number(t, depth - 1);
		put(t, " %s ", ops[roll(10)]);
		put_number(t, depth - 1);
		put(t, ")");
	}
}

static void put_condition(struct text *t, int depth)
{
	static const char *const ops[] = {"==", "!=", "<", ">", "<=", ">="};

	if (depth > 0 && roll(3) == 0) {
		put(t, roll(4) ? "(" : "!(");
		put_condition(t, depth - 1);
		put(t, roll(2) ? " && " : " || ");
		put_condition(t, depth - 1);
		put(t, ")");
		return;
	}
	put(t, "(");
	put_number(t, depth > 0 ? depth - 1 : 0);
	put(t, " %s ", ops[roll(6)]);
	put_number(t, depth > 0 ? depth - 1 : 0);
	put(t, ")");
}

static void put_fold(struct text *t)
{
	static const char *const begins[] = {"a + ", "a | ", "a & ", "a ^ ", "Min(a, ", "Max(a, "};
	unsigned which = roll(6);

	put(t, ", all = g.Aggregate(%s%u, (a, x) => %s", roll(2) ? "-" : "", roll(100), begins[which]);
	element = "x.";
	put_number(t, 1);
	element = "";
	put(t, which > 3 ? "))" : ")");
}

static void put_query(struct text *t)
{
	static const char *const aggregates[] = {"Sum", "Min", "Max"}, *const conditions[] = {"Count", "Any", "All"};

	is_typed = roll(3) == 0;
	put(t, "Function(\"target-events!%s\")", is_typed ? "typed" : "event");
	for (unsigned i = roll(4); i > 0; i--) {
		if (roll(4) == 0) {
			put(t, roll(2) ? ".Sample(%u)" : ".SampleEvery(%u)", 1 + roll(3));
			continue;
		}
		put(t, ".Where(");
		put_condition(t, 2);
		put(t, ")");
	}
	put(t, ".GroupBy(");
	put_number(t, 2);
	put(t, roll(2) ? " & 31)" : " %% 31)");
	put(t, ".Select(g => new { k = g.Key, n = g.Count()");
	for (unsigned i = 0; i < 3; i++) {
		put(t, ", x%u = g.%s(", i, aggregates[roll(3)]);
		put_number(t, 3);
		put(t, ")");
	}
	if (roll(2)) {
		put(t, ", some = g.%s(", conditions[roll(3)]);
		put_condition(t, 1);
		put(t, ")");
	}
	if (roll(3) == 0)
		put_fold(t);
	if (roll(3) == 0) {
		put(t, ", rank = g.Quantile((%s)", roll(2) ? "ulong" : "uint");
		put_number(t, 1);
		put(t, ", 0.%u)", roll(1000));
	}
	put(t, " })");
}

/* What debug information says of typed(). */
static const struct ward_types *types_of(void *user, const char *site, int64_t pid, const char **why)
{
	static const struct ward_type types[] = {{.name = ""},
		{.kind = WARD_TYPE_INT, .name = "signed char", .size = 1, .is_signed = true},
		{.kind = WARD_TYPE_INT, .name = "unsigned short", .size = 2},
		{.kind = WARD_TYPE_INT, .name = "int", .size = 4, .is_signed = true},
		{.kind = WARD_TYPE_INT, .name = "unsigned int", .size = 4},
		{.kind = WARD_TYPE_INT, .name = "long", .size = 8, .is_signed = true},
		{.kind = WARD_TYPE_INT, .name = "unsigned long", .size = 8}};
	static const struct ward_parameter parameters[] = {{"a", "", 1, 0, NULL, NULL}, {"b", "", 2, 1, NULL, NULL},
		{"c", "", 3, 2, NULL, NULL}, {"d", "", 4, 3, NULL, NULL}, {"e", "", 5, 4, NULL, NULL},
		{"f", "", 6, 5, NULL, NULL}};
	static const struct ward_function_types function = {"target-events!typed", NULL, "unsigned long", 6, 0, 6};
	static const struct ward_types table = {&function, 1, parameters, 6, types, 7, NULL, 0, NULL, 0, false};

	(void)user;
	(void)pid;
	(void)why;
	return strcmp(site, function.site) == 0 ? &table : NULL;
}

/* One that the language takes: of two numbers' signs it may want to be told more. */
static void draw_query(struct text *t)
{
	const struct query_options options = {.rate = 1000, .types = types_of};
	struct query_error err;

	for (;;) {
		struct query *q;

		t->n = 0;
		put_query(t);
		q = query_compile(t->bytes, t->n, &options, &err);
		query_free(q);
		if (q)
			return;
		if (!strstr(err.message, "an unsigned and a signed") && !strstr(err.message, "a division by zero")) {
			query_error_print("query", t->bytes, t->n, &err, stdout);
			exit(1);
		}
	}
}

/* The list behind "rows": of a run; malloc'd. NULL: it failed, or the probe made the compiler warn. */
static char *run_query(const char *ward, const char *events, const char *text, uint64_t seed, const char *rewrites)
{
	char number[32], count[32], *line = NULL, *rows = NULL;
	size_t size = 0;
	bool warned = false;
	int out[2], status;
	pid_t child;
	FILE *f;

	snprintf(number, sizeof(number), "%lu", (unsigned long)seed);
	snprintf(count, sizeof(count), "%d", EVENTS);
	if (pipe(out) != 0 || (child = fork()) < 0)
		abort();
	if (child == 0) {
		dup2(out[1], 1);
		dup2(out[1], 2);
		close(out[0]);
		close(out[1]);
		execl(ward, ward, "query", "--json", "--no-rewrite", rewrites, text, "--", events, number, count, NULL);
		_exit(127);
	}
	close(out[1]);
	f = fdopen(out[0], "r");
	while (f && getline(&line, &size, f) > 0) {
		char *at = strstr(line, "\"rows\":");

		warned |= strstr(line, "warning: ") != NULL;
		if (at) {
			free(rows);
			rows = strdup(at + strlen("\"rows\":"));
			rows[strcspn(rows, "\n")] = 0;
			rows[strlen(rows) - 1] = 0; /* the object's end */
		}
	}
	free(line);
	fclose(f);
	if (waitpid(child, &status, 0) != child || status != 0 || warned) {
		free(rows);
		return NULL;
	}
	return rows;
}

static bool compare(const char *ward, const char *events, const char *text, uint64_t seed, const char *rewrites)
{
	char *right = reference_rows(text, seed, EVENTS), *rows = run_query(ward, events, text, seed, rewrites);
	bool same = rows && strcmp(right, rows) == 0;

	if (!same)
		printf("seed %lu, without %s: %s\nright: %.700s\nis:    %.700s\n", (unsigned long)seed, rewrites, text,
			right, rows ? rows : "(an error)");
	free(right);
	free(rows);
	return same;
}

int main(int argc, char **argv)
{
	unsigned passed = 0, failed = 0;
	uint64_t seed = argc > 4 ? strtoull(argv[3], NULL, 10) : 0;
	long n = argc > 4 ? atol(argv[4]) : 0;

	if (n <= 0)
		return 2;
	for (long i = 0; i < n; i++, seed++) {
		struct text t = {.n = 0};

		dice = first_state(seed);
		draw_query(&t);
		*(compare(argv[1], argv[2], t.bytes, seed, "R15") ? &passed : &failed) += 1;
		if (i % 3 == 0)
			*(compare(argv[1], argv[2], t.bytes, seed, "R1,R3,R5,R6,R9") ? &passed : &failed) += 1;
		fflush(stdout);
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
