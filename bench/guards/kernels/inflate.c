/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading bits as DEFLATE has them: a word of 64 bits is filled from the input byte by byte. The next bits are looked
 * up in a table of prefix codes, which gives the symbol and its number of bits. Some symbols are followed by extra
 * bits.
 */
#include "kernel.h"

enum { PACKED = 131072, SIZE = 262144, INDEX_BITS = 9, TABLE = 1 << INDEX_BITS, SYMBOLS = 64, EXTRA = 48 };

struct code {
	uint8_t symbol, bits;
};

struct ward_state {
	uint64_t result;
	struct code table[TABLE];
	uint8_t packed[PACKED];
	uint16_t out[SIZE];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0xc2c7fda5415feb07u;

/*
 * Any table whose codes are consistent will do: a symbol whose code has b bits fills all entries that agree with it in
 * their lowest b. The input is random bits.
 */
void setup(struct ward_state *st)
{
	uint64_t s = 11;

	for (uint32_t i = 0; i < TABLE; i++) {
		uint32_t bits = (i & 3) == 0 ? 2 : (i & 15) < 8 ? 5 : (i & 31) < 20 ? 7 : 9;

		st->table[i] = (struct code){(uint8_t)(((i & ((1u << bits) - 1)) * 37 >> 1) % SYMBOLS), (uint8_t)bits};
	}
	for (uint32_t i = 0; i < PACKED; i++)
		st->packed[i] = (uint8_t)kernel_random(&s);
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, PACKED), in = 0, out = 0, have = 0, value, extra;
	uint64_t word = 0, sum = 0;
	struct code code;

	WARD_BOUND(262144)
	while (out < SIZE) {
		while (have <= 56 && in < n) {
			word |= (uint64_t)st->packed[in++] << have;
			have += 8;
		}
		code = st->table[word & (TABLE - 1)];
		if (code.bits > have)
			break;
		word >>= code.bits & 63;
		have -= code.bits;
		value = code.symbol;
		if (value >= EXTRA) {
			extra = (value - EXTRA) / 2 + 1;
			if (extra > have)
				break;
			value += (uint32_t)(word & ((1u << (extra & 31)) - 1));
			word >>= extra & 63;
			have -= extra;
		}
		st->out[out++] = (uint16_t)value;
	}
	for (uint32_t i = 0; i < SIZE; i += 32)
		sum = sum * 31 + st->out[i];
	st->result = sum + out;
}
#endif
