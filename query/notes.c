/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of rows beside them: that they are of a sample, and how exact they are. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "plan.h"

size_t query_gates(const struct query *q)
{
	return q->plan.n_gates;
}

bool query_wants_ends(const struct query *q)
{
	return q->plan.pair.kind != PAIR_NONE && q->plan.pair.kind != PAIR_CALL && !q->plan.pair.is_alone;
}

static void note_gate(const struct plan_gate *g, const struct query_gate *counted, char *text, size_t size)
{
	static const char *const names[] = {[GATE_RANDOM] = "Sample",
		[GATE_EVERY] = "SampleEvery",
		[GATE_AT_MOST] = "AtMost",
		[GATE_CHOPSTIX] = "Chopstix"};

	char of[32] = "";

	if (g->kind != GATE_CHOPSTIX)
		snprintf(of, sizeof(of), "(%" PRIu64 "%s)", g->n, g->kind == GATE_AT_MOST ? ", …" : "");
	snprintf(text, size, "%s%s passed %" PRIu64 " of %" PRIu64 " event%s", names[g->kind], of, counted->passed,
		counted->of, counted->of == 1 ? "" : "s");
}

/* Is it the first of its kind and precision? */
static bool is_first(const struct plan *p, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!p->keeps[k].is_unused && p->keeps[k].kind == p->keeps[i].kind &&
			p->keeps[k].step == p->keeps[i].step && p->keeps[k].error == p->keeps[i].error)
			return false;
	return true;
}

static bool note_keep(const struct plan *p, const struct plan_keep *k, char *text, size_t size)
{
	if (k->kind == KEEP_QUANTILES)
		snprintf(text, size, "quantiles are within %.2g %%",
			100 * (k->error > 0 ? k->error : ldexp(1, -1 - (int)k->step)));
	else if (k->kind == KEEP_DISTINCT && p->pair.kind != PAIR_RECORDS) /* the reader knows them all */
		snprintf(text, size, "distinct values are an estimate, with a standard error of %.2g %%",
			100 * (k->error > 0 ? k->error : 0.033));
	else
		return false;
	return true;
}

bool query_note(const struct query *q, const struct query_gate *gates, size_t i, char *text, size_t size)
{
	const struct plan *p = &q->plan;

	if (i < p->n_gates) {
		note_gate(&p->gates[i], &gates[i], text, size);
		return true;
	}
	i -= p->n_gates;
	if (p->is_scaled && i == 0) {
		snprintf(text, size, "counts, sums and histograms are scaled to all events: they are estimates");
		return true;
	}
	i -= p->is_scaled;
	if (p->is_about && p->counters && i == 0) {
		snprintf(text, size, "counts may be too large, each by 1/%u of all events at most", p->counters);
		return true;
	}
	i -= p->is_about && p->counters;
	for (size_t k = 0; k < p->n_keeps; k++)
		if (!p->keeps[k].is_unused && is_first(p, k) && note_keep(p, &p->keeps[k], text, size) && i-- == 0)
			return true;
	return false;
}
