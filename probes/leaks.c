/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which places in a program ask for memory and don't give it back?
 *
 *	ward trace -p PID -d 60 probes/leaks.c
 *
 * For each place that calls malloc, calloc or realloc, the probe shows how many blocks it got since the trace began,
 * how many of them it still holds, and how many bytes these are. A place whose number of blocks only grows is a
 * candidate.
 *
 * - `freed_elsewhere` counts blocks that another thread freed than the one that got them, and blocks from before the
 *   trace. Such a block isn't recognised, so that much less is held than is shown.
 * - `untracked` counts blocks that aren't followed: those beyond about 30000 that a thread holds at once, and those
 *   whose address isn't known here because the call ended by a tail call (glibc's calloc ends in memset).
 */
#include <ward/probe.h>

struct block {
	unsigned long size, caller;
};

struct holds {
	ward_count blocks, bytes, asked;
};

struct ward_state {
	ward_count freed_elsewhere, untracked;
	WARD_MAP(void *, struct holds, 1024) held_by;
	WARD_PRIVATE(WARD_MAP(unsigned long, struct block, 32768) blocks;);
};

static void give_back(struct ward_state *st, const struct block *b)
{
	struct holds *h = ward_map_at(&st->held_by, (void *)b->caller);

	h->blocks--;
	h->bytes -= b->size;
}

static void forget(struct ward_state *st, unsigned long p)
{
	struct block b;

	if (!p)
		return;
	if (ward_map_pop(&st->blocks, p, &b))
		give_back(st, &b);
	else
		st->freed_elsewhere++;
}

/* A call has returned a block of that size. */
static void got(const struct ward_event *ev, struct ward_state *st, unsigned long size)
{
	struct holds *h;
	unsigned long lost = st->blocks.lost;
	struct block *b;

	if (!ev->ret)
		return;
	h = ward_map_at(&st->held_by, (void *)ev->caller);
	h->asked++;
	b = ward_map_at(&st->blocks, ev->ret);
	if (st->blocks.lost != lost) {
		st->untracked++;
		return;
	}
	/* Another thread has freed it, or a function of the library has got it by way of this one. */
	if (b->caller)
		give_back(st, b);
	*b = (struct block){size, ev->caller};
	h->blocks++;
	h->bytes += size;
}

WARD_ENTRY("libc.so.6!malloc:return")
void on_malloc(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->caller)
		got(ev, st, ev->arg[0]);
	else
		st->untracked++;
}

WARD_ENTRY("libc.so.6!calloc:return")
void on_calloc(const struct ward_event *ev, struct ward_state *st)
{
	if (ev->caller)
		got(ev, st, ev->arg[0] * ev->arg[1]);
	else
		st->untracked++;
}

/* The old block is given back only if there is a new one, or none was wanted. */
WARD_ENTRY("libc.so.6!realloc:return")
void on_realloc(const struct ward_event *ev, struct ward_state *st)
{
	if (!ev->caller) {
		st->untracked++;
		return;
	}
	if (ev->ret || !ev->arg[1])
		forget(st, ev->arg[0]);
	got(ev, st, ev->arg[1]);
}

WARD_ENTRY("libc.so.6!free")
void on_free(const struct ward_event *ev, struct ward_state *st)
{
	forget(st, ev->arg[0]);
}
