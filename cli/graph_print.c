/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward graph: print the tree. A line has a function's time, its share of all time as a bar, the time that it took
 * itself, its calls, and the function below its callers. What takes next to no time is summed up in a line.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

enum { BAR = 8, SMALL = 200, NAME = 400 };

/* What is printed, and the lines that lead from callers to callees: `last` of each level. */
struct walk {
	struct cli_output *out;
	const struct graph_tree *tree;
	const struct graph_shown *shown;
	bool is_last[GRAPH_DEEPEST];
	size_t hidden; /* places that no line stands for */
};

static bool is_small(const struct walk *w, const struct graph_node *node)
{
	if (node->longest < w->shown->longest && !node->is_least)
		return true;
	return !w->shown->all && node->total < w->tree->total / SMALL;
}

static void print_time(struct cli_output *out, uint64_t ns, bool is_least)
{
	char text[40];
	ward_time_text((double)ns, text, sizeof(text));
	cli_plain_units(out, text);
	fprintf(out->file, "%*s%s%s  ", 9 - cli_width(text) - is_least, "",
		!is_least      ? ""
		: out->unicode ? "≥"
			       : ">",
		text);
}

static void print_share(struct cli_output *out, uint64_t part, uint64_t all)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	unsigned length = all ? (unsigned)((unsigned __int128)part * BAR * 8 / all) : 0, cells;
	length = length > BAR * 8 ? BAR * 8 : length;
	if (!out->unicode)
		length = (length + 7) / 8 * 8;
	cells = (length + 7) / 8;
	for (unsigned i = 0; i < length / 8; i++)
		fputs(out->unicode ? "█" : "#", out->file);
	fprintf(out->file, "%s%*s %3.0f %%  ", eighths[length % 8], (int)(BAR - cells), "",
		all ? (double)part * 100 / (double)all : 0);
}

static void print_branches(const struct walk *w, unsigned depth)
{
	static const char *const lines[2][4] = {{"| ", "  ", "|-", "`-"}, {"│ ", "  ", "├─", "└─"}};
	const char *const *l = lines[w->out->unicode];
	for (unsigned i = 1; i < depth; i++)
		fputs(l[w->is_last[i]], w->out->file);
	if (depth)
		fputs(l[2 + w->is_last[depth]], w->out->file);
}

static void print_node(const struct walk *w, const struct graph_node *node, unsigned depth)
{
	char name[NAME];
	print_time(w->out, node->total, node->is_least);
	print_share(w->out, node->total, w->tree->total);
	print_time(w->out, node->self, node->is_least);
	fprintf(w->out->file, "%10" PRIu64 "  ", node->calls);
	print_branches(w, depth);
	cli_site_text(w->out, name, sizeof(name), node->site);
	fputs(name, w->out->file);
	if (node->calls > node->ended)
		fprintf(w->out->file, "  (%" PRIu64 " without an end)", node->calls - node->ended);
	fputc('\n', w->out->file);
}

/* Those that aren't shown, together. */
static void print_rest(struct walk *w, size_t n, const struct graph_node *sum, unsigned depth)
{
	w->is_last[depth] = true;
	print_time(w->out, sum->total, false);
	print_share(w->out, sum->total, w->tree->total);
	print_time(w->out, sum->total, false);
	fprintf(w->out->file, "%10" PRIu64 "  ", sum->calls);
	print_branches(w, depth);
	fprintf(w->out->file, "%zu more\n", n);
}

/* `order` has the larger ones first; but of those with few calls one may be shown behind one that isn't. */
static void print_level(struct walk *w, size_t first, size_t n, unsigned depth)
{
	struct graph_node rest = {0};
	size_t hidden = 0, shown = 0;
	for (size_t i = first; i < first + n; i++) {
		const struct graph_node *node = &w->tree->node[w->tree->order[i]];
		bool is_hidden = is_small(w, node);
		hidden += is_hidden;
		rest.total += is_hidden ? node->total : 0;
		rest.calls += is_hidden ? node->calls : 0;
	}
	bool is_large = hidden && rest.total >= w->tree->total / SMALL;
	for (size_t i = first; i < first + n; i++) {
		const struct graph_node *node = &w->tree->node[w->tree->order[i]];
		if (is_small(w, node))
			continue;
		w->is_last[depth] = ++shown + hidden == n && !is_large;
		print_node(w, node, depth);
		if (depth + 1 < GRAPH_DEEPEST)
			print_level(w, node->first, node->n, depth + 1);
	}
	if (is_large)
		print_rest(w, hidden, &rest, depth);
	w->hidden += is_large ? 0 : hidden;
}

void graph_print(struct cli_output *out, const struct graph_tree *tree, const struct graph_shown *shown)
{
	struct walk w = {.out = out, .tree = tree, .shown = shown};
	fprintf(out->file, "%9s  %-*s  %9s  %10s  function\n", "total", BAR + 6, "share", "self", "calls");
	print_level(&w, tree->first, tree->n_roots, 0);
	if (w.hidden)
		fprintf(out->file, "%zu places of next to no time aren't shown: --all has them\n", w.hidden);
	if (tree->has_events)
		fprintf(out->file, "%" PRIu64 " calls written, %" PRIu64 " lost\n", tree->written, tree->lost);
	if (tree->deeper)
		fprintf(out->file, "%" PRIu64 " calls were deeper than --depth: their time is their caller's own\n",
			tree->deeper);
	if (tree->no_room)
		fprintf(out->file,
			"%" PRIu64 " calls at places that found no room aren't in the tree: --places N has more\n",
			tree->no_room);
	if (tree->cut_off)
		fprintf(out->file, "%" PRIu64 " places are on top because their callers found no room\n",
			tree->cut_off);
}

/* ---- for programs ---- */

/* The names of the functions that a walk is in. */
struct names {
	const struct cli_output *out;
	const struct graph_tree *tree;
	graph_place_fn *fn;
	void *user;
	char *name[GRAPH_DEEPEST];
};

static void walk_level(struct names *w, size_t first, size_t n, unsigned depth)
{
	for (size_t i = first; i < first + n && depth < GRAPH_DEEPEST; i++) {
		const struct graph_node *node = &w->tree->node[w->tree->order[i]];
		char name[NAME];
		cli_site_text(w->out, name, sizeof(name), node->site);
		w->name[depth] = name;
		w->fn(w->user, (const char *const *)w->name, depth + 1, node);
		walk_level(w, node->first, node->n, depth + 1);
	}
}

void graph_walk(const struct cli_output *out, const struct graph_tree *tree, graph_place_fn *fn, void *user)
{
	struct names w = {.out = out, .tree = tree, .fn = fn, .user = user};
	walk_level(&w, tree->first, tree->n_roots, 0);
}

static void put_time(struct json_object *o, const char *name, uint64_t ns, bool is_known)
{
	json_object_object_add(o, name, is_known ? json_object_new_uint64(ns) : NULL);
}

static void json_place(void *user, const char *const *functions, size_t n, const struct graph_node *node)
{
	struct json_object *o = json_object_new_object(), *callers = json_object_new_array();
	json_object_object_add(o, "type", json_object_new_string("call"));
	json_object_object_add(o, "function", cli_json_string(functions[n - 1]));
	for (size_t i = 0; i + 1 < n; i++)
		json_object_array_add(callers, cli_json_string(functions[i]));
	json_object_object_add(o, "callers", callers);
	json_object_object_add(o, "calls", json_object_new_uint64(node->calls));
	json_object_object_add(o, "ended", json_object_new_uint64(node->ended));
	put_time(o, "total_ns", node->total, true);
	put_time(o, "self_ns", node->self, node->ended);
	put_time(o, "longest_ns", node->longest, node->ended);
	cli_json_put(user, o);
}

void graph_json(struct cli_output *out, const struct graph_tree *tree)
{
	struct json_object *o = json_object_new_object();
	graph_walk(out, tree, json_place, out);
	json_object_object_add(o, "type", json_object_new_string("graph"));
	put_time(o, "total_ns", tree->total, true);
	if (tree->has_events) {
		json_object_object_add(o, "written", json_object_new_uint64(tree->written));
		json_object_object_add(o, "lost", json_object_new_uint64(tree->lost));
	}
	json_object_object_add(o, "deeper", json_object_new_uint64(tree->deeper));
	json_object_object_add(o, "no_room", json_object_new_uint64(tree->no_room));
	json_object_object_add(o, "cut_off", json_object_new_uint64(tree->cut_off));
	cli_json_put(out, o);
}
