/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which places in a program ask for memory, how much, and in what sizes?
 *
 *	ward trace -p PID -d 10 probes/callers.c
 *
 * A place is the address that the call returns to; `addr2line -e FILE` or gdb's `info line` name its source line. The
 * places that ask most often come first. Each thread has room for 256 places. WARD_MAP counts the others under
 * `other`.
 */
#include <ward/probe.h>

struct request {
	ward_stat bytes;
	ward_log2 sizes;
};

struct ward_state {
	WARD_MAP(void *, struct request, 256) by_caller;
};

WARD_ENTRY("libc.so.6!malloc")
void on_malloc(const struct ward_event *ev, struct ward_state *st)
{
	struct request *r = ward_map_at(&st->by_caller, (void *)ev->caller);

	ward_stat_add(&r->bytes, ev->arg[0]);
	ward_log2_add(&r->sizes, ev->arg[0]);
}
