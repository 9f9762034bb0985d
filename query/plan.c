/* SPDX-License-Identifier: Apache-2.0 */
/* From the tree to the plan: definitions, then the chain, then rewrites. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "type_table.h"

/* What Select makes of each event is a row, if nothing is counted. */
static void make_records(struct chain *c, struct query_span at)
{
	if (c->element->kind == EXPR_EVENT) {
		query_fail(c->r->maker.err, at,
			"Count(), CountBy(caller), Sum(arg2), Hist(elapsed), Select(new { tid, arg2 })",
			"what is to be known of these events?");
		return;
	}
	c->plan->is_records = true;
	add_column(c, "value", c->element, at);
}

/* Definitions of the text, and before them those of the command line. */
static void add_definition(struct resolver *r, const struct definition *definition)
{
	struct definition *d = query_alloc(r->maker.arena, sizeof(*d));

	*d = *definition;
	d->next = r->definitions;
	r->definitions = d;
}

/* A value of the command line that can't be read as an expression is a text: -D kernel=server. */
static bool add_given(struct resolver *r, const char *define)
{
	const char *equals = strchr(define, '=');
	struct query_text text = {.bytes = equals ? equals + 1 : "", .n = equals ? (uint32_t)strlen(equals + 1) : 0};
	struct query_error ignored = {0};
	struct node *node;

	if (!equals || equals == define || strlen(define) > QUERY_ARENA_OBJECT / 2) {
		query_fail(r->maker.err, (struct query_span){0, 1}, "-D NAME=VALUE", "-D %.60s: a name and a value",
			define);
		return false;
	}
	node = query_parse_expression(&text, r->maker.arena, &ignored);
	if (!node || node->kind == NODE_NAME || node->kind == NODE_MEMBER) {
		node = query_alloc(r->maker.arena, sizeof(*node));
		node->kind = NODE_TEXT;
		node->name = query_copy(r->maker.arena, text.bytes, text.n);
	}
	add_definition(r, &(struct definition){.name = query_copy(r->maker.arena, define, (size_t)(equals - define)),
				  .node = node,
				  .is_given = true});
	return true;
}

static bool add_definitions(struct resolver *r, const struct query_tree *tree)
{
	const struct query_options *o = &r->query->options;

	for (const struct node *n = tree->definitions; n; n = n->next)
		add_definition(r, &(struct definition){.name = n->name,
					  .type = n->is_parameter ? n->type : NULL,
					  .node = n->a,
					  .span = n->at,
					  .is_given = n->is_parameter});
	for (size_t i = 0; i < o->n_defines; i++) {
		struct definition *d;
		const char *type = NULL;

		if (!add_given(r, o->defines[i]))
			return false;
		for (d = r->definitions->next; d; d = d->next)
			if (strcmp(d->name, r->definitions->name) == 0)
				type = d->type;
		r->definitions->type = type;
	}
	return true;
}

bool plan_make(struct query *q, const struct query_tree *tree, struct query_error *err)
{
	struct resolver r = {.maker = {.arena = &q->arena, .err = err},
		.query = q,
		.plan = &q->plan,
		.aggregate = aggregate_of_group};
	struct chain c = {.r = &r, .plan = &q->plan, .stage = E};
	struct query_span at = tree->pipeline->span;

	q->plan.until = -1;
	q->plan.take = q->plan.take_events = UINT64_MAX;
	if (!add_definitions(&r, tree))
		return false;
	walk_chain(&c, tree->pipeline);
	if (!err->is_set && c.stage == P)
		take_state(&c, at);
	if (!err->is_set)
		make_rows(&c, at);
	if (!err->is_set && c.stage == E)
		make_records(&c, at);
	else if (!err->is_set && q->plan.before)
		query_fail(
			err, at, "Before(20).Where(ret < 0).Select(new { time, ret })", "Before is of rows of events");
	else if (!err->is_set && q->plan.take_events != UINT64_MAX)
		query_fail(err, at, "put Take behind the group, where it chooses rows",
			"a count of the first events of each thread says little");
	if (!err->is_set && q->options.wants_types)
		for (size_t i = 0; i < q->plan.n_sites; i++)
			types_wanted(&r, i);
	if (!err->is_set && q->other) { /* what is by window has one table */
		q->options.without |= QUERY_R7;
		q->other->options.without |= QUERY_R7;
		q->other->options.without &= ~(unsigned)(QUERY_R2 | QUERY_R4); /* nor do readers count both */
		plan_rewrite(q->other, &r.maker);
	}
	if (!err->is_set)
		plan_rewrite(q, &r.maker);
	if (!err->is_set && q->other)
		merge_tables(&c, at);
	if (!err->is_set)
		check_windows(&c, at);
	if (!err->is_set)
		check_module(&c, at);
	if (!err->is_set && q->arena.full)
		query_fail(err, at, NULL, "the query is too large");
	return !err->is_set;
}
