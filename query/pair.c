/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two events that are one: both ends of a call, or events that have the same key. What is asked of the first is kept
 * until the second comes (EXPR_CAPTURE), and all that is counted is computed then. The probe finds the first one by the
 * call's stack pointer (WARD_CALLS), or by the key in a map of the thread. Events of different threads are records of
 * what is asked of each, which the reader joins (join.c).
 */
#include "pair.h"

#include <string.h>

#include "chain.h"

size_t count_sites(const struct plan *p, bool first)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_sites; i++)
		n += p->sites[i].is_first == first;
	return n;
}

/* Has a call the same at both ends? */
static bool is_same_at_both(const struct plan *p, const struct expr *e, uint64_t side)
{
	return p->pair.kind == PAIR_CALL && side == SIDE_FIRST && e->kind == EXPR_FIELD &&
	       (e->value < FIELD_RET || e->value == FIELD_TID || e->value == FIELD_SP);
}

/* Is all that it is computed from known when the event of that side comes? */
static bool is_known(const struct plan *p, const struct expr *e, uint64_t side)
{
	if (!e)
		return true;
	if (e->kind == EXPR_CAPTURE)
		return p->captures[e->which].side == side;
	if (is_same_at_both(p, e, side) || (e->kind == EXPR_FIELD && e->value == FIELD_PROCESS))
		return true;
	if (e->kind == EXPR_FIELD || e->kind == EXPR_NOW || e->kind == EXPR_BEFORE)
		return false;
	return is_known(p, e->a, side) && is_known(p, e->b, side) && is_known(p, e->c, side);
}

struct expr *capture_value(struct resolver *r, struct expr *e, uint64_t side)
{
	struct plan *p = r->plan;
	struct expr *value = expr_new(&r->maker, EXPR_CAPTURE, e->type, e->span);
	uint32_t i = 0;

	while (i < p->n_captures && !(p->captures[i].side == side && expr_equal(p->captures[i].of, e)))
		i++;
	if (i == PLAN_CAPTURES) {
		query_fail(r->maker.err, e->span, NULL, "more than %d values of a pair's events", PLAN_CAPTURES);
		return e;
	}
	if (i == p->n_captures)
		p->captures[p->n_captures++] = (struct plan_capture){side, e};
	value->which = i;
	value->type.is_literal = false;
	value->value = is_text_part(e) ? e->value : 0;
	if (value->type.kind == TYPE_INT)
		value->type.bits = 64;
	return value;
}

struct expr *capture(struct resolver *r, struct expr *e, uint64_t side)
{
	if (side == SIDE_NONE || r->maker.err->is_set || e->kind == EXPR_SESSION || e->kind == EXPR_CONST ||
		is_same_at_both(r->plan, e, side))
		return e;
	if (e->a && !is_known(r->plan, e->a, side)) {
		query_fail(r->maker.err, e->span, "an address that this event has",
			"its address isn't known at that event");
		return e;
	}
	return capture_value(r, e, side);
}

/* ---- Join ---- */

/* What was made of one of the two events, as a value that is kept of it. */
static struct expr *of_side(struct chain *c, struct expr *e, uint64_t side)
{
	struct expr *copy;
	struct member **end;

	if (side == SIDE_NONE || chain_failed(c))
		return e;
	if (e->kind == EXPR_EVENT) {
		copy = expr_new(&c->r->maker, EXPR_EVENT, e->type, e->span);
		copy->value = side;
		return copy;
	}
	if (e->kind != EXPR_RECORD)
		return e->kind == EXPR_CONST || e->kind == EXPR_SESSION || e->kind == EXPR_TEXT
			       ? e
			       : capture_value(c->r, e, side);
	copy = expr_new(&c->r->maker, EXPR_RECORD, e->type, e->span);
	copy->in_probe = true;
	end = &copy->members;
	for (const struct member *m = e->members; m; m = m->next) {
		*end = chain_alloc(c, sizeof(**end));
		**end = (struct member){m->name, of_side(c, m->value, side), NULL};
		end = &(*end)->next;
	}
	return copy;
}

static void lets_of_side(struct chain *c, uint64_t side)
{
	for (struct binding *b = c->lets; b; b = (struct binding *)b->next)
		b->value = of_side(c, b->value, side);
}

/* Parts of a key: a record has several. */
static size_t key_parts(struct expr *key, struct expr **parts)
{
	size_t n = 0;

	if (key->kind != EXPR_RECORD) {
		parts[0] = key;
		return 1;
	}
	for (const struct member *m = key->members; m && n < PLAN_KEYS + 1; m = m->next)
		parts[n++] = m->value;
	return n;
}

static bool is_field(const struct expr *e, uint64_t field)
{
	return e->kind == EXPR_FIELD && e->value == field;
}

static struct expr *with_bytes(struct chain *c, const struct expr *text, uint64_t bytes)
{
	struct expr *copy = chain_alloc(c, sizeof(*copy));

	*copy = *text;
	copy->value = bytes;
	return copy;
}

/* Both keys: their parts fit each other. A thread is no part: then both events are one thread's. */
static bool set_keys(struct chain *c, struct expr *a, struct expr *b, struct query_span at, bool *same_thread)
{
	struct plan_pair *pair = &c->plan->pair;
	struct expr *parts[2][PLAN_KEYS + 1];
	size_t n = key_parts(a, parts[0]);
	uint64_t bytes = 0;

	if (n > PLAN_KEYS || key_parts(b, parts[1]) != n) {
		query_fail(c->r->maker.err, at, "on new { a.tid, a.arg0 } equals new { b.tid, b.arg1 }",
			"both keys have the same parts, and at most %d", PLAN_KEYS);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		struct expr *x = parts[0][i], *y = parts[1][i];

		/* in the kernel a thread may have moved to another processor, with another state */
		if (is_field(x, FIELD_TID) && is_field(y, FIELD_TID) && !c->plan->sites[0].is_kernel) {
			*same_thread = true;
			continue;
		}
		if (is_text_part(x) && is_text_part(y)) { /* both as long as the longer one */
			uint64_t bytes = x->value > y->value ? x->value : y->value;

			x = with_bytes(c, x, bytes);
			y = with_bytes(c, y, bytes);
		} else if (!is_numeric(x->type) || !is_numeric(y->type)) {
			query_fail(c->r->maker.err, at, "a number or a text that both events have",
				"%s is no key of a pair", type_name((is_numeric(x->type) ? y : x)->type));
			return false;
		}
		if (!is_text_part(x))
			expr_binary(&c->r->maker, OP_EQ, x, y, at);
		bytes += is_text_part(x) ? x->value : 8;
		pair->keys[0][pair->n_keys] = x;
		pair->keys[1][pair->n_keys++] = y;
	}
	if (*same_thread && bytes > PLAN_KEY_BYTES) /* they meet in a map */
		query_fail(c->r->maker.err, at, "bound its texts: Str(0, 32), Str(path, 32)",
			"the key has %u bytes; a map takes %d", (unsigned)bytes, PLAN_KEY_BYTES);
	return !chain_failed(c);
}

static bool has_suffix(const char *text, const char *begin, const char *end)
{
	size_t n = strlen(begin);

	return strncmp(text, begin, n) == 0 && strcmp(text + n, end) == 0;
}

/* R15: are they both ends of one function, joined by the call? Its stack pointer is the same then. */
static bool is_call(const struct chain *c, size_t first)
{
	const struct plan *p = c->plan;

	if (p->pair.n_keys != 1 || !is_field(p->pair.keys[0][0], FIELD_SP) || !is_field(p->pair.keys[1][0], FIELD_SP) ||
		(c->r->query->options.without & QUERY_R15) || first * 2 != p->n_sites || p->sites[0].is_kernel)
		return false;
	for (size_t i = 0; i < first; i++)
		if (!has_suffix(p->sites[first + i].text, p->sites[i].text, ":return"))
			return false;
	return true;
}

/* Sites of the events that are counted come first. */
static void turn_sites(struct plan *p, size_t first)
{
	struct plan_site sites[PLAN_SITES];
	size_t n = 0;

	for (size_t i = first; i < p->n_sites; i++)
		sites[n++] = p->sites[i];
	for (size_t i = 0; i < first; i++) {
		sites[n] = p->sites[i];
		sites[n++].is_first = true;
	}
	memcpy(p->sites, sites, n * sizeof(sites[0]));
}

static struct expr *pair_element(struct chain *c, struct node *n, struct expr *a, struct expr *b)
{
	struct expr *record = expr_new(&c->r->maker, EXPR_RECORD, TYPE_A(RECORD), n->span);
	struct member *end = chain_alloc(c, sizeof(*end));

	*end = (struct member){"end", b, NULL};
	record->in_probe = true;
	record->members = chain_alloc(c, sizeof(*record->members));
	*record->members = (struct member){"begin", a, end};
	return record;
}

static void add_let(struct chain *c, const char *name, struct expr *value)
{
	struct binding *b = chain_alloc(c, sizeof(*b));

	*b = (struct binding){name, value, c->lets};
	c->lets = b;
}

static bool read_within(struct chain *c, const struct node *n, int64_t *within)
{
	struct node plain = *n;
	struct expr *e;

	if (n->label && strcmp(n->label, "within") == 0)
		plain.label = NULL;
	e = resolve(c->r, &plain, NULL, NULL);
	if (chain_failed(c))
		return false;
	if (e->kind == EXPR_CONST && e->type.kind == TYPE_DURATION && (int64_t)e->value > 0) {
		*within = (int64_t)e->value;
		return true;
	}
	query_fail(c->r->maker.err, n->span, "within 5.s", "a duration is expected here");
	return false;
}

/* Move the conditions on one of the two events to where they are tested before it meets the other. */
static void take_filters(struct plan *p, struct plan_filters *to)
{
	memcpy(to->at, p->filters, p->n_filters * sizeof(p->filters[0]));
	to->n = p->n_filters;
	p->n_filters = 0;
}

/* The chain of the other event, which is a query of its own up to here; what it says of the whole stays said. */
static bool walk_second(struct chain *c, struct chain *second, struct node *n)
{
	walk_chain(second, n);
	if (chain_failed(c))
		return false;
	if (second->stage != E || second->taken || c->taken) {
		query_fail(c->r->maker.err, n->span, "join first, then count and take", "a join is of events");
		return false;
	}
	return true;
}

/*
 * a.Join(b, key of a, key of b [, within: 5.s]). The element is a record of both events, begin and end; in the query
 * form they have the names of the text (params).
 */
void apply_join(struct chain *c, struct node *n)
{
	struct plan *p = c->plan;
	struct chain second = {.r = c->r, .plan = p, .stage = E, .depth = c->depth};
	struct node *other = n->args, *key = other->next;
	size_t first = p->n_sites;
	struct expr *a, *b;
	const struct node *within = key->next->next;
	bool same_thread = false;

	if (c->stage != E) {
		join_tables(c, n);
		return;
	}
	if (p->pair.kind != PAIR_NONE) {
		query_fail(c->r->maker.err, n->at, "a probe in C", "a join of what is joined is not supported yet");
		return;
	}
	a = resolve_here(c, key);
	take_filters(p, &p->pair.before[0]);
	if (chain_failed(c) || !walk_second(c, &second, other))
		return;
	b = resolve_here(&second, key->next);
	take_filters(p, &p->pair.before[1]);
	if (chain_failed(c) || !set_keys(c, a, b, n->span, &same_thread) ||
		(within && !read_within(c, within, &p->pair.within)))
		return;
	p->pair.kind = is_call(c, first) ? PAIR_CALL : same_thread ? PAIR_THREAD : PAIR_RECORDS;
	if (p->pair.kind == PAIR_CALL)
		p->made |= QUERY_R15;
	turn_sites(p, first);
	lets_of_side(c, SIDE_FIRST);
	if (p->pair.kind == PAIR_RECORDS) {
		lets_of_side(&second, SIDE_SECOND);
		second.element = of_side(&second, second.element, SIDE_SECOND);
	}
	for (const struct binding *l = second.lets; l; l = l->next)
		add_let(c, l->name, l->value);
	a = of_side(c, c->element, SIDE_FIRST);
	b = second.element;
	if (n->params[0]) {
		add_let(c, n->params[0], a);
		add_let(c, n->params[1], b);
	}
	c->element = pair_element(c, n, a, b);
}
