/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the plan to the probe's source.
 *
 * All values come first, then all updates: an event that a guard stops has changed nothing. Of the text only numbers,
 * checked sites and escaped texts get here.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "emitter.h"
#include "uses.h"

static bool records_divide(const struct plan *p)
{
	for (size_t i = 0; p->is_records && i < p->n_columns; i++)
		if (may_divide_by_zero(p->columns[i].value))
			return true;
	return false;
}

static bool divides_behind_filters(const struct plan *p)
{
	bool zero = (!p->before && records_divide(p)) || uses_divide(p);

	for (size_t i = 0; i < p->n_keys; i++)
		zero |= may_divide_by_zero(p->keys[i].of);
	for (size_t i = 0; i < p->n_keeps; i++)
		zero |= may_divide_by_zero(p->keeps[i].of) || may_divide_by_zero(p->keeps[i].when);
	return zero;
}

bool filters_divide(struct expr *const *filters, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (may_divide_by_zero(filters[i]))
			return true;
	return false;
}

/* Of events that are counted; and of those before them. */
static bool needs_zero(const struct plan *p)
{
	return filters_divide(p->filters, p->n_filters) || records_divide(p) || divides_behind_filters(p) ||
	       pair_divides(p, 1) || filters_divide(p->pair.before[1].at, p->pair.before[1].n);
}

/* An event of which something can't be computed is left out, and counted. */
void emit_zero_test(struct emitter *e)
{
	fputs("\tif (zero) {\n", e->out);
	if (e->tested == e->plan->n_divisions) /* more than have places of their own */
		e->tested--;
	for (; e->tested < e->plan->n_divisions; e->tested++)
		fprintf(e->out, "\t\tst->left_out%u += zero == %u;\n", e->tested, e->tested + 1);
	fputs("\t\treturn;\n\t}\n", e->out);
}

static bool history_is_signed(const struct plan_history *h)
{
	return h->of->type.kind == TYPE_INT && h->of->type.is_signed;
}

static void emit_history_member(struct emitter *e, size_t i)
{
	const struct plan_history *h = &e->q->plan.histories[i];

	fputs("\tWARD_PRIVATE(", e->out);
	if (h->n)
		fprintf(e->out, "WARD_QUERY_WINDOW(%" PRId64 ")", h->n);
	else
		fputs(h->kind == HISTORY_MEAN ? "struct ward_query_mean" : "struct ward_query_last", e->out);
	fprintf(e->out, " history%zu;);\n", i);
}

/* An event's number is taken in, unless it can't be computed. */
static void emit_history(struct emitter *e, uint64_t i)
{
	const struct plan_history *h = &e->q->plan.histories[i];
	bool is_signed = history_is_signed(h);
	const char *type = c_type(is_signed);

	emit_blocks(e, h->of);
	fprintf(e->out, "\tconst %s now%" PRIu64 " = ", type, i);
	emit_as(e, is_signed, h->of);
	fputs(";\n", e->out);
	if (may_divide_by_zero(h->of))
		emit_zero_test(e);
	fprintf(e->out,
		"\tconst %s before%" PRIu64 " = (%s)ward_query_%s%s(&st->history%" PRIu64 ", now%" PRIu64 ");\n", type,
		i, type, h->kind == HISTORY_MEAN && is_signed ? "signed_" : "",
		h->n                      ? "window"
		: h->kind == HISTORY_MEAN ? "mean"
					  : "last",
		i, i);
}

/* What a state has beside what is kept: events that were left out, and gates. */
static void emit_own_members(struct emitter *e)
{
	static const char *const gates[] = {[GATE_RANDOM] = "ward_sample",
		[GATE_EVERY] = "ward_sample",
		[GATE_AT_MOST] = "ward_rate",
		[GATE_CHOPSTIX] = "ward_sample"};
	const struct plan *p = &e->q->plan;

	for (size_t i = 0; i < p->n_divisions; i++)
		fprintf(e->out, "\tward_count left_out%zu;\n", i);
	if (p->sites[0].is_kernel)
		fputs("\tward_count unread;\n", e->out);
	if (p->pair.kind != PAIR_NONE)
		emit_pair_members(e);
	for (size_t i = 0; i < p->n_gates; i++) {
		fprintf(e->out, "\t%s gate%zu;\n", gates[p->gates[i].kind], i);
		if (p->gates[i].kind == GATE_CHOPSTIX)
			fprintf(e->out, "\tWARD_PRIVATE(WARD_CHOPSTIX(unsigned long, 4096, 1) sketch%zu;);\n", i);
	}
	for (size_t i = 0; i < p->n_histories; i++)
		if (p->histories[i].of)
			emit_history_member(e, i);
}

/* Groups by their keys: a map, which may hand on what it has no room for, or the counters of those that come most. */
static void emit_groups(struct emitter *e)
{
	const struct plan *p = &e->q->plan;
	const char *key = is_plain_key(e->q) ? NULL : "struct key";

	for (size_t i = 0; !key && i < p->n_keys; i++)
		if (!key_is_constant(e->q, i))
			key = key_type(&p->keys[i]);
	if (p->counters)
		fprintf(e->out, "\tWARD_TOP(%s, %u) groups;\n", key, p->counters);
	else if (plan_array(e->q))
		fprintf(e->out, "\t%s groups[%" PRIu64 "];\n", is_count_alone(p) ? "ward_count" : "struct kept",
			plan_array(e->q));
	else if (plan_queue(e->q))
		fprintf(e->out, "\tWARD_SPILL(%s, %s, %" PRIu64 ", %" PRIu64 ") groups;\n", key,
			is_count_alone(p) ? "ward_count" : "struct kept", plan_slots(e->q), plan_queue(e->q));
	else
		fprintf(e->out, "\tWARD_MAP(%s, %s, %" PRIu64 ") groups;\n", key,
			is_count_alone(p) ? "ward_count" : "struct kept", plan_slots(e->q));
}

/* Is anything kept that isn't by window? */
static bool keeps_totals(const struct plan *p)
{
	for (size_t i = 0; i < p->n_keeps; i++)
		if (!p->keeps[i].is_unused && !keep_is_windowed(p, i))
			return true;
	return false;
}

static void emit_state(struct emitter *e)
{
	const struct plan *p = &e->q->plan;
	bool groups = live_keys(e->q), has_totals = keeps_totals(p);

	if (p->pair.kind == PAIR_RECORDS) {
		fputs("struct ward_state {\n", e->out);
		emit_own_members(e);
		fputs("};\n\n", e->out);
		return;
	}
	if (p->is_records)
		emit_record_type(e);
	if (groups && has_totals && !is_count_alone(p)) {
		fputs("struct kept {\n", e->out);
		for (size_t i = 0; i < p->n_keeps; i++)
			if (!keep_is_windowed(p, i))
				emit_keep_member(e, i);
		fputs("};\n\n", e->out);
	}
	emit_window_types(e);
	fputs("struct ward_state {\n", e->out);
	emit_own_members(e);
	if (p->is_records)
		emit_record_member(e);
	else if (groups && has_totals)
		emit_groups(e);
	for (size_t i = 0; !groups && i < p->n_keeps; i++)
		if (!keep_is_windowed(p, i))
			emit_keep_member(e, i);
	emit_window_members(e);
	if (e->q->other)
		fputs("\tstruct other_state other;\n", e->out);
	fputs("};\n\n", e->out);
}

void emit_filter(struct emitter *e, const struct expr *filter, size_t i)
{
	bool zero = may_divide_by_zero(filter);

	emit_line(e, filter->span);
	if (filter->kind == EXPR_RECALL) {
		emit_record(e);
		if (records_divide(&e->q->plan))
			emit_zero_test(e);
		fputs("\tward_query_keep(&st->last, row);\n", e->out);
		return;
	}
	if (filter->kind == EXPR_STEP) {
		emit_history(e, filter->value);
		return;
	}
	emit_blocks(e, filter);
	if (zero)
		fprintf(e->out, "\tconst bool passes%zu = ", i);
	else
		fputs("\tif (!", e->out);
	emit_expr(e, filter);
	fputs(zero ? ";\n" : ")\n\t\treturn;\n", e->out);
	if (!zero)
		return;
	emit_zero_test(e);
	fprintf(e->out, "\tif (!passes%zu)\n\t\treturn;\n", i);
}

static void emit_body(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	fputs("static inline void on_event(const struct ward_event *ev, struct ward_state *st)\n{\n", e->out);
	if (needs_zero(p))
		fputs("\tunsigned zero = 0;\n", e->out);
	if (p->pair.kind != PAIR_NONE)
		emit_meet(e);
	for (size_t i = 0; i < p->n_filters; i++)
		emit_filter(e, p->filters[i], i);
	if (takes_early(e->q))
		fprintf(e->out, "\tif (st->taken >= %" PRIu64 "ul)\n\t\treturn;\n", p->take_events);
	if (p->is_records && !p->before)
		emit_record(e);
	if (live_keys(e->q))
		emit_key(e);
	for (size_t i = 0; i < p->n_keeps; i++)
		emit_keep_value(e, i);
	if (divides_behind_filters(p))
		emit_zero_test(e);
	if (takes_early(e->q))
		fputs("\tst->taken++;\n", e->out);
	if (p->is_records) {
		fputs(p->before ? "\tward_query_recall(&st->last, &st->rows);\n"
				: "\tward_ring_push(&st->rows, row);\n",
			e->out);
	} else if (!live_keys(e->q)) {
		for (size_t i = 0; i < p->n_keeps; i++)
			if (!keep_is_windowed(p, i))
				emit_update(e, i, "st->");
	} else if (is_count_alone(p) && plan_array(e->q)) {
		fputs("\tst->groups[key]++;\n", e->out);
	} else if (is_count_alone(p)) {
		fprintf(e->out, "\tward_%s_add(&st->groups, key, 1);\n",
			p->counters        ? "top"
			: plan_queue(e->q) ? "spill"
					   : "map");
	} else if (keeps_totals(p)) {
		if (plan_array(e->q))
			fputs("\tstruct kept *kept = &st->groups[key];\n", e->out);
		else
			fprintf(e->out, "\tstruct kept *kept = ward_%s_at(&st->groups, key);\n",
				plan_queue(e->q) ? "spill" : "map");
		for (size_t i = 0; i < p->n_keeps; i++)
			if (!keep_is_windowed(p, i))
				emit_update(e, i, "kept->");
	}
	emit_window_update(e);
	fputs("}\n", e->out);
}

static void emit_entries(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	for (size_t i = 0; i < p->n_sites; i++) {
		fputc('\n', e->out);
		emit_line(e, p->sites[i].span);
		fputs("WARD_ENTRY(", e->out);
		emit_text(e, p->sites[i].text);
		fprintf(e->out,
			")\nvoid on_site%zu(const struct ward_event *ev, struct ward_state *st)\n"
			"{\n\ton_%s(ev, st);\n}\n",
			i, p->sites[i].is_first ? "first" : "event");
	}
}

/* The functions; malloc'd, or NULL. They say which divisions the state counts. */
static char *functions_text(struct emitter *e)
{
	char *text = NULL;
	size_t size = 0;

	e->out = open_memstream(&text, &size);
	if (!e->out)
		return NULL;
	if (e->q->plan.pair.kind == PAIR_RECORDS) {
		emit_sides(e);
	} else {
		if (e->q->plan.pair.kind != PAIR_NONE)
			emit_first(e);
		emit_body(e);
	}
	if (e->plan == e->main)
		emit_entries(e);
	if (fclose(e->out) == 0)
		return text;
	free(text);
	return NULL;
}

/* What they are in this run; whoever attaches the module sets them anew. */
static void emit_settings(struct emitter *e)
{
	struct plan *p = e->plan;

	p->settings_at = (size_t)ftell(e->out);
	for (size_t i = 0; i < p->n_settings; i++)
		fprintf(e->out, "const volatile unsigned long setting%zu = %" PRIu64 "ul;\n%s", i, p->settings[i],
			i + 1 == p->n_settings ? "\n" : "");
	p->settings_end = (size_t)ftell(e->out);
}

/* The types of a probe, its state, and the functions that change it. */
static void emit_part(struct emitter *e, const char *functions)
{
	if (e->plan->pair.kind != PAIR_RECORDS)
		emit_key_type(e);
	if (e->plan->pair.kind != PAIR_NONE)
		emit_pair_types(e);
	emit_state(e);
	fputs(functions, e->out);
}

/* The part of the probe that the other table is of; malloc'd, or NULL. */
static char *other_text(struct emitter *e, const char *functions)
{
	char *text = NULL;
	size_t size = 0;

	e->out = open_memstream(&text, &size);
	if (!e->out)
		return NULL;
	emit_part(e, functions);
	if (fclose(e->out) == 0)
		return text;
	free(text);
	return NULL;
}

static char *probe_text(struct emitter *e, const char *functions, const char *other)
{
	char *text = NULL;
	size_t size = 0;

	e->out = open_memstream(&text, &size);
	if (!e->out)
		return NULL;
	fprintf(e->out, "/* Written by ward query. */\n%s#include <ward/query.h>\n\n",
		e->plan->sites[0].is_kernel ? "#define WARD_QUERY_KERNEL\n" : "");
	emit_settings(e);
	emit_use_files(e);
	if (other)
		emit_other(e, other);
	emit_part(e, functions);
	if (other)
		emit_other_entries(e);
	if (fclose(e->out) == 0)
		return text;
	free(text);
	return NULL;
}

/* A query of a module has no probe of its own. */
static char *module_text(struct emitter *e)
{
	if (e->q->plan.module.kind == MODULE_SEQUENCE)
		emit_reader(e);
	return calloc(1, 1);
}

/* Settings stand before all functions that use them, so functions are written first. */
char *plan_emit(struct query *q, struct query_error *err)
{
	struct emitter e = {.q = q, .plan = &q->plan, .main = &q->plan, .err = err};
	struct emitter o = {.q = q->other, .main = &q->plan, .err = err};
	char *functions, *others = NULL, *other = NULL, *text = NULL;

	if (q->plan.module.kind != MODULE_NONE)
		return module_text(&e);
	functions = functions_text(&e);
	if (q->other) {
		o.plan = &q->other->plan;
		others = functions_text(&o);
		other = others ? other_text(&o, others) : NULL;
	}
	if (functions && (other || !q->other))
		text = probe_text(&e, functions, other);
	free(functions);
	free(others);
	free(other);
	if (!text)
		query_fail(err, (struct query_span){0, 1}, NULL, "out of memory");
	if (!err->is_set)
		return text;
	free(text);
	return NULL;
}
