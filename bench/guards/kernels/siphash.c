/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash-2-4 of many short keys, each of its own length. */
#include "kernel.h"

enum { KEYS = 512, MOST = 48 };

struct key {
	uint32_t length;
	uint8_t bytes[MOST];
};

struct ward_state {
	uint64_t result, k[2];
	struct key keys[KEYS];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x2ba52bd6b5050da1u;

void setup(struct ward_state *st)
{
	uint64_t s = 6;

	st->k[0] = 0x0706050403020100u;
	st->k[1] = 0x0f0e0d0c0b0a0908u;
	for (uint32_t i = 0; i < KEYS; i++) {
		st->keys[i].length = (uint32_t)(kernel_random(&s) % (MOST + 1));
		for (uint32_t j = 0; j < MOST; j++)
			st->keys[i].bytes[j] = (uint8_t)kernel_random(&s);
	}
}
#else
static uint64_t rol(uint64_t x, unsigned n)
{
	return x << n | x >> (64 - n);
}

static void sip_rounds(uint64_t v[4], unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rol(v[1], 13) ^ v[0];
		v[3] = rol(v[3], 16) ^ v[2];
		v[0] = rol(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rol(v[1], 17) ^ v[2];
		v[3] = rol(v[3], 21) ^ v[0];
		v[2] = rol(v[2], 32);
	}
}

static uint64_t siphash(const uint64_t k[2], const uint8_t *p, uint32_t n)
{
	uint64_t v[4] = {k[0] ^ 0x736f6d6570736575u, k[1] ^ 0x646f72616e646f6du, k[0] ^ 0x6c7967656e657261u,
		k[1] ^ 0x7465646279746573u};
	uint64_t last = (uint64_t)n << 56, word;
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		__builtin_memcpy(&word, p + i, sizeof(word));
		v[3] ^= word;
		sip_rounds(v, 2);
		v[0] ^= word;
	}
	for (uint32_t shift = 0; i < n; i++, shift += 8)
		last |= (uint64_t)p[i] << (shift & 63);
	v[3] ^= last;
	sip_rounds(v, 2);
	v[0] ^= last;
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, KEYS);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct key *key = &st->keys[i];

		sum = sum * 3 + siphash(st->k, key->bytes, key->length < MOST ? key->length : MOST);
	}
	st->result = sum;
}
#endif
