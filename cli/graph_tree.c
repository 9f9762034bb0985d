/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward graph: from the entries of the probe's map to a tree. An entry's key has its caller's number, and its own
 * number is computed from both as the probe does. The entries come from the target's memory and may say anything:
 * what doesn't hang on a root is never walked, so a circle of callers does no harm.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* As in probes/graph.c. */
static uint64_t path_number(uint64_t caller, uint64_t site)
{
	uint64_t h = (caller ^ (site + 1)) * 0x9e3779b97f4a7c15;
	return h ^ h >> 32;
}

static const struct ward_field *find_field(const ward_snapshot *snapshot, const char *name)
{
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++)
		if (strcmp(ward_snapshot_field(snapshot, i)->name, name) == 0)
			return ward_snapshot_field(snapshot, i);
	return NULL;
}

static uint64_t part_value(const struct ward_field *parts, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(parts[i].name, name) == 0)
			return parts[i].is_empty ? 0 : parts[i].value;
	return 0;
}

static void fill_node(struct graph_node *node, const struct ward_field *f, const struct ward_map_entry *e)
{
	node->caller = part_value(e->keys, f->n_keys, "caller");
	node->site = part_value(e->keys, f->n_keys, "site");
	node->path = path_number(node->caller, node->site);
	node->calls = part_value(e->values, f->n_values, "calls");
	node->ended = part_value(e->values, f->n_values, "ended");
	node->total = part_value(e->values, f->n_values, "total");
	node->longest = part_value(e->values, f->n_values, "longest");
}

static int by_path(const void *a, const void *b)
{
	const struct graph_node *x = a, *y = b;
	return (x->path > y->path) - (x->path < y->path);
}

static const struct graph_node *find_path(const struct graph_tree *tree, uint64_t path)
{
	const struct graph_node key = {.path = path};
	return tree->n ? bsearch(&key, tree->node, tree->n, sizeof(key), by_path) : NULL;
}

/* Callees stand together: by caller, then by time, then as the probe has them. */
static int by_caller(const void *a, const void *b, void *user)
{
	const struct graph_node *nodes = user, *x = &nodes[*(const size_t *)a], *y = &nodes[*(const size_t *)b];
	uint64_t of_x = x->is_below_call ? x->caller : 0, of_y = y->is_below_call ? y->caller : 0;
	if (of_x != of_y)
		return of_x < of_y ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return (x->site > y->site) - (x->site < y->site);
}

/* Each group of callees is given to its caller. */
static void link_groups(struct graph_tree *tree)
{
	for (size_t i = 0, end; i < tree->n; i = end) {
		const struct graph_node *first = &tree->node[tree->order[i]];
		uint64_t of = first->is_below_call ? first->caller : 0;
		for (end = i + 1; end < tree->n; end++) {
			const struct graph_node *next = &tree->node[tree->order[end]];
			if ((next->is_below_call ? next->caller : 0) != of)
				break;
		}
		struct graph_node *caller = of ? (struct graph_node *)find_path(tree, of) : NULL;
		*(caller ? &caller->first : &tree->first) = i;
		*(caller ? &caller->n : &tree->n_roots) = end - i;
	}
}

/*
 * A function's own time is its time without its callees'. The time of calls without an end isn't known, but it is at
 * least that of the calls which they made: so a place's time is no less than its callees' together. Returns the sum of
 * a level.
 */
static uint64_t raise_totals(struct graph_tree *tree, size_t first, size_t n, unsigned depth)
{
	uint64_t sum = 0;
	for (size_t i = first; i < first + n; i++) {
		struct graph_node *node = &tree->node[tree->order[i]];
		uint64_t below = depth < GRAPH_DEEPEST ? raise_totals(tree, node->first, node->n, depth + 1) : 0;
		node->is_least = node->calls > node->ended;
		if (node->is_least && node->total < below)
			node->total = below;
		node->self = node->total > below ? node->total - below : 0;
		sum += node->total;
	}
	return sum;
}

static void sort_tree(struct graph_tree *tree)
{
	qsort_r(tree->order, tree->n, sizeof(*tree->order), by_caller, tree->node);
	link_groups(tree);
}

bool graph_tree_make(struct graph_tree *tree, const ward_snapshot *snapshot)
{
	const struct ward_field *f = find_field(snapshot, "tree"), *deeper = find_field(snapshot, "calls.lost");
	*tree = (struct graph_tree){.deeper = deeper ? deeper->value : 0};
	if (!f || f->kind != WARD_FIELD_MAP)
		return true;
	tree->node = calloc(f->n + 1, sizeof(*tree->node));
	tree->order = calloc(f->n + 1, sizeof(*tree->order));
	if (!tree->node || !tree->order)
		return false;
	for (size_t i = 0; i < f->n; i++)
		fill_node(&tree->node[i], f, &f->entries[i]);
	tree->n = f->n;
	tree->no_room = f->other ? part_value(f->other->values, f->n_values, "calls") : 0;
	qsort(tree->node, tree->n, sizeof(*tree->node), by_path);
	for (size_t i = 0; i < tree->n; i++) {
		struct graph_node *node = &tree->node[i];
		tree->order[i] = i;
		node->is_below_call = node->caller && find_path(tree, node->caller);
		tree->cut_off += node->caller && !node->is_below_call;
	}
	sort_tree(tree);
	tree->total = raise_totals(tree, tree->first, tree->n_roots, 0);
	sort_tree(tree);
	return true;
}

void graph_tree_free(struct graph_tree *tree)
{
	free(tree->node);
	free(tree->order);
	*tree = (struct graph_tree){0};
}
