/* SPDX-License-Identifier: Apache-2.0 */
/* What a module's fields would send to the coordinator. */
#include "cluster/wire/refuse.h"
#include "cluster/wire/shape.h"
#include "policy.h"

static const char *const result_names[] = {"numbers", "keys", "text", "records"};

static unsigned part_needs(const struct ward_field *f)
{
	return f->kind == WARD_FIELD_TEXT ? AGENT_TEXT : f->is_address ? AGENT_KEYS : AGENT_NUMBERS;
}

/* What must be allowed for a field. Names of enumerations are the module's own, not the process's. */
static unsigned field_needs(const struct ward_field *f)
{
	unsigned needs = part_needs(f);

	switch (f->kind) {
	case WARD_FIELD_RING:
	case WARD_FIELD_QUEUE:
	case WARD_FIELD_FLIGHT: return AGENT_RECORDS;
	case WARD_FIELD_MAP:
	case WARD_FIELD_TOP:
	case WARD_FIELD_CHOPSTIX: needs = AGENT_KEYS; break;
	default: break;
	}
	for (uint32_t i = 0; f->parts && i < f->n_keys + f->n_values; i++)
		if (part_needs(&f->parts[i]) > needs)
			needs = part_needs(&f->parts[i]);
	return needs;
}

bool agent_policy_results(const struct agent_coordinator *who, const ward_schema *schema, struct ward_error *err)
{
	ward_snapshot *fields = cluster_shape_fields(schema);
	bool ok = fields != NULL || cluster_refuse(err, "policy", NULL, "out of memory");

	for (size_t i = 0; ok && i < ward_snapshot_fields(fields); i++) {
		const struct ward_field *f = ward_snapshot_field(fields, i);
		unsigned needs = field_needs(f);
		if (needs > who->results)
			ok = cluster_refuse(err, "policy", "C-55", "%s may have %s; %s needs %s", who->name,
				result_names[who->results], f->name, result_names[needs]);
	}
	ward_snapshot_free(fields);
	return ok;
}
