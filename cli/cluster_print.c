/* SPDX-License-Identifier: Apache-2.0 */
/* How the machines of a query do: lines as things change, and who isn't in the result at the end. */
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

#include "cluster_session.h"

enum { MOST_NAMED = 20 };

/* ---- JSON ---- */

/* With combiners: who adds the machines up. */
static void json_shards(json_object *o, const cluster_run *run)
{
	struct cluster_run_shards shards;

	if (!cluster_run_shards(run, &shards))
		return;
	json_object_object_add(o, "shards", json_object_new_uint64(shards.shards));
	json_object_object_add(o, "combiners", json_object_new_uint64(shards.combiners));
	json_object_object_add(o, "shards_without_combiner", json_object_new_uint64(shards.unowned));
}

static void json_machine(struct cli_output *out, const cluster_run *run, const struct cluster_fleet_machine *m)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "type", json_object_new_string("machine"));
	json_object_object_add(o, "machine", cli_json_string(m->name));
	json_object_object_add(o, "state", json_object_new_string(cluster_state_name(m->state)));
	if (m->epoch)
		json_object_object_add(o, "epoch", json_object_new_uint64(m->epoch));
	if (m->vanished)
		json_object_object_add(o, "vanished_epoch", json_object_new_uint64(m->vanished));
	if (m->joined_ns)
		json_object_object_add(o, "joined_ms", json_object_new_uint64(m->late_ns / 1000000));
	json_object_object_add(o, "missing_ms", json_object_new_uint64(m->missing_ns / 1000000));
	if (m->overhead_ppm)
		json_object_object_add(o, "overhead_ppm", json_object_new_uint64(m->overhead_ppm));
	if (m->gaps)
		json_object_object_add(o, "gaps", json_object_new_uint64(m->gaps));
	if (m->is_early)
		json_object_object_add(o, "early", json_object_new_boolean(true));
	if (m->is_doubled)
		json_object_object_add(o, "two_of_this_name", json_object_new_boolean(true));
	if (*m->reason)
		json_object_object_add(o, "reason", cli_json_string(m->reason));
	if (*m->warning)
		json_object_object_add(o, "warning", cli_json_string(m->warning));
	if (m->missed)
		json_object_object_add(o, "missed_processes", json_object_new_uint64(m->missed));
	if (cluster_run_has_records(run))
		cluster_records_json(o, run, m->name);
	cli_json_line(out, o);
}

void cluster_print_counts(struct cli_output *out, cluster_run *run, const struct cluster_so_far *so_far)
{
	cluster_fleet *fleet = cluster_run_fleet(run);
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "type", json_object_new_string("cluster"));
	json_object_object_add(o, "query", json_object_new_string(cluster_run_id(run)));
	json_object_object_add(o, "selected", json_object_new_uint64(cluster_fleet_count(fleet)));
	for (int state = 0; state < CLUSTER_STATES; state++) {
		char name[32];
		snprintf(name, sizeof(name), "%s", cluster_state_name((enum cluster_state)state));
		for (char *c = name; *c; c++)
			*c = *c == ' ' ? '_' : *c;
		json_object_object_add(
			o, name, json_object_new_uint64(cluster_fleet_count_of(fleet, (enum cluster_state)state)));
	}
	json_shards(o, run);
	json_object_object_add(o, "behind_ms", json_object_new_uint64(so_far->behind_ns / 1000000));
	json_object_object_add(o, "events", json_object_new_uint64(so_far->events));
	cli_json_line(out, o);
}

static void json_end(struct cli_output *out, cluster_run *run, const struct cluster_cover *cover, bool is_lacking)
{
	cluster_fleet *fleet = cluster_run_fleet(run);
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "type", json_object_new_string("end"));
	json_object_object_add(o, "query", json_object_new_string(cluster_run_id(run)));
	json_object_object_add(o, "complete", json_object_new_boolean(cluster_run_is_complete(run) && !is_lacking));
	json_object_object_add(o, "machines", json_object_new_uint64(cluster_fleet_count(fleet)));
	json_object_object_add(o, "complete_machines", json_object_new_uint64(cluster_fleet_count_whole(fleet)));
	if (cluster_fleet_is_adopted(fleet))
		json_object_object_add(o, "journal", json_object_new_boolean(false));
	json_object_object_add(o, "events", json_object_new_uint64(cover->events));
	json_object_object_add(o, "dropped", json_object_new_uint64(cover->dropped));
	if (cluster_run_has_records(run))
		cluster_records_json(o, run, NULL);
	cli_json_line(out, o);
}

void cluster_print_taken_over(struct cli_output *out, cluster_run *run)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "type", json_object_new_string("taken_over"));
	json_object_object_add(o, "query", json_object_new_string(cluster_run_id(run)));
	cli_json_line(out, o);
}

/* ---- for people ---- */

void cluster_counts_text(cluster_fleet *fleet, char *text, size_t size)
{
	size_t n = 0;

	*text = 0;
	for (int state = CLUSTER_STATES - 1; state >= 0; state--) {
		size_t count = cluster_fleet_count_of(fleet, (enum cluster_state)state);
		if (count && n < size)
			n += (size_t)snprintf(text + n, size - n, "%s%zu %s", n ? ", " : "", count,
				cluster_state_name((enum cluster_state)state));
	}
	if (!n)
		snprintf(text, size, "no machine has answered yet");
}

static bool state_is_worth_a_line(enum cluster_state state)
{
	return state != CLUSTER_STATE_ATTACHING && state != CLUSTER_STATE_REPORTING && state != CLUSTER_STATE_STALE &&
	       state != CLUSTER_STATE_ENDED;
}

static void text_machine(const struct cluster_fleet_machine *m)
{
	fprintf(stderr, "%-12s ", cluster_state_name(m->state));
	cli_print_clean(stderr, m->name);
	if (*m->reason || *m->warning) {
		fputs("  ", stderr);
		cli_print_clean(stderr, *m->reason ? m->reason : m->warning);
	}
	fputc('\n', stderr);
}

void cluster_print_changes(
	struct cluster_ask *ask, cluster_run *run, struct cluster_shown *shown, const struct cluster_so_far *so_far)
{
	cluster_fleet *fleet = cluster_run_fleet(run);
	const struct cluster_fleet_machine *m;
	bool changed = !shown->any;
	char text[400];

	while ((m = cluster_fleet_changed(fleet))) {
		changed = true;
		if (ask->out->json)
			json_machine(ask->out, run, m);
		else if (!ask->quiet && !ask->live && state_is_worth_a_line(m->state))
			text_machine(m);
	}
	if (ask->out->json) {
		cluster_print_counts(ask->out, run, so_far);
		fflush(ask->out->file);
	}
	if (!changed || ask->out->json || ask->quiet || ask->live)
		return;
	shown->any = true;
	cluster_counts_text(fleet, text, sizeof(text));
	fprintf(stderr, "%zu machines: %s\n", cluster_fleet_count(fleet), text);
}

/* "web44 (refused), web12 (lost, 161 s before the end)" */
static void print_missing(FILE *notes, cluster_fleet *fleet, size_t missing)
{
	size_t named = 0;

	fprintf(notes, "ward: %zu of %zu machines are not in the result to its end:", missing,
		cluster_fleet_count(fleet));
	const struct cluster_fleet_machine *m;
	for (size_t i = 0; (m = cluster_fleet_at(fleet, i)) && named < MOST_NAMED; i++) {
		if (m->state == CLUSTER_STATE_ENDED)
			continue;
		fputs(named++ ? ", " : " ", notes);
		cli_print_clean(notes, m->name);
		fprintf(notes, " (%s", cluster_state_name(m->state));
		if (m->joined_ns)
			fprintf(notes, ", %.1f s before the end", (double)m->missing_ns / 1e9);
		fputc(')', notes);
	}
	fputs(named < missing ? ", …\n" : "\n", notes);
}

/* Processes that are meant, on machines that are in the result. */
static void print_missed(FILE *notes, cluster_fleet *fleet)
{
	const struct cluster_fleet_machine *m;

	for (size_t i = 0; (m = cluster_fleet_at(fleet, i)); i++) {
		if (!m->missed)
			continue;
		fprintf(notes, "ward: %" PRIu64 " process%s of ", m->missed, m->missed == 1 ? "" : "es");
		cli_print_clean(notes, m->name);
		fprintf(notes, " %s not in the result: ", m->missed == 1 ? "is" : "are");
		cli_print_clean(notes, m->warning);
		fputc('\n', notes);
	}
}

/* C-165 */
static void print_vanished(FILE *notes, const struct cluster_fleet_machine *m)
{
	if (!m->vanished)
		return;
	fputs("ward: ", notes);
	cli_print_clean(notes, m->name);
	fprintf(notes, ": what its epoch %" PRIu64 " had counted is no longer in the result: only a combiner had it\n",
		m->vanished);
}

/* C-140: machines that have ended, and weren't in the result all the time. */
static void print_gaps(FILE *notes, cluster_fleet *fleet)
{
	const struct cluster_fleet_machine *m;

	for (size_t i = 0; (m = cluster_fleet_at(fleet, i)); i++) {
		bool is_short = m->epochs_here < m->epochs; /* C-133 */
		print_vanished(notes, m);
		if (m->state != CLUSTER_STATE_ENDED || !(m->gaps || m->is_early || m->is_doubled || is_short))
			continue;
		fputs("ward: ", notes);
		cli_print_clean(notes, m->name);
		if (m->is_doubled)
			fputs(" is the name of two machines, and nobody knows whether both have ended", notes);
		else if (is_short)
			fprintf(notes, " has counted %" PRIu64 " times anew, and %" PRIu64 " of these aren't here: ",
				m->epochs, m->epochs - m->epochs_here);
		else
			fprintf(notes, " was out of the result for %.1f s: ", (double)m->missing_ns / 1e9);
		if (!m->is_doubled)
			cli_print_clean(notes, m->is_early ? m->reason : "its agent or worker has begun anew");
		fputc('\n', notes);
	}
}

void cluster_print_end(
	struct cluster_session *s, struct cli_output *out, const struct cluster_cover *cover, FILE *notes)
{
	cluster_fleet *fleet = cluster_run_fleet(s->run);
	size_t n = cluster_fleet_count(fleet), ended = cluster_fleet_count_of(fleet, CLUSTER_STATE_ENDED);

	if (out->json) {
		for (size_t i = 0; cluster_fleet_at(fleet, i); i++)
			json_machine(out, s->run, cluster_fleet_at(fleet, i));
		json_end(out, s->run, cover, s->ask->is_lacking);
		return;
	}
	fprintf(out->file, "%" PRIu64 " events on %zu machine%s, %" PRIu64 " dropped\n", cover->events, cover->machines,
		cover->machines == 1 ? "" : "s", cover->dropped);
	fflush(out->file);
	if (n == 0)
		fputs("ward: no machine took the query\nhint: ward cluster machines says who is there\n", notes);
	else if (ended < n)
		print_missing(notes, fleet, n - ended);
	print_gaps(notes, fleet);
	if (n && cluster_fleet_is_adopted(fleet) && cluster_fleet_count_whole(fleet) == n &&
		!cluster_fleet_is_complete(fleet))
		fputs("ward: whether machines have gone before it was taken over isn't known: its journal isn't here\n"
		      "hint: --expect FILE names those that must be there\n",
			notes);
	print_missed(notes, fleet);
	cluster_records_print_end(s, out, notes);
	if (!s->ask->quiet)
		fprintf(notes, "query %s ended\n", cluster_run_id(s->run));
}
