/* SPDX-License-Identifier: Apache-2.0 */
/* ward query --live: the rows on a terminal, drawn anew each time, and what its keys do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "query_command.h"

bool query_live_possible(void)
{
	return cli_live_possible();
}

static void print_head(struct query_command *c, struct cli_output *out, double elapsed)
{
	struct query_view *v = &c->view;
	struct ward_session_stats stats = query_stats(c);

	cli_live_progress(out, elapsed, c->trace.duration);
	fprintf(out->file, "  %" PRIu64 " events  ", stats.events);
	if (c->stream.took > 0)
		fprintf(out->file, "every %g s, as a snapshot takes %.0f ms  ", c->stream.every, c->stream.took * 1000);
	if (v->paused)
		fputs("paused  ", out->file);
	fputs(v->screen.keys ? "s: next column, p: pause, q: end\n\n" : "Ctrl-C ends\n\n", out->file);
}

/* kept: NULL if there is nothing yet. */
static void show_view(struct query_command *c, const struct query_kept *kept, double elapsed)
{
	struct query_view *v = &c->view;
	const struct query_moment moment = {.at = query_now(), .is_final = true};
	struct cli_output out;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return; /* the next one, perhaps */
	cli_output_init(&out, stderr, false);
	out.file = file;
	out.names = &c->trace.names;
	out.clock = &c->trace.start;
	print_head(c, &out, elapsed);
	if (kept)
		query_show(c, &out, kept, &moment, &v->sort);
	if (fclose(file) == 0)
		cli_live_show(&v->screen, text);
	free(text);
}

void query_live_draw(struct query_command *c, struct query_kept *kept, double elapsed)
{
	struct query_view *v = &c->view;

	if (kept && v->paused) {
		query_kept_free(kept);
		return;
	}
	if (kept) {
		if (v->has_kept)
			query_kept_free(&v->kept);
		v->kept = *kept;
		v->has_kept = true;
	}
	/* the keys are the command's, where there is one */
	v->screen.keys = !c->trace.command;
	if (kept || v->has_kept || !c->stream.windows)
		show_view(c, v->has_kept ? &v->kept : NULL, elapsed);
}

void query_live_rows(struct query_command *c, const struct query_kept *kept, double elapsed)
{
	c->view.screen.keys = !c->trace.command;
	if (!c->view.paused)
		show_view(c, kept, elapsed);
}

bool query_live_keys(struct query_command *c)
{
	struct query_view *v = &c->view;
	bool again = false;

	for (int key; (key = cli_live_key(&v->screen)) >= 0; again = true) {
		switch (key) {
		case 's': v->sort = v->sort == query_columns(c->query) ? 0 : v->sort + 1; break;
		case 'p': v->paused = !v->paused; break;
		case 'q': c->trace.enough = true; break;
		default:;
		}
	}
	return again;
}

void query_live_end(struct query_command *c)
{
	struct query_view *v = &c->view;

	cli_live_end(&v->screen);
	if (v->has_kept)
		query_kept_free(&v->kept);
	v->has_kept = false;
}
