/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aggregate(seed, (a, x) => …): each thread has one, and they are merged. So what it does has to be one of the
 * operations of which parts can be merged: + | & ^, the least, the largest, and records of these. It is found by its
 * form: the state on one side of the operation, and on the other what is of the element alone.
 */
#include <string.h>

#include "chain.h"

struct fold {
	struct chain *c;
	const char *state;      /* the name of what was kept so far */
	struct binding element; /* and of what comes */
	struct query_span at;
};

static const struct node *function_of(struct chain *c, const struct node *n)
{
	const struct definition *d = n->kind == NODE_NAME ? find_definition(c->r, n->name) : NULL;

	n = d && d->node ? d->node : n;
	if (n->kind == NODE_LAMBDA && n->n_params == 2)
		return n;
	query_fail(c->r->maker.err, n->span, "(a, x) => a + x.arg2", "a function of two values is expected here");
	return NULL;
}

/* The state itself, or this member of it. */
static bool is_state(const struct fold *f, const struct node *n, const char *member)
{
	if (member)
		return n->kind == NODE_MEMBER && strcmp(n->name, member) == 0 && is_state(f, n->a, NULL);
	return n->kind == NODE_NAME && strcmp(n->name, f->state) == 0;
}

static bool mentions(const struct fold *f, const struct node *n)
{
	if (!n)
		return false;
	for (const struct node *arg = n->args; arg; arg = arg->next)
		if (mentions(f, arg))
			return true;
	return is_state(f, n, NULL) || mentions(f, n->a) || mentions(f, n->b) || mentions(f, n->c);
}

/* The operand that isn't the state, or NULL. */
static struct node *other_operand(const struct fold *f, struct node *x, struct node *y, const char *member)
{
	struct node *other = is_state(f, x, member) ? y : is_state(f, y, member) ? x : NULL;

	return other && !mentions(f, other) ? other : NULL;
}

static struct expr *number_of(struct fold *f, struct node *n)
{
	struct expr *of = resolve(f->c->r, n, &f->element, NULL);

	if (!chain_failed(f->c) && !is_numeric(of->type))
		query_fail(f->c->r->maker.err, n->span, NULL, "Aggregate of %s", type_name(of->type));
	return of;
}

/* The least or largest, and the seed: that alone, if there was no event. */
static struct expr *fold_extreme(struct fold *f, struct expr *seed, struct expr *of, bool least)
{
	struct expr_maker *m = &f->c->r->maker;
	struct plan_keep keep = {.kind = KEEP_STAT, .of = of};
	struct expr *count = keep_value(f->c, &keep, PART_COUNT, TYPE_ULONG, f->at),
		    *most = keep_value(f->c, &keep, least ? PART_MIN : PART_MAX, total_type(of->type), f->at);

	return expr_cond(m,
		expr_binary(m, OP_AND, expr_binary(m, OP_NE, count, expr_number(m, TYPE_LITERAL, 0, f->at), f->at),
			expr_binary(m, least ? OP_LT : OP_GT, most, seed, f->at), f->at),
		most, seed, f->at);
}

static struct expr *fold_bits(struct fold *f, struct expr *seed, struct expr *of, enum expr_op op)
{
	struct expr_maker *m = &f->c->r->maker;
	struct plan_keep keep = {.kind = KEEP_BITS, .of = op == OP_BIT_AND ? expr_unary(m, OP_BIT_NOT, of, f->at) : of};
	struct expr *bits;

	if (chain_failed(f->c))
		return seed;
	bits = keep_value(f->c, &keep, op == OP_BIT_XOR ? PART_ODD_BITS : PART_BITS, total_type(of->type), f->at);
	if (op == OP_BIT_AND)
		bits = expr_unary(m, OP_BIT_NOT, bits, f->at);
	return expr_binary(m, op, seed, bits, f->at);
}

/* What `body` makes of the state, or of this member of it. NULL: none of the operations. */
static struct expr *fold_number(struct fold *f, struct expr *seed, struct node *body, const char *member)
{
	struct plan_keep keep = {.kind = KEEP_SUM};
	enum expr_op op = body->kind == NODE_BINARY ? expr_op_of(body->op) : OP_NONE;
	struct node *other = NULL;

	if (op == OP_ADD || op == OP_BIT_OR || op == OP_BIT_AND || op == OP_BIT_XOR)
		other = other_operand(f, body->a, body->b, member);
	else if (is_choice(body))
		other = other_operand(f, body->args, body->args->next, member);
	if (!other)
		return NULL;
	keep.of = number_of(f, other);
	if (chain_failed(f->c))
		return seed;
	if (seed->type.is_literal && keep.of->type.kind != TYPE_DURATION)
		seed = expr_cast(&f->c->r->maker, total_type(keep.of->type).is_signed ? "long" : "ulong", seed, f->at);
	if (body->kind == NODE_CALL)
		return fold_extreme(f, seed, keep.of, body->name[1] == 'i');
	if (op != OP_ADD)
		return fold_bits(f, seed, keep.of, op);
	return expr_binary(&f->c->r->maker, OP_ADD, seed,
		keep_value(f->c, &keep, PART_SUM, total_type(keep.of->type), f->at), f->at);
}

static void fail_fold(struct fold *f, struct query_span at)
{
	query_fail(f->c->r->maker.err, at, "+, Min(a, x), Max(a, x), |, &, ^; or collect the values with Select",
		"threads' results of this can't be merged: it isn't associative");
}

static struct expr *member_value(const struct expr *record, const char *name)
{
	for (const struct member *m = record->members; m; m = m->next)
		if (strcmp(m->name, name) == 0)
			return m->value;
	return NULL;
}

static struct expr *fold_record(struct fold *f, struct expr *seed, const struct node *body)
{
	struct expr *record = expr_new(&f->c->r->maker, EXPR_RECORD, TYPE_A(RECORD), f->at);
	struct member **end = &record->members;

	record->in_final = true;
	for (struct node *n = body->args; n && !chain_failed(f->c); n = n->next) {
		struct expr *from = seed->kind == EXPR_RECORD ? member_value(seed, n->name) : NULL;
		struct member *m = chain_alloc(f->c, sizeof(*m));

		if (!from) {
			query_fail(f->c->r->maker.err, n->span,
				"Aggregate(new { n = 0 }, (a, x) => new { n = a.n + 1 })", "the seed has no member %s",
				n->name);
			break;
		}
		*m = (struct member){n->name, fold_number(f, from, n->a, n->name), NULL};
		if (!m->value) {
			fail_fold(f, n->span);
			break;
		}
		*end = m;
		end = &m->next;
	}
	return record;
}

struct expr *make_fold(struct chain *c, struct node *call, struct node *seed, struct node *function)
{
	const struct node *lambda = function_of(c, function);
	struct expr *from = resolve(c->r, seed, NULL, NULL), *result;
	struct fold f = {.c = c, .at = call->span};

	if (chain_failed(c))
		return from;
	f.state = lambda->params[0];
	f.element = (struct binding){lambda->params[1], c->element, c->lets};
	if (lambda->a->kind == NODE_NEW)
		return fold_record(&f, from, lambda->a);
	if (from->kind != EXPR_CONST) {
		query_fail(c->r->maker.err, seed->span, NULL, "a seed is a number, a duration, or a record of these");
		return from;
	}
	result = fold_number(&f, from, lambda->a, NULL);
	if (!result)
		fail_fold(&f, lambda->a->span);
	return result ? result : from;
}
