/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of operators while it is applied. chain.c describes how. */
#ifndef WARD_QUERY_CHAIN_H
#define WARD_QUERY_CHAIN_H

#include "names.h"

/* What an operator may be on: events, a group, rows, a probe that was written by hand. */
enum { E = 1, G = 2, R = 4, P = 8 };

struct chain {
	struct resolver *r;
	struct plan *plan;
	int stage;            /* E, G, R or P */
	struct expr *element; /* of events: what Select made of them */
	struct binding *lets; /* names of let clauses */
	bool taken;           /* Take or Skip was there */
	unsigned depth;
};

typedef void operator_fn(struct chain *c, struct node *n);

struct operator
{
	const char *name;
	unsigned least, most;
	int on;
	operator_fn *apply;
};

const struct operator* find_operator(const char *name);
bool check_arguments(struct chain *c, const struct operator* op, struct node *n);
bool is_aggregate(const struct operator* op);

/* The source at the beginning of a chain, then each of its operators. */
void walk_chain(struct chain *c, struct node *n);

static inline bool chain_failed(const struct chain *c)
{
	return c->r->maker.err->is_set;
}

static inline void *chain_alloc(struct chain *c, size_t size)
{
	return query_alloc(c->r->maker.arena, size);
}

/* What functions of a row, or of a group, are applied to. */
struct expr *subject(struct chain *c, struct query_span at);
/* A function, or an expression, of that. */
struct expr *resolve_here(struct chain *c, struct node *n);

void add_column(struct chain *c, const char *name, struct expr *value, struct query_span at);
/* A part of the key; `shown`: the name of its column. */
void add_key(struct chain *c, const char *name, const char *shown, struct expr *of, struct query_span at);
void add_key_columns(struct chain *c, struct query_span at);
/* A group without Select: its key, and how many. */
void make_rows(struct chain *c, struct query_span at);

/* aggregates.c */
bool is_numeric(struct type t);
/* What a number becomes when many are added up, or when one of them is chosen. */
struct type total_type(struct type t);
struct expr *keep_value(
	struct chain *c, const struct plan_keep *keep, enum keep_part part, struct type type, struct query_span at);
/* Count, Sum and their like, of the elements of a group or of all events. `of`: what they are of, or NULL. */
struct expr *make_aggregate(struct chain *c, struct node *n, struct expr *of);
/* What a column of such a quantile is called: p50. */
const char *quantile_name(struct chain *c, double rank);

/* fold.c: Aggregate(seed, (a, x) => …) of the elements. */
struct expr *make_fold(struct chain *c, struct node *call, struct node *seed, struct node *function);

/* use.c: Use("sketch.c", x, …) of the elements: a record of what its struct has. */
struct expr *make_use(struct chain *c, struct node *n);

/* operators_group.c: g.Count() in a function of a group; so it is found by the resolver. */
struct expr *aggregate_of_group(struct resolver *r, struct expr *group, struct node *n);
/* Rows of the key's parts and of what was counted. */
void add_aggregate_columns(struct chain *c, const char *name, struct expr *value, struct query_span at);

/*
 * operators_window.c: rows of windows say which one they are of, in their first column, unless a part of the key says
 * it, or the value that they are made of.
 */
void add_window_column(struct chain *c, const struct expr *value, struct query_span at);
/* R7: a key `time / period` is a window, if all that is kept has differences. */
void rewrite_window(struct query *q, struct expr_maker *m);
/* What windows can't be of. */
void check_windows(struct chain *c, struct query_span at);

/*
 * module.c: Probe("file.c"), and what follows of it: a map's entries are rows, a ring's records events; without either
 * its state is a row.
 */
bool is_module(const struct chain *c, const struct node *n);
void add_module(struct chain *c, struct node *n);
void take_member(struct chain *c, struct node *n);
void take_state(struct chain *c, struct query_span at);
/* What a module's rows can't be of. */
void check_module(struct chain *c, struct query_span at);

/* Operators, by their names in operators.def. */
operator_fn apply_where, apply_let, apply_select, apply_group, apply_count_by, apply_aggregate, apply_order, apply_take,
	apply_top, apply_until, apply_process, apply_thread, apply_keys, apply_sample, apply_at_most, apply_concat,
	apply_to_set, apply_top_k, apply_use, apply_fold, apply_fold_by, apply_chopstix, apply_before, apply_join,
	apply_window, apply_rate;
/* steps.c: on finished rows. Is this column something that was counted, and no part of a key? */
bool is_counted(const struct plan *p, const struct expr *e);
bool is_key_part(const struct plan *p, const struct expr *e);
bool is_summable(struct type t);
/* Rows end here, and a step begins; a column of its table. */
struct plan_step *begin_step(struct chain *c, enum step_kind kind, const struct node *n);
struct expr *add_cell(struct chain *c, const char *name, struct type type, const struct node *n);
/* tables.c: two tables meet. */
void join_tables(struct chain *c, struct node *n);
void merge_tables(struct chain *c, struct query_span at);
operator_fn apply_diff;
operator_fn apply_scaled; /* scaled.c */
operator_fn apply_pivot, apply_normalise, apply_kmeans, apply_moving_average;

#endif
