/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decompression of LZ77: a token gives the number of literal bytes that follow and the length of the match behind
 * them; two bytes give its distance. The input is hostile: each count and each distance is checked, as every decoder
 * must.
 */
#include "kernel.h"

enum { PACKED = 131072, SIZE = 524288, LEAST = 4 };

struct ward_state {
	uint64_t result;
	uint32_t packed_length;
	uint8_t packed[PACKED];
	uint8_t out[SIZE];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x8fe14d794157c27cu;

void setup(struct ward_state *st)
{
	uint64_t s = 8;
	uint32_t in = 0, out = 0;

	while (in + 32 < PACKED && out + 64 < SIZE) {
		uint32_t literals = (uint32_t)(kernel_random(&s) % 16), match = (uint32_t)(kernel_random(&s) % 16),
			 back;

		literals += out + literals == 0;
		st->packed[in++] = (uint8_t)(literals << 4 | match);
		for (uint32_t i = 0; i < literals; i++)
			st->packed[in++] = (uint8_t)kernel_random(&s);
		out += literals;
		back = 1 + (uint32_t)(kernel_random(&s) % (out < 4096 ? out : 4096));
		st->packed[in++] = (uint8_t)back;
		st->packed[in++] = (uint8_t)(back >> 8);
		out += match + LEAST;
	}
	st->packed_length = in;
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = st->packed_length < PACKED ? st->packed_length : PACKED, in = 0, out = 0;
	uint64_t sum = ev->arg[0];

	WARD_BOUND(131072)
	while (in < n) {
		uint32_t token = st->packed[in++], literals = token >> 4, length = (token & 15) + LEAST, back;

		if (literals > n - in || literals > SIZE - out)
			break;
		for (uint32_t i = 0; i < literals; i++)
			st->out[out + i] = st->packed[in + i];
		in += literals;
		out += literals;
		if (n - in < 2)
			break;
		back = st->packed[in] | (uint32_t)st->packed[in + 1] << 8;
		in += 2;
		if (back == 0 || back > out || length > SIZE - out)
			break;
		for (uint32_t i = 0; i < length; i++)
			st->out[out + i] = st->out[out - back + i];
		out += length;
	}
	for (uint32_t i = 0; i < SIZE; i += 64)
		sum = sum * 31 + st->out[i];
	st->result = sum + out;
}
#endif
