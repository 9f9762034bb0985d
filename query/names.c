/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are resolved by substitution: what a name stands for takes its place, so all that is left are expressions over
 * what an event has, or over keys and what was kept. A name is, in this order, a variable of the function around it or
 * of a let clause; a definition or a parameter; a member of the implicit element.
 */
#include "names.h"

#include <string.h>

#include "functions.h"
#include "history.h"
#include "pair.h"
#include "type_table.h"

enum { MOST_DEPTH = 100 };

/* ---- what an event has ---- */

static const struct event_member {
	const char *name;
	enum expr_kind kind;
	uint64_t value;
	struct type type;
} event_members[] = {
	{"arg0", EXPR_FIELD, FIELD_ARG, {.kind = TYPE_WORD, .bits = 64}},
	{"arg1", EXPR_FIELD, FIELD_ARG + 1, {.kind = TYPE_WORD, .bits = 64}},
	{"arg2", EXPR_FIELD, FIELD_ARG + 2, {.kind = TYPE_WORD, .bits = 64}},
	{"arg3", EXPR_FIELD, FIELD_ARG + 3, {.kind = TYPE_WORD, .bits = 64}},
	{"arg4", EXPR_FIELD, FIELD_ARG + 4, {.kind = TYPE_WORD, .bits = 64}},
	{"arg5", EXPR_FIELD, FIELD_ARG + 5, {.kind = TYPE_WORD, .bits = 64}},
	{"ret", EXPR_FIELD, FIELD_RET, {.kind = TYPE_WORD, .bits = 64}},
	{"elapsed", EXPR_FIELD, FIELD_ELAPSED, {.kind = TYPE_DURATION, .bits = 64}},
	{"time", EXPR_FIELD, FIELD_TIME, {.kind = TYPE_INSTANT, .bits = 64}},
	{"tid", EXPR_FIELD, FIELD_TID, {.kind = TYPE_INT, .bits = 32, .is_signed = true}},
	{"cpu", EXPR_FIELD, FIELD_CPU, {.kind = TYPE_INT, .bits = 32}},
	{"caller", EXPR_FIELD, FIELD_CALLER, {.kind = TYPE_ADDRESS, .bits = 64}},
	{"sp", EXPR_FIELD, FIELD_SP, {.kind = TYPE_ADDRESS, .bits = 64}},
	{"site", EXPR_FIELD, FIELD_SITE, {.kind = TYPE_SITE, .bits = 64}},
	{"stack", EXPR_FIELD, FIELD_STACK, {.kind = TYPE_STACK, .bits = 64}},
	{"ustack", EXPR_FIELD, FIELD_USTACK, {.kind = TYPE_STACK, .bits = 64}},
	{"pid", EXPR_SESSION, SESSION_PID, {.kind = TYPE_INT, .bits = 32, .is_signed = true}},
	{"process", EXPR_SESSION, SESSION_PROCESS, {.kind = TYPE_TEXT}},
	{"machine", EXPR_SESSION, SESSION_MACHINE, {.kind = TYPE_TEXT}},
	{"window", EXPR_SESSION, SESSION_WINDOW, {.kind = TYPE_INSTANT, .bits = 64}},
};

enum { N_MEMBERS = sizeof(event_members) / sizeof(event_members[0]) };

static const struct event_member *find_member(const char *name)
{
	for (size_t i = 0; i < N_MEMBERS; i++)
		if (strcmp(event_members[i].name, name) == 0)
			return &event_members[i];
	return NULL;
}

static bool has_ends(const struct plan *p, bool first)
{
	for (size_t i = 0; i < p->n_sites; i++)
		if (p->sites[i].is_first == first && !p->sites[i].is_return && !p->sites[i].is_throw)
			return false;
	return true;
}

static bool has_results(const struct plan *p, bool first)
{
	for (size_t i = 0; i < p->n_sites; i++)
		if (p->sites[i].is_first == first && !p->sites[i].is_return)
			return false;
	return true;
}

/* In the kernel events are of all processes: the running one is known when the event happens. */
static struct expr *current_member(struct resolver *r, const struct event_member *member, struct expr *session)
{
	struct expr *field = expr_new(&r->maker, EXPR_FIELD, member->type, session->span), *name;

	if (member->value == SESSION_PID) {
		field->value = FIELD_PID;
		return field;
	}
	if (member->value != SESSION_PROCESS)
		return session;
	name = expr_new(&r->maker, EXPR_STRING, member->type, session->span);
	field->type = TYPE_A(ADDRESS);
	field->value = FIELD_PROCESS;
	name->a = field;
	name->value = 16;
	name->size++;
	return name;
}

static struct expr *event_member(
	struct resolver *r, const struct event_member *member, uint64_t side, struct query_span at)
{
	struct expr *e = expr_new(&r->maker, member->kind, member->type, at);

	e->value = member->value;
	if (member->kind == EXPR_FIELD && member->value == FIELD_RET && !has_results(r->plan, side == SIDE_FIRST))
		query_fail(
			r->maker.err, at, "take the events of Return(…)", "ret is known only where a function returns");
	if (member->kind == EXPR_FIELD && member->value == FIELD_ELAPSED && !has_ends(r->plan, side == SIDE_FIRST))
		query_fail(r->maker.err, at, "take the events of Return(…)",
			"elapsed is known only where a function ends");
	if (member->kind == EXPR_FIELD && member->value == FIELD_USTACK && r->plan->n_sites &&
		!r->plan->sites[0].is_kernel)
		query_fail(r->maker.err, at, "stack is the process's here",
			"only the kernel's events have a stack of the kernel and one of the process");
	if (member->kind == EXPR_SESSION && member->value == SESSION_WINDOW) {
		if (!r->plan->window.step)
			query_fail(
				r->maker.err, at, "Window(1.s) comes behind the source", "there are no windows here");
		return e;
	}
	if (member->kind == EXPR_SESSION && r->plan->n_sites && r->plan->sites[0].is_kernel)
		return current_member(r, member, e);
	if (member->kind == EXPR_FIELD && member->value == FIELD_RET && !r->maker.err->is_set)
		return result_value(r, capture(r, e, side), side);
	return e;
}

struct expr *fail_member(struct resolver *r, const char *what, const char *name, struct query_span at,
	const char *const *names, size_t n)
{
	const char *close = query_closest(name, names, n);
	char hint[300] = "";
	size_t length = 0;

	if (close)
		length += (size_t)snprintf(hint, sizeof(hint), "did you mean %s? ", close);
	for (size_t i = 0; i < n && length < sizeof(hint) - 40; i++)
		length +=
			(size_t)snprintf(hint + length, sizeof(hint) - length, "%s%s", i ? ", " : "it has ", names[i]);
	query_fail(r->maker.err, at, hint, "%s has no member %s", what, name);
	return expr_number(&r->maker, TYPE_LONG, 0, at);
}

static struct expr *fail_event_member(
	struct resolver *r, const struct expr *event, const char *name, struct query_span at)
{
	static const char *const usual[] = {"time", "tid", "cpu", "caller", "stack", "site", "sp", "pid", "process",
		"machine", "ret", "elapsed", "arg0", "Arg(n)", "Str(n)"};
	enum { N_USUAL = sizeof(usual) / sizeof(usual[0]), PARAMETERS = 16 };
	const char *names[PARAMETERS + N_USUAL], *why = types_reason(r, event);
	size_t n = parameter_names(r, event, names, PARAMETERS);

	memcpy(names + n, usual, sizeof(usual));
	if (why && !query_closest(name, usual, N_USUAL))
		query_fail(r->maker.err, at,
			query_format(r->maker.arena, "no parameters are known: %s; Arg(n) is", why),
			"an event has no member %s", name);
	return fail_member(r, "an event", name, at, names, n + N_USUAL);
}

/* Parameter("time"): one that is called as another member is. */
static struct expr *event_parameter(struct resolver *r, struct node *n, const struct expr *event)
{
	if (!n->args || n->args->next || n->args->kind != NODE_TEXT) {
		query_fail(r->maker.err, n->span, "Parameter(\"size\")", "a parameter has a name");
		return expr_number(&r->maker, TYPE_LONG, 0, n->span);
	}
	return is_parameter(r, event, n->args->name) ? parameter_value(r, event, n->args->name, n->span)
						     : fail_event_member(r, event, n->args->name, n->args->span);
}

/* Arg(n), Arg<type>(n): a constant from 0 to 5. */
static struct expr *event_argument(struct resolver *r, struct node *n, const struct expr *event)
{
	struct expr *e = expr_new(&r->maker, EXPR_FIELD, TYPE_A(WORD), n->span);
	int64_t which = 0;

	if (!n->args || n->args->next)
		query_fail(r->maker.err, n->span, "arguments count from 0: Arg(0) to Arg(5)", "%s of which argument?",
			n->name);
	else if (resolve_constant(r, n->args, 0, 5, &which))
		e->value = FIELD_ARG + (uint64_t)which;
	e = capture(r, e, event->value);
	return n->type ? expr_cast(&r->maker, n->type, e, n->span) : e;
}

/* Str(n, most): the text that argument n is the address of; Str(address, most) as well. */
static struct expr *event_text(struct resolver *r, struct node *n, const struct binding *scope, struct expr *event)
{
	struct expr *e = expr_new(&r->maker, EXPR_STRING, TYPE_A(TEXT), n->span), *address;
	int64_t most = PLAN_KEY_BYTES;

	if (!n->args || (n->args->next && n->args->next->next)) {
		query_fail(r->maker.err, n->span, "Str(0) is the text that the first argument is the address of",
			"%s of which argument?", n->name);
		return e;
	}
	address = pointer_of(resolve(r, n->args, scope, event));
	if (address->kind == EXPR_CONST && address->value < 6) {
		uint64_t which = address->value;

		address = expr_new(&r->maker, EXPR_FIELD, TYPE_A(WORD), n->span);
		address->value = FIELD_ARG + which;
		address = capture(r, address, event->value);
	}
	if (n->args->next)
		resolve_constant(r, n->args->next, 2, PLAN_KEY_BYTES, &most);
	e->a = address;
	e->value = (uint64_t)(most + 7) / 8 * 8;
	e->size += address->size;
	return e;
}

static struct expr *event_read(struct resolver *r, struct node *n, const struct binding *scope, struct expr *event)
{
	struct type type = n->type ? type_of_name(n->type) : TYPE_OF(.kind = TYPE_NONE);
	struct expr *e = expr_new(&r->maker, EXPR_READ, type, n->span);

	e->a = expr_number(&r->maker, TYPE_LONG, 0, n->span);
	if ((type.kind != TYPE_INT && type.kind != TYPE_ADDRESS) || !n->args || n->args->next) {
		query_fail(r->maker.err, n->span, "Read<int>(address)", "Read of which type, and where?");
		return e;
	}
	e->a = pointer_of(resolve(r, n->args, scope, event));
	e->size += e->a->size;
	return e;
}

static struct expr *event_call(struct resolver *r, struct node *n, const struct binding *scope, struct expr *event)
{
	if (strcmp(n->name, "Arg") == 0 || strcmp(n->name, "GetArg") == 0)
		return event_argument(r, n, event);
	if (strcmp(n->name, "Str") == 0)
		return capture(r, event_text(r, n, scope, event), event->value);
	if (strcmp(n->name, "Read") == 0)
		return capture(r, event_read(r, n, scope, event), event->value);
	if (strcmp(n->name, "Parameter") == 0)
		return event_parameter(r, n, event);
	return fail_event_member(r, event, n->name, n->at);
}

/* The beginning of a call, as a member of its event. */
static bool is_entry(const struct plan *p, const struct expr *event, const char *name)
{
	return p->pair.kind == PAIR_CALL && event->value == SIDE_NONE && strcmp(name, "entry") == 0;
}

static struct expr *entry_of(struct resolver *r, struct query_span at)
{
	struct expr *e = expr_new(&r->maker, EXPR_EVENT, TYPE_A(EVENT), at);

	e->value = SIDE_FIRST;
	return e;
}

/* ---- records and groups ---- */

static struct expr *record_member(struct resolver *r, struct expr *record, const char *name, struct query_span at)
{
	const char *names[PLAN_COLUMNS];
	size_t n = 0;

	for (const struct member *m = record->members; m; m = m->next) {
		if (strcmp(m->name, name) == 0)
			return m->value;
		if (n < PLAN_COLUMNS)
			names[n++] = m->name;
	}
	return fail_member(r, "this", name, at, names, n);
}

/* A single part of a key is the key itself; several are a record. */
static struct expr *group_key(struct resolver *r, struct query_span at)
{
	struct plan *p = r->plan;
	struct expr *record = expr_new(&r->maker, EXPR_RECORD, TYPE_A(RECORD), at);
	struct member **end = &record->members;

	for (size_t i = 0; i < p->n_keys; i++) {
		struct member *m = query_alloc(r->maker.arena, sizeof(*m));

		m->name = p->keys[i].name;
		m->value = expr_new(&r->maker, EXPR_KEY, p->keys[i].of->type, at);
		m->value->type.is_literal = false;
		m->value->value = i;
		*end = m;
		end = &m->next;
	}
	return p->n_keys == 1 && strcmp(p->keys[0].name, "Key") == 0 ? record->members->value : record;
}

static bool is_member_of(const struct plan *p, const struct expr *implicit, const char *name)
{
	if (!implicit)
		return false;
	if (implicit->kind == EXPR_EVENT)
		return find_member(name) != NULL || is_entry(p, implicit, name);
	if (implicit->kind == EXPR_GROUP)
		return strcmp(name, "Key") == 0;
	for (const struct member *m = implicit->kind == EXPR_RECORD ? implicit->members : NULL; m; m = m->next)
		if (strcmp(m->name, name) == 0)
			return true;
	return false;
}

static struct expr *member_of(struct resolver *r, struct expr *object, const char *name, struct query_span at)
{
	static const char *const of_group[] = {"Key", "Count()", "Sum(…)", "Min(…)", "Max(…)", "Average(…)"};
	const struct event_member *member = find_member(name);

	if (r->maker.err->is_set)
		return object;
	switch (object->kind) {
	case EXPR_EVENT:
		if (is_entry(r->plan, object, name))
			return entry_of(r, at);
		return member ? capture(r, event_member(r, member, object->value, at), object->value)
		       : is_parameter(r, object, name) ? parameter_value(r, object, name, at)
						       : fail_event_member(r, object, name, at);
	case EXPR_GROUP:
		if (strcmp(name, "Key") == 0)
			return group_key(r, at);
		return fail_member(r, "a group", name, at, of_group, sizeof(of_group) / sizeof(of_group[0]));
	case EXPR_RECORD: return record_member(r, object, name, at);
	default:
		if (object->type.kind == TYPE_TEXT && strcmp(name, "Length") == 0)
			return expr_length(&r->maker, object, at);
		if (has_members(object))
			return structure_member(r, object, name, at);
		if (object->type.kind == TYPE_INT && object->type.number) /* color == color.RED */
			return enumerator_of(&r->maker, object->type, name, at);
		query_fail(r->maker.err, at, NULL, "%s has no member %s", type_name(object->type), name);
		return object;
	}
}

/* ---- definitions ---- */

struct definition *find_definition(const struct resolver *r, const char *name)
{
	for (struct definition *d = r->definitions; d; d = d->next)
		if (strcmp(d->name, name) == 0)
			return d;
	return NULL;
}

static struct expr *definition_value(struct resolver *r, struct definition *d, struct query_span at)
{
	if (!d->node) {
		query_fail(r->maker.err, at, "give it with -D NAME=VALUE", "the parameter %s has no value", d->name);
		return expr_number(&r->maker, TYPE_LONG, 0, at);
	}
	if (d->is_busy) {
		query_fail(r->maker.err, at, NULL, "%s is defined by itself", d->name);
		return expr_number(&r->maker, TYPE_LONG, 0, at);
	}
	if (!d->value) {
		d->is_busy = true;
		d->value = resolve(r, d->node, NULL, NULL);
		if (d->type && d->value->type.kind != TYPE_TEXT && d->value->type.kind != TYPE_DURATION)
			d->value = expr_cast(&r->maker, d->type, d->value, at);
		d->value->is_given |= d->is_given;
		d->is_busy = false;
	}
	if (d->type && d->value->type.kind != type_of_name(d->type).kind)
		query_fail(r->maker.err, at, NULL, "the parameter %s is to be a %s, and is given %s", d->name, d->type,
			type_name(d->value->type));
	return d->value;
}

static struct expr *now(struct resolver *r, struct query_span at)
{
	return expr_number(&r->maker, TYPE_A(INSTANT), (uint64_t)r->query->options.now, at);
}

/* A name that is neither a member of an event nor a parameter, nor known otherwise. */
static struct expr *fail_event_name(struct resolver *r, const struct expr *event, struct node *n)
{
	static const char *const usual[] = {"time", "tid", "cpu", "caller", "stack", "site", "elapsed", "process"};
	enum { N_USUAL = sizeof(usual) / sizeof(usual[0]), PARAMETERS = 16 };
	const char *names[PARAMETERS + N_USUAL], *why = types_reason(r, event);
	size_t n_parameters = parameter_names(r, event, names, PARAMETERS);

	memcpy(names + n_parameters, usual, sizeof(usual));
	if (query_closest(n->name, names, n_parameters + N_USUAL))
		return fail_event_member(r, event, n->name, n->span);
	query_fail(r->maker.err, n->span,
		why ? query_format(r->maker.arena, "a value is given with -D %s=VALUE; no parameters are known: %s",
			      n->name, why)
		    : "give it with -D NAME=VALUE, or define it: param, var",
		"%s is not known here", n->name);
	return expr_number(&r->maker, TYPE_LONG, 0, n->span);
}

static struct expr *resolve_name(struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit)
{
	struct definition *d = find_definition(r, n->name);

	for (const struct binding *b = scope; b; b = b->next)
		if (strcmp(b->name, n->name) == 0)
			return b->value;
	if (d)
		return definition_value(r, d, n->span);
	if (is_member_of(r->plan, implicit, n->name))
		return member_of(r, implicit, n->name, n->span);
	if (strcmp(n->name, "Now") == 0)
		return now(r, n->span);
	if (implicit && implicit->kind == EXPR_EVENT) {
		if (is_parameter(r, implicit, n->name))
			return parameter_value(r, implicit, n->name, n->span);
		return fail_event_name(r, implicit, n);
	}
	query_fail(r->maker.err, n->span, "give it with -D NAME=VALUE, or define it: param, var",
		"%s is not known here", n->name);
	return expr_number(&r->maker, TYPE_LONG, 0, n->span);
}

/* ---- the rest ---- */

/* Now.AddMinutes(5), and its like. */
static struct expr *add_time(
	struct resolver *r, struct node *n, struct expr *instant, const struct binding *scope, struct expr *implicit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"AddMilliseconds", 1000000}, {"AddSeconds", 1000000000}, {"AddMinutes", 60000000000},
		{"AddHours", 3600000000000}, {"AddDays", 86400000000000}};
	struct expr *count;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(units[i].name, n->name) != 0 || !n->args || n->args->next)
			continue;
		count = resolve(r, n->args, scope, implicit);
		return expr_binary(&r->maker, OP_ADD, instant,
			expr_binary(&r->maker, OP_MUL, expr_number(&r->maker, TYPE_A(DURATION), units[i].ns, n->span),
				count, n->span),
			n->span);
	}
	query_fail(r->maker.err, n->at, "AddMilliseconds, AddSeconds, AddMinutes, AddHours, AddDays; or Now + 5.min",
		"an instant has no function %s", n->name);
	return instant;
}

/* A function of a definition, applied to one or two values. */
static struct expr *function_apply(
	struct resolver *r, struct definition *d, struct node *n, const struct binding *scope, struct expr *implicit)
{
	struct node *lambda = d->node, *arg = n->args;
	struct binding b[2];
	struct expr *value;

	for (unsigned i = 0; i < lambda->n_params; i++) {
		if (!arg)
			break;
		b[i] = (struct binding){lambda->params[i], resolve(r, arg, scope, implicit), i ? &b[0] : NULL};
		arg = arg->next;
		if (i + 1 == lambda->n_params && !arg) {
			if (d->is_busy) {
				query_fail(r->maker.err, n->span, NULL, "%s is defined by itself", d->name);
				return b[0].value;
			}
			d->is_busy = true;
			value = resolve(r, lambda->a, &b[i], NULL);
			d->is_busy = false;
			return value;
		}
	}
	query_fail(r->maker.err, n->span, NULL, "%s is a function of %u value%s", d->name, lambda->n_params,
		lambda->n_params == 1 ? "" : "s");
	return expr_number(&r->maker, TYPE_LONG, 0, n->span);
}

/* Min(a, b), Max(a, b) */
bool is_choice(const struct node *call)
{
	return call->kind == NODE_CALL && !call->a &&
	       (strcmp(call->name, "Min") == 0 || strcmp(call->name, "Max") == 0) && call->args && call->args->next &&
	       !call->args->next->next;
}

static struct expr *choice(struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit)
{
	struct expr *a = resolve(r, n->args, scope, implicit), *b = resolve(r, n->args->next, scope, implicit);

	return expr_cond(
		&r->maker, expr_binary(&r->maker, n->name[1] == 'i' ? OP_LT : OP_GT, a, b, n->span), a, b, n->span);
}

static struct expr *resolve_call(struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit)
{
	struct definition *d = n->a ? NULL : find_definition(r, n->name);
	struct expr *object = n->a ? resolve(r, n->a, scope, implicit) : implicit;

	if (r->maker.err->is_set)
		return expr_number(&r->maker, TYPE_LONG, 0, n->span);
	if (d && d->node && d->node->kind == NODE_LAMBDA)
		return function_apply(r, d, n, scope, implicit);
	if (is_choice(n))
		return choice(r, n, scope, implicit);
	if (!n->a && (strcmp(n->name, "Log2") == 0 || strcmp(n->name, "log2") == 0) && n->args && !n->args->next)
		return expr_unary(&r->maker, OP_LOG2, resolve(r, n->args, scope, implicit), n->span);
	if (is_sample(n))
		return resolve_sample(r, n, scope, implicit);
	if (is_history(n))
		return resolve_history(r, n, scope, implicit);
	if (object && object->kind == EXPR_EVENT)
		return event_call(r, n, scope, object);
	if (object && object->kind == EXPR_GROUP && r->aggregate)
		return r->aggregate(r, object, n);
	if (object && object->type.kind == TYPE_TEXT && n->a && strcmp(n->name, "StartsWith") == 0 && n->args &&
		!n->args->next)
		return expr_binary(&r->maker, OP_STARTS, object, resolve(r, n->args, scope, implicit), n->span);
	if (object && is_text_function(n))
		return resolve_text_function(r, n, object, scope, implicit);
	if (object && object->type.kind == TYPE_INSTANT)
		return add_time(r, n, object, scope, implicit);
	query_fail(r->maker.err, n->at, NULL, "there is no function %s here", n->name);
	return expr_number(&r->maker, TYPE_LONG, 0, n->span);
}

static struct expr *resolve_new(struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit)
{
	struct expr *record = expr_new(&r->maker, EXPR_RECORD, TYPE_A(RECORD), n->span);
	struct member **end = &record->members;

	for (struct node *arg = n->args; arg; arg = arg->next) {
		struct member *m = query_alloc(r->maker.arena, sizeof(*m));

		for (const struct member *o = record->members; o; o = o->next)
			if (strcmp(o->name, arg->name) == 0)
				query_fail(r->maker.err, arg->at, "give one of them another name: name = …",
					"two members are called %s", arg->name);
		m->name = arg->name;
		m->value = resolve(r, arg->a, scope, implicit);
		record->in_probe |= m->value->in_probe;
		record->in_final |= m->value->in_final;
		*end = m;
		end = &m->next;
	}
	return record;
}

static struct expr *resolve_literal(struct resolver *r, struct node *n)
{
	struct expr *e;

	switch (n->kind) {
	case NODE_INT:
		return expr_number(&r->maker, n->integer > INT64_MAX ? TYPE_ULONG : TYPE_LITERAL, n->integer, n->span);
	case NODE_DURATION: return expr_number(&r->maker, TYPE_A(DURATION), n->integer, n->span);
	case NODE_BOOL: return expr_number(&r->maker, TYPE_A(BOOL), n->integer, n->span);
	case NODE_REAL: e = expr_new(&r->maker, EXPR_REAL, TYPE_A(REAL), n->span); break;
	default: e = expr_new(&r->maker, EXPR_TEXT, TYPE_A(TEXT), n->span);
	}
	e->real = n->real;
	e->text = n->name;
	return e;
}

/* Is the name one that only the types may know? */
static bool is_type_name(struct resolver *r, const char *name, const struct binding *scope, struct expr *implicit)
{
	for (const struct binding *b = scope; b; b = b->next)
		if (strcmp(b->name, name) == 0)
			return false;
	return !find_definition(r, name) && !is_member_of(r->plan, implicit, name) && strcmp(name, "Now") != 0 &&
	       !(implicit && implicit->kind == EXPR_EVENT && is_parameter(r, implicit, name));
}

/* e.size, file->f_flags, Color.RED */
static struct expr *resolve_member(
	struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit)
{
	struct expr *e = NULL;

	if (n->a->kind == NODE_NAME && is_type_name(r, n->a->name, scope, implicit))
		e = enumerator_value(r, n->a->name, n->name, n->span);
	return e ? e : member_of(r, resolve(r, n->a, scope, implicit), n->name, n->at);
}

static struct expr *resolve_node(struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit)
{
	struct expr_maker *m = &r->maker;

	switch (n->kind) {
	case NODE_NAME: return resolve_name(r, n, scope, implicit);
	case NODE_MEMBER: return resolve_member(r, n, scope, implicit);
	case NODE_CALL: return resolve_call(r, n, scope, implicit);
	case NODE_UNARY:
		return expr_unary(
			m, n->op[0] == '-' ? OP_NEG : expr_op_of(n->op), resolve(r, n->a, scope, implicit), n->span);
	case NODE_BINARY:
		return expr_binary(m, expr_op_of(n->op), resolve(r, n->a, scope, implicit),
			resolve(r, n->b, scope, implicit), n->span);
	case NODE_COND:
		return expr_cond(m, resolve(r, n->a, scope, implicit), resolve(r, n->b, scope, implicit),
			resolve(r, n->c, scope, implicit), n->span);
	case NODE_CAST: return expr_cast(m, n->type, resolve(r, n->a, scope, implicit), n->span);
	case NODE_NEW: return resolve_new(r, n, scope, implicit);
	case NODE_LAMBDA:
		query_fail(m->err, n->span, NULL, "a function is no value");
		return expr_number(m, TYPE_LONG, 0, n->span);
	default: return resolve_literal(r, n);
	}
}

struct expr *resolve(struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit)
{
	struct expr *e;

	if (n->label)
		query_fail(r->maker.err, n->span, NULL, "nothing here is called %s", n->label);
	if (r->maker.err->is_set)
		return expr_number(&r->maker, TYPE_LONG, 0, n->span);
	if (++r->depth > MOST_DEPTH) {
		query_fail(r->maker.err, n->span, NULL, "more than %d levels of names and brackets", MOST_DEPTH);
		e = expr_number(&r->maker, TYPE_LONG, 0, n->span);
	} else {
		e = resolve_node(r, n, scope, implicit);
	}
	r->depth--;
	return e;
}

struct expr *resolve_of(struct resolver *r, struct node *n, struct expr *element, const struct binding *scope)
{
	struct binding b = {.value = element, .next = scope};

	if (n->label)
		return resolve(r, n, scope, element);

	if (n->kind == NODE_NAME) { /* a function that is defined */
		struct definition *d = find_definition(r, n->name);

		n = d && d->node && d->node->kind == NODE_LAMBDA ? d->node : n;
	}
	if (n->kind != NODE_LAMBDA)
		return resolve(r, n, scope, element);
	if (n->n_params != 1)
		query_fail(r->maker.err, n->span, NULL, "a function of one value is expected here");
	b.name = n->params[0];
	return resolve(r, n->a, &b, NULL);
}

const struct node *find_labelled(const struct node *call, const char *label)
{
	for (const struct node *arg = call->args; arg; arg = arg->next)
		if (arg->label && strcmp(arg->label, label) == 0)
			return arg;
	return NULL;
}

bool resolve_labelled(struct resolver *r, const struct node *n, int64_t least, int64_t most, int64_t *value)
{
	struct node plain = *n;

	plain.label = NULL;
	return resolve_constant(r, &plain, least, most, value);
}

bool resolve_constant(struct resolver *r, struct node *n, int64_t least, int64_t most, int64_t *value)
{
	struct expr *e = resolve(r, n, NULL, NULL);

	if (r->maker.err->is_set)
		return false;
	if (e->kind != EXPR_CONST || e->type.kind != TYPE_INT || (int64_t)e->value < least ||
		(int64_t)e->value > most) {
		query_fail(r->maker.err, n->span, NULL, "a number from %lld to %lld is expected here", (long long)least,
			(long long)most);
		return false;
	}
	*value = (int64_t)e->value;
	return true;
}
