/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward graph, in parts: its options (cmd_graph.c), the tree of what its probe has kept (graph_tree.c), and how that is
 * printed (graph_print.c).
 */
#ifndef WARD_CLI_GRAPH_H
#define WARD_CLI_GRAPH_H

#include "cli.h"

extern const char graph_probe_text[];

/* A place in the tree: a function below its callers. Times are nanoseconds. */
struct graph_node {
	uint64_t path, caller, site; /* path and caller: as the probe computes them */
	uint64_t calls, ended, total, self, longest;
	size_t first, n;    /* its callees, in order of their total time; `order` of the tree has their numbers */
	bool is_below_call; /* its caller is in the tree */
	bool is_least;      /* some of its calls have no end: its time is at least `total` */
};

struct graph_tree {
	struct graph_node *node;
	size_t n, *order;
	size_t first, n_roots; /* of `order` */
	uint64_t total;        /* time of all roots */
	uint64_t no_room;      /* calls at places that found no room in the probe's map */
	uint64_t cut_off;      /* places whose callers found none: they are roots */
	bool has_events;       /* each call was to be written to a file: how many were, and how many were lost */
	uint64_t written, lost;
	uint64_t deeper; /* calls that were deeper than the probe looks */
};

/* False without memory. Free with graph_tree_free in either case. */
bool graph_tree_make(struct graph_tree *tree, const ward_snapshot *snapshot);
void graph_tree_free(struct graph_tree *tree);

enum { GRAPH_DEEPEST = 256 };

/* Each place, with the names of the functions from the outermost to its own. */
typedef void graph_place_fn(void *user, const char *const *functions, size_t n, const struct graph_node *node);
void graph_walk(const struct cli_output *out, const struct graph_tree *tree, graph_place_fn *fn, void *user);

struct graph_shown {
	bool all;         /* else only what takes a 200th of all time */
	uint64_t longest; /* nanoseconds: leave out places without a call of this length */
};
void graph_print(struct cli_output *out, const struct graph_tree *tree, const struct graph_shown *shown);
/* A line for each place, its callers first. */
void graph_json(struct cli_output *out, const struct graph_tree *tree);

#endif
