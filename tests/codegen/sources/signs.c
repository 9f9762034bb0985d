/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choices between two constants by a sign, of each width, in loops. No processor predicts a branch by a random sign.
 * Each probe function has one branch, that of its loop. Run as a module and as native code, the states must come out
 * equal.
 */
#include <ward/probe.h>

enum { COUNT = 512 };

struct state {
	unsigned long in[COUNT], sum;
};

/* `chosen` of each number x. */
#define PROBE(name, type, chosen)                                                                                      \
	WARD_ENTRY() void name(const struct ward_event *ev, struct state *st)                                          \
	{                                                                                                              \
		unsigned sum = (unsigned)st->sum;                                                                         \
                                                                                                                       \
		st->in[ev->arg[0] % COUNT] = ev->arg[1];                                                               \
		for (unsigned i = 0; i < COUNT; i++) {                                                                 \
			type x = ((const type *)st->in)[i];                                                              \
                                                                                                                       \
			sum = sum * 31 + (unsigned)(chosen);                                                                \
		}                                                                                                      \
		st->sum = sum;                                                                                         \
	}

/* The product of the field of AES by x, in three styles. */
PROBE(byte, signed char, (unsigned char)((x << 1) ^ (x < 0 ? 0x1b : 0)))
PROBE(byte_by_bit, unsigned char, (unsigned char)((x << 1) ^ (x >> 7 & 1) * 0x1b))
PROBE(byte_by_mask, unsigned char, (unsigned char)((x << 1) ^ (x & 0x80 ? 0x1b : 0)))
PROBE(byte_reversed, signed char, (unsigned char)((x << 1) ^ (x >= 0 ? 0x63 : 0x1b)))
PROBE(byte_by_wider, int, (unsigned char)((x << 1) ^ (x < 0 ? 0x1b : 0x80)))
PROBE(byte_by_widest, long, (unsigned char)((x << 1) ^ (x < 0 ? 0x1b : 0x80)))
PROBE(half, short, (unsigned short)((x << 1) ^ (x < 0 ? 0x1021 : 0)))
PROBE(half_reversed, short, (unsigned short)((x << 1) ^ (x > -1 ? 0x8005 : 0x1021)))
PROBE(half_by_byte, signed char, (unsigned short)((x << 1) ^ (x < 0 ? 0x8005 : 7)))
PROBE(word, int, ((unsigned)x << 1) ^ (x < 0 ? 0x04c11db7u : 0))
PROBE(word_by_byte, signed char, ((unsigned)x << 1) ^ (x < 0 ? 0x04c11db7u : 0xedb88320u))
PROBE(word_by_bit, unsigned, (x << 1) ^ (x >> 31) * 0xedb88320u)
PROBE(whole, long, ((unsigned long)x << 1) ^ (x < 0 ? 0x42f0e1eba9ea3693u : 0))
PROBE(whole_by_half, short, ((unsigned long)x << 1) ^ (x < 0 ? 0x42f0e1eba9ea3693u : 0x1b))

/* Near a sign, but not one: these are choices by other comparisons. */
PROBE(byte_not_by_sign, signed char, (unsigned char)((x << 1) ^ (x < 1 ? 0x1b : 0x63)))
PROBE(half_not_by_sign, short, (unsigned short)((x << 1) ^ (x > -2 ? 0x1021 : 0x8005)))
