/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings behind pointers: a list of names is copied to records, as C programs do it. The pointers are in the state,
 * and those who read them can't know where they lead; so both buffers of a copy need a guard.
 */
#include "kernel.h"

enum { POOL = 32768, NAMES = 1024, RECORD = 32 };

struct record {
	char name[RECORD];
	uint32_t length;
};

struct ward_state {
	uint64_t result;
	const char *name[NAMES];
	struct record *record[NAMES];
	struct record records[NAMES];
	char pool[POOL];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0xb66219dee52ccc2bu;

void setup(struct ward_state *st)
{
	uint64_t s = 37;
	uint32_t at = 0;

	for (uint32_t i = 0; i < NAMES; i++) {
		uint32_t length = 4 + (uint32_t)(kernel_random(&s) % 24);

		st->name[i] = &st->pool[at];
		st->record[i] = &st->records[(i * 5 + 3) % NAMES];
		for (uint32_t k = 0; k < length; k++)
			st->pool[at++] = (char)('a' + kernel_random(&s) % 26);
		st->pool[at++] = 0;
	}
}
#else
static uint32_t copy(char *to, const char *from, uint32_t size)
{
	uint32_t i = 0;

	while (i < size - 1 && from[i]) {
		to[i] = from[i];
		i++;
	}
	to[i] = 0;
	return i;
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = kernel_length(ev, NAMES);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		st->record[i]->length = copy(st->record[i]->name, st->name[i], RECORD);
	for (uint32_t i = 0; i < n; i++)
		sum = sum * 31 + st->records[i].length + (uint8_t)st->records[i].name[3];
	st->result = sum;
}
#endif
