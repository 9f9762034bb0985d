/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SARIF 2.1.0 (OASIS, 27 March 2020), section 3, as a table: each kind of object with its members. The standard's
 * schema allows no other members except in property bags, so a member that isn't here is a mistake, of the tool or of
 * this table. Types, required members, least values, alternatives and sets are those of the schema of the standard's
 * first errata, sarif-schema-2.1.0.json.
 */
#include "sarif.h"

#include <stdio.h>
#include <string.h>

enum type {
	STRING,
	URI,
	LEVEL,
	INDEX,
	LINE,
	COUNT,
	BOOLEAN,
	BAG,
	OBJECT,
	ARRAY,
	SET /* an array whose elements all differ */
};

enum kind {
	NO_KIND,
	LOG,
	RUN,
	TOOL,
	COMPONENT,
	RULE,
	MULTIFORMAT,
	INVOCATION,
	RESULT,
	MESSAGE,
	LOCATION,
	PHYSICAL,
	ARTIFACT,
	REGION,
	ADDRESS,
	N_KINDS
};

struct member {
	enum kind of;
	const char *name;
	enum type type;
	enum kind kind; /* of OBJECT, and of the elements of ARRAY */
	bool required;
};

/* clang-format off */
static const struct member members[] = {
	{LOG, "$schema", URI, NO_KIND, false},
	{LOG, "version", STRING, NO_KIND, true},
	{LOG, "runs", ARRAY, RUN, true},
	{RUN, "tool", OBJECT, TOOL, true},
	{RUN, "invocations", ARRAY, INVOCATION, false},
	{RUN, "results", ARRAY, RESULT, false},
	{TOOL, "driver", OBJECT, COMPONENT, true},
	{COMPONENT, "name", STRING, NO_KIND, true},
	{COMPONENT, "version", STRING, NO_KIND, false},
	{COMPONENT, "informationUri", URI, NO_KIND, false},
	{COMPONENT, "rules", SET, RULE, false},
	{RULE, "id", STRING, NO_KIND, true},
	{RULE, "shortDescription", OBJECT, MULTIFORMAT, false},
	{RULE, "fullDescription", OBJECT, MULTIFORMAT, false},
	{RULE, "help", OBJECT, MULTIFORMAT, false},
	{RULE, "properties", BAG, NO_KIND, false},
	{MULTIFORMAT, "text", STRING, NO_KIND, true},
	{MULTIFORMAT, "markdown", STRING, NO_KIND, false},
	{INVOCATION, "executionSuccessful", BOOLEAN, NO_KIND, true},
	{RESULT, "ruleId", STRING, NO_KIND, false},
	{RESULT, "ruleIndex", INDEX, NO_KIND, false},
	{RESULT, "level", LEVEL, NO_KIND, false},
	{RESULT, "message", OBJECT, MESSAGE, true},
	{RESULT, "locations", ARRAY, LOCATION, false},
	{RESULT, "relatedLocations", SET, LOCATION, false},
	{MESSAGE, "text", STRING, NO_KIND, true}, /* or an id; ward-verify has none */
	{LOCATION, "physicalLocation", OBJECT, PHYSICAL, false},
	{LOCATION, "message", OBJECT, MESSAGE, false},
	{PHYSICAL, "artifactLocation", OBJECT, ARTIFACT, false}, /* this or an address: see below */
	{PHYSICAL, "address", OBJECT, ADDRESS, false},
	{PHYSICAL, "region", OBJECT, REGION, false},
	{ARTIFACT, "uri", URI, NO_KIND, false},
	{REGION, "startLine", LINE, NO_KIND, false}, /* this or an offset: see below */
	{REGION, "byteOffset", COUNT, NO_KIND, false},
	{REGION, "byteLength", COUNT, NO_KIND, false},
	{ADDRESS, "relativeAddress", COUNT, NO_KIND, false},
};

static const struct {
	enum kind of;
	const char *one, *other;
} alternatives[] = {
	{PHYSICAL, "artifactLocation", "address"},
	{REGION, "startLine", "byteOffset"},
};
/* clang-format on */

enum { N_MEMBERS = sizeof members / sizeof members[0] };

struct judge {
	char *why;
	size_t size;
	char path[300];
};

static bool wrong(struct judge *j, const char *name, const char *what)
{
	snprintf(j->why, j->size, "%s.%s: %s", j->path, name, what);
	return false;
}

static bool is_uri(const char *s)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=%";
	for (; *s; s++) {
		if (!strchr(allowed, *s) || (*s == '%' && strspn(s + 1, "0123456789ABCDEFabcdef") < 2))
			return false;
	}
	return true;
}

/* No two elements are equal. */
static bool distinct(struct json_object *array)
{
	size_t n = json_object_array_length(array);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (json_object_equal(json_object_array_get_idx(array, i), json_object_array_get_idx(array, k)))
				return false;
	return true;
}

/* A property bag may hold anything; its tags, if it has any, are strings that differ. */
static bool bag_holds(struct json_object *o)
{
	struct json_object *tags;
	if (!json_object_is_type(o, json_type_object))
		return false;
	if (!json_object_object_get_ex(o, "tags", &tags))
		return true;
	if (!json_object_is_type(tags, json_type_array) || !distinct(tags))
		return false;
	for (size_t i = 0; i < json_object_array_length(tags); i++)
		if (!json_object_is_type(json_object_array_get_idx(tags, i), json_type_string))
			return false;
	return true;
}

static bool scalar_holds(enum type type, struct json_object *o)
{
	const char *s = json_object_is_type(o, json_type_string) ? json_object_get_string(o) : NULL;
	bool number = json_object_is_type(o, json_type_int);
	switch (type) {
	case STRING: return s != NULL;
	case URI: return s && is_uri(s);
	case LEVEL:
		return s && (!strcmp(s, "none") || !strcmp(s, "note") || !strcmp(s, "warning") || !strcmp(s, "error"));
	case INDEX: return number && json_object_get_int64(o) >= -1;
	case LINE: return number && json_object_get_int64(o) >= 1;
	case COUNT: return number && json_object_get_int64(o) >= 0;
	case BOOLEAN: return json_object_is_type(o, json_type_boolean);
	case BAG: return bag_holds(o);
	default: return false;
	}
}

static const struct member *member_of(enum kind kind, const char *name)
{
	for (size_t i = 0; i < N_MEMBERS; i++) {
		if (members[i].of == kind && !strcmp(members[i].name, name))
			return &members[i];
	}
	return NULL;
}

static bool object_holds(struct judge *j, enum kind kind, struct json_object *o);

/* One member, with its place added to the path while it is looked at. */
static bool member_holds(struct judge *j, const struct member *m, struct json_object *value)
{
	size_t length = strlen(j->path), n;
	bool holds = true;
	bool list = m->type == ARRAY || m->type == SET;
	if (m->type != OBJECT && !list)
		return scalar_holds(m->type, value) || wrong(j, m->name, "of the wrong type, or out of range");
	if (list && !json_object_is_type(value, json_type_array))
		return wrong(j, m->name, "no array");
	if (m->type == SET && !distinct(value))
		return wrong(j, m->name, "the same element twice");
	n = list ? json_object_array_length(value) : 1;
	for (size_t i = 0; holds && i < n; i++) {
		snprintf(j->path + length, sizeof j->path - length, ".%s[%zu]", m->name, i);
		holds = object_holds(j, m->kind, list ? json_object_array_get_idx(value, i) : value);
	}
	j->path[length] = 0;
	return holds;
}

static bool object_holds(struct judge *j, enum kind kind, struct json_object *o)
{
	if (!json_object_is_type(o, json_type_object))
		return wrong(j, "", "no object");
	for (size_t i = 0; i < N_MEMBERS; i++) {
		if (members[i].of == kind && members[i].required &&
			!json_object_object_get_ex(o, members[i].name, NULL))
			return wrong(j, members[i].name, "required, and missing");
	}
	for (size_t i = 0; i < sizeof alternatives / sizeof alternatives[0]; i++) {
		if (alternatives[i].of == kind && !json_object_object_get_ex(o, alternatives[i].one, NULL) &&
			!json_object_object_get_ex(o, alternatives[i].other, NULL))
			return wrong(j, alternatives[i].one, "missing, and so is the alternative");
	}
	json_object_object_foreach(o, name, value)
	{
		const struct member *m = member_of(kind, name);
		if (!m)
			return wrong(j, name, "not known to the standard");
		if (!member_holds(j, m, value))
			return false;
	}
	return true;
}

/* A result's rule is the one that its index says. */
static bool rules_hold(struct judge *j, struct json_object *run)
{
	struct json_object *results, *rules, *o, *index, *id, *rule_id;
	json_object_object_get_ex(run, "tool", &o);
	json_object_object_get_ex(o, "driver", &o);
	if (!json_object_object_get_ex(run, "results", &results) || !json_object_object_get_ex(o, "rules", &rules))
		return true;
	for (size_t i = 0; i < json_object_array_length(results); i++) {
		o = json_object_array_get_idx(results, i);
		if (!json_object_object_get_ex(o, "ruleIndex", &index) || !json_object_object_get_ex(o, "ruleId", &id))
			return wrong(j, "results", "a result without a rule");
		o = json_object_array_get_idx(rules, (size_t)json_object_get_int64(index));
		if (!o || !json_object_object_get_ex(o, "id", &rule_id) ||
			strcmp(json_object_get_string(id), json_object_get_string(rule_id)) != 0)
			return wrong(j, "results", "ruleIndex and ruleId disagree");
	}
	return true;
}

bool sarif_holds(struct json_object *log, char *why, size_t size)
{
	struct judge j = {why, size, "log"};
	struct json_object *o;
	if (!object_holds(&j, LOG, log))
		return false;
	json_object_object_get_ex(log, "version", &o);
	if (strcmp(json_object_get_string(o), "2.1.0") != 0)
		return wrong(&j, "version", "not 2.1.0");
	json_object_object_get_ex(log, "runs", &o);
	for (size_t i = 0; i < json_object_array_length(o); i++) {
		if (!rules_hold(&j, json_object_array_get_idx(o, i)))
			return false;
	}
	return true;
}
