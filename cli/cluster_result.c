/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a query on a cluster: at its end, and so far. */
#include <stdlib.h>
#include <string.h>

#include "cluster_session.h"

static const char *label_of(void *user, const char *machine)
{
	struct cluster_session *s = user;

	return cluster_run_label(s->run, machine, s->ask->use->by_label);
}

/* Which machines are in a sum, and whether it is by machine. */
static int total_take(struct cluster_session *s, size_t unit, struct cluster_total *total, struct ward_error *err)
{
	const struct cluster_use *use = s->ask->use;
	struct cluster_total_options options = {.without = use->without.at, .n_without = use->without.n};
	int rc = 0;

	if (use->by_machine && !s->by[unit])
		rc = ward_schema_by(
			cluster_run_schema(s->run, unit), use->by_label ? "label" : "machine", &s->by[unit], err);
	options.by = s->by[unit];
	options.call = use->by_label ? label_of : NULL;
	options.user = s;
	return rc ? rc : cluster_run_total(s->run, unit, &options, total, err);
}

/* The sum of a unit as a snapshot, and who is in it. */
static int result_take(struct cluster_session *s, size_t unit, struct cluster_total *total, ward_snapshot **snapshot)
{
	struct ward_error err = {0};

	if (total_take(s, unit, total, &err))
		return cli_library_error(&err);
	if (ward_partial_finish(total->partial, snapshot, &err) == 0)
		return CLI_OK;
	cluster_total_free(total);
	return cli_library_error(&err);
}

/* Print the units' sums; who is in them, together. */
static int units_print(struct cluster_session *s, struct cli_output *out, bool is_final, struct cluster_cover *cover,
	uint64_t *behind_ns)
{
	struct cluster_ask *ask = s->ask;
	int status = CLI_OK;

	for (size_t unit = 0; unit < cluster_run_units(s->run) && status == CLI_OK; unit++) {
		struct cluster_total total;
		ward_snapshot *snapshot;
		uint64_t behind;
		status = result_take(s, unit, &total, &snapshot);
		if (status != CLI_OK)
			break;
		if (ask->print && unit == 0)
			status = ask->print(ask, out, s->run, is_final);
		else if (ask->print)
			;
		else if (out->json)
			cli_json_snapshot(out, snapshot, NULL);
		else
			cli_print_snapshot(out, snapshot);
		cover->events += total.cover.events;
		cover->dropped += total.cover.dropped;
		cover->machines = total.cover.machines > cover->machines ? total.cover.machines : cover->machines;
		behind = cluster_cover_behind(&total.cover, cluster_now().ns);
		*behind_ns = behind > *behind_ns ? behind : *behind_ns;
		ward_snapshot_free(snapshot);
		cluster_total_free(&total);
	}
	return status;
}

int cluster_result_print(struct cluster_session *s, struct cli_output *out, FILE *notes)
{
	const struct string_list *without = &s->ask->use->without;
	struct cluster_cover cover = {0};
	uint64_t behind = 0;
	int status = units_print(s, out, true, &cover, &behind);

	for (size_t i = 0; i < without->n && status == CLI_OK && !out->json; i++)
		fprintf(out->file, "without %s\n", without->at[i]);
	if (status == CLI_OK)
		cluster_print_end(s, out, &cover, notes);
	return status;
}

int cluster_result_so_far(struct cluster_session *s, struct cli_output *out)
{
	struct cluster_cover cover = {0};
	uint64_t behind = 0;
	char counts[400];
	int status = units_print(s, out, false, &cover, &behind);

	if (status != CLI_OK || out->json)
		return status;
	cluster_counts_text(cluster_run_fleet(s->run), counts, sizeof(counts));
	fprintf(out->file, "%s · behind by %.1f s", counts, (double)behind / 1e9);
	return CLI_OK;
}

void cluster_live_draw(struct cluster_session *s)
{
	struct cli_output frame = *s->ask->out;
	char *text = NULL;
	size_t size;
	int status;

	frame.file = open_memstream(&text, &size);
	if (!frame.file)
		return;
	status = cluster_result_so_far(s, &frame);
	if (status == CLI_OK)
		fputs(" · Ctrl-C ends\n", frame.file);
	if (fclose(frame.file) == 0)
		cli_live_show(&s->live, text);
	free(text);
}

struct cluster_so_far cluster_so_far_now(struct cluster_session *s, uint64_t now_ns)
{
	struct cluster_so_far so_far = {0};
	struct cluster_total total;

	for (size_t unit = 0; unit < cluster_run_units(s->run); unit++) {
		if (total_take(s, unit, &total, NULL))
			continue;
		so_far.behind_ns = cluster_cover_behind(&total.cover, now_ns);
		so_far.events += total.cover.events;
		for (size_t i = 0; i < total.cover.n; i++)
			so_far.cut += (total.cover.at[i].flags & WARD_PARTIAL_CUT) != 0;
		cluster_total_free(&total);
	}
	return so_far;
}
