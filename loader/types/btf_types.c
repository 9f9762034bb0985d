/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of BTF, as dwarf_types.c reads them of DWARF: numbers first, then what they lead to, the nearest first, until
 * the table is full. The kernel's types lead to nearly all of its structures, so that end is usual.
 */
#include "btf_types.h"

#include <stdlib.h>
#include <string.h>

/* The kernel's and a module's types have one range of numbers. */
static uint32_t count_types(const struct wl_btf *btf)
{
	return btf->first_type + btf->n_types;
}

static bool reader_reserve(struct btf_reader *r)
{
	uint32_t room = r->room ? 2 * r->room : 256;
	struct btf_seen *seen;

	if (!r->slots) {
		r->n_slots = count_types(r->btf);
		r->slots = calloc(r->n_slots, sizeof(*r->slots));
	}
	if (!r->slots || r->n < r->room)
		return r->slots != NULL;
	seen = reallocarray(r->seen, room, sizeof(*seen));
	if (!seen)
		return false;
	r->seen = seen;
	r->room = room;
	return true;
}

static void set_integer(const struct btf_type *type, const char *name, struct table_type *t)
{
	uint32_t data;

	memcpy(&data, type + 1, sizeof(data));
	t->size = type->size;
	t->kind = type->size > 8                          ? WARD_TYPE_OTHER
		  : BTF_INT_ENCODING(data) & BTF_INT_BOOL ? WARD_TYPE_BOOL
							  : WARD_TYPE_INT;
	t->is_signed = (BTF_INT_ENCODING(data) & BTF_INT_SIGNED) != 0;
	t->is_char = type->size == 1 && strcmp(name, "char") == 0;
}

static void set_kind(const struct wl_btf *btf, const struct btf_type *type, struct table_type *t)
{
	switch (wl_btf_kind(type)) {
	case BTF_KIND_INT: set_integer(type, wl_btf_name(btf, type->name_off), t); break;
	case BTF_KIND_FLOAT:
		t->kind = WARD_TYPE_REAL;
		t->size = type->size;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		t->kind = WARD_TYPE_ENUMERATION;
		t->size = type->size;
		t->is_signed = BTF_INFO_KFLAG(type->info);
		break;
	case BTF_KIND_PTR:
		t->kind = WARD_TYPE_POINTER;
		t->size = 8;
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		t->kind = WARD_TYPE_STRUCTURE;
		t->size = type->size;
		t->is_union = wl_btf_kind(type) == BTF_KIND_UNION;
		break;
	case BTF_KIND_FWD:
		t->kind = WARD_TYPE_STRUCTURE;
		t->is_incomplete = true;
		break;
	case BTF_KIND_ARRAY: t->kind = WARD_TYPE_ARRAY; break;
	default: t->kind = WARD_TYPE_OTHER;
	}
}

/* What a typedef calls it, if it has no name of its own. */
static const char *name_of(const struct wl_btf *btf, uint32_t number, uint32_t plain)
{
	const struct btf_type *type = wl_btf_type(btf, plain);
	const char *name = wl_btf_name(btf, type->name_off);

	for (int hop = 0; hop < 64 && !*name && number != plain; hop++) {
		const struct btf_type *at = wl_btf_type(btf, number);

		if (!at)
			break;
		if (wl_btf_kind(at) == BTF_KIND_TYPEDEF)
			name = wl_btf_name(btf, at->name_off);
		number = at->type;
	}
	return name;
}

uint32_t btf_type_number(struct btf_reader *r, uint32_t number)
{
	uint32_t plain = wl_btf_plain(r->btf, number), name;
	const struct btf_type *type = wl_btf_type(r->btf, plain);
	struct table_type *t;

	if (!type || !reader_reserve(r) || plain >= r->n_slots)
		return 0;
	if (r->slots[plain])
		return r->seen[r->slots[plain] - 1].type;
	t = table_add(r->table, LIST_TYPES);
	if (!t)
		return 0;
	r->seen[r->n++] = (struct btf_seen){plain, r->table->lists[LIST_TYPES].n - 1};
	r->slots[plain] = r->n;
	if (plain)
		set_kind(r->btf, type, t);
	else
		t->kind = WARD_TYPE_VOID;
	name = plain ? table_text(r->table, name_of(r->btf, number, plain)) : 0;
	table_type(r->table, r->seen[r->n - 1].type)->name = name;
	return r->seen[r->n - 1].type;
}

static void read_enumerators(struct btf_reader *r, const struct btf_type *type, uint32_t number)
{
	const struct btf_enum *v = (const struct btf_enum *)(type + 1);
	const struct btf_enum64 *wide = (const struct btf_enum64 *)(type + 1);
	bool is_wide = wl_btf_kind(type) == BTF_KIND_ENUM64;
	uint32_t first = r->table->lists[LIST_ENUMERATORS].n, n = 0;

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		uint32_t name = table_text(r->table, wl_btf_name(r->btf, is_wide ? wide[i].name_off : v[i].name_off));
		struct table_enumerator *e = name ? table_add(r->table, LIST_ENUMERATORS) : NULL;

		if (!e)
			break;
		e->name = name;
		e->value = is_wide                      ? (uint64_t)wide[i].val_hi32 << 32 | wide[i].val_lo32
			   : BTF_INFO_KFLAG(type->info) ? (uint64_t)(int64_t)v[i].val
							: (uint32_t)v[i].val;
		n++;
	}
	table_type(r->table, number)->first = first;
	table_type(r->table, number)->n = n;
}

static void read_members(struct btf_reader *r, const struct btf_type *type, uint32_t number)
{
	const struct btf_member *v = (const struct btf_member *)(type + 1);
	uint32_t first = r->table->lists[LIST_MEMBERS].n, n = 0;

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		bool packed = BTF_INFO_KFLAG(type->info);
		uint32_t bits = packed ? BTF_MEMBER_BITFIELD_SIZE(v[i].offset) : 0,
			 offset = packed ? BTF_MEMBER_BIT_OFFSET(v[i].offset) : v[i].offset;
		struct table_member member = {table_text(r->table, wl_btf_name(r->btf, v[i].name_off)),
			btf_type_number(r, v[i].type), bits, 0, bits ? offset : offset / 8};
		struct table_member *m;

		if (bits > 64 || (!bits && offset % 8))
			continue;
		m = table_add(r->table, LIST_MEMBERS);
		if (!m)
			break;
		*m = member;
		n++;
	}
	table_type(r->table, number)->first = first;
	table_type(r->table, number)->n = n;
}

static void read_array(struct btf_reader *r, const struct btf_type *type, uint32_t number)
{
	const struct btf_array *array = (const struct btf_array *)(type + 1);
	uint32_t of = btf_type_number(r, array->type);

	table_type(r->table, number)->of = of;
	table_type(r->table, number)->n = array->nelems;
	table_type(r->table, number)->size = table_type(r->table, of)->size * array->nelems;
}

void btf_types_read(struct btf_reader *r)
{
	for (; r->read < r->n; r->read++) {
		struct btf_seen seen = r->seen[r->read];
		const struct btf_type *type = wl_btf_type(r->btf, seen.number);
		uint32_t of;

		switch (table_type(r->table, seen.type)->kind) {
		case WARD_TYPE_ENUMERATION: read_enumerators(r, type, seen.type); break;
		case WARD_TYPE_STRUCTURE:
			if (!table_type(r->table, seen.type)->is_incomplete)
				read_members(r, type, seen.type);
			break;
		case WARD_TYPE_ARRAY: read_array(r, type, seen.type); break;
		case WARD_TYPE_POINTER:
			of = btf_type_number(r, type->type);
			table_type(r->table, seen.type)->of = of;
			break;
		default: break;
		}
	}
}

void btf_types_free(struct btf_reader *r)
{
	free(r->seen);
	free(r->slots);
	*r = (struct btf_reader){.btf = NULL};
}
