/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: a record of each event; what a push says is counted. */
#include <ward/probe.h>

struct record {
	unsigned long time, number;
	short level;
	char name[10];
};

struct untimed {
	long value;
};

struct ward_state {
	WARD_QUEUE(struct record, 64) all;
	WARD_QUEUE(struct untimed, 1) one;
	ward_count pushed, refused;
};

WARD_ENTRY("target!work")
void on_record(const struct ward_event *ev, struct ward_state *st)
{
	struct record r = {.time = ev->arg[0], .number = ev->arg[1], .level = (short)ev->arg[2], .name = "record"};

	r.name[6] = (char)('0' + ev->arg[1] % 10);
	if (ward_queue_push(&st->all, r))
		st->pushed++;
	else
		st->refused++;
	ward_queue_push(&st->one, ((struct untimed){(long)ev->arg[1]}));
}
