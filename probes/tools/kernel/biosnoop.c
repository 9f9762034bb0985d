/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which requests do programs make of disks, and how long does each take?
 *
 *	ward trace --kernel --records probes/tools/kernel/biosnoop.c
 *
 * A request is given on one processor and done on another: what its begin keeps is shared. The program is the one that
 * runs when it is given, which may be the kernel on behalf of another.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct begun {
	unsigned long time;
	int pid;
	char program[16];
};

struct done {
	unsigned long time;
	ward_elapsed took;
	int pid;
	unsigned int bytes;
	unsigned long sector;
	char program[16];
};

struct ward_state {
	ward_count missed;
	WARD_RING(struct done, 256) last;
};

WARD_SHARED(WARD_SHARED_MAP(const void *, struct begun, 4096) begun;);

WARD_ENTRY("kernel:block:block_rq_issue")
void on_issue(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	struct begun b = {.time = ev->time};

	(void)st;
	if (ward_kernel_current(&it, sizeof(it))) {
		__builtin_memcpy(b.program, it.comm, sizeof(b.program));
		b.pid = (int)it.pid;
	}
	ward_shared_map_put(&ward_shared.begun, (const void *)ev->arg[0], b);
}

WARD_ENTRY("kernel:block:block_rq_complete")
void on_complete(const struct ward_event *ev, struct ward_state *st)
{
	const struct request *rq = WARD_ARG(struct request *, 0);
	struct begun b;
	struct done d = {.time = ev->time, .bytes = (unsigned int)ev->arg[2], .sector = WARD_GET(rq, __sector)};

	if (!ward_shared_map_pop(&ward_shared.begun, (const void *)rq, &b)) {
		st->missed++;
		return;
	}
	d.took = ev->time - b.time;
	d.pid = b.pid;
	__builtin_memcpy(d.program, b.program, sizeof(d.program));
	ward_ring_push(&st->last, d);
}
