/* SPDX-License-Identifier: Apache-2.0 */
/* A hash of a long buffer in four lanes of 64 bits, similar to xxHash. */
#include "kernel.h"

enum { SIZE = 32768 };

struct ward_state {
	uint64_t result;
	uint8_t input[SIZE];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0xf234a648625ec4f4u;

void setup(struct ward_state *st)
{
	uint64_t s = 5;

	for (uint32_t i = 0; i < SIZE; i++)
		st->input[i] = (uint8_t)kernel_random(&s);
}
#else
#define P1 0x9e3779b185ebca87u
#define P2 0xc2b2ae3d27d4eb4fu
#define P3 0x165667b19e3779f9u
#define P4 0x85ebca77c2b2ae63u
#define P5 0x27d4eb2f165667c5u

static uint64_t rol(uint64_t x, unsigned n)
{
	return x << n | x >> (64 - n);
}

static uint64_t word(const uint8_t *p)
{
	uint64_t w;

	__builtin_memcpy(&w, p, sizeof(w));
	return w;
}

static uint64_t mix(uint64_t lane, uint64_t w)
{
	return rol(lane + w * P2, 31) * P1;
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SIZE), i = 0;
	uint64_t a = P1 + P2, b = P2, c = 0, d = -P1, h;

	for (; i + 32 <= n; i += 32) {
		a = mix(a, word(st->input + i));
		b = mix(b, word(st->input + i + 8));
		c = mix(c, word(st->input + i + 16));
		d = mix(d, word(st->input + i + 24));
	}
	h = rol(a, 1) + rol(b, 7) + rol(c, 12) + rol(d, 18);
	h = (h ^ mix(0, a)) * P1 + P4;
	h = (h ^ mix(0, b)) * P1 + P4;
	h = (h ^ mix(0, c)) * P1 + P4;
	h = (h ^ mix(0, d)) * P1 + P4;
	h += n;
	for (; i < n; i++)
		h = rol(h ^ st->input[i] * P5, 11) * P1;
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	st->result = h ^ h >> 32;
}
#endif
