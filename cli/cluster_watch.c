/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward cluster watch: a viewer of a query, or of which ones there are. It prints what the query's coordinator shows;
 * the bus gives a viewer's credentials nothing else, and takes no order of them.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/coordinator/view.h"
#include "cluster_command.h"

enum { OPTION_JSON = OPTION_OWN, LIST_MS = 2000, ANSWER_MS = 5000, SILENT_MS = 10000, MOST_HEADS = 1000 };
static const uint64_t MILLISECOND = 1000000;

struct watched {
	struct cluster_use use;
	struct cli_output out;
	bool json;
	const char *id; /* of the query; NULL: which ones are there? */
	bus *b;
	cluster_view *view;
	struct cli_live live;
	bool head_said, any;
	uint64_t heard_ns;
	struct cluster_head *heads; /* of all queries */
	size_t n_heads;
};

/* Returns an exit status, or -1 to go on. */
static int options_read(struct watched *w, int argc, char **argv)
{
	static const struct option longs[] = {
		CLUSTER_BUS_LONGS, {"json", no_argument, NULL, OPTION_JSON}, {"help", no_argument, NULL, 'h'}, {0}};

	for (;;) {
		int option = cli_getopt(&cmd_cluster, argc, argv, ":h", longs);

		if (option == CLI_OPT_DONE)
			break;
		if (option == CLI_OPT_HELP)
			return CLI_OK;
		if (option == OPTION_JSON)
			w->json = true;
		else if (option == CLI_OPT_BAD || !cluster_use_option(&cmd_cluster, option, optarg, &w->use))
			return CLI_USAGE;
	}
	if (argc - optind > 1)
		return cli_usage(&cmd_cluster, "watch one query at a time");
	w->id = argv[optind];
	return cluster_use_check(&cmd_cluster, &w->use);
}

/* ---- which queries there are ---- */

static void head_print(struct watched *w, const struct cluster_head *h)
{
	struct json_object *o;

	if (!w->json) {
		printf("%s  of %s, on %" PRIu64 " machine%s, %" PRIu64 " report, ends in %" PRIu64 " s  ", h->id,
			*h->issuer ? h->issuer : "?", h->machines, h->machines == 1 ? "" : "s", h->reporting,
			h->left_ns / 1000000000);
		cli_print_clean(stdout, h->text);
		putchar('\n');
		return;
	}
	o = json_object_new_object();
	json_object_object_add(o, "type", json_object_new_string("query"));
	json_object_object_add(o, "query", json_object_new_string(h->id));
	json_object_object_add(o, "issuer", cli_json_string(h->issuer));
	json_object_object_add(o, "machines", json_object_new_uint64(h->machines));
	json_object_object_add(o, "reporting", json_object_new_uint64(h->reporting));
	json_object_object_add(o, "left_ms", json_object_new_uint64(h->left_ns / MILLISECOND));
	json_object_object_add(o, "text", cli_json_string(h->text));
	cli_json_line(&w->out, o);
}

static int head_keep(struct watched *w)
{
	const struct cluster_head *h = cluster_view_head(w->view);
	struct cluster_head *grown;

	for (size_t i = 0; i < w->n_heads; i++)
		if (strcmp(w->heads[i].id, h->id) == 0)
			return CLI_OK;
	if (w->n_heads == MOST_HEADS)
		return CLI_OK;
	grown = realloc(w->heads, (w->n_heads + 1) * sizeof(*grown));
	if (!grown)
		return cli_error(CLI_USAGE, NULL, "free some memory and try again", "out of memory");
	w->heads = grown;
	w->heads[w->n_heads++] = *h;
	return CLI_OK;
}

/* ---- one query ---- */

static void head_say(struct watched *w)
{
	const struct cluster_head *h = cluster_view_head(w->view);

	if (w->head_said || w->json)
		return;
	w->head_said = true;
	fprintf(stderr, "query %s of %s, on %" PRIu64 " machine%s: ", h->id, *h->issuer ? h->issuer : "?", h->machines,
		h->machines == 1 ? "" : "s");
	cli_print_clean(stderr, h->text);
	fputc('\n', stderr);
}

/* What another computer has drawn, without what a terminal would act on. */
static char *text_clean(const struct cluster_table *table, bool json)
{
	char *copy = strdup(table->text), *text = NULL, *rest = copy, *line;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	while (copy && f && rest && (line = strsep(&rest, "\n"))) {
		if (!*line && !rest)
			break; /* behind the last line */
		char *clean = json ? cli_json_escape(line) : NULL;
		if (clean)
			fputs(clean, f);
		else if (!json)
			cli_print_clean(f, line);
		fputc('\n', f);
		free(clean);
	}
	free(copy);
	if (f && fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}

/* Returns an exit status, or -1 to go on. */
static int table_show(struct watched *w)
{
	struct cluster_table table = cluster_view_table(w->view);
	char *text = text_clean(&table, w->json);

	if (!text)
		return cli_error(CLI_USAGE, NULL, "free some memory and try again", "out of memory");
	if (table.end != CLUSTER_GOES_ON)
		cli_live_end(&w->live);
	if (table.end == CLUSTER_GOES_ON && !w->json && cli_live_possible())
		cli_live_show(&w->live, text);
	else
		fputs(text, stdout);
	fflush(stdout);
	free(text);
	w->any = true;
	if (table.end == CLUSTER_LEFT)
		return cli_error(
			CLI_TARGET, w->id, "its machines go on until its lease ends", "its coordinator has left it");
	if (table.end != CLUSTER_GOES_ON)
		return table.end == CLUSTER_COMPLETE ? CLI_OK : CLI_TARGET;
	return -1;
}

/* Is there nothing to wait for? Returns an exit status, or -1 to go on. */
static int silence_check(struct watched *w, uint64_t now_ns)
{
	uint64_t silent = (now_ns - w->heard_ns) / MILLISECOND;
	struct bus_state state;

	bus_get_state(w->b, &state);
	if (state.refused)
		return cli_error(CLI_TARGET, w->use.creds, "ward cluster enrol --role viewer NAME makes a viewer's",
			"these credentials are no viewer's");
	if (!w->id)
		return silent >= LIST_MS ? CLI_OK : -1;
	if (silent < (w->any ? SILENT_MS : ANSWER_MS))
		return -1;
	return cli_error(CLI_TARGET, w->id,
		w->any ? "--attach goes on with it, before its lease ends" : "ward cluster watch lists those that run",
		w->any ? "its coordinator isn't heard any more" : "no coordinator shows this query");
}

/* Returns an exit status, or -1 to go on. */
static int watch_step(struct watched *w)
{
	struct cluster_now now = cluster_now();
	enum cluster_viewed what;
	struct ward_error err = {0};

	do {
		if (cluster_view_step(w->view, now, &what, &err))
			return cli_library_error(&err);
		if (what == CLUSTER_VIEW_HEAD && !w->id) {
			if (head_keep(w) != CLI_OK)
				return CLI_USAGE;
		} else if (what == CLUSTER_VIEW_HEAD) {
			head_say(w);
		} else if (what == CLUSTER_VIEW_TABLE) {
			int status = table_show(w);
			if (status >= 0)
				return status;
		}
		if (what != CLUSTER_VIEW_NOTHING && w->id)
			w->heard_ns = now.ns;
	} while (what != CLUSTER_VIEW_NOTHING);
	return silence_check(w, now.ns);
}

static int watched_show(struct watched *w)
{
	struct ward_error err = {0};
	int status = -1, before = cluster_interrupts();

	if (cluster_view_open(w->b, w->id, w->json ? CLUSTER_AS_JSON : CLUSTER_AS_TEXT, &w->view, &err))
		return cli_library_error(&err);
	w->heard_ns = cluster_now().ns;
	while (status < 0 && cluster_interrupts() == before) {
		status = watch_step(w);
		if (status < 0)
			cluster_messages_wait(w->b);
	}
	cli_live_end(&w->live);
	if (status < 0)
		return CLI_OK; /* Ctrl-C: the query goes on */
	for (size_t i = 0; i < w->n_heads; i++)
		head_print(w, &w->heads[i]);
	if (!w->id && status == CLI_OK && !w->n_heads && !w->json)
		puts("no coordinator shows a query");
	return status;
}

int cluster_run_watch(int argc, char **argv)
{
	struct watched w = {0};
	int status;

	cluster_use_init(&w.use);
	status = options_read(&w, argc, argv);
	if (status < 0) {
		cli_output_init(&w.out, stdout, w.json);
		cluster_interrupts_catch();
		status = cluster_use_connect(&w.use, &w.b);
		if (status == CLI_OK)
			status = watched_show(&w);
		cluster_view_close(w.view);
		bus_close(w.b);
	}
	free(w.heads);
	cluster_use_free(&w.use);
	return status;
}
