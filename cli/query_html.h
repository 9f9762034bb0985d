/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a query as one page of HTML, for browsers without a network. query_html.c describes how. */
#ifndef WARD_CLI_QUERY_HTML_H
#define WARD_CLI_QUERY_HTML_H

#include "query/query.h"

struct html_report {
	const char *title;
	const char *text; /* of the query */
	const char *plan; /* and its probe */
	const char *cost; /* one line */
	const char *const *lacks;
	size_t n_lacks;
	const char *const *notes; /* of the rows, and no lacks */
	size_t n_notes;
	const struct query *query;
	const struct query_rows *rows; /* and their second table */
	/* Write a value as people read it. */
	void (*value)(void *user, const struct query_value *v, char *text, size_t size);
	void *user;
};

enum { HTML_CELL = 1100, HTML_ROWS = 1000 }; /* HTML_ROWS: in the page; more are counted */

void html_report_write(const struct html_report *r, FILE *file);

/* A text of at most `most` characters: what HTML, XML or a terminal would act on is escaped. 0: all of it. */
void html_text(FILE *file, const char *text, size_t most);

/* query_charts.c: what can be drawn of the rows, each chart a <figure>. */
void html_charts_write(const struct html_report *r, FILE *file);

#endif
