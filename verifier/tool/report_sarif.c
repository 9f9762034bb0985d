/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for code review tools: SARIF 2.1.0 (OASIS). Each violation has a location in the module file, as a byte
 * region; and one in the source if the debug information has it.
 */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "report.h"

/* A path as a relative or file URI reference: RFC 3986's unreserved characters and '/' stay, all else is escaped. */
static void put_uri(struct maker *m, struct json_object *location, const char *path)
{
	static const char keep[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
	struct json_object *artifact = json_put_object(m, location, "artifactLocation");
	char *uri = NULL;
	size_t size;
	FILE *f = open_memstream(&uri, &size);

	if (f) {
		fputs(path[0] == '/' ? "file://" : "", f);
		for (const char *c = path; *c; c++)
			fprintf(f, strchr(keep, *c) ? "%c" : "%%%02X", (unsigned char)*c);
		if (fclose(f) == 0)
			json_put_string(m, artifact, "uri", uri);
		else
			m->failed = true;
	} else {
		m->failed = true;
	}
	free(uri);
}

static void put_text(struct maker *m, struct json_object *o, const char *key, const char *text)
{
	json_put_string(m, json_put_object(m, o, key), "text", text);
}

static void append_rule(struct maker *m, struct json_object *rules, enum ward_rule rule)
{
	struct json_object *o = json_append_object(m, rules), *tags;

	json_put_string(m, o, "id", ward_rule_number(rule));
	put_text(m, o, "shortDescription", ward_rule_text(rule));
	put_text(m, o, "help", report_hint(rule));
	tags = json_put_array(m, json_put_object(m, o, "properties"), "tags");
	json_append(m, tags, json_object_new_string(ward_rule_property(rule)));
}

/* Where the number at fault comes from. */
static void put_origin(struct maker *m, struct json_object *related, const struct report *r, size_t i)
{
	const struct ward_violation *v = &r->verdict->violations[i];
	const struct source_line *line = &r->lines[r->shown + i];
	struct json_object *o, *physical;
	struct place place;
	char text[200];

	if (!v->origin_pc)
		return;
	o = json_append_object(m, related);
	snprintf(text, sizeof text, "%s was %s here", v->origin_register, v->origin_how);
	put_text(m, o, "message", text);
	physical = json_put_object(m, o, "physicalLocation");
	put_uri(m, physical, line->file ? line->file : r->path);
	if (line->file) {
		json_put_number(m, json_put_object(m, physical, "region"), "startLine", line->line);
	} else if (report_place(r, v->origin_pc, &place)) {
		json_put_number(m, json_put_object(m, physical, "region"), "byteOffset", place.offset);
		json_put_number(m, json_put_object(m, physical, "address"), "relativeAddress", v->origin_pc);
	}
}

/* In the source where that is known, and in the module in any case. */
static void put_location(struct maker *m, struct json_object *result, const struct report *r, size_t i)
{
	const struct ward_violation *v = &r->verdict->violations[i];
	struct json_object *locations = json_put_array(m, result, "locations"), *related = NULL, *physical, *region;
	struct place place;

	physical = json_put_object(m, json_append_object(m, locations), "physicalLocation");
	if (r->lines[i].file || v->origin_pc)
		related = json_put_array(m, result, "relatedLocations");
	if (r->lines[i].file) {
		put_uri(m, physical, r->lines[i].file);
		json_put_number(m, json_put_object(m, physical, "region"), "startLine", r->lines[i].line);
		physical = json_put_object(m, json_append_object(m, related), "physicalLocation");
	}
	put_uri(m, physical, r->path);
	if (report_place(r, v->pc, &place)) {
		region = json_put_object(m, physical, "region");
		json_put_number(m, region, "byteOffset", place.offset);
		json_put_number(m, region, "byteLength", place.length);
		json_put_number(m, json_put_object(m, physical, "address"), "relativeAddress", v->pc);
	}
	put_origin(m, related, r, i);
}

static void append_result(struct maker *m, struct json_object *results, const struct report *r, size_t i)
{
	const struct ward_violation *v = &r->verdict->violations[i];
	struct json_object *o = json_append_object(m, results), *message = json_put_object(m, o, "message");
	char text[1400], *detail = report_detail(r, i);

	m->failed |= !detail;
	snprintf(text, sizeof text, "%s: %s", v->reason, detail ? detail : "");
	free(detail);
	json_put_string(m, o, "ruleId", ward_rule_number(v->rule));
	json_put_number(m, o, "ruleIndex", v->rule);
	json_put_string(m, o, "level", "error");
	json_put_string(m, message, "text", text);
	put_location(m, o, r, i);
}

bool report_sarif(FILE *out, const struct report *r)
{
	struct maker m = {false};
	struct json_object *root = json_object_new_object(), *run, *driver, *rules, *results, *invocation;

	json_put_string(&m, root, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_put_string(&m, root, "version", "2.1.0");
	run = json_append_object(&m, json_put_array(&m, root, "runs"));
	driver = json_put_object(&m, json_put_object(&m, run, "tool"), "driver");
	json_put_string(&m, driver, "name", "ward-verify");
	json_put_string(&m, driver, "version", WARD_VERIFY_VERSION);
	rules = json_put_array(&m, driver, "rules");
	for (int rule = 0; rule < WARD_RULE_COUNT; rule++)
		append_rule(&m, rules, (enum ward_rule)rule);
	invocation = json_append_object(&m, json_put_array(&m, run, "invocations"));
	json_put_bool(&m, invocation, "executionSuccessful", true);
	results = json_put_array(&m, run, "results");
	for (size_t i = 0; i < r->shown; i++)
		append_result(&m, results, r, i);
	return json_finish(&m, root, out);
}
