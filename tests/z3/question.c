/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the question that a statement puts to Z3: all that may be used, each goal, and what must be possible.
 * Everything that shapes a proof has its effect here: the verifier's bitcode, the model of the processor, the
 * statement, the summaries, the laws. So two questions with the same text have the same answer.
 *
 * A term is a line, which names its parts by the numbers of earlier lines; each term is written once, however often
 * it is used.
 */
#include "question.h"

#include <stdlib.h>
#include <string.h>

#include "tests/z3/statements/statement.h"

static FILE *out;

/* The lines of terms and of declarations, by their numbers in Z3; 0: not written yet. */
static struct lines {
	unsigned *at, n;
} terms, declarations;
static unsigned n_lines;

static unsigned *line_in(struct lines *lines, unsigned number)
{
	if (number >= lines->n) {
		unsigned n = 2 * number + 1024;
		lines->at = realloc(lines->at, n * sizeof *lines->at);
		if (!lines->at)
			give_up("no memory");
		memset(lines->at + lines->n, 0, (n - lines->n) * sizeof *lines->at);
		lines->n = n;
	}
	return &lines->at[number];
}

static unsigned *line(term t)
{
	return line_in(&terms, Z3_get_ast_id(z3, t));
}

/* Their numbers have the highest bit set. */
static unsigned *declaration_line(Z3_func_decl f)
{
	return line_in(&declarations, Z3_get_ast_id(z3, Z3_func_decl_to_ast(z3, f)) & INT32_MAX);
}

/* Its name and sorts; and the numbers that belong to it, as the bits that are extracted. */
static void write_declaration(Z3_func_decl f)
{
	unsigned *at = declaration_line(f);
	if (*at)
		return;
	*at = ++n_lines;
	fprintf(out, "%s %u", Z3_func_decl_to_string(z3, f), Z3_get_decl_kind(z3, f));
	for (unsigned i = 0; i < Z3_get_decl_num_parameters(z3, f); i++) {
		if (Z3_get_decl_parameter_kind(z3, f, i) != Z3_PARAMETER_INT)
			give_up("%s: a parameter that is no number", Z3_func_decl_to_string(z3, f));
		fprintf(out, " %d", Z3_get_decl_int_parameter(z3, f, i));
	}
	fputc('\n', out);
}

/* All that it is made of has a line. */
static void write_one(term t)
{
	if (Z3_get_ast_kind(z3, t) != Z3_APP_AST) {
		fprintf(out, "%s", Z3_ast_to_string(z3, t)); /* one text at a time: Z3 has room for one */
		fprintf(out, " of %s\n", Z3_sort_to_string(z3, Z3_get_sort(z3, t)));
	} else {
		Z3_app app = Z3_to_app(z3, t);
		Z3_func_decl f = Z3_get_app_decl(z3, app);
		write_declaration(f);
		fprintf(out, "%u", *declaration_line(f));
		for (unsigned i = 0; i < Z3_get_app_num_args(z3, app); i++)
			fprintf(out, " %u", *line(Z3_get_app_arg(z3, app, i)));
		fputc('\n', out);
	}
	*line(t) = ++n_lines;
}

/* Terms are deep: those that wait for their parts are kept in a list. */
static void write_term(term t)
{
	static term *open;
	static unsigned room;
	unsigned n = 0;
	for (;;) {
		unsigned parts = Z3_get_ast_kind(z3, t) == Z3_APP_AST ? Z3_get_app_num_args(z3, Z3_to_app(z3, t)) : 0,
			 i = 0;
		while (i < parts && *line(operand(t, i)))
			i++;
		if (*line(t) || i == parts) {
			if (!*line(t))
				write_one(t);
			if (!n)
				return;
			t = open[--n];
			continue;
		}
		if (n == room) {
			room = 2 * room + 1024;
			open = realloc(open, room * sizeof(term));
			if (!open)
				give_up("no memory");
		}
		open[n++] = t;
		t = operand(t, i);
	}
}

static void write_named(const char *what, term t)
{
	write_term(t);
	fprintf(out, "%s %u\n", what, *line(t));
}

void question_write(FILE *to)
{
	out = to;
	for (unsigned i = 0; fact(i); i++)
		write_named("known", fact(i));
	for (unsigned i = 0; i < n_goals; i++)
		write_named("goal", goals[i].t);
	if (supposed)
		write_named("possible", supposed);
}
