/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the tree to the plan. A query is a chain: a source, and operators, each applied to what the one before it gave.
 * That is events at first, with an element each; a group behind GroupBy; rows as soon as something was counted.
 * Operators on events end up in the probe; those on groups and rows in the final stage.
 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "sources.h"

enum { E = 1, G = 2, R = 4 };

struct chain {
	struct resolver *r;
	struct plan *plan;
	int stage;            /* E, G or R */
	struct expr *element; /* of events: what Select made of them */
	struct binding *lets; /* names of let clauses */
	bool taken;           /* Take or Skip was there */
	unsigned depth;
};

static bool failed(const struct chain *c)
{
	return c->r->maker.err->is_set;
}

static void *chain_alloc(struct chain *c, size_t size)
{
	return query_alloc(c->r->maker.arena, size);
}

/* ---- columns and rows ---- */

static void add_column(struct chain *c, const char *name, struct expr *value, struct query_span at)
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
	if (value->type.kind == TYPE_GROUP || value->type.kind == TYPE_EVENT)
		query_fail(c->r->maker.err, at, NULL, "%s is no column", type_name(value->type));
	p->columns[p->n_columns++] = (struct plan_column){name, value};
}

static struct expr *key_value(struct chain *c, size_t i, struct query_span at)
{
	struct expr *e = expr_new(&c->r->maker, EXPR_KEY, c->plan->keys[i].of->type, at);

	e->type.is_literal = false;
	e->value = i;
	return e;
}

static void add_key_columns(struct chain *c, struct query_span at)
{
	for (size_t i = 0; i < c->plan->n_keys; i++)
		add_column(c, c->plan->keys[i].shown, key_value(c, i, at), at);
}

/* What functions of a row, or of a group, are applied to. */
static struct expr *subject(struct chain *c, struct query_span at)
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

static struct expr *resolve_here(struct chain *c, struct node *n)
{
	return resolve_of(c->r, n, subject(c, n->span), c->lets);
}

/* ---- what is kept ---- */

static bool is_numeric(struct type t)
{
	return t.kind == TYPE_INT || t.kind == TYPE_WORD || t.kind == TYPE_ADDRESS || t.kind == TYPE_DURATION ||
	       t.kind == TYPE_BOOL;
}

static bool same_when(const struct plan_keep *a, const struct plan_keep *b)
{
	return (!a->when && !b->when) || expr_equal(a->when, b->when);
}

/*
 * Where it is kept. R5: a sum, least, largest and mean of one number are kept once, in a ward_stat; a sum that is alone
 * stays a sum.
 */
static size_t find_keep(struct chain *c, const struct plan_keep *keep, struct query_span at)
{
	struct plan *p = c->plan;
	bool share = !(c->r->query->options.without & QUERY_R5);

	for (size_t i = 0; share && i < p->n_keeps; i++) {
		struct plan_keep *o = &p->keeps[i];
		bool both_add = (o->kind == KEEP_SUM || o->kind == KEEP_STAT) &&
				(keep->kind == KEEP_SUM || keep->kind == KEEP_STAT);

		if ((o->kind != keep->kind && !both_add) || !same_when(o, keep) || o->lo != keep->lo ||
			o->hi != keep->hi || o->step != keep->step)
			continue;
		if (!keep->of != !o->of || (keep->of && !expr_equal(o->of, keep->of)))
			continue;
		if (keep->kind == KEEP_STAT)
			o->kind = KEEP_STAT;
		p->made |= QUERY_R5;
		return i;
	}
	if (p->n_keeps == PLAN_KEEPS) {
		query_fail(c->r->maker.err, at, NULL, "more than %d aggregates", PLAN_KEEPS);
		return 0;
	}
	p->keeps[p->n_keeps] = *keep;
	return p->n_keeps++;
}

static struct expr *keep_value(
	struct chain *c, const struct plan_keep *keep, enum keep_part part, struct type type, struct query_span at)
{
	struct expr *e = expr_new(&c->r->maker, EXPR_KEEP, type, at);

	e->value = find_keep(c, keep, at);
	e->part = part;
	return e;
}

/* What a number becomes when many are added up, or when one of them is chosen. */
static struct type total_type(struct type t)
{
	if (t.kind == TYPE_DURATION)
		return t;
	return t.kind == TYPE_INT && t.is_signed ? TYPE_LONG : TYPE_ULONG;
}

static struct expr *make_stat(struct chain *c, struct expr *of, struct query_span at)
{
	static const struct {
		const char *name;
		enum keep_part part;
	} parts[] = {
		{"count", PART_COUNT}, {"sum", PART_SUM}, {"min", PART_MIN}, {"max", PART_MAX}, {"mean", PART_MEAN}};
	struct plan_keep keep = {.kind = KEEP_STAT, .of = of};
	struct expr *record = expr_new(&c->r->maker, EXPR_RECORD, TYPE_A(RECORD), at);
	struct member **end = &record->members;

	record->in_final = true;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct type type = parts[i].part == PART_COUNT ? TYPE_ULONG
				   : parts[i].part == PART_MEAN && of->type.kind != TYPE_DURATION
					   ? TYPE_A(REAL)
					   : total_type(of->type);
		struct member *m = chain_alloc(c, sizeof(*m));

		*m = (struct member){parts[i].name, keep_value(c, &keep, parts[i].part, type, at), NULL};
		*end = m;
		end = &m->next;
	}
	return record;
}

static struct expr *make_hist(struct chain *c, struct expr *of, struct node *n)
{
	struct plan_keep keep = {.kind = KEEP_LOG2, .of = of};
	struct node *lo = n->args->next;

	if (lo) {
		struct node *hi = lo->next, *step = hi ? hi->next : NULL;
		enum { MOST = 1 << 30 };

		keep.kind = KEEP_LINEAR;
		if (!step) {
			query_fail(c->r->maker.err, n->span, "Hist(x, 0, 4096, 128)",
				"a histogram of equal steps has a least, a largest, and a step");
			return of;
		}
		if (resolve_constant(c->r, lo, -MOST, MOST, &keep.lo) &&
			resolve_constant(c->r, hi, -MOST, MOST, &keep.hi) &&
			resolve_constant(c->r, step, 1, MOST, &keep.step) &&
			(keep.hi <= keep.lo || (keep.hi - keep.lo + keep.step - 1) / keep.step > 1024))
			query_fail(c->r->maker.err, n->span, "a larger step", "a histogram has 1 to 1024 steps");
		if (of->type.kind == TYPE_DURATION)
			query_fail(c->r->maker.err, n->args->span, "Hist(elapsed / 1.us, 0, 100, 5)",
				"steps of what? A duration has units");
	}
	return keep_value(c, &keep, PART_BUCKETS, TYPE_A(BUCKETS), n->span);
}

/* Count, Sum and their like, of the elements of a group or of all events. `of`: what they are of, or NULL. */
static struct expr *make_aggregate(struct chain *c, struct node *n, struct expr *of)
{
	struct plan_keep keep = {.kind = KEEP_STAT, .of = of};
	struct query_span at = n->span;

	if (strcmp(n->name, "Count") == 0) {
		keep = (struct plan_keep){.kind = KEEP_COUNT, .when = of ? expr_bool(&c->r->maker, of) : NULL};
		return keep_value(c, &keep, PART_COUNT, TYPE_ULONG, at);
	}
	if (strcmp(n->name, "Distinct") == 0) {
		keep.kind = KEEP_DISTINCT;
		if (!is_numeric(of->type) && of->type.kind != TYPE_SITE)
			query_fail(c->r->maker.err, at, NULL, "Distinct of %s", type_name(of->type));
		return keep_value(c, &keep, PART_ESTIMATE, TYPE_ULONG, at);
	}
	if (!is_numeric(of->type)) {
		query_fail(c->r->maker.err, n->args->span, "of a number or a duration: Sum(e => e.elapsed)",
			"%s of what? %s is no number", n->name,
			of->type.kind == TYPE_EVENT ? "An event" : type_name(of->type));
		return of;
	}
	if (of->type.kind == TYPE_BOOL)
		keep.of = of = expr_cond(&c->r->maker, of, expr_number(&c->r->maker, TYPE_ULONG, 1, at),
			expr_number(&c->r->maker, TYPE_ULONG, 0, at), at);
	if (strcmp(n->name, "Stat") == 0)
		return make_stat(c, of, at);
	if (strcmp(n->name, "Hist") == 0)
		return make_hist(c, of, n);
	if (strcmp(n->name, "Sum") == 0) {
		keep.kind = KEEP_SUM;
		return keep_value(c, &keep, PART_SUM, total_type(of->type), at);
	}
	if (strcmp(n->name, "Average") == 0)
		return keep_value(c, &keep, PART_MEAN, of->type.kind == TYPE_DURATION ? of->type : TYPE_A(REAL), at);
	return keep_value(c, &keep, n->name[1] == 'i' ? PART_MIN : PART_MAX, total_type(of->type), at);
}

struct operator
{
	const char *name;
	unsigned least, most;
	int on;
	void (*apply)(struct chain *c, struct node *n);
};
static const struct operator* find_operator(const char *name);

static bool check_arguments(struct chain *c, const struct operator* op, struct node *n)
{
	unsigned args = 0;

	for (const struct node *arg = n->args; arg; arg = arg->next)
		args++;
	if (args >= op->least && args <= op->most)
		return true;
	if (op->least == op->most)
		query_fail(c->r->maker.err, n->span, NULL, "%s takes %u argument%s, not %u", n->name, op->least,
			op->least == 1 ? "" : "s", args);
	else
		query_fail(c->r->maker.err, n->span, NULL, "%s takes %u to %u arguments, not %u", n->name, op->least,
			op->most, args);
	return false;
}

static bool is_aggregate(const struct operator* op);

/* g.Count() in a function of a group; so it is found by the resolver. */
static struct expr *aggregate_of_group(struct resolver *r, struct expr *group, struct node *n)
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
	of = n->args ? resolve_of(r, n->args, r->element, NULL) : NULL;
	return r->maker.err->is_set ? expr_number(&r->maker, TYPE_LONG, 0, n->span) : make_aggregate(&c, n, of);
}

/* ---- operators ---- */

static void apply_where(struct chain *c, struct node *n)
{
	struct expr *cond = resolve_here(c, n->args);

	if (failed(c))
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

static void apply_let(struct chain *c, struct node *n)
{
	struct binding *b = chain_alloc(c, sizeof(*b));

	*b = (struct binding){n->params[0], resolve_here(c, n->args), c->lets};
	c->lets = b;
}

static void apply_select(struct chain *c, struct node *n)
{
	struct expr *value = resolve_here(c, n->args);

	c->lets = NULL;
	if (failed(c))
		return;
	if (c->stage == E) {
		c->element = value;
		return;
	}
	c->plan->n_columns = 0;
	add_column(c, n->args->kind == NODE_LAMBDA && n->args->a->name ? n->args->a->name : "value", value, n->span);
	c->stage = R;
}

static const char *shown_name(const struct node *n)
{
	n = n->kind == NODE_LAMBDA ? n->a : n;
	return (n->kind == NODE_NAME || n->kind == NODE_MEMBER) && n->name ? n->name : "Key";
}

static void add_key(struct chain *c, const char *name, const char *shown, struct expr *of, struct query_span at)
{
	struct plan *p = c->plan;
	enum type_kind kind = of->type.kind;

	if (p->n_keys == PLAN_KEYS)
		query_fail(c->r->maker.err, at, NULL, "a key of more than %d parts", PLAN_KEYS);
	else if (kind == TYPE_RECORD || kind == TYPE_EVENT || kind == TYPE_GROUP || kind == TYPE_REAL)
		query_fail(c->r->maker.err, at, NULL, "%s is no part of a key", type_name(of->type));
	else if (kind == TYPE_INSTANT)
		query_fail(c->r->maker.err, at, "Hist(elapsed), or a group by elapsed / 1.ms",
			"each instant would be a group of its own");
	if (!failed(c))
		p->keys[p->n_keys++] = (struct plan_key){name, shown, of};
}

static unsigned key_bytes(const struct plan *p)
{
	unsigned bytes = 0;

	for (size_t i = 0; i < p->n_keys; i++)
		bytes += p->keys[i].of->kind == EXPR_STRING ? (unsigned)p->keys[i].of->value : 8;
	return bytes;
}

static void apply_group(struct chain *c, struct node *n)
{
	struct expr *key = resolve_here(c, n->args);

	if (n->args->next && !failed(c))
		c->element = resolve_here(c, n->args->next);
	c->lets = NULL;
	c->plan->has_key = true;
	if (failed(c))
		return;
	if (key->kind == EXPR_RECORD) {
		for (const struct member *m = key->members; m; m = m->next)
			add_key(c, m->name, m->name, m->value, n->args->span);
	} else {
		add_key(c, "Key", shown_name(n->args), key, n->args->span);
	}
	if (key_bytes(c->plan) > PLAN_KEY_BYTES)
		query_fail(c->r->maker.err, n->args->span, "Str(0, 32)", "the key has %u bytes; a map takes %d",
			key_bytes(c->plan), PLAN_KEY_BYTES);
	c->stage = G;
	c->r->element = c->element;
}

static void add_aggregate_columns(struct chain *c, const char *name, struct expr *value, struct query_span at)
{
	char *lower = query_copy(c->r->maker.arena, name, strlen(name));

	lower[0] = (char)(lower[0] | 0x20);
	add_key_columns(c, at);
	add_column(c, lower, value, at);
	c->stage = R;
}

/* As rows: the parts of the key, and the results. */
static void apply_aggregate(struct chain *c, struct node *n)
{
	struct expr *of = n->args ? resolve_of(c->r, n->args, c->element, c->lets) : NULL;

	if (failed(c))
		return;
	/* the count of some of all events is the count of all of some */
	if (c->stage == E && of && strcmp(n->name, "Count") == 0) {
		plan_add_filter(c->r->query, &c->r->maker, expr_bool(&c->r->maker, of));
		of = NULL;
	}
	add_aggregate_columns(c, n->name, make_aggregate(c, n, of), n->span);
}

static void apply_count_by(struct chain *c, struct node *n)
{
	struct plan_keep keep = {.kind = KEEP_COUNT};

	apply_group(c, n);
	if (!failed(c))
		add_aggregate_columns(c, "count", keep_value(c, &keep, PART_COUNT, TYPE_ULONG, n->span), n->span);
}

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

/* A group without Select: its key, and how many. */
static void make_rows(struct chain *c, struct query_span at)
{
	struct plan_keep keep = {.kind = KEEP_COUNT};

	if (c->stage == G)
		add_aggregate_columns(c, "count", keep_value(c, &keep, PART_COUNT, TYPE_ULONG, at), at);
}

static void apply_order(struct chain *c, struct node *n)
{
	struct plan *p = c->plan;
	bool down = strstr(n->name, "Descending") != NULL, then = n->name[0] == 'T';
	struct expr *by = resolve_here(c, n->args);

	if (failed(c))
		return;
	if (c->taken)
		query_fail(c->r->maker.err, n->at, "put Take last", "rows are ordered behind Take");
	if (by->type.kind == TYPE_RECORD || by->type.kind == TYPE_GROUP || by->type.kind == TYPE_BUCKETS)
		query_fail(c->r->maker.err, n->args->span, NULL, "%s has no order", type_name(by->type));
	if (then && !p->n_orders)
		query_fail(c->r->maker.err, n->at, "OrderBy comes first", "%s without an order before it", n->name);
	if (p->n_orders == PLAN_ORDERS)
		query_fail(c->r->maker.err, n->at, NULL, "more than %d orders", PLAN_ORDERS);
	if (failed(c))
		return;
	if (then) {
		p->orders[p->n_orders++] = (struct plan_order){by, down};
	} else { /* what was the order before it holds among equals */
		memmove(p->orders + 1, p->orders, p->n_orders++ * sizeof(p->orders[0]));
		p->orders[0] = (struct plan_order){by, down};
	}
}

static void apply_take(struct chain *c, struct node *n)
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

/* The rows with the largest of what was counted last. */
static void apply_top(struct chain *c, struct node *n)
{
	struct plan *p = c->plan;

	make_rows(c, n->span);
	if (failed(c) || !p->n_columns)
		return;
	if (p->n_orders == PLAN_ORDERS) {
		query_fail(c->r->maker.err, n->at, NULL, "more than %d orders", PLAN_ORDERS);
		return;
	}
	for (size_t i = 0; i < p->n_columns; i++)
		if (p->columns[i].value->in_final && p->columns[i].value->kind == EXPR_KEEP &&
			p->columns[i].value->type.kind != TYPE_BUCKETS) {
			memmove(p->orders + 1, p->orders, p->n_orders++ * sizeof(p->orders[0]));
			p->orders[0] = (struct plan_order){p->columns[i].value, true};
			break;
		}
	apply_take(c, n);
}

static void end_after(struct chain *c, int64_t ns)
{
	if (c->plan->until < 0 || ns < c->plan->until)
		c->plan->until = ns;
}

static void apply_until(struct chain *c, struct node *n)
{
	struct expr *e = resolve(c->r, n->args, NULL, NULL);

	if (failed(c))
		return;
	if (e->kind != EXPR_CONST || (e->type.kind != TYPE_DURATION && e->type.kind != TYPE_INSTANT))
		query_fail(c->r->maker.err, n->args->span, "Until(5.min), or Until(Now.AddMinutes(5))",
			"a duration or an instant is expected here");
	else
		end_after(c, e->type.kind == TYPE_DURATION ? (int64_t)e->value
							   : (int64_t)e->value - c->r->query->options.now);
}

static void apply_process(struct chain *c, struct node *n)
{
	int64_t pid;

	if (n->args->kind == NODE_TEXT)
		query_fail(c->r->maker.err, n->args->span, "Process(42), or -p PID",
			"a process by its name is not supported yet");
	else if (resolve_constant(c->r, n->args, 1, INT32_MAX, &pid))
		c->plan->pid = pid;
}

static void apply_thread(struct chain *c, struct node *n)
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

static void apply_keys(struct chain *c, struct node *n)
{
	int64_t slots;

	if (resolve_constant(c->r, n->args, 1, 1 << 20, &slots))
		for (c->plan->slots = 1; c->plan->slots < (uint64_t)slots;)
			c->plan->slots *= 2;
}

/* ---- the chain ---- */

static const struct operator operators[] = {
#define OPERATOR(name, least, most, on, how) {#name, least, most, on, how},
#include "operators.def"
#undef OPERATOR
};
enum { N_OPERATORS = sizeof(operators) / sizeof(operators[0]) };

static const struct operator* find_operator(const char *name)
{
	for (size_t i = 0; i < N_OPERATORS; i++)
		if (strcmp(operators[i].name, name) == 0)
			return &operators[i];
	return NULL;
}

static bool is_aggregate(const struct operator* op)
{
	return op->apply == apply_aggregate || (!op->apply && (op->on & G));
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
	static const char *const stages[] = {[E] = "events", [G] = "a group", [R] = "rows"};
	const char *hint = NULL;

	if (c->stage == E && strncmp(n->name, "OrderBy", 7) == 0)
		hint = "events have no end to be sorted at: sort what is grouped";
	else if (c->stage == E && (op->on & R))
		hint = "group and count first: CountBy(caller), or GroupBy(…).Select(g => …)";
	else if (c->stage == G && strcmp(n->name, "GroupBy") == 0)
		hint = "one key: GroupBy(new { a, b })";
	query_fail(c->r->maker.err, n->at, hint, "%s of %s", n->name, stages[c->stage]);
}

static void apply_operator(struct chain *c, struct node *n)
{
	const struct operator* op = find_operator(n->name);

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
static void walk_chain(struct chain *c, struct node *n)
{
	struct definition *d = n->kind == NODE_NAME ? find_definition(c->r, n->name) : NULL;
	enum { MOST = 100 };

	if (failed(c))
		return;
	if (++c->depth > MOST) {
		query_fail(c->r->maker.err, n->span, NULL, "more than %d operators", MOST);
	} else if (d && d->node && !d->is_busy) {
		d->is_busy = true;
		walk_chain(c, d->node);
		d->is_busy = false;
	} else if (n->kind == NODE_CALL && n->a && !is_source_root(n->a)) {
		walk_chain(c, n->a);
		if (!failed(c))
			apply_operator(c, n);
	} else {
		add_sources(c->r, n);
		c->element = expr_new(&c->r->maker, EXPR_EVENT, TYPE_A(EVENT), n->span);
	}
	c->depth--;
}

/* Definitions of the text, and before them those of the command line. */
static void add_definition(
	struct resolver *r, const char *name, struct node *node, const char *type, struct query_span span)
{
	struct definition *d = query_alloc(r->maker.arena, sizeof(*d));

	*d = (struct definition){.name = name, .type = type, .node = node, .span = span, .next = r->definitions};
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
	add_definition(
		r, query_copy(r->maker.arena, define, (size_t)(equals - define)), node, NULL, (struct query_span){0});
	return true;
}

static bool add_definitions(struct resolver *r, const struct query_tree *tree)
{
	const struct query_options *o = &r->query->options;

	for (const struct node *n = tree->definitions; n; n = n->next)
		add_definition(r, n->name, n->a, n->is_parameter ? n->type : NULL, n->at);
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
	if (!err->is_set)
		make_rows(&c, at);
	if (!err->is_set && c.stage == E)
		make_records(&c, at);
	else if (!err->is_set && q->plan.take_events != UINT64_MAX)
		query_fail(err, at, "put Take behind the group, where it chooses rows",
			"a count of the first events of each thread says little");
	if (!err->is_set)
		plan_rewrite(q, &r.maker);
	if (!err->is_set && q->arena.full)
		query_fail(err, at, NULL, "the query is too large");
	return !err->is_set;
}
