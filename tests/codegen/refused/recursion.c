/* A function that calls itself, and two that call each other, as deep as nobody knows. */
/* error 11:17: recursion: 'down' calls itself */
/* hint write a loop with a constant bound, or pass how deep it may go, from a constant down: f(x, depth - 1), and nothing where depth is 0 */
/* error 17:9: recursion: 'ping' calls 'pong' calls 'ping' again */
/* error 28:13: recursion: 'through' calls itself */
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

typedef unsigned long unary(unsigned long);
static unary *again;
static unsigned long through(unsigned long v)
{
	return v ? again(v - 1) : 0;
}

WARD_ENTRY()
void probe(const struct ward_event *ev, struct state *st)
{
	again = ev->arg[2] ? through : 0;
	st->n += down(ev->arg[0]) + ping(ev->arg[1]) + through(ev->arg[2]);
}
