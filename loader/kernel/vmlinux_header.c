/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's structures and unions, as a header for probes. Every member has the offset that BTF says. So all
 * structures are packed, and gaps are filled with bytes that have names of their own. The header declares no names
 * that might clash with the probe's: typedefs are replaced by what they stand for, enumerations by numbers. A member
 * that C can't express becomes a gap: one whose name isn't valid in C, one that overlaps the member before it, or one
 * that contains itself. Pointers to functions, and to types without a name, are void *. Bit fields keep their names,
 * for the error message, and have a type that can't be read.
 *
 * A module's types build on the kernel's, and types of different modules have the same numbers. So results for a type
 * are kept by its number, for the kernel, and for the current module.
 */
#include "btf.h"
#include "btf_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_STEPS = 64,      /* pointers, arrays and qualifiers, one of the other */
	MAX_DEPTH = 64,      /* structures in each other */
	MAX_LINES = 1 << 22, /* of all members: what has more is made up */
	MAX_DECLARATOR = 600,
};

/* What has become of a structure or union. */
enum { NEW, OPEN /* its members are looked at */, SOLID /* it is in itself: bytes, without members */, READY, WRITTEN };

struct writer {
	const struct wl_btf *b; /* whose turn it is, the kernel's or a module's */
	size_t turn;
	const struct wl_tags *tags;
	FILE *out;
	uint8_t *of_kernel, *of_own; /* states, by the number from the first on */
	size_t lines;
	uint32_t holes;
};

static uint8_t *state_of(const struct writer *w, uint32_t number)
{
	return number < w->b->first_type ? &w->of_kernel[number - 1] : &w->of_own[number - w->b->first_type];
}

static bool has_tag(const struct writer *w, const struct btf_type *type)
{
	return wl_is_tag(wl_btf_name(w->b, type->name_off));
}

/* What an array is of, in the end; *n: how many, of all dimensions. 0 if that can't be said. */
static uint32_t element_of(const struct writer *w, uint32_t number, uint64_t *n)
{
	*n = 1;
	number = wl_btf_plain(w->b, number);
	for (unsigned steps = 0; number && steps < MAX_STEPS; steps++) {
		const struct btf_type *type = wl_btf_type(w->b, number);
		const struct btf_array *array = (const struct btf_array *)(type + 1);

		if (wl_btf_kind(type) != BTF_KIND_ARRAY)
			return number;
		*n *= array->nelems;
		if (*n > UINT32_MAX)
			return 0;
		number = wl_btf_plain(w->b, array->type);
	}
	return 0;
}

/* Bytes of a type; -1 if there is nothing of it. */
static int64_t size_of(const struct writer *w, uint32_t number)
{
	uint64_t n;
	const struct btf_type *type = wl_btf_type(w->b, element_of(w, number, &n));
	uint64_t size;

	switch (wl_btf_kind(type)) {
	case BTF_KIND_PTR: size = 8; break;
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: size = type->size; break;
	default: return -1;
	}
	return size * n > UINT32_MAX ? -1 : (int64_t)(size * n);
}

/* ---- Members ---- */

struct member {
	const char *name; /* "" has none */
	uint32_t type;
	uint32_t at; /* bytes */
	uint32_t size;
	bool is_bits;
};

/* Member i, if it is one that can stand behind what takes `end` bytes. */
static bool get_member(
	const struct writer *w, const struct btf_type *composite, unsigned i, uint32_t end, struct member *m)
{
	const struct btf_member *v = (const struct btf_member *)(composite + 1) + i;
	bool packed = BTF_INFO_KFLAG(composite->info);
	uint32_t bit = packed ? BTF_MEMBER_BIT_OFFSET(v->offset) : v->offset;
	int64_t size = size_of(w, v->type);

	*m = (struct member){
		.name = wl_btf_name(w->b, v->name_off), .type = v->type, .at = bit / 8, .size = (uint32_t)size};
	if (v->name_off ? !wl_is_tag(m->name) : !wl_btf_is_composite(wl_btf_type(w->b, wl_btf_plain(w->b, v->type))))
		return false;
	m->is_bits = bit % 8 || (packed && BTF_MEMBER_BITFIELD_SIZE(v->offset));
	if (m->is_bits)
		return v->name_off && m->at <= composite->size;
	return size >= 0 && m->at >= end && size <= (int64_t)composite->size - m->at;
}

/* ---- The order ---- */

static bool write_tagged(struct writer *w, uint32_t number);

/*
 * Write what a structure needs before it; what holds itself, or is too deep in others, is bytes. False: no memory, or
 * too much.
 */
static bool write_needed(struct writer *w, uint32_t number, unsigned depth)
{
	const struct btf_type *type = wl_btf_type(w->b, number);

	*state_of(w, number) = OPEN;
	for (unsigned i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		uint64_t n;
		uint32_t inner = element_of(w, ((const struct btf_member *)(type + 1))[i].type, &n);

		if (!wl_btf_is_composite(wl_btf_type(w->b, inner)))
			continue;
		if (*state_of(w, inner) == OPEN || depth == MAX_DEPTH) {
			*state_of(w, number) = SOLID;
			return true;
		}
		if (*state_of(w, inner) == NEW && !write_needed(w, inner, depth + 1))
			return false;
		if (has_tag(w, wl_btf_type(w->b, inner)) && !write_tagged(w, inner))
			return false;
	}
	*state_of(w, number) = READY;
	return true;
}

/* ---- Writing ---- */

static void put_number(const struct btf_type *type, const char *name, FILE *out)
{
	uint32_t encoding = wl_btf_kind(type) == BTF_KIND_INT ? BTF_INT_ENCODING(*(const uint32_t *)(type + 1))
			    : BTF_INFO_KFLAG(type->info)      ? BTF_INT_SIGNED
							      : 0;
	const char *sign = encoding & BTF_INT_SIGNED ? "" : "unsigned ";

	if (type->size == 1 && strcmp(name, "char") == 0)
		fputs("char", out);
	else if (type->size == 1 && encoding & BTF_INT_BOOL)
		fputs("_Bool", out);
	else
		switch (type->size) {
		case 1: fprintf(out, "%s", *sign ? "unsigned char" : "signed char"); break;
		case 2: fprintf(out, "%sshort", sign); break;
		case 4: fprintf(out, "%sint", sign); break;
		case 8: fprintf(out, "%slong", sign); break;
		case 16: fprintf(out, "%s__int128", sign); break;
		default: fprintf(out, "struct { unsigned char bytes[%u]; }", type->size);
		}
}

static void put_tag(const struct writer *w, uint32_t number)
{
	wl_tags_put(w->tags, w->turn, number, w->out);
}

/* Can a declaration end with it? A structure with a name, or a number. */
static bool has_name(const struct writer *w, uint32_t number)
{
	const struct btf_type *type = wl_btf_type(w->b, number);

	switch (wl_btf_kind(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FWD: return has_tag(w, type);
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FLOAT: return true;
	default: return false;
	}
}

static void put_name(const struct writer *w, uint32_t number)
{
	const struct btf_type *type = wl_btf_type(w->b, number);

	switch (wl_btf_kind(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FWD: put_tag(w, number); break;
	default: put_number(type, wl_btf_name(w->b, type->name_off), w->out);
	}
}

/* A declarator, which grows on both sides of a name, "(*name)[4]", and what it ends with. */
struct declarator {
	char text[MAX_DECLARATOR];
	uint32_t number; /* 0: void, or what can't be said */
	bool follows;    /* a pointer is on the way */
};

static bool declarator_wrap(struct declarator *d, const char *before, const char *behind)
{
	size_t n = strlen(d->text), a = strlen(before), z = strlen(behind);

	if (n + a + z >= sizeof(d->text))
		return false;
	memmove(d->text + a, d->text, n + 1);
	memcpy(d->text, before, a);
	memcpy(d->text + a + n, behind, z + 1);
	return true;
}

/* False if it can't be said. */
static bool get_declarator(const struct writer *w, uint32_t number, const char *name, struct declarator *d)
{
	bool pointer = false; /* was the last thing */
	const struct btf_type *type;
	char count[24];

	*d = (struct declarator){0};
	snprintf(d->text, sizeof(d->text), "%s", name);
	for (unsigned steps = 0; steps < MAX_STEPS; steps++) {
		const struct btf_array *array;

		number = wl_btf_plain(w->b, number);
		type = wl_btf_type(w->b, number);
		array = (const struct btf_array *)(type + 1);
		switch (wl_btf_kind(type)) {
		case BTF_KIND_PTR:
			if (!declarator_wrap(d, "*", ""))
				return false;
			pointer = d->follows = true;
			number = type->type;
			break;
		case BTF_KIND_ARRAY:
			snprintf(count, sizeof(count), "%s[%" PRIu32 "]", pointer ? ")" : "", array->nelems);
			if (!declarator_wrap(d, pointer ? "(" : "", count))
				return false;
			pointer = false;
			number = array->type;
			break;
		default:
			d->number = has_name(w, number) || (!d->follows && wl_btf_is_composite(type)) ? number : 0;
			return d->number || pointer;
		}
	}
	return false;
}

static bool put_members(struct writer *w, uint32_t number, unsigned depth);

static void put_hole(struct writer *w, uint32_t size)
{
	if (size)
		fprintf(w->out, "unsigned char ward_hole_%" PRIu32 "[%" PRIu32 "];\n", ++w->holes, size);
}

/* One member. What has no name for a type, or is none itself, has its members there. False if there is too much. */
static bool put_member(struct writer *w, const struct member *m, const struct declarator *d, unsigned depth)
{
	const struct btf_type *type = wl_btf_type(w->b, d->number);
	bool inner = !d->follows && wl_btf_is_composite(type) && (!has_tag(w, type) || !*m->name);

	if (inner)
		fputs(wl_btf_kind(type) == BTF_KIND_UNION ? "union" : "struct", w->out);
	if (inner && !put_members(w, d->number, depth + 1))
		return false;
	if (!inner && d->number)
		put_name(w, d->number);
	else if (!inner)
		fputs("void", w->out);
	fprintf(w->out, " %s;\n", d->text);
	return true;
}

/* What is in braces, and no larger or smaller than the type. */
static bool put_members(struct writer *w, uint32_t number, unsigned depth)
{
	const struct btf_type *type = wl_btf_type(w->b, number);
	bool is_union = wl_btf_kind(type) == BTF_KIND_UNION;
	unsigned n = *state_of(w, number) == SOLID ? 0 : BTF_INFO_VLEN(type->info);
	uint32_t end = 0;

	fputs(" {\n", w->out);
	for (unsigned i = 0; i < n; i++) {
		struct declarator d;
		struct member m;

		if (++w->lines > MAX_LINES || depth > MAX_DEPTH + 1)
			return false;
		if (!get_member(w, type, i, end, &m) || (is_union && m.at))
			continue;
		if (m.is_bits) {
			fprintf(w->out, "struct ward_bit_field %s;\n", m.name);
			continue;
		}
		if (!get_declarator(w, m.type, m.name, &d))
			continue;
		put_hole(w, m.at - end);
		if (!put_member(w, &m, &d, depth))
			return false;
		end = is_union ? 0 : m.at + m.size;
	}
	put_hole(w, type->size - end);
	fputs("} __attribute__((packed))", w->out);
	return true;
}

static bool write_tagged(struct writer *w, uint32_t number)
{
	if (*state_of(w, number) == WRITTEN)
		return true;
	put_tag(w, number);
	if (!put_members(w, number, 0))
		return false;
	fputs(";\n_Static_assert(sizeof(", w->out);
	put_tag(w, number);
	fprintf(w->out, ") == %" PRIu32 ", \"as the kernel has it\");\n", wl_btf_type(w->b, number)->size);
	*state_of(w, number) = WRITTEN;
	return true;
}

/* ---- The kernel, then its modules ---- */

/* What the module before has found out of the kernel's types without names, by way of its own, means nothing here. */
static bool write_own(struct writer *w)
{
	for (uint32_t i = 1; i < w->b->first_type; i++)
		if (*state_of(w, i) != WRITTEN)
			*state_of(w, i) = NEW;
	for (uint32_t i = 0; i < w->b->n_types; i++) {
		uint32_t number = w->b->first_type + i;
		const struct btf_type *type = wl_btf_type(w->b, number);

		if (*state_of(w, number) != NEW || !wl_btf_is_composite(type) || !has_tag(w, type))
			continue;
		if (!write_needed(w, number, 0) || !write_tagged(w, number))
			return false;
	}
	return true;
}

/* 0, EINVAL or ENOMEM. */
static int take_turn(struct writer *w, const struct wl_btf *b, size_t turn)
{
	bool ok;

	w->b = b;
	w->turn = turn;
	w->of_own = calloc((size_t)b->n_types + 1, sizeof(*w->of_own));
	if (!w->of_own)
		return ENOMEM;
	ok = write_own(w);
	if (turn)
		free(w->of_own);
	else
		w->of_kernel = w->of_own;
	return ok ? 0 : EINVAL;
}

bool wl_btf_header(const struct wl_btf *const *v, size_t n, FILE *out)
{
	struct writer w = {.out = out};
	struct wl_tags *tags = wl_tags_find(v, n);
	int error = tags ? 0 : ENOMEM;

	w.tags = tags;
	for (size_t i = 0; !error && i < n; i++)
		error = take_turn(&w, v[i], i);
	free(w.of_kernel);
	wl_tags_free(tags);
	errno = error;
	return !error;
}
