/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include "by.h"
#include "choice.h"
#include "refuse.h"

#define DAY_NS (86400ull * 1000000000)

static bool units_check(const Ward__Cluster__Order *o, struct ward_error *err)
{
	size_t modules = 0;

	if (!o->n_unit)
		return cluster_refuse(err, "order", "C-41", "it has no unit");
	for (size_t i = 0; i < o->n_unit; i++) {
		if (!o->unit[i]->n_variant)
			return cluster_refuse(err, "order", "C-41", "unit %zu has no module", i);
		if (!o->unit[i]->kernel && !o->unit[i]->n_process)
			return cluster_refuse(err, "order", "C-41", "unit %zu says of no process", i);
		for (size_t j = 0; j < o->unit[i]->n_variant; j++)
			modules += o->unit[i]->variant[j]->module.len;
	}
	return modules <= CLUSTER_MOST_MODULES ||
	       cluster_refuse(
		       err, "order", "C-41", "its modules have %zu bytes, more than %d", modules, CLUSTER_MOST_MODULES);
}

bool cluster_order_check(const Ward__Cluster__Order *o, struct ward_error *err)
{
	enum cluster_by by;

	if (o->not_after_at < o->issued_at || o->not_after_at - o->issued_at > DAY_NS)
		return cluster_refuse(err, "order", "C-41", "it isn't valid for at most a day");
	if (!cluster_selector_check((const char *)o->choice->selector.data, o->choice->selector.len, err))
		return false;
	return units_check(o, err) && cluster_by_of(o, &by, err);
}
