/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The final stage, of numbers that are made up: what a query makes of what a probe is said to have kept. A check's
 * rows are one text, a line for each row, with blanks between cells.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/kmeans.h"
#include "query/query.h"

static unsigned passed, failed;

static void check(const char *what, bool holds)
{
	passed += holds;
	failed += !holds;
	if (!holds)
		printf("FAILED: %s\n", what);
}

/* What was kept: keys are numbers or texts, and one count. */
struct made {
	struct query_value keys[3];
	uint64_t count;
};
enum { MOST = 4000 };

static struct query_value number(uint64_t n)
{
	return (struct query_value){.kind = QUERY_UNSIGNED, .number = n};
}

static struct query_value text(const char *t)
{
	return (struct query_value){.kind = QUERY_TEXT, .text = t};
}

static void print_value(FILE *f, const struct query_value *v)
{
	switch (v->kind) {
	case QUERY_NONE: fputs("-", f); break;
	case QUERY_TEXT: fputs(v->text, f); break;
	case QUERY_REAL:
	case QUERY_DURATION: fprintf(f, "%.4g", v->real); break;
	case QUERY_SIGNED: fprintf(f, "%" PRId64, (int64_t)v->number); break;
	default: fprintf(f, "%" PRIu64, v->number);
	}
}

static void print_rows(FILE *f, const struct query_rows *rows)
{
	for (size_t c = 0; c < rows->n_columns; c++)
		fprintf(f, "%s%s", rows->names[c], c + 1 < rows->n_columns ? " " : "\n");
	for (size_t i = 0; i < rows->n * rows->n_columns; i++) {
		print_value(f, &rows->values[i]);
		fputs((i + 1) % rows->n_columns ? " " : "\n", f);
	}
}

/* The rows as a text; of a second table its title, and its rows behind it. */
static char *answer(const char *query, const struct made *made, size_t n)
{
	static struct query_entry entries[MOST];
	static struct query_result results[MOST];
	static struct query_value keys[MOST][3];
	struct query_options options = {.rate = 1000};
	struct query_session session = {.pid = 1, .process = "p", .machine = "m"};
	struct query_error err;
	struct query *q = query_compile(query, strlen(query), &options, &err);
	struct query_rows rows;
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	if (!q) {
		fprintf(f, "error: %s\n", err.message);
		fclose(f);
		return out;
	}
	for (size_t i = 0; i < n; i++) {
		memcpy(keys[i], made[i].keys, sizeof(keys[i]));
		results[i] = (struct query_result){.count = made[i].count, .number = made[i].count};
		entries[i] = (struct query_entry){.keys = keys[i], .results = &results[i], .session = &session};
	}
	if (query_rows_make(q, entries, n, &rows)) {
		print_rows(f, &rows);
		if (rows.second) {
			fprintf(f, "%s\n", rows.title);
			print_rows(f, rows.second);
		}
		if (rows.merged)
			fprintf(f, "merged %" PRIu64 "\n", rows.merged);
		query_rows_free(&rows);
	} else {
		fputs("no memory\n", f);
	}
	query_free(q);
	fclose(f);
	return out;
}

static void wants(const char *query, const struct made *made, size_t n, const char *rows)
{
	char *is = answer(query, made, n);

	check(query, strcmp(is, rows) == 0);
	if (strcmp(is, rows) != 0)
		printf("  wanted:\n%s  is:\n%s", rows, is);
	free(is);
}

#define SOURCE "Function(\"a!b\").CountBy(new { w = arg0, name = Str(1, 16) })"
#define PIVOT ".Pivot(r => new { r.w }, r => r.name, r => r.count)"

static const struct made few[] = {{{{0}}, 0}};

static void test_pivot(void)
{
	struct made m[] = {{{number(2), text("read")}, 5}, {{number(1), text("write")}, 3},
		{{number(1), text("read")}, 4}, {{number(2), text("")}, 1}};

	wants(SOURCE PIVOT, m, 4, "w  read write\n1 0 4 3\n2 1 5 0\n");
	wants(SOURCE ".Pivot(w, name, count)", m, 4, "Key  read write\n1 0 4 3\n2 1 5 0\n");
	wants(SOURCE PIVOT, few, 0, "w\n");
	wants(SOURCE PIVOT ".Where(w > 1)", m, 4, "w  read write\n2 1 5 0\n");
	wants(SOURCE PIVOT ".OrderByDescending(w).Take(1)", m, 4, "w  read write\n2 1 5 0\n");
	wants(SOURCE PIVOT ".Select(new { twice = w * 2 })", m, 4, "twice\n2\n4\n");
	/* values of one cell are added up: here of all w */
	wants(SOURCE ".Pivot(1, name, count)", m, 4, "Key  read write\n1 1 9 3\n");
	/* a half is a number with a fraction */
	wants(SOURCE ".Pivot(w, name, count * 0.5)", m, 4, "Key  read write\n1 0 2 1.5\n2 0.5 2.5 0\n");
	/* a name that there is already */
	m[0].keys[1] = text("w");
	wants(SOURCE PIVOT, m, 4, "w  read w' write\n1 0 4 0 3\n2 1 0 5 0\n");
	/* a step before it, and its column as a name */
	wants(SOURCE ".Where(count > 1).OrderBy(count).Take(2).Pivot(1, w, count)", m, 4, "Key 1\n1 7\n");
}

/* More names than columns: the largest have one. */
static void test_many_columns(void)
{
	static struct made m[1100];
	static char names[1100][8];
	char *is;

	for (size_t i = 0; i < 1100; i++) {
		snprintf(names[i], sizeof(names[i]), "n%04zu", i);
		m[i] = (struct made){{number(0), text(names[i])}, i + 1};
	}
	is = answer(SOURCE PIVOT, m, 1100);
	check("1,023 columns and one for the rest", strncmp(is, "w n0077 n0078", 13) == 0);
	check("it is the sum of the 77 smallest", strstr(is, " 1100 3003\n") != NULL);
	check("it is said", strstr(is, "merged 77\n") != NULL);
	check("the last one is called other", strstr(is, " n1099 other\n") != NULL);
	free(is);
}

static void test_normalise(void)
{
	struct made m[] = {{{number(1), text("a")}, 3}, {{number(1), text("b")}, 4}, {{number(2), text("b")}, 7},
		{{number(3), text("a")}, 0}};

	wants(SOURCE PIVOT ".Normalise()", m, 4, "w a b\n1 0.6 0.8\n2 0 1\n3 0 0\n");
	wants(SOURCE ".Select(r => new { r.name, r.count, twice = r.count * 2 }).Normalise().Where(name == \"b\")", m,
		3, "name count twice\nb 0.4472 0.8944\nb 0.4472 0.8944\n");
	m[0].count = 3ull << 61;
	m[1].count = 1ull << 63;
	wants(SOURCE PIVOT ".Normalise()", m, 2, "w a b\n1 0.6 0.8\n");
}

static void test_clusters(void)
{
	struct made m[] = {{{number(1), text("a")}, 10}, {{number(1), text("b")}, 1}, {{number(2), text("b")}, 9},
		{{number(3), text("a")}, 12}, {{number(4), text("b")}, 11}};

	wants(SOURCE PIVOT ".KMeans(2)", m, 5,
		"w cluster a b\n1 0 10 1\n2 1 0 9\n3 0 12 0\n4 1 0 11\n"
		"centroids\ncluster size a b\n0 2 11 0.5\n1 2 0 10\n");
	wants(SOURCE PIVOT ".KMeans(2).Where(cluster == 1).Select(new { w })", m, 5,
		"w\n2\n4\ncentroids\ncluster size a b\n0 2 11 0.5\n1 2 0 10\n");
	wants(SOURCE ".MovingAverage(count, 1).Select(r => new { r.w, r.movingAverage }).Top(1)", m, 5,
		"w movingAverage\n3 12\n");
	/* no more clusters than different rows */
	wants(SOURCE ".Select(new { count = 1 }).KMeans(3)", m, 5,
		"count cluster\n1 0\n1 0\n1 0\n1 0\n1 0\ncentroids\ncluster size count\n0 5 1\n");
	wants(SOURCE PIVOT ".KMeans(2)", few, 0, "w cluster\ncentroids\ncluster size\n");
}

/* Three heaps far from each other are found from wherever it begins; the same numbers give the same clusters. */
static void test_kmeans(void)
{
	enum { N = 3000, WIDTH = 4 };
	static double v[N * WIDTH], centres[8 * WIDTH], again[8 * WIDTH];
	static size_t cluster[N], second[N], sizes[8];
	uint64_t random = 88172645463325252;
	bool right = true;

	for (size_t i = 0; i < N; i++)
		for (size_t x = 0; x < WIDTH; x++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			v[i * WIDTH + x] = (double)(random % 1000) / 1000 + (x == i % 3 ? 20 : 0);
		}
	check("three heaps", kmeans(v, N, WIDTH, 3, cluster, centres, sizes) == 3);
	for (size_t i = 0; i < N; i++)
		right &= cluster[i] == i % 3;
	check("each vector is in its own", right && sizes[0] == 1000 && sizes[1] == 1000 && sizes[2] == 1000);
	check("their centres are in the middle", fabs(centres[0] - 20.5) < 0.1 && fabs(centres[WIDTH] - 0.5) < 0.1);
	kmeans(v, N, WIDTH, 8, cluster, centres, sizes);
	kmeans(v, N, WIDTH, 8, second, again, sizes);
	check("they are the same each time",
		memcmp(cluster, second, sizeof(cluster)) == 0 && memcmp(centres, again, sizeof(centres)) == 0);
}

static void test_texts(void)
{
	struct made m[] = {{{number(1), text("src/main.c")}, 10}, {{number(2), text("a\xce\xb1")}, 20}};

	wants(SOURCE ".Select(r => new { t = r.name + \": \" + r.count, n = (r.count + 1).ToString() })", m, 2,
		"t n\nsrc/main.c: 10 11\na\xce\xb1: 20 21\n");
	wants(SOURCE ".Where(name.EndsWith(\".c\")).Select(r => new { r.w })", m, 2, "w\n1\n");
	wants(SOURCE ".Where(r => r.name.Contains(\"main\")).Select(r => new { r.w })", m, 2, "w\n1\n");
	wants(SOURCE ".Select(r => new { t = r.name.Substring(4), u = r.name.Substring(0, 3), v = r.name.Substring(-5, "
		     "99) })",
		m, 2, "t u v\nmain.c src src/main.c\n a\xce\xb1 a\xce\xb1\n");
	/* no half of a character */
	wants(SOURCE ".Select(r => new { t = r.name.Substring(0, 2), u = r.name.Substring(2) })", m + 1, 1,
		"t u\na \n");
	wants(SOURCE PIVOT ".Select(r => new { t = \"row \" + r.w })", m, 2, "t\nrow 1\nrow 2\n");
	wants(SOURCE ".Pivot(1, name + \"!\", count)", m, 1, "Key src/main.c!\n1 10\n");
	wants(SOURCE ".Select(r => new { t = (r.count * 0.5).ToString(), same = \"a\" + \"b\" == \"ab\" })", m, 1,
		"t same\n5 1\n");
}

static void test_moving_average(void)
{
	struct made m[] = {{{number(1), text("a")}, 10}, {{number(2), text("a")}, 20}, {{number(3), text("a")}, 60},
		{{number(1), text("b")}, 7}, {{number(4), text("a")}, 1}};

	wants(SOURCE ".Select(r => new { r.w, r.count }).MovingAverage(count, 2)", m, 5,
		"w count movingAverage\n1 10 10\n1 7 8.5\n2 20 20\n3 60 60\n4 1 1\n");
	wants(SOURCE ".Select(r => new { r.name, n = r.w + 0, r.count }).MovingAverage(count, 2).OrderBy(name)", m, 5,
		"name n count movingAverage\na 1 10 10\na 2 20 15\na 3 60 40\na 4 1 30.5\nb 1 7 7\n");
	wants(SOURCE
		".Select(r => new { n = r.w + 0, x = r.count * 2 }).MovingAverage(r => r.x).Where(movingAverage > 60)",
		m, 5, "n x movingAverage\n");
}

/* One of three events has passed: counts, sums and histograms are three times as large. */
static void test_scaled(void)
{
	static const char text[] =
		"Function(\"a!b\").SampleEvery(3).GroupBy(arg0).Select(g => new { g.Key, n = g.Count(), "
		"s = g.Sum(x => (int)x.arg1), h = g.Hist(arg2), most = g.Max(arg3) }).Scaled()";
	struct query_options options = {.rate = 1000};
	struct query_error err;
	struct query *q = query_compile(text, strlen(text), &options, &err);
	struct query_bucket buckets[2] = {{1, 1, 5}, {2, 3, UINT64_MAX / 2}};
	struct query_result results[4] = {{.count = 7, .number = 7},
		{.number = (uint64_t)-11, .high = UINT64_MAX, .is_signed = true},
		{.count = 5, .buckets = buckets, .n = 2}, {.min = 4, .max = 9}};
	struct query_value key = {.kind = QUERY_UNSIGNED, .number = 1};
	struct query_entry entry = {.keys = &key, .results = results}, *scaled;
	struct query_gate gate = {.passed = 100, .of = 300};

	check("Scaled is compiled", q && query_is_scaled(q) && query_gates(q) == 1);
	if (!q)
		return;
	scaled = query_entries_scaled(q, &entry, 1, &gate);
	check("a count is scaled", scaled && scaled->results[0].count == 21 && scaled->results[0].number == 21);
	check("so is a sum with a sign", scaled && (int64_t)scaled->results[1].number == -33);
	check("so is a histogram, as far as numbers go", scaled && scaled->results[2].buckets[0].count == 15 &&
								 scaled->results[2].buckets[1].count == UINT64_MAX);
	check("the largest stays", scaled && scaled->results[3].max == 9);
	check("what was kept stays", buckets[0].count == 5 && results[0].count == 7);
	free(scaled);
	gate = (struct query_gate){0};
	scaled = query_entries_scaled(q, &entry, 1, &gate);
	check("of no events there is no scale", scaled && scaled->results[0].count == 7);
	free(scaled);
	query_free(q);
}

int main(void)
{
	test_scaled();
	test_texts();
	test_pivot();
	test_many_columns();
	test_normalise();
	test_clusters();
	test_kmeans();
	test_moving_average();
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0 || passed == 0;
}
