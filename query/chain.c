/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query is a chain: a source, and operators, each applied to what the one before it gave. That is events at first,
 * with an element each; a group behind GroupBy; rows as soon as something was counted. Operators on events end up in
 * the probe; those on groups and rows in the final stage.
 */
#include "chain.h"

#include <string.h>

#include "sources.h"

/* ---- columns and rows ---- */

void add_column(struct chain *c, const char *name, struct expr *value, struct query_span at)
{
	struct plan *p = c->plan;

	if (p->n_columns == PLAN_COLUMNS) {
		query_fail(c->r->maker.err, at, NULL, "more than %d columns", PLAN_COLUMNS);
		return;
	}
	if (value->type.kind == TYPE_RECORD) {
		for (const struct member *m = value->members; m; m = m->next)
			add_column(c, m->name, m->value, at);
		return;
	}
	if (value->type.kind == TYPE_GROUP || value->type.kind == TYPE_EVENT || value->type.kind == TYPE_STRUCTURE)
		query_fail(c->r->maker.err, at, NULL, "%s is no column", type_name(value->type));
	p->columns[p->n_columns++] = (struct plan_column){name, value};
}

struct expr *key_value(struct chain *c, size_t i, struct query_span at)
{
	struct expr *e = expr_new(&c->r->maker, EXPR_KEY, c->plan->keys[i].of->type, at);

	e->type.is_literal = false;
	e->value = i;
	return e;
}

void add_key_columns(struct chain *c, struct query_span at)
{
	add_window_column(c, NULL, at);
	for (size_t i = 0; i < c->plan->n_keys; i++)
		add_column(c, c->plan->keys[i].shown, key_value(c, i, at), at);
}

/* What functions of a row, or of a group, are applied to. */
struct expr *subject(struct chain *c, struct query_span at)
{
	struct expr *record;
	struct member **end;

	if (c->stage == E)
		return c->element;
	if (c->stage == G)
		return expr_new(&c->r->maker, EXPR_GROUP, TYPE_A(GROUP), at);
	record = expr_new(&c->r->maker, EXPR_RECORD, TYPE_A(RECORD), at);
	record->in_final = true;
	end = &record->members;
	for (size_t i = 0; i < c->plan->n_columns; i++) {
		struct member *m = chain_alloc(c, sizeof(*m));

		*m = (struct member){c->plan->columns[i].name, c->plan->columns[i].value, NULL};
		*end = m;
		end = &m->next;
	}
	return record;
}

struct expr *resolve_here(struct chain *c, struct node *n)
{
	return resolve_of(c->r, n, subject(c, n->span), c->lets);
}

/* ---- the chain ---- */

static const struct operator operators[] = {
#define OPERATOR(name, least, most, on, how) {#name, least, most, on, how},
#include "operators.def"
#undef OPERATOR
};
enum { N_OPERATORS = sizeof(operators) / sizeof(operators[0]) };

const struct operator* find_operator(const char *name)
{
	for (size_t i = 0; i < N_OPERATORS; i++)
		if (strcmp(operators[i].name, name) == 0)
			return &operators[i];
	return NULL;
}

bool is_aggregate(const struct operator* op)
{
	return op->apply == apply_aggregate || op->apply == apply_fold || op->apply == apply_use ||
	       (!op->apply && (op->on & G));
}

bool check_arguments(struct chain *c, const struct operator* op, struct node *n)
{
	bool has_key = strcmp(n->name, "CountBy") == 0 || strcmp(n->name, "GroupBy") == 0;
	unsigned args = 0;

	for (const struct node *arg = n->args; arg; arg = arg->next)
		args++;
	if (args >= op->least && args <= op->most)
		return true;
	if (op->least == op->most)
		query_fail(c->r->maker.err, n->span,
			has_key && args ? "a key may have parts: new { stack, tid }" : NULL,
			"%s takes %u argument%s, not %u", n->name, op->least, op->least == 1 ? "" : "s", args);
	else
		query_fail(c->r->maker.err, n->span, NULL, "%s takes %u to %u arguments, not %u", n->name, op->least,
			op->most, args);
	return false;
}

static void fail_operator(struct chain *c, const struct node *n)
{
	const char *names[N_OPERATORS], *close;
	char hint[200] = "";

	for (size_t i = 0; i < N_OPERATORS; i++)
		names[i] = operators[i].name;
	close = query_closest(n->name, names, N_OPERATORS);
	if (close)
		snprintf(hint, sizeof(hint), "did you mean %s?", close);
	query_fail(c->r->maker.err, n->at, hint, "there is no operator %s", n->name);
}

static void fail_stage(struct chain *c, const struct operator* op, const struct node *n)
{
	static const char *const stages[] = {[E] = "events", [G] = "a group", [R] = "rows", [P] = "a probe"};
	const char *hint = NULL;

	if (c->stage == E && strncmp(n->name, "OrderBy", 7) == 0)
		hint = "events have no end to be sorted at: sort what is grouped";
	else if (c->stage == E && (op->on & R))
		hint = "group and count first: CountBy(caller), or GroupBy(…).Select(g => …)";
	else if (c->stage == G && strcmp(n->name, "GroupBy") == 0)
		hint = "one key: GroupBy(new { a, b })";
	query_fail(c->r->maker.err, n->at, hint, "%s of %s", n->name, stages[c->stage]);
}

void apply_operator(struct chain *c, struct node *n)
{
	const struct operator* op = find_operator(n->name);

	if (op && c->stage == P && !(op->on & P))
		take_state(c, n->a->span);
	if (chain_failed(c))
		return;
	if (!op || (strcmp(n->name, "let") == 0 && !n->is_let))
		fail_operator(c, n);
	else if (!op->apply)
		query_fail(c->r->maker.err, n->at, NULL, "%s is not supported yet", n->name);
	else if (!(op->on & c->stage))
		fail_stage(c, op, n);
	else if (check_arguments(c, op, n))
		op->apply(c, n);
}

/* The source at the beginning of a chain, then each of its operators. */
void walk_chain(struct chain *c, struct node *n)
{
	struct definition *d = n->kind == NODE_NAME ? find_definition(c->r, n->name) : NULL;
	enum { MOST = 100 };

	if (chain_failed(c))
		return;
	if (++c->depth > MOST) {
		query_fail(c->r->maker.err, n->span, NULL, "more than %d operators", MOST);
	} else if (d && d->node && !d->is_busy) {
		d->is_busy = true;
		walk_chain(c, d->node);
		d->is_busy = false;
	} else if (n->kind == NODE_CALL && n->a && !is_source_root(n->a)) {
		walk_chain(c, n->a);
		if (!chain_failed(c))
			apply_operator(c, n);
	} else if (n->kind == NODE_MEMBER && is_module(c, n)) {
		walk_chain(c, n->a);
		take_member(c, n);
	} else if (is_module(c, n)) {
		add_module(c, n);
	} else {
		add_sources(c->r, n);
		c->element = expr_new(&c->r->maker, EXPR_EVENT, TYPE_A(EVENT), n->span);
	}
	c->depth--;
}
