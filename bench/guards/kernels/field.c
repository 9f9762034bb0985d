/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A polynomial over a prime field: the sum of a message's blocks times powers of a key, modulo 2^130 - 5, as in
 * Poly1305 (RFC 8439). Numbers have five limbs of 26 bits.
 */
#include "kernel.h"

enum { LIMBS = 5, LIMB = 26, BLOCK = 16, SIZE = 65536 };

struct ward_state {
	uint64_t result;
	uint32_t key[LIMBS];
	uint8_t message[SIZE];
};

static const uint32_t mask = (1u << LIMB) - 1;

#ifdef KERNEL_SETUP
const uint64_t expected = 0x28e3d8b4b91cu;

void setup(struct ward_state *st)
{
	uint64_t s = 33;

	for (uint32_t i = 0; i < LIMBS; i++)
		st->key[i] = (uint32_t)kernel_random(&s) & mask;
	for (uint32_t i = 0; i < SIZE; i++)
		st->message[i] = (uint8_t)kernel_random(&s);
}
#else
static uint32_t word(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void add_block(uint32_t *h, const uint8_t *p)
{
	h[0] += word(p) & mask;
	h[1] += word(p + 3) >> 2 & mask;
	h[2] += word(p + 6) >> 4 & mask;
	h[3] += word(p + 9) >> 6 & mask;
	h[4] += word(p + 12) >> 8 | 1u << 24;
}

/* Limbs that lie above the fifth count five times at the lower end. */
static void multiply(uint32_t *h, const uint32_t *key)
{
	uint64_t sum[LIMBS] = {0}, carry = 0;

	for (uint32_t i = 0; i < LIMBS; i++)
		for (uint32_t j = 0; j < LIMBS; j++)
			sum[(i + j) % LIMBS] += (uint64_t)h[i] * key[j] * (i + j < LIMBS ? 1 : 5);
	for (uint32_t i = 0; i < LIMBS; i++) {
		carry += sum[i];
		h[i] = (uint32_t)carry & mask;
		carry >>= LIMB;
	}
	carry = h[0] + carry * 5;
	h[0] = (uint32_t)carry & mask;
	h[1] += (uint32_t)(carry >> LIMB);
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SIZE) / BLOCK, h[LIMBS] = {0}, key[LIMBS];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < LIMBS; i++)
		key[i] = st->key[i];
	for (uint32_t k = 0; k < n; k++) {
		add_block(h, &st->message[k * BLOCK]);
		multiply(h, key);
	}
	for (uint32_t i = 0; i < LIMBS; i++)
		sum = sum * 31 + h[i];
	st->result = sum;
}
#endif
