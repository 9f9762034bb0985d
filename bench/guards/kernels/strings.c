/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings copied from one buffer to another and joined: an index says where each begins. Both buffers have an end,
 * and no string is trusted to have one.
 */
#include "kernel.h"

enum { POOL = 32768, STRINGS = 2048, OUT = 65536 };

struct ward_state {
	uint64_t result;
	uint32_t where[STRINGS];
	char pool[POOL];
	char out[OUT];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x27f8dd668d7d1d26u;

void setup(struct ward_state *st)
{
	uint64_t s = 36;

	for (uint32_t i = 0; i < POOL; i++) {
		uint64_t r = kernel_random(&s);

		st->pool[i] = (char)(r % 24 ? 'a' + (r >> 32) % 26 : 0);
	}
	for (uint32_t i = 0; i < STRINGS; i++)
		st->where[i] = (uint32_t)(kernel_random(&s) % POOL);
}
#else
/* Copies the string that begins at `from`, without its end; returns where the copy ends. */
static uint32_t append(struct ward_state *st, uint32_t out, uint32_t from)
{
	while (from < POOL && out < OUT && st->pool[from])
		st->out[out++] = st->pool[from++];
	return out;
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, STRINGS), out = 0;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		out = append(st, out, st->where[i]);
		if (out < OUT)
			st->out[out++] = i % 8 == 7 ? '\n' : ' ';
	}
	for (uint32_t i = 0; i < out; i++)
		sum = sum * 31 + (uint8_t)st->out[i];
	st->result = sum;
}
#endif
