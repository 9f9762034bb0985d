/* SPDX-License-Identifier: Apache-2.0 */
/* GroupBy, and what is counted of groups or of all events. */
#include <string.h>

#include "chain.h"

static const char *shown_name(const struct node *n)
{
	n = n->kind == NODE_LAMBDA ? n->a : n;
	return (n->kind == NODE_NAME || n->kind == NODE_MEMBER) && n->name ? n->name : "Key";
}

void add_key(struct chain *c, const char *name, const char *shown, struct expr *of, struct query_span at)
{
	struct plan *p = c->plan;
	enum type_kind kind = of->type.kind;

	if (p->n_keys == PLAN_KEYS)
		query_fail(c->r->maker.err, at, NULL, "a key of more than %d parts", PLAN_KEYS);
	else if (kind == TYPE_RECORD || kind == TYPE_EVENT || kind == TYPE_GROUP || kind == TYPE_REAL ||
		 kind == TYPE_STRUCTURE)
		query_fail(c->r->maker.err, at, NULL, "%s is no part of a key", type_name(of->type));
	else if (kind == TYPE_INSTANT && of->kind != EXPR_SESSION)
		query_fail(c->r->maker.err, at, "group by time / 1.s, or put Window(1.s) before it",
			"each instant would be a group of its own");
	if (!chain_failed(c))
		p->keys[p->n_keys++] = (struct plan_key){name, shown, of};
}

unsigned plan_key_bytes(const struct plan *p)
{
	unsigned bytes = 0;

	for (size_t i = 0; i < p->n_keys; i++)
		bytes += is_text_part(p->keys[i].of) ? (unsigned)p->keys[i].of->value : 8;
	return bytes;
}

void apply_group(struct chain *c, struct node *n)
{
	struct expr *key = resolve_here(c, n->args);

	if (n->args->next && strcmp(n->name, "GroupBy") == 0 && !chain_failed(c))
		c->element = resolve_here(c, n->args->next);
	c->lets = NULL;
	c->plan->has_key = true;
	if (chain_failed(c))
		return;
	if (key->kind == EXPR_RECORD) {
		for (const struct member *m = key->members; m; m = m->next)
			add_key(c, m->name, m->name, m->value, n->args->span);
	} else {
		add_key(c, "Key", shown_name(n->args), key, n->args->span);
	}
	if (plan_key_bytes(c->plan) > PLAN_KEY_BYTES)
		query_fail(c->r->maker.err, n->args->span, "bound its texts: Str(0, 32), Str(path, 32)",
			"the key has %u bytes; a map takes %d", plan_key_bytes(c->plan), PLAN_KEY_BYTES);
	c->stage = G;
	c->r->element = c->element;
}

void add_aggregate_columns(struct chain *c, const char *name, struct expr *value, struct query_span at)
{
	char *lower = query_copy(c->r->maker.arena, name, strlen(name));

	lower[0] = (char)(lower[0] | 0x20);
	add_key_columns(c, at);
	add_column(c, lower, value, at);
	c->stage = R;
}

/* As rows: the parts of the key, and the results. */
void apply_aggregate(struct chain *c, struct node *n)
{
	struct expr *of = n->args ? resolve_of(c->r, n->args, c->element, c->lets) : NULL, *value;

	if (chain_failed(c))
		return;
	/* the count of some of all events is the count of all of some */
	if (c->stage == E && of && strcmp(n->name, "Count") == 0) {
		plan_add_filter(c->r->query, &c->r->maker, expr_bool(&c->r->maker, of));
		of = NULL;
	}
	value = make_aggregate(c, n, of);
	if (chain_failed(c))
		return;
	add_aggregate_columns(c,
		strcmp(n->name, "Quantile") == 0 && value->kind == EXPR_KEEP ? quantile_name(c, value->real) : n->name,
		value, n->span);
}

void apply_count_by(struct chain *c, struct node *n)
{
	struct plan_keep keep = {.kind = KEEP_COUNT};

	apply_group(c, n);
	if (!chain_failed(c))
		add_aggregate_columns(c, "count", keep_value(c, &keep, PART_COUNT, TYPE_ULONG, n->span), n->span);
}

/* The different values: a group of each, with nothing but its key. */
void apply_to_set(struct chain *c, struct node *n)
{
	struct plan_keep keep = {.kind = KEEP_COUNT};

	apply_group(c, n);
	if (chain_failed(c))
		return;
	keep_value(c, &keep, PART_COUNT, TYPE_ULONG, n->span);
	add_key_columns(c, n->span);
	c->stage = R;
}

/* TopK(k, x): the k most frequent values, in bounded memory; how often each came at least, and at most. */
void apply_top_k(struct chain *c, struct node *n)
{
	struct plan *p = c->plan;
	struct plan_keep keep = {.kind = KEEP_COUNT};
	struct node by = *n;
	struct expr *most, *error;
	int64_t k;

	enum { MOST = 128 };
	if (!resolve_constant(c->r, n->args, 1, MOST, &k))
		return;
	by.args = n->args->next;
	apply_group(c, &by);
	if (chain_failed(c))
		return;
	most = keep_value(c, &keep, PART_COUNT, TYPE_ULONG, n->span);
	error = expr_new(&c->r->maker, EXPR_KEEP, TYPE_ULONG, n->span);
	error->value = most->value;
	error->part = PART_ERROR;
	add_key_columns(c, n->span);
	add_column(c, "at_least", expr_binary(&c->r->maker, OP_SUB, most, error, n->span), n->span);
	add_column(c, "at_most", most, n->span);
	p->counters = top_counters((uint64_t)k);
	p->orders[p->n_orders++] = (struct plan_order){most, true};
	p->take = (uint64_t)k;
	c->taken = true;
	c->stage = R;
}

/* Aggregate(seed, f), AggregateBy(key, seed, f) */
void apply_fold(struct chain *c, struct node *n)
{
	struct expr *value = make_fold(c, n, n->args, n->args->next);

	if (!chain_failed(c))
		add_aggregate_columns(c, n->name, value, n->span);
}

void apply_fold_by(struct chain *c, struct node *n)
{
	struct node fold = *n;

	fold.args = n->args->next;
	fold.name = "Aggregate";
	apply_group(c, n);
	if (!chain_failed(c))
		apply_fold(c, &fold);
}

/* Use("sketch.c", x, …) */
void apply_use(struct chain *c, struct node *n)
{
	struct expr *value = make_use(c, n);

	if (!chain_failed(c))
		add_aggregate_columns(c, n->name, value, n->span);
}

/* A group without Select: its key, and how many. */
void make_rows(struct chain *c, struct query_span at)
{
	struct plan_keep keep = {.kind = KEEP_COUNT};

	if (c->stage == G)
		add_aggregate_columns(c, "count", keep_value(c, &keep, PART_COUNT, TYPE_ULONG, at), at);
}

/* g.Count() in a function of a group; so it is found by the resolver. */
struct expr *aggregate_of_group(struct resolver *r, struct expr *group, struct node *n)
{
	struct chain c = {.r = r, .plan = r->plan, .stage = G, .element = r->element};
	const struct operator* op = find_operator(n->name);
	struct expr *of;

	(void)group;
	if (!op || !is_aggregate(op)) {
		query_fail(r->maker.err, n->at, "Count, Sum, Min, Max, Average, Stat, Hist, Distinct",
			"a group has no function %s", n->name);
		return expr_number(&r->maker, TYPE_LONG, 0, n->span);
	}
	if (!op->apply || !check_arguments(&c, op, n)) {
		query_fail(r->maker.err, n->at, NULL, "%s is not supported yet", n->name);
		return expr_number(&r->maker, TYPE_LONG, 0, n->span);
	}
	if (op->apply == apply_use)
		return make_use(&c, n);
	if (op->apply == apply_fold)
		return make_fold(&c, n, n->args, n->args->next);
	of = n->args ? resolve_of(r, n->args, r->element, NULL) : NULL;
	return r->maker.err->is_set ? expr_number(&r->maker, TYPE_LONG, 0, n->span) : make_aggregate(&c, n, of);
}
