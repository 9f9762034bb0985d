/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks whether a text is UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing beyond U+10FFFF. Counts the
 * characters.
 */
#include "kernel.h"

enum { SIZE = 131072 };

struct ward_state {
	uint64_t result;
	uint32_t length;
	uint8_t text[SIZE];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x44a53580u;

static uint32_t put(struct ward_state *st, uint32_t at, uint32_t c)
{
	if (c < 0x80) {
		st->text[at++] = (uint8_t)c;
		return at;
	}
	if (c < 0x800) {
		st->text[at++] = (uint8_t)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			st->text[at++] = (uint8_t)(0xe0 | c >> 12);
		} else {
			st->text[at++] = (uint8_t)(0xf0 | c >> 18);
			st->text[at++] = (uint8_t)(0x80 | (c >> 12 & 63));
		}
		st->text[at++] = (uint8_t)(0x80 | (c >> 6 & 63));
	}
	st->text[at++] = (uint8_t)(0x80 | (c & 63));
	return at;
}

void setup(struct ward_state *st)
{
	uint64_t s = 17;
	uint32_t at = 0;

	while (at < SIZE - 4) {
		uint64_t r = kernel_random(&s), kind = r % 16, c = r >> 8;

		at = put(st, at,
			(uint32_t)(kind < 9    ? 32 + c % 95
				   : kind < 13 ? 0x80 + c % 0x780
				   : kind < 15 ? 0x1000 + c % 0xc000
					       : 0x10000 + c % 0x100000));
	}
	st->length = at;
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = st->length < SIZE ? st->length : SIZE, i = 0;
	uint64_t characters = 0, wrong = 0;

	WARD_BOUND(131072)
	while (i < n) {
		uint32_t c = st->text[i], more, low = 0x80, high = 0xbf;

		i++;
		characters++;
		if (c < 0x80)
			continue;
		more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
		if (c < 0xc2 || c > 0xf4) {
			wrong++;
			continue;
		}
		if (c == 0xe0)
			low = 0xa0;
		else if (c == 0xed)
			high = 0x9f;
		else if (c == 0xf0)
			low = 0x90;
		else if (c == 0xf4)
			high = 0x8f;
		for (; more > 0 && i < n; more--) {
			if (st->text[i] < low || st->text[i] > high)
				break;
			low = 0x80;
			high = 0xbf;
			i++;
		}
		wrong += more > 0;
	}
	st->result = characters * 1000 + wrong + ev->arg[0];
}
#endif
