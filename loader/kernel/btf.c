/* SPDX-License-Identifier: Apache-2.0 */
/* Reading BTF: types by number and by name, and their members. */
#include "btf.h"

#include "symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct btf_type nothing; /* void */

/* Bytes behind a type; -1: a kind that we don't know. */
static int64_t size_behind(const struct btf_type *type)
{
	int64_t n = BTF_INFO_VLEN(type->info);

	switch (wl_btf_kind(type)) {
	case BTF_KIND_INT: return sizeof(uint32_t);
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return n * (int64_t)sizeof(struct btf_member);
	case BTF_KIND_ENUM: return n * (int64_t)sizeof(struct btf_enum);
	case BTF_KIND_ENUM64: return n * (int64_t)sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO: return n * (int64_t)sizeof(struct btf_param);
	case BTF_KIND_VAR: return sizeof(struct btf_var);
	case BTF_KIND_DATASEC: return n * (int64_t)sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG: return sizeof(struct btf_decl_tag);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG: return 0;
	default: return -1;
	}
}

/* Finds the types, one behind the other in all of bytes[from … end). 0, EINVAL or ENOMEM. */
static int find_types(struct wl_btf *b, uint64_t from, uint64_t end)
{
	uint32_t room = 0;

	while (from < end) {
		const struct btf_type *type = (const struct btf_type *)(b->bytes + from);
		int64_t behind = end - from < sizeof(*type) ? -1 : size_behind(type);

		if (behind < 0 || end - from - sizeof(*type) < (uint64_t)behind)
			return EINVAL;
		if (b->n_types == room) {
			uint32_t *at = reallocarray(b->at, room ? 2 * room : 1024, sizeof(*at));

			if (!at)
				return ENOMEM;
			b->at = at;
			room = room ? 2 * room : 1024;
		}
		b->at[b->n_types++] = (uint32_t)from;
		from += sizeof(*type) + (uint64_t)behind;
	}
	return 0;
}

/* The header says where types and names are, from its own end on. */
static int read_header(struct wl_btf *b, size_t size)
{
	const struct btf_header *h = (const struct btf_header *)b->bytes;
	uint64_t types, names;

	if (size < sizeof(*h) || size > UINT32_MAX || h->magic != BTF_MAGIC || h->version != BTF_VERSION || h->flags ||
		h->hdr_len < sizeof(*h))
		return EINVAL;
	types = (uint64_t)h->hdr_len + h->type_off;
	names = (uint64_t)h->hdr_len + h->str_off;
	if (types % 4 || types > size || h->type_len > size - types || names > size || h->str_len > size - names)
		return EINVAL;
	b->names = (const char *)b->bytes + names;
	b->names_size = h->str_len;
	if (b->names_size && b->names[b->names_size - 1])
		return EINVAL;
	return find_types(b, types, types + h->type_len);
}

struct named {
	const char *name;
	uint32_t number;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int names = strcmp(x->name, y->name);

	return names ? names : (x->number > y->number) - (x->number < y->number);
}

static int index_functions(struct wl_btf *b)
{
	struct named *v = calloc(b->n_types ? b->n_types : 1, sizeof(*v));

	b->functions = calloc(b->n_types ? b->n_types : 1, sizeof(*b->functions));
	if (!v || !b->functions) {
		free(v);
		return ENOMEM;
	}
	for (uint32_t i = 0; i < b->n_types; i++) {
		const struct btf_type *type = wl_btf_type(b, b->first_type + i);
		const char *name = wl_btf_name(b, type->name_off);

		if (wl_btf_kind(type) == BTF_KIND_FUNC && *name)
			v[b->n_functions++] = (struct named){name, b->first_type + i};
	}
	qsort(v, b->n_functions, sizeof(*v), by_name);
	for (uint32_t i = 0; i < b->n_functions; i++)
		b->functions[i] = v[i].number;
	free(v);
	return 0;
}

struct wl_btf *wl_btf_parse(uint8_t *bytes, size_t size, const struct wl_btf *base)
{
	struct wl_btf *b = calloc(1, sizeof(*b));
	int error;

	if (!b) {
		free(bytes);
		return NULL;
	}
	b->bytes = bytes;
	b->base = base;
	b->first_type = base ? base->first_type + base->n_types : 1;
	b->first_name = base ? base->first_name + base->names_size : 0;
	error = read_header(b, size);
	if (!error)
		error = index_functions(b);
	if (!error)
		return b;
	wl_btf_free(b);
	errno = error;
	return NULL;
}

struct wl_btf *wl_btf_read(const char *path, const struct wl_btf *base)
{
	size_t size;
	char *bytes = wl_read_bytes(path, &size);

	return bytes ? wl_btf_parse((uint8_t *)bytes, size, base) : NULL;
}

void wl_btf_free(struct wl_btf *b)
{
	if (!b)
		return;
	free(b->bytes);
	free(b->at);
	free(b->functions);
	free(b);
}

const struct btf_type *wl_btf_type(const struct wl_btf *b, uint32_t number)
{
	if (!number)
		return &nothing;
	while (b && number < b->first_type)
		b = b->base;
	if (!b || number - b->first_type >= b->n_types)
		return NULL;
	return (const struct btf_type *)(b->bytes + b->at[number - b->first_type]);
}

const char *wl_btf_name(const struct wl_btf *b, uint32_t offset)
{
	while (b && offset < b->first_name)
		b = b->base;
	return b && offset - b->first_name < b->names_size ? b->names + (offset - b->first_name) : "";
}

/* The name of the function that is the i-th in their order. */
static const char *function_name(const struct wl_btf *b, uint32_t i)
{
	return wl_btf_name(b, wl_btf_type(b, b->functions[i])->name_off);
}

const struct btf_type *wl_btf_function(const struct wl_btf *b, const char *name)
{
	uint32_t lo = 0, n = b->n_functions;
	const struct btf_type *prototype;

	while (n > 0) {
		uint32_t half = n / 2;

		if (strcmp(function_name(b, lo + half), name) < 0) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	if (lo == b->n_functions || strcmp(function_name(b, lo), name) != 0)
		return NULL;
	if (lo + 1 < b->n_functions && strcmp(function_name(b, lo + 1), name) == 0)
		return NULL;
	prototype = wl_btf_type(b, wl_btf_type(b, b->functions[lo])->type);
	return prototype && wl_btf_kind(prototype) == BTF_KIND_FUNC_PROTO ? prototype : NULL;
}

uint32_t wl_btf_plain(const struct wl_btf *b, uint32_t number)
{
	for (unsigned steps = 0; steps < 64; steps++) {
		const struct btf_type *type = wl_btf_type(b, number);

		switch (type ? wl_btf_kind(type) : BTF_KIND_UNKN) {
		case BTF_KIND_UNKN: return 0;
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG: number = type->type; break;
		default: return number;
		}
	}
	return 0;
}
