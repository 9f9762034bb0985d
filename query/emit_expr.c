/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions in the probe's source. Each operation is written with its type, so no value depends on C's promotions:
 * what is added is unsigned long, operands of a comparison have one type, shifts are masked.
 */
#include <inttypes.h>
#include <string.h>

#include "emitter.h"

enum { MOST_PROBE = 1 << 20 };

uint64_t counts_of(const struct query *q, int64_t ns)
{
	return (uint64_t)(int64_t)((double)ns * q->options.rate / 1000);
}

/* Times of a module's records are nanoseconds. */
uint64_t time_counts(const struct query *q, int64_t ns)
{
	return q->plan.module.kind == MODULE_NONE ? counts_of(q, ns) : (uint64_t)ns;
}

uint64_t constant_value(const struct query *q, const struct expr *e)
{
	if (e->type.kind == TYPE_DURATION)
		return time_counts(q, (int64_t)e->value);
	if (e->type.kind == TYPE_INSTANT)
		return q->options.now_counts + time_counts(q, (int64_t)e->value - q->options.now);
	return e->value;
}

uint64_t counts_scale(const struct query *q)
{
	if (q->plan.module.kind != MODULE_NONE)
		return UINT64_C(1) << 32;
	return (uint64_t)(4294967296e3 / q->options.rate + 0.5);
}

/*
 * A number of this run: it isn't in the code, so the next run has the same code. Parameters that are the same by chance
 * have settings of their own.
 */
static void emit_setting(struct emitter *e, uint64_t value, bool is_given)
{
	struct plan *p = e->main;
	size_t i = is_given ? p->n_settings : 0;

	while (i < p->n_settings && p->settings[i] != value)
		i++;
	if (i == PLAN_SETTINGS) {
		query_fail(e->err, (struct query_span){0, 1}, NULL, "more than %d instants", PLAN_SETTINGS);
		return;
	}
	p->settings[i] = value;
	p->n_settings = i == p->n_settings ? i + 1 : p->n_settings;
	fprintf(e->out, "setting%zu", i);
}

static void emit_number(uint64_t value, bool is_signed, FILE *out)
{
	if (!is_signed)
		fprintf(out, "%" PRIu64 "ul", value);
	else if (value == (uint64_t)1 << 63)
		fputs("(-9223372036854775807l - 1)", out);
	else
		fprintf(out, (int64_t)value < 0 ? "(%" PRId64 "l)" : "%" PRId64 "l", (int64_t)value);
}

/* More parameters than that are numbers in the code: instants need settings. */
static bool has_setting(const struct emitter *e, bool is_given)
{
	return is_given && e->main->n_settings < PLAN_GIVEN;
}

static void emit_constant(struct emitter *e, const struct expr *x, bool is_signed)
{
	if (x->type.kind != TYPE_INSTANT && !has_setting(e, x->is_given)) {
		emit_number(constant_value(e->q, x), is_signed, e->out);
		return;
	}
	e->main->has_day |= x->type.kind == TYPE_INSTANT;
	fputs(is_signed ? "(long)" : "", e->out);
	emit_setting(e, constant_value(e->q, x), x->type.kind != TYPE_INSTANT);
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
		[FIELD_SP] = "ev->sp",
		[FIELD_STACK] = "ward_stack_take(WARD_FRAMES)",
		[FIELD_USTACK] = "ward_user_stack_take(WARD_FRAMES)",
		[FIELD_PID] = "ward_query_pid()"};

	if (x->value < FIELD_RET)
		fprintf(e->out, "ev->arg[%" PRIu64 "]", x->value);
	else
		fputs(names[x->value], e->out);
}

const char *c_type(bool is_signed)
{
	return is_signed ? "long" : "unsigned long";
}

/* Is what emit_expr writes a long, or an unsigned long? Neither: a condition, which is an int. */
static bool is_written_as(const struct expr *x, bool is_signed)
{
	if (x->kind == EXPR_FIELD)
		return (x->value == FIELD_TID || x->value == FIELD_PID) == is_signed;
	return x->type.kind != TYPE_BOOL && x->type.is_signed == is_signed;
}

/* As a long, or an unsigned long. */
void emit_as(struct emitter *e, bool is_signed, const struct expr *x)
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

bool may_divide_by_zero(const struct expr *x)
{
	if (!x)
		return false;
	if (is_helped(x))
		return true;
	return may_divide_by_zero(x->a) || may_divide_by_zero(x->b) || may_divide_by_zero(x->c);
}

/* How many periods there were since 1970: those before `Now`, and what came since. */
void emit_period(struct emitter *e, int64_t period, bool is_given)
{
	const struct query_options *o = &e->q->options;
	int64_t number = o->now / period;

	bool is_setting = has_setting(e, is_given);

	e->main->has_day = true;
	fputc('(', e->out);
	emit_setting(e, (uint64_t)number, is_setting);
	fputs(is_setting ? " + ward_query_quotient(ev->time - " : " + (ev->time - ", e->out);
	emit_setting(e, o->now_counts - counts_of(e->q, o->now - number * period), is_setting);
	fputs(is_setting ? ", " : ") / ", e->out);
	if (is_setting)
		emit_setting(e, counts_of(e->q, period), true);
	else
		emit_number(counts_of(e->q, period), false, e->out);
	fputs(is_setting ? "))" : ")", e->out);
}

/* Its number, from 1, by which it is known which one has left an event out. */
static unsigned division_place(struct emitter *e, struct query_span span)
{
	struct plan *p = e->plan;

	if (p->n_divisions < QUERY_DIVISIONS)
		p->divisions[p->n_divisions++] = span;
	return (unsigned)p->n_divisions;
}

void emit_line(struct emitter *e, struct query_span span)
{
	if (!e->q->options.name)
		return;
	fprintf(e->out, "#line %u ", query_place_of(e->q->text, span.at).line);
	emit_text(e, e->q->options.name);
	fputc('\n', e->out);
}

static void emit_division(struct emitter *e, const struct expr *x)
{
	bool help = is_helped(x);

	if (x->a->type.kind == TYPE_INSTANT) {
		emit_period(e, (int64_t)x->b->value, x->b->is_given);
		return;
	}

	if (help)
		fprintf(e->out, "ward_query_%s%s(", x->value ? "signed_" : "", x->op == OP_DIV ? "div" : "mod");
	emit_as(e, x->value, x->a);
	fprintf(e->out, help ? "%s " : " %s ", help ? "," : expr_op_text(x->op));
	if (x->b->kind == EXPR_CONST) /* a parameter as well: by what is known it is divided several times faster */
		emit_number(constant_value(e->q, x->b), x->value, e->out);
	else
		emit_as(e, x->value, x->b);
	if (help)
		fprintf(e->out, ", &zero, %u)", division_place(e, x->span));
}

/* What is computed modulo 2^64, as unsigned numbers. */
static void emit_wrapping(struct emitter *e, const struct expr *x)
{
	bool right = x->op == OP_SHR;

	fputs(x->type.is_signed && !right ? "(long)(" : "", e->out);
	emit_as(e, right && x->value, x->a);
	fprintf(e->out, " %s ", expr_op_text(x->op));
	if ((x->op == OP_SHR || x->op == OP_SHL) && x->b->kind == EXPR_CONST && !x->b->is_given) {
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
	} else if (x->op == OP_LOG2) {
		fputs("ward_query_log2(", e->out);
		emit_as(e, false, x->a);
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

static void emit_gate(struct emitter *e, const struct expr *x)
{
	const struct plan_gate *g = &e->q->plan.gates[x->value];
	uint64_t interval = g->kind == GATE_AT_MOST ? counts_of(e->q, g->ns) / g->n : 0;

	if (g->kind == GATE_CHOPSTIX) {
		fprintf(e->out, "ward_gate_count(ward_chopstix_add(&st->sketch%" PRIu64 ", ", x->value);
		emit_as(e, false, g->of);
		fprintf(e->out, ") != 0, &st->gate%" PRIu64 ".passed, &st->gate%" PRIu64 ".refused)", x->value,
			x->value);
	} else if (g->kind == GATE_AT_MOST)
		fprintf(e->out, "ward_rate_pass(&st->gate%" PRIu64 ", ev->time, %" PRIu64 "ul, %" PRIu64 "ul)",
			x->value, interval ? interval : 1, g->n);
	else
		fprintf(e->out, "ward_sample_%s(&st->gate%" PRIu64 ", %" PRIu64 "%s)",
			g->kind == GATE_EVERY ? "every" : "random", x->value, g->n, g->kind == GATE_EVERY ? "ul" : "u");
}

void emit_expr(struct emitter *e, const struct expr *x)
{
	switch (x->kind) {
	case EXPR_CONST: emit_constant(e, x, x->type.is_signed); break;
	case EXPR_FIELD: emit_field(e, x); break;
	case EXPR_BINARY: emit_binary(e, x); break;
	case EXPR_UNARY: emit_unary(e, x); break;
	case EXPR_CAST: emit_cast(e, x); break;
	case EXPR_LENGTH: emit_length(e, x); break;
	case EXPR_GATE: emit_gate(e, x); break;
	case EXPR_CAPTURE: fprintf(e->out, "first.capture%u", x->which); break;
	case EXPR_NOW: fprintf(e->out, "now%" PRIu64, x->value); break;
	case EXPR_BEFORE: fprintf(e->out, "before%" PRIu64, x->value); break;
	case EXPR_READ: emit_read(e, x); break;
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
void emit_value(struct emitter *e, bool is_signed, const struct expr *x)
{
	bool is_duration = x->type.kind == TYPE_DURATION;

	if (is_duration)
		fputs("ward_query_ns(", e->out);
	emit_as(e, is_signed, x);
	if (is_duration)
		fprintf(e->out, ", %" PRIu64 "ul)", counts_scale(e->q));
}
