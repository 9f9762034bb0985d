/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table with open addresses, at most half full. */
#include "names.h"

#include <stdlib.h>
#include <string.h>

static uint64_t name_hash(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;
	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
	return hash ^ hash >> 32;
}

/* Where the name is in the table, or would be. */
static size_t name_place(const struct cluster_names *names, const char *name)
{
	size_t i = name_hash(name) & (names->table_size - 1);
	while (names->table[i] && strcmp(names->at[names->table[i] - 1], name) != 0)
		i = (i + 1) & (names->table_size - 1);
	return i;
}

static bool table_grow(struct cluster_names *names)
{
	size_t size = names->table_size ? names->table_size * 2 : 64;
	size_t *table = calloc(size, sizeof(*table));
	if (!table)
		return false;
	free(names->table);
	names->table = table;
	names->table_size = size;
	for (size_t i = 0; i < names->n; i++)
		table[name_place(names, names->at[i])] = i + 1;
	return true;
}

size_t cluster_names_find(const struct cluster_names *names, const char *name)
{
	size_t i = names->table_size ? names->table[name_place(names, name)] : 0;
	return i ? i - 1 : SIZE_MAX;
}

size_t cluster_names_add(struct cluster_names *names, const char *name)
{
	size_t length = name ? strnlen(name, CLUSTER_MOST_NAME + 1) : 0;
	if (length == 0 || length > CLUSTER_MOST_NAME)
		return SIZE_MAX;
	size_t found = cluster_names_find(names, name);
	if (found != SIZE_MAX)
		return found;
	if (!cluster_array_grow(&names->at, &names->room, names->n + 1, sizeof(char *)) ||
		(names->n * 2 >= names->table_size && !table_grow(names)))
		return SIZE_MAX;
	char *copy = strdup(name);
	if (!copy)
		return SIZE_MAX;
	names->table[name_place(names, name)] = names->n + 1;
	names->at[names->n] = copy;
	return names->n++;
}

void cluster_names_free(struct cluster_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->at[i]);
	free(names->at);
	free(names->table);
	*names = (struct cluster_names){0};
}
