/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of the program generator, for the files that each generate a part of the language. */
#ifndef WARD_TESTS_DIALECT_GEN_H
#define WARD_TESTS_DIALECT_GEN_H

#include <stdbool.h>

#include "generate.h"

enum { LOCALS = 4, ARRAYS = 5 };

struct array {
	const char *name, *type;
	unsigned n;
};

extern const char *const types[8];

struct gen {
	FILE *out;
	uint64_t s;
	struct array arrays[ARRAYS];
	unsigned pool, table, indent, function, loops, budget;
	unsigned pairs, words, rows, columns, globals, odds; /* forms.c: how many there are */
	unsigned odd;                                        /* bytes of an element of no round size */
	unsigned number;                                     /* of the program */
	bool other;                  /* has the second file been written, whose function may be called? */
	bool calls;                  /* is there a table of functions? */
	bool keeps;                  /* does it keep pointers? */
	unsigned cells;              /* of its lists and trees; 0: it has none */
	int names;                   /* for what loops and blocks declare */
	int counters[8], n_counters; /* loop counters that may be read */
};

/* A random number below n. */
unsigned below(struct gen *g, unsigned n);
void put(struct gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void line(struct gen *g);

void expression(struct gen *g, unsigned depth);
/* An index that is below n. */
void index_below(struct gen *g, unsigned n, unsigned depth);
void block(struct gen *g, unsigned depth);

/*
 * forms.c: structs, unions, fields of some bits, arrays of arrays, pointers kept in the state, variables on the stack,
 * copies, tricks with bits, odd loops.
 */
void form_sizes(struct gen *g);
void form_types(struct gen *g);
void form_fields(struct gen *g);
void form_helpers(struct gen *g);
void form_leaf(struct gen *g, unsigned depth);
void form_trick(struct gen *g, unsigned depth);
void form_statement(struct gen *g, unsigned depth);
void form_loop(struct gen *g, unsigned depth);

/* memory.c: copies, fills, compares and searches. */
void memory_statement(struct gen *g);
void memory_loop(struct gen *g);

/* backward.c: indices below zero. */
void backward_statement(struct gen *g);
void backward_loop(struct gen *g);

/* pointers.c: pointers to strings, constants, shared and local variables. */
void pointer_types(struct gen *g);
void pointer_fields(struct gen *g);
void pointer_count(struct gen *g);
void pointer_statement(struct gen *g);

/* queues.c: local arrays of functions that are called in loops. */
void queue_fields(struct gen *g);
void queue_functions(struct gen *g);
void queue_statement(struct gen *g);

/* links.c: lists and trees, and pointers to links. */
void link_types(struct gen *g);
void link_fields(struct gen *g);
void link_first(struct gen *g);
void link_statement(struct gen *g);

#endif
