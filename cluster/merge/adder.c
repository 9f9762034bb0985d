/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adding two partials takes as long as both together are large, so partials are added in pairs of equal numbers, as a
 * binary counter counts: sums of 1, 2, 4 … partials wait for another one of their kind. So also a sum that grows with
 * the number of machines takes little more than its size. Adding is associative and commutative; so the order doesn't
 * show, unless the sum is above its limit and is cut.
 */
#include "adder.h"

/* Cut both to half of the room, so that their sum fits. */
static int cut_both(struct cluster_adder *a, ward_partial *x, ward_partial *y)
{
	struct ward_partial_limits limits = {.size = sizeof(limits), .bytes = WARD_PARTIAL_MOST_BYTES};
	uint64_t cut;
	limits.memory = a->memory / 4; /* memory of a sum grows in steps of twice its size */
	for (int i = 0; i < 2; i++) {
		int status = ward_partial_cut(i ? y : x, &limits, &cut, a->err);
		if (status)
			return status;
		a->cut += cut;
	}
	return WARD_OK;
}

/* Add `from`, which is freed, to `into`. */
static int add_pair(struct cluster_adder *a, ward_partial *into, ward_partial *from)
{
	int status = ward_partial_add(into, from, a->err);
	if (status == WARD_E_SYSTEM && (status = cut_both(a, into, from)) == WARD_OK)
		status = ward_partial_add(into, from, a->err);
	ward_partial_free(from);
	return status;
}

int cluster_adder_put(struct cluster_adder *a, ward_partial *partial)
{
	int status = WARD_OK;
	for (size_t i = 0; status == WARD_OK && i < CLUSTER_ADDER_LEVELS; i++) {
		ward_partial *waits = a->sum[i];
		if (!waits) {
			a->sum[i] = partial;
			return WARD_OK;
		}
		a->sum[i] = NULL;
		status = add_pair(a, partial, waits);
	}
	ward_partial_free(partial);
	return status;
}

int cluster_adder_end(struct cluster_adder *a, ward_partial **out)
{
	int status = WARD_OK;
	*out = NULL;
	for (size_t i = 0; status == WARD_OK && i < CLUSTER_ADDER_LEVELS; i++) {
		ward_partial *waits = a->sum[i];
		a->sum[i] = NULL;
		if (waits && *out)
			status = add_pair(a, *out, waits);
		else if (waits)
			*out = waits;
	}
	if (status) {
		ward_partial_free(*out);
		*out = NULL;
	}
	return status;
}

void cluster_adder_free(struct cluster_adder *a)
{
	for (size_t i = 0; i < CLUSTER_ADDER_LEVELS; i++) {
		ward_partial_free(a->sum[i]);
		a->sum[i] = NULL;
	}
}
