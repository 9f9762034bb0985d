/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of texts at the final stage: ToString() of anything, a + b, Contains, EndsWith, Substring. They are of
 * parts of the key and of what was counted; in a probe there is no arithmetic on texts.
 */
#include "functions.h"

#include <string.h>

static const struct text_function {
	const char *name;
	enum final_function function;
	unsigned least, most; /* arguments */
} functions[] = {
	{"ToString", FUNCTION_TO_STRING, 0, 0},
	{"Contains", FUNCTION_CONTAINS, 1, 1},
	{"EndsWith", FUNCTION_ENDS_WITH, 1, 1},
	{"Substring", FUNCTION_SUBSTRING, 1, 2},
};

static const struct text_function *find_function(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}

bool is_text_function(const struct node *n)
{
	return n->a && find_function(n->name);
}

static bool has_text(struct type t)
{
	return t.kind != TYPE_RECORD && t.kind != TYPE_BUCKETS && t.kind != TYPE_EVENT && t.kind != TYPE_GROUP;
}

static struct expr *make_function(struct expr_maker *m, enum final_function function, struct expr *a, struct expr *b,
	struct expr *c, struct query_span span)
{
	bool is_test = function == FUNCTION_CONTAINS || function == FUNCTION_ENDS_WITH;
	struct expr *e = expr_new(m, EXPR_FUNCTION, is_test ? TYPE_A(BOOL) : TYPE_A(TEXT), span);
	struct expr *const parts[] = {a, b, c};

	e->value = function;
	e->a = a;
	e->b = b;
	e->c = c;
	e->in_final = true;
	for (size_t i = 0; i < 3 && parts[i]; i++) {
		e->in_probe |= parts[i]->in_probe;
		e->size += parts[i]->size;
	}
	if (e->size > EXPR_SIZE_MOST)
		query_fail(m->err, span, "names stand for all that they are set to", "more than %d operations",
			EXPR_SIZE_MOST);
	if (e->in_probe)
		query_fail(m->err, span, "group by it, and compute the text of g.Key", "a probe computes no texts");
	return e;
}

struct expr *expr_join_texts(struct expr_maker *m, struct expr *a, struct expr *b, struct query_span span)
{
	if (!has_text(a->type) || !has_text(b->type)) {
		query_fail(m->err, span, NULL, "%s has no text", type_name(has_text(a->type) ? b->type : a->type));
		return a;
	}
	if (a->kind == EXPR_TEXT && b->kind == EXPR_TEXT) {
		struct expr *e = expr_new(m, EXPR_TEXT, TYPE_A(TEXT), span);

		e->text = query_format(m->arena, "%s%s", a->text, b->text);
		return e;
	}
	return make_function(m, FUNCTION_JOIN, a, b, NULL, span);
}

static void check_argument(struct resolver *r, const struct expr *arg, const struct text_function *f, struct node *n)
{
	bool number = f->function == FUNCTION_SUBSTRING;

	if (number ? arg->type.kind != TYPE_INT : arg->type.kind != TYPE_TEXT)
		query_fail(r->maker.err, n->span, NULL, "%s takes %s, not %s", f->name, number ? "numbers" : "a text",
			type_name(arg->type));
}

struct expr *resolve_text_function(
	struct resolver *r, struct node *n, struct expr *object, const struct binding *scope, struct expr *implicit)
{
	const struct text_function *f = find_function(n->name);
	struct expr *args[2] = {NULL};
	unsigned count = 0;

	for (const struct node *arg = n->args; arg; arg = arg->next)
		count++;
	if (count < f->least || count > f->most) {
		query_fail(r->maker.err, n->at, NULL, "%s doesn't take %u arguments", f->name, count);
		return object;
	}
	count = 0;
	for (struct node *arg = n->args; arg && !r->maker.err->is_set; arg = arg->next, count++) {
		args[count] = resolve(r, arg, scope, implicit);
		if (!r->maker.err->is_set)
			check_argument(r, args[count], f, arg);
	}
	if (!has_text(object->type) || (f->function != FUNCTION_TO_STRING && object->type.kind != TYPE_TEXT))
		query_fail(r->maker.err, n->at, "x.ToString() is a text", "%s of %s", f->name, type_name(object->type));
	if (r->maker.err->is_set)
		return object;
	return make_function(&r->maker, f->function, object, args[0], args[1], n->span);
}

/* ---- computing ---- */

static const char *text_of(const struct machine *m, const struct expr *e)
{
	struct query_value v = rows_compute(m, e);

	return rows_text(m, &v);
}

static int64_t number_of(const struct machine *m, const struct expr *e, int64_t none)
{
	struct query_value v = {.kind = QUERY_NONE};

	if (e)
		v = rows_compute(m, e);
	return v.kind == QUERY_NONE ? none : (int64_t)v.number;
}

/* n bytes from the one at `from`; what isn't there is left out, and no character is cut. */
static const char *cut_text(const struct machine *m, const char *text, int64_t from, int64_t n)
{
	int64_t length = (int64_t)strlen(text);

	from = from < 0 ? 0 : from > length ? length : from;
	n = n < 0 ? 0 : n > length - from ? length - from : n;
	while (n > 0 && ((unsigned char)text[from] & 0xc0) == 0x80 && from > 0)
		from++, n--;
	while (n > 0 && ((unsigned char)text[from + n] & 0xc0) == 0x80)
		n--;
	return query_copy(m->texts, text + from, (size_t)n);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return k <= n && strcmp(text + n - k, end) == 0;
}

struct query_value rows_function(const struct machine *m, const struct expr *e)
{
	struct query_value v = {.kind = QUERY_TEXT}, object = rows_compute(m, e->a);
	const char *text = rows_text(m, &object);

	if (object.kind == QUERY_NONE && e->value != FUNCTION_JOIN)
		return object;
	switch ((enum final_function)e->value) {
	case FUNCTION_TO_STRING: v.text = text; return v;
	case FUNCTION_JOIN: v.text = query_format(m->texts, "%s%s", text, text_of(m, e->b)); return v;
	case FUNCTION_SUBSTRING:
		v.text = cut_text(m, text, number_of(m, e->b, 0), number_of(m, e->c, INT64_MAX));
		return v;
	case FUNCTION_CONTAINS: v.number = strstr(text, text_of(m, e->b)) != NULL; break;
	case FUNCTION_ENDS_WITH: v.number = ends_with(text, text_of(m, e->b)); break;
	}
	v.kind = QUERY_BOOL;
	return v;
}
