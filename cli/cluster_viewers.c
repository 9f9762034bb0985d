/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What viewers get of a query: what its coordinator shows, in the form that they have asked for, whatever the
 * coordinator's own form is.
 */
#include <stdlib.h>
#include <string.h>

#include "cluster_session.h"

static int refresh_print(struct cluster_session *s, struct cli_output *out, bool is_result)
{
	struct cluster_so_far so_far;
	int status;

	if (is_result)
		return cluster_result_print(s, out, out->json ? NULL : out->file);
	if (out->json) {
		so_far = cluster_so_far_now(s, cluster_now().ns);
		cluster_print_counts(out, s->run, &so_far);
	}
	status = cluster_result_so_far(s, out);
	if (status == CLI_OK && !out->json)
		fputc('\n', out->file);
	return status;
}

/* What can't be shown is said in its place. */
static void too_much_show(struct cluster_session *s, enum cluster_shown_as as, size_t size, enum cluster_shown_end end)
{
	char text[160];

	snprintf(text, sizeof(text),
		as == CLUSTER_AS_JSON ? "{\"type\":\"too_large\",\"bytes\":%zu}\n"
				      : "the result has %zu bytes, more than viewers can get\n",
		size);
	cluster_run_show(s->run, as, text, strlen(text), end);
}

static void form_show(struct cluster_session *s, enum cluster_shown_as as, enum cluster_shown_end end)
{
	struct cli_output out = *s->ask->out;
	char *text = NULL;
	size_t size;
	int status;

	out.file = open_memstream(&text, &size);
	if (!out.file)
		return;
	out.json = as == CLUSTER_AS_JSON;
	out.colour = false;
	status = refresh_print(s, &out, end == CLUSTER_COMPLETE || end == CLUSTER_INCOMPLETE);
	if (fclose(out.file) == 0 && status == CLI_OK && !cluster_run_show(s->run, as, text, size, end))
		too_much_show(s, as, size, end);
	free(text);
}

void cluster_viewers_show(struct cluster_session *s, enum cluster_shown_end end)
{
	for (int as = CLUSTER_AS_JSON; as < CLUSTER_SHOWN_FORMS; as++)
		if (cluster_run_is_watched(s->run, (enum cluster_shown_as)as))
			form_show(s, (enum cluster_shown_as)as, end);
}
