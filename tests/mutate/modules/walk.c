#include <ward/probe.h>

/* A walk along a list of indices, with a bound on its steps. */
struct ward_state {
	unsigned keys[64];
	unsigned char next[64];
	unsigned found;
};

WARD_ENTRY()
void walk(const struct ward_event *ev, struct ward_state *st)
{
	unsigned at = ev->arg[1] & 63;

	for (unsigned steps = 0; steps < 40 && st->keys[at] != (unsigned)ev->arg[2]; steps++)
		at = st->next[at] & 63;
	st->found = at;
}
