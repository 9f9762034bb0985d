/* SPDX-License-Identifier: Apache-2.0 */
#include "btf_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A structure or union with a name, or the declaration of one that is defined elsewhere, or nowhere. */
struct tag {
	const char *name;
	const struct btf_type *type; /* NULL in keys: before all of the turn */
	size_t turn;
	uint32_t number;
};

struct wl_tags {
	const struct wl_btf *const *btf;
	struct tag *v; /* of all turns, in order of the names */
	size_t n;
	uint32_t *rank[]; /* of each turn, by the number from its first on: how many have the name before it */
};

bool wl_is_tag(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return *name && !(*name >= '0' && *name <= '9') && strspn(name, letters) == strlen(name) && strlen(name) < 256;
}

static bool is_union(const struct btf_type *type)
{
	return wl_btf_kind(type) == BTF_KIND_UNION || (wl_btf_kind(type) == BTF_KIND_FWD && BTF_INFO_KFLAG(type->info));
}

/* Of one name those of an earlier turn stand first, and of each turn definitions before declarations. */
static int in_order(const void *a, const void *b)
{
	const struct tag *x = a, *y = b;
	int names = strcmp(x->name, y->name);
	bool x_declared = x->type && !wl_btf_is_composite(x->type),
	     y_declared = y->type && !wl_btf_is_composite(y->type);

	if (names)
		return names;
	if (x->turn != y->turn)
		return x->turn > y->turn ? 1 : -1;
	return x_declared != y_declared ? x_declared - y_declared : (x->number > y->number) - (x->number < y->number);
}

static bool find_own(struct wl_tags *t, size_t turn)
{
	const struct wl_btf *b = t->btf[turn];

	t->rank[turn] = calloc((size_t)b->n_types + 1, sizeof(*t->rank[turn]));
	for (uint32_t i = 0; i < b->n_types; i++) {
		uint32_t number = b->first_type + i;
		const struct btf_type *type = wl_btf_type(b, number);
		const char *name = wl_btf_name(b, type->name_off);

		if ((wl_btf_is_composite(type) || wl_btf_kind(type) == BTF_KIND_FWD) && wl_is_tag(name))
			t->v[t->n++] = (struct tag){name, type, turn, number};
	}
	return t->rank[turn];
}

/*
 * Who comes first has the name as it is; but where that is only declared, a definition of the other kind can't have it.
 */
static void set_ranks(struct wl_tags *t)
{
	const struct tag *first = t->v;
	uint32_t next = 0;

	for (const struct tag *tag = t->v; tag < t->v + t->n; tag++) {
		if (strcmp(first->name, tag->name) != 0) {
			first = tag;
			next = 0;
		}
		if (!wl_btf_is_composite(tag->type))
			continue;
		if (!next && is_union(tag->type) != is_union(first->type))
			next = 1;
		t->rank[tag->turn][tag->number - t->btf[tag->turn]->first_type] = next++;
	}
}

struct wl_tags *wl_tags_find(const struct wl_btf *const *v, size_t n)
{
	struct wl_tags *t = calloc(1, sizeof(*t) + (n + 1) * sizeof(*t->rank)); /* a NULL behind the last */
	size_t room = 1;
	bool ok;

	for (size_t i = 0; i < n; i++)
		room += v[i]->n_types;
	if (!t)
		return NULL;
	t->btf = v;
	t->v = calloc(room, sizeof(*t->v));
	ok = t->v;
	for (size_t i = 0; ok && i < n; i++)
		ok = find_own(t, i);
	if (ok) {
		qsort(t->v, t->n, sizeof(*t->v), in_order);
		set_ranks(t);
		return t;
	}
	wl_tags_free(t);
	return NULL;
}

void wl_tags_free(struct wl_tags *t)
{
	if (!t)
		return;
	for (uint32_t **rank = t->rank; *rank; rank++)
		free(*rank);
	free(t->v);
	free(t);
}

/* The first tag of the name that is of that turn or a later one. */
static const struct tag *tag_find(const struct wl_tags *t, const char *name, size_t turn)
{
	const struct tag key = {.name = name, .turn = turn};
	size_t lo = 0, n = t->n;

	while (n > 0) {
		size_t half = n / 2;

		if (in_order(&t->v[lo + half], &key) < 0) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo < t->n && strcmp(t->v[lo].name, name) == 0 ? &t->v[lo] : NULL;
}

static void put_definition(const struct wl_tags *t, size_t turn, uint32_t number, FILE *out)
{
	size_t whose = number < t->btf[turn]->first_type ? 0 : turn;
	const struct btf_type *type = wl_btf_type(t->btf[turn], number);
	uint32_t rank = t->rank[whose][number - t->btf[whose]->first_type];

	fprintf(out, "%s %s", is_union(type) ? "union" : "struct", wl_btf_name(t->btf[turn], type->name_off));
	if (rank)
		fprintf(out, "___%" PRIu32, rank + 1);
}

/*
 * What is only declared is the definition of that turn, else whatever has its name as it is: in C no name is a struct's
 * and a union's.
 */
void wl_tags_put(const struct wl_tags *t, size_t turn, uint32_t number, FILE *out)
{
	const struct btf_type *type = wl_btf_type(t->btf[turn], number);
	const char *name = wl_btf_name(t->btf[turn], type->name_off);
	const struct tag *own, *first;

	if (wl_btf_is_composite(type)) {
		put_definition(t, turn, number, out);
		return;
	}
	own = tag_find(t, name, turn);
	first = tag_find(t, name, 0);
	if (own && own->turn == turn && wl_btf_is_composite(own->type))
		put_definition(t, turn, own->number, out);
	else
		fprintf(out, "%s %s", is_union(first ? first->type : type) ? "union" : "struct", name);
}
