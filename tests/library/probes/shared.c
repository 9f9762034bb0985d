/* SPDX-License-Identifier: Apache-2.0 */
/* What threads share: begin and end of a pair, counters, a value of several members, and a map that is soon full. */
#include <ward/probe.h>

struct wide {
	unsigned long a, b;
	int c, d;
};

struct name {
	char text[20];
};

struct ward_state {
	ward_count paired, missed, wrong, taken, refused;
};

WARD_SHARED(ward_shared_count calls; unsigned int flags; WARD_SHARED_MAP(unsigned long, unsigned long, 1024) begun;
	WARD_SHARED_MAP(unsigned int, unsigned int, 64) counts; WARD_SHARED_MAP(struct name, struct wide, 256) wide;
	WARD_SHARED_MAP(unsigned short, unsigned char, 4) small;);

WARD_ENTRY()
void on_begin(const struct ward_event *ev, struct ward_state *st)
{
	ward_shared.calls++;
	if (!ward_shared_map_put(&ward_shared.begun, ev->arg[0], ev->arg[1]))
		st->refused++;
}

WARD_ENTRY()
void on_end(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long v;

	if (!ward_shared_map_pop(&ward_shared.begun, ev->arg[0], &v))
		st->missed++;
	else if (v == ev->arg[1])
		st->paired++;
	else
		st->wrong++;
}

WARD_ENTRY()
void on_look(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long v = 0;

	if (!ward_shared_map_get(&ward_shared.begun, ev->arg[0], &v))
		st->missed++;
	else if (v % 1000 == ev->arg[0] % 1000)
		st->paired++;
	else
		st->wrong++;
}

WARD_ENTRY()
void on_count(const struct ward_event *ev, struct ward_state *st)
{
	if (!ward_shared_map_add(&ward_shared.counts, (unsigned int)ev->arg[0], (unsigned int)ev->arg[1]))
		st->refused++;
}

WARD_ENTRY()
void on_take(const struct ward_event *ev, struct ward_state *st)
{
	unsigned int n;

	if (ward_shared_map_pop(&ward_shared.counts, (unsigned int)ev->arg[0], &n))
		st->taken += n;
}

WARD_ENTRY()
void on_wide(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long n = ev->arg[0];
	struct name name = {{(char)n, (char)(n >> 8), 'x'}};
	struct wide wide = {n, ~n, (int)n, -(int)n}, is;

	if (!ev->arg[1])
		ward_shared_map_put(&ward_shared.wide, name, wide);
	else if (!ward_shared_map_pop(&ward_shared.wide, name, &is))
		st->missed++;
	else if (is.a == n && is.b == ~n && is.c == (int)n && is.d == -(int)n)
		st->paired++;
	else
		st->wrong++;
}

WARD_ENTRY()
void on_small(const struct ward_event *ev, struct ward_state *st)
{
	if (!ev->arg[1])
		st->refused += !ward_shared_map_put(&ward_shared.small, (unsigned short)ev->arg[0], (unsigned char)7);
	else
		st->taken += ward_shared_map_remove(&ward_shared.small, (unsigned short)ev->arg[0]);
}

WARD_ENTRY()
void on_flag(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	__atomic_fetch_or(&ward_shared.flags, (unsigned int)ev->arg[0], __ATOMIC_RELAXED);
}
