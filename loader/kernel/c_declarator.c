/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types in C syntax. The declared name is in the middle, and the text grows on both sides while the type is followed
 * from the outside in. A pointer adds a star in front, an array or a function adds text behind, and any other type
 * ends the text, in front.
 */
#include "btf.h"

#include <stdio.h>
#include <string.h>

enum {
	MAX_STEPS = 64,  /* pointers, arrays and so on, one of the other: what has more is none of the kernel's */
	MAX_NESTED = 4,  /* prototypes as parameters of others */
	MAX_TEXT = 1024, /* of one parameter */
};

struct text {
	char *p;
	size_t n, size;
	bool full;
};

static void text_insert(struct text *t, size_t at, const char *s)
{
	size_t n = strlen(s);

	if (t->full || t->size - t->n <= n) {
		t->full = true;
		return;
	}
	memmove(t->p + at + n, t->p + at, t->n - at + 1);
	memcpy(t->p + at, s, n);
	t->n += n;
}

static void text_prepend(struct text *t, const char *s)
{
	text_insert(t, 0, s);
}

static void text_append(struct text *t, const char *s)
{
	text_insert(t, t->n, s);
}

/* Stars bind less than what stands behind. */
static void text_enclose(struct text *t, bool pointer)
{
	if (pointer) {
		text_prepend(t, "(");
		text_append(t, ")");
	}
}

static bool write_parameters(
	const struct wl_btf *b, const struct btf_type *prototype, unsigned first, struct text *t, unsigned nested);

/* What ends a declaration: the name of a type. NULL: it is none. */
static const char *prefix_of(const struct btf_type *type)
{
	switch (wl_btf_kind(type)) {
	case BTF_KIND_STRUCT: return "struct ";
	case BTF_KIND_UNION: return "union ";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return "enum ";
	case BTF_KIND_FWD: return BTF_INFO_KFLAG(type->info) ? "union " : "struct ";
	case BTF_KIND_UNKN:
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPEDEF: return "";
	default: return NULL;
	}
}

static bool put_named(const struct wl_btf *b, const struct btf_type *type, const char *qualifiers, struct text *t)
{
	const char *prefix = prefix_of(type), *name = wl_btf_name(b, type->name_off);

	if (!prefix)
		return false;
	if (t->n)
		text_prepend(t, " ");
	text_prepend(t, type->name_off && *name ? name : *prefix ? "{...}" : "void");
	text_prepend(t, prefix);
	text_prepend(t, qualifiers);
	return !t->full;
}

/* The text has what is declared. */
static bool write_declaration(const struct wl_btf *b, uint32_t number, struct text *t, unsigned nested)
{
	char qualifiers[40] = "", count[24];
	bool pointer = false;

	for (unsigned steps = 0; steps < MAX_STEPS && !t->full; steps++) {
		const struct btf_type *type = wl_btf_type(b, number);
		const struct btf_array *array;
		const char *more = "";

		if (!type)
			return false;
		number = type->type;
		switch (wl_btf_kind(type)) {
		case BTF_KIND_CONST: more = "const "; break;
		case BTF_KIND_VOLATILE: more = "volatile "; break;
		case BTF_KIND_RESTRICT: more = "restrict "; break;
		case BTF_KIND_TYPE_TAG: break;
		case BTF_KIND_PTR:
			text_prepend(t, qualifiers);
			text_prepend(t, "*");
			*qualifiers = 0;
			pointer = true;
			break;
		case BTF_KIND_ARRAY:
			array = (const struct btf_array *)(type + 1);
			number = array->type;
			text_enclose(t, pointer);
			snprintf(count, sizeof(count), "[%u]", array->nelems);
			text_append(t, count);
			pointer = false;
			break;
		case BTF_KIND_FUNC_PROTO:
			text_enclose(t, pointer);
			text_append(t, "(");
			if (nested == MAX_NESTED || !write_parameters(b, type, 0, t, nested + 1))
				return false;
			text_append(t, ")");
			pointer = false;
			break;
		default: return put_named(b, type, qualifiers, t);
		}
		if (!strstr(qualifiers, more))
			strcat(qualifiers, more);
	}
	return false;
}

static bool write_parameters(
	const struct wl_btf *b, const struct btf_type *prototype, unsigned first, struct text *t, unsigned nested)
{
	const struct btf_param *v = (const struct btf_param *)(prototype + 1);
	unsigned n = BTF_INFO_VLEN(prototype->info);
	char one[MAX_TEXT];

	if (n <= first)
		text_append(t, "void");
	for (unsigned i = first; i < n && !t->full; i++) {
		struct text declared = {.p = one, .size = sizeof(one)};

		*one = 0;
		if (i > first)
			text_append(t, ", ");
		text_append(&declared, v[i].type ? wl_btf_name(b, v[i].name_off) : "...");
		if (v[i].type && !write_declaration(b, v[i].type, &declared, nested))
			return false;
		text_append(t, one);
	}
	return !t->full;
}

bool wl_btf_declare(const struct wl_btf *b, uint32_t number, const char *name, char *text, size_t size)
{
	struct text t = {.p = text, .size = size};

	if (!size)
		return false;
	*text = 0;
	text_append(&t, name);
	return write_declaration(b, number, &t, 0);
}

bool wl_btf_parameters(
	const struct wl_btf *b, const struct btf_type *prototype, unsigned first, char *text, size_t size)
{
	struct text t = {.p = text, .size = size};

	if (!size)
		return false;
	*text = 0;
	return write_parameters(b, prototype, first, &t, 0);
}
