/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log-structured logical disk. A write of a logical block goes to the next place of the log, the block map records
 * where it is, and its former place is dead. When a segment is full, the next one is used; the emptiest segment is
 * cleaned by writing its live blocks again. The writes are random. The second of the three classical kernels.
 */
#include "kernel.h"

enum { BLOCKS = 4096, SEGMENT = 64, SEGMENTS = 128, PLACES = SEGMENT * SEGMENTS, NONE = 0xffffffff, WRITES = 2048 };

struct ward_state {
	uint64_t result, random;
	uint32_t segment, used; /* of the log: where the next write goes */
	uint32_t place[BLOCKS]; /* the block map */
	uint32_t block[PLACES];
	uint32_t live[SEGMENTS];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x83b074eaa233e3cfu;

void setup(struct ward_state *st)
{
	st->random = 88172645463325252u;
	for (uint32_t i = 0; i < PLACES; i++)
		st->block[i] = NONE;
	for (uint32_t i = 0; i < BLOCKS; i++) {
		st->place[i] = i;
		st->block[i] = i;
	}
	for (uint32_t i = 0; i < BLOCKS / SEGMENT; i++)
		st->live[i] = SEGMENT;
	st->segment = BLOCKS / SEGMENT;
}
#else
static void append(struct ward_state *st, uint32_t block)
{
	uint32_t old = st->place[block], now = st->segment * SEGMENT + st->used;

	st->block[old] = NONE;
	st->live[old / SEGMENT]--;
	st->place[block] = now;
	st->block[now] = block;
	st->live[st->segment]++;
	st->used++;
}

static uint32_t emptiest(const struct ward_state *st, uint32_t not_this)
{
	uint32_t best = 0, least = SEGMENT + 1;

	for (uint32_t i = 0; i < SEGMENTS; i++) {
		if (i != not_this && st->live[i] < least) {
			best = i;
			least = st->live[i];
		}
	}
	return best;
}

/* A segment with nothing alive in it becomes the log's head; what is alive in the emptiest other one follows. */
static void next_segment(struct ward_state *st)
{
	uint32_t from;

	st->segment = emptiest(st, NONE);
	st->used = 0;
	from = emptiest(st, st->segment);
	for (uint32_t i = 0; i < SEGMENT && st->used < SEGMENT; i++) {
		uint32_t block = st->block[from * SEGMENT + i];

		if (block != NONE)
			append(st, block);
	}
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t sum = 0;
	uint32_t n = kernel_length(ev, WRITES);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t r = kernel_random(&st->random);

		if (st->used == SEGMENT)
			next_segment(st);
		if (st->used < SEGMENT)
			append(st, (uint32_t)r % BLOCKS);
		sum = sum * 31 + st->place[(r >> 20) % BLOCKS];
	}
	st->result += sum;
}
#endif
