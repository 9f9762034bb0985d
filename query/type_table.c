/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of types (ward/types.h) is handed in by who compiles a query, and asked for once a name wants it: reading
 * debug information takes time, and there may be none. Each site has one.
 *
 * A site may mean several functions. A name that is used must be the same parameter in each of them: of one type, in
 * one place. What is far from the parameters may be missing in the table; then its members aren't known.
 *
 * A typed pointer is an address that knows what is there. Its members are reads of the target's memory at offsets from
 * it; a structure inside is the address where it begins, which is no value.
 */
#include "type_table.h"

#include <string.h>

#include "pair.h"

enum { NESTED_MOST = 16, SAME_DEPTH = 3, NAMES_MOST = 64, TEXT_BYTES = 64, NUMBER_BITS = 24 };

/* Type n of a table, and another one of the table that a number is of. */
static const struct ward_types *table_of(const struct ward_types *const *types, uint32_t number)
{
	return types[number >> NUMBER_BITS];
}

static const struct ward_type *type_at(const struct ward_types *const *types, uint32_t number)
{
	return &table_of(types, number)->types[number & ((1u << NUMBER_BITS) - 1)];
}

static uint32_t beside(uint32_t number, uint32_t n)
{
	return number >> NUMBER_BITS << NUMBER_BITS | n;
}

const struct ward_types *types_wanted(struct resolver *r, size_t site)
{
	struct query *q = r->query;

	if (!q->asked_types[site] && q->options.types)
		q->types[site] = q->options.types(
			q->options.types_user, r->plan->sites[site].text, plan_process(r->plan), &q->types_why[site]);
	q->asked_types[site] = true;
	r->maker.types = q->types;
	return q->types[site];
}

/* ---- parameters ---- */

/* A function of one of the sites. */
struct function {
	size_t site;
	const struct ward_types *types;
	const struct ward_function_types *of;
};

/* The next function, from all zeros on, of those sites that a pair's first events come from, or all others. */
static bool next_function(struct resolver *r, bool first, struct function *f)
{
	const struct ward_types *t;
	size_t i = f->of ? (size_t)(f->of - f->types->functions) + 1 : 0;

	for (; f->site < r->plan->n_sites; f->site++, i = 0) {
		if (r->plan->sites[f->site].is_first != first)
			continue;
		t = types_wanted(r, f->site);
		if (t && i < t->n_functions) {
			f->types = t;
			f->of = &t->functions[i];
			return true;
		}
	}
	return false;
}

static bool is_first(const struct expr *event)
{
	return event->value == SIDE_FIRST;
}

static const struct ward_parameter *find_parameter(const struct function *f, const char *name)
{
	for (uint32_t i = 0; i < f->of->n && !f->of->why; i++)
		if (strcmp(f->types->parameters[f->of->first + i].name, name) == 0)
			return &f->types->parameters[f->of->first + i];
	return NULL;
}

/* Is it the same type, as far as anybody uses it who knows the members by name? */
static bool is_same_type(const struct ward_types *const *types, uint32_t a, uint32_t b, int depth)
{
	const struct ward_type *x = type_at(types, a), *y = type_at(types, b);
	const struct ward_types *s = table_of(types, a), *t = table_of(types, b);

	if (a == b || depth == 0)
		return true;
	if (x->kind != y->kind || x->size != y->size || x->is_signed != y->is_signed || x->is_char != y->is_char ||
		x->n != y->n || strcmp(x->name, y->name) != 0)
		return false;
	if (x->kind == WARD_TYPE_POINTER || x->kind == WARD_TYPE_ARRAY)
		return is_same_type(types, beside(a, x->of), beside(b, y->of), depth - 1);
	for (uint32_t i = 0; i < x->n && x->kind == WARD_TYPE_STRUCTURE; i++) {
		const struct ward_type_member *p = &s->members[x->first + i], *q = &t->members[y->first + i];

		if (p->offset != q->offset || p->bits != q->bits || strcmp(p->name, q->name) != 0 ||
			!is_same_type(types, beside(a, p->type), beside(b, q->type), depth - 1))
			return false;
	}
	for (uint32_t i = 0; i < x->n && x->kind == WARD_TYPE_ENUMERATION; i++)
		if (s->enumerators[x->first + i].value != t->enumerators[y->first + i].value ||
			strcmp(s->enumerators[x->first + i].name, t->enumerators[y->first + i].name) != 0)
			return false;
	return true;
}

bool is_parameter(struct resolver *r, const struct expr *event, const char *name)
{
	struct function f = {.site = 0};

	while (next_function(r, is_first(event), &f))
		if (find_parameter(&f, name))
			return true;
	return false;
}

/* Those of the first function. */
size_t parameter_names(struct resolver *r, const struct expr *event, const char **names, size_t most)
{
	struct function f = {.site = 0};
	size_t n = 0;

	if (!next_function(r, is_first(event), &f))
		return 0;
	for (uint32_t k = 0; k < f.of->n && n < most; k++)
		if (*f.types->parameters[f.of->first + k].name)
			names[n++] = f.types->parameters[f.of->first + k].name;
	return n;
}

const char *types_reason(struct resolver *r, const struct expr *event)
{
	struct function f = {.site = 0};
	const char *why = NULL;

	while (next_function(r, is_first(event), &f)) {
		if (!f.of->why)
			return NULL;
		why = why ? why : f.of->why;
	}
	for (size_t i = 0; i < r->plan->n_sites && !why; i++)
		why = r->query->types_why[i];
	return why;
}

static struct expr *nothing(struct resolver *r, struct query_span at)
{
	return expr_number(&r->maker, TYPE_LONG, 0, at);
}

/* Has another function the same parameter? If not, that is an error. */
static bool check_other(struct resolver *r, const struct function *first, const struct ward_parameter *p,
	const struct function *other, struct query_span at)
{
	const struct ward_parameter *q = find_parameter(other, p->name);

	if (other->of->why)
		query_fail(r->maker.err, at, other->of->why,
			"%.80s is a parameter of %.100s; of %.100s they are not known", p->name, first->of->site,
			other->of->site);
	else if (!q)
		query_fail(r->maker.err, at, "ask of each in a query of its own, or take Arg(n)",
			"%.80s is a parameter of %.100s, and not of %.100s", p->name, first->of->site, other->of->site);
	else if (q->place != p->place ||
		 !is_same_type(r->query->types, TYPE_NUMBER(first->site, p->type), TYPE_NUMBER(other->site, q->type),
			 SAME_DEPTH) ||
		 strcmp(p->member ? p->member : "", q->member ? q->member : "") != 0)
		query_fail(r->maker.err, at, "ask of each in a query of its own, or take Arg(n)",
			"%.60s is argument %d of %.80s, %.60s, and argument %d of %.80s, %.60s", p->name, p->place,
			first->of->site, p->declaration, q->place, other->of->site, q->declaration);
	return !r->maker.err->is_set;
}

/* The parameter, which all functions have. NULL, with an error: they don't. */
static const struct ward_parameter *common_parameter(
	struct resolver *r, const struct expr *event, const char *name, struct function *first, struct query_span at)
{
	struct function f = {.site = 0};
	const struct ward_parameter *p = NULL;

	while (!p && next_function(r, is_first(event), &f))
		p = find_parameter(&f, name);
	*first = f;
	for (size_t i = 0; p && i < r->plan->n_sites; i++)
		if (r->plan->sites[i].is_first == is_first(event) && !types_wanted(r, i)) {
			query_fail(r->maker.err, at, r->query->types_why[i],
				"%.80s is a parameter of %.100s; of %.100s they are not known", p->name, f.of->site,
				r->plan->sites[i].text);
			return NULL;
		}
	for (f = (struct function){.site = 0}; p && next_function(r, is_first(event), &f);)
		if (f.of != first->of && !check_other(r, first, p, &f, at))
			return NULL;
	return p;
}

/* ---- values ---- */

static struct type number_type(const struct ward_type *type, uint32_t number)
{
	struct type t = TYPE_OF(.kind = TYPE_INT, .bits = (uint8_t)(8 * type->size), .is_signed = type->is_signed);

	t.number = type->kind == WARD_TYPE_ENUMERATION ? number : 0;
	return t;
}

static bool is_word_size(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Whose event the value is of, among those of a pair. */
static uint64_t side_of(const struct plan *p, const struct expr *e)
{
	uint64_t side = SIDE_NONE;

	if (!e)
		return SIDE_NONE;
	if (e->kind == EXPR_CAPTURE)
		return p->captures[e->which].side;
	side = side_of(p, e->a);
	return side != SIDE_NONE ? side : side_of(p, e->b);
}

static struct expr *text_at(struct resolver *r, struct expr *address, uint64_t bytes, struct query_span at)
{
	struct expr *e = expr_new(&r->maker, EXPR_STRING, TYPE_A(TEXT), at);

	e->a = address;
	e->value = bytes > TEXT_BYTES ? TEXT_BYTES : (bytes + 7) / 8 * 8;
	e->size += address->size;
	return capture(r, e, side_of(r->plan, address));
}

static struct expr *fail_type(struct resolver *r, const struct ward_type *type, const char *name, struct query_span at)
{
	static const char *const kinds[] = {[WARD_TYPE_REAL] = "a number with a fraction",
		[WARD_TYPE_VOID] = "nothing",
		[WARD_TYPE_UNKNOWN] = "of a type that is not known",
		[WARD_TYPE_STRUCTURE] = "a structure",
		[WARD_TYPE_OTHER] = "of a type that has no value here"};
	const char *what = type->kind <= WARD_TYPE_OTHER ? kinds[type->kind] : NULL;

	query_fail(r->maker.err, at, NULL, "%.100s is %s, which a probe can't compute with", name,
		what ? what : "of a type that has no value here");
	return nothing(r, at);
}

/* A pointer, whose value is the address `e`; one to characters is the text there. */
static struct expr *pointer_value(struct resolver *r, uint32_t number, struct expr *e, struct query_span at)
{
	struct expr *text;

	e->type = TYPE_A(ADDRESS);
	e->type.number = beside(number, type_at(r->query->types, number)->of);
	if (!type_at(r->query->types, e->type.number)->is_char)
		return e;
	text = text_at(r, e, TEXT_BYTES, at);
	text->is_pointer = true;
	return text;
}

static struct expr *convert(struct resolver *r, struct type type, struct expr *word, struct query_span at)
{
	struct expr *e = expr_new(&r->maker, EXPR_CAST, type, at);

	e->a = word;
	e->size += word->size;
	e->in_probe = word->in_probe;
	e->in_final = word->in_final;
	return e;
}

static struct expr *test_byte(struct resolver *r, struct expr *byte, struct query_span at)
{
	return expr_binary(&r->maker, OP_NE, byte, expr_number(&r->maker, TYPE_LITERAL, 0, at), at);
}

/* What a register has, of which the type counts so many bits. */
static struct expr *value_of_word(
	struct resolver *r, uint32_t number, struct expr *word, const char *name, struct query_span at)
{
	const struct ward_type *type = type_at(r->query->types, number);

	switch (type->kind) {
	case WARD_TYPE_BOOL: return test_byte(r, convert(r, TYPE_OF(.kind = TYPE_INT, .bits = 8), word, at), at);
	case WARD_TYPE_INT:
	case WARD_TYPE_ENUMERATION:
		if (!is_word_size(type->size))
			return fail_type(r, type, name, at);
		return convert(r, number_type(type, number), word, at);
	case WARD_TYPE_POINTER: return pointer_value(r, number, word, at);
	default: return fail_type(r, type, name, at);
	}
}

static struct expr *read_number(struct resolver *r, struct type type, struct expr *address, struct query_span at)
{
	struct expr *e = expr_new(&r->maker, EXPR_READ, type, at);

	e->a = address;
	e->size += address->size;
	return capture(r, e, side_of(r->plan, address));
}

/* The address so many bytes behind another one. */
static struct expr *address_behind(struct resolver *r, struct expr *address, uint64_t offset, struct query_span at)
{
	while (address->kind == EXPR_CAST && address->type.kind == TYPE_ADDRESS)
		address = address->a;
	if (address->kind == EXPR_BINARY && address->op == OP_ADD && address->b->kind == EXPR_CONST) {
		offset += address->b->value; /* one offset from one pointer */
		address = address->a;
	}
	if (!offset)
		return address;
	return expr_binary(&r->maker, OP_ADD, address, expr_number(&r->maker, TYPE_LITERAL, offset, at), at);
}

/* What is in the target's memory at an address. */
static struct expr *value_at(
	struct resolver *r, uint32_t number, struct expr *address, const char *name, struct query_span at)
{
	const struct ward_type *type = type_at(r->query->types, number);
	struct expr *e;

	switch (type->kind) {
	case WARD_TYPE_BOOL: return test_byte(r, read_number(r, TYPE_OF(.kind = TYPE_INT, .bits = 8), address, at), at);
	case WARD_TYPE_INT:
	case WARD_TYPE_ENUMERATION:
		return is_word_size(type->size) ? read_number(r, number_type(type, number), address, at)
						: fail_type(r, type, name, at);
	case WARD_TYPE_POINTER: return pointer_value(r, number, read_number(r, TYPE_A(ADDRESS), address, at), at);
	case WARD_TYPE_ARRAY:
		if (type_at(r->query->types, beside(number, type->of))->is_char)
			return text_at(r, address, type->n ? type->n : TEXT_BYTES, at);
		e = convert(r, TYPE_A(ADDRESS), address, at); /* where its first element is */
		e->type.number = beside(number, type->of);
		return e;
	case WARD_TYPE_STRUCTURE:
		e = convert(r, TYPE_A(STRUCTURE), address, at);
		e->type.number = number;
		return e;
	default: return fail_type(r, type, name, at);
	}
}

/* The bits of a word that hold it: the least word that has all of them, at a multiple of its size. */
static struct expr *bit_field_at(struct resolver *r, const struct ward_type_member *m, uint32_t number,
	struct expr *address, struct query_span at)
{
	const struct ward_type *type = type_at(r->query->types, number);
	struct expr_maker *maker = &r->maker;
	struct expr *e;
	struct type result = number_type(type, number);

	for (uint8_t bits = 8;; bits *= 2) {
		uint64_t from = m->offset / bits * bits, left = bits - (m->offset - from) - m->bits;

		if (m->offset + m->bits > from + bits && bits < 64)
			continue;
		if (m->offset + m->bits > from + bits || !is_word_size(type->size)) {
			query_fail(maker->err, at, NULL, "%.100s is a bit-field that lies in no word", m->name);
			return nothing(r, at);
		}
		e = read_number(
			r, TYPE_OF(.kind = TYPE_INT, .bits = bits), address_behind(r, address, from / 8, at), at);
		/* its sign is that of its highest bit */
		e = expr_binary(maker, OP_SHL, e, expr_number(maker, TYPE_LITERAL, left + (64u - bits), at), at);
		if (type->is_signed)
			e = convert(r, TYPE_LONG, e, at);
		e = expr_binary(maker, OP_SHR, e, expr_number(maker, TYPE_LITERAL, 64 - m->bits, at), at);
		return convert(r, result, e, at);
	}
}

struct expr *parameter_value(struct resolver *r, const struct expr *event, const char *name, struct query_span at)
{
	struct function f;
	const struct ward_parameter *p = common_parameter(r, event, name, &f, at);
	struct expr *word, *value;

	if (!p)
		return nothing(r, at);
	if (p->place < 0) {
		query_fail(r->maker.err, at, p->why, "a probe doesn't have the parameter %.100s", p->name);
		return nothing(r, at);
	}
	word = expr_new(&r->maker, EXPR_FIELD, TYPE_A(WORD), at);
	word->value = FIELD_ARG + (uint64_t)p->place;
	value = value_of_word(r, TYPE_NUMBER(f.site, p->type), capture(r, word, event->value), p->name, at);
	return p->member ? structure_member(r, value, p->member, at) : value;
}

struct expr *result_value(struct resolver *r, struct expr *word, uint64_t side)
{
	struct function f = {.site = 0}, other;
	uint32_t number;

	for (size_t i = 0; i < r->plan->n_sites; i++)
		if (r->plan->sites[i].is_first == (side == SIDE_FIRST) && !types_wanted(r, i))
			return word;
	if (!next_function(r, side == SIDE_FIRST, &f))
		return word;
	number = TYPE_NUMBER(f.site, f.of->returns);
	for (other = f; !other.of->why;) {
		if (!is_same_type(r->query->types, number, TYPE_NUMBER(other.site, other.of->returns), SAME_DEPTH))
			return word;
		if (!next_function(r, side == SIDE_FIRST, &other))
			break;
	}
	if (other.of->why)
		return word;
	switch (type_at(r->query->types, number)->kind) {
	case WARD_TYPE_VOID:
		query_fail(r->maker.err, word->span, NULL, "%.200s returns nothing", f.of->site);
		return word;
	case WARD_TYPE_BOOL:
	case WARD_TYPE_INT:
	case WARD_TYPE_ENUMERATION:
	case WARD_TYPE_POINTER: return value_of_word(r, number, word, "ret", word->span);
	default: return word;
	}
}

/* ---- members ---- */

bool has_members(const struct expr *object)
{
	return (object->type.kind == TYPE_ADDRESS || object->type.kind == TYPE_STRUCTURE) && object->type.number;
}

/* A member, also of an anonymous structure inside; *offset becomes where that structure is. */
static const struct ward_type_member *find_member_in(
	const struct ward_types *t, uint32_t number, const char *name, int depth, uint64_t *offset)
{
	const struct ward_type *type = &t->types[number];

	for (uint32_t i = 0; i < type->n && type->kind == WARD_TYPE_STRUCTURE; i++) {
		const struct ward_type_member *m = &t->members[type->first + i], *inner;
		uint64_t at = *offset;

		if (strcmp(m->name, name) == 0)
			return m;
		if (*m->name || depth == 0 || m->bits)
			continue;
		at += m->offset;
		inner = find_member_in(t, m->type, name, depth - 1, &at);
		if (inner) {
			*offset = at;
			return inner;
		}
	}
	return NULL;
}

static struct expr *fail_structure(struct resolver *r, const struct ward_types *t, const struct ward_type *type,
	const char *name, struct query_span at)
{
	const char *names[NAMES_MOST], *what = *type->name ? type->name : "a structure without a name";
	size_t n = 0;

	if (type->kind != WARD_TYPE_STRUCTURE) {
		query_fail(r->maker.err, at, NULL, "%.80s: what this leads to is no structure", name);
		return nothing(r, at);
	}
	if (!type->n) {
		query_fail(r->maker.err, at,
			"its members are described in another file, or too far from the parameters",
			"%.80s: the members of %.100s are not known", name, what);
		return nothing(r, at);
	}
	for (uint32_t i = 0; i < type->n && n < NAMES_MOST; i++)
		if (*t->members[type->first + i].name)
			names[n++] = t->members[type->first + i].name;
	return fail_member(r, what, name, at, names, n);
}

struct expr *structure_member(struct resolver *r, struct expr *object, const char *name, struct query_span at)
{
	uint32_t number = object->type.number;
	const struct ward_types *t = table_of(r->query->types, number);
	uint64_t offset = 0;
	const struct ward_type_member *m =
		find_member_in(t, (uint32_t)(type_at(r->query->types, number) - t->types), name, NESTED_MOST, &offset);
	struct expr *address = object;

	if (r->maker.err->is_set)
		return object;
	if (!m)
		return fail_structure(r, t, type_at(r->query->types, number), name, at);
	if (object->type.kind == TYPE_STRUCTURE) /* which is written as the address where it is */
		address = object->a;
	if (m->bits)
		return bit_field_at(r, m, beside(number, m->type), address_behind(r, address, offset, at), at);
	return value_at(r, beside(number, m->type), address_behind(r, address, offset + m->offset, at), name, at);
}

/* ---- enumerations ---- */

static struct expr *enumerator_in(struct expr_maker *m, uint32_t number, const char *name, struct query_span at)
{
	const struct ward_types *t = table_of(m->types, number);
	const struct ward_type *type = type_at(m->types, number);
	const char *names[NAMES_MOST], *close;
	char hint[200] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < type->n; i++) {
		const struct ward_enumerator *e = &t->enumerators[type->first + i];

		if (strcmp(e->name, name) == 0)
			return expr_number(m, number_type(type, number), e->value, at);
		if (n < NAMES_MOST)
			names[n++] = e->name;
	}
	close = query_closest(name, names, n);
	if (close)
		snprintf(hint, sizeof(hint), "did you mean %.100s?", close);
	query_fail(m->err, at, hint, "%.100s has no %.100s", *type->name ? type->name : "the enumeration", name);
	return expr_number(m, TYPE_LONG, 0, at);
}

struct expr *enumerator_value(struct resolver *r, const char *type, const char *name, struct query_span at)
{
	for (size_t site = 0; site < r->plan->n_sites; site++) {
		const struct ward_types *t = types_wanted(r, site);

		for (uint32_t i = 1; t && i < t->n_types; i++)
			if (t->types[i].kind == WARD_TYPE_ENUMERATION && strcmp(t->types[i].name, type) == 0)
				return enumerator_in(&r->maker, TYPE_NUMBER(site, i), name, at);
	}
	return NULL;
}

struct expr *enumerator_of(struct expr_maker *m, struct type type, const char *name, struct query_span at)
{
	return enumerator_in(m, type.number, name, at);
}

const char *enumerator_name(const struct ward_types *const *types, struct type type, uint64_t value)
{
	const struct ward_type *e = type.kind == TYPE_INT && type.number ? type_at(types, type.number) : NULL;

	for (uint32_t i = 0; e && e->kind == WARD_TYPE_ENUMERATION && i < e->n; i++) {
		const struct ward_enumerator *one = &table_of(types, type.number)->enumerators[e->first + i];

		if (expr_extend(type, one->value) == expr_extend(type, value))
			return one->name;
	}
	return NULL;
}
