/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on rows: their order, and how many of them. */
#include <string.h>

#include "chain.h"

void apply_order(struct chain *c, struct node *n)
{
	struct plan *p = c->plan;
	bool down = strstr(n->name, "Descending") != NULL, then = n->name[0] == 'T';
	struct expr *by = resolve_here(c, n->args);

	if (chain_failed(c))
		return;
	if (c->taken)
		query_fail(c->r->maker.err, n->at, "put Take last", "rows are ordered behind Take");
	if (by->type.kind == TYPE_RECORD || by->type.kind == TYPE_GROUP || by->type.kind == TYPE_BUCKETS)
		query_fail(c->r->maker.err, n->args->span, NULL, "%s has no order", type_name(by->type));
	if (then && !p->n_orders)
		query_fail(c->r->maker.err, n->at, "OrderBy comes first", "%s without an order before it", n->name);
	if (p->n_orders == PLAN_ORDERS)
		query_fail(c->r->maker.err, n->at, NULL, "more than %d orders", PLAN_ORDERS);
	if (chain_failed(c))
		return;
	if (then) {
		p->orders[p->n_orders++] = (struct plan_order){by, down};
	} else { /* what was the order before it holds among equals */
		memmove(p->orders + 1, p->orders, p->n_orders++ * sizeof(p->orders[0]));
		p->orders[0] = (struct plan_order){by, down};
	}
}

void apply_take(struct chain *c, struct node *n)
{
	int64_t count;

	if (!resolve_constant(c->r, n->args, 0, 1000000000, &count))
		return;
	if (c->stage == E) {
		if ((uint64_t)count < c->plan->take_events)
			c->plan->take_events = (uint64_t)count;
		c->taken = true;
		return;
	}
	if (n->name[0] == 'S') {
		if (c->plan->take != UINT64_MAX) /* of those that were taken */
			c->plan->take -= (uint64_t)count < c->plan->take ? (uint64_t)count : c->plan->take;
		c->plan->skip += (uint64_t)count;
	} else if ((uint64_t)count < c->plan->take) {
		c->plan->take = (uint64_t)count;
	}
	c->taken = true;
}

/* Top(n), Top(n, approximate): the rows with the largest of what was counted first. */
void apply_top(struct chain *c, struct node *n)
{
	struct plan *p = c->plan;
	const struct node *how = n->args->next;

	if (how && (how->kind != NODE_NAME || strcmp(how->name, "approximate") != 0))
		query_fail(c->r->maker.err, how->span, "Top(10), or Top(10, approximate)",
			"only approximate may be said of the counts");
	p->is_about = how != NULL;
	make_rows(c, n->span);
	if (chain_failed(c) || !p->n_columns)
		return;
	if (p->n_orders == PLAN_ORDERS) {
		query_fail(c->r->maker.err, n->at, NULL, "more than %d orders", PLAN_ORDERS);
		return;
	}
	for (size_t i = 0; i < p->n_columns; i++)
		if (is_counted(p, p->columns[i].value)) {
			memmove(p->orders + 1, p->orders, p->n_orders++ * sizeof(p->orders[0]));
			p->orders[0] = (struct plan_order){p->columns[i].value, true};
			break;
		}
	apply_take(c, n);
}
