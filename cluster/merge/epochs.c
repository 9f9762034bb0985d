/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table with open addresses, at most half full, as that of names. */
#include "epochs.h"

#include <stdlib.h>

static uint64_t key_hash(const struct cluster_epoch_key *key)
{
	uint64_t x = key->machine * 0x9e3779b97f4a7c15 ^ key->epoch * 0xc2b2ae3d27d4eb4f ^ key->nonce;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	return x ^ x >> 31;
}

static bool key_equal(const struct cluster_epoch_key *x, const struct cluster_epoch_key *y)
{
	return x->machine == y->machine && x->epoch == y->epoch && x->nonce == y->nonce;
}

/* Where the key is in the table, or would be. */
static size_t key_place(const struct cluster_epochs *e, const struct cluster_epoch_key *key)
{
	size_t i = key_hash(key) & (e->table_size - 1);
	while (e->table[i] && !key_equal(&e->at[e->table[i] - 1], key))
		i = (i + 1) & (e->table_size - 1);
	return i;
}

static bool table_grow(struct cluster_epochs *e)
{
	size_t size = e->table_size ? e->table_size * 2 : 64;
	size_t *table = calloc(size, sizeof(*table));
	if (!table)
		return false;
	free(e->table);
	e->table = table;
	e->table_size = size;
	for (size_t i = 0; i < e->n; i++)
		table[key_place(e, &e->at[i])] = i + 1;
	return true;
}

size_t cluster_epochs_add(struct cluster_epochs *e, const char *machine, uint64_t epoch, uint64_t nonce)
{
	struct cluster_epoch_key key = {cluster_names_add(&e->names, machine), epoch, nonce};
	if (key.machine == SIZE_MAX || !cluster_array_grow(&e->at, &e->room, e->n + 1, sizeof(*e->at)) ||
		(e->n * 2 >= e->table_size && !table_grow(e)))
		return SIZE_MAX;
	size_t place = key_place(e, &key);
	if (e->table[place])
		return e->table[place] - 1;
	e->table[place] = e->n + 1;
	e->at[e->n] = key;
	return e->n++;
}

size_t cluster_epochs_find(const struct cluster_epochs *e, const char *machine, uint64_t epoch, uint64_t nonce)
{
	struct cluster_epoch_key key = {cluster_names_find(&e->names, machine), epoch, nonce};
	size_t i = key.machine != SIZE_MAX && e->table_size ? e->table[key_place(e, &key)] : 0;
	return i ? i - 1 : SIZE_MAX;
}

void cluster_epochs_free(struct cluster_epochs *e)
{
	cluster_names_free(&e->names);
	free(e->at);
	free(e->table);
	*e = (struct cluster_epochs){0};
}
