/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 (RFC 4648): a buffer encoded, and decoded again. */
#include "kernel.h"

enum { SIZE = 6144, TEXT = SIZE / 3 * 4 };

struct ward_state {
	uint64_t result;
	uint8_t input[SIZE];
	uint8_t text[TEXT];
	uint8_t back[SIZE];
	uint8_t value[256]; /* of a character, or 255 */
};

static const char digits[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#ifdef KERNEL_SETUP
const uint64_t expected = 0xfd013ff004dff4acu;

void setup(struct ward_state *st)
{
	uint64_t s = 9;

	for (uint32_t i = 0; i < SIZE; i++)
		st->input[i] = (uint8_t)kernel_random(&s);
	for (uint32_t i = 0; i < 256; i++)
		st->value[i] = 255;
	for (uint32_t i = 0; i < 64; i++)
		st->value[(uint8_t)digits[i]] = (uint8_t)i;
}
#else
static void encode(struct ward_state *st, uint32_t n)
{
	for (uint32_t i = 0, o = 0; i < n; i += 3, o += 4) {
		uint32_t v = (uint32_t)st->input[i] << 16 | (uint32_t)st->input[i + 1] << 8 | st->input[i + 2];

		st->text[o] = (uint8_t)digits[v >> 18];
		st->text[o + 1] = (uint8_t)digits[v >> 12 & 63];
		st->text[o + 2] = (uint8_t)digits[v >> 6 & 63];
		st->text[o + 3] = (uint8_t)digits[v & 63];
	}
}

static bool decode(struct ward_state *st, uint32_t n)
{
	for (uint32_t i = 0, o = 0; i < n; i += 3, o += 4) {
		uint32_t a = st->value[st->text[o]], b = st->value[st->text[o + 1]], c = st->value[st->text[o + 2]],
			 d = st->value[st->text[o + 3]];
		uint32_t v = a << 18 | b << 12 | c << 6 | d;

		if ((a | b | c | d) & 0x80)
			return false;
		st->back[i] = (uint8_t)(v >> 16);
		st->back[i + 1] = (uint8_t)(v >> 8);
		st->back[i + 2] = (uint8_t)v;
	}
	return true;
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SIZE) / 3 * 3;
	uint64_t sum = 0;

	encode(st, n);
	sum = decode(st, n);
	for (uint32_t i = 0; i < n; i += 16)
		sum = sum * 31 + st->text[i] + (st->back[i] == st->input[i]);
	st->result = sum;
}
#endif
