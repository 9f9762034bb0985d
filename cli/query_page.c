/* SPDX-License-Identifier: Apache-2.0 */
/* ward query --html: all that is known of an answer, as a page. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "query_command.h"
#include "query_html.h"

/* A page has all characters, whatever the terminal has. */
static void value_text(void *user, const struct query_value *v, char *text, size_t size)
{
	struct cli_output page = *(const struct cli_output *)user;

	page.unicode = true;
	query_value_text(&page, text, size, v);
}

static char *plan_text(const struct query *q)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	query_explain(q, file);
	return fclose(file) == 0 ? text : NULL;
}

/* malloc'd; NULL: no memory. */
static char *page_text(const struct html_report *r, size_t *size)
{
	char *text = NULL;
	FILE *file = r->text && r->plan ? open_memstream(&text, size) : NULL;

	if (!file)
		return NULL;
	html_report_write(r, file);
	return fclose(file) == 0 ? text : NULL;
}

int query_page_write(struct query_command *c, const struct query_rows *rows, const struct query_lacks *lacks)
{
	const char *lines[QUERY_LACKS], *notes[QUERY_LACKS];
	struct ward_session_stats stats = query_stats(c);
	char *text = strndup((const char *)c->text.data, c->text.size), *plan = plan_text(c->query), cost[200], *page;
	struct html_report r = {.title = c->name,
		.text = text,
		.plan = plan,
		.cost = cost,
		.lacks = lines,
		.n_lacks = lacks->n,
		.notes = notes,
		.n_notes = lacks->n_notes,
		.query = c->query,
		.rows = rows,
		.value = value_text,
		.user = &c->trace.out};
	size_t size;
	int status;

	for (size_t i = 0; i < lacks->n; i++)
		lines[i] = lacks->line[i];
	for (size_t i = 0; i < lacks->n_notes; i++)
		notes[i] = lacks->note[i];
	snprintf(cost, sizeof(cost), "%" PRIu64 " events, of at most %" PRIu64 " instructions each.", stats.events,
		c->most_insns);
	page = page_text(&r, &size);
	status = page ? cli_write_file(c->html, &(struct cli_bytes){(uint8_t *)page, size})
		      : cli_error(CLI_USAGE, "query", NULL, "out of memory");
	free(text);
	free(plan);
	free(page);
	return status;
}
