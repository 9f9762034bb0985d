/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser: recursive descent. The grammar is in spec/query.md. Words are keywords only where the grammar asks for
 * one, so an event may be called `event`, `group` or `by`. It looks ahead in three places: for the `=>` of a function,
 * for the type of a cast, and for `<` type `>` `(`.
 *
 * The first error counts. After it the lexer gives nothing but the end, so every loop here comes to its end.
 */
#include "ast.h"
#include "lex.h"

#include <string.h>

enum { MOST_DEPTH = 64, MOST_ARGS = 64, AHEAD = 8 };

struct parser {
	struct query_lexer lexer;
	struct query_arena *arena;
	struct query_error *err;
	struct query_token ahead[AHEAD]; /* tokens that are read already */
	unsigned n_ahead;
	uint32_t end; /* of the last token that was taken */
	unsigned depth;
};

static struct node *parse_expression(struct parser *p);
static struct node *parse_pipeline(struct parser *p);

/* ---- tokens ---- */

static const struct query_token *token_peek(struct parser *p, unsigned i)
{
	while (p->n_ahead <= i) {
		p->ahead[p->n_ahead] = query_lex(&p->lexer);
		p->n_ahead++;
	}
	return &p->ahead[i];
}

static struct query_token take_token(struct parser *p)
{
	struct query_token t = *token_peek(p, 0);

	p->n_ahead--;
	memmove(p->ahead, p->ahead + 1, p->n_ahead * sizeof(p->ahead[0]));
	p->end = t.span.at + t.span.n;
	return t;
}

static bool is_token(struct parser *p, unsigned i, enum query_token_kind kind, const char *text)
{
	const struct query_token *t = token_peek(p, i);

	return t->kind == kind && strcmp(t->text, text) == 0;
}

static bool is_op(struct parser *p, unsigned i, const char *op)
{
	return is_token(p, i, TOKEN_OP, op);
}

static bool is_word(struct parser *p, const char *word)
{
	return is_token(p, 0, TOKEN_NAME, word);
}

static bool accept_op(struct parser *p, const char *op)
{
	bool there = is_op(p, 0, op);

	if (there)
		take_token(p);
	return there;
}

static bool accept_word(struct parser *p, const char *word)
{
	bool there = is_word(p, word);

	if (there)
		take_token(p);
	return there;
}

/* What was expected isn't there. */
static void fail_here(struct parser *p, const char *wanted)
{
	const struct query_token *t = token_peek(p, 0);

	if (t->kind == TOKEN_END)
		query_fail(p->err, t->span, NULL, "the text ends where %s is expected", wanted);
	else
		query_fail(p->err, t->span, NULL, "%s is expected here", wanted);
	p->lexer.at = p->lexer.text->n;
	p->n_ahead = 0;
}

static void expect_op(struct parser *p, const char *op)
{
	if (!accept_op(p, op))
		fail_here(p, op);
}

static void expect_word(struct parser *p, const char *word)
{
	if (!accept_word(p, word))
		fail_here(p, word);
}

static struct query_token expect_name(struct parser *p, const char *what)
{
	if (token_peek(p, 0)->kind == TOKEN_NAME)
		return take_token(p);
	fail_here(p, what);
	return (struct query_token){.kind = TOKEN_NAME, .text = ""};
}

/* ---- nodes ---- */

static struct node *new_node(struct parser *p, enum node_kind kind, struct query_span at)
{
	struct node *n = query_alloc(p->arena, sizeof(*n));

	n->kind = kind;
	n->span = n->at = at;
	return n;
}

/* It ends where the last token that was taken does. */
static struct node *end_node(struct parser *p, struct node *n, uint32_t begin)
{
	n->span = (struct query_span){begin, p->end > begin ? p->end - begin : 0};
	return n;
}

static struct node *call_of(
	struct parser *p, struct node *object, const char *name, struct query_span at, struct node *arg)
{
	struct node *n = new_node(p, NODE_CALL, at);

	n->a = object;
	n->name = name;
	n->args = arg;
	return end_node(p, n, object ? object->span.at : at.at);
}

static struct node *lambda_of(struct parser *p, const char *param, struct node *body)
{
	struct node *n = new_node(p, NODE_LAMBDA, body->span);

	n->a = body;
	n->params[0] = param;
	n->n_params = 1;
	return n;
}

/* ---- expressions ---- */

bool query_is_type(const char *name)
{
	static const char *const types[] = {"bool", "byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong",
		"pointer", "string", "duration"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(name, types[i]) == 0)
			return true;
	return false;
}

/* With its => ahead: x => …, (x) => …, (x, y) => … */
static bool is_lambda(struct parser *p)
{
	if (token_peek(p, 0)->kind == TOKEN_NAME)
		return is_op(p, 1, "=>");
	if (!is_op(p, 0, "(") || token_peek(p, 1)->kind != TOKEN_NAME)
		return false;
	if (is_op(p, 2, ","))
		return token_peek(p, 3)->kind == TOKEN_NAME && is_op(p, 4, ")") && is_op(p, 5, "=>");
	return is_op(p, 2, ")") && is_op(p, 3, "=>");
}

static struct node *parse_lambda(struct parser *p)
{
	struct node *n = new_node(p, NODE_LAMBDA, token_peek(p, 0)->span);

	if (accept_op(p, "(")) {
		do
			n->params[n->n_params++] = expect_name(p, "a name").text;
		while (n->n_params < 2 && accept_op(p, ","));
		expect_op(p, ")");
	} else {
		n->params[n->n_params++] = take_token(p).text;
	}
	expect_op(p, "=>");
	n->a = parse_expression(p);
	return end_node(p, n, n->at.at);
}

/* It may have a name: bits: 7 */
static struct node *parse_argument(struct parser *p)
{
	const char *label = NULL;
	struct node *n;

	if (token_peek(p, 0)->kind == TOKEN_NAME && is_op(p, 1, ":")) {
		label = take_token(p).text;
		take_token(p);
	}
	n = is_lambda(p) ? parse_lambda(p) : parse_expression(p);
	n->label = label;
	return n;
}

static struct node *parse_arguments(struct parser *p)
{
	struct node *first = NULL, **end = &first;
	unsigned n = 0;

	expect_op(p, "(");
	if (accept_op(p, ")"))
		return NULL;
	do {
		*end = parse_argument(p);
		end = &(*end)->next;
		if (++n > MOST_ARGS)
			query_fail(p->err, token_peek(p, 0)->span, NULL, "more than %d arguments", MOST_ARGS);
	} while (!p->err->is_set && accept_op(p, ","));
	expect_op(p, ")");
	return first;
}

/* new { a, b = expr }: of a name, or of something's member, the name is the member's. */
static struct node *parse_new(struct parser *p, struct query_span at)
{
	struct node *n = new_node(p, NODE_NEW, at), **end = &n->args;
	unsigned members = 0;

	expect_op(p, "{");
	do {
		struct node *m = new_node(p, NODE_DEFINITION, token_peek(p, 0)->span);

		if (token_peek(p, 0)->kind == TOKEN_NAME && is_op(p, 1, "=")) {
			m->name = take_token(p).text;
			take_token(p);
		}
		m->a = parse_expression(p);
		if (!m->name && m->a->name && (m->a->kind == NODE_NAME || m->a->kind == NODE_MEMBER))
			m->name = m->a->name;
		if (!m->name)
			query_fail(p->err, m->a->span, "write name = before it", "a member without a name");
		*end = end_node(p, m, m->at.at);
		end = &m->next;
		if (++members > 32)
			query_fail(p->err, m->span, NULL, "a record of more than 32 members");
	} while (!p->err->is_set && accept_op(p, ","));
	expect_op(p, "}");
	return end_node(p, n, at.at);
}

static struct node *parse_group_or_pipeline(struct parser *p)
{
	struct node *n;

	take_token(p);
	n = parse_pipeline(p);
	expect_op(p, ")");
	return n;
}

static struct node *parse_literal(struct parser *p)
{
	struct query_token t = take_token(p);
	struct node *n = new_node(p, NODE_INT, t.span);

	n->integer = t.integer;
	n->real = t.real;
	n->name = t.text;
	if (t.kind == TOKEN_REAL)
		n->kind = NODE_REAL;
	else if (t.kind == TOKEN_DURATION)
		n->kind = NODE_DURATION;
	else if (t.kind == TOKEN_TEXT)
		n->kind = NODE_TEXT;
	return n;
}

static struct node *parse_name(struct parser *p)
{
	struct query_token t = take_token(p);
	struct node *n;

	if (strcmp(t.text, "true") == 0 || strcmp(t.text, "false") == 0) {
		n = new_node(p, NODE_BOOL, t.span);
		n->integer = t.text[0] == 't';
		return n;
	}
	if (strcmp(t.text, "new") == 0 && is_op(p, 0, "{"))
		return parse_new(p, t.span);
	n = new_node(p, NODE_NAME, t.span);
	n->name = t.text;
	return n;
}

static struct node *parse_primary(struct parser *p)
{
	const struct query_token *t = token_peek(p, 0);

	if (t->kind == TOKEN_NAME)
		return parse_name(p);
	if (t->kind != TOKEN_END && t->kind != TOKEN_OP)
		return parse_literal(p);
	if (is_op(p, 0, "("))
		return parse_group_or_pipeline(p);
	fail_here(p, "an expression");
	return new_node(p, NODE_INT, token_peek(p, 0)->span);
}

/* name<type>(…): the type, or NULL. */
static const char *accept_type(struct parser *p)
{
	const char *type;

	if (!is_op(p, 0, "<") || token_peek(p, 1)->kind != TOKEN_NAME || !is_op(p, 2, ">") || !is_op(p, 3, "("))
		return NULL;
	take_token(p);
	type = take_token(p).text;
	take_token(p);
	return type;
}

static struct node *parse_postfix(struct parser *p)
{
	struct node *n = parse_primary(p);

	while (!p->err->is_set) {
		struct node *object = n;
		const char *type;

		if (accept_op(p, ".") || accept_op(p, "->")) {
			struct query_token name = expect_name(p, "a name");

			n = new_node(p, NODE_MEMBER, name.span);
			n->a = object;
			n->name = name.text;
			end_node(p, n, object->span.at);
		}
		type = n->kind == NODE_NAME || n->kind == NODE_MEMBER ? accept_type(p) : NULL;
		if ((n->kind == NODE_NAME || n->kind == NODE_MEMBER) && is_op(p, 0, "(")) {
			n->kind = NODE_CALL;
			n->type = type;
			n->args = parse_arguments(p);
			end_node(p, n, n->span.at);
		} else if (n == object) {
			break;
		}
	}
	return n;
}

static bool is_cast(struct parser *p)
{
	return is_op(p, 0, "(") && token_peek(p, 1)->kind == TOKEN_NAME && is_op(p, 2, ")") &&
	       query_is_type(token_peek(p, 1)->text);
}

static struct node *parse_unary(struct parser *p)
{
	struct query_span at = token_peek(p, 0)->span;
	struct node *n;

	if (++p->depth > MOST_DEPTH)
		query_fail(p->err, at, NULL, "more than %d levels of brackets and operators", MOST_DEPTH);
	if (p->err->is_set) {
		p->lexer.at = p->lexer.text->n;
		p->n_ahead = 0;
		n = new_node(p, NODE_INT, at);
	} else if (is_op(p, 0, "-") || is_op(p, 0, "!") || is_op(p, 0, "~")) {
		n = new_node(p, NODE_UNARY, at);
		n->op = take_token(p).text;
		n->a = parse_unary(p);
		end_node(p, n, at.at);
	} else if (is_cast(p)) {
		n = new_node(p, NODE_CAST, at);
		take_token(p);
		n->type = take_token(p).text;
		take_token(p);
		n->a = parse_unary(p);
		end_node(p, n, at.at);
	} else {
		n = parse_postfix(p);
	}
	p->depth--;
	return n;
}

/* How tightly a binary operator binds, from 1; 0: it is none. */
static int precedence_of(const struct query_token *t)
{
	static const struct {
		const char *op;
		int precedence;
	} table[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4}, {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7}, {">", 7},
		{"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};

	if (t->kind == TOKEN_OP)
		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
			if (strcmp(t->text, table[i].op) == 0)
				return table[i].precedence;
	return 0;
}

static struct node *parse_binary(struct parser *p, int least)
{
	struct node *left = parse_unary(p);

	for (int precedence;
		!p->err->is_set && (precedence = precedence_of(token_peek(p, 0))) >= least && precedence;) {
		struct query_token op = take_token(p);
		struct node *n = new_node(p, NODE_BINARY, op.span);

		n->op = op.text;
		n->a = left;
		n->b = parse_binary(p, precedence + 1);
		left = end_node(p, n, left->span.at);
	}
	return left;
}

static struct node *parse_expression(struct parser *p)
{
	struct node *cond = parse_binary(p, 1), *n;

	if (!is_op(p, 0, "?"))
		return cond;
	n = new_node(p, NODE_COND, take_token(p).span);
	n->a = cond;
	if (++p->depth > MOST_DEPTH)
		query_fail(p->err, n->at, NULL, "more than %d levels of brackets and operators", MOST_DEPTH);
	n->b = parse_expression(p);
	expect_op(p, ":");
	n->c = parse_expression(p);
	p->depth--;
	return end_node(p, n, cond->span.at);
}

/* ---- the query form ---- */

/* Clauses become calls. `variable` is the range variable's name. */
struct clauses {
	struct node *chain;
	const char *variable;
};

static void add_clause(struct parser *p, struct clauses *c, const char *name, struct query_span at, struct node *body)
{
	c->chain = call_of(p, c->chain, name, at, lambda_of(p, c->variable, body));
}

static void parse_order(struct parser *p, struct clauses *c)
{
	bool first = true;

	do {
		struct query_span at = token_peek(p, 0)->span;
		struct node *key = parse_expression(p);
		bool down = !accept_word(p, "ascending") && accept_word(p, "descending");
		const char *name = first  ? down ? "OrderByDescending" : "OrderBy"
				   : down ? "ThenByDescending"
					  : "ThenBy";

		add_clause(p, c, name, at, key);
		first = false;
	} while (!p->err->is_set && accept_op(p, ","));
}

static void parse_let(struct parser *p, struct clauses *c)
{
	struct query_token name = expect_name(p, "a name");

	expect_op(p, "=");
	add_clause(p, c, "let", name.span, parse_expression(p));
	c->chain->is_let = true;
	c->chain->params[0] = name.text;
}

/* join b in … on key of a equals key of b [within 5.s]: behind it both have their names. */
static void parse_join(struct parser *p, struct clauses *c, struct query_span at)
{
	const char *second = expect_name(p, "a name").text;
	struct node *other, *a, *b;

	expect_word(p, "in");
	other = parse_postfix(p);
	expect_word(p, "on");
	a = lambda_of(p, c->variable, parse_expression(p));
	expect_word(p, "equals");
	b = lambda_of(p, second, parse_expression(p));
	other->next = a;
	a->next = b;
	if (accept_word(p, "within")) {
		b->next = parse_expression(p);
		b->next->label = "within";
	}
	c->chain = call_of(p, c->chain, "Join", at, other);
	c->chain->params[0] = c->variable;
	c->chain->params[1] = second;
	c->variable = " pair"; /* no text can say it */
}

static void parse_select_or_group(struct parser *p, struct clauses *c)
{
	struct query_span at = token_peek(p, 0)->span;
	struct node *body;

	if (accept_word(p, "group")) {
		body = parse_expression(p);
		expect_word(p, "by");
		add_clause(p, c, "GroupBy", at, parse_expression(p));
		c->chain->args->next = lambda_of(p, c->variable, body);
	} else {
		expect_word(p, "select");
		add_clause(p, c, "Select", at, parse_expression(p));
	}
}

/* Behind from … in …: up to and with the select or group that ends it. */
static void parse_body(struct parser *p, struct clauses *c)
{
	while (!p->err->is_set) {
		struct query_span at = token_peek(p, 0)->span;

		if (accept_word(p, "where")) {
			add_clause(p, c, "Where", at, parse_expression(p));
		} else if (accept_word(p, "let")) {
			parse_let(p, c);
		} else if (accept_word(p, "orderby")) {
			parse_order(p, c);
		} else if (accept_word(p, "join")) {
			parse_join(p, c, at);
		} else if (is_word(p, "from")) {
			query_fail(p->err, at, "join b in … on a.key equals b.key", "all pairs of events");
			fail_here(p, "select");
		} else {
			parse_select_or_group(p, c);
			return;
		}
	}
}

static struct node *parse_linq(struct parser *p)
{
	struct clauses c = {0};

	if (++p->depth > MOST_DEPTH)
		query_fail(
			p->err, token_peek(p, 0)->span, NULL, "more than %d levels of queries in queries", MOST_DEPTH);
	take_token(p);
	c.variable = expect_name(p, "a name").text;
	expect_word(p, "in");
	c.chain = parse_postfix(p);
	parse_body(p, &c);
	while (!p->err->is_set && accept_word(p, "into")) {
		c.variable = expect_name(p, "a name").text;
		parse_body(p, &c);
	}
	p->depth--;
	return c.chain;
}

static struct node *parse_pipeline(struct parser *p)
{
	if (!p->err->is_set && is_word(p, "from") && token_peek(p, 1)->kind == TOKEN_NAME &&
		is_token(p, 2, TOKEN_NAME, "in"))
		return parse_linq(p);
	return parse_expression(p);
}

/* ---- the whole ---- */

static struct node *parse_definition(struct parser *p)
{
	struct query_token word = take_token(p);
	struct node *n = new_node(p, NODE_DEFINITION, word.span);

	n->is_parameter = word.text[0] == 'p';
	if (n->is_parameter)
		n->type = expect_name(p, "a type").text;
	if (n->type && !query_is_type(n->type))
		query_fail(p->err, (struct query_span){p->end - (uint32_t)strlen(n->type), (uint32_t)strlen(n->type)},
			"types are bool, byte, sbyte, short, ushort, int, uint, long, ulong, pointer, string, duration",
			"`%s` is no type", n->type);
	word = expect_name(p, "a name");
	n->name = word.text;
	n->at = word.span;
	if (!n->is_parameter || is_op(p, 0, "=")) {
		expect_op(p, "=");
		n->a = is_lambda(p) ? parse_lambda(p) : parse_pipeline(p);
	}
	expect_op(p, ";");
	return end_node(p, n, n->at.at);
}

static bool at_definition(struct parser *p)
{
	if (is_word(p, "var"))
		return token_peek(p, 1)->kind == TOKEN_NAME && is_op(p, 2, "=");
	return is_word(p, "param") && token_peek(p, 1)->kind == TOKEN_NAME && token_peek(p, 2)->kind == TOKEN_NAME;
}

static bool parser_finish(const struct parser *p)
{
	if (p->arena->full)
		query_fail(p->err, (struct query_span){0, 1}, NULL, "the query is too large");
	return !p->err->is_set;
}

bool query_parse(
	const struct query_text *text, struct query_arena *arena, struct query_tree *out, struct query_error *err)
{
	struct parser p = {.lexer = {text, arena, err, 0}, .arena = arena, .err = err};
	struct node **end = &out->definitions;
	unsigned n = 0;

	*out = (struct query_tree){0};
	while (!err->is_set && at_definition(&p)) {
		*end = parse_definition(&p);
		end = &(*end)->next;
		if (++n > 64)
			query_fail(err, token_peek(&p, 0)->span, NULL, "more than 64 definitions");
	}
	out->pipeline = parse_pipeline(&p);
	accept_op(&p, ";");
	if (!err->is_set && token_peek(&p, 0)->kind != TOKEN_END)
		fail_here(&p, "the end of the text");
	return parser_finish(&p);
}

struct node *query_parse_expression(const struct query_text *text, struct query_arena *arena, struct query_error *err)
{
	struct parser p = {.lexer = {text, arena, err, 0}, .arena = arena, .err = err};
	struct node *n = parse_expression(&p);

	if (!err->is_set && token_peek(&p, 0)->kind != TOKEN_END)
		fail_here(&p, "the end of the value");
	return parser_finish(&p) ? n : NULL;
}
