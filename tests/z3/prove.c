/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proves or refutes one statement. A statement is proven if no goal can fail where the facts hold (facts.c), and the
 * facts can hold. Nothing else affects it. So the answer depends only on what question.c writes, on Z3, and on the
 * way in which Z3 is called: this file, facts.c and term.c.
 */
#include "prove.h"

#include <string.h>
#include <sys/resource.h>

#include "tests/z3/engine/arith.h"

struct prove_options prove_options = {.effort = 300};

/* Run it all on the model's numbers. */
static bool confirmed(const struct query *q, FILE *out)
{
	begin_statement(false);
	q->build(q);
	if (!is_true(Z3_simplify(z3, all_facts())))
		return false;
	for (unsigned i = 0; i < n_goals; i++) {
		if (is_false(Z3_simplify(z3, goals[i].t))) {
			fprintf(out, "  replayed: fails (%s)\n", goals[i].name);
			return true;
		}
	}
	return false;
}

double seconds_used(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6;
}

static void tell_goal(const char *name, Z3_lbool r, double start, unsigned rounds)
{
	if (prove_options.verbose)
		fprintf(stderr, "  %-40s %s %.2f s, %u rounds\n", name,
			r == Z3_L_FALSE  ? "proven"
			: r == Z3_L_TRUE ? "model"
					 : "unknown",
			seconds_used() - start, rounds);
}

static Z3_lbool decide_goal(const struct goal *g, unsigned effort, Z3_model *model)
{
	double start = seconds_used();
	unsigned rounds;
	Z3_lbool r = refute(g->t, effort, model, &rounds);
	tell_goal(g->name, r, start, rounds);
	return r;
}

/* What a statement is about can be so, and what was used of laws and summaries does not contradict it. */
static bool not_vacuous(unsigned effort, FILE *out)
{
	Z3_model model;
	double start = seconds_used();
	unsigned rounds = 0;
	Z3_lbool r = supposed ? find_model(supposed, likely_so, effort, &model, &rounds) : Z3_L_TRUE;
	tell_goal("that it can be so", r, start, rounds);
	if (r == Z3_L_TRUE)
		return true;
	fprintf(out, "  it may be about nothing\n");
	return false;
}

void ask(const struct query *q)
{
	begin_statement(true);
	q->build(q);
	arith_laws();
}

/* Goal by goal; what is proven may be used from then on. */
static bool prove_all(const struct query *q, unsigned effort, FILE *out)
{
	Z3_model model;
	ask(q);
	for (unsigned i = 0, n = n_goals; i < n; i++) {
		if (prove_options.goal && !strstr(goals[i].name, prove_options.goal))
			continue;
		Z3_lbool r = decide_goal(&goals[i], effort, &model);
		if (r != Z3_L_FALSE) {
			fprintf(out, "  %s: %s\n", goals[i].name,
				r == Z3_L_TRUE ? "there is a model" : "no answer within the effort");
			if (!prove_options.goal)
				return false;
			continue;
		}
		assume_proven(goals[i].t);
	}
	return !prove_options.goal && not_vacuous(effort, out);
}

/*
 * That a model exists may be owed to what summaries and laws leave out, or to an intermediate goal that need not hold.
 * So counterexamples are looked for with nothing summarised, real arithmetic and simple inputs, and what is found is
 * run once more, on its numbers alone.
 */
static bool refute_any(const struct query *q, FILE *out)
{
	bool built = false, found = false;
	for (unsigned i = 0; !found && (!built || i < n_goals); i++) {
		Z3_model model;
		arith_exact = true;
		if (!built) {
			begin_statement(false);
			q->build(q);
			built = true;
		}
		Z3_lbool r = i < n_goals ? decide_goal(&goals[i], prove_options.effort, &model) : Z3_L_FALSE;
		arith_exact = false;
		if (r != Z3_L_TRUE)
			continue;
		fprintf(out, "  %s fails", goals[i].name);
		term_replay(model, out);
		found = confirmed(q, out);
		term_replay(NULL, NULL);
		built = false;
	}
	return found;
}

/* What is not proven at once is tried again, in a process of its own and with more effort, before a counterexample is
 * looked for, which takes long where there is none. */
enum outcome decide(const struct query *q, bool again, FILE *out)
{
	if (prove_all(q, again && !exec_damage ? AGAIN * prove_options.effort : prove_options.effort, out))
		return PROVEN;
	return again && !prove_options.goal && refute_any(q, out) ? REFUTED : UNDECIDED;
}
