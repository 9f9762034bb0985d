/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of a text. The query form (from … where … select) is nothing but spelling: the parser makes the method form
 * of it, so each clause is a call here, whose arguments are functions of the range variable.
 */
#ifndef WARD_QUERY_AST_H
#define WARD_QUERY_AST_H

#include "arena.h"
#include "text.h"

enum node_kind {
	NODE_INT,        /* integer */
	NODE_REAL,       /* real */
	NODE_DURATION,   /* integer: nanoseconds */
	NODE_TEXT,       /* name */
	NODE_BOOL,       /* integer */
	NODE_NAME,       /* name */
	NODE_MEMBER,     /* a.name */
	NODE_CALL,       /* a.name<type>(args), or name(args) without a */
	NODE_UNARY,      /* op a */
	NODE_BINARY,     /* a op b */
	NODE_COND,       /* a ? b : c */
	NODE_CAST,       /* (type)a */
	NODE_NEW,        /* args: each with a name */
	NODE_LAMBDA,     /* params => a */
	NODE_DEFINITION, /* var name = a; param type name = a, which may be NULL */
};

struct node {
	enum node_kind kind;
	struct query_span span; /* all of it */
	struct query_span at;   /* its operator, or its name */
	const char *op, *name, *type;
	uint64_t integer;
	double real;
	struct node *a, *b, *c;
	struct node *args;     /* CALL, NEW: the first */
	const char *params[2]; /* LAMBDA */
	unsigned n_params;
	bool is_let;       /* CALL: of a let clause: its name is params[0] */
	bool is_parameter; /* DEFINITION: param */
	const char *label; /* of an argument: bits: 7 */
	struct node *next; /* among args, or definitions */
};

/* A whole text: its definitions, and what it asks. */
struct query_tree {
	struct node *definitions, *pipeline;
};

/* False: err says why. */
bool query_parse(
	const struct query_text *text, struct query_arena *arena, struct query_tree *out, struct query_error *err);
/* A text that is one expression, such as a parameter's value. */
struct node *query_parse_expression(const struct query_text *text, struct query_arena *arena, struct query_error *err);

/* Is it the name of a type of the language? */
bool query_is_type(const char *name);

#endif
