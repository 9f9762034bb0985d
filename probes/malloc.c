/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory does a program ask for, and in what sizes?
 *
 *	ward trace -p PID -d 10 probes/malloc.c
 *
 * calloc counts as one request for the product of its arguments. A product that doesn't fit in 64 bits fails in the
 * allocator, too; it is counted apart. realloc counts the new size.
 */
#include <ward/probe.h>

struct ward_state {
	ward_count requests;
	ward_count overflows;
	ward_count total_bytes;
	ward_log2 sizes;
};

static void request(struct ward_state *st, unsigned long size)
{
	st->requests++;
	st->total_bytes += size;
	ward_log2_add(&st->sizes, size);
}

WARD_ENTRY("libc.so.6!malloc")
void on_malloc(const struct ward_event *ev, struct ward_state *st)
{
	request(st, ev->arg[0]);
}

WARD_ENTRY("libc.so.6!calloc")
void on_calloc(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long size;

	if (__builtin_mul_overflow(ev->arg[0], ev->arg[1], &size)) {
		st->overflows++;
		return;
	}
	request(st, size);
}

WARD_ENTRY("libc.so.6!realloc")
void on_realloc(const struct ward_event *ev, struct ward_state *st)
{
	request(st, ev->arg[1]);
}
