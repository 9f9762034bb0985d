/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines and fields of text, found by words of eight bytes: which byte of a word is a line's end or a comma is computed
 * for all eight at once. Each line's hash goes into a table.
 */
#include "kernel.h"

enum { SIZE = 65536, LINES = 4096, WORD = 8 };

struct ward_state {
	uint64_t result;
	uint8_t text[SIZE + WORD];
	uint32_t start[LINES];
	uint32_t fields[LINES];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x5811825cfe98dec6u;

void setup(struct ward_state *st)
{
	uint64_t s = 35;

	for (uint32_t i = 0; i < SIZE; i++) {
		uint64_t r = kernel_random(&s);

		st->text[i] = (uint8_t)(r % 48 == 0 ? '\n' : r % 9 == 1 ? ',' : 'a' + (r >> 32) % 26);
	}
}
#else
static uint64_t word(const uint8_t *p)
{
	uint64_t w;

	__builtin_memcpy(&w, p, WORD);
	return w;
}

/* The highest bit of each byte that is c, and no other bit. */
static uint64_t equal(uint64_t w, uint8_t c)
{
	uint64_t low = 0x7f7f7f7f7f7f7f7fu, x = w ^ 0x0101010101010101u * c;

	return ~(((x & low) + low) | x | low);
}

/* Where the next c is from `at` on, or n. */
static uint32_t find(const struct ward_state *st, uint32_t at, uint32_t n, uint8_t c)
{
	for (; at < n; at += WORD) {
		uint64_t found = equal(word(&st->text[at]), c);

		if (found) {
			at += (uint32_t)__builtin_ctzll(found) / 8;
			break;
		}
	}
	return at < n ? at : n;
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SIZE), at = 0, lines = 0;
	uint64_t sum = 0;

	WARD_BOUND(4096)
	while (at < n && lines < LINES) {
		uint32_t end = find(st, at, n, '\n'), fields = 1;

		st->start[lines] = at;
		for (; at < end; at += WORD) {
			uint64_t commas = equal(word(&st->text[at]), ',');

			if (end - at < WORD)
				commas &= ((uint64_t)1 << (end - at) * 8) - 1;
			fields += (uint32_t)((commas >> 7) * 0x0101010101010101u >> 56);
		}
		st->fields[lines++] = fields;
		at = end + 1;
	}
	for (uint32_t i = 0; i < lines; i++)
		sum = sum * 31 + st->start[i] + st->fields[i];
	st->result = sum;
}
#endif
