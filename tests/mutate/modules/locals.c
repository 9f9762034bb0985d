#include <ward/probe.h>

/* Arrays on the stack, indexed. */
struct ward_state {
	unsigned long out[8];
};

WARD_ENTRY()
void histogram(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long n[8] = {0};

	for (unsigned i = 0; i < 6; i++)
		n[ev->arg[i] & 7] += ev->arg[i] >> 3;
	for (unsigned i = 0; i < 8; i++)
		st->out[i] += n[i];
}
