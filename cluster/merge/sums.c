/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading partials and adding them takes a coordinator most of its time, and each comes once a period. Machines send in
 * the order in which they did before, each at a moment of its own, and that is the order of the children. So blocks of
 * them are complete one after the other, and their sums are made while the next ones arrive. When the last child is
 * there, one block is left to be read, and the sums of the others are added.
 *
 * A sum is kept if there is room for it. Without room it is made when it is asked for: that only takes longer.
 */
#include "sums.h"

#include <stdlib.h>

#include "adder.h"
#include "names.h"

#include "cluster/base/error.h"

struct block {
	ward_partial *sum; /* NULL: none is kept */
	size_t memory;
	uint64_t changes; /* of the children, when it was made */
	uint64_t cut;
	bool is_made;
};

struct cluster_sums {
	const cluster_children *children;
	struct block *blocks;
	size_t room, next; /* next: where work goes on */
	size_t memory;     /* of all sums that are kept */
};

cluster_sums *cluster_sums_new(const cluster_children *children)
{
	cluster_sums *s = calloc(1, sizeof(*s));
	if (s)
		s->children = children;
	return s;
}

static size_t block_count(const cluster_sums *s)
{
	return (cluster_children_count(s->children) + CLUSTER_BLOCK - 1) / CLUSTER_BLOCK;
}

static void block_clear(cluster_sums *s, struct block *b)
{
	ward_partial_free(b->sum);
	s->memory -= b->memory;
	*b = (struct block){0};
}

void cluster_sums_free(cluster_sums *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->room; i++)
		block_clear(s, &s->blocks[i]);
	free(s->blocks);
	free(s);
}

static int children_add(const cluster_sums *s, size_t block, struct cluster_adder *adder)
{
	int status = WARD_OK;
	for (size_t i = block * CLUSTER_BLOCK; status == WARD_OK && i < (block + 1) * CLUSTER_BLOCK; i++) {
		const struct cluster_child *child = cluster_children_at(s->children, i);
		ward_partial *p;
		if (!child || !cluster_child_counts(child))
			continue;
		status = cluster_child_read(s->children, child, adder->memory, &p, adder->err);
		if (status == WARD_OK)
			status = cluster_adder_put(adder, p);
	}
	return status;
}

static int block_make(cluster_sums *s, size_t at, size_t memory, struct ward_error *err)
{
	struct cluster_adder adder = {.memory = memory, .err = err};
	struct block *b = &s->blocks[at];
	block_clear(s, b);
	uint64_t changes = cluster_children_changes(s->children, at);
	int status = children_add(s, at, &adder);
	if (status == WARD_OK)
		status = cluster_adder_end(&adder, &b->sum);
	cluster_adder_free(&adder);
	if (status)
		return status;
	b->memory = b->sum ? ward_partial_memory(b->sum) : 0;
	b->changes = changes;
	b->cut = adder.cut;
	b->is_made = true;
	s->memory += b->memory;
	return WARD_OK;
}

static bool block_is_due(const cluster_sums *s, size_t at)
{
	size_t n = cluster_children_count(s->children) - at * CLUSTER_BLOCK;
	return cluster_children_changes(s->children, at) - s->blocks[at].changes >=
	       (n < CLUSTER_BLOCK ? n : CLUSTER_BLOCK);
}

bool cluster_sums_work(cluster_sums *s)
{
	size_t n = block_count(s);
	struct ward_error err;
	if (!cluster_array_grow(&s->blocks, &s->room, n, sizeof(*s->blocks)))
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t at = (s->next + i) % n;
		if (!block_is_due(s, at))
			continue;
		s->next = at + 1;
		return s->memory <= CLUSTER_SUMS_MEMORY && block_make(s, at, CLUSTER_SUMS_MEMORY, &err) == WARD_OK;
	}
	return false;
}

int cluster_sums_block(
	cluster_sums *s, size_t at, size_t memory, ward_partial **out, uint64_t *cut, struct ward_error *err)
{
	*out = NULL;
	if (!cluster_array_grow(&s->blocks, &s->room, at + 1, sizeof(*s->blocks)))
		return cluster_no_memory(err);
	struct block *b = &s->blocks[at];
	int status = WARD_OK;
	if (!b->is_made || b->changes != cluster_children_changes(s->children, at))
		status = block_make(s, at, memory, err);
	if (status || !b->sum)
		return status;
	*cut += b->cut;
	status = ward_partial_copy(b->sum, out, err);
	if (s->memory > CLUSTER_SUMS_MEMORY)
		block_clear(s, b);
	return status;
}
