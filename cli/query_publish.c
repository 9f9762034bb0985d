/* SPDX-License-Identifier: Apache-2.0 */
/* ward query --openmetrics: rows, each second, for Prometheus and its like. */
#include <stdlib.h>
#include <string.h>

#include "query_command.h"
#include "query_metrics.h"

int query_metrics_open(struct query_command *c)
{
	const char *why;
	char at[100];

	if (query_has_records(c->query))
		return cli_usage(&cmd_query, "--openmetrics shows what is counted, not rows of single events");
	c->metrics = metrics_server_open(c->openmetrics, at, sizeof(at), &why);
	if (!c->metrics)
		return cli_error(
			CLI_USAGE, c->openmetrics, "--openmetrics 127.0.0.1:9435, or --openmetrics 9435", "%s", why);
	fprintf(stderr, "metrics are at %s\n", at);
	return CLI_OK;
}

static void value_text(void *user, const struct query_value *v, char *text, size_t size)
{
	query_value_text(user, text, size, v);
}

/* malloc'd; NULL: no memory. */
static char *metrics_text(const struct metrics_report *r, bool openmetrics)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	bool done = file && metrics_write(r, openmetrics, file);

	if (file && fclose(file) == 0 && done)
		return text;
	free(text);
	return NULL;
}

void query_metrics_set(struct query_command *c, const struct query_rows *rows, const struct query_lacks *lacks)
{
	struct ward_session_stats stats = query_stats(c);
	struct metrics_report r = {
		.query = c->query, .rows = rows, .complete = lacks->n == 0, .value = value_text, .user = &c->trace.out};
	char *help = strndup((const char *)c->text.data, c->text.size), *plain, *openmetrics;

	r.events = stats.events;
	r.help = help ? help : "a query";
	plain = metrics_text(&r, false);
	openmetrics = metrics_text(&r, true);
	free(help);
	if (plain && openmetrics) {
		metrics_server_set(c->metrics, plain, openmetrics);
		return;
	}
	free(plain); /* the ones from before stay */
	free(openmetrics);
}
