/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs that begin on one processor and end on another; and counts of both. */
#include <ward/probe.h>

struct begin {
	unsigned long cpu, value;
};

struct ward_state {
	ward_count begun, paired, missed, wrong, crossed;
};

WARD_SHARED(ward_shared_count calls; WARD_SHARED_MAP(unsigned int, struct begin, 1024) pairs;
	WARD_SHARED_MAP(unsigned int, unsigned long, 16) sums;);

WARD_ENTRY("kernel:syscalls:sys_enter_getpgid")
void on_begin(const struct ward_event *ev, struct ward_state *st)
{
	unsigned int key = (unsigned int)ev->arg[0];
	struct begin begin = {ev->cpu, key * 3ul + 1};

	st->begun++;
	ward_shared.calls++;
	ward_shared_map_put(&ward_shared.pairs, key, begin);
	ward_shared_map_add(&ward_shared.sums, key & 1, 1ul);
}

WARD_ENTRY("kernel:syscalls:sys_enter_getsid")
void on_end(const struct ward_event *ev, struct ward_state *st)
{
	unsigned int key = (unsigned int)ev->arg[0];
	struct begin begin;

	if (!ward_shared_map_pop(&ward_shared.pairs, key, &begin)) {
		st->missed++;
		return;
	}
	st->crossed += begin.cpu != ev->cpu;
	if (begin.value == key * 3ul + 1)
		st->paired++;
	else
		st->wrong++;
}
