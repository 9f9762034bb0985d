/* SPDX-License-Identifier: Apache-2.0 */
/* How often each word of a text occurs: a hash table with open addressing, keyed by a hash of the word. */
#include "kernel.h"

enum { SIZE = 131072, SLOTS = 1024, MOST_PROBES = 64 };

struct slot {
	uint64_t key, count;
};

struct ward_state {
	uint64_t result;
	char text[SIZE];
	struct slot slot[SLOTS];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x4c54ac2be64b6a2du;

void setup(struct ward_state *st)
{
	uint64_t s = 7;

	for (uint32_t i = 0; i < SIZE;) {
		uint64_t r = kernel_random(&s) % 600, word = r * r / 900, length = word % 7 + 1;

		for (uint32_t j = 0; j < length && i < SIZE; j++)
			st->text[i++] = (char)('a' + (word >> j) % 26);
		if (i < SIZE)
			st->text[i++] = ' ';
	}
}
#else
static bool add(struct ward_state *st, uint64_t key)
{
	uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 54);

	for (uint32_t trip = 0; trip < MOST_PROBES; trip++) {
		struct slot *slot = &st->slot[at];

		if (slot->key == key) {
			slot->count++;
			return true;
		}
		if (!slot->key) {
			*slot = (struct slot){key, 1};
			return true;
		}
		at = (at + 1) & (SLOTS - 1);
	}
	return false;
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SIZE);
	uint64_t hash = 0, sum = 0, lost = 0;

	for (uint32_t i = 0; i < SLOTS; i++)
		st->slot[i] = (struct slot){0};
	WARD_BOUND(131072)
	for (uint32_t i = 0; i < n; i++) {
		if (st->text[i] != ' ') {
			hash = (hash ^ (uint8_t)st->text[i]) * 0x100000001b3u + 1;
			continue;
		}
		if (hash)
			lost += !add(st, hash);
		hash = 0;
	}
	for (uint32_t i = 0; i < SLOTS; i++)
		sum = sum * 31 + st->slot[i].count * (st->slot[i].key & 0xffff);
	st->result = sum + lost;
}
#endif
