/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each different string or block of bytes once, by a number in the order of first sight: a table with open addressing.
 * The hash is keyed at random, so that a target can't choose names that collide.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "format.h"

enum { FIRST = 64 };

static uint64_t hash_key(void)
{
	static uint64_t key;
	if (!key && getrandom(&key, sizeof(key), GRND_NONBLOCK) != sizeof(key))
		key = (uintptr_t)&key;
	return key | 1;
}

static uint64_t hash_bytes(const unsigned char *bytes, size_t size)
{
	uint64_t h = hash_key() ^ size;
	for (size_t i = 0; i < size; i++) {
		h = (h ^ bytes[i]) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	return h;
}

static bool grow_slots(struct intern *in)
{
	size_t slots = in->slots ? in->slots * 2 : 2 * FIRST;
	uint32_t *slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return false;
	for (size_t i = 0; i < in->n; i++) {
		size_t at = in->row[i].hash & (slots - 1);
		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = (uint32_t)i + 1;
	}
	free(in->slot);
	in->slot = slot;
	in->slots = slots;
	return true;
}

static bool grow_rows(struct intern *in)
{
	size_t room = in->room ? in->room * 2 : FIRST;
	struct intern_row *row = room < UINT32_MAX ? reallocarray(in->row, room, sizeof(*row)) : NULL;
	if (!row)
		return false;
	in->row = row;
	in->room = room;
	return true;
}

static bool add_row(struct intern *in, const void *bytes, size_t size, uint64_t hash)
{
	if (in->n == in->room && !grow_rows(in))
		return false;
	char *copy = malloc(size + 1);
	if (!copy)
		return false;
	memcpy(copy, bytes, size);
	copy[size] = 0;
	in->row[in->n++] = (struct intern_row){copy, size, hash};
	return true;
}

int64_t intern_bytes(struct intern *in, const void *bytes, size_t size, bool *is_new)
{
	uint64_t hash = hash_bytes(bytes, size);
	*is_new = false;
	if (in->n * 2 >= in->slots && !grow_slots(in))
		return INTERN_FAILED;
	size_t at = hash & (in->slots - 1);
	for (; in->slot[at]; at = (at + 1) & (in->slots - 1)) {
		const struct intern_row *row = &in->row[in->slot[at] - 1];
		if (row->hash == hash && row->size == size && memcmp(row->bytes, bytes, size) == 0)
			return in->slot[at] - 1;
	}
	if (!add_row(in, bytes, size, hash))
		return INTERN_FAILED;
	*is_new = true;
	in->slot[at] = (uint32_t)in->n;
	return (int64_t)in->n - 1;
}

int64_t intern_text(struct intern *in, const char *text, bool *is_new)
{
	return intern_bytes(in, text, strlen(text), is_new);
}

const char *intern_text_at(const struct intern *in, size_t number)
{
	return in->row[number].bytes;
}

void intern_free(struct intern *in)
{
	for (size_t i = 0; i < in->n; i++)
		free(in->row[i].bytes);
	free(in->row);
	free(in->slot);
	*in = (struct intern){0};
}
