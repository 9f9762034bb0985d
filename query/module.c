/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probe("file.c"): what a probe that was written by hand keeps. Its state, or a map of it, is rows: the parts of the
 * key, and a column for each value. These are a key and results as the query's own probe would have them, so all that
 * is behind a count works on them. Records of a ring are events; the reader keeps what is counted of them.
 *
 * The module is handed in by who compiles the query, as the table of types is.
 */
#include <inttypes.h>
#include <string.h>

#include "fields.h"
#include "pair.h"
#include "sources.h"
#include "uses.h"

/* ---- the source ---- */

/* What a chain begins with. */
static const struct node *root_of(const struct chain *c, const struct node *n)
{
	for (unsigned depth = 0; depth < 100; depth++) {
		const struct definition *d = n->kind == NODE_NAME ? find_definition(c->r, n->name) : NULL;

		if (d && d->node)
			n = d->node;
		else if ((n->kind == NODE_CALL || n->kind == NODE_MEMBER) && n->a && !is_source_root(n->a))
			n = n->a;
		else
			break;
	}
	return n;
}

bool is_module(const struct chain *c, const struct node *n)
{
	n = root_of(c, n);
	return n->kind == NODE_CALL && strcmp(n->name, "Probe") == 0;
}

/* THRESHOLD: 1000 */
static void add_define(struct chain *c, struct query_module_file *file, struct node *arg)
{
	int64_t number;

	if (file->n_defines == QUERY_MODULE_GIVEN)
		query_fail(c->r->maker.err, arg->span, NULL, "more than %d values for a probe", QUERY_MODULE_GIVEN);
	else if (resolve_labelled(c->r, arg, INT64_MIN, INT64_MAX, &number))
		file->defines[file->n_defines++] =
			query_format(c->r->maker.arena, "%s=%lld", arg->label, (long long)number);
}

static const char *text_of(struct chain *c, struct node *arg, const char *what)
{
	struct expr *e = resolve(c->r, arg, NULL, NULL);

	if (!chain_failed(c) && e->kind != EXPR_TEXT)
		query_fail(c->r->maker.err, arg->span, "Probe(\"slow.c\", \"libc.so.6!read\", THRESHOLD: 1000)",
			"%s is a text", what);
	return chain_failed(c) ? "" : e->text;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

/* Probe("file.c"), Probe(kernel, "file.c", "SITE", NAME: 5) */
static bool read_arguments(struct chain *c, struct node *n, struct query_module_file *file)
{
	struct node *arg = n->args;

	if (arg && arg->next && arg->kind == NODE_NAME && strcmp(arg->name, "kernel") == 0) {
		file->is_kernel = true;
		arg = arg->next;
	}
	if (!arg) {
		query_fail(c->r->maker.err, n->span, "Probe(\"leaks.c\")", "Probe of which file?");
		return false;
	}
	file->path = text_of(c, arg, "a probe's file");
	if (!chain_failed(c) && !ends_with(file->path, ".c") && !ends_with(file->path, ".ward"))
		query_fail(c->r->maker.err, arg->span, "a source is NAME.c, a module NAME.ward", "%.100s is no probe",
			file->path);
	for (arg = arg->next; arg && !chain_failed(c); arg = arg->next)
		if (arg->label)
			add_define(c, file, arg);
		else if (file->n_sites == QUERY_MODULE_GIVEN)
			query_fail(
				c->r->maker.err, arg->span, NULL, "more than %d sites for a probe", QUERY_MODULE_GIVEN);
		else
			file->sites[file->n_sites++] = text_of(c, arg, "a site");
	return !chain_failed(c);
}

void add_module(struct chain *c, struct node *n)
{
	struct query *q = c->r->query;
	struct plan *p = c->plan;
	struct query_module_file *file = chain_alloc(c, sizeof(*file));
	const char *why = NULL;

	if (p->n_sites || p->module.file) {
		query_fail(c->r->maker.err, n->span, "ask two questions", "a probe beside other sources");
		return;
	}
	if (!read_arguments(c, n, file))
		return;
	p->module.file = file;
	p->sites[0] = (struct plan_site){.text = file->path, .span = n->span, .is_kernel = file->is_kernel};
	if (q->options.module)
		p->module.has = q->options.module(q->options.module_user, file, &why);
	if (!p->module.has)
		query_fail(c->r->maker.err, n->span, NULL, "the probe %.100s can't be used%s%s", file->path,
			why ? ": " : "", why ? why : "");
	c->stage = P;
}

/* ---- its members ---- */

static bool is_table(const struct ward_field *f)
{
	return f->kind == WARD_FIELD_MAP || f->kind == WARD_FIELD_TOP || f->kind == WARD_FIELD_CHOPSTIX ||
	       f->kind == WARD_FIELD_ARRAY;
}

static bool is_sequence(const struct ward_field *f)
{
	return f->kind == WARD_FIELD_RING || f->kind == WARD_FIELD_QUEUE;
}

/* ---- rows ---- */

/* A value of an entry, or a field of the state. `part`: which one. */
static void add_value(struct field_columns *to, const struct ward_field *f, size_t part)
{
	if (field_keep(to, f, part))
		to->c->plan->module.parts[to->c->plan->n_keeps - 1] = part;
}

static struct expr *new_record(struct chain *c, struct query_span at, struct field_columns *columns)
{
	struct expr *record = expr_new(&c->r->maker, EXPR_RECORD, TYPE_A(RECORD), at);

	record->in_final = true;
	*columns = (struct field_columns){c, at, &record->members};
	return record;
}

void take_state(struct chain *c, struct query_span at)
{
	const struct query_module *m = c->plan->module.has;
	struct field_columns columns;
	struct expr *record = new_record(c, at, &columns);

	c->plan->module.kind = MODULE_STATE;
	add_window_column(c, NULL, at);
	for (size_t i = 0; i < m->n; i++)
		if (!is_table(&m->fields[i]) && !is_sequence(&m->fields[i]))
			add_value(&columns, &m->fields[i], i);
	if (!c->plan->n_keeps)
		query_fail(c->r->maker.err, at, "Probe(\"leaks.c\").held_by is its map of that name",
			"the probe's state has no numbers beside its maps and rings");
	add_column(c, "", record, at);
	c->stage = R;
}

/* A map from integers has neither parts of its key nor of its values. */
static void take_table(struct chain *c, const struct ward_field *f, struct query_span at)
{
	struct plan *p = c->plan;
	struct field_columns columns;
	struct expr *record = new_record(c, at, &columns);
	struct ward_field key = {.name = "key",
				  .kind = WARD_FIELD_VALUE,
				  .is_address = f->is_address,
				  .is_site = f->is_site,
				  .enumeration = f->enumeration,
				  .value_is_signed = f->key_is_signed},
			  value = {.name = "value", .kind = WARD_FIELD_VALUE, .value_is_signed = f->value_is_signed};

	p->module.kind = MODULE_TABLE;
	p->has_key = true;
	for (uint32_t i = 0; i < (f->n_keys ? f->n_keys : 1); i++) {
		const struct ward_field *part = f->n_keys ? &f->parts[i] : &key;
		const char *name = field_name(c, part->name);

		add_key(c, name, name, field_part(c, field_type(part), i, at), at);
	}
	add_key_columns(c, at);
	for (uint32_t i = 0; i < f->n_values; i++)
		add_value(&columns, &f->parts[f->n_keys + i], i);
	if (!f->n_values)
		add_value(&columns, &value, 0);
	if (f->kind == WARD_FIELD_TOP)
		field_add_result(&columns, "error", PART_ERROR, TYPE_ULONG);
	if (!chain_failed(c))
		add_column(c, "", record, at);
	c->stage = R;
}

/* ---- events ---- */

static void take_sequence(struct chain *c, const struct ward_field *f, struct query_span at)
{
	struct plan *p = c->plan;
	struct expr *record = expr_new(&c->r->maker, EXPR_RECORD, TYPE_A(RECORD), at);
	struct member **end = &record->members;

	p->module.kind = MODULE_SEQUENCE;
	p->pair.kind = PAIR_RECORDS;
	p->pair.is_alone = true;
	record->in_probe = true;
	for (uint32_t i = 0; i < f->n_values && p->n_captures < PLAN_CAPTURES; i++) {
		const struct ward_field *part = &f->parts[i];
		struct expr *value = field_part(c, field_type(part), p->n_captures, at);
		struct member *m;

		if (part->kind != WARD_FIELD_VALUE && part->kind != WARD_FIELD_COUNT && part->kind != WARD_FIELD_TEXT)
			continue;
		p->module.has_times |= value->type.kind == TYPE_INSTANT;
		p->module.parts[p->n_captures] = i;
		p->captures[p->n_captures++] = (struct plan_capture){SIDE_SECOND, value};
		m = chain_alloc(c, sizeof(*m));
		*m = (struct member){field_name(c, part->name), value, NULL};
		*end = m;
		end = &m->next;
	}
	c->element = record;
	c->stage = E;
}

static void fail_table(struct chain *c, const struct node *n)
{
	const struct query_module *m = c->plan->module.has;
	const char *names[PLAN_COLUMNS];
	size_t count = 0;

	for (size_t i = 0; i < m->n && count < PLAN_COLUMNS; i++)
		if (is_table(&m->fields[i]) || is_sequence(&m->fields[i]))
			names[count++] = m->fields[i].name;
	fail_member(c->r, "the probe", n->name, n->at, names, count);
}

void take_member(struct chain *c, struct node *n)
{
	const struct query_module *m = c->plan->module.has;

	if (chain_failed(c))
		return;
	if (c->stage != P) {
		query_fail(c->r->maker.err, n->at, "Select(row => row.bytes)", "%s of %s", n->name,
			c->stage == E ? "events" : "rows");
		return;
	}
	for (size_t i = 0; i < m->n && !c->plan->module.member; i++)
		if (strcmp(field_name(c, m->fields[i].name), n->name) == 0 &&
			(is_table(&m->fields[i]) || is_sequence(&m->fields[i])))
			c->plan->module.member = &m->fields[i];
	if (!c->plan->module.member)
		fail_table(c, n);
	else if (is_table(c->plan->module.member))
		take_table(c, c->plan->module.member, n->span);
	else
		take_sequence(c, c->plan->module.member, n->span);
}

void check_module(struct chain *c, struct query_span at)
{
	const struct plan *p = c->plan;

	if (p->module.kind == MODULE_SEQUENCE && !p->module.has_times)
		for (size_t i = 0; i < p->n_gates; i++)
			if (p->gates[i].kind == GATE_AT_MOST)
				query_fail(c->r->maker.err, at, "a member `unsigned long time` of its records",
					"AtMost of records without a time");
	if (p->module.kind == MODULE_NONE || p->module.kind == MODULE_SEQUENCE || !p->window.step)
		return;
	for (size_t i = 0; i < p->n_keeps; i++)
		if (keep_is_windowed(p, i))
			query_fail(c->r->maker.err, at, "Select counts and sums; or keep it by window in the probe",
				"the least, largest and different values of a window aren't in what a probe has kept");
}

/* ---- what the reader has read ---- */

const struct query_module_file *query_module_of(const struct query *q)
{
	return q->plan.module.file;
}

const char *query_module_table(const struct query *q)
{
	return q->plan.module.kind == MODULE_TABLE ? q->plan.module.member->name : NULL;
}

const char *query_ring(const struct query *q)
{
	return q->plan.module.kind == MODULE_SEQUENCE ? q->plan.module.member->name : "rows";
}

static const char *enumerator(const struct ward_enumeration *e, uint64_t number)
{
	for (size_t i = 0; e && i < e->n; i++)
		if (e->names[i].value == number)
			return e->names[i].name;
	return NULL;
}

static struct query_value key_value(const struct ward_field *part, const struct ward_enumeration *names, uint64_t key)
{
	const char *text = part && part->text ? part->text : enumerator(names, key);

	return (struct query_value){.kind = text ? QUERY_TEXT : QUERY_UNSIGNED, .number = key, .text = text};
}

bool query_module_entry(const struct query *q, const struct ward_map_entry *from, uint32_t n_keys, uint32_t n_values,
	const struct ward_field *map, struct query_entry *entry)
{
	const struct plan *p = &q->plan;

	for (size_t i = 0; i < p->n_keys; i++) {
		if (n_keys ? i >= n_keys : i > 0)
			return false;
		entry->keys[i] = n_keys ? key_value(&from->keys[i], from->keys[i].enumeration, from->keys[i].value)
					: key_value(NULL, map->enumeration, from->key);
	}
	for (size_t i = 0; i < p->n_keeps; i++) {
		if (n_values && p->module.parts[i] >= n_values)
			return false;
		entry->results[i] = n_values ? query_result_of(&from->values[p->module.parts[i]])
					     : (struct query_result){.count = from->value,
						       .number = from->value,
						       .error = from->error,
						       .is_signed = map->value_is_signed};
	}
	return true;
}

void query_module_state(const struct query *q, const struct ward_field *field, struct query_entry *entry)
{
	const struct plan *p = &q->plan;

	for (size_t i = 0; p->module.kind == MODULE_STATE && i < p->n_keeps; i++)
		if (strcmp(p->module.has->fields[p->module.parts[i]].name, field->name) == 0)
			entry->results[i] = query_result_of(field);
}

/* An instant, as if a count were a nanosecond. */
static uint64_t instant_of(const struct query *q, uint64_t counts)
{
	double since = (double)(int64_t)(counts - q->options.now_counts);

	return q->options.now_counts + (uint64_t)(int64_t)(since * 1000 / q->options.rate);
}

bool query_module_record(const struct query *q, const struct ward_field *ring, const struct ward_record *from,
	struct query_record *record)
{
	const struct plan *p = &q->plan;

	if (strcmp(ring->name, query_ring(q)) != 0)
		return false;
	*record = (struct query_record){.is_end = true};
	for (size_t i = 0; i < p->n_captures && p->module.parts[i] < ring->n_values; i++) {
		const struct ward_field *m = &from->members[p->module.parts[i]];
		const struct expr *of = p->captures[i].of;
		struct query_value *v = &record->captures[i];

		*v = (struct query_value){.kind = QUERY_UNSIGNED, .number = m->value};
		if (of->type.kind == TYPE_INSTANT)
			v->number = instant_of(q, m->value);
		if (of->type.kind == TYPE_INSTANT && (!record->time || strcmp(m->name, "time") == 0))
			record->time = m->value;
		if (of->type.kind != TYPE_TEXT)
			continue;
		v->kind = QUERY_TEXT;
		v->text = m->text ? m->text : enumerator(m->enumeration, m->value);
		if (!v->text)
			snprintf(record->numbers[i], QUERY_NUMBER_TEXT, m->value_is_signed ? "%" PRId64 : "%" PRIu64,
				m->value);
		v->text = v->text ? v->text : record->numbers[i];
	}
	return true;
}
