/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decryption by AES-128 in CBC mode (FIPS 197, NIST SP 800-38A). The columns are mixed by arithmetic on bytes, not by
 * tables: each product is made of choices by the highest bit.
 */
#include "kernel.h"

enum { BLOCK = 16, ROUNDS = 10, BLOCKS = 256, SIZE = BLOCK * BLOCKS };

struct ward_state {
	uint64_t result;
	uint8_t key[ROUNDS + 1][BLOCK]; /* of each round */
	uint8_t inverse[256];           /* S-box */
	uint8_t first[BLOCK];
	uint8_t input[SIZE];
	uint8_t output[SIZE];
};

/* The product by x in the field. */
static inline uint8_t twice(uint8_t b)
{
	return (uint8_t)(b << 1 ^ (b & 0x80 ? 0x1b : 0));
}

#ifdef KERNEL_SETUP
const uint64_t expected = 0xd887e5aabbb8f3eu;

static uint8_t product(uint8_t a, uint8_t b)
{
	uint8_t p = 0;

	for (; b; b >>= 1, a = twice(a))
		p ^= b & 1 ? a : 0;
	return p;
}

static uint8_t substitute(uint8_t b)
{
	uint8_t i = 0, r = 0x63;

	while (b && product(b, ++i) != 1)
		;
	for (unsigned k = 0; k < 5; k++)
		r ^= (uint8_t)(i << k | i >> (8 - k));
	return r;
}

static void expand_key(struct ward_state *st)
{
	uint8_t *key = st->key[0], constant = 1;

	for (uint32_t i = BLOCK; i < (ROUNDS + 1) * BLOCK; i += 4) {
		for (uint32_t k = 0; k < 4; k++)
			key[i + k] = key[i + k - 4];
		if (i % BLOCK == 0) {
			for (uint32_t k = 0; k < 4; k++)
				key[i + k] = substitute(key[i - 4 + (k + 1) % 4]);
			key[i] ^= constant;
			constant = twice(constant);
		}
		for (uint32_t k = 0; k < 4; k++)
			key[i + k] ^= key[i + k - BLOCK];
	}
}

void setup(struct ward_state *st)
{
	uint64_t s = 31;

	for (uint32_t i = 0; i < BLOCK; i++)
		st->key[0][i] = (uint8_t)i;
	expand_key(st);
	for (uint32_t i = 0; i < 256; i++)
		st->inverse[substitute((uint8_t)i)] = (uint8_t)i;
	for (uint32_t i = 0; i < BLOCK; i++)
		st->first[i] = (uint8_t)kernel_random(&s);
	for (uint32_t i = 0; i < SIZE; i++)
		st->input[i] = (uint8_t)kernel_random(&s);
}
#else
static void add_key(uint8_t *block, const uint8_t *key)
{
	for (uint32_t i = 0; i < BLOCK; i++)
		block[i] ^= key[i];
}

/* Rows move to the right, row r by r places. */
static void unshift_and_substitute(const struct ward_state *st, uint8_t *block)
{
	uint8_t from[BLOCK];

	for (uint32_t i = 0; i < BLOCK; i++)
		from[i] = st->inverse[block[i]];
	for (uint32_t i = 0; i < BLOCK; i++)
		block[(i + 4 * (i % 4)) % BLOCK] = from[i];
}

/* Each column times 11 x^3 + 13 x^2 + 9 x + 14. */
static void unmix_columns(uint8_t *block)
{
	for (uint32_t c = 0; c < BLOCK; c += 4) {
		uint8_t *b = &block[c], u = twice(twice(b[0] ^ b[2])), v = twice(twice(b[1] ^ b[3])), all, first;

		b[0] ^= u;
		b[1] ^= v;
		b[2] ^= u;
		b[3] ^= v;
		all = b[0] ^ b[1] ^ b[2] ^ b[3];
		first = b[0];
		for (uint32_t i = 0; i < 4; i++)
			b[i] ^= all ^ twice(b[i] ^ (i < 3 ? b[i + 1] : first));
	}
}

static void decrypt(const struct ward_state *st, uint8_t *block)
{
	add_key(block, st->key[ROUNDS]);
	for (uint32_t round = ROUNDS - 1; round > 0; round--) {
		unshift_and_substitute(st, block);
		add_key(block, st->key[round]);
		unmix_columns(block);
	}
	unshift_and_substitute(st, block);
	add_key(block, st->key[0]);
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, BLOCKS);
	uint64_t sum = 0;

	for (uint32_t k = 0; k < n; k++) {
		uint8_t block[BLOCK];

		for (uint32_t i = 0; i < BLOCK; i++)
			block[i] = st->input[k * BLOCK + i];
		decrypt(st, block);
		for (uint32_t i = 0; i < BLOCK; i++) {
			uint8_t before = k ? st->input[(k - 1) * BLOCK + i] : st->first[i];

			st->output[k * BLOCK + i] = block[i] ^ before;
		}
	}
	for (uint32_t i = 0; i < n * BLOCK; i++)
		sum = sum * 31 + st->output[i];
	st->result = sum;
}
#endif
