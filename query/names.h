/* SPDX-License-Identifier: Apache-2.0 */
/* What names stand for: variables of functions, definitions, parameters, and members of what a function is of. */
#ifndef WARD_QUERY_NAMES_H
#define WARD_QUERY_NAMES_H

#include "plan.h"

struct binding {
	const char *name;
	struct expr *value;
	const struct binding *next;
};

/* A definition of the text or of the command line, and what it stands for, once that was asked. */
struct definition {
	const char *name, *type; /* type: of a parameter, or NULL */
	struct node *node;       /* NULL: a parameter without a value */
	struct query_span span;  /* of what comes from the command line, where it is used */
	struct expr *value;
	bool is_busy;  /* it is being asked */
	bool is_given; /* a parameter */
	struct definition *next;
};

struct resolver {
	struct expr_maker maker;
	struct query *query;
	struct definition *definitions;
	/* makes something of an aggregate of a group; NULL where there is none (plan.c) */
	struct expr *(*aggregate)(struct resolver *r, struct expr *group, struct node *call);
	struct plan *plan;
	struct expr *element; /* of the group that is being aggregated */
	unsigned depth;
	bool is_other; /* what is resolved is of the second of two tables */
};

/*
 * What a tree stands for, where `implicit` is what plain names may be members of (NULL: of nothing). After an error the
 * result has no meaning.
 */
struct expr *resolve(struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit);

/* A function, or an expression of the implicit element, of this element. `scope`: names that are known beside it. */
struct expr *resolve_of(struct resolver *r, struct node *n, struct expr *element, const struct binding *scope);

/* Min(a, b), Max(a, b): of two numbers, and not of a group. */
bool is_choice(const struct node *call);

struct definition *find_definition(const struct resolver *r, const char *name);

/* operators_events.c: sample(e, State) as a condition. */
bool is_sample(const struct node *call);
struct expr *resolve_sample(struct resolver *r, struct node *n, const struct binding *scope, struct expr *implicit);

/* The argument of a call that has this name, or NULL. Its value: a constant. */
const struct node *find_labelled(const struct node *call, const char *label);
bool resolve_labelled(struct resolver *r, const struct node *n, int64_t least, int64_t most, int64_t *value);

/* An error: there is no such member, but n others. */
struct expr *fail_member(struct resolver *r, const char *what, const char *name, struct query_span at,
	const char *const *names, size_t n);

/* A whole number that is known now; false, with an error: it isn't one. */
bool resolve_constant(struct resolver *r, struct node *n, int64_t least, int64_t most, int64_t *value);

#endif
