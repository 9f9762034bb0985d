/* SPDX-License-Identifier: Apache-2.0 */
/* Print results for programs: one JSON object a line, as the manual promises. */
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* An object as text, malloc'd. NULL without memory. The object is released. */
static char *object_text(const struct cli_output *out, struct json_object *object)
{
	if (out->from)
		json_object_object_add(object, "from", json_object_new_string(out->from));
	char *text = cli_json_escape(
		json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	return text;
}

void cli_json_put(struct cli_output *out, struct json_object *object)
{
	char *text = object_text(out, object);
	fprintf(out->file, "%s\n", text ? text : "{}");
	free(text);
}

void cli_json_line(struct cli_output *out, struct json_object *object)
{
	cli_json_put(out, object);
	fflush(out->file); /* readers want it now */
}

static struct json_object *make_integer(uint64_t value, bool is_signed)
{
	return is_signed ? json_object_new_int64((int64_t)value) : json_object_new_uint64(value);
}

static struct json_object *make_line(const char *type)
{
	struct json_object *o = json_object_new_object();
	json_object_object_add(o, "type", json_object_new_string(type));
	return o;
}

static void add_count(struct json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}

static struct json_object *make_real(double value)
{
	if (isfinite(value))
		return json_object_new_double(value);
	return json_object_new_string(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"); /* JSON has no such numbers */
}

/* A field's results become members of an object. What has begun is on a stack. */
struct builder {
	struct json_object *at[4]; /* the object, a list of it, a row of that */
	size_t depth;
	size_t n; /* members of the object */
};

static void add_member(struct builder *b, const char *name, struct json_object *value)
{
	struct json_object *at = b->at[b->depth];
	b->n += b->depth == 0;
	if (json_object_is_type(at, json_type_array))
		json_object_array_add(at, value);
	else
		json_object_object_add(at, name, value);
}

static void begin_member(struct builder *b, const char *name, struct json_object *value)
{
	add_member(b, name, value);
	if (b->depth + 1 < sizeof(b->at) / sizeof(b->at[0]))
		b->at[++b->depth] = value;
}

static void on_result(void *user, const struct ward_result *r)
{
	struct builder *b = user;
	switch (r->type) {
	case WARD_RESULT_NONE: add_member(b, r->name, NULL); break;
	case WARD_RESULT_UNSIGNED: add_member(b, r->name, make_integer(r->number, false)); break;
	case WARD_RESULT_SIGNED: add_member(b, r->name, make_integer(r->number, true)); break;
	case WARD_RESULT_REAL: add_member(b, r->name, make_real(r->real)); break;
	case WARD_RESULT_WIDE: add_member(b, r->name, json_object_new_double_s(r->real, r->text)); break;
	case WARD_RESULT_TEXT: add_member(b, r->name, cli_json_string(r->text)); break;
	case WARD_RESULT_LIST: begin_member(b, r->name, json_object_new_array()); break;
	case WARD_RESULT_ROW: begin_member(b, r->name, json_object_new_object()); break;
	case WARD_RESULT_END: b->depth -= b->depth > 0; break;
	}
}

/* Put a field's results into its object. Returns how many there are. */
static size_t add_results(struct json_object *o, const struct ward_field *f)
{
	struct builder b = {.at = {o}};
	ward_field_results(f, on_result, &b);
	return b.n;
}

/* A value that is all there is as itself, all else as an object. */
static struct json_object *make_part(const struct ward_field *f)
{
	struct json_object *o = json_object_new_object(), *value = NULL;
	if (add_results(o, f) != 1 || !json_object_object_get_ex(o, "value", &value))
		return o;
	value = json_object_get(value);
	json_object_put(o);
	return value;
}

/* Parts by their names. One that is all there is to a key or value stands for itself. */
static struct json_object *make_parts(const struct ward_field *fields, size_t n, const char *alone)
{
	struct json_object *o;
	if (n == 1 && strcmp(fields[0].name, alone) == 0)
		return make_part(&fields[0]);
	o = json_object_new_object();
	for (size_t i = 0; i < n; i++)
		json_object_object_add(o, fields[i].name, make_part(&fields[i]));
	return o;
}

/* Where make_parts puts it: "value.took", or "value" for one that stands for itself. */
static void path_of_part(
	char *path, size_t size, const struct ward_field *f, size_t n, const char *within, const char *alone)
{
	bool is_alone = n == 1 && strcmp(f->name, alone) == 0;
	snprintf(path, size, "%s%s%s", within, is_alone ? "" : ".", is_alone ? "" : f->name);
}

/* Texts that aren't UTF-8 have their bytes beside them, by their paths, in the member `bytes` of the object. */
static void add_bytes(
	struct json_object *o, const struct ward_field *fields, size_t n, const char *within, const char *alone)
{
	struct json_object *bytes = NULL;
	char path[2 * 200];
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = &fields[i];
		if (!f->text || cli_is_utf8(f->text))
			continue;
		if (!json_object_object_get_ex(o, "bytes", &bytes))
			json_object_object_add(o, "bytes", bytes = json_object_new_object());
		path_of_part(path, sizeof(path), f, n, within, alone);
		json_object_object_add(bytes, path, cli_json_bytes(f->text));
	}
}

/* Moments stay counts, with what they are in nanoseconds since 1970 beside them, by their paths. */
static void add_moments(const struct cli_output *out, struct json_object *o, const struct ward_field *fields, size_t n,
	const char *within, const char *alone)
{
	struct json_object *moments = NULL;
	char path[2 * 200];
	int64_t ns;
	for (size_t i = 0; i < n; i++) {
		const struct ward_field *f = &fields[i];
		if (f->unit != WARD_UNIT_TIME || f->is_empty || !cli_field_is_line(f) ||
			!cli_clock_moment(out->clock, f->value, &ns))
			continue;
		if (!json_object_object_get_ex(o, "epoch_ns", &moments))
			json_object_object_add(o, "epoch_ns", moments = json_object_new_object());
		path_of_part(path, sizeof(path), f, n, within, alone);
		json_object_object_add(moments, path, json_object_new_int64(ns));
	}
}

/* Parts that are addresses have a name of their own where it isn't the same in all processes. */
static void add_own_names(struct cli_output *out, struct json_object *o, const struct ward_field *fields, size_t n,
	struct cli_origin from)
{
	struct json_object *names = NULL;
	json_object_object_get_ex(o, "names", &names);
	for (size_t i = 0; i < n; i++) {
		bool is_address = fields[i].is_address && fields[i].kind == WARD_FIELD_VALUE;
		char *own = is_address ? cli_names_own(out, fields[i].value, from) : NULL;
		if (own && !names)
			json_object_object_add(o, "names", names = json_object_new_object());
		if (own)
			json_object_object_add(names, fields[i].name, cli_json_string(own));
		free(own);
	}
}

static void add_entry_names(
	struct cli_output *out, struct json_object *o, const struct ward_field *f, const struct ward_map_entry *e)
{
	struct cli_origin from = {.thread = e->thread};
	struct ward_field key = {.name = "key", .kind = WARD_FIELD_VALUE, .is_address = f->is_address, .value = e->key};
	if (f->n_keys == 0)
		add_own_names(out, o, &key, 1, from);
	add_own_names(out, o, e->keys, f->n_keys, from);
	add_own_names(out, o, e->values, f->n_values, from);
}

static struct json_object *make_value(const struct ward_field *f, const struct ward_map_entry *e)
{
	return f->n_values ? make_parts(e->values, f->n_values, "value") : make_integer(e->value, f->value_is_signed);
}

static struct json_object *make_entries(struct cli_output *out, const struct ward_field *f)
{
	struct json_object *list = json_object_new_array_ext((int)f->n);
	for (size_t i = 0; i < f->n; i++) {
		const struct ward_map_entry *at = &f->entries[i];
		struct json_object *e = json_object_new_object();
		json_object_object_add(e, "key",
			f->n_keys ? make_parts(at->keys, f->n_keys, "key") : make_integer(at->key, f->key_is_signed));
		json_object_object_add(e, "value", make_value(f, at));
		if (ward_kind(f->kind)->has_error)
			add_count(e, "error", at->error);
		add_bytes(e, at->keys, f->n_keys, "key", "key");
		add_bytes(e, at->values, f->n_values, "value", "value");
		add_moments(out, e, at->keys, f->n_keys, "key", "key");
		add_moments(out, e, at->values, f->n_values, "value", "value");
		add_entry_names(out, e, f, at);
		json_object_array_add(list, e);
	}
	return list;
}

static void add_map(struct cli_output *out, struct json_object *o, const struct ward_field *f)
{
	json_object_object_add(o, "entries", make_entries(out, f));
	if (f->other)
		json_object_object_add(o, "other", make_value(f, f->other));
	if (f->other)
		add_bytes(o, f->other->values, f->n_values, "other", "value");
	add_results(o, f);
	if (f->unlisted)
		add_count(o, "unlisted", f->unlisted);
}

static const char *unit_name(enum ward_unit unit)
{
	return unit == WARD_UNIT_NS ? "ns" : unit == WARD_UNIT_TIME ? "tsc" : "counts";
}

static struct json_object *make_field_line(const char *type, const struct ward_field *f)
{
	struct json_object *o = make_line(type);
	json_object_object_add(o, "field", json_object_new_string(f->name));
	return o;
}

static void note_part_addresses(struct cli_output *out, const struct ward_field *fields, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fields[i].is_address && ward_kind(fields[i].kind)->form == WARD_FORM_LINE)
			cli_names_note(out, fields[i].value);
}

/* Note the addresses in a field, so that their names are printed at the end. */
static void note_addresses(struct cli_output *out, const struct ward_field *f)
{
	note_part_addresses(out, f, 1);
	for (size_t i = 0; f->entries && i < f->n; i++) {
		if (f->n_keys == 0 && f->is_address)
			cli_names_note(out, f->entries[i].key);
		note_part_addresses(out, f->entries[i].keys, f->n_keys);
		note_part_addresses(out, f->entries[i].values, f->n_values);
	}
}

static struct json_object *make_record_line(
	struct cli_output *out, const struct ward_field *f, const struct ward_record *r)
{
	struct json_object *o = make_field_line("record", f);
	add_count(o, "thread", r->thread);
	if (r->dump < f->n_dumps)
		add_count(o, "dump", r->dump + 1);
	add_count(o, "number", r->number);
	json_object_object_add(o, "record", make_parts(r->members, f->n_values, ""));
	add_bytes(o, r->members, f->n_values, "record", "");
	add_moments(out, o, r->members, f->n_values, "record", "");
	add_own_names(out, o, r->members, f->n_values, cli_record_origin(f, r));
	note_part_addresses(out, r->members, f->n_values);
	return o;
}

void cli_json_record(struct cli_output *out, const struct ward_field *f, const struct ward_record *r)
{
	cli_json_put(out, make_record_line(out, f, r));
}

void cli_json_record_of(struct cli_output *out, const struct ward_field *f, const struct ward_record *r,
	const struct cli_sender *sender)
{
	struct json_object *o = make_record_line(out, f, r);
	json_object_object_add(o, "machine", cli_json_string(sender->machine));
	if (sender->pid) {
		add_count(o, "pid", sender->pid);
		json_object_object_add(o, "process", cli_json_string(sender->program));
	}
	json_object_object_add(o, "at", json_object_new_int64(sender->at));
	if (sender->is_late)
		json_object_object_add(o, "late", json_object_new_boolean(true));
	cli_json_put(out, o);
}

char *cli_json_record_text(struct cli_output *out, const struct ward_field *f, const struct ward_record *r)
{
	return object_text(out, make_record_line(out, f, r));
}

void cli_json_sequence(struct cli_output *out, const struct cli_merge *merge)
{
	struct json_object *o = make_line("sequence");
	add_count(o, "records", merge->printed);
	add_count(o, "late", merge->late);
	add_count(o, "lost", merge->lost);
	add_count(o, "others", merge->others);
	cli_json_line(out, o);
}

/* A ring's records have been printed, or written, as they came. A flight recorder's stand before its own line. */
static void add_records(
	struct cli_output *out, struct json_object *o, const struct ward_field *f, const ward_stream *stream)
{
	struct ward_field all = *f;
	uint64_t read_so_far = f->n;
	bool is_flight = f->n_dumps != 0;
	if (!is_flight && stream)
		ward_stream_totals(stream, f->name, &read_so_far, &all.lost);
	else if (!is_flight && out->ctf)
		ward_ctf_totals(out->ctf, f->name, &read_so_far, &all.lost);
	for (size_t i = 0; is_flight && i < f->n; i++)
		cli_json_record(out, f, &f->records[i]);
	all.n = (size_t)read_so_far;
	add_results(o, &all);
}

void cli_json_snapshot(struct cli_output *out, const ward_snapshot *snapshot, const ward_stream *stream)
{
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		const struct ward_kind *kind = ward_kind(f->kind);
		if (kind->form == WARD_FORM_STOP)
			continue; /* they come at the end */
		if (kind->form == WARD_FORM_RECORDS && out->is_streamed)
			continue;
		struct json_object *o = make_field_line("field", f);
		json_object_object_add(o, "kind", json_object_new_string(kind->name));
		if (f->unit)
			json_object_object_add(o, "unit", json_object_new_string(unit_name(f->unit)));
		switch (kind->form) {
		case WARD_FORM_ENTRIES: add_map(out, o, f); break;
		case WARD_FORM_RECORDS: add_records(out, o, f, stream); break;
		default:
			add_results(o, f);
			add_bytes(o, f, 1, "value", f->name);
			add_moments(out, o, f, 1, "value", f->name);
		}
		note_addresses(out, f);
		cli_json_line(out, o);
	}
}

static struct json_object *make_stops(const ward_snapshot *snapshot)
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

static void print_address_name(struct cli_output *out, uint64_t address, const char *name)
{
	struct json_object *o = make_line("address");
	add_count(o, "value", address);
	json_object_object_add(o, "name", cli_json_string(name));
	cli_json_line(out, o);
}

/*
 * What an enumeration's numbers are called, by number: of a field, or of what is at `path` in its entries or records.
 */
static void print_enumeration(
	struct cli_output *out, const char *field, const char *path, const struct ward_enumeration *e, bool is_signed)
{
	if (!e)
		return;
	struct json_object *o = make_line("enumeration"), *names = json_object_new_object();
	json_object_object_add(o, "field", json_object_new_string(field));
	if (*path)
		json_object_object_add(o, "of", json_object_new_string(path));
	json_object_object_add(o, "flags", json_object_new_boolean(e->is_flags));
	for (size_t i = 0; i < e->n; i++) {
		char number[24];
		snprintf(number, sizeof(number), is_signed ? "%" PRId64 : "%" PRIu64, e->names[i].value);
		json_object_object_add(names, number, json_object_new_string(e->names[i].name));
	}
	json_object_object_add(o, "names", names);
	cli_json_line(out, o);
}

/* What the numbers are amounts of that are at `path` in a field's entries or records. */
static void print_unit(struct cli_output *out, const char *field, const char *path, enum ward_unit unit)
{
	if (!unit)
		return;
	struct json_object *o = make_line("unit");
	json_object_object_add(o, "field", json_object_new_string(field));
	json_object_object_add(o, "of", json_object_new_string(path));
	json_object_object_add(o, "unit", json_object_new_string(unit_name(unit)));
	cli_json_line(out, o);
}

/* The parts of keys, values or records are where make_parts() puts them. */
static void describe_parts(
	struct cli_output *out, const struct ward_field *f, const struct ward_field *fields, size_t n, const char *what)
{
	char path[200];
	for (size_t i = 0; i < n; i++) {
		path_of_part(path, sizeof(path), &fields[i], n, what, what);
		print_enumeration(out, f->name, path, fields[i].enumeration, fields[i].value_is_signed);
		print_unit(out, f->name, path, fields[i].unit);
	}
}

/* Names and units of numbers. */
static void describe_numbers(struct cli_output *out, const ward_snapshot *snapshot)
{
	for (size_t i = 0; snapshot && i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		enum ward_form form = ward_kind(f->kind)->form;
		bool is_map = form == WARD_FORM_ENTRIES;
		print_enumeration(out, f->name, is_map ? "key" : "", f->enumeration,
			is_map ? f->key_is_signed : f->value_is_signed);
		describe_parts(out, f, f->parts, f->n_keys, "key");
		describe_parts(
			out, f, f->parts + f->n_keys, f->n_values, form == WARD_FORM_RECORDS ? "record" : "value");
	}
}

/* How long threads of the target were stopped. */
static struct json_object *make_pauses(const ward_session *session)
{
	struct json_object *o = json_object_new_object(), *list = json_object_new_array();
	struct ward_pauses pauses;
	ward_session_pauses(session, &pauses);
	add_count(o, "count", pauses.count);
	add_count(o, "total_ns", pauses.total);
	add_count(o, "max_ns", pauses.most);
	for (unsigned i = 0; i < 64; i++) {
		if (!pauses.by_power[i])
			continue;
		struct json_object *b = json_object_new_object();
		add_count(b, "lo", (uint64_t)1 << i);
		add_count(b, "hi", ((uint64_t)2 << i) - 1);
		add_count(b, "count", pauses.by_power[i]);
		json_object_array_add(list, b);
	}
	json_object_object_add(o, "buckets", list);
	return o;
}

void cli_json_end(struct cli_output *out, const ward_session *session, const struct ward_session_stats *stats,
	const ward_snapshot *snapshot, double rate)
{
	cli_names_each(out, print_address_name);
	describe_numbers(out, snapshot);
	struct json_object *o = make_line("end");
	json_object_object_add(o, "events", json_object_new_uint64(stats->events));
	json_object_object_add(o, "dropped", json_object_new_uint64(stats->dropped));
	json_object_object_add(o, "threads", json_object_new_int64(stats->threads));
	if (rate > 0)
		json_object_object_add(o, "counts_per_us", make_real(rate));
	uint64_t lost_stacks = out->names ? ward_names_lost_stacks(out->names->names) : 0;
	if (lost_stacks)
		json_object_object_add(o, "lost_stacks", json_object_new_uint64(lost_stacks));
	if (ward_session_shut(session))
		json_object_object_add(o, "shut", json_object_new_boolean(true));
	uint64_t held_back = ward_session_held_back(session);
	if (held_back)
		json_object_object_add(o, "held_back", json_object_new_uint64(held_back));
	json_object_object_add(o, "pauses", make_pauses(session));
	json_object_object_add(o, "violations", make_stops(snapshot));
	cli_json_line(out, o);
}

void cli_json_process(struct cli_output *out, const struct ward_process_report *report)
{
	struct json_object *o = make_line("process");
	json_object_object_add(o, "pid", json_object_new_int64(report->pid));
	json_object_object_add(o, "parent", json_object_new_int64(report->parent));
	json_object_object_add(o, "program", cli_json_string(report->program));
	json_object_object_add(o, "sites", json_object_new_int64(report->sites));
	json_object_object_add(o, "events", json_object_new_uint64(report->events));
	json_object_object_add(o, "dropped", json_object_new_uint64(report->dropped));
	if (report->reason)
		json_object_object_add(o, "reason", cli_json_string(report->reason));
	cli_json_line(out, o);
}

static struct json_object *make_names(const char *const *names, size_t n)
{
	struct json_object *a = json_object_new_array();
	for (size_t i = 0; i < n; i++)
		json_object_array_add(a, cli_json_string(names[i]));
	return a;
}

void cli_json_site(struct cli_output *out, const struct ward_site_report *report, const char *type)
{
	struct json_object *o = make_line(report->method ? type : "skip");
	char address[32];
	json_object_object_add(o, "site", cli_json_string(report->site));
	if (report->probe && *report->probe)
		json_object_object_add(o, "probe", cli_json_string(report->probe));
	if (report->module)
		json_object_object_add(o, "module", cli_json_string(report->module));
	if (report->version)
		json_object_object_add(o, "version", cli_json_string(report->version));
	if (report->n_aliases)
		json_object_object_add(o, "aliases", make_names(report->aliases, report->n_aliases));
	if (report->elsewhere)
		json_object_object_add(o, "elsewhere", cli_json_string(report->elsewhere));
	if (report->tails)
		json_object_object_add(o, "tails", json_object_new_int64(report->tails));
	if (report->symbol)
		json_object_object_add(o, "symbol", cli_json_string(report->symbol));
	if (report->address) {
		snprintf(address, sizeof(address), "%#" PRIx64, report->address);
		json_object_object_add(o, "address", json_object_new_string(address));
	}
	if (report->chosen)
		json_object_object_add(o, "chosen", cli_json_string(report->chosen));
	if (report->arguments)
		json_object_object_add(o, "arguments", cli_json_string(report->arguments));
	if (report->inlined)
		add_count(o, "inlined", report->inlined);
	if (report->later)
		json_object_object_add(o, "later", json_object_new_boolean(true));
	if (report->exits)
		json_object_object_add(o, "exits", json_object_new_int64(report->exits));
	if (report->method && strcmp(type, "attach") == 0)
		json_object_object_add(o, "number", json_object_new_int64(report->number));
	if (report->method)
		json_object_object_add(o, "method", json_object_new_string(report->method));
	else
		json_object_object_add(o, "reason", cli_json_string(report->reason ? report->reason : "unknown"));
	cli_json_line(out, o);
}
