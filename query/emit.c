/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the plan to the probe's source.
 *
 * All values come first, then all updates: an event that a guard stops has changed nothing. Each operation is written
 * with its type, so no value depends on C's promotions: what is added is unsigned long, operands of a comparison have
 * one type, shifts are masked. Of the text only numbers, checked sites and escaped texts get here.
 */
#include "emit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

enum { MOST_PROBE = 1 << 20, STATE_USER = 4 << 20, STATE_KERNEL = 1 << 20, SLOTS = 4096 };

struct emitter {
	FILE *out;
	const struct query *q;
	struct query_error *err;
	unsigned texts; /* constants that are written so far */
};

/* ---- numbers ---- */

static uint64_t counts_of(const struct query *q, int64_t ns)
{
	return (uint64_t)(int64_t)((double)ns * q->options.rate / 1000);
}

static void emit_constant(struct emitter *e, const struct expr *x, bool is_signed)
{
	uint64_t value = x->value;

	if (x->type.kind == TYPE_DURATION)
		value = counts_of(e->q, (int64_t)value);
	if (x->type.kind == TYPE_INSTANT)
		value = e->q->options.now_counts + counts_of(e->q, (int64_t)value - e->q->options.now);
	if (!is_signed)
		fprintf(e->out, "%" PRIu64 "ul", value);
	else if (value == (uint64_t)1 << 63)
		fputs("(-9223372036854775807l - 1)", e->out);
	else
		fprintf(e->out, (int64_t)value < 0 ? "(%" PRId64 "l)" : "%" PRId64 "l", (int64_t)value);
}

static void emit_field(struct emitter *e, const struct expr *x)
{
	static const char *const names[] = {[FIELD_RET] = "ev->ret",
		[FIELD_CALLER] = "ev->caller",
		[FIELD_TID] = "(long)(int)ev->tid",
		[FIELD_CPU] = "ev->cpu",
		[FIELD_TIME] = "ev->time",
		[FIELD_ELAPSED] = "ev->elapsed",
		[FIELD_SITE] = "ev->site",
		[FIELD_SP] = "ev->sp"};

	if (x->value < FIELD_RET)
		fprintf(e->out, "ev->arg[%" PRIu64 "]", x->value);
	else
		fputs(names[x->value], e->out);
}

static const char *c_type(bool is_signed)
{
	return is_signed ? "long" : "unsigned long";
}

static void emit_expr(struct emitter *e, const struct expr *x);

/* Is what emit_expr writes a long, or an unsigned long? Neither: a condition, which is an int. */
static bool is_written_as(const struct expr *x, bool is_signed)
{
	if (x->kind == EXPR_FIELD)
		return (x->value == FIELD_TID) == is_signed;
	return x->type.kind != TYPE_BOOL && x->type.is_signed == is_signed;
}

/* As a long, or an unsigned long. */
static void emit_as(struct emitter *e, bool is_signed, const struct expr *x)
{
	if (x->kind == EXPR_CONST) {
		emit_constant(e, x, is_signed);
		return;
	}
	if (!is_written_as(x, is_signed))
		fprintf(e->out, "(%s)", c_type(is_signed));
	emit_expr(e, x);
}

/* Does a helper make this division? By a constant other than -1 nothing can go wrong. */
static bool is_helped(const struct expr *x)
{
	return x->kind == EXPR_BINARY && (x->op == OP_DIV || x->op == OP_MOD) &&
	       (x->b->kind != EXPR_CONST || (x->value && x->b->value == UINT64_MAX));
}

static bool may_divide_by_zero(const struct expr *x)
{
	if (!x)
		return false;
	if (is_helped(x))
		return true;
	return may_divide_by_zero(x->a) || may_divide_by_zero(x->b) || may_divide_by_zero(x->c);
}

static void emit_division(struct emitter *e, const struct expr *x)
{
	bool help = is_helped(x);

	if (help)
		fprintf(e->out, "ward_query_%s%s(", x->value ? "signed_" : "", x->op == OP_DIV ? "div" : "mod");
	emit_as(e, x->value, x->a);
	fprintf(e->out, help ? "%s " : " %s ", help ? "," : expr_op_text(x->op));
	emit_as(e, x->value, x->b);
	if (help)
		fputs(", &zero)", e->out);
}

static void emit_text(struct emitter *e, const char *text)
{
	fputc('"', e->out);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
			     strchr("/._- !:*<>(),+=@#", *p);

		fprintf(e->out, plain ? "%c" : "\\%03o", *p);
	}
	fputc('"', e->out);
}

/* Its zero byte is compared as well. */
static void emit_match(struct emitter *e, const struct expr *x)
{
	size_t n = strlen(x->b->text) + 1;

	if (x->a->kind != EXPR_STRING || n > 4096) {
		query_fail(e->err, x->span, NULL, "a text of the session is not known in the probe");
		return;
	}
	if (e->q->plan.sites[0].is_kernel) {
		query_fail(
			e->err, x->span, "group by it: CountBy(Str(0))", "a probe in the kernel compares no texts yet");
		return;
	}
	fprintf(e->out, "ward_match(&(const char[%zu]){", n);
	emit_text(e, x->b->text);
	fprintf(e->out, "}, %zu, ", n);
	emit_as(e, false, x->a->a);
	fprintf(e->out, ") %s 0", x->op == OP_EQ ? "!=" : "==");
}

/* What is computed modulo 2^64, as unsigned numbers. */
static void emit_wrapping(struct emitter *e, const struct expr *x)
{
	bool right = x->op == OP_SHR;

	fputs(x->type.is_signed && !right ? "(long)(" : "", e->out);
	emit_as(e, right && x->value, x->a);
	fprintf(e->out, " %s ", expr_op_text(x->op));
	if ((x->op == OP_SHR || x->op == OP_SHL) && x->b->kind == EXPR_CONST) {
		fprintf(e->out, "%" PRIu64, x->b->value & 63);
	} else if (x->op == OP_SHR || x->op == OP_SHL) {
		fputc('(', e->out);
		emit_as(e, false, x->b);
		fputs(" & 63)", e->out);
	} else {
		emit_as(e, false, x->b);
	}
	fputs(x->type.is_signed && !right ? ")" : "", e->out);
}

static void emit_binary(struct emitter *e, const struct expr *x)
{
	fputc('(', e->out);
	if (x->a->type.kind == TYPE_TEXT) {
		emit_match(e, x);
	} else if (x->op == OP_AND || x->op == OP_OR) {
		emit_expr(e, x->a);
		fprintf(e->out, " %s ", expr_op_text(x->op));
		emit_expr(e, x->b);
	} else if (x->op >= OP_EQ && x->op <= OP_GE) {
		emit_as(e, x->value, x->a);
		fprintf(e->out, " %s ", expr_op_text(x->op));
		emit_as(e, x->value, x->b);
	} else if (x->op == OP_DIV || x->op == OP_MOD) {
		emit_division(e, x);
	} else {
		emit_wrapping(e, x);
	}
	fputc(')', e->out);
}

static void emit_unary(struct emitter *e, const struct expr *x)
{
	if (x->op == OP_NOT) {
		fputs("(!", e->out);
		emit_expr(e, x->a);
	} else {
		fprintf(e->out, "(%s%s", x->type.is_signed ? "(long)(" : "", x->op == OP_NEG ? "0ul - " : "~");
		emit_as(e, false, x->a);
		fputs(x->type.is_signed ? ")" : "", e->out);
	}
	fputc(')', e->out);
}

static void emit_cast(struct emitter *e, const struct expr *x)
{
	static const char *const types[2][3] = {{"uint8_t", "uint16_t", "uint32_t"}, {"int8_t", "int16_t", "int32_t"}};
	unsigned size = x->type.bits == 8 ? 0 : x->type.bits == 16 ? 1 : x->type.bits == 32 ? 2 : 3;

	fprintf(e->out, "((%s)", c_type(x->type.is_signed));
	if (size < 3)
		fprintf(e->out, "(%s)", types[x->type.is_signed][size]);
	emit_expr(e, x->a);
	fputc(')', e->out);
}

static void emit_expr(struct emitter *e, const struct expr *x)
{
	switch (x->kind) {
	case EXPR_CONST: emit_constant(e, x, x->type.is_signed); break;
	case EXPR_FIELD: emit_field(e, x); break;
	case EXPR_BINARY: emit_binary(e, x); break;
	case EXPR_UNARY: emit_unary(e, x); break;
	case EXPR_CAST: emit_cast(e, x); break;
	case EXPR_READ:
		fprintf(e->out, "(%s)ward_query_read_%c%u(", c_type(x->type.is_signed), x->type.is_signed ? 'i' : 'u',
			x->type.bits);
		emit_as(e, false, x->a);
		fputc(')', e->out);
		break;
	case EXPR_COND:
		fputc('(', e->out);
		emit_expr(e, x->c);
		fputs(" ? ", e->out);
		emit_as(e, x->type.is_signed, x->a);
		fputs(" : ", e->out);
		emit_as(e, x->type.is_signed, x->b);
		fputc(')', e->out);
		break;
	case EXPR_SESSION:
		query_fail(e->err, x->span, "as a part of the key, or pid == NUMBER alone",
			"in the probe it isn't known whose event it is");
		break;
	default:
		query_fail(e->err, x->span, "texts can be keys, and be compared with a text",
			"%s can't be computed with in the probe", type_name(x->type));
	}
	if (ftell(e->out) > MOST_PROBE)
		query_fail(e->err, x->span, NULL, "the query is too large");
}

/* What is kept of a duration by its size is kept in nanoseconds; counts of other machines are others. */
static void emit_value(struct emitter *e, bool is_signed, const struct expr *x)
{
	bool is_duration = x->type.kind == TYPE_DURATION;

	if (is_duration)
		fputs("ward_query_ns(", e->out);
	emit_as(e, is_signed, x);
	if (is_duration)
		fprintf(e->out, ", %" PRIu64 "ul)", (uint64_t)(4294967296e3 / e->q->options.rate + 0.5));
}

/* ---- the key ---- */

/* Is this part the same for all events, and so no part of the probe's key? (R6) */
bool key_is_constant(const struct query *q, size_t i)
{
	const struct expr *of = q->plan.keys[i].of;
	const struct plan *p = &q->plan;

	if (of->kind == EXPR_SESSION || of->kind == EXPR_TEXT)
		return true;
	if (q->options.without & QUERY_R6)
		return false;
	return of->kind == EXPR_CONST || (of->kind == EXPR_FIELD && of->value == FIELD_SITE && p->n_sites == 1 &&
						 !strpbrk(p->sites[0].text, "*?["));
}

static size_t live_keys(const struct query *q)
{
	size_t n = 0;

	for (size_t i = 0; i < q->plan.n_keys; i++)
		n += !key_is_constant(q, i);
	return n;
}

/* Is the key one number? */
static bool is_plain_key(const struct query *q)
{
	for (size_t i = 0; i < q->plan.n_keys; i++)
		if (!key_is_constant(q, i) && q->plan.keys[i].of->kind == EXPR_STRING)
			return false;
	return live_keys(q) == 1;
}

static bool key_is_signed(const struct plan_key *k)
{
	return k->of->type.kind == TYPE_INT && k->of->type.is_signed;
}

static void emit_key_type(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	if (!live_keys(e->q) || is_plain_key(e->q))
		return;
	fputs("struct key {\n", e->out);
	for (size_t i = 0; i < p->n_keys; i++) {
		if (key_is_constant(e->q, i))
			continue;
		if (p->keys[i].of->kind == EXPR_STRING)
			fprintf(e->out, "\tchar key%zu[%" PRIu64 "];\n", i, p->keys[i].of->value);
		else
			fprintf(e->out, "\t%s key%zu;\n", c_type(key_is_signed(&p->keys[i])), i);
	}
	fputs("};\n\n", e->out);
}

static void emit_key(struct emitter *e)
{
	const struct plan *p = &e->q->plan;
	bool plain = is_plain_key(e->q);

	if (!plain)
		fputs("\tstruct key key = {0};\n", e->out);
	for (size_t i = 0; i < p->n_keys; i++) {
		const struct expr *of = p->keys[i].of;

		if (key_is_constant(e->q, i))
			continue;
		if (of->kind == EXPR_STRING) {
			fprintf(e->out, "\tward_query_str(key.key%zu, sizeof(key.key%zu), ", i, i);
			emit_as(e, false, of->a);
			fputs(");\n", e->out);
			continue;
		}
		if (plain)
			fprintf(e->out, "\tconst %s key = ", c_type(key_is_signed(&p->keys[i])));
		else
			fprintf(e->out, "\tkey.key%zu = ", i);
		emit_value(e, key_is_signed(&p->keys[i]), of);
		fputs(";\n", e->out);
	}
}

/* ---- rows of events ---- */

/* Is this column the same for all events, and so no member of the record? */
bool column_is_constant(const struct query *q, size_t i)
{
	const struct expr *value = q->plan.columns[i].value;

	return value->kind == EXPR_SESSION || value->kind == EXPR_TEXT || value->kind == EXPR_CONST;
}

static bool column_is_signed(const struct plan_column *c)
{
	return c->value->type.kind == TYPE_INT && c->value->type.is_signed;
}

/* As many as there is room for: what the reader is too late for is lost, and said. */
static unsigned ring_rows(const struct query *q)
{
	unsigned most = q->plan.sites[0].is_kernel ? STATE_KERNEL : STATE_USER, size = 16, rows = 1;

	for (size_t i = 0; i < q->plan.n_columns; i++)
		if (!column_is_constant(q, i))
			size += q->plan.columns[i].value->kind == EXPR_STRING
					? (unsigned)q->plan.columns[i].value->value
					: 8;
	while (2 * rows * size <= most)
		rows *= 2;
	return rows;
}

/* Records have a time, so that those of all threads are in its order. */
static void emit_record_state(struct emitter *e, const char *left_out)
{
	const struct plan *p = &e->q->plan;

	fputs("struct row {\n\tunsigned long time;\n", e->out);
	for (size_t i = 0; i < p->n_columns; i++) {
		if (column_is_constant(e->q, i))
			continue;
		if (p->columns[i].value->kind == EXPR_STRING)
			fprintf(e->out, "\tchar column%zu[%" PRIu64 "];\n", i, p->columns[i].value->value);
		else
			fprintf(e->out, "\t%s column%zu;\n", c_type(column_is_signed(&p->columns[i])), i);
	}
	fprintf(e->out, "};\n\nstruct ward_state {\n%s%s\tWARD_RING(struct row, %u) rows;\n};\n\n", left_out,
		p->take_events != UINT64_MAX ? "\tward_count taken;\n" : "", ring_rows(e->q));
}

static void emit_record(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	fputs("\tstruct row row = {.time = ev->time};\n", e->out);
	for (size_t i = 0; i < p->n_columns; i++) {
		const struct expr *value = p->columns[i].value;

		if (column_is_constant(e->q, i))
			continue;
		if (value->kind == EXPR_STRING) {
			fprintf(e->out, "\tward_query_str(row.column%zu, sizeof(row.column%zu), ", i, i);
			emit_as(e, false, value->a);
			fputs(");\n", e->out);
		} else {
			fprintf(e->out, "\trow.column%zu = ", i);
			emit_as(e, column_is_signed(&p->columns[i]), value);
			fputs(";\n", e->out);
		}
	}
}

/* ---- what is kept ---- */

static bool keeps_signed(const struct plan_keep *k)
{
	return k->of && k->of->type.kind == TYPE_INT && k->of->type.is_signed;
}

static bool is_count_alone(const struct plan *p)
{
	return p->n_keeps == 1 && p->keeps[0].kind == KEEP_COUNT && !p->keeps[0].when; /* which no other counts */
}

static uint64_t keep_size(const struct plan_keep *k)
{
	switch (k->kind) {
	case KEEP_COUNT:
	case KEEP_SUM: return 8;
	case KEEP_STAT: return 32;
	case KEEP_LOG2: return 65 * 8;
	case KEEP_LINEAR: return (uint64_t)((k->hi - k->lo + k->step - 1) / k->step + 2) * 8;
	default: return 1024;
	}
}

uint64_t plan_slots(const struct query *q)
{
	const struct plan *p = &q->plan;
	uint64_t most = p->sites[0].is_kernel ? STATE_KERNEL : STATE_USER, size = 8 + PLAN_KEY_BYTES,
		 slots = p->slots ? p->slots : SLOTS;

	for (size_t i = 0; i < p->n_keeps; i++)
		size += keep_size(&p->keeps[i]);
	while (slots > 1 && slots * size > most)
		slots /= 2;
	return slots;
}

static void emit_keep_member(struct emitter *e, size_t i)
{
	const struct plan_keep *k = &e->q->plan.keeps[i];

	if (k->counted_by)
		return;
	switch (k->kind) {
	case KEEP_COUNT: fprintf(e->out, "\tward_count keep%zu;\n", i); break;
	case KEEP_SUM: fprintf(e->out, "\t%s keep%zu;\n", keeps_signed(k) ? "long" : "ward_count", i); break;
	case KEEP_STAT: fprintf(e->out, "\tward_stat%s keep%zu;\n", keeps_signed(k) ? "_signed" : "", i); break;
	case KEEP_LOG2: fprintf(e->out, "\tward_log2 keep%zu;\n", i); break;
	case KEEP_LINEAR:
		fprintf(e->out, "\tWARD_LINEAR(%" PRId64 ", %" PRId64 ", %" PRId64 ") keep%zu;\n", k->lo, k->step,
			(k->hi - k->lo + k->step - 1) / k->step, i);
		break;
	default: fprintf(e->out, "\tWARD_HLL(10) keep%zu;\n", i);
	}
}

static bool divides_behind_filters(const struct plan *p)
{
	bool zero = false;

	for (size_t i = 0; i < p->n_keys; i++)
		zero |= may_divide_by_zero(p->keys[i].of);
	for (size_t i = 0; p->is_records && i < p->n_columns; i++)
		zero |= may_divide_by_zero(p->columns[i].value);
	for (size_t i = 0; i < p->n_keeps; i++)
		zero |= may_divide_by_zero(p->keeps[i].of) || may_divide_by_zero(p->keeps[i].when);
	return zero;
}

static bool needs_zero(const struct plan *p)
{
	for (size_t i = 0; i < p->n_filters; i++)
		if (may_divide_by_zero(p->filters[i]))
			return true;
	return divides_behind_filters(p);
}

static void emit_state(struct emitter *e)
{
	const struct plan *p = &e->q->plan;
	const char *key = is_plain_key(e->q) ? NULL : "struct key", *left_out;

	for (size_t i = 0; !key && i < p->n_keys; i++)
		if (!key_is_constant(e->q, i))
			key = c_type(key_is_signed(&p->keys[i]));
	left_out = needs_zero(p) ? "\tward_count left_out;\n" : "";

	if (p->is_records) {
		emit_record_state(e, left_out);
		return;
	}
	if (!live_keys(e->q)) {
		fprintf(e->out, "struct ward_state {\n%s", left_out);
		for (size_t i = 0; i < p->n_keeps; i++)
			emit_keep_member(e, i);
		fputs("};\n\n", e->out);
		return;
	}
	if (!is_count_alone(p)) {
		fputs("struct kept {\n", e->out);
		for (size_t i = 0; i < p->n_keeps; i++)
			emit_keep_member(e, i);
		fputs("};\n\n", e->out);
	}
	fprintf(e->out, "struct ward_state {\n%s\tWARD_MAP(%s, %s, %" PRIu64 ") groups;\n};\n\n", left_out, key,
		is_count_alone(p) ? "ward_count" : "struct kept", plan_slots(e->q));
}

/* Values, before anything is changed. */
static void emit_keep_value(struct emitter *e, size_t i)
{
	const struct plan_keep *k = &e->q->plan.keeps[i];

	if (k->when) {
		fprintf(e->out, "\tconst bool when%zu = ", i);
		emit_expr(e, k->when);
		fputs(";\n", e->out);
	}
	if (!k->of)
		return;
	fprintf(e->out, "\tconst %s value%zu = ", c_type(keeps_signed(k)), i);
	if (k->kind == KEEP_LOG2)
		emit_value(e, keeps_signed(k), k->of);
	else
		emit_as(e, keeps_signed(k), k->of);
	fputs(";\n", e->out);
}

static void emit_update(struct emitter *e, size_t i, const char *at)
{
	const struct plan_keep *k = &e->q->plan.keeps[i];

	if (k->counted_by)
		return;
	fputc('\t', e->out);
	if (k->when)
		fprintf(e->out, "if (when%zu)\n\t\t", i);
	switch (k->kind) {
	case KEEP_COUNT: fprintf(e->out, "%skeep%zu++;\n", at, i); break;
	case KEEP_SUM:
		if (keeps_signed(k))
			fprintf(e->out, "%skeep%zu = (long)((unsigned long)%skeep%zu + (unsigned long)value%zu);\n", at,
				i, at, i, i);
		else
			fprintf(e->out, "%skeep%zu += value%zu;\n", at, i, i);
		break;
	case KEEP_STAT:
		fprintf(e->out, "ward_stat%s_add(&%skeep%zu, value%zu);\n", keeps_signed(k) ? "_signed" : "", at, i, i);
		break;
	case KEEP_LOG2: fprintf(e->out, "ward_log2_add(&%skeep%zu, (unsigned long)value%zu);\n", at, i, i); break;
	case KEEP_LINEAR: fprintf(e->out, "ward_linear_add(&%skeep%zu, (long)value%zu);\n", at, i, i); break;
	default: fprintf(e->out, "ward_hll_add(&%skeep%zu, value%zu);\n", at, i, i);
	}
}

/* An event of which something can't be computed is left out, and counted. */
static void emit_zero_test(struct emitter *e)
{
	fputs("\tif (zero) {\n\t\tst->left_out++;\n\t\treturn;\n\t}\n", e->out);
}

static void emit_filter(struct emitter *e, size_t i)
{
	const struct expr *filter = e->q->plan.filters[i];
	bool zero = may_divide_by_zero(filter);

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
		fputs("\tbool zero = false;\n", e->out);
	for (size_t i = 0; i < p->n_filters; i++)
		emit_filter(e, i);
	if (p->take_events != UINT64_MAX)
		fprintf(e->out, "\tif (st->taken >= %" PRIu64 "ul)\n\t\treturn;\n", p->take_events);
	if (p->is_records)
		emit_record(e);
	if (live_keys(e->q))
		emit_key(e);
	for (size_t i = 0; i < p->n_keeps; i++)
		emit_keep_value(e, i);
	if (divides_behind_filters(p))
		emit_zero_test(e);
	if (p->take_events != UINT64_MAX)
		fputs("\tst->taken++;\n", e->out);
	if (p->is_records) {
		fputs("\tward_ring_push(&st->rows, row);\n", e->out);
	} else if (!live_keys(e->q)) {
		for (size_t i = 0; i < p->n_keeps; i++)
			emit_update(e, i, "st->");
	} else if (is_count_alone(p)) {
		fputs("\tward_map_add(&st->groups, key, 1);\n", e->out);
	} else {
		fputs("\tstruct kept *kept = ward_map_at(&st->groups, key);\n", e->out);
		for (size_t i = 0; i < p->n_keeps; i++)
			emit_update(e, i, "kept->");
	}
	fputs("}\n", e->out);
}

static void emit_entries(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	for (size_t i = 0; i < p->n_sites; i++) {
		fputs("\nWARD_ENTRY(", e->out);
		emit_text(e, p->sites[i].text);
		fprintf(e->out,
			")\nvoid on_site%zu(const struct ward_event *ev, struct ward_state *st)\n"
			"{\n\ton_event(ev, st);\n}\n",
			i);
	}
}

char *plan_emit(struct query *q, struct query_error *err)
{
	char *text = NULL;
	size_t size = 0;
	struct emitter e = {.out = open_memstream(&text, &size), .q = q, .err = err};

	if (!e.out) {
		query_fail(err, (struct query_span){0, 1}, NULL, "out of memory");
		return NULL;
	}
	fprintf(e.out, "/* Written by ward query. */\n%s#include <ward/query.h>\n\n",
		q->plan.sites[0].is_kernel ? "#define WARD_QUERY_KERNEL\n" : "");
	emit_key_type(&e);
	emit_state(&e);
	emit_body(&e);
	emit_entries(&e);
	if (fclose(e.out) != 0)
		query_fail(err, (struct query_span){0, 1}, NULL, "out of memory");
	if (err->is_set) {
		free(text);
		return NULL;
	}
	return text;
}
