/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of events in the probe's source: what the first has is kept, the second takes it out. */
#include <inttypes.h>
#include <stdlib.h>

#include "emitter.h"
#include "pair.h"

enum { CALLS = 512, OPEN = 1024 };

bool pair_divides(const struct plan *p, size_t side)
{
	for (size_t i = 0; i < p->pair.n_keys; i++)
		if (may_divide_by_zero(p->pair.keys[side][i]))
			return true;
	for (size_t i = 0; i < p->n_captures; i++)
		if (p->captures[i].side == side + 1 && may_divide_by_zero(p->captures[i].of))
			return true;
	return false;
}

static bool capture_is_signed(const struct expr *of)
{
	return of->type.kind == TYPE_INT && of->type.is_signed;
}

static bool has_key_type(const struct plan_pair *pair)
{
	return pair->kind == PAIR_THREAD && (pair->n_keys > 1 || (pair->n_keys == 1 && is_text_part(pair->keys[0][0])));
}

/* A part of the key, as a member of a struct. */
static void emit_part(struct emitter *e, const char *name, size_t i)
{
	const struct expr *of = e->q->plan.pair.keys[0][i];

	if (is_text_part(of))
		fprintf(e->out, "\tchar %s%zu[%" PRIu64 "];\n", name, i, of->value);
	else
		fprintf(e->out, "\tunsigned long %s%zu;\n", name, i);
}

/* And its value. */
static void emit_part_value(struct emitter *e, const char *to, size_t side, size_t i)
{
	const struct expr *of = e->q->plan.pair.keys[side][i];
	char member[48];

	snprintf(member, sizeof(member), "%s%zu", to, i);
	if (is_text_part(of)) {
		emit_text_copy(e, member, of);
		return;
	}
	fprintf(e->out, "\t%s = ", member);
	emit_as(e, false, of);
	fputs(";\n", e->out);
}

void emit_pair_types(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	if (has_key_type(&p->pair)) {
		fputs("struct pair {\n", e->out);
		for (size_t i = 0; i < p->pair.n_keys; i++)
			emit_part(e, "part", i);
		fputs("};\n\n", e->out);
	}
	if (p->pair.kind == PAIR_RECORDS) {
		fputs("struct row {\n\tunsigned long time;\n\tunsigned long at;\n\tunsigned long side;\n", e->out);
		for (size_t i = 0; i < p->pair.n_keys; i++)
			emit_part(e, "key", i);
	} else {
		fputs("struct first {\n", e->out);
	}
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct expr *of = p->captures[i].of;

		if (is_text_part(of))
			fprintf(e->out, "\tchar capture%zu[%" PRIu64 "];\n", i, of->value);
		else
			fprintf(e->out, "\t%s capture%zu;\n", c_type(capture_is_signed(of)), i);
	}
	if (p->pair.kind == PAIR_RECORDS) {
		fputs("};\n\n", e->out);
		return;
	}
	if (p->pair.within)
		fputs("\tunsigned long time;\n", e->out);
	fputs(p->n_captures || p->pair.within ? "};\n\n" : "\tchar none;\n};\n\n", e->out);
}

static unsigned pair_size(const struct plan *p)
{
	unsigned size = 32 + PLAN_KEYS * 8;

	for (size_t i = 0; i < p->n_captures; i++)
		size += is_text_part(p->captures[i].of) ? (unsigned)p->captures[i].of->value : 8;
	for (size_t i = 0; i < p->pair.n_keys; i++)
		size += is_text_part(p->pair.keys[0][i]) ? (unsigned)p->pair.keys[0][i]->value : 0;
	return size;
}

/* At most 64 KiB for what is open. */
static unsigned room(const struct plan *p, unsigned most)
{
	unsigned size = pair_size(p);

	while (most > 16 && most * size > 64 << 10)
		most /= 2;
	return most;
}

void emit_pair_members(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	if (p->pair.kind == PAIR_RECORDS) {
		emit_ring(e, pair_size(p));
		return;
	}
	fputs("\tward_count begins;\n\tward_count ends;\n\tward_count pairs;\n", e->out);
	if (p->pair.kind == PAIR_CALL)
		fprintf(e->out, "\tWARD_PRIVATE(WARD_CALLS(struct first, %u) open;);\n", room(p, CALLS));
	else
		fprintf(e->out, "\tWARD_PRIVATE(WARD_MAP(%s, struct first, %u) open;);\n",
			has_key_type(&p->pair) ? "struct pair" : "unsigned long", room(p, OPEN));
}

/* Where the pair is kept under. */
static void emit_pair_key(struct emitter *e, size_t side)
{
	const struct plan_pair *pair = &e->q->plan.pair;

	if (pair->kind == PAIR_CALL)
		return;
	if (has_key_type(pair)) {
		fputs("\tstruct pair pair = {0};\n", e->out);
		for (size_t i = 0; i < pair->n_keys; i++)
			emit_part_value(e, "pair.part", side, i);
		return;
	}
	fputs("\tconst unsigned long pair = ", e->out);
	if (pair->n_keys)
		emit_as(e, false, pair->keys[side][0]);
	else
		fputs("0ul", e->out);
	fputs(";\n", e->out);
}

static void emit_captures(struct emitter *e, uint64_t side)
{
	const struct plan *p = &e->q->plan;

	fprintf(e->out, "\tstruct %s first = {0};\n", p->pair.kind == PAIR_RECORDS ? "row" : "first");
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct expr *of = p->captures[i].of;
		char to[48];

		if (p->captures[i].side != side)
			continue;

		emit_line(e, of->span);
		snprintf(to, sizeof(to), "first.capture%zu", i);
		if (is_text_part(of)) {
			emit_text_copy(e, to, of);
			continue;
		}
		fprintf(e->out, "\t%s = ", to);
		emit_as(e, capture_is_signed(of), of);
		fputs(";\n", e->out);
	}
	if (p->pair.within && p->pair.kind != PAIR_RECORDS)
		fputs("\tfirst.time = ev->time;\n", e->out);
}

void emit_first(struct emitter *e)
{
	const struct plan *p = &e->q->plan;
	const struct plan_filters *before = &p->pair.before[0];

	fputs("static inline void on_first(const struct ward_event *ev, struct ward_state *st)\n{\n", e->out);
	if (pair_divides(p, 0) || filters_divide(before->at, before->n))
		fputs("\tunsigned zero = 0;\n", e->out);
	if (p->pair.kind == PAIR_CALL && before->n) /* also of a call that doesn't pass, older ones are over */
		fputs("\tst->open.open = WARD_CALLS_ABOVE(&st->open, ev->sp + 1);\n", e->out);
	for (size_t i = 0; i < before->n; i++)
		emit_filter(e, before->at[i], i);
	emit_captures(e, SIDE_FIRST);
	emit_pair_key(e, 0);
	if (pair_divides(p, 0))
		emit_zero_test(e);
	fputs("\tst->begins++;\n", e->out);
	if (p->pair.kind == PAIR_CALL)
		fputs("\tward_calls_enter(&st->open, ev->sp, first);\n", e->out);
	else /* without room it is forgotten, and its end finds no partner */
		fputs("\tstruct first *open = (struct first *)ward_map_at(&st->open, pair);\n"
		      "\tif (open != (struct first *)&st->open.other)\n\t\t*open = first;\n",
			e->out);
	fputs("}\n\n", e->out);
}

void emit_meet(struct emitter *e)
{
	const struct plan *p = &e->q->plan;
	const struct plan_filters *before = &p->pair.before[1];

	for (size_t i = 0; i < before->n; i++)
		emit_filter(e, before->at[i], PLAN_FILTERS + i);
	emit_pair_key(e, 1);
	if (pair_divides(p, 1))
		emit_zero_test(e);
	fputs("\tst->ends++;\n\tstruct first first;\n", e->out);
	fputs(p->pair.kind == PAIR_CALL ? "\tif (!ward_calls_leave(&st->open, ev->sp, &first)"
					: "\tif (!ward_map_pop(&st->open, pair, &first)",
		e->out);
	if (p->pair.within)
		fprintf(e->out, " || ev->time - first.time > %" PRIu64 "ul", counts_of(e->q, p->pair.within));
	fputs(")\n\t\treturn;\n\tst->pairs++;\n", e->out);
}

/* ---- records for the reader ---- */

static void emit_side(struct emitter *e, size_t side)
{
	const struct plan *p = &e->q->plan;
	const struct plan_filters *before = &p->pair.before[side];

	fprintf(e->out, "static inline void on_%s(const struct ward_event *ev, struct ward_state *st)\n{\n",
		side ? "event" : "first");
	if (pair_divides(p, side) || filters_divide(before->at, before->n))
		fputs("\tunsigned zero = 0;\n", e->out);
	for (size_t i = 0; i < before->n; i++)
		emit_filter(e, before->at[i], i);
	emit_captures(e, side + 1);
	fprintf(e->out, "\tfirst.time = ev->time;\n\tfirst.at = ev->time;\n\tfirst.side = %zu;\n", side);
	for (size_t i = 0; i < p->pair.n_keys; i++)
		emit_part_value(e, "first.key", side, i);
	if (pair_divides(p, side))
		emit_zero_test(e);
	fputs("\tward_ring_push(&st->rows, first);\n}\n", e->out);
	fputs(side ? "" : "\n", e->out);
}

/* What the reader computes can't be more than what a probe can: it is written, and thrown away. */
void emit_reader(struct emitter *e)
{
	const struct plan *p = &e->q->plan;
	struct query_span at = p->sites[0].span;
	FILE *out = e->out;
	char *text = NULL;
	size_t size;

	e->out = open_memstream(&text, &size);
	for (size_t i = 0; e->out && i < p->n_filters; i++)
		emit_expr(e, p->filters[i]->kind == EXPR_STEP ? p->filters[i]->a : p->filters[i]);
	if (p->n_uses)
		query_fail(e->err, p->uses[0].args[0]->span,
			"join events of one thread: its tid is a part of both keys",
			"Use of what the reader joins is not supported yet");
	for (size_t i = 0; e->out && i < p->n_keys; i++)
		if (!key_is_constant(e->q, i) && !is_text_part(p->keys[i].of))
			emit_expr(e, p->keys[i].of);
	for (size_t i = 0; e->out && i < p->n_keeps; i++) {
		if (p->keeps[i].of)
			emit_expr(e, p->keeps[i].of);
		if (p->keeps[i].when)
			emit_expr(e, p->keeps[i].when);
	}
	for (size_t i = 0; e->out && p->is_records && i < p->n_columns; i++)
		if (!column_is_constant(e->q, i) && !is_text_part(p->columns[i].value))
			emit_expr(e, p->columns[i].value);
	if (!e->out)
		query_fail(e->err, at, NULL, "out of memory");
	else
		fclose(e->out);
	free(text);
	e->out = out;
}

void emit_sides(struct emitter *e)
{
	if (!e->q->plan.pair.is_alone)
		emit_side(e, 0);
	emit_side(e, 1);
	emit_reader(e);
}
