/* A function that calls itself, and two that call each other. */
/* error 10:17: recursion: 'down' calls itself */
/* error 16:9: recursion: 'ping' calls 'pong' calls 'ping' again */
#include <ward/probe.h>

struct state { ward_count n; };

static unsigned long down(unsigned long v)
{
	return v ? 1 + down(v - 1) : 0;
}

static unsigned long ping(unsigned long v);
static unsigned long pong(unsigned long v)
{
	return ping(v / 2) + 1;
}
static unsigned long ping(unsigned long v)
{
	return v > 3 ? pong(v) : v;
}

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	st->n += down(ev->arg[0]) + ping(ev->arg[1]);
}
