/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on events: what they choose and make of them ends up in the probe. */
#include <string.h>

#include "chain.h"
#include "sources.h"

void apply_where(struct chain *c, struct node *n)
{
	struct expr *cond = resolve_here(c, n->args);

	if (chain_failed(c))
		return;
	cond = expr_bool(&c->r->maker, cond);
	if (c->taken)
		query_fail(c->r->maker.err, n->at, "put Take last", "rows are chosen behind Take");
	if (c->stage == E) {
		plan_add_filter(c->r->query, &c->r->maker, cond);
		return;
	}
	if (c->plan->n_having == PLAN_FILTERS)
		query_fail(c->r->maker.err, n->at, NULL, "more than %d conditions", PLAN_FILTERS);
	else
		c->plan->having[c->plan->n_having++] = cond;
}

void apply_let(struct chain *c, struct node *n)
{
	struct binding *b = chain_alloc(c, sizeof(*b));

	*b = (struct binding){n->params[0], resolve_here(c, n->args), c->lets};
	c->lets = b;
}

void apply_select(struct chain *c, struct node *n)
{
	struct expr *value = resolve_here(c, n->args);

	c->lets = NULL;
	if (chain_failed(c))
		return;
	if (c->stage == E) {
		c->element = value;
		return;
	}
	c->plan->n_columns = 0;
	c->plan->is_whole = false;
	add_window_column(c, value, n->span);
	add_column(c, n->args->kind == NODE_LAMBDA && n->args->a->name ? n->args->a->name : "value", value, n->span);
	c->stage = R;
}

static void end_after(struct chain *c, int64_t ns)
{
	if (c->plan->until < 0 || ns < c->plan->until)
		c->plan->until = ns;
}

void apply_until(struct chain *c, struct node *n)
{
	struct expr *e = resolve(c->r, n->args, NULL, NULL);

	if (chain_failed(c))
		return;
	if (e->kind != EXPR_CONST || (e->type.kind != TYPE_DURATION && e->type.kind != TYPE_INSTANT))
		query_fail(c->r->maker.err, n->args->span, "Until(5.min), or Until(Now.AddMinutes(5))",
			"a duration or an instant is expected here");
	else
		end_after(c, e->type.kind == TYPE_DURATION ? (int64_t)e->value
							   : (int64_t)e->value - c->r->query->options.now);
}

void apply_process(struct chain *c, struct node *n)
{
	int64_t pid;

	if (n->args->kind == NODE_TEXT)
		c->plan->process = n->args->name;
	else if (resolve_constant(c->r, n->args, 1, INT32_MAX, &pid))
		c->plan->pid = pid;
}

void apply_thread(struct chain *c, struct node *n)
{
	struct expr *tid =
		expr_new(&c->r->maker, EXPR_FIELD, TYPE_OF(.kind = TYPE_INT, .bits = 32, .is_signed = true), n->span);
	int64_t number;

	tid->value = FIELD_TID;
	if (resolve_constant(c->r, n->args, 1, INT32_MAX, &number))
		plan_add_filter(c->r->query, &c->r->maker,
			expr_binary(&c->r->maker, OP_EQ, tid,
				expr_number(&c->r->maker, TYPE_LITERAL, (uint64_t)number, n->span), n->span));
}

/* Keys(n), Keys(n, refuse) */
void apply_keys(struct chain *c, struct node *n)
{
	const struct node *how = n->args->next;
	int64_t slots;

	c->plan->refuses = how != NULL;
	if (how && (how->kind != NODE_NAME || strcmp(how->name, "refuse") != 0))
		query_fail(c->r->maker.err, how->span, "Keys(1000), or Keys(1000, refuse)",
			"only refuse may be said of more keys");
	if (resolve_constant(c->r, n->args, 1, 1 << 20, &slots))
		for (c->plan->slots = 1; c->plan->slots < (uint64_t)slots;)
			c->plan->slots *= 2;
}

/* ---- gates: what lets some events pass ---- */

static struct expr *gate_value(struct resolver *r, const struct plan_gate *gate, struct query_span at)
{
	struct plan *p = r->plan;
	struct expr *e = expr_new(&r->maker, EXPR_GATE, TYPE_A(BOOL), at);

	if (p->n_gates == PLAN_GATES) {
		query_fail(r->maker.err, at, NULL, "more than %d samples of samples", PLAN_GATES);
		return e;
	}
	e->value = p->n_gates;
	e->a = gate->of;
	e->size += gate->of ? gate->of->size : 0;
	p->gates[p->n_gates++] = *gate;
	return e;
}

static void add_gate(struct chain *c, const struct plan_gate *gate, struct query_span at)
{
	struct expr *e = gate_value(c->r, gate, at);

	if (c->taken)
		query_fail(c->r->maker.err, at, "put Take last", "rows are chosen behind Take");
	if (!chain_failed(c))
		plan_add_filter(c->r->query, &c->r->maker, e);
}

/* A key that is a number: what is counted by it. */
static bool check_sampled(struct resolver *r, const struct expr *of, struct query_span at)
{
	if (!r->maker.err->is_set && !is_numeric(of->type) && of->type.kind != TYPE_SITE)
		query_fail(r->maker.err, at, "Chopstix(caller), Chopstix(arg0)",
			"samples of each what? %s is no number",
			of->type.kind == TYPE_EVENT ? "An event" : type_name(of->type));
	return !r->maker.err->is_set;
}

static struct expr *caller_of(struct resolver *r, struct query_span at)
{
	struct expr *e = expr_new(&r->maker, EXPR_FIELD, TYPE_A(ADDRESS), at);

	e->value = FIELD_CALLER;
	return e;
}

/* Chopstix([key]): by the caller, if nothing else is said. */
void apply_chopstix(struct chain *c, struct node *n)
{
	struct plan_gate gate = {.kind = GATE_CHOPSTIX};

	gate.of = n->args ? resolve_here(c, n->args) : caller_of(c->r, n->span);
	if (check_sampled(c->r, gate.of, n->span))
		add_gate(c, &gate, n->at);
}

/* sample(e, State): the same as a condition on the event, whose state is the probe's. */
bool is_sample(const struct node *call)
{
	return !call->a && strcmp(call->name, "sample") == 0 && call->args && call->args->next &&
	       call->args->next->kind == NODE_NAME && strcmp(call->args->next->name, "State") == 0;
}

struct expr *resolve_sample(struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit)
{
	struct plan_gate gate = {.kind = GATE_CHOPSTIX};

	gate.of = resolve(r, n->args, scope, implicit);
	if (!r->maker.err->is_set && gate.of->kind == EXPR_EVENT)
		gate.of = caller_of(r, n->span);
	return check_sampled(r, gate.of, n->span) ? gate_value(r, &gate, n->span)
						  : expr_number(&r->maker, TYPE_A(BOOL), 1, n->span);
}

void apply_sample(struct chain *c, struct node *n)
{
	struct plan_gate gate = {.kind = strcmp(n->name, "Sample") == 0 ? GATE_RANDOM : GATE_EVERY};
	int64_t of;

	if (!resolve_constant(c->r, n->args, 1, 1000000000, &of))
		return;
	gate.n = (uint64_t)of;
	add_gate(c, &gate, n->at);
}

/* AtMost(n, 1.s) */
void apply_at_most(struct chain *c, struct node *n)
{
	struct plan_gate gate = {.kind = GATE_AT_MOST};
	int64_t count;
	struct expr *time;

	if (!resolve_constant(c->r, n->args, 1, 1000000, &count))
		return;
	time = resolve(c->r, n->args->next, NULL, NULL);
	if (chain_failed(c))
		return;
	if (time->kind != EXPR_CONST || time->type.kind != TYPE_DURATION || time->value == 0 ||
		time->value > 86400000000000) {
		query_fail(c->r->maker.err, n->args->next->span, "AtMost(10, 1.s)",
			"a duration of at most a day is expected here");
		return;
	}
	gate.n = (uint64_t)count;
	gate.ns = (int64_t)time->value;
	add_gate(c, &gate, n->at);
}

/* ---- events of several sources ---- */

/* What is a source and nothing more, maybe by a name. */
static struct node *source_of(struct chain *c, struct node *n)
{
	for (unsigned depth = 0; n->kind == NODE_NAME && depth < 100; depth++) {
		struct definition *d = find_definition(c->r, n->name);

		if (!d || !d->node)
			break;
		n = d->node;
	}
	return n->kind == NODE_CALL && n->a && !is_source_root(n->a) ? NULL : n;
}

void apply_concat(struct chain *c, struct node *n)
{
	struct node *other = source_of(c, n->args);

	if (!other || c->plan->n_filters || c->lets || c->element->kind != EXPR_EVENT)
		query_fail(c->r->maker.err, n->span, "Function(\"a!b\").Concat(Return(\"c!d\")).Where(…)",
			"%s is of sources: what is chosen of their events comes behind it", n->name);
	else
		add_sources(c->r, other);
}

/* Before(n): of an event that passes what comes behind this, the last n of its thread before it are rows as well. */
void apply_before(struct chain *c, struct node *n)
{
	struct plan *p = c->plan;
	struct expr *e = expr_new(&c->r->maker, EXPR_RECALL, TYPE_A(BOOL), n->at);
	int64_t count;

	if (!resolve_constant(c->r, n->args, 1, PLAN_BEFORE, &count))
		return;
	if (p->before)
		query_fail(c->r->maker.err, n->at, NULL, "Before a second time");
	p->before = (unsigned)count;
	plan_add_filter(c->r->query, &c->r->maker, e);
}
