/* Results for programs: one object a line, as the manual promises. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "cli.h"
#include "tool/report.h"

void cli_json_line(struct cli_output *out, struct json_object *object)
{
	fprintf(out->file, "%s\n", json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	fflush(out->file); /* whoever reads wants it now */
}

struct json_object *cli_json_string(const char *s)
{
	char *clean = text_clean(s);
	struct json_object *o = json_object_new_string(clean ? clean : "");
	free(clean);
	return o;
}

static struct json_object *integer(uint64_t value, bool is_signed)
{
	return is_signed ? json_object_new_int64((int64_t)value) : json_object_new_uint64(value);
}

static struct json_object *typed(const char *type)
{
	struct json_object *o = json_object_new_object();
	json_object_object_add(o, "type", json_object_new_string(type));
	return o;
}

static struct json_object *buckets(const struct ward_field *f)
{
	struct json_object *list = json_object_new_array_ext((int)f->n);
	for (size_t i = 0; i < f->n; i++) {
		struct json_object *b = json_object_new_object();
		json_object_object_add(b, "lo", json_object_new_uint64(f->buckets[i].lo));
		json_object_object_add(b, "hi", json_object_new_uint64(f->buckets[i].hi));
		json_object_object_add(b, "count", json_object_new_uint64(f->buckets[i].count));
		json_object_array_add(list, b);
	}
	return list;
}

static struct json_object *entries(const struct ward_field *f)
{
	struct json_object *list = json_object_new_array_ext((int)f->n);
	for (size_t i = 0; i < f->n; i++) {
		struct json_object *e = json_object_new_object();
		json_object_object_add(e, "key", integer(f->entries[i].key, f->key_is_signed));
		json_object_object_add(e, "value", integer(f->entries[i].value, f->value_is_signed));
		json_object_array_add(list, e);
	}
	return list;
}

void cli_json_snapshot(struct cli_output *out, const ward_snapshot *snapshot)
{
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		if (f->kind == WARD_FIELD_STOP)
			continue; /* they come at the end */
		struct json_object *o = typed("field");
		json_object_object_add(o, "field", json_object_new_string(f->name));
		json_object_object_add(o, "kind", json_object_new_string(cli_field_kind(f->kind)));
		if (f->kind == WARD_FIELD_LOG2) {
			json_object_object_add(o, "buckets", buckets(f));
		} else if (f->kind == WARD_FIELD_MAP) {
			json_object_object_add(o, "entries", entries(f));
			json_object_object_add(o, "lost", json_object_new_uint64(f->lost));
		} else {
			json_object_object_add(o, "value", integer(f->value, f->value_is_signed));
		}
		cli_json_line(out, o);
	}
}

static struct json_object *stops(const ward_snapshot *snapshot)
{
	struct json_object *list = json_object_new_array();
	for (size_t i = 0; snapshot && i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		if (f->kind != WARD_FIELD_STOP || !f->value)
			continue;
		struct json_object *o = json_object_new_object();
		json_object_object_add(o, "file", cli_json_string(f->name));
		json_object_object_add(o, "line", json_object_new_uint64(f->line));
		json_object_object_add(o, "count", json_object_new_uint64(f->value));
		json_object_object_add(o, "reason", json_object_new_string(cli_stop_text(f)));
		json_object_array_add(list, o);
	}
	return list;
}

void cli_json_end(struct cli_output *out, const struct ward_session_stats *stats, const ward_snapshot *snapshot)
{
	struct json_object *o = typed("end");
	json_object_object_add(o, "events", json_object_new_uint64(stats->events));
	json_object_object_add(o, "dropped", json_object_new_uint64(stats->dropped));
	json_object_object_add(o, "threads", json_object_new_int64(stats->threads));
	json_object_object_add(o, "violations", stops(snapshot));
	cli_json_line(out, o);
}

void cli_json_site(struct cli_output *out, const struct ward_site_report *report, const char *type)
{
	struct json_object *o = typed(report->method ? type : "skip");
	char address[32];
	json_object_object_add(o, "site", cli_json_string(report->site));
	if (report->probe && *report->probe)
		json_object_object_add(o, "probe", cli_json_string(report->probe));
	if (report->address) {
		snprintf(address, sizeof(address), "%#" PRIx64, report->address);
		json_object_object_add(o, "address", json_object_new_string(address));
	}
	if (report->method)
		json_object_object_add(o, "method", json_object_new_string(report->method));
	else
		json_object_object_add(o, "reason", cli_json_string(report->reason ? report->reason : "unknown"));
	cli_json_line(out, o);
}
