/* Bloom filter of 1024 bits, three hashes */
#include "event.h"

struct state {
	u64 bits[16];
	u64 seen;
};

void bloom(const struct event *ev, struct state *st)
{
	u64 h = ev->arg[0] * 0x9e3779b97f4a7c15;
	int all = 1;
	for (int i = 0; i < 3; i++) {
		u32 b = (h >> (20 * i)) & 1023;
		all &= st->bits[b / 64] >> (b & 63) & 1;
		st->bits[b / 64] |= 1UL << (b & 63);
	}
	st->seen += all;
}
