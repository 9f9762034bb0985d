/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A large function that is called in many places: on variables, on the state, on one in the place of another. It stays
 * one function, which the copies of it would make six times as large.
 */
#include <ward/probe.h>

enum { WORDS = 8 };

struct number {
	unsigned w[WORDS];
};

struct state {
	struct number a, b, r;
	unsigned long done;
};

static void multiply(struct number *r, const struct number *a, const struct number *b)
{
	unsigned p[2 * WORDS] = {0};
	unsigned long t = 0;

	for (unsigned i = 0; i < WORDS; i++) {
		t = 0;
		for (unsigned j = 0; j < WORDS; j++) {
			t += p[i + j] + (unsigned long)a->w[i] * b->w[j];
			p[i + j] = (unsigned)t;
			t >>= 32;
		}
		p[i + WORDS] = (unsigned)t;
	}
	for (unsigned i = 0; i < WORDS; i++)
		r->w[i] = p[i] ^ p[i + WORDS];
}

WARD_ENTRY() void powers(const struct ward_event *ev, struct state *st)
{
	struct number x = st->a, y;

	st->a.w[ev->arg[0] % WORDS] += (unsigned)ev->arg[1];
	st->b.w[ev->arg[2] % WORDS] ^= (unsigned)ev->arg[3];
	multiply(&x, &x, &st->a);
	multiply(&y, &x, &x);
	multiply(&y, &y, &st->b);
	for (unsigned i = 0; i < 5; i++) {
		multiply(&x, &y, &x);
		multiply(&y, &x, &st->r);
	}
	multiply(&st->r, &x, &y);
	multiply(&st->b, &st->b, &st->r);
	for (unsigned i = 0; i < WORDS; i++)
		st->done = st->done * 31 + x.w[i] + y.w[i];
}

/* Another entry calls it, too. */
WARD_ENTRY() void squares(const struct ward_event *ev, struct state *st)
{
	multiply(&st->a, &st->a, &st->a);
	multiply(&st->b, &st->b, &st->b);
	st->a.w[0] += (unsigned)ev->arg[0];
	st->b.w[0] += (unsigned)ev->arg[1];
}
