/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sum of all children. Adding two partials takes as long as both together are large, so partials are added in
 * pairs of equal numbers of children, as a binary counter counts: sums of 1, 2, 4 … children wait for another one of
 * their kind. So also a sum that grows with the number of machines takes little more than its size. Adding is
 * associative and commutative; so the order doesn't show, unless the sum is above its limit and is cut.
 */
#include "total.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"

enum { LEVELS = 48, ANY_SIZE = 1 << 30 };

struct adder {
	const cluster_children *children;
	const struct cluster_total_options *options;
	struct cluster_total *out;
	ward_partial *sum[LEVELS]; /* of 2^i children; NULL: none waits */
	size_t memory;
	struct ward_error *err;
};

static bool is_wanted(const struct adder *a, const struct cluster_child *child)
{
	const struct cluster_total_options *o = a->options;
	bool is_wanted = !child->is_out && (!o->only || strcmp(o->only, child->machine) == 0);
	for (size_t i = 0; is_wanted && i < o->n_without; i++)
		is_wanted = strcmp(o->without[i], child->machine) != 0;
	return is_wanted;
}

/* Cut both to half of the room, so that their sum fits. */
static int cut_both(struct adder *a, ward_partial *x, ward_partial *y)
{
	struct ward_partial_limits limits = {.size = sizeof(limits), .bytes = WARD_PARTIAL_MOST_BYTES};
	uint64_t cut;
	limits.memory = a->memory / 4; /* memory of a sum grows in steps of twice its size */
	for (int i = 0; i < 2; i++) {
		int status = ward_partial_cut(i ? y : x, &limits, &cut, a->err);
		if (status)
			return status;
		a->out->cut += cut;
	}
	return WARD_OK;
}

/* Add `from`, which is freed, to `into`. */
static int add_pair(struct adder *a, ward_partial *into, ward_partial *from)
{
	int status = ward_partial_add(into, from, a->err);
	if (status == WARD_E_SYSTEM && (status = cut_both(a, into, from)) == WARD_OK)
		status = ward_partial_add(into, from, a->err);
	ward_partial_free(from);
	return status;
}

/* Read a child's partial, and put its machine before all keys, if that is asked for. */
static int read_child(const struct adder *a, const struct cluster_child *child, ward_partial **out)
{
	const struct cluster_total_options *o = a->options;
	struct ward_partial_limits limits = {.size = sizeof(limits), .memory = a->memory};
	ward_partial *p;
	int status = cluster_child_read(a->children, child, a->memory, &p, a->err);
	if (status || !o->by) {
		*out = p;
		return status;
	}
	const char *machine = o->call ? o->call(o->user, child->machine) : child->machine;
	status = ward_partial_by(p, o->by, machine, &limits, out, a->err);
	ward_partial_free(p);
	return status;
}

static int add_child(struct adder *a, const struct cluster_child *child)
{
	ward_partial *p;
	int status = read_child(a, child, &p);
	for (size_t i = 0; status == WARD_OK && i < LEVELS; i++) {
		ward_partial *waits = a->sum[i];
		if (!waits) {
			a->sum[i] = p;
			return WARD_OK;
		}
		a->sum[i] = NULL;
		status = add_pair(a, p, waits);
	}
	ward_partial_free(p);
	return status;
}

static int add_children(struct adder *a)
{
	int status = WARD_OK;
	for (size_t i = 0; status == WARD_OK && i < cluster_children_count(a->children); i++) {
		const struct cluster_child *child = cluster_children_at(a->children, i);
		if (!is_wanted(a, child)) {
			a->out->cover.left_out++;
			continue;
		}
		status = add_child(a, child);
		if (status == WARD_OK && !cluster_cover_add(&a->out->cover, child))
			status = cluster_no_memory(a->err);
	}
	cluster_cover_end(&a->out->cover);
	return status;
}

/* Add what waits. Of no children it is the sum of no states, whatever their size is. */
static int add_rest(struct adder *a)
{
	ward_partial **sum = &a->out->partial;
	int status = WARD_OK;
	for (size_t i = 0; status == WARD_OK && i < LEVELS; i++) {
		ward_partial *waits = a->sum[i];
		a->sum[i] = NULL;
		if (waits && *sum)
			status = add_pair(a, *sum, waits);
		else if (waits)
			*sum = waits;
	}
	if (status || *sum)
		return status;
	return ward_partial_merge(
		cluster_children_options(a->children)->schema, NULL, NULL, 0, ANY_SIZE, NULL, sum, a->err);
}

int cluster_total_take(const cluster_children *children, const struct cluster_total_options *options,
	struct cluster_total *out, struct ward_error *err)
{
	static const struct cluster_total_options none;
	struct ward_error own;
	struct adder a = {.children = children, .options = options ? options : &none, .out = out};
	a.err = err ? err : &own;
	a.memory = a.options->memory ? a.options->memory : CLUSTER_TOTAL_MEMORY;
	*out = (struct cluster_total){0};
	int status = add_children(&a);
	if (status == WARD_OK)
		status = add_rest(&a);
	for (size_t i = 0; i < LEVELS; i++)
		ward_partial_free(a.sum[i]);
	if (status)
		cluster_total_free(out);
	return status;
}

void cluster_total_free(struct cluster_total *total)
{
	ward_partial_free(total->partial);
	cluster_cover_free(&total->cover);
	*total = (struct cluster_total){0};
}
