#include <ward/probe.h>

/* Insertion sort of sixteen numbers of the state. */
struct ward_state {
	unsigned long a[16];
};

WARD_ENTRY()
void on_call(const struct ward_event *ev, struct ward_state *st)
{
	st->a[ev->arg[0] & 15] = ev->arg[1];
	for (unsigned long i = 1; i < 16; i++) {
		unsigned long v = st->a[i], j = i;
		for (; j > 0 && st->a[j - 1] > v; j--)
			st->a[j] = st->a[j - 1];
		st->a[j] = v;
	}
}
