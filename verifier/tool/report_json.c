/* SPDX-License-Identifier: Apache-2.0 */
/* The report for programs: one JSON object on one line. Later versions may add keys, but never change one. */
#include <stdlib.h>

#include "json.h"
#include "report.h"

static void put_names(
	struct maker *m, struct json_object *o, const char *key, unsigned mask, const char *(*name)(unsigned))
{
	struct json_object *array = json_put_array(m, o, key);

	for (unsigned i = 0; i < 32; i++) {
		if (mask >> i & 1)
			json_append(m, array, json_object_new_string(name(i)));
	}
}

static const char *need_at(unsigned i)
{
	return ward_need_name(UINT32_C(1) << i);
}

/* Names of the module's imports of a mask. */
static void put_imports(struct maker *m, struct json_object *o, const struct ward_module_facts *facts, uint64_t mask)
{
	struct json_object *array = json_put_array(m, o, "imports");

	for (size_t i = 0; i < facts->n_imports; i++) {
		if (mask >> i & 1)
			json_append(m, array, json_object_new_string(ward_import_name(facts->imports[i].import)));
	}
}

static void append_entry(struct maker *m, struct json_object *entries, const struct ward_module_facts *facts,
	const struct ward_entry_facts *e)
{
	struct json_object *o = json_append_object(m, entries);

	json_put_string(m, o, "name", e->name);
	json_put_string(m, o, "site", e->site);
	json_put_string(m, o, "kind", e->kind ? "return" : "entry");
	json_put_string(m, o, "state_type", e->state_type);
	json_put_number(m, o, "address", e->addr);
	json_put_number(m, o, "max_insns", e->max_insns);
	json_put_number(m, o, "stack_bytes", e->stack_bytes);
	put_names(m, o, "clobbers", e->clobbers, ward_register_name);
	put_names(m, o, "event_fields", e->event_fields, ward_event_field_name);
	json_put_bool(m, o, "writes_state", e->writes_state);
	put_imports(m, o, facts, e->imports);
	put_names(m, o, "needs", e->needs, need_at);
}

static void put_line(struct maker *m, struct json_object *o, const struct source_line *line)
{
	json_put_string(m, o, "file", line->file);
	if (line->file)
		json_put_number(m, o, "line", line->line);
	else
		json_put_string(m, o, "line", NULL);
}

static void put_origin(struct maker *m, struct json_object *violation, const struct report *r, size_t i)
{
	const struct ward_violation *v = &r->verdict->violations[i];
	struct json_object *o;

	if (!v->origin_pc)
		return;
	o = json_put_object(m, violation, "origin");
	json_put_string(m, o, "register", v->origin_register);
	json_put_string(m, o, "how", v->origin_how);
	json_put_string(m, o, "limit", v->origin_limit);
	json_put_number(m, o, "pc", v->origin_pc);
	put_line(m, o, &r->lines[r->shown + i]);
}

static void append_violation(struct maker *m, struct json_object *violations, const struct report *r, size_t i)
{
	const struct ward_violation *v = &r->verdict->violations[i];
	struct json_object *o = json_append_object(m, violations);
	char *detail = report_detail(r, i), hint[100];
	struct place place;

	m->failed |= !detail;
	json_put_string(m, o, "rule", ward_rule_number(v->rule));
	json_put_number(m, o, "pc", v->pc);
	put_line(m, o, &r->lines[i]);
	json_put_string(m, o, "reason", v->reason);
	json_put_string(m, o, "detail", detail);
	json_put_string(m, o, "property", ward_rule_property(v->rule));
	json_put_string(m, o, "instruction", report_place(r, v->pc, &place) ? place.text : NULL);
	json_put_string(m, o, "hint", report_hint_of(v, hint, sizeof hint));
	put_origin(m, o, r, i);
	free(detail);
}

static void put_features(struct maker *m, struct json_object *o, uint32_t features)
{
	struct json_object *array = json_put_array(m, o, "features");

	for (uint32_t f = 1; f; f <<= 1) {
		if (features & f)
			json_append(m, array, json_object_new_string(ward_feature_name(f)));
	}
}

bool report_json(FILE *out, const struct report *r)
{
	const struct ward_verdict *v = r->verdict;
	const struct ward_module_facts *facts = &v->module;
	struct maker m = {false};
	struct json_object *o = json_object_new_object(), *entries, *violations;

	json_put_string(&m, o, "verdict", v->accepted ? "accept" : "reject");
	json_put_string(&m, o, "module", r->path);
	entries = json_put_array(&m, o, "entries");
	for (size_t i = 0; v->accepted && i < facts->n_entries; i++)
		append_entry(&m, entries, facts, &facts->entries[i]);
	json_put_number(&m, o, "n_violations", v->n_violations);
	violations = json_put_array(&m, o, "violations");
	for (size_t i = 0; i < r->shown; i++)
		append_violation(&m, violations, r, i);
	if (v->accepted) {
		json_put_string(&m, o, "profile", facts->profile == WARD_PROFILE_KERNEL ? "kernel" : "user");
		json_put_number(&m, o, "state_bytes", facts->state_size);
		json_put_number(&m, o, "insns", facts->n_insns);
		put_features(&m, o, facts->features);
		put_imports(&m, o, facts, UINT64_MAX);
	}
	return json_finish(&m, o, out);
}
