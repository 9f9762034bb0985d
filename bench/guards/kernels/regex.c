/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching a text for a regular expression. The expression is a sequence of character classes, each once, optional,
 * or repeated. Its automaton has one position for each class, and the live positions are the bits of a word.
 */
#include "kernel.h"

enum { SIZE = 65536, POSITIONS = 64 };

struct ward_state {
	uint64_t result;
	uint64_t class[POSITIONS][4]; /* the characters that lead into a position */
	uint64_t follow[POSITIONS];   /* the positions that may come next */
	uint64_t first, final, positions;
	uint8_t text[SIZE];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0xb6f7a29a84acd83bu;

/* [a-z0-9._]+@[a-z]+(-[a-z]*)?… written as ranges, each with its repetition: 1, ?, * or +. */
static const struct element {
	const char *ranges;
	char times;
} pattern[] = {{"az09..__", '+'}, {"@@", '1'}, {"az", '+'}, {"--", '?'}, {"az09", '*'}, {"..", '1'}, {"co", '1'},
	{"mr", '?'}, {"gmaz", '1'}};
enum { ELEMENTS = sizeof(pattern) / sizeof(pattern[0]) };

void setup(struct ward_state *st)
{
	static const char letters[] = "abcdefgom.rg_09-@@@..co ";
	uint64_t s = 16;

	for (uint32_t p = 0; p < ELEMENTS; p++)
		for (const char *r = pattern[p].ranges; *r; r += 2)
			for (int c = r[0]; c <= r[1]; c++)
				st->class[p][c / 64] |= 1ull << c % 64;
	for (uint32_t p = 0; p <= ELEMENTS; p++) { /* 0: before the first */
		uint64_t next = p && (pattern[p - 1].times == '*' || pattern[p - 1].times == '+') ? 1ull << (p - 1) : 0;
		uint32_t q = p;

		for (; q < ELEMENTS; q++) {
			next |= 1ull << q;
			if (pattern[q].times == '1' || pattern[q].times == '+')
				break;
		}
		if (q == ELEMENTS && p)
			st->final |= 1ull << (p - 1);
		if (p)
			st->follow[p - 1] = next;
		else
			st->first = next;
	}
	st->positions = ELEMENTS;
	for (uint32_t i = 0; i < SIZE; i++)
		st->text[i] = (uint8_t)letters[kernel_random(&s) % (sizeof(letters) - 1)];
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SIZE);
	uint64_t alive = st->first, found = 0, sum = 0;

	WARD_BOUND(65536)
	for (uint32_t i = 0; i < n; i++) {
		uint8_t c = st->text[i];
		uint64_t next = st->first, entered = 0;

		for (; alive; alive &= alive - 1) {
			uint32_t p = (uint32_t)__builtin_ctzll(alive);

			if (st->class[p][c / 64] >> c % 64 & 1) {
				next |= st->follow[p];
				entered |= 1ull << p;
			}
		}
		if (entered & st->final) {
			found++;
			sum = sum * 31 + i;
		}
		alive = next;
	}
	st->result = sum + found;
}
#endif
