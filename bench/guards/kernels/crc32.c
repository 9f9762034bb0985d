/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 (IEEE 802.3) of a buffer, byte by byte through a table. */
#include "kernel.h"

enum { SIZE = 16384 };

struct ward_state {
	uint64_t result;
	uint32_t table[256];
	uint8_t input[SIZE];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x22c982b6u;

void setup(struct ward_state *st)
{
	uint64_t s = 15;

	for (uint32_t i = 0; i < 256; i++) {
		st->table[i] = i;
		for (uint32_t k = 0; k < 8; k++)
			st->table[i] = st->table[i] >> 1 ^ (st->table[i] & 1 ? 0xedb88320 : 0);
	}
	for (uint32_t i = 0; i < SIZE; i++)
		st->input[i] = (uint8_t)kernel_random(&s);
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, SIZE), crc = 0xffffffff;

	WARD_BOUND(16384)
	for (uint32_t i = 0; i < n; i++)
		crc = crc >> 8 ^ st->table[(crc ^ st->input[i]) & 0xff];
	st->result = ~crc;
}
#endif
