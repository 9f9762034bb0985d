/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One file: the query, what its rows lack, charts, the rows, what it cost, its plan and its probe. It has no script and
 * names no address; it is HTML, and well-formed XML. The same rows give the same bytes.
 */
#include "query_html.h"

#include <inttypes.h>
#include <string.h>

#include "verifier/tool/report.h"

static const char style[] =
	"body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:62em;padding:0 "
	"1em;color:#1b1f24;background:#fff}\n"
	"h1{font-size:1.3em}h2{font-size:1.05em;margin-top:2em}\n"
	"pre{background:#f3f4f6;padding:.8em;overflow:auto;font:13px/1.4 ui-monospace,monospace}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.15em .8em;text-align:right;border-bottom:1px solid #d8dce1;white-space:pre}\n"
	"th{border-bottom-width:2px}.l{text-align:left}.lack{color:#a33;font-weight:600}\n"
	"figure{margin:1em 0}figcaption{font-weight:600}svg{width:100%;height:auto;max-width:760px}\n"
	"svg text{font:11px system-ui,sans-serif;fill:#444}.e{text-anchor:end}.m{text-anchor:middle}\n"
	"@media(prefers-color-scheme:dark){body{color:#dde1e6;background:#16181c}pre{background:#22252b}\n"
	"th,td{border-color:#3a3f47}svg text{fill:#b8bec7}.lack{color:#f08a80}}\n";

/* ---- text ---- */

static void put_character(FILE *file, const char *s, size_t n, uint32_t c)
{
	switch (c) {
	case '&': fputs("&amp;", file); return;
	case '<': fputs("&lt;", file); return;
	case '>': fputs("&gt;", file); return;
	case '"': fputs("&quot;", file); return;
	case '\'': fputs("&#39;", file); return;
	case '\n':
	case '\t': fputc((int)c, file); return;
	default: break;
	}
	if (c == UINT32_MAX)
		fprintf(file, "\\x%02x", (unsigned char)*s);
	else if (!text_is_harmless(c) || (c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef))
		fprintf(file, "\\u%04x", c);
	else
		fwrite(s, 1, n, file);
}

void html_text(FILE *file, const char *text, size_t most)
{
	size_t n;

	for (size_t i = 0; *text; text += n, i++) {
		uint32_t c = text_next(text, &n);

		if (most && i == most) {
			fputs("\xe2\x80\xa6", file);
			return;
		}
		put_character(file, text, n, c);
	}
}

/* ---- the table ---- */

static bool is_left(const struct query_value *v)
{
	return v->kind == QUERY_TEXT || v->kind == QUERY_ADDRESS || v->kind == QUERY_SITE;
}

static void write_cell(const struct html_report *r, const struct query_value *v, FILE *file)
{
	char text[HTML_CELL];

	fputs(is_left(v) ? "<td class=\"l\">" : "<td>", file);
	if (v->kind == QUERY_BUCKETS) {
		uint64_t count = 0;

		for (size_t i = 0; i < v->n; i++)
			count += v->buckets[i].count;
		fprintf(file, "%" PRIu64 " values", count);
	} else {
		r->value(r->user, v, text, sizeof(text));
		html_text(file, text, 0);
	}
	fputs("</td>", file);
}

static void write_table(const struct html_report *r, const struct query_rows *rows, const char *title, FILE *file)
{
	fputs("<h2>", file);
	html_text(file, title, 0);
	fputs("</h2>\n<table>\n<tr>", file);
	for (size_t c = 0; c < rows->n_columns; c++) {
		fputs(rows->n && is_left(&rows->values[c]) ? "<th class=\"l\">" : "<th>", file);
		html_text(file, rows->names[c], 100);
		fputs("</th>", file);
	}
	fputs("</tr>\n", file);
	for (size_t i = 0; i < rows->n && i < HTML_ROWS; i++) {
		fputs("<tr>", file);
		for (size_t c = 0; c < rows->n_columns; c++)
			write_cell(r, &rows->values[i * rows->n_columns + c], file);
		fputs("</tr>\n", file);
	}
	fputs("</table>\n", file);
	if (rows->n == 0)
		fputs("<p>No rows.</p>\n", file);
	if (rows->n > HTML_ROWS)
		fprintf(file, "<p>%zu more rows are not in this page.</p>\n", rows->n - HTML_ROWS);
}

/* ---- the page ---- */

static void write_lacks(const struct html_report *r, FILE *file)
{
	for (size_t i = 0; i < r->n_notes; i++) {
		fputs("<p>", file);
		html_text(file, r->notes[i], 0);
		fputs("</p>\n", file);
	}
	if (!r->n_lacks)
		fputs("<p>The answer is complete.</p>\n", file);
	for (size_t i = 0; i < r->n_lacks; i++) {
		fputs("<p class=\"lack\">", file);
		html_text(file, r->lacks[i], 0);
		fputs("</p>\n", file);
	}
}

static void write_pre(const char *title, const char *text, FILE *file)
{
	fprintf(file, "<h2>%s</h2>\n<pre>", title);
	/* a line feed that comes first is none in HTML, and one in XML */
	html_text(file, text + strspn(text, "\n"), 0);
	fputs("</pre>\n", file);
}

void html_report_write(const struct html_report *r, FILE *file)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	      "'unsafe-inline'\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>",
		file);
	html_text(file, r->title, 100);
	fprintf(file, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
	html_text(file, r->title, 100);
	fputs("</h1>\n", file);
	write_pre("Query", r->text, file);
	write_lacks(r, file);
	html_charts_write(r, file);
	write_table(r, r->rows, "Rows", file);
	if (r->rows->second)
		write_table(r, r->rows->second, r->rows->title, file);
	fputs("<h2>Cost</h2>\n<p>", file);
	html_text(file, r->cost, 0);
	fputs("</p>\n", file);
	write_pre("Plan", r->plan, file);
	fputs("</body>\n</html>\n", file);
}
