/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-query-page [NAME [plain | openmetrics]]: a page of an answer, or its metrics, of numbers that are made up.
 * Names in them are those of a hostile target: they hold what HTML, XML, JSON and a terminal would act on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/query_html.h"
#include "cli/query_metrics.h"

enum { MOST = 1200 };

static const char *const names[] = {"</title><script>alert(1)</script>", "a & b \"quoted\" 'so'",
	"\x1b[31m\xff\xef\xbf\xbe]]>",
	("read\xe2\x80\xae"
	 "daer"),
	"\xce\xb1\xce\xb2\xce\xb3"};

static struct query_entry entries[MOST];
static struct query_result results[MOST][2];
static struct query_value keys[MOST][2];
static struct query_bucket buckets[MOST][8];

static struct query_value number(uint64_t n)
{
	return (struct query_value){.kind = QUERY_UNSIGNED, .number = n};
}

static void add_histogram(size_t i)
{
	for (size_t b = 0; b < 8; b++)
		buckets[i][b] = (struct query_bucket){1u << (4 + b), (1u << (5 + b)) - 1, (i * 7 + b * 3) % 11};
	results[i][1] = (struct query_result){.buckets = buckets[i], .n = 8};
}

static const struct page {
	const char *name, *query;
	size_t n;
	bool timed, is_metrics; /* is_metrics: no page is made of it */
} pages[] = {
	{"bars",
		"Function(\"a!b\").GroupBy(Str(0)).Select(g => new { g.Key, calls = g.Count(), sizes = g.Hist(arg1) })",
		5, false, false},
	{"time",
		"Function(\"a!b\").GroupBy(new { window = arg2, name = Str(0, 40) })\n"
		"\t.Select(g => new { g.Key.window, g.Key.name, calls = g.Count(), sizes = g.Hist(arg1) })",
		100, true, false},
	{"clusters",
		"// x < y && \"text\"\n"
		"Function(\"a!b\").GroupBy(new { window = arg2, name = Str(0, 40) })\n"
		"\t.Select(g => new { g.Key.window, g.Key.name, calls = g.Count(), sizes = g.Hist(arg1) })\n"
		"\t.Pivot(r => new { r.window }, r => r.name, r => r.calls).Normalise().KMeans(3)",
		100, true, false},
	{"columns",
		"Function(\"a!b\").GroupBy(new { size = arg2, name = Str(0, 40) })\n"
		"\t.Select(g => new { g.Key.size, g.Key.name, calls = g.Count(), sizes = g.Hist(arg1) })\n"
		"\t.Pivot(r => new { r.size }, r => r.name, r => r.calls)",
		100, true, false},
	{"many",
		"Function(\"a!b\").GroupBy(new { le = arg2, quantile = Str(0, 40) }).Select(g => new { g.Key.le, "
		"g.Key.quantile, x_count = g.Count(), total = g.Sum(arg3 > 2 ? 1 : 0) })",
		1200, true, true},
	{"twice",
		"Function(\"a!b\").GroupBy(new { site, name = Str(0, 40) }).Select(g => new { g.Key.name, n = "
		"g.Count() })",
		10, false, true},
	{"none",
		"Function(\"a!b\").GroupBy(Str(0)).Select(g => new { g.Key, calls = g.Count(), sizes = g.Hist(arg1) })",
		0, false, false},
};

static void value_text(void *user, const struct query_value *v, char *text, size_t size)
{
	(void)user;
	switch (v->kind) {
	case QUERY_NONE: snprintf(text, size, "-"); break;
	case QUERY_TEXT: snprintf(text, size, "%s", v->text); break;
	case QUERY_REAL:
	case QUERY_DURATION: snprintf(text, size, "%.2f", v->real); break;
	default: snprintf(text, size, "%" PRIu64, v->number);
	}
}

static int print_page(const struct page *page, const char *metrics)
{
	static const char *const notes[] = {"sampled 1/1000"};
	static const char *const lacks[] = {"3 events were left out: <a division> & \"so on\""};
	struct query_options options = {.rate = 1000};
	struct query_error err;
	struct query *q = query_compile(page->query, strlen(page->query), &options, &err);
	struct query_session session = {.pid = 1, .process = "p", .machine = "m"};
	struct query_rows rows;

	if (!q) {
		query_error_print("query", page->query, strlen(page->query), &err, stderr);
		return 1;
	}
	for (size_t i = 0; i < page->n; i++) {
		struct query_value name = {.kind = QUERY_TEXT, .text = names[i % 5]};

		keys[i][0] = page->timed ? number(1000 + i / 5) : name;
		keys[i][1] = name;
		/* three phases: in each another name has most calls */
		results[i][0].count = results[i][0].number = i % 5 == i / 40 ? 100 + i : i % 3;
		add_histogram(i);
		entries[i] = (struct query_entry){.keys = keys[i], .results = results[i], .session = &session};
	}
	if (!query_rows_make(q, entries, page->n, &rows))
		return 1;
	if (metrics)
		metrics_write(&(struct metrics_report){.help = page->query,
				      .query = q,
				      .rows = &rows,
				      .events = 100,
				      .complete = !page->timed,
				      .value = value_text},
			strcmp(metrics, "openmetrics") == 0, stdout);
	else
		html_report_write(&(struct html_report){.title = "<query> & its \"answer\"",
					  .text = page->query,
					  .plan = "\nsources   a!b\n--- the probe\n#include <ward/query.h>\n",
					  .cost = "100 events, of at most 50 instructions each.",
					  .lacks = lacks,
					  .n_lacks = page->timed,
					  .notes = notes,
					  .n_notes = 1,
					  .query = q,
					  .rows = &rows,
					  .value = value_text},
			stdout);
	query_rows_free(&rows);
	query_free(q);
	return 0;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (argc < 2)
			printf("%s%s\n", pages[i].name, pages[i].is_metrics ? " metrics" : " page");
		else if (!strcmp(argv[1], pages[i].name))
			return print_page(&pages[i], argv[2]);
	return argc > 1;
}
