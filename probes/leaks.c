/*
 * Which places in a program ask for memory that isn't given back?
 *
 *	ward trace -p PID -d 60 probes/leaks.c
 *
 * For each place that calls malloc, calloc or realloc: how many of the blocks that it got since the trace began are still held, how many bytes, and how many it got in all. A place whose blocks
 * only ever get more is a candidate. A block that is freed by another thread than the one that got it isn't recognised: `freed_elsewhere` counts such frees, and those of blocks from before the trace; where
 * they are many, what is held is that much less. `untracked` counts blocks that aren't followed: those
 * beyond about 30000 that a thread holds at once, and those of calls that end by calling another function (glibc's calloc ends in memset): what they return isn't known here.
 */
#include <ward/probe.h>

struct request {
	unsigned long size, caller, old;
};

struct block {
	unsigned long size, caller;
};

struct holds {
	ward_count blocks, bytes, asked;
};

struct ward_state {
	ward_count freed_elsewhere, untracked;
	WARD_MAP(void *, struct holds, 1024) held_by;
	WARD_CALLS(struct request, 16) calls;
	union { /* for our own use only */
		WARD_MAP(unsigned long, struct block, 32768) blocks;
	};
};

static void forget(struct ward_state *st, unsigned long p)
{
	struct block b;
	struct holds *h;

	if (!p)
		return;
	if (!ward_map_get(&st->blocks, p, &b)) {
		st->freed_elsewhere++;
		return;
	}
	ward_map_remove(&st->blocks, p);
	h = ward_map_at(&st->held_by, (void *)b.caller);
	h->blocks--;
	h->bytes -= b.size;
}

/* realloc's old block is given back only if there is a new one, or none was wanted. */
static void returned(const struct ward_event *ev, struct ward_state *st)
{
	struct request r;
	struct holds *h;
	unsigned long lost = st->blocks.lost;
	struct block *b, before;

	if (!ward_calls_leave(&st->calls, ev->sp, &r))
		return;
	if (!ev->caller) {
		st->untracked++;
		return;
	}
	if (ev->ret || !r.size)
		forget(st, r.old);
	if (!ev->ret)
		return;
	if (ward_map_get(&st->blocks, ev->ret, &before))
		forget(st, ev->ret); /* another thread has freed it, or a function of the library has got it by way of this one */
	h = ward_map_at(&st->held_by, (void *)r.caller);
	h->asked++;
	b = ward_map_at(&st->blocks, ev->ret);
	if (st->blocks.lost != lost) {
		st->untracked++;
		return;
	}
	*b = (struct block){r.size, r.caller};
	h->blocks++;
	h->bytes += r.size;
}

WARD_ENTRY("libc.so.6!malloc")
void on_malloc(const struct ward_event *ev, struct ward_state *st)
{
	ward_calls_enter(&st->calls, ev->sp, ((struct request){ev->arg[0], ev->caller, 0}));
}

WARD_ENTRY("libc.so.6!calloc")
void on_calloc(const struct ward_event *ev, struct ward_state *st)
{
	ward_calls_enter(&st->calls, ev->sp, ((struct request){ev->arg[0] * ev->arg[1], ev->caller, 0}));
}

WARD_ENTRY("libc.so.6!realloc")
void on_realloc(const struct ward_event *ev, struct ward_state *st)
{
	ward_calls_enter(&st->calls, ev->sp, ((struct request){ev->arg[1], ev->caller, ev->arg[0]}));
}

WARD_ENTRY("libc.so.6!malloc:return")
void on_malloc_return(const struct ward_event *ev, struct ward_state *st)
{
	returned(ev, st);
}

WARD_ENTRY("libc.so.6!calloc:return")
void on_calloc_return(const struct ward_event *ev, struct ward_state *st)
{
	returned(ev, st);
}

WARD_ENTRY("libc.so.6!realloc:return")
void on_realloc_return(const struct ward_event *ev, struct ward_state *st)
{
	returned(ev, st);
}

WARD_ENTRY("libc.so.6!free")
void on_free(const struct ward_event *ev, struct ward_state *st)
{
	forget(st, ev->arg[0]);
}
