/* Euclid with a limit on the steps */
#include "event.h"

struct state {
	u64 gcd;
};

void gcd(const struct event *ev, struct state *st)
{
	u64 a = ev->arg[0], b = ev->arg[1];
	for (int i = 0; i < 96 && b; i++) {
		u64 t = a % b;
		a = b;
		b = t;
	}
	st->gcd = a;
}
