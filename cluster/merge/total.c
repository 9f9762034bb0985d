/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sum of all children: of those that are wanted one by one, or of blocks whose sums are kept (sums.h), which is the
 * same, as adding is associative and commutative.
 */
#include "total.h"

#include <stdlib.h>
#include <string.h>

#include "adder.h"

#include "cluster/base/error.h"

enum { ANY_SIZE = 1 << 30 };

struct taker {
	const cluster_children *children;
	const struct cluster_total_options *options;
	struct cluster_total *out;
	struct cluster_adder adder;
};

static bool is_wanted(const struct taker *t, const struct cluster_child *child)
{
	const struct cluster_total_options *o = t->options;
	bool is_wanted = cluster_child_counts(child) && (!o->only || strcmp(o->only, child->machine) == 0);
	for (size_t i = 0; is_wanted && i < o->n_without; i++)
		is_wanted = strcmp(o->without[i], child->machine) != 0;
	return is_wanted;
}

/* Read a child's partial, and put its machine before all keys, if that is asked for. */
static int read_child(const struct taker *t, const struct cluster_child *child, ward_partial **out)
{
	const struct cluster_total_options *o = t->options;
	struct ward_partial_limits limits = {.size = sizeof(limits), .memory = t->adder.memory};
	ward_partial *p;
	int status = cluster_child_read(t->children, child, t->adder.memory, &p, t->adder.err);
	if (status || !o->by) {
		*out = p;
		return status;
	}
	const char *machine = o->call ? o->call(o->user, child->machine) : child->machine;
	status = ward_partial_by(p, o->by, machine, &limits, out, t->adder.err);
	ward_partial_free(p);
	return status;
}

static int add_child(struct taker *t, const struct cluster_child *child)
{
	ward_partial *p;
	int status = read_child(t, child, &p);
	return status ? status : cluster_adder_put(&t->adder, p);
}

/* Are the sums of whole blocks wanted? */
static bool is_by_blocks(const struct cluster_total_options *o)
{
	return o->sums && !o->n_without && !o->only && !o->by;
}

static int add_blocks(struct taker *t)
{
	size_t n = (cluster_children_count(t->children) + CLUSTER_BLOCK - 1) / CLUSTER_BLOCK;
	int status = WARD_OK;
	for (size_t i = 0; status == WARD_OK && i < n; i++) {
		ward_partial *p;
		status = cluster_sums_block(t->options->sums, i, t->adder.memory, &p, &t->adder.cut, t->adder.err);
		if (status == WARD_OK && p)
			status = cluster_adder_put(&t->adder, p);
	}
	return status;
}

static int add_children(struct taker *t)
{
	bool one_by_one = !is_by_blocks(t->options);
	int status = one_by_one ? WARD_OK : add_blocks(t);
	for (size_t i = 0; status == WARD_OK && i < cluster_children_count(t->children); i++) {
		const struct cluster_child *child = cluster_children_at(t->children, i);
		if (!is_wanted(t, child)) {
			t->out->cover.left_out++;
			continue;
		}
		if (one_by_one)
			status = add_child(t, child);
		if (status == WARD_OK && !cluster_cover_add(&t->out->cover, child))
			status = cluster_no_memory(t->adder.err);
	}
	cluster_cover_end(&t->out->cover);
	return status;
}

/* Of no children it is the sum of no states, whatever their size is. */
static int total_end(struct taker *t)
{
	int status = cluster_adder_end(&t->adder, &t->out->partial);
	t->out->cut = t->adder.cut;
	if (status || t->out->partial)
		return status;
	return ward_partial_merge(cluster_children_options(t->children)->schema, NULL, NULL, 0, ANY_SIZE, NULL,
		&t->out->partial, t->adder.err);
}

int cluster_total_take(const cluster_children *children, const struct cluster_total_options *options,
	struct cluster_total *out, struct ward_error *err)
{
	static const struct cluster_total_options none;
	struct ward_error own;
	struct taker t = {.children = children, .options = options ? options : &none, .out = out};
	t.adder.err = err ? err : &own;
	t.adder.memory = t.options->memory ? t.options->memory : CLUSTER_TOTAL_MEMORY;
	*out = (struct cluster_total){0};
	int status = add_children(&t);
	if (status == WARD_OK)
		status = total_end(&t);
	cluster_adder_free(&t.adder);
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
