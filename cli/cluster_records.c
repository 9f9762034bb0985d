/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of many machines, as they come: a line each, in order of time, with the machine and process before it. What
 * isn't among them is named by machine at the end.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

#include "cluster/wire/shape.h"
#include "cluster_session.h"

/* ---- what can't be had ---- */

static bool is_followed(const struct ward_field *f)
{
	return f->kind == WARD_FIELD_RING || f->kind == WARD_FIELD_QUEUE;
}

static const char *field_lacks(const struct ward_field *f)
{
	if (f->kind == WARD_FIELD_FLIGHT)
		return "is no flight recorder: its dumps stay on the machine";
	for (uint32_t i = 0; is_followed(f) && i < f->n_values; i++)
		if (f->parts[i].is_site)
			return "are no records with the number of a site (ev->site): each process has its own";
	return NULL;
}

static int ring_refuse(void)
{
	return cli_error(CLI_USAGE, "records", "a member WARD_RING(struct record, 65536) of its state is one",
		"the probe has no ring of records");
}

int cluster_records_check(const void *module, size_t size, bool needs_ring)
{
	struct ward_error err = {0};
	ward_schema *schema = NULL;
	ward_snapshot *fields = NULL;
	const char *why = NULL;
	char name[256] = "";

	if (ward_schema_read(module, size, &schema, &err))
		return cli_library_error(&err);
	fields = cluster_shape_fields(schema);
	for (size_t i = 0; fields && i < ward_snapshot_fields(fields) && !why; i++) {
		why = field_lacks(ward_snapshot_field(fields, i));
		snprintf(name, sizeof(name), "%s", ward_snapshot_field(fields, i)->name);
	}
	for (size_t i = 0; needs_ring && fields && i < ward_snapshot_fields(fields); i++)
		needs_ring = !is_followed(ward_snapshot_field(fields, i));
	ward_snapshot_free(fields);
	ward_schema_free(schema);
	if (!why)
		return needs_ring ? ring_refuse() : CLI_OK;
	return cli_error(
		CLI_USAGE, name, "trace the machine by itself, with ward trace there", "on a cluster there %s", why);
}

/* ---- lines ---- */

struct show {
	struct cluster_ask *ask;
	cluster_run *run;
	bool any;
};

/* The member `time` has its machine's count at this moment, so other moments of the record are as far from it. */
static struct cli_clock event_clock(const struct cluster_ask *ask, const struct cluster_event *e)
{
	return (struct cli_clock){.counts = cli_record_origin(e->field, e->members).time,
		.epoch = (int64_t)e->at,
		.rate = ask->counts_per_us,
		.is_elsewhere = true};
}

static void event_print(struct cluster_ask *ask, const struct cluster_event *e)
{
	const struct cluster_record *r = e->record;
	struct cli_clock clock = event_clock(ask, e);
	struct cli_output out = *ask->out;
	char from[600], program[256], moment[64];

	out.clock = &clock;
	out.names = NULL; /* addresses are another process's */
	if (out.json) {
		const struct cli_sender sender = {.machine = r->stream.machine,
			.program = r->origin.program,
			.pid = r->origin.pid,
			.at = (int64_t)e->at,
			.is_late = r->is_late};
		cli_json_record_of(&out, e->field, e->members, &sender);
		return;
	}
	cli_clean_text(program, sizeof(program), r->origin.pid ? r->origin.program : "kernel");
	cli_moment_text(moment, sizeof(moment), (int64_t)e->at);
	snprintf(from, sizeof(from), r->origin.pid ? "%s  %s  %s(%u)" : "%s  %s  %s", moment, r->stream.machine,
		program, r->origin.pid);
	out.from = from;
	char *line = cli_record_text(&out, e->field, e->members);
	fprintf(out.file, "%s\n", line ? line : e->field->name);
	free(line);
}

static void event_show(void *user, const struct cluster_event *e)
{
	struct show *s = user;
	const struct string_list *without = &s->ask->use->without;

	for (size_t i = 0; i < without->n; i++)
		if (strcmp(without->at[i], e->record->stream.machine) == 0)
			return;
	s->any = true;
	s->ask->events++;
	if (s->ask->ctf)
		cluster_ctf_add(s->ask->ctf, e);
	else if (s->ask->event)
		s->ask->event(s->ask, e);
	else
		event_print(s->ask, e);
}

/* A query that was begun elsewhere may have another module than one has thought. */
int cluster_records_begin(struct cluster_ask *ask, cluster_run *run)
{
	if (!ask->ctf_path)
		return CLI_OK;
	if (!cluster_run_has_records(run))
		return ring_refuse();
	ask->ctf = cluster_ctf_open(ask->ctf_path, cluster_run_schema(run, 0));
	return ask->ctf ? CLI_OK : cli_error(CLI_USAGE, NULL, "free some memory and try again", "out of memory");
}

int cluster_records_show(struct cluster_ask *ask, cluster_run *run, struct cluster_now now, bool everything)
{
	struct show s = {ask, run, false};
	struct ward_error err = {0};

	if (cluster_run_records(run, now, everything, event_show, &s, &err))
		return cli_library_error(&err);
	if (ask->ctf && cluster_ctf_write(ask->ctf) != CLI_OK)
		ask->has_enough = true; /* what can't be written ends it; closing says so once more */
	if (s.any)
		fflush(ask->out->file);
	return CLI_OK;
}

/* ---- the end ---- */

static void part_add(char *text, size_t size, uint64_t n, const char *what)
{
	size_t used = strlen(text);

	if (n)
		snprintf(text + used, size - used, "%s%" PRIu64 " %s", used ? ", " : "", n, what);
}

bool cluster_records_lack(const struct cluster_record_counts *c, char *text, size_t size)
{
	*text = 0;
	part_add(text, size, c->unread, "lost there before they were read");
	part_add(text, size, c->given_up, "given up there while the bus or this computer was away");
	part_add(text, size, c->missing, "never came");
	return *text != 0;
}

void cluster_records_print_end(const struct cluster_session *session, struct cli_output *out, FILE *notes)
{
	cluster_run *run = session->run;
	uint64_t events = session->ask->events;
	const struct cluster_fleet_machine *m;
	char text[300];

	if (!cluster_run_has_records(run))
		return;
	fprintf(out->file, "%" PRIu64 " record%s, %" PRIu64 " late\n", events, events == 1 ? "" : "s",
		cluster_run_record_counts(run, NULL).late);
	fflush(out->file);
	for (size_t i = 0; (m = cluster_fleet_at(cluster_run_fleet(run), i)); i++) {
		struct cluster_record_counts c = cluster_run_record_counts(run, m->name);
		if (!cluster_records_lack(&c, text, sizeof(text)))
			continue;
		fprintf(notes, "ward: %" PRIu64 " records of ", c.unread + c.given_up + c.missing);
		cli_print_clean(notes, m->name);
		fprintf(notes, " aren't in the result: %s\n", text);
	}
}

void cluster_records_json(struct json_object *o, const cluster_run *run, const char *machine)
{
	struct cluster_record_counts c = cluster_run_record_counts(run, machine);
	struct json_object *records = json_object_new_object();

	json_object_object_add(records, "taken", json_object_new_uint64(c.taken));
	json_object_object_add(records, "late", json_object_new_uint64(c.late));
	json_object_object_add(records, "unread", json_object_new_uint64(c.unread));
	json_object_object_add(records, "given_up", json_object_new_uint64(c.given_up));
	json_object_object_add(records, "missing", json_object_new_uint64(c.missing));
	json_object_object_add(o, "records", records);
}
