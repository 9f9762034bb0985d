/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types: which operands fit each other, and of what type the result is. What C would convert silently is decided here,
 * so that no answer depends on C's promotions: arithmetic has 64 bits and wraps, and a signed number meets an unsigned
 * one of 64 bits only where the author says how.
 */
#include <string.h>

#include "type_table.h"

static const struct {
	const char *text;
	enum expr_op op;
} operators[] = {{"||", OP_OR}, {"&&", OP_AND}, {"|", OP_BIT_OR}, {"^", OP_BIT_XOR}, {"&", OP_BIT_AND}, {"==", OP_EQ},
	{"!=", OP_NE}, {"<", OP_LT}, {">", OP_GT}, {"<=", OP_LE}, {">=", OP_GE}, {"<<", OP_SHL}, {">>", OP_SHR},
	{"+", OP_ADD}, {"-", OP_SUB}, {"*", OP_MUL}, {"/", OP_DIV}, {"%", OP_MOD}, {"-", OP_NEG}, {"!", OP_NOT},
	{"~", OP_BIT_NOT}, {"StartsWith", OP_STARTS}, {"Log2 ", OP_LOG2}};

enum { N_OPERATORS = sizeof(operators) / sizeof(operators[0]) };

enum expr_op expr_op_of(const char *op)
{
	for (size_t i = 0; i < N_OPERATORS; i++)
		if (strcmp(operators[i].text, op) == 0)
			return operators[i].op;
	return OP_NONE;
}

const char *expr_op_text(enum expr_op op)
{
	for (size_t i = 0; i < N_OPERATORS; i++)
		if (operators[i].op == op)
			return operators[i].text;
	return "?";
}

struct type type_of_name(const char *name)
{
	static const struct {
		const char *name;
		struct type type;
	} types[] = {
		{"bool", {.kind = TYPE_BOOL, .bits = 8}},
		{"byte", {.kind = TYPE_INT, .bits = 8}},
		{"sbyte", {.kind = TYPE_INT, .bits = 8, .is_signed = true}},
		{"short", {.kind = TYPE_INT, .bits = 16, .is_signed = true}},
		{"ushort", {.kind = TYPE_INT, .bits = 16}},
		{"int", {.kind = TYPE_INT, .bits = 32, .is_signed = true}},
		{"uint", {.kind = TYPE_INT, .bits = 32}},
		{"long", {.kind = TYPE_INT, .bits = 64, .is_signed = true}},
		{"ulong", {.kind = TYPE_INT, .bits = 64}},
		{"pointer", {.kind = TYPE_ADDRESS, .bits = 64}},
		{"string", {.kind = TYPE_TEXT}},
		{"duration", {.kind = TYPE_DURATION, .bits = 64}},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].type;
	return (struct type){0};
}

const char *type_name(struct type t)
{
	static const char *const names[] = {
		[TYPE_NONE] = "nothing",
		[TYPE_BOOL] = "a condition",
		[TYPE_INT] = "a number",
		[TYPE_WORD] = "a number",
		[TYPE_ADDRESS] = "an address",
		[TYPE_SITE] = "a site",
		[TYPE_STACK] = "a stack",
		[TYPE_TEXT] = "a text",
		[TYPE_INSTANT] = "an instant",
		[TYPE_DURATION] = "a duration",
		[TYPE_STRUCTURE] = "a structure",
		[TYPE_REAL] = "a number with a fraction",
		[TYPE_BUCKETS] = "a histogram",
		[TYPE_RECORD] = "a record",
		[TYPE_EVENT] = "an event",
		[TYPE_GROUP] = "a group",
	};

	return names[t.kind];
}

static bool is_integer(struct type t)
{
	return t.kind == TYPE_INT || t.kind == TYPE_WORD || t.kind == TYPE_ADDRESS;
}

bool type_is_number(struct type t)
{
	return is_integer(t) || t.kind == TYPE_REAL;
}

struct expr *expr_new(struct expr_maker *m, enum expr_kind kind, struct type type, struct query_span span)
{
	struct expr *e = query_alloc(m->arena, sizeof(*e));

	e->kind = kind;
	e->type = type;
	e->span = span;
	e->size = 1;
	e->in_probe = kind == EXPR_FIELD || kind == EXPR_STRING || kind == EXPR_READ || kind == EXPR_EVENT ||
		      kind == EXPR_GATE || kind == EXPR_STEP || kind == EXPR_RECALL || kind == EXPR_NOW ||
		      kind == EXPR_BEFORE || kind == EXPR_CAPTURE;
	e->in_final =
		kind == EXPR_KEY || kind == EXPR_KEEP || kind == EXPR_CELL || kind == EXPR_REAL || kind == EXPR_GROUP;
	return e;
}

struct expr *expr_number(struct expr_maker *m, struct type type, uint64_t value, struct query_span span)
{
	struct expr *e = expr_new(m, EXPR_CONST, type, span);

	e->value = value;
	return e;
}

/* ---- computing ---- */

uint64_t expr_extend(struct type type, uint64_t value)
{
	unsigned shift = type.bits && type.bits < 64 ? 64 - type.bits : 0;

	if (type.kind == TYPE_BOOL)
		return value != 0;
	return type.is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value << shift >> shift;
}

static uint64_t numbers_compare(enum expr_op op, bool is_signed, uint64_t a, uint64_t b)
{
	bool less = is_signed ? (int64_t)a < (int64_t)b : a < b, equal = a == b;

	switch (op) {
	case OP_EQ: return equal;
	case OP_NE: return !equal;
	case OP_LT: return less;
	case OP_GT: return !less && !equal;
	case OP_LE: return less || equal;
	default: return !less;
	}
}

/* By -1 the least number wraps, as everything does. */
static bool numbers_divide(enum expr_op op, bool is_signed, uint64_t a, uint64_t b, uint64_t *result)
{
	if (b == 0)
		return false;
	if (is_signed && b == UINT64_MAX)
		*result = op == OP_DIV ? -a : 0;
	else if (is_signed)
		*result = (uint64_t)(op == OP_DIV ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
	else
		*result = op == OP_DIV ? a / b : a % b;
	return true;
}

bool expr_compute(enum expr_op op, bool is_signed, uint64_t a, uint64_t b, uint64_t *result)
{
	switch (op) {
	case OP_OR: *result = a || b; return true;
	case OP_AND: *result = a && b; return true;
	case OP_BIT_OR: *result = a | b; return true;
	case OP_BIT_XOR: *result = a ^ b; return true;
	case OP_BIT_AND: *result = a & b; return true;
	case OP_SHL: *result = a << (b & 63); return true;
	case OP_SHR: *result = is_signed ? (uint64_t)((int64_t)a >> (b & 63)) : a >> (b & 63); return true;
	case OP_ADD: *result = a + b; return true;
	case OP_SUB: *result = a - b; return true;
	case OP_MUL: *result = a * b; return true;
	case OP_DIV:
	case OP_MOD: return numbers_divide(op, is_signed, a, b, result);
	case OP_NEG: *result = -a; return true;
	case OP_NOT: *result = !a; return true;
	case OP_BIT_NOT: *result = ~a; return true;
	case OP_LOG2: *result = 63 - (uint64_t)__builtin_clzll(a | 1); return true;
	default: *result = numbers_compare(op, is_signed, a, b); return true;
	}
}

/* ---- making ---- */

static struct expr *join_operands(struct expr_maker *m, enum expr_kind kind, struct type type, struct expr *a,
	struct expr *b, struct query_span span)
{
	struct expr *e = expr_new(m, kind, type, span);

	e->a = a;
	e->b = b;
	e->in_probe = a->in_probe || (b && b->in_probe);
	e->in_final = a->in_final || (b && b->in_final) || type.kind == TYPE_REAL;
	e->size = 1 + a->size + (b ? b->size : 0);
	if (e->size > EXPR_SIZE_MOST)
		query_fail(m->err, span, "names stand for all that they are set to", "more than %d operations",
			EXPR_SIZE_MOST);
	if (e->in_probe && e->in_final)
		query_fail(m->err, span, "take it before the group, or of the group",
			"what an event has can't be computed with what was counted of many");
	return e;
}

static void fail_operands(
	struct expr_maker *m, enum expr_op op, const struct expr *a, const struct expr *b, struct query_span span)
{
	query_fail(m->err, span, NULL, "%s %s %s: they don't fit each other", type_name(a->type), expr_op_text(op),
		type_name(b->type));
}

/*
 * The type that two whole numbers meet in. Smaller ones are widened. A word, and a literal that isn't negative, take
 * the sign of the other one; of two without a sign the result has none.
 */
static struct type types_meet(struct expr_maker *m, const struct expr *a, const struct expr *b, struct query_span span)
{
	struct type x = a->type, y = b->type;
	bool x_free = x.kind == TYPE_WORD || (x.is_literal && (int64_t)a->value >= 0),
	     y_free = y.kind == TYPE_WORD || (y.is_literal && (int64_t)b->value >= 0);

	if (x.kind == TYPE_ADDRESS || y.kind == TYPE_ADDRESS)
		return TYPE_A(ADDRESS);
	if (x.is_literal && y.is_literal)
		return TYPE_LITERAL;
	if (x_free && y_free)
		return TYPE_A(WORD);
	if (x_free || y_free) {
		struct type t = x_free ? y : x;

		t.bits = 64;
		t.is_literal = false;
		t.number = 0; /* what is computed is no enumerator */
		return t.kind == TYPE_WORD ? TYPE_A(WORD) : t;
	}
	if (x.is_signed == y.is_signed)
		return x.is_signed ? TYPE_LONG : TYPE_ULONG;
	if ((x.is_signed ? y : x).bits == 64)
		query_fail(m->err, span, "write (long) or (ulong) before one of them",
			"an unsigned and a signed number of 64 bits");
	return TYPE_LONG;
}

/* Only a constant adapts its sign to what it meets. */
static struct expr *fold(struct expr_maker *m, struct expr *e, bool is_signed)
{
	uint64_t value;
	struct expr *number;

	if (e->a->kind == EXPR_CONST && (!e->b || e->b->kind == EXPR_CONST) &&
		expr_compute(e->op, is_signed, e->a->value, e->b ? e->b->value : 0, &value)) {
		number = expr_number(m, e->type, value, e->span);
		number->is_given = e->a->is_given || (e->b && e->b->is_given);
		return number;
	}
	e->type.is_literal = false;
	return e;
}

static struct expr *make_binary(struct expr_maker *m, enum expr_op op, struct type type, bool is_signed, struct expr *a,
	struct expr *b, struct query_span span)
{
	struct expr *e = join_operands(m, EXPR_BINARY, type, a, b, span);

	e->op = op;
	if ((op == OP_DIV || op == OP_MOD) && b->kind == EXPR_CONST && b->value == 0)
		query_fail(m->err, span, NULL, "a division by zero");
	/* how its operands are compared, divided or shifted */
	e->value = is_signed;
	return fold(m, e, is_signed);
}

/* A duration or an instant, and something else. */
static struct expr *make_timed(
	struct expr_maker *m, enum expr_op op, struct expr *a, struct expr *b, struct query_span span)
{
	enum type_kind x = a->type.kind, y = b->type.kind;
	bool compares = op >= OP_EQ && op <= OP_GE;

	if (x == y && compares)
		return make_binary(m, op, TYPE_A(BOOL), false, a, b, span);
	if (x == TYPE_DURATION && y == TYPE_DURATION) {
		if (op == OP_ADD || op == OP_SUB || op == OP_MOD)
			return make_binary(m, op, TYPE_A(DURATION), false, a, b, span);
		if (op == OP_DIV)
			return make_binary(m, op, TYPE_ULONG, false, a, b, span);
	}
	if (x == TYPE_INSTANT && y == TYPE_INSTANT && op == OP_SUB)
		return make_binary(m, op, TYPE_A(DURATION), false, a, b, span);
	if (x == TYPE_INSTANT && y == TYPE_DURATION && (op == OP_ADD || op == OP_SUB))
		return make_binary(m, op, TYPE_A(INSTANT), false, a, b, span);
	/* how many of them there were since 1970 */
	if (x == TYPE_INSTANT && y == TYPE_DURATION && op == OP_DIV && b->kind == EXPR_CONST &&
		(a->kind == EXPR_FIELD || a->kind == EXPR_CONST || a->in_final || a->kind == EXPR_SESSION))
		return make_binary(m, op, TYPE_ULONG, false, a, b, span);
	if (x == TYPE_DURATION && is_integer(b->type) && (op == OP_MUL || op == OP_DIV))
		return make_binary(m, op, TYPE_A(DURATION), false, a, b, span);
	if (y == TYPE_DURATION && is_integer(a->type) && op == OP_MUL)
		return make_binary(m, op, TYPE_A(DURATION), false, b, a, span);
	fail_operands(m, op, a, b, span);
	return a;
}

static bool is_timed(const struct expr *e)
{
	return e->type.kind == TYPE_INSTANT || e->type.kind == TYPE_DURATION;
}

/* Two whole numbers. */
static struct expr *make_integer(
	struct expr_maker *m, enum expr_op op, struct expr *a, struct expr *b, struct query_span span)
{
	struct type type;

	if (op == OP_SHL || op == OP_SHR) {
		type = a->type;
		type.bits = 64;
		type.number = 0;
		return make_binary(m, op, type, type.is_signed, a, b, span);
	}
	type = types_meet(m, a, b, span);
	if (op >= OP_EQ && op <= OP_GE)
		return make_binary(m, op, TYPE_A(BOOL), type.is_signed, a, b, span);
	return make_binary(m, op, type, type.is_signed, a, b, span);
}

bool text_compares(enum expr_op op, const char *a, const char *b)
{
	if (op == OP_STARTS)
		return strncmp(a, b, strlen(b)) == 0;
	return (strcmp(a, b) == 0) == (op == OP_EQ);
}

static struct expr *make_text_test(
	struct expr_maker *m, enum expr_op op, struct expr *a, struct expr *b, struct query_span span)
{
	if (op == OP_STARTS && b->kind != EXPR_TEXT)
		query_fail(
			m->err, b->span, "path.StartsWith(\"/tmp/\")", "StartsWith takes a text that is written here");
	else if (op != OP_EQ && op != OP_NE && op != OP_STARTS)
		fail_operands(m, op, a, b, span);
	else if (!a->in_final && !b->in_final && a->kind != EXPR_TEXT && b->kind != EXPR_TEXT)
		query_fail(m->err, span, "compare one of them with a text that is written here",
			"a probe compares no two texts of the target");
	if (a->kind == EXPR_TEXT && b->kind == EXPR_TEXT)
		return expr_number(m, TYPE_A(BOOL), text_compares(op, a->text, b->text), span);
	return a->kind == EXPR_TEXT ? make_binary(m, op, TYPE_A(BOOL), false, b, a, span)
				    : make_binary(m, op, TYPE_A(BOOL), false, a, b, span);
}

/* The machine merge gives addresses and sites in keys their names: processes have one function at many addresses. */
static bool is_named(const struct expr *e)
{
	return e->kind == EXPR_KEY &&
	       (e->type.kind == TYPE_ADDRESS || e->type.kind == TYPE_SITE || e->type.kind == TYPE_STACK);
}

static void fail_named(struct expr_maker *m, const struct expr *e, struct query_span span)
{
	query_fail(m->err, span, "compute before the group: GroupBy(caller & ~4095)",
		"behind a group %s is a name, and no number", type_name(e->type));
}

struct expr *pointer_of(struct expr *e)
{
	return e->kind == EXPR_STRING && e->is_pointer ? e->a : e;
}

/* What meets a number is a pointer, and a text that meets an enumeration is one of its names. */
static void adapt(struct expr_maker *m, struct expr **a, struct expr **b)
{
	struct expr *other = *b;

	if (is_integer(other->type))
		*a = pointer_of(*a);
	if ((*a)->kind == EXPR_TEXT && other->type.kind == TYPE_INT && other->type.number)
		*a = enumerator_of(m, other->type, (*a)->text, (*a)->span);
}

struct expr *expr_binary(struct expr_maker *m, enum expr_op op, struct expr *a, struct expr *b, struct query_span span)
{
	enum type_kind x = a->type.kind, y = b->type.kind;

	if (m->err->is_set)
		return a;
	adapt(m, &a, &b);
	adapt(m, &b, &a);
	x = a->type.kind;
	y = b->type.kind;
	if (op == OP_ADD && (x == TYPE_TEXT || y == TYPE_TEXT))
		return expr_join_texts(m, a, b, span);
	if (is_named(a) != is_named(b) || (is_named(a) && op != OP_EQ && op != OP_NE)) {
		fail_named(m, is_named(a) ? a : b, span);
		return a;
	}
	if (op == OP_AND || op == OP_OR)
		return make_binary(m, op, TYPE_A(BOOL), false, expr_bool(m, a), expr_bool(m, b), span);
	if (x == TYPE_TEXT && y == TYPE_TEXT)
		return make_text_test(m, op, a, b, span);
	if ((x == TYPE_SITE || x == TYPE_STACK || x == TYPE_BOOL) && x == y && (op == OP_EQ || op == OP_NE))
		return make_binary(m, op, TYPE_A(BOOL), false, a, b, span);
	if (is_integer(a->type) && is_integer(b->type))
		return make_integer(m, op, a, b, span);
	if ((x == TYPE_REAL || y == TYPE_REAL) && (type_is_number(a->type) || is_timed(a)) &&
		(type_is_number(b->type) || is_timed(b)) && !(op >= OP_BIT_OR && op <= OP_BIT_AND) && op != OP_SHL &&
		op != OP_SHR && op != OP_MOD) {
		if (a->in_probe || b->in_probe)
			query_fail(m->err, span, "write it with whole numbers: x * 3 / 2",
				"a probe has no numbers with a fraction");
		return make_binary(m, op,
			op >= OP_EQ && op <= OP_GE    ? TYPE_A(BOOL)
			: is_timed(a) && !is_timed(b) ? a->type
						      : TYPE_A(REAL),
			true, a, b, span);
	}
	if (is_timed(a) || is_timed(b))
		return make_timed(m, op, a, b, span);
	fail_operands(m, op, a, b, span);
	return a;
}

struct expr *expr_bool(struct expr_maker *m, struct expr *a)
{
	a = pointer_of(a);
	if (a->type.kind == TYPE_BOOL || m->err->is_set)
		return a;
	if (is_named(a)) {
		fail_named(m, a, a->span);
		return a;
	}
	if (is_integer(a->type))
		return make_binary(m, OP_NE, TYPE_A(BOOL), false, a, expr_number(m, a->type, 0, a->span), a->span);
	query_fail(m->err, a->span, NULL, "%s is no condition", type_name(a->type));
	return a;
}

struct expr *expr_unary(struct expr_maker *m, enum expr_op op, struct expr *a, struct query_span span)
{
	struct type type = a->type;
	struct expr *e;

	if (m->err->is_set)
		return a;
	if (is_named(a)) {
		fail_named(m, a, span);
		return a;
	}
	if (op == OP_NOT) {
		a = expr_bool(m, a);
		type = TYPE_A(BOOL);
	} else if (op == OP_NEG && a->kind == EXPR_REAL) {
		e = expr_new(m, EXPR_REAL, a->type, span);
		e->real = -a->real;
		return e;
	} else if (!is_integer(type)) {
		query_fail(m->err, span, NULL, "%s of %s", expr_op_text(op), type_name(type));
		return a;
	} else if (op == OP_LOG2) {
		type = TYPE_ULONG;
	} else if (op == OP_NEG) {
		/* what is negated has a sign */
		type = type.is_literal ? TYPE_LITERAL : TYPE_LONG;
	} else {
		type.bits = 64;
		type.number = 0;
	}
	e = join_operands(m, EXPR_UNARY, type, a, NULL, span);
	e->op = op;
	return fold(m, e, false);
}

struct expr *expr_cond(struct expr_maker *m, struct expr *cond, struct expr *a, struct expr *b, struct query_span span)
{
	struct type type = a->type;
	struct expr *e;

	if (m->err->is_set)
		return a;
	cond = expr_bool(m, cond);
	if (is_integer(a->type) && is_integer(b->type))
		type = types_meet(m, a, b, span);
	else if (a->type.kind != b->type.kind || type.kind == TYPE_RECORD || type.kind == TYPE_EVENT ||
		 type.kind == TYPE_GROUP || type.kind == TYPE_TEXT)
		query_fail(m->err, span, NULL, "%s or %s: both must be of one type, and no texts or records",
			type_name(a->type), type_name(b->type));
	if (type.kind == TYPE_STRUCTURE)
		query_fail(m->err, span, NULL, "a structure is no value: take one of its members");
	if (cond->kind == EXPR_CONST && is_integer(type)) {
		a = cond->value ? a : b;
		if (a->kind != EXPR_CONST)
			return join_operands(m, EXPR_CAST, type, a, NULL, span);
		e = expr_number(m, type, a->value, span);
		e->is_given = a->is_given || cond->is_given;
		return e;
	}
	if (cond->kind == EXPR_CONST)
		return cond->value ? a : b;
	type.is_literal = false;
	e = join_operands(m, EXPR_COND, type, a, b, span);
	e->c = cond;
	e->size += cond->size;
	e->in_probe |= cond->in_probe;
	e->in_final |= cond->in_final;
	return e;
}

struct expr *expr_length(struct expr_maker *m, struct expr *text, struct query_span span)
{
	struct expr *e;

	if (text->kind == EXPR_TEXT)
		return expr_number(m, TYPE_LONG, strlen(text->text), span);
	e = join_operands(m, EXPR_LENGTH, TYPE_LONG, text, NULL, span);
	return e;
}

struct expr *expr_cast(struct expr_maker *m, const char *name, struct expr *a, struct query_span span)
{
	struct type type = type_of_name(name);
	struct expr *e;

	if (m->err->is_set)
		return a;
	if (is_named(a)) {
		fail_named(m, a, span);
		return a;
	}
	if (type.kind == TYPE_BOOL)
		return expr_bool(m, a);
	if (type.kind != TYPE_TEXT)
		a = pointer_of(a);
	else if (a->type.kind == TYPE_TEXT)
		return a;
	if (type.kind == TYPE_DURATION && a->type.kind == TYPE_DURATION)
		return a;
	if (type.kind == TYPE_TEXT && is_integer(a->type)) {
		e = join_operands(m, EXPR_STRING, type, a, NULL, span);
		e->in_probe = true;
		e->value = 64;
		return e;
	}
	if ((type.kind != TYPE_INT && type.kind != TYPE_ADDRESS) ||
		!(is_integer(a->type) || a->type.kind == TYPE_BOOL || a->type.kind == TYPE_SITE)) {
		query_fail(m->err, span, NULL, "%s can't become a %s", type_name(a->type), name);
		return a;
	}
	if (a->kind != EXPR_CONST)
		return join_operands(m, EXPR_CAST, type, a, NULL, span);
	e = expr_number(m, type, expr_extend(type, a->value), span);
	e->is_given = a->is_given;
	return e;
}

bool expr_equal(const struct expr *a, const struct expr *b)
{
	if (!a || !b)
		return a == b;
	if (a == b)
		return true;
	return a->kind == b->kind && a->op == b->op && a->part == b->part && a->type.kind == b->type.kind &&
	       a->type.bits == b->type.bits && a->type.is_signed == b->type.is_signed && a->value == b->value &&
	       a->which == b->which && a->real == b->real &&
	       (a->text == b->text || (a->text && b->text && !strcmp(a->text, b->text))) && a->members == b->members &&
	       expr_equal(a->a, b->a) && expr_equal(a->b, b->b) && expr_equal(a->c, b->c);
}
