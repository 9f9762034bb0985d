/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often is each function of the kernel called, and by which processes and threads?
 *
 *	ward trace --kernel -d 10 probes/kernel/functions.c
 *	ward trace --kernel -d 10 -f 'kernel!tcp_*' probes/kernel/functions.c
 *
 * All functions at once make the machine several times slower, and take some MB of memory for each processor. Calls
 * that come while a probe runs on the same processor, from interrupts for instance, are dropped and counted.
 */
#include <string.h>

#include <ward/imports.h>
#include <ward/probe.h>

struct thread {
	int process, thread;
	char name[16];
};

struct ward_state {
	ward_count calls;
	WARD_MAP(ward_site, ward_count, 131072) by_function;
	WARD_MAP(struct thread, ward_count, 4096) by_thread;
};

WARD_ENTRY("kernel!*")
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	struct thread thread;

	ward_kernel_current(&it, sizeof(it));
	thread.process = (int)it.pid;
	thread.thread = (int)it.tid;
	memcpy(thread.name, it.comm, sizeof(thread.name));
	st->calls++;
	ward_map_add(&st->by_function, (ward_site)ev->site, 1);
	ward_map_add(&st->by_thread, thread, 1);
}
