/* SPDX-License-Identifier: Apache-2.0 */
#include "ptr_map.h"

#include <stdint.h>
#include <stdlib.h>

struct index_slot {
	const void *key;
	int number;
};

static struct index_slot *slot_find(const struct index *x, const void *key)
{
	size_t i = (size_t)((uintptr_t)key * 0x9e3779b97f4a7c15u >> 20) & (x->cap - 1);

	while (x->slot[i].key && x->slot[i].key != key)
		i = (i + 1) & (x->cap - 1);
	return &x->slot[i];
}

static bool index_grow(struct index *x)
{
	struct index old = *x;
	size_t i;

	x->cap = old.cap ? old.cap * 2 : 64;
	x->slot = calloc(x->cap, sizeof(*x->slot));
	if (!x->slot) {
		*x = old;
		return false;
	}
	for (i = 0; i < old.cap; i++)
		if (old.slot[i].key)
			*slot_find(x, old.slot[i].key) = old.slot[i];
	free(old.slot);
	return true;
}

bool index_set(struct index *x, const void *key, int number)
{
	struct index_slot *s;

	if (x->n * 2 >= x->cap && !index_grow(x))
		return false;
	s = slot_find(x, key);
	x->n += !s->key;
	*s = (struct index_slot){key, number};
	return true;
}

int index_get(const struct index *x, const void *key, int none)
{
	const struct index_slot *s = x->cap ? slot_find(x, key) : NULL;

	return s && s->key ? s->number : none;
}

void index_free(struct index *x)
{
	free(x->slot);
	*x = (struct index){0};
}
