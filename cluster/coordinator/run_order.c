/* SPDX-License-Identifier: Apache-2.0 */
/* The order: made of options, signed, and read again as agents read it, so that both have the same. */
#include "run_parts.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/wire/order.h"
#include "cluster/wire/shape.h"

enum { DAY_S = 86400 };
static const uint64_t SECOND = 1000000000;

struct made_unit {
	Ward__Cluster__Unit unit;
	Ward__Cluster__Variant variant[CLUSTER_RUN_VARIANTS], *variants[CLUSTER_RUN_VARIANTS];
	uint8_t shape[CLUSTER_DIGEST];
};

static ProtobufCBinaryData text_bytes(const char *text)
{
	return (ProtobufCBinaryData){strlen(text), (uint8_t *)text};
}

/* NULL without memory, or of no texts. */
static ProtobufCBinaryData *texts_bytes(const struct cluster_texts *texts)
{
	ProtobufCBinaryData *bytes = texts->n ? calloc(texts->n, sizeof(*bytes)) : NULL;

	for (size_t i = 0; bytes && i < texts->n; i++)
		bytes[i] = text_bytes(texts->at[i]);
	return bytes;
}

static bool unit_fill_texts(Ward__Cluster__Unit *u, const struct cluster_run_unit *given)
{
	u->site = texts_bytes(&given->sites);
	u->process = texts_bytes(&given->processes);
	u->import = texts_bytes(&given->imports);
	u->setting = texts_bytes(&given->settings);
	u->n_site = given->sites.n;
	u->n_process = given->processes.n;
	u->n_import = given->imports.n;
	u->n_setting = given->settings.n;
	return (u->site || !u->n_site) && (u->process || !u->n_process) && (u->import || !u->n_import) &&
	       (u->setting || !u->n_setting);
}

static int shape_read(const struct cluster_run_variant *v, uint8_t shape[CLUSTER_DIGEST], struct ward_error *err)
{
	ward_schema *schema;
	int rc = ward_schema_read(v->module, v->size, &schema, err);

	if (rc)
		return rc;
	if (!cluster_shape_digest(schema, shape))
		rc = cluster_no_memory(err);
	ward_schema_free(schema);
	return rc;
}

/* C-46: what all of them count can be added up only if it has one shape. */
static int variant_fill(
	struct made_unit *m, size_t i, const struct cluster_run_variant *given, bool kernel, struct ward_error *err)
{
	Ward__Cluster__Variant *v = m->variants[i] = &m->variant[i];
	uint8_t shape[CLUSTER_DIGEST];
	int rc = shape_read(given, i ? shape : m->shape, err);

	if (!rc && i && memcmp(shape, m->shape, sizeof(shape)) != 0)
		rc = cluster_fail(
			err, WARD_E_USAGE, "order", "the state of module %zu isn't as that of the first (C-46)", i);
	*v = (Ward__Cluster__Variant)WARD__CLUSTER__VARIANT__INIT;
	v->module = (ProtobufCBinaryData){given->size, (uint8_t *)given->module};
	if (kernel && (v->has_kernel = given->n_build != 0))
		v->kernel = (ProtobufCBinaryData){given->n_build, (uint8_t *)given->build};
	if (!kernel && (v->has_file = given->n_build != 0))
		v->file = (ProtobufCBinaryData){given->n_build, (uint8_t *)given->build};
	return rc;
}

static int unit_fill(struct made_unit *m, const struct cluster_run_unit *given, struct ward_error *err)
{
	int rc = 0;

	m->unit = (Ward__Cluster__Unit)WARD__CLUSTER__UNIT__INIT;
	for (size_t i = 0; i < given->n_variants && !rc; i++)
		rc = variant_fill(m, i, &given->variant[i], given->kernel, err);
	m->unit.kernel = given->kernel;
	m->unit.variant = m->variants;
	m->unit.n_variant = given->n_variants;
	m->unit.shape = (ProtobufCBinaryData){sizeof(m->shape), m->shape};
	return rc || unit_fill_texts(&m->unit, given) ? rc : cluster_no_memory(err);
}

static void unit_free(struct made_unit *m)
{
	free(m->unit.site);
	free(m->unit.process);
	free(m->unit.import);
	free(m->unit.setting);
}

static void order_fill(struct cluster_run *r, const struct cluster_run_options *o, Ward__Cluster__Order *order)
{
	uint64_t valid = o->duration_ns + o->keep_ns;

	order->query = (ProtobufCBinaryData){sizeof(r->query), r->query};
	order->cluster = text_bytes(o->cluster);
	order->issuer = text_bytes(o->issuer);
	order->issued_at = r->now.at;
	order->not_after_at = r->now.at + (valid < DAY_S * SECOND ? valid : DAY_S * SECOND);
	order->counter = run_counter(r);
	order->duration_ns = o->duration_ns;
	order->lease_ns = o->lease_ns;
	order->period_ns = o->period_ns;
	order->keep_ns = o->keep_ns;
	order->shards = o->shards ? o->shards : 1;
	order->has_window_ns = o->window_ns != 0;
	order->window_ns = o->window_ns;
	order->has_text = o->text != NULL;
	if (o->text)
		order->text = text_bytes(o->text);
	order->has_asked_at = o->asked_at != 0;
	order->asked_at = o->asked_at;
}

static bool choice_fill(const struct cluster_run_options *o, Ward__Cluster__Choice *choice)
{
	choice->has_selector = choice->has_most = choice->has_late = true;
	choice->selector = text_bytes(o->selector);
	choice->most = o->most;
	choice->late = o->late;
	choice->name = texts_bytes(&o->names);
	choice->n_name = choice->name ? o->names.n : 0;
	return choice->n_name == o->names.n;
}

static void limits_fill(const struct cluster_run_options *o, Ward__Cluster__Limits *limits)
{
	limits->has_overhead_ppm = o->overhead_ppm != 0;
	limits->overhead_ppm = o->overhead_ppm;
	limits->has_max_insns = o->max_insns != 0;
	limits->max_insns = o->max_insns;
	limits->has_partial = o->partial != 0;
	limits->partial = o->partial;
}

int run_order_make(struct cluster_run *r, const struct cluster_run_options *o, struct ward_error *err)
{
	Ward__Cluster__Order order = WARD__CLUSTER__ORDER__INIT;
	Ward__Cluster__Choice choice = WARD__CLUSTER__CHOICE__INIT;
	Ward__Cluster__Limits limits = WARD__CLUSTER__LIMITS__INIT;
	struct made_unit made[CLUSTER_RUN_UNITS] = {0};
	Ward__Cluster__Unit *units[CLUSTER_RUN_UNITS];
	int rc = 0;

	if (!o->n_units || o->n_units > CLUSTER_RUN_UNITS)
		return cluster_fail(err, WARD_E_USAGE, "order", "%zu modules; one to four may be", o->n_units);
	randombytes_buf(r->query, sizeof(r->query));
	if (o->query)
		memcpy(r->query, o->query, sizeof(r->query));
	for (size_t i = 0; i < o->n_units && !rc; i++) {
		rc = unit_fill(&made[i], &o->unit[i], err);
		units[i] = &made[i].unit;
	}
	order.option = texts_bytes(&o->text_options);
	order.n_option = order.option ? o->text_options.n : 0;
	if (!rc && order.n_option != o->text_options.n)
		rc = cluster_no_memory(err);
	ProtobufCBinaryData by = text_bytes(o->by ? cluster_by_word(o->by) : "");
	order.by = &by;
	order.n_by = o->by != CLUSTER_BY_NONE;
	order.choice = &choice;
	order.limits = &limits;
	order.unit = units;
	order.n_unit = o->n_units;
	if (!rc && !choice_fill(o, &choice))
		rc = cluster_no_memory(err);
	if (!rc) {
		order_fill(r, o, &order);
		limits_fill(o, &limits);
		r->order = cluster_sign(r->secret, WARD__CLUSTER__SIGNED__KIND__ORDER, &order.base, &r->order_size);
		rc = r->order ? 0 : cluster_no_memory(err);
	}
	free(choice.name);
	for (size_t i = 0; i < o->n_units; i++)
		unit_free(&made[i]);
	free(order.option);
	return rc;
}

/* ---- reading it again ---- */

static int unit_read(struct cluster_run *r, size_t i, struct ward_error *err)
{
	const Ward__Cluster__Unit *u = r->body->unit[i];
	struct cluster_children_options options = {.began_ns = r->now.ns};
	int rc;

	if (!u->n_variant)
		return cluster_fail(err, WARD_E_USAGE, "order", "a unit has no module");
	rc = ward_schema_read(u->variant[0]->module.data, u->variant[0]->module.len, &r->schema[i], err);
	if (rc)
		return rc;
	ward_schema_set_clock(r->schema[i], r->counts_per_us);
	r->has_times |= cluster_shape_has_counts(r->schema[i]);
	if (r->by && (rc = ward_schema_by(r->schema[i], CLUSTER_BY_KEY, &r->divided[i], err)))
		return rc;
	options.schema = r->by ? r->divided[i] : r->schema[i];
	memcpy(options.query, r->query, sizeof(options.query));
	r->children[i] = cluster_children_new(&options);
	r->n_units = i + 1;
	r->sums[i] = r->children[i] ? cluster_sums_new(r->children[i]) : NULL;
	if (r->body->has_window_ns && !cluster_shape_has_difference(r->schema[i], err))
		return WARD_E_USAGE;
	return r->sums[i] && run_windows_open(r, i, &options) == 0 ? 0 : cluster_no_memory(err);
}

int run_order_read(struct cluster_run *r, struct ward_error *err)
{
	struct cluster_message envelope;
	const Ward__Cluster__Signed *from;
	bool ok;
	int rc;

	if (r->order_size > CLUSTER_MOST_ORDER)
		return cluster_fail(
			err, WARD_E_USAGE, "order", "%zu bytes; the most is %d", r->order_size, CLUSTER_MOST_ORDER);
	ok = cluster_message_read(&envelope, &ward__cluster__signed__descriptor, "order", r->order, r->order_size, err);
	from = (const Ward__Cluster__Signed *)envelope.m;
	ok = ok && cluster_signed_check(from, err);
	if (ok)
		cluster_digest(from->body.data, from->body.len, r->digest);
	ok = ok && cluster_message_read(&r->message, &ward__cluster__order__descriptor, "order", from->body.data,
			   from->body.len, err);
	cluster_message_free(&envelope);
	r->body = ok ? (const Ward__Cluster__Order *)r->message.m : NULL;
	if (!ok || !cluster_order_check(r->body, err) || !cluster_by_of(r->body, &r->by, err))
		return WARD_E_USAGE;
	memcpy(r->query, r->body->query.data, sizeof(r->query));
	cluster_hex(r->query, sizeof(r->query), r->id);
	rc = 0;
	for (size_t i = 0; i < r->body->n_unit && !rc; i++)
		rc = unit_read(r, i, err);
	return rc;
}
