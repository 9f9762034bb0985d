/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which stacks does a program ask for memory that nobody gives back?
 *
 *	ward trace -p PID -d 60 probes/tools/memleak.c
 *
 * For each stack: how many blocks it got since the trace began and still holds, and how many bytes these are. A block
 * may be freed by another thread than the one that got it. `unknown` are blocks that were freed and not seen before.
 * Export it as a flame graph: --export flame:leaks.html.
 */
#include <ward/imports.h>
#include <ward/probe.h>

struct block {
	unsigned long bytes;
	ward_stack stack;
};

struct holds {
	ward_count bytes, blocks;
};

struct ward_state {
	ward_count unknown;
	WARD_MAP(ward_stack, struct holds, 4096) held_by;
};

WARD_SHARED(WARD_SHARED_MAP(unsigned long, struct block, 262144) blocks;);

static void got(const struct ward_event *ev, struct ward_state *st, unsigned long bytes)
{
	struct block b = {.bytes = bytes, .stack = ward_stack_take(WARD_FRAMES)};
	struct holds *h;

	if (!ev->ret || !ward_shared_map_put(&ward_shared.blocks, ev->ret, b))
		return;
	h = ward_map_at(&st->held_by, b.stack);
	h->blocks++;
	h->bytes += bytes;
}

static void gave_back(struct ward_state *st, unsigned long address)
{
	struct block b;
	struct holds *h;

	if (!address)
		return;
	if (!ward_shared_map_pop(&ward_shared.blocks, address, &b)) {
		st->unknown++;
		return;
	}
	h = ward_map_at(&st->held_by, b.stack);
	h->blocks--;
	h->bytes -= b.bytes;
}

WARD_ENTRY("libc.so.6!malloc:return")
void on_malloc(const struct ward_event *ev, struct ward_state *st)
{
	got(ev, st, ev->arg[0]);
}

WARD_ENTRY("libc.so.6!realloc:return")
void on_realloc(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->ret || !ev->arg[1])
		gave_back(st, ev->arg[0]);
	got(ev, st, ev->arg[1]);
}

WARD_ENTRY("libc.so.6!free")
void on_free(const struct ward_event *ev, struct ward_state *st)
{
	gave_back(st, ev->arg[0]);
}
