/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multiples of a point of an elliptic curve, X25519 (RFC 7748). Numbers modulo 2^255 - 19 have eight words of 32
 * bits. The functions of the field are called in several places each.
 */
#include "kernel.h"

enum { WORDS = 8, BITS = 255, FOLD = 38 }; /* 2^256 = 38 */

struct number {
	uint32_t w[WORDS];
};

struct ward_state {
	uint64_t result;
	uint32_t scalar[WORDS];
	struct number u;
	struct number product;
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x5a6cd512b056da7eu;

void setup(struct ward_state *st)
{
	uint64_t s = 32;

	for (uint32_t i = 0; i < WORDS; i++) {
		st->scalar[i] = (uint32_t)kernel_random(&s);
		st->u.w[i] = i ? 0 : 9;
	}
	st->scalar[0] &= ~7u;
	st->scalar[WORDS - 1] = (st->scalar[WORDS - 1] & 0x7fffffff) | 0x40000000;
}
#else
/* What is left over 256 bits comes back at the lower end, and once more what that leaves. */
static void fold(struct number *r, uint64_t over)
{
	for (uint32_t k = 0; k < 2; k++) {
		over *= FOLD;
		for (uint32_t i = 0; i < WORDS; i++) {
			over += r->w[i];
			r->w[i] = (uint32_t)over;
			over >>= 32;
		}
	}
}

static void add(struct number *r, const struct number *a, const struct number *b)
{
	uint64_t t = 0;

	for (uint32_t i = 0; i < WORDS; i++) {
		t += (uint64_t)a->w[i] + b->w[i];
		r->w[i] = (uint32_t)t;
		t >>= 32;
	}
	fold(r, t);
}

/* a + 2p - b, where 2p = 2^256 - 38. */
static void subtract(struct number *r, const struct number *a, const struct number *b)
{
	int64_t t = -FOLD;

	for (uint32_t i = 0; i < WORDS; i++) {
		t += (int64_t)a->w[i] - b->w[i];
		r->w[i] = (uint32_t)t;
		t >>= 32;
	}
	fold(r, (uint64_t)(t + 1)); /* t is 0, -1 or -2 */
}

static void multiply(struct number *r, const struct number *a, const struct number *b)
{
	uint32_t p[2 * WORDS] = {0};
	uint64_t t = 0;

	for (uint32_t i = 0; i < WORDS; i++) {
		t = 0;
		for (uint32_t j = 0; j < WORDS; j++) {
			t += p[i + j] + (uint64_t)a->w[i] * b->w[j];
			p[i + j] = (uint32_t)t;
			t >>= 32;
		}
		p[i + WORDS] = (uint32_t)t;
	}
	t = 0;
	for (uint32_t i = 0; i < WORDS; i++) {
		t += p[i] + (uint64_t)FOLD * p[i + WORDS];
		r->w[i] = (uint32_t)t;
		t >>= 32;
	}
	fold(r, t);
}

/* a^(p - 2). The exponent's bits are ones, but for the second and the fourth. */
static void invert(struct number *r, const struct number *a)
{
	struct number power = *a;

	for (uint32_t bit = BITS - 1; bit-- > 0;) {
		multiply(&power, &power, &power);
		if (bit != 2 && bit != 4)
			multiply(&power, &power, a);
	}
	*r = power;
}

static void swap(struct number *a, struct number *b, uint32_t really)
{
	uint32_t mask = -really;

	for (uint32_t i = 0; i < WORDS; i++) {
		uint32_t d = (a->w[i] ^ b->w[i]) & mask;

		a->w[i] ^= d;
		b->w[i] ^= d;
	}
}

/* (x2 : z2) becomes its double, (x3 : z3) the sum of the two. */
static void step(const struct number *u, struct number *x2, struct number *z2, struct number *x3, struct number *z3)
{
	static const struct number a24 = {{121665}};
	struct number a, b, c, d, e;

	add(&a, x2, z2);
	subtract(&b, x2, z2);
	add(&c, x3, z3);
	subtract(&d, x3, z3);
	multiply(&d, &d, &a);
	multiply(&c, &c, &b);
	add(x3, &d, &c);
	multiply(x3, x3, x3);
	subtract(z3, &d, &c);
	multiply(z3, z3, z3);
	multiply(z3, z3, u);
	multiply(&a, &a, &a);
	multiply(&b, &b, &b);
	multiply(x2, &a, &b);
	subtract(&e, &a, &b);
	multiply(z2, &e, &a24);
	add(z2, z2, &a);
	multiply(z2, z2, &e);
}

/* The remainder by p, of a number below 2p + 38. */
static void finish(struct number *r)
{
	for (uint32_t k = 0; k < 2; k++) {
		uint64_t t = 19;
		uint32_t less[WORDS], mask;

		for (uint32_t i = 0; i < WORDS; i++) {
			t += r->w[i];
			less[i] = (uint32_t)t;
			t >>= 32;
		}
		/* r + 19 - 2^255 = r - p, if that isn't negative */
		mask = -(less[WORDS - 1] >> 31 | (uint32_t)t);
		less[WORDS - 1] ^= 0x80000000;
		for (uint32_t i = 0; i < WORDS; i++)
			r->w[i] ^= (r->w[i] ^ less[i]) & mask;
	}
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	struct number x2 = {{1}}, z2 = {{0}}, x3 = st->u, z3 = {{1}};
	uint32_t n = kernel_length(ev, BITS), last = 0;
	uint64_t sum = 0;

	WARD_BOUND(255)
	for (uint32_t k = 0; k < n; k++) {
		uint32_t bit = st->scalar[(BITS - 1 - k) / 32] >> (BITS - 1 - k) % 32 & 1;

		swap(&x2, &x3, last ^ bit);
		swap(&z2, &z3, last ^ bit);
		last = bit;
		step(&st->u, &x2, &z2, &x3, &z3);
	}
	swap(&x2, &x3, last);
	swap(&z2, &z3, last);
	invert(&z2, &z2);
	multiply(&x2, &x2, &z2);
	finish(&x2);
	st->product = x2;
	for (uint32_t i = 0; i < WORDS; i++)
		sum = sum * 31 + x2.w[i];
	st->result = sum;
}
#endif
