/* SPDX-License-Identifier: Apache-2.0 */
#include "interpret.h"

#include <string.h>

#include "earlier.h"
#include "emitter.h"

/* The same division as in the text of the probe. */
static unsigned division_of(const struct plan *p, struct query_span span)
{
	for (size_t i = 0; i < p->n_divisions; i++)
		if (p->divisions[i].at == span.at && p->divisions[i].n == span.n)
			return (unsigned)i + 1;
	return (unsigned)p->n_divisions;
}

const char *query_compute_text(const struct interpreter *in, const struct expr *e)
{
	const char *text = e->kind == EXPR_TEXT ? e->text : in->captures[e->which].text;

	return text ? text : "";
}

static uint64_t interpret_binary(struct interpreter *in, const struct expr *e)
{
	uint64_t a, b, result = 0;

	if (e->op == OP_STARTS)
		return strncmp(query_compute_text(in, e->a), query_compute_text(in, e->b),
			       strlen(query_compute_text(in, e->b))) == 0;
	if (e->a->type.kind == TYPE_TEXT)
		return (strcmp(query_compute_text(in, e->a), query_compute_text(in, e->b)) == 0) == (e->op == OP_EQ);
	a = query_compute(in, e->a);
	if ((e->op == OP_AND && !a) || (e->op == OP_OR && a))
		return a != 0;
	b = query_compute(in, e->b);
	if (!expr_compute(e->op, e->value, a, b, &result) && in->zero == 0)
		in->zero = division_of(&in->q->plan, e->span);
	return result;
}

uint64_t query_compute(struct interpreter *in, const struct expr *e)
{
	uint64_t value = 0;

	switch (e->kind) {
	case EXPR_CONST: return constant_value(in->q, e);
	case EXPR_GATE: return earlier_pass(in, e);
	case EXPR_STEP: earlier_take(in, e->value); return 1;
	case EXPR_NOW: return earlier_now(in->earlier, e->value);
	case EXPR_BEFORE: return earlier_before(in->earlier, e->value);
	case EXPR_CAPTURE: return in->captures[e->which].number;
	case EXPR_LENGTH: return strlen(query_compute_text(in, e->a));
	case EXPR_BINARY: return interpret_binary(in, e);
	case EXPR_COND: return query_compute(in, query_compute(in, e->c) ? e->a : e->b);
	case EXPR_CAST: return expr_extend(e->type, query_compute(in, e->a));
	case EXPR_UNARY: expr_compute(e->op, false, query_compute(in, e->a), 0, &value); return value;
	default: return 0;
	}
}

uint64_t query_compute_value(struct interpreter *in, const struct expr *e)
{
	uint64_t value = query_compute(in, e);

	return e->type.kind == TYPE_DURATION ? (uint64_t)(((unsigned __int128)value * counts_scale(in->q)) >> 32)
					     : value;
}
