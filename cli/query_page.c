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

static void name_address(const struct query_command *c, struct query_value *v)
{
	char text[HTML_CELL];

	query_value_text(&c->trace.out, text, sizeof(text), v);
	*v = (struct query_value){.kind = QUERY_TEXT, .is_stack = v->is_stack, .text = strdup(text)};
}

/* Those that the page shows are kept; of the others, how many there are. */
void query_page_add(struct query_command *c, const struct query_value *row)
{
	struct query_rows *events = &c->events;
	size_t n = query_columns(c->query);

	if (!events->values) {
		events->values = calloc(HTML_ROWS * n + 1, sizeof(*events->values));
		events->names = calloc(n + 1, sizeof(*events->names));
		events->n_columns = events->n_static = n;
		for (size_t i = 0; events->names && i < n; i++)
			events->names[i] = query_column(c->query, i);
	}
	if (events->values && events->n < HTML_ROWS)
		for (size_t i = 0; i < n; i++) {
			struct query_value *v = &events->values[events->n * n + i];

			*v = row[i];
			if (v->kind == QUERY_TEXT)
				v->text = strdup(v->text ? v->text : "");
			else if (v->kind == QUERY_ADDRESS) /* which is one process's */
				name_address(c, v);
		}
	events->n++;
}

void query_page_free(struct query_command *c)
{
	struct query_rows *events = &c->events;
	size_t n = (events->n < HTML_ROWS ? events->n : HTML_ROWS) * events->n_columns;

	for (size_t i = 0; events->values && i < n; i++)
		if (events->values[i].kind == QUERY_TEXT)
			free((char *)events->values[i].text);
	free(events->values);
	free(events->names);
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
		.rows = query_has_records(c->query) && c->events.values && c->events.names ? &c->events : rows,
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
